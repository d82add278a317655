//! Operations on tensors as data: what is written down while staged code is captured, and carried out when it runs.
//!
//! Each is a function of this module with those of its arguments that are no tensors. [`TensorOp::apply`] is what it
//! means; there is no other definition. Views share memory with what they are of, as they do in eager code.

mod text;

use std::fmt;
use std::sync::Arc;

use super::decompose::{Decomposition, decompose};
use super::elementwise::{
    Bits1, Bits2, Cmp, Num1, Num2, Real1, Real2, Test1, bits1, bits2, compare, num1, num2, num2_into, real1, real2,
    real2_into, select, test1,
};
use super::error::{Result, TensorError};
use super::fused::{Group, element};
use super::index::{Part, add_at, added_at, gather, scatter};
use super::reduce::{Fold, arg_extreme, count_nonzero, fold, test};
use super::scan::{Scan, scan};
use super::{Dtype, Item, Tensor, cast, contract, device, layout, linear, make, philox, sort, trace};
use crate::home::Home;
use crate::op::Acts;
use crate::types::{TensorType, Type};

use text::Written;
pub(super) use text::shape;

/// An operation on tensors.
#[derive(Clone, PartialEq, Debug)]
pub enum TensorOp {
    /// A copy of its own.
    Copy,
    /// A copy in another memory.
    To(Home),
    /// These elements, in a tensor of its own.
    Constant(Constant),
    /// The same everywhere.
    Full {
        /// What the elements are.
        dtype: Dtype,
        /// The shape.
        dims: Vec<usize>,
        /// The element.
        item: Item,
        /// Where.
        home: Home,
    },
    /// A tensor of the host's own: its function says which.
    World,
    /// How long an axis is that differs from call to call, as it is written ([`crate::sizes`]).
    Extent(usize),
    /// A number as a tensor without axes.
    Number(Dtype),
    /// The only element, as a number.
    Item,
    /// Where elements of this dtype lie: the array that begins with the first one, and for each axis how many elements
    /// are from one position to the next. Code that has it reads and writes elements itself.
    Memory(Dtype),
    /// The same of an object of which only that is guessed: whether it is a tensor of the host's memory with this dtype and
    /// so many axes, and behind the place of the first element the sizes of the axes, too.
    MemoryOf {
        /// The dtype.
        dtype: Dtype,
        /// How many axes.
        rank: usize,
    },
    /// Whether the operations of a run, which follow otherwise, were begun again, and what they gave: see the pass `runs`.
    Again {
        /// The number of the run.
        run: u32,
        /// What the last operands become in it, which are numbers that change in the loop.
        moving: Vec<Dtype>,
    },
    /// They were carried out, and gave these.
    Ran(u32),
    /// Another dtype.
    Cast(Dtype),
    /// Each element by itself.
    Num1(Num1),
    /// The same, of floats.
    Real1(Real1),
    /// The same, of bits.
    Bits1(Bits1),
    /// A question about each element.
    Test1(Test1),
    /// Each pair of elements, shapes broadcast.
    Num2(Num2),
    /// The same, of floats.
    Real2(Real2),
    /// The same, of bits.
    Bits2(Bits2),
    /// A comparison of each pair.
    Compare(Cmp),
    /// From the second where the first holds, else from the third.
    Select,
    /// Each pair of the second and third, written to the first.
    Num2Into(Num2),
    /// The same, of floats.
    Real2Into(Real2),
    /// The second, written to the first.
    Assign,
    /// A view in which axes are stretched.
    Broadcast(Vec<usize>),
    /// The same elements in another shape.
    Reshape(Vec<usize>),
    /// A view with axes in another order.
    Permute(Vec<usize>),
    /// A view with a new axis of size 1.
    InsertAxis(usize),
    /// A view of a position along an axis.
    Pick {
        /// The axis.
        along: usize,
        /// The position; negative ones count from the end.
        at: i64,
    },
    /// The same, at a position that is a number.
    PickAt {
        /// The axis.
        along: usize,
        /// Whether it is not negative and inside: a guard before it said so.
        inside: bool,
    },
    /// A view of positions along an axis.
    Slice {
        /// The axis.
        along: usize,
        /// The first position.
        first: usize,
        /// How many.
        len: usize,
        /// How far apart.
        step: isize,
    },
    /// The same from a position that is a number, which is inside, as all are.
    SliceAt {
        /// The axis.
        along: usize,
        /// How many.
        len: usize,
    },
    /// A view of a diagonal.
    Diagonal {
        /// Above the main one.
        offset: i64,
        /// The axis of rows.
        first: usize,
        /// The axis of columns.
        second: usize,
    },
    /// Zeros of a shape, with the first operand in the place that a view, which the others belong to, leads to.
    Place {
        /// The view.
        view: Box<TensorOp>,
        /// The shape.
        dims: Vec<usize>,
    },
    /// A copy of the first operand, with the second in the place that a view, which the others belong to, leads to.
    Put(Box<TensorOp>),
    /// A copy of the first operand, with the last one written as `Scatter` writes it.
    PutAt(Vec<bool>),
    /// The first operand and what an operation makes of the others, added up. Where that is zero but for some places, only
    /// those are added; products are added slice by slice.
    Plus(Box<TensorOp>),
    /// One after another along an axis.
    Concat {
        /// The axis.
        along: usize,
    },
    /// What lies on one side of a diagonal of the last two axes.
    Triangle {
        /// Which diagonal.
        k: i64,
        /// Whether what lies below.
        lower: bool,
    },
    /// The elements at positions, which the other operands are, for each axis of which this says so.
    Gather(Vec<bool>),
    /// The last operand, written there.
    Scatter(Vec<bool>),
    /// Zeros of a shape, with the elements of the first operand added where the others, positions, say.
    AddAt {
        /// Which axes positions are for.
        at: Vec<bool>,
        /// The shape.
        dims: Vec<usize>,
    },
    /// Whether both are one object, and not only equal.
    Same,
    /// The triangular factors of matrices, in one.
    Lu,
    /// The order that pivoting has put the rows in, and behind it the sign of that order.
    LuOrder,
    /// What times the matrix gives the third, from the factors and the order of its rows.
    LuSolve,
    /// Matrices in orthogonal or triangular factors, which lie below one another.
    Decompose(Decomposition),
    /// Products of matrices.
    Matmul,
    /// Products of vectors.
    Vecdot,
    /// Axes reduced.
    Fold {
        /// How.
        fold: Fold,
        /// The axes.
        axes: Vec<usize>,
    },
    /// Whether all hold, or one.
    Test {
        /// The axes.
        axes: Vec<usize>,
        /// Whether all.
        all: bool,
    },
    /// How many are not zero.
    CountNonzero(Vec<usize>),
    /// The position of the greatest or least.
    ArgExtreme {
        /// The axis.
        along: usize,
        /// Whether the greatest.
        greatest: bool,
    },
    /// All so far.
    Scan {
        /// How.
        scan: Scan,
        /// The axis.
        along: usize,
    },
    /// In order.
    Sort {
        /// The axis.
        along: usize,
        /// Whether the greatest comes first.
        descending: bool,
    },
    /// The positions in order.
    Argsort {
        /// The axis.
        along: usize,
        /// Whether the greatest comes first.
        descending: bool,
    },
    /// The positions with those of the first elements in order before the others, and the next one between.
    ArgPartition {
        /// The axis.
        along: usize,
        /// How many are the first.
        kth: usize,
        /// Whether the greatest comes first.
        descending: bool,
    },
    /// Where the second would go in the first.
    Search {
        /// Whether behind equal ones.
        right: bool,
    },
    /// Several of these in one pass over the elements.
    Fused(Arc<Group>),
    /// Random bits.
    Bits {
        /// The key.
        key: u64,
        /// Which stream.
        stream: u32,
        /// The shape.
        dims: Vec<usize>,
        /// Where.
        home: Home,
    },
    /// The same of a key that is a number.
    BitsAt {
        /// Which stream.
        stream: u32,
        /// The shape.
        dims: Vec<usize>,
        /// Where.
        home: Home,
    },
}

