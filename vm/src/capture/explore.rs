//! Which path runs next.
//!
//! A region (a function, or the body of a loop) is explored by a worklist: the group of paths that comes
//! first in program order runs next, so that everything that can still arrive at a join has arrived when the
//! join runs. A loop is a region of its own. It is first run as it is; if that took no decision on a Rep, the
//! loop unrolls. Otherwise it is explored as a loop: what differs between the first arrival at its header and
//! the later ones becomes a parameter of the header's block, and the body is explored again, until nothing
//! new differs: see `loops.rs`.

mod apart;
mod loops;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};
use rustpython_vm::AsObject;
use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::bytecode::Opcode;
use snekpy_stage::build::Mark;
use snekpy_stage::entity::{Block, Value};
use snekpy_stage::ir::Terminator;
use snekpy_stage::types::Type;

use crate::capture::assumptions::Assumption;
use crate::capture::checkpoint::{self, Built, Reach};
use crate::capture::cross::Crossed;
use crate::capture::heap;
use crate::capture::session::Session;
use crate::capture::shape::{self, Leaf, Shape};
use crate::capture::state::State;
use crate::capture::step::{self, Flow, refuse};
use crate::capture::stop::Stop;
use crate::capture::value::V;
use crate::code;
use crate::config::config;
use crate::interrupt::signals;
use crate::limits;
use crate::limits::budget;
use crate::limits::budget::too_slow;
use crate::refusal::Refusal;
use crate::rep::leak;
use crate::threads::changing;
use crate::threads::{self, Still};

pub(crate) use self::apart::Choosing;
use self::apart::Key;
use self::loops::Region;
pub(crate) use self::loops::{Header, LoopMemory, MAX_UNROLL, better_unrolled};

/// How many shapes one place may have at once.
pub(crate) const MAX_VARIANTS: usize = 16;
/// The same in code that cannot be left: exceptions with others as contexts make many kinds.
const MAX_VARIANTS_DETACHED: usize = 64;
/// How many instructions run between two looks for limits, and at the clock.
const SIGNAL_INTERVAL: u32 = 128;
/// For so long nobody else sees the world: neither other threads nor handlers of signals.
const SLICE: Duration = Duration::from_millis(25);
/// After so many instructions a capture pauses whatever the clock says; never, for 0.
static PAUSES: AtomicU32 = AtomicU32::new(0);

/// Lets captures pause after every so many instructions, and not for others' sake only; for 0, as always.
pub(crate) fn pause_every(instructions: u32) {
    PAUSES.store(instructions, Ordering::Relaxed);
}

/// Why exploring ended early.
#[derive(Debug)]
pub(crate) enum Abort {
    /// It cannot be captured.
    Refuse(Box<Refusal>),
    /// The call is plain Python from its beginning, and nothing is kept of this.
    Plain(Box<Refusal>),
    /// A signal handler raised this.
    Raise(PyBaseExceptionRef),
    /// The capture starts again, assuming this.
    Learn(Assumption),
}

/// The paths that came out of a region.
#[derive(Default)]
struct Ends {
    /// Back at the header of the loop.
    back: Vec<State>,
    /// Outside.
    left: Vec<State>,
}

/// What has become of a path before an instruction that looks into numbers of several types.
enum Settled {
    /// Nothing was to be asked.
    Known,
    /// It has got its answers.
    Asked,
    /// It has forked.
    Forked(Vec<State>),
}

/// The numbers of a path, with their types.
type Leaves = Vec<(Leaf, Type)>;

/// Whether an instruction takes items from iterators one by one until it fails, as plain Python does.
fn draws_one_by_one(op: Opcode) -> bool {
    matches!(op, Opcode::ForIter | Opcode::Send | Opcode::UnpackSequence | Opcode::UnpackEx)
}

