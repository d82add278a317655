//! Threads of the host that enter one engine: each of them is a thread of Python.

use std::sync::atomic::{AtomicBool, Ordering};

use snekpy::{Engine, Value};

const PROGRAM: &str = "
from snekpy import stage

counts = [0] * 8
table = {}

@stage
def count(i, n):
    for k in range(n):
        counts[i] += 1

@stage
def put(i, n):
    for k in range(n):
        table[i * 1000000 + k] = k

def plain(i, n):
    for k in range(n):
        counts[i] += 1
";

#[test]
fn what_several_threads_write_stays() {
    let engine = Engine::new();
    let script = engine.run(PROGRAM).expect("it runs");
    std::thread::scope(|scope| {
        for i in 0..8_i64 {
            let script = &script;
            scope.spawn(move || {
                for round in 0..20_i64 {
                    let name = if (i + round) % 3 == 0 { "plain" } else { "count" };
                    script.call::<Value>(name, (i, 500_i64)).expect("it counts");
                }
                script.call::<Value>("put", (i, 300_i64)).expect("it puts");
            });
        }
    });
    script.extend("assert counts == [10000] * 8, counts\nassert len(table) == 2400, len(table)").expect("all is there");
}

#[test]
fn a_call_that_is_alone_takes_notice_of_a_thread_that_comes() {
    let engine = Engine::new();
    let script = engine.run(PROGRAM).expect("it runs");
    script.call::<Value>("count", (0_i64, 10_i64)).expect("it is compiled");
    let done = AtomicBool::new(false);
    let mut visits = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            script.call::<Value>("count", (0_i64, 3_000_000_i64)).expect("it counts");
            done.store(true, Ordering::Release);
        });
        while !done.load(Ordering::Acquire) {
            script.call::<Value>("plain", (1_i64, 10_i64)).expect("it counts");
            visits += 1;
        }
    });
    let expected = format!("assert counts[:2] == [3000010, {}], counts", 10 * visits);
    script.extend(&expected).expect("all is there");
}
