//! Numbers of the classes that programs make.
//!
//! What a place of the code has given is learnt as a class, and better code is made for that. So a class that a crossing
//! meets gets a number, for as long as the class lives: it is not kept alive here. A number is never given again.

use std::sync::atomic::{AtomicUsize, Ordering};

use rustpython_vm::builtins::{PyType, PyTypeRef};
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyWeakRef, VirtualMachine};
use snekpy_stage::types::Class;

/// The number of the first one. Those before it are of native classes.
const FIRST: u8 = 64;
/// How many there are.
const COUNT: usize = (u8::MAX - FIRST) as usize;

/// Where the classes are; 0 for one that has ended.
static PLACES: [AtomicUsize; COUNT] = [const { AtomicUsize::new(0) }; COUNT];
static CLASSES: PyMutex<Vec<PyWeakRef<PyType>>> = PyMutex::new(Vec::new());

fn index(class: Class) -> Option<usize> {
    class.0.checked_sub(FIRST).map(usize::from).filter(|it| *it < COUNT)
}

/// The number of a class that the program has made; [`Class::ANY`] if it has none.
pub(crate) fn number_of(class: &Py<PyType>, vm: &VirtualMachine) -> Class {
    let is_made = class.slots.flags.has_feature(PyTypeFlags::HEAPTYPE) && class.class().is(vm.ctx.types.type_type);
    if !is_made {
        return Class::ANY;
    }
    let place = class.as_object().get_id();
    let number = |index: usize| u8::try_from(index).map_or(Class::ANY, |it| Class(FIRST + it));
    let mut classes = CLASSES.lock();
    for (index, known) in classes.iter().enumerate() {
        if PLACES[index].load(Ordering::Relaxed) == place {
            if known.upgrade().is_some() {
                return number(index);
            }
            PLACES[index].store(0, Ordering::Relaxed);
        }
    }
    let index = classes.len();
    if index >= COUNT {
        return Class::ANY;
    }
    let Ok(weak) = class.downgrade(None, vm) else { return Class::ANY };
    classes.push(weak);
    PLACES[index].store(place, Ordering::Relaxed);
    number(index)
}

/// Whether an object is of a class that the program has made: `None` if the number is that of another class. Who asks
/// keeps the class alive, if anything depends on it.
#[inline]
pub(crate) fn is_of(object: &PyObject, class: Class) -> Option<bool> {
    index(class).map(|it| PLACES[it].load(Ordering::Relaxed) == object.class().as_object().get_id())
}

/// The class of a number.
pub(crate) fn class(number: Class) -> Option<PyTypeRef> {
    CLASSES.lock().get(index(number)?)?.upgrade()
}

/// Whether objects of a class have attributes that the class does not say.
pub(crate) fn has_dict(class: &Py<PyType>) -> bool {
    class.slots.flags.has_feature(PyTypeFlags::HAS_DICT)
}

/// Whether a dict of attributes of an object has a name.
pub(crate) fn is_shadowed(
    object: &PyObjectRef,
    name: &'static rustpython_vm::builtins::PyStrInterned,
    vm: &VirtualMachine,
) -> bool {
    object.dict().is_some_and(|it| it.contains_key(name, vm))
}
