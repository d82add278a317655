//! Objects of which other ones are passed each time.

use rustpython_vm::builtins::{PyList, PyTypeRef};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use super::aliases::items;
use crate::flatten::{Arg, number_map};
use crate::host::function::does_the_same;
use crate::host::slots::can_be_taken_apart;

/// Lists in lists are looked into so deep, and so many of their items.
const DEPTH: u32 = 3;
const FEW: usize = 64;

/// The classes of objects of which another one was passed before.
pub(super) fn other_objects(arg: &Arg, object: &PyObjectRef, classes: &mut Vec<PyTypeRef>, vm: &VirtualMachine) {
    match arg {
        Arg::Static(before) => {
            let varies = can_be_taken_apart(object, vm) || does_the_same(before, object, vm);
            if !before.is(object) && before.class().is(object.class()) && varies {
                classes.push(object.class().to_owned());
            }
        }
        Arg::Tuple(args) | Arg::List(args) => {
            args.iter().zip(items(object)).for_each(|(arg, item)| other_objects(arg, &item, classes, vm));
        }
        Arg::Keywords(args) | Arg::Names(args) => {
            args.iter().zip(items(object)).for_each(|((_, arg), item)| other_objects(arg, &item, classes, vm));
        }
        Arg::Instance { attributes: args, .. } => {
            args.iter().zip(items(object)).for_each(|((_, arg), item)| other_objects(arg, &item, classes, vm));
        }
        Arg::Leaf { .. }
        | Arg::Wide
        | Arg::Function(_)
        | Arg::Items(_)
        | Arg::Empty { .. }
        | Arg::Same(_)
        | Arg::Record { .. } => {}
    }
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
        _ => false,
    }
}

/// Whether an object is neither a number, of which compiled code makes its own, nor something to be called.
fn is_data(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let numbers = [types.int_type, types.float_type, types.bool_type, types.complex_type, types.none_type];
    !object.is_callable() && !numbers.iter().any(|it| object.class().is(*it)) && number_map(object, vm).is_none()
}

/// Whether one of the lists that have changed is in an object that can be taken apart, or in a list that is.
pub(super) fn holds_changed(object: &PyObjectRef, changed: &[&PyObjectRef], vm: &VirtualMachine) -> bool {
    if changed.is_empty() || !can_be_taken_apart(object, vm) {
        return false;
    }
    let attributes = match object.dict() {
        Some(attributes) => attributes.values_vec(),
        None => {
            let attributes = crate::host::slots::attributes(object, vm).unwrap_or_default();
            attributes.into_iter().map(|(_, value)| value).collect()
        }
    };
    attributes.iter().any(|it| is_or_holds(it, changed, DEPTH, vm))
}

fn is_or_holds(object: &PyObjectRef, changed: &[&PyObjectRef], depth: u32, vm: &VirtualMachine) -> bool {
    let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) else { return false };
    changed.iter().any(|it| it.is(object))
        || depth > 0 && list.borrow_vec().iter().take(FEW).any(|it| is_or_holds(it, changed, depth - 1, vm))
}
