//! Derivatives of functions: `grad` and what goes with it.
//!
//! A [`Derivative`] is called like the function that it was made of, and has a cache of specialisations as a staged
//! function has. What is captured is the function, strictly: nothing of it may be left to plain Python. Then the module
//! is differentiated by the transform of [`snekpy_stage::ad`] and is compiled as any other; the result's template says
//! how the derivatives are put together. So effects of the function are those of a staged call, once and in order.
//!
//! The derivative of a derivative is another step of the same transform on the same module.

mod arrays;
mod linear;

use std::sync::{Arc, OnceLock};

use rustpython_vm::builtins::{PyDictRef, PyInt, PyList, PyTuple, PyTupleRef};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::object::{Traverse, TraverseFn};
use rustpython_vm::types::{Callable, GetAttr, GetDescriptor, Representable};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine, pyclass};

use crate::callable::{Argnums, Derivative, Way, attribute, bind_method, name_of};
use crate::capture::element::Elements;
use crate::captured::{Failure, to_exception};
use crate::event::Event;
use crate::flatten::{Arg, Inputs};
use crate::held::traverse_own;
use crate::host;
use crate::interrupt::signals;
use crate::refusal::Refusal;
use crate::specialisation::{Call, Core, Specialisation, Target, core_of};
use crate::staging_error::bug;
use crate::threads;

pub(crate) use linear::{Linear, linearize, vjp};

/// The code that there is for a derivative.
struct Made {
    core: Arc<Core>,
    /// The closure variables of the function, if they are arguments.
    cells: Vec<PyObjectRef>,
    /// The code for this function alone, where that for all that are alike was refused: more is known of it.
    alone: OnceLock<Arc<Core>>,
}

impl Made {
    fn is_shared(&self) -> bool {
        !self.cells.is_empty() && self.alone.get().is_none()
    }

    fn core(&self, is_shared: bool) -> &Arc<Core> {
        self.alone.get().filter(|_| !is_shared).unwrap_or(&self.core)
    }

    /// Whether a refusal was about code for several functions; from now on there is some for this one.
    fn leaves_others(&self, is_shared: bool, failure: &Failure) -> bool {
        let leaves = is_shared && matches!(failure, Failure::Refused(_));
        if leaves {
            let _ = self.alone.set(Core::new());
        }
        leaves
    }
}

// SAFETY: each object that it keeps is shown once.
unsafe impl Traverse for Derivative {
    fn traverse(&self, show: &mut TraverseFn<'_>) {
        self.wrapped.traverse(show);
        self.func.traverse(show);
        self.before.args.traverse(show);
        self.before.keywords.traverse(show);
        if let Some(made) = self.code.get().and_then(|it| it.downcast_ref::<Made>()) {
            made.cells.traverse(show);
            traverse_own(&made.core, show);
            if let Some(alone) = made.alone.get() {
                traverse_own(alone, show);
            }
        }
    }
}

/// `argnums` as the program gives it.
pub(crate) fn argnums(object: Option<PyObjectRef>, vm: &VirtualMachine) -> PyResult<Argnums> {
    let Some(object) = object else { return Ok(Argnums::One(0)) };
    let number = |it: &PyObjectRef| -> PyResult<i64> {
        let int = it.downcast_ref::<PyInt>();
        let int = int.ok_or_else(|| vm.new_type_error("argnums must be an int or a tuple of ints"))?;
        int.try_to_primitive(vm)
    };
    let items = match (object.downcast_ref::<PyTuple>(), object.downcast_ref::<PyList>()) {
        (Some(tuple), _) => tuple.as_slice().to_vec(),
        (_, Some(list)) => list.borrow_vec().to_vec(),
        (None, None) => return Ok(Argnums::One(number(&object)?)),
    };
    Ok(Argnums::Some(items.iter().map(number).collect::<PyResult<_>>()?))
}

impl Derivative {
    fn made(&self, vm: &VirtualMachine) -> &Made {
        if self.code.get().is_none() {
            let (core, cells) = match self.before.is_empty() {
                true => core_of(&self.func, format!("{:?}", self.steps()), vm),
                false => (Core::new(), Vec::new()),
            };
            // Another thread may have been faster.
            let _ = self.differentiation.gives_arrays.set(core.gives_arrays.clone());
            let _ = self.code.set(Box::new(Made { core, cells, alone: OnceLock::new() }));
        }
        let made = self.code.get().and_then(|it| it.downcast_ref());
        made.expect("it has just been made, and nobody else says what it is")
    }

