//! Specialisations: the code of one function for one kind of arguments, and the cache of them.
//!
//! A specialisation may be used while the arguments look like its key and the world holds what its capture
//! read (its guards). If none fits, another one is made. How many there can be is bounded, so that a
//! program whose every call looks different is told so and does not compile for ever.

mod aliases;
mod changes;
mod varying;

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use rustpython_vm::builtins::{PyBaseExceptionRef, PyCode};
use rustpython_vm::bytecode::CodeFlags;
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::{AsObject, PyObjectRef, PyRef, PyResult, VirtualMachine};
use snekpy_stage::backend::{self, Code};
use snekpy_stage::entity::Loc;
use snekpy_stage::ir::Module;
use snekpy_stage::pass::{self, Observer};
use snekpy_stage::verify::verify;

use crate::after_effects::AfterEffects;
use crate::capture::explore::too_slow;
use crate::capture::session::Mode;
use crate::capture::value::type_name;
use crate::captured::Captured;
use crate::config::StagingConfig;
use crate::event::Event;
use crate::exit::{ExitKind, Filling, HostKind, Resume, bug};
use crate::flatten::{self, Arg, Inputs, Key, Lengths, Params, Varying};
use crate::guard::Guard;
use crate::host::function::FunctionParts;
use crate::limits::{self, Allowance};
use crate::reentry::{Held, Reentries, Reentry};
use crate::refusal::{Place, Refusal};
use crate::source::Source;
use crate::staging_error;
use crate::start_over::{StartOver, may_start_over};

pub(crate) use changes::Change;

use aliases::{arg_reaches, known_objects};
use varying::other_objects;

/// The forms that code can be looked at in, from the program to the machine.
const FORMS: [&str; 5] = ["captured", "ir", "sexpr", "llvm", "asm"];

/// The code of one function for one kind of arguments.
pub(crate) struct Specialisation {
    /// What the arguments look like.
    pub(crate) key: Key,
    /// What was captured. The module is the optimised one.
    pub(crate) captured: Captured,
    /// The module as it was captured.
    pub(crate) unoptimised: Module,
    /// Whether it counts ticks.
    counts_ticks: bool,
    /// What runs.
    pub(crate) code: Arc<dyn Code>,
    /// How many slots the results take.
    pub(crate) result_slots: usize,
    /// How many slots the largest payload of an exit takes.
    pub(crate) payload_slots: usize,
    /// How many slots the arguments of each function of the host take.
    pub(crate) host_slots: Vec<usize>,
    /// The function, if what ends its code in the middle may begin anew as plain Python.
    pub(crate) over: Option<Over>,
    /// The parameters that are static, by local variable.
    pub(crate) statics: Vec<usize>,
    /// The function.
    pub(crate) func: PyObjectRef,
    /// How it is staged.
    pub(crate) config: Arc<StagingConfig>,
    /// Where calls that have left may come back to.
    pub(crate) reentries: Weak<Reentries>,
    /// Lists of the world that the code knows.
    known_objects: HashSet<usize>,
    /// What is known about it.
    pub(crate) stats: Stats,
}

/// What is known about a specialisation.
#[derive(Debug)]
pub(crate) struct Stats {
    /// Why it was made.
    pub(crate) why: Option<Change>,
    /// How many calls it has served.
    pub(crate) calls: AtomicU64,
    /// How long capturing took.
    pub(crate) capture: Duration,
    /// How long optimising took.
    pub(crate) optimise: Duration,
    /// How long the back end took.
    pub(crate) compile: Duration,
}

impl fmt::Debug for Specialisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Specialisation").field("key", &self.key).field("stats", &self.stats).finish_non_exhaustive()
    }
}

/// What a function was captured as.
struct Ir {
    captured: Captured,
    unoptimised: Module,
    capture: Duration,
    optimise: Duration,
}

