//! The Python object behind a host function.

use crate::error::Error;
use crate::function::Erased;
use crate::shared::Shared;
use crate::value::Value;
use rustpython_vm::class::PyClassImpl;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::{Callable, Representable};
use rustpython_vm::{Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

/// A callable object. Not a builtin function: the name and the closure of those live for ever.
#[pyclass(module = "snekpy", name = "HostFunction")]
#[derive(PyPayload)]
pub(crate) struct PyHostFunction {
    function: Erased,
    /// Weak: the engine owns the object, not the other way round.
    shared: Weak<Shared>,
}

impl PyHostFunction {
    pub(crate) fn object(function: Erased, shared: &Arc<Shared>, vm: &VirtualMachine) -> PyObjectRef {
        // The class is made with the first object of it.
        let _ = Self::make_static_type();
        Self { function, shared: Arc::downgrade(shared) }.into_ref(&vm.ctx).into()
    }

    fn run(&self, args: Vec<Value>) -> Result<Value, Error> {
        catch_unwind(AssertUnwindSafe(|| (self.function.call)(args))).unwrap_or_else(|panic| {
            let words = panic.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(Error::new("RuntimeError", format!("host function {}() panicked: {words}", self.function.name)))
        })
    }
}

#[pyclass(with(Callable, Representable))]
impl PyHostFunction {
    #[pygetset]
    fn __name__(zelf: &Py<Self>) -> String {
        zelf.function.name.clone()
    }

    #[pygetset]
    fn __qualname__(zelf: &Py<Self>) -> String {
        zelf.function.name.clone()
    }
}

impl Callable for PyHostFunction {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let (name, arity) = (&zelf.function.name, zelf.function.arity);
        if !args.kwargs.is_empty() {
            return Err(vm.new_type_error(format!("{name}() takes no keyword arguments")));
        }
        if args.args.len() != arity {
            let plural = if arity == 1 { "" } else { "s" };
            let given = args.args.len();
            return Err(vm.new_type_error(format!("{name}() takes {arity} argument{plural} ({given} given)")));
        }
        let shared = zelf.shared.upgrade();
        let shared = shared.ok_or_else(|| vm.new_runtime_error(format!("{name}(): the engine has ended")))?;
        let args = args.args.into_iter().map(|it| Value::from_object(it, &shared, vm));
        let args = args.collect::<PyResult<Vec<_>>>()?;
        zelf.run(args).map_err(|error| error.to_exception(vm))?.into_object(vm)
    }
}

impl Representable for PyHostFunction {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("<host function {}>", zelf.function.name))
    }
}

impl fmt::Debug for PyHostFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.function.fmt(f)
    }
}
