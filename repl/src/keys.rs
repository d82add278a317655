//! Enter and Tab: indentation while a block is typed.

use crate::{input, margin};
use rustpython_vm::vm::thread::try_with_current_vm;
use rustyline::{Cmd, ConditionalEventHandler, Event, EventContext, RepeatCount};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const INDENT: &str = "    ";

/// When the last key came.
#[derive(Clone, Default)]
pub(crate) struct Keys {
    last: Arc<Mutex<Option<Instant>>>,
}

impl Keys {
    /// Nobody types as fast: what comes like this was pasted, or typed while a program ran.
    const TYPED: Duration = Duration::from_millis(8);

    /// Notes a key. Whether a person may have typed it behind the one before.
    fn press(&self) -> bool {
        let now = Instant::now();
        let before = self.last.lock().unwrap_or_else(PoisonError::into_inner).replace(now);
        before.is_none_or(|before| now.duration_since(before) > Self::TYPED)
    }
}

/// Any key that has no handler of its own does what it does.
pub(crate) struct Other(pub(crate) Keys);

impl ConditionalEventHandler for Other {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, _: &EventContext<'_>) -> Option<Cmd> {
        self.0.press();
        None
    }
}

/// Enter accepts what is complete, and otherwise starts a line: with the indentation it should have if somebody
/// types, and with none if the text brings its own.
pub(crate) struct Enter(pub(crate) Keys);

impl ConditionalEventHandler for Enter {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        let typed = self.0.press();
        let (before, after) = context.line().split_at(context.pos());
        let (before, after) = (margin::without(before), margin::without(after));
        // In the middle of a block, Enter splits the line.
        let at_end = after.trim().is_empty();
        let text = format!("{before}{after}");
        let (incomplete, prompt) =
            try_with_current_vm(|vm| (input::is_incomplete(&text, vm), input::prompt(vm, "ps2")))?;
        if at_end && !incomplete {
            return Some(Cmd::AcceptLine);
        }
        let indent = if typed { indentation(&before) } else { String::new() };
        Some(Cmd::Insert(1, margin::with(&format!("\n{indent}"), &prompt)))
    }
}

/// Tab indents where there is nothing to complete.
pub(crate) struct Tab;

impl ConditionalEventHandler for Tab {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        let before = margin::without(&context.line()[..context.pos()]);
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
