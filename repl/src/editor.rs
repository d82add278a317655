//! The line editor, taught Python.

use crate::keys::{Enter, Tab};
use crate::{complete, highlight, input};
use rustpython_vm::VirtualMachine;
use rustpython_vm::builtins::PyDictRef;
use rustyline::completion::Completer;
use rustyline::config::{Behavior, CompletionType, Config};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{ColorMode, Context, Editor, EventHandler, Helper, KeyCode, KeyEvent, Modifiers};
use std::borrow::Cow;

/// What the editor asks while somebody types.
pub(crate) struct Python<'vm> {
    vm: &'vm VirtualMachine,
    globals: PyDictRef,
}

/// An editor for blocks of Python.
pub(crate) fn editor<'vm>(
    vm: &'vm VirtualMachine,
    globals: PyDictRef,
    color: bool,
) -> rustyline::Result<Editor<Python<'vm>, DefaultHistory>> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .color_mode(if color { ColorMode::Enabled } else { ColorMode::Disabled })
        .behavior(Behavior::Stdio)
        .max_history_size(10_000)?
        .tab_stop(4)
        .indent_size(4)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(Python { vm, globals }));
    let key = |code| KeyEvent(code, Modifiers::NONE);
    editor.bind_sequence(key(KeyCode::Enter), EventHandler::Conditional(Box::new(Enter)));
    editor.bind_sequence(key(KeyCode::Tab), EventHandler::Conditional(Box::new(Tab)));
    Ok(editor)
}

impl Helper for Python<'_> {}

impl Hinter for Python<'_> {
    type Hint = String;
}

impl Completer for Python<'_> {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete::candidates(&line[..pos], &self.globals, self.vm))
    }
}

impl Highlighter for Python<'_> {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        Cow::Owned(highlight::highlight(line))
    }

    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        true
    }
}

impl Validator for Python<'_> {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let incomplete = input::is_incomplete(context.input(), self.vm);
        Ok(if incomplete { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}