/// Elements that an operation holds.
#[derive(Clone)]
pub struct Constant(Arc<Tensor>);

impl Constant {
    /// These elements, which nobody changes.
    pub(crate) fn new(tensor: Tensor) -> Self {
        Self(Arc::new(tensor))
    }

    /// The elements.
    pub(crate) fn tensor(&self) -> &Tensor {
        &self.0
    }

    /// What they are.
    pub fn dtype(&self) -> Dtype {
        self.0.dtype()
    }

    /// As they lie in memory, in order, each in the low bits.
    pub fn bits(&self) -> Vec<u64> {
        self.0.items().into_iter().map(|it| element(self.0.dtype(), it)).collect()
    }

    /// These numbers, of a shape.
    pub(crate) fn of(numbers: &[i64], dims: &[usize]) -> Result<Self> {
        Tensor::from_slice(numbers, dims).map(Self::new)
    }
}

impl PartialEq for Constant {
    fn eq(&self, other: &Self) -> bool {
        let bits = |it: &Self| it.0.items().into_iter().map(Written::from).collect::<Vec<_>>();
        self.0.dtype() == other.0.dtype() && self.0.dims() == other.0.dims() && bits(self) == bits(other)
    }
}

impl fmt::Debug for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.0.dtype(), self.0.dims())
    }
}

