//! Calls of the host by compiled code.

use std::cmp::Ordering;
use std::convert::Infallible;

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::sorting::timsort;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::list::List;
use snekpy_stage::types::Elem;

use super::{Filling, HostKind, Template};
use crate::scalar::number_of;

/// Why a host function gave no result.
pub(crate) enum HostFailure {
    /// It raised this.
    Raised(PyBaseExceptionRef),
    /// It gave this, which compiled code has no type for: an int past 64 bits.
    Gave(PyObjectRef),
    /// It gave this, which is of another class than compiled code is made for: better code can be made.
    Learnt(PyObjectRef),
    /// It has done nothing: plain Python is to do it.
    Unfit,
}

impl From<PyBaseExceptionRef> for HostFailure {
    fn from(exception: PyBaseExceptionRef) -> Self {
        Self::Raised(exception)
    }
}

/// Calls a host function: gives its one result, if it has any, as slot.
pub(crate) fn call_host<'a>(
    kind: &HostKind,
    slots: &[u64],
    filling: impl FnOnce() -> Filling<'a>,
    vm: &VirtualMachine,
) -> Result<Option<u64>, HostFailure> {
    if let HostKind::Compute { callable, args, result } = kind
        && let Some(args) = numbers(args, slots, vm)
    {
        let count = args.len();
        let value = callable.vectorcall(args, count, None, vm)?;
        let bits = crate::scalar::scalar_bits(&value, *result, vm);
        return bits.map(Some).ok_or(HostFailure::Gave(value));
    }
    let filling = &filling();
    match kind {
        HostKind::Call { callable, args, kwargs } => {
            let args = filling.make_all(args)?;
            let pair = |(name, value): &(String, Template)| Ok((name.clone(), filling.make(value)?));
            let kwargs = kwargs.iter().map(pair).collect::<PyResult<Vec<_>>>()?;
            callable.call(FuncArgs::new(args, KwArgs::from_iter(kwargs)), vm)?;
            Ok(None)
        }
        HostKind::Compute { callable, args, result, .. } => {
            let value = callable.call(FuncArgs::from(filling.make_all(args)?), vm)?;
            let bits = crate::scalar::scalar_bits(&value, *result, vm);
            bits.map(Some).ok_or(HostFailure::Gave(value))
        }
        HostKind::Tick => {
            if crate::limits::tick() {
                Ok(None)
            } else {
                Err(crate::limits::out_of_ticks(vm).into())
            }
        }
        HostKind::Mark | HostKind::Stop | HostKind::Border | HostKind::Custom => Ok(None),
        HostKind::Cross(_) | HostKind::Tensor | HostKind::Known(_) | HostKind::Field | HostKind::Note { .. } => {
            unreachable!("answered before")
        }
        HostKind::Sort { keys, are_tuples, reverse } => {
            // SAFETY: its slots are those of lists, which are different ones and live as long as the call.
            let list = |&slot: &u64| unsafe { &mut *(slot as usize as *mut List) };
            let mut lists: Vec<&mut List> = filling.slots.iter().map(list).collect();
            if sort(&mut lists, keys, *are_tuples, *reverse) { Ok(None) } else { Err(HostFailure::Unfit) }
        }
    }
}

/// Arguments that are numbers or known.
fn numbers(args: &[Template], slots: &[u64], vm: &VirtualMachine) -> Option<Vec<PyObjectRef>> {
    let number = |template: &Template| match template {
        Template::Static(object) => Some(object.clone()),
        Template::Leaf { slot, ty } if ty.is_scalar() => Some(number_of(slots[*slot], *ty, vm)),
        _ => None,
    };
    args.iter().map(number).collect()
}

/// Sorts lists by the first ones, with RustPython's own algorithm: with a NaN among the items the order depends on it.
/// False if it also depends on which of the items of tuples are one object.
fn sort(lists: &mut [&mut List], keys: &[Elem], are_tuples: bool, reverse: bool) -> bool {
    if let ([list], [elem], false) = (&mut *lists, keys, are_tuples) {
        sort_numbers(list, *elem, reverse);
        return true;
    }
    let columns: Vec<Vec<u64>> = lists[..keys.len()].iter().map(|list| list.iter().collect()).collect();
    let is_nan = |(column, elem): (&Vec<u64>, &Elem)| {
        *elem == Elem::F64 && column.iter().any(|&bits| f64::from_bits(bits).is_nan())
    };
    if are_tuples && columns.iter().zip(keys).any(is_nan) {
        return false;
    }
    let mut order: Vec<usize> = (0..columns[0].len()).collect();
    let mut less = |&a: &usize, &b: &usize| -> Result<bool, Infallible> {
        let (a, b) = if reverse { (b, a) } else { (a, b) };
        let pair = columns.iter().zip(keys).map(|(column, elem)| (column[a], column[b], elem));
        let mut orders = pair.map(|(a, b, elem)| compare(a, b, *elem));
        Ok(orders.find(|it| *it != Some(Ordering::Equal)).flatten() == Some(Ordering::Less))
    };
    let Ok(()) = timsort(&mut order, &mut less);
    for list in lists {
        let items: Vec<u64> = list.iter().collect();
        for (index, &from) in order.iter().enumerate() {
            list.set(index, items[from]);
        }
    }
    true
}

fn sort_numbers(list: &mut List, elem: Elem, reverse: bool) {
    let mut items: Vec<u64> = list.iter().collect();
    let mut less = |&a: &u64, &b: &u64| -> Result<bool, Infallible> {
        let (a, b) = if reverse { (b, a) } else { (a, b) };
        Ok(compare(a, b, elem) == Some(Ordering::Less))
    };
    let Ok(()) = timsort(&mut items, &mut less);
    for (index, bits) in items.into_iter().enumerate() {
        list.set(index, bits);
    }
}

#[inline]
fn compare(a: u64, b: u64, elem: Elem) -> Option<Ordering> {
    match elem {
        Elem::Bool => Some(a.cmp(&b)),
        Elem::I32 | Elem::I64 => Some(a.cast_signed().cmp(&b.cast_signed())),
        Elem::F16 | Elem::Bf16 | Elem::F32 | Elem::F64 => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
    }
}
