//! Reductions on a device of other axes than the last ones, and of long rows.
//!
//! What is not much is rows of a sweep, whose elements are some steps apart: that waits, for what follows. Of more, many lanes
//! are reduced for each result, by neighbouring threads; then the lanes.

use std::sync::Arc;

use super::later::wait;
use super::run::{Job, Key, run};
use super::sweep::{self, MOST_LEN};
use super::{Device, address_of, blank};
use crate::tensor::cast::as_dtype;
use crate::tensor::error::Result;
use crate::tensor::reduce::Fold;
use crate::tensor::{Dims, Dtype, Tensor, layout};

/// About so many threads work at once.
const THREADS: usize = 1 << 18;
/// A lane has at least so many elements, if there are more lanes than one.
const LEAST: usize = 64;
/// No more elements are reduced as rows of a sweep: each is read with what lies beside it.
const MUCH: usize = 1 << 20;
/// So many results are threads enough, if each has few elements.
const MANY: usize = 1 << 12;

/// Reduces axes, which are gone then, of a tensor on the device that has elements.
pub(super) fn fold(device: &Arc<dyn Device>, fold: Fold, x: &Tensor, axes: &[usize]) -> Result<Tensor> {
    let kept: Vec<usize> = (0..x.rank()).filter(|axis| !axes.contains(axis)).collect();
    let dims: Vec<usize> = kept.iter().map(|&axis| x.dims()[axis]).collect();
    let order: Vec<usize> = kept.iter().chain(axes).copied().collect();
    let moved = layout::permute(x, &order)?;
    let (rows, len) = (dims.iter().product::<usize>(), axes.iter().map(|&axis| x.dims()[axis]).product::<usize>());
    let wide = if x.dtype().is_float() { Dtype::F64 } else { x.dtype() };
    let dims = Dims::from_slice(&dims)?;
    if len <= MOST_LEN && x.count() <= MUCH && (len > LEAST || rows < MANY) {
        let summed = if matches!(fold, Fold::Sum | Fold::Prod) { wide } else { x.dtype() };
        let found = wait(device, sweep::Job::Fold(fold), &[&as_dtype(&moved, summed)?], (summed, &dims))?;
        return as_dtype(&found, x.dtype());
    }
    // As rows of one step, or else a copy that is.
    let split = kept.len();
    let (row_step, step, flat) = match (one_step(&moved, 0, split), one_step(&moved, split, moved.rank())) {
        (Some(row_step), Some(step)) => (row_step, step, moved),
        _ => (len as isize, 1, moved.to_dense()?),
    };
    let lanes = if len <= LEAST { 1 } else { (THREADS / rows).min(len.div_ceil(LEAST)).clamp(1, MOST_LEN) };
    let dtype = if lanes == 1 { x.dtype() } else { wide };
    // Neighbouring threads read neighbouring elements.
    let rows_first = row_step.unsigned_abs() >= step.unsigned_abs() || rows == 1;
    let shape = if rows_first { [rows, lanes] } else { [lanes, rows] };
    let out = blank(device, dtype, if lanes == 1 { &dims } else { &shape })?;
    let key = Key { job: Job::Fold(fold, rows_first), takes: flat.dtype().elem(), gives: dtype.elem() };
    let [len, turns] = [len, len / lanes].map(|it| it as i64);
    let numbers = [flat.start() as i64, row_step as i64, step as i64, len, lanes as i64, turns];
    run(device, key, &shape, (&[&flat], &numbers), address_of(&out))?;
    if lanes == 1 {
        return Ok(out);
    }
    let lanes = if rows_first { out } else { layout::permute(&out, &[1, 0])? };
    let found = wait(device, sweep::Job::Fold(fold), &[&lanes], (wide, &Dims::from_slice(&[rows])?))?;
    layout::reshape(&as_dtype(&found, x.dtype())?, &dims)
}

/// The step of some axes, if they are like one.
pub(super) fn one_step(x: &Tensor, from: usize, to: usize) -> Option<isize> {
    let mut found: Option<(isize, isize)> = None;
    for axis in (from..to).rev().filter(|&axis| x.dims()[axis] != 1) {
        match found {
            None => found = Some((x.steps()[axis], x.steps()[axis] * x.dims()[axis] as isize)),
            Some((step, next)) if x.steps()[axis] == next => {
                found = Some((step, next * x.dims()[axis] as isize));
            }
            Some(_) => return None,
        }
    }
    Some(found.map_or(0, |it| it.0))
}
