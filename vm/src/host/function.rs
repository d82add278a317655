//! Python functions: their parts, binding a call's arguments, and making new ones.

mod bind;
mod make;

pub use bind::bind;
pub(crate) use make::bound;
pub use make::{given, make_function, new_function, set_function_attribute};

use super::descriptor::Attribute;
use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine,
    builtins::{PyBoundMethod, PyCode, PyDict, PyDictRef, PyFunction, PyStr, PyStrRef, PyTuple, PyTupleRef},
    bytecode::CodeFlags,
    function::FuncArgs,
};
use std::sync::OnceLock;

/// What calling a Python function needs to know.
#[derive(Clone, Debug)]
pub struct FunctionParts {
    /// The body.
    pub code: PyRef<PyCode>,
    /// The module's namespace.
    pub globals: PyDictRef,
    /// Where names are looked up that are not in `globals`; a dict unless somebody replaced it.
    pub builtins: PyObjectRef,
    /// Defaults of the last positional parameters.
    pub defaults: Option<PyTupleRef>,
    /// Defaults of keyword-only parameters.
    pub kwdefaults: Option<PyDictRef>,
    /// The cells of the free variables, in the order of `code.freevars`.
    pub closure: Vec<PyObjectRef>,
    /// The name that messages use.
    pub qualname: PyStrRef,
}

/// The attributes of function objects that make up [`FunctionParts`].
struct Attributes {
    code: Attribute,
    globals: Attribute,
    builtins: Attribute,
    defaults: Attribute,
    kwdefaults: Attribute,
    closure: Attribute,
    qualname: Attribute,
}

fn attributes(vm: &VirtualMachine) -> &'static Attributes {
    static ATTRIBUTES: OnceLock<Attributes> = OnceLock::new();
    ATTRIBUTES.get_or_init(|| {
        let attribute = |name| Attribute::new(vm.ctx.types.function_type, name, vm);
        Attributes {
            code: attribute("__code__"),
            globals: attribute("__globals__"),
            builtins: attribute("__builtins__"),
            defaults: attribute("__defaults__"),
            kwdefaults: attribute("__kwdefaults__"),
            closure: attribute("__closure__"),
            qualname: attribute("__qualname__"),
        }
    })
}

/// Whether this is exactly a Python function (not a method, a native function or a class).
#[inline]
pub fn is_function(obj: &PyObject, vm: &VirtualMachine) -> bool {
    obj.class().is(vm.ctx.types.function_type)
}

/// The parts of a Python function; `None` for every other object.
pub fn parts(func: &PyObject, vm: &VirtualMachine) -> PyResult<Option<FunctionParts>> {
    if !is_function(func, vm) {
        return Ok(None);
    }
    let attributes = attributes(vm);
    let optional = |attribute: &Attribute| attribute.get(func, vm).map(|value| (!vm.is_none(&value)).then_some(value));
    let closure = optional(&attributes.closure)?.map(known::<PyTuple>);
    Ok(Some(FunctionParts {
        code: known(attributes.code.get(func, vm)?),
        globals: known::<PyDict>(attributes.globals.get(func, vm)?),
        builtins: attributes.builtins.get(func, vm)?,
        defaults: optional(&attributes.defaults)?.map(known::<PyTuple>),
        kwdefaults: optional(&attributes.kwdefaults)?.map(known::<PyDict>),
        closure: closure.map_or_else(Vec::new, |cells| cells.as_slice().to_vec()),
        qualname: known::<PyStr>(attributes.qualname.get(func, vm)?),
    }))
}

/// The code of a Python function, without its other parts.
pub fn code(func: &PyObject, vm: &VirtualMachine) -> Option<PyRef<PyCode>> {
    is_function(func, vm)
        .then(|| attributes(vm).code.get(func, vm).map(known::<PyCode>).expect("every function has its code"))
}

/// Whether a call of one function is a call of the other: they have the same code, names, variables and defaults.
pub(crate) fn does_the_same(one: &PyObject, other: &PyObject, vm: &VirtualMachine) -> bool {
    if one.is(other) || !is_function(one, vm) || !is_function(other, vm) {
        return one.is(other);
    }
    let attributes = attributes(vm);
    let is_same = |attribute: &Attribute| match (attribute.get(one, vm), attribute.get(other, vm)) {
        (Ok(one), Ok(other)) => one.is(&other),
        _ => false,
    };
    let cells = |func| parts(func, vm).ok().flatten().map(|parts| parts.closure);
    let has_same_cells = || match (cells(one), cells(other)) {
        (Some(one), Some(other)) => one.iter().map(|it| it.get_id()).eq(other.iter().map(|it| it.get_id())),
        _ => false,
    };
    let name = |func| attributes.qualname.get(func, vm).map(known::<PyStr>);
    let has_same_name = || matches!((name(one), name(other)), (Ok(one), Ok(other)) if one.as_wtf8() == other.as_wtf8());
    let Attributes { code, globals, builtins, defaults, kwdefaults, closure, qualname: _ } = attributes;
    [code, globals, builtins, defaults, kwdefaults].into_iter().all(is_same)
        && (is_same(closure) || has_same_cells())
        && has_same_name()
}

