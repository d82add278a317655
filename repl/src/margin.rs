//! The continuation prompt.
//!
//! The editor knows no such thing: all lines of an input but the first begin at the left edge, and it reckons where
//! the cursor is from the text alone. So the text has a *margin* there: characters that occur in no text (Unicode's
//! noncharacters, one column each), as many as `sys.ps2` has. They are drawn as that prompt, and taken out before
//! anybody else sees the text. Wherever they get to while somebody edits, nothing but the picture suffers.

use rustyline::{
    CharSearch, Cmd, ConditionalEventHandler, Event, EventContext, KeyCode, KeyEvent, Modifiers, Movement, RepeatCount,
};
use std::borrow::Cow;

/// A margin is made of these, the first for the first character of the prompt.
const FIRST: u32 = 0xfdd0;
/// A longer prompt is cut off.
const MOST: usize = 32;

/// The margin for a prompt.
pub(crate) fn margin(prompt: &str) -> String {
    (FIRST..).take(width(prompt)).filter_map(char::from_u32).collect()
}

/// How many columns it has. What is no plain text (colours, more than one line) is not drawn.
fn width(prompt: &str) -> usize {
    let plain = prompt.chars().all(|it| it.is_ascii() && !it.is_ascii_control());
    if plain { prompt.len().min(MOST) } else { 0 }
}

fn place(letter: char) -> Option<usize> {
    u32::from(letter).checked_sub(FIRST).map(|at| at as usize).filter(|at| *at < MOST)
}

/// The text as it was meant.
pub(crate) fn without(text: &str) -> Cow<'_, str> {
    if text.chars().any(|it| place(it).is_some()) {
        Cow::Owned(text.chars().filter(|it| place(*it).is_none()).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// The text with a margin before each line but the first.
pub(crate) fn with(text: &str, prompt: &str) -> String {
    without(text).replace('\n', &format!("\n{}", margin(prompt)))
}

/// What is shown: `shown`, which is `text` without margins and perhaps with colours, with the prompt where they are.
pub(crate) fn drawn(text: &str, shown: &str, prompt: &str) -> String {
    let letters: Vec<char> = prompt.chars().collect();
    let letter = |it: char| place(it).map(|at| letters.get(at).copied().unwrap_or(' '));
    let lines = text.split('\n').zip(shown.split('\n'));
    let lines = lines.map(|(line, shown)| line.chars().filter_map(letter).chain(shown.chars()).collect::<String>());
    lines.collect::<Vec<_>>().join("\n")
}

/// The last character of the margin that begins a line.
fn end(line: &str) -> Option<char> {
    line.chars().take_while(|it| place(*it).is_some()).last()
}

/// Keys that take a margin for one thing with the end of the line before it.
pub(crate) enum Step {
    Left,
    Right,
    Home,
    Backspace,
    Delete,
}

impl Step {
    /// The keys that are bound.
    pub(crate) fn keys() -> impl Iterator<Item = (KeyEvent, Self)> {
        let control = |letter| KeyEvent(KeyCode::Char(letter), Modifiers::CTRL);
        let plain = |code| KeyEvent(code, Modifiers::NONE);
        [
            (plain(KeyCode::Left), Self::Left),
            (control('B'), Self::Left),
            (plain(KeyCode::Right), Self::Right),
            (control('F'), Self::Right),
            (plain(KeyCode::Home), Self::Home),
            (control('A'), Self::Home),
            (plain(KeyCode::Backspace), Self::Backspace),
            (control('H'), Self::Backspace),
            (plain(KeyCode::Delete), Self::Delete),
            (control('D'), Self::Delete),
        ]
        .into_iter()
    }
}

impl ConditionalEventHandler for Step {
    /// Movements that have a count get that of the key, so these are searches.
    fn handle(&self, _: &Event, count: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        let (before, after) = context.line().split_at(context.pos());
        let search = |to| Movement::ViCharSearch(1, to);
        let back = || before.ends_with(|it| place(it).is_some()).then(|| search(CharSearch::Backward('\n')));
        let forward = |to: fn(char) -> CharSearch| {
            let next = after.strip_prefix('\n').filter(|rest| rest.starts_with(|it| place(it).is_some()))?;
            let first = next.chars().find(|it| place(*it).is_none());
            Some(first.map_or(Movement::EndOfBuffer, |first| search(to(first))))
        };
        if count != 1 {
            return None;
        }
        match self {
            Self::Left => Some(Cmd::Move(back()?)),
            Self::Backspace => Some(Cmd::Kill(back()?)),
            Self::Right => Some(Cmd::Move(forward(CharSearch::Forward)?)),
            Self::Delete => Some(Cmd::Kill(forward(CharSearch::ForwardBefore)?)),
            Self::Home => {
                let line = before.rsplit('\n').next().unwrap_or_default();
                Some(Cmd::Move(search(CharSearch::BackwardAfter(end(line)?))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_is_drawn_as_the_prompt_and_is_no_text() {
        let text = with("if x:\n    y\n", "... ");
        assert_eq!(drawn(&text, &without(&text), "... "), "if x:\n...     y\n... ");
        assert_eq!(without(&text), "if x:\n    y\n");
        assert_eq!(with(&text, "... "), text);
        assert_eq!(with("a\nb", "\x1b[1mstyled"), "a\nb");
        assert_eq!(drawn("é λ\nμ", "é λ\nμ", "... "), "é λ\nμ");
    }
}
