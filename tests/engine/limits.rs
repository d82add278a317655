//! Limits and cancelling, as an embedder meets them.

use snekpy::{Canceller, Compiled, Engine, Error, Limits, Script, Stop, Value};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const PROGRAM: &str = "
from snekpy import stage

def spin():
    while True:
        pass

def spin_with_calls(n):
    def step(x):
        return x + 1
    x = 0
    while x != n:
        x = step(x) - 1 + (x < 3)
    return x

@stage
def compiled(n):
    x = 0
    while n > 0:
        x = (x * 5 + 3) % 1000
    return x

def stubborn():
    while True:
        try:
            while True:
                pass
        except BaseException as error:
            caught.append(type(error).__name__)
            if len(caught) > 2:
                raise

caught = []

def polite():
    try:
        while True:
            pass
    except Exception:
        return 'an Exception'
    finally:
        marks.append('finally')

marks = []

def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)

@stage
def deep_staged(n):
    return 0 if n == 0 else 1 + deep_staged(n - 1)
";

fn short() -> Limits {
    Limits::new().time(Duration::from_millis(60))
}

fn stopped(result: Result<Value, Error>) -> Stop {
    let error = result.expect_err("it is stopped");
    assert!(error.is("Stopped") && error.is("BaseException") && !error.is("Exception"), "{error:?}");
    error.stop().unwrap_or_else(|| panic!("{error:?}"))
}

#[test]
fn everything_can_go_to_another_thread() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Canceller>();
    check::<Limits>();
}

#[test]
fn time_ends_plain_python_and_compiled_code_and_the_engine_goes_on() {
    let engine = Engine::builder().limits(short()).build();
    let script = engine.run(PROGRAM).expect("it runs");
    for (name, args) in [("spin", vec![]), ("spin_with_calls", vec![1_000_000]), ("compiled", vec![1])] {
        let start = Instant::now();
        let result = match args.first() {
            Some(&n) => script.call::<Value>(name, (n,)),
            None => script.call::<Value>(name, ()),
        };
        assert_eq!(stopped(result), Stop::Time, "{name}");
        assert!(start.elapsed() < Duration::from_secs(10), "{name} took {:?}", start.elapsed());
        assert_eq!(engine.eval::<i64>("40 + 2").expect("it goes on"), 42);
    }
    let error = script.call::<Value>("spin", ()).expect_err("it is stopped");
    assert_eq!(error.to_string(), "OutOfTime: the call has run for more than 0.06 s");
    assert!(error.traceback().contains("in spin"), "{error:?}");
}

#[test]
fn a_program_cannot_go_on_by_catching_it() {
    let engine = Engine::new();
    let script = engine.run(PROGRAM).expect("it runs");
    let result = engine.within(&short(), || script.call::<Value>("stubborn", ()));
    assert_eq!(stopped(result), Stop::Time);
    // Fewer than three, if one came while another was handled.
    let caught = script.get::<Vec<String>>("caught").expect("it is there");
    assert!(!caught.is_empty() && caught.iter().all(|it| it == "OutOfTime"), "{caught:?}");
    let result = engine.within(&short(), || script.call::<Value>("polite", ()));
    assert_eq!(stopped(result), Stop::Time);
    assert_eq!(script.get::<Vec<String>>("marks").expect("it is there"), ["finally"]);
}

#[test]
fn what_is_inside_within_shares_its_limits() {
    let engine = Engine::new();
    let script = engine.run(PROGRAM).expect("it runs");
    let rounds = engine.within(&short(), || {
        (0..1_000_000).find(|_| {
            script.call::<Value>("spin_with_calls", (3,)).is_err() || {
                std::thread::sleep(Duration::from_millis(1));
                script.call::<Value>("spin_with_calls", (2_000,)).is_err()
            }
        })
    });
    assert!(rounds.is_some());
}

#[test]
fn cancelling_stops_what_runs_and_what_would_run() {
    let engine = Engine::new();
    let script = engine.run(PROGRAM).expect("it runs");
    let canceller = engine.canceller();
    for (name, args) in [("spin", 0), ("compiled", 1)] {
        let result = cancel_soon(&canceller, || match args {
            0 => script.call::<Value>(name, ()),
            n => script.call::<Value>(name, (n,)),
        });
        assert_eq!(stopped(result), Stop::Cancelled, "{name}");
        assert_eq!(stopped(script.call::<Value>(name, vec_of(args))), Stop::Cancelled, "{name}, again");
        canceller.reset();
        assert_eq!(engine.eval::<i64>("40 + 2").expect("it goes on"), 42);
    }
}

/// The arguments of a function that takes none or one.
fn vec_of(n: i64) -> snekpy_args::Args {
    snekpy_args::Args(n)
}

mod snekpy_args {
    use snekpy::{IntoArgs, Value};

    /// No argument for 0, else one.
    pub(crate) struct Args(pub(crate) i64);

