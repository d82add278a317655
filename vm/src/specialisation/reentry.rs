//! Going back into compiled code.
//!
//! Where compiled code cannot go on, plain Python executes that one instruction, a call of the host say, on frames of
//! its own. Then the rest of the call is a function of what its frames hold: a [`Reentry`], which is captured and
//! compiled like a staged function, with specialisations and guards, except that it begins in the middle. So a loop
//! that writes to a log now and then stays compiled. Dynamo goes on after a graph break in the same way.
//!
//! It is worth it only where a loop is still to come, and only as long as compiled code runs longer than it takes to
//! get there and back ([`Pace`]). Otherwise, and where anything is unusual, the call goes on as plain Python to its end.
//!
//! Behind a poll a call comes back at the header of its loop. A call also stops coming back when no code can be made,
//! or when code would have to know, and so keep, an object that the call has made.

mod back;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::object::{Traverse, TraverseFn};
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};

use super::{Cache, NOT_NOW, Specialisation, Target};
use crate::capture::element::Elements;
use crate::captured::Failure;
use crate::clock;
use crate::code::{Code, Opcode, Pc};
use crate::config::StagingConfig;
use crate::exit::DeadVariable;
use crate::exit::{Ending, Filling, FrameTemplate, IteratorTemplate, Resume, State, Template, land};
use crate::flatten::{Inputs, Params, Root};
use crate::governor::Governor;
use crate::held::traverse_own;
use crate::host::resume::{Entry, Wait, Way};
use crate::interrupt::signals;
use crate::threads;

pub(crate) use back::{Back, Held, Stepped, Stepping};

/// A function has at most so many places that calls go back to.
const MAX_PLACES: usize = 32;
/// So often a call goes on in better code at most.
const MOST_LEARNT: u32 = 4;
/// So often a call goes back before it looks whether that pays.
const TRIALS: u32 = 8;
/// What executing one instruction on frames of its own takes beside the instruction.
const STEP: Duration = Duration::from_micros(4);
/// What calling compiled code takes beside running it, in seconds.
const CALL: f64 = 400e-9;
/// After so many times it is known whether calls should come back to a place.
const MANY: u32 = 64;
/// Plain Python is that much slower than compiled code, for deciding whether going back pays.
const SLOWER: f64 = 20.0;

/// The rest of a call, beginning behind an instruction.
#[derive(Debug)]
pub(crate) struct Reentry {
    /// Its frames. What they hold are arguments: the variables and stacks of all of them, one after the other.
    pub(crate) entry: Arc<Resume>,
    /// Of what each frame of a call that leaves holds, how much is held on to: not the operands of the instruction.
    pub(crate) counts: Vec<usize>,
    /// Whether the instruction pushes an object.
    pub(crate) pushes: bool,
    func: PyObjectRef,
    config: Arc<StagingConfig>,
    home: Weak<Reentries>,
    cache: Cache,
    /// Whether there was no code for it once: it is not tried again.
    given_up: AtomicBool,
    /// How often calls have been back, and what that took.
    record: PyMutex<(u32, Spent)>,
}

/// Code and layout of a frame, and the objects that its names are looked up in.
type Layout = (usize, String, Vec<usize>);

/// The re-entries of a function, by the layouts of their frames.
#[derive(Debug)]
pub(crate) struct Reentries {
    /// What code that leads back here holds.
    pub(crate) home: Weak<Self>,
    /// Whether the function's calls are staged, and what making code for them may cost.
    pub(crate) governor: Arc<Governor>,
    all: PyMutex<IndexMap<Vec<Layout>, Arc<Reentry>>>,
}

// SAFETY: each reference that is owned is shown once; what is locked or shared is left out.
unsafe impl Traverse for Reentries {
    fn traverse(&self, show: &mut TraverseFn<'_>) {
        let Some(all) = self.all.try_lock() else { return };
        for reentry in all.values().filter(|it| Arc::strong_count(it) == 1) {
            traverse_own(&reentry.entry, show);
            reentry.func.traverse(show);
            reentry.cache.traverse(show);
        }
    }
}

