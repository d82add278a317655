//! What is inside a mutable object of the program.

use rustpython_vm::builtins::{PyBaseException, PyDict, PyList, PySet, PyStrRef};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, VirtualMachine};
use snekpy_stage::op::Const;
use snekpy_stage::types::{MapType, Scalar, Type};

use crate::host;
use crate::limits::budget;
use crate::map_key;

/// What is inside a mutable object.
#[derive(Clone, Debug)]
pub(crate) enum Contents<I> {
    /// The items of a list.
    List(Vec<PyObjectRef>),
    /// The items of a dict, in order, or the attributes of an object that has places for them.
    Dict(Vec<(PyObjectRef, PyObjectRef)>),
    /// The items of a set, in the order in which it gives them.
    Set(Vec<PyObjectRef>),
    /// The value of a cell.
    Cell(Option<PyObjectRef>),
    /// What raising an exception sets.
    Exception(Relatives),
    /// The state of an iterator of staged code.
    Iter(I),
}

/// The exceptions that an exception names, and whether the second is not shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relatives {
    /// Its `__cause__`.
    pub(crate) cause: Option<PyObjectRef>,
    /// Its `__context__`.
    pub(crate) context: Option<PyObjectRef>,
    /// Its `__suppress_context__`.
    pub(crate) suppresses: bool,
}

impl Relatives {
    fn of(exception: &Py<PyBaseException>, vm: &VirtualMachine) -> Self {
        Self {
            cause: exception.__cause__().map(Into::into),
            context: exception.__context__().map(Into::into),
            suppresses: host::carried::suppresses_context(exception.as_object(), vm),
        }
    }

    /// Makes them those of an exception.
    pub(crate) fn set(&self, exception: &Py<PyBaseException>, vm: &VirtualMachine) {
        let [cause, context] =
            [&self.cause, &self.context].map(|it| it.clone().and_then(|it| it.downcast::<PyBaseException>().ok()));
        exception.set_cause(cause);
        exception.set_context(context);
        host::carried::suppress_context(exception.as_object(), self.suppresses, vm);
    }
}

/// What a mutable object holds; `None` if it is not one that capture knows.
pub(crate) fn read<I>(object: &PyObject, vm: &VirtualMachine) -> Option<Contents<I>> {
    if let Some(list) = object.downcast_ref::<PyList>() {
        Some(Contents::List(budget::copied(list.borrow_vec().to_vec())))
    } else if let Some(dict) = object.downcast_ref::<PyDict>() {
        Some(Contents::Dict(budget::copied(dict.items_vec())))
    } else if let Some(set) = object.downcast_ref::<PySet>() {
        Some(Contents::Set(budget::copied(set.elements())))
    } else if host::cell::is_cell(object, vm) {
        Some(Contents::Cell(host::cell::cell_get(object, vm)))
    } else if let Some(exception) = object.downcast_ref::<PyBaseException>() {
        Some(Contents::Exception(Relatives::of(exception, vm)))
    } else {
        let named = |(name, value): (PyStrRef, PyObjectRef)| (name.into(), value);
        host::slots::attributes(object, vm).map(|it| Contents::Dict(it.into_iter().map(named).collect()))
    }
}

/// Replaces what a mutable object holds.
pub(crate) fn write<I>(object: &PyObject, contents: &Contents<I>, vm: &VirtualMachine) {
    match contents {
        Contents::List(items) => write_list(object, items.clone()),
        Contents::Dict(items) => {
            if let Some(dict) = object.downcast_ref::<PyDict>() {
                dict.clear();
                for (key, value) in items {
                    // Keys that were in a dict before hash and compare without running user code.
                    let _ = dict.set_item(&**key, value.clone(), vm);
                }
            } else {
                host::slots::set_attributes(object, items, vm);
            }
        }
        Contents::Set(items) => {
            if let Some(set) = object.downcast_ref::<PySet>() {
                set.clear();
                for item in items {
                    // Items that were in a set before, as above.
                    let _ = set.add(item.clone(), vm);
                }
            }
        }
        Contents::Cell(value) => host::cell::cell_set(object, value.clone(), vm),
        Contents::Exception(relatives) => {
            if let Some(exception) = object.downcast_ref::<PyBaseException>() {
                relatives.set(exception, vm);
            }
        }
        // Only a capture knows what its iterators are.
        Contents::Iter(_) => {}
    }
}

/// Makes these the items of a list.
pub(crate) fn write_list(object: &PyObject, items: Vec<PyObjectRef>) {
    if let Some(list) = object.downcast_ref::<PyList>() {
        let old = std::mem::replace(&mut *list.borrow_vec_mut(), items);
        drop(old);
    }
}

/// The type of a dict or set of numbers: `None` if it is none, `Some(None)` if it is empty. `type_of` says what a value is.
pub(crate) fn map_type<I>(
    contents: &Contents<I>,
    type_of: impl Fn(&PyObjectRef) -> Option<Type>,
    vm: &VirtualMachine,
) -> Option<Option<MapType>> {
    let mut found: Option<MapType> = None;
    let mut add = |key: &PyObjectRef, value: Option<&PyObjectRef>| -> Option<()> {
        let (keys, key) = match map_key::number(key, vm)? {
            (_, Const::F64(it)) if it.is_nan() => return None,
            (keys, Const::F64(_)) => (keys, Scalar::F64),
            (keys, Const::I64(_)) => (keys, Scalar::I64),
            (keys, Const::Bool(_)) => (keys, Scalar::Bool),
        };
        let value = match value {
            Some(value) => Some(Scalar::of(type_of(value)?)?),
            None => None,
        };
        let ty = MapType { key, keys, value };
        (*found.get_or_insert(ty) == ty).then_some(())
    };
    match contents {
        Contents::Dict(items) => items.iter().try_for_each(|(key, value)| add(key, Some(value)))?,
        Contents::Set(items) => items.iter().try_for_each(|item| add(item, None))?,
        Contents::List(_) | Contents::Cell(_) | Contents::Exception(_) | Contents::Iter(_) => return None,
    }
    Some(found)
}
