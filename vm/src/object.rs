//! Objects in compiled code.
//!
//! Compiled code computes with numbers. Any other object it only hands on: it has a *handle* of it, and what is done to
//! the object is a [`Crossing`], an instruction that the VM carries out where compiled code calls the host. A crossing
//! touches nothing but its operands, and runs no Python: [`rule`] says for which operands that is so. For others the
//! call leaves there, as for an instruction that is refused.

pub(crate) mod class;
pub(crate) mod end;
pub(crate) mod known;
pub(crate) mod look;
mod nest;
pub(crate) mod operation;
pub(crate) mod place;
pub(crate) mod python;
pub(crate) mod read;
pub(crate) mod rows;
pub(crate) mod rule;
pub(crate) mod slot;
pub(crate) mod tensor;

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashSet;
use rustpython_vm::builtins::{PyBytes, PyStr};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use snekpy_stage::backend::{KEPT, NO_OBJECT, NONE, TEXT_LEN};

pub(crate) use class::{
    TENSOR, class_number, is_atom, is_defaultdict, is_deque, is_own_iterator, is_tensor, is_used_up, item_of,
    iterator_of, named_fields, type_of,
};
pub(crate) use end::{is_noticed, passed_is_noticed};
pub(crate) use known::{Identities, Known};
pub(crate) use operation::{FEW, Gives, Operation};
pub(crate) use place::{attribute_at, has_plain_attributes};
pub(crate) use rule::{Fits, Rule, attribute_of_tensor, native, of_attribute, of_method, of_operation, of_tensors};
pub(crate) use slot::type_to_know;
pub(crate) use tensor::{number_slot, on_tensors, operands};

/// The handle of the first object in the table.
pub(crate) const FIRST: u64 = NONE + 1;
/// So many lists are known to be sealed at a time.
const MAX_SEALED: usize = 4;
/// The place of what is passed.
const PASSED: u32 = u32::MAX;
/// Compiled code counts the owners of so many handles itself.
const COUNTED: usize = 32;
/// Room for so many handles more than are passed.
const ROOM: usize = 8;
/// Set among the owners of an object: its place has given none since, and keeps it when it has no owner left.
const LATEST: u32 = KEPT;

/// The objects that compiled code has handles of, in one call.
///
/// An object whose last owner has gone is kept until the place that gave it gives another, which gets its handle: plain
/// Python keeps it in a variable as long. One of several that a place has given is dropped, unless it may hold others,
/// whose finalisers the program could notice; and so is the memory of a tensor.
#[derive(Default, Debug)]
pub(crate) struct Objects {
    /// The attributes that were read last.
    pub(crate) numbers: read::Numbers,
    /// The numbers in attributes that compiled code reads and writes itself.
    pub(crate) rows: rows::Rows,
    pub(crate) entries: RefCell<Vec<Entry>>,
    /// What compiled code knows of tensors.
    nests: nest::Nests,
    /// How many owners the objects of the first handles have, unless there is a table of more. Compiled code counts them, too.
    few: [Cell<u32>; COUNTED],
    /// The index of what was given last by a place, and 1, by place.
    latest: RefCell<Vec<u32>>,
    /// Entries that are free.
    free: RefCell<Vec<usize>>,
    /// Lists that are known to hold nothing but numbers, texts and tuples of them.
    sealed: RefCell<Vec<PyObjectRef>>,
    /// What was given last by a place and has no owner left, by place; what is passed comes before all others.
    kept: RefCell<Vec<Option<PyObjectRef>>>,
    /// The identities of the iterators and views that crossings have made.
    pub(crate) made: RefCell<FxHashSet<usize>>,
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) object: Option<PyObjectRef>,
    /// How many owners it has, if its handle is none of the first ones.
    pub(crate) owners: Cell<u32>,
    /// Which function of the host has given it.
    place: u32,
    /// Of a text that is not ASCII, its characters, once one was asked for.
    points: Option<Box<[u32]>>,
}

/// The handle of an entry that a table takes up, where one is free or at its end.
pub(crate) fn put<T>(entries: &RefCell<Vec<T>>, free: &RefCell<Vec<usize>>, entry: T) -> u64 {
    let mut entries = entries.borrow_mut();
    let index = match free.borrow_mut().pop() {
        Some(index) => {
            entries[index] = entry;
            index
        }
        None => {
            entries.push(entry);
            entries.len() - 1
        }
    };
    index as u64 + FIRST
}

