//! Automatic differentiation: a transform of the IR.
//!
//! [`reverse`] turns the main function of a module into one that also gives the derivatives of some of its results,
//! from the last operation to the first; [`forward`] into one that carries them along. What comes out is an ordinary
//! module: derivatives of derivatives are the same transform again.
//!
//! The derivative of each op is in `pullback`, a table for both directions. `activity` says which values need one.
//! `reverse` walks the control flow backwards; what it needs of the way there is used directly where it
//! still dominates, carried by parameters of blocks where the code runs once, and recorded on a `tape` in loops and
//! recursive functions. Functions that call themselves become two, one for each direction, with the tape between them.
//!
//! Not here: shapes of arguments and results as a program sees them. A derivative that does not exist is [`Refused`],
//! before anything runs; it is never taken to be zero.

mod activity;
mod cut;
mod forward;
mod pullback;
mod reverse;
mod shape;
mod tape;
mod tensor;
mod variables;

use std::fmt;

use crate::entity::{ExitId, HostId, Loc};
use crate::ir::Module;
use crate::op::Op;
use crate::set::EntitySet;

pub use forward::{Tangents, forward};
pub use reverse::reverse;
pub use tape::{Record, What};

/// What is differentiated: the main function of a module.
#[derive(Clone, Debug)]
pub struct Request {
    /// The parameters to differentiate by: floats, lists of floats, or arrays of them.
    pub wrt: Vec<usize>,
    /// The ways in which the function gives results.
    pub ends: Vec<End>,
    /// Functions of the host that give their operands back as constants.
    pub stops: EntitySet<HostId>,
    /// Functions of the host that change the lists they are given.
    pub changes: EntitySet<HostId>,
}

/// A way in which a function gives results.
#[derive(Clone, Debug)]
pub struct End {
    /// The exit; `None` is an ordinary return.
    pub exit: Option<ExitId>,
    /// Which of its values are differentiated: floats, as many for each end.
    pub of: Vec<usize>,
}

/// What has no derivative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// What it is, for people.
    pub what: String,
    /// Where in the user's program.
    pub loc: Option<Loc>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has no derivative", self.what)
    }
}

impl std::error::Error for Refused {}

/// Replaces calls of these functions of the host by their operands: what [`Request::stops`] marked has been seen.
pub fn forget_stops(module: &mut Module, stops: &EntitySet<HostId>) {
    if stops.is_empty() {
        return;
    }
    for func in module.funcs.keys() {
        let func = &mut module.funcs[func];
        let mut subst = crate::pass::edit::Substitution::new();
        for block in func.blocks.keys() {
            let mut insts = std::mem::take(&mut func.blocks[block].insts);
            insts.retain(|&inst| {
                let data = &func.insts[inst];
                let stops = matches!(data.op, Op::Host(host, _) if stops.contains(host));
                if stops {
                    data.results.iter().zip(&data.args).for_each(|(&result, &arg)| subst.replace(result, arg));
                }
                !stops
            });
            func.blocks[block].insts = insts;
        }
        subst.apply(func);
    }
}
