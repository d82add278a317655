//! Crossings: instructions that compiled code lets the VM carry out.
//!
//! What cannot be captured, because an operand is an object that compiled code only hands on, or because native code
//! would have to see numbers that are known later, becomes a call of the host in compiled code: the operands are made,
//! the VM does what its own instruction does, and the path goes on with what that gives, a number or an object. The
//! call of the host also says whether it could: for operands with methods in Python it cannot, and the call leaves
//! there, as for any other refusal.

use std::collections::BTreeSet;

use rustpython_vm::builtins::{PyDict, PyList, PySet, PySlice, PyStr, PyStrInterned, PyTuple, PyType};
use rustpython_vm::bytecode::oparg::{BinaryOperator, ComparisonOperator, ConvertValueOparg};
use rustpython_vm::{AsObject, PyObjectRef, PyPayload};
use snekpy_stage::entity::{Block, Value};
use snekpy_stage::op::{ObjectOp, Op};
use snekpy_stage::types::{Class, Type};

use crate::capture::checkpoint::{Built, Carried, stuck};
use crate::capture::heap::Contents;
use crate::capture::session::Session;
use crate::capture::state::{State, Then};
use crate::capture::step::{object_at, refuse};
use crate::capture::stop::{Step, Stop};
use crate::capture::template::Leaves;
use crate::capture::text::as_character;
use crate::capture::value::{self, Iter, V};
use crate::code::{Instr, Opcode, Pc};
use crate::exit::HostKind;
use crate::host;
use crate::host::native::NativeCallable;
use crate::object::{self, Crossing, FEW, Fits, Gives, Operation, Rule};
use crate::refusal::Refusal;
use crate::rep::{StagedMethod, StagedObject, StagedText, TextPart};

/// Where the parts of what an instruction gives are kept beside what it gives itself.
const PART_SHIFT: u32 = 24;

/// An instruction: the code object, and the instruction in it.
pub(crate) type Site = (usize, Pc);

/// An object that is better handed on by compiled code than known to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Handed {
    /// What this instruction makes.
    Made(Site),
    /// An object of the world, by identity.
    World(usize),
    /// The argument that this local variable is bound to.
    Argument(usize),
}

/// What has become of an instruction.
pub(crate) enum Crossed {
    /// It is none that the VM can carry out here.
    No,
    /// The path goes on.
    On,
    /// It goes on on two paths.
    Forked(Box<State>),
    /// It could, if compiled code only handed these on.
    Needs(Vec<Handed>),
}

/// An instruction as the VM is to carry it out.
struct Plan {
    operation: Operation,
    operands: Vec<PyObjectRef>,
    /// How many entries of the stack go.
    pops: usize,
    rule: Rule,
    /// What is pushed, if that is nothing that it gives.
    pushes: Vec<V>,
}

