//! Running a kernel on Python's objects.

use std::cell::RefCell;
use std::sync::Arc;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyBool, PyFloat, PyInt, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::kernel::sum::{Total, finish};
use snekpy_stage::kernel::{Cause, Ended, Failure, Form, Launch, count, index_at};
use snekpy_stage::tensor::device::Device;
use snekpy_stage::tensor::{Dtype, Tensor};
use snekpy_stage::types::Elem;

use super::make::failed;
use super::{Made, Request, arrays};
use crate::callable::name_of;
use crate::host::array::{ArrayView, array_view};
use crate::limits;
use crate::staging_error::bug;
use crate::tensor;

/// Runs it.
pub(super) fn run(made: &Made, request: &Request, vm: &VirtualMachine) -> PyResult {
    let count = count(&request.shape).ok_or_else(|| bug(vm, "the shape was checked"))?;
    if count == 0 {
        // Nothing is known of what no call gives, whatever the code would have given.
        return plainly(request, vm);
    }
    let code = made.code(vm)?;
    let device = made.backend.device().ok();
    let mut inputs = Inputs::default();
    inputs.give(&request.args, device.as_ref(), vm)?;
    inputs.slots.extend(made.sizes(request));
    inputs.give(&made.worlds, device.as_ref(), vm)?;
    let len = usize::try_from(made.kernel.output_len(count)).map_err(|_| no_memory(vm))?;
    let elems = made.kernel.outputs();
    let stays = arrays::stays(&request.args, device.as_ref()).filter(|_| matches!(made.kernel.form, Form::Map(_)));
    let (mut outputs, mut tensors, mut addresses) = (Vec::new(), Vec::new(), Vec::new());
    if made.gives_arrays {
        let shape: Vec<usize> = request.shape.iter().map(|&extent| extent as usize).collect();
        for &elem in &elems {
            let (tensor, first) = arrays::room(Dtype::from_elem(elem), &shape, stays.as_ref(), vm)?;
            tensors.push(tensor);
            addresses.push(first);
        }
    } else {
        for &elem in &elems {
            outputs.push(words(len.checked_mul(elem.size()).ok_or_else(|| no_memory(vm))?, vm)?);
        }
        addresses.extend(outputs.iter_mut().map(|it: &mut Vec<u64>| it.as_mut_ptr().cast::<u8>()));
    }
    let stopped: RefCell<Option<PyBaseExceptionRef>> = RefCell::new(None);
    let stop = || match limits::check_all(vm) {
        Ok(()) => false,
        Err(exception) => {
            stopped.borrow_mut().get_or_insert(exception);
            true
        }
    };
    let launch = Launch {
        shape: &request.shape,
        args: &inputs.slots,
        outputs: &addresses,
        stop: &stop,
        resident: &inputs.resident,
        stays: stays.is_some(),
        never_fails: false,
    };
    let span = tracing::debug_span!("kernel", of = %name_of(&request.func, vm)).entered();
    // SAFETY: the slots are those of the kernel's inputs, whose types were compared with the arguments'; the views hold
    // the arrays where they are; there is room for the elements of each output.
    let ended = unsafe { code.run(&launch) }.map_err(|error| failed(&error, vm))?;
    drop((span, inputs));
    match ended {
        Ended::Done => {}
        Ended::Stopped => return Err(stopped.take().unwrap_or_else(|| bug(vm, "a kernel stopped unasked"))),
        Ended::Failed(failure) => return Err(raised(request, failure, vm)),
    }
    match &made.kernel.form {
        Form::Sum => Ok(match finish(made.kernel.body().results[0], &outputs[0][..len]) {
            Total::Int(sum) => vm.ctx.new_int(sum).into(),
            Total::Float(sum) => vm.ctx.new_float(sum).into(),
        }),
        Form::Map(_) => {
            let arrays = elems.iter().zip(&outputs).map(|(&elem, words)| array(elem, words, len, vm));
            let mut arrays: Vec<PyObjectRef> = arrays.collect::<PyResult<_>>()?;
            for tensor in tensors {
                arrays.push(tensor::object(tensor, vm)?);
            }
            match <[PyObjectRef; 1]>::try_from(arrays) {
                Ok([array]) if !made.is_tuple => Ok(array),
                Ok(array) => Ok(PyTuple::new_ref(array.into(), &vm.ctx).into()),
                Err(arrays) => Ok(PyTuple::new_ref(arrays, &vm.ctx).into()),
            }
        }
    }
}

