//! Tidying up: blocks in reverse post-order, names in the order of the text, tables without leftovers.
//!
//! Passes leave instructions and values behind in the tables of a function. This pass drops them, so
//! that what is stored, printed and handed to a back end is as large as the code is.

use crate::entity::FuncId;
use crate::ir::Module;
use crate::pass::{Changed, PassDef, Run, edit};

/// See the module.
pub const TIDY: PassDef = PassDef { name: "tidy", run: Run::Function(run), required: false };

fn run(module: &mut Module, func: FuncId) -> Changed {
    edit::renumber(&mut module.funcs[func]);
    Changed::Yes
}
