//! `snekpy inspect FILE::FUNC`: what becomes of one function, without a change to its program.
//!
//! A file of the name `inspect` is run as `./inspect`.

use crate::cli::program::absolute;
use clap::Parser;
use clap::builder::PossibleValuesParser;
use rustpython_vm::builtins::{PyBaseExceptionRef, PyDictRef, PyTuple};
use rustpython_vm::compiler::Mode;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::scope::Scope;
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_vm::host::prepare;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;

/// Show what becomes of a function: stages it for example arguments and prints its code.
#[derive(Clone, Debug, Parser, PartialEq, Eq)]
#[command(
    name = "snekpy inspect",
    after_help = "FILE is run as a module, not as a program: `if __name__ == \"__main__\"` does not hold.\n\
                  Example: snekpy inspect power.py::power --args '2.0, 5' --stage llvm"
)]
pub(crate) struct Inspection {
    /// A Python file, and a function in it, staged or not; a method is Class.method or Class::method
    #[arg(value_name = "FILE::FUNC")]
    target: String,
    /// Arguments to compile for, as Python writes them, one text or several: '2.0, 5' or 2.0 5. Their types
    /// matter, and the values of static ones
    #[arg(long, value_name = "ARGS", num_args = 0..)]
    args: Option<Vec<String>>,
    /// What to show, from the program to the machine
    #[arg(long, value_name = "VIEW", default_value = "ir", value_parser = PossibleValuesParser::new(VIEWS))]
    stage: String,
}

const VIEWS: [&str; 7] = ["captured", "ir", "sexpr", "plan", "ptx", "llvm", "asm"];

impl Inspection {
    /// Reads what follows the word `inspect`. Ends the process for `-h` and mistakes (exit code 2).
    pub(crate) fn parse(rest: &[OsString]) -> Self {
        // What no option looks like is an expression, `-1.5, 3` say: a space in front tells clap.
        let shown = |it: &OsString| match it.as_encoded_bytes() {
            [b'-', second, ..] if !second.is_ascii_alphabetic() && *second != b'-' => {
                [OsStr::new(" "), it.as_os_str()].into_iter().collect()
            }
            _ => it.clone(),
        };
        let found = Self::parse_from(std::iter::once("snekpy inspect".into()).chain(rest.iter().map(shown)));
        if found.split().is_none() {
            let message = format!("inspect: `{}` is not FILE::FUNC, for example power.py::power", found.target);
            crate::cli::exit::fail(&message, crate::cli::exit::USAGE);
        }
        found
    }

    fn split(&self) -> Option<(&str, &str)> {
        self.target.split_once("::").filter(|(file, function)| !file.is_empty() && !function.is_empty())
    }

    /// The file that is run.
    pub(crate) fn file(&self) -> &OsStr {
        OsStr::new(self.split().map_or("", |(file, _)| file))
    }

    /// The example arguments, as one text.
    fn example(&self) -> Option<String> {
        self.args.as_ref().map(|texts| texts.iter().map(|it| it.trim()).collect::<Vec<_>>().join(", "))
    }

    /// The function, `Class.method` in a class.
    fn function(&self) -> String {
        self.split().map_or_else(String::new, |(_, function)| function.replace("::", "."))
    }
}

/// Runs the file and prints the view.
pub(crate) fn run(vm: &VirtualMachine, inspection: &Inspection) -> PyResult<()> {
    let module = import(vm, inspection.file())?;
    let function = find(vm, &module, inspection)?;
    let mut args = match inspection.example() {
        Some(text) => arguments(vm, &module, &text)?,
        None => Vec::new(),
    };
    let snekpy = vm.import("snekpy", 0)?;
    let staged = snekpy.get_attr("Staged", vm)?;
    let function = if function.is_instance(&staged, vm)? {
        function
    } else {
        snekpy.get_attr("stage", vm)?.call((function,), vm)?
    };
    args.insert(0, vm.new_pyobj(inspection.stage.as_str()));
    let inspect = function.get_attr("inspect", vm)?;
    let text = inspect.call(FuncArgs::from(args), vm).map_err(|error| {
        let words = message(vm, &error);
        let is_missing = inspection.args.is_none() && words.contains("has not been called yet");
        if is_missing {
            let words = format!("`{}` needs example arguments: --args '1.0, 2'", inspection.function());
            mistake(vm, &words)
        } else {
            error
        }
    })?;
    let text = text.str(vm)?.to_string_lossy().into_owned();
    let text = if text.ends_with('\n') { text } else { text + "\n" };
    let stdout = vm.sys_module.get_attr("stdout", vm)?;
    vm.call_method(&stdout, "write", (text,)).map(drop)
}

