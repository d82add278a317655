//! One behind the other, on a device.
//!
//! That waits like any other job: an element is read from the part that has its position. Parts that wait themselves are
//! computed straight into their places where nobody else wants them, and so are many parts, some at a time.

use std::ops::Range;
use std::sync::Arc;

use super::later::{Due, Operand, Work, due_of, put_off};
use super::run::Axes;
use super::sweep::{Axis, Job};
use super::{Device, blank};
use crate::kernel::MAX_RANK;
use crate::tensor::error::Result;
use crate::tensor::shape::dense_steps;
use crate::tensor::{Dims, Dtype, Steps, Tensor};

/// One kernel joins so many parts.
pub(super) const MOST_PARTS: usize = 16;

/// See [`crate::tensor::layout::concat`].
pub(super) fn concat(
    device: &Arc<dyn Device>,
    parts: &[&Tensor],
    along: usize,
    (dtype, dims): (Dtype, &Dims),
) -> Result<Tensor> {
    let to = blank(device, dtype, dims)?;
    let parts = parts.iter().filter(|it| it.count() > 0);
    let mut parts = parts.map(|it| it.brought_to(device)).collect::<Result<Vec<_>>>()?;
    if parts.is_empty() {
        return Ok(to);
    }
    // Dense parts are like two axes each: what is before, and the rest.
    let steps: Vec<&[isize]> = parts.iter().map(|it| &**it.steps()).collect();
    let dense = dense_steps(dims);
    if parts.len() > MOST_PARTS || Axes::of(dims, &[&[&*dense], &steps[..]].concat()).dims.len() > MAX_RANK {
        parts = parts.iter().map(Tensor::as_dense).collect::<Result<_>>()?;
    }
    put_off(joined(&parts, along, dtype, dims), &to)?;
    Ok(to)
}

fn joined(parts: &[Tensor], along: usize, dtype: Dtype, dims: &Dims) -> Due {
    let (mut operands, mut first) = (Vec::new(), 0);
    for part in parts {
        if first > 0 {
            operands.push(Operand::Number(Dtype::I64, first as u64));
        }
        let start = part.start() - first as isize * part.steps()[along];
        // SAFETY: it is a table, of which only those elements are read that are the part's.
        operands.push(Operand::View(unsafe { part.with(start, dims.clone(), part.steps().clone()) }));
        first += part.dims()[along];
    }
    Due::of(Work::Job(Job::Concat(Axis::of(dims, along))), operands, dtype, dims)
}

/// A part of what is due that is done by itself, how many bytes behind the beginning it goes, and with which steps if it is
/// not dense there.
pub(super) struct Piece {
    pub(super) due: Arc<Due>,
    pub(super) far: u64,
    pub(super) steps: Option<Steps>,
}

/// What is done instead of one kernel for parts that are joined, to a dense tensor.
pub(super) fn pieces(due: &Due) -> Option<Vec<Piece>> {
    let Work::Job(Job::Concat(axis)) = due.work else { return None };
    let parts = Parts::of(due, axis);
    let straight: Vec<bool> = (0..parts.all.len()).map(|at| parts.goes_straight(at)).collect();
    if parts.all.len() <= MOST_PARTS && straight.contains(&false) {
        return None;
    }
    let mut made = Vec::new();
    let mut at = 0;
    while at < straight.len() {
        let piece = if straight[at] {
            let waits = due_of(&parts.all[at].0).expect("it waits");
            at += 1;
            parts.piece(at - 1..at, waits)
        } else {
            let end = (at..straight.len()).find(|&it| straight[it]).unwrap_or(straight.len()).min(at + MOST_PARTS);
            let (range, tensors) = (at..end, parts.all[at..end].iter().map(|it| it.0.clone()).collect::<Vec<_>>());
            at = end;
            let due = joined(&tensors, parts.along, due.dtype, &parts.dims_of(&range));
            parts.piece(range, Arc::new(due))
        };
        made.push(piece);
    }
    Some(made)
}

/// The parts of two that are joined row by row, each dense.
pub(super) fn two_parts(due: &Due) -> Option<[Tensor; 2]> {
    let Work::Job(Job::Concat(axis)) = due.work else { return None };
    if due.dims.len() != 2 || due.operands.len() != 3 {
        return None;
    }
    let parts = Parts::of(due, axis);
    let is_part = |it: &Tensor| it.is_dense() && it.dtype() == due.dtype;
    let all: Vec<Tensor> = parts.all.into_iter().map(|it| it.0).filter(is_part).collect();
    if parts.along == 1 { all.try_into().ok() } else { None }
}

/// The parts that are joined, each with its first position.
struct Parts<'a> {
    due: &'a Due,
    along: usize,
    all: Vec<(Tensor, usize)>,
}

impl<'a> Parts<'a> {
    fn of(due: &'a Due, axis: Axis) -> Self {
        let along = (0..due.dims.len())
            .find(|&it| due.dims[it] as u64 == axis.size && Axis::of(&due.dims, it) == axis)
            .expect("it is an axis of what is made");
        let first = |at: usize| match due.operands.get(at.wrapping_sub(1)) {
            Some(Operand::Number(_, first)) => *first as usize,
            Some(Operand::View(_)) | None => 0,
        };
        let count = due.operands.len();
        let part = |at: usize| {
            let Operand::View(table) = &due.operands[at] else { unreachable!("every other operand is a table") };
            let end = if at + 1 < count { first(at + 2) } else { due.dims[along] };
            let mut dims = due.dims.clone();
            dims[along] = end - first(at);
            let start = table.start() + first(at) as isize * table.steps()[along];
            // SAFETY: this is the part that the table was made of.
            (unsafe { table.with(start, dims, table.steps().clone()) }, first(at))
        };
        Self { due, along, all: (0..count).step_by(2).map(part).collect() }
    }

    /// Whether a part is computed straight into its place: it waits as it is, and nobody else has it.
    fn goes_straight(&self, at: usize) -> bool {
        let part = &self.all[at].0;
        let Some(waits) = due_of(part) else { return false };
        let is_all = part.start() == 0 && part.is_dense() && part.buf().bytes() == part.count() * part.dtype().size();
        // The table and the part here.
        let is_alone = Arc::strong_count(part.buf()) == 2;
        let is_flat = matches!(waits.work, Work::Job(job) if !job.folds());
        let is_dense = self.due.dims[..self.along].iter().all(|it| *it == 1);
        is_all && is_alone && waits.dims == *part.dims() && (is_flat || is_dense)
    }

    fn dims_of(&self, parts: &Range<usize>) -> Dims {
        let mut dims = self.due.dims.clone();
        dims[self.along] = self.all[parts.clone()].iter().map(|it| it.0.dims()[self.along]).sum();
        dims
    }

    fn piece(&self, parts: Range<usize>, due: Arc<Due>) -> Piece {
        let steps = dense_steps(&self.due.dims);
        let first = self.all[parts.start].1;
        let far = (first as isize * steps[self.along]) as u64 * self.due.dtype.size() as u64;
        let is_dense = self.due.dims[..self.along].iter().all(|it| *it == 1);
        Piece { due, far, steps: (!is_dense).then_some(steps) }
    }
}
