//! `terminator`, `dominance`: every way through the function has an end, and passes the definition of a
//! value before its use.
//!
//! Dominators are computed here and not taken from the analyses, so that a mistake there is found here.
//! The algorithm is the iteration of Cooper, Harvey and Kennedy over reverse post-order.

use super::{Cx, Rule};
use crate::entity::{Block, Entity, Value};
use crate::ir::{Def, Function, Terminator};

pub(super) fn check(cx: &mut Cx<'_>) {
    let func = cx.func;
    let dominators = Dominators::of(func);
    let order = PlacesOfInsts::of(func);
    for &block in &dominators.order {
        let data = &func.blocks[block];
        let fault = |value: Value, position: usize| {
            // A value that is used no more may be left in the table after what defined it has gone.
            let nothing = || Some(format!("nothing defines {value}"));
            let (home, at) = match func.values[value].def {
                Def::Param(home, index) => match func.blocks.lookup(home) {
                    Some(data) if data.params.get(index as usize) == Some(&value) => (home, 0),
                    Some(_) | None => return nothing(),
                },
                Def::Result(inst, index) => match func.insts.lookup(inst) {
                    Some(data) if data.results.get(index as usize) == Some(&value) => {
                        match order.places[inst.index()] {
                            Some((home, at)) => (home, at + 1),
                            None => return Some(format!("{value} is defined by an instruction that is in no block")),
                        }
                    }
                    Some(_) | None => return nothing(),
                },
            };
            let is_before = if home == block { at <= position } else { dominators.dominates(home, block) };
            if is_before { None } else { Some(format!("{value} is defined in {home}, which may come later or never")) }
        };
        for (position, &inst) in data.insts.iter().enumerate() {
            let faults: Vec<_> = func.insts[inst].args.iter().filter_map(|&arg| fault(arg, position)).collect();
            for message in faults {
                cx.at_inst(Rule::Dominance, block, inst, message);
            }
        }
        let faults: Vec<_> = data.term.uses().filter_map(|value| fault(value, data.insts.len())).collect();
        for message in faults {
            cx.at_end(Rule::Dominance, block, &[], message);
        }
        if data.term == Terminator::None {
            cx.at_end(Rule::Terminator, block, &[], "the block can be reached and has no end".to_owned());
        }
    }
}

/// Where each instruction is: its block and its position there.
struct PlacesOfInsts {
    places: Vec<Option<(Block, usize)>>,
}

impl PlacesOfInsts {
    fn of(func: &Function) -> Self {
        let mut places = vec![None; func.insts.len()];
        for (block, data) in func.blocks.iter() {
            for (position, &inst) in data.insts.iter().enumerate() {
                places[inst.index()] = Some((block, position));
            }
        }
        Self { places }
    }
}

/// The blocks that can be reached, and which of them are on every way to which.
struct Dominators {
    /// The blocks that can be reached, in reverse post-order.
    order: Vec<Block>,
    /// The position of each block in `order`.
    rank: Vec<Option<usize>>,
    /// By rank, the rank of the immediate dominator; that of the entry is itself.
    idom: Vec<usize>,
}

impl Dominators {
    fn of(func: &Function) -> Self {
        let order = reverse_post_order(func);
        let mut rank = vec![None; func.blocks.len()];
        for (position, block) in order.iter().enumerate() {
            rank[block.index()] = Some(position);
        }
        let mut preds = vec![Vec::new(); order.len()];
        for (position, &block) in order.iter().enumerate() {
            for jump in func.blocks[block].term.jumps() {
                preds[rank[jump.target.index()].expect("a target of a reached block is reached")].push(position);
            }
        }
        const UNKNOWN: usize = usize::MAX;
        let mut idom = vec![UNKNOWN; order.len()];
        idom[0] = 0;
        loop {
            let mut changed = false;
            for position in 1..order.len() {
                let known = preds[position].iter().copied().filter(|&pred| idom[pred] != UNKNOWN);
                let found = known.reduce(|a, b| meet(&idom, a, b)).expect("one predecessor comes first in the order");
                changed |= idom[position] != found;
                idom[position] = found;
            }
            if !changed {
                return Self { order, rank, idom };
            }
        }
    }

    fn dominates(&self, above: Block, below: Block) -> bool {
        let (Some(above), Some(mut below)) = (self.rank[above.index()], self.rank[below.index()]) else {
            return false;
        };
        while below > above {
            below = self.idom[below];
        }
        below == above
    }
}

fn meet(idom: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = idom[a];
        } else {
            b = idom[b];
        }
    }
    a
}

fn reverse_post_order(func: &Function) -> Vec<Block> {
    let targets = |block: Block| func.blocks[block].term.jumps().map(|jump| jump.target).collect::<Vec<_>>();
    let mut seen = vec![false; func.blocks.len()];
    seen[func.entry().index()] = true;
    let mut post = Vec::new();
    let mut stack = vec![(func.entry(), targets(func.entry()))];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            None => {
                post.push(*block);
                stack.pop();
            }
            Some(next) => {
                if !std::mem::replace(&mut seen[next.index()], true) {
                    stack.push((next, targets(next)));
                }
            }
        }
    }
    post.reverse();
    post
}
