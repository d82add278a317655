//! The functions on this processor, against the C library and the interpreter.

use snekpy_stage::op::meaning::{self, int_pow as interpreted_pow};
use snekpy_stage::op::{COMPUTED, Element2, Num2, Real1, Real2};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::elementwise::Real1 as Single;
use snekpy_stage::tensor::single as host;

use super::{Native, One, Two, elements, int_div, int_pow, single};

const SPECIAL: [f64; 34] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    1e-300,
    -1e-300,
    5e-324,
    -5e-324,
    1e300,
    -1e300,
    1e22,
    710.0,
    -745.2,
    709.78,
    1e-17,
    -1e-17,
    0.75,
    1.0000001,
    4503599627370497.5,
    9007199254740991.0,
    1e16,
    -1e16,
    f64::MAX,
    f64::MIN_POSITIVE,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    std::f64::consts::FRAC_PI_2,
];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Of any size, but most often near 1.
    fn float(&mut self) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let sign = if self.next() & 1 == 0 { 1.0 } else { -1.0 };
        sign * match self.next() % 5 {
            0 => f64::from_bits(self.next()),
            1 => unit,
            2 => unit * 10.0,
            3 => unit * 1000.0,
            _ => (unit * 80.0 - 40.0).exp(),
        }
    }

    fn int(&mut self) -> i64 {
        let bits = self.next().cast_signed();
        bits >> (self.next() % 64)
    }
}

/// How many doubles lie between two.
fn distance(x: f64, y: f64) -> u64 {
    if x.is_nan() && y.is_nan() || x.to_bits() == y.to_bits() {
        return 0;
    }
    if x.is_nan() || y.is_nan() || x.is_infinite() != y.is_infinite() || x == 0.0 && y == 0.0 {
        return u64::MAX;
    }
    let order = |it: f64| {
        let bits = it.to_bits().cast_signed();
        if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
    };
    order(x).abs_diff(order(y))
}

fn real1(one: One) -> (Real1, u64) {
    match one {
        One::Exp => (Real1::Exp, 1),
        One::Exp2 => (Real1::Exp2, 1),
        One::Expm1 => (Real1::Expm1, 2),
        One::Log => (Real1::Log, 1),
        One::Log2 => (Real1::Log2, 1),
        One::Log10 => (Real1::Log10, 1),
        One::Log1p => (Real1::Log1p, 1),
        One::Sin => (Real1::Sin, 1),
        One::Cos => (Real1::Cos, 1),
        One::Tan => (Real1::Tan, 4),
        One::Asin => (Real1::Asin, 4),
        One::Acos => (Real1::Acos, 4),
        One::Atan => (Real1::Atan, 2),
        One::Sinh => (Real1::Sinh, 4),
        One::Cosh => (Real1::Cosh, 4),
        One::Tanh => (Real1::Tanh, 4),
        One::Asinh => (Real1::Asinh, 4),
        One::Acosh => (Real1::Acosh, 4),
        One::Atanh => (Real1::Atanh, 4),
        One::Cbrt => (Real1::Cbrt, 1),
    }
}

/// The C library itself is off by up to two units in some functions.
const LIBRARY: u64 = 2;

