//! Objects of which other ones are passed each time.

use rustpython_vm::builtins::PyTypeRef;
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use super::aliases::items;
use crate::flatten::Arg;

/// The classes of objects of which another one was passed before.
pub(super) fn other_objects(arg: &Arg, object: &PyObjectRef, classes: &mut Vec<PyTypeRef>, vm: &VirtualMachine) {
    match arg {
        Arg::Static(before) => {
            if !before.is(object) && before.class().is(object.class()) && can_be_taken_apart(object, vm) {
                classes.push(object.class().to_owned());
            }
        }
        Arg::Tuple(args) | Arg::List(args) => {
            args.iter().zip(items(object)).for_each(|(arg, item)| other_objects(arg, &item, classes, vm));
        }
        Arg::Keywords(args) | Arg::Names(args) | Arg::Instance { attributes: args, .. } => {
            args.iter().zip(items(object)).for_each(|((_, arg), item)| other_objects(arg, &item, classes, vm));
        }
        Arg::Leaf { .. } | Arg::Items(_) | Arg::Empty { .. } | Arg::Same(_) | Arg::Record { .. } => {}
    }
}

/// Whether an object is nothing but its attributes.
pub(crate) fn can_be_taken_apart(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let class = object.class();
    let types = &vm.ctx.types;
    let is_python = |it: &PyTypeRef| it.slots().flags.has_feature(PyTypeFlags::HEAPTYPE);
    class.as_object().class().is(types.type_type)
        && is_python(&class.to_owned())
        && object.dict().is_some()
        && class.mro_collect().iter().all(|it| is_python(it) || it.is(types.object_type))
        && class.get_attr(vm.ctx.intern_str("__del__")).is_none()
        && class.get_attr(vm.ctx.intern_str("__slots__")).is_none()
}
