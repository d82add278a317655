//! Derivatives of functions, as callables: what they differentiate, and how.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rustpython_vm::builtins::{PyDict, PyFunction};
use rustpython_vm::bytecode::CodeFlags;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};

use super::{Brought, Custom, unwrap, wrapped};
use crate::config::{self, StagingConfig};
use crate::host::function::FunctionParts;

/// Which arguments are differentiated by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Argnums {
    /// This one.
    One(i64),
    /// These.
    Some(Vec<i64>),
    /// The first so many.
    All(usize),
}

/// An argument.
pub(crate) struct Chosen {
    /// The local variable.
    pub(crate) local: usize,
    /// Which of the further positional arguments, if the variable holds those.
    pub(crate) item: Option<usize>,
}

/// What is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// The gradient of a float.
    Gradient,
    /// The float and its gradient.
    Value,
    /// All derivatives of all floats, backwards.
    Reverse,
    /// The same, forwards.
    Forward,
    /// The result, what is auxiliary, the gradient of each float in the result, and zeros.
    Rows,
    /// The result and its tangents, along tangents that are passed.
    Along,
    /// The result and the gradient, from cotangents that are passed.
    Back,
    /// The result, and the same shape with what says of each float whether it is a constant.
    Plain,
}

/// One differentiation.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) way: Way,
    pub(crate) argnums: Argnums,
    pub(crate) has_aux: bool,
    /// What the program has called.
    pub(crate) name: &'static str,
}

/// How often something is differentiated, and whether backwards at least once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Orders {
    pub(crate) count: usize,
    pub(crate) backwards: bool,
}

/// How a captured call is differentiated.
#[derive(Debug)]
pub(crate) struct Differentiation {
    /// One after the other.
    pub(crate) steps: Vec<Step>,
    /// How many positional arguments the callable puts before those of a call.
    pub(crate) before: usize,
    /// Whether a result was found to hold an array where floats are differentiated all at once: known of all that are alike.
    pub(crate) gives_arrays: OnceLock<Arc<AtomicBool>>,
}

impl Differentiation {
    /// How often what is captured is differentiated.
    pub(crate) fn orders(&self) -> Orders {
        let backwards = |step: &Step| !matches!(step.way, Way::Forward | Way::Along | Way::Plain);
        Orders { count: self.steps.len(), backwards: self.steps.iter().any(backwards) }
    }

    /// Where an argument is found.
    pub(crate) fn chosen(&self, argnum: i64, parts: &FunctionParts) -> Result<Chosen, String> {
        let code = &parts.code.code;
        let positional = code.arg_count as usize;
        let variadic = code.flags.contains(CodeFlags::VARARGS);
        let further = positional + code.kwonlyarg_count as usize;
        let index = if argnum < 0 { argnum + positional as i64 } else { argnum + self.before as i64 };
        let index = usize::try_from(index).map_err(|_| format!("there is no argument {argnum}"))?;
        match index.checked_sub(positional) {
            None => Ok(Chosen { local: index, item: None }),
            Some(item) if variadic => Ok(Chosen { local: further, item: Some(item) }),
            Some(_) => Err(format!("`{}` has no argument {argnum}", parts.qualname)),
        }
    }
}

