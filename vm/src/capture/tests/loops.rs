//! What a loop carries round: the mask of its header.

use crate::host::test_vm::with_vm;

/// What the parameters of the loop headers of a function are, in order: the types of each block that has some.
fn carried(body: &str, args: &str) -> Vec<String> {
    let mut found = Vec::new();
    with_vm(|vm, py| {
        py.run("from snekpy import stage");
        py.run(&format!("@stage\ndef f(n, x):\n{body}"));
        py.eval(&format!("f({args})"));
        let ir = py.eval("f.inspect('captured')").str(vm).expect("it is text").to_string();
        for line in ir.lines().map(str::trim) {
            let Some(params) = line.strip_prefix("block").and_then(|it| it.split_once('(')) else { continue };
            let types: Vec<&str> = params
                .1
                .split(')')
                .next()
                .unwrap_or("")
                .split(", ")
                .filter_map(|it| it.split_once(": ").map(|it| it.1))
                .collect();
            found.push(types.join(" "));
        }
    });
    found
}

#[test]
fn only_what_changes_is_carried() {
    let body = "    a = 0\n    b = 2\n    while a < n:\n        a += b\n    return a, b";
    assert_eq!(carried(body, "1000, 0"), ["i64"]);
}

#[test]
fn what_changes_after_another_change_is_carried_too() {
    // `c` takes the first value of `b` in the first round, and another one from the second on.
    let body = "    a = b = c = 0\n    while a < n:\n        c = b\n        b = a\n        a += 1\n    return a, b, c";
    assert_eq!(carried(body, "1000, 0"), ["i64 i64 i64"]);
}

#[test]
fn what_every_round_computes_anew_is_not_carried() {
    let body = "    a = 0\n    while a < n:\n        t = a * 3\n        a = t + 1\n    return a";
    assert_eq!(carried(body, "1000, 0"), ["i64"]);
}

#[test]
fn a_number_in_an_object_of_the_call_is_carried_like_a_variable() {
    let body = "    box = [0, 7]\n    while box[0] < n:\n        box[0] += box[1]\n    return box";
    assert_eq!(carried(body, "1000, 0"), ["i64"]);
}

#[test]
fn another_shape_at_the_back_has_a_header_of_its_own() {
    let body = "    y = None\n    while x > 1.0:\n        y = x\n        x = x / 3.0\n    return y";
    assert_eq!(carried(body, "0, 100.0"), ["f64 f64"]);
}