impl Reentries {
    /// None yet.
    pub(crate) fn new(governor: Arc<Governor>) -> Arc<Self> {
        Arc::new_cyclic(|home| Self { home: home.clone(), governor, all: PyMutex::default() })
    }

    /// All, in the order in which calls first came back to them.
    pub(crate) fn all(&self) -> Vec<Arc<Reentry>> {
        self.all.lock().values().cloned().collect()
    }

    /// The one for calls that leave here; `None` if they cannot come back, or need not.
    pub(crate) fn of(&self, resume: &Resume, origin: &Specialisation) -> Option<Arc<Reentry>> {
        self.find(resume, origin, |builder, frame| builder.innermost(frame))
    }

    /// The one for calls that go on at this very place, the header of a loop.
    pub(crate) fn at(&self, resume: &Resume, origin: &Specialisation) -> Option<Arc<Reentry>> {
        self.find(resume, origin, |builder, frame| builder.frame(frame, frame.way.clone()))
    }

    /// The one for calls that go on behind what they wait for.
    pub(crate) fn behind(&self, resume: &Resume, origin: &Specialisation) -> Option<Arc<Reentry>> {
        self.find(resume, origin, |builder, frame| builder.given(frame))
    }

    fn find(
        &self,
        resume: &Resume,
        origin: &Specialisation,
        innermost: impl FnOnce(&mut Builder<'_>, &FrameTemplate) -> Option<FrameTemplate>,
    ) -> Option<Arc<Reentry>> {
        let params = Params { is_middle: true, ..Params::default() };
        let mut builder = Builder { params, statics: &origin.statics, pushes: false };
        let (last, outer) = resume.frames.split_last()?;
        let mut frames = outer.iter().map(|frame| builder.waiting(frame)).collect::<Option<Vec<_>>>()?;
        frames.push(innermost(&mut builder, last)?);
        if !frames.iter().any(|frame| has_loop_ahead(&frame.code, frame.way.pc)) {
            return None;
        }
        // Behind an instruction, what it pushes comes last; at the header of a loop all is there.
        let layouts: Vec<Layout> =
            frames.iter().map(layout).chain([(usize::from(builder.pushes), String::new(), Vec::new())]).collect();
        let mut all = self.all.lock();
        if let Some(known) = all.get(&layouts) {
            return Some(known.clone());
        }
        if all.len() >= MAX_PLACES {
            return None;
        }
        let code = last.code.object.clone();
        let pushes = builder.pushes;
        let mut counts: Vec<usize> = frames.iter().map(|it| it.values.iter().map(Vec::len).sum()).collect();
        *counts.last_mut()? -= usize::from(pushes);
        let mut behind = builder.params.names.len()..;
        for frame in &mut frames {
            frame.dead =
                frame.other_variables().zip(&mut behind).map(|(it, at)| DeadVariable::behind(it, at)).collect();
        }
        let entry = Arc::new(Resume {
            frames,
            waits: false,
            is_inside: false,
            effects: Vec::new(),
            reason: resume.reason.clone(),
            count: AtomicU64::new(0),
            back: AtomicU64::new(0),
            reentry: OnceLock::new(),
        });
        let made = Arc::new(Reentry {
            entry,
            counts,
            pushes,
            func: origin.func.clone(),
            config: origin.config.clone(),
            home: self.home.clone(),
            cache: Cache::of_reentry(code, builder.params),
            given_up: AtomicBool::new(false),
            record: PyMutex::default(),
        });
        all.insert(layouts, made.clone());
        Some(made)
    }
}

impl Reentry {
    /// The specialisation for what the frames hold, and whether it was made just now.
    pub(crate) fn find(
        &self,
        held: &Held,
        inputs: &mut Inputs,
        vm: &VirtualMachine,
    ) -> Result<(Arc<Specialisation>, bool), Failure> {
        let home = self.home.upgrade();
        let target = Target {
            governor: home.as_ref().map(|it| &*it.governor),
            func: &self.func,
            statics: &[],
            config: &self.config,
            strict: false,
            crosses: true,
            alone: false,
            elements: Elements::Read,
            shared: !threads::is_alone(&self.config, vm),
            signals: signals::count(),
            reentries: &self.home,
            middle: Some(self),
            passed: &[],
            derived: None,
            cells: &[],
        };
        let found = self.cache.find_middle(target, held, inputs, vm);
        let is_lasting = |it: &Failure| !it.is_passing() && !matches!(it, Failure::Refused(it) if it.code == NOT_NOW);
        if found.as_ref().is_err_and(is_lasting) {
            self.given_up.store(true, Ordering::Relaxed);
        }
        found
    }

