//! Runs LLVM's passes on a module.
//!
//! Through a function of our own in C++, because that of LLVM's C interface links all passes that there are.

use std::ffi::{CString, c_char};

use inkwell::llvm_sys::error::LLVMErrorRef;
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::llvm_sys::target_machine::LLVMTargetMachineRef;
use inkwell::module::Module as LlvmModule;
use inkwell::targets::TargetMachine;

use crate::fault::{Result, check};

/// What decides which pass is meant by a name.
pub(crate) const SOURCE: &[u8] = include_bytes!("../passes/passes.cpp");

/// The version of LLVM that is linked.
pub(crate) fn llvm_version() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("{major}.{minor}.{patch}")
}

unsafe extern "C" {
    /// In `passes/passes.cpp`.
    fn snekpy_run_passes(module: LLVMModuleRef, passes: *const c_char, machine: LLVMTargetMachineRef) -> LLVMErrorRef;
    /// There, too.
    fn snekpy_split(module: LLVMModuleRef, prefix: *const c_char) -> LLVMModuleRef;
}

/// Runs the passes, which are named as for LLVM's `opt`.
pub(crate) fn run(module: &LlvmModule<'_>, passes: &str, machine: &TargetMachine) -> Result<()> {
    let passes = CString::new(passes).expect("the names are in our source, without zeros");
    // SAFETY: module and machine live and are used by no other thread; the text is only read.
    check(unsafe { snekpy_run_passes(module.as_mut_ptr(), passes.as_ptr(), machine.as_mut_ptr()) })
}

/// Takes the functions whose names begin so out of a module, which calls them from then on: into one of their own, if there
/// are any.
pub(crate) fn split<'ctx>(module: &LlvmModule<'ctx>, prefix: &str) -> Option<LlvmModule<'ctx>> {
    let prefix = CString::new(prefix).expect("names are in our source, without zeros");
    // SAFETY: the module lives and is used by no other thread; the text is only read.
    let made = unsafe { snekpy_split(module.as_mut_ptr(), prefix.as_ptr()) };
    // SAFETY: what was made is a module of the same context, and nobody else has it.
    (!made.is_null()).then(|| unsafe { LlvmModule::new(made) })
}

#[cfg(test)]
mod tests {
    use inkwell::context::Context;

    use super::run;
    use crate::options::LlvmOptions;
    use crate::pipeline::{self, Effort};
    use crate::target;

    #[test]
    fn what_is_no_pipeline_is_said() {
        let llcx = Context::create();
        let module = llcx.create_module("m");
        let machine = target::machine(&LlvmOptions::default(), Effort::Usual).expect("there is this machine");
        let fails = |passes: &str| run(&module, passes, &machine).expect_err(passes).0;
        for passes in
            ["", "gvn", "function(gvn,globaldce)", "function(loop(gvn))", "cgscc(function(gvn))", "function(gvn))"]
        {
            assert!(fails(passes).contains("is no pass"), "{passes}: {}", fails(passes));
        }
        assert!(fails("function(gvn").contains("not closed"));
        run(&module, &pipeline::device_passes(), &machine).expect("each has its row");
    }
}
