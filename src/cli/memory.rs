//! `--max-memory`: the allocator of the command counts what the program holds.
//!
//! A program that holds more than it may gets a `MemoryError` between two instructions, on its main thread, from a
//! thread that looks at the count; lists of compiled code and larger arrays get it at once, at the line that wants the memory. A
//! program that goes on, or wants far more in one piece, is ended. Without a limit nothing is counted. What LLVM and
//! stacks take is not counted.

use crate::cli::exit;
use mimalloc::MiMalloc;
use rustpython_vm::VirtualMachine;
use rustpython_vm::signal::{UserSignalReceiver, UserSignalSender, user_signal_channel};
use std::alloc::{GlobalAlloc, Layout};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::time::Duration;

/// How often the count is looked at.
const INTERVAL: Duration = Duration::from_millis(2);
/// Beyond twice the limit and this, a program is ended.
const SLACK: isize = 64 << 20;

/// Whether there is a limit.
static IS_LIMITED: AtomicBool = AtomicBool::new(false);
/// What is held of what was allocated since there is one.
static HELD: AtomicIsize = AtomicIsize::new(0);
static LIMIT: AtomicIsize = AtomicIsize::new(isize::MAX);
/// Whether the program was told.
static REACHED: AtomicBool = AtomicBool::new(false);
/// The last words, made before they are needed.
static LAST_WORDS: OnceLock<String> = OnceLock::new();

/// Mimalloc, counted.
pub(crate) struct Counted;

// SAFETY: everything is passed on to an allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counted {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's promise.
        unsafe { MiMalloc.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's promise.
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        shrink(layout.size());
        // SAFETY: the caller's promise.
        unsafe { MiMalloc.dealloc(address, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match size.checked_sub(layout.size()) {
            Some(more) => grow(more),
            None => shrink(layout.size() - size),
        }
        // SAFETY: the caller's promise.
        unsafe { MiMalloc.realloc(address, layout, size) }
    }
}

#[inline]
fn grow(bytes: usize) {
    if IS_LIMITED.load(Ordering::Relaxed) {
        count(bytes);
    }
}

#[cold]
fn count(bytes: usize) {
    // No allocation is larger than `isize::MAX`.
    let bytes = bytes.cast_signed();
    let held = HELD.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
    if held > LIMIT.load(Ordering::Relaxed).saturating_mul(2).saturating_add(SLACK) {
        end();
    }
}

#[inline]
fn shrink(bytes: usize) {
    if IS_LIMITED.load(Ordering::Relaxed) {
        HELD.fetch_sub(bytes.cast_signed(), Ordering::Relaxed);
    }
}

/// Ends the process, in the middle of whatever wanted memory.
#[cold]
fn end() -> ! {
    IS_LIMITED.store(false, Ordering::Relaxed);
    if let Some(words) = LAST_WORDS.get() {
        // SAFETY: the text is where it says; nothing can be done if standard error is closed.
        unsafe { libc::write(2, words.as_ptr().cast(), words.len()) };
    }
    // SAFETY: this ends the process at once; this thread may hold any lock.
    unsafe { libc::_exit(exit::LIMIT) }
}

/// Reads the value of `--max-memory`.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let (number, factor) = match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 1 << 10),
        Some((at, 'm' | 'M')) => (&text[..at], 1 << 20),
        Some((at, 'g' | 'G')) => (&text[..at], 1 << 30),
        Some(_) | None => (text, 1),
    };
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    match bytes {
        Some(bytes @ 1..=0x3fff_ffff_ffff_ffff) => Ok(bytes),
        Some(_) => Err("expected a size above 0 that a machine can have".to_owned()),
        None => Err("expected a number of bytes, or one with K, M or G: 512M".to_owned()),
    }
}

/// A channel by which the program is told.
pub(crate) fn channel() -> (UserSignalSender, UserSignalReceiver) {
    user_signal_channel()
}

/// Counts from here on.
pub(crate) fn limit(bytes: u64, alarm: UserSignalSender) {
    let limit = isize::try_from(bytes).unwrap_or(isize::MAX);
    LAST_WORDS.get_or_init(|| format!("snekpy: stopped: {}\n", message(bytes)));
    LIMIT.store(limit, Ordering::Relaxed);
    IS_LIMITED.store(true, Ordering::SeqCst);
    snekpy_stage::tensor::limit_memory(usize::try_from(bytes).unwrap_or(usize::MAX));
    let watch = move || {
        // What was held when the program was told last.
        let mut told = 0_isize;
        loop {
            std::thread::sleep(INTERVAL);
            let held = HELD.load(Ordering::Relaxed);
            if held <= limit {
                told = 0;
            } else if told == 0 || held > told.saturating_add(limit / 8) {
                told = held;
                REACHED.store(true, Ordering::SeqCst);
                // The interpreter has ended if nobody hears it.
                let _ = alarm.send(Box::new(|vm: &VirtualMachine| {
                    Err(vm.new_memory_error("the program holds more memory than it may"))
                }));
            }
        }
    };
    let started = std::thread::Builder::new().name("snekpy-memory".to_owned()).spawn(watch);
    if let Err(fault) = started {
        exit::fail(&format!("--max-memory: {fault}"), exit::FAILURE);
    }
}

/// Whether lists of compiled code may have so many bytes more.
pub(crate) fn allows(bytes: usize) -> bool {
    let held = HELD.load(Ordering::Relaxed);
    let allowed = isize::try_from(bytes).is_ok_and(|bytes| held.saturating_add(bytes) <= LIMIT.load(Ordering::Relaxed));
    if !allowed {
        REACHED.store(true, Ordering::SeqCst);
    }
    allowed
}

/// Whether the program was told that it holds too much.
pub(crate) fn is_reached() -> bool {
    REACHED.load(Ordering::SeqCst)
}

/// Why the program was stopped.
pub(crate) fn message(bytes: u64) -> String {
    format!("the program holds more than {bytes} bytes of memory (--max-memory)")
}