    /// The code that was made for it, and the names of what its frames hold.
    pub(crate) fn specialisations(&self) -> (Vec<Arc<Specialisation>>, Vec<&'static str>) {
        self.cache.all()
    }

    /// Whether calls may come back here.
    pub(crate) fn is_open(&self) -> bool {
        let (count, spent) = *self.record.lock();
        !self.given_up.load(Ordering::Relaxed) && (count < MANY || spent.pays() || !self.config.is_paced)
    }

    /// The function, and where it begins.
    pub(crate) fn name(&self) -> String {
        self.entry.name()
    }

    /// Goes on as plain Python from where it begins.
    pub(crate) fn run_plainly(&self, held: Held, vm: &VirtualMachine) -> PyResult {
        self.land(held, Ending::Again, vm)
    }

    /// Raises where it begins.
    pub(crate) fn raise(&self, held: Held, exception: PyBaseExceptionRef, vm: &VirtualMachine) -> PyResult {
        self.land(held, Ending::Raise(exception), vm)
    }

    fn land(&self, held: Held, ending: Ending, vm: &VirtualMachine) -> PyResult {
        let locals = held.locals();
        let filling = Filling::new(vm, &[], &locals, &[], None);
        let landed = land(&[State { filling, resume: &self.entry }], ending)?;
        // What the program drops from here on must go.
        drop((held, locals));
        landed.go_on(vm)
    }
}

/// Makes the frames of a re-entry from those of calls that leave.
struct Builder<'a> {
    params: Params,
    statics: &'a [usize],
    pushes: bool,
}

