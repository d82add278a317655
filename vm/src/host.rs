//! What rustpython-vm keeps to itself, and how the evaluator gets at it.
//!
//! Functions, cells, frames and buffers of RustPython have private fields and private constructors.
//! Everything here goes the public way round (type slots, descriptors, the buffer protocol), so that
//! one module has to be read again when the pinned version changes. Nothing here knows staging.

pub mod array;
pub mod belongs;
pub(crate) mod carried;
pub mod cell;
mod descriptor;
pub(crate) mod drawn;
pub(crate) mod effort;
pub mod function;
pub mod machine;
pub(crate) mod memory;
pub(crate) mod named_tuple;
pub mod native;
pub(crate) mod operator;
pub mod patch;
pub mod prepare;
pub mod pure;
pub(crate) mod resume;
pub(crate) mod set_in_place;
pub(crate) mod set_only;
pub(crate) mod slots;
pub(crate) mod steps;
pub(crate) mod suspend;
pub(crate) mod table;
#[cfg(test)]
pub(crate) mod test_vm;
pub mod traceback;
pub(crate) mod watched;
pub mod weak;

use rustpython_vm::builtins::PyTypeRef;
use rustpython_vm::{PyResult, VirtualMachine};

/// A new object of a class, by `object.__new__`: without `__init__`.
pub(crate) fn new_object(class: &PyTypeRef, vm: &VirtualMachine) -> PyResult {
    let new = vm.ctx.types.object_type.get_attr(vm.ctx.intern_str("__new__"));
    new.expect("every class has it").call((class.clone(),), vm)
}
