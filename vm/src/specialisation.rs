//! Specialisations: the code of one function for one kind of arguments, and the cache of them.
//!
//! A specialisation may be used while the arguments look like its key and the world holds what its capture
//! read (its guards). If none fits, another one is made. How many there can be is bounded, so that a
//! program whose every call looks different is told so and does not compile for ever.

mod aliases;
mod anew;
mod apart;
mod cache;
mod changes;
mod knowing;
mod making;
mod reentry;
pub(crate) mod replay;
mod sized;
mod tiers;
mod turn;
mod varying;
pub(crate) mod watched;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::mem::take;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use rustpython_vm::object::{Traverse, TraverseFn};
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::backend::{self, Code};
use snekpy_stage::ir::Module;
use snekpy_stage::op::{ObjectOp, Op};
use snekpy_stage::pass::{self, Observer};
use snekpy_stage::sizes;
use snekpy_stage::tensor::device::{Made, kernels};
use snekpy_stage::verify::verify;

use crate::callable::{Differentiation, Orders};
use crate::capture::element::Elements;
use crate::capture::ends;
use crate::capture::session::Mode;
use crate::captured::{Captured, Failure, OfArguments, Start};
use crate::config::StagingConfig;
use crate::differentiate;
use crate::exit::{ExitKind, Resume};
use crate::flatten::{self, Arg, Inputs, Key, Params, Source};
use crate::governor::{Governor, PATIENCE};
use crate::guard::Guard;
use crate::host::function::FunctionParts;
use crate::interrupt::signals;
use crate::limits::budget::too_slow;
use crate::limits::{self, Allowance, budget};
use crate::object::Identities;
use crate::refusal::Refusal;
use crate::scalar::type_name;
use crate::staging_error::bug;
use crate::threads::{SHARED, changing};

pub(crate) use anew::{Core, core_of};
pub(crate) use cache::{Cache, Call, NOT_NOW};
pub(crate) use changes::Change;
pub(crate) use reentry::{Back, Held, Pace, Reentries, Reentry, Stepped, Stepping};
pub(crate) use replay::Replays;

use aliases::{arg_reaches, known_objects};
use apart::{apart, fits, is_long};
use sized::Sized;
use tiers::Tiers;

/// How often what others change is read, before a call is plain.
const MAX_LOOKS: usize = 16;

/// The forms that code can be looked at in, from the program to the machine.
const FORMS: [&str; 8] = ["captured", "ir", "sexpr", "plan", "tape", "ptx", "llvm", "asm"];

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
    /// Whether it was made for calls that are not alone.
    shared: bool,
    /// Whether it would be the same for calls that are alone and those that are not.
    is_quiet: bool,
    /// Whether it computes derivatives.
    pub(crate) is_derived: bool,
    /// What runs.
    pub(crate) code: Tiers,
    /// How many slots the results take.
    pub(crate) result_slots: usize,
    /// How many slots the largest payload of an exit takes.
    pub(crate) payload_slots: usize,
    /// How many slots the arguments of each function of the host take.
    pub(crate) host_slots: Vec<usize>,
    /// How many functions of the host there are, if one is carried out by compiled code, else 0.
    pub(crate) nests: usize,
    /// Whether the code keeps objects in lists: then there may be many at a time.
    pub(crate) keeps: bool,
    /// The parameters that are static, by local variable.
    pub(crate) statics: Vec<usize>,
    pub(crate) func: PyObjectRef,
    /// How it is staged.
    pub(crate) config: Arc<StagingConfig>,
    /// Where calls that have left may come back to.
    pub(crate) reentries: Weak<Reentries>,
    /// Lists of the world that the code knows.
    pub(crate) known_objects: Identities,
    /// Whether better code could be made by now.
    pub(crate) is_outdated: AtomicBool,
    /// What tensors of these sizes mean to the code.
    sized: Sized,
    /// Which of its calls are begun again on a device without running it.
    pub(crate) replays: Replays,
    /// What is known about it.
    pub(crate) stats: Stats,
}

// SAFETY: each reference that is owned is shown once; what is shared is left out.
unsafe impl Traverse for Specialisation {
    fn traverse(&self, show: &mut TraverseFn<'_>) {
        self.key.traverse(show);
        self.captured.traverse(show);
        self.func.traverse(show);
    }
}

