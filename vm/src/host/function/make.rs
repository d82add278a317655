//! Making functions: MAKE_FUNCTION and the SET_FUNCTION_ATTRIBUTEs that follow it.
//!
//! RustPython's evaluator writes into the function it has just made. From outside, defaults and
//! closure can only be given to the constructor (assigning defaults later works, but switches off
//! the function's call specialisation for good), so the preferred way is [`make_function`] with all
//! attributes at once; [`set_function_attribute`] is for an evaluator that sees them one by one.

use super::{super::descriptor::Attribute, FunctionParts, known};
use crate::host::cell::new_cell;
use rustpython_vm::{
    PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine,
    builtins::{PyCode, PyDictRef, PyFunction},
    bytecode::oparg::MakeFunctionFlag,
    function::{FuncArgs, KwArgs, PySetterValue},
    types::Constructor,
};
use std::sync::OnceLock;

/// MAKE_FUNCTION: a function of this code, with no defaults.
///
/// Free variables get new, empty cells until [`set_function_attribute`] brings the closure.
pub fn new_function(code: PyRef<PyCode>, globals: PyDictRef, vm: &VirtualMachine) -> PyResult {
    make_function(code, globals, &[], vm)
}

/// MAKE_FUNCTION together with the SET_FUNCTION_ATTRIBUTEs after it.
///
/// The function's builtins are `globals["__builtins__"]`, or those of the innermost frame that
/// RustPython knows; its `__module__` is `globals["__name__"]`.
pub fn make_function(
    code: PyRef<PyCode>,
    globals: PyDictRef,
    attributes: &[(MakeFunctionFlag, PyObjectRef)],
    vm: &VirtualMachine,
) -> PyResult {
    let mut named: Vec<(&str, PyObjectRef)> = Vec::new();
    let mut later = Vec::new();
    let mut has_closure = code.freevars.is_empty();
    for (flag, value) in attributes {
        match flag {
            MakeFunctionFlag::Defaults => named.push(("argdefs", value.clone())),
            MakeFunctionFlag::KwOnlyDefaults => named.push(("kwdefaults", value.clone())),
            MakeFunctionFlag::Closure => {
                has_closure = true;
                named.push(("closure", value.clone()));
            }
            MakeFunctionFlag::Annotations | MakeFunctionFlag::Annotate | MakeFunctionFlag::TypeParams => {
                later.push((*flag, value));
            }
        }
    }
    if !has_closure {
        let cells = code.freevars.iter().map(|_| new_cell(None, vm)).collect();
        named.push(("closure", vm.ctx.new_tuple(cells).into()));
    }
    let mut args = FuncArgs::from(vec![code.into(), globals.into()]);
    if !named.is_empty() {
        args.kwargs = named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<KwArgs>();
    }
    let class = vm.ctx.types.function_type;
    let function: PyObjectRef = PyFunction::py_new(class, args.bind(vm)?, vm)?.into_ref(&vm.ctx).into();
    for (flag, value) in later {
        setter(flag, vm).set(&function, PySetterValue::Assign(value.clone()), vm)?;
    }
    Ok(function)
}

/// SET_FUNCTION_ATTRIBUTE: the function to go on with.
///
/// It is `function` itself, except for [`MakeFunctionFlag::Closure`], defaults and keyword defaults:
/// these make a new function that has everything that the bytecode can have given the old one.
pub fn set_function_attribute(
    function: PyObjectRef,
    flag: MakeFunctionFlag,
    value: PyObjectRef,
    vm: &VirtualMachine,
) -> PyResult {
    match flag {
        MakeFunctionFlag::Annotations | MakeFunctionFlag::Annotate | MakeFunctionFlag::TypeParams => {
            setter(flag, vm).set(&function, PySetterValue::Assign(value), vm)?;
            Ok(function)
        }
        MakeFunctionFlag::Closure | MakeFunctionFlag::Defaults | MakeFunctionFlag::KwOnlyDefaults => {
            let mut attributes = given(&function, vm)?;
            attributes.retain(|(other, _)| *other != flag);
            attributes.push((flag, value));
            let parts = super::parts(&function, vm)?
                .ok_or_else(|| vm.new_system_error("SET_FUNCTION_ATTRIBUTE on something that is not a function"))?;
            make_function(parts.code, parts.globals, &attributes, vm)
        }
    }
}

/// What the bytecode has given a function so far.
pub fn given(function: &PyObject, vm: &VirtualMachine) -> PyResult<Vec<(MakeFunctionFlag, PyObjectRef)>> {
    let Some(parts) = super::parts(function, vm)? else { return Ok(Vec::new()) };
    let mut attributes = bound(&parts, vm);
    let type_params = setter(MakeFunctionFlag::TypeParams, vm).get(function, vm)?;
    if !known::<rustpython_vm::builtins::PyTuple>(type_params.clone()).as_slice().is_empty() {
        attributes.push((MakeFunctionFlag::TypeParams, type_params));
    }
    let annotate = setter(MakeFunctionFlag::Annotate, vm).get(function, vm)?;
    if !vm.is_none(&annotate) {
        attributes.push((MakeFunctionFlag::Annotate, annotate));
    }
    Ok(attributes)
}

/// What a call of a function binds beside its arguments: defaults and closure.
pub(crate) fn bound(parts: &FunctionParts, vm: &VirtualMachine) -> Vec<(MakeFunctionFlag, PyObjectRef)> {
    let mut attributes = Vec::new();
    if let Some(defaults) = &parts.defaults {
        attributes.push((MakeFunctionFlag::Defaults, defaults.clone().into()));
    }
    if let Some(kwdefaults) = &parts.kwdefaults {
        attributes.push((MakeFunctionFlag::KwOnlyDefaults, kwdefaults.clone().into()));
    }
    if !parts.closure.is_empty() {
        attributes.push((MakeFunctionFlag::Closure, vm.ctx.new_tuple(parts.closure.clone()).into()));
    }
    attributes
}

/// The attribute that a flag assigns, for flags that can be assigned after construction.
fn setter(flag: MakeFunctionFlag, vm: &VirtualMachine) -> &'static Attribute {
    static SETTERS: OnceLock<[Attribute; 3]> = OnceLock::new();
    let [annotations, annotate, type_params] = SETTERS.get_or_init(|| {
        ["__annotations__", "__annotate__", "__type_params__"]
            .map(|name| Attribute::new(vm.ctx.types.function_type, name, vm))
    });
    match flag {
        MakeFunctionFlag::Annotations => annotations,
        MakeFunctionFlag::Annotate => annotate,
        MakeFunctionFlag::TypeParams => type_params,
        MakeFunctionFlag::Defaults | MakeFunctionFlag::KwOnlyDefaults | MakeFunctionFlag::Closure => {
            unreachable!("defaults and closure are given to the constructor")
        }
    }
}
