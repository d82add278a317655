//! Native code that may take long, or give much, for operands that are known: it must not run at staging time, where a path
//! is explored that the program may never take.
//!
//! What is told is an upper bound, from the sizes of the operands.

use rustpython_vm::builtins::{PyByteArray, PyBytes, PyInt, PyList, PyRange, PyStr, PyTuple};
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObject, PyObjectRef, VirtualMachine};

use crate::host::native::NativeCallable;

/// More items, characters or bits are many.
const MANY: u64 = 1 << 16;
/// Products of more factors are long.
const MANY_FACTORS: u64 = 1 << 10;
/// Widths and precisions of more digits are large.
const MANY_DIGITS: usize = 4;
/// What takes a range and does not go through it.
const LOOKS: [&str; 16] = [
    "ascii",
    "bool",
    "callable",
    "enumerate",
    "filter",
    "format",
    "hash",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "map",
    "repr",
    "reversed",
    "str",
    "zip",
];

/// Whether `x operator y` may be long.
pub(crate) fn is_long_operation(operator: BinaryOperator, x: &PyObject, y: &PyObject) -> bool {
    match operator {
        BinaryOperator::Multiply => {
            many(repeated_length(x, y)) || many(repeated_length(y, x)) || many(sum(bits(x), bits(y)))
        }
        BinaryOperator::Add => many(sum(length(x), length(y))),
        BinaryOperator::Power => many(product(bits(x).filter(|&it| it > 1), count(y))),
        BinaryOperator::Lshift => many(sum(bits(x).filter(|&it| it > 0), count(y))),
        BinaryOperator::Remainder => text(x).is_some_and(|it| is_wide(it) || it.contains('*') && is_large(y)),
        _ => false,
    }
}

/// How many items `sequence * times` has.
pub(crate) fn repeated_length(sequence: &PyObject, times: &PyObject) -> Option<u64> {
    product(length(sequence), count(times))
}

/// Whether a call may be long.
pub(crate) fn is_long_call(native: &NativeCallable, args: &FuncArgs, vm: &VirtualMachine) -> bool {
    let (name, receiver) = match native {
        NativeCallable::Type(class) => (class.slot_name().to_string(), None),
        NativeCallable::Function { name, .. } => (name.clone(), None),
        NativeCallable::Method { name, receiver, .. } => (name.clone(), receiver.as_ref()),
    };
    let operands: Vec<&PyObject> =
        receiver.into_iter().chain(&args.args).chain(args.kwargs.values()).map(|it| &**it).collect();
    if let (&[x, y], Some(operator)) = (operands.as_slice(), operator_of(name.trim_matches('_'))) {
        return is_long_operation(operator, x, y) || is_long_operation(operator, y, x);
    }
    let any = |is: fn(&PyObject) -> bool| operands.iter().any(|it| is(it));
    match name.as_str() {
        "ljust" | "rjust" | "center" | "zfill" | "expandtabs" | "to_bytes" | "bytes" | "bytearray" => {
            any(is_large) || any(is_long_range)
        }
        "factorial" | "comb" | "perm" => any(|it| count(it).is_some_and(|it| it > MANY_FACTORS)),
        "round" | "__round__" => any(|it| is_large(it) && count(it).is_none()),
        "format" | "__format__" | "format_map" => {
            any(|it| text(it).is_some_and(is_wide))
                || any(|it| text(it).is_some_and(|it| it.contains(":{"))) && any(is_large)
        }
        "replace" => match *operands.as_slice() {
            [text, old, new, ..] => {
                many(product(length(text).map(|it| 1 + it / length(old).unwrap_or(1).max(1)), length(new)))
            }
            _ => false,
        },
        "join" => match *operands.as_slice() {
            [between, parts] => many(sum(product(length(between), length(parts)), Some(characters_in(parts)))),
            _ => false,
        },
        _ if native.builtin(vm).is_some_and(|it| LOOKS.contains(&it)) => false,
        _ => any(is_long_range),
    }
}

