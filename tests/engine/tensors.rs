//! Arrays between Rust and Python, by reference.

use std::sync::Arc;

use snekpy::{Dtype, Engine, Param, Script, Tensor, Value};

const PROGRAM: &str = "
import snekpy.numpy as np
from snekpy import stage

kept = []
scale = np.array([1.0, 2.0, 3.0])

def keep(x):
    kept.append(x)

def add_to_kept(n):
    for x in kept:
        x += n

@stage
def step(w, x, y, rate):
    error = x @ w - y
    return w - rate * (x.T @ error), (error * error).sum()

def train(w, x, y, rate, steps):
    loss = 0.0
    for i in range(steps):
        error = x @ w - y
        w = w - rate * (x.T @ error)
        loss = (error * error).sum()
    return w, loss

def scaled(x):
    return x * scale, len(x)

def fill(x, n):
    for i in range(n):
        x[i] = i * i
    return x

def wrong(x, y):
    return x.reshape(2, 2) @ y

def far(x, i):
    return x[i]

def shown(x):
    print(x)
    return x
";

fn script() -> Script {
    Engine::new().run(PROGRAM).expect("it runs")
}

fn line(items: &[f64]) -> Tensor {
    Tensor::from(items)
}

#[test]
fn python_keeps_and_writes_what_rust_has() {
    let script = script();
    let x = Tensor::new(vec![1_i32, 2, 3, 4, 5, 6], &[2, 3]).expect("six elements");
    script.call::<()>("keep", (&x,)).expect("it keeps");
    script.call::<()>("add_to_kept", (10_i64,)).expect("it adds");
    assert_eq!(x.to_vec::<i32>().expect("ints"), [11, 12, 13, 14, 15, 16]);
    // What Python holds comes back as the same memory.
    let kept: Vec<Tensor> = script.get("kept").expect("a list of arrays");
    assert!(kept == [x.clone()]);
    script.set("transposed", &x).expect("it is set");
    script.extend("transposed = transposed.T").expect("it runs");
    let turned: Tensor = script.get("transposed").expect("an array");
    assert_eq!((turned.shape(), turned.strides(), turned.dtype()), (&[3, 2][..], &[1, 3][..], Dtype::I32));
    assert_eq!(turned.to_vec::<i32>().expect("ints"), [11, 14, 12, 15, 13, 16]);
    drop(script);
    assert_eq!(x.to_vec::<i32>().expect("ints")[0], 11, "the memory outlives the engine");
}

#[test]
fn every_dtype_goes_both_ways() {
    let script = script();
    let back = |x: &Tensor| {
        script.set("x", x).expect("it is set");
        script.extend("name, y = x.dtype.name, x[::-1].copy()").expect("it runs");
        (script.get::<String>("name").expect("a text"), script.get::<Tensor>("y").expect("an array"))
    };
    macro_rules! check {
        ($($ty:ty, $name:literal, $items:expr;)*) => {$(
            let (name, y) = back(&Tensor::from(Vec::<$ty>::from($items)));
            assert_eq!(name, $name);
            let mut turned = Vec::from($items);
            turned.reverse();
            assert_eq!(y.to_vec::<$ty>().expect($name), turned);
        )*};
    }
    check! {
        bool, "bool", [true, false, false];
        i32, "int32", [i32::MIN, 7, i32::MAX];
        i64, "int64", [i64::MIN, 7, i64::MAX];
        f32, "float32", [1.5_f32, -0.0, f32::INFINITY];
        f64, "float64", [1.5, -0.0, f64::MAX];
        half::f16, "float16", [half::f16::from_f32(1.5), half::f16::MAX];
        half::bf16, "bfloat16", [half::bf16::from_f32(1.5), half::bf16::MAX];
    }
    let error = script.get::<Tensor>("name").expect_err("a text is no array");
    assert_eq!(error.to_string(), "TypeError: expected an array, found str");
}

#[test]
fn what_rust_shares_is_only_read() {
    let script = script();
    let items: Arc<[f64]> = [1.0, 2.0, 3.0].into();
    let x = Tensor::shared(Arc::clone(&items), &[3]).expect("three elements");
    let (scaled, len): (Tensor, i64) = script.call("scaled", (&x,)).expect("it reads");
    assert_eq!((scaled.to_vec::<f64>().expect("floats"), len), (vec![1.0, 4.0, 9.0], 3));
    let error = script.call::<Value>("fill", (&x, 2_i64)).expect_err("it writes");
    assert!(error.is("ValueError"), "{error}");
    assert_eq!(*items, [1.0, 2.0, 3.0]);
    // Compiled, too.
    let scaled = script.stage("scaled").and_then(|it| it.for_params(&[(&x).into()])).expect("it compiles");
    assert_eq!(scaled.call::<(Tensor, i64)>((&x,)).expect("it reads").1, 3);
    let fill = script.stage("fill").and_then(|it| it.for_params(&[(&x).into(), Param::INT])).expect("it compiles");
    assert!(fill.call::<Tensor>((&x, 2_i64)).expect_err("it writes").is("ValueError"));
    let mine = line(&[0.0; 3]);
    assert_eq!(fill.call::<Tensor>((&mine, 3_i64)).expect("it writes"), mine);
    assert_eq!(mine.to_vec::<f64>().expect("floats"), [0.0, 1.0, 4.0]);
}

