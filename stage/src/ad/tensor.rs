//! How derivatives get through operations on tensors.
//!
//! For operations on each element the table of [`super::pullback`] is read with tensors in place of numbers: its
//! arithmetic becomes the same arithmetic on each element. What was stretched on the way there is added up on the way
//! back. All others are here, on one screen.
//!
//! The greatest and the least share the cotangent among equals, as in JAX; of two operands of `maximum` the one that is
//! taken has all of it, as for numbers.

use crate::entity::Value;
use crate::home::Home;
use crate::op::{self, Bit2, Const, Num1, Num2, Op};
use crate::tensor::decompose::Decomposition;
use crate::tensor::elementwise as each;
use crate::tensor::reduce::Fold;
use crate::tensor::scan::Scan;
use crate::tensor::{Dtype, Item, TensorOp};
use crate::types::{TensorType, Type};

use super::pullback::Smooth;

mod bases;
mod linear;
mod parts;

/// What differentiates an operation on tensors.
pub(super) trait TensorSite {
    /// An operand of the operation, as it was.
    fn operand(&mut self, position: usize) -> Value;
    /// Its result, as it was.
    fn result(&mut self) -> Value;
    /// Appends an operation, and what it gives.
    fn tensor(&mut self, op: TensorOp, args: &[Value]) -> Value;
    /// The type of a value.
    fn ty(&self, value: Value) -> Type;
}

/// How a derivative gets through an operation.
pub(super) enum Through {
    /// As through this operation on numbers, for each element.
    Each(Smooth),
    /// In a way of its own.
    Own,
    /// It does not: the result does not depend on floats, or jumps where it changes.
    Nowhere,
    /// It cannot.
    Never,
}

/// Whether what an operation gives has a derivative by what it takes that may be other than zero.
pub fn differentiates(op: &TensorOp) -> bool {
    matches!(through(op), Through::Each(_) | Through::Own)
}

