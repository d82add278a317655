//! Which locals may still be looked at: backward liveness.
//!
//! Solved for the beginnings of blocks; in the middle of a block the answer is found by walking to its
//! end. Each block is summed up once, so that a step of the solution is a few operations on bit sets:
//!
//! ```text
//! in = used first  ∪  (out \ changed)  ∪  (in of the handler \ changed before anything can raise)
//! ```

use std::collections::BTreeSet;

use super::graph::{BlockId, Blocks, can_raise};
use super::local::{LocalAccess, Locals};
use super::order::Order;
use super::saved::Save;
use super::{Instr, Opcode, Pc};

/// The locals that are live at the beginning of each block.
#[derive(Debug)]
pub(super) struct Liveness {
    live_in: BitRows,
    /// The saves ([`saved`](super::saved)) that turned out not to be uses: nothing uses what is put back.
    idle_saves: BTreeSet<Pc>,
}

/// What a block does with each local.
struct Effects {
    used_first: BitRows,
    changed: BitRows,
    changed_before_raise: BitRows,
}

impl Liveness {
    pub(super) fn new(instrs: &[Instr], blocks: &Blocks, order: &Order, locals: &Locals, saves: &[Save]) -> Self {
        // At first no save is a use. Those whose variable turns out to be live where it is put back are,
        // and so on until nothing changes. More than two rounds are rare.
        let idle_saves = saves.iter().map(|it| it.pc).collect();
        let mut solution = Self { live_in: BitRows::new(blocks.len(), locals.len()), idle_saves };
        loop {
            solution.solve(instrs, blocks, order, locals);
            let is_used = |save: &&Save| {
                solution.idle_saves.contains(&save.pc)
                    && save.restores.iter().any(|&pc| solution.is_live_after(instrs, blocks, pc, save.local))
            };
            let used: Vec<Pc> = saves.iter().filter(is_used).map(|it| it.pc).collect();
            if used.is_empty() {
                return solution;
            }
            solution.idle_saves.retain(|pc| !used.contains(pc));
        }
    }

    /// Solves the equations. What is known already stays, as saves only ever become uses.
    fn solve(&mut self, instrs: &[Instr], blocks: &Blocks, order: &Order, locals: &Locals) {
        let effects = Effects::new(instrs, blocks, locals.len(), |pc| self.access(instrs, pc));
        let live_in = &mut self.live_in;
        // Backwards through the order, which settles everything but the way round each loop.
        let mut changed = true;
        while changed {
            changed = false;
            for &id in order.sequence().iter().rev() {
                let block = blocks.block(id);
                for word in 0..live_in.width {
                    let at = |to: Option<BlockId>| to.map_or(0, |it| live_in.word(it, word));
                    let out = at(block.jump) | at(block.next);
                    let live = effects.used_first.word(id, word)
                        | out & !effects.changed.word(id, word)
                        | at(block.handler) & !effects.changed_before_raise.word(id, word);
                    changed |= live_in.word(id, word) != live;
                    *live_in.word_mut(id, word) = live;
                }
            }
        }
    }

    fn access(&self, instrs: &[Instr], pc: Pc) -> LocalAccess {
        let access = LocalAccess::of(&instrs[pc as usize]);
        let is_idle = instrs[pc as usize].op == Opcode::LoadFastAndClear && self.idle_saves.contains(&pc);
        if is_idle { LocalAccess { uses: [None; 2], ..access } } else { access }
    }

    /// Whether the local is live behind an instruction that cannot raise and does not jump.
    fn is_live_after(&self, instrs: &[Instr], blocks: &Blocks, pc: Pc, local: usize) -> bool {
        self.at(instrs, blocks, pc + 1, local)
    }

    pub(super) fn at(&self, instrs: &[Instr], blocks: &Blocks, pc: Pc, local: usize) -> bool {
        let id = blocks.of(pc);
        let block = blocks.block(id);
        if pc == block.start {
            return self.live_in.contains(id, local);
        }
        let live_at = |to: Option<BlockId>| to.is_some_and(|it| self.live_in.contains(it, local));
        for pc in pc..block.end {
            let access = self.access(instrs, pc);
            let raises = can_raise(instrs[pc as usize].op);
            if access.uses.contains(&Some(local)) || raises && live_at(block.handler) {
                return true;
            }
            if access.defs.contains(&Some(local)) {
                return false;
            }
        }
        live_at(block.jump) || live_at(block.next)
    }
}

impl Effects {
    fn new(instrs: &[Instr], blocks: &Blocks, locals: usize, access: impl Fn(Pc) -> LocalAccess) -> Self {
        let rows = || BitRows::new(blocks.len(), locals);
        let mut it = Self { used_first: rows(), changed: rows(), changed_before_raise: rows() };
        for id in 0..blocks.len() as BlockId {
            let block = blocks.block(id);
            let mut may_have_raised = false;
            for pc in block.start..block.end {
                may_have_raised |= can_raise(instrs[pc as usize].op);
                let access = access(pc);
                for local in access.uses.into_iter().flatten() {
                    if !it.changed.contains(id, local) {
                        it.used_first.insert(id, local);
                    }
                }
                for local in access.defs.into_iter().flatten() {
                    it.changed.insert(id, local);
                    if !may_have_raised {
                        it.changed_before_raise.insert(id, local);
                    }
                }
            }
        }
        it
    }
}

/// A table of bits with a row for each block.
#[derive(Debug)]
struct BitRows {
    words: Vec<u64>,
    /// Words in a row.
    width: usize,
}

impl BitRows {
    fn new(rows: usize, bits: usize) -> Self {
        let width = bits.div_ceil(64);
        Self { words: vec![0; rows * width], width }
    }

    fn word(&self, row: BlockId, word: usize) -> u64 {
        self.words[row as usize * self.width + word]
    }

    fn word_mut(&mut self, row: BlockId, word: usize) -> &mut u64 {
        &mut self.words[row as usize * self.width + word]
    }

    fn contains(&self, row: BlockId, bit: usize) -> bool {
        self.word(row, bit / 64) >> (bit % 64) & 1 != 0
    }

    fn insert(&mut self, row: BlockId, bit: usize) {
        *self.word_mut(row, bit / 64) |= 1 << (bit % 64);
    }
}
