//! What compiled code is told of tensors, so that it carries out groups of operations on them itself: see
//! [`snekpy_stage::tensor::nest`].
//!
//! What such a group has given is kept with its handle when nobody needs it any more. The group writes over it when it
//! comes again, unless somebody else may have the tensor, or a view of it, by then.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use rustpython_vm::{PyObjectRef, VirtualMachine};
use snekpy_stage::backend::{KEPT, NO_OBJECT, TensorPlace};
use snekpy_stage::ir::HostData;
use snekpy_stage::sizes;
use snekpy_stage::tensor::nest::{self, MOST_OPERANDS};
use snekpy_stage::tensor::{Tensor, trace};
use snekpy_stage::types::Type;

use super::tensor::{has_memory, is_spare};
use super::{COUNTED, FIRST, Objects};
use crate::tensor;

/// Of so many handles there are tables where code keeps tensors in lists: those of a loop that is differentiated.
const MANY: usize = 1 << 14;
/// So many of these tables are ready for calls of a thread to come.
const READY: usize = 2;

thread_local! {
    static TABLES: RefCell<Vec<Tables>> = const { RefCell::new(Vec::new()) };
}

/// Tables of handles.
#[derive(Default, Debug)]
struct Tables {
    /// How many owners their objects have; none if the usual table says so.
    owners: Box<[Cell<u32>]>,
    /// What is known of their tensors.
    tensors: Box<[Cell<TensorPlace>]>,
}

impl Tables {
    fn of(owners: usize, tensors: usize) -> Self {
        Self {
            owners: (0..owners).map(|_| Cell::new(0)).collect(),
            tensors: (0..tensors).map(|_| Cell::new(TensorPlace::NONE)).collect(),
        }
    }
}

/// The tables of one call.
#[derive(Default, Debug)]
pub(super) struct Nests {
    /// Empty if no group is carried out by compiled code.
    tables: Tables,
    /// The greatest handle that they were told of.
    greatest: Cell<usize>,
    /// What each function of the host has given last as such a group.
    given: Box<[Cell<[u32; 2]>]>,
    /// Dense copies of operands: as many as one nest may read, at least.
    copies: RefCell<VecDeque<Tensor>>,
}

impl Nests {
    /// For so many functions of the host; none if nothing is carried out by compiled code.
    pub(super) fn of(hosts: usize, keeps: bool) -> Self {
        let tables = match hosts {
            0 => Tables::default(),
            _ if keeps => TABLES.with_borrow_mut(Vec::pop).unwrap_or_else(|| Tables::of(MANY, MANY)),
            _ => Tables::of(0, COUNTED),
        };
        let given = (0..hosts).map(|_| Cell::default()).collect();
        Self { tables, greatest: Cell::new(0), given, copies: RefCell::default() }
    }

    /// The owners of the first handles, if they are here.
    #[inline]
    pub(super) fn owners(&self) -> Option<&[Cell<u32>]> {
        Some(&*self.tables.owners).filter(|it| !it.is_empty())
    }

    /// Whether compiled code looks at these tables.
    #[inline]
    pub(super) fn are_used(&self) -> bool {
        !self.tables.tensors.is_empty()
    }

    /// Where compiled code finds them.
    pub(super) fn places(&self) -> (*const TensorPlace, *mut [u32; 2]) {
        (self.tables.tensors.as_ptr().cast(), self.given.as_ptr().cast_mut().cast())
    }

    /// Notes the object that a handle is of now.
    #[inline]
    pub(super) fn note(&self, handle: u64, object: Option<&PyObjectRef>) {
        if let Some(place) = self.tables.tensors.get(handle as usize) {
            place.set(object.map_or(TensorPlace::NONE, described));
            self.greatest.set(self.greatest.get().max(handle as usize));
        }
    }

    /// Somebody else may have what a handle is of.
    #[inline]
    pub(super) fn share(&self, handle: u64) {
        if let Some(place) = self.tables.tensors.get(handle as usize) {
            place.set(TensorPlace { alone: 0, ..place.get() });
        }
    }
}

