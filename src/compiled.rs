//! Staged functions as plain functions of Rust.

use crate::error::{Error, Frame, Result};
use crate::shared::Held;
use crate::tensor::{Dtype, Tensor};
use crate::value::{FromValue, IntoArgs, Value};
use rustpython_vm::PyObjectRef;
use snekpy_stage::types::{TensorType, Type};
use snekpy_vm::handle::{self, CallError, SignatureError};
use std::fmt;

pub use snekpy_vm::handle::{Output, Scalar, Signature};

/// A function of a script that is to be compiled. See [`crate::Script::stage`].
#[derive(Clone)]
pub struct Staged {
    func: Held,
}

impl Staged {
    pub(crate) fn new(func: Held) -> Self {
        Self { func }
    }

    /// Compiles the function for a signature: `fn(f64, i64) -> f64` and the like, of up to six
    /// parameters, each a `bool`, `i64` or `f64`, with a scalar, a tuple of scalars or `()` as result.
    ///
    /// Fails with `StagingError` if the function cannot be compiled or needs Python when it runs, and
    /// with `TypeError` if it gives something else than the signature says.
    pub fn typed<F: Signature>(&self) -> Result<Compiled<F>> {
        let func: &PyObjectRef = self.func.object();
        let compiled = self.func.shared().enter(|vm| handle::stage_for(func, F::PARAMS, vm))?;
        let typed =
            compiled.typed::<F>().map_err(|error: SignatureError| Error::new("TypeError", error.to_string()))?;
        Ok(Compiled { typed })
    }
}

impl Staged {
    /// Compiles the function for arrays and numbers: a [`Param`] for each parameter says what it will be given. Arrays
    /// are handed over by reference, and have the dtype and shape that the function was compiled for.
    ///
    /// Fails as [`Staged::typed`] does.
    pub fn for_params(&self, params: &[Param]) -> Result<Untyped> {
        let types: Vec<Type> = params.iter().map(|it| it.ty).collect();
        let func: &PyObjectRef = self.func.object();
        let code = self.func.shared().enter(|vm| handle::stage_for(func, &types, vm))?;
        Ok(Untyped { code })
    }
}

/// What a parameter is of a function that is compiled by [`Staged::for_params`].
///
/// A tensor stands for all of its dtype and shape: `(&x).into()`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    ty: Type,
}

impl Param {
    /// A `bool`.
    pub const BOOL: Self = Self { ty: Type::Bool };
    /// An `i64`.
    pub const INT: Self = Self { ty: Type::I64 };
    /// An `f64`.
    pub const FLOAT: Self = Self { ty: Type::F64 };

    /// An array.
    #[must_use]
    pub fn tensor(dtype: Dtype, shape: &[usize]) -> Self {
        Self { ty: Type::Tensor(TensorType::new(dtype, shape)) }
    }
}

impl From<&Tensor> for Param {
    fn from(tensor: &Tensor) -> Self {
        Self::tensor(tensor.dtype(), tensor.shape())
    }
}

/// Machine code of a function of arrays and numbers.
///
/// Like [`Compiled`], it needs no interpreter, and any number of threads call it at once. What it writes into arrays that it
/// was given is seen by all who share them; where several calls write to one array at a time, each element is that of
/// one of them.
///
/// ```
/// # fn main() -> snekpy::Result<()> {
/// use snekpy::{Engine, Param, Tensor};
/// let engine = Engine::new();
/// let script = engine.run("
/// import snekpy.numpy as np
///
/// weights = np.array([0.5, -1.0])
///
/// def predict(x, bias):
///     return 1 / (1 + np.exp(-(x @ weights + bias)))
/// ")?;
/// let rows = Tensor::new(vec![2.0, 1.0, 0.0, 3.0], &[2, 2])?;
/// let predict = script.stage("predict")?.for_params(&[(&rows).into(), Param::FLOAT])?;
/// drop((script, engine));
///
/// let found = std::thread::scope(|threads| {
///     let workers: Vec<_> = (0..4).map(|_| threads.spawn(|| predict.call::<Tensor>((&rows, 0.0)))).collect();
///     workers.into_iter().map(|it| it.join().unwrap()).collect::<snekpy::Result<Vec<_>>>()
/// })?;
/// assert_eq!(found[3].to_vec::<f64>()?[0], 0.5);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Untyped {
    code: handle::Compiled,
}

