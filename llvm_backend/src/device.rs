//! Code for another processor than the host's: what a kernel back end begins with.
//!
//! The functions of a module without effects are written as on the host, but for what a device has not: no context, no
//! polls, no count of calls, no payload. Each returns its results behind a word that is zero if it returned and one if it
//! left otherwise. The back end writes the kernel
//! that calls the main function, and the functions of the runtime that the module declares (`snekpy_exp`, ...).

use std::sync::Arc;

use inkwell::context::Context;
use inkwell::module::Module as LlvmModule;
use inkwell::targets::{FileType, TargetMachine};
use snekpy_stage::backend::{BackendError, Code};
use snekpy_stage::ir::Module;

use crate::cache::ObjectCache;
use crate::code::Native;
use crate::fault::{Fault, Result};
use crate::lower::{self, Style};
use crate::options::LlvmOptions;
use crate::pipeline::{self, Effort};
use crate::{emit, jit, passes, shutdown, target};

pub use crate::lower::stored::narrow;

/// How to write a module.
#[derive(Clone, Copy)]
pub struct DeviceStyle<'a> {
    /// For which machine.
    pub machine: &'a TargetMachine,
    /// What to call the main function.
    pub main: &'a str,
    /// Whether floats may be computed in other ways than written.
    pub fast: bool,
}

/// Writes a verified module whose functions have no effects.
///
/// # Errors
/// A [`BackendError`] when LLVM refuses what is written, which is our mistake.
pub fn write<'ctx>(
    llcx: &'ctx Context,
    module: &Module,
    style: DeviceStyle<'_>,
) -> std::result::Result<LlvmModule<'ctx>, BackendError> {
    let DeviceStyle { machine, main, fast } = style;
    let style = Style { machine, entry: main, fast, device: true, vector: 16, leaves_nests: false, named: true };
    Ok(lower::module(llcx, module, &style)?)
}

/// Runs LLVM's passes on a module that [`write()`] has begun.
///
/// # Errors
/// A [`BackendError`] when the module is not well formed.
pub fn optimise(module: &LlvmModule<'_>, machine: &TargetMachine) -> std::result::Result<(), BackendError> {
    let _stay = shutdown::enter();
    Ok(optimised(module, machine)?)
}

/// A module that [`write()`] has begun, after LLVM's passes, in the device's assembly language. Text that was made before
/// is looked for in a cache.
///
/// # Errors
/// A [`BackendError`] when the module is not well formed.
pub fn assembled(
    module: &LlvmModule<'_>,
    machine: &TargetMachine,
    cache: Option<&ObjectCache>,
) -> std::result::Result<String, BackendError> {
    let _stay = shutdown::enter();
    let key = cache.map(|cache| (cache, emit::key(module, &pipeline::device_passes(), machine, "text")));
    if let Some((cache, key)) = &key
        && let Some(found) = cache.find(key)
    {
        match str::from_utf8(&found) {
            Ok(text) => return Ok(text.to_owned()),
            Err(_) => cache.forget(key),
        }
    }
    let text = text(module, machine)?;
    if let Some((cache, key)) = &key {
        cache.keep(key, &Arc::from(text.as_bytes()));
    }
    Ok(text)
}

/// Whether [`assembled`] finds text of the module in a cache.
pub fn is_assembled(module: &LlvmModule<'_>, machine: &TargetMachine, cache: &ObjectCache) -> bool {
    let _stay = shutdown::enter();
    cache.find(&emit::key(module, &pipeline::device_passes(), machine, "text")).is_some()
}

fn text(module: &LlvmModule<'_>, machine: &TargetMachine) -> Result<String> {
    optimised(module, machine)?;
    emit::assembly(module, machine)
}

/// Links a module that was written for a device as code of this processor, to see what LLVM has made of it. The function
/// `entry`, whose name no other code has, speaks the binary interface of [`Code`]; what a device alone has is replaced.
///
/// # Errors
/// A [`BackendError`] when LLVM cannot.
pub fn link_here(module: &LlvmModule<'_>, entry: &str) -> std::result::Result<Arc<dyn Code>, BackendError> {
    let _stay = shutdown::enter();
    Ok(linked(module, entry)?)
}

fn linked(module: &LlvmModule<'_>, entry: &str) -> Result<Arc<dyn Code>> {
    let machine = target::machine(&LlvmOptions::default(), Effort::Usual)?;
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    module.verify().map_err(|error| Fault(error.to_string()))?;
    let object = machine.write_to_memory_buffer(module, FileType::Object)?;
    Ok(Arc::new(Native(jit::jit()?.load(vec![object], entry)?)))
}

fn optimised(module: &LlvmModule<'_>, machine: &TargetMachine) -> Result<()> {
    module.verify().map_err(|error| Fault(format!("this is a bug in snekpy: {error}\n{}", module.to_string())))?;
    passes::run(module, &pipeline::device_passes(), machine)
}
