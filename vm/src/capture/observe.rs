//! What native code reads and makes while capturing.
//!
//! Native code may run now only where it would do the same at each call: it must read nothing but what never
//! changes, what the path knows, or what a guard watches; and what it makes must be an object that the heap of
//! a path can follow. Everything else waits for the call itself.
//!
//! What it reads is looked at all the way down, and it must find no method written in Python. If native code asks a Rep
//! for anything all the same (`rep/leak.rs`), the instruction is refused, whatever came of it.

use rustc_hash::FxHashSet as HashSet;
use rustpython_vm::builtins::{PyBaseException, PyDict, PyFrozenSet, PyList, PySet, PyTuple, PyType};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, Py, PyObjectRef, VirtualMachine};

use crate::capture::record::refuse_native;
use crate::capture::session::Session;
use crate::capture::step::{refuse, refuse_large};
use crate::capture::stop::Step;
use crate::guard::Guard;
use crate::host;
use crate::kind;
use crate::rep::Named;

/// Methods that a comparison may call.
pub(crate) const COMPARES: &[&str] = &["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"];
/// Methods that making text may call.
pub(crate) const SHOWS: &[&str] = &["__format__", "__str__", "__repr__"];
/// Methods that a native function may call on what it is given.
pub(crate) const ANY: &[&str] = &[
    "__eq__",
    "__ne__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__hash__",
    "__format__",
    "__str__",
    "__repr__",
    "__bool__",
    "__len__",
    "__iter__",
    "__next__",
    "__getitem__",
    "__contains__",
    "__index__",
    "__int__",
    "__float__",
    "__complex__",
    "__add__",
    "__radd__",
    "__abs__",
    "__round__",
    "__trunc__",
    "__floor__",
    "__ceil__",
    "__reversed__",
    "__bytes__",
    "__pow__",
    "__rpow__",
    "__divmod__",
    "__rdivmod__",
    "__instancecheck__",
    "__subclasscheck__",
    "__getattr__",
    "__getattribute__",
    "__call__",
];

