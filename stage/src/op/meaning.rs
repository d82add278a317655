//! What each op means on constants: the definition that folding, the interpreter and the tests share.
//!
//! One total function per family and class of operand, each an exhaustive match. A function that gives
//! an `Option` gives `None` where the op has no result: on overflow, which is the overflow trap at run
//! time, and on operands that a guard before the op excludes (a zero divisor, a negative exponent or
//! distance). Folding keeps such an op as it is, the interpreter traps.
//!
//! Not here: ops that touch memory, leave the function or call something.

mod element;
mod float;
mod int;

use half::{bf16, f16};

use crate::op::{Bit2, Cmp, Const, Convert, Num1, Num2, Op};
use crate::tensor::cast::odd;

pub use float::{cmp_int_float, float_mod, num1_float, num2_float, real1, real2};
pub use int::{int_div, int_pow, num1_int, num2_int, overflow2, shift, wrap_pow, wrap2};

/// The bitwise op on truth values.
pub const fn bit2_bool(op: Bit2, x: bool, y: bool) -> bool {
    match op {
        Bit2::And => x & y,
        Bit2::Or => x | y,
        Bit2::Xor => x ^ y,
    }
}

/// The bitwise op on integers.
pub const fn bit2_int(op: Bit2, x: i64, y: i64) -> i64 {
    match op {
        Bit2::And => x & y,
        Bit2::Or => x | y,
        Bit2::Xor => x ^ y,
    }
}

/// The comparison of truth values; false is less than true.
pub const fn cmp_bool(op: Cmp, x: bool, y: bool) -> bool {
    cmp_int(op, x as i64, y as i64)
}

/// The comparison of integers.
pub const fn cmp_int(op: Cmp, x: i64, y: i64) -> bool {
    match op {
        Cmp::Eq => x == y,
        Cmp::Ne => x != y,
        Cmp::Lt => x < y,
        Cmp::Le => x <= y,
        Cmp::Gt => x > y,
        Cmp::Ge => x >= y,
    }
}

/// The comparison of doubles: zeros are equal, and with a NaN only `ne` is true.
pub const fn cmp_float(op: Cmp, x: f64, y: f64) -> bool {
    match op {
        Cmp::Eq => x == y,
        Cmp::Ne => x != y,
        Cmp::Lt => x < y,
        Cmp::Le => x <= y,
        Cmp::Gt => x > y,
        Cmp::Ge => x >= y,
    }
}

/// The conversion. `None` on overflow, and for a NaN; the fraction of a double that is not whole is lost.
pub fn convert(op: Convert, x: Const) -> Option<Const> {
    match (op, x) {
        (Convert::BoolToInt, Const::Bool(x)) => Some(Const::I64(x as i64)),
        (Convert::IntToFloat, Const::I64(x)) => Some(Const::F64(x as f64)),
        (Convert::FloatToInt, Const::F64(x)) => float_to_int(x).map(Const::I64),
        (Convert::Single, Const::F64(x)) => Some(Const::F64(single(x))),
        (Convert::Half, Const::F64(x)) => Some(Const::F64(half(x).to_f64())),
        (Convert::Bfloat, Const::F64(x)) => Some(Const::F64(bfloat(x).to_f64())),
        (Convert::Int32, Const::I64(x)) => Some(Const::I64(int32(x).into())),
        (
            Convert::BoolToInt
            | Convert::IntToFloat
            | Convert::FloatToInt
            | Convert::Single
            | Convert::Half
            | Convert::Bfloat
            | Convert::Int32,
            _,
        ) => None,
    }
}

/// The nearest number of half precision.
pub fn half(x: f64) -> f16 {
    f16::from_f32(odd(x))
}

/// The nearest number with the range of singles and eight bits of precision.
pub fn bfloat(x: f64) -> bf16 {
    bf16::from_f32(odd(x))
}

/// The low 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "the others are left out")]
pub const fn int32(x: i64) -> i32 {
    x as i32
}

/// The nearest single-precision number.
#[expect(clippy::cast_possible_truncation, reason = "it is rounded")]
pub const fn single(x: f64) -> f64 {
    x as f32 as f64
}

/// The double rounded toward zero, as an integer. `None` on overflow, and for a NaN.
pub const fn float_to_int(x: f64) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0; // 2^63 is a double, 2^63 - 1 is not
    if x >= -LIMIT && x < LIMIT { Some(x as i64) } else { None }
}

