//! Arithmetic on numbers.

use inkwell::values::{BasicMetadataValueEnum, IntValue};
use inkwell::{FloatPredicate, IntPredicate};
use snekpy_stage::entity::Loc;
use snekpy_stage::ir::InstData;
use snekpy_stage::op::{Num1, Num2, Op, Overflow2, Wrap2};

use super::body::Body;
use super::checked::{Operation, checked, with_overflow};
use super::value::{Numbers, Val};
use super::{divide, leave};
use crate::fault::Result;
use crate::symbols;

/// One number to a number of its type.
pub(crate) fn num1<'ctx>(body: &Body<'_, 'ctx>, op: Num1, x: Val<'ctx>, loc: Option<Loc>) -> Result<Val<'ctx>> {
    Ok(match x {
        Val::Float(x) => match op {
            Num1::Neg => Val::Float(body.relax(body.b.build_float_neg(x, "")?)?),
            Num1::Abs => Val::Float(body.intrinsic("llvm.fabs", body.unit.types.f64, &[x.into()])?.into_float_value()),
        },
        Val::Int(_) | Val::Bool(_) | Val::Array(_) | Val::List(_) | Val::Map(_) => {
            let x = x.as_int();
            match op {
                Num1::Neg => Val::Int(checked(body, Operation::Sub, body.int(0), x, loc)?),
                Num1::Abs => {
                    let smallest = body.b.build_int_compare(IntPredicate::EQ, x, body.int(i64::MIN), "")?;
                    leave::overflow_if(body, smallest, loc)?;
                    let never_smallest = body.unit.types.i1.const_int(1, false);
                    let args: [BasicMetadataValueEnum; 2] = [x.into(), never_smallest.into()];
                    Val::Int(body.intrinsic("llvm.abs", body.unit.types.i64, &args)?.into_int_value())
                }
            }
        }
    })
}

/// Two numbers to a number of their type.
pub(crate) fn num2<'ctx>(
    body: &Body<'_, 'ctx>,
    op: Num2,
    operands: Numbers<'ctx>,
    loc: Option<Loc>,
) -> Result<Val<'ctx>> {
    Ok(match operands {
        Numbers::Float(x, y) => Val::Float(match op {
            Num2::Add => body.relax(body.b.build_float_add(x, y, "")?)?,
            Num2::Sub => body.relax(body.b.build_float_sub(x, y, "")?)?,
            Num2::Mul => body.relax(body.b.build_float_mul(x, y, "")?)?,
            Num2::FloorDiv => divide::float_floor_div(body, x, y)?,
            Num2::Mod => divide::float_mod(body, x, y)?,
            Num2::Min => {
                let second = body.b.build_float_compare(FloatPredicate::OLT, y, x, "")?;
                body.b.build_select(second, y, x, "")?.into_float_value()
            }
            Num2::Max => {
                let second = body.b.build_float_compare(FloatPredicate::OGT, y, x, "")?;
                body.b.build_select(second, y, x, "")?.into_float_value()
            }
        }),
        Numbers::Int(x, y) => Val::Int(match op {
            Num2::Add => checked(body, Operation::Add, x, y, loc)?,
            Num2::Sub => checked(body, Operation::Sub, x, y, loc)?,
            Num2::Mul => checked(body, Operation::Mul, x, y, loc)?,
            Num2::FloorDiv => divide::int_floor_div(body, x, y, loc)?,
            Num2::Mod => divide::int_mod(body, x, y)?,
            Num2::Min => body.intrinsic("llvm.smin", body.unit.types.i64, &[x.into(), y.into()])?.into_int_value(),
            Num2::Max => body.intrinsic("llvm.smax", body.unit.types.i64, &[x.into(), y.into()])?.into_int_value(),
        }),
    })
}

