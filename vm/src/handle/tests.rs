//! Compiled functions called from Rust, on the reference interpreter.

use rustpython_vm::{PyObjectRef, VirtualMachine};
use snekpy_stage::types::Type;

use super::{Compiled, Value, stage_for};
use crate::host::test_vm::with_vm;

const F: Type = Type::F64;
const I: Type = Type::I64;

fn compiled(source: &str, types: &[Type]) -> Compiled {
    let mut made = None;
    with_vm(|vm, py| {
        py.run(source);
        made = Some(stage_for(&py.eval("f"), types, vm).unwrap_or_else(|error| panic!("{}", text(&error.into(), vm))));
    });
    // The interpreter is gone: what is left must not need it.
    made.expect("it was made")
}

fn refused(source: &str, types: &[Type]) -> String {
    let mut message = String::new();
    with_vm(|vm, py| {
        py.run(source);
        let error = stage_for(&py.eval("f"), types, vm).expect_err("it is refused");
        message = text(&error.into(), vm);
    });
    message
}

fn text(object: &PyObjectRef, vm: &VirtualMachine) -> String {
    let text = object.str(vm).expect("an exception has a text");
    format!("{}: {}", object.class().name(), text.to_string_lossy())
}

#[test]
fn a_function_is_called_with_rust_values() {
    let f = compiled("def f(x, y): return x * y + 1", &[F, F]);
    assert_eq!(f.call(&[Value::F64(2.0), Value::F64(3.0)]), Ok(Value::F64(7.0)));
    assert_eq!(f.typed::<fn(f64, f64) -> f64>().expect("the signature fits").call(2.0, 3.0), Ok(7.0));
    assert_eq!(f.params(), [F, F]);
}

#[test]
fn other_types_than_it_was_compiled_for_are_an_error() {
    let f = compiled("def f(x): return x", &[I]);
    let error = f.call(&[Value::F64(1.0)]).expect_err("a float is no int");
    assert_eq!(error.to_string(), "TypeError: argument 1 of f has the type i64");
    let error = f.call(&[]).expect_err("one is missing");
    assert_eq!(error.to_string(), "TypeError: f takes 1 arguments, not 0");
    let error = f.typed::<fn(f64) -> i64>().expect_err("another parameter");
    assert_eq!(error.to_string(), "f takes (i64), not (f64)");
    let error = f.typed::<fn(i64) -> (i64, bool)>().expect_err("another result");
    assert_eq!(error.to_string(), "f gives i64, not (i64, bool)");
}

#[test]
fn results_are_scalars_tuples_and_none() {
    let f = compiled("def f(x): return x + 1, 2.5, x > 0, x", &[I]);
    let typed = f.typed::<fn(i64) -> (i64, f64, bool, i64)>().expect("the signature fits");
    assert_eq!(typed.call(4), Ok((5, 2.5, true, 4)));
    let f = compiled("def f(x): return None", &[I]);
    assert_eq!(f.call(&[Value::I64(1)]), Ok(Value::None));
    assert_eq!(f.typed::<fn(i64) -> ()>().expect("the signature fits").call(1), Ok(()));
    let f = compiled("def f(x): return 7", &[F]);
    assert_eq!(f.typed::<fn(f64) -> i64>().expect("the signature fits").call(0.0), Ok(7));
}

#[test]
fn defaults_are_what_they_are() {
    let f = compiled("def f(x, n=3, *, k='a'):\n    return x * n if k == 'a' else x", &[F]);
    assert_eq!(f.call(&[Value::F64(2.0)]), Ok(Value::F64(6.0)));
}

#[test]
fn exceptions_are_errors_with_their_place() {
    let f = compiled("def f(a, b):\n    return a // b", &[I, I]);
    let error = f.call(&[Value::I64(1), Value::I64(0)]).expect_err("it divides by zero");
    assert_eq!((error.kind(), error.places()[0].line), ("ZeroDivisionError", 2));
    let f = compiled("def f(x):\n    if x < 0:\n        raise ValueError('negative')\n    return x", &[I]);
    let error = f.call(&[Value::I64(-1)]).expect_err("it raises");
    assert_eq!((error.kind(), error.message(), error.places()[0].line), ("ValueError", "negative", 3));
    assert_eq!(f.call(&[Value::I64(4)]), Ok(Value::I64(4)));
    let f = compiled("def f(x): return x * x", &[I]);
    assert_eq!(f.call(&[Value::I64(1 << 40)]).expect_err("it overflows").kind(), "OverflowError");
    let f = compiled("def f(x):\n    raise KeyError('k', x)", &[I]);
    assert_eq!(f.call(&[Value::I64(5)]).expect_err("it raises").message(), "(k, 5)");
}

#[test]
fn what_needs_the_vm_is_refused() {
    let message = refused("def f(x):\n    print(x)\n    return x", &[I]);
    assert!(message.starts_with("StagingError: S420: `f` calls `print`"), "{message}");
    let message = refused("def f(x):\n    return [x]", &[I]);
    assert!(message.starts_with("StagingError: S420: `f` returns an object"), "{message}");
    let message = refused("xs = [0]\ndef f(x):\n    xs[0] = x", &[I]);
    assert!(message.starts_with("StagingError: S420: `f` changes objects"), "{message}");
    let message = refused("def f(x):\n    return x if x > 0 else None", &[I]);
    assert!(message.starts_with("StagingError: S420: `f` has several kinds of results"), "{message}");
    let message = refused("def f(x, *args):\n    return x", &[I, I]);
    assert!(message.starts_with("StagingError: S413: "), "{message}");
}

#[test]
fn threads_call_it_at_once() {
    let f = compiled("def f(n):\n    s = 0\n    for i in range(n): s = s + i % 7\n    return s", &[I]);
    let f = f.typed::<fn(i64) -> i64>().expect("the signature fits");
    let expected: i64 = (0..1000).map(|i| i % 7).sum();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let f = f.clone();
            scope.spawn(move || (0..20).for_each(|_| assert_eq!(f.call(1000), Ok(expected))));
        }
    });
}
