//! Comparisons.

use super::{float, int, truth};
use crate::entity::Value;
use crate::op::{Cmp, Const, Convert, Num1, Num2, Op, meaning};
use crate::pass::simplify::fold::{Cx, Fold};
use crate::types::Type;

pub(super) fn cmp(cx: &mut Cx<'_>, op: Cmp, x: Value, y: Value) -> Fold {
    if x == y && cx.func.ty(x) != Type::F64 {
        return Fold::Const(Const::Bool(meaning::cmp_int(op, 0, 0)));
    }
    if let Some(y) = truth(cx, y) {
        return of_truth(x, |x| meaning::cmp_bool(op, x, y));
    }
    if let Some(limit) = int(cx, y)
        && let Some((Op::Convert(Convert::BoolToInt), &[truth])) = cx.func.definition(x)
    {
        return of_truth(truth, |truth| meaning::cmp_int(op, truth.into(), limit));
    }
    if let Some(square) = magnitude_of_square(cx, x) {
        return Fold::Become(Op::Cmp(op), vec![square, y]);
    }
    Fold::Keep
}

/// `x * x` of doubles, of which this is the magnitude: a square has no sign but that of a NaN, and a
/// comparison does not look at that.
fn magnitude_of_square(cx: &Cx<'_>, value: Value) -> Option<Value> {
    let Some((Op::Num1(Num1::Abs), &[square])) = cx.func.definition(value) else { return None };
    let Some((Op::Num2(Num2::Mul), &[x, y])) = cx.func.definition(square) else { return None };
    (x == y && cx.func.ty(x) == Type::F64).then_some(square)
}

/// A function of one truth value is a constant, the value, or its opposite.
fn of_truth(x: Value, function: impl Fn(bool) -> bool) -> Fold {
    match (function(false), function(true)) {
        (false, true) => Fold::Same(x),
        (true, false) => Fold::Become(Op::Not, vec![x]),
        (both, _) => Fold::Const(Const::Bool(both)),
    }
}

/// Against a whole double that is an integer of 64 bits, integers are compared.
pub(super) fn int_float(cx: &mut Cx<'_>, op: Cmp, x: Value, y: Value) -> Fold {
    let Some(limit) = float(cx, y) else { return Fold::Keep };
    match meaning::float_to_int(limit) {
        Some(whole) if whole as f64 == limit => {
            let limit = cx.make_const(Const::I64(whole));
            Fold::Become(Op::Cmp(op), vec![x, limit])
        }
        Some(_) | None => Fold::Keep,
    }
}
