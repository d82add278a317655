//! Questions: what comes out is truth values.

use half::{bf16, f16};

use super::apply::{Fn1, Fn2, Rows, map1, map2, rows1, rows2, undefined};
use crate::op;
use crate::tensor::elem::{Truth, by_dtype};
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

/// Elements are compared as numbers are.
impl From<op::Cmp> for Cmp {
    fn from(cmp: op::Cmp) -> Self {
        match cmp {
            op::Cmp::Eq => Self::Eq,
            op::Cmp::Ne => Self::Ne,
            op::Cmp::Lt => Self::Lt,
            op::Cmp::Le => Self::Le,
            op::Cmp::Gt => Self::Gt,
            op::Cmp::Ge => Self::Ge,
        }
    }
}

impl From<Cmp> for op::Cmp {
    fn from(cmp: Cmp) -> Self {
        match cmp {
            Cmp::Eq => Self::Eq,
            Cmp::Ne => Self::Ne,
            Cmp::Lt => Self::Lt,
            Cmp::Le => Self::Le,
            Cmp::Gt => Self::Gt,
            Cmp::Ge => Self::Ge,
        }
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

#[derive(Clone, Copy, Default)]
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

struct Two(Dtype);

impl Known for Two {
    type Output = Result<Rows<3>>;

    fn with<const ROW: u8>(self) -> Result<Rows<3>> {
        by_dtype!(self.0, E => rows2::<E, Truth, Row<ROW>>())
    }
}

impl Cmp {
    /// Its loop.
    pub(crate) fn rows(self, dtype: Dtype) -> Result<Rows<3>> {
        self.known(Two(dtype))
    }
}

/// The answer for each pair. A NaN is unequal to all, itself included.
pub fn compare(op: Cmp, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Compare(op), &[x, y]) {
        return noted;
    }
    map2(op.rows(x.dtype())?, x, y)
}

struct One(Test1, Dtype);

impl Known for One {
    type Output = Result<Rows<2>>;

    fn with<const ROW: u8>(self) -> Result<Rows<2>> {
        let Self(test, dtype) = self;
        match dtype {
            Dtype::F16 => rows1::<f16, Truth, Row<ROW>>(),
            Dtype::Bf16 => rows1::<bf16, Truth, Row<ROW>>(),
            Dtype::F32 => rows1::<f32, Truth, Row<ROW>>(),
            Dtype::F64 => rows1::<f64, Truth, Row<ROW>>(),
            dtype @ (Dtype::Bool | Dtype::I32 | Dtype::I64) => undefined(test.text(), dtype),
        }
    }
}

impl Test1 {
    /// Its loop.
    pub(crate) fn rows(self, dtype: Dtype) -> Result<Rows<2>> {
        self.known(One(self, dtype))
    }
}

/// The answer for each element.
pub fn test1(test: Test1, x: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Test1(test), &[x]) {
        return noted;
    }
    map1(test.rows(x.dtype())?, x)
}
