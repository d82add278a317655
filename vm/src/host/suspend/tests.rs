//! Which functions can be followed.

use rustpython_vm::builtins::{PyCode, PyList};
use rustpython_vm::bytecode::CodeFlags;

use super::rewrite::rewrite;
use crate::code::Code;
use crate::host::test_vm::with_vm;

/// Collects the code objects of some modules of the standard library.
const COLLECT: &str = "
import argparse, ast, contextlib, dataclasses, difflib, fractions, functools, heapq, inspect, statistics, textwrap
codes = []

def add(code):
    if code not in codes:
        codes.append(code)
        for constant in code.co_consts:
            if hasattr(constant, 'co_consts'):
                add(constant)

def look(namespace):
    for value in list(namespace.values()):
        if inspect.isfunction(value):
            add(value.__code__)
        elif isinstance(value, type) and value.__module__ != 'builtins':
            for method in vars(value).values():
                if inspect.isfunction(method):
                    add(method.__code__)

for module in (argparse, ast, contextlib, dataclasses, difflib, fractions, functools, heapq, inspect, statistics,
               textwrap):
    look(vars(module))
";

#[test]
fn the_functions_of_the_standard_library_can_be_followed() {
    with_vm(|vm, python| {
        super::make_classes();
        python.run(COLLECT);
        let codes = python.eval("codes");
        let codes = codes.downcast_ref::<PyList>().expect("it is a list").borrow_vec().to_vec();
        let makers = CodeFlags::GENERATOR | CodeFlags::COROUTINE | CodeFlags::ASYNC_GENERATOR;
        let (mut followed, mut others) = (0, Vec::new());
        for object in codes {
            let code = object.downcast::<PyCode>().expect("they are code objects");
            let decoded = Code::decode(&code).expect("the compiler made it");
            if code.code.flags.intersects(makers) || decoded.uses_namespace() {
                continue;
            }
            match rewrite(&decoded, vm) {
                Some(_) => followed += 1,
                None => others.push(code.code.qualname.to_string()),
            }
        }
        assert!(followed > 500, "only {followed} functions");
        assert!(others.is_empty(), "{others:#?}");
    });
}
