//! The specialisations of a function: finding the one that fits a call, and making those that are missing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use rustpython_vm::builtins::{PyCode, PyList, PyTuple};
use rustpython_vm::bytecode::CodeFlags;
use rustpython_vm::common::lock::{PyMutex, PyMutexGuard};
use rustpython_vm::object::{Traverse, TraverseFn};
use rustpython_vm::{AsObject, PyObjectRef, PyRef, PyResult, VirtualMachine};

use super::knowing::Knowing;
use super::turn::Turn;
use super::varying::{holds_another, leading_to, other_objects};
use super::watched::{held_by, watch};
use super::{Change, Specialisation, Target, changes, changes_world};
use super::{Held, Reentry};
use crate::captured::Failure;
use crate::clock;
use crate::event::Event;
use crate::flatten::{self, Arg, Inputs, Key, Lengths, Params, Source, Varying};
use crate::governor;
use crate::guard::Guard;
use crate::held::traverse_own;
use crate::host::function::FunctionParts;
use crate::kind::wide_bits;
use crate::limits;
use crate::limits::budget::{TOO_SLOW, too_slow};
use crate::refusal::{Place, Refusal};
use crate::scalar;
use crate::staging_error::bug;
use crate::threads;
use crate::threads::{CHANGING, SHARED, changing};

/// How many specialisations a re-entry has at most.
const MAX_MIDDLES: usize = 8;
/// The refusal of a change of a record.
pub(super) const CHANGES_RECORD: &str = "S344";
/// After so many kinds of arguments that take too long, all do.
const ENOUGH_SLOW: usize = 4;
/// So many kinds of arguments are remembered as taking too long.
const MAX_SLOW: usize = 64;
/// After so many kinds of arguments for which code would change what other threads may see, no more code is made while
/// there are any.
const ENOUGH_SEEN: usize = 16;
/// So often code is made for a call while what it reads changes.
const MAX_TRIALS: usize = 3;
/// So many texts of a parameter are known by what they are, and lists by their items; then it is an object.
const FEW_OBJECTS: usize = 4;
/// Or fewer, if making the code for them took more work than this: it is as long as the text.
const LITTLE_WORK: u64 = 4000;
/// A list of the world with more numbers is an input when it has changed once, ...
const FEW_NUMBERS: usize = 32;
/// ... and any other one when so many specialisations were made.
const FEW_STATES: usize = 4;
/// The refusal of code that would cost too much beside what it saves.
pub(crate) const NOT_NOW: &str = "S415";

/// What a function's specialisations depend on beside the arguments, and the specialisations.
#[derive(Debug)]
pub(super) struct Snapshot {
    /// The code that all of this belongs to.
    code: PyRef<PyCode>,
    /// The parameters.
    pub(super) params: Params,
    /// Every parameter is positional, and there are so many.
    simple: Option<usize>,
    /// The latest first.
    pub(super) specialisations: Vec<Arc<Specialisation>>,
}

/// Where the code of a function lies.
#[derive(Debug, Default)]
pub(super) struct Shelf(PyMutex<Option<Arc<Snapshot>>>);

impl Shelf {
    fn lock(&self) -> PyMutexGuard<'_, Option<Arc<Snapshot>>> {
        self.0.lock()
    }

    /// Takes code off. What was there, to be dropped.
    pub(super) fn without(&self, goes: impl Fn(&Specialisation) -> bool) -> Option<Arc<Snapshot>> {
        let mut current = self.lock();
        let before = current.clone().filter(|it| it.specialisations.iter().any(|it| goes(it)))?;
        let stays = before.specialisations.iter().filter(|it| !goes(it)).cloned().collect();
        *current = Some(Arc::new(before.with(stays)));
        Some(before)
    }
}

impl Snapshot {
    /// The same function with this code.
    fn with(&self, specialisations: Vec<Arc<Specialisation>>) -> Self {
        Self { code: self.code.clone(), params: self.params.clone(), simple: self.simple, specialisations }
    }
}