/// See [`Through`].
pub(super) fn through(tensor: &TensorOp) -> Through {
    use each::{Num1 as N1, Num2 as N2, Real1 as R1, Real2 as R2};
    let real1 = |it| Through::Each(Smooth::Real1(it));
    let real2 = |it| Through::Each(Smooth::Real2(it));
    match tensor {
        TensorOp::Num1(N1::Neg) => Through::Each(Smooth::Num1(Num1::Neg)),
        TensorOp::Num1(N1::Abs) => Through::Each(Smooth::Num1(Num1::Abs)),
        TensorOp::Num1(N1::Square) => Through::Own,
        TensorOp::Num1(N1::Sign) => Through::Nowhere,
        TensorOp::Num2(it) => match it {
            N2::Add => Through::Each(Smooth::Num2(Num2::Add)),
            N2::Sub => Through::Each(Smooth::Num2(Num2::Sub)),
            N2::Mul => Through::Each(Smooth::Num2(Num2::Mul)),
            N2::FloorDiv => Through::Nowhere,
            N2::Mod => Through::Each(Smooth::Num2(Num2::Mod)),
            N2::Min => Through::Each(Smooth::Num2(Num2::Min)),
            N2::Max => Through::Each(Smooth::Num2(Num2::Max)),
            N2::Pow => real2(op::Real2::Pow),
        },
        TensorOp::Real1(it) => match it {
            R1::Sqrt => real1(op::Real1::Sqrt),
            R1::Exp => real1(op::Real1::Exp),
            R1::Exp2 => real1(op::Real1::Exp2),
            R1::Expm1 => real1(op::Real1::Expm1),
            R1::Log => real1(op::Real1::Log),
            R1::Log2 => real1(op::Real1::Log2),
            R1::Log10 => real1(op::Real1::Log10),
            R1::Log1p => real1(op::Real1::Log1p),
            R1::Sin => real1(op::Real1::Sin),
            R1::Cos => real1(op::Real1::Cos),
            R1::Tan => real1(op::Real1::Tan),
            R1::Asin => real1(op::Real1::Asin),
            R1::Acos => real1(op::Real1::Acos),
            R1::Atan => real1(op::Real1::Atan),
            R1::Sinh => real1(op::Real1::Sinh),
            R1::Cosh => real1(op::Real1::Cosh),
            R1::Tanh => real1(op::Real1::Tanh),
            R1::Asinh => real1(op::Real1::Asinh),
            R1::Acosh => real1(op::Real1::Acosh),
            R1::Atanh => real1(op::Real1::Atanh),
            R1::Cbrt => real1(op::Real1::Cbrt),
            R1::Floor | R1::Ceil | R1::Trunc | R1::Round => Through::Nowhere,
            R1::Reciprocal => Through::Own,
        },
        TensorOp::Real2(it) => match it {
            R2::Div => real2(op::Real2::Div),
            R2::Atan2 => real2(op::Real2::Atan2),
            R2::Copysign => real2(op::Real2::Copysign),
            R2::Fmod => real2(op::Real2::Fmod),
            R2::Hypot | R2::LogAddExp => Through::Own,
            R2::NextAfter => Through::Never,
        },
        TensorOp::Select => Through::Each(Smooth::Select),
        TensorOp::Copy
        | TensorOp::Number(_)
        | TensorOp::Item
        | TensorOp::Cast(_)
        | TensorOp::Broadcast(_)
        | TensorOp::Reshape(_)
        | TensorOp::Permute(_)
        | TensorOp::InsertAxis(_)
        | TensorOp::Pick { .. }
        | TensorOp::PickAt { .. }
        | TensorOp::Slice { .. }
        | TensorOp::SliceAt { .. }
        | TensorOp::Diagonal { .. }
        | TensorOp::Place { .. }
        | TensorOp::Put(_)
        | TensorOp::PutAt(_)
        | TensorOp::Plus(_)
        | TensorOp::Concat { .. }
        | TensorOp::Triangle { .. }
        | TensorOp::Gather(_)
        | TensorOp::AddAt { .. }
        | TensorOp::To(_)
        | TensorOp::Matmul
        | TensorOp::Vecdot
        | TensorOp::Fold { .. }
        | TensorOp::Scan { .. }
        | TensorOp::Sort { .. }
        | TensorOp::Lu
        | TensorOp::LuSolve
        | TensorOp::Decompose(
            Decomposition::Cholesky | Decomposition::Eigh | Decomposition::Svd | Decomposition::Qr,
        ) => Through::Own,
        TensorOp::World
        | TensorOp::Extent(_)
        | TensorOp::Constant(_)
        | TensorOp::Full { .. }
        | TensorOp::Bits1(_)
        | TensorOp::Bits2(_)
        | TensorOp::Test1(_)
        | TensorOp::Compare(_)
        | TensorOp::Test { .. }
        | TensorOp::CountNonzero(_)
        | TensorOp::ArgExtreme { .. }
        | TensorOp::Argsort { .. }
        | TensorOp::ArgPartition { .. }
        | TensorOp::Search { .. }
        | TensorOp::Same
        | TensorOp::LuOrder
        | TensorOp::Bits { .. }
        | TensorOp::BitsAt { .. } => Through::Nowhere,
        TensorOp::Num2Into(_)
        | TensorOp::Real2Into(_)
        | TensorOp::Assign
        | TensorOp::Scatter(_)
        | TensorOp::Decompose(Decomposition::QrComplete)
        // Fusion and runs come afterwards, and code that is differentiated reads no memory itself.
        | TensorOp::Memory(_)
        | TensorOp::MemoryOf { .. }
        | TensorOp::Again { .. }
        | TensorOp::Ran(_)
        | TensorOp::Fused(_) => Through::Never,
    }
}

