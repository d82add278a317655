//! `conformance/`: plain Python programs print what CPython printed.
//!
//! They stage nothing, so one mode is enough: the one that a user gets.

use std::fs;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use snekpy_tests::{Limits, Program, Snekpy, difference, orphans, programs, run, suite_folder};

fn main() -> Result<ExitCode, String> {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let folder = suite_folder("conformance");
    let found = programs(&folder)?;
    let mut trials: Vec<Trial> = Vec::new();
    for program in found.clone() {
        trials.push(Trial::test(program.name.clone(), move || Ok(check(&program)?)));
    }
    trials.push(Trial::test("no recorded output without its program", move || {
        let lost = orphans(&folder, &found, &["out"])?;
        if lost.is_empty() { Ok(()) } else { Err(Failed::from(format!("{lost:?}"))) }
    }));
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

fn check(program: &Program) -> Result<(), String> {
    let out = program.beside("out");
    let expected = fs::read_to_string(&out)
        .map_err(|error| format!("{}: {error} (tests/bless {} records it)", out.display(), program.name))?;
    let mut command = Snekpy::find()?.command(None);
    command.current_dir(program.folder()).arg(program.file_name()).args(&program.directives.args);
    let ended = run(&mut command, &program.directives.input, Limits::default())?;
    if let Some(text) = difference(&expected, &ended.stdout) {
        return Err(format!("{text}{}", ended.stderr));
    }
    match ended.status == program.directives.exits {
        true => Ok(()),
        false => Err(format!("expected status {}, found {}\n{}", program.directives.exits, ended.status, ended.stderr)),
    }
}
