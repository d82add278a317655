//! Every pass alone, on text.
//!
//! `passes/PASS/NAME.sir` is a module before the pass, and `passes/PASS/NAME.after.sir` the module after
//! it, as the pass left it. `passes/standard` and `passes/quick` are the pipelines. The verifier looks at
//! both. `SNEKPY_BLESS=1 cargo test -p snekpy-stage --test passes` writes what is there now; a missing
//! golden fails, and so does one that belongs to no module.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use snekpy_stage::pass::{self, Observer, PassDef};
use snekpy_stage::text;
use snekpy_stage::verify::verify;

const HEADER: &str = "; generated: SNEKPY_BLESS=1 cargo test -p snekpy-stage --test passes\n";

/// The passes that a directory is about.
fn pipeline(name: &str) -> Vec<PassDef> {
    match name {
        "standard" => pass::standard().to_vec(),
        "quick" => pass::quick().to_vec(),
        _ => vec![*pass::ALL.iter().find(|pass| pass.name == name).unwrap_or_else(|| panic!("no pass `{name}`"))],
    }
}

fn after(source: &str, passes: &[PassDef]) -> Result<String, String> {
    let mut module = text::parse(source).map_err(|error| error.to_string())?;
    verify(&module).map_err(|violations| format!("before the pass:\n{violations}"))?;
    pass::optimise(&mut module, passes, &mut Observer::new().verifying())
        .map_err(|violations| violations.to_string())?;
    Ok(format!("{HEADER}{module}"))
}

fn files(dir: &Path) -> BTreeSet<PathBuf> {
    std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn is_golden(path: &Path) -> bool {
    path.to_str().unwrap().ends_with(".after.sir")
}

#[test]
fn each_pass_does_what_its_files_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    let bless = std::env::var_os("SNEKPY_BLESS").is_some();
    assert!(!(bless && std::env::var_os("CI").is_some()), "goldens are not blessed in CI");
    let mut failures = Vec::new();
    let mut tested = BTreeSet::new();
    for dir in files(&root) {
        let name = dir.file_name().unwrap().to_str().unwrap().to_owned();
        let passes = pipeline(&name);
        let all = files(&dir);
        for path in all.iter().filter(|path| !is_golden(path)) {
            tested.insert(name.clone());
            let golden = path.with_extension("after.sir");
            let shown = path.strip_prefix(&root).unwrap().display();
            let found = match after(&std::fs::read_to_string(path).unwrap(), &passes) {
                Ok(found) => found,
                Err(message) => {
                    failures.push(format!("{shown}: {message}"));
                    continue;
                }
            };
            if bless {
                std::fs::write(&golden, found).unwrap();
                continue;
            }
            match std::fs::read_to_string(&golden) {
                Err(_) => failures.push(format!("{shown}: there is no golden")),
                Ok(expected) if expected != found => {
                    failures.push(format!("{shown}: expected\n{expected}\nfound\n{found}"));
                }
                Ok(_) => {}
            }
        }
        for orphan in all.iter().filter(|path| is_golden(path)) {
            let source = orphan.to_str().unwrap().replace(".after.sir", ".sir");
            if !all.contains(Path::new(&source)) {
                failures.push(format!("{}: a golden of no module", orphan.display()));
            }
        }
    }
    let untested = pass::ALL.iter().filter(|pass| !tested.contains(pass.name));
    failures.extend(untested.map(|pass| format!("no file tests the pass `{}`", pass.name)));
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
