//! Calls: of functions of the module, of the host, and of the main function by the entry.
//!
//! How many more calls may be nested is a parameter, one less at every call, so that counting costs no
//! memory traffic. The context's field is brought up to date only where somebody can see it: before a
//! call of the host.

use inkwell::IntPredicate;
use inkwell::attributes::AttributeLoc;
use inkwell::types::{BasicMetadataTypeEnum, BasicTypeEnum};
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, FunctionValue, IntValue, PointerValue, StructValue};
use snekpy_stage::backend::{Context, NO_OBJECT, NONE, Status, Trap, slots};
use snekpy_stage::entity::{Entity, FuncId, HostId, Loc};
use snekpy_stage::ir::Function;
use snekpy_stage::op::Op;
use snekpy_stage::types::Type;

use super::body::{Body, Kind, Slots, State};
use super::meta::Memory;
use super::unit::{FAST_CC, Unit};
use super::value::Val;
use super::{control, leave, memory, row};
use crate::fault::Result;

/// Calls a function of the module. If it leaves other than by returning, so does the caller.
pub(crate) fn call<'ctx>(
    body: &Body<'_, 'ctx>,
    callee: FuncId,
    args: &[Val<'ctx>],
    state: Option<State<'_, 'ctx>>,
    loc: Option<Loc>,
) -> Result<Vec<Val<'ctx>>> {
    if body.kind == Kind::Device {
        let (status, returned) = invoke(body, callee, body.depth, args)?;
        let failed = body.b.build_int_compare(IntPredicate::NE, status, body.int(0), "")?;
        let (failing, next) = (body.append("failed"), body.append("returned"));
        body.b.build_conditional_branch(failed, failing, next)?;
        body.b.position_at_end(failing);
        leave::with(body, status)?;
        body.b.position_at_end(next);
        return take_apart(body, callee, returned);
    }
    control::poll_call(body, loc)?;
    let exhausted = body.b.build_int_compare(IntPredicate::SLE, body.depth, body.int(0), "")?;
    leave::trap_if(body, exhausted, Trap::Depth, loc)?;
    let depth = body.b.build_int_nsw_sub(body.depth, body.int(1), "")?;
    let (status, returned) = invoke(body, callee, depth, args)?;
    let failed = body.b.build_int_compare(IntPredicate::NE, status, body.int(0), "")?;
    let unwinding = body.append("unwind");
    body.rarely(failed, unwinding)?;
    let next = body.here();

    body.b.position_at_end(unwinding);
    if let (None, Some(_)) = (state, body.checkpoint) {
        tell(body, body.unit.types.i64.const_int(Status::FORGET, false))?;
        leave::as_cause(body, status, loc)?;
        body.b.position_at_end(next);
        return take_apart(body, callee, returned);
    }
    tell(body, body.status(state.map_or(0, |(exit, _)| Status::exit_code(exit)), loc))?;
    if let Some((_, values)) = state {
        leave::store(body, values)?;
    }
    leave::with(body, status)?;

    body.b.position_at_end(next);
    take_apart(body, callee, returned)
}

/// Tells the host of a call that is being left.
fn tell<'ctx>(body: &Body<'_, 'ctx>, call: IntValue<'ctx>) -> Result<()> {
    let unwind = memory::load_field(body, std::mem::offset_of!(Context, unwind))?;
    let ty = body.unit.llcx.void_type().fn_type(&[body.unit.types.ptr.into(), body.unit.types.i64.into()], false);
    let told = body.b.build_indirect_call(ty, unwind, &[body.cx.into(), call.into()], "")?;
    told.add_attribute(AttributeLoc::Function, body.unit.attribute("nounwind", 0));
    told.add_attribute(AttributeLoc::Function, body.unit.attribute("cold", 0));
    Ok(())
}

