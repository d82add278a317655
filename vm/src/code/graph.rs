//! Edges between instructions, and basic blocks.
//!
//! A basic block is a run of instructions that is entered at its first and has one handler throughout, so
//! that it has at most three successors and the analyses can work block by block.

use super::decode::Handlers;
use super::{Instr, Opcode, Pc};

/// An index into [`Blocks`].
pub(super) type BlockId = u32;

/// A straight run of instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) start: Pc,
    pub(super) end: Pc,
    /// Where its last instruction jumps to.
    pub(super) jump: Option<BlockId>,
    /// What its last instruction falls through to.
    pub(super) next: Option<BlockId>,
    /// Where exceptions go, if any of the instructions can raise.
    pub(super) handler: Option<BlockId>,
}

impl Block {
    pub(super) fn successors(&self) -> [Option<BlockId>; 3] {
        [self.handler, self.jump, self.next]
    }
}

/// The basic blocks, in the order of their instructions.
#[derive(Debug)]
pub(super) struct Blocks {
    blocks: Vec<Block>,
    of_instr: Vec<BlockId>,
}

impl Blocks {
    pub(super) fn new(instrs: &[Instr], handlers: &Handlers) -> Self {
        let starts = block_starts(instrs, handlers);
        let mut of_instr = Vec::with_capacity(instrs.len());
        let mut blocks: Vec<Block> = Vec::new();
        for pc in 0..instrs.len() as Pc {
            match blocks.last_mut() {
                Some(block) if !starts[pc as usize] => block.end = pc + 1,
                _ => blocks.push(Block { start: pc, end: pc + 1, jump: None, next: None, handler: None }),
            }
            of_instr.push(blocks.len() as BlockId - 1);
        }
        for block in &mut blocks {
            let last = &instrs[block.end as usize - 1];
            block.jump = last.target.map(|it| of_instr[it as usize]);
            block.next = falls_through(last.op).then(|| of_instr[block.end as usize]);
            let raises = (block.start..block.end).any(|pc| can_raise(instrs[pc as usize].op));
            let handler = handlers.at(block.start).filter(|_| raises);
            block.handler = handler.map(|it| of_instr[it.target as usize]);
        }
        Self { blocks, of_instr }
    }

    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id as usize]
    }

    /// The block an instruction is in.
    pub(super) fn of(&self, pc: Pc) -> BlockId {
        self.of_instr[pc as usize]
    }
}

fn block_starts(instrs: &[Instr], handlers: &Handlers) -> Vec<bool> {
    let mut starts = vec![false; instrs.len() + 1];
    starts[0] = true;
    for (pc, instr) in instrs.iter().enumerate() {
        if let Some(target) = instr.target {
            starts[target as usize] = true;
        }
        if instr.target.is_some() || !falls_through(instr.op) {
            starts[pc + 1] = true;
        }
        if pc > 0 && !handlers.same(pc as Pc - 1, pc as Pc) {
            starts[pc] = true;
        }
        if let Some(handler) = handlers.at(pc as Pc) {
            starts[handler.target as usize] = true;
        }
    }
    starts
}

/// Which instructions have two or more predecessors. The beginning of the function is one for the first.
pub(super) fn joins(instrs: &[Instr], handlers: &Handlers, is_reachable: impl Fn(Pc) -> bool) -> Vec<bool> {
    let mut predecessors = vec![0u32; instrs.len()];
    predecessors[0] = 1;
    for pc in (0..instrs.len() as Pc).filter(|&pc| is_reachable(pc)) {
        let handler = handlers.at(pc).filter(|_| can_raise(instrs[pc as usize].op)).map(|it| it.target);
        for target in successors(instrs, pc).chain(handler) {
            predecessors[target as usize] += 1;
        }
    }
    predecessors.iter().map(|&count| count > 1).collect()
}

/// What comes after `pc` when it does not raise. A jump to the next instruction is one successor, not two.
pub(super) fn successors(instrs: &[Instr], pc: Pc) -> impl Iterator<Item = Pc> + use<> {
    let Instr { op, target, .. } = instrs[pc as usize];
    let next = falls_through(op).then_some(pc + 1);
    next.into_iter().chain(target.filter(|_| next != target))
}

/// Whether the next instruction can come after this one.
pub fn falls_through(op: Opcode) -> bool {
    !op.is_no_fallthrough() && op != Opcode::InterpreterExit
}

/// Whether the instruction can raise, interrupts included.
///
/// The opcodes that only shuffle the stack and store locals cannot, neither can jumps forward; destructors
/// that they trigger report their exceptions elsewhere. For everything else, yes is assumed.
pub fn can_raise(op: Opcode) -> bool {
    !matches!(
        op,
        Opcode::Nop
            | Opcode::NotTaken
            | Opcode::Cache
            | Opcode::ExtendedArg
            | Opcode::PopTop
            | Opcode::PopIter
            | Opcode::PopExcept
            | Opcode::PushNull
            | Opcode::PushExcInfo
            | Opcode::Copy
            | Opcode::Swap
            | Opcode::EndFor
            | Opcode::EndSend
            | Opcode::LoadConst
            | Opcode::LoadSmallInt
            | Opcode::LoadCommonConstant
            | Opcode::LoadFastAndClear
            | Opcode::StoreFast
            | Opcode::StoreFastLoadFast
            | Opcode::StoreFastStoreFast
            | Opcode::MakeCell
            | Opcode::CopyFreeVars
            | Opcode::IsOp
            | Opcode::JumpForward
            | Opcode::PopJumpIfNone
            | Opcode::PopJumpIfNotNone
            | Opcode::ReturnGenerator
            | Opcode::ReturnValue
    )
}
