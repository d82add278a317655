//! Arithmetic on integers and floats. Integers wrap.

use half::{bf16, f16};

use super::apply::{Fn1, Fn2, Rows, map1, map2, map2_into, rows1, rows2, undefined};
use crate::op::meaning as scalar;
use crate::tensor::error::{Result, TensorError};
use crate::tensor::op::TensorOp;
use crate::tensor::table::{Known, table};
use crate::tensor::trace;
use crate::tensor::{Dtype, Kind, Tensor, double, single};

table! {
    /// One number to a number of the same dtype.
    pub enum Num1 {
        /// Negation.
        Neg = "negative",
        /// Magnitude; of the smallest integer, itself.
        Abs = "abs",
        /// The product with itself.
        Square = "square",
        /// -1, 0 or 1, of the same dtype. A NaN stays.
        Sign = "sign",
    }
}

table! {
    /// Two numbers of one dtype to a number of that dtype.
    pub enum Num2 {
        /// Sum.
        Add = "add",
        /// Difference.
        Sub = "subtract",
        /// Product.
        Mul = "multiply",
        /// Quotient rounded down. By the integer zero: zero; by the float zero: infinite or NaN.
        FloorDiv = "floor_divide",
        /// Remainder with the sign of the second. By the integer zero: zero; by the float zero: NaN.
        Mod = "remainder",
        /// The lesser; NaN if one is.
        Min = "minimum",
        /// The greater; NaN if one is.
        Max = "maximum",
        /// Power. Of integers by repeated squaring, the exponent not negative.
        Pow = "pow",
    }
}

#[derive(Clone, Copy, Default)]
struct Row<const ROW: u8>;

/// One impl per type of numbers: `int_rows!(i32)`, `float_rows!(f32, single)`.
macro_rules! int_rows {
    ($int:ty) => {
        impl<const ROW: u8> Fn1<$int, $int> for Row<ROW> {
            #[inline(always)]
            fn call(self, x: $int) -> $int {
                match const { Num1::ALL[ROW as usize] } {
                    Num1::Neg => x.wrapping_neg(),
                    Num1::Abs => x.wrapping_abs(),
                    Num1::Square => x.wrapping_mul(x),
                    Num1::Sign => x.signum(),
                }
            }
        }

        impl<const ROW: u8> Fn2<$int, $int> for Row<ROW> {
            #[inline(always)]
            fn call(self, x: $int, y: $int) -> $int {
                match const { Num2::ALL[ROW as usize] } {
                    Num2::Add => x.wrapping_add(y),
                    Num2::Sub => x.wrapping_sub(y),
                    Num2::Mul => x.wrapping_mul(y),
                    Num2::FloorDiv if y == 0 => 0,
                    Num2::FloorDiv => {
                        let (quotient, rest) = (x.wrapping_div(y), x.wrapping_rem(y));
                        if rest != 0 && (rest < 0) != (y < 0) { quotient - 1 } else { quotient }
                    }
                    Num2::Mod if y == 0 => 0,
                    Num2::Mod => {
                        let rest = x.wrapping_rem(y);
                        if rest != 0 && (rest < 0) != (y < 0) { rest + y } else { rest }
                    }
                    Num2::Min => x.min(y),
                    Num2::Max => x.max(y),
                    Num2::Pow => {
                        let (mut base, mut left, mut product) = (x, y, 1);
                        while left > 0 {
                            if left & 1 == 1 {
                                product = <$int>::wrapping_mul(product, base);
                            }
                            base = base.wrapping_mul(base);
                            left >>= 1;
                        }
                        product
                    }
                }
            }
        }
    };
}

int_rows!(i32);
int_rows!(i64);

macro_rules! float_rows {
    ($float:ty, $module:ident) => {
        impl<const ROW: u8> Fn1<$float, $float> for Row<ROW> {
            #[inline(always)]
            fn call(self, x: $float) -> $float {
                match const { Num1::ALL[ROW as usize] } {
                    Num1::Neg => -x,
                    Num1::Abs => x.abs(),
                    Num1::Square => x * x,
                    Num1::Sign if x.is_nan() => x,
                    Num1::Sign => (x > 0.0) as u8 as $float - (x < 0.0) as u8 as $float,
                }
            }
        }

        impl<const ROW: u8> Fn2<$float, $float> for Row<ROW> {
            const IS_LONG: bool = matches!(Num2::ALL[ROW as usize], Num2::Pow);

            #[inline(always)]
            fn call(self, x: $float, y: $float) -> $float {
                match const { Num2::ALL[ROW as usize] } {
                    Num2::Add => x + y,
                    Num2::Sub => x - y,
                    Num2::Mul => x * y,
                    Num2::FloorDiv => floor_divide(f64::from(x), f64::from(y)) as $float,
                    Num2::Mod => remainder(f64::from(x), f64::from(y)) as $float,
                    Num2::Min if x <= y || x.is_nan() => x,
                    Num2::Max if x >= y || x.is_nan() => x,
                    Num2::Min | Num2::Max => y,
                    Num2::Pow => $module::power(x, y),
                }
            }
        }
    };
}