/// Zeros, if there is memory for them.
fn words(bytes: usize, vm: &VirtualMachine) -> PyResult<Vec<u64>> {
    let len = bytes.div_ceil(8).max(1);
    let mut words = Vec::new();
    words.try_reserve_exact(len).map_err(|_| no_memory(vm))?;
    words.resize(len, 0);
    Ok(words)
}

fn no_memory(vm: &VirtualMachine) -> PyBaseExceptionRef {
    vm.new_exception_empty(vm.ctx.exceptions.memory_error.to_owned())
}

/// What a kernel takes, as slots.
#[derive(Default)]
struct Inputs {
    slots: Vec<u64>,
    /// For each array, whether it lies on the device.
    resident: Vec<bool>,
    /// Keep the arrays where they are.
    views: Vec<ArrayView>,
    tensors: Vec<Tensor>,
}

impl Inputs {
    fn give(&mut self, args: &[PyObjectRef], device: Option<&Arc<dyn Device>>, vm: &VirtualMachine) -> PyResult<()> {
        let Self { slots, resident, views, tensors } = self;
        for arg in args {
            if arg.class().is(vm.ctx.types.bool_type) {
                slots.push(u64::from(arg.is(&vm.ctx.true_value)));
            } else if let Some(int) = arg.downcast_ref::<PyInt>() {
                slots.push(int.try_to_primitive::<i64>(vm)?.cast_unsigned());
            } else if let Some(float) = arg.downcast_ref::<PyFloat>() {
                slots.push(float.to_f64().to_bits());
            } else if let Some(tensor) = arrays::of(arg) {
                let (first, dense, is_there) = arrays::laid_out(tensor, device, vm)?;
                slots.extend([first, dense.count() as u64]);
                resident.push(is_there);
                tensors.push(dense);
            } else {
                resident.push(false);
                let view = array_view(arg, vm)?.ok_or_else(|| {
                    vm.new_type_error("an array of a kernel must be contiguous, aligned and of type d, f, q or ?")
                })?;
                slots.extend([view.ptr.expose_provenance() as u64, view.len as u64]);
                views.push(view);
            }
        }
        Ok(())
    }
}

/// An `array.array` of these elements.
fn array(elem: Elem, words: &[u64], len: usize, vm: &VirtualMachine) -> PyResult {
    let bytes = words.iter().flat_map(|word| word.to_ne_bytes()).take(len * elem.size()).collect::<Vec<u8>>();
    let typecode = typecode(elem).ok_or_else(|| bug(vm, "no `array.array` has such elements"))?;
    let class = vm.import("array", 0)?.get_attr("array", vm)?;
    class.call((vm.ctx.new_str(typecode), vm.ctx.new_bytes(bytes)), vm)
}

/// The type code of an `array.array` of such elements, if there is one.
pub(super) const fn typecode(elem: Elem) -> Option<&'static str> {
    match elem {
        Elem::Bool => Some("B"),
        Elem::I32 => Some("i"),
        Elem::I64 => Some("q"),
        Elem::F16 | Elem::Bf16 => None,
        Elem::F32 => Some("f"),
        Elem::F64 => Some("d"),
    }
}

/// What the function raises at the index that has failed.
fn raised(request: &Request, failure: Failure, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let index = index_at(&request.shape, failure.position);
    let called = match arrays::plain(&request.args, tensor::device(&request.target, vm).ok().as_ref(), vm) {
        Ok(args) => call_at(request, &args, &index, vm),
        Err(exception) => return exception,
    };
    match called {
        Err(exception) => exception,
        Ok(_) if failure.cause == Some(Cause::Overflow) => {
            let bits = if request.dtype == Some(Dtype::I32) { 32 } else { 64 };
            vm.new_overflow_error(format!("an integer does not fit in {bits} bits at index {}", shown(&index)))
        }
        Ok(_) => {
            let (target, index) = (&request.target, shown(&index));
            vm.new_runtime_error(format!(
                "on {target}, something is raised at index {index}, and in plain Python it is not: its floats differ"
            ))
        }
    }
}