/// The operation on each element that one on numbers is.
pub(super) fn on_each(op: Op, dtype: Dtype) -> TensorOp {
    match op {
        Op::Const(Const::F64(it)) => {
            TensorOp::Full { dtype, dims: Vec::new(), item: Item::Float(it), home: Home::HERE }
        }
        Op::Num1(Num1::Neg) => TensorOp::Num1(each::Num1::Neg),
        Op::Num1(Num1::Abs) => TensorOp::Num1(each::Num1::Abs),
        Op::Num2(it) => TensorOp::Num2(match it {
            Num2::Add => each::Num2::Add,
            Num2::Sub => each::Num2::Sub,
            Num2::Mul => each::Num2::Mul,
            Num2::FloorDiv => each::Num2::FloorDiv,
            Num2::Mod => each::Num2::Mod,
            Num2::Min => each::Num2::Min,
            Num2::Max => each::Num2::Max,
        }),
        Op::Real1(op::Real1::RoundEven) => TensorOp::Real1(each::Real1::Round),
        Op::Real1(it) => {
            TensorOp::Real1(each::Real1::from_text(it.text()).expect("the functions of numbers are those of elements"))
        }
        Op::Real2(it) => match it {
            op::Real2::Div => TensorOp::Real2(each::Real2::Div),
            op::Real2::Pow => TensorOp::Num2(each::Num2::Pow),
            op::Real2::Atan2 => TensorOp::Real2(each::Real2::Atan2),
            op::Real2::Copysign => TensorOp::Real2(each::Real2::Copysign),
            op::Real2::Fmod => TensorOp::Real2(each::Real2::Fmod),
            op::Real2::Hypot => TensorOp::Real2(each::Real2::Hypot),
        },
        Op::Cmp(it) => TensorOp::Compare(it.into()),
        Op::Bit2(Bit2::And) => TensorOp::Bits2(each::Bits2::And),
        Op::Bit2(Bit2::Or) => TensorOp::Bits2(each::Bits2::Or),
        Op::Bit2(Bit2::Xor) => TensorOp::Bits2(each::Bits2::Xor),
        Op::Select => TensorOp::Select,
        other => unreachable!("no derivative of a number is made of {other:?}"),
    }
}

/// The type of a tensor.
pub(super) fn tensor_type(ty: Type) -> TensorType {
    match ty {
        Type::Tensor(it) => it,
        other => unreachable!("a tensor is no {other}"),
    }
}