impl Objects {
    /// The handles of objects that are passed, in this order. Groups of operations on tensors are carried out by compiled
    /// code for so many functions of the host, and it may keep many of what they give.
    pub(crate) fn of(passed: &[PyObjectRef], nests: usize, keeps: bool) -> Self {
        let entries = RefCell::new(Vec::with_capacity(passed.len() + ROOM));
        let made = Self { entries, nests: nest::Nests::of(nests, keeps), ..Self::default() };
        passed.iter().for_each(|object| {
            made.put(object.clone(), PASSED, 1, None);
        });
        made
    }

    /// Where compiled code counts owners, and of how many handles.
    pub(crate) fn counts(&self) -> (*mut u32, u64) {
        let counted = self.counted();
        (counted.as_ptr().cast_mut().cast(), counted.len() as u64)
    }

    /// The owners of the first handles.
    #[inline]
    fn counted(&self) -> &[Cell<u32>] {
        self.nests.owners().unwrap_or(&self.few)
    }

    /// Where compiled code finds the rows of objects.
    pub(crate) fn rows(&self) -> *const *mut u64 {
        self.rows.places()
    }

    /// Assigns to attributes what compiled code has written: somebody else may look at them now, or change them.
    pub(crate) fn settle(&self, vm: &VirtualMachine) {
        self.rows.settle(vm);
    }

    /// A new handle of an object.
    fn put(&self, object: PyObjectRef, place: u32, owners: u32, row: Option<rows::Row>) -> u64 {
        let entry = Entry { object: Some(object), owners: Cell::new(owners), place, points: None };
        let handle = put(&self.entries, &self.free, entry);
        if self.nests.are_used() {
            self.nests.note(handle, self.entries.borrow()[(handle - FIRST) as usize].object.as_ref());
        }
        if let Some(counted) = self.counted().get(handle as usize) {
            counted.set(owners);
        }
        self.rows.bind(handle, row);
        handle
    }

    /// How many owners the object of an index has.
    #[inline]
    fn owners<'e>(&'e self, entries: &'e [Entry], index: usize) -> &'e Cell<u32> {
        self.counted().get(index + FIRST as usize).unwrap_or_else(|| &entries[index].owners)
    }

    /// A handle of an object, with one owner.
    #[inline]
    pub(crate) fn give(&self, object: PyObjectRef, place: u32, vm: &VirtualMachine) -> u64 {
        if vm.is_none(&object) {
            return NONE;
        }
        if !class::is_kept(&object, vm) {
            return self.put(object, place, 1, None);
        }
        let row = self.rows.find(&object);
        self.give_kept(object, place, row, vm)
    }

    /// The same for an object that has this row.
    #[inline]
    pub(crate) fn give_of_row(&self, object: PyObjectRef, place: u32, row: rows::Row, vm: &VirtualMachine) -> u64 {
        self.give_kept(object, place, Some(row), vm)
    }

    #[inline]
    fn give_kept(&self, object: PyObjectRef, place: u32, row: Option<rows::Row>, vm: &VirtualMachine) -> u64 {
        let latest = self.latest.borrow().get(place as usize).copied().unwrap_or_default();
        if let Some(index) = (latest as usize).checked_sub(1) {
            let mut entries = self.entries.borrow_mut();
            let owners = self.owners(&entries, index);
            if owners.get() == LATEST {
                owners.set(LATEST | 1);
                self.rows.bind(index as u64 + FIRST, row);
                let entry = &mut entries[index];
                entry.points = None;
                let before = entry.object.replace(object);
                drop(entries);
                self.let_end(before, vm);
                return index as u64 + FIRST;
            }
            owners.set(owners.get() & !LATEST);
        }
        let handle = self.put(object, place, LATEST | 1, row);
        let mut latest = self.latest.borrow_mut();
        let place = place as usize;
        if latest.len() <= place {
            latest.resize(place + 1, 0);
        }
        latest[place] = (handle - FIRST) as u32 + 1;
        handle
    }

    /// Something else than a crossing happens.
    pub(crate) fn forget_read(&self) {
        self.numbers.forget();
    }

