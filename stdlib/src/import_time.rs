//! `-X importtime`: how long each import takes, on standard error.

use rustpython_vm::compiler::Mode;
use rustpython_vm::{PyResult, VirtualMachine};
use snekpy_vm::host::prepare;

/// Wraps the function of `importlib` that finds and loads what is not there yet.
const TIMER: &str = r#"
import sys
from time import perf_counter_ns


def wrap(load):
    depth = 0
    inner = 0

    def timed(name, *args):
        nonlocal depth, inner
        outer, inner = inner, 0
        depth += 1
        start = perf_counter_ns()
        try:
            return load(name, *args)
        finally:
            spent = perf_counter_ns() - start
            depth -= 1
            own = (spent - inner) // 1000
            inner = outer + spent
            print(f"import time: {own:9} | {spent // 1000:10} | {'  ' * depth}{name}", file=sys.stderr)

    return timed
"#;

/// Tells of imports from here on. The table is CPython's.
///
/// # Errors
/// If the machinery of imports is not what it was.
pub fn time_imports(vm: &VirtualMachine) -> PyResult<()> {
    let scope = vm.new_scope_with_builtins();
    scope.globals.set_item("__name__", vm.new_pyobj("importlib._bootstrap"), vm)?;
    // Of this file no traceback shows a frame.
    let code = prepare::compile(TIMER, Mode::Exec, "<frozen importlib._bootstrap>", vm)?;
    prepare::run(code, scope.clone(), vm)?;
    let importlib = vm.sys_module.get_attr("modules", vm)?.get_item("_frozen_importlib", vm)?;
    let load = importlib.get_attr("_find_and_load_unlocked", vm)?;
    let timed = scope.globals.get_item("wrap", vm)?.call((load,), vm)?;
    importlib.set_attr("_find_and_load_unlocked", timed, vm)?;
    let stderr = vm.sys_module.get_attr("stderr", vm)?;
    vm.call_method(&stderr, "write", ("import time: self [us] | cumulative | imported package\n",)).map(drop)
}
