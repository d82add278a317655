//! Inverse functions of angles.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::parts::{Pair, product, sum, sum_large_small};
use crate::tensor::series::series;

/// What the double of pi leaves out.
const PI_LO: f64 = 1.224_646_799_147_353_2e-16;
/// Tangents of an eighth of pi, and of three.
const TAN_PI_8: f64 = 0.414_213_562_373_095_03;
const TAN_3_PI_8: f64 = 2.414_213_562_373_095;

/// `atan(u) = u - u^3 (c[0] + c[1] u^2 ..)` for `|u| < 7/16`, as in FreeBSD's library.
const ATAN: [f64; 11] = [
    3.333_333_333_333_293e-1,
    -1.999_999_999_987_648_3e-1,
    1.428_571_427_250_346_6e-1,
    -1.111_111_040_546_235_6e-1,
    9.090_887_133_436_507e-2,
    -7.691_876_205_044_83e-2,
    6.661_073_137_387_531e-2,
    -5.833_570_133_790_573_5e-2,
    4.976_877_994_615_932e-2,
    -3.653_157_274_421_691_6e-2,
    1.628_582_011_536_578_2e-2,
];

/// The angle of a point with coordinates that are not negative, between 0 and pi/2.
#[inline(always)]
fn angle(y: Pair, x: Pair) -> Pair {
    let (steep, middle) = (y.hi > TAN_3_PI_8 * x.hi, y.hi > TAN_PI_8 * x.hi);
    // Turned by a quarter of pi, or by a half: what is left is small.
    let (less, more) = (y.plus(x.scaled(-1.0)), y.plus(x));
    let over = if steep { x.scaled(-1.0) } else { y };
    let over = if middle & !steep { less } else { over };
    let under = if steep { y } else { x };
    let under = if middle & !steep { more } else { under };
    let base = if middle { FRAC_PI_4 } else { 0.0 };
    let base = if steep { FRAC_PI_2 } else { base };
    let u = over.over(under);
    let u = sum_large_small(u.hi, u.lo);
    let z = u.hi * u.hi;
    let rest = u.lo - u.hi * (z * series(z, ATAN));
    let it = sum_large_small(base, u.hi);
    Pair { hi: it.hi, lo: it.lo + (rest + base * (PI_LO / PI)) }
}

/// The angle of a point with this `x`, from that of its mirror image on the right.
#[inline(always)]
fn on_its_side(it: Pair, x: f64) -> f64 {
    let turned = sum_large_small(PI, -it.hi);
    if x < 0.0 { turned.hi + (turned.lo + (PI_LO - it.lo)) } else { it.round() }
}

/// A number as it is.
#[inline(always)]
fn whole(x: f64) -> Pair {
    Pair { hi: x, lo: 0.0 }
}

/// The other side of a right-angled triangle whose longest is one: `sqrt(1 - x^2)`. NaN where there is none.
#[inline(always)]
fn other_side(x: f64) -> Pair {
    // (1 - x) (1 + x), so that nothing is lost near one.
    let (less, more) = (sum(1.0, -x), sum(1.0, x));
    let it = product(less.hi, more.hi);
    let square = sum_large_small(it.hi, it.lo + (less.hi * more.lo + less.lo * more.hi));
    let root = square.hi.sqrt();
    let left = (-root).mul_add(root, square.hi) + square.lo;
    let lo = 0.5 * left / root;
    Pair { hi: root, lo: if root > 0.0 { lo } else { 0.0 } }
}

#[inline(always)]
pub(super) fn atan(x: f64) -> f64 {
    // From here on it is a quarter of a turn; the quotient of infinities would not be.
    let a = if x.abs() > 1e20 { 1e20 } else { x.abs() };
    angle(whole(a), whole(1.0)).round().copysign(x)
}

#[inline(always)]
pub(super) fn asin(x: f64) -> f64 {
    let a = x.abs();
    let y = angle(whole(a), other_side(a)).round();
    // What has no square, for the sign of zero and what is subnormal.
    if a < 1e-150 { x } else { y.copysign(x) }
}

#[inline(always)]
pub(super) fn acos(x: f64) -> f64 {
    let a = x.abs();
    on_its_side(angle(other_side(a), whole(a)), x)
}

/// Whether the angle of a point is not what [`atan2`] says.
#[inline(always)]
pub(super) fn is_far(y: f64, x: f64) -> bool {
    const RANGE: std::ops::Range<f64> = 1e-140..1e140;
    // Not short-circuited: no branches in a loop.
    !(RANGE.contains(&y.abs()) & RANGE.contains(&x.abs()))
}

#[inline(always)]
pub(super) fn atan2(y: f64, x: f64) -> f64 {
    on_its_side(angle(whole(y.abs()), whole(x.abs())), x).copysign(y)
}
