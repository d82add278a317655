//! Whether a signal has come, without running its handler.
//!
//! RustPython keeps the flag that says so to itself: asking runs the handlers. So while compiled code runs, the ticker
//! puts a handler of ours in front of those that RustPython has installed, which counts and passes the signal on.
//! Compiled code is left before handlers run, so that they see what the call has done.

use std::sync::atomic::{AtomicU32, Ordering};

static COUNT: AtomicU32 = AtomicU32::new(0);

/// How many signals have come by now.
pub(crate) fn count() -> u32 {
    COUNT.load(Ordering::Relaxed)
}

/// A signal has come of which no handler of ours is told.
pub fn note() {
    COUNT.fetch_add(1, Ordering::Relaxed);
}

#[cfg(unix)]
pub(crate) use unix::{raise, watch_all};

#[cfg(unix)]
mod unix {
    use std::mem::MaybeUninit;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Signals have numbers below this.
    const SIGNALS: usize = 65;

    /// For each signal, the handler behind ours.
    static BEHIND: [AtomicUsize; SIGNALS] = [const { AtomicUsize::new(0) }; SIGNALS];

    extern "C" fn count(signal: libc::c_int) {
        super::COUNT.fetch_add(1, Ordering::Relaxed);
        let behind = BEHIND[signal as usize].load(Ordering::Acquire);
        if behind != 0 {
            // SAFETY: it is the address of the handler that was installed before ours.
            let behind: extern "C" fn(libc::c_int) = unsafe { std::mem::transmute(behind) };
            behind(signal);
        }
    }

    /// Raises a signal on this thread, whose handler has run when this returns.
    pub(crate) fn raise(signal: i32) {
        // SAFETY: it only sends a signal.
        unsafe { libc::raise(signal) };
    }

    /// Puts our handler in front of each handler that is there. What came before that is taken for a signal.
    pub(crate) fn watch_all() {
        for (signal, behind) in (0..).zip(&BEHIND).skip(1) {
            watch(signal, behind);
        }
    }

    fn watch(signal: i32, behind: &AtomicUsize) {
        let mut action = MaybeUninit::uninit();
        // SAFETY: the action is written before it is read.
        let mut action: libc::sigaction = unsafe {
            if libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) != 0 {
                return;
            }
            action.assume_init()
        };
        let ours: extern "C" fn(libc::c_int) = count;
        let is_none = [libc::SIG_DFL, libc::SIG_IGN, ours as usize].contains(&action.sa_sigaction);
        // A handler with three parameters is none of Python's.
        if is_none || action.sa_flags & libc::SA_SIGINFO != 0 {
            return;
        }
        behind.store(action.sa_sigaction, Ordering::Release);
        action.sa_sigaction = ours as usize;
        // SAFETY: our handler does nothing that a handler must not do but what the one behind it does.
        unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
        super::COUNT.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(not(unix))]
pub(crate) fn watch_all() {}

#[cfg(not(unix))]
pub(crate) fn raise(_signal: i32) {}
