//! Whether staging a function pays, found by trying it.
//!
//! Calls are the same staged and plain, so how a call runs is free to choose. At first calls are *trials*: they are
//! timed. A staged call that spends its time in compiled code is trusted. One that does not, because it is short, copies
//! its arguments, or leaves, is compared with plain calls in between, in an order that no program knows. The *verdict*
//! holds for a number of calls that cost next to nothing beside what they do; then the function is looked at again, ever
//! more rarely as long as that gives the same.
//!
//! Of a recursive function only the outermost call is a trial, and all that it calls runs the same way. Where a staged
//! call comes back here for each call inside, those inside are tried against each other: the innermost ones only, since
//! the others contain them.
//!
//! Making code is paid from what the function has run: the first few times are free, then a tenth of that is spent.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use rustpython_vm::common::lock::PyMutex;

use crate::clock;
use crate::clock::{COMPILED, CROSSINGS, TIMED, UNCOUNTED, asking};

/// After so many calls that contain others the look at a recursive function is over.
const MAX_INSIDE: u32 = 1024;
/// After so many staged calls that are short they are compared with plain ones.
const SHORT_CALLS: u32 = 10;
/// Inside of a plain call of the same function so many go without being looked at, then one is.
const MAX_SKIPPED: u32 = 512;
/// Short calls are tried so many in a row, and the first of them do not count: the processor has other things at hand.
const RUN: u32 = 6;
const COLD: u32 = 2;
/// Calls that are shorter than this are not trusted without a comparison,
const SHORT: f64 = 20e-6;
/// or than this, where nearly all of a few of them was in compiled code, or of one when that was found before.
const VERY_SHORT: f64 = 5e-6;
const NEARLY_ALL: f64 = 0.8;
const A_FEW: f64 = 4.0;
/// Calls that take so long are compared one by one, after few.
const LONG: f64 = 200e-6;
/// Staged calls are preferred to plain ones where they take less than this beside them.
const BETTER: f64 = 0.95;
/// How many calls a first verdict holds for at least, plain or staged.
const HOLDS: u32 = 16;
/// How many calls a verdict holds for at most.
const HOLDS_PLAIN: u32 = 1 << 22;
const HOLDS_STAGED: u32 = 1 << 12;
/// And a first verdict, after few trials and after some.
const FEW_HOLD: u32 = 64;
const SOME_HOLD: u32 = 1024;
/// A short function that calls staged ones, and takes more than this part of a plain call, is plain so often first.
const NOT_FAR: f64 = 0.25;
const SETTLES: u32 = 3 * FEW_HOLD;
/// A try of what does not pay may cost this part of the calls for which the verdict holds.
const PART: f64 = 20.0;
/// After so many calls in a row that needed new code each, calls are plain for a while.
const MISSES: u32 = 3;
/// After so many it is tried what a plain one takes.
const FEW_MISSES: u32 = 2;
/// A try of making code costs this part of the calls in between, unless these are many.
const LEARNING: f64 = 4.0;
/// But not before the free times are over, if making the code takes less than so many plain calls.
const DEAR: f64 = 2.0;
/// So many times code is made without asking what for, if it takes no longer than this.
const FREE: u32 = 8;
const FREE_TIME: Duration = Duration::from_millis(120);
/// And no longer than this in one call,
pub(crate) const PATIENCE: Duration = Duration::from_millis(40);
/// in which none is begun when it has cost as long as this.
const FREE_IN_CALL: Duration = Duration::from_millis(30);
/// Afterwards making code may take this part of what the function's calls have taken.
const SHARE: f64 = 10.0;
/// A function that has run as long as this is worth a warning, if this part of it was not in compiled code.
const WORTH_A_WARNING: f64 = 1.0;
const MOSTLY: f64 = 0.9;
/// Calls that are tried inside of one that is tried may take this part of it: they do not run as they will.
const DISTURBED: f64 = 0.25;
/// What trying a call takes beside it, about.
const TRYING: f64 = 1e-6;
/// What trials took before the last verdict counts for so many times less.
const FADE: f64 = 4.0;
/// What takes so many times as long as others counts as that.
const OUTLIER: f64 = 8.0;
/// No end to what a trial has set.
const UNTIL_THE_TRIAL_ENDS: u32 = u32::MAX;

