//! The position of a loop over a list.
//!
//! An iterator of RustPython's takes two locks for each item, which cost more than the rest of a crossing that asks for the
//! next one. Nobody else sees the iterator that a loop makes, so this one only remembers where it is, and is no part of a
//! cycle that the garbage collector would have to find.

use std::sync::atomic::{AtomicUsize, Ordering};

use rustpython_vm::builtins::{PyListRef, PyTupleRef};
use rustpython_vm::class::PyClassImpl;
use rustpython_vm::protocol::PyIterReturn;
use rustpython_vm::types::{IterNext, Iterable, SelfIter};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

/// Where an iterator is that has come to the end: it stays there, whatever becomes of the list.
const ENDED: usize = usize::MAX;

#[pyclass(module = false, name = "list_iterator")]
#[derive(Debug, PyPayload)]
pub(crate) struct Steps {
    list: PyListRef,
    at: AtomicUsize,
}

impl Steps {
    pub(crate) fn over(list: PyListRef) -> Self {
        Self { list, at: AtomicUsize::new(0) }
    }

    /// The list.
    pub(crate) fn list(&self) -> &PyObject {
        self.list.as_object()
    }

    /// The next item.
    #[inline]
    pub(crate) fn step(&self) -> Option<PyObjectRef> {
        let at = self.at.load(Ordering::Relaxed);
        let item = self.list.borrow_vec().get(at).cloned();
        self.at.store(if item.is_some() { at + 1 } else { ENDED }, Ordering::Relaxed);
        item
    }
}

#[pyclass(with(IterNext, Iterable))]
impl Steps {
    /// For copies of frames.
    #[pymethod]
    fn __reduce__(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<PyTupleRef> {
        let iter = vm.builtins.get_attr("iter", vm)?;
        Ok(match zelf.at.load(Ordering::Relaxed) {
            ENDED => vm.new_tuple((iter, (vm.ctx.new_list(Vec::new()),))),
            at => vm.new_tuple((iter, (zelf.list.clone(),), at)),
        })
    }
}

impl SelfIter for Steps {}

impl IterNext for Steps {
    fn next(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<PyIterReturn> {
        Ok(zelf.step().map_or(PyIterReturn::StopIteration(None), PyIterReturn::Return))
    }
}

/// Makes the class, once in the process.
pub(crate) fn make_class() {
    let _class = Steps::make_static_type();
}
