//! The textual IR, `.sir`: what is printed, read and written in documents, bug reports and tests.
//!
//! ```text
//! exit exit0 "ZeroDivisionError"(i64)
//! host host0 "print"(f64) -> ()
//!
//! func @half(v0: i64) -> f64 {
//! block0:
//!     v1: i64 = const 2
//!     v2: f64 = int_div v0, v1      ; a comment goes to the end of the line
//!     host host0(v2)
//!     return v2
//! }
//! ```
//!
//! * Entities are written as they are numbered, so that a dump can be compared with the dump before it.
//!   Numbers may have gaps. A statement is a line.
//! * The parameters of the entry block stand in the head of the function.
//! * The literal gives the type of a constant: `true`, `0`, `0.0`, `-inf`, `nan`, `nan:0x7ff8000000000001`.
//! * A function is called by its name, `@half`. Names are made unique when they are printed. A name with
//!   characters that would confuse the reader is quoted, `@"two words"`.
//! * Places in the user's program are left out, or added as comments, or declared at the top and referred
//!   to: `loc loc0 "file.py" "half" 3:5` and `v2: f64 = int_div v0, v1 @loc0`. See [`Locations`].
//! * The text need not make sense: ill-typed instructions and jumps to nowhere are read as they stand, so
//!   that the verifier can be tested. What cannot be read is a value without, or with two, definitions.

mod lex;
mod literal;
mod parse;
mod print;

use std::fmt;

use crate::entity::{Block, Entity, FuncId, Inst};
use crate::ir::Module;

pub use literal::Literal;
pub use print::{Display, FuncNames};
pub(crate) use print::{List, block_head, declared, inst_text};

/// How to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// What to tell about places in the user's program.
    pub locations: Locations,
}

/// What to tell about places in the user's program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Locations {
    /// Nothing.
    #[default]
    Hidden,
    /// A comment after each instruction, `; file.py:3:5`, with the calls that were inlined to get there.
    Comments,
    /// Everything, so that the text is as good as the module.
    Declared,
}

/// Reads a module.
///
/// # Errors
/// A [`ParseError`] at the first place that is not a module.
pub fn parse(source: &str) -> Result<Module, ParseError> {
    Ok(parse_with_lines(source)?.0)
}

/// Reads a module, and where each part of it stands in the text.
///
/// # Errors
/// A [`ParseError`] at the first place that is not a module.
pub fn parse_with_lines(source: &str) -> Result<(Module, Lines), ParseError> {
    parse::module(source)
}

/// Why a text is not a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// The lines, from 1, on which the parts of a module stand.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    funcs: Vec<FuncLines>,
}

#[derive(Clone, Debug, Default)]
struct FuncLines {
    head: u32,
    blocks: Vec<BlockLines>,
    insts: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct BlockLines {
    head: u32,
    term: u32,
}

impl Lines {
    /// The line of the head of a function.
    pub fn func(&self, func: FuncId) -> u32 {
        self.funcs[func.index()].head
    }

    /// The line of the head of a block.
    pub fn block(&self, func: FuncId, block: Block) -> u32 {
        self.funcs[func.index()].blocks[block.index()].head
    }

    /// The line of the end of a block; that of its head if it has no end.
    pub fn term(&self, func: FuncId, block: Block) -> u32 {
        let lines = self.funcs[func.index()].blocks[block.index()];
        if lines.term == 0 { lines.head } else { lines.term }
    }

    /// The line of an instruction.
    pub fn inst(&self, func: FuncId, inst: Inst) -> u32 {
        self.funcs[func.index()].insts[inst.index()]
    }
}
