//! Going on in the middle of a function, on RustPython's own frames.
//!
//! A frame cannot be made with its instruction pointer somewhere inside, so the code is given a prologue: a
//! copy of it begins with instructions that fill the local variables and the value stack, and jumps to where
//! the function goes on. Everything behind the prologue is the function's own code, moved: what it does, which
//! line a traceback shows and which handler takes an exception is RustPython's business as always. Dynamo
//! goes on after a graph break in the same way.
//!
//! The prologue asks for its values with calls of [`take`], from a stack of this thread. A frame that waits
//! for another one starts it with [`enter`], from the prologue too, as if the call instruction did.

mod inside;
mod prologue;

use std::cell::{Cell, RefCell};
use std::sync::OnceLock;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyCode, PyDictRef};
use rustpython_vm::bytecode::oparg::MakeFunctionFlag;
use rustpython_vm::protocol::PyIter;
use rustpython_vm::{AsObject, PyObjectRef, PyRef, PyResult, VirtualMachine};

use super::function::make_function;
use super::suspend::token;
use crate::code::{Code, is_helper};

pub(crate) use inside::{interrupt_source, is_code_of_the_program, make_classes};
pub(crate) use prologue::{Entry, Extent, Generator, Wait, Way, attach, signed_varint, varint};

/// A frame to go on with.
pub(crate) struct Landing {
    /// The code with its prologue.
    pub(crate) code: PyRef<PyCode>,
    /// The module's namespace.
    pub(crate) globals: PyDictRef,
    /// The cells of the free variables.
    pub(crate) closure: Vec<PyObjectRef>,
    /// What the prologue takes, in its order.
    pub(crate) values: Vec<PyObjectRef>,
    /// For a frame that waits for a constructor: the new object.
    pub(crate) made: Option<PyObjectRef>,
    /// The exception that it handles.
    pub(crate) handled: Option<PyBaseExceptionRef>,
}

thread_local! {
    /// What prologues take next, last first.
    static PENDING: RefCell<Vec<PyObjectRef>> = const { RefCell::new(Vec::new()) };
    /// What is raised in the last of so many generators that go on.
    static INSIDE: Cell<Option<(usize, PyBaseExceptionRef)>> = const { Cell::new(None) };
    /// Whether the instruction that frames were to execute is done, and nothing more.
    static FINISHED: Cell<bool> = const { Cell::new(false) };
}

/// The code that goes on as `way` says.
pub(crate) fn landing_code(code: &Code, way: &Way, extent: Extent, vm: &VirtualMachine) -> PyRef<PyCode> {
    let natives: Vec<PyObjectRef> = vec![
        vm.new_function("take", take).into(),
        vm.new_function("enter", enter).into(),
        vm.new_function("construct", construct).into(),
        vm.new_function("finish", finish).into(),
        vm.new_function("finished", finished).into(),
        vm.new_function("enter_next", enter_next).into(),
        token(vm),
        vm.new_function("going_on", going_on).into(),
    ];
    prologue::attach(code, way, extent, natives, vm)
}

/// Runs frames that go on for one instruction. Gives what it pushes, or what the outermost frame returns if there was an
/// exception; and whether it is the former.
pub(crate) fn run_once(frames: Vec<Landing>, vm: &VirtualMachine) -> PyResult<(PyObjectRef, bool)> {
    let before = FINISHED.replace(false);
    let result = run(frames, None, vm);
    let finished = FINISHED.replace(before);
    Ok((result?, finished))
}

fn finish() {
    FINISHED.set(true);
}

fn finished() -> bool {
    FINISHED.get()
}

/// What becomes of what the innermost frame waits for, or of the instruction that it is at.
pub(crate) enum Outcome {
    /// It raises this.
    Raise(PyBaseExceptionRef),
    /// It gives this.
    Give(PyObjectRef),
}

/// Runs frames, outermost first: each waits for the next one, and the innermost for this. Gives what the outermost
/// returns.
pub(crate) fn run(frames: Vec<Landing>, outcome: Option<Outcome>, vm: &VirtualMachine) -> PyResult {
    let mut pending = Vec::new();
    let mut first = None;
    for frame in frames {
        let function = function_of(frame.code, frame.globals, frame.closure, vm)?;
        match first {
            None => first = Some(function),
            Some(_) => pending.push(function),
        }
        pending.extend(frame.values);
        pending.extend(frame.made);
    }
    match outcome {
        None => {}
        Some(Outcome::Raise(exception)) => pending.extend([native(&RAISE, vm), exception.into()]),
        Some(Outcome::Give(value)) => pending.extend([native(&GIVE, vm), value]),
    }
    let Some(first) = first else { return Err(crate::staging_error::bug(vm, "there is no frame to go on with")) };
    with_pending(pending, || start(&first, vm)).map_err(hide_helpers)
}

/// A generator that goes on where its frame is when it is asked for the next item, once it has begun.
pub(crate) fn generator(frame: Landing, is_running: bool, vm: &VirtualMachine) -> PyResult<(PyObjectRef, Asleep)> {
    let generator = start(&function_of(frame.code, frame.globals, frame.closure, vm)?, vm)?;
    Ok((generator.clone(), Asleep { generator, values: frame.values, handled: frame.handled, is_running }))
}

/// A generator that has not executed its prologue yet. That runs Python, in which events are noticed: it comes after all
/// that must not be disturbed.
pub(crate) struct Asleep {
    generator: PyObjectRef,
    values: Vec<PyObjectRef>,
    handled: Option<PyBaseExceptionRef>,
    /// Whether it is in the middle of computing its next item.
    is_running: bool,
}

