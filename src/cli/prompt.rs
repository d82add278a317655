//! The prompt: what the command decides for it.

use rustpython_vm::scope::Scope;
use rustpython_vm::version::{MAJOR, MICRO, MINOR};
use rustpython_vm::{PyResult, VirtualMachine};
use snekpy_repl::Options;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Shows the prompt until the user leaves. What ended before it is shown first.
pub(crate) fn show(vm: &VirtualMachine, scope: &Scope, ended: PyResult<()>, greet: bool) -> PyResult<()> {
    if let Err(exception) = ended {
        // `SystemExit`, too: the prompt was asked for.
        snekpy_repl::show(vm, &exception)?;
    }
    let settings = &vm.state.config.settings;
    if greet && !settings.ignore_environment {
        run_startup_file(vm, scope);
    }
    let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let options = Options {
        terminal,
        color: crate::cli::color::wanted(terminal),
        history: history(),
        greeting: (greet && !settings.quiet).then(greeting),
    };
    snekpy_repl::run(vm, scope, &options)
}

fn greeting() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "snekpy {version} (Python {MAJOR}.{MINOR}.{MICRO}) on {}\n\
         `?name` says what something is, `exit` or Ctrl-D leaves.",
        std::env::consts::OS
    )
}

/// `$XDG_STATE_HOME/snekpy/history`, or `~/.local/state/snekpy/history`.
fn history() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|it| it.is_absolute());
    let state = state.or_else(|| Some(std::env::home_dir()?.join(".local/state")))?;
    Some(state.join("snekpy/history"))
}

/// `PYTHONSTARTUP`: what goes wrong in it is shown, and the prompt comes all the same.
fn run_startup_file(vm: &VirtualMachine, scope: &Scope) {
    let Some(file) = std::env::var_os("PYTHONSTARTUP").filter(|it| !it.is_empty()) else { return };
    let ended = crate::cli::program::run_startup(vm, &file, scope);
    if let Err(exception) = ended {
        vm.print_exception(&exception);
    }
}
