//! Kernels of staged code on NVIDIA GPUs, and on a simulated one.
//!
//! [`ptx`] writes kernels as PTX, which needs no GPU.

mod math;
pub mod ptx;
