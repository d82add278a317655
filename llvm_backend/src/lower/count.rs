//! Counters that would take decades to overflow.
//!
//! A loop that polls in every iteration takes its time: LLVM cannot replace it by a formula. So what starts
//! small and moves by a small constant in each iteration stays far from the limits of 64 bits for as long
//! as any machine runs, and its step needs no check. Strip-mined loops get no such promise: several
//! thousand of their iterations may be computed at once.

use snekpy_stage::analysis::{Cfg, Dominators, Loops};
use snekpy_stage::entity::{Block, Entity};
use snekpy_stage::ir::{Def, Function};
use snekpy_stage::op::Const;
use snekpy_stage::types::Type;

use super::strip::step;

/// The largest step. At four steps in a nanosecond, 2^63 take eighteen years.
const STEP: u64 = 4;
/// The largest start.
const START: u64 = 1 << 32;

/// For each instruction, whether it steps such a counter. `polls` says of which loops, by their headers, each
/// iteration polls.
pub(crate) fn counts(func: &Function, polls: impl Fn(Block) -> bool) -> Vec<bool> {
    let mut counts = vec![false; func.insts.len()];
    let cfg = Cfg::of(func);
    let loops = Loops::of(func, &cfg, &Dominators::of(&cfg));
    if !loops.irreducible().is_empty() {
        return counts;
    }
    for id in loops.inner_first() {
        let data = loops.data(id);
        if data.header == func.entry() || !polls(data.header) {
            continue;
        }
        for (position, &param) in func.blocks[data.header].params.iter().enumerate() {
            if func.ty(param) != Type::I64 {
                continue;
            }
            let mut steps = Vec::new();
            let bounded = cfg.preds(data.header).iter().all(|edge| {
                let arg = edge.jump(func).args[position];
                if !data.latches.contains(edge) {
                    return matches!(func.as_const(arg), Some(Const::I64(it)) if it.unsigned_abs() <= START);
                }
                let (Some((by, wraps)), Def::Result(inst, _)) = (step(func, arg, param), func.values[arg].def) else {
                    return false;
                };
                steps.extend((!wraps).then_some(inst));
                by.unsigned_abs() <= STEP
            });
            if bounded {
                steps.into_iter().for_each(|inst| counts[inst.index()] = true);
            }
        }
    }
    counts
}
