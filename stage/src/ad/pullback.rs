//! Derivatives: what each op does to a derivative that passes through it.
//!
//! One line for each operand. `t` is a derivative; what is built is `t` times the partial derivative of the result by
//! that operand. A scalar op is its own transpose, so this one table serves both directions: backwards, `t` is the
//! cotangent of the result and what is built is the operand's share; forwards, `t` is the tangent of the operand and what
//! is built is its part of the result's.
//!
//! `None` means that the derivative is zero wherever it exists, and nothing is built. The matches are exhaustive: a new
//! row in the op table must be answered here. Memory, calls and control flow are not here: see
//! [`reverse`](super::reverse) and [`forward`](super::forward).
//!
//! At the edges: `abs` has the derivative 0 at 0. `min` and `max` are differentiated as they are computed: a tie belongs to
//! the first operand, and an operand that is not taken gets exactly 0, whatever the other is. `x ** y` has by `x` the
//! derivative 0 where `y` is 0, and by `y` the derivative 0 where `x` is 0. Where a slope is infinite or no number, as that
//! of `sqrt` is at 0 and below, 0 times it is 0: a path on which nothing depends on the root gives 0, not a NaN. So does one
//! on which the root has raised. What a branch has not computed is not differentiated.

use crate::entity::Value;
use crate::op::{Bit2, Cmp, Const, Convert, ListOp, Num1, Num2, ObjectOp, Op, Real1, Real2};

/// An instruction whose derivative is built: its operands, its result, and where code goes.
pub(super) trait Site {
    /// The operand at this position.
    fn operand(&mut self, position: usize) -> Value;
    /// The result.
    fn result(&mut self) -> Value;
    /// Appends an instruction.
    fn emit(&mut self, op: Op, args: &[Value]) -> Value;
    /// A function of the operand that takes longer than to record what it gives.
    fn function(&mut self, function: Real1) -> Value {
        let x = self.operand(0);
        self.emit(Op::Real1(function), &[x])
    }
}

/// An op on floats in registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Smooth {
    Num1(Num1),
    Num2(Num2),
    Real1(Real1),
    Real2(Real2),
    Select,
}

/// How a derivative gets through an op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Path {
    /// As [`scaled`] says.
    Scalar(Smooth),
    /// Through what is in a list.
    List(ListOp),
    /// Through what is in an array that is read.
    Load,
    /// Into an array, for which there is no derivative.
    Store,
    /// Through a dict, for which there is none either.
    Map,
    /// Through a function of the module.
    Call,
    /// Through an operation on tensors.
    Tensor,
    /// Through the handle of a tensor, on its way to a tape or from there: an integer.
    Handle,
    /// Through a function of the host: there is no derivative.
    Host,
    /// It does not: the results do not depend on floats, or jump where they change.
    Nowhere,
}

/// How a derivative gets through an op on floats, or on memory that holds them.
pub(super) const fn path(op: Op) -> Path {
    match op {
        Op::Num1(op) => Path::Scalar(Smooth::Num1(op)),
        Op::Num2(op) => Path::Scalar(Smooth::Num2(op)),
        Op::Real1(op) => Path::Scalar(Smooth::Real1(op)),
        Op::Real2(op) => Path::Scalar(Smooth::Real2(op)),
        Op::Select => Path::Scalar(Smooth::Select),
        Op::List(op) => Path::List(op),
        Op::Load => Path::Load,
        Op::Store => Path::Store,
        Op::Map(_) => Path::Map,
        Op::Call(..) => Path::Call,
        Op::Tensor(..) => Path::Tensor,
        // Elements of arrays are numbers only where nothing is differentiated.
        Op::Host(..)
        | Op::Convert(Convert::Single | Convert::Half | Convert::Bfloat | Convert::Int32)
        | Op::Element1(..)
        | Op::Element2(..) => Path::Host,
        Op::Object(ObjectOp::Keep) | Op::Kept(_) => Path::Handle,
        Op::Const(_)
        | Op::OfClass(_)
        | Op::IntPow
        | Op::IntDiv
        | Op::Wrap2(_)
        | Op::Overflow2(_)
        | Op::Bit2(_)
        | Op::Shift(_)
        | Op::Cmp(_)
        | Op::CmpIntFloat(_)
        | Op::Not
        | Op::Convert(Convert::BoolToInt | Convert::IntToFloat | Convert::FloatToInt)
        | Op::Len
        | Op::ListNew(_)
        | Op::MapNew(_)
        | Op::Object(_)
        | Op::Guard(_)
        | Op::Checkpoint(_)
        | Op::OverflowIf => Path::Nowhere,
    }
}

