//! Loops compiled several times, for what the processor has.
//!
//! A [`Kernel`] is inlined into a function for each level, so that its loops become vectors and its
//! [`mul_add`](f32::mul_add) one instruction. All levels give the same bits.

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicU8, Ordering};

/// A loop. `run` and all that it calls should be `#[inline(always)]`.
pub(crate) trait Kernel {
    /// Whether it gains by the widest vectors: not where memory is what it waits for.
    const IS_LONG: bool = false;
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
        let level = level();
        if K::IS_LONG && level >= V4 {
            // SAFETY: the processor has these instructions.
            return unsafe { v4(kernel) };
        }
        if level >= V3 {
            // SAFETY: the processor has these instructions.
            return unsafe { v3(kernel) };
        }
    }
    kernel.run()
}

/// What the processor has, as the levels of its architecture are numbered; 1 is whatever is less.
#[cfg(target_arch = "x86_64")]
#[inline]
fn level() -> u8 {
    match LEVEL.load(Ordering::Relaxed) {
        0 => find_level(),
        level => level,
    }
}

#[cfg(target_arch = "x86_64")]
static LEVEL: AtomicU8 = AtomicU8::new(0);
#[cfg(target_arch = "x86_64")]
const V3: u8 = 3;
#[cfg(target_arch = "x86_64")]
const V4: u8 = 4;

#[cfg(target_arch = "x86_64")]
#[cold]
fn find_level() -> u8 {
    let v3 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("bmi2");
    let v4 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw");
    let level = match (v3, v4) {
        (true, true) => V4,
        (true, false) => V3,
        (false, _) => 1,
    };
    LEVEL.store(level, Ordering::Relaxed);
    level
}

/// Whether fused multiply-add and vectors of 256 bits are there.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn has_v3() -> bool {
    level() >= V3
}

/// Whether vectors of 512 bits are there.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn has_v4() -> bool {
    level() >= V4
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

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi2,avx512f,avx512dq,avx512vl,avx512bw")]
fn v4<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}
