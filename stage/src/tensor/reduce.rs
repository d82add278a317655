//! Many elements to one, in an order that is part of the meaning.
//!
//! For each element of the result the elements that go into it are put in logical order (row-major over the axes
//! that are reduced), whatever their layout in memory. Then:
//!
//! 1. *Runs.* If the last axis is among the reduced ones, it and the reduced axes directly before it are one run.
//!    A run is cut into blocks of [`BLOCK`]. In a block there are [`LANES`] accumulators; element `i` goes to number
//!    `i % LANES`, one after another; then the upper half of the accumulators is added to the lower, until one is
//!    left. Blocks are added pairwise: the largest power of two of them, and the rest, each by this rule.
//! 2. *Rows.* What is left along the other reduced axes is added one after another.
//!
//! An empty reduction is the neutral element; a maximum of nothing is an error. A NaN is the positive quiet one.

mod extreme;
mod loops;

use std::marker::PhantomData;

use half::{bf16, f16};

use super::elem::{Elem, Truth};
use super::error::{Result, TensorError};
use super::op::TensorOp;
use super::shape::{Dims, Steps, dense_steps};
use super::simd::{self, Kernel};
use super::table::table;
use super::trace;
use super::walk::{Walk, worth};
use super::{Dtype, Item, Tensor};
use crate::threads::{self, Shared};

pub use extreme::arg_extreme;
pub(crate) use loops::{RowFold, row_fold};

/// Elements of a run that are added by one set of accumulators.
pub const BLOCK: usize = 1024;

/// Accumulators of a block.
pub const LANES: usize = 16;

table! {
    /// A reduction to an element of the same dtype.
    pub enum Fold {
        /// All added.
        Sum = "sum",
        /// All multiplied.
        Prod = "prod",
        /// The least; NaN if one is.
        Min = "min",
        /// The greatest; NaN if one is.
        Max = "max",
    }
}

/// How two partial results become one.
trait Join<W>: Copy + Sync {
    /// What changes nothing.
    const NEUTRAL: W;
    /// What nothing at all gives: the sum of nothing is a zero without sign.
    const EMPTY: W;
    fn join(self, x: W, y: W) -> W;
}

#[derive(Clone, Copy, Default)]
struct Sum;
#[derive(Clone, Copy, Default)]
struct Prod;
#[derive(Clone, Copy, Default)]
struct Min;
#[derive(Clone, Copy, Default)]
struct Max;

/// For one type: the neutral element, what nothing gives, and the operation.
macro_rules! joins {
    ($t:ty: $($name:ident $neutral:expr, $empty:expr, |$x:ident, $y:ident| $e:expr;)*) => {
        $(impl Join<$t> for $name {
            const NEUTRAL: $t = $neutral;
            const EMPTY: $t = $empty;
            #[inline(always)]
            fn join(self, $x: $t, $y: $t) -> $t {
                $e
            }
        })*
    };
}

macro_rules! float_joins {
    ($t:ty) => {
        joins! { $t:
            Sum -0.0, 0.0, |x, y| x + y;
            Prod 1.0, 1.0, |x, y| x * y;
            Min <$t>::INFINITY, <$t>::INFINITY, |x, y| if (y < x) | y.is_nan() { y } else { x };
            Max <$t>::NEG_INFINITY, <$t>::NEG_INFINITY, |x, y| if (y > x) | y.is_nan() { y } else { x };
        }
    };
}

macro_rules! int_joins {
    ($t:ty) => {
        joins! { $t:
            Sum 0, 0, |x, y| x.wrapping_add(y);
            Prod 1, 1, |x, y| x.wrapping_mul(y);
            Min <$t>::MAX, <$t>::MAX, |x, y| if y < x { y } else { x };
            Max <$t>::MIN, <$t>::MIN, |x, y| if y > x { y } else { x };
        }
    };
}

float_joins!(f32);
float_joins!(f64);
int_joins!(i32);
int_joins!(i64);
joins! { bool:
    Sum false, false, |x, y| x | y;
    Prod true, true, |x, y| x & y;
    Min true, true, |x, y| x & y;
    Max false, false, |x, y| x | y;
}

