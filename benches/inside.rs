//! What is inside: `cargo bench --package snekpy-benches`, with `-- call` for a part of it.
//!
//! | group | what |
//! |---|---|
//! | `call` | the entry of a call of compiled code, from Python, beside a plain call; into an engine, from Rust |
//! | `exit` | a call that deoptimises at its first line |
//! | `make` | the first call of a fresh function, and at the end the median of its parts: capture, passes, compilation |
//! | `handle` | a typed handle, from Rust |
//!
//! Beside peers, `benches/run` measures.

use divan::Bencher;
use rustpython_vm::compiler::Mode;
use rustpython_vm::scope::Scope;
use rustpython_vm::{Interpreter, PyObjectRef, Settings, VirtualMachine};
use snekpy::{Engine, Staging, Watching, interpreter};
use snekpy_stage::types::Type;
use snekpy_vm::handle::{Compiled, stage_for};
use std::hint::black_box;
use std::sync::Mutex;

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

#[divan::bench(args = ["plain", "staged", "with_global", "with_array"])]
fn call(bencher: Bencher<'_, '_>, name: &str) {
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
        let argument = match name {
            "with_array" => global(&scope, "items", vm),
            _ => vm.ctx.new_float(1.5).into(),
        };
        let function = global(&scope, name, vm);
        bencher.bench_local(|| function.call((argument.clone(),), vm).expect("it returns"));
    });
}

#[divan::bench]
fn call_into_an_engine(bencher: Bencher<'_, '_>) {
    let engine = Engine::new();
    let script = engine.run("def g(x): return x").expect("it runs");
    let g = script.function("g").expect("it is defined");
    bencher.bench_local(|| g.call::<i64>((black_box(7),)).expect("it returns"));
}

#[divan::bench(args = ["same", "leaves", "raises"])]
fn exit(bencher: Bencher<'_, '_>, name: &str) {
    python().enter(|vm| {
        let scope = run(
            "import random\nfrom snekpy import stage\n\
             @stage\ndef leaves(x):\n    y = x + 1\n    return random.Random(7) and y\n\
             def same(x):\n    y = x + 1\n    return random.Random(7) and y\n\
             @stage\ndef raises(x): return 1.0 / x\n\
             leaves(1)\n",
            vm,
        );
        let function = global(&scope, name, vm);
        if name == "raises" {
            let zero: PyObjectRef = vm.ctx.new_float(0.0).into();
            bencher.bench_local(|| function.call((zero.clone(),), vm).expect_err("it raises"));
        } else {
            let argument: PyObjectRef = vm.ctx.new_int(1).into();
            bencher.bench_local(|| function.call((argument.clone(),), vm).expect("it returns"));
        }
    });
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

/// The parts of making it.
const PARTS: [&str; 3] = ["capture_ms", "optimise_ms", "compile_ms"];
/// How long they took, each time.
static TOOK: Mutex<Vec<[f64; PARTS.len()]>> = Mutex::new(Vec::new());

#[divan::bench(sample_count = 20, sample_size = 1)]
fn make(bencher: Bencher<'_, '_>) {
    python().enter(|vm| {
        bencher.bench_local(|| {
            let made = global(&run(FRESH, vm), "made", vm);
            let took = PARTS.map(|part| {
                let took = made.get_item(part, vm).expect("it was measured");
                took.try_float(vm).expect("it is a number").to_f64()
            });
            TOOK.lock().expect("nobody panicked").push(took);
        });
    });
}

fn compiled(name: &str, types: &[Type]) -> Compiled {
    python().enter(|vm| {
        let scope = run("f = lambda x: x + 1.0\ng = lambda n: (n // 3, n % 3)\n", vm);
        stage_for(&global(&scope, name, vm), types, vm).expect("it can be staged")
    })
}

#[divan::bench]
fn handle_of_floats(bencher: Bencher<'_, '_>) {
    let one = compiled("f", &[Type::F64]);
    let typed = one.typed::<fn(f64) -> f64>().expect("it takes and gives a float");
    bencher.bench_local(|| typed.call(black_box(0.5)).expect("it raises nothing"));
}

#[divan::bench]
fn handle_of_a_pair(bencher: Bencher<'_, '_>) {
    let pair = compiled("g", &[Type::I64]);
    let typed = pair.typed::<fn(i64) -> (i64, i64)>().expect("it takes an int and gives two");
    bencher.bench_local(|| typed.call(black_box(7)).expect("it raises nothing"));
}

fn main() {
    divan::main();
    let took = TOOK.lock().expect("nobody panicked");
    for (part, name) in PARTS.iter().enumerate().filter(|_| !took.is_empty()) {
        let mut times: Vec<f64> = took.iter().map(|it| it[part]).collect();
        times.sort_by(f64::total_cmp);
        println!("make: {name} {:.2}", times[times.len() / 2]);
    }
}
