//! A process must not end while another of its threads is inside LLVM.
//!
//! `exit` destroys LLVM's static objects, and a compilation that still uses them reads freed memory. So
//! every stay inside LLVM is counted, and a handler that `exit` runs before those destructors waits a moment until
//! nobody is inside, and lets nobody in any more. If somebody still is, a compilation that an interrupt has left behind
//! say, the process ends without destructors.

use std::cell::Cell;
use std::ffi::c_int;
#[cfg(target_os = "linux")]
use std::ffi::c_void;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

struct Inside {
    threads: usize,
    /// How many stays there have been, which decides when to register the handler again.
    stays: usize,
    closed: bool,
}

static INSIDE: Mutex<Inside> = Mutex::new(Inside { threads: 0, stays: 0, closed: false });
static CHANGED: Condvar = Condvar::new();
/// How long a process that ends waits for compilations.
const PATIENCE: Duration = Duration::from_millis(if HAS_STATUS { 100 } else { 10_000 });
/// Whether handlers are told the status with which the process ends.
const HAS_STATUS: bool = cfg!(target_os = "linux");

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

unsafe extern "C" {
    #[cfg(not(target_os = "linux"))]
    fn atexit(callback: extern "C" fn()) -> c_int;
    #[cfg(target_os = "linux")]
    fn on_exit(callback: extern "C" fn(c_int, *mut c_void), data: *mut c_void) -> c_int;
    #[cfg(target_os = "linux")]
    fn _exit(status: c_int) -> !;
}

/// A stay inside LLVM.
pub(crate) struct Stay {
    outermost: bool,
}

/// Enters LLVM. Does not return if the process is ending.
pub(crate) fn enter() -> Stay {
    let depth = DEPTH.get();
    DEPTH.set(depth + 1);
    if depth == 0 {
        let mut inside = INSIDE.lock().unwrap_or_else(PoisonError::into_inner);
        while inside.closed {
            inside = CHANGED.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
        inside.threads += 1;
        if inside.stays == 0 {
            register();
        }
    }
    Stay { outermost: depth == 0 }
}

impl Drop for Stay {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
        if !self.outermost {
            return;
        }
        let mut inside = INSIDE.lock().unwrap_or_else(PoisonError::into_inner);
        inside.threads -= 1;
        inside.stays += 1;
        // LLVM makes some of its statics on first use. Handlers run in the reverse order of registration,
        // so ours must be registered again after those were made; first uses get rare with time.
        if inside.stays.is_power_of_two() && inside.stays < 1 << 16 {
            register();
        }
        CHANGED.notify_all();
    }
}

fn register() {
    // SAFETY: the callback is a function that lives as long as the process and never unwinds.
    #[cfg(target_os = "linux")]
    let refused = unsafe { on_exit(end, std::ptr::null_mut()) };
    // SAFETY: as above.
    #[cfg(not(target_os = "linux"))]
    let refused = unsafe { atexit(end) };
    debug_assert_eq!(refused, 0, "the C library takes at least 32 exit handlers");
}

#[cfg(target_os = "linux")]
extern "C" fn end(status: c_int, _data: *mut c_void) {
    if !wait_for_compilations() {
        // SAFETY: it ends the process at once; what was written has been flushed by whoever has called `exit`.
        unsafe { _exit(status) }
    }
}

#[cfg(not(target_os = "linux"))]
extern "C" fn end() {
    wait_for_compilations();
}

/// Whether nobody is inside any more.
fn wait_for_compilations() -> bool {
    let mut inside = INSIDE.lock().unwrap_or_else(PoisonError::into_inner);
    inside.closed = true;
    // LLVM itself calls `exit` on a fatal error. Then this thread is inside and must not wait for itself.
    let own = usize::from(DEPTH.get() > 0);
    while inside.threads > own {
        let (guard, wait) = CHANGED.wait_timeout(inside, PATIENCE).unwrap_or_else(PoisonError::into_inner);
        inside = guard;
        if wait.timed_out() {
            return false;
        }
    }
    true
}
