//! Leaving compiled code where it cannot go on: the call goes on as plain Python from that instruction.
//!
//! What the path knows (its frames, and what it did to objects) becomes templates, like a result. A path can
//! be left so wherever its frames are those of ordinary calls; a function of the IR that is not the main one
//! has callers of which it knows nothing, so there a refusal goes on to its caller.
//!
//! Where a path cannot be left (in a generator, in a handler) the capture starts again, and leaves at the
//! instruction that waits for the generator, at the call that contains the handler, or, when nothing else
//! helps, at the first instruction of all.

use std::sync::{Arc, OnceLock};

use rustpython_vm::builtins::{PyBaseException, PyInt};
use rustpython_vm::bytecode::CodeFlags;
use rustpython_vm::{AsObject, PyObjectRef};

use crate::capture::assumptions::Assumption;
use crate::capture::element::value_of;
use crate::capture::explore::Abort;
use crate::capture::session::Session;
use crate::capture::state::{Frame, State, Then};
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::template::{Leaves, Running};
use crate::capture::value::V;
use crate::code::{Code, Opcode, Pc, is_helper};
use crate::exit::{ExitKind, FrameTemplate, Template};
use crate::host::resume::{Entry, Generator, Wait, Way};
use crate::kind;
use crate::refusal::Refusal;
use crate::tensor;

/// Whether a frame is a call that plain Python can go on with.
fn is_ordinary(frame: &Frame) -> bool {
    let code = &frame.code.object.code;
    matches!(frame.then, Then::Push | Then::Push1(_))
        && !code.flags.intersects(CodeFlags::GENERATOR | CodeFlags::COROUTINE | CodeFlags::ASYNC_GENERATOR)
        && !is_helper(&frame.code.object)
}

/// Whether a frame is one that plain Python can go on with where it can be made to run in the middle of what its caller
/// does: a call of a builtin that is a loop, the computation of an item by a generator.
fn is_followable(frame: &Frame) -> bool {
    let flags = frame.code.object.code.flags;
    let is_generator = flags.contains(CodeFlags::GENERATOR);
    !flags.intersects(CodeFlags::COROUTINE | CodeFlags::ASYNC_GENERATOR)
        && match frame.then {
            Then::Push | Then::Push1(_) | Then::Drop | Then::Item => !is_generator,
            Then::Next(_) | Then::Drain(_) => is_generator && frame.then.asked_generator().is_some(),
            Then::Reset => false,
        }
}

/// Whether a handler of this code sees exceptions that come out of an iterator.
fn catches_from_iterators(code: &Code) -> bool {
    // What ends a generator, or gives the variables of a comprehension back, does not look at the exception.
    let looks = |target: Pc| code.instrs[target as usize].op == Opcode::PushExcInfo;
    let loops = (0..).zip(&code.instrs).filter(|(_, instr)| matches!(instr.op, Opcode::ForIter | Opcode::Send));
    loops.filter_map(|(pc, _)| code.handler(pc)).any(|handler| looks(handler.target))
}

/// The instruction that a handler will say raised, if that is what is at this position of the stack.
fn lasti_at(frame: &Frame, position: usize) -> Option<Pc> {
    let Some(V::Obj(lasti)) = frame.stack.get(position).filter(|_| frame.handlers.lasti.contains(&position)) else {
        return None;
    };
    Pc::try_from(lasti.downcast_ref::<PyInt>()?.as_bigint()).ok()
}

/// A handler has moved what it put on the stack: only for an instruction or two, none of which is refused.
fn odd_stack() -> Stop {
    refuse("S999", "this is a bug in snekpy: a handler in the middle of something").into()
}

