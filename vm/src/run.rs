//! A call of compiled code: from slots to a Python result or exception.

mod poll;

use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use smallvec::{SmallVec, smallvec};
use snekpy_stage::backend::{Context, Outcome, Status, Trap};
use snekpy_stage::entity::{Entity, Loc};
use snekpy_stage::list::Lists;
use snekpy_stage::map::Maps;

use crate::event::Event;
use crate::exit::{ExitKind, Filling, HostFailure, HostKind, Operation, Resume, Stepped, Template, bug, call_host};
use crate::flatten::Inputs;
use crate::host::traceback::raise_context;
use crate::limits;
use crate::raising::add_loc;
use crate::record::Table;
use crate::reentry::{Held, Pace, Reentry};
use crate::refusal::Refusal;
use crate::specialisation::{Failure, Over, Specialisation};
use crate::staging_error;

use poll::Running;

/// Of so many nested calls that an exception leaves, the places are kept for its traceback.
const MAX_UNWOUND: usize = 4096;
/// What a call in compiled code takes of the stack at most, for all that is known.
const BYTES_PER_CALL: usize = 2048;
/// Left to whatever compiled code calls.
const STACK_RESERVE: usize = 256 << 10;

/// What the callbacks of compiled code need.
struct Host<'a> {
    vm: &'a VirtualMachine,
    specialisation: &'a Specialisation,
    locals: &'a [Option<PyObjectRef>],
    arrays: &'a [(u64, PyObjectRef)],
    table: Option<&'a Table>,
    /// What a callback raised.
    raised: Option<PyBaseExceptionRef>,
    /// How many ticks compiled code has counted.
    ticks: u64,
    /// Whether a function of the host has had an effect.
    acted: bool,
    /// Whether a callback has computed what compiled code has no type for.
    past: bool,
    /// The calls that were left other than by returning, innermost first.
    unwound: Vec<Loc>,
    /// What the main function has noted before its latest call.
    noted: Noted,
}

/// Where plain Python may make a call that the main function makes.
#[derive(Default)]
struct Noted {
    /// The function of the host that knows how.
    number: Option<u32>,
    slots: Vec<u64>,
    /// What was counted by then.
    ticks: u64,
}

/// How far compiled code has got.
enum Ran {
    /// The call has ended.
    Done(PyObjectRef),
    /// It goes on here, with this in its frames.
    On(Arc<Reentry>, Held),
}

/// Calls the code of a specialisation with inputs that fit its key.
pub(crate) fn run(
    specialisation: &Specialisation,
    locals: &[Option<PyObjectRef>],
    inputs: &mut Inputs,
    vm: &VirtualMachine,
) -> PyResult {
    let mut pace = Pace::new();
    match run_once(specialisation, locals, inputs, &mut pace, vm)? {
        Ran::Done(result) => Ok(result),
        Ran::On(reentry, held) => go_on(reentry, held, pace, vm),
    }
}

/// Goes on in compiled code, as often as that pays.
#[cold]
fn go_on(mut reentry: Arc<Reentry>, mut held: Held, mut pace: Pace, vm: &VirtualMachine) -> PyResult {
    loop {
        pace.turn();
        let mut inputs = Inputs::default();
        let (specialisation, made) = match reentry.find(&held, &mut inputs, vm) {
            Ok(found) => found,
            Err(Failure::Refused(_)) => {
                inputs.release();
                return reentry.run_plainly(held, vm);
            }
            Err(Failure::Raised(exception)) => return Err(exception),
        };
        if made {
            pace.forget();
        }
        let ran = run_once(&specialisation, &held.objects, &mut inputs, &mut pace, vm);
        pace.note(&reentry);
        match ran? {
            Ran::Done(result) => return Ok(result),
            Ran::On(next, holds) => (reentry, held) = (next, holds),
        }
    }
}

