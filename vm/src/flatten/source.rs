//! Variables that are inputs of compiled code though they are no parameters.
//!
//! A number that is read from a global variable, an attribute or a closure is first taken as it is, and
//! guarded. When it has changed, the place it is read from becomes an input: compiled code is given what is
//! there at each call.

mod table;

use rustpython_vm::builtins::{PyDictRef, PyStr};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use crate::host;

pub(crate) use table::Table;

/// A place from which a number is read at each call.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// The item of a dict with a string key: a global variable, an attribute.
    Item {
        dict: PyDictRef,
        /// The key, a `str`.
        key: PyObjectRef,
    },
    /// The value of a cell.
    Cell(PyObjectRef),
    /// What is in a dict of numbers, or a set of them.
    Members(PyObjectRef),
    /// A constant table.
    Table(Table),
}

impl Source {
    /// What is there now.
    pub(crate) fn read(&self, vm: &VirtualMachine) -> Option<PyObjectRef> {
        match self {
            Self::Item { dict, key } => dict.get_item_opt(&**key, vm).ok().flatten(),
            Self::Cell(cell) => host::cell::cell_get(cell, vm),
            Self::Members(object) | Self::Table(Table { object, .. }) => Some(object.clone()),
        }
    }

    /// Whether it can be an input where others may see the place: capture lets the others show what is known later.
    pub(crate) fn is_shareable(&self) -> bool {
        matches!(self, Self::Item { .. } | Self::Table(_))
    }

    /// Whether this is the same place.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Item { dict: a, key: x }, Self::Item { dict: b, key: y }) => a.is(b) && text(x) == text(y),
            (Self::Cell(a), Self::Cell(b)) | (Self::Members(a), Self::Members(b)) => a.is(b),
            (Self::Table(a), Self::Table(b)) => a.object.is(&b.object),
            _ => false,
        }
    }

    /// What it is, in a sentence.
    pub(crate) fn subject(&self) -> String {
        match self {
            Self::Item { .. } => format!("name `{}`", self.describe()),
            Self::Cell(_) | Self::Members(_) | Self::Table(_) => self.describe(),
        }
    }

    /// What it is, for people.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Item { key, .. } => text(key).unwrap_or_default(),
            Self::Cell(_) => "a closure variable".to_owned(),
            Self::Members(object) | Self::Table(Table { object, .. }) => format!("a {}", object.class().name()),
        }
    }
}

fn text(key: &PyObjectRef) -> Option<String> {
    key.downcast_ref::<PyStr>().map(|key| key.to_string_lossy().into_owned())
}