impl Ir {
    fn make(
        start: Start<'_>,
        key: &Key,
        mode: Mode,
        allowance: Allowance,
        vm: &VirtualMachine,
    ) -> Result<Self, Failure> {
        let began = Instant::now();
        let mut captured = crate::capture::call_capture(start, key, mode, allowance, vm)?;
        let capture = began.elapsed();
        verify(&captured.module).map_err(|violations| bug(vm, &violations.to_string()))?;
        captured.prune();
        let unoptimised = captured.module.clone();
        let began = Instant::now();
        let mut observer = Observer::new();
        observer.verify = cfg!(debug_assertions);
        pass::optimise(&mut captured.module, pass::standard(), &mut observer)
            .map_err(|violations| bug(vm, &violations.to_string()))?;
        captured.prune();
        Ok(Self { captured, unoptimised, capture, optimise: began.elapsed() })
    }
}

impl Start<'_> {
    /// What the function of the IR is called.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Call { parts, .. } => parts.qualname.to_string(),
            Self::Middle(reentry) => reentry.name(),
        }
    }
}

/// Why there is no specialisation.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The program cannot be staged.
    Refused(Box<Refusal>),
    /// Something raised.
    Raised(PyBaseExceptionRef),
}

impl From<PyBaseExceptionRef> for Failure {
    fn from(exception: PyBaseExceptionRef) -> Self {
        Self::Raised(exception)
    }
}

impl From<Box<Refusal>> for Failure {
    fn from(refusal: Box<Refusal>) -> Self {
        Self::Refused(refusal)
    }
}

impl Specialisation {
    /// Where calls go on as plain Python.
    pub(crate) fn resumes(&self) -> impl Iterator<Item = &Resume> {
        let exits = self.captured.exits.iter().filter_map(|exit| match exit {
            ExitKind::Resume(resume) => Some(&**resume),
            ExitKind::Return { .. } | ExitKind::Raise { .. } | ExitKind::Again { .. } => None,
        });
        exits.chain(self.captured.hosts.iter().filter_map(|host| match host {
            HostKind::Note(resume) => resume.as_deref(),
            _ => None,
        }))
    }

