//! What compiled code hands on, as it is in the call that the code is made for: what a crossing gives is guessed by that.
//!
//! A guess decides nothing but what code is made first. Where something else comes, the call leaves, and the next code
//! knows that (`code/seen.rs`).

use std::sync::OnceLock;

use rustc_hash::FxHashMap as HashMap;
use rustpython_vm::builtins::{PyDict, PyList, PyTuple};
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::{PyObjectRef, VirtualMachine};
use snekpy_stage::entity::Value;

use crate::capture::session::Session;
use crate::capture::value;
use crate::object::{self, Operation};

/// The objects of the call.
#[derive(Default)]
pub(crate) struct Samples {
    /// By local variable, what is passed.
    pub(crate) passed: Vec<Option<PyObjectRef>>,
    of: HashMap<Value, PyObjectRef>,
}

impl Samples {
    /// An object like the one that a value is a handle of.
    pub(crate) fn of_value(&self, handle: Value) -> Option<PyObjectRef> {
        self.of.get(&handle).cloned()
    }
}

impl Session<'_> {
    /// A handle is that of this object, or of one like it. That of an iterator stands for what it goes over.
    pub(crate) fn has_sample(&mut self, handle: &PyObjectRef, sample: Option<PyObjectRef>) {
        if let (Some((value, _)), Some(sample)) = (value::handle(handle), sample) {
            self.samples.of.insert(value, sample);
        }
    }

    /// An object like the one that a handle is of.
    pub(crate) fn sample_of(&self, handle: &PyObjectRef) -> Option<PyObjectRef> {
        self.samples.of_value(value::handle(handle)?.0)
    }

    /// What a crossing may give.
    pub(crate) fn guess(&self, operation: &Operation, operands: &[PyObjectRef]) -> Option<PyObjectRef> {
        let vm = self.vm;
        let object = self.sample_of(operands.first()?)?;
        match operation {
            Operation::Attribute(name) => object::attribute_at(&object, name, &OnceLock::new(), vm),
            Operation::Iterate => item(&object, vm).is_some().then_some(object),
            Operation::Next | Operation::Binary(BinaryOperator::Subscr) => item(&object, vm),
            Operation::Method { name, .. } if matches!(name.as_str(), "pop" | "popleft" | "get") => item(&object, vm),
            _ => None,
        }
    }
}

/// An item of a container.
fn item(object: &PyObjectRef, vm: &VirtualMachine) -> Option<PyObjectRef> {
    if let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) {
        return list.borrow_vec().first().cloned();
    }
    if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
        return tuple.as_slice().first().cloned();
    }
    object.downcast_ref_if_exact::<PyDict>(vm)?.next_entry(0).map(|(_, _, value)| value)
}
