//! Other shapes of the same elements: views where there is one, else copies.

use super::elem::{Item, by_dtype};
use super::error::{Result, TensorError};
use super::op::TensorOp;
use super::shape::{Dims, Steps, count_later, dense_steps, show};
use super::trace;
use super::{Elem, Tensor};

/// The axis that a number means; negative ones count from the end.
pub fn axis(at: i64, rank: usize) -> Result<usize> {
    let from_start = if at < 0 { at + rank as i64 } else { at };
    if (0..rank as i64).contains(&from_start) {
        Ok(from_start as usize)
    } else {
        Err(TensorError::Axis(format!("axis {at} is out of bounds for array of dimension {rank}")))
    }
}

/// A view in which axes of size 1 are stretched, and new ones stand before the others.
pub fn broadcast_to(x: &Tensor, dims: &[usize]) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Broadcast(dims.to_vec()), &[x]) {
        return noted;
    }
    let cannot = || {
        let (from, to) = (show(x.dims()).replace(' ', ""), show(dims).replace(' ', ""));
        TensorError::Value(format!("could not broadcast input array from shape {from} into shape {to}"))
    };
    let new = dims.len().checked_sub(x.rank()).ok_or_else(cannot)?;
    let mut steps = Steps::repeat(0, dims.len());
    for at in 0..x.rank() {
        if x.dims()[at] == dims[new + at] {
            steps[new + at] = x.steps()[at];
        } else if x.dims()[at] != 1 {
            return Err(cannot());
        }
    }
    // SAFETY: a stretched axis has step 0, the others reach what they reached.
    Ok(unsafe { x.with(x.start(), Dims::from_slice(dims)?, steps) })
}

/// The same elements in logical order in another shape: a view if the layout allows it, else a copy.
pub fn reshape(x: &Tensor, dims: &[usize]) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Reshape(dims.to_vec()), &[x]) {
        return noted;
    }
    if count_later(dims)? != x.count() {
        let to = show(dims).replace(' ', "");
        return Err(TensorError::Value(format!("cannot reshape array of size {} into shape {to}", x.count())));
    }
    let to = Dims::from_slice(dims)?;
    match view_steps(x, dims) {
        // SAFETY: the steps give the same elements.
        Some(steps) => Ok(unsafe { x.with(x.start(), to, steps) }),
        None => {
            let copy = x.to_dense()?;
            // SAFETY: the copy is dense and has as many elements.
            Ok(unsafe { copy.with(copy.start(), to, dense_steps(dims)) })
        }
    }
}

/// The steps of a view of another shape, if there is such a view.
fn view_steps(x: &Tensor, dims: &[usize]) -> Option<Steps> {
    if x.is_dense() {
        return Some(dense_steps(dims));
    }
    let mut steps = Steps::repeat(1, dims.len());
    let (mut from, mut to) = (x.rank(), dims.len());
    // From the inside: groups of axes that have the same number of elements on both sides.
    while to > 0 && from > 0 {
        let group_end = from;
        let (mut have, mut want) = (1_usize, 1_usize);
        let to_end = to;
        loop {
            if have < want || from == group_end {
                if from == 0 {
                    break;
                }
                from -= 1;
                have = have.wrapping_mul(x.dims()[from]);
            } else if want < have || to == to_end {
                if to == 0 {
                    break;
                }
                to -= 1;
                want = want.wrapping_mul(dims[to]);
            } else {
                break;
            }
        }
        if have != want {
            return None;
        }
        // Within a group of old axes elements must be one run.
        let mut step: Option<isize> = None;
        for at in (from..group_end).rev() {
            if x.dims()[at] == 1 {
                continue;
            }
            if let Some(step) = step
                && x.steps()[at] != step
            {
                return None;
            }
            step = Some(x.steps()[at] * x.dims()[at] as isize);
        }
        let inner = (from..group_end).rev().find(|at| x.dims()[*at] != 1);
        let mut step = inner.map_or(1, |at| x.steps()[at]);
        for at in (to..to_end).rev() {
            steps[at] = step;
            step = step.saturating_mul(dims[at] as isize);
        }
    }
    // What is left over on either side is of size 1.
    Some(steps)
}

/// The order of axes that undoes an order.
pub(super) fn inverse(order: &[usize]) -> Vec<usize> {
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, &from)| back[from] = to);
    back
}

/// A view with the axes in another order: axis `i` of the result is axis `order[i]`.
pub fn permute(x: &Tensor, order: &[usize]) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Permute(order.to_vec()), &[x]) {
        return noted;
    }
    let mut seen = [false; super::MAX_RANK];
    let fits =
        order.len() == x.rank() && order.iter().all(|at| *at < x.rank() && !std::mem::replace(&mut seen[*at], true));
    if !fits {
        return Err(TensorError::Value("axes don't match array".to_owned()));
    }
    let (mut dims, mut steps) = (x.dims().clone(), x.steps().clone());
    for (to, from) in order.iter().enumerate() {
        dims[to] = x.dims()[*from];
        steps[to] = x.steps()[*from];
    }
    // SAFETY: the same elements.
    Ok(unsafe { x.with(x.start(), dims, steps) })
}

