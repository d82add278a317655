//! What native exceptions carry besides their arguments: the name of an `ImportError`, the file of an `OSError`.
//!
//! Each class keeps it in members of its own. They are reached by their descriptors: a derived class may have something
//! else under their names.

use rustpython_vm::builtins::{PyBaseException, PyBaseExceptionRef, PyType, PyTypeRef};
use rustpython_vm::function::{FuncArgs, PySetterValue};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine};

/// A descriptor, and what its member holds.
pub(crate) type Member = (PyObjectRef, PyObjectRef);

/// The members that are set, in the order of their names.
pub(crate) fn members(exception: &PyObject, vm: &VirtualMachine) -> Vec<Member> {
    if is_simple(exception.class(), vm) {
        return Vec::new();
    }
    let held = |descriptor: PyObjectRef| {
        let get = descriptor.class().slots.descr_get.load()?;
        let class = exception.class().as_object();
        let value = get(&descriptor, Some(exception), Some(class), vm).ok().filter(|it| !vm.is_none(it))?;
        Some((descriptor, value))
    };
    let mro = exception.class().mro_map_collect(|class| class.to_owned());
    let native = mro.iter().filter(|class| is_native(class) && !is_simple(class, vm));
    let of_class = |class: &PyTypeRef| {
        let attributes = class.attributes().attributes(&vm.ctx).into_iter();
        let mut found: Vec<_> =
            attributes.filter(|(_, it)| it.class().is(vm.ctx.types.member_descriptor_type)).collect();
        found.sort_by_key(|(name, _)| name.as_str());
        found.into_iter().filter_map(|(_, it)| held(it)).collect::<Vec<_>>()
    };
    native.flat_map(of_class).collect()
}

/// Whether the text of an exception is made of more than its arguments.
pub(crate) fn has_own_text(exception: &PyObject, vm: &VirtualMachine) -> bool {
    let text = |class: &Py<PyType>| class.get_attr(vm.ctx.intern_str("__str__")).map(|it| it.get_id());
    text(exception.class()) != text(vm.ctx.exceptions.base_exception_type)
}

/// An exception of a class that carries these; nothing of the program runs.
///
/// # Errors
/// What the class raises.
pub(crate) fn exception(
    class: &PyTypeRef,
    args: Vec<PyObjectRef>,
    members: Vec<Member>,
    vm: &VirtualMachine,
) -> PyResult<PyBaseExceptionRef> {
    if class.fast_issubclass(vm.ctx.exceptions.base_exception_group) {
        // It looks at its arguments there.
        return new(class, args.into(), vm);
    }
    if is_simple(class, vm) {
        return Ok(vm.new_exception(class.clone(), args));
    }
    let exception = new(class, FuncArgs::default(), vm)?;
    let all = vm.ctx.exceptions.base_exception_type.get_attr(vm.ctx.intern_str("args"));
    let all = all.map(|it| (it, vm.ctx.new_tuple(args).into()));
    for (descriptor, value) in all.into_iter().chain(members) {
        if let Some(set) = descriptor.class().slots.descr_set.load() {
            set(&descriptor, exception.as_object().to_owned(), PySetterValue::Assign(value), vm)?;
        }
    }
    Ok(exception)
}

/// Whether the context of an exception is not shown.
pub(crate) fn suppresses_context(exception: &PyObject, vm: &VirtualMachine) -> bool {
    let value = suppression(vm).and_then(|it| {
        let get = it.class().slots.descr_get.load()?;
        get(&it, Some(exception), Some(exception.class().as_object()), vm).ok()
    });
    value.is_some_and(|it| it.is(&vm.ctx.true_value))
}

/// Says whether it is shown.
pub(crate) fn suppress_context(exception: &PyObject, suppresses: bool, vm: &VirtualMachine) {
    if let Some(descriptor) = suppression(vm)
        && let Some(set) = descriptor.class().slots.descr_set.load()
    {
        // It is a bool: nothing is wrong with it.
        let _ = set(&descriptor, exception.to_owned(), PySetterValue::Assign(vm.ctx.new_bool(suppresses).into()), vm);
    }
}

fn suppression(vm: &VirtualMachine) -> Option<PyObjectRef> {
    vm.ctx.exceptions.base_exception_type.get_attr(vm.ctx.intern_str("__suppress_context__"))
}

/// What the native `__new__` of an exception's class gives.
///
/// # Errors
/// What that raises.
pub(crate) fn new(class: &PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult<PyBaseExceptionRef> {
    match class.slots.new.load() {
        Some(new) => new(class.clone(), args, vm)?.downcast::<PyBaseException>(),
        None => Err(class.clone().into()),
    }
    .map_err(|it| vm.new_type_error(format!("no exception is made by '{}'", it.class().name())))
}

/// Whether exceptions of a class have no members of their own.
fn is_simple(class: &Py<PyType>, vm: &VirtualMachine) -> bool {
    class.slots.basicsize == vm.ctx.exceptions.base_exception_type.slots.basicsize
}

fn is_native(class: &Py<PyType>) -> bool {
    !class.slots.flags.has_feature(PyTypeFlags::HEAPTYPE)
}
