//! Tracebacks made here beside those that RustPython makes for the same instructions.

use super::*;
use crate::host::{
    function::{self, code},
    test_vm::{Python, with_vm},
};

const PROGRAM: &str = "
class Box:
    def __init__(self, value):
        self.value = value
    def divide(self, by, *rest, key=None, **more):
        try:
            total = 1
            return (self.value +
                    self.value // by)
        finally:
            log.append('finally ran')
def middle(n, /, *, free=3):
    def inner():
        return Box(free + n).divide(0)
    return inner() + 1
def generator():
    yield 1
    yield middle(2)
log = []
def raised(call):
    try:
        call()
    except BaseException as e:
        return e
def entries(e):
    tb = e.__traceback__
    while tb is not None:
        code = tb.tb_frame.f_code
        position = list(code.co_positions())[tb.tb_lasti // 2]
        yield code.co_filename, code.co_name, code.co_qualname, tb.tb_lineno, tb.tb_lasti, position
        tb = tb.tb_next
";

/// The places of a traceback, innermost first, taken from its own frames.
fn places(exc: &PyBaseExceptionRef, codes: &[PyRef<PyCode>]) -> Vec<TraceEntry> {
    let mut entries: Vec<_> = exc
        .__traceback__()
        .expect("the exception was raised")
        .iter()
        .map(|traceback| {
            let frame = traceback.frame.iframe();
            let code =
                codes.iter().find(|code| code.is(frame.code())).cloned().unwrap_or_else(|| frame.code().to_owned());
            TraceEntry { code, globals: frame.globals().to_owned(), unit: traceback.lasti as u32 / 2 }
        })
        .collect();
    entries.reverse();
    entries
}

fn raised(source: &str, py: &Python<'_>) -> PyBaseExceptionRef {
    py.eval(&format!("raised(lambda: {source})")).downcast().expect("an exception was raised")
}

#[test]
fn entries_are_those_of_ordinary_frames() {
    with_vm(|vm, py| {
        py.run(PROGRAM);
        let original = raised("middle(1)", py);
        let places = places(&original, &[]);
        assert_eq!(places.len(), 5, "raised, the lambda, middle, inner, divide");

        let copy: PyBaseExceptionRef = vm.new_zero_division_error("division by zero");
        add_traceback(&copy, &places, vm).unwrap();
        assert_eq!(py.traceback(&copy), py.traceback(&original).replace("integer ", ""));
        py.set("original", original.into());
        py.set("copy", copy.into());
        assert_eq!(py.text("list(entries(copy))"), py.text("list(entries(original))"));
        assert!(py.text("list(entries(copy))[-1]").contains("'Box.divide'"));
        assert_eq!(py.text("log"), "['finally ran']", "once, by the ordinary call");
    });
}

#[test]
fn frames_of_every_kind_of_code() {
    with_vm(|vm, py| {
        py.run(PROGRAM);
        py.run("async def co(x): return 1 // x\nasync def agen(): yield 1\ndef run(c):\n    c.send(None)");
        for source in
            ["list(generator())", "run(co(0))", "exec('1 // 0')", "[1 // x for x in (0,)]", "(lambda: 1 // 0)()"]
        {
            let original = raised(source, py);
            let copy = vm.new_value_error("copy");
            add_traceback(&copy, &places(&original, &[]), vm).unwrap();
            py.set("original", original.into());
            py.set("copy", copy.into());
            assert_eq!(py.text("list(entries(copy))"), py.text("list(entries(original))"), "{source}");
        }
        let agen = code(&py.eval("agen"), vm).unwrap();
        detached_frame(&agen, py.scope.globals.clone(), vm).unwrap();
    });
}

#[test]
fn entries_are_added_outside_of_what_is_there() {
    with_vm(|vm, py| {
        py.run(PROGRAM);
        let exc = raised("1 // 0", py);
        let middle = function::parts(&py.eval("middle"), vm).unwrap().unwrap();
        let entry = TraceEntry { code: middle.code, globals: middle.globals, unit: 0 };
        add_traceback(&exc, &[entry], vm).unwrap();
        py.set("e", exc.into());
        assert_eq!(py.text("[name for _, name, *_ in entries(e)]"), "['middle', 'raised', '<lambda>']");
    });
}

#[test]
fn a_frame_holds_no_locals_and_runs_nothing() {
    with_vm(|vm, py| {
        py.run(PROGRAM);
        let parts = function::parts(&py.eval("Box.divide"), vm).unwrap().unwrap();
        let unit = parts.code.instructions.len() as u32 / 2;
        let exc = vm.new_value_error("x");
        add_traceback(&exc, &[TraceEntry { code: parts.code, globals: parts.globals, unit }], vm).unwrap();
        py.set("e", exc.into());
        assert_eq!(py.text("dict(e.__traceback__.tb_frame.f_locals)"), "{}");
        py.run("e.__traceback__.tb_frame.clear()");
        py.run("del e\nimport gc\ngc.collect()");
        assert_eq!(py.text("log"), "[]");
    });
}

#[test]
fn an_instruction_that_does_not_exist_is_refused() {
    with_vm(|vm, py| {
        let parts = function::parts(&py.eval("lambda: 0"), vm).unwrap().unwrap();
        let exc = vm.new_value_error("x");
        let error = add_traceback(&exc, &[TraceEntry { code: parts.code, globals: parts.globals, unit: 9999 }], vm);
        assert_eq!(py.describe(&error.unwrap_err()), "SystemError: <lambda> has no instruction 9999");
        assert!(exc.__traceback__().is_none());
    });
}

#[test]
fn a_full_table_of_templates_starts_afresh() {
    with_vm(|vm, py| {
        let globals = py.scope.globals.clone();
        for n in 0..MAX_TEMPLATES + 8 {
            let code = code(&py.eval(&format!("lambda: {n}")), vm).unwrap();
            let frame = detached_frame(&code, globals.clone(), vm).unwrap();
            assert_eq!(frame.iframe().code().obj_name.as_str(), "<lambda>");
        }
    });
}

#[test]
fn context_is_what_is_being_handled() {
    with_vm(|vm, py| {
        py.run("class Probe(Exception): pass");
        let probe: PyBaseExceptionRef = py.eval("Probe()").downcast().unwrap();
        raise_context(&probe, vm);
        assert!(probe.__context__().is_none(), "nothing is being handled");

        let set = {
            let probe = probe.clone();
            vm.new_function("set_context", move |vm: &VirtualMachine| raise_context(&probe, vm))
        };
        py.set("set_context", set.into());
        py.set("probe", probe.clone().into());
        py.run("try:\n    1 // 0\nexcept ZeroDivisionError as e:\n    handled = e\n    set_context()");
        assert_eq!(py.text("probe.__context__ is handled"), "True");
        // From a generator, whose own level of the stack is empty.
        py.run("def g():\n    set_context()\n    yield\ntry:\n    [][1]\nexcept IndexError as e:\n    handled = e\n    list(g())");
        assert_eq!(py.text("probe.__context__ is handled"), "True");
        // Not its own context, and a circle is cut.
        py.run("try:\n    raise probe\nexcept Probe:\n    set_context()");
        assert_eq!(py.text("probe.__context__ is handled"), "True");
        py.run(
            "inner = KeyError()\ninner.__context__ = probe\ntry:\n    raise inner\nexcept KeyError:\n    set_context()",
        );
        assert_eq!(py.text("probe.__context__ is inner, inner.__context__"), "(True, None)");
    });
}
