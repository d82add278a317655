//! What a job makes of elements, as LLVM's instructions.
//!
//! Elements of half precision are computed as singles and rounded after each job, truth values are one bit.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::types::{BasicTypeEnum, FloatType, IntType};
use inkwell::values::{BasicMetadataValueEnum, BasicValue, BasicValueEnum, FloatValue, IntValue, PointerValue};
use inkwell::{FloatPredicate, IntPredicate};
use snekpy_stage::op::Element2;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::sweep::Job;
use snekpy_stage::tensor::elementwise::{Bits2, Cmp, Num1, Num2, Real1, Real2, Test1};
use snekpy_stage::tensor::philox::{MULTIPLY, ROUNDS, WEYL};
use snekpy_stage::tensor::reduce::{Fold, neutral};

use crate::math::{self, Two};

/// What inkwell's builder refuses would be our mistake: it stands in a block, and types fit.
const BUILT: &str = "the builder stands in a block and the types fit";

/// So many quotients by one divisor are worth its reciprocal.
const QUOTIENTS: usize = 4;

/// Writes jobs where a builder stands.
pub(crate) struct Each<'a, 'ctx> {
    pub(crate) llcx: &'ctx Context,
    pub(crate) module: &'a Module<'ctx>,
    pub(crate) b: &'a Builder<'ctx>,
}

type Val<'ctx> = BasicValueEnum<'ctx>;
/// An element and its position.
pub(super) type Placed<'ctx> = (Val<'ctx>, IntValue<'ctx>);
/// No position.
pub(super) const NOWHERE: u64 = 0xffff_ffff;

