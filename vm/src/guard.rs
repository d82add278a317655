//! Guards: what a capture read from mutable places, checked before each call.
//!
//! A specialisation is right only while the world holds what its capture read. Each guard names a place and
//! what was there. Numbers and strings are compared by class and value, everything else by identity.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use rustpython_vm::builtins::{PyDict, PyDictRef, PyList, PySet, PyStr, PyTypeRef};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};

use crate::flatten::Source;
use crate::host;
use crate::scalar::same;

/// What a capture read, in the order it was read first.
#[derive(Debug, Default)]
pub(crate) struct Guards {
    guards: Vec<Guard>,
    seen: std::collections::HashSet<(usize, Option<String>)>,
    classes: HashMap<usize, usize>,
}

/// A place and what was there.
#[derive(Debug)]
pub(crate) enum Guard {
    /// The item of a dict with a string key: a global, a builtin, an attribute.
    Item {
        dict: PyDictRef,
        /// The key, a `str`.
        key: PyObjectRef,
        /// What was there, if anything.
        expected: Option<PyObjectRef>,
    },
    /// What looking names up in a class gives.
    Class {
        class: PyTypeRef,
        /// RustPython's version of the class when the names were looked up last: it has another one after
        /// any change of the class or of one it is derived from.
        version: AtomicU32,
        /// The names, and what they gave, if anything.
        expected: Vec<(&'static str, Option<PyObjectRef>)>,
        /// The classes that it is derived from, if that was asked, itself first.
        bases: Option<Vec<PyTypeRef>>,
    },
    /// The class of an object, and the dict of its attributes.
    Object {
        object: PyObjectRef,
        class: PyTypeRef,
        /// The dict itself: what is in it is guarded item by item.
        dict: Option<PyDictRef>,
    },
    /// An attribute that native code gives without looking into a dict.
    Attribute {
        object: PyObjectRef,
        name: &'static str,
        /// What it gave, if anything.
        expected: Option<PyObjectRef>,
    },
    /// The value of a cell.
    Cell {
        /// The cell.
        cell: PyObjectRef,
        /// What was there.
        expected: Option<PyObjectRef>,
    },
    /// All items of a list.
    List {
        /// The list.
        list: PyObjectRef,
        /// The items.
        expected: Vec<PyObjectRef>,
    },
    /// All items of a set, in the order in which it gives them.
    Set {
        /// The set.
        set: PyObjectRef,
        /// The items.
        expected: Vec<PyObjectRef>,
    },
    /// All items of a dict, in order.
    Dict {
        dict: PyObjectRef,
        /// The items.
        expected: Vec<(PyObjectRef, PyObjectRef)>,
    },
    /// Which names there are in a dict, in order: all attributes of an object are read.
    Names {
        /// The dict.
        dict: PyDictRef,
        /// The names.
        expected: Vec<PyObjectRef>,
    },
    /// The code and defaults of a function that was inlined.
    Function {
        func: PyObjectRef,
        /// Its code.
        code: PyObjectRef,
        /// Its defaults.
        defaults: Option<PyObjectRef>,
        /// Its defaults of keyword-only parameters: the dict itself.
        kwdefaults: Option<PyObjectRef>,
    },
}

impl Guards {
    /// All guards.
    pub(crate) fn into_vec(self) -> Vec<Guard> {
        self.guards
    }

    /// Whether every place holds what was read.
    pub(crate) fn hold(&self, vm: &VirtualMachine) -> bool {
        self.guards.iter().all(|guard| guard.holds(vm))
    }

    /// Adds a guard unless the place is guarded already.
    pub(crate) fn add(&mut self, guard: Guard) {
        if self.seen.insert(guard.place()) {
            self.guards.push(guard);
        }
    }

    /// Adds what looking a name up in a class gave.
    pub(crate) fn add_lookup(&mut self, class: &PyTypeRef, name: &'static str, found: Option<&PyObjectRef>) {
        if let Guard::Class { expected, .. } = self.class(class)
            && !expected.iter().any(|(known, _)| *known == name)
        {
            expected.push((name, found.cloned()));
        }
    }

