//! Python inside a Rust program, with staged functions as machine code.
//!
//! An [`Engine`] is a Python interpreter. It runs source and keeps what it defines in a [`Script`]:
//!
//! ```
//! # fn main() -> snekpy::Result<()> {
//! let engine = snekpy::Engine::new();
//! let script = engine.run("greeting = 'hello, ' + 'world'")?;
//! assert_eq!(script.get::<String>("greeting")?, "hello, world");
//! # Ok(()) }
//! ```
//!
//! Functions of a script are called with Rust values, and answer with them:
//!
//! ```
//! # fn main() -> snekpy::Result<()> {
//! # let engine = snekpy::Engine::new();
//! let script = engine.run("def mean(xs):\n    return sum(xs) / len(xs)")?;
//! let mean = script.function("mean")?;
//! assert_eq!(mean.call::<f64>((vec![1.0, 2.0, 6.0],))?, 3.0);
//! # Ok(()) }
//! ```
//!
//! Rust closures become Python functions, in modules that scripts import:
//!
//! ```
//! # fn main() -> snekpy::Result<()> {
//! # let engine = snekpy::Engine::new();
//! let mut shop = snekpy::Module::new("shop");
//! shop.value("currency", "EUR");
//! shop.function("price", |name: String, count: i64| match name.as_str() {
//!     "apple" => Ok(30 * count),
//!     other => Err(snekpy::Error::new("KeyError", format!("no {other} today"))),
//! });
//! engine.add_module(shop)?;
//!
//! let script = engine.run("import shop\ntotal = f'{shop.price(\"apple\", 3)} {shop.currency}'")?;
//! assert_eq!(script.get::<String>("total")?, "90 EUR");
//! # Ok(()) }
//! ```
//!
//! A function that computes with numbers becomes machine code, callable without Python:
//!
//! ```
//! # fn main() -> snekpy::Result<()> {
//! # let engine = snekpy::Engine::new();
//! let script = engine.run("
//! def integrate(n):
//!     total = 0.0
//!     for i in range(n):
//!         x = (i + 0.5) / n
//!         total = total + x * x
//!     return total / n
//! ")?;
//! let integrate = script.stage("integrate")?.typed::<fn(i64) -> f64>()?;
//! assert!((integrate.call(1_000)? - 1.0 / 3.0).abs() < 1e-6);
//! # Ok(()) }
//! ```
//!
//! Arrays are handed over by reference, in both directions, and functions of arrays are compiled, too ([`Tensor`],
//! [`Staged::for_params`]):
//!
//! ```
//! # fn main() -> snekpy::Result<()> {
//! # let engine = snekpy::Engine::new();
//! use snekpy::Tensor;
//! let script = engine.run("
//! import snekpy.numpy as np
//!
//! def norms(x):
//!     return np.sqrt((x * x).sum(axis=1))
//! ")?;
//! let x = Tensor::new(vec![3.0, 4.0, 6.0, 8.0], &[2, 2])?;
//! assert_eq!(script.call::<Tensor>("norms", (&x,))?.to_vec::<f64>()?, [5.0, 10.0]);
//! let norms = script.stage("norms")?.for_params(&[(&x).into()])?;
//! assert_eq!(norms.call::<Tensor>((&x,))?.to_vec::<f64>()?, [5.0, 10.0]);
//! # Ok(()) }
//! ```
//!
//! What goes wrong in Python is an [`Error`]. It owns what it says, and outlives the engine:
//!
//! ```
//! # let engine = snekpy::Engine::new();
//! let error = engine.run("def f(xs):\n    return xs[3]\n\nf([1, 2])").unwrap_err();
//! drop(engine);
//! assert!(error.is("LookupError"));
//! assert_eq!(error.to_string(), "IndexError: list index out of range");
//! assert_eq!(error.frames().last().map(|it| (it.line, it.function.as_str())), Some((2, "f")));
//! ```
//!
//! What a call may use is limited, and it can be stopped from another thread ([`Limits`], [`Canceller`]):
//!
//! ```
//! use snekpy::{Engine, Limits, Stop};
//! let limits = Limits::new().time(std::time::Duration::from_millis(50)).depth(100);
//! let engine = Engine::builder().limits(limits).build();
//! assert_eq!(engine.run("while True: pass").unwrap_err().stop(), Some(Stop::Time));
//! ```
//!
//! An engine can be shared between threads, and what scripts print can be caught:
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! # fn main() -> snekpy::Result<()> {
//! let printed = Arc::new(Mutex::new(String::new()));
//! let sink = Arc::clone(&printed);
//! let engine = snekpy::Engine::builder().output(move |_, text| sink.lock().unwrap().push_str(text)).build();
//! std::thread::scope(|threads| {
//!     threads.spawn(|| engine.run("print('from another thread')"));
//! });
//! assert_eq!(*printed.lock().unwrap(), "from another thread\n");
//! # Ok(()) }
//! ```
//!
//! The library installs no signal handlers, reads no environment variables of its own and writes
//! nothing but what scripts print, and machine code where [`EngineBuilder::cache`] says.

/// The Rust program of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod assemble;
mod compiled;
mod engine;
mod error;
mod function;
mod module;
mod object;
mod output;
mod script;
mod shared;
mod tensor;
mod value;

#[doc(hidden)]
pub use assemble::{Staging, Watching, interpreter};
pub use compiled::{Compiled, Output, Param, Scalar, Signature, Staged, Untyped};
pub use engine::{Engine, EngineBuilder};
pub use error::{Error, Frame, Result};
pub use function::{HostFunction, HostResult};
pub use module::Module;
pub use object::Object;
pub use output::Stream;
pub use script::Script;
#[doc(hidden)]
pub use snekpy_llvm::{ObjectCache, Usage};
pub use snekpy_vm::limits::{Canceller, Limits, Stop};
pub use tensor::{Dtype, Element, Tensor};
pub use value::{FromValue, IntoArgs, IntoValue, Value};
