//! The modules that Python programs see, and how an interpreter that has them is put together.
//!
//! RustPython's native modules, the frozen Python half of the standard library and snekpy's own
//! modules are registered here and nowhere else. Registering is all that happens at start: a module
//! is unpacked when it is first imported.

mod beside;
mod bytes_warning;
mod identity;
mod import_time;
mod nesting;
mod numpy;
mod patch;
mod site;
mod source_guard;
mod startup;

pub use bytes_warning::warn_of_bytes;
pub use import_time::time_imports;
pub use nesting::{MAX_BRACKETS, MAX_COMPREHENSIONS, MAX_INDENTS, TooDeep, check_nesting};
pub use site::run_site;
pub use source_guard::check_source;
pub use startup::prepare_end;

use rustpython_vm::{Interpreter, InterpreterBuilder, Settings, VirtualMachine};

/// An engine ends: what the process shares of it is another one's from now on.
pub fn end(vm: &VirtualMachine) {
    numpy::end(vm);
}

/// An interpreter about to be built, with everything that snekpy brings.
///
/// What an embedder adds (native modules, hooks) is added to the result; [`finish`] builds it.
#[must_use]
pub fn builder(settings: Settings) -> InterpreterBuilder {
    let settings = startup::lean(settings);
    let builder = Interpreter::builder(settings);
    let modules = rustpython_stdlib::stdlib_module_defs(&builder.ctx);
    let snekpy = snekpy_vm::module_def(&builder.ctx);
    let builder = builder.init_hook(|vm| vm.state.gc.disable());
    snekpy_vm::tensor::register(&numpy::Arrays);
    let numpy = numpy::module_def(&builder.ctx);
    builder
        .add_native_modules(&patch::modules(modules))
        .add_native_modules(&[snekpy, numpy])
        .add_frozen_modules(snekpy_pylib::FROZEN_STDLIB)
        .add_frozen_modules(numpy::FROZEN)
}

/// Builds the interpreter and does what can only be done to a living one.
///
/// Source that is nested too deeply for the parser is refused from here on, however it comes in.
#[must_use]
pub fn finish(builder: InterpreterBuilder) -> Interpreter {
    let interpreter = builder.build();
    interpreter.enter(|vm| {
        source_guard::install(vm);
        let completed = startup::complete(vm);
        vm.expect_pyresult(completed, "the import machinery of a new interpreter can be completed");
    });
    interpreter
}
