//! Arguments, for people.

use rustpython_vm::builtins::PyStrRef;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use snekpy_stage::types::{ArrayType, Elem, Type};

use super::Arg;
use crate::capture::list::ItemType;

/// So deep an argument is shown, and so many items of each of its parts.
const SHOWN: (usize, usize) = (2, 8);

/// What an argument looks like, for people: `float`, `[int, int]`, `'text'`. Of a large one, how it begins.
pub(crate) fn describe(arg: &Arg, vm: &VirtualMachine) -> String {
    describe_part(arg, SHOWN.0, vm)
}

fn describe_part(arg: &Arg, depth: usize, vm: &VirtualMachine) -> String {
    let list = |args: &[Arg]| joined(args, depth, |arg, below| describe_part(arg, below, vm));
    let named = |args: &[(PyStrRef, Arg)]| {
        joined(args, depth, |(name, arg), below| {
            format!("{}={}", name.to_string_lossy(), describe_part(arg, below, vm))
        })
    };
    let entries = |args: &[(PyObjectRef, Arg)]| {
        joined(args, depth, |(key, arg), below| {
            let key = key.str(vm).map_or_else(|_| String::new(), |it| it.to_string_lossy().into_owned());
            format!("{key}={}", describe_part(arg, below, vm))
        })
    };
    match arg {
        Arg::Leaf { ty } => python_type(*ty),
        Arg::Wide => "int from 2**63".to_owned(),
        Arg::Static(object) => describe_static(object, vm),
        Arg::Function(_) => "function".to_owned(),
        Arg::Tuple(args) if args.len() == 1 => format!("({},)", list(args)),
        Arg::Tuple(args) => format!("({})", list(args)),
        Arg::Named(class, args) => format!("{}({})", class.name(), list(args)),
        Arg::List(args) => format!("[{}]", list(args)),
        Arg::Items(ty) => format!("list of {}", describe_item(ty)),
        Arg::Keywords(args) | Arg::Names(args) => format!("{{{}}}", entries(args)),
        Arg::Instance { class, attributes } => format!("{}({})", class.name(), named(attributes)),
        Arg::Cell(arg) => describe_part(arg, depth, vm),
        Arg::Same(_) => "the same again".to_owned(),
        Arg::Empty { set: true } => "set()".to_owned(),
        Arg::Empty { set: false } => "{}".to_owned(),
        Arg::Record { class, .. } => class.name().to_string(),
    }
}

/// The parts of an argument that is shown so deep.
fn joined<T>(parts: &[T], depth: usize, text: impl Fn(&T, usize) -> String) -> String {
    let Some(below) = depth.checked_sub(1) else {
        return if parts.is_empty() { String::new() } else { "...".to_owned() };
    };
    let rest = (parts.len() > SHOWN.1).then(|| "...".to_owned());
    parts.iter().take(SHOWN.1).map(|it| text(it, below)).chain(rest).collect::<Vec<_>>().join(", ")
}

/// What an item of a list is, for people.
pub(crate) fn describe_item(ty: &ItemType) -> String {
    match ty {
        ItemType::Number(elem) => python_elem(*elem).to_owned(),
        ItemType::List(items) => format!("list of {}", describe_item(items)),
        ItemType::Tuple(types) if let [only] = types.as_slice() => format!("({},)", describe_item(only)),
        ItemType::Made(made) => made.noun(),
        ItemType::Tuple(types) => format!("({})", types.iter().map(describe_item).collect::<Vec<_>>().join(", ")),
    }
}

fn python_elem(elem: Elem) -> &'static str {
    match elem {
        Elem::Bool => "bool",
        Elem::I32 => "int32",
        Elem::I64 => "int",
        Elem::F16 => "float16",
        Elem::Bf16 => "bfloat16",
        Elem::F32 => "float32",
        Elem::F64 => "float",
    }
}

fn python_type(ty: Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::I64 => "int".to_owned(),
        Type::F64 => "float".to_owned(),
        Type::Array(ArrayType { elem: it, len: Some(len) }) => format!("array of {len} {}", python_elem(it)),
        Type::Array(ArrayType { elem: it, len: None }) => format!("array of {}", python_elem(it)),
        Type::List(it) => {
            format!("list of {}", it.number().map_or_else(|| python_type(it.item()), |it| python_elem(it).to_owned()))
        }
        Type::Map(it) => it.to_string(),
        Type::Object(_) => "object".to_owned(),
        Type::Tensor(it) => it.to_string(),
    }
}

/// Values are shown where showing them runs no code of the program; of other objects, the class.
fn describe_static(object: &PyObjectRef, vm: &VirtualMachine) -> String {
    let class = object.class();
    let types = &vm.ctx.types;
    let plain = [types.str_type, types.int_type, types.bool_type, types.float_type, types.none_type];
    if plain.iter().any(|it| class.is(*it))
        && let Ok(text) = object.repr(vm)
    {
        let text = text.to_string_lossy();
        if text.chars().count() <= 40 {
            return text.into_owned();
        }
        return format!("{}...", text.chars().take(37).collect::<String>());
    }
    format!("a `{}`", class.name())
}
