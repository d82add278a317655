//! What the caller holds.

use snekpy_stage::backend::{Code, Context, Status};

use crate::cache::ObjectCache;
use crate::emit::Source;
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

/// Compiles a source, or takes what was made of it before.
pub(crate) fn compile(
    source: &Source<'_>,
    options: &LlvmOptions,
    cache: Option<&ObjectCache>,
) -> Result<impl Code + use<>> {
    let _stay = shutdown::enter();
    let jit = jit::jit()?;
    let objects = emit::objects(source, options, cache)?;
    match (jit.load_objects(&objects.files), cache) {
        (Ok(loaded), _) => Ok(Native(loaded)),
        (Err(_), Some(cache)) if !objects.kept.is_empty() => {
            objects.kept.iter().for_each(|key| cache.forget(key));
            Ok(Native(jit.load_objects(&emit::objects(source, options, None)?.files)?))
        }
        (Err(fault), _) => Err(fault),
    }
}
