//! The IR of staged code and everything that knows only the IR.
//!
//! A [`Module`](ir::Module) holds functions in SSA form: control-flow graphs of basic blocks with
//! parameters, so that a jump is a call to a block. This crate builds, prints, parses, verifies,
//! optimises and *defines* that IR: the reference interpreter ([`interp`]) gives the meaning, and
//! every [`Backend`](backend::Backend) is an optimisation of it.
//!
//! It knows no Python, no LLVM, no file system and no environment.

pub mod ad;
pub mod analysis;
pub mod backend;
pub mod build;
pub mod entity;
pub mod home;
pub mod interp;
pub mod ir;
pub mod kernel;
pub mod list;
pub mod map;
pub mod op;
pub mod pass;
pub mod plan;
pub mod prune;
pub mod row;
pub mod set;
pub mod sexpr;
pub mod sizes;
pub mod tensor;
pub mod text;
pub mod threads;
pub mod types;
pub mod verify;