    impl IntoArgs for Args {
        fn into_args(self) -> Vec<Value> {
            match self.0 {
                0 => Vec::new(),
                n => vec![Value::Int(n)],
            }
        }
    }
}

/// Cancels when `body` has run for some time.
fn cancel_soon<T: Send>(canceller: &Canceller, body: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|threads| {
        threads.spawn(|| {
            std::thread::sleep(Duration::from_millis(60));
            canceller.cancel();
        });
        body()
    })
}

#[test]
fn one_call_of_several_is_cancelled() {
    let engine = Engine::new();
    let script = engine.run(PROGRAM).expect("it runs");
    let (mine, yours) = (Canceller::new(), Canceller::new());
    let is_over = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let other = threads.spawn(|| {
            engine.within(&Limits::new().canceller(&yours), || {
                let result = script.call::<Value>("spin", ());
                assert!(is_over.load(Ordering::SeqCst), "the wrong one was stopped");
                stopped(result)
            })
        });
        let result =
            cancel_soon(&mine, || engine.within(&Limits::new().canceller(&mine), || script.call::<Value>("spin", ())));
        assert_eq!(stopped(result), Stop::Cancelled);
        std::thread::sleep(Duration::from_millis(60));
        is_over.store(true, Ordering::SeqCst);
        yours.cancel();
        assert_eq!(other.join().expect("no panic"), Stop::Cancelled);
    });
}

#[test]
fn compiled_functions_are_cancelled_without_an_interpreter() {
    let engine = Engine::new();
    let canceller = engine.canceller();
    let f: Compiled<fn(i64) -> i64> =
        engine.run(PROGRAM).and_then(|script| script.stage("compiled")?.typed()).expect("it compiles");
    drop(engine);
    let error = cancel_soon(&canceller, || f.call(1)).expect_err("it is stopped");
    assert_eq!(
        (error.stop(), error.to_string().as_str()),
        (Some(Stop::Cancelled), "Cancelled: the call was cancelled")
    );
    canceller.reset();
    assert_eq!(f.call(0).expect("it returns"), 0);

    // Enough to compile it, however much else the machine has to do.
    let engine = Engine::builder().limits(Limits::new().time(Duration::from_secs(3))).build();
    let f: Compiled<fn(i64) -> i64> =
        engine.run(PROGRAM).and_then(|script| script.stage("compiled")?.typed()).expect("it compiles");
    assert_eq!(f.call(1).expect_err("it is stopped").stop(), Some(Stop::Time));
    assert_eq!(f.call(0).expect("it returns"), 0);
}

#[test]
fn a_call_that_is_being_compiled_is_cancelled() {
    let engine = Engine::new();
    // Capturing this takes a while: each of the known rounds is run while the code is made.
    let slow = "
from snekpy import stage
def rounds(n):
    k = 0
    while k < 90_000:
        k += 1
    return n + k
@stage(strict=True)
def slow(n):
    return rounds(n) + rounds(n + 1) + rounds(n + 2)
";
    let script = engine.run(slow).expect("it runs");
    let canceller = engine.canceller();
    canceller.cancel();
    assert_eq!(stopped(script.call::<Value>("slow", (1,))), Stop::Cancelled);
    canceller.reset();
    assert_eq!(script.call::<i64>("slow", (1,)).expect("it compiles"), 3 * 90_001 + 3);
}

#[test]
fn calls_are_nested_only_so_deeply() {
    let engine = Engine::builder().limits(Limits::new().depth(100)).build();
    let script = engine.run(PROGRAM).expect("it runs");
    for name in ["deep", "deep_staged"] {
        assert_eq!(script.call::<i64>(name, (50,)).expect("it returns"), 50);
        let error = script.call::<Value>(name, (150,)).expect_err("it is too deep");
        assert!(error.is("RecursionError") && error.stop().is_none(), "{error:?}");
    }
    let script = engine.run(&format!("import sys\nsys.setrecursionlimit(5000)\n{PROGRAM}")).expect("it runs");
    assert!(script.call::<Value>("deep", (150,)).expect_err("it is too deep").is("RecursionError"));
    assert_eq!(
        engine.within(&Limits::new().depth(500), || script.call::<i64>("deep", (150,))).expect("it is not"),
        150
    );
}

