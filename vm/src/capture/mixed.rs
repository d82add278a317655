//! Values that are a number of one of several types, or None: a path forks on which.
//!
//! An item of a list that holds such values is a tag with numbers (`kind/mixed.rs`), and stays one while it is moved: into
//! variables and tuples, into calls of functions, and into lists of such items. Before any other instruction the path forks,
//! and on the stack is the number, or None, that it is on the path ([`Session::settle`]). So no instruction meets a value of
//! this kind but those that only move it, and what they do is what they do to numbers.
//!
//! Variables keep the tag, so that paths meet again behind the instruction; what a path has found out about a tag it does
//! not ask again ([`Tags`]).

use rustpython_vm::builtins::{PyFunction, PyList, PyStr, PyTuple};
use rustpython_vm::bytecode::Opcode;
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Cmp, Const, Op};

use crate::capture::pool::may_be_row;
use crate::capture::session::Session;
use crate::capture::state::{State, Then};
use crate::capture::stop::Step;
use crate::capture::value::{self, Num, V};
use crate::capture::values::{Abstract, classify};
use crate::helper::is_helper_function;
use crate::host;
use crate::kind::{self, Is, May, Mixed};
use crate::scalar;

/// What a path has found out: of which types numbers are, by their tags.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tags {
    known: Vec<(Value, May)>,
    /// The items that it has just read, so that what it knows of them holds where it reads them again: of which list, at
    /// which index.
    reads: Vec<(Value, Num, PyObjectRef)>,
}

impl Tags {
    /// Other paths come to this place.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
        self.reads.clear();
    }

    /// Lists may have changed.
    pub(crate) fn forget_reads(&mut self) {
        self.reads.clear();
    }

    /// Where paths meet, what both know.
    pub(crate) fn meet(mut self, other: &Self) -> Self {
        self.known.retain(|known| other.known.contains(known));
        self.reads.retain(|(list, index, item)| other.read(*list, *index).is_some_and(|it| it.is(item)));
        self
    }

    fn of(&self, tag: Value) -> Option<May> {
        self.known.iter().find(|(it, _)| *it == tag).map(|(_, may)| *may)
    }

    fn learn(&mut self, tag: Value, may: May) {
        self.known.retain(|(it, _)| *it != tag);
        self.known.push((tag, may));
    }

    fn read(&self, list: Value, index: Num) -> Option<&PyObjectRef> {
        self.reads.iter().find(|(own, at, _)| *own == list && *at == index).map(|(.., item)| item)
    }
}

/// Which entries of the stack an instruction looks into.
enum Looks {
    /// So many from the top.
    Into(usize),
    /// The one on top and the one so far below it, but not what is between.
    Ends(usize),
    /// Only at whether the topmost ones are None.
    AtNone(usize),
    /// Into none, but hands on so many, of which the path may know what they are.
    Past(usize),
    /// Any of them.
    All,
}

