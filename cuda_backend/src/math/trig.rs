//! Sine, cosine, tangent and their inverses.

use super::double::{Double, product, sum, sum_ordered};
use super::machine::{Bool, Float, Int, Int2, Machine, Test};

/// `pi / 2` in three parts.
const HALF_PI: [f64; 3] = [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];
const PI_LO: f64 = 1.224_646_799_147_353_2e-16;
/// Arguments below it are reduced by subtraction.
const FAR: f64 = 1_073_741_824.0; // 2^30
/// The bits of `2 / pi` behind the point, after one word of zeros.
static TWO_OVER_PI: [u64; 21] = [
    0x0000_0000_0000_0000,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];
/// `atan(0)`, `atan(1/8)`, ..., `atan(1)`, as bits, and what they leave out.
static ATAN: [u64; 9] = [
    0.0_f64.to_bits(),
    0.124_354_994_546_761_44_f64.to_bits(),
    0.244_978_663_126_864_14_f64.to_bits(),
    0.358_770_670_270_572_25_f64.to_bits(),
    0.463_647_609_000_806_1_f64.to_bits(),
    0.558_599_315_343_562_4_f64.to_bits(),
    0.643_501_108_793_284_4_f64.to_bits(),
    0.718_829_999_621_624_5_f64.to_bits(),
    std::f64::consts::FRAC_PI_4.to_bits(),
];
static ATAN_LO: [u64; 9] = [
    0.0_f64.to_bits(),
    (-3.125_324_142_453_938_3e-18_f64).to_bits(),
    1.069_875_561_873_445_1e-17_f64.to_bits(),
    (-2.462_381_558_263_863_5e-17_f64).to_bits(),
    2.269_877_745_296_168_7e-17_f64.to_bits(),
    (-5.455_630_548_591_626_4e-18_f64).to_bits(),
    1.583_478_505_144_428_6e-17_f64.to_bits(),
    (-2.147_838_844_445_698_3e-17_f64).to_bits(),
    3.061_616_997_868_383e-17_f64.to_bits(),
];

/// `(-1)^n / (first + 2n)!` for an even or odd series.
const fn alternating<const N: usize>(first: u32) -> [f64; N] {
    let mut coefficients = [0.0; N];
    let mut term = 1.0;
    let mut factor = 1;
    while factor <= first {
        term /= factor as f64;
        factor += 1;
    }
    let mut position = 0;
    while position < N {
        coefficients[position] = term;
        term = -term / (factor as f64 * (factor as f64 + 1.0));
        factor += 2;
        position += 1;
    }
    coefficients
}

/// Of `sin(x) = x - x^3/3! + x^5/5! - ...`, from `x^5` on.
const SIN: [f64; 7] = alternating(5);
/// Of `cos(x) = 1 - x^2/2 + x^4/4! - ...`, from `x^4` on.
const COS: [f64; 7] = alternating(4);

/// `-1/3, 1/5, -1/7, ...`: the series of `atan` up to `x^15`.
const ATAN_SERIES: [f64; 7] = {
    let mut coefficients = [0.0; 7];
    let mut position = 0;
    while position < 7 {
        let sign = if position % 2 == 0 { -1.0 } else { 1.0 };
        coefficients[position] = sign / (2.0 * position as f64 + 3.0);
        position += 1;
    }
    coefficients
};

/// An angle as quarter turns, of which the lowest two bits count, and what is left.
struct Angle<'m, M: Machine> {
    quarters: Int<'m, M>,
    rest: Double<'m, M>,
}

fn reduce<'m, M: Machine>(x: Float<'m, M>) -> Angle<'m, M> {
    let m = x.m;
    let is_near = x.abs().lt(FAR);
    let [hi, lo, quarters] = m.branch(
        is_near.v,
        || {
            let it = reduce_near(x);
            [it.rest.hi.v, it.rest.lo.v, it.quarters.of_bits().v]
        },
        || {
            let it = reduce_far(x);
            [it.rest.hi.v, it.rest.lo.v, it.quarters.of_bits().v]
        },
    );
    let float = |v| Float { m, v };
    Angle { quarters: float(quarters).bits(), rest: Double { hi: float(hi), lo: float(lo) } }
}

