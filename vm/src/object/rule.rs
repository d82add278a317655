//! Which instructions the VM may carry out from compiled code, and what they do.
//!
//! There is no frame of the program then, so nothing may run that could look for one, or at the world: no Python. Native
//! code runs Python for operands with methods in Python, for its own compares and hashes of what is in containers; so a
//! rule names the operands for which it does not.

use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::{AsObject, VirtualMachine};
use snekpy_stage::types::{Class, Type};

use super::class::number::{
    BYTEARRAY, BYTES, BYTES_IO, COMPLEX, COUNT, DEFAULTDICT, DEQUE, DICT, FLOAT, INT, LIST, MATCH, NDARRAY,
    OWN_ITERATOR, PATTERN, SET, STR, STRING_IO, TUPLE,
};
use super::operation::{Gives, Operation};
use crate::host::native::{NativeCallable, native_callable};

/// What the operands of an operation have to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fits {
    /// Anything: it only hands them on.
    Any,
    /// Numbers, texts, and tuples of them.
    Flat,
    /// Such, and anything that native code goes over: it does not look at what is in them.
    Iterable,
    /// Containers of numbers, texts and tuples, too, and what goes over such: it looks at what is in them.
    Sealed,
    /// An operation of its own: see [`super::crossing`].
    Own,
}

/// What an operation does.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// What its operands have to be, but for the object whose method it is.
    pub(crate) fits: Fits,
    /// Whether it changes an object, or what it gives differs from call to call.
    pub(crate) acts: bool,
    /// What it gives; `None` if that is learnt from what it does give.
    pub(crate) gives: Option<Gives>,
}

impl Rule {
    /// Whether elements of tensors become numbers, texts or lists, and nothing happens.
    pub(crate) fn reads_numbers(&self) -> bool {
        let is_one = |ty: Type| !matches!(ty, Type::Object(TUPLE | NDARRAY));
        !self.acts && self.gives.is_none_or(|it| matches!(it, Gives::Value(ty) if is_one(ty)))
    }
}

const fn rule(fits: Fits, acts: bool, gives: Option<Gives>) -> Option<Rule> {
    Some(Rule { fits, acts, gives })
}

const fn object(class: Class) -> Option<Gives> {
    Some(Gives::Value(Type::Object(class)))
}

const INTEGER: Option<Gives> = Some(Gives::Value(Type::I64));
const TRUTH: Option<Gives> = Some(Gives::Value(Type::Bool));
const NONE: Option<Gives> = Some(Gives::None);

