//! Who a native callable is: a type, a function of a module, or a method of a built-in type.
//!
//! Names alone do not identify anything (a program can bind `len` to `print`), so what is read here
//! is what native code has put into the object and no program can change: the definition's name, and
//! the module, instance or class that the function belongs to.

use super::descriptor::Attribute;
use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, VirtualMachine,
    builtins::{PyModule, PyStr, PyType, PyTypeRef},
    function::{PyMethodDef, PyNativeFn},
    types::PyTypeFlags,
};
use std::sync::OnceLock;

/// A callable that is native code.
#[derive(Clone, Debug)]
pub enum NativeCallable {
    /// A built-in class: calling it makes an instance.
    Type(PyTypeRef),
    /// A function of a native module.
    Function {
        /// The module's name in its definition.
        module: &'static str,
        /// The function's name in its definition.
        name: String,
    },
    /// A method of a built-in class, bound or not.
    Method {
        /// The class that defines it.
        owner: PyTypeRef,
        /// The method's name in its definition.
        name: String,
        /// The instance that it is bound to; a class for class methods and static methods, and
        /// `None` where the instance is the first argument of the call.
        receiver: Option<PyObjectRef>,
    },
}

impl NativeCallable {
    /// Which builtin it is. What the program has bound to a name of `builtins` counts for nothing.
    pub fn builtin(&self, vm: &VirtualMachine) -> Option<&str> {
        match self {
            Self::Function { module: "builtins", name } => Some(name),
            Self::Type(class) => builtin_classes(vm).into_iter().find(|(it, _)| class.is(*it)).map(|(_, name)| name),
            Self::Function { .. } | Self::Method { .. } => None,
        }
    }
}

/// The classes of `builtins` that are called like functions, and what they are called.
fn builtin_classes(vm: &VirtualMachine) -> [(&'static Py<PyType>, &'static str); 17] {
    let types = &vm.ctx.types;
    [
        (types.bool_type, "bool"),
        (types.dict_type, "dict"),
        (types.enumerate_type, "enumerate"),
        (types.filter_type, "filter"),
        (types.float_type, "float"),
        (types.frozenset_type, "frozenset"),
        (types.int_type, "int"),
        (types.list_type, "list"),
        (types.map_type, "map"),
        (types.range_type, "range"),
        (types.set_type, "set"),
        (types.slice_type, "slice"),
        (types.str_type, "str"),
        (types.super_type, "super"),
        (types.tuple_type, "tuple"),
        (types.type_type, "type"),
        (types.zip_type, "zip"),
    ]
}

/// The identity of a native callable; `None` for Python functions and bound methods, instances with
/// `__call__`, classes defined in Python, and native functions that belong to no module or class
/// (those an embedder registers).
pub fn native_callable(callable: &PyObject, vm: &VirtualMachine) -> Option<NativeCallable> {
    let types = &vm.ctx.types;
    let class = callable.class();
    if class.is(types.builtin_function_or_method_type) {
        let attributes = attributes(vm);
        let name = text(&attributes.function_name, callable, vm)?;
        let receiver = attributes.function_self.get(callable, vm).ok()?;
        return function_or_method(name, receiver, vm);
    }
    if class.is(types.method_descriptor_type) {
        let attributes = attributes(vm);
        return unbound(&attributes.descriptor_owner, &attributes.descriptor_name, callable, vm);
    }
    if class.is(types.wrapper_descriptor_type) {
        let attributes = attributes(vm);
        return unbound(&attributes.wrapper_owner, &attributes.wrapper_name, callable, vm);
    }
    if class.is(types.method_wrapper_type) {
        let attributes = attributes(vm);
        let owner = attributes.bound_wrapper_owner.get(callable, vm).ok()?.downcast().ok()?;
        let name = text(&attributes.bound_wrapper_name, callable, vm)?;
        let receiver = Some(attributes.bound_wrapper_self.get(callable, vm).ok()?);
        return Some(NativeCallable::Method { owner, name, receiver });
    }
    let class: PyTypeRef = callable.downcast_ref::<PyType>()?.to_owned();
    is_native_type(&class).then_some(NativeCallable::Type(class))
}

