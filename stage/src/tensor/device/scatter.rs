//! Writing and adding at positions, on a device.
//!
//! Positions become keys, whose order says for each place what is written there, or added, and in which order: so it does not
//! depend on which thread is first. Beside the elements that takes some numbers for each position, and one for each place,
//! which finds by bisection where its positions are. Where no two positions lead to one place, because others count the lines,
//! each element of the result finds out by itself whether it is there: that waits, as any job of elements does.

use std::sync::Arc;

use super::gather::{counted, exist, offsets};
use super::later::{now, wait};
use super::lines::{dense, of_kernels};
use super::order::{below, sorted};
use super::run::{Job, Key, run};
use super::sweep::{self, Axis};
use super::{Device, address_of, blank, zeros_beside};
use crate::tensor::cast::as_dtype;
use crate::tensor::error::Result;
use crate::tensor::index::{Part, Shape, stretched};
use crate::tensor::{Dims, Steps, Tensor, layout};

/// What lies at the places of some axes, and how it gets there.
struct Places {
    /// The axes that positions are of, before the others.
    order: Vec<usize>,
    /// The sizes of the axes in that order.
    dims: Vec<usize>,
    /// How many places there are, and elements at each.
    shape: [usize; 2],
    /// How many positions are below each place, and one more.
    below: Tensor,
    /// The positions, in the order of their places.
    sorted: Tensor,
}

impl Places {
    fn of(device: &Arc<dyn Device>, dims: &[usize], parts: &[Part], shape: &Shape) -> Result<Self> {
        let is_at = |axis: &usize| matches!(parts[*axis], Part::At(_));
        let (at, rest): (Vec<usize>, Vec<usize>) = (0..dims.len()).partition(is_at);
        let size = |axes: &[usize]| axes.iter().map(|&it| dims[it]).product::<usize>();
        let places = size(&at);
        let step = |axis: usize| {
            let behind: Vec<usize> = at.iter().copied().filter(|&it| it > axis).collect();
            size(&behind) as i64
        };
        let keys = offsets(device, dims, parts, shape, step)?;
        let [keys, sorted] = sorted(device, &layout::reshape(&keys, &[keys.count()])?)?;
        let below = below(device, &keys, 0, places + 1)?;
        let (shape, order) = ([places, size(&rest)], [at, rest].concat());
        let dims = order.iter().map(|&axis| dims[axis]).collect();
        Ok(Self { order, dims, shape, below, sorted })
    }

    /// What each place becomes of values, whose axes are those before the positions, of the positions, and behind.
    fn made(
        &self,
        device: &Arc<dyn Device>,
        job: Job,
        value: &Tensor,
        shape: &Shape,
        old: Option<&Tensor>,
    ) -> Result<Tensor> {
        let (before, common) = (shape.before.0.len(), shape.common.len());
        let mut order: Vec<usize> = (before..before + common).collect();
        order.extend((0..before).chain(before + common..value.rank()));
        let value = value.brought_to(device)?;
        let (dtype, elem) = of_kernels(value.dtype());
        let value = dense(&as_dtype(&layout::permute(&value, &order)?, dtype)?)?;
        let old = old.map(|it| as_dtype(it, dtype).and_then(|it| dense(&it))).transpose()?;
        let out = blank(device, dtype, &self.shape)?;
        let mut arrays = vec![&self.below, &self.sorted, &value];
        arrays.extend(&old);
        let key = Key { job, takes: elem, gives: elem };
        run(device, key, &self.shape, (&arrays, &[self.shape[1] as i64]), address_of(&out))?;
        layout::permute(&layout::reshape(&out, &self.dims)?, &layout::inverse(&self.order))
    }
}

/// Looks whether all positions exist, where nothing is written to them.
fn all_exist(parts: &[Part], dims: &[usize]) -> Result<()> {
    parts.iter().enumerate().try_for_each(|(axis, part)| match part {
        Part::At(at) if at.count() > 0 => exist(at, axis, dims[axis]).map(drop),
        Part::At(_) | Part::All => Ok(()),
    })
}

