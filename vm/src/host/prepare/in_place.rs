//! `a += b`, `a -= b` and `a *= b`, which RustPython rewrites to what numbers do.
//!
//! An `a += b` that has met two ints becomes the instruction that adds ints, and that one goes on with `a + b` for
//! anything else: a list that comes later is copied instead of changed. So these are not rewritten (a counter whose low
//! bits are all set never gets to where they would be), and what was gained by it is given back in other ways:
//!
//! - ints are fast in the general instruction,
//! - where floats are met, the instruction becomes the one with a guard and an action of its own ([`extend`](super::extend)),
//! - where texts are added and the left one is a local variable, it becomes the one that appends where the text lies.
//!
//! These two do the right thing for all others. Floats and texts are noticed by slots of theirs for these operators,
//! which are asked first.

use rustpython_vm::builtins::{PyCode, PyStr};
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::bytecode::{CodeUnits, Instruction};
use rustpython_vm::frame::current_thread_iframe;
use rustpython_vm::{Context, PyObject, PyResult, VirtualMachine};

use super::extend;

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
    floats.inplace_add.store(Some(|a, b, vm| of_floats(a, b, extend::add, vm)));
    floats.inplace_subtract.store(Some(|a, b, vm| of_floats(a, b, extend::subtract, vm)));
    floats.inplace_multiply.store(Some(|a, b, vm| of_floats(a, b, extend::multiply, vm)));
    ctx.types.str_type.slots.as_number.inplace_add.store(Some(add_texts));
}

/// Computes, and rewrites the instruction that asks for it.
fn of_floats(a: &PyObject, b: &PyObject, action: extend::Action, vm: &VirtualMachine) -> PyResult {
    let Some(value) = action(a, b, vm) else { return Ok(vm.ctx.not_implemented()) };
    if let Some((units, at)) = running() {
        extend::rewrite(units, at);
    }
    Ok(value)
}

/// Rewrites the instruction that adds texts; what they give is for the slots behind this one.
fn add_texts(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    if a.downcast_ref_if_exact::<PyStr>(vm).is_some()
        && b.downcast_ref_if_exact::<PyStr>(vm).is_some()
        && let Some((units, at)) = running()
        && let Some(next) = units.get(at + 1 + units[at].op.cache_entries())
        && matches!(next.op, Instruction::StoreFast { .. })
    {
        // SAFETY: the unit is there; the new instruction means the same and has the same caches.
        unsafe { units.compare_exchange_op(at, units[at].op, Instruction::BinaryOpInplaceAddUnicode) };
    }
    Ok(vm.ctx.not_implemented())
}

/// The instruction that runs on this thread, if it is one of the three and has not been rewritten.
fn running<'a>() -> Option<(&'a CodeUnits, usize)> {
    // SAFETY: a frame lives as long as what it runs, which is what asks, and keeps its code.
    let frame = unsafe { current_thread_iframe().as_ref() }?;
    let units = &frame.code().instructions;
    let at = (frame.get_lasti() as usize).checked_sub(1)?;
    let is_plain = matches!(units.get(at)?.op, Instruction::BinaryOp { .. });
    (is_plain && is_one(units, at)).then_some((units, at))
}
