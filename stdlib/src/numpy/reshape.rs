//! Arrays in other shapes.

use rustpython_vm::function::OptionalArg;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::sizes;
use snekpy_stage::tensor::{MAX_RANK, Tensor, layout};

use super::convert;
use super::error::OrRaise;

/// What `reshape` is told beside the shape.
#[derive(rustpython_vm::FromArgs)]
pub(super) struct How {
    #[pyarg(named, optional)]
    order: OptionalArg<PyObjectRef>,
    #[pyarg(named, optional)]
    copy: OptionalArg<PyObjectRef>,
}

impl How {
    /// The same elements in another shape, read and placed in an order; a copy where one is asked for.
    pub(super) fn reshaped(self, tensor: &Tensor, shape: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<Tensor> {
        let made = if self.is_by_columns(tensor, vm)? {
            let mut room = [0; MAX_RANK];
            let turned: Vec<usize> = dims(tensor, shape, &mut room, vm)?.iter().rev().copied().collect();
            reversed(&layout::reshape(&reversed(tensor, vm)?, &turned).or_raise(vm)?, vm)?
        } else {
            reshaped(tensor, shape, vm)?
        };
        match self.copy.into_option().filter(|it| !vm.is_none(it)) {
            Some(copy) if copy.clone().try_to_bool(vm)? => made.to_dense().or_raise(vm),
            Some(_) if tensor.count() > 0 && !tensor.may_overlap(&made) => {
                Err(vm.new_value_error("Unable to avoid creating a copy while reshaping."))
            }
            Some(_) | None => Ok(made),
        }
    }

    /// Whether the first axis is the innermost.
    fn is_by_columns(&self, tensor: &Tensor, vm: &VirtualMachine) -> PyResult<bool> {
        let OptionalArg::Present(order) = &self.order else { return Ok(false) };
        if vm.is_none(order) {
            return Ok(false);
        }
        let order = order.str(vm)?;
        match &*order.to_string_lossy() {
            "C" => Ok(false),
            "F" => Ok(true),
            "A" => Ok(lies_by_columns(tensor) && !tensor.is_dense()),
            "K" => Err(vm.new_value_error("order 'K' is not permitted for reshaping")),
            other => Err(vm.new_value_error(format!("order must be one of 'C', 'F', 'A', or 'K' (got '{other}')"))),
        }
    }
}

/// Whether the elements lie one after the other, the first axis innermost. What is known later has no layout.
fn lies_by_columns(tensor: &Tensor) -> bool {
    let mut next = 1;
    tensor.steps().iter().zip(tensor.dims().iter()).all(|(&step, &dim)| {
        let fits = dim == 1 || step == next;
        next *= dim as isize;
        fits
    })
}

/// A view with the axes in reversed order.
pub(super) fn reversed(tensor: &Tensor, vm: &VirtualMachine) -> PyResult<Tensor> {
    let order: Vec<usize> = (0..tensor.rank()).rev().collect();
    layout::permute(tensor, &order).or_raise(vm)
}

/// The same elements in the shape that the arguments of a call mean: sizes, or one sequence of them.
pub(super) fn reshaped(tensor: &Tensor, shape: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<Tensor> {
    let mut room = [0; MAX_RANK];
    layout::reshape(tensor, dims(tensor, shape, &mut room, vm)?).or_raise(vm)
}

/// The shape that the arguments of a call mean, in which one size may be -1.
fn dims<'a>(
    tensor: &Tensor,
    shape: &[PyObjectRef],
    room: &'a mut [usize; MAX_RANK],
    vm: &VirtualMachine,
) -> PyResult<&'a [usize]> {
    let sequence;
    let (rank, size): (usize, &dyn Fn(usize) -> PyResult<i64>) = match shape {
        [] => return Err(vm.new_type_error("reshape() takes exactly 1 argument (0 given)")),
        [one] => {
            sequence = convert::shape(one, vm)?;
            (sequence.len(), &|at| Ok(sequence[at]))
        }
        more => (more.len(), &|at| convert::int(&more[at], vm)),
    };
    let Some(dims) = room.get_mut(..rank) else {
        return Err(vm.new_value_error(format!("a tensor has at most {MAX_RANK} axes, this has {rank}")));
    };
    let mut unknown = None;
    for (at, dim) in dims.iter_mut().enumerate() {
        match usize::try_from(size(at)?) {
            Ok(size) => *dim = size,
            Err(_) if unknown.is_some() => return Err(vm.new_value_error("can only specify one unknown dimension")),
            Err(_) => (*dim, unknown) = (1, Some(at)),
        }
    }
    if let Some(unknown) = unknown {
        match sizes::quotient(tensor.dims(), dims) {
            Some(size) => dims[unknown] = size,
            None => {
                let all = dims.iter().enumerate();
                let shown = all.map(|(at, it)| if at == unknown { "-1".to_owned() } else { it.to_string() });
                let shown = shown.collect::<Vec<_>>().join(",");
                let (count, comma) = (tensor.count(), if rank == 1 { "," } else { "" });
                let cannot = format!("cannot reshape array of size {count} into shape ({shown}{comma})");
                return Err(vm.new_value_error(cannot));
            }
        }
    }
    Ok(dims)
}