thread_local! {
    /// What tells threads apart: its address.
    static HERE: u8 = const { 0 };
    /// How many seconds it has spent on calls that are tried.
    static TRIED: Cell<f64> = const { Cell::new(0.0) };
    /// How often this thread has made code, or tried to.
    static MAKES: Cell<u32> = const { Cell::new(0) };
    /// How long that took.
    static MAKING: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    /// The same, and what this thread had computed, when the outermost call began that is tried or needs code from its
    /// beginning: what it calls makes code at its expense.
    static OUTERMOST: Cell<(Duration, f64)> = const { Cell::new((Duration::ZERO, 0.0)) };
    /// How many calls it has made staged because that was the verdict.
    static STAGED: Cell<u32> = const { Cell::new(0) };
    /// How many of its calls in compiled code were not as later ones of their kind will be.
    static UNSETTLED: Cell<u32> = const { Cell::new(0) };
    /// How often it has left compiled code, or had none for a call.
    static INCIDENTS: Cell<u32> = const { Cell::new(0) };
}

/// A call begins. If it is not inside of one that is tried, nothing has been made in it.
pub(crate) fn call_begins() {
    if !TIMED.get() {
        OUTERMOST.set((MAKING.get(), clock::now()));
    }
}

/// How long making code has taken in the outermost call, beyond what may be spent in proportion to what it has run.
fn made_in_call() -> Duration {
    let (made, began) = OUTERMOST.get();
    let made = MAKING.get().saturating_sub(made);
    let ran = (clock::now() - began - made.as_secs_f64()).max(0.0);
    made.saturating_sub(Duration::try_from_secs_f64(ran / SHARE).unwrap_or_default())
}

/// What takes time now is not a matter of the calls that are tried.
fn interrupt() {
    MAKES.set(MAKES.get().wrapping_add(1));
}

/// A call is staged without being tried.
#[inline]
pub(crate) fn staged() {
    STAGED.set(STAGED.get().wrapping_add(1));
}

/// A call in compiled code prepares that later ones of its kind are shorter: what it takes says nothing about them.
pub(crate) fn unsettled() {
    UNSETTLED.set(UNSETTLED.get().wrapping_add(1));
}

/// A call has left compiled code, or there is none for it.
pub(crate) fn incident() {
    INCIDENTS.set(INCIDENTS.get().wrapping_add(1));
}

/// How a call is to run.
pub(crate) enum Turn {
    Staged,
    Plain,
    /// As it says, and then [`Governor::end`].
    Trial(Trial),
}

/// A call that is timed.
pub(crate) struct Trial {
    /// Whether it is plain.
    pub(crate) plain: bool,
    /// Whether it is not inside of another trial of the function.
    is_outermost: bool,
    /// Whether it does not count if it is short.
    is_cold: bool,
    /// How many calls have begun since the outermost one, with this.
    begun: u32,
    /// What this thread had made, and what was made for the function.
    makes: u32,
    own: u32,
    recovered: u32,
    staged: u32,
    unsettled: u32,
    making: Duration,
    compiled: f64,
    was_timed: bool,
    uncounted: f64,
    tried: f64,
    begin: f64,
}

/// What trials of one kind took, in seconds. Older ones count less.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    weight: f64,
    total: f64,
    compiled: f64,
    /// The shortest of them.
    least: Option<f64>,
}

impl Side {
    fn mean(self) -> f64 {
        self.total / self.weight.max(f64::MIN_POSITIVE)
    }

