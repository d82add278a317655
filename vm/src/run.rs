//! A call of compiled code: from slots to a Python result or exception.

mod derived;
mod leave;

use std::cell::{Cell, OnceCell};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use rustpython_vm::vm::thread::suspend_if_needed;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
use smallvec::{SmallVec, smallvec};
use snekpy_stage::backend::{Context, NO_OBJECT, Status};
use snekpy_stage::entity::{Entity, HostId};
use snekpy_stage::list::{self, Lists};
use snekpy_stage::map::Maps;
use snekpy_stage::tensor::TensorOp;

use crate::captured::Failure;
use crate::clock;
use crate::crossing::{Fit, Site};
use crate::exit::{Crossing, Ending, Filling, HostFailure, HostKind, Template, call_host};
use crate::flatten::Inputs;
use crate::governor;
use crate::limits;
use crate::object::rows::ROWED;
use crate::object::{self, Identities, Known, Objects};
use crate::record::Table;
use crate::scalar::number_of;
use crate::specialisation::{Held, Pace, Reentry, Specialisation, Stepped};
use crate::staging_error::bug;
use crate::threads;

use crate::interrupt::poll::{self, Running};
use crate::interrupt::signals;
use crate::specialisation::replay::{self, Noting};
use leave::{Left, Next, Unwound, leave};
use snekpy_stage::tensor::device::Ahead;

/// What a call in compiled code takes of the stack at most, for all that is known.
const BYTES_PER_CALL: usize = 2048;
/// Looking at what others may have changed takes at most this part of the time.
const LOOKS_PER_LOOK: u32 = 10;
/// Left to whatever compiled code calls.
const STACK_RESERVE: usize = 256 << 10;

/// What lists may hold, in bytes, before a call leaves and comes back without those that nobody can reach any more.
const LISTS: u64 = 256 << 20;
/// The same, where a call begins with many: so many times what they hold.
const LISTS_GROW: u64 = 3;

thread_local! {
    /// How many signals had come when this thread last looked for their handlers.
    static DELIVERED: Cell<u32> = const { Cell::new(0) };
}

/// What the callbacks of compiled code need.
struct Host<'a> {
    vm: &'a VirtualMachine,
    specialisation: &'a Specialisation,
    locals: &'a [Option<PyObjectRef>],
    arrays: &'a [(u64, PyObjectRef)],
    table: Option<&'a Table>,
    inputs: &'a Inputs,
    /// When others are to be looked at again: looking takes time.
    look: Option<Instant>,
    /// The objects that compiled code has handles of.
    objects: &'a Objects,
    /// The objects among the arguments that compiled code has taken apart, once that was asked.
    known: OnceCell<Identities>,
    /// How many signals had come when the call began.
    signals: u32,
    /// When lists have more bytes, the call leaves, and comes back with those that are still in use.
    most_held: u64,
    /// How a call of the host has ended that gave compiled code nothing.
    ending: Ending,
    /// Whether the latest crossing has said that better code can be made, and was not carried out.
    has_learnt: bool,
    /// The calls that were left other than by returning.
    unwound: Unwound,
    /// What a differentiated call has done by now.
    noted: Option<(u32, Vec<u64>)>,
    /// The run of operations that is noted.
    noting: Option<Noting>,
    /// Those that are begun before compiled code comes to them.
    ahead: Ahead,
}

/// How far compiled code has got.
enum Ran {
    /// The call has ended.
    Done(PyObjectRef),
    /// It has left, and goes on so once nothing holds what compiled code had.
    Left(Next),
    /// It has not begun: its inputs are no longer right.
    Stale,
}

/// Calls the code of a specialisation with inputs that fit its key. `None` if something has changed that they depend on:
/// then nothing has been done. What is bound to the parameters is let go of where the call goes on without that code.
pub(crate) fn run(
    specialisation: Arc<Specialisation>,
    locals: &mut Vec<Option<PyObjectRef>>,
    inputs: &mut Inputs,
    vm: &VirtualMachine,
) -> PyResult<Option<PyObjectRef>> {
    let mut pace = Pace::new(specialisation.config.is_paced);
    match run_once(&specialisation, locals, inputs, &mut pace, vm)? {
        Ran::Done(result) => Ok(Some(result)),
        Ran::Left(next) => {
            locals.clear();
            inputs.clear();
            drop(specialisation);
            go_on(next, pace, vm).map(Some)
        }
        Ran::Stale => {
            inputs.release();
            Ok(None)
        }
    }
}

