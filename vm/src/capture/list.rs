//! Lists whose length is known only when the code runs.
//!
//! Such a list is an ordinary list object that holds one thing: a Rep of the type of lists. It stands for the
//! list of the compiled code, which is changed in place at run time, so paths that share it need no merging of
//! items. A list of numbers becomes one where a captured loop changes its length, or when it is made by repeating
//! an item a staged number of times.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use rustpython_vm::builtins::PyList;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef};
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct Staged {
    /// The list.
    pub(crate) value: Value,
    /// What its items are.
    pub(crate) elem: Elem,
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
    match value::rep(only) {
        Some((value, Type::List(elem))) => Some(Staged { value, elem }),
        _ => None,
    }
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
    pub(crate) fn stage_list(&mut self, state: &mut State, object: &PyObjectRef, elem: Elem) -> Step<()> {
        let too_long = || refuse("S296", "a list of many different items would change its length in a loop");
        self.to_append = false;
        self.guard_contents(object)?;
        let number = self.base.keep(object, self.vm).expect("a list has contents");
        let entry = state.heap.get(&number).unwrap_or_else(|| self.base.entry(number));
        let Contents::List(items) = &*entry.contents.clone() else { unreachable!("a list holds items") };
        let list = self.new_list(state, items, elem)?.ok_or_else(too_long)?;
        let contents = Rc::new(Contents::List(vec![self.rep(list)]));
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

    /// A new list of the compiled code; `None` if it would take too much code.
    fn new_list(&mut self, state: &State, items: &[PyObjectRef], elem: Elem) -> Step<Option<Value>> {
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
        Ok(Some(list))
    }

    /// `[item] * times` for a staged number: a new list object. `None` if the items are no numbers of one type.
    pub(crate) fn repeat_list(
        &mut self,
        state: &mut State,
        list: &PyObjectRef,
        times: Num,
    ) -> Step<Option<PyObjectRef>> {
        let items = list.downcast_ref::<PyList>().map(|list| list.borrow_vec().to_vec()).unwrap_or_default();
        let [item] = items.as_slice() else { return Ok(None) };
        let Some(num) = value::number(item, self.vm) else { return Ok(None) };
        let Some(elem) = elem_of(num.ty()) else { return Ok(None) };
        let times = self.as_int(state, times);
        let item = self.lift(state, num);
        let made = self.value(state, Op::ListNew(elem), &[]);
        self.emit(state, Op::List(ListOp::Fill), &[made, times, item]);
        let object = self.vm.ctx.new_list(vec![self.rep(made)]);
        Ok(Some(self.made(object.into())))
    }

    /// `len(list)`.
    pub(crate) fn length_of_list(&mut self, state: &State, list: Staged) -> Value {
        self.value(state, Op::List(ListOp::Len), &[list.value])
    }

    /// `list[i]`, for a number.
    pub(crate) fn list_item(&mut self, state: &mut State, list: Staged, i: &PyObjectRef) -> Step<PyObjectRef> {
        let index = self.list_index(state, list, i, "list index out of range")?;
        let item = self.value(state, Op::List(ListOp::Get), &[list.value, index]);
        Ok(self.rep(item))
    }

    /// `list[i] = item`, for a number.
    pub(crate) fn set_list_item(
        &mut self,
        state: &mut State,
        list: Staged,
        i: &PyObjectRef,
        item: &PyObjectRef,
    ) -> Step<()> {
        let item = self.list_element(state, list, item)?;
        let index = self.list_index(state, list, i, "list assignment index out of range")?;
        self.emit(state, Op::List(ListOp::Set), &[list.value, index, item]);
        Ok(())
    }

    /// `del list[i]`, for a number.
    pub(crate) fn delete_list_item(&mut self, state: &mut State, list: Staged, i: &PyObjectRef) -> Step<()> {
        let index = self.list_index(state, list, i, "list assignment index out of range")?;
        self.value(state, Op::List(ListOp::Remove), &[list.value, index]);
        Ok(())
    }

    /// Appends items one by one.
    pub(crate) fn append_to_list(&mut self, state: &mut State, list: Staged, items: &[PyObjectRef]) -> Step<()> {
        let items = items.iter().map(|item| self.list_element(state, list, item)).collect::<Step<Vec<_>>>()?;
        for item in items {
            self.emit(state, Op::List(ListOp::Push), &[list.value, item]);
        }
        Ok(())
    }

    /// A method that changes the list. `None` if it is not one of those that compiled code has.
    pub(crate) fn call_list_method(
        &mut self,
        state: &mut State,
        list: Staged,
        name: &str,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        if name == "sort"
            && let Some(reverse) = self.sort_order(state, args)?
        {
            return self.sort_list(state, list, reverse).map(Some);
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
                let item = self.value(state, Op::List(ListOp::Pop), &[list.value]);
                return Ok(Some(self.rep(item)));
            }
            ("pop", [i]) if self.is_int(i)? => {
                self.check_not_empty(state, list)?;
                let index = self.list_index(state, list, i, "pop index out of range")?;
                let item = self.value(state, Op::List(ListOp::Remove), &[list.value, index]);
                return Ok(Some(self.rep(item)));
            }
            ("insert", [i, item]) if self.is_int(i)? => {
                let item = self.list_element(state, list, item)?;
                let index = self.clamped_index(state, list, i)?;
                self.emit(state, Op::List(ListOp::Insert), &[list.value, index, item]);
            }
            ("clear", []) => {
                let zero = self.int(state, 0);
                self.emit(state, Op::List(ListOp::Truncate), &[list.value, zero]);
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
            let rep = match &*self.base.entry(number).contents {
                Contents::List(items) => in_items(items).map(|list| list.value),
                contents => map::in_contents(contents).and_then(|rep| value::rep(rep)).map(|(value, _)| value),
            };
            rep.is_some_and(|value| !changed.contains(&value))
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
                ContentsTemplate::List(items) | ContentsTemplate::Set(items) => items.first(),
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

    /// The items of a list of known length after `sort`, if they are numbers of one type.
    pub(crate) fn sorted_items(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        args: &FuncArgs,
    ) -> Step<Option<Vec<PyObjectRef>>> {
        let Some(reverse) = self.sort_order(state, args)? else { return Ok(None) };
        let items = object.downcast_ref::<PyList>().map(|list| list.borrow_vec().to_vec()).unwrap_or_default();
        let Some(elem) = self.uniform(&items) else { return Ok(None) };
        let Some(value) = self.new_list(state, &items, elem)? else { return Ok(None) };
        self.sort_list(state, Staged { value, elem }, reverse)?;
        let mut sorted = Vec::with_capacity(items.len());
        for index in 0..items.len() {
            let index = self.int(state, i64::try_from(index).expect("a list is short"));
            let item = self.value(state, Op::List(ListOp::Get), &[value, index]);
            sorted.push(self.rep(item));
        }
        Ok(Some(sorted))
    }

    /// How these items are stored in a list, if they are numbers of one type.
    fn uniform(&self, items: &[PyObjectRef]) -> Option<Elem> {
        let ty = value::number(items.first()?, self.vm)?.ty();
        let same = items.iter().all(|it| value::number(it, self.vm).is_some_and(|num| num.ty() == ty));
        same.then(|| elem_of(ty)).flatten()
    }

    /// An empty list has nothing to `pop`.
    fn check_not_empty(&mut self, state: &mut State, list: Staged) -> Step<()> {
        let (length, zero) = (self.length_of_list(state, list), self.int(state, 0));
        let some = self.cmp(state, Cmp::Gt, length, zero);
        let error = self.vm.new_index_error("pop from empty list");
        self.check(state, some, Failure::Raise(error))
    }

    fn sort_list(&mut self, state: &mut State, list: Staged, reverse: bool) -> Step<PyObjectRef> {
        let kind = HostKind::Sort { elem: list.elem, reverse };
        let host = self.host("sort", vec![Type::List(list.elem)], Vec::new(), kind);
        self.emit(state, Op::Host(host), &[list.value]);
        Ok(self.vm.ctx.none())
    }

    /// Whether this is an integer, staged or not.
    pub(crate) fn is_int(&self, object: &PyObjectRef) -> Step<bool> {
        Ok(self.number(object)?.is_some_and(|num| matches!(num.ty(), Type::I64 | Type::Bool)))
    }

    /// Where `insert` puts its item: an index beyond an end is that end.
    fn clamped_index(&mut self, state: &mut State, list: Staged, i: &PyObjectRef) -> Step<Value> {
        let num = self.number(i)?.expect("the caller looked");
        let (index, length, zero) = (self.as_int(state, num), self.length_of_list(state, list), self.int(state, 0));
        let negative = self.cmp(state, Cmp::Lt, index, zero);
        let from_end = self.value(state, Op::Wrap2(Wrap2::Add), &[index, length]);
        let index = self.value(state, Op::Select, &[negative, from_end, index]);
        let index = self.value(state, Op::Num2(Num2::Max), &[index, zero]);
        Ok(self.value(state, Op::Num2(Num2::Min), &[index, length]))
    }

    fn list_index(&mut self, state: &mut State, list: Staged, i: &PyObjectRef, message: &'static str) -> Step<Value> {
        match self.number(i)? {
            Some(num) if num.ty() != Type::F64 => {
                let length = self.length_of_list(state, list);
                self.index_below(state, num, length, message)
            }
            Some(_) => Err(Stop::Raise(self.vm.new_type_error("list indices must be integers or slices, not float"))),
            None => Err(refuse("S283", format!("a list indexed by a `{}`", i.class().name())).into()),
        }
    }

    /// An item as the list stores it. The type of an item is never changed.
    fn list_element(&mut self, state: &State, list: Staged, item: &PyObjectRef) -> Step<Value> {
        let wanted = list.elem.value_type();
        match self.number(item)? {
            Some(num) if num.ty() == wanted => Ok(self.lift(state, num)),
            num => {
                let found =
                    num.map_or_else(|| item.class().name().to_string(), |num| value::type_name(num.ty()).to_owned());
                let message = format!("a `{found}` among items of type `{}` of one list", value::type_name(wanted));
                Err(refuse("S288", message).help("give all items of the list one type").into())
            }
        }
    }
}
