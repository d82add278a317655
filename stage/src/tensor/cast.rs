//! From one dtype to another.
//!
//! Floats become integers by dropping the fraction; what does not fit, and NaN, give the smallest integer, as the
//! processor's instruction does. Integers wrap. Whatever is not zero is true.

use super::elem::{Elem, by_dtype, int_of};
use super::error::Result;
use super::layout::broadcast_to;
use super::op::TensorOp;
use super::simd::{self, Kernel};
use super::trace;
use super::walk::Walk;
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

struct Row<A, R, F> {
    ptrs: [*mut u8; 2],
    steps: [isize; 2],
    n: usize,
    convert: F,
    elems: PhantomData<(A, R)>,
}

impl<A: Elem, R: Elem, F: Fn(A) -> R> Kernel for Row<A, R, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let [to, from] = self.ptrs;
        // SAFETY: the walk that made this row stays inside both views; elements are aligned.
        unsafe {
            if self.steps == [size_of::<R>() as isize, size_of::<A>() as isize] {
                let (to, from) = (to.cast::<R>(), from.cast::<A>());
                for i in 0..self.n {
                    *to.add(i) = (self.convert)(*from.add(i));
                }
            } else {
                for i in 0..self.n as isize {
                    *to.offset(i * self.steps[0]).cast::<R>() =
                        (self.convert)(*from.offset(i * self.steps[1]).cast::<A>());
                }
            }
        }
    }
}

fn fill<A: Elem, R: Elem>(to: &Tensor, from: &Tensor, convert: impl Fn(A) -> R + Copy) {
    let walk = Walk::new(to.dims(), [&to.byte_steps(), &from.byte_steps()]);
    walk.each([to.ptr(), from.ptr()], |ptrs, steps, n| {
        simd::run(Row { ptrs, steps, n, convert, elems: PhantomData });
    });
}

/// Where both are computed in what they are stored in or in singles.
fn through<A: Elem<Wide: To<R::Wide>>, R: Elem>(to: &Tensor, from: &Tensor) {
    fill::<A, R>(to, from, |x| R::narrow(x.wide().to()));
}

/// To half precision: rounded once, and so not through singles.
fn to_half<A: Elem<Wide: To<f64>>, R: Elem>(to: &Tensor, from: &Tensor, round: impl Fn(f64) -> R + Copy) {
    fill::<A, R>(to, from, |x| round(x.wide().to()));
}

fn from<A>(to: &Tensor, from: &Tensor)
where
    A: Elem<Wide: To<bool> + To<i32> + To<i64> + To<f32> + To<f64>>,
{
    match to.dtype() {
        Dtype::Bool => through::<A, Truth>(to, from),
        Dtype::I32 => through::<A, i32>(to, from),
        Dtype::I64 => through::<A, i64>(to, from),
        Dtype::F16 => to_half::<A, f16>(to, from, f16::from_f64),
        Dtype::Bf16 => to_half::<A, bf16>(to, from, bf16::from_f64),
        Dtype::F32 => through::<A, f32>(to, from),
        Dtype::F64 => through::<A, f64>(to, from),
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
    by_dtype!(x.dtype(), A => from::<A>(to, x));
}
