//! A `collections.deque` that a call makes.
//!
//! It is a list of the path, which becomes one of the compiled code as any list does, and the index of its first item: what
//! is taken out at the left stays in the list until that is more than half of it. What its methods do: `capture/list/deque.rs`.

use std::sync::Arc;

use rustpython_vm::builtins::{PyInt, PyList, PyTypeRef};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::{At, Found, Kind, Known, Leaving, Loop, Make, Representation};
use crate::capture::stop::Step;
use crate::capture::value::Iter;
use crate::capture::values;
use crate::code::Opcode;

/// The methods that compiled code has.
const METHODS: [&str; 11] =
    ["append", "appendleft", "clear", "copy", "count", "extend", "extendleft", "pop", "popleft", "reverse", "rotate"];

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Deque {
    pub(crate) class: PyTypeRef,
    /// A list that nothing else holds: its items, behind those that were taken out at the left.
    pub(crate) items: PyObjectRef,
    /// A list that nothing else holds, of two numbers: the index of the first item, and how often indices have moved.
    pub(crate) state: PyObjectRef,
    /// How many items it may have, a number that is known now, or None.
    pub(crate) maxlen: PyObjectRef,
}

impl Deque {
    /// How many items it may have, if that is limited.
    pub(crate) fn most(&self) -> Option<usize> {
        let most = self.maxlen.downcast_ref::<PyInt>()?;
        Some(usize::try_from(most.as_bigint()).unwrap_or(usize::MAX))
    }
}

impl Representation for Deque {
    fn noun(&self) -> &'static str {
        "deque"
    }

    fn parts(&self) -> Vec<PyObjectRef> {
        vec![self.items.clone(), self.state.clone()]
    }

    fn with(&self, parts: Vec<PyObjectRef>) -> Kind {
        let [items, state] = <[PyObjectRef; 2]>::try_from(parts).expect("two in, two out");
        Self { items, state, ..self.clone() }.into()
    }

    fn leaving(&self) -> Leaving {
        Leaving::Made {
            make: Arc::new(MakeDeque { class: self.class.clone(), maxlen: self.maxlen.clone() }),
            parts: self.parts(),
        }
    }

    fn known(&self) -> Known {
        Known::from_iter(self.most().map(|most| most as u64))
    }

    fn class(&self) -> Option<PyTypeRef> {
        Some(self.class.clone())
    }

    fn sample(&self, vm: &VirtualMachine) -> Option<PyObjectRef> {
        self.class.as_object().call((), vm).ok()
    }

    fn length(&self, at: &mut At<'_, '_>) -> Step<Option<PyObjectRef>> {
        at.session.length_of_deque(at.state, self).map(Some)
    }

    fn iter(&self, at: &mut At<'_, '_>) -> Step<Option<Iter>> {
        at.session.iter_of_deque(at.state, at.object, self).map(Some)
    }

    fn item(&self, at: &mut At<'_, '_>, i: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        at.session.item_of_deque(at.state, self, i).map(Some)
    }

    fn set_item(&self, at: &mut At<'_, '_>, i: &PyObjectRef, item: &PyObjectRef) -> Step<bool> {
        at.session.set_item_of_deque(at.state, self, i, item).map(|()| true)
    }

    fn is_indexed(&self) -> bool {
        true
    }

    fn container(&self) -> Option<&PyObjectRef> {
        Some(&self.items)
    }

    fn next(&self, at: &mut At<'_, '_>, place: &mut [PyObjectRef]) -> Step<Option<PyObjectRef>> {
        at.session.next_of_deque(at.state, self, place)
    }

    fn has_any_length(&self) -> Option<&'static str> {
        values::staged_in(&self.items).map(|_| "a deque")
    }

    fn empty_iterator(&self, vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
        let empty = self.class.as_object().call((), vm)?;
        Ok(Some(empty.get_iter(vm)?.into()))
    }

    fn leaving_iterator(&self) -> Leaving {
        Leaving::Made { make: Arc::new(MakeDequeIterator), parts: vec![self.state.clone()] }
    }

    fn operator_loop(
        &self,
        at: &mut At<'_, '_>,
        op: Opcode,
        arg: u32,
        operands: [&PyObjectRef; 2],
    ) -> Step<Option<Loop>> {
        at.session.operator_on_deques(self, op, arg, operands)
    }

    fn method_loop(&self, at: &mut At<'_, '_>, name: &str, args: &[PyObjectRef]) -> Step<Option<Loop>> {
        at.session.loop_over_deque(at.state, at.object, self, name, args)
    }

    fn attribute(&self, name: &str) -> Option<Found> {
        match name {
            "maxlen" => Some(Found::Value(self.maxlen.clone())),
            name => METHODS.contains(&name).then_some(Found::Method),
        }
    }

    fn call_method(&self, at: &mut At<'_, '_>, name: &str, args: &[PyObjectRef]) -> Step<Option<PyObjectRef>> {
        at.session.call_deque_method(at.state, self, name, args)
    }
}

