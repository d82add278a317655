//! Crossings: instructions that compiled code lets the VM carry out.
//!
//! What cannot be captured, because an operand is an object that compiled code only hands on, or because native code
//! would have to see numbers that are known later, becomes a call of the host in compiled code: the operands are made,
//! the VM does what its own instruction does, and the path goes on with what that gives, a number or an object. The
//! call of the host also says whether it could: for operands with methods in Python it cannot, and the call leaves
//! there, as for any other refusal.

use std::sync::Arc;

use rustpython_vm::builtins::{PyDict, PyList, PySet, PySlice, PyStrInterned, PyType};
use rustpython_vm::bytecode::oparg::{BinaryOperator, ComparisonOperator, ConvertValueOparg};
use rustpython_vm::{AsObject, Py, PyObjectRef, PyPayload};
use snekpy_stage::entity::{Block, Value};
use snekpy_stage::op::{ObjectOp, Op};
use snekpy_stage::row::Column;
use snekpy_stage::types::{Class, Type};

use crate::capture::checkpoint::{Built, Carried};
use crate::capture::handed::Handed;
use crate::capture::session::Session;
use crate::capture::state::{State, Then};
use crate::capture::step::{object_at, refuse};
use crate::capture::stop::{Step, Stop};
use crate::capture::template::Leaves;
use crate::capture::tensor::{COPIED, number_of};
use crate::capture::value::{self, Num, V};
use crate::capture::values::{self, Abstract, classify};
use crate::code::{Code, Instr, Opcode, Pc, Seen};
use crate::crossing;
use crate::exit::{Crossing, HostKind};
use crate::host;
use crate::host::native::NativeCallable;
use crate::host::operator;
use crate::kind::{self, Kind, Method};
use crate::object::{self, FEW, Fits, Gives, Operation, Rule};
use crate::refusal::Refusal;
use crate::rep;
use crate::rep::StagedObject;

/// Where the parts of what an instruction gives are kept beside what it gives itself.
const PART_SHIFT: u32 = 24;
/// The part behind which come the classes of operands.
const CLASSES: u32 = 8;

/// How deep in the stack those operands are whose classes may say what an instruction does, in the order in which they
/// are asked.
pub(crate) const fn asks_class_of(instr: Instr) -> &'static [usize] {
    match instr.op {
        Opcode::LoadAttr
        | Opcode::StoreAttr
        | Opcode::ToBool
        | Opcode::GetIter
        | Opcode::ForIter
        | Opcode::FormatSimple
        | Opcode::ConvertValue
        | Opcode::ContainsOp => &[1],
        Opcode::Call if instr.arg == 1 => &[1],
        Opcode::BinaryOp | Opcode::CompareOp => &[2, 1],
        Opcode::StoreSubscr | Opcode::DeleteSubscr => &[2],
        Opcode::BinarySlice => &[3],
        _ => &[],
    }
}

/// The classes that an operand of an instruction has had.
pub(crate) fn classes_seen(code: &Code, pc: Pc, depth: usize) -> Arc<Seen> {
    code.seen(pc | (CLASSES + depth as u32) << PART_SHIFT)
}

