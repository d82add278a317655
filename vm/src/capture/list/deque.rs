//! Deques that a call makes: what `kind/deque.rs` says they are, and what is done to them.
//!
//! As long as capture knows the items one by one, the list has no others. Once it is a list of the compiled code, what is
//! taken out at the left stays in it, and the index of the first item is a number of the path: `popleft` writes nothing.
//! When more than half of the list is such items, `append` moves the others to the front; where there is no room at the
//! front, `appendleft` makes some for as many as there are. Whatever a list of the compiled code cannot hold, and what is
//! not here, lets the capture start again, with an object in the place of the deque (`capture/handed.rs`).

use rustpython_vm::builtins::{PyList, PyStr};
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Cmp, Const, ListOp, Num2, Op, Wrap2};

use crate::capture::helpers::Helped;
use crate::capture::list;
use crate::capture::raise::Failure;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Iter, Num};
use crate::capture::values;
use crate::code::Opcode;
use crate::host::native::NativeCallable;
use crate::kind::{self, Deque, Is, Kind, Loop, Mixed};
use crate::object;
use crate::rep::Named;

/// So many items that were taken out stay in any case.
const FEW_GONE: i64 = 64;
/// Room is made at the front for so many items at least.
const LEAST_ROOM: i64 = 8;

/// The places of the numbers in the state of a deque.
const FIRST: usize = 0;
const CHANGES: usize = 1;

const EMPTY: &str = "pop from an empty deque";
const OUT_OF_RANGE: &str = "deque index out of range";

