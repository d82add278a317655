//! Operations on tensors, where compiled code calls for them.

use rustpython_vm::{PyObjectRef, VirtualMachine};
use smallvec::SmallVec;
use snekpy_stage::ir::HostData;
use snekpy_stage::tensor::{Given, Item, Operand, Tensor, TensorError};
use snekpy_stage::types::Type;

use super::{Entry, FIRST, Objects};
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
    let given = {
        let entries = objects.entries.borrow();
        let mut spare = 0;
        let operand = |(at, (ty, bits)): (usize, (&Type, &u64))| {
            Some(match ty {
                Type::Bool => Operand::Number(Item::Bool(*bits != 0)),
                Type::I64 => Operand::Number(Item::Int(bits.cast_signed())),
                Type::F64 => Operand::Number(Item::Float(f64::from_bits(*bits))),
                _ => {
                    let entry = entries.get(bits.checked_sub(FIRST)? as usize)?;
                    let object = entry.object.as_ref()?;
                    let tensor = library.tensor(object)?;
                    if data.takes.checked_shr(at as u32).unwrap_or(0) & 1 != 0 && is_spare(entry, object, tensor) {
                        spare |= 1 << at;
                    }
                    Operand::Tensor(tensor)
                }
            })
        };
        let operands: SmallVec<[Operand<'_>; 8]> =
            data.params.iter().zip(slots).enumerate().map(operand).collect::<Option<_>>().ok_or(None)?;
        op.apply_over(&operands, spare).map_err(Some)?
    };
    let mut taken = data.takes;
    match (given, results) {
        (Given::Tensor(made), [slot]) => {
            debug_assert_eq!(data.results, [Type::Tensor(tensor::type_of(&made))], "{op}");
            let made = library.array(made, vm);
            // What goes first leaves room for what comes.
            objects.let_go(&mut taken, slots, vm);
            *slot = objects.give(made, place, vm);
        }
        (Given::Operand(at), [slot]) => {
            // The operand has become the result, and so has its handle.
            taken &= !(1 << at);
            *slot = slots[at];
        }
        (Given::Number(item), [slot]) => {
            *slot = match item {
                Item::Bool(it) => u64::from(it),
                Item::Int(it) => it.cast_unsigned(),
                Item::Float(it) => it.to_bits(),
            };
        }
        (Given::Nothing, []) => {}
        _ => return Err(None),
    }
    objects.let_go(&mut taken, slots, vm);
    Ok(())
}

/// Whether nobody but one handle has a tensor, and it has its memory for itself.
fn is_spare(entry: &Entry, object: &PyObjectRef, tensor: &Tensor) -> bool {
    entry.owners == 1
        && object.strong_count() == 1
        && object.weak_count().unwrap_or(0) == 0
        && tensor.has_memory_alone()
        && tensor.is_dense()
}

impl Objects {
    /// Those operands have an owner less.
    fn let_go(&self, taken: &mut u32, slots: &[u64], vm: &VirtualMachine) {
        while *taken != 0 {
            let at = taken.trailing_zeros();
            *taken &= *taken - 1;
            self.count(slots[at as usize], false, vm);
        }
    }
}