/// A method of an object of this class.
pub(crate) fn of_method(class: Class, name: &str) -> Option<Rule> {
    use Fits::{Any, Flat, Iterable, Sealed};
    match (class, name) {
        (STR, "join") => rule(Sealed, false, object(STR)),
        (
            STR,
            "capitalize" | "casefold" | "center" | "expandtabs" | "format" | "ljust" | "lower" | "lstrip"
            | "removeprefix" | "removesuffix" | "replace" | "rjust" | "rstrip" | "strip" | "swapcase" | "title"
            | "upper" | "zfill",
        ) => rule(Flat, false, object(STR)),
        (STR | BYTES | BYTEARRAY, "count" | "find" | "index" | "rfind" | "rindex") => rule(Flat, false, INTEGER),
        (STR | BYTES | BYTEARRAY, "endswith" | "startswith") => rule(Flat, false, TRUTH),
        (
            STR | BYTES,
            "isalnum" | "isalpha" | "isascii" | "isdecimal" | "isdigit" | "isidentifier" | "islower" | "isnumeric"
            | "isprintable" | "isspace" | "istitle" | "isupper",
        ) => rule(Flat, false, TRUTH),
        (STR | BYTES, "split" | "rsplit" | "splitlines") => rule(Flat, false, object(LIST)),
        (STR | BYTES, "partition" | "rpartition") => rule(Flat, false, object(TUPLE)),
        (STR, "encode") => rule(Flat, false, object(BYTES)),
        (BYTES, "decode" | "hex") => rule(Flat, false, object(STR)),
        (
            BYTES,
            "capitalize" | "center" | "ljust" | "lower" | "lstrip" | "removeprefix" | "removesuffix" | "replace"
            | "rjust" | "rstrip" | "strip" | "title" | "upper" | "zfill",
        ) => rule(Flat, false, object(BYTES)),
        (INT, "bit_count" | "bit_length") => rule(Flat, false, INTEGER),
        (INT, "to_bytes") => rule(Flat, false, object(BYTES)),
        (INT | FLOAT, "as_integer_ratio") => rule(Flat, false, object(TUPLE)),
        (INT | FLOAT, "is_integer") => rule(Flat, false, TRUTH),
        (FLOAT, "hex") => rule(Flat, false, object(STR)),
        (LIST | DEQUE, "append" | "clear" | "insert" | "reverse") | (DEQUE, "appendleft") => rule(Any, true, NONE),
        (LIST, "pop") | (DEQUE, "pop" | "popleft") => rule(Flat, true, None),
        (LIST | DEQUE, "extend") | (DEQUE, "extendleft") => rule(Iterable, true, NONE),
        (LIST, "copy") => rule(Any, false, object(LIST)),
        (DEQUE, "rotate") => rule(Flat, true, NONE),
        (DICT | DEFAULTDICT, "get") => rule(Flat, false, None),
        (DICT, "copy") => rule(Any, false, object(DICT)),
        (DICT | DEFAULTDICT, "pop" | "setdefault") => rule(Flat, true, None),
        (DICT | DEFAULTDICT, "items" | "keys" | "values") => rule(Flat, false, object(Class::ANY)),
        (DICT | SET, "clear") => rule(Any, true, NONE),
        (SET, "add" | "discard" | "remove") => rule(Flat, true, NONE),
        (SET, "pop") => rule(Flat, true, None),
        (STRING_IO | BYTES_IO, "write") => rule(Flat, true, INTEGER),
        (STRING_IO, "getvalue" | "read" | "readline") => rule(Flat, true, object(STR)),
        (BYTES_IO, "getvalue" | "read" | "readline") => rule(Flat, true, object(BYTES)),
        (BYTEARRAY, "append") => rule(Flat, true, NONE),
        (PATTERN, "fullmatch" | "match" | "search") => rule(Flat, false, object(Class::ANY)),
        (PATTERN, "findall" | "split") => rule(Flat, false, object(LIST)),
        (PATTERN, "sub") => rule(Flat, false, object(STR)),
        (MATCH, "end" | "start") => rule(Flat, false, INTEGER),
        (MATCH, "group") => rule(Flat, false, None),
        (MATCH, "groups" | "span") => rule(Flat, false, object(TUPLE)),
        (LIST, "sort") => rule(Flat, true, NONE),
        (COMPLEX, "conjugate") => rule(Flat, false, object(COMPLEX)),
        (COUNT, "__next__") => rule(Flat, true, None),
        (NDARRAY, "astype" | "copy" | "reshape") => rule(Flat, false, object(NDARRAY)),
        (NDARRAY, "tobytes") => rule(Flat, false, object(BYTES)),
        (NDARRAY, "tolist") => rule(Any, false, object(LIST)),
        (NDARRAY, "item") => rule(Flat, false, None),
        _ => None,
    }
}

/// A class method of this class.
fn of_class_method(class: Class, name: &str) -> Option<Rule> {
    use Fits::{Flat, Sealed};
    match (class, name) {
        (INT, "from_bytes") => rule(Flat, false, INTEGER),
        (BYTES, "fromhex") => rule(Flat, false, object(BYTES)),
        (FLOAT, "fromhex") => rule(Flat, false, Some(Gives::Value(Type::F64))),
        (DICT, "fromkeys") => rule(Sealed, false, object(DICT)),
        _ => None,
    }
}

