//! Reading and writing at positions that are elements of other tensors.

use super::elem::{Truth, by_dtype};
use super::elementwise::{Num2, num2};
use super::error::{Result, TensorError};
use super::layout::broadcast_to;
use super::op::TensorOp;
use super::shape::{Dims, Steps, broadcast};
use super::trace;
use super::walk::Walk;
use super::{Dtype, Elem, Tensor, device};
use crate::sizes;

/// What stands for an axis in an index with tensors in it.
#[derive(Clone, Debug)]
pub enum Part {
    /// The whole axis.
    All,
    /// The positions in a tensor of i64; negative ones count from the end.
    At(Tensor),
}

/// The shape of what an index reads, or writes.
pub(super) struct Shape {
    /// All of it: what is before, of the positions, and behind.
    pub(super) dims: Dims,
    /// That of the positions.
    pub(super) common: Dims,
    /// Shape and steps of the axes before the index's own in the result, and behind.
    pub(super) before: (Dims, Steps),
    pub(super) after: (Dims, Steps),
}

/// The places that an index reaches: for each position of the broadcast tensors an offset, and what remains of the
/// axes that are taken whole.
struct Places {
    shape: Shape,
    /// Offsets in elements, one for each position of the index tensors, in logical order.
    offsets: Vec<isize>,
}

fn positions(parts: &[Part]) -> impl Iterator<Item = (usize, &Tensor)> {
    parts.iter().enumerate().filter_map(|(axis, part)| match part {
        Part::All => None,
        Part::At(at) => Some((axis, at)),
    })
}

impl Shape {
    /// Of what parts of a tensor lead to.
    pub(super) fn of(x: &Tensor, parts: &[Part]) -> Result<Self> {
        debug_assert_eq!(parts.len(), x.rank(), "one part for each axis");
        let axes: Vec<usize> = positions(parts).map(|it| it.0).collect();
        let shapes: Vec<&[usize]> = positions(parts).map(|(_, at)| &**at.dims()).collect();
        let common = broadcast(&shapes).map_err(|_| {
            let shapes: Vec<String> = shapes.iter().map(|it| super::show(it).replace(' ', "")).collect();
            TensorError::Index(format!(
                "shape mismatch: indexing arrays could not be broadcast together with shapes {} ",
                shapes.join(" ")
            ))
        })?;
        // Where the tensors stand side by side their axes take that place, else the front: NumPy's rule.
        let first = axes.first().copied().unwrap_or(0);
        let adjacent = axes.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let mut it =
            Self { dims: Dims::new(), common, before: (Dims::new(), Steps::new()), after: (Dims::new(), Steps::new()) };
        for (axis, part) in parts.iter().enumerate() {
            if matches!(part, Part::All) {
                let side = if adjacent && axis < first { &mut it.before } else { &mut it.after };
                side.0.push(x.dims()[axis])?;
                side.1.push(x.steps()[axis])?;
            }
        }
        for size in it.before.0.iter().chain(it.common.iter()).chain(it.after.0.iter()) {
            it.dims.push(*size)?;
        }
        Ok(it)
    }
}

/// A position that an axis has not.
pub(super) fn missing(at: i64, axis: usize, size: i64) -> TensorError {
    TensorError::Index(format!("index {at} is out of bounds for axis {axis} with size {size}"))
}

/// Where an index leads; `value` is what will be written there.
fn places(x: &Tensor, parts: &[Part], value: Option<&Tensor>) -> Result<Places> {
    let shape = Shape::of(x, parts)?;
    // What does not fit is said before what does not exist, as in NumPy.
    if let Some(value) = value {
        stretched(value, &shape.dims)?;
    }
    if trace::is_for_shapes() {
        return Ok(Places { shape, offsets: Vec::new() });
    }
    let mut offsets = vec![0; shape.common.iter().product()];
    for (axis, at) in positions(parts) {
        let (size, step) = (x.dims()[axis] as i64, x.steps()[axis]);
        for (offset, at) in offsets.iter_mut().zip(broadcast_to(at, &shape.common)?.to_vec::<i64>()) {
            let from_start = if at < 0 { at + size } else { at };
            if !(0..size).contains(&from_start) {
                return Err(missing(at, axis, size));
            }
            *offset += from_start as isize * step;
        }
    }
    Ok(Places { shape, offsets })
}