/// By subtracting a multiple of `pi / 2`, whose parts are long enough that nothing is lost in cancellation.
fn reduce_near<'m, M: Machine>(x: Float<'m, M>) -> Angle<'m, M> {
    let (whole, quarters) = (x * std::f64::consts::FRAC_2_PI).nearest();
    let first = (-whole).fma(x.same(HALF_PI[0]), x);
    let second = product(whole, x.same(HALF_PI[1]));
    let rest = sum(first, -second.hi);
    let lo = (-whole).fma(x.same(HALF_PI[2]), rest.lo - second.lo);
    Angle { quarters, rest: sum_ordered(rest.hi, lo) }
}

/// By multiplying with those bits of `2 / pi` that matter (Payne and Hanek): the mantissa is an integer, so that bits
/// of a weight that makes whole turns need not be there.
fn reduce_far<'m, M: Machine>(x: Float<'m, M>) -> Angle<'m, M> {
    let bits = x.abs().bits();
    let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
    // x = mantissa * 2^exponent, and a turn is 4 quarters. An infinity comes out as something, and is no matter.
    let exponent = bits.shr(52) - 1075;
    let offset = exponent + 62;
    let offset = offset.gt(1033).int(offset.same(1033), offset);
    let (first, distance) = (offset.shr(6), offset & 63);
    let word = |number: i64| Int { m: x.m, v: x.m.word(&TWO_OVER_PI, (first + number).v) };
    let shifted = |number: i64| {
        let (upper, lower) = (word(number), word(number + 1));
        let lower = lower.shr(1).op(Int2::Shr, (distance.same(63)) - distance);
        upper.op(Int2::Shl, distance) | lower
    };
    let window = [shifted(0), shifted(1), shifted(2)];
    // The low 192 bits of the product: a fraction of a turn.
    let low = window[2] * mantissa;
    let carry = window[2].op(Int2::MulHigh, mantissa);
    let middle = window[1] * mantissa;
    let sum_middle = middle + carry;
    let carried = sum_middle.is(Test::Below, middle).int(low.same(1), low.same(0));
    let high = window[0] * mantissa + window[1].op(Int2::MulHigh, mantissa) + carried;

    let quarters = (high + (1 << 61)).shr(62);
    let high = high - quarters.shl(62);
    // In units of 2^-62 of a quarter; the parts below are not negative.
    let part = |it: Int<'m, M>, weight: f64| it.to_float() * weight;
    let unit = 1.0 / 4_611_686_018_427_387_904.0;
    let word = 1.0 / 4_294_967_296.0;
    let parts = [
        part(high.sar(32), unit / word),
        part(high & 0xffff_ffff, unit),
        part(sum_middle.shr(32), unit * word),
        part(sum_middle & 0xffff_ffff, unit * word * word),
        part(low.shr(32), unit * word * word * word),
    ];
    let mut fraction = Double { hi: parts[0], lo: x.same(0.0) };
    for part in &parts[1..] {
        fraction = fraction.plus(*part);
    }
    let rest = fraction.times(Double::constant(x, [HALF_PI[0], HALF_PI[1]]));
    let is_negative = x.lt(0.0);
    Angle {
        quarters: is_negative.int(quarters.same(0) - quarters, quarters),
        rest: Double { hi: is_negative.float(-rest.hi, rest.hi), lo: is_negative.float(-rest.lo, rest.lo) },
    }
}

/// The sine of an angle of at most an eighth of a turn.
fn sin_near<'m, M: Machine>(Double { hi: x, lo: y }: Double<'m, M>) -> Float<'m, M> {
    let z = x * x;
    let cube = z * x;
    let r = z.poly(&SIN);
    // x - x^3/6 + (y - y x^2/2) + x^5 (...)
    let tail = cube.fma(z * r, y.fma(z * -0.5, y));
    cube.fma(x.same(-1.0 / 6.0), tail) + x
}

