//! Ticks: staged and plain code stop at the same one, whatever the limit is.
//!
//! Each program of `ticks/` has a `main`. It is run with every limit from 0 to what it needs, once with `stage` and once
//! with a `stage` that does nothing: what it prints, the exception, its traceback and its context must be the same.

use snekpy::{Compiled, Engine, Error, Limits, Script, Stop, Value};
use std::sync::{Arc, Mutex};

const STAGED: &str = "from snekpy import stage, rep_fun; ";
const PLAIN: &str = "stage = rep_fun = lambda f: f; ";
/// No program needs more.
const MOST: u64 = 5_000;

struct Runner {
    engine: Engine,
    printed: Arc<Mutex<String>>,
}

impl Runner {
    fn new() -> Self {
        let printed = Arc::new(Mutex::new(String::new()));
        let sink = Arc::clone(&printed);
        let engine = Engine::builder().output(move |_, text| sink.lock().expect("no panic").push_str(text)).build();
        Self { engine, printed }
    }

    fn load(&self, first: &str, source: &str) -> Script {
        self.engine.run(&format!("{first}{source}")).unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// What `main` prints with so many ticks, and how it ends.
    fn run(&self, script: &Script, ticks: u64) -> (String, Result<Value, Error>) {
        self.printed.lock().expect("no panic").clear();
        let ended = self.engine.within(&Limits::new().ticks(ticks), || script.call::<Value>("main", ()));
        (self.printed.lock().expect("no panic").clone(), ended)
    }
}

/// Runs a program with every limit. Gives how many ticks it needs.
fn sweep(name: &str, source: &str) -> u64 {
    // An engine for each: of two texts in one, the second has another file name.
    let (runner, other) = (Runner::new(), Runner::new());
    let (plain, staged) = (runner.load(PLAIN, source), other.load(STAGED, source));
    for ticks in 0..MOST {
        let expected = runner.run(&plain, ticks);
        let found = other.run(&staged, ticks);
        let say = |(printed, ended): &(String, Result<Value, Error>)| match ended {
            Ok(value) => format!("{printed}returned {value:?}\n"),
            Err(error) => format!("{printed}{}", error.traceback()),
        };
        assert!(
            say(&expected) == say(&found),
            "{name}, {ticks} ticks:\n{}\n--- staged:\n{}",
            say(&expected),
            say(&found)
        );
        match expected.1 {
            Ok(_) => return ticks,
            Err(error) => assert_eq!(error.stop(), Some(Stop::Ticks), "{name}: {error:?}"),
        }
    }
    panic!("{name} needs more than {MOST} ticks")
}

/// Whether calls of a staged function ran in compiled code from end to end.
fn stays(source: &str, function: &str) -> bool {
    let runner = Runner::new();
    let script = runner.load(STAGED, source);
    let (_, ended) = runner.run(&script, MOST);
    assert!(ended.is_ok(), "{ended:?}");
    let stats = format!(
        "_stats = {function}.stats()\n_stays = bool(_stats['specialisations']) and not _stats['plain_calls'] \
         and not any(r['count'] for s in _stats['specialisations'] for r in s['resumes'])"
    );
    script.extend(&stats).expect("it is staged");
    script.get("_stays").expect("it is there")
}

macro_rules! programs {
    ($($name:ident stays [$($function:literal),*];)*) => {$(
        #[test]
        fn $name() {
            let source = include_str!(concat!("ticks/", stringify!($name), ".py"));
            let ticks = sweep(stringify!($name), source);
            assert!(ticks > 20, "it needs only {ticks}");
            $(assert!(stays(source, $function), "`{}` leaves compiled code while ticks are counted", $function);)*
        }
    )*};
}

programs! {
    callbacks stays [];
    handlers stays ["f"];
    iterators stays ["g"];
    leaving stays ["rnd"];
    nests stays ["find"];
    objects stays ["f"];
    records stays ["total", "collatz"];
    recursion stays ["fib", "use", "par"];
    unrolled stays ["static"];
}

#[test]
fn a_tick_is_a_call_or_a_round() {
    let count = |body: &str| {
        let runner = Runner::new();
        let script = runner
            .load(PLAIN, &format!("\ndef g():\n    yield 1\n    yield 2\ndef f(): pass\ndef main():\n    {body}\n"));
        (0..MOST).find(|&ticks| runner.run(&script, ticks).1.is_ok()).expect("it ends")
    };
    // `main` itself begins.
    assert_eq!(count("pass"), 1);
    assert_eq!(count("f(); f(); len([1])"), 3);
    assert_eq!(count("for _ in range(10): pass"), 11);
    assert_eq!(count("i = 10\n    while i > 0: i -= 1"), 10 + 1);
    assert_eq!(count("g()"), 1);
    assert_eq!(count("list(g())"), 2);
    assert_eq!(count("sorted([3, 1, 2], key=lambda x: x)"), 4);
}

#[test]
fn ticks_are_shared_by_the_calls_inside_within_and_by_nobody_else() {
    let runner = Runner::new();
    let script = runner.load(STAGED, "\n@stage\ndef f(n):\n    while n > 0:\n        n -= 1\n    return n\n");
    let limits = Limits::new().ticks(100);
    let calls = runner.engine.within(&limits, || (0..).take_while(|_| script.call::<i64>("f", (9,)).is_ok()).count());
    assert_eq!(calls, 10, "ten ticks each");
    assert_eq!(script.call::<i64>("f", (1_000_000,)).expect("nothing is counted"), 0);
    let error = runner.engine.within(&limits, || script.call::<i64>("f", (1_000_000,))).expect_err("it is stopped");
    assert_eq!(error.stop(), Some(Stop::Ticks));
    let limited = Engine::builder().limits(Limits::new().ticks(50)).build();
    for _ in 0..5 {
        assert_eq!(limited.eval::<i64>("sum(x for x in range(40))").expect("each call has its own"), 780);
    }
    assert!(limited.eval::<i64>("sum(x for x in range(60))").expect_err("too many").is("OutOfTicks"));
}

#[test]
fn who_catches_it_has_no_ticks_left() {
    let runner = Runner::new();
    let source = "
@stage
def staged(n):
    rounds = 0
    try:
        while True:
            rounds += 1
    except BaseException:
        while n > 0:
            n -= 1
    return rounds
def main():
    OUT.clear()
    try:
        staged(3)
    except BaseException as error:
        OUT.extend([type(error).__name__, type(error.__context__).__name__])
    for _ in range(3):
        OUT.append('once')
OUT = []
";
    for first in [PLAIN, STAGED] {
        let script = runner.load(first, source);
        let (_, ended) = runner.run(&script, 1_000);
        assert_eq!(ended.expect_err("the loop goes round").stop(), Some(Stop::Ticks));
        assert_eq!(
            script.get::<Vec<String>>("OUT").expect("it is there"),
            ["OutOfTicks", "OutOfTicks", "once"],
            "{first}"
        );
    }
}

#[test]
fn compiled_functions_count_without_an_interpreter() {
    let engine = Engine::builder().limits(Limits::new().ticks(1_000)).build();
    let source = "def f(n):\n    k = 0\n    while k < n:\n        k += 1\n    return k";
    let f: Compiled<fn(i64) -> i64> =
        engine.run(source).and_then(|script| script.stage("f")?.typed()).expect("it compiles");
    drop(engine);
    for _ in 0..3 {
        assert_eq!(f.call(999).expect("each call has its own"), 999);
    }
    let error = f.call(1_000).expect_err("one more");
    assert_eq!(error.stop(), Some(Stop::Ticks));
    assert_eq!(error.frames().last().map(|it| it.line), Some(4), "{error:?}");
}

#[test]
fn a_program_cannot_take_the_hook_away() {
    let engine = Engine::builder().limits(Limits::new().ticks(5_000)).build();
    for attempt in ["free_tool_id(4)", "clear_tool_id(4)", "set_events(4, 0)", "register_callback(4, 1, None)"] {
        let error = engine.run(&format!("import sys\nsys.monitoring.{attempt}")).expect_err("it may not");
        assert!(error.is("ValueError"), "{error:?}");
    }
    assert_eq!(engine.run("while True: pass").expect_err("it counts").stop(), Some(Stop::Ticks));
}
