//! Other objects take the place of some, wherever a path knows them.

use rustc_hash::FxHashMap as HashMap;
use rustpython_vm::builtins::{PyFunction, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef};

use super::Walk;
use crate::capture::ends;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::value::Num;

/// A path like this one, where others take the place of these objects, by identity; `None` if one of them is where none
/// can.
pub(crate) fn replace_objects(
    session: &Session<'_>,
    state: &State,
    swaps: &HashMap<usize, PyObjectRef>,
) -> Option<State> {
    let mut result = state.clone();
    let mut walk = Walk::new(session, state, None);
    walk.swaps = Some(swaps);
    // What the path has changed or made it may have put them into.
    let roots = state.heap.iter().map(|(number, _)| *number).collect();
    let mut sink = |_: &mut Walk<'_>, obj: &PyObjectRef, _: Num| obj.clone();
    walk.state(&mut result, &roots, &mut sink);
    let Walk { copies, trails, is_stuck, .. } = walk;
    if is_stuck {
        return None;
    }
    copies.into_iter().for_each(|copy| session.note_fresh(copy));
    result.raised.extend(trails);
    let swapped = |it: &PyObjectRef| swaps.get(&it.get_id()).unwrap_or(it).clone();
    for frame in &mut result.frames {
        if frame.bound.as_slice().iter().any(|it| swaps.contains_key(&it.get_id())) {
            frame.bound = session.vm.ctx.new_tuple(frame.bound.as_slice().iter().map(swapped).collect());
        }
    }
    Some(result)
}

impl Walk<'_> {
    /// What the walk does not look into must hold none of the objects that others take the place of.
    pub(super) fn look_for_swapped(&mut self, object: &PyObjectRef) {
        let Some(swaps) = self.swaps else { return };
        let holds = |it: &PyObjectRef| {
            let is_one = |it: &PyObjectRef| swaps.contains_key(&it.get_id());
            is_one(it) || it.downcast_ref::<PyTuple>().is_some_and(|it| it.as_slice().iter().any(is_one))
        };
        self.is_stuck |= !ends::lasts(object) && object.gc_get_referents().iter().any(holds)
            || object.downcast_ref::<PyFunction>().is_some() && object.gc_get_referents().iter().any(holds);
    }
}
