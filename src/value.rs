//! Values that cross between Rust and Python.
//!
//! [`Value`] is what both sides can say. Types of Rust come and go through it with [`IntoValue`] and
//! [`FromValue`]; what has no counterpart stays in Python and is held as an [`Object`].

mod from;
mod into;

pub use from::FromValue;
pub use into::{IntoArgs, IntoValue};

use crate::object::Object;
use crate::shared::Shared;
use crate::tensor::Tensor;
use rustpython_vm::builtins::{PyBytes, PyDict, PyFloat, PyInt, PyList, PyStr, PyTuple};
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use std::sync::Arc;

/// A Python value in Rust's hands.
///
/// Containers are copied; changing the copy does not change the original. An object of any other type,
/// an int beyond 64 bits among them, is an [`Object`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// `None`.
    None,
    /// A `bool`.
    Bool(bool),
    /// An `int` of 64 bits.
    Int(i64),
    /// A `float`.
    Float(f64),
    /// A `str`.
    Str(String),
    /// `bytes`.
    Bytes(Vec<u8>),
    /// A `list`.
    List(Vec<Value>),
    /// A `tuple`.
    Tuple(Vec<Value>),
    /// A `dict`, in its order.
    Dict(Vec<(Value, Value)>),
    /// An array of `snekpy.numpy`, on its way to Python. From Python it comes as an [`Object`], of which a [`Tensor`] can
    /// be made.
    Tensor(Tensor),
    /// Anything else.
    Object(Object),
}

impl Value {
    /// The name of the type, as Python says it.
    #[must_use]
    pub fn type_name(&self) -> String {
        let name = match self {
            Self::None => "NoneType",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "str",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Dict(_) => "dict",
            Self::Tensor(_) => "ndarray",
            Self::Object(object) => return object.type_name(),
        };
        name.to_owned()
    }

    /// Copies a Python object out. Only the exact builtin types are copied: a subclass means something.
    pub(crate) fn from_object(object: PyObjectRef, shared: &Arc<Shared>, vm: &VirtualMachine) -> PyResult<Self> {
        vm.with_recursion("while copying a value to Rust", || Self::copy_out(object, shared, vm))
    }

    fn copy_out(object: PyObjectRef, shared: &Arc<Shared>, vm: &VirtualMachine) -> PyResult<Self> {
        let types = &vm.ctx.types;
        let class = object.class();
        let copy = |items: &[PyObjectRef]| -> PyResult<Vec<Self>> {
            items.iter().map(|it| Self::from_object(it.clone(), shared, vm)).collect()
        };
        if vm.is_none(&object) {
            return Ok(Self::None);
        }
        if class.is(types.bool_type) {
            return Ok(Self::Bool(object.is(&vm.ctx.true_value)));
        }
        if class.is(types.int_type)
            && let Some(int) = object.downcast_ref::<PyInt>().and_then(|it| it.try_to_primitive::<i64>(vm).ok())
        {
            return Ok(Self::Int(int));
        }
        if class.is(types.float_type)
            && let Some(float) = object.downcast_ref::<PyFloat>()
        {
            return Ok(Self::Float(float.to_f64()));
        }
        if class.is(types.str_type)
            && let Some(text) = object.downcast_ref::<PyStr>().and_then(|it| it.to_str())
        {
            return Ok(Self::Str(text.to_owned()));
        }
        if class.is(types.bytes_type)
            && let Some(bytes) = object.downcast_ref::<PyBytes>()
        {
            return Ok(Self::Bytes(bytes.as_bytes().to_vec()));
        }
        if class.is(types.tuple_type)
            && let Some(tuple) = object.downcast_ref::<PyTuple>()
        {
            return Ok(Self::Tuple(copy(tuple.as_slice())?));
        }
        if class.is(types.list_type)
            && let Some(list) = object.downcast_ref::<PyList>()
        {
            // Cloned: copying an item out could run Python code that changes the list.
            let items = list.borrow_vec().to_vec();
            return Ok(Self::List(copy(&items)?));
        }
        if class.is(types.dict_type)
            && let Some(dict) = object.downcast_ref::<PyDict>()
        {
            let pairs: Vec<_> = dict.into_iter().collect();
            let pair = |(key, value): (PyObjectRef, PyObjectRef)| {
                Ok((Self::from_object(key, shared, vm)?, Self::from_object(value, shared, vm)?))
            };
            return Ok(Self::Dict(pairs.into_iter().map(pair).collect::<PyResult<_>>()?));
        }
        Ok(Self::Object(Object::new(shared, object)))
    }

    /// Builds the Python object.
    pub(crate) fn into_object(self, vm: &VirtualMachine) -> PyResult {
        let build = |items: Vec<Self>| items.into_iter().map(|it| it.into_object(vm)).collect::<PyResult<Vec<_>>>();
        Ok(match self {
            Self::None => vm.ctx.none(),
            Self::Bool(value) => value.to_pyobject(vm),
            Self::Int(value) => value.to_pyobject(vm),
            Self::Float(value) => value.to_pyobject(vm),
            Self::Str(value) => value.to_pyobject(vm),
            Self::Bytes(value) => vm.ctx.new_bytes(value).into(),
            Self::List(items) => vm.ctx.new_list(build(items)?).into(),
            Self::Tuple(items) => vm.ctx.new_tuple(build(items)?).into(),
            Self::Dict(pairs) => {
                let dict = vm.ctx.new_dict();
                for (key, value) in pairs {
                    dict.set_item(&*key.into_object(vm)?, value.into_object(vm)?, vm)?;
                }
                dict.into()
            }
            Self::Tensor(tensor) => snekpy_vm::tensor::object(tensor.into_inner(), vm)?,
            Self::Object(object) => object.enter_object(vm)?,
        })
    }
}
