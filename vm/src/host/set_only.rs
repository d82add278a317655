//! Attributes whose descriptor has `__set__` and no `__get__`.
//!
//! RustPython's `object.x = value`, once it is specialised, takes such a descriptor for none and writes into the
//! object's dict. It specialises what goes by `object.__setattr__` alone: so the classes of these objects get a function
//! of their own in its place, which does the same.

use std::sync::OnceLock;

use rustpython_vm::builtins::{PyStr, PyType, PyTypeRef};
use rustpython_vm::function::{FuncArgs, PySetterValue};
use rustpython_vm::{AsObject, Context, Py, PyObject, PyResult, VirtualMachine};

type New = fn(PyTypeRef, FuncArgs, &VirtualMachine) -> PyResult;
type SetAttribute = fn(&PyObject, &Py<PyStr>, PySetterValue, &VirtualMachine) -> PyResult<()>;

/// RustPython's `type.__new__` and `object.__setattr__`.
static NEW: OnceLock<Option<New>> = OnceLock::new();
static SET_ATTRIBUTE: OnceLock<Option<SetAttribute>> = OnceLock::new();

/// Looks at each class that is made from now on, once in the process.
pub(crate) fn install(ctx: &Context) {
    NEW.get_or_init(|| ctx.types.type_type.slots.new.load());
    SET_ATTRIBUTE.get_or_init(|| ctx.types.object_type.slots.setattro.load());
    ctx.types.type_type.slots.new.store(Some(new_class));
}

fn new_class(metaclass: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let Some(Some(new)) = NEW.get() else { return Err(vm.new_type_error("classes cannot be made")) };
    let is_made = args.args.len() > 1;
    let class = new(metaclass, args, vm)?;
    if is_made && let Some(class) = class.downcast_ref::<PyType>() {
        mark(class);
    }
    Ok(class)
}

/// Gives a class our function if it needs it.
fn mark(class: &Py<PyType>) {
    let setter = |class: &Py<PyType>| class.slots.setattro.load().map(|it| it as usize);
    let ours = Some(set_attribute as SetAttribute as usize);
    let plain = SET_ATTRIBUTE.get().and_then(|it| it.map(|it| it as usize));
    let is_needed = || {
        let values = class.attributes().as_dict().map(|it| it.values_vec()).unwrap_or_default();
        values.iter().any(|it| is_set_only(it.class())) || class.mro_map_collect(setter).contains(&ours)
    };
    if setter(class) == plain && is_needed() {
        class.slots.setattro.store(Some(set_attribute));
    }
}

fn is_set_only(class: &Py<PyType>) -> bool {
    class.slots.descr_set.load().is_some() && class.slots.descr_get.load().is_none()
}

fn set_attribute(object: &PyObject, name: &Py<PyStr>, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
    match SET_ATTRIBUTE.get() {
        Some(Some(set)) => set(object, name, value, vm),
        Some(None) | None => object.generic_setattr(name, value, vm),
    }
}