/// The cosine of one.
fn cos_near<'m, M: Machine>(Double { hi: x, lo: y }: Double<'m, M>) -> Float<'m, M> {
    let z = x * x;
    let half = z * 0.5;
    let w = x.same(1.0) - half;
    let r = (z * z) * z.poly(&COS);
    w + (((x.same(1.0) - w) - half) + (r - x * y))
}

/// What there is of an infinity or a NaN.
fn nan<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    x * 0.0
}

fn is_finite<'m, M: Machine>(x: Float<'m, M>) -> Bool<'m, M> {
    x.abs().lt(f64::INFINITY)
}

pub(super) fn sin<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let Angle { quarters, rest } = reduce(x);
    let it = turned(quarters, rest);
    let it = x.eq(0.0).float(x, it);
    is_finite(x).float(it, nan(x))
}

pub(super) fn cos<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let Angle { quarters, rest } = reduce(x);
    is_finite(x).float(turned(quarters + 1, rest), nan(x))
}

/// The sine of so many quarter turns and the rest.
fn turned<'m, M: Machine>(quarters: Int<'m, M>, rest: Double<'m, M>) -> Float<'m, M> {
    let is_odd = (quarters & 1).eq(1);
    let it = is_odd.float(cos_near(rest), sin_near(rest));
    (quarters & 2).eq(2).float(-it, it)
}

pub(super) fn tan<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let Angle { quarters, rest } = reduce(x);
    let (sin, cos) = (sin_near(rest), cos_near(rest));
    let is_odd = (quarters & 1).eq(1);
    let it = is_odd.float(-cos, sin) / is_odd.float(sin, cos);
    let it = x.eq(0.0).float(x, it);
    is_finite(x).float(it, nan(x))
}

/// The angle whose tangent is between 0 and 1.
fn atan_small<'m, M: Machine>(t: Float<'m, M>) -> Float<'m, M> {
    let (eighths, index) = (t * 8.0).nearest();
    let near = eighths * 0.125;
    let d = (t - near) / t.fma(near, t.same(1.0));
    let z = d * d;
    let series = (d * z) * z.poly(&ATAN_SERIES);
    // A NaN has no index.
    let index = t.is_nan().int(index.same(0), index);
    let at = |table| Int { m: t.m, v: t.m.word(table, index.v) }.of_bits();
    at(&ATAN) + (d + (series + at(&ATAN_LO)))
}

/// The angle of a point in the first quarter.
fn angle<'m, M: Machine>(y: Float<'m, M>, x: Float<'m, M>) -> Float<'m, M> {
    let is_steep = x.is(Test::Less, y);
    let (top, bottom) = (is_steep.float(x, y), is_steep.float(y, x));
    let are_equal = top.is(Test::Equal, bottom);
    let slope = are_equal.float(x.same(1.0), top / bottom);
    let slope = y.eq(0.0).and(x.eq(0.0)).float(y, slope);
    let it = atan_small(slope);
    is_steep.float(x.same(HALF_PI[0]) - (it - HALF_PI[1]), it)
}

pub(super) fn atan<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let it = angle(x.abs(), x.same(1.0)).copysign(x);
    x.eq(0.0).or(x.is_nan()).float(x, it)
}

pub(super) fn atan2<'m, M: Machine>(y: Float<'m, M>, x: Float<'m, M>) -> Float<'m, M> {
    let it = angle(y.abs(), x.abs());
    let is_left = x.bits().lt(0);
    let it = is_left.float(x.same(std::f64::consts::PI) - (it - PI_LO), it).copysign(y);
    x.is_nan().or(y.is_nan()).float(x + y, it)
}

/// The other side of a right triangle with the hypotenuse 1.
fn other_side<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    ((x.same(1.0) - x) * (x + 1.0)).sqrt()
}

pub(super) fn asin<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    x.eq(0.0).float(x, atan2(x, other_side(x)))
}

pub(super) fn acos<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    atan2(other_side(x), x)
}
