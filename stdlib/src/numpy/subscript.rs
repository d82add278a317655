//! `x[key]`: integers, slices, `...`, `None`, truth values, arrays and lists of integers or truth values.

use rustpython_vm::builtins::{PyInt, PyList, PySlice, PyTuple};
use rustpython_vm::{AsObject, PyObject, PyResult, VirtualMachine};
use snekpy_stage::tensor::elementwise::select;
use snekpy_stage::tensor::index::{Part, gather, nonzero, scatter};
use snekpy_stage::tensor::trace::{self, Staged};
use snekpy_stage::tensor::{Dtype, Kind, Tensor, TensorError, cast, layout};

use super::array::{NdArray, check_writable};
use super::convert;
use super::error::OrRaise;
use super::staged::{StagedNumber, StagedWindow};

/// One item of a key.
enum Key<'a> {
    At(i64),
    /// A position that is known later.
    Later(Staged),
    /// Positions one after another from one that is known later.
    Window(Staged, usize),
    Slice(&'a rustpython_vm::Py<PySlice>),
    Ellipsis,
    New,
    /// Integers.
    Positions(Tensor),
    /// Truth values, which stand for as many axes as they have.
    Mask(Tensor),
}

impl Key<'_> {
    /// How many axes it stands for.
    fn axes(&self) -> usize {
        match self {
            Self::At(_) | Self::Later(_) | Self::Window(..) | Self::Slice(_) | Self::Positions(_) => 1,
            Self::Ellipsis | Self::New => 0,
            Self::Mask(mask) => mask.rank(),
        }
    }
}

fn parse<'a>(key: &'a PyObject, vm: &VirtualMachine) -> PyResult<Vec<Key<'a>>> {
    match key.downcast_ref::<PyTuple>() {
        Some(tuple) => tuple.as_slice().iter().map(|it| parse_one(it, vm)).collect(),
        None => Ok(vec![parse_one(key, vm)?]),
    }
}

fn parse_one<'a>(key: &'a PyObject, vm: &VirtualMachine) -> PyResult<Key<'a>> {
    let types = &vm.ctx.types;
    if key.class().is(types.int_type) {
        return convert::int(key, vm)
            .map(Key::At)
            .map_err(|_| vm.new_index_error("cannot fit 'int' into an index-sized integer"));
    }
    if let Some(number) = key.downcast_ref::<StagedNumber>().filter(|it| it.kind == Kind::Int) {
        return Ok(Key::Later(number.value));
    }
    if let Some(window) = key.downcast_ref::<StagedWindow>() {
        return Ok(Key::Window(window.first, window.len));
    }
    if let Some(slice) = key.downcast_ref::<PySlice>() {
        return Ok(Key::Slice(slice));
    }
    if key.is(&vm.ctx.ellipsis) {
        return Ok(Key::Ellipsis);
    }
    if vm.is_none(key) {
        return Ok(Key::New);
    }
    let wrong = || {
        vm.new_index_error(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are \
             valid indices",
        )
    };
    let tensor = if let Some(array) = key.downcast_ref::<NdArray>() {
        array.tensor.clone()
    } else if key.downcast_ref::<PyList>().is_some() || key.downcast_ref::<PyTuple>().is_some() {
        let tensor = convert::known_or_later(key, vm)?;
        if tensor.count() == 0 { cast::cast(&tensor, Dtype::I64).or_raise(vm)? } else { tensor }
    } else if key.class().is(types.bool_type) || key.check_buffer() {
        convert::array(key, None, vm)?
    } else if key.downcast_ref::<PyInt>().is_some() || key.try_index_opt(vm).is_some() {
        return convert::int(key, vm).map(Key::At);
    } else {
        return Err(wrong());
    };
    match tensor.dtype().kind() {
        Kind::Bool => Ok(Key::Mask(tensor)),
        Kind::Int if tensor.rank() == 0 && trace::is_recording() && tensor.staged().is_some() => {
            trace::item(&tensor).map(Key::Later).or_raise(vm)
        }
        // The elements of an array of positions are not looked at here.
        Kind::Int => match if tensor.rank() == 0 { tensor.only_item() } else { None } {
            Some(item) => Ok(Key::At(item.int())),
            None => Ok(Key::Positions(cast::as_dtype(&tensor, Dtype::I64).or_raise(vm)?)),
        },
        Kind::Float => match key.downcast_ref::<NdArray>() {
            Some(_) => Err(vm.new_index_error("arrays used as indices must be of integer (or boolean) type")),
            None => Err(wrong()),
        },
    }
}

