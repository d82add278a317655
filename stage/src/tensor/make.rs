//! Tensors from nothing.

use super::cast::cast;
use super::device;
use super::elem::{Elem, Item, by_dtype};
use super::elementwise::{Cmp, Num2, compare, num2};
use super::error::{Result, TensorError};
use super::layout::insert_axis;
use super::op::TensorOp;
use super::scan::{Scan, scan};
use super::trace;
use super::view::noted_constant;
use super::{Dtype, Tensor};
use crate::home::Home;
use crate::sizes;

/// The same everywhere.
pub fn full(dtype: Dtype, dims: &[usize], item: Item) -> Result<Tensor> {
    full_at(Home::HERE, dtype, dims, item)
}

/// The same everywhere, in this machine's memory or in that of a device.
///
/// # Errors
/// A [`TensorError::Memory`] if there is not so much, and what the device says.
pub fn full_at(home: Home, dtype: Dtype, dims: &[usize], item: Item) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Full { dtype, dims: dims.to_vec(), item, home }, &[]) {
        return noted;
    }
    if home.is_there() {
        return device::full(home, dtype, dims, item);
    }
    if !item.truth() && item.float().is_sign_positive() {
        return Tensor::zeros(dtype, dims);
    }
    let out = Tensor::blank(dtype, dims)?;
    if trace::is_for_shapes() {
        return Ok(out);
    }
    by_dtype!(dtype, E => {
        let elem = E::from_item(item);
        for i in 0..out.count() {
            // SAFETY: the tensor is dense and new.
            unsafe { *out.ptr().cast::<E>().add(i) = elem };
        }
    });
    Ok(out)
}

/// `item(i)` at position `i` of a single axis.
pub fn from_fn(dtype: Dtype, len: usize, item: impl Fn(usize) -> Item) -> Result<Tensor> {
    if trace::is_recording() {
        return noted_constant(|| from_fn(dtype, len, item));
    }
    let out = Tensor::blank(dtype, &[len])?;
    if trace::is_for_shapes() {
        return Ok(out);
    }
    by_dtype!(dtype, E => {
        for i in 0..len {
            // SAFETY: the tensor is dense and new.
            unsafe { *out.ptr().cast::<E>().add(i) = E::from_item(item(i)) };
        }
    });
    Ok(out)
}

/// Items that are at hand, converted.
pub fn from_items(dtype: Dtype, items: &[Item], dims: &[usize]) -> Result<Tensor> {
    if let ([], [one]) = (dims, items) {
        return full(dtype, dims, *one);
    }
    super::layout::reshape(&from_fn(dtype, items.len(), |i| items[i])?, dims)
}

/// There are fewer elements than this in any array.
const MOST: usize = 9_000_000_000_000_000_000;

/// `start, start + step ..` before `stop`, each computed from its number.
pub fn arange(dtype: Dtype, start: Item, stop: Item, step: Item) -> Result<Tensor> {
    let integers = matches!((start, stop, step), (Item::Int(_), Item::Int(_), Item::Int(_)));
    if step.float() == 0.0 || step.float().is_nan() {
        return Err(TensorError::Value("Maximum allowed size exceeded".to_owned()));
    }
    let len = if integers {
        let (span, step) = (i128::from(stop.int()) - i128::from(start.int()), i128::from(step.int()));
        let (whole, rest) = (span / step, span % step);
        usize::try_from((whole + i128::from(rest != 0 && (rest < 0) == (step < 0))).max(0)).unwrap_or(usize::MAX)
    } else {
        let len = ((stop.float() - start.float()) / step.float()).ceil().max(0.0);
        if len.is_nan() { usize::MAX } else { len as usize }
    };
    if len >= MOST {
        return Err(TensorError::Value("Maximum allowed size exceeded".to_owned()));
    }
    if trace::is_recording() && sizes::is_later(len) {
        return counted(dtype, len, start, step, integers);
    }
    if integers {
        let (start, step) = (start.int(), step.int());
        from_fn(dtype, len, |i| Item::Int(start.wrapping_add(step.wrapping_mul(i as i64))))
    } else {
        // As NumPy: the difference of the first two is the step.
        let start = start.float();
        let delta = (start + step.float()) - start;
        from_fn(dtype, len, |i| Item::Float(start + i as f64 * delta))
    }
}

/// The same for a number of them that is known only later.
fn counted(dtype: Dtype, len: usize, start: Item, step: Item, integers: bool) -> Result<Tensor> {
    let number = |it: Item| full(if integers { Dtype::I64 } else { Dtype::F64 }, &[], it);
    let shape_of = |it: Item| sizes::is_later_int(it.int());
    if !sizes::is_clear(len) || integers && (shape_of(start) || shape_of(step)) {
        return Err(TensorError::Value("how many numbers these are is known only later".to_owned()));
    }
    let positions =
        num2(Num2::Sub, &scan(Scan::Sum, &full(Dtype::I64, &[len], Item::Int(1))?, 0)?, &number(Item::Int(1))?)?;
    let (positions, start, step) = match integers {
        true => (positions, start, step),
        // As NumPy: the difference of the first two is the step.
        false => {
            let delta = (start.float() + step.float()) - start.float();
            (cast(&positions, Dtype::F64)?, Item::Float(start.float()), Item::Float(delta))
        }
    };
    cast(&num2(Num2::Add, &number(start)?, &num2(Num2::Mul, &positions, &number(step)?)?)?, dtype)
}

/// `len` numbers from `start` to `stop`, the last one included if `endpoint`.
pub fn linspace(dtype: Dtype, start: f64, stop: f64, len: usize, endpoint: bool) -> Result<Tensor> {
    let parts = if endpoint { len.saturating_sub(1) } else { len };
    let step = (stop - start) / parts as f64;
    from_fn(dtype, len, |i| {
        Item::Float(if endpoint && i > 0 && i + 1 == len {
            stop
        } else if parts == 0 {
            start
        } else if step == 0.0 {
            i as f64 / parts as f64 * (stop - start) + start
        } else {
            i as f64 * step + start
        })
    })
}

/// Ones on the `k`-th diagonal, zeros elsewhere.
pub fn eye(dtype: Dtype, rows: usize, columns: usize, k: i64) -> Result<Tensor> {
    if trace::is_recording() {
        if sizes::is_later(rows) || sizes::is_later(columns) {
            let positions = |len: usize, first: i64| {
                arange(Dtype::I64, Item::Int(first), Item::Int(first.wrapping_add(len as i64)), Item::Int(1))
            };
            let on_diagonal = compare(Cmp::Eq, &insert_axis(&positions(rows, k)?, 1)?, &positions(columns, 0)?)?;
            return cast(&on_diagonal, dtype);
        }
        return noted_constant(|| eye(dtype, rows, columns, k));
    }
    let out = Tensor::zeros(dtype, &[rows, columns])?;
    let diagonal = super::layout::diagonal(&out, k, 0, 1)?;
    super::cast::assign(&diagonal, &full(dtype, &[], Item::Int(1))?)?;
    Ok(out)
}
