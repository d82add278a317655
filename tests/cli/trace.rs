//! `SNEKPY_TRACE`: a trace of what takes time.

use std::collections::BTreeSet;

use super::{Folder, run, snekpy};

const TRACED: &str = "\
import io
from snekpy import stage


@stage
def total(n, out):
    found = 0
    for i in range(n):
        found += i * i % 7
        out.write('x')
    return found


print(total(1000, io.StringIO()))
";

/// The names of what is in a trace; that it is JSON is the interpreter's to say.
fn names(file: &str) -> BTreeSet<String> {
    const READ: &str =
        "import json, sys; print(*sorted({it['name'] for it in json.load(open(sys.argv[1]))}), sep='\\n')";
    let (status, names, errors) = run(&["-c", READ, file]);
    assert_eq!(status, Some(0), "{errors}");
    names.lines().map(str::to_owned).collect()
}

#[test]
fn a_trace_says_what_took_time() {
    let folder = Folder::new("trace", &[("program.py", TRACED.as_bytes())]);
    let (program, trace) = (folder.path("program.py"), folder.path("trace.json"));
    let plainly = run(&["-X", "snek:stage=always", &program]);
    assert_eq!(run(&["-X", "snek:stage=always", "-X", &format!("snek:trace={trace}"), &program]), plainly);
    let found = names(&trace);
    for name in ["capture total", "optimise total", "pass cse", "compile total", "run total"] {
        assert!(found.contains(name), "{name} is not in {found:?}");
    }
    assert!(found.iter().any(|it| it.starts_with("interpreter ")), "{found:?}");
}

#[test]
fn what_is_no_file_is_told_before_the_program_begins() {
    let folder = Folder::new("no-trace", &[("program.py", TRACED.as_bytes())]);
    let program = folder.path("program.py");
    let told = snekpy(&[]).env("SNEKPY_TRACE", folder.path("no/trace.json")).arg(&program).output().expect("it starts");
    assert_eq!(told.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&told.stderr).contains("no/trace.json"), "{told:?}");
    assert!(told.stdout.is_empty());
}

#[test]
fn a_forked_process_ends_beside_a_trace() {
    let forked =
        "import os\nchild = os.fork()\nif child:\n    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n";
    let folder = Folder::new("forked-trace", &[("program.py", forked.as_bytes())]);
    let trace = folder.path("trace.json");
    let ended = run(&["-X", &format!("snek:trace={trace}"), &folder.path("program.py")]);
    assert_eq!((ended.0, &*ended.1), (Some(0), "0\n"));
    names(&trace);
}
