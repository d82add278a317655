//! Loops.
//!
//! A loop unrolls, too, if it is a `for` over a range of at most 8 numbers, or of at most 256 when all iterations together
//! make at most 256 instructions; if nothing in it is known only later, over a range of at most 32 numbers, or as long as
//! going round takes little work (one that takes more begins anew as a loop, where the containers that it fills are short);
//! if it is a `for` over items known one by one, or another loop that took no decision on a
//! Rep: the last two for up to 256 iterations and 20,000 instructions. A loop over a range of at most 256 numbers that
//! cannot be captured without leaving is unrolled after all, within the same bounds, if it is short or indexes what is
//! known with its number. Otherwise it is captured with what leaves.
//!
//! A loop has a header for each shape: here block0 with `y` None, which no path comes back to, and block2 with `y` a float.
//! A function with results of two shapes leaves through two exits.
//!
//! ```text
//! def f(x):                        func @f(v0: f64) -> () {
//!     y = None                     block0:
//!     while x > 1.0:                   v1: f64 = const 1.0
//!         y = x                        v2: bool = gt v0, v1
//!         x = x / 3.0                  branch v2, block1, block5
//!     return y                     block1:
//!                                      v3: f64 = const 3.0
//!                                      v4: f64 = div v0, v3
//!                                      jump block2(v4, v0)
//!                                  block2(v5: f64, v6: f64):
//!                                      v7: bool = gt v5, v1
//!                                      branch v7, block3, block4
//!                                  block3:
//!                                      v8: f64 = div v5, v3
//!                                      jump block2(v8, v5)
//!                                  block4:
//!                                      exit exit6(v6)          ; "return" of a float
//!                                  block5:
//!                                      exit exit5              ; "return" of None
//!                                  }
//! ```

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap as HashMap;
use rustpython_vm::AsObject;
use snekpy_stage::build::Mark;
use snekpy_stage::entity::{Block, Value};
use snekpy_stage::ir::Terminator;

use super::apart::{Apart, Key};
use super::{Abort, Leaves, MAX_VARIANTS};
use crate::capture::assumptions::Assumption;
use crate::capture::checkpoint;
use crate::capture::counted::Counted;
use crate::capture::helpers::is_one_step;
use crate::capture::session::Session;
use crate::capture::shape::{self, Form, Grown, Outline, Shape};
use crate::capture::state::{Place, State};
use crate::capture::step::{Refused, refuse};
use crate::capture::tick::MAX_COUNTED_ROUNDS;
use crate::code::Pc;
use crate::limits::budget;
use crate::refusal::Refusal;

/// How many times a loop without a decision on a Rep is unrolled.
pub(crate) const MAX_UNROLL: usize = 256;
/// How often a loop that cannot be captured is tried.
const MAX_REFUSALS: u32 = 3;
/// How often a loop may go round while capturing in which nothing is staged.
const MAX_STATIC_ROUNDS: usize = 100_000;
/// How much work may be done in it ([`budget`]) before it is captured like others, which takes less. Where it cannot be, it
/// goes on.
const STATIC_WORK: u64 = 4000;
/// How much IR an unrolled loop may make.
const MAX_UNROLLED_SIZE: usize = 20_000;
/// A loop over a range of at most this many numbers is unrolled without asking how much IR that makes.
const SHORT_RANGE: usize = 8;
/// A longer one is unrolled while it makes at most this much IR.
const SMALL_UNROLLED_SIZE: usize = 256;
/// One that would leave as a loop is unrolled rather, while it makes at most this much IR.
const LEAVING_UNROLLED_SIZE: usize = 1000;
/// The same for one that works on a device: all that it begins there is one piece of work then.
const LEAVING_UNROLLED_SIZE_THERE: usize = 2500;

/// Of so many paths that come back, what grows from one to the next would soon have made too many.
const FEW_VARIANTS: usize = 3;

/// The code of the refusal of a loop whose iterations are better captured one by one, as what they index is known.
const BETTER_UNROLLED: &str = "S000";

/// What a loop carried round when it was explored before: where to begin next time.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoopMemory {
    captured: bool,
    /// How often it could not be captured, and why the last time.
    refused: Option<(u32, Box<Refusal>)>,
    pub(crate) masks: HashMap<Shape, Vec<bool>>,
    /// The masks of the last attempt, in order. Objects that are made anew in each attempt, exceptions and large ints,
    /// make new shapes of the same paths.
    latest: Vec<Vec<bool>>,
    /// Of paths of these forms, the lists that the loop changes the length of, with their types.
    pub(crate) grown: Vec<(Form, BTreeMap<usize, Grown>)>,
    pub(crate) roots: BTreeSet<u32>,
    pub(super) apart: Apart,
    /// Whether containers become some of the compiled code in it even if it could be unrolled.
    pub(crate) may_grow: bool,
    /// Whether it changes the world.
    acts: bool,
}

