//! Carrying operations out where their operands lie.

use std::sync::Arc;

use super::concat::concat;
use super::extreme::extreme;
use super::fold::fold;
use super::gather::{number, range};
use super::later::{begin_all, now, wait};
use super::product::multiply;
use super::scan::scan;
use super::sweep::{Axis, Job, MOST_LEN, is_defined};
use super::{Device, order};
use crate::home::Home;
use crate::op::Acts;
use crate::tensor::elementwise::{Num2, negative_exponent, num2};
use crate::tensor::error::Result;
use crate::tensor::op::{Given, Operand, TensorOp};
use crate::tensor::reduce::{self, Fold};
use crate::tensor::scan::Scan;
use crate::tensor::trace::{self, Staged};
use crate::tensor::{Dims, Dtype, Tensor, cast};
use crate::types::Type;

/// Carries out an operation of which an operand lies in the memory of a device. `None` if it is to go on here: it makes a
/// view, or is made of others.
pub(in crate::tensor) fn perform(op: &TensorOp, operands: &[&Tensor]) -> Option<Result<Option<Tensor>>> {
    (!goes_on_here(op)).then(|| carry_out(op, operands))
}

fn goes_on_here(op: &TensorOp) -> bool {
    op.is_view() || matches!(op, TensorOp::Test { .. } | TensorOp::CountNonzero(_))
}

fn carry_out(op: &TensorOp, operands: &[&Tensor]) -> Result<Option<Tensor>> {
    // What does not go together is told before anything is done.
    let gives = given(op, operands)?;
    let device = operands.iter().find_map(|it| it.device()).expect("one operand lies on a device");
    let device = Arc::clone(device);
    match Way::of(op, operands, gives.as_ref()) {
        Some(way) => way.go(&device, operands, gives),
        None => here(op, operands),
    }
}

fn given(op: &TensorOp, operands: &[&Tensor]) -> Result<Option<(Dtype, Dims)>> {
    let shells: Vec<Operand<'_>> = operands.iter().map(|it| Operand::Tensor(it)).collect();
    Ok(match trace::shapes(|| op.apply(&shells))? {
        Given::Tensor(shell) => Some((shell.dtype(), shell.dims().clone())),
        Given::Number(_) | Given::Nothing | Given::Operand(_) => None,
    })
}

/// Whether an operation, some of whose operands lie in the memory of a device, is carried out there, without elements being
/// copied here.
pub fn is_done_there(op: &TensorOp, operands: &[&Tensor]) -> bool {
    match op {
        TensorOp::Same
        | TensorOp::Fused(_)
        | TensorOp::Gather(_)
        | TensorOp::To(_)
        | TensorOp::Place { .. }
        | TensorOp::Again { .. }
        | TensorOp::Ran(_) => true,
        _ if !are_together(operands) => false,
        TensorOp::Item => false,
        TensorOp::Put(_) | TensorOp::AddAt { .. } | TensorOp::PutAt(_) | TensorOp::Scatter(_) => is_there(operands[0]),
        op if goes_on_here(op) => true,
        op => given(op, operands).is_ok_and(|gives| Way::of(op, operands, gives.as_ref()).is_some()),
    }
}

/// Whether no two operands lie on different devices.
fn are_together(operands: &[&Tensor]) -> bool {
    let mut homes = operands.iter().filter_map(|it| it.home()).filter(|it| it.is_there());
    homes.next().is_none_or(|first| homes.all(|it| it == first))
}

/// The same for operands of these types.
pub fn is_done_there_on(op: &TensorOp, operands: &[Type]) -> bool {
    let nobody = Staged { owner: u64::MAX, value: 0, element: None };
    let tensors = operands.iter().filter_map(|ty| match ty {
        Type::Tensor(ty) => Tensor::stand_in(nobody, ty.dtype, ty.shape.dims(), ty.home).ok(),
        _ => None,
    });
    let tensors: Vec<Tensor> = tensors.collect();
    is_done_there(op, &tensors.iter().collect::<Vec<_>>())
}

fn is_there(x: &Tensor) -> bool {
    x.home().is_none_or(Home::is_there)
}

/// How an operation is carried out on a device.
enum Way {
    Fold(Fold, Vec<usize>),
    Arg {
        along: usize,
        greatest: bool,
    },
    /// There is no element to fold.
    Empty(TensorOp),
    Product,
    Vecdot,
    Concat {
        along: usize,
    },
    Scan(Scan, usize),
    Sort {
        along: usize,
        descending: bool,
    },
    Argsort {
        along: usize,
        descending: bool,
    },
    Search {
        right: bool,
    },
    Triangle {
        k: i64,
        lower: bool,
    },
    Each(Job),
    /// The first operand is written to.
    Write(Job),
}

