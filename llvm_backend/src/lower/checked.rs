//! Integer arithmetic that leaves the function on overflow.

use inkwell::IntPredicate;
use inkwell::values::IntValue;
use snekpy_stage::entity::Loc;

use super::body::Body;
use super::leave;
use crate::fault::Result;

/// The three operations that LLVM has with an overflow bit.
#[derive(Clone, Copy)]
pub(crate) enum Operation {
    Add,
    Sub,
    Mul,
}

impl Operation {
    /// The intrinsic of LLVM.
    pub(crate) const fn intrinsic(self) -> &'static str {
        match self {
            Self::Add => "llvm.sadd.with.overflow",
            Self::Sub => "llvm.ssub.with.overflow",
            Self::Mul => "llvm.smul.with.overflow",
        }
    }
}

/// The result modulo 2^64, and whether that is not the true one.
pub(crate) fn with_overflow<'ctx>(
    body: &Body<'_, 'ctx>,
    operation: Operation,
    x: IntValue<'ctx>,
    y: IntValue<'ctx>,
) -> Result<(IntValue<'ctx>, IntValue<'ctx>)> {
    let pair = body.intrinsic(operation.intrinsic(), body.unit.types.i64, &[x.into(), y.into()])?.into_struct_value();
    let value = body.b.build_extract_value(pair, 0, "")?.into_int_value();
    let overflows = body.b.build_extract_value(pair, 1, "")?.into_int_value();
    Ok((value, overflows))
}

/// The result. Leaves on overflow.
pub(crate) fn checked<'ctx>(
    body: &Body<'_, 'ctx>,
    operation: Operation,
    x: IntValue<'ctx>,
    y: IntValue<'ctx>,
    loc: Option<Loc>,
) -> Result<IntValue<'ctx>> {
    if let Operation::Mul = operation {
        match (x.get_sign_extended_constant(), y.get_sign_extended_constant()) {
            (None, Some(factor)) => return mul_const(body, x, factor, loc),
            (Some(factor), None) => return mul_const(body, y, factor, loc),
            (None, None) | (Some(_), Some(_)) => {}
        }
    }
    let (value, overflows) = with_overflow(body, operation, x, y)?;
    leave::overflow_if(body, overflows, loc)?;
    Ok(value)
}

/// `x * factor`, checked by comparing `x` and not the product: the product is then ready without waiting
/// for the check, and LLVM is free to compute it by additions and shifts.
fn mul_const<'ctx>(body: &Body<'_, 'ctx>, x: IntValue<'ctx>, factor: i64, loc: Option<Loc>) -> Result<IntValue<'ctx>> {
    if factor == 0 || factor == 1 {
        return Ok(if factor == 0 { body.int(0) } else { x });
    }
    let (low, high) = range(factor);
    // One comparison for both ends: what is below `low` wraps to something large.
    let above_low = body.b.build_int_sub(x, body.int(low), "")?;
    let width = body.int(high.wrapping_sub(low));
    let overflows = body.b.build_int_compare(IntPredicate::UGT, above_low, width, "")?;
    leave::overflow_if(body, overflows, loc)?;
    Ok(body.b.build_int_nsw_mul(x, body.int(factor), "")?)
}

/// The least and the greatest integer whose product with a factor other than 0 and 1 fits.
pub(crate) const fn range(factor: i64) -> (i64, i64) {
    match factor {
        // Nothing but the smallest integer overflows, and the quotient below would itself.
        -1 => (-i64::MAX, i64::MAX),
        // Division rounds toward zero, which is into the range.
        2.. => (i64::MIN / factor, i64::MAX / factor),
        _ => (i64::MAX / factor, i64::MIN / factor),
    }
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn the_range_is_exactly_what_does_not_overflow() {
        for factor in [-1, 2, 3, -2, -3, 10, 1 << 62, i64::MIN, i64::MAX, -7] {
            let (low, high) = range(factor);
            assert!(low.checked_mul(factor).is_some() && high.checked_mul(factor).is_some(), "{factor}");
            assert!(low.checked_sub(1).is_none_or(|it| it.checked_mul(factor).is_none()), "{factor}");
            assert!(high.checked_add(1).is_none_or(|it| it.checked_mul(factor).is_none()), "{factor}");
        }
    }
}