/// Makes a deque of the items and the state of one, once: calls of functions of the IR that wait for one another each have
/// the deque among what they leave with, and its state is the same list for all of them.
#[derive(Debug)]
struct MakeDeque {
    class: PyTypeRef,
    maxlen: PyObjectRef,
}

impl Make for MakeDeque {
    fn make(&self, parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        let [items, state] = parts else { return Err(crate::staging_error::bug(vm, "a deque has two parts")) };
        let state =
            state.downcast_ref::<PyList>().ok_or_else(|| crate::staging_error::bug(vm, "its state is a list"))?;
        if let Some(made) = state.borrow_vec().get(2) {
            return Ok(made.clone());
        }
        let first = numbers(state.as_object(), vm)?[0];
        let items = items.downcast_ref::<PyList>().map(|it| it.borrow_vec()[first..].to_vec()).unwrap_or_default();
        let deque = self.class.as_object().call((vm.ctx.new_list(items), self.maxlen.clone()), vm)?;
        state.borrow_vec_mut().push(deque.clone());
        Ok(deque)
    }

    fn class(&self) -> String {
        "deque".to_owned()
    }
}

/// Makes an iterator over a deque: of that, the index of its next item, how often indices had moved when it was made, and
/// the state of the deque.
#[derive(Debug)]
struct MakeDequeIterator;

impl Make for MakeDequeIterator {
    fn make(&self, parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        let [deque, index, changes, state] = parts else {
            return Err(crate::staging_error::bug(vm, "an iterator over a deque has four parts"));
        };
        let class = deque.get_iter(vm)?.class().to_owned();
        let make = |deque: &PyObjectRef| class.as_object().call((deque.clone(), index.clone()), vm);
        if number(changes, vm)? == numbers(state, vm)?[1] {
            return make(deque);
        }
        // It is to find that the deque has changed: one that is equal stands for it.
        let other = vm.call_method(deque, "copy", ())?;
        let iterator = make(&other)?;
        vm.call_method(&other, "rotate", (0,))?;
        Ok(iterator)
    }
}

fn number(object: &PyObject, vm: &VirtualMachine) -> PyResult<usize> {
    object
        .downcast_ref::<PyInt>()
        .ok_or_else(|| crate::staging_error::bug(vm, "an index is a number"))?
        .try_to_primitive(vm)
}

fn numbers(state: &PyObject, vm: &VirtualMachine) -> PyResult<[usize; 2]> {
    let parts = state.downcast_ref::<PyList>().map(|it| it.borrow_vec().to_vec()).unwrap_or_default();
    let [first, changes, ..] = parts.as_slice() else {
        return Err(crate::staging_error::bug(vm, "its state is two numbers"));
    };
    Ok([number(first, vm)?, number(changes, vm)?])
}
