//! The numbers that functions of singles are evaluated by, here and on devices: nearly minimax polynomials, the constant
//! coefficient first.

use std::f32::consts;

/// What a whole number is added to for its low bits to be those of the sum.
pub const WHOLE: f32 = 12_582_912.0; // 1.5 * 2^23

/// Of ln(2), what is exact times any exponent, and the rest.
pub const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
/// (expm1(r) - r) / r^2 for |r| <= ln(2)/2: to 2^-28 of exp(r).
pub const EXP: [f32; 5] = [0.5, 0.166_665_2, 0.041_666_385, 0.008_368_849, 0.001_394_221_4];
/// The same to 2^-31 of expm1(r).
pub const EXPM1: [f32; 6] = [0.5, 0.166_666_67, 0.041_666_49, 0.008_333_208, 0.001_393_270_8, 0.000_199_442_67];
/// (2^r - 1) / r for |r| <= 1/2: to 2^-28 of 2^r.
pub const EXP2: [f32; 6] =
    [consts::LN_2, 0.240_226_5, 0.055_503_596, 0.009_618_062_5, 0.001_339_098_4, 0.000_154_628_77];
/// (sinh(a) - a) / a^3 as a function of a^2, for a <= 1: to 2^-31.
pub const SINH: [f32; 4] = [0.166_666_67, 0.008_333_311, 0.000_198_426_32, 2.783_963e-6];
/// (tanh(a) - a) / a^3 as a function of a^2, for a <= 0.63: to 2^-27.
pub const TANH: [f32; 5] = [-0.333_332_8, 0.133_313_92, -0.053_734_563, 0.020_619_622, -0.005_680_721_3];

/// The bits of sqrt(1/2).
pub const ROOT_HALF: u32 = 0x3f35_04f3;
/// (log(1 + f) - f + f^2/2) / f^3 for 1 + f between sqrt(1/2) and sqrt(2): to 2^-30.
pub const LOG: [f32; 9] = [
    0.333_333_1,
    -0.249_999_87,
    0.200_022_25,
    -0.166_692_51,
    0.142_186_73,
    -0.123_843_394,
    0.118_729_32,
    -0.117_899_29,
    0.069_155_455,
];
/// log2(e), its single and the rest.
pub const LOG2_E: [f32; 2] = [consts::LOG2_E, 1.925_963e-8];
/// log2(2).
pub const LOG2: [f32; 2] = [1.0, 0.0];
/// log10(e), its single and the rest.
pub const LOG10_E: [f32; 2] = [consts::LOG10_E, -1.010_305e-8];
/// Of log10(2), what is exact times any exponent, and the rest.
pub const LOG10: [f32; 2] = [0.301_025_4, 4.605_039e-6];

/// From here on angles are reduced in doubles: how many quarters they are is no longer certain enough in singles.
pub const FAR: f32 = 1e5;
/// pi/2, in three parts.
pub const HALF_PI: [f32; 3] = [consts::FRAC_PI_2, -4.371_139e-8, -1.715_124_5e-15];
/// (sin(r) - r) / r^3 as a function of r^2, for |r| <= pi/4: to 2^-32.
pub const SIN: [f32; 4] = [-0.166_666_67, 0.008_333_379, -0.000_198_530_57, 2.832_314_5e-6];
/// (cos(r) - 1 + r^2/2) / r^4, to 2^-32 of cos(r).
pub const COS: [f32; 3] = [0.041_666_646, -0.001_388_730_1, 2.443_066_1e-5];
/// (tan(r) - r) / r^3, to 2^-29.
pub const TAN: [f32; 7] =
    [0.333_333_52, 0.133_325_79, 0.054_069_456, 0.021_233_419, 0.010_960_971, -6.769_130_4e-5, 0.004_453_218_5];
/// (atan(t) - t) / t^3 as a function of t^2, for |t| <= 1: to 2^-28.
pub const ATAN: [f32; 9] = [
    -0.333_333_02,
    0.199_986_3,
    -0.142_651_51,
    0.109_571_025,
    -0.084_181_21,
    0.058_212_325,
    -0.031_434_14,
    0.011_053_138,
    -0.001_824_739_3,
];

/// Those of functions that are evaluated in doubles: Taylor's series, good to about 2^-36.
pub mod wide {
    use crate::tensor::series::inverse_factorials;

    /// exp(r) for |r| <= ln(2)/2.
    pub const EXP: [f64; 10] = inverse_factorials(0);

    /// The bits of sqrt(1/2).
    pub const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    /// atanh(s) / s as a function of s^2, for |s| <= 0.18.
    pub const ATANH: [f64; 8] = odd(1.0);

    /// From here on the function of doubles reduces the argument: rarely needed, and longer than all the rest.
    pub const FAR: f64 = 1e8;
    /// What the double of pi/2 leaves out.
    pub const HALF_PI_LOW: f64 = 6.123_233_995_736_766e-17;
    /// sin(r) / r as a function of r^2, for |r| <= pi/4.
    pub const SIN: [f64; 6] = [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0];
    /// cos(r) as a function of r^2.
    pub const COS: [f64; 6] = [1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0, -1.0 / 3_628_800.0];
    /// tan(pi/8).
    pub const TAN_PI_8: f64 = 0.414_213_562_373_095_03;
    /// atan(u) / u as a function of u^2, for |u| <= tan(pi/8).
    pub const ATAN: [f64; 13] = odd(-1.0);

    /// `sign^k / (2k + 1)` for k from 0 on.
    const fn odd<const N: usize>(sign: f64) -> [f64; N] {
        let mut c = [0.0; N];
        let (mut k, mut power) = (0, 1.0);
        while k < N {
            c[k] = power / (2 * k + 1) as f64;
            power *= sign;
            k += 1;
        }
        c
    }
}
