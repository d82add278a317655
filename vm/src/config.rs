//! How an interpreter stages: which back end, and whether at all.
//!
//! Whoever builds an interpreter says it with [`configure`]. It is kept in the interpreter itself, so that
//! two engines may differ and threads that a script starts find it.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use rustpython_vm::builtins::PyDictRef;
use rustpython_vm::class::PyClassImpl;
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::{PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};
use snekpy_stage::backend::Backend;
use snekpy_stage::interp::Interpreter;
use snekpy_stage::kernel::KernelBackend;
use snekpy_stage::kernel::host::HostKernels;

use crate::event::Watcher;
use crate::kernel::Made;
use crate::staged::anew;

/// Gives what runs kernels on a target of this name, if there is such a target; whether floats may be computed in other
/// ways than written.
pub type KernelTargets = Arc<dyn Fn(&str, bool) -> Option<Arc<dyn KernelBackend>> + Send + Sync>;

/// How an interpreter stages.
#[derive(Clone)]
pub struct StagingConfig {
    /// What compiles.
    pub backend: Arc<dyn Backend>,
    /// What compiles large code at first, until it has run for a while: quicker, and worse.
    pub quick: Option<Arc<dyn Backend>>,
    /// What runs kernels, by the name of the target.
    pub kernels: KernelTargets,
    /// Whether staged functions are compiled. Otherwise they run as the plain functions they are.
    pub enabled: bool,
    /// Whether every call is compiled, also where plain Python is faster: what happens does not depend on clocks.
    pub always: bool,
    /// How many specialisations one function may have.
    pub max_specialisations: usize,
    /// Whether calls that have left come back only as long as that pays, by the clock.
    pub is_paced: bool,
    /// Who is told what happens to staged functions.
    pub watcher: Option<Watcher>,
    /// How many threads of the host are in the interpreter, if it is one that several may enter.
    pub entered: Arc<AtomicUsize>,
}

/// The reference interpreter, enabled.
impl Default for StagingConfig {
    fn default() -> Self {
        let kernels: KernelTargets = Arc::new(|name, _fast| {
            let cpu = || -> Arc<dyn KernelBackend> { Arc::new(HostKernels::new(Arc::new(Interpreter), 1)) };
            (name == "cpu").then(cpu)
        });
        Self {
            backend: Arc::new(Interpreter),
            quick: None,
            kernels,
            enabled: true,
            always: true,
            max_specialisations: 64,
            is_paced: true,
            watcher: None,
            entered: Arc::default(),
        }
    }
}

impl fmt::Debug for StagingConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StagingConfig")
            .field("backend", &self.backend.name())
            .field("enabled", &self.enabled)
            .field("always", &self.always)
            .field("max_specialisations", &self.max_specialisations)
            .finish_non_exhaustive()
    }
}

/// Where the configuration is found: an attribute of the interpreter's `sys`.
const ATTRIBUTE: &str = "_snekpy_staging";

#[pyclass(module = "snekpy", name = "_StagingConfig")]
#[derive(Debug, PyPayload)]
struct Holder {
    config: Arc<StagingConfig>,
    /// The builtins as they were before any program ran.
    builtins: PyDictRef,
    /// The builtins that are written in Python, once they were needed.
    helpers: PyMutex<Option<PyDictRef>>,
    /// The class of what `stats()` gives, once it was asked for.
    stats: PyMutex<Option<PyObjectRef>>,
    /// The kernels that were made, the newest first.
    kernels: PyMutex<Vec<Arc<Made>>>,
    /// The functions that were staged, by their code.
    made: PyMutex<anew::Made>,
}

#[pyclass]
impl Holder {}

/// Says how this interpreter stages. Functions that are staged already keep what they were staged with.
pub fn configure(vm: &VirtualMachine, config: StagingConfig) {
    crate::module::make_classes();
    snekpy_stage::threads::around_start(|start| crate::run::poll::masked(start));
    let _class = Holder::make_static_type();
    let holder = Holder {
        config: Arc::new(config),
        builtins: vm.builtins.dict().copy().into_ref(&vm.ctx),
        helpers: PyMutex::new(None),
        stats: PyMutex::new(None),
        kernels: PyMutex::default(),
        made: PyMutex::default(),
    }
    .into_ref(&vm.ctx);
    let set = vm.sys_module.dict().set_item(ATTRIBUTE, holder.into(), vm);
    set.expect("a module's namespace takes any string");
    // Without `_thread` there are no threads.
    let _ = crate::threads::watch_starts(vm);
}

/// How this interpreter stages.
pub fn config(vm: &VirtualMachine) -> Arc<StagingConfig> {
    holder(vm).config.clone()
}

/// The builtins as they were before any program ran.
pub(crate) fn builtins(vm: &VirtualMachine) -> PyDictRef {
    holder(vm).builtins.clone()
}

/// The builtin of this name, whatever the program has bound to it.
///
/// # Errors
/// A `KeyError` if there is none.
pub(crate) fn builtin(name: &str, vm: &VirtualMachine) -> PyResult {
    builtins(vm).get_item(name, vm)
}

/// The builtins that are written in Python: made once for an interpreter, by `make`.
pub(crate) fn helpers(vm: &VirtualMachine, make: impl FnOnce() -> PyResult<PyDictRef>) -> PyResult<PyDictRef> {
    let holder = holder(vm);
    if let Some(known) = &*holder.helpers.lock() {
        return Ok(known.clone());
    }
    let made = make()?;
    *holder.helpers.lock() = Some(made.clone());
    Ok(made)
}

/// The class of what `stats()` gives: made once for an interpreter, by `make`.
pub(crate) fn stats_class(vm: &VirtualMachine, make: impl FnOnce() -> PyResult) -> PyResult {
    let holder = holder(vm);
    if let Some(known) = &*holder.stats.lock() {
        return Ok(known.clone());
    }
    let made = make()?;
    *holder.stats.lock() = Some(made.clone());
    Ok(made)
}

/// The kernels that this interpreter keeps.
pub(crate) fn kernels<T>(vm: &VirtualMachine, use_them: impl FnOnce(&mut Vec<Arc<Made>>) -> T) -> T {
    use_them(&mut holder(vm).kernels.lock())
}

/// The functions that this interpreter has staged.
pub(crate) fn made<T>(vm: &VirtualMachine, use_them: impl FnOnce(&mut anew::Made) -> T) -> T {
    use_them(&mut holder(vm).made.lock())
}

fn holder(vm: &VirtualMachine) -> PyRef<Holder> {
    let found = vm.sys_module.dict().get_item_opt(ATTRIBUTE, vm).ok().flatten();
    match found.and_then(|holder| holder.downcast::<Holder>().ok()) {
        Some(holder) => holder,
        None => {
            configure(vm, StagingConfig::default());
            holder(vm)
        }
    }
}

thread_local! {
    static DISABLED: Cell<u32> = const { Cell::new(0) };
}

/// Whether this thread is inside `with disabled():`.
#[inline]
pub(crate) fn is_disabled() -> bool {
    DISABLED.get() > 0
}

/// Enters `with disabled():`.
pub(crate) fn disable() {
    DISABLED.set(DISABLED.get() + 1);
}

/// Leaves `with disabled():`.
pub(crate) fn enable_again() {
    DISABLED.set(DISABLED.get().saturating_sub(1));
}