impl Builder<'_> {
    /// A frame that waits for the next one.
    fn waiting(&mut self, frame: &FrameTemplate) -> Option<FrameTemplate> {
        if frame.way.wait == Some(Wait::Result) { self.frame(frame, frame.way.clone()) } else { None }
    }

    /// The frame that executes one instruction more.
    fn innermost(&mut self, frame: &FrameTemplate) -> Option<FrameTemplate> {
        let instr = frame.code.instrs[frame.way.pc as usize];
        if frame.way.wait.is_some() || !is_executable(instr.op) {
            return None;
        }
        let effect = instr.op.stack_effect_info(instr.arg);
        let mut stack = frame.way.stack.clone();
        stack.truncate(stack.len().checked_sub(effect.popped() as usize)?);
        let mut pc = frame.way.pc + 1;
        self.pushes = effect.pushed() == 1;
        if self.pushes && frame.code.instrs.get(pc as usize).is_some_and(|it| it.op == Opcode::PopTop) {
            (self.pushes, pc) = (false, pc + 1);
        }
        let way = Way { pc, wait: None, locals: frame.way.locals.clone(), stack, generator: None };
        self.frame(frame, way)
    }

    /// The frame behind the instruction that it waits for.
    fn given(&mut self, frame: &FrameTemplate) -> Option<FrameTemplate> {
        match frame.way.wait? {
            Wait::Result | Wait::Item => self.pushes = true,
            Wait::Nothing | Wait::Object => return None,
        }
        self.frame(frame, Way { pc: frame.way.pc + 1, wait: None, ..frame.way.clone() })
    }

    fn frame(&mut self, frame: &FrameTemplate, mut way: Way) -> Option<FrameTemplate> {
        let is_static = |it: &Template| matches!(it, Template::Static(_));
        // A frame that the program keeps must stay the one that the call runs on.
        if frame.made.is_some() || frame.code.looks_at_itself() || !frame.closure.iter().all(is_static) {
            return None;
        }
        let outermost = self.params.names.is_empty();
        let mut values = frame.values.iter().flatten();
        let mut parts = vec![Vec::new()];
        for &local in &way.locals {
            // A cell that the call has made is another one each time.
            let value = values.next()?;
            if frame.code.is_cell(local) && !is_static(value) {
                return None;
            }
            let known = outermost && self.statics.contains(&local);
            parts[0].push(self.param(frame.code.local_name(local), known));
        }
        for entry in &way.stack {
            match entry {
                Entry::Null => parts.push(Vec::new()),
                Entry::Value => {
                    let value = match values.next()? {
                        Template::Iterator(iterator) => Template::Iterator(Box::new(self.iterator(iterator)?)),
                        _ => self.param("value", false),
                    };
                    parts.last_mut().expect("there is one").push(value);
                }
                // An exception is being handled.
                Entry::Handled | Entry::Lasti(_) => return None,
            }
        }
        if way.wait.is_none() && self.pushes {
            way.stack.push(Entry::Value);
            let value = self.param("value", false);
            parts.last_mut().expect("there is one").push(value);
        }
        Some(FrameTemplate {
            code: frame.code.clone(),
            globals: frame.globals.clone(),
            builtins: frame.builtins.clone(),
            closure: frame.closure.clone(),
            way,
            values: parts,
            dead: Vec::new(),
            made: None,
            landing: OnceLock::new(),
            landing_once: OnceLock::new(),
            landing_raising: OnceLock::new(),
        })
    }

    /// The next thing that is held.
    fn param(&mut self, name: &'static str, is_static: bool) -> Template {
        self.params.names.push(name);
        self.params.is_static.push(is_static);
        Template::Argument(Root { local: self.params.names.len() - 1, path: Vec::new() })
    }

    /// An iterator that only the stack knows: what it is made of is held.
    fn iterator(&mut self, iterator: &IteratorTemplate) -> Option<IteratorTemplate> {
        let mut inside = |template: &Template| match template {
            Template::Iterator(inner) => Some(Template::Iterator(Box::new(self.iterator(inner)?))),
            _ => None,
        };
        Some(match iterator {
            IteratorTemplate::Range([_, _, Template::Static(_)]) => IteratorTemplate::Range(
                [("next", false), ("stop", false), ("step", true)].map(|(name, known)| self.param(name, known)),
            ),
            IteratorTemplate::Sequence { index, reversed: false, .. } if !matches!(index, Template::Static(_)) => {
                IteratorTemplate::Sequence {
                    items: self.param("items", false),
                    index: self.param("index", false),
                    reversed: false,
                }
            }
            IteratorTemplate::Enumerate { inner, .. } => {
                IteratorTemplate::Enumerate { inner: inside(inner)?, count: self.param("count", false) }
            }
            IteratorTemplate::Zip { inners, strict } => {
                IteratorTemplate::Zip { inners: inners.iter().map(inside).collect::<Option<_>>()?, strict: *strict }
            }
            IteratorTemplate::Range(_)
            | IteratorTemplate::Sequence { .. }
            | IteratorTemplate::Entries { .. }
            | IteratorTemplate::Members { .. }
            | IteratorTemplate::Generator { .. }
            | IteratorTemplate::Begun(_) => return None,
        })
    }
}

