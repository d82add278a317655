//! `a |= b` and its like, of a set and what is none.
//!
//! RustPython's raise a TypeError there. So they are asked of sets only; of others, the operator goes on as Python's does,
//! with `a | b` and what `b` says to that.

use std::sync::OnceLock;

use rustpython_vm::{AsObject, Context, PyObject, PyResult, VirtualMachine};

type Operator = fn(&PyObject, &PyObject, &VirtualMachine) -> PyResult;

/// RustPython's, in the order in which they are installed.
static ORIGINAL: OnceLock<[Option<Operator>; 4]> = OnceLock::new();

/// Asks ours first, once in the process.
pub(crate) fn install(ctx: &Context) {
    let slots = &ctx.types.set_type.slots.as_number;
    let slots = [&slots.inplace_or, &slots.inplace_and, &slots.inplace_subtract, &slots.inplace_xor];
    ORIGINAL.get_or_init(|| slots.map(|it| it.load()));
    let ours: [Operator; 4] = [of_sets::<0>, of_sets::<1>, of_sets::<2>, of_sets::<3>];
    for (slot, ours) in slots.into_iter().zip(ours) {
        slot.store(Some(ours));
    }
}

fn of_sets<const WHICH: usize>(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    let is_set = [vm.ctx.types.set_type, vm.ctx.types.frozenset_type].iter().any(|it| b.fast_isinstance(it));
    match ORIGINAL.get() {
        Some(original) if is_set && let Some(original) = original[WHICH] => original(a, b, vm),
        Some(_) | None => Ok(vm.ctx.not_implemented()),
    }
}
