//! Frames of RustPython that can be suspended, and go on any number of times.
//!
//! RustPython's frames cannot be copied from outside. But a function can be copied, and its copy can give away all
//! that is in its frame, if it is asked to: so a function that may be suspended runs as a copy of its code
//! ([`rewrite`]), and so does what it calls. Where somebody asks for the rest of the computation, the call returns
//! the *token*. Every frame that gets the token from what it has called gives itself away and returns the token,
//! out to who has started the outermost one and finds the frames here, as [`Record`]s. A frame goes on in a
//! further copy of its code that begins with a prologue ([`super::resume`]).
//!
//! A call that has to do something when the function it has called returns (`a * b` tries the next method,
//! `C()` gives the object) is a record as well: a [`Step`].
//!
//! In a copy, calls and operators go through `natives.rs`, and behind each of them it looks for the token. The
//! iterators that `for` made are copied, objects are shared; code called by native code is no copy, and there `shift`
//! raises a `ContinuationError`.

mod assemble;
mod iterator;
mod natives;
mod rewrite;
mod stack;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use rustpython_vm::builtins::{PyBaseExceptionRef, PyCode, PyDictRef, PyInt, PyTuple, PyTupleRef};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};

use super::function::{bound, make_function, parts};
use super::resume::{self, Entry, Extent, Wait, Way, attach, function_of, values_of};
use crate::code::{Code, Pc};
pub(crate) use iterator::Uncopied;
use natives::Step;
pub(crate) use natives::{Hooks, set_hooks};
pub(crate) use stack::{Kind, Stacks};

/// The copy of a code object whose frames can be suspended.
struct Twin {
    code: Code,
    sites: Vec<Site>,
}

/// A call in a copy.
struct Site {
    /// The CALL.
    pc: Pc,
    /// The value stack below its result.
    below: Vec<Kind>,
    /// The code that goes on here, and how it does: the latest one.
    landing: OnceLock<(Way, PyRef<PyCode>)>,
}

/// A frame that has given itself away.
struct Suspended {
    twin: Arc<Twin>,
    site: usize,
    globals: PyDictRef,
    /// Bottom first.
    stack: Vec<PyObjectRef>,
    /// The token for those that are unbound.
    locals: Vec<PyObjectRef>,
    /// The exception that it was handling.
    handled: Option<PyBaseExceptionRef>,
    /// How much further its units were than those of the copy: it may have had a prologue.
    prologue: u32,
}

/// A part of a suspended computation.
#[derive(Clone)]
enum Record {
    Frame(Arc<Suspended>),
    Step(Arc<Step>),
}

/// A suspended computation.
#[derive(Clone)]
pub(crate) struct Rest {
    /// Outermost first.
    records: Vec<Record>,
}

/// What a computation gave.
pub(crate) enum Outcome {
    /// It returned.
    Done(PyObjectRef),
    /// It asked for its rest, with this object.
    Asked(PyObjectRef, Rest),
}

/// Somebody has asked for the rest of the computation, and frames are giving themselves away.
struct Asking {
    what: PyObjectRef,
    /// Innermost first.
    records: Vec<Record>,
    /// The frame that gives itself away now, with what it has given of its stack, top first.
    frame: Option<(Arc<Twin>, usize, PyDictRef, Vec<PyObjectRef>)>,
}

/// What prologues take next.
enum Pending {
    Object(PyObjectRef),
    Function(PyObjectRef),
    Step(Arc<Step>),
    Outcome(PyResult),
}

thread_local! {
    static ASKING: RefCell<Option<Asking>> = const { RefCell::new(None) };
    /// Last first.
    static PENDING: RefCell<Vec<Pending>> = const { RefCell::new(Vec::new()) };
}

/// What a call returns when the frames are to give themselves away. No program ever sees it.
#[pyclass(module = "snekpy", name = "_Token")]
#[derive(Debug, PyPayload)]
struct Token {}

#[pyclass]
impl Token {}

#[cfg(test)]
mod tests;

/// Makes the native classes of this module.
pub(crate) fn make_classes() {
    use rustpython_vm::class::PyClassImpl;
    let _classes = [Token::make_static_type(), natives::Wrapped::make_static_type()];
}

