//! Enter and Tab: indentation while a block is typed.

use crate::input;
use rustpython_vm::vm::thread::try_with_current_vm;
use rustyline::{Cmd, ConditionalEventHandler, Event, EventContext, RepeatCount};

const INDENT: &str = "    ";

/// Enter accepts what is complete, and otherwise starts a line with the indentation it should have.
pub(crate) struct Enter;

impl ConditionalEventHandler for Enter {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        let (text, cursor) = (context.line(), context.pos());
        // In the middle of a block, Enter splits the line.
        let at_end = text[cursor..].trim().is_empty();
        let incomplete = try_with_current_vm(|vm| input::is_incomplete(text, vm)).unwrap_or(false);
        if at_end && !incomplete {
            return Some(Cmd::AcceptLine);
        }
        Some(Cmd::Insert(1, format!("\n{}", indentation(&text[..cursor]))))
    }
}

/// Tab indents where there is nothing to complete.
pub(crate) struct Tab;

impl ConditionalEventHandler for Tab {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        let before = &context.line()[..context.pos()];
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.trim().is_empty().then(|| Cmd::Insert(1, INDENT.to_owned()))
    }
}

/// The indentation of the line after `before`: deeper after a colon, shallower after a statement that
/// leaves the block.
fn indentation(before: &str) -> String {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let current = &line[..line.len() - line.trim_start().len()];
    let code = line.split('#').next().unwrap_or_default().trim();
    if code.ends_with(':') {
        return format!("{current}{INDENT}");
    }
    let word = code.split([' ', '(']).next().unwrap_or_default();
    if matches!(word, "return" | "pass" | "break" | "continue" | "raise") {
        return current.strip_suffix(INDENT).unwrap_or(current).to_owned();
    }
    current.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_indented_as_one_would() {
        assert_eq!(indentation("def f(x):"), "    ");
        assert_eq!(indentation("def f(x):\n    if x:  # why"), "        ");
        assert_eq!(indentation("def f(x):\n    y = 1"), "    ");
        assert_eq!(indentation("def f(x):\n    if x:\n        return 1"), "    ");
        assert_eq!(indentation("x = 1"), "");
    }
}
