//! The documentation: every program in it prints what it says.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use snekpy_tests::guide::{outputs, session, snippets};
use snekpy_tests::{Limits, Snekpy, difference, run};

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let trials = pages().into_iter().map(|page| {
        let name = page.file_stem().map_or_else(String::new, |it| it.display().to_string());
        Trial::test(name, move || Ok(check(&page)?))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// The pages of the guide and the README.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in the repository");
    let mut pages: Vec<PathBuf> = fs::read_dir(root.join("docs/guide"))
        .expect("the guide is part of the repository")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .chain([root.join("README.md"), root.join("docs/README-draft.md")])
        .filter(|path| path.extension().is_some_and(|it| it == "md") && path.exists())
        .collect();
    pages.sort();
    pages
}

fn check(page: &Path) -> Result<(), String> {
    let text = fs::read_to_string(page).map_err(|error| format!("{}: {error}", page.display()))?;
    let snippets = snippets(&text)?;
    if snippets.is_empty() {
        return Ok(());
    }
    let name = page.with_extension("py");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("guide");
    let program = folder.join(name.file_name().ok_or("a page has a name")?);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    fs::write(&program, session(&snippets)).map_err(|error| format!("{}: {error}", program.display()))?;
    let mut command = Snekpy::find()?.command(None);
    command.current_dir(&folder).arg(program.file_name().ok_or("a page has a name")?);
    let ended = run(&mut command, "", Limits::default())?;
    let printed = outputs(&ended.stdout);
    for (position, snippet) in snippets.iter().enumerate() {
        let Some(printed) = printed.get(position) else {
            return Err(format!("the program at line {} was not reached\n{}", snippet.line, ended.stderr));
        };
        if let Some(text) = difference(&snippet.prints, printed) {
            return Err(format!("the program at line {}: {text}{}", snippet.line, ended.stderr));
        }
    }
    if ended.status == 0 { Ok(()) } else { Err(format!("exit status {}\n{}", ended.status, ended.stderr)) }
}
