//! Staged functions as plain functions of Rust.

use crate::error::{Error, Frame, Result};
use crate::shared::Held;
use rustpython_vm::PyObjectRef;
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
