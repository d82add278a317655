//! The back end against the definition of the IR, at every level of optimisation.

mod arrays;
mod calls;
mod control;
mod ops;
mod process;
mod support;
mod text;
