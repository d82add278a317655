//! `docs/errors/`: what `snekpy explain` says about the codes of refusals. The program that fails raises a
//! `StagingError` of the page's code; without `strict=True` it does what it does unstaged. The one that works
//! ends without an error.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use snekpy_tests::{Ended, Limits, Mode, Page, Snekpy, run};

fn main() -> Result<ExitCode, String> {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors");
    let mut trials = Vec::new();
    for path in pages(&folder)? {
        let code = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        trials.push(Trial::test(code.clone(), move || Ok(check(&code, &path)?)));
    }
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

fn pages(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|it| it.path())).collect();
    let mut paths = paths.map_err(|error| error.to_string())?;
    paths.sort();
    Ok(paths)
}

fn check(code: &str, path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let Page::Programs { fails, works } = Page::parse(&text)? else { return Ok(()) };
    let ended = run_program(&fails, Mode::Llvm)?;
    let line = format!("\nsnekpy.StagingError: {code}: ");
    if ended.status != 1 || !ended.stderr.contains(&line) {
        return Err(format!("the program that fails ended with {}\n{}{}", ended.status, ended.stdout, ended.stderr));
    }
    let lenient =
        fails.replace("stage(strict=True", "stage(strict=False").replace(", strict=True)(", ", strict=False)(");
    if lenient != fails {
        let [staged, plain] = [Mode::Llvm, Mode::Unstaged].map(|mode| run_program(&lenient, mode));
        let (staged, plain) = (staged?, plain?);
        let (staged, plain) = (shown(&staged), shown(&plain));
        if staged != plain {
            return Err(format!("without strict=True it differs: staged\n{staged:?}\nunstaged\n{plain:?}"));
        }
    }
    let ended = run_program(&works, Mode::Llvm)?;
    if ended.status != 0 || !ended.stderr.is_empty() {
        return Err(format!("the program that works ended with {}\n{}{}", ended.status, ended.stdout, ended.stderr));
    }
    Ok(())
}

fn run_program(program: &str, mode: Mode) -> Result<Ended, String> {
    run(Snekpy::find()?.command(Some(mode)).arg("-c").arg(program), "", Limits::default())
}

/// What two runs must have in common.
fn shown(ended: &Ended) -> (i32, &str, Option<&str>) {
    (ended.status, &ended.stdout, ended.stderr.lines().last())
}
