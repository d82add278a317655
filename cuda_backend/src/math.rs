//! The functions of doubles and integers that the hardware has not, for devices.
//!
//! On the host, staged code calls the C library. A device has none, and NVIDIA's is not ours to ship, so these are our
//! own, in terms of arithmetic that IEEE 754 defines: they have the same bits on every device and in the SIMT executor.
//! Against the exact value they are off by at most
//!
//! | functions | units in the last place |
//! |---|---|
//! | `exp` `exp2` `log` `log2` `log10` `log1p` `pow` `hypot` `cbrt` `sin` `cos` | 1 |
//! | `expm1` `atan` `atan2`, `logaddexp` of the larger of its terms | 2 |
//! | `tan` `tanh` `sinh` `cosh` `asin` `acos` `asinh` `acosh` `atanh` | 4 |
//! | `fmod`, `nextafter`, `//` and `%` of doubles, `/` and `**` of integers | 0: the interpreter's bits |
//!
//! (below 2^-1022 by as many units of the smallest double). Against arithmetic of 1,200 bits, at 1,500 arguments each, the
//! three rows were off by at most 0.8, 1.2 and 2.2. Infinities, NaN and signed zeros are the C library's. The tests
//! compare with it on random and on special arguments.

mod double;
mod exp;
mod half;
mod log;
mod machine;
mod pair;
mod single;
mod trig;
mod whole;
pub(crate) mod write;

pub(crate) use machine::Native;
use machine::{Float, Int, Machine};
use snekpy_stage::op::{COMPUTED, Element2};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::elementwise::{Real1, Real2};

/// What compiled code calls powers of integers.
pub(crate) const INT_POW: &str = "snekpy_int_pow";

/// A function that a module declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Function {
    /// Of one double.
    One(One),
    /// Of two doubles.
    Two(Two),
    /// `x / y` of integers.
    IntDiv,
    /// `x ** y` of integers, and whether it does not fit.
    IntPow,
    /// Of one single, which is given as a double; the result is to be rounded.
    Single(Real1),
    /// Of an element of half precision, given and taken as that.
    Half(Real1, Dtype),
    /// Of a single or double, for any argument, and rounded.
    Element(Real1, Dtype),
    /// Of two singles or doubles, rounded.
    Elements(Element2, Dtype),
}

macro_rules! functions {
    (@on (x) $($variant:ident $path:path)*) => {
        /// Computes it on a machine.
        pub(crate) fn on<M: Machine>(self, m: &M, x: M::F) -> M::F {
            match self {
                $(Self::$variant => $path(Float { m, v: x }).v,)*
            }
        }
    };
    (@on (x, y) $($variant:ident $path:path)*) => {
        /// Computes it on a machine.
        pub(crate) fn on<M: Machine>(self, m: &M, x: M::F, y: M::F) -> M::F {
            match self {
                $(Self::$variant => $path(Float { m, v: x }, Float { m, v: y }).v,)*
            }
        }
    };
    ($($kind:ident $args:tt { $($variant:ident $name:literal $path:path;)* })*) => {$(
        /// Which.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum $kind {
            $($variant,)*
        }

        impl $kind {
            /// All of them.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// What compiled code calls it.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            functions!(@on $args $($variant $path)*);
        }
    )*};
}

functions! {
    One (x) {
        Exp "snekpy_exp" exp::exp;
        Exp2 "snekpy_exp2" exp::exp2;
        Expm1 "snekpy_expm1" exp::expm1;
        Log "snekpy_log" log::log;
        Log2 "snekpy_log2" log::log2;
        Log10 "snekpy_log10" log::log10;
        Log1p "snekpy_log1p" log::log1p;
        Sin "snekpy_sin" trig::sin;
        Cos "snekpy_cos" trig::cos;
        Tan "snekpy_tan" trig::tan;
        Asin "snekpy_asin" trig::asin;
        Acos "snekpy_acos" trig::acos;
        Atan "snekpy_atan" trig::atan;
        Sinh "snekpy_sinh" exp::sinh;
        Cosh "snekpy_cosh" exp::cosh;
        Tanh "snekpy_tanh" exp::tanh;
        Asinh "snekpy_asinh" log::asinh;
        Acosh "snekpy_acosh" log::acosh;
        Atanh "snekpy_atanh" log::atanh;
        Cbrt "snekpy_cbrt" log::cbrt;
    }
    Two (x, y) {
        Pow "snekpy_pow" log::pow;
        Atan2 "snekpy_atan2" trig::atan2;
        Hypot "snekpy_hypot" pair::hypot;
        Fmod "snekpy_fmod" whole::fmod;
        FloatMod "snekpy_float_mod" whole::float_mod;
        FloatFloorDiv "snekpy_float_floor_div" whole::float_floor_div;
    }
}

impl Function {
    /// The function of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let one = One::ALL.iter().copied().find(|it| it.name() == name).map(Self::One);
        let two = Two::ALL.iter().copied().find(|it| it.name() == name).map(Self::Two);
        one.or(two).or(match name {
            "snekpy_int_div" => Some(Self::IntDiv),
            INT_POW => Some(Self::IntPow),
            _ => name.strip_prefix(SINGLE).and_then(Real1::from_text).map(Self::Single).or_else(|| {
                let (function, dtype) = name.strip_prefix("snekpy_")?.rsplit_once('_')?;
                if let Some(dtype) = half::DTYPES.into_iter().find(|it| it.text() == dtype) {
                    return Real1::from_text(function).map(|it| Self::Half(it, dtype));
                }
                let dtype = COMPUTED.into_iter().find(|it| it.text() == dtype)?;
                if let Some(function) = Element2::from_text(function) {
                    return Some(Self::Elements(function, dtype));
                }
                Real1::from_text(function).map(|it| Self::Element(it, dtype))
            }),
        })
    }
}

