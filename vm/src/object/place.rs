//! Where an object has an attribute that native code reads or assigns: in its dict, in its class, or in a place that
//! `__slots__` or the names of a tuple stand for.
//!
//! A class has a version, which no other class and no other state of it has. So an instruction remembers where objects
//! of the class that came first have it.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use rustpython_vm::builtins::{PyDictRef, PyStrInterned, PyType};
use rustpython_vm::function::PySetterValue;
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine};

/// Where it is.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// In the dict of the object; where that has none, this is the attribute.
    Own(Option<PyObjectRef>),
    /// Behind this descriptor.
    Member(PyObjectRef),
    /// Code of the program may have to be asked.
    Unknown,
}

/// Where it is in objects of the class that came first.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    version: u32,
    way: Way,
}

/// An attribute, if nothing of the program is asked for it.
pub(crate) fn attribute_at(
    object: &PyObject,
    name: &'static PyStrInterned,
    place: &OnceLock<Place>,
    vm: &VirtualMachine,
) -> Option<PyObjectRef> {
    attribute_with(object, object.dict().as_ref(), name, place, vm).map(|(found, _)| found)
}

/// The same, where the dict of the object is known; and whether the object itself has it.
#[inline]
pub(crate) fn attribute_with(
    object: &PyObject,
    dict: Option<&PyDictRef>,
    name: &'static PyStrInterned,
    place: &OnceLock<Place>,
    vm: &VirtualMachine,
) -> Option<(PyObjectRef, bool)> {
    match &*way(object, place, |class| way_to_read(class, name, vm)) {
        Way::Own(of_class) => match dict.and_then(|it| it.get_item_opt(name, vm).ok()?) {
            Some(found) => Some((found, true)),
            None => of_class.clone().map(|it| (it, false)),
        },
        Way::Member(descriptor) => {
            let found = descriptor.class().slots().descr_get.load()?(descriptor, Some(object), None, vm).ok()?;
            Some((found, true))
        }
        Way::Unknown => None,
    }
}

/// Whether an attribute of an object is read in its dict first.
pub(crate) fn is_read_in_dict(object: &PyObject, name: &'static PyStrInterned, vm: &VirtualMachine) -> bool {
    matches!(way_to_read(object.class(), name, vm), Way::Own(_))
}

/// How an attribute is assigned, if nothing of the program is asked.
pub(crate) fn assigned_at<'p>(
    object: &PyObject,
    name: &'static PyStrInterned,
    place: &'p OnceLock<Place>,
    vm: &VirtualMachine,
) -> Option<Cow<'p, Way>> {
    assigned_with(object, object.dict().as_ref(), name, place, vm)
}

/// The same, where the dict of the object is known.
#[inline]
pub(crate) fn assigned_with<'p>(
    object: &PyObject,
    dict: Option<&PyDictRef>,
    name: &'static PyStrInterned,
    place: &'p OnceLock<Place>,
    vm: &VirtualMachine,
) -> Option<Cow<'p, Way>> {
    let way = way(object, place, |class| way_to_assign(class, name, vm));
    match &*way {
        Way::Own(_) => dict.is_some().then_some(way),
        Way::Member(_) => Some(way),
        Way::Unknown => None,
    }
}

impl Way {
    /// The attribute that an object has there itself.
    #[inline]
    pub(crate) fn before(
        &self,
        object: &PyObject,
        dict: Option<&PyDictRef>,
        name: &'static PyStrInterned,
        vm: &VirtualMachine,
    ) -> Option<PyObjectRef> {
        match self {
            Self::Own(_) => dict?.get_item_opt(name, vm).ok()?,
            Self::Member(descriptor) => {
                descriptor.class().slots().descr_get.load()?(descriptor, Some(object), None, vm).ok()
            }
            Self::Unknown => None,
        }
    }

    /// Assigns an attribute of an object that was asked for this, and has this dict.
    pub(crate) fn assign(
        &self,
        object: &PyObject,
        dict: Option<PyDictRef>,
        name: &'static PyStrInterned,
        value: PyObjectRef,
        vm: &VirtualMachine,
    ) -> PyResult<()> {
        match self {
            Self::Own(_) if let Some(dict) = dict => match dict.class().is(vm.ctx.types.dict_type) {
                true => dict.inner_setitem(name, value, vm),
                false => dict.set_item(name, value, vm),
            },
            Self::Member(descriptor) if let Some(set) = descriptor.class().slots().descr_set.load() => {
                set(descriptor, object.to_owned(), PySetterValue::Assign(value), vm)
            }
            _ => object.to_owned().set_attr(name, value, vm),
        }
    }
}

#[inline]
fn way<'p>(object: &PyObject, place: &'p OnceLock<Place>, ask: impl FnOnce(&Py<PyType>) -> Way) -> Cow<'p, Way> {
    let class = object.class();
    let version = || class.tp_version_tag().load(Ordering::Acquire);
    if let Some(place) = place.get() {
        return if place.version == version() { Cow::Borrowed(&place.way) } else { Cow::Owned(ask(class)) };
    }
    let before = version();
    let way = ask(class);
    // A class gets a version when something is looked up in it.
    if before != 0 && before == version() {
        let _ = place.set(Place { version: before, way: way.clone() });
    }
    Cow::Owned(way)
}

fn way_to_read(class: &Py<PyType>, name: &'static PyStrInterned, vm: &VirtualMachine) -> Way {
    if !goes_by_object(class, false, vm) {
        return Way::Unknown;
    }
    let Some(found) = class.get_attr(name) else { return Way::Own(None) };
    let slots = found.class().slots();
    let is_member = found.class().is(vm.ctx.types.member_descriptor_type)
        || &*found.class().slot_name() == "collections._tuplegetter";
    match () {
        () if is_member => Way::Member(found),
        () if slots.descr_set.load().is_some() => Way::Unknown,
        // What it would give is not for native code to say, but the object may have its own.
        () if slots.descr_get.load().is_some() => Way::Own(None),
        () => Way::Own(Some(found)),
    }
}

fn way_to_assign(class: &Py<PyType>, name: &'static PyStrInterned, vm: &VirtualMachine) -> Way {
    match class.get_attr(name) {
        _ if !goes_by_object(class, true, vm) => Way::Unknown,
        Some(found) if found.class().is(vm.ctx.types.member_descriptor_type) => Way::Member(found),
        Some(found) if found.class().slots().descr_set.load().is_some() => Way::Unknown,
        Some(_) | None => Way::Own(None),
    }
}

/// Whether attributes of objects of a class of the program are read and assigned as those of any object.
pub(crate) fn has_plain_attributes(class: &Py<PyType>, vm: &VirtualMachine) -> bool {
    class.slots.flags.has_feature(PyTypeFlags::HEAPTYPE)
        && goes_by_object(class, false, vm)
        && goes_by_object(class, true, vm)
}

/// Whether a method of the class that attributes go through is that of `object`.
fn goes_by_object(class: &Py<PyType>, writes: bool, vm: &VirtualMachine) -> bool {
    let (slots, own) = (&class.slots, &vm.ctx.types.object_type.slots);
    class.class().is(vm.ctx.types.type_type)
        && if writes {
            slots.setattro.load().map(|it| it as usize) == own.setattro.load().map(|it| it as usize)
        } else {
            slots.getattro.load().map(|it| it as usize) == own.getattro.load().map(|it| it as usize)
        }
}
