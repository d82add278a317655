//! Source that was run, and what it defined.

use crate::compiled::Staged;
use crate::error::{Error, Result};
use crate::object::Object;
use crate::shared::{Held, Shared};
use crate::value::{FromValue, IntoArgs, IntoValue, Value};
use rustpython_vm::builtins::{PyCode, PyDict, PyStr, PyTuple};
use rustpython_vm::compiler::Mode;
use rustpython_vm::scope::Scope;
use rustpython_vm::{Py, PyObjectRef, PyRef, PyResult, VirtualMachine};
use snekpy_vm::host::prepare;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The file name of an expression that is evaluated.
const EXPRESSION: &str = "<expression>";

/// The namespace of source that was run.
#[derive(Clone)]
pub struct Script {
    /// The dict of its globals.
    globals: Held,
}

impl Script {
    pub(crate) fn run(shared: &Arc<Shared>, source: &str) -> Result<Self> {
        let filename = shared.name_of(source);
        Self::run_code(shared, &filename, |vm| {
            let code = compile(source, Mode::Exec, &filename, vm)?;
            // Tracebacks quote it, also those of functions that are called later.
            vm.register_code_in_linecache(&code, source)?;
            Ok(code)
        })
    }

    pub(crate) fn run_file(shared: &Arc<Shared>, path: &Path) -> Result<Self> {
        let name = path.to_string_lossy().into_owned();
        let bytes = std::fs::read(path).map_err(|error| {
            let class = match error.kind() {
                std::io::ErrorKind::NotFound => "FileNotFoundError",
                std::io::ErrorKind::PermissionDenied => "PermissionError",
                std::io::ErrorKind::IsADirectory => "IsADirectoryError",
                _ => "OSError",
            };
            Error::new(class, format!("can't open file '{name}': {error}"))
        })?;
        Self::run_code(shared, &name, |vm| {
            // The builtin knows byte order marks and encoding cookies.
            let compile = vm.builtins.get_attr("compile", vm)?;
            let code = compile.call((vm.ctx.new_bytes(bytes), name.as_str(), "exec"), vm)?;
            code.downcast().map_err(|_| vm.new_type_error("compile() did not return a code object"))
        })
    }

    fn run_code(
        shared: &Arc<Shared>,
        filename: &str,
        code: impl FnOnce(&VirtualMachine) -> PyResult<PyRef<PyCode>>,
    ) -> Result<Self> {
        shared.enter(|vm| {
            let code = code(vm)?;
            let scope = vm.new_scope_with_builtins();
            scope.globals.set_item("__name__", vm.new_pyobj("__main__"), vm)?;
            if !filename.starts_with('<') {
                scope.globals.set_item("__file__", vm.new_pyobj(filename), vm)?;
            }
            prepare::run(code, scope.clone(), vm)?;
            Ok(Self { globals: Held::new(shared, scope.globals.into()) })
        })
    }

    pub(crate) fn eval(shared: &Arc<Shared>, expression: &str) -> Result<Value> {
        let mut is_quoted = false;
        let value = shared.enter(|vm| {
            let code = compile(expression, Mode::Eval, EXPRESSION, vm)?;
            let value = prepare::run(code.clone(), vm.new_scope_with_builtins(), vm);
            if value.is_err() {
                is_quoted = true;
                vm.register_code_in_linecache(&code, expression)?;
            }
            Value::from_object(value?, shared, vm)
        });
        if is_quoted {
            // The name is that of all expressions; the traceback has been written. At worst another one quotes it.
            let _ = shared.attach(|vm| forget_source(EXPRESSION, vm));
        }
        value
    }

    /// Runs more source in the same namespace.
    ///
    /// ```
    /// # fn main() -> snekpy::Result<()> {
    /// let script = snekpy::Engine::new().run("n = 1")?;
    /// script.extend("n += 41")?;
    /// assert_eq!(script.get::<i64>("n")?, 42);
    /// # Ok(()) }
    /// ```
    pub fn extend(&self, source: &str) -> Result<()> {
        let filename = self.globals.shared().name_of(source);
        self.enter(|globals, vm| {
            let code = compile(source, Mode::Exec, &filename, vm)?;
            vm.register_code_in_linecache(&code, source)?;
            let scope = Scope::with_builtins(None, globals.to_owned(), vm);
            prepare::run(code, scope, vm).map(drop)
        })
    }

    /// A global variable.
    pub fn get<T: FromValue>(&self, name: &str) -> Result<T> {
        let shared = self.globals.shared();
        T::from_value(self.enter(|globals, vm| Value::from_object(lookup(globals, name, vm)?, shared, vm))?)
    }

    /// Sets a global variable.
    pub fn set(&self, name: &str, value: impl IntoValue) -> Result<()> {
        let value = value.into_value();
        self.enter(|globals, vm| globals.set_item(name, value.into_object(vm)?, vm))
    }

    /// A global function, class or other object, to be kept and called.
    pub fn function(&self, name: &str) -> Result<Object> {
        self.enter(|globals, vm| Ok(Object::new(self.globals.shared(), lookup(globals, name, vm)?)))
    }

    /// A global function, to be compiled. It need not be marked with `@stage`.
    ///
    /// ```
    /// # fn main() -> snekpy::Result<()> {
    /// let script = snekpy::Engine::new().run("def square(x): return x * x")?;
    /// let square = script.stage("square")?.typed::<fn(f64) -> f64>()?;
    /// assert_eq!(square.call(3.0)?, 9.0);
    /// # Ok(()) }
    /// ```
    pub fn stage(&self, name: &str) -> Result<Staged> {
        let shared = self.globals.shared();
        self.enter(|globals, vm| Ok(Staged::new(Held::new(shared, lookup(globals, name, vm)?))))
    }

    /// Calls a global function once.
    pub fn call<T: FromValue>(&self, name: &str, args: impl IntoArgs) -> Result<T> {
        self.function(name)?.call(args)
    }

    fn enter<T>(&self, body: impl FnOnce(&Py<PyDict>, &VirtualMachine) -> PyResult<T>) -> Result<T> {
        self.globals.shared().enter(|vm| {
            let globals = self.globals.object().downcast_ref::<PyDict>().expect("globals are a dict");
            body(globals, vm)
        })
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").finish_non_exhaustive()
    }
}

fn compile(source: &str, mode: Mode, filename: &str, vm: &VirtualMachine) -> PyResult<PyRef<PyCode>> {
    snekpy_stdlib::check_source(source, filename, vm)?;
    prepare::compile(source, mode, filename, vm)
}

/// Takes back what `register_code_in_linecache` did for the code of a file of this name.
fn forget_source(filename: &str, vm: &VirtualMachine) -> PyResult<()> {
    let cache = vm.import("linecache", 0)?.get_attr("_interactive_cache", vm)?;
    let Some(cache) = cache.downcast_ref::<PyDict>() else { return Ok(()) };
    for (key, _) in cache.into_iter().collect::<Vec<_>>() {
        // The file, the name of the code, the line.
        let file = key.downcast_ref::<PyTuple>().and_then(|key| key.first()).and_then(|it| it.downcast_ref::<PyStr>());
        if file.is_some_and(|it| it.as_bytes() == filename.as_bytes()) {
            cache.del_item(&*key, vm)?;
        }
    }
    Ok(())
}

fn lookup(globals: &Py<PyDict>, name: &str, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
    globals.get_item_opt(name, vm)?.ok_or_else(|| {
        let message = format!("name '{name}' is not defined");
        vm.new_exception_msg(vm.ctx.exceptions.name_error.to_owned(), message.into())
    })
}
