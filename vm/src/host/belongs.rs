//! What an object that native code made was made of: methods and views of another object.

use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};

/// The object whose method this is, and the method's name.
pub fn native_method(obj: &PyObject, vm: &VirtualMachine) -> Option<(PyObjectRef, PyObjectRef)> {
    let types = &vm.ctx.types;
    let class = obj.class();
    if !class.is(types.builtin_function_or_method_type) && !class.is(types.method_wrapper_type) {
        return None;
    }
    let receiver = obj.get_attr("__self__", vm).ok().filter(|it| !vm.is_none(it))?;
    Some((receiver, obj.get_attr("__name__", vm).ok()?))
}

/// The dict that this is a view of, and the method that gives the view.
pub fn dict_view(obj: &PyObject, vm: &VirtualMachine) -> Option<(PyObjectRef, &'static str)> {
    let types = &vm.ctx.types;
    let views = [(types.dict_keys_type, "keys"), (types.dict_values_type, "values"), (types.dict_items_type, "items")];
    let (_, method) = views.into_iter().find(|(class, _)| obj.class().is(*class))?;
    let mapping = obj.get_attr("mapping", vm).ok()?;
    Some((mapping.gc_get_referents().into_iter().next()?, method))
}
