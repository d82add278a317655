//! Objects whose end the program notices.
//!
//! Compiled code lets go of a handle behind its last use, and a variable of plain Python holds its object until something
//! else is assigned to it. Nobody can tell, unless the end of the object runs Python or can be asked for. So there are
//! no handles of such objects, nor of what alone holds one.

use rustpython_vm::builtins::{PyDict, PyGenerator, PyList, PyTuple, PyType};
use rustpython_vm::object::Traverse;
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{PyObject, PyObjectRef, VirtualMachine};

use super::class::number::DEQUE;
use super::class::{class_number, is_atom, named_fields};
use super::rows::Rows;
use crate::host::steps::Steps;

/// How many items of an argument are looked at, which somebody else holds, too.
const FEW: usize = 8;
/// So many hold an object that only the frame that passes it holds, while it is passed.
const HOLDERS: usize = 4;

/// Whether the program notices the end of this object itself: by a `__del__` or a weak reference, or because something
/// waits in it to be closed.
pub(crate) fn is_noticed(object: &PyObject) -> bool {
    let slots = &object.class().slots;
    slots.flags.has_feature(PyTypeFlags::HEAPTYPE) && slots.del.load().is_some()
        || object.weak_count().is_some_and(|count| count > 0)
        || object.downcast_ref::<PyGenerator>().is_some()
}

/// The same for an object that is let go of by so many holders, and for what it alone holds if nobody else holds it.
pub(crate) fn ends_noticed(object: &PyObject, holders: usize, rows: &Rows, vm: &VirtualMachine) -> bool {
    let is_let_go = || {
        let count = object.strong_count();
        count <= holders || count == holders + 1 && rows.holds(object) > 0
    };
    !is_atom(object, vm) && (is_noticed(object) || is_let_go() && holds_noticed(object, rows, vm))
}

/// The same for an object that is passed, as far as a short look tells: whoever passes it may be the only one to hold it.
pub(crate) fn passed_is_noticed(object: &PyObject, vm: &VirtualMachine) -> bool {
    if is_atom(object, vm) {
        return false;
    }
    let may_end = || match object.downcast_ref_if_exact::<PyTuple>(vm) {
        Some(_) => true,
        None => object.strong_count() <= HOLDERS,
    };
    is_noticed(object) || is_short(object, vm) && may_end() && holds_passed(object, vm)
}

/// Whether something in a short container is noticed, or in what that alone holds.
fn holds_passed(object: &PyObject, vm: &VirtualMachine) -> bool {
    let is = |item: &PyObjectRef, alone: usize| {
        !is_atom(item, vm)
            && (is_noticed(item) || item.strong_count() == alone && is_short(item, vm) && holds_passed(item, vm))
    };
    if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
        return tuple.as_slice().iter().any(|item| is(item, 1));
    }
    if let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) {
        return list.borrow_vec().iter().any(|item| is(item, 1));
    }
    object.downcast_ref_if_exact::<PyDict>(vm).is_some_and(|dict| dict.values_vec().iter().any(|item| is(item, 2)))
}

fn is_short(object: &PyObject, vm: &VirtualMachine) -> bool {
    if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
        return tuple.len() <= FEW;
    }
    if let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) {
        return list.borrow_vec().len() <= FEW;
    }
    object.downcast_ref_if_exact::<PyDict>(vm).is_some_and(|dict| dict.__len__() <= FEW)
}

/// Whether something in an object is noticed.
pub(crate) fn holds_noticed(object: &PyObject, rows: &Rows, vm: &VirtualMachine) -> bool {
    // `alone` is the count of an item that only this object holds.
    let is = |item: &PyObject, alone: usize| {
        // Native classes do not end.
        let is_native = |it: &PyType| !it.slots.flags.has_feature(PyTypeFlags::HEAPTYPE);
        !is_atom(item, vm)
            && !item.downcast_ref::<PyType>().is_some_and(|it| is_native(it))
            && (is_noticed(item) || item.strong_count() == alone + rows.holds(item) && holds_noticed(item, rows, vm))
    };
    if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
        return tuple.as_slice().iter().any(|item| is(item, 1));
    }
    if let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) {
        return list.borrow_vec().iter().any(|item| is(item, 1));
    }
    if let Some(steps) = object.downcast_ref::<Steps>() {
        return is(steps.list(), 1);
    }
    if let Some(dict) = object.downcast_ref_if_exact::<PyDict>(vm) {
        let mut any = false;
        dict.payload().traverse(&mut |item| any = any || is(item, 1));
        return any;
    }
    // No weak reference can be made to a tuple with names.
    if let Some(tuple) = object.downcast_ref::<PyTuple>()
        && named_fields(object.class(), vm).is_some()
    {
        return tuple.as_slice().iter().any(|item| is(item, 1));
    }
    if class_number(object.class(), vm) == DEQUE {
        // It does not tell the garbage collector what it holds.
        let items = (0..object.length(vm).unwrap_or_default() as isize)
            .map_while(|index| object.sequence_unchecked().get_item(index, vm).ok());
        return items.into_iter().any(|item| is(&item, 2));
    }
    object.gc_get_referents().iter().any(|item| is(item, 2))
}
