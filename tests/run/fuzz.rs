//! Random programs: every mode prints what the unstaged run prints.
//!
//! ```text
//! cargo test -p snekpy-tests --test fuzz               one fixed seed and one fresh seed, 10 s each
//! SNEKPY_FUZZ_SECONDS=300 cargo test …                 longer
//! SNEKPY_FUZZ_PROGRAMS=1000 cargo test …               until there were so many programs, if the time suffices
//! SNEKPY_FUZZ_SEED=7 cargo test … fresh                the seed of the second test, which it prints
//! SNEKPY_FUZZ_SHOW=7 cargo test … show                 prints the program of one number, and if there is
//!                                                      SNEKPY_FUZZ_INTERRUPTED, as it is interrupted
//! SNEKPY_FUZZ_FINDINGS=20 cargo test …                 goes on until there are so many; otherwise until 5
//! cargo test … tensors                                 programs that all have arrays, with the fresh seed
//! ```
//!
//! A program that differs is written, made smaller, to `target/…/fuzz/NUMBER.py`.

#![expect(clippy::print_stderr, clippy::print_stdout, reason = "a fuzzing run reports to whoever watches it")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Trial};
use snekpy_tests::fuzz::{
    Finding, Interrupted, Interruptible, NO_SUCH_INSTRUCTION, Report, Rng, Shown, Subject, UNSTAGED_FAILED, Way, check,
    check_interrupted, coverage, interrupted, printed, shrink,
};
use snekpy_tests::{Coverage, Mode, Snekpy, fresh_seed, number};

