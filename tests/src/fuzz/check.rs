//! Runs programs in every mode and compares.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::generate::{PRELUDE, Subject};
use super::known::known;
use crate::{Coverage, Limits, Mode, STILL_RUNNING, Snekpy, difference, run};

/// How the text of a finding begins when the program does not even run unstaged.
pub const UNSTAGED_FAILED: &str = "the unstaged run failed";

/// How programs begin whose captures pause.
const PAUSES: &str = "from snekpy import _pause_every\n_pause_every(61)\n";

/// What staged code says when an int is too large after effects.
const PAST_64_BITS: &str = "integer result does not fit in 64 bits";

/// What a number of programs came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Programs that printed the same in every mode.
    pub same: usize,
    /// Programs that staging refused, by the message without its numbers and names.
    pub refused: BTreeMap<String, usize>,
    /// Programs whose ints left 64 bits.
    pub overflowed: usize,
    /// Programs that do not end unstaged.
    pub endless: usize,
    /// Programs that differ.
    pub findings: Vec<Finding>,
}

/// A way to run programs: a mode, and whether every call is the first of its staged function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The mode.
    pub mode: Mode,
    /// Whether nothing that was compiled for one call is there for the next.
    pub cold: bool,
    /// Whether each capture gives way to others again and again.
    pub pauses: bool,
}

impl Way {
    /// What programs are compared with.
    const UNSTAGED: Way = Way::warm(Mode::Unstaged);

    /// A mode as it is.
    pub const fn warm(mode: Mode) -> Self {
        Self { mode, cold: false, pauses: false }
    }

    /// The ways for batch `number`: the interpreter and what a user gets for each, and by turns the compiler
    /// without optimisation, cold calls, and captures that pause. Those need one back end: what they test comes before it.
    pub fn of_batch(number: usize) -> [Self; 3] {
        let interp = Self::warm(Mode::Interp);
        let third = match number % 3 {
            0 => Self::warm(Mode::LlvmO0),
            1 => Self { cold: true, ..interp },
            _ => Self { pauses: true, ..interp },
        };
        [interp, Self::warm(Mode::Llvm), third]
    }

    /// Its name.
    pub fn name(self) -> String {
        let how = [(self.cold, ", cold"), (self.pauses, ", pausing")].map(|(is, text)| if is { text } else { "" });
        format!("{}{}", self.mode.name(), how.concat())
    }
}

/// A program that does not print the same in a mode.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The program.
    pub subject: Subject,
    /// The way it was run.
    pub way: Way,
    /// What differs.
    pub text: String,
}

impl Report {
    /// Adds what `other` found.
    pub fn add(&mut self, other: Report) {
        self.same += other.same;
        self.overflowed += other.overflowed;
        self.endless += other.endless;
        other.refused.into_iter().for_each(|(reason, count)| *self.refused.entry(reason).or_default() += count);
        self.findings.extend(other.findings);
    }

    /// How many programs staging refused.
    pub fn refusals(&self) -> usize {
        self.refused.values().sum()
    }

    /// How many programs were run.
    pub fn total(&self) -> usize {
        self.same + self.overflowed + self.endless + self.refusals() + self.findings.len()
    }
}

/// What one program did in one mode.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    Printed(String),
    Refused(String),
    Overflowed,
    /// It was ended when its time was over.
    Endless,
    Died(String),
}

/// Runs `subjects` together in one process for each of `ways` and compares with the unstaged run.
///
/// `scratch` is a file for the program. When a process dies, the programs that it has not finished are
/// run one by one.
pub fn check(snekpy: &Snekpy, subjects: &[Subject], ways: &[Way], scratch: &Path) -> Result<Report, String> {
    let (mut report, count) = (Report::default(), subjects.len());
    let expected = outcomes(snekpy, subjects, Way::UNSTAGED, scratch)?;
    // Of a program without an end nobody can say what it should print.
    let (subjects, expected): (Vec<Subject>, Vec<Outcome>) =
        subjects.iter().cloned().zip(expected).filter(|(_, it)| *it != Outcome::Endless).unzip();
    report.endless = count - subjects.len();
    let mut settled = vec![None; subjects.len()];
    for &way in ways {
        let found = outcomes(snekpy, &subjects, way, scratch)?;
        for (position, (expected, found)) in expected.iter().zip(found).enumerate() {
            let verdict = judge(expected, &found);
            // The worst verdict counts: a difference in any mode, then what the first mode said.
            match (&settled[position], verdict) {
                (Some(Verdict::Differs(_)), _) => {}
                (_, Verdict::Differs(text)) => {
                    settled[position] = Some(Verdict::Differs(text.clone()));
                    report.findings.push(Finding { subject: subjects[position].clone(), way, text });
                }
                (None | Some(Verdict::Same), verdict) => settled[position] = Some(verdict),
                (Some(Verdict::Refused(_) | Verdict::Overflowed), _) => {}
            }
        }
    }
    for verdict in settled.into_iter().flatten() {
        match verdict {
            Verdict::Same => report.same += 1,
            Verdict::Overflowed => report.overflowed += 1,
            Verdict::Refused(reason) => *report.refused.entry(reason).or_default() += 1,
            Verdict::Differs(_) => {}
        }
    }
    Ok(report)
}

