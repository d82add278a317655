//! Iteration.

use rustpython_vm::builtins::PyStr;
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::{AsObject, PyObjectRef, PyPayload};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Bit2, Cmp, Const, Num2, Op, Wrap2};
use snekpy_stage::sizes;

use crate::capture::explore::MAX_UNROLL;
use crate::capture::keys::goes_over_members;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::{self, refuse};
use crate::capture::stop::{Step as Outcome, Stop};
use crate::capture::value::{self, Iter, Num, Step, V};
use crate::capture::values::{Abstract, classify};
use crate::characters::Unit;
use crate::host;
use crate::kind::{self, Kind, Range};
use crate::rep::{Named, StagedIterator};
use crate::scalar;

/// A tensor with more rows is gone through, but not made a list of.
const MOST_ROWS: usize = 1024;

/// How many items a static sequence may have to be taken apart.
pub(crate) const MAX_ITEMS: usize = 100_000;

impl Session<'_> {
    /// `GET_ITER`.
    pub(crate) fn get_iter(&mut self, state: &mut State) -> Outcome<()> {
        let iter = match state.pop() {
            V::Obj(object) => self.hidden_iter(state, &object)?,
            V::Iter(iter) => iter,
            V::Null => unreachable!("the compiler puts an object here"),
        };
        state.push(V::Iter(iter));
        Ok(())
    }

    /// An iterator that the program does not get hold of: one over a table, or over items whose number is known later, need
    /// not be that of a tuple.
    pub(crate) fn hidden_iter(&mut self, state: &mut State, object: &PyObjectRef) -> Outcome<Iter> {
        if let Some(staged) = self.classify(object)?.staged()
            && let Some(iter) = staged.hidden_iter(&mut self.at(state, object))?
        {
            return Ok(iter);
        }
        match self.table_iter(state, object)? {
            Some(iter) => Ok(iter),
            None => self.iter(state, object),
        }
    }

    /// A loop over a constant table of more items than are unrolled goes over its list.
    fn table_iter(&mut self, state: &State, object: &PyObjectRef) -> Outcome<Option<Iter>> {
        let vm = self.vm;
        let length = match classify(object, vm) {
            Abstract::Tuple(tuple) => tuple.len(),
            Abstract::Bytes(bytes) => bytes.as_bytes().len(),
            _ => 0,
        };
        let table = if length > MAX_UNROLL { self.table(state, object, length)? } else { None };
        Ok(table.map(|(list, _)| {
            let list = vm.ctx.new_list(vec![self.rep(list)]).into();
            Iter::Items { list: self.made(list), index: vm.ctx.new_int(0).into(), reversed: false }
        }))
    }

    /// `iter(object)`.
    pub(crate) fn iter(&mut self, state: &mut State, object: &PyObjectRef) -> Outcome<Iter> {
        let vm = self.vm;
        let it = self.classify(object)?;
        if let Some(staged) = it.staged()
            && let Some(iter) = staged.iter(&mut self.at(state, object))?
        {
            return Ok(iter);
        }
        match it {
            Abstract::Tuple(_) | Abstract::List(_) | Abstract::Text(_) => {
                return Ok(Iter::Seq { items: object.clone(), index: 0 });
            }
            Abstract::Dict(_) | Abstract::Set(_) | Abstract::View(_) if let Some(members) = self.members(object) => {
                self.observe_itself(object, &[])?;
                return Ok(Iter::Members { of: object.clone(), members, given: 0, changes: 0 });
            }
            Abstract::Range(range) => return self.range_iter(state, &Range::of_numbers(range)),
            Abstract::FrozenSet(_) | Abstract::Bytes(_) => {
                let items: Vec<PyObjectRef> = object.try_to_value(vm)?;
                return Ok(Iter::Seq { items: vm.ctx.new_tuple(items).into(), index: 0 });
            }
            Abstract::Iterator => return Ok(Iter::Shared(object.clone())),
            Abstract::Tensor(tensor) if tensor.dims().is_empty() => {
                return Err(refuse("S271", "going through a tensor without axes").into());
            }
            Abstract::Tensor(_) => return Ok(Iter::Array { array: object.clone(), index: vm.ctx.new_int(0).into() }),
            Abstract::Handle(_) if let Some(iter) = self.characters(object) => return Ok(iter),
            Abstract::Number(Num::Staged(_, ty)) => {
                let sample = value::sample(ty, vm).expect("a number has a sample");
                return Err(match sample.get_iter(vm) {
                    Err(exception) => Stop::Raise(exception),
                    Ok(_) => step::unsupported(state),
                });
            }
            Abstract::Made(_) | Abstract::Handle(_) | Abstract::Inner(..) => {
                let message = format!("iteration over a `{}` that is known only later", self.class_name(object));
                return Err(refuse("S271", message).into());
            }
            Abstract::Array(_)
            | Abstract::Items(_)
            | Abstract::Map(_)
            | Abstract::Dict(_)
            | Abstract::Set(_)
            | Abstract::View(_)
            | Abstract::Number(Num::Static(_))
            | Abstract::Slice(_)
            | Abstract::Other => {}
        }
        if let Some(items) = self.named_items(object) {
            return Ok(Iter::Seq { items: vm.ctx.new_tuple(items).into(), index: 0 });
        }
        if !self.is_plain(object) {
            return Err(refuse("S270", format!("iteration over a `{}` calls its own methods", object.class_name()))
                .help("loop over a list, a tuple or a range, for example `for item in list(items):`")
                .into());
        }
        match object.get_iter(vm) {
            Err(exception) => Err(Stop::Raise(exception)),
            Ok(_) => Err(refuse(
                "S271",
                format!("iteration over a `{}`, from which items can be drawn only once", object.class_name()),
            )
            .help("loop over a list, a tuple or a range, for example `for item in list(items):`")
            .into()),
        }
    }

    /// Start, stop and step of a range, staged or not.
    pub(crate) fn as_range(&self, object: &PyObjectRef) -> Option<Range> {
        match classify(object, self.vm) {
            Abstract::Made(Kind::Range(range)) => Some(range.clone()),
            Abstract::Range(range) => Some(Range::of_numbers(range)),
            _ => None,
        }
    }

    /// An iterator over a range.
    pub(crate) fn range_iter(&mut self, state: &mut State, range: &Range) -> Outcome<Iter> {
        let Range { start, stop, step } = range.clone();
        let step = match self.number(&step)? {
            Some(Num::Static(Const::I64(it))) => Step::Static(it),
            Some(num @ Num::Staged(..)) => {
                let (value, zero) = (self.as_int(state, num), self.int(state, 0));
                let positive = self.cmp(state, Cmp::Gt, value, zero);
                let positive = self.ask(state, positive)?;
                Step::Staged { step, positive }
            }
            _ => return Err(refuse("S272", "a range of integers beyond 64 bits").into()),
        };
        if self.number(&start)?.is_none() || self.number(&stop)?.is_none() {
            return Err(refuse("S272", "a range of integers beyond 64 bits").into());
        }
        Ok(Iter::Range { next: start, stop, step })
    }

    /// `FOR_ITER`: the next item; `None` at the end.
    pub(crate) fn for_iter(&mut self, state: &mut State) -> Outcome<Option<PyObjectRef>> {
        let Some(V::Iter(mut iter)) = state.frame().stack.last().cloned() else {
            let object = step::object_at(state, 1);
            let mut iter = self.iter(state, &object)?;
            return self.next(state, &mut iter);
        };
        let item = self.next(state, &mut iter)?;
        *state.frame_mut().stack.last_mut().expect("it was there") = V::Iter(iter);
        Ok(item)
    }

    /// The next item of an iterator; `None` at the end.
    pub(crate) fn next(&mut self, state: &mut State, iter: &mut Iter) -> Outcome<Option<PyObjectRef>> {
        let item = self.advance(state, iter)?;
        if item.is_none()
            && let Some(ended) = self.ended(iter)?
        {
            // It has ended for good, even if the list grows.
            *iter = Iter::Empty(Some(ended));
        }
        Ok(item)
    }

    /// An iterator of the same class over nothing, which has ended; `None` for those that do not know that they have.
    pub(crate) fn ended(&self, iter: &Iter) -> Outcome<Option<PyObjectRef>> {
        let vm = self.vm;
        let none = |items: &PyObjectRef| items.class().as_object().call((), vm);
        let reverse = |empty: PyObjectRef| crate::config::builtin("reversed", vm)?.call((empty,), vm);
        let ended: PyObjectRef = match iter {
            Iter::Seq { items, .. } | Iter::Items { list: items, reversed: false, .. } => {
                none(items)?.get_iter(vm)?.into()
            }
            Iter::Back { items, .. } | Iter::Items { list: items, reversed: true, .. } => reverse(none(items)?)?,
            Iter::Members { of, .. } | Iter::Entries { of, .. } => match host::belongs::dict_view(of, vm) {
                Some((_, method)) => {
                    let empty: PyObjectRef = vm.ctx.new_dict().into();
                    vm.call_method(&empty, method, ())?.get_iter(vm)?.into()
                }
                None => none(of)?.get_iter(vm)?.into(),
            },
            Iter::Array { array, .. } if let Some((_, unit)) = self.as_units(array) => {
                let none: PyObjectRef = match unit {
                    Unit::Character => vm.ctx.new_str("").into(),
                    Unit::Number => vm.ctx.new_bytes(Vec::new()).into(),
                };
                none.get_iter(vm)?.into()
            }
            Iter::Array { .. } => {
                let array = vm.import("array", 0)?.get_attr("array", vm)?;
                array.call((vm.ctx.new_str("d"),), vm)?.get_iter(vm)?.into()
            }
            Iter::Over { of, .. } => match kind::staged(of).map_or(Ok(None), |it| it.empty_iterator(vm))? {
                Some(empty) => empty,
                None => return Ok(None),
            },
            Iter::Range { .. }
            | Iter::Enumerate { .. }
            | Iter::Zip { .. }
            | Iter::Generator { .. }
            | Iter::Running
            | Iter::Shared(_)
            | Iter::Empty(_) => return Ok(None),
        };
        rustpython_vm::protocol::PyIter::new(ended.clone()).next(vm)?;
        Ok(Some(ended))
    }

    /// As above, for an iterator that may have to be told that it has ended.
    fn advance(&mut self, state: &mut State, iter: &mut Iter) -> Outcome<Option<PyObjectRef>> {
        let vm = self.vm;
        match iter {
            Iter::Empty(_) => Ok(None),
            Iter::Running => Err(Stop::Raise(vm.new_value_error("generator already executing"))),
            Iter::Generator { .. } => Err(refuse("S276", "a generator inside `zip`, `enumerate` or `next`")
                .help("loop over it with `for`, or make a list of it first")
                .into()),
            Iter::Range { next, stop, step } => {
                let (a, b) = (self.integer(next)?, self.integer(stop)?);
                let positive = match step {
                    Step::Static(step) => *step > 0,
                    Step::Staged { positive, .. } => *positive,
                };
                let cmp = if positive { Cmp::Lt } else { Cmp::Gt };
                if let (Num::Static(Const::I64(first)), Num::Static(Const::I64(last)), Step::Static(by)) =
                    (a, b, &*step)
                {
                    if if positive { first >= last } else { first <= last } {
                        return Ok(None);
                    }
                    let item = next.clone();
                    *next = vm.ctx.new_int(first.saturating_add(*by)).into();
                    return Ok(Some(item));
                }
                let (first, last) = (self.as_int(state, a), self.as_int(state, b));
                let more = self.cmp(state, cmp, first, last);
                if !self.ask(state, more)? {
                    return Ok(None);
                }
                let by = match step {
                    Step::Static(by) => self.int(state, *by),
                    Step::Staged { step, .. } => {
                        let num = self.integer(step)?;
                        self.as_int(state, num)
                    }
                };
                // Below the bound, one more cannot overflow.
                let op = if matches!(step, Step::Static(1 | -1)) { Op::Wrap2(Wrap2::Add) } else { Op::Num2(Num2::Add) };
                let after = self.value(state, op, &[first, by]);
                let item = self.rep(first);
                *next = self.rep(after);
                Ok(Some(item))
            }
            Iter::Seq { items, .. } | Iter::Back { items, .. } if matches!(classify(items, vm), Abstract::Items(_)) => {
                Err(refuse("S295", "a list that changes its length in a loop is iterated over by an earlier loop")
                    .into())
            }
            Iter::Seq { items, index } => {
                let item = item_at(items, *index, vm);
                *index += 1;
                Ok(item)
            }
            Iter::Back { items, left } => {
                if *left == 0 {
                    return Ok(None);
                }
                *left -= 1;
                Ok(item_at(items, *left, vm))
            }
            Iter::Members { of, members, given, changes } => self.next_member(of, members, given, *changes),
            Iter::Array { array, index } if let Some(Ok(rows)) = self.rows_of_tensor(array) => {
                let num = self.integer(index)?;
                let known = if self.tensors.later_sizes && sizes::is_later(rows) { 2 } else { rows };
                let (more, after) = match num {
                    Num::Static(Const::I64(at)) if known == rows || at < known as i64 => {
                        (at < known as i64, vm.ctx.new_int(at + 1).into())
                    }
                    _ => {
                        let at = self.as_int(state, num);
                        let (length, one) = (self.extent(state, rows), self.int(state, 1));
                        let more = self.cmp(state, Cmp::Lt, at, length);
                        let more = self.ask(state, more)?;
                        let after = self.value(state, Op::Wrap2(Wrap2::Add), &[at, one]);
                        (more, self.rep(after))
                    }
                };
                if !more {
                    return Ok(None);
                }
                let row = self.row_of_tensor(state, array, index)?;
                *index = after;
                Ok(Some(row))
            }
            Iter::Array { array, index } => {
                let units = self.as_units(array);
                let num = self.integer(index)?;
                let at = self.as_int(state, num);
                let length = match units {
                    Some((text, _)) => self.length_of_text(state, text),
                    None => self.value(state, Op::Len, &[elements(array)]),
                };
                let more = self.cmp(state, Cmp::Lt, at, length);
                if !self.ask(state, more)? {
                    return Ok(None);
                }
                let item = match units {
                    Some((text, unit)) => self.unit_there(state, text, unit, at),
                    None => {
                        let item = self.value(state, Op::Load, &[elements(array), at]);
                        self.rep(item)
                    }
                };
                let one = self.int(state, 1);
                let after = self.value(state, Op::Wrap2(Wrap2::Add), &[at, one]);
                *index = self.rep(after);
                Ok(Some(item))
            }
            Iter::Items { list, index, reversed } => {
                let step = if *reversed { -1 } else { 1 };
                let Abstract::Items(staged) = classify(list, vm) else {
                    return Err(refuse("S295", "a list changes its kind while it is iterated over").into());
                };
                let num = self.integer(index)?;
                let at = self.as_int(state, num);
                let length = self.length_of_list(state, &staged);
                let mut more = self.cmp(state, Cmp::Lt, at, length);
                if *reversed {
                    let zero = self.int(state, 0);
                    let low = self.cmp(state, Cmp::Ge, at, zero);
                    more = self.value(state, Op::Bit2(Bit2::And), &[low, more]);
                }
                if !self.ask(state, more)? {
                    return Ok(None);
                }
                let item = self.item_there(state, &staged, at);
                let step = self.int(state, step);
                let after = self.value(state, Op::Wrap2(Wrap2::Add), &[at, step]);
                *index = self.rep(after);
                Ok(Some(item))
            }
            Iter::Entries { of, position, length, changes } => {
                Ok(self.next_entry(state, of, [position, length, changes])?.map(|(item, after)| {
                    *position = after;
                    item
                }))
            }
            Iter::Over { of, place } => kind::staged(of).map_or(Ok(None), |it| it.next(&mut self.at(state, of), place)),
            Iter::Enumerate { inner, count } => {
                let Some(item) = self.next(state, inner)? else { return Ok(None) };
                let number = count.clone();
                *count = match self.integer(count)? {
                    Num::Static(_) => vm._add(count, vm.ctx.new_int(1).as_object())?,
                    num @ Num::Staged(..) => {
                        let (value, one) = (self.as_int(state, num), self.int(state, 1));
                        let after = self.value(state, Op::Num2(Num2::Add), &[value, one]);
                        self.rep(after)
                    }
                };
                Ok(Some(vm.ctx.new_tuple(vec![number, item]).into()))
            }
            Iter::Zip { inners, strict } => {
                let mut items = Vec::with_capacity(inners.len());
                if inners.is_empty() {
                    return Ok(None);
                }
                for inner in inners {
                    match self.next(state, inner)? {
                        Some(item) => items.push(item),
                        None if *strict => {
                            return Err(refuse("S273", "`zip(strict=True)` in staged code").into());
                        }
                        None => return Ok(None),
                    }
                }
                Ok(Some(vm.ctx.new_tuple(items).into()))
            }
            Iter::Shared(object) => {
                let before = shared_state(object);
                let mut inner = before.clone();
                let item = self.next(state, &mut inner)?;
                self.touch(state, object)?;
                self.running.advanced.push((object.clone(), before));
                set_shared_state(object, inner);
                Ok(item)
            }
        }
    }

    /// The running instruction will run again: what it has drawn from iterators goes back.
    pub(crate) fn draw_back(&mut self) {
        for (object, before) in std::mem::take(&mut self.running.advanced).into_iter().rev() {
            set_shared_state(&object, before);
        }
    }

    fn integer(&self, object: &PyObjectRef) -> Outcome<Num> {
        match self.number(object)? {
            Some(num) => Ok(num),
            None => Err(refuse("S272", "a range of integers beyond 64 bits").into()),
        }
    }

    /// An iterator as an object of the program.
    pub(crate) fn share(&mut self, iter: Iter) -> PyObjectRef {
        if let Iter::Shared(object) = iter {
            return object;
        }
        let over_members = goes_over_members(&iter);
        let object: PyObjectRef = StagedIterator { state: PyMutex::new(iter) }.into_ref(&self.vm.ctx).into();
        if over_members {
            self.objects.member_iterators.push(object.clone());
        }
        self.made(object)
    }

    /// The items of what is unpacked with a star: about what is no iterable, Python finds its own words.
    pub(crate) fn starred(&mut self, items: Outcome<Vec<PyObjectRef>>) -> Outcome<Vec<PyObjectRef>> {
        match items {
            Err(Stop::Raise(exception)) if exception.class().is(self.vm.ctx.exceptions.type_error) => {
                Err(refuse("S305", "what is unpacked here is no iterable").into())
            }
            items => items,
        }
    }

    /// The items of the object `depth` below the top of the stack.
    pub(crate) fn items(&mut self, state: &mut State, depth: usize) -> Outcome<Vec<PyObjectRef>> {
        match state.peek(depth).clone() {
            V::Obj(object) => self.items_of(state, &object),
            V::Iter(mut iter) => self.drain(state, &mut iter),
            V::Null => unreachable!("the compiler puts an object here"),
        }
    }

    /// All items of an iterable, whose number must be known now.
    pub(crate) fn items_of(&mut self, state: &mut State, object: &PyObjectRef) -> Outcome<Vec<PyObjectRef>> {
        let mut iter = self.iter(state, object)?;
        self.drain(state, &mut iter)
    }

    /// All items that are left, whose number must be known now.
    pub(crate) fn drain(&mut self, state: &mut State, iter: &mut Iter) -> Outcome<Vec<PyObjectRef>> {
        self.take(state, iter, usize::MAX)
    }

    /// The items that are left, at most so many.
    fn take(&mut self, state: &mut State, iter: &mut Iter, most: usize) -> Outcome<Vec<PyObjectRef>> {
        if let Some(what) = self.length_unknown(iter) {
            return Err(refuse("S274", format!("the number of items of {what} is known only later"))
                .help("loop over it with `for`, or make its length static")
                .into());
        }
        let mut items = Vec::new();
        while items.len() < most
            && let Some(item) = self.next(state, iter)?
        {
            items.push(item);
            if items.len() > MAX_ITEMS {
                return Err(refuse("S275", format!("more than {MAX_ITEMS} items at once")).into());
            }
        }
        Ok(items)
    }

    pub(crate) fn length_unknown(&self, iter: &Iter) -> Option<&'static str> {
        match iter {
            Iter::Range { next, stop, step } => {
                let staged =
                    value::rep(next).is_some() || value::rep(stop).is_some() || matches!(step, Step::Staged { .. });
                staged.then_some("a range with a staged bound")
            }
            Iter::Array { array, .. } if let Some(rows) = self.rows_of_tensor(array) => {
                rows.is_ok_and(|it| it > MOST_ROWS).then_some("a tensor with many rows")
            }
            Iter::Array { .. } => Some("an array"),
            Iter::Items { .. } => Some("a list that grows"),
            Iter::Entries { .. } => Some("a dict or set that grows"),
            Iter::Over { of, .. } => kind::staged(of).and_then(|it| it.has_any_length()),
            Iter::Generator { .. } | Iter::Running => Some("a generator"),
            Iter::Seq { .. } | Iter::Members { .. } | Iter::Back { .. } | Iter::Empty(_) => None,
            Iter::Enumerate { inner, .. } => self.length_unknown(inner),
            Iter::Zip { inners, .. } => {
                if inners.iter().any(|inner| self.length_unknown(inner).is_none()) {
                    None
                } else {
                    inners.first().and_then(|inner| self.length_unknown(inner))
                }
            }
            Iter::Shared(object) => self.length_unknown(&shared_state(object)),
        }
    }

    /// `UNPACK_SEQUENCE` and `UNPACK_EX`: the items, in order, of the object on top of the stack.
    pub(crate) fn unpack(
        &mut self,
        state: &mut State,
        before: usize,
        after: Option<usize>,
    ) -> Outcome<Vec<PyObjectRef>> {
        let vm = self.vm;
        let object = match state.peek(1).clone() {
            V::Obj(object) => object,
            V::Iter(iter) => self.share(iter),
            V::Null => unreachable!("the compiler puts an object here"),
        };
        let it = classify(&object, vm);
        if let Abstract::Number(Num::Staged(_, ty)) = it {
            let message = format!("cannot unpack non-iterable {} object", scalar::type_name(ty));
            return Err(Stop::Raise(vm.new_type_error(message)));
        }
        if self.is_plain(&object) && !crate::rep::is_staged(&object) && object.get_iter(vm).is_err() {
            let message = format!("cannot unpack non-iterable {} object", object.class_name());
            return Err(Stop::Raise(vm.new_type_error(message)));
        }
        if let (Some(staged), None) = (it.staged(), after)
            && let Some(items) = staged.unpack(&mut self.at(state, &object), before)?
        {
            return Ok(items);
        }
        let is_counted = matches!(
            it,
            Abstract::Tuple(_) | Abstract::List(_) | Abstract::Items(_) | Abstract::Dict(_) | Abstract::Map(_)
        );
        let most = if is_counted || after.is_some() { usize::MAX } else { before + 1 };
        let mut iter = self.iter(state, &object)?;
        let mut items = self.take(state, &mut iter, most)?;
        match after {
            None if items.len() == before => Ok(items),
            None => {
                let message = if items.len() > before && is_counted {
                    format!("too many values to unpack (expected {before}, got {})", items.len())
                } else if items.len() > before {
                    format!("too many values to unpack (expected {before})")
                } else {
                    format!("not enough values to unpack (expected {before}, got {})", items.len())
                };
                Err(Stop::Raise(vm.new_value_error(message)))
            }
            Some(after) if items.len() < before + after => {
                let message =
                    format!("not enough values to unpack (expected at least {}, got {})", before + after, items.len());
                Err(Stop::Raise(vm.new_value_error(message)))
            }
            Some(after) => {
                let last = items.split_off(items.len() - after);
                let rest = items.split_off(before);
                items.push(self.made(vm.ctx.new_list(rest).into()));
                items.extend(last);
                Ok(items)
            }
        }
    }
}

pub(crate) fn shared_state(object: &PyObjectRef) -> Iter {
    object.downcast_ref::<StagedIterator>().expect("a shared iterator is one").state.lock().clone()
}

/// Puts an iterator object into another state.
pub(crate) fn set_shared_state(object: &PyObjectRef, state: Iter) {
    *object.downcast_ref::<StagedIterator>().expect("a shared iterator is one").state.lock() = state;
}

/// The elements of an array that is gone through.
fn elements(array: &PyObjectRef) -> Value {
    value::rep(array).expect("an array is a Rep").0
}

fn item_at(items: &PyObjectRef, index: usize, vm: &rustpython_vm::VirtualMachine) -> Option<PyObjectRef> {
    match items.downcast_ref::<PyStr>() {
        Some(text) => text.as_wtf8().code_points().nth(index).map(|it| it.to_pyobject(vm)),
        None => crate::flatten::item(items, index),
    }
}
