//! Runs one invocation from the interpreter's birth to the end of the process.

use crate::cli::args::{Flags, Invocation, Program};
use crate::cli::environment::Environment;
use crate::cli::options::SnekOptions;
use crate::cli::trace::Trace;
use crate::cli::{environment, exit, faults, limits, memory, pipe, program, prompt, uncaught};
use rustpython_vm::{PyResult, VirtualMachine};
use std::convert::Infallible;
use std::io::{IsTerminal, Write};

/// Runs the program and ends the process with its exit code.
pub(crate) fn run(invocation: Invocation) -> Infallible {
    let Invocation { flags, program, rest } = invocation;
    program::must_exist(&program);
    let (settings, snek) = environment::settings(&flags, &program, &rest);
    if let Some(threads) = snek.threads {
        snekpy_stage::threads::set_count(threads);
    }
    let begun = snek.trace.as_deref().map(Trace::begin).transpose();
    let trace = begun.unwrap_or_else(|fault| exit::fail(&format!("the trace: {fault}"), exit::USAGE));
    let (alarm, heard) = memory::channel();
    let cache = snek.cache.open(&Environment::of(&flags));
    let build = || snekpy::interpreter(settings, snek.staging(), snek.watching(), cache, Some(heard));
    let interpreter = faults::keeping_handlers(build);
    if let Some(time) = flags.max_time {
        limits::start(time);
    }
    if let Some(bytes) = flags.max_memory {
        memory::limit(bytes, alarm);
    }
    let (ended, reader_gone) = interpreter.enter(|vm| {
        let ended = run_in(vm, &program, &snek, &flags);
        if limits::has_stopped(vm, ended.as_ref().err(), &flags) {
            snekpy_stdlib::prepare_end(vm);
            return (Err(None), false);
        }
        let ended = ended.map_err(Some);
        let reader_gone = pipe::reader_gone(vm, ended.as_ref().err().and_then(Option::as_ref));
        if reader_gone {
            pipe::silence_stdout();
        }
        snekpy_stdlib::prepare_end(vm);
        (ended, reader_gone)
    });
    // When the reader has gone, without a word: whoever read standard output has seen enough. The rest is as usual.
    let (exception, instead) = match ended {
        _ if reader_gone => (None, Some(exit::BROKEN_PIPE)),
        Err(None) => (None, Some(exit::LIMIT)),
        Err(exception) => (exception, None),
        Ok(()) => (None, None),
    };
    drop(trace);
    let code = interpreter.finalize(exception);
    if let Some(Err(error)) = snek.coverage.as_ref().map(|coverage| coverage.write()) {
        exit::fail(&format!("-X snek:coverage: {error}"), exit::FAILURE);
    }
    if let Some(report) = &snek.report {
        let _ = write!(std::io::stderr(), "{}", report.show());
    }
    instead.map_or_else(|| exit::exit(code), |code| std::process::exit(code))
}

fn run_in(vm: &VirtualMachine, program: &Program, snek: &SnekOptions, flags: &Flags) -> PyResult<()> {
    let scope = vm.new_scope_with_main()?;
    if snek.import_time {
        snekpy_stdlib::time_imports(vm)?;
    }
    if vm.state.config.settings.bytes_warning > 0 {
        snekpy_stdlib::warn_of_bytes(vm);
    }
    prepare(vm, program)?;
    // What follows the program, when this is dropped, is not counted.
    let _counted = limits::count(flags, vm)?;
    let only_prompt = shows_prompt(vm, program);
    let ended = if only_prompt { Ok(()) } else { program::run(vm, program, flags.skip_first_line, &scope) };
    let ended = ended.map_err(|exception| {
        let _unlimited = snekpy_vm::limits::lift(vm);
        uncaught::prepare(vm, exception, snek.errors)
    });
    if only_prompt || asks_for_prompt(vm) {
        return prompt::show(vm, &scope, ended, only_prompt);
    }
    ended
}

/// Whether the prompt is all there is.
fn shows_prompt(vm: &VirtualMachine, program: &Program) -> bool {
    *program == Program::Prompt && (vm.state.config.settings.interactive || std::io::stdin().is_terminal())
}

/// What CPython does between birth and the first line of the program.
fn prepare(vm: &VirtualMachine, program: &Program) -> PyResult<()> {
    let settings = &vm.state.config.settings;
    if !settings.warnoptions.is_empty() {
        vm.import("warnings", 0)?;
    }
    if settings.import_site {
        snekpy_stdlib::run_site(vm, shows_prompt(vm, program))?;
    }
    if settings.faulthandler {
        let faulthandler = vm.import("faulthandler", 0)?;
        vm.call_method(&faulthandler, "enable", ())?;
    }
    // The directory of a file is put in when the file is known to be one.
    if !settings.safe_path {
        match program {
            Program::Prompt | Program::Stdin | Program::Command(_) => vm.insert_sys_path(vm.new_pyobj(""))?,
            Program::Module(_) => {
                if let Ok(here) = std::env::current_dir() {
                    vm.insert_sys_path(vm.new_pyobj(here.to_string_lossy().into_owned()))?;
                }
            }
            Program::File(_) | Program::Inspect(_) => {}
        }
    }
    Ok(())
}

/// `-i`, or `PYTHONINSPECT` set by the program while it ran.
fn asks_for_prompt(vm: &VirtualMachine) -> bool {
    vm.state.config.settings.inspect
}
