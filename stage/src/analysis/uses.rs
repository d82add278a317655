//! How often each value is used.

use crate::entity::Value;
use crate::ir::Function;
use crate::set::EntityMap;

/// How many operands each value is, over all blocks. Arguments of jumps count.
pub struct Uses {
    counts: EntityMap<Value, u32>,
}

impl Uses {
    /// Counts the uses in a function.
    pub fn of(func: &Function) -> Self {
        let mut counts = EntityMap::with_len(0, func.values.len());
        for block in func.blocks.values() {
            let args = block.insts.iter().flat_map(|&inst| func.insts[inst].args.iter().copied());
            for value in args.chain(block.term.uses()) {
                counts[value] += 1;
            }
        }
        Self { counts }
    }

    /// One use fewer: an instruction that used the value is going. How many are left.
    pub fn forget(&mut self, value: Value) -> u32 {
        self.counts[value] -= 1;
        self.counts[value]
    }

    /// How often a value is used.
    pub fn count(&self, value: Value) -> u32 {
        self.counts[value]
    }
}