#[derive(Clone, Debug)]
enum Verdict {
    Same,
    Refused(String),
    Overflowed,
    Differs(String),
}

fn judge(expected: &Outcome, found: &Outcome) -> Verdict {
    match (expected, found) {
        (Outcome::Died(how), _) => match known(how) {
            Some(finding) => Verdict::Refused(format!("known: {finding}")),
            None => Verdict::Differs(format!("{UNSTAGED_FAILED}: {how}")),
        },
        (_, Outcome::Died(how)) => Verdict::Differs(how.clone()),
        (_, Outcome::Endless) | (Outcome::Endless, _) => Verdict::Differs("it does not end".to_owned()),
        (_, Outcome::Refused(reason)) => Verdict::Refused(general(reason)),
        (Outcome::Printed(expected), Outcome::Printed(found)) => match difference(expected, found) {
            None => Verdict::Same,
            Some(text) => match known(&text) {
                Some(finding) => Verdict::Refused(format!("known: {finding}")),
                None => Verdict::Differs(text),
            },
        },
        (_, Outcome::Overflowed) => Verdict::Overflowed,
        (Outcome::Refused(_) | Outcome::Overflowed, Outcome::Printed(_)) => {
            Verdict::Differs("the unstaged run was refused".to_owned())
        }
    }
}

/// A message without what is in backquotes and without numbers: reasons to count.
fn general(message: &str) -> String {
    let mut text = String::new();
    for (position, part) in message.split('`').enumerate() {
        if position % 2 == 1 {
            text.push('…');
        } else {
            text.extend(part.chars().map(|it| if it.is_ascii_digit() { 'N' } else { it }));
        }
    }
    text.truncate(text.char_indices().nth(160).map_or(text.len(), |(end, _)| end));
    text
}

/// What the programs print unstaged when each `from` in their text is a `to`: as if one operation were
/// compiled as another. This is how the fuzzer is tested.
pub fn printed(
    snekpy: &Snekpy,
    subjects: &[Subject],
    from: &str,
    to: &str,
    scratch: &Path,
) -> Result<Vec<String>, String> {
    let text: String = subjects.iter().map(|it| it.text(false)).collect();
    let text = format!("{PRELUDE}{}", text.replace(from, to));
    Ok(execute(snekpy, &text, &names(subjects), Mode::Unstaged, None, scratch)?.0)
}

fn outcomes(snekpy: &Snekpy, subjects: &[Subject], way: Way, scratch: &Path) -> Result<Vec<Outcome>, String> {
    let text: String = subjects.iter().map(|it| it.text(way.cold)).collect();
    let begin = if way.pauses { PAUSES } else { "" };
    let text = format!("{PRELUDE}{begin}{text}");
    let (printed, died) = execute(snekpy, &text, &names(subjects), way.mode, None, scratch)?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    for (position, subject) in subjects.iter().enumerate() {
        let complete = died.is_none() || position + 1 < printed.len();
        match printed.get(position) {
            Some(text) if complete => outcomes.push(outcome(text)),
            _ if subjects.len() == 1 => outcomes.push(match died.as_deref() {
                Some(how) if how.starts_with(STILL_RUNNING) && way == Way::UNSTAGED => Outcome::Endless,
                how => {
                    let text = printed.first().map_or("", String::as_str);
                    Outcome::Died(format!("{}\n{text}", how.unwrap_or_default()))
                }
            }),
            _ => outcomes.extend(self::outcomes(snekpy, std::slice::from_ref(subject), way, scratch)?),
        }
    }
    Ok(outcomes)
}

