//! The Python objects that stage: `Staged`, which a staged function is, and `RepFun`.
//!
//! A [`Staged`] behaves like the function it wraps: it binds as a method, has its attributes (there is one set of
//! them, the function's), is copied and pickled as it is, and gives its results; it only computes them by machine
//! code. A [`RepFun`] *is* the function it wraps when the host
//! calls it; in staged code it marks a function that is not inlined.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use rustpython_vm::builtins::{PyBaseExceptionRef, PyClassMethod, PyFunction, PyStaticMethod, PyStr, PyStrRef, PyType};
use rustpython_vm::bytecode::CodeFlags;
use rustpython_vm::class::{PyClassImpl, StaticType};
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::function::{FuncArgs, PySetterValue};
use rustpython_vm::object::{Traverse, TraverseFn};
use rustpython_vm::types::{Callable, Constructor, GetAttr, GetDescriptor, Representable, SetAttr};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};
use snekpy_stage::sizes::Sizes;
use snekpy_stage::types::Type;

use crate::callable::{self, attribute, bind_method, name_of};
use crate::callable::{Brought, refuse, unwrap};
use crate::capture::element::Elements;
use crate::captured::{Failure, OfArguments, to_exception};
use crate::config::{self, StagingConfig};
use crate::event::Event;
use crate::flatten::{Inputs, Key};
use crate::host;
use crate::interrupt::signals;
use crate::limits;
use crate::refusal::Refusal;
use crate::run::run;
use crate::specialisation::{Cache, Call, NOT_NOW, Reentries, Specialisation, Target};
use crate::staging_error::bug;
use crate::threads;
use crate::threads::{CHANGING, SHARED};

use crate::governor::{self, Governor, Trial, Turn};
use callee::{check, check_statics};
pub(crate) use rep_fun::{RepFun, rep_fun};
pub(crate) use target::OnDevice;

mod callee;
mod rep_fun;
mod report;
mod target;
#[cfg(test)]
mod tests;
pub(crate) mod warning;

/// A staged function.
#[pyclass(module = "snekpy", name = "Staged", traverse = "manual")]
#[derive(Debug, PyPayload)]
pub(crate) struct Staged {
    /// What was staged, as it was given.
    wrapped: PyObjectRef,
    /// The function that is compiled.
    func: PyObjectRef,
    /// The arguments that what was staged brings along.
    before: Brought,
    statics: Vec<String>,
    fallback: bool,
    strict: Strict,
    /// Where the arrays among its arguments are moved to, if that is asked for.
    target: Option<OnDevice>,
    /// Whether calling it runs no code of its own: it makes a generator or a coroutine, or is native.
    plain: bool,
    /// How many calls ran as plain Python because no code can be made for their arguments.
    plain_calls: AtomicU64,
    /// Whether calls are staged.
    governor: Arc<Governor>,
    /// The function, as long as it is as it was.
    direct: Direct,
    /// Why there was no code for a call, the last time.
    last_refusal: PyMutex<Option<Refusal>>,
    config: Arc<StagingConfig>,
    cache: Cache,
    /// Where calls that have left may come back to.
    reentries: Arc<Reentries>,
    /// Arguments that cannot be staged, when that is allowed.
    refused: PyMutex<Vec<(Key, Refusal)>>,
}

// SAFETY: each reference that is owned is shown once; what is locked or shared is left out.
unsafe impl Traverse for Staged {
    fn traverse(&self, show: &mut TraverseFn<'_>) {
        self.wrapped.traverse(show);
        self.func.traverse(show);
        self.before.args.traverse(show);
        self.before.keywords.traverse(show);
        self.cache.traverse(show);
        self.reentries.traverse(show);
        if let Some(refused) = self.refused.try_lock() {
            refused.iter().for_each(|(key, _)| key.traverse(show));
        }
    }
}

