//! The edges of a function's control flow, and an order to visit its blocks in.

use crate::entity::Block;
use crate::ir::{Function, Jump};
use crate::set::{EntityMap, EntitySet};

/// One jump of one block: the way from `from` that its terminator writes at `slot`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// The block that is left.
    pub from: Block,
    /// Which of the jumps of its terminator, from 0.
    pub slot: u32,
}

/// Predecessors of each block, and the blocks that can be reached in reverse post-order.
pub struct Cfg {
    preds: EntityMap<Block, Vec<Edge>>,
    order: Vec<Block>,
    position: EntityMap<Block, u32>,
}

const UNREACHABLE: u32 = u32::MAX;

impl Edge {
    /// The jump of this edge.
    pub fn jump(self, func: &Function) -> &Jump {
        func.blocks[self.from].term.jumps().nth(self.slot as usize).expect("the edge was taken from this terminator")
    }

    /// The jump of this edge, to be changed.
    pub fn jump_mut(self, func: &mut Function) -> &mut Jump {
        let mut jumps = func.blocks[self.from].term.jumps_mut();
        jumps.nth(self.slot as usize).expect("the edge was taken from this terminator")
    }
}

impl Cfg {
    /// The control flow of a function.
    pub fn of(func: &Function) -> Self {
        let len = func.blocks.len();
        let order = reverse_post_order(func);
        let mut position = EntityMap::with_len(UNREACHABLE, len);
        let mut preds: EntityMap<Block, Vec<Edge>> = EntityMap::with_len(Vec::new(), len);
        for (index, &block) in order.iter().enumerate() {
            position[block] = u32::try_from(index).expect("blocks are numbered by 32 bits");
            for (jump, slot) in func.blocks[block].term.jumps().zip(0..) {
                preds[jump.target].push(Edge { from: block, slot });
            }
        }
        Self { preds, order, position }
    }

    /// The edges that lead to a block from blocks that can be reached.
    pub fn preds(&self, block: Block) -> &[Edge] {
        &self.preds[block]
    }

    /// The only edge that leads to a block, if there is just one.
    pub fn single_pred(&self, block: Block) -> Option<Edge> {
        match *self.preds(block) {
            [edge] => Some(edge),
            _ => None,
        }
    }

    /// The blocks that can be reached, each before those that only it leads to; the entry first.
    pub fn order(&self) -> &[Block] {
        &self.order
    }

    /// Where a block is in [`Cfg::order`].
    pub fn position(&self, block: Block) -> Option<usize> {
        let position = self.position[block];
        (position != UNREACHABLE).then_some(position as usize)
    }

    /// Whether a block can be reached.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.position(block).is_some()
    }

    /// Whether some edge leads to this block from one that is not before it in the order: it heads a loop.
    pub fn is_retreated_to(&self, block: Block) -> bool {
        self.preds(block).iter().any(|edge| self.position(edge.from) >= self.position(block))
    }
}

fn reverse_post_order(func: &Function) -> Vec<Block> {
    let mut seen = EntitySet::new();
    let mut order = Vec::with_capacity(func.blocks.len());
    // A block and how many of its targets are still to be visited. The last target is visited first, so
    // that the first one, the body of a loop, comes first in the reverse.
    let mut stack = vec![(func.entry(), usize::MAX)];
    seen.insert(func.entry());
    while let Some((block, left)) = stack.pop() {
        let term = &func.blocks[block].term;
        let left = left.min(term.jumps().count());
        let Some(next) = left.checked_sub(1) else {
            order.push(block);
            continue;
        };
        stack.push((block, next));
        let target = term.jumps().nth(next).expect("counted above").target;
        if seen.insert(target) {
            stack.push((target, usize::MAX));
        }
    }
    order.reverse();
    order
}