pub(super) fn outcome(text: &str) -> Outcome {
    let refusal = text.lines().find_map(|line| line.strip_prefix("raises StagingError "));
    match refusal {
        Some(reason) => Outcome::Refused(reason.to_owned()),
        None if text.contains(PAST_64_BITS) => Outcome::Overflowed,
        None => Outcome::Printed(without_addresses(text)),
    }
}

/// The text with `0x` for every address: objects lie elsewhere in every run.
fn without_addresses(text: &str) -> String {
    let mut pieces = text.split(" at 0x");
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        kept.push_str(" at 0x");
        kept.push_str(piece.trim_start_matches(|it: char| it.is_ascii_hexdigit()));
    }
    kept
}

/// How much of `subjects` is compiled, on the reference interpreter, and how many of them have crossings that were carried
/// out.
pub fn coverage(snekpy: &Snekpy, subjects: &[Subject], scratch: &Path) -> Result<(Coverage, usize), String> {
    let text: String = subjects.iter().map(|it| format!("{}crossed({}_staged)\n", it.text(false), it.name)).collect();
    let report = scratch.with_extension("coverage");
    let text = format!("{PRELUDE}{text}");
    let (printed, died) = execute(snekpy, &text, &names(subjects), Mode::Interp, Some(&report), scratch)?;
    if let Some(how) = died {
        return Err(how);
    }
    let text = fs::read_to_string(&report).map_err(|error| format!("{}: {error}", report.display()))?;
    let _ = fs::remove_file(&report);
    let crosses = |text: &&String| text.lines().any(|it| it.strip_prefix("crossed ").is_some_and(|count| count != "0"));
    Ok((Coverage::of_report(&text, "")?, printed.iter().filter(crosses).count()))
}

fn names(subjects: &[Subject]) -> Vec<&str> {
    subjects.iter().map(|it| &*it.name).collect()
}

/// What each of the programs of a text printed, and how the process failed if it did. `coverage` is a file for what is
/// compiled of them.
pub(super) fn execute(
    snekpy: &Snekpy,
    text: &str,
    names: &[&str],
    mode: Mode,
    coverage: Option<&Path>,
    scratch: &Path,
) -> Result<(Vec<String>, Option<String>), String> {
    fs::write(scratch, text).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let limits = Limits { time: Duration::from_millis(45_000 + 500 * names.len() as u64), interrupt: None };
    let mut command = snekpy.command(Some(mode));
    // How often texts are compared when they are looked up depends on their hashes.
    command.env("PYTHONHASHSEED", "0");
    if let Some(file) = coverage {
        command.arg("-X").arg(format!("snek:coverage={}", file.display()));
    }
    command.arg(scratch);
    let (stdout, died) = match run(&mut command, "", limits) {
        Ok(ended) if ended.status == 0 => (ended.stdout, None),
        Ok(ended) => {
            let stderr: Vec<&str> = ended.stderr.lines().rev().take(12).collect();
            let stderr: Vec<&str> = stderr.into_iter().rev().collect();
            (ended.stdout, Some(format!("exit status {}\n{}", ended.status, stderr.join("\n"))))
        }
        Err(reason) => (reason.clone(), Some(reason)),
    };
    let mut printed: Vec<String> = Vec::new();
    for line in stdout.lines() {
        // A program may print such a line, too.
        if names.get(printed.len()).is_some_and(|name| line.strip_prefix("# ") == Some(name)) {
            printed.push(String::new());
        } else if let Some(text) = printed.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    Ok((printed, died))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_without_names_and_numbers() {
        assert_eq!(general("cannot merge `i0` at line 12"), "cannot merge … at line NN");
    }

    #[test]
    fn addresses_are_not_compared() {
        assert_eq!(without_addresses("<A at 0x51af> <B at 0x0>"), "<A at 0x> <B at 0x>");
    }

    #[test]
    fn a_difference_is_never_taken_for_a_refusal() {
        let printed = |text: &str| Outcome::Printed(text.to_owned());
        assert!(matches!(judge(&printed("= 1\n"), &printed("= 2\n")), Verdict::Differs(_)));
        assert!(matches!(judge(&printed("= 1\n"), &printed("= 1\n")), Verdict::Same));
        assert!(matches!(judge(&printed("= 1\n"), &outcome("raises StagingError x\n")), Verdict::Refused(_)));
        assert!(matches!(judge(&printed("= 1\n"), &Outcome::Died("x".to_owned())), Verdict::Differs(_)));
        let other = outcome("raises OverflowError math range error at f:64\n");
        assert!(matches!(judge(&printed("= 1\n"), &other), Verdict::Differs(_)));
    }
}