/// Whether the derivative by the operand at a position may be other than zero.
pub(super) const fn passes(op: Smooth, position: usize) -> bool {
    match op {
        Smooth::Num1(Num1::Neg | Num1::Abs) => true,
        Smooth::Num2(Num2::Add | Num2::Sub | Num2::Mul | Num2::Mod | Num2::Min | Num2::Max) => true,
        Smooth::Num2(Num2::FloorDiv) => false,
        Smooth::Real1(Real1::Floor | Real1::Ceil | Real1::Trunc | Real1::RoundEven) => false,
        Smooth::Real1(_) | Smooth::Real2(Real2::Div | Real2::Pow | Real2::Atan2 | Real2::Fmod | Real2::Hypot) => true,
        Smooth::Real2(Real2::Copysign) => position == 0,
        Smooth::Select => position > 0,
    }
}

/// `t` times the partial derivative of the result by the operand at a position. See the module.
pub(super) fn scaled(s: &mut dyn Site, op: Smooth, position: usize, t: Value) -> Option<Value> {
    match op {
        Smooth::Num1(op) => Some(num1(s, op, t)),
        Smooth::Num2(op) => num2(s, op, position, t),
        Smooth::Real1(op) => real1(s, op, t),
        Smooth::Real2(op) => real2(s, op, position, t),
        Smooth::Select => {
            let (cond, zero) = (s.operand(0), s.lit(0.0));
            let [x, z] = if position == 1 { [t, zero] } else { [zero, t] };
            (position > 0).then(|| s.emit(Op::Select, &[cond, x, z]))
        }
    }
}

fn num1(s: &mut dyn Site, op: Num1, t: Value) -> Value {
    match op {
        Num1::Neg => s.neg(t),
        Num1::Abs => {
            let (x, zero) = (s.operand(0), s.lit(0.0));
            let minus = s.neg(t);
            let below = s.pick(Cmp::Lt, [x, zero], minus, t);
            s.pick(Cmp::Eq, [x, zero], zero, below)
        }
    }
}

fn num2(s: &mut dyn Site, op: Num2, position: usize, t: Value) -> Option<Value> {
    let first = position == 0;
    match op {
        Num2::Add => Some(t),
        Num2::Sub => Some(if first { t } else { s.neg(t) }),
        Num2::Mul => {
            let other = s.operand(1 - position);
            Some(s.mul(t, other))
        }
        Num2::FloorDiv => None,
        Num2::Mod if first => Some(t),
        Num2::Mod => {
            let [x, z] = s.both(); // x % z is x - z * (x // z)
            let whole = s.emit(Op::Num2(Num2::FloorDiv), &[x, z]);
            let product = s.mul(t, whole);
            Some(s.neg(product))
        }
        Num2::Min => Some(second_if(s, Cmp::Lt, first, t)),
        Num2::Max => Some(second_if(s, Cmp::Gt, first, t)),
    }
}

/// The second operand is taken if it compares so with the first.
fn second_if(s: &mut dyn Site, cmp: Cmp, first: bool, t: Value) -> Value {
    let ([x, z], zero) = (s.both(), s.lit(0.0));
    if first { s.pick(cmp, [z, x], zero, t) } else { s.pick(cmp, [z, x], t, zero) }
}

fn real1(s: &mut dyn Site, op: Real1, t: Value) -> Option<Value> {
    let share = by_slope(s, op, t)?;
    // Where it is defined everywhere, so is its slope.
    let is_total = matches!(op, Real1::Tanh | Real1::Atan | Real1::Asinh);
    Some(if is_total { share } else { s.if_any(t, share) })
}

