//! Lists whose length is known only when the code runs.
//!
//! Such a list is an ordinary list object that holds one thing: a Rep of the type of lists. It stands for the
//! list of the compiled code, which is changed in place at run time, so paths that share it need no merging of
//! items. A list of tuples holds a tuple of Reps instead: its *columns*, one list of the compiled code for each number
//! of an item. A list of numbers, or of tuples of them, becomes one where a captured loop changes its length, or when it
//! is made by repeating an item a staged number of times.
//!
//! An item may be such a list, to any depth (`ItemType::List`): a number of the outer one is then the address of the inner
//! one. A list object of the path that is put into one becomes a list of the compiled code where it is (`stage_here`), and
//! one that is read from it is a new list object of the path with the same Rep: two objects of a path may be one list, so
//! `is` between them is not known (`has_nested`), and whatever changes one changes both, as they are at run time. An exit
//! makes one object for each address, and finds the one that a list was copied from (`Inputs::original`).
//!
//! A list whose items capture knows one by one is a list object with Reps in it, and its length is part of the shape.
//! It becomes one of the compiled code as `capture/grow.rs` says, and where an item is put into a long one at a place
//! known only later. `[0] * n` makes one at once, and a long list argument is one from the start. Identity, aliasing,
//! guards and the heap work as for any list. An item of another type than the list's (S288) is refused, and so is what
//! needs all items one by one (S274, S295). An exit makes a list object of it.
//!
//! Neither columns nor block parameters know objects. A tuple that two variables share is shared in the shape
//! (`AgainValue`); where the code asks which object a number or a tuple is (`is`, `id`, a NaN in a container), the call
//! is plain Python from its beginning (`always_plain`, `compare_items`). Asked after an exit, they are other objects.

mod arrays;
mod columns;
mod deque;
mod found;
mod guess;
mod idle;
mod mixed;
mod sort;

use std::rc::Rc;

use rustpython_vm::builtins::PyList;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Cmp, ListOp, Num2, Op, Wrap2};
use snekpy_stage::types::Type;

pub(crate) use columns::KNOWN_ONE_BY_ONE;
pub(crate) use columns::{ItemType, Made, StagedList, are_columns, in_items, items_of};
pub(crate) use guess::Guess;

use crate::capture::heap::{Contents, Entry};
use crate::capture::raise::Failure;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{Iter, Num, V};
use crate::capture::values;
use crate::rep::Named;