/// Goes on where compiled code has left: as plain Python, or in compiled code, as often as that pays.
#[cold]
fn go_on(mut next: Next, mut pace: Pace, vm: &VirtualMachine) -> PyResult {
    loop {
        if !matches!(next, Next::Plain(_)) {
            pace.pause();
        }
        let (reentry, held) = match next {
            Next::Plain(landed) => return landed.go_on(vm),
            Next::Step(stepping) => match stepping.run(vm)? {
                Stepped::Back(reentry, held) => (reentry, held),
                Stepped::Returned(result) => return Ok(result),
            },
            Next::Back(back) => back.begin(vm)?,
            Next::Look(back) => match limits::check_all(vm) {
                Ok(()) => back.begin(vm)?,
                Err(exception) => return back.raise(exception, vm),
            },
        };
        next = match come_back(&reentry, held, &mut pace, vm)? {
            Ok(result) => return Ok(result),
            Err(next) => next,
        };
    }
}

/// Goes on in compiled code: the result, or where that has left.
fn come_back(
    reentry: &Reentry,
    held: Held,
    pace: &mut Pace,
    vm: &VirtualMachine,
) -> PyResult<Result<PyObjectRef, Next>> {
    loop {
        pace.turn();
        let mut inputs = Inputs::default();
        let (specialisation, made) = match reentry.find(&held, &mut inputs, vm) {
            Ok(found) => found,
            Err(Failure::Raised(exception)) => return Err(exception),
            Err(_) => {
                drop(inputs);
                return reentry.run_plainly(held, vm).map(Ok);
            }
        };
        if made {
            pace.forget();
        }
        let ran = run_once(&specialisation, &held.locals(), &mut inputs, pace, vm);
        pace.note(reentry);
        match ran? {
            Ran::Done(result) => return Ok(Ok(result)),
            Ran::Left(next) => return Ok(Err(next)),
            Ran::Stale => {}
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
    let code = specialisation.code();
    let mut results: SmallVec<[u64; 8]> = smallvec![0; specialisation.result_slots];
    let mut payload: SmallVec<[u64; 16]> = smallvec![0; specialisation.payload_slots];
    let budget = limits::lists();
    if budget.as_ref().is_some_and(|budget| !inputs.charge(budget)) {
        return Err(vm.new_exception_empty(vm.ctx.exceptions.memory_error.to_owned()));
    }
    let running = poll::enter(!inputs.shared, vm.state.interpreter_id)
        .ok_or_else(|| bug(vm, "a staged function is called by a thread that has ended"))?;
    // What has come before the call is delivered before it. A handler may run here of a signal that had come when the inputs
    // were read.
    let signals = signals::count();
    let were_delivered = DELIVERED.replace(signals) == signals;
    vm.check_signals()?;
    let is_settled = were_delivered && signals::count() == inputs.signals;
    if !is_settled && !specialisation.is_as_in(locals, inputs, vm)?
        || inputs.shared == threads::is_alone(&specialisation.config, vm)
    {
        return Ok(Ran::Stale);
    }
    let objects = Objects::of(&inputs.objects, specialisation.nests, specialisation.keeps);
    let mut host = Host {
        vm,
        objects: &objects,
        known: OnceCell::new(),
        specialisation,
        locals,
        arrays: &inputs.arrays,
        table: inputs.table.as_deref(),
        inputs,
        look: None,
        signals,
        most_held: LISTS.max(LISTS_GROW * list::held()),
        ending: Ending::Again,
        has_learnt: false,
        unwound: Unwound::default(),
        noted: None,
        noting: None,
        ahead: Ahead::default(),
    };
    let (owners, counted) = objects.counts();
    let (tensors, nests) = objects.nests();
    let mut cx = Context {
        poll: running.flag(),
        depth: depth(vm),
        payload: payload.as_mut_ptr(),
        on_poll,
        host: on_host,
        unwind,
        count,
        owners,
        counted,
        rows: objects.rows(),
        rowed: ROWED as u64,
        tensors,
        nests,
        blank,
        dense,
        sizes: inputs.sizes.now(),
        text,
        data: (&raw mut host).cast::<c_void>(),
        ..Context::detached(&mut [])
    };
    if let Some(budget) = budget {
        cx.maps = Maps::within(Arc::clone(&budget));
        cx.lists = Lists::within(budget);
    }
    let main = specialisation.captured.module.main();
    let span = tracing::debug_span!("run", of = %specialisation.captured.module.funcs[main].name).entered();
    let (given, made) = (inputs.slots.as_ptr(), results.as_mut_ptr());
    let slots = replay::Slots { inputs, objects: &objects, results: made, payload: payload.as_mut_ptr() };
    // SAFETY: the inputs have the slots of the key's types, which are the parameters of the main function;
    // both buffers have the sizes that the module asks for; the inputs hold the arrays where they are.
    let run = || unsafe { specialisation.code.run(&**code, &mut cx, given, made) };
    let status = pace.run(|| replay::run(specialisation, &slots, vm, run));
    drop(span);
    objects.settle(vm);
    let Host { ending, has_learnt, unwound, noted, noting, .. } = host;
    // What comes next is no part of a run that was left.
    drop(noting);
    if status.0 as u32 == Status::RETURNED {
        let captured = &specialisation.captured;
        if let (Template::Leaf { slot, ty }, []) = (&captured.result, &captured.effects[..])
            && ty.is_scalar()
        {
            return Ok(Ran::Done(number_of(results[*slot], *ty, vm)));
        }
        let filling = Filling::new(vm, &results, locals, &inputs.arrays, inputs.table.as_deref());
        let filling = filling.seeing(inputs).with(&objects);
        let result = filling.make(&captured.result)?;
        filling.apply(&captured.effects)?;
        return Ok(Ran::Done(result));
    }
    governor::incident();
    // What follows may run any code, which may resize the arrays.
    inputs.release();
    let left = Left { status, payload: &payload, unwound, ending, has_learnt, noted, objects: &objects };
    match specialisation.is_derived {
        true => derived::leave(left, specialisation, locals, inputs, vm),
        false => leave(left, specialisation, locals, inputs, pace, vm),
    }
}

/// How many calls compiled code may nest: what Python's limit leaves, and what the stack leaves.
fn depth(vm: &VirtualMachine) -> i64 {
    let by_limit = vm.recursion_limit.get().saturating_sub(vm.current_recursion_depth() + 1);
    let by_stack =
        stacker::remaining_stack().map_or(usize::MAX, |left| left.saturating_sub(STACK_RESERVE) / BYTES_PER_CALL);
    i64::try_from(by_limit.min(by_stack)).unwrap_or(i64::MAX)
}

/// # Safety
/// `cx` is the context that [`run`] made, and the call has not ended.
unsafe fn host_of<'a>(cx: *mut Context) -> &'a mut Host<'a> {
    // SAFETY: `run` put it there and waits for the call to end; compiled code makes one callback at a time.
    unsafe { &mut *(*cx).data.cast::<Host<'_>>() }
}

/// Whether the call has to look up: a signal has come, a limit is reached, or what the code relies on has changed. It
/// runs no Python: what there is to do is done when the call has left.
unsafe extern "C" fn on_poll(cx: *mut Context) -> u32 {
    // SAFETY: compiled code gives what it was given, and the flag is the one of `run`.
    let host = unsafe {
        Running::polled((*cx).poll);
        host_of(cx)
    };
    if host.specialisation.is_derived {
        // There is no plain Python to do it in: handlers run here, and what they raise ends the call.
        return match limits::check_all(host.vm) {
            Ok(()) => 0,
            Err(exception) => {
                host.ending = Ending::Raise(exception);
                1
            }
        };
    }
    suspend_if_needed(&host.vm.state);
    let is_heavy = list::held() > host.most_held;
    u32::from(signals::count() != host.signals || limits::is_over() || is_heavy || !host.goes_on(true))
}

impl Host<'_> {
    /// Notes whether a crossing has learnt what better code can be made of.
    fn has_learnt(&mut self, has: bool) {
        self.has_learnt = has;
        if has {
            self.specialisation.is_outdated.store(true, Ordering::Relaxed);
        }
    }

    /// Keeps what says what the call has done by now.
    fn note(&mut self, number: u32, slots: &[u64]) {
        let (objects, vm) = (self.objects, self.vm);
        let counted = |number: u32, slots: &[u64], more: bool| {
            let mut at = 0;
            for &ty in &self.specialisation.captured.module.hosts[HostId::new(number as usize)].params {
                if ty.is_handle() {
                    objects.count(slots[at], more, vm);
                }
                at += snekpy_stage::backend::slots(ty);
            }
        };
        counted(number, slots, true);
        if let Some((number, slots)) = &self.noted {
            counted(*number, slots, false);
        }
        let (is, kept) = self.noted.get_or_insert_default();
        *is = number;
        kept.clear();
        kept.extend_from_slice(slots);
    }

    /// Whether what the code relies on is still so. At polls, long containers are looked at more seldom.
    fn goes_on(&mut self, is_poll: bool) -> bool {
        let Self { specialisation, inputs, vm, .. } = *self;
        if inputs.shared == threads::is_alone(&specialisation.config, vm) {
            return false;
        }
        if !inputs.shared {
            return specialisation.still_holds(inputs, vm);
        }
        let began = Instant::now();
        if is_poll && self.look.is_some_and(|look| began < look) {
            return specialisation.still_holds(inputs, vm);
        }
        let is = specialisation.is_as_in(self.locals, inputs, vm).unwrap_or(false);
        self.look = Some(Instant::now() + began.elapsed() * LOOKS_PER_LOOK);
        is
    }
}

unsafe extern "C" fn on_host(cx: *mut Context, number: u32, args: *const u64, results: *mut u64) -> u32 {
    // SAFETY: compiled code gives what it was given.
    unsafe {
        let host = host_of(cx);
        let specialisation = host.specialisation;
        let slots = match specialisation.host_slots[number as usize] {
            0 => &[],
            count => std::slice::from_raw_parts(args, count),
        };
        match &specialisation.captured.hosts[number as usize] {
            // The commonest by far: a function of its own, which needs little room.
            HostKind::Cross(crossing) => clock::away(|| {
                host.objects.share(slots);
                cross(host, crossing, number, slots, results)
            }),
            // Operations on arrays are what the code computes.
            kind @ HostKind::Tensor => carry_out(host, kind, number, slots, results),
            kind => clock::away(|| {
                host.objects.share(slots);
                carry_out(host, kind, number, slots, results)
            }),
        }
    }
}

/// # Safety
/// There is room for the slots that the crossing gives.
unsafe fn cross(host: &mut Host<'_>, crossing: &Crossing, number: u32, slots: &[u64], results: *mut u64) -> u32 {
    let Host { specialisation, objects, vm, locals, arrays, table, inputs, .. } = *host;
    let filling = || Filling::new(vm, slots, locals, arrays, table).seeing(inputs).with(objects);
    let name = || &specialisation.captured.module.hosts[HostId::new(number as usize)].name;
    let is_traced = tracing::enabled!(tracing::Level::DEBUG);
    let _span = is_traced.then(|| tracing::debug_span!("interpreter", of = %name()).entered());
    // SAFETY: the caller says so.
    let results = unsafe { std::slice::from_raw_parts_mut(results, crossing.slots()) };
    let passed = host.known.get_or_init(|| specialisation.objects_of(locals).into());
    let known = Known { passed, fixed: &specialisation.known_objects, made: &objects.made };
    let site = Site { slots, objects, place: number, known, captured: &specialisation.captured, vm };
    host.ending = match crossing.run(site, &filling, results) {
        Ok(fit) => {
            host.has_learnt(fit == Fit::Learnt);
            return 0;
        }
        Err(failure) => {
            host.has_learnt(matches!(failure, HostFailure::Learnt(_)));
            failure.into()
        }
    };
    1
}

/// # Safety
/// There is room for the slots of the declared results.
unsafe fn carry_out(host: &mut Host<'_>, kind: &HostKind, number: u32, slots: &[u64], results: *mut u64) -> u32 {
    let Host { specialisation, objects, vm, locals, arrays, table, inputs, .. } = *host;
    let filling = || Filling::new(vm, slots, locals, arrays, table).seeing(inputs).with(objects);
    objects.forget_read();
    if let HostKind::Tensor = kind {
        let hosts = host.inputs.hosts.as_deref().unwrap_or(&specialisation.captured.module.hosts);
        let data = &hosts[HostId::new(number as usize)];
        // SAFETY: compiled code has room for the slots of the declared results.
        let results = unsafe {
            std::slice::from_raw_parts_mut(
                results,
                data.results.iter().map(|&ty| snekpy_stage::backend::slots(ty)).sum(),
            )
        };
        let said = replay::Said { data, slots, inputs, objects };
        match data.tensor {
            Some(TensorOp::Again { run, ref moving }) => {
                // SAFETY: as above.
                host.noting = unsafe {
                    replay::before_run(
                        &specialisation.replays,
                        (run, moving),
                        &said,
                        results.as_mut_ptr(),
                        &mut host.ahead,
                        vm,
                    )
                };
                objects.let_go(&mut data.takes.clone(), slots, vm);
                return 0;
            }
            Some(TensorOp::Ran(_)) => {
                if let Some(noting) = host.noting.take() {
                    replay::behind_run(&specialisation.replays, noting, &said, &host.ahead, vm);
                }
                objects.let_go(&mut data.takes.clone(), slots, vm);
                return 0;
            }
            _ => {}
        }
        return match object::on_tensors(data, slots, objects, number, results, vm) {
            Ok(()) => 0,
            Err(error) => {
                host.ending = match (error, crate::tensor::library()) {
                    // There is no plain Python that would raise it.
                    (Some(error), Some(library)) if specialisation.is_derived => {
                        Ending::Raise(library.exception(error, vm))
                    }
                    _ => Ending::Again,
                };
                1
            }
        };
    }
    if let HostKind::Known(object) = kind {
        // SAFETY: it gives one object.
        unsafe { results.write(objects.give(object.clone(), number, vm)) };
        return 0;
    }
    if let HostKind::Field = kind {
        // Of a row that there is none of nobody uses it.
        let object = usize::try_from(slots[0]).ok().and_then(|it| inputs.objects.get(it).cloned());
        // SAFETY: as above.
        unsafe { results.write(objects.give(object.unwrap_or_else(|| vm.ctx.none()), number, vm)) };
        return 0;
    }
    if let HostKind::Note { .. } = kind {
        host.note(number, slots);
        return 0;
    }
    let takes_numbers =
        |args: &[Template]| args.iter().all(|it| matches!(it, Template::Leaf { ty, .. } if ty.is_scalar()));
    if !matches!(kind, HostKind::Compute { args, .. } if takes_numbers(args)) {
        objects.settle(vm);
    }
    let called = call_host(kind, slots, filling, vm);
    if let (Ok(result), HostKind::Call { .. } | HostKind::Compute { .. }) = (&called, kind)
        && !specialisation.is_derived
        && (host.inputs.shared || !threads::is_alone(&specialisation.config, host.vm))
        && !host.goes_on(false)
    {
        // What the code knows is of the time before the call, which others may have waited for.
        host.ending = Ending::Give(match (result, kind) {
            (Some(bits), HostKind::Compute { result, .. }) => number_of(*bits, *result, vm),
            _ => host.vm.ctx.none(),
        });
        return 1;
    }
    host.ending = match called {
        Ok(Some(bits)) => {
            // SAFETY: compiled code has room for the slots of the declared results, and this is one.
            unsafe { results.write(bits) };
            return 0;
        }
        Ok(None) => {
            if specialisation.is_derived && matches!(kind, HostKind::Tick) {
                // SAFETY: where there is no plain Python, it says that there was one left.
                unsafe { results.write(1) };
            }
            return 0;
        }
        Err(failure) => failure.into(),
    };
    1
}

unsafe extern "C" fn count(cx: *mut Context, handle: u64, more: u32) {
    // SAFETY: compiled code gives what it was given.
    let host = unsafe { host_of(cx) };
    host.objects.count(handle, more != 0, host.vm);
}

unsafe extern "C" fn blank(cx: *mut Context, place: u32) -> u64 {
    // SAFETY: compiled code gives what it was given.
    let host = unsafe { host_of(cx) };
    let data = &host.specialisation.captured.module.hosts[HostId::new(place as usize)];
    host.objects.blank(data, place, host.vm).unwrap_or(NO_OBJECT)
}

unsafe extern "C" fn dense(cx: *mut Context, handle: u64) -> *const u8 {
    // SAFETY: compiled code gives what it was given.
    let host = unsafe { host_of(cx) };
    host.objects.dense(handle).unwrap_or(std::ptr::null())
}

unsafe extern "C" fn text(cx: *mut Context, handle: u64, index: i64) -> i64 {
    // SAFETY: compiled code gives what it was given.
    let host = unsafe { host_of(cx) };
    host.objects.text(handle, index)
}

unsafe extern "C" fn unwind(cx: *mut Context, call: u64) {
    // SAFETY: compiled code gives what it was given.
    let host = unsafe { host_of(cx) };
    if call == Status::FORGET {
        host.unwound = Unwound::default();
        return;
    }
    // SAFETY: the payload has so many slots.
    let payload = unsafe { std::slice::from_raw_parts((*cx).payload, host.specialisation.payload_slots) };
    host.unwound.push(Status(call), payload);
}
