//! `--max-time`: a program that runs too long is interrupted, as by Ctrl-C, and killed if it goes on.

use crate::cli::exit;
use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::{AsObject, VirtualMachine};
use std::io::Write;
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
        say(time);
        // SAFETY: this ends the process at once; other threads may hold any lock.
        unsafe { libc::_exit(exit::TIME) };
    };
    let started = std::thread::Builder::new().name("snekpy-clock".to_owned()).spawn(watch);
    if let Err(fault) = started {
        exit::fail(&format!("--max-time: {fault}"), exit::FAILURE);
    }
}

/// Whether this is the exception by which the program was stopped. Then it is shown.
pub(crate) fn has_stopped(vm: &VirtualMachine, ended: Option<&PyBaseExceptionRef>, time: Option<Duration>) -> bool {
    let Some((exception, time)) = ended.zip(time) else { return false };
    let stopped = REACHED.load(Ordering::SeqCst) && exception.fast_isinstance(vm.ctx.exceptions.keyboard_interrupt);
    if stopped {
        vm.print_exception(exception);
        say(time);
    }
    stopped
}

fn say(time: Duration) {
    let text = format!("snekpy: stopped: the program has run for more than {} s (--max-time)", time.as_secs_f64());
    // Nothing can be done about a closed standard error.
    let _ = writeln!(std::io::stderr(), "{text}");
}
