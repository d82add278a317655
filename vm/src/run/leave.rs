//! A call that did not return: which frames plain Python goes on with.
//!
//! The values of the innermost frame state are in the payload. Those of the calls around it were noted as they were
//! left. An exit of inlined calls is made of several states, one after the other.

use std::any::Any;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::backend::{Outcome, Status, Trap, slots};
use snekpy_stage::entity::{Entity, ExitId, Loc};

use super::Ran;
use crate::event::Event;
use crate::exit::{Ending, ExitKind, Filling, Landed, MadeOfAddresses, Resume, State, apply_all, land};
use crate::flatten::Inputs;
use crate::limits;
use crate::object::Objects;
use crate::raising::{add_loc, is_handled, sites_of};
use crate::specialisation::{Back, Pace, Reentries, Reentry, Specialisation, Stepping};
use crate::staging_error::bug;

/// The calls that were left other than by returning, innermost first.
#[derive(Default)]
pub(super) struct Unwound {
    calls: Vec<Status>,
    /// What was in the payload when each was left: the values of what was left before it.
    payloads: Vec<Box<[u64]>>,
}

impl Unwound {
    /// What was in the payload when the innermost call was left.
    pub(super) fn innermost(&self) -> Option<&[u64]> {
        self.payloads.first().map(|it| &**it)
    }

    /// The places of the calls, innermost first.
    pub(super) fn places(&self) -> impl Iterator<Item = Option<Loc>> {
        self.calls.iter().map(|call| call.place())
    }

    pub(super) fn push(&mut self, call: Status, payload: &[u64]) {
        self.calls.push(call);
        self.payloads.push(payload.into());
    }
}

/// How a call ended.
pub(super) struct Left<'a> {
    pub(super) status: Status,
    pub(super) payload: &'a [u64],
    pub(super) unwound: Unwound,
    /// How the call of the host ended in which it was left, if it was.
    pub(super) ending: Ending,
    /// Whether better code can be made of the instruction where it left.
    pub(super) has_learnt: bool,
    /// The last of [`HostKind::Note`](crate::exit::HostKind::Note), and its operands.
    pub(super) noted: Option<(u32, Vec<u64>)>,
    /// The objects that compiled code has handles of.
    pub(super) objects: &'a Objects,
}

/// How a call goes on that has left.
pub(super) enum Next {
    /// As plain Python, to its end.
    Plain(Landed),
    /// Behind an instruction that plain Python executes.
    Step(Stepping),
    /// In better code.
    Back(Back),
    /// Where it has left, once signals and limits have been looked at.
    Look(Back),
}

