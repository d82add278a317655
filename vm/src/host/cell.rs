//! Closure cells.
//!
//! RustPython's cell is private; its class and the attribute `cell_contents` are not. Reading or
//! writing costs about as much as calling a small native function, creating one a little more, so an
//! evaluator that makes many variables cells keeps its own and creates these where closures are made.

use super::descriptor::Attribute;
use rustpython_vm::{
    AsObject, PyObject, PyObjectRef, VirtualMachine,
    function::{FuncArgs, PySetterValue},
};
use std::sync::OnceLock;

/// `cell.cell_contents`
fn contents(vm: &VirtualMachine) -> &'static Attribute {
    static CONTENTS: OnceLock<Attribute> = OnceLock::new();
    CONTENTS.get_or_init(|| Attribute::new(vm.ctx.types.cell_type, "cell_contents", vm))
}

/// A new cell, empty or not.
pub fn new_cell(value: Option<PyObjectRef>, vm: &VirtualMachine) -> PyObjectRef {
    let class = vm.ctx.types.cell_type;
    let new = class.slots.new.load().expect("cell can be instantiated from Python");
    let args: Vec<PyObjectRef> = value.into_iter().collect();
    new(class.to_owned(), FuncArgs::from(args), vm).expect("cell takes zero or one argument")
}

/// Whether this object is a cell.
#[inline]
pub fn is_cell(obj: &PyObject, vm: &VirtualMachine) -> bool {
    obj.class().is(vm.ctx.types.cell_type)
}

/// What is in a cell; `None` while its variable is unbound.
pub fn cell_get(cell: &PyObject, vm: &VirtualMachine) -> Option<PyObjectRef> {
    debug_assert!(is_cell(cell, vm));
    // The one error that reading can raise is "Cell is empty".
    contents(vm).get(cell, vm).ok()
}

/// Binds or unbinds a cell's variable.
pub fn cell_set(cell: &PyObject, value: Option<PyObjectRef>, vm: &VirtualMachine) {
    debug_assert!(is_cell(cell, vm));
    let value = value.map_or(PySetterValue::Delete, PySetterValue::Assign);
    contents(vm).set(cell, value, vm).expect("any object can be put into a cell");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::test_vm::with_vm;

    #[test]
    fn a_cell_is_what_python_sees() {
        with_vm(|vm, py| {
            let cell = new_cell(Some(vm.new_pyobj(7)), vm);
            assert!(is_cell(&cell, vm));
            assert!(!is_cell(&vm.ctx.none(), vm));
            py.set("c", cell.clone());
            assert_eq!(py.text("c.cell_contents"), "7");
            py.run("c.cell_contents = 'new'");
            assert_eq!(cell_get(&cell, vm).unwrap().str(vm).unwrap().to_string(), "new");
            cell_set(&cell, None, vm);
            assert!(cell_get(&cell, vm).is_none());
            assert_eq!(py.error("c.cell_contents"), "ValueError: Cell is empty");
            cell_set(&cell, Some(vm.ctx.none()), vm);
            assert_eq!(py.text("c.cell_contents"), "None");
            assert!(cell_get(&new_cell(None, vm), vm).is_none());
        });
    }

    #[test]
    fn a_cell_of_a_closure_is_shared() {
        with_vm(|vm, py| {
            py.run("def outer():\n    n = 1\n    def get(): return n\n    return get\nget = outer()");
            let cell = py.eval("get.__closure__[0]");
            cell_set(&cell, Some(vm.new_pyobj(42)), vm);
            assert_eq!(py.text("get()"), "42");
        });
    }
}
