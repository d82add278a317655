//! Running sums and products, on a device.
//!
//! Floats are added in the order of this machine: each element is the one before it and one more. A kernel has a piece of each
//! line, of which each thread adds up what is before its element, from the end of the piece before on. So lines of `n`
//! elements take `n / PIECE` kernels, one after the other, and `n * PIECE / 2` additions. Where lines are many, pieces are
//! shorter, as there are enough threads without long ones.
//!
//! Integers may be added in any order. A kernel adds [`WINDOW`] elements to each, then the next one as many of these sums,
//! and so on: two kernels for lines of 1,024 elements, four for a million.

use std::sync::Arc;

use super::lines::{Lines, of_kernels};
use super::run::{Job, Key, run};
use super::{Device, address_of, blank};
use crate::tensor::cast::as_dtype;
use crate::tensor::error::Result;
use crate::tensor::scan::Scan;
use crate::tensor::{Kind, Tensor};

/// How many elements a thread adds of integers.
pub(super) const WINDOW: usize = 32;

/// Pieces are not longer: beginning a kernel takes about as long as that many additions.
const MOST_PIECE: usize = 512;
/// And not shorter.
const LEAST_PIECE: usize = 16;
/// So many threads keep a device busy.
const THREADS: usize = 1 << 16;

/// See [`crate::tensor::scan::scan`].
pub(super) fn scan(device: &Arc<dyn Device>, how: Scan, x: &Tensor, along: usize) -> Result<Tensor> {
    if x.count() == 0 {
        return blank(device, x.dtype(), x.dims());
    }
    let lines = Lines::side_by_side(x, along)?;
    let made = if x.dtype().is_float() { in_order(device, how, &lines) } else { in_windows(device, how, &lines) };
    lines.back(&as_dtype(&made?, x.dtype())?)
}

/// How many elements of a line of truth values hold, up to each.
pub(super) fn holding(device: &Arc<dyn Device>, truth: &Tensor) -> Result<Tensor> {
    in_windows(device, Scan::Sum, &Lines::side_by_side(truth, 0)?)
}

fn in_order(device: &Arc<dyn Device>, how: Scan, lines: &Lines) -> Result<Tensor> {
    let (x, [len, count]) = (&lines.dense, lines.shape);
    let out = blank(device, x.dtype(), &lines.shape)?;
    let elem = of_kernels(x.dtype()).1;
    let key = Key { job: Job::Scan(how), takes: elem, gives: elem };
    let piece = (THREADS / count).clamp(LEAST_PIECE, MOST_PIECE);
    for first in (0..len).step_by(piece) {
        // The first element of a line is what is known of it.
        let (before, known) = if first == 0 { (x, 0) } else { (&out, first - 1) };
        let to = address_of(&out) + (first * count * x.dtype().size()) as u64;
        let numbers = [count, known, first].map(|it| it as i64);
        run(device, key, &[piece.min(len - first), count], (&[x, before], &numbers), to)?;
    }
    Ok(out)
}

fn in_windows(device: &Arc<dyn Device>, how: Scan, lines: &Lines) -> Result<Tensor> {
    debug_assert_ne!(lines.dense.dtype().kind(), Kind::Float, "rounding depends on the order");
    let (mut made, [len, count]) = (lines.dense.clone(), lines.shape);
    let elem = of_kernels(made.dtype()).1;
    let key = Key { job: Job::Window(how), takes: elem, gives: elem };
    let mut far = 1;
    // At least once: what is given may be the memory of somebody else.
    loop {
        let out = blank(device, made.dtype(), &lines.shape)?;
        run(device, key, &lines.shape, (&[&made], &[count as i64, far as i64]), address_of(&out))?;
        (made, far) = (out, far * WINDOW);
        if far >= len {
            return Ok(made);
        }
    }
}
