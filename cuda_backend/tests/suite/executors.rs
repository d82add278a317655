//! Every executor gives what the reference interpreter gives.

use std::sync::atomic::{AtomicU32, Ordering};

use libtest_mimic::Trial;
use snekpy_cuda::Simt;
use snekpy_llvm::{Cpu, Lanes, Level, LlvmOptions};
use snekpy_stage::kernel::sum::{Total, finish};
use snekpy_stage::kernel::{Cause, Ended, Form, Kernel, KernelBackend, Launch, verify};
use snekpy_stage::op::{Element2, Op, Real2};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::types::{Elem, Type};

use crate::generate::{self, Functions, LEN, Random};
use crate::ops;
use crate::support::{Inputs, Ran, interpreter, kernel, llvm, llvm_with, run};
use crate::trial;

/// The tests of this file.
pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("simt_and_llvm_are_the_interpreter_on_random_bodies", simt_and_llvm_are_the_interpreter_on_random_bodies),
        trial("lanes_are_the_interpreter_on_random_bodies", lanes_are_the_interpreter_on_random_bodies),
        trial("lanes_that_do_not_end_are_stopped", lanes_that_do_not_end_are_stopped),
        trial(
            "the_lowest_failing_position_is_found_on_any_number_of_threads",
            the_lowest_failing_position_is_found_on_any_number_of_threads,
        ),
        trial("sums_have_the_same_bits_everywhere", sums_have_the_same_bits_everywhere),
        trial("a_missing_barrier_is_found", a_missing_barrier_is_found),
        trial("a_read_past_the_end_is_found", a_read_past_the_end_is_found),
        trial("outputs_are_stored_as_their_elements", outputs_are_stored_as_their_elements),
        trial("every_number_of_sixteen_bits_is_loaded_and_stored", every_number_of_sixteen_bits_is_loaded_and_stored),
        trial("what_only_seems_to_fail_is_computed", what_only_seems_to_fail_is_computed),
        trial("each_op_is_the_interpreter_within_its_bound", each_op_is_the_interpreter_within_its_bound),
        trial("a_failure_that_waits_is_found_in_long_loops", a_failure_that_waits_is_found_in_long_loops),
    ]
}

/// A shape of a rank, of some hundred positions.
pub(crate) fn shape(rank: usize, random: &mut Random) -> Vec<u64> {
    let limits: &[usize] = [&[600][..], &[40, 20], &[9, 8, 12]][rank - 1];
    limits.iter().map(|&limit| 1 + random.below(limit) as u64).collect()
}

fn expect(kernel: &Kernel, seed: u64, found: &Ran, expected: &Ran, who: &str) {
    assert_eq!(found, expected, "seed {seed}, {who} is not the interpreter\n{kernel}");
}

fn simt_and_llvm_are_the_interpreter_on_random_bodies() {
    let mut ends = [0; 2];
    for seed in 0..2000 {
        let kernel = generate::kernel(seed, Functions::Exact);
        verify(&kernel).unwrap_or_else(|faults| panic!("{faults}\n{kernel}"));
        let inputs = Inputs::new(&kernel, seed);
        let mut random = Random(seed);
        let shape = shape(kernel.rank, &mut random);
        let expected = run(&interpreter(), &kernel, &shape, &inputs).expect("the interpreter runs every kernel");
        ends[usize::from(expected.ended == Ended::Done)] += 1;
        let found = run(&Simt::new(seed), &kernel, &shape, &inputs).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
        expect(&kernel, seed, &found, &expected, "simt");
        if seed % 5 == 0 {
            let found = run(&llvm(2), &kernel, &shape, &inputs).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
            expect(&kernel, seed, &found, &expected, "LLVM");
        }
    }
    assert!(ends[0] > 200 && ends[1] > 200, "too few kernels fail or succeed: {ends:?}");
}

/// Bodies that lanes run, whether that pays or not, on vectors of two, four and eight doubles.
fn lanes_are_the_interpreter_on_random_bodies() {
    let named = |name: &str| Cpu::Named(name.to_owned());
    let cpus = [Cpu::Host, named("x86-64"), named("x86-64-v3")];
    let mut ends = [0; 2];
    for seed in 0..400 {
        let kernel = generate::kernel(seed, Functions::All);
        let inputs = Inputs::new(&kernel, seed);
        let shape = shape(kernel.rank, &mut Random(seed));
        let expected = run(&interpreter(), &kernel, &shape, &inputs).expect("the interpreter runs every kernel");
        ends[usize::from(expected.ended == Ended::Done)] += 1;
        let level = if seed % 5 == 0 { Level::O0 } else { Level::O3 };
        let cpu = cpus[seed as usize % cpus.len()].clone();
        let options = LlvmOptions { level, cpu, lanes: Lanes::Always, ..LlvmOptions::default() };
        let found = run(&llvm_with(options, 2), &kernel, &shape, &inputs);
        let found = found.unwrap_or_else(|error| panic!("{error}\n{kernel}"));
        expect(&kernel, seed, &found, &expected, "LLVM with lanes");
    }
    assert!(ends[0] > 40 && ends[1] > 40, "too few kernels fail or succeed: {ends:?}");
}

