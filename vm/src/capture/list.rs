//! Lists whose length is known only when the code runs.
//!
//! Such a list is an ordinary list object that holds one thing: a Rep of the type of lists. It stands for the
//! list of the compiled code, which is changed in place at run time, so paths that share it need no merging of
//! items. A list of tuples holds a tuple of Reps instead: its *columns*, one list of the compiled code for each number
//! of an item. A list of numbers, or of tuples of them, becomes one where a captured loop changes its length, or when it
//! is made by repeating an item a staged number of times.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use rustpython_vm::builtins::{PyList, PyTuple};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::sorting::timsort;
use rustpython_vm::types::PyComparisonOp;
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::entity::{Entity, Value};
use snekpy_stage::op::{Cmp, ListOp, Num2, Op, Wrap2};
use snekpy_stage::types::{Elem, Type};

use crate::capture::heap::{Contents, Entry};
use crate::capture::map;
use crate::capture::raise::Failure;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Iter, Num, V};
use crate::exit::{ContentsTemplate, Effect, ExitKind, HostKind, Root, Template};

/// How many items, counting equal ones in a row once, a list may have to become one of the compiled code.
const MAX_RUNS: usize = 256;

/// A list of the compiled code.
#[derive(Clone, Debug)]
pub(crate) struct Staged {
    /// The lists that hold the numbers of its items, in their order.
    pub(crate) columns: Vec<Value>,
    /// What its items are.
    pub(crate) items: ItemType,
}

/// What the items of a list of the compiled code are.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ItemType {
    /// Numbers of one type.
    Number(Elem),
    /// Tuples of such items.
    Tuple(Vec<ItemType>),
}

impl ItemType {
    /// That of an item, if a list of the compiled code can hold it.
    pub(crate) fn of(item: &PyObjectRef, vm: &VirtualMachine) -> Option<Self> {
        if let Some(num) = value::number(item, vm) {
            return elem_of(num.ty()).map(Self::Number);
        }
        let tuple = item.downcast_ref_if_exact::<PyTuple>(vm).filter(|it| !it.is_empty())?;
        tuple.as_slice().iter().map(|it| Self::of(it, vm)).collect::<Option<_>>().map(Self::Tuple)
    }

    /// Those of the numbers of an item.
    pub(crate) fn elems(&self) -> Vec<Elem> {
        match self {
            Self::Number(elem) => vec![*elem],
            Self::Tuple(parts) => parts.iter().flat_map(Self::elems).collect(),
        }
    }
}

impl Staged {
    /// A list that is as long as this one.
    fn first(&self) -> Value {
        self.columns[0]
    }
}

/// How numbers of this type are stored in a list.
pub(crate) fn elem_of(ty: Type) -> Option<Elem> {
    match ty {
        Type::Bool => Some(Elem::Bool),
        Type::I64 => Some(Elem::I64),
        Type::F64 => Some(Elem::F64),
        Type::Array(_) | Type::List(_) | Type::Map(_) => None,
    }
}

/// The list of the compiled code that these items of a list object stand for.
pub(crate) fn in_items(items: &[PyObjectRef]) -> Option<Staged> {
    let [only] = items else { return None };
    in_columns(only)
}

/// The list of the compiled code with these columns, if they are columns.
pub(crate) fn in_columns(object: &PyObjectRef) -> Option<Staged> {
    if let Some((value, ty)) = value::rep(object) {
        let Type::List(elem) = ty else { return None };
        return Some(Staged { columns: vec![value], items: ItemType::Number(elem) });
    }
    let tuple = object.downcast_ref::<PyTuple>()?;
    let parts = tuple.as_slice().iter().map(in_columns).collect::<Option<Vec<_>>>().filter(|it| !it.is_empty())?;
    let (columns, items): (Vec<_>, Vec<_>) = parts.into_iter().map(|it| (it.columns, it.items)).unzip();
    Some(Staged { columns: columns.concat(), items: ItemType::Tuple(items) })
}

