//! What compiled code is told of tensors, so that it carries out groups of operations on them itself: see
//! [`snekpy_stage::tensor::nest`].
//!
//! What such a group has given is kept with its handle when nobody needs it any more. The group writes over it when it
//! comes again, unless somebody else may have the tensor, or a view of it, by then.

use std::cell::Cell;

use rustpython_vm::PyObjectRef;
use snekpy_stage::backend::{KEPT, NO_OBJECT, TensorPlace};
use snekpy_stage::tensor::Tensor;

use super::tensor::{has_memory, is_spare};
use super::{COUNTED, FIRST, Objects};
use crate::tensor;

/// The tables of one call.
#[derive(Default, Debug)]
pub(super) struct Nests {
    /// What is known of the tensors of the first handles. Empty if no group is carried out by compiled code.
    tensors: Box<[Cell<TensorPlace>]>,
    /// What each function of the host has given last as such a group.
    given: Box<[Cell<[u32; 2]>]>,
}

impl Nests {
    /// For so many functions of the host; none if nothing is carried out by compiled code.
    pub(super) fn of(hosts: usize) -> Self {
        let tensors = if hosts == 0 { 0 } else { COUNTED };
        Self {
            tensors: (0..tensors).map(|_| Cell::new(TensorPlace::NONE)).collect(),
            given: (0..hosts).map(|_| Cell::default()).collect(),
        }
    }

    /// Whether compiled code looks at these tables.
    #[inline]
    pub(super) fn are_used(&self) -> bool {
        !self.tensors.is_empty()
    }

    /// Where compiled code finds them.
    pub(super) fn places(&self) -> (*const TensorPlace, *mut [u32; 2]) {
        (self.tensors.as_ptr().cast(), self.given.as_ptr().cast_mut().cast())
    }

    /// Notes the object that a handle is of now.
    #[inline]
    pub(super) fn note(&self, handle: u64, object: Option<&PyObjectRef>) {
        if let Some(place) = self.tensors.get(handle as usize) {
            place.set(object.map_or(TensorPlace::NONE, described));
        }
    }

    /// Somebody else may have what a handle is of.
    #[inline]
    pub(super) fn share(&self, handle: u64) {
        if let Some(place) = self.tensors.get(handle as usize) {
            place.set(TensorPlace { alone: 0, ..place.get() });
        }
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

    /// A handle of what a group has given at a place: the one of what it gave before, if nobody needs that any more.
    pub(super) fn give_again(&self, object: PyObjectRef, place: u32) -> u64 {
        let Some(given) = self.nests.given.get(place as usize) else { return self.put(object, place, 1, None) };
        let [older, newer] = given.get();
        for handle in [older, newer].map(u64::from) {
            let Some(owners) = self.owners.get(handle as usize).filter(|it| it.get() == KEPT) else { continue };
            owners.set(KEPT | 1);
            self.nests.note(handle, Some(&object));
            let before = self.entries.borrow_mut()[(handle - FIRST) as usize].object.replace(object);
            drop(before);
            return handle;
        }
        let handle = self.put(object, place, KEPT | 1, None);
        let Some(owners) = self.owners.get(handle as usize) else {
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
