//! A number that is compared with one constant after the other, by halves, becomes one `switch`.
//!
//! Capture asks by halves which of several items an index means, and the items are not numbers that could be loaded: each
//! has code of its own. LLVM makes a table of jumps of comparisons for equality only, so here
//!
//! ```text
//! branch i < 2, (branch i < 1, a, b), (branch i < 3, c, d)
//! ```
//!
//! becomes `switch i { 0: a, 1: b, 2: c, 3: d }`, where what is below all constants goes to `a` and the rest to `d`: that is
//! looked at where none of the cases fits, and dropped by LLVM where it knows that nothing is left.

use snekpy_stage::analysis::Cfg;
use snekpy_stage::entity::{Block, Entity, Inst, Value};
use snekpy_stage::ir::{Function, Terminator};
use snekpy_stage::op::{Cmp, Const, Op};
use snekpy_stage::types::Type;

/// Fewer ways than this are compared with as well.
const LEAST: usize = 4;

/// A jump that a choice ends with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    /// The block that it ends.
    pub(crate) from: Block,
    /// Which of the jumps of that block it is.
    pub(crate) slot: usize,
    /// The smallest number that leads there; none if there is no smallest.
    pub(crate) low: Option<i64>,
    /// The first one behind that does not.
    pub(crate) end: Option<i64>,
}

/// A block that ends with the first comparison, and those with nothing but further ones.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) index: Value,
    /// In the order of the numbers.
    pub(crate) leaves: Vec<Leaf>,
    /// What is computed in the further blocks: constants and comparisons.
    pub(crate) insts: Vec<Inst>,
}

/// The choices of a function.
#[derive(Default)]
pub(crate) struct Choices {
    /// By the block that they begin in.
    choices: Vec<Option<Choice>>,
    /// The blocks that have become part of one.
    absorbed: Vec<bool>,
}

impl Choices {
    /// Finds them. `may_begin` says in which blocks.
    pub(crate) fn of(func: &Function, order: &[Block], may_begin: impl Fn(Block) -> bool) -> Self {
        let mut found = Self { choices: vec![None; func.blocks.len()], absorbed: vec![false; func.blocks.len()] };
        let cfg = Cfg::of(func);
        for &block in order {
            if found.absorbed[block.index()] || !may_begin(block) {
                continue;
            }
            let Some((index, _)) = comparison(func, block) else { continue };
            let mut choice = Choice { index, leaves: Vec::new(), insts: Vec::new() };
            let mut inner = Vec::new();
            choice.descend(func, &cfg, block, [None; 2], &mut inner);
            if choice.leaves.len() >= LEAST && choice.is_of_single_numbers() {
                inner.iter().for_each(|it: &Block| found.absorbed[it.index()] = true);
                found.choices[block.index()] = Some(choice);
            }
        }
        found
    }

    /// The choice that a block ends with.
    pub(crate) fn begins(&self, block: Block) -> Option<&Choice> {
        self.choices.get(block.index())?.as_ref()
    }

    /// Whether a block is part of one, and control never comes there.
    pub(crate) fn has_absorbed(&self, block: Block) -> bool {
        self.absorbed.get(block.index()).is_some_and(|&it| it)
    }
}

impl Choice {
    /// Collects what the comparison at the end of a block leads to, for numbers between these.
    fn descend(
        &mut self,
        func: &Function,
        cfg: &Cfg,
        block: Block,
        [low, end]: [Option<i64>; 2],
        inner: &mut Vec<Block>,
    ) {
        let Some((_, bound)) = comparison(func, block) else { return };
        for (slot, jump) in func.blocks[block].term.jumps().enumerate() {
            let (low, end) = match slot {
                0 => (low, Some(end.map_or(bound, |it| it.min(bound)))),
                _ => (Some(low.map_or(bound, |it| it.max(bound))), end),
            };
            let target = jump.target;
            let goes_on = cfg.single_pred(target).is_some()
                && func.blocks[target].params.is_empty()
                && comparison(func, target).is_some_and(|(index, _)| index == self.index)
                && func.blocks[target].insts.iter().all(|&inst| is_simple(func, inst, self.index));
            if goes_on {
                inner.push(target);
                self.insts.extend_from_slice(&func.blocks[target].insts);
                self.descend(func, cfg, target, [low, end], inner);
            } else if low.zip(end).is_none_or(|(low, end)| low < end) {
                self.leaves.push(Leaf { from: block, slot, low, end });
            }
        }
    }

    /// Whether each way but the first and the last is for one number, and these two are for all others.
    fn is_of_single_numbers(&self) -> bool {
        let [first, middle @ .., last] = &self.leaves[..] else { return false };
        let is_single = |leaf: &Leaf| leaf.low.zip(leaf.end).is_some_and(|(low, end)| low.checked_add(1) == Some(end));
        first.low.is_none()
            && first.end.is_some_and(|end| end > i64::MIN)
            && last.low.is_some()
            && last.end.is_none()
            && middle.iter().all(is_single)
    }
}

/// The number that a block compares with a constant to decide where it goes, and the constant.
fn comparison(func: &Function, block: Block) -> Option<(Value, i64)> {
    let Terminator::Branch { cond, .. } = func.blocks[block].term else { return None };
    let (Op::Cmp(Cmp::Lt), &[index, bound]) = func.definition(cond)? else { return None };
    match func.as_const(bound)? {
        Const::I64(bound) if func.ty(index) == Type::I64 => Some((index, bound)),
        _ => None,
    }
}

/// Whether an instruction is a constant, or compares this number with one.
fn is_simple(func: &Function, inst: Inst, index: Value) -> bool {
    let data = &func.insts[inst];
    match data.op {
        Op::Const(_) => true,
        Op::Cmp(Cmp::Lt) => data.args[0] == index && func.as_const(data.args[1]).is_some(),
        _ => false,
    }
}
