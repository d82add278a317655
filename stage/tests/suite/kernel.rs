//! Kernels: their text, their rules, and the loop that runs them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use half::f16;
use snekpy_stage::interp::Interpreter;
use snekpy_stage::kernel::host::{HostKernels, loop_module};
use snekpy_stage::kernel::{Ended, Form, Inputs, Kernel, KernelBackend, Launch, flatten, index_at, parse, verify};
use snekpy_stage::sizes::later;
use snekpy_stage::types::{ArrayType, Elem, Type};

fn kernel(source: &str) -> Kernel {
    parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

const SUM_OF_INDEX: &str = "kernel rank 3 -> i64, bool

func @main(v0: i64, v1: i64, v2: i64, v3: i64) -> (i64, bool) {
block0:
    v4: i64 = const 100
    v5: i64 = mul v0, v4
    v6: i64 = const 10
    v7: i64 = mul v1, v6
    v8: i64 = add v5, v7
    v9: i64 = add v8, v2
    v10: bool = gt v9, v3
    return v9, v10
}
";

#[test]
fn the_text_is_as_good_as_the_kernel() {
    for source in [SUM_OF_INDEX, &SUM_OF_INDEX.replace("-> i64, bool\n", "-> f32\n")] {
        let it = kernel(source);
        assert_eq!(kernel(&it.to_string()).to_string(), it.to_string());
        assert!(it.to_string().starts_with(source.split_once('\n').expect("it has lines").0));
    }
    let sum = kernel("kernel rank 1 sum\n\nfunc @main(v0: i64) -> i64 {\nblock0:\n    return v0\n}\n");
    assert_eq!(sum.form, Form::Sum);
    assert_eq!(kernel(&sum.to_string()).form, Form::Sum);
    assert!(parse("kernel rank many -> f64\n").is_err());
    assert!(parse("func @main() -> () {\nblock0:\n    return\n}\n").is_err());
}

#[test]
fn each_rule_is_checked() {
    let head = |rank, form: &str, signature: &str, body: &str| {
        let exit = "exit exit0 \"ValueError\"()\nhost host0 \"print\"(i64) -> ()\n";
        kernel(&format!("kernel rank {rank} {form}\n\n{exit}\nfunc @main{signature} {{\nblock0:\n{body}\n}}\n"))
    };
    let one = "    v9: f64 = const 1.0\n    return v9";
    let cases = [
        ("rank", head(0, "-> f64", "() -> f64", one)),
        ("rank", head(4, "-> f64", "(v0: i64, v1: i64, v2: i64, v3: i64) -> f64", one)),
        ("index", head(1, "-> f64", "(v0: f64) -> f64", one)),
        ("index", head(2, "-> f64", "(v0: i64) -> f64", one)),
        ("input", head(1, "-> f64", "(v0: i64, v1: list(f64)) -> f64", one)),
        ("output", head(1, "-> i64", "(v0: i64) -> f64", one)),
        ("output", head(1, "-> f64, f64", "(v0: i64) -> f64", one)),
        ("output", head(1, "sum", "(v0: i64) -> ()", "    return")),
        ("op", head(1, "-> f64", "(v0: i64, v1: [i64]) -> f64", &format!("    store v1, v0, v0\n{one}"))),
        ("op", head(1, "-> f64", "(v0: i64) -> f64", &format!("    host host0(v0)\n{one}"))),
        ("op", head(1, "-> f64", "(v0: i64) -> f64", &format!("    v1: list(f64) = list_new f64\n{one}"))),
        ("op", head(1, "-> f64", "(v0: i64) -> f64", &format!("    v1: set(i64) = map_new set(i64)\n{one}"))),
        ("recursion", head(1, "-> i64", "(v0: i64) -> i64", "    v1: i64 = call @main(v0)\n    return v1")),
        ("module", head(1, "-> i64", "(v0: i64) -> i64", "    v1: f64 = const 1.0\n    return v1")),
    ];
    for (rule, it) in cases {
        let faults = verify(&it).expect_err(&format!("{rule} is broken in\n{it}"));
        assert!(faults.0.iter().any(|fault| fault.rule == rule), "{rule}: {faults}\n{it}");
    }
    verify(&kernel(SUM_OF_INDEX)).expect("nothing is wrong with it");
}

#[test]
fn the_loop_is_a_verified_module() {
    let module = loop_module(&kernel(SUM_OF_INDEX));
    snekpy_stage::verify::verify(&module).unwrap_or_else(|violations| panic!("{violations}"));
}

#[test]
fn every_index_has_its_results() {
    let it = kernel(SUM_OF_INDEX);
    assert_eq!(it.outputs(), [Elem::I64, Elem::Bool]);
    let shape = [3, 5, 7];
    for threads in [1, 3] {
        let code = HostKernels::new(Arc::new(Interpreter), threads).compile(&it).expect("it is a kernel");
        let (mut numbers, mut flags) = (vec![0_i64; 105], vec![2_u8; 105]);
        let outputs = [numbers.as_mut_ptr().cast::<u8>(), flags.as_mut_ptr()];
        let launch = Launch::new(&shape, &[150], &outputs, &|| false);
        // SAFETY: the input is a number, and the outputs have room for the elements.
        let ended = unsafe { code.run(&launch) };
        assert_eq!(ended, Ok(Ended::Done));
        for position in 0..105 {
            let index = index_at(&shape, position as u64);
            let expected = (100 * index[0] + 10 * index[1] + index[2]) as i64;
            assert_eq!(numbers[position], expected, "{index:?}");
            assert_eq!(flags[position], u8::from(expected > 150), "{index:?}");
        }
    }
}

#[test]
fn a_run_that_does_not_end_is_stopped() {
    let source = "kernel rank 1 -> i64

func @main(v0: i64) -> i64 {
block0:
    jump block1
block1:
    jump block1
}
";
    let code = HostKernels::new(Arc::new(Interpreter), 2).compile(&kernel(source)).expect("it is a kernel");
    let mut room = vec![0_u64; 10];
    let asked = AtomicU32::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) > 2;
    let outputs = [room.as_mut_ptr().cast()];
    let launch = Launch::new(&[10], &[], &outputs, &stop);
    // SAFETY: there are no inputs, and the output has room for ten elements.
    assert_eq!(unsafe { code.run(&launch) }, Ok(Ended::Stopped));
}