/// What is known about a specialisation.
#[derive(Debug)]
pub(crate) struct Stats {
    /// Why it was made.
    pub(crate) why: Option<Change>,
    /// How many calls it has served.
    pub(crate) calls: AtomicU64,
    /// The work of capturing and optimising ([`budget`]).
    pub(crate) work: u64,
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
        target: Target<'_>,
        allowance: Allowance,
        vm: &VirtualMachine,
    ) -> Result<Self, Failure> {
        let Target { alone, elements, shared, derived, .. } = target;
        let mode = match (target.strict, target.crosses) {
            (true, false) => Mode::Strict,
            (true, true) => Mode::Crossing,
            (false, _) => Mode::Lenient,
        };
        let orders = derived.map_or_else(Orders::default, |it| it.orders());
        let around = crate::capture::Around { passed: target.passed, detached: alone, elements, shared, orders };
        let span = tracing::debug_span!("capture", of = %start.name()).entered();
        let began = Instant::now();
        let mut captured = crate::capture::call_capture(start, key, mode, around, allowance, vm)?;
        if shared && captured.has_effects() {
            return Err(Box::new(changes_world()).into());
        }
        if !alone {
            ends::check_held(&captured, key, vm)?;
        }
        let capture = began.elapsed();
        drop(span);
        let is_derived = derived.is_some() || !captured.nested.is_empty();
        let needs_sizes = |captured: &Captured| {
            captured.leaves()
                || is_derived && (sized::has_positions(&captured.module) || sized::decides(&captured.module))
        };
        if !key.sizes.is_empty() && needs_sizes(&captured) {
            return Err(Failure::Learn(OfArguments::Sizes));
        }
        differentiate::forget_marks(&mut captured);
        verify(&captured.module).map_err(|violations| bug(vm, &violations.to_string()))?;
        let filled = differentiate::fill(&mut captured, alone, vm).and_then(|()| match (derived, start) {
            (Some(derived), Start::Call { parts, .. }) => Ok(derived.apply(&mut captured, key, parts, vm)?),
            _ => Ok(()),
        });
        // What is wrong is said with sizes.
        filled.map_err(|failure| if key.sizes.is_empty() { failure } else { Failure::Learn(OfArguments::Sizes) })?;
        differentiate::finish(&mut captured);
        captured.prune();
        let unoptimised = captured.module.clone();
        budget::spend_on(&captured.module, allowance.is_quick);
        if allowance.is_over() {
            return Err(too_slow().into());
        }
        let began = Instant::now();
        let module = take(&mut captured.module);
        let optimise = move || {
            let mut module = module;
            let _span = tracing::debug_span!("optimise", of = %module.funcs[module.main()].name).entered();
            let mut observer = Observer::new();
            observer.verify = cfg!(debug_assertions);
            let optimised = pass::optimise(&mut module, pass::standard(), &mut observer);
            (module, optimised.map_err(|violations| violations.to_string()))
        };
        let check = || target.check_interrupts(vm);
        let (module, optimised) = apart(is_long(&unoptimised), optimise, check, vm)?;
        optimised.map_err(|violations| bug(vm, &violations))?;
        captured.module = module;
        captured.prune();
        if !key.sizes.is_empty() && sized::hosts(&key.sizes, &unoptimised, &captured.module).is_none() {
            return Err(Failure::Learn(OfArguments::Sizes));
        }
        Ok(Self { captured, unoptimised, capture, optimise: began.elapsed() })
    }
}