    fn target(&self, is_shared: bool, vm: &VirtualMachine) -> Target<'_> {
        let made = self.made(vm);
        Target {
            func: &self.func,
            statics: &[],
            config: &self.config,
            strict: true,
            crosses: false,
            alone: true,
            elements: Elements::None,
            shared: !threads::is_alone(&self.config, vm),
            signals: signals::count(),
            reentries: &made.core(is_shared).reentries.home,
            middle: None,
            passed: &[],
            derived: Some(&self.differentiation),
            governor: None,
            cells: if is_shared { &made.cells } else { &[] },
        }
    }

    /// Calls it, with what is passed behind the arguments.
    pub(crate) fn call_with(&self, mut args: FuncArgs, more: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        if let Some(watcher) = &self.config.watcher {
            watcher(Event::Called { function: &name_of(&self.func, vm) });
        }
        self.before.add_to(&mut args);
        let made = self.made(vm);
        let mut is_shared = made.is_shared();
        let again = is_shared.then(|| args.clone());
        let mut call = made.core(is_shared).cache.bind(self.target(is_shared, vm), args, vm)?;
        loop {
            if let Some(result) = self.run(&mut call, more, is_shared, vm)? {
                return Ok(result);
            }
            if is_shared && !made.is_shared() {
                is_shared = false;
                let args = again.clone().unwrap_or_default();
                call = made.core(is_shared).cache.bind(self.target(is_shared, vm), args, vm)?;
            }
        }
    }

    /// Runs it; `None` if something has changed since it was found.
    fn run(
        &self,
        call: &mut Call,
        more: &[PyObjectRef],
        is_shared: bool,
        vm: &VirtualMachine,
    ) -> PyResult<Option<PyObjectRef>> {
        let mut inputs = Inputs::default();
        let (made, target) = (self.made(vm), self.target(is_shared, vm));
        let specialisation = match made.core(is_shared).cache.find(target, call, &mut inputs, vm) {
            Ok(found) => found,
            Err(failure) if made.leaves_others(is_shared, &failure) => return Ok(None),
            Err(failure) => return Err(to_exception(failure, vm)),
        };
        let parts = host::function::parts(&self.func, vm)?.ok_or_else(|| bug(vm, "what is derived is no function"))?;
        if self.way() == Some(Way::Back) {
            let types = specialisation.param_types();
            let types = &types[specialisation.key.types.len()..];
            let fits = types.len() == more.len()
                && types.iter().zip(more).all(|(&ty, object)| inputs.push_derivative(ty, object, vm));
            if !fits {
                return Err(vm.new_type_error("the cotangents must be floats and arrays in the shape of the result"));
            }
        } else if !more.is_empty() {
            for (argnum, object) in self.argnums(more.len()).into_iter().zip(more) {
                let chosen = self.differentiation.chosen(argnum, &parts).map_err(|it| vm.new_type_error(it))?;
                let mut arg = specialisation.key.args.get(chosen.local).and_then(Option::as_ref);
                if let (Some(item), Some(Arg::Tuple(items))) = (chosen.item, arg) {
                    arg = items.get(item);
                }
                if !arg.is_some_and(|arg| inputs.push_tangents(arg, object, vm)) {
                    let message = "the tangents must be floats and arrays in the shape of the arguments";
                    return Err(vm.new_type_error(format!("{}(): {message}", self.name())));
                }
            }
        }
        if inputs.slots.len() != specialisation.param_slots() {
            return Err(bug(vm, "the inputs are not those of the code"));
        }
        crate::run::run(specialisation, &mut call.locals, &mut inputs, vm)
    }

    fn way(&self) -> Option<Way> {
        self.steps().last().map(|step| step.way)
    }

    fn name(&self) -> &'static str {
        self.steps().last().map_or("grad", |step| step.name)
    }

    /// The arguments that the last step is by.
    fn argnums(&self, count: usize) -> Vec<i64> {
        match self.steps().last().map(|step| &step.argnums) {
            Some(Argnums::One(argnum)) => vec![*argnum],
            Some(Argnums::Some(argnums)) => argnums.clone(),
            Some(Argnums::All(_)) | None => (0..count as i64).collect(),
        }
    }

    fn specialisation(&self, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult<Arc<Specialisation>> {
        if args.args.is_empty()
            && args.kwargs.is_empty()
            && let Some(latest) = self.made(vm).core(self.made(vm).is_shared()).cache.latest()
        {
            return Ok(latest);
        }
        self.before.add_to(&mut args);
        let made = self.made(vm);
        loop {
            let is_shared = made.is_shared();
            let cache = &made.core(is_shared).cache;
            let call = cache.bind(self.target(is_shared, vm), args.clone(), vm)?;
            match cache.find(self.target(is_shared, vm), &call, &mut Inputs::default(), vm) {
                Err(failure) if made.leaves_others(is_shared, &failure) => {}
                found => return found.map_err(|failure| to_exception(failure, vm)),
            }
        }
    }
}

