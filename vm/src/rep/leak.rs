//! A [`Rep`] that got out of the capture: into a native function, say, that compares or hashes its arguments.
//!
//! Whatever Python asks of every object has an answer by default (`==` compares identities, anything is
//! true), and each of them would be silently wrong for a value that is known later. So they all raise.

use std::cell::Cell;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyStr};
use rustpython_vm::common::hash::PyHash;
use rustpython_vm::function::PyComparisonValue;
use rustpython_vm::protocol::PyNumberMethods;
use rustpython_vm::types::{AsNumber, Comparable, Hashable, Iterable, PyComparisonOp, Representable};
use rustpython_vm::{AsObject, Py, PyObject, PyRef, PyResult, VirtualMachine};

use snekpy_stage::tensor::trace;
use snekpy_stage::types::Type;

use super::{Rep, StagedIterator, StagedObject, StagedValue};
use crate::kind;
use crate::scalar::type_name;

/// Any number that is the hash of few others.
const HASH_OF_MAPS: PyHash = 0x2d6d_6170_7323;

thread_local! {
    static ASKED: Cell<bool> = const { Cell::new(false) };
}

/// Whether native code has asked for a value that is known later, since this was last asked. It may have gone on
/// without an answer.
pub(crate) fn was_asked() -> bool {
    let looked = trace::was_looked_at();
    ASKED.replace(false) || looked
}

/// Whether an exception of native code names a class that stands for something known later: the program has another one.
pub(crate) fn names_one(exception: &PyBaseExceptionRef) -> bool {
    let args = exception.args();
    let text = args.as_slice().first().and_then(|it| it.downcast_ref::<PyStr>());
    text.is_some_and(|text| {
        let text = text.to_string_lossy();
        text.contains("snekpy.Staged") || text.contains("snekpy.Rep")
    })
}

static METHODS: PyNumberMethods = PyNumberMethods {
    boolean: Some(|number, vm| Err(unknown(number.obj, "has no truth value yet", vm))),
    int: Some(|number, vm| Err(unknown(number.obj, "cannot become an int yet", vm))),
    float: Some(|number, vm| Err(unknown(number.obj, "cannot become a float yet", vm))),
    index: Some(|number, vm| Err(unknown(number.obj, "cannot be an index yet", vm))),
    add: Some(|a, b, vm| Err(operand(a, b, vm))),
    subtract: Some(|a, b, vm| Err(operand(a, b, vm))),
    multiply: Some(|a, b, vm| Err(operand(a, b, vm))),
    true_divide: Some(|a, b, vm| Err(operand(a, b, vm))),
    floor_divide: Some(|a, b, vm| Err(operand(a, b, vm))),
    remainder: Some(|a, b, vm| Err(operand(a, b, vm))),
    divmod: Some(|a, b, vm| Err(operand(a, b, vm))),
    power: Some(|a, b, _, vm| Err(operand(a, b, vm))),
    lshift: Some(|a, b, vm| Err(operand(a, b, vm))),
    rshift: Some(|a, b, vm| Err(operand(a, b, vm))),
    and: Some(|a, b, vm| Err(operand(a, b, vm))),
    xor: Some(|a, b, vm| Err(operand(a, b, vm))),
    or: Some(|a, b, vm| Err(operand(a, b, vm))),
    negative: Some(|number, vm| Err(unknown(number.obj, "cannot be computed with yet", vm))),
    positive: Some(|number, vm| Err(unknown(number.obj, "cannot be computed with yet", vm))),
    absolute: Some(|number, vm| Err(unknown(number.obj, "cannot be computed with yet", vm))),
    invert: Some(|number, vm| Err(unknown(number.obj, "cannot be computed with yet", vm))),
    ..PyNumberMethods::NOT_IMPLEMENTED
};

macro_rules! raising {
    ($($class:ty),*) => {$(
        impl AsNumber for $class {
            fn as_number() -> &'static PyNumberMethods {
                &METHODS
            }
        }

        impl Comparable for $class {
            fn cmp(
                zelf: &Py<Self>,
                _other: &PyObject,
                _op: PyComparisonOp,
                vm: &VirtualMachine,
            ) -> PyResult<PyComparisonValue> {
                Err(unknown(zelf.as_object(), "cannot be compared yet", vm))
            }
        }

        impl Representable for $class {
            fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
                Err(unknown(zelf.as_object(), "has no text yet", vm))
            }
        }

        impl Iterable for $class {
            fn iter(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult {
                Err(unknown(zelf.as_object(), "cannot be iterated over yet", vm))
            }
        }
    )*};
}

macro_rules! without_hash {
    ($($class:ty),*) => {$(
        impl Hashable for $class {
            fn hash(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<PyHash> {
                Err(unknown(zelf.as_object(), "has no hash yet", vm))
            }
        }
    )*};
}

raising!(Rep, StagedIterator, StagedObject, StagedValue);
without_hash!(StagedIterator, StagedObject, StagedValue);

/// The Rep of a map is the one key of the dict that stands for it: see `crate::capture::map`.
impl Hashable for Rep {
    fn hash(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<PyHash> {
        match zelf.ty {
            Type::Map(_) => Ok(HASH_OF_MAPS),
            _ => Err(unknown(zelf.as_object(), "has no hash yet", vm)),
        }
    }
}

fn operand(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let leaked = if super::is_staged(a) { a } else { b };
    unknown(leaked, "cannot be computed with yet", vm)
}

fn unknown(leaked: &PyObject, what: &str, vm: &VirtualMachine) -> PyBaseExceptionRef {
    ASKED.set(true);
    let name = if let Some(rep) = leaked.downcast_ref::<Rep>() {
        type_name(rep.ty)
    } else if let Some(staged) = kind::staged(leaked) {
        staged.noun()
    } else {
        "iterator"
    };
    vm.new_type_error(format!(
        "this {name} is known when staged code runs, and {what}: a native function asked for it while the code \
         was captured; call a Python function here, or compute it outside staged code"
    ))
}
