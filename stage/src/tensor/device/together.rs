//! Small kernels that follow each other, as one kernel of one block.
//!
//! A kernel that computes some thousands of elements takes less time than it takes to begin it. Where recorded work (`Work`) has
//! several such kernels in a row, one kernel does what they do: the threads of one block go through the positions, or rows, of
//! each of them, and meet at a barrier before they go on with the next. What a thread computes, and the order in which sums are
//! added up, are those of the kernels themselves, so that all bits are the same.
//!
//! A kernel that follows itself on other memory, as in iterations that are begun ahead, is begun once for several rounds.
//!
//! The device says which kernels are small, and after how much work the one of them pays ([`OneBlock`]): it has to be compiled.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::run::together_code;
use super::step::Step;
use super::sweep::{Access, Input, Job, Level, Member, Run, Sweep, Teams, Value};
use super::work::Work;
use super::{Device, Product};
use crate::backend::BackendError;
use crate::tensor::Dtype;
use crate::tensor::elementwise::{Num2, Real2};
use crate::tensor::reduce::{BLOCK, LANES};

/// Words of parameters that a kernel is begun with, at most: a driver takes 4,352 bytes of them.
pub const MOST_WORDS: usize = 512;
/// A kernel has no more parts, and no more operations: it is to be compiled in little time.
const MOST_PARTS: usize = 64;
const MOST_MEMBERS: usize = 512;
/// Threads of the block: fewer where each keeps so many bytes of a row in registers.
const THREADS: usize = 512;
const FEW_THREADS: usize = 256;
const MANY_BYTES: usize = 256;
/// Words that a product is passed as: its factors, its columns, how many products are added up, and whether zero is added then.
pub const PRODUCT_WORDS: usize = 5;

/// One of the kernels.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Part {
    /// What it computes.
    pub sweep: Sweep,
    /// The input that is no memory, but a product of two matrices, with an element for each position of the sweep, which is flat
    /// then. An element is a chain of fused multiplications and additions from zero on, the first product first.
    pub product: Option<u16>,
}

/// What one of them is run on.
#[derive(Clone, Debug)]
pub struct PartRun {
    /// The operands. Those of the input that is a product are not looked at.
    pub run: Run,
    /// The factors of the product.
    pub product: Option<Product>,
}

/// The code of several kernels as one.
pub trait TogetherCode: Send + Sync {
    /// Begins it for some rounds, one after the other. What was begun before is done before.
    ///
    /// # Errors
    /// A [`BackendError`] when the machine cannot.
    ///
    /// # Safety
    /// Each round has what each part is run on, which lies in the memory of the device that the code is for.
    unsafe fn run(&self, rounds: &[Vec<PartRun>]) -> Result<(), BackendError>;
}

/// What a device has one block do.
#[derive(Clone, Copy, Debug)]
pub struct OneBlock {
    /// Kernels of more [work](Part::work) are none of its.
    pub most_work: u64,
    /// So many launches must have been more than needed, for each part that is to be compiled, before it is.
    pub pays_after: u64,
    /// The same before it is looked whether it has been compiled before, in another process.
    pub looks_after: u64,
}

/// How many threads the block for some parts has.
pub fn threads(parts: &[Part]) -> usize {
    let is_wide = |it: &Part| {
        let size = it.sweep.members.iter().map(|it| it.dtype.size()).max().unwrap_or(1).max(4);
        it.sweep.len.is_some_and(|len| Teams::of(len).per_thread * size >= MANY_BYTES)
    };
    if parts.iter().any(is_wide) { FEW_THREADS } else { THREADS }
}