/// Whether this class is defined by native code.
pub fn is_native_type(class: &Py<PyType>) -> bool {
    !class.slots.flags.has_feature(PyTypeFlags::HEAPTYPE)
}

/// A `builtin_function_or_method` by its name and what it belongs to.
fn function_or_method(name: String, receiver: PyObjectRef, vm: &VirtualMachine) -> Option<NativeCallable> {
    if let Some(module) = receiver.downcast_ref::<PyModule>() {
        let module = module.def?.name.as_str();
        return Some(NativeCallable::Function { module, name });
    }
    // Methods do not say which class defined them: it is the first native one that has the name. A
    // class method is bound to the class whose bases to search, everything else to an instance.
    let owner = match receiver.downcast_ref::<PyType>() {
        Some(class) => defining_class(class, &name, vm).or_else(|| defining_class(receiver.class(), &name, vm)),
        None => defining_class(receiver.class(), &name, vm),
    }?;
    Some(NativeCallable::Method { owner, name, receiver: Some(receiver) })
}

/// The first native class in the method resolution order that defines `name`.
fn defining_class(class: &Py<PyType>, name: &str, vm: &VirtualMachine) -> Option<PyTypeRef> {
    let name = vm.ctx.intern_str(name);
    let mro: Vec<PyRef<PyType>> = class.mro_collect();
    mro.into_iter().find(|class| is_native_type(class) && class.get_direct_attr(name).is_some())
}

fn unbound(owner: &Attribute, name: &Attribute, callable: &PyObject, vm: &VirtualMachine) -> Option<NativeCallable> {
    let owner = owner.get(callable, vm).ok()?.downcast().ok()?;
    Some(NativeCallable::Method { owner, name: text(name, callable, vm)?, receiver: None })
}

fn text(attribute: &Attribute, obj: &PyObject, vm: &VirtualMachine) -> Option<String> {
    let text = attribute.get(obj, vm).ok()?;
    text.downcast_ref::<PyStr>()?.to_str().map(str::to_owned)
}

/// The attributes of native callables, by class.
struct Attributes {
    function_name: Attribute,
    function_self: Attribute,
    descriptor_owner: Attribute,
    descriptor_name: Attribute,
    wrapper_owner: Attribute,
    wrapper_name: Attribute,
    bound_wrapper_owner: Attribute,
    bound_wrapper_name: Attribute,
    bound_wrapper_self: Attribute,
}

fn attributes(vm: &VirtualMachine) -> &'static Attributes {
    static ATTRIBUTES: OnceLock<Attributes> = OnceLock::new();
    ATTRIBUTES.get_or_init(|| {
        let types = &vm.ctx.types;
        let attribute = |class, name| Attribute::new(class, name, vm);
        Attributes {
            function_name: attribute(types.builtin_function_or_method_type, "__name__"),
            function_self: attribute(types.builtin_function_or_method_type, "__self__"),
            descriptor_owner: attribute(types.method_descriptor_type, "__objclass__"),
            descriptor_name: attribute(types.method_descriptor_type, "__name__"),
            wrapper_owner: attribute(types.wrapper_descriptor_type, "__objclass__"),
            wrapper_name: attribute(types.wrapper_descriptor_type, "__name__"),
            bound_wrapper_owner: attribute(types.method_wrapper_type, "__objclass__"),
            bound_wrapper_name: attribute(types.method_wrapper_type, "__name__"),
            bound_wrapper_self: attribute(types.method_wrapper_type, "__self__"),
        }
    })
}

/// The code of a function of a native module, which never ends; `like` is any definition of one.
pub(crate) fn as_native(
    object: &PyObject,
    like: &'static PyMethodDef,
    vm: &VirtualMachine,
) -> Option<&'static dyn PyNativeFn> {
    /// `object` as the type of `like`, which cannot be named outside RustPython.
    fn same_type<'a, T: PyPayload>(_like: &PyRef<T>, object: &'a PyObject) -> Option<&'a Py<T>> {
        object.downcast_ref()
    }
    same_type(&like.to_function().into_ref(&vm.ctx), object).map(|it| it.as_func())
}
