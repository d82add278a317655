//! Leaving a function: by returning, through an exit, or by a trap.
//!
//! A function has one cold block for everything but returning. It is given the packed status and hands it
//! to the caller, who hands it on: an exit leaves through all calls.

use inkwell::basic_block::BasicBlock;
use inkwell::values::{BasicValue, IntValue};
use snekpy_stage::backend::{Context, Status};
use snekpy_stage::entity::{ExitId, Loc};

use super::body::{Body, Kind};
use super::value::Val;
use super::{call, memory};
use crate::fault::Result;

/// Returns the values.
pub(crate) fn ret<'ctx>(body: &Body<'_, 'ctx>, values: &[Val<'ctx>]) -> Result<()> {
    let success = body.status(Status::RETURNED, None);
    match body.slots {
        Some(slots) => {
            memory::store_slots(body, slots.results, values)?;
            call::restore_depth(body)?;
            body.b.build_return(Some(&success))?;
        }
        None => {
            let mut parts = vec![success.as_basic_value_enum()];
            parts.extend(values.iter().flat_map(|value| value.parts()));
            body.b.build_aggregate_return(&parts)?;
        }
    }
    Ok(())
}

/// Leaves through an exit with these values.
pub(crate) fn exit<'ctx>(body: &Body<'_, 'ctx>, exit: ExitId, values: &[Val<'ctx>], loc: Option<Loc>) -> Result<()> {
    if !values.is_empty() {
        let payload = memory::load_field(body, std::mem::offset_of!(Context, payload))?;
        memory::store_slots(body, payload, values)?;
    }
    with(body, body.status(Status::exit_code(exit), loc))
}

/// Leaves through an exit unless the condition holds.
pub(crate) fn guard<'ctx>(
    body: &Body<'_, 'ctx>,
    id: ExitId,
    cond: IntValue<'ctx>,
    payload: &[Val<'ctx>],
    loc: Option<Loc>,
) -> Result<()> {
    let fails = body.b.build_not(cond, "")?;
    if payload.is_empty() {
        return trap_if(body, fails, body.status(Status::exit_code(id), loc));
    }
    let leaving = body.append("exit");
    body.rarely(fails, leaving)?;
    let next = body.here();
    body.b.position_at_end(leaving);
    exit(body, id, payload, loc)?;
    body.b.position_at_end(next);
    Ok(())
}

/// Leaves on overflow.
pub(crate) fn overflow_if<'ctx>(body: &Body<'_, 'ctx>, overflows: IntValue<'ctx>, loc: Option<Loc>) -> Result<()> {
    trap_if(body, overflows, body.status(Status::OVERFLOW, loc))
}

/// Leaves with the status if the condition holds, which is rare.
pub(crate) fn trap_if<'ctx>(body: &Body<'_, 'ctx>, cond: IntValue<'ctx>, status: IntValue<'ctx>) -> Result<()> {
    body.leave.1.add_incoming(&[(&status as &dyn BasicValue<'ctx>, body.here())]);
    body.rarely(cond, body.leave.0)
}

/// Goes to `next` if the condition holds, else leaves with the status.
pub(crate) fn unless<'ctx>(
    body: &Body<'_, 'ctx>,
    cond: IntValue<'ctx>,
    next: BasicBlock<'ctx>,
    status: IntValue<'ctx>,
) -> Result<()> {
    body.leave.1.add_incoming(&[(&status as &dyn BasicValue<'ctx>, body.here())]);
    body.b.build_conditional_branch(cond, next, body.leave.0)?;
    Ok(())
}

/// Leaves with the status.
pub(crate) fn with<'ctx>(body: &Body<'_, 'ctx>, status: IntValue<'ctx>) -> Result<()> {
    body.leave.1.add_incoming(&[(&status as &dyn BasicValue<'ctx>, body.here())]);
    body.b.build_unconditional_branch(body.leave.0)?;
    Ok(())
}

/// Writes the cold block, once everything that goes there is known.
pub(crate) fn finish(body: &Body<'_, '_>) -> Result<()> {
    let (block, status) = body.leave;
    body.b.position_at_end(block);
    if status.count_incoming() == 0 {
        status.as_instruction().erase_from_basic_block();
        body.b.build_unreachable()?;
        return Ok(());
    }
    let status = status.as_basic_value();
    match body.kind {
        Kind::Entry => {
            call::restore_depth(body)?;
            body.b.build_return(Some(&status))?;
        }
        Kind::Inner => {
            let nothing = body.unit.returned(body.func).get_poison();
            let failed = body.b.build_insert_value(nothing, status, 0, "")?;
            body.b.build_return(Some(&failed.as_basic_value_enum()))?;
        }
    }
    Ok(())
}
