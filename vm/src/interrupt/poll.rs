//! Making compiled code look up from its work.
//!
//! RustPython remembers signals and requests to stop the world in flags that are private, but asking
//! [`VirtualMachine::check_signals`] is not. So while compiled code runs, a *ticker* thread raises a flag of
//! ours every few milliseconds; compiled code sees it at the next loop back-edge or call, and asks. A call
//! that takes less than a tick is never disturbed. The ticker ends when nothing has run for a while, and is
//! started again by the next call.
//!
//! Threads are in a list that only grows and is never locked, so that a fork at any moment leaves it whole;
//! a thread that ends leaves its entry to the next one that begins.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::signals;

/// How often running code is made to look up.
const TICK: Duration = Duration::from_millis(10);
/// The ticker ends after so many ticks without work.
const IDLE_TICKS: u32 = 200;

/// A thread that runs compiled code.
struct Entry {
    /// What compiled code looks at.
    flag: AtomicU32,
    /// How many calls into compiled code are open.
    running: AtomicU32,
    /// How many calls and captures work on copies of the world, or show it something else, because they are alone.
    alone: AtomicU32,
    /// The interpreter of the last of them.
    interpreter: AtomicI64,
    /// Whether a thread has this entry.
    taken: AtomicBool,
    next: *const Entry,
}

// SAFETY: `next` is written before the entry is shared and leads to another entry that is never freed.
unsafe impl Send for Entry {}
// SAFETY: as above; the other fields are atomic.
unsafe impl Sync for Entry {}

static ENTRIES: AtomicPtr<Entry> = AtomicPtr::new(ptr::null_mut());
/// Whether the ticker is there.
static TICKING: AtomicBool = AtomicBool::new(false);

