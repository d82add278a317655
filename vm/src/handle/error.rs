//! What would be an exception in Python, as a Rust error that owns its data.

use std::fmt;

use rustpython_vm::{AsObject, VirtualMachine};
use snekpy_stage::backend::{Outcome, Status, Trap};
use snekpy_stage::entity::{Entity, Loc};

use super::{Plan, Value, plan};
use crate::captured::Captured;
use crate::exit::{ExitKind, Operation, Template};
use crate::site::Site;

/// A call of a compiled function that did not return.
#[derive(Clone, PartialEq, Debug)]
pub struct CallError {
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) places: Vec<CallPlace>,
}

/// A place in the user's program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallPlace {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The function.
    pub func: String,
}

impl CallError {
    pub(super) fn new(kind: &str, message: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), message: message.into(), places: Vec::new() }
    }

    /// The class of the exception, `ZeroDivisionError` say.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// What is wrong; empty if that is not known without the VM.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where, innermost first: the inlined calls of the place where it was raised.
    pub fn places(&self) -> &[CallPlace] {
        &self.places
    }
}

/// `file.py:3: ZeroDivisionError: division by zero`.
impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.places.first() {
            write!(f, "{}:{}: ", place.file, place.line)?;
        }
        f.write_str(&self.kind)?;
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for CallError {}

/// What the statuses of a module mean.
#[derive(Debug)]
pub(super) struct Errors {
    exits: Vec<Exit>,
    /// By location: the place, and the location that it was inlined at.
    places: Vec<(CallPlace, Option<usize>)>,
}

/// What an exit means.
#[derive(Debug)]
enum Exit {
    /// An exception with these arguments, as far as they can be made with no VM, and where it was raised
    /// if that is not where the exit is: along one of some ways, if there are any, and then at these places.
    Raise {
        kind: String,
        args: Option<Vec<Argument>>,
        ways: Option<(Vec<Vec<CallPlace>>, Plan)>,
        places: Vec<CallPlace>,
    },
    /// An operation that raises on these operands.
    Again { operation: String, operands: Option<Vec<Plan>> },
}

/// An argument of an exception.
#[derive(Debug)]
enum Argument {
    Text(String),
    Value(Plan),
}

impl Errors {
    /// `None` if an exit is no error but another kind of result.
    pub(super) fn new(captured: &Captured, vm: &VirtualMachine) -> Option<Self> {
        let exits = captured.exits.iter().map(|exit| match exit {
            ExitKind::Return { .. }
            | ExitKind::Resume(_)
            | ExitKind::Checkpoint(_)
            | ExitKind::Restart(_)
            | ExitKind::Failure => None,
            ExitKind::Raise { exception, .. } => Some(raise(exception, vm)),
            ExitKind::Again { operation: Operation::Call(callable), operands, .. } => Some(Exit::Again {
                operation: crate::callable::name_of(callable, vm),
                operands: operands.iter().map(|it| number(it, vm)).collect(),
            }),
        });
        let locs = captured.module.locs.values().map(|data| {
            let place = CallPlace { file: data.file.to_string(), line: data.line, func: data.func.to_string() };
            (place, data.caller.map(Entity::index))
        });
        Some(Self { exits: exits.collect::<Option<_>>()?, places: locs.collect() })
    }

    /// The error of a status.
    ///
    /// # Safety
    /// The call that ended with this status was given this payload.
    #[cold]
    pub(super) unsafe fn make(&self, status: Status, payload: *const u64) -> CallError {
        let (mut error, loc) = match status.outcome() {
            Outcome::Returned => unreachable!("a call that returned is no error"),
            // SAFETY: the exit has written its payload.
            Outcome::Exit(exit, loc) => (unsafe { self.exits[exit.index()].make(payload) }, loc),
            Outcome::Trap(trap, _, loc) => (trapped(trap), loc),
        };
        let mut next = if error.places.is_empty() { loc.map(Loc::index) } else { None };
        while let Some((place, caller)) = next.and_then(|index| self.places.get(index)) {
            error.places.push(place.clone());
            next = *caller;
        }
        error
    }
}

fn trapped(trap: Trap) -> CallError {
    match trap {
        Trap::Overflow => CallError::new("OverflowError", "integer result does not fit in 64 bits"),
        Trap::Memory => CallError::new("MemoryError", ""),
        Trap::Depth => CallError::new("RecursionError", "maximum recursion depth exceeded"),
        Trap::Interrupted => CallError::new("KeyboardInterrupt", ""),
        Trap::HostFailed | Trap::Required => CallError::new("SystemError", "there is no VM"),
    }
}

