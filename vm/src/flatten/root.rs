//! Where an object is found in the arguments of a call.

use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::{PyDict, PyList, PyTuple};
use rustpython_vm::vm::thread::try_with_current_vm;

use crate::host::{self, cell};

/// Which argument, and where inside it: the local variable, then indices into nested tuples and lists.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Root {
    /// The local variable that the argument is bound to.
    pub(crate) local: usize,
    /// Indices, outermost first.
    pub(crate) path: Vec<usize>,
}

/// In a [`Root`]: the dict of an object's attributes.
pub(crate) const ATTRIBUTES: usize = usize::MAX;

/// The item of a tuple or list, the value of a dict of keyword arguments or of an object's attributes, or what is in a cell.
pub(crate) fn item(object: &PyObjectRef, index: usize) -> Option<PyObjectRef> {
    if index == ATTRIBUTES {
        object.dict().map(Into::into)
    } else if let Some(tuple) = object.downcast_ref::<PyTuple>() {
        tuple.as_slice().get(index).cloned()
    } else if let Some(dict) = object.downcast_ref::<PyDict>() {
        dict.into_iter().nth(index).map(|(_, value)| value)
    } else if let Some(list) = object.downcast_ref::<PyList>() {
        list.borrow_vec().get(index).cloned()
    } else {
        match object.dict() {
            Some(dict) => dict.into_iter().nth(index).map(|(_, value)| value),
            None => match try_with_current_vm(|vm| cell::is_cell(object, vm).then(|| cell::cell_get(object, vm))) {
                Some(Some(content)) => content,
                Some(None) | None => host::slots::attribute(object, index),
            },
        }
    }
}
