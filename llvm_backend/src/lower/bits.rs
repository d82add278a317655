//! Bitwise operations and shifts.

use inkwell::IntPredicate;
use inkwell::values::IntValue;
use snekpy_stage::entity::Loc;
use snekpy_stage::op::{Bit2, Shift};

use super::body::Body;
use super::leave;
use super::value::Val;
use crate::fault::Result;

/// Bitwise on two integers or two truth values.
pub(crate) fn bit2<'ctx>(body: &Body<'_, 'ctx>, op: Bit2, x: Val<'ctx>, y: Val<'ctx>) -> Result<Val<'ctx>> {
    let apply = |x: IntValue<'ctx>, y: IntValue<'ctx>| match op {
        Bit2::And => body.b.build_and(x, y, ""),
        Bit2::Or => body.b.build_or(x, y, ""),
        Bit2::Xor => body.b.build_xor(x, y, ""),
    };
    Ok(match x {
        Val::Bool(x) => Val::Bool(apply(x, y.as_bool())?),
        Val::Int(_) | Val::Float(_) | Val::Array(_) | Val::List(_) | Val::Map(_) => {
            Val::Int(apply(x.as_int(), y.as_int())?)
        }
    })
}

/// The complement.
pub(crate) fn not<'ctx>(body: &Body<'_, 'ctx>, x: Val<'ctx>) -> Result<Val<'ctx>> {
    Ok(match x {
        Val::Bool(x) => Val::Bool(body.b.build_not(x, "")?),
        Val::Int(_) | Val::Float(_) | Val::Array(_) | Val::List(_) | Val::Map(_) => {
            Val::Int(body.b.build_not(x.as_int(), "")?)
        }
    })
}

/// A shift by any distance that is not negative.
pub(crate) fn shift<'ctx>(
    body: &Body<'_, 'ctx>,
    op: Shift,
    x: IntValue<'ctx>,
    n: IntValue<'ctx>,
    loc: Option<Loc>,
) -> Result<IntValue<'ctx>> {
    // LLVM's shifts are undefined from 64 on. Shifting by 63 leaves of a number its sign, as any more would.
    let most = body.int(63);
    let distance = body.intrinsic("llvm.umin", body.unit.types.i64, &[n.into(), most.into()])?.into_int_value();
    match op {
        Shift::Right => Ok(body.b.build_right_shift(x, distance, true, "")?),
        Shift::Left => {
            let shifted = body.b.build_left_shift(x, distance, "")?;
            let back = body.b.build_right_shift(shifted, distance, true, "")?;
            let lost = body.b.build_int_compare(IntPredicate::NE, back, x, "")?;
            // A distance that was cut to 63 loses every number but 0, also -1, which came back above.
            let cut = body.b.build_int_compare(IntPredicate::UGT, n, most, "")?;
            let some = body.b.build_int_compare(IntPredicate::NE, x, body.int(0), "")?;
            let cut = body.b.build_and(cut, some, "")?;
            leave::overflow_if(body, body.b.build_or(lost, cut, "")?, loc)?;
            Ok(shifted)
        }
    }
}
