//! `snekpy.numpy`: tensors as Python sees them.
//!
//! What must be fast or cannot be written in Python is native and lies here: the class `ndarray`, its operators and
//! subscripts, elementwise functions, reductions, products, sorting, text. Everything over these is Python, in
//! `stdlib/python/snekpy/numpy`. What an operation *means* is in neither: see [`snekpy_stage::tensor`].

mod array;
mod buffer;
mod convert;
mod dlpack;
mod dtype;
mod error;
mod finder;
mod lent;
mod module;
mod operand;
mod operator;
mod print;
mod reshape;
mod staged;
mod subscript;
mod ufunc;

pub(crate) use finder::install as install_finder;
pub(crate) use lent::end;
pub(crate) use module::module_def;
pub(crate) use staged::Arrays;

use rustpython_vm::frozen::FrozenLib;

/// The half that is written in Python: `snekpy.numpy`, `snekpy.random`, `snekpy.tree`, `snekpy.nn`, `snekpy.optim`, and `numpy` for
/// programs that find no other.
pub(crate) const FROZEN: &FrozenLib = rustpython_vm::py_freeze!(dir = "../python");
