//! Lists: their headers are read and written in place; growing and what is rare is a call.

use std::mem::offset_of;

use inkwell::IntPredicate;
use inkwell::attributes::AttributeLoc;
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{IntValue, PointerValue};
use snekpy_stage::backend::{Context, Trap};
use snekpy_stage::entity::Loc;
use snekpy_stage::list::List;
use snekpy_stage::op::{ListOp, Op};
use snekpy_stage::types::{ListType, Type};

use super::body::Body;
use super::meta::Memory;
use super::value::{ArrayVal, ListVal, Val};
use super::{leave, memory};
use crate::fault::Result;

/// A list with nothing in it.
pub(crate) fn new<'ctx>(body: &Body<'_, 'ctx>, ty: ListType) -> Result<ListVal<'ctx>> {
    let header = make(body, offset_of!(Context, list_new), u64::from(ty.code()))?;
    Ok(ListVal { ty, header })
}

/// Calls the function of the context at this offset, which makes a container of the type of this number.
pub(crate) fn make<'ctx>(body: &Body<'_, 'ctx>, offset: usize, number: u64) -> Result<PointerValue<'ctx>> {
    let make = memory::load_field(body, offset)?;
    let (ptr, int) = (body.unit.types.ptr, body.unit.types.i32);
    let given = [body.cx.into(), int.const_int(number, false).into()];
    let called = body.b.build_indirect_call(ptr.fn_type(&[ptr.into(), int.into()], false), make, &given, "")?;
    called.add_attribute(AttributeLoc::Function, body.unit.attribute("nounwind", 0));
    Ok(called.try_as_basic_value().expect_basic("it returns an address").into_pointer_value())
}

/// Does to a list what an op says.
pub(crate) fn change<'ctx>(
    body: &Body<'_, 'ctx>,
    op: ListOp,
    args: &[Val<'ctx>],
    loc: Option<Loc>,
) -> Result<Option<Val<'ctx>>> {
    let list = args[0].as_list();
    let index = || args[1].as_int();
    Ok(match op {
        ListOp::Len => Some(Val::Int(len(body, list)?)),
        ListOp::Get => Some(item(body, list, index())?),
        ListOp::Set => {
            put(body, list, index(), args[2])?;
            None
        }
        ListOp::Push => {
            push(body, list, args[1], loc)?;
            None
        }
        ListOp::Pop => {
            let last = body.b.build_int_nuw_sub(len(body, list)?, body.int(1), "")?;
            let item = item(body, list, last)?;
            set_len(body, list, last)?;
            Some(item)
        }
        ListOp::Truncate => {
            set_len(body, list, index())?;
            None
        }
        ListOp::Append => {
            append(body, list, args[1])?;
            None
        }
        ListOp::Fill | ListOp::Insert => {
            call(body, list, op, index(), Some(args[2]))?;
            None
        }
        ListOp::Shift => {
            shift(body, list, index(), args[2])?;
            None
        }
        ListOp::Reserve => {
            reserve(body, list, index(), loc)?;
            None
        }
        ListOp::Remove => {
            call(body, list, op, index(), None)?;
            let room = body.item.expect("a function that calls has reserved room");
            let item = memory::load_slots(body, room, &[list.ty.item()])?;
            Some(item[0])
        }
    })
}

/// Reserves room for the slot of an item, if it is needed: once, as a reservation in a loop would grow the stack.
pub(crate) fn reserve_item(body: &mut Body<'_, '_>) -> Result<()> {
    let mut insts = body.flow.order.iter().flat_map(|&block| &body.func.blocks[block].insts);
    let calls = |op| matches!(op, Op::List(op) if op.grows() || matches!(op, ListOp::Fill | ListOp::Insert | ListOp::Remove | ListOp::Shift));
    if insts.any(|&inst| calls(body.func.insts[inst].op)) {
        body.item = Some(body.b.build_alloca(body.unit.types.i64, "item")?);
    }
    Ok(())
}

/// Appends: in place while there is room.
fn push<'ctx>(body: &Body<'_, 'ctx>, list: ListVal<'ctx>, item: Val<'ctx>, loc: Option<Loc>) -> Result<()> {
    let length = len(body, list)?;
    let room = field(body, list, offset_of!(List, room))?;
    let full = body.b.build_int_compare(IntPredicate::UGE, length, room, "")?;
    let (grow, next) = (body.append("grow"), body.append("pushed"));
    body.rarely(full, grow)?;
    append(body, list, item)?;
    body.b.build_unconditional_branch(next)?;

    body.b.position_at_end(grow);
    let failed = call(body, list, ListOp::Push, body.int(0), Some(item))?;
    leave::trap_if(body, failed, Trap::Memory, loc)?;
    body.b.build_unconditional_branch(next)?;
    body.b.position_at_end(next);
    Ok(())
}

/// Appends where there is room.
fn append<'ctx>(body: &Body<'_, 'ctx>, list: ListVal<'ctx>, item: Val<'ctx>) -> Result<()> {
    let length = len(body, list)?;
    put(body, list, length, item)?;
    set_len(body, list, body.b.build_int_nuw_add(length, body.int(1), "")?)
}

/// Moves the items by so many places: mostly by none.
fn shift<'ctx>(body: &Body<'_, 'ctx>, list: ListVal<'ctx>, by: IntValue<'ctx>, item: Val<'ctx>) -> Result<()> {
    let moves = body.b.build_int_compare(IntPredicate::NE, by, body.int(0), "")?;
    let (shift, next) = (body.append("shift"), body.append("shifted"));
    body.rarely(moves, shift)?;
    body.b.build_unconditional_branch(next)?;

    body.b.position_at_end(shift);
    call(body, list, ListOp::Shift, by, Some(item))?;
    body.b.build_unconditional_branch(next)?;
    body.b.position_at_end(next);
    Ok(())
}