impl Session<'_> {
    /// The list of the compiled code behind a list object.
    pub(crate) fn staged_list(&self, object: &PyObjectRef) -> Option<Staged> {
        in_items(&object.downcast_ref_if_exact::<PyList>(self.vm)?.borrow_vec())
    }

    /// Native code and what needs the items one by one cannot go on with a list, dict or set of the compiled code.
    pub(crate) fn refuse_grown(&self, object: &PyObjectRef, what: &str) -> Step<()> {
        match self.staged_list(object) {
            None if self.staged_members(object).is_some() => Err(self.unknown_members(object, what)),
            None => Ok(()),
            Some(_) => Err(refuse("S295", format!("{what} of a list whose length is known only later"))
                .help("write the loop, or return the list and do this outside")
                .into()),
        }
    }

    /// A list object of a path that does not run becomes one of the compiled code, with the items it has.
    pub(crate) fn stage_list(&mut self, state: &mut State, object: &PyObjectRef, ty: &ItemType) -> Step<()> {
        let too_long = || refuse("S296", "a list of many different items would change its length in a loop");
        self.to_append = false;
        self.guard_contents(object)?;
        let number = self.base.keep(object, self.vm).expect("a list has contents");
        let entry = state.heap.get(&number).unwrap_or_else(|| self.base.entry(number));
        let Contents::List(items) = &*entry.contents.clone() else { unreachable!("a list holds items") };
        let columns = self.new_list(state, items, ty)?.ok_or_else(too_long)?;
        let contents = Rc::new(Contents::List(vec![columns]));
        state.heap.insert(number, Entry { object: object.clone(), contents });
        for frame in &mut state.frames {
            for entry in &mut frame.stack {
                if let V::Iter(iter) = entry {
                    self.stage_iterator(iter, object);
                }
            }
        }
        Ok(())
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

    /// The columns of a new list of the compiled code; `None` if it would take too much code.
    fn new_list(&mut self, state: &State, items: &[PyObjectRef], ty: &ItemType) -> Step<Option<PyObjectRef>> {
        let elem = match ty {
            ItemType::Number(elem) => *elem,
            ItemType::Tuple(types) => {
                let mut columns = Vec::with_capacity(types.len());
                for (index, ty) in types.iter().enumerate() {
                    let part = |item: &PyObjectRef| {
                        item.downcast_ref::<PyTuple>().expect("the items of the list are tuples").as_slice()[index].clone()
                    };
                    let parts: Vec<PyObjectRef> = items.iter().map(part).collect();
                    let Some(column) = self.new_list(state, &parts, ty)? else { return Ok(None) };
                    columns.push(column);
                }
                return Ok(Some(self.vm.ctx.new_tuple(columns).into()));
            }
        };
        let mut runs: Vec<(Num, i64)> = Vec::new();
        for item in items {
            let num = self.number(item)?.expect("the items of the list are numbers");
            match runs.last_mut() {
                Some((last, count)) if *last == num => *count += 1,
                _ => runs.push((num, 1)),
            }
        }
        if runs.len() > MAX_RUNS {
            return Ok(None);
        }
        let list = self.value(state, Op::ListNew(elem), &[]);
        for (num, count) in runs {
            let item = self.lift(state, num);
            if count == 1 {
                self.emit(state, Op::List(ListOp::Push), &[list, item]);
            } else {
                let count = self.int(state, count);
                self.emit(state, Op::List(ListOp::Fill), &[list, count, item]);
            }
        }
        Ok(Some(self.rep(list)))
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
        let Some(ty) = ItemType::of(item, self.vm) else { return Ok(None) };
        let times = self.as_int(state, times);
        let columns = self.new_list(state, &[], &ty)?.expect("it is short");
        let made = in_columns(&columns).expect("they were made just now");
        let numbers = self.numbers_of_item(state, &ty, item)?;
        for (column, number) in made.columns.into_iter().zip(numbers) {
            self.emit(state, Op::List(ListOp::Fill), &[column, times, number]);
        }
        let object = self.vm.ctx.new_list(vec![columns]);
        Ok(Some(self.made(object.into())))
    }

    /// `len(list)`.
    pub(crate) fn length_of_list(&mut self, state: &State, list: &Staged) -> Value {
        self.value(state, Op::List(ListOp::Len), &[list.first()])
    }

    /// `list[i]`, for a number.
    pub(crate) fn list_item(&mut self, state: &mut State, list: &Staged, i: &PyObjectRef) -> Step<PyObjectRef> {
        let index = self.list_index(state, list, i, "list index out of range")?;
        Ok(self.take_item(state, list, ListOp::Get, &[index]))
    }

    /// The item at an index that is one.
    pub(crate) fn item_there(&mut self, state: &State, list: &Staged, index: Value) -> PyObjectRef {
        self.take_item(state, list, ListOp::Get, &[index])
    }

    /// What an op that gives an item gives.
    fn take_item(&mut self, state: &State, list: &Staged, op: ListOp, args: &[Value]) -> PyObjectRef {
        let mut numbers = Vec::with_capacity(list.columns.len());
        for &column in &list.columns {
            let args: Vec<Value> = std::iter::once(column).chain(args.iter().copied()).collect();
            let number = self.value(state, Op::List(op), &args);
            numbers.push(self.rep(number));
        }
        self.columns_of(&list.items, &mut numbers.into_iter())
    }

    /// An item made of its numbers, or the columns of a list made of its lists.
    pub(crate) fn columns_of(&self, ty: &ItemType, reps: &mut impl Iterator<Item = PyObjectRef>) -> PyObjectRef {
        match ty {
            ItemType::Number(_) => reps.next().expect("there is one for each column"),
            ItemType::Tuple(parts) => {
                let items = parts.iter().map(|part| self.columns_of(part, reps)).collect();
                self.vm.ctx.new_tuple(items).into()
            }
        }
    }

    /// `list[i] = item`, for a number.
    pub(crate) fn set_list_item(
        &mut self,
        state: &mut State,
        list: &Staged,
        i: &PyObjectRef,
        item: &PyObjectRef,
    ) -> Step<()> {
        let numbers = self.numbers_of_item(state, &list.items, item)?;
        let index = self.list_index(state, list, i, "list assignment index out of range")?;
        for (&column, number) in list.columns.iter().zip(numbers) {
            self.emit(state, Op::List(ListOp::Set), &[column, index, number]);
        }
        Ok(())
    }

    /// `del list[i]`, for a number.
    pub(crate) fn delete_list_item(&mut self, state: &mut State, list: &Staged, i: &PyObjectRef) -> Step<()> {
        let index = self.list_index(state, list, i, "list assignment index out of range")?;
        self.take_item(state, list, ListOp::Remove, &[index]);
        Ok(())
    }

    /// Appends items one by one.
    pub(crate) fn append_to_list(&mut self, state: &mut State, list: &Staged, items: &[PyObjectRef]) -> Step<()> {
        let mut all = Vec::with_capacity(items.len());
        for item in items {
            all.push(self.numbers_of_item(state, &list.items, item)?);
        }
        for numbers in all {
            for (&column, number) in list.columns.iter().zip(numbers) {
                self.emit(state, Op::List(ListOp::Push), &[column, number]);
            }
        }
        Ok(())
    }

    /// A method that changes the list. `None` if it is not one of those that compiled code has.
    pub(crate) fn call_list_method(
        &mut self,
        state: &mut State,
        list: &Staged,
        name: &str,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
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
                let numbers = self.numbers_of_item(state, &list.items, item)?;
                let index = self.clamped_index(state, list, i)?;
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

    /// The effects of a path without those on lists among the arguments that no code changes.
    pub(crate) fn without_idle_effects(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        let Some(changed) = self.changed_lists() else { return effects };
        let is_idle = |list: &&PyObjectRef| {
            let number = self.base.number(list).expect("it was kept");
            let values = match &*self.base.entry(number).contents {
                Contents::List(items) => in_items(items).map(|list| list.columns),
                contents => {
                    map::in_contents(contents).and_then(|rep| value::rep(rep)).map(|(value, _)| vec![value])
                }
            };
            values.is_some_and(|values| values.iter().all(|it| !changed.contains(it)))
        };
        let (mut idle, mut idle_objects): (Vec<Root>, Vec<PyObjectRef>) = (Vec::new(), Vec::new());
        for list in self.list_params.iter().filter(is_idle) {
            match self.arguments.get(&list.get_id()) {
                Some(root) => idle.push(root.clone()),
                None => idle_objects.push(list.clone()),
            }
        }
        let is_idle = |effect: &Effect| {
            let leaf = match &effect.contents {
                ContentsTemplate::List(items) => items.first().map(first_part),
                ContentsTemplate::Set(items) => items.first(),
                ContentsTemplate::Dict(items) => items.first().map(|(key, _)| key),
                ContentsTemplate::Appended(_) | ContentsTemplate::Cell(_) | ContentsTemplate::Item(..) => None,
            };
            matches!(leaf, Some(Template::Leaf { ty: Type::List(_) | Type::Map(_), .. }))
                && match &effect.target {
                    Template::Argument(root) => idle.contains(root),
                    Template::Static(object) => idle_objects.iter().any(|it| it.is(object)),
                    _ => false,
                }
        };
        for exit in &mut self.exits {
            match exit {
                ExitKind::Return { effects, .. }
                | ExitKind::Raise { effects, .. }
                | ExitKind::Again { effects, .. } => {
                    effects.retain(|effect| !is_idle(effect));
                }
                ExitKind::Resume(resume) => {
                    if let Some(resume) = Arc::get_mut(resume) {
                        resume.effects.retain(|effect| !is_idle(effect));
                    }
                }
            }
        }
        effects.into_iter().filter(|effect| !is_idle(effect)).collect()
    }

    /// The parameters of the main function that are lists, dicts or sets which it changes; `None` if that is not known.
    fn changed_lists(&self) -> Option<HashSet<Value>> {
        let mut changed = HashSet::new();
        for (id, func) in self.module.funcs.iter() {
            for inst in func.insts.values() {
                let changes = match inst.op {
                    Op::List(op) => !matches!(op, ListOp::Len | ListOp::Get),
                    Op::Map(op) => op.changes(),
                    Op::Host(host) => matches!(self.hosts[host.index()], HostKind::Sort { .. }),
                    Op::Call(_) => true,
                    _ => false,
                };
                let is_container = |arg: Value| matches!(func.ty(arg), Type::List(_) | Type::Map(_));
                for &arg in inst.args.iter().filter(|&&arg| changes && is_container(arg)) {
                    if func.params().contains(&arg) && id == self.module.main() {
                        changed.insert(arg);
                    } else if !matches!(func.definition(arg), Some((Op::ListNew(_) | Op::MapNew(_), _))) {
                        return None;
                    }
                }
            }
        }
        Some(changed)
    }

    /// Whether `sort` with these arguments puts the largest first; `None` if it takes a key.
    fn sort_order(&mut self, state: &mut State, args: &FuncArgs) -> Step<Option<bool>> {
        if !args.args.is_empty() || args.kwargs.keys().any(|it| it.to_string_lossy() != "reverse") {
            return Ok(None);
        }
        args.kwargs.get("reverse").map_or(Ok(false), |it| self.decide(state, it)).map(Some)
    }

    /// The items of a list of known length after `sort`, if they are numbers of one type, or tuples of them.
    pub(crate) fn sorted_items(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        args: &FuncArgs,
    ) -> Step<Option<Vec<PyObjectRef>>> {
        let Some(reverse) = self.sort_order(state, args)? else { return Ok(None) };
        let Some(list) = self.as_staged(state, object)? else { return Ok(None) };
        if self.sort_list(state, &list, &[], reverse)?.is_none() {
            return Ok(None);
        }
        let length = object.downcast_ref::<PyList>().map_or(0, |list| list.borrow_vec().len());
        Ok(Some(self.items_of_known(state, &list, length)))
    }

    /// Sorts a list by keys that another list holds.
    pub(crate) fn sort_by_keys(
        &mut self,
        state: &mut State,
        items: &PyObjectRef,
        keys: &PyObjectRef,
        reverse: &PyObjectRef,
    ) -> Step<PyObjectRef> {
        let cannot = || {
            refuse("S301", "a list is sorted by a key, and its items or keys are not numbers of one type or tuples of them")
                .into()
        };
        let reverse = self.decide(state, reverse)?;
        let is_long = self.staged_list(items).is_some();
        if !is_long && let Some(order) = self.known_order(keys, reverse)? {
            self.touch(state, items)?;
            if let Some(object) = items.downcast_ref::<PyList>() {
                let before = object.borrow_vec().to_vec();
                *object.borrow_vec_mut() = order.into_iter().map(|index| before[index].clone()).collect();
            }
            return Ok(self.vm.ctx.none());
        }
        let Some(by) = self.as_staged(state, keys)? else { return Err(cannot()) };
        let Some(list) = self.as_staged(state, items)? else { return Err(cannot()) };
        if self.sort_list(state, &by, &list.columns, reverse)?.is_none() {
            return Err(cannot());
        }
        if !is_long {
            self.touch(state, items)?;
            if let Some(object) = items.downcast_ref::<PyList>() {
                let length = object.borrow_vec().len();
                let sorted = self.items_of_known(state, &list, length);
                *object.borrow_vec_mut() = sorted;
            }
        }
        Ok(self.vm.ctx.none())
    }

    /// In which order keys that are numbers or texts known now come.
    fn known_order(&self, keys: &PyObjectRef, reverse: bool) -> Step<Option<Vec<usize>>> {
        let vm = self.vm;
        let keys = keys.downcast_ref::<PyList>().map(|list| list.borrow_vec().to_vec()).unwrap_or_default();
        let is_known = |it: &PyObjectRef| value::constant(it, vm).is_some() || it.class().is(vm.ctx.types.str_type);
        if !keys.iter().all(is_known) {
            return Ok(None);
        }
        let mut order: Vec<usize> = (0..keys.len()).collect();
        let mut less = |&a: &usize, &b: &usize| -> PyResult<bool> {
            let (a, b) = if reverse { (b, a) } else { (a, b) };
            keys[a].rich_compare_bool(&keys[b], PyComparisonOp::Lt, vm)
        };
        timsort(&mut order, &mut less)?;
        Ok(Some(order))
    }

    /// A list of the compiled code with the items of a list object, if it can hold them: its own, or a new one.
    fn as_staged(&mut self, state: &State, list: &PyObjectRef) -> Step<Option<Staged>> {
        if let Some(list) = self.staged_list(list) {
            return Ok(Some(list));
        }
        let items = list.downcast_ref::<PyList>().map(|list| list.borrow_vec().to_vec()).unwrap_or_default();
        let Some(ty) = uniform(&items, self.vm) else { return Ok(None) };
        Ok(self.new_list(state, &items, &ty)?.as_ref().and_then(in_columns))
    }

    /// So many items, the first ones.
    fn items_of_known(&mut self, state: &State, list: &Staged, length: usize) -> Vec<PyObjectRef> {
        let mut items = Vec::with_capacity(length);
        for index in 0..length {
            let index = self.int(state, i64::try_from(index).expect("a list is short"));
            items.push(self.item_there(state, list, index));
        }
        items
    }

    /// An empty list has nothing to `pop`.
    fn check_not_empty(&mut self, state: &mut State, list: &Staged) -> Step<()> {
        let (length, zero) = (self.length_of_list(state, list), self.int(state, 0));
        let some = self.cmp(state, Cmp::Gt, length, zero);
        let error = self.vm.new_index_error("pop from empty list");
        self.check(state, some, Failure::Raise(error))
    }

    /// Sorts a list, and others along with it. Nothing if compiled code cannot: of tuples with a NaN it matters which
    /// are one object.
    fn sort_list(
        &mut self,
        state: &mut State,
        list: &Staged,
        along: &[Value],
        reverse: bool,
    ) -> Step<Option<PyObjectRef>> {
        let are_tuples = matches!(list.items, ItemType::Tuple(_));
        let keys = list.items.elems();
        if are_tuples && keys.contains(&Elem::F64) && self.leaves_past(state) {
            return Ok(None);
        }
        let lists: Vec<Value> = list.columns.iter().chain(along).copied().collect();
        let types = lists.iter().map(|&it| self.func.ty(it)).collect();
        let host = self.host("sort", types, Vec::new(), HostKind::Sort { keys, are_tuples, reverse });
        self.emit(state, Op::Host(host), &lists);
        Ok(Some(self.vm.ctx.none()))
    }

    /// Whether this is an integer, staged or not.
    pub(crate) fn is_int(&self, object: &PyObjectRef) -> Step<bool> {
        Ok(self.number(object)?.is_some_and(|num| matches!(num.ty(), Type::I64 | Type::Bool)))
    }

    /// Where `insert` puts its item: an index beyond an end is that end.
    fn clamped_index(&mut self, state: &mut State, list: &Staged, i: &PyObjectRef) -> Step<Value> {
        let num = self.number(i)?.expect("the caller looked");
        let (index, length, zero) = (self.as_int(state, num), self.length_of_list(state, list), self.int(state, 0));
        let negative = self.cmp(state, Cmp::Lt, index, zero);
        let from_end = self.value(state, Op::Wrap2(Wrap2::Add), &[index, length]);
        let index = self.value(state, Op::Select, &[negative, from_end, index]);
        let index = self.value(state, Op::Num2(Num2::Max), &[index, zero]);
        Ok(self.value(state, Op::Num2(Num2::Min), &[index, length]))
    }

    fn list_index(&mut self, state: &mut State, list: &Staged, i: &PyObjectRef, message: &'static str) -> Step<Value> {
        match self.number(i)? {
            Some(num) if num.ty() != Type::F64 => {
                let length = self.length_of_list(state, list);
                self.index_below(state, num, length, message)
            }
            Some(_) => Err(Stop::Raise(self.vm.new_type_error("list indices must be integers or slices, not float"))),
            None => Err(refuse("S283", format!("a list indexed by a `{}`", i.class().name())).into()),
        }
    }

    /// The numbers of an item, as the columns store them. The type of a number is never changed.
    fn numbers_of_item(&mut self, state: &State, ty: &ItemType, item: &PyObjectRef) -> Step<Vec<Value>> {
        match ty {
            ItemType::Tuple(parts) => {
                let tuple = item.downcast_ref_if_exact::<PyTuple>(self.vm).filter(|it| it.len() == parts.len());
                let Some(tuple) = tuple else {
                    let found = match item.downcast_ref_if_exact::<PyTuple>(self.vm) {
                        Some(tuple) => format!("tuple of {}", tuple.len()),
                        None => item.class().name().to_string(),
                    };
                    return Err(other_item(&found, &format!("tuple of {}", parts.len())));
                };
                let mut numbers = Vec::new();
                for (part, item) in parts.iter().zip(tuple.as_slice()) {
                    numbers.extend(self.numbers_of_item(state, part, item)?);
                }
                Ok(numbers)
            }
            ItemType::Number(elem) => {
                let wanted = elem.value_type();
                match self.number(item)? {
                    Some(num) if num.ty() == wanted => Ok(vec![self.lift(state, num)]),
                    num => {
                        let class = || item.class().name().to_string();
                        let found = num.map_or_else(class, |num| value::type_name(num.ty()).to_owned());
                        Err(other_item(&found, value::type_name(wanted)))
                    }
                }
            }
        }
    }
}

/// What comes first in a tuple of tuples.
fn first_part(template: &Template) -> &Template {
    match template {
        Template::Tuple(parts) if let Some(first) = parts.first() => first_part(first),
        other => other,
    }
}

/// The type of all of these items, if they have one that a list of the compiled code can hold.
fn uniform(items: &[PyObjectRef], vm: &VirtualMachine) -> Option<ItemType> {
    let ty = ItemType::of(items.first()?, vm)?;
    items.iter().all(|it| ItemType::of(it, vm).as_ref() == Some(&ty)).then_some(ty)
}

fn other_item(found: &str, wanted: &str) -> Stop {
    refuse("S288", format!("a `{found}` among items of type `{wanted}` of one list"))
        .help("give all items of the list one type")
        .into()
}
