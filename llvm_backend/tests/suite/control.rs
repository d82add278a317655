//! Control flow: loops, joins, polls, and leaving from the middle.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use snekpy_stage::backend::{Backend, Context, Outcome, Trap};
use snekpy_stage::entity::{Entity, ExitId, Loc};
use snekpy_stage::interp::Interpreter;

use crate::harness::{self, Host};
use crate::support::{LEVELS, compile, int, llvm, parse, returns, run, run_with};

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
    returns(SUM, &[int(5000)], &[6_248_750.0f64.to_bits()]);
}

#[test]
fn nested_extremes_keep_what_they_give_for_nan() {
    for inner in ["lt", "le", "gt", "ge"] {
        for outer in ["lt", "le", "gt", "ge"] {
            for (first, second) in [("v0, v1", "v1, v0"), ("v0, v1", "v0, v1"), ("v1, v0", "v0, v1")] {
                for (third, fourth) in [("v3, v1", "v1, v3"), ("v3, v1", "v3, v1"), ("v1, v3", "v3, v1")] {
                    let source = format!(
                        "func @f(v0: f64) -> f64 {{
                        block0:
                            v1: f64 = const 0.5
                            v2: bool = {inner} {first}
                            v3: f64 = select v2, {second}
                            v4: bool = {outer} {third}
                            v5: f64 = select v4, {fourth}
                            return v5
                        }}"
                    );
                    for x in [f64::NAN, 0.25, 0.5, 2.0, -0.0] {
                        let pick = |cmp, [x, y]: [f64; 2], arms: [f64; 2]| arms[usize::from(!holds(cmp, [x, y]))];
                        let s = pick(inner, order(first, x), order(second, x));
                        let expected = pick(outer, order(third, s), order(fourth, s));
                        returns(&source, &[x.to_bits()], &[expected.to_bits()]);
                    }
                }
            }
        }
    }
}

/// The values of two operands: `v1` is a half, and the other one this.
fn order(text: &str, other: f64) -> [f64; 2] {
    if text.starts_with("v1") { [0.5, other] } else { [other, 0.5] }
}

fn holds(cmp: &str, [x, y]: [f64; 2]) -> bool {
    match cmp {
        "lt" => x < y,
        "le" => x <= y,
        "gt" => x > y,
        _ => x >= y,
    }
}

#[test]
fn both_ways_of_a_branch_may_go_to_one_block() {
    let source = "
        func @f(v0: bool, v1: i64, v2: i64) -> i64 {
        block0:
            branch v0, block1(v1), block1(v2)
        block1(v3: i64):
            return v3
        }";
    returns(source, &[1, 7, 9], &[7]);
    returns(source, &[0, 7, 9], &[9]);
}

#[test]
fn the_entry_may_be_a_loop_header() {
    let source = "
        func @f(v0: i64) -> i64 {
        block0:
            v1: i64 = const 10
            v2: bool = lt v0, v1
            v3: i64 = const 3
            v4: i64 = wrap_add v0, v3
            branch v2, block0(v4), block1
        block1:
            return v0
        }";
    returns(source, &[int(-5)], &[10]);
}