    fn add(&mut self, took: f64, compiled: f64) {
        // The machine was busy with something else.
        let most = if self.weight >= 3.0 { OUTLIER * self.mean() } else { f64::INFINITY };
        self.weight += 1.0;
        self.least = Some(self.least.map_or(took, |it| it.min(took)));
        self.total += took.min(most);
        self.compiled += compiled.min(most);
    }

    /// What was found before counts for so many times less than what is found next.
    fn fade(&mut self, times: f64) {
        self.weight /= times;
        self.total /= times;
        self.compiled /= times;
    }
}

#[derive(Debug, Default)]
struct Record {
    /// The thread with a trial.
    running: Option<usize>,
    staged: Side,
    plain: Side,
    /// How many trials the present look has had.
    tried: u32,
    /// Short calls are tried several in a row: whether these are plain, and how many there were.
    run: (bool, u32),
    /// Whether the trial that begins is one of those that do not count.
    is_cold: bool,
    /// Whether the verdict has been given and the function not been looked at since.
    is_over: bool,
    /// The verdict before this look, and for how many calls it held.
    last: Option<(bool, u32)>,
    /// Calls in a row that needed new code.
    misses: u32,
    /// What they took, with the making.
    fresh: Side,
    /// Whether that is less than what plain calls take.
    making_pays: bool,
    /// How long the function has run, as far as is known, and how much of that in compiled code.
    ran: f64,
    compiled: f64,
    /// What decides what is tried next.
    dice: u32,
    /// What `left` was when it was set.
    held: u32,
    /// How many calls were plain because that was the verdict.
    plain_calls: u64,
    /// Whether calls come back here from inside of a staged call.
    is_recursive: bool,
    /// Whether a plain trial called functions that ran staged, and whether it was waited for what becomes of these.
    is_mixed: bool,
    has_waited: bool,
    warned: bool,
}

/// What making code has taken.
#[derive(Debug, Default)]
struct Making {
    count: u32,
    spent: f64,
    /// How many pieces of code in a row served no second call.
    wasted: u32,
    /// How many calls in a row had to do without.
    denied: u32,
    /// Whether none was made at the last try, and how often there was some again after that.
    failed: bool,
    recovered: u32,
}

/// Whether calls of a function are staged.
#[derive(Debug)]
pub(crate) struct Governor {
    is_on: bool,
    /// How calls run at present.
    plain: AtomicBool,
    /// How many more calls do, without being looked at.
    left: AtomicU32,
    /// How many calls have begun inside of the trial that runs.
    inside: AtomicU32,
    /// How many plain calls of the function are nested now, and how many in them went without being looked at.
    nested: AtomicU32,
    skipped: AtomicU32,
    record: PyMutex<Record>,
    making: PyMutex<Making>,
}

/// What is known about a function's calls, for people.
pub(crate) struct Verdict {
    /// What holds now; `None` while it is not clear.
    pub(crate) plain: Option<bool>,
    /// How many calls were plain because that pays more.
    pub(crate) plain_calls: u64,
    /// What a call takes staged and plain, in seconds, as far as that was tried.
    pub(crate) staged: Option<f64>,
    pub(crate) unstaged: Option<f64>,
}

impl Governor {
    /// For a function. If it is not on, every call is staged.
    pub(crate) fn new(is_on: bool) -> Self {
        let left = AtomicU32::new(if is_on { 0 } else { UNTIL_THE_TRIAL_ENDS });
        Self {
            is_on,
            plain: AtomicBool::new(false),
            left,
            inside: AtomicU32::new(0),
            nested: AtomicU32::new(0),
            skipped: AtomicU32::new(0),
            record: PyMutex::new(Record { dice: 0x9e37_79b9, ..Record::default() }),
            making: PyMutex::default(),
        }
    }

