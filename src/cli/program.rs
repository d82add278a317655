//! Runs a program given as file, module, text or standard input, as `__main__`.

use crate::cli::args::Program;
use crate::cli::{exit, inspect};
use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::compiler::Mode;
use rustpython_vm::scope::Scope;
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_vm::host::prepare;
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Ends the process with CPython's message if the program is a file that cannot be opened.
///
/// Asked before the interpreter exists: a typing mistake is answered at once.
pub(crate) fn must_exist(program: &Program) {
    let file = match program {
        Program::File(file) => file,
        Program::Inspect(inspection) => inspection.file(),
        Program::Prompt | Program::Stdin | Program::Command(_) | Program::Module(_) => return,
    };
    if file.to_str().is_none() {
        exit::fail(&format!("can't open file {file:?}: its name is not UTF-8"), exit::USAGE);
    }
    if let Err(error) = std::fs::File::open(file) {
        let code = error.raw_os_error().unwrap_or_default();
        let words = error.to_string();
        let words = words.split(" (os error").next().unwrap_or_default();
        let path = absolute(file);
        exit::fail(&format!("can't open file '{}': [Errno {code}] {words}", path.display()), exit::USAGE);
    }
}

/// Runs `program` in `scope`, the namespace of `__main__`. The first line of a file may be something for the shell.
pub(crate) fn run(vm: &VirtualMachine, program: &Program, skip_first_line: bool, scope: &Scope) -> PyResult<()> {
    match program {
        Program::Command(code) => run_text(vm, code, "<string>", scope),
        Program::Module(module) => vm.run_module(module),
        Program::File(file) => run_file(vm, file, skip_first_line, scope),
        Program::Inspect(inspection) => inspect::run(vm, inspection),
        Program::Prompt | Program::Stdin => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).map_err(|error| vm.new_os_error(error.to_string()))?;
            run_bytes(vm, bytes, "<stdin>", scope)
        }
    }
}

/// Runs the file of `PYTHONSTARTUP`: in `__main__`, but not as the program.
pub(crate) fn run_startup(vm: &VirtualMachine, file: &OsStr, scope: &Scope) -> PyResult<()> {
    let bytes = std::fs::read(file).map_err(|error| vm.new_os_error(format!("PYTHONSTARTUP: {error}")))?;
    run_bytes(vm, bytes, &file.to_string_lossy(), scope)
}

fn run_text(vm: &VirtualMachine, source: &str, filename: &str, scope: &Scope) -> PyResult<()> {
    snekpy_stdlib::check_source(source, filename, vm)?;
    let code = prepare::compile(source, Mode::Exec, filename, vm)?;
    let ended = prepare::run(code.clone(), scope.clone(), vm);
    if ended.is_err() {
        // There is no file from which the traceback could quote.
        let _ = vm.register_code_in_linecache(&code, source);
    }
    ended.map(drop)
}

/// Runs source whose encoding is yet to be found out: by a byte order mark, a cookie, or UTF-8.
fn run_bytes(vm: &VirtualMachine, bytes: Vec<u8>, filename: &str, scope: &Scope) -> PyResult<()> {
    if let Some(at) = bytes.iter().position(|&it| it == 0) {
        return Err(null_byte(vm, &bytes[..at], filename));
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.starts_with('\u{feff}') && !has_cookie(&text) => run_text(vm, &text, filename, scope),
        Ok(text) => run_encoded(vm, text.into_bytes(), filename, scope),
        Err(error) => run_encoded(vm, error.into_bytes(), filename, scope),
    }
}

fn null_byte(vm: &VirtualMachine, before: &[u8], filename: &str) -> PyBaseExceptionRef {
    let line = before.split(|&it| it == b'\n').next_back().unwrap_or_default();
    let text = format!("{}\n", String::from_utf8_lossy(line));
    let number = before.iter().filter(|&&it| it == b'\n').count() + 1;
    let words = "source code cannot contain null bytes";
    let exception = vm.new_exception_msg(vm.ctx.exceptions.syntax_error.to_owned(), words.into());
    let fields: [(&str, PyObjectRef); 3] =
        [("filename", vm.new_pyobj(filename)), ("lineno", vm.new_pyobj(number)), ("text", vm.new_pyobj(text))];
    for (name, value) in fields {
        exception.as_object().set_attr(name, value, vm).expect("a SyntaxError has these attributes");
    }
    exception
}

