//! The arrays of a compiled function that has no VM: what an operation of the host does on them.

use std::cell::RefCell;

use rustpython_vm::PyObject;
use snekpy_stage::backend::NO_OBJECT;
use snekpy_stage::ir::HostData;
use snekpy_stage::tensor::{Given, Tensor, TensorError, TensorOp};

use crate::exit::HostKind;
use crate::object::{FIRST, number_slot, operands, put};
use crate::tensor;

use super::CallError;

/// A function of the host that needs no VM.
#[derive(Debug)]
pub(super) enum Host {
    /// Says whether a loop may go on.
    Tick,
    /// An operation on arrays.
    Operation(Box<HostData>),
    /// Gives an array that the function has read from its surroundings.
    Known(Tensor),
}

impl Host {
    /// The function, if it needs no VM.
    pub(super) fn of(kind: &HostKind, data: &HostData) -> Option<Self> {
        match kind {
            HostKind::Tick => Some(Self::Tick),
            HostKind::Tensor => data.tensor.is_some().then(|| Self::Operation(Box::new(data.clone()))),
            HostKind::Known(object) => array(object).map(Self::Known),
            _ => None,
        }
    }
}

fn array(object: &PyObject) -> Option<Tensor> {
    tensor::of(object).cloned()
}

/// The arrays that the code of one call has handles of.
#[derive(Debug, Default)]
pub(super) struct Table {
    entries: RefCell<Vec<Entry>>,
    free: RefCell<Vec<usize>>,
    failed: RefCell<Option<TensorError>>,
}

#[derive(Debug)]
struct Entry {
    tensor: Option<Tensor>,
    owners: u32,
}

impl Table {
    /// A handle of an array, with one owner.
    pub(super) fn give(&self, tensor: Tensor) -> u64 {
        put(&self.entries, &self.free, Entry { tensor: Some(tensor), owners: 1 })
    }

    /// The array of a handle.
    pub(super) fn get(&self, handle: u64) -> Option<Tensor> {
        self.entries.borrow().get(handle.checked_sub(FIRST)? as usize)?.tensor.clone()
    }

    /// An array has an owner more, or one less.
    pub(super) fn count(&self, handle: u64, more: bool) {
        let Some(index) = handle.checked_sub(FIRST).map(|it| it as usize) else { return };
        let mut entries = self.entries.borrow_mut();
        let Some(entry) = entries.get_mut(index) else { return };
        if more {
            entry.owners += 1;
            return;
        }
        entry.owners -= 1;
        if entry.owners == 0 {
            entry.tensor = None;
            self.free.borrow_mut().push(index);
        }
    }

    /// Does what a function of the host does; if it fails, [`Table::failure`] says how.
    pub(super) fn carry_out(&self, host: &Host, slots: &[u64], results: *mut u64) -> bool {
        let data = match host {
            Host::Tick => return false,
            Host::Known(tensor) => {
                // SAFETY: it gives one handle.
                unsafe { results.write(self.give(tensor.clone())) };
                return true;
            }
            Host::Operation(data) => data,
        };
        let Some(op) = &data.tensor else { return false };
        let mut taken = data.takes;
        if let TensorOp::Again { .. } | TensorOp::Ran(_) = op {
            // Nothing is begun again here.
            // SAFETY: compiled code has room for the declared results, which are a slot each.
            (0..data.results.len()).for_each(|at| unsafe { results.add(at).write(NO_OBJECT) });
            self.let_go(&mut taken, slots);
            return true;
        }
        let given = {
            let entries = self.entries.borrow();
            let find = |handle: u64| {
                let entry = entries.get(handle.checked_sub(FIRST)? as usize)?;
                let tensor = entry.tensor.as_ref()?;
                Some((tensor, entry.owners == 1 && tensor.has_memory_alone() && tensor.is_dense()))
            };
            let Some((operands, spare)) = operands(data, slots, find) else { return false };
            op.apply_over(&operands, spare)
        };
        let result = match given {
            Ok(Given::Tensor(made)) => {
                self.let_go(&mut taken, slots);
                Some(self.give(made))
            }
            Ok(Given::Operand(at)) => {
                // The operand has become the result, and so has its handle.
                taken &= !(1 << at);
                Some(slots[at])
            }
            Ok(Given::Number(item)) => Some(number_slot(item)),
            Ok(Given::Nothing) => None,
            Err(error) => {
                *self.failed.borrow_mut() = Some(error);
                return false;
            }
        };
        if let (Some(bits), [_]) = (result, &data.results[..]) {
            // SAFETY: compiled code has room for the declared result.
            unsafe { results.write(bits) };
        }
        self.let_go(&mut taken, slots);
        true
    }

    /// Those operands have an owner less.
    fn let_go(&self, taken: &mut u32, slots: &[u64]) {
        while *taken != 0 {
            let at = taken.trailing_zeros();
            *taken &= *taken - 1;
            self.count(slots[at as usize], false);
        }
    }

    /// The error of a call in which an operation has failed.
    pub(super) fn failure(&self, error: CallError) -> CallError {
        let Some(failed) = self.failed.borrow_mut().take() else { return error };
        CallError { kind: failed.class_name().to_owned(), message: failed.to_string(), ..error }
    }
}
