//! `--report`: what became of the staged functions of a program, told when it has ended.
//!
//! ```text
//! snekpy report: staged function, calls, pieces of code, time making them
//! train                                                     20       2    35.1 ms
//!     code for w: float64(4, 4), x: float64(8, 4)
//!     code for w: float64(4, 4), x: float64(?0, 4): argument `x` was ..., is ...
//!     left 4 times at model.py:10: S348: the text of an array is known only later
//!     plain 3 times: S404: an argument is an int that does not fit in 64 bits
//! ```

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use snekpy_vm::Event;

/// Columns of a line.
const WIDTH: usize = 100;
/// So many pieces of code of a function are told one by one.
const MOST_CODE: usize = 8;

/// What is known of a program that runs.
#[derive(Default, Debug)]
pub(crate) struct Report {
    seen: Mutex<Seen>,
}

#[derive(Default, Debug)]
struct Seen {
    /// By the order in which functions were met.
    functions: Vec<(String, Function)>,
}

#[derive(Default, Debug)]
struct Function {
    calls: u64,
    made: Vec<String>,
    took: Duration,
    /// What happened, and how often, in the order of the text.
    plain: BTreeMap<String, u64>,
    left: BTreeMap<String, u64>,
}

impl Report {
    /// Something has happened.
    pub(crate) fn note(&self, event: &Event<'_>) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Called { function } => seen.function(function).calls += 1,
            Event::Compiled { function, arguments, why, took } => {
                let function = seen.function(function);
                let why = why.map_or_else(String::new, |why| format!(": {why}"));
                function.made.push(format!("code for {arguments}{why}"));
                function.took += *took;
            }
            Event::Plain { function, reason } => {
                let text = format!("{}: {}", reason.code, reason.message);
                *seen.function(function).plain.entry(text).or_default() += 1;
            }
            Event::Left { reason } | Event::Stepped { reason } => {
                let (place, function) = match (reason.places.first(), reason.places.last()) {
                    (Some(at), Some(outermost)) => (format!(" at {}:{}", at.file, at.line), outermost.func.as_str()),
                    _ => (String::new(), "?"),
                };
                let text = format!("{place}: {}: {}", reason.code, reason.message);
                *seen.function(function).left.entry(text).or_default() += 1;
            }
        }
    }

    /// The program has ended.
    pub(crate) fn show(&self) -> String {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).to_string()
    }
}

impl Seen {
    fn function(&mut self, name: &str) -> &mut Function {
        let at = self.functions.iter().position(|(it, _)| it == name).unwrap_or_else(|| {
            self.functions.push((name.to_owned(), Function::default()));
            self.functions.len() - 1
        });
        &mut self.functions[at].1
    }
}

/// A line that is not longer than it may be.
fn line(text: &str) -> String {
    if text.chars().count() <= WIDTH {
        return text.to_owned();
    }
    text.chars().take(WIDTH - 3).chain("...".chars()).collect()
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::from("snekpy report: staged function, calls, pieces of code, time making them\n");
        if self.functions.is_empty() {
            text.push_str("no staged function was called\n");
        }
        for (name, it) in &self.functions {
            let took = format!("{:.1} ms", it.took.as_secs_f64() * 1e3);
            writeln!(text, "{}", line(&format!("{name:<58} {:>9} {:>7} {took:>11}", it.calls, it.made.len())))?;
            for made in it.made.iter().take(MOST_CODE) {
                writeln!(text, "{}", line(&format!("    {made}")))?;
            }
            if let Some(more) = it.made.len().checked_sub(MOST_CODE).filter(|it| *it > 0) {
                writeln!(text, "    and {more} more")?;
            }
            let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
            for (what, count) in &it.left {
                writeln!(text, "{}", line(&format!("    left {}{what}", times(*count))))?;
            }
            for (what, count) in &it.plain {
                writeln!(text, "{}", line(&format!("    plain {}: {what}", times(*count))))?;
            }
        }
        f.write_str(&text)
    }
}