float_rows!(f32, single);
float_rows!(f64, double);

/// Python's `x // y`, which a zero divisor does not stop.
fn floor_divide(x: f64, y: f64) -> f64 {
    if y == 0.0 { x / y } else { scalar::num2_float(crate::op::Num2::FloorDiv, x, y) }
}

/// Python's `x % y`, which a zero divisor does not stop.
fn remainder(x: f64, y: f64) -> f64 {
    if y == 0.0 { f64::NAN } else { scalar::float_mod(x, y) }
}

struct One(Num1, Dtype);

impl Known for One {
    type Output = Result<Rows<2>>;

    fn with<const ROW: u8>(self) -> Result<Rows<2>> {
        let Self(op, dtype) = self;
        match dtype {
            Dtype::I32 => rows1::<i32, i32, Row<ROW>>(),
            Dtype::I64 => rows1::<i64, i64, Row<ROW>>(),
            Dtype::F16 => rows1::<f16, f16, Row<ROW>>(),
            Dtype::Bf16 => rows1::<bf16, bf16, Row<ROW>>(),
            Dtype::F32 => rows1::<f32, f32, Row<ROW>>(),
            Dtype::F64 => rows1::<f64, f64, Row<ROW>>(),
            dtype @ Dtype::Bool => undefined(op.text(), dtype),
        }
    }
}

impl Num1 {
    /// Its loop.
    pub(crate) fn rows(self, dtype: Dtype) -> Result<Rows<2>> {
        self.known(One(self, dtype))
    }
}

/// The operation on each element.
pub fn num1(op: Num1, x: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Num1(op), &[x]) {
        return noted;
    }
    map1(op.rows(x.dtype())?, x)
}

struct Two(Num2, Dtype);

impl Known for Two {
    type Output = Result<Rows<3>>;

    fn with<const ROW: u8>(self) -> Result<Rows<3>> {
        let Self(op, dtype) = self;
        match dtype {
            Dtype::I32 => rows2::<i32, i32, Row<ROW>>(),
            Dtype::I64 => rows2::<i64, i64, Row<ROW>>(),
            Dtype::F16 => rows2::<f16, f16, Row<ROW>>(),
            Dtype::Bf16 => rows2::<bf16, bf16, Row<ROW>>(),
            Dtype::F32 => rows2::<f32, f32, Row<ROW>>(),
            Dtype::F64 => rows2::<f64, f64, Row<ROW>>(),
            dtype @ Dtype::Bool => undefined(op.text(), dtype),
        }
    }
}

impl Num2 {
    /// Whether there is a result only if no element of the second operand is negative.
    pub(crate) fn is_of_exponents(self, dtype: Dtype) -> bool {
        self == Self::Pow && dtype.kind() == Kind::Int
    }

    /// Its loop.
    pub(crate) fn rows(self, dtype: Dtype) -> Result<Rows<3>> {
        self.known(Two(self, dtype))
    }
}

/// The operation on each pair.
pub fn num2(op: Num2, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Num2(op), &[x, y]) {
        return noted;
    }
    check_exponents(op, y)?;
    map2(op.rows(x.dtype())?, x, y)
}

/// The operation on each pair, written into `out`, which may be one of the operands.
pub fn num2_into(op: Num2, out: &Tensor, x: &Tensor, y: &Tensor) -> Result<()> {
    if let Some(noted) = trace::note_write(|| TensorOp::Num2Into(op), &[out, x, y]) {
        return noted;
    }
    check_exponents(op, y)?;
    map2_into(op.rows(x.dtype())?, out, x, y)
}

/// A negative power of an integer is no integer.
fn check_exponents(op: Num2, y: &Tensor) -> Result<()> {
    let are_known = op.is_of_exponents(y.dtype()) && !trace::is_for_shapes();
    if are_known && y.items().iter().any(|it| it.int() < 0) {
        return Err(negative_exponent());
    }
    Ok(())
}

/// What is said of one.
pub(crate) fn negative_exponent() -> TensorError {
    TensorError::Value("Integers to negative integer powers are not allowed.".to_owned())
}
