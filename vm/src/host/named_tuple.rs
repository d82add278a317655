//! Named tuples: objects of classes derived from `tuple` that hold nothing but their items.

use rustpython_vm::builtins::PyType;
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, Py, PyObjectRef, PyResult, VirtualMachine};

/// An object of a class that is derived from `tuple`.
pub(crate) fn named_tuple(class: &PyObjectRef, items: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
    let types = &vm.ctx.types;
    let new = types.tuple_type.as_object().get_attr("__new__", vm)?;
    new.call((class.clone(), vm.ctx.new_tuple(items)), vm)
}

/// Whether objects of a class hold nothing but the items of a tuple.
pub(crate) fn is_of_items(class: &Py<PyType>, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    class.fast_issubclass(types.tuple_type)
        && !class.is(types.tuple_type)
        && class.as_object().class().is(types.type_type)
        && !class.slots().flags.has_feature(PyTypeFlags::HAS_DICT)
}

/// Whether objects of a class are taken apart into their items, and made of them again.
pub(crate) fn is_named_tuple(class: &Py<PyType>, vm: &VirtualMachine) -> bool {
    class.slots().flags.has_feature(PyTypeFlags::HEAPTYPE)
        && is_of_items(class, vm)
        && class.get_attr(vm.ctx.intern_str("__del__")).is_none()
}
