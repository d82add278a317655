//! Arrays of kernels that lie in the memory of a device.
//!
//! To a kernel such an array, which has one axis, is what an `array.array` of its elements would be. On the device that the
//! kernel is for, nothing is copied, and the results stay there.

use std::sync::Arc;

use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::tensor::device::Device;
use snekpy_stage::tensor::{Dtype, Tensor};
use snekpy_stage::types::Elem;

use super::launch::array_of_bytes;
use crate::exit::bug;
use crate::host::array::array_view;
use crate::tensor;

/// The tensor of an object, if a kernel takes it and it lies on a device.
pub(super) fn of(object: &PyObject) -> Option<(&Tensor, Elem)> {
    let tensor = tensor::of(object).filter(|it| it.device().is_some() && it.rank() == 1 && it.is_dense())?;
    Some((tensor, tensor.dtype().elem()?))
}

/// How the elements of such an object are stored.
pub(super) fn elem_of(object: &PyObject) -> Option<Elem> {
    of(object).map(|it| it.1)
}

/// The device on which the results of a kernel stay: that of an argument, if the kernel is for it.
pub(super) fn stays(args: &[PyObjectRef], target: Option<&Arc<dyn Device>>) -> Option<Arc<dyn Device>> {
    let is_any = args.iter().filter_map(|arg| of(arg)).any(|(tensor, _)| is_there(tensor, target));
    target.filter(|_| is_any).map(Arc::clone)
}

/// Whether a tensor lies on the device.
pub(super) fn is_there(tensor: &Tensor, device: Option<&Arc<dyn Device>>) -> bool {
    device.zip(tensor.device()).is_some_and(|(device, its)| Arc::ptr_eq(device, its))
}

/// The arguments for the plain function: what lies on a device as an `array.array`.
pub(super) fn plain(args: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
    let one = |arg: &PyObjectRef| {
        let Some((tensor, elem)) = of(arg) else { return Ok(arg.clone()) };
        let here = tensor.to_host().map_err(|error| vm.new_runtime_error(error.to_string()))?;
        let bytes = here.count() * elem.size();
        // SAFETY: what was copied is dense, and so one range.
        let bytes = unsafe { std::slice::from_raw_parts(here.buf().data(), bytes) };
        array_of_bytes(elem, bytes.to_vec(), vm)
    };
    args.iter().map(one).collect()
}

/// An `array.array` as an array of one axis on a device.
pub(super) fn moved(array: &PyObjectRef, elem: Elem, device: &Arc<dyn Device>, vm: &VirtualMachine) -> PyResult {
    let view = array_view(array, vm)?.ok_or_else(|| bug(vm, "an array has elements"))?;
    let library = tensor::library().ok_or_else(|| bug(vm, "an argument is an array of the library"))?;
    // SAFETY: the view holds so many elements.
    let bytes = unsafe { std::slice::from_raw_parts(view.ptr.cast_const().cast::<u8>(), view.len * elem.size()) };
    let made = Tensor::unwritten(device, Dtype::from_elem(elem), &[view.len])
        .and_then(|(tensor, first)| device.upload(first, bytes).map(|()| tensor));
    Ok(library.array(made.map_err(|error| library.exception(error, vm))?, vm))
}
