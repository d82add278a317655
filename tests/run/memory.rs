//! `memory/crossings.py`: over a million crossings of each kind, the process grows by next to nothing. `memory/lists.py`:
//! a call that makes gigabytes of lists and drops them holds a fraction of that. `memory/gradients.py`: gradients that are
//! called again and again take no more. `memory/limited.py`: gradients within a limit.

use std::process::ExitCode;
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use snekpy_tests::{Limits, Mode, Snekpy, check_golden, run, suite_folder};

const SCENARIOS: [&str; 10] =
    ["texts", "items", "methods", "iterators", "unpacked", "dropped", "raising", "matched", "short", "left"];
/// By so much a process may grow. A handle that is lost each time takes 16 bytes, and a million of them 16 MiB.
const MAX_KIB: i64 = 2 << 10;
/// What a process may hold that makes three gigabytes of lists, in KiB.
const MAX_LISTS_KIB: i64 = 800 << 10;
/// What a million crossings may take on a machine that does other things as well.
const LIMIT: Duration = Duration::from_secs(180);

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let mut trials: Vec<Trial> =
        SCENARIOS.iter().map(|scenario| Trial::test(*scenario, || Ok(check(scenario)?))).collect();
    trials.push(Trial::test("lists", || Ok(check_lists()?)));
    trials.push(Trial::test("gradients", || Ok(check_gradients()?)));
    trials.push(Trial::test("limited", || Ok(check_limited()?)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn check_lists() -> Result<(), String> {
    let mut command = Snekpy::find()?.command(Some(Mode::Llvm));
    command.arg(suite_folder("memory").join("lists.py"));
    let ended = run(&mut command, "", Limits { time: LIMIT, ..Limits::default() })?;
    match ended.stdout.trim().parse::<i64>() {
        Ok(kib) if ended.status == 0 && kib < MAX_LISTS_KIB => Ok(()),
        _ => Err(format!("exit status {}\n{}{}", ended.status, ended.stdout, ended.stderr)),
    }
}

fn check_gradients() -> Result<(), String> {
    let mut command = Snekpy::find()?.command(Some(Mode::Llvm));
    command.arg(suite_folder("memory").join("gradients.py"));
    let ended = run(&mut command, "", Limits { time: LIMIT, ..Limits::default() })?;
    match ended.stdout.trim().parse::<i64>() {
        Ok(kib) if ended.status == 0 && kib < MAX_KIB => Ok(()),
        _ => Err(format!("exit status {}\n{}{}", ended.status, ended.stdout, ended.stderr)),
    }
}

fn check_limited() -> Result<(), String> {
    let mut command = Snekpy::find()?.command(Some(Mode::Llvm));
    command.args(["--max-memory", "200M"]).arg(suite_folder("memory").join("limited.py"));
    let ended = run(&mut command, "", Limits { time: LIMIT, ..Limits::default() })?;
    match ended.status {
        0 => check_golden(&suite_folder("memory").join("limited.out"), &ended.stdout),
        status => Err(format!("exit status {status}\n{}{}", ended.stdout, ended.stderr)),
    }
}

fn check(scenario: &str) -> Result<(), String> {
    let mut command = Snekpy::find()?.command(Some(Mode::Llvm));
    command.arg(suite_folder("memory").join("crossings.py")).arg(scenario);
    let ended = run(&mut command, "", Limits { time: LIMIT, ..Limits::default() })?;
    let text = format!("{scenario}: exit status {}\n{}{}", ended.status, ended.stdout, ended.stderr);
    let mut numbers = ended.stdout.split(' ').filter_map(|it| it.parse::<i64>().ok());
    let (Some(crossings), Some(_left), Some(kib)) = (numbers.next(), numbers.next(), numbers.next()) else {
        return Err(text);
    };
    if ended.status == 0 && crossings > 0 && kib < MAX_KIB { Ok(()) } else { Err(text) }
}
