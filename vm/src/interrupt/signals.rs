//! Whether a signal has come, without running its handler.
//!
//! RustPython keeps the flag that says so to itself: asking runs the handlers. So while compiled code runs, the ticker
//! puts a handler of ours in front of those that RustPython has installed, which counts and passes the signal on.
//! Compiled code is left before handlers run, so that they see what the call has done.
//!
//! While a call is captured, signals are held back: native code that the capture calls may run Python, which would run
//! handlers, and what these raise would be taken for something that the program has raised. They are passed on where the
//! capture pauses, and at its end, and count from there on: to all else they come then.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

static COUNT: AtomicU32 = AtomicU32::new(0);

/// How many captures hold signals back.
static HOLDING: AtomicU32 = AtomicU32::new(0);

/// The signals that are held back, a bit each.
static HELD: AtomicU64 = AtomicU64::new(0);

/// Holds signals back until this is dropped.
#[derive(Debug)]
pub(crate) struct Holding(());

impl Holding {
    /// From here on signals are held back.
    pub(crate) fn begin() -> Self {
        watch_all();
        HOLDING.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        let_through();
    }
}

/// Whether a signal is held back.
pub(crate) fn are_held() -> bool {
    HELD.load(Ordering::Relaxed) != 0
}

/// Does something for which signals are not held back by this capture.
pub(crate) fn without_holding<T>(act: impl FnOnce() -> T) -> T {
    let_through();
    let result = act();
    HOLDING.fetch_add(1, Ordering::SeqCst);
    result
}

fn let_through() {
    HOLDING.fetch_sub(1, Ordering::SeqCst);
    let held = HELD.swap(0, Ordering::SeqCst);
    (1..u64::BITS).filter(|signal| held >> signal & 1 == 1).for_each(pass_on);
}

#[cfg(not(unix))]
fn pass_on(_signal: u32) {}

/// How many signals have come by now.
pub(crate) fn count() -> u32 {
    COUNT.load(Ordering::Relaxed)
}

/// A signal has come of which no handler of ours is told.
pub fn note() {
    COUNT.fetch_add(1, Ordering::Relaxed);
}

#[cfg(unix)]
use unix::pass_on;
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
        let number = signal.unsigned_abs();
        if number < u64::BITS && super::HOLDING.load(Ordering::SeqCst) > 0 {
            super::HELD.fetch_or(1 << number, Ordering::SeqCst);
            // Who lets them through meanwhile has seen it, or is seen here.
            let is_late = super::HOLDING.load(Ordering::SeqCst) == 0;
            if !is_late || super::HELD.fetch_and(!(1 << number), Ordering::SeqCst) >> number & 1 == 0 {
                return;
            }
        }
        pass_on(number);
    }

    /// Tells the handler behind ours of a signal.
    pub(super) fn pass_on(signal: u32) {
        super::COUNT.fetch_add(1, Ordering::Relaxed);
        let behind = BEHIND.get(signal as usize).map_or(0, |it| it.load(Ordering::Acquire));
        if behind != 0 {
            // SAFETY: it is the address of the handler that was installed before ours.
            let behind: extern "C" fn(libc::c_int) = unsafe { std::mem::transmute(behind) };
            behind(signal.cast_signed());
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