impl Session<'_> {
    /// Ends a path with an exit from which the call goes on as plain Python, at the instruction that the
    /// path is at. Whether that can be done; if not, nothing has changed.
    pub(crate) fn resume_plainly(&mut self, state: &State, reason: &Refusal) -> bool {
        self.may_resume(state) && self.leave_plainly(state, reason)
    }

    /// The same where leaving is the exception, because a crossing goes on otherwise.
    pub(crate) fn leave_plainly(&mut self, state: &State, reason: &Refusal) -> bool {
        if self.calls.all_plain || reason.code == "S999" {
            return false;
        }
        let Some((resume, leaves)) = self.plainly(state, None, reason) else { return false };
        let exit = self.exit(format!("resume_{}", reason.code), leaves.types, ExitKind::Resume(Arc::new(resume)));
        let loc = self.loc(state);
        let mut builder = self.builder(state.block);
        builder.at(loc);
        builder.exit(exit, leaves.values);
        true
    }

    /// A path cannot go on, and cannot be left here: it is left earlier, if there is a place for that.
    pub(crate) fn refuse_at(&self, state: &State, refusal: Box<Refusal>) -> Abort {
        if !self.may_leave() || self.calls.all_plain || refusal.code == "S999" {
            return Abort::Refuse(refusal);
        }
        let mut refusal = refusal;
        if refusal.places.is_empty() {
            refusal.places = self.places(state);
        }
        // The instruction that waits for a frame that cannot be left, or for the call that this is.
        let ordinary = state.frames.iter().take_while(|frame| is_ordinary(frame)).count();
        let depth = if ordinary == state.frames.len() { ordinary.saturating_sub(1) } else { ordinary };
        let mut place = state.place();
        place.0.truncate(depth);
        if depth == 0 {
            // There is nothing before the first instruction.
            match &self.learnt.entry {
                Some(entry) if !self.learnt.leaves.contains_key(entry) => place = entry.clone(),
                Some(_) | None => return Abort::Refuse(refusal),
            }
        }
        Abort::Learn(Assumption::Leave(place, refusal))
    }

    pub(crate) fn may_leave(&self) -> bool {
        !self.rules.strict && self.is_leavable()
    }

    /// Whether the VM may carry out instructions here, and objects be handed on.
    pub(crate) fn may_hand_on(&self) -> bool {
        self.rules.crosses && self.is_leavable()
    }

    fn is_leavable(&self) -> bool {
        self.calls.building == 0 && self.calls.voluntary == 0
    }

    pub(crate) fn may_resume(&self, state: &State) -> bool {
        self.may_leave() && self.has_plain_frames(state)
    }

    /// Whether plain Python could go on at the path's instruction.
    pub(crate) fn has_plain_frames(&self, state: &State) -> bool {
        state.call.is_none() && self.is_ordinary_path(state)
    }

    fn is_ordinary_path(&self, state: &State) -> bool {
        self.is_followable_path(state) && state.frames.iter().all(is_ordinary)
    }

    /// Whether plain Python can go on with all frames of a path.
    pub(crate) fn is_followable_path(&self, state: &State) -> bool {
        !state.frames.is_empty() && state.frames.iter().all(is_followable)
    }

    /// How to go on with the frames of a path, of which the innermost waits for what `last` says, if it waits.
    pub(crate) fn frame_templates(
        &mut self,
        state: &State,
        last: Option<&Then>,
        leaves: &mut Leaves,
    ) -> Step<Vec<FrameTemplate>> {
        let inner = |index: usize| state.frames.get(index + 1);
        let handled = |index: usize| match inner(index) {
            Some(inner) => inner.handled_before.as_ref(),
            None => state.handled.as_ref(),
        };
        let then = |index: usize| inner(index).map_or(last, |it| Some(&it.then));
        for (index, frame) in state.frames.iter().enumerate() {
            let Some(generator) = frame.then.asked_generator() else { continue };
            let (then, handled) = (then(index).cloned(), handled(index).cloned());
            leaves.running.insert(generator.get_id(), Running { frame: frame.clone(), then, handled });
            if is_helper(&frame.code.object) {
                leaves.running_builtins.insert(generator.get_id());
            }
        }
        let mut frames = Vec::with_capacity(state.frames.len());
        for (index, frame) in state.frames.iter().enumerate() {
            if frame.then.asked_generator().is_none() {
                frames.push(self.frame_template(frame, (then(index), handled(index)), None, leaves)?);
            }
        }
        // Each is on the stack of the instruction that asks it for items.
        debug_assert!(leaves.running.is_empty());
        Ok(frames)
    }

    /// How to go on with a frame that waits for what it has called, if it has, and handles this exception.
    pub(crate) fn frame_template(
        &mut self,
        frame: &Frame,
        (then, handled): (Option<&Then>, Option<&PyObjectRef>),
        generator: Option<Generator>,
        leaves: &mut Leaves,
    ) -> Step<FrameTemplate> {
        let (wait, made) = match then {
            // Who asks a generator for an item does so again: it is at the place where it was.
            None | Some(Then::Next(_)) => (None, None),
            Some(Then::Drain(drain)) if drain.is_for_instruction() => (None, None),
            Some(Then::Push1(object)) => (Some(Wait::Object), Some(self.template(object, leaves)?)),
            Some(Then::Drop) => (Some(Wait::Nothing), None),
            Some(Then::Item) => (Some(Wait::Item), None),
            Some(_) => (Some(Wait::Result), None),
        };
        let helps = is_helper(&frame.code.object);
        let hides = helps || !catches_from_iterators(&frame.code);
        let mut locals = Vec::new();
        let mut values = Vec::new();
        for (local, entry) in frame.locals.iter().enumerate() {
            // Where paths meet, a generator may keep what it will not read again from one of them.
            let is_dead = !frame.code.live_in(frame.pc, local);
            if is_dead && (generator.is_some() || entry.as_ref().is_some_and(|it| self.is_of_device(it))) {
                continue;
            }
            if let Some(value) = self.entry_template(entry.as_ref(), helps, hides, leaves)? {
                locals.push(local);
                values.push(value);
            }
        }
        let mut stack = Vec::new();
        let mut parts = vec![Vec::new()];
        let handling = self.handling(frame, handled)?;
        for (position, entry) in frame.stack.iter().enumerate() {
            let special = if let Some((_, exception)) = handling.iter().find(|(it, _)| *it == position) {
                // PUSH_EXC_INFO puts what was handled before there.
                parts.push(vec![self.template(exception, leaves)?]);
                Entry::Handled
            } else if let Some(lasti) = lasti_at(frame, position) {
                Entry::Lasti(lasti)
            } else if let (Some(Then::Drain(drain)), true) = (then, position + 1 == frame.stack.len())
                && drain.is_for_instruction()
                && !drain.items.is_empty()
            {
                leaves.hidden = helps;
                let items = std::iter::once(&drain.generator).chain(&drain.items).cloned().collect::<Vec<_>>();
                stack.push(Entry::Value);
                let value = Template::Made { make: Arc::new(kind::Drawn), parts: self.templates(&items, leaves)? };
                parts.last_mut().expect("there is one").push(value);
                continue;
            } else if let Some(value) = self.entry_template(Some(entry), helps, hides, leaves)? {
                stack.push(Entry::Value);
                parts.last_mut().expect("there is one").push(value);
                continue;
            } else {
                Entry::Null
            };
            stack.push(special);
            parts.push(Vec::new());
        }
        values.append(&mut parts[0]);
        parts[0] = values;
        let closure = self.templates(&frame.closure, leaves)?;
        let dead = if generator.is_none() { self.dead_variables(frame, leaves)? } else { Vec::new() };
        let way = Way { pc: frame.pc, wait, locals, stack, generator };
        debug_assert_eq!(way.parts(), parts.iter().map(Vec::len).collect::<Vec<_>>());
        Ok(FrameTemplate {
            code: frame.code.clone(),
            globals: frame.globals.clone(),
            builtins: frame.builtins.clone(),
            closure,
            way,
            values: parts,
            dead,
            made,
            landing: OnceLock::new(),
            landing_once: OnceLock::new(),
            landing_raising: OnceLock::new(),
        })
    }

    /// The exceptions that a frame is handling, the innermost last, each with the position on the stack of the
    /// one that was handled before.
    fn handling(&self, frame: &Frame, handled: Option<&PyObjectRef>) -> Step<Vec<(usize, PyObjectRef)>> {
        let positions = &frame.handlers.before;
        let at = |index: usize| match frame.stack.get(positions[index]) {
            Some(V::Obj(object)) => Some(object),
            Some(V::Null | V::Iter(_)) | None => None,
        };
        let mut handling = Vec::new();
        for (index, &position) in positions.iter().enumerate() {
            let exception = if index + 1 < positions.len() { at(index + 1) } else { handled };
            let exception = exception.filter(|it| it.downcast_ref::<PyBaseException>().is_some());
            handling.push((position, exception.cloned().ok_or_else(odd_stack)?));
        }
        let outer = if positions.is_empty() { handled } else { at(0).filter(|it| !self.vm.is_none(it)) };
        let same = match (outer, &frame.handled_before) {
            (Some(outer), Some(before)) => outer.is(before),
            (None, None) => true,
            _ => false,
        };
        if same { Ok(handling) } else { Err(odd_stack()) }
    }

    /// Whether a variable holds an array of a device, which is computed only if somebody needs it: where it is dead, nobody does.
    fn is_of_device(&self, entry: &V) -> bool {
        let V::Obj(object) = entry else { return false };
        let staged = tensor::of(object).and_then(|it| it.staged());
        staged.is_some_and(|it| self.func.ty(value_of(it)).is_there())
    }

    /// A variable or an entry of the stack. `helps` and `hides` tell whether the program does not see what kind of
    /// iterator an object is, or one that a loop goes over.
    fn entry_template(
        &mut self,
        entry: Option<&V>,
        helps: bool,
        hides: bool,
        leaves: &mut Leaves,
    ) -> Step<Option<Template>> {
        match entry {
            None | Some(V::Null) => Ok(None),
            Some(V::Obj(object)) => {
                leaves.hidden = helps;
                self.template(object, leaves).map(Some)
            }
            Some(V::Iter(iter)) => {
                leaves.hidden = hides;
                self.template_of_iter(iter, leaves).map(Some)
            }
        }
    }
}
