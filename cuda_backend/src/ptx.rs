//! From a kernel to PTX.
//!
//! `entry` writes what a thread does: it finds its index, calls the body, which llvm_backend has written as a function,
//! and stores the results or notes the failure. `math` gives bodies to the functions of the runtime.
//! LLVM's back end aborts the process at what it has no instruction for, so nothing reaches it but what
//! [`verify`](snekpy_stage::kernel::verify) lets through: the ops of kernels, each of which the tests assemble.

mod entry;
mod unroll;

use std::sync::Once;

use inkwell::OptimizationLevel;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module as LlvmModule;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple};
use inkwell::values::IntValue;
use snekpy_llvm::ObjectCache;
use snekpy_llvm::device::{self, DeviceStyle};
use snekpy_stage::backend::BackendError;
use snekpy_stage::ir::Module;
use snekpy_stage::kernel::{Form, Kernel};
use snekpy_stage::op::{Num2, Op, Real1, Real2, Wrap2};

use crate::math;
use crate::prepare::{self, Care};

/// What a kernel is called in PTX.
pub(crate) const ENTRY: &str = "kernel";
/// The body, which is inlined into it.
const BODY: &str = "body";
/// LLVM's calling convention of kernels.
pub(crate) const PTX_KERNEL: u32 = 71;
/// The global memory of a device.
pub(crate) const GLOBAL: u16 = 1;
/// The memory that a block of threads shares.
pub(crate) const SHARED: u16 = 3;

/// How to write PTX.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PtxOptions {
    /// The least compute capability that runs it, as `sm_80` is 80.
    pub arch: u32,
    /// Whether floats may be computed in other ways than written: contracted, above all.
    pub fast: bool,
    /// How the kernel is changed before.
    pub care: Care,
}

/// `sm_80`, strict.
impl Default for PtxOptions {
    fn default() -> Self {
        Self { arch: 80, fast: false, care: Care::Late }
    }
}

/// The PTX of a kernel, which may have been made before.
///
/// # Errors
/// A [`BackendError`] when it is no kernel, or our mistake.
pub fn ptx(kernel: &Kernel, options: PtxOptions, cache: Option<&ObjectCache>) -> Result<String, BackendError> {
    let llcx = Context::create();
    let machine = machine(options)?;
    let module = written(&llcx, kernel, options, &machine)?;
    device::assembled(&module, &machine, cache)
}

/// How many positions a thread takes at once: more than one where the body is one short block that cannot fail, for which
/// the loads are what takes time.
pub(crate) fn at_once(kernel: &Kernel, ir: &Module) -> u64 {
    const SHORT: usize = 48;
    let main = &ir.funcs[ir.main()];
    let is_map = matches!(kernel.form, Form::Map(_));
    if !is_map || main.blocks.len() > 1 || main.size() > SHORT || !prepare::never_fails(ir) {
        return 1;
    }
    // The functions of devices are long.
    let is_long = |op: Op| match op {
        Op::Real1(Real1::Sqrt | Real1::Floor | Real1::Ceil | Real1::Trunc | Real1::RoundEven) => false,
        Op::Real1(_)
        | Op::Element1(..)
        | Op::Element2(..)
        | Op::Wrap2(Wrap2::Pow)
        | Op::Real2(Real2::Atan2 | Real2::Pow | Real2::Fmod | Real2::Hypot)
        | Op::IntDiv => true,
        Op::Num2(Num2::FloorDiv | Num2::Mod) => true,
        _ => false,
    };
    if main.insts.values().any(|inst| is_long(inst.op)) { 2 } else { 4 }
}

/// LLVM's own form of it.
pub(crate) fn llvm(kernel: &Kernel, options: PtxOptions) -> Result<String, BackendError> {
    let llcx = Context::create();
    let machine = machine(options)?;
    let module = written(&llcx, kernel, options, &machine)?;
    device::optimise(&module, &machine)?;
    Ok(module.print_to_string().to_string())
}

