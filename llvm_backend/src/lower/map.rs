//! Maps and sets: values are read and replaced in place; looking a key up and what changes a map otherwise is a call.

use std::mem::offset_of;

use inkwell::IntPredicate;
use inkwell::types::{BasicMetadataTypeEnum, BasicType, BasicTypeEnum};
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, IntValue, PointerValue};
use snekpy_stage::backend::{Context, Trap};
use snekpy_stage::entity::Loc;
use snekpy_stage::map::{Entry, Map};
use snekpy_stage::op::MapOp;
use snekpy_stage::types::{MapType, Scalar};

use super::body::Body;
use super::compare;
use super::meta::Memory;
use super::value::{MapVal, Val};
use super::{leave, list, memory};
use crate::fault::Result;
use crate::symbols;

/// A map with nothing in it.
pub(crate) fn new<'ctx>(body: &Body<'_, 'ctx>, ty: MapType) -> Result<MapVal<'ctx>> {
    let header = list::make(body, offset_of!(Context, map_new), u64::from(ty.number()))?;
    Ok(MapVal { ty, header })
}

/// Does to a map what an op says.
pub(crate) fn change<'ctx>(
    body: &Body<'_, 'ctx>,
    op: MapOp,
    args: &[Val<'ctx>],
    loc: Option<Loc>,
) -> Result<Option<Val<'ctx>>> {
    let map = args[0].as_map();
    let header: BasicMetadataValueEnum<'ctx> = map.header.into();
    let (ptr, wide) = (body.unit.types.ptr, body.unit.types.i64);
    let position = || args[1].as_int();
    Ok(match op {
        MapOp::Len => Some(Val::Int(field(body, map, offset_of!(Map, len))?)),
        MapOp::Changes => Some(Val::Int(field(body, map, offset_of!(Map, changes))?)),
        MapOp::Find => {
            let key = bits(body, args[1])?;
            let found = call(body, symbols::MAP_FIND, &[ptr.into(), wide.into()], wide, &[header, key.into()], true)?;
            Some(Val::Int(found.into_int_value()))
        }
        MapOp::Next => {
            let given = [header, position().into()];
            let found = call(body, symbols::MAP_NEXT, &[ptr.into(), wide.into()], wide, &given, true)?;
            Some(Val::Int(found.into_int_value()))
        }
        MapOp::Last => {
            let found = call(body, symbols::MAP_LAST, &[ptr.into()], wide, &[header], true)?;
            Some(Val::Int(found.into_int_value()))
        }
        MapOp::Key => Some(load(body, map, position(), offset_of!(Entry, key), map.ty.key)?),
        MapOp::Get => {
            let value = map.ty.value.expect("the module was verified, so it has values");
            let there = body.b.build_int_compare(IntPredicate::SGE, position(), body.int(0), "")?;
            // The first entry can be read, even where there is none.
            let at = body.b.build_select(there, position(), body.int(0), "")?.into_int_value();
            let found = load(body, map, at, offset_of!(Entry, value), value)?;
            Some(compare::select(body, there, found, args[2])?)
        }
        MapOp::Put => {
            put(body, map, position(), args[2], args.get(3).copied(), loc)?;
            None
        }
        MapOp::Remove => {
            let int = body.unit.types.i32;
            call(body, symbols::MAP_REMOVE, &[ptr.into(), wide.into()], int, &[header, position().into()], false)?;
            None
        }
        MapOp::Clear => {
            call(body, symbols::MAP_CLEAR, &[ptr.into()], body.unit.types.i32, &[header], false)?;
            None
        }
    })
}

