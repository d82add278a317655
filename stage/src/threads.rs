//! Threads that share the work of one operation on tensors.
//!
//! A fixed number of them waits for work all the time. `share` cuts work into chunks that do not depend on how many
//! threads there are or which of them takes one, so that neither do results. The calling thread takes chunks, too; when
//! there are none left, it waits only for those who have begun: a thread that wakes up too late costs nothing.
//!
//! There is one piece of work at a time: whoever comes meanwhile does his own alone. So does a process that was forked off,
//! which has no threads but the one that did it.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// How many threads share work; 0 before anybody has said.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Chunks for each thread: who is slow takes fewer.
const CHUNKS: usize = 4;

/// Says how many threads share work: 1 is the caller alone. It counts from the next piece of work on, but there are never
/// more than when the first one was shared.
pub fn set_count(threads: usize) {
    COUNT.store(threads.max(1), Ordering::Relaxed);
}

/// How many threads share work: as many as the machine lets this process have, if nobody has said.
pub fn count() -> usize {
    match COUNT.load(Ordering::Relaxed) {
        0 => {
            let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            COUNT.store(count, Ordering::Relaxed);
            count
        }
        count => count,
    }
}

/// What is done round the start of threads.
type Around = fn(&mut dyn FnMut());
static AROUND: OnceLock<Around> = OnceLock::new();

/// Says what is done round the start of threads, which calls what it is given: that signals are not for them, say.
pub fn around_start(around: Around) {
    AROUND.get_or_init(|| around);
}

/// Work, as long as the call of `share` lasts that it belongs to.
#[derive(Clone, Copy)]
struct Work(*const (dyn Fn() + Sync));

// SAFETY: what it points to may be shared, and `Pool::run` waits for all who have it.
unsafe impl Send for Work {}

#[derive(Default)]
struct State {
    work: Option<Work>,
    /// How many pieces of work there have been.
    number: u64,
    /// Threads of the pool that are at it.
    busy: usize,
}

struct Pool {
    process: u32,
    state: Mutex<State>,
    wake: Condvar,
    done: Condvar,
    /// Whether somebody is having work done.
    taken: AtomicBool,
}

static POOL: OnceLock<Pool> = OnceLock::new();

/// The pool of this process. A forked one has none.
fn pool() -> Option<&'static Pool> {
    let mut is_new = false;
    let pool = POOL.get_or_init(|| {
        is_new = true;
        Pool {
            process: std::process::id(),
            state: Mutex::default(),
            wake: Condvar::new(),
            done: Condvar::new(),
            taken: AtomicBool::new(false),
        }
    });
    if is_new {
        let mut start = || {
            for _ in 1..count() {
                let thread = std::thread::Builder::new().name("snekpy-share".to_owned());
                // Where there is no memory for one, there is one less.
                let _ = thread.spawn(|| pool.serve());
            }
        };
        match AROUND.get() {
            Some(around) => around(&mut start),
            None => start(),
        }
    }
    (pool.process == std::process::id()).then_some(pool)
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread of the pool does.
    fn serve(&self) {
        let mut seen = 0;
        let mut state = self.lock();
        loop {
            match state.work {
                Some(work) if state.number != seen => {
                    seen = state.number;
                    state.busy += 1;
                    drop(state);
                    let _span = tracing::debug_span!("share").entered();
                    // SAFETY: `run` waits until nobody is busy. It finds the panic, too.
                    let _ = catch_unwind(AssertUnwindSafe(|| unsafe { (*work.0)() }));
                    state = self.lock();
                    state.busy -= 1;
                    if state.busy == 0 {
                        self.done.notify_one();
                    }
                }
                _ => state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Has work done by all threads, this one among them. Whether it was free.
    fn run(&self, work: &(dyn Fn() + Sync)) -> bool {
        if self.taken.swap(true, Ordering::Acquire) {
            return false;
        }
        // SAFETY: only the lifetime is dropped; nobody has the work any more when this function ends.
        let lasting = unsafe { std::mem::transmute::<*const (dyn Fn() + Sync + '_), *const (dyn Fn() + Sync)>(work) };
        let mut state = self.lock();
        state.work = Some(Work(lasting));
        state.number += 1;
        drop(state);
        self.wake.notify_all();
        let span = tracing::debug_span!("share").entered();
        let ended = catch_unwind(AssertUnwindSafe(work));
        drop(span);
        let mut state = self.lock();
        state.work = None;
        while state.busy > 0 {
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        self.taken.store(false, Ordering::Release);
        if let Err(panic) = ended {
            std::panic::resume_unwind(panic);
        }
        true
    }
}

/// Calls `work` for parts of `0..n`, which begin at multiples of `grain`, by several threads if each has `least` to do at
/// least. All of it has been done when this ends; parts are done at once and in any order.
pub(crate) fn share(n: usize, grain: usize, least: usize, work: impl Fn(Range<usize>) + Sync) {
    let threads = if n < least.saturating_mul(2) { 1 } else { count().min(n / least.max(1)) };
    let Some(pool) = (threads > 1).then(pool).flatten() else { return work(0..n) };
    let chunk = n.div_ceil(threads * CHUNKS).next_multiple_of(grain.max(1));
    let (next, left) = (AtomicUsize::new(0), AtomicUsize::new(n));
    let take = || {
        loop {
            let first = next.fetch_add(chunk, Ordering::Relaxed);
            if first >= n {
                return;
            }
            let end = n.min(first + chunk);
            work(first..end);
            left.fetch_sub(end - first, Ordering::Relaxed);
        }
    };
    if pool.run(&take) {
        assert!(left.load(Ordering::Relaxed) == 0, "a thread that shared the work has panicked");
    } else {
        work(0..n);
    }
}

/// A pointer that threads share, each for its own part of what lies there.
#[derive(Clone, Copy)]
pub(crate) struct Shared<T>(pub(crate) T);

// SAFETY: whoever makes one says that parts are apart.
unsafe impl<T> Sync for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Send for Shared<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_done_once_by_whoever_takes_it() {
        set_count(4);
        for n in [0, 1, 7, 1000, 4096, 100_003] {
            let done: Vec<AtomicUsize> = (0..n).map(|_| AtomicUsize::new(0)).collect();
            share(n, 16, 10, |part| {
                assert_eq!(part.start % 16, 0);
                done[part].iter().for_each(|it| {
                    it.fetch_add(1, Ordering::Relaxed);
                });
            });
            assert!(done.iter().all(|it| it.load(Ordering::Relaxed) == 1), "{n}");
        }
        // From several threads at once, and inside of work.
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let sum = AtomicUsize::new(0);
                    share(1000, 1, 10, |part| {
                        share(part.len(), 1, 10, |inner| {
                            sum.fetch_add(inner.len(), Ordering::Relaxed);
                        });
                    });
                    assert_eq!(sum.into_inner(), 1000);
                });
            }
        });
        let panicked = catch_unwind(|| share(1000, 1, 10, |part| assert!(!part.contains(&999))));
        assert!(panicked.is_err());
        let sum = AtomicUsize::new(0);
        share(1000, 1, 10, |part| {
            sum.fetch_add(part.len(), Ordering::Relaxed);
        });
        assert_eq!(sum.into_inner(), 1000);
    }
}
