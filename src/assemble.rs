//! Puts an interpreter together: Python, its standard library, snekpy's modules and the back end.
//!
//! The command and the embedding façade both come here, so that a program behaves alike under both.

use std::sync::Arc;

use rustpython_vm::signal::UserSignalReceiver;
use rustpython_vm::{Interpreter, Settings};
use snekpy_cuda::{Cuda, Simt};
use snekpy_llvm::{Level, Llvm, LlvmOptions, ObjectCache};
use snekpy_stage::backend::Backend;
use snekpy_stage::interp::Interpreter as Reference;
use snekpy_stage::kernel::KernelBackend;
use snekpy_stage::kernel::host::HostKernels;
use snekpy_vm::config::KernelTargets;
use snekpy_vm::{StagingConfig, Watcher};

/// How staged functions run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Staging {
    /// As machine code, optimised, where that is faster than plain Python.
    #[default]
    Llvm,
    /// The same for every call, faster or not: nothing depends on clocks.
    Always,
    /// As machine code that is not optimised: compiles faster, and shows whether a fault is the optimiser's.
    LlvmO0,
    /// On the reference interpreter: the definition of what staged code means.
    Interpreter,
    /// Not at all: as the plain functions they are.
    Off,
}

/// What is told of what happens to staged functions.
#[derive(Clone)]
pub struct Watching {
    /// Who is told.
    pub watcher: Option<Watcher>,
    /// Whether calls that have left come back only as long as that pays, by the clock.
    pub is_paced: bool,
}

impl Default for Watching {
    fn default() -> Self {
        Self { watcher: None, is_paced: true }
    }
}

/// An interpreter with everything that snekpy brings. For the command; embedders use [`crate::Engine`]. Machine code that
/// was made before is looked for in `cache`. What comes through `alarm` runs on the main thread, between two instructions.
#[must_use]
pub fn interpreter(
    settings: Settings,
    staging: Staging,
    watching: Watching,
    cache: Option<Arc<ObjectCache>>,
    alarm: Option<UserSignalReceiver>,
) -> Interpreter {
    let mut builder = snekpy_stdlib::builder(settings);
    if let Some(alarm) = alarm {
        builder = builder.init_hook(|vm| vm.set_user_signal_channel(alarm));
    }
    let interpreter = snekpy_stdlib::finish(builder);
    let Watching { watcher, is_paced } = watching;
    let config = config(staging, cache.unwrap_or_else(|| Arc::new(ObjectCache::in_memory())));
    interpreter.enter(|vm| snekpy_vm::configure(vm, StagingConfig { watcher, is_paced, ..config }));
    interpreter
}

/// Makes the back end, for code that may approximate or not.
type Make = Arc<dyn Fn(bool) -> Arc<dyn Backend> + Send + Sync>;

fn config(staging: Staging, cache: Arc<ObjectCache>) -> StagingConfig {
    let llvm = |level: Level, leaves_nests: bool| -> Make {
        let cache = Arc::clone(&cache);
        Arc::new(move |fast| {
            let options = LlvmOptions { level, fast, leaves_nests, ..LlvmOptions::default() };
            Arc::new(Llvm::new(options).with_cache(Some(Arc::clone(&cache))))
        })
    };
    let (best, unoptimised) = (llvm(Level::O3, false), llvm(Level::O0, false));
    let kernels = |make| kernels(make, Arc::clone(&cache));
    let on = |make: Make| StagingConfig { backend: make(false), kernels: kernels(make), ..StagingConfig::default() };
    match staging {
        Staging::Llvm => StagingConfig { always: false, quick: Some(llvm(Level::O0, true)(false)), ..on(best) },
        Staging::Always => on(best),
        Staging::LlvmO0 => on(unoptimised),
        Staging::Interpreter => on(Arc::new(|_| Arc::new(Reference))),
        Staging::Off => StagingConfig { enabled: false, ..on(best) },
    }
}

/// What runs kernels: this processor, with as many threads as share work, GPUs, and simulated ones.
fn kernels(make: Make, cache: Arc<ObjectCache>) -> KernelTargets {
    Arc::new(move |name, fast| -> Option<Arc<dyn KernelBackend>> {
        let cuda = |ordinal| -> Arc<dyn KernelBackend> {
            let cuda = Cuda::new(ordinal).with_cache(Some(Arc::clone(&cache)));
            Arc::new(if fast { cuda.fast() } else { cuda })
        };
        match name.split_once(':') {
            None if name == "cpu" => Some(Arc::new(HostKernels::new(make(fast), snekpy_stage::threads::count()))),
            None if name == "simt" => Some(Arc::new(Simt::default())),
            None if name == "cuda" => Some(cuda(0)),
            Some(("simt", number)) => Some(Arc::new(Simt::numbered(number.parse().ok()?)?)),
            Some(("cuda", number)) => Some(cuda(number.parse().ok()?)),
            None | Some(_) => None,
        }
    })
}