    /// Whether a call is plain, and that is all there is to say about it.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.plain.load(Ordering::Relaxed) && self.is_left()
    }

    /// Whether the verdict is that calls are plain.
    pub(crate) fn is_given_up(&self) -> bool {
        self.plain.load(Ordering::Relaxed) && self.left.load(Ordering::Relaxed) != 0
    }

    #[inline]
    fn is_left(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        if left == 0 {
            return false;
        }
        // Threads may lose a count: nothing depends on it.
        self.left.store(left - u32::from(self.is_on), Ordering::Relaxed);
        true
    }

    /// How a call is to run.
    #[inline]
    pub(crate) fn turn(&self) -> Turn {
        if !self.is_left() {
            return self.look();
        }
        if self.plain.load(Ordering::Relaxed) { Turn::Plain } else { Turn::Staged }
    }

    /// Calls the function as plain Python.
    #[inline]
    pub(crate) fn plainly<T>(&self, call: impl FnOnce() -> T) -> T {
        // Threads may lose a count here, too.
        let nested = self.nested.load(Ordering::Relaxed);
        self.nested.store(nested + 1, Ordering::Relaxed);
        let result = call();
        self.nested.store(nested, Ordering::Relaxed);
        result
    }

    /// Whether a call is inside of a plain one of the same function, which says more about it: it is left alone then.
    fn is_nested(&self) -> bool {
        if self.nested.load(Ordering::Relaxed) == 0 {
            return false;
        }
        let skipped = (self.skipped.load(Ordering::Relaxed) + 1) % MAX_SKIPPED;
        self.skipped.store(skipped, Ordering::Relaxed);
        if skipped == 0 {
            // The outermost call takes long, or a count is lost.
            self.nested.store(0, Ordering::Relaxed);
        }
        skipped != 0
    }

    #[cold]
    fn look(&self) -> Turn {
        let here = HERE.with(|it| std::ptr::from_ref(it).addr());
        let mut record = self.record.lock();
        if record.running.is_some_and(|thread| thread != here) {
            return Turn::Staged;
        }
        if self.plain.load(Ordering::Relaxed) && !record.is_recursive && self.is_nested() {
            return Turn::Plain;
        }
        let is_outermost = record.running.is_none();
        if is_outermost {
            call_begins();
            record.running = Some(here);
            self.inside.store(0, Ordering::Relaxed);
        } else if !record.is_recursive {
            // The calls around are no longer what is compared.
            record.is_recursive = true;
            (record.staged, record.plain) = (Side::default(), Side::default());
            record.tried = 0;
        }
        let begun = self.inside.load(Ordering::Relaxed) + 1;
        self.inside.store(begun, Ordering::Relaxed);
        let plain = record.next();
        if plain && !record.is_recursive {
            self.set(&mut record, true, UNTIL_THE_TRIAL_ENDS);
        }
        let is_cold = record.is_cold;
        drop(record);
        let (own, recovered) = {
            let making = self.making.lock();
            (making.count, making.recovered)
        };
        let was_timed = TIMED.replace(true);
        if !was_timed {
            CROSSINGS.set(0);
        }
        let (makes, making, compiled) = (MAKES.get(), MAKING.get(), COMPILED.get());
        let uncounted = UNCOUNTED.get();
        let begin = asking() + clock::now();
        Turn::Trial(Trial {
            plain,
            is_outermost,
            is_cold,
            begun,
            makes,
            own,
            recovered,
            staged: STAGED.get(),
            unsettled: UNSETTLED.get(),
            making,
            compiled,
            was_timed,
            uncounted,
            tried: TRIED.get(),
            begin,
        })
    }

    /// A trial has ended. Gives whether the function runs plain for the most part, and nobody has been told.
    #[cold]
    pub(crate) fn end(&self, trial: &Trial) -> bool {
        let took = (clock::now() - trial.begin - (UNCOUNTED.get() - trial.uncounted)).max(1e-9);
        TIMED.set(trial.was_timed);
        let compiled = (COMPILED.get() - trial.compiled).clamp(0.0, took);
        self.settle(trial, took, compiled)
    }

    /// A trial took so many seconds, and so many of them in compiled code.
    fn settle(&self, trial: &Trial, took: f64, compiled: f64) -> bool {
        let (own, recovered) = {
            let making = self.making.lock();
            (making.count, making.recovered)
        };
        let made = MAKES.get() != trial.makes;
        let mut record = self.record.lock();
        if recovered != trial.recovered {
            // What calls took that found no code says nothing about those that do.
            (record.staged, record.fresh, record.misses) = (Side::default(), Side::default(), 0);
        }
        let is_innermost = self.inside.load(Ordering::Relaxed) == trial.begun;
        let is_whole = trial.is_outermost && is_innermost && !trial.plain;
        if record.is_recursive && is_whole && took >= SHORT && compiled * 1.5 > took {
            // There is code by now that does not come back for the calls inside.
            record.is_recursive = false;
            (record.staged, record.plain) = (Side::default(), Side::default());
        }
        record.is_mixed |= trial.plain && STAGED.get() != trial.staged;
        record.plain_calls += u64::from(trial.plain);
        let others = TRIED.get() - trial.tried;
        if trial.is_outermost {
            TRIED.set(trial.tried + took + TRYING);
            record.running = None;
            record.ran += (took - (MAKING.get() - trial.making).as_secs_f64()).max(0.0);
            record.compiled += compiled;
        }
        if self.left.load(Ordering::Relaxed) > HOLDS_PLAIN {
            self.set(&mut record, false, 0);
        }
        let verdict = if record.is_recursive && !is_innermost {
            // It contains others, as many as it may be.
            record.tried += 1;
            (record.tried > MAX_INSIDE).then_some((false, HOLDS_STAGED))
        } else if made && !trial.plain {
            if own != trial.own {
                record.misses += 1;
                record.fresh.fade(2.0);
                record.fresh.add(took, compiled);
            }
            record.judge_making(own >= FREE)
        } else if made
            || others > DISTURBED * took
            || trial.is_cold && took < LONG
            || UNSETTLED.get() != trial.unsettled
        {
            // What was made inside of a plain call is for a function that it calls, and is no part of what it takes; what
            // was tried there will run otherwise.
            record.misses = if trial.plain { record.misses } else { 0 };
            None
        } else {
            record.misses = if trial.plain { record.misses } else { 0 };
            let side = if trial.plain { &mut record.plain } else { &mut record.staged };
            side.add(took, compiled);
            record.tried += 1;
            record.judge_making(own >= FREE).or_else(|| record.judge())
        };
        if let Some((plain, held)) = verdict {
            record.conclude(plain, held);
            self.set(&mut record, plain, held);
        }
        trial.is_outermost && record.is_worth_a_warning()
    }

    /// From now on calls run like this, so many of them.
    fn set(&self, record: &mut Record, plain: bool, held: u32) {
        let done = record.held.saturating_sub(self.left.load(Ordering::Relaxed));
        if self.plain.load(Ordering::Relaxed) {
            record.plain_calls += u64::from(done);
        }
        record.held = held;
        self.plain.store(plain, Ordering::Relaxed);
        self.left.store(held, Ordering::Relaxed);
    }

    /// Something unusual happened in a staged call that is no trial: the function is looked at sooner.
    #[cold]
    pub(crate) fn hurry(&self) {
        let left = self.left.load(Ordering::Relaxed);
        if self.is_on && left != 0 && !self.plain.load(Ordering::Relaxed) && left < HOLDS_STAGED + 1 {
            self.left.store(left - (left / 8).max(1).min(left), Ordering::Relaxed);
        }
    }

    /// How many incidents there were on this thread.
    #[inline]
    pub(crate) fn incidents() -> u32 {
        INCIDENTS.get()
    }

    /// Whether calls are timed at all.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    /// How long making a piece of code may take.
    pub(crate) fn patience(&self) -> Option<Duration> {
        let share = || Duration::try_from_secs_f64(self.record.lock().ran / SHARE).unwrap_or_default();
        self.is_on.then(|| share().max(PATIENCE.saturating_sub(made_in_call())))
    }

    /// Whether code may be made for a call; `wasted` says that the code that was made last has served no second call.
    pub(crate) fn may_make(&self, wasted: bool) -> bool {
        if !self.is_on {
            return true;
        }
        let (ran, pays) = {
            let record = self.record.lock();
            (record.ran, record.making_pays)
        };
        let mut making = self.making.lock();
        let is_paid = making.spent * SHARE <= ran;
        if pays {
            return true;
        }
        if making.count < FREE && making.spent < FREE_TIME.as_secs_f64() {
            return is_paid || made_in_call() < FREE_IN_CALL;
        }
        making.wasted = if wasted { making.wasted } else { 0 };
        making.denied = making.denied.saturating_add(1);
        let enough = 1 << making.wasted.min(20);
        is_paid && making.denied >= enough
    }

    /// Code was made, or it was tried: `failed` says that there is none.
    pub(crate) fn made(&self, took: Duration, failed: bool) {
        interrupt();
        MAKING.set(MAKING.get() + took);
        let mut making = self.making.lock();
        making.recovered += u32::from(making.failed && !failed);
        making.failed = failed;
        making.count += 1;
        making.wasted += 1;
        making.denied = 0;
        making.spent += took.as_secs_f64();
    }

    /// What is known.
    pub(crate) fn verdict(&self) -> Verdict {
        let record = self.record.lock();
        let plain = self.plain.load(Ordering::Relaxed);
        let left = self.left.load(Ordering::Relaxed);
        let known = |side: Side| (side.weight > 0.0).then(|| side.mean());
        Verdict {
            plain: (self.is_on && record.running.is_none() && left != 0).then_some(plain),
            plain_calls: record.plain_calls + if plain { u64::from(record.held.saturating_sub(left)) } else { 0 },
            staged: known(record.staged),
            unstaged: known(record.plain),
        }
    }
}