/// See [`crate::tensor::index::scatter`].
pub(in crate::tensor) fn scatter(device: &Arc<dyn Device>, x: &Tensor, parts: &[Part], value: &Tensor) -> Result<()> {
    let shape = Shape::of(x, parts)?;
    let value = stretched(value, &shape.dims)?;
    if value.count() == 0 {
        return all_exist(parts, x.dims());
    }
    let places = Places::of(device, x.dims(), parts, &shape)?;
    let old = layout::permute(x, &places.order)?;
    let made = places.made(device, Job::LastOfKey, &value, &shape, Some(&old))?;
    let job = if made.dtype() == x.dtype() { sweep::Job::Copy } else { sweep::Job::Cast };
    let done = now(device, job, &[&made], x);
    x.changed_there();
    done
}

/// Zeros, with `value` added at positions, one after the other.
pub(in crate::tensor) fn add_at(
    device: &Arc<dyn Device>,
    value: &Tensor,
    parts: &[Part],
    dims: &[usize],
) -> Result<Tensor> {
    let shape = Shape::of(&Tensor::shell(value.dtype(), dims)?, parts)?;
    let value = stretched(value, &shape.dims)?;
    if value.count() == 0 {
        all_exist(parts, dims)?;
        return zeros_beside(&value, dims);
    }
    if let Some(made) = one_in_each_line(device, &value, parts, dims, &shape)? {
        return Ok(made);
    }
    let places = Places::of(device, dims, parts, &shape)?;
    let made = places.made(device, Job::SumOfKey, &value, &shape, None)?;
    as_dtype(&made, value.dtype())?.as_dense()
}

/// The same, where only one axis has positions that do not count, and in each line along it there is one of them.
fn one_in_each_line(
    device: &Arc<dyn Device>,
    value: &Tensor,
    parts: &[Part],
    dims: &[usize],
    shape: &Shape,
) -> Result<Option<Tensor>> {
    let counted = counted(dims, parts, shape);
    let mut others = (0..dims.len()).filter(|&axis| counted[axis].is_none() && matches!(parts[axis], Part::At(_)));
    let (Some(along), None) = (others.next(), others.next()) else { return Ok(None) };
    let mut free: Vec<bool> = shape.common.iter().map(|&size| size != 1).collect();
    for (axis, it) in counted.iter().enumerate() {
        let Some(it) = *it else { continue };
        if !free[it] || shape.common[it] != dims[axis] {
            return Ok(None);
        }
        free[it] = false;
    }
    let Part::At(at) = &parts[along] else { unreachable!("it has positions") };
    if free.contains(&true) || !value.dtype().is_float() {
        return Ok(None);
    }
    exist(at, along, dims[along])?;
    let (before, common) = (shape.before.0.len(), shape.common.len());
    let at = if at.count() == 1 { at.clone() } else { layout::broadcast_to(at, &shape.common)?.brought_to(device)? };
    // Both as views of the result's shape.
    let [mut of_value, mut of_at] = [(); 2].map(|()| Steps::new());
    let mut whole = 0..before + value.rank() - before - common;
    for (axis, part) in parts.iter().enumerate() {
        let (value_step, at_step) = match (part, counted[axis]) {
            (Part::All, _) => {
                let it = whole.next().expect("there is one for each whole axis");
                (value.steps()[if it < before { it } else { it + common }], 0)
            }
            (Part::At(_), Some(it)) => (value.steps()[before + it], if at.count() == 1 { 0 } else { at.steps()[it] }),
            (Part::At(_), None) => (0, 0),
        };
        of_value.push(value_step)?;
        of_at.push(at_step)?;
    }
    let all = Dims::from_slice(dims)?;
    // SAFETY: along each axis these are elements of the one or of the other.
    let value = unsafe { value.with(value.start(), all.clone(), of_value) };
    let at = match at.count() {
        1 => at,
        // SAFETY: as above.
        _ => unsafe { at.with(at.start(), all.clone(), of_at) },
    };
    wait(device, sweep::Job::AddAt(Axis::of(dims, along)), &[&at, &value], (value.dtype(), &all)).map(Some)
}
