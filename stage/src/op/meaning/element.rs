//! Functions of two elements: what tensors of singles or doubles have.

use crate::op::Element2;
use crate::tensor::elementwise::Real2;
use crate::tensor::{Dtype, double, single};

impl Element2 {
    /// What a tensor of this dtype, singles or doubles, has for two elements. Singles are given as doubles, and give one.
    pub fn of_elements(self, dtype: Dtype, x: f64, y: f64) -> f64 {
        match (self.real2(), dtype) {
            (None, Dtype::F32) => f64::from(single::power(x as f32, y as f32)),
            (None, _) => double::power(x, y),
            (Some(function), Dtype::F32) => f64::from(single::real2(function, x as f32, y as f32)),
            (Some(function), _) => double::real2(function, x, y),
        }
    }

    /// The function of this dtype, as compiled code calls it.
    pub fn function_of(self, dtype: Dtype) -> extern "C" fn(f64, f64) -> f64 {
        macro_rules! functions {
            ($($row:ident)*) => {
                match (self, dtype) {
                    $((Self::$row, Dtype::F32) => {
                        extern "C" fn single(x: f64, y: f64) -> f64 {
                            Element2::$row.of_elements(Dtype::F32, x, y)
                        }
                        single
                    }
                    (Self::$row, _) => {
                        extern "C" fn double(x: f64, y: f64) -> f64 {
                            Element2::$row.of_elements(Dtype::F64, x, y)
                        }
                        double
                    })*
                }
            };
        }
        functions! { Pow Atan2 Hypot NextAfter LogAddExp }
    }

    /// The function of real numbers that it is; `None` for powers, which integers have, too.
    const fn real2(self) -> Option<Real2> {
        match self {
            Self::Pow => None,
            Self::Atan2 => Some(Real2::Atan2),
            Self::Hypot => Some(Real2::Hypot),
            Self::NextAfter => Some(Real2::NextAfter),
            Self::LogAddExp => Some(Real2::LogAddExp),
        }
    }
}
