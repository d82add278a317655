//! Attributes of objects of the host that lie in rows: read, written and asked for without a call.

use inkwell::values::{BasicValueEnum, IntValue, PointerValue};
use inkwell::{FloatPredicate, IntPredicate};
use snekpy_stage::backend::Context;
use snekpy_stage::row::{CHANGED, Column, Does, NUMBERS, OPEN};
use snekpy_stage::types::Type;

use super::body::Body;
use super::memory;
use super::meta::Memory;
use super::value::Val;
use crate::fault::Result;

/// What a function of the host does with a column, where the row of the object has it; otherwise it is called.
pub(crate) fn access<'ctx>(
    body: &Body<'_, 'ctx>,
    column: Column,
    word: usize,
    args: &[Val<'ctx>],
    gives: Option<Type>,
    call: impl FnOnce() -> Result<Vec<Val<'ctx>>>,
) -> Result<Vec<Val<'ctx>>> {
    let types = &body.unit.types;
    let (here, look, other, next) =
        (body.append("here"), body.append("row"), body.append("told"), body.append("accessed"));
    let object = args[args.len() - 1].as_int();
    let counted = memory::load_int_field(body, std::mem::offset_of!(Context, rowed))?;
    let has_place = body.b.build_int_compare(IntPredicate::ULT, object, counted, "")?;
    body.b.build_conditional_branch(has_place, look, other)?;

    body.b.position_at_end(look);
    let rows = memory::load_field(body, std::mem::offset_of!(Context, rows))?;
    let place = memory::at(body, types.ptr, rows, object)?;
    let row = memory::load_as(body, types.ptr, place, Memory::Rows)?.into_pointer_value();
    let mut bits = bits(body, row, word)?;
    if column.does == Does::Writes {
        bits = body.b.build_and(bits, self::bits(body, row, OPEN)?, "")?;
    }
    let mask = types.i64.const_int(1 << column.index, false);
    let bit = body.b.build_and(bits, mask, "")?;
    let mut is_there = body.b.build_int_compare(IntPredicate::NE, bit, types.i64.const_zero(), "")?;
    if let (Does::Writes, Val::Float(number)) = (column.does, args[0]) {
        // A NaN is the object that it is.
        let is_number = body.b.build_float_compare(FloatPredicate::ORD, number, number, "")?;
        is_there = body.b.build_and(is_there, is_number, "")?;
    }
    body.b.build_conditional_branch(is_there, here, other)?;

    body.b.position_at_end(here);
    let number = memory::at(body, types.i64, row, body.int((NUMBERS + column.index as usize) as i64))?;
    let mut known = vec![Val::Bool(types.i1.const_all_ones())];
    match (column.does, gives) {
        (Does::Reads, Some(ty)) => known.push(read(body, number, ty)?),
        (Does::Writes, _) => {
            write(body, number, args[0])?;
            let changed = body.b.build_or(self::bits(body, row, CHANGED)?, mask, "")?;
            let place = memory::at(body, types.i64, row, body.int(CHANGED as i64))?;
            memory::store_as(body, changed.into(), place, Memory::Rows)?;
        }
        _ => {}
    }
    body.b.build_unconditional_branch(next)?;

    body.b.position_at_end(other);
    let told = call()?;
    let told_from = body.here();
    body.b.build_unconditional_branch(next)?;

    body.b.position_at_end(next);
    let types: Vec<Type> = std::iter::once(Type::Bool).chain(gives).collect();
    body.joined(&types, (known, here), (told, told_from))
}

/// A word of bits of a row.
fn bits<'ctx>(body: &Body<'_, 'ctx>, row: PointerValue<'ctx>, word: usize) -> Result<IntValue<'ctx>> {
    let place = memory::at(body, body.unit.types.i64, row, body.int(word as i64))?;
    Ok(memory::load_as(body, body.unit.types.i64, place, Memory::Rows)?.into_int_value())
}

/// The number that is there.
fn read<'ctx>(body: &Body<'_, 'ctx>, place: PointerValue<'ctx>, ty: Type) -> Result<Val<'ctx>> {
    let types = &body.unit.types;
    if ty == Type::F64 {
        return Ok(Val::Float(memory::load_as(body, types.f64, place, Memory::Rows)?.into_float_value()));
    }
    let int = memory::load_as(body, types.i64, place, Memory::Rows)?.into_int_value();
    Ok(match ty {
        Type::Bool => Val::Bool(body.b.build_int_compare(IntPredicate::NE, int, body.int(0), "")?),
        _ => Val::Int(int),
    })
}

fn write<'ctx>(body: &Body<'_, 'ctx>, place: PointerValue<'ctx>, number: Val<'ctx>) -> Result<()> {
    let wide = match number {
        Val::Bool(it) => Val::Int(body.b.build_int_z_extend(it, body.unit.types.i64, "")?),
        other => other,
    };
    memory::store_as(body, part(wide), place, Memory::Rows)?;
    Ok(())
}

/// The one part of a number.
fn part(value: Val<'_>) -> BasicValueEnum<'_> {
    value.parts().next().expect("a number has a part")
}