impl Record {
    /// Whether the next trial is plain.
    fn next(&mut self) -> bool {
        self.is_cold = false;
        if let Some((plain, held)) = self.last.filter(|_| self.is_over) {
            // The calls since then went as the verdict says.
            let side = if plain { self.plain } else { self.staged };
            self.ran += f64::from(held) * side.mean();
            self.compiled += f64::from(held) * side.compiled / side.weight.max(f64::MIN_POSITIVE);
            self.staged.fade(FADE);
            self.plain.fade(FADE);
            self.is_over = false;
        }
        if self.misses >= FEW_MISSES {
            return self.plain.weight == 0.0;
        }
        let is_long = self.staged.weight > 0.0 && self.staged.mean().max(self.plain.mean()) >= LONG;
        let (plain, count) = self.run;
        if count == 0 {
            self.run = (false, 1);
            self.is_cold = !is_long;
            return false;
        }
        if is_long {
            let (staged, plain) = (self.staged, self.plain);
            return self.choose(staged, plain);
        }
        self.dice();
        let enough = if self.last.is_none() && self.plain.weight == 0.0 { SHORT_CALLS } else { RUN + (self.dice & 1) };
        self.run = if count < enough { (plain, count + 1) } else { (!plain, 1) };
        self.is_cold = self.run.1 <= COLD;
        self.run.0
    }

