//! What people see of the code.

use snekpy_llvm::Level;
use snekpy_stage::backend::Backend;

use crate::support::{llvm, parse};

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