fn run_once(
    specialisation: &Specialisation,
    locals: &[Option<PyObjectRef>],
    inputs: &mut Inputs,
    pace: &mut Pace,
    vm: &VirtualMachine,
) -> PyResult<Ran> {
    specialisation.stats.calls.fetch_add(1, Ordering::Relaxed);
    let mut results: SmallVec<[u64; 8]> = smallvec![0; specialisation.result_slots];
    let mut payload: SmallVec<[u64; 16]> = smallvec![0; specialisation.payload_slots];
    let budget = limits::lists();
    if budget.as_ref().is_some_and(|budget| !inputs.charge(budget)) {
        return Err(vm.new_exception_empty(vm.ctx.exceptions.memory_error.to_owned()));
    }
    let running = poll::enter().ok_or_else(|| bug(vm, "a staged function is called by a thread that has ended"))?;
    let mut host = Host {
        vm,
        specialisation,
        locals,
        arrays: &inputs.arrays,
        table: inputs.table.as_deref(),
        raised: None,
        ticks: 0,
        acted: false,
        past: false,
        unwound: Vec::new(),
        noted: Noted::default(),
    };
    let mut cx = Context {
        poll: running.flag(),
        depth: depth(vm),
        payload: payload.as_mut_ptr(),
        on_poll,
        host: on_host,
        unwind,
        data: (&raw mut host).cast::<c_void>(),
        ..Context::detached(&mut [])
    };
    if let Some(budget) = budget {
        cx.maps = Maps::within(Arc::clone(&budget));
        cx.lists = Lists::within(budget);
    }
    pace.enter();
    // SAFETY: the inputs have the slots of the key's types, which are the parameters of the main function;
    // both buffers have the sizes that the module asks for; the inputs hold the arrays where they are.
    let status = unsafe { specialisation.code.run(&mut cx, inputs.slots.as_ptr(), results.as_mut_ptr()) };
    drop(running);
    pace.leave();
    let Host { raised, ticks, acted, past, unwound, noted, .. } = host;
    let status = match status.outcome() {
        Outcome::Trap(Trap::HostFailed, loc) if past => Status::pack(Status::OVERFLOW, loc),
        _ => status,
    };
    if status.0 as u32 == Status::RETURNED {
        let captured = &specialisation.captured;
        let filling = Filling::new(vm, &results, locals, &inputs.arrays, inputs.table.as_deref());
        let result = filling.make(&captured.result)?;
        filling.apply(&captured.effects)?;
        return Ok(Ran::Done(result));
    }
    // What follows may run any code, which may resize the arrays.
    inputs.release();
    let over = specialisation.over.as_ref().filter(|_| !acted).map(|over| Anew { over, ticks });
    if let Outcome::Trap(Trap::Overflow, _) = status.outcome()
        && let (None, Some(number), false) = (&over, noted.number, unwound.is_empty())
        && let HostKind::Note(Some(resume)) = &specialisation.captured.hosts[number as usize]
    {
        limits::give_back(ticks - noted.ticks);
        let filling = Filling::new(vm, &noted.slots, locals, &inputs.arrays, inputs.table.as_deref());
        return leave_for_plain(resume, specialisation, &filling, pace);
    }
    let filling = Filling::new(vm, &payload, locals, &inputs.arrays, inputs.table.as_deref());
    leave(status, specialisation, &filling, over, raised, &unwound, pace)
}

/// How many calls compiled code may nest: what Python's limit leaves, and what the stack leaves.
fn depth(vm: &VirtualMachine) -> i64 {
    let by_limit = vm.recursion_limit.get().saturating_sub(vm.current_recursion_depth() + 1);
    let by_stack =
        stacker::remaining_stack().map_or(usize::MAX, |left| left.saturating_sub(STACK_RESERVE) / BYTES_PER_CALL);
    i64::try_from(by_limit.min(by_stack)).unwrap_or(i64::MAX)
}

