//! `def-consistency`, `entry-block`: a value is defined in one place, and all tables agree where.

use super::{Cx, Rule};
use crate::entity::{Block, Entity, Value};
use crate::ir::Def;

pub(super) fn check(cx: &mut Cx<'_>) {
    let func = cx.func;
    let mut homes: Vec<Option<Block>> = vec![None; func.insts.len()];
    for (block, data) in func.blocks.iter() {
        for (position, &param) in (0..).zip(&data.params) {
            if let Some(message) = contradiction(cx, param, Def::Param(block, position)) {
                cx.at_head(Rule::DefConsistency, block, message);
            }
        }
        for &inst in &data.insts {
            if let Some(other) = homes[inst.index()].replace(block) {
                let message = format!("the instruction is in {other} already");
                cx.at_inst(Rule::DefConsistency, block, inst, message);
                continue;
            }
            for (position, &result) in (0..).zip(&func.insts[inst].results) {
                if let Some(message) = contradiction(cx, result, Def::Result(inst, position)) {
                    cx.at_inst(Rule::DefConsistency, block, inst, message);
                }
            }
        }
        if data.term.jumps().any(|jump| jump.target == func.entry()) {
            let message = "expected a jump to another block than the entry".to_owned();
            cx.at_end(Rule::EntryBlock, block, &[], message);
        }
    }
}

fn contradiction(cx: &Cx<'_>, value: Value, found: Def) -> Option<String> {
    let expected = cx.func.values[value].def;
    let words = |def| match def {
        Def::Result(inst, position) => format!("result {position} of {inst}"),
        Def::Param(block, position) => format!("parameter {position} of {block}"),
    };
    if expected == found {
        None
    } else {
        Some(format!("the table has {value} as {}, here it is {}", words(expected), words(found)))
    }
}
