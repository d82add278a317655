//! The command line as CPython has it: arguments, exit codes, messages, signals, pipes.

mod cache;
mod making;
mod memory;
mod threads;
mod trace;

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn snekpy(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_snekpy"));
    for name in ["FORCE_COLOR", "PYTHONSTARTUP", "PYTHONPATH", "SNEKPY_STAGE"] {
        command.env_remove(name);
    }
    command.args(args).env("NO_COLOR", "1").env("SNEKPY_CACHE", "off").stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> (Option<i32>, String, String) {
    told(snekpy(args).output().expect("it starts"))
}

fn told(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Runs with a text on standard input.
fn fed(args: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut child =
        snekpy(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("it is piped").write_all(input.as_bytes()).expect("it reads");
    told(child.wait_with_output().expect("it ends"))
}

/// A folder with these files, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &[u8])]) -> Self {
        let folder = std::env::temp_dir().join(format!("snekpy-cli-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        for (file, text) in files {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("it can be made");
            std::fs::write(path, text).expect("it can be written");
        }
        Self(folder.canonicalize().expect("it exists"))
    }

    fn path(&self, file: &str) -> String {
        self.0.join(file).to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn arguments_after_the_program_are_its_own() {
    let show = "import sys; print(sys.argv)";
    assert_eq!(run(&["-c", show, "-c", "-V", "--", "x"]).1, "['-c', '-c', '-V', '--', 'x']\n");
    let folder = Folder::new("argv", &[("show.py", b"import sys; print(sys.argv[1:], __name__)")]);
    assert_eq!(run(&[&folder.path("show.py"), "-h", "a b"]).1, "['-h', 'a b'] __main__\n");
    assert_eq!(fed(&["-", "x"], show).1, "['-', 'x']\n");
    assert_eq!(fed(&[], show).1, "['']\n");
    let (code, out, _) = told(snekpy(&["-m", "show", "1"]).current_dir(&folder.0).output().expect("it starts"));
    assert_eq!((code, out), (Some(0), "['1'] __main__\n".to_owned()));
}

#[test]
fn the_first_entry_of_the_path_is_where_the_program_is() {
    let folder = Folder::new(
        "path",
        &[
            ("sub/p.py", b"import sys, q; print(sys.path[0] == q.here)"),
            ("sub/q.py", b"import os; here = os.path.dirname(__file__)"),
        ],
    );
    assert_eq!(run(&[&folder.path("sub/p.py")]).1, "True\n");
    std::os::unix::fs::symlink(folder.path("sub/p.py"), folder.path("link.py")).expect("it can be made");
    assert_eq!(run(&[&folder.path("link.py")]).1, "True\n");
    assert_eq!(run(&["-c", "import sys; print(repr(sys.path[0]))"]).1, "''\n");
    assert_ne!(run(&["-P", "-c", "import sys; print(repr(sys.path[0]))"]).1, "''\n");
}

#[test]
fn folders_with_a_main_run() {
    let folder = Folder::new(
        "main",
        &[("app/__main__.py", b"import sys, lib; print(lib.x, __name__)"), ("app/lib.py", b"x = 1")],
    );
    assert_eq!(run(&[&folder.path("app")]).1, "1 __main__\n");
    let (code, _, err) = run(&[&folder.path("")]);
    assert_eq!((code, err.contains("can't find '__main__' module in")), (Some(1), true), "{err}");
}

#[test]
fn exit_codes_are_cpythons() {
    for (code, program) in [
        (0, "pass"),
        (0, "raise SystemExit"),
        (0, "raise SystemExit(None)"),
        (3, "raise SystemExit(3)"),
        (255, "raise SystemExit(-1)"),
        (1, "raise SystemExit('text')"),
        (1, "raise ValueError"),
        (1, "x = = 1"),
        (1, "import no_such_module"),
    ] {
        assert_eq!(run(&["-c", program]).0, Some(code), "{program}");
    }
    assert_eq!(run(&["-c", "raise SystemExit('text')"]).2, "text\n");
    assert_eq!(run(&["-Z"]).0, Some(2));
    assert_eq!(run(&["-X", "snek:backend=gcc", "-c", "pass"]).0, Some(2));
}

#[test]
fn help_and_version_go_to_standard_output() {
    let (code, out, err) = run(&["-V"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.starts_with("snekpy ") && out.contains("(Python 3."), "{out}");
    let (code, out, err) = run(&["-h"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("Usage: snekpy [OPTION]... [-c CODE | -m MODULE | FILE | -] [ARG]..."), "{out}");
}

#[test]
fn what_is_no_program_is_said_in_one_line() {
    let folder = Folder::new(
        "bad",
        &[
            ("bytes.py", b"x = '\xff'\n"),
            ("null.py", b"x = 1\ny\0\n"),
            ("latin.py", b"# coding: latin-1\nprint('\xe9')\n"),
        ],
    );
    let missing = folder.path("missing.py");
    let (code, _, err) = run(&[&missing]);
    let expected = format!("snekpy: can't open file '{missing}': [Errno 2] No such file or directory\n");
    assert_eq!((code, err), (Some(2), expected));
    let (code, _, err) = run(&[&folder.path("bytes.py")]);
    assert!(code == Some(1) && err.contains("bytes.py\", line 1") && err.contains("Non-UTF-8"), "{err}");
    let (code, _, err) = run(&[&folder.path("null.py")]);
    assert!(code == Some(1) && err.contains("null.py\", line 2") && err.contains("null bytes"), "{err}");
    assert_eq!(run(&[&folder.path("latin.py")]).1, "é\n");
}

#[test]
fn tracebacks_quote_the_program() {
    let (_, _, err) = run(&["-c", "def f():\n    return 1 / 0\nf()"]);
    let expected = "Traceback (most recent call last):\n  File \"<string>\", line 3, in <module>\n    f()\n    ~^^\n  \
        File \"<string>\", line 2, in f\n    return 1 / 0\n           ~~^~~\nZeroDivisionError: division by zero\n";
    assert_eq!(err, expected);
}

#[test]
fn colours_follow_the_environment() {
    let colored = |name: &str| {
        let mut command = snekpy(&["-c", "1/0"]);
        command.env_remove("NO_COLOR").env(name, "1");
        told(command.output().expect("it starts")).2.contains("\x1b[")
    };
    assert!(!colored("NO_COLOR"));
    assert!(colored("FORCE_COLOR"));
}

#[test]
fn deep_source_is_refused_and_deep_recursion_raises() {
    for (program, class) in [
        ("exec('(' * 100_000 + ')' * 100_000)", "SyntaxError: too many nested parentheses"),
        ("eval('-' * 1_000_000 + '1')", "RecursionError"),
        ("compile('a' + '.b' * 1_000_000, 'x', 'eval')", "RecursionError"),
        ("import ast; ast.parse('not ' * 100_000 + '1')", "RecursionError"),
        ("exec('[' * 30 + 'x' + ' for x in y]' * 30)", "SyntaxError: too many statically nested blocks"),
        ("def f(n): return f(n + 1)\nf(0)", "RecursionError"),
        ("def f(n): return sorted([n], key=f)\nf(0)", "RecursionError"),
        ("class A:\n    def __repr__(self): return repr(self)\nrepr(A())", "RecursionError"),
        (
            "import threading\nt = threading.Thread(target=eval, args=('~' * 100_000 + '1',)); t.start(); t.join(); 1/0",
            "ZeroDivisionError",
        ),
    ] {
        let (code, _, err) = run(&["-c", program]);
        assert!(code == Some(1) && err.contains(class), "{program}: {code:?} {err}");
    }
    let (code, _, err) = fed(&["-"], &format!("x = {}1{}", "(".repeat(50_000), ")".repeat(50_000)));
    assert!(code == Some(1) && err.contains("too many nested parentheses"), "{code:?}");
}

#[test]
fn a_program_that_runs_too_long_is_stopped() {
    let compiled = "from snekpy import stage\n@stage\ndef f(n):\n    while n > 0:\n        n ^= 2\nf(1)";
    for program in ["while True: pass", compiled] {
        let (code, _, stderr) = run(&["--max-time", "0.5", "-c", program]);
        assert_eq!(code, Some(124), "{stderr}");
        assert!(stderr.contains("KeyboardInterrupt"), "{stderr}");
        assert!(stderr.ends_with("stopped: the program has run for more than 0.5 s (--max-time)\n"), "{stderr}");
    }
    let stubborn = "while True:\n    try:\n        while True: pass\n    except BaseException: print('no')";
    let (code, stdout, stderr) = run(&["--max-time=0.3", "-u", "-c", stubborn]);
    assert_eq!((code, stdout.as_str()), (Some(124), "no\n"), "{stderr}");
    assert_eq!(run(&["--max-time=60", "-c", "print(1)"]), (Some(0), "1\n".to_owned(), String::new()));
    assert_eq!(run(&["--max-time=0", "-c", "print(1)"]).0, Some(2));
}

#[test]
fn a_program_stops_at_the_same_tick_staged_or_not() {
    let program = "def stage(f): return f\ntry:\n    from snekpy import stage\nfinally:\n    total = 0\n@stage\ndef f(n):\n    \
                   global total\n    for i in range(n):\n        total += i\n        print(i, flush=True)\n    return total\n\
                   try:\n    print(f(4), f(9))\nfinally:\n    print('total', total)";
    let mut kinds = std::collections::BTreeSet::new();
    for ticks in ["0", "3", "70", "72", "74", "76", "78", "80", "83", "100000"] {
        let plain = run(&["-X", "snek:stage=off", "--max-ticks", ticks, "-c", program]);
        for backend in ["interp", "llvm-O0", "llvm"] {
            let option = format!("snek:backend={backend}");
            assert_eq!(run(&["-X", &option, "--max-ticks", ticks, "-c", program]), plain, "{ticks} on {backend}");
        }
        let (code, stdout, stderr) = plain;
        if code == Some(124) {
            let last = format!("stopped: the program has used its {ticks} ticks (--max-ticks)\n");
            assert!(stderr.contains("\nsnekpy.OutOfTicks: ") && stderr.ends_with(&last), "{stderr}");
        } else {
            assert_eq!((code, stderr.as_str()), (Some(0), ""), "{ticks}");
        }
        kinds.insert((code, stdout.lines().count()));
    }
    assert!(kinds.len() > 3, "too few of the limits are inside the loop: {kinds:?}");
    for wrong in ["-1", "1.5", "many", ""] {
        assert_eq!(run(&[&format!("--max-ticks={wrong}"), "-c", "print(1)"]).0, Some(2), "{wrong}");
    }
}

#[test]
fn threads_share_the_ticks_of_the_program() {
    let program = "import threading\ndef work():\n    while True: pass\nt = threading.Thread(target=work)\nt.start()\nt.join()\n\
                   print('joined')\nwhile True: pass";
    let (code, _, stderr) = run(&["--max-ticks=100000", "-c", program]);
    assert_eq!(code, Some(124), "{stderr}");
    assert!(stderr.contains("OutOfTicks"), "{stderr}");
}

#[test]
fn ctrl_c_is_keyboard_interrupt() {
    for wait in ["time.sleep(60)", "\nwhile True: pass"] {
        let program = format!("import time; print('ready', flush=True); {wait}").replace("; \n", "\n");
        let mut child =
            snekpy(&["-c", &program]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut ready = [0; 6];
        child.stdout.as_mut().expect("it is piped").read_exact(&mut ready).expect("it prints");
        // SAFETY: the process is our child and has not been waited for.
        unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
        let output = child.wait_with_output().expect("it ends");
        // By the signal, which a shell shows as 130.
        assert_eq!(output.status.signal(), Some(libc::SIGINT), "{wait}");
        assert!(String::from_utf8_lossy(&output.stderr).ends_with("KeyboardInterrupt\n"), "{wait}");
    }
    let caught = "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\n    while True: pass\nexcept KeyboardInterrupt:\n    print('caught')";
    assert_eq!(run(&["-c", caught]).1, "caught\n");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut child = snekpy(&["-c", "while True: print('line')"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut first = [0; 5];
    child.stdout.take().expect("it is piped").read_exact(&mut first).expect("it prints");
    let (code, _, err) = told(child.wait_with_output().expect("it ends"));
    assert_eq!((code, err.as_str()), (Some(141), ""));
}

#[test]
fn the_end_is_orderly() {
    let program = "import atexit\nclass A:\n    def __del__(self): print('del')\na = A()\n\
        atexit.register(print, 'atexit')\nimport threading, time\n\
        threading.Thread(target=lambda: (time.sleep(0.1), print('thread'))).start()\nprint('end', end=' ')";
    assert_eq!(run(&["-c", program]).1, "end thread\natexit\ndel\n");
    // The same without anything that imports `threading`.
    let program =
        "import atexit, _thread\natexit.register(lambda: print('late', __import__('threading').active_count()))";
    assert_eq!(run(&["-c", program]).1, "late 1\n");
}

#[test]
fn the_standard_library_is_there() {
    let program = "import gzip, csv, array, json, math, random, statistics, dataclasses, typing, re, functools, \
        itertools, collections, time, os, sys, pathlib, unittest, subprocess, threading, decimal, datetime, \
        hashlib, struct, io, tempfile, contextlib, enum, copy, pickle, textwrap, string, heapq, bisect, inspect\n\
        print(json.loads(gzip.decompress(gzip.compress(b'[1]'))), statistics.mean([1, 3]))";
    assert_eq!(run(&["-c", program]).1, "[1] 2\n");
}

#[test]
fn names_of_site_are_there_without_site() {
    assert_eq!(
        run(&["-c", "import sys; print('site' in sys.modules); exit(5)"]),
        (Some(5), "False\n".into(), String::new())
    );
    assert_eq!(run(&["-c", "print(exit, callable(help), 'LICENSE' in str(license).upper())"]).0, Some(0));
    assert!(run(&["-S", "-c", "license"]).2.contains("NameError"));
    let folder = Folder::new("site", &[("sitecustomize.py", b"print('customized')")]);
    let output = snekpy(&["-c", "print('run')"]).env("PYTHONPATH", &folder.0).output().expect("it starts");
    assert_eq!(told(output).1, "customized\nrun\n");
}

#[test]
fn options_reach_the_interpreter() {
    assert_eq!(run(&["-O", "-c", "assert False; print(__debug__)"]).1, "False\n");
    assert_eq!(run(&["-W", "error", "-c", "import warnings; warnings.warn('x')"]).0, Some(1));
    assert_eq!(run(&["-X", "a=b", "-c", "import sys; print(sys._xoptions)"]).1, "{'a': 'b'}\n");
    let flags = "import sys; f = sys.flags; print(f.isolated, f.ignore_environment, f.no_user_site, f.quiet)";
    assert_eq!(run(&["-Iq", "-c", flags]).1, "1 1 1 1\n");
    assert_eq!(fed(&["-i", "-q", "-c", "x = 6"], "x * 7\n").1, ">>> 42\n>>> \n");
}

#[test]
fn inspect_shows_the_code_of_a_function() {
    let source = b"import sys\n\ndef square(x):\n    return x * x\n\nif __name__ == '__main__':\n    sys.exit(9)\n";
    let folder = Folder::new("inspect", &[("m.py", source), ("inspect", b"print('a file')")]);
    let target = format!("{}::square", folder.path("m.py"));
    let (code, out, err) = run(&["inspect", &target, "--args", "2.0", "--stage", "ir"]);
    assert!(code == Some(0) && out.contains("f64") && out.contains("mul"), "{code:?} {out} {err}");
    let (code, out, _) = run(&["inspect", &target, "--args", "2", "--stage", "llvm"]);
    assert!(code == Some(0) && out.contains("define"), "{code:?} {out}");
    assert_eq!(run(&["inspect", &target, "--stage", "python"]).0, Some(2));
    assert_eq!(run(&["inspect", "square"]).0, Some(2));
    assert_eq!(run(&["inspect", "missing.py::f"]).0, Some(2));
    let output = snekpy(&["./inspect"]).current_dir(&folder.0).output().expect("it starts");
    assert_eq!(told(output).1, "a file\n");
}

#[test]
fn an_argument_that_is_not_utf8_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let odd = std::ffi::OsStr::from_bytes(b"\xff");
    let output = snekpy(&["-c", "pass"]).arg(odd).output().expect("it starts");
    let (code, _, error) = told(output);
    assert_eq!((code, error.as_str()), (Some(2), "snekpy: the argument \"\\xFF\" is not UTF-8\n"));
}

#[test]
fn a_stack_overflow_of_the_vm_says_so() {
    let program = "import functools; p = functools.partial(int); p.__setstate__((p, (), {}, {})); p()";
    let output = snekpy(&["-c", program]).stdout(Stdio::piped()).stderr(Stdio::piped()).output().expect("it starts");
    let (code, _, error) = told(output);
    assert_eq!(code, None);
    assert!(error.contains("has overflowed its stack"), "{error}");
}

#[test]
fn the_log_tells_what_is_compiled_and_where_calls_leave() {
    let program = "
from snekpy import stage
import random
rate = 2
@stage
def f(x):
    if x > 5:
        return random.Random(1).random() < 2
    return x * rate
f(1)
rate = 3
f(2)
f(7)
f(2 ** 80)
";
    let mut command = snekpy(&["-X", "snek:stage=always", "-c", program]);
    let (code, _, log) = told(command.env("SNEKPY_LOG", "compiled,left").output().expect("it starts"));
    assert_eq!(code, Some(0), "{log}");
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines[0].starts_with("snekpy: compiled `f` for (x: int) in "), "{log}");
    assert!(lines[1].ends_with("ms: name `rate` has changed"), "{log}");
    assert!(lines[2].starts_with("snekpy: <string>:8: in `f`: plain Python from here: S302: "), "{log}");
    assert!(lines[3].starts_with("snekpy: a call of `f` is plain Python: S404: "), "{log}");
    let (_, _, log) = run(&["-X", "snek:log=guards", "-c", program]);
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines.len() == 1 && lines[0].ends_with("ms: name `rate` has changed"), "{log}");
    let (code, _, error) = run(&["-X", "snek:log=everything", "-c", "pass"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("expected `compiled`, `guards`, `left` or several"), "{error}");
}

#[test]
fn explain_tells_what_a_code_means() {
    let (code, text, error) = run(&["explain", "s110"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(text.starts_with("S110: too many kinds of values meet at one place\n\n"), "{text}");
    assert!(text.contains("\nFails:\n\n    ") && text.contains("\nWorks:\n\n    "), "{text}");
    let (code, list, _) = run(&["explain"]);
    assert_eq!(code, Some(0));
    assert!(list.lines().count() > 100 && list.lines().all(|line| line.as_bytes()[4] == b':'), "{list}");
    let (code, python, _) = run(&["-c", "import snekpy; print(snekpy.explain('S110'), end='')"]);
    assert_eq!((code, python), (Some(0), text));
}

#[test]
fn explain_of_an_unknown_code_names_the_nearest() {
    let (code, text, error) = run(&["explain", "S111"]);
    assert_eq!((code, text.as_str()), (Some(2), ""));
    assert_eq!(error, "snekpy: explain: there is no code `S111`; the nearest are S110, S129, S130\n");
}

const REFUSED: &str = "\
from snekpy import stage
@stage(strict=True)
def f(x):
    return {x: ''}
f(3)
";

#[test]
fn an_uncaught_staging_error_shows_the_source() {
    let folder = Folder::new("refused", &[("a.py", REFUSED.as_bytes())]);
    let file = folder.path("a.py");
    let (code, _, error) = run(&[&file]);
    assert_eq!(code, Some(1));
    let shown = format!(
        "\
snekpy.StagingError: S287: a `str` under a staged key of a dict
 --> {file}:4:12
  |
2 | @stage(strict=True)
  | - the argument `x` is staged
3 | def f(x):
4 |     return {{x: ''}}
  |            ^^^^^^^ in `f`
  |
  = help: dicts with staged keys hold numbers
  = explain: snekpy explain S287
"
    );
    assert!(error.ends_with(&shown), "{error}");
    let told = told(snekpy(&[&file]).env_remove("NO_COLOR").env("FORCE_COLOR", "1").output().expect("it starts"));
    assert!(told.2.contains("\u{1b}["), "{}", told.2);
}

#[test]
fn an_uncaught_staging_error_is_one_line_of_json() {
    let folder = Folder::new("refused-json", &[("a.py", REFUSED.as_bytes())]);
    let file = folder.path("a.py");
    let (code, _, error) = run(&["-X", "snek:errors=json", &file]);
    assert_eq!(code, Some(1));
    assert_eq!(error.lines().count(), 1, "{error}");
    let start = r#"{"event":"error","code":"S287","message":"a `str` under a staged key"#;
    assert!(error.starts_with(start), "{error}");
    let place =
        format!(r#""places":[{{"file":"{file}","line":4,"column":12,"end_line":4,"end_column":19,"function":"f"}}]"#);
    assert!(error.contains(&place), "{error}");
    assert!(error.contains(r#""text":"the argument `x` is staged"}]"#), "{error}");
    assert!(error.ends_with(&format!(r#""traceback":[{{"file":"{file}","line":5,"function":"<module>"}}]}}{}"#, "\n")));
}

#[test]
fn the_log_is_json_when_errors_are() {
    let program = "
import os
from snekpy import stage
@stage
def f(x):
    return x + 0 * os.getpid()
f(1)
f(2 ** 80)
";
    let (code, _, log) =
        run(&["-X", "snek:stage=always", "-X", "snek:log=compiled,left", "-X", "snek:errors=json", "-c", program]);
    assert_eq!(code, Some(0), "{log}");
    let starts: Vec<&str> = log.lines().map(|line| line.split(',').next().unwrap_or(line)).collect();
    assert_eq!(starts, [r#"{"event":"compiled""#, r#"{"event":"left""#, r#"{"event":"plain""#], "{log}");
}

#[test]
fn coverage_says_what_ran_compiled_and_where_calls_left() {
    let program = "
import os, snekpy
@snekpy.stage
def f(x):
    return x + 0 * os.getpid()
f(1)
f(2)
f(2 ** 80)
raise SystemExit(3)
";
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("coverage-{}", std::process::id()));
    let coverage = format!("snek:coverage={}", file.display());
    let (code, _, error) = run(&["-X", "snek:stage=always", "-X", &coverage, "-c", program]);
    assert_eq!((code, error.as_str()), (Some(3), ""));
    let report = std::fs::read_to_string(&file).expect("it was written");
    std::fs::remove_file(&file).expect("it is there");
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(lines[0], "calls 3");
    assert!(lines.iter().any(|line| line.starts_with("plain 1 S4")), "{report}");
    assert!(lines.iter().any(|line| line.starts_with("left 2 S") && line.ends_with(" 5 <string>")), "{report}");
    let (code, _, error) = run(&["-X", "snek:coverage", "-c", "pass"]);
    assert_eq!(code, Some(2), "{error}");
}

#[test]
fn a_staging_error_is_left_to_the_hook_of_the_program() {
    let program = format!("import sys\nsys.excepthook = lambda kind, error, tb: print(error)\n{REFUSED}");
    for form in ["text", "json"] {
        let (code, shown, error) = run(&["-X", &format!("snek:errors={form}"), "-c", &program]);
        assert_eq!((code, error.as_str()), (Some(1), ""));
        assert!(shown.contains("\n  at <string>:6:12, in f\n"), "{shown}");
    }
}

#[test]
fn a_staging_error_has_its_parts_as_attributes() {
    let program = "
import json, snekpy
@snekpy.stage(strict=True)
def f(x):
    return {x: ''}
try:
    f(3)
except snekpy.StagingError as error:
    print(error.code, error.help)
    print(error.file, error.line, error.places[0]['column'], error.places[0]['function'])
    print(json.dumps(error.notes))
";
    let (code, shown, error) = run(&["-c", program]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let expected = r#"S287 dicts with staged keys hold numbers
<string> 5 12 f
[{"place": {"file": "<string>", "line": 3, "column": 1, "end_line": 3, "end_column": 1, "function": "f"}, "text": "the argument `x` is staged"}]
"#;
    assert_eq!(shown, expected);
}

#[test]
fn it_says_who_it_is_and_its_byte_code_is_its_own() {
    let folder = Folder::new("identity", &[("p.py", b"import m"), ("m.py", b"x = 1")]);
    let mut command = snekpy(&[&folder.path("p.py")]);
    told(command.env_remove("PYTHONDONTWRITEBYTECODE").output().expect("it starts"));
    let written = folder.path("__pycache__/m.snekpy-314.pyc");
    let bytes = std::fs::read(&written).expect("the name has our tag");
    let magic = u16::from_le_bytes([bytes[0], bytes[1]]);
    assert!(magic > 20_000 && bytes[2..4] == *b"\r\n", "CPython's magic numbers are below 4,000, found {magic}");
    let show = "import sys; i = sys.implementation; print(sys.version.split('\\n')[0], i.name, i.version[:3], i.version.major, i.cache_tag)";
    let version = env!("CARGO_PKG_VERSION");
    let numbers = version.replace('.', ", ");
    let expected = format!("3.14.0 (snekpy {version})  snekpy ({numbers}) 0 snekpy-314\n");
    assert_eq!(run(&["-c", show]).1, expected);
    assert_eq!(run(&["-c", "import platform; print(platform.python_version())"]).1, "3.14.0\n");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "of a release build: cargo test --release --test cli")]
fn the_command_is_under_eighty_megabytes() {
    let size = std::fs::metadata(env!("CARGO_BIN_EXE_snekpy")).expect("it was built").len();
    assert!(size < 80_000_000, "{size} bytes");
}

#[test]
fn a_module_beside_the_program_comes_before_the_librarys() {
    let folder = Folder::new(
        "beside",
        &[
            ("p.py", b"import calendar, fractions, string; print(calendar.x, fractions.x, hasattr(string, 'digits'))"),
            ("calendar.py", b"x = 'mine'"),
            ("fractions/__init__.py", b"x = 'a package'"),
            // A folder without `__init__` comes last.
            ("string/other.py", b""),
        ],
    );
    assert_eq!(run(&[&folder.path("p.py")]).1, "mine a package True\n");
    assert_eq!(run(&["-P", &folder.path("p.py")]).1, "");
    // Behind the library, as in CPython.
    let append = "import sys; sys.path.append(sys.argv[1]); import calendar; print(hasattr(calendar, 'x'))";
    assert_eq!(run(&["-c", append, &folder.path("")]).1, "False\n");
}

#[test]
fn options_that_are_accepted_do_something() {
    let bytes = "print(b'a' == 'a', b'a' == 97, str(b'a'))";
    let (code, out, err) = run(&["-b", "-c", bytes]);
    assert_eq!((code, out.as_str()), (Some(0), "False False b'a'\n"));
    for words in
        ["Comparison between bytes and string", "Comparison between bytes and int", "str() on a bytes instance"]
    {
        assert!(err.contains(&format!("BytesWarning: {words}")), "{err}");
    }
    assert_eq!(run(&["-bb", "-c", bytes]).0, Some(1));
    assert_eq!(run(&["-c", bytes]).2, "");
    let (_, _, err) = run(&["-X", "importtime", "-c", "import json"]);
    assert!(err.starts_with("import time: self [us] | cumulative | imported package\n"), "{err}");
    let line = |module: &str| err.lines().find(|it| it.ends_with(module)).unwrap_or_else(|| panic!("{err}")).to_owned();
    assert!(line("| json").split('|').count() == 3 && line("json.decoder").contains("|   "), "{err}");
    let folder =
        Folder::new("first", &[("p.py", b"this is for the shell\nimport sys\nprint(sys._getframe().f_lineno)\n")]);
    assert_eq!(run(&["-x", &folder.path("p.py")]).1, "3\n");
    assert_eq!(run(&["-?"]).1, run(&["-h"]).1);
    assert!(run(&["--help-env"]).1.contains("SNEKPY_STAGE"));
    assert!(run(&["--help-xoptions"]).1.contains("-X importtime"));
}

#[test]
fn staging_is_switched_off_by_any_spelling_and_by_no_other_word() {
    let show = "from snekpy import stage\n@stage\ndef f(x): return x\nf(1)\nprint(len(f.stats()['specialisations']))";
    let with = |value: &str| told(snekpy(&["-c", show]).env("SNEKPY_STAGE", value).output().expect("it starts"));
    for (value, expected) in [("OFF", "0\n"), ("Off", "0\n"), ("False", "0\n"), ("0", "0\n"), ("ON", "1\n")] {
        assert_eq!(with(value).1, expected, "{value}");
    }
    let (code, _, err) = with("of");
    assert_eq!((code, err.as_str()), (Some(2), "snekpy: SNEKPY_STAGE is `on`, `always` or `off`, found `of`\n"));
}

#[test]
fn the_prompt_of_asyncio_awaits() {
    let (code, out, err) = fed(&["-m", "asyncio"], "import asyncio\nprint(await asyncio.sleep(0.01, 'slept'))\n");
    assert_eq!((code, out.contains("slept")), (Some(0), true), "{out}{err}");
}

#[test]
fn what_ended_a_program_is_there_for_a_post_mortem() {
    let folder = Folder::new("mortem", &[("p.py", b"def f(x):\n    return 1 / x\nf(0)\n")]);
    let (_, out, err) = fed(&["-i", &folder.path("p.py")], "import sys, pdb\ntype(sys.last_exc)\npdb.pm()\nargs\n");
    assert!(out.contains("<class 'ZeroDivisionError'>") && out.contains("(Pdb) x = 0\n"), "{out}{err}");
}

#[test]
fn the_prompt_shares_a_pipe_with_what_it_runs() {
    let (code, out, err) = fed(&["-i"], "text = input()\nfrom the pipe\n'got ' + text\n");
    assert_eq!((code, out.contains("'got from the pipe'")), (Some(0), true), "{out}{err}");
}

#[test]
fn the_end_of_a_program_calls_nothing_of_its_own() {
    let program = "import builtins, atexit\nreal = builtins.__import__\n\
        def mine(name, *rest, **words):\n    print('import', name)\n    return real(name, *rest, **words)\n\
        builtins.__import__ = mine\natexit.register(lambda: __import__('math'))";
    assert_eq!(run(&["-c", program]), (Some(0), "import math\n".to_owned(), String::new()));
    let threads = format!("import threading\nthreading.Thread(target=lambda: print('thread')).start()\n{program}");
    assert_eq!(run(&["-c", &threads]).1.replace("thread\n", ""), "import math\n");
}

#[test]
fn the_library_does_what_cpythons_does() {
    for (program, expected) in [
        ("import sys\ntry: sys.exit()\nexcept SystemExit as e: print(e.args, e.code)", "() None\n"),
        ("import sys\ntry: sys.exit((1, 2))\nexcept SystemExit as e: print(e.args)", "(1, 2)\n"),
        (
            "from array import array\nprint(array('d', [0.0, float('nan'), -0.0, 1e300]), array('f', [0.1]), array('i', [1]), array('d'))",
            "array('d', [0.0, nan, -0.0, 1e+300]) array('f', [0.10000000149011612]) array('i', [1]) array('d')\n",
        ),
        ("from array import array\na = array('d', [0.5, 1e300])\nprint(eval(repr(a)) == a)", "True\n"),
    ] {
        let (code, out, err) = run(&["-c", program]);
        assert_eq!((code, out.as_str()), (Some(0), expected), "{program}\n{err}");
    }
}
