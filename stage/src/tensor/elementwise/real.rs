//! Functions of real numbers.

use half::{bf16, f16};

use super::apply::{Fn1, Fn2, Rows, map1, map2, map2_into, rows1, rows2, undefined};
use crate::tensor::error::Result;
use crate::tensor::op::TensorOp;
use crate::tensor::table::{Known, table};
use crate::tensor::trace;
use crate::tensor::{Dtype, Elem, Tensor, double, single};

table! {
    /// One float to a float. Nothing raises: what has no value is a NaN.
    pub enum Real1 {
        /// Square root, correctly rounded.
        Sqrt = "sqrt",
        /// `e ** x`.
        Exp = "exp",
        /// `2 ** x`.
        Exp2 = "exp2",
        /// `e ** x - 1`, exact near zero.
        Expm1 = "expm1",
        /// Natural logarithm.
        Log = "log",
        /// Binary logarithm.
        Log2 = "log2",
        /// Decimal logarithm.
        Log10 = "log10",
        /// `log(1 + x)`, exact near zero.
        Log1p = "log1p",
        /// Sine of radians.
        Sin = "sin",
        /// Cosine of radians.
        Cos = "cos",
        /// Tangent of radians.
        Tan = "tan",
        /// Inverse sine.
        Asin = "asin",
        /// Inverse cosine.
        Acos = "acos",
        /// Inverse tangent.
        Atan = "atan",
        /// Hyperbolic sine.
        Sinh = "sinh",
        /// Hyperbolic cosine.
        Cosh = "cosh",
        /// Hyperbolic tangent.
        Tanh = "tanh",
        /// Inverse hyperbolic sine.
        Asinh = "asinh",
        /// Inverse hyperbolic cosine.
        Acosh = "acosh",
        /// Inverse hyperbolic tangent.
        Atanh = "atanh",
        /// Cube root.
        Cbrt = "cbrt",
        /// Rounded down.
        Floor = "floor",
        /// Rounded up.
        Ceil = "ceil",
        /// Rounded to zero.
        Trunc = "trunc",
        /// Rounded to the nearest, halves to even.
        Round = "round",
        /// `1 / x`.
        Reciprocal = "reciprocal",
    }
}

table! {
    /// Two floats to a float.
    pub enum Real2 {
        /// Quotient.
        Div = "divide",
        /// The angle of the point `(y, x)`.
        Atan2 = "atan2",
        /// The magnitude of the first with the sign of the second.
        Copysign = "copysign",
        /// Remainder with the sign of the first.
        Fmod = "fmod",
        /// Length of the hypotenuse, without overflow.
        Hypot = "hypot",
        /// The next number after the first towards the second.
        NextAfter = "nextafter",
        /// `log(exp(x) + exp(y))` without overflow.
        LogAddExp = "logaddexp",
    }
}

#[derive(Clone, Copy, Default)]
struct Row<const ROW: u8>;

impl<const ROW: u8> Fn1<f32, f32> for Row<ROW> {
    const IS_LONG: bool = true;
    const HAS_FAR: bool = double::has_far(Real1::ALL[ROW as usize]);

    #[inline(always)]
    fn call(self, x: f32) -> f32 {
        single::real1(const { Real1::ALL[ROW as usize] }, x)
    }

    #[inline(always)]
    fn near(self, x: f32) -> f32 {
        single::near(const { Real1::ALL[ROW as usize] }, x)
    }

    #[inline(always)]
    fn is_far(self, x: f32) -> bool {
        single::is_far(const { Real1::ALL[ROW as usize] }, x)
    }
}

impl<const ROW: u8> Fn1<f64, f64> for Row<ROW> {
    const IS_LONG: bool = true;
    const HAS_FAR: bool = double::has_far(Real1::ALL[ROW as usize]);

    #[inline(always)]
    fn call(self, x: f64) -> f64 {
        double::real1(const { Real1::ALL[ROW as usize] }, x)
    }

    #[inline(always)]
    fn near(self, x: f64) -> f64 {
        double::near(const { Real1::ALL[ROW as usize] }, x)
    }

    #[inline(always)]
    fn is_far(self, x: f64) -> bool {
        double::is_far(const { Real1::ALL[ROW as usize] }, x)
    }
}

