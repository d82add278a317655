//! Objects of which other ones are passed each time.

use rustc_hash::FxHashSet as HashSet;
use rustpython_vm::builtins::{PyDict, PyList, PyTuple, PyTypeRef};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use snekpy_stage::types::Type;

use super::aliases::items;
use crate::flatten::{Arg, holds_tensor, input_type, number_map};
use crate::host::function::does_the_same;
use crate::host::slots::can_be_taken_apart;

/// So many of the items of each part of a structure are looked at, and so many parts.
const FEW: usize = 64;
const MOST_PARTS: usize = 1024;

/// The classes of objects of which another one was passed before.
pub(super) fn other_objects(arg: &Arg, object: &PyObjectRef, classes: &mut Vec<PyTypeRef>, vm: &VirtualMachine) {
    match arg {
        Arg::Static(before) => differing(before, object, classes, vm),
        Arg::Tuple(args) | Arg::Named(_, args) | Arg::List(args) => {
            args.iter().zip(items(object)).for_each(|(arg, item)| other_objects(arg, &item, classes, vm));
        }
        Arg::Keywords(args) | Arg::Names(args) => {
            args.iter().zip(items(object)).for_each(|((_, arg), item)| other_objects(arg, &item, classes, vm));
        }
        Arg::Instance { attributes: args, .. } => {
            args.iter().zip(items(object)).for_each(|((_, arg), item)| other_objects(arg, &item, classes, vm));
        }
        Arg::Cell(arg) => items(object).take(1).for_each(|item| other_objects(arg, &item, classes, vm)),
        Arg::Leaf { .. }
        | Arg::Wide
        | Arg::Function(_)
        | Arg::Items(_)
        | Arg::Empty { .. }
        | Arg::Same(_)
        | Arg::Record { .. } => {}
    }
}

/// The classes of what differs between two structures: all of it varies from here on.
fn differing(before: &PyObjectRef, object: &PyObjectRef, classes: &mut Vec<PyTypeRef>, vm: &VirtualMachine) {
    let (mut seen, mut left) = (HashSet::default(), vec![(before.clone(), object.clone())]);
    while let Some((before, object)) = left.pop() {
        let is_other = !before.is(&object) && before.class().is(object.class());
        if !is_other || seen.len() >= MOST_PARTS || !seen.insert(object.get_id()) {
            continue;
        }
        let is_part = can_be_taken_apart(&object, vm) || is_structure(&object, vm);
        if is_part || does_the_same(&before, &object, vm) {
            classes.push(object.class().to_owned());
        }
        // A list or tuple that is passed itself is not known by what it is.
        let is_inside = seen.len() > 1 && is_sequence(&object, vm);
        if is_part || is_inside {
            left.extend(items(&before).zip(items(&object)).take(FEW));
        }
    }
}

fn is_sequence(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    object.downcast_ref_if_exact::<PyTuple>(vm).is_some() || object.downcast_ref_if_exact::<PyList>(vm).is_some()
}

/// Whether a dict is better taken apart than known by what it is, or handed on: names of floats and arrays, and of what is
/// made of them. Texts are data where no array is beside them, and so are ints alone, which count.
fn is_structure(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let is_text = |it: &PyObjectRef| it.class().is(types.str_type) || it.class().is(types.bytes_type);
    let Some(dict) = object.downcast_ref_if_exact::<PyDict>(vm) else { return false };
    let values = dict.items_vec();
    values.len() <= FEW
        && number_map(object, vm).is_none()
        && (!values.iter().any(|(_, value)| is_text(value)) || holds_tensor(object, vm))
        && values.iter().any(|(_, value)| is_parameter(value, vm) || holds_parts(value, vm))
}

fn is_parameter(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    !matches!(input_type(object, vm), None | Some(Type::I64 | Type::Bool))
}

fn holds_parts(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    object.downcast_ref_if_exact::<PyDict>(vm).is_some() || is_sequence(object, vm) || can_be_taken_apart(object, vm)
}

/// Whether another object is passed where one was that the code knows by what it is, or lies there in an object that is
/// taken apart: one that compiled code may as well hand on.
pub(super) fn holds_another(arg: &Arg, object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    match arg {
        Arg::Static(before) => {
            !before.is(object)
                && before.class().is(object.class())
                && is_data(object, vm)
                && !can_be_taken_apart(object, vm)
                && !crate::scalar::same(before, object, vm)
        }
        Arg::Instance { attributes, .. } => {
            attributes.iter().zip(items(object)).any(|((_, arg), item)| holds_another(arg, &item, vm))
        }
        Arg::Names(args) => match object.downcast_ref_if_exact::<PyDict>(vm) {
            Some(dict) => {
                let now = dict.items_vec();
                let is_other = |((key, arg), (now, value)): (&(PyObjectRef, Arg), &(PyObjectRef, PyObjectRef))| {
                    !crate::scalar::same(key, now, vm) || holds_another(arg, value, vm)
                };
                now.len() != args.len() || args.iter().zip(&now).any(is_other)
            }
            None => false,
        },
        _ => false,
    }
}

/// Whether an object is neither a number, of which compiled code makes its own, nor something to be called.
fn is_data(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let numbers = [types.int_type, types.float_type, types.bool_type, types.complex_type, types.none_type];
    !object.is_callable() && !numbers.iter().any(|it| object.class().is(*it)) && number_map(object, vm).is_none()
}

/// The classes of the objects and dicts that lead to one of the containers that have changed: they are taken apart, or the
/// change would make new code.
pub(super) fn leading_to(
    object: &PyObjectRef,
    changed: &[&PyObjectRef],
    classes: &mut Vec<PyTypeRef>,
    vm: &VirtualMachine,
) {
    if !changed.is_empty() {
        leads_to(object, changed, &mut HashSet::default(), classes, vm);
    }
}

fn leads_to(
    object: &PyObjectRef,
    changed: &[&PyObjectRef],
    seen: &mut HashSet<usize>,
    classes: &mut Vec<PyTypeRef>,
    vm: &VirtualMachine,
) -> bool {
    let is_changed = changed.iter().any(|it| it.is(object));
    let is_part = is_structure(object, vm) || can_be_taken_apart(object, vm);
    if seen.len() >= MOST_PARTS || !is_part && !is_sequence(object, vm) || !seen.insert(object.get_id()) {
        return false;
    }
    let mut leads = is_changed;
    for item in items(object).take(FEW) {
        leads |= leads_to(&item, changed, seen, classes, vm);
    }
    if leads && is_part {
        classes.push(object.class().to_owned());
    }
    leads
}
