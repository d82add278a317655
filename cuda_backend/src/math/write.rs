//! The machine that writes the functions as LLVM's instructions.

use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::{Linkage, Module};
use inkwell::values::{
    BasicMetadataValueEnum, BasicValue, BasicValueEnum, FloatValue, FunctionValue, IntValue, PhiValue,
};
use inkwell::{FloatPredicate, IntPredicate};
use snekpy_stage::tensor::Dtype;

use super::machine::{Float1, Float2, Int2, Machine, Test};
use super::{Function, element, elements, int_div, int_pow, of_half, single};

/// What inkwell's builder refuses would be our mistake: it stands in a block, and types fit.
const BUILT: &str = "the builder stands in a block and the types fit";

/// Gives a body to every function of this module's that is declared.
pub(crate) fn define_all<'ctx>(llcx: &'ctx Context, module: &Module<'ctx>) {
    for declared in module.get_functions() {
        let name = declared.get_name().to_string_lossy().into_owned();
        if let Some(function) = Function::named(&name)
            && declared.count_basic_blocks() == 0
        {
            define(llcx, module, declared, function);
        }
    }
}

fn define<'ctx>(llcx: &'ctx Context, module: &Module<'ctx>, func: FunctionValue<'ctx>, function: Function) {
    func.set_linkage(Linkage::Internal);
    let b = llcx.create_builder();
    b.position_at_end(llcx.append_basic_block(func, "entry"));
    let m = Writer { llcx, module, func, b };
    let param = |position| func.get_nth_param(position).expect("it takes as many");
    let float = |position| param(position).into_float_value();
    let int = |position| param(position).into_int_value();
    let result: BasicValueEnum<'ctx> = match function {
        Function::One(it) => it.on(&m, float(0)).into(),
        Function::Two(it) => it.on(&m, float(0), float(1)).into(),
        Function::Single(it) => single(&m, it, float(0)).expect("only what needs code is declared").into(),
        Function::Half(it, dtype) => of_half(&m, it, dtype, float(0)).into(),
        Function::Element(it, dtype) => {
            let found = element(&m, it, dtype, float(0));
            if dtype == Dtype::F32 { m.widen(m.narrow(found)).into() } else { found.into() }
        }
        Function::Elements(it, dtype) => elements(&m, it, dtype, float(0), float(1)).into(),
        Function::IntDiv => int_div(&m, int(0), int(1)).into(),
        Function::IntPow => {
            let parts = int_pow(&m, int(0), int(1)).map(|it| it.as_basic_value_enum());
            m.b.build_aggregate_return(&parts).expect(BUILT);
            return;
        }
    };
    m.b.build_return(Some(&result)).expect(BUILT);
}

struct Writer<'a, 'ctx> {
    llcx: &'ctx Context,
    module: &'a Module<'ctx>,
    func: FunctionValue<'ctx>,
    b: Builder<'ctx>,
}

impl<'ctx> Writer<'_, 'ctx> {
    fn intrinsic(&self, name: &str, args: &[BasicMetadataValueEnum<'ctx>]) -> FloatValue<'ctx> {
        let ty = args[0].into_float_value().get_type().into();
        let found = Intrinsic::find(name).and_then(|it| it.get_declaration(self.module, &[ty]));
        let called = self.b.build_direct_call(found.expect("LLVM has it"), args, "").expect(BUILT);
        called.try_as_basic_value().expect_basic("it gives a float").into_float_value()
    }

    fn here(&self) -> BasicBlock<'ctx> {
        self.b.get_insert_block().expect(BUILT)
    }

    fn block(&self, name: &str) -> BasicBlock<'ctx> {
        self.llcx.append_basic_block(self.func, name)
    }

    fn high(&self, x: IntValue<'ctx>, y: IntValue<'ctx>, signed: bool) -> IntValue<'ctx> {
        let wide = self.llcx.i128_type();
        let widen = |it| match signed {
            true => self.b.build_int_s_extend(it, wide, "").expect(BUILT),
            false => self.b.build_int_z_extend(it, wide, "").expect(BUILT),
        };
        let product = self.b.build_int_mul(widen(x), widen(y), "").expect(BUILT);
        let high = self.b.build_right_shift(product, wide.const_int(64, false), false, "").expect(BUILT);
        self.b.build_int_truncate(high, self.llcx.i64_type(), "").expect(BUILT)
    }
}

