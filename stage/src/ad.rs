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
mod custom;
mod cut;
mod forward;
mod functional;
mod helpers;
mod maps;
mod order;
mod power;
mod pullback;
mod reverse;
mod shape;
mod shift;
mod tape;
mod tensor;
mod variables;

use std::fmt;

use crate::entity::{ExitId, FuncId, HostId, Loc};
use crate::ir::Module;
use crate::op::Op;
use crate::set::EntitySet;

pub use forward::{Tangents, forward};
pub use reverse::reverse;
pub use tape::{Record, What};
pub use tensor::differentiates;

/// What is differentiated: the main function of a module.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The parameters to differentiate by: floats, lists of floats, or arrays of them.
    pub wrt: Vec<usize>,
    /// The ways in which the function gives results.
    pub ends: Vec<End>,
    /// Functions of the host that give their operands back as constants.
    pub stops: EntitySet<HostId>,
    /// Functions of the host that change the lists they are given.
    pub changes: EntitySet<HostId>,
    /// Functions of the host that give their operands back, and begin what has a derivative of its own.
    pub borders: EntitySet<HostId>,
    /// Whether the cotangents that the way back begins with are passed, behind the parameters: one for each `of`, of its
    /// type. Else each `of` has one of its own, 1.
    pub passed: bool,
    /// Whether there are others that call functions of the module.
    pub is_shared: bool,
    /// Whether the caller brings the tape, as the last parameters: lists that are empty, and will be.
    pub brings_tape: bool,
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
    /// What it is about.
    pub why: Why,
}

/// Why something is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// It has no derivative.
    None,
    /// It has a derivative that the program has given, which does not say this.
    Custom,
}

impl Refused {
    fn new(what: impl Into<String>, loc: Option<Loc>) -> Self {
        Self { what: what.into(), loc, why: Why::None }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why {
            Why::None => write!(f, "{} has no derivative", self.what),
            Why::Custom => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for Refused {}

/// Brings a module into the shape that is differentiated: nothing is written where it can be made anew.
fn prepare(module: &mut Module, request: &Request) {
    order::put_in_order(module, &request.changes);
    maps::split(module, request.is_shared);
    let all: Vec<FuncId> = module.funcs.keys().collect();
    if functional::make(module, all) {
        let passes = [crate::pass::SIMPLIFY, crate::pass::DCE];
        let simpler = crate::pass::optimise(module, &passes, &mut crate::pass::Observer::new());
        simpler.expect("what replaces writes is well-formed");
    }
    helpers::shorten_one_by_one(module);
    shape::prepare(module);
}

/// Makes these functions write into no tensors of their own: into new ones instead.
pub fn write_nothing(module: &mut Module, funcs: impl IntoIterator<Item = FuncId>) {
    functional::make(module, funcs);
}

/// Whoever calls a function that was made with [`Request::brings_tape`] makes a tape: once, however often it calls.
pub fn bring_tape(module: &mut Module, called: FuncId) {
    tape::bring(module, called);
}

/// Replaces calls of these functions of the host by their operands: what [`Request::stops`] marked has been seen.
pub fn forget_stops(module: &mut Module, stops: &EntitySet<HostId>) {
    for func in module.funcs.keys() {
        let func = &mut module.funcs[func];
        custom::replace(func, |data| match data.op {
            Op::Host(host, _) if stops.contains(host) => Some(0),
            _ => None,
        });
    }
}

/// Replaces calls of what has a derivative of its own by what it gives: nothing is differentiated any more.
pub fn forget_customs(module: &mut Module) {
    let Module { funcs, hosts, .. } = module;
    for func in funcs.keys() {
        custom::replace(&mut funcs[func], |data| match data.op {
            Op::Host(host, _) => hosts[host].custom.as_ref().map(|it| it.by),
            _ => None,
        });
    }
}