#[pyclass(with(Callable, GetAttr, GetDescriptor, Representable), flags(HAS_DICT, HAS_WEAKREF))]
impl Derivative {
    /// The code for these arguments, or the latest, as text: "ir", "captured" (before optimisation), "sexpr", "llvm",
    /// "asm", or "tape": what the way back needs and the code has to record.
    #[pymethod]
    fn inspect(zelf: &Py<Self>, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult<String> {
        let form = match args.take_positional() {
            Some(form) => form,
            None => args.take_keyword("form").unwrap_or_else(|| vm.ctx.new_str("ir").into()),
        };
        let form: rustpython_vm::builtins::PyStrRef = form.try_into_value(vm)?;
        let form = form.to_string_lossy();
        Specialisation::check_form(&form, vm)?;
        let specialisation = zelf.specialisation(args, vm)?;
        specialisation.inspect(&form, &zelf.config, vm)
    }

    /// Calls it with these arguments, and tangents or cotangents.
    #[pymethod]
    fn _along(zelf: &Py<Self>, args: PyTupleRef, kwargs: PyDictRef, more: PyTupleRef, vm: &VirtualMachine) -> PyResult {
        zelf.call_with(arrays::arguments(&args, &kwargs, vm)?, more.as_slice(), vm)
    }

    /// Refuses what has effects, and would have them at each call.
    #[pymethod]
    fn _check(zelf: &Py<Self>, args: PyTupleRef, kwargs: PyDictRef, vm: &VirtualMachine) -> PyResult<()> {
        let specialisation = zelf.specialisation(arrays::arguments(&args, &kwargs, vm)?, vm)?;
        if !specialisation.captured.acts() {
            return Ok(());
        }
        let message = format!("{}() calls a function several times that has effects", zelf.name());
        let refusal = Refusal::new("S366", message).help("let it return what it prints or changes");
        Err(to_exception(Failure::Refused(Box::new(refusal)), vm))
    }

    #[pygetset]
    fn __wrapped__(zelf: &Py<Self>) -> PyObjectRef {
        zelf.wrapped.clone()
    }
}

impl Callable for Derivative {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let way = zelf.way();
        if matches!(way, Some(Way::Forward | Way::Reverse)) && arrays::any(&args.args) {
            return arrays::jacobian(zelf, args, vm);
        }
        if way != Some(Way::Reverse) {
            return zelf.call_with(args, &[], vm);
        }
        match zelf.call_with(args.clone(), &[], vm) {
            // It was refused before it has run.
            Err(_) if zelf.gives_arrays() => arrays::jacobian(zelf, args, vm),
            result => result,
        }
    }
}

impl GetDescriptor for Derivative {
    fn descr_get(zelf: &PyObject, obj: Option<&PyObject>, _cls: Option<&PyObject>, vm: &VirtualMachine) -> PyResult {
        bind_method(zelf, obj, vm)
    }
}

impl GetAttr for Derivative {
    fn getattro(zelf: &Py<Self>, name: &Py<rustpython_vm::builtins::PyStr>, vm: &VirtualMachine) -> PyResult {
        attribute(zelf.as_object(), &zelf.wrapped, name, vm)
    }
}

impl Representable for Derivative {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        let mut text = name_of(&zelf.wrapped, vm);
        for step in &zelf.differentiation.steps {
            text = format!("{}({text})", step.name);
        }
        Ok(format!("<{text}>"))
    }
}
