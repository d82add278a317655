//! The threads of a block in tests: all on one thread of this machine, each goes on until it waits, then the next one does.
//!
//! As threads of the machine they spent two thirds of their time in waking one another.

use std::cell::{Cell, RefCell};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// Bytes of a stack.
const STACK: usize = 256 << 10;

thread_local! {
    /// What the thread that runs gives way by.
    static YIELDER: Cell<*const Yielder<(), ()>> = const { Cell::new(std::ptr::null()) };
    /// How often a thread has begun to wait or gone on.
    static STEPS: Cell<u64> = const { Cell::new(0) };
    /// Stacks that are not in use.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

fn step() {
    STEPS.set(STEPS.get() + 1);
}

/// Lets others run until this is so.
pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    if is_so() {
        return;
    }
    step();
    let yielder = YIELDER.get();
    assert!(!yielder.is_null(), "only a thread of a block waits");
    while !is_so() {
        // SAFETY: it is that of the thread that runs, which is inside of its coroutine.
        unsafe { (*yielder).suspend(()) };
    }
    step();
}

/// Where so many threads meet.
pub(crate) struct Barrier {
    of: usize,
    come: Cell<usize>,
    round: Cell<usize>,
}

impl Barrier {
    /// For so many threads.
    pub(crate) fn new(of: usize) -> Self {
        Self { of, come: Cell::new(0), round: Cell::new(0) }
    }

    /// Waits for the others.
    pub(crate) fn wait(&self) {
        let round = self.round.get();
        self.come.set(self.come.get() + 1);
        if self.come.get() == self.of {
            self.come.set(0);
            self.round.set(round + 1);
        }
        wait_until(|| self.round.get() != round);
    }
}

type Thread = Coroutine<(), (), (), DefaultStack>;

/// Runs so many threads; `enter` is called with the number of each one whenever it goes on.
///
/// # Panics
/// If all of them wait for something that does not come.
pub(crate) fn run(threads: u32, enter: impl Fn(u32), body: &dyn Fn()) {
    let begin = |number: u32| -> (u32, Thread, *const Yielder<(), ()>) {
        let stack = STACKS.with_borrow_mut(Vec::pop);
        let stack = stack.unwrap_or_else(|| DefaultStack::new(STACK).expect("there is memory for a stack"));
        let body = |yielder: &Yielder<(), ()>, ()| {
            YIELDER.set(std::ptr::from_ref(yielder));
            body();
        };
        // SAFETY: what is borrowed outlives this function, in which all of them end.
        (number, unsafe { Coroutine::with_stack_unchecked(stack, body) }, std::ptr::null())
    };
    let mut left: Vec<_> = (0..threads).map(begin).collect();
    while !left.is_empty() {
        let (before, mut waiting) = (STEPS.get(), Vec::with_capacity(left.len()));
        for (number, mut thread, yielder) in left {
            enter(number);
            YIELDER.set(yielder);
            match thread.resume(()) {
                CoroutineResult::Yield(()) => waiting.push((number, thread, YIELDER.get())),
                CoroutineResult::Return(()) => {
                    step();
                    STACKS.with_borrow_mut(|it| it.push(thread.into_stack()));
                }
            }
        }
        left = waiting;
        assert_ne!(STEPS.get(), before, "{} threads wait forever", left.len());
    }
}
