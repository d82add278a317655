//! Arithmetic.
//!
//! Integers: a checked op may be replaced by one that traps in exactly the same cases. Doubles: only what
//! keeps every bit, zeros' signs included.

use super::{float, int, is_float, keep_if};
use crate::entity::Value;
use crate::op::{Bit2, Cmp, Const, Convert, Num1, Num2, Op, Overflow2, Real1, Real2, Shift, Wrap2, meaning};
use crate::pass::simplify::fold::{Cx, Fold};
use crate::types::Type;

pub(super) fn num1(cx: &Cx<'_>, op: Num1, x: Value) -> Fold {
    let Some((Op::Num1(inner), args)) = cx.func.definition(x) else { return Fold::Keep };
    let is_float = cx.func.ty(x) == Type::F64;
    match (op, inner) {
        // The inner one did not overflow, so x is not the smallest integer and the outer one cannot either.
        (Num1::Neg, Num1::Neg) => Fold::Same(args[0]),
        (Num1::Abs, Num1::Abs) => Fold::Same(x),
        (Num1::Abs, Num1::Neg) if is_float => Fold::Become(Op::Num1(Num1::Abs), vec![args[0]]),
        (Num1::Abs, Num1::Neg) | (Num1::Neg, Num1::Abs) => Fold::Keep,
    }
}

pub(super) fn int2(cx: &mut Cx<'_>, op: Num2, x: Value, y: Value) -> Fold {
    let constant = int(cx, y);
    match op {
        Num2::Add => keep_if(constant != Some(0), x),
        Num2::Sub if x == y => Fold::Const(Const::I64(0)),
        Num2::Sub => keep_if(constant != Some(0), x),
        Num2::Mul => match constant {
            Some(0) => Fold::Const(Const::I64(0)),
            Some(1) => Fold::Same(x),
            Some(_) | None => Fold::Keep,
        },
        Num2::FloorDiv => match constant {
            Some(1) => Fold::Same(x),
            Some(by) if by > 1 && by.cast_unsigned().is_power_of_two() => {
                let distance = cx.make_const(Const::I64(by.trailing_zeros().into()));
                Fold::Become(Op::Shift(Shift::Right), vec![x, distance])
            }
            Some(_) | None => Fold::Keep,
        },
        Num2::Mod => match constant {
            Some(1 | -1) => Fold::Const(Const::I64(0)),
            Some(by) if by > 1 && by.cast_unsigned().is_power_of_two() => {
                let mask = cx.make_const(Const::I64(by - 1));
                Fold::Become(Op::Bit2(Bit2::And), vec![x, mask])
            }
            Some(_) | None => Fold::Keep,
        },
        Num2::Min | Num2::Max => keep_if(x != y, x),
    }
}

pub(super) fn float2(cx: &Cx<'_>, op: Num2, x: Value, y: Value) -> Fold {
    match op {
        Num2::Add => keep_if(!is_float(cx, y, -0.0), x),
        Num2::Sub => keep_if(!is_float(cx, y, 0.0), x),
        Num2::Mul => keep_if(!is_float(cx, y, 1.0), x),
        Num2::Min | Num2::Max => keep_if(x != y, x),
        Num2::FloorDiv | Num2::Mod => Fold::Keep,
    }
}

/// Small powers become products. An intermediate one overflows only if the last does, because each is
/// larger than the one before unless the base is 0, 1 or -1.
pub(super) fn int_pow(cx: &mut Cx<'_>, x: Value, y: Value) -> Fold {
    let mul = Op::Num2(Num2::Mul);
    match int(cx, y) {
        Some(0) => Fold::Const(Const::I64(1)),
        Some(1) => Fold::Same(x),
        Some(2) => Fold::Become(mul, vec![x, x]),
        Some(3) => {
            let square = cx.make_like(mul, vec![x, x], x);
            Fold::Become(mul, vec![square, x])
        }
        Some(4) => {
            let square = cx.make_like(mul, vec![x, x], x);
            Fold::Become(mul, vec![square, square])
        }
        Some(_) | None => Fold::Keep,
    }
}

