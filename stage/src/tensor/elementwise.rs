//! Operations on each element by itself.
//!
//! Families are split by what they are defined for, so that an impossible pair of operation and dtype cannot be
//! written. A row of a table gives the variant, the word, and its meaning on one element.

mod apply;
mod bits;
mod compare;
mod number;
mod real;
mod select;
mod short;

pub(crate) use apply::{Loop, Rows};
pub use bits::{Bits1, Bits2, bits1, bits2};
pub use compare::{Cmp, Test1, compare, test1};
pub(crate) use number::negative_exponent;
pub use number::{Num1, Num2, num1, num2, num2_into};
pub use real::{Real1, Real2, real1, real2, real2_into};
pub(crate) use select::select_rows;
pub use select::{clip, select};
