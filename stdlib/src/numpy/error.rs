//! Errors of tensors as exceptions.

use rustpython_vm::builtins::{PyBaseExceptionRef, PyTypeRef};
use rustpython_vm::{PyResult, VirtualMachine};
use snekpy_stage::tensor::TensorError;

/// Turns the error of a tensor into an exception.
pub(super) trait OrRaise<T> {
    fn or_raise(self, vm: &VirtualMachine) -> PyResult<T>;
}

impl<T> OrRaise<T> for snekpy_stage::tensor::Result<T> {
    #[inline]
    fn or_raise(self, vm: &VirtualMachine) -> PyResult<T> {
        let value = self.map_err(|error| exception(error, vm))?;
        settle(vm).map(|()| value)
    }
}

/// Raises what could not be raised where it happened, while elements were copied from a device.
#[inline]
pub(super) fn settle(vm: &VirtualMachine) -> PyResult<()> {
    if snekpy_vm::tensor::has_copied() { raise_late(vm) } else { Ok(()) }
}

#[cold]
fn raise_late(vm: &VirtualMachine) -> PyResult<()> {
    match snekpy_stage::tensor::device::take_failure() {
        Some(error) => Err(exception(error, vm)),
        None => snekpy_vm::tensor::raise_pending(),
    }
}

/// The exception that an error is.
#[cold]
pub(super) fn exception(error: TensorError, vm: &VirtualMachine) -> PyBaseExceptionRef {
    match error {
        TensorError::Value(text) => vm.new_value_error(text),
        TensorError::Index(text) => vm.new_index_error(text),
        TensorError::Type(text) => vm.new_type_error(text),
        TensorError::Memory(text) => vm.new_memory_error(text),
        TensorError::Axis(text) => match axis_error(vm) {
            Ok(class) => vm.new_exception_msg(class, text.into()),
            Err(error) => error,
        },
    }
}

/// The class is both a ValueError and an IndexError, and so it is written in Python.
fn axis_error(vm: &VirtualMachine) -> PyResult<PyTypeRef> {
    let module = vm.import("snekpy.numpy.exceptions", 0)?;
    let modules = vm.sys_module.get_attr("modules", vm)?;
    drop(module);
    modules.get_item("snekpy.numpy.exceptions", vm)?.get_attr("AxisError", vm)?.try_into_value(vm)
}