/// Bits as numbers of a type that is computed in.
macro_rules! words {
    ($fold:expr, $dtype:expr, $with:ident) => {
        match ($fold, $dtype) {
            (Fold::Sum, it) => words!(@ Sum, it, $with),
            (Fold::Prod, it) => words!(@ Prod, it, $with),
            (Fold::Min, it) => words!(@ Min, it, $with),
            (Fold::Max, it) => words!(@ Max, it, $with),
        }
    };
    (@ $join:ident, $dtype:expr, $with:ident) => {
        match $dtype {
            Dtype::Bool => $with!($join, bool, |it: u64| it & 0xff != 0, u64::from),
            Dtype::I32 => $with!($join, i32, |it: u64| (it as u32).cast_signed(), |it: i32| u64::from(it.cast_unsigned())),
            Dtype::I64 => $with!($join, i64, u64::cast_signed, i64::cast_unsigned),
            Dtype::F16 | Dtype::Bf16 | Dtype::F32 => {
                $with!($join, f32, |it: u64| f32::from_bits(it as u32), |it: f32| u64::from(it.to_bits()))
            }
            Dtype::F64 => $with!($join, f64, f64::from_bits, f64::to_bits),
        }
    };
}

/// What changes nothing, as the bits of what the dtype is computed in.
pub fn neutral(fold: Fold, dtype: Dtype) -> u64 {
    macro_rules! it {
        ($join:ident, $wide:ty, $from:expr, $to:expr) => {
            $to(<$join as Join<$wide>>::NEUTRAL)
        };
    }
    words!(fold, dtype, it)
}

/// Two partial results as one: bits of what the dtype is computed in.
pub fn join(fold: Fold, dtype: Dtype, x: u64, y: u64) -> u64 {
    macro_rules! it {
        ($join:ident, $wide:ty, $from:expr, $to:expr) => {
            $to(Join::<$wide>::join($join, $from(x), $from(y)))
        };
    }
    words!(fold, dtype, it)
}

/// One block of a run.
struct Block<E, J> {
    from: *const E,
    /// In elements.
    step: isize,
    n: usize,
    join: J,
}

impl<E: Elem, J: Join<E::Wide>> Kernel for Block<E, J> {
    type Output = E::Wide;

    #[inline(always)]
    fn run(self) -> E::Wide {
        let mut lanes = [J::NEUTRAL; LANES];
        let whole = self.n / LANES * LANES;
        // SAFETY: whoever made the block knows that its elements are inside the tensor.
        unsafe {
            if self.step == 1 {
                let mut i = 0;
                while i < whole {
                    for (lane, it) in lanes.iter_mut().enumerate() {
                        *it = self.join.join(*it, (*self.from.add(i + lane)).wide());
                    }
                    i += LANES;
                }
            } else {
                for i in 0..whole {
                    let x = (*self.from.offset(i as isize * self.step)).wide();
                    lanes[i % LANES] = self.join.join(lanes[i % LANES], x);
                }
            }
            for i in whole..self.n {
                let x = (*self.from.offset(i as isize * self.step)).wide();
                lanes[i - whole] = self.join.join(lanes[i - whole], x);
            }
        }
        halve(&mut lanes, self.join);
        lanes[0]
    }
}

/// Four whole blocks of a run that lie one after another: as one by one, but none waits for itself.
struct FourBlocks<E, J> {
    from: *const E,
    join: J,
}

impl<E: Elem, J: Join<E::Wide>> Kernel for FourBlocks<E, J> {
    const IS_LONG: bool = true;
    type Output = [E::Wide; 4];

    #[inline(always)]
    fn run(self) -> Self::Output {
        let mut lanes = [[J::NEUTRAL; LANES]; 4];
        for i in (0..BLOCK).step_by(LANES) {
            let [a, b, c, d] = &mut lanes;
            for lane in 0..LANES {
                // SAFETY: whoever made them knows that four blocks are there.
                let at = |block: usize| unsafe { *self.from.add(block * BLOCK + i + lane) };
                a[lane] = self.join.join(a[lane], at(0).wide());
                b[lane] = self.join.join(b[lane], at(1).wide());
                c[lane] = self.join.join(c[lane], at(2).wide());
                d[lane] = self.join.join(d[lane], at(3).wide());
            }
        }
        for lanes in &mut lanes {
            halve(lanes, self.join);
        }
        [lanes[0][0], lanes[1][0], lanes[2][0], lanes[3][0]]
    }
}

