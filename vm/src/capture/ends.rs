//! Objects whose end the program notices: by a `__del__`, or by a weak reference.
//!
//! What compiled code replaces is let go of when the code is left, and its guards hold on to what they compare with. So a
//! call that may let go of such an object is plain Python, and no code is kept for it.

use rustpython_vm::builtins::{PyDict, PyFrozenSet, PyFunction, PyList, PyModule, PySet, PyTuple, PyType};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};

use crate::capture::step::{self, Refused};
use crate::host;

/// The code of the refusal, which is not left to plain Python at the instruction but for the whole call.
pub(crate) const NOTICED: &str = "S403";
/// How many containers inside one another are looked into.
const MAX_NESTING: usize = 4;
/// How many items are looked at.
const MAX_ITEMS: usize = 1000;

/// The refusal to let go of what is in this container, or of this object.
pub(crate) fn refuse(object: &PyObject) -> Refused {
    let class = object.class().name().to_string();
    step::refuse(NOTICED, format!("staged code may let go of something in a `{class}` whose end the program notices"))
}

/// Whether the end of an object, or of what only it may hold, is noticed.
pub(crate) fn is_noticed(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    is_noticed_within(object, MAX_NESTING, vm)
}

/// The same for what is in a container that stays.
pub(crate) fn in_container(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    any_inside(object, MAX_NESTING, vm)
}

fn is_noticed_within(object: &PyObjectRef, nesting: usize, vm: &VirtualMachine) -> bool {
    let class = object.class();
    let lasts = object.downcast_ref::<PyType>().is_some()
        || object.downcast_ref::<PyModule>().is_some()
        || object.downcast_ref::<PyFunction>().is_some();
    if lasts {
        return false;
    }
    let is_of_python_class = class.slots().flags.has_feature(PyTypeFlags::HEAPTYPE);
    is_of_python_class && class.get_attr(vm.ctx.intern_str("__del__")).is_some()
        || object.weak_count().is_some_and(|count| count > 0)
        || nesting > 0 && any_inside(object, nesting - 1, vm)
}

fn any_inside(object: &PyObjectRef, nesting: usize, vm: &VirtualMachine) -> bool {
    let any = |items: &[PyObjectRef]| items.iter().take(MAX_ITEMS).any(|it| is_noticed_within(it, nesting, vm));
    if let Some(list) = object.downcast_ref::<PyList>() {
        any(&list.borrow_vec())
    } else if let Some(tuple) = object.downcast_ref::<PyTuple>() {
        any(tuple.as_slice())
    } else if let Some(dict) = object.downcast_ref::<PyDict>() {
        any(&dict.values_vec()) || any(&dict.keys_vec())
    } else if let Some(set) = object.downcast_ref::<PySet>() {
        any(&set.elements())
    } else if let Some(set) = object.downcast_ref::<PyFrozenSet>() {
        any(&set.elements())
    } else if host::cell::is_cell(object, vm) {
        host::cell::cell_get(object, vm).is_some_and(|it| any(&[it]))
    } else {
        object.dict().is_some_and(|dict| any(&dict.values_vec()))
    }
}
