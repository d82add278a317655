//! The textual IR: what is printed is read back, and what cannot be read is refused at its place.

use snekpy_stage::entity::Entity;
use snekpy_stage::entity::FuncId;
use snekpy_stage::ir::{Function, Module};
use snekpy_stage::op::{Const, Op};
use snekpy_stage::text::{Literal, Locations, Options, parse};

/// Has every kind of declaration, statement and type, in the form in which it is printed.
const EVERYTHING: &str = r#"exit exit0 "ZeroDivisionError"(i64, i64)
exit exit1 "a \"quoted\"\nname"()
host host0 "print"(f64) -> ()
host host1 "divmod"(i64, i64) -> (i64, i64)
loc loc0 "clip.py" "clip" 3:5
loc loc1 "clip.py" "<lambda>" 9:0 from loc0 tag 18446744073709551615

func @main(v0: i64, v1: f64, v2: [f64], v3: [bool; 64]) -> (i64, f64) {
block0:
    v4: i64 = const -9223372036854775808
    v5: f64 = const 1e300
    v6: bool = ne v0, v4 @loc0
    guard v6, exit0(v0, v4) @loc1
    guard v6, exit1
    v7: i64, v8: i64 = host host1(v0, v4)
    host host0(v1)
    v9: i64 = len v2
    v10: f64 = load v2, v0
    store v2, v0, v10
    v11: bool = lt_int_float v0, v1
    overflow_if v11
    v15: list(f64) = list_new f64
    list_push v15, v10
    list_fill v15, v0, v10
    v16: f64 = list_pop v15
    branch v11, block1, block3(v7, v10) @loc0
block1:
    v20: f64 = call @<locals>.f()
    call @"two words"(v20)
    jump block3(v8, v20)
block3(v12: i64, v13: f64):
    v14: f64 = select v11, v13, v1
    return v12, v14
}

func @<locals>.f() -> f64 {
block0:
    exit exit0
}

func @"two words"(v0: f64) -> () {
block0:
    return
}
"#;

fn declared(module: &Module) -> String {
    module.display(Options { locations: Locations::Declared }).to_string()
}

#[test]
fn everything_is_printed_as_it_was_read() {
    let module = parse(EVERYTHING).expect("it is a module");
    assert_eq!(declared(&module), EVERYTHING);
}

#[test]
fn places_are_hidden_or_comments() {
    let module = parse(EVERYTHING).expect("it is a module");
    let hidden = module.to_string();
    assert!(!hidden.contains("loc0") && !hidden.contains("clip.py"), "{hidden}");
    let comments = module.display(Options { locations: Locations::Comments }).to_string();
    assert!(comments.contains("    v6: bool = ne v0, v4      ; clip.py:3:5\n"), "{comments}");
    assert!(comments.contains("    guard v6, exit0(v0, v4)      ; clip.py:9 from clip.py:3:5\n"), "{comments}");
    assert_eq!(parse(&comments).expect("comments are skipped").to_string(), hidden);
}

#[test]
fn names_are_made_unique() {
    let mut module = Module::default();
    for name in ["f", "f", "f.1", "f"] {
        module.funcs.push(Function::new(name));
    }
    let heads: Vec<_> = module.to_string().lines().filter(|it| it.starts_with("func")).map(str::to_owned).collect();
    assert_eq!(heads, ["func @f() -> () {", "func @f.1() -> () {", "func @f.1.1() -> () {", "func @f.2() -> () {"]);
}

#[test]
fn a_function_alone_calls_by_number() {
    let module = parse(EVERYTHING).expect("it is a module");
    let text = module.funcs[FuncId::new(0)].to_string();
    assert!(text.contains("    v20: f64 = call fn1()\n"), "{text}");
}

#[test]
fn constants_keep_every_bit() {
    let nan = |bits| Const::F64(f64::from_bits(bits));
    let mut constants = vec![
        (Const::Bool(true), "true"),
        (Const::I64(i64::MIN), "-9223372036854775808"),
        (Const::F64(1.0), "1.0"),
        (Const::F64(-0.0), "-0.0"),
        (Const::F64(0.1 + 0.2), "0.30000000000000004"),
        (Const::F64(1e22), "1e22"),
        (Const::F64(5e-324), "5e-324"),
        (Const::F64(f64::MAX), "1.7976931348623157e308"),
        (Const::F64(f64::INFINITY), "inf"),
        (Const::F64(f64::NEG_INFINITY), "-inf"),
        (nan(0x7ff8_0000_0000_0000), "nan"),
        (nan(0xfff8_0000_0000_0000), "nan:0xfff8000000000000"),
        (nan(0x7ff0_0000_0000_0001), "nan:0x7ff0000000000001"),
    ];
    for (constant, text) in constants.drain(..) {
        assert_eq!(Literal(constant).to_string(), text);
        let ty = match constant {
            Const::Bool(_) => "bool",
            Const::I64(_) => "i64",
            Const::F64(_) => "f64",
        };
        let source = format!("func @f() -> {ty} {{\nblock0:\n    v0: {ty} = const {text}\n    return v0\n}}\n");
        let module = parse(&source).unwrap_or_else(|error| panic!("{error} in\n{source}"));
        let func = &module.funcs[module.main()];
        assert_eq!(func.insts.values().next().map(|it| it.op), Some(Op::Const(constant)));
        assert_eq!(module.to_string(), source);
    }
}

#[test]
fn what_is_not_a_module_is_refused_at_its_place() {
    let body = |line: &str| format!("func @f(v0: i64) -> i64 {{\nblock0:\n    {line}\n    return v0\n}}\n");
    for (source, message) in [
        ("fun @f".to_owned(), "1:1: expected `exit`, `host`, `loc` or `func`, found `fun`"),
        ("exit exit1 \"x\"()".to_owned(), "1:6: expected `exit0`, found `exit1`"),
        ("exit exit0 \"x".to_owned(), "1:12: the quotes are not closed on this line"),
        ("func @f() -> () {\nblock1:\nreturn\n}".to_owned(), "2:1: a function begins with `block0:`"),
        ("func @f() -> () {\n}".to_owned(), "1:1: a function begins with `block0:`"),
        ("func @f() -> () {\nblock0:\n".to_owned(), "3:1: expected a block, found the end of the text"),
        (body("v1: i64 = frob v0"), "3:15: there is no op `frob`"),
        (body("v1: i64 = add v0, v2"), "3:23: `v2` is not defined in `@f`"),
        (body("v0: i64 = neg v0"), "3:5: `v0` is defined twice"),
        (body("v1: i63 = neg v0"), "3:9: expected a type, found `i63`"),
        (body("v1: i64 = const 1 2"), "3:23: expected the end of the line, found `2`"),
        (body("v1: i64 = const 9223372036854775808"), "3:21: expected a constant, found `9223372036854775808`"),
        (body("v1: f64 = const nan:0x1"), "3:25: expected the bits of a NaN, `0x7ff8000000000001`, found `0x1`"),
        (body("v1: i64 = call @g(v0)"), "3:20: there is no function `@g`"),
        (body("v99999999: i64 = neg v0"), "3:5: the number of a value is below 1048576"),
        (body("return v0"), "4:5: expected another block after the end of this one, found `return`"),
        (body("v1: i64 = neg v0 !"), "3:22: no token begins with '!'"),
        (format!("{0}{0}", body("")), "6:6: there are two functions `@f`"),
    ] {
        let error = parse(&source).expect_err(&source);
        assert_eq!(error.to_string(), message, "{source}");
    }
}