    /// Captures and compiles.
    fn make(
        target: Target<'_>,
        parts: &FunctionParts,
        params: &Params,
        key: Key,
        why: Option<Change>,
        vm: &VirtualMachine,
    ) -> Result<Self, Failure> {
        let Target { config, .. } = target;
        let start = match target.middle {
            Some(reentry) => Start::Middle(reentry),
            None => Start::Call { func: target.func, parts },
        };
        let allowance = Allowance::now();
        let _paused = limits::pause_ticks();
        let mode = if target.strict { Mode::Strict } else { Mode::Lenient };
        let mut ir = Ir::make(start, &key, mode, allowance, vm)?;
        let looks = mode == Mode::Lenient && !target.alone;
        let after = if looks { AfterEffects::of(&ir.captured, vm) } else { AfterEffects::default() };
        if after.outside || after.inside {
            match Ir::make(start, &key, Mode::Exact(after), allowance, vm) {
                Ok(exact) => ir = Ir { capture: ir.capture + exact.capture, ..exact },
                Err(Failure::Refused(refusal)) if refusal.code == "S132" || after.inside => return Err(refusal.into()),
                // Then such a result is an error, which says so.
                Err(Failure::Refused(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        let Ir { captured, unoptimised, capture, optimise } = ir;
        // In the middle of a call, what stops it waits for the call's own frames.
        let check = || if target.middle.is_none() { limits::check_all(vm) } else { Ok(()) };
        check()?;
        if allowance.is_over() {
            return Err(too_slow().into());
        }
        let began = Instant::now();
        let code = config.backend.compile(&captured.module).map_err(|error| backend_failed(&error, config))?;
        let compile = began.elapsed();
        check()?;
        let slots = |types: &[snekpy_stage::types::Type]| types.iter().map(|&ty| backend::slots(ty)).sum();
        Ok(Self {
            known_objects: known_objects(&captured, &key.sources),
            key,
            result_slots: slots(&captured.module.funcs[captured.module.main()].results),
            payload_slots: backend::payload_slots(&captured.module),
            host_slots: captured.module.hosts.values().map(|host| slots(&host.params)).collect(),
            counts_ticks: allowance.counts_ticks,
            over: may_start_over(&captured).then(|| Over::new(target, parts)).flatten(),
            statics: (0..params.is_static.len()).filter(|&it| params.is_static[it]).collect(),
            func: target.func.clone(),
            config: config.clone(),
            reentries: target.reentries.clone(),
            captured,
            unoptimised,
            code,
            stats: Stats { why, calls: AtomicU64::new(0), capture, optimise, compile },
        })
    }

    /// What the arguments look like, for people: `x: float, n: 3`.
    pub(crate) fn arguments(&self, names: &[&'static str], vm: &VirtualMachine) -> String {
        let shown = self.key.args.iter().enumerate().filter_map(|(local, arg)| {
            let arg = arg.as_ref()?;
            Some(format!("{}: {}", names.get(local).unwrap_or(&"?"), flatten::describe(arg, vm)))
        });
        let sources = self.key.sources.iter().zip(self.key.source_types());
        let sources = sources.map(|(source, ty)| format!("({}: {})", source.describe(), type_name(*ty)));
        shown.chain(sources).collect::<Vec<_>>().join(", ")
    }

    /// The guard that does not hold, if there is one.
    pub(crate) fn broken_guard(&self, vm: &VirtualMachine) -> Option<&Guard> {
        self.captured.guards.iter().find(|guard| !guard.holds(vm))
    }

    /// Whether the world holds what the capture read.
    #[inline]
    fn holds(&self, vm: &VirtualMachine) -> bool {
        self.captured.guards.iter().all(|guard| guard.holds(vm))
    }

    /// A list that is passed and also read as a part of the world is one list; the code has two. So is a record that
    /// the code changes as a part of the world.
    fn check_aliases(&self, locals: &[Option<PyObjectRef>], inputs: &Inputs) -> Result<(), Box<Refusal>> {
        let touched = |id: usize| self.captured.touched.iter().any(|it| it.get_id() == id);
        let record =
            !self.captured.touched.is_empty() && inputs.table.as_ref().is_some_and(|table| table.has_dict_in(touched));
        if self.known_objects.is_empty() && !record {
            return Ok(());
        }
        let reaches_any = |(arg, object): (&Option<Arg>, &PyObjectRef)| {
            arg.as_ref().is_some_and(|arg| arg_reaches(arg, object, &self.known_objects))
        };
        let bound = self.key.args.iter().zip(locals).filter_map(|(arg, object)| Some((arg, object.as_ref()?)));
        match record || bound.into_iter().any(reaches_any) {
            false => Ok(()),
            true => Err(Box::new(
                Refusal::new("S412", "an argument is an object that the function also reads by another way")
                    .help("read it by one way only"),
            )),
        }
    }

    /// The places of a location, innermost first.
    pub(crate) fn places(&self, loc: Option<Loc>) -> Vec<Place> {
        let locs = &self.captured.module.locs;
        let chain = std::iter::successors(loc.and_then(|loc| locs.lookup(loc)), |data| {
            data.caller.and_then(|caller| locs.lookup(caller))
        });
        let place = |data: &snekpy_stage::ir::LocData| Place {
            file: data.file.to_string(),
            line: data.line,
            column: data.column,
            end: (data.line, data.column),
            func: data.func.to_string(),
        };
        chain.map(place).collect()
    }

    /// Whether code can be looked at in this form.
    pub(crate) fn check_form(form: &str, vm: &VirtualMachine) -> PyResult<()> {
        match FORMS.contains(&form) {
            true => Ok(()),
            false => Err(vm.new_value_error(format!("there is no view `{form}`, the views are: {}", FORMS.join(", ")))),
        }
    }

    /// The code in one of its forms: `ir`, `captured`, `sexpr`, or one that the back end has.
    pub(crate) fn inspect(&self, form: &str, config: &StagingConfig, vm: &VirtualMachine) -> PyResult<String> {
        Self::check_form(form, vm)?;
        match form {
            "ir" => Ok(self.captured.module.to_string()),
            "captured" => Ok(self.unoptimised.to_string()),
            "sexpr" => Ok(snekpy_stage::sexpr::to_sexpr(&self.captured.module)),
            _ => config
                .backend
                .inspect(&self.captured.module, form)
                .map_err(|error| vm.new_value_error(error.to_string())),
        }
    }
}

fn backend_failed(error: &backend::BackendError, config: &StagingConfig) -> Box<Refusal> {
    Box::new(Refusal::new("S500", format!("the back end `{}` cannot compile this: {error}", config.backend.name())))
}

/// How many specialisations a re-entry has at most.
const MAX_MIDDLES: usize = 8;
/// The refusal of a change of a record.
const CHANGES_RECORD: &str = "S344";
/// So many specialisations of a function that changes objects of record classes know these objects themselves.
const MAX_CHANGED: usize = 4;
/// So many kinds of arguments are remembered as taking too long.
const MAX_SLOW: usize = 64;
/// How many numbers that are no arguments compiled code is given at most.
const MAX_SOURCES: usize = 32;

/// What a function's specialisations depend on beside the arguments, and the specialisations.
#[derive(Debug)]
struct Snapshot {
    /// The code that all of this belongs to.
    code: PyRef<PyCode>,
    /// The parameters.
    params: Params,
    /// Every parameter is positional, and there are so many.
    simple: Option<usize>,
    /// The latest first.
    specialisations: Vec<Arc<Specialisation>>,
}

/// The specialisations of one function.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    snapshot: PyMutex<Option<Arc<Snapshot>>>,
    lengths: PyMutex<Lengths>,
    /// What has changed between calls and is an input since.
    varying: PyMutex<Varying>,
    /// Arguments that no code was made for in so much time.
    slow: PyMutex<Vec<(Key, Duration)>>,
}

/// A call whose arguments are bound, and what is known about its function.
pub(crate) struct Call {
    snapshot: Arc<Snapshot>,
    /// The arguments, by local variable, as far as there are parameters.
    pub(crate) locals: Vec<Option<PyObjectRef>>,
}

impl Call {
    /// The parameters of the function that is called.
    pub(crate) fn params(&self) -> &Params {
        &self.snapshot.params
    }
}

/// A function that has a cache, and how it is staged.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// The function.
    pub(crate) func: &'a PyObjectRef,
    /// The names of the parameters that `static=` lists.
    pub(crate) statics: &'a [String],
    /// How.
    pub(crate) config: &'a Arc<StagingConfig>,
    /// Whether what cannot be compiled is refused, and not left to plain Python.
    pub(crate) strict: bool,
    /// Whether there is no plain Python that a call could go on as.
    pub(crate) alone: bool,
    /// Where calls that have left may come back to.
    pub(crate) reentries: &'a Weak<Reentries>,
    /// The re-entry that is meant, and not the function from its beginning.
    pub(crate) middle: Option<&'a Reentry>,
}

/// What takes the place of compiled code that ends in the middle.
#[derive(Debug)]
pub(crate) enum Over {
    /// The call begins anew.
    Call(StartOver),
    /// It goes on from where the re-entry begins.
    Middle(Arc<Resume>),
}

impl Over {
    fn new(target: Target<'_>, parts: &FunctionParts) -> Option<Self> {
        match target.middle {
            Some(reentry) => Some(Self::Middle(reentry.entry.clone())),
            None => StartOver::new(parts).map(Self::Call),
        }
    }

    /// Goes on as plain Python.
    pub(crate) fn call(&self, locals: &[Option<PyObjectRef>], vm: &VirtualMachine) -> PyResult {
        match self {
            Self::Call(over) => over.call(locals, vm),
            Self::Middle(entry) => Filling::new(vm, &[], locals, &[], None).resume(entry),
        }
    }
}

/// Where a capture begins.
#[derive(Clone, Copy)]
pub(crate) enum Start<'a> {
    /// With a call of a function.
    Call {
        /// The function.
        func: &'a PyObjectRef,
        /// Its parts.
        parts: &'a FunctionParts,
    },
    /// In the middle of one.
    Middle(&'a Reentry),
}

impl Cache {
    /// The latest specialisation.
    pub(crate) fn latest(&self) -> Option<Arc<Specialisation>> {
        self.snapshot.lock().as_ref().and_then(|snapshot| snapshot.specialisations.first().cloned())
    }

    /// All specialisations, in the order in which they were made, and the names of the parameters.
    pub(crate) fn all(&self) -> (Vec<Arc<Specialisation>>, Vec<&'static str>) {
        match &*self.snapshot.lock() {
            Some(snapshot) => (snapshot.specialisations.iter().rev().cloned().collect(), snapshot.params.names.clone()),
            None => (Vec::new(), Vec::new()),
        }
    }

    /// One for a re-entry.
    pub(crate) fn of_reentry(code: PyRef<PyCode>, params: Params) -> Self {
        let snapshot = Snapshot { code, params, simple: None, specialisations: Vec::new() };
        Self { snapshot: PyMutex::new(Some(Arc::new(snapshot))), ..Self::default() }
    }

    /// The specialisation of a re-entry for what its frames hold, and whether it was made just now.
    pub(crate) fn find_middle(
        &self,
        target: Target<'_>,
        held: &Held,
        inputs: &mut Inputs,
        vm: &VirtualMachine,
    ) -> Result<(Arc<Specialisation>, bool), Failure> {
        let snapshot = self.snapshot.lock().clone().ok_or_else(|| bug(vm, "a re-entry has no parameters"))?;
        let call = Call { snapshot, locals: held.objects.clone() };
        match Self::known(&call, inputs, vm)? {
            Some(known) => Ok((known, false)),
            None => Ok((self.add(target, &call, &held.new, inputs, vm)?, true)),
        }
    }

    /// Binds the arguments of a call.
    ///
    /// # Errors
    /// The `TypeError` of a call that does not fit the parameters.
    #[inline]
    pub(crate) fn bind(
        &self,
        target: Target<'_>,
        args: rustpython_vm::function::FuncArgs,
        vm: &VirtualMachine,
    ) -> PyResult<Call> {
        let snapshot = self.snapshot(target, vm)?;
        if snapshot.simple == Some(args.args.len()) && args.kwargs.is_empty() {
            let locals = args.args.into_iter().map(Some).collect();
            return Ok(Call { snapshot, locals });
        }
        let mut locals = crate::host::function::bind(&function_parts(target.func, vm)?, args, vm)?;
        locals.truncate(snapshot.params.names.len());
        Ok(Call { snapshot, locals })
    }

    /// What is known about the function as it is now.
    #[inline]
    fn snapshot(&self, target: Target<'_>, vm: &VirtualMachine) -> PyResult<Arc<Snapshot>> {
        let code =
            crate::host::function::code(target.func, vm).ok_or_else(|| bug(vm, "what is staged is no function"))?;
        let found = self.snapshot.lock().clone();
        match found {
            Some(found) if found.code.is(&code) => Ok(found),
            _ => self.begin(target, code, vm),
        }
    }

    #[cold]
    fn begin(&self, target: Target<'_>, code: PyRef<PyCode>, vm: &VirtualMachine) -> PyResult<Arc<Snapshot>> {
        let params = params(target, &code, vm)?;
        let flags = code.code.flags;
        let variadic = flags.intersects(CodeFlags::VARARGS | CodeFlags::VARKEYWORDS);
        let simple = (!variadic && code.code.kwonlyarg_count == 0).then_some(code.code.arg_count as usize);
        let snapshot = Arc::new(Snapshot { code, params, simple, specialisations: Vec::new() });
        *self.varying.lock() = Varying::default();
        *self.snapshot.lock() = Some(snapshot.clone());
        Ok(snapshot)
    }

    /// The specialisation for a call, made if there is none, with the inputs for it.
    pub(crate) fn find(
        &self,
        target: Target<'_>,
        call: &Call,
        inputs: &mut Inputs,
        vm: &VirtualMachine,
    ) -> Result<Arc<Specialisation>, Failure> {
        match Self::known(call, inputs, vm)? {
            Some(known) => Ok(known),
            None => self.add(target, call, &[], inputs, vm),
        }
    }

    /// The specialisation for a call, if there is one.
    #[inline]
    fn known(call: &Call, inputs: &mut Inputs, vm: &VirtualMachine) -> Result<Option<Arc<Specialisation>>, Failure> {
        let counts_ticks = limits::counts_ticks();
        for specialisation in &call.snapshot.specialisations {
            if specialisation.counts_ticks != counts_ticks {
                continue;
            }
            if specialisation.key.fill(&call.locals, inputs, vm)? && specialisation.holds(vm) {
                specialisation.check_aliases(&call.locals, inputs)?;
                return Ok(Some(specialisation.clone()));
            }
            inputs.clear();
        }
        Ok(None)
    }

    #[cold]
    fn add(
        &self,
        target: Target<'_>,
        call: &Call,
        new: &[usize],
        inputs: &mut Inputs,
        vm: &VirtualMachine,
    ) -> Result<Arc<Specialisation>, Failure> {
        self.learn(call, vm);
        let time = Allowance::now().time;
        if let Some(time) = time {
            self.not_slow(call, time, inputs, vm)?;
        }
        let specialisation = match self.make(target, call, new, vm) {
            Err(Failure::Refused(refusal)) if refusal.code == "S132" => {
                self.is_slow(call, time.unwrap_or_default(), vm);
                return Err(refusal.into());
            }
            made => made?,
        };
        if !specialisation.key.fill(&call.locals, inputs, vm)? {
            return Err(bug(vm, "the arguments do not look like themselves").into());
        }
        specialisation.check_aliases(&call.locals, inputs)?;
        Ok(specialisation)
    }

    /// Makes code for a call.
    fn make(
        &self,
        target: Target<'_>,
        call: &Call,
        new: &[usize],
        vm: &VirtualMachine,
    ) -> Result<Arc<Specialisation>, Failure> {
        let mut varying = self.varying.lock().clone();
        // Objects that the function changes are known one by one, unless it is clear that there are ever new ones.
        let few = target.strict || call.snapshot.specialisations.len() < MAX_CHANGED;
        varying.without_records &= few;
        let key = self.key(call, &varying, new, vm)?;
        match self.specialise(target, &call.snapshot, key, few, vm) {
            Err(Failure::Refused(refusal)) if refusal.code == CHANGES_RECORD && !varying.without_records => {
                varying.without_records = true;
                self.varying.lock().without_records = true;
                let key = self.key(call, &varying, new, vm)?;
                self.specialise(target, &call.snapshot, key, few, vm)
            }
            made => made,
        }
    }

    fn key(&self, call: &Call, varying: &Varying, new: &[usize], vm: &VirtualMachine) -> Result<Key, Failure> {
        // Capturing calls back into this function's cache when the function calls itself in plain Python
        // code: the lock is not held.
        let mut lengths = self.lengths.lock().clone();
        let key = flatten::key_of(&call.locals, &call.snapshot.params, varying, &mut lengths, vm)?;
        *self.lengths.lock() = lengths;
        if new.iter().filter_map(|&index| key.args.get(index)?.as_ref()).any(|arg| keeps(arg, vm)) {
            let message = "an object that the call has made or got is known by its identity";
            return Err(Box::new(Refusal::new("S412", message)).into());
        }
        Ok(key)
    }

    /// Whether code for arguments like these is worth another try.
    fn not_slow(&self, call: &Call, time: Duration, inputs: &mut Inputs, vm: &VirtualMachine) -> Result<(), Failure> {
        let slow = self.slow.lock().clone();
        for (key, _) in slow.iter().filter(|(_, tried)| *tried >= time) {
            if key.fill(&call.locals, inputs, vm)? {
                return Err(too_slow().into());
            }
            inputs.clear();
        }
        Ok(())
    }

    /// Making code for arguments like these takes longer than this.
    fn is_slow(&self, call: &Call, time: Duration, vm: &VirtualMachine) {
        let mut lengths = Lengths::default();
        let key = flatten::key_of(&call.locals, &call.snapshot.params, &Varying::default(), &mut lengths, vm);
        let mut slow = self.slow.lock();
        if let Ok(key) = key
            && slow.len() < MAX_SLOW
        {
            slow.push((key, time));
        }
    }

    /// Looks what has changed that the latest specialisation took as it was.
    fn learn(&self, call: &Call, vm: &VirtualMachine) {
        let Some(latest) = call.snapshot.specialisations.first() else { return };
        let mut classes = Vec::new();
        for (arg, object) in latest.key.args.iter().zip(&call.locals) {
            if let (Some(arg), Some(object)) = (arg, object) {
                other_objects(arg, object, &mut classes, vm);
            }
        }
        let mut varying = self.varying.lock();
        if !classes.is_empty() {
            // What was read of the other object says nothing about this one.
            for class in classes {
                if !varying.classes.iter().any(|known| known.is(&class)) {
                    varying.classes.push(class);
                }
            }
            return;
        }
        // A dict that was passed is passed from the second one on.
        let is_argument = |source: &Source| match source {
            Source::Members(object) => {
                let mut statics = latest.key.args.iter().flatten().flat_map(flatten::static_objects);
                call.locals.iter().flatten().any(|it| it.is(object)) || statics.any(|it| it.is(object))
            }
            Source::Item { .. } | Source::Cell(_) => false,
        };
        let varying = &mut varying.sources;
        for guard in latest.captured.guards.iter().filter(|guard| !guard.holds(vm)) {
            if let Some(source) = guard.source(vm)
                && !is_argument(&source)
                && varying.len() < MAX_SOURCES
                && !varying.iter().any(|known| known.is(&source))
            {
                varying.push(source);
            }
        }
    }

    fn specialise(
        &self,
        target: Target<'_>,
        snapshot: &Snapshot,
        key: Key,
        // Whether code that would change a record is refused.
        unchanged: bool,
        vm: &VirtualMachine,
    ) -> Result<Arc<Specialisation>, Failure> {
        let why = changes::since(&snapshot.specialisations, &key, &snapshot.params, vm);
        let most = if target.middle.is_some() { MAX_MIDDLES } else { target.config.max_specialisations };
        if snapshot.specialisations.len() >= most {
            return Err(too_many(target, &snapshot.specialisations, why, vm)?.into());
        }
        let parts = function_parts(target.func, vm)?;
        let made = Arc::new(Specialisation::make(target, &parts, &snapshot.params, key, why, vm)?);
        if unchanged && let Some(resume) = made.resumes().find(|it| it.reason.code == CHANGES_RECORD) {
            return Err(Box::new(resume.reason.clone()).into());
        }
        if let Some(watcher) = &target.config.watcher {
            let function = target.middle.map_or_else(|| parts.qualname.to_string(), Reentry::name);
            let stats = &made.stats;
            watcher(Event::Compiled {
                function: &function,
                arguments: &made.arguments(&snapshot.params.names, vm),
                why: stats.why.as_ref().map(ToString::to_string).as_deref(),
                took: stats.capture + stats.optimise + stats.compile,
            });
        }
        let mut current = self.snapshot.lock();
        if let Some(current) = &mut *current
            && current.code.is(&snapshot.code)
        {
            let mut specialisations = vec![made.clone()];
            specialisations.extend(current.specialisations.iter().cloned());
            *current = Arc::new(Snapshot {
                code: current.code.clone(),
                params: current.params.clone(),
                simple: current.simple,
                specialisations,
            });
        }
        Ok(made)
    }

    /// A specialisation for arguments that are not there yet: values of these types, and defaults.
    pub(crate) fn for_types(
        &self,
        target: Target<'_>,
        types: &[snekpy_stage::types::Type],
        vm: &VirtualMachine,
    ) -> Result<Arc<Specialisation>, Failure> {
        let snapshot = self.snapshot(target, vm)?;
        let parts = function_parts(target.func, vm)?;
        let stand_ins = types.iter().map(|_| vm.ctx.none()).collect::<Vec<_>>();
        let mut locals = crate::host::function::bind(&parts, stand_ins.into(), vm)?;
        locals.truncate(snapshot.params.names.len());
        if types.len() > snapshot.code.code.arg_count as usize {
            let message = "a compiled handle cannot be given the arguments of `*args`";
            return Err(Box::new(Refusal::new("S413", message)).into());
        }
        let mut rest = locals.clone();
        rest[..types.len()].fill(None);
        let fixed = Params { is_static: vec![true; locals.len()], ..snapshot.params.clone() };
        let defaults = flatten::key_of(&rest, &fixed, &Varying::default(), &mut Lengths::default(), vm)?;
        let mut key = Key::of_types(types);
        key.args.extend(defaults.args.into_iter().skip(types.len()));
        // Without the VM there is no plain Python to go on with.
        let made = self.specialise(Target { alone: true, ..target }, &snapshot, key, false, vm)?;
        let reason = made.resumes().next().map(|it| it.reason.clone());
        reason.map_or(Ok(made), |reason| Err(Box::new(reason).into()))
    }
}

fn function_parts(func: &PyObjectRef, vm: &VirtualMachine) -> PyResult<FunctionParts> {
    crate::host::function::parts(func, vm)?.ok_or_else(|| bug(vm, "what is staged is no function"))
}

/// Whether a key with this argument keeps an object that the program may wait for the end of.
fn keeps(arg: &Arg, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    match arg {
        Arg::Static(object) => {
            let values = [types.none_type, types.str_type, types.bytes_type, types.int_type, types.float_type];
            !values.iter().chain([&types.bool_type]).any(|class| object.class().is(*class))
        }
        Arg::Tuple(items) | Arg::List(items) => items.iter().any(|it| keeps(it, vm)),
        Arg::Keywords(items) | Arg::Instance { attributes: items, .. } => items.iter().any(|(_, it)| keeps(it, vm)),
        Arg::Leaf { .. } | Arg::Same(_) | Arg::Record { .. } | Arg::Empty { .. } => false,
    }
}

/// Too many specialisations: names what keeps changing.
fn too_many(
    target: Target<'_>,
    specialisations: &[Arc<Specialisation>],
    why: Option<Change>,
    vm: &VirtualMachine,
) -> PyResult<Box<Refusal>> {
    let parts = function_parts(target.func, vm)?;
    let changes: Vec<&Change> = specialisations.iter().filter_map(|it| it.stats.why.as_ref()).chain(&why).collect();
    let count = |change: &Change| changes.iter().filter(|it| it.subject == change.subject).count();
    let most = changes.iter().copied().max_by_key(|change| count(change));
    let what = most.map_or_else(|| "its arguments".to_owned(), |change| change.subject.clone());
    let message = format!(
        "`{}` has been compiled {} times, because {what} keeps changing",
        parts.qualname,
        specialisations.len()
    );
    let last = why.map_or_else(String::new, |why| format!("the last change: {why}; "));
    let help =
        format!("{last}pass a number or an array where the value matters, and the same object where it does not");
    let mut refusal = Refusal::new("S414", message).help(help);
    let code = &parts.code.code;
    let line = code.first_line_number.map_or(1, |line| line.get() as u32);
    refusal.places.push(Place {
        file: code.source_path.as_str().to_owned(),
        line,
        column: 1,
        end: (line, 1),
        func: parts.qualname.to_string(),
    });
    Ok(Box::new(refusal))
}

/// The parameters of a function, and which are static: by `static=`, or annotated `Static`.
fn params(target: Target<'_>, code: &PyRef<PyCode>, vm: &VirtualMachine) -> PyResult<Params> {
    let flags = code.code.flags;
    let mut count = (code.code.arg_count + code.code.kwonlyarg_count) as usize;
    count += usize::from(flags.contains(CodeFlags::VARARGS));
    let kwargs = flags.contains(CodeFlags::VARKEYWORDS).then_some(count);
    count += usize::from(kwargs.is_some());
    let names: Vec<&'static str> = (0..count).map(|slot| crate::host::function::slot_name(code, slot)).collect();
    let annotations = target
        .func
        .get_attr("__annotations__", vm)
        .ok()
        .and_then(|it| it.downcast::<rustpython_vm::builtins::PyDict>().ok());
    let mut is_static = Vec::with_capacity(count);
    for name in &names {
        let annotation = match &annotations {
            Some(annotations) => annotations.get_item_opt(*name, vm)?,
            None => None,
        };
        let annotated = annotation.is_some_and(|it| crate::staged::is_static_annotation(&it));
        is_static.push(annotated || target.statics.iter().any(|it| it == name));
    }
    Ok(Params { names, is_static, kwargs })
}

/// A refusal as exception.
pub(crate) fn to_exception(failure: Failure, vm: &VirtualMachine) -> PyBaseExceptionRef {
    match failure {
        Failure::Refused(refusal) => staging_error::raise(&refusal, vm),
        Failure::Raised(exception) => exception,
    }
}
