//! Reductions of rows that lie dense, for those who make the rows themselves: the same orders, and so the same bits.

use half::{bf16, f16};

use super::extreme::first_extreme;
use super::{BLOCK, Fold, Join, Max, Min, Pairwise, Prod, Runs, Sum, blocks_of, element, join};
use crate::tensor::Dtype;
use crate::tensor::elem::{Elem, Truth, by_dtype};
use crate::tensor::op::TensorOp;
use crate::tensor::simd::{self, Kernel};

/// Reduces rows, each to one element: where the results go, where the first row begins, how many bytes it is to the next
/// one, how many rows there are, and of how many elements.
pub(crate) type RowsLoop = unsafe fn(*mut u8, *const u8, isize, usize, usize);

/// Reduces the blocks of a part of a row that begins with a block, each to the bits of what is computed in.
pub(crate) type BlocksLoop = unsafe fn(*const u8, usize, *mut u64);

/// How rows become elements.
#[derive(Clone, Copy)]
pub(crate) struct RowFold {
    /// Of whole rows.
    pub(crate) rows: RowsLoop,
    /// Of parts, where that can be: what to do with the results of blocks.
    pub(crate) parts: Option<Parts>,
    /// What an element of the result is.
    pub(crate) gives: Dtype,
}

/// How a row becomes an element in parts.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    pub(crate) blocks: BlocksLoop,
    fold: Fold,
    dtype: Dtype,
}

impl Parts {
    /// The element of which these are the blocks, as it lies in memory.
    pub(crate) fn finish(&self, blocks: &[u64]) -> u64 {
        let mut all = Pairwise::new();
        let join = |x, y| join(self.fold, self.dtype, x, y);
        blocks.iter().for_each(|it| all.push(*it, join));
        let wide = all.finish(join).unwrap_or_default();
        by_dtype!(self.dtype, E => narrow::<E>(wide))
    }
}

/// Bits of what is computed in as bits of an element.
fn narrow<E: Elem>(wide: u64) -> u64 {
    let mut bits = 0_u64;
    // SAFETY: a word has room for both.
    unsafe { (&raw mut bits).cast::<E>().write(element((&raw const wide).cast::<E::Wide>().read())) };
    bits
}

/// Rows of one block at most.
struct ShortRows<E, J> {
    to: *mut E,
    runs: Runs<J>,
}

impl<E: Elem, J: Join<E::Wide>> Kernel for ShortRows<E, J> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        // SAFETY: there is room for so many results.
        self.runs.each::<E>(|row, one| unsafe { *self.to.add(row) = element(one) });
    }
}

fn of<E: Elem, J: Join<E::Wide> + Default>(fold: Fold) -> RowFold {
    /// # Safety
    /// As [`RowsLoop`] says.
    unsafe fn rows<E: Elem, J: Join<E::Wide> + Default>(
        to: *mut u8,
        from: *const u8,
        across: isize,
        rows: usize,
        n: usize,
    ) {
        let (to, join) = (to.cast::<E>(), J::default());
        if n <= BLOCK {
            return simd::run(ShortRows::<E, J> { to, runs: Runs { from, across, count: rows, step: 1, n, join } });
        }
        for row in 0..rows {
            let mut all = Pairwise::new();
            let join_two = |x, y| join.join(x, y);
            let from = from.wrapping_offset(row as isize * across).cast::<E>();
            blocks_of(from, 1, n, join, |it| all.push(it, join_two));
            // SAFETY: there is room for so many results.
            unsafe { *to.add(row) = element(all.finish(join_two).unwrap_or(J::NEUTRAL)) };
        }
    }
    /// # Safety
    /// As [`BlocksLoop`] says.
    unsafe fn blocks<E: Elem, J: Join<E::Wide> + Default>(from: *const u8, n: usize, to: *mut u64) {
        let mut at = 0;
        blocks_of(from.cast::<E>(), 1, n, J::default(), |it| {
            // SAFETY: there is room for each block, and a word has room for any number.
            unsafe {
                *to.add(at) = 0;
                to.add(at).cast::<E::Wide>().write(it);
            }
            at += 1;
        });
    }
    let parts = Parts { blocks: blocks::<E, J>, fold, dtype: E::DTYPE };
    RowFold { rows: rows::<E, J>, parts: Some(parts), gives: E::DTYPE }
}

fn of_fold<E: Elem>(fold: Fold) -> RowFold
where
    Sum: Join<E::Wide>,
    Prod: Join<E::Wide>,
    Min: Join<E::Wide>,
    Max: Join<E::Wide>,
{
    match fold {
        Fold::Sum => of::<E, Sum>(fold),
        Fold::Prod => of::<E, Prod>(fold),
        Fold::Min => of::<E, Min>(fold),
        Fold::Max => of::<E, Max>(fold),
    }
}

fn extreme<E: Elem>(greatest: bool) -> RowFold
where
    Min: Join<E::Wide>,
    Max: Join<E::Wide>,
{
    /// # Safety
    /// As [`RowsLoop`] says.
    unsafe fn rows<E: Elem, J: Join<E::Wide> + Default, const GREATEST: bool>(
        to: *mut u8,
        from: *const u8,
        across: isize,
        rows: usize,
        n: usize,
    ) {
        for row in 0..rows {
            let from = from.wrapping_offset(row as isize * across).cast::<E>();
            let at = first_extreme::<E, J>(from, n, GREATEST, J::default());
            // SAFETY: there is room for so many results.
            unsafe { *to.cast::<i64>().add(row) = at as i64 };
        }
    }
    let rows = if greatest { rows::<E, Max, true> } else { rows::<E, Min, false> };
    RowFold { rows, parts: None, gives: Dtype::I64 }
}

/// How an operation reduces the last axes of what has this dtype, and how many; `None` if it does something else.
pub(crate) fn row_fold(op: &TensorOp, dtype: Dtype, rank: usize) -> Option<(RowFold, usize)> {
    let last = |axes: &[usize]| {
        let (mut sorted, first) = (axes.to_vec(), rank.checked_sub(axes.len())?);
        sorted.sort_unstable();
        (!axes.is_empty() && sorted.iter().copied().eq(first..rank)).then_some(axes.len())
    };
    match op {
        TensorOp::Fold { fold, axes } => {
            let fold = match dtype {
                Dtype::Bool => of_fold::<Truth>(*fold),
                Dtype::I32 => of_fold::<i32>(*fold),
                Dtype::I64 => of_fold::<i64>(*fold),
                Dtype::F16 => of_fold::<f16>(*fold),
                Dtype::Bf16 => of_fold::<bf16>(*fold),
                Dtype::F32 => of_fold::<f32>(*fold),
                Dtype::F64 => of_fold::<f64>(*fold),
            };
            Some((fold, last(axes)?))
        }
        TensorOp::Test { axes, all } if dtype == Dtype::Bool => {
            Some((of_fold::<Truth>(if *all { Fold::Prod } else { Fold::Sum }), last(axes)?))
        }
        TensorOp::ArgExtreme { along, greatest } if along + 1 == rank => {
            let fold = match dtype {
                Dtype::Bool => extreme::<Truth>(*greatest),
                Dtype::I32 => extreme::<i32>(*greatest),
                Dtype::I64 => extreme::<i64>(*greatest),
                Dtype::F16 => extreme::<f16>(*greatest),
                Dtype::Bf16 => extreme::<bf16>(*greatest),
                Dtype::F32 => extreme::<f32>(*greatest),
                Dtype::F64 => extreme::<f64>(*greatest),
            };
            Some((fold, 1))
        }
        _ => None,
    }
}