/// The share of the operand at a position in the cotangent `t` of the result, for what is [`Through::Own`]; `None` where
/// it has none.
pub(super) fn share(s: &mut dyn TensorSite, op: &TensorOp, position: usize, types: &[Type], t: Value) -> Option<Value> {
    if let TensorOp::Number(_) = op {
        return matches!(types[0], Type::F64).then(|| s.tensor(TensorOp::Item, &[t]));
    }
    let of = match types[position] {
        Type::Tensor(it) if it.dtype.is_float() => it,
        _ => return None,
    };
    let dims = of.shape.dims();
    let placed = |s: &mut dyn TensorSite, view: TensorOp, more: &[Value]| {
        let op = TensorOp::Place { view: Box::new(view), dims: dims.to_vec() };
        s.tensor(op, &[&[t], more].concat())
    };
    if let Some((slope, turned)) = own_slope(s, op, position) {
        let product = s.mul(t, slope);
        let product = if turned { s.tensor(TensorOp::Num1(each::Num1::Neg), &[product]) } else { product };
        return Some(s.added_up(product, of));
    }
    Some(match op {
        TensorOp::Copy => t,
        TensorOp::Item => {
            let one = s.tensor(TensorOp::Number(of.dtype), &[t]);
            s.reshaped(one, dims)
        }
        TensorOp::To(_) => s.tensor(TensorOp::To(of.home), &[t]),
        TensorOp::Cast(_) => s.tensor(TensorOp::Cast(of.dtype), &[t]),
        TensorOp::Broadcast(_) => s.added_up(t, of),
        TensorOp::Reshape(_) | TensorOp::InsertAxis(_) => s.reshaped(t, dims),
        TensorOp::Permute(order) => {
            let mut back = vec![0; order.len()];
            order.iter().enumerate().for_each(|(to, &from)| back[from] = to);
            s.tensor(TensorOp::Permute(back), &[t])
        }
        // All there is.
        TensorOp::Pick { along, .. } | TensorOp::PickAt { along, .. } if dims[*along] == 1 => s.reshaped(t, dims),
        TensorOp::Slice { along, first: 0, len, step: 1 } if dims[*along] == *len => t,
        TensorOp::Pick { .. } | TensorOp::Slice { .. } | TensorOp::Diagonal { .. } => placed(s, op.clone(), &[]),
        TensorOp::PickAt { .. } | TensorOp::SliceAt { .. } => {
            let at = s.operand(1);
            placed(s, op.clone(), &[at])
        }
        TensorOp::Place { view, .. } => {
            let more: Vec<Value> = (1..types.len()).map(|it| s.operand(it)).collect();
            s.tensor((**view).clone(), &[&[t], &more[..]].concat())
        }
        TensorOp::Put(view) => {
            let more: Vec<Value> = (2..types.len()).map(|it| s.operand(it)).collect();
            if position == 1 {
                let written = s.tensor((**view).clone(), &[&[t], &more[..]].concat());
                return Some(if of.home.is_there() { written } else { s.copied_here(written) });
            }
            let none = s.full(tensor_type(types[1]), 0.0);
            s.tensor(op.clone(), &[&[t, none], &more[..]].concat())
        }
        TensorOp::PutAt(at) => {
            let more: Vec<Value> = (1..types.len() - 1).map(|it| s.operand(it)).collect();
            if position + 1 == types.len() {
                let read = s.tensor(TensorOp::Gather(at.clone()), &[&[t], &more[..]].concat());
                let last = s.last_written(at, types, &more, tensor_type(s.ty(read)));
                let kept = s.mul(read, last);
                return Some(s.added_up(kept, of));
            }
            let none = s.full(tensor_type(types[types.len() - 1]), 0.0);
            s.tensor(op.clone(), &[&[t], &more[..], &[none]].concat())
        }
        TensorOp::Sort { along, descending } => {
            let places = s.places_sorted(*along, *descending);
            let at = vec![true; dims.len()];
            s.tensor(TensorOp::AddAt { at, dims: dims.to_vec() }, &[&[t], &places[..]].concat())
        }
        TensorOp::Concat { along } => {
            let first = types[..position].iter().map(|&it| tensor_type(it).shape.dims()[*along]).sum();
            s.tensor(TensorOp::Slice { along: *along, first, len: dims[*along], step: 1 }, &[t])
        }
        TensorOp::Triangle { .. } => s.tensor(op.clone(), &[t]),
        TensorOp::Gather(at) => {
            let more: Vec<Value> = (1..types.len()).map(|it| s.operand(it)).collect();
            s.tensor(TensorOp::AddAt { at: at.clone(), dims: dims.to_vec() }, &[&[t], &more[..]].concat())
        }
        TensorOp::AddAt { at, .. } => {
            let more: Vec<Value> = (1..types.len()).map(|it| s.operand(it)).collect();
            s.tensor(TensorOp::Gather(at.clone()), &[&[t], &more[..]].concat())
        }
        TensorOp::Plus(_) if position == 0 => t,
        TensorOp::Plus(made) => return share(&mut Second(s), made, position - 1, &types[1..], t),
        TensorOp::Matmul => {
            let other = s.operand(1 - position);
            let other = s.turned(other);
            let product = if position == 0 { [t, other] } else { [other, t] };
            let product = s.tensor(TensorOp::Matmul, &product);
            s.added_up(product, of)
        }
        TensorOp::Vecdot => {
            let other = s.operand(1 - position);
            let rank = tensor_type(s.ty(t)).shape.dims().len();
            let column = s.tensor(TensorOp::InsertAxis(rank), &[t]);
            let product = s.mul(column, other);
            s.added_up(product, of)
        }
        TensorOp::Fold { fold: Fold::Sum, axes } => {
            let kept = s.kept(t, axes);
            s.tensor(TensorOp::Broadcast(dims.to_vec()), &[kept])
        }
        TensorOp::Fold { fold: Fold::Prod, axes } => {
            let (others, turned, order) = s.products_of_others(axes);
            let rest = dims.len() - axes.len();
            let column: Vec<usize> =
                tensor_type(s.ty(turned)).shape.dims()[..rest].iter().copied().chain([1]).collect();
            let t = s.reshaped(t, &column);
            let share = s.mul(others, t);
            let share = s.reshaped(share, tensor_type(s.ty(turned)).shape.dims());
            let mut back = vec![0; order.len()];
            order.iter().enumerate().for_each(|(to, &from)| back[from] = to);
            s.tensor(TensorOp::Permute(back), &[share])
        }
        TensorOp::Scan { scan: Scan::Prod, along } => {
            let without = s.products_without(*along);
            let t = s.tensor(TensorOp::InsertAxis(*along), &[t]);
            let all = s.mul(without, t);
            s.tensor(TensorOp::Fold { fold: Fold::Sum, axes: vec![along + 1] }, &[all])
        }
        TensorOp::Fold { axes, .. } => {
            let (equal, count) = s.equals(axes);
            let t = s.kept(t, axes);
            let part = s.tensor(TensorOp::Real2(each::Real2::Div), &[t, count]);
            s.mul(part, equal)
        }
        TensorOp::Lu | TensorOp::LuSolve | TensorOp::Decompose(_) => return linear::share(s, op, position, t),
        TensorOp::Scan { along, .. } => {
            let flip = TensorOp::Slice {
                along: *along,
                first: dims[*along].saturating_sub(1),
                len: dims[*along],
                step: if dims[*along] == 0 { 1 } else { -1 },
            };
            let flipped = s.tensor(flip.clone(), &[t]);
            let sums = s.tensor(op.clone(), &[flipped]);
            s.tensor(flip, &[sums])
        }
        other => unreachable!("`{other}` has no way of its own"),
    })
}

