//! What functions that stay functions change outside of them.
//!
//! They cannot: what they change is a value of the compiled code before the call, or the call is left. A dict or set of
//! numbers that one fills becomes one in the variable that holds it; lists of numbers, where the program has made them; a
//! list that is passed to the captured call is copied into it, and the call is captured again.

use std::collections::BTreeSet;

use rustpython_vm::builtins::PyTuple;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use snekpy_stage::types::MapType;

use super::{Outline, arguments_of};
use crate::capture::assumptions::Assumption;
use crate::capture::explore::Abort;
use crate::capture::heap::{self, Contents, Heap};
use crate::capture::list::in_items;
use crate::capture::map;
use crate::capture::session::Session;
use crate::capture::shape::{self, Grown, NumberList};
use crate::capture::state::{Frame, State};
use crate::capture::step::refuse;
use crate::capture::stop::Step;
use crate::capture::value::{self, Iter};
use crate::captured::OfArguments;
use crate::flatten::Copied;
use crate::host;

impl Session<'_> {
    /// The lists in the arguments of this call, if those of both calls differ in nothing but numbers and the lengths of
    /// lists of them.
    pub(super) fn differ_in_lengths(&self, state: &State, below: &Frame, frame: &Frame) -> Option<Vec<NumberList>> {
        let form_of = |frame: &Frame| shape::form(self, &arguments_of(state, frame), &BTreeSet::new());
        let ((below, _), (here, lists)) = (form_of(below), form_of(frame));
        let differ = lists.iter().any(|it| !it.staged && matches!(it.ty, Some(Grown::List(_))));
        (differ && below.fits(&here)).then_some(lists)
    }

    /// A list of known length that is passed to the captured call.
    pub(super) fn as_passed(&self, list: NumberList) -> Option<Copied> {
        let place =
            self.given.arguments.get(&list.object.get_id()).filter(|_| self.given.may_copy && !list.staged)?.clone();
        let Some(Grown::List(items)) = list.ty else { return None };
        Some(Copied::Passed { place, items })
    }

    /// Lists of numbers that the program has made, among the arguments of a call, become lists of the compiled code.
    pub(super) fn stage_lists_of(&mut self, state: &mut State, frame: &Frame) -> Step<()> {
        let mut seen = arguments_of(state, frame);
        heap::save(&mut seen.heap, &self.objects.changed, self.vm);
        let (_, lists) = shape::form(self, &seen, &BTreeSet::new());
        for list in lists {
            if let Some(Grown::List(ty)) = list.ty
                && !list.staged
                && self.is_fresh(&list.object)
            {
                self.stage_here(state, &list.object, &ty)?;
            }
        }
        Ok(())
    }

    /// A function of the IR changes no object that exists outside it.
    pub(super) fn check_effects(
        &mut self,
        returned: &[State],
        before: &Heap,
        func: &PyObjectRef,
        entry: &State,
    ) -> Result<(), Abort> {
        for state in returned {
            for (number, now) in &state.heap {
                let known = before.get(number);
                let is_old = known.is_some() || *number < self.objects.outside || !self.is_fresh(&now.object);
                let was =
                    known.map_or_else(|| self.base.entry(*number).contents.clone(), |entry| entry.contents.clone());
                if is_old && !same_contents(&was, &now.contents, self.vm) {
                    if let Some(key) = self.learn_filled(entry, &was, now) {
                        return Err(Abort::Learn(Assumption::Outline(Box::new(key))));
                    }
                    self.learn_changed(entry, &was, now)?;
                    let refusal = refuse(
                        "S323",
                        format!(
                            "the recursive function `{}` changes an object that exists outside it",
                            self.name_of(func)
                        ),
                    )
                    .help("return the new value instead");
                    return Err(self.abort(refusal.into(), entry));
                }
            }
        }
        Ok(())
    }

    /// A function fills a dict or set that exists outside it under staged keys: from now on, it is one of the compiled
    /// code before the call. `None` if it cannot be.
    fn learn_filled(&mut self, entry: &State, was: &Contents, now: &heap::Entry) -> Option<Outline> {
        let ty = map::in_contents(&now.contents).and(map::numbers(&now.contents, self.vm)).flatten()?;
        let fits = map::in_contents(was).is_none() && map::numbers(was, self.vm)?.is_none_or(|known| known == ty);
        let frame = entry.frame();
        let code = frame.code.object.as_object().get_id();
        let place = self.variables_of(entry, frame).into_iter().find(|(_, it)| it.is(&now.object))?.0;
        if !fits || self.calls.outlined.filled.insert((code, place), ty).is_some() {
            return None;
        }
        Some(self.outline_of(entry, self.rules.orders).0)
    }

    /// A function changes a list of numbers that exists outside it: from now on, it is one of the compiled code before
    /// the call.
    fn learn_changed(&mut self, entry: &State, was: &Contents, now: &heap::Entry) -> Result<(), Abort> {
        let (Contents::List(before), Contents::List(after)) = (was, &*now.contents) else { return Ok(()) };
        let ty_of = |items: &[PyObjectRef]| self.type_of_items(items, &|list| self.items_of_row(list));
        if in_items(before).is_some() {
            return Ok(());
        }
        let Some(known) = ty_of(before) else { return Ok(()) };
        let Some(ty) = known.or_else(|| ty_of(after).flatten()) else { return Ok(()) };
        let id = now.object.get_id();
        if let Some(place) = self.given.arguments.get(&id).filter(|_| self.given.may_copy) {
            return Err(Abort::Learn(Assumption::Argument(OfArguments::Copy(Box::new(Copied::Passed {
                place: place.clone(),
                items: ty,
            })))));
        }
        let code = entry.frame().code.object.as_object().get_id();
        if self.is_fresh(&now.object) && self.calls.outlined.listed.insert(code) {
            return Err(Abort::Learn(Assumption::Outline(Box::new(self.outline_of(entry, self.rules.orders).0))));
        }
        Ok(())
    }

    /// What a function that stays one fills becomes one of the compiled code before the call.
    pub(super) fn stage_filled(&mut self, state: &mut State, frame: &Frame) -> Step<()> {
        let code = frame.code.object.as_object().get_id();
        if !self.calls.outlined.filled.keys().any(|(it, _)| *it == code) {
            return Ok(());
        }
        let mut seen = state.clone();
        heap::save(&mut seen.heap, &self.objects.changed, self.vm);
        for (place, object) in self.variables_of(&seen, frame) {
            if let Some(ty) = self.filled_type(code, place, &object) {
                self.stage_map(state, &object, ty)?;
            }
        }
        Ok(())
    }

    /// The same for the function that is captured, at its entry.
    pub(in crate::capture) fn stage_filled_at_entry(&mut self, state: &mut State) -> Step<()> {
        let frame = state.frame().clone();
        let code = frame.code.object.as_object().get_id();
        for (place, object) in self.variables_of(state, &frame) {
            if let Some(ty) = self.filled_type(code, place, &object) {
                self.stage_map_of(state, &object, ty)?;
            }
        }
        Ok(())
    }

    /// As what a variable is filled by a function, if it can be and is not yet.
    fn filled_type(&self, code: usize, place: usize, object: &PyObjectRef) -> Option<MapType> {
        let ty = *self.calls.outlined.filled.get(&(code, place))?;
        let contents = heap::read(object, self.vm)?;
        let fits = map::in_contents(&contents).is_none()
            && map::numbers(&contents, self.vm)?.is_none_or(|known| known == ty)
            && matches!(contents, Contents::Set(_)) == ty.value.is_none();
        fits.then_some(ty)
    }

    /// The objects of the local variables of a frame and of its closure, each with a number of its place.
    fn variables_of(&self, state: &State, frame: &Frame) -> Vec<(usize, PyObjectRef)> {
        let inside = |object: &PyObjectRef| {
            if !host::cell::is_cell(object, self.vm) {
                return Some(object.clone());
            }
            let entry = self.base.number(object).map(|it| state.heap.get(&it).unwrap_or_else(|| self.base.entry(it)));
            match entry.map(|entry| &*entry.contents) {
                Some(Contents::Cell(value)) => value.clone(),
                _ => host::cell::cell_get(object, self.vm),
            }
        };
        let locals = frame.locals.iter().map(|local| local.as_ref().and_then(|it| it.object()).and_then(inside));
        let all = locals.chain(frame.closure.iter().map(inside));
        all.enumerate().filter_map(|(place, object)| Some((place, object?))).collect()
    }
}

