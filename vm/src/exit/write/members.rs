//! What a dict or a set held becomes what it is to hold, by the least that does it.
//!
//! An iterator over it is on its way, perhaps: members that stay, stay where they are, and one that was not touched is not
//! touched. Members that were taken out and put in again are behind all that stayed.

use rustpython_vm::builtins::{PyDict, PyDictRef, PySet};
use rustpython_vm::{AsObject, Py, PyObjectRef, PyResult, VirtualMachine};

/// Changes of the members of a dict or a set: those that go, and then those that come or get another value.
#[derive(Debug)]
pub(in crate::exit) struct Members<T> {
    gone: Vec<PyObjectRef>,
    put: Vec<T>,
}

/// A member: an item of a set, or a key of a dict with its value.
pub(in crate::exit) trait Member: Sized {
    /// What is looked up.
    fn key(&self) -> &PyObjectRef;
    /// Whether it is the same, given that the keys are.
    fn same_value(&self, other: &Self) -> bool;
}

impl Member for PyObjectRef {
    fn key(&self) -> &PyObjectRef {
        self
    }

    fn same_value(&self, _: &Self) -> bool {
        true
    }
}

impl Member for (PyObjectRef, PyObjectRef) {
    fn key(&self) -> &PyObjectRef {
        &self.0
    }

    fn same_value(&self, other: &Self) -> bool {
        self.1.is(&other.1)
    }
}

impl<T: Member> Members<T> {
    /// What makes `old` be `new`.
    pub(in crate::exit) fn between(old: &[T], new: Vec<T>, vm: &VirtualMachine) -> PyResult<Self> {
        let same = old.iter().zip(&new).take_while(|(old, new)| old.key().is(new.key())).count();
        let mut put = Vec::new();
        let mut new = new.into_iter();
        for (old, new) in old.iter().zip(new.by_ref().take(same)) {
            if !new.same_value(old) {
                put.push(new);
            }
        }
        let (_, old) = old.split_at(same);
        if old.is_empty() {
            put.extend(new);
            return Ok(Self { gone: Vec::new(), put });
        }
        let places = places(old, vm)?;
        let mut stayed = vec![false; old.len()];
        let mut new = new.peekable();
        let mut next = 0;
        while let Some(member) = new.peek()
            && let Some(place) = place(&places, member.key(), vm)?.filter(|it| *it >= next)
        {
            stayed[place] = true;
            next = place + 1;
            put.extend(new.next().filter(|it| !it.same_value(&old[place])));
        }
        put.extend(new);
        let gone = old.iter().zip(stayed).filter(|(_, stayed)| !stayed).map(|(member, _)| member.key().clone());
        Ok(Self { gone: gone.collect(), put })
    }
}

/// Where each key is.
fn places<T: Member>(members: &[T], vm: &VirtualMachine) -> PyResult<PyDictRef> {
    let places = vm.ctx.new_dict();
    for (place, member) in members.iter().enumerate() {
        places.set_item(&**member.key(), vm.ctx.new_int(place).into(), vm)?;
    }
    Ok(places)
}

fn place(places: &PyDictRef, key: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Option<usize>> {
    let place = places.get_item_opt(&**key, vm)?;
    place.map(|it| it.try_into_value(vm)).transpose()
}

impl Members<(PyObjectRef, PyObjectRef)> {
    pub(super) fn write(self, dict: &Py<PyDict>, vm: &VirtualMachine) -> PyResult<()> {
        for key in self.gone {
            dict.del_item(&*key, vm)?;
        }
        for (key, value) in self.put {
            dict.set_item(&*key, value, vm)?;
        }
        Ok(())
    }
}

impl Members<PyObjectRef> {
    pub(super) fn write(self, set: &Py<PySet>, vm: &VirtualMachine) -> PyResult<()> {
        for item in self.gone {
            set.discard(item, vm)?;
        }
        for item in self.put {
            set.add(item, vm)?;
        }
        Ok(())
    }
}
