//! Decoding and analyses on compiled Python.
//!
//! A test compiles a snippet and looks at one function of it by line. What has a definition that can be
//! computed naively (edges, order, loops, liveness) is compared with that in `model`, on the snippets of
//! all tests.

mod decoding;
mod liveness;
mod loops;
mod model;

use std::sync::Arc;

use rustpython_vm::builtins::PyCode;
use rustpython_vm::compiler::Mode;
use rustpython_vm::{Interpreter, PyObjectRef, PyRef, VirtualMachine};

use super::{Code, Opcode, Pc};

/// Runs `test` in a virtual machine.
fn with_vm<R>(test: impl FnOnce(&VirtualMachine) -> R) -> R {
    let builder = Interpreter::builder(Default::default());
    builder.add_frozen_modules(snekpy_pylib::FROZEN_STDLIB).build().enter(test)
}

/// Compiles a module.
fn compile(vm: &VirtualMachine, source: &str) -> PyRef<PyCode> {
    vm.compile(source, Mode::Exec, "snippet.py").expect("the snippet is valid Python")
}

/// The code objects nested in `code`, and `code` itself.
fn all_codes(code: &PyRef<PyCode>) -> Vec<PyRef<PyCode>> {
    let mut found = vec![code.clone()];
    for constant in code.constants.iter() {
        let object: PyObjectRef = constant.clone().into();
        if let Ok(inner) = object.downcast::<PyCode>() {
            found.extend(all_codes(&inner));
        }
    }
    found
}

/// Compiles `source`, compares all its code with the model, and tests the function `f` of it.
fn check(source: &str, test: impl FnOnce(&Code)) {
    with_vm(|vm| {
        let module = compile(vm, source);
        let codes = all_codes(&module);
        for code in &codes {
            model::check(&decode(code));
        }
        let f = codes.iter().find(|it| it.obj_name.to_str() == Some("f")).expect("the snippet defines f");
        test(&decode(f));
    });
}

fn decode(code: &PyRef<PyCode>) -> Arc<Code> {
    Code::of(code).expect("compiled code can be decoded")
}

/// Where an opcode stands in a line (the only place).
fn find(code: &Code, line: u32, op: Opcode) -> Pc {
    let mut found = all(code, op).into_iter().filter(|&pc| code.line(pc) == line);
    let pc = found.next().unwrap_or_else(|| panic!("no {op:?} in line {line}"));
    assert_eq!(found.next(), None, "{op:?} is in line {line} more than once");
    pc
}

/// All places where an opcode stands.
fn all(code: &Code, op: Opcode) -> Vec<Pc> {
    (0..code.instrs.len() as Pc).filter(|&pc| code.instrs[pc as usize].op == op).collect()
}

/// The index of a variable.
fn local(code: &Code, name: &str) -> usize {
    (0..code.local_count()).find(|&it| code.local_name(it) == name).expect("a local of that name")
}
