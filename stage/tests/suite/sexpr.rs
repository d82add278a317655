//! S-expressions: each program is printed as a person would write it.

use snekpy_stage::sexpr::to_sexpr;

use crate::harness::module;

fn check(source: &str, expected: &str) {
    assert_eq!(to_sexpr(&module(source)).trim_end(), expected.trim());
}

#[test]
fn values_that_are_used_once_are_nested() {
    check(
        "
func @power(v0: i64) -> i64 {
block0:
    v1: i64 = const 1
    v2: i64 = mul v0, v1
    v3: i64 = mul v0, v2
    v4: i64 = mul v0, v3
    return v4
}",
        "(def power (in1) (* in1 (* in1 (* in1 1))))",
    );
}

#[test]
fn values_that_are_used_twice_have_names() {
    check(
        "
func @f(v0: i64, v1: f64) -> (i64, f64) {
block0:
    v2: i64 = neg v0
    v3: i64 = add v2, v2
    v4: f64 = int_to_float v3
    v5: f64 = div v4, v1
    return v3, v5
}",
        "(def f (in1 in2) (let* ((x1 (- in1)) (x2 (+ x1 x1))) (values x2 (/ (float x2) in2))))",
    );
}

#[test]
fn recursion_is_a_call() {
    check(
        "
func @power(v0: i64, v1: i64) -> i64 {
block0:
    v2: i64 = const 0
    v3: i64 = const 1
    v4: bool = eq v1, v2
    branch v4, block1, block2
block1:
    return v3
block2:
    v5: i64 = sub v1, v3
    v6: i64 = call @power(v0, v5)
    v7: i64 = mul v0, v6
    return v7
}",
        "(def power (in1 in2) (if (== in2 0) 1 (* in1 (power in1 (- in2 1)))))",
    );
}

#[test]
fn a_loop_is_a_function_that_calls_itself() {
    check(
        "
func @count(v0: i64) -> i64 {
block0:
    v1: i64 = const 0
    jump block1(v1)
block1(v2: i64):
    v3: bool = lt v2, v0
    branch v3, block2, block3
block2:
    v4: i64 = const 1
    v5: i64 = add v2, v4
    jump block1(v5)
block3:
    return v2
}",
        "
(def count (in1)
  (letrec ((loop (lambda (x1) (if (< x1 in1) (loop (+ x1 1)) x1)))) (loop 0)))",
    );
}

#[test]
fn a_branch_that_gives_a_value_is_an_expression() {
    check(
        "
func @f(v0: i64, v1: bool, v2: bool) -> i64 {
block0:
    branch v1, block1, block2
block1:
    v3: i64 = const 7
    branch v2, block3, block4
block3:
    jump block5(v0)
block4:
    jump block5(v3)
block5(v4: i64):
    v5: i64 = neg v4
    jump block6(v5)
block2:
    v6: i64 = mul v0, v0
    jump block6(v6)
block6(v7: i64):
    v8: i64 = add v7, v0
    return v8
}",
        "(def f (in1 in2 in3) (+ (if in2 (- (if in3 in1 7)) (* in1 in1)) in1))",
    );
}

#[test]
fn a_join_of_two_values_is_a_function() {
    check(
        "
func @f(v0: i64, v1: bool) -> i64 {
block0:
    v2: i64 = neg v0
    branch v1, block1(v0, v2), block1(v2, v0)
block1(v3: i64, v4: i64):
    v5: i64 = sub v3, v4
    return v5
}",
        "
(def f (in1 in2)
  (let ((x1 (- in1)))
    (letrec ((join (lambda (x2 x3) (- x2 x3)))) (if in2 (join in1 x1) (join x1 in1)))))",
    );
}

#[test]
fn effects_stay_in_order() {
    check(
        "
exit exit0 \"ZeroDivisionError\"(i64)
host host0 \"print\"(i64) -> ()
host host1 \"ask the user\"() -> i64
func @f(v0: i64, v1: [i64]) -> i64 {
block0:
    v2: i64 = const 0
    v3: i64 = load v1, v2
    v4: i64 = host host1()
    v5: bool = ne v4, v2
    guard v5, exit0(v0)
    v6: i64 = floordiv v3, v4
    host host0(v6)
    store v1, v2, v6
    v7: bool = ovf_add v6, v0
    overflow_if v7
    v8: i64 = load v1, v2
    return v8
}",
        "
(def f (in1 in2)
  (let* ((x1 (array-get in2 0)) (x2 (\"ask the user\")))
    (begin
      (unless (!= x2 0) (raise ZeroDivisionError in1))
      (let ((x3 (// x1 x2)))
        (begin
          (print x3)
          (array-set in2 0 x3)
          (when (overflows+ x3 in1) (raise OverflowError))
          (array-get in2 0))))))",
    );
}

#[test]
fn statements_in_branches_and_loops() {
    check(
        "
exit exit0 \"ValueError\"()
host host0 \"print\"(i64) -> ()
func @f(v0: i64) -> () {
block0:
    v1: i64 = const 0
    v2: i64 = const 1
    v3: bool = lt v0, v1
    branch v3, block1, block2
block1:
    exit exit0
block2:
    jump block3(v1)
block3(v4: i64):
    v5: bool = lt v4, v0
    branch v5, block4, block8
block4:
    v6: bool = eq v4, v2
    branch v6, block5, block6
block5:
    host host0(v4)
    jump block7
block6:
    jump block7
block7:
    v7: i64 = add v4, v2
    jump block3(v7)
block8:
    return
}",
        "
(def f (in1)
  (if (< in1 0)
      (raise ValueError)
      (letrec ((loop
                 (lambda (x1)
                   (if (< x1 in1)
                       (begin (if (== x1 1) (print x1) ()) (loop (+ x1 1)))
                       ()))))
        (loop 0))))",
    );
}

#[test]
fn a_call_with_several_results_and_functions_called_like_loops() {
    check(
        "
func @loop(v0: f64) -> f64 {
block0:
    v1: f64, v2: f64 = call @f(v0)
    jump block1(v1)
block1(v3: f64):
    v4: bool = lt v3, v2
    v5: f64 = exp v3
    branch v4, block1(v5), block2
block2:
    return v3
}
func @f(v0: f64) -> (f64, f64) {
block0:
    v1: f64 = const -0.5
    v2: f64 = select v3, v0, v1
    return v2, v0
}"
        .replace("    v2: f64 = select", "    v3: bool = gt v0, v1\n    v2: f64 = select")
        .as_str(),
        "
(def loop (in1)
  (let-values (((x1 x2) (f in1)))
    (letrec ((loop2 (lambda (x3) (if (< x3 x2) (loop2 (exp x3)) x3)))) (loop2 x1))))
(def f (in1) (values (if (> in1 -0.5) in1 -0.5) in1))",
    );
}

#[test]
fn nesting_is_not_limited_by_the_stack() {
    let mut source = String::from("func @f(v0: i64) -> i64 {\nblock0:\n");
    for number in 1..=50_000 {
        source += &format!("    v{number}: i64 = neg v{}\n", number - 1);
    }
    source += "    return v50000\n}\n";
    assert_eq!(to_sexpr(&module(&source)).matches("(-").count(), 50_000);
}
