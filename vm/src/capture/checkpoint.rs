//! Checkpoints: where a plain continuation may take over, and what it needs.
//!
//! One stands at the entry of each function of the IR, first in the header of each captured loop, behind each
//! instruction that has changed the world, and where paths meet that different ones reach. So whatever fails before it
//! has acted (an overflow, a check, a poll, memory, depth) carries nothing: it leaves at the checkpoint that reaches
//! it, and RustPython's frames execute the rest again and raise by themselves, in the user's `try`, with the user's
//! traceback. A call carries the frame state in which its caller waits: what fails inside is raised there.
//!
//! Code that runs where there is no interpreter has none of this: see [`crate::handle`].

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use rustpython_vm::bytecode::Opcode;
use snekpy_stage::analysis::Effects;
use snekpy_stage::analysis::calls::reached;
use snekpy_stage::analysis::kin::Kinships;
use snekpy_stage::analysis::reach::{acting, own_memory};
use snekpy_stage::entity::{Entity, ExitId, FuncId, Inst, Value};
use snekpy_stage::ir::Function;
use snekpy_stage::op::{Acts, Const, Op};

use crate::capture::session::Session;
use crate::capture::state::{State, Then};
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::template::Leaves;
use crate::capture::values::{Abstract, classify};
use crate::exit::{ExitKind, HostKind, Resume};
use crate::host::native::{NativeCallable, native_callable};
use crate::refusal::Refusal;

/// Why a call leaves at a checkpoint.
const FAILED: &str = "S410";

/// An exit with the values that it carries.
pub(crate) type Carried = (ExitId, Vec<Value>);

/// What a path knows of its checkpoints.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Reach {
    /// The one that reaches it, counted over the capture.
    checkpoint: Option<u32>,
    /// Whether it wants one of its own before its next instruction.
    pub(crate) is_due: bool,
    /// Whether the call has done what cannot be done again: a write into an array, a call of the host with effects.
    pub(crate) has_acted: bool,
}

impl Reach {
    /// At the entry of a function that knows nothing of its callers.
    pub(crate) const INSIDE: Self = Self { checkpoint: None, is_due: true, has_acted: false };

    /// Where paths meet.
    pub(crate) fn meet(self, other: Self) -> Self {
        let same = self.checkpoint == other.checkpoint;
        Self {
            checkpoint: self.checkpoint.filter(|_| same),
            is_due: self.is_due || other.is_due || !same,
            has_acted: self.has_acted || other.has_acted,
        }
    }

    /// Behind an instruction that has built this.
    pub(crate) const fn behind(self, built: &Built) -> Self {
        match built.acts {
            true => Self { checkpoint: None, is_due: true, has_acted: self.has_acted || built.shows },
            false => self,
        }
    }

    /// Whether the same checkpoint reaches both, or none.
    pub(crate) fn has_same_checkpoint(self, other: Self) -> bool {
        self.checkpoint == other.checkpoint
    }

    /// Whether a checkpoint reaches it.
    pub(crate) const fn is_reached(self) -> bool {
        self.checkpoint.is_some()
    }
}

/// What the instruction that runs has built.
#[derive(Clone, Default, Debug)]
pub(crate) struct Built {
    /// It has changed what a plain continuation finds.
    pub(crate) acts: bool,
    /// It has done what cannot be done again.
    shows: bool,
    /// Others may have run: a function of compiled code, or the host.
    pub(crate) calls: bool,
    /// Something in it may fail, and no checkpoint reaches that.
    pub(crate) is_stuck: bool,
    /// The lists and maps that it has made, which no checkpoint knows.
    made: Vec<Value>,
}

/// Why plain Python goes on from a checkpoint.
pub(crate) fn failed() -> Refusal {
    Refusal::new(FAILED, "an error, a number that compiled code has no type for, or a signal: plain Python goes on")
}