/// Half of the lanes turn for ever.
fn lanes_that_do_not_end_are_stopped() {
    let it = kernel(
        "kernel rank 1 -> i64

func @main(v0: i64) -> i64 {
block0:
    jump block1(v0)
block1(v1: i64):
    v2: i64 = const 2
    v3: i64 = wrap_add v1, v2
    v4: i64 = const 100
    v5: bool = eq v3, v4
    branch v5, block2, block1(v3)
block2:
    return v3
}
",
    );
    let options = LlvmOptions { lanes: Lanes::Always, ..LlvmOptions::default() };
    let code = llvm_with(options, 2).compile(&it).expect("it is a kernel");
    let mut room = vec![0_u64; 10];
    let asked = AtomicU32::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) > 2;
    let outputs = [room.as_mut_ptr().cast()];
    // SAFETY: there are no inputs, and the output has room for ten elements.
    assert_eq!(unsafe { code.run(&Launch::new(&[10], &[], &outputs, &stop)) }, Ok(Ended::Stopped));
}

fn the_lowest_failing_position_is_found_on_any_number_of_threads() {
    let it = kernel(
        "kernel rank 1 -> i64

exit exit0 \"ValueError\"()

func @main(v0: i64, v1: i64) -> i64 {
block0:
    v2: i64 = mod v0, v1
    v3: i64 = const 77
    v4: bool = ne v2, v3
    guard v4, exit0
    v5: i64 = const 9223372036854765807
    v6: i64 = add v0, v5
    return v6
}
",
    );
    for (modulus, position, is_exit) in [(50_000, 77, true), (78, 77, true), (77, 10_001, false)] {
        let inputs = Inputs::of_slots(vec![modulus]);
        let expected = run(&interpreter(), &it, &[300_000], &inputs).expect("it runs");
        let Ended::Failed(failure) = expected.ended else { panic!("{expected:?}") };
        assert_eq!(failure.position, position);
        assert_eq!(failure.cause, Some(if is_exit { Cause::Raised } else { Cause::Overflow }));
        for threads in 1..5 {
            assert_eq!(run(&llvm(threads), &it, &[300_000], &inputs).expect("it runs"), expected);
        }
        assert_eq!(run(&Simt::default(), &it, &[30_000], &inputs).expect("it runs"), expected);
    }
}

/// `1 / (i + 1)`, `(i - 5) ** 3` and whether `i` is odd: a sum of each.
fn sums() -> [Kernel; 3] {
    let body = |result: &str, rest: &str| {
        kernel(&format!(
            "kernel rank 1 sum

func @main(v0: i64) -> {result} {{
block0:
    v1: i64 = const 1
{rest}
    return v9
}}
"
        ))
    };
    [
        body("f64", "    v2: i64 = add v0, v1\n    v9: f64 = int_div v1, v2"),
        body(
            "i64",
            "    v2: i64 = const 5\n    v3: i64 = sub v0, v2\n    v4: i64 = const 3\n    v9: i64 = int_pow v3, v4",
        ),
        body("bool", "    v2: i64 = and v0, v1\n    v9: bool = eq v2, v1"),
    ]
}

fn total(kernel: &Kernel, ran: &Ran) -> Total {
    assert_eq!(ran.ended, Ended::Done);
    finish(kernel.body().results[0], &ran.outputs[0])
}

fn sums_have_the_same_bits_everywhere() {
    let none = Inputs::of_slots(Vec::new());
    for it in sums() {
        for count in [0, 1, 2, 255, 256, 257, 4095, 4096, 4097, 20_000] {
            let expected = run(&interpreter(), &it, &[count], &none).expect("it runs");
            for threads in [1, 3] {
                assert_eq!(run(&llvm(threads), &it, &[count], &none).expect("it runs"), expected);
            }
            let found = run(&Simt::new(count), &it, &[count], &none).expect("it runs");
            assert_eq!(found, expected, "{count} positions\n{it}");
            let n = i128::from(count);
            match total(&it, &expected) {
                Total::Int(sum) if it.body().results[0] == Type::Bool => assert_eq!(sum, n / 2),
                Total::Int(sum) => assert_eq!(sum, (0..n).map(|i| (i - 5).pow(3)).sum()),
                Total::Float(sum) => {
                    let exact: f64 = (1..=count).rev().map(|i| 1.0 / i as f64).sum();
                    assert!((sum - exact).abs() < 1e-11, "{sum} {exact}");
                }
            }
        }
    }
}

