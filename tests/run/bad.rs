//! `bad/`: wrong programs. What snekpy says about each, and its exit status, is the golden NAME.said.
//!
//! A golden is for people to judge: one clear message, with the user's file, line and names.
//! `SNEKPY_BLESS=1 cargo test -p snekpy-tests --test bad` writes them.

use std::process::ExitCode;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use snekpy_tests::{Limits, Program, Snekpy, check_golden, orphans, programs, run, suite_folder};

/// How long a Ctrl-C may take to end a program. The product's bound is 100 ms; the rest is the machine's,
/// which runs other things as well.
const INTERRUPT_LIMIT: Duration = Duration::from_millis(1000);

fn main() -> Result<ExitCode, String> {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let folder = suite_folder("bad");
    let found = programs(&folder)?;
    let mut trials: Vec<Trial> = Vec::new();
    for program in found.clone() {
        trials.push(Trial::test(program.name.clone(), move || Ok(check(&program)?)));
    }
    trials.push(Trial::test("no golden without its program", move || {
        let lost = orphans(&folder, &found, &["said"])?;
        if lost.is_empty() { Ok(()) } else { Err(Failed::from(format!("{lost:?}"))) }
    }));
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

fn check(program: &Program) -> Result<(), String> {
    let directives = &program.directives;
    let snekpy = Snekpy::find()?;
    let mut command = snekpy.command(None);
    command.current_dir(program.folder());
    match &directives.run {
        Some(line) => command.args(line),
        None => command.arg(program.file_name()).args(&directives.args),
    };
    let interrupt = directives.interrupt.map(Duration::from_millis);
    let limits = Limits { interrupt, ..Limits::default() };
    let ended = run(&mut command, &directives.input, limits)?;
    if ended.stderr.contains("panicked") || ended.stderr.contains("this is a bug in snekpy") {
        return Err(format!("snekpy itself failed\n{}", ended.stderr));
    }
    if let Some(time) = ended.after_interrupt
        && time > INTERRUPT_LIMIT
    {
        return Err(format!("it went on for {} ms after Ctrl-C", time.as_millis()));
    }
    // Where a program is interrupted is chance.
    let stderr = match interrupt {
        Some(_) => ended.stderr.lines().last().map_or_else(String::new, |line| format!("{line}\n")),
        None => ended.stderr,
    };
    let said = format!("exit status {}\n{}{stderr}", ended.status, ended.stdout)
        .replace(&snekpy.path().display().to_string(), "snekpy")
        .replace(&program.folder().display().to_string(), "FOLDER");
    check_golden(&program.beside("said"), &said)
}
