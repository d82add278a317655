//! `-b`: warns where bytes are compared with a text or a number, which they never equal.
//!
//! RustPython warns of `str(b'')` by itself, but not of these.

use rustpython_vm::builtins::{PyInt, PyStr};
use rustpython_vm::function::{Either, PyComparisonValue};
use rustpython_vm::types::PyComparisonOp;
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};
use std::sync::OnceLock;

type Compare =
    fn(&PyObject, &PyObject, PyComparisonOp, &VirtualMachine) -> PyResult<Either<PyObjectRef, PyComparisonValue>>;

static BYTES: OnceLock<Option<Compare>> = OnceLock::new();
static BYTEARRAY: OnceLock<Option<Compare>> = OnceLock::new();

/// Warns from here on, for as long as the process lives.
pub fn warn_of_bytes(vm: &VirtualMachine) {
    let slot = &vm.ctx.types.bytes_type.slots.richcompare;
    BYTES.get_or_init(|| slot.load());
    slot.store(Some(|left, right, op, vm| compare(&BYTES, "bytes", left, right, op, vm)));
    let slot = &vm.ctx.types.bytearray_type.slots.richcompare;
    BYTEARRAY.get_or_init(|| slot.load());
    slot.store(Some(|left, right, op, vm| compare(&BYTEARRAY, "bytearray", left, right, op, vm)));
}

fn compare(
    original: &OnceLock<Option<Compare>>,
    class: &str,
    left: &PyObject,
    right: &PyObject,
    op: PyComparisonOp,
    vm: &VirtualMachine,
) -> PyResult<Either<PyObjectRef, PyComparisonValue>> {
    if matches!(op, PyComparisonOp::Eq | PyComparisonOp::Ne) {
        let other = if right.downcast_ref::<PyStr>().is_some() {
            Some("string")
        } else if class == "bytes" && right.downcast_ref::<PyInt>().is_some() {
            Some("int")
        } else {
            None
        };
        if let Some(other) = other {
            let category = vm.ctx.exceptions.bytes_warning.to_owned();
            let message = format!("Comparison between {class} and {other}");
            let warnings = vm.import("warnings", 0)?;
            vm.call_method(&warnings, "warn", (message, category, 1))?;
        }
    }
    match original.get() {
        Some(Some(original)) => original(left, right, op, vm),
        Some(None) | None => Ok(Either::B(PyComparisonValue::NotImplemented)),
    }
}
