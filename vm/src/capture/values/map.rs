//! Dicts, sets and views of dicts of the compiled code (`capture/map.rs`), as the instructions know them.

use rustpython_vm::builtins::{PyDict, PySet};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, VirtualMachine};
use snekpy_stage::types::Type;

use crate::capture::map::{Face, StagedMap};
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Iter};
use crate::host;
use crate::kind::{At, Representation};
use crate::rep::Named;
use crate::scalar;

/// A view of a dict.
#[derive(Debug)]
pub(crate) struct View {
    /// The dict.
    pub(crate) dict: PyObjectRef,
    /// What iterating over it gives.
    pub(crate) face: Face,
    /// The map of the compiled code that the dict is, if it is one.
    pub(crate) map: Option<StagedMap>,
}

impl Face {
    /// The method of dicts that gives such a view.
    pub(crate) const fn method(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::Values => "values",
            Self::Items => "items",
        }
    }
}

/// The map of the compiled code that a dict stands for.
pub(crate) fn in_dict(dict: &Py<PyDict>) -> Option<StagedMap> {
    if dict.__len__() != 1 {
        return None;
    }
    let (_, key, _) = dict.next_entry(0)?;
    StagedMap::of(&key)
}

/// The map of the compiled code that a set stands for.
pub(crate) fn in_set(set: &Py<PySet>, vm: &VirtualMachine) -> Option<StagedMap> {
    if set.as_object().length(vm).ok()? != 1 {
        return None;
    }
    StagedMap::of(set.elements().first()?)
}

impl StagedMap {
    /// The map that a Rep is.
    fn of(rep: &PyObject) -> Option<Self> {
        match value::rep(rep)? {
            (value, Type::Map(ty)) => Some(Self { value, ty }),
            _ => None,
        }
    }
}

impl View {
    /// A view of a dict.
    pub(crate) fn of(object: &PyObject, vm: &VirtualMachine) -> Option<Self> {
        let (dict, method) = host::belongs::dict_view(object, vm)?;
        let face = match method {
            "values" => Face::Values,
            "items" => Face::Items,
            _ => Face::Keys,
        };
        let map = dict.downcast_ref_if_exact::<PyDict>(vm).and_then(in_dict);
        Some(Self { dict, face, map })
    }
}

impl Representation for StagedMap {
    fn noun(&self) -> &'static str {
        scalar::type_name(Type::Map(self.ty))
    }

    fn length(&self, at: &mut At<'_, '_>) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        let length = session.length_of_map(state, *self);
        Ok(Some(session.rep(length)))
    }

    fn iter(&self, at: &mut At<'_, '_>) -> Step<Option<Iter>> {
        Ok(Some(at.session.member_iterator(at.state, at.object, *self)))
    }

    fn item(&self, at: &mut At<'_, '_>, i: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        match self.ty.value {
            Some(_) => session.map_item(state, *self, i).map(Some),
            None => Err(Stop::Raise(session.vm.new_type_error("'set' object is not subscriptable"))),
        }
    }

    fn set_item(&self, at: &mut At<'_, '_>, i: &PyObjectRef, item: &PyObjectRef) -> Step<bool> {
        let At { session, state, object } = at;
        match self.ty.value {
            Some(_) => session.store_in_map(state, object, i, Some(item)).map(|()| true),
            None => Ok(false),
        }
    }

    fn delete_item(&self, at: &mut At<'_, '_>, i: &PyObjectRef) -> Step<bool> {
        let At { session, state, .. } = at;
        match self.ty.value {
            Some(_) => session.delete_from_map(state, *self, i).map(|()| true),
            None => Ok(false),
        }
    }

    fn contains(&self, at: &mut At<'_, '_>, item: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        at.session.map_contains(at.state, *self, item).map(Some)
    }

    fn refuse_whole(&self, object: &PyObjectRef, what: &str) -> Step<()> {
        Err(unknown_members(object, what))
    }
}

impl Representation for View {
    fn noun(&self) -> &'static str {
        "view of a dict"
    }

    fn length(&self, at: &mut At<'_, '_>) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        let length = self.map.map(|map| session.length_of_map(state, map));
        Ok(length.map(|it| session.rep(it)))
    }

    fn iter(&self, at: &mut At<'_, '_>) -> Step<Option<Iter>> {
        Ok(self.map.map(|map| at.session.member_iterator(at.state, at.object, map)))
    }

    fn contains(&self, at: &mut At<'_, '_>, item: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        match self.map {
            Some(map) if self.face == Face::Keys => session.map_contains(state, map, item).map(Some),
            Some(_) | None => Ok(None),
        }
    }

    fn refuse_whole(&self, object: &PyObjectRef, what: &str) -> Step<()> {
        Err(unknown_members(object, what))
    }
}

/// The dict or set behind a view of a dict, or the object itself, and what iterating gives.
pub(crate) fn behind(object: &PyObjectRef, vm: &VirtualMachine) -> (PyObjectRef, Face) {
    View::of(object, vm).map_or_else(|| (object.clone(), Face::Keys), |view| (view.dict, view.face))
}

/// What needs the keys one by one cannot go on with a dict of the compiled code.
pub(crate) fn unknown_members(object: &PyObjectRef, what: &str) -> Stop {
    refuse("S295", format!("{what} of a `{}` whose keys are known only later", object.class_name()))
        .help("write the loop, or return it and do this outside")
        .into()
}
