//! `-X snek:coverage=FILE`: how much of a program ran as compiled code, and where it left it.
//!
//! A call that silently becomes plain Python gives the right result, so no comparison of results can tell. This says
//! it, one fact a line, in an order that depends on the program alone:
//!
//! ```text
//! calls 12                       calls of staged functions by plain Python
//! compiled 3                     kinds of code that were made
//! plain 2 S404                   calls that were plain from their beginning, and why
//! left 4 S410 7 program.py       calls that left compiled code at a line, and why, and went on as plain Python
//! back S110 9 program.py         a place at which calls left and came back
//! ```
//!
//! Coming back does not depend on the clock here: see [`StagingConfig::is_paced`](snekpy_vm::StagingConfig::is_paced).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use snekpy_vm::Event;
use snekpy_vm::refusal::Refusal;

/// What is known of a program that runs.
#[derive(Debug)]
pub(crate) struct Coverage {
    file: String,
    seen: Mutex<Seen>,
}

/// A place that calls leave at: the file and line, and the code of the refusal.
type At = (String, u32, &'static str);

#[derive(Default, Debug)]
struct Seen {
    calls: u64,
    compiled: u64,
    plain: BTreeMap<&'static str, u64>,
    left: BTreeMap<At, u64>,
    back: BTreeSet<At>,
}

impl Coverage {
    /// Of a program that begins, to be written to a file.
    pub(crate) fn new(file: &str) -> Self {
        Self { file: file.to_owned(), seen: Mutex::default() }
    }

    /// Something has happened.
    pub(crate) fn note(&self, event: &Event<'_>) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Called { .. } => seen.calls += 1,
            Event::Compiled { .. } => seen.compiled += 1,
            Event::Plain { reason, .. } => *seen.plain.entry(reason.code).or_default() += 1,
            Event::Left { reason } => *seen.left.entry(at(reason)).or_default() += 1,
            Event::Stepped { reason } => {
                seen.back.insert(at(reason));
            }
        }
    }

    /// The program has ended.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write(&self) -> std::io::Result<()> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        std::fs::write(&self.file, seen.to_string())
    }
}

fn at(reason: &Refusal) -> At {
    let (file, line) = reason.places.first().map_or_else(Default::default, |it| (it.file.clone(), it.line));
    (file, line, reason.code)
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("calls {}\ncompiled {}\n", self.calls, self.compiled);
        for (code, count) in &self.plain {
            writeln!(text, "plain {count} {code}")?;
        }
        for ((file, line, code), count) in &self.left {
            writeln!(text, "left {count} {code} {line} {file}")?;
        }
        for (file, line, code) in &self.back {
            writeln!(text, "back {code} {line} {file}")?;
        }
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use snekpy_vm::refusal::Place;

    #[test]
    fn facts_are_counted_and_written_in_one_order() {
        let coverage = Coverage::new("unused");
        let at = |line, code| {
            let place = Place { file: "f.py".into(), line, column: 1, end: (line, 2), func: "f".into() };
            Refusal { places: vec![place], ..Refusal::new(code, "no") }
        };
        coverage.note(&Event::Left { reason: &at(10, "S110") });
        for _ in 0..2 {
            coverage.note(&Event::Called { function: "f" });
            coverage.note(&Event::Left { reason: &at(9, "S410") });
            coverage.note(&Event::Stepped { reason: &at(3, "S110") });
        }
        coverage.note(&Event::Plain { function: "f", reason: &Refusal::new("S404", "big") });
        let text = coverage.seen.lock().expect("no panic").to_string();
        let expected = "calls 2\ncompiled 0\nplain 1 S404\nleft 2 S410 9 f.py\nleft 1 S110 10 f.py\nback S110 3 f.py\n";
        assert_eq!(text, expected);
    }
}
