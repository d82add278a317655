//! `upstream/`: what RustPython does otherwise than CPython, a program for each line of the guide.
//!
//! A program says what each of the two prints, and above that what could be written to RustPython. It fails when
//! RustPython's line has changed: then the program goes, and the guide's line with it.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use snekpy_tests::{Limits, Snekpy, run, suite_folder};

fn main() -> Result<ExitCode, String> {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let folder = suite_folder("upstream");
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        files.push(entry.map_err(|error| error.to_string())?.path());
    }
    files.sort();
    let count = files.len();
    let mut trials: Vec<Trial> = files
        .into_iter()
        .map(|file| {
            let name = file.file_stem().map_or_else(String::new, |it| it.to_string_lossy().into_owned());
            Trial::test(name, move || Ok(check(&file)?))
        })
        .collect();
    trials.push(Trial::test("the guide has a line for each", move || check_guide(count)));
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

fn check(file: &Path) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let said = |who: &str| {
        let line = text.lines().find_map(|it| it.strip_prefix("#@ ")?.strip_prefix(who));
        line.map(str::trim).ok_or_else(|| format!("it does not say what {who} prints"))
    };
    let (cpython, rustpython) = (said("cpython")?, said("rustpython")?);
    let ended = run(Snekpy::find()?.command(None).arg(file), "", Limits::default())?;
    let printed = ended.stdout.trim_end();
    if printed == rustpython {
        return if cpython == rustpython { Err("it shows no difference".to_owned()) } else { Ok(()) };
    }
    let advice = if printed == cpython { "as CPython: remove it here and in guide 10" } else { "something new" };
    Err(format!("it prints `{printed}`, {advice}\n{}", ended.stderr))
}

/// The last table of the chapter on limits.
fn check_guide(programs: usize) -> Result<(), Failed> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/10-limits.md");
    let text = fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
    let (_, table) = text.split_once("| program | CPython | RustPython").ok_or("the guide has the table")?;
    let lines = table.lines().skip(2).take_while(|it| it.starts_with('|')).count();
    if lines == programs { Ok(()) } else { Err(format!("{lines} lines for {programs} programs").into()) }
}
