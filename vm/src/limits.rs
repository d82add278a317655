//! Limits: what a program may use before it is stopped, and stopping it from another thread.
//!
//! [`Limits`] says how much; a [`Canceller`] stops whatever runs under it. While a thread is inside Python under
//! limits, it has a [`Meter`]: what is left, and until when. Compiled code and capture ask [`check`] whenever they
//! look for signals. Plain Python cannot be asked from outside; it is woken by `watch`.
//!
//! The channel for signals that wakes plain Python is `host/machine.rs`'s. A tick is a `RESUME` that begins a function
//! or a `JUMP_BACKWARD`: plain code counts by a hook on `sys.monitoring` (`limits/ticks.rs`), compiled code by a call
//! of the host and a check (`capture/tick.rs`), in specialisations of their own.

pub(crate) mod budget;
mod stopped;
mod ticks;
mod watch;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::function::{Callee, FuncArgs, ItemDoc, PyMethodDef, PyMethodFlags, PyNativeFn};
use rustpython_vm::{PyResult, VirtualMachine};
use snekpy_stage::list::Budget;

use crate::clock;
use crate::host::native::as_native;

pub use stopped::{STOPPED, Stop};
pub(crate) use stopped::{base, class};
pub(crate) use ticks::is_watched;
pub use ticks::{begins, install};
pub use watch::Watched;

/// What a program may use.
///
/// A limit that is not set does not exist. Each call into the engine from outside has all of it anew; calls that a
/// host function makes back into the engine belong to the call they are in.
///
/// ```
/// use snekpy_vm::limits::Limits;
/// use std::time::Duration;
///
/// let limits = Limits::new().time(Duration::from_secs(1)).depth(200);
/// let outer = Limits::new().time(Duration::from_secs(5)).code_size(10_000);
/// println!("{:?}", limits.or(&outer));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limits {
    ticks: Option<u64>,
    memory: Option<u64>,
    time: Option<Duration>,
    depth: Option<usize>,
    compile_time: Option<Duration>,
    code_size: Option<usize>,
    cancellers: Vec<Canceller>,
}

impl Limits {
    /// No limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many ticks a call has. A tick is a function that begins (the body of a generator or class, too) or a loop
    /// that goes round: a `RESUME` or a `JUMP_BACKWARD` of the bytecode. Native code counts nothing. Staged and plain
    /// code count the same; where there is none left, `snekpy.OutOfTicks` is raised, with everything done that came
    /// before. A program that catches it goes on without ticks: with no call of a Python function and no loop.
    ///
    /// Counting costs: code that counts is compiled separately, a loop in plain Python takes several times as
    /// long, and all threads of an engine that has once had such a limit pay for the hook. Not counted is what
    /// runs in a callback of `sys.settrace`, `sys.setprofile` or `sys.monitoring`.
    #[must_use]
    pub fn ticks(mut self, ticks: u64) -> Self {
        self.ticks = Some(ticks);
        self
    }

    /// Whether ticks are limited.
    #[must_use]
    pub fn has_ticks(&self) -> bool {
        self.ticks.is_some()
    }

    /// How long a call may take, by the clock. Then `snekpy.OutOfTime` is raised in it, within some milliseconds:
    /// in plain Python, while code is compiled (between two passes), and in compiled code. A native function
    /// (`time.sleep`, one of the host) is not interrupted; the exception comes when it has returned. If the
    /// program catches it and goes on, it is raised again, every 10 milliseconds.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// How many bytes the lists, dicts and sets of compiled code may have at once: those that it makes and the copies of
    /// those that it is passed, with the room to grow that they have. One byte more is a `MemoryError` at the line that wants it.
    ///
    /// Objects of plain Python are not counted, nor are arrays, which are made outside compiled code; the
    /// command's `--max-memory` counts all.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// How many calls may be nested, at most what `sys.getrecursionlimit()` says. One more is a `RecursionError`, as in
    /// Python without limits. `sys.setrecursionlimit` cannot raise it while it holds.
    #[must_use]
    pub fn depth(mut self, calls: usize) -> Self {
        self.depth = Some(calls);
        self
    }

    /// How long making the code of a staged call may take. What takes longer is not compiled (S132): the call and
    /// those like it run as plain Python; with `strict=True` it is a `StagingError`. It is looked at while the call is
    /// captured and before the back end begins, which then works to its end: what that takes follows from the size
    /// of the code.
    #[must_use]
    pub fn compile_time(mut self, time: Duration) -> Self {
        self.compile_time = Some(time);
        self
    }

    /// How many instructions of IR a staged function may make, at most 400,000, which is what holds without
    /// a limit. A call that makes more goes on as plain Python (S130); with `strict=True` it is a `StagingError`.
    #[must_use]
    pub fn code_size(mut self, instructions: usize) -> Self {
        self.code_size = Some(instructions);
        self
    }