impl Specialisation {
    /// Where calls go on as plain Python.
    pub(crate) fn resumes(&self) -> impl Iterator<Item = &Resume> {
        self.captured.exits.iter().filter_map(|exit| match exit {
            ExitKind::Resume(resume) => Some(&**resume),
            ExitKind::Checkpoint(resume) | ExitKind::Restart(resume) if resume.count.load(Ordering::Relaxed) > 0 => {
                Some(&**resume)
            }
            ExitKind::Checkpoint(_)
            | ExitKind::Restart(_)
            | ExitKind::Failure
            | ExitKind::Return { .. }
            | ExitKind::Raise { .. }
            | ExitKind::Again { .. } => None,
        })
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
            Some(reentry) => Start::Middle(&reentry.entry),
            None => Start::Call { func: target.func, parts },
        };
        let allowance = target.allowance();
        let _paused = limits::pause_ticks();
        let spent = budget::spent();
        let Ir { mut captured, unoptimised, capture, optimise } = Ir::make(start, &key, target, allowance, vm)?;
        let work = budget::spent().wrapping_sub(spent);
        target.check_interrupts(vm)?;
        if allowance.is_over() {
            return Err(too_slow().into());
        }
        if !fits(&captured.module) {
            let message = "there is not enough memory for compiling this";
            return Err(Box::new(Refusal::new(budget::TOO_SLOW, message)).into());
        }
        let began = Instant::now();
        let is_governed = !target.strict && target.governor.is_some_and(Governor::is_on);
        let quick = config.quick.clone().filter(|_| is_governed);
        let module = Arc::new(take(&mut captured.module));
        let (backend, given) = (Arc::clone(&config.backend), Arc::clone(&module));
        let compile = move || Tiers::compile(&backend, quick.as_ref(), &given);
        let compiled = apart(is_long(&module), compile, || target.check_interrupts(vm), vm)?;
        captured.module = Arc::unwrap_or_clone(module);
        let code = compiled.map_err(|error| backend_failed(&error, config))?;
        let compile = began.elapsed();
        target.check_interrupts(vm)?;
        let is_quiet = !captured.has_effects()
            && !captured.crosses()
            && !captured.leaves_for_others()
            && key.sources.iter().all(Source::is_shareable);
        let slots = |types: &[snekpy_stage::types::Type]| types.iter().map(|&ty| backend::slots(ty)).sum();
        Ok(Self {
            known_objects: known_objects(&captured, &key.sources).into(),
            replays: Replays::of(&captured),
            key,
            result_slots: slots(&captured.module.funcs[captured.module.main()].results),
            payload_slots: backend::payload_slots(&captured.module),
            nests: match &captured.module.hosts {
                hosts if hosts.values().any(|it| it.nest) => hosts.len(),
                _ => 0,
            },
            keeps: keeps(&captured.module),
            host_slots: captured.module.hosts.values().map(|host| slots(&host.params)).collect(),
            counts_ticks: allowance.counts_ticks,
            shared: target.shared,
            is_quiet,
            is_derived: target.derived.is_some(),
            statics: (0..params.is_static.len()).filter(|&it| params.is_static[it]).collect(),
            func: target.func.clone(),
            config: config.clone(),
            reentries: target.reentries.clone(),
            captured,
            unoptimised,
            code,
            is_outdated: AtomicBool::new(false),
            sized: Sized::default(),
            stats: Stats { why, calls: AtomicU64::new(0), work, capture, optimise, compile },
        })
    }

    /// What runs now.
    #[inline]
    pub(crate) fn code(&self) -> &Arc<dyn Code> {
        self.code.now(&self.config.backend, &self.captured.module)
    }

    /// How many slots the compiled code is given.
    pub(crate) fn param_slots(&self) -> usize {
        let main = &self.captured.module.funcs[self.captured.module.main()];
        main.params().iter().map(|&param| backend::slots(main.ty(param))).sum()
    }

    /// What the compiled code is given.
    pub(crate) fn param_types(&self) -> Vec<snekpy_stage::types::Type> {
        self.captured.module.funcs[self.captured.module.main()].param_types()
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

    /// Whether it is known not to be for tensors of these sizes.
    fn refuses(&self, sizes: &sizes::Sizes) -> bool {
        self.sized.refuses(sizes)
    }

    /// Whether it is for calls that are shared, or for those that are not.
    #[inline]
    fn serves(&self, shared: bool) -> bool {
        self.is_quiet || self.shared == shared
    }

    /// Whether a call with these arguments fits; then the inputs are what the code is to be given. What others may
    /// change is read twice: if both times it is the same, it was all there at one moment.
    #[inline]
    fn fill(
        &self,
        locals: &[Option<PyObjectRef>],
        shared: bool,
        inputs: &mut Inputs,
        vm: &VirtualMachine,
    ) -> Result<bool, Failure> {
        inputs.begin(shared);
        if !self.key.fill(locals, inputs, vm)? || !self.holds(vm) {
            return Ok(false);
        }
        if !inputs.sizes.is_empty() {
            inputs.hosts = self.sized.at(inputs.sizes, &self.unoptimised, &self.captured.module);
            if inputs.hosts.is_none() {
                return Ok(false);
            }
        }
        if !shared {
            return Ok(true);
        }
        for _ in 0..MAX_LOOKS {
            inputs.see(&self.key, locals);
            if self.is_as_in(locals, inputs, vm)? {
                return Ok(true);
            }
            let hosts = inputs.hosts.take();
            inputs.clear();
            inputs.hosts = hosts;
            inputs.begin(shared);
            if !self.key.fill(locals, inputs, vm)? || !self.holds(vm) {
                return Ok(false);
            }
        }
        Err(Box::new(changing()).into())
    }

    /// Whether the world, and what a call with these arguments is given, are what they were.
    pub(crate) fn is_as_in(
        &self,
        locals: &[Option<PyObjectRef>],
        inputs: &Inputs,
        vm: &VirtualMachine,
    ) -> PyResult<bool> {
        let mut again = Inputs::default();
        Ok(self.key.fill(locals, &mut again, vm)? && self.holds(vm) && inputs.are_like(&again, &self.key))
    }

    /// Whether what the code relies on is still so, in the middle of a call with these inputs.
    pub(crate) fn still_holds(&self, inputs: &Inputs, vm: &VirtualMachine) -> bool {
        self.holds(vm) && self.key.sources_hold(inputs, vm)
    }

    /// The objects among these arguments that the code has taken apart.
    pub(crate) fn objects_of(&self, locals: &[Option<PyObjectRef>]) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        for (arg, object) in self.key.args.iter().zip(locals) {
            if let (Some(arg), Some(object)) = (arg, object) {
                aliases::taken_apart(arg, object, &mut found);
            }
        }
        found.extend(self.key.rows_of_sources());
        found
    }

    /// A list that is passed and also read as a part of the world is one list; the code has two. So is a record that
    /// the code changes as a part of the world.
    fn check_aliases(&self, locals: &[Option<PyObjectRef>], inputs: &Inputs) -> Result<(), Box<Refusal>> {
        let touched = |id: usize| self.captured.touched.iter().any(|it| it.get_id() == id);
        let record =
            !self.captured.touched.is_empty() && inputs.table.as_ref().is_some_and(|table| table.has_dict_in(touched));
        if self.known_objects.all().is_empty() && !record {
            return Ok(());
        }
        let rows = self.key.rows_of_sources();
        let known = self.known_objects.all();
        let shared =
            rows.iter().any(|id| known.contains(id)) || rows.len() > rows.iter().collect::<BTreeSet<_>>().len();
        let known: Cow<'_, BTreeSet<usize>> = match rows.is_empty() {
            true => Cow::Borrowed(known),
            false => Cow::Owned(known.iter().copied().chain(rows).collect()),
        };
        let reaches_any = |(arg, object): (&Option<Arg>, &PyObjectRef)| {
            arg.as_ref().is_some_and(|arg| arg_reaches(arg, object, &known))
        };
        let bound = self.key.args.iter().zip(locals).filter_map(|(arg, object)| Some((arg, object.as_ref()?)));
        match record || shared || bound.into_iter().any(reaches_any) {
            false => Ok(()),
            true => Err(Box::new(
                Refusal::new("S412", "an argument is an object that the function also reads by another way")
                    .help("read it by one way only"),
            )),
        }
    }

    /// Whether code can be looked at in this form.
    pub(crate) fn check_form(form: &str, vm: &VirtualMachine) -> PyResult<()> {
        match FORMS.contains(&form) {
            true => Ok(()),
            false => Err(vm.new_value_error(format!("there is no view `{form}`, the views are: {}", FORMS.join(", ")))),
        }
    }

    /// The kernels that operations on tensors of devices are, as PTX.
    fn ptx(&self, vm: &VirtualMachine) -> PyResult<String> {
        let writer = crate::config::writer(vm);
        let writer = writer.ok_or_else(|| vm.new_value_error("this interpreter writes no PTX"))?;
        let made = kernels(&self.captured.module).map_err(|error| vm.new_value_error(error.to_string()))?;
        let text = made.iter().enumerate().map(|(number, made)| {
            let text = match made {
                Made::Sweep(sweep) => writer.inspect_sweep(sweep, "ptx"),
                Made::Kernel(kernel) => writer.inspect(kernel, "ptx"),
                Made::Product(product, epilogue) => writer.inspect_product(product, epilogue.as_ref(), "ptx"),
            };
            text.map(|text| format!("// kernel {number}: {made}\n{text}"))
        });
        let text: Result<Vec<String>, _> = text.collect();
        match text.map_err(|error| vm.new_value_error(error.to_string()))?.join("\n") {
            text if text.is_empty() => Ok("// no operations on tensors of devices\n".to_owned()),
            text => Ok(text),
        }
    }

    /// What is done with tensors, and which kernels of a device that becomes.
    fn plan(&self, vm: &VirtualMachine) -> PyResult<String> {
        let made = kernels(&self.captured.module).map_err(|error| vm.new_value_error(error.to_string()))?;
        let lines = made.iter().enumerate().map(|(number, made)| format!("kernel {number}: {made}\n"));
        let lines = lines.chain(self.replays.show());
        Ok(lines.fold(snekpy_stage::plan::plan(&self.captured.module), |text, line| text + &line))
    }

    /// The code in one of its forms: `ir`, `captured`, `sexpr`, `plan`, or one that the back end has.
    pub(crate) fn inspect(&self, form: &str, config: &StagingConfig, vm: &VirtualMachine) -> PyResult<String> {
        Self::check_form(form, vm)?;
        match form {
            "ir" => Ok(self.captured.module.to_string()),
            "captured" => Ok(self.unoptimised.to_string()),
            "plan" => self.plan(vm),
            "tape" => Ok(self.captured.tape.concat()),
            "sexpr" => Ok(snekpy_stage::sexpr::to_sexpr(&self.captured.module)),
            "ptx" => self.ptx(vm),
            _ => config
                .backend
                .inspect(&self.captured.module, form)
                .map_err(|error| vm.new_value_error(error.to_string())),
        }
    }
}

