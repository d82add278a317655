//! The exceptions that stop a program: no `except Exception` catches them.

use std::sync::OnceLock;
use std::time::Duration;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyTypeRef};
use rustpython_vm::{AsObject, VirtualMachine};

/// The name of the class of all of them.
pub const STOPPED: &str = "Stopped";

/// Why a program was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stop {
    /// It has used its ticks: `snekpy.OutOfTicks`.
    Ticks,
    /// It has run too long: `snekpy.OutOfTime`.
    Time,
    /// Somebody wanted it: `snekpy.Cancelled`.
    Cancelled,
}

impl Stop {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ticks, Self::Time, Self::Cancelled];

    /// The name of the exception's class.
    #[must_use]
    pub fn class_name(self) -> &'static str {
        match self {
            Self::Ticks => "OutOfTicks",
            Self::Time => "OutOfTime",
            Self::Cancelled => "Cancelled",
        }
    }

    /// Whether an exception says this.
    #[must_use]
    pub fn is_said_by(self, exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> bool {
        exception.fast_isinstance(&class(self, vm))
    }

    /// What the exception says; `time` is the limit. The number of ticks is not told: code that counts is made once for
    /// all numbers.
    pub(crate) fn message(self, time: Option<Duration>) -> String {
        match self {
            Self::Ticks => "the call has used its ticks".to_owned(),
            Self::Time => format!("the call has run for more than {} s", time.unwrap_or_default().as_secs_f64()),
            Self::Cancelled => "the call was cancelled".to_owned(),
        }
    }

    fn doc(self) -> &'static str {
        match self {
            Self::Ticks => "The program has used the ticks it was given.",
            Self::Time => "The program has run for longer than it may.",
            Self::Cancelled => "The program was stopped from outside.",
        }
    }
}

/// `snekpy.Stopped`, a `BaseException`. One for the process, like the builtin classes.
pub(crate) fn base(vm: &VirtualMachine) -> PyTypeRef {
    static CLASS: OnceLock<PyTypeRef> = OnceLock::new();
    let parent = || vm.ctx.exceptions.base_exception_type.to_owned();
    let doc = "The program is stopped by a limit, or from outside.";
    CLASS.get_or_init(|| make(STOPPED, doc, parent(), vm)).clone()
}

/// The class of the exceptions that say this.
pub(crate) fn class(stop: Stop, vm: &VirtualMachine) -> PyTypeRef {
    static CLASSES: [OnceLock<PyTypeRef>; Stop::ALL.len()] = [const { OnceLock::new() }; Stop::ALL.len()];
    let base = base(vm);
    CLASSES[stop as usize].get_or_init(|| make(stop.class_name(), stop.doc(), base, vm)).clone()
}

fn make(name: &str, doc: &str, parent: PyTypeRef, vm: &VirtualMachine) -> PyTypeRef {
    let class = vm.ctx.new_exception_type("snekpy", name, Some(vec![parent]));
    class.set_attr(vm.ctx.intern_str("__doc__"), vm.ctx.new_str(doc).into());
    class
}