/// Calls `copy` with the address in `x` and the address in `dense`, a dense tensor of the shape of the places, and
/// their steps in bytes and number, for each run of elements.
fn each_run(x: &Tensor, dense: &Tensor, places: &Places, mut copy: impl FnMut([*mut u8; 2], [isize; 2], usize)) {
    let size = x.dtype().size() as isize;
    let inner = sizes::product(&places.shape.after.0);
    let positions = places.offsets.len();
    let bytes = |steps: &Steps| {
        let mut steps = steps.clone();
        steps.iter_mut().for_each(|it| *it *= size);
        steps
    };
    let dense_after = super::shape::dense_steps(&places.shape.after.0);
    let mut dense_before = super::shape::dense_steps(&places.shape.before.0);
    dense_before.iter_mut().for_each(|it| *it *= (positions * inner) as isize);
    let outer = Walk::new(&places.shape.before.0, [&bytes(&places.shape.before.1), &bytes(&dense_before)]);
    let run = Walk::new(&places.shape.after.0, [&bytes(&places.shape.after.1), &bytes(&dense_after)]);
    if inner == 0 {
        return;
    }
    outer.each([x.ptr(), dense.ptr()], |[from, to], [from_step, to_step], n| {
        for i in 0..n as isize {
            let (from, to) = (from.wrapping_offset(i * from_step), to.wrapping_offset(i * to_step));
            for (position, offset) in places.offsets.iter().enumerate() {
                let ptrs =
                    [from.wrapping_offset(offset * size), to.wrapping_offset((position * inner) as isize * size)];
                run.each(ptrs, &mut copy);
            }
        }
    });
}

/// A new tensor of the elements at the positions. There is one part for each axis, and a tensor among them.
pub fn gather(x: &Tensor, parts: &[Part]) -> Result<Tensor> {
    if trace::is_recording() {
        let (at, operands) = operands(x, parts, None);
        return trace::note(|| TensorOp::Gather(at), &operands).expect("operations are written down");
    }
    let there = || x.device().or_else(|| positions(parts).find_map(|it| it.1.device()));
    if let Some(device) = (!trace::is_for_shapes()).then(there).flatten() {
        return device::gather(device, x, parts);
    }
    let places = places(x, parts, None)?;
    let out = Tensor::blank(x.dtype(), &places.shape.dims)?;
    by_dtype!(x.dtype(), E => each_run(x, &out, &places, |[from, to], [from_step, to_step], n| {
        for i in 0..n as isize {
            // SAFETY: positions were checked; the walks stay inside both tensors.
            unsafe { *to.offset(i * to_step).cast::<E>() = *from.offset(i * from_step).cast::<E>() };
        }
    }));
    Ok(out)
}

/// Writes `value`, which is of the same dtype and stretched, to the positions; where one is there twice, the last
/// one stays.
pub fn scatter(x: &Tensor, parts: &[Part], value: &Tensor) -> Result<()> {
    if trace::is_recording() {
        let (at, operands) = operands(x, parts, Some(value));
        return trace::note_write(|| TensorOp::Scatter(at), &operands).expect("operations are written down");
    }
    if let Some(device) = x.device().filter(|_| !trace::is_for_shapes()) {
        return device::scatter(device, x, parts, value);
    }
    let places = places(x, parts, Some(value))?;
    let value = stretched(value, &places.shape.dims)?.to_dense()?;
    by_dtype!(x.dtype(), E => each_run(x, &value, &places, |[to, from], [to_step, from_step], n| {
        for i in 0..n as isize {
            // SAFETY: positions were checked; the walks stay inside both tensors.
            unsafe { *to.offset(i * to_step).cast::<E>() = *from.offset(i * from_step).cast::<E>() };
        }
    }));
    Ok(())
}

/// Zeros, with `value` added at positions.
pub(crate) fn added_at(value: &Tensor, parts: &[Part], dims: &[usize]) -> Result<Tensor> {
    if let Some(device) = value.device().filter(|_| !trace::is_for_shapes()) {
        return device::add_at(device, value, parts, dims);
    }
    let all = Tensor::zeros(value.dtype(), dims)?;
    add_at(&all, parts, value)?;
    Ok(all)
}

/// A copy of a line with elements added at positions, one after the other.
///
/// # Errors
/// A [`TensorError`] for positions that are outside and for integers.
pub fn plus_at(x: &Tensor, places: &Tensor, value: &Tensor) -> Result<Tensor> {
    let op = || TensorOp::Plus(Box::new(TensorOp::AddAt { at: vec![true], dims: x.dims().to_vec() }));
    if let Some(noted) = trace::note(op, &[x, value, places]) {
        return noted;
    }
    let parts = [Part::At(places.clone())];
    if x.device().is_some() && !trace::is_for_shapes() {
        return num2(Num2::Add, x, &added_at(value, &parts, x.dims())?);
    }
    let all = x.to_dense()?;
    add_at(&all, &parts, value)?;
    Ok(all)
}