/// The specialisations of one function.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    pub(super) snapshot: Arc<Shelf>,
    pub(super) lengths: PyMutex<Lengths>,
    /// What has changed between calls and is an input since.
    pub(super) varying: PyMutex<Varying>,
    /// Arguments that no code was made for in so much time.
    slow: PyMutex<Vec<(Key, Duration)>>,
    /// How many calls were plain because of an object whose end the program notices.
    pub(super) noticed: AtomicU32,
    /// Arguments for which code would change what other threads may see.
    seen: PyMutex<Vec<Key>>,
    /// How much the code knows of what is passed.
    pub(super) knowing: PyMutex<Knowing>,
    /// How often code was made that knows numbers which decide what arrays look like.
    pub(super) numbers: AtomicUsize,
    /// Which thread makes code.
    turn: Turn,
}

// SAFETY: each reference that is owned is shown once; what is locked or shared is left out.
unsafe impl Traverse for Cache {
    fn traverse(&self, show: &mut TraverseFn<'_>) {
        if let Some(snapshot) = self.snapshot.0.try_lock()
            && let Some(snapshot) = &*snapshot
            && Arc::strong_count(snapshot) == 1
        {
            snapshot.code.traverse(show);
            for specialisation in &snapshot.specialisations {
                traverse_own(specialisation, show);
            }
        }
        if let Some(varying) = self.varying.try_lock() {
            varying.traverse(show);
        }
        if let Some(knowing) = self.knowing.try_lock()
            && let Knowing::Less(varying) = &*knowing
        {
            varying.traverse(show);
        }
        if let Some(slow) = self.slow.try_lock() {
            slow.iter().for_each(|(key, _)| key.traverse(show));
        }
        if let Some(seen) = self.seen.try_lock() {
            seen.traverse(show);
        }
    }
}

/// A call whose arguments are bound, and what is known about its function.
pub(crate) struct Call {
    pub(super) snapshot: Arc<Snapshot>,
    /// The arguments, by local variable, as far as there are parameters.
    pub(crate) locals: Vec<Option<PyObjectRef>>,
    /// Those of them that compiled code only handed on, in the middle of a call.
    pub(super) handles: Vec<usize>,
}

impl Call {
    /// The parameters of the function that is called.
    pub(crate) fn params(&self) -> &Params {
        &self.snapshot.params
    }
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
        Self { snapshot: Arc::new(Shelf(PyMutex::new(Some(Arc::new(snapshot))))), ..Self::default() }
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
        let call = Call { snapshot, locals: held.objects.clone(), handles: held.handles.clone() };
        match Self::known(target, &call, inputs, vm)? {
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
        let cells = target.cells.iter().cloned().map(Some);
        if snapshot.simple == Some(args.args.len()) && args.kwargs.is_empty() {
            let locals = args.args.into_iter().map(Some).chain(cells).collect();
            return Ok(Call { snapshot, locals, handles: Vec::new() });
        }
        let mut locals = crate::host::function::bind(&function_parts(target.func, vm)?, args, vm)?;
        locals.truncate(snapshot.params.names.len());
        locals.extend(cells);
        Ok(Call { snapshot, locals, handles: Vec::new() })
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
        *self.knowing.lock() = Knowing::All;
        self.numbers.store(0, Ordering::Relaxed);
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
        match Self::known(target, call, inputs, vm)? {
            Some(known) => Ok(known),
            None => self.add(target, call, &[], inputs, vm),
        }
    }

