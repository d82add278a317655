//! The Python VM: RustPython and the evaluator that captures staged code.

pub mod code;
pub mod host;