/// Goes on as plain Python: for one instruction, or to the end.
#[cold]
fn leave_for_plain(
    resume: &Resume,
    specialisation: &Specialisation,
    filling: &Filling<'_>,
    pace: &mut Pace,
) -> PyResult<Ran> {
    let watch = |event: Event<'_>| specialisation.config.watcher.iter().for_each(|watcher| watcher(event));
    let reentry = || {
        let home = specialisation.reentries.upgrade()?;
        let made = home.of(resume, specialisation)?;
        Some(Arc::downgrade(&made))
    };
    let reentry = resume.reentry.get_or_init(reentry).as_ref().and_then(Weak::upgrade);
    // Where ticks are counted, all that follows is plain.
    match reentry.filter(|it| it.is_open() && pace.pays() && !limits::counts_ticks()) {
        Some(reentry) => {
            if resume.count.load(Ordering::Relaxed) == 0 {
                watch(Event::Stepped { reason: &resume.reason });
            }
            pace.pause();
            match filling.step(resume, &reentry)? {
                Stepped::Held(held) => {
                    resume.back.fetch_add(1, Ordering::Relaxed);
                    Ok(Ran::On(reentry, held))
                }
                Stepped::Returned(result) => Ok(Ran::Done(result)),
            }
        }
        None => {
            watch(Event::Left { reason: &resume.reason });
            filling.resume(resume).map(Ran::Done)
        }
    }
}

/// How a call may begin anew.
struct Anew<'a> {
    over: &'a Over,
    /// What it has counted by now.
    ticks: u64,
}

impl Anew<'_> {
    fn call(&self, locals: &[Option<PyObjectRef>], vm: &VirtualMachine) -> PyResult {
        limits::give_back(self.ticks);
        self.over.call(locals, vm)
    }
}

/// What a call that did not return means.
#[cold]
fn leave(
    status: Status,
    specialisation: &Specialisation,
    filling: &Filling<'_>,
    over: Option<Anew<'_>>,
    raised: Option<PyBaseExceptionRef>,
    unwound: &[Loc],
    pace: &mut Pace,
) -> PyResult<Ran> {
    let vm = filling.vm;
    let captured = &specialisation.captured;
    let from_callback = || raised.unwrap_or_else(|| bug(vm, "a callback failed and raised nothing"));
    let (exception, loc) = match status.outcome() {
        Outcome::Returned => return Err(bug(vm, "a call returned twice")),
        Outcome::Exit(exit, loc) => match &captured.exits[exit.index()] {
            ExitKind::Return { result, effects } => {
                let result = filling.make(result)?;
                filling.apply(effects)?;
                return Ok(Ran::Done(result));
            }
            ExitKind::Raise { exception: template, effects } => {
                let object = filling.make(template)?;
                filling.apply(effects)?;
                let exception = object.downcast().map_err(|_| bug(vm, "what is raised is no exception"))?;
                (exception, if has_trail(template) { None } else { loc })
            }
            ExitKind::Resume(resume) => return leave_for_plain(resume, specialisation, filling, pace),
            ExitKind::Again { operation, operands, effects } => {
                let operands = filling.make_all(operands)?;
                let Operation::Call(callable) = operation;
                match callable.call(operands, vm) {
                    Err(exception) => {
                        filling.apply(effects)?;
                        (exception, loc)
                    }
                    Ok(_) if let Some(over) = over => {
                        filling.release();
                        return over.call(filling.locals, vm).map(Ran::Done);
                    }
                    Ok(value) => {
                        filling.apply(effects)?;
                        return Err(unexpected(&value, specialisation, loc, vm));
                    }
                }
            }
        },
        Outcome::Trap(trap, loc) => match trap {
            Trap::Overflow if let Some(over) = over => {
                filling.release();
                return over.call(filling.locals, vm).map(Ran::Done);
            }
            Trap::Overflow => {
                let why = match specialisation.is_derived {
                    true => "integer result does not fit in 64 bits, in a call that is differentiated",
                    false => "integer result does not fit in 64 bits, after effects that cannot be undone",
                };
                (vm.new_overflow_error(why), loc)
            }
            Trap::Memory => (vm.new_exception_empty(vm.ctx.exceptions.memory_error.to_owned()), loc),
            Trap::Depth => (vm.new_recursion_error("maximum recursion depth exceeded".to_owned()), loc),
            Trap::Interrupted | Trap::HostFailed => (from_callback(), loc),
        },
    };
    if exception.__context__().is_none() {
        raise_context(&exception, vm);
    }
    let locs = &captured.module.locs;
    add_loc(&exception, loc, locs, &captured.sites, vm);
    for &call in unwound {
        add_loc(&exception, Some(call), locs, &captured.sites, vm);
    }
    Err(exception)
}

