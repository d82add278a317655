//! Copies of the iterators that loops have made.
//!
//! An iterator on the value stack of a suspended frame that nobody else can see is the position of a loop, and
//! belongs to the frame: it is copied with it. One that somebody else can see is an object like any other. What
//! cannot be copied is the state of native code or of a generator.

use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

use crate::host::steps::Steps;

/// An iterator that cannot be copied.
pub(crate) struct Uncopied {
    /// What its class is called.
    pub(crate) class: String,
}

/// How an iterator is copied.
enum Way {
    /// It is an object like any other.
    Shared,
    /// It remembers an object and a position.
    Position,
    /// It goes over other iterators.
    Round,
    /// Not at all.
    Uncopied,
}

/// `owners` is how many references those who look at it have.
fn way_of(iterator: &PyObject, owners: usize, vm: &VirtualMachine) -> Way {
    let class = iterator.class();
    if iterator.strong_count() > owners || class.slots.flags.has_feature(PyTypeFlags::HEAPTYPE) {
        return Way::Shared;
    }
    let types = &vm.ctx.types;
    let positions = [
        types.list_iterator_type,
        types.list_reverseiterator_type,
        types.tuple_iterator_type,
        types.range_iterator_type,
        types.long_range_iterator_type,
        types.str_iterator_type,
        types.bytes_iterator_type,
        types.bytearray_iterator_type,
        types.reverse_iter_type,
    ];
    if positions.iter().any(|it| class.is(*it)) || iterator.downcast_ref::<Steps>().is_some() {
        return Way::Position;
    }
    let round = [types.enumerate_type, types.zip_type, types.map_type, types.filter_type];
    if round.iter().any(|it| class.is(*it)) { Way::Round } else { Way::Uncopied }
}

/// An iterator that gives what this one gives from here on; itself, if somebody else can see it.
pub(super) fn copy(iterator: &PyObjectRef, vm: &VirtualMachine) -> PyResult {
    copy_owned(iterator, 1, vm)
}

/// Why an iterator cannot be copied.
pub(super) fn uncopied(iterator: &PyObjectRef, vm: &VirtualMachine) -> Option<Uncopied> {
    uncopied_owned(iterator, 1, vm)
}

fn uncopied_owned(iterator: &PyObjectRef, owners: usize, vm: &VirtualMachine) -> Option<Uncopied> {
    match way_of(iterator, owners, vm) {
        Way::Shared | Way::Position => None,
        Way::Round => inner(iterator, vm).ok()?.0.iter().find_map(|it| uncopied_owned(it, INNER_OWNERS, vm)),
        Way::Uncopied => Some(Uncopied { class: iterator.class().name().to_string() }),
    }
}

/// An iterator inside another one is also in the tuple that tells about the outer one, and in ours.
const INNER_OWNERS: usize = 3;

fn copy_owned(iterator: &PyObjectRef, owners: usize, vm: &VirtualMachine) -> PyResult {
    match way_of(iterator, owners, vm) {
        Way::Shared | Way::Uncopied => Ok(iterator.clone()),
        Way::Position => {
            let reduced = vm.call_method(iterator, "__reduce__", ())?;
            let [callable, args, state @ ..] = super::items(&reduced) else { return Ok(iterator.clone()) };
            let copied = callable.call(super::items(args).to_vec(), vm)?;
            set_state(&copied, state, vm)?;
            Ok(copied)
        }
        Way::Round => {
            let (inners, reduced) = inner(iterator, vm)?;
            let [callable, args, state @ ..] = super::items(&reduced) else { return Ok(iterator.clone()) };
            let mut args = super::items(args).to_vec();
            for arg in &mut args {
                if let Some(it) = inners.iter().find(|it| it.is(arg)) {
                    // `args` holds it once more.
                    *arg = copy_owned(it, INNER_OWNERS + 1, vm)?;
                }
            }
            let copied = callable.call(args, vm)?;
            set_state(&copied, state, vm)?;
            Ok(copied)
        }
    }
}

/// The iterators that one goes over, and what tells how it is made.
fn inner(iterator: &PyObjectRef, vm: &VirtualMachine) -> PyResult<(Vec<PyObjectRef>, PyObjectRef)> {
    let reduced = vm.call_method(iterator, "__reduce__", ())?;
    let types = &vm.ctx.types;
    let class = iterator.class();
    let args = super::items(super::items(&reduced).get(1).map_or(&reduced, |it| it));
    let inners = if class.is(types.enumerate_type) {
        args.get(..1)
    } else if class.is(types.zip_type) {
        Some(args)
    } else {
        args.get(1..)
    };
    Ok((inners.unwrap_or_default().to_vec(), reduced.clone()))
}

fn set_state(copied: &PyObject, state: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<()> {
    match state {
        [state] if !vm.is_none(state) => vm.call_method(copied, "__setstate__", (state.clone(),)).map(drop),
        _ => Ok(()),
    }
}