/// A native function or class that is called.
fn of_callable(callable: &NativeCallable, args: usize, vm: &VirtualMachine) -> Option<Rule> {
    use Fits::{Any, Flat, Iterable, Own, Sealed};
    match callable {
        NativeCallable::Method { owner, name, receiver } => {
            let class = super::class_number(owner, vm);
            // A class method is bound to the class.
            if receiver.as_ref().is_some_and(|it| it.is(owner)) {
                return of_class_method(class, name);
            }
            receiver.as_ref().filter(|it| super::class_number(it.class(), vm) == class)?;
            of_method(class, name)
        }
        NativeCallable::Type(class) => {
            let types = &vm.ctx.types;
            match super::class_number(class, vm) {
                DEQUE => return rule(Iterable, false, object(DEQUE)),
                DEFAULTDICT if args <= 1 => return rule(Flat, false, object(DEFAULTDICT)),
                BYTEARRAY if args <= 1 => return rule(Sealed, false, object(BYTEARRAY)),
                STRING_IO => return rule(Flat, false, object(STRING_IO)),
                BYTES_IO => return rule(Flat, false, object(BYTES_IO)),
                _ => {}
            }
            match () {
                () if class.is(types.enumerate_type)
                    || class.is(types.zip_type)
                    || class.is(types.reverse_iter_type) =>
                {
                    rule(Own, false, object(OWN_ITERATOR))
                }
                () if class.is(types.str_type) && args <= 1 => rule(Sealed, false, object(STR)),
                () if class.is(types.int_type) => rule(Flat, false, INTEGER),
                () if class.is(types.float_type) => rule(Flat, false, Some(Gives::Value(Type::F64))),
                () if class.is(types.bool_type) => rule(Sealed, false, TRUTH),
                () if class.is(types.complex_type) => rule(Flat, false, object(COMPLEX)),
                () if class.is(types.list_type) => rule(Iterable, false, object(LIST)),
                () if class.is(types.tuple_type) => rule(Iterable, false, object(TUPLE)),
                () if class.is(types.set_type) => rule(Sealed, false, object(SET)),
                () if class.is(types.dict_type) && args <= 1 => rule(Sealed, false, object(DICT)),
                () if class.is(types.bytes_type) => rule(Flat, false, object(BYTES)),
                () => None,
            }
        }
        NativeCallable::Function { module, name } => match (*module, name.as_str()) {
            ("builtins", "ascii" | "bin" | "chr" | "format" | "hex" | "oct" | "repr") => {
                rule(Sealed, false, object(STR))
            }
            ("builtins", "ord") => rule(Flat, false, INTEGER),
            ("builtins", "hash") => rule(Flat, false, INTEGER),
            ("builtins", "len") => rule(Own, false, INTEGER),
            ("builtins", "print") => rule(Sealed, true, NONE),
            ("builtins", "isinstance") => rule(Own, false, TRUTH),
            ("builtins", "abs" | "divmod" | "pow" | "round") => rule(Flat, false, None),
            ("builtins", "max" | "min" | "sum") => rule(Sealed, false, None),
            ("builtins", "sorted") => rule(Sealed, false, object(LIST)),
            ("_heapq", "heapify") => rule(Sealed, true, NONE),
            ("_heapq", "heappush") => rule(Sealed, true, NONE),
            ("_heapq", "heappop" | "heappushpop" | "heapreplace") => rule(Sealed, true, None),
            ("_bisect", "bisect" | "bisect_left" | "bisect_right") => rule(Sealed, false, INTEGER),
            ("math", _) => rule(Flat, false, None),
            ("cmath", "isclose" | "isfinite" | "isinf" | "isnan") => rule(Flat, false, TRUTH),
            ("cmath", "phase") => rule(Flat, false, Some(Gives::Value(Type::F64))),
            ("cmath", "polar") => rule(Flat, false, object(TUPLE)),
            ("cmath", _) => rule(Flat, false, object(COMPLEX)),
            ("_snekpy_numpy", "_nonzero") => rule(Flat, false, object(TUPLE)),
            ("_snekpy_numpy", "_result_type") => rule(Flat, false, object(Class::ANY)),
            (
                "_snekpy_numpy",
                "_arange" | "_arg_extreme" | "_arg_partition" | "_argsort" | "_array" | "_broadcast_to" | "_concat"
                | "_diagonal" | "_eye" | "_flip" | "_full" | "_linspace" | "_plus_at" | "_random_bits" | "_reduce"
                | "_scan" | "_searchsorted" | "_sort" | "_triangle" | "_stack" | "_vecdot" | "_where" | "matmul",
            ) => rule(Sealed, false, object(NDARRAY)),
            ("time", "monotonic" | "perf_counter" | "time") => rule(Any, true, Some(Gives::Value(Type::F64))),
            _ => None,
        },
    }
}

