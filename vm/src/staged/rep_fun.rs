//! `RepFun`: a function that stays a function in staged code.

use rustpython_vm::builtins::PyStr;
use rustpython_vm::function::{FuncArgs, PySetterValue};
use rustpython_vm::types::{Callable, GetAttr, GetDescriptor, Representable, SetAttr};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::set_attribute;
use crate::callable::{attribute, bind_method, wrapped};

/// A function that stays a function in staged code.
#[pyclass(module = "snekpy", name = "RepFun")]
#[derive(Debug, PyPayload)]
pub(crate) struct RepFun {
    wrapped: PyObjectRef,
}

#[pyclass(with(Callable, GetAttr, SetAttr, GetDescriptor, Representable), flags(HAS_WEAKREF))]
impl RepFun {
    #[pygetset]
    fn __wrapped__(zelf: &Py<Self>) -> PyObjectRef {
        zelf.wrapped.clone()
    }
}

impl RepFun {
    /// The function that it is.
    pub(super) fn function(&self) -> PyObjectRef {
        self.wrapped.clone()
    }
}

impl Callable for RepFun {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        zelf.wrapped.call(args, vm)
    }
}

impl GetDescriptor for RepFun {
    fn descr_get(zelf: &PyObject, obj: Option<&PyObject>, _cls: Option<&PyObject>, vm: &VirtualMachine) -> PyResult {
        bind_method(zelf, obj, vm)
    }
}

impl SetAttr for RepFun {
    fn setattro(zelf: &Py<Self>, name: &Py<PyStr>, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
        set_attribute(&zelf.wrapped, name, value, vm)
    }
}

impl GetAttr for RepFun {
    fn getattro(zelf: &Py<Self>, name: &Py<PyStr>, vm: &VirtualMachine) -> PyResult {
        attribute(zelf.as_object(), &zelf.wrapped, name, vm)
    }
}

impl Representable for RepFun {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("<rep_fun {}>", zelf.wrapped.repr(vm)?.to_string_lossy()))
    }
}

/// Marks a function to stay a function in staged code.
pub(crate) fn rep_fun(callable: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    let callable = match wrapped(&callable) {
        Some((inner, true)) => inner,
        Some((_, false)) | None => callable,
    };
    if !callable.is_callable() {
        return Err(vm.new_type_error(format!("rep_fun() takes a function, not `{}`", callable.class().name())));
    }
    Ok(RepFun { wrapped: callable }.into_ref(&vm.ctx).into())
}
