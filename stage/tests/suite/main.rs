//! Tests of the IR through its public interface, in one binary. One file is one subject.

mod checkpoints;
mod fused;
mod generate;
mod harness;
mod interp;
mod kernel;
mod objects;
mod properties;
mod sexpr;
mod states;
mod text;
mod threads;
mod verify;
