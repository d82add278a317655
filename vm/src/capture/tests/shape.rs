//! Which paths may meet.

use std::collections::BTreeSet;

use rustpython_vm::PyObjectRef;
use snekpy_stage::op::Const;
use snekpy_stage::types::Type;

use super::{later, leaves, made, outline_of, path, path_of, text, with_session};
use crate::capture::shape::{Leaf, replace_leaves};
use crate::capture::value::V;
use crate::host::test_vm::Python;

/// Whether the paths whose variables are these pairs have one shape.
fn meet(first: &str, second: &str) -> bool {
    let mut are_one = false;
    with_session(|session, py| {
        let mut outline = |source: &str| {
            let [a, b] = pair(py, source).map(|it| made(session, it));
            let state = path(session, py, a, b);
            outline_of(session, &state).shape
        };
        are_one = outline(first) == outline(second);
    });
    are_one
}

fn pair(py: &Python<'_>, source: &str) -> [PyObjectRef; 2] {
    py.set("PAIR", py.eval(source));
    [py.eval("PAIR[0]"), py.eval("PAIR[1]")]
}

#[test]
fn numbers_of_one_type_are_no_part_of_the_shape() {
    assert!(meet("(1, 2.5)", "(7, -0.0)"));
    assert!(meet("([1, 2], {'k': 1.5})", "([3, 4], {'k': 2.5})"));
    assert!(meet("((1, (2, 3)), 1j)", "((4, (5, 6)), 2j)"));
}

#[test]
fn types_texts_lengths_and_keys_are() {
    for (first, second) in [
        ("(1, 2)", "(1, 2.0)"),
        ("(1, 2)", "(True, 2)"),
        ("('a', 1)", "('b', 1)"),
        ("([1], 1)", "([1, 2], 1)"),
        ("({'a': 1}, 1)", "({'b': 1}, 1)"),
        ("(None, 1)", "(1, 1)"),
        ("((1, 2), 1)", "([1, 2], 1)"),
        ("(range(3), 1)", "([3], 1)"),
    ] {
        assert!(!meet(first, second), "{first} {second}");
    }
}

#[test]
fn one_object_under_two_names_is_another_shape_than_two_objects() {
    assert!(!meet("(lambda x: (x, x))([1])", "([1], [1])"));
    assert!(meet("(lambda x: (x, [x]))([1])", "(lambda x: (x, [x]))([2])"));
    assert!(!meet("(lambda x: (x, [x]))([1])", "([1], [[1]])"));
}

#[test]
fn a_number_that_is_known_later_meets_one_that_is_known() {
    with_session(|session, py| {
        let x = later(session, Type::F64);
        let known = path(session, py, py.eval("1.5"), py.eval("2"));
        let staged = path(session, py, x, py.eval("3"));
        assert_eq!(outline_of(session, &known).shape, outline_of(session, &staged).shape);
        let [first, second] = leaves(session, &staged)[..] else { panic!("two leaves") };
        assert!(matches!(first, Leaf::Staged(_)));
        assert_eq!(second, Leaf::Static(Const::I64(3)));
        assert_eq!(leaves(session, &known), [Leaf::Static(Const::F64(1.5)), Leaf::Static(Const::I64(2))]);
    });
}

#[test]
fn variables_that_are_not_read_any_more_are_left_out() {
    with_session(|session, py| {
        let of = |session: &mut _, text: &str| {
            let state = path_of(session, py, "lambda a, b: a", vec![py.eval("1"), py.eval(text)]);
            outline_of(session, &state).shape
        };
        assert_eq!(of(session, "'a text'"), of(session, "[1, 2, 3]"));
    });
}

#[test]
fn leaves_are_replaced_by_position_wherever_they_are() {
    with_session(|session, py| {
        let state = path(session, py, py.eval("(1, (2.5, 3))"), py.eval("4"));
        let vm = session.vm;
        let mut numbers = Vec::new();
        let replaced = replace_leaves(session, &state, &BTreeSet::new(), |position, object| {
            numbers.push(text(object, vm));
            vm.ctx.new_int(10 * position).into()
        });
        assert_eq!(numbers, ["1", "2.5", "3", "4"]);
        let locals: Vec<String> =
            replaced.frame().locals.iter().flatten().filter_map(V::object).map(|it| text(it, vm)).collect();
        assert_eq!(locals, ["(0, (10, 20))", "30"]);
    });
}
