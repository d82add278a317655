//! What a crossing lets go of. Where the program notices the end of that (a `__del__`, a weak reference), code of the
//! program runs in the middle of the instruction, and plain Python carries it out.

use rustpython_vm::builtins::{PyDict, PyList};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};

use crate::exit::Crossing;
use crate::object::class::class_number;
use crate::object::class::number::{DEFAULTDICT, DEQUE, DICT, LIST, SET};
use crate::object::end::{ends_noticed, holds_noticed};
use crate::object::look::has_key;
use crate::object::operation::Operation;
use crate::object::place::assigned_at;
use crate::object::rows::Rows;

/// The holders of an item that has been asked for: its container, and who asked.
const ASKED: usize = 2;

impl Crossing {
    /// Whether the program would notice the end of what is replaced or removed.
    pub(super) fn replaces_noticed(&self, operands: &[PyObjectRef], rows: &Rows, vm: &VirtualMachine) -> bool {
        let ends = |old: Option<PyObjectRef>| old.is_some_and(|it| ends_noticed(&it, ASKED, rows, vm));
        match (&self.operation, operands) {
            (Operation::SetItem, [_, container, key]) | (Operation::DeleteItem, [container, key])
                if key.class().is(vm.ctx.types.slice_type) =>
            {
                let old = item(container, key, vm);
                old.as_ref().and_then(|it| it.downcast_ref::<PyList>()).is_some_and(|old| {
                    // The list of them holds each, too.
                    old.borrow_vec().iter().any(|it| ends_noticed(it, ASKED, rows, vm))
                })
            }
            (Operation::SetItem, [_, container, key]) | (Operation::DeleteItem, [container, key]) => {
                ends(item(container, key, vm))
            }
            (Operation::SetAttribute(name), [_, object]) => ends(
                assigned_at(object, name, &self.place, vm)
                    .and_then(|way| way.before(object, object.dict().as_ref(), name, vm)),
            ),
            (Operation::Method { name, .. }, [container, rest @ ..]) if self.acts => match name.as_str() {
                "clear" | "intersection_update" => holds_noticed(container, rows, vm),
                "update" => match (container.downcast_ref::<PyDict>(), rest) {
                    (Some(_), [other]) if let Some(other) = other.downcast_ref::<PyDict>() => {
                        other.keys_vec().iter().any(|key| ends(item(container, key, vm)))
                    }
                    (Some(_), _) => holds_noticed(container, rows, vm),
                    (None, _) => false,
                },
                "append" | "extend" => pushes_out_noticed(container, 0, rows, vm),
                "appendleft" | "extendleft" => pushes_out_noticed(container, -1, rows, vm),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Whether this is a container: of a crossing that changes one, it is an operand, which can be looked into.
pub(crate) fn holds_items(object: &PyObject, vm: &VirtualMachine) -> bool {
    matches!(class_number(object.class(), vm), LIST | DICT | DEFAULTDICT | DEQUE | SET)
}

/// `container[key]`, if it is there.
fn item(container: &PyObjectRef, key: &PyObjectRef, vm: &VirtualMachine) -> Option<PyObjectRef> {
    match class_number(container.class(), vm) {
        // Asking a `defaultdict` for what it does not have makes that.
        DICT | DEFAULTDICT if !has_key(container, key, vm) => None,
        DICT | DEFAULTDICT => container.downcast_ref::<PyDict>()?.get_item_opt(&**key, vm).ok()?,
        LIST | DEQUE => container.get_item(&**key, vm).ok(),
        _ => None,
    }
}

/// Whether a deque that is as long as it may be, and gets another item, lets go of one whose end is noticed. How many
/// come is not asked: of several, any may go.
pub(super) fn pushes_out_noticed(deque: &PyObject, first: isize, rows: &Rows, vm: &VirtualMachine) -> bool {
    if class_number(deque.class(), vm) != DEQUE {
        return false;
    }
    let next = deque.sequence_unchecked().get_item(first, vm);
    next.is_ok_and(|next| !crate::object::is_atom(&next, vm))
        && deque.get_attr("maxlen", vm).is_ok_and(|most| !vm.is_none(&most))
        && holds_noticed(deque, rows, vm)
}