/// Whether a text or a number was made just now that is so long that what is made of it may be too long.
pub(crate) fn is_large_result(object: &PyObjectRef) -> bool {
    object.strong_count() == 1
        && (object.downcast_ref::<PyStr>().is_some() && many(length(object)) || many(bits(object)))
}

/// Whether this format specification may ask for a long text.
pub(crate) fn is_wide(spec: &str) -> bool {
    spec.split(|it: char| !it.is_ascii_digit()).any(|it| it.len() > MANY_DIGITS)
}

/// The operator that a function or a method is, whichever operand comes first.
fn operator_of(name: &str) -> Option<BinaryOperator> {
    match name {
        "mul" | "rmul" | "imul" => Some(BinaryOperator::Multiply),
        "add" | "radd" | "iadd" | "concat" | "iconcat" => Some(BinaryOperator::Add),
        "pow" | "rpow" | "ipow" => Some(BinaryOperator::Power),
        "lshift" | "rlshift" | "ilshift" => Some(BinaryOperator::Lshift),
        "mod" | "rmod" | "imod" => Some(BinaryOperator::Remainder),
        _ => None,
    }
}

fn many(count: Option<u64>) -> bool {
    count.is_some_and(|it| it > MANY)
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    Some(a?.saturating_add(b?))
}

fn product(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    Some(a?.saturating_mul(b?))
}

/// How many items, characters or bytes a sequence has.
fn length(object: &PyObject) -> Option<u64> {
    let length = if let Some(text) = object.downcast_ref::<PyStr>() {
        text.byte_len()
    } else if let Some(bytes) = object.downcast_ref::<PyBytes>() {
        bytes.as_bytes().len()
    } else if let Some(bytes) = object.downcast_ref::<PyByteArray>() {
        bytes.borrow_buf().len()
    } else if let Some(list) = object.downcast_ref::<PyList>() {
        list.borrow_vec().len()
    } else {
        object.downcast_ref::<PyTuple>()?.as_slice().len()
    };
    u64::try_from(length).ok()
}

/// How many characters the texts have that are in a list or a tuple.
fn characters_in(object: &PyObject) -> u64 {
    let all = |items: &[PyObjectRef]| items.iter().filter_map(|it| length(it)).fold(0, u64::saturating_add);
    match (object.downcast_ref::<PyList>(), object.downcast_ref::<PyTuple>()) {
        (Some(list), _) => all(&list.borrow_vec()),
        (_, Some(tuple)) => all(tuple.as_slice()),
        _ => 0,
    }
}

fn bits(object: &PyObject) -> Option<u64> {
    object.downcast_ref::<PyInt>().map(|it| it.as_bigint().bits())
}

/// An int as a count; none if it is negative.
fn count(object: &PyObject) -> Option<u64> {
    let int = object.downcast_ref::<PyInt>()?.as_bigint();
    (*int >= 0.into()).then(|| u64::try_from(int).unwrap_or(u64::MAX))
}

/// Whether this is an int that is large, or that has one among its items.
fn is_large(object: &PyObject) -> bool {
    let own = |it: &PyObject| bits(it).is_some_and(|it| it > u64::from(MANY.ilog2()));
    own(object) || object.downcast_ref::<PyTuple>().is_some_and(|it| it.as_slice().iter().any(|it| own(it)))
}

fn is_long_range(object: &PyObject) -> bool {
    has_more_numbers(object, MANY)
}

/// Whether this is a range with more numbers than these.
pub(crate) fn has_more_numbers(object: &PyObject, count: u64) -> bool {
    object.downcast_ref::<PyRange>().is_some_and(|it| it.get(&count.into()).is_some())
}

fn text(object: &PyObject) -> Option<&str> {
    object.downcast_ref::<PyStr>().and_then(|it| it.to_str())
}
