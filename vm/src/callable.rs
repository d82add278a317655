//! What stands for a function of the program: what it wraps, and what it says of itself.

mod brought;
mod custom;
mod derivative;

use std::sync::OnceLock;

use rustpython_vm::builtins::{PyBoundMethod, PyStr};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};

pub(crate) use brought::{Brought, refuse, unwrap};
pub(crate) use custom::{Custom, Kind, custom};
pub(crate) use derivative::{Argnums, Chosen, Derivative, Differentiation, Orders, Step, Way, binds, keeps, kept};

/// What a wrapper of a function wraps, and whether it stays a function in staged code.
pub(crate) type Wrapped = (PyObjectRef, bool);

/// Asks the classes of wrappers, which know far more than who asks.
static WRAPPED: OnceLock<fn(&PyObjectRef) -> Option<Wrapped>> = OnceLock::new();

/// Says how the classes of wrappers are asked, when they are made.
pub(crate) fn ask_with(wrapped: fn(&PyObjectRef) -> Option<Wrapped>) {
    WRAPPED.get_or_init(|| wrapped);
}

/// What an object wraps that stands for a function, and whether it stays a function in staged code.
pub(crate) fn wrapped(object: &PyObjectRef) -> Option<Wrapped> {
    WRAPPED.get()?(object)
}

/// Whether an object is a function written in Python or what stands for one, which binds as it does.
pub(crate) fn is_function(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    object.class().is(vm.ctx.types.function_type) || wrapped(object).is_some()
}

/// What a function calls itself.
pub(crate) fn name_of(func: &PyObject, vm: &VirtualMachine) -> String {
    let name = func.get_attr("__qualname__", vm).ok().and_then(|it| it.downcast::<PyStr>().ok());
    name.map_or_else(|| "function".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// What a function says of itself, and not its class.
const OF_THE_FUNCTION: [&str; 13] = [
    "__annotate__",
    "__annotations__",
    "__builtins__",
    "__closure__",
    "__code__",
    "__defaults__",
    "__dict__",
    "__doc__",
    "__globals__",
    "__kwdefaults__",
    "__module__",
    "__name__",
    "__qualname__",
];

/// An attribute of a wrapper: what it wraps has them, but for those that only the wrapper has.
pub(crate) fn attribute(wrapper: &PyObject, callable: &PyObject, name: &Py<PyStr>, vm: &VirtualMachine) -> PyResult {
    let given = || callable.dict().map_or(Ok(false), |dict| dict.get_item_opt(name, vm).map(|it| it.is_some()));
    if OF_THE_FUNCTION.iter().any(|it| name.as_wtf8() == *it) || given()? {
        return callable.get_attr(name, vm);
    }
    match wrapper.generic_getattr(name, vm) {
        Err(error) if error.fast_isinstance(vm.ctx.exceptions.attribute_error) => callable.get_attr(name, vm),
        found => found,
    }
}

/// `obj.function`.
pub(crate) fn bind_method(function: &PyObject, obj: Option<&PyObject>, vm: &VirtualMachine) -> PyResult {
    Ok(match obj {
        Some(obj) if !vm.is_none(obj) => {
            PyBoundMethod::new(obj.to_owned(), function.to_owned()).into_ref(&vm.ctx).into()
        }
        _ => function.to_owned(),
    })
}
