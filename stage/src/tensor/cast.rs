//! From one dtype to another.
//!
//! Floats become integers by dropping the fraction; what does not fit, and NaN, give the smallest integer, as the
//! processor's instruction does. Integers wrap. Whatever is not zero is true.

use super::elem::{Elem, by_dtype, int_of};
use super::elementwise::Loop;
use super::error::Result;
use super::layout::broadcast_to;
use super::op::TensorOp;
use super::simd::{self, Kernel};
use super::trace;
use super::walk::{Walk, worth};
use super::{Dtype, Tensor, Truth};
use half::{bf16, f16};
use std::marker::PhantomData;

/// The low 32 bits.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "integers wrap")]
pub(crate) fn to_i32(x: i64) -> i32 {
    x as i32
}

/// A conversion of one element.
trait To<R> {
    fn to(self) -> R;
}

/// `convert! { x: f32 => i64 = expression }`: one row for each pair that the plain `as` does not cover.
macro_rules! convert {
    ($($x:ident: $from:ty => $($to:ty = $e:expr),+;)*) => {
        $($(impl To<$to> for $from {
            #[inline(always)]
            fn to(self) -> $to {
                let $x = self;
                $e
            }
        })+)*
    };
}

/// Rounded to zero, or the smallest.
#[inline(always)]
fn small_int_of(x: f64) -> i32 {
    if x > -2_147_483_649.0 && x < 2_147_483_648.0 { x as i32 } else { i32::MIN }
}

convert! {
    x: bool => bool = x, i32 = i32::from(x), i64 = i64::from(x), f32 = f32::from(u8::from(x)), f64 = f64::from(u8::from(x));
    x: i32 => bool = x != 0, i32 = x, i64 = i64::from(x), f32 = x as f32, f64 = f64::from(x);
    x: i64 => bool = x != 0, i32 = to_i32(x), i64 = x, f32 = x as f32, f64 = x as f64;
    x: f32 => bool = x != 0.0, i32 = small_int_of(f64::from(x)), i64 = int_of(f64::from(x)), f32 = x, f64 = f64::from(x);
    x: f64 => bool = x != 0.0, i32 = small_int_of(x), i64 = int_of(x), f32 = x as f32, f64 = x;
}

/// How an element of one type becomes one of another.
trait Convert<A, R>: Copy + Default {
    fn convert(self, x: A) -> R;
}

/// Where both are computed in what they are stored in or in singles.
#[derive(Clone, Copy, Default)]
struct Through;

/// To half precision: rounded once.
#[derive(Clone, Copy, Default)]
struct Once;

/// To single precision, rounded to odd: whoever rounds that to half precision gets what rounding once gives.
#[inline(always)]
pub(crate) fn odd(x: f64) -> f32 {
    let near = x as f32;
    let back = f64::from(near);
    if back == x || x.is_nan() {
        return near;
    }
    let bits = near.to_bits();
    f32::from_bits(if back.abs() > x.abs() { bits - 1 } else { bits } | 1)
}

impl<A: Elem<Wide: To<R::Wide>>, R: Elem> Convert<A, R> for Through {
    #[inline(always)]
    fn convert(self, x: A) -> R {
        R::narrow(x.wide().to())
    }
}

impl<A: Elem<Wide: To<f64>>> Convert<A, f16> for Once {
    #[inline(always)]
    fn convert(self, x: A) -> f16 {
        f16::from_f32(odd(x.wide().to()))
    }
}

impl<A: Elem<Wide: To<f64>>> Convert<A, bf16> for Once {
    #[inline(always)]
    fn convert(self, x: A) -> bf16 {
        bf16::from_f32(odd(x.wide().to()))
    }
}

struct Row<A, R, F> {
    ptrs: [*mut u8; 2],
    steps: [isize; 2],
    n: usize,
    convert: F,
    elems: PhantomData<(A, R)>,
}

impl<A: Elem, R: Elem, F: Convert<A, R>> Kernel for Row<A, R, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let ([to, from], f) = (self.ptrs, self.convert);
        // SAFETY: the walk that made this row stays inside both views; elements are aligned.
        unsafe {
            if self.steps == [size_of::<R>() as isize, size_of::<A>() as isize] {
                let (to, from) = (to.cast::<R>(), from.cast::<A>());
                for i in 0..self.n {
                    *to.add(i) = f.convert(*from.add(i));
                }
            } else {
                for i in 0..self.n as isize {
                    *to.offset(i * self.steps[0]).cast::<R>() = f.convert(*from.offset(i * self.steps[1]).cast::<A>());
                }
            }
        }
    }
}

