//! An input of a sweep that is a product of two matrices, in a kernel of one block.
//!
//! Each thread adds up what its own positions are, all of them at once, in the order in which the kernels of products do
//! (`product`): so the elements have the same bits. The factors are small, and stay in the cache of the multiprocessor.

use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::types::{BasicMetadataTypeEnum, BasicType};
use inkwell::values::{BasicValueEnum, FunctionValue, IntValue, PointerValue};
use inkwell::{AddressSpace, IntPredicate, builder::BuilderError};
use snekpy_stage::tensor::Dtype;

use super::each::Each;
use crate::ptx::GLOBAL;

type Result<T> = std::result::Result<T, BuilderError>;

/// A product of dense matrices, as it is passed.
pub(super) struct Matrices<'ctx> {
    a: PointerValue<'ctx>,
    b: PointerValue<'ctx>,
    columns: IntValue<'ctx>,
    /// How many products are added up.
    depth: IntValue<'ctx>,
    /// Whether zero is added at the end.
    padded: IntValue<'ctx>,
}

/// The types of its parameters.
pub(super) fn types(llcx: &Context) -> [BasicMetadataTypeEnum<'_>; 5] {
    let (int, pointer) = (llcx.i64_type().into(), llcx.ptr_type(AddressSpace::from(GLOBAL)).into());
    [pointer, pointer, int, int, int]
}

impl<'ctx> Matrices<'ctx> {
    pub(super) fn of(params: &mut impl Iterator<Item = BasicValueEnum<'ctx>>) -> Self {
        let mut next = || params.next().expect("the function was declared with it");
        let [a, b] = [next(), next()].map(BasicValueEnum::into_pointer_value);
        let [columns, depth, padded] = [next(), next(), next()].map(BasicValueEnum::into_int_value);
        Self { a, b, columns, depth, padded }
    }

    /// The elements at some positions, by the index along each axis: all of the product as one, or its rows and columns.
    pub(super) fn elements(
        &self,
        each: &Each<'_, 'ctx>,
        func: FunctionValue<'ctx>,
        dtype: Dtype,
        indices: &[Vec<IntValue<'ctx>>],
    ) -> Result<Vec<BasicValueEnum<'ctx>>> {
        let (b, int) = (each.b, each.llcx.i64_type());
        let [head, more, done] = ["sum", "more", "summed"].map(|name| each.llcx.append_basic_block(func, name));
        let mut rows = Vec::new();
        let mut columns = Vec::new();
        for index in indices {
            let (row, column) = match index[..] {
                [row, column] => (row, column),
                _ => {
                    let row = b.build_int_unsigned_div(index[0], self.columns, "")?;
                    (row, b.build_int_sub(index[0], b.build_int_mul(row, self.columns, "")?, "")?)
                }
            };
            rows.push(b.build_int_mul(row, self.depth, "")?);
            columns.push(column);
        }
        let float = if dtype == Dtype::F64 { each.llcx.f64_type() } else { each.llcx.f32_type() };
        let entry = b.get_insert_block().expect("the builder stands in a block");
        b.build_unconditional_branch(head)?;

        b.position_at_end(head);
        let step_phi = b.build_phi(int, "")?;
        let step = step_phi.as_basic_value().into_int_value();
        let sums = indices.iter().map(|_| b.build_phi(float, "")).collect::<Result<Vec<_>>>()?;
        let goes_on = b.build_int_compare(IntPredicate::ULT, step, self.depth, "")?;
        b.build_conditional_branch(goes_on, more, done)?;

        b.position_at_end(more);
        let above = b.build_int_mul(step, self.columns, "")?;
        let fma =
            Intrinsic::find("llvm.fma").and_then(|it| it.get_declaration(each.module, &[float.as_basic_type_enum()]));
        let fma = fma.expect("LLVM 22 has it for floats");
        // SAFETY: this only writes an instruction; the index is in range.
        let at = |base, far| unsafe { b.build_gep(each.stored(dtype), base, &[far], "") };
        for ((sum, &row), &column) in sums.iter().zip(&rows).zip(&columns) {
            let x = each.load(dtype, at(self.a, b.build_int_add(row, step, "")?)?);
            let y = each.load(dtype, at(self.b, b.build_int_add(above, column, "")?)?);
            let args = [x.into(), y.into(), sum.as_basic_value().into()];
            let made = b.build_direct_call(fma, &args, "")?.try_as_basic_value().expect_basic("it gives a float");
            sum.add_incoming(&[(&float.const_zero(), entry), (&made, more)]);
        }
        let following = b.build_int_nuw_add(step, int.const_int(1, false), "")?;
        b.build_unconditional_branch(head)?;
        step_phi.add_incoming(&[(&int.const_zero(), entry), (&following, more)]);

        b.position_at_end(done);
        let padded = b.build_int_compare(IntPredicate::NE, self.padded, int.const_zero(), "")?;
        let ended = |sum: BasicValueEnum<'ctx>| -> Result<BasicValueEnum<'ctx>> {
            let more = b.build_float_add(sum.into_float_value(), float.const_zero(), "")?;
            Ok(each.select(padded, more.into(), sum))
        };
        sums.iter().map(|it| ended(it.as_basic_value())).collect()
    }
}
