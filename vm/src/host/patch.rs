//! Where RustPython differs from CPython and a slot can be replaced.

use std::sync::OnceLock;

use rustpython_vm::builtins::PyInt;
use rustpython_vm::{Context, PyObject, PyResult, VirtualMachine};

type Binary = fn(&PyObject, &PyObject, &VirtualMachine) -> PyResult;

/// Replaces what can be replaced, once in the process.
pub fn apply(ctx: &Context) {
    static TRUE_DIVIDE: OnceLock<Option<Binary>> = OnceLock::new();
    let slots = &ctx.types.int_type.slots.as_number;
    TRUE_DIVIDE.get_or_init(|| slots.true_divide.load());
    // `0 / -5` is `-0.0`.
    fn true_divide(x: &PyObject, y: &PyObject, vm: &VirtualMachine) -> PyResult {
        if let (Some(a), Some(b)) = (x.downcast_ref::<PyInt>(), y.downcast_ref::<PyInt>())
            && i64::try_from(a.as_bigint()) == Ok(0)
            && b.as_bigint().to_string().starts_with('-')
        {
            return Ok(vm.ctx.new_float(-0.0).into());
        }
        match TRUE_DIVIDE.get() {
            Some(Some(original)) => original(x, y, vm),
            Some(None) | None => Ok(vm.ctx.not_implemented()),
        }
    }
    for class in [ctx.types.int_type, ctx.types.bool_type] {
        class.slots.as_number.true_divide.store(Some(true_divide));
        class.slots.as_number.right_true_divide.store(Some(true_divide));
    }
}
