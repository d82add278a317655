//! Methods written in Python of classes that all engines of a process share.
//!
//! The class of arrays is one of the process, and a function belongs to the engine that imported it: it dies with that
//! engine's modules. So the first engine lends its functions to the class, and when it ends the next one does.

use std::sync::{Mutex, PoisonError};

use rustpython_vm::builtins::PyTypeRef;
use rustpython_vm::{PyObjectRef, VirtualMachine};

/// What one engine has for the classes.
struct Lender {
    engine: usize,
    methods: Vec<(PyTypeRef, String, PyObjectRef)>,
}

/// In the order in which they came; the first one's are in use.
static LENDERS: Mutex<Vec<Lender>> = Mutex::new(Vec::new());

fn engine(vm: &VirtualMachine) -> usize {
    std::ptr::from_ref(&*vm.state).addr()
}

/// A class has this method, as long as this engine lends it.
pub(super) fn lend(class: &PyTypeRef, name: &str, method: PyObjectRef, vm: &VirtualMachine) {
    let engine = engine(vm);
    let mut lenders = LENDERS.lock().unwrap_or_else(PoisonError::into_inner);
    let at = lenders.iter().position(|it| it.engine == engine).unwrap_or_else(|| {
        lenders.push(Lender { engine, methods: Vec::new() });
        lenders.len() - 1
    });
    lenders[at].methods.push((class.clone(), name.to_owned(), method.clone()));
    drop(lenders);
    if at == 0 {
        class.set_str_attr(name, method, &vm.ctx);
    }
}

/// An engine ends: another one lends its methods.
pub(crate) fn end(vm: &VirtualMachine) {
    let engine = engine(vm);
    let mut lenders = LENDERS.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(at) = lenders.iter().position(|it| it.engine == engine) else { return };
    let ended = lenders.remove(at);
    let next = lenders.first().filter(|_| at == 0).map(|it| it.methods.clone());
    drop(lenders);
    for (class, name, method) in next.into_iter().flatten() {
        class.set_str_attr(&name, method, &vm.ctx);
    }
    drop(ended);
}
