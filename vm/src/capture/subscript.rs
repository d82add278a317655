//! `x[i]`, in all its forms.

use std::collections::BTreeSet;

use rustpython_vm::builtins::{PyDict, PyList, PySlice, PyTuple, PyType};
use rustpython_vm::{AsObject, Py, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Bit2, Cmp, Const, ListOp, Op, Wrap2};
use snekpy_stage::types::Type;

use crate::capture::explore::better_unrolled;
use crate::capture::list::KNOWN_ONE_BY_ONE;
use crate::capture::raise::Failure;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Num};
use crate::capture::values::{self, Abstract};
use crate::capture::{ends, observe};
use crate::flatten::is_instance;
use crate::kind::{Kind, Range};
use crate::rep::Named;

/// Of so many lists in a list, code for each may be better.
const FEW_ROWS: usize = 8;
/// So many objects of the program's classes have a path each, where one of them is meant. More are handed on.
const MAX_PATHS: usize = 16;
/// So many other items do, which differ: the instructions of a program that is known, for example.
const MAX_ITEMS: usize = 128;

/// A tuple or list that can be indexed by a number which is known later.
enum Sequence<'a> {
    Tuple(&'a Py<PyTuple>),
    List(&'a Py<PyList>),
}

impl Sequence<'_> {
    fn length(&self) -> usize {
        match self {
            Self::Tuple(tuple) => tuple.as_slice().len(),
            Self::List(list) => list.borrow_vec().len(),
        }
    }

    fn items(&self) -> Vec<PyObjectRef> {
        match self {
            Self::Tuple(tuple) => tuple.as_slice().to_vec(),
            Self::List(list) => list.borrow_vec().to_vec(),
        }
    }

    /// Whether the first item is a list.
    fn has_rows(&self, vm: &VirtualMachine) -> bool {
        let is_row = |it: &PyObjectRef| it.downcast_ref_if_exact::<PyList>(vm).is_some();
        match self {
            Self::Tuple(tuple) => tuple.as_slice().first().is_some_and(is_row),
            Self::List(list) => list.borrow_vec().first().is_some_and(is_row),
        }
    }

    fn out_of_range(&self) -> &'static str {
        match self {
            Self::Tuple(_) => "tuple index out of range",
            Self::List(_) => "list index out of range",
        }
    }
}

/// What Python raises here, whatever the numbers are.
fn error_of<T>(result: PyResult<T>, state: &State) -> Stop {
    match result {
        Err(exception) => Stop::Raise(exception),
        Ok(_) => crate::capture::step::unsupported(state),
    }
}

/// Whether a path for each of these items would be too much.
fn are_many(items: &[PyObjectRef]) -> bool {
    let ids = || items.iter().map(|it| it.get_id()).collect::<BTreeSet<_>>();
    items.iter().all(is_instance) || items.len() > MAX_ITEMS && ids().len() > MAX_ITEMS
}

