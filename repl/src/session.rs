//! Read, run, show, again.

use crate::editor::{Python, config, editor};
use crate::{help, input, margin};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyDictRef};
use rustpython_vm::scope::Scope;
use rustpython_vm::{AsObject, PyResult, VirtualMachine};
use rustyline::Editor;
use rustyline::error::ReadlineError;
use rustyline::history::{DefaultHistory, History};
use snekpy_vm::host::prepare;
use std::path::PathBuf;

/// What the command decides for the session.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether somebody sits at a terminal; otherwise lines are read from standard input.
    pub terminal: bool,
    /// Whether colours are wanted.
    pub color: bool,
    /// Where inputs are remembered.
    pub history: Option<PathBuf>,
    /// What is said first.
    pub greeting: Option<String>,
}

/// Reads and runs inputs until there are no more. `SystemExit` is returned to the caller.
pub fn run(vm: &VirtualMachine, scope: &Scope, options: &Options) -> PyResult<()> {
    for (name, prompt) in [("ps1", ">>> "), ("ps2", "... ")] {
        if vm.sys_module.get_attr(name, vm).is_err() {
            vm.sys_module.set_attr(name, vm.new_pyobj(prompt), vm)?;
        }
    }
    if let Some(greeting) = &options.greeting {
        write(vm, "stderr", &format!("{greeting}\n"))?;
    }
    let mut reader = match Reader::new(vm, scope.globals.clone(), options) {
        Ok(reader) => reader,
        Err(error) => return Err(vm.new_os_error(format!("cannot use the terminal: {error}"))),
    };
    let mut count = 0;
    loop {
        let text = match reader.read(vm)? {
            Read::Input(text) => text,
            Read::Interrupted => {
                write(vm, "stdout", "\nKeyboardInterrupt\n")?;
                continue;
            }
            Read::End => {
                write(vm, "stdout", "\n")?;
                return Ok(());
            }
        };
        if text.trim().is_empty() {
            continue;
        }
        if asks_to_leave(&text, &scope.globals, vm) {
            return Ok(());
        }
        if let Some(answer) = help::answer(&text, &scope.globals, vm) {
            write(vm, "stdout", &answer)?;
            continue;
        }
        if let Err(exception) = run_input(vm, scope, &text, count) {
            if exception.fast_isinstance(vm.ctx.exceptions.system_exit) {
                return Err(exception);
            }
            show(vm, &exception)?;
        }
        count += 1;
        // What was printed is seen before the next prompt.
        flush(vm);
    }
}

fn run_input(vm: &VirtualMachine, scope: &Scope, text: &str, count: usize) -> PyResult<()> {
    let filename = format!("<python-input-{count}>");
    let code = input::compile_input(text, &filename, vm)?;
    // Tracebacks and `inspect` quote it, now and when its functions are called later.
    vm.register_code_in_linecache(&code, text)?;
    prepare::run(code, scope.clone(), vm).map(drop)
}

/// `exit` and `quit` leave without being called, unless the program gave the names another meaning.
fn asks_to_leave(text: &str, globals: &PyDictRef, vm: &VirtualMachine) -> bool {
    let word = text.trim();
    matches!(word, "exit" | "quit") && globals.get_item_opt(word, vm).is_ok_and(|it| it.is_none())
}

/// Shows an exception that nobody caught, and keeps it where `pdb.pm` looks for it.
///
/// # Errors
/// If `sys` cannot be written.
pub fn show(vm: &VirtualMachine, exception: &PyBaseExceptionRef) -> PyResult<()> {
    let (class, value, traceback) = vm.split_exception(exception.clone());
    vm.sys_module.set_attr("last_exc", value.clone(), vm)?;
    vm.sys_module.set_attr("last_type", class, vm)?;
    vm.sys_module.set_attr("last_value", value, vm)?;
    vm.sys_module.set_attr("last_traceback", traceback, vm)?;
    flush(vm);
    vm.print_exception(exception);
    Ok(())
}

fn flush(vm: &VirtualMachine) {
    for name in ["stdout", "stderr"] {
        if let Ok(stream) = vm.sys_module.get_attr(name, vm) {
            // A closed stream is the program's own doing.
            let _ = vm.call_method(&stream, "flush", ());
        }
    }
}

