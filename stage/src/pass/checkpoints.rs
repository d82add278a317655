//! Checkpoints that nothing leaves at are forgotten, and with them what only they kept alive.
//!
//! Late: until code has stopped moving, what fails may still come to a region in which nothing did.

use crate::analysis::Cfg;
use crate::analysis::reach::Reach;
use crate::entity::FuncId;
use crate::ir::Module;
use crate::op::Op;
use crate::pass::{Changed, PassDef, Run};

/// See the module.
pub const CHECKPOINTS: PassDef = PassDef { name: "checkpoints", run: Run::Function(run), required: false };

fn run(module: &mut Module, func: FuncId) -> Changed {
    let Module { funcs, exits, .. } = module;
    let func = &mut funcs[func];
    let cfg = Cfg::of(func);
    let used = Reach::of(func, &cfg).used(func, &cfg, exits);
    let size = func.size();
    for block in func.blocks.keys() {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| !matches!(func.insts[inst].op, Op::Checkpoint(_)) || used.contains(inst));
        func.blocks[block].insts = insts;
    }
    Changed::from(func.size() < size)
}
