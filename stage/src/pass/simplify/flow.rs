//! Simplifying control flow: branches that are decided, blocks that do nothing, joins that join nothing.

use std::collections::HashMap;

use crate::analysis::{Cfg, Effects, Uses};
use crate::entity::{Block, Inst, Value};
use crate::ir::{Def, Function, Jump, Terminator};
use crate::op::{Const, Op};
use crate::pass::Changed;
use crate::pass::edit::Substitution;
use crate::set::{EntityMap, EntitySet};

pub(super) fn run(func: &mut Function) -> Changed {
    let mut changed = decide_branches(func);
    drop_unused(func);
    changed |= skip_empty_blocks(func);
    changed |= Changed::from(func.remove_unreachable() > 0);
    changed |= remove_redundant_params(func);
    changed |= merge_lines(func);
    changed
}

/// A branch on a constant, or to one place both ways, is a jump. A branch on `not c` is one on `c`.
fn decide_branches(func: &mut Function) -> Changed {
    let mut changed = Changed::No;
    for block in func.blocks.keys() {
        let Terminator::Branch { cond, then, other } = &func.blocks[block].term else { continue };
        let term = match func.as_const(*cond) {
            Some(Const::Bool(true)) => Terminator::Jump(then.clone()),
            Some(Const::Bool(false)) => Terminator::Jump(other.clone()),
            Some(Const::I64(_) | Const::F64(_)) | None if then == other => Terminator::Jump(then.clone()),
            Some(Const::I64(_) | Const::F64(_)) | None => match func.definition(*cond) {
                Some((Op::Not, &[cond])) => Terminator::Branch { cond, then: other.clone(), other: then.clone() },
                Some(_) | None => continue,
            },
        };
        func.blocks[block].term = term;
        changed = Changed::Yes;
    }
    changed
}

/// Takes out what folding left unused, so that blocks which do nothing are empty. Not a change that would be
/// worth another round.
fn drop_unused(func: &mut Function) {
    let mut uses = Uses::of(func);
    let order = Cfg::of(func).order().to_vec();
    for block in order.into_iter().rev() {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        for &inst in insts.iter().rev() {
            if is_unused(func, &uses, inst) {
                for &arg in &func.insts[inst].args {
                    uses.forget(arg);
                }
            }
        }
        insts.retain(|&inst| !is_unused(func, &uses, inst));
        func.blocks[block].insts = insts;
    }
}

fn is_unused(func: &Function, uses: &Uses, inst: Inst) -> bool {
    func.insts[inst].results.iter().all(|&result| uses.count(result) == 0) && Effects::of(func, inst).removable()
}

/// How many empty blocks in a row an edge is led past at once.
const HOPS: usize = 8;

/// Leads edges past blocks in which nothing happens, and past branches that they decide by the constant
/// they bring.
fn skip_empty_blocks(func: &mut Function) -> Changed {
    let cfg = Cfg::of(func);
    let uses = Uses::of(func);
    let empty: EntitySet<Block> = cfg.order().iter().copied().filter(|&block| is_passage(func, &uses, block)).collect();
    if empty.is_empty() {
        return Changed::No;
    }
    let mut changed = Changed::No;
    for &block in cfg.order() {
        for slot in 0..func.blocks[block].term.jumps().count() {
            let jump = func.blocks[block].term.jumps().nth(slot).expect("counted");
            let mut at = jump.clone();
            for _ in 0..HOPS {
                match if empty.contains(at.target) { pass_through(func, &cfg, &at) } else { None } {
                    Some(next) => at = next,
                    None => break,
                }
            }
            if at != *jump {
                *func.blocks[block].term.jumps_mut().nth(slot).expect("counted") = at;
                changed = Changed::Yes;
            }
        }
    }
    changed
}

/// Whether a block has no instructions and nobody else uses its parameters.
fn is_passage(func: &Function, uses: &Uses, block: Block) -> bool {
    let data = &func.blocks[block];
    data.insts.is_empty()
        && data.params.iter().all(|&param| {
            let own = data.term.uses().filter(|&used| used == param).count();
            uses.count(param) as usize == own
        })
}

