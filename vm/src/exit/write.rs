//! What the program did to objects is done to the world.

mod members;

use std::convert::Infallible;

use rustpython_vm::builtins::{PyDict, PyList, PySet};
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};

use self::members::Members;
use super::{ContentsTemplate, Effect, Filling, Template};
use crate::contents;
use crate::host;

/// What is inside an object of the world.
type Contents = contents::Contents<Infallible>;

impl Filling<'_> {
    /// Does to the world what the program did. Everything is made before anything is written: what is found by its
    /// place in an argument must be found where it was.
    pub(crate) fn apply(&self, effects: &[Effect]) -> PyResult<()> {
        self.perform(effects)?;
        self.begin()
    }

    /// The same, but for generators, which have not begun.
    pub(crate) fn perform(&self, effects: &[Effect]) -> PyResult<()> {
        for (target, write) in self.writes(effects)? {
            write.perform(&target, self.vm)?;
        }
        self.place_iterators()
    }

    /// Lets the generators begin that were made. That runs Python: signals that have come were looked at before.
    pub(crate) fn begin(&self) -> PyResult<()> {
        host::resume::begin(self.asleep.take(), self.vm)
    }

    /// What is to be written, each with its target.
    pub(super) fn writes(&self, effects: &[Effect]) -> PyResult<Vec<(PyObjectRef, Write)>> {
        let mut writes = effects.iter().map(|effect| self.write(effect)).collect::<PyResult<Vec<_>>>()?;
        if effects.iter().any(|effect| effect.contents.has_lists()) {
            writes.extend(self.rows()?.into_iter().map(|(row, items)| (row, Write::Contents(Contents::List(items)))));
        }
        Ok(writes)
    }

    /// A position beyond what a list held before was taken for its end.
    pub(super) fn place_iterators(&self) -> PyResult<()> {
        for (iterator, index) in self.positions.take() {
            self.vm.call_method(&iterator, "__setstate__", (index,))?;
        }
        Ok(())
    }

    fn write(&self, effect: &Effect) -> PyResult<(PyObjectRef, Write)> {
        let contents = match &effect.contents {
            ContentsTemplate::Item(key, value) => {
                return Ok((self.make(&effect.target)?, Write::Item(key.clone(), self.make(value)?)));
            }
            ContentsTemplate::Appended(items) => {
                return Ok((self.make(&effect.target)?, Write::Appended(self.make_all(items)?)));
            }
            ContentsTemplate::List(items) => {
                let target = self.make(&effect.target)?;
                let items = self.make_items(items, target.downcast_ref::<PyList>())?;
                return Ok((target, Write::Contents(Contents::List(items))));
            }
            ContentsTemplate::Dict(items) if let Some(map) = self.map(items.first().map(|(key, _)| key)) => {
                let target = self.make(&effect.target)?;
                let old = target.downcast_ref::<PyDict>().map(|dict| dict.items_vec()).unwrap_or_default();
                let new = self.entries(map, &old);
                return Ok((target, Write::Items(Members::between(&old, new, self.vm)?)));
            }
            ContentsTemplate::Dict(items) => {
                let target = self.make(&effect.target)?;
                let pair = |(key, value): &(Template, Template)| Ok((self.make(key)?, self.make(value)?));
                let new: Vec<_> = items.iter().map(pair).collect::<PyResult<_>>()?;
                let Some(dict) = target.downcast_ref::<PyDict>() else {
                    // The attributes of an object that has places for them.
                    return Ok((target, Write::Contents(Contents::Dict(new))));
                };
                let old = dict.items_vec();
                return Ok((target, Write::Items(Members::between(&old, new, self.vm)?)));
            }
            ContentsTemplate::Set(items) => {
                let target = self.make(&effect.target)?;
                let old = target.downcast_ref::<PySet>().map(|set| set.elements()).unwrap_or_default();
                let new = self.make_members(items, &old)?;
                return Ok((target, Write::Members(Members::between(&old, new, self.vm)?)));
            }
            ContentsTemplate::Cell(value) => Contents::Cell(value.as_ref().map(|value| self.make(value)).transpose()?),
        };
        Ok((self.make(&effect.target)?, Write::Contents(contents)))
    }
}

impl Write {
    /// Which part of an object it is about: an item of a dict, or all of it.
    pub(super) fn part(&self) -> Option<usize> {
        match self {
            Self::Item(key, _) => Some(key.get_id()),
            Self::Contents(_) | Self::Appended(_) | Self::Items(_) | Self::Members(_) => None,
        }
    }

    pub(super) fn perform(self, target: &PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        match self {
            Self::Contents(Contents::List(items)) => contents::write_list(target, items),
            Self::Contents(contents) => contents::write(target, &contents, vm),
            Self::Item(key, value) => target.set_item(&*key, value, vm)?,
            Self::Appended(items) => {
                if let Some(list) = target.downcast_ref::<PyList>() {
                    list.borrow_vec_mut().extend(items);
                }
            }
            Self::Items(items) => {
                if let Some(dict) = target.downcast_ref::<PyDict>() {
                    items.write(dict, vm)?;
                }
            }
            Self::Members(items) => {
                if let Some(set) = target.downcast_ref::<PySet>() {
                    items.write(set, vm)?;
                }
            }
        }
        Ok(())
    }
}

/// What is about to be written into an object.
pub(super) enum Write {
    Contents(Contents),
    Item(PyObjectRef, PyObjectRef),
    /// Items that follow those of a list.
    Appended(Vec<PyObjectRef>),
    /// Of a dict.
    Items(Members<(PyObjectRef, PyObjectRef)>),
    /// Of a set.
    Members(Members<PyObjectRef>),
}