/// What a call that did not return means.
#[cold]
pub(super) fn leave(
    left: Left<'_>,
    specialisation: &Specialisation,
    locals: &[Option<PyObjectRef>],
    inputs: &Inputs,
    pace: &mut Pace,
    vm: &VirtualMachine,
) -> PyResult<Ran> {
    let Left { status, payload, unwound, ending, has_learnt, objects, noted: _ } = left;
    let made = MadeOfAddresses::default();
    let filling = |slots| {
        let filling = Filling::new(vm, slots, locals, &inputs.arrays, inputs.table.as_deref());
        let filling = filling.seeing(inputs).with(objects).by(&specialisation.captured.places);
        filling.sharing(&made)
    };
    let (exit, trap) = match status.outcome() {
        Outcome::Exit(exit, _) => (exit, None),
        Outcome::Trap(trap, Some(exit), _) => (exit, Some(trap)),
        Outcome::Returned | Outcome::Trap(_, None, _) => {
            return Err(bug(vm, &format!("compiled code ended with {:?}", status.outcome())));
        }
    };
    if let Some(ExitKind::Return { result, effects }) = specialisation.captured.exits.get(exit.index()) {
        let filling = filling(payload);
        let result = filling.make(result)?;
        filling.apply(effects)?;
        return Ok(Ran::Done(result));
    }
    let mut states: Vec<State<'_>> = Vec::new();
    let innermost = unwound.payloads.first().map_or(payload, |it| it);
    let outer = unwound.payloads.iter().skip(1).map(|it| &**it).chain([payload]);
    let calls = unwound.calls.iter().zip(outer);
    let exits = calls.map(|(call, values)| match call.outcome() {
        Outcome::Exit(exit, _) => Some((exit, values)),
        Outcome::Returned | Outcome::Trap(..) => None,
    });
    for exit in std::iter::once(Some((exit, innermost))).chain(exits) {
        let (exit, values) = exit.ok_or_else(|| bug(vm, "a call was left that nobody waits for"))?;
        for (resume, values) in parts(specialisation, exit, values, vm)? {
            states.push(State { filling: filling(values), resume });
        }
    }
    if let Some(ExitKind::Restart(_)) = specialisation.captured.exits.get(exit.index()) {
        // The callers begin anew, too.
        states.truncate(1);
    }
    states.reverse();
    match trap {
        None if has_learnt && let Some(on) = go_on_better(&states, specialisation, pace)? => Ok(on),
        None => go_on_there(&states, specialisation, pace),
        Some(Trap::HostFailed)
            if has_learnt
                && let Ending::Give(given) = &ending
                && let Some(on) = go_on_behind(&states, given, specialisation, pace)? =>
        {
            Ok(on)
        }
        Some(Trap::Interrupted) => look_up(&states, specialisation),
        Some(Trap::HostFailed) if states[states.len() - 1].resume.waits => land_at(&states, ending),
        Some(Trap::Memory) if limits::lists().is_some() && !states[states.len() - 1].resume.is_inside => {
            let exception = vm.new_exception_empty(vm.ctx.exceptions.memory_error.to_owned());
            let captured = &specialisation.captured;
            let places = || std::iter::once(status.place()).chain(unwound.places());
            let mut sites = places().flat_map(|loc| sites_of(loc, &captured.module.locs, &captured.sites));
            if sites.any(is_handled) {
                return land_at(&states, Ending::Raise(exception));
            }
            // Nobody will look at the variables: frames for them might not find the memory.
            apply_all(&states)?;
            states.iter().try_for_each(|state| state.filling.begin())?;
            for loc in places() {
                add_loc(&exception, loc, &captured.module.locs, &captured.sites, vm);
            }
            Err(exception)
        }
        // Plain Python executes it again.
        Some(Trap::HostFailed | Trap::Memory | Trap::Overflow | Trap::Depth | Trap::Required) => {
            watch(specialisation, Event::Left { reason: &states[states.len() - 1].resume.reason });
            land_at(&states, Ending::Again)
        }
    }
}

/// The frame states that an exit is made of, innermost first, each with its values.
fn parts<'s, 'v>(
    specialisation: &'s Specialisation,
    exit: ExitId,
    mut values: &'v [u64],
    vm: &VirtualMachine,
) -> PyResult<Vec<(&'s Arc<Resume>, &'v [u64])>> {
    let captured = &specialisation.captured;
    let data = &captured.module.exits[exit];
    let whole = [exit];
    let parts = if data.parts.is_empty() { &whole[..] } else { &data.parts[..] };
    let mut states = Vec::with_capacity(parts.len());
    for part in parts {
        let (ExitKind::Resume(resume) | ExitKind::Checkpoint(resume) | ExitKind::Restart(resume)) =
            &captured.exits[part.index()]
        else {
            return Err(bug(vm, "an exit that plain Python cannot go on from"));
        };
        let count = captured.module.exits[*part].types.iter().map(|&ty| slots(ty)).sum();
        let (own, others) = values.split_at(count);
        values = others;
        states.push((resume, own));
    }
    Ok(states)
}

fn watch(specialisation: &Specialisation, event: Event<'_>) {
    tracing::debug!(of = %event);
    specialisation.config.watcher.iter().for_each(|watcher| watcher(event));
}

/// Where compiled code may go on: `find` says where that is for the frames that have left. Where ticks are counted, all
/// is plain.
fn reentry_for<'a, 'v>(
    states: &'a [State<'v>],
    specialisation: &Specialisation,
    find: impl FnOnce(&Reentries, &Resume) -> Option<Arc<Reentry>>,
) -> Option<(&'a State<'v>, Arc<Reentry>)> {
    let [only] = states else { return None };
    if only.resume.is_inside || limits::counts_ticks() {
        return None;
    }
    let reentry = find(&*specialisation.reentries.upgrade()?, only.resume)?;
    reentry.is_open().then_some((only, reentry))
}

