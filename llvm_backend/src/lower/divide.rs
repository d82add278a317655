//! Division as Python has it: quotients round down, remainders have the sign of the divisor.

use inkwell::IntPredicate;
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{FloatValue, IntValue};
use snekpy_stage::entity::Loc;

use super::body::Body;
use super::leave;
use crate::fault::Result;
use crate::symbols;

/// `x // y` on integers. Leaves on overflow.
pub(crate) fn int_floor_div<'ctx>(
    body: &Body<'_, 'ctx>,
    x: IntValue<'ctx>,
    y: IntValue<'ctx>,
    loc: Option<Loc>,
) -> Result<IntValue<'ctx>> {
    if let Some(divisor) = y.get_sign_extended_constant() {
        if divisor > 0 && divisor.count_ones() == 1 {
            let distance = body.int(i64::from(divisor.trailing_zeros()));
            return Ok(body.b.build_right_shift(x, distance, true, "")?);
        }
        if divisor > 0 {
            let quotient = body.b.build_int_signed_div(x, y, "")?;
            let rest = remainder(body, x, y, quotient)?;
            // All ones, which is -1, if the remainder is negative.
            let down = body.b.build_right_shift(rest, body.int(63), true, "")?;
            return Ok(body.b.build_int_nsw_add(quotient, down, "")?);
        }
    }
    // The processor faults on both, so neither may reach it: `MIN // -1` overflows, and a zero divisor,
    // which a guard has excluded, is treated alike. LLVM removes what it can prove.
    let special = is_zero_or_minus_one(body, y)?;
    let smallest = body.b.build_int_compare(IntPredicate::EQ, x, body.int(i64::MIN), "")?;
    let zero = body.is_zero(y)?;
    let faults = body.b.build_or(smallest, zero, "")?;
    let faults = body.b.build_and(special, faults, "")?;
    leave::overflow_if(body, faults, loc)?;
    let quotient = body.b.build_int_signed_div(x, y, "")?;
    let rest = remainder(body, x, y, quotient)?;
    let down = must_round_down(body, rest, y)?;
    let down = body.b.build_int_s_extend(down, body.unit.types.i64, "")?;
    Ok(body.b.build_int_add(quotient, down, "")?)
}

/// `x % y` on integers. Never overflows.
pub(crate) fn int_mod<'ctx>(body: &Body<'_, 'ctx>, x: IntValue<'ctx>, y: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
    if let Some(divisor) = y.get_sign_extended_constant() {
        if divisor > 0 && divisor.count_ones() == 1 {
            return Ok(body.b.build_and(x, body.int(divisor - 1), "")?);
        }
        if divisor > 0 {
            let rest = body.b.build_int_signed_rem(x, y, "")?;
            let negative = body.b.build_right_shift(rest, body.int(63), true, "")?;
            let up = body.b.build_and(negative, y, "")?;
            return Ok(body.b.build_int_nsw_add(rest, up, "")?);
        }
    }
    // The remainder by -1 is that by 1, which is 0; so is, harmlessly, what a guard has excluded.
    let special = is_zero_or_minus_one(body, y)?;
    let divisor = body.b.build_select(special, body.int(1), y, "")?.into_int_value();
    let rest = body.b.build_int_signed_rem(x, divisor, "")?;
    let up = must_round_down(body, rest, y)?;
    let up = body.b.build_select(up, y, body.int(0), "")?.into_int_value();
    Ok(body.b.build_int_add(rest, up, "")?)
}

fn remainder<'ctx>(
    body: &Body<'_, 'ctx>,
    x: IntValue<'ctx>,
    y: IntValue<'ctx>,
    quotient: IntValue<'ctx>,
) -> Result<IntValue<'ctx>> {
    let product = body.b.build_int_mul(quotient, y, "")?;
    Ok(body.b.build_int_sub(x, product, "")?)
}

