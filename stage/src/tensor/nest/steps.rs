//! Steps from element to element: of views, of what is stretched, and of loops whose axes are joined.

use super::{Access, Inst, MOST_INSTS, Memory, Move, Stage, Store};
use crate::sizes;
use crate::tensor::reduce::Fold;
use crate::tensor::shape::dense_steps;
use crate::tensor::{Dtype, Tensor, TensorOp};

/// Some elements of a value that is in memory.
#[derive(Clone)]
pub(super) struct View {
    pub(super) of: usize,
    pub(super) first: isize,
    pub(super) moves: Vec<Move>,
    pub(super) steps: Vec<isize>,
}

pub(super) fn broadcast(x: &[usize], y: &[usize]) -> Option<Vec<usize>> {
    let (long, short) = if x.len() >= y.len() { (x, y) } else { (y, x) };
    let mut all = long.to_vec();
    for (to, &size) in all.iter_mut().rev().zip(short.iter().rev()) {
        match (*to, size) {
            (a, b) if a == b || b == 1 => {}
            (1, b) => *to = b,
            _ => return None,
        }
    }
    Some(all)
}

/// Steps of a shape along the axes of one that it is stretched to.
pub(super) fn stretched(dims: &[usize], steps: &[isize], to: &[usize]) -> Option<Vec<isize>> {
    let new = to.len().checked_sub(dims.len())?;
    let along = |axis: usize| match axis.checked_sub(new) {
        Some(own) if dims[own] == to[axis] => Some(steps[own]),
        Some(own) if dims[own] != 1 => None,
        _ => Some(0),
    };
    (0..to.len()).map(along).collect()
}

/// Whether steps of a shape lead to the same elements.
pub(super) fn same_map(dims: &[usize], x: &[isize], y: &[isize]) -> bool {
    dims.iter().zip(x.iter().zip(y)).all(|(size, (x, y))| *size == 1 || x == y)
}

pub(super) type Viewed = (Vec<usize>, isize, Vec<Move>, Vec<isize>);

/// What an operation makes of a view.
pub(super) fn viewed(op: &TensorOp, dtype: Dtype, dims: &[usize], view: &View, numbers: &[usize]) -> Option<Viewed> {
    let (mut first, mut moves) = (view.first, view.moves.clone());
    let mut at = |along: usize, number: usize, positions: usize, from_end: bool| {
        moves.push(Move { number, positions, from_end, step: *view.steps.get(along)? });
        Some(())
    };
    match (op, numbers) {
        (TensorOp::PickAt { along, .. }, &[number]) => {
            at(*along, number, *dims.get(*along)?, true)?;
            let (mut dims, mut steps) = (dims.to_vec(), view.steps.clone());
            dims.remove(*along);
            steps.remove(*along);
            Some((dims, first, moves, steps))
        }
        (TensorOp::SliceAt { along, len }, &[number]) => {
            at(*along, number, (dims.get(*along)? + 1).checked_sub(*len)?, false)?;
            let mut dims = dims.to_vec();
            dims[*along] = *len;
            Some((dims, first, moves, view.steps.clone()))
        }
        (_, []) => {
            // The library's own function, on a tensor that has no memory.
            let shell = Tensor::shell_of(dtype, dims, &view.steps).ok()?;
            let (made, _) = op.seen(&shell).filter(|(_, is_view)| *is_view)?;
            first += made.start();
            Some((made.dims().to_vec(), first, moves, made.steps().to_vec()))
        }
        _ => None,
    }
}

/// A loop whose axes are joined where all go along them in one step; none if it is too large.
pub(super) fn collapsed(dims: &[usize], mut insts: Vec<(Inst, Dtype)>, mut stores: Vec<Store>) -> Option<Stage> {
    if insts.len() > MOST_INSTS {
        return None;
    }
    let read = insts.iter_mut().filter_map(|(inst, _)| inst.access_mut());
    let mut all: Vec<&mut Vec<isize>> =
        read.chain(stores.iter_mut().map(|it| &mut it.to)).map(|it| &mut it.steps).collect();
    let dims = joined_axes(dims, &mut all);
    Some(Stage::Each { dims, insts, stores })
}

/// The axes of a shape without those of one position, joined where all go along them in one step.
pub(super) fn joined_axes(dims: &[usize], all: &mut [&mut Vec<isize>]) -> Vec<usize> {
    let mut kept = Vec::new();
    let mut joined: Vec<Vec<isize>> = vec![Vec::new(); all.len()];
    for (axis, &size) in dims.iter().enumerate().filter(|(_, size)| **size != 1) {
        let is_run = !kept.is_empty()
            && all
                .iter()
                .zip(&joined)
                .all(|(steps, so_far)| so_far.last() == Some(&steps[axis].wrapping_mul(size as isize)));
        if is_run {
            let last = kept.last_mut().expect("there is one");
            *last = sizes::product(&[*last, size]);
        } else {
            kept.push(size);
        }
        for (steps, so_far) in all.iter().zip(&mut joined) {
            if is_run {
                so_far.pop();
            }
            so_far.push(steps[axis]);
        }
    }
    for (steps, joined) in all.iter_mut().zip(joined) {
        **steps = joined;
    }
    kept
}

/// Rows along some axes of a shape, joined.
pub(super) fn rows_of(fold: Fold, dtype: Dtype, dims: &[usize], rows: &[usize], from: Access, to: Memory) -> Stage {
    let of = |is_row: bool| (0..dims.len()).filter(move |axis| rows.contains(axis) == is_row);
    let kept: Vec<usize> = of(false).map(|it| dims[it]).collect();
    let mut steps: Vec<isize> = of(false).map(|it| from.steps[it]).collect();
    let dims_kept = joined_axes(&kept, &mut [&mut steps, &mut dense_steps(&kept).to_vec()]);
    steps.extend(of(true).map(|it| from.steps[it]));
    let rows = of(true).map(|it| dims[it]).collect();
    Stage::Rows { fold, dtype, dims: dims_kept, rows, from: Access { steps, ..from }, to }
}
