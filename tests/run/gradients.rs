//! Gradients: random programs against differences and `jvp`, staged and unstaged; the papers' cases against what JAX has
//! computed; and the table of the functions of `snekpy.numpy`.
//!
//! ```text
//! cargo test -p snekpy-tests --test gradients            a fixed and a fresh seed, 15 s each; the fresh one interpreted, too
//! SNEKPY_GRADIENT_SECONDS=600 SNEKPY_GRADIENT_PROGRAMS=2000 cargo test … fixed
//! SNEKPY_GRADIENT_SEED=7 cargo test … fresh              the seed of the second, which it prints
//! ```
//!
//! `snekpy tests/gradients/check.py --show SEED` prints a program.

#![expect(clippy::print_stderr, reason = "a fuzzing run reports to whoever watches it")]

use std::process::ExitCode;
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use snekpy_tests::{Limits, Mode, Snekpy, check_golden, fresh_seed, number, run, suite_folder};

/// The seed of the first test.
const FIXED_SEED: u64 = 1;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let fresh = fresh_seed("SNEKPY_GRADIENT_SEED");
    let trials = vec![
        Trial::test("fixed", || Ok(programs(FIXED_SEED, Mode::Llvm)?)),
        Trial::test("fresh", move || Ok(programs(fresh, Mode::Llvm)?)),
        Trial::test("fresh interpreted", move || Ok(programs(fresh, Mode::Interp)?)),
        Trial::test("papers", || Ok(papers()?)),
        Trial::test("functions", || Ok(functions()?)),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn programs(seed: u64, mode: Mode) -> Result<(), String> {
    let seconds = number("SNEKPY_GRADIENT_SECONDS").unwrap_or(15);
    let mut command = Snekpy::find()?.command(Some(mode));
    command.arg(suite_folder("gradients").join("check.py")).args([seed.to_string(), seconds.to_string()]);
    command.args(number("SNEKPY_GRADIENT_PROGRAMS").map(|it| it.to_string()));
    let limits = Limits { time: Duration::from_secs(seconds * 2 + 60), ..Limits::default() };
    let ended = run(&mut command, "", limits)?;
    eprintln!("seed {seed}: {}", ended.stdout.trim_end());
    if ended.status == 0 { Ok(()) } else { Err(format!("seed {seed}: {}{}", ended.stdout, ended.stderr)) }
}

fn papers() -> Result<(), String> {
    let folder = suite_folder("gradients");
    let mut command = Snekpy::find()?.command(Some(Mode::Llvm));
    command.args(["papers.py", "expectations.txt"].map(|it| folder.join(it)));
    let ended = run(&mut command, "", Limits::default())?;
    if ended.status == 0 { Ok(()) } else { Err(format!("{}{}", ended.stdout, ended.stderr)) }
}

fn functions() -> Result<(), String> {
    let mut command = Snekpy::find()?.command(Some(Mode::Llvm));
    command.arg(suite_folder("gradients").join("functions.py"));
    let ended = run(&mut command, "", Limits::default())?;
    if ended.status != 0 {
        return Err(format!("{}{}", ended.stdout, ended.stderr));
    }
    check_golden(&suite_folder("gradients").join("../../docs/array-gradients.md"), &ended.stdout)
}