/// How a function is staged.
#[derive(Clone, Debug, Default)]
pub(crate) struct StageOptions {
    /// The parameters that are known when the function is compiled.
    pub(crate) statics: Vec<String>,
    /// Run as plain Python, with a warning, what cannot be staged.
    pub(crate) fallback: bool,
    /// What is refused.
    pub(crate) strict: Strict,
    /// Where the arrays among the arguments are moved to.
    pub(crate) target: Option<OnDevice>,
}

/// What is refused instead of being left to plain Python.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Strict {
    /// Nothing.
    #[default]
    No,
    /// What compiled code would be left for; not what the VM can carry out for it.
    Leave,
    /// That, too.
    Yes,
}

impl Strict {
    /// What `strict=` says.
    pub(crate) fn of(object: &PyObject, vm: &VirtualMachine) -> PyResult<Self> {
        match object.downcast_ref::<PyStr>() {
            Some(text) if text.as_wtf8() == "leave" => Ok(Self::Leave),
            Some(_) => {
                let found = object.repr(vm)?;
                Err(vm.new_value_error(format!("strict= is True, False or 'leave', found {}", found.to_string_lossy())))
            }
            None if object.to_owned().try_into_value(vm)? => Ok(Self::Yes),
            None => Ok(Self::No),
        }
    }

    /// Whether calls may not be left to plain Python.
    pub(crate) fn refuses(self) -> bool {
        self != Self::No
    }
}

/// So many kinds of arguments are remembered as not to be staged.
const MAX_REFUSED: usize = 64;

impl Staged {
    /// Stages a callable.
    pub(crate) fn new(callable: PyObjectRef, options: StageOptions, vm: &VirtualMachine) -> PyResult<Self> {
        let config = config::config(vm);
        let (func, before) = match unwrap(&callable, vm) {
            Ok((func, before)) => {
                if config.enabled && options.strict.refuses() {
                    check(&func, vm)?;
                }
                check_statics(&func, &options, vm)?;
                (func, before)
            }
            // What runs as plain Python need not be Python.
            Err(_) if !config.enabled && callable.is_callable() => (callable.clone(), Brought::default()),
            Err(_)
                if !options.strict.refuses()
                    && options.statics.is_empty()
                    && options.target.is_none()
                    && callee::calls_inside(&callable, vm) =>
            {
                warning::warn_of_inside(&callable, vm)?;
                (callable.clone(), Brought::default())
            }
            Err(refused) => return Err(refused),
        };
        let makes_generator = makes_generator(&func, vm);
        if options.target.is_some() && makes_generator {
            return Err(
                vm.new_type_error("a generator or coroutine cannot be staged for a device: it runs after its call")
            );
        }
        let plain = !options.strict.refuses() && (makes_generator || !host::function::is_function(&func, vm));
        let is_governed = config.enabled && !config.always && !options.strict.refuses() && !plain;
        let governor = Arc::new(Governor::new(is_governed));
        Ok(Self {
            reentries: Reentries::new(governor.clone()),
            governor,
            direct: Direct::default(),
            last_refusal: PyMutex::default(),
            wrapped: callable,
            func,
            before,
            statics: options.statics,
            fallback: options.fallback,
            strict: options.strict,
            target: options.target,
            plain,
            plain_calls: AtomicU64::new(0),
            config,
            cache: Cache::default(),
            refused: PyMutex::default(),
        })
    }

    /// The specialisation that a call with these arguments of Rust's types uses.
    pub(crate) fn for_types(&self, types: &[Type], vm: &VirtualMachine) -> PyResult<Arc<Specialisation>> {
        let made = self.specialised(Key::of_types(types), Elements::None, vm)?;
        made.map_err(|failure| to_exception(failure, vm))
    }

