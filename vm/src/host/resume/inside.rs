//! A builtin over code of the program that is interrupted between two items: the exception is raised where the program's
//! code runs next, inside the builtin, so that its handlers see it and its frame is in the traceback.

use rustpython_vm::builtins::{PyBaseExceptionRef, PyGenerator, PyTuple};
use rustpython_vm::class::PyClassImpl;
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::protocol::{PyIter, PyIterReturn};
use rustpython_vm::types::{IterNext, Iterable, SelfIter};
use rustpython_vm::{Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::Landing;
use crate::code::is_helper;
use crate::host::function::{self, FunctionParts};
use crate::host::traceback::{TraceEntry, add_traceback};

/// Stands for a generator on the stack of a builtin: the first item that it is asked for raises in the generator.
#[pyclass(module = "snekpy", name = "_Interrupted")]
#[derive(Debug, PyPayload)]
struct Interrupted {
    generator: PyObjectRef,
    exception: PyMutex<Option<PyBaseExceptionRef>>,
}

#[pyclass(with(IterNext, Iterable))]
impl Interrupted {}

impl SelfIter for Interrupted {}

impl IterNext for Interrupted {
    fn next(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<PyIterReturn> {
        let exception = zelf.exception.lock().take();
        match exception {
            // What it yields after it has handled that is the next item.
            Some(exception) => PyIterReturn::from_pyresult(vm.call_method(&zelf.generator, "throw", (exception,)), vm),
            None => PyIter::new(&*zelf.generator).next(vm),
        }
    }
}

/// Makes the native classes of this module.
pub(crate) fn make_classes() {
    let _class = Interrupted::make_static_type();
}

/// Whether an iterator is an object of the program, whose items its own code computes.
pub(crate) fn is_code_of_the_program(iterator: &PyObject, vm: &VirtualMachine) -> bool {
    next_method(iterator, vm).is_some()
}

/// The `__next__` of an iterator, if it is a function of Python.
fn next_method(iterator: &PyObject, vm: &VirtualMachine) -> Option<FunctionParts> {
    let found = iterator.class().get_attr(vm.ctx.intern_str("__next__"))?;
    function::parts(&found, vm).ok()?
}

/// Has an exception raised in the code that computes the next item for a builtin, which is about to ask the iterator on
/// top of its stack for one. Gives it back, with what its traceback shows then, where it is to be raised in the builtin.
pub(crate) fn interrupt_source(
    landing: &mut Landing,
    variables: usize,
    exception: PyBaseExceptionRef,
    vm: &VirtualMachine,
) -> PyResult<Option<PyBaseExceptionRef>> {
    let first = landing.values.first().and_then(|it| it.downcast_ref::<PyTuple>());
    let Some((first, source)) = first.and_then(|it| Some((it, it.as_slice().get(variables)?.clone()))) else {
        return Ok(Some(exception));
    };
    if let Some(generator) = source.downcast_ref::<PyGenerator>() {
        if is_helper(&generator.as_coro().code()) {
            return Ok(Some(exception));
        }
        let mut values = first.as_slice().to_vec();
        values[variables] =
            Interrupted { generator: source, exception: PyMutex::new(Some(exception)) }.into_pyobject(vm);
        landing.values[0] = vm.ctx.new_tuple(values).into();
        return Ok(None);
    }
    // Before its first instruction no handler of a function sees an exception.
    if let Some(next) = next_method(&source, vm) {
        add_traceback(&exception, &[TraceEntry { code: next.code, globals: next.globals, unit: 0 }], vm)?;
    }
    Ok(Some(exception))
}