/// A view with a new axis of size 1.
pub fn insert_axis(x: &Tensor, at: usize) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::InsertAxis(at), &[x]) {
        return noted;
    }
    let (mut dims, mut steps) = (x.dims().clone(), x.steps().clone());
    dims.insert(at, 1)?;
    steps.insert(at, 0)?;
    // SAFETY: the same elements.
    Ok(unsafe { x.with(x.start(), dims, steps) })
}

/// A view of one position along an axis, which then is gone.
pub fn pick(x: &Tensor, along: usize, at: i64) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Pick { along, at }, &[x]) {
        return noted;
    }
    let size = x.dims()[along];
    let from_start = if at < 0 { at + size as i64 } else { at };
    if !(0..size as i64).contains(&from_start) {
        return Err(TensorError::Index(format!("index {at} is out of bounds for axis {along} with size {size}")));
    }
    let (mut dims, mut steps) = (x.dims().clone(), x.steps().clone());
    dims.remove(along);
    let step = steps.remove(along);
    // SAFETY: the position is inside.
    Ok(unsafe { x.with(x.start() + from_start as isize * step, dims, steps) })
}

/// The shape of a view of one position of an axis, which may be empty.
pub(super) fn without(x: &Tensor, along: usize) -> Result<Tensor> {
    let mut dims = x.dims().clone();
    dims.remove(along);
    Tensor::blank_as(x.dtype(), &dims)
}

/// A view of `len` positions along an axis, from `first` in steps of `step`. They are inside.
pub fn slice(x: &Tensor, along: usize, first: usize, len: usize, step: isize) -> Tensor {
    if let Some(Ok(noted)) = trace::note(|| TensorOp::Slice { along, first, len, step }, &[x]) {
        return noted;
    }
    let (mut dims, mut steps) = (x.dims().clone(), x.steps().clone());
    if len > 0 {
        let last = first as isize + (len as isize - 1) * step;
        assert!(first < dims[along] && (0..dims[along] as isize).contains(&last), "the slice is inside");
    }
    let start = if len > 0 { x.start() + first as isize * steps[along] } else { x.start() };
    dims[along] = len;
    steps[along] *= step;
    // SAFETY: the first and the last position are inside, and so are those between.
    unsafe { x.with(start, dims, steps) }
}

/// A view in which an axis is in opposite order.
pub fn flip(x: &Tensor, along: usize) -> Tensor {
    let size = x.dims()[along];
    if size == 0 { x.clone() } else { slice(x, along, size - 1, size, -1) }
}

/// A view of the diagonal of two axes, which become the last one.
pub fn diagonal(x: &Tensor, offset: i64, first: usize, second: usize) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Diagonal { offset, first, second }, &[x]) {
        return noted;
    }
    if first == second {
        return Err(TensorError::Value("axis1 and axis2 cannot be the same".to_owned()));
    }
    let (rows, columns) = (x.dims()[first], x.dims()[second]);
    let (down, right) = (offset.min(0).unsigned_abs() as usize, offset.max(0) as usize);
    let len = rows.saturating_sub(down).min(columns.saturating_sub(right));
    let (mut dims, mut steps) = (x.dims().clone(), x.steps().clone());
    let step = steps[first] + steps[second];
    let skip = down as isize * steps[first] + right as isize * steps[second];
    for at in [first.max(second), first.min(second)] {
        dims.remove(at);
        steps.remove(at);
    }
    dims.push(len)?;
    steps.push(step)?;
    // SAFETY: the diagonal is inside.
    Ok(unsafe { x.with(x.start() + if len > 0 { skip } else { 0 }, dims, steps) })
}

/// One after another along an axis. They are of one dtype, and there is one at least.
pub fn concat(parts: &[Tensor], along: usize) -> Result<Tensor> {
    if let Some(noted) = trace::note_all(|| TensorOp::Concat { along }, || parts.iter().collect()) {
        return noted;
    }
    let first = parts.first().ok_or_else(|| TensorError::Value("need at least one array to concatenate".to_owned()))?;
    let mut dims = first.dims().clone();
    dims[along] = 0;
    for (number, part) in parts.iter().enumerate() {
        if part.rank() != first.rank() {
            return Err(TensorError::Value(format!(
                "all the input array dimensions except for the concatenation axis must match exactly, but the array \
                 at index 0 has {} dimension(s) and the array at index {number} has {} dimension(s)",
                first.rank(),
                part.rank()
            )));
        }
        let differs = (0..part.rank()).find(|at| *at != along && part.dims()[*at] != first.dims()[*at]);
        if let Some(at) = differs {
            return Err(TensorError::Value(format!(
                "all the input array dimensions except for the concatenation axis must match exactly, but along \
                 dimension {at}, the array at index 0 has size {} and the array at index {number} has size {}",
                first.dims()[at],
                part.dims()[at]
            )));
        }
        dims[along] += part.dims()[along];
    }
    let out = Tensor::blank(first.dtype(), &dims)?;
    let mut at = 0;
    for part in parts {
        let len = part.dims()[along];
        if part.count() > 0 {
            part.copy_to(&slice(&out, along, at, len, 1));
        }
        at += len;
    }
    Ok(out)
}

