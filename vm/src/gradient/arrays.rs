//! Derivatives by arrays of results that are arrays: many calls of the same code, one for each element.
//!
//! What goes through arguments and results, and puts elements together, is Python (`gradient/helpers.py`): it is not
//! captured, and runs around the compiled code.

use rustpython_vm::builtins::{PyDict, PyDictRef, PyFunction, PyList, PyStr, PyTuple};
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::{Py, PyObjectRef, PyResult, VirtualMachine};

use crate::callable::{Argnums, Derivative, Step, Way, kept};
use crate::helper;
use crate::tensor;

/// Whether there is an array of floats in one of these objects.
pub(super) fn any(objects: &[PyObjectRef]) -> bool {
    objects.iter().any(|object| {
        if let Some(found) = tensor::of(object) {
            return found.dtype().is_float();
        }
        if let Some(tuple) = object.downcast_ref::<PyTuple>() {
            return any(tuple.as_slice());
        }
        if let Some(list) = object.downcast_ref::<PyList>() {
            return any(&list.borrow_vec());
        }
        let dict = object.downcast_ref::<PyDict>().map(|it| it.to_owned()).or_else(|| {
            match object.downcast_ref::<PyFunction>() {
                Some(_) => None,
                None => object.dict(),
            }
        });
        dict.is_some_and(|dict| any(&dict.items_vec().into_iter().map(|(_, value)| value).collect::<Vec<_>>()))
    })
}

/// The arguments of a call.
pub(super) fn arguments(args: &Py<PyTuple>, kwargs: &Py<PyDict>, vm: &VirtualMachine) -> PyResult<FuncArgs> {
    let mut named = Vec::new();
    for (name, value) in kwargs.items_vec() {
        let name = name.downcast::<PyStr>().map_err(|_| vm.new_type_error("keywords must be strings"))?;
        named.push((name.to_string_lossy().into_owned(), value));
    }
    Ok(FuncArgs::new(args.as_slice().to_vec(), KwArgs::from_iter(named)))
}

fn keywords(args: &FuncArgs, vm: &VirtualMachine) -> PyResult<PyDictRef> {
    let dict = vm.ctx.new_dict();
    for (name, value) in &args.kwargs {
        dict.set_item(&**name, value.clone(), vm)?;
    }
    Ok(dict)
}

/// All derivatives of a result that may hold arrays.
pub(super) fn jacobian(of: &Py<Derivative>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let last = of.steps().last().expect("it has been asked which it is");
    let inner = of.inner(vm)?;
    let (is_single, argnums) = match &last.argnums {
        Argnums::One(argnum) => (true, vec![*argnum]),
        Argnums::Some(argnums) => (false, argnums.clone()),
        Argnums::All(count) => (false, (0..*count as i64).collect()),
    };
    let step = |way| Step { way, argnums: last.argnums.clone(), has_aux: last.has_aux, name: last.name };
    let (name, way) = if last.way == Way::Forward { ("jacfwd", Way::Along) } else { ("jacrev", Way::Back) };
    let plain = kept(&inner, step(Way::Plain), vm)?;
    let along = kept(&inner, step(way), vm)?;
    let argnums = argnums.into_iter().map(|it| vm.ctx.new_int(it).into()).collect();
    let all: Vec<PyObjectRef> = vec![
        plain.into(),
        along.into(),
        vm.ctx.new_tuple(args.args.clone()).into(),
        keywords(&args, vm)?.into(),
        vm.ctx.new_tuple(argnums).into(),
        vm.ctx.new_bool(is_single).into(),
        vm.ctx.new_bool(last.has_aux).into(),
    ];
    helper::named(name, vm)?.call(FuncArgs::from(all), vm)
}

/// `vjp` and `linearize` of arguments among which are arrays.
pub(super) fn linear(
    name: &'static str,
    callable: &PyObjectRef,
    primals: Vec<PyObjectRef>,
    has_aux: bool,
    vm: &VirtualMachine,
) -> PyResult {
    let step = |way| Step { way, argnums: Argnums::All(primals.len()), has_aux, name };
    let plain = kept(callable, step(Way::Plain), vm)?;
    let along = kept(callable, step(if name == "vjp" { Way::Back } else { Way::Along }), vm)?;
    let has_aux = vm.ctx.new_bool(has_aux).into();
    let all: Vec<PyObjectRef> = vec![plain.into(), along.into(), vm.ctx.new_tuple(primals).into(), has_aux];
    helper::named(name, vm)?.call(FuncArgs::from(all), vm)
}
