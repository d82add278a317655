//! The builtins that are written in Python: their functions, made once for an interpreter.

use rustpython_vm::builtins::{PyDict, PyDictRef};
use rustpython_vm::compiler::Mode;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

use crate::code::{HELPERS_FILE, is_helper};
use crate::config;
use crate::host;
use crate::staging_error::bug;

const SOURCES: [&str; 4] = [
    include_str!("capture/helpers.py"),
    include_str!("capture/join.py"),
    include_str!("capture/library.py"),
    include_str!("gradient/helpers.py"),
];

/// Whether this is a function of the helpers, or one that they made.
pub(crate) fn is_helper_function(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    host::function::code(object, vm).is_some_and(|code| is_helper(&code))
}

/// A function of the helpers.
pub(crate) fn named(name: &str, vm: &VirtualMachine) -> PyResult {
    functions(vm)?.get_item(name, vm)
}

/// A function of the helpers, if there is one of this name.
pub(crate) fn find(name: &str, vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
    functions(vm)?.get_item_opt(name, vm)
}

/// Makes what would run Python while a call is captured.
pub(crate) fn prepare(vm: &VirtualMachine) -> PyResult<()> {
    functions(vm)?;
    let modules = vm.sys_module.get_attr("modules", vm)?;
    for name in ["array", "itertools"] {
        if !modules.downcast_ref::<PyDict>().is_some_and(|it| it.contains_key(name, vm)) {
            vm.import(name, 0)?;
        }
    }
    Ok(())
}

/// The builtins that are written in Python, of an interpreter.
struct Functions(PyDictRef);

fn functions(vm: &VirtualMachine) -> PyResult<PyDictRef> {
    let functions = config::kept(vm, || {
        let scope = vm.new_scope_with_builtins();
        // Not what the program has made of them.
        scope.globals.set_item("__builtins__", config::builtins(vm).into(), vm)?;
        for source in SOURCES {
            let code = host::prepare::compile(source, Mode::Exec, HELPERS_FILE, vm);
            let code = code.map_err(|_| bug(vm, "its helpers do not compile"))?;
            host::prepare::run(code, scope.clone(), vm)?;
        }
        Ok(Functions(scope.globals))
    })?;
    Ok(functions.0.clone())
}
