//! Interrupts compiled code, and asks whether what the program shows is a state that plain Python passes through.
//!
//! One call of each program is interrupted when compiled code polls for the n-th time, by a handler that raises or that
//! changes something and returns. What the program prints from there on, to its end, must be what plain Python prints
//! when it is interrupted at some instruction of that call: `oracle.py` tries them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::check::{Finding, Outcome, Way, execute, outcome};
use super::generate::{INTERRUPT, PRELUDE, Subject};
use crate::{Limits, Mode, Snekpy, run};

/// The program that looks for the instruction.
const ORACLE: &str = include_str!("oracle.py");

/// What a number of interrupted programs came to.
#[derive(Clone, Debug, Default)]
pub struct Interrupted {
    /// Programs that show what plain Python may show.
    pub same: usize,
    /// Programs in which compiled code did not poll that often.
    pub in_peace: usize,
    /// Programs that staging refused, or with too many instructions to try.
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

/// Runs `subjects` in `mode`, a call of each interrupted, and asks the oracle. `scratch` is a file for the program, and
/// beside it a folder for the oracle.
pub fn check_interrupted(
    snekpy: &Snekpy,
    subjects: &[Subject],
    mode: Mode,
    scratch: &Path,
) -> Result<Interrupted, String> {
    let mut report = Interrupted::default();
    let fault = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let folder = scratch.with_extension("interrupted");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| fault(&folder, error))?;
    let prelude = format!("{PRELUDE}{INTERRUPT}");
    let way = Way { mode, cold: false };
    let mut waiting: Vec<(String, &Subject, String)> = Vec::new();
    for (subject, outcome) in subjects.iter().zip(outcomes(snekpy, &prelude, subjects, mode, scratch)?) {
        let found = |text: String| Finding { subject: subject.clone(), way, text };
        match outcome {
            Outcome::Died(how) => report.findings.push(found(how)),
            Outcome::Refused(_) | Outcome::Overflowed => report.left_out += 1,
            Outcome::Printed(text) if !text.contains("   interrupted\n") => report.in_peace += 1,
            // Objects lie elsewhere in every run.
            Outcome::Printed(text) if text.contains(" at 0x") => report.left_out += 1,
            Outcome::Printed(text) => {
                let name = format!("{:05}", waiting.len());
                let source = folder.join(&name).with_extension("py");
                let program = format!("{prelude}{}", subject.interrupted_text());
                fs::write(&source, program).map_err(|error| fault(&source, error))?;
                let expected = format!("# {}\n{text}", subject.name);
                fs::write(source.with_extension("out"), &expected).map_err(|error| fault(&source, error))?;
                waiting.push((name, subject, expected));
            }
        }
    }
    let verdicts = ask(snekpy, &folder, waiting.len())?;
    for (name, subject, shown) in waiting {
        let verdict = verdicts.lines().find_map(|line| line.strip_prefix(&*name)?.strip_prefix(' '));
        match verdict.and_then(|it| it.split(' ').next()) {
            Some("same") => report.same += 1,
            Some("long") => report.left_out += 1,
            Some("differs") => {
                let text = format!("no instruction at which plain Python, interrupted, shows\n{shown}");
                report.findings.push(Finding { subject: subject.clone(), way, text });
            }
            _ => return Err(format!("the oracle says nothing of {}:\n{verdicts}", subject.name)),
        }
    }
    let _ = fs::remove_dir_all(&folder);
    Ok(report)
}

fn ask(snekpy: &Snekpy, folder: &Path, count: usize) -> Result<String, String> {
    let oracle = folder.join("oracle.py");
    fs::write(&oracle, ORACLE).map_err(|error| format!("{}: {error}", oracle.display()))?;
    let limits = Limits { time: Duration::from_secs(20 + 25 * count as u64), interrupt: None };
    let ended = run(snekpy.command(Some(Mode::Unstaged)).arg(&oracle).arg(folder), "", limits)?;
    match ended.status {
        0 => Ok(ended.stdout),
        status => Err(format!("the oracle ends with {status}\n{}\n{}", ended.stdout, ended.stderr)),
    }
}

fn outcomes(
    snekpy: &Snekpy,
    prelude: &str,
    subjects: &[Subject],
    mode: Mode,
    scratch: &Path,
) -> Result<Vec<Outcome>, String> {
    let text: String = subjects.iter().map(Subject::interrupted_text).collect();
    let (printed, died) = execute(snekpy, &format!("{prelude}{text}"), subjects.len(), mode, None, scratch)?;
    match (died, subjects) {
        (None, _) => Ok(printed.iter().map(|text| outcome(text)).collect()),
        (Some(how), [_]) => Ok(vec![Outcome::Died(format!("{how}\n{}", printed.concat()))]),
        (Some(_), _) => {
            let alone = |it: &Subject| outcomes(snekpy, prelude, std::slice::from_ref(it), mode, scratch);
            let alone: Vec<Vec<Outcome>> = subjects.iter().map(alone).collect::<Result<_, _>>()?;
            Ok(alone.concat())
        }
    }
}
