//! `catalogue/rows.txt`: each row of the catalogue of staged control flow, run strictly.
//!
//! A row names a program of `cases`, and, where that holds more than the row's idea, the functions that are the row's. The
//! program must print what it prints unstaged while these are staged strictly; behind the colon stands what comes of it
//! (`catalogue/run.py` says what the words mean). A change for the worse fails; one for the better fails until it is
//! recorded, with `SNEKPY_BLESS=1`.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use snekpy_tests::{Limits, Mode, Snekpy, run, suite_folder};

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // One area is one process; bless writes one file.
    arguments.test_threads = arguments.test_threads.or(Some(1));
    let mut trials: Vec<Trial> = ('A'..='M').map(|area| Trial::test(area, move || Ok(check(area)?))).collect();
    trials.push(Trial::test("every row is there once, and few refuse", || {
        let rows = rows()?;
        let named: BTreeSet<&str> = rows.iter().map(Row::name).collect();
        let refused = rows.iter().filter(|row| row.outcome.starts_with("refused")).count();
        match named.len() == ROWS && rows.len() == ROWS && refused <= MAY_REFUSE {
            true => Ok(()),
            false => Err(Failed::from(format!("{} rows, {refused} of them refuse", rows.len()))),
        }
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// How many rows the catalogue has.
const ROWS: usize = 270;
/// So many may refuse with `strict="leave"`.
const MAY_REFUSE: usize = 8;

/// One line of the record.
struct Row {
    /// The row's name, its program and its functions.
    what: String,
    outcome: String,
}

impl Row {
    fn name(&self) -> &str {
        self.what.split(' ').next().expect("a text has a first word")
    }
}

fn record() -> PathBuf {
    suite_folder("catalogue").join("rows.txt")
}

fn rows() -> Result<Vec<Row>, String> {
    let text = fs::read_to_string(record()).map_err(|error| format!("{}: {error}", record().display()))?;
    let row = |line: &str| {
        let (what, outcome) = line.split_once(':').ok_or_else(|| format!("`{line}` has no colon"))?;
        Ok(Row { what: what.to_owned(), outcome: outcome.trim().to_owned() })
    };
    text.lines().map(row).collect()
}

/// How good an outcome is, the best first.
fn rank(outcome: &str) -> usize {
    ["compiled", "crosses", "refused"].iter().position(|word| outcome.starts_with(word)).unwrap_or(3)
}

fn check(area: char) -> Result<(), String> {
    let [option, mode] = Mode::Interp.arguments();
    let mut command = Snekpy::find()?.command(None);
    command.current_dir(suite_folder("cases")).args([option, mode, "../catalogue/run.py"]).arg(area.to_string());
    let ended = run(&mut command, "", Limits::default())?;
    if ended.status != 0 {
        return Err(format!("exit status {}\n{}", ended.status, ended.stderr));
    }
    let found: BTreeMap<&str, &str> = ended.stdout.lines().filter_map(|line| line.split_once(' ')).collect();
    let mut rows = rows()?;
    let mut changes = String::new();
    for row in rows.iter_mut().filter(|row| row.what.starts_with(area)) {
        let outcome = *found.get(row.name()).ok_or_else(|| format!("{} has not run", row.name()))?;
        if row.outcome != outcome {
            let better = if rank(outcome) < rank(&row.outcome) { "better" } else { "worse, or differs" };
            changes.push_str(&format!("{better}: {}: {} is now {outcome}\n", row.what, row.outcome));
            row.outcome = outcome.to_owned();
        }
    }
    if changes.is_empty() {
        return Ok(());
    }
    if env::var_os("SNEKPY_BLESS").is_none_or(|it| it != "1") || env::var_os("CI").is_some() {
        return Err(format!("{changes}(SNEKPY_BLESS=1 records it)"));
    }
    let text: String = rows.iter().map(|row| format!("{}: {}\n", row.what, row.outcome)).collect();
    fs::write(record(), text).map_err(|error| format!("{}: {error}", record().display()))
}
