//! Control flow: loops, joins, recursion, and every way of leaving.

use snekpy_stage::backend::{Outcome, Trap};
use snekpy_stage::entity::{Entity, ExitId, Loc};

use crate::support::{LEVELS, compile, int, parse, returns, run, run_with};

/// The sum of 0.5 * i for i below n.
const SUM: &str = "
func @sum(v0: i64) -> f64 {
block0:
    v1: i64 = const 0
    v2: f64 = const 0.0
    jump block1(v1, v2)
block1(v3: i64, v4: f64):
    v5: bool = lt v3, v0
    branch v5, block2, block3
block2:
    v6: f64 = const 0.5
    v7: f64 = int_to_float v3
    v8: f64 = mul v6, v7
    v9: f64 = add v4, v8
    v10: i64 = const 1
    v11: i64 = add v3, v10
    jump block1(v11, v9)
block3:
    return v4
}";

#[test]
fn a_loop_carries_its_variables() {
    returns(SUM, &[int(5)], &[5.0f64.to_bits()]);
    returns(SUM, &[int(-5)], &[0.0f64.to_bits()]);
}

const FIB: &str = r#"
loc loc0 "f.py" "fib" 3:5
loc loc1 "f.py" "fib" 3:9

func @fib(v0: i64) -> i64 {
block0:
    v1: i64 = const 2
    v2: bool = lt v0, v1
    branch v2, block1, block2
block1:
    return v0
block2:
    v3: i64 = const 1
    v4: i64 = sub v0, v3
    v5: i64 = call @fib(v4) @loc0
    v6: i64 = sub v0, v1
    v7: i64 = call @fib(v6) @loc1
    v8: i64 = add v5, v7
    return v8
}"#;

#[test]
fn recursion_returns() {
    returns(FIB, &[int(20)], &[int(6765)]);
}

#[test]
fn recursion_ends_at_the_limit() {
    let module = parse(FIB);
    for level in LEVELS {
        let code = compile(level, &module);
        let deep = run_with(&*code, &module, &[int(10)], |cx| cx.depth = 8);
        assert_eq!(deep.outcome, Outcome::Trap(Trap::Depth, Some(Loc::new(0))), "{level:?}");
        let enough = run_with(&*code, &module, &[int(10)], |cx| cx.depth = 9);
        assert_eq!(enough.outcome, Outcome::Returned, "{level:?}");
    }
}

#[test]
fn a_guard_leaves_with_its_payload() {
    let module = parse(
        r#"exit exit0 "unused"()
        exit exit1 "no"(bool, f64, i64)
        loc loc0 "f.py" "f" 1:1
        func @f(v0: i64, v1: f64) -> i64 {
        block0:
            v2: i64 = const 10
            v3: bool = lt v0, v2
            guard v3, exit1(v3, v1, v0) @loc0
            return v0
        }"#,
    );
    for level in LEVELS {
        let code = compile(level, &module);
        let ran = run(&*code, &module, &[int(9), 1.5f64.to_bits()]);
        assert_eq!((ran.outcome, ran.results), (Outcome::Returned, vec![9]));
        let ran = run(&*code, &module, &[int(10), 1.5f64.to_bits()]);
        assert_eq!(ran.outcome, Outcome::Exit(ExitId::new(1), Some(Loc::new(0))), "{level:?}");
        assert_eq!(ran.payload, [0, 1.5f64.to_bits(), 10], "{level:?}");
    }
}