/// Whether the exception gets the places where it was raised from its template.
fn has_trail(template: &Template) -> bool {
    match template {
        Template::Exception(exception) => !exception.raised_at.is_empty(),
        Template::Shared { make: Some(make), .. } => has_trail(make),
        _ => false,
    }
}

/// An operation that should have raised gave a value that staged code has no type for.
fn unexpected(
    value: &PyObjectRef,
    specialisation: &Specialisation,
    loc: Option<Loc>,
    vm: &VirtualMachine,
) -> PyBaseExceptionRef {
    let message =
        format!("an operation gives a `{}` here, which staged code cannot compute with yet", value.class().name());
    let mut refusal = Refusal::new("S410", message).help("compute this part outside staged code");
    refusal.places = specialisation.places(loc);
    staging_error::raise(&refusal, vm)
}

/// # Safety
/// `cx` is the context that [`run`] made, and the call has not ended.
unsafe fn host_of<'a>(cx: *mut Context) -> &'a mut Host<'a> {
    // SAFETY: `run` put it there and waits for the call to end; compiled code makes one callback at a time.
    unsafe { &mut *(*cx).data.cast::<Host<'_>>() }
}

unsafe extern "C" fn on_poll(cx: *mut Context) -> u32 {
    // SAFETY: compiled code gives what it was given, and the flag is the one of `run`.
    let host = unsafe {
        Running::lower((*cx).poll);
        host_of(cx)
    };
    match limits::check_all(host.vm) {
        Ok(()) => 0,
        Err(exception) => {
            host.raised = Some(exception);
            1
        }
    }
}

unsafe extern "C" fn on_host(cx: *mut Context, number: u32, args: *const u64, results: *mut u64) -> u32 {
    // SAFETY: compiled code gives what it was given.
    let host = unsafe { host_of(cx) };
    let specialisation = host.specialisation;
    let kind = &specialisation.captured.hosts[number as usize];
    if matches!(kind, HostKind::Tick) {
        let left = limits::tick();
        host.ticks += u64::from(left);
        // SAFETY: there is room for one slot.
        unsafe { results.write(u64::from(left)) };
        return 0;
    }
    let count = specialisation.host_slots[number as usize];
    // SAFETY: compiled code passes the slots of the declared parameters.
    let slots = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(args, count) } };
    if matches!(kind, HostKind::Note(_)) {
        host.noted.number = Some(number);
        host.noted.slots.clear();
        host.noted.slots.extend_from_slice(slots);
        host.noted.ticks = host.ticks;
        return 0;
    }
    let filling = Filling::new(host.vm, slots, host.locals, host.arrays, host.table);
    host.acted |= kind.has_effects();
    match call_host(kind, &filling) {
        Ok(Some(bits)) => {
            // SAFETY: compiled code has room for the slots of the declared results, and this is one.
            unsafe { results.write(bits) };
            0
        }
        Ok(None) => 0,
        Err(HostFailure::Raised(exception)) => {
            host.raised = Some(exception);
            1
        }
        Err(HostFailure::Unfit) => {
            host.past = true;
            1
        }
    }
}

unsafe extern "C" fn unwind(cx: *mut Context, place: u32) {
    // SAFETY: compiled code gives what it was given.
    let host = unsafe { host_of(cx) };
    // Stored as in a status: the index plus one, 0 for none.
    if let Some(index) = place.checked_sub(1)
        && host.unwound.len() < MAX_UNWOUND
    {
        host.unwound.push(Loc::new(index as usize));
    }
}
