//! The reference interpreter: what the IR means.
//!
//! It executes every verified module through the same interface as compiled code, and each back end is
//! an optimisation of it. A function is decoded once into `Step`s over numbered slots; calls
//! have frames on a stack of their own, so that recursion is limited by the context and not by the thread.
//!
//! Two things are left open by the interface and decided here, for every back end:
//! * The flag is polled at each jump that closes a loop, with the place of the jump, and at each call of a
//!   function of the module, with the place of the call. A jump closes a loop if a depth-first search
//!   from the entry is still inside its target; one of these is on every cycle.
//! * A call polls first, then counts. The call that may not be nested any more is not made: its place is
//!   in the status and nobody is told of it being left.
//!
//! What a guard before an op should have excluded (an index out of range, a zero divisor of integers, a
//! negative exponent or distance) is a bug of whoever built the module, and panics.

mod decode;
mod flow;
mod run;
mod step;

use std::sync::Arc;

use crate::backend::{Backend, BackendError, Code, Context, Status};
use crate::ir::Module;
use crate::verify::verify;

/// The reference interpreter, as a back end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interpreter;

impl Backend for Interpreter {
    fn name(&self) -> &'static str {
        "interp"
    }

    /// # Panics
    /// In debug builds, with the report, when the module is not verified.
    fn compile(&self, module: &Module) -> Result<Arc<dyn Code>, BackendError> {
        if cfg!(debug_assertions)
            && let Err(violations) = verify(module)
        {
            panic!("{violations}");
        }
        Ok(Arc::new(decode::program(module)))
    }

    fn inspect(&self, module: &Module, form: &str) -> Result<String, BackendError> {
        match form {
            "ir" => Ok(module.to_string()),
            _ => Err(BackendError(format!("the interpreter has no form `{form}`, only `ir`"))),
        }
    }
}

impl Code for step::Program {
    unsafe fn run(&self, cx: &mut Context, args: *const u64, results: *mut u64) -> Status {
        let main = &self.funcs[0];
        // SAFETY: the caller passes the slots of the parameters.
        let args = if main.params == 0 { &[] } else { unsafe { std::slice::from_raw_parts(args, main.params) } };
        let mut returned = Vec::new();
        // SAFETY: the caller keeps the arrays among the arguments alive and to itself, and has room for payloads.
        let status = unsafe { run::run(self, cx, args, &mut returned) };
        if !returned.is_empty() {
            // SAFETY: the caller has room for the slots of the results, and these are they.
            unsafe { std::ptr::copy_nonoverlapping(returned.as_ptr(), results, returned.len()) };
        }
        status
    }
}