/// What a function of two elements is called.
pub(crate) fn elements_name(function: Element2, dtype: Dtype) -> String {
    format!("snekpy_{}_{dtype}", function.text())
}

/// The function of two elements that an operation is; `None` for what every machine has, and for remainders, which doubles
/// have exactly.
pub(crate) const fn of_two(function: Real2) -> Option<Element2> {
    match function {
        Real2::Atan2 => Some(Element2::Atan2),
        Real2::Hypot => Some(Element2::Hypot),
        Real2::NextAfter => Some(Element2::NextAfter),
        Real2::LogAddExp => Some(Element2::LogAddExp),
        Real2::Div | Real2::Copysign | Real2::Fmod => None,
    }
}

/// What functions of singles are called, before the word.
const SINGLE: &str = "snekpy_single_";

/// What a function of singles is called whose result is rounded to a dtype, of which the argument is as well.
pub(crate) fn rounded_name(function: Real1, dtype: Dtype) -> String {
    match half::has(function) && half::DTYPES.contains(&dtype) {
        true => format!("snekpy_{}_{dtype}", function.text()),
        false => format!("{SINGLE}{}", function.text()),
    }
}

/// The function of doubles that a device has; `None` for those that every machine has.
pub(crate) const fn double(function: Real1) -> Option<One> {
    Some(match function {
        Real1::Exp => One::Exp,
        Real1::Exp2 => One::Exp2,
        Real1::Expm1 => One::Expm1,
        Real1::Log => One::Log,
        Real1::Log2 => One::Log2,
        Real1::Log10 => One::Log10,
        Real1::Log1p => One::Log1p,
        Real1::Sin => One::Sin,
        Real1::Cos => One::Cos,
        Real1::Tan => One::Tan,
        Real1::Asin => One::Asin,
        Real1::Acos => One::Acos,
        Real1::Atan => One::Atan,
        Real1::Sinh => One::Sinh,
        Real1::Cosh => One::Cosh,
        Real1::Tanh => One::Tanh,
        Real1::Asinh => One::Asinh,
        Real1::Acosh => One::Acosh,
        Real1::Atanh => One::Atanh,
        Real1::Cbrt => One::Cbrt,
        Real1::Sqrt | Real1::Floor | Real1::Ceil | Real1::Trunc | Real1::Round | Real1::Reciprocal => return None,
    })
}

/// What tensors have for an element of this dtype, singles or doubles. Of singles, who calls rounds the result.
pub(crate) fn element<M: Machine>(m: &M, function: Real1, dtype: Dtype, x: M::F) -> M::F {
    let x = Float { m, v: x };
    let found = match dtype {
        Dtype::F32 => single::real1(function, x),
        _ => double(function).map(|it| Float { m, v: it.on(m, x.v) }),
    };
    found.unwrap_or_else(|| exact(function, x)).v
}

/// The functions that every machine has, of doubles or of singles that are to be rounded.
fn exact<'m, M: Machine>(function: Real1, x: Float<'m, M>) -> Float<'m, M> {
    const WHOLE: f64 = 4_503_599_627_370_496.0; // 2^52: there is nothing behind the point
    match function {
        Real1::Sqrt => x.sqrt(),
        Real1::Floor => x.floor(),
        Real1::Ceil => -(-x).floor(),
        Real1::Trunc => x.abs().floor().copysign(x),
        Real1::Round => x.abs().lt(WHOLE).float((x.abs() + WHOLE - WHOLE).copysign(x), x),
        Real1::Reciprocal => x.same(1.0) / x,
        _ => unreachable!("the others are functions of this module"),
    }
}

/// What tensors have for two elements of this dtype, singles or doubles, rounded to it.
pub(crate) fn elements<M: Machine>(m: &M, function: Element2, dtype: Dtype, x: M::F, y: M::F) -> M::F {
    pair::elements(function, dtype, Float { m, v: x }, Float { m, v: y }).v
}

/// A function of singles, before it is rounded; `None` for those that need no code.
pub(crate) fn single<M: Machine>(m: &M, function: Real1, x: M::F) -> Option<M::F> {
    single::real1(function, Float { m, v: x }).map(|it| it.v)
}

/// A function of half precision, before it is rounded.
pub(crate) fn of_half<M: Machine>(m: &M, function: Real1, dtype: Dtype, x: M::F) -> M::F {
    half::real1(function, dtype, Float { m, v: x }).v
}

/// `x / y` of integers, of which the second is not zero.
pub(crate) fn int_div<M: Machine>(m: &M, x: M::I, y: M::I) -> M::F {
    whole::int_div(Int { m, v: x }, Int { m, v: y }).v
}

/// `x ** y` of integers, and whether it does not fit.
pub(crate) fn int_pow<M: Machine>(m: &M, x: M::I, y: M::I) -> [M::I; 2] {
    whole::int_pow(Int { m, v: x }, Int { m, v: y }).map(|it| it.v)
}

#[cfg(test)]
mod tests;