#[test]
fn a_loop_of_two_entries_runs() {
    let source = "
        func @f(v0: bool, v1: i64) -> i64 {
        block0:
            branch v0, block1(v1), block2(v1)
        block1(v2: i64):
            v3: i64 = const 1
            v4: i64 = add v2, v3
            jump block2(v4)
        block2(v5: i64):
            v6: i64 = const 100
            v7: bool = lt v5, v6
            v8: i64 = const 2
            v9: i64 = add v5, v8
            branch v7, block1(v9), block3
        block3:
            return v5
        }";
    returns(source, &[1, 0], &[100]);
    returns(source, &[0, 0], &[102]);
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

#[test]
fn overflow_if_leaves_where_it_stands() {
    let module = parse(
        r#"loc loc0 "f.py" "f" 1:1
        loc loc1 "f.py" "f" 2:1
        func @f(v0: i64, v1: bool) -> i64 {
        block0:
            v2: i64 = const 3
            v3: bool = ovf_mul v2, v0
            v4: bool = and v3, v1
            overflow_if v4 @loc1
            v5: i64 = wrap_mul v0, v2
            return v5
        }"#,
    );
    for level in LEVELS {
        let code = compile(level, &module);
        assert_eq!(run(&*code, &module, &[int(-5), 1]).results, [int(-15)], "{level:?}");
        let wrapped = i64::MAX.wrapping_mul(3);
        assert_eq!(run(&*code, &module, &[int(i64::MAX), 0]).results, [int(wrapped)], "{level:?}");
        let ran = run(&*code, &module, &[int(i64::MAX), 1]);
        assert_eq!(ran.outcome, Outcome::Trap(Trap::Overflow, None, Some(Loc::new(1))), "{level:?}");
    }
}

/// Loops that never end: empty, counting, over floats, and nested ones.
const ENDLESS: [&str; 3] = [
    r#"loc loc0 "f.py" "f" 1:1
    func @f(v0: i64) -> i64 {
    block0:
        jump block1 @loc0
    block1:
        jump block1 @loc0
    }"#,
    r#"loc loc0 "f.py" "f" 1:1
    func @f(v0: i64) -> i64 {
    block0:
        jump block1(v0)
    block1(v1: i64):
        v2: i64 = const 1
        v3: i64 = wrap_add v1, v2
        jump block1(v3) @loc0
    }"#,
    r#"loc loc0 "f.py" "f" 1:1
    func @f(v0: i64) -> i64 {
    block0:
        v1: f64 = const 1.0
        jump block1(v1)
    block1(v2: f64):
        v3: f64 = const 0.5
        v4: f64 = add v2, v3
        v5: f64 = const 1e300
        v6: bool = lt v4, v5
        branch v6, block2(v0), block3 @loc0
    block2(v7: i64):
        v8: i64 = const 1
        v9: i64 = wrap_add v7, v8
        v10: i64 = const 1000
        v11: bool = lt v9, v10
        branch v11, block2(v9), block1(v4) @loc0
    block3:
        return v0
    }"#,
];

unsafe extern "C" fn stop(_: *mut Context) -> u32 {
    1
}

#[test]
fn an_endless_loop_is_interrupted_from_another_thread() {
    for source in ENDLESS {
        let module = parse(source);
        for level in LEVELS {
            let code = compile(level, &module);
            let flag = AtomicU32::new(0);
            let (ran, waited) = std::thread::scope(|scope| {
                let raised = scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(20));
                    flag.store(1, Ordering::Relaxed);
                    Instant::now()
                });
                let ran = run_with(&*code, &module, &[0], |cx| {
                    cx.poll = &raw const flag;
                    cx.on_poll = stop;
                });
                (ran, raised.join().expect("it only sleeps").elapsed())
            });
            assert_eq!(ran.outcome, Outcome::Trap(Trap::Interrupted, None, Some(Loc::new(0))), "{level:?} {source}");
            // A machine that does something else takes its time; what it usually takes is in docs/performance.md.
            assert!(waited < Duration::from_secs(2), "{waited:?} {level:?} {source}");
        }
    }
}

#[test]
fn a_loop_goes_on_if_the_host_says_so() {
    unsafe extern "C" fn count(cx: *mut Context) -> u32 {
        // SAFETY: the test points `data` to a live counter.
        unsafe { *(*cx).data.cast::<u64>() += 1 };
        0
    }
    let module = parse(SUM);
    for level in LEVELS {
        let code = compile(level, &module);
        let (raised, mut asked) = (AtomicU32::new(1), 0u64);
        let ran = run_with(&*code, &module, &[int(5000)], |cx| {
            cx.poll = &raw const raised;
            cx.on_poll = count;
            cx.data = (&raw mut asked).cast();
        });
        assert_eq!(ran.results, [6_248_750.0f64.to_bits()], "{level:?}");
        assert!(asked > 0, "{level:?}");
    }
}