impl Session<'_> {
    /// What is called instead of the class of deques: a helper that fills a new one.
    pub(crate) fn new_deque(
        &mut self,
        state: &State,
        native: &NativeCallable,
        args: &FuncArgs,
    ) -> Step<Option<Helped>> {
        let NativeCallable::Type(class) = native else { return Ok(None) };
        if !object::is_deque(class, self.vm) || self.rules.detached {
            return Ok(None);
        }
        let (iterable, most) = match (args.args.as_slice(), args.kwargs.len()) {
            (given @ ([] | [_]), 0) => (given.first(), None),
            ([iterable, most], 0) => (Some(iterable), Some(most)),
            (given @ ([] | [_]), 1) => (given.first(), args.kwargs.get("maxlen")),
            _ => return Ok(None),
        };
        if !args.kwargs.is_empty() && most.is_none() {
            return Ok(None);
        }
        let most = match most {
            Some(most) if !self.vm.is_none(most) => match self.number(most)? {
                Some(Num::Static(Const::I64(it))) if it >= 0 => most.clone(),
                _ => return Ok(None),
            },
            Some(_) | None => self.vm.ctx.none(),
        };
        let iterable = match iterable {
            Some(iterable) if self.fills_deques(iterable)? => iterable.clone(),
            Some(_) => return Ok(None),
            None => self.vm.ctx.empty_tuple.clone().into(),
        };
        let class = class.clone();
        let deque = self.empty_deque(state, |items, state| Deque { class, items, state, maxlen: most });
        Ok(Some((self.helper_function("deque_filled")?, vec![deque, iterable].into())))
    }

    fn empty_deque(&mut self, state: &State, make: impl FnOnce(PyObjectRef, PyObjectRef) -> Deque) -> PyObjectRef {
        let vm = self.vm;
        let items = self.made(vm.ctx.new_list(Vec::new()).into());
        let numbers = self.made(vm.ctx.new_list(vec![vm.ctx.new_int(0).into(), vm.ctx.new_int(0).into()]).into());
        let frame = state.frame();
        self.learnt.made_by.insert(items.get_id(), (frame.code.object.get_id(), frame.pc));
        Kind::from(make(items, numbers)).object(vm)
    }

    /// Whether a deque can be filled with what this gives by a loop.
    fn fills_deques(&self, iterable: &PyObjectRef) -> Step<bool> {
        let is_text = iterable.downcast_ref::<PyStr>().is_some() || self.as_text(iterable).is_some();
        let is_open = value::handle(iterable).is_some() || crate::tensor::of(iterable).is_some();
        Ok(!is_text && !is_open && self.iterates(std::slice::from_ref(iterable))?)
    }

    /// Whether a loop can put what this gives into a deque that is there: nothing that sees the deque, or is it.
    fn extends_deque(&self, deque: &Deque, more: &PyObjectRef) -> Step<bool> {
        let is_same = kind::as_kind::<Deque>(more).is_some_and(|it| it.items.is(&deque.items));
        Ok(!is_same && self.fills_deques(more)? && !self.is_generator(more))
    }

    fn part_of_deque(&mut self, state: &State, deque: &Deque, part: usize) -> Step<PyObjectRef> {
        Ok(match values::staged_in(&deque.state) {
            Some(numbers) => {
                let part = self.int(state, part as i64);
                let number = self.item_there(state, &numbers, part);
                // Lists of ints hold other numbers, too, where one of them does.
                match kind::as_kind::<Mixed>(&number) {
                    Some(mixed) => self.what_is(state, mixed, Is::Int)?,
                    None => number,
                }
            }
            None => known_item(&deque.state, part).expect("its state is two numbers"),
        })
    }

    fn set_part_of_deque(&mut self, state: &mut State, deque: &Deque, part: usize, number: PyObjectRef) -> Step<()> {
        match values::staged_in(&deque.state) {
            // There are two: nothing can fail.
            Some(numbers) => {
                let part = self.int(state, part as i64);
                let number = self.numbers_for(state, &numbers, &number)?;
                self.store_there(state, &numbers, part, &number);
            }
            None => {
                self.touch(state, &deque.state)?;
                let list = deque.state.downcast_ref::<PyList>().expect("the state of a deque is a list");
                list.borrow_vec_mut()[part] = number;
            }
        }
        Ok(())
    }

    /// The index of the first item.
    fn first_of_deque(&mut self, state: &mut State, deque: &Deque) -> Step<Value> {
        let first = self.part_of_deque(state, deque, FIRST)?;
        let first = self.number(&first)?.expect("an index is a number");
        Ok(self.as_int(state, first))
    }

    fn set_first_of_deque(&mut self, state: &mut State, deque: &Deque, first: Value) -> Step<()> {
        let first = match self.func.as_const(first) {
            Some(Const::I64(it)) => self.vm.ctx.new_int(it).into(),
            _ => self.rep(first),
        };
        self.set_part_of_deque(state, deque, FIRST, first)
    }

    /// Indices move: iterators notice.
    fn moves(&mut self, state: &mut State, deque: &Deque) -> Step<()> {
        let changes = self.part_of_deque(state, deque, CHANGES)?;
        let changes = match self.number(&changes)?.expect("a count is a number") {
            Num::Static(Const::I64(it)) => self.vm.ctx.new_int(it.wrapping_add(1)).into(),
            staged => {
                let (changes, one) = (self.as_int(state, staged), self.int(state, 1));
                let changes = self.value(state, Op::Wrap2(Wrap2::Add), &[changes, one]);
                self.rep(changes)
            }
        };
        self.set_part_of_deque(state, deque, CHANGES, changes)
    }

    /// `len(deque)`.
    pub(crate) fn length_of_deque(&mut self, state: &mut State, deque: &Deque) -> Step<PyObjectRef> {
        match values::staged_in(&deque.items) {
            Some(list) => {
                let (length, _) = self.extent_of_deque(state, deque, &list)?;
                Ok(self.rep(length))
            }
            None => Ok(self.vm.ctx.new_int(known_count(&deque.items)).into()),
        }
    }

    /// How many items there are, and the index of the first.
    fn extent_of_deque(&mut self, state: &mut State, deque: &Deque, list: &list::StagedList) -> Step<(Value, Value)> {
        let first = self.first_of_deque(state, deque)?;
        let length = self.length_of_list(state, list);
        Ok((self.value(state, Op::Wrap2(Wrap2::Sub), &[length, first]), first))
    }

    /// What a method gives that is no loop. `None` if it is another one.
    pub(crate) fn call_deque_method(
        &mut self,
        state: &mut State,
        deque: &Deque,
        name: &str,
        args: &[PyObjectRef],
    ) -> Step<Option<PyObjectRef>> {
        match (name, args) {
            ("append", [item]) => self.append_to_deque(state, deque, item)?,
            ("appendleft", [item]) => self.append_left(state, deque, item)?,
            ("pop", []) => return self.pop_of_deque(state, deque, false).map(Some),
            ("popleft", []) => return self.pop_of_deque(state, deque, true).map(Some),
            ("clear", []) => self.clear_deque(state, deque)?,
            _ => return Ok(None),
        }
        Ok(Some(self.vm.ctx.none()))
    }

    fn append_to_deque(&mut self, state: &mut State, deque: &Deque, item: &PyObjectRef) -> Step<()> {
        let Some(list) = values::staged_in(&deque.items) else {
            self.moves(state, deque)?;
            return self.change_items(state, deque, |items| {
                items.push(item.clone());
                if deque.most().is_some_and(|most| items.len() > most) {
                    items.remove(0);
                }
            });
        };
        self.change(list.first(), "a deque")?;
        let numbers = self.numbers_for(state, &list, item)?;
        let mut first = self.first_of_deque(state, deque)?;
        self.reserve(state, &list, 1);
        self.moves(state, deque)?;
        for (&column, &number) in list.columns.iter().zip(&numbers) {
            self.emit(state, Op::List(ListOp::Append), &[column, number]);
        }
        let length = self.length_of_list(state, &list);
        if let Some(most) = deque.most() {
            let count = self.value(state, Op::Wrap2(Wrap2::Sub), &[length, first]);
            let most = self.int(state, bound_of(most));
            let (is_over, one, zero) = (self.cmp(state, Cmp::Gt, count, most), self.int(state, 1), self.int(state, 0));
            let over = self.value(state, Op::Select, &[is_over, one, zero]);
            first = self.value(state, Op::Wrap2(Wrap2::Add), &[first, over]);
        } else if let Some(Const::I64(0)) = self.func.as_const(first) {
            return Ok(());
        }
        let twice = self.value(state, Op::Wrap2(Wrap2::Add), &[first, first]);
        let (few, zero) = (self.int(state, FEW_GONE), self.int(state, 0));
        let bound = self.value(state, Op::Wrap2(Wrap2::Add), &[length, few]);
        let is_sparse = self.cmp(state, Cmp::Gt, twice, bound);
        let gone = self.value(state, Op::Select, &[is_sparse, first, zero]);
        let by = self.value(state, Op::Wrap2(Wrap2::Sub), &[zero, gone]);
        for (&column, &number) in list.columns.iter().zip(&numbers) {
            self.emit(state, Op::List(ListOp::Shift), &[column, by, number]);
        }
        let first = self.value(state, Op::Wrap2(Wrap2::Sub), &[first, gone]);
        self.set_first_of_deque(state, deque, first)
    }

    fn append_left(&mut self, state: &mut State, deque: &Deque, item: &PyObjectRef) -> Step<()> {
        let Some(list) = values::staged_in(&deque.items) else {
            self.moves(state, deque)?;
            return self.change_items(state, deque, |items| {
                items.insert(0, item.clone());
                if deque.most().is_some_and(|most| items.len() > most) {
                    items.pop();
                }
            });
        };
        self.change(list.first(), "a deque")?;
        let numbers = self.numbers_for(state, &list, item)?;
        let first = self.first_of_deque(state, deque)?;
        let length = self.length_of_list(state, &list);
        let (zero, one, least) = (self.int(state, 0), self.int(state, 1), self.int(state, LEAST_ROOM));
        let is_full = self.cmp(state, Cmp::Eq, first, zero);
        let room = self.value(state, Op::Num2(Num2::Max), &[length, least]);
        let room = self.value(state, Op::Select, &[is_full, room, zero]);
        for &column in &list.columns {
            self.emit(state, Op::List(ListOp::Reserve), &[column, room]);
        }
        self.moves(state, deque)?;
        let first = self.value(state, Op::Wrap2(Wrap2::Add), &[first, room]);
        let first = self.value(state, Op::Wrap2(Wrap2::Sub), &[first, one]);
        for (&column, &number) in list.columns.iter().zip(&numbers) {
            self.emit(state, Op::List(ListOp::Shift), &[column, room, number]);
        }
        self.store_there(state, &list, first, &numbers);
        if let Some(most) = deque.most() {
            let most = self.int(state, bound_of(most));
            let length = self.length_of_list(state, &list);
            let most = self.value(state, Op::Wrap2(Wrap2::Add), &[first, most]);
            let length = self.value(state, Op::Num2(Num2::Min), &[length, most]);
            for &column in &list.columns {
                self.emit(state, Op::List(ListOp::Truncate), &[column, length]);
            }
        }
        self.set_first_of_deque(state, deque, first)
    }

    fn pop_of_deque(&mut self, state: &mut State, deque: &Deque, left: bool) -> Step<PyObjectRef> {
        let error = self.vm.new_index_error(EMPTY);
        let Some(list) = values::staged_in(&deque.items) else {
            self.moves(state, deque)?;
            let mut item = None;
            self.change_items(state, deque, |items| {
                item = if left && !items.is_empty() { Some(items.remove(0)) } else { items.pop() };
            })?;
            return item.ok_or(Stop::Raise(error));
        };
        self.change(list.first(), "a deque")?;
        let (count, first) = self.extent_of_deque(state, deque, &list)?;
        let (zero, one) = (self.int(state, 0), self.int(state, 1));
        let some = self.cmp(state, Cmp::Gt, count, zero);
        if let Err(stop) = self.check(state, some, Failure::Raise(error)) {
            if let Stop::Raise(_) = stop {
                // Where it is caught, iterators notice that it was tried.
                self.moves(state, deque)?;
            }
            return Err(stop);
        }
        self.moves(state, deque)?;
        if !left {
            return Ok(self.take_item(state, &list, ListOp::Pop, &[]));
        }
        let item = self.item_there(state, &list, first);
        let first = self.value(state, Op::Wrap2(Wrap2::Add), &[first, one]);
        self.set_first_of_deque(state, deque, first)?;
        Ok(item)
    }

    fn clear_deque(&mut self, state: &mut State, deque: &Deque) -> Step<()> {
        let length = self.length_of_deque(state, deque)?;
        let is_empty = match self.truth(state, &length)? {
            crate::capture::step::Truth::Known(some) => !some,
            crate::capture::step::Truth::Staged(some) => !self.ask(state, some)?,
        };
        if is_empty {
            return Ok(());
        }
        self.moves(state, deque)?;
        let Some(list) = values::staged_in(&deque.items) else {
            return self.change_items(state, deque, |items| items.clear());
        };
        self.change(list.first(), "a deque")?;
        let zero = self.int(state, 0);
        for &column in &list.columns {
            self.emit(state, Op::List(ListOp::Truncate), &[column, zero]);
        }
        self.set_first_of_deque(state, deque, zero)
    }

    /// Changes the items of a deque that are known one by one.
    fn change_items(
        &mut self,
        state: &mut State,
        deque: &Deque,
        change: impl FnOnce(&mut Vec<PyObjectRef>),
    ) -> Step<()> {
        self.touch(state, &deque.items)?;
        let list = deque.items.downcast_ref::<PyList>().expect("the items of a deque are a list");
        change(&mut list.borrow_vec_mut());
        Ok(())
    }

    /// The list behind a deque and the index in it of `deque[i]`, for a number that is known later or a deque of any length.
    /// `None` where all is known.
    fn place_in_deque(
        &mut self,
        state: &mut State,
        deque: &Deque,
        num: Num,
    ) -> Step<Option<(list::StagedList, Value)>> {
        let list = match (values::staged_in(&deque.items), num) {
            (Some(list), _) => list,
            (None, Num::Static(_)) => return Ok(None),
            (None, Num::Staged(..)) => {
                let items = known_items(&deque.items);
                let Some(ty) = self.uniform(&items) else {
                    return Err(refuse("S281", "a deque indexed by a staged number").into());
                };
                self.stage_here(state, &deque.items, &ty)?
            }
        };
        let (count, first) = self.extent_of_deque(state, deque, &list)?;
        let index = self.index_below(state, num, count, OUT_OF_RANGE)?;
        Ok(Some((list, self.value(state, Op::Wrap2(Wrap2::Add), &[first, index]))))
    }

    /// `deque[i]`.
    pub(crate) fn item_of_deque(&mut self, state: &mut State, deque: &Deque, i: &PyObjectRef) -> Step<PyObjectRef> {
        let num = self.index_of_deque(i)?;
        match self.place_in_deque(state, deque, num)? {
            Some((list, index)) => Ok(self.item_there(state, &list, index)),
            None => {
                let index = known_index(num, known_count(&deque.items));
                let item = index.and_then(|it| known_item(&deque.items, it));
                item.ok_or_else(|| Stop::Raise(self.vm.new_index_error(OUT_OF_RANGE)))
            }
        }
    }

    /// `deque[i] = item`.
    pub(crate) fn set_item_of_deque(
        &mut self,
        state: &mut State,
        deque: &Deque,
        i: &PyObjectRef,
        item: &PyObjectRef,
    ) -> Step<()> {
        let num = self.index_of_deque(i)?;
        match self.place_in_deque(state, deque, num)? {
            Some((list, index)) => {
                self.change(list.first(), "a deque")?;
                let numbers = self.numbers_for(state, &list, item)?;
                self.store_there(state, &list, index, &numbers);
                Ok(())
            }
            None => match known_index(num, known_count(&deque.items)) {
                Some(index) => self.change_items(state, deque, |items| items[index] = item.clone()),
                None => Err(Stop::Raise(self.vm.new_index_error(OUT_OF_RANGE))),
            },
        }
    }

    fn index_of_deque(&self, i: &PyObjectRef) -> Step<Num> {
        match self.number(i)? {
            Some(num) if self.is_int(i)? => Ok(num),
            _ => Err(refuse("S283", format!("a deque indexed by a `{}`", i.class_name())).into()),
        }
    }

    /// An iterator over a deque.
    pub(crate) fn iter_of_deque(&mut self, state: &mut State, object: &PyObjectRef, deque: &Deque) -> Step<Iter> {
        let changes = self.part_of_deque(state, deque, CHANGES)?;
        Ok(Iter::Over { of: object.clone(), place: vec![self.vm.ctx.new_int(0).into(), changes] })
    }

    /// The next item of an iterator over a deque: its place is an index, and how often indices had moved when it was made.
    pub(crate) fn next_of_deque(
        &mut self,
        state: &mut State,
        deque: &Deque,
        place: &mut [PyObjectRef],
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        let [index, changes] = place else { unreachable!("its place is two numbers") };
        let now = self.part_of_deque(state, deque, CHANGES)?;
        let error = vm.new_runtime_error("deque mutated during iteration");
        match (self.number(changes)?, self.number(&now)?) {
            (Some(Num::Static(then)), Some(Num::Static(now))) if then == now => {}
            (Some(Num::Static(_)), Some(Num::Static(_))) => return Err(Stop::Raise(error)),
            (Some(then), Some(now)) => {
                let (then, now) = (self.as_int(state, then), self.as_int(state, now));
                let same = self.cmp(state, Cmp::Eq, then, now);
                self.check(state, same, Failure::Raise(error))?;
            }
            _ => unreachable!("counts are numbers"),
        }
        let num = self.number(index)?.expect("an index is a number");
        let Some(list) = values::staged_in(&deque.items) else {
            if let Num::Static(_) = num {
                let at = known_index(num, known_count(&deque.items));
                let item = at.and_then(|at| known_item(&deque.items, at));
                if let (Some(at), Some(_)) = (at, &item) {
                    *index = vm.ctx.new_int(at + 1).into();
                }
                return Ok(item);
            }
            return Err(refuse("S295", "a deque changes its kind while it is iterated over").into());
        };
        let at = self.as_int(state, num);
        let (count, first) = self.extent_of_deque(state, deque, &list)?;
        let more = self.cmp(state, Cmp::Lt, at, count);
        if !self.ask(state, more)? {
            return Ok(None);
        }
        let there = self.value(state, Op::Wrap2(Wrap2::Add), &[first, at]);
        let item = self.item_there(state, &list, there);
        let one = self.int(state, 1);
        let after = self.value(state, Op::Wrap2(Wrap2::Add), &[at, one]);
        *index = self.rep(after);
        Ok(Some(item))
    }

    /// What is called for an operator on deques, if that is a loop.
    pub(crate) fn operator_on_deques(
        &self,
        deque: &Deque,
        op: Opcode,
        arg: u32,
        [x, y]: [&PyObjectRef; 2],
    ) -> Step<Option<Loop>> {
        let other = kind::as_kind::<Deque>(y);
        let is_same = other.is_some_and(|it| it.items.is(&deque.items));
        let name = match op {
            Opcode::BinaryOp if matches!(BinaryOperator::try_from(arg), Ok(BinaryOperator::InplaceAdd)) => {
                if self.extends_deque(deque, y)? { "deque_filled" } else { return Ok(None) }
            }
            Opcode::CompareOp if other.is_some() && !is_same => match arg >> 5 {
                2 => "equal",
                3 => "unequal",
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some((name, vec![x.clone(), y.clone()])))
    }

    /// What is called for a method of a deque, if that is a loop.
    pub(crate) fn loop_over_deque(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        deque: &Deque,
        name: &str,
        args: &[PyObjectRef],
    ) -> Step<Option<Loop>> {
        Ok(Some(match (name, args) {
            ("extend" | "extendleft", [more]) if self.extends_deque(deque, more)? => {
                (if name == "extend" { "deque_extend" } else { "deque_extendleft" }, vec![object.clone(), more.clone()])
            }
            ("copy", []) => {
                let copy = self.empty_deque(state, |items, state| Deque { items, state, ..deque.clone() });
                ("deque_filled", vec![copy, object.clone()])
            }
            ("count", [_]) => ("count", vec![object.clone(), args[0].clone()]),
            ("reverse", []) => ("reverse", vec![object.clone()]),
            ("rotate", [] | [_]) => {
                let by = args.first().cloned().unwrap_or_else(|| self.vm.ctx.new_int(1).into());
                if !self.is_int(&by)? {
                    return Ok(None);
                }
                self.moves(state, deque)?;
                ("deque_rotate", vec![object.clone(), by])
            }
            _ => return Ok(None),
        }))
    }
}