/// The version of a function, 0 if it has none; and how many arguments it takes, if these are positional and no others
/// are taken. As long as the version is the same, `PyFunction::invoke_exact_args` calls it with so many.
pub fn exact(func: &PyObject, vm: &VirtualMachine) -> (u32, Option<usize>) {
    let Some(function) = func.downcast_ref_if_exact::<PyFunction>(vm) else { return (0, None) };
    let version = function.get_version_for_current_state();
    let variadic = CodeFlags::VARARGS | CodeFlags::VARKEYWORDS;
    let count = code(func, vm).and_then(|it| {
        let (code, flags) = (&it.code, it.code.flags);
        let is_exact = flags.contains(CodeFlags::OPTIMIZED) && !flags.intersects(variadic) && code.kwonlyarg_count == 0;
        is_exact.then_some(code.arg_count as usize)
    });
    (version, count)
}

/// Calls a function with what [`bind`] has made of its arguments.
pub fn call_bound(func: &PyObject, locals: Vec<Option<PyObjectRef>>, vm: &VirtualMachine) -> PyResult {
    let code = code(func, vm).ok_or_else(|| vm.new_type_error("this is no Python function"))?;
    let code = &code.code;
    let mut bound = locals.into_iter();
    let mut args =
        FuncArgs { args: bound.by_ref().take(code.arg_count as usize).flatten().collect(), ..FuncArgs::default() };
    let names = code.varnames.iter().skip(code.arg_count as usize);
    for (name, value) in names.zip(bound.by_ref().take(code.kwonlyarg_count as usize)) {
        args.kwargs.extend(value.map(|value| (name.as_wtf8().to_owned(), value)));
    }
    if code.flags.contains(CodeFlags::VARARGS)
        && let Some(tuple) = bound.next().flatten().and_then(|it| it.downcast::<PyTuple>().ok())
    {
        args.args.extend(tuple.iter().cloned());
    }
    if code.flags.contains(CodeFlags::VARKEYWORDS)
        && let Some(dict) = bound.next().flatten().and_then(|it| it.downcast::<PyDict>().ok())
    {
        for (name, value) in &dict {
            let name: PyStrRef = name.try_into_value(vm)?;
            args.kwargs.insert(name.as_wtf8().to_owned(), value);
        }
    }
    func.call(args, vm)
}

/// A value whose class the attribute's type in RustPython guarantees.
fn known<T: PyPayload>(value: PyObjectRef) -> PyRef<T> {
    value.downcast().expect("the attribute's type is fixed in rustpython-vm")
}

/// `receiver.method`, as reading a function through an instance gives it.
pub fn bound_method(function: PyObjectRef, receiver: PyObjectRef, vm: &VirtualMachine) -> PyObjectRef {
    PyBoundMethod::new(receiver, function).into_ref(&vm.ctx).into()
}

/// The function and the receiver of a bound method of Python code.
pub fn unpack_bound_method(obj: &PyObject, vm: &VirtualMachine) -> Option<(PyObjectRef, PyObjectRef)> {
    static ATTRIBUTES: OnceLock<(Attribute, Attribute)> = OnceLock::new();
    obj.class().is(vm.ctx.types.bound_method_type).then(|| {
        let (func, receiver) = ATTRIBUTES.get_or_init(|| {
            let attribute = |name| Attribute::new(vm.ctx.types.bound_method_type, name, vm);
            (attribute("__func__"), attribute("__self__"))
        });
        let get = |attribute: &Attribute| attribute.get(obj, vm).expect("a bound method has both");
        (get(func), get(receiver))
    })
}

/// The names of a code object's fast locals, by slot.
pub fn slot_name(code: &Py<PyCode>, slot: usize) -> &'static str {
    let locals = code.varnames.len();
    if let Some(name) = code.varnames.get(slot) {
        return name.as_str();
    }
    // Cells that are not also parameters or locals follow, then the free variables.
    let cells = code.cellvars.iter().filter(|cell| !code.varnames.iter().any(|name| name.is(**cell)));
    cells.chain(code.freevars.iter()).nth(slot - locals).map_or("?", |name| name.as_str())
}

#[cfg(test)]
mod tests;