/// The result of an op that has one result and computes it from its operands alone.
///
/// `None` where there is no such result: for any other op, for overflow and excluded operands as in the
/// functions above, and for operands of types that the op does not take.
pub fn evaluate(op: Op, operands: &[Const]) -> Option<Const> {
    use Const::{Bool, F64, I64};
    match (op, operands) {
        (Op::Const(it), []) => Some(it),
        (Op::Num1(op), &[I64(x)]) => num1_int(op, x).map(I64),
        (Op::Num1(op), &[F64(x)]) => Some(F64(num1_float(op, x))),
        (Op::Num2(op), &[I64(x), I64(y)]) => num2_int(op, x, y).map(I64),
        (Op::Num2(op), &[F64(x), F64(y)]) => Some(F64(num2_float(op, x, y))),
        (Op::IntPow, &[I64(x), I64(y)]) => int_pow(x, y).map(I64),
        (Op::IntDiv, &[I64(x), I64(y)]) => int_div(x, y).map(F64),
        (Op::Wrap2(op), &[I64(x), I64(y)]) => Some(I64(wrap2(op, x, y))),
        (Op::Overflow2(op), &[I64(x), I64(y)]) => Some(Bool(overflow2(op, x, y))),
        (Op::Bit2(op), &[Bool(x), Bool(y)]) => Some(Bool(bit2_bool(op, x, y))),
        (Op::Bit2(op), &[I64(x), I64(y)]) => Some(I64(bit2_int(op, x, y))),
        (Op::Shift(op), &[I64(x), I64(n)]) => shift(op, x, n).map(I64),
        (Op::Real1(op), &[F64(x)]) => Some(F64(real1(op, x))),
        (Op::Element1(op, dtype), &[F64(x)]) => Some(F64(op.of_element(dtype, x))),
        (Op::Element2(op, dtype), &[F64(x), F64(y)]) => Some(F64(op.of_elements(dtype, x, y))),
        (Op::Real2(op), &[F64(x), F64(y)]) => Some(F64(real2(op, x, y))),
        (Op::Cmp(op), &[Bool(x), Bool(y)]) => Some(Bool(cmp_bool(op, x, y))),
        (Op::Cmp(op), &[I64(x), I64(y)]) => Some(Bool(cmp_int(op, x, y))),
        (Op::Cmp(op), &[F64(x), F64(y)]) => Some(Bool(cmp_float(op, x, y))),
        (Op::CmpIntFloat(op), &[I64(x), F64(y)]) => Some(Bool(cmp_int_float(op, x, y))),
        (Op::Not, &[Bool(x)]) => Some(Bool(!x)),
        (Op::Not, &[I64(x)]) => Some(I64(!x)),
        (Op::Convert(op), &[x]) => convert(op, x),
        (Op::Select, &[Bool(c), x, y]) => Some(if c { x } else { y }),
        (
            Op::Const(_)
            | Op::Num1(Num1::Neg | Num1::Abs)
            | Op::Num2(Num2::Add | Num2::Sub | Num2::Mul | Num2::FloorDiv | Num2::Mod | Num2::Min | Num2::Max)
            | Op::IntPow
            | Op::IntDiv
            | Op::Wrap2(_)
            | Op::Overflow2(_)
            | Op::Bit2(_)
            | Op::Shift(_)
            | Op::Real1(_)
            | Op::Element1(..)
            | Op::Element2(..)
            | Op::Real2(_)
            | Op::Cmp(_)
            | Op::CmpIntFloat(_)
            | Op::Not
            | Op::Convert(_)
            | Op::Select
            | Op::Len
            | Op::Load
            | Op::Store
            | Op::ListNew(_)
            | Op::MapNew(_)
            | Op::Map(_)
            | Op::Object(_)
            | Op::OfClass(_)
            | Op::Kept(_)
            | Op::List(_)
            | Op::Guard(_)
            | Op::OverflowIf
            | Op::Checkpoint(_)
            | Op::Call(..)
            | Op::Tensor(..)
            | Op::Host(..),
            _,
        ) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_to_int_refuses_exactly_what_does_not_fit() {
        assert_eq!(float_to_int(-9_223_372_036_854_775_808.0), Some(i64::MIN));
        assert_eq!(float_to_int(9_223_372_036_854_774_784.0), Some(9_223_372_036_854_774_784));
        assert_eq!(float_to_int(9_223_372_036_854_775_808.0), None);
        assert_eq!(float_to_int(-9_223_372_036_854_777_856.0), None);
        assert_eq!(float_to_int(f64::NAN), None);
        assert_eq!(float_to_int(f64::NEG_INFINITY), None);
    }

    #[test]
    fn evaluate_picks_the_class_of_the_operands() {
        let add = Op::Num2(Num2::Add);
        assert_eq!(evaluate(add, &[Const::I64(2), Const::I64(3)]), Some(Const::I64(5)));
        assert_eq!(evaluate(add, &[Const::F64(2.0), Const::F64(0.5)]), Some(Const::F64(2.5)));
        assert_eq!(evaluate(add, &[Const::I64(i64::MAX), Const::I64(1)]), None);
        assert_eq!(evaluate(add, &[Const::I64(2), Const::F64(3.0)]), None);
        assert_eq!(evaluate(Op::Not, &[Const::I64(0)]), Some(Const::I64(-1)));
        let select = [Const::Bool(false), Const::I64(1), Const::I64(2)];
        assert_eq!(evaluate(Op::Select, &select), Some(Const::I64(2)));
        assert_eq!(evaluate(Op::Len, &[]), None);
    }
}
