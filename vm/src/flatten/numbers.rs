//! Which objects are numbers, and lists, dicts and sets of them, to compiled code.

use std::convert::Infallible;

use rustpython_vm::builtins::{PyList, PyTuple};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};
use snekpy_stage::types::{KeyKind, MapType, Type};

use super::{MAX_KNOWN, MAX_READ_ANEW};
use crate::capture::list::{ItemType, Made};
use crate::contents;
use crate::scalar::{scalar_bits, scalar_type};
use crate::tensor;

/// How many numbers are in a list, and in the lists in it. A tuple of a few numbers counts as one.
pub(super) fn count(ty: &ItemType, object: &PyObjectRef) -> usize {
    let Some(list) = object.downcast_ref::<PyList>() else { return 1 };
    let items = list.borrow_vec();
    match ty {
        _ if ty.has_lists() => {
            let inside = |item: &PyObjectRef| item.downcast_ref::<PyList>().map_or(1, |it| it.borrow_vec().len());
            items.iter().map(inside).sum()
        }
        ItemType::Tuple(_) => items.len() * (ty.columns().len() / 2).max(1),
        ItemType::Number(_) | ItemType::List(_) | ItemType::Made(_) => items.len(),
    }
}

/// What lists of the compiled code may hold besides numbers of one type.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Takes {
    /// Characters and the like, by the numbers that these are made of.
    pub(super) made: bool,
    /// Numbers of several types, or None.
    pub(super) mixed: bool,
}

/// What all of these items are, if they are numbers of one type, what is made of such where that may be, or tuples or lists
/// of these; `None` also if there are none.
pub(super) fn uniform(items: &[PyObjectRef], takes: Takes, vm: &VirtualMachine) -> Option<ItemType> {
    let lists = |it: &PyObjectRef| it.downcast_ref_if_exact::<PyList>(vm).map(|it| it.borrow_vec().to_vec());
    // Nothing is in an empty list.
    let is_empty =
        |it: &PyObjectRef| it.downcast_ref_if_exact::<PyList>(vm).is_some_and(|it| it.borrow_vec().is_empty());
    let first = items.iter().find(|it| !is_empty(it))?;
    let made = |it: &PyObjectRef| Made::of(it, vm).filter(|_| takes.made);
    let number = |it: &PyObjectRef| scalar_type(it, vm);
    let ty = ItemType::of(first, &number, &lists, &made, &|| None, vm);
    let one = ty.filter(|ty| items.iter().all(|item| is_item(ty, item, vm)));
    one.or_else(|| if takes.mixed { ItemType::of_mixed(items, &number, &lists, &made, vm) } else { None })
}

pub(super) fn is_item(ty: &ItemType, item: &PyObjectRef, vm: &VirtualMachine) -> bool {
    match ty {
        ItemType::Number(elem) => scalar_bits(item, elem.value_type(), vm).is_some(),
        ItemType::List(items) => item
            .downcast_ref_if_exact::<PyList>(vm)
            .is_some_and(|list| list.borrow_vec().iter().all(|it| is_item(items, it, vm))),
        ItemType::Tuple(types) => item.downcast_ref_if_exact::<PyTuple>(vm).is_some_and(|tuple| {
            let items = tuple.as_slice();
            items.len() == types.len() && types.iter().zip(items).all(|(ty, item)| is_item(ty, item, vm))
        }),
        ItemType::Made(made) => made.make().is_some_and(|it| it.numbers_of(item, vm).is_some()),
    }
}

/// Whether a dict or set has at most so many items.
pub(super) fn is_short(object: &PyObjectRef, most: usize, vm: &VirtualMachine) -> bool {
    object.length(vm).is_ok_and(|length| length <= most)
}

/// The type of a list, dict or set of numbers of the world as an input of compiled code.
pub(crate) fn members_type(object: &PyObjectRef, vm: &VirtualMachine) -> Option<Type> {
    let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) else {
        let map = is_short(object, MAX_READ_ANEW, vm).then(|| number_map(object, vm)).flatten();
        return map.flatten().map(Type::Map);
    };
    uniform(&list.borrow_vec(), Takes::default(), vm)?.list().map(Type::List)
}

/// Whether a list holds so many numbers that no code is made that knows them.
pub(crate) fn holds_many_numbers(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    holds_numbers(object, MAX_KNOWN, vm)
}

/// Whether there are more items than so many in a list and the lists in it.
pub(crate) fn holds_numbers(object: &PyObjectRef, most: usize, vm: &VirtualMachine) -> bool {
    let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) else { return false };
    let inside = |item: &PyObjectRef| item.downcast_ref_if_exact::<PyList>(vm).map_or(1, |it| it.borrow_vec().len());
    list.borrow_vec().iter().map(inside).sum::<usize>() > most
}

/// The type of a dict of numbers or a set of them: `None` if it is none, `Some(None)` if it is empty.
pub(crate) fn number_map(object: &PyObjectRef, vm: &VirtualMachine) -> Option<Option<MapType>> {
    let class = object.class();
    if !class.is(vm.ctx.types.dict_type) && !class.is(vm.ctx.types.set_type) {
        return None;
    }
    let contents = contents::read::<Infallible>(object, vm)?;
    let found = contents::map_type(&contents, |value| scalar_type(value, vm), vm)?;
    found.is_none_or(|ty| ty.keys == KeyKind::Number).then_some(found)
}

/// The type of what can be an input of compiled code that is no argument.
pub(crate) fn input_type(object: &PyObjectRef, vm: &VirtualMachine) -> Option<Type> {
    let scalar = || [Type::F64, Type::I64, Type::Bool].into_iter().find(|&ty| input_bits(object, ty, vm).is_some());
    scalar().or_else(|| tensor::passed(object).map(Type::Tensor))
}

/// The slot of such a number. A NaN is the object that it is: containers find it by nothing else.
pub(super) fn input_bits(object: &PyObject, ty: Type, vm: &VirtualMachine) -> Option<u64> {
    scalar_bits(object, ty, vm).filter(|&bits| ty != Type::F64 || !f64::from_bits(bits).is_nan())
}
