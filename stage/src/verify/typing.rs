//! The rules about types: what goes into an instruction, a jump or an exit is what is asked for.
//!
//! Reported where something is brought, not where it is asked for: that is what some pass forgot to change.

use super::{Cx, Rule};
use crate::build::signature;
use crate::entity::{Block, ExitId, Inst, Value};
use crate::ir::Terminator;
use crate::op::{Op, typing};
use crate::text::{List, declared};
use crate::types::Type;

pub(super) fn check(cx: &mut Cx<'_>) {
    for (block, data) in cx.func.blocks.iter() {
        for &inst in &data.insts {
            check_inst(cx, block, inst);
        }
        check_end(cx, block);
    }
}

/// `operand-type`, `exit-args` and `result-types`: an instruction agrees with the typing rules.
fn check_inst(cx: &mut Cx<'_>, block: Block, inst: Inst) {
    let (module, func) = (cx.module, cx.func);
    let data = &func.insts[inst];
    if let (Op::Guard(exit), [_, payload @ ..]) = (data.op, &data.args[..])
        && let Some(message) = exit_fault(cx, exit, payload)
    {
        cx.at_inst(Rule::ExitArgs, block, inst, message);
        return;
    }
    match typing::results(data.op, &func.types_of(&data.args), module, |callee| signature(module, callee)) {
        Err(fault) => cx.at_inst(Rule::OperandType, block, inst, fault.to_string()),
        Ok(types) => {
            if let Some(message) = fault(cx, &types, &data.results) {
                cx.at_inst(Rule::ResultTypes, block, inst, message);
            }
        }
    }
}

/// `branch-condition`, `jump-args`, `return-types`, `exit-args`: a block ends with what is asked for.
fn check_end(cx: &mut Cx<'_>, block: Block) {
    let func = cx.func;
    match &func.blocks[block].term {
        Terminator::None | Terminator::Jump(_) => {}
        Terminator::Branch { cond, .. } => {
            if let Some(message) = fault(cx, &[Type::Bool], &[*cond]) {
                cx.at_end(Rule::BranchCondition, block, &[], message);
            }
        }
        Terminator::Return(values) => {
            if let Some(message) = fault(cx, &func.results, values) {
                cx.at_end(Rule::ReturnTypes, block, &[], message);
            }
        }
        Terminator::Exit(exit, values) => {
            if let Some(message) = exit_fault(cx, *exit, values) {
                cx.at_end(Rule::ExitArgs, block, &[], message);
            }
        }
    }
    for jump in func.blocks[block].term.jumps() {
        let expected = func.types_of(&func.blocks[jump.target].params);
        if let Some(message) = fault(cx, &expected, &jump.args) {
            cx.at_end(Rule::JumpArgs, block, &[jump.target], message);
        }
    }
}

fn exit_fault(cx: &Cx<'_>, exit: ExitId, values: &[Value]) -> Option<String> {
    fault(cx, &cx.module.exits[exit].types, values)
}

fn fault(cx: &Cx<'_>, expected: &[Type], found: &[Value]) -> Option<String> {
    if cx.func.types_of(found) == expected {
        return None;
    }
    Some(format!("expected ({}), found ({})", List(expected), List(&declared(cx.func, found))))
}
