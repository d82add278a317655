//! What ops on vectors become.
//!
//! What LLVM has for vectors is written as such. The functions of the C library, and what the runtime computes, are
//! called for one lane after the other. An op that fails for some operands is given others in lanes that are not in the
//! mask, where they could stop the processor; what fails in those does not count.

use inkwell::types::{BasicMetadataTypeEnum, BasicTypeEnum, VectorType};
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, IntValue, VectorValue};
use inkwell::{FloatPredicate, IntPredicate};
use snekpy_stage::entity::{Entity, Inst, Loc, Value};
use snekpy_stage::op::{Bit2, Cmp, Const, Convert, Num1, Num2, Op, Overflow2, Real1, Real2, Shift, Wrap2};
use snekpy_stage::types::Type;

use super::{Lanes, memory};
use crate::fault::Result;
use crate::lower::checked::{Operation, range};
use crate::lower::compare::{float_predicate, int_predicate, is_nested_extreme, unsigned_predicate};
use crate::lower::leave;
use crate::symbols::{self, Real};

/// Whether a condition is true, or with `negated` false, in a lane of the mask. A condition that does not vary is asked
/// where there is such a lane.
pub(super) fn fails<'ctx>(lanes: &mut Lanes<'_, 'ctx>, cond: Value, negated: bool) -> Result<IntValue<'ctx>> {
    if lanes.varies(cond) {
        let cond = lanes.vector(cond)?;
        let fails = if negated { lanes.body.b.build_not(cond, "")? } else { cond };
        let fails = lanes.body.b.build_and(lanes.mask, fails, "")?;
        return lanes.any(fails);
    }
    let cond = lanes.scalar(cond)?.as_bool();
    Ok(if negated { lanes.body.b.build_not(cond, "")? } else { cond })
}

/// The result of an instruction of which some operand varies.
pub(super) fn compute<'ctx>(lanes: &mut Lanes<'_, 'ctx>, inst: Inst) -> Result<VectorValue<'ctx>> {
    let data = &lanes.func().insts[inst];
    if matches!(data.op, Op::Load) {
        return memory::load(lanes, data.args[0], data.args[1]);
    }
    let x: Vec<VectorValue<'ctx>> = data.args.iter().map(|&arg| lanes.vector(arg)).collect::<Result<_>>()?;
    let constant = |value: Value| match lanes.func().as_const(value) {
        Some(Const::I64(it)) => Some(it),
        Some(Const::Bool(_) | Const::F64(_)) | None => None,
    };
    let known: Vec<Option<i64>> = data.args.iter().map(|&arg| constant(arg)).collect();
    let ty = lanes.ty(data.args[0]);
    let w = Writer { lanes, loc: data.loc };
    match data.op {
        Op::Num1(op) => w.num1(op, ty, x[0]),
        Op::Num2(op) if ty == Type::F64 => w.num2_float(op, x[0], x[1]),
        Op::Num2(Num2::Add) if lanes.body.counts[inst.index()] => Ok(lanes.body.b.build_int_add(x[0], x[1], "")?),
        Op::Num2(Num2::Sub) if lanes.body.counts[inst.index()] => Ok(lanes.body.b.build_int_sub(x[0], x[1], "")?),
        Op::Num2(op) => w.num2_int(op, x[0], x[1], [known[0], known[1]]),
        Op::IntPow => w.int_pow(x[0], x[1], known[1]),
        Op::IntDiv => w.int_div(x[0], x[1]),
        Op::Wrap2(op) => Ok(match op {
            Wrap2::Add => lanes.body.b.build_int_add(x[0], x[1], "")?,
            Wrap2::Sub => lanes.body.b.build_int_sub(x[0], x[1], "")?,
            Wrap2::Mul => lanes.body.b.build_int_mul(x[0], x[1], "")?,
            Wrap2::Pow => w.power(x[0], x[1])?.0,
            Wrap2::Shl => {
                let near = lanes.body.b.build_and(x[1], w.int(63), "")?;
                let shifted = lanes.body.b.build_left_shift(x[0], near, "")?;
                let is_near = w.compare(IntPredicate::ULT, x[1], w.int(64))?;
                lanes.choose(is_near, shifted, w.int(0))?
            }
        }),
        Op::Overflow2(op) => Ok(match op {
            Overflow2::Add => w.with_overflow(Operation::Add, x[0], x[1])?.1,
            Overflow2::Sub => w.with_overflow(Operation::Sub, x[0], x[1])?.1,
            Overflow2::Mul => w.with_overflow(Operation::Mul, x[0], x[1])?.1,
            Overflow2::Pow => w.power(x[0], x[1])?.1,
        }),
        Op::Bit2(op) => Ok(match op {
            Bit2::And => lanes.body.b.build_and(x[0], x[1], "")?,
            Bit2::Or => lanes.body.b.build_or(x[0], x[1], "")?,
            Bit2::Xor => lanes.body.b.build_xor(x[0], x[1], "")?,
        }),
        Op::Shift(op) => w.shift(op, x[0], x[1]),
        Op::Real1(op) => w.real(symbols::real1(op), &x),
        Op::Element1(op, dtype) => w.real(symbols::element1(op, dtype), &x),
        Op::Element2(op, dtype) => w.real(symbols::element2(op, dtype), &x),
        Op::Real2(op) => w.real(symbols::real2(op), &x),
        Op::Cmp(op) => w.cmp(op, ty, x[0], x[1]),
        Op::CmpIntFloat(op) => w.cmp_int_float(op, x[0], x[1]),
        Op::Not => Ok(lanes.body.b.build_not(x[0], "")?),
        Op::Convert(op) => w.convert(op, x[0]),
        Op::Select => {
            let (mut first, mut second) = (x[1], x[2]);
            if is_nested_extreme(lanes.func(), data) {
                (first, second) = (w.fence(first)?, w.fence(second)?);
            }
            lanes.choose(x[0], first, second)
        }
        Op::Const(_)
        | Op::Len
        | Op::Load
        | Op::Store
        | Op::ListNew(_)
        | Op::List(_)
        | Op::MapNew(_)
        | Op::Map(_)
        | Op::Object(_)
        | Op::OfClass(_)
        | Op::Kept(_)
        | Op::Guard(_)
        | Op::OverflowIf
        | Op::Checkpoint(_)
        | Op::Call(..)
        | Op::Tensor(..)
        | Op::Host(..) => unreachable!("no kernel has it, or it is written elsewhere"),
    }
}

