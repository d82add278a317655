//! From frame states to frames that plain Python goes on with.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustc_hash::FxHashSet as HashSet;
use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};

use super::{Filling, FrameTemplate, HostFailure, Resume};
use crate::code::{Opcode, is_helper};
use crate::host;
use crate::host::resume::{Asleep, Entry, Extent, Landing, Outcome, landing_code};
use crate::interrupt::poll;
use crate::limits;

/// A frame state with its values: the frames of the main function, or of a function of the IR that it calls.
pub(crate) struct State<'a> {
    pub(crate) filling: Filling<'a>,
    pub(crate) resume: &'a Arc<Resume>,
}

/// How the innermost frame goes on.
pub(crate) enum Ending {
    /// The instruction that it is at is executed again.
    Again,
    /// This is raised there.
    Raise(PyBaseExceptionRef),
    /// What it waits for gives this.
    Give(PyObjectRef),
    /// Signals and limits are looked at first.
    Look,
}

impl From<HostFailure> for Ending {
    fn from(failure: HostFailure) -> Self {
        match failure {
            HostFailure::Raised(exception) => Self::Raise(exception),
            HostFailure::Gave(value) | HostFailure::Learnt(value) => Self::Give(value),
            HostFailure::Unfit => Self::Again,
        }
    }
}

/// A call that goes on as plain Python, to its end.
pub(crate) struct Landed {
    /// The frames, the outermost first.
    frames: Vec<Landing>,
    /// Generators among what they hold that have not begun.
    asleep: Vec<Asleep>,
    /// The state of the last one.
    innermost: Arc<Resume>,
    ending: Ending,
}

/// How a call goes on as plain Python; what the program did before is done. The outermost state comes first.
pub(crate) fn land(states: &[State<'_>], ending: Ending) -> PyResult<Landed> {
    let mut frames = Vec::new();
    for State { filling, resume } in states {
        for frame in &resume.frames {
            frames.push(filling.landing(frame, Extent::All, |_| Ok(()))?);
        }
    }
    apply_all(states)?;
    let asleep = states.iter().flat_map(|state| state.filling.asleep.take()).collect();
    Ok(Landed { frames, asleep, innermost: states[states.len() - 1].resume.clone(), ending })
}

impl Landed {
    /// Runs the frames. Nobody else holds what they hold, or the program would see it end late.
    pub(crate) fn go_on(self, vm: &VirtualMachine) -> PyResult {
        let Self { mut frames, asleep, innermost, ending } = self;
        let outcome = match ending {
            // No event is to come in a prologue: what has come by now is looked at before.
            Ending::Again | Ending::Look => {
                host::resume::as_in(&frames, &asleep, vm, || limits::check_all(vm)).err().map(Outcome::Raise)
            }
            Ending::Raise(exception) => Some(Outcome::Raise(exception)),
            Ending::Give(value) => Some(Outcome::Give(value)),
        };
        let outcome = match outcome {
            Some(Outcome::Raise(exception)) if innermost.is_inside && !innermost.waits => {
                return host::resume::raise_inside(frames, asleep, exception, vm);
            }
            outcome => outcome,
        };
        host::resume::begin(asleep, vm)?;
        let last = innermost.frames.last();
        let outcome = match (outcome, last, frames.last_mut()) {
            (Some(Outcome::Raise(exception)), Some(frame), Some(landing)) if frame.asks_for_an_item() => {
                host::resume::interrupt_source(landing, frame.variables(), exception, vm)?.map(Outcome::Raise)
            }
            (outcome, ..) => outcome,
        };
        if let (Some(Outcome::Raise(_)), Some(frame), Some(landing), false) =
            (&outcome, last, frames.last_mut(), innermost.waits)
        {
            landing.code = frame.code_for(Extent::Raising, vm);
        }
        let outcome = outcome.filter(|_| last.is_some());
        drop(innermost);
        host::resume::run(frames, outcome, vm)
    }
}

/// Does to the world what the calls have done. What an inner state says is later than what an outer one says.
pub(crate) fn apply_all(states: &[State<'_>]) -> PyResult<()> {
    let mut known = HashSet::default();
    let mut all = Vec::new();
    for State { filling, resume } in states.iter().rev() {
        let writes = filling.writes(&resume.effects)?;
        all.extend(writes.into_iter().filter(|(target, write)| known.insert((target.get_id(), write.part()))));
    }
    for (target, write) in all {
        write.perform(&target, states[0].filling.vm)?;
    }
    for State { filling, resume } in states {
        filling.place_iterators()?;
        filling.let_go(resume);
    }
    poll::end();
    Ok(())
}

impl FrameTemplate {
    /// Whether it is a builtin that is about to ask an iterator for an item, which is on top of its stack.
    fn asks_for_an_item(&self) -> bool {
        let instr = self.code.instrs[self.way.pc as usize];
        is_helper(&self.code.object)
            && instr.op == Opcode::ForIter
            && self.way.wait.is_none()
            && self.way.stack.iter().all(|entry| *entry == Entry::Value)
    }

    /// The code with its prologue.
    fn code_for(&self, extent: Extent, vm: &VirtualMachine) -> rustpython_vm::PyRef<rustpython_vm::builtins::PyCode> {
        let (landing, is_whole) = match extent {
            Extent::All => (&self.landing, true),
            Extent::Once => (&self.landing_once, false),
            Extent::Raising => (&self.landing_raising, true),
        };
        let code = || match is_whole && !self.dead.is_empty() {
            true => landing_code(&self.code, &self.whole_way(), extent, vm),
            false => landing_code(&self.code, &self.way, extent, vm),
        };
        landing.get_or_init(code).clone()
    }
}

impl<'a> Filling<'a> {
    /// What the program drops from here on must go.
    pub(crate) fn let_go(&self, resume: &Resume) {
        resume.count.fetch_add(1, Ordering::Relaxed);
        self.shared.borrow_mut().clear();
        self.containers.borrow_mut().clear();
        self.pooled.clear();
        self.release();
    }

    /// A frame that plain Python goes on with. `look` is told what it holds.
    pub(crate) fn landing(
        &self,
        frame: &FrameTemplate,
        extent: Extent,
        look: impl FnOnce(&[Vec<PyObjectRef>]) -> PyResult<()>,
    ) -> PyResult<Landing> {
        let code = frame.code_for(extent, self.vm);
        // In the order in which the templates were made: what occurs twice is in the first one.
        let made = frame.made.as_ref().map(|made| self.make(made)).transpose()?;
        let mut parts = frame.values.iter().map(|part| self.make_all(part)).collect::<PyResult<Vec<_>>>()?;
        look(&parts)?;
        let handled = frame.way.handled_part().and_then(|part| parts[part].first()?.clone().downcast().ok());
        let mut variables = frame.way.locals.len();
        if !matches!(extent, Extent::Once) {
            parts[0].splice(variables..variables, self.all_dead(frame)?);
            variables = frame.variables();
        }
        let values = host::resume::values_of(parts, variables, self.vm);
        let closure = self.make_all(&frame.closure)?;
        Ok(Landing { code, globals: frame.globals.clone(), closure, values, made, handled })
    }
}
