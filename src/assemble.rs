//! Puts an interpreter together: Python, its standard library, snekpy's modules and the back end.
//!
//! The command and the embedding façade both come here, so that a program behaves alike under both.

use std::sync::Arc;

use rustpython_vm::signal::UserSignalReceiver;
use rustpython_vm::{Interpreter, Settings};
use snekpy_cuda::{Cuda, Simt};
use snekpy_llvm::{Level, Llvm, LlvmOptions};
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

/// An interpreter with everything that snekpy brings. For the command; embedders use [`crate::Engine`]. What comes
/// through `alarm` runs on the main thread, between two instructions.
#[must_use]
pub fn interpreter(
    settings: Settings,
    staging: Staging,
    watching: Watching,
    alarm: Option<UserSignalReceiver>,
) -> Interpreter {
    let mut builder = snekpy_stdlib::builder(settings);
    if let Some(alarm) = alarm {
        builder = builder.init_hook(|vm| vm.set_user_signal_channel(alarm));
    }
    let interpreter = snekpy_stdlib::finish(builder);
    let Watching { watcher, is_paced } = watching;
    interpreter.enter(|vm| snekpy_vm::configure(vm, StagingConfig { watcher, is_paced, ..config(staging) }));
    interpreter
}

fn config(staging: Staging) -> StagingConfig {
    let on = |backend: fn(bool) -> Arc<dyn Backend>| StagingConfig {
        kernels: kernels(backend),
        backend: backend(false),
        ..StagingConfig::default()
    };
    match staging {
        Staging::Llvm => {
            StagingConfig { always: false, quick: Some(llvm(Level::O0, false)), ..config(Staging::Always) }
        }
        Staging::Always => on(|fast| llvm(Level::O3, fast)),
        Staging::LlvmO0 => on(|fast| llvm(Level::O0, fast)),
        Staging::Interpreter => on(|_| Arc::new(Reference)),
        Staging::Off => StagingConfig { enabled: false, ..config(Staging::Always) },
    }
}

fn llvm(level: Level, fast: bool) -> Arc<dyn Backend> {
    Arc::new(Llvm::new(LlvmOptions { level, fast, ..LlvmOptions::default() }))
}

/// What runs kernels: this processor, with all its cores, GPUs, and the simulation of one.
fn kernels(backend: fn(bool) -> Arc<dyn Backend>) -> KernelTargets {
    Arc::new(move |name, fast| -> Option<Arc<dyn KernelBackend>> {
        let cuda = |ordinal| -> Arc<dyn KernelBackend> {
            let cuda = Cuda::new(ordinal);
            Arc::new(if fast { cuda.fast() } else { cuda })
        };
        match name.split_once(':') {
            None if name == "cpu" => {
                let threads = std::thread::available_parallelism().map_or(1, usize::from);
                Some(Arc::new(HostKernels::new(backend(fast), threads)))
            }
            None if name == "simt" => Some(Arc::new(Simt::default())),
            None if name == "cuda" => Some(cuda(0)),
            Some(("cuda", number)) => Some(cuda(number.parse().ok()?)),
            None | Some(_) => None,
        }
    })
}