/// The bare call: the status, and all that is returned.
fn invoke<'ctx>(
    body: &Body<'_, 'ctx>,
    callee: FuncId,
    depth: IntValue<'ctx>,
    args: &[Val<'ctx>],
) -> Result<(IntValue<'ctx>, StructValue<'ctx>)> {
    let mut all: Vec<BasicMetadataValueEnum> = match body.kind {
        Kind::Device => Vec::new(),
        Kind::Entry | Kind::Inner => vec![body.cx.into(), depth.into()],
    };
    all.extend(args.iter().flat_map(|arg| arg.parts()).map(BasicMetadataValueEnum::from));
    let called = body.b.build_direct_call(body.unit.function(callee), &all, "")?;
    called.set_call_convention(body.unit.function(callee).get_call_conventions());
    let returned = called.try_as_basic_value().expect_basic("it returns its status").into_struct_value();
    let status = body.b.build_extract_value(returned, 0, "")?.into_int_value();
    Ok((status, returned))
}

/// The results among what a function returned.
fn take_apart<'ctx>(body: &Body<'_, 'ctx>, callee: FuncId, returned: StructValue<'ctx>) -> Result<Vec<Val<'ctx>>> {
    let mut results = Vec::new();
    let mut position = 1;
    for &ty in &body.unit.ir.funcs[callee].results {
        let mut parts = Vec::new();
        for _ in body.unit.parts(ty) {
            parts.push(body.b.build_extract_value(returned, position, "")?);
            position += 1;
        }
        let mut parts = parts.into_iter();
        results.push(body.assemble(ty, || parts.next().expect("a part for each")));
    }
    Ok(results)
}

/// Calls a function of the host, or does what it would do.
pub(crate) fn host<'ctx>(
    body: &Body<'_, 'ctx>,
    callee: HostId,
    args: &[Val<'ctx>],
    state: Option<State<'_, 'ctx>>,
    loc: Option<Loc>,
) -> Result<Vec<Val<'ctx>>> {
    let data = &body.unit.ir.hosts[callee];
    match data.column() {
        Some((column, word)) => {
            row::access(body, column, word, args, data.results.get(1).copied(), || told(body, callee, args, state, loc))
        }
        None => told(body, callee, args, state, loc),
    }
}

/// In functions that call the host more often than this, asking it for a tensor is a call: it takes ten instructions.
const ASKED_INLINE: usize = 64;

/// Asks the host for a tensor by a function that the module has once for what is given: a handle, or none where it fails.
pub(crate) fn ask<'ctx>(
    body: &Body<'_, 'ctx>,
    number: IntValue<'ctx>,
    args: impl Iterator<Item = BasicValueEnum<'ctx>>,
) -> Result<IntValue<'ctx>> {
    let mut given: Vec<BasicMetadataValueEnum> = vec![body.cx.into(), number.into()];
    let mut types: Vec<BasicTypeEnum<'ctx>> = Vec::new();
    for arg in args {
        let wide = match arg {
            BasicValueEnum::IntValue(bit) if bit.get_type().get_bit_width() == 1 => {
                body.b.build_int_z_extend(bit, body.unit.types.i64, "")?.into()
            }
            other => other,
        };
        types.push(wide.get_type());
        given.push(wide.into());
    }
    let function = body.unit.asking(types, |_, function| write_asking(body, function))?;
    let called = body.b.build_direct_call(function, &given, "asked")?;
    called.set_call_convention(FAST_CC);
    Ok(called.try_as_basic_value().expect_basic("it returns a handle").into_int_value())
}

