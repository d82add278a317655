//! Carrying operations out where their operands lie.

use std::sync::Arc;

use super::fold::fold;
use super::later::{begin_all, now, wait};
use super::run::{self, Arg, Key, run};
use super::sweep::{Job, MOST_LEN, is_defined};
use super::{Device, Product, address_of, blank};
use crate::op::Acts;
use crate::tensor::error::Result;
use crate::tensor::fused::Role;
use crate::tensor::op::{Given, Operand, TensorOp};
use crate::tensor::reduce::Fold;
use crate::tensor::{Dims, Dtype, Tensor, cast, layout, trace};

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
    match op {
        TensorOp::Fold { fold: how, axes } => {
            let x = operands[0];
            if x.count() == 0 || axes.is_empty() {
                return None;
            }
            let (dtype, dims) = gives?;
            let given = match is_of_rows(x, axes) {
                true => wait(device, Job::Fold(*how), &[x], (dtype, &dims)),
                false => folded(device, *how, x, axes),
            };
            return Some(given.map(Some));
        }
        TensorOp::ArgExtreme { along, greatest } => {
            let (x, along) = (operands[0], *along);
            if x.count() == 0 || x.dims()[along] > MOST_LEN {
                return None;
            }
            let (dtype, dims) = gives?;
            let order: Vec<usize> = (0..x.rank()).filter(|&axis| axis != along).chain([along]).collect();
            let last = match layout::permute(x, &order) {
                Ok(it) => it,
                Err(error) => return Some(Err(error)),
            };
            return Some(wait(device, Job::Arg { greatest: *greatest }, &[&last], (dtype, &dims)).map(Some));
        }
        TensorOp::Matmul => return multiply(device, operands[0], operands[1], gives?),
        _ => {}
    }
    let writes = matches!(op.acts(), Acts::Writes);
    let from = if writes { &operands[1..] } else { operands };
    let takes: Vec<Dtype> = match op {
        TensorOp::Assign => operands.iter().map(|it| it.dtype()).collect(),
        _ => from.iter().map(|it| it.dtype()).collect(),
    };
    let job = Job::of(op, &takes)?;
    if writes {
        return write(device, job, operands[0], from).map(|it| it.map(|()| None));
    }
    let (dtype, dims) = gives?;
    is_defined(job, &takes, dtype).then(|| wait(device, job, operands, (dtype, &dims)).map(Some))
}

/// Whether these are all of the last axes, which together are a row that a sweep can have.
fn is_of_rows(x: &Tensor, axes: &[usize]) -> bool {
    let first = x.rank() - axes.len();
    let len: usize = x.dims()[first..].iter().product();
    (first..x.rank()).all(|axis| axes.contains(&axis)) && len <= MOST_LEN
}

/// Any axes. What the kernels of large reductions have not is added up as something wider.
fn folded(device: &Arc<dyn Device>, how: Fold, x: &Tensor, axes: &[usize]) -> Result<Tensor> {
    let wide = match x.dtype() {
        Dtype::I32 => Dtype::I64,
        Dtype::F16 | Dtype::Bf16 => Dtype::F32,
        Dtype::Bool | Dtype::I64 | Dtype::F32 | Dtype::F64 => return fold(device, how, x, axes),
    };
    let found = fold(device, how, &cast::cast(x, wide)?, axes)?;
    cast::cast(&found, x.dtype())
}

/// Writes to an array of the device's, if it is dense.
fn write(device: &Arc<dyn Device>, job: Job, to: &Tensor, from: &[&Tensor]) -> Option<Result<()>> {
    let block = to.buf().block().filter(|it| Arc::ptr_eq(&it.device, device) && to.is_dense())?;
    let takes: Vec<Dtype> = from.iter().map(|it| it.dtype()).collect();
    if !is_defined(job, &takes, to.dtype()) {
        return None;
    }
    // What would be written before it is read is copied first.
    let apart = |it: &&Tensor| match to.may_overlap(it) && !to.is_same_view(it) {
        true => it.to_dense(),
        false => Ok((*it).clone()),
    };
    let done = from.iter().map(apart).collect::<Result<Vec<_>>>().and_then(|from| {
        let from: Vec<&Tensor> = from.iter().collect();
        now(device, job, &from, to)
    });
    block.changed();
    Some(done)
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
        a.begin()?;
        b.begin()?;
        let to = blank(device, dtype, &dims)?;
        let product = Product { dtype, m, n, k, a: address_of(&a), b: address_of(&b), to: address_of(&to) };
        if to.count() > 0
            && let Some(done) = device.multiply(&product)
        {
            return done.map(|()| Some(to));
        }
        if dtype == Dtype::I32 {
            // What wraps in 64 bits and is cut wraps in 32.
            let [a, b] = [&a, &b].map(|it| cast::cast(it, Dtype::I64));
            let product = multiply(device, &a?, &b?, (Dtype::I64, dims)).expect("there is a kernel for these")?;
            return cast::cast(&product.expect("a product is a tensor"), dtype).map(Some);
        }
        let (Some(takes), Some(gives)) = (a.dtype().elem(), dtype.elem()) else { return Ok(None) };
        let key = Key { job: run::Job::Product, takes, gives };
        // Views of whole memory begin where they begin.
        let (a, b) = (from_beginning(&a)?, from_beginning(&b)?);
        let args = [Arg::Memory(&a), Arg::Memory(&b), Arg::Int(k as i64), Arg::Int(n as i64)];
        run(device, key, &[m, n], &args, address_of(&to))?;
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
    begin_all()?;
    let here = to.implicitly_here()?;
    write(&here)?;
    if to.is_dense() {
        let bytes = here.count() * here.dtype().size();
        // SAFETY: the elements of a dense tensor are one range.
        block.device.upload(address_of(to), unsafe { std::slice::from_raw_parts(here.ptr(), bytes) })?;
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
        return now(device, Job::Copy, &[from], to);
    }
    let one = |at: usize| scattered(device, &layout::pick(from, 0, at as i64)?, &layout::pick(to, 0, at as i64)?);
    (0..to.dims()[0]).try_for_each(one)
}