impl<'ctx> Machine for Writer<'_, 'ctx> {
    type F = FloatValue<'ctx>;
    type S = FloatValue<'ctx>;
    type I = IntValue<'ctx>;
    type B = IntValue<'ctx>;

    fn float(&self, value: f64) -> Self::F {
        self.llcx.f64_type().const_float(value)
    }

    fn int(&self, value: i64) -> Self::I {
        self.llcx.i64_type().const_int(value.cast_unsigned(), true)
    }

    fn float1(&self, op: Float1, x: Self::F) -> Self::F {
        match op {
            Float1::Neg => self.b.build_float_neg(x, "").expect(BUILT),
            Float1::Abs => self.intrinsic("llvm.fabs", &[x.into()]),
            Float1::Sqrt => self.intrinsic("llvm.sqrt", &[x.into()]),
            Float1::Floor => self.intrinsic("llvm.floor", &[x.into()]),
        }
    }

    fn float2(&self, op: Float2, x: Self::F, y: Self::F) -> Self::F {
        match op {
            Float2::Add => self.b.build_float_add(x, y, "").expect(BUILT),
            Float2::Sub => self.b.build_float_sub(x, y, "").expect(BUILT),
            Float2::Mul => self.b.build_float_mul(x, y, "").expect(BUILT),
            Float2::Div => self.b.build_float_div(x, y, "").expect(BUILT),
            Float2::CopySign => self.intrinsic("llvm.copysign", &[x.into(), y.into()]),
        }
    }

    fn fma(&self, x: Self::F, y: Self::F, z: Self::F) -> Self::F {
        self.intrinsic("llvm.fma", &[x.into(), y.into(), z.into()])
    }

    fn int2(&self, op: Int2, x: Self::I, y: Self::I) -> Self::I {
        match op {
            Int2::Add => self.b.build_int_add(x, y, ""),
            Int2::Sub => self.b.build_int_sub(x, y, ""),
            Int2::Mul => self.b.build_int_mul(x, y, ""),
            Int2::MulHigh => return self.high(x, y, false),
            Int2::MulHighSigned => return self.high(x, y, true),
            Int2::And => self.b.build_and(x, y, ""),
            Int2::Or => self.b.build_or(x, y, ""),
            Int2::Xor => self.b.build_xor(x, y, ""),
            Int2::Shl => self.b.build_left_shift(x, y, ""),
            Int2::Shr => self.b.build_right_shift(x, y, false, ""),
            Int2::Sar => self.b.build_right_shift(x, y, true, ""),
            Int2::Quotient => self.b.build_int_unsigned_div(x, y, ""),
            Int2::Remainder => self.b.build_int_unsigned_rem(x, y, ""),
        }
        .expect(BUILT)
    }

    fn bits(&self, x: Self::F) -> Self::I {
        self.b.build_bit_cast(x, self.llcx.i64_type(), "").expect(BUILT).into_int_value()
    }

    fn of_bits(&self, x: Self::I) -> Self::F {
        self.b.build_bit_cast(x, self.llcx.f64_type(), "").expect(BUILT).into_float_value()
    }

    fn to_float(&self, x: Self::I) -> Self::F {
        self.b.build_signed_int_to_float(x, self.llcx.f64_type(), "").expect(BUILT)
    }

    fn single(&self, value: f32) -> Self::S {
        self.llcx.f32_type().const_float(value.into())
    }

    fn narrow(&self, x: Self::F) -> Self::S {
        self.b.build_float_trunc(x, self.llcx.f32_type(), "").expect(BUILT)
    }

    fn widen(&self, x: Self::S) -> Self::F {
        self.b.build_float_ext(x, self.llcx.f64_type(), "").expect(BUILT)
    }

    fn single1(&self, op: Float1, x: Self::S) -> Self::S {
        self.float1(op, x)
    }

    fn single2(&self, op: Float2, x: Self::S, y: Self::S) -> Self::S {
        self.float2(op, x, y)
    }

    fn single_fma(&self, x: Self::S, y: Self::S, z: Self::S) -> Self::S {
        self.fma(x, y, z)
    }

    fn single_bits(&self, x: Self::S) -> Self::I {
        let bits = self.b.build_bit_cast(x, self.llcx.i32_type(), "").expect(BUILT).into_int_value();
        self.b.build_int_z_extend(bits, self.llcx.i64_type(), "").expect(BUILT)
    }

    fn of_single_bits(&self, x: Self::I) -> Self::S {
        let bits = self.b.build_int_truncate(x, self.llcx.i32_type(), "").expect(BUILT);
        self.b.build_bit_cast(bits, self.llcx.f32_type(), "").expect(BUILT).into_float_value()
    }

    fn to_single(&self, x: Self::I) -> Self::S {
        self.b.build_signed_int_to_float(x, self.llcx.f32_type(), "").expect(BUILT)
    }

    fn test_single(&self, test: Test, x: Self::S, y: Self::S) -> Self::B {
        self.test_float(test, x, y)
    }

    fn select_single(&self, cond: Self::B, x: Self::S, y: Self::S) -> Self::S {
        self.select_float(cond, x, y)
    }

    fn test_float(&self, test: Test, x: Self::F, y: Self::F) -> Self::B {
        let predicate = match test {
            Test::Equal => FloatPredicate::OEQ,
            Test::Less | Test::Below => FloatPredicate::OLT,
        };
        self.b.build_float_compare(predicate, x, y, "").expect(BUILT)
    }

    fn test_int(&self, test: Test, x: Self::I, y: Self::I) -> Self::B {
        let predicate = match test {
            Test::Equal => IntPredicate::EQ,
            Test::Less => IntPredicate::SLT,
            Test::Below => IntPredicate::ULT,
        };
        self.b.build_int_compare(predicate, x, y, "").expect(BUILT)
    }

    fn both(&self, x: Self::B, y: Self::B) -> Self::B {
        self.b.build_and(x, y, "").expect(BUILT)
    }

    fn either(&self, x: Self::B, y: Self::B) -> Self::B {
        self.b.build_or(x, y, "").expect(BUILT)
    }

    fn not(&self, x: Self::B) -> Self::B {
        self.b.build_not(x, "").expect(BUILT)
    }

    fn select_float(&self, cond: Self::B, x: Self::F, y: Self::F) -> Self::F {
        self.b.build_select(cond, x, y, "").expect(BUILT).into_float_value()
    }

    fn select_int(&self, cond: Self::B, x: Self::I, y: Self::I) -> Self::I {
        self.b.build_select(cond, x, y, "").expect(BUILT).into_int_value()
    }

    fn branch<const N: usize>(
        &self,
        cond: Self::B,
        then: impl FnOnce() -> [Self::F; N],
        other: impl FnOnce() -> [Self::F; N],
    ) -> [Self::F; N] {
        let [first, second, joined] = ["then", "other", "joined"].map(|name| self.block(name));
        self.b.build_conditional_branch(cond, first, second).expect(BUILT);
        self.b.position_at_end(first);
        let left = then();
        let left_from = self.here();
        self.b.build_unconditional_branch(joined).expect(BUILT);
        self.b.position_at_end(second);
        let right = other();
        let right_from = self.here();
        self.b.build_unconditional_branch(joined).expect(BUILT);
        self.b.position_at_end(joined);
        std::array::from_fn(|position| {
            let phi = self.b.build_phi(self.llcx.f64_type(), "").expect(BUILT);
            phi.add_incoming(&[(&left[position], left_from), (&right[position], right_from)]);
            phi.as_basic_value().into_float_value()
        })
    }

    fn repeat<const N: usize>(
        &self,
        start: [Self::I; N],
        goes_on: impl Fn([Self::I; N]) -> Self::B,
        step: impl Fn([Self::I; N]) -> [Self::I; N],
    ) -> [Self::I; N] {
        let before = self.here();
        let [head, turn, done] = ["head", "turn", "done"].map(|name| self.block(name));
        self.b.build_unconditional_branch(head).expect(BUILT);
        self.b.position_at_end(head);
        let phis: [PhiValue<'ctx>; N] =
            std::array::from_fn(|_| self.b.build_phi(self.llcx.i64_type(), "").expect(BUILT));
        let state = phis.map(|phi| phi.as_basic_value().into_int_value());
        let cond = goes_on(state);
        self.b.build_conditional_branch(cond, turn, done).expect(BUILT);
        self.b.position_at_end(turn);
        let next = step(state);
        let after = self.here();
        self.b.build_unconditional_branch(head).expect(BUILT);
        for ((phi, first), next) in phis.iter().zip(&start).zip(&next) {
            phi.add_incoming(&[(first, before), (next, after)]);
        }
        self.b.position_at_end(done);
        state
    }

    fn word(&self, table: &'static [u64], index: Self::I) -> Self::I {
        let int = self.llcx.i64_type();
        let ty = int.array_type(u32::try_from(table.len()).expect("tables are short"));
        let name = format!("table.{:x}.{}", table[1], table.len());
        let global = self.module.get_global(&name).unwrap_or_else(|| {
            // Address space 4 is a device's constant memory.
            let global = self.module.add_global(ty, Some(4.into()), &name);
            let words: Vec<_> = table.iter().map(|&word| int.const_int(word, false)).collect();
            global.set_initializer(&int.const_array(&words));
            global.set_constant(true);
            global.set_linkage(Linkage::Internal);
            global
        });
        // SAFETY: this only writes an instruction; the index is in range.
        let at = unsafe { self.b.build_in_bounds_gep(int, global.as_pointer_value(), &[index], "").expect(BUILT) };
        self.b.build_load(int, at, "").expect(BUILT).into_int_value()
    }
}
