//! Functions over an index space, as Python sees them: `parallel`, `parallel_sum` and `kernel`.
//!
//! A function of scalars is captured once for the types of its arguments ([`make`]), becomes a
//! [`Kernel`](snekpy_stage::kernel::Kernel) and runs for all indices on some target ([`launch`]): this processor's
//! threads, a GPU, or the simulation of one. It means the loop in order: where the function would raise, the plain
//! function is called at the lowest index that failed, and raises.

mod arrays;
mod launch;
mod make;
mod object;
mod results;

use std::sync::Arc;

use rustpython_vm::builtins::{PyInt, PyStr};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};
use snekpy_stage::kernel::MAX_RANK;
use snekpy_stage::tensor::Dtype;

use crate::config;

pub(crate) use make::Made;
pub(crate) use object::KernelObject;

/// What a kernel is made of.
#[derive(Clone)]
struct Request {
    func: PyObjectRef,
    shape: Vec<u64>,
    /// What the function takes besides the index.
    args: Vec<PyObjectRef>,
    dtype: Option<Dtype>,
    target: String,
    /// Whether floats may be computed in other ways than written.
    fast: bool,
    is_sum: bool,
}

/// `parallel(f, shape, *args, dtype=None, target="cpu", fast=False)`.
pub(crate) fn parallel(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let request = Request::new(args, "parallel", false, vm)?;
    call(&request, vm)
}

/// `parallel_sum(f, n, *args, target="cpu", fast=False)`.
pub(crate) fn parallel_sum(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let request = Request::new(args, "parallel_sum", true, vm)?;
    call(&request, vm)
}

/// `kernel(f, shape, *args, dtype=None, target="cpu", fast=False)`.
pub(crate) fn kernel(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let request = Request::new(args, "kernel", false, vm)?;
    let made = Arc::new(Made::new(&request, vm)?);
    Ok(KernelObject::new(made, request).into_ref(&vm.ctx).into())
}

fn call(request: &Request, vm: &VirtualMachine) -> PyResult {
    if !config::config(vm).enabled || config::is_disabled() {
        return launch::plainly(request, vm);
    }
    let made = Made::known(request, vm)?;
    launch::run(&made, request, vm)
}

impl Request {
    fn new(mut args: FuncArgs, name: &str, is_sum: bool, vm: &VirtualMachine) -> PyResult<Self> {
        let target = match args.take_keyword("target") {
            Some(target) => text(&target, "target", vm)?,
            None => "cpu".to_owned(),
        };
        let dtype = match args.take_keyword("dtype").filter(|it| !vm.is_none(it)) {
            Some(dtype) if !is_sum => Some(dtype_of(&dtype, vm)?),
            Some(_) => return Err(vm.new_type_error(format!("{name}() has no dtype"))),
            None => None,
        };
        let fast = args.take_keyword("fast").map_or(Ok(false), |it| it.try_to_bool(vm))?;
        if let Some(keyword) = args.kwargs.keys().next() {
            return Err(vm.new_type_error(format!("{name}() got an unexpected keyword argument '{keyword}'")));
        }
        let mut positional = args.args.into_iter();
        let (Some(func), Some(shape)) = (positional.next(), positional.next()) else {
            return Err(vm.new_type_error(format!("{name}() takes a function and a shape")));
        };
        Ok(Self { func, shape: shape_of(&shape, vm)?, args: positional.collect(), dtype, target, fast, is_sum })
    }

    /// The same kernel over other indices with other arguments.
    fn again(&self, shape: &PyObjectRef, args: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult<Self> {
        let shape = shape_of(shape, vm)?;
        if shape.len() != self.shape.len() {
            let (expected, found) = (self.shape.len(), shape.len());
            return Err(vm.new_type_error(format!("the kernel has {expected} dimensions, not {found}")));
        }
        Ok(Self { shape, args, ..self.clone() })
    }
}

fn text(object: &PyObjectRef, what: &str, vm: &VirtualMachine) -> PyResult<String> {
    match object.downcast_ref::<PyStr>() {
        Some(text) => Ok(text.to_string_lossy().into_owned()),
        None => Err(vm.new_type_error(format!("{what} must be a str, not {}", object.class().name()))),
    }
}

/// The dtype of a name, or of an object that has one, as those of `snekpy.numpy` do.
fn dtype_of(object: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Dtype> {
    let name = match object.downcast_ref::<PyStr>() {
        Some(_) => text(object, "dtype", vm)?,
        None => text(&object.get_attr("name", vm)?, "the name of a dtype", vm)?,
    };
    let found = match &*name {
        "d" => Some(Dtype::F64),
        "f" => Some(Dtype::F32),
        "q" => Some(Dtype::I64),
        "i" => Some(Dtype::I32),
        "B" => Some(Dtype::Bool),
        name => Dtype::from_name(name),
    };
    found.ok_or_else(|| {
        let names: Vec<String> = Dtype::ALL.iter().map(|it| format!("'{}'", it.name())).collect();
        vm.new_value_error(format!("no dtype '{name}': it is one of {}", names.join(", ")))
    })
}

fn shape_of(object: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Vec<u64>> {
    let extents: Vec<PyObjectRef> = match object.downcast_ref::<PyInt>() {
        Some(_) => vec![object.clone()],
        None => vm.extract_elements_with(object, Ok)?,
    };
    if !(1..=MAX_RANK).contains(&extents.len()) {
        return Err(vm.new_value_error(format!("a shape has 1 to {MAX_RANK} dimensions, not {}", extents.len())));
    }
    let extent = |it: &PyObjectRef| {
        let extent: i64 = it.clone().try_into_value(vm)?;
        u64::try_from(extent).map_err(|_| vm.new_value_error("a shape is not negative"))
    };
    let shape: Vec<u64> = extents.iter().map(extent).collect::<PyResult<_>>()?;
    match snekpy_stage::kernel::count(&shape) {
        Some(_) => Ok(shape),
        None => Err(vm.new_value_error("the shape is too large")),
    }
}
