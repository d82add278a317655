//! Puts an interpreter together: Python, its standard library, snekpy's modules and the back end.
//!
//! The command and the embedding façade both come here, so that a program behaves alike under both.

use rustpython_vm::{Interpreter, Settings};

/// An interpreter with everything that snekpy brings. For the command; embedders use [`crate::Engine`].
#[must_use]
pub fn interpreter(settings: Settings) -> Interpreter {
    snekpy_stdlib::finish(snekpy_stdlib::builder(settings))
}
