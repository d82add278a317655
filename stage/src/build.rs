//! Building functions.
//!
//! A [`Builder`] appends instructions to the current block of one function. It refuses nothing that the
//! verifier accepts and accepts nothing that the verifier refuses: both use [`crate::op::typing`].

use crate::entity::{Block, ExitId, FuncId, Loc, Value};
use crate::ir::{BlockData, Function, Jump, Module, Terminator};
use crate::op::typing::{self, Signature, TypeFault};
use crate::op::{Const, Op};
use crate::types::Type;

/// Appends to one function of a module.
pub struct Builder<'a> {
    module: &'a Module,
    func: &'a mut Function,
    block: Block,
    loc: Option<Loc>,
}

/// How far a function had been built: see [`Builder::mark`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    blocks: usize,
    insts: usize,
    values: usize,
}

impl<'a> Builder<'a> {
    /// Appends to `block` of `func`. The function is not in the module's table while it is being built,
    /// or is a stand-in there that has the same signature.
    pub fn new(module: &'a Module, func: &'a mut Function, block: Block) -> Self {
        Self { module, func, block, loc: None }
    }

    /// The module that the function belongs to.
    pub fn module(&self) -> &'a Module {
        self.module
    }

    /// The function that is being built.
    pub fn func(&self) -> &Function {
        self.func
    }

    /// The block that is appended to.
    pub fn block(&self) -> Block {
        self.block
    }

    /// From here on, instructions come from this place of the user's program.
    pub fn at(&mut self, loc: Option<Loc>) -> &mut Self {
        self.loc = loc;
        self
    }

    /// Makes an empty block.
    pub fn create_block(&mut self) -> Block {
        self.func.blocks.push(BlockData::default())
    }

    /// Jumps that close a loop at `head` do not poll.
    pub fn keep_quiet(&mut self, head: Block) {
        self.func.blocks[head].quiet = true;
    }

    /// Continues at the end of `block`.
    pub fn switch_to(&mut self, block: Block) {
        self.block = block;
    }

    /// Appends a parameter to a block.
    pub fn append_param(&mut self, block: Block, ty: Type) -> Value {
        self.func.append_param(block, ty)
    }

    /// Appends an instruction and returns its results.
    ///
    /// # Errors
    /// A [`TypeFault`] when the op does not take these operands.
    pub fn inst(&mut self, op: Op, args: &[Value]) -> Result<Vec<Value>, TypeFault> {
        let types = self.func.types_of(args);
        let module = self.module;
        let results = typing::results(op, &types, module, |func| signature(module, func))?;
        let inst = self.func.make_inst(op, args.to_vec(), &results, self.loc);
        self.func.blocks[self.block].insts.push(inst);
        Ok(self.func.insts[inst].results.clone())
    }

    /// Appends an instruction that has one result.
    ///
    /// # Errors
    /// A [`TypeFault`] when the op does not take these operands.
    ///
    /// # Panics
    /// When the op has another number of results.
    pub fn value(&mut self, op: Op, args: &[Value]) -> Result<Value, TypeFault> {
        Ok(self.inst(op, args)?[0])
    }

    /// A constant.
    pub fn constant(&mut self, constant: Const) -> Value {
        self.value(Op::Const(constant), &[]).expect("a constant has no operands")
    }

    /// Ends the block with a jump.
    pub fn jump(&mut self, target: Block, args: Vec<Value>) {
        self.terminate(Terminator::Jump(Jump { target, args }));
    }

    /// Ends the block with a branch to two blocks without parameters.
    pub fn branch(&mut self, cond: Value, then: Block, other: Block) {
        let jump = |target| Jump { target, args: Vec::new() };
        self.terminate(Terminator::Branch { cond, then: jump(then), other: jump(other) });
    }

    /// Ends the block with a return.
    pub fn ret(&mut self, values: Vec<Value>) {
        self.terminate(Terminator::Return(values));
    }

    /// Ends the block by leaving compiled code.
    pub fn exit(&mut self, exit: ExitId, values: Vec<Value>) {
        self.terminate(Terminator::Exit(exit, values));
    }

    /// Ends the block.
    pub fn terminate(&mut self, term: Terminator) {
        let block = &mut self.func.blocks[self.block];
        block.term = term;
        block.term_loc = self.loc;
    }

    /// How far the function has been built.
    pub fn mark(&self) -> Mark {
        Mark { blocks: self.func.blocks.len(), insts: self.func.insts.len(), values: self.func.values.len() }
    }

    /// Forgets every block, instruction and value made since the mark.
    ///
    /// Blocks that existed at the mark must not have been appended to since.
    pub fn rollback(&mut self, mark: Mark) {
        self.func.blocks.truncate(mark.blocks);
        self.func.insts.truncate(mark.insts);
        self.func.values.truncate(mark.values);
    }
}

/// What a function of the module looks like from outside.
pub fn signature(module: &Module, func: FuncId) -> Option<Signature> {
    module.funcs.lookup(func).map(|it| Signature { params: it.param_types(), results: it.results.clone() })
}