/// Whether an op is computed lane by lane.
pub(super) fn is_lane_by_lane(op: Op, on_integers: bool) -> bool {
    match op {
        Op::Num2(Num2::FloorDiv | Num2::Mod) => !on_integers,
        Op::IntPow | Op::Overflow2(Overflow2::Pow) | Op::Wrap2(Wrap2::Pow) => true,
        Op::Real1(op) => matches!(symbols::real1(op), Real::Library(_)),
        Op::Element1(..) | Op::Element2(..) => true,
        Op::Real2(op) => matches!(symbols::real2(op), Real::Library(_)),
        _ => false,
    }
}

/// Writes ops of one instruction.
struct Writer<'w, 'a, 'ctx> {
    lanes: &'w Lanes<'a, 'ctx>,
    loc: Option<Loc>,
}

impl<'ctx> Writer<'_, '_, 'ctx> {
    fn int(&self, value: i64) -> VectorValue<'ctx> {
        self.lanes.vectors.int_constant(value)
    }

    fn float(&self, value: f64) -> VectorValue<'ctx> {
        self.lanes.vectors.float_constant(value)
    }

    fn intrinsic(
        &self,
        name: &'static str,
        ty: VectorType<'ctx>,
        args: &[VectorValue<'ctx>],
    ) -> Result<BasicValueEnum<'ctx>> {
        let args: Vec<BasicMetadataValueEnum> = args.iter().map(|&it| it.into()).collect();
        self.lanes.body.intrinsic(name, ty, &args)
    }

    /// Leaves if the condition holds in a lane of the mask.
    fn overflow_if(&self, cond: VectorValue<'ctx>) -> Result<()> {
        let counts = self.lanes.body.b.build_and(self.lanes.mask, cond, "")?;
        let any = self.lanes.any(counts)?;
        leave::overflow_if(&self.lanes.body, any, self.loc)
    }

    fn compare(
        &self,
        predicate: IntPredicate,
        x: VectorValue<'ctx>,
        y: VectorValue<'ctx>,
    ) -> Result<VectorValue<'ctx>> {
        Ok(self.lanes.body.b.build_int_compare(predicate, x, y, "")?)
    }

    fn num1(&self, op: Num1, ty: Type, x: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        match (op, ty) {
            (Num1::Neg, Type::F64) => Ok(self.lanes.body.b.build_float_neg(x, "")?),
            (Num1::Abs, Type::F64) => {
                Ok(self.intrinsic("llvm.fabs", self.lanes.vectors.float, &[x])?.into_vector_value())
            }
            (Num1::Neg, _) => self.checked(Operation::Sub, self.int(0), x),
            (Num1::Abs, _) => {
                self.overflow_if(self.compare(IntPredicate::EQ, x, self.int(i64::MIN))?)?;
                let negative = self.compare(IntPredicate::SLT, x, self.int(0))?;
                let opposite = self.lanes.body.b.build_int_sub(self.int(0), x, "")?;
                self.lanes.choose(negative, opposite, x)
            }
        }
    }

    fn num2_float(&self, op: Num2, x: VectorValue<'ctx>, y: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = &self.lanes.body.b;
        Ok(match op {
            Num2::Add => b.build_float_add(x, y, "")?,
            Num2::Sub => b.build_float_sub(x, y, "")?,
            Num2::Mul => b.build_float_mul(x, y, "")?,
            Num2::FloorDiv => self.by_function(symbols::FLOAT_FLOOR_DIV, &[x, y])?,
            Num2::Mod => self.by_function(symbols::FLOAT_MOD, &[x, y])?,
            Num2::Min => {
                let second = b.build_float_compare(FloatPredicate::OLT, y, x, "")?;
                self.lanes.choose(second, y, x)?
            }
            Num2::Max => {
                let second = b.build_float_compare(FloatPredicate::OGT, y, x, "")?;
                self.lanes.choose(second, y, x)?
            }
        })
    }

    fn num2_int(
        &self,
        op: Num2,
        x: VectorValue<'ctx>,
        y: VectorValue<'ctx>,
        known: [Option<i64>; 2],
    ) -> Result<VectorValue<'ctx>> {
        let int = self.lanes.vectors.int;
        match (op, known) {
            (Num2::Add, _) => self.checked(Operation::Add, x, y),
            (Num2::Sub, _) => self.checked(Operation::Sub, x, y),
            (Num2::Mul, [None, Some(factor)]) => self.times(x, factor),
            (Num2::Mul, [Some(factor), None]) => self.times(y, factor),
            (Num2::Mul, _) => self.checked(Operation::Mul, x, y),
            (Num2::FloorDiv, [_, Some(divisor)]) if divisor > 0 && divisor.count_ones() == 1 => {
                let distance = self.int(i64::from(divisor.trailing_zeros()));
                Ok(self.lanes.body.b.build_right_shift(x, distance, true, "")?)
            }
            (Num2::Mod, [_, Some(divisor)]) if divisor > 0 && divisor.count_ones() == 1 => {
                Ok(self.lanes.body.b.build_and(x, self.int(divisor - 1), "")?)
            }
            (Num2::FloorDiv, _) => self.floor_div(x, y),
            (Num2::Mod, _) => self.modulo(x, y),
            (Num2::Min, _) => Ok(self.intrinsic("llvm.smin", int, &[x, y])?.into_vector_value()),
            (Num2::Max, _) => Ok(self.intrinsic("llvm.smax", int, &[x, y])?.into_vector_value()),
        }
    }

    /// The result modulo 2^64, and whether that is not the true one.
    fn with_overflow(
        &self,
        operation: Operation,
        x: VectorValue<'ctx>,
        y: VectorValue<'ctx>,
    ) -> Result<(VectorValue<'ctx>, VectorValue<'ctx>)> {
        let pair = self.intrinsic(operation.intrinsic(), self.lanes.vectors.int, &[x, y])?.into_struct_value();
        let value = self.lanes.body.b.build_extract_value(pair, 0, "")?.into_vector_value();
        let overflows = self.lanes.body.b.build_extract_value(pair, 1, "")?.into_vector_value();
        Ok((value, overflows))
    }

    fn checked(&self, operation: Operation, x: VectorValue<'ctx>, y: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let (value, overflows) = self.with_overflow(operation, x, y)?;
        self.overflow_if(overflows)?;
        Ok(value)
    }

    /// `x * factor`, checked by comparing `x`.
    fn times(&self, x: VectorValue<'ctx>, factor: i64) -> Result<VectorValue<'ctx>> {
        if factor == 0 || factor == 1 {
            return Ok(if factor == 0 { self.int(0) } else { x });
        }
        let (low, high) = range(factor);
        let above_low = self.lanes.body.b.build_int_sub(x, self.int(low), "")?;
        self.overflow_if(self.compare(IntPredicate::UGT, above_low, self.int(high.wrapping_sub(low)))?)?;
        Ok(self.lanes.body.b.build_int_mul(x, self.int(factor), "")?)
    }

    /// A divisor by which the processor can divide, in each lane.
    fn divisor(&self, x: VectorValue<'ctx>, y: VectorValue<'ctx>) -> Result<[VectorValue<'ctx>; 2]> {
        let b = &self.lanes.body.b;
        let zero = self.compare(IntPredicate::EQ, y, self.int(0))?;
        let smallest = self.compare(IntPredicate::EQ, x, self.int(i64::MIN))?;
        let minus = self.compare(IntPredicate::EQ, y, self.int(-1))?;
        let faults = b.build_or(zero, b.build_and(smallest, minus, "")?, "")?;
        Ok([faults, self.lanes.choose(faults, self.int(1), y)?])
    }

    fn floor_div(&self, x: VectorValue<'ctx>, y: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = &self.lanes.body.b;
        let [faults, divisor] = self.divisor(x, y)?;
        self.overflow_if(faults)?;
        let quotient = b.build_int_signed_div(x, divisor, "")?;
        let rest = b.build_int_sub(x, b.build_int_mul(quotient, divisor, "")?, "")?;
        let down = self.must_round_down(rest, divisor)?;
        let down = b.build_int_s_extend(down, self.lanes.vectors.int, "")?;
        Ok(b.build_int_add(quotient, down, "")?)
    }

    fn modulo(&self, x: VectorValue<'ctx>, y: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = &self.lanes.body.b;
        let [_, divisor] = self.divisor(x, y)?;
        let rest = b.build_int_signed_rem(x, divisor, "")?;
        let up = self.must_round_down(rest, divisor)?;
        let up = self.lanes.choose(up, divisor, self.int(0))?;
        Ok(b.build_int_add(rest, up, "")?)
    }

    fn must_round_down(&self, rest: VectorValue<'ctx>, divisor: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = &self.lanes.body.b;
        let some = self.compare(IntPredicate::NE, rest, self.int(0))?;
        let signs = b.build_xor(rest, divisor, "")?;
        Ok(b.build_and(some, self.compare(IntPredicate::SLT, signs, self.int(0))?, "")?)
    }

    fn int_pow(&self, x: VectorValue<'ctx>, y: VectorValue<'ctx>, exponent: Option<i64>) -> Result<VectorValue<'ctx>> {
        let mul = |x, y| self.checked(Operation::Mul, x, y);
        match exponent {
            Some(0) => return Ok(self.int(1)),
            Some(1) => return Ok(x),
            Some(2) => return mul(x, x),
            Some(3) => return mul(mul(x, x)?, x),
            Some(_) | None => {}
        }
        let (power, overflows) = self.power(x, y)?;
        self.overflow_if(overflows)?;
        Ok(power)
    }

    /// `x ** y`, and whether it overflows.
    fn power(&self, x: VectorValue<'ctx>, y: VectorValue<'ctx>) -> Result<(VectorValue<'ctx>, VectorValue<'ctx>)> {
        let body = &self.lanes.body;
        let int = body.unit.types.i64;
        let pair = body.unit.llcx.struct_type(&[int.into(), int.into()], false);
        let function = body.unit.runtime(symbols::INT_POW, &[int.into(), int.into()], pair.into());
        let mut powers = self.lanes.vectors.int.get_poison();
        let mut overflows = self.lanes.vectors.int.get_poison();
        for lane in 0..self.lanes.vectors.width {
            let args = [self.lanes.lane(x, lane)?.into(), self.lanes.lane(y, lane)?.into()];
            let called = body.b.build_direct_call(function, &args, "")?;
            let power = called.try_as_basic_value().expect_basic("it returns a pair").into_struct_value();
            powers = self.lanes.with_lane(powers, lane, body.b.build_extract_value(power, 0, "")?)?;
            overflows = self.lanes.with_lane(overflows, lane, body.b.build_extract_value(power, 1, "")?)?;
        }
        Ok((powers, self.compare(IntPredicate::NE, overflows, self.int(0))?))
    }

    /// The nearest double to the quotient. Operands that doubles hold exactly divide as doubles.
    fn int_div(&self, x: VectorValue<'ctx>, y: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        const EXACT: i64 = 1 << 53;
        let body = &self.lanes.body;
        let inexact = |it: VectorValue<'ctx>| -> Result<VectorValue<'ctx>> {
            let shifted = body.b.build_int_add(it, self.int(EXACT), "")?;
            self.compare(IntPredicate::UGT, shifted, self.int(2 * EXACT))
        };
        let either = body.b.build_or(inexact(x)?, inexact(y)?, "")?;
        let either = body.b.build_and(self.lanes.mask, either, "")?;
        let (slow, joined) = (body.append("wide"), body.append("quotient"));
        body.rarely(self.lanes.any(either)?, slow)?;
        let float = self.lanes.vectors.float;
        let top = body.b.build_signed_int_to_float(x, float, "")?;
        let bottom = body.b.build_signed_int_to_float(y, float, "")?;
        let quick = body.b.build_float_div(top, bottom, "")?;
        let quick_from = body.here();
        body.b.build_unconditional_branch(joined)?;

        body.b.position_at_end(slow);
        let (int, double): (BasicMetadataTypeEnum, BasicTypeEnum) =
            (body.unit.types.i64.into(), body.unit.types.f64.into());
        let function = body.unit.runtime(symbols::INT_DIV, &[int, int], double);
        let wide = self.lane_by_lane(function, &[x, y])?;
        body.b.build_unconditional_branch(joined)?;

        body.b.position_at_end(joined);
        let quotient = body.b.build_phi(float, "")?;
        quotient.add_incoming(&[(&quick, quick_from), (&wide, slow)]);
        Ok(quotient.as_basic_value().into_vector_value())
    }

    fn shift(&self, op: Shift, x: VectorValue<'ctx>, n: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = &self.lanes.body.b;
        let most = self.int(63);
        let distance = self.intrinsic("llvm.umin", self.lanes.vectors.int, &[n, most])?.into_vector_value();
        if op == Shift::Right {
            return Ok(b.build_right_shift(x, distance, true, "")?);
        }
        let shifted = b.build_left_shift(x, distance, "")?;
        let back = b.build_right_shift(shifted, distance, true, "")?;
        let lost = self.compare(IntPredicate::NE, back, x)?;
        // A distance that was cut to 63 loses every number but 0.
        let cut = self.compare(IntPredicate::UGT, n, most)?;
        let cut = b.build_and(cut, self.compare(IntPredicate::NE, x, self.int(0))?, "")?;
        self.overflow_if(b.build_or(lost, cut, "")?)?;
        Ok(shifted)
    }

    fn real(&self, real: Real, x: &[VectorValue<'ctx>]) -> Result<VectorValue<'ctx>> {
        match real {
            Real::Quotient => Ok(self.lanes.body.b.build_float_div(x[0], x[1], "")?),
            Real::Intrinsic(name) => Ok(self.intrinsic(name, self.lanes.vectors.float, x)?.into_vector_value()),
            Real::Library(symbol) => self.by_function(symbol.name, x),
        }
    }

    /// A function of doubles, for one lane after the other.
    fn by_function(&self, name: &'static str, x: &[VectorValue<'ctx>]) -> Result<VectorValue<'ctx>> {
        let double = self.lanes.body.unit.types.f64;
        let function = self.lanes.body.unit.runtime(name, &vec![double.into(); x.len()], double.into());
        self.lane_by_lane(function, x)
    }

    fn lane_by_lane(
        &self,
        function: inkwell::values::FunctionValue<'ctx>,
        x: &[VectorValue<'ctx>],
    ) -> Result<VectorValue<'ctx>> {
        let mut results = self.lanes.vectors.float.get_poison();
        for lane in 0..self.lanes.vectors.width {
            let args = x.iter().map(|&it| Ok(self.lanes.lane(it, lane)?.into()));
            let args: Vec<BasicMetadataValueEnum> = args.collect::<Result<_>>()?;
            let called = self.lanes.body.b.build_direct_call(function, &args, "")?;
            let result = called.try_as_basic_value().expect_basic("it returns a double");
            results = self.lanes.with_lane(results, lane, result)?;
        }
        Ok(results)
    }

    fn cmp(&self, op: Cmp, ty: Type, x: VectorValue<'ctx>, y: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        match ty {
            Type::F64 => Ok(self.lanes.body.b.build_float_compare(float_predicate(op), x, y, "")?),
            Type::Bool => self.compare(unsigned_predicate(op), x, y),
            Type::I64 | Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
                self.compare(int_predicate(op), x, y)
            }
        }
    }

    /// As for scalars: see there.
    fn cmp_int_float(&self, op: Cmp, x: VectorValue<'ctx>, y: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        const LIMIT: f64 = 9_223_372_036_854_775_808.0;
        let b = &self.lanes.body.b;
        let rounded = b.build_signed_int_to_float(x, self.lanes.vectors.float, "")?;
        let equal = b.build_float_compare(FloatPredicate::OEQ, rounded, y, "")?;
        let too_large = b.build_float_compare(FloatPredicate::OEQ, y, self.float(LIMIT), "")?;
        // Only where the doubles are equal are the integers asked, and then the double is whole and in range.
        let usable = b.build_and(equal, b.build_not(too_large, "")?, "")?;
        let safe = self.lanes.choose(usable, y, self.float(0.0))?;
        let whole = b.build_float_to_signed_int(safe, self.lanes.vectors.int, "")?;
        let exact = match op {
            Cmp::Eq | Cmp::Gt | Cmp::Ge => {
                let fits = b.build_not(too_large, "")?;
                b.build_and(self.compare(int_predicate(op), x, whole)?, fits, "")?
            }
            Cmp::Ne | Cmp::Lt | Cmp::Le => b.build_or(self.compare(int_predicate(op), x, whole)?, too_large, "")?,
        };
        let rounding = match op {
            Cmp::Eq => return Ok(b.build_and(equal, exact, "")?),
            Cmp::Ne => return Ok(b.build_or(b.build_not(equal, "")?, exact, "")?),
            Cmp::Lt | Cmp::Le => FloatPredicate::OLT,
            Cmp::Gt | Cmp::Ge => FloatPredicate::OGT,
        };
        let differ = b.build_float_compare(rounding, rounded, y, "")?;
        Ok(b.build_or(differ, b.build_and(equal, exact, "")?, "")?)
    }

    fn convert(&self, op: Convert, x: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        const LIMIT: f64 = 9_223_372_036_854_775_808.0;
        let (b, vectors) = (&self.lanes.body.b, &self.lanes.vectors);
        Ok(match op {
            Convert::BoolToInt => b.build_int_z_extend(x, vectors.int, "")?,
            Convert::IntToFloat => b.build_signed_int_to_float(x, vectors.float, "")?,
            Convert::Single | Convert::Half | Convert::Bfloat | Convert::Int32 => {
                let converted = self.lanes.stored().convert(op, x)?;
                converted.expect("these are conversions to fewer bits")
            }
            Convert::FloatToInt => {
                // Both comparisons are true of a NaN.
                let below = b.build_float_compare(FloatPredicate::ULT, x, self.float(-LIMIT), "")?;
                let above = b.build_float_compare(FloatPredicate::UGE, x, self.float(LIMIT), "")?;
                let outside = b.build_or(below, above, "")?;
                self.overflow_if(outside)?;
                let safe = self.lanes.choose(outside, self.float(0.0), x)?;
                b.build_float_to_signed_int(safe, vectors.int, "")?
            }
        })
    }

    fn fence(&self, x: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        Ok(self.intrinsic("llvm.arithmetic.fence", self.lanes.vectors.float, &[x])?.into_vector_value())
    }
}

/// What an op takes, for one position and for all lanes, in units of an addition.
pub(super) fn cost(op: Op, on_integers: bool, width: f64) -> [f64; 2] {
    let checked = on_integers && matches!(op, Op::Num1(_) | Op::Num2(Num2::Add | Num2::Sub));
    match op {
        _ if is_lane_by_lane(op, on_integers) => [30.0, 33.0 * width],
        Op::Num2(Num2::Mul) if on_integers => [2.0, 3.0 * width],
        Op::Num2(Num2::FloorDiv | Num2::Mod) => [12.0, 14.0 * width],
        Op::IntDiv | Op::Real2(Real2::Div) | Op::Real1(Real1::Sqrt) => [4.0, 16.0],
        Op::Load => [1.0, 6.0],
        Op::Const(_) | Op::Checkpoint(_) | Op::Len => [0.0, 0.0],
        _ if checked => [1.5, 4.0],
        Op::Guard(_) | Op::OverflowIf => [1.0, 2.0],
        _ => [1.0, 1.0],
    }
}
