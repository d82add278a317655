//! Capture: an online partial evaluator of bytecode.
//!
//! A staged call runs here and not on RustPython's frames. Static values are ordinary objects and are
//! computed now; a [`Rep`](crate::rep::Rep) is an SSA value, and operations on it build IR. A branch on a
//! Rep forks the [`State`](state::State); states that wait at the same place are merged; loops are explored
//! until what they carry round is known. DESIGN §3 has the algorithm; the files, in reading order:
//!
//! - [`values`]: what an object of a path is, asked in one place.
//! - [`value`], [`heap`], [`state`]: what a path of execution is.
//! - [`step`] and the families under it: what each instruction does to a state.
//! - [`shape`]: which states can be one, and making them one.
//! - [`explore`]: which state runs next; loops.
//! - [`record`]: objects of record classes.
//! - [`recursion`]: functions that stay functions.
//! - [`checkpoint`], [`resume`]: leaving compiled code where it fails, and where it cannot go on.
//! - [`tensor`], [`element`], [`extent`]: arrays, their elements as numbers, their sizes.
//! - [`cross`]: instructions that the VM carries out from compiled code.
//! - [`origin`]: what else a refusal points at.
//! - [`session`]: what all paths share: the IR, its exits and locations, the guards.
//!
//! While capturing, no effect of the program reaches the world: objects that existed before are put back
//! as they were, and what the program did to them is done by [`crate::exit`] after every compiled call.

mod along;
pub(crate) mod arith;
pub(crate) mod assumptions;
pub(crate) mod attribute;
pub(crate) mod builtins;
pub(crate) mod call;
pub(crate) mod checkpoint;
mod column;
pub(crate) mod compare;
pub(crate) mod container;
mod counted;
mod cross;
mod custom;
pub(crate) mod dead;
mod delimited;
pub(crate) mod derivative;
pub(crate) mod element;
pub(crate) mod ends;
pub(crate) mod entry;
pub(crate) mod explore;
mod extent;
pub(crate) mod format;
pub(crate) mod generator;
mod grow;
mod handed;
mod handled;
pub(crate) mod heap;
pub(crate) mod helpers;
mod import;
pub(crate) mod iter;
mod join;
pub(crate) mod key;
mod keys;
mod kinds;
mod known_error;
mod library;
pub(crate) mod list;
pub(crate) mod map;
mod marks;
pub(crate) mod masked;
mod math;
mod members;
pub(crate) mod mixed;
pub(crate) mod named_tuple;
pub(crate) mod observe;
mod operand;
pub(crate) mod origin;
mod overload;
mod pattern;
pub(crate) mod pool;
pub(crate) mod raise;
pub(crate) mod record;
pub(crate) mod recursion;
mod reread;
pub(crate) mod resume;
mod same;
mod sample;
mod sense;
pub(crate) mod session;
pub(crate) mod shape;
pub(crate) mod state;
pub(crate) mod step;
pub(crate) mod stop;
mod stop_gradient;
pub(crate) mod subscript;
pub(crate) mod template;
mod tensor;
#[cfg(test)]
mod tests;
pub(crate) mod text;
mod tick;
pub(crate) mod trail;
pub(crate) mod value;
pub(crate) mod values;

pub(crate) use entry::{Around, call_capture};