pub(super) fn int_div(cx: &Cx<'_>, x: Value, y: Value) -> Fold {
    match int(cx, y) {
        Some(1) => Fold::Become(Op::Convert(Convert::IntToFloat), vec![x]),
        Some(_) | None => Fold::Keep,
    }
}

pub(super) fn wrap2(cx: &mut Cx<'_>, op: Wrap2, x: Value, y: Value) -> Fold {
    let constant = int(cx, y);
    match (op, constant) {
        (Wrap2::Add | Wrap2::Sub | Wrap2::Shl, Some(0)) | (Wrap2::Mul | Wrap2::Pow, Some(1)) => Fold::Same(x),
        (Wrap2::Mul, Some(0)) => Fold::Const(Const::I64(0)),
        (Wrap2::Sub, _) if x == y => Fold::Const(Const::I64(0)),
        (Wrap2::Sub, Some(by)) => {
            let by = cx.make_const(Const::I64(by.wrapping_neg()));
            Fold::Become(Op::Wrap2(Wrap2::Add), vec![x, by])
        }
        (Wrap2::Add, Some(by)) => match cx.func.definition(x) {
            Some((Op::Wrap2(Wrap2::Add), &[base, first])) => match int(cx, first) {
                Some(first) => {
                    let by = cx.make_const(Const::I64(first.wrapping_add(by)));
                    Fold::Become(Op::Wrap2(Wrap2::Add), vec![base, by])
                }
                None => Fold::Keep,
            },
            Some(_) | None => Fold::Keep,
        },
        (Wrap2::Pow, Some(2)) => Fold::Become(Op::Wrap2(Wrap2::Mul), vec![x, x]),
        (Wrap2::Shl, Some(by)) => {
            let times = cx.make_const(Const::I64(meaning::wrap2(Wrap2::Shl, 1, by)));
            Fold::Become(Op::Wrap2(Wrap2::Mul), vec![x, times])
        }
        (Wrap2::Add | Wrap2::Sub | Wrap2::Mul | Wrap2::Pow | Wrap2::Shl, Some(_) | None) => Fold::Keep,
    }
}

/// With a constant, overflow of a sum or difference is one comparison.
pub(super) fn overflow2(cx: &mut Cx<'_>, op: Overflow2, x: Value, y: Value) -> Fold {
    let Some(by) = int(cx, y) else { return Fold::Keep };
    let (cmp, limit) = match op {
        Overflow2::Add if by >= 0 => (Cmp::Gt, i64::MAX - by),
        Overflow2::Add => (Cmp::Lt, i64::MIN - by),
        Overflow2::Sub if by >= 0 => (Cmp::Lt, i64::MIN + by),
        Overflow2::Sub => (Cmp::Gt, i64::MAX + by),
        Overflow2::Mul if by == 0 || by == 1 => return Fold::Const(Const::Bool(false)),
        Overflow2::Pow if by == 0 || by == 1 => return Fold::Const(Const::Bool(false)),
        Overflow2::Mul | Overflow2::Pow => return Fold::Keep,
    };
    let limit = cx.make_const(Const::I64(limit));
    Fold::Become(Op::Cmp(cmp), vec![x, limit])
}

/// Rounding what is whole already changes nothing.
pub(super) fn real1(cx: &Cx<'_>, op: Real1, x: Value) -> Fold {
    let rounds = |op| matches!(op, Real1::Floor | Real1::Ceil | Real1::Trunc | Real1::RoundEven);
    let is_whole = match cx.func.definition(x) {
        Some((Op::Real1(inner), _)) => rounds(inner),
        Some((Op::Convert(Convert::IntToFloat), _)) => true,
        Some(_) | None => false,
    };
    keep_if(!(rounds(op) && is_whole), x)
}

pub(super) fn real2(cx: &Cx<'_>, op: Real2, x: Value, y: Value) -> Fold {
    match op {
        Real2::Div => keep_if(float(cx, y) != Some(1.0), x),
        Real2::Copysign => keep_if(x != y, x),
        Real2::Pow | Real2::Atan2 | Real2::Fmod | Real2::Hypot => Fold::Keep,
    }
}