/// Adds the upper half of the accumulators to the lower until the first one has all.
#[inline(always)]
fn halve<W: Copy, J: Join<W>>(lanes: &mut [W; LANES], join: J) {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] = join.join(lanes[lane], lanes[lane + half]);
        }
        half /= 2;
    }
}

/// So many short runs are reduced at once.
const ABREAST: usize = 16;

/// Runs that have an accumulator for each element, reduced side by side: as blocks one by one.
struct Abreast<E, J> {
    from: *const u8,
    /// To the next run, in bytes.
    across: isize,
    /// Of a run, in elements, of which there are `n`, at most as many as accumulators.
    step: isize,
    n: usize,
    join: J,
    elem: PhantomData<E>,
}

impl<E: Elem, J: Join<E::Wide>> Kernel for Abreast<E, J> {
    type Output = [E::Wide; ABREAST];

    #[inline(always)]
    fn run(self) -> Self::Output {
        let mut lanes = [[J::NEUTRAL; ABREAST]; LANES];
        for (lane, runs) in lanes[..self.n].iter_mut().enumerate() {
            for (run, it) in runs.iter_mut().enumerate() {
                let from = self.from.wrapping_offset(run as isize * self.across).cast::<E>();
                // SAFETY: whoever made the runs knows that their elements are inside the tensor.
                let x = unsafe { *from.offset(lane as isize * self.step) };
                *it = self.join.join(*it, x.wide());
            }
        }
        let mut half = LANES / 2;
        while half > 0 {
            let (lower, upper) = lanes.split_at_mut(half);
            for (lower, upper) in lower.iter_mut().zip(upper) {
                for (x, y) in lower.iter_mut().zip(upper) {
                    *x = self.join.join(*x, *y);
                }
            }
            half /= 2;
        }
        lanes[0]
    }
}

/// Runs of one block at most, which lie at equal distances.
#[derive(Clone, Copy)]
struct Runs<J> {
    from: *const u8,
    /// To the next run, in bytes, and how many there are.
    across: isize,
    count: usize,
    /// Of a run, in elements.
    step: isize,
    n: usize,
    join: J,
}

impl<J> Runs<J> {
    /// Gives what each run is reduced to, with its number, to `take`.
    #[inline(always)]
    fn each<E: Elem>(self, mut take: impl FnMut(usize, E::Wide))
    where
        J: Join<E::Wide>,
    {
        let Self { across, step, n, join, .. } = self;
        let at = |run: usize| self.from.wrapping_offset(run as isize * across);
        let mut run = 0;
        while n <= LANES && run + ABREAST <= self.count {
            let results = Abreast::<E, J> { from: at(run), across, step, n, join, elem: PhantomData }.run();
            for (offset, it) in results.into_iter().enumerate() {
                take(run + offset, it);
            }
            run += ABREAST;
        }
        for run in run..self.count {
            take(run, Block { from: at(run).cast::<E>(), step, n, join }.run());
        }
    }
}

/// Gives each block of `n` elements of a run at equal distances, in elements, to `take`.
fn blocks_of<E: Elem, J: Join<E::Wide>>(from: *const E, step: isize, n: usize, join: J, mut take: impl FnMut(E::Wide)) {
    let mut first = 0;
    if step == 1 {
        while n - first >= 4 * BLOCK {
            simd::run(FourBlocks { from: from.wrapping_add(first), join }).into_iter().for_each(&mut take);
            first += 4 * BLOCK;
        }
    }
    while first < n {
        let from = from.wrapping_offset(first as isize * step);
        take(simd::run(Block { from, step, n: BLOCK.min(n - first), join }));
        first += BLOCK;
    }
}

/// Runs of one block each: as blocks one by one, but without going out between them.
struct Blocks<E: Elem, J> {
    to: *mut E::Wide,
    runs: Runs<J>,
    /// Whether nothing has been added before.
    first: bool,
}

impl<E: Elem, J: Join<E::Wide>> Kernel for Blocks<E, J> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let join = self.runs.join;
        self.runs.each::<E>(|run, one| {
            // SAFETY: whoever made the runs knows that there is room for so many results.
            unsafe {
                let to = self.to.add(run);
                *to = if self.first { one } else { join.join(*to, one) };
            }
        });
    }
}

