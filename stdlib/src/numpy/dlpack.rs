//! DLPack: memory of arrays lent to whoever knows the protocol, and borrowed, without a copy.
//!
//! A capsule holds a `DLManagedTensor` until somebody takes it out; who has it calls its deleter.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use rustpython_vm::builtins::PyCapsule;
use rustpython_vm::{PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};
use snekpy_stage::tensor::{Dims, Dtype, Steps, Tensor, TensorBuf};

use super::error::OrRaise;

/// The name of a capsule that nobody has taken anything out of.
const NAME: &CStr = c"dltensor";
/// Memory of this machine.
const CPU: i32 = 1;

#[repr(C)]
struct Device {
    kind: i32,
    number: i32,
}

#[repr(C)]
struct DataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct Lent {
    data: *mut c_void,
    device: Device,
    rank: i32,
    dtype: DataType,
    dims: *mut i64,
    steps: *mut i64,
    offset: u64,
}

#[repr(C)]
struct Managed {
    tensor: Lent,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// What one of our tensors is lent with.
struct Export {
    managed: Managed,
    dims: Vec<i64>,
    steps: Vec<i64>,
    _memory: Arc<TensorBuf>,
}

const fn code_of(dtype: Dtype) -> u8 {
    match dtype {
        Dtype::I32 | Dtype::I64 => 0,
        Dtype::F16 | Dtype::F32 | Dtype::F64 => 2,
        Dtype::Bf16 => 4,
        Dtype::Bool => 6,
    }
}

/// A capsule with the memory of a tensor.
pub(super) fn lend(tensor: &Tensor, vm: &VirtualMachine) -> PyResult {
    if let Some(device) = tensor.device() {
        let message = format!("the array is on {}: x.to(\"cpu\") can be exported", device.name());
        return Err(vm.new_buffer_error(message));
    }
    if !tensor.buf().is_writable() {
        return Err(
            vm.new_buffer_error("Cannot export readonly array since signalling readonly is unsupported by DLPack")
        );
    }
    let dtype = tensor.dtype();
    let mut export = Box::new(Export {
        managed: Managed {
            tensor: Lent {
                data: tensor.buf().data().wrapping_offset(tensor.start() * dtype.size() as isize).cast(),
                device: Device { kind: CPU, number: 0 },
                rank: tensor.rank() as i32,
                dtype: DataType { code: code_of(dtype), bits: 8 * dtype.size() as u8, lanes: 1 },
                dims: std::ptr::null_mut(),
                steps: std::ptr::null_mut(),
                offset: 0,
            },
            context: std::ptr::null_mut(),
            deleter: Some(delete),
        },
        dims: tensor.dims().iter().map(|it| *it as i64).collect(),
        steps: tensor.steps().iter().map(|it| *it as i64).collect(),
        _memory: Arc::clone(tensor.buf()),
    });
    export.managed.tensor.dims = export.dims.as_mut_ptr();
    export.managed.tensor.steps = export.steps.as_mut_ptr();
    let export = Box::into_raw(export);
    // SAFETY: it was made above; the field has the address that its deleter is given.
    unsafe { (*export).managed.context = export.cast() };
    // SAFETY: as above.
    let managed = unsafe { &raw mut (*export).managed };
    Ok(PyCapsule::new(managed.cast(), Some(NAME), Some(forget)).into_ref(&vm.ctx).into())
}

/// # Safety
/// Called once, with what [`lend`] has made.
unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: the context is the export that this belongs to.
    drop(unsafe { Box::from_raw((*managed).context.cast::<Export>()) });
}

/// A capsule ends from which nothing was taken.
///
/// # Safety
/// Called with a capsule of [`lend`].
unsafe extern "C" fn forget(capsule: *mut PyObject) {
    // SAFETY: RustPython gives the object that ends.
    let Some(capsule) = (unsafe { &*capsule }).downcast_ref::<PyCapsule>() else { return };
    let managed = capsule.pointer().cast::<Managed>();
    if !managed.is_null() {
        // SAFETY: nobody has taken it.
        unsafe { delete(managed) };
    }
}