    /// Lets `canceller` stop the call, too.
    #[must_use]
    pub fn canceller(mut self, canceller: &Canceller) -> Self {
        self.cancellers.push(canceller.clone());
        self
    }

    /// These limits, and those of `outer` where these have none. Whoever may cancel one of them may cancel this.
    #[must_use]
    pub fn or(&self, outer: &Self) -> Self {
        Self {
            ticks: self.ticks.or(outer.ticks),
            memory: self.memory.or(outer.memory),
            time: self.time.or(outer.time),
            depth: self.depth.or(outer.depth),
            compile_time: self.compile_time.or(outer.compile_time),
            code_size: self.code_size.or(outer.code_size),
            cancellers: self.cancellers.iter().chain(&outer.cancellers).cloned().collect(),
        }
    }
}

/// Stops what runs under it, from any thread: with `snekpy.Cancelled`, a `BaseException`.
///
/// It stays so: what is called under it later is stopped as well, until [`Canceller::reset`]. Clones are the
/// same canceller.
#[derive(Clone, Default)]
pub struct Canceller {
    /// Compiled code that has no VM looks at it directly.
    flag: Arc<AtomicU32>,
}

impl Canceller {
    /// A canceller of its own, for [`Limits::canceller`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops what runs, and what would run.
    pub fn cancel(&self) {
        self.flag.store(1, Ordering::Release);
    }

    /// Lets things run again. What has been stopped stays stopped.
    pub fn reset(&self) {
        self.flag.store(0, Ordering::Release);
    }

