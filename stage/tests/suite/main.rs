//! Tests of the IR through its public interface, in one binary. One file is one subject.

mod harness;
mod interp;
mod sexpr;
mod text;
mod verify;
