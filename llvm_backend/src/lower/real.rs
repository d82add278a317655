//! Functions of doubles, and conversions.

use inkwell::FloatPredicate;
use inkwell::values::{BasicMetadataValueEnum, FloatValue};
use snekpy_stage::entity::Loc;
use snekpy_stage::op::{Convert, Element2, Real1, Real2};
use snekpy_stage::tensor::{Dtype, elementwise as each};

use super::body::Body;
use super::leave;
use super::stored;
use super::value::Val;
use crate::fault::Result;
use crate::symbols::{self, Real};

/// A function of one double.
pub(crate) fn real1<'ctx>(body: &Body<'_, 'ctx>, op: Real1, x: FloatValue<'ctx>) -> Result<FloatValue<'ctx>> {
    function(body, symbols::real1(op), &[x])
}

/// A function that tensors have of an element.
pub(crate) fn element1<'ctx>(
    body: &Body<'_, 'ctx>,
    op: each::Real1,
    dtype: Dtype,
    x: FloatValue<'ctx>,
) -> Result<FloatValue<'ctx>> {
    function(body, symbols::element1(op, dtype), &[x])
}

/// A function that tensors have of two elements.
pub(crate) fn element2<'ctx>(
    body: &Body<'_, 'ctx>,
    op: Element2,
    dtype: Dtype,
    x: FloatValue<'ctx>,
    y: FloatValue<'ctx>,
) -> Result<FloatValue<'ctx>> {
    function(body, symbols::element2(op, dtype), &[x, y])
}

/// A function of two doubles.
pub(crate) fn real2<'ctx>(
    body: &Body<'_, 'ctx>,
    op: Real2,
    x: FloatValue<'ctx>,
    y: FloatValue<'ctx>,
) -> Result<FloatValue<'ctx>> {
    function(body, symbols::real2(op), &[x, y])
}

fn function<'ctx>(body: &Body<'_, 'ctx>, real: Real, operands: &[FloatValue<'ctx>]) -> Result<FloatValue<'ctx>> {
    let double = body.unit.types.f64;
    let args: Vec<BasicMetadataValueEnum> = operands.iter().map(|&it| it.into()).collect();
    let value = match real {
        Real::Quotient => body.b.build_float_div(operands[0], operands[1], "")?,
        Real::Intrinsic(name) => body.intrinsic(name, double, &args)?.into_float_value(),
        Real::Library(symbol) => {
            let params = vec![double.into(); operands.len()];
            let called = body.b.build_direct_call(body.unit.runtime(symbol.name, &params, double.into()), &args, "")?;
            called.try_as_basic_value().expect_basic("it returns a double").into_float_value()
        }
    };
    body.relax(value)
}

/// A value of one type to another.
pub(crate) fn convert<'ctx>(body: &Body<'_, 'ctx>, op: Convert, x: Val<'ctx>, loc: Option<Loc>) -> Result<Val<'ctx>> {
    Ok(match op {
        Convert::BoolToInt => Val::Int(body.b.build_int_z_extend(x.as_bool(), body.unit.types.i64, "")?),
        Convert::IntToFloat => Val::Float(body.b.build_signed_int_to_float(x.as_int(), body.unit.types.f64, "")?),
        Convert::Single => {
            let near = body.b.build_float_trunc(x.as_float(), body.unit.types.f32, "")?;
            Val::Float(body.b.build_float_ext(near, body.unit.types.f64, "")?)
        }
        Convert::Half | Convert::Bfloat => {
            Val::Float(stored::convert(&body.b, body.unit.llcx, op, x.as_float().into())?.into_float_value())
        }
        Convert::Int32 => {
            let low = body.b.build_int_truncate(x.as_int(), body.unit.types.i32, "")?;
            Val::Int(body.b.build_int_s_extend(low, body.unit.types.i64, "")?)
        }
        Convert::FloatToInt => {
            const LIMIT: f64 = 9_223_372_036_854_775_808.0; // 2^63 is a double, 2^63 - 1 is not
            let x = x.as_float();
            // Both comparisons are true of a NaN.
            let below = body.b.build_float_compare(FloatPredicate::ULT, x, body.float(-LIMIT), "")?;
            let above = body.b.build_float_compare(FloatPredicate::UGE, x, body.float(LIMIT), "")?;
            leave::overflow_if(body, body.b.build_or(below, above, "")?, loc)?;
            Val::Int(body.b.build_float_to_signed_int(x, body.unit.types.i64, "")?)
        }
    })
}
