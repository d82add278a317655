//! Elements at positions, on a device.
//!
//! From the positions an offset is made, by operations that wait as any other; one kernel then reads what is there. Whether
//! all positions exist is asked once of each array of them, by its least and its greatest: two numbers are copied back.

use std::sync::Arc;

use super::fold::one_step;
use super::later::begin;
use super::run::sweep_code;
use super::step::Step;
use super::sweep::{Access, Given, Input, Job, Level, Member, Run, Sweep, Value};
use super::{Device, address_of, blank, replay};
use crate::tensor::elementwise::{Cmp, Num2, compare, num2, select};
use crate::tensor::error::Result;
use crate::tensor::index::{Part, Shape, missing};
use crate::tensor::reduce::{Fold, fold};
use crate::tensor::{Dtype, Tensor, layout};

/// The elements of a tensor on a device at positions.
pub(in crate::tensor) fn gather(device: &Arc<dyn Device>, x: &Tensor, parts: &[Part], shape: &Shape) -> Result<Tensor> {
    if shape.common.contains(&0) {
        return blank(device, x.dtype(), &shape.dims);
    }
    let steps = x.steps();
    let offsets = offsets(device, x.dims(), parts, shape, |axis| steps[axis] as i64)?;
    let sides = [&shape.before, &shape.after];
    let mut far = [0; 2];
    for (far, (dims, steps)) in far.iter_mut().zip(sides) {
        // SAFETY: only its shape and steps are looked at.
        let side = unsafe { x.with(0, dims.clone(), steps.clone()) };
        match one_step(&side, 0, side.rank()) {
            Some(step) => *far = step as i64,
            None => {
                let dense = x.to_dense()?;
                return gather(device, &dense, parts, &Shape::of(&dense, parts)?);
            }
        }
    }
    let to = blank(device, x.dtype(), &shape.dims)?;
    if to.count() == 0 {
        return Ok(to);
    }
    begin(x)?;
    begin(&offsets)?;
    let table = Input { dtype: x.dtype(), level: Level::Each, access: Access::Table };
    let at = Input { dtype: Dtype::I64, level: Level::Each, access: Access::Steps };
    let args = vec![Value::Input(0), Value::Input(1)];
    let sweep = Sweep {
        rank: 3,
        len: None,
        inputs: vec![table, at],
        members: vec![Member { job: Job::Gather, dtype: x.dtype(), level: Level::Each, args }],
        outputs: vec![0],
        in_place: false,
        strided: false,
    };
    let given = |it: &Tensor, steps: Vec<i64>| {
        let first = it.buf().block().expect("it lies on the device").place();
        Given::Memory { first: address_of(it), steps, inside: (first, first + it.buf().bytes() as u64) }
    };
    let count = |dims: &[usize]| dims.iter().product::<usize>();
    let run = Run {
        dims: vec![count(&shape.before.0), count(&shape.common), count(&shape.after.0)],
        inputs: vec![given(x, far.to_vec()), given(&offsets, vec![0, 1, 0])],
        outputs: vec![address_of(&to)],
        to_steps: Vec::new(),
    };
    // The inputs are those of the sweep, and positions have been looked at; the output is as large as the space.
    replay::begin(device, Step::Sweep(sweep_code(device, &sweep)?, run)).expect("sweeps are begun as they are")?;
    Ok(to)
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
        let size = dims[axis] as i64;
        let (least, greatest) = range(at)?;
        if least < -size || greatest >= size {
            let all = at.to_host()?.to_vec::<i64>();
            let first = all.into_iter().find(|it| !(-size..size).contains(it));
            return Err(missing(first.unwrap_or(greatest), axis, size));
        }
        let mut at = at.clone();
        if least < 0 {
            let from_end = num2(Num2::Add, &at, &number(size)?)?;
            at = select(&compare(Cmp::Lt, &at, &number(0)?)?, &from_end, &at)?;
        }
        offsets = num2(Num2::Add, &offsets, &num2(Num2::Mul, &at, &number(step(axis))?)?)?;
    }
    let offsets = layout::broadcast_to(&offsets, &shape.common)?;
    if offsets.device().is_some() { offsets.as_dense() } else { offsets.to_device(device) }
}

fn number(it: i64) -> Result<Tensor> {
    Tensor::from_slice(&[it], &[])
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