impl Session<'_> {
    /// Makes a checkpoint before the instruction that the path is at, if plain Python can go on from there: whether it
    /// can.
    pub(crate) fn checkpoint(&mut self, state: &mut State) -> bool {
        if self.rules.detached || !self.is_followable_path(state) {
            return false;
        }
        let Some((mut resume, leaves)) = self.plainly(state, None, &failed()) else { return false };
        let is_entry = self.calls.restart.is_none() && self.calls.building == 0;
        if is_entry {
            // Who begins anew begins with what was passed, whatever became of its copies meanwhile.
            resume.effects.clear();
        }
        let kind = if is_entry { ExitKind::Restart(Arc::new(resume)) } else { ExitKind::Checkpoint(Arc::new(resume)) };
        let exit = self.exit("checkpoint", leaves.types, kind);
        if is_entry {
            self.calls.restart = Some((exit, leaves.values.clone()));
        }
        self.emit(state, Op::Checkpoint(exit), &leaves.values);
        self.checkpoints += 1;
        self.uncounted.push(self.func.insts.len() - 1);
        let has_acted = state.reach.has_acted;
        state.reach = Reach { checkpoint: Some(self.checkpoints), is_due: false, has_acted };
        true
    }

    /// Where a differentiated call polls: says what it has done by now.
    pub(crate) fn note_effects(&mut self, state: &State) {
        if !self.rules.detached || self.rules.orders.count == 0 || self.calls.building > 0 {
            return;
        }
        let mut leaves = Leaves::with_identity();
        let Ok(effects) = self.effects(state, &mut leaves) else { return };
        if !effects.is_empty() {
            let host = self.host("note", leaves.types, Vec::new(), HostKind::Note { effects });
            self.emit(state, Op::Host(host, None), &leaves.values);
        }
    }

    /// Whether the instruction that the path is at may ask for memory for a list or map of the compiled code: if there
    /// is none, that is to be raised there.
    pub(crate) fn may_grow(&self, state: &State) -> bool {
        let frame = state.frame();
        let instr = frame.code.instrs[frame.pc as usize];
        let below = match instr.op {
            Opcode::Call => instr.arg as usize + 1,
            Opcode::StoreSubscr => 2,
            Opcode::ListAppend | Opcode::SetAdd => instr.arg as usize + 1,
            Opcode::MapAdd => instr.arg as usize + 2,
            _ => return false,
        };
        let at = |below: usize| frame.stack.len().checked_sub(below).and_then(|it| frame.stack[it].object()).cloned();
        let container = if instr.op == Opcode::Call {
            let method = at(below + 1).and_then(|it| native_callable(&it, self.vm));
            let Some(NativeCallable::Method { name, receiver, .. }) = method else { return false };
            let grows = matches!(name.as_str(), "append" | "extend" | "insert" | "add" | "update" | "setdefault");
            receiver.or_else(|| at(below)).filter(|_| grows)
        } else {
            at(below)
        };
        container.is_some_and(|it| matches!(classify(&it, self.vm), Abstract::Items(_) | Abstract::Map(_)))
    }

    /// The frame state of the path while it waits for a call, which gives back what `then` says. Nothing for code that
    /// has no plain continuation.
    ///
    /// # Errors
    /// Plain Python cannot go on from there.
    pub(crate) fn waiting(&mut self, state: &State, then: &Then) -> Step<Option<Carried>> {
        if self.rules.detached {
            return Ok(None);
        }
        let waits = state.frames.is_empty() || self.is_followable_path(state);
        let found = if waits { self.plainly(state, Some(then), &failed()) } else { None };
        let Some((resume, leaves)) = found else { return Err(stuck()) };
        let exit = self.exit("waiting", leaves.types, ExitKind::Checkpoint(Arc::new(resume)));
        Ok(Some((exit, leaves.values)))
    }

    /// The same for the call of a function of the IR. Where plain Python cannot go on, a call that can be made again has
    /// none: the whole call fails, at the checkpoint before it.
    pub(crate) fn waiting_for(&mut self, state: &State, func: FuncId, then: &Then) -> Step<Option<Carried>> {
        match self.waiting(state, then) {
            Err(stop) if self.changes_anything(func) => Err(stop),
            Err(_) => Ok(None),
            waits => waits,
        }
    }

    /// Whether a function of the IR, or one that it may call, does what cannot be done again.
    pub(crate) fn changes_anything(&self, func: FuncId) -> bool {
        let kinships = Kinships::of(&self.module);
        let acts = |func: &Function| {
            let own = own_memory(func, &kinships, |_| false);
            func.blocks.keys().any(|block| !acting(func, block, &own).is_empty())
        };
        reached(&self.module, [func]).any(|it| self.module.funcs.lookup(it).is_some_and(acts))
    }

    /// The same for a function that is only differentiated, which need not write into arrays of its own.
    pub(crate) fn changes_anything_else(&mut self, func: FuncId) -> bool {
        if self.changes_anything(func) {
            let funcs: Vec<FuncId> = reached(&self.module, [func]).collect();
            snekpy_stage::ad::write_nothing(&mut self.module, funcs);
            self.hosts.resize(self.module.hosts.len(), HostKind::Tensor);
        }
        self.changes_anything(func)
    }

    /// How plain Python goes on from the instruction that the path is at, or with what it waits for, and the values that
    /// it needs.
    pub(crate) fn plainly(&mut self, state: &State, then: Option<&Then>, reason: &Refusal) -> Option<(Resume, Leaves)> {
        let mut leaves = Leaves::with_identity();
        let frames = self.frame_templates(state, then, &mut leaves).ok()?;
        let effects = self.effects(state, &mut leaves).ok()?;
        let mut reason = reason.clone();
        if reason.places.is_empty() {
            reason.places = self.places(state);
        }
        let resume = Resume {
            frames,
            waits: then.is_some(),
            is_inside: state.frames.last().is_some_and(|frame| matches!(frame.then, Then::Next(_))),
            effects,
            reason,
            count: AtomicU64::new(0),
            back: AtomicU64::new(0),
            reentry: OnceLock::new(),
        };
        Some((resume, leaves))
    }

    /// An exit that leaves at the checkpoint that reaches it.
    pub(crate) fn exit_at_checkpoint(&mut self, name: &str) -> ExitId {
        if let Some(&exit) = self.failures.get(name) {
            return exit;
        }
        let exit = self.exit(name, Vec::new(), ExitKind::Failure);
        self.module.exits[exit].at_checkpoint = true;
        self.failures.insert(name.to_owned(), exit);
        exit
    }

    /// Notes what an instruction of the IR that has been appended means to checkpoints.
    pub(crate) fn note_built(&mut self, state: &State, inst: Inst) {
        if self.rules.detached {
            return;
        }
        let data = &self.func.insts[inst];
        let effect = Effects::of(&self.func, inst).effect;
        self.running.built.calls |= matches!(data.op, Op::Call(..) | Op::Host(..));
        match data.op {
            Op::ListNew(_) | Op::MapNew(_) => self.running.built.made.push(data.results[0]),
            Op::List(_) | Op::Map(_) if self.running.built.made.contains(&data.args[0]) => {}
            Op::Host(host, _) if matches!(self.hosts[host.index()], HostKind::Mark) => {}
            op => {
                let fails = op.fails_before_acting(effect, &self.module.exits);
                self.running.built.is_stuck |= fails && (self.running.built.acts || !state.reach.is_reached());
                self.running.built.acts |= op.changes_the_world(effect);
                self.running.built.shows |= match op {
                    Op::Call(..) => self.module.funcs.values().any(shows),
                    _ => shows_at_once(op),
                };
            }
        }
    }

    /// Plain Python makes the whole call, from its beginning, if this holds: what comes depends on which objects numbers
    /// are, and that is forgotten where paths have met.
    pub(crate) fn restart_if(&mut self, state: &State, holds: Value) -> Step<()> {
        if self.rules.detached {
            self.emit(state, Op::OverflowIf, &[holds]);
            return Ok(());
        }
        if self.func.as_const(holds) == Some(Const::Bool(false)) {
            return Ok(());
        }
        let may = !state.reach.has_acted && self.calls.building == 0;
        let may_inside = self.calls.building > 0 && !self.shows_anything(state);
        match self.calls.restart.clone().filter(|(_, values)| may || may_inside && values.is_empty()) {
            Some((exit, values)) => {
                self.calls.restarts_inside |= self.calls.building > 0;
                let fine = self.value(state, Op::Not, &[holds]);
                let args: Vec<Value> = [fine].into_iter().chain(values).collect();
                self.emit(state, Op::Guard(exit), &args);
                Ok(())
            }
            None => {
                self.calls.all_plain = true;
                Err(refuse(FAILED, "what comes depends on which objects numbers are").into())
            }
        }
    }

    /// Whether plain Python can make the whole call, as far as it has been captured.
    pub(crate) fn may_restart(&self, state: &State) -> bool {
        self.rules.detached || !state.reach.has_acted && self.calls.building == 0 && self.calls.restart.is_some()
    }

    /// Plain Python makes the whole call, from its beginning.
    pub(crate) fn restart(&mut self, state: &State) -> Step<()> {
        let always = self.constant(state.block, Const::Bool(true));
        self.restart_if(state, always)
    }

    /// Whether the call may do what cannot be done again, as far as it has been captured.
    fn shows_anything(&self, state: &State) -> bool {
        state.reach.has_acted || shows(&self.func) || self.module.funcs.values().any(shows)
    }

    /// Whether a function begins the call anew that may have done by then what cannot be done again.
    pub(crate) fn restarts_too_late(&self, state: &State) -> bool {
        self.calls.restarts_inside && self.shows_anything(state)
    }

    /// Plain Python goes on from the checkpoint if this holds.
    pub(crate) fn leave_if(&mut self, state: &State, holds: Value) {
        self.emit(state, Op::OverflowIf, &[holds]);
    }
}

/// Whether a function does what cannot be done again.
fn shows(func: &Function) -> bool {
    func.insts.values().any(|inst| shows_at_once(inst.op))
}

/// Whether others see at once what the op has done, and not when the call ends.
const fn shows_at_once(op: Op) -> bool {
    matches!(op, Op::Store | Op::Host(_, Some(_)) | Op::Tensor(_, Acts::Writes))
}

/// Something may fail where plain Python cannot go on.
pub(crate) fn stuck() -> Stop {
    refuse("S411", "this may fail in the middle of what plain Python cannot go on with").into()
}
