//! Which checkpoint reaches a point of a function.
//!
//! A checkpoint reaches a point if it is the last one on every path from the entry to that point, and nothing between
//! changes what a plain continuation would find. What fails there before it has acted leaves at that checkpoint: a
//! plain continuation that begins with its frame state executes the rest again, and fails by itself. Dominance is not
//! enough: after `if c: a[i] = 0` the checkpoint before the branch dominates the join, but the store has happened.
//!
//! A jump that closes a loop polls, unless the head of the loop is quiet. What it leaves at, when it is told to, is the checkpoint at the head of the
//! loop, as if control had gone there.

use std::collections::BTreeMap;

use crate::analysis::kin::{Kinships, is_memory};
use crate::analysis::{Cfg, Effects};
use crate::entity::{Block, ExitId, FuncId, Inst, Table, Value};
use crate::ir::{ExitData, Function, InstData, Module, Terminator};
use crate::op::{Effect, Op};
use crate::set::{EntityMap, EntitySet};
use crate::types::Type;

/// What is known of a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Last {
    /// No path was seen yet.
    Unseen,
    /// This checkpoint reaches it.
    At(Inst),
    /// None does.
    Nothing,
}

impl Last {
    fn meet(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unseen, it) | (it, Self::Unseen) => it,
            (a, b) if a == b => a,
            _ => Self::Nothing,
        }
    }

    fn known(self) -> Option<Inst> {
        match self {
            Self::At(inst) => Some(inst),
            Self::Unseen | Self::Nothing => None,
        }
    }
}

/// The checkpoints that reach the points of a function.
pub struct Reach {
    begin: EntityMap<Block, Last>,
    end: EntityMap<Block, Last>,
    /// Before each instruction.
    before: EntityMap<Inst, Option<Inst>>,
}

impl Reach {
    /// Looks at every block that can be reached.
    pub fn of(func: &Function, cfg: &Cfg) -> Self {
        let mut begin = EntityMap::with_len(Last::Unseen, func.blocks.len());
        let mut end = begin.clone();
        let mut before = EntityMap::with_len(None, func.insts.len());
        begin[func.entry()] = Last::Nothing;
        let mut changed = true;
        while changed {
            changed = false;
            for &block in cfg.order() {
                let from = cfg.preds(block).iter().map(|edge| end[edge.from]).fold(begin[block], Last::meet);
                begin[block] = from;
                let mut last = from;
                let mut unknown = EntitySet::new();
                for &inst in &func.blocks[block].insts {
                    before[inst] = last.known();
                    last = after(func, inst, last, &mut unknown);
                }
                changed |= std::mem::replace(&mut end[block], last) != last;
            }
        }
        Self { begin, end, before }
    }

    /// The one that reaches an instruction.
    pub fn before(&self, inst: Inst) -> Option<Inst> {
        self.before[inst]
    }

    /// The one that reaches the end of a block.
    pub fn at_end(&self, block: Block) -> Option<Inst> {
        self.end[block].known()
    }

    /// The one at which a jump to this head of a loop leaves.
    pub fn polled(&self, func: &Function, head: Block) -> Option<Inst> {
        let mut insts = func.blocks[head].insts.iter();
        let first = insts.find(|&&inst| Effects::of(func, inst).effect != Effect::Pure);
        match first {
            Some(&inst) if matches!(func.insts[inst].op, Op::Checkpoint(_)) => Some(inst),
            Some(_) | None => self.begin[head].known(),
        }
    }

    /// The checkpoints at which something may leave, and where it does.
    pub fn leaving(&self, func: &Function, cfg: &Cfg, exits: &Table<ExitId, ExitData>) -> BTreeMap<Inst, Leaving> {
        let mut leaving: BTreeMap<Inst, Leaving> = BTreeMap::new();
        for &block in cfg.order() {
            let data = &func.blocks[block];
            let failing = data.insts.iter().enumerate().filter(|&(_, &inst)| may_fail(func, inst, exits));
            let inside = failing.map(|(position, &inst)| (self.before(inst), position));
            let end = leaves_at_checkpoint(&data.term, exits).then(|| (self.at_end(block), data.insts.len()));
            for (checkpoint, position) in inside.chain(end) {
                checkpoint.into_iter().for_each(|it| leaving.entry(it).or_default().places.push((block, position)));
            }
            if cfg.is_retreated_to(block) && !data.quiet {
                self.polled(func, block).into_iter().for_each(|it| leaving.entry(it).or_default().polls = true);
            }
        }
        leaving
    }
}

/// What leaves at a checkpoint.
#[derive(Default)]
pub struct Leaving {
    /// The instructions that may fail, by their positions in their blocks; that of an end is the number of them.
    pub places: Vec<(Block, usize)>,
    /// Whether a loop polls there.
    pub polls: bool,
}

/// What is known behind an instruction. `unknown` are the lists and maps that were made since the last checkpoint, so
/// that it does not know them.
fn after(func: &Function, inst: Inst, last: Last, unknown: &mut EntitySet<Value>) -> Last {
    let data = &func.insts[inst];
    match data.op {
        Op::Checkpoint(_) => {
            *unknown = EntitySet::new();
            Last::At(inst)
        }
        Op::ListNew(_) | Op::MapNew(_) => {
            unknown.insert(data.results[0]);
            last
        }
        _ if changes(func, inst, |list| unknown.contains(list)) => Last::Nothing,
        _ => last,
    }
}

/// Whether an instruction changes what a plain continuation would find. `is_own` says of a list or map that nobody else
/// knows it.
fn changes(func: &Function, inst: Inst, is_own: impl Fn(Value) -> bool) -> bool {
    let data = &func.insts[inst];
    match data.op {
        Op::List(_) | Op::Map(_) if is_own(data.args[0]) => false,
        op => op.changes_the_world(Effects::of(func, inst).effect),
    }
}

