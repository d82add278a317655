//! What capturing a call gives: IR, and what its parts mean to Python.

use rustpython_vm::PyObjectRef;
use snekpy_stage::entity::{Entity, ExitId, HostId};
use snekpy_stage::ir::Module;
use snekpy_stage::prune::prune;

use crate::capture::container::SHARED;
use crate::capture::derivative::Nested;
use crate::capture::session::Site;
use crate::capture::trail::Ways;
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
    /// Which function of the host each was when it was captured, by `HostId`; `None` for those of passes.
    pub(crate) places: Vec<Option<HostId>>,
    /// What was read from the world.
    pub(crate) guards: Vec<Guard>,
    /// The places that locations stand for: `LocData::tag` is an index.
    pub(crate) sites: Vec<Site>,
    /// The ways that exceptions come, which templates choose from.
    pub(crate) ways: Ways,
    /// Gradients that are still to be made.
    pub(crate) nested: Vec<Nested>,
    /// What the ways back of derivatives record, for people.
    pub(crate) tape: Vec<String>,
    /// The dicts of the world that were changed, if there are records: these must not be among them.
    pub(crate) touched: Vec<PyObjectRef>,
    /// What a normal return of the main function gives; its results are the leaves.
    pub(crate) result: Template,
    /// What the program has done to objects by then.
    pub(crate) effects: Vec<Effect>,
}

impl Captured {
    /// Whether it does anything to objects of the world.
    pub(crate) fn has_effects(&self) -> bool {
        !self.effects.is_empty()
            || self.exits.iter().any(|exit| match exit {
                ExitKind::Return { effects, .. }
                | ExitKind::Raise { effects, .. }
                | ExitKind::Again { effects, .. } => !effects.is_empty(),
                ExitKind::Resume(resume) | ExitKind::Checkpoint(resume) | ExitKind::Restart(resume) => {
                    !resume.effects.is_empty()
                }
                ExitKind::Failure => false,
            })
    }

    /// Whether it does anything that others see.
    pub(crate) fn acts(&self) -> bool {
        let acts =
            |host: &HostKind| matches!(host, HostKind::Call { .. } | HostKind::Compute { .. } | HostKind::Cross(_));
        self.has_effects() || self.hosts.iter().any(acts)
    }

    /// Whether the VM carries out instructions for it.
    pub(crate) fn crosses(&self) -> bool {
        self.hosts.iter().any(|host| matches!(host, HostKind::Cross(_)))
    }

    /// Whether there is an instruction that only plain Python carries out.
    pub(crate) fn leaves(&self) -> bool {
        self.exits.iter().any(|exit| matches!(exit, ExitKind::Resume(_)))
    }

    /// Whether plain Python goes on where it would change what other threads may see.
    pub(crate) fn leaves_for_others(&self) -> bool {
        self.exits.iter().any(|exit| matches!(exit, ExitKind::Resume(resume) if resume.reason.code == SHARED))
    }

    /// Drops what no code uses: paths that were taken back have left it, or passes have.
    pub(crate) fn prune(&mut self) {
        let kept = prune(&mut self.module);
        // Exits that inlining has composed are known by their parts.
        let kind = |exit: &ExitId| self.exits.get(exit.index()).cloned().unwrap_or(ExitKind::Failure);
        self.exits = kept.exits.iter().map(kind).collect();
        // Passes add operations on tensors only.
        let kind = |host: &HostId| self.hosts.get(host.index()).cloned().unwrap_or(HostKind::Tensor);
        let place = |host: &HostId| self.places.get(host.index()).copied().flatten();
        self.places = kept.hosts.iter().map(place).collect();
        self.hosts = kept.hosts.iter().map(kind).collect();
    }
}