/// What has become of an instruction.
pub(crate) enum Crossed {
    /// It is none that the VM can carry out here.
    No,
    /// The path goes on.
    On,
    /// It goes on on this path and these.
    Forked(Vec<State>),
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
            V::Obj(object) => value::handle(object).is_some() || kind::as_kind::<Method>(object).is_some(),
            V::Null | V::Iter(_) => false,
        };
        // Of an object of a class that the program has made, what the class says is known.
        let is_open = |below: usize| match state.peek(below) {
            V::Obj(it) => is_handle(below) && rep::class_behind(it).is_none(),
            V::Null | V::Iter(_) => false,
        };
        let meets = match instr.op {
            Opcode::BinaryOp => is_open(1) || is_open(2),
            Opcode::UnaryNegative | Opcode::UnaryInvert | Opcode::LoadAttr => is_open(1),
            Opcode::CompareOp | Opcode::ContainsOp | Opcode::IsOp | Opcode::FormatWithSpec => {
                is_handle(1) || is_handle(2)
            }
            Opcode::ToBool
            | Opcode::UnaryNot
            | Opcode::GetIter
            | Opcode::ForIter
            | Opcode::UnpackSequence
            | Opcode::UnpackEx
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
            Opcode::MatchClass => (1..=3).any(is_handle),
            Opcode::LoadSuperAttr => is_open(1) || (2..=3).any(is_handle),
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
        let is_plain = self.rules.shared || self.rules.detached || self.calls.all_plain;
        if is_plain || refusal.code == "S999" || !self.may_hand_on() || !self.has_plain_frames(state) {
            return Crossed::No;
        }
        let frame = state.frame();
        let (code, pc) = (frame.code.clone(), frame.pc);
        let instr = code.instrs[pc as usize];
        if state.reach.is_reached() {
            match self.split_by_class(state, instr, refusal) {
                Crossed::No => {}
                crossed => return crossed,
            }
        }
        let Some(mut plan) = self.plan(state, instr) else { return Crossed::No };
        if self.hand_out_elements(state, &plan.operands) {
            let Some(again) = self.plan(state, instr) else { return Crossed::No };
            plan = again;
        }
        if refusal.code == COPIED && !plan.rule.reads_numbers() && !self.prints(&plan) {
            return Crossed::No;
        }
        let is_tensor = self.is_known_tensor(&plan).map(|is| self.vm.ctx.new_bool(is).into());
        if let Some(known) = is_tensor.or_else(|| self.reread(state, &plan.operation, &plan.operands)) {
            for _ in 0..plan.pops {
                state.pop();
            }
            state.push(known);
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
        let is_open = matches!(plan.rule.gives, None | Some(Gives::Next(_)));
        let guess = self.guess(&plan.operation, &plan.operands);
        let guessed = guess.as_ref().filter(|_| seen.is_new()).and_then(|it| object::type_to_know(it, self.vm));
        let likely = seen.ty().or(guessed.filter(|_| !matches!(plan.operation, Operation::Iterate)));
        let gives_seen = likely.is_some() && is_open;
        let gives = match plan.rule.gives {
            Some(Gives::Many(count, mut types)) => {
                for (ty, seen) in types.iter_mut().zip(&seen_of) {
                    *ty = seen.ty().unwrap_or(any);
                }
                Gives::Many(count, types)
            }
            Some(Gives::Next(ty)) => Gives::Next(likely.unwrap_or(ty)),
            Some(gives) => gives,
            None => Gives::Value(likely.unwrap_or(any)),
        };
        let Rule { acts, fits, .. } = plan.rule;
        if !acts && !state.reach.is_reached() {
            return Crossed::No;
        }
        let mut handed_out = plan.operands.clone();
        if let Operation::SetAttribute(_) = plan.operation {
            self.stage_number(state, &mut handed_out[0]);
        }
        let mut leaves = Leaves::with_identity();
        let Some(operands) = self.operands(&handed_out, &mut leaves) else {
            return self.in_the_way(&plan.operands).map_or(Crossed::No, Crossed::Needs);
        };
        let then = match instr.op {
            Opcode::ForIter => Then::Item,
            Opcode::StoreSubscr
            | Opcode::StoreSlice
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
        let learns_elements = seen.element().is_none()
            && matches!(plan.operation, Operation::Binary(BinaryOperator::Subscr) | Operation::SetItem);
        let classes = asks_class_of(instr)
            .iter()
            .filter_map(|depth| Some((plan.operands.len().checked_sub(*depth)?, classes_seen(&code, pc, *depth))))
            .collect();
        let operation = plan.operation.clone();
        let crossing = Crossing {
            method,
            classes,
            gives_seen,
            seen,
            seen_of,
            is_own,
            learns_elements,
            column: self.column(&plan.operation),
            loc: self.loc(state),
            ..Crossing::new(plan.operation, operands, fits, acts, gives)
        };
        self.running.built = Built::default();
        let Some((given, next)) = self.write_crossing(state, crossing, leaves, waits, refusal) else {
            return Crossed::No;
        };
        let built = std::mem::take(&mut self.running.built);
        let loc = self.loc(state);
        behind.block = next;
        behind.reach = state.reach.behind(&built);
        *state = behind;
        state.frame_mut().pc = pc + 1;
        let result = matches!(gives, Gives::Value(_)).then(|| self.rep(given[0]));
        self.note_crossed(state, &operation, &plan.operands, result.as_ref(), acts);
        match gives {
            Gives::None => state.push(self.vm.ctx.none()),
            Gives::Nothing => {}
            Gives::Value(_) => {
                let result = result.expect("it gives a value");
                self.has_sample(&result, guess);
                state.push(result);
            }
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
                let item = self.rep(given[1]);
                self.has_sample(&item, guess);
                state.push(item);
                return Crossed::Forked(vec![ended]);
            }
        }
        plan.pushes.into_iter().for_each(|it| state.push(it));
        Crossed::On
    }

    /// Writes a crossing: what it gives, and the block where the path goes on. Where it was not carried out, the call
    /// leaves with the path as it is; `None` if it cannot.
    pub(crate) fn write_crossing(
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
        let column = crossing.column.and_then(|index| Some(Column { index, does: crossing.operation.does()? }));
        let host = self.host(name, leaves.types.clone(), results, HostKind::Cross(Box::new(crossing)));
        self.module.hosts[host].column = column;
        let mut given = self.call_host(state, host, leaves, waits);
        let fit = given.remove(0);
        let loc = self.loc(state);
        let mut builder = self.builder(state.block);
        builder.at(loc);
        builder.branch(fit, next, unfit);
        Some((given, next))
    }

    /// How the VM carries out an instruction; `None` if it does not.
    fn plan(&mut self, state: &State, instr: Instr) -> Option<Plan> {
        let stack = &state.frame().stack;
        let at = |below: usize| stack.len().checked_sub(below).and_then(|it| stack[it].object()).cloned();
        let operands = |count: usize| (1..=count).rev().map(at).collect::<Option<Vec<_>>>();
        let name = |index: u32| state.frame().code.object.code.names[index as usize];
        let mut keeps = 0;
        let (operation, count) = match instr.op {
            Opcode::BinaryOp => (Operation::Binary(BinaryOperator::try_from(instr.arg).ok()?), 2),
            Opcode::CompareOp => {
                let how = ComparisonOperator::try_from(instr.arg).ok()?.into();
                (if operator::is_test(instr.arg) { Operation::Test(how) } else { Operation::Compare(how) }, 2)
            }
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
            Opcode::StoreSlice => {
                let slice = PySlice { start: Some(at(2)?), stop: at(1)?, step: None };
                // Its bounds may be known later.
                let slice = self.made(slice.into_ref(&self.vm.ctx).into());
                let operands = vec![at(4)?, at(3)?, slice];
                let operation = Operation::SetItem;
                let rule = object::of_operation(&operation)?;
                return Some(Plan { operation, operands, pops: 4, rule, pushes: Vec::new() });
            }
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
                let method = Kind::from(Method { object: operands[0].clone(), name }).object(self.vm);
                let operation = Operation::HasMethod(name);
                let has_rule = || object::of_method(self.class_behind(&operands[0])?, name.as_str());
                (value::handle(&operands[0]).is_some() || has_rule().is_some()).then_some(())?;
                let rule = object::of_operation(&operation)?;
                let pushes = vec![V::Obj(method), V::Null];
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
                let operation = if instr.op == Opcode::SetAdd { Operation::Add } else { Operation::Append };
                let rule = object::of_operation(&operation)?;
                return Some(Plan { operation, operands, pops: 1, rule, pushes: Vec::new() });
            }
            Opcode::MapAdd => {
                let operands = vec![at(1)?, at(instr.arg as usize + 2)?, at(2)?];
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
        if matches!(operation, Operation::Binary(BinaryOperator::Subscr)) && self.makes_items(&operands[0]) {
            rule.acts = true;
        }
        if rule.gives.is_none() {
            rule.gives = self.gives(&operation, &operands);
        }
        if let Operation::Attribute(name) = &operation
            && self.class_behind(&operands[0]).is_some_and(object::is_tensor)
        {
            rule.gives = object::attribute_of_tensor(name.as_str());
        }
        if let Operation::Attribute(name) = &operation
            && let Some(gives) = self.class_behind(&operands[0]).and_then(|it| object::of_attribute(it, name.as_str()))
        {
            rule.gives = Some(gives);
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
        let types = &self.vm.ctx.types;
        let number = |class| Some(object::class_number(class, self.vm));
        match classify(object, self.vm) {
            Abstract::Made(kind) => number(kind.staged().sample(self.vm)?.class()),
            Abstract::Number(Num::Staged(_, Type::I64)) => number(types.int_type),
            Abstract::Number(Num::Staged(_, Type::F64)) => number(types.float_type),
            Abstract::Number(Num::Staged(..)) | Abstract::Array(_) | Abstract::Inner(..) | Abstract::Iterator => None,
            Abstract::Handle(handle) => Some(handle.class),
            _ => number(object.class()),
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
        let plan = |operation, operands: Vec<PyObjectRef>, mut rule: Rule| {
            let is_used_up = |it: &PyObjectRef| value::handle(it).is_some_and(|(_, class)| object::is_used_up(class));
            rule.acts |= matches!(rule.fits, Fits::Iterable | Fits::Sealed) && operands.iter().any(is_used_up);
            Some(Plan { operation, operands, pops, rule, pushes: Vec::new() })
        };
        if let Abstract::Made(Kind::Method(method)) = classify(&callable, vm) {
            let class = self.class_behind(&method.object)?;
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
        if self.is_builtin(&callable, "next")
            && let ([iterator], true) = (operands.as_slice(), names.is_empty())
        {
            let name = vm.ctx.intern_str("__next__");
            let rule = object::of_method(self.class_behind(iterator)?, name.as_str())?;
            return plan(Operation::Method { name, names }, operands, rule);
        }
        let (native, rule) = object::native(&callable, count, vm)?;
        // What a method changes is an operand, too.
        if let NativeCallable::Method { receiver: Some(receiver), .. } = &native
            && (!self.may_cross(receiver, true)
                || matches!(classify(receiver, vm), Abstract::Tensor(_))
                || rule.acts && crossing::holds_items(receiver, vm))
        {
            let NativeCallable::Method { name, .. } = &native else { return None };
            let rule = Rule { gives: rule.gives.or_else(|| item_of(receiver, name)), ..rule };
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
            // Classes of native code that have a number cannot be changed.
            class != Class::ANY && object::of_method(class, name.as_str()).is_some()
        })
    }

    /// How the operands are made; `None` if one of them cannot be handed out.
    pub(crate) fn operands(
        &mut self,
        operands: &[PyObjectRef],
        leaves: &mut Leaves,
    ) -> Option<Vec<crate::exit::Template>> {
        operands.iter().all(|it| self.may_cross(it, true)).then_some(())?;
        self.templates(operands, leaves).ok().filter(|_| leaves.pools.is_none())
    }

    /// Whether an object can be handed to the VM in the middle of a call: nothing that it leads to is known to the path
    /// or changed by it.
    pub(crate) fn may_cross(&self, object: &PyObjectRef, is_whole: bool) -> bool {
        let vm = self.vm;
        let all_may = |parts: &[PyObjectRef]| parts.iter().all(|it| self.may_cross(it, false));
        match classify(object, vm) {
            Abstract::Number(_) | Abstract::Handle(_) => true,
            Abstract::Tensor(tensor) => tensor.staged().is_none_or(|it| it.owner == self.owner),
            Abstract::Made(kind) => kind.staged().crosses() && all_may(&kind.staged().parts()),
            Abstract::Tuple(tuple) => all_may(tuple.as_slice()),
            Abstract::Slice(slice) => values::slice_parts(slice).all(|it| self.may_cross(it, false)),
            Abstract::Array(_)
            | Abstract::Inner(..)
            | Abstract::Iterator
            | Abstract::List(_)
            | Abstract::Items(_)
            | Abstract::Dict(_)
            | Abstract::Set(_)
            | Abstract::Map(_) => false,
            Abstract::Text(_) | Abstract::Bytes(_) => !self.is_fresh(object),
            Abstract::View(_) | Abstract::FrozenSet(_) | Abstract::Range(_) | Abstract::Other => {
                self.may_cross_whole(object, is_whole)
            }
        }
    }

    /// The same for an object of which nothing is known but its class.
    fn may_cross_whole(&self, object: &PyObjectRef, is_whole: bool) -> bool {
        let (vm, types) = (self.vm, &self.vm.ctx.types);
        if self.given.arguments.contains_key(&object.get_id()) && !self.is_plain(object) {
            return false;
        }
        if crate::tensor::library().is_some_and(|it| it.is_fixed(object)) {
            return true;
        }
        // What is derived from a container, too.
        let is_tracked = object.downcast_ref::<PyList>().is_some()
            || object.downcast_ref::<PyDict>().is_some()
            || object.downcast_ref::<PySet>().is_some()
            || host::array::array_elem(object, vm).is_some()
            || self.is_fresh(object);
        if is_tracked {
            return false;
        }
        let atoms = [types.int_type, types.none_type, types.complex_type];
        // What a bound method is bound to was looked at.
        let callables = [types.builtin_function_or_method_type, types.method_descriptor_type];
        atoms.iter().chain(&callables).any(|it| object.class().is(*it))
            || object.downcast_ref::<PyType>().is_some()
            || is_whole && self.is_plain(object) && object::class_number(object.class(), vm) != Class::ANY
    }

    /// Whether reading an item of an object may make it.
    fn makes_items(&self, object: &PyObjectRef) -> bool {
        self.class_behind(object).is_some_and(object::is_defaultdict)
    }

    /// Whether an operator cannot change an object.
    fn is_immutable(&self, object: &PyObjectRef) -> bool {
        let types = &self.vm.ctx.types;
        let is_fixed = |class: &Py<PyType>| {
            let fixed = [types.str_type, types.bytes_type, types.int_type, types.float_type, types.tuple_type];
            fixed.iter().any(|it| class.is(*it))
        };
        match classify(object, self.vm) {
            Abstract::Handle(handle) => object::type_of(handle.class, self.vm).is_some_and(is_fixed),
            Abstract::Number(_) => true,
            Abstract::Made(kind) => kind.staged().is_immutable(),
            _ => is_fixed(object.class()),
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

/// What a method of a tensor gives whose dtype says so.
fn item_of(object: &PyObjectRef, method: &str) -> Option<Gives> {
    crate::tensor::of(object).filter(|_| method == "item").map(|it| Gives::Value(number_of(it.dtype())))
}