/// A loop whose body is being explored.
pub(super) struct Region {
    /// The frames outside, and the header.
    pub(super) place: Place,
    /// The index of the loop in its code.
    pub(super) index: usize,
}

/// The header of a loop for paths of one shape.
pub(crate) struct Header {
    pub(super) outline: Outline,
    /// The values of what is kept apart, and whether there is another header for paths of the shape.
    key: Key,
    is_further: bool,
    mask: Vec<bool>,
    /// The parameters, of the leaves that the mask says.
    pub(super) params: Vec<Option<Value>>,
    block: Block,
    pub(crate) state: State,
    /// Whether it begins with a checkpoint.
    has_own: bool,
    pub(super) arrivals: Vec<(Block, Leaves)>,
}

impl Session<'_> {
    /// Explores a loop that these paths enter. Gives the paths that leave it.
    pub(super) fn run_loop(&mut self, group: Vec<State>, region: &Region) -> Result<Vec<State>, Abort> {
        let mut current = self.merge(group)?;
        let entries = (current.clone(), self.builder(current[0].block).mark());
        let mut was_static = true;
        let mut left = Vec::new();
        let size = self.func.insts.len();
        let mut rounds = 0;
        let (mut must_unroll, mut may_leave) = (false, false);
        let (spent, mut stays_static) = (budget::spent(), false);
        let mut memory = self.learnt.loops.get(&region.place).cloned().unwrap_or_default();
        if let Some((MAX_REFUSALS.., refusal)) = &memory.refused {
            let mark = self.builder(current[0].block).mark();
            self.leave_at(&current, mark, refusal.clone())?;
            return Ok(left);
        }
        while !current.is_empty() {
            let mut mark = self.builder(current[0].block).mark();
            let range = self.counted(&current);
            let (mut is_long, mut estimate, mut most_leaving) = (false, usize::MAX, LEAVING_UNROLLED_SIZE);
            if !memory.captured || must_unroll {
                let before = self.func.insts.len();
                let parked = self.calls.parked.len();
                let forks = current.iter().map(|state| state.forks).max().unwrap_or(0);
                let entries = self.enter_plain(&current);
                let ends = self.run_region(entries, Some(region))?;
                let emitted = self.emitted_since(before);
                if self.works_on_device_since(before) {
                    most_leaving = LEAVING_UNROLLED_SIZE_THERE;
                }
                let most = if self.rules.allowance.counts_ticks { MAX_COUNTED_ROUNDS } else { MAX_STATIC_ROUNDS };
                let forked = ends.back.len() > current.len()
                    || self.calls.parked.len() > parked
                    || ends.back.iter().chain(&ends.left).any(|state| state.forks > forks);
                let is_static = emitted == 0 && !forked;
                if let Counted::Range(length) = range {
                    estimate = length.saturating_mul(emitted);
                }
                was_static &= is_static && ends.left.is_empty();
                is_long = is_static
                    && !self.ends_soon(&current)
                    && (matches!(range, Counted::Range(_)) || budget::spent().wrapping_sub(spent) > STATIC_WORK);
                let may_unroll = match range {
                    _ if must_unroll => rounds < MAX_UNROLL && self.func.insts.len() - size <= MAX_UNROLLED_SIZE,
                    _ if is_static => rounds < most && (stays_static || !is_long),
                    Counted::Range(length) => {
                        length <= SHORT_RANGE || length <= MAX_UNROLL && estimate <= SMALL_UNROLLED_SIZE
                    }
                    Counted::Items(left) if forked && self.grows(left, &ends.back) => false,
                    Counted::Items(_) => rounds < MAX_UNROLL && self.func.insts.len() - size <= MAX_UNROLLED_SIZE,
                    Counted::No => !forked && rounds < MAX_UNROLL && self.func.insts.len() - size <= MAX_UNROLLED_SIZE,
                };
                if ends.back.is_empty() || may_unroll {
                    left.extend(ends.left);
                    current = if ends.back.is_empty() { Vec::new() } else { self.merge(ends.back)? };
                    rounds += 1;
                    continue;
                }
                if must_unroll || rounds >= most {
                    let refusal = self.too_long(&current[0], rounds, most);
                    self.calls.parked.truncate(parked);
                    self.remember_refusal(region, &refusal);
                    self.leave_at(&current, mark, refusal)?;
                    return Ok(left);
                }
            }
            if is_long && was_static {
                // Containers are shorter where the loop begins.
                current.clone_from(&entries.0);
                mark = entries.1;
                rounds = 0;
            }
            memory.may_grow = is_long;
            let voluntary = !may_leave && matches!(range, Counted::Range(length) if length <= MAX_UNROLL);
            self.calls.voluntary += u32::from(voluntary);
            let parked = self.calls.parked.len();
            let kept = self.choosing.mark();
            let captured = self.capture_loop(&current, region, &mut memory, mark);
            self.choosing.end(kept);
            self.calls.voluntary -= u32::from(voluntary);
            match captured {
                Ok(states) => {
                    memory.captured = true;
                    self.learnt.loops.insert(region.place.clone(), memory);
                    left.extend(states);
                    return Ok(left);
                }
                Err(Abort::Refuse(refusal)) if voluntary || is_long => {
                    self.roll_back(mark);
                    self.calls.parked.truncate(parked);
                    may_leave = voluntary && estimate > most_leaving && refusal.code != BETTER_UNROLLED;
                    (must_unroll, stays_static) = (voluntary && !may_leave, is_long);
                }
                Err(Abort::Refuse(refusal)) => {
                    self.calls.parked.truncate(parked);
                    self.remember_refusal(region, &refusal);
                    self.leave_at(&current, mark, refusal)?;
                    return Ok(left);
                }
                Err(abort) => return Err(abort),
            }
        }
        Ok(left)
    }

    /// When the loops outside are explored again, this one is not tried for ever.
    fn remember_refusal(&mut self, region: &Region, refusal: &Refusal) {
        let memory = self.learnt.loops.entry(region.place.clone()).or_default();
        let count = memory.refused.as_ref().map_or(0, |(count, _)| *count);
        memory.refused = Some((count + 1, Box::new(refusal.clone())));
    }

    fn capture_loop(
        &mut self,
        entries: &[State],
        region: &Region,
        memory: &mut LoopMemory,
        mark: Mark,
    ) -> Result<Vec<State>, Abort> {
        let parked = self.calls.parked.len();
        let mut headers: Vec<Header> = Vec::new();
        let choosing = self.choosing.mark();
        'again: loop {
            self.choosing.begin(choosing, &memory.apart);
            let latest = headers.drain(..).map(|header| header.mask).collect();
            memory.latest = if memory.masks.is_empty() { Vec::new() } else { latest };
            self.roll_back(mark);
            self.calls.parked.truncate(parked);
            for entry in entries {
                // The block was ended by the attempt before.
                self.builder(entry.block).terminate(Terminator::None);
            }
            let mut left = Vec::new();
            let mut changed = false;
            for entry in entries {
                changed |= self.arrive(entry, &mut headers, memory)?;
            }
            let mut explored = 0;
            while explored < headers.len() {
                let state = headers[explored].state.clone();
                explored += 1;
                let ends = self.run_region(vec![state], Some(region))?;
                changed |= self.keep_apart(&headers, memory);
                for state in &ends.back {
                    changed |= self.arrive(state, &mut headers, memory)?;
                }
                if changed {
                    continue 'again;
                }
                left.extend(ends.left);
            }
            if changed {
                continue 'again;
            }
            for header in &headers {
                self.jump_all(&header.arrivals, header.block, &header.mask);
            }
            return Ok(left);
        }
    }

    /// A path arrives at the header of a loop. Whether more has to be carried round than was thought.
    fn arrive(&mut self, state: &State, headers: &mut Vec<Header>, memory: &mut LoopMemory) -> Result<bool, Abort> {
        let state = &self.with_rows(state)?;
        let roots = shape::changed_roots(self, state);
        if !roots.is_subset(&memory.roots) {
            memory.roots.extend(roots);
            memory.masks.clear();
            return Ok(true);
        }
        let state = &self.with_grown_lists(state, memory)?;
        let outline = shape::outline(self, state, &memory.roots);
        let key = memory.apart.key(&outline);
        let same = |header: &&mut Header| header.key == key && header.outline.shape == outline.shape;
        if let Some(header) = headers.iter_mut().find(same) {
            if !self.rules.detached && !header.has_own && !state.reach.has_same_checkpoint(header.state.reach) {
                return Err(self.abort(checkpoint::stuck(), state));
            }
            let mut changed = state.reach.has_acted && !header.state.reach.has_acted;
            memory.acts |= changed;
            for (index, (leaf, _)) in outline.leaves.iter().enumerate() {
                if !header.mask[index] && *leaf != header.outline.leaves[index].0 {
                    header.mask[index] = true;
                    changed = true;
                }
            }
            if changed {
                memory.masks.insert(outline.shape, header.mask.clone());
            }
            self.tell_dead(&header.state, state);
            // The jump from here polls.
            self.note_effects(state);
            header.arrivals.push((state.block, outline.leaves));
            return Ok(changed);
        }
        if memory.apart.is_too_many(headers.len()) {
            return Ok(true);
        }
        let variants = headers.iter().filter(|it| !it.is_further).count();
        if memory.apart.lets_grow(variants) && self.grow_lists(state, headers, memory) {
            return Ok(true);
        }
        let is_further = headers.iter().any(|it| it.outline.shape == outline.shape);
        if variants == MAX_VARIANTS || variants >= FEW_VARIANTS && self.calls.voluntary == 0 {
            let mut states: Vec<State> = headers.iter().map(|header| header.state.clone()).collect();
            states.push(state.clone());
            let are_many = variants == MAX_VARIANTS;
            if let Some(again) = self.pool_differing(&states, are_many) {
                return Err(again);
            }
            let sites = match are_many {
                true => self.differing_sites(&states),
                false => self.growing_sites(&states),
            };
            if let Some(sites) = sites {
                return Err(Abort::Learn(Assumption::Opaque(sites)));
            }
            if are_many {
                return Err(self.begin_without_made().unwrap_or_else(|| Abort::Refuse(self.too_many(&states))));
            }
        }
        let count = outline.leaves.len();
        let known = memory.masks.get(&outline.shape).or_else(|| memory.latest.get(headers.len()));
        let mut mask = known.filter(|mask| mask.len() == count).cloned().unwrap_or_else(|| vec![false; count]);
        memory.apart.settle(&outline, &mut mask);
        let mut builder = self.builder(state.block);
        let block = builder.create_block();
        let params: Vec<Option<Value>> = mask
            .iter()
            .zip(&outline.leaves)
            .map(|(&it, &(_, ty))| it.then(|| builder.append_param(block, ty)))
            .collect();
        self.choosing.tell(memory.apart.params(&outline, &params));
        let reps: Vec<_> = params.iter().map(|param| param.map(|value| self.rep(value))).collect();
        let mut inside = shape::replace_leaves(self, state, &memory.roots, |index, object| match &reps[index] {
            Some(rep) => rep.clone(),
            None => object.clone(),
        });
        self.meet_dead(&mut inside, &[state], true);
        inside.block = block;
        inside.reread.forget();
        inside.tags.forget();
        if is_one_step(state, self.vm) {
            self.builder(block).keep_quiet(block);
        }
        inside.reach.has_acted |= memory.acts;
        self.activate(&inside);
        let has_own = self.checkpoint(&mut inside);
        if !self.rules.detached && !inside.reach.is_reached() {
            return Err(self.abort(checkpoint::stuck(), &inside));
        }
        let arrivals = vec![(state.block, outline.leaves.clone())];
        headers.push(Header { outline, key, is_further, mask, params, block, state: inside, has_own, arrivals });
        Ok(false)
    }

    fn too_long(&self, state: &State, rounds: usize, most: usize) -> Box<Refusal> {
        let message = if rounds >= most {
            format!("this loop goes round more than {most} times while capturing")
        } else {
            format!(
                "this loop was unrolled {MAX_UNROLL} times or makes more than {MAX_UNROLLED_SIZE} instructions, and it cannot be a loop in the code"
            )
        };
        let mut refusal = Refusal::new("S131", message).help("loop over a `range` or an array, or use fewer items");
        refusal.places = self.places(state);
        Box::new(refusal)
    }
}

/// Where a loop that could be unrolled indexes what is known by its number.
pub(crate) fn better_unrolled() -> Refused {
    refuse(BETTER_UNROLLED, "this loop is better unrolled")
}

impl Region {
    pub(super) fn is_header(&self, state: &State) -> bool {
        state.answers.is_empty() && state.place() == self.place
    }

    pub(super) fn contains(&self, state: &State) -> bool {
        let depth = self.place.0.len();
        if state.frames.len() < depth {
            return false;
        }
        let outer = &self.place.0[..depth - 1];
        let same = |(frame, (code, pc)): (&crate::capture::state::Frame, &(usize, Pc))| {
            frame.code.object.get_id() == *code && frame.pc == *pc
        };
        let frame = &state.frames[depth - 1];
        state.frames.iter().zip(outer).all(same)
            && frame.code.object.get_id() == self.place.0[depth - 1].0
            && frame.code.in_loop(frame.pc, self.index)
    }
}
