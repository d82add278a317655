//! What an embedder relies on.

use snekpy::{Compiled, Engine, Error, Module, Object, Script, Value};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[test]
fn everything_can_go_to_another_thread() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Engine>();
    check::<Script>();
    check::<Object>();
    check::<Value>();
    check::<Error>();
    check::<Compiled<fn(f64) -> f64>>();
}

#[test]
fn the_example_prints_what_it_should() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_embed")).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let expected = "row: Float(104.5)\n\
        printed: ACME: spot 104.50, call at 100 costs 11.6697\n\
        error: KeyError: 'no quote for NONE' in report() at line 26\n";
    assert!(text.starts_with(expected), "{text}{}", String::from_utf8_lossy(&output.stderr));
    // Machine code computes what Python did.
    assert!(text.contains("strike 100: 11.6697\n"), "{text}");
    assert!(output.status.success());
}

#[test]
fn two_engines_do_not_see_each_other() {
    let (one, two) = (Engine::new(), Engine::new());
    one.add_value("shared", 1).expect("it is set");
    let first = one.run("import sys, json\nsys.mark = 'one'\njson.mark = 'one'\nx = shared").expect("it runs");
    let second = two.run("import sys, json\nfound = hasattr(sys, 'mark') or hasattr(json, 'mark')").expect("it runs");
    assert!(!second.get::<bool>("found").expect("it is there"));
    assert!(two.run("shared").expect_err("only one has it").is("NameError"));
    drop(one);
    // The values of an engine keep it alive, and the other does not mind its end.
    assert_eq!(first.get::<i64>("x").expect("it lives"), 1);
    drop(first);
    assert_eq!(two.eval::<i64>("sum(range(10))").expect("it lives"), 45);
}

#[test]
fn objects_belong_to_their_engine() {
    let (one, two) = (Engine::new(), Engine::new());
    let object: Object = one.eval("object()").expect("it runs");
    let identity = two.run("def f(x): return x").expect("it runs");
    let error = identity.call::<Value>("f", (object,)).expect_err("it is a stranger");
    assert_eq!(error.to_string(), "TypeError: the object belongs to another engine");
}

#[test]
fn threads_run_python_at_the_same_time() {
    let engine = Engine::new();
    let script = engine.run("def work(n):\n    return sum(i * i for i in range(n))").expect("it runs");
    let work = script.function("work").expect("it is there");
    let results = std::thread::scope(|threads| {
        let workers: Vec<_> = (0..8)
            .map(|i| {
                threads.spawn({
                    let work = &work;
                    move || work.call::<i64>((1_000 + i,))
                })
            })
            .collect();
        workers.into_iter().map(|it| it.join().expect("no panic").expect("no error")).collect::<Vec<_>>()
    });
    for (i, result) in results.into_iter().enumerate() {
        assert_eq!(result, (0..1_000 + i as i64).map(|it| it * it).sum::<i64>());
    }
}

#[test]
fn recursion_is_bounded_on_any_thread() {
    let engine = Engine::new();
    let script = engine.run("def f(n): return f(n + 1)\ndef g(n): return sorted([n], key=g)").expect("it runs");
    for name in ["f", "g"] {
        let script = &script;
        std::thread::scope(|threads| {
            let error = threads.spawn(move || script.call::<Value>(name, (0,)).expect_err("it has no end"));
            assert!(error.join().expect("no panic").is("RecursionError"), "{name}");
        });
    }
}

#[test]
fn values_cross_in_both_directions() {
    let engine = Engine::new();
    let script = engine.run("def same(x): return x").expect("it runs");
    let values = vec![
        Value::None,
        Value::Bool(true),
        Value::Int(i64::MIN),
        Value::Float(0.1),
        Value::Str("é\n".to_owned()),
        Value::Bytes(vec![0, 255]),
        Value::List(vec![Value::Int(1), Value::List(vec![])]),
        Value::Tuple(vec![Value::Str(String::new()), Value::None]),
        Value::Dict(vec![(Value::Str("b".to_owned()), Value::Int(1)), (Value::Int(2), Value::Bool(false))]),
    ];
    for value in values {
        assert_eq!(script.call::<Value>("same", (value.clone(),)).expect("it is the same"), value);
    }
    let map = BTreeMap::from([("a".to_owned(), (1, 2.5)), ("b".to_owned(), (2, 3.5))]);
    assert_eq!(script.call::<BTreeMap<String, (i64, f64)>>("same", (map.clone(),)).expect("it is the same"), map);
    assert_eq!(engine.eval::<Option<[f64; 2]>>("(1, 2.5)").expect("it fits"), Some([1.0, 2.5]));
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let engine = Engine::new();
    let message = |error: Error| error.to_string();
    assert_eq!(engine.eval::<i64>("'1'").map_err(message), Err("TypeError: expected int, found str".to_owned()));
    assert_eq!(engine.eval::<i64>("1.0").map_err(message), Err("TypeError: expected int, found float".to_owned()));
    assert_eq!(
        engine.eval::<u8>("256").map_err(message),
        Err("OverflowError: int out of range for u8: 256".to_owned())
    );
    let big = engine.eval::<i64>("2 ** 64").map_err(message);
    assert_eq!(big, Err("OverflowError: int too large for i64: 18446744073709551616".to_owned()));
    let pair = engine.eval::<(i64, i64)>("(1, 2, 3)").map_err(message);
    assert_eq!(pair, Err("ValueError: expected a tuple of 2, found 3 items".to_owned()));
}

