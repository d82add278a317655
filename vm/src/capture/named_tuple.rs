//! Named tuples: objects of classes derived from `tuple` that hold nothing but their items.
//!
//! Their `__new__` is Python that ends with `tuple.__new__`; what that makes is an object of the class with the items as
//! they are, known or not. Like a tuple it is made anew where paths meet and where it leaves.

use rustpython_vm::builtins::{PyStaticMethod, PyTuple, PyType, PyTypeRef};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};

use crate::capture::session::Session;
use crate::capture::stop::Step;
use crate::host::named_tuple::{is_of_items, named_tuple};
use crate::kind::Make;

/// Makes an object of the first part, a class, with the others as items.
#[derive(Debug)]
pub(crate) struct NamedTuple;

impl Make for NamedTuple {
    fn make(&self, parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        named_tuple(&parts[0], parts[1..].to_vec(), vm)
    }

    fn class(&self) -> String {
        "a named tuple".to_owned()
    }
}

impl Session<'_> {
    /// `__new__` of a class of named tuples that is written in Python.
    pub(super) fn new_in_python(&mut self, class: &PyTypeRef) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        if !is_of_items(class, vm) {
            return Ok(None);
        }
        let [new, init, end] = ["__new__", "__init__", "__del__"].map(|name| self.looked_up(class, name));
        let is_native = |it: &PyObjectRef| it.class().is(vm.ctx.types.wrapper_descriptor_type);
        if end.is_some() || init.is_some_and(|it| !is_native(&it)) {
            return Ok(None);
        }
        if !new.is_some_and(|it| it.downcast_ref::<PyStaticMethod>().is_some()) {
            return Ok(None);
        }
        let new = class.as_object().get_attr("__new__", vm)?;
        Ok(crate::callable::is_function(&new, vm).then_some(new))
    }

    /// `tuple.__new__(class, items)`.
    pub(super) fn new_tuple_of(&mut self, callable: &PyObjectRef, args: &FuncArgs) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        let [class, items] = args.args.as_slice() else { return Ok(None) };
        let (Some(of), Some(_)) = (class.downcast_ref::<PyType>(), items.downcast_ref_if_exact::<PyTuple>(vm)) else {
            return Ok(None);
        };
        let new = vm.ctx.types.tuple_type.get_attr(vm.ctx.intern_str("__new__"));
        if !args.kwargs.is_empty() || !is_of_items(of, vm) || !new.is_some_and(|it| it.is(callable)) {
            return Ok(None);
        }
        let made = callable.call((class.clone(), items.clone()), vm)?;
        self.note_fresh(made.clone());
        Ok(Some(made))
    }

    /// The items of a tuple, named or not, that is compared as tuples are.
    pub(super) fn compared_items(&mut self, object: &PyObjectRef) -> Option<Vec<PyObjectRef>> {
        let tuple = object.downcast_ref::<PyTuple>()?;
        let items = tuple.as_slice().to_vec();
        if object.class().is(self.vm.ctx.types.tuple_type) {
            return Some(items);
        }
        let own = is_of_items(object.class(), self.vm)
            && !self.has_user_method(object, &["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"]);
        own.then_some(items)
    }

    /// The items of a named tuple that is gone through as a tuple is.
    pub(super) fn named_items(&mut self, object: &PyObjectRef) -> Option<Vec<PyObjectRef>> {
        let tuple = object.downcast_ref::<PyTuple>().filter(|_| is_of_items(object.class(), self.vm))?;
        let items = tuple.as_slice().to_vec();
        (!self.has_user_method(object, &["__iter__"])).then_some(items)
    }
}