pub(super) fn token(vm: &VirtualMachine) -> PyObjectRef {
    static TOKEN: OnceLock<PyObjectRef> = OnceLock::new();
    TOKEN.get_or_init(|| Token {}.into_ref(&vm.ctx).into()).clone()
}

fn is_token(object: &PyObject) -> bool {
    object.downcast_ref::<Token>().is_some()
}

/// Runs `callable(*args)` so that it can be suspended.
pub(crate) fn start(callable: PyObjectRef, args: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult<Outcome> {
    delimited(|| natives::call_with(callable, FuncArgs::from(args), vm))
}

/// Runs the rest of a computation with what the call that asked for it gives: a value, or an exception.
///
/// # Errors
/// What the computation raises, or why an iterator of it cannot be copied.
pub(crate) fn go_on(rest: &Rest, value: PyResult, vm: &VirtualMachine) -> PyResult<Outcome> {
    let mut pending = Vec::new();
    for record in &rest.records {
        match record {
            Record::Frame(frame) => frame.prepare(&mut pending, vm)?,
            Record::Step(step) => pending.push(Pending::Step(step.clone())),
        }
    }
    pending.push(Pending::Outcome(value));
    pending.reverse();
    let base = PENDING.with_borrow_mut(|it| {
        let base = it.len();
        it.extend(pending);
        base
    });
    let result = delimited(|| enter(vm));
    // After an interrupt in a prologue there may be some left.
    let left = PENDING.with_borrow_mut(|it| it.split_off(base.min(it.len())));
    drop(left);
    result
}

/// What in a suspended computation cannot be copied.
pub(crate) fn uncopied(rest: &Rest, vm: &VirtualMachine) -> Option<Uncopied> {
    rest.records.iter().find_map(|record| match record {
        Record::Frame(frame) => frame.iterators().find_map(|it| iterator::uncopied(it, vm)),
        Record::Step(_) => None,
    })
}

/// Runs a computation. Frames round it may be giving themselves away: a destructor or a signal handler runs then.
fn delimited(run: impl FnOnce() -> PyResult) -> PyResult<Outcome> {
    let round = ASKING.with_borrow_mut(Option::take);
    let result = run();
    let asking = ASKING.with_borrow_mut(|it| std::mem::replace(it, round));
    let result = result?;
    if !is_token(&result) {
        return Ok(Outcome::Done(result));
    }
    let asking = asking.expect("who gives the token has asked");
    let records = asking.records.into_iter().rev().collect();
    Ok(Outcome::Asked(asking.what, Rest { records }))
}

/// Asks for the rest of the computation: what is to be returned to the frame that called.
fn ask(what: PyObjectRef, vm: &VirtualMachine) -> PyObjectRef {
    ASKING.with_borrow_mut(|it| *it = Some(Asking { what, records: Vec::new(), frame: None }));
    token(vm)
}

/// Notes a step that is done when the rest goes on.
fn leave_step(step: Step, vm: &VirtualMachine) -> PyObjectRef {
    ASKING.with_borrow_mut(|it| {
        it.as_mut().expect("who gives the token has asked").records.push(Record::Step(Arc::new(step)));
    });
    token(vm)
}

/// A frame begins to give itself away.
fn begin(twin: Arc<Twin>, site: usize, vm: &VirtualMachine) {
    let globals = vm.current_globals();
    ASKING.with_borrow_mut(|it| {
        it.as_mut().expect("who gives the token has asked").frame = Some((twin, site, globals, Vec::new()));
    });
}

/// A frame gives away a tuple of its stack, a callable of it, or at last its local variables.
fn save(given: PyObjectRef, vm: &VirtualMachine) {
    let asking = ASKING.with_borrow_mut(Option::take).expect("who gives the token has asked");
    let saved = asking.save(given, vm);
    ASKING.with_borrow_mut(|it| *it = Some(saved));
}

impl Asking {
    fn save(mut self, given: PyObjectRef, vm: &VirtualMachine) -> Self {
        let (twin, site, globals, mut stack) = self.frame.take().expect("a frame begins before it gives");
        let below = &twin.sites[site].below;
        let left = below.len() - stack.len();
        if left == 0 {
            stack.reverse();
            let tuple: PyTupleRef = given.downcast().expect("the variables are given in a tuple");
            let prologue = if below.contains(&Kind::Lasti) { prologue_of_caller(&twin, vm) } else { 0 };
            let handled = vm.current_exception().filter(|_| below.contains(&Kind::Handled));
            let locals = tuple.as_slice().to_vec();
            let frame = Suspended { twin, site, globals, stack, locals, handled, prologue };
            self.records.push(Record::Frame(Arc::new(frame)));
            return self;
        }
        if matches!(below[left - 1], Kind::Null(_)) {
            stack.extend([vm.ctx.none(), given]);
        } else {
            let tuple: PyTupleRef = given.downcast().expect("values are given in a tuple");
            stack.extend(tuple.as_slice().iter().rev().cloned());
        }
        self.frame = Some((twin, site, globals, stack));
        self
    }
}

/// By how many units the code of the frame that runs is longer than the copy.
fn prologue_of_caller(twin: &Twin, vm: &VirtualMachine) -> u32 {
    let units = vm.current_frame().map_or(0, |frame| frame.iframe().code().code.instructions.len());
    u32::try_from(units.saturating_sub(twin.code.object.code.instructions.len())).unwrap_or(0)
}

impl Suspended {
    fn iterators(&self) -> impl Iterator<Item = &PyObjectRef> {
        let below = &self.twin.sites[self.site].below;
        self.stack.iter().zip(below).filter(|(_, kind)| **kind == Kind::Iter).map(|(object, _)| object)
    }

    /// What the prologue of a frame that goes on takes, with the frame's function before it.
    fn prepare(&self, pending: &mut Vec<Pending>, vm: &VirtualMachine) -> PyResult<()> {
        let site = &self.twin.sites[self.site];
        let bound = || self.locals.iter().enumerate().filter(|(_, it)| !is_token(it));
        let way = Way {
            pc: site.pc,
            wait: Some(Wait::Result),
            locals: bound().map(|(slot, _)| slot).collect(),
            stack: self.entries()?,
            generator: None,
        };
        let mut parts = vec![bound().map(|(_, object)| object.clone()).collect::<Vec<_>>()];
        let variables = parts[0].len();
        let mut handled = self.handled_exceptions(vm).into_iter();
        for (object, kind) in self.stack.iter().zip(&site.below) {
            match kind {
                Kind::Value | Kind::Special | Kind::Saved | Kind::Mixed => {
                    parts.last_mut().expect("there is one").push(object.clone())
                }
                Kind::Iter => {
                    let copied = iterator::copy(object, vm)?;
                    parts.last_mut().expect("there is one").push(copied);
                }
                Kind::Null(_) | Kind::Lasti => parts.push(Vec::new()),
                Kind::Handled => parts.extend([vec![handled.next().unwrap_or_else(|| vm.ctx.none())], Vec::new()]),
            }
        }
        let code = self.landing(site, way, vm);
        let freevars = code.freevars.len();
        let cells: Vec<PyObjectRef> = self.locals[self.locals.len() - freevars..].to_vec();
        pending.push(Pending::Function(function_of(code, self.globals.clone(), cells, vm)?));
        pending.extend(values_of(parts, variables, vm).into_iter().map(Pending::Object));
        Ok(())
    }

    fn landing(&self, site: &Site, way: Way, vm: &VirtualMachine) -> PyRef<PyCode> {
        if let Some((known, code)) = site.landing.get()
            && *known == way
        {
            return code.clone();
        }
        let natives = vec![vm.new_function("take", take).into(), vm.new_function("enter", enter).into(), vm.ctx.none()];
        let code = attach(&self.twin.code, &way, Extent::All, natives, vm);
        // Another way than the first one is rare: a variable that is not always bound.
        let _first = site.landing.set((way, code.clone()));
        code
    }

    fn entries(&self) -> PyResult<Vec<Entry>> {
        let below = &self.twin.sites[self.site].below;
        let entry = |(object, kind): (&PyObjectRef, &Kind)| match kind {
            Kind::Value | Kind::Special | Kind::Iter | Kind::Saved | Kind::Mixed => Entry::Value,
            Kind::Null(_) => Entry::Null,
            Kind::Handled => Entry::Handled,
            Kind::Lasti => {
                let unit = object.downcast_ref::<PyInt>().and_then(|it| u32::try_from(it.as_bigint()).ok());
                let pc = unit.and_then(|it| self.twin.code.pc_of_unit(it.saturating_sub(self.prologue)));
                Entry::Lasti(pc.unwrap_or(self.twin.sites[self.site].pc))
            }
        };
        Ok(self.stack.iter().zip(below).map(entry).collect())
    }

    /// The exceptions that its handlers are handling, outermost first. What is on the stack is for each handler
    /// the exception that was being handled before, that of the handler round it.
    fn handled_exceptions(&self, vm: &VirtualMachine) -> Vec<PyObjectRef> {
        let below = &self.twin.sites[self.site].below;
        let before = self.stack.iter().zip(below).filter(|(_, kind)| **kind == Kind::Handled);
        let innermost: PyObjectRef = self.handled.clone().map_or_else(|| vm.ctx.none(), Into::into);
        before.skip(1).map(|(object, _)| object.clone()).chain([innermost]).collect()
    }
}

/// What a prologue takes.
fn take(vm: &VirtualMachine) -> PyResult {
    match PENDING.with_borrow_mut(Vec::pop) {
        Some(Pending::Object(object)) => Ok(object),
        Some(Pending::Function(_) | Pending::Step(_) | Pending::Outcome(_)) | None => Err(bug(vm)),
    }
}

/// Runs the next frame; what the innermost one waits for is given by who lets it go on.
fn enter(vm: &VirtualMachine) -> PyResult {
    match PENDING.with_borrow_mut(Vec::pop) {
        Some(Pending::Outcome(outcome)) => outcome,
        Some(Pending::Function(function)) => resume::start(&function, vm),
        Some(Pending::Step(step)) => {
            let result = enter(vm)?;
            if is_token(&result) { Ok(leave_step((*step).clone(), vm)) } else { step.finish(result, vm) }
        }
        Some(Pending::Object(_)) | None => Err(bug(vm)),
    }
}

#[cold]
fn bug(vm: &VirtualMachine) -> PyBaseExceptionRef {
    vm.new_system_error("a suspended frame does not find its values: this is a bug in snekpy")
}

/// The copies of code objects, by identity. An entry keeps the code object alive, so that its address is taken.
type Twins = HashMap<usize, (PyRef<PyCode>, Option<Arc<Twin>>)>;

/// So many copies are kept.
const KEPT: usize = 4096;

/// The copy of a code object; `None` for a function that cannot be followed.
fn twin(code: &PyRef<PyCode>, vm: &VirtualMachine) -> Option<Arc<Twin>> {
    thread_local! {
        static TWINS: RefCell<Twins> = RefCell::new(HashMap::new());
    }
    let id = code.get_id();
    if let Some(found) = TWINS.with_borrow(|it| it.get(&id).map(|(_, twin)| twin.clone())) {
        return found;
    }
    let made = Code::of(code).ok().and_then(|code| rewrite::rewrite(&code, vm));
    let dropped = TWINS.with_borrow_mut(|it| {
        let dropped = if it.len() >= KEPT { std::mem::take(it) } else { Twins::new() };
        it.insert(id, (code.clone(), made.clone()));
        dropped
    });
    drop(dropped);
    made
}

/// A function like this one that can be suspended; `None` if it is none, or cannot be followed.
fn suspendable(function: &PyObject, vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
    let Some(parts) = parts(function, vm)? else { return Ok(None) };
    let Some(twin) = twin(&parts.code, vm) else { return Ok(None) };
    let attributes = bound(&parts, vm);
    let copy = make_function(twin.code.object.clone(), parts.globals, &attributes, vm)?;
    if parts.qualname.as_wtf8() != twin.code.object.code.qualname.as_wtf8() {
        copy.set_attr("__qualname__", parts.qualname, vm)?;
    }
    Ok(Some(copy))
}

/// The items of a tuple that a native was given.
fn items(tuple: &PyObject) -> &[PyObjectRef] {
    tuple.downcast_ref::<PyTuple>().map_or(&[], |it| it.as_slice())
}
