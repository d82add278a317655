//! Calls of the host by compiled code.

use std::convert::Infallible;

use rustpython_vm::PyResult;
use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::sorting::timsort;
use snekpy_stage::list::List;
use snekpy_stage::types::Elem;

use super::{Filling, HostKind, Template};

/// Why a host function gave no result.
pub(crate) enum HostFailure {
    /// It raised this.
    Raised(PyBaseExceptionRef),
    /// It gave what compiled code has no type for, like an int past 64 bits.
    Unfit,
}

impl From<PyBaseExceptionRef> for HostFailure {
    fn from(exception: PyBaseExceptionRef) -> Self {
        Self::Raised(exception)
    }
}

/// Calls a host function: gives its one result, if it has any, as slot.
pub(crate) fn call_host(kind: &HostKind, filling: &Filling<'_>) -> Result<Option<u64>, HostFailure> {
    let vm = filling.vm;
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
            let bits = crate::flatten::scalar_bits(&value, *result, vm);
            bits.map(Some).ok_or(HostFailure::Unfit)
        }
        HostKind::Tick => Ok(Some(u64::from(crate::limits::tick()))),
        HostKind::Note(_) => Ok(None),
        HostKind::Sort { elem, reverse } => {
            // SAFETY: its one slot is that of the list, which lives as long as the call.
            let list = unsafe { &mut *(filling.slots[0] as usize as *mut List) };
            sort(list, *elem, *reverse);
            Ok(None)
        }
    }
}

/// Sorts with RustPython's own algorithm: with a NaN among the items the order depends on it.
fn sort(list: &mut List, elem: Elem, reverse: bool) {
    let mut items: Vec<u64> = list.iter().collect();
    let mut less = |a: &u64, b: &u64| -> Result<bool, Infallible> {
        let (a, b) = if reverse { (*b, *a) } else { (*a, *b) };
        Ok(match elem {
            Elem::Bool => a < b,
            Elem::I64 => a.cast_signed() < b.cast_signed(),
            Elem::F32 | Elem::F64 => f64::from_bits(a) < f64::from_bits(b),
        })
    };
    let Ok(()) = timsort(&mut items, &mut less);
    for (index, bits) in items.into_iter().enumerate() {
        list.set(index, bits);
    }
}
