//! What passes want to know about a function before they change it.
//!
//! An analysis is a snapshot: it is computed from a function, holds no reference to it, and is wrong as
//! soon as the part that it speaks about is changed. Nothing caches it; each is linear, or nearly so.

pub mod calls;
pub mod cfg;
pub mod divergence;
pub mod dominators;
pub mod effects;
pub mod kin;
pub mod linear;
pub mod loops;
pub mod ranges;
pub mod reach;
pub mod uses;

pub use cfg::{Cfg, Edge};
pub use divergence::Divergence;
pub use dominators::Dominators;
pub use effects::{EffectTable, Effects};
pub use loops::{LoopId, Loops};
pub use ranges::{Interval, Ranges};
pub use reach::Reach;
pub use uses::Uses;
