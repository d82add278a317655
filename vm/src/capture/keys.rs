//! Iteration over dicts, their views and sets whose keys are known.

use rustpython_vm::builtins::{PyDict, PySet};
use rustpython_vm::{AsObject, PyObjectRef};

use crate::capture::iter::{set_shared_state, shared_state};
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{Iter, V};
use crate::capture::values::behind;
use crate::host;

impl Session<'_> {
    /// The keys of a dict or of that behind a view, or the items of a set.
    pub(crate) fn members(&self, object: &PyObjectRef) -> Option<Vec<PyObjectRef>> {
        let vm = self.vm;
        if let Some(set) = object.downcast_ref_if_exact::<PySet>(vm) {
            return Some(set.elements());
        }
        let dict = host::belongs::dict_view(object, vm).map_or_else(|| object.clone(), |(dict, _)| dict);
        dict.downcast_ref_if_exact::<PyDict>(vm).map(|dict| dict.keys_vec())
    }

    /// A dict or set is about to change once more, as far as its iterators are concerned `times` times: those
    /// that no longer see the members with which they began remember it.
    ///
    /// RustPython's iterators compare how their table is laid out. It differs after one key went and one came,
    /// and may be what it was after more than that, or where the last item was popped.
    pub(crate) fn note_changes(&mut self, state: &mut State, object: &PyObjectRef, times: usize) -> Step<()> {
        let is_member_iterator = |entry: &V| matches!(entry, V::Iter(iter) if goes_over_members(iter));
        let any = state.frames.iter().flat_map(|frame| &frame.stack).any(is_member_iterator);
        if !any && self.objects.member_iterators.is_empty() {
            return Ok(());
        }
        let Some(now) = self.members(object) else { return Ok(()) };
        for frame in &mut state.frames {
            for entry in &mut frame.stack {
                if let V::Iter(iter) = entry {
                    self.note_change(iter, object, &now, times);
                }
            }
        }
        for shared in self.objects.member_iterators.clone() {
            let mut inner = shared_state(&shared);
            if self.note_change(&mut inner, object, &now, times) {
                self.touch(state, &shared)?;
                set_shared_state(&shared, inner);
            }
        }
        Ok(())
    }

    /// Whether it is an iterator over this object that no longer sees the members with which it began.
    fn note_change(&self, iter: &mut Iter, object: &PyObjectRef, now: &[PyObjectRef], times: usize) -> bool {
        match iter {
            Iter::Members { of, members, changes, .. } if behind(of, self.vm).0.is(object) => {
                let differs = !same_members(now, members);
                *changes += if differs { times } else { 0 };
                differs
            }
            Iter::Enumerate { inner, .. } => self.note_change(inner, object, now, times),
            Iter::Zip { inners, .. } => {
                let noted = |inner: &mut Iter| self.note_change(inner, object, now, times);
                inners.iter_mut().map(noted).filter(|it| *it).count() > 0
            }
            _ => false,
        }
    }

    /// The next item of a dict, a view or a set. Changing its size meanwhile is an error.
    pub(crate) fn next_member(
        &self,
        of: &PyObjectRef,
        members: &[PyObjectRef],
        given: &mut usize,
        changes: usize,
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        self.refuse_grown(of, "an iterator that is older than the keys")?;
        let now = self.members(of).unwrap_or_default();
        let is_set = of.class().is(vm.ctx.types.set_type);
        if changes > 1 && now.len() == members.len() {
            return Err(refuse("S271", "iteration over a dict or set whose keys changed and are as many again").into());
        }
        if changes > 0 || !same_members(&now, members) {
            let what = if is_set { "Set" } else { "dictionary" };
            return Err(Stop::Raise(vm.new_runtime_error(format!("{what} changed size during iteration"))));
        }
        let Some(key) = members.get(*given) else { return Ok(None) };
        *given += 1;
        let Some((dict, method)) = host::belongs::dict_view(of, vm) else { return Ok(Some(key.clone())) };
        let value = || dict.get_item(&**key, vm);
        Ok(Some(match method {
            "keys" => key.clone(),
            "values" => value()?,
            _ => vm.ctx.new_tuple(vec![key.clone(), value()?]).into(),
        }))
    }

    /// Whether it is an iterator whose dict or set holds other members than when it began.
    pub(crate) fn sees_other_members(&self, iter: &Iter) -> bool {
        let Iter::Members { of, members, changes, .. } = iter else { return false };
        *changes > 0 || !same_members(&self.members(of).unwrap_or_default(), members)
    }
}

/// Whether the iterator gives members of a dict or set.
pub(crate) fn goes_over_members(iter: &Iter) -> bool {
    match iter {
        Iter::Members { .. } => true,
        Iter::Enumerate { inner, .. } => goes_over_members(inner),
        Iter::Zip { inners, .. } => inners.iter().any(goes_over_members),
        _ => false,
    }
}

fn same_members(now: &[PyObjectRef], then: &[PyObjectRef]) -> bool {
    now.len() == then.len() && now.iter().zip(then).all(|(a, b)| a.is(b))
}