/// Whether there is a remainder and it has another sign than the divisor.
fn must_round_down<'ctx>(
    body: &Body<'_, 'ctx>,
    rest: IntValue<'ctx>,
    divisor: IntValue<'ctx>,
) -> Result<IntValue<'ctx>> {
    let some = body.b.build_int_compare(IntPredicate::NE, rest, body.int(0), "")?;
    let signs = body.b.build_xor(rest, divisor, "")?;
    let differ = body.b.build_int_compare(IntPredicate::SLT, signs, body.int(0), "")?;
    Ok(body.b.build_and(some, differ, "")?)
}

fn is_zero_or_minus_one<'ctx>(body: &Body<'_, 'ctx>, y: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
    let next = body.b.build_int_add(y, body.int(1), "")?;
    Ok(body.b.build_int_compare(IntPredicate::ULT, next, body.int(2), "")?)
}

/// `x / y` on integers: the nearest double. Operands that doubles hold exactly divide as doubles.
pub(crate) fn int_div<'ctx>(body: &Body<'_, 'ctx>, x: IntValue<'ctx>, y: IntValue<'ctx>) -> Result<FloatValue<'ctx>> {
    const EXACT: i64 = 1 << 53;
    let inexact = |it: IntValue<'ctx>| -> Result<IntValue<'ctx>> {
        let shifted = body.b.build_int_add(it, body.int(EXACT), "")?;
        Ok(body.b.build_int_compare(IntPredicate::UGT, shifted, body.int(2 * EXACT), "")?)
    };
    let either = body.b.build_or(inexact(x)?, inexact(y)?, "")?;
    let (slow, joined) = (body.append("wide"), body.append("quotient"));
    body.rarely(either, slow)?;
    let double = body.unit.types.f64;
    let (top, bottom) =
        (body.b.build_signed_int_to_float(x, double, "")?, body.b.build_signed_int_to_float(y, double, "")?);
    let quick = body.relax(body.b.build_float_div(top, bottom, "")?)?;
    let quick_from = body.here();
    body.b.build_unconditional_branch(joined)?;

    body.b.position_at_end(slow);
    let int: BasicMetadataTypeEnum = body.unit.types.i64.into();
    let helper = body.unit.runtime(symbols::INT_DIV, &[int, int], double.into());
    let called = body.b.build_direct_call(helper, &[x.into(), y.into()], "")?;
    let wide = called.try_as_basic_value().expect_basic("it returns a double").into_float_value();
    body.b.build_unconditional_branch(joined)?;

    body.b.position_at_end(joined);
    let quotient = body.b.build_phi(double, "")?;
    quotient.add_incoming(&[(&quick, quick_from), (&wide, slow)]);
    Ok(quotient.as_basic_value().into_float_value())
}

/// `x // y` on doubles.
pub(crate) fn float_floor_div<'ctx>(
    body: &Body<'_, 'ctx>,
    x: FloatValue<'ctx>,
    y: FloatValue<'ctx>,
) -> Result<FloatValue<'ctx>> {
    by_runtime(body, symbols::FLOAT_FLOOR_DIV, x, y)
}

/// `x % y` on doubles.
pub(crate) fn float_mod<'ctx>(
    body: &Body<'_, 'ctx>,
    x: FloatValue<'ctx>,
    y: FloatValue<'ctx>,
) -> Result<FloatValue<'ctx>> {
    by_runtime(body, symbols::FLOAT_MOD, x, y)
}

fn by_runtime<'ctx>(
    body: &Body<'_, 'ctx>,
    name: &'static str,
    x: FloatValue<'ctx>,
    y: FloatValue<'ctx>,
) -> Result<FloatValue<'ctx>> {
    let double = body.unit.types.f64;
    let helper = body.unit.runtime(name, &[double.into(), double.into()], double.into());
    let called = body.b.build_direct_call(helper, &[x.into(), y.into()], "")?;
    Ok(called.try_as_basic_value().expect_basic("it returns a double").into_float_value())
}
