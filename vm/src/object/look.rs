//! What is looked at before a crossing is carried out: whether the operands are such that no Python would run.

use rustpython_vm::builtins::{PyDict, PyFloat, PyFrozenSet, PyList, PySet, PySlice, PyStrInterned, PyTuple, PyType};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};
use snekpy_stage::tensor::Tensor;
use snekpy_stage::types::Class;

use super::Objects;
use super::class::number::{BYTEARRAY, BYTES, DEFAULTDICT, DEQUE, DICT, FROZENSET, LIST, NDARRAY, SET, STR, TUPLE};
use super::class::{class_number, is_atom, is_basic_iterator, is_flat, named_fields};
use super::rule::Fits;
use crate::host::steps::Steps;

/// Whether operands are what a rule asks for. What does not act uses no iterator up.
pub(crate) fn fit(fits: Fits, operands: &[PyObjectRef], acts: bool, objects: &Objects, vm: &VirtualMachine) -> bool {
    let stays = |it: &PyObject| acts || !is_iterator(it, vm);
    match fits {
        Fits::Any => true,
        Fits::Flat => operands.iter().all(|it| is_flat(it, vm)),
        Fits::Iterable => operands.iter().all(|it| is_flat(it, vm) || is_iterable(it, vm) && stays(it)),
        Fits::Sealed => operands.iter().all(|it| stays(it) && is_or_goes_over_sealed(it, objects, vm)),
        Fits::Own => false,
    }
}

/// Whether an object is sealed, or goes over what is.
fn is_or_goes_over_sealed(object: &PyObjectRef, objects: &Objects, vm: &VirtualMachine) -> bool {
    match goes_over_another(object, vm) {
        true => goes_over_sealed(object, objects, vm),
        false => sealed(object, objects, vm),
    }
}

/// Whether a view or an iterator only goes over what is sealed.
fn goes_over_sealed(object: &PyObject, objects: &Objects, vm: &VirtualMachine) -> bool {
    let of_items = |it: PyObjectRef| {
        let items = it.get_iter(vm).and_then(|it| it.try_to_value::<Vec<PyObjectRef>>(vm));
        // An item of a dict is a tuple with what is in the dict.
        items.is_ok_and(|it| it.iter().all(|it| is_sealed(it, vm, 2)))
    };
    if is_view(object, vm) {
        return of_items(object.to_owned());
    }
    if let Some(sources) = sources(object, vm) {
        return sources.iter().all(|it| is_or_goes_over_sealed(it, objects, vm));
    }
    // These tell what is left of them, in a list of its own, as the argument that makes them anew.
    let types = &vm.ctx.types;
    let tells = [
        types.dict_keyiterator_type,
        types.dict_valueiterator_type,
        types.dict_itemiterator_type,
        types.set_iterator_type,
    ];
    tells.iter().any(|it| object.class().is(*it))
        && vm
            .call_method(object, "__reduce__", ())
            .and_then(|parts| parts.get_item(&1, vm)?.get_item(&0, vm))
            .is_ok_and(of_items)
}

/// What an iterator of native code goes over, if that can be asked: those of dicts, sets and the like do not tell.
pub(crate) fn sources(iterator: &PyObject, vm: &VirtualMachine) -> Option<Vec<PyObjectRef>> {
    if let Some(steps) = iterator.downcast_ref::<Steps>() {
        return Some(vec![steps.list().to_owned()]);
    }
    let types = &vm.ctx.types;
    let class = iterator.class();
    match &*class.slot_name() {
        "range_iterator" | "longrange_iterator" | "str_iterator" | "bytes_iterator" => Some(Vec::new()),
        "list_iterator"
        | "list_reverseiterator"
        | "tuple_iterator"
        | "collections._deque_iterator"
        | "collections._deque_reverse_iterator" => Some(iterator.gc_get_referents()),
        _ if class.is(types.zip_type) || class.is(types.enumerate_type) => Some(iterator.gc_get_referents()),
        _ => None,
    }
}

/// Whether an object is a NaN, or a tuple with one.
pub(crate) fn has_nan(object: &PyObject, vm: &VirtualMachine) -> bool {
    object.downcast_ref_if_exact::<PyFloat>(vm).is_some_and(|it| it.to_f64().is_nan())
        || object.downcast_ref_if_exact::<PyTuple>(vm).is_some_and(|it| it.as_slice().iter().any(|it| has_nan(it, vm)))
}

