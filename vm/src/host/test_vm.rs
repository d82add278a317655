//! An interpreter for the tests of this crate: run, evaluate, and see what was raised.

use rustpython_vm::{
    AsObject, Interpreter, PyObjectRef, Settings, VirtualMachine, builtins::PyBaseExceptionRef, compiler::Mode,
    scope::Scope,
};
use std::sync::Mutex;

/// A namespace in a fresh interpreter.
pub(crate) struct Python<'a> {
    vm: &'a VirtualMachine,
    pub(crate) scope: Scope,
}

/// Calls `test` with a fresh interpreter and an empty namespace.
pub(crate) fn with_vm(test: impl FnOnce(&VirtualMachine, &Python<'_>)) {
    // One at a time: building an interpreter sets up what all of them share.
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let builder = Interpreter::builder(Settings::default());
    let natives = rustpython_stdlib::stdlib_module_defs(&builder.ctx);
    let snekpy = crate::module_def(&builder.ctx);
    let builder = builder.add_native_module(snekpy);
    let interpreter = builder.add_native_modules(&natives).add_frozen_modules(snekpy_pylib::FROZEN_STDLIB).build();
    drop(guard);
    interpreter.enter(|vm| test(vm, &Python { vm, scope: vm.new_scope_with_builtins() }));
}

impl Python<'_> {
    fn exec(&self, source: &str, mode: Mode) -> Result<PyObjectRef, PyBaseExceptionRef> {
        let code = super::prepare::compile(source, mode, "<test>", self.vm)?;
        super::prepare::run(code, self.scope.clone(), self.vm)
    }

    fn unwrap<T>(&self, result: Result<T, PyBaseExceptionRef>) -> T {
        result.unwrap_or_else(|exc| panic!("{}", self.traceback(&exc)))
    }

    /// Runs statements.
    pub(crate) fn run(&self, source: &str) {
        self.unwrap(self.exec(source, Mode::Exec));
    }

    /// The value of an expression.
    pub(crate) fn eval(&self, source: &str) -> PyObjectRef {
        self.unwrap(self.exec(source, Mode::Eval))
    }

    /// `repr` of an expression's value.
    pub(crate) fn text(&self, source: &str) -> String {
        self.unwrap(self.eval(source).repr(self.vm)).to_string()
    }

    /// `Class: message` of the exception that an expression raises.
    pub(crate) fn error(&self, source: &str) -> String {
        self.describe(&self.exec(source, Mode::Eval).expect_err("the expression raises"))
    }

    /// `Class: message`
    pub(crate) fn describe(&self, exc: &PyBaseExceptionRef) -> String {
        format!("{}: {}", exc.class().name(), self.unwrap(exc.as_object().str(self.vm)))
    }

    /// What the interpreter prints for an uncaught exception.
    pub(crate) fn traceback(&self, exc: &PyBaseExceptionRef) -> String {
        let mut text = String::new();
        self.vm.write_exception(&mut text, exc).expect("a string can be written to");
        text
    }

    /// Binds a name.
    pub(crate) fn set(&self, name: &str, value: PyObjectRef) {
        self.unwrap(self.scope.globals.set_item(name, value, self.vm));
    }
}
