//! Loops compiled several times, for what the processor has.
//!
//! A [`Kernel`] is inlined into a function for each level, so that its loops become vectors and its
//! [`mul_add`](f32::mul_add) one instruction. All levels give the same bits.

/// A loop. `run` and all that it calls should be `#[inline(always)]`.
pub(crate) trait Kernel {
    /// What comes out.
    type Output;
    /// Does it.
    fn run(self) -> Self::Output;
}

/// Runs it as the processor does it best.
#[inline]
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if has_v3() {
            // SAFETY: the processor has these instructions.
            return unsafe { v3(kernel) };
        }
    }
    kernel.run()
}

/// Whether fused multiply-add and vectors of 256 bits are there.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn has_v3() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

/// Whether fused multiply-add is there: other processors are not asked, because slow is still right.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn has_v3() -> bool {
    cfg!(target_arch = "aarch64")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi2")]
fn v3<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}