    fn dice(&mut self) {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 17;
        self.dice ^= self.dice << 5;
    }

    /// Chooses so that both come equally often, and not as the program alternates.
    fn choose(&mut self, staged: Side, plain: Side) -> bool {
        self.dice();
        match staged.weight - plain.weight {
            more if more >= 1.0 => true,
            less if less <= -1.0 => false,
            _ => self.dice >> 16 & 1 == 1,
        }
    }

    /// The verdict on a function whose calls need new code each, if they do and it is known what plain calls take;
    /// `enough` says that code has been made often.
    fn judge_making(&mut self, enough: bool) -> Option<(bool, u32)> {
        if self.misses < MISSES || self.plain.weight == 0.0 {
            return None;
        }
        let ratio = self.fresh.mean() / self.plain.mean().max(1e-9);
        // Where making code costs little beside the call, it may be that these were all the kinds that there are.
        if (BETTER..DEAR).contains(&ratio) && self.misses < FREE {
            return None;
        }
        // Calls may be of several lengths: making code for each does not pay for the shortest.
        self.making_pays = ratio < BETTER && self.fresh.least < self.plain.least;
        // What was made may still serve other calls.
        let held = self.last.map_or(HOLDS, |(_, held)| held.saturating_mul(2).clamp(HOLDS, HOLDS_PLAIN));
        // The next code, if it is for nothing again, may cost a part of what the calls take until then.
        let tries = ((LEARNING * ratio) as u32).clamp(HOLDS, FEW_HOLD);
        Some((!self.making_pays, if self.making_pays || enough { held } else { tries }))
    }

