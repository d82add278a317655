//! How long a thread computes, and how much of that in compiled code.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// So many times in a trial that compiled code waits for the VM are measured each,
const ALL_TIMED: u32 = 64;
/// and then one of so many.
const SAMPLE: u32 = 16;
/// What getting to the VM and back takes beside what is done there, with counting the owners of what it gives.
const CROSSING: Duration = Duration::from_nanos(80);

thread_local! {
    /// Whether a trial looks how long compiled code runs.
    pub(crate) static TIMED: Cell<bool> = const { Cell::new(false) };
    /// How many seconds it has run.
    pub(crate) static COMPILED: Cell<f64> = const { Cell::new(0.0) };
    /// How often it has waited for the VM in the trial.
    pub(crate) static CROSSINGS: Cell<u32> = const { Cell::new(0) };
    /// Which of these times are measured.
    static DICE: Cell<u32> = const { Cell::new(0x9e37_79b9) };
    /// How long it has waited for the VM.
    static AWAY: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    /// How many seconds it has spent on what does not count.
    pub(crate) static UNCOUNTED: Cell<f64> = const { Cell::new(0.0) };
    /// How many seconds other threads have computed for it.
    static ELSEWHERE: Cell<f64> = const { Cell::new(0.0) };
}

/// What this thread has computed, in seconds, and others for it: what else the machine is busy with does not count.
pub(crate) fn now() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes what it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9 + ELSEWHERE.get()
}

/// Another thread has computed so long for this one, which waited for it.
pub(crate) fn computed_elsewhere(seconds: f64) {
    ELSEWHERE.set(ELSEWHERE.get() + seconds);
}

/// What asking takes.
pub(crate) fn asking() -> f64 {
    static TAKES: OnceLock<f64> = OnceLock::new();
    let ask = || {
        let begin = now();
        now() - begin
    };
    *TAKES.get_or_init(|| (0..16).map(|_| ask()).fold(f64::INFINITY, f64::min))
}

/// Runs compiled code, and knows how long it took where that is asked.
#[inline]
pub(crate) fn timed<T>(run: impl FnOnce() -> T) -> T {
    if !TIMED.get() {
        return run();
    }
    let (result, computed) = computing(run);
    COMPILED.set(COMPILED.get() + computed);
    result
}

/// Runs compiled code in a trial. Gives how many seconds it computed, without what it waited for, and getting there and
/// back: that is estimated. What is measured once stands for many times, in other runs, too: this may be below zero, and
/// the sum of many is right.
fn computing<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let (begin, away, crossings) = (Instant::now(), AWAY.get(), CROSSINGS.get());
    let result = run();
    let waited = AWAY.get().saturating_sub(away) + CROSSING * CROSSINGS.get().wrapping_sub(crossings);
    (result, begin.elapsed().as_secs_f64() - waited.as_secs_f64())
}

/// Runs compiled code. Gives how many seconds it computed, as [`computing`] does.
pub(crate) fn measured<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let was_timed = TIMED.replace(true);
    let measured = computing(run);
    TIMED.set(was_timed);
    measured
}

/// Does what compiled code asks the VM to do: that is no compiled code.
#[inline]
pub(crate) fn away<T>(run: impl FnOnce() -> T) -> T {
    if !TIMED.get() {
        return run();
    }
    // Asking for the time costs more than most crossings: of many, some stand for all.
    let count = CROSSINGS.get().wrapping_add(1);
    CROSSINGS.set(count);
    let stands_for = if count <= ALL_TIMED { 1 } else { SAMPLE };
    if stands_for > 1 && !DICE.with(is_thrown) {
        return run();
    }
    let (begin, before) = (Instant::now(), AWAY.get());
    let result = run();
    // Nested ones are in it.
    AWAY.set(before + begin.elapsed() * stands_for);
    result
}

/// Whether this is one in [`SAMPLE`], as no program knows.
#[inline]
fn is_thrown(dice: &Cell<u32>) -> bool {
    let mut number = dice.get();
    number ^= number << 13;
    number ^= number >> 17;
    number ^= number << 5;
    dice.set(number);
    number.is_multiple_of(SAMPLE)
}

/// Makes better code of what there is already: a call that is tried goes on counting, without the time that this takes.
pub(crate) fn uncounted<T>(make: impl FnOnce() -> T) -> T {
    let begin = now();
    let made = away(make);
    UNCOUNTED.set(UNCOUNTED.get() + now() - begin);
    made
}
