//! The back end against the definition of the IR, at every level of optimisation.

mod arrays;
mod control;
mod ops;
mod support;