/// Runs a file as a module that is not `__main__`. What is beside it can be imported.
fn import(vm: &VirtualMachine, file: &OsStr) -> PyResult {
    let path = absolute(file);
    if !vm.state.config.settings.safe_path {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let folder = real.parent().unwrap_or(Path::new("/"));
        vm.insert_sys_path(vm.new_pyobj(folder.to_string_lossy().into_owned()))?;
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let path = path.to_string_lossy().into_owned();
    let machinery = vm.import("_frozen_importlib_external", 0)?;
    let loader = machinery.get_attr("SourceFileLoader", vm)?.call((name.as_str(), path.as_str()), vm)?;
    let bootstrap = vm.import("_frozen_importlib", 0)?;
    let spec = vm.call_method(&bootstrap, "spec_from_loader", (name.as_str(), loader.clone()))?;
    let module = vm.call_method(&bootstrap, "module_from_spec", (spec,))?;
    vm.sys_module.get_attr("modules", vm)?.set_item(name.as_str(), module.clone(), vm)?;
    vm.call_method(&loader, "exec_module", (module.clone(),))?;
    Ok(module)
}

/// The function, which may be in a class.
fn find(vm: &VirtualMachine, module: &PyObjectRef, inspection: &Inspection) -> PyResult {
    let mut found = module.clone();
    for name in inspection.function().split('.') {
        found = found.get_attr(vm.ctx.intern_str(name), vm).map_err(|error| {
            if error.fast_isinstance(vm.ctx.exceptions.attribute_error) {
                let file = inspection.file().to_string_lossy();
                mistake(vm, &format!("{file} has no function `{}`", inspection.function()))
            } else {
                error
            }
        })?;
    }
    Ok(found)
}

/// The values of `1.0, 2`, in the namespace of the module.
fn arguments(vm: &VirtualMachine, module: &PyObjectRef, text: &str) -> PyResult<Vec<PyObjectRef>> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let wrong = |error: PyBaseExceptionRef| {
        let class = error.class().name().to_string();
        mistake(vm, &format!("--args '{text}': {class}: {}", message(vm, &error)))
    };
    let globals: PyDictRef = module.get_attr("__dict__", vm)?.try_into_value(vm)?;
    let code = prepare::compile(text, Mode::Eval, "<args>", vm).map_err(wrong)?;
    let value = prepare::run(code, Scope::with_builtins(None, globals, vm), vm).map_err(wrong)?;
    Ok(match value.downcast_ref::<PyTuple>() {
        Some(tuple) => tuple.to_vec(),
        None => vec![value],
    })
}

fn message(vm: &VirtualMachine, error: &PyBaseExceptionRef) -> String {
    // `msg` of a SyntaxError is without its place, which is in a file that is not there.
    let words = if error.fast_isinstance(vm.ctx.exceptions.syntax_error) {
        error.as_object().get_attr("msg", vm).and_then(|it| it.str(vm))
    } else {
        error.as_object().str(vm)
    };
    words.map_or_else(|_| String::new(), |it| it.to_string_lossy().into_owned())
}

/// Says what is wrong with the command line, and gives what ends the process.
fn mistake(vm: &VirtualMachine, words: &str) -> PyBaseExceptionRef {
    // Nothing can be done about a closed standard error.
    let _ = writeln!(std::io::stderr(), "snekpy: inspect: {words}");
    let code = vm.new_pyobj(crate::cli::exit::USAGE);
    vm.new_exception(vm.ctx.exceptions.system_exit.to_owned(), vec![code])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_one_text_or_several() {
        for (args, function, texts) in [
            (&["a.py::f", "--args", "-1.5, 3", "--stage", "asm"][..], "f", Some("-1.5, 3")),
            (&["a.py::C.f", "--args", "-1", "[2.0]", "--stage", "ir"], "C.f", Some("-1, [2.0]")),
            (&["--args=2", "--", "a.py::C::f"], "C.f", Some("2")),
            (&["a.py::f", "--args"], "f", Some("")),
            (&["a.py::f"], "f", None),
        ] {
            let found = Inspection::parse(&args.iter().map(OsString::from).collect::<Vec<_>>());
            assert_eq!((found.file(), found.function().as_str()), (OsStr::new("a.py"), function), "{args:?}");
            assert_eq!(found.example().as_deref(), texts, "{args:?}");
        }
    }
}
