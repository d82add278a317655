//! What is inside: `cargo bench --package snekpy-benches`, with `-- call` for a part of it.
//!
//! | group | what |
//! |---|---|
//! | `call` | the entry of a call of compiled code, from Python, beside a plain call; into an engine, from Rust |
//! | `exit` | a call that deoptimises at its first line |
//! | `make` | the first call of a fresh function, by its parts: capture, passes, compilation |
//! | `handle` | a typed handle, from Rust |
//!
//! Beside peers, `benches/run` measures.

use criterion::{Criterion, criterion_group, criterion_main};
use rustpython_vm::compiler::Mode;
use rustpython_vm::scope::Scope;
use rustpython_vm::{Interpreter, PyObjectRef, Settings, VirtualMachine};
use snekpy::{Engine, Staging, Watching, interpreter};
use snekpy_stage::types::Type;
use snekpy_vm::handle::stage_for;
use std::hint::black_box;
use std::time::Duration;

/// An interpreter as the command has it.
fn python() -> Interpreter {
    interpreter(Settings::default(), Staging::Llvm, Watching::default(), None, None)
}

fn run(source: &str, vm: &VirtualMachine) -> Scope {
    let scope = vm.new_scope_with_builtins();
    let code = vm.compile(source, Mode::Exec, "bench").expect("the source is Python");
    vm.run_code_obj(code, scope.clone()).expect("it runs");
    scope
}

fn global(scope: &Scope, name: &str, vm: &VirtualMachine) -> PyObjectRef {
    scope.globals.get_item(name, vm).expect("it is defined")
}

fn call(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("call");
    python().enter(|vm| {
        let scope = run(
            "from array import array\nfrom snekpy import stage\nstep = 1.0\n\
             def plain(x): return x + 1.0\n\
             staged = stage(plain)\n\
             @stage\ndef with_global(x): return x + step\n\
             @stage\ndef with_array(a): return a[0]\n\
             items = array('d', [1.0, 2.0])\nstaged(1.0); with_global(1.0); with_array(items)",
            vm,
        );
        let argument: PyObjectRef = vm.ctx.new_float(1.5).into();
        for (name, argument) in [
            ("plain", argument.clone()),
            ("staged", argument.clone()),
            ("with_global", argument.clone()),
            ("with_array", global(&scope, "items", vm)),
        ] {
            let function = global(&scope, name, vm);
            group.bench_function(name, |it| {
                it.iter(|| function.call((argument.clone(),), vm).expect("it returns"));
            });
        }
    });
    let engine = Engine::new();
    let script = engine.run("def g(x): return x").expect("it runs");
    let g = script.function("g").expect("it is defined");
    group.bench_function("into_an_engine", |it| it.iter(|| g.call::<i64>((black_box(7),)).expect("it returns")));
    group.finish();
}

fn exit(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("exit");
    python().enter(|vm| {
        let scope = run(
            "import random\nfrom snekpy import stage\n\
             @stage\ndef leaves(x):\n    y = x + 1\n    return random.Random(7) and y\n\
             def same(x):\n    y = x + 1\n    return random.Random(7) and y\n\
             @stage\ndef raises(x): return 1.0 / x\n\
             leaves(1)\n",
            vm,
        );
        let argument: PyObjectRef = vm.ctx.new_int(1).into();
        for name in ["same", "leaves"] {
            let function = global(&scope, name, vm);
            group.bench_function(name, |it| {
                it.iter(|| function.call((argument.clone(),), vm).expect("it returns"));
            });
        }
        let raises = global(&scope, "raises", vm);
        let zero: PyObjectRef = vm.ctx.new_float(0.0).into();
        group.bench_function("raises", |it| it.iter(|| raises.call((zero.clone(),), vm).expect_err("it raises")));
    });
    group.finish();
}

/// A function of some thirty operations with a loop and a branch, fresh each time.
const FRESH: &str = "
from snekpy import stage

@stage
def f(x, n):
    total = 0.0
    for i in range(n):
        y = x * i + 0.5
        if y > total:
            total = total + y * y - x / (i + 1)
        else:
            total = total * 0.75 + y
    return total

f(1.5, 10)
made = f.stats()['specialisations'][0]
";

fn make(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("make");
    group.sample_size(20);
    python().enter(|vm| {
        for part in ["capture_ms", "optimise_ms", "compile_ms"] {
            group.bench_function(part.trim_end_matches("_ms"), |it| {
                it.iter_custom(|times| {
                    let took = || {
                        let made = global(&run(FRESH, vm), "made", vm);
                        let took = made.get_item(part, vm).expect("it was measured");
                        took.try_float(vm).expect("it is a number").to_f64() / 1e3
                    };
                    Duration::from_secs_f64((0..times).map(|_| took()).sum())
                });
            });
        }
    });
    group.finish();
}

fn handle(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("handle");
    let (one, pair) = python().enter(|vm| {
        let scope = run("f = lambda x: x + 1.0\ng = lambda n: (n // 3, n % 3)\n", vm);
        let compiled =
            |name: &str, types: &[Type]| stage_for(&global(&scope, name, vm), types, vm).expect("it can be staged");
        (compiled("f", &[Type::F64]), compiled("g", &[Type::I64]))
    });
    let typed = one.typed::<fn(f64) -> f64>().expect("it takes and gives a float");
    group.bench_function("float", |it| it.iter(|| typed.call(black_box(0.5)).expect("it raises nothing")));
    let typed = pair.typed::<fn(i64) -> (i64, i64)>().expect("it takes an int and gives two");
    group.bench_function("pair", |it| it.iter(|| typed.call(black_box(7)).expect("it raises nothing")));
    group.finish();
}

criterion_group!(benches, call, exit, make, handle);
criterion_main!(benches);
