//! What the caller holds.

use std::sync::atomic::{AtomicU64, Ordering};

use snekpy_stage::backend::{Code, Context, Status};
use snekpy_stage::ir::Module;

use crate::fault::Result;
use crate::jit::Loaded;
use crate::options::LlvmOptions;
use crate::{emit, jit, shutdown};

/// Machine code of one module.
pub(crate) struct Native(pub(crate) Loaded);

impl Code for Native {
    unsafe fn run(&self, cx: &mut Context, args: *const u64, results: *mut u64) -> Status {
        // SAFETY: the caller promises what the entry needs; the code lives as long as `self`.
        unsafe { (self.0.entry)(cx, args, results) }
    }
}

/// Compiles a module.
pub(crate) fn compile(module: &Module, options: &LlvmOptions) -> Result<impl Code + use<>> {
    static COMPILED: AtomicU64 = AtomicU64::new(0);
    let _stay = shutdown::enter();
    let entry = format!("snekpy.{}", COMPILED.fetch_add(1, Ordering::Relaxed));
    let jit = jit::jit()?;
    let object = emit::object(module, options, &entry)?;
    Ok(Native(jit.load(object, &entry)?))
}