/// Adds `value`, which is of the same dtype and stretched, to the positions, one after the other.
pub(super) fn add_at(x: &Tensor, parts: &[Part], value: &Tensor) -> Result<()> {
    let places = places(x, parts, Some(value))?;
    let value = stretched(value, &places.shape.dims)?.to_dense()?;
    match x.dtype() {
        Dtype::F32 => add_runs::<f32>(x, &value, &places),
        Dtype::F64 => add_runs::<f64>(x, &value, &places),
        Dtype::F16 => add_runs::<half::f16>(x, &value, &places),
        Dtype::Bf16 => add_runs::<half::bf16>(x, &value, &places),
        dtype @ (Dtype::Bool | Dtype::I32 | Dtype::I64) => return Err(TensorError::undefined("add_at", dtype)),
    }
    Ok(())
}

fn add_runs<E: Elem<Wide: std::ops::Add<Output = E::Wide>>>(x: &Tensor, value: &Tensor, places: &Places) {
    each_run(x, value, places, |[to, from], [to_step, from_step], n| {
        for i in 0..n as isize {
            // SAFETY: positions were checked; the walks stay inside both tensors.
            unsafe {
                let (to, from) = (to.offset(i * to_step).cast::<E>(), from.offset(i * from_step).cast::<E>());
                *to = E::narrow((*to).wide() + (*from).wide());
            }
        }
    });
}

/// Which axes an index takes at positions, and the tensors of the operation.
fn operands<'a>(x: &'a Tensor, parts: &'a [Part], value: Option<&'a Tensor>) -> (Vec<bool>, Vec<&'a Tensor>) {
    let at = parts.iter().map(|it| matches!(it, Part::At(_))).collect();
    let positions = parts.iter().filter_map(|it| match it {
        Part::All => None,
        Part::At(at) => Some(at),
    });
    (at, std::iter::once(x).chain(positions).chain(value).collect())
}

/// A value as it is assigned to something of this shape.
pub(super) fn stretched(value: &Tensor, dims: &[usize]) -> Result<Tensor> {
    // Axes of size 1 before the others do not count in an assignment.
    let mut value = value.clone();
    while value.rank() > dims.len() && value.dims()[0] == 1 {
        value = super::layout::pick(&value, 0, 0)?;
    }
    broadcast_to(&value, dims).map_err(|_| {
        let (from, to) = (super::show(value.dims()), super::show(dims));
        TensorError::Value(format!(
            "shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}",
            from.replace(' ', ""),
            to.replace(' ', "")
        ))
    })
}

/// The positions at which a tensor is not zero: one tensor of i64 for each axis.
pub fn nonzero(x: &Tensor) -> Result<Vec<Tensor>> {
    if let Some(device) = x.device().filter(|_| !trace::is_recording() && !trace::is_for_shapes()) {
        return device::nonzero(device, x);
    }
    trace::known(x)?;
    let truth = super::cast::as_dtype(x, Dtype::Bool)?.to_vec::<Truth>();
    let mut found: Vec<Vec<i64>> = vec![Vec::new(); x.rank()];
    let mut at = Dims::repeat(0, x.rank());
    for it in truth {
        if it.wide() {
            for (axis, at) in at.iter().enumerate() {
                found[axis].push(*at as i64);
            }
        }
        for axis in (0..x.rank()).rev() {
            at[axis] += 1;
            if at[axis] < x.dims()[axis] {
                break;
            }
            at[axis] = 0;
        }
    }
    found.iter().map(|it| Tensor::from_slice(it, &[it.len()])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_side_by_side_stay_in_place_and_others_go_to_the_front() {
        let all: Vec<i64> = (0..24).collect();
        let x = Tensor::from_slice(&all, &[2, 3, 4]).unwrap();
        let at = |items: &[i64]| Part::At(Tensor::from_slice(items, &[items.len()]).unwrap());
        let beside = gather(&x, &[Part::All, at(&[0, 2]), at(&[1, -1])]).unwrap();
        assert_eq!((&**beside.dims(), beside.to_vec::<i64>()), (&[2, 2][..], vec![1, 11, 13, 23]));
        let apart = gather(&x, &[at(&[1, 0, 1]), Part::All, at(&[0, 1, 2])]).unwrap();
        assert_eq!(**apart.dims(), [3, 3]);
        assert_eq!(apart.to_vec::<i64>(), [12, 16, 20, 1, 5, 9, 14, 18, 22]);
        assert!(gather(&x, &[at(&[2]), Part::All, Part::All]).is_err());
    }

    #[test]
    fn the_last_of_two_writes_to_one_place_stays() {
        let x = Tensor::zeros(Dtype::I64, &[3]).unwrap();
        let at = Part::At(Tensor::from_slice(&[1_i64, 1, -1], &[3]).unwrap());
        scatter(&x, &[at], &Tensor::from_slice(&[5_i64, 6, 7], &[3]).unwrap()).unwrap();
        assert_eq!(x.to_vec::<i64>(), [0, 6, 7]);
    }
}
