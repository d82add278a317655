//! The objects whose contents compiled code knows.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use rustpython_vm::builtins::PyTuple;
use rustpython_vm::{AsObject, PyObject, VirtualMachine};

use super::class::is_flat;
use super::look::{goes_over_another, is_over_another, sources};

/// A set of identities that mostly says no, and that at once.
#[derive(Default, Debug)]
pub(crate) struct Identities {
    ids: BTreeSet<usize>,
    /// The bits of those that are in it.
    bits: u64,
}

/// The bit of an identity: objects lie 16 bytes apart at least.
const fn bit(id: usize) -> u64 {
    let mixed = (id as u64 >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    1 << (mixed >> 58)
}

impl From<BTreeSet<usize>> for Identities {
    fn from(ids: BTreeSet<usize>) -> Self {
        Self { bits: ids.iter().fold(0, |bits, id| bits | bit(*id)), ids }
    }
}

impl Identities {
    /// All of them.
    pub(crate) const fn all(&self) -> &BTreeSet<usize> {
        &self.ids
    }

    fn has(&self, id: usize) -> bool {
        self.bits & bit(id) != 0 && self.ids.contains(&id)
    }
}

/// The objects whose contents the code of a call knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    /// Those of the world.
    pub(crate) fixed: &'a Identities,
    /// Those among the arguments.
    pub(crate) passed: &'a Identities,
    /// The iterators and views that crossings have made, of what the code does not know.
    pub(crate) made: &'a RefCell<FxHashSet<usize>>,
}

impl Known<'_> {
    fn knows(&self, id: usize) -> bool {
        self.fixed.has(id) || self.passed.has(id)
    }

    const fn is_empty(&self) -> bool {
        self.fixed.bits | self.passed.bits == 0
    }

    /// Whether an iterator or view is of something that the code knows, or may be.
    fn knows_behind(&self, object: &PyObject, vm: &VirtualMachine) -> bool {
        if !is_over_another(object, vm)
            || self.made.borrow().contains(&object.get_id())
            || !goes_over_another(object, vm)
        {
            return false;
        }
        match sources(object, vm) {
            // An iterator over others may be of anything.
            Some(sources) => sources.iter().any(|it| self.knows(it.get_id()) || goes_over_another(it, vm)),
            None => &*object.class().slot_name() != "numpy.ndarray_iterator",
        }
    }
}

/// Notes what a crossing has made of operands that are free: for as long as the call runs, nothing else is made where
/// it lies in memory.
pub(crate) fn note_made(object: &PyObject, known: Known<'_>, vm: &VirtualMachine) {
    if !known.is_empty() && goes_over_another(object, vm) {
        known.made.borrow_mut().insert(object.get_id());
    }
}

/// Whether the code knows nothing of what is in an object, in its attributes, in an item of a tuple or in what an
/// iterator or view is of: what it knows by itself, it may have changed without telling, and must be told of changes.
#[inline]
pub(crate) fn is_free(object: &PyObject, known: Known<'_>, vm: &VirtualMachine) -> bool {
    is_free_with(object, || dict_of(object), known, vm)
}

/// The same for an object whose attributes lie in this dict.
#[inline]
pub(crate) fn is_free_with(
    object: &PyObject,
    dict: impl FnOnce() -> Option<usize>,
    known: Known<'_>,
    vm: &VirtualMachine,
) -> bool {
    if known.is_empty() {
        return true;
    }
    let types = &vm.ctx.types;
    let class = object.class();
    if class.is(types.list_type) || class.is(types.dict_type) {
        return !known.knows(object.get_id());
    }
    !is_known_inside(object, dict(), known, vm) || is_flat(object, vm)
}

fn dict_of(object: &PyObject) -> Option<usize> {
    object.dict().map(|it| it.as_object().get_id())
}

fn is_known_inside(object: &PyObject, dict: Option<usize>, known: Known<'_>, vm: &VirtualMachine) -> bool {
    // What has no state is flat, and hardly anything is known: that is asked first, for it is told at once.
    let is_inside = |it: &PyObject| is_known_inside(it, dict_of(it), known, vm) && !is_flat(it, vm);
    known.knows(object.get_id())
        || dict.is_some_and(|dict| known.knows(dict))
        || known.knows_behind(object, vm)
        || object.downcast_ref::<PyTuple>().is_some_and(|it| it.as_slice().iter().any(|it| is_inside(it)))
}
