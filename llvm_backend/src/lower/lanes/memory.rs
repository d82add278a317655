//! Elements of arrays, for all lanes at once.

use inkwell::IntPredicate;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, IntValue, VectorValue};
use snekpy_stage::entity::Value;
use snekpy_stage::types::Type;

use super::Lanes;
use crate::fault::Result;
use crate::lower::memory;
use crate::lower::stored::Stored;
use crate::lower::value::Val;

/// The elements at the lanes' indices, each in range if its lane is in the mask. Mostly they lie one behind the other.
pub(super) fn load<'ctx>(lanes: &mut Lanes<'_, 'ctx>, array: Value, index: Value) -> Result<VectorValue<'ctx>> {
    let array = lanes.scalar(array)?.as_array();
    let index = lanes.vector(index)?;
    let stored = lanes.stored().vector(array.elem);
    let element = lanes.body.unit.stored(array.elem);
    let first = lanes.lane(index, 0)?.into_int_value();
    let expected = lanes.splat(first.into())?;
    let b = &lanes.body.b;
    let expected = b.build_int_add(expected, lanes.vectors.counted(), "")?;
    let other = b.build_int_compare(IntPredicate::NE, index, expected, "")?;
    let other = b.build_and(lanes.mask, other, "")?;
    let [row, scattered, loaded] = ["row", "scattered", "loaded"].map(|name| lanes.body.append(name));
    b.build_conditional_branch(lanes.any(other)?, scattered, row)?;

    b.position_at_end(row);
    // Only lanes of the mask are read, and those are there; the first element need not be.
    // SAFETY: this only writes an instruction.
    let from = unsafe { b.build_gep(element, array.ptr, &[first], "")? };
    let masked = [from.into(), lanes.mask.into(), stored.const_zero().into()];
    let in_row = call(lanes, "llvm.masked.load", &[stored.into(), from.get_type().into()], &masked)?;
    b.build_unconditional_branch(loaded)?;

    b.position_at_end(scattered);
    let base = b.build_ptr_to_int(array.ptr, lanes.body.unit.types.i64, "")?;
    let base = lanes.splat(base.into())?;
    let size = lanes.vectors.int_constant(array.elem.size() as i64);
    let from = b.build_int_add(base, b.build_int_mul(index, size, "")?, "")?;
    let pointers = lanes.body.unit.types.ptr.vec_type(lanes.vectors.width);
    let from = b.build_int_to_ptr(from, pointers, "")?;
    let masked = [from.into(), lanes.mask.into(), stored.const_zero().into()];
    let gathered = call(lanes, "llvm.masked.gather", &[stored.into(), pointers.into()], &masked)?;
    b.build_unconditional_branch(loaded)?;

    b.position_at_end(loaded);
    let phi = b.build_phi(stored, "")?;
    phi.add_incoming(&[(&in_row, row), (&gathered, scattered)]);
    let value = phi.as_basic_value().into_vector_value();
    Ok(lanes.stored().widen(array.elem, value)?)
}

/// Stores the results of the lanes that have a position, from an offset of the outputs on.
pub(super) fn store_results<'ctx>(
    lanes: &Lanes<'_, 'ctx>,
    offset: IntValue<'ctx>,
    outputs: &[Val<'ctx>],
) -> Result<()> {
    let results = &lanes.func().results;
    for ((&slot, &ty), output) in lanes.results.iter().zip(results).zip(outputs) {
        let (b, output) = (&lanes.body.b, output.as_array());
        let value = b.build_load(lanes.vectors.of(ty), slot, "")?.into_vector_value();
        let stored = lanes.stored().vector(output.elem);
        let value = match ty {
            // Those of a sum are added up as integers.
            Type::Bool => b.build_int_z_extend(value, stored, "")?,
            _ => lanes.stored().narrow(output.elem, value)?,
        };
        let to = memory::at(&lanes.body, lanes.body.unit.stored(output.elem), output.ptr, offset)?;
        let store = lanes.body.unit.overloaded("llvm.masked.store", &[stored.into(), to.get_type().into()]);
        b.build_direct_call(store, &[value.into(), to.into(), lanes.active.into()], "")?;
    }
    Ok(())
}

fn call<'ctx>(
    lanes: &Lanes<'_, 'ctx>,
    name: &'static str,
    types: &[BasicTypeEnum<'ctx>],
    args: &[BasicMetadataValueEnum<'ctx>],
) -> Result<BasicValueEnum<'ctx>> {
    let called = lanes.body.b.build_direct_call(lanes.body.unit.overloaded(name, types), args, "")?;
    Ok(called.try_as_basic_value().expect_basic("a load gives a value"))
}

impl<'ctx> Lanes<'_, 'ctx> {
    /// Writes how elements are stored, one for each lane.
    pub(super) fn stored(&self) -> Stored<'_, 'ctx> {
        Stored::new(&self.body.b, self.body.unit.llcx, self.vectors.width)
    }
}
