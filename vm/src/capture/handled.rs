//! Objects of classes that the program has made, which compiled code only hands on.
//!
//! What they hold is read and written by crossings. What their class says is known where the class is: methods,
//! properties and operators push frames, as those of objects do that the path knows. A place that gives objects of one
//! class gives handles of that class; where a place meets several, the path goes on on one path for each.

use std::collections::BTreeSet;

use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Cmp, Op};
use snekpy_stage::types::{Class, Type};

use crate::capture::checkpoint::{Built, stuck};
use crate::capture::cross::{Crossed, asks_class_of, classes_seen};
use crate::capture::explore::MAX_VARIANTS;
use crate::capture::session::Session;
use crate::capture::state::{Frame, State, Then};
use crate::capture::step::{Flow, object_at, refuse};
use crate::capture::stop::Step;
use crate::capture::template::Leaves;
use crate::capture::value::{self, V};
use crate::code::{Instr, Opcode};
use crate::exit::Crossing;
use crate::host;
use crate::object::{self, Fits, Gives, Operation};
use crate::refusal::Refusal;
use crate::rep;

impl Session<'_> {
    /// `object.name`, where the class of the object is known and what the class says decides.
    pub(crate) fn attribute_of_handle(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        name: &'static str,
        is_method: bool,
    ) -> Step<Flow> {
        let vm = self.vm;
        if self.has_user_method(object, &["__getattribute__", "__getattr__"]) {
            return Err(refuse("S251", format!("`.{name}` calls a method of a class")).into());
        }
        let found = self.class_attribute(object, name)?;
        if let Some(found) = &found
            && found.class().is(vm.ctx.types.property_type)
            && !is_method
        {
            let getter = found.get_attr("fget", vm)?;
            if !vm.is_none(&getter) {
                drop(state.pop());
                return self.call(state, &getter, vec![object.clone()].into(), Then::Push);
            }
        }
        let class = rep::class_behind(object).ok_or_else(stuck)?;
        // What is called, and with which first argument.
        let bound = found.and_then(|found| {
            let types = &vm.ctx.types;
            let inside = || found.get_attr("__func__", vm).ok();
            let (function, first) = match () {
                () if found.class().is(types.staticmethod_type) => (inside()?, None),
                () if found.class().is(types.classmethod_type) => (inside()?, Some(class.clone().into())),
                () => (found, Some(object.clone())),
            };
            crate::callable::is_function(&function, vm).then_some((function, first))
        });
        let Some((function, first)) = bound else {
            return Err(refuse("S301", "this works on an object that compiled code only hands on").into());
        };
        if object::python::has_dict(&class) {
            self.look_at_dict(state, object, name)?;
        }
        drop(state.pop());
        match (first, is_method) {
            (None, false) => state.push(function),
            (Some(first), false) => state.push(host::function::bound_method(function, first, vm)),
            (first, true) => {
                state.push(function);
                state.push(first.map_or(V::Null, V::Obj));
            }
        }
        state.frame_mut().pc += 1;
        Ok(Flow::Next)
    }

    /// The call leaves where an object itself has an attribute of a name that its class has, too.
    fn look_at_dict(&mut self, state: &mut State, object: &PyObjectRef, name: &'static str) -> Step<()> {
        if !self.may_hand_on() || !state.reach.is_reached() {
            return Err(stuck());
        }
        let name = self.vm.ctx.intern_str(name);
        let mut leaves = Leaves::with_identity();
        let operands = self.operands(std::slice::from_ref(object), &mut leaves).ok_or_else(stuck)?;
        let operation = Operation::Unshadowed(name);
        let column = self.column(&operation);
        let crossing = Crossing { column, ..Crossing::new(operation, operands, Fits::Own, false, Gives::Nothing) };
        let refusal = Refusal::new("S301", "an object has an attribute of its own beside that of its class");
        let (_, next) = self.write_crossing(state, crossing, leaves, None, &refusal).ok_or_else(stuck)?;
        state.block = next;
        Ok(())
    }

    /// An instruction that calls a method of the class of an object that is handed on, if that is known: the frame is
    /// pushed.
    pub(crate) fn overloaded_by_handle(&mut self, state: &mut State, instr: Instr) -> Step<Option<Flow>> {
        let is_known = |depth: usize| {
            let entry = state.frame().stack.len().checked_sub(depth).map(|it| &state.frame().stack[it]);
            entry.and_then(V::object).is_some_and(|it| rep::class_behind(it).is_some())
        };
        match instr.op {
            Opcode::ToBool | Opcode::GetIter | Opcode::ForIter if is_known(1) => {
                self.overloaded(state, instr.op, instr.arg)
            }
            Opcode::CompareOp | Opcode::ContainsOp | Opcode::DeleteSubscr if is_known(1) || is_known(2) => {
                self.overloaded(state, instr.op, instr.arg)
            }
            Opcode::StoreSubscr if is_known(2) => self.overloaded(state, instr.op, instr.arg),
            Opcode::BinarySlice if is_known(3) => self.overloaded(state, instr.op, instr.arg),
            Opcode::StoreAttr if is_known(1) => self.overloaded_store(state, instr.op, instr.arg),
            Opcode::FormatSimple if is_known(1) => self.overloaded_text(state, false),
            Opcode::Call if is_known(instr.arg as usize + 2) => self.call_of_handle(state, instr.arg as usize),
            Opcode::Call if instr.arg == 1 && is_known(1) => self.builtin_of_handle(state),
            Opcode::Call if instr.arg == 1 => self.join_by_handle(state),
            _ => Ok(None),
        }
    }

    /// `object(...)`, where the class of the object is known.
    fn call_of_handle(&mut self, state: &mut State, count: usize) -> Step<Option<Flow>> {
        let object = object_at(state, count + 2);
        if !matches!(state.peek(count + 1), V::Null) {
            return Ok(None);
        }
        let Some(method) = self.call_method(&object)? else { return Ok(None) };
        let stack = &mut state.frame_mut().stack;
        let callable = stack.len() - (count + 2);
        stack[callable] = V::Obj(method);
        stack[callable + 1] = V::Obj(object);
        self.call_op(state, count, false).map(Some)
    }

    /// A builtin that asks the class of its argument, which is known.
    fn builtin_of_handle(&mut self, state: &mut State) -> Step<Option<Flow>> {
        let object = object_at(state, 1);
        let Some(callable) = state.peek(3).object().cloned() else { return Ok(None) };
        if !matches!(state.peek(2), V::Null) {
            return Ok(None);
        }
        let Some(native) = host::native::native_callable(&callable, self.vm) else { return Ok(None) };
        let Some(name) = native.builtin(self.vm) else { return Ok(None) };
        let Some((helper, args)) = self.overloaded_builtin(name, &vec![object].into())? else { return Ok(None) };
        for _ in 0..3 {
            state.pop();
        }
        self.call(state, &helper, args, Then::Push).map(Some)
    }

    /// Goes on on a path for each class that an operand of the instruction has had here.
    pub(crate) fn split_by_class(&mut self, state: &mut State, instr: Instr, refusal: &Refusal) -> Crossed {
        let stack = &state.frame().stack;
        let unknown = asks_class_of(instr).iter().find_map(|&depth| {
            let object = stack.len().checked_sub(depth).and_then(|it| stack[it].object())?;
            let (handle, class) = value::handle(object)?;
            (class == Class::ANY).then(|| (depth, object.clone(), handle))
        });
        let Some((depth, object, handle)) = unknown else { return Crossed::No };
        let seen = classes_seen(&state.frame().code, state.frame().pc, depth);
        if let (true, Some(sample)) = (seen.classes().is_empty(), self.sample_of(&object))
            && let Some(Type::Object(class)) = object::type_to_know(&sample, self.vm)
            && object::python::class(class).is_some()
        {
            seen.note_class(class);
        }
        let classes = seen.classes();
        if classes.is_empty() || !classes.iter().all(|it| object::python::class(*it).is_some()) {
            return Crossed::No;
        }
        // Where classes of several objects are told apart, there are paths for each of their combinations.
        let paths = classes.len().checked_pow(1 + known_by_class(state) as u32);
        if paths.is_none_or(|it| it > MAX_VARIANTS) {
            return Crossed::No;
        }
        let mut leaves = Leaves::with_identity();
        let Some(operands) = self.operands(std::slice::from_ref(&object), &mut leaves) else { return Crossed::No };
        let gives = Gives::Value(Type::I64);
        let operation = Operation::Which(classes.clone());
        let crossing =
            Crossing { classes: vec![(0, seen)], ..Crossing::new(operation, operands, Fits::Own, false, gives) };
        self.running.built = Built::default();
        let Some((given, next)) = self.write_crossing(state, crossing, leaves, None, refusal) else {
            return Crossed::No;
        };
        let built = std::mem::take(&mut self.running.built);
        state.block = next;
        state.reach = state.reach.behind(&built);
        if state.reach.is_due {
            self.checkpoint(state);
        }
        let mut others = Vec::new();
        for (index, class) in classes.iter().enumerate().skip(1) {
            let at = self.int(state, index as i64);
            let is = self.cmp(state, Cmp::Eq, given[0], at);
            let loc = self.loc(state);
            let mut builder = self.builder(state.block);
            builder.at(loc);
            let (yes, no) = (builder.create_block(), builder.create_block());
            builder.branch(is, yes, no);
            state.forks += 1;
            let mut other = State { block: yes, ..state.clone() };
            state.block = no;
            self.know_class(&mut other, handle, *class);
            others.push(other);
        }
        self.know_class(state, handle, classes[0]);
        if others.is_empty() { Crossed::On } else { Crossed::Forked(others) }
    }

    /// From now on, a path knows the class of an object.
    fn know_class(&mut self, state: &mut State, handle: Value, class: Class) {
        let known = self.value(state, Op::OfClass(class), &[handle]);
        let known = self.rep(known);
        let sample = self.samples.of_value(handle);
        self.has_sample(&known, sample);
        let is_it = |it: &PyObjectRef| value::handle(it).is_some_and(|(value, _)| value == handle);
        for frame in &mut state.frames {
            let locals = frame.locals.iter_mut().flatten();
            for entry in locals.chain(&mut frame.stack) {
                if entry.object().is_some_and(is_it) {
                    *entry = V::Obj(known.clone());
                }
            }
        }
    }
}

/// How many of the objects that the path may still look at are handed on and have a class of the program that it knows.
fn known_by_class(state: &State) -> usize {
    let live = |frame: &Frame| {
        let (code, pc) = (frame.code.clone(), frame.pc);
        let locals = frame.locals.iter().enumerate().filter(move |(local, _)| code.live_in(pc, *local));
        let entries = locals.filter_map(|(_, entry)| entry.as_ref()).chain(&frame.stack);
        let objects = entries.filter_map(V::object).filter(|it| rep::class_behind(it).is_some());
        objects.filter_map(|it| Some(value::handle(it)?.0)).collect::<Vec<_>>()
    };
    state.frames.iter().flat_map(live).collect::<BTreeSet<_>>().len()
}