impl Session<'_> {
    /// `x[i]`.
    pub(crate) fn subscript(&mut self, state: &mut State, x: &PyObjectRef, i: &PyObjectRef) -> Step<PyObjectRef> {
        let vm = self.vm;
        let it = self.classify(x)?;
        if let Abstract::Number(Num::Staged(_, ty)) = it {
            let sample = value::sample(ty, vm).expect("a number has a sample");
            return Err(error_of(sample.get_item(&**i, vm), state));
        }
        if let Some(staged) = it.staged()
            && let Some(item) = staged.item(&mut self.at(state, x), i)?
        {
            return Ok(item);
        }
        let sequence = match it {
            Abstract::Tuple(tuple) => Some(Sequence::Tuple(tuple)),
            Abstract::List(list) => Some(Sequence::List(list)),
            _ => None,
        };
        match (self.number(i)?, sequence) {
            (Some(num @ Num::Staged(_, Type::I64 | Type::Bool)), Some(sequence)) => {
                let (length, message) = (sequence.length(), sequence.out_of_range());
                if sequence.has_rows(vm) {
                    self.read_anew(x)?;
                }
                self.read_keys_anew(x, length)?;
                if let Some((list, _)) = self.table(state, x, length)? {
                    let index = self.checked_index(state, length, num, message)?;
                    let item = self.value(state, Op::List(ListOp::Get), &[list, index]);
                    return Ok(self.rep(item));
                }
                if (self.calls.voluntary == 0 || length > FEW_ROWS)
                    && let Some(rows) = self.stage_rows(state, x)?
                {
                    return self.list_item(state, &rows, i);
                }
                return self.pick(state, &sequence.items(), num, message);
            }
            (None, _) if matches!(it, Abstract::Dict(_)) && self.is_staged_key(x, i)? => {
                if let Some(map) = self.map_asked(state, x, i)? {
                    return self.map_item(state, map, i);
                }
            }
            (Some(Num::Staged(..)), _) if let Abstract::Dict(dict) = it => {
                self.read_keys_anew(x, dict.__len__())?;
                return self.pick_key(state, x, i, None);
            }
            (Some(Num::Staged(_, ty)), Some(_)) => {
                let sample = value::sample(ty, vm).expect("a number has a sample");
                return Err(error_of(x.get_item(&*sample, vm), state));
            }
            (Some(Num::Staged(..)), None) if matches!(it, Abstract::Range(_) | Abstract::Made(Kind::Range(_))) => {
                return Err(refuse("S280", "a range indexed by a staged number").help("compute the item").into());
            }
            (Some(Num::Staged(..)), None) => {
                return Err(refuse("S281", format!("a `{}` indexed by a staged number", x.class_name())).into());
            }
            _ => {}
        }
        if self.holds_rep(i)? {
            return Err(refuse("S282", "a slice with staged bounds, or a key with staged values")
                .help("slices of tuples and lists need bounds known now")
                .into());
        }
        if crate::rep::is_staged(x) {
            return Err(refuse("S281", format!("indexing a `{}`", self.class_name(x))).into());
        }
        self.observe_itself(x, &["__getitem__"])?;
        self.known_index(x, i)?;
        if let Some(class) = x.downcast_ref::<PyType>()
            && !self.is_builtin_class(class)
        {
            return Err(refuse("S251", format!("`{}[...]` may call a method", class.name())).into());
        }
        let item = x.get_item(&**i, vm)?;
        self.adopt(item)
    }

    /// An index or key must not call a method of the program.
    fn known_index(&mut self, x: &PyObjectRef, i: &PyObjectRef) -> Step<()> {
        let parts = match i.downcast_ref::<PySlice>() {
            Some(slice) => values::slice_parts(slice).cloned().collect(),
            None => vec![i.clone()],
        };
        for part in &parts {
            if self.has_user_method(part, &["__index__"]) {
                return Err(refuse("S251", format!("an index calls a method of `{}`", part.class_name())).into());
            }
            self.keeps_its_value(part, "__index__")?;
        }
        if x.downcast_ref::<PyDict>().is_some() { self.static_key(i) } else { Ok(()) }
    }

    /// An index, with negative ones counted from the end, checked.
    pub(crate) fn index_below(
        &mut self,
        state: &mut State,
        num: Num,
        length: Value,
        message: &'static str,
    ) -> Step<Value> {
        let index = self.as_int(state, num);
        let zero = self.int(state, 0);
        let error = self.vm.new_index_error(message);
        match self.func.as_const(index) {
            Some(Const::I64(it)) if it >= 0 => {
                let holds = self.cmp(state, Cmp::Lt, index, length);
                self.check(state, holds, Failure::Raise(error))?;
                Ok(index)
            }
            Some(_) => {
                let index = self.value(state, Op::Wrap2(Wrap2::Add), &[index, length]);
                let holds = self.cmp(state, Cmp::Ge, index, zero);
                self.check(state, holds, Failure::Raise(error))?;
                Ok(index)
            }
            None => {
                let negative = self.cmp(state, Cmp::Lt, index, zero);
                let from_end = self.value(state, Op::Wrap2(Wrap2::Add), &[index, length]);
                let index = self.value(state, Op::Select, &[negative, from_end, index]);
                let low = self.cmp(state, Cmp::Ge, index, zero);
                let high = self.cmp(state, Cmp::Lt, index, length);
                let holds = self.value(state, Op::Bit2(Bit2::And), &[low, high]);
                self.check(state, holds, Failure::Raise(error))?;
                Ok(index)
            }
        }
    }

    /// One of these objects is meant, and each would have a path: where they are too many, they are handed on.
    fn limit_paths(&self, items: &[PyObjectRef]) -> Step<()> {
        if items.len() > MAX_PATHS && self.may_hand_on() && are_many(items) {
            let message =
                format!("any of {} objects may be meant, each of which would have code of its own", items.len());
            return Err(refuse("S110", message).into());
        }
        Ok(())
    }

    /// One of known items, by a staged index.
    fn pick(&mut self, state: &mut State, items: &[PyObjectRef], num: Num, message: &'static str) -> Step<PyObjectRef> {
        if items.is_empty() {
            return Err(Stop::Raise(self.vm.new_index_error(message)));
        }
        let numbers: Option<Vec<Num>> = items.iter().map(|item| value::number(item, self.vm)).collect();
        let numbers = numbers.filter(|it| it.iter().all(|num| num.ty() == it[0].ty()));
        if numbers.is_none() {
            self.limit_paths(items)?;
        }
        let Some(numbers) = numbers else {
            return self.pick_path(state, items, num, message);
        };
        let index = self.checked_index(state, items.len(), num, message)?;
        if self.calls.voluntary > 0 && items.len() <= KNOWN_ONE_BY_ONE {
            return Err(better_unrolled().into());
        }
        let picked = self.pick_number(state, &numbers, index, 0);
        Ok(self.rep(picked))
    }

    /// One of items of several kinds: a path for each.
    fn pick_path(
        &mut self,
        state: &mut State,
        items: &[PyObjectRef],
        num: Num,
        message: &'static str,
    ) -> Step<PyObjectRef> {
        // Counted from the end, it is another number.
        let told = match num {
            Num::Staged(number, Type::I64) if self.choosing.ask(number) => {
                let zero = self.int(state, 0);
                let is_from_end = self.cmp(state, Cmp::Lt, number, zero);
                Some((number, if self.ask(state, is_from_end)? { items.len() } else { 0 }))
            }
            _ => None,
        };
        let index = self.checked_index(state, items.len(), num, message)?;
        let (mut first, mut end) = (0, items.len());
        while end - first > 1 {
            let middle = first + (end - first) / 2;
            let below = self.is_below(state, index, middle);
            match self.ask(state, below)? {
                true => end = middle,
                false => first = middle,
            }
        }
        self.running.found = told.map(|(number, less)| (number, first as i64 - less as i64));
        Ok(items[first].clone())
    }

    /// One of these numbers of one type, the first of which is at `first`: by halves, and with few left by comparing with
    /// each. The code takes as long as the logarithm of their count.
    pub(crate) fn pick_number(&mut self, state: &mut State, numbers: &[Num], index: Value, first: usize) -> Value {
        /// So many are compared with one by one.
        const FEW: usize = 16;
        if numbers.len() > FEW {
            let middle = numbers.len() / 2;
            let below = self.is_below(state, index, first + middle);
            let ty = numbers[0].ty();
            let mut builder = self.builder(state.block);
            let (then, other, join) = (builder.create_block(), builder.create_block(), builder.create_block());
            let picked = builder.append_param(join, ty);
            builder.branch(below, then, other);
            for (block, part, first) in [(then, &numbers[..middle], first), (other, &numbers[middle..], first + middle)]
            {
                state.block = block;
                let item = self.pick_number(state, part, index, first);
                self.builder(state.block).jump(join, vec![item]);
            }
            state.block = join;
            return picked;
        }
        let mut picked = self.lift(state, numbers[numbers.len() - 1]);
        for (position, num) in numbers.iter().enumerate().rev().skip(1) {
            let at = self.int(state, i64::try_from(first + position).expect("a sequence is short"));
            let here = self.cmp(state, Cmp::Eq, index, at);
            let item = self.lift(state, *num);
            picked = self.value(state, Op::Select, &[here, item, picked]);
        }
        picked
    }

    fn is_below(&mut self, state: &State, index: Value, position: usize) -> Value {
        let position = self.int(state, i64::try_from(position).expect("a sequence is short"));
        self.cmp(state, Cmp::Lt, index, position)
    }

    /// A staged index into a sequence of known length, checked, negative ones counted from the end.
    fn checked_index(&mut self, state: &mut State, length: usize, num: Num, message: &'static str) -> Step<Value> {
        let length = self.int(state, i64::try_from(length).expect("a sequence is short"));
        self.index_below(state, num, length, message)
    }

    /// The value of a staged key in a dict with known keys; where it is not there, a default, or else `KeyError`.
    pub(crate) fn pick_key(
        &mut self,
        state: &mut State,
        dict: &PyObjectRef,
        key: &PyObjectRef,
        default: Option<&PyObjectRef>,
    ) -> Step<PyObjectRef> {
        let items = dict.downcast_ref::<PyDict>().expect("the caller looked").items_vec();
        self.limit_paths(&items.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>())?;
        for (other, value) in items {
            let equal = self.compare(state, Cmp::Eq, &other, key)?;
            if self.decide(state, &equal)? {
                return Ok(value);
            }
        }
        default.cloned().ok_or_else(|| Stop::Raise(self.vm.new_key_error(key.clone())))
    }

    /// `x[i] = value`.
    pub(crate) fn store_subscript(&mut self, state: &mut State) -> Step<()> {
        let vm = self.vm;
        let i = state.pop_obj();
        let x = state.pop_obj();
        let item = state.pop_obj();
        let it = self.classify(&x)?;
        if let Some(staged) = it.staged()
            && staged.set_item(&mut self.at(state, &x), &i, &item)?
        {
            return Ok(());
        }
        match it {
            Abstract::Number(Num::Staged(_, ty)) => {
                let sample = value::sample(ty, vm).expect("a number has a sample");
                return Err(error_of(sample.set_item(&*i, item, vm), state));
            }
            Abstract::List(list) => return self.store_in_list(state, &x, list, &i, item),
            Abstract::Dict(_) => {
                if self.is_staged_key(&x, &i)? {
                    return self.store_in_map(state, &x, &i, Some(&item));
                }
                self.static_key(&i)?;
                self.touch(state, &x)?;
            }
            _ if !self.is_plain(&x) => {
                return Err(refuse("S251", format!("item assignment calls a method of `{}`", x.class_name())).into());
            }
            Abstract::Tuple(_) | Abstract::Text(_) => {}
            _ if vm.is_none(&x) => {}
            _ => return Err(refuse("S284", format!("item assignment to a `{}`", x.class_name())).into()),
        }
        x.set_item(&*i, item, vm)?;
        Ok(())
    }

    /// The same for a list whose items are known.
    fn store_in_list(
        &mut self,
        state: &mut State,
        x: &PyObjectRef,
        list: &Py<PyList>,
        i: &PyObjectRef,
        mut item: PyObjectRef,
    ) -> Step<()> {
        let vm = self.vm;
        match self.number(i)? {
            Some(num @ Num::Staged(_, Type::I64 | Type::Bool)) => {
                let staged = match self.stage_rows(state, x)? {
                    Some(rows) => Some(rows),
                    None => self.stage_long(state, x, &item)?,
                };
                if let Some(staged) = staged {
                    return self.set_list_item(state, &staged, i, &item);
                }
                let items = list.borrow_vec().to_vec();
                let new = self.store_picked(state, &items, num, &item)?;
                self.touch(state, x)?;
                *list.borrow_vec_mut() = new;
                return Ok(());
            }
            Some(Num::Staged(_, _)) => {
                return Err(Stop::Raise(vm.new_type_error("list indices must be integers or slices, not float")));
            }
            _ if self.holds_rep(i)? => return Err(refuse("S282", "a slice with staged bounds").into()),
            _ => self.known_index(x, i)?,
        }
        if i.downcast_ref::<PySlice>().is_some() {
            item = vm.ctx.new_list(self.items_of(state, &item)?).into();
        }
        self.touch(state, x)?;
        x.set_item(&**i, item, vm)?;
        Ok(())
    }

    /// A list after one of its items, at a staged index, was replaced.
    fn store_picked(
        &mut self,
        state: &mut State,
        items: &[PyObjectRef],
        num: Num,
        item: &PyObjectRef,
    ) -> Step<Vec<PyObjectRef>> {
        if items.is_empty() {
            return Err(Stop::Raise(self.vm.new_index_error("list assignment index out of range")));
        }
        let index = self.checked_index(state, items.len(), num, "list assignment index out of range")?;
        let value_num = value::number(item, self.vm);
        let same_type = value_num.is_some_and(|value_num| {
            items.iter().all(|other| value::number(other, self.vm).is_some_and(|other| other.ty() == value_num.ty()))
        });
        let mut new = items.to_vec();
        if !same_type {
            for (position, slot) in new.iter_mut().enumerate() {
                let at = self.int(state, i64::try_from(position).expect("a list is short"));
                let here = self.cmp(state, Cmp::Eq, index, at);
                if self.ask(state, here)? {
                    *slot = item.clone();
                    return Ok(new);
                }
            }
            return Ok(new);
        }
        if self.calls.voluntary > 0 {
            return Err(better_unrolled().into());
        }
        let stored = self.lift(state, value_num.expect("it is a number"));
        for (position, slot) in new.iter_mut().enumerate() {
            let at = self.int(state, i64::try_from(position).expect("a list is short"));
            let here = self.cmp(state, Cmp::Eq, index, at);
            let old = value::number(slot, self.vm).expect("every item is a number");
            let old = self.lift(state, old);
            let picked = self.value(state, Op::Select, &[here, stored, old]);
            *slot = self.rep(picked);
        }
        Ok(new)
    }

    /// `del x[i]`.
    pub(crate) fn delete_subscript(&mut self, state: &mut State) -> Step<()> {
        let vm = self.vm;
        let i = state.pop_obj();
        let x = state.pop_obj();
        let it = self.classify(&x)?;
        if let Some(staged) = it.staged()
            && staged.delete_item(&mut self.at(state, &x), &i)?
        {
            return Ok(());
        }
        if matches!(it, Abstract::Dict(_))
            && self.is_staged_key(&x, &i)?
            && let Some(map) = self.map_asked(state, &x, &i)?
        {
            return self.delete_from_map(state, map, &i);
        }
        if self.holds_rep(&i)? || crate::rep::is_staged(&x) {
            return Err(refuse("S286", "`del` of an item at a staged index").into());
        }
        if !matches!(it, Abstract::List(_) | Abstract::Dict(_)) {
            return Err(refuse("S284", format!("`del` of an item of a `{}`", x.class_name())).into());
        }
        self.known_index(&x, &i)?;
        self.touch(state, &x)?;
        x.del_item(&*i, vm)?;
        Ok(())
    }

    /// `BINARY_SLICE`.
    pub(crate) fn binary_slice(&mut self, state: &mut State) -> Step<()> {
        let slice = self.pop_slice(state);
        let x = state.pop_obj();
        let result = self.subscript(state, &x, &slice)?;
        state.push(result);
        Ok(())
    }

    /// `STORE_SLICE`.
    pub(crate) fn store_slice(&mut self, state: &mut State) -> Step<()> {
        let slice = self.pop_slice(state);
        let x = state.pop_obj();
        let value = state.pop_obj();
        if self.holds_rep(&slice)? || x.downcast_ref_if_exact::<PyList>(self.vm).is_none() {
            if !self.is_fresh(&x) && ends::in_container(&x, self.vm) {
                return Err(ends::refuse(&x));
            }
            return Err(
                refuse("S282", "assignment to a slice with staged bounds, or of something that is no list").into()
            );
        }
        self.refuse_grown(&x, "assignment to a slice")?;
        self.known_index(&x, &slice)?;
        let items = self.items_of(state, &value)?;
        self.touch(state, &x)?;
        x.set_item(&*slice, self.vm.ctx.new_list(items).into(), self.vm)?;
        Ok(())
    }

    fn pop_slice(&self, state: &mut State) -> PyObjectRef {
        use rustpython_vm::PyPayload;
        let stop = state.pop_obj();
        let start = state.pop_obj();
        PySlice { start: Some(start), stop, step: None }.into_ref(&self.vm.ctx).into()
    }

    /// A key of a dict or an item of a set must be known now.
    pub(crate) fn static_key(&mut self, key: &PyObjectRef) -> Step<()> {
        if self.holds_rep(key)? {
            return Err(refuse("S287", "a staged value as key of a dict or item of a set")
                .help("keys and values of a dict with staged keys are numbers, each of one type")
                .into());
        }
        if !self.is_plain(key) && self.has_user_method(key, &["__hash__", "__eq__"]) {
            return Err(refuse("S251", format!("hashing calls a method of `{}`", key.class_name())).into());
        }
        let mut left = vec![key.clone()];
        while let Some(part) = left.pop() {
            self.keeps_its_value(&part, "__hash__")?;
            // What else holds objects has no hash.
            let types = &self.vm.ctx.types;
            if part.class().is(types.tuple_type) || part.class().is(types.frozenset_type) {
                left.extend(observe::inside(&part, self.vm));
            }
        }
        Ok(())
    }

    /// A native object that may change has no method of its own by which an index or a key would be read of it: an
    /// array of one element, say, is whatever integer that is at the time.
    fn keeps_its_value(&self, object: &PyObjectRef, method: &'static str) -> Step<()> {
        let ctx = &self.vm.ctx;
        let followed = [ctx.types.tuple_type, ctx.types.frozenset_type, ctx.types.list_type, ctx.types.dict_type];
        let class = object.class();
        if !self.is_plain(object)
            || crate::rep::is_staged(object)
            || self.never_changes(object)
            || followed.iter().any(|it| class.is(*it))
        {
            return Ok(());
        }
        let (name, object_type) = (ctx.intern_str(method), ctx.types.object_type);
        let own = match (class.get_attr(name), object_type.get_attr(name)) {
            (Some(own), Some(of_object)) => !own.is(&of_object),
            (Some(own), None) => !self.vm.is_none(&own),
            (None, _) => false,
        };
        if own {
            let message = format!("staged code reads a `{}`, which may change between calls", class.name());
            return Err(refuse("S291", message).into());
        }
        Ok(())
    }

    /// `len(object)`.
    pub(crate) fn length(&mut self, state: &mut State, object: &PyObjectRef) -> Step<PyObjectRef> {
        let vm = self.vm;
        let it = self.classify(object)?;
        if let Abstract::Number(Num::Staged(_, ty)) = it {
            let sample = value::sample(ty, vm).expect("a number has a sample");
            return Err(error_of(sample.length(vm), state));
        }
        if let Some(staged) = it.staged()
            && let Some(length) = staged.length(&mut self.at(state, object))?
        {
            return Ok(length);
        }
        self.observe_itself(object, &["__len__"])?;
        Ok(vm.ctx.new_int(object.length(vm)?).into())
    }

    /// How long a range is.
    pub(crate) fn range_length(&mut self, state: &mut State, range: &Range) -> Step<PyObjectRef> {
        let Range { start, stop, step } = range;
        let (Some(a), Some(b), Some(Num::Static(Const::I64(step)))) =
            (self.number(start)?, self.number(stop)?, self.number(step)?)
        else {
            return Err(refuse("S272", "the length of a range with a staged step").into());
        };
        let (a, b) = (self.as_int(state, a), self.as_int(state, b));
        let span = if step > 0 { [b, a] } else { [a, b] };
        let mut span = self.value(state, Op::Num2(snekpy_stage::op::Num2::Sub), &span);
        let Some(stride) = step.checked_abs() else {
            return Err(refuse("S272", "the length of a range with such a step").into());
        };
        if stride != 1 {
            let (more, stride) = (self.int(state, stride - 1), self.int(state, stride));
            span = self.value(state, Op::Num2(snekpy_stage::op::Num2::Add), &[span, more]);
            span = self.value(state, Op::Num2(snekpy_stage::op::Num2::FloorDiv), &[span, stride]);
        }
        let zero = self.int(state, 0);
        let length = self.value(state, Op::Num2(snekpy_stage::op::Num2::Max), &[zero, span]);
        Ok(self.rep(length))
    }
}