    /// Adds which classes a class is derived from. Those of native code are always the same.
    pub(crate) fn add_bases(&mut self, class: &PyTypeRef) {
        if class.slots().flags.has_feature(PyTypeFlags::HEAPTYPE)
            && let Guard::Class { bases, class, .. } = self.class(class)
        {
            bases.get_or_insert_with(|| class.mro_collect());
        }
    }

    /// The guard of a class.
    fn class(&mut self, class: &PyTypeRef) -> &mut Guard {
        let guards = &mut self.guards;
        let index = *self.classes.entry(class.as_object().get_id()).or_insert_with(|| {
            guards.push(Guard::Class {
                class: class.clone(),
                version: AtomicU32::new(0),
                expected: Vec::new(),
                bases: None,
            });
            guards.len() - 1
        });
        &mut self.guards[index]
    }

    /// Whether this mutable object's contents are guarded.
    pub(crate) fn covers(&self, object: &PyObject) -> bool {
        self.seen.contains(&(object.get_id(), None))
    }
}

impl Guard {
    fn place(&self) -> (usize, Option<String>) {
        match self {
            Self::Item { dict, key, .. } => {
                (dict.as_object().get_id(), key.downcast_ref::<PyStr>().map(|key| key.to_string_lossy().into_owned()))
            }
            Self::Class { class, .. } => (class.as_object().get_id(), Some("class".to_owned())),
            Self::Object { object, .. } => (object.get_id(), Some("object".to_owned())),
            Self::Attribute { object, name, .. } => (object.get_id(), Some(format!("attribute {name}"))),
            Self::Set { set, .. } => (set.get_id(), None),
            Self::Cell { cell, .. } => (cell.get_id(), None),
            Self::List { list, .. } => (list.get_id(), None),
            Self::Dict { dict, .. } => (dict.get_id(), None),
            Self::Names { dict, .. } => (dict.as_object().get_id(), Some("all names".to_owned())),
            Self::Function { func, .. } => (func.get_id(), Some("code".to_owned())),
        }
    }

    /// Whether the place still holds what was read.
    pub(crate) fn holds(&self, vm: &VirtualMachine) -> bool {
        match self {
            Self::Item { dict, key, expected } => {
                let found = dict.get_item_opt(&**key, vm).ok().flatten();
                same_option(found.as_ref(), expected.as_ref(), vm)
            }
            Self::Class { class, version, expected, bases } => {
                let now = class.tp_version_tag.load(Ordering::Acquire);
                now != 0 && now == version.load(Ordering::Relaxed) || {
                    let same_bases = |bases: &Vec<PyTypeRef>| {
                        let now = class.mro_collect();
                        now.len() == bases.len() && now.iter().zip(bases).all(|(a, b)| a.is(b))
                    };
                    let holds = bases.as_ref().is_none_or(same_bases)
                        && expected.iter().all(|(name, expected)| {
                            same_option(class.get_attr(vm.ctx.intern_str(*name)).as_ref(), expected.as_ref(), vm)
                        });
                    if holds {
                        version.store(class.tp_version_tag.load(Ordering::Acquire), Ordering::Relaxed);
                    }
                    holds
                }
            }
            Self::Object { object, class, dict } => {
                object.class().is(class)
                    && dict.as_ref().is_none_or(|dict| object.dict().is_some_and(|now| now.is(dict)))
            }
            Self::Attribute { object, name, expected } => {
                same_option(object.get_attr(*name, vm).ok().as_ref(), expected.as_ref(), vm)
            }
            Self::Set { set, expected } => set.downcast_ref::<PySet>().is_some_and(|set| {
                let items = set.elements();
                items.len() == expected.len() && items.iter().zip(expected).all(|(a, b)| same(a, b, vm))
            }),
            Self::Cell { cell, expected } => {
                same_option(host::cell::cell_get(cell, vm).as_ref(), expected.as_ref(), vm)
            }
            Self::List { list, expected } => list.downcast_ref::<PyList>().is_some_and(|list| {
                let items = list.borrow_vec();
                items.len() == expected.len() && items.iter().zip(expected).all(|(a, b)| same(a, b, vm))
            }),
            Self::Dict { dict, expected } => dict.downcast_ref::<PyDict>().is_some_and(|dict| {
                let items = dict.items_vec();
                items.len() == expected.len()
                    && items.iter().zip(expected).all(|(a, b)| same(&a.0, &b.0, vm) && same(&a.1, &b.1, vm))
            }),
            Self::Names { dict, expected } => {
                let now = dict.items_vec();
                now.len() == expected.len() && expected.iter().zip(&now).all(|(name, (now, _))| same(name, now, vm))
            }
            Self::Function { func, code, defaults, kwdefaults } => {
                let is = |name, expected: &PyObjectRef| func.get_attr(name, vm).is_ok_and(|it| it.is(expected));
                is("__code__", code)
                    && is("__defaults__", defaults.as_ref().unwrap_or(&vm.ctx.none()))
                    && is("__kwdefaults__", kwdefaults.as_ref().unwrap_or(&vm.ctx.none()))
            }
        }
    }

