//! A code object of RustPython, decoded and analysed for the evaluator.
//!
//! RustPython specialises and instruments its bytecode in place and hides caches and EXTENDED_ARG
//! prefixes between the instructions. [`Code`] is the stable view: one [`Instr`] per instruction, base
//! opcodes only, arguments folded, jump targets resolved to indices. It is decoded once per code object
//! and shared (`cache`), and stays valid for ever, because operands never change under specialisation.
//!
//! On top of it are the analyses that an explorer of states needs: which instructions are joins
//! (`graph`), in which order to visit them and where the loops are (`order`), and which locals are still
//! needed (`liveness`). They are computed with the decoding; every query is a look-up, except
//! [`Code::live_in`] in the middle of a basic block, which walks to the end of that block.
//!
//! Edges for exceptions lead from every covered instruction that [can raise](can_raise) to its handler.
//! The evaluator must deliver asynchronous exceptions (interrupts, limits) only at such instructions.

mod cache;
mod decode;
mod dropped;
mod graph;
mod helper;
mod liveness;
mod local;
mod name;
mod order;
mod position;
mod saved;
mod seen;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rustpython_vm::PyRef;
use rustpython_vm::builtins::PyCode;
pub use rustpython_vm::bytecode::Opcode;

pub use self::cache::clear_cache;
pub use self::decode::DecodeError;
pub use self::graph::{can_raise, falls_through};
pub(crate) use self::helper::{HELPERS_FILE, is_helper};
pub use self::local::LocalAccess;
pub use self::name::opcode_name;
pub use self::position::Span;
pub(crate) use self::seen::Seen;

/// An index into [`Code::instrs`].
pub type Pc = u32;

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instr {
    /// The base opcode: neither specialised nor instrumented.
    pub op: Opcode,
    /// The argument, EXTENDED_ARG prefixes folded in.
    pub arg: u32,
    /// The code unit of the opcode itself (not of its prefixes): what `f_lasti`, RERAISE, the table of
    /// locations and the exception table count in.
    pub unit: u32,
    /// Where the jump goes, for the opcodes that jump. For FOR_ITER, where an exhausted iterator leads:
    /// past END_FOR. For SEND, its exit. END_ASYNC_FOR does not jump, whatever its argument says.
    pub target: Option<Pc>,
}

/// Where an exception raised by an instruction goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// First instruction of the handler.
    pub target: Pc,
    /// The stack is cut to this depth before the exception is pushed.
    pub depth: u32,
    /// Whether the unit of the raising instruction is pushed below the exception, for RERAISE.
    pub push_lasti: bool,
}

/// A loop: a header and everything that can return to it.
///
/// The header is what JUMP_BACKWARD returns to: FOR_ITER itself in a `for`, the first instruction of the
/// condition in a `while`, the NOP of `while True`. All ways back to one header make one loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The instruction that every iteration starts with.
    pub header: Pc,
    /// The loop round this one, an index into [`Code::loops`].
    pub parent: Option<usize>,
    /// How many loops contain the header, this one included.
    pub depth: u32,
    /// Whether the loop can be entered past its header. The Python compiler makes no such loops; bytecode
    /// made by hand may contain them.
    pub irreducible: bool,
    /// The body is what has an order of at least `first` ...
    first: u32,
    /// ... and below `end`.
    end: u32,
}

/// A decoded and analysed code object.
#[derive(Debug)]
pub struct Code {
    /// What was decoded.
    pub object: PyRef<PyCode>,
    /// Its instructions, in the order of the code units.
    pub instrs: Vec<Instr>,
    pc_of_unit: Vec<Pc>,
    handlers: decode::Handlers,
    spans: Vec<Span>,
    located: Vec<bool>,
    blocks: graph::Blocks,
    joins: Vec<bool>,
    order: order::Order,
    locals: local::Locals,
    liveness: liveness::Liveness,
    uses_namespace: bool,
    seen: Mutex<HashMap<Pc, Arc<Seen>>>,
}

impl Code {
    /// The decoded form of `code`, from a cache where possible.
    ///
    /// Fails only for bytecode that no compiler makes (`code.replace(co_code=...)`).
    pub fn of(code: &PyRef<PyCode>) -> Result<Arc<Self>, DecodeError> {
        cache::lookup(code)
    }

