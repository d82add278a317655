//! Operations on tensors, where compiled code calls for them.

use std::sync::Arc;

use rustpython_vm::builtins::PyTuple;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use smallvec::SmallVec;
use snekpy_stage::backend::KEPT;
use snekpy_stage::ir::HostData;
use snekpy_stage::op::Acts;
use snekpy_stage::tensor::device::is_done_there;
use snekpy_stage::tensor::{Dtype, Given, Item, Operand, Tensor, TensorError, TensorOp};
use snekpy_stage::types::Type;

use super::{FIRST, Objects};
use crate::tensor;

/// Carries out an operation; an error if it cannot be done, and has not been.
///
/// It runs no Python: while it looks at the table of handles, nobody else does.
pub(crate) fn on_tensors(
    data: &HostData,
    slots: &[u64],
    objects: &Objects,
    place: u32,
    results: &mut [u64],
    vm: &VirtualMachine,
) -> Result<(), Option<TensorError>> {
    let (Some(library), Some(op)) = (tensor::library(), &data.tensor) else { return Err(None) };
    if let (TensorOp::Extent(size), [slot]) = (op, &mut *results) {
        *slot = *size as u64;
        return Ok(());
    }
    let given = {
        let entries = objects.entries.borrow();
        if op.acts() == Acts::Asks {
            let entry = slots[0].checked_sub(FIRST).and_then(|at| entries.get(at as usize));
            let tensor = entry.and_then(|it| it.object.as_ref()).and_then(|it| library.tensor(it));
            match (op, tensor) {
                (TensorOp::Memory(_), Some(tensor)) => memory(tensor, &[], results),
                (TensorOp::MemoryOf { dtype, rank }, tensor) => {
                    let is_one = |it: &&Tensor| it.dtype() == *dtype && it.rank() == *rank && has_memory(it);
                    results.fill(0);
                    if let Some(tensor) = tensor.filter(is_one) {
                        results[0] = 1;
                        memory(tensor, tensor.dims(), &mut results[1..]);
                    }
                }
                _ => return Err(None),
            }
            drop(entries);
            objects.let_go(&mut data.takes.clone(), slots, vm);
            return Ok(());
        }
        let find = |handle: u64| {
            let index = handle.checked_sub(FIRST)? as usize;
            let object = entries.get(index)?.object.as_ref()?;
            let tensor = library.tensor(object)?;
            Some((tensor, objects.owners(&entries, index).get() & !KEPT == 1 && is_spare(object, tensor)))
        };
        let (operands, spare) = operands(data, slots, find).ok_or(None)?;
        if copies(op, &operands) {
            return Err(None);
        }
        op.apply_over(&operands, spare).map_err(Some)?
    };
    let mut taken = data.takes;
    match (given, results) {
        (Given::Tensor(made), [slot]) => {
            debug_assert_eq!(data.results, [Type::Tensor(tensor::type_of(&made))], "{op}");
            if Arc::strong_count(made.buf()) > 1 {
                // It is a view.
                objects.share(slots);
            }
            let made = library.array(made, vm);
            *slot = if data.nest {
                // What goes is where the next result goes, which this one may not be read over.
                objects.give_again(made, place)
            } else {
                // What goes first leaves room for what comes.
                objects.let_go(&mut taken, slots, vm);
                objects.give(made, place, vm)
            };
        }
        (Given::Operand(at), [slot]) => {
            // The operand has become the result, and so has its handle.
            taken &= !(1 << at);
            *slot = slots[at];
        }
        (Given::Number(item), [slot]) => {
            *slot = number_slot(item);
        }
        (Given::Nothing, []) => {}
        _ => return Err(None),
    }
    objects.let_go(&mut taken, slots, vm);
    Ok(())
}