    /// Whether things are stopped.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Acquire) != 0
    }

    /// What is not zero once it has been cancelled.
    pub(crate) fn flag(&self) -> &AtomicU32 {
        &self.flag
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Canceller").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

/// What is left to the calls of a thread, until it leaves Python.
#[derive(Debug)]
pub struct Meter {
    /// Which interpreter it is about.
    interpreter: i64,
    limits: Limits,
    deadline: Option<Instant>,
    /// How many ticks are left, if they are counted; below zero if some were wanted in vain.
    ticks: Option<AtomicI64>,
    lists: Option<Arc<Budget>>,
}

impl Meter {
    /// Everything is left, and the clock runs.
    #[must_use]
    pub fn new(interpreter: i64, limits: Limits) -> Self {
        let deadline = limits.time.and_then(|time| Instant::now().checked_add(time));
        let ticks = limits.ticks.map(|ticks| AtomicI64::new(i64::try_from(ticks).unwrap_or(i64::MAX)));
        let lists = limits.memory.map(|bytes| Arc::new(Budget::new(bytes)));
        Self { interpreter, limits, deadline, ticks, lists }
    }

    /// Takes the memory of lists from this.
    #[must_use]
    pub fn lists_from(mut self, budget: Budget) -> Self {
        self.lists = Some(Arc::new(budget));
        self
    }

    /// Why the program must end now.
    fn stop(&self) -> Option<Stop> {
        if self.limits.cancellers.iter().any(Canceller::is_cancelled) {
            return Some(Stop::Cancelled);
        }
        self.deadline.filter(|deadline| Instant::now() >= *deadline).map(|_| Stop::Time)
    }

    /// The exception that says so.
    fn exception(&self, stop: Stop, vm: &VirtualMachine) -> PyBaseExceptionRef {
        vm.new_exception_msg(class(stop, vm), stop.message(self.limits.time).into())
    }
}

thread_local! {
    /// Whether ticks are counted on this thread: what compiled code and the hook look at first.
    static COUNTS: Cell<bool> = Cell::new(SHARED.get().is_some_and(|meter| meter.ticks.is_some()));
    static CURRENT: RefCell<Option<Arc<Meter>>> = RefCell::new(SHARED.get().cloned());
}

/// The meter of threads that begin later, if it is that of the whole process.
static SHARED: OnceLock<Arc<Meter>> = OnceLock::new();

/// Threads that begin later have this meter, for good: a program that is alone in its process starts them.
pub fn share(meter: &Arc<Meter>) {
    // The first one stays.
    let _ = SHARED.set(Arc::clone(meter));
}

/// A meter that is this thread's as long as this lives.
#[must_use = "the meter is taken off again when this is dropped"]
pub struct Metered {
    before: Option<Arc<Meter>>,
    counted: bool,
}

/// Puts a meter on this thread.
pub fn enter(meter: Arc<Meter>) -> Metered {
    replace(Some(meter))
}

fn replace(meter: Option<Arc<Meter>>) -> Metered {
    let counted = COUNTS.replace(meter.as_ref().is_some_and(|meter| meter.ticks.is_some()));
    Metered { before: CURRENT.replace(meter), counted }
}

impl Drop for Metered {
    fn drop(&mut self) {
        COUNTS.set(self.counted);
        CURRENT.replace(self.before.take());
    }
}

/// Whether ticks are counted on this thread.
#[inline]
pub(crate) fn counts_ticks() -> bool {
    COUNTS.get()
}

/// Ticks are not counted on this thread as long as this lives.
pub(crate) struct Paused {
    counted: bool,
}

/// What runs now is not the program.
pub(crate) fn pause_ticks() -> Paused {
    Paused { counted: COUNTS.replace(false) }
}

impl Drop for Paused {
    fn drop(&mut self) {
        COUNTS.set(self.counted);
    }
}

/// Counts a tick. Whether there was one left.
#[inline]
pub(crate) fn tick() -> bool {
    with_ticks(|ticks| ticks.fetch_sub(1, Ordering::Relaxed) > 0).unwrap_or(true)
}

/// What the lists of compiled code are taken from on this thread, if that is limited.
#[inline]
pub(crate) fn lists() -> Option<Arc<Budget>> {
    CURRENT.with_borrow(|meter| meter.as_ref().and_then(|meter| meter.lists.clone()))
}

fn with_ticks<T>(body: impl FnOnce(&AtomicI64) -> T) -> Option<T> {
    CURRENT.with_borrow(|meter| meter.as_ref().and_then(|meter| meter.ticks.as_ref()).map(body))
}

/// The exception of a tick that is not there.
pub(crate) fn out_of_ticks(vm: &VirtualMachine) -> PyBaseExceptionRef {
    vm.new_exception_msg(class(Stop::Ticks, vm), Stop::Ticks.message(None).into())
}

/// The meter of this thread, if it is about this interpreter.
pub fn current(interpreter: i64) -> Option<Arc<Meter>> {
    CURRENT.with_borrow(|meter| meter.clone().filter(|meter| meter.interpreter == interpreter))
}

/// What stops the calls of a compiled function that has no VM.
#[derive(Default)]
pub(crate) struct OfHandles {
    /// The engine's.
    pub(crate) canceller: Option<Canceller>,
    /// How long a call may take.
    pub(crate) time: Option<Duration>,
    /// How deeply it may nest calls.
    pub(crate) depth: Option<usize>,
    /// How many ticks it has.
    pub(crate) ticks: Option<u64>,
    /// How much memory its lists have.
    pub(crate) memory: Option<u64>,
}

/// What stops the calls of a compiled function that is made on this thread.
pub(crate) fn of_handles() -> OfHandles {
    CURRENT.with_borrow(|meter| match meter.as_ref().map(|meter| &meter.limits) {
        // The last canceller is the engine's.
        Some(Limits { ticks, memory, time, depth, cancellers, compile_time: _, code_size: _ }) => OfHandles {
            canceller: cancellers.last().cloned(),
            time: *time,
            depth: *depth,
            ticks: *ticks,
            memory: *memory,
        },
        None => OfHandles::default(),
    })
}

/// Whether the program is to be stopped.
pub(crate) fn is_over() -> bool {
    CURRENT.with_borrow(|meter| meter.as_ref().is_some_and(|meter| meter.stop().is_some()))
}

/// Raises the exception that stops the program, if it is to be stopped.
///
/// # Errors
/// That exception.
pub fn check(vm: &VirtualMachine) -> PyResult<()> {
    let Some(meter) = CURRENT.with_borrow(Clone::clone) else { return Ok(()) };
    match meter.stop() {
        None => Ok(()),
        Some(stop) => Err(meter.exception(stop, vm)),
    }
}

/// Looks for signals, and whether the program is to be stopped.
///
/// # Errors
/// What a signal handler raised, or the exception that stops the program.
pub(crate) fn check_all(vm: &VirtualMachine) -> PyResult<()> {
    vm.check_signals()?;
    check(vm)
}

/// What one capture may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    /// How long making the code may take.
    pub(crate) time: Option<Duration>,
    /// Until when it must be made.
    until: Option<Instant>,
    /// How long this thread may have computed by then, in seconds: what else the machine is busy with does not count.
    computed: Option<f64>,
    /// How much work this thread may have done by then.
    work: u64,
    /// Whether code is compiled quickly at first.
    pub(crate) is_quick: bool,
    /// How many instructions of IR it may have.
    pub(crate) size: usize,
    /// Whether the code counts ticks.
    pub(crate) counts_ticks: bool,
}

/// What stands for the time of making code where nobody has set a limit: it is work that is counted.
const PATIENCE: Duration = Duration::from_secs(3);