fn write_asking<'ctx>(caller: &Body<'_, 'ctx>, function: FunctionValue<'ctx>) -> Result<()> {
    let mut body = Body::begin(caller.unit, caller.func, function, Kind::Inner)?;
    let args: Vec<BasicValueEnum<'ctx>> = function.get_param_iter().skip(2).collect();
    let (number, slot) = (body.depth, body.unit.types.i64);
    let slots = Slots {
        args: body.b.build_array_alloca(slot, body.int(args.len().max(1) as i64), "arguments")?,
        results: body.b.build_array_alloca(slot, body.int(1), "returned")?,
    };
    body.host_slots = Some(slots);
    for (at, arg) in args.into_iter().enumerate() {
        let to = memory::at(&body, slot, slots.args, body.int(at as i64))?;
        memory::store_as(&body, arg, to, Memory::Slots)?;
    }
    // Where nothing is given, as where something is written.
    memory::store_as(&body, body.int(NONE.cast_signed()).into(), slots.results, Memory::Slots)?;
    let failed = call_host(&body, body.b.build_int_truncate(number, body.unit.types.i32, "")?, slots)?;
    let (none, given) = (body.append("failed"), body.append("given"));
    let branch = body.b.build_conditional_branch(failed, none, given)?;
    body.unit.meta.rarely_taken(branch)?;
    body.b.position_at_end(none);
    body.b.build_return(Some(&body.int(NO_OBJECT.cast_signed())))?;
    body.b.position_at_end(given);
    let handle = memory::load_as(&body, slot, slots.results, Memory::Slots)?;
    body.b.build_return(Some(&handle))?;
    leave::finish(&body)
}

/// The bare call: whether it fails.
fn call_host<'ctx>(body: &Body<'_, 'ctx>, number: IntValue<'ctx>, slots: Slots<'ctx>) -> Result<IntValue<'ctx>> {
    let (ptr, int) = (body.unit.types.ptr, body.unit.types.i32);
    let function = memory::load_field(body, std::mem::offset_of!(Context, host))?;
    let params: [BasicMetadataTypeEnum; 4] = [ptr.into(), int.into(), ptr.into(), ptr.into()];
    let given = [body.cx.into(), number.into(), slots.args.into(), slots.results.into()];
    let called = body.b.build_indirect_call(int.fn_type(&params, false), function, &given, "failed")?;
    called.add_attribute(AttributeLoc::Function, body.unit.attribute("nounwind", 0));
    let failed = called.try_as_basic_value().expect_basic("host returns an integer").into_int_value();
    Ok(body.b.build_int_compare(IntPredicate::NE, failed, int.const_zero(), "")?)
}

/// The host sees how many calls may still be nested.
pub(crate) fn show_depth(body: &Body<'_, '_>) -> Result<()> {
    memory::store_field(body, std::mem::offset_of!(Context, depth), body.depth)
}

/// A handle of memory for what a function of the host gives, or none.
pub(crate) fn blank<'ctx>(body: &Body<'_, 'ctx>, number: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
    let types = &body.unit.types;
    let blank = memory::load_field(body, std::mem::offset_of!(Context, blank))?;
    let number = body.b.build_int_truncate(number, types.i32, "")?;
    let ty = types.i64.fn_type(&[types.ptr.into(), types.i32.into()], false);
    let called = body.b.build_indirect_call(ty, blank, &[body.cx.into(), number.into()], "blank")?;
    called.add_attribute(AttributeLoc::Function, body.unit.attribute("nounwind", 0));
    Ok(called.try_as_basic_value().expect_basic("it returns a handle").into_int_value())
}

/// The first element of a dense copy of a tensor, or null.
pub(crate) fn dense<'ctx>(body: &Body<'_, 'ctx>, handle: IntValue<'ctx>) -> Result<PointerValue<'ctx>> {
    let types = &body.unit.types;
    let dense = memory::load_field(body, std::mem::offset_of!(Context, dense))?;
    let ty = types.ptr.fn_type(&[types.ptr.into(), types.i64.into()], false);
    let called = body.b.build_indirect_call(ty, dense, &[body.cx.into(), handle.into()], "dense")?;
    called.add_attribute(AttributeLoc::Function, body.unit.attribute("nounwind", 0));
    Ok(called.try_as_basic_value().expect_basic("it returns an address").into_pointer_value())
}

