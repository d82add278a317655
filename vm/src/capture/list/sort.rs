//! Sorting: RustPython's own algorithm at run time, on lists of the compiled code.

use rustpython_vm::builtins::PyList;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::sorting::timsort;
use rustpython_vm::types::PyComparisonOp;
use rustpython_vm::{AsObject, PyObjectRef, PyResult};
use snekpy_stage::entity::Value;
use snekpy_stage::op::Op;
use snekpy_stage::types::{ListType, Type};

use super::{ItemType, StagedList};
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::Step;
use crate::capture::value;
use crate::capture::values;
use crate::exit::HostKind;
use crate::scalar;

impl Session<'_> {
    /// Whether `sort` with these arguments puts the largest first; `None` if it takes a key.
    pub(super) fn sort_order(&mut self, state: &mut State, args: &FuncArgs) -> Step<Option<bool>> {
        if !args.args.is_empty() || args.kwargs.keys().any(|it| it.to_string_lossy() != "reverse") {
            return Ok(None);
        }
        args.kwargs.get("reverse").map_or(Ok(false), |it| self.order(state, it)).map(Some)
    }

    /// Whether `reverse` puts the largest first: only numbers may say so.
    fn order(&mut self, state: &mut State, reverse: &PyObjectRef) -> Step<bool> {
        let types = &self.vm.ctx.types;
        let is_number = match value::rep(reverse) {
            Some((_, ty)) => matches!(ty, Type::Bool | Type::I64),
            None => [types.bool_type, types.int_type].iter().any(|it| reverse.class().is(*it)),
        };
        if !is_number {
            let message = format!("`reverse` is a {}", crate::rep::class_of(reverse).name());
            return Err(refuse("S301", message).into());
        }
        self.decide(state, reverse)
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
            refuse(
                "S301",
                "a list is sorted by a key, and its items or keys are not numbers of one type or tuples of them",
            )
            .into()
        };
        let reverse = self.order(state, reverse)?;
        let is_long = values::staged_in(items).is_some();
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
        let is_known = |it: &PyObjectRef| scalar::constant(it, vm).is_some() || it.class().is(vm.ctx.types.str_type);
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

    /// Sorts a list, and others along with it. Of tuples with a NaN it matters which are one object: plain Python sorts
    /// those.
    pub(super) fn sort_list(
        &mut self,
        state: &mut State,
        list: &StagedList,
        along: &[Value],
        reverse: bool,
    ) -> Step<Option<PyObjectRef>> {
        if !list.items.is_ordered() {
            return Ok(None);
        }
        let are_tuples = matches!(list.items, ItemType::Tuple(_));
        let Some(keys) = list.items.columns().into_iter().map(ListType::number).collect() else { return Ok(None) };
        let lists: Vec<Value> = list.columns.iter().chain(along).copied().collect();
        let types = lists.iter().map(|&it| self.func.ty(it)).collect();
        let host = self.host("sort", types, Vec::new(), HostKind::Sort { keys, are_tuples, reverse });
        self.emit(state, Op::Host(host, None), &lists);
        Ok(Some(self.vm.ctx.none()))
    }
}