/// Memory of somebody else.
struct Borrowed(NonNull<Managed>);

// SAFETY: whoever lends memory by DLPack allows that it is given back on any thread.
unsafe impl Send for Borrowed {}
// SAFETY: nothing of it is reached through a shared reference.
unsafe impl Sync for Borrowed {}

impl Drop for Borrowed {
    fn drop(&mut self) {
        // SAFETY: it was taken out of a capsule, and this is called once.
        unsafe {
            if let Some(deleter) = self.0.as_ref().deleter {
                deleter(self.0.as_ptr());
            }
        }
    }
}

/// The tensor over the memory in a capsule, which is empty afterwards.
pub(super) fn borrow(capsule: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Tensor> {
    let named = capsule.downcast_ref::<PyCapsule>().filter(|it| it.name() == Some(NAME));
    let Some(managed) = named.and_then(|it| NonNull::new(it.pointer().cast::<Managed>())) else {
        return Err(vm.new_value_error("a capsule of a DLPack tensor that nobody has used is expected"));
    };
    // SAFETY: a capsule of this name holds one.
    let lent = unsafe { &managed.as_ref().tensor };
    let found = Dtype::ALL.into_iter().find(|it| {
        code_of(*it) == lent.dtype.code && 8 * it.size() == usize::from(lent.dtype.bits) && lent.dtype.lanes == 1
    });
    let Some(dtype) = found else {
        return Err(vm.new_buffer_error("the elements of this DLPack tensor are of a dtype that snekpy.numpy has not"));
    };
    if lent.device.kind != CPU {
        return Err(vm.new_buffer_error("this DLPack tensor lies on a device"));
    }
    let rank = usize::try_from(lent.rank).map_err(|_| vm.new_buffer_error("a tensor with a negative rank"))?;
    let (mut dims, mut steps) = (Dims::new(), Steps::new());
    for axis in 0..rank {
        // SAFETY: there is a size for each axis.
        let dim = unsafe { *lent.dims.add(axis) };
        dims.push(usize::try_from(dim).unwrap_or(0)).or_raise(vm)?;
    }
    let mut dense = dims.iter().product::<usize>() as i64;
    for axis in 0..rank {
        dense /= (dims[axis] as i64).max(1);
        // SAFETY: there is a step for each axis, or none at all.
        let step = if lent.steps.is_null() { dense } else { unsafe { *lent.steps.add(axis) } };
        steps.push(step as isize).or_raise(vm)?;
    }
    let size = dtype.size();
    let reach = |backwards: bool| -> isize {
        let axes = dims.iter().zip(steps.iter()).filter(|(_, step)| (**step < 0) == backwards);
        axes.map(|(dim, step)| (*dim as isize - 1) * step).sum()
    };
    let taken = capsule.downcast_ref::<PyCapsule>().expect("it was looked at");
    if dims.contains(&0) {
        taken.set_pointer(std::ptr::null_mut());
        drop(Borrowed(managed));
        return Tensor::zeros(dtype, &dims).or_raise(vm);
    }
    let (low, high) = (reach(true), reach(false));
    let first = lent.data.cast::<u8>().wrapping_add(lent.offset as usize).wrapping_offset(low * size as isize);
    let Some(data) = NonNull::new(first).filter(|it| it.addr().get().is_multiple_of(size)) else {
        return Err(vm.new_buffer_error("this memory is not aligned"));
    };
    taken.set_pointer(std::ptr::null_mut());
    let bytes = (high - low + 1) as usize * size;
    // SAFETY: the lender says that these elements are there until they are given back.
    let buf = unsafe { TensorBuf::foreign(data, bytes, true, Box::new(Borrowed(managed))) };
    // SAFETY: as above.
    Ok(unsafe { Tensor::view(Arc::new(buf), dtype, -low, dims, steps) })
}