/// Where the key leads: a view, and, if there are arrays among its items, what is to be taken from the view.
struct Target {
    view: Tensor,
    parts: Option<Vec<Part>>,
    /// Whether each axis was indexed by an integer, so that what is left is an element.
    element: bool,
}

fn resolve(tensor: &Tensor, key: &PyObject, vm: &VirtualMachine) -> PyResult<Target> {
    let keys = parse(key, vm)?;
    let used: usize = keys.iter().map(Key::axes).sum();
    if used > tensor.rank() {
        return Err(vm.new_index_error(format!(
            "too many indices for array: array is {}-dimensional, but {used} were indexed",
            tensor.rank()
        )));
    }
    if keys.iter().filter(|it| matches!(it, Key::Ellipsis)).count() > 1 {
        return Err(vm.new_index_error("an index can only have a single ellipsis ('...')"));
    }
    let advanced = keys.iter().any(|it| matches!(it, Key::Positions(_) | Key::Mask(_)));
    let element =
        !advanced && keys.len() == tensor.rank() && keys.iter().all(|it| matches!(it, Key::At(_) | Key::Later(_)));
    let mut view = tensor.clone();
    let mut parts = Vec::new();
    // The axis of the view that is next, and the axis of the array, for messages.
    let (mut axis, mut own_axis) = (0, 0);
    for key in keys {
        own_axis += key.axes();
        match key {
            Key::At(at) if advanced => {
                let checked = layout::pick(&view, axis, at);
                checked.map_err(|_| out_of_bounds(at, own_axis - 1, view.dims()[axis], vm))?;
                parts.push(Part::At(Tensor::from_slice(&[at], &[]).or_raise(vm)?));
                axis += 1;
            }
            Key::At(at) => {
                let size = view.dims()[axis];
                view = layout::pick(&view, axis, at).map_err(|_| out_of_bounds(at, own_axis - 1, size, vm))?;
            }
            Key::Later(at) if advanced => {
                parts.push(Part::At(trace::number(at, Dtype::I64).or_raise(vm)?));
                axis += 1;
            }
            Key::Later(at) => view = trace::pick(&view, axis, at).or_raise(vm)?,
            Key::Window(first, len) => {
                view = trace::slice(&view, axis, first, len).or_raise(vm)?;
                parts.push(Part::All);
                axis += 1;
            }
            Key::Slice(slice) => {
                let (first, len, step) = bounds(slice, view.dims()[axis], vm)?;
                view = layout::slice(&view, axis, first, len, step);
                parts.push(Part::All);
                axis += 1;
            }
            Key::Ellipsis => {
                for _ in used..tensor.rank() {
                    parts.push(Part::All);
                    axis += 1;
                    own_axis += 1;
                }
            }
            Key::New => {
                view = layout::insert_axis(&view, axis).or_raise(vm)?;
                parts.push(Part::All);
                axis += 1;
            }
            Key::Positions(at) => {
                parts.push(Part::At(at));
                axis += 1;
            }
            Key::Mask(mask) if mask.rank() == 0 => {
                let holds = mask.only_item().is_some_and(|it| it.truth());
                view = layout::insert_axis(&view, axis).or_raise(vm)?;
                let at: &[i64] = if holds { &[0] } else { &[] };
                parts.push(Part::At(Tensor::from_slice(at, &[at.len()]).or_raise(vm)?));
                axis += 1;
            }
            Key::Mask(mask) => {
                for (i, size) in mask.dims().iter().enumerate() {
                    if view.dims()[axis + i] != *size {
                        let own = own_axis - mask.rank() + i;
                        return Err(vm.new_index_error(format!(
                            "boolean index did not match indexed array along axis {own}; size of axis is {} but size \
                             of corresponding boolean axis is {size}",
                            view.dims()[axis + i]
                        )));
                    }
                }
                let found = if mask.staged().is_some() { nonzero(&mask) } else { trace::eagerly(|| nonzero(&mask)) };
                for at in found.or_raise(vm)? {
                    let at = if trace::is_recording() && at.staged().is_none() {
                        Tensor::from_slice(&at.to_vec::<i64>(), at.dims()).or_raise(vm)?
                    } else {
                        at
                    };
                    parts.push(Part::At(at));
                    axis += 1;
                }
            }
        }
    }
    parts.resize(view.rank(), Part::All);
    Ok(Target { view, parts: advanced.then_some(parts), element })
}

