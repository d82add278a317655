//! `reset` and `shift`: delimited continuations.
//!
//! `reset(f)` calls `f()`. Inside, `shift(g)` takes the rest of the computation up to there as a callable `k`,
//! and the reset gives what `g(k)` gives. `k(v)` runs the rest under a reset of its own, with `v` as what the call
//! of `shift` gives, any number of times. The frames of the rest are copied for each call of `k`
//! ([`crate::host::suspend`]); objects are shared.

use std::cell::Cell;
use std::sync::OnceLock;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyTypeRef};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::Callable;
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use crate::host::native::{NativeCallable, native_callable};
use crate::host::suspend::{self, Hooks, Outcome, Rest};

/// The rest of a computation, up to the `reset` round it.
#[pyclass(module = "snekpy", name = "Continuation")]
#[derive(PyPayload)]
pub(crate) struct Continuation {
    rest: Rest,
}

impl std::fmt::Debug for Continuation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Continuation")
    }
}

#[pyclass(with(Callable), flags(HAS_WEAKREF))]
impl Continuation {}

impl Callable for Continuation {
    type Args = (PyObjectRef,);

    fn call(zelf: &Py<Self>, (value,): (PyObjectRef,), vm: &VirtualMachine) -> PyResult {
        delimit(|| suspend::go_on(&zelf.rest, Ok(value), vm), vm)
    }
}

thread_local! {
    /// How many delimiters this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Makes the native classes, once in the process.
pub(crate) fn make_classes() {
    use rustpython_vm::class::PyClassImpl;
    let _class = Continuation::make_static_type();
    suspend::make_classes();
    // The rest of a computation goes through staged functions as if they were not staged.
    let unwrap = |it: &PyObjectRef| crate::callable::wrapped(it).map(|(inner, _)| inner);
    suspend::set_hooks(Hooks { unwrap, asked });
}

/// The class of continuations.
pub(crate) fn class() -> PyTypeRef {
    use rustpython_vm::class::PyClassImpl;
    Continuation::make_static_type()
}

/// The class `snekpy.ContinuationError`.
pub(crate) fn error_class(vm: &VirtualMachine) -> PyTypeRef {
    static CLASS: OnceLock<PyTypeRef> = OnceLock::new();
    let make = || {
        let base = vm.ctx.exceptions.runtime_error.to_owned();
        let class = vm.ctx.new_exception_type("snekpy", "ContinuationError", Some(vec![base]));
        let text = "The rest of a computation cannot be taken: `shift` is called outside of `reset`, or the reset is on \
                    the other side of something that cannot be copied.";
        class.set_attr(vm.ctx.intern_str("__doc__"), vm.ctx.new_str(text).into());
        class
    };
    CLASS.get_or_init(make).clone()
}

/// `reset(f)`
pub(crate) fn reset(f: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    delimit(|| suspend::start(f, Vec::new(), vm), vm)
}

/// `shift(g)` where it cannot be: whoever runs frames that can be suspended knows its calls by [`asked`].
pub(crate) fn misplaced(vm: &VirtualMachine) -> PyBaseExceptionRef {
    let message = if DEPTH.get() == 0 {
        "`shift` is called outside of `reset`"
    } else {
        "`shift` is called across native code, a generator, a coroutine or the body of a class, which cannot be \
         copied: between `reset` and `shift` there can be only functions that call each other directly"
    };
    error(message.to_owned(), vm)
}

fn error(message: String, vm: &VirtualMachine) -> PyBaseExceptionRef {
    vm.new_exception_msg(error_class(vm), message.into())
}

/// Runs a computation up to its end: what asks for its rest goes on in its place.
fn delimit(start: impl FnOnce() -> PyResult<Outcome>, vm: &VirtualMachine) -> PyResult {
    let _inside = Inside::enter();
    let mut outcome = start()?;
    loop {
        let (function, rest) = match outcome {
            Outcome::Done(result) => return Ok(result),
            Outcome::Asked(function, rest) => (function, rest),
        };
        outcome = if let Some(iterator) = suspend::uncopied(&rest, vm) {
            let message = format!(
                "`shift` is called in a loop over a `{}`, whose position cannot be copied: loop over a list of its items",
                iterator.class
            );
            // It is as if the call of `shift` had raised this.
            suspend::go_on(&rest, Err(error(message, vm)), vm)?
        } else {
            let k: PyObjectRef = Continuation { rest }.into_ref(&vm.ctx).into();
            suspend::start(function, vec![k], vm)?
        };
    }
}

/// Counts delimiters, also where one is left by an exception.
struct Inside;

impl Inside {
    fn enter() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// The function that a call of `shift` wants to be called.
fn asked(callable: &PyObject, args: &FuncArgs, vm: &VirtualMachine) -> Option<PyObjectRef> {
    let [function] = args.args.as_slice() else { return None };
    (args.kwargs.is_empty() && is_named(callable, "shift", vm)).then(|| function.clone())
}

/// Whether this is the native function of this module with this name.
pub(crate) fn is_named(callable: &PyObject, name: &str, vm: &VirtualMachine) -> bool {
    callable.class().is(vm.ctx.types.builtin_function_or_method_type)
        && matches!(
            native_callable(callable, vm),
            Some(NativeCallable::Function { module: "snekpy", name: found }) if found == name
        )
}