/// Adds blocks pairwise as they come: a counter in binary, whose digits are sums of 1, 2, 4 .. blocks.
pub(crate) struct Pairwise<W> {
    sums: [Option<W>; usize::BITS as usize],
}

impl<W: Copy> Pairwise<W> {
    pub(crate) fn new() -> Self {
        Self { sums: [None; usize::BITS as usize] }
    }

    pub(crate) fn push(&mut self, block: W, join: impl Fn(W, W) -> W) {
        let mut carry = block;
        for sum in &mut self.sums {
            match sum.take() {
                Some(before) => carry = join(before, carry),
                None => {
                    *sum = Some(carry);
                    return;
                }
            }
        }
    }

    pub(crate) fn finish(self, join: impl Fn(W, W) -> W) -> Option<W> {
        self.sums.into_iter().flatten().reduce(|later, earlier| join(earlier, later))
    }
}

/// A run, read through a view of any layout.
struct Run {
    dims: Dims,
    /// In bytes.
    steps: Steps,
    count: usize,
}

impl Run {
    /// The step of a run that is one block, in elements.
    fn one_block(&self, size: usize) -> Option<isize> {
        let ([step], n) = Walk::new(&self.dims, [&self.steps]).one_row()?;
        (n == self.count && n <= BLOCK).then_some(step / size as isize)
    }

    fn fold<E: Elem, J: Join<E::Wide>>(&self, at: *mut u8, join: J) -> E::Wide {
        let walk = Walk::new(&self.dims, [&self.steps]);
        let size = size_of::<E>() as isize;
        let mut all = Pairwise::new();
        let block = |from: *const E, step, n| simd::run(Block { from, step, n, join });
        let join_two = |x, y| join.join(x, y);
        if self.dims.iter().filter(|it| **it != 1).count() <= 1 || walk.is_one_row() {
            walk.each([at], |[from], [step], n| {
                let (from, step) = (from.cast::<E>().cast_const(), step / size);
                if n < 2 * worth(false) {
                    return blocks_of(from, step, n, join, |it| all.push(it, join_two));
                }
                let mut sums = vec![J::NEUTRAL; n.div_ceil(BLOCK)];
                let shared = Shared((sums.as_mut_ptr(), from));
                threads::share(n, 4 * BLOCK, worth(false), |part| {
                    let Shared((sums, from)) = *{ &shared };
                    let (mut to, from) = (part.start / BLOCK, from.wrapping_offset(part.start as isize * step));
                    blocks_of(from, step, part.len(), join, |it| {
                        // SAFETY: there is a place for each block, and each has one part that it is in.
                        unsafe { *sums.add(to) = it };
                        to += 1;
                    });
                });
                sums.into_iter().for_each(|it| all.push(it, join_two));
            });
        } else {
            // Rows are gathered into blocks.
            let mut gathered: Vec<E> = Vec::with_capacity(BLOCK);
            walk.each([at], |[from], [step], n| {
                for i in 0..n as isize {
                    // SAFETY: the walk stays inside the view; elements are aligned.
                    gathered.push(unsafe { *from.offset(i * step).cast::<E>() });
                    if gathered.len() == BLOCK {
                        all.push(block(gathered.as_ptr(), 1, BLOCK), join_two);
                        gathered.clear();
                    }
                }
            });
            if !gathered.is_empty() {
                all.push(block(gathered.as_ptr(), 1, gathered.len()), join_two);
            }
        }
        all.finish(join_two).unwrap_or(J::NEUTRAL)
    }
}

/// One more row of elements, added to a row of results.
struct AddRow<E: Elem, J> {
    to: *mut E::Wide,
    from: *const E,
    step: isize,
    n: usize,
    join: J,
}

impl<E: Elem, J: Join<E::Wide>> Kernel for AddRow<E, J> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        // SAFETY: whoever made the row knows that it is inside both.
        unsafe {
            if self.step == 1 {
                for i in 0..self.n {
                    *self.to.add(i) = self.join.join(*self.to.add(i), (*self.from.add(i)).wide());
                }
            } else {
                for i in 0..self.n {
                    let x = (*self.from.offset(i as isize * self.step)).wide();
                    *self.to.add(i) = self.join.join(*self.to.add(i), x);
                }
            }
        }
    }
}