fn a_missing_barrier_is_found() {
    let [it, ..] = sums();
    let none = Inputs::of_slots(Vec::new());
    let error = run(&Simt::default().without_barriers(), &it, &[10_000], &none).expect_err("there is a race");
    assert!(error.contains("race") || error.contains("nobody has written"), "{error}");
}

fn a_read_past_the_end_is_found() {
    let it = kernel(
        "kernel rank 1 -> f64

func @main(v0: i64, v1: [f64]) -> f64 {
block0:
    v2: f64 = load v1, v0
    return v2
}
",
    );
    let inputs = Inputs::new(&it, 1);
    assert!(run(&Simt::default(), &it, &[16], &inputs).is_ok());
    let error = run(&Simt::default(), &it, &[17], &inputs).expect_err("there are 16 elements");
    assert!(error.contains("reads element 16 of an input of 16"), "{error}");
}

fn outputs_are_stored_as_their_elements() {
    let it = kernel(
        "kernel rank 2 -> f32, bool

func @main(v0: i64, v1: i64) -> (f64, bool) {
block0:
    v2: f64 = int_to_float v0
    v3: f64 = const 0.1
    v4: f64 = mul v2, v3
    v5: bool = lt v0, v1
    return v4, v5
}
",
    );
    let none = Inputs::of_slots(Vec::new());
    let expected = run(&interpreter(), &it, &[3, 4], &none).expect("it runs");
    assert_eq!(it.form, Form::Map(vec![Elem::F32, Elem::Bool]));
    assert_eq!(expected.outputs[0][2] as u32, (0.1_f64 as f32).to_bits());
    assert_eq!(expected.outputs[1][0], 0x0000_0000_0101_0100 | 0x0101 << 48);
    assert_eq!(run(&llvm(2), &it, &[3, 4], &none).expect("it runs"), expected);
    assert_eq!(run(&Simt::default(), &it, &[3, 4], &none).expect("it runs"), expected);
}

/// Each of them, and what lies halfway to the next, which rounding decides about; all of it in another format, too.
fn every_number_of_sixteen_bits_is_loaded_and_stored() {
    let always = LlvmOptions { lanes: Lanes::Always, ..LlvmOptions::default() };
    for [elem, other] in [["f16", "bf16"], ["bf16", "f16"]] {
        let it = kernel(&format!(
            "kernel rank 1 -> {elem}, {elem}, {other}, f64

func @main(v0: i64, v1: [{elem}]) -> (f64, f64, f64, f64) {{
block0:
    v2: i64 = const 1
    v3: i64 = const 65535
    v4: i64 = wrap_add v0, v2
    v5: i64 = and v4, v3
    v6: f64 = load v1, v0
    v7: f64 = load v1, v5
    v8: f64 = add v6, v7
    v9: f64 = const 0.5
    v10: f64 = mul v8, v9
    return v6, v10, v6, v6
}}
"
        ));
        let numbers: Vec<u16> = (0..=u16::MAX).collect();
        let inputs = Inputs::of_slots(vec![numbers.as_ptr().expose_provenance() as u64, 1 << 16]);
        let expected = run(&interpreter(), &it, &[1 << 16], &inputs).expect("it runs");
        assert_eq!(expected.ended, Ended::Done);
        for found in [
            run(&llvm(2), &it, &[1 << 16], &inputs),
            run(&llvm_with(always.clone(), 2), &it, &[1 << 16], &inputs),
            run(&Simt::default(), &it, &[1 << 16], &inputs),
        ] {
            assert!(found.expect("it runs") == expected, "{elem}");
        }
    }
}

/// The least integer is as large as what is the first to be too large.
const LEAST: &str = "kernel rank 1 -> f64

exit exit0 \"failed\"()

func @main(v0: i64, v1: f64) -> f64 {
block0:
    checkpoint exit0
    v2: i64 = const 0
    v3: i64 = const 1
    v4: f64 = const 0.0
    jump block1(v2, v4)
block1(v5: i64, v6: f64):
    v7: bool = lt v5, v0
    branch v7, block2, block3
block2:
    v8: f64 = floor v1
    v9: i64 = float_to_int v8
    v10: f64 = int_to_float v9
    v11: f64 = add v6, v10
    v12: i64 = wrap_add v5, v3
    jump block1(v11)
block3:
    return v6
}
";