    /// The verdict, if it is clear, and for how many calls it holds.
    fn judge(&mut self) -> Option<(bool, u32)> {
        let (staged, plain_side) = (self.staged, self.plain);
        let enough = if self.last.is_some_and(|(plain, _)| !plain) { 1.0 } else { A_FEW };
        let is_trusted = match staged.mean() {
            SHORT.. => staged.weight >= 1.0 && staged.compiled * 1.5 > staged.total,
            VERY_SHORT.. => staged.weight >= enough && staged.compiled > NEARLY_ALL * staged.total,
            _ => false,
        };
        if is_trusted {
            return Some((false, self.holds(false, 1.0, SOME_HOLD)));
        }
        if staged.weight == 0.0 || plain_side.weight == 0.0 {
            return None;
        }
        let (ratio, longest) = (staged.mean() / plain_side.mean().max(1e-9), staged.mean().max(plain_side.mean()));
        let (is_long, plain) = (longest >= LONG, ratio >= BETTER);
        let both = if is_long { 2 } else { 2 * (RUN - COLD) - 2 };
        let confirms = self.last.is_some_and(|(before, _)| before == plain) && self.tried >= both;
        let pairs = staged.weight.min(plain_side.weight);
        if !is_long && !confirms && (pairs < 4.0 || self.tried < both) {
            return None;
        }
        // Plain is the safe side.
        let is_clear = match (plain, pairs) {
            _ if confirms || pairs >= 8.0 => true,
            (true, few) => ratio >= if few < 2.0 { 1.05 } else { BETTER },
            (false, few) => ratio <= if few < 2.0 { 0.7 } else { 0.8 },
        };
        let most = if pairs < 4.0 { FEW_HOLD } else { SOME_HOLD };
        if is_clear && !is_long && !plain && self.is_mixed && !self.has_waited && ratio > NOT_FAR {
            // Whether what it calls had better be staged is found out while it is plain.
            self.has_waited = true;
            return Some((true, SETTLES));
        }
        is_clear.then(|| (plain, self.holds(plain, ratio, most)))
    }

    fn holds(&self, plain: bool, ratio: f64, at_first: u32) -> u32 {
        let most = if plain { HOLDS_PLAIN } else { HOLDS_STAGED };
        match self.last {
            Some((before, held)) if before == plain => held.saturating_mul(2).min(most),
            _ => {
                let cost = if plain { ratio } else { 1.0 / ratio.max(1e-6) };
                let least = if self.staged.mean() < LONG { 4 * HOLDS } else { HOLDS };
                let at_first = f64::from(at_first).max(2.0 * cost).min(f64::from(most));
                ((PART * cost).min(at_first) as u32).max(least)
            }
        }
    }

    fn conclude(&mut self, plain: bool, held: u32) {
        self.last = Some((plain, held));
        self.tried = 0;
        self.run = (false, 0);
        self.is_over = true;
    }

    fn is_worth_a_warning(&mut self) -> bool {
        let is_worth = self.ran >= WORTH_A_WARNING && self.compiled < (1.0 - MOSTLY) * self.ran;
        let tell = is_worth && !self.warned;
        self.warned |= tell;
        tell
    }
}

#[cfg(test)]
mod tests;