/// Replaces a value in place, or lets the key come.
fn put<'ctx>(
    body: &Body<'_, 'ctx>,
    map: MapVal<'ctx>,
    position: IntValue<'ctx>,
    key: Val<'ctx>,
    value: Option<Val<'ctx>>,
    loc: Option<Loc>,
) -> Result<()> {
    let (ptr, wide) = (body.unit.types.ptr, body.unit.types.i64);
    let key = bits(body, key)?;
    let value = match value {
        Some(value) => bits(body, value)?,
        None => body.int(0),
    };
    let (come, there, next) = (body.append("come"), body.append("there"), body.append("put"));
    let missing = body.b.build_int_compare(IntPredicate::SLT, position, body.int(0), "")?;
    body.b.build_conditional_branch(missing, come, there)?;

    body.b.position_at_end(there);
    if map.ty.value.is_some() {
        let at = entry(body, map, position, offset_of!(Entry, value))?;
        memory::store_as(body, value.into(), at, Memory::Map)?;
    }
    body.b.build_unconditional_branch(next)?;

    body.b.position_at_end(come);
    let params = [ptr.into(), wide.into(), wide.into()];
    let int = body.unit.types.i32;
    let given = [map.header.into(), key.into(), value.into()];
    let failed = call(body, symbols::MAP_INSERT, &params, int, &given, false)?.into_int_value();
    let failed = body.b.build_int_compare(IntPredicate::NE, failed, int.const_zero(), "")?;
    leave::trap_if(body, failed, Trap::Memory, loc)?;
    body.b.build_unconditional_branch(next)?;
    body.b.position_at_end(next);
    Ok(())
}

fn call<'ctx>(
    body: &Body<'_, 'ctx>,
    name: &'static str,
    params: &[BasicMetadataTypeEnum<'ctx>],
    result: impl BasicType<'ctx>,
    given: &[BasicMetadataValueEnum<'ctx>],
    only_reads: bool,
) -> Result<BasicValueEnum<'ctx>> {
    let function = body.unit.memory_runtime(name, params, result.as_basic_type_enum(), only_reads);
    let called = body.b.build_call(function, given, "")?;
    Ok(called.try_as_basic_value().expect_basic("it returns something"))
}

/// A key or value as the slot that it is in.
fn bits<'ctx>(body: &Body<'_, 'ctx>, value: Val<'ctx>) -> Result<IntValue<'ctx>> {
    let wide = body.unit.types.i64;
    Ok(match value {
        Val::Bool(it) => body.b.build_int_z_extend(it, wide, "")?,
        Val::Int(it) => it,
        Val::Float(it) => body.b.build_bit_cast(it, wide, "")?.into_int_value(),
        Val::Array(_) | Val::List(_) | Val::Map(_) => unreachable!("keys and values of maps are scalars"),
    })
}

fn load<'ctx>(
    body: &Body<'_, 'ctx>,
    map: MapVal<'ctx>,
    position: IntValue<'ctx>,
    offset: usize,
    ty: Scalar,
) -> Result<Val<'ctx>> {
    let at = entry(body, map, position, offset)?;
    let stored: BasicTypeEnum<'ctx> = match ty {
        Scalar::Bool | Scalar::I64 => body.unit.types.i64.into(),
        Scalar::F64 => body.unit.types.f64.into(),
    };
    let loaded = memory::load_as(body, stored, at, Memory::Map)?;
    Ok(match ty {
        Scalar::Bool => {
            Val::Bool(body.b.build_int_compare(IntPredicate::NE, loaded.into_int_value(), body.int(0), "")?)
        }
        Scalar::I64 => Val::Int(loaded.into_int_value()),
        Scalar::F64 => Val::Float(loaded.into_float_value()),
    })
}

/// Where a part of an entry is.
fn entry<'ctx>(
    body: &Body<'_, 'ctx>,
    map: MapVal<'ctx>,
    position: IntValue<'ctx>,
    offset: usize,
) -> Result<PointerValue<'ctx>> {
    let at = memory::at(body, body.unit.types.i8, map.header, body.int(offset_of!(Map, data) as i64))?;
    let data = memory::load_as(body, body.unit.types.ptr, at, Memory::Map)?.into_pointer_value();
    let start = body.b.build_int_mul(position, body.int(size_of::<Entry>() as i64), "")?;
    let start = body.b.build_int_add(start, body.int(offset as i64), "")?;
    memory::at(body, body.unit.types.i8, data, start)
}

fn field<'ctx>(body: &Body<'_, 'ctx>, map: MapVal<'ctx>, offset: usize) -> Result<IntValue<'ctx>> {
    let at = memory::at(body, body.unit.types.i8, map.header, body.int(offset as i64))?;
    Ok(memory::load_as(body, body.unit.types.i64, at, Memory::Map)?.into_int_value())
}
