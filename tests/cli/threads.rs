//! Threads that share large operations on arrays.
#![cfg(target_os = "linux")]

use super::{run, snekpy, told};

/// Large operations on arrays, staged and plain, in a child process, too; how many threads there were, and all bits.
const LARGE: &str = r#"
import hashlib, os
import snekpy.numpy as np
from snekpy import stage

@stage
def work(x, m):
    e = np.exp(m - m.max(axis=1, keepdims=True))
    return np.sin(x) * x, e / e.sum(axis=1, keepdims=True), np.sqrt((x * x).sum()), m @ m.T, x.argmax()

x = np.linspace(-3.0, 9.0, 700_003)
m = np.log1p(np.arange(400_000.0)).reshape(500, 800).astype("float32")
def told():
    made = work(x, m)
    return hashlib.sha256(b"".join(np.asarray(it).tobytes() for it in made)).hexdigest()
names = [open(f"/proc/self/task/{it}/comm").read().strip() for it in os.listdir("/proc/self/task")] if (first := told()) else []
child = os.fork()
if not child:
    os._exit(0 if told() == first else 1)
print(os.waitpid(child, 0)[1], names.count("snekpy-share"), first)
"#;

#[test]
fn large_operations_have_the_same_bits_by_any_number_of_threads() {
    let by = |args: &[&str], variable: &str| {
        let (code, shown, error) = told(
            snekpy(&[args, &["-Wignore", "-c", LARGE]].concat())
                .env("OMP_NUM_THREADS", variable)
                .output()
                .expect("it starts"),
        );
        assert_eq!((code, error.as_str()), (Some(0), ""), "{shown}");
        shown
    };
    let one = by(&["-X", "snek:threads=1"], "2");
    let bits = one.strip_prefix("0 0 ").expect("no threads share, and the child gives the same");
    for (args, variable, threads) in [
        (&["-X", "snek:threads=3"][..], "1", 2),
        (&[], "2", 1),
        (&["-X", "snek:threads=2", "-X", "snek:stage=off"], "", 1),
        (&["-X", "snek:threads=2", "-X", "snek:backend=interp"], "", 1),
        (&["-X", "snek:threads=2", "-X", "snek:stage=always"], "", 1),
    ] {
        assert_eq!(by(args, variable), format!("0 {threads} {bits}"), "{args:?}");
    }
    let (code, _, error) = run(&["-X", "snek:threads=0", "-c", ""]);
    assert_eq!((code, error.as_str()), (Some(2), "snekpy: -X snek:threads expects a number from 1 on\n"));
}