fn write(vm: &VirtualMachine, stream: &'static str, text: &str) -> PyResult<()> {
    let stream = vm.sys_module.get_attr(stream, vm)?;
    vm.call_method(&stream, "write", (text,))?;
    vm.call_method(&stream, "flush", ()).map(drop)
}

/// One attempt to read an input.
enum Read {
    Input(String),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or the end of standard input.
    End,
}

/// Where inputs come from.
enum Reader<'vm> {
    Terminal { editor: Box<Editor<Python<'vm>, DefaultHistory>>, history: Remembered },
    Lines,
}

impl<'vm> Reader<'vm> {
    fn new(vm: &'vm VirtualMachine, globals: PyDictRef, options: &Options) -> rustyline::Result<Self> {
        if !options.terminal {
            return Ok(Self::Lines);
        }
        let mut editor = editor(vm, globals, options.color)?;
        let history = Remembered::load(options.history.clone(), &mut editor, &input::prompt(vm, "ps2"))?;
        Ok(Self::Terminal { editor: Box::new(editor), history })
    }

    fn read(&mut self, vm: &VirtualMachine) -> PyResult<Read> {
        match self {
            Self::Terminal { editor, history } => {
                let continuation = input::prompt(vm, "ps2");
                if let Some(helper) = editor.helper_mut() {
                    helper.continuation.clone_from(&continuation);
                }
                match editor.readline(&input::prompt(vm, "ps1")) {
                    Ok(text) => {
                        let text = margin::without(&text).into_owned();
                        history.remember(editor, &text, &continuation);
                        Ok(Read::Input(text))
                    }
                    Err(ReadlineError::Interrupted) => Ok(Read::Interrupted),
                    Err(ReadlineError::Eof) => Ok(Read::End),
                    Err(error) => Err(vm.new_os_error(format!("cannot read from the terminal: {error}"))),
                }
            }
            Self::Lines => read_lines(vm),
        }
    }
}

/// What outlives the session. The editor has it with margins, the file without.
struct Remembered {
    file: Option<PathBuf>,
    entries: DefaultHistory,
}

impl Remembered {
    fn load(
        file: Option<PathBuf>,
        editor: &mut Editor<Python<'_>, DefaultHistory>,
        continuation: &str,
    ) -> rustyline::Result<Self> {
        let mut entries = DefaultHistory::with_config(&config()?);
        if let Some(file) = &file {
            // There is none the first time; one that cannot be read is no reason not to start.
            let _ = entries.load(file);
        }
        for entry in &entries {
            editor.add_history_entry(margin::with(entry, continuation))?;
        }
        Ok(Self { file, entries })
    }

    fn remember(&mut self, editor: &mut Editor<Python<'_>, DefaultHistory>, text: &str, continuation: &str) {
        let text = text.trim_end();
        if text.is_empty() || !matches!(self.entries.add(text), Ok(true)) {
            return;
        }
        // What cannot be recalled has been run all the same.
        let _ = editor.add_history_entry(margin::with(text, continuation));
        let Some(file) = &self.file else { return };
        // Written after each input: a session may end in any way. A full disk does not stop work.
        if let Some(folder) = file.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let _ = self.entries.append(file);
    }
}

/// Reads lines until they are an input, with prompts, as when a terminal is imitated.
fn read_lines(vm: &VirtualMachine) -> PyResult<Read> {
    let mut text = String::new();
    loop {
        let name = if text.is_empty() { "ps1" } else { "ps2" };
        write(vm, "stdout", &input::prompt(vm, name))?;
        let line = match next_line(vm) {
            Err(exception) if exception.fast_isinstance(vm.ctx.exceptions.keyboard_interrupt) => {
                return Ok(Read::Interrupted);
            }
            other => other?,
        };
        match line.as_str() {
            "" if text.is_empty() => return Ok(Read::End),
            "" => return Ok(Read::Input(text)),
            line => text.push_str(line),
        }
        if !input::is_incomplete(text.strip_suffix('\n').unwrap_or(&text), vm) {
            return Ok(Read::Input(text));
        }
    }
}

/// From Python's own stream: what it has read ahead is there for `input` and `pdb`, which read from it, too.
fn next_line(vm: &VirtualMachine) -> PyResult<String> {
    let stdin = vm.sys_module.get_attr("__stdin__", vm)?;
    if vm.is_none(&stdin) {
        return Ok(String::new());
    }
    let line = vm.call_method(&stdin, "readline", ())?;
    Ok(line.str(vm)?.to_string_lossy().into_owned())
}