/// A handle that was asked for. Where there is none, the host has failed.
pub(crate) fn given<'ctx>(body: &Body<'_, 'ctx>, handle: IntValue<'ctx>, loc: Option<Loc>) -> Result<Vec<Val<'ctx>>> {
    let none = body.int(NO_OBJECT.cast_signed());
    let failed = body.b.build_int_compare(IntPredicate::EQ, handle, none, "")?;
    leave::trap_if(body, failed, Trap::HostFailed, loc)?;
    Ok(vec![Val::Int(handle)])
}

/// Calls a function of the host.
fn told<'ctx>(
    body: &Body<'_, 'ctx>,
    callee: HostId,
    args: &[Val<'ctx>],
    state: Option<State<'_, 'ctx>>,
    loc: Option<Loc>,
) -> Result<Vec<Val<'ctx>>> {
    let results = &body.unit.ir.hosts[callee].results;
    show_depth(body)?;
    if body.hosts_called > ASKED_INLINE && state.is_none() && matches!(results[..], [Type::Tensor(_)]) {
        let handle = ask(body, body.int(callee.index() as i64), args.iter().flat_map(|arg| arg.parts()))?;
        return given(body, handle, loc);
    }
    let slots = body.host_slots.expect("a function with calls of the host has reserved slots");
    memory::store_slots(body, slots.args, args)?;
    let failed = call_host(body, body.unit.types.i32.const_int(callee.index() as u64, false), slots)?;
    match state {
        None => leave::trap_if(body, failed, Trap::HostFailed, loc)?,
        Some((exit, values)) => {
            let failing = body.append("failed");
            body.rarely(failed, failing)?;
            let next = body.here();
            body.b.position_at_end(failing);
            leave::store(body, values)?;
            leave::with(body, body.status(Status::trap_code(Trap::HostFailed, Some(exit)), loc))?;
            body.b.position_at_end(next);
        }
    }
    memory::load_slots(body, slots.results, results)
}

/// In functions that count owners more often than this, counting is a call: it takes a dozen instructions.
const COUNTED_INLINE: usize = 64;

/// An object has an owner more, or one less: see `Context::owners`.
///
/// On the way out, where nothing is counted twice, and in long functions this is a call of code that the module has once.
pub(crate) fn count<'ctx>(body: &Body<'_, 'ctx>, handle: IntValue<'ctx>, more: bool) -> Result<()> {
    if !body.is_leaving && body.owners_counted <= COUNTED_INLINE {
        return count_here(body, handle, more);
    }
    let function = body.unit.counting(more, |function| {
        let counting = Body::begin(body.unit, body.func, function, Kind::Inner)?;
        count_here(&counting, counting.depth, more)?;
        counting.b.build_return(None)?;
        leave::finish(&counting)
    })?;
    body.b.build_direct_call(function, &[body.cx.into(), handle.into()], "")?.set_call_convention(FAST_CC);
    Ok(())
}

fn count_here<'ctx>(body: &Body<'_, 'ctx>, handle: IntValue<'ctx>, more: bool) -> Result<()> {
    let types = &body.unit.types;
    let counted = memory::load_int_field(body, std::mem::offset_of!(Context, counted))?;
    let is_counted = body.b.build_int_compare(IntPredicate::ULT, handle, counted, "")?;
    let (here, store, other, next) =
        (body.append("counted"), body.append("count"), body.append("told"), body.append("counted"));
    body.b.build_conditional_branch(is_counted, here, other)?;
    body.b.position_at_end(here);
    let owners = memory::load_field(body, std::mem::offset_of!(Context, owners))?;
    // SAFETY: this only writes an instruction; there are so many.
    let place = unsafe { body.b.build_in_bounds_gep(types.i32, owners, &[handle], "")? };
    let before = body.b.build_load(types.i32, place, "owners")?.into_int_value();
    let one = types.i32.const_int(1, false);
    let after = if more { body.b.build_int_add(before, one, "")? } else { body.b.build_int_sub(before, one, "")? };
    let is_over = body.b.build_int_compare(IntPredicate::EQ, after, types.i32.const_zero(), "")?;
    body.b.build_conditional_branch(is_over, other, store)?;
    body.b.position_at_end(store);
    body.b.build_store(place, after)?;
    body.b.build_unconditional_branch(next)?;
    body.b.position_at_end(other);
    tell_count(body, handle, more)?;
    body.b.build_unconditional_branch(next)?;
    body.b.position_at_end(next);
    Ok(())
}

