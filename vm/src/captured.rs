//! What capturing a call begins with and gives: IR, and what its parts mean to Python, or why there is none.

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::{PyObjectRef, VirtualMachine};
use snekpy_stage::entity::{Entity, ExitId, FuncId, HostId};
use snekpy_stage::ir::Module;
use snekpy_stage::prune::prune;

use crate::exit::Resume;
use crate::exit::{Effect, ExitKind, HostKind, Template};
use crate::flatten::{Copied, Root};
use crate::guard::Guard;
use crate::host::function::FunctionParts;
use crate::refusal::Refusal;
use crate::site::{Site, Ways};
use crate::staging_error::{self, bug};
use crate::threads::{CHANGING, SHARED};

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

/// A gradient that is still to be made.
#[derive(Clone, Debug)]
pub(crate) struct Nested {
    /// The function that is called: the other one's results, then the gradient.
    pub(crate) gradient: FuncId,
    /// What is differentiated.
    pub(crate) of: FuncId,
    /// By which of its parameters.
    pub(crate) wrt: Vec<usize>,
    /// Which of its results.
    pub(crate) results: Vec<usize>,
    /// What it computes.
    pub(crate) way: Computes,
}

/// What a function that is made computes besides the results of the other one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Computes {
    /// The gradient of each result.
    Gradient,
    /// The derivatives of all results by each parameter, forwards.
    Columns,
    /// The gradient, from cotangents that are passed behind its arguments.
    Back,
    /// The tangents of its results, along tangents that are passed behind its arguments.
    Along,
}

/// Where a capture begins.
#[derive(Clone, Copy)]
pub(crate) enum Start<'a> {
    /// With a call of a function.
    Call {
        func: &'a PyObjectRef,
        /// Its parts.
        parts: &'a FunctionParts,
    },
    /// In the middle of one.
    Middle(&'a Resume),
}

impl Start<'_> {
    /// What the function of the IR is called.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Call { parts, .. } => parts.qualname.to_string(),
            Self::Middle(entry) => entry.name(),
        }
    }
}

/// Why there is no specialisation.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The program cannot be staged.
    Refused(Box<Refusal>),
    /// Something raised.
    Raised(PyBaseExceptionRef),
    /// There can be one for arguments that are taken in another way.
    Learn(OfArguments),
}

/// How arguments are to be taken, which making code has found out.
#[derive(Debug)]
pub(crate) enum OfArguments {
    /// Compiled code only hands on the one that this local variable is bound to.
    HandOn(usize),
    /// A list that is passed is one of the compiled code, or something of the world is.
    Copy(Box<Copied>),
    /// These numbers among the arguments are known.
    Know(Vec<Root>),
    /// The sizes of tensors are known.
    Sizes,
    /// The characters, or complex numbers, of lists are known.
    Items,
    /// The same of numbers of several types, or None.
    Mixed,
}

impl From<OfArguments> for Failure {
    fn from(learnt: OfArguments) -> Self {
        Self::Learn(learnt)
    }
}

impl Failure {
    /// Whether there may be code another time.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Refused(refusal) if [SHARED, CHANGING].contains(&refusal.code))
    }
}

impl From<PyBaseExceptionRef> for Failure {
    fn from(exception: PyBaseExceptionRef) -> Self {
        Self::Raised(exception)
    }
}

impl From<Box<Refusal>> for Failure {
    fn from(refusal: Box<Refusal>) -> Self {
        Self::Refused(refusal)
    }
}

/// A refusal as exception.
pub(crate) fn to_exception(failure: Failure, vm: &VirtualMachine) -> PyBaseExceptionRef {
    match failure {
        Failure::Refused(refusal) => staging_error::raise(&refusal, vm),
        Failure::Raised(exception) => exception,
        Failure::Learn(_) => bug(vm, "an argument is taken in a way that it cannot be"),
    }
}