/// Whether code keeps objects in lists.
fn keeps(module: &Module) -> bool {
    module.ops().any(|op| matches!(op, Op::Object(ObjectOp::Keep)))
}

/// What the code would do at its end, others would see too late.
fn changes_world() -> Refusal {
    Refusal::new(SHARED, "the function changes what it is given or has read, which other threads may see")
}

fn backend_failed(error: &backend::BackendError, config: &StagingConfig) -> Box<Refusal> {
    Box::new(Refusal::new("S500", format!("the back end `{}` cannot compile this: {error}", config.backend.name())))
}

/// A function that has a cache, and how it is staged.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) func: &'a PyObjectRef,
    /// The names of the parameters that `static=` lists.
    pub(crate) statics: &'a [String],
    pub(crate) config: &'a Arc<StagingConfig>,
    /// Whether what cannot be compiled is refused, and not left to plain Python.
    pub(crate) strict: bool,
    /// Whether the VM may carry out instructions.
    pub(crate) crosses: bool,
    /// Whether there is no plain Python that a call could go on as.
    pub(crate) alone: bool,
    /// Whether elements of tensors are numbers.
    pub(crate) elements: Elements,
    /// Whether other threads may see what the call does.
    pub(crate) shared: bool,
    /// Where calls that have left may come back to.
    pub(crate) reentries: &'a Weak<Reentries>,
    /// How many signals had come when code was asked for.
    pub(crate) signals: u32,
    /// The re-entry that is meant, and not the function from its beginning.
    pub(crate) middle: Option<&'a Reentry>,
    /// What is passed in the call that asks for code, by local variable.
    pub(crate) passed: &'a [Option<PyObjectRef>],
    /// How what is captured is differentiated, if it is.
    pub(crate) derived: Option<&'a Differentiation>,
    /// What making code may cost, if anybody asks.
    pub(crate) governor: Option<&'a Governor>,
    /// The closure variables of the function, if they are arguments: it is made anew.
    pub(crate) cells: &'a [PyObjectRef],
}

impl Target<'_> {
    /// Looks for signals and limits while code is made. In the middle of a call they wait for its own frames: then there
    /// is no code this time.
    fn check_interrupts(&self, vm: &VirtualMachine) -> Result<(), Failure> {
        match self.middle {
            None => Ok(limits::check_all(vm)?),
            Some(_) if signals::count() != self.signals || limits::is_over() => Err(Box::new(changing()).into()),
            Some(_) => Ok(()),
        }
    }

    /// What making code may use. Without it there may be nothing to go on with.
    fn allowance(&self) -> Allowance {
        Allowance::now(!self.is_governed(), self.patience())
    }

    /// Whether there is less time for making code than there may be in another call, where that is all that limits it.
    fn is_hurried(&self, time: Option<Duration>) -> bool {
        self.patience().is_some_and(|it| it < PATIENCE && time.is_none_or(|time| time >= it))
    }

    fn is_governed(&self) -> bool {
        !self.strict && !self.alone
    }

    /// Whether compiled code may hand on what it is passed.
    fn may_hand_on(&self) -> bool {
        self.crosses && !self.alone && self.derived.is_none()
    }

    fn patience(&self) -> Option<Duration> {
        self.governor.filter(|_| self.is_governed()).and_then(Governor::patience)
    }
}