/// Lets the host count the owners of an object.
fn tell_count<'ctx>(body: &Body<'_, 'ctx>, handle: IntValue<'ctx>, more: bool) -> Result<()> {
    let types = &body.unit.types;
    let function = memory::load_field(body, std::mem::offset_of!(Context, count))?;
    let ty = body.unit.llcx.void_type().fn_type(&[types.ptr.into(), types.i64.into(), types.i32.into()], false);
    let given = [body.cx.into(), handle.into(), types.i32.const_int(more.into(), false).into()];
    let called = body.b.build_indirect_call(ty, function, &given, "")?;
    called.add_attribute(AttributeLoc::Function, body.unit.attribute("nounwind", 0));
    Ok(())
}

/// What the host says of a text: see `Context::text`.
pub(crate) fn text<'ctx>(
    body: &Body<'_, 'ctx>,
    handle: IntValue<'ctx>,
    index: IntValue<'ctx>,
) -> Result<IntValue<'ctx>> {
    let types = &body.unit.types;
    let function = memory::load_field(body, std::mem::offset_of!(Context, text))?;
    let ty = types.i64.fn_type(&[types.ptr.into(), types.i64.into(), types.i64.into()], false);
    let called = body.b.build_indirect_call(ty, function, &[body.cx.into(), handle.into(), index.into()], "")?;
    for name in ["nounwind", "willreturn"] {
        called.add_attribute(AttributeLoc::Function, body.unit.attribute(name, 0));
    }
    Ok(called.try_as_basic_value().expect_basic("it returns an integer").into_int_value())
}

/// Reserves room for the slots of every call of the host in the function, once: a reservation in a loop
/// would grow the stack.
pub(crate) fn reserve_host_slots(body: &mut Body<'_, '_>) -> Result<()> {
    let called = body.flow.order.iter().flat_map(|&block| &body.func.blocks[block].insts);
    let hosts = called.filter_map(|&inst| match body.func.insts[inst].op {
        Op::Host(host, _) | Op::Tensor(host, _) => Some(&body.unit.ir.hosts[host]),
        _ => None,
    });
    let hosts: Vec<_> = hosts.collect();
    body.hosts_called = hosts.len();
    let room = |types: &[Type]| types.iter().map(|&ty| slots(ty)).sum::<usize>().max(1);
    let Some((arguments, results)) = hosts
        .iter()
        .map(|host| (room(&host.params), room(&host.results)))
        .reduce(|most, next| (most.0.max(next.0), most.1.max(next.1)))
    else {
        return Ok(());
    };
    let slot = body.unit.types.i64;
    body.host_slots = Some(Slots {
        args: body.b.build_array_alloca(slot, body.int(arguments as i64), "arguments")?,
        results: body.b.build_array_alloca(slot, body.int(results as i64), "returned")?,
    });
    Ok(())
}

/// Writes the entry of a module whose main function is also called from inside: a call of it.
///
/// It is the host's call and not one of the module's: it is not counted and nobody is told of it.
pub(crate) fn wrapper(unit: &Unit<'_, '_>, main: &Function) -> Result<()> {
    let body = Body::begin(unit, main, unit.entry(), Kind::Entry)?;
    let id = unit.ir.main();
    let (status, returned) = invoke(&body, id, body.depth, &memory::load_params(&body)?)?;
    let succeeded = body.is_zero(status)?;
    let next = body.append("returned");
    leave::unless(&body, succeeded, next, status)?;
    body.b.position_at_end(next);
    leave::ret(&body, &take_apart(&body, id, returned)?)?;
    leave::finish(&body)
}
