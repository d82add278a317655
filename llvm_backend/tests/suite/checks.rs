//! Checks that are made another way than the IR has them, or not at all, still find what they are for.

use snekpy_stage::backend::{Outcome, Trap};
use snekpy_stage::interp::Interpreter;

use crate::harness::{Host, module, run};
use crate::support::{LEVELS, int, llvm};

/// `x ** 2` as Python has it: an infinite square of something finite leaves.
const SQUARE: &str = "
exit exit0 \"overflow\"(f64)

func @square(v0: f64) -> f64 {
block0:
    v1: f64 = mul v0, v0
    v2: f64 = const inf
    v3: bool = lt v1, v2
    v4: f64 = abs v0
    v5: bool = lt v4, v2
    v6: bool = not v5
    v7: bool = or v3, v6
    guard v7, exit0(v0)
    return v1
}";

#[test]
fn a_square_that_is_not_finite_is_noticed() {
    let module = module(SQUARE);
    let negative_nan = f64::from_bits(f64::NAN.to_bits() | 1 << 63);
    let values = [0.0, -0.0, 1.5, -3.0, 1e154, -1.4e154, 1e200, -f64::MAX, f64::INFINITY, f64::NEG_INFINITY];
    for value in values.into_iter().chain([f64::NAN, negative_nan, 5e-324]) {
        let expected = run(&Interpreter, &module, &Host::default(), &[value.to_bits()]);
        for level in LEVELS {
            assert_eq!(run(&llvm(level), &module, &Host::default(), &[value.to_bits()]), expected, "{level:?} {value}");
        }
    }
}

/// Counts how often `v0` can be halved, from `first` by `step`.
fn halving(first: i64, step: i64) -> String {
    format!(
        "func @halving(v0: i64) -> i64 {{
        block0:
            v1: i64 = const {first}
            jump block1(v0, v1)
        block1(v2: i64, v3: i64):
            v4: i64 = const 0
            v5: bool = ne v2, v4
            branch v5, block2, block3
        block2:
            v6: i64 = const 1
            v7: i64 = shr v2, v6
            v8: i64 = const {step}
            v9: i64 = add v3, v8
            jump block1(v7, v9)
        block3:
            return v3
        }}"
    )
}

#[test]
fn counters_overflow_only_if_they_start_or_step_far() {
    let far = i64::MAX - 10;
    for (first, step, overflows) in
        [(0, 1, false), (-7, 4, false), (far, 1, true), (-far, -1, true), (0, far / 8, true)]
    {
        let module = module(&halving(first, step));
        let expected = run(&Interpreter, &module, &Host::default(), &[int(1 << 40)]);
        assert_eq!(matches!(expected.outcome, Outcome::Trap(Trap::Overflow, ..)), overflows, "{first} {step}");
        for level in LEVELS {
            let seen = run(&llvm(level), &module, &Host::default(), &[int(1 << 40)]);
            assert_eq!(seen, expected, "{level:?} {first} {step}");
        }
    }
}
