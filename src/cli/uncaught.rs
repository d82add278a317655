//! A `StagingError` that nobody caught.
//!
//! The traceback is Python's. What the error says under it is shown with the lines of the program, or, for
//! tools, the whole is one line of JSON. A program that has its own `sys.excepthook` gets the error as it is.

use crate::cli::options::Form;
use crate::cli::{color, json, snippet};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyTraceback};
use rustpython_vm::{AsObject, PyRef, PyResult, VirtualMachine};
use snekpy_vm::host::native::{NativeCallable, native_callable};
use std::io::{IsTerminal, Write};

/// What ends the program in place of this exception; other exceptions stay what they are.
pub(crate) fn prepare(vm: &VirtualMachine, exception: PyBaseExceptionRef, form: Form) -> PyBaseExceptionRef {
    let Some(refusal) = snekpy_vm::refusal_of(&exception, vm) else { return exception };
    if !shown_by_us(vm) {
        return exception;
    }
    match form {
        Form::Json => {
            // Nothing can be done about a closed standard error.
            let _ = writeln!(std::io::stderr(), "{}", json::error(&refusal, &traceback(&exception)));
            let code = vm.new_pyobj(crate::cli::exit::FAILURE);
            vm.new_exception(vm.ctx.exceptions.system_exit.to_owned(), vec![code])
        }
        Form::Text => {
            let source = |file: &str| source(vm, file).ok();
            let color = color::wanted(std::io::stderr().is_terminal());
            let text = snippet::render(&refusal, source, color);
            let args = vm.ctx.new_tuple(vec![vm.new_pyobj(text)]);
            // An exception of the program that cannot be changed is shown as it is.
            let _ = exception.as_object().set_attr("args", args, vm);
            exception
        }
    }
}

/// Whether the program left it to Python to show exceptions.
fn shown_by_us(vm: &VirtualMachine) -> bool {
    let Ok(hook) = vm.sys_module.get_attr("excepthook", vm) else { return false };
    // `sys.__excepthook__` is another object that does the same.
    match native_callable(&hook, vm) {
        Some(NativeCallable::Function { module: "sys", name }) => {
            matches!(name.as_str(), "excepthook" | "__excepthook__")
        }
        _ => false,
    }
}

fn traceback(exception: &PyBaseExceptionRef) -> Vec<json::Line> {
    let line = |it: PyRef<PyTraceback>| json::Line {
        file: it.frame.iframe().code().source_path().as_str().to_owned(),
        line: it.lineno.get(),
        function: it.frame.iframe().code().obj_name.as_str().to_owned(),
    };
    exception.__traceback__().iter().flat_map(|first| first.iter()).map(line).collect()
}

/// The text of a file, as a traceback finds it: on disk, in an archive, or of a `-c`.
fn source(vm: &VirtualMachine, file: &str) -> PyResult<String> {
    let linecache = vm.import("linecache", 0)?;
    let lines = vm.call_method(&linecache, "getlines", (file,))?;
    let lines: Vec<String> = lines.try_to_value(vm)?;
    Ok(lines.concat())
}