    /// The specialisation for a call, if there is one.
    #[inline]
    fn known(
        target: Target<'_>,
        call: &Call,
        inputs: &mut Inputs,
        vm: &VirtualMachine,
    ) -> Result<Option<Arc<Specialisation>>, Failure> {
        let counts_ticks = limits::counts_ticks();
        for specialisation in &call.snapshot.specialisations {
            let is_outdated = specialisation.is_outdated.load(Ordering::Relaxed);
            if specialisation.counts_ticks != counts_ticks || is_outdated || !specialisation.serves(target.shared) {
                continue;
            }
            if specialisation.fill(&call.locals, target.shared, inputs, vm)? {
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
        if !target.shared {
            return self.add_now(target, call, new, inputs, vm);
        }
        if self.is_seen(call, inputs, vm)? {
            return Err(Box::new(changes_world()).into());
        }
        let _turn = self.turn.wait(vm)?;
        // Another thread may have made it meanwhile.
        let latest = self.snapshot.lock().clone().filter(|it| it.code.is(&call.snapshot.code));
        let call = &Call {
            snapshot: latest.unwrap_or_else(|| call.snapshot.clone()),
            locals: call.locals.clone(),
            handles: call.handles.clone(),
        };
        match Self::known(target, call, inputs, vm)? {
            Some(known) => Ok(known),
            None => self.add_now(target, call, new, inputs, vm),
        }
    }

    /// Whether code for arguments like these would change what other threads may see.
    fn is_seen(&self, call: &Call, inputs: &mut Inputs, vm: &VirtualMachine) -> Result<bool, Failure> {
        let seen = self.seen.lock().clone();
        for key in &seen {
            let fits = key.fill(&call.locals, inputs, vm)?;
            inputs.clear();
            if fits {
                return Ok(true);
            }
        }
        Ok(seen.len() >= ENOUGH_SEEN)
    }

    fn add_now(
        &self,
        target: Target<'_>,
        call: &Call,
        new: &[usize],
        inputs: &mut Inputs,
        vm: &VirtualMachine,
    ) -> Result<Arc<Specialisation>, Failure> {
        for _ in 0..MAX_TRIALS {
            let shared = !threads::is_alone(target.config, vm);
            let target = Target { shared, passed: &call.locals, ..target };
            match self.try_add(target, call, new, inputs, vm) {
                Err(Failure::Refused(refusal)) if refusal.code == CHANGING && target.middle.is_none() => inputs.clear(),
                Err(Failure::Refused(refusal)) if refusal.code == SHARED => {
                    let mut lengths = Lengths::default();
                    let varying = Varying::default();
                    let key = flatten::key_of(&call.locals, &call.snapshot.params, &varying, &mut lengths, vm);
                    let mut seen = self.seen.lock();
                    if let (Ok(key), true) = (key, seen.len() < ENOUGH_SEEN) {
                        seen.push(key);
                    }
                    return Err(refusal.into());
                }
                added => return added,
            }
        }
        Err(Box::new(changing()).into())
    }

    fn try_add(
        &self,
        target: Target<'_>,
        call: &Call,
        new: &[usize],
        inputs: &mut Inputs,
        vm: &VirtualMachine,
    ) -> Result<Arc<Specialisation>, Failure> {
        if target.middle.is_none() {
            governor::call_begins();
        }
        let latest = call.snapshot.specialisations.first();
        let wasted = latest.is_some_and(|it| it.stats.calls.load(Ordering::Relaxed) < 2);
        if target.governor.is_some_and(|governor| !target.strict && !governor.may_make(wasted)) {
            return Err(not_now().into());
        }
        self.learn(call, target, vm);
        let time = target.allowance().time;
        let (is_hurried, patience) = (target.is_hurried(time), target.patience());
        if let Some(time) = time {
            self.not_slow(call, time, inputs, vm)?;
        }
        let began = clock::now();
        let made = self.make(target, call, new, vm);
        if let Some(governor) = target.governor {
            let took = Duration::from_secs_f64((clock::now() - began).max(0.0));
            // What was given up had its work counted, so that it costs the same on a machine that is slow.
            let is_given_up = matches!(&made, Err(Failure::Refused(refusal)) if refusal.code == TOO_SLOW);
            let most = patience.filter(|_| is_given_up).unwrap_or(Duration::MAX);
            governor.made(took.min(most), made.is_err());
        }
        let specialisation = match made {
            // Another call may have more time for it.
            Err(Failure::Refused(refusal)) if refusal.code == TOO_SLOW && is_hurried => {
                return Err(not_now().into());
            }
            Err(Failure::Refused(refusal)) if refusal.code == TOO_SLOW => {
                if self.know_less(target, call, new, vm) {
                    return Err(not_now().into());
                }
                self.is_slow(call, time.unwrap_or_default(), vm);
                return Err(refusal.into());
            }
            made => made?,
        };
        // A handler of a signal or another thread may have changed what was read.
        if !specialisation.fill(&call.locals, target.shared, inputs, vm)? {
            return Err(Box::new(changing()).into());
        }
        specialisation.check_aliases(&call.locals, inputs)?;
        Ok(specialisation)
    }

    /// Whether code for arguments like these is worth another try.
    fn not_slow(&self, call: &Call, time: Duration, inputs: &mut Inputs, vm: &VirtualMachine) -> Result<(), Failure> {
        let slow = self.slow.lock().clone();
        if slow.iter().filter(|(_, tried)| *tried >= time).count() >= ENOUGH_SLOW {
            return Err(too_slow().into());
        }
        for (key, _) in slow.iter().filter(|(_, tried)| *tried >= time) {
            if key.fill(&call.locals, inputs, vm)? || looks_like(key, &call.locals, vm) {
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
    fn learn(&self, call: &Call, target: Target<'_>, vm: &VirtualMachine) {
        let Some(latest) = call.snapshot.specialisations.first() else { return };
        if target.crosses && !target.alone {
            self.learn_objects(call, latest, target.strict, vm);
        }
        let failed: Vec<_> = latest.captured.guards.iter().filter(|guard| !guard.holds(vm)).collect();
        let changed: Vec<_> = failed.iter().filter_map(|guard| guard.container(vm)).collect();
        let mut classes = Vec::new();
        for (arg, object) in latest.key.args.iter().zip(&call.locals) {
            let (Some(arg), Some(object)) = (arg, object) else { continue };
            other_objects(arg, object, &mut classes, vm);
            if matches!(arg, Arg::Static(before) if before.is(object)) {
                leading_to(object, &changed, &mut classes, vm);
            }
        }
        let mut varying = self.varying.lock();
        if !classes.is_empty() {
            // What was read of the other object says nothing about this one.
            for class in classes {
                varying.take_apart(class);
            }
            self.see_before(call, latest, &varying, vm);
            return;
        }
        // A dict that was passed is passed from the second one on.
        let is_argument = |source: &Source| match source {
            Source::Members(object) => {
                let mut statics = latest.key.args.iter().flatten().flat_map(flatten::static_objects);
                call.locals.iter().flatten().any(|it| it.is(object)) || statics.any(|it| it.is(object))
            }
            Source::Item { .. } | Source::Cell(_) | Source::Table(_) => false,
        };
        // A short list is known by its items while it has a few states: they can be unpacked then.
        let is_known = |guard: &Guard| {
            let few = call.snapshot.specialisations.len() < FEW_STATES;
            few && guard.list().is_some_and(|list| !flatten::holds_numbers(list, FEW_NUMBERS, vm))
        };
        for guard in &failed {
            let within = guard.list().and_then(|list| latest.captured.guards.iter().find(|it| it.holds_row(list)));
            let guard = within.unwrap_or(guard);
            if let Some(source) = guard.source(vm).filter(|it| !is_argument(it) && !is_known(guard)) {
                varying.add(source);
            }
        }
    }

    /// Notes the sizes and named numbers in what was passed before, now that it is taken apart: those of this call may be
    /// others.
    fn see_before(&self, call: &Call, latest: &Specialisation, varying: &Varying, vm: &VirtualMachine) {
        let before = latest.key.args.iter().map(|arg| match arg {
            Some(Arg::Static(object)) => Some(object.clone()),
            _ => None,
        });
        let before: Vec<_> = before.collect();
        // What cannot be taken apart is refused when code is made for it.
        let _ = flatten::key_of(&before, call.params(), varying, &mut self.lengths.lock(), vm);
    }

    /// A text is known by what it is while a few are seen and the code for each is made with little work, and where plain
    /// Python may go on, so is a dict or object of the host; a list of objects of the program by its items while it has a
    /// few lengths, and an object of the program by its attributes while what they hold are a few; then it is an object.
    fn learn_objects(&self, call: &Call, latest: &Specialisation, strict: bool, vm: &VirtualMachine) {
        let specialisations = &call.snapshot.specialisations;
        let work: u64 = specialisations.iter().map(|it| it.stats.work).sum();
        if specialisations.len() < FEW_OBJECTS && work < LITTLE_WORK {
            return;
        }
        let is_text = |it: &PyObjectRef| it.class().is(vm.ctx.types.str_type);
        let mut varying = self.varying.lock();
        for (local, (arg, object)) in latest.key.args.iter().zip(&call.locals).enumerate() {
            let (Some(arg), Some(object)) = (arg, object) else { continue };
            let is_other = match arg {
                Arg::Static(known) => (is_text(known) || !strict) && holds_another(arg, object, vm),
                Arg::Instance { .. } | Arg::Names(_) => holds_another(arg, object, vm),
                Arg::List(items) => object.downcast_ref_if_exact::<PyList>(vm).is_some_and(|it| {
                    let now = it.borrow_vec();
                    let is_mixed = || items.iter().zip(now.iter()).any(|(arg, it)| is_of_another_class(arg, it));
                    now.first().is_some_and(flatten::is_instance) && (now.len() != items.len() || is_mixed())
                }),
                _ => false,
            };
            if is_other && !varying.objects.contains(&local) {
                varying.objects.push(local);
            }
        }
    }

    pub(super) fn specialise(
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
        let held = held_by(&made);
        let mut current = self.snapshot.lock();
        if let Some(current) = &mut *current
            && current.code.is(&snapshot.code)
        {
            let mut specialisations = vec![made.clone()];
            let is_good = |it: &&Arc<Specialisation>| !it.is_outdated.load(Ordering::Relaxed);
            specialisations.extend(current.specialisations.iter().filter(is_good).cloned());
            // Under the lock: who makes a weak reference meanwhile waits, and finds the code.
            watch(&self.snapshot, &held);
            *current = Arc::new(current.with(specialisations));
        }
        Ok(made)
    }

    /// A specialisation for arguments that are not there yet, of which the key tells the types, and defaults.
    pub(crate) fn for_key(
        &self,
        target: Target<'_>,
        mut key: Key,
        vm: &VirtualMachine,
    ) -> Result<Arc<Specialisation>, Failure> {
        let snapshot = self.snapshot(target, vm)?;
        let parts = function_parts(target.func, vm)?;
        let count = key.args.len();
        let stand_ins = key.args.iter().map(|_| vm.ctx.none()).collect::<Vec<_>>();
        let mut locals = crate::host::function::bind(&parts, stand_ins.into(), vm)?;
        locals.truncate(snapshot.params.names.len());
        if count > snapshot.code.code.arg_count as usize {
            let message = "a compiled handle cannot be given the arguments of `*args`";
            return Err(Box::new(Refusal::new("S413", message)).into());
        }
        let mut rest = locals.clone();
        rest[..count].fill(None);
        let fixed = Params { is_static: vec![true; locals.len()], ..snapshot.params.clone() };
        let defaults = flatten::key_of(&rest, &fixed, &Varying::default(), &mut Lengths::default(), vm)?;
        key.args.extend(defaults.args.into_iter().skip(count));
        // Without the VM there is no plain Python to go on with.
        let made = self.specialise(Target { alone: true, ..target }, &snapshot, key, false, vm)?;
        let reason = made.resumes().next().map(|it| it.reason.clone());
        reason.map_or(Ok(made), |reason| Err(Box::new(reason).into()))
    }
}

/// Making code for the function takes too large a part of what its calls take.
fn not_now() -> Box<Refusal> {
    let message = "code for these arguments is not made: making code for the function takes longer than it saves";
    Box::new(Refusal::new(NOT_NOW, message).help("pass numbers and arrays, and the same objects, or do not stage it"))
}

fn function_parts(func: &PyObjectRef, vm: &VirtualMachine) -> PyResult<FunctionParts> {
    crate::host::function::parts(func, vm)?.ok_or_else(|| bug(vm, "what is staged is no function"))
}

/// Whether arguments differ from those of a key in which objects they are, and in nothing else that can be seen from outside.
fn looks_like(key: &Key, locals: &[Option<PyObjectRef>], vm: &VirtualMachine) -> bool {
    fn is_like(arg: &Arg, object: &PyObjectRef, vm: &VirtualMachine) -> bool {
        match arg {
            Arg::Static(known) if keeps(arg, vm) => object.class().is(known.class()),
            Arg::Static(known) => crate::scalar::same(known, object, vm),
            Arg::Function(known) => object.class().is(known.class()),
            Arg::Leaf { ty } => scalar::scalar_type(object, vm) == Some(*ty),
            Arg::Wide => wide_bits(object, vm).is_some(),
            Arg::Instance { class, .. } | Arg::Record { class, .. } => object.class().is(class),
            Arg::Tuple(items) => object.downcast_ref_if_exact::<PyTuple>(vm).is_some_and(|tuple| {
                tuple.len() == items.len() && items.iter().zip(tuple.as_slice()).all(|(arg, it)| is_like(arg, it, vm))
            }),
            Arg::Named(class, items) => {
                let tuple = object.downcast_ref::<PyTuple>().filter(|_| object.class().is(class));
                tuple.is_some_and(|it| items.iter().zip(it.as_slice()).all(|(arg, it)| is_like(arg, it, vm)))
            }
            Arg::List(items) => object.downcast_ref_if_exact::<PyList>(vm).is_some_and(|list| {
                let list = list.borrow_vec();
                list.len() == items.len() && items.iter().zip(list.iter()).all(|(arg, it)| is_like(arg, it, vm))
            }),
            Arg::Keywords(_) | Arg::Names(_) | Arg::Items(_) | Arg::Cell(_) | Arg::Same(_) | Arg::Empty { .. } => false,
        }
    }
    key.args.iter().zip(locals).all(|pair| match pair {
        (Some(arg), Some(object)) => is_like(arg, object, vm),
        (arg, object) => arg.is_none() && object.is_none(),
    })
}

/// Whether an object of the program is passed where one of another class was.
fn is_of_another_class(arg: &Arg, object: &PyObjectRef) -> bool {
    let before = match arg {
        Arg::Static(before) if flatten::is_instance(before) => before.class(),
        Arg::Instance { class, .. } | Arg::Record { class, .. } => class,
        _ => return false,
    };
    !before.is(object.class())
}

/// Whether a key with this argument keeps an object that the program may wait for the end of.
pub(super) fn keeps(arg: &Arg, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    match arg {
        Arg::Static(object) => {
            let values = [types.none_type, types.str_type, types.bytes_type, types.int_type, types.float_type];
            !values.iter().chain([&types.bool_type]).any(|class| object.class().is(*class))
        }
        Arg::Function(_) => true,
        Arg::Cell(arg) => keeps(arg, vm),
        Arg::Tuple(items) | Arg::Named(_, items) | Arg::List(items) => items.iter().any(|it| keeps(it, vm)),
        Arg::Keywords(items) | Arg::Names(items) => items.iter().any(|(_, it)| keeps(it, vm)),
        Arg::Instance { attributes: items, .. } => items.iter().any(|(_, it)| keeps(it, vm)),
        Arg::Leaf { .. } | Arg::Wide | Arg::Items(_) | Arg::Same(_) | Arg::Record { .. } | Arg::Empty { .. } => false,
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
        let annotated = annotation.is_some_and(|it| crate::parameter::is_static_annotation(&it));
        is_static.push(annotated || target.statics.iter().any(|it| it == name));
    }
    let closure = match target.cells.is_empty() {
        true => Vec::new(),
        false => code.code.freevars.iter().map(|it| it.as_str().to_owned()).collect(),
    };
    Ok(Params { names, is_static, kwargs, apart: target.derived.is_some(), closure, is_middle: false })
}
