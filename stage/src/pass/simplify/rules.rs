//! The rules for instructions.
//!
//! A rule looks at an op, its operands, and at most at what defines the operands. Constants of
//! commutative ops and of comparisons stand on the right; the first step brings them there.

mod bits;
mod compare;
mod numbers;

use crate::entity::{Inst, Value};
use crate::op::{Const, Op, meaning};
use crate::pass::edit::is_commutative;
use crate::pass::simplify::fold::{Cx, Fold};
use crate::types::Type;

/// What becomes of an instruction.
pub(super) fn fold(cx: &mut Cx<'_>, inst: Inst) -> Fold {
    let data = &cx.func.insts[inst];
    let op = data.op;
    let args = data.args.clone();
    if matches!(op, Op::Const(_)) {
        return Fold::Keep;
    }
    if data.results.len() == 1 && !args.is_empty() {
        let constants: Option<Vec<Const>> = args.iter().map(|&arg| cx.constant(arg)).collect();
        if let Some(constant) = constants.and_then(|constants| meaning::evaluate(op, &constants)) {
            return Fold::Const(constant);
        }
    }
    if let Some((op, args)) = constant_to_the_right(cx, op, &args) {
        return Fold::Become(op, args);
    }
    match op {
        Op::Num1(op) => numbers::num1(cx, op, args[0]),
        Op::Num2(op) if cx.func.ty(args[0]) == Type::I64 => numbers::int2(cx, op, args[0], args[1]),
        Op::Num2(op) => numbers::float2(cx, op, args[0], args[1]),
        Op::IntPow => numbers::int_pow(cx, args[0], args[1]),
        Op::IntDiv => numbers::int_div(cx, args[0], args[1]),
        Op::Wrap2(op) => numbers::wrap2(cx, op, args[0], args[1]),
        Op::Overflow2(op) => numbers::overflow2(cx, op, args[0], args[1]),
        Op::Shift(_) => keep_if(int(cx, args[1]) != Some(0), args[0]),
        Op::Real1(op) => numbers::real1(cx, op, args[0]),
        Op::Real2(op) => numbers::real2(cx, op, args[0], args[1]),
        Op::Bit2(op) if cx.func.ty(args[0]) == Type::Bool => bits::bool2(cx, op, args[0], args[1]),
        Op::Bit2(op) => bits::int2(cx, op, args[0], args[1]),
        Op::Not => bits::not(cx, args[0]),
        Op::Select => bits::select(cx, [args[0], args[1], args[2]]),
        Op::Cmp(op) => compare::cmp(cx, op, args[0], args[1]),
        Op::CmpIntFloat(op) => compare::int_float(cx, op, args[0], args[1]),
        Op::Guard(_) => match cx.constant(args[0]) {
            Some(Const::Bool(true)) => Fold::Nothing,
            Some(Const::Bool(false)) => Fold::Leave,
            Some(Const::I64(_) | Const::F64(_)) | None => Fold::Keep,
        },
        Op::OverflowIf => match cx.constant(args[0]) {
            Some(Const::Bool(false)) => Fold::Nothing,
            Some(Const::Bool(true) | Const::I64(_) | Const::F64(_)) | None => Fold::Keep,
        },
        Op::Len => match cx.func.ty(args[0]).as_array().and_then(|array| array.len) {
            Some(len) => i64::try_from(len).map_or(Fold::Keep, |len| Fold::Const(Const::I64(len))),
            None => Fold::Keep,
        },
        Op::Const(_)
        | Op::Element1(..)
        | Op::Element2(..)
        | Op::Convert(_)
        | Op::Load
        | Op::Store
        | Op::ListNew(_)
        | Op::MapNew(_)
        | Op::Map(_)
        | Op::Object(_)
        | Op::OfClass(_)
        | Op::Kept(_)
        | Op::List(_)
        | Op::Checkpoint(_)
        | Op::Call(..)
        | Op::Tensor(..)
        | Op::Host(..) => Fold::Keep,
    }
}

fn constant_to_the_right(cx: &Cx<'_>, op: Op, args: &[Value]) -> Option<(Op, Vec<Value>)> {
    let &[x, y] = args else { return None };
    let constant = cx.constant(x)?;
    // Which of two NaNs a sum or product of doubles is depends on their order.
    if cx.constant(y).is_some() || matches!(constant, Const::F64(it) if it.is_nan()) {
        return None;
    }
    if let Op::Cmp(cmp) = op {
        return Some((Op::Cmp(cmp.swapped()), vec![y, x]));
    }
    is_commutative(op).then(|| (op, vec![y, x]))
}

fn int(cx: &Cx<'_>, value: Value) -> Option<i64> {
    match cx.constant(value) {
        Some(Const::I64(it)) => Some(it),
        Some(Const::Bool(_) | Const::F64(_)) | None => None,
    }
}

fn truth(cx: &Cx<'_>, value: Value) -> Option<bool> {
    match cx.constant(value) {
        Some(Const::Bool(it)) => Some(it),
        Some(Const::I64(_) | Const::F64(_)) | None => None,
    }
}

fn float(cx: &Cx<'_>, value: Value) -> Option<f64> {
    match cx.constant(value) {
        Some(Const::F64(it)) => Some(it),
        Some(Const::Bool(_) | Const::I64(_)) | None => None,
    }
}

/// Whether a value is this double, bit for bit.
fn is_float(cx: &Cx<'_>, value: Value, double: f64) -> bool {
    cx.constant(value) == Some(Const::F64(double))
}

fn keep_if(keep: bool, otherwise: Value) -> Fold {
    if keep { Fold::Keep } else { Fold::Same(otherwise) }
}
