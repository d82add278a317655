//! What calls from the main thread cost, for how much memory gradients ask, and what a dropped engine leaves behind.
//!
//! The tests run on the main thread, one after the other: the system reads a file to say where its stack ends, and
//! memory is the process's.

#![allow(clippy::print_stdout, reason = "what was measured is shown")]

use libtest_mimic::{Arguments, Failed, Trial};
use snekpy::{Engine, Object, Value};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Instant;

thread_local! {
    /// How often this thread has asked for memory.
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

/// The allocator of the system, counted.
struct Counted;

#[global_allocator]
static ALLOCATOR: Counted = Counted;

// SAFETY: everything is passed on to the allocator of the system; counting allocates nothing.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
        // SAFETY: as promised to this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as promised to this function.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
        // SAFETY: as promised to this function.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

fn main() {
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    let trials = vec![
        Trial::test("a_call_costs_at_most_some_times_a_nested_one", call_costs),
        Trial::test("a_gradient_asks_for_no_memory_but_for_its_result", gradients),
        Trial::test("a_loop_over_arrays_asks_for_no_memory", arrays),
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

/// Loops whose count is known before and is not, one in another, and recursion: each as a function and its gradient.
const GRADIENTS: &str = "
import math
from snekpy import grad, stage

def known(x, n):
    for i in range(n):
        x = math.sin(x) * x + 0.5
    return x

def unknown(x, n):
    k = 0
    while k < n and x < 1e9:
        if x > 0.5:
            x = math.sin(x) * x
        else:
            for j in range(3):
                x = x * x + 0.25
        k += 1
    return x

def nested(x, n):
    return x if n == 0 else math.sin(nested(x, n - 1)) * x

plain = [stage(f) for f in (known, unknown, nested)]
gradients = [grad(f) for f in (known, unknown, nested)]
";

/// What a call of a gradient asks for is what a staged call does that gives one float, however long it records.
fn gradients() -> Result<(), Failed> {
    let engine = Engine::new();
    let script = engine.run(GRADIENTS)?;
    script.extend("def call(kind, at, n): return (plain if kind else gradients)[at](0.7, n)")?;
    let call: Object = script.function("call")?;
    let asked = |kind: bool, at: i64, n: i64| -> Result<u64, Failed> {
        for _ in 0..200 {
            call.call::<f64>((kind, at, n))?;
        }
        let before = ASKED.get();
        for _ in 0..100 {
            call.call::<f64>((kind, at, n))?;
        }
        Ok(ASKED.get() - before)
    };
    for at in 0..3 {
        let plain = asked(true, at, 10)?;
        for n in [10, 100, 400] {
            let found = asked(false, at, n)?;
            println!("function {at}, {n} steps: 100 calls of the gradient ask {found} times, of the function {plain}");
            if found > plain {
                return Err(format!("{found} times, and {plain} without a gradient").into());
            }
        }
    }
    Ok(())
}

/// Loops over small arrays: elementwise, a recurrent cell, rows that are reduced, two arrays that take turns, weights that
/// are changed in place, rows at positions, a frame of zeros.
const ARRAYS: &str = "
import snekpy.numpy as np
from snekpy import stage

def damped(x, n):
    y = x[0]
    for i in range(n):
        y = y * 0.5 + x[1]
    return y

def cell(x, n):
    h = x[0]
    for i in range(n):
        h = np.tanh(x @ h + x[1])
    return h

def rows(x, n):
    for i in range(n):
        e = np.exp(x - x.max(axis=1, keepdims=True))
        x = e / e.sum(axis=1, keepdims=True)
    return x

def turns(x, n):
    before, y = x[0] * 1.0, x[1] * 1.0
    for i in range(n):
        before, y = y, y * 0.5 - before
    return y

def in_place(x, n):
    w = x.copy()
    for i in range(n):
        w -= 0.01 * x
        w[i % 4] = w[(i + 1) % 4] * 0.5
        w[:, 1:] += w[:, :-1] * 0.25
    return w

def picked(x, n):
    ids, h = np.array([3, 0, -2]), x[0]
    for i in range(n):
        h = h * 0.5 + x[ids].mean(axis=0) + np.roll(h, 1) * 0.1
    return h

def framed(x, n):
    for i in range(n):
        y = np.pad(x, 1)
        x = (y[2:, 1:-1] + y[:-2, 1:-1] + y[1:-1, 2:] + y[1:-1, :-2]) * 0.25
    return x

functions = [stage(f) for f in (damped, cell, rows, turns, in_place, picked, framed)]
x = np.arange(16.0).reshape(4, 4) * 0.01
";

/// What a call asks for does not depend on how long its loop is.
fn arrays() -> Result<(), Failed> {
    let engine = Engine::new();
    let script = engine.run(ARRAYS)?;
    script.extend("def call(at, n): return float(functions[at](x, n).sum())")?;
    let call: Object = script.function("call")?;
    let asked = |at: i64, n: i64| -> Result<u64, Failed> {
        for _ in 0..200 {
            call.call::<f64>((at, n))?;
        }
        // Now and then a call is timed, which asks for a little.
        let mut least = u64::MAX;
        for _ in 0..3 {
            let before = ASKED.get();
            for _ in 0..10 {
                call.call::<f64>((at, n))?;
            }
            least = least.min(ASKED.get() - before);
        }
        Ok(least)
    };
    for at in 0..7 {
        let (few, many) = (asked(at, 10)?, asked(at, 5000)?);
        println!("function {at}: 10 calls of 10 steps ask {few} times, of 5,000 steps {many}");
        if many > few {
            return Err(format!("{many} times, and {few} for a short loop").into());
        }
    }
    Ok(())
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
