//! Kernels of staged code on NVIDIA GPUs, and on a simulated one.
//!
//! [`ptx`] writes kernels as PTX, and [`sweep`] those of operations on arrays, which needs no GPU; [`driver`] runs them on one; [`simt`] runs them on this processor
//! as blocks of threads, checking what a GPU does not check. None of the three defines what a kernel means: that is
//! [`snekpy_stage::kernel`].

pub mod driver;
#[cfg(test)]
mod in_turn;
mod late;
mod math;
pub mod prepare;
pub mod product;
pub mod ptx;
pub mod simt;
pub mod sweep;
pub mod together;

pub use driver::Cuda;
pub use simt::Simt;