/// A program of seven instructions that is known, run by an interpreter: which one is next is asked by halves.
const HALVES: &str = "
func @run(v0: i64, v1: i64) -> (i64, i64) {
block0:
    v2: i64 = const 0
    v3: i64 = const 1
    v4: i64 = const 3
    jump block1(v1, v0, v2)
block1(v5: i64, v6: i64, v7: i64):
    v8: bool = gt v5, v2
    branch v8, block2, block13
block2:
    v9: i64 = sub v5, v3
    v10: i64 = add v7, v6
    v11: bool = lt v6, v4
    branch v11, block3, block6
block3:
    v12: bool = lt v6, v3
    branch v12, block4(v6), block5
block4(v13: i64):
    v14: i64 = add v13, v4
    jump block1(v9, v14, v10)
block5:
    v15: i64 = const 2
    v16: bool = lt v6, v15
    branch v16, block4(v6), block7
block6:
    v17: i64 = const 5
    v18: bool = lt v6, v17
    branch v18, block8, block9
block7:
    v19: i64 = mul v10, v4
    jump block1(v9, v3, v19)
block8:
    v20: i64 = const 4
    v21: bool = lt v6, v20
    branch v21, block10, block11
block9:
    v22: i64 = sub v6, v17
    jump block1(v9, v22, v10)
block10:
    v23: i64 = const 2
    jump block1(v9, v23, v10)
block11:
    v24: i64 = select v18, v20, v10
    jump block1(v9, v24, v24)
block13:
    return v6, v7
}";

#[test]
fn a_choice_by_halves_goes_where_the_comparisons_do() {
    let module = parse(HALVES);
    for level in LEVELS {
        let text = llvm(level).inspect(&module, "llvm").expect("there is such a form");
        assert!(text.contains("switch i64"), "{level:?}: {text}");
        for first in [i64::MIN, -7, -1, 0, 1, 2, 3, 4, 5, 6, 100] {
            for count in [0, 1, 2, 3, 4, 5, 5000] {
                let args = [int(first), int(count)];
                let expected = harness::run(&Interpreter, &module, &Host::default(), &args);
                let seen = harness::run(&llvm(level), &module, &Host::default(), &args);
                assert_eq!(seen, expected, "{level:?} {first} {count}");
            }
        }
    }
}

/// Nothing is below the first number.
const FROM_THE_LEAST: &str = "
func @run(v0: i64) -> i64 {
block0:
    v1: i64 = const -9223372036854775808
    v2: i64 = const -9223372036854775807
    v3: i64 = const -9223372036854775806
    v4: i64 = const -9223372036854775805
    v5: bool = lt v0, v1
    branch v5, block5(v1), block1
block1:
    v6: bool = lt v0, v2
    branch v6, block5(v2), block2
block2:
    v7: bool = lt v0, v3
    branch v7, block5(v3), block3
block3:
    v8: bool = lt v0, v4
    branch v8, block5(v4), block4
block4:
    v9: i64 = const 5
    jump block5(v9)
block5(v10: i64):
    return v10
}";

#[test]
fn a_choice_may_begin_with_the_least_number() {
    let module = parse(FROM_THE_LEAST);
    for level in LEVELS {
        for number in [i64::MIN, i64::MIN + 1, i64::MIN + 2, i64::MIN + 3, 0, i64::MAX - 1, i64::MAX] {
            let expected = harness::run(&Interpreter, &module, &Host::default(), &[int(number)]);
            let seen = harness::run(&llvm(level), &module, &Host::default(), &[int(number)]);
            assert_eq!(seen, expected, "{level:?} {number}");
        }
    }
}
