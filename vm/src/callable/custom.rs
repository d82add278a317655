//! Functions with a derivative of their own: `custom_vjp`, `custom_jvp`, `checkpoint`.
//!
//! Called from plain Python, or from what is not differentiated, one is the function that it was made of. What is
//! captured to be differentiated calls it in another way: see `capture/custom.rs`.

use rustpython_vm::builtins::{PyInt, PyStr, PyTuple};
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::function::{FuncArgs, PosArgs};
use rustpython_vm::object::{Traverse, TraverseFn};
use rustpython_vm::types::{Callable, GetAttr, GetDescriptor, Representable};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::{attribute, bind_method, name_of};
use crate::helper;

/// Which derivative a function has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Two functions: the way there, and the way back.
    Vjp,
    /// One, which carries tangents along.
    Jvp,
    /// That of what it does, which is done again on the way back.
    Checkpoint,
}

impl Kind {
    /// What the program has called.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Vjp => "custom_vjp",
            Self::Jvp => "custom_jvp",
            Self::Checkpoint => "checkpoint",
        }
    }

    /// The attributes that are its rules.
    pub(crate) const fn rules(self) -> &'static [&'static str] {
        match self {
            Self::Vjp => &["fwd", "bwd"],
            Self::Jvp => &["jvp"],
            Self::Checkpoint => &[],
        }
    }
}

/// A function with a derivative of its own.
#[pyclass(module = "snekpy", name = "Custom", traverse = "manual")]
#[derive(Debug, PyPayload)]
pub(crate) struct Custom {
    pub(crate) func: PyObjectRef,
    /// Which derivative it has.
    pub(crate) kind: Kind,
    /// Arguments that it is not differentiated by: the rules are given them first.
    pub(crate) fixed: Vec<usize>,
    rules: PyMutex<Vec<PyObjectRef>>,
}

// SAFETY: each object that it keeps is shown once.
unsafe impl Traverse for Custom {
    fn traverse(&self, show: &mut TraverseFn<'_>) {
        self.func.traverse(show);
        self.rules.traverse(show);
    }
}

/// A function that is going to have a derivative of its own.
pub(crate) fn custom(func: PyObjectRef, kind: Kind, fixed: Option<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
    if !func.is_callable() {
        return Err(vm.new_type_error(format!("{}() takes a function", kind.name())));
    }
    let wrong = || vm.new_type_error("nondiff_argnums must be a tuple of ints that are not negative");
    let mut numbers = Vec::new();
    if let Some(fixed) = fixed {
        let items = match fixed.downcast_ref::<PyTuple>() {
            Some(tuple) => tuple.as_slice().to_vec(),
            None => vec![fixed],
        };
        for item in items {
            let int = item.downcast_ref::<PyInt>().ok_or_else(wrong)?;
            numbers.push(int.try_to_primitive::<usize>(vm).map_err(|_| wrong())?);
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(Custom { func, kind, fixed: numbers, rules: PyMutex::default() }.into_ref(&vm.ctx).into())
}

impl Custom {
    /// Its rules.
    pub(crate) fn rules(&self, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
        let rules = self.rules.lock().clone();
        if rules.len() == self.kind.rules().len() {
            return Ok(rules);
        }
        let (rule, define) = match self.kind {
            Kind::Vjp => ("VJP", "defvjp"),
            Kind::Jvp | Kind::Checkpoint => ("JVP", "defjvp"),
        };
        let (kind, name) = (self.kind.name(), name_of(&self.func, vm));
        Err(vm.new_attribute_error(format!("No {rule} defined for {kind} function {name} using {define}.")))
    }

    fn define(&self, kind: Kind, rules: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult<()> {
        if self.kind != kind {
            let (is, asked) = (self.kind.name(), kind.name());
            return Err(vm.new_attribute_error(format!("a {is} function has no rules of a {asked} function")));
        }
        if let Some(rule) = rules.iter().find(|it| !it.is_callable()) {
            return Err(vm.new_type_error(format!("a rule must be a function, not a `{}`", rule.class().name())));
        }
        *self.rules.lock() = rules;
        Ok(())
    }

    fn rule(&self, name: &str, vm: &VirtualMachine) -> PyObjectRef {
        let position = self.kind.rules().iter().position(|it| *it == name);
        position.and_then(|it| self.rules.lock().get(it).cloned()).unwrap_or_else(|| vm.ctx.none())
    }
}

#[pyclass(with(Callable, GetAttr, GetDescriptor, Representable), flags(HAS_DICT, HAS_WEAKREF))]
impl Custom {
    /// defvjp(fwd, bwd): fwd takes the arguments and gives (result, residuals); bwd takes the residuals and the cotangent
    /// of the result, and gives a tuple of those of the arguments.
    #[pymethod]
    fn defvjp(zelf: &Py<Self>, fwd: PyObjectRef, bwd: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        zelf.define(Kind::Vjp, vec![fwd, bwd], vm)
    }

    /// defjvp(jvp): jvp takes a tuple of arguments and one of their tangents, and gives (result, tangent). Gives jvp, so
    /// that it can decorate.
    #[pymethod]
    fn defjvp(zelf: &Py<Self>, jvp: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        zelf.define(Kind::Jvp, vec![jvp.clone()], vm)?;
        Ok(jvp)
    }

    /// defjvps(*jvps): for each argument a function of its tangent, the result and the arguments, or None.
    #[pymethod]
    fn defjvps(zelf: &Py<Self>, jvps: PosArgs, vm: &VirtualMachine) -> PyResult<()> {
        let rules: PyObjectRef = vm.ctx.new_tuple(jvps.into_vec()).into();
        let jvp = helper::named("jvp_of_parts", vm)?.call((zelf.to_owned(), rules), vm)?;
        zelf.define(Kind::Jvp, vec![jvp], vm)
    }

    #[pygetset]
    fn fwd(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
        zelf.rule("fwd", vm)
    }

    #[pygetset]
    fn bwd(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
        zelf.rule("bwd", vm)
    }

    #[pygetset]
    fn jvp(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
        zelf.rule("jvp", vm)
    }

    #[pygetset]
    fn __wrapped__(zelf: &Py<Self>) -> PyObjectRef {
        zelf.func.clone()
    }
}

impl Callable for Custom {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        zelf.rules(vm)?;
        zelf.func.call(args, vm)
    }
}

impl GetDescriptor for Custom {
    fn descr_get(zelf: &PyObject, obj: Option<&PyObject>, _cls: Option<&PyObject>, vm: &VirtualMachine) -> PyResult {
        bind_method(zelf, obj, vm)
    }
}

impl GetAttr for Custom {
    fn getattro(zelf: &Py<Self>, name: &Py<PyStr>, vm: &VirtualMachine) -> PyResult {
        attribute(zelf.as_object(), &zelf.func, name, vm)
    }
}

impl Representable for Custom {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("<{} {}>", zelf.kind.name(), name_of(&zelf.func, vm)))
    }
}