/// Programs in one process.
const BATCH: usize = 80;
/// How many of 100 programs staging may refuse: refusing everything is no way to be right.
const REFUSED_PERCENT: usize = 25;
/// Of so many programs one may have no end, and one more.
const ENDLESS_ONE_IN: usize = 400;
/// The seed of the first test.
const FIXED_SEED: u64 = 2;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let fresh = fresh_seed("SNEKPY_FUZZ_SEED");
    eprintln!("the fresh seed is {fresh}: SNEKPY_FUZZ_SEED={fresh} repeats the run");
    let trials = vec![
        Trial::test("fixed", || Ok(fuzz(FIXED_SEED, "fixed", &ANY)?)),
        Trial::test("fresh", move || Ok(fuzz(fresh, "fresh", &ANY)?)),
        Trial::test("tensors", move || Ok(fuzz(fresh, "tensors", &TENSORS)?)),
        Trial::test("interrupted fixed", || Ok(interrupt(FIXED_SEED, "interrupted-fixed")?)),
        Trial::test("interrupted fresh", move || Ok(interrupt(fresh, "interrupted-fresh")?)),
        Trial::test("interrupted written", || Ok(interrupt_written()?)),
        Trial::test("coverage", || Ok(check_coverage()?)),
        Trial::test("planted errors are noticed", || Ok(planted()?)),
        Trial::test("show", || {
            if let Some(seed) = number("SNEKPY_FUZZ_SHOW") {
                let subject = Subject::generate(seed, &format!("p{seed}"));
                let is_interrupted = env::var_os("SNEKPY_FUZZ_INTERRUPTED").is_some();
                println!("{}", if is_interrupted { subject.interrupted_text() } else { subject.text(false) });
            }
            Ok(())
        }),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Wrong ways to compile an operation, written as another operation. The fuzzer must notice each of them.
const PLANTED: [(&str, &str); 16] = [
    (" + ", " - "),
    (" * ", " + "),
    (" // ", " / "),
    (" % 3", " % 4"),
    (" << ", " >> "),
    (" & ", " | "),
    ("<= ", "< "),
    (" < ", " <= "),
    (" or ", " and "),
    ("min(", "max("),
    ("abs(", "float("),
    ("math.floor", "math.ceil"),
    ("continue", "return"),
    ("elif ", "if "),
    ("is None", "is not None"),
    ("range(", "range(1 + "),
];

/// In so many programs at a time they are looked for.
const PLANTED_AT_ONCE: usize = 20;

fn planted() -> Result<(), String> {
    let snekpy = Snekpy::find()?;
    let folder = scratch_folder()?;
    let subjects: Vec<Subject> = (200..320).map(|seed| Subject::generate(seed, &format!("p{seed}"))).collect();
    let scratch = folder.join("planted.py");
    // Most errors are in the first few.
    let parts: Vec<&[Subject]> = subjects.chunks(PLANTED_AT_ONCE).collect();
    let right = parts.iter().map(|part| printed(&snekpy, part, "", "", &scratch)).collect::<Result<Vec<_>, _>>()?;
    if right.iter().any(Vec::is_empty) {
        return Err("the programs do not run".to_owned());
    }
    let mut missed = Vec::new();
    for (from, to) in PLANTED {
        let mut is_noticed = false;
        for (part, right) in parts.iter().zip(&right) {
            is_noticed = is_noticed || printed(&snekpy, part, from, to, &scratch)? != *right;
        }
        if !is_noticed {
            missed.push(format!("`{from}` as `{to}`"));
        }
    }
    if missed.is_empty() { Ok(()) } else { Err(format!("not noticed: {}", missed.join(", "))) }
}

/// How many programs are asked for what is compiled of them.
const COVERED: usize = 160;
/// By so many of 100 it may be worse than recorded: one or two of the calls come back or not as objects lie in memory.
const TOLERANCE: u64 = 1;
/// Where that is recorded.
const COVERAGE: &str = "src/fuzz/coverage.txt";

/// Of the calls of the fixed seed's first programs, hardly more become plain Python than is recorded, and no fewer programs
/// have the interpreter carry out instructions from compiled code.
fn check_coverage() -> Result<(), String> {
    let snekpy = Snekpy::find()?;
    let folder = scratch_folder()?;
    let mut numbers = Rng::new(FIXED_SEED);
    let (found, crossed) =
        coverage(&snekpy, &subjects(&mut numbers, COVERED, Subject::generate), &folder.join("coverage.py"))?;
    // An error leaves, whatever is compiled.
    let plain = found.plain_calls() + found.times_left_but_for("S410");
    let line = |plain: u64| {
        let errors = found.times_left() + found.plain_calls() - plain;
        let Coverage { calls, .. } = found;
        format!(
            "{COVERED} programs, seed {FIXED_SEED}: {calls} calls, {plain} become plain Python, {errors} more by an error; \
             {crossed} programs cross\n"
        )
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(COVERAGE);
    eprint!("{}", line(plain));
    if env::var_os("SNEKPY_BLESS").is_some_and(|it| it == "1") {
        return fs::write(&path, line(plain)).map_err(|error| format!("{}: {error}", path.display()));
    }
    let recorded = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let [calls, bound, most] = numbers_of(&recorded).ok_or_else(|| format!("{recorded}: expected three numbers"))?;
    match plain * calls * 100 > bound * found.calls * (100 + TOLERANCE) || (crossed as u64) < most {
        false => Ok(()),
        true => Err(format!(
            "less is compiled than recorded (SNEKPY_BLESS=1 records it)\n  - {recorded}  + {}",
            line(plain)
        )),
    }
}

/// `... N calls, M become plain Python, ...; P programs cross`.
fn numbers_of(line: &str) -> Option<[u64; 3]> {
    let (calls, rest) = line.split_once(": ")?.1.split_once(" calls, ")?;
    let (plain, rest) = rest.split_once(' ')?;
    let crossed = rest.split_once("; ")?.1.split(' ').next()?;
    Some([calls.parse().ok()?, plain.parse().ok()?, crossed.parse().ok()?])
}

fn scratch_folder() -> Result<PathBuf, String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

fn subjects(numbers: &mut Rng, count: usize, generate: fn(u64, &str) -> Subject) -> Vec<Subject> {
    let next = |_| {
        let seed = numbers.bits() >> 32;
        generate(seed, &format!("p{seed}"))
    };
    (0..count).map(next).collect()
}

/// The programs of `tests/interrupts`, at each of their first polls.
fn interrupt_written() -> Result<(), String> {
    const POLLS: usize = 8;
    let snekpy = Snekpy::find()?;
    let scratch = scratch_folder()?.join(format!("written-{}.py", std::process::id()));
    let programs = Interruptible::written(POLLS)?;
    let mut faults = Vec::new();
    for mode in [Mode::Interp, Mode::Llvm] {
        for (program, shown) in programs.iter().zip(interrupted(&snekpy, &programs, mode, &scratch)?) {
            match shown {
                Shown::Same => {}
                // A loop that counts polls once in thousands of rounds, unless it is interpreted.
                Shown::InPeace if mode != Mode::Interp => {}
                Shown::InPeace | Shown::LeftOut => {
                    faults.push(format!("{}: {shown:?} in {}", program.name, mode.name()))
                }
                Shown::Differs(text) => faults.push(format!("{} in {}: {text}", program.name, mode.name())),
            }
        }
    }
    let _ = fs::remove_file(&scratch);
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Programs of a seed with a call interrupted: by turns on the interpreter and compiled.
fn interrupt(seed: u64, name: &str) -> Result<(), String> {
    let snekpy = Snekpy::find()?;
    let folder = scratch_folder()?;
    let scratch = folder.join(format!("{name}-{}.py", std::process::id()));
    let until = Instant::now() + Duration::from_secs(number("SNEKPY_FUZZ_SECONDS").unwrap_or(10));
    let mut numbers = Rng::new(seed);
    let mut report = Interrupted::default();
    let mut texts = Vec::new();
    let most = number("SNEKPY_FUZZ_FINDINGS").map_or(5, |it| it as usize);
    let programs = number("SNEKPY_FUZZ_PROGRAMS").map_or(usize::MAX, |it| it as usize);
    for mode in [Mode::Interp, Mode::Interp, Mode::Llvm].into_iter().cycle() {
        if Instant::now() >= until || report.total() >= programs || report.findings.len() >= most {
            break;
        }
        let found = check_interrupted(&snekpy, &subjects(&mut numbers, BATCH, Subject::generate), mode, &scratch)?;
        for finding in &found.findings {
            let check = |subjects: &[Subject]| {
                check_interrupted(
                    &snekpy,
                    subjects,
                    mode,
                    &folder.join(format!("{}-shrinking.py", finding.subject.name)),
                )
                .map_or(Vec::new(), |report| report.findings)
            };
            texts.push(describe_interrupted(finding, &folder, &check));
            eprintln!("seed {seed}: {}", texts.last().expect("one was pushed"));
        }
        report.add(found);
    }
    let _ = fs::remove_file(&scratch);
    let Interrupted { same, in_peace, left_out, findings } = &report;
    let differ = findings.len();
    eprintln!(
        "seed {seed}: {} programs interrupted, {same} show a state of plain Python, {in_peace} ended before, \
         {left_out} left out, {differ} differ",
        report.total()
    );
    if texts.is_empty() { Ok(()) } else { Err(format!("seed {seed}\n{}", texts.join("\n"))) }
}

/// Shrinks a finding, writes it to a file, and says where.
fn describe_interrupted(finding: &Finding, folder: &Path, check: &dyn Fn(&[Subject]) -> Vec<Finding>) -> String {
    let until = Instant::now() + Duration::from_secs(number("SNEKPY_FUZZ_SHRINK_SECONDS").unwrap_or(30));
    // A smaller one that dies of what was taken from it is no finding.
    let is_dead = |it: &Finding| !it.text.starts_with(NO_SUCH_INSTRUCTION);
    let small = shrink(&finding.subject, until, &mut |subjects| {
        let real = check(subjects).into_iter().find(|it| is_dead(it) == is_dead(finding))?;
        subjects.iter().position(|it| *it == real.subject)
    });
    let text = check(std::slice::from_ref(&small)).pop().map_or(finding.text.clone(), |it| it.text);
    let file = folder.join(format!("{}-interrupted.py", small.name));
    let written = fs::write(&file, small.interrupted_text());
    let file = written.map_or_else(|error| error.to_string(), |()| file.display().to_string());
    format!("{file} in mode {}, interrupted: {text}", finding.way.name())
}

/// Which programs, and in which ways each batch of them is run.
struct Programs {
    generate: fn(u64, &str) -> Subject,
    ways: fn(usize) -> [Way; 3],
}

const ANY: Programs = Programs { generate: Subject::generate, ways: Way::of_batch };
/// Bits are what compilers change, so all of them are asked each time.
const TENSORS: Programs =
    Programs { generate: Subject::with_tensors, ways: |_| [Mode::Interp, Mode::LlvmO0, Mode::Llvm].map(Way::warm) };

fn fuzz(seed: u64, name: &str, programs: &Programs) -> Result<(), String> {
    let snekpy = Snekpy::find()?;
    let folder = scratch_folder()?;
    // Another run of this test may be going on.
    let scratch = folder.join(format!("{name}-{}.py", std::process::id()));
    let until = Instant::now() + Duration::from_secs(number("SNEKPY_FUZZ_SECONDS").unwrap_or(10));
    let mut numbers = Rng::new(seed);
    let mut report = Report::default();
    let mut texts: Vec<String> = Vec::new();
    let most = number("SNEKPY_FUZZ_FINDINGS").map_or(5, |it| it as usize);
    let mut batches = 0;
    let wanted = number("SNEKPY_FUZZ_PROGRAMS").map_or(usize::MAX, |it| it as usize);
    while Instant::now() < until && report.total() < wanted && report.findings.len() < most {
        let subjects = subjects(&mut numbers, BATCH, programs.generate);
        let found = check(&snekpy, &subjects, &(programs.ways)(batches), &scratch)?;
        batches += 1;
        for finding in &found.findings {
            texts.push(describe(&snekpy, finding, &folder));
            eprintln!("seed {seed}: {}", texts.last().expect("one was pushed"));
        }
        report.add(found);
    }
    let _ = fs::remove_file(&scratch);
    eprintln!(
        "seed {seed}: {} programs, {} the same in every mode, {} refused, {} past 64 bits, {} without an end, {} differ",
        report.total(),
        report.same,
        report.refusals(),
        report.overflowed,
        report.endless,
        report.findings.len()
    );
    for (reason, count) in &report.refused {
        eprintln!("  refused {count}: {reason}");
    }
    if !texts.is_empty() {
        return Err(format!("seed {seed}\n{}", texts.join("\n")));
    }
    if report.refusals() * 100 > report.total() * REFUSED_PERCENT {
        return Err(format!("staging refused {} of {} programs", report.refusals(), report.total()));
    }
    if report.endless > 1 + report.total() / ENDLESS_ONE_IN {
        return Err(format!("{} of {} programs do not end unstaged", report.endless, report.total()));
    }
    Ok(())
}

/// Shrinks a finding, writes it to a file, and says where.
fn describe(snekpy: &Snekpy, finding: &Finding, folder: &Path) -> String {
    let name = &finding.subject.name;
    let scratch = folder.join(format!("{name}-shrinking.py"));
    let ways = [finding.way];
    let differ = |subjects: &[Subject]| -> Vec<Finding> {
        check(snekpy, subjects, &ways, &scratch).map_or(Vec::new(), |report| report.findings)
    };
    let until = Instant::now() + Duration::from_secs(number("SNEKPY_FUZZ_SHRINK_SECONDS").unwrap_or(30));
    if finding.text.starts_with(UNSTAGED_FAILED) {
        return format!("a wrong program, SNEKPY_FUZZ_SHOW={}: {}", name.trim_start_matches('p'), finding.text);
    }
    // What is left must still be a program: the unstaged run goes through.
    let small = shrink(&finding.subject, until, &mut |subjects| {
        let is_real = |it: &Finding| !it.text.starts_with(UNSTAGED_FAILED);
        let real = differ(subjects).into_iter().find(is_real)?;
        // Beside the others it may use what they define under the same names.
        let alone = differ(std::slice::from_ref(&real.subject)).into_iter().any(|it| is_real(&it));
        subjects.iter().position(|it| alone && *it == real.subject)
    });
    let text = differ(std::slice::from_ref(&small)).pop().map_or(finding.text.clone(), |it| it.text);
    let file = folder.join(format!("{name}.py"));
    // The last check left the whole program, with what stands before it, in the scratch file.
    let moved = fs::rename(&scratch, &file).map_or_else(|error| error.to_string(), |()| file.display().to_string());
    format!("{moved} in mode {}: {text}", finding.way.name())
}
