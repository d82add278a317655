//! Objects that keep their attributes in places of their own, which `__slots__` has made, and have no dict.

use rustpython_vm::builtins::{PyStr, PyStrRef, PyType, PyTypeRef};
use rustpython_vm::function::PySetterValue;
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::vm::thread::try_with_current_vm;
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, VirtualMachine};

/// Whether a class of the program has places for all attributes of its objects, and nothing else is in them.
pub(crate) fn has_slots_only(class: &Py<PyType>, vm: &VirtualMachine) -> bool {
    let is_made = |class: &Py<PyType>| class.slots.flags.has_feature(PyTypeFlags::HEAPTYPE);
    let has_dict = class.slots.flags.has_feature(PyTypeFlags::HAS_DICT);
    let bases = class.mro_collect();
    !has_dict && is_made(class) && bases.iter().all(|it| is_made(it) || it.is(vm.ctx.types.object_type))
}

/// The names of the places, those of base classes first, and what stands for them; `None` if a class has others.
fn places(class: &Py<PyType>, vm: &VirtualMachine) -> Option<Vec<(PyStrRef, PyObjectRef)>> {
    if !has_slots_only(class, vm) {
        return None;
    }
    let mut places: Vec<(PyStrRef, PyObjectRef)> = Vec::new();
    for class in class.mro_collect().iter().rev() {
        let Some(dict) = class.attributes().as_dict() else { continue };
        for (name, value) in dict.items_vec() {
            if !value.class().is(vm.ctx.types.member_descriptor_type) {
                continue;
            }
            let name = name.downcast::<PyStr>().ok()?;
            if places.iter().any(|(known, _)| known.as_wtf8() == name.as_wtf8()) {
                return None;
            }
            places.push((name, value));
        }
    }
    Some(places)
}

/// The attributes of such an object that are there; `None` if it is none.
pub(crate) fn attributes(object: &PyObject, vm: &VirtualMachine) -> Option<Vec<(PyStrRef, PyObjectRef)>> {
    let get = |place: &PyObjectRef| place.class().slots().descr_get.load()?(place, Some(object), None, vm).ok();
    let found = places(object.class(), vm)?.into_iter();
    Some(found.filter_map(|(name, place)| Some((name, get(&place)?))).collect())
}

/// The attribute of such an object at an index among those that are there.
pub(crate) fn attribute(object: &PyObject, index: usize) -> Option<PyObjectRef> {
    let attributes = try_with_current_vm(|vm| attributes(object, vm))??;
    attributes.into_iter().nth(index).map(|(_, value)| value)
}

/// Gives such an object these attributes and no others.
pub(crate) fn set_attributes(object: &PyObject, attributes: &[(PyObjectRef, PyObjectRef)], vm: &VirtualMachine) {
    let name_of = |name: &PyObjectRef| name.downcast_ref::<PyStr>().map(|it| it.as_wtf8().to_owned());
    for (name, place) in places(object.class(), vm).unwrap_or_default() {
        let given = attributes.iter().find(|(it, _)| name_of(it).is_some_and(|it| *it == *name.as_wtf8()));
        let value = given.map_or(PySetterValue::Delete, |(_, value)| PySetterValue::Assign(value.clone()));
        if let Some(set) = place.class().slots().descr_set.load() {
            // There may be nothing to delete.
            let _ = set(&place, object.to_owned(), value, vm);
        }
    }
}

/// Whether an object is nothing but its attributes.
pub(crate) fn can_be_taken_apart(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let class = object.class();
    let types = &vm.ctx.types;
    let is_python = |it: &PyTypeRef| it.slots().flags.has_feature(PyTypeFlags::HEAPTYPE);
    class.as_object().class().is(types.type_type)
        && is_python(&class.to_owned())
        && (has_slots_only(class, vm)
            || object.dict().is_some() && class.get_attr(vm.ctx.intern_str("__slots__")).is_none())
        && class.mro_collect().iter().all(|it| is_python(it) || it.is(types.object_type))
        && class.get_attr(vm.ctx.intern_str("__del__")).is_none()
}
