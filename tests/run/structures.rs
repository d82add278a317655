//! Random programs over structures (`structures/gen.py`): dicts, objects and tuples as arguments, read, replaced, changed
//! in place, with objects in two places and gradients by all of them; and over small arrays in loops (`loops/gen.py`). What
//! they print staged is what they print unstaged.
//!
//! `SNEKPY_STRUCTURES=2000` and `SNEKPY_LOOPS=2000` for a long run, `SNEKPY_FUZZ_SEED` for others.

use std::env;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use snekpy_tests::{Limits, Mode, Snekpy, difference, run, suite_folder};

/// The folders of programs that write them, what says how many of them, and how many if nothing does.
const SUITES: [(&str, &str, u64); 2] = [("structures", "SNEKPY_STRUCTURES", 24), ("loops", "SNEKPY_LOOPS", 18)];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let number = |name: &str, none: u64| env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(none);
    let first = number("SNEKPY_FUZZ_SEED", 1);
    let trials = SUITES.iter().flat_map(|&(suite, count, usual)| {
        let seeds = first..first.saturating_add(number(count, usual));
        seeds.map(move |seed| Trial::test(format!("{suite}/{seed}"), move || Ok(check(suite, seed)?)))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn check(suite: &str, seed: u64) -> Result<(), String> {
    let mut command = Snekpy::find()?.command(Some(Mode::Unstaged));
    command.arg(suite_folder(suite).join("gen.py")).arg(seed.to_string());
    let program = run(&mut command, "", Limits::default())?;
    if program.status != 0 {
        return Err(format!("no program: {}", program.stderr));
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(suite);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let file = folder.join(format!("{seed}.py"));
    fs::write(&file, &program.stdout).map_err(|error| format!("{}: {error}", file.display()))?;
    let printed = |mode: Mode| -> Result<String, String> {
        let mut command = Snekpy::find()?.command(Some(mode));
        command.arg(&file);
        let ended = run(&mut command, "", Limits::default())?;
        let text = format!("{}exit status {}\n", ended.stdout, ended.status);
        if ended.status == 0 { Ok(text) } else { Ok(text + &ended.stderr) }
    };
    let unstaged = printed(Mode::Unstaged)?;
    for mode in Mode::STAGED {
        if let Some(text) = difference(&unstaged, &printed(mode)?) {
            return Err(format!("{} of {}:\n{text}", mode.name(), file.display()));
        }
    }
    Ok(())
}
