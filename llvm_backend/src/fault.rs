//! Errors inside the back end, before they become a [`BackendError`].

use std::ffi::CStr;

use inkwell::builder::BuilderError;
use inkwell::llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use inkwell::support::LLVMString;
use inkwell::values::InstructionValueError;
use snekpy_stage::backend::BackendError;

/// What went wrong: the machine's fault or ours, never the program's.
#[derive(Debug)]
pub(crate) struct Fault(pub(crate) String);

/// A result of the back end's own functions.
pub(crate) type Result<T> = std::result::Result<T, Fault>;

impl From<BuilderError> for Fault {
    fn from(error: BuilderError) -> Self {
        Self(format!("this is a bug in snekpy: LLVM's builder refused an instruction: {error}"))
    }
}

impl From<InstructionValueError> for Fault {
    fn from(error: InstructionValueError) -> Self {
        Self(format!("this is a bug in snekpy: LLVM refused a property of an instruction: {error}"))
    }
}

impl From<LLVMString> for Fault {
    fn from(message: LLVMString) -> Self {
        Self(message.to_string())
    }
}

impl From<Fault> for BackendError {
    fn from(fault: Fault) -> Self {
        Self(format!("LLVM: {}", fault.0))
    }
}

/// What a function of LLVM's C interface says; the error is consumed.
pub(crate) fn check(error: LLVMErrorRef) -> Result<()> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the error is not null, taking its message consumes it, and the message is disposed of once.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(Fault(text))
    }
}
