//! The memory of `array.array` and `memoryview` objects, for compiled code.
//!
//! [`array_view`] takes a buffer export, which forbids resizing for as long as it is held, and reads
//! the address under the object's lock, which it gives back at once: an `array` keeps its items in
//! a vector behind a read-write lock, and holding that lock while compiled code runs would block a
//! second view of the same array, every other thread that reads it, and the array itself when
//! compiled code calls back into Python. So one array can be viewed any number of times, and
//! elements that other threads write at the same time are as undefined as in any other program
//! that shares memory without locks.

use rustpython_vm::{
    AsObject, Py, PyObject, PyResult, VirtualMachine,
    builtins::PyType,
    protocol::{BufferDescriptor, BufferFlags, PyBuffer},
    types::PyTypeFlags,
};
use snekpy_stage::types::Elem;
use std::{
    ffi::c_long,
    ptr,
    sync::atomic::{AtomicUsize, Ordering},
};

/// The elements of an array.
///
/// `ptr` stays valid, and `len` right, until the view is dropped. It must be dropped on a thread
/// that is attached to the VM.
#[derive(Debug)]
pub struct ArrayView {
    /// How elements are stored.
    pub elem: Elem,
    /// The first element; aligned for `elem`, and not null even if there is none.
    pub ptr: *mut u8,
    /// How many elements there are.
    pub len: usize,
    /// Keeps the object alive and its size fixed.
    _export: PyBuffer,
}

/// The elements of an `array.array` of type `d f q l`, or of a writable, contiguous, one-dimensional
/// `memoryview` of format `d f q l ?` (`l` where it has eight bytes).
///
/// `None` for every other object, for instances of subclasses of `array` (they may read and write
/// differently), for a view whose memory is not aligned, and for a view of truth values that contains
/// bytes other than 0 and 1. A `memoryview` that has been released raises, as it does everywhere.
pub fn array_view(obj: &PyObject, vm: &VirtualMachine) -> PyResult<Option<ArrayView>> {
    let Some((elem, export)) = export(obj, vm)? else { return Ok(None) };
    let len = export.desc.len / elem.size();
    if len == 0 {
        // The vector may not have allocated, and an empty view may lie anywhere.
        return Ok(Some(ArrayView { elem, ptr: ptr::without_provenance_mut(align_of::<u64>()), len, _export: export }));
    }
    let ptr = {
        let Some(mut bytes) = export.as_contiguous_mut() else { return Ok(None) };
        if elem == Elem::Bool && bytes.iter().any(|byte| *byte > 1) {
            return Ok(None);
        }
        bytes.as_mut_ptr()
    };
    let aligned = ptr.addr().is_multiple_of(elem.size());
    Ok(aligned.then_some(ArrayView { elem, ptr, len, _export: export }))
}

/// What [`array_view`] would show, without looking at the elements: their type and number.
///
/// The object is exported for the moment of asking; nothing is held afterwards.
pub fn array_elem(obj: &PyObject, vm: &VirtualMachine) -> Option<(Elem, usize)> {
    let (elem, export) = export(obj, vm).ok()??;
    Some((elem, export.desc.len / elem.size()))
}

/// A buffer of elements that compiled code can use.
fn export(obj: &PyObject, vm: &VirtualMachine) -> PyResult<Option<(Elem, PyBuffer)>> {
    let class = obj.class();
    if !is_array(class) && !class.is(vm.ctx.types.memoryview_type) {
        return Ok(None);
    }
    let export = PyBuffer::from_object(vm, obj, BufferFlags::FULL_RO)?;
    Ok(usable(&export.desc).map(|elem| (elem, export)))
}

/// The element type of a buffer, if it is flat, writable and of a known format.
fn usable(desc: &BufferDescriptor) -> Option<Elem> {
    let [(_, _, suboffset)] = desc.dim_desc[..] else { return None };
    if desc.readonly || suboffset != 0 || !desc.is_contiguous() {
        return None;
    }
    let elem = match desc.format.strip_prefix('@').unwrap_or(&desc.format) {
        "d" => Elem::F64,
        "f" => Elem::F32,
        "i" => Elem::I32,
        "q" => Elem::I64,
        "l" if size_of::<c_long>() == 8 => Elem::I64,
        "?" => Elem::Bool,
        _ => return None,
    };
    (desc.itemsize == elem.size()).then_some(elem)
}

/// Whether this is the class `array.array` itself.
fn is_array(class: &Py<PyType>) -> bool {
    // The class lives in rustpython-stdlib, which this crate does not depend on. It is known by its
    // name and by being native; being native, it is never freed, so its address can be kept.
    static ARRAY: AtomicUsize = AtomicUsize::new(0);
    let address = class.get_id();
    let known = ARRAY.load(Ordering::Relaxed);
    if known != 0 {
        return address == known;
    }
    let native = !class.slots.flags.has_feature(PyTypeFlags::HEAPTYPE);
    let found = native && &*class.slot_name() == "array.array";
    if found {
        ARRAY.store(address, Ordering::Relaxed);
    }
    found
}

#[cfg(test)]
mod tests;
