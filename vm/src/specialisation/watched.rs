//! Code that holds on to an object which gets a weak reference is dropped: the program sees when such an object ends.
//!
//! Code is not made in the first place where there is one already (`capture/ends.rs`). What is made from here on for the
//! same calls is plain.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Weak};

use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::object::Traverse;
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObject};

use super::Specialisation;
use super::cache::Shelf;
use crate::capture::ends::lasts;

/// The shelves with code that holds on to objects.
#[derive(Default)]
struct Holders {
    /// By the identity of an object, which lives as long as the code.
    shelves: HashMap<usize, Vec<Weak<Shelf>>>,
    /// With so many objects, those are looked for whose code is gone.
    most: usize,
}

static HOLDERS: LazyLock<PyMutex<Holders>> = LazyLock::new(PyMutex::default);
/// So many objects are nothing to look through.
const FEW: usize = 1024;

/// The objects that a weak reference can be made to and that code holds on to, by identity.
pub(super) fn held_by(code: &Specialisation) -> Vec<usize> {
    let mut held = Vec::new();
    code.traverse(&mut |object| {
        if !lasts(object) && object.class().slots().flags.has_feature(PyTypeFlags::HEAPTYPE) {
            held.push(object.get_id());
        }
    });
    held.sort_unstable();
    held.dedup();
    held
}

/// Notes that there is code on a shelf that holds on to these.
pub(super) fn watch(shelf: &Arc<Shelf>, held: &[usize]) {
    if held.is_empty() {
        return;
    }
    let mut holders = HOLDERS.lock();
    if holders.shelves.len() > holders.most {
        holders.shelves.retain(|_, shelves| shelves.iter().any(|it| it.strong_count() > 0));
        holders.most = FEW.max(2 * holders.shelves.len());
    }
    for object in held {
        let shelves = holders.shelves.entry(*object).or_default();
        if !shelves.iter().any(|it| std::ptr::eq(it.as_ptr(), Arc::as_ptr(shelf))) {
            shelves.push(Arc::downgrade(shelf));
        }
    }
}

/// A weak reference has been made to an object.
pub(crate) fn is_referred_to(object: &PyObject) {
    let Some(shelves) = HOLDERS.lock().shelves.remove(&object.get_id()) else { return };
    // What is dropped may be the last to hold something: no lock is held then.
    for shelf in shelves.iter().filter_map(Weak::upgrade) {
        drop(shelf.without(|code| held_by(code).binary_search(&object.get_id()).is_ok()));
    }
}