/// Arithmetic modulo 2^64.
pub(crate) fn wrap2<'ctx>(
    body: &Body<'_, 'ctx>,
    op: Wrap2,
    x: IntValue<'ctx>,
    y: IntValue<'ctx>,
) -> Result<IntValue<'ctx>> {
    Ok(match op {
        Wrap2::Add => body.b.build_int_add(x, y, "")?,
        Wrap2::Sub => body.b.build_int_sub(x, y, "")?,
        Wrap2::Mul => body.b.build_int_mul(x, y, "")?,
        Wrap2::Pow => power(body, x, y)?.0,
        Wrap2::Shl => {
            // Not what is chosen by whether it is near: LLVM 22 would then look at the lower half of it alone on NVPTX.
            let near = body.b.build_and(y, body.int(63), "")?;
            let shifted = body.b.build_left_shift(x, near, "")?;
            let is_near = body.b.build_int_compare(IntPredicate::ULT, y, body.int(64), "")?;
            body.b.build_select(is_near, shifted, body.int(0), "")?.into_int_value()
        }
    })
}

/// Whether checked arithmetic overflows.
pub(crate) fn overflow2<'ctx>(
    body: &Body<'_, 'ctx>,
    op: Overflow2,
    x: IntValue<'ctx>,
    y: IntValue<'ctx>,
) -> Result<IntValue<'ctx>> {
    let operation = match op {
        Overflow2::Add => Operation::Add,
        Overflow2::Sub => Operation::Sub,
        Overflow2::Mul => Operation::Mul,
        Overflow2::Pow => return Ok(power(body, x, y)?.1),
    };
    Ok(with_overflow(body, operation, x, y)?.1)
}

/// `x ** y` for `y >= 0`. Leaves on overflow.
pub(crate) fn int_pow<'ctx>(
    body: &Body<'_, 'ctx>,
    x: IntValue<'ctx>,
    y: IntValue<'ctx>,
    loc: Option<Loc>,
) -> Result<IntValue<'ctx>> {
    // A product overflows on the way only if it does at the end: its factors are no larger than itself.
    let mul = |x, y| checked(body, Operation::Mul, x, y, loc);
    match y.get_sign_extended_constant() {
        Some(0) => return Ok(body.int(1)),
        Some(1) => return Ok(x),
        Some(2) => return mul(x, x),
        Some(3) => return mul(mul(x, x)?, x),
        Some(4) => {
            let square = mul(x, x)?;
            return mul(square, square);
        }
        Some(_) | None => {}
    }
    let (power, overflows) = power(body, x, y)?;
    leave::overflow_if(body, overflows, loc)?;
    Ok(power)
}

/// `x ** y`, and whether it overflows.
fn power<'ctx>(
    body: &Body<'_, 'ctx>,
    x: IntValue<'ctx>,
    y: IntValue<'ctx>,
) -> Result<(IntValue<'ctx>, IntValue<'ctx>)> {
    let int = body.unit.types.i64;
    let pair = body.unit.llcx.struct_type(&[int.into(), int.into()], false);
    let power = body.unit.runtime(symbols::INT_POW, &[int.into(), int.into()], pair.into());
    let called = body.b.build_direct_call(power, &[x.into(), y.into()], "")?;
    let power = called.try_as_basic_value().expect_basic("it returns a pair").into_struct_value();
    let overflows = body.b.build_extract_value(power, 1, "")?.into_int_value();
    let overflows = body.b.build_int_compare(IntPredicate::NE, overflows, body.int(0), "")?;
    Ok((body.b.build_extract_value(power, 0, "")?.into_int_value(), overflows))
}

/// A step of a counter.
pub(crate) fn step_unchecked<'ctx>(
    body: &Body<'_, 'ctx>,
    inst: &InstData,
    args: &[Val<'ctx>],
) -> Result<IntValue<'ctx>> {
    let (x, y) = (args[0].as_int(), args[1].as_int());
    Ok(match inst.op {
        Op::Num2(Num2::Sub) => body.b.build_int_nsw_sub(x, y, "")?,
        _ => body.b.build_int_nsw_add(x, y, "")?,
    })
}
