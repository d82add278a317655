//! What is left out at start, and what makes up for it.

use rustpython_vm::{Settings, VirtualMachine};

/// The settings with what is not needed to run a program switched off.
pub(crate) fn lean(settings: Settings) -> Settings {
    settings
}

/// Does, or arranges to be done when needed, what [`lean`] switched off.
pub(crate) fn complete(vm: &VirtualMachine) {
    // A thread that a script starts gets a stack on which the standard library fits.
    vm.state.stacksize.store(THREAD_STACK);
}

/// Stack of threads that a script starts. Reserved, not used: pages come when they are touched.
const THREAD_STACK: usize = 16 << 20;