/// An operand.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// A tensor.
    Tensor(&'a Tensor),
    /// A number.
    Number(Item),
}

/// What an operation gives.
#[derive(Clone, Debug)]
pub enum Given {
    /// A tensor.
    Tensor(Tensor),
    /// A number.
    Number(Item),
    /// The operand of this number, which it has written over.
    Operand(usize),
    /// Nothing: it has written.
    Nothing,
}

impl TensorOp {
    /// The types of what it gives for operands of these types: none if it writes.
    ///
    /// # Errors
    /// A [`TensorError`] if such operands do not go together.
    pub fn results(&self, operands: &[Type]) -> Result<Vec<Type>> {
        let home =
            self.home(operands.iter().filter_map(|ty| if let Type::Tensor(ty) = ty { Some(ty.home) } else { None }));
        let shells: Vec<Shell> = operands.iter().map(|ty| Shell::of(*ty)).collect::<Result<_>>()?;
        let operands: Vec<Operand<'_>> = shells.iter().map(Shell::operand).collect();
        Ok(match trace::shapes(|| self.apply(&operands))? {
            Given::Tensor(made) => vec![Type::Tensor(TensorType::new(made.dtype(), made.dims()).at(home))],
            Given::Number(Item::Bool(_)) => vec![Type::Bool],
            Given::Number(Item::Int(_)) => vec![Type::I64],
            Given::Number(Item::Float(_)) => vec![Type::F64],
            Given::Nothing | Given::Operand(_) => Vec::new(),
        })
    }

    /// Where what it gives lies, if its operands lie there.
    pub fn home(&self, operands: impl IntoIterator<Item = Home>) -> Home {
        match self {
            Self::To(home) | Self::Full { home, .. } | Self::Bits { home, .. } | Self::BitsAt { home, .. } => *home,
            _ => operands.into_iter().find(|it| it.is_there()).unwrap_or(Home::HERE),
        }
    }

    /// Whether it may fail for other reasons than that there is no memory, depending on what its operands hold.
    pub fn may_fail(&self) -> bool {
        match self {
            Self::PickAt { inside: false, .. }
            | Self::SliceAt { .. }
            | Self::Gather(_)
            | Self::AddAt { .. }
            | Self::Place { .. }
            | Self::Put(_)
            | Self::PutAt(_)
            | Self::Number(_)
            | Self::Num2(Num2::Pow) => true,
            Self::Fused(group) => group.members().iter().any(|it| it.op.may_fail()),
            Self::Plus(made) => made.may_fail(),
            _ => false,
        }
    }

    /// What it does besides giving its result.
    pub fn acts(&self) -> Acts {
        match self {
            Self::World | Self::Extent(_) | Self::Memory(_) | Self::MemoryOf { .. } => Acts::Asks,
            Self::Item | Self::Same => Acts::Reads,
            Self::Num2Into(_) | Self::Real2Into(_) | Self::Assign | Self::Scatter(_) => Acts::Writes,
            Self::Fused(group) if group.writes() => Acts::Writes,
            _ => Acts::Makes,
        }
    }

