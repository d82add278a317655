//! Code that is long in the making, or not made: memory, interrupts, what is known less of, and what is said of it.

use std::process::Stdio;

use super::{Folder, run, snekpy, told};

/// A function whose code takes LLVM long: so many conditions.
fn long(conditions: usize) -> String {
    format!(
        "from snekpy import stage\n\
         source = 'def f(x, y):\\n t = 0\\n' + ''.join(f' if x > {{i}}: t += y * {{i}}\\n' for i in range({conditions}))\n\
         exec(source + ' return t\\n')\n\
         staged = stage(f)\n"
    )
}

#[test]
fn without_memory_for_the_compiler_a_call_is_plain() {
    use std::os::unix::process::CommandExt;
    let program = long(300) + "print(staged(150, 3) == f(150, 3))";
    for megabytes in [250_u64, 300, 350, 400, 600, 900] {
        let mut command = snekpy(&["-c", &program]);
        let limit = libc::rlimit { rlim_cur: megabytes << 20, rlim_max: megabytes << 20 };
        // SAFETY: between fork and exec it makes one system call, which is allowed there.
        unsafe {
            command.pre_exec(move || {
                libc::setrlimit(libc::RLIMIT_AS, &raw const limit);
                Ok(())
            });
        }
        let ended = told(command.output().expect("it starts"));
        assert_eq!(ended, (Some(0), "True\n".to_owned(), String::new()), "{megabytes} MB");
    }
}

#[test]
fn an_interrupt_leaves_a_compilation_behind() {
    use std::io::{BufRead, BufReader};
    use std::time::{Duration, Instant};
    let program = long(3000)
        + "print('compiling', flush=True)\n\
           try:\n    staged(1500, 3)\n    print('done', flush=True)\n\
           except KeyboardInterrupt:\n    print('interrupted', flush=True)\n";
    let mut times = Vec::new();
    for round in 0..50_u64 {
        let mut child =
            snekpy(&["-X", "snek:stage=always", "-c", &program]).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut next = || lines.next().expect("it says something").expect("it is text");
        assert_eq!(next(), "compiling");
        // At all moments of capture, passes and LLVM, but for the last.
        std::thread::sleep(Duration::from_millis(5 + round * 6));
        let began = Instant::now();
        // SAFETY: it asks the kernel to send a signal to a child that has not been waited for.
        unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
        if next() == "interrupted" {
            times.push(began.elapsed());
        }
        assert!(child.wait().expect("it ends").success());
        // The compilation is not waited for, either.
        assert!(began.elapsed() < Duration::from_secs(5), "it ended after {:?}", began.elapsed());
    }
    times.sort_unstable();
    assert!(times.len() >= 25, "most came in time");
    // The bound of the product is 250 ms; the rest is the machine's, which runs other things as well.
    assert!(times[times.len() * 9 / 10] < Duration::from_secs(1), "{times:?}");
}

/// Computing with what is passed while code is made takes longer than code may: the matrix is known, and so are the texts.
const KNOWN: &str = "
from snekpy import stage

class Matrix:
    def __init__(self, rows): self.rows = rows
    def __getitem__(self, at): return self.rows[at[0]][at[1]]
    @stage
    def squared(self):
        size = range(len(self.rows))
        return [[sum(self[i, k] * self[k, j] for k in size) for j in size] for i in size]

@stage
def common(a, b):
    lengths = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if x == y else max(lengths[i + 1][j], lengths[i][j + 1])
    return lengths[-1][-1]

matrix = Matrix([[i * j % 7 for j in range(14)] for i in range(14)])
for _ in range(8):
    last = matrix.squared()[3][5], common('ACCGGTCGAG' * 6, 'GTCGTTCGGA' * 6)
print(last, [it.stats()['calls'] >= 4 for it in (Matrix.squared, common)])
";

/// Where the machine is busy with other things, knowing less may take too long as well: then the calls stay plain.
#[test]
fn code_knows_less_where_knowing_takes_too_long() {
    let folder = Folder::new("known", &[("known.py", KNOWN.as_bytes())]);
    let is_compiled = || {
        let (code, out, err) = run(&[&folder.path("known.py")]);
        assert_eq!((code, out.get(..9)), (Some(0), Some("(154, 41)")), "{err}");
        out == "(154, 41) [True, True]\n"
    };
    assert!((0..6).any(|_| is_compiled()), "it is not compiled");
}

/// Runs for four seconds: what another library does is not compiled.
const PLAINLY: &str = "
from snekpy import stage

@stage
def shout(text):
    out = []
    for c in text:
        out.append((c, os.getuid()))
    return out

import os, time
begin = time.process_time()
while time.process_time() - begin < 4:
    shout('abc' * 1000)
print(shout.stats()['verdict']['runs'], shout.stats()['plain_calls'] > 10 * shout.stats()['calls'])
";

#[test]
fn a_function_that_runs_plainly_says_so_once() {
    let folder = Folder::new("plainly", &[("shout.py", PLAINLY.as_bytes())]);
    let (code, out, err) = run(&[&folder.path("shout.py")]);
    assert_eq!((code, out.as_str()), (Some(0), "plain True\n"), "{err}");
    // Why, where and what to do about it.
    let said = "StagedPlainlyWarning: `shout` is staged and runs mostly as plain Python: S";
    assert_eq!(err.matches(said).count(), 1, "{err}");
    let line = err.lines().find(|it| it.contains(said)).expect("it was found");
    assert!(line.starts_with(&format!("{}:14: ", folder.path("shout.py"))), "the call: {line}");
    assert!(line.contains(&format!(" at {}:8: `getuid`", folder.path("shout.py"))), "the instruction: {line}");
    assert!(line.contains("; help: call it outside staged code"), "{line}");
    let (_, out, err) = run(&["-W", "ignore::RuntimeWarning", &folder.path("shout.py")]);
    assert_eq!((out.as_str(), err.as_str()), ("plain True\n", ""));
    let (_, _, err) = run(&["-X", "snek:stage=always", &folder.path("shout.py")]);
    assert!(!err.contains("StagedPlainlyWarning"), "{err}");
    // As an error it comes out of the call.
    let (code, out, err) = run(&["-W", "error::RuntimeWarning", &folder.path("shout.py")]);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("line 14, in <module>") && err.contains("\nsnekpy.StagedPlainlyWarning: `shout` is"), "{err}");
    // A program chooses by the class.
    let choice = "import warnings, snekpy\nwarnings.simplefilter('ignore', snekpy.StagedPlainlyWarning)\n";
    let folder = Folder::new("plainly-silenced", &[("shout.py", format!("{choice}{PLAINLY}").as_bytes())]);
    let (_, out, err) = run(&[&folder.path("shout.py")]);
    assert_eq!((out.as_str(), err.as_str()), ("plain True\n", ""));
}
