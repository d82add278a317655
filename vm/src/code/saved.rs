//! Variables that a comprehension saves and puts back.
//!
//! An inlined comprehension begins with LOAD_FAST_AND_CLEAR, which puts the value of its variable, if any,
//! on the stack, and ends with a STORE_FAST that puts it back. Were the first simply a use, every variable
//! of a comprehension would be live before it, in every loop round it. It is a use only if what was put
//! back is used. Here the stores that belong to a save are found, by following saved values on the stack.

use super::decode::Handlers;
use super::graph::{Block, BlockId, Blocks};
use super::{Instr, Opcode, Pc};

/// A LOAD_FAST_AND_CLEAR whose value is nowhere but on the stack and then in its own variable again.
#[derive(Debug)]
pub(super) struct Save {
    /// The LOAD_FAST_AND_CLEAR.
    pub(super) pc: Pc,
    /// The variable.
    pub(super) local: usize,
    /// The instructions that put it back.
    pub(super) restores: Vec<Pc>,
}

/// All saves. None at all if the stack is not used as the compiler uses it.
pub(super) fn saves(instrs: &[Instr], blocks: &Blocks, handlers: &Handlers) -> Vec<Save> {
    if instrs.iter().all(|it| it.op != Opcode::LoadFastAndClear) {
        return Vec::new();
    }
    let mut search = Search { instrs, saves: Vec::new() };
    search.run(blocks, handlers).unwrap_or_default();
    search.saves
}

/// A stack of which only the saved values are known.
#[derive(Clone, Default, PartialEq)]
struct Stack {
    depth: usize,
    /// The slot of each saved value, and the index of the save.
    saved: Vec<(usize, usize)>,
}

impl Stack {
    fn pop(&mut self) -> Option<Option<usize>> {
        self.depth = self.depth.checked_sub(1)?;
        let top = self.saved.iter().position(|&(slot, _)| slot == self.depth);
        Some(top.map(|it| self.saved.remove(it).1))
    }

    fn swap(&mut self, a: usize, b: usize) {
        for (slot, _) in &mut self.saved {
            *slot = if *slot == a {
                b
            } else if *slot == b {
                a
            } else {
                *slot
            };
        }
        self.saved.sort_unstable();
    }

    /// What is left of it for a handler.
    fn cut(&self, depth: usize) -> Vec<(usize, usize)> {
        self.saved.iter().copied().filter(|&(slot, _)| slot < depth).collect()
    }
}

struct Search<'a> {
    instrs: &'a [Instr],
    saves: Vec<Save>,
}

impl Search<'_> {
    /// `None`, and no saves, if something unexpected happens to a saved value.
    fn run(&mut self, blocks: &Blocks, handlers: &Handlers) -> Option<()> {
        let mut at_start: Vec<Option<Stack>> = vec![None; blocks.len()];
        let mut work: Vec<(BlockId, Stack)> = vec![(0, Stack::default())];
        while let Some((id, stack)) = work.pop() {
            let known = &mut at_start[id as usize];
            if let Some(known) = known {
                if *known != stack {
                    self.saves.clear();
                    return None;
                }
                continue;
            }
            *known = Some(stack.clone());
            let Some(next) = self.after_block(blocks.block(id), handlers, stack) else {
                self.saves.clear();
                return None;
            };
            work.extend(next);
        }
        Some(())
    }

    /// The stacks that the successors of a block begin with.
    fn after_block(&mut self, block: &Block, handlers: &Handlers, start: Stack) -> Option<Vec<(BlockId, Stack)>> {
        let mut next = Vec::new();
        let mut stack = start.clone();
        let mut before_last = start.clone();
        for pc in block.start..block.end {
            before_last = stack.clone();
            self.step(pc, &mut stack)?;
        }
        if let (Some(to), Some(handler)) = (block.handler, handlers.at(block.start)) {
            let depth = handler.depth as usize;
            if start.cut(depth) != stack.cut(depth) {
                return None;
            }
            next.push((to, Stack { depth: depth + 1 + usize::from(handler.push_lasti), saved: start.cut(depth) }));
        }
        let last = self.instrs[block.end as usize - 1].op;
        // An exhausted FOR_ITER pushes nothing.
        let after_jump = if last == Opcode::ForIter { before_last } else { stack.clone() };
        next.extend(block.jump.map(|to| (to, after_jump)));
        next.extend(block.next.map(|to| (to, stack)));
        Some(next)
    }

    fn step(&mut self, pc: Pc, stack: &mut Stack) -> Option<()> {
        let Instr { op, arg, .. } = self.instrs[pc as usize];
        let arg_slot = |stack: &Stack| stack.depth.checked_sub(arg as usize);
        match op {
            Opcode::LoadFastAndClear => {
                stack.saved.push((stack.depth, self.saves.len()));
                stack.depth += 1;
                self.saves.push(Save { pc, local: arg as usize, restores: Vec::new() });
            }
            Opcode::Swap => {
                let (top, other) = (stack.depth.checked_sub(1)?, arg_slot(stack)?);
                stack.swap(top, other);
            }
            Opcode::Copy => {
                let copied = arg_slot(stack)?;
                if stack.saved.iter().any(|&(slot, _)| slot == copied) {
                    return None;
                }
                stack.depth += 1;
            }
            Opcode::PopTop => drop(stack.pop()?),
            Opcode::StoreFast => self.store(pc, arg as usize, stack)?,
            Opcode::StoreFastLoadFast => {
                self.store(pc, (arg >> 4) as usize, stack)?;
                stack.depth += 1;
            }
            Opcode::StoreFastStoreFast => {
                self.store(pc, (arg >> 4) as usize, stack)?;
                self.store(pc, (arg & 15) as usize, stack)?;
            }
            _ => {
                let effect = op.stack_effect_info(arg);
                for _ in 0..effect.popped() {
                    if stack.pop()?.is_some() {
                        return None;
                    }
                }
                stack.depth += effect.pushed() as usize;
            }
        }
        Some(())
    }

    fn store(&mut self, pc: Pc, local: usize, stack: &mut Stack) -> Option<()> {
        if let Some(index) = stack.pop()? {
            let save = &mut self.saves[index];
            if save.local != local {
                return None;
            }
            save.restores.push(pc);
        }
        Some(())
    }
}
