//! The limits of the command: `--max-time`, `--max-ticks`, and `--max-memory` with [`memory`].
//!
//! A program that runs too long is interrupted, as by Ctrl-C, and killed if it goes on. One that has used its
//! ticks gets a `snekpy.OutOfTicks`, as in an engine.

use crate::cli::args::Flags;
use crate::cli::{exit, memory};
use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::{AsObject, PyResult, VirtualMachine};
use snekpy_stage::list::Budget;
use snekpy_vm::limits::{Limits, Meter, Metered};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a program has to end after it was interrupted.
const GRACE: Duration = Duration::from_secs(2);

static REACHED: AtomicBool = AtomicBool::new(false);

/// Reads the value of `--max-time`.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().map_err(|_| "expected a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        Ok(_) | Err(_) => Err("expected a number of seconds above 0".to_owned()),
    }
}

/// Lets the clock run.
pub(crate) fn start(time: Duration) {
    let watch = move || {
        std::thread::sleep(time);
        REACHED.store(true, Ordering::SeqCst);
        // The interpreter looks at it between two instructions, compiled code at the end of a round.
        // SAFETY: a signal to this process, whose handler is Python's or the program's.
        unsafe { libc::kill(libc::getpid(), libc::SIGINT) };
        std::thread::sleep(GRACE);
        say(&too_long(time));
        // SAFETY: this ends the process at once; other threads may hold any lock.
        unsafe { libc::_exit(exit::LIMIT) };
    };
    let started = std::thread::Builder::new().name("snekpy-clock".to_owned()).spawn(watch);
    if let Err(fault) = started {
        exit::fail(&format!("--max-time: {fault}"), exit::FAILURE);
    }
}

/// Reads the value of `--max-ticks`.
pub(crate) fn ticks(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a whole number".to_owned())
}

/// Gives the program its ticks and its memory; it has them until what is given back is dropped.
pub(crate) fn count(flags: &Flags, vm: &VirtualMachine) -> PyResult<Option<Metered>> {
    if flags.max_ticks.is_none() && flags.max_memory.is_none() {
        return Ok(None);
    }
    let mut limits = Limits::new();
    if let Some(ticks) = flags.max_ticks {
        snekpy_vm::limits::install(vm)?;
        limits = limits.ticks(ticks);
    }
    let mut meter = Meter::new(vm.state.interpreter_id, limits);
    if flags.max_memory.is_some() {
        meter = meter.lists_from(Budget::asking(memory::allows));
    }
    let meter = Arc::new(meter);
    // This thread first: it is to have no meter when the program has ended.
    let metered = snekpy_vm::limits::enter(Arc::clone(&meter));
    snekpy_vm::limits::share(&meter);
    Ok(Some(metered))
}

/// Whether this is the exception by which the program was stopped. Then it is shown.
pub(crate) fn has_stopped(vm: &VirtualMachine, ended: Option<&PyBaseExceptionRef>, flags: &Flags) -> bool {
    let Some(exception) = ended else { return false };
    let why = match (flags.max_time, flags.max_ticks, flags.max_memory) {
        (Some(time), ..)
            if REACHED.load(Ordering::SeqCst) && exception.fast_isinstance(vm.ctx.exceptions.keyboard_interrupt) =>
        {
            too_long(time)
        }
        (_, _, Some(bytes)) if memory::is_reached() && exception.fast_isinstance(vm.ctx.exceptions.memory_error) => {
            memory::message(bytes)
        }
        (_, Some(ticks), _) if snekpy_vm::limits::Stop::Ticks.is_said_by(exception, vm) => {
            format!("the program has used its {ticks} ticks (--max-ticks)")
        }
        _ => return false,
    };
    vm.print_exception(exception);
    say(&why);
    true
}

fn too_long(time: Duration) -> String {
    format!("the program has run for more than {} s (--max-time)", time.as_secs_f64())
}

/// Says why the program was stopped.
fn say(why: &str) {
    // Nothing can be done about a closed standard error.
    let _ = writeln!(std::io::stderr(), "snekpy: stopped: {why}");
}
