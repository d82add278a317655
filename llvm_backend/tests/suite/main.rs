//! The back end against the definition of the IR, at every level of optimisation.

mod arrays;
mod calls;
mod checks;
mod control;
mod differential;
mod ops;
mod process;
mod strips;
mod support;
mod text;

// The random modules and the host that the IR's own tests use.
#[path = "../../../stage/tests/suite/generate.rs"]
mod generate;
#[expect(dead_code, reason = "the IR's tests use more of it")]
#[path = "../../../stage/tests/suite/harness.rs"]
mod harness;

#[path = "../../../stage/tests/suite/states.rs"]
mod states;
