//! Operations on tensors, where compiled code calls for them.

use rustpython_vm::VirtualMachine;
use snekpy_stage::ir::HostData;
use snekpy_stage::tensor::{Given, Item, Operand, TensorError, TensorOp};
use snekpy_stage::types::Type;

use super::Objects;
use crate::tensor;

/// Carries out an operation; an error if it cannot be done, and has not been.
pub(crate) fn on_tensors(
    op: &TensorOp,
    data: &HostData,
    slots: &[u64],
    objects: &Objects,
    place: u32,
    results: &mut [u64],
    vm: &VirtualMachine,
) -> Result<(), Option<TensorError>> {
    let library = tensor::library().ok_or(None)?;
    let operand = |(ty, bits): (&Type, &u64)| {
        Some(match ty {
            Type::Bool => Operand::Number(Item::Bool(*bits != 0)),
            Type::I64 => Operand::Number(Item::Int(bits.cast_signed())),
            Type::F64 => Operand::Number(Item::Float(f64::from_bits(*bits))),
            _ => {
                let object = objects.get(*bits, vm)?;
                Operand::Tensor(library.tensor(&object)?.clone())
            }
        })
    };
    let operands: Vec<Operand> = data.params.iter().zip(slots).map(operand).collect::<Option<_>>().ok_or(None)?;
    match (op.apply(&operands).map_err(Some)?, results) {
        (Given::Tensor(made), [slot]) => {
            debug_assert_eq!(data.results, [Type::Tensor(tensor::type_of(&made))], "{op}");
            *slot = objects.give(library.array(made, vm), place, vm);
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
    Ok(())
}
