//! `cases/`: each program in every mode prints what CPython printed; views of the IR match their goldens.
//!
//! ```text
//! cargo test -p snekpy-tests --test cases              all of them
//! cargo test -p snekpy-tests --test cases A06          one case in all modes
//! cargo test -p snekpy-tests --test cases interp/      all cases in one mode
//! tests/bless A06                                      records what CPython prints
//! SNEKPY_BLESS=1 cargo test … golden/                  writes goldens
//! SNEKPY_BLESS=1 cargo test … interp/                  records what is compiled of each, in `coverage.txt`
//! SNEKPY_UNOPTIMISED_ONE_IN=4 cargo test …             skips three of four in LLVM without optimisation, by SNEKPY_FUZZ_SEED
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use snekpy_tests::{
    Coverage, CoverageRecord, Golden, Limits, Mode, Program, Refusal, Snekpy, check_golden, difference, number,
    orphans, programs, run, suite_folder,
};

fn main() -> Result<ExitCode, String> {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let folder = suite_folder("cases");
    let found = programs(&folder)?;
    let record = Arc::new(CoverageRecord::read(folder.join("coverage.txt")));
    let mut trials = Vec::new();
    let one_in = number("SNEKPY_UNOPTIMISED_ONE_IN").unwrap_or(1).max(1);
    let first = number("SNEKPY_FUZZ_SEED").unwrap_or(0);
    for (index, program) in (first % one_in..).zip(&found) {
        for mode in Mode::ALL {
            let (case, record) = (program.clone(), Arc::clone(&record));
            let name = format!("{}/{}", mode.name(), program.name);
            let is_skipped = mode == Mode::LlvmO0 && index % one_in != 0;
            let trial = Trial::test(name, move || Ok(check(&case, mode, &record)?));
            trials.push(trial.with_ignored_flag(is_skipped));
        }
        for golden in &program.directives.goldens {
            let (case, golden) = (program.clone(), golden.clone());
            let name = format!("golden/{}.{}", program.name, golden.view);
            trials.push(Trial::test(name, move || Ok(check_view(&case, &golden)?)));
        }
    }
    trials.push(Trial::test("no recorded output without its program", move || {
        let mut lost = orphans(&folder, &found, &["out"])?;
        lost.retain(|it| !it.ends_with("coverage.txt"));
        let is_recorded = |it: &&Program| !it.directives.coverage_varies;
        let names: Vec<&str> = found.iter().filter(is_recorded).map(|it| it.name.as_str()).collect();
        lost.extend(record.orphans(&names)?.into_iter().map(PathBuf::from));
        if lost.is_empty() { Ok(()) } else { Err(Failed::from(format!("{lost:?}"))) }
    }));
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

/// What a case prints in a mode; on the reference interpreter, where nothing depends on the machine, also how much of it
/// is compiled.
fn check(case: &Program, mode: Mode, record: &CoverageRecord) -> Result<(), String> {
    if mode != Mode::Interp || case.directives.coverage_varies {
        return check_output(case, mode, None);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("coverage");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let file = folder.join(format!("{}-{}", std::process::id(), case.name.replace('/', "-")));
    check_output(case, mode, Some(&file))?;
    let report = fs::read_to_string(&file).map_err(|error| format!("the program has not ended well: {error}"))?;
    let _ = fs::remove_file(&file);
    record.check(&case.name, &Coverage::of_report(&report, case.file_name())?)
}

fn check_output(case: &Program, mode: Mode, coverage: Option<&Path>) -> Result<(), String> {
    let out = case.beside("out");
    let expected = fs::read_to_string(&out)
        .map_err(|error| format!("{}: {error} (tests/bless {} records it)", out.display(), case.name))?;
    let directives = &case.directives;
    let mut command = Snekpy::find()?.command(Some(mode));
    if let Some(file) = coverage {
        command.arg("-X").arg(format!("snek:coverage={}", file.display()));
    }
    command.current_dir(case.folder()).arg(case.file_name()).args(&directives.args);
    let ended = run(&mut command, &directives.input, Limits::default())?;

    let printed = format!("{}{}", ended.stdout, ended.stderr);
    let refused = printed.contains("StagingError");
    let differs = difference(&expected, &ended.stdout);
    match &directives.refusal {
        Some(Refusal::Always(text)) if mode.stages() => {
            return match refused && printed.contains(text) {
                true => Ok(()),
                false => Err(format!("expected a StagingError with `{text}`, found\n{printed}")),
            };
        }
        Some(Refusal::Limit(text)) if mode.stages() => {
            return match !refused && printed.contains(text) {
                true => Ok(()),
                false => Err(format!("expected `{text}`, found\n{printed}")),
            };
        }
        Some(Refusal::Perhaps(text)) if mode.stages() && refused => {
            return match printed.contains(text) {
                true => Ok(()),
                false => Err(format!("expected the StagingError to contain `{text}`, found\n{printed}")),
            };
        }
        Some(Refusal::Always(_) | Refusal::Limit(_) | Refusal::Perhaps(_)) | None => {}
    }
    if let Some(text) = differs {
        return Err(format!("{text}{}", ended.stderr));
    }
    if ended.status != directives.exits {
        return Err(format!("expected exit status {}, found {}\n{}", directives.exits, ended.status, ended.stderr));
    }
    Ok(())
}

/// Runs the program, then calls one function of it staged and compares a view of it with the golden.
fn check_view(case: &Program, golden: &Golden) -> Result<(), String> {
    let Golden { view, function, call } = golden;
    let script = format!(
        "import contextlib, io, runpy, snekpy\n\
         with contextlib.redirect_stdout(io.StringIO()):\n    \
             space = runpy.run_path({:?})\n    \
             function = space[{function:?}]\n    \
             function = function if hasattr(function, 'inspect') else snekpy.stage(function)\n    \
             function{call}\n\
         print(function.inspect({view:?}))\n",
        case.file_name(),
    );
    let mut command = Snekpy::find()?.command(None);
    command.current_dir(case.folder()).args(["-c", &script]);
    let ended = run(&mut command, "", Limits::default())?;
    if ended.status != 0 {
        return Err(format!("exit status {}\n{}", ended.status, ended.stderr));
    }
    check_golden(&case.beside(view), &ended.stdout)
}
