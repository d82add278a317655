//! Operations on bits: of truth values and of integers.

use super::apply::{Fn1, Fn2, Rows, map1, map2, rows1, rows2, undefined};
use crate::tensor::elem::Truth;
use crate::tensor::error::Result;
use crate::tensor::op::TensorOp;
use crate::tensor::table::{Known, table};
use crate::tensor::trace;
use crate::tensor::{Dtype, Tensor};

table! {
    /// One integer or truth value to another.
    pub enum Bits1 {
        /// All bits inverted; of a truth value, the other one.
        Not = "bitwise_invert",
    }
}

table! {
    /// Two integers or truth values to one.
    pub enum Bits2 {
        /// Bits that are in both.
        And = "bitwise_and",
        /// Bits that are in one at least.
        Or = "bitwise_or",
        /// Bits that are in exactly one.
        Xor = "bitwise_xor",
        /// Shifted to the left; by the number of bits or more, and by less than none, zero. Integers only.
        Left = "bitwise_left_shift",
        /// Shifted to the right with the sign; by the number of bits or more, only the sign. Integers only.
        Right = "bitwise_right_shift",
    }
}

#[derive(Clone, Copy, Default)]
struct Row<const ROW: u8>;

impl<const ROW: u8> Fn1<bool, bool> for Row<ROW> {
    #[inline(always)]
    fn call(self, x: bool) -> bool {
        match const { Bits1::ALL[ROW as usize] } {
            Bits1::Not => !x,
        }
    }
}

impl<const ROW: u8> Fn2<bool, bool> for Row<ROW> {
    #[inline(always)]
    fn call(self, x: bool, y: bool) -> bool {
        match const { Bits2::ALL[ROW as usize] } {
            Bits2::And => x & y,
            Bits2::Or => x | y,
            Bits2::Xor => x ^ y,
            Bits2::Left | Bits2::Right => unreachable!("shifts of truth values are refused before"),
        }
    }
}

macro_rules! int_rows {
    ($int:ty) => {
        impl<const ROW: u8> Fn1<$int, $int> for Row<ROW> {
            #[inline(always)]
            fn call(self, x: $int) -> $int {
                match const { Bits1::ALL[ROW as usize] } {
                    Bits1::Not => !x,
                }
            }
        }

        impl<const ROW: u8> Fn2<$int, $int> for Row<ROW> {
            #[inline(always)]
            fn call(self, x: $int, y: $int) -> $int {
                let inside = (0..<$int>::BITS as $int).contains(&y);
                match const { Bits2::ALL[ROW as usize] } {
                    Bits2::And => x & y,
                    Bits2::Or => x | y,
                    Bits2::Xor => x ^ y,
                    Bits2::Left if inside => x.wrapping_shl(y as u32),
                    Bits2::Left => 0,
                    Bits2::Right if inside => x.wrapping_shr(y as u32),
                    Bits2::Right => x >> (<$int>::BITS - 1),
                }
            }
        }
    };
}

int_rows!(i32);
int_rows!(i64);

struct One(Bits1, Dtype);

impl Known for One {
    type Output = Result<Rows<2>>;

    fn with<const ROW: u8>(self) -> Result<Rows<2>> {
        let Self(op, dtype) = self;
        match dtype {
            Dtype::Bool => rows1::<Truth, Truth, Row<ROW>>(),
            Dtype::I32 => rows1::<i32, i32, Row<ROW>>(),
            Dtype::I64 => rows1::<i64, i64, Row<ROW>>(),
            dtype @ (Dtype::F16 | Dtype::Bf16 | Dtype::F32 | Dtype::F64) => undefined(op.text(), dtype),
        }
    }
}

impl Bits1 {
    /// Its loop.
    pub(crate) fn rows(self, dtype: Dtype) -> Result<Rows<2>> {
        self.known(One(self, dtype))
    }
}

/// The operation on each element.
pub fn bits1(op: Bits1, x: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Bits1(op), &[x]) {
        return noted;
    }
    map1(op.rows(x.dtype())?, x)
}

struct Two(Bits2, Dtype);

impl Known for Two {
    type Output = Result<Rows<3>>;

    fn with<const ROW: u8>(self) -> Result<Rows<3>> {
        let Self(op, dtype) = self;
        match (dtype, op) {
            (dtype @ Dtype::Bool, Bits2::Left | Bits2::Right) => undefined(op.text(), dtype),
            (Dtype::Bool, Bits2::And | Bits2::Or | Bits2::Xor) => rows2::<Truth, Truth, Row<ROW>>(),
            (Dtype::I32, _) => rows2::<i32, i32, Row<ROW>>(),
            (Dtype::I64, _) => rows2::<i64, i64, Row<ROW>>(),
            (dtype @ (Dtype::F16 | Dtype::Bf16 | Dtype::F32 | Dtype::F64), _) => undefined(op.text(), dtype),
        }
    }
}

impl Bits2 {
    /// Its loop.
    pub(crate) fn rows(self, dtype: Dtype) -> Result<Rows<3>> {
        self.known(Two(self, dtype))
    }
}

/// The operation on each pair.
pub fn bits2(op: Bits2, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Bits2(op), &[x, y]) {
        return noted;
    }
    map2(op.rows(x.dtype())?, x, y)
}
