//! Dead code elimination.
//!
//! Everything is dead until somebody needs it. Terminators and instructions whose absence could be
//! noticed are needed from the start; need then flows backwards from a value to what computes it. An
//! argument of a jump is needed only if the parameter it feeds is, so a variable that a loop carries
//! round and nobody reads goes away, cycle and all. The loop itself stays: it might not end, and that
//! can be noticed. So does checked arithmetic: its overflow is an exception somebody may wait for.

use crate::analysis::{Cfg, EffectTable};
use crate::entity::{FuncId, HostId, Inst, Table, Value};
use crate::ir::{Def, Function, HostData, Module};
use crate::op::{Acts, Op};
use crate::pass::{Changed, PassDef, Run};
use crate::set::EntitySet;
use crate::tensor::TensorOp;

/// See the module.
pub const DCE: PassDef = PassDef { name: "dce", run: Run::Function(run), required: false };

fn run(module: &mut Module, func: FuncId) -> Changed {
    let Module { funcs, hosts, .. } = module;
    let func = &mut funcs[func];
    let blocks = func.remove_unreachable();
    let effects = EffectTable::of(func);
    let removable = |func: &Function, inst: Inst| effects[inst].removable() || makes_only(func, inst, hosts);
    let needed = needed_values(func, removable);
    let size = func.size();
    for block in func.blocks.keys() {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| {
            !removable(func, inst) || func.insts[inst].results.iter().any(|&result| needed.contains(result))
        });
        func.blocks[block].insts = insts;
    }
    let params = func.remove_params(|param| !needed.contains(param));
    Changed::from(func.size() < size || params + blocks > 0)
}

/// Whether an instruction does nothing but make a tensor, for which there may be no memory.
fn makes_only(func: &Function, inst: Inst, hosts: &Table<HostId, HostData>) -> bool {
    match func.insts[inst].op {
        Op::Tensor(host, Acts::Makes) => match &hosts[host].tensor {
            // They begin work again, or say that it was done.
            Some(TensorOp::Again { .. } | TensorOp::Ran(_)) | None => false,
            Some(op) => !op.may_fail(),
        },
        _ => false,
    }
}

fn needed_values(func: &Function, removable: impl Fn(&Function, Inst) -> bool) -> EntitySet<Value> {
    let cfg = Cfg::of(func);
    let mut needed = EntitySet::new();
    let mut work: Vec<Value> = func.params().to_vec(); // the signature is a promise
    for block in func.blocks.values() {
        work.extend(block.term.operands()); // not the arguments of its jumps
        let kept = block.insts.iter().filter(|&&inst| !removable(func, inst));
        work.extend(kept.flat_map(|&inst| &func.insts[inst].args));
    }
    while let Some(value) = work.pop() {
        if !needed.insert(value) {
            continue;
        }
        match func.values[value].def {
            Def::Result(inst, _) => work.extend(&func.insts[inst].args),
            Def::Param(block, position) => {
                work.extend(cfg.preds(block).iter().map(|edge| edge.jump(func).args[position as usize]));
            }
        }
    }
    needed
}