    /// What this instruction has given so far.
    pub(crate) fn seen(&self, pc: Pc) -> Arc<Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).entry(pc).or_default().clone()
    }

    /// Decodes and analyses, without the cache.
    pub fn decode(code: &PyRef<PyCode>) -> Result<Self, DecodeError> {
        let decode::Decoded { instrs, pc_of_unit, handlers } = decode::decode(code)?;
        let locals = local::Locals::new(code, &instrs)?;
        let (spans, located) = position::positions(code, &instrs);
        let blocks = graph::Blocks::new(&instrs, &handlers);
        let order = order::Order::new(&blocks);
        let joins = graph::joins(&instrs, &handlers, |pc| order.is_reachable(blocks.of(pc)));
        let saves = saved::saves(&instrs, &blocks, &handlers);
        let liveness = liveness::Liveness::new(&instrs, &blocks, &order, &locals, &saves);
        let uses_namespace =
            instrs.iter().any(|it| matches!(it.op, Opcode::LoadName | Opcode::StoreName | Opcode::LoadLocals));
        Ok(Self {
            object: code.clone(),
            instrs,
            pc_of_unit,
            handlers,
            spans,
            located,
            blocks,
            joins,
            order,
            locals,
            liveness,
            uses_namespace,
            seen: Mutex::default(),
        })
    }

    /// The instruction that contains this code unit, which may also be one of its prefixes. `None` for the
    /// units of caches and past the end.
    pub fn pc_of_unit(&self, unit: u32) -> Option<Pc> {
        self.pc_of_unit.get(unit as usize).copied().filter(|&pc| pc != decode::NO_INSTR)
    }

    /// Where an exception raised at `pc` goes; `None` when it leaves the function.
    pub fn handler(&self, pc: Pc) -> Option<Handler> {
        self.handlers.at(pc)
    }

    /// Where a handler raises its exception again, when all that it does before is to put back what was handled when its
    /// `try` was entered: the compiler adds one for the body of each handler. `None` for others.
    pub fn raises_again(&self, handler: Handler) -> Option<Pc> {
        let [copy, pop, raise, ..] = self.instrs.get(handler.target as usize..)? else { return None };
        let does_only_that = (copy.op, copy.arg, pop.op) == (Opcode::Copy, 3, Opcode::PopExcept)
            && (raise.op, raise.arg) == (Opcode::Reraise, 1)
            && handler.push_lasti
            && handler.depth > 0;
        let pc = handler.target + 2;
        // Compilers put what is round it behind it. Going round for ever is left to those who wrote that.
        let leads_on = self.handler(pc).is_none_or(|next| next.target > handler.target);
        (does_only_that && leads_on).then_some(pc)
    }

    /// Whether anything in the function looks at an exception that is raised at `pc`.
    pub fn catches(&self, pc: Pc) -> bool {
        let mut next = self.handler(pc);
        while let Some(handler) = next {
            let Some(again) = self.raises_again(handler) else { return true };
            next = self.handler(again);
        }
        false
    }

    /// The positions on the stack of what a handler does nothing with but drop it.
    pub fn dropped_by(&self, handler: Handler) -> Vec<usize> {
        dropped::dropped(&self.instrs, handler)
    }

    /// The line of the instruction.
    pub fn line(&self, pc: Pc) -> u32 {
        self.span(pc).line
    }

    /// The place of the instruction in the source. An instruction without a place of its own has that of
    /// the nearest one before it.
    pub fn span(&self, pc: Pc) -> Span {
        self.spans[pc as usize]
    }

    /// Whether the instruction has a place of its own. The others were made up by the compiler.
    pub fn is_located(&self, pc: Pc) -> bool {
        self.located[pc as usize]
    }

    /// What can be executed after `pc` when it does not raise: the next instruction, the jump target.
    pub fn successors(&self, pc: Pc) -> impl Iterator<Item = Pc> + use<> {
        graph::successors(&self.instrs, pc)
    }

    /// Whether `pc` is reached from two or more instructions, raising ones included.
    pub fn is_join(&self, pc: Pc) -> bool {
        self.joins[pc as usize]
    }

    /// The position of `pc` in a weak topological order.
    ///
    /// Edges lead forward, except those back to the header of a loop they are in. A loop is contiguous:
    /// the header first, then the whole body, then what follows the loop. Unreachable code comes last.
    pub fn order(&self, pc: Pc) -> u32 {
        self.order.of(&self.blocks, pc)
    }

    /// All loops, an outer one before those inside it.
    pub fn loops(&self) -> &[Loop] {
        self.order.loops()
    }

    /// The innermost loop that contains `pc`.
    pub fn loop_at(&self, pc: Pc) -> Option<usize> {
        self.order.loop_of(self.blocks.of(pc))
    }

    /// Whether `pc` is in the loop, or in one inside it.
    pub fn in_loop(&self, pc: Pc, loop_index: usize) -> bool {
        let Loop { first, end, .. } = self.loops()[loop_index];
        (first..end).contains(&self.order(pc))
    }

    /// The loop whose header `pc` is.
    pub fn loop_header(&self, pc: Pc) -> Option<usize> {
        self.loop_at(pc).filter(|&index| self.loops()[index].header == pc)
    }

    /// Whether every loop is entered only through its header.
    pub fn is_reducible(&self) -> bool {
        self.loops().iter().all(|it| !it.irreducible)
    }

    /// Whether the value that `local` has before `pc` may still be looked at.
    ///
    /// Cells are always live. So is everything in a function that mentions `locals`, `eval` and the like.
    /// A comprehension's LOAD_FAST_AND_CLEAR is a use only if the variable is used after it was put back,
    /// so it may find a local that is not live, and must then save whatever it finds.
    pub fn live_in(&self, pc: Pc, local: usize) -> bool {
        self.locals.is_always_live(local) || self.liveness.at(&self.instrs, &self.blocks, pc, local)
    }

    /// Whether the code may look at its locals by name, or at its frame.
    pub const fn looks_at_itself(&self) -> bool {
        self.locals.are_read_by_name()
    }

    /// How many locals there are: variables, then cells, then free variables.
    pub fn local_count(&self) -> usize {
        self.locals.len()
    }

    /// The name of a local.
    pub fn local_name(&self, local: usize) -> &'static str {
        self.locals.name(local)
    }

    /// Whether the local holds a cell (captured by an inner function or captured from an outer one).
    pub fn is_cell(&self, local: usize) -> bool {
        self.locals.is_cell(local)
    }

    /// What the instruction does with fast locals.
    pub fn local_access(&self, pc: Pc) -> LocalAccess {
        LocalAccess::of(&self.instrs[pc as usize])
    }

    /// Whether variables live in a namespace object: the body of a class or of a module.
    pub fn uses_namespace(&self) -> bool {
        self.uses_namespace
    }
}
