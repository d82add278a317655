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

pub use cache::{ObjectCache, Usage};
pub use options::{Cpu, Level, LlvmOptions};

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
        Ok(Arc::new(code::compile(module, &self.options, self.cache.as_deref())?))
    }

    fn inspect(&self, module: &Module, form: &str) -> Result<String, BackendError> {
        let text = match form {
            "llvm" => emit::text(module, &self.options, emit::Form::Llvm),
            "asm" => emit::text(module, &self.options, emit::Form::Asm),
            other => {
                return Err(BackendError(format!("{} has no form `{other}`, only `llvm` and `asm`", self.name())));
            }
        };
        Ok(text?)
    }
}
