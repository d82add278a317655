//! What people see of the code.

use snekpy_llvm::{Level, Llvm, LlvmOptions};
use snekpy_stage::backend::Backend;

use crate::support::{llvm, parse, run};

const HALF: &str = "
func @half(v0: i64) -> f64 {
block0:
    v1: f64 = int_to_float v0
    v2: f64 = const 0.5
    v3: f64 = mul v1, v2
    return v3
}";

#[test]
fn the_optimised_module_has_readable_names() {
    let text = llvm(Level::O3).inspect(&parse(HALF), "llvm").expect("it compiles");
    assert!(text.contains("%v3 = fmul double %v1, 5.000000e-01"), "{text}");
    assert!(text.contains("@entry(ptr"), "{text}");
}

#[test]
fn assembly_is_text() {
    let text = llvm(Level::O3).inspect(&parse(HALF), "asm").expect("it compiles");
    assert!(text.contains("entry:"), "{text}");
}

#[test]
fn text_is_the_same_every_time() {
    for form in ["llvm", "asm"] {
        let text = || llvm(Level::O3).inspect(&parse(HALF), form).expect("it compiles");
        assert_eq!(text(), text());
    }
}

#[test]
fn an_unknown_form_is_refused() {
    let error = llvm(Level::O3).inspect(&parse(HALF), "ptx").expect_err("there is no such form");
    assert_eq!(error.to_string(), "llvm has no form `ptx`, only `llvm` and `asm`");
}

const SUM: &str = "
func @sum(v0: [f64]) -> f64 {
block0:
    v1: i64 = const 0
    v2: f64 = const 0.0
    v3: i64 = len v0
    jump block1(v1, v2)
block1(v4: i64, v5: f64):
    v6: bool = lt v4, v3
    branch v6, block2, block3
block2:
    v7: f64 = load v0, v4
    v8: f64 = add v5, v7
    v9: i64 = const 1
    v10: i64 = add v4, v9
    jump block1(v10, v8)
block3:
    return v5
}";

#[test]
fn only_fast_code_reassociates() {
    let module = parse(SUM);
    let numbers: Vec<f64> = (0..1000).map(|it| f64::from(it) * 0.125).collect();
    for fast in [false, true] {
        let llvm = Llvm::new(LlvmOptions { fast, ..LlvmOptions::default() });
        let text = llvm.inspect(&module, "llvm").expect("it compiles");
        assert_eq!(text.contains("reassoc"), fast, "{text}");
        assert_eq!(text.contains("x double>"), fast, "{text}");
        let code = llvm.compile(&module).expect("it compiles");
        let ran = run(&*code, &module, &[numbers.as_ptr() as u64, numbers.len() as u64]);
        // Every partial sum is exact, so that the order does not matter here.
        assert_eq!(f64::from_bits(ran.results[0]), 0.125 * 499_500.0);
    }
}
