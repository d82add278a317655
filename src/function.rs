//! Rust functions that Python can call.

mod object;

use crate::error::Result;
use crate::shared::Shared;
use crate::value::{FromValue, IntoValue, Value};
use object::PyHostFunction;
use rustpython_vm::{PyObjectRef, VirtualMachine};
use std::fmt;
use std::sync::Arc;

/// A function of Rust that can be given to Python: up to six arguments that are [`FromValue`], and a
/// result that is [`HostResult`].
///
/// It may be called from several threads at once. A panic becomes a Python exception.
pub trait HostFunction<Args>: Send + Sync + 'static {
    /// How many arguments it takes.
    const ARITY: usize;

    /// Calls it. `args` are as many as [`HostFunction::ARITY`].
    fn call(&self, args: Vec<Value>) -> Result<Value>;
}

/// What a host function may return: a value, or a result whose error is raised.
pub trait HostResult {
    /// The value or the exception.
    fn into_result(self) -> Result<Value>;
}

impl<T: IntoValue> HostResult for T {
    fn into_result(self) -> Result<Value> {
        Ok(self.into_value())
    }
}

impl<T: IntoValue> HostResult for Result<T> {
    fn into_result(self) -> Result<Value> {
        self.map(T::into_value)
    }
}

macro_rules! host_function {
    ($count:literal: $($ty:ident),*) => {
        impl<Fun, Out, $($ty),*> HostFunction<($($ty,)*)> for Fun
        where
            Fun: Fn($($ty),*) -> Out + Send + Sync + 'static,
            Out: HostResult,
            $($ty: FromValue,)*
        {
            const ARITY: usize = $count;

            #[allow(unused_mut, unused_variables, reason = "there may be no arguments")]
            fn call(&self, args: Vec<Value>) -> Result<Value> {
                let mut args = args.into_iter();
                self($($ty::from_value(args.next().expect("the caller has counted"))?),*).into_result()
            }
        }
    };
}

host_function!(0:);
host_function!(1: A);
host_function!(2: A, B);
host_function!(3: A, B, C);
host_function!(4: A, B, C, D);
host_function!(5: A, B, C, D, E);
host_function!(6: A, B, C, D, E, F);

/// A host function whose type is forgotten.
pub(crate) struct Erased {
    name: String,
    arity: usize,
    call: Arc<dyn Fn(Vec<Value>) -> Result<Value> + Send + Sync>,
}

pub(crate) fn erase<Args, F: HostFunction<Args>>(name: &str, function: F) -> Erased {
    let call = move |args: Vec<Value>| function.call(args);
    Erased { name: name.to_owned(), arity: F::ARITY, call: Arc::new(call) }
}

impl Erased {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The function as a Python object.
    pub(crate) fn into_object(self, shared: &Arc<Shared>, vm: &VirtualMachine) -> PyObjectRef {
        PyHostFunction::object(self, shared, vm)
    }
}

impl fmt::Debug for Erased {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostFunction").field("name", &self.name).field("arity", &self.arity).finish()
    }
}
