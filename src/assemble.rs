//! Puts an interpreter together: Python, its standard library, snekpy's modules and the back end.
//!
//! The command and the embedding façade both come here, so that a program behaves alike under both.

use std::sync::Arc;

use rustpython_vm::signal::UserSignalReceiver;
use rustpython_vm::{Interpreter, Settings};
use snekpy_llvm::{Level, Llvm, LlvmOptions};
use snekpy_stage::backend::Backend;
use snekpy_vm::{StagingConfig, Watcher};

/// How staged functions run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Staging {
    /// As machine code, optimised.
    #[default]
    Llvm,
    /// As machine code that is not optimised: compiles faster, and shows whether a fault is the optimiser's.
    LlvmO0,
    /// On the reference interpreter: the definition of what staged code means.
    Interpreter,
    /// Not at all: as the plain functions they are.
    Off,
}

/// An interpreter with everything that snekpy brings. For the command; embedders use [`crate::Engine`]. What comes
/// through `alarm` runs on the main thread, between two instructions.
#[must_use]
pub fn interpreter(
    settings: Settings,
    staging: Staging,
    watcher: Option<Watcher>,
    alarm: Option<UserSignalReceiver>,
) -> Interpreter {
    let mut builder = snekpy_stdlib::builder(settings);
    if let Some(alarm) = alarm {
        builder = builder.init_hook(|vm| vm.set_user_signal_channel(alarm));
    }
    let interpreter = snekpy_stdlib::finish(builder);
    interpreter.enter(|vm| snekpy_vm::configure(vm, StagingConfig { watcher, ..config(staging) }));
    interpreter
}

fn config(staging: Staging) -> StagingConfig {
    let llvm = |level| -> Arc<dyn Backend> { Arc::new(Llvm::new(LlvmOptions { level, ..LlvmOptions::default() })) };
    let default = StagingConfig::default();
    match staging {
        Staging::Llvm => StagingConfig { backend: llvm(Level::O3), ..default },
        Staging::LlvmO0 => StagingConfig { backend: llvm(Level::O0), ..default },
        Staging::Interpreter => default,
        Staging::Off => StagingConfig { backend: llvm(Level::O3), enabled: false, ..default },
    }
}