impl Session<'_> {
    /// Refuses an instruction that works on an object which compiled code only hands on.
    pub(crate) fn refuse_handles(&self, state: &State, instr: Instr) -> Step<()> {
        let is_handle = |below: usize| match state.peek(below) {
            V::Obj(object) => value::handle(object).is_some() || object.downcast_ref::<StagedMethod>().is_some(),
            V::Null | V::Iter(_) => false,
        };
        let meets = match instr.op {
            Opcode::BinaryOp | Opcode::CompareOp | Opcode::ContainsOp | Opcode::IsOp | Opcode::FormatWithSpec => {
                is_handle(1) || is_handle(2)
            }
            Opcode::ToBool
            | Opcode::UnaryNegative
            | Opcode::UnaryInvert
            | Opcode::UnaryNot
            | Opcode::GetIter
            | Opcode::ForIter
            | Opcode::UnpackSequence
            | Opcode::UnpackEx
            | Opcode::LoadAttr
            | Opcode::DeleteAttr
            | Opcode::FormatSimple
            | Opcode::ConvertValue
            | Opcode::GetLen
            | Opcode::PopJumpIfTrue
            | Opcode::PopJumpIfFalse => is_handle(1),
            Opcode::MatchSequence
            | Opcode::MatchMapping
            | Opcode::LoadSpecial
            | Opcode::GetYieldFromIter
            | Opcode::ImportFrom
            | Opcode::CallIntrinsic1 => is_handle(1),
            Opcode::MatchKeys | Opcode::CheckExcMatch | Opcode::CallIntrinsic2 | Opcode::Send => {
                is_handle(1) || is_handle(2)
            }
            Opcode::RaiseVarargs => (1..=instr.arg as usize).any(is_handle),
            Opcode::MatchClass | Opcode::LoadSuperAttr => (1..=3).any(is_handle),
            Opcode::CallFunctionEx | Opcode::WithExceptStart => (1..=4).any(is_handle),
            Opcode::BinarySlice | Opcode::StoreSubscr => (1..=3).any(is_handle),
            Opcode::DeleteSubscr | Opcode::StoreAttr => is_handle(1) || instr.op != Opcode::StoreAttr && is_handle(2),
            Opcode::StoreSlice => (1..=4).any(is_handle),
            Opcode::BuildString => (1..=instr.arg as usize).any(is_handle),
            Opcode::ListAppend | Opcode::SetAdd => is_handle(instr.arg as usize + 1),
            Opcode::MapAdd => is_handle(instr.arg as usize + 2),
            Opcode::ListExtend | Opcode::SetUpdate | Opcode::DictUpdate | Opcode::DictMerge => {
                is_handle(1) || is_handle(instr.arg as usize + 1)
            }
            Opcode::Call | Opcode::CallKw => {
                let count = instr.arg as usize + usize::from(instr.op == Opcode::CallKw);
                // Native code must see objects as they are.
                let is_native = || matches!(state.peek(count + 2), V::Obj(it) if host::native::native_callable(it, self.vm).is_some());
                let is_other = |below: usize| is_handle(below) && !self.is_text_at(state, below);
                let goes_through = || matches!(state.peek(count + 2), V::Obj(it) if self.goes_through_texts(it));
                is_handle(count + 2)
                    || (1..=count + 1).any(is_handle)
                        && is_native()
                        && ((1..=count + 1).any(is_other) || !goes_through())
            }
            _ => false,
        };
        if !meets {
            return Ok(());
        }
        Err(refuse("S301", "this works on an object that compiled code only hands on").into())
    }

    /// Whether an object that compiled code hands on is None.
    pub(crate) fn is_none(&mut self, state: &State, object: Value) -> Value {
        self.value(state, Op::Object(ObjectOp::IsNone), &[object])
    }

    /// Lets the VM carry out the instruction that the path is at, if it can.
    pub(crate) fn cross(&mut self, state: &mut State, refusal: &Refusal) -> Crossed {
        // Behind what others may have waited for, a shared call looks at the world again: plain Python does that.
        let is_plain = self.shared || self.detached || self.all_plain;
        if is_plain || refusal.code == "S999" || !self.may_hand_on() || !self.has_plain_frames(state) {
            return Crossed::No;
        }
        let frame = state.frame();
        let (code, pc) = (frame.code.clone(), frame.pc);
        let instr = code.instrs[pc as usize];
        let Some(plan) = self.plan(state, instr) else { return Crossed::No };
        if let Some(is) = self.is_known_tensor(&plan) {
            for _ in 0..plan.pops {
                state.pop();
            }
            state.push(PyObjectRef::from(self.vm.ctx.new_bool(is)));
            state.frame_mut().pc += 1;
            return Crossed::On;
        }
        if self.prints(&plan) && !self.prints_natively(&plan) {
            return Crossed::No;
        }
        if self.is_known_method(&plan) {
            // Reading it gives the same at any time.
            state.pop();
            plan.pushes.into_iter().for_each(|it| state.push(it));
            state.frame_mut().pc += 1;
            return Crossed::On;
        }
        let seen = code.seen(pc);
        if seen.is_unfit() {
            return Crossed::No;
        }
        let any = Type::Object(Class::ANY);
        let seen_of: Vec<_> = match plan.rule.gives {
            Some(Gives::Many(count, _)) => {
                (1..).take(count.min(FEW)).map(|it| code.seen(pc | it << PART_SHIFT)).collect()
            }
            _ => Vec::new(),
        };
        let gives = match plan.rule.gives {
            Some(Gives::Many(count, mut types)) => {
                for (ty, seen) in types.iter_mut().zip(&seen_of) {
                    *ty = seen.ty().unwrap_or(any);
                }
                Gives::Many(count, types)
            }
            Some(Gives::Next(ty)) => Gives::Next(seen.ty().unwrap_or(ty)),
            Some(gives) => gives,
            None => Gives::Value(seen.ty().unwrap_or(any)),
        };
        let Rule { acts, fits, .. } = plan.rule;
        if !acts && !state.reach.is_reached() {
            return Crossed::No;
        }
        let mut leaves = Leaves::with_identity();
        let Some(operands) = self.operands(&plan.operands, &mut leaves) else {
            return self.in_the_way(&plan.operands).map_or(Crossed::No, Crossed::Needs);
        };
        let then = match instr.op {
            Opcode::ForIter => Then::Item,
            Opcode::StoreSubscr
            | Opcode::DeleteSubscr
            | Opcode::StoreAttr
            | Opcode::ListAppend
            | Opcode::SetAdd
            | Opcode::MapAdd => Then::Drop,
            _ => Then::Push,
        };
        let mut behind = state.clone();
        for _ in 0..plan.pops {
            behind.pop();
        }
        let waits = match acts {
            true => match self.waiting(&behind, &then) {
                Ok(waits) => waits,
                Err(_) => return Crossed::No,
            },
            false => None,
        };
        let is_own = matches!(plan.operation, Operation::Next | Operation::Iterate)
            && value::handle(&plan.operands[0]).is_some_and(|(_, class)| object::is_own_iterator(class));
        let method = match &plan.operation {
            Operation::Method { name, .. } => {
                self.class_behind(&plan.operands[0]).and_then(|class| object::type_of(class, self.vm)?.get_attr(name))
            }
            _ => None,
        };
        let crossing = Crossing {
            operation: plan.operation,
            operands,
            method,
            fits,
            acts,
            gives,
            seen,
            seen_of,
            is_own,
            count: Default::default(),
        };
        self.built = Built::default();
        let Some((given, next)) = self.write_crossing(state, crossing, leaves, waits, refusal) else {
            return Crossed::No;
        };
        let built = std::mem::take(&mut self.built);
        let loc = self.loc(state);
        behind.block = next;
        behind.reach = state.reach.behind(&built);
        *state = behind;
        state.frame_mut().pc = pc + 1;
        match gives {
            Gives::None => state.push(self.vm.ctx.none()),
            Gives::Nothing => {}
            Gives::Value(_) => state.push(self.rep(given[0])),
            Gives::Many(..) => given.iter().rev().for_each(|&it| state.push(self.rep(it))),
            Gives::Next(_) => {
                let mut ended = state.clone();
                let mut builder = self.builder(state.block);
                builder.at(loc);
                let (more, end) = (builder.create_block(), builder.create_block());
                builder.branch(given[0], more, end);
                (state.block, ended.block) = (more, end);
                ended.frame_mut().pc = instr.target.expect("a loop has an end");
                state.forks += 1;
                ended.forks += 1;
                state.push(self.rep(given[1]));
                return Crossed::Forked(Box::new(ended));
            }
        }
        plan.pushes.into_iter().for_each(|it| state.push(it));
        Crossed::On
    }

    /// Writes a crossing: what it gives, and the block where the path goes on. Where it was not carried out, the call
    /// leaves with the path as it is; `None` if it cannot.
    fn write_crossing(
        &mut self,
        state: &State,
        crossing: Crossing,
        leaves: Leaves,
        waits: Option<Carried>,
        refusal: &Refusal,
    ) -> Option<(Vec<Value>, Block)> {
        let mut builder = self.builder(state.block);
        let (next, unfit) = (builder.create_block(), builder.create_block());
        if !self.leave_plainly(&State { block: unfit, ..state.clone() }, refusal) {
            self.builder(unfit).jump(unfit, Vec::new());
            return None;
        }
        let results = std::iter::once(Type::Bool).chain(crossing.gives.types()).collect();
        let name = crossing.name(self.vm);
        let host = self.host(name, leaves.types.clone(), results, HostKind::Cross(Box::new(crossing)));
        let mut given = self.call_host(state, host, leaves, waits);
        let fit = given.remove(0);
        let loc = self.loc(state);
        let mut builder = self.builder(state.block);
        builder.at(loc);
        builder.branch(fit, next, unfit);
        Some((given, next))
    }

    /// Whether what the instruction makes that the path is at is an object that compiled code hands on.
    pub(crate) fn is_object_site(&self, state: &State) -> bool {
        if self.handed.is_empty() || !state.answers.is_empty() {
            return false;
        }
        let frame = state.frame();
        self.handed.contains(&Handed::Made((frame.code.object.get_id(), frame.pc)))
    }

    /// Remembers which instruction has made the container or text on top of the stack.
    pub(crate) fn note_site(&mut self, state: &State, pc: Pc) {
        let frame = state.frame();
        // After a `shift` it is in another frame.
        let Some(instr) = frame.code.instrs.get(pc as usize) else { return };
        let makes = matches!(
            instr.op,
            Opcode::BuildList
                | Opcode::BuildMap
                | Opcode::BuildSet
                | Opcode::BuildString
                | Opcode::BinaryOp
                | Opcode::FormatSimple
                | Opcode::FormatWithSpec
                | Opcode::Call
        );
        if let (true, Some(V::Obj(object))) = (makes, frame.stack.last())
            && as_character(object).is_none()
            && (object.downcast_ref::<StagedText>().is_some() || is_joined(instr, object) || self.is_fresh(object))
        {
            self.made_by.entry(object.get_id()).or_insert((frame.code.object.get_id(), pc));
        }
    }

    /// What differs in size between paths at one place, by the instructions that have made it, or as an object of the
    /// world; `None` if there is nothing, or it cannot be handed on.
    pub(crate) fn differing_sites(&self, states: &[State]) -> Option<Vec<Handed>> {
        if self.detached || !self.may_hand_on() {
            return None;
        }
        if let Some(texts) = self.iterated_texts(states) {
            return Some(texts);
        }
        let mut sites = Vec::new();
        let frame = states[0].frames.last()?;
        // A comprehension's list is on the stack.
        for index in 0..frame.locals.len() + frame.stack.len() {
            let mut sizes = Vec::new();
            let mut makers = Vec::new();
            for state in states {
                let (locals, stack) = (&state.frame().locals, &state.frame().stack);
                let entry = match index.checked_sub(locals.len()) {
                    None => locals[index].as_ref(),
                    Some(index) => stack.get(index),
                };
                let Some(V::Obj(object)) = entry else { continue };
                let Some(size) = self.size(state, object) else { continue };
                makers.extend(self.made_by.get(&object.get_id()).copied());
                if !sizes.contains(&size) {
                    sizes.push(size);
                }
            }
            if sizes.len() > 2 {
                sites.extend(makers);
            }
        }
        sites.sort_unstable();
        sites.dedup();
        let mut sites: Vec<Handed> = sites.into_iter().map(Handed::Made).collect();
        let all = (0..self.base.len()).map(|number| &self.base.entry(number).object);
        let handed = |object: &PyObjectRef| match self.made_by.get(&object.get_id()) {
            Some(&site) if self.is_fresh(object) => Some(Handed::Made(site)),
            _ => self.is_of_world(object).then(|| Handed::World(object.get_id())),
        };
        let grows = |object: &&PyObjectRef| {
            let sizes: BTreeSet<_> = states.iter().filter_map(|state| self.size(state, object)).collect();
            sizes.len() > 2
        };
        sites.extend(all.filter(grows).filter_map(handed));
        sites.retain(|site| !self.handed.contains(site));
        (!sites.is_empty()).then_some(sites)
    }

    /// The known texts that the paths are going through, each at another character.
    fn iterated_texts(&self, states: &[State]) -> Option<Vec<Handed>> {
        let mut found = Vec::new();
        let stacks = states[0].frames.iter().flat_map(|it| &it.stack);
        for text in stacks.flat_map(|entry| entry.iterator().map(Iter::texts).unwrap_or_default()) {
            let handed = match self.passed.get(&text.get_id()) {
                Some(root) if root.path.is_empty() => Handed::Argument(root.local),
                _ if is_lasting(&text, &states[0]) => Handed::World(text.get_id()),
                _ => continue,
            };
            if !self.handed.contains(&handed) && !found.contains(&handed) {
                found.push(handed);
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// Whether an object is a container that the code finds where it looks for it.
    fn is_of_world(&self, object: &PyObjectRef) -> bool {
        let types = &self.vm.ctx.types;
        let id = object.get_id();
        let is_input = self.base.number(object).is_some_and(|number| self.inputs.contains(&number));
        [types.list_type, types.dict_type, types.set_type].iter().any(|it| object.class().is(*it))
            && !is_input
            && !self.is_fresh(object)
            && !self.arguments.contains_key(&id)
            && !self.passed.contains_key(&id)
            && !self.list_params.iter().any(|it| it.is(object))
    }

    /// How large a container or text is.
    fn size(&self, state: &State, object: &PyObjectRef) -> Option<usize> {
        if let Some(text) = object.downcast_ref::<StagedText>() {
            return Some(text.parts.len());
        }
        if let Some(text) = object.downcast_ref::<PyStr>() {
            return Some(text.byte_len());
        }
        let number = self.base.number(object)?;
        let entry = state.heap.get(&number).cloned().unwrap_or_else(|| self.base.entry(number).clone());
        match &*entry.contents {
            Contents::List(items) => Some(items.len()),
            Contents::Dict(items) => Some(items.len()),
            Contents::Set(items) => Some(items.len()),
            Contents::Cell(_) | Contents::Iter(_) => None,
        }
    }

    /// How the VM carries out an instruction; `None` if it does not.
    fn plan(&self, state: &State, instr: Instr) -> Option<Plan> {
        let stack = &state.frame().stack;
        let at = |below: usize| stack.len().checked_sub(below).and_then(|it| stack[it].object()).cloned();
        let operands = |count: usize| (1..=count).rev().map(at).collect::<Option<Vec<_>>>();
        let name = |index: u32| state.frame().code.object.code.names[index as usize];
        let mut keeps = 0;
        let (operation, count) = match instr.op {
            Opcode::BinaryOp => (Operation::Binary(BinaryOperator::try_from(instr.arg).ok()?), 2),
            Opcode::CompareOp => (Operation::Compare(ComparisonOperator::try_from(instr.arg).ok()?.into()), 2),
            Opcode::ContainsOp => (Operation::Contains { inverted: instr.arg == 1 }, 2),
            Opcode::IsOp => (Operation::Is { inverted: instr.arg == 1 }, 2),
            Opcode::ToBool => (Operation::Truth, 1),
            Opcode::UnaryNegative => (Operation::Negative, 1),
            Opcode::UnaryInvert => (Operation::Invert, 1),
            Opcode::GetIter => (Operation::Iterate, 1),
            Opcode::ForIter => {
                keeps = 1;
                (Operation::Next, 1)
            }
            Opcode::BinarySlice => (Operation::Slice, 3),
            Opcode::UnpackSequence => (Operation::Unpack(instr.arg as usize), 1),
            Opcode::StoreSubscr => (Operation::SetItem, 3),
            Opcode::DeleteSubscr => (Operation::DeleteItem, 2),
            Opcode::StoreAttr => (Operation::SetAttribute(name(instr.arg)), 2),
            Opcode::LoadAttr if instr.arg & 1 == 1 => {
                let operands = operands(1)?;
                let name: &'static PyStrInterned = name(instr.arg >> 1);
                if let Some(function) = self.python_method_of_tensor(&operands[0], name) {
                    // The class of tensors cannot be changed.
                    let pushes = vec![V::Obj(function), V::Obj(operands[0].clone())];
                    let operation = Operation::HasMethod(name);
                    let rule = object::of_operation(&operation)?;
                    return Some(Plan { operation, operands, pops: 1, rule, pushes });
                }
                let method = StagedMethod { object: operands[0].clone(), name }.into_ref(&self.vm.ctx);
                let operation = Operation::HasMethod(name);
                value::handle(&operands[0])?;
                let rule = object::of_operation(&operation)?;
                let pushes = vec![V::Obj(method.into()), V::Null];
                return Some(Plan { operation, operands, pops: 1, rule, pushes });
            }
            Opcode::LoadAttr => (Operation::Attribute(name(instr.arg >> 1)), 1),
            Opcode::FormatSimple => (Operation::Format, 1),
            Opcode::FormatWithSpec => (Operation::FormatTo, 2),
            Opcode::ConvertValue => match ConvertValueOparg::try_from(instr.arg).ok()? {
                ConvertValueOparg::Str => (Operation::Text, 1),
                ConvertValueOparg::Repr => (Operation::Shown, 1),
                ConvertValueOparg::None | ConvertValueOparg::Ascii => return None,
            },
            Opcode::BuildString => (Operation::Join, instr.arg as usize),
            Opcode::BuildList => (Operation::List, instr.arg as usize),
            Opcode::BuildMap => (Operation::Dict, 2 * instr.arg as usize),
            Opcode::BuildSet => (Operation::Set, instr.arg as usize),
            Opcode::ListAppend | Opcode::SetAdd => {
                let operands = vec![at(instr.arg as usize + 1)?, at(1)?];
                value::handle(&operands[0])?;
                let operation = if instr.op == Opcode::SetAdd { Operation::Add } else { Operation::Append };
                let rule = object::of_operation(&operation)?;
                return Some(Plan { operation, operands, pops: 1, rule, pushes: Vec::new() });
            }
            Opcode::MapAdd => {
                let operands = vec![at(1)?, at(instr.arg as usize + 2)?, at(2)?];
                value::handle(&operands[1])?;
                let operation = Operation::SetItem;
                let rule = object::of_operation(&operation)?;
                return Some(Plan { operation, operands, pops: 2, rule, pushes: Vec::new() });
            }
            Opcode::Call | Opcode::CallKw => return self.plan_call(state, instr),
            _ => return None,
        };
        let operands = operands(count)?;
        let mut rule = object::of_operation(&operation)?;
        if matches!(operation, Operation::Binary(_)) && self.is_immutable(&operands[0]) {
            rule.acts = false;
        }
        if rule.gives.is_none() {
            rule.gives = self.gives(&operation, &operands);
        }
        if let Operation::Attribute(name) = &operation
            && self.class_behind(&operands[0]).is_some_and(object::is_tensor)
        {
            rule.gives = object::attribute_of_tensor(name.as_str());
        }
        let meets_tensor = || operands.iter().any(|it| self.class_behind(it).is_some_and(object::is_tensor));
        if matches!(operation, Operation::Compare(_)) && meets_tensor() {
            rule.gives = Some(Gives::Value(Type::Object(object::TENSOR)));
        }
        if matches!(operation, Operation::Iterate) {
            rule.gives = Some(Gives::Value(Type::Object(
                self.class_behind(&operands[0]).map_or(Class::ANY, object::iterator_of),
            )));
        }
        if matches!(operation, Operation::Next) {
            let item = self.class_behind(&operands[0]).map_or(Class::ANY, object::item_of);
            rule.gives = Some(Gives::Next(Type::Object(item)));
        }
        if matches!(operation, Operation::Attribute(_) | Operation::SetAttribute(_)) {
            // Attributes of other objects are known.
            value::handle(operands.last()?)?;
        }
        if matches!(operation, Operation::Is { .. }) {
            operands.iter().all(|it| value::handle(it).is_some() || self.has_identity(it)).then_some(())?;
        }
        Some(Plan { operation, operands, pops: count - keeps, rule, pushes: Vec::new() })
    }

    /// The number of the class of an object, as far as it is known.
    fn class_behind(&self, object: &PyObjectRef) -> Option<Class> {
        if object.downcast_ref::<StagedText>().is_some() {
            return Some(object::class_number(self.vm.ctx.types.str_type, self.vm));
        }
        match value::handle(object) {
            Some((_, class)) => Some(class),
            None if crate::rep::is_staged(object) && crate::tensor::of(object).is_none() => None,
            None => Some(object::class_number(object.class(), self.vm)),
        }
    }

    /// What an operator gives, where that is known from its operands.
    fn gives(&self, operation: &Operation, operands: &[PyObjectRef]) -> Option<Gives> {
        let text = object::class_number(self.vm.ctx.types.str_type, self.vm);
        let is_text = |at: usize| self.class_behind(&operands[at]) == Some(text);
        let is_tensor =
            |at: usize| operands.get(at).and_then(|it| self.class_behind(it)).is_some_and(object::is_tensor);
        let gives_tensor = match operation {
            Operation::Binary(BinaryOperator::Subscr) | Operation::Negative | Operation::Invert => is_tensor(0),
            Operation::Binary(_) => is_tensor(0) || is_tensor(1) && !is_text(0),
            _ => false,
        };
        if gives_tensor {
            return Some(Gives::Value(Type::Object(object::TENSOR)));
        }
        let Operation::Binary(operator) = operation else {
            let Operation::Slice = operation else { return None };
            let class = self.class_behind(&operands[0]).filter(|it| *it != Class::ANY)?;
            return Some(Gives::Value(Type::Object(class)));
        };
        let is_text = match operator {
            BinaryOperator::Add | BinaryOperator::InplaceAdd => is_text(0) && is_text(1),
            BinaryOperator::Remainder | BinaryOperator::Multiply | BinaryOperator::Subscr => is_text(0),
            _ => false,
        };
        is_text.then_some(Gives::Value(Type::Object(text)))
    }

    fn plan_call(&self, state: &State, instr: Instr) -> Option<Plan> {
        let vm = self.vm;
        let stack = &state.frame().stack;
        let mut count = instr.arg as usize;
        let mut names = Vec::new();
        let keywords = usize::from(instr.op == Opcode::CallKw);
        if keywords == 1 {
            names = self.keyword_names(stack.last()?.object()?);
        }
        let first = stack.len().checked_sub(count + keywords)?;
        let mut operands =
            stack[first..first + count].iter().map(|it| it.object().cloned()).collect::<Option<Vec<_>>>()?;
        if let V::Obj(this) = &stack[first - 1] {
            operands.insert(0, this.clone());
            count += 1;
        }
        let callable = stack[first - 2].object()?.clone();
        let pops = instr.arg as usize + keywords + 2;
        let plan = |operation, operands, rule| Some(Plan { operation, operands, pops, rule, pushes: Vec::new() });
        if let Some(method) = callable.downcast_ref::<StagedMethod>() {
            let (_, class) = value::handle(&method.object)?;
            operands.insert(0, method.object.clone());
            let appends = object::type_of(class, vm).is_some_and(|it| it.is(vm.ctx.types.list_type))
                && method.name.as_str() == "append"
                && names.is_empty()
                && operands.len() == 2;
            if appends {
                let rule = Rule { fits: Fits::Own, acts: true, gives: Some(Gives::None) };
                return plan(Operation::Append, operands, rule);
            }
            let rule = match class {
                Class::ANY => Rule { fits: Fits::Own, acts: true, gives: None },
                class => object::of_method(class, method.name.as_str())?,
            };
            return plan(Operation::Method { name: method.name, names }, operands, rule);
        }
        if let Some(rule) = object::of_tensors(&callable, vm) {
            return plan(Operation::Native { callable, names }, operands, rule);
        }
        if let Some(class) = callable.downcast_ref::<PyType>()
            && names.is_empty()
            && object::named_fields(class, vm) == Some(count)
        {
            let rule = Rule { fits: Fits::Own, acts: false, gives: Some(Gives::Value(Type::Object(Class::ANY))) };
            return plan(Operation::Named { class: callable }, operands, rule);
        }
        let (native, rule) = object::native(&callable, count, vm)?;
        // What a method changes is an operand, too.
        if let NativeCallable::Method { receiver: Some(receiver), .. } = &native
            && (!self.may_cross(receiver, true) || crate::tensor::of(receiver).is_some())
        {
            let NativeCallable::Method { name, .. } = &native else { return None };
            operands.insert(0, receiver.clone());
            return plan(Operation::Method { name: vm.ctx.intern_str(name.as_str()), names }, operands, rule);
        }
        let operation = match &native {
            NativeCallable::Function { module: "builtins", name } if names.is_empty() => match (name.as_str(), count) {
                ("len", 1) => Operation::Length,
                ("ord", 1) => Operation::Ord,
                ("chr", 1) => Operation::Chr,
                ("isinstance", 2) => Operation::IsInstance,
                _ => Operation::Native { callable, names },
            },
            NativeCallable::Type(class) if rule.fits == Fits::Own => {
                let is_enumerate = class.is(vm.ctx.types.enumerate_type);
                names.is_empty().then_some(())?;
                Operation::Over { callable, count: if is_enumerate { 1 } else { usize::MAX } }
            }
            _ if rule.fits == Fits::Own => return None,
            _ => Operation::Native { callable, names },
        };
        plan(operation, operands, rule)
    }

    /// Whether this is `isinstance` of an object that is known to be a tensor, and what it gives.
    fn is_known_tensor(&self, plan: &Plan) -> Option<bool> {
        let (Operation::IsInstance, [object, class]) = (&plan.operation, plan.operands.as_slice()) else { return None };
        let library = crate::tensor::library()?;
        let class = class.downcast_ref::<PyType>().filter(|it| it.class().is(self.vm.ctx.types.type_type))?;
        let handle = value::handle(object).filter(|(_, class)| object::is_tensor(*class));
        (handle.is_some() && library.is_class(&class.to_owned())).then(|| &*class.slot_name() == "numpy.ndarray")
    }

    /// A method of tensors that is written in Python, of an object that is known to be one.
    fn python_method_of_tensor(&self, object: &PyObjectRef, name: &'static PyStrInterned) -> Option<PyObjectRef> {
        value::handle(object).filter(|(_, class)| object::is_tensor(*class))?;
        let found = crate::tensor::library()?.class().get_attr(name)?;
        found.class().is(self.vm.ctx.types.function_type).then_some(found)
    }

    fn prints(&self, plan: &Plan) -> bool {
        matches!(&plan.operation, Operation::Native { callable, .. } if self.is_builtin(callable, "print"))
    }

    /// Whether what is printed goes to a file of native code.
    fn prints_natively(&mut self, plan: &Plan) -> bool {
        if matches!(&plan.operation, Operation::Native { names, .. } if names.iter().any(|it| it == "file")) {
            return false;
        }
        let stdout: PyObjectRef = self.vm.ctx.intern_str("stdout").to_owned().into();
        let Some(dict) = self.vm.sys_module.as_object().dict() else { return false };
        matches!(self.read_item(&dict, &stdout), Ok(Some(it)) if self.is_plain(&it))
    }

    /// Whether an instruction reads a method, and the class of the object is known to have it.
    fn is_known_method(&self, plan: &Plan) -> bool {
        let Operation::HasMethod(name) = plan.operation else { return false };
        if plan.pushes.len() == 2 && matches!(&plan.pushes[1], V::Obj(_)) {
            return true;
        }
        self.class_behind(&plan.operands[0]).is_some_and(|class| {
            object::type_of(class, self.vm).is_some() && object::of_method(class, name.as_str()).is_some()
        })
    }

    /// How the operands are made; `None` if one of them cannot be handed out.
    fn operands(&mut self, operands: &[PyObjectRef], leaves: &mut Leaves) -> Option<Vec<crate::exit::Template>> {
        operands.iter().all(|it| self.may_cross(it, true)).then_some(())?;
        self.templates(operands, leaves).ok()
    }

    /// The containers among these operands, which could be handed out if the path knew nothing of them.
    fn in_the_way(&self, operands: &[PyObjectRef]) -> Option<Vec<Handed>> {
        if !self.may_hand_on() {
            return None;
        }
        let mut all = Vec::new();
        for object in operands.iter().filter(|it| !self.may_cross(it, true)) {
            let id = object.get_id();
            // What is an input is given to the code as numbers.
            let is_input = self.base.number(object).is_some_and(|number| self.inputs.contains(&number));
            if is_input || self.is_list_param(object) {
                return None;
            }
            let types = &self.vm.ctx.types;
            let containers = [types.list_type, types.dict_type, types.set_type];
            let handed = if self.is_fresh(object) {
                Handed::Made(*self.made_by.get(&id)?)
            } else if let Some(root) = self.arguments.get(&id).or_else(|| self.passed.get(&id)) {
                Handed::Argument(root.path.is_empty().then_some(root.local)?)
            } else if containers.iter().any(|it| object.class().is(*it)) {
                Handed::World(id)
            } else {
                return None;
            };
            if self.handed.contains(&handed) {
                return None;
            }
            all.push(handed);
        }
        Some(all)
    }

    /// Makes a text as an object that compiled code hands on.
    pub(crate) fn boxed(&mut self, state: &mut State, text: &PyObjectRef) -> Step<PyObjectRef> {
        let mut leaves = Leaves::with_identity();
        if !state.reach.is_reached() {
            return Err(stuck());
        }
        let operands = self.operands(std::slice::from_ref(text), &mut leaves).ok_or_else(stuck)?;
        let ty = Type::Object(object::class_number(self.vm.ctx.types.str_type, self.vm));
        let refusal = Refusal::new("S301", "the text cannot be made here");
        let crossing = Crossing::known(operands, ty);
        let (given, next) = self.write_crossing(state, crossing, leaves, None, &refusal).ok_or_else(stuck)?;
        state.block = next;
        Ok(self.rep(given[0]))
    }

    /// Hands on the object on top of the stack, if nothing is to be known of it.
    pub(crate) fn hand_on(&mut self, state: &mut State) -> Step<()> {
        if self.handed.is_empty() {
            return Ok(());
        }
        let Some(V::Obj(object)) = state.frame().stack.last().cloned() else { return Ok(()) };
        if crate::rep::is_staged(&object) || !self.handed.contains(&Handed::World(object.get_id())) {
            return Ok(());
        }
        if !state.reach.is_reached() {
            return Err(stuck());
        }
        let ty = Type::Object(object::class_number(object.class(), self.vm));
        let crossing = Crossing::known(vec![crate::exit::Template::Static(object)], ty);
        // It may also be an argument, or something else that the code knows.
        let refusal = Refusal::new("S301", "the code knows this object by another way, too");
        let (given, next) =
            self.write_crossing(state, crossing, Leaves::default(), None, &refusal).ok_or_else(stuck)?;
        state.block = next;
        state.replace_top(self.rep(given[0]));
        Ok(())
    }

    /// Whether an object can be handed to the VM in the middle of a call: nothing that it leads to is known to the path
    /// or changed by it.
    fn may_cross(&self, object: &PyObjectRef, is_whole: bool) -> bool {
        let vm = self.vm;
        let types = &vm.ctx.types;
        if value::number(object, vm).is_some() || value::handle(object).is_some() {
            return true;
        }
        if let Some((staged, _)) = crate::tensor::staged(object) {
            return staged.owner == self.owner;
        }
        if let Some(text) = object.downcast_ref::<StagedText>() {
            return text.parts.iter().all(|part| match part {
                TextPart::Known(_) | TextPart::Char(_) => true,
                TextPart::Format { value, .. } | TextPart::Percent { value, .. } => self.may_cross(value, false),
            });
        }
        if crate::rep::is_staged(object) || self.arguments.contains_key(&object.get_id()) && !self.is_plain(object) {
            return false;
        }
        if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
            return tuple.as_slice().iter().all(|it| self.may_cross(it, false));
        }
        if let Some(slice) = object.downcast_ref::<PySlice>() {
            let parts = slice.start.iter().chain([&slice.stop]).chain(slice.step.iter());
            return parts.into_iter().all(|it| self.may_cross(it, false));
        }
        if crate::tensor::of(object).is_some() || crate::tensor::library().is_some_and(|it| it.is_fixed(object)) {
            return true;
        }
        let tracked = object.downcast_ref::<PyList>().is_some()
            || object.downcast_ref::<PyDict>().is_some()
            || object.downcast_ref::<PySet>().is_some()
            || host::array::array_elem(object, vm).is_some()
            || self.is_fresh(object);
        if tracked {
            return false;
        }
        let atoms = [types.str_type, types.bytes_type, types.int_type, types.none_type, types.complex_type];
        let callables = [types.builtin_function_or_method_type, types.method_descriptor_type];
        if atoms.iter().chain(&callables).any(|it| object.class().is(*it)) {
            // What a bound method is bound to was looked at.
            return true;
        }
        if object.downcast_ref::<PyType>().is_some() {
            return true;
        }
        is_whole && self.is_plain(object) && object::class_number(object.class(), vm) != Class::ANY
    }

    /// Whether an operator cannot change an object.
    fn is_immutable(&self, object: &PyObjectRef) -> bool {
        let types = &self.vm.ctx.types;
        let fixed = [types.str_type, types.bytes_type, types.int_type, types.float_type, types.tuple_type];
        match value::handle(object) {
            Some((_, class)) => {
                object::type_of(class, self.vm).is_some_and(|it| fixed.iter().any(|fixed| it.is(*fixed)))
            }
            None => {
                value::number(object, self.vm).is_some()
                    || object.downcast_ref::<StagedText>().is_some()
                    || fixed.iter().any(|it| object.class().is(*it))
            }
        }
    }

    /// Whether an object that is known now is the same object wherever it is handed to.
    fn has_identity(&self, object: &PyObjectRef) -> bool {
        let types = &self.vm.ctx.types;
        object.class().is(types.none_type)
            || object.class().is(types.bool_type)
            || object.class().is(types.ellipsis_type)
            || object.downcast_ref::<PyType>().is_some()
    }

    /// The object on top of the stack, if it is one that compiled code hands on.
    pub(crate) fn handle_on_top(&self, state: &State) -> Option<Value> {
        let object = state.peek(1).object()?;
        object.downcast_ref::<StagedObject>().map(|it| it.value)
    }

    /// `x is None` and its like, where one of them is an object that compiled code hands on: pushes the answer.
    pub(crate) fn is_op_of_handles(&mut self, state: &mut State, inverted: bool) -> Step<bool> {
        let (y, x) = (object_at(state, 1), object_at(state, 2));
        let (handle, other) = match (value::handle(&x), value::handle(&y)) {
            (Some((handle, _)), None) => (handle, y),
            (None, Some((handle, _))) => (handle, x),
            (None, None) | (Some(_), Some(_)) => return Ok(false),
        };
        if self.vm.is_none(&other) {
            let is = self.is_none(state, handle);
            let is = if inverted { self.value(state, Op::Not, &[is]) } else { is };
            state.pop();
            state.pop();
            state.push(self.rep(is));
            return Ok(true);
        }
        if !self.has_identity(&other) {
            // The number or text in compiled code and the object may have been one.
            self.restart(state)?;
            return Err(Stop::Refuse(Box::new(Refusal::new("S263", "identity of an object that is made anew"))));
        }
        Ok(false)
    }
}

/// Whether a text is a constant or a global variable of one of the frames: the same object whenever it is captured.
fn is_lasting(text: &PyObjectRef, state: &State) -> bool {
    let is_it = |object: &PyObjectRef| object.is(text);
    state.frames.iter().any(|frame| {
        let constants = &frame.code.object.code.constants;
        constants.iter().any(|it| is_it(&PyObjectRef::from(it.clone()))) || frame.globals.values_vec().iter().any(is_it)
    })
}

/// Whether an instruction has made a longer text of two that are known.
fn is_joined(instr: &Instr, object: &PyObjectRef) -> bool {
    let operator = BinaryOperator::try_from(instr.arg);
    instr.op == Opcode::BinaryOp
        && matches!(operator, Ok(BinaryOperator::Add | BinaryOperator::InplaceAdd))
        && object.downcast_ref::<PyStr>().is_some()
}
