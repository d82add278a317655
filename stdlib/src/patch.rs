//! What RustPython's library does in another way than CPython's, and can be mended from outside.

use rustpython_vm::builtins::{
    PyDictRef, PyModule, PyModuleDef, PyModuleSlots, PyStr, PyStrRef, PyTuple, PyTupleRef, PyType, PyTypeRef,
};
use rustpython_vm::function::{FuncArgs, ItemDoc, KwArgs, PyMethodDef, PyMethodFlags};
use rustpython_vm::{AsObject, Py, PyObject, PyRef, PyResult, VirtualMachine};
use std::sync::OnceLock;

/// Mends what is there in every interpreter.
pub(crate) fn install(vm: &VirtualMachine) -> PyResult<()> {
    let exit =
        EXIT.to_function().with_module(vm.ctx.intern_str("sys")).with_module_object(vm.sys_module.clone().into());
    vm.sys_module.set_attr("exit", exit.into_ref(&vm.ctx), vm)?;
    notice_interrupts(vm)?;
    mend_partial(vm)
}

/// A `partial` of a `partial` has keywords of its own: RustPython's adds them to those of the first.
fn mend_partial(vm: &VirtualMachine) -> PyResult<()> {
    let class = vm.import("_functools", 0)?.get_attr("partial", vm)?;
    if let Some(class) = class.downcast_ref::<PyType>() {
        PARTIAL.get_or_init(|| class.slots.new.load().map(|new| (class.to_owned(), new)));
        class.slots.new.store(Some(new_partial));
    }
    Ok(())
}

type New = fn(PyTypeRef, FuncArgs, &VirtualMachine) -> PyResult;

/// The class and RustPython's constructor.
static PARTIAL: OnceLock<Option<(PyTypeRef, New)>> = OnceLock::new();

fn new_partial(class: PyTypeRef, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let Some(Some((native, new))) = PARTIAL.get() else { return Err(vm.new_type_error("no partial is made")) };
    if let Some(inner) = args.args.first_mut().filter(|it| it.fast_isinstance(native)) {
        let part = |name| inner.get_attr(name, vm);
        let mut given = vec![part("func")?];
        given.extend(part("args")?.try_into_value::<PyTupleRef>(vm)?.iter().cloned());
        let keywords = part("keywords")?.try_into_value::<PyDictRef>(vm)?;
        let named = keywords.into_iter().map(|(name, value)| Ok((name.try_into_value::<PyStrRef>(vm)?, value)));
        let named = named.collect::<PyResult<Vec<_>>>()?;
        let named = named.into_iter().map(|(name, value)| (name.as_wtf8().to_owned(), value)).collect();
        *inner = new(native.clone(), FuncArgs::new(given, KwArgs::new(named)), vm)?;
    }
    new(class, args, vm)
}

/// `_thread.interrupt_main()` sends no signal that compiled code would hear of: it is told.
fn notice_interrupts(vm: &VirtualMachine) -> PyResult<()> {
    const NAME: &str = "interrupt_main";
    let module = vm.import("_thread", 0)?;
    let original = module.get_attr(NAME, vm)?;
    let interrupt = move |args: FuncArgs, vm: &VirtualMachine| -> PyResult {
        let given = original.call(args, vm)?;
        snekpy_vm::note_signal();
        Ok(given)
    };
    module.set_attr(NAME, vm.new_function(NAME, interrupt), vm)
}

static EXIT: PyMethodDef = PyMethodDef::new_const("exit", exit, PyMethodFlags::empty(), ItemDoc::NONE);

/// `sys.exit()` raises `SystemExit` without arguments; RustPython's has a None among them.
fn exit(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    if !args.kwargs.is_empty() {
        return Err(vm.new_type_error("sys.exit() takes no keyword arguments"));
    }
    let args = match args.args.as_slice() {
        [] => Vec::new(),
        [status] if vm.is_none(status) => Vec::new(),
        [status] => match status.downcast_ref::<PyTuple>() {
            Some(arguments) => arguments.as_slice().to_vec(),
            None => vec![status.clone()],
        },
        more => return Err(vm.new_type_error(format!("exit expected at most 1 argument, got {}", more.len()))),
    };
    Err(vm.new_system_exit(args.into()))
}

/// Native modules, with what is mended when they are imported.
pub(crate) fn modules(modules: Vec<&'static PyModuleDef>) -> Vec<&'static PyModuleDef> {
    modules
        .into_iter()
        .map(|module| if module.name.as_str() == "array" { array_module(module) } else { module })
        .collect()
}

/// RustPython's module `array`, and ours: the same for all interpreters.
static ARRAY: OnceLock<[&'static PyModuleDef; 2]> = OnceLock::new();

/// Numbers in the text of an array are Python's: RustPython writes `0` for `0.0`, and `NaN`.
fn array_module(original: &'static PyModuleDef) -> &'static PyModuleDef {
    let [_, ours] = ARRAY.get_or_init(|| {
        let ours = PyModuleDef {
            name: original.name,
            doc: original.doc,
            methods: original.methods,
            slots: PyModuleSlots { create: original.slots.create, exec: Some(exec_array) },
        };
        [original, Box::leak(Box::new(ours))]
    });
    ours
}

fn exec_array(vm: &VirtualMachine, module: &Py<PyModule>) -> PyResult<()> {
    if let Some(exec) = ARRAY.get().and_then(|[original, _]| original.slots.exec) {
        exec(vm, module)?;
    }
    let class = module.get_attr("array", vm)?;
    if let Some(class) = class.downcast_ref::<PyType>() {
        REPR.get_or_init(|| class.slots.repr.load());
        class.slots.repr.store(Some(array_repr));
    }
    Ok(())
}

type Repr = fn(&PyObject, &VirtualMachine) -> PyResult<PyRef<PyStr>>;

static REPR: OnceLock<Option<Repr>> = OnceLock::new();

fn array_repr(array: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
    let class = vm.class("array", "array");
    let of_class = |name: &'static str| -> PyResult {
        let attribute = class.get_attr(vm.ctx.intern_str(name)).expect("every array has it");
        vm.call_if_get_descriptor(&attribute, array.to_owned())
    };
    let code = of_class("typecode")?.str(vm)?;
    if matches!(code.as_bytes(), b"f" | b"d") && array.length(vm)? > 0 {
        let items = of_class("tolist")?.call((), vm)?.repr(vm)?;
        return Ok(vm.ctx.new_str(format!("{}('{code}', {items})", array.class().name())));
    }
    match REPR.get() {
        Some(Some(original)) => original(array, vm),
        Some(None) | None => Err(vm.new_type_error("an array has no text")),
    }
}
