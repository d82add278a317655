//! What ran as compiled code: a record of every case, which must not get worse.
//!
//! A capture that silently becomes plain Python gives the right results, so this is looked at by itself. The command
//! writes what it saw (`-X snek:coverage=FILE`); here it is one line a program, in a file that is committed:
//!
//! ```text
//! A/A06_then_arm_creates: 4 calls, 2 compiled
//! C/C12_handler_of_callee: 6 calls, 1 plain (S404), 3 compiled; left 12 S410 x2, 14 S110; back 20 S120
//! ```
//!
//! *plain* calls were plain Python from their beginning; at the lines *left*, calls went on as plain Python to their
//! end; at the lines *back*, they came back. Nothing in it depends on a clock.

use std::collections::BTreeMap;
use std::env;
use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// How a program ran.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Calls of staged functions by plain Python.
    pub calls: u64,
    /// Kinds of code that were made.
    pub compiled: u64,
    /// How many calls were plain from their beginning, by the code of the refusal.
    pub plain: BTreeMap<String, u64>,
    /// Where calls went on as plain Python, and how many.
    pub left: BTreeMap<At, u64>,
    /// Where calls left and came back.
    pub back: Vec<At>,
}

/// A place that calls leave at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// The file, where it is not the program's own.
    file: String,
    line: u32,
    code: String,
}

impl Coverage {
    /// What the command has written about a program.
    pub fn of_report(report: &str, program: &str) -> Result<Coverage, String> {
        let mut found = Coverage::default();
        for line in report.lines() {
            let words: Vec<&str> = line.splitn(5, ' ').collect();
            let number = |word: &str| word.parse::<u64>().map_err(|_| format!("`{line}`: expected a number"));
            let at = |code: &str, line: u64, file: &str| {
                let name = Path::new(file).file_name().and_then(|it| it.to_str()).unwrap_or(file);
                let file = if name == program { String::new() } else { name.to_owned() };
                At { file, line: line as u32, code: code.to_owned() }
            };
            match words.as_slice() {
                ["calls", count] => found.calls = number(count)?,
                ["compiled", count] => found.compiled = number(count)?,
                ["plain", count, code] => {
                    found.plain.insert((*code).to_owned(), number(count)?);
                }
                ["left", count, code, line, file] => {
                    *found.left.entry(at(code, number(line)?, file)).or_default() += number(count)?;
                }
                ["back", code, line, file @ ..] => {
                    let at = at(code, number(line)?, &file.join(" "));
                    found.back.push(at);
                }
                _ => return Err(format!("`{line}` says nothing about coverage")),
            }
        }
        found.back.sort();
        Ok(found)
    }

    /// How many calls were plain from their beginning.
    pub fn plain_calls(&self) -> u64 {
        self.plain.values().sum()
    }

    /// How often calls went on as plain Python to their end.
    pub fn times_left(&self) -> u64 {
        self.left.values().sum()
    }

    /// The same, but for one reason.
    pub fn times_left_but_for(&self, code: &str) -> u64 {
        self.left.iter().filter(|(at, _)| at.code != code).map(|(_, count)| count).sum()
    }

    /// Whether less of the program is compiled than `before`.
    fn is_worse_than(&self, before: &Coverage) -> bool {
        let (now, then) = (self.times_left(), before.times_left());
        self.plain_calls() * before.calls > before.plain_calls() * self.calls
            || self.calls < before.calls
            || now > then
            || now == then && self.back.len() > before.back.len()
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.file.is_empty() { "" } else { ":" };
        write!(f, "{}{separator}{} {}", self.file, self.line, self.code)
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = |count: u64| if count == 1 { String::new() } else { format!(" x{count}") };
        let mut text = format!("{} calls", self.calls);
        if !self.plain.is_empty() {
            let codes: Vec<&str> = self.plain.keys().map(String::as_str).collect();
            write!(text, ", {} plain ({})", self.plain_calls(), codes.join(" "))?;
        }
        write!(text, ", {} compiled", self.compiled)?;
        let left: Vec<String> = self.left.iter().map(|(at, &count)| format!("{at}{}", times(count))).collect();
        let back: Vec<String> = self.back.iter().map(At::to_string).collect();
        for (word, places) in [("left", left), ("back", back)] {
            if !places.is_empty() {
                write!(text, "; {word} {}", places.join(", "))?;
            }
        }
        f.write_str(&text)
    }
}

/// The file of what all programs of a suite did.
#[derive(Debug)]
pub struct CoverageRecord {
    path: PathBuf,
    /// By program, as they stand in the file.
    lines: Mutex<BTreeMap<String, String>>,
}

