//! Completion of names, attributes, keywords and modules.

use crate::modules::{loaded, modules};
use crate::place::{Place, place};
use rustpython_vm::builtins::{PyDictRef, PyStr};
use rustpython_vm::{PyObjectRef, VirtualMachine};
use std::collections::BTreeSet;

const KEYWORDS: [&str; 38] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "case", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match",
    "nonlocal", "not", "or", "pass", "raise", "return", "try", "type", "while", "with", "yield",
];

/// Where the word before the cursor starts, and what it could become, in order. `before` is the whole input up to
/// there.
pub(crate) fn candidates(before: &str, globals: &PyDictRef, vm: &VirtualMachine) -> (usize, Vec<String>) {
    let start = before
        .rfind(|it: char| !(it.is_alphanumeric() || matches!(it, '_' | '.')))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let dotted = &before[start..];
    let (object, prefix) = match dotted.rsplit_once('.') {
        Some((object, prefix)) => (Some(object), prefix),
        None => (None, dotted),
    };
    let from = object.map_or(start, |object| start + object.len() + 1);
    let names = match (place(before), object) {
        (Place::Text, _) => Vec::new(),
        (Place::Module, package) => modules(package, vm),
        (Place::Member(module), _) => {
            let mut names = modules(Some(module), vm);
            names.extend(loaded(module, vm).map_or_else(Vec::new, |module| attributes(&module, vm)));
            names
        }
        (Place::Code, Some(object)) => {
            resolve(object, globals, vm).map_or_else(Vec::new, |object| attributes(&object, vm))
        }
        (Place::Code, None) => visible(globals, vm),
    };
    let fits = |name: &String| name.starts_with(prefix) && (!name.starts_with('_') || prefix.starts_with('_'));
    // Sorted, and each once.
    let found: BTreeSet<String> = names.into_iter().filter(fits).collect();
    (from, found.into_iter().collect())
}

/// The object that a dotted name means here.
pub(crate) fn resolve(dotted: &str, globals: &PyDictRef, vm: &VirtualMachine) -> Option<PyObjectRef> {
    let mut parts = dotted.split('.');
    let first = parts.next()?;
    let found = globals.get_item_opt(first, vm).ok().flatten();
    let mut object = found.or_else(|| vm.builtins.get_attr(vm.ctx.intern_str(first), vm).ok())?;
    for part in parts {
        object = object.get_attr(vm.ctx.intern_str(part), vm).ok()?;
    }
    Some(object)
}

fn visible(globals: &PyDictRef, vm: &VirtualMachine) -> Vec<String> {
    let keys = |dict: &PyDictRef| dict.into_iter().filter_map(|(key, _)| text(&key)).collect::<Vec<_>>();
    let mut names = keys(globals);
    names.extend(keys(&vm.builtins.dict()));
    names.extend(KEYWORDS.map(str::to_owned));
    names
}

fn attributes(object: &PyObjectRef, vm: &VirtualMachine) -> Vec<String> {
    let Ok(names) = vm.dir(Some(object.clone())) else { return Vec::new() };
    names.borrow_vec().iter().filter_map(text).collect()
}

fn text(object: &PyObjectRef) -> Option<String> {
    object.downcast_ref::<PyStr>().map(|it| it.to_string_lossy().into_owned())
}
