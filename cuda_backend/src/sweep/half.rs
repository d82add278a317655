//! Half precision on a device: singles that are rounded.
//!
//! Devices round two numbers by one instruction, and no faster a single one. Where many elements are divided by the same one,
//! they are multiplied with its reciprocal.

use inkwell::FloatPredicate;
use inkwell::intrinsics::Intrinsic;
use inkwell::values::{BasicValueEnum, FloatValue, IntValue};
use snekpy_stage::tensor::Dtype;

use super::each::Each;

const BUILT: &str = "the builder stands in a block and the types fit";

/// What rounds two singles to their upper halves. That of one is a slower instruction.
pub(crate) const TO_BF16: &str = "llvm.nvvm.ff2bf16x2.rn";

type Val<'ctx> = BasicValueEnum<'ctx>;

impl<'ctx> Each<'_, 'ctx> {
    /// A single that is a number of half precision, of these bits.
    pub(super) fn of_half(&self, bits: IntValue<'ctx>) -> FloatValue<'ctx> {
        let half = self.b.build_bit_cast(bits, self.llcx.f16_type(), "").expect(BUILT).into_float_value();
        self.b.build_float_ext(half, self.single(), "").expect(BUILT)
    }

    /// A single whose upper half these bits are.
    pub(super) fn of_upper(&self, bits: IntValue<'ctx>) -> FloatValue<'ctx> {
        let int = self.llcx.i32_type();
        let wide = self.b.build_int_z_extend(bits, int, "").expect(BUILT);
        let bits = self.b.build_left_shift(wide, int.const_int(16, false), "").expect(BUILT);
        self.b.build_bit_cast(bits, self.single(), "").expect(BUILT).into_float_value()
    }

    /// The upper half of a single, rounded to the nearest.
    pub(super) fn upper(&self, x: FloatValue<'ctx>) -> IntValue<'ctx> {
        let both = self.two_upper([x, self.single().const_zero()]);
        self.b.build_int_truncate(both, self.llcx.i16_type(), "").expect(BUILT)
    }

    /// Those of two, the first one's in the lower half.
    fn two_upper(&self, [x, y]: [FloatValue<'ctx>; 2]) -> IntValue<'ctx> {
        let found = Intrinsic::find(TO_BF16).and_then(|it| it.get_declaration(self.module, &[]));
        let called = self.b.build_direct_call(found.expect("LLVM 22 has it"), &[y.into(), x.into()], "").expect(BUILT);
        let both = called.try_as_basic_value().expect_basic("it gives two numbers of 16 bits");
        self.b.build_bit_cast(both, self.llcx.i32_type(), "").expect(BUILT).into_int_value()
    }

    /// The bits of two elements of half precision, to which numbers are rounded, the first one's in the lower half.
    pub(crate) fn two_to_bits(&self, dtype: Dtype, pair: [FloatValue<'ctx>; 2]) -> IntValue<'ctx> {
        if dtype == Dtype::Bf16 {
            return self.two_upper(pair);
        }
        let mut both = self.single().vec_type(2).get_poison();
        for (at, x) in (0..).zip(pair) {
            let at = self.llcx.i32_type().const_int(at, false);
            both = self.b.build_insert_element(both, x, at, "").expect(BUILT);
        }
        let halves = self.b.build_float_trunc(both, self.llcx.f16_type().vec_type(2), "").expect(BUILT);
        self.b.build_bit_cast(halves, self.llcx.i32_type(), "").expect(BUILT).into_int_value()
    }

    /// The upper half of a single that has no other bits.
    pub(super) fn cut(&self, x: FloatValue<'ctx>) -> IntValue<'ctx> {
        let int = self.llcx.i32_type();
        let bits = self.b.build_bit_cast(x, int, "").expect(BUILT).into_int_value();
        let upper = self.b.build_right_shift(bits, int.const_int(16, false), false, "").expect(BUILT);
        self.b.build_int_truncate(upper, self.llcx.i16_type(), "").expect(BUILT)
    }

    /// Rounded to the dtype: half precision in pairs, for which devices have an instruction.
    pub(super) fn narrow_all(&self, dtype: Dtype, values: &[Val<'ctx>]) -> Vec<Val<'ctx>> {
        let int = self.llcx.i32_type();
        let two = |x: Val<'ctx>, y: Val<'ctx>| {
            let both = self.two_to_bits(dtype, [x.into_float_value(), y.into_float_value()]);
            let upper = self.b.build_right_shift(both, int.const_int(16, false), false, "").expect(BUILT);
            [both, upper].map(|it| {
                let bits = self.b.build_int_truncate(it, self.llcx.i16_type(), "").expect(BUILT);
                match dtype {
                    Dtype::Bf16 => self.of_upper(bits).into(),
                    _ => self.of_half(bits).into(),
                }
            })
        };
        let all = values.chunks(2).map(|it| match (dtype, it) {
            (Dtype::F16 | Dtype::Bf16, &[x, y]) => two(x, y).to_vec(),
            _ => it.iter().map(|&it| self.narrow(dtype, it)).collect(),
        });
        all.collect::<Vec<_>>().concat()
    }

    /// Elements of half precision divided by the same one: times its reciprocal, where that has all its bits. Rounded to the
    /// dtype, a product has the bits of the quotient; of `float16`, whose least numbers lie halfway between others more often,
    /// once what is left of the dividend has been divided, too. The tests go through all fractions.
    pub(super) fn quotients(&self, dtype: Dtype, x: &[FloatValue<'ctx>], y: FloatValue<'ctx>) -> Vec<Val<'ctx>> {
        let (b, single) = (self.b, self.single());
        let abs = |x| self.intrinsic("llvm.fabs", single, &[x]);
        let size = abs(y);
        let above = self.float_cmp(FloatPredicate::OGE, size, single.const_float(f64::from(f32::MIN_POSITIVE)));
        let below = self.float_cmp(FloatPredicate::OLE, size, single.const_float(2.0_f64.powi(126)));
        let is_tame = b.build_and(above, below, "").expect(BUILT);
        self.either(
            is_tame,
            || {
                let inverse = b.build_float_div(single.const_float(1.0), y, "").expect(BUILT);
                let negated = b.build_float_neg(y, "").expect(BUILT);
                let one = |&x: &FloatValue<'ctx>| {
                    let near = b.build_float_mul(x, inverse, "").expect(BUILT);
                    if dtype == Dtype::Bf16 {
                        return near.into();
                    }
                    let rest = self.intrinsic("llvm.fma", single, &[negated, near, x]);
                    let nearer = self.intrinsic("llvm.fma", single, &[rest, inverse, near]);
                    // Nothing is left of a zero, whose sign stays, and no number of what is infinite.
                    let is_left = self.float_cmp(FloatPredicate::ONE, rest, single.const_zero());
                    self.select_float(is_left, nearer, near).into()
                };
                x.iter().map(one).collect()
            },
            || x.iter().map(|&x| b.build_float_div(x, y, "").expect(BUILT).into()).collect(),
        )
    }
}