/// The same, remembered of lists: as long as only what is flat is stored anywhere, they stay so.
pub(crate) fn sealed(object: &PyObjectRef, objects: &Objects, vm: &VirtualMachine) -> bool {
    if object.downcast_ref_if_exact::<PyList>(vm).is_none() {
        return is_sealed(object, vm, 1);
    }
    objects.is_sealed(object)
        || is_sealed(object, vm, 1) && {
            objects.seal(object);
            true
        }
}

/// Whether an object is flat, or a container of such.
fn is_sealed(object: &PyObject, vm: &VirtualMachine, depth: usize) -> bool {
    if is_flat(object, vm) {
        return true;
    }
    let all = |items: &[PyObjectRef]| depth > 0 && items.iter().all(|it| is_sealed(it, vm, depth - 1));
    match class_number(object.class(), vm) {
        BYTEARRAY => true,
        TUPLE => object.downcast_ref::<PyTuple>().is_some_and(|it| all(it.as_slice())),
        LIST => object.downcast_ref::<PyList>().is_some_and(|it| all(&it.borrow_vec())),
        SET => object.downcast_ref::<PySet>().is_some_and(|it| all(&it.elements())),
        FROZENSET => object.downcast_ref::<PyFrozenSet>().is_some_and(|it| all(&it.elements())),
        DICT => object.downcast_ref::<PyDict>().is_some_and(|it| {
            it.items_vec().iter().all(|(key, value)| depth > 0 && is_flat(key, vm) && is_sealed(value, vm, depth - 1))
        }),
        _ => false,
    }
}

/// Whether a dict of any kind has a flat key.
pub(crate) fn has_key(dict: &PyObject, key: &PyObject, vm: &VirtualMachine) -> bool {
    dict.downcast_ref::<PyDict>().is_some_and(|it| it.contains_key(key, vm))
}

/// Whether what a `defaultdict` makes for a key that it does not have is made by native code.
pub(crate) fn makes_natively(dict: &PyObject, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let makers = [
        types.int_type,
        types.float_type,
        types.list_type,
        types.dict_type,
        types.set_type,
        types.str_type,
        types.bool_type,
        types.tuple_type,
        types.none_type,
    ];
    dict.get_attr("default_factory", vm).is_ok_and(|it| vm.is_none(&it) || makers.iter().any(|maker| it.is(*maker)))
}

pub(crate) fn is_number_index(object: &PyObject, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    object.class().is(types.int_type) || object.class().is(types.bool_type)
}

pub(crate) fn is_index(object: &PyObject, vm: &VirtualMachine) -> bool {
    is_number_index(object, vm)
        || object.downcast_ref::<PySlice>().is_some_and(|slice| {
            let parts = slice.start.iter().chain([&slice.stop]).chain(slice.step.iter());
            parts.into_iter().all(|it| is_flat(it, vm))
        })
}

/// Whether a class makes tuples of so many fields, and nothing else happens.
pub(crate) fn is_named(class: &PyObject, count: usize, vm: &VirtualMachine) -> bool {
    class.downcast_ref::<PyType>().and_then(|it| named_fields(it, vm)) == Some(count)
}

/// Whether an object is a tuple with names.
pub(crate) fn is_named_tuple(object: &PyObject, vm: &VirtualMachine) -> bool {
    object.downcast_ref::<PyTuple>().is_some_and(|it| is_named(object.class().as_object(), it.len(), vm))
}

/// Whether a name of the class of a tuple with names leads to an item.
pub(crate) fn is_field(object: &PyObject, name: &'static PyStrInterned) -> bool {
    object.class().get_attr(name).is_some_and(|it| &*it.class().slot_name() == "collections._tuplegetter")
}

/// Whether an object is a key of tensors that asks nobody.
pub(crate) fn is_key_of_tensor(object: &PyObject, vm: &VirtualMachine) -> bool {
    is_index(object, vm)
        || is_sealed(object, vm, 1)
        || object
            .downcast_ref_if_exact::<PyTuple>(vm)
            .is_some_and(|it| it.as_slice().iter().all(|it| is_index(it, vm) || is_sealed(it, vm, 1)))
}