/// Does something as the innermost frame would: what is raised then has the exception that is handled there for its
/// context.
pub(crate) fn as_in<T>(frames: &[Landing], generators: &[Asleep], vm: &VirtualMachine, run: impl FnOnce() -> T) -> T {
    let of_generators = generators.iter().rev().filter(|it| it.is_running).map(|it| &it.handled);
    let handled = of_generators.chain(frames.iter().rev().map(|it| &it.handled)).flatten().next();
    let Some(handled) = handled else { return run() };
    let before = vm.current_exception();
    vm.set_exception(Some(handled.clone()));
    let result = run();
    vm.set_exception(before);
    result
}

/// Lets generators begin: each goes on when it is asked for the next item.
pub(crate) fn begin(generators: Vec<Asleep>, vm: &VirtualMachine) -> PyResult<()> {
    for Asleep { generator, values, .. } in generators {
        with_pending(values, || PyIter::new(&*generator).next(vm))?;
    }
    Ok(())
}

/// Runs frames, outermost first, that ask for the next item of a generator, which asks for one of another generator, and
/// so on: the innermost of them raises this where it goes on.
pub(crate) fn raise_inside(
    frames: Vec<Landing>,
    generators: Vec<Asleep>,
    exception: PyBaseExceptionRef,
    vm: &VirtualMachine,
) -> PyResult {
    let running = generators.iter().filter(|it| it.is_running).count();
    begin(generators, vm)?;
    INSIDE.set(Some((running, exception)));
    let result = run(frames, None, vm);
    INSIDE.set(None);
    result
}

/// A generator that is in the middle of computing an item goes on.
fn going_on() -> PyResult<()> {
    match INSIDE.take() {
        Some((1, exception)) => Err(exception),
        Some((running, exception)) => {
            INSIDE.set(Some((running.saturating_sub(1), exception)));
            Ok(())
        }
        None => Ok(()),
    }
}

/// Runs prologues, which take these.
fn with_pending<T>(mut pending: Vec<PyObjectRef>, run: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    pending.reverse();
    let base = PENDING.with_borrow_mut(|it| {
        let base = it.len();
        it.extend(pending);
        base
    });
    let result = run();
    // After an interrupt in a prologue there may be values left.
    let left = PENDING.with_borrow_mut(|it| it.split_off(base.min(it.len())));
    drop(left);
    result
}

/// What a prologue takes, in its order: the objects of each of its parts, of which the first begins with so many
/// variables.
pub(crate) fn values_of(parts: Vec<Vec<PyObjectRef>>, variables: usize, vm: &VirtualMachine) -> Vec<PyObjectRef> {
    let taken = parts.into_iter().enumerate().filter(|(_, part)| !part.is_empty());
    let tuple = |(index, mut part): (usize, Vec<PyObjectRef>)| -> PyObjectRef {
        // What is unpacked first comes out on top.
        part[if index == 0 { variables } else { 0 }..].reverse();
        vm.ctx.new_tuple(part).into()
    };
    taken.map(tuple).collect()
}

/// What a frame waits for that has ended already: made once, as functions of Rust are never freed.
static RAISE: OnceLock<PyObjectRef> = OnceLock::new();
static GIVE: OnceLock<PyObjectRef> = OnceLock::new();

fn native(of: &OnceLock<PyObjectRef>, vm: &VirtualMachine) -> PyObjectRef {
    let make = || match std::ptr::eq(of, &raw const RAISE) {
        true => vm.new_function("raise_outcome", raise_outcome).into(),
        false => vm.new_function("give_outcome", take).into(),
    };
    of.get_or_init(make).clone()
}

fn raise_outcome(vm: &VirtualMachine) -> PyResult {
    match take(vm)?.downcast() {
        Ok(exception) => Err(exception),
        Err(_) => Err(crate::staging_error::bug(vm, "what is raised is no exception")),
    }
}

/// A function of code with a prologue.
pub(super) fn function_of(
    code: PyRef<PyCode>,
    globals: PyDictRef,
    closure: Vec<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    let attributes = if closure.is_empty() {
        Vec::new()
    } else {
        vec![(MakeFunctionFlag::Closure, vm.ctx.new_tuple(closure).into())]
    };
    make_function(code, globals, &attributes, vm)
}

/// The next values.
fn take(vm: &VirtualMachine) -> PyResult {
    PENDING.with_borrow_mut(Vec::pop).ok_or_else(|| crate::staging_error::bug(vm, "a prologue finds no values"))
}

/// Runs the next frame.
fn enter(vm: &VirtualMachine) -> PyResult {
    start(&take(vm)?, vm).map_err(hide_helpers)
}

/// Runs the next frame, which is a call of `__next__`; gives the token when the iterator has ended.
fn enter_next(vm: &VirtualMachine) -> PyResult {
    match enter(vm) {
        Err(error) if error.fast_isinstance(vm.ctx.exceptions.stop_iteration) => Ok(token(vm)),
        result => result,
    }
}

/// Takes what stands for a builtin out of a traceback.
#[cold]
fn hide_helpers(error: PyBaseExceptionRef) -> PyBaseExceptionRef {
    super::traceback::retain(&error, |code| !is_helper(code));
    error
}

/// Calls a function whose code has a prologue.
pub(super) fn start(function: &PyObjectRef, vm: &VirtualMachine) -> PyResult {
    let args = super::function::code(function, vm).map_or(0, |code| code.code.arg_count as usize);
    function.call(vec![vm.ctx.none(); args], vm)
}

/// Runs the next frame, which is a call of `__init__`; gives the object.
fn construct(vm: &VirtualMachine) -> PyResult {
    let object = take(vm)?;
    let result = enter(vm)?;
    if !vm.is_none(&result) {
        let message = format!("__init__() should return None, not '{}'", result.class().name());
        return Err(vm.new_type_error(message));
    }
    Ok(object)
}