/// Where compiled code may go on at the very instruction where it left.
fn reentry_at<'a, 'v>(
    states: &'a [State<'v>],
    specialisation: &Specialisation,
) -> Option<(&'a State<'v>, Arc<Reentry>)> {
    reentry_for(states, specialisation, |home, resume| home.at(resume, specialisation))
}

fn land_at(states: &[State<'_>], ending: Ending) -> PyResult<Ran> {
    Ok(Ran::Left(Next::Plain(land(states, ending)?)))
}

/// A poll was told to stop. With what the call has done in place, handlers run and limits are looked at; then the call
/// goes on in compiled code, if it can.
fn look_up(states: &[State<'_>], specialisation: &Specialisation) -> PyResult<Ran> {
    match reentry_at(states, specialisation) {
        Some((only, reentry)) => Ok(Ran::Left(Next::Look(only.filling.back(only.resume, reentry)?))),
        None => land_at(states, Ending::Look),
    }
}

/// Goes on behind the call of the host in which it left in better code, if it can, with what that has given.
fn go_on_behind(
    states: &[State<'_>],
    given: &PyObjectRef,
    specialisation: &Specialisation,
    pace: &mut Pace,
) -> PyResult<Option<Ran>> {
    let find = |home: &Reentries, resume: &Resume| home.behind(resume, specialisation);
    let Some((only, reentry)) = reentry_for(states, specialisation, find) else { return Ok(None) };
    if !pace.learns() {
        return Ok(None);
    }
    let mut back = only.filling.back(only.resume, reentry)?;
    if back.reentry.pushes {
        back.held.push(given.clone(), true);
    }
    Ok(Some(Ran::Left(Next::Back(back))))
}

/// Goes on at the instruction where it left in better code, if it can.
fn go_on_better(states: &[State<'_>], specialisation: &Specialisation, pace: &mut Pace) -> PyResult<Option<Ran>> {
    let Some((only, reentry)) = reentry_at(states, specialisation) else { return Ok(None) };
    if !pace.learns() {
        return Ok(None);
    }
    Ok(Some(Ran::Left(Next::Back(only.filling.back(only.resume, reentry)?))))
}

/// Goes on as plain Python where compiled code cannot go on: for one instruction, or to the end.
fn go_on_there(states: &[State<'_>], specialisation: &Specialisation, pace: &mut Pace) -> PyResult<Ran> {
    let last = &states[states.len() - 1];
    let resume = last.resume;
    let is_known = |exit: &ExitKind| matches!(exit, ExitKind::Resume(it) if Arc::ptr_eq(it, resume));
    if states.len() > 1 || !specialisation.captured.exits.iter().any(is_known) {
        watch(specialisation, Event::Left { reason: &resume.reason });
        return land_at(states, Ending::Again);
    }
    let reentry = || {
        let home = specialisation.reentries.upgrade()?;
        let made = home.of(resume, specialisation)?;
        let made: Weak<dyn Any + Send + Sync> = Arc::downgrade(&made) as _;
        Some(made)
    };
    let reentry = resume.reentry.get_or_init(reentry).as_ref().and_then(Weak::upgrade);
    let reentry = reentry.and_then(|it| it.downcast::<Reentry>().ok());
    // Where ticks are counted, all that follows is plain.
    match reentry.filter(|it| it.is_open() && pace.pays() && !limits::counts_ticks()) {
        Some(reentry) => {
            if resume.count.load(Ordering::Relaxed) == 0 {
                watch(specialisation, Event::Stepped { reason: &resume.reason });
            }
            Ok(Ran::Left(Next::Step(last.filling.step(resume, reentry)?)))
        }
        None => {
            watch(specialisation, Event::Left { reason: &resume.reason });
            land_at(states, Ending::Again)
        }
    }
}