/// A function that computes derivatives of another one.
#[pyclass(module = "snekpy", name = "Derivative", traverse = "manual")]
#[derive(Debug, PyPayload)]
pub(crate) struct Derivative {
    pub(crate) wrapped: PyObjectRef,
    pub(crate) func: PyObjectRef,
    pub(crate) before: Brought,
    pub(crate) differentiation: Differentiation,
    pub(crate) config: Arc<StagingConfig>,
    /// The code that there is for it. Who calls it knows what that is.
    pub(crate) code: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// The derivative of a callable.
pub(crate) fn derivative(callable: PyObjectRef, step: Step, vm: &VirtualMachine) -> PyResult<PyRef<Derivative>> {
    // The derivative of a derivative is one more step.
    let (inner, mut steps) = match callable.downcast_ref::<Derivative>() {
        Some(inner) => (inner.wrapped.clone(), inner.differentiation.steps.clone()),
        None => (callable.clone(), Vec::new()),
    };
    steps.push(step);
    let (func, before) = unwrap(&inner, vm)?;
    let differentiation = Differentiation { steps, before: before.positional(), gives_arrays: OnceLock::new() };
    let config = config::config(vm);
    let made = Derivative { wrapped: inner.clone(), func, before, differentiation, config, code: OnceLock::new() };
    Ok(made.into_ref(&vm.ctx))
}

impl Derivative {
    /// Whether its results hold arrays, so that it does not differentiate them all at once.
    pub(crate) fn gives_arrays(&self) -> bool {
        self.differentiation.gives_arrays.get().is_some_and(|it| it.load(Ordering::Relaxed))
    }

    /// What is computed, one after the other.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.differentiation.steps
    }

    /// The function that is differentiated, and what is put before the arguments of a call.
    pub(crate) fn function(&self) -> (&PyObjectRef, &Brought) {
        (&self.func, &self.before)
    }

    /// What the last step differentiates, which is a derivative itself.
    pub(crate) fn inner(&self, vm: &VirtualMachine) -> PyResult {
        let before = self.steps().split_last().map_or(&[][..], |(_, before)| before);
        before.iter().try_fold(self.wrapped.clone(), |inner, step| Ok(kept(&inner, step.clone(), vm)?.into()))
    }
}

/// Whether an object is a function of this module that binds as methods do.
pub(crate) fn binds(object: &PyObject) -> bool {
    object.downcast_ref::<Custom>().is_some() || object.downcast_ref::<Derivative>().is_some()
}

/// Where a function keeps its derivatives, so that another call finds the code.
const KEPT: &str = "__snekpy_derivatives__";

/// Whether a callable keeps its derivatives. For a staged function, its function does.
pub(crate) fn keeps(callable: &PyObjectRef) -> bool {
    if let Some((func, _)) = wrapped(callable) {
        return keeps(&func);
    }
    callable.downcast_ref::<PyFunction>().is_some()
        || callable.downcast_ref::<Custom>().is_some()
        || callable.downcast_ref::<Derivative>().is_some()
}

/// A derivative of a callable: the one that it has, if it has been asked before.
pub(crate) fn kept(callable: &PyObjectRef, step: Step, vm: &VirtualMachine) -> PyResult<PyRef<Derivative>> {
    let staged = wrapped(callable).map(|(func, _)| func);
    let home = staged.as_ref().unwrap_or(callable);
    let Some(dict) = home.dict().filter(|_| keeps(home)) else { return derivative(callable.clone(), step, vm) };
    let all = match dict.get_item_opt(KEPT, vm)?.and_then(|it| it.downcast::<PyDict>().ok()) {
        Some(all) => all,
        None => {
            let all = vm.ctx.new_dict();
            dict.set_item(KEPT, all.clone().into(), vm)?;
            all
        }
    };
    let key = format!("{}{step:?}", if staged.is_some() { "staged " } else { "" });
    // What copies the attributes of a function copies this, too.
    let known = all.get_item_opt(&*key, vm)?.and_then(|it| it.downcast::<Derivative>().ok());
    if let Some(known) = known.filter(|it| it.is_of(callable)) {
        return Ok(known);
    }
    let made = derivative(callable.clone(), step, vm)?;
    all.set_item(&*key, made.clone().into(), vm)?;
    Ok(made)
}

impl Derivative {
    /// Whether it is a derivative of this very callable.
    fn is_of(&self, callable: &PyObjectRef) -> bool {
        match callable.downcast_ref::<Self>() {
            Some(inner) => self.wrapped.is(&inner.wrapped),
            None => self.wrapped.is(callable),
        }
    }
}
