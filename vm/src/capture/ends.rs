//! Objects whose end the program notices: by a `__del__`, or by a weak reference.
//!
//! What compiled code replaces is let go of when the code is left, and its guards hold on to what they compare with. So a
//! call that may let go of such an object is plain Python, and no code is kept for it.

use indexmap::IndexMap;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use rustpython_vm::builtins::{PyFunction, PyModule, PyType};
use rustpython_vm::object::Traverse;
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};

use crate::capture::observe;
use crate::capture::stop::Stop;
use crate::captured::Captured;
use crate::flatten::Key;
use crate::guard::Guard;
use crate::host;
use crate::limits::budget;
use crate::object::{is_atom, is_noticed as is_noticed_itself};
use crate::refusal::Refusal;

/// The code of the refusal, which is not left to plain Python at the instruction but for the whole call.
pub(crate) const NOTICED: &str = "S403";
/// An object that the code is made for is held by its place, a variable and the call; what more hold stays when those let go.
const FEW_HOLDERS: usize = 4;
/// What ends with a single assignment has one place.
const ONE_PLACE: usize = 1;
/// What only another object holds is held by that, and by whoever looks.
const ALONE: usize = 2;
/// How many objects are looked at: what is hidden behind more is not found.
const MAX_LOOKED_AT: usize = 2000;
/// Looking at so many is a unit of work.
const LOOKED_AT_FOR_A_UNIT: usize = 2;

/// The refusal to let go of what is in this container, or of this object.
pub(crate) fn refuse(object: &PyObject) -> Stop {
    let class = object.class().name();
    let message = format!("staged code may let go of something in a `{class}` whose end the program notices");
    Stop::Plain(Box::new(Refusal::new(NOTICED, message)))
}

/// Refuses code whose guards, templates and key hold on to something that would end, noticed, if the program let go of it: what
/// has a `__del__` or a weak reference, or alone holds such a thing.
///
/// # Errors
/// The refusal, which makes the call plain.
pub(crate) fn check_held(captured: &Captured, key: &Key, vm: &VirtualMachine) -> Result<(), Box<Refusal>> {
    let mut held: IndexMap<usize, (PyObjectRef, usize)> = IndexMap::new();
    let mut hold = |object: &PyObject| {
        held.entry(object.get_id()).or_insert_with(|| (object.to_owned(), 0)).1 += 1;
    };
    captured.traverse(&mut hold);
    key.traverse(&mut hold);
    let namespaces: HashSet<usize> = captured.sites.iter().map(|it| it.globals.as_object().get_id()).collect();
    // Of what many hold besides, this code is not the last to let go. Attributes go with their object.
    let owners: HashMap<usize, &PyObjectRef> = captured.guards.iter().filter_map(Guard::attributes_of).collect();
    let others = |object: &PyObject, most: usize| {
        let own = held.get(&object.get_id()).map_or(0, |(_, count)| count + 1);
        object.strong_count() <= own + most
    };
    for (id, (object, _)) in &held {
        if namespaces.contains(id) || !others(owners.get(id).unwrap_or(&object), FEW_HOLDERS) {
            continue;
        }
        let may_end = others(owners.get(id).unwrap_or(&object), ONE_PLACE);
        let mut seen = HashSet::default();
        let mut left = vec![object.clone()];
        while let Some(object) = left.pop() {
            if is_atom(&object, vm) || lasts(&object) || seen.len() > MAX_LOOKED_AT || !seen.insert(object.get_id()) {
                continue;
            }
            if is_noticed_itself(&object) {
                let message =
                    format!("staged code holds on to a `{}` whose end the program notices", object.class().name());
                return Err(Box::new(Refusal::new(NOTICED, message)));
            }
            if may_end {
                left.extend(inside(&object, vm).into_iter().filter(|it| others(it, ALONE)));
            }
        }
    }
    Ok(())
}

/// Whether an object is one of those that a program makes once.
pub(crate) fn lasts(object: &PyObject) -> bool {
    object.downcast_ref::<PyType>().is_some()
        || object.downcast_ref::<PyModule>().is_some()
        || object.downcast_ref::<PyFunction>().is_some()
}

/// Whether the end of an object, or of what only it may hold, is noticed.
pub(crate) fn is_noticed(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    any_noticed(vec![object.clone()], vm)
}

/// The same for what is in a container that stays.
pub(crate) fn in_container(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    any_noticed(inside(object, vm), vm)
}

fn any_noticed(mut left: Vec<PyObjectRef>, vm: &VirtualMachine) -> bool {
    let mut looked_at = 0;
    let mut seen = HashSet::default();
    while let Some(object) = left.pop() {
        looked_at += 1;
        if looked_at > MAX_LOOKED_AT {
            return false;
        }
        if looked_at.is_multiple_of(LOOKED_AT_FOR_A_UNIT) {
            budget::spend(1);
        }
        if lasts(&object) || !seen.insert(object.get_id()) {
            continue;
        }
        let class = object.class();
        let ends = class.slots().flags.has_feature(PyTypeFlags::HEAPTYPE)
            && class.get_attr(vm.ctx.intern_str("__del__")).is_some();
        if ends || object.weak_count().is_some_and(|count| count > 0) {
            return true;
        }
        left.extend(inside(&object, vm));
    }
    false
}

fn inside(object: &PyObjectRef, vm: &VirtualMachine) -> Vec<PyObjectRef> {
    let mut items = observe::inside(object, vm);
    items.truncate(MAX_LOOKED_AT);
    if host::cell::is_cell(object, vm) {
        items.extend(host::cell::cell_get(object, vm));
    } else if let Some(dict) = object.dict() {
        items.extend(dict.values_vec());
    } else if let Some(attributes) = host::slots::attributes(object, vm) {
        items.extend(attributes.into_iter().map(|(_, value)| value));
    }
    items
}