/// Whether an object certainly holds what it held.
fn same_contents(a: &Contents, b: &Contents, vm: &VirtualMachine) -> bool {
    fn same(a: &PyObjectRef, b: &PyObjectRef, vm: &VirtualMachine) -> bool {
        let items = |it: &PyObjectRef| it.downcast_ref_if_exact::<PyTuple>(vm).map(|it| it.as_slice().to_vec());
        a.is(b)
            || value::number(a, vm).is_some() && value::number(a, vm) == value::number(b, vm)
            || match (items(a), items(b)) {
                (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same(a, b, vm)),
                _ => false,
            }
    }
    let all = |a: &[PyObjectRef], b: &[PyObjectRef]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, vm));
    match (a, b) {
        (Contents::List(a), Contents::List(b)) | (Contents::Set(a), Contents::Set(b)) => all(a, b),
        (Contents::Dict(a), Contents::Dict(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0.is(&b.0) && same(&a.1, &b.1, vm))
        }
        (Contents::Cell(None), Contents::Cell(None)) => true,
        (Contents::Cell(Some(a)), Contents::Cell(Some(b))) => same(a, b, vm),
        (Contents::Iter(a), Contents::Iter(b)) => same_iter(a, b),
        _ => false,
    }
}

/// Whether an iterator that was touched has not been advanced: over what is known, or ended.
fn same_iter(a: &Iter, b: &Iter) -> bool {
    match (a, b) {
        (Iter::Empty(_), Iter::Empty(_)) => true,
        (Iter::Seq { items: a, index: from }, Iter::Seq { items: b, index: to }) => a.is(b) && from == to,
        (Iter::Back { items: a, left: from }, Iter::Back { items: b, left: to }) => a.is(b) && from == to,
        (Iter::Enumerate { inner: a, .. }, Iter::Enumerate { inner: b, .. }) => same_iter(a, b),
        (Iter::Zip { inners: a, strict: x }, Iter::Zip { inners: b, strict: y }) => {
            x == y && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_iter(a, b))
        }
        _ => false,
    }
}