pub(crate) fn has_length(object: &PyObject, vm: &VirtualMachine) -> bool {
    let class = class_number(object.class(), vm);
    matches!(class, STR | BYTES | BYTEARRAY | LIST | TUPLE | DICT | DEFAULTDICT | SET | FROZENSET | DEQUE | NDARRAY)
        || object.class().is(vm.ctx.types.range_type)
        || is_view(object, vm)
}

/// Whether `isinstance` of these only looks at classes.
pub(crate) fn is_plain_test(object: &PyObject, class: &PyObject, vm: &VirtualMachine) -> bool {
    if let Some(classes) = class.downcast_ref_if_exact::<PyTuple>(vm) {
        return classes.as_slice().iter().all(|class| is_plain_test(object, class, vm));
    }
    let Some(wanted) = class.downcast_ref::<PyType>().filter(|_| class.class().is(vm.ctx.types.type_type)) else {
        return false;
    };
    // Otherwise it is asked what it says that its class is.
    !object.class().slots.flags.has_feature(PyTypeFlags::HEAPTYPE) || object.class().fast_issubclass(wanted)
}

/// Whether iterating over an object only goes over what is in it.
pub(crate) fn is_iterable(object: &PyObject, vm: &VirtualMachine) -> bool {
    class_number(object.class(), vm) != Class::ANY
        || object.class().is(vm.ctx.types.range_type)
        || goes_over_another(object, vm)
}

/// Whether an object may be a view or an iterator.
pub(crate) fn is_over_another(object: &PyObject, vm: &VirtualMachine) -> bool {
    is_view(object, vm) || object.class().slots.iternext.load().is_some()
}

/// Whether an object is a view or an iterator that only goes over what it was made of.
pub(crate) fn goes_over_another(object: &PyObject, vm: &VirtualMachine) -> bool {
    is_view(object, vm) || is_iterator(object, vm)
}

/// Whether an object is a view of a dict.
fn is_view(object: &PyObject, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    [types.dict_keys_type, types.dict_values_type, types.dict_items_type].iter().any(|it| object.class().is(*it))
}

/// Whether an `itertools.count` adds numbers.
pub(crate) fn counts_numbers(count: &PyObject, vm: &VirtualMachine) -> bool {
    count.gc_get_referents().iter().all(|it| is_atom(it, vm))
}

/// Whether an object is an iterator that only goes over what it was made of.
pub(crate) fn is_iterator(object: &PyObject, vm: &VirtualMachine) -> bool {
    let class = object.class();
    // Most objects are told at once.
    if class.slots.iternext.load().is_none() || class.slots.flags.has_feature(PyTypeFlags::HEAPTYPE) {
        return false;
    }
    let types = &vm.ctx.types;
    if class.is(types.zip_type) || class.is(types.enumerate_type) {
        return object.gc_get_referents().iter().all(|it| is_atom(it, vm) || is_iterator(it, vm));
    }
    is_basic_iterator(object, vm)
        || matches!(
            &*class.slot_name(),
            "list_reverseiterator"
                | "bytes_iterator"
                | "bytearray_iterator"
                | "longrange_iterator"
                | "collections._deque_iterator"
                | "collections._deque_reverse_iterator"
                | "numpy.ndarray_iterator"
        )
}

/// Whether an object is a tensor on a device, or holds one.
pub(crate) fn holds_any_there(object: &PyObject, vm: &VirtualMachine, depth: usize) -> bool {
    any_there(object, vm, depth, &mut |_| true)
}

/// Copies the elements of such tensors to this machine's memory, where whoever looks at them finds them.
pub(crate) fn bring_here(object: &PyObject, vm: &VirtualMachine, depth: usize) {
    any_there(object, vm, depth, &mut |it| {
        it.buf().data();
        false
    });
}

/// Whether one of the tensors on devices that an object is, or holds, is such a one.
fn any_there(object: &PyObject, vm: &VirtualMachine, depth: usize, is_one: &mut dyn FnMut(&Tensor) -> bool) -> bool {
    let mut any = |items: &[PyObjectRef]| depth > 0 && items.iter().any(|it| any_there(it, vm, depth - 1, is_one));
    if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
        return any(tuple.as_slice());
    }
    if let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) {
        return any(&list.borrow_vec());
    }
    crate::tensor::of(object).filter(|it| it.device().is_some()).is_some_and(is_one)
}
