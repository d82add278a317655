//! An attribute of a built-in type, looked up once and then read without a name.
//!
//! `obj.get_attr("__globals__")` walks the type's method resolution order and consults caches. The
//! built-in types cannot be changed and live as long as the process, so the descriptor found in
//! their dictionary can be kept, and asking it directly is what is left of an attribute read.

use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine, builtins::PyType, function::PySetterValue,
};

/// The signature of a type's `__get__`.
type Getter = fn(&PyObject, Option<&PyObject>, Option<&PyObject>, &VirtualMachine) -> PyResult;
/// The signature of a type's `__set__`.
type Setter = fn(&PyObject, PyObjectRef, PySetterValue, &VirtualMachine) -> PyResult<()>;

/// A data descriptor of a built-in type.
pub(super) struct Attribute {
    descriptor: PyObjectRef,
    getter: Getter,
    setter: Option<Setter>,
}

impl Attribute {
    /// The attribute `name` of `class`, which must define it itself.
    pub(super) fn new(class: &Py<PyType>, name: &str, vm: &VirtualMachine) -> Self {
        let descriptor = class
            .get_direct_attr(vm.ctx.intern_str(name))
            .expect("rustpython-vm is pinned to the version that defines this attribute");
        let slots = &descriptor.class().slots;
        let getter = slots.descr_get.load().expect("getset and member descriptors have `__get__`");
        let setter = slots.descr_set.load();
        Self { descriptor, getter, setter }
    }

    /// `obj.name`
    #[inline]
    pub(super) fn get(&self, obj: &PyObject, vm: &VirtualMachine) -> PyResult {
        (self.getter)(&self.descriptor, Some(obj), Some(obj.class().as_object()), vm)
    }

    /// `obj.name = value`, or `del obj.name`
    pub(super) fn set(&self, obj: &PyObject, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
        let setter = self.setter.expect("getset and member descriptors have `__set__`");
        setter(&self.descriptor, obj.to_owned(), value, vm)
    }
}
