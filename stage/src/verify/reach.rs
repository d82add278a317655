//! `reach`: what fails before it has acted can leave, because a checkpoint reaches it.

use super::{Cx, Rule};
use crate::analysis::Cfg;
use crate::analysis::calls::reached;
use crate::analysis::kin::Kinships;
use crate::analysis::reach::{Reach, acting, has_checkpoint, leaves_at_checkpoint, lent_memory, may_fail, own_memory};
use crate::entity::{Block, Inst, Value};
use crate::ir::Def;
use crate::op::Op;
use crate::set::EntitySet;

pub(super) fn check(cx: &mut Cx<'_>) {
    let (func, exits) = (cx.func, &cx.module.exits);
    let cfg = Cfg::of(func);
    if !has_checkpoint(func) {
        check_repeatable(cx, &cfg);
        return;
    }
    let reach = Reach::of(func, &cfg);
    for &block in cfg.order() {
        for &inst in &func.blocks[block].insts {
            if may_fail(func, inst, exits) && reach.before(inst).is_none() {
                cx.at_inst(Rule::Reach, block, inst, "no checkpoint reaches what may fail here".to_owned());
            }
        }
        if leaves_at_checkpoint(&func.blocks[block].term, exits) && reach.at_end(block).is_none() {
            cx.at_end(Rule::Reach, block, &[], "no checkpoint reaches this exit".to_owned());
        }
        if cfg.is_retreated_to(block) && !func.blocks[block].quiet {
            check_poll(cx, block, reach.polled(func, block));
        }
    }
}

/// A function without checkpoints fails as a whole, and is called again. What its callers lend it for that time it may
/// change.
fn check_repeatable(cx: &mut Cx<'_>, cfg: &Cfg) {
    let acts = |own: &EntitySet<Value>| -> Vec<(Block, Inst)> {
        let all =
            cfg.order().iter().flat_map(|&block| acting(cx.func, block, own).into_iter().map(move |it| (block, it)));
        all.collect()
    };
    let kinships = Kinships::of(cx.module);
    if acts(&own_memory(cx.func, &kinships, |_| false)).is_empty() || !is_run(cx) {
        return;
    }
    let lent = lent_memory(cx.module);
    let own = own_memory(cx.func, &kinships, |index| lent[cx.id].contains(cx.func.params()[index]));
    for (block, inst) in acts(&own) {
        let message = "a function without checkpoints does what cannot be done again".to_owned();
        cx.at_inst(Rule::Reach, block, inst, message);
    }
}

/// Whether anything runs the function: what was captured for a derivative that was refused stays, and nothing calls it.
fn is_run(cx: &Cx<'_>) -> bool {
    reached(cx.module, [cx.module.main()]).any(|it| it == cx.id)
}

/// Jumps to the head of a loop poll, and know what its checkpoint carries.
fn check_poll(cx: &mut Cx<'_>, head: Block, checkpoint: Option<Inst>) {
    let func = cx.func;
    let Some(checkpoint) = checkpoint else {
        cx.at_head(Rule::Reach, head, "no checkpoint reaches the head of this loop, where it polls".to_owned());
        return;
    };
    let computed = |inst: Inst| func.blocks[head].insts.contains(&inst) && !matches!(func.insts[inst].op, Op::Const(_));
    let args = func.insts[checkpoint].args.iter();
    for value in args.filter(|&&it| matches!(func.values[it].def, Def::Result(inst, _) if computed(inst))) {
        let message = format!("a poll leaves here before {value} is computed");
        cx.at_inst(Rule::Reach, head, checkpoint, message);
    }
}