impl dyn TensorSite + '_ {
    fn mul(&mut self, x: Value, y: Value) -> Value {
        self.tensor(TensorOp::Num2(each::Num2::Mul), &[x, y])
    }

    /// Where the operand is what its axes were reduced to, as numbers, and how often.
    fn equals(&mut self, axes: &[usize]) -> (Value, Value) {
        let (x, y) = (self.operand(0), self.result());
        let y = self.kept(y, axes);
        let equal = self.tensor(TensorOp::Compare(each::Cmp::Eq), &[x, y]);
        let equal = self.tensor(TensorOp::Cast(tensor_type(self.ty(x)).dtype), &[equal]);
        let count = self.tensor(TensorOp::Fold { fold: Fold::Sum, axes: axes.to_vec() }, &[equal]);
        (equal, self.kept(count, axes))
    }

    /// Without the axes of size 1 that were kept.
    fn without(&mut self, x: Value, axes: &[usize]) -> Value {
        let dims = tensor_type(self.ty(x)).shape.dims().to_vec();
        let dims: Vec<usize> =
            dims.into_iter().enumerate().filter(|(at, _)| !axes.contains(at)).map(|it| it.1).collect();
        self.reshaped(x, &dims)
    }

    /// In another shape, if it is not of that shape.
    fn reshaped(&mut self, x: Value, dims: &[usize]) -> Value {
        if tensor_type(self.ty(x)).shape.dims() == dims {
            return x;
        }
        self.tensor(TensorOp::Reshape(dims.to_vec()), &[x])
    }

    /// A copy that is made where it stands: a plain one is made by whoever reads it, when what it is of may have been
    /// written over.
    fn copied_here(&mut self, x: Value) -> Value {
        let dims = tensor_type(self.ty(x)).shape.dims().to_vec();
        let line = if dims.is_empty() { self.reshaped(x, &[1]) } else { x };
        let copy = self.tensor(TensorOp::Concat { along: 0 }, &[line]);
        self.reshaped(copy, &dims)
    }

    /// With the last two axes exchanged.
    fn turned(&mut self, x: Value) -> Value {
        let rank = tensor_type(self.ty(x)).shape.dims().len();
        let mut order: Vec<usize> = (0..rank).collect();
        order.swap(rank - 1, rank - 2);
        self.tensor(TensorOp::Permute(order), &[x])
    }

    /// With axes of size 1 where others were reduced.
    fn kept(&mut self, x: Value, axes: &[usize]) -> Value {
        let mut dims = tensor_type(self.ty(x)).shape.dims().to_vec();
        let mut axes = axes.to_vec();
        axes.sort_unstable();
        axes.into_iter().for_each(|at| dims.insert(at, 1));
        self.reshaped(x, &dims)
    }

    /// Added up along the axes that were stretched.
    pub(super) fn added_up(&mut self, x: Value, to: TensorType) -> Value {
        let (dims, wanted) = (tensor_type(self.ty(x)).shape.dims(), to.shape.dims());
        let new = dims.len() - wanted.len();
        let stretched = |at: &usize| *at < new || wanted[at - new] == 1 && dims[*at] != 1;
        let axes: Vec<usize> = (0..dims.len()).filter(stretched).collect();
        let x = if axes.is_empty() { x } else { self.tensor(TensorOp::Fold { fold: Fold::Sum, axes }, &[x]) };
        self.reshaped(x, wanted)
    }
}