/// What a job takes of a thread, in instructions: an estimate.
fn cost(member: &Member) -> u64 {
    let is_double = member.dtype == Dtype::F64;
    let function = if is_double { 100 } else { 30 };
    match member.job {
        Job::Real1(op) if op.is_exact() => 10,
        Job::Real1(_) | Job::Bits { .. } => function,
        Job::Real2(Real2::Atan2 | Real2::Fmod | Real2::Hypot | Real2::LogAddExp) => 2 * function,
        Job::Num2(Num2::FloorDiv | Num2::Mod | Num2::Pow) => 2 * function,
        Job::Real2(_) => 10,
        Job::Gather | Job::AddAt(_) | Job::Concat(_) | Job::Triangle { .. } => 10 * member.args.len() as u64,
        Job::Fold(_) | Job::Arg { .. } => 6,
        _ => 3,
    }
}

impl Part {
    /// A product by itself.
    fn of_product(dtype: Dtype) -> Self {
        let input = Input { dtype, level: Level::Each, access: Access::Unit };
        let member = Member { job: Job::Copy, dtype, level: Level::Each, args: vec![Value::Input(0)] };
        let (inputs, members, outputs) = (vec![input], vec![member], vec![0]);
        let sweep = Sweep { rank: 1, len: None, inputs, members, outputs, in_place: false, strided: false };
        Self { sweep, product: Some(0) }
    }

    /// How many words it is passed.
    pub fn words(&self) -> usize {
        let Sweep { rank, len, inputs, outputs, strided, .. } = &self.sweep;
        let extents = if len.is_some() { 0 } else { rank - 1 };
        let inputs: usize = inputs.iter().map(|it| 1 + self.sweep.steps(it)).sum();
        let steps = if *strided { *rank } else { 0 };
        1 + extents + inputs + outputs.len() + steps + self.product.map_or(0, |_| PRODUCT_WORDS)
    }

    /// What a block has to do, in instructions that one of its threads executes for all of them, as if one came after the other.
    /// Threads wait for memory each time that they all go on with other positions. An estimate, which nobody has measured.
    pub fn work(&self, given: &PartRun) -> u64 {
        /// For a position: where it is; along a further axis; an input that is read.
        const EACH: u64 = 10;
        const AXIS: u64 = 25;
        const INPUT: u64 = 3;
        /// All threads wait for memory, and for one of the products that are added up, as long as this takes.
        const WAIT: u64 = 10_000;
        const WAIT_OF_SUM: u64 = 400;
        /// Positions that a thread of a flat sweep has at once.
        const AT_ONCE: u64 = 4;
        let Sweep { rank, len, inputs, members, .. } = &self.sweep;
        let dims = &given.run.dims;
        let per_position: u64 = EACH + INPUT * inputs.len() as u64 + members.iter().map(cost).sum::<u64>();
        match len {
            Some(len) => {
                let (rows, len) = (dims[0] as u64, *len as u64);
                let team = (LANES as u64).max(len.next_multiple_of(LANES as u64));
                let at_once = if len > BLOCK as u64 { 1 } else { (THREADS / LANES) as u64 };
                rows * team * per_position + rows.div_ceil(at_once) * WAIT
            }
            None => {
                let count = dims.iter().product::<usize>() as u64;
                let depth = given.product.map_or(0, |it| it.k as u64);
                let axes = AXIS * (*rank as u64 - 1) + depth.min(1) * AXIS;
                let turns = count.div_ceil(THREADS as u64 * AT_ONCE);
                count.saturating_mul(per_position + axes + depth.saturating_mul(4))
                    + turns.saturating_mul(WAIT + WAIT_OF_SUM * depth)
            }
        }
    }
}

/// The code of some parts, and what it is called.
pub(super) struct Coded {
    pub(super) code: Arc<dyn TogetherCode>,
    pub(super) words: String,
}

impl Coded {
    pub(super) fn of(device: &dyn Device, parts: &[Part]) -> Result<Self, BackendError> {
        let words = |it: &Part| match it.product {
            Some(_) => format!("product, {}", it.sweep.words()),
            None => it.sweep.words(),
        };
        let words = parts.iter().map(words).collect::<Vec<_>>().join("; ");
        Ok(Self { code: device.together(parts)?, words })
    }
}

