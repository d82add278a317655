//! Constant tables: tuples and frozen sets of numbers, bytes and texts, as lists and maps that compiled code only reads.

use std::fmt;
use std::sync::Arc;

use rustpython_vm::builtins::{PyFrozenSet, PySet, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef, PyPayload, VirtualMachine};
use snekpy_stage::list::Lists;
use snekpy_stage::map::Maps;
use snekpy_stage::types::Type;

use crate::characters::units;
use crate::flatten::{Inputs, members_type};

/// An object that never changes, and its numbers.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) object: PyObjectRef,
    pub(crate) ty: Type,
    slot: u64,
    /// What is at the slot: made once, and read by every call.
    _numbers: Arc<Numbers>,
}

/// Lists and maps that nobody changes any more.
struct Numbers(#[expect(dead_code, reason = "it is read by its address")] (Lists, Maps));

// SAFETY: they own their memory.
unsafe impl Send for Numbers {}
// SAFETY: nobody gets hold of them but compiled code, by the slot, and that only reads them.
unsafe impl Sync for Numbers {}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("ty", &self.ty).finish_non_exhaustive()
    }
}

impl Table {
    /// The table of an object; `None` if it holds anything but numbers of one type, or may change.
    pub(crate) fn of(object: &PyObjectRef, vm: &VirtualMachine) -> Option<Self> {
        let members: PyObjectRef = if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
            vm.ctx.new_list(tuple.as_slice().to_vec()).into()
        } else if let Some((units, _)) = units(object, vm) {
            vm.ctx.new_list(units.into_iter().map(|it| vm.ctx.new_int(it).into()).collect()).into()
        } else {
            let frozen = object.downcast_ref_if_exact::<PyFrozenSet>(vm)?;
            let set = PySet::default().into_ref(&vm.ctx);
            frozen.elements().into_iter().try_for_each(|it| set.add(it, vm)).ok()?;
            set.into()
        };
        let ty = members_type(&members, vm).filter(|ty| !matches!(ty, Type::List(it) if it.nesting > 0))?;
        let mut numbers = Inputs::default();
        if !numbers.push_members(ty, &members, vm) {
            return None;
        }
        let slot = numbers.slots[0];
        Some(Self { object: object.clone(), ty, slot, _numbers: Arc::new(Numbers(numbers.into_numbers())) })
    }

    /// The slot of its list or map.
    pub(crate) fn slot(&self) -> u64 {
        self.slot
    }

    /// Whether an object can have one: it never changes.
    pub(crate) fn fits(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
        let types = &vm.ctx.types;
        [types.tuple_type, types.bytes_type, types.frozenset_type, types.str_type]
            .iter()
            .any(|it| object.class().is(*it))
    }
}
