//! `dict(zip(x, y))`, without asking the iterator for `keys`, and without a tuple for each pair.

use rustpython_vm::builtins::PyTuple;
use rustpython_vm::protocol::{PyIter, PyIterReturn};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

use crate::host::native::is_native_type;

/// The dict of the pairs that an iterator gives; `None` if it is none that gives nothing else.
pub(super) fn dict(callable: &PyObject, operands: &[PyObjectRef], vm: &VirtualMachine) -> Option<PyResult> {
    let [iterator] = operands else { return None };
    let types = &vm.ctx.types;
    if !callable.is(types.dict_type) {
        return None;
    }
    if iterator.class().is(types.zip_type) {
        let over = iterator.gc_get_referents();
        return match <[PyObjectRef; 2]>::try_from(over) {
            Ok(over) if over.iter().all(|it| is_native_type(it.class())) => Some(zipped(iterator, over, vm)),
            Ok(_) => Some(paired(iterator, vm)),
            Err(_) => None,
        };
    }
    iterator.class().is(types.enumerate_type).then(|| paired(iterator, vm))
}

fn paired(iterator: &PyObject, vm: &VirtualMachine) -> PyResult {
    let dict = vm.ctx.new_dict();
    let pairs = PyIter::new(iterator);
    while let PyIterReturn::Return(pair) = pairs.next(vm)? {
        let Some([key, value]) = pair.downcast_ref::<PyTuple>().map(|it| it.as_slice()) else {
            return Err(crate::staging_error::bug(vm, "no pair"));
        };
        dict.inner_setitem(&**key, value.clone(), vm)?;
    }
    Ok(dict.into())
}

/// The same of a `zip` of two native iterators, which are asked in its place. Native ones that have ended stay so.
fn zipped(zip: &PyObject, over: [PyObjectRef; 2], vm: &VirtualMachine) -> PyResult {
    let dict = vm.ctx.new_dict();
    let [keys, values] = over.map(PyIter::new);
    while let PyIterReturn::Return(key) = keys.next(vm)? {
        match values.next(vm)? {
            PyIterReturn::Return(value) => dict.inner_setitem(&*key, value, vm)?,
            PyIterReturn::StopIteration(_) if is_strict(zip, vm)? => {
                return Err(vm.new_value_error("zip() argument 2 is shorter than argument 1"));
            }
            PyIterReturn::StopIteration(_) => return Ok(dict.into()),
        }
    }
    // A strict one asks the other whether it has ended, too.
    PyIter::new(zip).next(vm)?;
    Ok(dict.into())
}

fn is_strict(zip: &PyObject, vm: &VirtualMachine) -> PyResult<bool> {
    let reduced = vm.call_method(zip, "__reduce__", ())?;
    Ok(reduced.downcast_ref::<PyTuple>().is_some_and(|it| it.len() == 3))
}