    /// The same for the body of a kernel, in which elements of tensors are numbers. The sizes of the tensors among its
    /// arguments are known later, where the types say so: `None` if that cannot be.
    pub(crate) fn for_kernel(
        &self,
        types: &[Type],
        sizes: Sizes,
        vm: &VirtualMachine,
    ) -> PyResult<Option<Arc<Specialisation>>> {
        match self.specialised(Key { sizes, ..Key::of_types(types) }, Elements::All, vm)? {
            Ok(made) => Ok(Some(made)),
            Err(Failure::Learn(OfArguments::Sizes)) if !sizes.is_empty() => Ok(None),
            Err(failure) => Err(to_exception(failure, vm)),
        }
    }

    fn specialised(
        &self,
        key: Key,
        elements: Elements,
        vm: &VirtualMachine,
    ) -> PyResult<Result<Arc<Specialisation>, Failure>> {
        self.check_is_function(vm)?;
        if !self.before.is_empty() {
            let message = "a compiled handle cannot be made of a bound method or a partial: stage the function";
            return Err(vm.new_type_error(message));
        }
        Ok(self.cache.for_key(Target { elements, ..self.target(vm) }, key, vm))
    }

    fn target(&self, vm: &VirtualMachine) -> Target<'_> {
        let strict = self.strict.refuses() || self.fallback;
        Target {
            func: &self.func,
            statics: &self.statics,
            config: &self.config,
            strict,
            crosses: match self.strict {
                Strict::No => !self.fallback,
                Strict::Leave => true,
                Strict::Yes => false,
            },
            alone: false,
            elements: Elements::Read,
            shared: !threads::is_alone(&self.config, vm),
            signals: signals::count(),
            reentries: &self.reentries.home,
            middle: None,
            passed: &[],
            derived: None,
            governor: Some(&self.governor),
            cells: &[],
        }
    }

    #[inline]
    fn bind(&self, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult<Call> {
        if !self.before.is_empty() {
            self.before.add_to(&mut args);
        }
        self.cache.bind(self.target(vm), args, vm)
    }

    /// Binds example arguments.
    fn bind_like(&self, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult<Call> {
        if let Some(target) = &self.target {
            target.like(&mut args, vm)?;
        }
        self.bind(args, vm)
    }

    /// A call, by whoever makes it.
    fn invoke(&self, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        match &self.target {
            Some(target) => target.call(args, vm, |args| self.invoke_there(args, vm)),
            None => self.invoke_there(args, vm),
        }
    }

    fn invoke_there(&self, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        if !self.config.enabled || self.plain || config::is_disabled() || limits::is_watched(vm) {
            return self.wrapped.call(args, vm);
        }
        match self.governor.turn() {
            Turn::Staged => {
                governor::staged();
                let before = Governor::incidents();
                let result = self.run_staged(args, vm);
                if Governor::incidents() != before {
                    self.governor.hurry();
                }
                result
            }
            Turn::Plain => self.call_plainly(args, vm),
            Turn::Trial(trial) => self.try_out(&trial, args, vm),
        }
    }

    /// Whether the call that begins is plain, and that is all there is to say about it.
    #[inline]
    fn is_plain(&self) -> bool {
        self.target.is_none() && self.governor.is_plain()
    }

    /// A call that plain Python is faster at.
    fn call_plainly(&self, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let _span = tracing::debug_span!("plain", of = %name_of(&self.func, vm)).entered();
        self.governor.plainly(|| match args.kwargs.is_empty() {
            true => self.direct.call(&self.wrapped, args.args, vm),
            false => self.wrapped.call(args, vm),
        })
    }

    #[cold]
    fn try_out(&self, trial: &Trial, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let result = if trial.plain { self.call_plainly(args, vm) } else { self.run_staged(args, vm) };
        let warns = self.governor.end(trial);
        if self.governor.is_given_up() {
            self.cache.know_all();
        }
        if warns {
            warning::warn(self, vm)?;
        }
        result
    }

    #[inline]
    fn run_staged(&self, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        if let Some(watcher) = &self.config.watcher {
            watcher(Event::Called { function: &name_of(&self.func, vm) });
        }
        if self.fallback {
            return self.invoke_or_fall_back(args, vm);
        }
        let mut call = self.bind(args, vm)?;
        loop {
            let mut inputs = Inputs::default();
            match self.cache.find(self.target(vm), &call, &mut inputs, vm) {
                Ok(specialisation) => {
                    if let Some(result) = run(specialisation, &mut call.locals, &mut inputs, vm)? {
                        return Ok(result);
                    }
                }
                Err(Failure::Refused(refusal)) if !self.strict.refuses() && is_about_arguments(&refusal) => {
                    inputs.release();
                    self.tell_plain(&refusal, vm);
                    *self.last_refusal.lock() = Some(*refusal);
                    return self.run_plainly(call, vm);
                }
                Err(failure) => return Err(to_exception(failure, vm)),
            }
        }
    }

    /// A call is plain Python from its beginning.
    #[cold]
    fn tell_plain(&self, reason: &Refusal, vm: &VirtualMachine) {
        if let Some(watcher) = &self.config.watcher {
            watcher(Event::Plain { function: &name_of(&self.func, vm), reason });
        }
    }

    #[cold]
    fn run_plainly(&self, call: Call, vm: &VirtualMachine) -> PyResult {
        self.plain_calls.fetch_add(1, Ordering::Relaxed);
        governor::incident();
        host::function::call_bound(&self.func, call.locals, vm)
    }

    #[cold]
    fn invoke_or_fall_back(&self, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let mut call = self.bind(args.clone(), vm)?;
        let mut inputs = Inputs::default();
        let refused = self.refused.lock().clone();
        for (key, refusal) in &refused {
            if key.fill(&call.locals, &mut inputs, vm)? {
                inputs.release();
                self.tell_plain(refusal, vm);
                governor::incident();
                return self.wrapped.call(args, vm);
            }
            inputs.clear();
        }
        let refusal = loop {
            match self.cache.find(self.target(vm), &call, &mut inputs, vm) {
                Ok(specialisation) => match run(specialisation, &mut call.locals, &mut inputs, vm)? {
                    Some(result) => return Ok(result),
                    None => inputs = Inputs::default(),
                },
                Err(Failure::Refused(refusal)) => break refusal,
                Err(failure) => return Err(to_exception(failure, vm)),
            }
        };
        inputs.release();
        let mut lengths = crate::flatten::Lengths::default();
        if let Ok(key) =
            crate::flatten::key_of(&call.locals, call.params(), &crate::flatten::Varying::default(), &mut lengths, vm)
        {
            let mut refused = self.refused.lock();
            if refused.len() < MAX_REFUSED {
                refused.push((key, (*refusal).clone()));
            }
        }
        self.tell_plain(&refusal, vm);
        let text = format!("`{}` runs as plain Python: {refusal}", name_of(&self.func, vm));
        let category = vm.ctx.exceptions.runtime_warning.to_owned();
        rustpython_vm::warn::warn(vm.ctx.new_str(text).into(), Some(category), 1, None, vm)?;
        self.wrapped.call(args, vm)
    }

    /// The specialisation for these arguments, made if there is none; for no arguments, the latest one.
    fn specialisation(&self, form: &str, args: FuncArgs, vm: &VirtualMachine) -> PyResult<Arc<Specialisation>> {
        self.check_is_function(vm)?;
        let is_bare = args.args.is_empty() && args.kwargs.is_empty();
        if is_bare && let Some(latest) = self.cache.latest() {
            return Ok(latest);
        }
        let call = self.bind_like(args, vm).map_err(|error| {
            if is_bare && error.fast_isinstance(vm.ctx.exceptions.type_error) {
                self.not_called_yet(form, vm)
            } else {
                error
            }
        })?;
        self.cache.find(self.target(vm), &call, &mut Inputs::default(), vm).map_err(|failure| to_exception(failure, vm))
    }

    /// There is no code to look at, and no arguments to make it for.
    fn not_called_yet(&self, form: &str, vm: &VirtualMachine) -> PyBaseExceptionRef {
        let name = name_of(&self.func, vm);
        let required = host::function::parts(&self.func, vm).ok().flatten().map_or(1, |parts| {
            let defaults = parts.defaults.as_ref().map_or(0, |it| it.len());
            (parts.code.code.arg_count as usize).saturating_sub(defaults + self.before.args.len())
        });
        let example = ", 1.0".repeat(required.max(1));
        vm.new_type_error(format!(
            "{name} has not been called yet: pass example arguments, {name}.inspect(\"{form}\"{example})"
        ))
    }

    /// With staging switched off, anything that can be called is staged.
    fn check_is_function(&self, vm: &VirtualMachine) -> PyResult<()> {
        if host::function::is_function(&self.func, vm) { Ok(()) } else { Err(refuse(&self.wrapped, vm)) }
    }
}

/// Whether it is these arguments that no code can be made for, and not an instruction of the function.
fn is_about_arguments(refusal: &Refusal) -> bool {
    // S401 is a staged value in the hands of native code.
    refusal.code.starts_with("S40") && refusal.code != "S401"
        || matches!(refusal.code, "S132" | "S360" | SHARED | CHANGING | "S412" | "S414" | NOT_NOW)
        // An object of the world is handed on and passed, too, and the call cannot be left where that shows.
        || refusal.code == "S301"
}

/// Whether calling the function makes an object that runs it later.
fn makes_generator(func: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let makers = CodeFlags::GENERATOR | CodeFlags::COROUTINE | CodeFlags::ASYNC_GENERATOR;
    host::function::code(func, vm).is_some_and(|code| code.code.flags.intersects(makers))
}

#[pyclass(
    with(Callable, Constructor, GetAttr, SetAttr, GetDescriptor, Representable),
    flags(HAS_WEAKREF, METHOD_DESCRIPTOR)
)]
impl Staged {
    /// The code for these arguments, or the latest, as text: "ir", "captured" (before optimisation),
    /// "sexpr", "plan" (of tensors), "ptx" (of those on a device), "llvm" or "asm".
    #[pymethod]
    fn inspect(zelf: &Py<Self>, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult<String> {
        let form = match args.take_positional() {
            Some(form) => form,
            None => args.take_keyword("form").unwrap_or_else(|| vm.ctx.new_str("ir").into()),
        };
        let form: PyStrRef = form.try_into_value(vm)?;
        let form = form.to_string_lossy();
        Specialisation::check_form(&form, vm)?;
        zelf.specialisation(&form, args, vm)?.inspect(&form, &zelf.config, vm)
    }

    /// Compiles for these arguments without calling, and gives the code to look at.
    #[pymethod]
    fn lower(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult<Lowered> {
        zelf.check_is_function(vm)?;
        let call = zelf.bind_like(args, vm)?;
        let found = zelf.cache.find(zelf.target(vm), &call, &mut Inputs::default(), vm);
        let specialisation = found.map_err(|failure| to_exception(failure, vm))?;
        let (_, names) = zelf.cache.all();
        Ok(Lowered { specialisation, names, config: zelf.config.clone(), name: name_of(&zelf.func, vm) })
    }

    /// What was compiled, why, how long it took and how often it was called. A dict that is printed as a table.
    #[pymethod]
    fn stats(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let (specialisations, names) = zelf.cache.all();
        let mut verdict = zelf.governor.verdict();
        verdict.plain_calls += zelf.plain_calls.load(Ordering::Relaxed);
        report::stats(
            &name_of(&zelf.func, vm),
            zelf.config.backend.name(),
            &specialisations,
            &names,
            &verdict,
            &zelf.reentries.all(),
            vm,
        )
    }

    #[pygetset]
    fn __wrapped__(zelf: &Py<Self>) -> PyObjectRef {
        zelf.wrapped.clone()
    }

    #[pygetset]
    fn __doc__(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        zelf.wrapped.get_attr("__doc__", vm)
    }

    /// The very object, as for any function.
    #[pymethod]
    fn __copy__(zelf: PyRef<Self>) -> PyRef<Self> {
        zelf
    }

    /// The very object, as for any function.
    #[pymethod]
    fn __deepcopy__(zelf: PyRef<Self>, _memo: PyObjectRef) -> PyRef<Self> {
        zelf
    }

    /// Functions are pickled by their names.
    #[pymethod]
    fn __reduce_ex__(zelf: &Py<Self>, _protocol: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        if !callee::calls_inside(&zelf.wrapped, vm) {
            zelf.check_is_function(vm)?;
        }
        zelf.wrapped.get_attr("__qualname__", vm)
    }
}

impl Constructor for Staged {
    type Args = FuncArgs;

    /// `type(f)(code, globals, ...)`: a function of these parts, staged.
    fn py_new(_cls: &Py<PyType>, args: Self::Args, vm: &VirtualMachine) -> PyResult<Self> {
        let function = vm.ctx.types.function_type.as_object().call(args, vm)?;
        Self::new(function, StageOptions::default(), vm)
    }
}

impl SetAttr for Staged {
    fn setattro(zelf: &Py<Self>, name: &Py<PyStr>, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
        set_attribute(&zelf.wrapped, name, value, vm)
    }
}

/// A Python function, called without looking at it again as long as it is as it was.
#[derive(Debug, Default)]
struct Direct {
    /// What the function calls its state; 0 if it is not known.
    version: AtomicU32,
    /// How many positional arguments it takes, if no others: calls with so many need nothing else.
    count: AtomicUsize,
}

impl Direct {
    /// Calls what was wrapped.
    #[inline]
    fn call(&self, wrapped: &PyObject, args: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
        let Some(function) = wrapped.downcast_ref::<PyFunction>() else {
            let count = args.len();
            return wrapped.vectorcall(args, count, None, vm);
        };
        if function.func_version() != self.version.load(Ordering::Relaxed) || function.func_version() == 0 {
            self.look(wrapped, vm);
        } else if args.len() == self.count.load(Ordering::Relaxed) {
            return function.invoke_exact_args(args, vm);
        }
        let count = args.len();
        wrapped.vectorcall(args, count, None, vm)
    }

    #[cold]
    fn look(&self, wrapped: &PyObject, vm: &VirtualMachine) {
        let (version, count) = host::function::exact(wrapped, vm);
        self.count.store(count.unwrap_or(usize::MAX), Ordering::Relaxed);
        self.version.store(version, Ordering::Relaxed);
    }
}

/// Makes the class, and has it called without arguments being packed, or unpacked.
pub(crate) fn make_class() {
    let _class = Staged::make_static_type();
    callable::ask_with(wrapped);
    let slots = &Staged::static_type().slots;
    slots.vectorcall.store(Some(vectorcall));
    slots.call.store(Some(call));
}

fn vectorcall(
    staged: &PyObject,
    args: Vec<PyObjectRef>,
    count: usize,
    names: Option<&[PyObjectRef]>,
    vm: &VirtualMachine,
) -> PyResult {
    let Some(staged) = staged.downcast_ref::<Staged>() else { return staged.call(args, vm) };
    if names.is_none_or(<[_]>::is_empty) && args.len() == count && staged.is_plain() {
        return staged.governor.plainly(|| staged.direct.call(&staged.wrapped, args, vm));
    }
    staged.invoke(FuncArgs::from_vectorcall_owned(args, count, names), vm)
}

/// How methods behind operators are called.
fn call(staged: &PyObject, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let staged = staged.downcast_ref::<Staged>().ok_or_else(|| bug(vm, "the slot of another class is called"))?;
    if args.kwargs.is_empty() && staged.is_plain() {
        return staged.governor.plainly(|| staged.direct.call(&staged.wrapped, args.args, vm));
    }
    staged.invoke(args, vm)
}

impl Callable for Staged {
    type Args = FuncArgs;

    #[inline]
    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        zelf.invoke(args, vm)
    }
}

impl GetDescriptor for Staged {
    fn descr_get(zelf: &PyObject, obj: Option<&PyObject>, _cls: Option<&PyObject>, vm: &VirtualMachine) -> PyResult {
        bind_method(zelf, obj, vm)
    }
}

impl GetAttr for Staged {
    fn getattro(zelf: &Py<Self>, name: &Py<PyStr>, vm: &VirtualMachine) -> PyResult {
        attribute(zelf.as_object(), &zelf.wrapped, name, vm)
    }
}

impl Representable for Staged {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("<staged {}>", zelf.wrapped.repr(vm)?.to_string_lossy()))
    }
}

