//! Which block every way to a block leads through.
//!
//! The algorithm of Cooper, Harvey and Kennedy: intersect the predecessors' chains until nothing changes,
//! in reverse post-order. One round and a confirming one, unless control flow is irreducible.

use crate::analysis::Cfg;
use crate::entity::Block;
use crate::set::EntityMap;

/// The dominator tree of the blocks that can be reached.
pub struct Dominators {
    /// The immediate dominator; the entry has none.
    parent: EntityMap<Block, Option<Block>>,
    children: EntityMap<Block, Vec<Block>>,
    /// When a walk of the tree enters and leaves the block. Empty for blocks that cannot be reached.
    span: EntityMap<Block, (u32, u32)>,
}

impl Dominators {
    /// The dominator tree of a function with this control flow.
    pub fn of(cfg: &Cfg) -> Self {
        let idom = immediate(cfg);
        let mut parent = EntityMap::with_len(None, cfg.order().len());
        let mut children: EntityMap<Block, Vec<Block>> = EntityMap::with_len(Vec::new(), cfg.order().len());
        for (index, &block) in cfg.order().iter().enumerate().skip(1) {
            let above = cfg.order()[idom[index]];
            parent[block] = Some(above);
            children[above].push(block);
        }
        let mut it = Self { parent, children, span: EntityMap::new((0, 0)) };
        it.number(cfg.order()[0]);
        it
    }

    /// The closest block other than itself that every way to a block leads through.
    pub fn parent(&self, block: Block) -> Option<Block> {
        self.parent[block]
    }

    /// The blocks that have this one as their parent, in reverse post-order.
    ///
    /// Visiting the tree in this order, parents first, visits a block after all its predecessors but those
    /// that jump back.
    pub fn children(&self, block: Block) -> &[Block] {
        &self.children[block]
    }

    /// Whether every way to `below` leads through `above`. A block dominates itself.
    pub fn dominates(&self, above: Block, below: Block) -> bool {
        let ((enter, leave), (start, end)) = (self.span[above], self.span[below]);
        start < end && enter <= start && end <= leave
    }

    /// Calls `visit` with `true` before and with `false` after the blocks below each block.
    pub fn walk(&self, root: Block, mut visit: impl FnMut(Block, bool)) {
        let mut stack = vec![(root, true)];
        while let Some((block, enter)) = stack.pop() {
            visit(block, enter);
            if enter {
                stack.push((block, false));
                stack.extend(self.children(block).iter().rev().map(|&child| (child, true)));
            }
        }
    }

    fn number(&mut self, root: Block) {
        let mut span = EntityMap::new((0, 0));
        let mut time = 0;
        self.walk(root, |block, enter| {
            if enter {
                span[block].0 = time;
            }
            time += 1;
            span[block].1 = time;
        });
        self.span = span;
    }
}

/// The position of the immediate dominator of each block of the order.
fn immediate(cfg: &Cfg) -> Vec<usize> {
    const UNKNOWN: usize = usize::MAX;
    let mut idom = vec![UNKNOWN; cfg.order().len()];
    idom[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for (index, &block) in cfg.order().iter().enumerate().skip(1) {
            let preds = cfg.preds(block).iter().filter_map(|edge| cfg.position(edge.from));
            let known = preds.filter(|&pred| idom[pred] != UNKNOWN);
            let meet = known.reduce(|a, b| intersect(&idom, a, b)).expect("one predecessor comes earlier");
            if idom[index] != meet {
                idom[index] = meet;
                changed = true;
            }
        }
    }
    idom
}

fn intersect(idom: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = idom[a];
        } else {
            b = idom[b];
        }
    }
    a
}
