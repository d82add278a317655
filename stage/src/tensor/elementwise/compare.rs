//! Questions: what comes out is truth values.

use half::{bf16, f16};

use super::apply::{Fn1, Fn2, map1, map2, undefined};
use crate::tensor::elem::{Elem, Truth, by_dtype};
use crate::tensor::error::Result;
use crate::tensor::op::TensorOp;
use crate::tensor::table::{Known, table};
use crate::tensor::trace;
use crate::tensor::{Dtype, Tensor};

table! {
    /// Two elements of one dtype to a truth value.
    pub enum Cmp {
        /// `x == y`.
        Eq = "equal",
        /// `x != y`.
        Ne = "not_equal",
        /// `x < y`.
        Lt = "less",
        /// `x <= y`.
        Le = "less_equal",
        /// `x > y`.
        Gt = "greater",
        /// `x >= y`.
        Ge = "greater_equal",
    }
}

table! {
    /// One float to a truth value.
    pub enum Test1 {
        /// Whether it is no number.
        IsNan = "isnan",
        /// Whether it is infinite.
        IsInf = "isinf",
        /// Whether it is neither infinite nor NaN.
        IsFinite = "isfinite",
        /// Whether its sign is negative, that of a zero included.
        SignBit = "signbit",
    }
}

#[derive(Clone, Copy)]
struct Row<const ROW: u8>;

impl<const ROW: u8, T: PartialOrd> Fn2<T, bool> for Row<ROW> {
    #[inline(always)]
    fn call(self, x: T, y: T) -> bool {
        match const { Cmp::ALL[ROW as usize] } {
            Cmp::Eq => x == y,
            Cmp::Ne => x != y,
            Cmp::Lt => x < y,
            Cmp::Le => x <= y,
            Cmp::Gt => x > y,
            Cmp::Ge => x >= y,
        }
    }
}

macro_rules! float_rows {
    ($float:ty) => {
        impl<const ROW: u8> Fn1<$float, bool> for Row<ROW> {
            #[inline(always)]
            fn call(self, x: $float) -> bool {
                match const { Test1::ALL[ROW as usize] } {
                    Test1::IsNan => x.is_nan(),
                    Test1::IsInf => x.is_infinite(),
                    Test1::IsFinite => x.is_finite(),
                    Test1::SignBit => x.is_sign_negative(),
                }
            }
        }
    };
}

float_rows!(f32);
float_rows!(f64);

struct Two<'a>(&'a Tensor, &'a Tensor);

impl Known for Two<'_> {
    type Output = Result<Tensor>;

    fn with<const ROW: u8>(self) -> Result<Tensor> {
        fn go<E: Elem, const ROW: u8>(x: &Tensor, y: &Tensor) -> Result<Tensor> {
            map2::<E, Truth>(x, y, Row::<ROW>)
        }
        by_dtype!(self.0.dtype(), E => go::<E, ROW>(self.0, self.1))
    }
}

/// The answer for each pair. A NaN is unequal to all, itself included.
pub fn compare(op: Cmp, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Compare(op), &[x, y]) {
        return noted;
    }
    op.known(Two(x, y))
}

struct One<'a>(Test1, &'a Tensor);

impl Known for One<'_> {
    type Output = Result<Tensor>;

    fn with<const ROW: u8>(self) -> Result<Tensor> {
        let Self(test, x) = self;
        match x.dtype() {
            Dtype::F16 => map1::<f16, Truth>(x, Row::<ROW>),
            Dtype::Bf16 => map1::<bf16, Truth>(x, Row::<ROW>),
            Dtype::F32 => map1::<f32, Truth>(x, Row::<ROW>),
            Dtype::F64 => map1::<f64, Truth>(x, Row::<ROW>),
            dtype @ (Dtype::Bool | Dtype::I32 | Dtype::I64) => undefined(test.text(), dtype),
        }
    }
}

/// The answer for each element.
pub fn test1(test: Test1, x: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Test1(test), &[x]) {
        return noted;
    }
    test.known(One(test, x))
}
