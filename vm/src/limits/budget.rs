//! What making code may cost, counted in steps of work: the same on a busy machine as on an idle one.
//!
//! A unit is about what one instruction of the program costs while it is captured, about a microsecond. Where a user has
//! set a limit on the time of compiling, that holds besides.

use std::cell::Cell;
use std::time::Duration;

use snekpy_stage::ir::Module;

use crate::refusal::Refusal;

/// How much work a call may cost that plain Python can do instead: it would be done by then.
pub(crate) const PATIENCE: u64 = 600_000;
/// The same where there is nothing to go on with without the code.
pub(crate) const MUCH_PATIENCE: u64 = 10 * PATIENCE;
/// How much work is done in a millisecond, about.
const PER_MILLISECOND: u64 = 1000;
/// So many instructions of IR are built for a unit.
const BUILT: usize = 4;
/// So many items of a container are copied for a unit.
const COPIED: usize = 64;
/// What passes and the back end cost for each instruction of IR that they are given.
const PER_INSTRUCTION: u64 = 20;
/// The code of the refusal.
pub(crate) const TOO_SLOW: &str = "S132";

thread_local! {
    static SPENT: Cell<u64> = const { Cell::new(0) };
}

/// How much work takes so long: at most as much as may be done where nobody asks for how long.
pub(crate) fn work_in(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).saturating_mul(PER_MILLISECOND).min(PATIENCE)
}

/// Work is done.
#[inline]
pub(crate) fn spend(units: u64) {
    SPENT.set(SPENT.get().wrapping_add(units));
}

/// An instruction of IR is built, by which there are so many: several are a unit.
#[inline]
pub(crate) fn spend_on_instruction(count: usize) {
    spend(u64::from(count.is_multiple_of(BUILT)));
}

/// The items of a container, which were copied.
#[inline]
pub(crate) fn copied<T>(items: Vec<T>) -> Vec<T> {
    spend((items.len() / COPIED) as u64);
    items
}

/// How much work this thread has done.
pub(crate) fn spent() -> u64 {
    SPENT.get()
}

/// What compiling a module will cost, if it is compiled well at once.
pub(crate) fn spend_on(module: &Module, quickly: bool) {
    let instructions: usize = module.funcs.values().map(|func| func.insts.len()).sum();
    spend(if quickly { 1 } else { PER_INSTRUCTION } * instructions as u64);
}

/// The code is not there for the work that it may cost.
pub(crate) fn too_slow() -> Box<Refusal> {
    let message = "compiling this takes longer than the limit on the time of compiling allows";
    Box::new(Refusal::new(TOO_SLOW, message).help("raise the limit, or stage a smaller part"))
}