/// The code of a staged function for some arguments.
#[pyclass(module = "snekpy", name = "Lowered")]
#[derive(Debug, PyPayload)]
pub(crate) struct Lowered {
    specialisation: Arc<Specialisation>,
    names: Vec<&'static str>,
    config: Arc<StagingConfig>,
    name: String,
}

#[pyclass(with(Representable))]
impl Lowered {
    /// The code as text: "ir", "captured" (before optimisation), "sexpr", "plan", "ptx", "llvm" or "asm".
    #[pymethod]
    fn inspect(
        zelf: &Py<Self>,
        form: rustpython_vm::function::OptionalArg<PyStrRef>,
        vm: &VirtualMachine,
    ) -> PyResult<String> {
        let form = form.into_option();
        let form = form.as_ref().map_or("ir".into(), |form| form.to_string_lossy());
        zelf.specialisation.inspect(&form, &zelf.config, vm)
    }
}

impl Representable for Lowered {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        let arguments = zelf.specialisation.arguments(&zelf.names, vm);
        Ok(format!("<lowered {}({arguments})>", zelf.name))
    }
}

/// What a [`Staged`] or a [`RepFun`] wraps, and whether it stays a function in staged code. One that moves its arguments to
/// a device is no such function, but an object that is called.
fn wrapped(object: &PyObjectRef) -> Option<(PyObjectRef, bool)> {
    if let Some(staged) = object.downcast_ref::<Staged>() {
        return staged.target.is_none().then(|| (staged.wrapped.clone(), false));
    }
    object.downcast_ref::<RepFun>().map(|it| (it.function(), true))
}

/// Stages a callable: the object that takes its place.
pub(crate) fn stage(callable: PyObjectRef, options: StageOptions, vm: &VirtualMachine) -> PyResult {
    if callable.downcast_ref::<PyStaticMethod>().is_some() {
        let staged = stage(callable.get_attr("__func__", vm)?, options, vm)?;
        return vm.ctx.types.staticmethod_type.as_object().call((staged,), vm);
    }
    if callable.downcast_ref::<PyClassMethod>().is_some() {
        let staged = stage(callable.get_attr("__func__", vm)?, options, vm)?;
        return vm.ctx.types.classmethod_type.as_object().call((staged,), vm);
    }
    Ok(Staged::new(callable, options, vm)?.into_ref(&vm.ctx).into())
}

/// Sets or deletes an attribute of what a wrapper wraps.
fn set_attribute(callable: &PyObject, name: &Py<PyStr>, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
    match value {
        PySetterValue::Assign(value) => callable.set_attr(name, value, vm),
        PySetterValue::Delete => callable.del_attr(name, vm),
    }
}

/// The staged function behind an object.
pub(crate) fn as_staged(object: &PyObjectRef) -> Option<PyRef<Staged>> {
    object.clone().downcast::<Staged>().ok()
}