fn raise(template: &Template, vm: &VirtualMachine) -> Exit {
    match template {
        Template::Shared { make: Some(make), .. } => raise(make, vm),
        Template::Exception(exception) => Exit::Raise {
            kind: exception.class.name().to_string(),
            args: exception.args.iter().map(|it| argument(it, vm)).collect(),
            ways: exception.raised_at.one_of.as_ref().and_then(|(ways, which)| {
                Some((ways.all().iter().map(|way| way.iter().map(place).collect()).collect(), plan(which, vm)?))
            }),
            places: exception.raised_at.further.iter().map(place).collect(),
        },
        Template::Static(object) => {
            let text = object.str(vm).ok().map(|text| vec![Argument::Text(text.to_string_lossy().into_owned())]);
            Exit::Raise { kind: object.class().name().to_string(), args: text, ways: None, places: Vec::new() }
        }
        _ => Exit::Raise { kind: "Exception".to_owned(), args: None, ways: None, places: Vec::new() },
    }
}

fn place(site: &Site) -> CallPlace {
    let code = &site.code.code;
    let line = code.locations.get(site.unit as usize).map_or(0, |(start, _)| start.line.get());
    CallPlace {
        file: code.source_path.as_str().to_owned(),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        func: code.qualname.as_str().to_owned(),
    }
}

fn argument(template: &Template, vm: &VirtualMachine) -> Option<Argument> {
    if let Template::Static(object) = template
        && let Some(text) = object.downcast_ref::<rustpython_vm::builtins::PyStr>()
    {
        return Some(Argument::Text(text.to_string_lossy().into_owned()));
    }
    number(template, vm).map(Argument::Value)
}

/// What is no array: of one, a message says nothing.
fn number(template: &Template, vm: &VirtualMachine) -> Option<Plan> {
    fn has_array(plan: &Plan) -> bool {
        match plan {
            Plan::Known(_) => false,
            Plan::Leaf { ty, .. } => !ty.is_scalar(),
            Plan::Tuple(items) => items.iter().any(has_array),
        }
    }
    plan(template, vm).filter(|it| !has_array(it))
}

impl Exit {
    /// # Safety
    /// The exit has written the payload.
    unsafe fn make(&self, payload: *const u64) -> CallError {
        // SAFETY: a plan's slots are within what the exit has written.
        let value = |plan: &Plan| unsafe { filled(plan, payload) };
        match self {
            Self::Raise { kind, args, ways, places } => {
                let text = |arg: &Argument| match arg {
                    Argument::Text(text) => text.clone(),
                    Argument::Value(plan) => show(&value(plan)),
                };
                let args: Vec<String> = args.iter().flatten().map(text).collect();
                let message = if args.len() > 1 { format!("({})", args.join(", ")) } else { args.concat() };
                let way = ways.as_ref().and_then(|(ways, which)| match value(which) {
                    Value::I64(which) => ways.get(usize::try_from(which).ok()?).cloned(),
                    _ => None,
                });
                let places = way.into_iter().flatten().chain(places.iter().cloned()).collect();
                CallError { places, ..CallError::new(kind, message) }
            }
            Self::Again { operation, operands } => {
                let values: Option<Vec<Value>> = operands.as_ref().map(|plans| plans.iter().map(value).collect());
                let is_zero = |value: &Value| match value {
                    Value::I64(0) | Value::Bool(false) => true,
                    Value::F64(it) => *it == 0.0,
                    Value::I64(_) | Value::Bool(true) | Value::None | Value::Tuple(_) | Value::Array(_) => false,
                };
                let divides = ["truediv", "floordiv", "mod", "divmod"].contains(&operation.trim_matches('_'));
                if divides && values.as_ref().and_then(|it| it.get(1)).is_some_and(is_zero) {
                    return CallError::new("ZeroDivisionError", "division by zero");
                }
                let shown = values.iter().flatten().map(show).collect::<Vec<_>>().join(", ");
                CallError::new("ArithmeticError", format!("{operation}({shown}) raises"))
            }
        }
    }
}

/// # Safety
/// The slots of the plan are in the payload.
unsafe fn filled(plan: &Plan, payload: *const u64) -> Value {
    match plan {
        Plan::Known(value) => value.clone(),
        // SAFETY: the caller's promise.
        Plan::Leaf { slot, ty } => super::value_of(unsafe { payload.add(*slot).read() }, *ty, None),
        // SAFETY: passed on.
        Plan::Tuple(items) => Value::Tuple(items.iter().map(|item| unsafe { filled(item, payload) }).collect()),
    }
}

/// A value as Python prints it.
fn show(value: &Value) -> String {
    match value {
        Value::None => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::I64(it) => it.to_string(),
        Value::F64(it) if it.is_finite() => format!("{it:?}"),
        Value::F64(it) => it.to_string().to_lowercase(),
        Value::Tuple(items) => format!("({})", items.iter().map(show).collect::<Vec<_>>().join(", ")),
        Value::Array(_) => "an array".to_owned(),
    }
}
