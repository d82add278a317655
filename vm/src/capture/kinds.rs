//! The words of S110: what differs between the kinds of values that meet, and what to do about it.

use rustpython_vm::builtins::{PyList, PyStr, PyTuple};
use rustpython_vm::{PyObjectRef, VirtualMachine};

use crate::capture::value;
use crate::rep::Named;
use crate::scalar;

/// A list, by what is in it.
pub(crate) fn list(items: &[PyObjectRef], vm: &VirtualMachine) -> String {
    let mut types: Vec<String> = Vec::new();
    for item in items {
        let name = item_type(item, vm);
        if !types.contains(&name) {
            types.push(name);
        }
    }
    match types.as_slice() {
        [] => "an empty list".to_owned(),
        [one] => format!("a list of {} {one}", items.len()),
        [first, .., last] => format!("a list of {} items, {first} and {last}", items.len()),
    }
}

fn item_type(item: &PyObjectRef, vm: &VirtualMachine) -> String {
    if let Some(number) = value::number(item, vm) {
        return scalar::type_name(number.ty()).to_owned();
    }
    if item.downcast_ref::<PyList>().is_some() {
        "list".to_owned()
    } else if item.downcast_ref::<PyStr>().is_some() {
        "str".to_owned()
    } else if let Some(tuple) = item.downcast_ref::<PyTuple>() {
        let parts: Vec<String> = tuple.as_slice().iter().map(|it| item_type(it, vm)).collect();
        format!("({})", parts.join(", "))
    } else {
        item.class_name()
    }
}

/// What to do about a variable that has values of these kinds.
pub(crate) fn advice(kinds: &[String]) -> &'static str {
    let any = |test: fn(&str) -> bool| kinds.iter().any(|it| test(it));
    let lists = |test: fn(&str) -> bool| kinds.iter().filter(|it| it.starts_with("a list of ")).any(|it| test(it));
    if lists(|it| it.contains(" int and float") || it.contains(" float and int")) {
        "the list has items of several types: begin with 0.0, or make them all floats with float(...)"
    } else if lists(|it| it.contains(" and ")) {
        "the list has items of several types: give it items of one type, or make the loop's bound static"
    } else if lists(|it| it.ends_with(" list")) {
        "the rows have items of several types: give them all one type, or make the rows tuples"
    } else if lists(|it| it.ends_with(" str")) {
        "lists of texts do not grow in compiled code: collect numbers and make the texts afterwards"
    } else if any(|it| it.starts_with("a tuple of ")) {
        "a tuple grows: let a list grow instead, or make the loop's bound static"
    } else if any(|it| it.starts_with("the str ")) {
        "a text grows: collect numbers in a list and make the text afterwards, or make the loop's bound static"
    } else {
        "give the variable values of one type on every path, or make the loop's bound static"
    }
}
