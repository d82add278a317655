//! Counted loops poll once in a strip of iterations, and otherwise do what they did.

use snekpy_stage::backend::{Outcome, Trap};
use snekpy_stage::interp::Interpreter;

use crate::harness::{Host, module, run};
use crate::support::{LEVELS, int, llvm};

/// Counts iterations and sums the counter, from `first` by `step` while `op` holds.
fn counting(first: i64, add: &str, step: i64, test: &str) -> String {
    format!(
        "func @f(v0: i64) -> (i64, i64, i64) {{
        block0:
            v1: i64 = const {first}
            v2: i64 = const 0
            jump block1(v1, v2, v2)
        block1(v3: i64, v4: i64, v5: i64):
            v6: bool = {test}
            branch v6, block2, block3
        block2:
            v7: i64 = wrap_add v4, v3
            v8: i64 = const 1
            v9: i64 = add v5, v8
            v10: i64 = const {step}
            v11: i64 = {add} v3, v10
            jump block1(v11, v7, v9)
        block3:
            return v3, v4, v5
        }}"
    )
}

#[test]
fn loops_of_every_length_and_direction_count_alike() {
    let bounds = [0, 1, 4095, 4096, 4097, 8192, 20_000, -1, -9000, i64::MIN];
    for (add, step, test, sign) in [
        ("add", 1, "lt v3, v0", 1),
        ("wrap_add", 1, "lt v3, v0", 1),
        ("wrap_add", 3, "gt v0, v3", 1),
        ("add", 2, "le v3, v0", 1),
        ("sub", 1, "gt v3, v0", -1),
        ("add", -5, "ge v3, v0", -1),
        ("wrap_sub", 7, "lt v0, v3", -1),
    ] {
        for first in [0, 100, -3] {
            let module = module(&counting(first, add, step, test));
            for level in LEVELS {
                for bound in bounds.iter().filter(|bound| **bound > -100_000).map(|bound| bound * sign) {
                    let expected = run(&Interpreter, &module, &Host::default(), &[int(bound)]);
                    let seen = run(&llvm(level), &module, &Host::default(), &[int(bound)]);
                    assert_eq!(seen, expected, "{level:?} {first} {add} {step} {test} {bound}");
                }
            }
        }
    }
}

#[test]
fn a_counter_near_the_end_of_the_integers_overflows_as_it_did() {
    for first in [i64::MAX - 10, i64::MAX - 5000] {
        let module = module(&counting(first, "add", 1, "le v3, v0"));
        for level in LEVELS {
            let seen = run(&llvm(level), &module, &Host::default(), &[int(i64::MAX)]);
            assert_eq!(seen.outcome, Outcome::Trap(Trap::Overflow, None, None), "{level:?}");
            let seen = run(&llvm(level), &module, &Host::default(), &[int(i64::MAX - 1)]);
            assert_eq!(seen.values[2], int(i64::MAX - first), "{level:?}");
        }
    }
}

#[test]
fn a_counted_loop_polls_less_often_than_it_turns() {
    let module = module(&counting(0, "add", 1, "lt v3, v0"));
    for level in LEVELS {
        let asks = Host { stops_at: Some(u32::MAX), ..Host::default() };
        let seen = run(&llvm(level), &module, &asks, &[100_000]);
        assert_eq!(seen.outcome, Outcome::Returned, "{level:?}");
        assert!((10..100).contains(&seen.polls), "{} polls, {level:?}", seen.polls);
        let stops = Host { stops_at: Some(3), ..Host::default() };
        let seen = run(&llvm(level), &module, &stops, &[i64::MAX.cast_unsigned()]);
        assert_eq!(seen.outcome, Outcome::Trap(Trap::Interrupted, None, None), "{level:?}");
    }
}

#[test]
fn a_loop_of_few_turns_polls_never_and_one_of_many_does() {
    for (bound, polls) in [(5, false), (4096, false), (5000, true), (1_000_000, true)] {
        let source =
            counting(0, "add", 1, "lt v3, v12").replace("block0:", &format!("block0:\n v12: i64 = const {bound}"));
        let module = module(&source);
        for level in LEVELS {
            let asks = Host { stops_at: Some(u32::MAX), ..Host::default() };
            let seen = run(&llvm(level), &module, &asks, &[0]);
            assert_eq!(seen.values[2], int(bound), "{level:?}");
            assert_eq!(seen.polls > 0, polls, "{bound} {level:?}");
        }
    }
}
