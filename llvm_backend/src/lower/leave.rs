//! Leaving a function: by returning, through an exit, or by a trap.
//!
//! A function has one cold block for everything but returning. It is given the packed status and hands it
//! to the caller, who hands it on: an exit leaves through all calls. Before it comes, for what leaves at a checkpoint,
//! a cold block of that checkpoint, which stores its values.

use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::values::{BasicValue, IntValue, PhiValue};
use snekpy_stage::backend::{Context, Status, Trap};
use snekpy_stage::entity::{ExitId, Loc, Value};
use snekpy_stage::ir::{Def, Function};
use snekpy_stage::op::{Bit2, Cmp, Const, Num1, Num2, Op};
use snekpy_stage::types::Type;

use super::body::{Body, Kind};
use super::memory;
use super::value::Val;
use crate::fault::Result;

/// Returns the values.
pub(crate) fn ret<'ctx>(body: &Body<'_, 'ctx>, values: &[Val<'ctx>]) -> Result<()> {
    let success = body.status(Status::RETURNED, None);
    match body.slots {
        Some(slots) => {
            memory::store_slots(body, slots.results, values)?;
            restore_depth(body)?;
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
    if body.unit.ir.exits[exit].at_checkpoint {
        return trap(body, Trap::Required, loc);
    }
    store(body, values)?;
    with(body, body.status(Status::exit_code(exit), loc))
}

/// Leaves at the checkpoint that reaches this point.
pub(crate) fn trap<'ctx>(body: &Body<'_, 'ctx>, trap: Trap, loc: Option<Loc>) -> Result<()> {
    let block = arrive(body, trap, loc)?;
    body.b.build_unconditional_branch(block)?;
    Ok(())
}

/// Leaves at the checkpoint that reaches this point, for the trap for which a call has failed ([`Status::cause`]).
pub(crate) fn as_cause<'ctx>(body: &Body<'_, 'ctx>, failed: IntValue<'ctx>, loc: Option<Loc>) -> Result<()> {
    let number = |trap: Trap| u64::from(Status::trap_code(trap, None));
    let int = body.unit.types.i64;
    let code = body.b.build_and(failed, int.const_int(u64::from(u32::MAX), false), "")?;
    let at_checkpoint =
        body.b.build_right_shift(code, int.const_int(u64::from(Status::TRAP_SHIFT), false), false, "")?;
    let is_plain =
        body.b.build_int_compare(IntPredicate::ULT, code, int.const_int(u64::from(Status::FIRST_EXIT), false), "")?;
    let is_none = body.is_zero(at_checkpoint)?;
    let other = body.b.build_select(is_none, int.const_int(number(Trap::Required), false), at_checkpoint, "")?;
    let trap = body.b.build_select(is_plain, code, other.into_int_value(), "")?.into_int_value();
    let interrupted = int.const_int(number(Trap::Interrupted), false);
    let is_interrupted = body.b.build_int_compare(IntPredicate::EQ, trap, interrupted, "")?;
    let required = int.const_int(number(Trap::Required), false);
    let trap = body.b.build_select(is_interrupted, required, trap, "")?.into_int_value();
    let shifted = body.b.build_left_shift(trap, int.const_int(u64::from(Status::TRAP_SHIFT), false), "")?;
    let exit = body.checkpoint.and_then(|it| body.func.insts[it].op.exit()).expect("a checkpoint reaches the call");
    let status = body.b.build_or(shifted, body.status(Status::exit_code(exit), loc), "")?;
    let (block, phi) = at_checkpoint_block(body)?;
    phi.add_incoming(&[(&status as &dyn BasicValue<'ctx>, body.here())]);
    body.b.build_unconditional_branch(block)?;
    Ok(())
}

/// A way from the block that is being written to where the checkpoint is left at.
fn arrive<'ctx>(body: &Body<'_, 'ctx>, trap: Trap, loc: Option<Loc>) -> Result<BasicBlock<'ctx>> {
    let (block, status) = at_checkpoint_block(body)?;
    status.add_incoming(&[(&body.trap(trap, loc) as &dyn BasicValue<'ctx>, body.here())]);
    Ok(block)
}

/// Puts the values of an exit into the payload.
pub(crate) fn store<'ctx>(body: &Body<'_, 'ctx>, values: &[Val<'ctx>]) -> Result<()> {
    if !values.is_empty() && body.kind != Kind::Device {
        let payload = memory::load_field(body, std::mem::offset_of!(Context, payload))?;
        memory::store_slots(body, payload, values)?;
    }
    Ok(())
}

/// Where the checkpoint that reaches this point is left at, or the function if there is none, and the status.
fn at_checkpoint_block<'ctx>(body: &Body<'_, 'ctx>) -> Result<(BasicBlock<'ctx>, PhiValue<'ctx>)> {
    let Some(checkpoint) = body.checkpoint.filter(|_| body.kind != Kind::Device) else { return Ok(body.leave) };
    if let Some(&known) = body.colds.borrow().get(&checkpoint) {
        return Ok(known);
    }
    let here = body.here();
    let block = body.append("checkpoint");
    body.b.position_at_end(block);
    let status = body.b.build_phi(body.unit.types.i64, "status")?;
    body.b.position_at_end(here);
    body.colds.borrow_mut().insert(checkpoint, (block, status));
    Ok((block, status))
}

/// Leaves through an exit unless the condition holds.
///
/// Of a condition that joins tests of two doubles by `or`, the first holds nearly always (a finite result),
/// and the second says what else is well (an operand was not finite either): it is asked on the cold side.
pub(crate) fn guard<'ctx>(
    body: &Body<'_, 'ctx>,
    id: ExitId,
    cond: Value,
    payload: &[Val<'ctx>],
    loc: Option<Loc>,
) -> Result<()> {
    let holds = |value| body.value(value).as_bool();
    if let Some((Bit2::Or, first, second)) = joined(body.func, cond)
        && let (Some(x), Some(y)) = (tested_double(body.func, first), tested_double(body.func, second))
        && x != y
    {
        let cold = body.append("check");
        let finite = finite_square(body, first)?.unwrap_or_else(|| holds(first));
        body.rarely(body.b.build_not(finite, "")?, cold)?;
        let next = body.here();
        body.b.position_at_end(cold);
        let leaving = body.append("exit");
        body.b.build_conditional_branch(holds(second), next, leaving)?;
        body.b.position_at_end(leaving);
        exit(body, id, payload, loc)?;
        body.b.position_at_end(next);
        return Ok(());
    }
    let fails = body.b.build_not(holds(cond), "")?;
    if body.unit.ir.exits[id].at_checkpoint {
        return trap_if(body, fails, Trap::Required, loc);
    }
    if payload.is_empty() {
        return leave_if(body, fails, body.status(Status::exit_code(id), loc));
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
    trap_if(body, overflows, Trap::Overflow, loc)
}

/// Leaves on an overflow that was made unconditional: the condition joins a check and whether it counts.
///
/// Whether it counts may be a coin toss, so the check is asked first, and the rest on the cold side: a
/// branch on the coin would be mispredicted.
pub(crate) fn overflow_if_any(body: &Body<'_, '_>, cond: Value, loc: Option<Loc>) -> Result<()> {
    let value = body.value(cond).as_bool();
    let Some((Bit2::And, x, y)) = joined(body.func, cond) else {
        return overflow_if(body, value, loc);
    };
    let (check, counts) = match (is_check(body.func, x), is_check(body.func, y)) {
        (true, _) => (x, y),
        (false, true) => (y, x),
        (false, false) => return overflow_if(body, value, loc),
    };
    let cold = body.append("check");
    body.rarely(body.value(check).as_bool(), cold)?;
    let next = body.here();
    body.b.position_at_end(cold);
    let harmless = body.b.build_not(body.value(counts).as_bool(), "")?;
    let block = arrive(body, Trap::Overflow, loc)?;
    body.b.build_conditional_branch(harmless, next, block)?;
    body.b.position_at_end(next);
    Ok(())
}

/// `x * x < inf`, which is what squaring is guarded by, on the bits of the square: its sign is that of a NaN or
/// none. Comparing doubles would take the unit that adds them, which such loops wait for.
fn finite_square<'ctx>(body: &Body<'_, 'ctx>, cond: Value) -> Result<Option<IntValue<'ctx>>> {
    let Some((Op::Cmp(Cmp::Lt), &[square, limit])) = body.func.definition(cond) else { return Ok(None) };
    let Some((Op::Num2(Num2::Mul), &[x, y])) = body.func.definition(square) else { return Ok(None) };
    if x != y || body.func.as_const(limit) != Some(Const::F64(f64::INFINITY)) {
        return Ok(None);
    }
    let square = body.value(square).as_float();
    let bits = body.b.build_bit_cast(square, body.unit.types.i64, "")?.into_int_value();
    let infinite = body.int(f64::INFINITY.to_bits().cast_signed());
    Ok(Some(body.b.build_int_compare(IntPredicate::ULT, bits, infinite, "")?))
}

/// The double that a condition tests by one comparison.
fn tested_double(func: &Function, cond: Value) -> Option<Value> {
    match func.definition(cond)? {
        (Op::Not, &[inner]) => tested_double(func, inner),
        (Op::Cmp(_), &[x, _]) if func.ty(x) == Type::F64 => match func.definition(x) {
            Some((Op::Num1(Num1::Abs), &[inner])) => Some(inner),
            _ => Some(x),
        },
        _ => None,
    }
}

/// The two truth values that this one joins.
fn joined(func: &Function, cond: Value) -> Option<(Bit2, Value, Value)> {
    let Def::Result(inst, _) = func.values[cond].def else { return None };
    let inst = &func.insts[inst];
    match inst.op {
        Op::Bit2(op) => Some((op, inst.args[0], inst.args[1])),
        _ => None,
    }
}

/// Whether a condition is one of overflow: hardly ever true.
fn is_check(func: &Function, cond: Value) -> bool {
    if let Some((op, x, y)) = joined(func, cond) {
        return match op {
            Bit2::Or => is_check(func, x) && is_check(func, y),
            Bit2::And => is_check(func, x) || is_check(func, y),
            Bit2::Xor => false,
        };
    }
    let Def::Result(inst, _) = func.values[cond].def else { return false };
    let inst = &func.insts[inst];
    // What passes make of a check against a constant: a comparison with a number of astronomical size.
    let is_far = |arg: &Value| match func.as_const(*arg) {
        Some(Const::I64(it)) => it.unsigned_abs() > 1 << 40,
        Some(Const::Bool(_) | Const::F64(_)) | None => false,
    };
    match inst.op {
        Op::Overflow2(_) => true,
        Op::Cmp(Cmp::Lt | Cmp::Le | Cmp::Gt | Cmp::Ge) => inst.args.iter().any(is_far),
        _ => false,
    }
}

/// Leaves at the checkpoint that reaches this point if the condition holds, which is rare.
pub(crate) fn trap_if<'ctx>(body: &Body<'_, 'ctx>, cond: IntValue<'ctx>, trap: Trap, loc: Option<Loc>) -> Result<()> {
    let block = arrive(body, trap, loc)?;
    body.rarely(cond, block)
}

/// Leaves with the status if the condition holds, which is rare.
pub(crate) fn leave_if<'ctx>(body: &Body<'_, 'ctx>, cond: IntValue<'ctx>, status: IntValue<'ctx>) -> Result<()> {
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

/// Writes the cold blocks, once everything that goes there is known.
pub(crate) fn finish(body: &Body<'_, '_>) -> Result<()> {
    for (&checkpoint, &(block, status)) in &*body.colds.borrow() {
        body.b.position_at_end(block);
        store(body, &body.values(&body.func.insts[checkpoint].args))?;
        with(body, status.as_basic_value().into_int_value())?;
    }
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
            restore_depth(body)?;
            body.b.build_return(Some(&status))?;
        }
        Kind::Inner | Kind::Device => {
            let nothing = body.unit.returned(body.func).get_poison();
            let failed = body.b.build_insert_value(nothing, status, 0, "")?;
            body.b.build_return(Some(&failed.as_basic_value_enum()))?;
        }
    }
    Ok(())
}

/// Gives the host its context back as it was.
pub(crate) fn restore_depth(body: &Body<'_, '_>) -> Result<()> {
    if body.kind == Kind::Entry && !body.unit.ir.hosts.is_empty() {
        memory::store_field(body, std::mem::offset_of!(Context, depth), body.depth)?;
    }
    Ok(())
}
