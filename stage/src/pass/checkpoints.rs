//! Each region leaves at the checkpoint that keeps the fewest values alive; the others are forgotten.
//!
//! First those that nothing leaves at. Then, of a checkpoint and the one that would reach what it reaches if it were
//! not there, the dearer one: what fails behind it can as well leave earlier, since no write lies between, and plain
//! Python executes a little more again. What a checkpoint costs are the values that nothing needs any more but itself,
//! where something leaves at it. One that a loop polls at stays, whatever it costs: a call that is interrupted again and
//! again must get on.
//!
//! Late: until code has stopped moving, what fails may still come to a region in which nothing did.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::Cfg;
use crate::analysis::kin::Kinships;
use crate::analysis::reach::{Leaving, Reach, acting, own_memory};
use crate::entity::{Block, FuncId, Inst, Value};
use crate::ir::{Function, InstData, Module};
use crate::op::Op;
use crate::pass::{Changed, PassDef, Run};
use crate::set::EntityMap;

/// See the module.
pub const CHECKPOINTS: PassDef = PassDef { name: "checkpoints", run: Run::Function(run), required: false };

/// Where different checkpoints reached a join, the same one may once others have gone: so often they are looked for.
const ROUNDS: usize = 3;

fn run(module: &mut Module, func: FuncId) -> Changed {
    let kinships = Kinships::of(module);
    let Module { funcs, exits, .. } = module;
    let func = &mut funcs[func];
    let cfg = Cfg::of(func);
    let size = func.size();
    for _ in 0..ROUNDS {
        let reach = Reach::of(func, &cfg);
        let leaving = reach.leaving(func, &cfg, exits);
        let instead = cheaper(func, &cfg, &reach, &leaving);
        let left_at = leaving.keys().copied().filter(|it| !instead.contains_key(it));
        let mut stay: BTreeSet<Inst> = left_at.chain(instead.values().copied()).collect();
        let acts = || {
            let own = own_memory(func, &kinships, |_| false);
            cfg.order().iter().any(|&block| !acting(func, block, &own).is_empty())
        };
        if stay.is_empty() && acts() {
            // A function that acts has one, so that it does not fail as a whole.
            let mut insts = cfg.order().iter().flat_map(|&block| &func.blocks[block].insts);
            stay.extend(insts.find(|&&inst| matches!(func.insts[inst].op, Op::Checkpoint(_))));
        }
        for block in func.blocks.keys() {
            let mut insts = std::mem::take(&mut func.blocks[block].insts);
            insts.retain(|&inst| !matches!(func.insts[inst].op, Op::Checkpoint(_)) || stay.contains(&inst));
            func.blocks[block].insts = insts;
        }
        if instead.is_empty() {
            break;
        }
    }
    Changed::from(func.size() < size)
}

/// For each checkpoint that costs more than an earlier one would in its place, that one.
fn cheaper(func: &Function, cfg: &Cfg, reach: &Reach, leaving: &BTreeMap<Inst, Leaving>) -> BTreeMap<Inst, Inst> {
    let mut lives = None;
    let mut instead: BTreeMap<Inst, Inst> = BTreeMap::new();
    for inst in cfg.order().iter().flat_map(|&block| &func.blocks[block].insts).copied() {
        let Some(Leaving { places, polls: false }) = leaving.get(&inst) else { continue };
        let Some(before) = reach.before(inst) else { continue };
        let before = instead.get(&before).copied().unwrap_or(before);
        let lives = lives.get_or_insert_with(|| Lives::of(func, cfg));
        if lives.kept_by(before, places) < lives.kept_by(inst, places) {
            instead.insert(inst, before);
        }
    }
    instead
}

/// Where values are needed by something else than a checkpoint.
struct Lives<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    /// The block that defines a value.
    homes: EntityMap<Value, Block>,
    /// The blocks that use it, each with the position of the last use in it.
    uses: EntityMap<Value, Vec<(Block, usize)>>,
    /// The blocks at whose ends a value is needed, for those that were asked about.
    ends: BTreeMap<Value, BTreeSet<Block>>,
}

impl<'a> Lives<'a> {
    fn of(func: &'a Function, cfg: &'a Cfg) -> Self {
        let mut homes = EntityMap::with_len(func.entry(), func.values.len());
        let mut uses: EntityMap<Value, Vec<(Block, usize)>> = EntityMap::with_len(Vec::new(), func.values.len());
        let mut note = |value: Value, block: Block, position: usize| match uses[value].last_mut() {
            Some((last, at)) if *last == block => *at = position,
            _ => uses[value].push((block, position)),
        };
        for &block in cfg.order() {
            let data = &func.blocks[block];
            data.params.iter().for_each(|&param| homes[param] = block);
            for (position, &inst) in data.insts.iter().enumerate() {
                let InstData { op, args, results, .. } = &func.insts[inst];
                results.iter().for_each(|&result| homes[result] = block);
                if !matches!(op, Op::Checkpoint(_)) {
                    args.iter().for_each(|&value| note(value, block, position));
                }
            }
            data.term.uses().for_each(|value| note(value, block, data.insts.len()));
        }
        Self { func, cfg, homes, uses, ends: BTreeMap::new() }
    }

    /// How many values a checkpoint keeps alive at one of these places or another.
    fn kept_by(&mut self, checkpoint: Inst, places: &[(Block, usize)]) -> usize {
        let func = self.func;
        let args: BTreeSet<Value> = func.insts[checkpoint].args.iter().copied().collect();
        let is_kept = |&value: &Value| {
            func.as_const(value).is_none() && places.iter().any(|&place| !self.is_needed(value, place))
        };
        args.into_iter().filter(is_kept).count()
    }

    fn is_needed(&mut self, value: Value, (block, position): (Block, usize)) -> bool {
        let is_used = |&(at, last): &(Block, usize)| at == block && last >= position;
        self.uses[value].iter().any(is_used) || self.is_needed_behind(value, block)
    }

    fn is_needed_behind(&mut self, value: Value, block: Block) -> bool {
        let (cfg, uses, home) = (self.cfg, &self.uses, self.homes[value]);
        let ends = self.ends.entry(value).or_insert_with(|| {
            let mut ends = BTreeSet::new();
            let mut waiting: Vec<Block> =
                uses[value].iter().map(|&(block, _)| block).filter(|&it| it != home).collect();
            while let Some(block) = waiting.pop() {
                for from in cfg.preds(block).iter().map(|edge| edge.from) {
                    if ends.insert(from) && from != home {
                        waiting.push(from);
                    }
                }
            }
            ends
        });
        ends.contains(&block)
    }
}
