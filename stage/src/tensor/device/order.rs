//! Order along an axis, on a device.
//!
//! Positions are put in order, not elements. In runs of [`RUN`] each element counts those that go before it; then two runs
//! become one until there is one, and each place finds out by bisection which element goes there: for a line of `n` elements
//! that is `log2(n / RUN)` kernels, of which a thread looks at `2 * log2(n)` elements at most. Nothing depends on which thread
//! is first, and equal elements stay in their order. Beside the elements there are two arrays of positions meanwhile.

use std::sync::Arc;

use super::lines::{Lines, dense, of_kernels};
use super::run::{Job, Key, run};
use super::{Device, address_of, blank};
use crate::tensor::cast::as_dtype;
use crate::tensor::error::Result;
use crate::tensor::index::{self, Part};
use crate::tensor::{Dtype, Tensor, layout};
use crate::types::Elem;

/// How many elements are put in order by counting.
pub(super) const RUN: usize = 32;

/// The positions of each line in order: as many rows as there are lines.
fn positions(device: &Arc<dyn Device>, lines: &Lines, descending: bool) -> Result<Tensor> {
    let (x, [_, len]) = (&lines.dense, lines.shape);
    let step = |job: Job, takes: Elem, arrays: &[&Tensor], numbers: &[usize]| {
        let out = blank(device, Dtype::I64, &lines.shape)?;
        let numbers: Vec<i64> = numbers.iter().map(|&it| it as i64).collect();
        run(device, Key { job, takes, gives: Elem::I64 }, &lines.shape, (arrays, &numbers), address_of(&out))?;
        Ok(out)
    };
    let elem = of_kernels(x.dtype()).1;
    let ranks = step(Job::Rank(descending), elem, &[x], &[len])?;
    let mut order = step(Job::Ranked, Elem::I64, &[&ranks], &[len])?;
    let mut size = RUN;
    while size < len {
        order = step(Job::Merge(descending), elem, &[x, &order], &[len, size])?;
        size *= 2;
    }
    Ok(order)
}

/// See [`crate::tensor::sort::argsort`].
pub(super) fn argsort(device: &Arc<dyn Device>, x: &Tensor, along: usize, descending: bool) -> Result<Tensor> {
    if x.count() == 0 {
        return blank(device, Dtype::I64, x.dims());
    }
    let lines = Lines::of(x, along)?;
    let order = lines.back(&positions(device, &lines, descending)?)?;
    order.lies_between(0, x.dims()[along] as i64 - 1);
    Ok(order)
}

/// See [`crate::tensor::sort::sort`].
pub(super) fn sort(device: &Arc<dyn Device>, x: &Tensor, along: usize, descending: bool) -> Result<Tensor> {
    if x.count() == 0 {
        return blank(device, x.dtype(), x.dims());
    }
    let lines = Lines::of(x, along)?;
    let order = positions(device, &lines, descending)?;
    order.lies_between(0, lines.shape[1] as i64 - 1);
    let numbers: Vec<i64> = (0..lines.shape[0] as i64).collect();
    let parts = [Part::At(Tensor::from_slice(&numbers, &[numbers.len(), 1])?), Part::At(order)];
    let table = layout::reshape(&layout::permute(x, &lines.order)?.as_dense()?, &lines.shape)?;
    lines.back(&index::gather(&table, &parts)?)
}

/// Keys, which are a line of integers, in order, and where each was.
pub(super) fn sorted(device: &Arc<dyn Device>, keys: &Tensor) -> Result<[Tensor; 2]> {
    let lines = Lines::of(keys, 0)?;
    let order = layout::reshape(&positions(device, &lines, false)?, &[keys.count()])?;
    order.lies_between(0, keys.count() as i64 - 1);
    let keys = dense(&index::gather(&lines.dense, &[Part::At(order.clone())])?)?;
    Ok([keys, order])
}

/// How many of some keys, which are in order, are below each number from a first one on.
pub(super) fn below(device: &Arc<dyn Device>, keys: &Tensor, first: usize, count: usize) -> Result<Tensor> {
    let found = blank(device, Dtype::I64, &[count])?;
    let key = Key { job: Job::Below, takes: Elem::I64, gives: Elem::I64 };
    let numbers = [keys.count() as i64, first as i64];
    run(device, key, &[count, 1], (&[keys], &numbers), address_of(&found))?;
    Ok(found)
}

/// See [`crate::tensor::sort::search`].
pub(super) fn search(device: &Arc<dyn Device>, sorted: &Tensor, values: &Tensor, right: bool) -> Result<Tensor> {
    let (dtype, elem) = of_kernels(sorted.dtype());
    let in_kernels = |it: &Tensor| dense(&as_dtype(&it.brought_to(device)?, dtype)?);
    let [line, each] = [in_kernels(sorted)?, in_kernels(values)?];
    let found = blank(device, Dtype::I64, values.dims())?;
    let key = Key { job: Job::Search(right), takes: elem, gives: Elem::I64 };
    run(device, key, &[values.count(), 1], (&[&line, &each], &[line.count() as i64]), address_of(&found))?;
    Ok(found)
}
