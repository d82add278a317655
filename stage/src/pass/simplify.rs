//! Simplification: what can be seen from an instruction and its operands, or a block and its neighbours.
//!
//! [`fold`] rewrites instructions, [`flow`] the control flow. Each is linear; they alternate while control
//! flow still changes, because a join that disappears shows constants to what comes after it.
//!
//! Every rule holds for Python's integers and for strict doubles: `x + 0.0` is not `x` (it is `0.0` for
//! `-0.0`), `x - x` is not `0.0`. A rule never removes a trap or an exit that could have happened, and
//! never moves one before another.

mod flow;
mod fold;
mod rules;

use crate::entity::FuncId;
use crate::ir::Module;
use crate::pass::{Changed, PassDef, Run};

/// See the module.
pub const SIMPLIFY: PassDef = PassDef { name: "simplify", run: Run::Function(run), required: false };

/// How often instructions and control flow are looked at in turn. Two are nearly always enough; the limit
/// keeps the pass linear.
const ROUNDS: usize = 6;

fn run(module: &mut Module, func: FuncId) -> Changed {
    let func = &mut module.funcs[func];
    let mut changed = Changed::from(func.remove_unreachable() > 0);
    for _ in 0..ROUNDS {
        changed |= fold::run(func);
        if flow::run(func) == Changed::No {
            break;
        }
        changed = Changed::Yes;
    }
    changed
}