fn by_slope(s: &mut dyn Site, op: Real1, t: Value) -> Option<Value> {
    use std::f64::consts::{LN_2, LN_10};
    Some(match op {
        Real1::Sqrt => {
            let y = s.result(); // t / (2 y)
            let twice = s.add(y, y);
            s.div(t, twice)
        }
        Real1::Exp => {
            let y = s.result();
            s.mul(t, y)
        }
        Real1::Exp2 => {
            let (y, ln) = (s.result(), s.lit(LN_2));
            let slope = s.mul(y, ln);
            s.mul(t, slope)
        }
        Real1::Expm1 => {
            let slope = s.function(Real1::Exp);
            s.mul(t, slope)
        }
        Real1::Log => {
            let x = s.operand(0);
            s.div(t, x)
        }
        Real1::Log2 => over_times(s, t, LN_2),
        Real1::Log10 => over_times(s, t, LN_10),
        Real1::Log1p => {
            let (x, one) = (s.operand(0), s.lit(1.0));
            let above = s.add(one, x);
            s.div(t, above)
        }
        Real1::Sin => s.times(Real1::Cos, t),
        Real1::Cos => {
            let sine = s.times(Real1::Sin, t);
            s.neg(sine)
        }
        Real1::Tan => {
            let (y, one) = (s.result(), s.lit(1.0)); // t (1 + y^2)
            let square = s.mul(y, y);
            let slope = s.add(one, square);
            s.mul(t, slope)
        }
        Real1::Asin => {
            let root = root_of_one_minus_square(s);
            s.div(t, root)
        }
        Real1::Acos => {
            let root = root_of_one_minus_square(s);
            let quotient = s.div(t, root);
            s.neg(quotient)
        }
        Real1::Atan => {
            let below = one_plus_square(s);
            s.div(t, below)
        }
        Real1::Sinh => s.times(Real1::Cosh, t),
        Real1::Cosh => s.times(Real1::Sinh, t),
        Real1::Tanh => {
            let (y, one) = (s.result(), s.lit(1.0)); // t (1 - y)(1 + y)
            let slope = between(s, one, y);
            s.mul(t, slope)
        }
        Real1::Asinh => {
            let below = one_plus_square(s);
            let root = s.emit(Op::Real1(Real1::Sqrt), &[below]);
            s.div(t, root)
        }
        Real1::Acosh => {
            let (x, one) = (s.operand(0), s.lit(1.0)); // t / sqrt((x - 1)(x + 1))
            let (less, more) = (s.sub(x, one), s.add(x, one));
            let [less, more] = [less, more].map(|it| s.emit(Op::Real1(Real1::Sqrt), &[it]));
            let root = s.mul(less, more);
            s.div(t, root)
        }
        Real1::Atanh => {
            let (x, one) = (s.operand(0), s.lit(1.0));
            let below = between(s, one, x);
            s.div(t, below)
        }
        Real1::Cbrt => {
            let (y, three) = (s.result(), s.lit(3.0)); // t / (3 y^2)
            let square = s.mul(y, y);
            let below = s.mul(three, square);
            s.div(t, below)
        }
        Real1::Floor | Real1::Ceil | Real1::Trunc | Real1::RoundEven => return None,
    })
}