#[test]
fn functions_of_one_double_are_the_librarys_within_their_bounds() {
    let mut failures = Vec::new();
    for &one in One::ALL {
        let (op, bound) = real1(one);
        let mut random = Random(1);
        let mut worst = (0, 0.0);
        let args = SPECIAL.into_iter().chain((0..200_000).map(|_| random.float()));
        for x in args {
            let off = distance(one.on(&Native, x), meaning::real1(op, x));
            if off > worst.0 {
                worst = (off, x);
            }
        }
        if worst.0 > bound + LIBRARY {
            let (x, found, expected) = (worst.1, one.on(&Native, worst.1), meaning::real1(op, worst.1));
            failures.push(format!("{one:?}({x:e}) is {found:e}, not {expected:e}: {} units", worst.0));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn functions_of_two_doubles_are_the_librarys_within_their_bounds() {
    let mut random = Random(2);
    let mut pairs: Vec<(f64, f64)> = SPECIAL.iter().flat_map(|&x| SPECIAL.iter().map(move |&y| (x, y))).collect();
    pairs.extend((0..200_000).map(|_| (random.float(), random.float())));
    pairs.extend((0..20_000).map(|_| (random.float(), (random.int() % 50) as f64)));
    for &two in Two::ALL {
        let (bound, reference): (u64, fn(f64, f64) -> f64) = match two {
            Two::Pow => (1 + LIBRARY, |x, y| meaning::real2(Real2::Pow, x, y)),
            Two::Atan2 => (2 + LIBRARY, |x, y| meaning::real2(Real2::Atan2, x, y)),
            Two::Hypot => (1 + LIBRARY, |x, y| meaning::real2(Real2::Hypot, x, y)),
            Two::Fmod => (0, |x, y| meaning::real2(Real2::Fmod, x, y)),
            Two::FloatMod => (0, |x, y| meaning::num2_float(Num2::Mod, x, y)),
            Two::FloatFloorDiv => (0, |x, y| meaning::num2_float(Num2::FloorDiv, x, y)),
        };
        for &(x, y) in &pairs {
            let (found, expected) = (two.on(&Native, x, y), reference(x, y));
            let off = distance(found, expected);
            assert!(off <= bound, "{two:?}({x:e}, {y:e}) is {found:e}, not {expected:e}: {off} units");
        }
    }
}

#[test]
fn integers_are_the_interpreters() {
    let mut random = Random(3);
    let special = [0, 1, -1, 2, -2, 3, i64::MAX, i64::MIN, i64::MIN + 1, 1 << 53, (1 << 53) + 1, 1 << 62];
    let mut pairs: Vec<(i64, i64)> = special.iter().flat_map(|&x| special.iter().map(move |&y| (x, y))).collect();
    pairs.extend((0..100_000).map(|_| (random.int(), random.int())));
    pairs.extend((0..100_000).map(|_| (random.int() >> 40, random.int() & 31)));
    for (x, y) in pairs {
        if let Some(expected) = meaning::int_div(x, y) {
            assert_eq!(int_div(&Native, x, y).to_bits(), expected.to_bits(), "{x} / {y}");
        }
        let [power, overflows] = int_pow(&Native, x, y);
        match interpreted_pow(x, y) {
            Some(expected) => assert_eq!((power, overflows), (expected, 0), "{x} ** {y}"),
            None => assert_eq!(overflows, 1, "{x} ** {y}"),
        }
    }
}

/// Every 1,009th single: all signs, all exponents.
#[test]
fn functions_of_singles_are_the_hosts() {
    for &function in Single::ALL {
        // Where the function of doubles is another one, the last unit of a double decides in a few cases.
        let (mut off, may_be_off) = (0, function == Single::Cbrt);
        for bits in (0..=u32::MAX).step_by(1009) {
            let x = f32::from_bits(bits);
            let Some(found) = single(&Native, function, f64::from(x)) else { break };
            let (found, expected) = (found as f32, host::real1(function, x));
            let is_same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            let is_far = matches!(function, Single::Sin | Single::Cos | Single::Tan) && x.abs() >= 1e8;
            if is_same {
                continue;
            }
            assert!(may_be_off || is_far, "{function:?}({x:e}) is {found:e}, not {expected:e}");
            assert!(
                (f64::from(found) - f64::from(expected)).abs() <= f64::from(expected.abs()) * 1.2e-7,
                "{function:?}({x:e})"
            );
            off += 1;
        }
        assert!(off < 4, "{function:?} is off at {off} arguments");
    }
}

#[test]
fn functions_of_two_elements_are_the_hosts_within_their_bounds() {
    let mut random = Random(4);
    let mut pairs: Vec<(f64, f64)> = SPECIAL.iter().flat_map(|&x| SPECIAL.iter().map(move |&y| (x, y))).collect();
    pairs.extend((0..200_000).map(|_| (random.float(), random.float())));
    pairs.extend((0..100_000).map(|_| (random.float(), (random.int() % 20) as f64)));
    for (dtype, &function) in COMPUTED.into_iter().flat_map(|dtype| Element2::ALL.iter().map(move |it| (dtype, it))) {
        let is_single = dtype == Dtype::F32;
        let as_stored = |it: f64| if is_single { f64::from(it as f32) } else { it };
        let mut inexact = 0;
        for (x, y) in pairs.iter().map(|&(x, y)| (as_stored(x), as_stored(y))) {
            let (found, expected) = (elements(&Native, function, dtype, x, y), function.of_elements(dtype, x, y));
            let unit = if is_single { f64::from(f32::EPSILON) } else { f64::EPSILON };
            let is_near = match function {
                _ if found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan() => continue,
                Element2::NextAfter => false,
                Element2::Pow if is_single => false,
                // What is added may cancel out.
                Element2::LogAddExp => (found - expected).abs() <= 4.0 * unit * x.max(y).abs().max(1.0),
                _ if is_single => (found as f32).to_bits().abs_diff((expected as f32).to_bits()) <= 1,
                _ => distance(found, expected) <= 2 + LIBRARY,
            };
            inexact += 1;
            assert!(is_near, "{function:?} of {x:e} and {y:e} is {found:e}, not {expected:e}, as {dtype}");
        }
        // A single is rounded from a double, whose last unit decides where two are as near.
        assert!(!is_single || inexact < 10, "{function:?} of singles is off at {inexact} arguments");
    }
}
