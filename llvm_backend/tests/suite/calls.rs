//! Calls: recursion and its limit, what is told on the way out, and functions of the host.

use std::ffi::c_void;

use snekpy_stage::backend::{Context, Outcome, Trap};
use snekpy_stage::entity::{Entity, ExitId, Loc};

use crate::support::{LEVELS, compile, int, parse, returns, run, run_with};

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

/// Collects the places it is told of in the vector that the context's data points to.
unsafe extern "C" fn collect(cx: *mut Context, call: u64) {
    // SAFETY: the tests that install this point `data` to a live vector.
    unsafe { (*(*cx).data.cast::<Vec<u32>>()).push((call >> 32) as u32) };
}

#[test]
fn recursion_ends_at_the_limit_and_every_call_is_told() {
    let module = parse(FIB);
    for level in LEVELS {
        let code = compile(level, &module);
        let mut told: Vec<u32> = Vec::new();
        let deep = run_with(&*code, &module, &[int(10)], |cx| {
            cx.depth = 8;
            cx.data = (&raw mut told).cast::<c_void>();
            cx.unwind = collect;
        });
        assert_eq!(deep.outcome, Outcome::Trap(Trap::Depth, None, Some(Loc::new(0))), "{level:?}");
        assert_eq!(told, [1; 8], "{level:?}");
        let enough = run_with(&*code, &module, &[int(10)], |cx| cx.depth = 9);
        assert_eq!(enough.outcome, Outcome::Returned, "{level:?}");
    }
}

#[test]
fn an_exit_leaves_through_all_calls() {
    let module = parse(
        r#"exit exit0 "negative"(i64, bool)
        loc loc0 "f.py" "main" 1:1
        loc loc1 "f.py" "f" 2:1
        loc loc2 "f.py" "g" 3:1
        func @main(v0: i64) -> f64 {
        block0:
            v1: f64, v2: i64 = call @f(v0) @loc0
            return v1
        }
        func @f(v0: i64) -> (f64, i64) {
        block0:
            v1: bool = const true
            v2: f64 = call @g(v0, v1) @loc1
            return v2, v0
        }
        func @g(v0: i64, v1: bool) -> f64 {
        block0:
            v2: i64 = const 0
            v3: bool = lt v0, v2
            branch v3, block1, block2
        block1:
            exit exit0(v0, v1) @loc2
        block2:
            v4: f64 = int_to_float v0
            return v4
        }"#,
    );
    for level in LEVELS {
        let code = compile(level, &module);
        assert_eq!(run(&*code, &module, &[7]).results, [7.0f64.to_bits()], "{level:?}");
        let mut told: Vec<u32> = Vec::new();
        let ran = run_with(&*code, &module, &[int(-7)], |cx| {
            cx.data = (&raw mut told).cast::<c_void>();
            cx.unwind = collect;
        });
        assert_eq!(ran.outcome, Outcome::Exit(ExitId::new(0), Some(Loc::new(2))), "{level:?}");
        assert_eq!(ran.payload, [int(-7), 1], "{level:?}");
        assert_eq!(told, [2, 1], "innermost first, {level:?}");
    }
}

/// What the host below was asked, and at which depth.
#[derive(Default)]
struct Asked {
    numbers: Vec<u32>,
    depths: Vec<i64>,
}

/// Function 0 swaps its arguments, function 1 fails.
unsafe extern "C" fn swap_or_fail(cx: *mut Context, number: u32, args: *const u64, results: *mut u64) -> u32 {
    // SAFETY: compiled code passes two arguments and room for two results; the test points `data` to a
    // live value.
    unsafe {
        let asked = &mut *(*cx).data.cast::<Asked>();
        asked.numbers.push(number);
        asked.depths.push((*cx).depth);
        *results = *args.add(1);
        *results.add(1) = *args;
    }
    number
}

#[test]
fn the_host_is_called_and_may_fail() {
    let module = parse(
        r#"host host0 "swap"(i64, f64) -> (f64, i64)
        host host1 "fail"(bool, bool) -> (bool, bool)
        loc loc0 "f.py" "f" 1:1
        loc loc1 "f.py" "f" 2:1
        func @main(v0: i64) -> (f64, i64) {
        block0:
            v1: f64, v2: i64 = call @f(v0)
            return v1, v2
        }
        func @f(v0: i64) -> (f64, i64) {
        block0:
            v1: f64 = const 2.5
            v2: f64, v3: i64 = host host0(v0, v1) @loc0
            v4: i64 = const 0
            v5: bool = lt v0, v4
            branch v5, block1, block2
        block1:
            v6: bool, v7: bool = host host1(v5, v5) @loc1
            jump block2
        block2:
            return v2, v3
        }"#,
    );
    for level in LEVELS {
        let code = compile(level, &module);
        let mut asked = Asked::default();
        let mut depth_after = 0;
        let mut call = |value: i64| {
            let mut results = [0; 2];
            let mut cx = Context::detached(&mut []);
            cx.depth = 12;
            cx.host = swap_or_fail;
            cx.data = (&raw mut asked).cast::<c_void>();
            // SAFETY: there is one argument, room for two results, and a live context.
            let status = unsafe { code.run(&mut cx, [int(value)].as_ptr(), results.as_mut_ptr()) };
            depth_after = cx.depth;
            (status.outcome(), results)
        };
        assert_eq!(call(4), (Outcome::Returned, [2.5f64.to_bits(), 4]), "{level:?}");
        assert_eq!(call(-4).0, Outcome::Trap(Trap::HostFailed, None, Some(Loc::new(1))), "{level:?}");
        assert_eq!(depth_after, 12, "{level:?}");
        assert_eq!(asked.numbers, [0, 0, 1], "{level:?}");
        assert_eq!(asked.depths, [11; 3], "{level:?}");
    }
}

/// What is told of owners that compiled code does not count.
unsafe extern "C" fn tell(cx: *mut Context, handle: u64, more: u32) {
    // SAFETY: the test points `data` to a live vector.
    unsafe { (*(*cx).data.cast::<Vec<(u64, u32)>>()).push((handle, more)) };
}

#[test]
fn owners_of_the_first_handles_are_counted_here_and_the_last_one_is_told() {
    let module = parse(
        "func @main(v0: object, v1: object) -> () {
        block0:
            retain v0
            release v0
            release v0
            release v1
            return
        }",
    );
    for level in LEVELS {
        let code = compile(level, &module);
        let mut told: Vec<(u64, u32)> = Vec::new();
        let mut owners = [0, 0, 1, 5];
        let ran = run_with(&*code, &module, &[2, 7], |cx| {
            (cx.owners, cx.counted) = (owners.as_mut_ptr(), 4);
            (cx.data, cx.count) = ((&raw mut told).cast::<c_void>(), tell);
        });
        assert_eq!(ran.outcome, Outcome::Returned, "{level:?}");
        assert_eq!((&told[..], owners), (&[(2, 0), (7, 0)][..], [0, 0, 1, 5]), "{level:?}");
    }
}