impl CoverageRecord {
    /// The one at `path`; without the file, nothing is recorded.
    pub fn read(path: PathBuf) -> CoverageRecord {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.split_once(": "));
        let lines = lines.map(|(name, rest)| (name.to_owned(), rest.to_owned())).collect();
        CoverageRecord { path, lines: Mutex::new(lines) }
    }

    /// Compares what a program did with the record. With `SNEKPY_BLESS=1` it is recorded instead.
    pub fn check(&self, program: &str, found: &Coverage) -> Result<(), String> {
        let text = found.to_string();
        let before = self.lines.lock().expect("no test panics in here").get(program).cloned();
        if before.as_ref() == Some(&text) {
            return Ok(());
        }
        if env::var_os("SNEKPY_BLESS").is_some_and(|it| it == "1") {
            return self.record(program, Some(text));
        }
        let how = match before.as_deref().and_then(Coverage::of_line) {
            Some(before) if found.is_worse_than(&before) => "less of it is compiled than recorded",
            Some(_) => "what is compiled of it is not what is recorded, and no worse",
            None => "what is compiled of it is not recorded",
        };
        let before = before.unwrap_or_default();
        Err(format!("{how} (SNEKPY_BLESS=1 records it)\n  - {before}\n  + {text}"))
    }

    /// The programs that are recorded and not among `names`.
    pub fn orphans(&self, names: &[&str]) -> Result<Vec<String>, String> {
        let recorded: Vec<String> = self.lines.lock().expect("no test panics in here").keys().cloned().collect();
        let lost: Vec<String> = recorded.into_iter().filter(|it| !names.contains(&it.as_str())).collect();
        if env::var_os("SNEKPY_BLESS").is_some_and(|it| it == "1") {
            lost.iter().try_for_each(|name| self.record(name, None))?;
            return Ok(Vec::new());
        }
        Ok(lost)
    }

    fn record(&self, program: &str, text: Option<String>) -> Result<(), String> {
        if env::var_os("CI").is_some() {
            return Err("SNEKPY_BLESS is refused, because CI is set".to_owned());
        }
        let mut lines = self.lines.lock().expect("no test panics in here");
        match text {
            Some(text) => lines.insert(program.to_owned(), text),
            None => lines.remove(program),
        };
        let text: String = lines.iter().map(|(name, line)| format!("{name}: {line}\n")).collect();
        fs::write(&self.path, text).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

impl Coverage {
    /// Reads what [`Display`](fmt::Display) wrote; the codes of plain calls are not told apart.
    fn of_line(line: &str) -> Option<Coverage> {
        let mut found = Coverage::default();
        for (position, part) in line.split("; ").enumerate() {
            if position == 0 {
                for item in part.split(", ") {
                    let (count, what) = item.split_once(' ')?;
                    let count = count.parse().ok()?;
                    match what.split_once(" (") {
                        Some(("plain", code)) => {
                            found.plain.insert(code.trim_end_matches(')').to_owned(), count);
                        }
                        _ if what == "calls" => found.calls = count,
                        _ if what == "compiled" => found.compiled = count,
                        _ => return None,
                    }
                }
                continue;
            }
            let (word, places) = part.split_once(' ')?;
            for place in places.split(", ") {
                let mut words = place.split(' ');
                let (place, code) = (words.next()?, words.next()?);
                let count = words.next().map_or(Some(1), |it| it.strip_prefix('x')?.parse().ok())?;
                let (file, line) = place.rsplit_once(':').unwrap_or(("", place));
                let at = At { file: file.to_owned(), line: line.parse().ok()?, code: code.to_owned() };
                if word == "left" {
                    found.left.insert(at, count);
                } else {
                    found.back.push(at);
                }
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str =
        "calls 6\ncompiled 3\nplain 1 S404\nleft 2 S410 12 a/b c.py\nleft 1 S110 9 /x/lib.py\nback S120 20 a/b c.py\n";
    const LINE: &str = "6 calls, 1 plain (S404), 3 compiled; left 12 S410 x2, lib.py:9 S110; back 20 S120";

    #[test]
    fn a_report_becomes_a_line_that_can_be_read() {
        let found = Coverage::of_report(REPORT, "b c.py").unwrap();
        assert_eq!(found.to_string(), LINE);
        assert_eq!(Coverage::of_line(LINE), Some(found));
        assert!(Coverage::of_report("calls\n", "b.py").is_err());
    }

    #[test]
    fn what_is_worse_is_told_from_what_is_better() {
        let of = |line: &str| Coverage::of_line(line).unwrap();
        let before = of(LINE);
        for worse in [
            "6 calls, 2 plain (S404), 3 compiled; left 12 S410 x2, lib.py:9 S110; back 20 S120",
            "6 calls, 1 plain (S404), 3 compiled; left 12 S410 x3, lib.py:9 S110; back 20 S120",
            "6 calls, 1 plain (S404), 3 compiled; left 12 S410 x2, lib.py:9 S110, 20 S120",
            "6 calls, 1 plain (S404), 3 compiled; left 12 S410 x2, lib.py:9 S110; back 19 S120, 20 S120",
            "5 calls, 3 compiled",
        ] {
            assert!(of(worse).is_worse_than(&before), "{worse}");
        }
        for better in
            ["6 calls, 3 compiled", "6 calls, 1 plain (S404), 4 compiled; left 12 S410; back 20 S120, lib.py:9 S110"]
        {
            assert!(!of(better).is_worse_than(&before), "{better}");
        }
    }
}
