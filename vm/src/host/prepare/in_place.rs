//! `a += b`, `a -= b` and `a *= b`, which RustPython rewrites to what numbers do.
//!
//! An `a += b` that has met two ints becomes the instruction that adds ints, and that one goes on with `a + b` for
//! anything else: a list that comes later is copied instead of changed. So these are not rewritten (a counter whose low
//! bits are all set never gets to where they would be), and what was gained by it is given back in other ways:
//!
//! - ints are fast in the general instruction,
//! - floats get slots of their own for these operators, which are looked for first,
//! - `text += more`, with a local variable, becomes the instruction that appends where the text lies. That one does
//!   the right thing for all others.

use rustpython_vm::builtins::{PyCode, PyFloat, PyStr};
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::bytecode::{CodeUnits, Instruction};
use rustpython_vm::frame::current_thread_iframe;
use rustpython_vm::{Context, PyObject, PyResult, VirtualMachine};

/// A counter that never comes to its end: RustPython counts in the other bits.
pub(super) const NEVER: u16 = 0b1111;

/// Makes these operators again what they were, in code that has run before.
pub(super) fn settle(code: &PyCode) {
    let units = &code.instructions;
    let mut at = 0;
    while at < units.len() {
        let op = units.read_op(at);
        let base = op.deoptimize();
        if is_one(units, at) && at + 1 < units.len() {
            // SAFETY: the units are there, and an instruction gives way to what it was made of.
            unsafe {
                units.write_adaptive_counter(at + 1, NEVER);
                if !op.is_instrumented() && !matches!(op, Instruction::BinaryOpInplaceAddUnicode) {
                    units.replace_op(at, base);
                }
            }
        }
        at += 1 + base.cache_entries();
    }
}

/// Whether an instruction is one of the three.
pub(super) fn is_one(units: &CodeUnits, at: usize) -> bool {
    let operators = [BinaryOperator::InplaceAdd, BinaryOperator::InplaceSubtract, BinaryOperator::InplaceMultiply];
    matches!(units.read_op(at).deoptimize(), Instruction::BinaryOp { .. })
        && operators.into_iter().any(|it| u8::from(it) == units.read_arg(at).as_u8())
}

/// Gives floats and texts their slots, once in the process.
pub(super) fn install(ctx: &Context) {
    let floats = &ctx.types.float_type.slots.as_number;
    floats.inplace_add.store(Some(|a, b, vm| of_floats(a, b, |a, b| a + b, vm)));
    floats.inplace_subtract.store(Some(|a, b, vm| of_floats(a, b, |a, b| a - b, vm)));
    floats.inplace_multiply.store(Some(|a, b, vm| of_floats(a, b, |a, b| a * b, vm)));
    ctx.types.str_type.slots.as_number.inplace_add.store(Some(add_texts));
}

#[inline]
fn of_floats(a: &PyObject, b: &PyObject, apply: fn(f64, f64) -> f64, vm: &VirtualMachine) -> PyResult {
    match (a.downcast_ref_if_exact::<PyFloat>(vm), b.downcast_ref_if_exact::<PyFloat>(vm)) {
        (Some(a), Some(b)) => Ok(vm.ctx.new_float(apply(a.to_f64(), b.to_f64())).into()),
        _ => Ok(vm.ctx.not_implemented()),
    }
}

/// Rewrites the instruction that adds texts; what they give is for the slots behind this one.
fn add_texts(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    // SAFETY: a frame lives as long as it runs, and it is this thread's.
    let frame = unsafe { current_thread_iframe().as_ref() };
    if let Some(frame) = frame
        && a.downcast_ref_if_exact::<PyStr>(vm).is_some()
        && b.downcast_ref_if_exact::<PyStr>(vm).is_some()
    {
        let units = &frame.code().instructions;
        let at = (frame.get_lasti() as usize).wrapping_sub(1);
        let is_added = |unit: &rustpython_vm::bytecode::CodeUnit| {
            matches!(unit.op, Instruction::BinaryOp { .. }) && unit.arg.as_u8() == u8::from(BinaryOperator::InplaceAdd)
        };
        if let Some(unit) = units.get(at).filter(|it| is_added(it))
            && units
                .get(at + 1 + unit.op.cache_entries())
                .is_some_and(|it| matches!(it.op, Instruction::StoreFast { .. }))
        {
            // SAFETY: the unit is there; the new instruction means the same and has the same caches.
            unsafe { units.compare_exchange_op(at, unit.op, Instruction::BinaryOpInplaceAddUnicode) };
        }
    }
    Ok(vm.ctx.not_implemented())
}
