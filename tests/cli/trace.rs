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

const ON_A_DEVICE: &str = "\
import snekpy.numpy as np

x = np.linspace(0.0, 1.0, 4096).to('simt')
y = x.reshape(64, 64) * 0.5 + 1.0
total = np.exp(x).sum()
print(float(total) > 1.0)
print(float(y[3, 4]) > 1.0)
";

#[test]
fn a_trace_shows_that_a_device_has_work_before_the_host_waits() {
    let folder = Folder::new("device-trace", &[("program.py", ON_A_DEVICE.as_bytes())]);
    let (program, trace) = (folder.path("program.py"), folder.path("trace.json"));
    let ran = run(&["-W", "ignore", "-X", &format!("snek:trace={trace}"), &program]);
    assert_eq!((ran.0, &*ran.1), (Some(0), "True\nTrue\n"), "{}", ran.2);
    const READ: &str = "import json, sys\n\
        begun = [it for it in json.load(open(sys.argv[1])) if it['ph'] == 'B']\n\
        names = [it['name'] for it in sorted(begun, key=lambda it: it['ts'])]\n\
        print(*[it for it in names if it.startswith(('launch', 'copy'))], sep='\\n')";
    let (status, told, errors) = run(&["-c", READ, &trace]);
    assert_eq!(status, Some(0), "{errors}");
    let expected = "\
copy to the device, 32768 bytes
launch exp, sum of [1, 4096]
launch multiply, add of [4096]
copy from the device, 8 bytes
launch copy of [1]
copy from the device, 8 bytes
";
    assert_eq!(told, expected);
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