impl Session<'_> {
    /// Before an instruction that looks into a value that is a number of one of several types, or None: on the path it is
    /// known which.
    pub(crate) fn settle(&mut self, state: &mut State) -> Step<()> {
        if !self.learnt.guess.has_mixed() {
            return Ok(());
        }
        let depths: Vec<usize> = match self.looks(state) {
            Looks::Into(count) => (1..=count).collect(),
            Looks::Ends(depth) => vec![1, depth],
            Looks::AtNone(count) => return self.settle_none(state, count),
            Looks::Past(count) => return self.settle_known(state, count),
            Looks::All => (1..=state.frame().stack.len()).collect(),
        };
        let mut learnt = Vec::new();
        let mut settled: Vec<(usize, PyObjectRef)> = Vec::new();
        let mut done: Vec<(PyObjectRef, PyObjectRef)> = Vec::new();
        let height = state.frame().stack.len();
        for depth in depths.into_iter().filter(|&it| it <= height) {
            let Some(object) = state.peek(depth).object().filter(|it| holds_mixed(it)).cloned() else { continue };
            let now = match done.iter().find(|(it, _)| it.is(&object)) {
                Some((_, now)) => now.clone(),
                None => self.settled(state, &object, &mut learnt)?,
            };
            done.push((object, now.clone()));
            settled.push((depth, now));
        }
        for (depth, object) in settled {
            state.frame_mut().stack[height - depth] = V::Obj(object);
        }
        for (tag, is) in learnt {
            state.tags.learn(tag, is);
        }
        Ok(())
    }

    /// An item that the path has just read.
    pub(crate) fn read_before(&self, state: &State, list: Value, index: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        let index = if self.learnt.guess.has_mixed() { self.number(index)? } else { None };
        Ok(index.and_then(|it| state.tags.read(list, it)).cloned())
    }

    /// The path has read an item.
    pub(crate) fn note_read(
        &self,
        state: &mut State,
        list: Value,
        index: &PyObjectRef,
        item: &PyObjectRef,
    ) -> Step<()> {
        let index = if self.learnt.guess.has_mixed() { self.number(index)? } else { None };
        state.tags.reads.extend(index.map(|it| (list, it, item.clone())));
        Ok(())
    }

    /// An object in which nothing is mixed.
    fn settled(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        learnt: &mut Vec<(Value, May)>,
    ) -> Step<PyObjectRef> {
        if let Some(mixed) = kind::as_kind::<Mixed>(object) {
            let mut may = self.known_may(state, mixed);
            let tag = value::rep(&mixed.parts[0]).map(|(tag, _)| tag);
            if let Some((_, known)) = tag.and_then(|tag| learnt.iter().find(|(it, _)| *it == tag)) {
                may = may.and(*known);
            }
            let is = self.ask_which(state, mixed, may)?;
            learnt.extend(tag.map(|tag| (tag, is.into())));
            return self.what_is(state, mixed, is);
        }
        let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(self.vm).filter(|_| holds_mixed(object)) else {
            return Ok(object.clone());
        };
        let mut items = Vec::with_capacity(tuple.len());
        for item in tuple.as_slice() {
            items.push(self.settled(state, item, learnt)?);
        }
        Ok(self.vm.ctx.new_tuple(items).into())
    }

    /// Which of these it is, on this path.
    fn ask_which(&mut self, state: &mut State, mixed: &Mixed, may: May) -> Step<Is> {
        let mut left = may;
        loop {
            let is = left.each().next().expect("it is something");
            if left.only().is_some() {
                return Ok(is);
            }
            if self.ask_is(state, mixed, is)? {
                return Ok(is);
            }
            left = left.but(is);
        }
    }

    fn ask_is(&mut self, state: &mut State, mixed: &Mixed, is: Is) -> Step<bool> {
        let holds = self.is_tagged(state, mixed, is)?;
        if self.func.as_const(holds).is_none() && state.answers.get(state.asked).is_none() {
            self.count_fork()?;
        }
        self.ask(state, holds)
    }

    /// Before an instruction that looks only at whether the topmost values are None.
    fn settle_none(&mut self, state: &mut State, count: usize) -> Step<()> {
        for depth in 1..=count {
            let Some(object) = state.peek(depth).object().cloned() else { continue };
            let Some(mixed) = kind::as_kind::<Mixed>(&object) else { continue };
            let may = self.known_may(state, mixed);
            let is_none = match may.be(Is::None) {
                true => may.only().is_some() || self.ask_is(state, mixed, Is::None)?,
                false => false,
            };
            let may = if is_none { Is::None.into() } else { may.but(Is::None) };
            if let Some((tag, _)) = value::rep(&mixed.parts[0]) {
                state.tags.learn(tag, may);
            }
            if is_none {
                let height = state.frame().stack.len();
                state.frame_mut().stack[height - depth] = V::Obj(self.vm.ctx.none());
            }
        }
        Ok(())
    }

    /// What is handed on where the path knows what it is: other functions do not.
    fn settle_known(&mut self, state: &mut State, count: usize) -> Step<()> {
        for depth in 1..=count {
            let Some(object) = state.peek(depth).object().cloned() else { continue };
            if let Some(mixed) = kind::as_kind::<Mixed>(&object)
                && let Some(is) = self.known_may(state, mixed).only()
            {
                let now = self.what_is(state, mixed, is)?;
                let height = state.frame().stack.len();
                state.frame_mut().stack[height - depth] = V::Obj(now);
            }
        }
        Ok(())
    }

    /// What a value may be, as far as the path knows.
    pub(crate) fn known_may(&self, state: &State, mixed: &Mixed) -> May {
        if let Some(constant) = scalar::constant(&mixed.parts[0], self.vm) {
            let is = mixed.may.each().find(|&is| mixed.may.tag(is) == constant);
            return is.map_or(mixed.may, May::from);
        }
        let known = value::rep(&mixed.parts[0]).and_then(|(tag, _)| state.tags.of(tag));
        known.map_or(mixed.may, |known| known.and(mixed.may))
    }

    /// Whether a value is this.
    pub(crate) fn is_tagged(&mut self, state: &State, mixed: &Mixed, is: Is) -> Step<Value> {
        let num = self.number(&mixed.parts[0])?.expect("a tag is a number");
        let tag = self.lift(state, num);
        Ok(match mixed.may.tag(is) {
            Const::Bool(true) => tag,
            Const::Bool(false) => self.value(state, Op::Not, &[tag]),
            code => {
                let code = self.value(state, Op::Const(code), &[]);
                self.cmp(state, Cmp::Eq, tag, code)
            }
        })
    }

    /// The number that a value is, or None.
    pub(crate) fn what_is(&mut self, state: &State, mixed: &Mixed, is: Is) -> Step<PyObjectRef> {
        Ok(match is {
            Is::None => self.vm.ctx.none(),
            Is::Int => mixed.parts[1].clone(),
            Is::Float => mixed.float().clone(),
            Is::Row(pool) => self.row_of_pool(pool, mixed.parts[1].clone()),
            Is::Known(known) => self.learnt.guess.pools.known(known).clone(),
            Is::Bool => match self.number(&mixed.parts[1])?.expect("a part is a number") {
                Num::Static(Const::I64(it)) => self.vm.ctx.new_bool(it != 0).into(),
                num => {
                    let (int, zero) = (self.as_int(state, num), self.int(state, 0));
                    let holds = self.cmp(state, Cmp::Ne, int, zero);
                    self.rep(holds)
                }
            },
        })
    }

    /// What the instruction that the path is at looks into.
    fn looks(&self, state: &State) -> Looks {
        let frame = state.frame();
        let instr = frame.code.instrs[frame.pc as usize];
        let at = |depth: usize| frame.stack.len().checked_sub(depth).and_then(|it| frame.stack[it].object());
        let takes_mixed =
            |list: &PyObjectRef| matches!(classify(list, self.vm), Abstract::Items(it) if it.items.has_mixed());
        match instr.op {
            Opcode::Resume
            | Opcode::Nop
            | Opcode::NotTaken
            | Opcode::Cache
            | Opcode::ExtendedArg
            | Opcode::PopTop
            | Opcode::EndFor
            | Opcode::PopIter
            | Opcode::PushNull
            | Opcode::Copy
            | Opcode::Swap
            | Opcode::LoadFast
            | Opcode::LoadFastBorrow
            | Opcode::LoadFastCheck
            | Opcode::LoadFastLoadFast
            | Opcode::LoadFastBorrowLoadFastBorrow
            | Opcode::LoadFastAndClear
            | Opcode::StoreFast
            | Opcode::StoreFastStoreFast
            | Opcode::StoreFastLoadFast
            | Opcode::DeleteFast
            | Opcode::LoadConst
            | Opcode::LoadSmallInt
            | Opcode::LoadCommonConstant
            | Opcode::LoadGlobal
            | Opcode::LoadDeref
            | Opcode::MakeCell
            | Opcode::CopyFreeVars
            | Opcode::JumpForward
            | Opcode::JumpBackward
            | Opcode::JumpBackwardNoInterrupt
            | Opcode::ForIter
            | Opcode::BuildTuple => Looks::Into(0),
            Opcode::UnpackSequence => match at(1).is_some_and(|it| kind::as_kind::<Mixed>(it).is_some()) {
                true => Looks::Into(1),
                false => Looks::Into(0),
            },
            Opcode::IsOp if [1, 2].iter().any(|&it| at(it).is_some_and(|it| self.vm.is_none(it))) => Looks::AtNone(2),
            Opcode::PopJumpIfNone | Opcode::PopJumpIfNotNone => Looks::AtNone(1),
            Opcode::BinaryOp | Opcode::CompareOp | Opcode::ContainsOp | Opcode::IsOp | Opcode::DeleteSubscr => {
                Looks::Into(2)
            }
            Opcode::StoreAttr => match at(1).is_some_and(may_be_row) {
                true => Looks::Into(1),
                false => Looks::Into(2),
            },
            Opcode::BinarySlice => Looks::Into(3),
            Opcode::UnaryNegative
            | Opcode::UnaryInvert
            | Opcode::UnaryNot
            | Opcode::ToBool
            | Opcode::PopJumpIfTrue
            | Opcode::PopJumpIfFalse
            | Opcode::GetIter
            | Opcode::FormatSimple
            | Opcode::ConvertValue
            | Opcode::LoadAttr
            | Opcode::StoreDeref
            | Opcode::StoreGlobal
            | Opcode::YieldValue => Looks::Into(1),
            Opcode::ReturnValue => match frame.then {
                Then::Push => Looks::Past(1),
                _ => Looks::Into(1),
            },
            Opcode::StoreSubscr => match at(2).is_some_and(takes_mixed) {
                true => Looks::Into(1),
                false => Looks::Ends(3),
            },
            Opcode::ListAppend => match at(instr.arg as usize + 1).is_some_and(takes_mixed) {
                true => Looks::Into(0),
                false => Looks::Into(1),
            },
            Opcode::Call => {
                let count = instr.arg as usize;
                match at(count + 2).is_some_and(|callable| self.moves_arguments(callable, &takes_mixed)) {
                    true => Looks::Past(count),
                    false => Looks::Into(count + 2),
                }
            }
            _ => Looks::All,
        }
    }

    /// Whether a call of this only moves its arguments: into variables of a function, or into a list of such items.
    fn moves_arguments(&self, callable: &PyObjectRef, takes_mixed: &impl Fn(&PyObjectRef) -> bool) -> bool {
        // What helpers of ours are given, native code of ours may look into.
        let is_function =
            |it: &PyObjectRef| it.downcast_ref::<PyFunction>().is_some() && !is_helper_function(it, self.vm);
        if is_function(callable) {
            return true;
        }
        if let Some((function, _)) = host::function::unpack_bound_method(callable, self.vm) {
            return is_function(&function);
        }
        let method = host::belongs::native_method(callable, self.vm);
        method.is_some_and(|(list, name)| {
            name.downcast_ref::<PyStr>().is_some_and(|it| it.as_wtf8() == "append")
                && list.downcast_ref_if_exact::<PyList>(self.vm).is_some()
                && takes_mixed(&list)
        })
    }
}

/// Whether an object is such a value, or a tuple with one in it.
fn holds_mixed(object: &PyObjectRef) -> bool {
    kind::as_kind::<Mixed>(object).is_some()
        || object.downcast_ref::<PyTuple>().is_some_and(|it| it.as_slice().iter().any(holds_mixed))
}