impl Session<'_> {
    /// How many instructions of the program were made since there were so many: what counts ticks, and checkpoints, are no
    /// reason to make another loop of it.
    fn emitted_since(&self, before: usize) -> usize {
        let others = self.uncounted.len() - self.uncounted.partition_point(|&it| it < before);
        self.func.insts.len() - before - others
    }

    /// Whether some of them give an array of a device.
    fn works_on_device_since(&self, before: usize) -> bool {
        let mut results = self.func.insts.values().skip(before).flat_map(|it| &it.results);
        results.any(|it| self.func.ty(*it).is_there())
    }

    /// Explores a function from its entry. Gives the paths that returned, merged by shape.
    pub(crate) fn explore(&mut self, entry: State) -> Result<Vec<State>, Abort> {
        let result = self.run_region(vec![entry], None).and_then(|ends| self.merge(ends.left));
        self.show_base();
        result
    }

    fn run_region(&mut self, entries: Vec<State>, region: Option<&Region>) -> Result<Ends, Abort> {
        let mut ends = Ends::default();
        let mut pending = Vec::new();
        let several = entries.len() > 1;
        for entry in entries {
            let next = self.run(entry, several, true, region)?;
            self.sort_out(next, region, &mut pending, &mut ends);
        }
        while !pending.is_empty() {
            if self.func.insts.len() > self.rules.allowance.size {
                let size = self.rules.allowance.size;
                let refusal = Refusal::new("S130", format!("the function makes more than {size} instructions of IR"))
                    .help(
                        "move a part into a function marked with `@rep_fun`, or loop over a range with a staged bound",
                    );
                return Err(self.refuse_at(&pending[0], Box::new(refusal)));
            }
            // A path in the middle of an instruction finishes it before anything else.
            if let Some(index) = pending.iter().position(|state| !state.answers.is_empty()) {
                let state = pending.remove(index);
                let next = self.run(state, true, false, region)?;
                self.sort_out(next, region, &mut pending, &mut ends);
                continue;
            }
            let first = self.first(&pending);
            let place = pending[first].place();
            let (group, rest) = pending.into_iter().partition::<Vec<_>, _>(|state| state.place() == place);
            pending = rest;
            let frame = group[0].frame();
            if let Some(index) = frame.code.loop_header(frame.pc) {
                let left = self.run_loop(group, &Region { place, index })?;
                self.sort_out(left, region, &mut pending, &mut ends);
                continue;
            }
            let merged = self.merge(group)?;
            let others = !pending.is_empty() || merged.len() > 1;
            for state in merged {
                let next = self.run(state, others, false, region)?;
                self.sort_out(next, region, &mut pending, &mut ends);
            }
        }
        Ok(ends)
    }

    fn sort_out(&self, states: Vec<State>, region: Option<&Region>, pending: &mut Vec<State>, ends: &mut Ends) {
        for state in states {
            match region {
                Some(region) if region.is_header(&state) => ends.back.push(state),
                Some(region) if !region.contains(&state) => ends.left.push(state),
                None if state.frames.is_empty() => ends.left.push(state),
                Some(_) | None => pending.push(state),
            }
        }
    }

    /// The index of the path that comes first in program order.
    fn first(&self, pending: &[State]) -> usize {
        let before = |a: &State, b: &State| {
            for (x, y) in a.frames.iter().zip(&b.frames) {
                let key = |frame: &crate::capture::state::Frame| frame.code.object.get_id();
                if key(x) != key(y) {
                    // Different callees of one call: any fixed order will do.
                    return x.code.object.code.first_line_number < y.code.object.code.first_line_number;
                }
                if x.pc != y.pc {
                    return x.code.order(x.pc) < y.code.order(y.pc);
                }
            }
            a.frames.len() < b.frames.len()
        };
        (1..pending.len()).fold(0, |best, index| if before(&pending[index], &pending[best]) { index } else { best })
    }

    /// Runs a path until it ends, forks, leaves the region, or reaches a place where it must wait for others.
    fn run(
        &mut self,
        mut state: State,
        others: bool,
        at_header: bool,
        region: Option<&Region>,
    ) -> Result<Vec<State>, Abort> {
        self.activate(&state);
        let mut first = true;
        let mut decided = false;
        loop {
            // What follows a loop waits until it is known what the loop carries round.
            if !first && state.answers.is_empty() && region.is_some_and(|region| !region.contains(&state)) {
                return Ok(vec![self.suspend(state)]);
            }
            if !first || !at_header {
                let frame = state.frame();
                let is_header = frame.code.loop_header(frame.pc).is_some();
                // The paths of an instruction that forked meet behind it, or behind the jump that it decides.
                let meets = decided && !is_test(frame.code.instrs[frame.pc as usize].op);
                let waits = others && !first && (meets || frame.code.is_join(frame.pc));
                if state.answers.is_empty() && (is_header || waits) {
                    return Ok(vec![self.suspend(state)]);
                }
            }
            first = false;
            if !self.learnt.leaves.is_empty()
                && state.answers.is_empty()
                && let Some(reason) = self.learnt.leaves.get(&state.place()).cloned()
            {
                if self.resume_plainly(&state, &reason) {
                    return Ok(Vec::new());
                }
                return Err(self.refuse_at(&state, Box::new(reason)));
            }
            self.pauses.ticks = self.pauses.ticks.wrapping_add(1);
            budget::spend(1);
            let pauses = PAUSES.load(Ordering::Relaxed);
            if self.pauses.ticks.is_multiple_of(if pauses == 0 { SIGNAL_INTERVAL } else { pauses }) {
                if self.rules.polls {
                    limits::check(self.vm).map_err(Abort::Raise)?;
                }
                if self.rules.allowance.is_over() {
                    return Err(Abort::Plain(too_slow()));
                }
                // In the middle of a call, what stops it waits for its own frames.
                let is_stopped = !self.rules.polls
                    && (signals::count() != self.pauses.signals || signals::are_held() || limits::is_over());
                if is_stopped || self.rules.shared == threads::is_alone(&config(self.vm), self.vm) {
                    return Err(Abort::Plain(Box::new(changing())));
                }
                if (self.rules.polls || self.rules.shared) && (pauses > 0 || self.pauses.slice.elapsed() >= SLICE) {
                    state = self.pause(state)?;
                }
            }
            if state.answers.is_empty() && (state.reach.is_due || self.may_grow(&state)) {
                self.checkpoint(&mut state);
            }
            match self.settle_first(&mut state)? {
                Settled::Asked => decided = true,
                Settled::Known => {}
                Settled::Forked(states) => return Ok(states),
            }
            if self.is_object_site(&state) {
                let refusal = Refusal::new("S301", "this makes an object that compiled code only hands on");
                match self.cross(&mut state, &refusal) {
                    Crossed::No => {}
                    crossed => match self.go_over(state, crossed, others)? {
                        ControlFlow::Continue(on) => {
                            state = on;
                            continue;
                        }
                        ControlFlow::Break(states) => return Ok(states),
                    },
                }
            }
            self.running.built = Built::default();
            let stack = state.frame().stack.clone();
            let frames = state.frames.len();
            state.asked = 0;
            self.running.advanced.clear();
            self.running.found = None;
            let pc = state.frame().pc;
            let code::Instr { op, target, .. } = state.frame().code.instrs[pc as usize];
            let jumps = target.is_some();
            let stepped = step::step(self, &mut state);
            let stepped = if leak::was_asked() {
                if state.frames.len() == frames {
                    state.frame_mut().pc = pc;
                }
                Err(refuse("S300", "native code asks for a value that is known later").into())
            } else {
                stepped
            };
            let stepped = match stepped {
                Ok(Flow::Next) if state.frames.len() == frames => self.hand_on(&mut state).map(|()| Flow::Next),
                stepped => stepped,
            };
            let built = std::mem::take(&mut self.running.built);
            state.reach = state.reach.behind(&built);
            if built.acts || built.calls {
                state.reread.forget();
                state.tags.forget_reads();
            }
            if built.is_stuck {
                self.show_base();
                return Err(self.abort(checkpoint::stuck(), &state));
            }
            let stepped = match stepped {
                Err(Stop::Raise(exception)) if leak::names_one(&exception) => {
                    Err(refuse("S300", "native code says what it was given").into())
                }
                stepped => stepped,
            };
            // What it took before it failed, plain Python knows.
            let stepped = match stepped {
                Err(Stop::Raise(exception))
                    if !self.running.advanced.is_empty()
                        && !exception.class().is(self.vm.ctx.exceptions.stop_iteration)
                        && state.frames.len() == frames
                        && !draws_one_by_one(op) =>
                {
                    Err(refuse("S271", "this fails while it takes items from an iterator").into())
                }
                stepped => stepped,
            };
            if matches!(stepped, Err(Stop::Fork(_) | Stop::Refuse(_) | Stop::Park | Stop::Rows(_))) {
                self.draw_back();
            }
            let flow = match stepped {
                Ok(flow) => flow,
                Err(Stop::Fork(_)) if state.frames.len() != frames => {
                    let refusal = Refusal::new("S999", "this is a bug in snekpy: a decision after a frame has changed");
                    return Err(self.abort(Stop::Refuse(Box::new(refusal)), &state));
                }
                Err(Stop::Fork(cond)) => return Ok(self.fork(state, stack, cond)),
                Err(Stop::Rows(_)) if built.acts || state.frames.len() != frames => {
                    self.show_base();
                    return Err(self.abort(checkpoint::stuck(), &state));
                }
                Err(Stop::Rows(objects)) => {
                    state.frame_mut().stack = stack;
                    state.frame_mut().pc = pc;
                    self.make_rows_here(&mut state, &objects)?;
                    continue;
                }
                Err(Stop::Raise(exception)) => {
                    state.answers.clear();
                    state.call = None;
                    match self.unwind(&mut state, exception)? {
                        true => Flow::Next,
                        false => return Ok(Vec::new()),
                    }
                }
                Err(Stop::Plain(refusal)) => {
                    self.show_base();
                    return Err(Abort::Plain(refusal));
                }
                Err(Stop::Refuse(mut refusal)) => {
                    if state.frames.len() == frames {
                        state.frame_mut().stack = stack;
                        state.frame_mut().pc = pc;
                        match self.cross(&mut state, &refusal) {
                            Crossed::No => {}
                            crossed => match self.go_over(state, crossed, others)? {
                                ControlFlow::Continue(on) => {
                                    state = on;
                                    continue;
                                }
                                ControlFlow::Break(states) => return Ok(states),
                            },
                        }
                        if let Some(again) = self.begin_without_rows_at(&state) {
                            self.show_base();
                            return Err(again);
                        }
                        if let Some(again) = self.begin_without_made_at(&state) {
                            self.show_base();
                            return Err(again);
                        }
                        if self.resume_plainly(&state, &refusal) {
                            return Ok(Vec::new());
                        }
                        self.note_operands(&state, &mut refusal);
                    }
                    self.show_base();
                    if refusal.places.is_empty() {
                        refusal.places = self.places(&state);
                    }
                    return Err(self.refuse_at(&state, refusal));
                }
                Err(Stop::Learn(assumption)) => {
                    self.show_base();
                    return Err(Abort::Learn(assumption));
                }
                Err(Stop::Interrupt(exception)) => return Err(Abort::Raise(exception)),
                Err(Stop::Park) => {
                    state.frame_mut().stack = stack;
                    state.answers.clear();
                    let state = self.suspend(state);
                    self.calls.parked.push(state);
                    return Ok(Vec::new());
                }
            };
            if state.frames.len() == frames && matches!(flow, Flow::Next) {
                self.note_site(&state, pc);
                if let Some((number, is)) = self.running.found.take() {
                    let suspended = self.suspend(state);
                    state = self.knowing(&suspended, number, is);
                    self.activate(&state);
                }
            }
            // The two answers to a jump's one question lead to different places.
            decided |= state.answers.len() > usize::from(jumps);
            state.answers.clear();
            state.call = None;
            match flow {
                Flow::Next => {}
                Flow::Finished => return Ok(vec![self.suspend(state)]),
            }
            let returned = state.frames.len() < frames;
            if returned && others {
                return Ok(vec![self.suspend(state)]);
            }
        }
    }

    /// Behind an instruction that the VM carries out: the path that goes on, or those that wait for others.
    fn go_over(
        &mut self,
        mut state: State,
        crossed: Crossed,
        others: bool,
    ) -> Result<ControlFlow<Vec<State>, State>, Abort> {
        state.answers.clear();
        state.call = None;
        state.tags.forget_reads();
        Ok(match crossed {
            Crossed::Needs(sites) => {
                self.show_base();
                return Err(Abort::Learn(Assumption::Opaque(sites)));
            }
            Crossed::Forked(mut others) => {
                let state = self.suspend(state);
                for other in &mut others {
                    other.answers.clear();
                    other.call = None;
                    other.heap = state.heap.clone();
                    other.raised = state.raised.clone();
                }
                others.insert(0, state);
                ControlFlow::Break(others)
            }
            Crossed::No | Crossed::On if others => ControlFlow::Break(vec![self.suspend(state)]),
            Crossed::No | Crossed::On => ControlFlow::Continue(state),
        })
    }

    /// Lets the program's objects show what this path sees.
    pub(crate) fn activate(&mut self, state: &State) {
        self.base.switch(&self.objects.active, &self.objects.changed, &state.heap, self.vm);
        self.objects.changed.clear();
        self.objects.active = state.heap.clone();
        self.raised = state.raised.clone();
    }

    /// Lets the program's objects show what they showed at first.
    pub(crate) fn show_base(&mut self) {
        self.base.switch(&self.objects.active, &self.objects.changed, &heap::Heap::new(), self.vm);
        self.objects.changed.clear();
        self.objects.active = heap::Heap::new();
    }

    /// Lets others run: other threads, and handlers of signals. What they see is what the world really holds. If it is
    /// not what it was when the capture goes on, that is of no use.
    fn pause(&mut self, state: State) -> Result<State, Abort> {
        let state = self.suspend(state);
        self.show_base();
        self.base.lift(self.vm);
        self.pauses.still = None;
        if self.rules.polls {
            signals::without_holding(|| self.vm.check_signals()).map_err(Abort::Raise)?;
        }
        self.pauses.still = self.rules.shared.then(|| Still::new(self.vm));
        if self.rules.shared == threads::is_alone(&config(self.vm), self.vm)
            || !self.base.is_as_before(|object| self.is_fresh(object), self.vm)
            || !self.guards.hold(self.vm)
        {
            return Err(Abort::Plain(Box::new(changing())));
        }
        self.base.lower(self.vm);
        self.activate(&state);
        self.pauses.slice = Instant::now();
        Ok(state)
    }

    /// Keeps what this path sees of the program's objects.
    pub(crate) fn suspend(&mut self, mut state: State) -> State {
        heap::save(&mut state.heap, &self.objects.changed, self.vm);
        self.objects.changed.clear();
        self.objects.active = state.heap.clone();
        state.raised = std::mem::take(&mut self.raised);
        state
    }

    /// What the instruction that comes next looks into is of one type each, which takes answers of its own.
    fn settle_first(&mut self, state: &mut State) -> Result<Settled, Abort> {
        let stack = state.frame().stack.clone();
        state.asked = 0;
        match self.settle(state) {
            Ok(()) if state.asked == 0 => Ok(Settled::Known),
            Ok(()) => {
                state.answers.clear();
                Ok(Settled::Asked)
            }
            Err(Stop::Fork(cond)) => {
                let state = state.clone();
                Ok(Settled::Forked(self.fork(state, stack, cond)))
            }
            Err(stop) => {
                self.show_base();
                Err(self.abort(stop, state))
            }
        }
    }

    fn fork(&mut self, mut state: State, stack: Vec<V>, cond: Value) -> Vec<State> {
        state.frame_mut().stack = stack;
        state.forks += u32::from(!std::mem::take(&mut self.running.routine));
        let loc = self.loc(&state);
        let mut state = self.suspend(state);
        let mut builder = self.builder(state.block);
        builder.at(loc);
        let (then, other) = (builder.create_block(), builder.create_block());
        builder.branch(cond, then, other);
        let mut otherwise = state.clone();
        state.block = then;
        state.answers.push(true);
        otherwise.block = other;
        otherwise.answers.push(false);
        vec![state, otherwise]
    }

    /// Merges paths at one place: one path for each shape.
    pub(crate) fn merge(&mut self, group: Vec<State>) -> Result<Vec<State>, Abort> {
        if group.len() == 1 {
            return Ok(group);
        }
        let group = match group.first().is_some_and(|it| self.learnt.guess.pools.is_place(it)) {
            true => group.iter().map(|it| self.with_rows(it)).collect::<Result<_, _>>()?,
            false => group,
        };
        let roots = group.iter().flat_map(|state| shape::changed_roots(self, state)).collect::<BTreeSet<_>>();
        let is_at_join = group.first().is_some_and(State::is_at_join);
        let mut classes: IndexMap<(Shape, Key), Vec<(State, Leaves)>, FxBuildHasher> = IndexMap::default();
        let are_many = group.len() > MAX_VARIANTS;
        for state in group {
            // Comparing many paths takes long by itself.
            if are_many && self.rules.allowance.is_over() {
                return Err(Abort::Plain(too_slow()));
            }
            let outline = shape::outline(self, &state, &roots);
            let key = self.choosing.key(&outline);
            classes.entry((outline.shape, key)).or_default().push((state, outline.leaves));
        }
        // What is differentiated has no plain Python to go on in: rather more code than none.
        let most = if self.rules.detached { MAX_VARIANTS_DETACHED } else { MAX_VARIANTS };
        let is_kept_apart = || classes.keys().map(|(shape, _)| shape).collect::<FxHashSet<_>>().len() <= most;
        if classes.len() > most && is_at_join && !is_kept_apart() {
            let states: Vec<State> = classes.into_iter().map(|(_, mut it)| it.swap_remove(0).0).collect();
            if let Some(again) = self.pool_differing(&states, true) {
                return Err(again);
            }
            if let Some(sites) = self.differing_sites(&states) {
                return Err(Abort::Learn(Assumption::Opaque(sites)));
            }
            if let Some(again) = self.begin_without_made() {
                return Err(again);
            }
            let refusal = self.too_many(&states);
            return Err(self.refuse_at(&states[0], refusal));
        }
        Ok(classes.into_iter().map(|(_, members)| self.join(members, &roots)).collect())
    }

    fn join(&mut self, mut members: Vec<(State, Leaves)>, roots: &BTreeSet<u32>) -> State {
        if members.len() == 1 {
            return members.swap_remove(0).0;
        }
        let count = members[0].1.len();
        let differs: Vec<bool> = (0..count)
            .map(|index| members.iter().any(|(_, leaves)| leaves[index].0 != members[0].1[index].0))
            .collect();
        let types: Vec<Type> = members[0].1.iter().map(|(_, ty)| *ty).collect();
        let mut builder = self.builder(members[0].0.block);
        let block = builder.create_block();
        let params: Vec<Option<Value>> =
            differs.iter().zip(&types).map(|(differs, &ty)| differs.then(|| builder.append_param(block, ty))).collect();
        let arrivals = members.iter().map(|(state, leaves)| (state.block, leaves.clone())).collect::<Vec<_>>();
        self.jump_all(&arrivals, block, &differs);
        let forks = members.iter().map(|(state, _)| state.forks).max().unwrap_or(0);
        let reach = members.iter().map(|(state, _)| state.reach).reduce(Reach::meet).unwrap_or_default();
        let reread = members.iter().fold(members[0].0.reread.clone(), |known, (state, _)| known.meet(&state.reread));
        let tags = members.iter().fold(members[0].0.tags.clone(), |known, (state, _)| known.meet(&state.tags));
        let reps: Vec<_> = params.iter().map(|param| param.map(|value| self.rep(value))).collect();
        let mut merged = shape::replace_leaves(self, &members[0].0, roots, |index, object| match &reps[index] {
            Some(rep) => rep.clone(),
            None => object.clone(),
        });
        let states: Vec<&State> = members.iter().map(|(state, _)| state).collect();
        self.meet_dead(&mut merged, &states, false);
        merged.block = block;
        merged.forks = forks;
        merged.reach = reach;
        merged.reread = reread;
        merged.tags = tags;
        merged
    }

    fn jump_all(&mut self, arrivals: &[(Block, Leaves)], target: Block, passed: &[bool]) {
        for (block, leaves) in arrivals {
            let mut args = Vec::new();
            for ((leaf, _), _) in leaves.iter().zip(passed).filter(|(_, passed)| **passed) {
                args.push(match *leaf {
                    Leaf::Static(constant) => self.constant(*block, constant),
                    Leaf::Staged(value) => value,
                });
            }
            self.builder(*block).jump(target, args);
        }
    }

    /// What these paths enter, a loop or the whole call, cannot be captured: they go on as plain Python there.
    pub(crate) fn leave_at(&mut self, entries: &[State], mark: Mark, refusal: Box<Refusal>) -> Result<(), Abort> {
        self.roll_back(mark);
        for entry in entries {
            self.builder(entry.block).terminate(Terminator::None);
            self.activate(entry);
            if !self.resume_plainly(entry, &refusal) {
                return Err(self.refuse_at(entry, refusal));
            }
        }
        Ok(())
    }

    /// Gives each path a new block of its own, so that its old one can be ended otherwise later.
    pub(crate) fn enter_plain(&mut self, states: &[State]) -> Vec<State> {
        let mut entered = states.to_vec();
        for state in &mut entered {
            let mut builder = self.builder(state.block);
            let block = builder.create_block();
            builder.jump(block, Vec::new());
            state.block = block;
        }
        entered
    }

    pub(crate) fn roll_back(&mut self, mark: Mark) {
        let any = snekpy_stage::entity::Entity::new(0);
        self.builder(any).rollback(mark);
        let left = self.uncounted.partition_point(|&it| it < self.func.insts.len());
        self.uncounted.truncate(left);
        self.forget_constants();
    }
}

/// Whether the instruction does nothing but turn what is on top of the stack into a way to go.
fn is_test(op: Opcode) -> bool {
    matches!(
        op,
        Opcode::ToBool
            | Opcode::UnaryNot
            | Opcode::PopJumpIfTrue
            | Opcode::PopJumpIfFalse
            | Opcode::PopJumpIfNone
            | Opcode::PopJumpIfNotNone
    )
}
