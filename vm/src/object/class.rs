//! Classes of objects that compiled code knows something of, as numbers in its types.

use rustpython_vm::builtins::{PyTuple, PyType};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, Py, PyObject, VirtualMachine};
use snekpy_stage::types::Class;

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $text:literal;)*) => {
        /// What a class is called in compiled code.
        pub(super) mod number {
            use snekpy_stage::types::Class;
            $($(#[$doc])* pub(in crate::object) const $name: Class = Class($number);)*
        }

        /// The number of a native class by its name in the definition.
        fn by_name(name: &str) -> Class {
            match name {
                $($text => number::$name,)*
                _ => Class::ANY,
            }
        }
    };
}

classes! {
    STR = 1, "str";
    BYTES = 2, "bytes";
    INT = 3, "int";
    LIST = 4, "list";
    TUPLE = 5, "tuple";
    DICT = 6, "dict";
    SET = 7, "set";
    FROZENSET = 8, "frozenset";
    BYTEARRAY = 9, "bytearray";
    DEQUE = 10, "collections.deque";
    STRING_IO = 11, "_io.StringIO";
    BYTES_IO = 12, "_io.BytesIO";
    PATTERN = 13, "re.Pattern";
    MATCH = 14, "re.Match";
    FLOAT = 15, "float";
    COMPLEX = 16, "complex";
    STR_ITERATOR = 17, "str_iterator";
    /// No class: an iterator that a crossing has made of what it may look at.
    OWN_ITERATOR = 18, "";
}

/// The number of a native class; [`Class::ANY`] if it has none.
pub(crate) fn class_number(class: &Py<PyType>, vm: &VirtualMachine) -> Class {
    let types = &vm.ctx.types;
    let common = [
        (types.str_type, number::STR),
        (types.list_type, number::LIST),
        (types.tuple_type, number::TUPLE),
        (types.dict_type, number::DICT),
        (types.int_type, number::INT),
        (types.float_type, number::FLOAT),
        (types.set_type, number::SET),
        (types.bytes_type, number::BYTES),
    ];
    if let Some((_, number)) = common.iter().find(|(it, _)| class.is(*it)) {
        return *number;
    }
    if class.slots.flags.has_feature(PyTypeFlags::HEAPTYPE) {
        return Class::ANY;
    }
    by_name(&class.slot_name())
}

/// The class that a number stands for, where methods of it may be asked for while capturing.
pub(crate) fn type_of(class: Class, vm: &VirtualMachine) -> Option<&'static Py<PyType>> {
    let types = &vm.ctx.types;
    Some(match class {
        number::STR => types.str_type,
        number::BYTES => types.bytes_type,
        number::LIST => types.list_type,
        number::TUPLE => types.tuple_type,
        number::DICT => types.dict_type,
        number::SET => types.set_type,
        number::FROZENSET => types.frozenset_type,
        number::INT => types.int_type,
        number::FLOAT => types.float_type,
        _ => return None,
    })
}

/// The class of the iterators over objects of a class.
pub(crate) const fn iterator_of(class: Class) -> Class {
    match class {
        number::STR => number::STR_ITERATOR,
        number::OWN_ITERATOR => number::OWN_ITERATOR,
        _ => Class::ANY,
    }
}

/// The class of what iterators of a class give.
pub(crate) const fn item_of(class: Class) -> Class {
    match class {
        number::STR_ITERATOR => number::STR,
        _ => Class::ANY,
    }
}

/// Whether iterators of a class were made of what a crossing may look at.
pub(crate) fn is_own_iterator(class: Class) -> bool {
    class == number::OWN_ITERATOR
}

/// Whether an object holds no others and does nothing but be what it is.
pub(super) fn is_atom(object: &PyObject, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let class = object.class();
    [
        types.str_type,
        types.int_type,
        types.float_type,
        types.none_type,
        types.bool_type,
        types.bytes_type,
        types.complex_type,
        types.range_type,
        types.ellipsis_type,
    ]
    .iter()
    .any(|it| class.is(*it))
}

/// Whether an object is an atom or a tuple of flat ones: comparing and hashing it runs no Python.
pub(super) fn is_flat(object: &PyObject, vm: &VirtualMachine) -> bool {
    is_atom(object, vm)
        || object.downcast_ref_if_exact::<PyTuple>(vm).is_some_and(|it| it.as_slice().iter().all(|it| is_flat(it, vm)))
}
