//! The line editor, taught Python.

use crate::keys::{Enter, Keys, Other, Tab};
use crate::margin::{self, Step};
use crate::{complete, highlight, input};
use rustpython_vm::VirtualMachine;
use rustpython_vm::builtins::PyDictRef;
use rustyline::completion::Completer;
use rustyline::config::{Behavior, CompletionType, Config};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{ColorMode, Context, Editor, Event, EventHandler, Helper, KeyCode, KeyEvent, Modifiers};
use std::borrow::Cow;

/// What the editor asks while somebody types.
pub(crate) struct Python<'vm> {
    vm: &'vm VirtualMachine,
    globals: PyDictRef,
    color: bool,
    /// `sys.ps2` as it is drawn before the lines of this input.
    pub(crate) continuation: String,
}

/// How the editor behaves.
pub(crate) fn config() -> rustyline::Result<Config> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        // Where colours are not wanted, the highlighter leaves them out; it draws the continuation prompt, too.
        .color_mode(ColorMode::Forced)
        .behavior(Behavior::Stdio)
        .max_history_size(10_000)?
        .tab_stop(4)
        .indent_size(4);
    Ok(config.build())
}

/// An editor for blocks of Python.
pub(crate) fn editor<'vm>(
    vm: &'vm VirtualMachine,
    globals: PyDictRef,
    color: bool,
) -> rustyline::Result<Editor<Python<'vm>, DefaultHistory>> {
    let mut editor = Editor::with_config(config()?)?;
    editor.set_helper(Some(Python { vm, globals, color, continuation: String::new() }));
    let keys = Keys::default();
    let plain = |code| KeyEvent(code, Modifiers::NONE);
    // What was typed while a program ran has passed through the terminal, which makes line feeds of it.
    for enter in [plain(KeyCode::Enter), KeyEvent(KeyCode::Char('J'), Modifiers::CTRL)] {
        editor.bind_sequence(enter, EventHandler::Conditional(Box::new(Enter(keys.clone()))));
    }
    editor.bind_sequence(plain(KeyCode::Tab), EventHandler::Conditional(Box::new(Tab)));
    for (key, step) in Step::keys() {
        editor.bind_sequence(key, EventHandler::Conditional(Box::new(step)));
    }
    editor.bind_sequence(Event::Any, EventHandler::Conditional(Box::new(Other(keys))));
    Ok(editor)
}

impl Helper for Python<'_> {}

impl Hinter for Python<'_> {
    type Hint = String;
}

impl Completer for Python<'_> {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let before = &line[..pos];
        let plain = margin::without(before);
        let (start, names) = complete::candidates(&plain, &self.globals, self.vm);
        // A word stands in one line, and so behind the last margin.
        Ok((start + before.len() - plain.len(), names))
    }
}

impl Highlighter for Python<'_> {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        // Colours are found in the text as it is meant, and come back to where it stands.
        let plain = margin::without(line);
        let shown = if self.color { highlight::highlight(&plain) } else { plain.into_owned() };
        Cow::Owned(margin::drawn(line, &shown, &self.continuation))
    }

    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        true
    }
}

impl Validator for Python<'_> {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let incomplete = input::is_incomplete(&margin::without(context.input()), self.vm);
        Ok(if incomplete { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}