/// Makes room, if there is not enough.
fn reserve<'ctx>(body: &Body<'_, 'ctx>, list: ListVal<'ctx>, more: IntValue<'ctx>, loc: Option<Loc>) -> Result<()> {
    let room = field(body, list, offset_of!(List, room))?;
    let left = body.b.build_int_nuw_sub(room, len(body, list)?, "")?;
    let short = body.b.build_int_compare(IntPredicate::SGT, more, left, "")?;
    let (grow, next) = (body.append("grow"), body.append("reserved"));
    body.rarely(short, grow)?;
    body.b.build_unconditional_branch(next)?;

    body.b.position_at_end(grow);
    let failed = call(body, list, ListOp::Reserve, more, None)?;
    leave::trap_if(body, failed, Trap::Memory, loc)?;
    body.b.build_unconditional_branch(next)?;
    body.b.position_at_end(next);
    Ok(())
}

/// Lets the host do it: whether there was no memory. What is given and taken is in the slot that was reserved.
fn call<'ctx>(
    body: &Body<'_, 'ctx>,
    list: ListVal<'ctx>,
    op: ListOp,
    index: IntValue<'ctx>,
    item: Option<Val<'ctx>>,
) -> Result<IntValue<'ctx>> {
    let room = body.item.expect("a function that calls has reserved room");
    memory::store_slots(body, room, &[item.unwrap_or(Val::Int(body.int(0)))])?;
    let function = memory::load_field(body, offset_of!(Context, list_change))?;
    let (ptr, int) = (body.unit.types.ptr, body.unit.types.i32);
    let params: [BasicMetadataTypeEnum; 4] = [ptr.into(), int.into(), body.unit.types.i64.into(), ptr.into()];
    let position = ListOp::ALL.iter().position(|it| *it == op).expect("every op is among all");
    let given = [list.header.into(), int.const_int(position as u64, false).into(), index.into(), room.into()];
    let called = body.b.build_indirect_call(int.fn_type(&params, false), function, &given, "failed")?;
    called.add_attribute(AttributeLoc::Function, body.unit.attribute("nounwind", 0));
    let failed = called.try_as_basic_value().expect_basic("it returns an integer").into_int_value();
    Ok(body.b.build_int_compare(IntPredicate::NE, failed, int.const_zero(), "")?)
}

fn len<'ctx>(body: &Body<'_, 'ctx>, list: ListVal<'ctx>) -> Result<IntValue<'ctx>> {
    field(body, list, offset_of!(List, len))
}

fn set_len<'ctx>(body: &Body<'_, 'ctx>, list: ListVal<'ctx>, len: IntValue<'ctx>) -> Result<()> {
    let at = address(body, list, offset_of!(List, len))?;
    memory::store_as(body, len.into(), at, Memory::List)?;
    Ok(())
}

fn field<'ctx>(body: &Body<'_, 'ctx>, list: ListVal<'ctx>, offset: usize) -> Result<IntValue<'ctx>> {
    let at = address(body, list, offset)?;
    Ok(memory::load_as(body, body.unit.types.i64, at, Memory::List)?.into_int_value())
}

/// The item at an index that is one.
fn item<'ctx>(body: &Body<'_, 'ctx>, list: ListVal<'ctx>, index: IntValue<'ctx>) -> Result<Val<'ctx>> {
    let first = first(body, list)?;
    match list.ty.item() {
        Type::List(ty) => {
            let at = memory::at(body, body.unit.types.ptr, first, index)?;
            let header = memory::load_as(body, body.unit.types.ptr, at, Memory::Lists)?.into_pointer_value();
            Ok(Val::List(ListVal { ty, header }))
        }
        _ => memory::load(body, numbers(body, list, first), index),
    }
}

/// Replaces the item at an index for which there is room.
fn put<'ctx>(body: &Body<'_, 'ctx>, list: ListVal<'ctx>, index: IntValue<'ctx>, item: Val<'ctx>) -> Result<()> {
    let first = first(body, list)?;
    match item {
        Val::List(item) => {
            let at = memory::at(body, body.unit.types.ptr, first, index)?;
            memory::store_as(body, item.header.into(), at, Memory::Lists)?;
            Ok(())
        }
        number => memory::store(body, numbers(body, list, first), index, number),
    }
}

/// Where the items are.
fn first<'ctx>(body: &Body<'_, 'ctx>, list: ListVal<'ctx>) -> Result<PointerValue<'ctx>> {
    let at = address(body, list, offset_of!(List, data))?;
    Ok(memory::load_as(body, body.unit.types.ptr, at, Memory::List)?.into_pointer_value())
}

/// The items of a list of numbers, as of an array.
fn numbers<'ctx>(body: &Body<'_, 'ctx>, list: ListVal<'ctx>, first: PointerValue<'ctx>) -> ArrayVal<'ctx> {
    ArrayVal { elem: list.ty.elem, is_shared: false, ptr: first, len: body.int(0) }
}

fn address<'ctx>(body: &Body<'_, 'ctx>, list: ListVal<'ctx>, offset: usize) -> Result<PointerValue<'ctx>> {
    memory::at(body, body.unit.types.i8, list.header, body.int(offset as i64))
}
