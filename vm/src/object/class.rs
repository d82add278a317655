//! Classes of objects that compiled code knows something of, as numbers in its types.

use rustpython_vm::builtins::{PyTuple, PyType};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, Py, PyObject, VirtualMachine};
use snekpy_stage::types::Class;

use crate::host::steps::Steps;

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $text:literal;)*) => {
        /// What a class is called in compiled code.
        pub(crate) mod number {
            use snekpy_stage::types::Class;
            $($(#[$doc])* pub(crate) const $name: Class = Class($number);)*
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
    NDARRAY = 19, "numpy.ndarray";
    DEFAULTDICT = 20, "collections.defaultdict";
    COUNT = 21, "itertools.count";
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

/// Whether this is the class of deques.
pub(crate) fn is_deque(class: &Py<PyType>, vm: &VirtualMachine) -> bool {
    class_number(class, vm) == number::DEQUE
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
        number::COMPLEX => types.complex_type,
        _ => return None,
    })
}

/// The class of the iterators that a crossing makes over objects of a class.
pub(crate) const fn iterator_of(class: Class) -> Class {
    match class {
        number::STR => number::STR_ITERATOR,
        number::BYTES
        | number::LIST
        | number::TUPLE
        | number::DICT
        | number::SET
        | number::FROZENSET
        | number::BYTEARRAY
        | number::DEQUE
        | number::DEFAULTDICT
        | number::OWN_ITERATOR => number::OWN_ITERATOR,
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

/// Whether a class is that of tensors.
pub(crate) fn is_tensor(class: Class) -> bool {
    class == number::NDARRAY
}

/// Whether a class is that of dicts that make items.
pub(crate) fn is_defaultdict(class: Class) -> bool {
    class == number::DEFAULTDICT
}

/// The class of tensors.
pub(crate) const TENSOR: Class = number::NDARRAY;

/// Whether iterators of a class were made of what a crossing may look at.
pub(crate) fn is_own_iterator(class: Class) -> bool {
    class == number::OWN_ITERATOR
}

/// Whether what goes over objects of a class uses them up.
pub(crate) const fn is_used_up(class: Class) -> bool {
    matches!(class, number::OWN_ITERATOR | number::STR_ITERATOR)
}

/// Whether an object holds no others and does nothing but be what it is.
pub(crate) fn is_atom(object: &PyObject, vm: &VirtualMachine) -> bool {
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

/// Whether an object may hold others.
pub(crate) fn may_hold(object: &PyObject, vm: &VirtualMachine) -> bool {
    !is_atom(object, vm) && (object.class().is(vm.ctx.types.list_type) || crate::tensor::of(object).is_none())
}

/// Whether an object may be held somewhat longer than anybody uses it: a tensor is large.
#[inline]
pub(crate) fn is_kept(object: &PyObject, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let class = object.class();
    class.is(types.str_type)
        || class.is(types.list_type)
        || class.is(types.tuple_type)
        || crate::tensor::of(object).is_none()
}

/// Whether an object is an iterator over a builtin container.
pub(crate) fn is_basic_iterator(object: &PyObject, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let class = object.class();
    let native = [
        types.list_iterator_type,
        types.tuple_iterator_type,
        types.dict_itemiterator_type,
        types.dict_keyiterator_type,
        types.dict_valueiterator_type,
        types.set_iterator_type,
        types.str_iterator_type,
        types.range_iterator_type,
    ];
    object.downcast_ref::<Steps>().is_some() || native.iter().any(|it| class.is(*it))
}

/// How many fields the tuples of a class that `namedtuple` has made have, if the class adds nothing to that.
pub(crate) fn named_fields(class: &Py<PyType>, vm: &VirtualMachine) -> Option<usize> {
    const CHANGES: [&str; 8] = [
        "__init__",
        "__iter__",
        "__len__",
        "__getitem__",
        "__getattr__",
        "__getattribute__",
        "__del__",
        "__contains__",
    ];
    let types = &vm.ctx.types;
    let bases = class.mro_collect();
    let is_plain = matches!(&bases[..], [_, tuple, _] if tuple.is(types.tuple_type))
        && class.slots.flags.has_feature(PyTypeFlags::HEAPTYPE)
        && class.class().is(types.type_type)
        && class.get_attr(vm.ctx.intern_str("__slots__")).is_some();
    let is_tuple_s = |name: &&str| {
        let name = vm.ctx.intern_str(*name);
        match (class.get_attr(name), types.tuple_type.get_attr(name)) {
            (Some(own), Some(of_tuples)) => own.is(&of_tuples),
            (own, of_tuples) => own.is_none() && of_tuples.is_none(),
        }
    };
    if !is_plain || !CHANGES.iter().all(is_tuple_s) {
        return None;
    }
    let new = class.as_object().get_attr("__new__", vm).ok()?;
    let parts = crate::host::function::parts(&new, vm).ok()??;
    let made = parts.globals.get_item_opt("_tuple_new", vm).ok()??;
    made.is(&types.tuple_type.as_object().get_attr("__new__", vm).ok()?).then_some(())?;
    let fields = class.get_attr(vm.ctx.intern_str("_fields"))?;
    Some(fields.downcast_ref_if_exact::<PyTuple>(vm)?.len())
}

/// Whether an object is an atom, a tensor, a dtype, a class or a tuple of flat ones: comparing and hashing it runs no Python.
pub(crate) fn is_flat(object: &PyObject, vm: &VirtualMachine) -> bool {
    if is_atom(object, vm) {
        return true;
    }
    if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
        return tuple.as_slice().iter().all(|it| is_flat(it, vm));
    }
    let types = &vm.ctx.types;
    let class = object.class();
    ![types.list_type, types.dict_type, types.set_type].iter().any(|it| class.is(*it))
        && (crate::tensor::of(object).is_some()
            || crate::tensor::library().is_some_and(|it| it.is_fixed(object))
            || class.is(types.type_type))
}
