//! Arithmetic of elements: what operations on tensors mean for one element, as ops on numbers.
//!
//! The meaning is that of `snekpy_stage::tensor::elementwise`, bit for bit: integers wrap, a zero divisor gives zero, floats
//! in single precision are computed as doubles and rounded, which gives the same for sums, products, quotients and roots.
//! What has no ops of its own here is done by the library, on tensors without axes.

use snekpy_stage::entity::Value;
use snekpy_stage::op::{self, Bit2, Cmp, Const, Convert, Num1, Num2, Op, Shift, Wrap2};
use snekpy_stage::tensor::elementwise::{self as each, Bits1, Bits2, Real1, Real2, Test1};
use snekpy_stage::tensor::{Dtype, Item, Kind, TensorOp};
use snekpy_stage::types::Type;

use super::{Number, number_type};
use crate::capture::session::Session;
use crate::capture::state::State;

/// An element as a constant.
pub(super) const fn constant(item: Item) -> Const {
    match item {
        Item::Bool(it) => Const::Bool(it),
        Item::Int(it) => Const::I64(it),
        Item::Float(it) => Const::F64(it),
    }
}

impl Session<'_> {
    /// What an operation gives for elements; `None` if that is not known here.
    pub(super) fn computed(&mut self, state: &State, op: &TensorOp, operands: &[Number]) -> Option<Value> {
        match (op, operands) {
            (TensorOp::Cast(dtype), &[x]) => self.cast(state, x, *dtype),
            (TensorOp::Num1(op), &[x]) => self.num1_of(state, *op, x),
            (TensorOp::Real1(op), &[x]) => self.real1_of(state, *op, x),
            (TensorOp::Bits1(Bits1::Not), &[x]) if x.dtype.kind() != Kind::Float => {
                Some(self.value(state, Op::Not, &[x.value]))
            }
            (TensorOp::Test1(op), &[x]) => self.test1_of(state, *op, x),
            (TensorOp::Num2(op), &[x, y]) if x.dtype == y.dtype => self.num2_of(state, *op, x, y),
            (TensorOp::Real2(op), &[x, y]) if x.dtype == y.dtype => self.real2_of(state, *op, x, y),
            (TensorOp::Bits2(op), &[x, y]) if x.dtype == y.dtype => self.bits2_of(state, *op, x, y),
            (TensorOp::Compare(op), &[x, y]) if x.dtype == y.dtype => Some(self.compared(state, *op, x, y)),
            (TensorOp::Select, &[which, x, y]) if which.dtype == Dtype::Bool && x.dtype == y.dtype => {
                Some(self.value(state, Op::Select, &[which.value, x.value, y.value]))
            }
            _ => None,
        }
    }

    /// As an element of another dtype, as `cast` has it.
    pub(super) fn cast(&mut self, state: &State, x: Number, to: Dtype) -> Option<Value> {
        number_type(to)?;
        match (x.dtype, to) {
            (from, to) if from == to => Some(x.value),
            // Rounded to a double first, it would be rounded twice.
            (Dtype::I64, Dtype::F32) => None,
            (_, to) => self.converted(state, x.value, to),
        }
    }

    /// The element that a number of Python becomes, as `Number` has it.
    pub(super) fn number_as(&mut self, state: &State, value: Value, dtype: Dtype) -> Option<Value> {
        number_type(dtype)?;
        if self.func.ty(value) == Type::F64 && dtype == Dtype::I64 {
            let distance = self.value(state, Op::Num2(Num2::Sub), &[value, value]);
            let is_finite = self.cmp(state, Cmp::Eq, distance, distance);
            let exit = self.exit_at_checkpoint("ValueError");
            self.emit(state, Op::Guard(exit), &[is_finite]);
        }
        self.converted(state, value, dtype)
    }

    /// A number of any type as a dtype stores it.
    fn converted(&mut self, state: &State, value: Value, to: Dtype) -> Option<Value> {
        let from = self.func.ty(value);
        match (from, to) {
            (Type::Bool, Dtype::Bool) | (Type::I64, Dtype::I64) | (Type::F64, Dtype::F64) => Some(value),
            (Type::Bool, _) => {
                let int = self.value(state, Op::Convert(Convert::BoolToInt), &[value]);
                self.converted(state, int, to)
            }
            (Type::I64, Dtype::Bool) => {
                let zero = self.int(state, 0);
                Some(self.cmp(state, Cmp::Ne, value, zero))
            }
            (Type::F64, Dtype::Bool) => {
                let zero = self.float(state, 0.0);
                Some(self.cmp(state, Cmp::Ne, value, zero))
            }
            (Type::I64, Dtype::F32 | Dtype::F64) => {
                let float = self.value(state, Op::Convert(Convert::IntToFloat), &[value]);
                self.converted(state, float, to)
            }
            (Type::F64, Dtype::F32) => Some(self.value(state, Op::Convert(Convert::Single), &[value])),
            (Type::F64, Dtype::I64) => Some(self.whole_of(state, value)),
            _ => None,
        }
    }

    /// Rounded to zero; what does not fit is the smallest integer.
    fn whole_of(&mut self, state: &State, value: Value) -> Value {
        const LIMIT: f64 = 9_223_372_036_854_775_808.0; // 2^63
        let (low, high) = (self.float(state, -LIMIT), self.float(state, LIMIT));
        let (above, below) = (self.cmp(state, Cmp::Ge, value, low), self.cmp(state, Cmp::Lt, value, high));
        let fits = self.value(state, Op::Bit2(Bit2::And), &[above, below]);
        let zero = self.float(state, 0.0);
        let fitting = self.value(state, Op::Select, &[fits, value, zero]);
        let whole = self.value(state, Op::Real1(op::Real1::Trunc), &[fitting]);
        let int = self.value(state, Op::Convert(Convert::FloatToInt), &[whole]);
        let least = self.int(state, i64::MIN);
        self.value(state, Op::Select, &[fits, int, least])
    }

    /// A result that was computed as a double, in its dtype.
    fn rounded(&mut self, state: &State, value: Value, dtype: Dtype) -> Value {
        if dtype == Dtype::F32 { self.value(state, Op::Convert(Convert::Single), &[value]) } else { value }
    }

    /// Zero of a dtype.
    fn zero_of(&mut self, state: &State, dtype: Dtype) -> Value {
        let zero = match dtype.kind() {
            Kind::Bool => Const::Bool(false),
            Kind::Int => Const::I64(0),
            Kind::Float => Const::F64(0.0),
        };
        self.constant(state.block, zero)
    }

    fn num1_of(&mut self, state: &State, op: each::Num1, x: Number) -> Option<Value> {
        let zero = self.zero_of(state, x.dtype);
        match (op, x.dtype.kind()) {
            (_, Kind::Bool) => None,
            (each::Num1::Neg, Kind::Int) => Some(self.value(state, Op::Wrap2(Wrap2::Sub), &[zero, x.value])),
            (each::Num1::Neg, Kind::Float) => Some(self.value(state, Op::Num1(Num1::Neg), &[x.value])),
            (each::Num1::Abs, Kind::Int) => {
                let negated = self.value(state, Op::Wrap2(Wrap2::Sub), &[zero, x.value]);
                let is_negative = self.cmp(state, Cmp::Lt, x.value, zero);
                Some(self.value(state, Op::Select, &[is_negative, negated, x.value]))
            }
            (each::Num1::Abs, Kind::Float) => Some(self.value(state, Op::Num1(Num1::Abs), &[x.value])),
            (each::Num1::Square, _) => self.num2_of(state, each::Num2::Mul, x, x),
            (each::Num1::Sign, _) => None,
        }
    }

    fn real1_of(&mut self, state: &State, function: Real1, x: Number) -> Option<Value> {
        if !matches!(x.dtype, Dtype::F32 | Dtype::F64) {
            return None;
        }
        // What tensors compute by polynomials of their own differs from Python's floats in the last bit.
        if !function.is_exact() && (x.dtype == Dtype::F32 || !function.is_as_of_floats()) {
            return Some(self.value(state, Op::Element1(function, x.dtype), &[x.value]));
        }
        let function = match function {
            Real1::Round => op::Real1::RoundEven,
            Real1::Reciprocal => {
                let one = self.float(state, 1.0);
                let quotient = self.value(state, Op::Real2(op::Real2::Div), &[one, x.value]);
                return Some(self.rounded(state, quotient, x.dtype));
            }
            other => op::Real1::from_text(other.text())?,
        };
        let value = self.value(state, Op::Real1(function), &[x.value]);
        Some(self.rounded(state, value, x.dtype))
    }

    fn test1_of(&mut self, state: &State, test: Test1, x: Number) -> Option<Value> {
        match test {
            Test1::IsNan => Some(self.cmp(state, Cmp::Ne, x.value, x.value)),
            Test1::IsInf | Test1::IsFinite => {
                let infinite = self.float(state, f64::INFINITY);
                let size = self.value(state, Op::Num1(Num1::Abs), &[x.value]);
                Some(self.cmp(state, if test == Test1::IsInf { Cmp::Eq } else { Cmp::Lt }, size, infinite))
            }
            Test1::SignBit => None,
        }
    }

    fn num2_of(&mut self, state: &State, op: each::Num2, x: Number, y: Number) -> Option<Value> {
        use each::Num2 as N;
        let (dtype, args) = (x.dtype, [x.value, y.value]);
        match (op, dtype.kind()) {
            (_, Kind::Bool) => None,
            (N::Add, Kind::Int) => Some(self.value(state, Op::Wrap2(Wrap2::Add), &args)),
            (N::Sub, Kind::Int) => Some(self.value(state, Op::Wrap2(Wrap2::Sub), &args)),
            (N::Mul, Kind::Int) => Some(self.value(state, Op::Wrap2(Wrap2::Mul), &args)),
            (N::Add | N::Sub | N::Mul, Kind::Float) => {
                let op = match op {
                    N::Add => Num2::Add,
                    N::Sub => Num2::Sub,
                    _ => Num2::Mul,
                };
                let value = self.value(state, Op::Num2(op), &args);
                Some(self.rounded(state, value, dtype))
            }
            (N::FloorDiv | N::Mod, Kind::Int) => Some(self.divided(state, op, x.value, y.value)),
            (N::FloorDiv | N::Mod, Kind::Float) => {
                let (zero, one) = (self.float(state, 0.0), self.float(state, 1.0));
                let is_zero = self.cmp(state, Cmp::Eq, y.value, zero);
                let by = self.value(state, Op::Select, &[is_zero, one, y.value]);
                let (op, otherwise) = match op {
                    N::FloorDiv => (Num2::FloorDiv, self.value(state, Op::Real2(op::Real2::Div), &args)),
                    _ => (Num2::Mod, self.float(state, f64::NAN)),
                };
                let value = self.value(state, Op::Num2(op), &[x.value, by]);
                let value = self.value(state, Op::Select, &[is_zero, otherwise, value]);
                Some(self.rounded(state, value, dtype))
            }
            (N::Min | N::Max, kind) => {
                let first = self.cmp(state, if op == N::Min { Cmp::Le } else { Cmp::Ge }, x.value, y.value);
                let first = match kind {
                    Kind::Float => {
                        let is_nan = self.cmp(state, Cmp::Ne, x.value, x.value);
                        self.value(state, Op::Bit2(Bit2::Or), &[first, is_nan])
                    }
                    Kind::Bool | Kind::Int => first,
                };
                Some(self.value(state, Op::Select, &[first, x.value, y.value]))
            }
            (N::Pow, _) => self.power_of_element(state, x, y),
        }
    }

    /// `x ** y` of doubles, and the square of an int.
    fn power_of_element(&mut self, state: &State, x: Number, y: Number) -> Option<Value> {
        let exponent = self.func.as_const(y.value);
        match (x.dtype, exponent) {
            (Dtype::I64, Some(Const::I64(2))) | (Dtype::F64, Some(Const::F64(2.0))) => {
                self.num2_of(state, each::Num2::Mul, x, x)
            }
            (Dtype::F64, _) => Some(self.value(state, Op::Real2(op::Real2::PowOfElement), &[x.value, y.value])),
            _ => None,
        }
    }

    /// Integer division, which wraps, and by zero gives zero.
    fn divided(&mut self, state: &State, op: each::Num2, x: Value, y: Value) -> Value {
        let is_quotient = op == each::Num2::FloorDiv;
        let (zero, one, minus_one) = (self.int(state, 0), self.int(state, 1), self.int(state, -1));
        let divide = Op::Num2(if is_quotient { Num2::FloorDiv } else { Num2::Mod });
        if matches!(self.func.as_const(y), Some(Const::I64(it)) if it != 0 && it != -1) {
            return self.value(state, divide, &[x, y]);
        }
        let (is_zero, is_minus_one) = (self.cmp(state, Cmp::Eq, y, zero), self.cmp(state, Cmp::Eq, y, minus_one));
        let is_special = self.value(state, Op::Bit2(Bit2::Or), &[is_zero, is_minus_one]);
        let by = self.value(state, Op::Select, &[is_special, one, y]);
        let value = self.value(state, divide, &[x, by]);
        let negated = if is_quotient { self.value(state, Op::Wrap2(Wrap2::Sub), &[zero, x]) } else { zero };
        let value = self.value(state, Op::Select, &[is_minus_one, negated, value]);
        self.value(state, Op::Select, &[is_zero, zero, value])
    }

    fn real2_of(&mut self, state: &State, function: Real2, x: Number, y: Number) -> Option<Value> {
        let function = match (function, x.dtype) {
            (Real2::Div, Dtype::F32 | Dtype::F64) => op::Real2::Div,
            (Real2::Copysign, Dtype::F32 | Dtype::F64) => op::Real2::Copysign,
            (Real2::Fmod, Dtype::F64) => op::Real2::Fmod,
            _ => return None,
        };
        let value = self.value(state, Op::Real2(function), &[x.value, y.value]);
        Some(self.rounded(state, value, x.dtype))
    }

    fn bits2_of(&mut self, state: &State, op: Bits2, x: Number, y: Number) -> Option<Value> {
        let args = [x.value, y.value];
        let distance = match self.func.as_const(y.value) {
            Some(Const::I64(it)) => u32::try_from(it).ok().filter(|it| *it < 64),
            _ => None,
        };
        match (op, x.dtype.kind()) {
            (_, Kind::Float) | (Bits2::Left | Bits2::Right, Kind::Bool) => None,
            (Bits2::And, _) => Some(self.value(state, Op::Bit2(Bit2::And), &args)),
            (Bits2::Or, _) => Some(self.value(state, Op::Bit2(Bit2::Or), &args)),
            (Bits2::Xor, _) => Some(self.value(state, Op::Bit2(Bit2::Xor), &args)),
            (Bits2::Left, Kind::Int) => {
                let times = self.int(state, 1_i64.wrapping_shl(distance?));
                Some(self.value(state, Op::Wrap2(Wrap2::Mul), &[x.value, times]))
            }
            (Bits2::Right, Kind::Int) => {
                distance?;
                Some(self.value(state, Op::Shift(Shift::Right), &args))
            }
        }
    }

    fn compared(&mut self, state: &State, op: each::Cmp, x: Number, y: Number) -> Value {
        let cmp = match op {
            each::Cmp::Eq => Cmp::Eq,
            each::Cmp::Ne => Cmp::Ne,
            each::Cmp::Lt => Cmp::Lt,
            each::Cmp::Le => Cmp::Le,
            each::Cmp::Gt => Cmp::Gt,
            each::Cmp::Ge => Cmp::Ge,
        };
        self.cmp(state, cmp, x.value, y.value)
    }
}