/// Whether an instruction may fail before it has acted.
pub fn may_fail(func: &Function, inst: Inst, exits: &Table<ExitId, ExitData>) -> bool {
    func.insts[inst].op.fails_before_acting(Effects::of(func, inst).effect, exits)
}

/// Whether a block ends by leaving at the checkpoint that reaches its end.
pub fn leaves_at_checkpoint(term: &Terminator, exits: &Table<ExitId, ExitData>) -> bool {
    matches!(term, Terminator::Exit(exit, _) if exits[*exit].at_checkpoint)
}

/// Whether a module has checkpoints at all. One that has none is run where there is no plain continuation.
pub fn has_checkpoints(module: &Module) -> bool {
    module.funcs.values().any(has_checkpoint)
}

/// Whether a function has checkpoints. In a module that has some, what fails in a function without one fails the call,
/// and the caller leaves at the checkpoint that reaches it.
pub fn has_checkpoint(func: &Function) -> bool {
    func.blocks.values().flat_map(|block| &block.insts).any(|&it| matches!(func.insts[it].op, Op::Checkpoint(_)))
}

/// Whether a function has no checkpoint, and what it does needs some where it is part of one that has: it goes round
/// loops, or changes memory, if only its own.
pub fn fails_only_as_a_whole(func: &Function) -> bool {
    let changes = |&inst: &Inst| func.insts[inst].op.changes_the_world(Effects::of(func, inst).effect);
    !has_checkpoint(func)
        && (func.blocks.values().flat_map(|block| &block.insts).any(changes) || {
            let cfg = Cfg::of(func);
            cfg.order().iter().any(|&block| cfg.is_retreated_to(block))
        })
}

/// The lists and maps of a function that nobody else knows: those that it makes, under all names. `given` says of a
/// parameter of the function that it is one of them.
pub fn own_memory(func: &Function, kinships: &Kinships, given: impl Fn(usize) -> bool) -> EntitySet<Value> {
    let is_memory = |value: Value| is_memory(func.ty(value));
    let mut own = EntitySet::new();
    for (block, data) in func.blocks.iter() {
        let params = data.params.iter().enumerate().filter(|&(index, _)| block != func.entry() || given(index));
        let insts = data.insts.iter().map(|&inst| &func.insts[inst]);
        let made = insts.filter(|data| matches!(data.op, Op::ListNew(_) | Op::MapNew(_) | Op::List(_) | Op::Call(..)));
        let all = params.map(|(_, &param)| param).chain(made.flat_map(|data| data.results.iter().copied()));
        all.filter(|&it| is_memory(it)).for_each(|it| _ = own.insert(it));
    }
    let kin = kinships.pairs(func);
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &(a, b) in &kin {
            if own.contains(a) != own.contains(b) {
                changed |= own.remove(a) | own.remove(b);
            }
        }
    }
    own
}

/// The instructions of a block that change what others can see: writes into arrays, lists and maps that the function
/// has not made, calls of the host that are not repeated.
pub fn acting(func: &Function, block: Block, own: &EntitySet<Value>) -> Vec<Inst> {
    let is_repeated = |inst: Inst| matches!(func.insts[inst].op, Op::Call(..) | Op::Host(_, None));
    let acts = |&&inst: &&Inst| !is_repeated(inst) && changes(func, inst, |value| own.contains(value));
    func.blocks[block].insts.iter().filter(acts).copied().collect()
}

/// Which lists and maps among its parameters each function without checkpoints has to itself, while it is called: those
/// that its callers have made, and that plain Python does not see.
pub fn lent_memory(module: &Module) -> EntityMap<FuncId, EntitySet<Value>> {
    let mut lent = EntityMap::new(EntitySet::new());
    let kinships = Kinships::of(module);
    for (id, func) in module.funcs.iter().filter(|(id, func)| *id != module.main() && !has_checkpoint(func)) {
        let params = func.params().iter().copied();
        lent[id] = params.filter(|&it| matches!(func.ty(it), Type::List(_) | Type::Map(_))).collect();
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (id, func) in module.funcs.iter() {
            let own = own_memory(func, &kinships, |index| lent[id].contains(func.params()[index]));
            let may_be_seen = |value: Value| has_checkpoint(func) && !is_only_passed(func, value);
            let insts: Vec<Inst> = func.blocks.values().flat_map(|block| &block.insts).copied().collect();
            for data in insts.into_iter().map(|inst| &func.insts[inst]) {
                let Op::Call(callee, _) = data.op else { continue };
                for (&arg, &param) in data.args.iter().zip(module.funcs[callee].params()) {
                    if lent[callee].contains(param) && (!own.contains(arg) || may_be_seen(arg)) {
                        lent[callee].remove(param);
                        changed = true;
                    }
                }
            }
        }
    }
    lent
}

/// Whether nothing is done with a list or map but that it is made, and passed to calls.
fn is_only_passed(func: &Function, value: Value) -> bool {
    let is_made = matches!(func.definition(value), Some((Op::ListNew(_) | Op::MapNew(_), _)));
    let insts = func.blocks.values().flat_map(|block| &block.insts).map(|&inst| &func.insts[inst]);
    let elsewhere = |data: &InstData| !matches!(data.op, Op::Call(_, None)) && data.args.contains(&value);
    is_made
        && !insts.into_iter().any(elsewhere)
        && !func.blocks.values().any(|block| {
            let mut found = false;
            block.term.clone().for_each_use_mut(|it| found |= *it == value);
            found
        })
}
