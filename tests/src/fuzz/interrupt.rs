//! Interrupts compiled code, and asks whether what the program shows is a state that plain Python passes through.
//!
//! A call of each program is interrupted when compiled code polls for the n-th time, by a handler that raises or that
//! changes something and returns. What the program prints from there on, to its end, must be what plain Python prints
//! when it is interrupted at some instruction of that call: `oracle.py` tries them. Generated programs go through this,
//! and those of `tests/interrupts`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::check::{Finding, Outcome, Way, execute, outcome};
use super::generate::{INTERRUPT, PRELUDE, Subject};
use crate::{Limits, Mode, Snekpy, run, suite_folder};

/// The program that looks for the instruction.
const ORACLE: &str = include_str!("oracle.py");

/// How the text of a finding begins when the program went through, and shows something else.
pub const NO_SUCH_INSTRUCTION: &str = "no instruction at which plain Python, interrupted, shows";

/// A program with calls that are interrupted.
#[derive(Clone, Debug)]
pub struct Interruptible {
    /// Its name.
    pub name: String,
    /// Its text, which begins with `mark(NAME)`, or defines what it needs before.
    text: String,
}

impl Interruptible {
    /// A generated program.
    pub fn of_subject(subject: &Subject) -> Interruptible {
        Interruptible { name: subject.name.clone(), text: subject.interrupted_text() }
    }

    /// The written programs, with each number of polls up to `polls`, and both kinds of handlers.
    pub fn written(polls: usize) -> Result<Vec<Interruptible>, String> {
        let folder = suite_folder("interrupts");
        let mut found = Vec::new();
        for program in crate::programs(&folder)? {
            let fault = |error: std::io::Error| format!("{}: {error}", program.path.display());
            let text = fs::read_to_string(&program.path).map_err(fault)?;
            let change =
                program.directives.change.clone().ok_or_else(|| format!("{} changes nothing", program.name))?;
            for polls in 1..=polls {
                for (kind, change) in [("raises", "None".to_owned()), ("returns", format!("{change:?}"))] {
                    let name = format!("{}-{kind}-{polls}", program.name);
                    let begin = format!("mark({name:?})\nbegin()\nPOLLS, CHANGE = {polls}, {change}\n");
                    found.push(Interruptible { name, text: format!("{begin}{text}\n") });
                }
            }
        }
        Ok(found)
    }
}

/// What an interrupted program came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// It shows what plain Python may show.
    Same,
    /// Compiled code did not poll that often.
    InPeace,
    /// Staging refused it, or it has too many instructions to try.
    LeftOut,
    /// It shows something else, or dies.
    Differs(String),
}

/// Runs programs in `mode` and asks the oracle. `scratch` is a file for the programs, and beside it a folder for the
/// oracle.
pub fn interrupted(
    snekpy: &Snekpy,
    programs: &[Interruptible],
    mode: Mode,
    scratch: &Path,
) -> Result<Vec<Shown>, String> {
    let fault = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let folder = scratch.with_extension("interrupted");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| fault(&folder, error))?;
    let prelude = format!("{PRELUDE}{INTERRUPT}");
    let mut shown = Vec::new();
    let mut waiting = Vec::new();
    for (program, outcome) in programs.iter().zip(outcomes(snekpy, &prelude, programs, mode, scratch)?) {
        shown.push(match outcome {
            Outcome::Died(how) => {
                match outcomes(snekpy, &prelude, std::slice::from_ref(program), Mode::Unstaged, scratch)?.as_slice() {
                    // It never ends by itself.
                    [Outcome::Died(_)] => Shown::LeftOut,
                    _ => Shown::Differs(how),
                }
            }
            Outcome::Refused(_) | Outcome::Overflowed | Outcome::Endless => Shown::LeftOut,
            Outcome::Printed(text) if !text.contains("   interrupted\n") => Shown::InPeace,
            // Objects lie elsewhere in every run.
            Outcome::Printed(text) if text.contains(" at 0x") => Shown::LeftOut,
            Outcome::Printed(text) => {
                let position = shown.len();
                let source: PathBuf = folder.join(format!("{position:05}.py"));
                fs::write(&source, format!("{prelude}{}", program.text)).map_err(|error| fault(&source, error))?;
                let expected = format!("# {}\n{text}", program.name);
                fs::write(source.with_extension("out"), &expected).map_err(|error| fault(&source, error))?;
                waiting.push((position, expected));
                Shown::Same
            }
        });
    }
    let verdicts = ask(snekpy, &folder, waiting.len())?;
    for (position, expected) in waiting {
        let name = format!("{position:05} ");
        let verdict = verdicts.lines().find_map(|line| line.strip_prefix(&*name));
        shown[position] = match verdict.and_then(|it| it.split(' ').next()) {
            Some("same") => Shown::Same,
            Some("long" | "left") => Shown::LeftOut,
            Some("differs") => Shown::Differs(format!("{NO_SUCH_INSTRUCTION}\n{expected}")),
            _ => return Err(format!("the oracle says nothing of {}:\n{verdicts}", programs[position].name)),
        };
    }
    let _ = fs::remove_dir_all(&folder);
    Ok(shown)
}

