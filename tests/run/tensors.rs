//! `snekpy.numpy` against what NumPy gave: `tests/tensors/record.py` has written the expectations, `check.py`
//! compares. `device.py` has the same expressions on the simulated GPU beside the CPU.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use snekpy_tests::{Limits, Mode, Snekpy, check_golden, run, suite_folder};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let expressions = Trial::test("expressions_are_as_in_numpy", || Ok(all_agree(["check.py", "known.txt"])?));
    let on_device = Trial::test("expressions_are_the_same_on_a_device", || Ok(all_agree(["device.py", "copied.txt"])?));
    let table = Trial::test("the_table_says_what_there_is", || Ok(table()?));
    libtest_mimic::run(&arguments, vec![expressions, on_device, table]).exit_code()
}

fn all_agree([script, exceptions]: [&str; 2]) -> Result<(), String> {
    let folder = suite_folder("tensors");
    let mut command = Snekpy::find()?.command(Some(Mode::Unstaged));
    command.args([script, "expectations.txt", exceptions].map(|it| folder.join(it)));
    let ended = run(&mut command, "", Limits::default())?;
    // The last line says how many there were: a file that is cut off, or not read, is no success.
    let recorded = std::fs::read_to_string(folder.join("expectations.txt")).map_err(|error| error.to_string())?;
    let all_compared = ended.stdout.contains(&format!("{} expressions, ", recorded.lines().count()));
    if ended.status == 0 && all_compared && ended.stdout.ends_with(" 0 differ\n") {
        return Ok(());
    }
    Err(format!("{}{}", ended.stdout, ended.stderr))
}

fn table() -> Result<(), String> {
    let folder = suite_folder("tensors");
    let mut command = Snekpy::find()?.command(Some(Mode::Unstaged));
    command.args(["api.py", "expectations.txt"].map(|it| folder.join(it)));
    let ended = run(&mut command, "", Limits::default())?;
    if ended.status != 0 {
        return Err(ended.stderr);
    }
    check_golden(&folder.join("../../docs/array-api.md"), &ended.stdout)
}