    /// Drops what was kept.
    #[inline]
    fn let_end(&self, object: Option<PyObjectRef>, vm: &VirtualMachine) {
        // Its finaliser may run any code, if nobody else holds it.
        let may_run =
            |it: &PyObjectRef| it.strong_count() == 1 && it.class().slots.flags.has_feature(PyTypeFlags::HEAPTYPE);
        if object.as_ref().is_some_and(may_run) {
            self.unseal();
            self.numbers.forget();
            if self.rows.is_used() && object.as_ref().is_some_and(|it| end::ends_noticed(it, 1, &self.rows, vm)) {
                self.settle(vm);
            }
        }
        drop(object);
    }

    /// The object of a handle; `None` if there is none.
    pub(crate) fn get(&self, handle: u64, vm: &VirtualMachine) -> Option<PyObjectRef> {
        match handle {
            NO_OBJECT => None,
            NONE => Some(vm.ctx.none()),
            _ => {
                self.nests.share(handle);
                self.entries.borrow().get((handle - FIRST) as usize)?.object.clone()
            }
        }
    }

    /// What a place gave last, if that may be held.
    pub(crate) fn latest(&self, place: usize) -> Option<PyObjectRef> {
        let latest = self.latest.borrow().get(place).copied().unwrap_or_default();
        if let Some(index) = (latest as usize).checked_sub(1) {
            let entries = self.entries.borrow();
            if self.owners(&entries, index).get() & LATEST != 0 {
                return entries[index].object.clone();
            }
        }
        self.kept.borrow().get(place + 1).cloned().flatten()
    }

    /// The code point of the character of a `str`, or the byte of `bytes`, at an index, 0 where there is none; at
    /// [`TEXT_LEN`] how many there are.
    pub(crate) fn text(&self, handle: u64, index: i64) -> i64 {
        let mut entries = self.entries.borrow_mut();
        let entry = handle.checked_sub(FIRST).and_then(|it| entries.get_mut(it as usize));
        let Some(Entry { object: Some(object), points, .. }) = entry else { return 0 };
        if let Some(bytes) = object.downcast_ref::<PyBytes>() {
            let bytes = bytes.as_bytes();
            let at = || usize::try_from(index).ok().and_then(|it| bytes.get(it)).copied().unwrap_or_default();
            return if index == TEXT_LEN { bytes.len() as i64 } else { at().into() };
        }
        let Some(text) = object.downcast_ref::<PyStr>() else { return 0 };
        if index == TEXT_LEN {
            return text.char_len() as i64;
        }
        let Ok(index) = usize::try_from(index) else { return 0 };
        let point = match text.kind().is_ascii() {
            true => text.as_bytes().get(index).copied().map(u32::from),
            false => {
                let read = || text.as_wtf8().code_points().map(|it| it.to_u32()).collect();
                points.get_or_insert_with(read).get(index).copied()
            }
        };
        point.unwrap_or_default().into()
    }

    /// Whether a list is known to hold nothing but numbers, texts and tuples of them.
    pub(crate) fn is_sealed(&self, list: &PyObjectRef) -> bool {
        self.sealed.borrow().iter().any(|it| it.is(list))
    }

    /// A list holds nothing else.
    pub(crate) fn seal(&self, list: &PyObjectRef) {
        let mut sealed = self.sealed.borrow_mut();
        let oldest = (sealed.len() == MAX_SEALED).then(|| sealed.remove(0));
        sealed.push(list.clone());
        drop((sealed, oldest));
    }

    /// Something else may have been stored in one of them.
    pub(crate) fn unseal(&self) {
        drop(std::mem::take(&mut *self.sealed.borrow_mut()));
    }

    /// An object has an owner more, or one less.
    pub(crate) fn count(&self, handle: u64, more: bool, vm: &VirtualMachine) {
        if handle < FIRST {
            return;
        }
        let index = (handle - FIRST) as usize;
        let (object, place) = {
            let mut entries = self.entries.borrow_mut();
            if index >= entries.len() {
                return;
            }
            let owners = self.owners(&entries, index);
            let now = if more { owners.get() + 1 } else { owners.get() - 1 };
            owners.set(now);
            if now > 0 {
                return;
            }
            let entry = &mut entries[index];
            (entry.object.take(), entry.place)
        };
        self.nests.note(handle, None);
        self.free.borrow_mut().push(index);
        let Some(object) = object.filter(|it| class::may_hold(it, vm)) else { return };
        let mut kept = self.kept.borrow_mut();
        let index = place.wrapping_add(1) as usize;
        if kept.len() <= index {
            kept.resize(index + 1, None);
        }
        let before = kept[index].replace(object);
        drop(kept);
        self.let_end(before, vm);
    }
}
