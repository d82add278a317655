//! A process must not end while another of its threads is inside LLVM.
//!
//! `exit` destroys LLVM's static objects, and a compilation that still uses them reads freed memory. So
//! every stay inside LLVM is counted, and a handler that `exit` runs before those destructors waits until
//! nobody is inside, and lets nobody in any more.

use std::cell::Cell;
use std::ffi::c_int;
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
/// No compilation takes this long. If one hangs, ending the process is more important than ending it well.
const PATIENCE: Duration = Duration::from_secs(10);

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

unsafe extern "C" {
    fn atexit(callback: extern "C" fn()) -> c_int;
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
    let refused = unsafe { atexit(wait_for_compilations) };
    debug_assert_eq!(refused, 0, "the C library takes at least 32 exit handlers");
}

extern "C" fn wait_for_compilations() {
    let mut inside = INSIDE.lock().unwrap_or_else(PoisonError::into_inner);
    inside.closed = true;
    // LLVM itself calls `exit` on a fatal error. Then this thread is inside and must not wait for itself.
    let own = usize::from(DEPTH.get() > 0);
    while inside.threads > own {
        let (guard, wait) = CHANGED.wait_timeout(inside, PATIENCE).unwrap_or_else(PoisonError::into_inner);
        inside = guard;
        if wait.timed_out() {
            return;
        }
    }
}
