//! Elements at positions, on a device.
//!
//! One job reads what is there, and waits as others do. Positions that only count (`x[np.arange(n), y]`, `take_along_axis`)
//! are steps of the view that is read from, so that nobody uploads or reads them. Whether all other positions exist is asked
//! once of each array of them, by its least and its greatest: two numbers are copied back.

use std::sync::Arc;

use super::later::{begin, wait};
use super::run::Axes;
use super::sweep::Job;
use super::{Device, blank};
use crate::kernel::MAX_RANK;
use crate::tensor::elementwise::{Cmp, Num2, compare, num2, select};
use crate::tensor::error::Result;
use crate::tensor::index::{Part, Shape, missing};
use crate::tensor::reduce::{Fold, fold};
use crate::tensor::shape::dense_steps;
use crate::tensor::{Steps, Tensor, layout};

/// The elements of a tensor at positions, one of which lies on a device.
pub(in crate::tensor) fn gather(device: &Arc<dyn Device>, x: &Tensor, parts: &[Part]) -> Result<Tensor> {
    let x = &x.brought_to(device)?;
    let shape = &Shape::of(x, parts)?;
    if shape.common.contains(&0) {
        return blank(device, x.dtype(), &shape.dims);
    }
    let (counted, none) = (counted(x.dims(), parts, shape), vec![None; parts.len()]);
    let is_simple = |it: &Tensor| Axes::of(it.dims(), &[it.steps(), &dense_steps(it.dims())]).dims.len() <= MAX_RANK;
    let first = table(x, shape, &counted);
    if is_simple(&first) {
        return read(device, x, &first, parts, shape, &counted);
    }
    let x = x.as_dense()?;
    let shape = Shape::of(&x, parts)?;
    let ways = [counted, none].map(|counted| (table(&x, &shape, &counted), counted));
    let (table, counted) =
        ways.iter().find(|it| is_simple(&it.0)).expect("what is dense, and does not count, has three axes");
    read(device, &x, table, parts, &shape, counted)
}

/// The first element that each position may lead to, as if all that do not count were 0.
fn table(x: &Tensor, shape: &Shape, counted: &[Option<usize>]) -> Tensor {
    let mut common = Steps::repeat(0, shape.common.len());
    for (axis, along) in counted.iter().enumerate() {
        if let Some(along) = along {
            common[*along] += x.steps()[axis];
        }
    }
    let mut steps = Steps::new();
    for step in shape.before.1.iter().chain(common.iter()).chain(shape.after.1.iter()) {
        steps.push(*step).expect("the result has no more axes than a tensor may have");
    }
    // SAFETY: what counts does so inside its axis, so each of these is an element.
    unsafe { x.with(x.start(), shape.dims.clone(), steps) }
}

fn read(
    device: &Arc<dyn Device>,
    x: &Tensor,
    table: &Tensor,
    parts: &[Part],
    shape: &Shape,
    counted: &[Option<usize>],
) -> Result<Tensor> {
    let mut operands = vec![table.clone()];
    for (axis, part) in parts.iter().enumerate() {
        let (Part::At(at), None) = (part, counted[axis]) else { continue };
        let size = x.dims()[axis];
        exist(at, axis, size)?;
        let mut at = if at.count() == 1 { at.clone() } else { layout::broadcast_to(at, &shape.common)? };
        if at.count() > 1 {
            for _ in &*shape.after.0 {
                at = layout::insert_axis(&at, at.rank())?;
            }
        }
        operands.extend([at, number(size as i64)?, number(x.steps()[axis] as i64)?]);
    }
    wait(device, Job::Gather, &operands.iter().collect::<Vec<_>>(), (x.dtype(), &shape.dims))
}

/// For each axis, the axis of the positions along which its own only count from 0, if they do. Only positions in this
/// machine's memory are looked at.
pub(super) fn counted(dims: &[usize], parts: &[Part], shape: &Shape) -> Vec<Option<usize>> {
    let one = |(axis, part): (usize, &Part)| {
        let Part::At(at) = part else { return None };
        let mut long = (0..at.rank()).filter(|&it| at.dims()[it] != 1);
        let (Some(along), None, None) = (long.next(), long.next(), at.device()) else { return None };
        let len = at.dims()[along];
        (len <= dims[axis] && at.to_vec::<i64>().into_iter().eq(0..len as i64))
            .then(|| along + shape.common.len() - at.rank())
    };
    parts.iter().enumerate().map(one).collect()
}

/// How far each position is, by a step for each axis that has positions: dense, on the device.
pub(super) fn offsets(
    device: &Arc<dyn Device>,
    dims: &[usize],
    parts: &[Part],
    shape: &Shape,
    step: impl Fn(usize) -> i64,
) -> Result<Tensor> {
    let mut offsets = number(0)?;
    for (axis, part) in parts.iter().enumerate() {
        let Part::At(at) = part else { continue };
        let size = dims[axis];
        let mut at = at.clone();
        if exist(&at, axis, size)? < 0 {
            let from_end = num2(Num2::Add, &at, &number(size as i64)?)?;
            at = select(&compare(Cmp::Lt, &at, &number(0)?)?, &from_end, &at)?;
        }
        offsets = num2(Num2::Add, &offsets, &num2(Num2::Mul, &at, &number(step(axis))?)?)?;
    }
    let offsets = layout::broadcast_to(&offsets, &shape.common)?;
    offsets.brought_to(device)?.as_dense()
}

pub(super) fn number(it: i64) -> Result<Tensor> {
    Tensor::from_slice(&[it], &[])
}

/// Looks whether all positions are some of an axis of a size. The least of them.
pub(super) fn exist(at: &Tensor, axis: usize, size: usize) -> Result<i64> {
    let size = size as i64;
    let (least, greatest) = range(at)?;
    if least < -size || greatest >= size {
        let all = at.to_host()?.to_vec::<i64>();
        let first = all.into_iter().find(|it| !(-size..size).contains(it));
        return Err(missing(first.unwrap_or(greatest), axis, size));
    }
    Ok(least)
}

/// The least and the greatest of integers.
pub(super) fn range(x: &Tensor) -> Result<(i64, i64)> {
    let axes: Vec<usize> = (0..x.rank()).collect();
    let found = || -> Result<(i64, i64)> {
        if axes.is_empty() {
            let it = x.to_host()?.item_at(&[]).int();
            return Ok((it, it));
        }
        let both = [fold(Fold::Min, x, &axes)?, fold(Fold::Max, x, &axes)?];
        begin(&both[1])?;
        let [least, greatest] = both.map(|it| it.to_host().map(|it| it.item_at(&[]).int()));
        Ok((least?, greatest?))
    };
    match x.buf().block() {
        Some(block) => block.range(x, found),
        None => found(),
    }
}
