//! Carrying operations out where their operands lie.

use std::sync::Arc;

use super::fold::fold;
use super::run::{Access, Arg, Axes, Job, Key, run};
use super::{Device, Product, address, blank};
use crate::kernel::MAX_RANK;
use crate::op::Acts;
use crate::tensor::elementwise::{Bits2, Num2, Real2};
use crate::tensor::error::Result;
use crate::tensor::fused::Role;
use crate::tensor::op::{Given, Operand, TensorOp};
use crate::tensor::{Dims, Dtype, Kind, Tensor, layout, trace};

/// Carries out an operation of which an operand lies in the memory of a device. `None` if it is to go on here: it makes a
/// view, or is made of others.
pub(in crate::tensor) fn perform(op: &TensorOp, operands: &[&Tensor]) -> Option<Result<Option<Tensor>>> {
    let goes_on_here =
        matches!(Role::of(op), Some(Role::View)) || matches!(op, TensorOp::Test { .. } | TensorOp::CountNonzero(_));
    (!goes_on_here).then(|| carry_out(op, operands))
}

fn carry_out(op: &TensorOp, operands: &[&Tensor]) -> Result<Option<Tensor>> {
    let shells: Vec<Operand<'_>> = operands.iter().map(|it| Operand::Tensor(it)).collect();
    // What does not go together is told before anything is done.
    let gives = match trace::shapes(|| op.apply(&shells))? {
        Given::Tensor(shell) => Some((shell.dtype(), shell.dims().clone())),
        Given::Number(_) | Given::Nothing | Given::Operand(_) => None,
    };
    let device = operands.iter().find_map(|it| it.device()).expect("one operand lies on a device");
    let device = Arc::clone(device);
    match there(&device, op, operands, gives) {
        Some(done) => done,
        None => here(op, operands),
    }
}

/// On the device, if there is a kernel.
fn there(
    device: &Arc<dyn Device>,
    op: &TensorOp,
    operands: &[&Tensor],
    gives: Option<(Dtype, Dims)>,
) -> Option<Result<Option<Tensor>>> {
    if operands.iter().any(|it| it.dtype().elem().is_none()) || gives.as_ref().is_some_and(|it| it.0.elem().is_none()) {
        return match op {
            TensorOp::Matmul => multiply(device, operands[0], operands[1], gives?),
            _ => None,
        };
    }
    let job = match op {
        TensorOp::Copy => Job::Copy,
        TensorOp::Cast(to) if *to == operands[0].dtype() => Job::Copy,
        TensorOp::Cast(_) => Job::Cast,
        TensorOp::Num1(op) => Job::Num1(*op),
        TensorOp::Real1(op) => Job::Real1(*op),
        TensorOp::Bits1(op) => Job::Bits1(*op),
        TensorOp::Test1(op) => Job::Test1(*op),
        TensorOp::Num2(Num2::Pow) | TensorOp::Num2Into(Num2::Pow) if operands[0].dtype().kind() == Kind::Int => {
            return None;
        }
        TensorOp::Num2(op) | TensorOp::Num2Into(op) => Job::Num2(*op),
        TensorOp::Real2(Real2::Hypot | Real2::NextAfter | Real2::LogAddExp)
        | TensorOp::Real2Into(Real2::Hypot | Real2::NextAfter | Real2::LogAddExp)
        | TensorOp::Bits2(Bits2::Left | Bits2::Right) => return None,
        TensorOp::Real2(op) | TensorOp::Real2Into(op) => Job::Real2(*op),
        TensorOp::Bits2(op) => Job::Bits2(*op),
        TensorOp::Compare(op) => Job::Compare(*op),
        TensorOp::Select => Job::Select,
        TensorOp::Assign if operands[0].dtype() == operands[1].dtype() => Job::Copy,
        TensorOp::Assign => Job::Cast,
        TensorOp::Fold { fold: how, axes } => {
            if operands[0].count() == 0 || operands[0].dtype() == Dtype::Bool && axes.is_empty() {
                return None;
            }
            return Some(fold(device, *how, operands[0], axes).map(Some));
        }
        TensorOp::Matmul => return multiply(device, operands[0], operands[1], gives?),
        _ => return None,
    };
    match op.acts() {
        Acts::Writes => {
            let (to, from) = operands.split_first()?;
            let block = to.buf().block().filter(|it| Arc::ptr_eq(&it.device, device) && to.is_dense())?;
            // What would be written before it is read is copied first.
            let apart = |it: &&Tensor| match to.may_overlap(it) && !to.is_same_view(it) {
                true => it.to_dense(),
                false => Ok((*it).clone()),
            };
            let done = from.iter().map(apart).collect::<Result<Vec<_>>>().and_then(|from| {
                let from: Vec<&Tensor> = from.iter().collect();
                elementwise(device, job, &from, to)
            });
            block.changed();
            Some(done.map(|()| None))
        }
        _ => {
            let (dtype, dims) = gives?;
            let to = match blank(device, dtype, &dims) {
                Ok(to) => to,
                Err(error) => return Some(Err(error)),
            };
            Some(elementwise(device, job, operands, &to).map(|()| Some(to)))
        }
    }
}