/// Which axes are in a set.
fn mask(axes: &[usize]) -> [bool; super::MAX_RANK] {
    let mut mask = [false; super::MAX_RANK];
    axes.iter().for_each(|at| mask[*at] = true);
    mask
}

/// The axes of a tensor, sorted by their part in a reduction. Dims and steps in bytes.
struct Axes {
    kept: (Dims, Steps),
    rows: (Dims, Steps),
    run: Run,
}

fn axes(x: &Tensor, reduced: &[usize]) -> Result<Axes> {
    let (mask, steps) = (mask(reduced), x.byte_steps());
    let run_from = (0..x.rank()).rev().take_while(|at| mask[*at]).last().unwrap_or(x.rank());
    let mut axes = Axes {
        kept: (Dims::new(), Steps::new()),
        rows: (Dims::new(), Steps::new()),
        run: Run { dims: Dims::new(), steps: Steps::new(), count: 1 },
    };
    for at in 0..x.rank() {
        let side = if at >= run_from {
            axes.run.count = axes.run.count.wrapping_mul(x.dims()[at]);
            (&mut axes.run.dims, &mut axes.run.steps)
        } else if mask[at] {
            (&mut axes.rows.0, &mut axes.rows.1)
        } else {
            (&mut axes.kept.0, &mut axes.kept.1)
        };
        side.0.push(x.dims()[at])?;
        side.1.push(steps[at])?;
    }
    Ok(axes)
}

fn fold_into<E: Elem, J: Join<E::Wide>>(x: &Tensor, reduced: &[usize], join: J) -> Result<Tensor> {
    let axes = axes(x, reduced)?;
    let out = Tensor::blank(E::DTYPE, &axes.kept.0)?;
    if trace::is_for_shapes() {
        return Ok(out);
    }
    let kept = out.count();
    let mut results: Vec<E::Wide> = vec![J::NEUTRAL; kept];
    let has_run = axes.run.count != 1 || axes.rows.0.is_empty();
    if kept > 0 && axes.run.count > 0 {
        let rows = Walk::new(&axes.rows.0, [&axes.rows.1]);
        let mut to_steps = dense_steps(&axes.kept.0);
        to_steps.iter_mut().for_each(|it| *it *= size_of::<E::Wide>() as isize);
        let keep = Walk::new(&axes.kept.0, [&to_steps, &axes.kept.1]);
        let one_block = axes.run.one_block(size_of::<E>());
        let each = (x.count() / kept).max(1);
        keep.each_shared(
            [results.as_mut_ptr().cast(), x.ptr()],
            worth(false).div_ceil(each),
            |[to, from], [_, step], n| {
                let (to, mut first) = (to.cast::<E::Wide>(), true);
                rows.each([from], |[row], [row_step], count| {
                    for i in 0..count as isize {
                        let from = row.wrapping_offset(i * row_step);
                        if let (true, Some(run_step)) = (has_run, one_block) {
                            let (across, count, step, n) = (step, n, run_step, axes.run.count);
                            let runs = Runs { from, across, count, step, n, join };
                            simd::run(Blocks::<E, J> { to, runs, first });
                        } else if has_run {
                            for k in 0..n {
                                let one = axes.run.fold::<E, J>(from.wrapping_offset(k as isize * step), join);
                                // SAFETY: there is room for so many results.
                                unsafe {
                                    let to = to.add(k);
                                    *to = if first { one } else { join.join(*to, one) };
                                }
                            }
                        } else {
                            let step = step / size_of::<E>() as isize;
                            simd::run(AddRow::<E, J> { to, from: from.cast::<E>(), step, n, join });
                        }
                        first = false;
                    }
                });
            },
        );
    }
    let is_empty = x.count() == 0;
    for (i, it) in results.into_iter().enumerate() {
        let it = if is_empty { J::EMPTY } else { it };
        // SAFETY: the result is dense and has that many elements.
        unsafe { *out.ptr().cast::<E>().add(i) = element(it) };
    }
    Ok(out)
}