/// Where a jump to an empty block leads, if it is decided.
///
/// A branch at the head of a loop is not decided for those who enter: the loop would get a second entry.
fn pass_through(func: &Function, cfg: &Cfg, jump: &Jump) -> Option<Jump> {
    let brought = |value: Value| match func.values[value].def {
        Def::Param(block, position) if block == jump.target => jump.args[position as usize],
        Def::Param(..) | Def::Result(..) => value,
    };
    let next = match &func.blocks[jump.target].term {
        Terminator::Jump(next) => next,
        Terminator::Branch { cond, then, other } => match func.as_const(brought(*cond)) {
            Some(Const::Bool(cond)) if !cfg.is_retreated_to(jump.target) => {
                if cond {
                    then
                } else {
                    other
                }
            }
            Some(_) | None => return None,
        },
        Terminator::None | Terminator::Return(_) | Terminator::Exit(..) => return None,
    };
    (next.target != jump.target)
        .then(|| Jump { target: next.target, args: next.args.iter().map(|&arg| brought(arg)).collect() })
}

/// What the edges into a block bring for one of its parameters, as far as they agree.
enum Brought {
    Nothing,
    Value(Value),
    Constant(Const),
    Various,
}

/// Takes out parameters that always get one value, one constant, or what another parameter gets.
fn remove_redundant_params(func: &mut Function) -> Changed {
    let cfg = Cfg::of(func);
    let mut subst = Substitution::new();
    let mut redundant = EntitySet::new();
    for &block in &cfg.order()[1..] {
        let mut columns: HashMap<Vec<Value>, Value> = HashMap::new();
        let mut constants = Vec::new();
        for (position, param) in func.blocks[block].params.clone().into_iter().enumerate() {
            let column = |subst: &mut Substitution| -> Vec<Value> {
                cfg.preds(block).iter().map(|edge| subst.resolve(edge.jump(func).args[position])).collect()
            };
            let column = column(&mut subst);
            match brought(func, param, &column) {
                Brought::Value(value) => subst.replace(param, value),
                Brought::Constant(constant) => {
                    let (inst, value) = func.make_const(constant, None);
                    constants.push(inst);
                    subst.replace(param, value);
                }
                Brought::Various => match columns.get(&column) {
                    Some(&twin) => subst.replace(param, twin),
                    None => {
                        columns.insert(column, param);
                        continue;
                    }
                },
                Brought::Nothing => continue,
            }
            redundant.insert(param);
        }
        func.blocks[block].insts.splice(0..0, constants);
    }
    if redundant.is_empty() {
        return Changed::No;
    }
    func.remove_params(|param| redundant.contains(param));
    subst.apply(func);
    Changed::Yes
}

fn brought(func: &Function, param: Value, column: &[Value]) -> Brought {
    let mut found = Brought::Nothing;
    for &value in column.iter().filter(|&&value| value != param) {
        found = match found {
            Brought::Nothing => Brought::Value(value),
            Brought::Value(other) if other == value => continue,
            Brought::Value(other) => match (func.as_const(other), func.as_const(value)) {
                (Some(a), Some(b)) if a == b => Brought::Constant(a),
                _ => return Brought::Various,
            },
            Brought::Constant(constant) if func.as_const(value) == Some(constant) => continue,
            Brought::Constant(_) | Brought::Various => return Brought::Various,
        };
    }
    found
}

/// Joins a block that ends in a jump with the block it jumps to, where nobody else jumps.
fn merge_lines(func: &mut Function) -> Changed {
    let cfg = Cfg::of(func);
    let mut subst = Substitution::new();
    let mut gone: EntityMap<Block, bool> = EntityMap::new(false);
    let mut changed = Changed::No;
    for &block in cfg.order() {
        if gone[block] {
            continue;
        }
        while let Terminator::Jump(jump) = &func.blocks[block].term {
            let target = jump.target;
            if target == block || target == func.entry() || cfg.preds(target).len() != 1 {
                break;
            }
            let args = jump.args.clone();
            let below = std::mem::take(&mut func.blocks[target]);
            for (param, arg) in below.params.into_iter().zip(args) {
                subst.replace(param, arg);
            }
            let above = &mut func.blocks[block];
            above.insts.extend(below.insts);
            above.term = below.term;
            above.term_loc = below.term_loc;
            gone[target] = true;
            changed = Changed::Yes;
        }
    }
    subst.apply(func);
    func.remove_unreachable();
    changed
}