#[test]
fn compiled_code_gives_the_bits_that_python_gives() {
    let script = script();
    let x = Tensor::new((0..300).map(|i| f64::from(i % 17) * 0.37).collect(), &[100, 3]).expect("as many");
    let y = line(&(0..100).map(f64::from).collect::<Vec<_>>());
    let w = line(&[0.1, 0.2, 0.3]);
    let (plain, loss): (Tensor, Tensor) = script.call("train", (&w, &x, &y, 1e-4, 50_i64)).expect("it trains");
    let params = [(&w).into(), (&x).into(), (&y).into(), Param::FLOAT, Param::INT];
    let train = script.stage("train").and_then(|it| it.for_params(&params));
    // `loss` is a float where there is no step, an array otherwise.
    assert!(train.expect_err("two kinds of results").to_string().contains("S420"));
    script
        .extend("def steps(w, x, y, rate, n):\n    loss = np.zeros(())\n    for i in range(n):\n        w, loss = step(w, x, y, rate)\n    return w, loss")
        .expect("it runs");
    let steps = script.stage("steps").and_then(|it| it.for_params(&params)).expect("it compiles");
    drop(script);
    let expected = (plain.to_vec::<f64>().expect("floats"), loss.to_vec::<f64>().expect("floats"));
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                for _ in 0..20 {
                    let found = steps.call::<(Tensor, Tensor)>((&w, &x, &y, 1e-4, 50_i64)).expect("it trains");
                    let bits = |it: &Tensor| it.to_vec::<f64>().expect("floats");
                    assert_eq!((bits(&found.0), bits(&found.1)), expected);
                }
            });
        }
    });
    assert_eq!(w.to_vec::<f64>().expect("floats"), [0.1, 0.2, 0.3]);
}

#[test]
fn errors_of_compiled_code_are_those_of_python_with_their_place() {
    let script = script();
    let (x, y) = (line(&[1.0; 4]), line(&[1.0; 3]));
    let plain = script.call::<Value>("wrong", (&x, &y)).expect_err("the shapes do not fit");
    let wrong = script.stage("wrong").and_then(|it| it.for_params(&[(&x).into(), (&y).into()]));
    let staged = wrong.expect("it compiles").call::<Tensor>((&x, &y)).expect_err("the shapes do not fit");
    assert_eq!((staged.class(), staged.message()), (plain.class(), plain.message()));
    let far = script.stage("far").and_then(|it| it.for_params(&[(&x).into(), Param::INT])).expect("it compiles");
    assert_eq!(far.call::<Tensor>((&x, -1_i64)).expect("the last").to_vec::<f64>().expect("floats"), [1.0]);
    let error = far.call::<Tensor>((&x, 4_i64)).expect_err("there are four");
    let plain = script.call::<Value>("far", (&x, 4_i64)).expect_err("there are four");
    assert_eq!((error.class(), error.message()), (plain.class(), plain.message()));
    let place = error.frames().last().expect("it is known where");
    assert_eq!((place.line, place.function.as_str()), (40, "far"));
    // Other shapes and dtypes than it was compiled for.
    for other in [line(&[1.0; 5]), Tensor::from(vec![1_i64; 4])] {
        assert!(far.call::<Tensor>((&other, 0_i64)).expect_err("another type").is("TypeError"));
    }
    let error = script.stage("shown").and_then(|it| it.for_params(&[(&x).into()])).expect_err("it prints");
    assert!(error.to_string().contains("S420"), "{error}");
}

#[test]
fn calls_of_threads_leave_nothing_behind() {
    let script = script();
    let x = line(&[1.0, 2.0, 3.0]);
    let scaled = script.stage("scaled").and_then(|it| it.for_params(&[(&x).into()])).expect("it compiles");
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                for _ in 0..5_000 {
                    let (y, _): (Tensor, i64) = scaled.call((&x,)).expect("it reads");
                    assert_eq!(y.len(), 3);
                }
            });
        }
    });
    let mut y = scaled.call::<(Tensor, i64)>((&x,)).expect("it reads").0;
    assert!(y.as_mut_slice::<f64>().expect("floats").is_some(), "nobody else has what it gave");
}

#[test]
fn arrays_have_their_methods_when_another_engine_has_ended() {
    let numbers = line(&[1.0, 2.0, 3.5]);
    let program = "def total(x):\n    return float(x.sum() + x.mean())\nimport numpy";
    let engines = || -> Vec<Script> { (0..3).map(|_| Engine::new().run(program).expect("it runs")).collect() };
    // Those that were asked before have ended.
    let ask = |script: Script| {
        assert_eq!(script.call::<f64>("total", (&numbers,)).expect("it adds up"), 6.5 + 6.5 / 3.0);
    };
    engines().into_iter().for_each(ask);
    engines().into_iter().rev().for_each(ask);
}