fn shown(index: &[u64]) -> String {
    let numbers: Vec<String> = index.iter().map(ToString::to_string).collect();
    if let [one] = &numbers[..] { one.clone() } else { format!("({})", numbers.join(", ")) }
}

/// Calls the plain function at an index, with what it takes besides.
fn call_at(request: &Request, more: &[PyObjectRef], index: &[u64], vm: &VirtualMachine) -> PyResult {
    let mut args: Vec<PyObjectRef> = index.iter().map(|&it| vm.ctx.new_int(it).into()).collect();
    args.extend_from_slice(more);
    request.func.call(args, vm)
}

/// The loop, as plain Python: what a kernel means.
pub(super) fn plainly(request: &Request, vm: &VirtualMachine) -> PyResult {
    let device = tensor::device(&request.target, vm).ok();
    let stays = arrays::stays(&request.args, device.as_ref());
    let args = arrays::plain(&request.args, device.as_ref(), vm)?;
    let count = count(&request.shape).ok_or_else(|| bug(vm, "the shape was checked"))?;
    let mut columns: Vec<Vec<PyObjectRef>> = Vec::new();
    let mut is_tuple = false;
    for position in 0..count {
        limits::check_all(vm)?;
        let result = call_at(request, &args, &index_at(&request.shape, position), vm)?;
        let items = match result.downcast_ref::<PyTuple>() {
            Some(tuple) => {
                is_tuple = true;
                tuple.as_slice().to_vec()
            }
            None => vec![result],
        };
        columns.resize(items.len().max(columns.len()), Vec::new());
        columns.iter_mut().zip(items).for_each(|(column, item)| column.push(item));
    }
    if request.is_sum {
        return sum_plainly(columns.pop().unwrap_or_default(), vm);
    }
    if columns.is_empty() {
        columns.push(Vec::new());
    }
    let is_of_arrays = |it: &PyObjectRef| arrays::of(it).is_some();
    let gives_arrays = request.args.iter().any(is_of_arrays)
        || columns.iter().any(|column| column.first().is_some_and(is_of_arrays))
        || request.dtype.is_some_and(|it| typecode(it.elem()).is_none());
    let class = vm.import("array", 0)?.get_attr("array", vm)?;
    let arrays = columns.into_iter().map(|column| {
        if gives_arrays {
            return arrays::of_objects(request, &column, stays.as_ref(), vm);
        }
        let natural = column.first().map_or(Elem::F64, |first| {
            if first.downcast_ref::<PyFloat>().is_some() {
                Elem::F64
            } else if first.downcast_ref::<PyBool>().is_some() {
                Elem::Bool
            } else {
                Elem::I64
            }
        });
        let elem = request.dtype.map_or(natural, Dtype::elem);
        let typecode = typecode(elem).ok_or_else(|| bug(vm, "no `array.array` has such elements"))?;
        class.call((vm.ctx.new_str(typecode), vm.ctx.new_list(column)), vm)
    });
    let mut arrays: Vec<PyObjectRef> = arrays.collect::<PyResult<_>>()?;
    if is_tuple { Ok(PyTuple::new_ref(arrays, &vm.ctx).into()) } else { Ok(arrays.swap_remove(0)) }
}

/// The sum in the order of kernels.
fn sum_plainly(values: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
    use snekpy_stage::kernel::sum::{BLOCK, block, total};
    let values: Vec<PyObjectRef> = values.into_iter().map(|it| arrays::number(it, vm)).collect();
    if values.iter().any(|it| it.downcast_ref::<PyFloat>().is_some()) {
        let floats: Vec<f64> = values.into_iter().map(|it| it.try_into_value(vm)).collect::<PyResult<_>>()?;
        let partials: Vec<f64> = floats.chunks(BLOCK).map(block).collect();
        return Ok(vm.ctx.new_float(total(&partials)).into());
    }
    let mut sum: PyObjectRef = vm.ctx.new_int(0).into();
    for value in values {
        sum = vm._add(&sum, &value)?;
    }
    Ok(sum)
}