fn what_only_seems_to_fail_is_computed() {
    let it = kernel(&LEAST.replace("jump block1(v11)", "jump block1(v12, v11)"));
    for (x, is_fine) in [(-9_223_372_036_854_775_808.0, true), (-0.5, true), (9_223_372_036_854_775_808.0, false)] {
        let inputs = Inputs::of_slots(vec![f64::to_bits(x)]);
        let expected = run(&interpreter(), &it, &[9], &inputs).expect("it runs");
        assert_eq!(expected.ended == Ended::Done, is_fine, "{x}");
        assert_eq!(run(&Simt::default(), &it, &[9], &inputs).expect("it runs"), expected, "{x}");
    }
}

/// Every op on scalars, at edge values: functions within the units that `math` documents and those of the C library, all
/// others by bits.
fn each_op_is_the_interpreter_within_its_bound() {
    for case in ops::cases() {
        let kernel = case.kernel();
        let shape = vec![LEN as u64; kernel.rank];
        for seed in 0..3 {
            let inputs = Inputs::new(&kernel, seed);
            let expected = run(&interpreter(), &kernel, &shape, &inputs).expect("it runs");
            let found = run(&Simt::default(), &kernel, &shape, &inputs).expect("it runs");
            assert_eq!(found.ended, expected.ended, "{}, seed {seed}", case.name);
            let outputs = found.outputs.iter().flatten().zip(expected.outputs.iter().flatten());
            for (at, (&x, &y)) in outputs.enumerate() {
                assert!(is_within(case.op, x, y), "{}, seed {seed}: {x:#x}, not {y:#x}, at {at}", case.name);
            }
        }
    }
}

fn is_within(op: Op, found: u64, expected: u64) -> bool {
    let (x, y) = (f64::from_bits(found), f64::from_bits(expected));
    let place = |bits: u64| if bits >> 63 == 1 { -((bits << 1 >> 1) as i128) } else { i128::from(bits) };
    let (off, off_as_singles) =
        (place(found) - place(expected), i64::from((x as f32).to_bits()) - i64::from((y as f32).to_bits()));
    match op {
        _ if found == expected => true,
        // What is added may cancel out.
        Op::Element2(Element2::LogAddExp, _) => (x - y).abs() <= 8.0 * f64::EPSILON * y.abs().max(1.0),
        Op::Element1(_, Dtype::F32) | Op::Element2(Element2::Atan2 | Element2::Hypot, Dtype::F32) => {
            off_as_singles.abs() <= 1
        }
        Op::Real1(_) | Op::Element1(_, Dtype::F64) => off.abs() <= 4 + 2,
        Op::Real2(Real2::Pow | Real2::Atan2 | Real2::Hypot) => off.abs() <= 2 + 2,
        Op::Element2(Element2::Pow | Element2::Atan2 | Element2::Hypot, Dtype::F64) => off.abs() <= 2 + 2,
        _ => false,
    }
}

/// Fails after as many turns as the position says, in loops of more turns than a failure waits, that count by 1 and by 3.
fn a_failure_that_waits_is_found_in_long_loops() {
    for step in [1, 3] {
        let it = kernel(&format!(
            "kernel rank 1 -> i64, f64

exit exit0 \"failed\"()
exit exit1 \"ValueError\"()

func @main(v0: i64, v1: i64, v2: i64) -> (i64, f64) {{
block0:
    checkpoint exit0
    v3: i64 = const {step}
    v4: f64 = const 1.0
    v5: f64 = int_to_float v2
    v6: i64 = const 0
    jump block1(v6, v4, v6)
block1(v7: i64, v8: f64, v9: i64):
    v10: bool = lt v7, v1
    branch v10, block2, block3
block2:
    v11: bool = ne v8, v5
    guard v11, exit1
    v12: f64 = add v8, v4
    v13: i64 = wrap_add v7, v3
    v14: i64 = const 1
    v15: i64 = add v9, v14
    jump block1(v13, v12, v15)
block3:
    return v9, v8
}}
"
        ));
        for turns in [0_u64, 1, 7, 1023, 1024, 1025, 3071, 3072, 3073, 5000] {
            for fails in [0, 1, turns / 3, turns / 3 + 1, turns, turns + 1, 1 << 40] {
                let inputs = Inputs::of_slots(vec![turns, fails]);
                let expected = run(&interpreter(), &it, &[3], &inputs).expect("it runs");
                let found = run(&Simt::default(), &it, &[3], &inputs).expect("it runs");
                assert_eq!(found, expected, "{turns} turns, step {step}, fails at {fails}");
            }
        }
    }
}
