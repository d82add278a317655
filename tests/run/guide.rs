//! The documentation: every program in it prints what it says, and every command of the guide runs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use snekpy_tests::guide::{Snippet, commands, outputs, session, snippets};
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
        .chain([root.join("README.md")])
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
    let name = page.file_stem().ok_or("a page has a name")?.to_string_lossy().into_owned();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("guide").join(&name);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    if name == "README" {
        // People paste its programs one by one.
        return snippets.iter().try_for_each(|it| session_prints(std::slice::from_ref(it), &folder));
    }
    session_prints(&snippets, &folder)?;
    commands(&text).iter().try_for_each(|command| command_runs(command, &folder))
}

fn session_prints(snippets: &[Snippet], folder: &Path) -> Result<(), String> {
    let program = folder.join("page.py");
    fs::write(&program, session(snippets)).map_err(|error| format!("{}: {error}", program.display()))?;
    let mut command = Snekpy::find()?.command(None);
    command.current_dir(folder).arg("page.py");
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

/// The programs that commands of the guide name.
const PROGRAMS: [(&str, &str); 2] = [
    ("program.py", "from snekpy import stage\n\n\n@stage\ndef f(x):\n    return x * x\n\n\nprint(f(3.0))\n"),
    (
        "power.py",
        "def power(x, n):\n    result = 1.0\n    for _ in range(n):\n        result *= x\n    return result\n",
    ),
];

/// A command of a page does not fail. The shell takes it apart.
fn command_runs(text: &str, folder: &Path) -> Result<(), String> {
    for (name, program) in PROGRAMS {
        fs::write(folder.join(name), program).map_err(|error| format!("{name}: {error}"))?;
    }
    let snekpy = Snekpy::find()?.command(None);
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).map_err(|error| format!("{}: {error}", bin.display()))?;
    let link = bin.join("snekpy");
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink(snekpy.get_program(), &link).map_err(|error| format!("{}: {error}", link.display()))?;
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(std::iter::once(bin).chain(env::split_paths(&path))).map_err(|it| it.to_string())?;
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", text]).current_dir(folder).env("PATH", path);
    let ended = run(&mut shell, "", Limits::default())?;
    if ended.status == 0 { Ok(()) } else { Err(format!("`{text}`: exit status {}\n{}", ended.status, ended.stderr)) }
}
