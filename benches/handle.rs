//! What a call of compiled code costs from Rust: `cargo bench --bench handle`.
//!
//! Prints one JSON object for each case, as the other benchmarks do: the median of eleven rounds, in
//! nanoseconds a call.

#![allow(clippy::print_stdout, reason = "what it finds is printed")]

use std::hint::black_box;
use std::time::Instant;

use rustpython_vm::compiler::Mode;
use rustpython_vm::{Settings, VirtualMachine};
use snekpy::{Staging, interpreter};
use snekpy_stage::types::Type;
use snekpy_vm::handle::{Compiled, stage_for};

const CALLS: u32 = 1_000_000;

fn main() {
    let source = "f = lambda x: x + 1.0\ng = lambda n: (n // 3, n % 3)\n";
    let (f, g) = interpreter(Settings::default(), Staging::Llvm, None, None)
        .enter(|vm| (compiled(source, "f", &[Type::F64], vm), compiled(source, "g", &[Type::I64], vm)));
    let typed = f.typed::<fn(f64) -> f64>().expect("it takes and gives a float");
    report("rust-call", || typed.call(black_box(0.5)).expect("it raises nothing"));
    let typed = g.typed::<fn(i64) -> (i64, i64)>().expect("it takes an int and gives two");
    report("rust-call-pair", || typed.call(black_box(7)).expect("it raises nothing"));
}

fn compiled(source: &str, name: &str, types: &[Type], vm: &VirtualMachine) -> Compiled {
    let scope = vm.new_scope_with_builtins();
    let code = vm.compile(source, Mode::Exec, "bench".to_owned()).expect("the source is Python");
    vm.run_code_obj(code, scope.clone()).expect("it defines two functions");
    let function = scope.globals.get_item(name, vm).expect("it is defined");
    stage_for(&function, types, vm).expect("it can be staged")
}

fn report<T>(case: &str, mut call: impl FnMut() -> T) {
    let mut rounds: Vec<f64> = (0..11)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..CALLS {
                black_box(call());
            }
            start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    let [first, middle, last] = [0, 5, 10].map(|index| rounds[index]);
    println!(
        r#"{{"case": "{case}", "unit": "ns", "value": {middle:.2}, "lo": {first:.2}, "hi": {last:.2}, "n": {}}}"#,
        rounds.len()
    );
}