fn real2(s: &mut dyn Site, op: Real2, position: usize, t: Value) -> Option<Value> {
    let first = position == 0;
    Some(match op {
        Real2::Div => {
            let z = s.operand(1);
            let quotient = s.div(t, z);
            if first {
                return Some(s.if_any(t, quotient));
            }
            let y = s.result();
            let product = s.mul(quotient, y);
            let share = s.neg(product);
            s.if_any(t, share)
        }
        Real2::Pow => {
            let ([x, z], zero) = (s.both(), s.lit(0.0));
            if first {
                let one = s.lit(1.0);
                let less = s.sub(z, one);
                let power = s.emit(Op::Real2(op), &[x, less]);
                let slope = s.mul(z, power);
                let slope = s.if_any(z, slope);
                let share = s.mul(t, slope);
                s.if_any(t, share)
            } else {
                let (y, log) = (s.result(), s.emit(Op::Real1(Real1::Log), &[x]));
                let slope = s.mul(y, log);
                let slope = s.pick(Cmp::Eq, [x, zero], zero, slope);
                let share = s.mul(t, slope);
                s.if_any(t, share)
            }
        }
        Real2::Atan2 => {
            let [x, z] = s.both(); // of the point (z, x)
            let (xx, zz) = (s.mul(x, x), s.mul(z, z));
            let below = s.add(xx, zz);
            let other = s.operand(1 - position);
            let above = s.mul(t, other);
            let share = s.div(above, below);
            if first { share } else { s.neg(share) }
        }
        Real2::Hypot => {
            let operand = s.operand(position);
            let y = s.result();
            let above = s.mul(t, operand);
            s.div(above, y)
        }
        Real2::Copysign => {
            let ([x, z], one) = (s.both(), s.lit(1.0));
            let [x, z] = [x, z].map(|it| s.emit(Op::Real2(Real2::Copysign), &[one, it]));
            let sign = s.mul(x, z);
            return first.then(|| s.mul(t, sign));
        }
        Real2::Fmod if first => t,
        Real2::Fmod => {
            let [x, z] = s.both(); // x - z * trunc(x / z)
            let y = s.result();
            let multiple = s.sub(x, y);
            let quotient = s.div(multiple, z);
            let whole = s.emit(Op::Real1(Real1::RoundEven), &[quotient]);
            let product = s.mul(t, whole);
            s.neg(product)
        }
    })
}

/// `t / (c x)`.
fn over_times(s: &mut dyn Site, t: Value, c: f64) -> Value {
    let (x, c) = (s.operand(0), s.lit(c));
    let below = s.mul(x, c);
    s.div(t, below)
}

/// `(1 - x)(1 + x)`, which keeps its digits near 1.
fn between(s: &mut dyn Site, one: Value, x: Value) -> Value {
    let (less, more) = (s.sub(one, x), s.add(one, x));
    s.mul(less, more)
}

fn root_of_one_minus_square(s: &mut dyn Site) -> Value {
    let (x, one) = (s.operand(0), s.lit(1.0));
    let square = between(s, one, x);
    s.emit(Op::Real1(Real1::Sqrt), &[square])
}

fn one_plus_square(s: &mut dyn Site) -> Value {
    let (x, one) = (s.operand(0), s.lit(1.0));
    let square = s.mul(x, x);
    s.add(one, square)
}

/// Arithmetic on doubles, for the table.
impl dyn Site + '_ {
    fn lit(&mut self, value: f64) -> Value {
        self.emit(Op::Const(Const::F64(value)), &[])
    }

    fn both(&mut self) -> [Value; 2] {
        [self.operand(0), self.operand(1)]
    }

    fn neg(&mut self, x: Value) -> Value {
        self.emit(Op::Num1(Num1::Neg), &[x])
    }

    fn add(&mut self, x: Value, z: Value) -> Value {
        self.emit(Op::Num2(Num2::Add), &[x, z])
    }

    fn sub(&mut self, x: Value, z: Value) -> Value {
        self.emit(Op::Num2(Num2::Sub), &[x, z])
    }

    fn mul(&mut self, x: Value, z: Value) -> Value {
        self.emit(Op::Num2(Num2::Mul), &[x, z])
    }

    fn div(&mut self, x: Value, z: Value) -> Value {
        self.emit(Op::Real2(Real2::Div), &[x, z])
    }

    /// A share in `t`: none where nothing depends on the result, be the slope infinite or no number. Where the slope is
    /// finite the share stays what it is, of which there is a derivative by `t`.
    fn if_any(&mut self, t: Value, share: Value) -> Value {
        let zero = self.lit(0.0);
        let none = self.emit(Op::Cmp(Cmp::Eq), &[t, zero]);
        let wild = self.emit(Op::Cmp(Cmp::Ne), &[share, share]);
        let none = self.emit(Op::Bit2(Bit2::And), &[none, wild]);
        self.emit(Op::Select, &[none, zero, share])
    }

    /// `t` times a function of the operand.
    fn times(&mut self, function: Real1, t: Value) -> Value {
        let slope = self.function(function);
        self.mul(t, slope)
    }

    /// `then` if the comparison holds, else `other`.
    fn pick(&mut self, cmp: Cmp, operands: [Value; 2], then: Value, other: Value) -> Value {
        let holds = self.emit(Op::Cmp(cmp), &operands);
        self.emit(Op::Select, &[holds, then, other])
    }
}
