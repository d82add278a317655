//! Work that needs no Python. While it lasts, others may stop this thread; if it may take long, it is done by a thread of
//! its own, which an interrupt leaves behind: what that one makes then is dropped.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

use rustpython_vm::VirtualMachine;
use snekpy_stage::ir::Module;

use crate::clock;
use crate::host::memory::has_room;
use crate::interrupt::poll::masked;

/// How often whoever waits looks for interrupts.
const LOOK: Duration = Duration::from_millis(10);
/// Of more instructions it is not known that making code is short.
const SHORT: usize = 2000;
/// Stack of the thread. Reserved, not used.
const STACK: usize = 64 << 20;
/// What else a thread reserves.
const ARENA: u64 = 256 << 20;
/// What LLVM takes for any module.
const BASE: u64 = 128 << 20;
/// What it takes for an instruction.
const PER_INSTRUCTION: u64 = 16 << 10;

/// How many instructions a module has.
fn size(module: &Module) -> usize {
    module.funcs.values().map(|func| func.insts.len()).sum()
}

/// Whether there is memory for making code of a module.
pub(super) fn fits(module: &Module) -> bool {
    has_room(BASE + PER_INSTRUCTION * size(module) as u64)
}

/// Whether making code of a module may take long.
pub(super) fn is_long(module: &Module) -> bool {
    size(module) > SHORT
}

/// Does the work.
///
/// # Errors
/// With what `check` gives, which is asked now and then if the work is long.
pub(super) fn apart<T: Send + 'static, E>(
    is_long: bool,
    work: impl FnOnce() -> T + Clone + Send + 'static,
    check: impl Fn() -> Result<(), E>,
    vm: &VirtualMachine,
) -> Result<T, E> {
    if !is_long || !has_room(STACK as u64 + ARENA) {
        return Ok(vm.allow_threads(work));
    }
    let (send, receive) = channel();
    let apart = work.clone();
    let body = move || {
        let made = apart();
        // Nobody waits for what an interrupt has left behind.
        let _ = send.send((made, clock::now()));
    };
    let Ok(worker) = masked(|| Builder::new().name("snekpy-compiler".to_owned()).stack_size(STACK).spawn(body)) else {
        return Ok(vm.allow_threads(work));
    };
    loop {
        match vm.allow_threads(|| receive.recv_timeout(LOOK)) {
            Ok((made, took)) => {
                clock::computed_elsewhere(took);
                return Ok(made);
            }
            Err(RecvTimeoutError::Timeout) => check()?,
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => unreachable!("it sends before it ends"),
            },
        }
    }
}
