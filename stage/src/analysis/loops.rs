//! Natural loops: a header, and the blocks that lead back to it without leaving.
//!
//! Two edges that jump back to one header make one loop. An edge that goes back to a block that does not
//! dominate it belongs to no loop; it is reported as irreducible, and passes leave such code alone.

use crate::analysis::{Cfg, Dominators, Edge};
use crate::entity::Block;
use crate::ir::Function;
use crate::set::EntityMap;

/// A loop of a function: an index into [`Loops`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopId(u32);

impl LoopId {
    /// Its number among the loops, as [`Loops::inner_first`] counts them.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The loops of a function.
pub struct Loops {
    loops: Vec<LoopData>,
    innermost: EntityMap<Block, Option<LoopId>>,
    irreducible: Vec<Edge>,
}

/// One loop.
#[derive(Clone, Debug)]
pub struct LoopData {
    /// The block that every way into the loop leads to.
    pub header: Block,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// The edges that jump back to the header.
    pub latches: Vec<Edge>,
    /// Its blocks, those of loops in it included, in reverse post-order; the header first.
    pub blocks: Vec<Block>,
    /// The edges that leave it.
    pub exits: Vec<Edge>,
    /// How many loops it is in, itself included.
    pub depth: u32,
}

impl Loops {
    /// The loops of a function.
    pub fn of(func: &Function, cfg: &Cfg, doms: &Dominators) -> Self {
        let mut it = Self { loops: Vec::new(), innermost: EntityMap::new(None), irreducible: Vec::new() };
        // A header comes before the headers in its loop: backwards, loops inside are found first.
        for &header in cfg.order().iter().rev() {
            let back = cfg.preds(header).iter().filter(|edge| cfg.position(edge.from) >= cfg.position(header));
            let (latches, irreducible): (Vec<_>, Vec<_>) = back.partition(|edge| doms.dominates(header, edge.from));
            it.irreducible.extend(irreducible);
            if !latches.is_empty() {
                it.add(cfg, header, latches);
            }
        }
        it.fill(func, cfg);
        it
    }

    /// The loops, each after those in it.
    pub fn inner_first(&self) -> impl DoubleEndedIterator<Item = LoopId> + use<> {
        (0..u32::try_from(self.loops.len()).expect("there are fewer loops than blocks")).map(LoopId)
    }

    /// One loop.
    pub fn data(&self, id: LoopId) -> &LoopData {
        &self.loops[id.0 as usize]
    }

    /// The smallest loop that a block is in.
    pub fn innermost(&self, block: Block) -> Option<LoopId> {
        self.innermost[block]
    }

    /// Whether a block is in a loop or in one inside it.
    pub fn contains(&self, id: LoopId, block: Block) -> bool {
        let mut at = self.innermost(block);
        while let Some(inner) = at {
            if inner == id {
                return true;
            }
            at = self.data(inner).parent;
        }
        false
    }

    /// How many loops a block is in.
    pub fn depth(&self, block: Block) -> u32 {
        self.innermost(block).map_or(0, |id| self.data(id).depth)
    }

    /// The edges that jump back to a block without coming from its loop.
    pub fn irreducible(&self) -> &[Edge] {
        &self.irreducible
    }

    /// Walks from the latches back to the header. A loop on the way is passed as if it were one block.
    fn add(&mut self, cfg: &Cfg, header: Block, latches: Vec<Edge>) {
        let id = LoopId(u32::try_from(self.loops.len()).expect("there are fewer loops than blocks"));
        let mut work: Vec<Block> = latches.iter().map(|edge| edge.from).collect();
        let data = LoopData { header, parent: None, latches, blocks: Vec::new(), exits: Vec::new(), depth: 0 };
        self.loops.push(data);
        self.innermost[header] = Some(id);
        while let Some(block) = work.pop() {
            let mut entered = block;
            match self.outermost(block) {
                Some(outer) if outer == id => continue,
                Some(inner) => {
                    self.loops[inner.0 as usize].parent = Some(id);
                    entered = self.data(inner).header;
                }
                None => self.innermost[block] = Some(id),
            }
            work.extend(cfg.preds(entered).iter().map(|edge| edge.from));
        }
    }

    fn outermost(&self, block: Block) -> Option<LoopId> {
        let mut found = self.innermost(block)?;
        while let Some(parent) = self.data(found).parent {
            found = parent;
        }
        Some(found)
    }

    fn fill(&mut self, func: &Function, cfg: &Cfg) {
        for id in self.inner_first().rev() {
            let parent = self.data(id).parent;
            self.loops[id.0 as usize].depth = parent.map_or(1, |it| self.data(it).depth + 1);
        }
        for &block in cfg.order() {
            let mut at = self.innermost(block);
            while let Some(id) = at {
                self.loops[id.0 as usize].blocks.push(block);
                for (jump, slot) in func.blocks[block].term.jumps().zip(0..) {
                    if !self.contains(id, jump.target) {
                        self.loops[id.0 as usize].exits.push(Edge { from: block, slot });
                    }
                }
                at = self.data(id).parent;
            }
        }
    }
}