impl Session<'_> {
    /// A list of the compiled code has no slices.
    pub(crate) fn refuse_slice(&self, i: &PyObjectRef, what: &str) -> Step<()> {
        match self.number(i)? {
            None if !self.vm.is_none(i) => Err(values::unknown_length(what)),
            Some(_) | None => Ok(()),
        }
    }

    /// A list object of a path that does not run becomes one of the compiled code, with the items it has.
    pub(crate) fn stage_list(&mut self, state: &mut State, object: &PyObjectRef, ty: &ItemType) -> Step<()> {
        self.running.to_append = false;
        self.guard_contents(object)?;
        let number = self.base.keep(object, self.vm).expect("a list has contents");
        let entry = state.heap.get(&number).unwrap_or_else(|| self.base.entry(number));
        let Contents::List(items) = &*entry.contents.clone() else { unreachable!("a list holds items") };
        if in_items(items).is_some() {
            // It was an item of one that has become a list of the compiled code.
            return Ok(());
        }
        let Some(columns) = self.new_list(state, items, ty)? else {
            self.read_anew(object)?;
            return Err(columns::too_long());
        };
        let contents = Rc::new(Contents::List(vec![columns]));
        state.heap.insert(number, Entry { object: object.clone(), contents });
        self.stage_iterators(state, object);
        Ok(())
    }

    /// Iterators over a list that has become one of the compiled code go on where they were.
    fn stage_iterators(&self, state: &mut State, list: &PyObjectRef) {
        for frame in &mut state.frames {
            for entry in &mut frame.stack {
                if let V::Iter(iter) = entry {
                    self.stage_iterator(iter, list);
                }
            }
        }
    }

    /// An iterator over a list that has become one of the compiled code goes on where it was.
    fn stage_iterator(&self, iter: &mut Iter, list: &PyObjectRef) {
        match iter {
            Iter::Seq { items, index } if items.is(list) => {
                *iter = Iter::Items { list: list.clone(), index: self.vm.ctx.new_int(*index).into(), reversed: false };
            }
            Iter::Enumerate { inner, .. } => self.stage_iterator(inner, list),
            Iter::Zip { inners, .. } => inners.iter_mut().for_each(|inner| self.stage_iterator(inner, list)),
            _ => {}
        }
    }

    /// `[item] * times` for a staged number: a new list object. `None` if the item is no number and no tuple of them.
    pub(crate) fn repeat_list(
        &mut self,
        state: &mut State,
        list: &PyObjectRef,
        times: Num,
    ) -> Step<Option<PyObjectRef>> {
        let items = list.downcast_ref::<PyList>().map(|list| list.borrow_vec().to_vec()).unwrap_or_default();
        let [item] = items.as_slice() else { return Ok(None) };
        // A list is an owner of each array in it.
        let Some(ty) = self.item_type(item).filter(|it| !it.has_arrays()) else { return Ok(None) };
        let times = self.as_int(state, times);
        let columns = self.new_list(state, &[], &ty)?.expect("it is short");
        let made = columns::in_columns(&columns).expect("they were made just now");
        let numbers = self.numbers_of_item(state, &ty, item)?;
        for (column, number) in made.columns.into_iter().zip(numbers) {
            self.emit(state, Op::List(ListOp::Reserve), &[column, times]);
            self.emit(state, Op::List(ListOp::Fill), &[column, times, number]);
        }
        let object = self.vm.ctx.new_list(vec![columns]);
        Ok(Some(self.made(object.into())))
    }

    /// `len(list)`.
    pub(crate) fn length_of_list(&mut self, state: &State, list: &StagedList) -> Value {
        self.value(state, Op::List(ListOp::Len), &[list.first()])
    }

    /// `list[i]`, for a number.
    pub(crate) fn list_item(&mut self, state: &mut State, list: &StagedList, i: &PyObjectRef) -> Step<PyObjectRef> {
        self.item_at(state, list, i, "list index out of range")
    }

    /// An item of a list, or of the tuple that it is the items of: what is said where there is none.
    pub(crate) fn item_at(
        &mut self,
        state: &mut State,
        list: &StagedList,
        i: &PyObjectRef,
        message: &'static str,
    ) -> Step<PyObjectRef> {
        if let Some(item) = self.read_before(state, list.first(), i)? {
            return Ok(item);
        }
        let index = self.list_index(state, list, i, message)?;
        let item = self.take_item(state, list, ListOp::Get, &[index]);
        self.note_read(state, list.first(), i, &item)?;
        Ok(item)
    }

    /// `list[i] = item`, for a number.
    pub(crate) fn set_list_item(
        &mut self,
        state: &mut State,
        list: &StagedList,
        i: &PyObjectRef,
        item: &PyObjectRef,
    ) -> Step<()> {
        self.change(list.first(), "a list")?;
        let numbers = self.numbers_for(state, list, item)?;
        let index = self.list_index(state, list, i, "list assignment index out of range")?;
        self.store_there(state, list, index, &numbers);
        Ok(())
    }

    /// `del list[i]`, for a number.
    pub(crate) fn delete_list_item(&mut self, state: &mut State, list: &StagedList, i: &PyObjectRef) -> Step<()> {
        self.change(list.first(), "a list")?;
        let index = self.list_index(state, list, i, "list assignment index out of range")?;
        self.take_item(state, list, ListOp::Remove, &[index]);
        Ok(())
    }

    /// Appends items one by one.
    pub(crate) fn append_to_list(&mut self, state: &mut State, list: &StagedList, items: &[PyObjectRef]) -> Step<()> {
        self.change(list.first(), "a list")?;
        let mut all = Vec::with_capacity(items.len());
        for item in items {
            all.push(self.numbers_for(state, list, item)?);
        }
        if let ([numbers], [column]) = (all.as_slice(), list.columns.as_slice()) {
            self.emit(state, Op::List(ListOp::Push), &[*column, numbers[0]]);
            return Ok(());
        }
        let count = i64::try_from(all.len()).expect("items are counted in 64 bits");
        self.reserve(state, list, count);
        for numbers in all {
            for (&column, number) in list.columns.iter().zip(numbers) {
                self.emit(state, Op::List(ListOp::Append), &[column, number]);
            }
        }
        Ok(())
    }

    /// Makes room for more items: all that can fail comes before the first change.
    fn reserve(&mut self, state: &State, list: &StagedList, count: i64) {
        let count = self.int(state, count);
        for &column in &list.columns {
            self.emit(state, Op::List(ListOp::Reserve), &[column, count]);
        }
    }

    /// A method that changes the list. `None` if it is not one of those that compiled code has.
    pub(crate) fn call_list_method(
        &mut self,
        state: &mut State,
        list: &StagedList,
        name: &str,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        if ["sort", "append", "extend", "pop", "insert", "clear"].contains(&name) {
            self.change(list.first(), "a list")?;
        }
        if name == "sort"
            && let Some(reverse) = self.sort_order(state, args)?
        {
            return self.sort_list(state, list, &[], reverse);
        }
        if !args.kwargs.is_empty() {
            return Ok(None);
        }
        match (name, args.args.as_slice()) {
            ("append", [item]) => self.append_to_list(state, list, std::slice::from_ref(item))?,
            ("extend", [items]) => {
                let items = self.items_of(state, items)?;
                self.append_to_list(state, list, &items)?;
            }
            ("pop", []) => {
                self.check_not_empty(state, list)?;
                return Ok(Some(self.take_item(state, list, ListOp::Pop, &[])));
            }
            ("pop", [i]) if self.is_int(i)? => {
                self.check_not_empty(state, list)?;
                let index = self.list_index(state, list, i, "pop index out of range")?;
                return Ok(Some(self.take_item(state, list, ListOp::Remove, &[index])));
            }
            ("insert", [i, item]) if self.is_int(i)? => {
                let numbers = self.numbers_for(state, list, item)?;
                let index = self.clamped_index(state, list, i)?;
                self.reserve(state, list, 1);
                for (&column, number) in list.columns.iter().zip(numbers) {
                    self.emit(state, Op::List(ListOp::Insert), &[column, index, number]);
                }
            }
            ("clear", []) => {
                let zero = self.int(state, 0);
                for &column in &list.columns {
                    self.emit(state, Op::List(ListOp::Truncate), &[column, zero]);
                }
            }
            _ => return Ok(None),
        }
        Ok(Some(vm.ctx.none()))
    }

    /// All items, of which there are to be so many.
    pub(crate) fn unpack_list(&mut self, state: &mut State, list: &StagedList, count: usize) -> Step<Vec<PyObjectRef>> {
        let expected = i64::try_from(count).expect("so many names are in the program");
        let (length, expected) = (self.length_of_list(state, list), self.int(state, expected));
        let fits = self.cmp(state, Cmp::Eq, length, expected);
        if self.rules.detached {
            return Err(refuse("S274", "the number of items of a list that grows is known only later").into());
        }
        // Python knows how many there are, and says so.
        let fails = self.value(state, Op::Not, &[fits]);
        self.leave_if(state, fails);
        Ok(self.items_of_known(state, list, count))
    }

    /// An empty list has nothing to `pop`.
    fn check_not_empty(&mut self, state: &mut State, list: &StagedList) -> Step<()> {
        let (length, zero) = (self.length_of_list(state, list), self.int(state, 0));
        let some = self.cmp(state, Cmp::Gt, length, zero);
        let error = self.vm.new_index_error("pop from empty list");
        self.check(state, some, Failure::Raise(error))
    }

    /// Whether this is an integer, staged or not.
    pub(crate) fn is_int(&self, object: &PyObjectRef) -> Step<bool> {
        Ok(self.number(object)?.is_some_and(|num| matches!(num.ty(), Type::I64 | Type::Bool)))
    }

    /// Where `insert` puts its item: an index beyond an end is that end.
    fn clamped_index(&mut self, state: &mut State, list: &StagedList, i: &PyObjectRef) -> Step<Value> {
        let num = self.number(i)?.expect("the caller looked");
        let (index, length, zero) = (self.as_int(state, num), self.length_of_list(state, list), self.int(state, 0));
        let negative = self.cmp(state, Cmp::Lt, index, zero);
        let from_end = self.value(state, Op::Wrap2(Wrap2::Add), &[index, length]);
        let index = self.value(state, Op::Select, &[negative, from_end, index]);
        let index = self.value(state, Op::Num2(Num2::Max), &[index, zero]);
        Ok(self.value(state, Op::Num2(Num2::Min), &[index, length]))
    }

    fn list_index(
        &mut self,
        state: &mut State,
        list: &StagedList,
        i: &PyObjectRef,
        message: &'static str,
    ) -> Step<Value> {
        match self.number(i)? {
            Some(num) if num.ty() != Type::F64 => {
                let length = self.length_of_list(state, list);
                self.index_below(state, num, length, message)
            }
            Some(_) => Err(Stop::Raise(self.vm.new_type_error("list indices must be integers or slices, not float"))),
            None if self.vm.is_none(i) => {
                Err(Stop::Raise(self.vm.new_type_error("list indices must be integers or slices, not NoneType")))
            }
            None => Err(refuse("S283", format!("a list indexed by a `{}`", i.class_name())).into()),
        }
    }
}
