//! Arithmetic of elements: what operations on tensors mean for one element, as ops on numbers.
//!
//! The meaning is that of `snekpy_stage::tensor::elementwise`, bit for bit: integers wrap, a zero divisor gives zero, floats
//! of less precision are computed as doubles and rounded, which gives the same for sums, products, quotients and roots.
//! What has no ops of its own here is done by the library, on tensors without axes.

use snekpy_stage::entity::Value;
use snekpy_stage::op::{self, Bit2, Cmp, Const, Convert, Element2, Num1, Num2, Op, Shift, Wrap2};
use snekpy_stage::tensor::elementwise::{self as each, Bits1, Bits2, Real1, Real2, Test1};
use snekpy_stage::tensor::{Dtype, Item, Kind, TensorOp};
use snekpy_stage::types::Type;

use super::Number;
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
        match (x.dtype, to) {
            (from, to) if from == to => Some(x.value),
            (Dtype::I64, Dtype::F32) => {
                let sum = self.rounded_to_odd(state, x.value);
                self.converted(state, sum, to)
            }
            (_, to) => self.converted(state, x.value, to),
        }
    }

    /// An integer that a double holds and that any shorter float is rounded from as from this one: where it is not this one
    /// itself, the lowest of its bits stands for all behind it.
    fn rounded_to_odd(&mut self, state: &State, value: Value) -> Value {
        const EXACT: i64 = 1 << 53;
        const BEHIND: i64 = (1 << 11) - 1;
        let (least, most, zero) = (self.int(state, -EXACT), self.int(state, EXACT), self.int(state, 0));
        let (above, below) = (self.cmp(state, Cmp::Ge, value, least), self.cmp(state, Cmp::Le, value, most));
        let is_exact = self.value(state, Op::Bit2(Bit2::And), &[above, below]);
        let (behind, before, bit) = (self.int(state, BEHIND), self.int(state, !BEHIND), self.int(state, 1 << 10));
        let left_out = self.value(state, Op::Bit2(Bit2::And), &[value, behind]);
        let kept = self.value(state, Op::Bit2(Bit2::And), &[value, before]);
        let is_whole = self.cmp(state, Cmp::Eq, left_out, zero);
        let sticky = self.value(state, Op::Select, &[is_whole, zero, bit]);
        let odd = self.value(state, Op::Bit2(Bit2::Or), &[kept, sticky]);
        self.value(state, Op::Select, &[is_exact, value, odd])
    }

    /// The element that a number of Python becomes, as `Number` has it.
    pub(super) fn number_as(&mut self, state: &State, value: Value, dtype: Dtype) -> Option<Value> {
        let (from, kind) = (self.func.ty(value), dtype.kind());
        if from == Type::F64 && kind == Kind::Int {
            let (size, limit) =
                (self.value(state, Op::Num1(Num1::Abs), &[value]), self.float(state, -(i64::MIN as f64)));
            let fits = self.cmp(state, Cmp::Lt, size, limit);
            let exit = self.exit_at_checkpoint("ValueError");
            self.emit(state, Op::Guard(exit), &[fits]);
            // Of a float that fits in no more than 64 bits, the low ones.
            let whole = self.whole_of(state, value, Dtype::I64);
            return Some(self.rounded(state, whole, dtype));
        }
        let element = self.converted(state, value, dtype)?;
        if from == Type::I64 && dtype == Dtype::I32 {
            let fits = self.cmp(state, Cmp::Eq, element, value);
            let exit = self.exit_at_checkpoint("ValueError");
            self.emit(state, Op::Guard(exit), &[fits]);
        }
        Some(element)
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
            (Type::I64, to) if to.is_float() => {
                let float = self.value(state, Op::Convert(Convert::IntToFloat), &[value]);
                Some(self.rounded(state, float, to))
            }
            (Type::F64, to) if to.is_float() => Some(self.rounded(state, value, to)),
            (Type::F64, Dtype::I32 | Dtype::I64) => Some(self.whole_of(state, value, to)),
            (Type::I64, Dtype::I32) => Some(self.rounded(state, value, to)),
            _ => None,
        }
    }

    /// Rounded to zero; what does not fit is the smallest integer of the dtype.
    fn whole_of(&mut self, state: &State, value: Value, to: Dtype) -> Value {
        const LIMIT: f64 = 9_223_372_036_854_775_808.0; // 2^63
        const LIMIT32: f64 = 2_147_483_648.0; // 2^31
        let (above, limit, least) = match to {
            Dtype::I32 => ((Cmp::Gt, -LIMIT32 - 1.0), LIMIT32, i64::from(i32::MIN)),
            _ => ((Cmp::Ge, -LIMIT), LIMIT, i64::MIN),
        };
        let (low, high) = (self.float(state, above.1), self.float(state, limit));
        let (above, below) = (self.cmp(state, above.0, value, low), self.cmp(state, Cmp::Lt, value, high));
        let fits = self.value(state, Op::Bit2(Bit2::And), &[above, below]);
        let zero = self.float(state, 0.0);
        let fitting = self.value(state, Op::Select, &[fits, value, zero]);
        let whole = self.value(state, Op::Real1(op::Real1::Trunc), &[fitting]);
        let int = self.value(state, Op::Convert(Convert::FloatToInt), &[whole]);
        let least = self.int(state, least);
        self.value(state, Op::Select, &[fits, int, least])
    }

    /// A result that was computed in 64 bits, in its dtype.
    fn rounded(&mut self, state: &State, value: Value, dtype: Dtype) -> Value {
        match Convert::stored(dtype.elem()) {
            Some(convert) => self.value(state, Op::Convert(convert), &[value]),
            None => value,
        }
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
            (each::Num1::Neg, Kind::Int) => {
                let negated = self.value(state, Op::Wrap2(Wrap2::Sub), &[zero, x.value]);
                Some(self.rounded(state, negated, x.dtype))
            }
            (each::Num1::Neg, Kind::Float) => Some(self.value(state, Op::Num1(Num1::Neg), &[x.value])),
            (each::Num1::Abs, Kind::Int) => {
                let negated = self.value(state, Op::Wrap2(Wrap2::Sub), &[zero, x.value]);
                let is_negative = self.cmp(state, Cmp::Lt, x.value, zero);
                let size = self.value(state, Op::Select, &[is_negative, negated, x.value]);
                Some(self.rounded(state, size, x.dtype))
            }
            (each::Num1::Abs, Kind::Float) => Some(self.value(state, Op::Num1(Num1::Abs), &[x.value])),
            (each::Num1::Square, _) => self.num2_of(state, each::Num2::Mul, x, x),
            (each::Num1::Sign, kind) => {
                let one = match kind {
                    Kind::Float => Const::F64(1.0),
                    Kind::Bool | Kind::Int => Const::I64(1),
                };
                let one = self.constant(state.block, one);
                let minus_one = match kind {
                    Kind::Float => self.float(state, -1.0),
                    Kind::Bool | Kind::Int => self.int(state, -1),
                };
                let (above, below) = (self.cmp(state, Cmp::Gt, x.value, zero), self.cmp(state, Cmp::Lt, x.value, zero));
                let other = self.value(state, Op::Select, &[below, minus_one, zero]);
                let sign = self.value(state, Op::Select, &[above, one, other]);
                if kind != Kind::Float {
                    return Some(sign);
                }
                let is_nan = self.cmp(state, Cmp::Ne, x.value, x.value);
                Some(self.value(state, Op::Select, &[is_nan, x.value, sign]))
            }
        }
    }

    fn real1_of(&mut self, state: &State, function: Real1, x: Number) -> Option<Value> {
        if !x.dtype.is_float() {
            return None;
        }
        // What tensors compute by polynomials of their own differs from Python's floats in the last bit. Half precision is
        // computed in singles.
        let computed_in = if x.dtype == Dtype::F64 { Dtype::F64 } else { Dtype::F32 };
        if !function.is_exact() && (computed_in == Dtype::F32 || !function.is_as_of_floats()) {
            let value = self.value(state, Op::Element1(function, computed_in), &[x.value]);
            return Some(if x.dtype == computed_in { value } else { self.rounded(state, value, x.dtype) });
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
            Test1::SignBit => {
                let (one, zero) = (self.float(state, 1.0), self.float(state, 0.0));
                let sign = self.value(state, Op::Real2(op::Real2::Copysign), &[one, x.value]);
                Some(self.cmp(state, Cmp::Lt, sign, zero))
            }
        }
    }

    fn num2_of(&mut self, state: &State, op: each::Num2, x: Number, y: Number) -> Option<Value> {
        use each::Num2 as N;
        let (dtype, args) = (x.dtype, [x.value, y.value]);
        match (op, dtype.kind()) {
            (_, Kind::Bool) => None,
            (N::Add | N::Sub | N::Mul, Kind::Int) => {
                let op = match op {
                    N::Add => Wrap2::Add,
                    N::Sub => Wrap2::Sub,
                    _ => Wrap2::Mul,
                };
                let value = self.value(state, Op::Wrap2(op), &args);
                Some(self.rounded(state, value, dtype))
            }
            (N::Add | N::Sub | N::Mul, Kind::Float) => {
                let op = match op {
                    N::Add => Num2::Add,
                    N::Sub => Num2::Sub,
                    _ => Num2::Mul,
                };
                let value = self.value(state, Op::Num2(op), &args);
                Some(self.rounded(state, value, dtype))
            }
            (N::FloorDiv | N::Mod, Kind::Int) => {
                let value = self.divided(state, op, x.value, y.value);
                Some(self.rounded(state, value, dtype))
            }
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
            (N::Pow, _) if matches!(self.func.as_const(y.value), Some(Const::I64(2) | Const::F64(2.0))) => {
                self.num2_of(state, N::Mul, x, x)
            }
            (N::Pow, _) => Some(self.power_of_element(state, x, y)),
        }
    }

    /// `x ** y`. That of an integer by a negative one leaves: plain Python raises.
    fn power_of_element(&mut self, state: &State, x: Number, y: Number) -> Value {
        if x.dtype.is_float() {
            return self.element2_of(state, Element2::Pow, x, y);
        }
        if !matches!(self.func.as_const(y.value), Some(Const::I64(0..))) {
            let zero = self.int(state, 0);
            let is_power = self.cmp(state, Cmp::Ge, y.value, zero);
            let exit = self.exit_at_checkpoint("ValueError");
            self.emit(state, Op::Guard(exit), &[is_power]);
        }
        let power = self.value(state, Op::Wrap2(Wrap2::Pow), &[x.value, y.value]);
        self.rounded(state, power, x.dtype)
    }

    /// A function of two floats, in their dtype; of half precision, in singles.
    fn element2_of(&mut self, state: &State, function: Element2, x: Number, y: Number) -> Value {
        let computed_in = if x.dtype == Dtype::F64 { Dtype::F64 } else { Dtype::F32 };
        let value = self.value(state, Op::Element2(function, computed_in), &[x.value, y.value]);
        if x.dtype == computed_in { value } else { self.rounded(state, value, x.dtype) }
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
        if !x.dtype.is_float() {
            return None;
        }
        let function = match function {
            Real2::Div => op::Real2::Div,
            Real2::Copysign => op::Real2::Copysign,
            // Of shorter floats it is one.
            Real2::Fmod => op::Real2::Fmod,
            Real2::Atan2 => return Some(self.element2_of(state, Element2::Atan2, x, y)),
            Real2::Hypot => return Some(self.element2_of(state, Element2::Hypot, x, y)),
            Real2::LogAddExp => return Some(self.element2_of(state, Element2::LogAddExp, x, y)),
            // The next one of half precision is not that of singles.
            Real2::NextAfter if x.dtype.size() < 4 => return None,
            Real2::NextAfter => return Some(self.element2_of(state, Element2::NextAfter, x, y)),
        };
        let value = self.value(state, Op::Real2(function), &[x.value, y.value]);
        Some(self.rounded(state, value, x.dtype))
    }

    fn bits2_of(&mut self, state: &State, op: Bits2, x: Number, y: Number) -> Option<Value> {
        let args = [x.value, y.value];
        Some(match (op, x.dtype.kind()) {
            (_, Kind::Float) | (Bits2::Left | Bits2::Right, Kind::Bool) => return None,
            (Bits2::And, _) => self.value(state, Op::Bit2(Bit2::And), &args),
            (Bits2::Or, _) => self.value(state, Op::Bit2(Bit2::Or), &args),
            (Bits2::Xor, _) => self.value(state, Op::Bit2(Bit2::Xor), &args),
            (Bits2::Left, Kind::Int) => {
                let value = self.value(state, Op::Wrap2(Wrap2::Shl), &args);
                self.rounded(state, value, x.dtype)
            }
            (Bits2::Right, Kind::Int) => {
                let distance = match self.func.as_const(y.value) {
                    Some(Const::I64(0..)) => y.value,
                    _ => {
                        let (zero, all) = (self.int(state, 0), self.int(state, 63));
                        let is_forward = self.cmp(state, Cmp::Ge, y.value, zero);
                        self.value(state, Op::Select, &[is_forward, y.value, all])
                    }
                };
                self.value(state, Op::Shift(Shift::Right), &[x.value, distance])
            }
        })
    }

    fn compared(&mut self, state: &State, op: each::Cmp, x: Number, y: Number) -> Value {
        self.cmp(state, op.into(), x.value, y.value)
    }
}