/// The first column of a matrix of halves, as far as there are integers, and how many rows and columns there are.
const OF_TENSORS: &str = "kernel rank 1 -> f16, i64, i64

host host0 \"extent\"() -> i64 is \"extent ?0\"
host host1 \"extent\"() -> i64 is \"extent ?1\"
host host2 \"memory\"(tensor(f16, ?0, ?1)) -> ([f16], i64, i64, i64) is \"memory f16\"

func @main(v0: i64, v1: tensor(f16, ?0, ?1), v2: tensor(i32, ?0)) -> (f64, i64, i64) {
block0:
    v3: i64 = tensor_fact host0()
    v4: i64 = tensor_fact host1()
    v5: [f16], v6: i64, v7: i64, v8: i64 = tensor_fact host2(v1)
    v9: i64 = wrap_mul v0, v7
    v10: i64 = wrap_add v6, v9
    v11: f64 = load v5, v10
    return v11, v3, v4
}
";

#[test]
fn tensors_become_flat_arrays() {
    let it = kernel(OF_TENSORS);
    let mut module = it.module;
    // How many rows there are, the integers say; how many columns is a further input.
    assert_eq!(flatten(&mut module), Ok(Inputs { sizes: vec![later(1)], worlds: Vec::new() }));
    let it = Kernel::new(module, it.rank, it.form);
    verify(&it).unwrap_or_else(|faults| panic!("{faults}\n{it}"));
    let array = |elem| Type::Array(ArrayType { elem, len: None });
    assert_eq!(it.inputs(), [array(Elem::F16), array(Elem::I32), Type::I64]);

    let matrix: Vec<f16> = (0..12).map(|it| f16::from_f64(f64::from(it) / 4.0)).collect();
    let args = [matrix.as_ptr().expose_provenance() as u64, 12, matrix.as_ptr().expose_provenance() as u64, 3, 4];
    let (mut column, mut rows, mut columns) = ([f16::ZERO; 3], [0_i64; 3], [0_i64; 3]);
    let outputs = [column.as_mut_ptr().cast(), rows.as_mut_ptr().cast(), columns.as_mut_ptr().cast()];
    let code = HostKernels::new(Arc::new(Interpreter), 1).compile(&it).expect("it is a kernel");
    // SAFETY: the matrix is there, the integers are not read, and the outputs have room for three elements.
    assert_eq!(unsafe { code.run(&Launch::new(&[3], &args, &outputs, &|| false)) }, Ok(Ended::Done));
    assert_eq!((column.map(f16::to_f64), rows, columns), ([0.0, 1.0, 2.0], [3; 3], [4; 3]));
}

#[test]
fn whole_tensors_have_no_place_in_kernels() {
    let source = OF_TENSORS
        .replace("func @main", "host host3 \"copy\"(tensor(i32, ?0)) -> tensor(i32, ?0) is \"copy\"\n\nfunc @main")
        .replace("    return", "    v12: tensor(i32, ?0) = tensor host3(v2)\n    return");
    let fault = flatten(&mut kernel(&source).module).expect_err("a tensor is copied");
    assert_eq!((fault.rule, &*fault.message), ("tensor", "`main` has `copy` of arrays, which no kernel has"));
}