fn dispatch<E: Elem>(fold: Fold, x: &Tensor, reduced: &[usize]) -> Result<Tensor>
where
    Sum: Join<E::Wide>,
    Prod: Join<E::Wide>,
    Min: Join<E::Wide>,
    Max: Join<E::Wide>,
{
    match fold {
        Fold::Sum => fold_into::<E, Sum>(x, reduced, Sum),
        Fold::Prod => fold_into::<E, Prod>(x, reduced, Prod),
        Fold::Min => fold_into::<E, Min>(x, reduced, Min),
        Fold::Max => fold_into::<E, Max>(x, reduced, Max),
    }
}

/// Reduces these axes, which are gone then. Half precision is added up in singles; of truth values the sum is *or*.
pub fn fold(fold: Fold, x: &Tensor, reduced: &[usize]) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Fold { fold, axes: reduced.to_vec() }, &[x]) {
        return noted;
    }
    let nothing = x.count() == 0 && reduced.iter().any(|at| x.dims()[*at] == 0);
    if nothing && matches!(fold, Fold::Min | Fold::Max) {
        let name = if fold == Fold::Min { "minimum" } else { "maximum" };
        return Err(TensorError::Value(format!("zero-size array to reduction operation {name} which has no identity")));
    }
    match x.dtype() {
        Dtype::Bool => dispatch::<Truth>(fold, x, reduced),
        Dtype::I32 => dispatch::<i32>(fold, x, reduced),
        Dtype::I64 => dispatch::<i64>(fold, x, reduced),
        Dtype::F16 => dispatch::<f16>(fold, x, reduced),
        Dtype::Bf16 => dispatch::<bf16>(fold, x, reduced),
        Dtype::F32 => dispatch::<f32>(fold, x, reduced),
        Dtype::F64 => dispatch::<f64>(fold, x, reduced),
    }
}

/// What is stored. Which NaN comes out of two is nobody's to say: there is one.
#[inline(always)]
fn element<E: Elem>(wide: E::Wide) -> E {
    if is_nan(wide) { E::from_item(Item::Float(f64::NAN)) } else { E::narrow(wide) }
}

/// Only a NaN is not itself.
#[expect(clippy::eq_op, reason = "that is the question")]
#[inline(always)]
fn is_nan<W: PartialEq + Copy>(x: W) -> bool {
    x != x
}

/// Whether all, or any, along these axes are not zero.
pub fn test(x: &Tensor, reduced: &[usize], all: bool) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Test { axes: reduced.to_vec(), all }, &[x]) {
        return noted;
    }
    fold(if all { Fold::Prod } else { Fold::Sum }, &super::cast::as_dtype(x, Dtype::Bool)?, reduced)
}

/// How many along these axes are not zero.
pub fn count_nonzero(x: &Tensor, reduced: &[usize]) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::CountNonzero(reduced.to_vec()), &[x]) {
        return noted;
    }
    let truth = super::cast::as_dtype(x, Dtype::Bool)?;
    fold(Fold::Sum, &super::cast::cast(&truth, Dtype::I64)?, reduced)
}

#[cfg(test)]
mod tests {
    use super::super::layout;
    use super::*;

    /// The definition, word by word.
    fn defined_sum(run: &[f32]) -> f32 {
        fn block(run: &[f32]) -> f32 {
            let mut lanes = [-0.0_f32; LANES];
            for (i, x) in run.iter().enumerate() {
                lanes[i % LANES] += x;
            }
            let mut left = lanes.to_vec();
            while left.len() > 1 {
                let (low, high) = left.split_at(left.len() / 2);
                left = low.iter().zip(high).map(|(a, b)| a + b).collect();
            }
            left[0]
        }
        fn pairwise(blocks: &[f32]) -> f32 {
            match blocks {
                [one] => *one,
                _ => {
                    let power = (blocks.len().next_power_of_two() / 2).max(1);
                    pairwise(&blocks[..power]) + pairwise(&blocks[power..])
                }
            }
        }
        pairwise(&run.chunks(BLOCK).map(block).collect::<Vec<_>>())
    }

    fn numbers(n: usize) -> Vec<f32> {
        (0..n).map(|i| ((i * 7919 + 13) % 10007) as f32 * 1.37e-3 - 5.0).collect()
    }

    fn sum(x: &Tensor, axes: &[usize]) -> Vec<f32> {
        fold(Fold::Sum, x, axes).unwrap().to_vec::<f32>()
    }