impl<const ROW: u8> Fn2<f32, f32> for Row<ROW> {
    const IS_LONG: bool = double::has_far2(Real2::ALL[ROW as usize]);
    const HAS_FAR: bool = double::has_far2(Real2::ALL[ROW as usize]);

    #[inline(always)]
    fn near(self, x: f32, y: f32) -> f32 {
        single::near2(const { Real2::ALL[ROW as usize] }, x, y)
    }

    #[inline(always)]
    fn is_far(self, x: f32, y: f32) -> bool {
        double::is_far2(const { Real2::ALL[ROW as usize] }, f64::from(x), f64::from(y))
    }

    #[inline(always)]
    fn call(self, x: f32, y: f32) -> f32 {
        single::real2(const { Real2::ALL[ROW as usize] }, x, y)
    }
}

impl<const ROW: u8> Fn2<f64, f64> for Row<ROW> {
    const IS_LONG: bool = double::has_far2(Real2::ALL[ROW as usize]);
    const HAS_FAR: bool = double::has_far2(Real2::ALL[ROW as usize]);

    #[inline(always)]
    fn near(self, x: f64, y: f64) -> f64 {
        double::near2(const { Real2::ALL[ROW as usize] }, x, y)
    }

    #[inline(always)]
    fn is_far(self, x: f64, y: f64) -> bool {
        double::is_far2(const { Real2::ALL[ROW as usize] }, x, y)
    }

    #[inline(always)]
    fn call(self, x: f64, y: f64) -> f64 {
        double::real2(const { Real2::ALL[ROW as usize] }, x, y)
    }
}

struct One(Real1, Dtype);

impl Known for One {
    type Output = Result<Rows<2>>;

    fn with<const ROW: u8>(self) -> Result<Rows<2>> {
        let Self(function, dtype) = self;
        match dtype {
            Dtype::F16 => rows1::<f16, f16, Row<ROW>>(),
            Dtype::Bf16 => rows1::<bf16, bf16, Row<ROW>>(),
            Dtype::F32 => rows1::<f32, f32, Row<ROW>>(),
            Dtype::F64 => rows1::<f64, f64, Row<ROW>>(),
            dtype @ (Dtype::Bool | Dtype::I32 | Dtype::I64) => undefined(function.text(), dtype),
        }
    }
}

impl Real1 {
    /// Whether it is rounded correctly, so that it is the same everywhere.
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::Sqrt | Self::Floor | Self::Ceil | Self::Trunc | Self::Round | Self::Reciprocal)
    }

    /// Whether of every double it is what Python's floats have: code that reads elements computes it as such floats.
    pub const fn is_as_of_floats(self) -> bool {
        double::is_as_of_floats(self)
    }

    /// What a tensor of this dtype, singles or doubles, has for an element. A single is given as a double, and gives one.
    #[inline(always)]
    pub fn of_element(self, dtype: Dtype, x: f64) -> f64 {
        match dtype {
            Dtype::F32 => f64::from(single::real1(self, x as f32)),
            _ => double::real1(self, x),
        }
    }

    /// The same, as compiled code calls it.
    pub fn function_of_element(self, dtype: Dtype) -> extern "C" fn(f64) -> f64 {
        self.known(OfElement(dtype))
    }

    /// What compiled code calls for the function of so many dense elements, singles or doubles: where the results go, which
    /// may be where the elements are, and where those are.
    pub fn function_of_row(self, dtype: Dtype) -> unsafe extern "C" fn(*mut u8, *const u8, usize) {
        self.known(OfRow(dtype))
    }

    /// Its loop.
    pub(crate) fn rows(self, dtype: Dtype) -> Result<Rows<2>> {
        self.known(One(self, dtype))
    }
}

struct OfRow(Dtype);

impl Known for OfRow {
    type Output = unsafe extern "C" fn(*mut u8, *const u8, usize);

    fn with<const ROW: u8>(self) -> Self::Output {
        /// # Safety
        /// There are so many elements, aligned, and both are the same memory or apart.
        unsafe extern "C" fn run<E: Elem, const ROW: u8>(to: *mut u8, from: *const u8, n: usize)
        where
            Row<ROW>: Fn1<E::Wide, E::Wide>,
        {
            let size = size_of::<E>() as isize;
            if let Ok(rows) = rows1::<E, E, Row<ROW>>() {
                // SAFETY: the caller says so.
                unsafe { (rows.run)([to, from.cast_mut()], [size; 2], n) };
            }
        }
        if self.0 == Dtype::F32 { run::<f32, ROW> } else { run::<f64, ROW> }
    }
}