impl Drop for Nests {
    fn drop(&mut self) {
        let tables = std::mem::take(&mut self.tables);
        if tables.owners.is_empty() {
            return;
        }
        let used = 0..=self.greatest.get();
        tables.owners[used.clone()].iter().for_each(|it| it.set(0));
        tables.tensors[used].iter().for_each(|it| it.set(TensorPlace::NONE));
        // Where the thread ends there is no later call.
        let _ = TABLES.try_with(|all| {
            let mut all = all.borrow_mut();
            if all.len() < READY {
                all.push(tables);
            }
        });
    }
}

fn described(object: &PyObjectRef) -> TensorPlace {
    let is_plain = |it: &&Tensor| it.staged().is_none() && has_memory(it) && it.is_dense();
    match tensor::of(object).filter(is_plain) {
        Some(tensor) => TensorPlace { data: tensor.first(), alone: is_spare(object, tensor).into() },
        None => TensorPlace::NONE,
    }
}

impl Objects {
    /// Where compiled code finds what is known of tensors.
    pub(crate) fn nests(&self) -> (*const TensorPlace, *mut [u32; 2]) {
        self.nests.places()
    }

    /// The host looks at objects, and may keep them: those that these slots are handles of, as far as they are.
    #[inline]
    pub(crate) fn share(&self, slots: &[u64]) {
        if self.nests.are_used() {
            slots.iter().for_each(|slot| self.nests.share(*slot));
        }
    }

    /// A handle of a tensor that is not written yet, for what a group gives at a place; none if its size is known only later,
    /// there is no memory, or compiled code would not find it.
    pub(crate) fn blank(&self, data: &HostData, place: u32, vm: &VirtualMachine) -> Option<u64> {
        let &[Type::Tensor(ty)] = &data.results[..] else { return None };
        let next = self.free.borrow().last().copied().unwrap_or_else(|| self.entries.borrow().len());
        let dims = ty.shape.dims();
        if next + FIRST as usize >= self.counted().len() || dims.iter().any(|it| sizes::is_later(*it)) {
            return None;
        }
        let made = Tensor::blank(ty.dtype, dims).ok()?;
        Some(self.give_again(tensor::library()?.array(made, vm), place))
    }

    /// The first element of a dense copy of a tensor that does not lie dense, which is there until as many others are asked
    /// for as a nest has operands; none if it is large or lies elsewhere.
    pub(crate) fn dense(&self, handle: u64) -> Option<*const u8> {
        let entries = self.entries.borrow();
        let object = entries.get(usize::try_from(handle.checked_sub(FIRST)?).ok()?)?.object.as_ref()?;
        let is_one = |it: &&Tensor| it.staged().is_none() && has_memory(it) && it.count() <= nest::MOST;
        let copy = trace::eagerly(|| tensor::of(object).filter(is_one)?.to_dense().ok())?;
        let mut copies = self.nests.copies.borrow_mut();
        copies.truncate(MOST_OPERANDS - 1);
        let first = copy.first();
        copies.push_front(copy);
        Some(first.cast_const())
    }

    /// A handle of what a group has given at a place: the one of what it gave before, if nobody needs that any more.
    pub(super) fn give_again(&self, object: PyObjectRef, place: u32) -> u64 {
        let Some(given) = self.nests.given.get(place as usize) else { return self.put(object, place, 1, None) };
        let [older, newer] = given.get();
        for handle in [older, newer].map(u64::from) {
            let Some(owners) = self.counted().get(handle as usize).filter(|it| it.get() == KEPT) else { continue };
            owners.set(KEPT | 1);
            self.nests.note(handle, Some(&object));
            let before = self.entries.borrow_mut()[(handle - FIRST) as usize].object.replace(object);
            drop(before);
            return handle;
        }
        let handle = self.put(object, place, KEPT | 1, None);
        let Some(owners) = self.counted().get(handle as usize) else {
            // Compiled code counts the owners of others itself.
            self.disown(handle);
            return handle;
        };
        owners.set(KEPT | 1);
        if u64::from(older) != NO_OBJECT {
            // Of three that live at once the first is not kept.
            self.disown(u64::from(older));
        }
        given.set([newer, handle as u32]);
        handle
    }

    /// What a handle is of ends with its last owner.
    fn disown(&self, handle: u64) {
        let entries = self.entries.borrow();
        let owners = self.owners(&entries, (handle - FIRST) as usize);
        owners.set(owners.get() & !KEPT);
    }
}