/// The rare ways: `compile` knows them all, with CPython's messages for what is wrong.
fn run_encoded(vm: &VirtualMachine, bytes: Vec<u8>, filename: &str, scope: &Scope) -> PyResult<()> {
    let source: PyObjectRef = vm.ctx.new_bytes(bytes).into();
    let compile = vm.builtins.get_attr("compile", vm)?;
    let code = compile.call((source, filename, "exec"), vm)?;
    let code = code.downcast().map_err(|_| vm.new_type_error("compile() did not return a code object"))?;
    prepare::run(code, scope.clone(), vm).map(drop)
}

/// Whether one of the first two lines may name an encoding.
fn has_cookie(text: &str) -> bool {
    text.lines().take(2).any(|line| line.contains("coding"))
}

fn run_file(vm: &VirtualMachine, file: &OsStr, skip_first_line: bool, scope: &Scope) -> PyResult<()> {
    let path = absolute(file);
    let name = path.to_string_lossy().into_owned();
    if path.is_dir() || is_zip(&path) {
        return run_container(vm, file, &name);
    }
    if !vm.state.config.settings.safe_path {
        // Python looks beside the file itself, not beside a link to it.
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let directory = real.parent().unwrap_or(Path::new("/"));
        vm.insert_sys_path(vm.new_pyobj(directory.to_string_lossy().into_owned()))?;
    }
    let globals = &scope.globals;
    globals.set_item("__file__", vm.new_pyobj(name.as_str()), vm)?;
    globals.set_item("__cached__", vm.ctx.none(), vm)?;
    if name.ends_with(".pyc") {
        set_loader(vm, scope, "SourcelessFileLoader", &name)?;
        let loader = globals.get_item("__loader__", vm)?;
        let code = vm.call_method(&loader, "get_code", ("__main__",))?;
        let code = code.downcast().map_err(|_| vm.new_runtime_error("Bad code object in .pyc file"))?;
        return prepare::run(code, scope.clone(), vm).map(drop);
    }
    set_loader(vm, scope, "SourceFileLoader", &name)?;
    let mut bytes = std::fs::read(&path).map_err(|error| vm.new_os_error(error.to_string()))?;
    if skip_first_line {
        // The line end stays: lines keep their numbers.
        let end = bytes.iter().position(|&it| it == b'\n').unwrap_or(bytes.len());
        bytes.drain(..end);
    }
    run_bytes(vm, bytes, &name, scope)
}

fn set_loader(vm: &VirtualMachine, scope: &Scope, class: &'static str, file: &str) -> PyResult<()> {
    let external = vm.import("_frozen_importlib_external", 0)?;
    let loader = external.get_attr(class, vm)?.call(("__main__", file), vm)?;
    scope.globals.set_item("__loader__", loader, vm)
}

/// Runs the `__main__` of a directory or a zip file.
fn run_container(vm: &VirtualMachine, file: &OsStr, name: &str) -> PyResult<()> {
    if Path::new(file).is_dir() && !Path::new(file).join("__main__.py").exists() {
        let pyc = Path::new(file).join("__main__.pyc");
        if !pyc.exists() {
            exit::fail(&format!("can't find '__main__' module in '{name}'"), exit::FAILURE);
        }
    }
    vm.insert_sys_path(vm.new_pyobj(name))?;
    let runpy = vm.import("runpy", 0)?;
    vm.call_method(&runpy, "_run_module_as_main", ("__main__", false)).map(drop)
}

fn is_zip(path: &Path) -> bool {
    let mut start = [0; 4];
    std::fs::File::open(path).and_then(|mut it| it.read_exact(&mut start)).is_ok() && start == *b"PK\x03\x04"
}

/// Where a file is, as Python's `__file__` has it.
pub(crate) fn absolute(file: &OsStr) -> PathBuf {
    std::path::absolute(file).unwrap_or_else(|_| PathBuf::from(file))
}