#[test]
fn host_functions_check_arguments_raise_and_survive_panics() {
    let engine = Engine::new();
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let mut module = Module::new("host");
    module
        .function("add", move |a: i64, b: i64| {
            counter.fetch_add(1, Ordering::Relaxed);
            a + b
        })
        .function("bad", || -> snekpy::Result<()> { Err(Error::new("ZeroDivisionError", "host says no")) })
        .function("panic", || -> i64 { panic!("on purpose") });
    engine.add_module(module).expect("it is added");
    let error = |source: &str| engine.run(source).expect_err("it is wrong").to_string();
    engine.run("from host import add\nassert add(1, 2) == 3 and add.__name__ == 'add'").expect("it works");
    assert_eq!(error("import host; host.add(1)"), "TypeError: add() takes 2 arguments (1 given)");
    assert_eq!(error("import host; host.add(1, 'x')"), "TypeError: expected int, found str");
    assert_eq!(error("import host; host.add(1, b=2)"), "TypeError: add() takes no keyword arguments");
    assert_eq!(error("import host; host.bad()"), "ZeroDivisionError: host says no");
    assert_eq!(error("import host; host.panic()"), "RuntimeError: host function panic() panicked: on purpose");
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[test]
fn a_host_function_may_call_back() {
    let engine = Engine::new();
    let inner = engine.run("def twice(x): return 2 * x").expect("it runs").function("twice").expect("it is there");
    engine.add_function("quadruple", move |x: i64| Ok(2 * inner.call::<i64>((x,))?)).expect("it is added");
    assert_eq!(engine.eval::<i64>("quadruple(3)").expect("it works"), 12);
}

#[test]
fn output_is_caught_and_signals_are_left_alone() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&lines);
    let engine = Engine::builder()
        .output(move |stream, text| sink.lock().expect("no panic").push((stream, text.to_owned())))
        .build();
    engine.run("import sys\nprint('out', end='')\nprint('err', end='', file=sys.stderr)").expect("it runs");
    let found = lines.lock().expect("no panic").clone();
    assert_eq!(found, [(snekpy::Stream::Stdout, "out".to_owned()), (snekpy::Stream::Stderr, "err".to_owned())]);
    let handler = engine.eval::<bool>("__import__('signal').getsignal(2) is __import__('signal').default_int_handler");
    assert!(!handler.expect("it runs"));
}

#[test]
fn errors_say_where_and_own_what_they_say() {
    let engine = Engine::new();
    let script = engine.run("class Mine(ValueError): pass\ndef f(x):\n    raise Mine(f'no {x}')").expect("it runs");
    let error = script.call::<Value>("f", (3,)).expect_err("it raises");
    drop((script, engine));
    assert!(error.is("Mine") && error.is("ValueError") && !error.is("KeyError"));
    assert_eq!((error.class(), error.message()), ("Mine", "no 3"));
    assert!(error.traceback().contains("File \"<string>\", line 3, in f\n    raise Mine(f'no {x}')"), "{error:?}");
    let sent: Box<dyn std::error::Error + Send + Sync> = Box::new(error);
    assert_eq!(sent.to_string(), "Mine: no 3");
}

#[test]
fn compiled_functions_report_errors_without_python() {
    let engine = Engine::new();
    let script = engine.run("def f(a, b):\n    c = a - b\n    return a // c").expect("it runs");
    let f = script.stage("f").expect("it is there").typed::<fn(i64, i64) -> i64>().expect("it compiles");
    drop((script, engine));
    assert_eq!(f.call(7, 4).expect("it divides"), 2);
    let error = f.call(7, 7).expect_err("it divides by zero");
    assert!(error.is("ZeroDivisionError"), "{error:?}");
    assert_eq!(error.frames().last().map(|it| it.line), Some(3));
}

#[test]
fn what_cannot_be_compiled_is_refused() {
    let engine = Engine::new();
    let script = engine.run("def shout(x):\n    print(x)\n    return x\ndef name(x): return 'x'").expect("it runs");
    let error = |name: &str| script.stage(name).expect("it is there").typed::<fn(f64) -> f64>().expect_err("it cannot");
    assert!(error("shout").is("StagingError"), "{:?}", error("shout"));
    assert!(error("name").is("StagingError"), "{:?}", error("name"));
}

#[test]
fn source_nested_too_deeply_is_an_error() {
    let engine = Engine::new();
    let deep = format!("x = {}{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(engine.run(&deep).expect_err("it is too deep").is("SyntaxError"));
    let long = format!("x = 1{}", " + 1".repeat(1_000_000));
    assert!(engine.run(&long).expect_err("it is too long").is("RecursionError"));
}