impl Session<'_> {
    /// Native code is about to read an object and all that is in it, and may call these methods.
    pub(crate) fn observe(&mut self, object: &PyObjectRef, methods: &[&'static str]) -> Step<()> {
        let mut seen = HashSet::default();
        let mut left = vec![object.clone()];
        while let Some(object) = left.pop() {
            if seen.insert(object.get_id()) && self.observe_itself(&object, methods)? {
                left.extend(inside(&object, self.vm));
            }
        }
        Ok(())
    }

    /// The same for an object alone. Whether there may be something in it.
    pub(crate) fn observe_itself(&mut self, object: &PyObjectRef, methods: &[&'static str]) -> Step<bool> {
        let vm = self.vm;
        if kind::is_instance(object) {
            return Err(refuse_native("native code is given", &crate::rep::class_of(object)).into());
        }
        if crate::rep::is_staged(object) {
            return Ok(false);
        }
        // A class is an object of its metaclass.
        if !self.is_plain(object) && self.has_user_method(object, methods) {
            return Err(refuse("S251", format!("this calls a method of `{}`", object.class_name())).into());
        }
        if methods == SHOWS && has_a_name(object, vm) {
            let message = format!("the text of a `{}` may change between calls", object.class_name());
            return Err(refuse("S291", message).into());
        }
        if self.never_changes(object) {
            return Ok(false);
        }
        let types = &vm.ctx.types;
        let class = object.class();
        let followed = [types.list_type, types.dict_type, types.set_type, types.frozenset_type];
        let known = followed.iter().any(|it| class.is(*it))
            || object.downcast_ref::<PyTuple>().is_some()
            || host::belongs::dict_view(object, vm).is_some()
            || object.downcast_ref::<PyBaseException>().is_some() && self.is_fresh(object)
            || !self.is_plain(object) && has_only_attributes(class, vm);
        if !known {
            return Err(refuse(
                "S291",
                format!("staged code reads a `{}`, which may change between calls", class.name()),
            )
            .into());
        }
        self.guard_contents(object)?;
        Ok(true)
    }

    /// Whether an object is the same at each call, whatever reads it.
    pub(crate) fn never_changes(&self, object: &PyObjectRef) -> bool {
        let types = &self.vm.ctx.types;
        let class = object.class();
        [
            types.int_type,
            types.float_type,
            types.str_type,
            types.bool_type,
            types.none_type,
            types.bytes_type,
            types.complex_type,
            types.ellipsis_type,
            types.not_implemented_type,
            types.range_type,
            types.slice_type,
            types.type_type,
            types.function_type,
            types.bound_method_type,
            types.builtin_function_or_method_type,
            types.method_descriptor_type,
            types.method_wrapper_type,
            types.wrapper_descriptor_type,
            types.code_type,
            types.module_type,
            types.generic_alias_type,
            types.property_type,
            types.staticmethod_type,
            types.classmethod_type,
            types.getset_type,
            types.member_descriptor_type,
        ]
        .iter()
        .any(|it| class.is(*it))
            || object.downcast_ref::<PyType>().is_some()
            || crate::tensor::library().is_some_and(|it| it.is_fixed(object))
    }

    /// What native code has given: something new is the program's, everything else is read.
    pub(crate) fn adopt(&mut self, object: PyObjectRef) -> Step<PyObjectRef> {
        refuse_large(&object)?;
        if object.class().is(self.vm.ctx.types.slice_type) && object.strong_count() == 1 {
            return Ok(self.made(object));
        }
        if crate::rep::is_staged(&object) || self.never_changes(&object) || self.is_fresh(&object) {
            return Ok(object);
        }
        if object.downcast_ref::<PyFrozenSet>().is_some() && self.depends(&object) {
            let message = "this makes a `frozenset` of what the call makes, which staged code cannot follow";
            return Err(refuse("S299", message).into());
        }
        let types = &self.vm.ctx.types;
        let class = object.class();
        if object.strong_count() > 1 || self.base.number(&object).is_some() {
            self.guard_contents(&object)?;
            return Ok(object);
        }
        if [types.list_type, types.dict_type, types.set_type].iter().any(|it| class.is(*it)) {
            return Ok(self.made(object));
        }
        let fixed = [types.tuple_type, types.frozenset_type];
        if fixed.iter().any(|it| class.is(*it)) || host::belongs::dict_view(&object, self.vm).is_some() {
            return Ok(object);
        }
        Err(refuse("S299", format!("this makes a `{}`, which staged code cannot follow", class.name())).into())
    }

    /// The class of an object of the world is read.
    pub(crate) fn guard_object(&mut self, object: &PyObjectRef) {
        let known = self.is_fresh(object) || self.given.arguments.contains_key(&object.get_id());
        if !known && !self.is_plain(object) && object.downcast_ref::<PyType>().is_none() {
            self.guards.add(Guard::Object {
                object: object.clone(),
                class: object.class().to_owned(),
                dict: object.dict(),
            });
        }
    }

    /// Whether the class of an object is one of Python's own, so that operations on it run no user code.
    pub(crate) fn is_plain(&self, object: &PyObjectRef) -> bool {
        !object.class().slots().flags.has_feature(PyTypeFlags::HEAPTYPE)
    }

    /// Whether a class written in Python has one of these methods. What is found is guarded.
    pub(crate) fn has_user_method(&mut self, object: &PyObjectRef, names: &[&'static str]) -> bool {
        self.guard_object(object);
        let class = crate::rep::class_of(object);
        if !class.slots().flags.has_feature(PyTypeFlags::HEAPTYPE) {
            return false;
        }
        let types = &self.vm.ctx.types;
        let native = [
            types.wrapper_descriptor_type,
            types.method_descriptor_type,
            types.builtin_function_or_method_type,
            types.none_type,
        ];
        let mut has = false;
        for name in names {
            let found = class.get_attr(self.vm.ctx.intern_str(*name));
            self.guards.add_lookup(&class, name, found.as_ref());
            has |= found.is_some_and(|found| !native.iter().any(|it| found.class().is(*it)));
        }
        has
    }
}

/// Whether the text of an object has names in it that can be assigned.
fn has_a_name(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let class = object.downcast_ref::<PyType>();
    class.is_some_and(|it| it.slots().flags.has_feature(PyTypeFlags::HEAPTYPE))
        || [types.function_type, types.bound_method_type, types.module_type].iter().any(|it| object.class().is(*it))
}

/// Whether this is a tuple or a list, exactly.
pub(crate) fn is_sequence(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    [types.tuple_type, types.list_type].iter().any(|it| object.class().is(*it))
}

/// What native code finds in an object.
pub(crate) fn inside(object: &PyObjectRef, vm: &VirtualMachine) -> Vec<PyObjectRef> {
    if let Some(list) = object.downcast_ref::<PyList>() {
        list.borrow_vec().to_vec()
    } else if let Some(dict) = object.downcast_ref::<PyDict>() {
        dict.items_vec().into_iter().flat_map(|(key, value)| [key, value]).collect()
    } else if let Some(set) = object.downcast_ref::<PySet>() {
        set.elements()
    } else if let Some(set) = object.downcast_ref::<PyFrozenSet>() {
        set.elements()
    } else if let Some(tuple) = object.downcast_ref::<PyTuple>() {
        tuple.as_slice().to_vec()
    } else if let Some(exception) = object.downcast_ref::<PyBaseException>() {
        // What its text is made of: an `AttributeError` does not show its object.
        let has_own = host::carried::has_own_text(object, vm);
        let members = has_own.then(|| host::carried::members(object, vm)).into_iter().flatten().map(|it| it.1);
        exception.args().iter().cloned().chain(members).collect()
    } else {
        host::belongs::dict_view(object, vm).map(|(dict, _)| dict).into_iter().collect()
    }
}

/// Whether objects of a class written in Python hold nothing that can change but attributes.
fn has_only_attributes(class: &Py<PyType>, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let fixed = [types.object_type, types.int_type, types.float_type, types.str_type, types.bytes_type];
    let mro = class.mro_collect();
    let mut native = mro.iter().filter(|it| !it.slots().flags.has_feature(PyTypeFlags::HEAPTYPE));
    native.all(|it| fixed.iter().any(|fixed| it.is(*fixed)))
}