/// A job on each element, to a dense tensor.
fn elementwise(device: &Arc<dyn Device>, job: Job, operands: &[&Tensor], to: &Tensor) -> Result<()> {
    let mut moved = Vec::new();
    for operand in operands {
        let stretched = layout::broadcast_to(operand, to.dims())?;
        moved.push(match stretched.device() {
            Some(it) if Arc::ptr_eq(it, device) => stretched,
            None if operand.count() == 1 => stretched,
            Some(_) | None => layout::broadcast_to(&operand.to_device(device)?, to.dims())?,
        });
    }
    let numbers: Vec<bool> = moved.iter().map(|it| it.device().is_none()).collect();
    let none = vec![0; to.rank()];
    let steps: Vec<&[isize]> =
        moved.iter().zip(&numbers).map(|(it, &number)| if number { &none[..] } else { &it.steps()[..] }).collect();
    let mut all: Vec<&[isize]> = vec![&to.steps()[..]];
    all.extend(&steps);
    let axes = Axes::of(to.dims(), &all);
    let rank = axes.dims.len();
    if rank > MAX_RANK {
        // Dense ones are of one axis.
        let dense = moved.iter().map(|it| many_axes(device, it)).collect::<Result<Vec<_>>>()?;
        return elementwise(device, job, &dense.iter().collect::<Vec<_>>(), to);
    }
    let mut key = Key { job, rank, operands: Vec::new(), out: to.dtype().elem().expect("checked by the caller") };
    let mut args = Vec::new();
    for (position, operand) in moved.iter().enumerate() {
        let elem = operand.dtype().elem().expect("checked by the caller");
        let steps = &axes.steps[position + 1];
        if numbers[position] {
            key.operands.push((elem, Access::Number));
            args.push(Arg::Item(operand.item_at(&vec![0; operand.rank()])));
            continue;
        }
        let access = if rank == 1 && steps[0] == 1 { Access::Dense } else { Access::Steps };
        key.operands.push((elem, access));
        args.extend([Arg::Memory(operand), Arg::Int(operand.start() as i64)]);
        if access == Access::Steps {
            args.extend(steps.iter().map(|&step| Arg::Int(step as i64)));
        }
    }
    run(device, key, &axes.dims, &args, address(to))
}

/// A dense copy of a tensor of many axes: some of them at a time, from the first.
fn many_axes(device: &Arc<dyn Device>, x: &Tensor) -> Result<Tensor> {
    if x.is_dense() || x.device().is_none() {
        return Ok(x.clone());
    }
    let to = blank(device, x.dtype(), x.dims())?;
    for position in 0..x.dims()[0] {
        let (from, to) = (layout::pick(x, 0, position as i64)?, layout::pick(&to, 0, position as i64)?);
        elementwise(device, Job::Copy, &[&from], &to)?;
    }
    Ok(to)
}

