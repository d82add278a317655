//! The Python object that a kernel is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustpython_vm::builtins::{PyDictRef, PyStrRef};
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::{Callable, Representable};
use rustpython_vm::{Py, PyPayload, PyResult, VirtualMachine, pyclass};

use super::{Made, Request, launch};
use crate::callable::name_of;

/// A kernel: a function over an index space, compiled for a target.
#[pyclass(module = "snekpy", name = "Kernel")]
#[derive(PyPayload)]
pub(crate) struct KernelObject {
    made: PyMutex<Arc<Made>>,
    request: Request,
    runs: AtomicU64,
}

impl std::fmt::Debug for KernelObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KernelObject").field("made", &self.made.lock()).finish_non_exhaustive()
    }
}

impl KernelObject {
    pub(super) fn new(made: Arc<Made>, request: Request) -> Self {
        // What it was made with is not kept alive by it.
        let request = Request { args: Vec::new(), ..request };
        Self { made: PyMutex::new(made), request, runs: AtomicU64::new(0) }
    }
}

#[pyclass(with(Callable, Representable))]
impl KernelObject {
    /// inspect(form="ir")
    /// --
    ///
    /// The kernel as text: "ir"; "llvm" and "asm" of one for the processor; "llvm" and "ptx" of one for a GPU, for
    /// which none is needed.
    #[pymethod]
    fn inspect(zelf: &Py<Self>, form: PyStrRef, vm: &VirtualMachine) -> PyResult<String> {
        let made = Arc::clone(&zelf.made.lock());
        let form = form.to_string_lossy();
        made.backend.inspect(&made.kernel, &form).map_err(|error| vm.new_value_error(error.to_string()))
    }

    /// stats()
    /// --
    ///
    /// How often it has run, and in seconds how long it took to capture and to compile (None before the first run), and
    /// what the GPU took for the last run, copies not counted (None for other targets).
    #[pymethod]
    fn stats(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<PyDictRef> {
        let made = Arc::clone(&zelf.made.lock());
        let dict = vm.ctx.new_dict();
        dict.set_item("runs", vm.ctx.new_int(zelf.runs.load(Ordering::Relaxed)).into(), vm)?;
        let [compiled, device] = made.times();
        for (name, time) in [("capture", Some(made.captured)), ("compile", compiled), ("device", device)] {
            let seconds = time.map(|time| vm.ctx.new_float(time.as_secs_f64()).into());
            dict.set_item(name, seconds.unwrap_or_else(|| vm.ctx.none()), vm)?;
        }
        Ok(dict)
    }

    #[pygetset]
    fn target(zelf: &Py<Self>) -> String {
        zelf.request.target.clone()
    }
}

impl Representable for KernelObject {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("<Kernel of {} for {}>", name_of(&zelf.request.func, vm), zelf.request.target))
    }
}

/// `kernel(shape, *args)`: runs it over other indices with other arguments of the same types.
impl Callable for KernelObject {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        if let Some(keyword) = args.kwargs.keys().next() {
            return Err(vm.new_type_error(format!("a kernel got an unexpected keyword argument '{keyword}'")));
        }
        let mut args = args.args.into_iter();
        let shape = args.next().ok_or_else(|| vm.new_type_error("a kernel takes a shape"))?;
        let request = zelf.request.again(&shape, args.collect(), vm)?;
        let known = Arc::clone(&zelf.made.lock());
        let made = if known.fits(&request, vm)? {
            known
        } else {
            let made = Arc::new(Made::new(&request, vm)?);
            *zelf.made.lock() = Arc::clone(&made);
            made
        };
        zelf.runs.fetch_add(1, Ordering::Relaxed);
        launch::run(&made, &request, vm)
    }
}
