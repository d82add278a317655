//! Python objects that stay in Python.

use crate::error::{Error, Result};
use crate::shared::{Held, Shared};
use crate::tensor::Tensor;
use crate::value::{FromValue, IntoArgs, IntoValue, Value};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use std::fmt;
use std::sync::Arc;

/// A Python object held by Rust: a function, a class, an instance, a module.
///
/// Keeps its engine alive: a function that is given to the engine and holds an object of it keeps both for good. Two
/// are equal if they are the same object.
#[derive(Clone)]
pub struct Object {
    held: Held,
}

impl Object {
    pub(crate) fn new(shared: &Arc<Shared>, object: PyObjectRef) -> Self {
        Self { held: Held::new(shared, object) }
    }

    /// Calls the object.
    ///
    /// ```
    /// # fn main() -> snekpy::Result<()> {
    /// let script = snekpy::Engine::new().run("def add(a, b, *, times=1): return (a + b) * times")?;
    /// let add = script.function("add")?;
    /// assert_eq!(add.call::<i64>((1, 2))?, 3);
    /// assert_eq!(add.call_with::<i64>((1, 2), [("times", 10)])?, 30);
    /// # Ok(()) }
    /// ```
    pub fn call<T: FromValue>(&self, args: impl IntoArgs) -> Result<T> {
        self.call_with::<T>(args, [("", ()); 0])
    }

    /// Calls the object with keyword arguments as well.
    pub fn call_with<T: FromValue>(
        &self,
        args: impl IntoArgs,
        keywords: impl IntoIterator<Item = (impl Into<String>, impl IntoValue)>,
    ) -> Result<T> {
        let args = args.into_args();
        let keywords: Vec<_> = keywords.into_iter().map(|(name, value)| (name.into(), value.into_value())).collect();
        let value = self.enter(|object, vm| {
            let args = args.into_iter().map(|it| it.into_object(vm)).collect::<PyResult<Vec<_>>>()?;
            let mut call = FuncArgs::from(args);
            for (name, value) in keywords {
                call.kwargs.insert(name.into(), value.into_object(vm)?);
            }
            Value::from_object(object.call(call, vm)?, self.held.shared(), vm)
        })?;
        T::from_value(value)
    }

    /// Calls a method.
    pub fn call_method<T: FromValue>(&self, name: &str, args: impl IntoArgs) -> Result<T> {
        let method =
            self.enter(|object, vm| Ok(Self::new(self.held.shared(), object.get_attr(vm.ctx.intern_str(name), vm)?)))?;
        method.call(args)
    }

    /// Reads an attribute.
    pub fn get<T: FromValue>(&self, name: &str) -> Result<T> {
        T::from_value(self.enter(|object, vm| {
            Value::from_object(object.get_attr(vm.ctx.intern_str(name), vm)?, self.held.shared(), vm)
        })?)
    }

    /// Writes an attribute.
    pub fn set(&self, name: &str, value: impl IntoValue) -> Result<()> {
        let value = value.into_value();
        self.enter(|object, vm| {
            let value = value.into_object(vm)?;
            object.set_attr(vm.ctx.intern_str(name), value, vm)
        })
    }

    /// The name of the object's type.
    #[must_use]
    pub fn type_name(&self) -> String {
        self.held.shared().attach(|_| self.held.object().class().name().to_string())
    }

    /// The array, if it is one of `snekpy.numpy`. It shares its memory with the object.
    #[must_use]
    pub fn tensor(&self) -> Option<Tensor> {
        self.held.shared().attach(|_| snekpy_vm::tensor::shared(self.held.object())).map(Tensor::from_inner)
    }

    fn enter<T>(&self, body: impl FnOnce(&PyObjectRef, &VirtualMachine) -> PyResult<T>) -> Result<T> {
        self.held.shared().enter(|vm| body(self.held.object(), vm))
    }

    /// The object for use in `vm`. An object of one engine is of no use to another.
    pub(crate) fn enter_object(&self, vm: &VirtualMachine) -> PyResult {
        if self.held.shared().id() == vm.state.interpreter_id {
            Ok(self.held.object().clone())
        } else {
            Err(vm.new_type_error("the object belongs to another engine"))
        }
    }

    fn text(&self, of: impl FnOnce(&PyObjectRef, &VirtualMachine) -> PyResult<String>) -> String {
        self.enter(of).unwrap_or_else(|error: Error| format!("<{error}>"))
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.held.object().is(other.held.object())
    }
}

impl fmt::Display for Object {
    /// `str(object)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(|object, vm| Ok(object.str(vm)?.to_string_lossy().into_owned())))
    }
}

impl fmt::Debug for Object {
    /// `repr(object)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(|object, vm| Ok(object.repr(vm)?.to_string_lossy().into_owned())))
    }
}
