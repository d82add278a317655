//! Order: stable, NaN last, negative and positive zero equal.

use std::cmp::Ordering;

use super::elem::{Elem, by_dtype};
use super::error::Result;
use super::op::TensorOp;
use super::trace;
use super::{Tensor, layout};

/// Least first; NaN behind everything.
fn order<W: PartialOrd>(x: &W, y: &W) -> Ordering {
    #[expect(clippy::eq_op, reason = "only a NaN is not itself")]
    x.partial_cmp(y).unwrap_or_else(|| (x != x).cmp(&(y != y)))
}

/// Calls with each line along an axis of a dense tensor in which that axis is the last.
fn lines(x: &Tensor, along: usize) -> Result<(Tensor, Vec<usize>)> {
    let mut turn: Vec<usize> = (0..x.rank()).filter(|at| *at != along).collect();
    turn.push(along);
    let dense = layout::permute(x, &turn)?.to_dense()?;
    Ok((dense, layout::inverse(&turn)))
}

/// Sorted along an axis.
pub fn sort(x: &Tensor, along: usize, descending: bool) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Sort { along, descending }, &[x]) {
        return noted;
    }
    let (dense, back) = lines(x, along)?;
    let len = x.dims()[along];
    by_dtype!(x.dtype(), E => {
        let mut all = dense.to_vec::<E>();
        for line in all.chunks_mut(len.max(1)) {
            if descending {
                line.sort_by(|x, y| order(&y.wide(), &x.wide()));
            } else {
                line.sort_by(|x, y| order(&x.wide(), &y.wide()));
            }
        }
        layout::permute(&Tensor::from_slice(&all, dense.dims())?, &back)?.to_dense()
    })
}

/// The positions that would sort an axis; equal ones stay in their order.
pub fn argsort(x: &Tensor, along: usize, descending: bool) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Argsort { along, descending }, &[x]) {
        return noted;
    }
    let (dense, back) = lines(x, along)?;
    let len = x.dims()[along];
    let mut found: Vec<i64> = Vec::new();
    by_dtype!(x.dtype(), E => for line in dense.to_vec::<E>().chunks(len.max(1)) {
        let mut at: Vec<i64> = (0..len as i64).collect();
        if descending {
            at.sort_by(|x, y| order(&line[*y as usize].wide(), &line[*x as usize].wide()));
        } else {
            at.sort_by(|x, y| order(&line[*x as usize].wide(), &line[*y as usize].wide()));
        }
        found.extend(at);
    });
    layout::permute(&Tensor::from_slice(&found, dense.dims())?, &back)?.to_dense()
}

/// Where each element of `values` belongs in a sorted line: before its equals, or behind them if `right`.
pub fn search(sorted: &Tensor, values: &Tensor, right: bool) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Search { right }, &[sorted, values]) {
        return noted;
    }
    debug_assert_eq!((sorted.rank(), sorted.dtype()), (1, values.dtype()), "checked by the caller");
    let found: Vec<i64> = by_dtype!(sorted.dtype(), E => {
        let line = sorted.to_vec::<E>();
        let place = |value: E| {
            line.partition_point(|it| match order(&it.wide(), &value.wide()) {
                Ordering::Less => true,
                Ordering::Equal => right,
                Ordering::Greater => false,
            }) as i64
        };
        values.to_vec::<E>().into_iter().map(place).collect()
    });
    Tensor::from_slice(&found, values.dims())
}