impl Step {
    /// As a part of a kernel of one block, if it can be one.
    fn part(&self, device: &dyn Device) -> Option<Part> {
        match self {
            Self::Sweep(code, _) => Some(Part { sweep: code.sweep.clone(), product: None }),
            Self::Product(it) if it.tail.is_none() && device.chains(it) => Some(Part::of_product(it.dtype)),
            Self::ProductInto(it, epilogue, _) if it.tail.is_none() && device.chains(it) => {
                Some(Part { sweep: epilogue.sweep.clone(), product: Some(epilogue.input) })
            }
            _ => None,
        }
    }

    /// What it is run on as such a part.
    fn into_part_run(self) -> Option<PartRun> {
        match self {
            Self::Sweep(_, run) => Some(PartRun { run, product: None }),
            Self::Product(it) => Some(PartRun { run: Run::of_product(&it), product: Some(it) }),
            Self::ProductInto(it, _, run) => Some(PartRun { run, product: Some(it) }),
            Self::Products(_) | Self::Kernel(..) | Self::Together(..) => None,
        }
    }
}

/// Which steps of some work become one.
pub(super) struct Joins {
    groups: Vec<Group>,
    begun: AtomicU64,
    /// Whether it was looked if the code has been made in another process.
    has_looked: AtomicBool,
    /// The code of each group, once it pays; nothing if the device has none.
    made: OnceLock<Option<Vec<Arc<Coded>>>>,
}

struct Group {
    steps: Range<usize>,
    parts: Vec<Part>,
}

impl Joins {
    /// Of the steps of work on a device.
    pub(super) fn of(device: &dyn Device, steps: &[Step]) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        if let Some(limits) = device.one_block() {
            let mut last = Room::default();
            for (at, step) in steps.iter().enumerate() {
                let part = step.part(device);
                let run = part.as_ref().and_then(|_| step.clone().into_part_run());
                let is_small =
                    |(part, run): &(Part, PartRun)| part.work(run) <= limits.most_work && Room::default().takes(part);
                let Some((part, _)) = part.zip(run).filter(is_small) else {
                    continue;
                };
                match groups.last_mut().filter(|it| it.steps.end == at && last.takes(&part)) {
                    Some(group) => {
                        group.steps.end = at + 1;
                        group.parts.push(part);
                    }
                    None => {
                        last = Room::default();
                        last.takes(&part);
                        groups.push(Group { steps: at..at + 1, parts: vec![part] });
                    }
                }
            }
        }
        groups.retain(|it| it.parts.len() > 1);
        Self { groups, begun: AtomicU64::new(0), has_looked: AtomicBool::new(false), made: OnceLock::new() }
    }

    /// Of the steps of some work, one after the other.
    pub(super) fn of_all<'a>(device: &dyn Device, works: impl Iterator<Item = &'a Work> + Clone) -> Self {
        let steps: Vec<Step> = works.clone().flat_map(|it| it.steps.iter().cloned()).collect();
        let begun = works.map(|it| it.joins.begun.load(Ordering::Relaxed)).min();
        Self { begun: AtomicU64::new(begun.unwrap_or(0)), ..Self::of(device, &steps) }
    }

    /// Notes that the work is begun so many times. Code is made as soon as it pays.
    pub(super) fn begin(&self, device: &Arc<dyn Device>, times: usize) {
        let begun = self.begun.fetch_add(times as u64, Ordering::Relaxed) + times as u64;
        if self.groups.is_empty() || self.made.get().is_some() {
            return;
        }
        let Some(limits) = device.one_block() else { return };
        let saved: u64 = self.groups.iter().map(|it| it.parts.len() as u64 - 1).sum();
        let compiled: u64 = self.groups.iter().map(|it| it.parts.iter().collect::<HashSet<_>>().len() as u64).sum();
        let are_more_than = |each: u64| begun.saturating_mul(saved) >= compiled.saturating_mul(each);
        let is_made = || {
            let looks = are_more_than(limits.looks_after) && !self.has_looked.swap(true, Ordering::Relaxed);
            looks && self.groups.iter().all(|it| device.has_made(&it.parts))
        };
        if are_more_than(limits.pays_after) || is_made() {
            self.made.get_or_init(|| self.groups.iter().map(|it| together_code(device, &it.parts).ok()).collect());
        }
    }

    /// How many kernels have become how many.
    pub(super) fn counts(&self) -> (usize, usize) {
        match self.made() {
            Some(_) => (self.groups.iter().map(|it| it.parts.len()).sum(), self.groups.len()),
            None => (0, 0),
        }
    }

    fn made(&self) -> Option<&Vec<Arc<Coded>>> {
        self.made.get().and_then(Option::as_ref)
    }

    /// The steps of the work, wherever their memory is, with one for each group.
    pub(super) fn joined(&self, steps: Vec<Step>) -> Vec<Step> {
        let Some(made) = self.made() else { return steps };
        let mut groups = self.groups.iter().zip(made).peekable();
        let (mut joined, mut runs) = (Vec::new(), Vec::new());
        for (at, step) in steps.into_iter().enumerate() {
            match groups.peek() {
                Some((group, code)) if group.steps.contains(&at) => {
                    runs.push(step.into_part_run().expect("it is a part of the group"));
                    if at + 1 == group.steps.end {
                        joined.push(Step::Together(Arc::clone(code), vec![std::mem::take(&mut runs)]));
                        groups.next();
                    }
                }
                _ => joined.push(step),
            }
        }
        joined
    }
}