/// The operands of an operation, and, bit by bit, those whose memory it may take. `find` knows the tensor of a handle, and
/// whether nobody else has it.
pub(crate) fn operands<'a>(
    data: &HostData,
    slots: &[u64],
    find: impl Fn(u64) -> Option<(&'a Tensor, bool)>,
) -> Option<(SmallVec<[Operand<'a>; 8]>, u32)> {
    let mut spare = 0;
    let operand = |(at, (ty, bits)): (usize, (&Type, &u64))| {
        Some(match ty {
            Type::Bool => Operand::Number(Item::Bool(*bits != 0)),
            Type::I64 => Operand::Number(Item::Int(bits.cast_signed())),
            Type::F64 => Operand::Number(Item::Float(f64::from_bits(*bits))),
            _ => {
                let (tensor, is_spare) = find(*bits)?;
                if data.takes.checked_shr(at as u32).unwrap_or(0) & 1 != 0 && is_spare {
                    spare |= 1 << at;
                }
                Operand::Tensor(tensor)
            }
        })
    };
    let operands = data.params.iter().zip(slots).enumerate().map(operand).collect::<Option<_>>()?;
    Some((operands, spare))
}

/// Where the elements of a tensor are: all its memory as an array, where in it the first one is, these sizes, and the
/// steps.
fn memory(tensor: &Tensor, sizes: &[usize], results: &mut [u64]) {
    let (buf, start) = (tensor.buf(), tensor.start() as i64);
    let fixed = [buf.data() as u64, (buf.bytes() / tensor.dtype().size()) as u64, start.cast_unsigned()];
    let steps = tensor.steps().iter().map(|it| (*it as i64).cast_unsigned());
    let all = fixed.into_iter().chain(sizes.iter().map(|it| *it as u64)).chain(steps);
    results.iter_mut().zip(all).for_each(|(result, it)| *result = it);
}

/// Whether compiled code may read and write the elements itself.
pub(super) fn has_memory(tensor: &Tensor) -> bool {
    tensor.device().is_none() && tensor.buf().is_writable()
}

/// The dtype of the tensor of which an instruction reads or writes one element: its operands are the tensor and the key.
pub(crate) fn element_of(object: &PyObjectRef, key: &PyObjectRef, vm: &VirtualMachine) -> Option<Dtype> {
    let tensor = tensor::of(object).filter(|it| has_memory(it))?;
    let is_int = |it: &PyObjectRef| it.class().is(vm.ctx.types.int_type);
    let count = match key.downcast_ref_if_exact::<PyTuple>(vm) {
        Some(tuple) => tuple.as_slice().iter().all(is_int).then_some(tuple.as_slice().len()),
        None => is_int(key).then_some(1),
    };
    (count == Some(tensor.rank())).then_some(tensor.dtype())
}

/// The slot of a number.
pub(crate) fn number_slot(item: Item) -> u64 {
    match item {
        Item::Bool(it) => u64::from(it),
        Item::Int(it) => it.cast_unsigned(),
        Item::Float(it) => it.to_bits(),
    }
}

/// Whether nobody but the table of handles has a tensor, and it has its memory for itself.
pub(super) fn is_spare(object: &PyObjectRef, tensor: &Tensor) -> bool {
    object.strong_count() == 1
        && object.weak_count().unwrap_or(0) == 0
        && tensor.has_memory_alone()
        && tensor.is_dense()
        && tensor.device().is_none()
}

/// Whether elements would be copied from a device. Plain Python does that, at a line that can be warned about.
fn copies(op: &TensorOp, operands: &[Operand<'_>]) -> bool {
    let tensors = || operands.iter().filter_map(|it| if let Operand::Tensor(it) = it { Some(*it) } else { None });
    tensors().any(|it| it.device().is_some()) && !is_done_there(op, &tensors().collect::<Vec<_>>())
}

impl Objects {
    /// Those operands have an owner less.
    pub(crate) fn let_go(&self, taken: &mut u32, slots: &[u64], vm: &VirtualMachine) {
        while *taken != 0 {
            let at = taken.trailing_zeros();
            *taken &= *taken - 1;
            self.count(slots[at as usize], false, vm);
        }
    }
}