fn out_of_bounds(
    at: i64,
    axis: usize,
    size: usize,
    vm: &VirtualMachine,
) -> rustpython_vm::builtins::PyBaseExceptionRef {
    vm.new_index_error(format!("index {at} is out of bounds for axis {axis} with size {size}"))
}

/// First position, number and step of a slice, as `slice.indices` and `range` have them.
fn bounds(slice: &rustpython_vm::Py<PySlice>, size: usize, vm: &VirtualMachine) -> PyResult<(usize, usize, isize)> {
    let slice = slice.to_saturated(vm)?;
    let (range, step, len) = slice.adjust_indices(size);
    let first = if step < 0 { range.end.saturating_sub(1) } else { range.start };
    Ok((first, len, step))
}

/// What is read: a view where the key is basic, an array of its own otherwise, and for a single element.
pub(super) fn get(tensor: &Tensor, key: &PyObject, vm: &VirtualMachine) -> PyResult<Tensor> {
    // The commonest key by itself: it takes less than half of the time.
    if let (Some(slice), Some(&size)) = (key.downcast_ref::<PySlice>(), tensor.dims().first()) {
        let (first, len, step) = bounds(slice, size, vm)?;
        return Ok(layout::slice(tensor, 0, first, len, step));
    }
    let target = resolve(tensor, key, vm)?;
    match target.parts {
        Some(parts) => gather(&target.view, &parts).or_raise(vm),
        None if target.element => target.view.to_dense().or_raise(vm),
        None => Ok(target.view),
    }
}

/// The same for a key that leads to one element, which need not be copied.
pub(super) fn get_view(tensor: &Tensor, key: &PyObject, vm: &VirtualMachine) -> PyResult<Tensor> {
    let target = resolve(tensor, key, vm)?;
    match target.parts {
        Some(parts) => gather(&target.view, &parts).or_raise(vm),
        None => Ok(target.view),
    }
}

/// The mask that a key is, as wide as the array, if its elements need not be known: the array lies on a device, or the mask is
/// known later. Then all elements are written, most of them with what they are. Otherwise no element is that the mask has not.
fn mask_over(tensor: &Tensor, key: &PyObject) -> Option<Result<Tensor, TensorError>> {
    let mask = &key.downcast_ref::<NdArray>().filter(|it| it.tensor.dtype() == Dtype::Bool)?.tensor;
    let is_over = mask.rank() > 0 && tensor.dims().starts_with(mask.dims());
    let is_known = tensor.device().is_none() && mask.staged().is_none();
    (is_over && !is_known).then(|| {
        let behind = tensor.rank() - mask.rank();
        let dims: Vec<usize> = mask.dims().iter().copied().chain(std::iter::repeat_n(1, behind)).collect();
        layout::reshape(mask, &dims)
    })
}

/// Writes to the places that a key leads to.
pub(super) fn set(tensor: &Tensor, key: &PyObject, value: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    check_writable(tensor, vm)?;
    if let Some(mask) = mask_over(tensor, key) {
        let value = convert::value_for(tensor.dtype(), value, vm)?;
        if value.rank() == 0 {
            let value = cast::as_dtype(&value, tensor.dtype()).or_raise(vm)?;
            let all = select(&mask.or_raise(vm)?, &value, tensor).or_raise(vm)?;
            return cast::assign(tensor, &all).or_raise(vm);
        }
    }
    let target = resolve(tensor, key, vm)?;
    let value = convert::value_for(tensor.dtype(), value, vm)?;
    match target.parts {
        Some(parts) => {
            let value = cast::as_dtype(&value, tensor.dtype()).or_raise(vm)?;
            scatter(&target.view, &parts, &value).or_raise(vm)
        }
        None if target.element && tensor.rank() > 0 && value.rank() > 0 => {
            Err(vm.new_value_error("setting an array element with a sequence."))
        }
        None => {
            let mut value = value;
            // Axes of size 1 before the others do not count in an assignment.
            while value.rank() > target.view.rank() && value.dims()[0] == 1 {
                value = layout::pick(&value, 0, 0).or_raise(vm)?;
            }
            cast::assign(&target.view, &value).or_raise(vm)
        }
    }
}
