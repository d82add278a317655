//! Differential fuzzing: random terminating programs, one outcome in every mode.
//!
//! [`Subject::generate`] makes a program from a seed; [`check`] runs many of them in one process for each
//! [`Mode`](crate::Mode) and compares what they print with the unstaged run; [`shrink`] takes statements
//! away from a program that fails, as long as it fails.
//!
//! [`check_interrupted`] interrupts a call of each program, and looks for a moment at which plain Python, interrupted,
//! shows the same. [`coverage`] says how much of the programs is compiled.
//!
//! Programs terminate by construction: the bound of a loop is part of the loop, and recursion counts
//! down. Most ints stay within 60 bits, since the call leaves where one does not fit 64 bits. There is no
//! `float ** int`, the one operation that is not bit-exact. A program that is refused by staging counts as refused,
//! not as passed, and too many of them are a failure.

mod check;
mod expression;
mod features;
mod generate;
mod idioms;
mod interrupt;
mod known;
mod reduce;
mod rng;
mod shrink;
mod statement;
mod template;
mod tree;

pub use check::{Finding, Report, UNSTAGED_FAILED, Way, check, coverage, printed};
pub use interrupt::{Interrupted, Interruptible, NO_SUCH_INSTRUCTION, Shown, check_interrupted, interrupted};

pub use generate::Subject;
pub use rng::Rng;
pub use shrink::shrink;
pub use tree::{Call, Stmt};