/// What an operation on tensors does to the tangents of its operands; `None` if that is zero.
pub(super) fn along(
    s: &mut dyn TensorSite,
    op: &TensorOp,
    types: &[Type],
    tangents: &[Option<Value>],
) -> Option<Value> {
    let way = through(op);
    if let (TensorOp::Concat { .. }, Through::Own) = (op, &way) {
        let zero = |s: &mut dyn TensorSite, ty: Type| {
            let of = tensor_type(ty);
            s.full(of, 0.0)
        };
        let parts: Vec<Value> = tangents.iter().zip(types).map(|(t, &ty)| t.unwrap_or_else(|| zero(s, ty))).collect();
        return Some(s.tensor(op.clone(), &parts));
    }
    let mut sum = None;
    for (position, t) in tangents.iter().enumerate().filter_map(|(position, t)| Some((position, (*t)?))) {
        let part = match way {
            Through::Own => part(s, op, position, types, t),
            Through::Each(smooth) if super::pullback::passes(smooth, position) => {
                let mut each = Elementwise { site: s, dtype: tensor_type(types[position]).dtype };
                super::pullback::scaled(&mut each, smooth, position, t)
            }
            Through::Each(_) | Through::Nowhere | Through::Never => None,
        };
        sum = match (sum, part) {
            (Some(sum), Some(part)) => Some(s.tensor(TensorOp::Num2(each::Num2::Add), &[sum, part])),
            (sum, part) => sum.or(part),
        };
    }
    let sum = sum?;
    // What only one operand has brought may have to be stretched.
    let results = op.results(types).ok()?;
    let (Type::Tensor(is), Some(Type::Tensor(wanted))) = (s.ty(sum), results.first()) else { return Some(sum) };
    let stretched = match is.shape == wanted.shape {
        true => sum,
        false => s.tensor(TensorOp::Broadcast(wanted.shape.dims().to_vec()), &[sum]),
    };
    Some(if is.home == wanted.home { stretched } else { s.tensor(TensorOp::To(wanted.home), &[stretched]) })
}

/// The part of the tangent `t` of the operand at a position in that of the result, for what is [`Through::Own`]. Most
/// operations are linear in this operand: it is the operation itself.
fn part(s: &mut dyn TensorSite, op: &TensorOp, position: usize, types: &[Type], t: Value) -> Option<Value> {
    let slope = own_slope(s, op, position);
    if let Some((slope, turned)) = slope {
        let product = s.mul(t, slope);
        return Some(if turned { s.tensor(TensorOp::Num1(each::Num1::Neg), &[product]) } else { product });
    }
    Some(match op {
        TensorOp::Fold { fold: Fold::Min | Fold::Max, axes } => {
            let (equal, count) = s.equals(axes);
            let product = s.mul(t, equal);
            let sum = s.tensor(TensorOp::Fold { fold: Fold::Sum, axes: axes.clone() }, &[product]);
            let count = s.without(count, axes);
            s.tensor(TensorOp::Real2(each::Real2::Div), &[sum, count])
        }
        TensorOp::Fold { fold: Fold::Prod, axes } => {
            let (others, turned, order) = s.products_of_others(axes);
            let t = s.tensor(TensorOp::Permute(order), &[t]);
            let lines = tensor_type(s.ty(others)).shape.dims().to_vec();
            let t = s.reshaped(t, &lines);
            let product = s.mul(others, t);
            let sum = s.tensor(TensorOp::Fold { fold: Fold::Sum, axes: vec![lines.len() - 1] }, &[product]);
            let rest = tensor_type(s.ty(turned)).shape.dims()[..lines.len() - 1].to_vec();
            s.reshaped(sum, &rest)
        }
        TensorOp::Scan { scan: Scan::Prod, along } => {
            let without = s.products_without(*along);
            let t = s.tensor(TensorOp::InsertAxis(along + 1), &[t]);
            let all = s.mul(without, t);
            s.tensor(TensorOp::Fold { fold: Fold::Sum, axes: vec![*along] }, &[all])
        }
        TensorOp::Sort { along, descending } => {
            let places = s.places_sorted(*along, *descending);
            let at = vec![true; tensor_type(types[0]).shape.dims().len()];
            s.tensor(TensorOp::Gather(at), &[&[t], &places[..]].concat())
        }
        TensorOp::Lu | TensorOp::LuSolve | TensorOp::Decompose(_) => return linear::part(s, op, position, t),
        TensorOp::Plus(_) if position == 0 => t,
        TensorOp::Plus(made) => return part(&mut Second(s), made, position - 1, &types[1..], t),
        TensorOp::Put(view) if position == 1 => {
            let more: Vec<Value> = (2..types.len()).map(|it| s.operand(it)).collect();
            let dims = tensor_type(types[0]).shape.dims().to_vec();
            s.tensor(TensorOp::Place { view: view.clone(), dims }, &[&[t], &more[..]].concat())
        }
        TensorOp::Put(_) | TensorOp::PutAt(_) => {
            let value = if matches!(op, TensorOp::Put(_)) { 1 } else { types.len() - 1 };
            let mut args: Vec<Value> = Vec::with_capacity(types.len());
            for (at, &ty) in types.iter().enumerate() {
                args.push(match at {
                    _ if at == position => t,
                    _ if at == 0 || at == value => s.full(tensor_type(ty), 0.0),
                    _ => s.operand(at),
                });
            }
            s.tensor(op.clone(), &args)
        }
        _ => {
            let mut args: Vec<Value> =
                (0..types.len()).map(|it| if it == position { t } else { s.operand(it) }).collect();
            args[position] = t;
            s.tensor(op.clone(), &args)
        }
    })
}

