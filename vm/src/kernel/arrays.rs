//! Arrays of `snekpy.numpy` that kernels take and give.
//!
//! What a kernel reads of one is an element with its dtype, as everywhere. One that lies on the device that the kernel is for
//! is not copied, and what a kernel gives of such arrays stays there.

use std::sync::Arc;

use rustpython_vm::builtins::{PyBool, PyFloat, PyInt};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::tensor::device::Device;
use snekpy_stage::tensor::{Dtype, Item, Tensor, TensorError, make};

use super::Request;
use crate::staging_error::bug;
use crate::tensor;

/// The tensor of an object, if a kernel takes it.
pub(super) fn of(object: &PyObject) -> Option<&Tensor> {
    tensor::of(object).filter(|it| it.staged().is_none())
}

/// The device on which the results of a kernel stay: that of an argument, if the kernel is for it.
pub(super) fn stays(args: &[PyObjectRef], target: Option<&Arc<dyn Device>>) -> Option<Arc<dyn Device>> {
    let is_any = args.iter().filter_map(|arg| of(arg)).any(|tensor| is_there(tensor, target));
    target.filter(|_| is_any).map(Arc::clone)
}

/// Whether a tensor lies on the device.
fn is_there(tensor: &Tensor, device: Option<&Arc<dyn Device>>) -> bool {
    device.zip(tensor.device()).is_some_and(|(device, its)| Arc::ptr_eq(device, its))
}

/// Where the elements of a tensor lie, one behind the other, and what keeps them there; and whether that is the device.
pub(super) fn laid_out(
    tensor: &Tensor,
    device: Option<&Arc<dyn Device>>,
    vm: &VirtualMachine,
) -> PyResult<(u64, Tensor, bool)> {
    if is_there(tensor, device) {
        let dense = tensor.as_dense().map_err(|error| raised(error, vm))?;
        let first = dense.address_there().map_err(|error| raised(error, vm))?;
        return Ok((first.ok_or_else(|| bug(vm, "it lies on the device"))?, dense, true));
    }
    copied_unasked(tensor)?;
    let dense = tensor.to_host().and_then(|it| it.as_dense()).map_err(|error| raised(error, vm))?;
    let first = dense.buf().data().expose_provenance() as u64;
    let first = first.wrapping_add_signed(dense.start() as i64 * dense.dtype().size() as i64);
    Ok((first, dense, false))
}

/// Tells that a tensor is copied, if it lies on another device.
fn copied_unasked(tensor: &Tensor) -> PyResult<()> {
    if tensor.device().is_some() {
        tensor.buf().data();
        tensor::raise_pending()?;
    }
    Ok(())
}

/// Room for the results of a kernel, and where that is: on the device, or in this machine's memory.
pub(super) fn room(
    dtype: Dtype,
    shape: &[usize],
    device: Option<&Arc<dyn Device>>,
    vm: &VirtualMachine,
) -> PyResult<(Tensor, *mut u8)> {
    let made = match device {
        Some(device) => Tensor::unwritten(device, dtype, shape)
            .map(|(tensor, first)| (tensor, std::ptr::with_exposed_provenance_mut(first as usize))),
        None => Tensor::zeros(dtype, shape).map(|tensor| {
            let first = tensor.buf().data();
            (tensor, first)
        }),
    };
    made.map_err(|error| raised(error, vm))
}

/// The arguments for the plain function, which looks at elements one by one: what lies on a device as a copy. What is not on
/// the device that the kernel is for is copied unasked.
pub(super) fn plain(
    args: &[PyObjectRef],
    device: Option<&Arc<dyn Device>>,
    vm: &VirtualMachine,
) -> PyResult<Vec<PyObjectRef>> {
    let one = |arg: &PyObjectRef| {
        let Some(tensor) = of(arg).filter(|it| it.device().is_some()) else { return Ok(arg.clone()) };
        if !is_there(tensor, device) {
            copied_unasked(tensor)?;
        }
        tensor::object(tensor.to_host().map_err(|error| raised(error, vm))?, vm)
    };
    args.iter().map(one).collect()
}

/// What the plain function has given for each index, as an array of the library.
pub(super) fn of_objects(
    request: &Request,
    column: &[PyObjectRef],
    device: Option<&Arc<dyn Device>>,
    vm: &VirtualMachine,
) -> PyResult {
    let natural = |object: &PyObject| match of(object) {
        Some(tensor) => tensor.dtype(),
        None if object.downcast_ref::<PyFloat>().is_some() => Dtype::F64,
        None if object.downcast_ref::<PyBool>().is_some() => Dtype::Bool,
        None => Dtype::I64,
    };
    let dtype = request.dtype.unwrap_or_else(|| column.first().map_or(Dtype::F64, |it| natural(it)));
    let items: Vec<Item> = column.iter().map(|it| item(it, dtype, vm)).collect::<PyResult<_>>()?;
    let shape: Vec<usize> = request.shape.iter().map(|&extent| extent as usize).collect();
    let mut made = make::from_items(dtype, &items, &shape).map_err(|error| raised(error, vm))?;
    if let Some(device) = device {
        made = made.to_device(device).map_err(|error| raised(error, vm))?;
    }
    tensor::object(made, vm)
}

/// What an array of a dtype stores of an object.
fn item(object: &PyObjectRef, dtype: Dtype, vm: &VirtualMachine) -> PyResult<Item> {
    if let Some(element) = of(object).and_then(Tensor::only_item) {
        return Ok(element);
    }
    if let Some(float) = object.downcast_ref::<PyFloat>() {
        return Ok(Item::Float(float.to_f64()));
    }
    if let Some(truth) = object.downcast_ref::<PyBool>() {
        return Ok(Item::Bool(truth.as_object().is(&vm.ctx.true_value)));
    }
    let int: i64 = match object.downcast_ref::<PyInt>() {
        Some(int) => int.try_to_primitive(vm)?,
        None => return Err(vm.new_type_error(format!("must be a number, not {}", object.class().name()))),
    };
    match dtype {
        Dtype::I32 if i32::try_from(int).is_err() => Err(vm.new_overflow_error("an integer does not fit in 32 bits")),
        _ => Ok(Item::Int(int)),
    }
}

/// A number of Python of what the plain function has given.
pub(super) fn number(object: PyObjectRef, vm: &VirtualMachine) -> PyObjectRef {
    match of(&object).and_then(Tensor::only_item) {
        Some(Item::Bool(it)) => vm.ctx.new_bool(it).into(),
        Some(Item::Int(it)) => vm.ctx.new_int(it).into(),
        Some(Item::Float(it)) => vm.ctx.new_float(it).into(),
        None => object,
    }
}

fn raised(error: TensorError, vm: &VirtualMachine) -> rustpython_vm::builtins::PyBaseExceptionRef {
    match tensor::library() {
        Some(library) => library.exception(error, vm),
        None => vm.new_runtime_error(error.to_string()),
    }
}
