//! Linear functions: what `vjp` and `linearize` give besides the result.
//!
//! Both hold all derivatives of the result, a row for each float in it; what they compute is a product with these.

use rustpython_vm::builtins::PyTuple;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::Callable;
use rustpython_vm::{Py, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};

use super::arrays;
use crate::callable::{Argnums, Step, Way, kept};
use crate::differentiate::{floats, with_floats};
use crate::staging_error::bug;

/// A linear function.
#[pyclass(module = "snekpy", name = "Linear")]
#[derive(Debug, PyPayload)]
pub(crate) struct Linear {
    /// Whether it takes cotangents of the result, and not tangents of the arguments.
    back: bool,
    /// The derivatives of each float in the result; none of one that is known.
    rows: Vec<Option<Vec<f64>>>,
    /// The result.
    value: PyObjectRef,
    /// Something of the shape of the arguments.
    arguments: PyObjectRef,
}

#[pyclass(with(Callable))]
impl Linear {}

impl Callable for Linear {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let mut given = Vec::new();
        let wanted = if zelf.back { zelf.rows.len() } else { width(&zelf.arguments, vm)? };
        for arg in &args.args {
            floats(arg, &mut given, vm)?;
        }
        if !args.kwargs.is_empty() || given.len() != wanted || zelf.back && args.args.len() != 1 {
            let of = if zelf.back { "result" } else { "arguments" };
            let message = format!("expected the shape of the {of}, with {wanted} floats, found {} floats", given.len());
            return Err(vm.new_type_error(message));
        }
        if zelf.back {
            let sums = (0..width(&zelf.arguments, vm)?).map(|index| {
                let rows = zelf.rows.iter().zip(&given).filter_map(|(row, ct)| Some(row.as_ref()?[index] * ct));
                rows.reduce(|a, b| a + b).unwrap_or(0.0)
            });
            return with_floats(&zelf.arguments, &mut sums.collect::<Vec<_>>().into_iter(), vm);
        }
        let product = |row: &Vec<f64>| row.iter().zip(&given).map(|(d, t)| d * t).reduce(|a, b| a + b);
        let sums = zelf.rows.iter().map(|row| row.as_ref().and_then(product));
        with_floats(&zelf.value, &mut sums.map(|it| it.unwrap_or(0.0)).collect::<Vec<_>>().into_iter(), vm)
    }
}

fn width(arguments: &PyObjectRef, vm: &VirtualMachine) -> PyResult<usize> {
    let mut zeros = Vec::new();
    floats(arguments, &mut zeros, vm)?;
    Ok(zeros.len())
}

const fn step_of(count: usize, has_aux: bool, name: &'static str) -> Step {
    Step { way: Way::Rows, argnums: Argnums::All(count), has_aux, name }
}

/// Whether a function was refused, before it has run, because its result holds arrays.
fn gives_arrays(
    callable: &PyObjectRef,
    count: usize,
    has_aux: bool,
    name: &'static str,
    vm: &VirtualMachine,
) -> PyResult<bool> {
    Ok(kept(callable, step_of(count, has_aux, name), vm)?.gives_arrays())
}

/// The result, and the derivatives of each float in it by all arguments.
fn rows(
    callable: PyObjectRef,
    primals: Vec<PyObjectRef>,
    has_aux: bool,
    back: bool,
    name: &'static str,
    vm: &VirtualMachine,
) -> PyResult<(PyObjectRef, PyRef<Linear>, PyObjectRef)> {
    let result = kept(&callable, step_of(primals.len(), has_aux, name), vm)?.call_with(primals.into(), &[], vm)?;
    let parts = result.downcast_ref::<PyTuple>().map(|it| it.as_slice().to_vec());
    let Some([value, aux, rows, arguments]) = parts.as_deref() else {
        return Err(bug(vm, "all derivatives have another shape"));
    };
    let lines = rows.downcast_ref::<PyTuple>().map(|it| it.as_slice().to_vec()).unwrap_or_default();
    let mut found = Vec::new();
    for line in &lines {
        let mut row = Vec::new();
        floats(line, &mut row, vm)?;
        found.push((!vm.is_none(line)).then_some(row));
    }
    // A list of any length has its zeros in the rows.
    let arguments = lines.iter().find(|line| !vm.is_none(line)).unwrap_or(arguments).clone();
    let linear = Linear { back, rows: found, value: value.clone(), arguments };
    Ok((value.clone(), linear.into_ref(&vm.ctx), aux.clone()))
}

/// `vjp(f, *primals, has_aux=False)`.
pub(crate) fn vjp(callable: PyObjectRef, primals: Vec<PyObjectRef>, has_aux: bool, vm: &VirtualMachine) -> PyResult {
    linear("vjp", true, callable, primals, has_aux, vm)
}

/// `linearize(f, *primals)`.
pub(crate) fn linearize(callable: PyObjectRef, primals: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
    linear("linearize", false, callable, primals, false, vm)
}

fn linear(
    name: &'static str,
    back: bool,
    callable: PyObjectRef,
    primals: Vec<PyObjectRef>,
    has_aux: bool,
    vm: &VirtualMachine,
) -> PyResult {
    if arrays::any(&primals) {
        return arrays::linear(name, &callable, primals, has_aux, vm);
    }
    let all = rows(callable.clone(), primals.clone(), has_aux, back, name, vm);
    if all.is_err() && gives_arrays(&callable, primals.len(), has_aux, name, vm)? {
        return arrays::linear(name, &callable, primals, has_aux, vm);
    }
    let (value, linear, aux) = all?;
    let mut parts = vec![value, linear.into()];
    if has_aux {
        parts.push(aux);
    }
    Ok(vm.ctx.new_tuple(parts).into())
}
