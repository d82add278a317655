//! Passes, and the one runner that applies them.
//!
//! A pass changes a module without changing what anybody can notice of a call: results, exits and their
//! payloads, traps and their places, calls of the host, memory, and what a plain continuation would find at the
//! checkpoint that something leaves at. Only limits may differ: a call that was
//! inlined does not count towards the depth of calls, and dead code takes no time.
//!
//! A pipeline is data, a list of [`PassDef`]s. Verifying, dumping, timing and stopping early are done by
//! the runner, as its [`Observer`] wants, and are no concern of a pass.

mod checkpoints;
mod constants;
mod cse;
mod dce;
pub(crate) mod edit;
mod fuse;
mod if_convert;
mod inline;
mod licm;
mod own;
mod range;
mod runs;
mod simplify;
mod tidy;

use std::ops::{BitOr, BitOrAssign};
use std::time::{Duration, Instant};

use crate::entity::FuncId;
use crate::ir::Module;
use crate::verify::{Violations, verify};

pub use checkpoints::CHECKPOINTS;
pub use constants::CONSTANTS;
pub use cse::CSE;
pub use dce::DCE;
pub use fuse::FUSE;
pub use if_convert::IF_CONVERT;
pub use inline::{INLINE, UNCALLED};
pub use licm::LICM;
pub use own::OWN;
pub use range::RANGE;
pub use runs::RUNS;
pub use simplify::SIMPLIFY;
pub use tidy::TIDY;

/// A pass.
#[derive(Clone, Copy, Debug)]
pub struct PassDef {
    /// Its name in dumps and tests.
    pub name: &'static str,
    /// What it does.
    pub run: Run,
    /// Whether what comes after relies on it: [`Observer::limit`] does not leave it out.
    pub required: bool,
}

/// What a pass is applied to.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// One function after another.
    Function(fn(&mut Module, FuncId) -> Changed),
    /// The module at once.
    Module(fn(&mut Module) -> Changed),
}

/// Whether a pass changed anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Changed {
    /// Nothing at all.
    No,
    /// Something, if only names.
    Yes,
}

impl From<bool> for Changed {
    fn from(changed: bool) -> Self {
        if changed { Self::Yes } else { Self::No }
    }
}

impl BitOr for Changed {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self::from(self == Self::Yes || other == Self::Yes)
    }
}

impl BitOrAssign for Changed {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// Passes in the order in which they are applied.
pub type Pipeline = [PassDef];

/// Every pass.
pub const ALL: &Pipeline =
    &[SIMPLIFY, CSE, RANGE, LICM, IF_CONVERT, INLINE, UNCALLED, CONSTANTS, CHECKPOINTS, DCE, RUNS, FUSE, TIDY, OWN];

/// For code that runs for long: everything that pays.
///
/// Ranges are computed before conditions become selects, because a branch tells more than a select does.
pub const fn standard() -> &'static Pipeline {
    &[
        SIMPLIFY,
        INLINE,
        UNCALLED,
        SIMPLIFY,
        CSE,
        RANGE,
        SIMPLIFY,
        LICM,
        IF_CONVERT,
        SIMPLIFY,
        CSE,
        DCE,
        CHECKPOINTS,
        DCE,
        RUNS,
        FUSE,
        DCE,
        TIDY,
        OWN,
    ]
}

/// For code that must be there soon: what also makes everything after it cheaper.
pub const fn quick() -> &'static Pipeline {
    &[SIMPLIFY, CSE, DCE, CHECKPOINTS, DCE, RUNS, FUSE, DCE, TIDY, OWN]
}

/// One application of a pass, told to the observer when it is over.
#[derive(Debug)]
pub struct Step<'a> {
    /// Which application of the run this was, from 1.
    pub number: usize,
    /// The name of the pass.
    pub pass: &'static str,
    /// The function, for a pass that is applied to one at a time.
    pub func: Option<FuncId>,
    /// Whether something changed.
    pub changed: Changed,
    /// How long it took.
    pub took: Duration,
    /// The module after it.
    pub module: &'a Module,
}

/// Watches the runner, and stops it early.
#[derive(Default)]
pub struct Observer<'a> {
    /// Called after each application: to dump or time.
    pub on_step: Option<&'a mut dyn FnMut(&Step<'_>)>,
    /// Verify the module after each application.
    pub verify: bool,
    /// Apply only so many passes that are not required: halving this finds the one that goes wrong.
    pub limit: Option<usize>,
    applied: usize,
    optional: usize,
    required: usize,
}

impl<'a> Observer<'a> {
    /// Watches nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `on_step` after each application.
    pub fn each(on_step: &'a mut dyn FnMut(&Step<'_>)) -> Self {
        Self { on_step: Some(on_step), ..Self::default() }
    }

    /// Verifies after each application.
    #[must_use]
    pub const fn verifying(mut self) -> Self {
        self.verify = true;
        self
    }

    /// Applies only the first `limit` passes that are not required.
    #[must_use]
    pub const fn up_to(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// How many times a pass that is not required was applied.
    pub const fn applied(&self) -> usize {
        self.applied - self.required
    }

    fn admits(&mut self, pass: &PassDef) -> bool {
        if pass.required {
            return true;
        }
        self.optional += 1;
        self.limit.is_none_or(|limit| self.optional <= limit)
    }

    fn apply(
        &mut self,
        module: &mut Module,
        pass: &PassDef,
        func: Option<FuncId>,
        run: impl FnOnce(&mut Module) -> Changed,
    ) -> Result<Changed, Violations> {
        if !self.admits(pass) {
            return Ok(Changed::No);
        }
        let span = tracing::debug_span!("pass", of = pass.name).entered();
        let start = Instant::now();
        let changed = run(module);
        drop(span);
        let took = start.elapsed();
        self.applied += 1;
        self.required += usize::from(pass.required);
        if let Some(on_step) = &mut self.on_step {
            on_step(&Step { number: self.applied, pass: pass.name, func, changed, took, module });
        }
        if self.verify {
            verify(module).map_err(|it| it.after_pass(pass.name))?;
        }
        Ok(changed)
    }
}

/// Applies the passes of a pipeline in order, each to every function.
///
/// # Errors
/// The [`Violations`] that a pass made, if the observer verifies: a bug in that pass.
pub fn optimise(module: &mut Module, pipeline: &Pipeline, observer: &mut Observer<'_>) -> Result<Changed, Violations> {
    let mut changed = Changed::No;
    for pass in pipeline {
        match pass.run {
            Run::Module(run) => changed |= observer.apply(module, pass, None, run)?,
            Run::Function(run) => {
                for func in module.funcs.keys() {
                    changed |= observer.apply(module, pass, Some(func), |module| run(module, func))?;
                }
            }
        }
    }
    Ok(changed)
}
