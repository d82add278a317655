//! What functions of singles and of doubles are evaluated by.

/// 1/k! for `N` numbers from `first` on, at most 18.
pub const fn inverse_factorials<const N: usize>(first: usize) -> [f64; N] {
    let mut all = [1.0; N];
    let (mut k, mut factorial) = (0, 1.0);
    while k < first + N {
        if k > 0 {
            factorial *= k as f64;
        }
        if k >= first {
            all[k - first] = 1.0 / factorial;
        }
        k += 1;
    }
    all
}

macro_rules! series {
    ($name:ident $t:ty) => {
        /// `c[0] + c[1] z + c[2] z^2 ..`, by Horner.
        #[inline(always)]
        pub(super) fn $name<const N: usize>(z: $t, c: [$t; N]) -> $t {
            let mut sum = c[N - 1];
            let mut at = N - 1;
            while at > 0 {
                at -= 1;
                sum = sum.mul_add(z, c[at]);
            }
            sum
        }
    };
}
series!(series f64);
series!(series_of_singles f32);

/// What a whole number is added to for its low bits to be those of the sum: no conversion to integers, which old vector
/// units lack.
pub(super) const WHOLE: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52

/// `2 ** n` for whole `n` of the range of normal doubles.
#[inline(always)]
pub(super) fn power_of_two(n: f64) -> f64 {
    let bits = (n + WHOLE).to_bits();
    f64::from_bits(bits.wrapping_add(1023) << 52)
}