/// With `before` and `after` times the item round it, for each axis.
pub fn pad(x: &Tensor, widths: &[(usize, usize)], item: Item) -> Result<Tensor> {
    let mut dims = x.dims().clone();
    for (dim, (before, after)) in dims.iter_mut().zip(widths) {
        *dim += before + after;
    }
    let out = super::make::full(x.dtype(), &dims, item)?;
    let mut inner = out.clone();
    for (along, (before, _)) in widths.iter().enumerate() {
        inner = slice(&inner, along, *before, x.dims()[along], 1);
    }
    if x.count() > 0 {
        x.copy_to(&inner);
    }
    Ok(out)
}

/// A copy in which what lies above (`lower`) or below the `k`-th diagonal of the last two axes is zero.
pub fn triangle(x: &Tensor, k: i64, lower: bool) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Triangle { k, lower }, &[x]) {
        return noted;
    }
    if x.rank() < 2 {
        return Err(TensorError::Value("a triangle needs two axes at least".to_owned()));
    }
    let out = x.to_dense()?;
    if trace::is_for_shapes() {
        return Ok(out);
    }
    let (rows, columns) = (out.dims()[out.rank() - 2], out.dims()[out.rank() - 1]);
    let matrices = out.count().checked_div(rows * columns).unwrap_or(0);
    by_dtype!(out.dtype(), E => {
        let zero = E::from_item(Item::Int(0));
        for row in 0..matrices * rows {
            let first_above = ((row % rows) as i64 + k + i64::from(lower)).clamp(0, columns as i64) as usize;
            let cleared = if lower { first_above..columns } else { 0..first_above };
            for column in cleared {
                // SAFETY: the copy is dense, and this is inside.
                unsafe { *out.ptr().cast::<E>().add(row * columns + column) = zero };
            }
        }
    });
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(dims: &[usize]) -> Tensor {
        let all: Vec<i64> = (0..dims.iter().product::<usize>() as i64).collect();
        Tensor::from_slice(&all, dims).unwrap()
    }

    #[test]
    fn reshaping_is_a_view_where_there_is_one() {
        let x = counting(&[4, 7]);
        let columns = slice(&x, 1, 0, 3, 2);
        // (4, 3) with steps (7, 2) is (2, 2, 3) with steps (14, 7, 2), and no view as (12,) or (6, 2).
        let split = reshape(&columns, &[2, 2, 3]).unwrap();
        assert!(std::ptr::eq(&**split.buf(), &**x.buf()));
        assert_eq!(**split.steps(), [14, 7, 2]);
        let flat = reshape(&columns, &[12]).unwrap();
        assert!(!std::ptr::eq(&**flat.buf(), &**x.buf()));
        assert_eq!(flat.to_vec::<i64>(), columns.to_vec::<i64>());
        let turned = permute(&x, &[1, 0]).unwrap();
        assert_eq!(reshape(&turned, &[7, 2, 2]).unwrap().to_vec::<i64>(), turned.to_vec::<i64>());
        assert_eq!(reshape(&turned, &[28]).unwrap().to_vec::<i64>(), turned.to_vec::<i64>());
        let one = reshape(&columns, &[1, 4, 1, 3, 1]).unwrap();
        assert!(std::ptr::eq(&**one.buf(), &**x.buf()));
        assert_eq!(one.to_vec::<i64>(), columns.to_vec::<i64>());
    }

    #[test]
    fn views_reach_what_they_say() {
        let x = counting(&[3, 4]);
        assert_eq!(flip(&x, 1).to_vec::<i64>()[..4], [3, 2, 1, 0]);
        assert_eq!(diagonal(&x, 1, 0, 1).unwrap().to_vec::<i64>(), [1, 6, 11]);
        assert_eq!(diagonal(&x, -1, 0, 1).unwrap().to_vec::<i64>(), [4, 9]);
        assert_eq!(pick(&x, 0, -1).unwrap().to_vec::<i64>(), [8, 9, 10, 11]);
        assert!(pick(&x, 1, 4).is_err());
        let both = concat(&[x.clone(), slice(&x, 1, 1, 2, 1)], 1).unwrap();
        assert_eq!(both.to_vec::<i64>()[..6], [0, 1, 2, 3, 1, 2]);
    }
}
