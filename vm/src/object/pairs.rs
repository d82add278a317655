//! `dict(zip(x, y))`, without asking the iterator for `keys` and each pair for its length.

use rustpython_vm::builtins::PyTuple;
use rustpython_vm::protocol::{PyIter, PyIterReturn};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

/// The dict of the pairs that an iterator gives; `None` if it is none that gives nothing else.
pub(super) fn dict(callable: &PyObject, operands: &[PyObjectRef], vm: &VirtualMachine) -> Option<PyResult> {
    let [iterator] = operands else { return None };
    let types = &vm.ctx.types;
    let gives_pairs = || {
        iterator.class().is(types.enumerate_type)
            || iterator.class().is(types.zip_type) && iterator.gc_get_referents().len() == 2
    };
    (callable.is(types.dict_type) && gives_pairs()).then(|| made(iterator, vm))
}

fn made(iterator: &PyObject, vm: &VirtualMachine) -> PyResult {
    let dict = vm.ctx.new_dict();
    let pairs = PyIter::new(iterator);
    while let PyIterReturn::Return(pair) = pairs.next(vm)? {
        let Some([key, value]) = pair.downcast_ref::<PyTuple>().map(|it| it.as_slice()) else {
            return Err(crate::exit::bug(vm, "no pair"));
        };
        dict.inner_setitem(&**key, value.clone(), vm)?;
    }
    Ok(dict.into())
}
