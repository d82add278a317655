//! What every kind of values made of others must do, asked of one of each, and what tells what an object is.

use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::types::{Elem, KeyKind, ListType, MapType, Scalar, Type};

use super::{later, leaves, outline_of, path, text, with_session};
use crate::capture::heap;
use crate::capture::map;
use crate::capture::session::Session;
use crate::capture::value::Num;
use crate::capture::values::{Abstract, classify};
use crate::host::test_vm::Python;
use crate::kind::{self, Kind, Leaving, Range};

/// Values of kinds whose parts are known, with what they stand for. Those that no program can hand on are not among them.
fn known(py: &Python<'_>, session: &Session<'_>) -> Vec<(Kind, PyObjectRef)> {
    let range = Range { start: py.eval("1"), stop: py.eval("9"), step: py.eval("2") };
    let complex = kind::like(&py.eval("1.5 - 2j"), session.vm).expect("it is one").into_owned();
    vec![(range.into(), py.eval("range(1, 9, 2)")), (complex, py.eval("1.5 - 2j"))]
}

#[test]
fn what_is_made_of_the_parts_is_what_it_stands_for() {
    with_session(|session, py| {
        let vm = session.vm;
        for (kind, object) in known(py, session) {
            let Leaving::Made { make, parts } = kind.staged().leaving() else { panic!("it leaves") };
            let made = make.make(&parts, vm).unwrap_or_else(|_| panic!("it can be made"));
            assert!(vm.bool_eq(&made, &object).is_ok_and(|it| it), "{}", text(&made, vm));
            assert!(made.class().is(object.class()));
        }
    });
}

#[test]
fn one_with_its_own_parts_is_the_same() {
    with_session(|session, py| {
        for (kind, _) in known(py, session) {
            let parts = kind.staged().parts();
            let again = kind.staged().with(parts.clone());
            assert_eq!(again.known(), kind.known());
            let same = again.staged().parts().iter().zip(&parts).all(|(a, b)| a.is(b));
            assert!(same, "{}", kind.staged().noun());
        }
    });
}

#[test]
fn its_parts_are_leaves_in_order_and_all_else_is_the_shape() {
    with_session(|session, py| {
        let vm = session.vm;
        for (kind, object) in known(py, session) {
            let is_complex = object.class().is(vm.ctx.types.complex_type);
            let part = later(session, if is_complex { Type::F64 } else { Type::I64 });
            let count = kind.staged().parts().len();
            let staged = kind.staged().with(vec![part; count]).object(vm);
            let first = path(session, py, kind.object(vm), py.eval("1"));
            let second = path(session, py, staged, py.eval("1"));
            assert_eq!(outline_of(session, &first).shape, outline_of(session, &second).shape);
            assert_eq!(leaves(session, &first).len(), count + 1);
        }
    });
}

#[test]
fn a_known_object_is_like_a_kind_only_where_paths_may_meet_there() {
    with_session(|session, py| {
        for (source, is_like) in [("1j", true), ("1.5", false), ("'text'", false), ("[1]", false), ("None", false)] {
            assert_eq!(kind::like(&py.eval(source), session.vm).is_some(), is_like, "{source}");
        }
    });
}

#[test]
fn nobody_sees_the_name_of_the_class_that_stands_for_it() {
    with_session(|session, py| {
        for (kind, object) in known(py, session) {
            let class = kind::class(&kind.object(session.vm), session.vm).expect("it has a class in the program");
            assert!(class.is(object.class()), "{}", class.name());
        }
    });
}

/// What [`classify`] says, in a word.
fn word(object: &PyObjectRef, session: &Session<'_>) -> &'static str {
    match classify(object, session.vm) {
        Abstract::Number(Num::Static(_)) => "a known number",
        Abstract::Number(Num::Staged(..)) => "a number",
        Abstract::Array(_) => "an array",
        Abstract::Inner(..) => "inside",
        Abstract::Made(_) => "made",
        Abstract::Handle(_) => "a handle",
        Abstract::Tensor(_) => "a tensor",
        Abstract::Iterator => "an iterator",
        Abstract::Items(_) => "items",
        Abstract::Map(_) => "a map",
        Abstract::View(view) if view.map.is_some() => "a view of a map",
        Abstract::View(_) => "a view",
        Abstract::Tuple(_) => "a tuple",
        Abstract::List(_) => "a list",
        Abstract::Dict(_) => "a dict",
        Abstract::Set(_) => "a set",
        Abstract::FrozenSet(_) => "a frozenset",
        Abstract::Text(_) => "a text",
        Abstract::Bytes(_) => "bytes",
        Abstract::Range(_) => "a range",
        Abstract::Slice(_) => "a slice",
        Abstract::Other => "other",
    }
}

#[test]
fn the_class_says_what_an_object_is() {
    with_session(|session, py| {
        py.run("class Tuple(tuple): pass\nclass Dict(dict): pass\nclass Int(int): pass");
        let known = [
            ("1", "a known number"),
            ("True", "a known number"),
            ("0.5", "a known number"),
            ("2 ** 64", "other"),
            ("Int(1)", "other"),
            ("1j", "other"),
            ("None", "other"),
            ("(1,)", "a tuple"),
            ("Tuple()", "other"),
            ("[1]", "a list"),
            ("{1: 2}", "a dict"),
            ("{}", "a dict"),
            ("Dict()", "other"),
            ("{1}", "a set"),
            ("set()", "a set"),
            ("frozenset()", "a frozenset"),
            ("{1: 2}.items()", "a view"),
            ("''", "a text"),
            ("b''", "bytes"),
            ("range(3)", "a range"),
            ("slice(3)", "a slice"),
        ];
        for (source, is) in known {
            assert_eq!(word(&py.eval(source), session), is, "{source}");
        }
    });
}

#[test]
fn what_is_in_a_container_says_whether_it_is_of_the_compiled_code() {
    with_session(|session, py| {
        let vm = session.vm;
        let list = later(session, Type::List(ListType::of(Elem::I64)));
        let map = |value| Type::Map(MapType { key: Scalar::I64, keys: KeyKind::Number, value });
        let (dict, set) = (later(session, map(Some(Scalar::I64))), later(session, map(None)));
        assert_eq!(word(&list, session), "inside");
        assert_eq!(word(&vm.ctx.new_list(vec![list.clone()]).into(), session), "items");
        assert_eq!(word(&vm.ctx.new_list(vec![list.clone(), list]).into(), session), "a list");
        let object = py.eval("dict()");
        heap::write(&object, &map::contents_of(dict, vm), vm);
        assert_eq!(word(&object, session), "a map");
        let view = vm.call_method(&object, "keys", ()).unwrap_or_else(|_| panic!("dicts have it"));
        assert_eq!(word(&view, session), "a view of a map");
        let object = py.eval("set()");
        heap::write(&object, &map::contents_of(set, vm), vm);
        assert_eq!(word(&object, session), "a map");
        let number = later(session, Type::F64);
        assert_eq!(word(&number, session), "a number");
        assert_eq!(word(&vm.ctx.new_list(vec![number]).into(), session), "a list");
    });
}
