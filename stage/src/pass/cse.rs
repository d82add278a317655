//! Common subexpressions: what was computed before on every way here is not computed again.
//!
//! A walk of the dominator tree with a table of what is known to be computed. Checked arithmetic and
//! guards take part: where the first one let control through, the second one would. Loads take part as long
//! as nothing writes; in a function that writes nowhere they are like arithmetic, else the table of loads
//! is forgotten at each block and at each write.

use std::collections::HashMap;

use crate::analysis::{Cfg, Dominators, Effects};
use crate::entity::{Block, Entity, ExitId, FuncId, Inst, Value};
use crate::ir::{Function, Module};
use crate::op::{Cmp, Effect, Op};
use crate::pass::edit::{self, Substitution};
use crate::pass::{Changed, PassDef, Run};
use crate::types::Type;

/// See the module.
pub const CSE: PassDef = PassDef { name: "cse", run: Run::Function(run), required: false };

/// What an instruction computes, written in one way.
type Key = (Op, Vec<Value>);

/// A table with the keys that each block on the way from the entry added.
struct Known {
    table: HashMap<Key, Vec<Value>>,
    added: Vec<Vec<Key>>,
    loads: HashMap<Key, Value>,
}

fn run(module: &mut Module, func: FuncId) -> Changed {
    let func = &mut module.funcs[func];
    let cfg = Cfg::of(func);
    let doms = Dominators::of(&cfg);
    let insts = || cfg.order().iter().flat_map(|&block| &func.blocks[block].insts);
    let memory_is_constant = !insts().any(|&inst| Effects::of(func, inst).writes());
    let mut known = Known { table: HashMap::new(), added: Vec::new(), loads: HashMap::new() };
    let mut subst = Substitution::new();
    let mut changed = Changed::No;
    doms.walk(func.entry(), |block, enter| {
        if enter {
            known.added.push(Vec::new());
            known.loads.clear();
            changed |= block_of(func, block, &mut known, &mut subst, memory_is_constant);
        } else {
            for key in known.added.pop().expect("pushed on entering") {
                known.table.remove(&key);
            }
        }
    });
    subst.apply(func);
    changed
}

fn block_of(
    func: &mut Function,
    block: Block,
    known: &mut Known,
    subst: &mut Substitution,
    memory_is_constant: bool,
) -> Changed {
    let insts = std::mem::take(&mut func.blocks[block].insts);
    let before = insts.len();
    let mut kept = Vec::with_capacity(before);
    for inst in insts {
        subst.resolve_all(&mut func.insts[inst].args);
        let effect = Effects::of(func, inst).effect;
        let earlier = match effect {
            Effect::Pure | Effect::MayExit => known.find(key(func, inst), &func.insts[inst].results),
            Effect::Read if memory_is_constant => known.find(key(func, inst), &func.insts[inst].results),
            Effect::Read => known.find_load(key(func, inst), func.insts[inst].results[0]),
            Effect::State => None,
            Effect::Write | Effect::Any => {
                known.loads.clear();
                None
            }
        };
        match earlier {
            Some(earlier) => {
                for (&result, by) in func.insts[inst].results.iter().zip(earlier) {
                    subst.replace(result, by);
                }
            }
            None => kept.push(inst),
        }
    }
    let after = kept.len();
    func.blocks[block].insts = kept;
    Changed::from(after < before)
}

impl Known {
    fn find(&mut self, key: Key, results: &[Value]) -> Option<Vec<Value>> {
        if let Some(earlier) = self.table.get(&key) {
            return Some(earlier.clone());
        }
        self.table.insert(key.clone(), results.to_vec());
        self.added.last_mut().expect("a block is being walked").push(key);
        None
    }

    fn find_load(&mut self, key: Key, result: Value) -> Option<Vec<Value>> {
        if let Some(&earlier) = self.loads.get(&key) {
            return Some(vec![earlier]);
        }
        self.loads.insert(key, result);
        None
    }
}

/// What an instruction computes. Operands that may be exchanged are in order; a guard is its condition,
/// whatever it would carry out.
fn key(func: &Function, inst: Inst) -> Key {
    let data = &func.insts[inst];
    let mut args = data.args.clone();
    let op = match data.op {
        Op::Guard(_) => {
            args.truncate(1);
            // Any exit will do as a name for "this was true".
            Op::Guard(ExitId::new(0))
        }
        Op::Cmp(cmp @ (Cmp::Gt | Cmp::Ge)) => {
            args.swap(0, 1);
            Op::Cmp(cmp.swapped())
        }
        op => op,
    };
    // Which of two NaNs a sum of doubles is depends on their order.
    let is_exact = matches!(op, Op::Cmp(_)) || args.first().is_some_and(|&arg| func.ty(arg) != Type::F64);
    if edit::is_commutative(op) && is_exact {
        args.sort_unstable();
    }
    (op, args)
}
