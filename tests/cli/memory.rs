//! `--max-memory`: what a program that wants too much is told, and what it has done by then.

use super::run;

#[test]
fn a_program_that_holds_too_much_is_stopped() {
    let plain = "kept = []\nwhile True:\n    kept.append('x' * 10_000 + str(len(kept)))";
    let compiled = "from snekpy import stage\n@stage\ndef f(n):\n    kept = [0]\n    while len(kept) < n:\n        \
                    kept.append(n)\n    return len(kept)\nf(1_000_000_000)";
    for program in [plain, compiled] {
        let (code, _, stderr) = run(&["--max-memory", "100M", "-c", program]);
        assert_eq!(code, Some(124), "{stderr}");
        assert!(stderr.contains("\nMemoryError"), "{stderr}");
        let last = "stopped: the program holds more than 104857600 bytes of memory (--max-memory)\n";
        assert!(stderr.ends_with(last), "{stderr}");
    }
    assert!(run(&["--max-memory=100M", "-c", compiled]).2.contains("line 6, in f"), "the line that wants it");
    // In one piece, and by a program that does not give up.
    let stubborn = "kept = []\nwhile True:\n    try:\n        while True: kept.append(bytes(100_000))\n    except MemoryError: pass";
    for program in ["bytearray(10_000_000_000)", stubborn] {
        let (code, _, stderr) = run(&["--max-memory=50M", "-c", program]);
        assert!(
            code == Some(124) && stderr.starts_with("snekpy: stopped: the program holds more"),
            "{code:?} {stderr}"
        );
    }
    let careful = "kept = []\ntry:\n    while True: kept.append(bytes(10_000))\nexcept MemoryError:\n    kept.clear()\nprint('ok')";
    assert_eq!(run(&["--max-memory=50M", "-c", careful]), (Some(0), "ok\n".to_owned(), String::new()));
    assert_eq!(run(&["--max-memory=1G", "-c", "print(sum([1] * 1_000_000))"]).1, "1000000\n");
    for wrong in ["0", "-1", "5T", "M", "1.5G", "99999999999G"] {
        assert_eq!(run(&[&format!("--max-memory={wrong}"), "-c", "print(1)"]).0, Some(2), "{wrong}");
    }
}

/// Derivatives whose record does not fit: what the forward run has done by then is done, once and in order, and the function
/// goes on being one.
const DERIVATIVES: &str = r#"
import snekpy.numpy as np
from snekpy import grad

log = []
class Seen: last = -1
seen = Seen()
seen.last = -1

def numbers(x, n):
    t = 0.0
    for i in range(n):
        t = t * x * 0.5 + x
        if i % 1_000_000 == 0:
            log.append(i)
            seen.last = i
    return t

def arrays(x, n):
    t = x
    for i in range(n):
        t = t * x * 0.5 + x
        log.append(i)
        seen.last = i
    return t.sum()

for f, x, few, many, step in ((numbers, 0.5, 4, 10**9, 1_000_000), (arrays, np.ones((300, 300)), 4, 10**6, 1)):
    g = grad(f)
    before = np.asarray(g(x, few)).sum()
    log.clear()
    try:
        g(x, many)
    except MemoryError as error:
        print(f.__name__, log == [step * i for i in range(len(log))], len(log) > 2, seen.last in log[-2:], np.asarray(g(x, few)).sum() == before)
"#;

#[test]
fn a_derivative_that_holds_too_much_leaves_what_was_done() {
    for backend in ["-Xsnek:backend=llvm", "-Xsnek:backend=interp"] {
        let (code, shown, error) = run(&["--max-memory=300M", backend, "-c", DERIVATIVES]);
        assert_eq!(
            (code, shown.as_str(), error.as_str()),
            (Some(0), "numbers True True True True\narrays True True True True\n", ""),
            "{backend}"
        );
    }
}
