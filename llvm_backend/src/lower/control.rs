//! Terminators, and the poll at jumps back.

use inkwell::AtomicOrdering;
use inkwell::IntPredicate;
use inkwell::attributes::AttributeLoc;
use inkwell::basic_block::BasicBlock;
use inkwell::values::BasicValue;
use snekpy_stage::backend::{Context, Status, Trap};
use snekpy_stage::entity::{Block, Loc, Value};
use snekpy_stage::ir::{Jump, Terminator};

use super::body::{Body, From, Kind, Stripped};
use super::choose::{Choice, Leaf};
use super::meta::Memory;
use super::value::Val;
use super::{leave, memory};
use crate::fault::Result;

/// Ends the block that is being written as the block of the IR ends.
pub(crate) fn terminator<'ctx>(body: &mut Body<'_, 'ctx>, block: Block) -> Result<()> {
    if let Some(choice) = body.choices.begins(block).cloned() {
        return choose(body, &choice);
    }
    let data = &body.func.blocks[block];
    let loc = data.term_loc;
    match &data.term {
        Terminator::None => {
            body.b.build_unreachable()?;
        }
        Terminator::Jump(jump) => {
            let target = edge(body, jump, body.flow.goes_back(block, 0), loc)?;
            body.b.build_unconditional_branch(target)?;
        }
        Terminator::Branch { cond, then, other } => {
            if let Some(stripped) = body.stripped(block) {
                return pause(body, block, stripped, [then, other]);
            }
            let cond = body.value(*cond).as_bool();
            let here = body.here();
            let mut targets = [here; 2];
            for (position, jump) in [then, other].into_iter().enumerate() {
                let goes_back = body.flow.goes_back(block, position);
                // Two jumps to one block bring different values: each gets a block to bring them from.
                targets[position] = if goes_back || then.target == other.target {
                    edge_block(body, jump, goes_back, loc)?
                } else {
                    edge(body, jump, false, loc)?
                };
            }
            body.b.build_conditional_branch(cond, targets[0], targets[1])?;
        }
        Terminator::Return(values) => leave::ret(body, &body.values(values))?,
        Terminator::Exit(exit, values) => leave::exit(body, *exit, &body.values(values), loc)?,
    }
    Ok(())
}

/// Brings the arguments of a jump from the block that is being written, polling first if it goes back.
/// Returns where to branch.
fn edge<'ctx>(body: &Body<'_, 'ctx>, jump: &Jump, goes_back: bool, loc: Option<Loc>) -> Result<BasicBlock<'ctx>> {
    let args = body.values(&jump.args);
    if goes_back && body.polls(jump.target) {
        poll_head(body, jump.target, &args, loc)?;
    }
    let from = if goes_back { From::Inside } else { From::Outside };
    Ok(body.bring(jump.target, from, &args))
}

/// A block of its own for a jump of a block, counted from 0. The builder stays where it is.
pub(crate) fn edge_of<'ctx>(body: &Body<'_, 'ctx>, from: Block, slot: usize) -> Result<BasicBlock<'ctx>> {
    let data = &body.func.blocks[from];
    let jump = data.term.jumps().nth(slot).expect("the block has such a jump");
    edge_block(body, jump, body.flow.goes_back(from, slot), data.term_loc)
}

/// A block of its own for a jump. The builder stays where it is.
fn edge_block<'ctx>(body: &Body<'_, 'ctx>, jump: &Jump, goes_back: bool, loc: Option<Loc>) -> Result<BasicBlock<'ctx>> {
    let here = body.here();
    let made = body.append("edge");
    body.b.position_at_end(made);
    let target = edge(body, jump, goes_back, loc)?;
    body.b.build_unconditional_branch(target)?;
    body.b.position_at_end(here);
    Ok(made)
}

/// Ends the header of a strip-mined loop: when the strip is over, polls if the loop is not.
fn pause<'ctx>(body: &Body<'_, 'ctx>, header: Block, stripped: &Stripped<'ctx>, jumps: [&Jump; 2]) -> Result<()> {
    let plan = stripped.plan;
    let left = body.func.blocks[header].term_loc;
    let (stays, leaves) = (jumps[plan.stays], jumps[1 - plan.stays]);
    let limit = stripped.limit.expect("the outer loop was written before its header");
    let goes_on = plan.goes_on(body, limit)?;
    let (pause, ask) = (body.append("pause"), body.append("ask"));
    let goes_back = body.flow.goes_back(header, plan.stays);
    let inside = if goes_back { edge_block(body, stays, true, plan.loc)? } else { edge(body, stays, false, plan.loc)? };
    body.b.build_conditional_branch(goes_on, inside, pause)?;

    body.b.position_at_end(pause);
    let resumes = plan.resumes(body)?;
    let outside = edge_block(body, leaves, body.flow.goes_back(header, 1 - plan.stays), left)?;
    let branch = body.b.build_conditional_branch(resumes, ask, outside)?;
    body.unit.meta.rarely_taken(branch)?;

    body.b.position_at_end(ask);
    let params = body.values(&body.func.blocks[header].params);
    poll_head(body, header, &params, plan.loc)?;
    let outer = body.bring(header, From::Outside, &params);
    body.b.build_unconditional_branch(outer)?;
    Ok(())
}

