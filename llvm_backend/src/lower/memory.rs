//! Memory: elements of arrays, slots, and the fields of the context.
//!
//! Every load and store says which class of memory it touches; see [`Memory`].

use inkwell::IntPredicate;
use inkwell::types::BasicType;
use inkwell::values::{BasicValue, BasicValueEnum, InstructionValue, IntValue, PointerValue};
use snekpy_stage::types::{Elem, Type};

use super::body::{Body, Kind};
use super::meta::Memory;
use super::stored;
use super::value::{ArrayVal, Val};
use crate::fault::Result;

/// The element at an index that is in range.
pub(crate) fn load<'ctx>(body: &Body<'_, 'ctx>, array: ArrayVal<'ctx>, index: IntValue<'ctx>) -> Result<Val<'ctx>> {
    let at = element(body, array, index)?;
    let loaded = load_as(body, body.unit.stored(array.elem), at, class(array))?;
    anywhere(body, instruction(loaded))?;
    Ok(match array.elem {
        Elem::Bool => {
            let byte = loaded.into_int_value();
            Val::Bool(body.b.build_int_compare(IntPredicate::NE, byte, body.unit.types.i8.const_zero(), "")?)
        }
        Elem::I64 => Val::Int(loaded.into_int_value()),
        Elem::F32 => Val::Float(body.b.build_float_ext(loaded.into_float_value(), body.unit.types.f64, "")?),
        Elem::F64 => Val::Float(loaded.into_float_value()),
        Elem::I32 => Val::Int(body.b.build_int_s_extend(loaded.into_int_value(), body.unit.types.i64, "")?),
        elem @ (Elem::F16 | Elem::Bf16) => {
            Val::Float(stored::widen(&body.b, body.unit.llcx, elem, loaded)?.into_float_value())
        }
    })
}

/// Sets the element at an index that is in range.
pub(crate) fn store<'ctx>(
    body: &Body<'_, 'ctx>,
    array: ArrayVal<'ctx>,
    index: IntValue<'ctx>,
    value: Val<'ctx>,
) -> Result<()> {
    let at = element(body, array, index)?;
    let stored = match array.elem {
        Elem::Bool => body.b.build_int_z_extend(value.as_bool(), body.unit.types.i8, "")?.as_basic_value_enum(),
        Elem::I64 => value.as_int().as_basic_value_enum(),
        Elem::F32 => body.b.build_float_trunc(value.as_float(), body.unit.types.f32, "")?.as_basic_value_enum(),
        Elem::F64 => value.as_float().as_basic_value_enum(),
        Elem::I32 => body.b.build_int_truncate(value.as_int(), body.unit.types.i32, "")?.as_basic_value_enum(),
        elem @ (Elem::F16 | Elem::Bf16) => {
            stored::narrow(&body.b, body.unit.llcx, elem, value.as_float().as_basic_value_enum())?
        }
    };
    let store = store_as(body, stored, at, class(array))?;
    anywhere(body, store)
}

fn class(array: ArrayVal<'_>) -> Memory {
    if array.is_shared { Memory::Bytes } else { Memory::Elements(array.elem) }
}

/// Nothing is said about the alignment of arrays of the host; copies on a device are aligned.
fn anywhere(body: &Body<'_, '_>, access: InstructionValue<'_>) -> Result<()> {
    if body.kind == Kind::Device {
        return Ok(());
    }
    Ok(access.set_alignment(1)?)
}

fn element<'ctx>(body: &Body<'_, 'ctx>, array: ArrayVal<'ctx>, index: IntValue<'ctx>) -> Result<PointerValue<'ctx>> {
    at(body, body.unit.stored(array.elem), array.ptr, index)
}

pub(crate) fn at<'ctx>(
    body: &Body<'_, 'ctx>,
    ty: impl BasicType<'ctx>,
    base: PointerValue<'ctx>,
    index: IntValue<'ctx>,
) -> Result<PointerValue<'ctx>> {
    // SAFETY: this only writes an instruction. What it computes is inside the array: a guard before said so.
    Ok(unsafe { body.b.build_in_bounds_gep(ty, base, &[index], "")? })
}

pub(crate) fn load_as<'ctx>(
    body: &Body<'_, 'ctx>,
    ty: impl BasicType<'ctx>,
    from: PointerValue<'ctx>,
    memory: Memory,
) -> Result<BasicValueEnum<'ctx>> {
    let loaded = body.b.build_load(ty, from, "")?;
    body.unit.meta.touches(instruction(loaded), memory)?;
    Ok(loaded)
}

