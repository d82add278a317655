//! What capturing a call gives: IR, and what its parts mean to Python.

use rustpython_vm::PyObjectRef;
use snekpy_stage::entity::{Entity, ExitId};
use snekpy_stage::ir::Module;
use snekpy_stage::prune::prune;

use crate::exit::{Effect, ExitKind, HostKind, Template};
use crate::guard::Guard;

/// A captured call.
#[derive(Debug)]
pub(crate) struct Captured {
    /// The IR. Its main function takes the leaves of the key.
    pub(crate) module: Module,
    /// What each exit means, by `ExitId`.
    pub(crate) exits: Vec<ExitKind>,
    /// What each function of the host is, by `HostId`.
    pub(crate) hosts: Vec<HostKind>,
    /// What was read from the world.
    pub(crate) guards: Vec<Guard>,
    /// The dicts of the world that were changed, if there are records: these must not be among them.
    pub(crate) touched: Vec<PyObjectRef>,
    /// What a normal return of the main function gives; its results are the leaves.
    pub(crate) result: Template,
    /// What the program has done to objects by then.
    pub(crate) effects: Vec<Effect>,
}

impl Captured {
    /// Drops what no code uses: paths that were taken back have left it, or passes have.
    pub(crate) fn prune(&mut self) {
        let kept = prune(&mut self.module);
        // Exits that inlining has composed are known by their parts.
        let kind = |exit: &ExitId| self.exits.get(exit.index()).cloned().unwrap_or(ExitKind::Failure);
        self.exits = kept.exits.iter().map(kind).collect();
        self.hosts = kept.hosts.iter().map(|host| self.hosts[host.index()].clone()).collect();
    }
}
