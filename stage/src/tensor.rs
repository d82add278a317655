//! Tensors, and what every operation on them means.
//!
//! A [`Tensor`] is a view: a shape, steps and a place in memory that it may share with others, as in NumPy. The
//! functions here are the meaning of the tensor ops: plain Rust, called by eager code and by whoever interprets the
//! IR, so that both give the same bits.
//!
//! What is *defined*, whatever the layout in memory, the processor or the number of threads ([`crate::threads`]):
//!
//! - the order of every reduction ([`reduce`]) and of every product ([`contract`]);
//! - functions of single precision: evaluated in doubles and rounded once ([`single`]), so that the result is within
//!   0.51 units in the last place; the commonest of doubles (`double`), within one, the others are the C library's; half
//!   precision is computed in single and rounded;
//! - integers wrap; a quotient by the integer zero is zero; floats are IEEE 754.
//!
//! Operands of one operation have one [`Dtype`]: what to convert to is decided by whoever calls.

pub mod cast;
pub mod contract;
pub mod decompose;
pub mod device;
pub(crate) mod double;
mod dtype;
mod elem;
pub mod elementwise;
mod error;
pub mod fused;
pub mod index;
pub mod layout;
pub mod linear;
pub mod make;
pub mod nest;
mod op;
pub mod philox;
pub mod reduce;
pub mod scan;
pub mod series;
mod shape;
mod simd;
pub mod single;
pub mod sort;
mod storage;
mod table;
pub mod trace;
mod view;
mod walk;

pub use dtype::{Dtype, Kind};
pub use elem::{Elem, Item, Truth};
pub use error::{Result, TensorError};
pub use op::{Constant, Given, Operand, TensorOp};
pub use shape::{Dims, MAX_RANK, PerAxis, Steps, broadcast, count, show};
pub use storage::{TensorBuf, limit_memory};
pub use view::Tensor;