/// A product of two matrices. `None` if there are more axes.
fn multiply(
    device: &Arc<dyn Device>,
    a: &Tensor,
    b: &Tensor,
    (dtype, dims): (Dtype, Dims),
) -> Option<Result<Option<Tensor>>> {
    let (&[m, k], &[_, n]) = (&a.dims()[..], &b.dims()[..]) else { return None };
    let is_here = |it: &Tensor| it.device().is_some_and(|it| Arc::ptr_eq(it, device));
    let dense = |it: &Tensor| if is_here(it) { it.as_dense() } else { it.to_device(device) };
    let done = dense(a).and_then(|a| Ok((a, dense(b)?))).and_then(|(a, b)| {
        let to = blank(device, dtype, &dims)?;
        let product = Product { dtype, m, n, k, a: address(&a), b: address(&b), to: address(&to) };
        if to.count() > 0
            && let Some(done) = device.multiply(&product)
        {
            return done.map(|()| Some(to));
        }
        let (Some(first), Some(second), Some(out)) = (a.dtype().elem(), b.dtype().elem(), dtype.elem()) else {
            return Ok(None);
        };
        let key =
            Key { job: Job::Product, rank: 2, operands: vec![(first, Access::Dense), (second, Access::Dense)], out };
        // Views of whole memory begin where they begin.
        let (a, b) = (from_beginning(&a)?, from_beginning(&b)?);
        let args = [Arg::Memory(&a), Arg::Memory(&b), Arg::Int(k as i64), Arg::Int(n as i64)];
        run(device, key, &[m, n], &args, address(&to))?;
        Ok(Some(to))
    });
    match done {
        Ok(None) => None,
        other => Some(other),
    }
}

fn from_beginning(x: &Tensor) -> Result<Tensor> {
    if x.start() == 0 { Ok(x.clone()) } else { x.to_dense() }
}

/// In this machine's memory, to which elements are copied.
fn here(op: &TensorOp, operands: &[&Tensor]) -> Result<Option<Tensor>> {
    let writes = matches!(op.acts(), Acts::Writes);
    let rest = if writes { &operands[1..] } else { operands };
    let copies: Vec<Tensor> = rest.iter().map(|it| it.implicitly_here()).collect::<Result<_>>()?;
    let rest: Vec<Operand<'_>> = copies.iter().map(Operand::Tensor).collect();
    if !writes {
        return match op.apply(&rest)? {
            Given::Tensor(it) => Ok(Some(it)),
            Given::Number(_) | Given::Nothing | Given::Operand(_) => Ok(None),
        };
    }
    written_here(operands[0], |to| {
        let all: Vec<Operand<'_>> = std::iter::once(Operand::Tensor(to)).chain(rest.iter().copied()).collect();
        op.apply(&all).map(drop)
    })
    .map(|()| None)
}

/// Writes to a tensor in this machine's memory, and copies it back to its device if it lies on one.
pub(in crate::tensor) fn written_here(to: &Tensor, write: impl FnOnce(&Tensor) -> Result<()>) -> Result<()> {
    let Some(block) = to.buf().block() else { return write(to) };
    let here = to.implicitly_here()?;
    write(&here)?;
    if to.is_dense() {
        let bytes = here.count() * here.dtype().size();
        // SAFETY: the elements of a dense tensor are one range.
        block.device.upload(address(to), unsafe { std::slice::from_raw_parts(here.ptr(), bytes) })?;
    } else {
        let (device, there) = (&block.device, here.to_device(&block.device)?);
        let one = |at: usize| -> Result<()> {
            let (from, to) = (layout::pick(&there, 0, at as i64)?, layout::pick(to, 0, at as i64)?);
            scattered(device, &from, &to)
        };
        (0..to.dims()[0]).try_for_each(one)?;
    }
    block.changed();
    Ok(())
}

/// Copies to a view, however it lies.
fn scattered(device: &Arc<dyn Device>, from: &Tensor, to: &Tensor) -> Result<()> {
    if to.is_dense() {
        return elementwise(device, Job::Copy, &[from], to);
    }
    let one = |at: usize| scattered(device, &layout::pick(from, 0, at as i64)?, &layout::pick(to, 0, at as i64)?);
    (0..to.dims()[0]).try_for_each(one)
}