/// An operation that is no call; calls have rules of their own.
pub(crate) fn of_operation(operation: &Operation) -> Option<Rule> {
    use Fits::{Any, Flat, Own, Sealed};
    match operation {
        Operation::Native { .. }
        | Operation::Named { .. }
        | Operation::Length
        | Operation::Ord
        | Operation::Chr
        | Operation::IsInstance
        | Operation::Over { .. }
        | Operation::Method { .. } => None,
        Operation::Binary(BinaryOperator::Subscr) => rule(Own, false, None),
        Operation::Binary(operator) => rule(Own, is_in_place(*operator), None),
        Operation::Compare(_) | Operation::Test(_) => rule(Sealed, false, TRUTH),
        Operation::Contains { .. } => rule(Own, false, TRUTH),
        Operation::Is { .. } => rule(Any, false, TRUTH),
        Operation::Truth => rule(Own, false, TRUTH),
        Operation::Negative | Operation::Invert => rule(Flat, false, None),
        Operation::Iterate => rule(Own, false, object(Class::ANY)),
        Operation::Next => rule(Own, true, Some(Gives::Next(Type::Object(Class::ANY)))),
        Operation::Slice => rule(Own, false, None),
        Operation::Unpack(count) => rule(Own, false, Some(Gives::many(*count))),
        Operation::SetItem => rule(Own, true, Some(Gives::Nothing)),
        Operation::DeleteItem => rule(Own, true, Some(Gives::Nothing)),
        Operation::HasMethod(_) | Operation::Unshadowed(_) => rule(Own, false, Some(Gives::Nothing)),
        Operation::Which(_) => rule(Own, false, INTEGER),
        Operation::Attribute(_) => rule(Own, false, None),
        Operation::SetAttribute(_) => rule(Own, true, Some(Gives::Nothing)),
        Operation::Format | Operation::FormatTo => rule(Flat, false, object(STR)),
        Operation::Text | Operation::Shown => rule(Sealed, false, object(STR)),
        Operation::Join => rule(Flat, false, object(STR)),
        Operation::Known => rule(Any, false, object(Class::ANY)),
        Operation::List => rule(Any, false, object(LIST)),
        Operation::Set => rule(Flat, false, object(SET)),
        Operation::Dict => rule(Own, false, object(DICT)),
        Operation::Append => rule(Own, true, Some(Gives::Nothing)),
        Operation::Add => rule(Own, true, Some(Gives::Nothing)),
    }
}

/// What an attribute of an object of this class gives, if native code reads it and it is no method.
pub(crate) fn of_attribute(class: Class, name: &str) -> Option<Gives> {
    match (class, name) {
        (COMPLEX, "imag" | "real") => Some(Gives::Value(Type::F64)),
        _ => None,
    }
}

/// What an attribute of a tensor gives, if native code reads it and it is no method.
pub(crate) fn attribute_of_tensor(name: &str) -> Option<Gives> {
    match name {
        "T" | "mT" => object(NDARRAY),
        "nbytes" | "ndim" | "size" => INTEGER,
        "shape" => object(TUPLE),
        "dtype" => object(Class::ANY),
        _ => None,
    }
}

/// Whether an operator may change its first operand.
const fn is_in_place(operator: BinaryOperator) -> bool {
    matches!(
        operator,
        BinaryOperator::InplaceAdd
            | BinaryOperator::InplaceAnd
            | BinaryOperator::InplaceFloorDivide
            | BinaryOperator::InplaceLshift
            | BinaryOperator::InplaceMatrixMultiply
            | BinaryOperator::InplaceMultiply
            | BinaryOperator::InplaceOr
            | BinaryOperator::InplacePower
            | BinaryOperator::InplaceRemainder
            | BinaryOperator::InplaceRshift
            | BinaryOperator::InplaceSubtract
            | BinaryOperator::InplaceTrueDivide
            | BinaryOperator::InplaceXor
    )
}

/// What a function or class of the library of tensors does that is no native function to Python.
pub(crate) fn of_tensors(callable: &rustpython_vm::PyObject, vm: &VirtualMachine) -> Option<Rule> {
    crate::tensor::library().filter(|it| it.is_callable(callable))?;
    let results = callable.get_attr("nout", vm).ok().and_then(|it| it.try_to_value::<usize>(vm).ok());
    rule(Fits::Sealed, false, object(NDARRAY)).filter(|_| results.is_none_or(|it| it == 1))
}

/// What a native callable does; `None` if nothing is known.
pub(crate) fn native(
    callable: &rustpython_vm::PyObject,
    args: usize,
    vm: &VirtualMachine,
) -> Option<(NativeCallable, Rule)> {
    let native = native_callable(callable, vm)?;
    let rule = of_callable(&native, args, vm)?;
    Some((native, rule))
}

/// Whether a native callable is `print`.
pub(crate) fn is_print(callable: &rustpython_vm::PyObject, vm: &VirtualMachine) -> bool {
    let found = native_callable(callable, vm);
    matches!(found, Some(NativeCallable::Function { module: "builtins", name }) if name == "print")
}

/// The name of a native callable.
pub(crate) fn name_of(callable: &rustpython_vm::PyObject, vm: &VirtualMachine) -> String {
    match native_callable(callable, vm) {
        Some(NativeCallable::Type(class)) => class.name().to_string(),
        Some(NativeCallable::Function { name, .. }) => name,
        Some(NativeCallable::Method { name, .. }) => format!(".{name}()"),
        None => "call".to_owned(),
    }
}