    #[test]
    fn a_sum_is_added_in_the_order_that_is_written_down() {
        for n in [1, 15, 16, 17, 100, 1023, 1024, 1025, 5000, 7 * 1024 + 3] {
            let run = numbers(n);
            let x = Tensor::from_slice(&run, &[n]).unwrap();
            assert_eq!(sum(&x, &[0]), [defined_sum(&run)], "{n}");
        }
    }

    #[test]
    fn the_layout_does_not_matter() {
        let (rows, columns) = (37, 1100);
        let x = Tensor::from_slice(&numbers(rows * columns), &[rows, columns]).unwrap();
        let turned = layout::permute(&layout::permute(&x, &[1, 0]).unwrap().to_dense().unwrap(), &[1, 0]).unwrap();
        let wide = layout::concat(&[x.clone(), x.clone()], 1).unwrap();
        let part = layout::slice(&wide, 1, columns, columns, 1);
        let backwards = layout::flip(&layout::flip(&x, 1).to_dense().unwrap(), 1);
        for other in [turned, part, backwards] {
            assert!(!other.is_dense());
            for axes in [&[0][..], &[1], &[0, 1]] {
                assert_eq!(sum(&x, axes), sum(&other, axes), "{axes:?}");
            }
        }
    }

    #[test]
    fn short_rows_side_by_side_are_what_they_are_one_by_one() {
        for (rows, n) in [1, 15, 16, 17, 50].into_iter().flat_map(|rows| (1..=17).map(move |n| (rows, n))) {
            let all = numbers(rows * n);
            let x = Tensor::from_slice(&all, &[rows, n]).unwrap();
            let by_hand: Vec<f32> = all.chunks(n).map(defined_sum).collect();
            assert_eq!(sum(&x, &[1]), by_hand, "{rows} rows of {n}");
            let turned = layout::permute(&layout::permute(&x, &[1, 0]).unwrap().to_dense().unwrap(), &[1, 0]).unwrap();
            assert_eq!(sum(&turned, &[1]), by_hand, "{rows} rows of {n}, turned");
        }
    }

    #[test]
    fn rows_are_added_one_after_another() {
        let all = numbers(5 * 3);
        let x = Tensor::from_slice(&all, &[5, 3]).unwrap();
        let by_hand: Vec<f32> = (0..3).map(|j| (0..5).fold(-0.0, |sum, i| sum + all[i * 3 + j])).collect();
        assert_eq!(sum(&x, &[0]), by_hand);
    }

    #[test]
    fn the_first_extreme_is_found_however_it_lies() {
        let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        for n in [1, 2, 15, 16, 17, 33, 100, 1000] {
            for round in 0..40 {
                let mut line = numbers(n);
                line.rotate_left(round * 7 % n);
                for (at, it) in special.into_iter().enumerate().take(round % 6) {
                    line[(round * 31 + at * 17) % n] = it;
                    line[(round * 13 + at * 5) % n] = it;
                }
                let x = Tensor::from_slice(&line, &[n]).unwrap();
                let wide =
                    layout::concat(&[layout::insert_axis(&x, 1).unwrap(), layout::insert_axis(&x, 1).unwrap()], 1);
                let apart = layout::pick(&wide.unwrap(), 1, 0).unwrap();
                for greatest in [true, false] {
                    let found = arg_extreme(&x, 0, greatest).unwrap().to_vec::<i64>();
                    assert_eq!(found, arg_extreme(&apart, 0, greatest).unwrap().to_vec::<i64>(), "{n} {round}");
                    let best = line.iter().position(|it| it.is_nan()).unwrap_or_else(|| {
                        let is_best = |it: &f32| line.iter().all(|x| if greatest { it >= x } else { it <= x });
                        line.iter().position(is_best).unwrap()
                    });
                    assert_eq!(found, [best as i64], "{n} {round}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_the_neutral_element() {
        let x = Tensor::zeros(Dtype::F32, &[0, 3]).unwrap();
        assert_eq!(sum(&x, &[0]), [0.0; 3]);
        assert!(sum(&x, &[0]).iter().all(|it| it.is_sign_positive()));
        assert_eq!(fold(Fold::Prod, &x, &[0, 1]).unwrap().only_item(), Some(Item::Float(1.0)));
        assert!(fold(Fold::Max, &x, &[0]).is_err());
        assert_eq!(**fold(Fold::Max, &x, &[1]).unwrap().dims(), [0]);
    }
}
