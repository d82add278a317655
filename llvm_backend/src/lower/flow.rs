//! The order in which blocks are written, and which jumps go back.

use snekpy_stage::entity::{Block, Entity};
use snekpy_stage::ir::Function;

/// The order in which blocks are written, and which jumps go back.
pub(crate) struct Flow {
    /// The blocks that can be reached, in reverse post-order.
    pub(crate) order: Vec<Block>,
    /// Whether something jumps to the entry block.
    pub(crate) entry_is_target: bool,
    /// For each block, which of its jumps go to a block that the search was still inside: one of these
    /// is on every cycle, so polling at them interrupts every loop.
    back: Vec<[bool; 2]>,
}

impl Flow {
    /// Searches a function depth first.
    pub(crate) fn of(func: &Function) -> Self {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            Unseen,
            Inside,
            Done,
        }
        let entry = func.entry();
        let mut marks = vec![Mark::Unseen; func.blocks.len()];
        let mut back = vec![[false; 2]; func.blocks.len()];
        let mut order = Vec::new();
        let mut entry_is_target = false;
        // A stack of our own, because functions may have more blocks than the thread has stack.
        let mut stack = vec![(entry, 0)];
        marks[entry.index()] = Mark::Inside;
        while let Some((block, position)) = stack.last_mut() {
            let (from, at) = (*block, *position);
            let Some(jump) = func.blocks[from].term.jumps().nth(at) else {
                marks[from.index()] = Mark::Done;
                order.push(from);
                stack.pop();
                continue;
            };
            *position += 1;
            let target = jump.target;
            entry_is_target |= target == entry;
            match marks[target.index()] {
                Mark::Unseen => {
                    marks[target.index()] = Mark::Inside;
                    stack.push((target, 0));
                }
                Mark::Inside => back[from.index()][at] = true,
                Mark::Done => {}
            }
        }
        order.reverse();
        Self { order, entry_is_target, back }
    }

    /// Whether this jump of the block, counted from 0, goes back.
    pub(crate) fn goes_back(&self, block: Block, jump: usize) -> bool {
        self.back[block.index()][jump]
    }

    /// Whether the function has a loop.
    pub(crate) fn has_loops(&self) -> bool {
        self.back.iter().flatten().any(|&back| back)
    }
}
