//! `library/check.py`: functions of the standard library, and mutations of them, staged against plain, with random
//! arguments.
//!
//! `SNEKPY_LIBRARY_CALLS` says how many calls are made with each seed and in each mode, `SNEKPY_FUZZ_SEED` is the seed of
//! the calls that differ from run to run.

use std::process::ExitCode;
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use snekpy_tests::{Limits, Mode, Snekpy, fresh_seed, number, run, suite_folder};

const CALLS: u64 = 800;
/// The seed of the calls that are always the same.
const FIXED_SEED: u64 = 1;
/// Of 100 mutations that are handed to the staged side alone, so many at least must show.
const NOTICED_PERCENT: u64 = 30;
/// What a call may take on a machine that does other things as well.
const TIME_OF_A_CALL: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let fresh = fresh_seed("SNEKPY_FUZZ_SEED");
    let calls = number("SNEKPY_LIBRARY_CALLS").unwrap_or(CALLS);
    let seeds = [("fixed", FIXED_SEED), ("fresh", fresh)];
    let all = seeds.into_iter().flat_map(|seed| Mode::STAGED.map(|mode| (seed, mode)));
    let mut trials: Vec<Trial> = all
        .map(|((name, seed), mode)| {
            Trial::test(format!("{name} {}", mode.name()), move || Ok(compare(seed, calls, mode)?))
        })
        .collect();
    trials.push(Trial::test("planted mutations are noticed", || Ok(planted()?)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn compare(seed: u64, calls: u64, mode: Mode) -> Result<(), String> {
    match check(seed, calls, mode, "same")? {
        (compared, 0, _) if compared >= calls => Ok(()),
        (_, _, text) => Err(format!("seed {seed}\n{text}")),
    }
}

fn planted() -> Result<(), String> {
    let (compared, differ, text) = check(FIXED_SEED, 400, Mode::Interp, "planted")?;
    if differ * 100 >= compared * NOTICED_PERCENT { Ok(()) } else { Err(text) }
}

/// How much was compared, how much of it differs, and what was printed.
fn check(seed: u64, calls: u64, mode: Mode, what: &str) -> Result<(u64, u64, String), String> {
    let mut command = Snekpy::find()?.command(Some(mode));
    command.arg(suite_folder("library").join("check.py")).arg(what).args([seed, calls].map(|it| it.to_string()));
    let time = TIME_OF_A_CALL * u32::try_from(calls).map_err(|error| error.to_string())? + Duration::from_secs(30);
    let ended = run(&mut command, "", Limits { time, ..Limits::default() })?;
    let text = format!("{}{}", ended.stdout, ended.stderr);
    let last = ended.stdout.lines().last().unwrap_or_default();
    let mut numbers = last.split(' ').filter_map(|it| it.parse().ok());
    match (ended.status, numbers.next(), numbers.next()) {
        (0, Some(compared), Some(differ)) => Ok((compared, differ, text)),
        _ => Err(format!("seed {seed}: exit status {}\n{text}", ended.status)),
    }
}
