//! Comparisons, and choosing by one.

use inkwell::values::{BasicMetadataValueEnum, FloatValue, IntValue};
use inkwell::{FloatPredicate, IntPredicate};
use snekpy_stage::entity::Value;
use snekpy_stage::ir::{Function, InstData};
use snekpy_stage::op::{Cmp, Op};
use snekpy_stage::types::Type;

use super::body::Body;
use super::value::Val;
use crate::fault::Result;

/// Compares two scalars of one type.
pub(crate) fn cmp<'ctx>(body: &Body<'_, 'ctx>, op: Cmp, x: Val<'ctx>, y: Val<'ctx>) -> Result<IntValue<'ctx>> {
    Ok(match x {
        Val::Float(x) => body.b.build_float_compare(float_predicate(op), x, y.as_float(), "")?,
        Val::Bool(x) => body.b.build_int_compare(unsigned_predicate(op), x, y.as_bool(), "")?,
        Val::Int(_) | Val::Array(_) | Val::List(_) | Val::Map(_) => {
            body.b.build_int_compare(int_predicate(op), x.as_int(), y.as_int(), "")?
        }
    })
}

/// With a NaN only `ne` is true: it is the one that must be unordered.
pub(crate) const fn float_predicate(op: Cmp) -> FloatPredicate {
    match op {
        Cmp::Eq => FloatPredicate::OEQ,
        Cmp::Ne => FloatPredicate::UNE,
        Cmp::Lt => FloatPredicate::OLT,
        Cmp::Le => FloatPredicate::OLE,
        Cmp::Gt => FloatPredicate::OGT,
        Cmp::Ge => FloatPredicate::OGE,
    }
}

/// For signed integers.
pub(crate) const fn int_predicate(op: Cmp) -> IntPredicate {
    match op {
        Cmp::Eq => IntPredicate::EQ,
        Cmp::Ne => IntPredicate::NE,
        Cmp::Lt => IntPredicate::SLT,
        Cmp::Le => IntPredicate::SLE,
        Cmp::Gt => IntPredicate::SGT,
        Cmp::Ge => IntPredicate::SGE,
    }
}

/// For truth values: as a signed number of one bit, true would be -1.
pub(crate) const fn unsigned_predicate(op: Cmp) -> IntPredicate {
    match op {
        Cmp::Eq => IntPredicate::EQ,
        Cmp::Ne => IntPredicate::NE,
        Cmp::Lt => IntPredicate::ULT,
        Cmp::Le => IntPredicate::ULE,
        Cmp::Gt => IntPredicate::UGT,
        Cmp::Ge => IntPredicate::UGE,
    }
}

/// Compares an integer with a double, both exactly.
///
/// Where the integer, rounded to a double, differs from the double, rounding has not changed the order.
/// Where they are equal the double is whole, and is compared as an integer; all that is then too large
/// for one is 2^63, which is above every integer.
pub(crate) fn cmp_int_float<'ctx>(
    body: &Body<'_, 'ctx>,
    op: Cmp,
    x: IntValue<'ctx>,
    y: FloatValue<'ctx>,
) -> Result<IntValue<'ctx>> {
    let b = &body.b;
    let rounded = b.build_signed_int_to_float(x, body.unit.types.f64, "")?;
    let equal = b.build_float_compare(FloatPredicate::OEQ, rounded, y, "")?;
    let whole = to_int_saturating(body, y)?;
    let too_large = b.build_float_compare(FloatPredicate::OEQ, y, body.float(9_223_372_036_854_775_808.0), "")?;
    // The order of the integers, for when the doubles are equal.
    let exact = match op {
        Cmp::Eq | Cmp::Gt | Cmp::Ge => {
            let fits = b.build_not(too_large, "")?;
            b.build_and(b.build_int_compare(int_predicate(op), x, whole, "")?, fits, "")?
        }
        Cmp::Ne | Cmp::Lt | Cmp::Le => {
            b.build_or(b.build_int_compare(int_predicate(op), x, whole, "")?, too_large, "")?
        }
    };
    let rounding = match op {
        Cmp::Eq => return Ok(b.build_and(equal, exact, "")?),
        Cmp::Ne => {
            let unequal = b.build_not(equal, "")?;
            return Ok(b.build_or(unequal, exact, "")?);
        }
        Cmp::Lt | Cmp::Le => FloatPredicate::OLT,
        Cmp::Gt | Cmp::Ge => FloatPredicate::OGT,
    };
    let differ = b.build_float_compare(rounding, rounded, y, "")?;
    Ok(b.build_or(differ, b.build_and(equal, exact, "")?, "")?)
}

