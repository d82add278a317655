//! The interactive front end: `snekpy` without a program, and what `-i` shows after one.
//!
//! One input is a whole block, edited, recalled and compiled as one. On a terminal rustyline does the
//! editing; from a pipe lines are read as they come, with the same prompts and the same rules for what
//! is complete.

mod complete;
mod editor;
mod help;
mod highlight;
mod input;
mod keys;
mod margin;
mod modules;
mod place;
mod session;

pub use session::{Options, run, show};
