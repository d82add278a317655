//! The attributes that crossings have just read, and that are numbers.
//!
//! What is assigned to an attribute ends what was there, and the program may notice that. `point.x += 1` need not look: it has
//! just read a number.

use std::cell::Cell;

use rustpython_vm::builtins::{PyDictRef, PyStrInterned};
use rustpython_vm::{AsObject, PyObject};

/// Where an attribute lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The identity of the dict, or of the object if that has none.
    owner: usize,
    name: usize,
}

impl Place {
    #[inline]
    pub(super) fn of(object: &PyObject, dict: Option<&PyDictRef>, name: &'static PyStrInterned) -> Self {
        let owner = dict.map_or(object.get_id(), |it| it.as_object().get_id());
        Self { owner, name: std::ptr::from_ref(name) as usize }
    }
}

/// The latest ones, as long as nothing else happens.
#[derive(Default, Debug)]
pub(super) struct Numbers([Cell<Option<Place>>; 2]);

impl Numbers {
    /// A number was read there.
    #[inline]
    pub(super) fn note(&self, place: Place) {
        self.0[1].set(self.0[0].replace(Some(place)));
    }

    /// Whether there is a number.
    #[inline]
    pub(super) fn has(&self, place: Place) -> bool {
        self.0.iter().any(|it| it.get() == Some(place))
    }

    /// Something else happens.
    #[inline]
    pub(super) fn forget(&self) {
        self.0.iter().for_each(|it| it.set(None));
    }
}
