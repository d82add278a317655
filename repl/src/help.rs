//! `?name` and `??name`: what something is; with two marks also its source.

use rustpython_vm::builtins::{PyDictRef, PyStr};
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};

/// Whether the input asks for help: `?x`, `x?`, or either with two marks.
pub(crate) fn is_question(text: &str) -> bool {
    parse(text).is_some()
}

/// The expression asked about, and whether its source is wanted.
fn parse(text: &str) -> Option<(&str, bool)> {
    let text = text.trim();
    if text.contains('\n') {
        return None;
    }
    let name = text.trim_start_matches('?');
    let (name, marks) = match text.len() - name.len() {
        0 => {
            let name = text.trim_end_matches('?');
            (name, text.len() - name.len())
        }
        marks => (name, marks),
    };
    let name = name.trim();
    let dotted = !name.is_empty() && name.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '.'));
    (dotted && matches!(marks, 1 | 2)).then_some((name, marks == 2))
}

/// The answer to a question, or `None` if the text is none.
pub(crate) fn answer(text: &str, globals: &PyDictRef, vm: &VirtualMachine) -> Option<String> {
    let (name, with_source) = parse(text)?;
    Some(match crate::complete::resolve(name, globals, vm) {
        Some(object) => describe(name, &object, with_source, vm),
        None => format!("there is no `{name}` here\n"),
    })
}

fn describe(name: &str, object: &PyObjectRef, with_source: bool, vm: &VirtualMachine) -> String {
    let mut lines = Vec::new();
    let mut say = |label: &str, text: String| {
        let text = text.trim_end().replace('\n', "\n             ");
        if !text.is_empty() {
            lines.push(format!("{:<12} {text}", format!("{label}:")));
        }
    };
    if let Some(signature) = signature(object, vm) {
        say("Signature", format!("{name}{signature}"));
    }
    say("Type", object.class().name().to_string());
    if !object.is_callable() {
        say("Value", object.repr(vm).map_or_else(|_| String::new(), |it| shortened(&it.to_string_lossy())));
    }
    if let Some(file) = inspected("getsourcefile", object, vm) {
        say("File", file);
    }
    // A staged function tells what it was compiled to.
    if let Some(stats) = text_of(vm.call_method(object, "stats", ()).ok().filter(|_| is_staged(object)), vm) {
        say("Staged", stats);
    }
    if let Some(doc) = inspected("getdoc", object, vm) {
        say("Doc", doc);
    }
    if with_source {
        match inspected("getsource", object, vm) {
            Some(source) => lines.push(format!("Source:\n{}", source.trim_end())),
            None => say("Source", "not available".to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

/// Whether the object is one of snekpy's staged functions.
fn is_staged(object: &PyObjectRef) -> bool {
    object.class().name().contains("Staged")
}

fn signature(object: &PyObjectRef, vm: &VirtualMachine) -> Option<String> {
    if !object.is_callable() {
        return None;
    }
    text_of(inspect("signature", object, vm).ok(), vm)
}

fn inspected(function: &'static str, object: &PyObjectRef, vm: &VirtualMachine) -> Option<String> {
    let found = inspect(function, object, vm).ok()?;
    found.downcast_ref::<PyStr>().map(|it| it.to_string_lossy().into_owned())
}

fn inspect(function: &'static str, object: &PyObjectRef, vm: &VirtualMachine) -> PyResult {
    let module = vm.import("inspect", 0)?;
    vm.call_method(&module, function, (object.clone(),))
}

fn text_of(object: Option<PyObjectRef>, vm: &VirtualMachine) -> Option<String> {
    object?.str(vm).ok().map(|it| it.to_string_lossy().into_owned())
}

fn shortened(text: &str) -> String {
    const MOST: usize = 500;
    if text.chars().count() <= MOST { text.to_owned() } else { text.chars().take(MOST).chain("...".chars()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_from_code() {
        assert_eq!(parse("?len"), Some(("len", false)));
        assert_eq!(parse("len?"), Some(("len", false)));
        assert_eq!(parse(" ??a.b_1 "), Some(("a.b_1", true)));
        assert_eq!(parse("a.b??"), Some(("a.b", true)));
        for code in ["", "?", "len", "'?'", "???len", "f(1)?", "x = 1", "?a\nb"] {
            assert_eq!(parse(code), None, "{code}");
        }
    }
}
