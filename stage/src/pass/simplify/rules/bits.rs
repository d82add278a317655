//! Truth values, bits and selects.

use super::{int, keep_if, truth};
use crate::entity::Value;
use crate::op::{Bit2, Cmp, Const, Op};
use crate::pass::simplify::fold::{Cx, Fold};
use crate::types::Type;

pub(super) fn bool2(cx: &mut Cx<'_>, op: Bit2, x: Value, y: Value) -> Fold {
    match (op, truth(cx, y)) {
        (Bit2::And, Some(true)) | (Bit2::Or | Bit2::Xor, Some(false)) => Fold::Same(x),
        (Bit2::And, Some(false)) => Fold::Const(Const::Bool(false)),
        (Bit2::Or, Some(true)) => Fold::Const(Const::Bool(true)),
        (Bit2::Xor, Some(true)) => Fold::Become(Op::Not, vec![x]),
        (Bit2::And | Bit2::Or, None) if x == y => Fold::Same(x),
        (Bit2::Xor, None) if x == y => Fold::Const(Const::Bool(false)),
        (Bit2::And | Bit2::Or, None) if are_opposite(cx, x, y) => Fold::Const(Const::Bool(op == Bit2::Or)),
        (Bit2::And | Bit2::Or | Bit2::Xor, None) => Fold::Keep,
    }
}

pub(super) fn int2(cx: &Cx<'_>, op: Bit2, x: Value, y: Value) -> Fold {
    match (op, int(cx, y)) {
        (Bit2::And, Some(-1)) | (Bit2::Or | Bit2::Xor, Some(0)) => Fold::Same(x),
        (Bit2::And, Some(0)) => Fold::Const(Const::I64(0)),
        (Bit2::Or, Some(-1)) => Fold::Const(Const::I64(-1)),
        (Bit2::Xor, Some(-1)) => Fold::Become(Op::Not, vec![x]),
        (Bit2::And | Bit2::Or, _) if x == y => Fold::Same(x),
        (Bit2::Xor, _) if x == y => Fold::Const(Const::I64(0)),
        (Bit2::And | Bit2::Or | Bit2::Xor, Some(_) | None) => Fold::Keep,
    }
}

pub(super) fn not(cx: &Cx<'_>, x: Value) -> Fold {
    match cx.func.definition(x) {
        Some((Op::Not, args)) => Fold::Same(args[0]),
        Some((Op::Cmp(cmp), args)) if cx.func.ty(args[0]) != Type::F64 || matches!(cmp, Cmp::Eq | Cmp::Ne) => {
            Fold::Become(Op::Cmp(cmp.negated()), args.to_vec())
        }
        Some((Op::CmpIntFloat(cmp @ (Cmp::Eq | Cmp::Ne)), args)) => {
            Fold::Become(Op::CmpIntFloat(cmp.negated()), args.to_vec())
        }
        Some(_) | None => Fold::Keep,
    }
}

pub(super) fn select(cx: &mut Cx<'_>, [cond, x, y]: [Value; 3]) -> Fold {
    if let Some(cond) = truth(cx, cond) {
        return Fold::Same(if cond { x } else { y });
    }
    if x == y || (cx.constant(x).is_some() && cx.constant(x) == cx.constant(y)) {
        return Fold::Same(x);
    }
    if let Some((Op::Not, &[cond])) = cx.func.definition(cond) {
        return Fold::Become(Op::Select, vec![cond, y, x]);
    }
    if let Some((Op::Select, &[inner, first, _])) = cx.func.definition(x)
        && inner == cond
    {
        return Fold::Become(Op::Select, vec![cond, first, y]);
    }
    if let Some((Op::Select, &[inner, _, second])) = cx.func.definition(y)
        && inner == cond
    {
        return Fold::Become(Op::Select, vec![cond, x, second]);
    }
    match (truth(cx, x), truth(cx, y)) {
        (Some(true), Some(false)) => Fold::Same(cond),
        (Some(false), Some(true)) => Fold::Become(Op::Not, vec![cond]),
        (Some(true), None) => Fold::Become(Op::Bit2(Bit2::Or), vec![cond, y]),
        (None, Some(false)) => Fold::Become(Op::Bit2(Bit2::And), vec![cond, x]),
        (Some(false), None) => {
            let not = cx.make_like(Op::Not, vec![cond], cond);
            Fold::Become(Op::Bit2(Bit2::And), vec![not, y])
        }
        (None, Some(true)) => {
            let not = cx.make_like(Op::Not, vec![cond], cond);
            Fold::Become(Op::Bit2(Bit2::Or), vec![not, x])
        }
        (None, None) | (Some(_), Some(_)) => keep_if(true, x),
    }
}

/// Whether one is written as `not` of the other.
fn are_opposite(cx: &Cx<'_>, x: Value, y: Value) -> bool {
    let is_not = |it, of| matches!(cx.func.definition(it), Some((Op::Not, &[inner])) if inner == of);
    is_not(x, y) || is_not(y, x)
}