    /// Where the number or tensor is that this guard is about, if it is about one.
    pub(crate) fn source(&self, vm: &VirtualMachine) -> Option<Source> {
        let number =
            |it: &Option<PyObjectRef>| it.as_ref().is_some_and(|it| crate::flatten::input_type(it, vm).is_some());
        match self {
            Self::Item { dict, key, expected } if number(expected) => {
                Some(Source::Item { dict: dict.clone(), key: key.clone() })
            }
            Self::Cell { cell, expected } if number(expected) => Some(Source::Cell(cell.clone())),
            Self::Dict { dict: object, .. } | Self::Set { set: object, .. }
                if crate::flatten::number_map(object, vm).is_some() =>
            {
                Some(Source::Members(object.clone()))
            }
            Self::List { list, .. } if crate::flatten::members_type(list, vm).is_some() => {
                Some(Source::Members(list.clone()))
            }
            _ => None,
        }
    }

    /// The dict of the attributes of an object, by identity, and the object, if that is what it is about.
    pub(crate) fn attributes_of(&self) -> Option<(usize, &PyObjectRef)> {
        match self {
            Self::Object { object, dict: Some(dict), .. } => Some((dict.as_object().get_id(), object)),
            _ => None,
        }
    }

    /// Whether it is about a list with this one in it.
    pub(crate) fn holds_row(&self, row: &PyObjectRef) -> bool {
        matches!(self, Self::List { expected, .. } if expected.iter().any(|it| it.is(row)))
    }

    /// The list whose items it is about.
    pub(crate) fn list(&self) -> Option<&PyObjectRef> {
        match self {
            Self::List { list, .. } => Some(list),
            _ => None,
        }
    }

    /// The list whose items it is about, or the dict, unless that is one of numbers.
    pub(crate) fn container(&self, vm: &VirtualMachine) -> Option<&PyObjectRef> {
        match self {
            Self::List { list, .. } => Some(list),
            Self::Dict { dict, .. } => Some(dict).filter(|it| crate::flatten::number_map(it, vm).is_none()),
            _ => None,
        }
    }

    /// What it guards, for people.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Item { key, .. } => match key.downcast_ref::<PyStr>() {
                Some(key) => format!("name `{}`", key.to_string_lossy()),
                None => "a dict item".to_owned(),
            },
            Self::Class { class, expected, .. } => {
                let names = expected.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                format!("{names} of class `{}`", class.name())
            }
            Self::Object { class, .. } => format!("the class of a `{}`", class.name()),
            Self::Attribute { object, name, .. } => format!("`{name}` of a `{}`", object.class().name()),
            Self::Set { expected, .. } => format!("a set of {} items", expected.len()),
            Self::Cell { .. } => "a closure variable".to_owned(),
            Self::List { expected, .. } => format!("a list of {} items", expected.len()),
            Self::Dict { expected, .. } => format!("a dict of {} items", expected.len()),
            Self::Names { .. } => "the names of an object's attributes".to_owned(),
            Self::Function { code, .. } => {
                let code = code.downcast_ref::<rustpython_vm::builtins::PyCode>();
                format!("the code of `{}`", code.map_or("", |code| code.code.qualname.as_str()))
            }
        }
    }
}

fn same_option(a: Option<&PyObjectRef>, b: Option<&PyObjectRef>, vm: &VirtualMachine) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => same(a, b, vm),
        (None, Some(_)) | (Some(_), None) => false,
    }
}