impl Untyped {
    /// Calls it. What would be an exception in Python is an error, with the place in the script.
    pub fn call<T: FromValue>(&self, args: impl IntoArgs) -> Result<T> {
        let args: Vec<handle::Value> = args.into_args().into_iter().map(given).collect::<Result<_>>()?;
        T::from_value(made(self.code.call(&args).map_err(raised)?))
    }
}

impl fmt::Debug for Untyped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.code.fmt(f)
    }
}

fn given(value: Value) -> Result<handle::Value> {
    Ok(match value {
        Value::None => handle::Value::None,
        Value::Bool(it) => handle::Value::Bool(it),
        Value::Int(it) => handle::Value::I64(it),
        Value::Float(it) => handle::Value::F64(it),
        other => handle::Value::Array(handle::Array(Tensor::from_value(other)?.into_inner())),
    })
}

fn made(value: handle::Value) -> Value {
    match value {
        handle::Value::None => Value::None,
        handle::Value::Bool(it) => Value::Bool(it),
        handle::Value::I64(it) => Value::Int(it),
        handle::Value::F64(it) => Value::Float(it),
        handle::Value::Tuple(items) => Value::Tuple(items.into_iter().map(made).collect()),
        handle::Value::Array(handle::Array(it)) => Value::Tensor(Tensor::from_inner(it)),
    }
}

impl fmt::Debug for Staged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staged").finish_non_exhaustive()
    }
}

/// Machine code with a Rust signature.
///
/// Needs no interpreter and takes no lock: any number of threads call it at once, also when the engine
/// is gone. What the function read from its surroundings (globals, closures) is what it was when it was
/// compiled.
///
/// ```
/// # fn main() -> snekpy::Result<()> {
/// let engine = snekpy::Engine::new();
/// let script = engine.run("def collatz(n):\n    steps = 0\n    while n != 1:\n        n = n // 2 if n % 2 == 0 else 3 * n + 1\n        steps += 1\n    return steps")?;
/// let collatz = script.stage("collatz")?.typed::<fn(i64) -> i64>()?;
/// drop((script, engine));
///
/// let longest = std::thread::scope(|threads| {
///     let halves = [1..5_000, 5_000..10_000];
///     let workers = halves.map(|it| threads.spawn(|| it.map(|n| collatz.call(n).unwrap()).max()));
///     workers.map(|it| it.join().unwrap()).into_iter().max()
/// });
/// assert_eq!(longest, Some(Some(261)));
/// # Ok(()) }
/// ```
pub struct Compiled<F> {
    typed: handle::Typed<F>,
}

impl<F> Clone for Compiled<F> {
    fn clone(&self) -> Self {
        Self { typed: self.typed.clone() }
    }
}

impl<F> fmt::Debug for Compiled<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.typed.fmt(f)
    }
}

macro_rules! call {
    ($($ty:ident $arg:ident),*) => {
        impl<$($ty: Scalar,)* R: Output> Compiled<fn($($ty),*) -> R> {
            /// Calls it. What would be an exception in Python is an error, with the place in the script.
            #[inline]
            #[allow(clippy::too_many_arguments, reason = "one for each parameter of the signature")]
            pub fn call(&self, $($arg: $ty),*) -> Result<R> {
                self.typed.call($($arg),*).map_err(raised)
            }
        }
    };
}

call!();
call!(A a);
call!(A a, B b);
call!(A a, B b, C c);
call!(A a, B b, C c, D d);
call!(A a, B b, C c, D d, E e);
call!(A a, B b, C c, D d, E e, F f);

#[cold]
fn raised(error: CallError) -> Error {
    // Python shows the outermost call first.
    let frame = |it: &handle::CallPlace| Frame { file: it.file.clone(), line: it.line, function: it.func.clone() };
    let frames = error.places().iter().rev().map(frame).collect();
    Error::raised(error.kind(), error.message(), frames)
}