/// Work that takes so many times as long as it should is given up. It is counted, so that each run of a program makes the
/// same code: the clock ends only what is out of all proportion.
const SLOW: f64 = 10.0;

/// How much IR one function may have.
const MAX_SIZE: usize = 400_000;

impl Allowance {
    /// What a capture that begins now on this thread may use; `patient` says that there is nothing to go on with without
    /// the code, and `patience` how long it may take.
    pub(crate) fn now(patient: bool, patience: Option<Duration>) -> Self {
        CURRENT.with_borrow(|meter| {
            let limits = meter.as_ref().map(|meter| &meter.limits);
            let limit = limits.and_then(|limits| limits.compile_time);
            let work = match (patient, patience) {
                (true, _) => budget::MUCH_PATIENCE,
                (false, None) => budget::PATIENCE,
                (false, Some(time)) => budget::work_in(time),
            };
            let patience = patience.map(|it| it.mul_f64(SLOW));
            let time = [limit, patience].into_iter().flatten().min().or((!patient).then_some(PATIENCE));
            let size = limits.and_then(|limits| limits.code_size).map_or(MAX_SIZE, |size| size.min(MAX_SIZE));
            let until = limit.and_then(|limit| Instant::now().checked_add(limit));
            let work = budget::spent().saturating_add(work);
            let computed = patience.map(|it| clock::now() + it.as_secs_f64());
            Self { time, until, computed, work, is_quick: patience.is_some(), size, counts_ticks: counts_ticks() }
        })
    }

    /// Whether the time is over, or the work done.
    pub(crate) fn is_over(&self) -> bool {
        budget::spent() >= self.work
            || self.until.is_some_and(|until| Instant::now() >= until)
            || self.computed.is_some_and(|most| clock::now() >= most)
    }
}

/// The recursion limit of this thread is another one as long as this lives.
pub struct Shallow<'vm> {
    vm: &'vm VirtualMachine,
    before: usize,
}

/// Lets calls be nested only as deeply as `meter` says.
#[must_use]
pub fn shallow<'vm>(meter: &Meter, vm: &'vm VirtualMachine) -> Shallow<'vm> {
    let before = vm.recursion_limit.get();
    if let Some(depth) = meter.limits.depth {
        vm.recursion_limit.set(depth.clamp(1, before.max(1)));
    }
    Shallow { vm, before }
}

impl Drop for Shallow<'_> {
    fn drop(&mut self) {
        self.vm.recursion_limit.set(self.before);
    }
}

/// Lets `sys.setrecursionlimit` give no more than the limits of the thread that calls it.
///
/// # Errors
/// If there is no `sys.setrecursionlimit`.
pub fn hold_recursion_limit(vm: &VirtualMachine) -> PyResult<()> {
    let name = vm.ctx.intern_str("setrecursionlimit");
    let original = vm.sys_module.get_attr(name, vm)?;
    if let Some(original) = as_native(&original, &SET_RECURSION_LIMIT, vm) {
        // It is the same in every interpreter of the process. A closure that keeps an object would keep it for ever.
        ORIGINAL.get_or_init(|| original);
        vm.sys_module.set_attr(name, SET_RECURSION_LIMIT.to_function().into_ref(&vm.ctx), vm)?;
    }
    Ok(())
}

static ORIGINAL: OnceLock<&'static dyn PyNativeFn> = OnceLock::new();
static SET_RECURSION_LIMIT: PyMethodDef =
    PyMethodDef::new_const("setrecursionlimit", set_recursion_limit, PyMethodFlags::empty(), ItemDoc::NONE);

fn set_recursion_limit(mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let most = CURRENT.with_borrow(|meter| meter.as_ref().and_then(|meter| meter.limits.depth));
    if let (Some(most), Some(limit)) = (most, args.args.first_mut()) {
        let asked = limit.try_index(vm)?.try_to_primitive::<usize>(vm).unwrap_or(usize::MAX);
        if asked > most.max(1) {
            *limit = vm.new_pyobj(most.max(1));
        }
    }
    let original = ORIGINAL.get().expect("it is stored before this can be called");
    original(vm, args, Callee::named("setrecursionlimit"))
}

/// No limits hold on this thread as long as this lives.
pub struct Unlimited<'vm> {
    _metered: Metered,
    _depth: Shallow<'vm>,
}

/// Lifts the limits for what is no part of the program: saying how it ended.
#[must_use]
pub fn lift(vm: &VirtualMachine) -> Unlimited<'_> {
    /// So many calls are enough for that.
    const ENOUGH: usize = 200;
    let before = vm.recursion_limit.get();
    vm.recursion_limit.set(before.saturating_add(ENOUGH));
    Unlimited { _metered: replace(None), _depth: Shallow { vm, before } }
}