impl Way {
    /// For an operation that gives this; `None` if there is no kernel.
    fn of(op: &TensorOp, operands: &[&Tensor], gives: Option<&(Dtype, Dims)>) -> Option<Self> {
        match op {
            TensorOp::Fold { .. } | TensorOp::ArgExtreme { .. } if operands[0].count() == 0 => {
                return Some(Self::Empty(op.clone()));
            }
            TensorOp::Fold { fold: how, axes } => return Some(Self::Fold(*how, axes.clone())),
            &TensorOp::ArgExtreme { along, greatest } => return Some(Self::Arg { along, greatest }),
            TensorOp::Vecdot => return Some(Self::Vecdot),
            TensorOp::Scan { scan, along } => return Some(Self::Scan(*scan, *along)),
            &TensorOp::Sort { along, descending } => return Some(Self::Sort { along, descending }),
            &TensorOp::Argsort { along, descending } => return Some(Self::Argsort { along, descending }),
            &TensorOp::Triangle { k, lower } => return Some(Self::Triangle { k, lower }),
            &TensorOp::Search { right } => return Some(Self::Search { right }),
            TensorOp::Matmul => return Some(Self::Product),
            TensorOp::Concat { along } => return Some(Self::Concat { along: *along }),
            _ => {}
        }
        let writes = matches!(op.acts(), Acts::Writes);
        let from = if writes { &operands[1..] } else { operands };
        let takes = |of: &[&Tensor]| of.iter().map(|it| it.dtype()).collect::<Vec<Dtype>>();
        let job = Job::of(op, &if matches!(op, TensorOp::Assign) { takes(operands) } else { takes(from) })?;
        if writes {
            let to = operands[0];
            return (is_there(to) && is_defined(job, &takes(from), to.dtype())).then_some(Self::Write(job));
        }
        let (dtype, _) = gives?;
        is_defined(job, &takes(from), *dtype).then_some(Self::Each(job))
    }

    fn go(
        self,
        device: &Arc<dyn Device>,
        operands: &[&Tensor],
        gives: Option<(Dtype, Dims)>,
    ) -> Result<Option<Tensor>> {
        let x = operands[0];
        if let Self::Each(Job::Num2(op)) | Self::Write(Job::Num2(op)) = self {
            check_exponents(op, operands[operands.len() - 1])?;
        }
        if let Self::Write(job) = self {
            return write(device, job, x, &operands[1..]).map(|()| None);
        }
        let (dtype, dims) = gives.expect("it gives a tensor");
        match self {
            Self::Fold(how, axes) if is_of_rows(x, &axes) => wait(device, Job::Fold(how), &[x], (dtype, &dims)),
            Self::Fold(how, axes) => folded(device, how, x, &axes),
            Self::Arg { along, greatest } => extreme(device, x, along, greatest),
            Self::Vecdot => vecdot(x, operands[1]),
            Self::Empty(op) => of_nothing(&op, operands)?.to_device(device),
            Self::Product => multiply(device, x, operands[1], (dtype, &dims)),
            Self::Concat { along } => concat(device, operands, along, (dtype, &dims)),
            Self::Scan(how, along) => scan(device, how, x, along),
            Self::Sort { along, descending } => order::sort(device, x, along, descending),
            Self::Argsort { along, descending } => order::argsort(device, x, along, descending),
            Self::Triangle { k, lower } => {
                let (rows, columns) = (x.rank() - 2, x.rank() - 1);
                // No further than where there is nothing but zeros, or no zero.
                let k = number(k.clamp(-(dims[rows] as i64), dims[columns] as i64))?;
                let [rows, columns] = [rows, columns].map(|it| Axis::of(&dims, it));
                wait(device, Job::Triangle { rows, columns, lower }, &[x, &k], (dtype, &dims))
            }
            Self::Search { right } => order::search(device, x, operands[1], right),
            Self::Each(job) | Self::Write(job) => wait(device, job, operands, (dtype, &dims)),
        }
        .map(Some)
    }
}

/// A negative power of an integer is no integer.
fn check_exponents(op: Num2, y: &Tensor) -> Result<()> {
    let is_any = op.is_of_exponents(y.dtype()) && y.count() > 0 && range(y)?.0 < 0;
    if is_any { Err(negative_exponent()) } else { Ok(()) }
}

/// What an operation gives on operands without elements: on this machine, as there is nothing to copy.
fn of_nothing(op: &TensorOp, operands: &[&Tensor]) -> Result<Tensor> {
    let nothing = |it: &&Tensor| Tensor::blank(it.dtype(), it.dims());
    let operands = operands.iter().map(nothing).collect::<Result<Vec<_>>>()?;
    match op.apply(&operands.iter().map(Operand::Tensor).collect::<Vec<_>>())? {
        Given::Tensor(it) => Ok(it),
        Given::Number(_) | Given::Nothing | Given::Operand(_) => unreachable!("what is folded is a tensor"),
    }
}

/// The sums of the products along the last axis. Half precision is added up in singles.
fn vecdot(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    let wide = if x.dtype().is_float() && x.dtype().size() < 4 { Dtype::F32 } else { x.dtype() };
    let products = num2(Num2::Mul, &cast::as_dtype(x, wide)?, &cast::as_dtype(y, wide)?)?;
    cast::as_dtype(&reduce::fold(Fold::Sum, &products, &[products.rank() - 1])?, x.dtype())
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

/// Writes to an array of the device's.
fn write(device: &Arc<dyn Device>, job: Job, to: &Tensor, from: &[&Tensor]) -> Result<()> {
    let Some(block) = to.buf().block() else { unreachable!("what is written to lies on a device") };
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
    done
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
fn written_here(to: &Tensor, write: impl FnOnce(&Tensor) -> Result<()>) -> Result<()> {
    let Some(block) = to.buf().block() else { return write(to) };
    begin_all()?;
    let here = to.implicitly_here()?;
    write(&here)?;
    now(&block.device, Job::Copy, &[&here.to_device(&block.device)?], to)?;
    block.changed();
    Ok(())
}
