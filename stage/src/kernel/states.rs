//! Frame states have no place in kernels: a body that has failed is not resumed but restarted at its index.
//!
//! So every checkpoint is one that carries nothing. One at the beginning of a function reaches all that may fail in it;
//! where calls are between, which no checkpoint reaches across, there is one behind each and at the beginning of each block.

use crate::entity::{Block, Entity, ExitId, Inst};
use crate::ir::{ExitData, Function, Module};
use crate::op::Op;

/// What the exit of these checkpoints is called.
const NAME: &str = "failed";

/// Takes the frame states out of a module.
pub(super) fn forget_states(module: &mut Module) {
    let known = module.exits.iter().find(|(_, exit)| exit.name == NAME && exit.types.is_empty() && !exit.at_checkpoint);
    let exit = match known {
        Some((exit, _)) => exit,
        None => module.exits.push(ExitData::new(NAME, Vec::new())),
    };
    let params: Vec<usize> = module.funcs.values().map(|func| func.params().len()).collect();
    for func in module.funcs.keys().collect::<Vec<_>>() {
        let func = &mut module.funcs[func];
        let calls = func.insts.values().any(|inst| matches!(inst.op, Op::Call(..)));
        for block in func.blocks.keys().collect::<Vec<_>>() {
            let begins = calls || block == func.entry();
            forget_in(func, block, begins.then_some(exit), exit, &params);
        }
    }
}

/// A checkpoint that carries nothing.
fn checkpoint(func: &mut Function, exit: ExitId) -> Inst {
    func.make_inst(Op::Checkpoint(exit), Vec::new(), &[], None)
}

fn forget_in(func: &mut Function, block: Block, first: Option<ExitId>, exit: ExitId, params: &[usize]) {
    let old = std::mem::take(&mut func.blocks[block].insts);
    let mut new = Vec::with_capacity(old.len() + 1);
    new.extend(first.map(|exit| checkpoint(func, exit)));
    for inst in old {
        match func.insts[inst].op {
            Op::Checkpoint(_) => {}
            Op::Call(callee, _) => {
                let data = &mut func.insts[inst];
                data.op = Op::Call(callee, None);
                data.args.truncate(params.get(callee.index()).copied().unwrap_or(usize::MAX));
                new.push(inst);
                new.push(checkpoint(func, exit));
            }
            _ => new.push(inst),
        }
    }
    func.blocks[block].insts = new;
}