    /// What it gives of a tensor without memory, and whether that is a view of it.
    pub(crate) fn seen(&self, of: &Tensor) -> Option<(Tensor, bool)> {
        match trace::shapes(|| self.apply(&[Operand::Tensor(of)])) {
            Ok(Given::Tensor(made)) => {
                let is_view = Arc::ptr_eq(made.buf(), of.buf());
                Some((made, is_view))
            }
            _ => None,
        }
    }

    /// Carries it out.
    ///
    /// # Errors
    /// A [`TensorError`] if the operands do not go together or there is no memory. Nothing has been written then.
    pub fn apply(&self, operands: &[Operand<'_>]) -> Result<Given> {
        self.apply_over(operands, 0)
    }

    /// The same, where some operands are not needed any more. `spare` says of each, bit by bit, whether it is a dense
    /// tensor that nobody else has: the result may be written over it.
    ///
    /// # Errors
    /// As for [`TensorOp::apply`].
    pub fn apply_over(&self, operands: &[Operand<'_>], spare: u32) -> Result<Given> {
        let tensor = |at: usize| match operands.get(at) {
            Some(&Operand::Tensor(it)) => Ok(it),
            Some(Operand::Number(_)) | None => Err(mismatch()),
        };
        let number = |at: usize| match operands.get(at) {
            Some(Operand::Number(it)) => Ok(*it),
            Some(Operand::Tensor(_)) | None => Err(mismatch()),
        };
        let made = match self {
            Self::Copy => tensor(0)?.to_dense(),
            // The host knows.
            Self::World
            | Self::Extent(_)
            | Self::Memory(_)
            | Self::MemoryOf { .. }
            | Self::Again { .. }
            | Self::Ran(_) => Err(mismatch()),
            Self::Constant(constant) => constant.0.to_dense(),
            Self::Full { dtype, dims, item, home } => make::full_at(*home, *dtype, dims, *item),
            Self::To(home) => device::moved(tensor(0)?, *home),
            Self::Number(dtype) => make::full(*dtype, &[], number_of(*dtype, number(0)?)?),
            Self::Item => {
                let item = tensor(0)?.only_item().ok_or_else(mismatch)?;
                return Ok(Given::Number(item));
            }
            Self::Same => {
                // Each object holds its own.
                return Ok(Given::Number(Item::Bool(std::ptr::eq(tensor(0)?, tensor(1)?))));
            }
            Self::Cast(dtype) => cast::cast(tensor(0)?, *dtype),
            Self::Num1(op) => num1(*op, tensor(0)?),
            Self::Real1(op) => real1(*op, tensor(0)?),
            Self::Bits1(op) => bits1(*op, tensor(0)?),
            Self::Test1(op) => test1(*op, tensor(0)?),
            Self::Num2(op) => num2(*op, tensor(0)?, tensor(1)?),
            Self::Real2(op) => real2(*op, tensor(0)?, tensor(1)?),
            Self::Bits2(op) => bits2(*op, tensor(0)?, tensor(1)?),
            Self::Compare(op) => compare(*op, tensor(0)?, tensor(1)?),
            Self::Select => select(tensor(0)?, tensor(1)?, tensor(2)?),
            Self::Num2Into(op) => return num2_into(*op, tensor(0)?, tensor(1)?, tensor(2)?).map(|()| Given::Nothing),
            Self::Real2Into(op) => {
                return real2_into(*op, tensor(0)?, tensor(1)?, tensor(2)?).map(|()| Given::Nothing);
            }
            Self::Assign => return cast::assign(tensor(0)?, tensor(1)?).map(|()| Given::Nothing),
            Self::Broadcast(dims) => layout::broadcast_to(tensor(0)?, dims),
            Self::Reshape(dims) => layout::reshape(tensor(0)?, dims),
            Self::Permute(order) => layout::permute(tensor(0)?, order),
            Self::InsertAxis(at) => layout::insert_axis(tensor(0)?, *at),
            Self::Pick { along, at } => layout::pick(tensor(0)?, *along, *at),
            // Where it is known only later, of an empty axis there is none: who asks for it then is told.
            Self::PickAt { along, .. } if trace::is_for_shapes() => layout::without(tensor(0)?, *along),
            Self::PickAt { along, inside: _ } => layout::pick(tensor(0)?, *along, number(1)?.int()),
            Self::Slice { along, first, len, step } => {
                let x = tensor(0)?;
                let is_inside = |at: usize| x.dims().get(*along).is_some_and(|size| at < *size);
                let last = len.checked_sub(1).map(|it| *first as isize + it as isize * step);
                if last.is_some_and(|last| !is_inside(*first) || !usize::try_from(last).is_ok_and(is_inside)) {
                    return Err(TensorError::Index(format!("no {len} positions from {first}")));
                }
                Ok(layout::slice(x, *along, *first, *len, *step))
            }
            Self::SliceAt { along, len } => {
                let (x, first) = (tensor(0)?, number(1)?.int());
                let inside = usize::try_from(first)
                    .ok()
                    .filter(|it| it.checked_add(*len).is_some_and(|end| end <= x.dims()[*along]));
                let first = inside.ok_or_else(|| TensorError::Index(format!("no {len} positions from {first}")))?;
                Ok(layout::slice(x, *along, first, *len, 1))
            }
            Self::Place { view, dims } => {
                let x = tensor(0)?;
                let all = device::zeros_beside(x, dims)?;
                let operands = [&[Operand::Tensor(&all)], &operands[1..]].concat();
                let Given::Tensor(place) = view.apply(&operands)? else { return Err(mismatch()) };
                cast::assign(&place, x)?;
                Ok(all)
            }
            Self::Put(view) => {
                let is_over = spare & 1 != 0;
                let all = if is_over { tensor(0)?.clone() } else { tensor(0)?.to_dense()? };
                let operands = [&[Operand::Tensor(&all)], operands.get(2..).ok_or_else(mismatch)?].concat();
                let Given::Tensor(place) = view.apply(&operands)? else { return Err(mismatch()) };
                cast::assign(&place, tensor(1)?)?;
                if is_over {
                    return Ok(Given::Operand(0));
                }
                Ok(all)
            }
            Self::PutAt(at) => {
                let is_over = spare & 1 != 0;
                let all = if is_over { tensor(0)?.clone() } else { tensor(0)?.to_dense()? };
                let (last, places) = operands[1..].split_last().ok_or_else(mismatch)?;
                let &Operand::Tensor(value) = last else { return Err(mismatch()) };
                scatter(&all, &parts(at, places)?, value)?;
                if is_over {
                    return Ok(Given::Operand(0));
                }
                Ok(all)
            }
            Self::Plus(made) => {
                let is_over = spare & 1 != 0;
                let all = if is_over { tensor(0)?.clone() } else { tensor(0)?.to_dense()? };
                made.add_to(&all, &operands[1..])?;
                if is_over {
                    return Ok(Given::Operand(0));
                }
                Ok(all)
            }
            Self::AddAt { at, dims } => added_at(tensor(0)?, &parts(at, &operands[1..])?, dims),
            Self::Diagonal { offset, first, second } => layout::diagonal(tensor(0)?, *offset, *first, *second),
            Self::Concat { along } => {
                let parts = (0..operands.len()).map(|at| tensor(at).cloned()).collect::<Result<Vec<_>>>()?;
                layout::concat(&parts, *along)
            }
            Self::Triangle { k, lower } => layout::triangle(tensor(0)?, *k, *lower),
            Self::Gather(at) => gather(tensor(0)?, &parts(at, &operands[1..])?),
            Self::Scatter(at) => {
                let (last, places) = operands[1..].split_last().ok_or_else(mismatch)?;
                let &Operand::Tensor(value) = last else { return Err(mismatch()) };
                return scatter(tensor(0)?, &parts(at, places)?, value).map(|()| Given::Nothing);
            }
            Self::Fused(group) => return group.apply(operands, spare),
            Self::Lu => linear::lu(tensor(0)?),
            Self::LuOrder => linear::lu_order(tensor(0)?),
            Self::LuSolve => linear::lu_solve(tensor(0)?, tensor(1)?, tensor(2)?),
            Self::Decompose(how) => decompose(*how, tensor(0)?),
            Self::Matmul => contract::matmul(tensor(0)?, tensor(1)?),
            Self::Vecdot => contract::vecdot(tensor(0)?, tensor(1)?),
            Self::Fold { fold: how, axes } => fold(*how, tensor(0)?, axes),
            Self::Test { axes, all } => test(tensor(0)?, axes, *all),
            Self::CountNonzero(axes) => count_nonzero(tensor(0)?, axes),
            Self::ArgExtreme { along, greatest } => arg_extreme(tensor(0)?, *along, *greatest),
            Self::Scan { scan: how, along } => scan(*how, tensor(0)?, *along),
            Self::Sort { along, descending } => sort::sort(tensor(0)?, *along, *descending),
            Self::Argsort { along, descending } => sort::argsort(tensor(0)?, *along, *descending),
            Self::ArgPartition { along, kth, descending } => sort::arg_partition(tensor(0)?, *along, *kth, *descending),
            Self::Search { right } => sort::search(tensor(0)?, tensor(1)?, *right),
            Self::Bits { key, stream, dims, home } => philox::bits(*key, *stream, dims, *home),
            Self::BitsAt { stream, dims, home } => philox::bits(number(0)?.int().cast_unsigned(), *stream, dims, *home),
        };
        made.map(Given::Tensor)
    }

    /// Adds what it makes to a tensor that it has for itself.
    fn add_to(&self, all: &Tensor, operands: &[Operand<'_>]) -> Result<()> {
        let tensor = |at: usize| match operands.get(at) {
            Some(&Operand::Tensor(it)) => Ok(it),
            Some(Operand::Number(_)) | None => Err(mismatch()),
        };
        match self {
            Self::Place { view, .. } => {
                let operands = [&[Operand::Tensor(all)], operands.get(1..).ok_or_else(mismatch)?].concat();
                let Given::Tensor(place) = view.apply(&operands)? else { return Err(mismatch()) };
                num2_into(Num2::Add, &place, &place, tensor(0)?)
            }
            Self::AddAt { at, .. } => add_at(all, &parts(at, &operands[1..])?, tensor(0)?),
            Self::Matmul => contract::add_matmul(all, tensor(0)?, tensor(1)?),
            other => match other.apply(operands)? {
                Given::Tensor(made) => num2_into(Num2::Add, all, all, &made),
                Given::Number(_) | Given::Operand(_) | Given::Nothing => Err(mismatch()),
            },
        }
    }
}

/// An operand of which only the type is known.
enum Shell {
    Tensor(Tensor),
    Number(Item),
}

impl Shell {
    fn of(ty: Type) -> Result<Self> {
        Ok(match ty {
            Type::Tensor(it) => Self::Tensor(Tensor::shell(it.dtype, it.shape.dims())?),
            Type::Bool => Self::Number(Item::Bool(false)),
            Type::I64 => Self::Number(Item::Int(0)),
            Type::F64 => Self::Number(Item::Float(0.0)),
            Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) => return Err(mismatch()),
        })
    }

    fn operand(&self) -> Operand<'_> {
        match self {
            Self::Tensor(it) => Operand::Tensor(it),
            Self::Number(it) => Operand::Number(*it),
        }
    }
}

/// The parts of an index, of which some are operands.
fn parts(at: &[bool], operands: &[Operand<'_>]) -> Result<Vec<Part>> {
    let mut operands = operands.iter();
    at.iter()
        .map(|is_operand| match is_operand {
            false => Ok(Part::All),
            true => match operands.next() {
                Some(&Operand::Tensor(it)) => Ok(Part::At(it.clone())),
                Some(Operand::Number(_)) | None => Err(mismatch()),
            },
        })
        .collect()
}

/// A number that becomes an element, if it can.
pub(super) fn number_of(dtype: Dtype, item: Item) -> Result<Item> {
    match item {
        Item::Int(it) if dtype == Dtype::I32 && i32::try_from(it).is_err() => {
            Err(TensorError::Value(format!("{it} is out of bounds for int32")))
        }
        Item::Float(it) if !dtype.is_float() && dtype != Dtype::Bool && !fits_whole(it) => {
            Err(TensorError::Value(format!("{it} is no integer")))
        }
        item => Ok(item),
    }
}

/// Whether a float is a number of 64 bits once it is rounded to zero: Python raises where it is not.
fn fits_whole(it: f64) -> bool {
    it.abs() < -(i64::MIN as f64)
}

pub(super) fn mismatch() -> TensorError {
    TensorError::Type("operands of another kind than the operation's".to_owned())
}

#[cfg(test)]
mod tests;
