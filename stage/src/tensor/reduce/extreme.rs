//! Where the greatest and the least are.

use super::super::elem::{Elem, by_dtype};
use super::super::error::{Result, TensorError};
use super::super::op::TensorOp;
use super::super::trace;
use super::super::walk::{Walk, worth};
use super::super::{Dtype, Tensor};
use super::{BLOCK, Join, Max, Min, blocks_of, is_nan};

fn beats<W: PartialOrd>(x: W, best: W, greatest: bool) -> bool {
    if greatest { x > best } else { x < best }
}

/// Where the first greatest (or least) of elements that lie one after another is; where the first NaN is, if there is one.
pub(super) fn first_extreme<E: Elem, J: Join<E::Wide>>(from: *const E, n: usize, greatest: bool, join: J) -> usize {
    let (mut at, mut best_at, mut best) = (0, 0, None);
    blocks_of(from, 1, n, join, |it| {
        if best.is_none_or(|best| !is_nan(best) && (is_nan(it) || beats(it, best, greatest))) {
            (best, best_at) = (Some(it), at);
        }
        at += BLOCK;
    });
    let Some(best) = best else { return 0 };
    let is_it = |at: &usize| {
        // SAFETY: whoever calls knows that so many elements are there.
        let it = unsafe { *from.add(*at) }.wide();
        it == best || is_nan(best) && is_nan(it)
    };
    (best_at..n).find(is_it).unwrap_or(best_at)
}

/// The position of the first greatest (or least) along an axis; the first NaN, if there is one.
pub fn arg_extreme(x: &Tensor, along: usize, greatest: bool) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::ArgExtreme { along, greatest }, &[x]) {
        return noted;
    }
    if x.dims()[along] == 0 {
        let name = if greatest { "argmax" } else { "argmin" };
        return Err(TensorError::Value(format!("attempt to get {name} of an empty sequence")));
    }
    let mut dims = x.dims().clone();
    let len = dims.remove(along);
    let mut steps = x.byte_steps();
    let step = steps.remove(along);
    let out = Tensor::blank(Dtype::I64, &dims)?;
    let is_dense = step == x.dtype().size() as isize;
    let least = worth(false).div_ceil(len);
    let walk = Walk::new(&dims, [&out.byte_steps(), &steps]);
    by_dtype!(x.dtype(), E => walk.each_shared([out.ptr(), x.ptr()], least, |[to, from], [to_across, across], n| {
        for i in 0..n as isize {
            let (to, from) = (to.wrapping_offset(i * to_across).cast::<i64>(), from.wrapping_offset(i * across));
            if is_dense {
                let from = from.cast::<E>().cast_const();
                let found = match greatest {
                    true => first_extreme::<E, _>(from, len, true, Max),
                    false => first_extreme::<E, _>(from, len, false, Min),
                };
                // SAFETY: the walk stays inside the result.
                unsafe { *to = found as i64 };
                continue;
            }
            // SAFETY: the walk and the axis stay inside the view; elements are aligned.
            let at = |k: usize| unsafe { *from.offset(k as isize * step).cast::<E>() }.wide();
            let (mut best, mut best_at) = (at(0), 0);
            for k in 1..len {
                if is_nan(best) {
                    break;
                }
                let it = at(k);
                if beats(it, best, greatest) || is_nan(it) {
                    (best, best_at) = (it, k);
                }
            }
            // SAFETY: as above.
            unsafe { *to = best_at as i64 };
        }
    }));
    Ok(out)
}