/// Before LLVM's passes.
fn written<'ctx>(
    llcx: &'ctx Context,
    kernel: &Kernel,
    options: PtxOptions,
    machine: &TargetMachine,
) -> Result<LlvmModule<'ctx>, BackendError> {
    let ir = prepare::prepared(kernel, options.care)?;
    let at_once = at_once(kernel, &ir);
    let module = device::write(llcx, &ir, DeviceStyle { machine, main: BODY, fast: options.fast })?;
    unroll::mark_loops(llcx, &module, &ir);
    entry::write(llcx, &module, kernel, at_once)
        .map_err(|error| BackendError(format!("this is a bug in snekpy: LLVM's builder refused the entry: {error}")))?;
    math::write::define_all(llcx, &module);
    Ok(module)
}

/// A special register.
pub(crate) fn register<'ctx>(
    module: &LlvmModule<'ctx>,
    b: &Builder<'ctx>,
    name: &str,
) -> Result<IntValue<'ctx>, BuilderError> {
    let found = Intrinsic::find(name).and_then(|it| it.get_declaration(module, &[]));
    let called = b.build_direct_call(found.expect("LLVM 22 has the register"), &[], "")?;
    Ok(called.try_as_basic_value().expect_basic("a register has a value").into_int_value())
}

/// Waits for all threads of the block.
pub(crate) fn barrier<'ctx>(
    llcx: &'ctx Context,
    module: &LlvmModule<'ctx>,
    b: &Builder<'ctx>,
) -> Result<(), BuilderError> {
    let found = Intrinsic::find("llvm.nvvm.barrier.cta.sync.aligned.all");
    let found = found.and_then(|it| it.get_declaration(module, &[])).expect("LLVM 22 has the barrier");
    b.build_direct_call(found, &[llcx.i32_type().const_zero().into()], "")?;
    Ok(())
}

pub(crate) fn machine(options: PtxOptions) -> Result<TargetMachine, BackendError> {
    machine_for(&format!("sm_{}", options.arch))
}

/// For a processor by LLVM's name.
pub(crate) fn machine_for(cpu: &str) -> Result<TargetMachine, BackendError> {
    static KNOWN: Once = Once::new();
    KNOWN.call_once(|| Target::initialize_nvptx(&InitializationConfig::default()));
    let triple = TargetTriple::create("nvptx64-nvidia-cuda");
    let target = Target::from_triple(&triple).map_err(|error| BackendError(format!("LLVM: {error}")))?;
    target
        // Version 8.0 of PTX: drivers of CUDA 12.0 and later take it.
        .create_target_machine(
            &triple,
            cpu,
            "+ptx80",
            OptimizationLevel::Aggressive,
            RelocMode::Default,
            CodeModel::Default,
        )
        .ok_or_else(|| BackendError(format!("LLVM has no code generator for {cpu}")))
}

/// The PTX of a module that has the device's functions besides what is written into it. It may have been made before.
pub(crate) fn assembled(
    what: &str,
    machine: &TargetMachine,
    cache: Option<&ObjectCache>,
    write: impl for<'ctx> FnOnce(&'ctx Context, &LlvmModule<'ctx>) -> Result<(), BuilderError>,
) -> Result<String, BackendError> {
    let llcx = Context::create();
    device::assembled(&begun(&llcx, what, machine, write)?, machine, cache)
}

/// Whether it was made before.
pub(crate) fn is_assembled(
    what: &str,
    machine: &TargetMachine,
    cache: &ObjectCache,
    write: impl for<'ctx> FnOnce(&'ctx Context, &LlvmModule<'ctx>) -> Result<(), BuilderError>,
) -> Result<bool, BackendError> {
    let llcx = Context::create();
    Ok(device::is_assembled(&begun(&llcx, what, machine, write)?, machine, cache))
}

/// The module, before LLVM's passes.
fn begun<'ctx>(
    llcx: &'ctx Context,
    what: &str,
    machine: &TargetMachine,
    write: impl FnOnce(&'ctx Context, &LlvmModule<'ctx>) -> Result<(), BuilderError>,
) -> Result<LlvmModule<'ctx>, BackendError> {
    let module = llcx.create_module(what);
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    write(llcx, &module)
        .map_err(|error| BackendError(format!("this is a bug in snekpy: LLVM's builder refused a {what}: {error}")))?;
    math::write::define_all(llcx, &module);
    Ok(module)
}

#[cfg(test)]
pub(crate) mod tests;
