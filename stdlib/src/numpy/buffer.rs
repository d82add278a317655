//! The buffer protocol in both directions: memory is shared, not copied.

use std::ffi::c_long;
use std::ptr::NonNull;
use std::sync::Arc;

use rustpython_vm::protocol::{BufferDescriptor, BufferFlags, BufferMethods, PyBuffer};
use rustpython_vm::types::AsBuffer;
use rustpython_vm::{Py, PyObject, PyResult, VirtualMachine};
use snekpy_stage::tensor::{Dims, Dtype, Steps, Tensor, TensorBuf};

use super::array::NdArray;
use super::error::OrRaise;

/// The dtype of a format of the `struct` module.
fn dtype_of(format: &str) -> Option<Dtype> {
    match format.trim_start_matches(['@', '=', '<']) {
        "?" => Some(Dtype::Bool),
        "i" => Some(Dtype::I32),
        "q" => Some(Dtype::I64),
        "l" if size_of::<c_long>() == 8 => Some(Dtype::I64),
        "e" => Some(Dtype::F16),
        "f" => Some(Dtype::F32),
        "d" => Some(Dtype::F64),
        _ => None,
    }
}

/// The format of a dtype, if it has one.
pub(super) fn format_of(dtype: Dtype) -> Option<&'static str> {
    match dtype {
        Dtype::Bool => Some("?"),
        Dtype::I32 => Some("i"),
        Dtype::I64 => Some("l"),
        Dtype::F16 => Some("e"),
        Dtype::Bf16 => None,
        Dtype::F32 => Some("f"),
        Dtype::F64 => Some("d"),
    }
}

/// A tensor over the memory of an object, which stays exported for as long as there is a view of it.
pub(super) fn import(object: &PyObject, vm: &VirtualMachine) -> PyResult<Tensor> {
    let export = PyBuffer::from_object(vm, object, BufferFlags::FULL_RO)?;
    let dtype = dtype_of(&export.desc.format)
        .ok_or_else(|| vm.new_type_error(format!("elements of format '{}' are not supported", export.desc.format)))?;
    let size = dtype.size() as isize;
    let (mut dims, mut steps) = (Dims::new(), Steps::new());
    for (dim, stride, suboffset) in export.desc.dim_desc.iter().copied() {
        if suboffset != 0 || stride % size != 0 {
            return Err(vm.new_buffer_error("this memory has no even steps"));
        }
        dims.push(dim).or_raise(vm)?;
        steps.push(stride / size).or_raise(vm)?;
    }
    if dims.contains(&0) {
        return Tensor::zeros(dtype, &dims).or_raise(vm);
    }
    let (data, bytes) = {
        let bytes = export.obj_bytes();
        (bytes.as_ptr().cast_mut(), bytes.len())
    };
    let offset = export.desc.offset;
    if offset % size != 0 || !data.addr().is_multiple_of(dtype.size()) {
        return Err(vm.new_buffer_error("this memory is not aligned"));
    }
    let data = NonNull::new(data).expect("memory with elements in it has an address");
    let writable = !export.desc.readonly;
    // SAFETY: the export keeps the memory where it is; it is written only if the exporter allows it.
    let buf = unsafe { TensorBuf::foreign(data, bytes, writable, Box::new(export)) };
    // SAFETY: the exporter says that these elements are inside its memory.
    Ok(unsafe { Tensor::view(Arc::new(buf), dtype, offset / size, dims, steps) })
}

/// A tensor of one axis over the bytes of an object.
pub(super) fn from_bytes(object: &PyObject, dtype: Dtype, vm: &VirtualMachine) -> PyResult<Tensor> {
    let export = PyBuffer::from_object(vm, object, BufferFlags::FULL_RO)?;
    if !export.desc.is_contiguous() {
        return Err(vm.new_value_error("ndarray is not contiguous"));
    }
    let len = export.desc.len;
    if len % dtype.size() != 0 {
        return Err(vm.new_value_error("buffer size must be a multiple of element size"));
    }
    let (data, bytes) = {
        let bytes = export.obj_bytes();
        (bytes.as_ptr().cast_mut(), bytes.len())
    };
    let start = data.wrapping_offset(export.desc.offset);
    let dims = Dims::from_slice(&[len / dtype.size()]).or_raise(vm)?;
    let usable = start.addr().is_multiple_of(dtype.size()) && export.desc.offset % dtype.size() as isize == 0;
    let Some(data) = NonNull::new(data).filter(|_| usable && len > 0) else {
        // Not aligned: a copy.
        let copy = Tensor::zeros(dtype, &dims).or_raise(vm)?;
        // SAFETY: the copy is new and has that many bytes; the export keeps the source.
        unsafe { std::ptr::copy_nonoverlapping(start, copy.buf().data(), len) };
        return Ok(copy);
    };
    let (writable, offset) = (!export.desc.readonly, export.desc.offset);
    // SAFETY: the export keeps the memory where it is; it is written only if the exporter allows it.
    let buf = unsafe { TensorBuf::foreign(data, bytes, writable, Box::new(export)) };
    let steps = Steps::repeat(1, 1);
    // SAFETY: the range was measured above.
    Ok(unsafe { Tensor::view(Arc::new(buf), dtype, offset / dtype.size() as isize, dims, steps) })
}

fn memory(buffer: &PyBuffer) -> (*mut u8, usize) {
    let buf = buffer.obj_as::<NdArray>().tensor.buf();
    (buf.data(), buf.bytes())
}

static METHODS: BufferMethods = BufferMethods {
    obj_bytes: |buffer| {
        let (data, bytes) = memory(buffer);
        // SAFETY: the array keeps its memory, and the buffer keeps the array.
        unsafe { std::slice::from_raw_parts(data, bytes) }.into()
    },
    obj_bytes_mut: |buffer| {
        let (data, bytes) = memory(buffer);
        // SAFETY: as above; the descriptor says whether it may be written.
        unsafe { std::slice::from_raw_parts_mut(data, bytes) }.into()
    },
    release: |_| {},
    retain: |_| {},
};

impl AsBuffer for NdArray {
    fn as_buffer(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<PyBuffer> {
        let tensor = &zelf.tensor;
        if let Some(device) = tensor.device() {
            let name = device.name();
            return Err(vm.new_buffer_error(format!("the array is on {name}: x.to(\"cpu\") has a buffer")));
        }
        let format = format_of(tensor.dtype())
            .ok_or_else(|| vm.new_buffer_error(format!("{} has no format", tensor.dtype().name())))?;
        let size = tensor.dtype().size();
        let dims = tensor.dims().iter().zip(tensor.steps().iter());
        let desc = BufferDescriptor {
            len: tensor.count() * size,
            offset: tensor.start() * size as isize,
            readonly: !tensor.buf().is_writable(),
            itemsize: size,
            format: format.into(),
            dim_desc: dims.map(|(dim, step)| (*dim, step * size as isize, 0)).collect(),
        };
        Ok(PyBuffer::new(zelf.to_owned().into(), desc, &METHODS))
    }
}
