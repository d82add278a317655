//! The parts of a capture, one by one: a session with a path whose variables are what a test wants them to be.

mod heaps;
mod kinds;
mod loops;
mod shape;

use std::collections::BTreeSet;

use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObjectRef, VirtualMachine};
use snekpy_stage::types::Type;

use crate::capture::recursion::{Outlined, returned_nothing};
use crate::capture::session::{Mode, Session};
use crate::capture::shape::{Leaf, Outline, outline};
use crate::capture::state::State;
use crate::capture::{heap, observe};
use crate::host;
use crate::host::test_vm::{Python, with_vm};
use crate::limits::Allowance;

/// Calls `test` with a session that has built nothing.
fn with_session(test: impl FnOnce(&mut Session<'_>, &Python<'_>)) {
    with_vm(|vm, py| {
        // The classes of what stands for values.
        crate::module::make_classes();
        let allowance = Allowance::now(true, None);
        let mut session = Session::new(vm, Outlined::default(), Mode::Lenient, false, false, allowance);
        test(&mut session, py);
        session.base.end(vm);
    });
}

/// The path at the beginning of `def f(a, b): return a, b` with these arguments.
fn path(session: &mut Session<'_>, py: &Python<'_>, a: PyObjectRef, b: PyObjectRef) -> State {
    path_of(session, py, "lambda a, b: (a, b)", vec![a, b])
}

/// The path at the beginning of a function with these arguments.
fn path_of(session: &mut Session<'_>, py: &Python<'_>, function: &str, args: Vec<PyObjectRef>) -> State {
    let parts = host::function::parts(&py.eval(function), session.vm).ok().flatten().expect("it is a function");
    let frame = session.new_frame(&parts, FuncArgs::from(args)).unwrap_or_else(|_| panic!("the arguments fit"));
    State { frames: vec![frame], ..returned_nothing(session.func.entry()) }
}

/// A number that is known later.
fn later(session: &mut Session<'_>, ty: Type) -> PyObjectRef {
    let block = session.func.entry();
    let value = session.func.append_param(block, ty);
    session.rep(value)
}

/// An object that the program has made, with all that is in it.
fn made(session: &mut Session<'_>, object: PyObjectRef) -> PyObjectRef {
    for inside in observe::inside(&object, session.vm) {
        made(session, inside);
    }
    if heap::read(&object, session.vm).is_some() { session.made(object) } else { object }
}

fn outline_of(session: &Session<'_>, state: &State) -> Outline {
    outline(session, state, &BTreeSet::new())
}

fn leaves(session: &Session<'_>, state: &State) -> Vec<Leaf> {
    outline_of(session, state).leaves.into_iter().map(|(leaf, _)| leaf).collect()
}

fn text(object: &PyObjectRef, vm: &VirtualMachine) -> String {
    object.repr(vm).map_or_else(|_| "an error".to_owned(), |it| it.to_string())
}