/// Asks before a jump to the head of a loop, which brings these arguments, whether to go on. If not, the checkpoint at
/// that head is left at as if control had gone there.
fn poll_head<'ctx>(body: &Body<'_, 'ctx>, head: Block, args: &[Val<'ctx>], loc: Option<Loc>) -> Result<()> {
    if body.kind == Kind::Device {
        return Ok(());
    }
    let stopped = poll(body)?;
    let next = body.here();
    body.b.position_at_end(stopped);
    let checkpoint = body.reach.polled(body.func, head).map(|inst| &body.func.insts[inst]);
    if let Some(data) = checkpoint {
        let params = &body.func.blocks[head].params;
        let brought = |value: &Value| match params.iter().position(|param| param == value) {
            Some(position) => args[position],
            None => body.value(*value),
        };
        leave::store(body, &data.args.iter().map(brought).collect::<Vec<_>>())?;
    }
    let code = Status::trap_code(Trap::Interrupted, checkpoint.and_then(|data| data.op.exit()));
    leave::with(body, body.status(code, loc))?;
    body.b.position_at_end(next);
    Ok(())
}

/// Asks before a call whether to go on, and leaves at the checkpoint that reaches it if not.
pub(crate) fn poll_call(body: &Body<'_, '_>, loc: Option<Loc>) -> Result<()> {
    let stopped = poll(body)?;
    let next = body.here();
    body.b.position_at_end(stopped);
    leave::trap(body, Trap::Interrupted, loc)?;
    body.b.position_at_end(next);
    Ok(())
}

/// Asks whether to go on. Gives the block that control is in if not; the builder stands where it goes on.
pub(crate) fn poll<'ctx>(body: &Body<'_, 'ctx>) -> Result<BasicBlock<'ctx>> {
    let (asked, next) = (body.append("asked"), body.append("polled"));
    let flag = memory::field(body, std::mem::offset_of!(Context, poll))?;
    let flag = body.b.build_load(body.unit.types.ptr, flag, "flag")?;
    let load = flag.as_instruction_value().expect("a load is an instruction");
    body.unit.meta.touches(load, Memory::Context)?;
    body.unit.meta.never_changes(load)?;
    let raised = body.b.build_load(body.unit.types.i32, flag.into_pointer_value(), "raised")?;
    let load = raised.as_instruction_value().expect("a load is an instruction");
    // Atomic, because another thread writes it; at the weakest order that keeps it inside the loop.
    load.set_atomic_ordering(AtomicOrdering::Monotonic).expect("a load can be monotonic");
    body.unit.meta.touches(load, Memory::Flag)?;
    let raised = raised.into_int_value();
    let zero = body.unit.types.i32.const_zero();
    let raised = body.b.build_int_compare(IntPredicate::NE, raised, zero, "")?;
    let branch = body.b.build_conditional_branch(raised, asked, next)?;
    body.unit.meta.rarely_taken(branch)?;

    body.b.position_at_end(asked);
    let ty = body.unit.types.i32.fn_type(&[body.unit.types.ptr.into()], false);
    let on_poll = memory::load_field(body, std::mem::offset_of!(Context, on_poll))?;
    let called = body.b.build_indirect_call(ty, on_poll, &[body.cx.into()], "stop")?;
    called.add_attribute(AttributeLoc::Function, body.unit.attribute("nounwind", 0));
    called.add_attribute(AttributeLoc::Function, body.unit.attribute("cold", 0));
    // Nobody writes the arrays during a call, so the callee does not either: it may touch the context
    // and memory that this function cannot reach. Loads stay where they are moved to, out of the loop.
    called.add_attribute(AttributeLoc::Function, body.unit.attribute("memory", 0b1111));
    let stop = called.try_as_basic_value().expect_basic("on_poll returns an integer").into_int_value();
    let goes_on = body.is_zero(stop)?;
    let stopped = body.append("stopped");
    body.b.build_conditional_branch(goes_on, next, stopped)?;
    body.b.position_at_end(next);
    Ok(stopped)
}

/// Ends the block that is being written with a choice.
fn choose(body: &mut Body<'_, '_>, choice: &Choice) -> Result<()> {
    for &inst in &choice.insts {
        body.inst(inst)?;
    }
    let index = body.value(choice.index).as_int();
    let jump = |leaf: &Leaf| edge_of(body, leaf.from, leaf.slot);
    let number = |number: i64| body.int(number);
    let mut cases = Vec::new();
    for leaf in &choice.leaves {
        let number = match (leaf.low, leaf.end) {
            (Some(low), _) => number(low),
            (None, Some(end)) => number(end.wrapping_sub(1)),
            (None, None) => unreachable!("each way is behind a comparison"),
        };
        cases.push((number, jump(leaf)?));
    }
    // What none of the cases is for lies before the first or behind the last way.
    let (first, last) = (&choice.leaves[0], &choice.leaves[choice.leaves.len() - 1]);
    let rest = body.append("rest");
    body.b.build_switch(index, rest, &cases)?;
    body.b.position_at_end(rest);
    let end = number(first.end.expect("the first way ends where the second begins"));
    let is_below = body.b.build_int_compare(IntPredicate::SLT, index, end, "")?;
    body.b.build_conditional_branch(is_below, jump(first)?, jump(last)?)?;
    Ok(())
}
