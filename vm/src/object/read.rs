//! The attributes that crossings have just read, and that are numbers.
//!
//! What is assigned to an attribute ends what was there, and the program may notice that. `point.x += 1` need not look: it has
//! just read a number.

use std::cell::Cell;
use std::fmt;

use rustpython_vm::builtins::{PyDictRef, PyStrInterned};
use rustpython_vm::{AsObject, PyObject};

/// Where an attribute lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The identity of the dict, or of the object if that has none.
    owner: usize,
    name: usize,
}

impl Place {
    #[inline]
    pub(crate) fn of(object: &PyObject, dict: Option<&PyDictRef>, name: &'static PyStrInterned) -> Self {
        let owner = dict.map_or(object.get_id(), |it| it.as_object().get_id());
        Self { owner, name: std::ptr::from_ref(name) as usize }
    }
}

/// The latest ones, as long as nothing else happens.
#[derive(Default)]
pub(crate) struct Numbers {
    places: [Cell<Option<Place>>; 2],
    /// The object of the latest one, and its dict.
    dict: Cell<Option<(usize, PyDictRef)>>,
}

impl Numbers {
    /// A number was read there, in an object with this dict.
    #[inline]
    pub(crate) fn note(&self, place: Place, object: usize, dict: Option<PyDictRef>) {
        self.places[1].set(self.places[0].replace(Some(place)));
        self.dict.set(dict.map(|dict| (object, dict)));
    }

    /// Whether there is a number.
    #[inline]
    pub(crate) fn has(&self, place: Place) -> bool {
        self.places.iter().any(|it| it.get() == Some(place))
    }

    /// The dict of an object.
    #[inline]
    pub(crate) fn dict_of(&self, object: &PyObject) -> Option<PyDictRef> {
        match self.dict.take() {
            Some((of, dict)) if of == object.get_id() => Some(dict),
            _ => object.dict(),
        }
    }

    /// Something else happens.
    #[inline]
    pub(crate) fn forget(&self) {
        self.places.iter().for_each(|it| it.set(None));
        self.dict.take();
    }
}

impl fmt::Debug for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Numbers").field(&self.places).finish()
    }
}