/// The items of a list of the path that are known one by one.
fn known_items(list: &PyObjectRef) -> Vec<PyObjectRef> {
    list.downcast_ref::<PyList>().map(|it| it.borrow_vec().to_vec()).unwrap_or_default()
}

fn known_item(list: &PyObjectRef, index: usize) -> Option<PyObjectRef> {
    list.downcast_ref::<PyList>()?.borrow_vec().get(index).cloned()
}

fn known_count(list: &PyObjectRef) -> usize {
    list.downcast_ref::<PyList>().map_or(0, |it| it.borrow_vec().len())
}

/// How many items a deque may have, as a number to which indices can be added.
fn bound_of(most: usize) -> i64 {
    const MANY: i64 = 1 << 48;
    i64::try_from(most).map_or(MANY, |it| it.min(MANY))
}

/// The place of an item among so many, by an index that is known.
fn known_index(index: Num, count: usize) -> Option<usize> {
    let Num::Static(index) = index else { return None };
    let index = match index {
        Const::I64(it) => it,
        Const::Bool(it) => i64::from(it),
        Const::F64(_) => return None,
    };
    let index = if index < 0 { index.checked_add(i64::try_from(count).ok()?)? } else { index };
    usize::try_from(index).ok().filter(|it| *it < count)
}