struct OfElement(Dtype);

impl Known for OfElement {
    type Output = extern "C" fn(f64) -> f64;

    fn with<const ROW: u8>(self) -> Self::Output {
        extern "C" fn single<const ROW: u8>(x: f64) -> f64 {
            const { Real1::ALL[ROW as usize] }.of_element(Dtype::F32, x)
        }
        extern "C" fn double<const ROW: u8>(x: f64) -> f64 {
            const { Real1::ALL[ROW as usize] }.of_element(Dtype::F64, x)
        }
        if self.0 == Dtype::F32 { single::<ROW> } else { double::<ROW> }
    }
}

/// The function of each element.
pub fn real1(function: Real1, x: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Real1(function), &[x]) {
        return noted;
    }
    map1(function.rows(x.dtype())?, x)
}

/// Numbers of half precision, by their bits.
trait Half: Elem<Wide = f32> {
    fn bits(self) -> u16;
    fn of_bits(bits: u16) -> Self;
}

macro_rules! half {
    ($half:ty) => {
        impl Half for $half {
            #[inline(always)]
            fn bits(self) -> u16 {
                self.to_bits()
            }

            #[inline(always)]
            fn of_bits(bits: u16) -> Self {
                Self::from_bits(bits)
            }
        }
    };
}

half!(f16);
half!(bf16);

/// The next number of half precision after another one.
#[derive(Clone, Copy, Default)]
struct NextHalf<E>(std::marker::PhantomData<E>);

impl<E: Half + Default> Fn2<f32, f32> for NextHalf<E> {
    #[inline(always)]
    fn call(self, x: f32, y: f32) -> f32 {
        let bits = E::narrow(x).bits();
        if x.is_nan() || y.is_nan() {
            f32::NAN
        } else if x == y {
            y
        } else if x == 0.0 {
            E::of_bits(if y > 0.0 { 1 } else { 0x8001 }).wide()
        } else if (x < y) == (x > 0.0) {
            E::of_bits(bits + 1).wide()
        } else {
            E::of_bits(bits - 1).wide()
        }
    }
}

struct Two(Real2, Dtype);

impl Known for Two {
    type Output = Result<Rows<3>>;

    fn with<const ROW: u8>(self) -> Result<Rows<3>> {
        let Self(function, dtype) = self;
        match dtype {
            Dtype::F16 => rows2::<f16, f16, Row<ROW>>(),
            Dtype::Bf16 => rows2::<bf16, bf16, Row<ROW>>(),
            Dtype::F32 => rows2::<f32, f32, Row<ROW>>(),
            Dtype::F64 => rows2::<f64, f64, Row<ROW>>(),
            dtype @ (Dtype::Bool | Dtype::I32 | Dtype::I64) => undefined(function.text(), dtype),
        }
    }
}

impl Real2 {
    /// Its loop. The next number of half precision is none of singles, in which all else is computed.
    pub(crate) fn rows(self, dtype: Dtype) -> Result<Rows<3>> {
        match (self, dtype) {
            (Self::NextAfter, Dtype::F16) => rows2::<f16, f16, NextHalf<f16>>(),
            (Self::NextAfter, Dtype::Bf16) => rows2::<bf16, bf16, NextHalf<bf16>>(),
            _ => self.known(Two(self, dtype)),
        }
    }
}

/// The function of each pair.
pub fn real2(function: Real2, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Real2(function), &[x, y]) {
        return noted;
    }
    map2(function.rows(x.dtype())?, x, y)
}

/// The function of each pair, written into `out`, which may be one of the operands.
pub fn real2_into(function: Real2, out: &Tensor, x: &Tensor, y: &Tensor) -> Result<()> {
    if let Some(noted) = trace::note_write(|| TensorOp::Real2Into(function), &[out, x, y]) {
        return noted;
    }
    map2_into(function.rows(x.dtype())?, out, x, y)
}
