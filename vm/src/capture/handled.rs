//! Objects of classes that the program has made, which compiled code only hands on.
//!
//! What they hold is read and written by crossings. What their class says is known where the class is: methods,
//! properties and operators push frames, as those of objects do that the path knows. A place that gives objects of one
//! class gives handles of that class; where a place meets several, the path goes on on one path for each.

use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::Value;
use snekpy_stage::op::Cmp;
use snekpy_stage::types::{Class, Type};

use crate::capture::checkpoint::{Built, stuck};
use crate::capture::cross::Crossed;
use crate::capture::session::Session;
use crate::capture::state::{State, Then};
use crate::capture::step::{Flow, refuse};
use crate::capture::stop::Step;
use crate::capture::template::Leaves;
use crate::capture::value::{self, V};
use crate::host;
use crate::object::{self, Crossing, Fits, Gives, Operation};
use crate::refusal::Refusal;

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
        let function = found.filter(|it| crate::staged::is_function(it, vm));
        let Some(function) = function else {
            return Err(refuse("S301", "this works on an object that compiled code only hands on").into());
        };
        let class = object::python::class_behind(object).ok_or_else(stuck)?;
        if object::python::has_dict(&class) {
            self.look_at_dict(state, object, name)?;
        }
        drop(state.pop());
        if is_method {
            state.push(function);
            state.push(object.clone());
        } else {
            state.push(host::function::bound_method(function, object.clone(), vm));
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
        let crossing = Crossing::new(Operation::Unshadowed(name), operands, Fits::Own, false, Gives::Nothing);
        let refusal = Refusal::new("S301", "an object has an attribute of its own beside that of its class");
        let (_, next) = self.write_crossing(state, crossing, leaves, None, &refusal).ok_or_else(stuck)?;
        state.block = next;
        Ok(())
    }

    /// Goes on on a path for each class that the object on top of the stack has had here.
    pub(crate) fn split_by_class(&mut self, state: &mut State, refusal: &Refusal) -> Crossed {
        let Some(object) = state.peek(1).object().cloned() else { return Crossed::No };
        let Some((handle, Class::ANY)) = value::handle(&object) else { return Crossed::No };
        let frame = state.frame();
        let seen = frame.code.seen(frame.pc);
        let classes = seen.classes();
        if classes.is_empty() || !classes.iter().all(|it| object::python::class(*it).is_some()) {
            return Crossed::No;
        }
        let mut leaves = Leaves::with_identity();
        let Some(operands) = self.operands(std::slice::from_ref(&object), &mut leaves) else { return Crossed::No };
        let gives = Gives::Value(Type::I64);
        let operation = Operation::Which(classes.clone());
        let crossing = Crossing { seen, ..Crossing::new(operation, operands, Fits::Own, false, gives) };
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
            self.know_class(&mut other, &object, handle, *class, refusal);
            others.push(other);
        }
        self.know_class(state, &object, handle, classes[0], refusal);
        if others.is_empty() { Crossed::On } else { Crossed::Forked(others) }
    }

    /// From now on, a path knows the class of an object.
    fn know_class(&mut self, state: &mut State, object: &PyObjectRef, handle: Value, class: Class, refusal: &Refusal) {
        // What told the class was given the object, too, and could leave.
        let why = "it was handed on before";
        let mut leaves = Leaves::with_identity();
        let operands = self.operands(std::slice::from_ref(object), &mut leaves).expect(why);
        let gives = Gives::Value(Type::Object(class));
        let crossing = Crossing::new(Operation::Known, operands, Fits::Any, false, gives);
        self.running.built = Built::default();
        let (given, next) = self.write_crossing(state, crossing, leaves, None, refusal).expect(why);
        let built = std::mem::take(&mut self.running.built);
        state.block = next;
        state.reach = state.reach.behind(&built);
        let known = self.rep(given[0]);
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
