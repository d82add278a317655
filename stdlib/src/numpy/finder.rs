//! `import numpy` where no other numpy is found.

use rustpython_vm::builtins::PyStrRef;
use rustpython_vm::class::PyClassImpl;
use rustpython_vm::function::OptionalArg;
use rustpython_vm::{Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

/// The last entry of `sys.meta_path`: `numpy` and what is below it are `snekpy.numpy`.
#[pyclass(module = "snekpy", name = "_NumpyFinder")]
#[derive(Debug, PyPayload)]
struct NumpyFinder {}

#[pyclass]
impl NumpyFinder {
    #[pymethod]
    fn find_spec(
        _zelf: &Py<Self>,
        name: PyStrRef,
        _path: OptionalArg<PyObjectRef>,
        _target: OptionalArg<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyResult {
        let text = name.to_string_lossy();
        if text != "numpy" && !text.starts_with("numpy.") {
            return Ok(vm.ctx.none());
        }
        vm.import("snekpy.numpy._alias", 0)?;
        let modules = vm.sys_module.get_attr("modules", vm)?;
        let alias = modules.get_item("snekpy.numpy._alias", vm)?;
        vm.call_method(&alias, "spec", (name,))
    }
}

/// Puts the finder behind all others.
pub(crate) fn install(vm: &VirtualMachine) -> PyResult<()> {
    let _class = NumpyFinder::make_static_type();
    let finder: PyObjectRef = NumpyFinder {}.into_ref(&vm.ctx).into();
    let finders = vm.sys_module.get_attr("meta_path", vm)?;
    vm.call_method(&finders, "append", (finder,)).map(drop)
}