pub(crate) fn store_as<'ctx>(
    body: &Body<'_, 'ctx>,
    value: BasicValueEnum<'ctx>,
    to: PointerValue<'ctx>,
    memory: Memory,
) -> Result<InstructionValue<'ctx>> {
    let stored = body.b.build_store(to, value)?;
    body.unit.meta.touches(stored, memory)?;
    Ok(stored)
}

fn instruction(loaded: BasicValueEnum<'_>) -> InstructionValue<'_> {
    loaded.as_instruction_value().expect("a load is an instruction")
}

/// Where a field of the context is.
pub(crate) fn field<'ctx>(body: &Body<'_, 'ctx>, offset: usize) -> Result<PointerValue<'ctx>> {
    at(body, body.unit.types.i8, body.cx, body.int(offset as i64))
}

/// A field of the context that is an address.
pub(crate) fn load_field<'ctx>(body: &Body<'_, 'ctx>, offset: usize) -> Result<PointerValue<'ctx>> {
    let loaded = load_as(body, body.unit.types.ptr, field(body, offset)?, Memory::Context)?;
    Ok(loaded.into_pointer_value())
}

/// A field of the context that is an integer.
pub(crate) fn load_int_field<'ctx>(body: &Body<'_, 'ctx>, offset: usize) -> Result<IntValue<'ctx>> {
    let loaded = load_as(body, body.unit.types.i64, field(body, offset)?, Memory::Context)?;
    Ok(loaded.into_int_value())
}

/// Sets a field of the context that is an integer.
pub(crate) fn store_field<'ctx>(body: &Body<'_, 'ctx>, offset: usize, value: IntValue<'ctx>) -> Result<()> {
    store_as(body, value.into(), field(body, offset)?, Memory::Context)?;
    Ok(())
}

/// Writes values into consecutive slots.
pub(crate) fn store_slots<'ctx>(body: &Body<'_, 'ctx>, slots: PointerValue<'ctx>, values: &[Val<'ctx>]) -> Result<()> {
    let mut slot = 0;
    for value in values {
        let wide = match *value {
            Val::Bool(it) => Val::Int(body.b.build_int_z_extend(it, body.unit.types.i64, "")?),
            other @ (Val::Int(_) | Val::Float(_) | Val::Array(_) | Val::List(_) | Val::Map(_)) => other,
        };
        for part in wide.parts() {
            store_as(body, part, at(body, body.unit.types.i64, slots, body.int(slot))?, Memory::Slots)?;
            slot += 1;
        }
    }
    Ok(())
}

/// Reads values of these types from consecutive slots.
pub(crate) fn load_slots<'ctx>(
    body: &Body<'_, 'ctx>,
    slots: PointerValue<'ctx>,
    types: &[Type],
) -> Result<Vec<Val<'ctx>>> {
    let mut slot = 0;
    let mut values = Vec::new();
    for &ty in types {
        let mut parts = Vec::new();
        for part in body.unit.parts(ty) {
            let from = at(body, body.unit.types.i64, slots, body.int(slot))?;
            slot += 1;
            parts.push(match ty {
                Type::Bool => {
                    let wide = load_as(body, body.unit.types.i64, from, Memory::Slots)?.into_int_value();
                    body.b.build_int_compare(IntPredicate::NE, wide, body.int(0), "")?.into()
                }
                Type::I64
                | Type::F64
                | Type::Array(_)
                | Type::List(_)
                | Type::Map(_)
                | Type::Object(_)
                | Type::Tensor(_) => load_as(body, part, from, Memory::Slots)?,
            });
        }
        let mut parts = parts.into_iter();
        values.push(body.assemble(ty, || parts.next().expect("a part for each")));
    }
    Ok(values)
}

/// Reads the parameters of the main function from the slots of the arguments.
pub(crate) fn load_params<'ctx>(body: &Body<'_, 'ctx>) -> Result<Vec<Val<'ctx>>> {
    let slots = body.slots.expect("only the entry takes its parameters from slots");
    let types = body.func.param_types();
    let values = load_slots(body, slots.args, &types)?;
    for (ty, value) in types.into_iter().zip(&values) {
        if let (Type::Array(ty), Val::Array(array)) = (ty, value)
            && let Some(load) = array.ptr.as_instruction()
        {
            body.unit.meta.is_array(load, ty)?;
        }
    }
    Ok(values)
}