/// A thread's entry: given back when the thread ends.
struct Own(&'static Entry);

impl Drop for Own {
    fn drop(&mut self) {
        self.0.taken.store(false, Ordering::Release);
    }
}

thread_local! {
    static OWN: Own = Own(entry());
    /// After how many more polls of this thread a signal is raised, and which: none when there are none left.
    static COUNTDOWN: Cell<(u64, i32)> = const { Cell::new((0, 0)) };
    /// Whether the innermost open call of this thread is alone; `None` if what it has done is done.
    static INNERMOST: Cell<Option<bool>> = const { Cell::new(None) };
}

/// A call into compiled code that is open.
pub(crate) struct Running {
    entry: &'static Entry,
    outer: Option<bool>,
}

impl Running {
    /// The flag that compiled code looks at.
    pub(crate) fn flag(&self) -> *const AtomicU32 {
        &raw const self.entry.flag
    }

    /// The flag has been seen: it is lowered, unless polls are counted.
    ///
    /// # Safety
    /// `flag` came from [`Running::flag`], on this thread.
    pub(crate) unsafe fn polled(flag: *const AtomicU32) {
        let (left, signal) = COUNTDOWN.get();
        if left > 1 {
            return COUNTDOWN.set((left - 1, signal));
        }
        // SAFETY: entries are never freed.
        unsafe { &*flag }.store(0, Ordering::Relaxed);
        if left == 1 {
            COUNTDOWN.set((0, 0));
            signals::raise(signal);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        close(self.entry);
        INNERMOST.set(self.outer);
    }
}

/// The innermost call of this thread has left compiled code, and what it has done is in the world.
pub(crate) fn end() {
    let _ = OWN.try_with(|own| close(own.0));
}

fn close(entry: &Entry) {
    if let Some(is_alone) = INNERMOST.take() {
        entry.alone.fetch_sub(u32::from(is_alone), Ordering::Release);
        entry.running.fetch_sub(1, Ordering::Release);
    }
}

/// Waits until no call in this interpreter is alone any more. Those that begin see that they are not.
pub(crate) fn wait_for_alone(interpreter: i64) {
    /// A call that waits for this very thread cannot leave.
    const PATIENCE: Duration = Duration::from_secs(1);
    let began = Instant::now();
    let is_alone = |entry: &&Entry| {
        entry.running.load(Ordering::SeqCst) > 0
            && entry.alone.load(Ordering::Acquire) > 0
            && entry.interpreter.load(Ordering::Relaxed) == interpreter
    };
    while let Some(entry) = entries().find(is_alone)
        && began.elapsed() < PATIENCE
    {
        entry.flag.store(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_micros(50));
    }
}

/// Opens a call into compiled code on this thread. `None` while the thread ends.
#[inline]
pub(crate) fn enter(is_alone: bool, interpreter: i64) -> Option<Running> {
    let running = open(is_alone, interpreter)?;
    if !TICKING.load(Ordering::SeqCst) {
        start();
    }
    Some(running)
}

/// Opens a call, or a capture, which may be alone in this interpreter. Whether it is must be asked again then.
#[inline]
pub(crate) fn open(is_alone: bool, interpreter: i64) -> Option<Running> {
    let entry = OWN.try_with(|own| own.0).ok()?;
    if is_alone {
        entry.interpreter.store(interpreter, Ordering::Relaxed);
        entry.alone.store(entry.alone.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
    let before = entry.running.load(Ordering::Relaxed);
    // Sequentially consistent with the ticker's end, and with threads that enter the interpreter: either they see this
    // call, or this call sees them.
    entry.running.store(before + 1, Ordering::SeqCst);
    Some(Running { entry, outer: INNERMOST.replace(Some(is_alone)) })
}

/// Raises a signal at the n-th poll of this thread from now on; never, for 0. How many polls were left of what was said
/// before. This is how tests interrupt compiled code at a place of their choice.
pub(crate) fn signal_at(polls: u64, signal: i32) -> u64 {
    signals::watch_all();
    let (left, _) = COUNTDOWN.replace((polls, signal));
    let _ = OWN.try_with(|own| own.0.flag.store(u32::from(polls > 0), Ordering::Relaxed));
    left
}

fn entries() -> impl Iterator<Item = &'static Entry> {
    // SAFETY: entries are never freed, and whole before they are shared.
    let first = unsafe { ENTRIES.load(Ordering::Acquire).as_ref() };
    // SAFETY: as above.
    std::iter::successors(first, |entry| unsafe { entry.next.as_ref() })
}

fn entry() -> &'static Entry {
    let take = |entry: &&Entry| entry.taken.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_ok();
    if let Some(free) = entries().find(take) {
        return free;
    }
    let entry = Box::leak(Box::new(Entry {
        flag: AtomicU32::new(0),
        running: AtomicU32::new(0),
        alone: AtomicU32::new(0),
        interpreter: AtomicI64::new(0),
        taken: AtomicBool::new(true),
        next: ptr::null(),
    }));
    loop {
        let first = ENTRIES.load(Ordering::Acquire);
        entry.next = first;
        if ENTRIES.compare_exchange(first, entry, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            return entry;
        }
    }
}

/// Makes all compiled code look up.
pub(crate) fn look_up_all() {
    for entry in entries().filter(|entry| entry.running.load(Ordering::Acquire) > 0) {
        entry.flag.store(1, Ordering::Relaxed);
    }
}

/// Starts the ticker. Without it (no memory for a thread) code runs, but cannot be interrupted.
#[cold]
fn start() {
    if TICKING.swap(true, Ordering::SeqCst) {
        return;
    }
    // Before the call asks for signals: what has come by then does not count as one that comes later.
    signals::watch_all();
    let spawn = || std::thread::Builder::new().name("snekpy-ticker".to_owned()).stack_size(1 << 20).spawn(tick);
    if masked(spawn).is_err() {
        TICKING.store(false, Ordering::SeqCst);
    }
}

fn tick() {
    let mut idle = 0;
    loop {
        std::thread::sleep(TICK);
        signals::watch_all();
        let mut busy = false;
        for entry in entries().filter(|entry| entry.running.load(Ordering::Acquire) > 0) {
            entry.flag.store(1, Ordering::Relaxed);
            busy = true;
        }
        idle = if busy { 0 } else { idle + 1 };
        if idle < IDLE_TICKS {
            continue;
        }
        TICKING.store(false, Ordering::SeqCst);
        let began = entries().any(|entry| entry.running.load(Ordering::SeqCst) > 0);
        if !began || TICKING.swap(true, Ordering::SeqCst) {
            return;
        }
        idle = 0;
    }
}

/// Starts a thread that no signal is delivered to: they are for those that can be interrupted.
#[cfg(unix)]
pub(crate) fn masked<T>(spawn: impl FnOnce() -> T) -> T {
    forget_in_child();
    let mut before = std::mem::MaybeUninit::uninit();
    let mut all = std::mem::MaybeUninit::uninit();
    // SAFETY: both sets are written before they are read.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let spawned = spawn();
    // SAFETY: `before` was written above; the old set is not wanted.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    spawned
}

#[cfg(not(unix))]
pub(crate) fn masked<T>(spawn: impl FnOnce() -> T) -> T {
    spawn()
}

/// A child process has no ticker, until it starts one.
#[cfg(unix)]
fn forget_in_child() {
    extern "C" fn in_child() {
        TICKING.store(false, Ordering::SeqCst);
    }
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // SAFETY: the function only stores into an atomic.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_call_is_made_to_look_up_again_and_again() {
        let running = enter(false, 0).expect("the thread is alive");
        for _ in 0..3 {
            let start = std::time::Instant::now();
            while running.entry.flag.load(Ordering::Relaxed) == 0 {
                assert!(start.elapsed() < Duration::from_secs(5), "nobody raises the flag");
                std::thread::yield_now();
            }
            // SAFETY: the flag is this call's.
            unsafe { Running::polled(running.flag()) };
        }
    }

    #[test]
    fn calls_inside_calls_share_an_entry() {
        let outer = enter(false, 0).expect("the thread is alive");
        {
            let inner = enter(false, 0).expect("the thread is alive");
            assert!(ptr::eq(outer.entry, inner.entry));
            assert_eq!(inner.entry.running.load(Ordering::Relaxed), 2);
        }
        assert_eq!(outer.entry.running.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn entries_of_ended_threads_are_used_again() {
        let address = || std::thread::spawn(|| enter(false, 0).map(|it| ptr::from_ref(it.entry).addr())).join();
        let first = address().expect("no panic").expect("alive");
        // Another test may take the entry in between; it must come back sooner or later.
        let again = (0..1000).any(|_| address().expect("no panic") == Some(first));
        assert!(again);
    }
}