/// The double as an integer; the nearest one if it is out of range, 0 for a NaN.
fn to_int_saturating<'ctx>(body: &Body<'_, 'ctx>, x: FloatValue<'ctx>) -> Result<IntValue<'ctx>> {
    let func = body.unit.saturating();
    let args: [BasicMetadataValueEnum; 1] = [x.into()];
    let called = body.b.build_direct_call(func, &args, "")?;
    Ok(called.try_as_basic_value().expect_basic("it gives an integer").into_int_value())
}

/// The arms of a `select`, so that LLVM keeps what it gives for a NaN.
///
/// LLVM 22 takes the maximum of a maximum and one of its operands for the inner maximum (`foldSPFofSPF`), without
/// looking at which of the two gives a NaN back: for `s = x < 1 ? 1 : x` it takes `s > 1 ? s : 1` for `s`. So it is with
/// minima. A fence before the outer `select` hides that both are about the same.
pub(crate) fn guarded_arms<'ctx>(
    body: &Body<'_, 'ctx>,
    select: &InstData,
    x: Val<'ctx>,
    y: Val<'ctx>,
) -> Result<[Val<'ctx>; 2]> {
    if !is_nested_extreme(body.func, select) {
        return Ok([x, y]);
    }
    let fence = |it: Val<'ctx>| -> Result<Val<'ctx>> {
        let fenced = body.intrinsic("llvm.arithmetic.fence", body.unit.types.f64, &[it.as_float().into()])?;
        Ok(Val::Float(fenced.into_float_value()))
    };
    Ok([fence(x)?, fence(y)?])
}

/// Whether a `select` is a minimum or maximum of one and an operand of that, for which LLVM needs the fence.
pub(crate) fn is_nested_extreme(func: &Function, select: &InstData) -> bool {
    let Some([a, b]) = extreme(func, Op::Select, &select.args) else { return false };
    let is_same = |a: Value, b: Value| a == b || func.as_const(a).is_some_and(|it| func.as_const(b) == Some(it));
    let is_nested = |inner: Value, other: Value| {
        let operands = func.definition(inner).and_then(|(op, args)| extreme(func, op, args));
        operands.is_some_and(|operands| operands.iter().any(|&it| is_same(it, other)))
    };
    is_nested(a, b) || is_nested(b, a)
}

/// The operands of a minimum or maximum of two doubles, written as a `select` of what it compares.
fn extreme(func: &Function, op: Op, args: &[Value]) -> Option<[Value; 2]> {
    let (Op::Select, &[cond, x, y]) = (op, args) else { return None };
    let (Op::Cmp(Cmp::Lt | Cmp::Le | Cmp::Gt | Cmp::Ge), &[a, b]) = func.definition(cond)? else { return None };
    (func.ty(a) == Type::F64 && ([a, b] == [x, y] || [b, a] == [x, y])).then_some([x, y])
}

/// One of two scalars.
pub(crate) fn select<'ctx>(
    body: &Body<'_, 'ctx>,
    cond: IntValue<'ctx>,
    x: Val<'ctx>,
    y: Val<'ctx>,
) -> Result<Val<'ctx>> {
    Ok(match x {
        Val::Bool(x) => Val::Bool(body.b.build_select(cond, x, y.as_bool(), "")?.into_int_value()),
        Val::Float(x) => Val::Float(body.b.build_select(cond, x, y.as_float(), "")?.into_float_value()),
        Val::Int(_) | Val::Array(_) | Val::List(_) | Val::Map(_) => {
            Val::Int(body.b.build_select(cond, x.as_int(), y.as_int(), "")?.into_int_value())
        }
    })
}