/// Whether plain Python executes this instruction by itself: it pushes one object at most, and goes on behind it.
const fn is_executable(op: Opcode) -> bool {
    matches!(
        op,
        Opcode::Call
            | Opcode::CallKw
            | Opcode::CallFunctionEx
            | Opcode::CompareOp
            | Opcode::ContainsOp
            | Opcode::DeleteAttr
            | Opcode::DeleteGlobal
            | Opcode::DeleteSubscr
            | Opcode::FormatSimple
            | Opcode::FormatWithSpec
            | Opcode::StoreAttr
            | Opcode::StoreGlobal
            | Opcode::StoreSubscr
            | Opcode::ToBool
    )
}

/// Whether the instruction is in a loop, or one comes after it.
fn has_loop_ahead(code: &Code, pc: Pc) -> bool {
    let order = code.order(pc);
    code.loop_at(pc).is_some() || code.loops().iter().any(|it| code.order(it.header) >= order)
}

fn layout(frame: &FrameTemplate) -> Layout {
    let closure = frame.closure.iter().map(|it| match it {
        Template::Static(cell) => cell.get_id(),
        _ => 0,
    });
    let names = std::iter::once(frame.globals.as_object().get_id()).chain(closure).collect();
    let iterators: Vec<&Template> =
        frame.values.iter().flatten().filter(|it| matches!(it, Template::Iterator(_))).collect();
    (frame.code.object.as_object().get_id(), format!("{:?} {iterators:?}", frame.way), names)
}

/// Whether going back into compiled code pays, in one call.
#[derive(Debug)]
pub(crate) struct Pace {
    is_paced: bool,
    entries: u32,
    /// How often it has gone on in better code.
    learnt: u32,
    all: Spent,
    /// Since the way back began.
    now: Spent,
    mark: Option<Instant>,
}

/// Time in compiled code, and on the way there and back.
#[derive(Clone, Copy, Default, Debug)]
struct Spent {
    /// In seconds: estimates, of which the sum is right.
    compiled: f64,
    between: Duration,
}

impl Spent {
    fn pays(self) -> bool {
        self.between.as_secs_f64() < self.compiled * SLOWER
    }

    fn add(&mut self, other: Self) {
        self.compiled += other.compiled;
        self.between += other.between;
    }
}

impl Pace {
    /// A call begins.
    pub(crate) fn new(is_paced: bool) -> Self {
        Self { is_paced, entries: 0, learnt: 0, all: Spent::default(), now: Spent::default(), mark: None }
    }

    /// Whether the call should go back again.
    pub(crate) fn pays(&self) -> bool {
        self.entries < TRIALS || self.all.pays() || !self.is_paced
    }

    /// Whether the call should go on in better code, where it has learnt something: not where that is no better.
    pub(crate) fn learns(&mut self) -> bool {
        self.learnt += 1;
        self.learnt <= MOST_LEARNT && self.pays()
    }

    /// The way back begins.
    pub(crate) fn turn(&mut self) {
        self.entries += 1;
        self.now = Spent { compiled: 0.0, between: STEP };
        self.mark = Some(Instant::now());
    }

    /// Something was made that will be there the next time: that time does not count.
    pub(crate) fn forget(&mut self) {
        self.mark = Some(Instant::now());
    }

    /// Runs compiled code. What the VM does for it meanwhile takes as long in plain Python.
    pub(crate) fn run<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let Some(mark) = &mut self.mark else { return clock::timed(run) };
        self.now.between += mark.elapsed();
        let (result, computed) = clock::measured(|| clock::timed(run));
        self.now.compiled += computed - CALL;
        *mark = Instant::now();
        result
    }

    /// Plain Python executes its instruction.
    pub(crate) fn pause(&mut self) {
        if let Some(mark) = self.mark.take() {
            self.now.between += mark.elapsed();
        }
    }

    /// The call has been back in `reentry`.
    pub(crate) fn note(&mut self, reentry: &Reentry) {
        self.all.add(self.now);
        let mut record = reentry.record.lock();
        record.0 = record.0.saturating_add(1);
        record.1.add(self.now);
    }
}