/// The loop from one dtype to another.
pub(crate) fn rows(from: Dtype, to: Dtype) -> Loop<2> {
    by_dtype!(from, A => rows_from::<A>(to))
}

fn rows_from<A>(to: Dtype) -> Loop<2>
where
    A: Elem<Wide: To<bool> + To<i32> + To<i64> + To<f32> + To<f64>>,
{
    /// # Safety
    /// As for [`Loop`].
    unsafe fn run<A: Elem, R: Elem, F: Convert<A, R>>(ptrs: [*mut u8; 2], steps: [isize; 2], n: usize) {
        simd::run(Row::<A, R, F> { ptrs, steps, n, convert: F::default(), elems: PhantomData });
    }
    match to {
        Dtype::Bool => run::<A, Truth, Through>,
        Dtype::I32 => run::<A, i32, Through>,
        Dtype::I64 => run::<A, i64, Through>,
        Dtype::F16 => run::<A, f16, Once>,
        Dtype::Bf16 => run::<A, bf16, Once>,
        Dtype::F32 => run::<A, f32, Through>,
        Dtype::F64 => run::<A, f64, Through>,
    }
}

/// A new tensor of another dtype. Also of the same: a copy.
pub fn cast(x: &Tensor, dtype: Dtype) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Cast(dtype), &[x]) {
        return noted;
    }
    if x.dtype() == dtype {
        return x.to_dense();
    }
    let out = Tensor::blank(dtype, x.dims())?;
    convert_into(&out, x);
    Ok(out)
}

/// Itself if it is of that dtype, else a new one.
pub fn as_dtype(x: &Tensor, dtype: Dtype) -> Result<Tensor> {
    if x.dtype() == dtype { Ok(x.clone()) } else { cast(x, dtype) }
}

/// Writes the elements of `x`, stretched to its shape and converted, into `to`. The two may overlap.
pub fn assign(to: &Tensor, x: &Tensor) -> Result<()> {
    if let Some(noted) = trace::note_write(|| TensorOp::Assign, &[to, x]) {
        return noted;
    }
    let x = broadcast_to(x, to.dims())?;
    if to.is_same_view(&x) {
        return Ok(());
    }
    let x = if to.may_overlap(&x) { x.to_dense()? } else { x };
    if to.dtype() == x.dtype() {
        x.copy_to(to);
    } else {
        convert_into(to, &x);
    }
    Ok(())
}

fn convert_into(to: &Tensor, x: &Tensor) {
    let (walk, run) = (Walk::new(to.dims(), [&to.byte_steps(), &x.byte_steps()]), rows(x.dtype(), to.dtype()));
    walk.each_shared([to.ptr(), x.ptr()], worth(false), |ptrs, steps, n| {
        // SAFETY: the walk stays inside both views, and they are of these dtypes.
        unsafe { run(ptrs, steps, n) };
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Halfway between two neighbours, and as little more or less as the wider type has.
    #[test]
    fn half_precision_is_rounded_once() {
        let to = |x: &Tensor, dtype| cast(x, dtype).unwrap();
        let bits = [0x3f80_8000_u32, 0x3f80_8001, 0x3f80_7fff, 0x3f81_8000, 0x3f81_8001, 0x3f81_7fff, 0x0001_8000, 1];
        let singles = Tensor::from_slice(&bits.map(f32::from_bits), &[8]).unwrap();
        let found = to(&singles, Dtype::Bf16).to_vec::<bf16>().into_iter().map(bf16::to_bits).collect::<Vec<_>>();
        assert_eq!(found, [0x3f80, 0x3f81, 0x3f80, 0x3f82, 0x3f82, 0x3f81, 2, 0]);
        let half_way = 1.0 + 2.0_f64.powi(-11);
        let doubles = [
            half_way,
            half_way.next_up(),
            half_way.next_down(),
            65519.99999999999,
            65520.0,
            2.0_f64.powi(-25),
            -1e-300,
        ];
        let doubles = Tensor::from_slice(&doubles, &[7]).unwrap();
        let found = to(&doubles, Dtype::F16).to_vec::<f16>().into_iter().map(f16::to_bits).collect::<Vec<_>>();
        assert_eq!(found, [0x3c00, 0x3c01, 0x3c00, 0x7bff, 0x7c00, 0, 0x8000]);
        let half_way = 1.0 + 2.0_f64.powi(-8);
        let doubles =
            Tensor::from_slice(&[half_way, half_way.next_up(), half_way.next_down(), f64::MAX], &[4]).unwrap();
        let found = to(&doubles, Dtype::Bf16).to_vec::<bf16>().into_iter().map(bf16::to_bits).collect::<Vec<_>>();
        assert_eq!(found, [0x3f80, 0x3f81, 0x3f80, 0x7f80]);
    }
}
