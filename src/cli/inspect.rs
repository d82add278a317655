//! `snekpy inspect FILE::FUNC`: shows what a function is compiled to.

use crate::cli::program;
use clap::Parser;
use rustpython_vm::compiler::Mode;
use rustpython_vm::scope::Scope;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
use std::ffi::OsString;
use std::path::Path;

/// Show what a function is compiled to, for given arguments
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(name = "snekpy inspect", after_help = "A file of the name `inspect` is run with `snekpy ./inspect`.")]
pub(crate) struct Inspect {
    /// The file, and the function or method in it; it need not be marked with @stage
    #[arg(value_name = "FILE::FUNC", value_parser = target)]
    pub(crate) target: Target,
    /// The arguments, each a Python expression; only their types matter, unless a parameter is static
    #[arg(long, value_name = "EXPR", num_args = 0.., allow_negative_numbers = true)]
    pub(crate) args: Vec<String>,
    /// What to show: captured (before optimisation), ir, sexpr, llvm or asm
    #[arg(long, value_name = "STAGE", default_value = "ir",
          value_parser = ["captured", "ir", "sexpr", "llvm", "asm"])]
    pub(crate) stage: String,
}

/// A function in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) file: OsString,
    pub(crate) func: String,
}

fn target(text: &str) -> Result<Target, String> {
    match text.rsplit_once("::") {
        Some((file, func)) if !file.is_empty() && !func.is_empty() => {
            Ok(Target { file: file.into(), func: func.replace("::", ".") })
        }
        _ => Err("expected a file, two colons and a function, for example `model.py::loss`".to_owned()),
    }
}

/// Reads the arguments behind `inspect`. Ends the process for `-h` and mistakes.
pub(crate) fn parse(rest: Vec<OsString>) -> Inspect {
    Inspect::parse_from(std::iter::once("snekpy inspect".into()).chain(rest))
}

/// Runs the file, not as `__main__`, and prints the code of the function.
pub(crate) fn run(vm: &VirtualMachine, inspect: &Inspect) -> PyResult<()> {
    let scope = vm.new_scope_with_builtins();
    let stem = Path::new(&inspect.target.file).file_stem().unwrap_or_default();
    scope.globals.set_item("__name__", vm.new_pyobj(stem.to_string_lossy().into_owned()), vm)?;
    program::run_file(vm, &inspect.target.file, &scope)?;
    let func = evaluate(vm, &inspect.target.func, &scope)?;
    let func = match func.get_attr("lower", vm) {
        Ok(_) => func,
        Err(_) => vm.call_method(&vm.import("snekpy", 0)?.to_owned(), "stage", (func,))?,
    };
    let args = inspect.args.iter().map(|it| evaluate(vm, it, &scope)).collect::<PyResult<Vec<_>>>()?;
    let lowered = func.get_attr("lower", vm)?.call(args, vm)?;
    let text = vm.call_method(&lowered, "inspect", (inspect.stage.as_str(),))?.str(vm)?;
    let text = text.to_string_lossy();
    let stdout = vm.sys_module.get_attr("stdout", vm)?;
    vm.call_method(&stdout, "write", (format!("{}\n", text.trim_end()),)).map(drop)
}

fn evaluate(vm: &VirtualMachine, expression: &str, scope: &Scope) -> PyResult<PyObjectRef> {
    snekpy_stdlib::check_source(expression, "<argument>", vm)?;
    let code = vm.compile(expression, Mode::Eval, "<argument>");
    let code = code.map_err(|error| error.into_pyexception(vm, Some(expression)))?;
    vm.run_code_obj(code, scope.clone())
}
