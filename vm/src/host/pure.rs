//! Which native callables may run at staging time, and which change one of their arguments.
//!
//! *Pure* means: no effect beyond the result, and a result that depends on the arguments alone, on
//! what they contain included. Containers are mutable, so whoever calls `len(xs)` at staging time
//! must still see to it that `xs` is as the program left it. What a pure callable calls on behalf of
//! an argument (`__len__` of a user's class, the key function of `sorted`) is Python code and not
//! judged here.

mod mutator;
#[cfg(test)]
mod tests;

pub use mutator::{Mutation, Mutator, mutator_kind};

use super::native::{NativeCallable, native_callable};
use rustpython_vm::{
    AsObject, Py, PyObject, VirtualMachine,
    builtins::{PyModule, PyType},
    function::FuncArgs,
};

/// Whether a call of this object is pure, whatever its arguments.
///
/// `type`, `getattr` and `hasattr` are pure with some arguments only, and iterators as arguments are
/// changed by being read: [`is_pure_call`] knows.
pub fn is_pure_native(callable: &PyObject, vm: &VirtualMachine) -> bool {
    native_callable(callable, vm).is_some_and(|native| is_pure(&native, vm))
}

/// Whether this call is pure: the callable is, and none of the arguments is an iterator that the
/// call would advance.
pub fn is_pure_call(callable: &PyObject, args: &FuncArgs, vm: &VirtualMachine) -> bool {
    let Some(native) = native_callable(callable, vm) else { return false };
    let pure = match &native {
        NativeCallable::Type(class) if class.is(vm.ctx.types.type_type) => {
            return args.args.len() == 1 && args.kwargs.is_empty();
        }
        NativeCallable::Function { module: "builtins", name } => match name.as_str() {
            // They look at the argument as an object and do not read it.
            "callable" | "isinstance" | "issubclass" | "iter" => return true,
            "getattr" | "hasattr" => return args.args.first().is_some_and(|obj| has_fixed_attributes(obj, vm)),
            "hash" => args.args.first().is_some_and(|obj| is_immutable(obj.class(), vm)),
            _ => is_pure(&native, vm),
        },
        NativeCallable::Type(_) | NativeCallable::Function { .. } | NativeCallable::Method { .. } => {
            is_pure(&native, vm)
        }
    };
    pure && !args.args.iter().chain(args.kwargs.values()).any(|arg| is_iterator(arg))
}

/// Whether reading items from this object changes it.
fn is_iterator(obj: &PyObject) -> bool {
    obj.class().slots.iternext.load().is_some()
}

fn is_pure(native: &NativeCallable, vm: &VirtualMachine) -> bool {
    match native {
        NativeCallable::Type(class) => is_pure_type(class, vm),
        NativeCallable::Function { module, name } => is_pure_function(module, name),
        NativeCallable::Method { owner, name, receiver } => {
            // A method of an instance that is an iterator advances it.
            !receiver.as_ref().is_some_and(|receiver| is_iterator(receiver)) && is_pure_method(owner, name, vm)
        }
    }
}

/// Classes whose instances are made without effects.
fn is_pure_type(class: &Py<PyType>, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let known = [
        types.bool_type,
        types.bytearray_type,
        types.bytes_type,
        types.complex_type,
        types.dict_type,
        types.enumerate_type,
        types.filter_type,
        types.float_type,
        types.frozenset_type,
        types.int_type,
        types.list_type,
        types.map_type,
        types.range_type,
        types.reverse_iter_type,
        types.set_type,
        types.slice_type,
        types.str_type,
        types.tuple_type,
        types.zip_type,
    ];
    known.iter().any(|known| class.is(*known)) || class.fast_issubclass(vm.ctx.exceptions.base_exception_type)
}

/// Functions of native modules.
fn is_pure_function(module: &str, name: &str) -> bool {
    match module {
        "builtins" => matches!(
            name,
            "abs"
                | "all"
                | "any"
                | "ascii"
                | "bin"
                | "callable"
                | "chr"
                | "divmod"
                | "format"
                | "hash"
                | "hex"
                | "isinstance"
                | "issubclass"
                | "iter"
                | "len"
                | "max"
                | "min"
                | "oct"
                | "ord"
                | "pow"
                | "repr"
                | "round"
                | "sorted"
                | "sum"
        ),
        "math" | "cmath" => true,
        "_operator" => !matches!(name, "setitem" | "delitem" | "call") && !is_in_place_operator(name),
        _ => false,
    }
}

/// `operator.iadd` and its like, which change their first argument if it can be changed.
fn is_in_place_operator(name: &str) -> bool {
    matches!(
        name.trim_matches('_'),
        "iadd"
            | "iand"
            | "iconcat"
            | "ifloordiv"
            | "ilshift"
            | "imatmul"
            | "imod"
            | "imul"
            | "ior"
            | "ipow"
            | "irshift"
            | "isub"
            | "itruediv"
            | "ixor"
    )
}

fn is_pure_method(owner: &Py<PyType>, name: &str, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    if is_immutable(owner, vm) {
        return true;
    }
    let reads = |names: &[&str]| names.contains(&name) || READS.contains(&name);
    if owner.is(types.list_type) {
        reads(&["copy", "count", "index", "__add__", "__mul__", "__reversed__", "__rmul__"])
    } else if owner.is(types.dict_type) {
        reads(&["copy", "fromkeys", "get", "items", "keys", "values", "__or__", "__reversed__", "__ror__"])
    } else if owner.is(types.set_type) {
        reads(&[
            "copy",
            "difference",
            "intersection",
            "isdisjoint",
            "issubset",
            "issuperset",
            "symmetric_difference",
            "union",
            "__and__",
            "__or__",
            "__rand__",
            "__ror__",
            "__rsub__",
            "__rxor__",
            "__sub__",
            "__xor__",
        ])
    } else {
        false
    }
}

/// Special methods of lists, dicts and sets that only read.
const READS: [&str; 13] = [
    "__class_getitem__",
    "__contains__",
    "__eq__",
    "__ge__",
    "__getitem__",
    "__gt__",
    "__iter__",
    "__le__",
    "__len__",
    "__lt__",
    "__ne__",
    "__repr__",
    "__sizeof__",
];

/// Built-in classes whose instances never change, so that all their methods are pure.
fn is_immutable(class: &Py<PyType>, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    [
        types.bool_type,
        types.bytes_type,
        types.complex_type,
        types.float_type,
        types.frozenset_type,
        types.int_type,
        types.none_type,
        types.range_type,
        types.slice_type,
        types.str_type,
        types.tuple_type,
    ]
    .iter()
    .any(|known| class.is(*known))
}

/// Whether attributes of this object are the same on every read: instances of immutable classes, and
/// of lists, dicts and sets (their methods), but no modules, classes or objects with a namespace.
fn has_fixed_attributes(obj: &PyObject, vm: &VirtualMachine) -> bool {
    let (class, types) = (obj.class(), &vm.ctx.types);
    let container = [types.list_type, types.dict_type, types.set_type].iter().any(|known| class.is(*known));
    obj.downcast_ref::<PyModule>().is_none() && (container || is_immutable(class, vm))
}