#[test]
fn lists_of_compiled_code_have_only_so_much_memory() {
    let source = "
from snekpy import stage
@stage
def collect(n):
    kept = [0.5]
    while len(kept) < n:
        kept.append(0.5)
    return len(kept)
@stage(strict=True)
def extend(xs, n):
    for i in range(n):
        xs.append(i)
    return len(xs)
@stage(strict=True)
def fill(n):
    seen = {-1: 0}
    for i in range(n - 1):
        seen[i] = i
    return len(seen)
";
    let engine = Engine::builder().limits(Limits::new().memory(1 << 20)).build();
    let script = engine.run(source).expect("it runs");
    for _ in 0..100 {
        assert_eq!(script.call::<i64>("collect", (30_000,)).expect("each call gives it back"), 30_000);
    }
    assert_eq!(script.call::<i64>("fill", (9_000,)).expect("there is room"), 9_000);
    let error = script.call::<Value>("fill", (300_000,)).expect_err("there is not");
    assert!(error.is("MemoryError") && error.frames().last().is_some_and(|it| it.line == 18), "{error:?}");
    let error = script.call::<Value>("collect", (300_000,)).expect_err("2.4 MB are more than 1 MB");
    assert!(error.is("MemoryError") && error.stop().is_none(), "{error:?}");
    assert_eq!(error.frames().last().map(|it| it.line), Some(7), "{error:?}");
    let short: Vec<i64> = (0..300).collect();
    assert_eq!(script.call::<i64>("extend", (short.clone(), 1_000)).expect("there is room"), 1_300);
    assert!(script.call::<Value>("extend", (short, 300_000)).expect_err("there is not").is("MemoryError"));
    let long: Vec<i64> = (0..300_000).collect();
    assert!(script.call::<Value>("extend", (long.clone(), 1)).expect_err("the copy is counted").is("MemoryError"));
    let wide = Limits::new().memory(1 << 30);
    assert_eq!(engine.within(&wide, || script.call::<i64>("extend", (long, 1))).expect("there is room"), 300_001);
    let f: Compiled<fn(i64) -> i64> = script.stage("collect").and_then(|it| it.typed()).expect("it compiles");
    assert_eq!(f.call(30_000).expect("there is room"), 30_000);
    assert!(f.call(300_000).expect_err("there is not").is("MemoryError"));
}

/// How many specialisations a function has, and how many calls were plain Python.
fn stats(script: &Script, name: &str) -> (i64, i64) {
    let get = format!("(len({name}.stats()['specialisations']), {name}.stats()['plain_calls'])");
    script.extend(&format!("found = {get}")).expect("it is staged");
    script.get("found").expect("two numbers")
}

#[test]
fn too_much_code_is_plain_python() {
    let source = "
from snekpy import stage, StagingError
def work(x):
    for k in (1, 2, 3, 4, 5, 6, 7, 8):
        x = x * k + (x - k) * (x + k)
    return x
loose = stage(work)
strict = stage(work, strict=True)
def codes():
    try:
        strict(1.0)
    except StagingError as error:
        return error.code
";
    let wide = Engine::new();
    let script = wide.run(source).expect("it runs");
    let expected: f64 = script.call("work", (1.5,)).expect("it runs");
    assert_eq!(script.call::<Option<String>>("codes", ()).expect("it runs"), None);

    let narrow = Engine::builder().limits(Limits::new().code_size(10)).build();
    let script = narrow.run(source).expect("it runs");
    assert_eq!(script.call::<f64>("loose", (1.5,)).expect("it runs"), expected);
    assert_eq!(script.call::<Option<String>>("codes", ()).expect("it runs").as_deref(), Some("S130"));
}

#[test]
fn what_takes_too_long_to_compile_is_plain_python() {
    let source = "
from snekpy import stage, StagingError
def work(n):
    k = 0
    while k < 50_000:
        k += 1
    return n + k
loose = stage(work)
strict = stage(work, strict=True)
def code():
    try:
        strict(1)
    except StagingError as error:
        return error.code
";
    let engine = Engine::builder().limits(Limits::new().compile_time(Duration::from_micros(1))).build();
    let script = engine.run(source).expect("it runs");
    for n in 0..3 {
        assert_eq!(script.call::<i64>("loose", (n,)).expect("it runs"), 50_000 + n);
    }
    assert_eq!(stats(&script, "loose"), (0, 3));
    assert_eq!(script.call::<String>("code", ()).expect("it is refused"), "S132");
    assert_eq!(
        engine
            .within(&Limits::new().compile_time(Duration::from_secs(60)), || script.call::<i64>("strict", (1,)))
            .expect("it compiles"),
        50_001
    );
}

#[test]
fn limits_do_not_outlive_their_call() {
    let engine = Engine::builder().limits(short()).build();
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let inner = engine.clone();
    engine
        .add_function("nested", move || {
            // Less than the call has, for a part of it.
            let result = inner.within(&Limits::new().time(Duration::from_millis(20)), || inner.run("while True: pass"));
            tell.lock().expect("no panic").push(result.expect_err("it is stopped").stop());
            Ok(1)
        })
        .expect("it is added");
    engine.within(&Limits::new().time(Duration::from_secs(60)), || {
        assert_eq!(engine.eval::<i64>("nested() + nested()").expect("the rest goes on"), 2);
    });
    assert_eq!(*told.lock().expect("no panic"), [Some(Stop::Time); 2]);
    for _ in 0..5 {
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(engine.eval::<i64>("sum(range(100))").expect("each call has its own time"), 4950);
    }
}
