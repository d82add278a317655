//! Exceptions that pass through Rust functions are the very ones that were raised.

use snekpy::{Engine, Error, Object, Script, Value};

const PROGRAM: &str = "
class Mine(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)
        self.extra = [a, b]

def fail():
    try:
        {}['k']
    except KeyError as cause:
        raise Mine(1, 2) from cause

def key():
    raise KeyError('k')

def leave():
    import sys
    sys.exit(5)

def caught(function):
    try:
        call(function)
    except BaseException as error:
        return error

def raised(function):
    try:
        function()
    except BaseException as error:
        return error
";

/// An engine with a function that calls back.
fn script() -> Script {
    let engine = Engine::new();
    engine.add_function("call", |function: Object| function.call::<Value>(())).expect("it is added");
    engine.run(PROGRAM).expect("it runs")
}

fn holds(script: &Script, claim: &str) {
    script.extend(claim).unwrap_or_else(|error| panic!("{claim}\n{error:?}"));
}

#[test]
fn class_object_cause_and_frames_are_kept() {
    let script = script();
    holds(&script, "error = caught(fail)\nassert type(error) is Mine and error.extra == [1, 2]");
    holds(&script, "assert type(error.__cause__) is KeyError and error.__cause__.args == ('k',)");
    holds(
        &script,
        "import traceback\nnames = [it.name for it in traceback.extract_tb(error.__traceback__)]\n\
         assert names == ['caught', 'fail'], names",
    );
    holds(&script, "assert caught(key).args == ('k',)");
    holds(&script, "assert type(caught(leave)) is SystemExit and caught(leave).code == 5");
}

#[test]
fn an_error_that_was_kept_raises_the_same_object_from_any_thread() {
    let engine = Engine::new();
    let script = engine.run(PROGRAM).expect("it runs");
    let error = std::thread::scope(|threads| {
        threads.spawn(|| script.call::<Value>("fail", ()).expect_err("it raises")).join().expect("no panic")
    });
    let again = error.clone();
    engine.add_function("again", move || -> snekpy::Result<()> { Err(again.clone()) }).expect("it is added");
    holds(&script, "first, second = raised(again), raised(again)\nassert first is second and type(first) is Mine");
    assert_eq!((error.class(), error.message()), ("Mine", "(1, 2)"));
}

#[test]
fn an_error_of_another_engine_says_the_same() {
    let error = script().call::<Value>("key", ()).expect_err("it raises");
    let engine = Engine::new();
    engine.add_function("again", move || -> snekpy::Result<()> { Err(error.clone()) }).expect("it is added");
    let script = engine.run(PROGRAM).expect("it runs");
    holds(&script, "error = raised(again)\nassert type(error) is KeyError and error.args == ('k',), error.args");
}

#[test]
fn errors_are_equal_by_what_they_say() {
    let script = script();
    let error = || script.call::<Value>("key", ()).expect_err("it raises");
    assert_eq!(error(), error());
    assert_ne!(error(), Error::new("KeyError", "'k'"));
}

#[test]
fn a_syntax_error_has_a_place() {
    let engine = Engine::new();
    let error = engine.run("x = 1\ny = = 2").expect_err("it is wrong");
    let [frame] = error.frames() else { panic!("{error:?}") };
    assert_eq!((frame.file.as_str(), frame.line, frame.function.as_str()), ("<string>", 2, "<module>"));
}

#[test]
fn a_traceback_quotes_the_text_that_was_run() {
    let engine = Engine::new();
    let first = engine.run("def two(x):\n    return x / 0").expect("it runs");
    let second = engine.run("def two(x):\n    return 0 % x").expect("it runs");
    let error = engine.eval::<Value>("1/0").expect_err("it divides by zero");
    assert!(error.traceback().contains("File \"<expression>\", line 1, in <module>\n    1/0\n"), "{error:?}");
    let error = engine.eval::<Value>("2 + 1/0").expect_err("it divides by zero");
    assert!(error.traceback().contains("\n    2 + 1/0\n"), "{error:?}");
    let error = first.call::<Value>("two", (1,)).expect_err("it divides by zero");
    assert!(error.traceback().contains("File \"<string>\", line 2, in two\n    return x / 0\n"), "{error:?}");
    let error = second.call::<Value>("two", (0,)).expect_err("it divides by zero");
    assert!(error.traceback().contains("File \"<string-2>\", line 2, in two\n    return 0 % x\n"), "{error:?}");
    // The same text has the same name.
    let again = engine.run("def two(x):\n    return x / 0").expect("it runs");
    assert_eq!(again.call::<Value>("two", (1,)).expect_err("it divides by zero").frames()[0].file, "<string>");
}