/// What the derivative of the operand at a position is multiplied by, and whether with the other sign, for operations on
/// each element that numbers do not have.
fn own_slope(s: &mut dyn TensorSite, op: &TensorOp, position: usize) -> Option<(Value, bool)> {
    Some(match op {
        TensorOp::Num1(each::Num1::Square) => {
            let x = s.operand(0);
            (s.tensor(TensorOp::Num2(each::Num2::Add), &[x, x]), false)
        }
        TensorOp::Real1(each::Real1::Reciprocal) => {
            let y = s.result();
            (s.mul(y, y), true)
        }
        TensorOp::Real2(each::Real2::Hypot) => {
            let (x, y) = (s.operand(position), s.result());
            (s.tensor(TensorOp::Real2(each::Real2::Div), &[x, y]), false)
        }
        TensorOp::Real2(each::Real2::LogAddExp) => {
            let (x, y) = (s.operand(position), s.result());
            let less = s.tensor(TensorOp::Num2(each::Num2::Sub), &[x, y]);
            (s.tensor(TensorOp::Real1(each::Real1::Exp), &[less]), false)
        }
        _ => return None,
    })
}

/// An operation on tensors on the way back.
pub(super) fn shares(
    s: &mut dyn TensorSite,
    op: &TensorOp,
    types: &[Type],
    t: Value,
    is_wanted: &dyn Fn(usize) -> bool,
) -> Vec<(usize, Value)> {
    let mut all = Vec::new();
    let mut positions: Vec<usize> = (0..types.len()).filter(|&it| is_wanted(it)).collect();
    // What was written is read first, so that the rest may lie where all of it lay.
    if matches!(op, TensorOp::Put(_) | TensorOp::PutAt(_)) {
        positions.reverse();
    }
    for position in positions {
        let share = match through(op) {
            Through::Own => share(s, op, position, types, t),
            Through::Each(smooth) if super::pullback::passes(smooth, position) => {
                let of = tensor_type(types[position]);
                let mut each = Elementwise { site: s, dtype: of.dtype };
                super::pullback::scaled(&mut each, smooth, position, t).map(|share| s.added_up(share, of))
            }
            Through::Each(_) | Through::Nowhere | Through::Never => None,
        };
        all.extend(share.map(|share| (position, share)));
    }
    all
}

/// What is added to the first operand.
struct Second<'s>(&'s mut dyn TensorSite);

impl TensorSite for Second<'_> {
    fn operand(&mut self, position: usize) -> Value {
        self.0.operand(position + 1)
    }

    fn result(&mut self) -> Value {
        unreachable!("what is linear does not depend on its result")
    }

    fn tensor(&mut self, op: TensorOp, args: &[Value]) -> Value {
        self.0.tensor(op, args)
    }

    fn ty(&self, value: Value) -> Type {
        self.0.ty(value)
    }
}

/// The arithmetic of the table of numbers, on each element.
struct Elementwise<'s> {
    site: &'s mut dyn TensorSite,
    dtype: Dtype,
}

impl super::pullback::Site for Elementwise<'_> {
    fn operand(&mut self, position: usize) -> Value {
        self.site.operand(position)
    }

    fn result(&mut self) -> Value {
        self.site.result()
    }

    fn emit(&mut self, op: Op, args: &[Value]) -> Value {
        self.site.tensor(on_each(op, self.dtype), args)
    }
}
