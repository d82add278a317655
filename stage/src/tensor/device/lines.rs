//! Running sums and order along an axis, on a device.
//!
//! Each element looks at its line by itself, so that sums are added up in the order that this machine adds them in. That is much
//! work for long lines: those are not done there.

use std::sync::Arc;

use super::run::{Arg, Job, Key, run};
use super::{Device, address_of, blank};
use crate::tensor::cast::as_dtype;
use crate::tensor::error::Result;
use crate::tensor::index::{self, Part};
use crate::tensor::scan::Scan;
use crate::tensor::{Dtype, Tensor, layout};
use crate::types::Elem;

/// Lines are not longer.
pub(super) const MOST: usize = 1 << 15;

/// The dtype that bodies of kernels have for this one: nothing is lost.
pub(super) const fn of_kernels(dtype: Dtype) -> (Dtype, Elem) {
    match dtype {
        Dtype::Bool | Dtype::I32 | Dtype::I64 => (Dtype::I64, Elem::I64),
        Dtype::F16 | Dtype::Bf16 | Dtype::F32 => (Dtype::F32, Elem::F32),
        Dtype::F64 => (Dtype::F64, Elem::F64),
    }
}

/// A tensor whose lines along an axis lie one behind the other, in a dtype of kernels.
struct Lines {
    dense: Tensor,
    elem: Elem,
    /// How many there are, and how long.
    shape: [usize; 2],
    /// The order of the axes, and their sizes in it.
    order: Vec<usize>,
    dims: Vec<usize>,
}

impl Lines {
    fn of(x: &Tensor, along: usize) -> Result<Self> {
        let order: Vec<usize> = (0..x.rank()).filter(|&axis| axis != along).chain([along]).collect();
        let moved = layout::permute(x, &order)?;
        let (dtype, elem) = of_kernels(x.dtype());
        let len = x.dims()[along];
        let shape = [x.count() / len.max(1), len];
        let dense = dense(&as_dtype(&moved, dtype)?)?;
        Ok(Self { dense, elem, shape, order, dims: moved.dims().to_vec() })
    }

    /// What a job makes of each element.
    fn each(&self, device: &Arc<dyn Device>, job: Job, array: &Tensor, gives: Dtype) -> Result<Tensor> {
        let out = blank(device, gives, &self.shape)?;
        let elem = |it: &Tensor| of_kernels(it.dtype()).1;
        let key = Key { job, takes: elem(array), gives: elem(&out) };
        let args = [Arg::Memory(array), Arg::Int(self.shape[1] as i64)];
        run(device, key, &self.shape, &args, address_of(&out))?;
        Ok(out)
    }

    /// The positions of each line in order.
    fn positions(&self, device: &Arc<dyn Device>, descending: bool) -> Result<Tensor> {
        let ranks = self.each(device, Job::Rank(descending), &self.dense, Dtype::I64)?;
        self.each(device, Job::Ranked, &ranks, Dtype::I64)
    }

    /// With the axes as they were.
    fn back(&self, made: &Tensor) -> Result<Tensor> {
        layout::permute(&layout::reshape(made, &self.dims)?, &layout::inverse(&self.order))?.as_dense()
    }
}

/// Dense, from the beginning of its memory, and begun.
pub(super) fn dense(x: &Tensor) -> Result<Tensor> {
    let x = x.as_dense()?;
    let x = if x.start() == 0 { x } else { x.to_dense()? };
    x.begin()?;
    Ok(x)
}

/// See [`crate::tensor::scan::scan`].
pub(super) fn scan(device: &Arc<dyn Device>, how: Scan, x: &Tensor, along: usize) -> Result<Tensor> {
    if x.count() == 0 {
        return blank(device, x.dtype(), x.dims());
    }
    let lines = Lines::of(x, along)?;
    let made = lines.each(device, Job::Scan(how), &lines.dense, lines.dense.dtype())?;
    lines.back(&as_dtype(&made, x.dtype())?)
}

/// See [`crate::tensor::sort::argsort`].
pub(super) fn argsort(device: &Arc<dyn Device>, x: &Tensor, along: usize, descending: bool) -> Result<Tensor> {
    if x.count() == 0 {
        return blank(device, Dtype::I64, x.dims());
    }
    let lines = Lines::of(x, along)?;
    lines.back(&lines.positions(device, descending)?)
}

/// See [`crate::tensor::sort::sort`].
pub(super) fn sort(device: &Arc<dyn Device>, x: &Tensor, along: usize, descending: bool) -> Result<Tensor> {
    if x.count() == 0 {
        return blank(device, x.dtype(), x.dims());
    }
    let lines = Lines::of(x, along)?;
    let [count, len] = lines.shape;
    let order = lines.positions(device, descending)?;
    if let Some(block) = order.buf().block() {
        block.range(&order, || Ok((0, len as i64 - 1)))?;
    }
    let numbers: Vec<i64> = (0..count as i64).collect();
    let parts = [Part::At(Tensor::from_slice(&numbers, &[count, 1])?), Part::At(order)];
    let table = layout::reshape(&layout::permute(x, &lines.order)?.as_dense()?, &lines.shape)?;
    lines.back(&index::gather(&table, &parts)?)
}

/// Whole numbers from 0 on, in order: where each was.
pub(super) fn sorted(device: &Arc<dyn Device>, keys: &Tensor) -> Result<Tensor> {
    let lines = Lines::of(keys, 0)?;
    debug_assert_eq!(lines.elem, Elem::I64, "keys are whole numbers");
    lines.positions(device, false)
}
