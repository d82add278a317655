//! What calls from the main thread cost, and what a dropped engine leaves behind.
//!
//! The tests run on the main thread, one after the other: the system reads a file to say where its stack ends, and
//! memory is the process's.

#![allow(clippy::print_stdout, reason = "what was measured is shown")]

use libtest_mimic::{Arguments, Failed, Trial};
use snekpy::{Engine, Object, Value};
use std::time::Instant;

fn main() {
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    let trials = vec![
        Trial::test("a_call_costs_at_most_some_times_a_nested_one", call_costs),
        Trial::test("a_dropped_engine_gives_its_memory_back", memory),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

const CALLS: u32 = 2_000;

/// The quickest of some rounds, in microseconds a call.
fn measured(mut call: impl FnMut()) -> f64 {
    let round = |call: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..CALLS).for_each(|_| call());
        start.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS)
    };
    (0..7).map(|_| round(&mut call)).fold(f64::INFINITY, f64::min)
}

fn call_costs() -> Result<(), Failed> {
    let engine = Engine::new();
    let script = engine.run("def g(x): return x")?;
    let g: Object = script.function("g")?;
    let call = |g: &Object| assert_eq!(g.call::<i64>((7,)).expect("it returns"), 7);
    let outside = measured(|| call(&g));
    let (send, receive) = std::sync::mpsc::channel();
    engine.add_function("nested", move |g: Object| send.send(measured(|| call(&g))).is_ok())?;
    script.extend("assert nested(g)")?;
    let nested = receive.recv()?;
    let shown = format!("{outside:.2} us from the main thread, {nested:.2} us nested");
    println!("a call costs {shown}");
    // Twice, in the benchmark; here the machine may be busy. One read of `/proc/self/maps` would be 200.
    if outside < 4.0 * nested + 2.0 { Ok(()) } else { Err(shown.into()) }
}

/// Resident memory, in megabytes.
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
    let pages: f64 = text.split(' ').nth(1).and_then(|it| it.parse().ok()).expect("the second number");
    pages * 4096.0 / 1e6
}

fn memory() -> Result<(), Failed> {
    let once = || -> Result<(), Failed> {
        let engine = Engine::new();
        let script = engine.run("import json, random, dataclasses\ndef f(x): return x + 1")?;
        assert_eq!(script.call::<i64>("f", (1,))?, 2);
        engine.eval::<Value>("json.loads('[1]')").expect_err("it is no global of an expression");
        Ok(())
    };
    // What is made once for the process.
    for _ in 0..20 {
        once()?;
    }
    let before = resident();
    for _ in 0..100 {
        once()?;
    }
    let grown = resident() - before;
    println!("100 engines leave {grown:.1} MB behind");
    if grown < 5.0 { Ok(()) } else { Err(format!("100 engines leave {grown:.1} MB behind").into()) }
}
