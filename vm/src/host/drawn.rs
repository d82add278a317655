//! What is left of an unpacking that compiled code has begun: the items that it has drawn, and those that are still to come.

use std::collections::VecDeque;

use rustpython_vm::class::PyClassImpl;
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::protocol::{PyIter, PyIterReturn};
use rustpython_vm::types::{IterNext, Iterable, SelfIter};
use rustpython_vm::{Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

/// Stands for a generator on the stack of the instruction that unpacks it.
#[pyclass(module = "snekpy", name = "_Drawn")]
#[derive(Debug, PyPayload)]
struct Drawn {
    items: PyMutex<VecDeque<PyObjectRef>>,
    generator: PyObjectRef,
}

#[pyclass(with(IterNext, Iterable))]
impl Drawn {}

impl SelfIter for Drawn {}

impl IterNext for Drawn {
    fn next(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<PyIterReturn> {
        let item = zelf.items.lock().pop_front();
        match item {
            Some(item) => Ok(PyIterReturn::Return(item)),
            None => PyIter::new(&*zelf.generator).next(vm),
        }
    }
}

/// The items that a generator has given, and then its next ones.
pub(crate) fn before(items: &[PyObjectRef], generator: &PyObjectRef, vm: &VirtualMachine) -> PyObjectRef {
    Drawn { items: PyMutex::new(items.to_vec().into()), generator: generator.clone() }.into_pyobject(vm)
}

/// Makes the class, once in the process.
pub(crate) fn make_class() {
    let _class = Drawn::make_static_type();
}
