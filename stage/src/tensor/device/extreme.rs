//! Where the greatest or least element of a line is, on a device.
//!
//! A line that is longer than rows of sweeps are is looked for in pieces, and then among what was found in them: of equal ones,
//! and of NaNs, the first one stays the first.

use std::sync::Arc;

use super::Device;
use super::gather::number;
use super::later::wait;
use super::sweep::{Job, MOST_LEN};
use crate::tensor::elementwise::{Num2, num2};
use crate::tensor::error::Result;
use crate::tensor::index::{Part, gather};
use crate::tensor::{Dims, Dtype, Tensor, layout};

/// See [`crate::tensor::reduce::arg_extreme`].
pub(super) fn extreme(device: &Arc<dyn Device>, x: &Tensor, along: usize, greatest: bool) -> Result<Tensor> {
    let order: Vec<usize> = (0..x.rank()).filter(|&axis| axis != along).chain([along]).collect();
    let moved = layout::permute(x, &order)?;
    let (dims, len) = (Dims::from_slice(&moved.dims()[..x.rank() - 1])?, x.dims()[along]);
    if len <= MOST_LEN {
        return wait(device, Job::Arg { greatest }, &[&moved], (Dtype::I64, &dims));
    }
    let lines = layout::reshape(&moved, &[dims.iter().product(), len])?;
    layout::reshape(&in_pieces(device, &lines, greatest)?, &dims)
}

/// Of each row of a matrix, whose rows are long.
fn in_pieces(device: &Arc<dyn Device>, x: &Tensor, greatest: bool) -> Result<Tensor> {
    let (count, len) = (x.dims()[0], x.dims()[1]);
    let (pieces, rest) = (len / MOST_LEN, len % MOST_LEN);
    let whole = layout::reshape(&layout::slice(x, 1, 0, len - rest, 1), &[count * pieces, MOST_LEN])?;
    let inside = layout::reshape(&extreme(device, &whole, 1, greatest)?, &[count, pieces])?;
    let firsts: Vec<i64> = (0..pieces as i64).map(|it| it * MOST_LEN as i64).collect();
    let mut found = num2(Num2::Add, &inside, &Tensor::from_slice(&firsts, &[pieces])?)?;
    if rest > 0 {
        let last = extreme(device, &layout::slice(x, 1, len - rest, rest, 1), 1, greatest)?;
        let last = num2(Num2::Add, &last, &number((len - rest) as i64)?)?;
        found = layout::concat(&[found, layout::reshape(&last, &[count, 1])?], 1)?;
    }
    let rows: Vec<i64> = (0..count as i64).collect();
    let rows = Part::At(Tensor::from_slice(&rows, &[count, 1])?);
    let in_rows = |table: &Tensor, at: &Tensor| {
        at.lies_between(0, table.dims()[1] as i64 - 1);
        gather(table, &[rows.clone(), Part::At(at.clone())])
    };
    let first = extreme(device, &in_rows(x, &found)?, 1, greatest)?;
    layout::reshape(&in_rows(&found, &layout::reshape(&first, &[count, 1])?)?, &[count])
}
