//! Staged code to machine code, through LLVM.
//!
//! The way of a module: `lower` writes it as LLVM IR, `pipeline` chooses the passes, `passes` runs
//! them, `emit` writes an object into memory, `jit` links the object into the process, and `code` is what
//! the caller holds. Dropping the last [`Code`] frees the machine code.
//!
//! Nothing here defines meaning: the reference interpreter does, and the tests compare with it bit for
//! bit. Where an op is too rare or too intricate for inline code, `symbols` calls the interpreter's own
//! function.
//!
//! `cache` knows the objects that were made before.
//!
//! Any number of threads compile at once, each with an LLVM context of its own; they share one linker.

mod cache;
mod code;
pub mod device;
mod emit;
mod fault;
mod jit;
mod lower;
mod options;
mod passes;
mod pipeline;
mod shutdown;
mod symbols;
mod target;

use std::sync::Arc;

use snekpy_stage::backend::{Backend, BackendError, Code};
use snekpy_stage::ir::Module;
use snekpy_stage::kernel::Kernel;

use emit::Source;
use lower::lanes::Plan;

pub use cache::{ObjectCache, Usage};
pub use options::{Cpu, Lanes, Level, LlvmOptions};

/// The back end.
#[derive(Clone, Debug, Default)]
pub struct Llvm {
    options: LlvmOptions,
    cache: Option<Arc<ObjectCache>>,
}

impl Llvm {
    /// A back end that compiles as the options say.
    pub const fn new(options: LlvmOptions) -> Self {
        Self { options, cache: None }
    }

    /// The same with objects that were made before.
    #[must_use]
    pub fn with_cache(self, cache: Option<Arc<ObjectCache>>) -> Self {
        Self { cache, ..self }
    }

    /// How it compiles.
    pub const fn options(&self) -> &LlvmOptions {
        &self.options
    }
}

impl Backend for Llvm {
    fn name(&self) -> &'static str {
        match self.options.level {
            Level::O0 => "llvm-O0",
            Level::O3 => "llvm",
        }
    }

    fn compile(&self, module: &Module) -> Result<Arc<dyn Code>, BackendError> {
        Ok(Arc::new(code::compile(&Source::Module(module), &self.options, self.cache.as_deref())?))
    }

    fn inspect(&self, module: &Module, form: &str) -> Result<String, BackendError> {
        self.text(&Source::Module(module), form)
    }

    fn compile_lanes(&self, kernel: &Kernel) -> Result<Option<Arc<dyn Code>>, BackendError> {
        let Some(plan) = self.plan(kernel)? else { return Ok(None) };
        let source = Source::Lanes(kernel, &plan);
        Ok(Some(Arc::new(code::compile(&source, &self.options, self.cache.as_deref())?)))
    }

    fn inspect_lanes(&self, kernel: &Kernel, form: &str) -> Result<Option<String>, BackendError> {
        let Some(plan) = self.plan(kernel)? else { return Ok(None) };
        self.text(&Source::Lanes(kernel, &plan), form).map(Some)
    }
}

impl Llvm {
    /// How the positions of a kernel run beside each other, if they do. LLVM's own vectors of one loop after the other
    /// are better where doubles may be computed in other ways than written.
    fn plan(&self, kernel: &Kernel) -> Result<Option<Plan>, BackendError> {
        let width = match self.options.lanes {
            Lanes::Never => return Ok(None),
            Lanes::Auto if self.options.fast || self.options.level == Level::O0 => return Ok(None),
            // Where masks are registers of their own. Nobody has measured narrower vectors.
            Lanes::Auto => target::lanes(&self.options.cpu)?.filter(|&width| width >= 8),
            Lanes::Always => Some(target::lanes(&self.options.cpu)?.unwrap_or(2)),
        };
        Ok(width.and_then(|width| Plan::of(kernel, width, self.options.lanes == Lanes::Always)))
    }

    fn text(&self, source: &Source<'_>, form: &str) -> Result<String, BackendError> {
        let form = match form {
            "llvm" => emit::Form::Llvm,
            "asm" => emit::Form::Asm,
            other => {
                return Err(BackendError(format!("{} has no form `{other}`, only `llvm` and `asm`", self.name())));
            }
        };
        Ok(emit::text(source, &self.options, form)?)
    }
}