/// Steps of iterations, one after the other, of which those that follow themselves become rounds of one.
pub(super) fn in_rounds(steps: Vec<Step>) -> Vec<Step> {
    let mut all: Vec<Step> = Vec::new();
    for step in steps {
        match (all.last_mut(), step) {
            (Some(Step::Together(code, rounds)), Step::Together(other, mut more)) if Arc::ptr_eq(code, &other) => {
                rounds.append(&mut more);
            }
            (_, step) => all.push(step),
        }
    }
    all
}

/// What a group has by now.
#[derive(Default)]
struct Room {
    parts: usize,
    words: usize,
    members: usize,
}

impl Room {
    /// Takes one more part, if there is room for it.
    fn takes(&mut self, part: &Part) -> bool {
        let (words, members) = (self.words + part.words(), self.members + part.sweep.members.len());
        let fits = self.parts < MOST_PARTS && words <= MOST_WORDS && members <= MOST_MEMBERS;
        if fits {
            *self = Self { parts: self.parts + 1, words, members };
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_words(inputs: usize) -> Part {
        let mut part = Part::of_product(Dtype::F32);
        let input = part.sweep.inputs[0];
        part.sweep.inputs = vec![input; inputs];
        Part { product: None, ..part }
    }

    #[test]
    fn no_kernel_has_more_words_than_there_is_room_for() {
        let mut room = Room::default();
        assert!(room.takes(&of_words(MOST_WORDS - 2)), "its positions, and where it goes, are words, too");
        assert!(!room.takes(&of_words(1)));
        assert!(!Room::default().takes(&of_words(MOST_WORDS - 1)));
        let mut room = Room::default();
        assert_eq!((0..100).filter(|_| room.takes(&of_words(1))).count(), MOST_PARTS);
    }

    #[test]
    fn small_is_what_takes_one_block_no_longer_than_a_launch() {
        let flat = |count: usize| PartRun {
            run: Run { dims: vec![count], inputs: Vec::new(), outputs: Vec::new(), to_steps: Vec::new() },
            product: None,
        };
        let work = |n: usize| {
            let product = Product { dtype: Dtype::F32, m: n, n, k: n, a: 0, tail: None, b: 0, to: 0 };
            Part::of_product(Dtype::F32).work(&PartRun { product: Some(product), ..flat(n * n) })
        };
        assert!(work(8) < work(24) && work(24) < 100_000 && work(64) > 1_000_000);
        assert!(of_words(2).work(&flat(1000)) < of_words(2).work(&flat(4000)));
        assert!(of_words(2).work(&flat(3000)) < 100_000 && of_words(2).work(&flat(100_000)) > 1_000_000);
    }
}