/// What a number of generated programs came to.
#[derive(Clone, Debug, Default)]
pub struct Interrupted {
    /// Programs that show what plain Python may show.
    pub same: usize,
    /// Programs in which compiled code did not poll that often.
    pub in_peace: usize,
    /// Programs that were not asked about.
    pub left_out: usize,
    /// Programs that show something else.
    pub findings: Vec<Finding>,
}

impl Interrupted {
    /// How many programs were run.
    pub fn total(&self) -> usize {
        self.same + self.in_peace + self.left_out + self.findings.len()
    }

    /// Adds what `other` found.
    pub fn add(&mut self, other: Interrupted) {
        self.same += other.same;
        self.in_peace += other.in_peace;
        self.left_out += other.left_out;
        self.findings.extend(other.findings);
    }
}

/// Runs generated programs in `mode`, a call of each interrupted.
pub fn check_interrupted(
    snekpy: &Snekpy,
    subjects: &[Subject],
    mode: Mode,
    scratch: &Path,
) -> Result<Interrupted, String> {
    let mut report = Interrupted::default();
    let programs: Vec<Interruptible> = subjects.iter().map(Interruptible::of_subject).collect();
    for (subject, shown) in subjects.iter().zip(interrupted(snekpy, &programs, mode, scratch)?) {
        match shown {
            Shown::Same => report.same += 1,
            Shown::InPeace => report.in_peace += 1,
            Shown::LeftOut => report.left_out += 1,
            Shown::Differs(text) => {
                report.findings.push(Finding { subject: subject.clone(), way: Way::warm(mode), text });
            }
        }
    }
    Ok(report)
}

fn ask(snekpy: &Snekpy, folder: &Path, count: usize) -> Result<String, String> {
    let oracle = folder.join("oracle.py");
    fs::write(&oracle, ORACLE).map_err(|error| format!("{}: {error}", oracle.display()))?;
    let limits = Limits { time: Duration::from_secs(20 + 25 * count as u64), interrupt: None };
    let ended =
        run(snekpy.command(Some(Mode::Unstaged)).env("PYTHONHASHSEED", "0").arg(&oracle).arg(folder), "", limits)?;
    match ended.status {
        0 => Ok(ended.stdout),
        status => Err(format!("the oracle ends with {status}\n{}\n{}", ended.stdout, ended.stderr)),
    }
}

fn outcomes(
    snekpy: &Snekpy,
    prelude: &str,
    programs: &[Interruptible],
    mode: Mode,
    scratch: &Path,
) -> Result<Vec<Outcome>, String> {
    let text: String = programs.iter().map(|it| &*it.text).collect();
    let names: Vec<&str> = programs.iter().map(|it| &*it.name).collect();
    let (printed, died) = execute(snekpy, &format!("{prelude}{text}"), &names, mode, None, scratch)?;
    match (died, programs) {
        (None, _) => Ok(printed.iter().map(|text| outcome(text)).collect()),
        (Some(how), [_]) => Ok(vec![Outcome::Died(format!("{how}\n{}", printed.concat()))]),
        (Some(_), _) => {
            let alone = |it: &Interruptible| outcomes(snekpy, prelude, std::slice::from_ref(it), mode, scratch);
            let alone: Vec<Vec<Outcome>> = programs.iter().map(alone).collect::<Result<_, _>>()?;
            Ok(alone.concat())
        }
    }
}