impl<'ctx> Each<'_, 'ctx> {
    /// What they are in memory.
    pub(crate) fn stored(&self, dtype: Dtype) -> IntType<'ctx> {
        self.llcx
            .custom_width_int_type(std::num::NonZero::new(8 * dtype.size() as u32).expect("no dtype has no bits"))
            .expect("it is a width of integers")
    }

    pub(super) fn single(&self) -> FloatType<'ctx> {
        self.llcx.f32_type()
    }

    fn double(&self) -> FloatType<'ctx> {
        self.llcx.f64_type()
    }

    pub(crate) fn load(&self, dtype: Dtype, from: PointerValue<'ctx>) -> Val<'ctx> {
        let bits = self.b.build_load(self.stored(dtype), from, "").expect(BUILT);
        let inst = bits.as_instruction_value().expect("a load is an instruction");
        inst.set_alignment(dtype.size() as u32).expect("it is a power of two");
        self.of_bits(dtype, bits.into_int_value())
    }

    /// Stores an element, which is one of the dtype.
    pub(crate) fn store(&self, dtype: Dtype, to: PointerValue<'ctx>, value: Val<'ctx>) {
        let bits = match dtype {
            Dtype::Bf16 => self.cut(value.into_float_value()),
            _ => self.to_bits(dtype, value),
        };
        let store = self.b.build_store(to, bits).expect(BUILT);
        store.set_alignment(dtype.size() as u32).expect("it is a power of two");
    }

    /// An element whose bits are the low ones of a word.
    pub(crate) fn of_word(&self, dtype: Dtype, word: IntValue<'ctx>) -> Val<'ctx> {
        let ty = self.stored(dtype);
        let bits = if dtype.size() == 8 { word } else { self.b.build_int_truncate(word, ty, "").expect(BUILT) };
        self.of_bits(dtype, bits)
    }

    pub(crate) fn of_bits(&self, dtype: Dtype, bits: IntValue<'ctx>) -> Val<'ctx> {
        let cast = |ty: BasicTypeEnum<'ctx>| self.b.build_bit_cast(bits, ty, "").expect(BUILT);
        match dtype {
            Dtype::Bool => self
                .b
                .build_int_compare(IntPredicate::NE, bits, self.stored(dtype).const_zero(), "")
                .expect(BUILT)
                .into(),
            Dtype::I32 | Dtype::I64 => bits.into(),
            Dtype::F16 => {
                let wide = self.of_half(bits);
                // A device's instruction forgets the sign of a NaN.
                let int = self.llcx.i32_type();
                let sign = self.b.build_and(bits, bits.get_type().const_int(0x8000, false), "").expect(BUILT);
                let sign = self.b.build_int_z_extend(sign, int, "").expect(BUILT);
                let sign = self.b.build_left_shift(sign, int.const_int(16, false), "").expect(BUILT);
                let wide = self.b.build_bit_cast(wide, int, "").expect(BUILT).into_int_value();
                let found = self.b.build_or(wide, sign, "").expect(BUILT);
                self.b.build_bit_cast(found, self.single(), "").expect(BUILT)
            }
            Dtype::Bf16 => self.of_upper(bits).into(),
            Dtype::F32 => cast(self.single().into()),
            Dtype::F64 => cast(self.double().into()),
        }
    }

    /// The bits of an element, to which a number is rounded.
    pub(crate) fn to_bits(&self, dtype: Dtype, value: Val<'ctx>) -> IntValue<'ctx> {
        let ty = self.stored(dtype);
        match dtype {
            Dtype::Bool => self.b.build_int_z_extend(value.into_int_value(), ty, "").expect(BUILT),
            Dtype::I32 | Dtype::I64 => value.into_int_value(),
            Dtype::F16 => {
                let half = self.b.build_float_trunc(value.into_float_value(), self.llcx.f16_type(), "").expect(BUILT);
                self.b.build_bit_cast(half, ty, "").expect(BUILT).into_int_value()
            }
            Dtype::Bf16 => self.upper(value.into_float_value()),
            Dtype::F32 | Dtype::F64 => self.b.build_bit_cast(value, ty, "").expect(BUILT).into_int_value(),
        }
    }

    /// Rounded to the dtype.
    pub(super) fn narrow(&self, dtype: Dtype, value: Val<'ctx>) -> Val<'ctx> {
        match dtype {
            Dtype::F16 => {
                let half = self.b.build_float_trunc(value.into_float_value(), self.llcx.f16_type(), "").expect(BUILT);
                self.b.build_float_ext(half, self.single(), "").expect(BUILT).into()
            }
            Dtype::Bf16 => self.of_bits(dtype, self.to_bits(dtype, value)),
            Dtype::Bool | Dtype::I32 | Dtype::I64 | Dtype::F32 | Dtype::F64 => value,
        }
    }

    pub(super) fn float_cmp(&self, how: FloatPredicate, x: FloatValue<'ctx>, y: FloatValue<'ctx>) -> IntValue<'ctx> {
        self.b.build_float_compare(how, x, y, "").expect(BUILT)
    }

    fn int_cmp(&self, how: IntPredicate, x: IntValue<'ctx>, y: IntValue<'ctx>) -> IntValue<'ctx> {
        self.b.build_int_compare(how, x, y, "").expect(BUILT)
    }

    pub(super) fn select(&self, cond: IntValue<'ctx>, x: Val<'ctx>, y: Val<'ctx>) -> Val<'ctx> {
        self.b.build_select(cond, x, y, "").expect(BUILT)
    }

    pub(super) fn select_float(
        &self,
        cond: IntValue<'ctx>,
        x: FloatValue<'ctx>,
        y: FloatValue<'ctx>,
    ) -> FloatValue<'ctx> {
        self.select(cond, x.into(), y.into()).into_float_value()
    }

    fn select_int(&self, cond: IntValue<'ctx>, x: IntValue<'ctx>, y: IntValue<'ctx>) -> IntValue<'ctx> {
        self.select(cond, x.into(), y.into()).into_int_value()
    }

    pub(super) fn intrinsic(&self, name: &str, ty: FloatType<'ctx>, args: &[FloatValue<'ctx>]) -> FloatValue<'ctx> {
        let found = Intrinsic::find(name).and_then(|it| it.get_declaration(self.module, &[ty.into()]));
        let args: Vec<BasicMetadataValueEnum<'ctx>> = args.iter().map(|&it| it.into()).collect();
        let called = self.b.build_direct_call(found.expect("LLVM has it"), &args, "").expect(BUILT);
        called.try_as_basic_value().expect_basic("it gives a float").into_float_value()
    }

    fn to_double(&self, x: FloatValue<'ctx>) -> FloatValue<'ctx> {
        if x.get_type() == self.double() { x } else { self.b.build_float_ext(x, self.double(), "").expect(BUILT) }
    }

    /// As wide as another one.
    fn like(&self, x: FloatValue<'ctx>, other: FloatValue<'ctx>) -> FloatValue<'ctx> {
        let ty = other.get_type();
        if x.get_type() == ty { x } else { self.b.build_float_trunc(x, ty, "").expect(BUILT) }
    }

    /// A function of doubles that `math` has.
    fn function(&self, name: &str, args: &[FloatValue<'ctx>], inlined: bool) -> FloatValue<'ctx> {
        let double = self.double();
        let func = self.module.get_function(name).unwrap_or_else(|| {
            let ty = double.fn_type(&vec![double.into(); args.len()], false);
            let func = self.module.add_function(name, ty, None);
            if inlined {
                let kind = Attribute::get_named_enum_kind_id("alwaysinline");
                func.add_attribute(AttributeLoc::Function, self.llcx.create_enum_attribute(kind, 0));
            }
            func
        });
        let args: Vec<BasicMetadataValueEnum<'ctx>> = args.iter().map(|&it| it.into()).collect();
        let called = self.b.build_direct_call(func, &args, "").expect(BUILT);
        called.try_as_basic_value().expect_basic("it gives a double").into_float_value()
    }

    /// What a job makes of operands of these dtypes.
    pub(crate) fn job(&self, job: Job, takes: &[Dtype], gives: Dtype, args: &[Val<'ctx>]) -> Val<'ctx> {
        self.jobs(job, takes, gives, &[args.to_vec()])[0]
    }

    /// What a job makes of several elements, the operands of each.
    pub(super) fn jobs(&self, job: Job, takes: &[Dtype], gives: Dtype, all: &[Vec<Val<'ctx>>]) -> Vec<Val<'ctx>> {
        if job == Job::Real2(Real2::Div)
            && gives.size() < 4
            && all.len() >= QUOTIENTS
            && all.iter().all(|it| it[1] == all[0][1])
        {
            let x: Vec<_> = all.iter().map(|it| it[0].into_float_value()).collect();
            return self.narrow_all(gives, &self.quotients(gives, &x, all[0][1].into_float_value()));
        }
        let found: Vec<_> = all.iter().map(|args| self.unrounded(job, takes, gives, args)).collect();
        match job {
            Job::Copy | Job::Cast | Job::Select => found,
            _ => self.narrow_all(gives, &found),
        }
    }

    /// It before it is rounded to half precision.
    fn unrounded(&self, job: Job, takes: &[Dtype], gives: Dtype, args: &[Val<'ctx>]) -> Val<'ctx> {
        let x = args[0];
        let is_float = takes[0].is_float();
        let floats = || (x.into_float_value(), args[1].into_float_value());
        let ints = || (x.into_int_value(), args[1].into_int_value());
        match job {
            Job::Copy => x,
            Job::Cast => self.cast(takes[0], gives, x),
            Job::Num1(op) if is_float => self.num1_float(op, x.into_float_value()).into(),
            Job::Num1(op) => self.num1_int(op, x.into_int_value()).into(),
            Job::Real1(op) => self.real1(op, takes[0], x.into_float_value()).into(),
            Job::Bits1(_) => self.b.build_not(x.into_int_value(), "").expect(BUILT).into(),
            Job::Test1(op) => self.test(op, takes[0], x.into_float_value()).into(),
            Job::Num2(op) if is_float => self.num2_float(op, floats()).into(),
            Job::Num2(op) => self.num2_int(op, ints()).into(),
            Job::Real2(Real2::NextAfter) if takes[0].size() < 4 => self.next_half(takes[0], floats()).into(),
            Job::Real2(op) => self.real2(op, floats()).into(),
            Job::Bits2(op) => self.bits2(op, ints()).into(),
            Job::Compare(op) if is_float => {
                let how = match op {
                    Cmp::Eq => FloatPredicate::OEQ,
                    Cmp::Ne => FloatPredicate::UNE,
                    Cmp::Lt => FloatPredicate::OLT,
                    Cmp::Le => FloatPredicate::OLE,
                    Cmp::Gt => FloatPredicate::OGT,
                    Cmp::Ge => FloatPredicate::OGE,
                };
                let (x, y) = floats();
                self.float_cmp(how, x, y).into()
            }
            Job::Compare(op) => {
                use IntPredicate as P;
                let how = match (op, takes[0] == Dtype::Bool) {
                    (Cmp::Eq, _) => P::EQ,
                    (Cmp::Ne, _) => P::NE,
                    (Cmp::Lt, true) => P::ULT,
                    (Cmp::Le, true) => P::ULE,
                    (Cmp::Gt, true) => P::UGT,
                    (Cmp::Ge, true) => P::UGE,
                    (Cmp::Lt, false) => P::SLT,
                    (Cmp::Le, false) => P::SLE,
                    (Cmp::Gt, false) => P::SGT,
                    (Cmp::Ge, false) => P::SGE,
                };
                let (x, y) = ints();
                self.int_cmp(how, x, y).into()
            }
            Job::Select => self.select(x.into_int_value(), args[1], args[2]),
            Job::Gather | Job::AddAt(_) | Job::Concat(_) | Job::Triangle { .. } | Job::Bits { .. } => {
                unreachable!("where elements are is another question")
            }
            Job::Fold(_) | Job::Arg { .. } => unreachable!("folds are what several threads do"),
        }
    }

    /// Some values by one computation or another: only it is done.
    pub(super) fn either(
        &self,
        cond: IntValue<'ctx>,
        then: impl FnOnce() -> Vec<Val<'ctx>>,
        other: impl FnOnce() -> Vec<Val<'ctx>>,
    ) -> Vec<Val<'ctx>> {
        let here = || self.b.get_insert_block().expect("the builder stands in a block");
        let func = here().get_parent().expect("the block is one of a function");
        let [first, second, joined] = ["then", "other", "joined"].map(|it| self.llcx.append_basic_block(func, it));
        self.b.build_conditional_branch(cond, first, second).expect(BUILT);
        self.b.position_at_end(first);
        let left = then();
        let left_from = here();
        self.b.build_unconditional_branch(joined).expect(BUILT);
        self.b.position_at_end(second);
        let right = other();
        let right_from = here();
        self.b.build_unconditional_branch(joined).expect(BUILT);
        self.b.position_at_end(joined);
        let one = |(left, right): (Val<'ctx>, Val<'ctx>)| {
            let phi = self.b.build_phi(left.get_type(), "").expect(BUILT);
            phi.add_incoming(&[(&left, left_from), (&right, right_from)]);
            phi.as_basic_value()
        };
        left.into_iter().zip(right).map(one).collect()
    }

    fn cast(&self, from: Dtype, to: Dtype, x: Val<'ctx>) -> Val<'ctx> {
        if from == to {
            return x;
        }
        if to == Dtype::Bool {
            return match x {
                Val::FloatValue(x) => self.float_cmp(FloatPredicate::UNE, x, x.get_type().const_zero()).into(),
                _ => {
                    let x = x.into_int_value();
                    self.int_cmp(IntPredicate::NE, x, x.get_type().const_zero()).into()
                }
            };
        }
        match (x, to) {
            (Val::FloatValue(x), Dtype::I32 | Dtype::I64) => self.to_int(to, self.to_double(x)).into(),
            (Val::FloatValue(x), Dtype::F64) => self.to_double(x).into(),
            (Val::FloatValue(x), Dtype::F32) => self.like(x, self.single().const_zero()).into(),
            (Val::FloatValue(x), _) => self.narrow(to, self.odd(x).into()),
            (x, Dtype::I32 | Dtype::I64) => {
                let (x, ty) = (x.into_int_value(), self.stored(to));
                match from {
                    Dtype::Bool => self.b.build_int_z_extend(x, ty, "").expect(BUILT).into(),
                    Dtype::I32 => self.b.build_int_s_extend(x, ty, "").expect(BUILT).into(),
                    _ => self.b.build_int_truncate(x, ty, "").expect(BUILT).into(),
                }
            }
            (x, _) => {
                let x = x.into_int_value();
                // To half precision by way of a double, which is then rounded once.
                let ty = if to == Dtype::F32 { self.single() } else { self.double() };
                let x = match from {
                    Dtype::Bool => self.b.build_unsigned_int_to_float(x, ty, "").expect(BUILT),
                    _ => self.b.build_signed_int_to_float(x, ty, "").expect(BUILT),
                };
                match to {
                    Dtype::F32 | Dtype::F64 => x.into(),
                    _ => self.narrow(to, self.odd(x).into()),
                }
            }
        }
    }

    /// Rounded to zero; what does not fit is the least integer.
    fn to_int(&self, to: Dtype, x: FloatValue<'ctx>) -> IntValue<'ctx> {
        let double = self.double();
        let (ty, low, high, how) = match to {
            Dtype::I32 => (self.llcx.i32_type(), -2_147_483_649.0, 2_147_483_648.0, FloatPredicate::OGT),
            _ => {
                let limit = 9_223_372_036_854_775_808.0;
                (self.llcx.i64_type(), -limit, limit, FloatPredicate::OGE)
            }
        };
        let above = self.float_cmp(how, x, double.const_float(low));
        let below = self.float_cmp(FloatPredicate::OLT, x, double.const_float(high));
        let fits = self.b.build_and(above, below, "").expect(BUILT);
        let tame = self.select_float(fits, x, double.const_zero());
        let found = self.b.build_float_to_signed_int(tame, ty, "").expect(BUILT);
        let least = ty.const_int(1 << (ty.get_bit_width() - 1), false);
        self.select_int(fits, found, least)
    }

    /// A double as a single, rounded to odd.
    fn odd(&self, x: FloatValue<'ctx>) -> FloatValue<'ctx> {
        if x.get_type() == self.single() {
            return x;
        }
        let int = self.llcx.i32_type();
        let near = self.b.build_float_trunc(x, self.single(), "").expect(BUILT);
        let back = self.b.build_float_ext(near, self.double(), "").expect(BUILT);
        let is_exact = self.float_cmp(FloatPredicate::UEQ, back, x);
        let abs = |x| self.intrinsic("llvm.fabs", self.double(), &[x]);
        let is_above = self.float_cmp(FloatPredicate::OGT, abs(back), abs(x));
        let bits = self.b.build_bit_cast(near, int, "").expect(BUILT).into_int_value();
        let less = self.b.build_int_sub(bits, int.const_int(1, false), "").expect(BUILT);
        let bits = self.select_int(is_above, less, bits);
        let bits = self.b.build_or(bits, int.const_int(1, false), "").expect(BUILT);
        let odd = self.b.build_bit_cast(bits, self.single(), "").expect(BUILT).into_float_value();
        self.select_float(is_exact, near, odd)
    }

    fn num1_float(&self, op: Num1, x: FloatValue<'ctx>) -> FloatValue<'ctx> {
        let ty = x.get_type();
        match op {
            Num1::Neg => self.b.build_float_neg(x, "").expect(BUILT),
            Num1::Abs => self.intrinsic("llvm.fabs", ty, &[x]),
            Num1::Square => self.b.build_float_mul(x, x, "").expect(BUILT),
            Num1::Sign => {
                let zero = ty.const_zero();
                let above = self.float_cmp(FloatPredicate::OGT, x, zero);
                let below = self.float_cmp(FloatPredicate::OLT, x, zero);
                let rest = self.select_float(below, ty.const_float(-1.0), zero);
                let sign = self.select_float(above, ty.const_float(1.0), rest);
                self.select_float(self.float_cmp(FloatPredicate::UNO, x, x), x, sign)
            }
        }
    }

    fn num1_int(&self, op: Num1, x: IntValue<'ctx>) -> IntValue<'ctx> {
        let ty = x.get_type();
        let zero = ty.const_zero();
        let negated = || self.b.build_int_sub(zero, x, "").expect(BUILT);
        let below = || self.int_cmp(IntPredicate::SLT, x, zero);
        match op {
            Num1::Neg => negated(),
            Num1::Abs => self.select_int(below(), negated(), x),
            Num1::Square => self.b.build_int_mul(x, x, "").expect(BUILT),
            Num1::Sign => {
                let above = self.int_cmp(IntPredicate::SGT, x, zero);
                let rest = self.select_int(below(), ty.const_all_ones(), zero);
                self.select_int(above, ty.const_int(1, false), rest)
            }
        }
    }

    fn real1(&self, op: Real1, dtype: Dtype, x: FloatValue<'ctx>) -> FloatValue<'ctx> {
        let ty = x.get_type();
        let name = match op {
            Real1::Sqrt => "llvm.sqrt",
            Real1::Floor => "llvm.floor",
            Real1::Ceil => "llvm.ceil",
            Real1::Trunc => "llvm.trunc",
            Real1::Round => "llvm.roundeven",
            Real1::Reciprocal => return self.b.build_float_div(ty.const_float(1.0), x, "").expect(BUILT),
            _ if ty == self.double() => {
                let name = math::double(op).expect("the others are instructions").name();
                return self.function(name, &[x], false);
            }
            _ => {
                let name = math::rounded_name(op, dtype);
                let is_short = matches!(
                    op,
                    Real1::Exp | Real1::Exp2 | Real1::Expm1 | Real1::Log | Real1::Log2 | Real1::Log10 | Real1::Tanh
                );
                return self.like(self.function(&name, &[self.to_double(x)], is_short), x);
            }
        };
        self.intrinsic(name, ty, &[x])
    }

    fn test(&self, op: Test1, dtype: Dtype, x: FloatValue<'ctx>) -> IntValue<'ctx> {
        let ty = x.get_type();
        let size = self.intrinsic("llvm.fabs", ty, &[x]);
        let infinity = ty.const_float(f64::INFINITY);
        match op {
            Test1::IsNan => self.float_cmp(FloatPredicate::UNO, x, x),
            Test1::IsInf => self.float_cmp(FloatPredicate::OEQ, size, infinity),
            Test1::IsFinite => self.float_cmp(FloatPredicate::OLT, size, infinity),
            Test1::SignBit => {
                let wide = if dtype == Dtype::F64 { self.llcx.i64_type() } else { self.llcx.i32_type() };
                let bits = self.b.build_bit_cast(x, wide, "").expect(BUILT).into_int_value();
                self.int_cmp(IntPredicate::SLT, bits, wide.const_zero())
            }
        }
    }

    fn num2_float(&self, op: Num2, (x, y): (FloatValue<'ctx>, FloatValue<'ctx>)) -> FloatValue<'ctx> {
        match op {
            Num2::Add => self.b.build_float_add(x, y, "").expect(BUILT),
            Num2::Sub => self.b.build_float_sub(x, y, "").expect(BUILT),
            Num2::Mul => self.b.build_float_mul(x, y, "").expect(BUILT),
            Num2::FloorDiv | Num2::Mod => {
                let (a, b) = (self.to_double(x), self.to_double(y));
                let is_zero = self.float_cmp(FloatPredicate::OEQ, b, self.double().const_zero());
                let tame = self.select_float(is_zero, self.double().const_float(1.0), b);
                let (by_zero, two) = match op {
                    Num2::FloorDiv => (self.b.build_float_div(a, b, "").expect(BUILT), Two::FloatFloorDiv),
                    _ => (self.double().const_float(f64::NAN), Two::FloatMod),
                };
                let other = self.function(two.name(), &[a, tame], false);
                self.like(self.select_float(is_zero, by_zero, other), x)
            }
            Num2::Min | Num2::Max => {
                let how = if op == Num2::Min { FloatPredicate::OLE } else { FloatPredicate::OGE };
                let is_unknown = self.float_cmp(FloatPredicate::UNO, x, x);
                let takes_first = self.b.build_or(self.float_cmp(how, x, y), is_unknown, "").expect(BUILT);
                self.select_float(takes_first, x, y)
            }
            Num2::Pow => self.elements(Element2::Pow, x, y),
        }
    }

    /// A function of two elements that `math` has.
    fn elements(&self, op: Element2, x: FloatValue<'ctx>, y: FloatValue<'ctx>) -> FloatValue<'ctx> {
        let dtype = if x.get_type() == self.double() { Dtype::F64 } else { Dtype::F32 };
        let name = math::elements_name(op, dtype);
        self.like(self.function(&name, &[self.to_double(x), self.to_double(y)], false), x)
    }

    fn num2_int(&self, op: Num2, (x, y): (IntValue<'ctx>, IntValue<'ctx>)) -> IntValue<'ctx> {
        let ty = x.get_type();
        let zero = ty.const_zero();
        match op {
            Num2::Add => self.b.build_int_add(x, y, "").expect(BUILT),
            Num2::Sub => self.b.build_int_sub(x, y, "").expect(BUILT),
            Num2::Mul => self.b.build_int_mul(x, y, "").expect(BUILT),
            Num2::FloorDiv | Num2::Mod => {
                let by_zero = self.int_cmp(IntPredicate::EQ, y, zero);
                let by_minus = self.int_cmp(IntPredicate::EQ, y, ty.const_all_ones());
                let is_special = self.b.build_or(by_zero, by_minus, "").expect(BUILT);
                let tame = self.select_int(is_special, ty.const_int(1, false), y);
                let quotient = self.b.build_int_signed_div(x, tame, "").expect(BUILT);
                let product = self.b.build_int_mul(quotient, tame, "").expect(BUILT);
                let rest = self.b.build_int_sub(x, product, "").expect(BUILT);
                let is_rest = self.int_cmp(IntPredicate::NE, rest, zero);
                let signs = self.b.build_xor(rest, tame, "").expect(BUILT);
                let differ = self.int_cmp(IntPredicate::SLT, signs, zero);
                let is_below = self.b.build_and(is_rest, differ, "").expect(BUILT);
                let (negated, less, usual) = match op {
                    Num2::FloorDiv => (
                        self.b.build_int_sub(zero, x, "").expect(BUILT),
                        self.b.build_int_sub(quotient, ty.const_int(1, false), "").expect(BUILT),
                        quotient,
                    ),
                    _ => (zero, self.b.build_int_add(rest, tame, "").expect(BUILT), rest),
                };
                let usual = self.select_int(is_below, less, usual);
                let other = self.select_int(by_minus, negated, usual);
                self.select_int(by_zero, zero, other)
            }
            Num2::Min => self.select_int(self.int_cmp(IntPredicate::SLE, x, y), x, y),
            Num2::Max => self.select_int(self.int_cmp(IntPredicate::SGE, x, y), x, y),
            Num2::Pow => self.int_power(x, y),
        }
    }

    /// A power modulo two to the width. Exponents are not negative; what is made of those that are is 1.
    fn int_power(&self, x: IntValue<'ctx>, y: IntValue<'ctx>) -> IntValue<'ctx> {
        let (ty, long) = (x.get_type(), self.llcx.i64_type());
        let name = math::INT_POW;
        let func = self.module.get_function(name).unwrap_or_else(|| {
            let pair = self.llcx.struct_type(&[long.into(), long.into()], false);
            self.module.add_function(name, pair.fn_type(&[long.into(), long.into()], false), None)
        });
        // The lower half of a power is that of a power of the lower half.
        let args = [x, y].map(|it| self.b.build_int_s_extend(it, long, "").expect(BUILT).into());
        let called = self.b.build_direct_call(func, &args, "").expect(BUILT);
        let pair = called.try_as_basic_value().expect_basic("it gives a pair").into_struct_value();
        let power = self.b.build_extract_value(pair, 0, "").expect(BUILT).into_int_value();
        self.b.build_int_truncate(power, ty, "").expect(BUILT)
    }

    fn real2(&self, op: Real2, (x, y): (FloatValue<'ctx>, FloatValue<'ctx>)) -> FloatValue<'ctx> {
        match (op, math::of_two(op)) {
            (_, Some(op)) => self.elements(op, x, y),
            (Real2::Div, None) => self.b.build_float_div(x, y, "").expect(BUILT),
            (Real2::Copysign, None) => self.intrinsic("llvm.copysign", x.get_type(), &[x, y]),
            // A remainder of singles is a single.
            (_, None) => {
                let args = [self.to_double(x), self.to_double(y)];
                self.like(self.function(Two::Fmod.name(), &args, false), x)
            }
        }
    }

    /// The number of half precision next to the first one towards the second.
    fn next_half(&self, dtype: Dtype, (x, y): (FloatValue<'ctx>, FloatValue<'ctx>)) -> FloatValue<'ctx> {
        use FloatPredicate as P;
        let (ty, zero) = (self.stored(dtype), self.single().const_zero());
        let bits = self.to_bits(dtype, x.into());
        let [up, down] = [1, 0xffff].map(|it| self.b.build_int_add(bits, ty.const_int(it, false), "").expect(BUILT));
        let [is_below, is_above] = [P::OLT, P::OGT].map(|it| self.float_cmp(it, x, y));
        let is_positive = self.float_cmp(P::OGT, x, zero);
        // Away from zero: up from what is positive, down from what is negative.
        let grows = self.select_int(is_positive, is_below, is_above);
        let least = self.select_int(is_below, ty.const_int(1, false), ty.const_int(0x8001, false));
        let moved = self.select_int(grows, up, down);
        let moved = self.select_int(self.float_cmp(P::OEQ, x, zero), least, moved);
        let moved = self.of_bits(dtype, moved).into_float_value();
        let found = self.select_float(self.float_cmp(P::OEQ, x, y), y, moved);
        let is_unknown = self.float_cmp(P::UNO, x, y);
        self.select_float(is_unknown, self.single().const_float(f64::NAN), found)
    }

    fn bits2(&self, op: Bits2, (x, y): (IntValue<'ctx>, IntValue<'ctx>)) -> IntValue<'ctx> {
        let ty = x.get_type();
        let width = ty.const_int(u64::from(ty.get_bit_width()), false);
        let inside = || self.int_cmp(IntPredicate::ULT, y, width);
        match op {
            Bits2::And => self.b.build_and(x, y, "").expect(BUILT),
            Bits2::Or => self.b.build_or(x, y, "").expect(BUILT),
            Bits2::Xor => self.b.build_xor(x, y, "").expect(BUILT),
            Bits2::Left => {
                // Not what is chosen by whether it is inside: LLVM 22 would then look at the lower half of it alone.
                let most = ty.const_int(u64::from(ty.get_bit_width() - 1), false);
                let tame = self.b.build_and(y, most, "").expect(BUILT);
                let shifted = self.b.build_left_shift(x, tame, "").expect(BUILT);
                self.select_int(inside(), shifted, ty.const_zero())
            }
            Bits2::Right => {
                let most = ty.const_int(u64::from(ty.get_bit_width() - 1), false);
                let tame = self.select_int(inside(), y, most);
                self.b.build_right_shift(x, tame, true, "").expect(BUILT)
            }
        }
    }

    /// The word of Philox at a position.
    pub(super) fn bits(&self, key: IntValue<'ctx>, stream: u32, at: IntValue<'ctx>) -> IntValue<'ctx> {
        let (b, long, int) = (self.b, self.llcx.i64_type(), self.llcx.i32_type());
        let low = |x| b.build_int_truncate(x, int, "").expect(BUILT);
        let shifted = |x, by| b.build_right_shift(x, long.const_int(by, false), false, "").expect(BUILT);
        let wide = |x| b.build_int_z_extend(x, long, "").expect(BUILT);
        let xor = |x, y| b.build_xor(x, y, "").expect(BUILT);
        let mut key = [low(key), low(shifted(key, 32))];
        let mut c =
            [low(shifted(at, 1)), low(shifted(at, 33)), int.const_int(u64::from(stream), false), int.const_zero()];
        for _ in 0..ROUNDS {
            let product = |which: usize, x| {
                let by = long.const_int(u64::from(MULTIPLY[which]), false);
                let all = b.build_int_mul(wide(x), by, "").expect(BUILT);
                (low(shifted(all, 32)), low(all))
            };
            let ((high0, low0), (high1, low1)) = (product(0, c[0]), product(1, c[2]));
            c = [xor(xor(high1, c[1]), key[0]), low1, xor(xor(high0, c[3]), key[1]), low0];
            for (key, by) in key.iter_mut().zip(WEYL) {
                *key = b.build_int_add(*key, int.const_int(u64::from(by), false), "").expect(BUILT);
            }
        }
        let is_second = low(at);
        let is_second = b.build_int_truncate(is_second, self.llcx.bool_type(), "").expect(BUILT);
        let [x, y] = [0, 1].map(|half| wide(self.select_int(is_second, c[half + 2], c[half])));
        let upper = b.build_left_shift(y, long.const_int(32, false), "").expect(BUILT);
        b.build_or(x, upper, "").expect(BUILT)
    }

    /// What changes nothing in a fold.
    pub(super) fn neutral(&self, fold: Fold, dtype: Dtype) -> Val<'ctx> {
        let bits = neutral(fold, dtype);
        match dtype {
            Dtype::Bool => self.llcx.bool_type().const_int(bits, false).into(),
            Dtype::I32 | Dtype::I64 => self.stored(dtype).const_int(bits, false).into(),
            Dtype::F16 | Dtype::Bf16 | Dtype::F32 => {
                self.single().const_float(f64::from(f32::from_bits(bits as u32))).into()
            }
            Dtype::F64 => self.double().const_float(f64::from_bits(bits)).into(),
        }
    }

    /// Two partial results as one.
    pub(super) fn join(&self, fold: Fold, dtype: Dtype, x: Val<'ctx>, y: Val<'ctx>) -> Val<'ctx> {
        match (x, y) {
            (Val::FloatValue(x), Val::FloatValue(y)) => match fold {
                Fold::Sum => self.b.build_float_add(x, y, "").expect(BUILT).into(),
                Fold::Prod => self.b.build_float_mul(x, y, "").expect(BUILT).into(),
                Fold::Min | Fold::Max => {
                    let how = if fold == Fold::Min { FloatPredicate::OLT } else { FloatPredicate::OGT };
                    let is_unknown = self.float_cmp(FloatPredicate::UNO, y, y);
                    let beats = self.b.build_or(self.float_cmp(how, y, x), is_unknown, "").expect(BUILT);
                    self.select_float(beats, y, x).into()
                }
            },
            (x, y) => {
                let (x, y) = (x.into_int_value(), y.into_int_value());
                match (fold, dtype) {
                    (Fold::Sum | Fold::Max, Dtype::Bool) => self.b.build_or(x, y, "").expect(BUILT).into(),
                    (Fold::Prod | Fold::Min, Dtype::Bool) => self.b.build_and(x, y, "").expect(BUILT).into(),
                    (Fold::Sum, _) => self.b.build_int_add(x, y, "").expect(BUILT).into(),
                    (Fold::Prod, _) => self.b.build_int_mul(x, y, "").expect(BUILT).into(),
                    (Fold::Min, _) => self.select_int(self.int_cmp(IntPredicate::SLT, y, x), y, x).into(),
                    (Fold::Max, _) => self.select_int(self.int_cmp(IntPredicate::SGT, y, x), y, x).into(),
                }
            }
        }
    }

    /// Of two elements of a row and their positions, the one that [`Job::Arg`] is about. A position that is [`NOWHERE`] is
    /// of no element.
    pub(super) fn first(&self, greatest: bool, dtype: Dtype, x: Placed<'ctx>, y: Placed<'ctx>) -> Placed<'ctx> {
        let both = |x, y| self.b.build_and(x, y, "").expect(BUILT);
        let one = |x, y| self.b.build_or(x, y, "").expect(BUILT);
        let compare = |op, x, y| self.job(Job::Compare(op), &[dtype; 2], Dtype::Bool, &[x, y]).into_int_value();
        let is_nan = |it: Val<'ctx>| compare(Cmp::Ne, it, it);
        let beats = compare(if greatest { Cmp::Gt } else { Cmp::Lt }, y.0, x.0);
        let (x_nan, y_nan) = (is_nan(x.0), is_nan(y.0));
        let not = |it| self.b.build_not(it, "").expect(BUILT);
        let wins = one(both(beats, not(x_nan)), both(y_nan, not(x_nan)));
        let ties = one(compare(Cmp::Eq, x.0, y.0), both(x_nan, y_nan));
        let is_before = self.int_cmp(IntPredicate::ULT, y.1, x.1);
        let wins = one(wins, both(ties, is_before));
        let nowhere = self.llcx.i32_type().const_int(NOWHERE, false);
        let (x_is, y_is) = (self.int_cmp(IntPredicate::NE, x.1, nowhere), self.int_cmp(IntPredicate::NE, y.1, nowhere));
        let takes = both(y_is, one(wins, not(x_is)));
        (self.select(takes, y.0, x.0), self.select_int(takes, y.1, x.1))
    }

    /// The least or greatest of elements, of which some may be none; a NaN if one is.
    pub(super) fn extreme(
        &self,
        fold: Fold,
        neutral: FloatValue<'ctx>,
        elements: &[(Val<'ctx>, Option<IntValue<'ctx>>)],
    ) -> FloatValue<'ctx> {
        let there = |&(element, is_there): &(Val<'ctx>, Option<IntValue<'ctx>>)| {
            is_there.map_or(element, |it| self.select(it, element, neutral.into())).into_float_value()
        };
        let elements = elements.iter().map(there);
        let ty = neutral.get_type();
        if ty == self.single() {
            return self.extreme_single(fold, neutral, &elements.collect::<Vec<_>>());
        }
        let how = if fold == Fold::Min { FloatPredicate::OLT } else { FloatPredicate::OGT };
        let (mut found, mut unknown) = (neutral, self.llcx.bool_type().const_zero());
        for element in elements {
            found = self.select_float(self.float_cmp(how, element, found), element, found);
            let is_nan = self.float_cmp(FloatPredicate::UNO, element, element);
            unknown = self.b.build_or(unknown, is_nan, "").expect(BUILT);
        }
        self.select_float(unknown, ty.const_float(f64::NAN), found)
    }

    /// The same by a device's own instruction, for which zeros differ: the first one is to be found.
    fn extreme_single(&self, fold: Fold, neutral: FloatValue<'ctx>, elements: &[FloatValue<'ctx>]) -> FloatValue<'ctx> {
        let (single, zero) = (self.single(), self.single().const_zero());
        let name = if fold == Fold::Min { "llvm.minimum" } else { "llvm.maximum" };
        let found = elements.iter().fold(neutral, |found, &it| self.intrinsic(name, single, &[found, it]));
        let is_zero = |it| self.float_cmp(FloatPredicate::OEQ, it, zero);
        let first = || elements.iter().rev().fold(found, |found, &it| self.select_float(is_zero(it), it, found));
        self.either(is_zero(found), || vec![first().into()], || vec![found.into()])[0].into_float_value()
    }
}
