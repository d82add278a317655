//! Reductions on a device that are no part of a sweep: many lanes for each result, then the lanes.

use std::sync::Arc;

use super::run::{Arg, Job, Key, run};
use super::{Device, address_of, blank};
use crate::tensor::error::Result;
use crate::tensor::reduce::Fold;
use crate::tensor::{Dtype, Tensor, layout};

/// About so many threads work at once.
const THREADS: usize = 1 << 18;
/// A lane has at least so many elements, if there are more lanes than one.
const LEAST: usize = 64;

/// Reduces axes, which are gone then, of a tensor on the device that has elements.
pub(super) fn fold(device: &Arc<dyn Device>, fold: Fold, x: &Tensor, axes: &[usize]) -> Result<Tensor> {
    let kept: Vec<usize> = (0..x.rank()).filter(|axis| !axes.contains(axis)).collect();
    let dims: Vec<usize> = kept.iter().map(|&axis| x.dims()[axis]).collect();
    let order: Vec<usize> = kept.iter().chain(axes).copied().collect();
    let moved = layout::permute(x, &order)?;
    let (rows, len) = (dims.iter().product::<usize>(), axes.iter().map(|&axis| x.dims()[axis]).product::<usize>());
    // As rows of one step, or else a copy that is.
    let split = kept.len();
    let (row_step, step, flat) = match (one_step(&moved, 0, split), one_step(&moved, split, moved.rank())) {
        (Some(row_step), Some(step)) => (row_step, step, moved),
        _ => (len as isize, 1, moved.to_dense()?),
    };
    let steps = [row_step, step];
    let wide = if x.dtype().is_float() { Dtype::F64 } else { x.dtype() };
    let mut part = Part { tensor: flat, steps, len };
    loop {
        let lanes = if part.len <= LEAST { 1 } else { (THREADS / rows).min(part.len.div_ceil(LEAST)).max(1) };
        let dtype = if lanes == 1 { x.dtype() } else { wide };
        // Neighbouring threads read neighbouring elements.
        let rows_first = part.steps[0].unsigned_abs() >= part.steps[1].unsigned_abs() || rows == 1;
        let shape = if rows_first { [rows, lanes] } else { [lanes, rows] };
        let out = blank(device, dtype, if lanes == 1 { &dims } else { &shape })?;
        let key = Key { job: Job::Fold(fold, rows_first), takes: part.tensor.dtype().elem(), gives: dtype.elem() };
        let sizes = [part.len, lanes, part.len / lanes].map(|it| it as i64);
        let places = [part.tensor.start(), part.steps[0], part.steps[1]].map(|it| it as i64);
        let mut args = vec![Arg::Memory(&part.tensor)];
        args.extend(places.into_iter().chain(sizes).map(Arg::Int));
        run(device, key, &shape, &args, address_of(&out))?;
        if lanes == 1 {
            return Ok(out);
        }
        let steps = if rows_first { [lanes as isize, 1] } else { [1, rows as isize] };
        part = Part { tensor: out, steps, len: lanes };
    }
}

/// What is still to be reduced.
struct Part {
    tensor: Tensor,
    /// Between rows, and along them.
    steps: [isize; 2],
    len: usize,
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
