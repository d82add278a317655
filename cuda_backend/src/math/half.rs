//! Functions of half precision that take fewer steps than those of singles: rounded, they have the same bits. The tests go
//! through all arguments.

use std::f32::consts::{LN_2, LOG2_E};

use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::elementwise::Real1;
use snekpy_stage::tensor::single::tables::WHOLE;

use super::machine::{Float, Machine, Single};
use super::single::{clamp, power_of_two, whole};

/// The dtypes that they are for.
pub(super) const DTYPES: [Dtype; 2] = [Dtype::F16, Dtype::Bf16];

/// exp(r) for |r| <= ln(2)/2.
const EXP: [f32; 6] = [1.0, 1.000_000_2, 0.499_991_4, 0.166_667_18, 0.041_918_59, 0.008_369_175];
/// exp(r/2) for |r| <= ln(2).
const ROOT_OF_EXP: [f32; 5] = [1.000_000_1, 0.499_980_57, 0.124_998, 0.020_990_338, 0.002_617_241];

/// Whether there is such a one.
pub(super) fn has(function: Real1) -> bool {
    function == Real1::Exp
}

/// The function, of a number of the dtype.
pub(super) fn real1<'m, M: Machine>(function: Real1, dtype: Dtype, x: Float<'m, M>) -> Float<'m, M> {
    assert!(has(function), "only those are asked for that are there");
    let x = x.narrow();
    match dtype {
        Dtype::F16 => power(clamp(x, -19.0, 12.0), 1.0, &EXP),
        // Whose square may have any exponent.
        _ => {
            let root = power(clamp(x, -106.0, 90.0), 0.5, &ROOT_OF_EXP);
            root * root
        }
    }
    .widen()
}

/// exp(part x), with a polynomial for what is left of x: a single that has all its bits.
fn power<'m, M: Machine>(x: Single<'m, M>, part: f32, polynomial: &[f32]) -> Single<'m, M> {
    let shifted = x.fma(x.same(LOG2_E * part), x.same(WHOLE));
    let r = (shifted - WHOLE).fma(x.same(-LN_2 / part), x);
    r.poly(polynomial) * power_of_two(whole(shifted))
}
