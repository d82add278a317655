//! What is pure, what is not, and who changes what: by identity, under any name.

use super::*;
use crate::host::test_vm::{Python, with_vm};
use rustpython_vm::{builtins::PyTuple, function::KwArgs};

fn pure(source: &str, vm: &VirtualMachine, py: &Python<'_>) -> bool {
    is_pure_native(&py.eval(source), vm)
}

/// Whether `callable(*args)` is pure, for source of the form `callable, args`.
fn pure_call(source: &str, vm: &VirtualMachine, py: &Python<'_>) -> bool {
    let all = py.eval(&format!("({source},)"));
    let all = all.downcast_ref::<PyTuple>().unwrap().as_slice();
    is_pure_call(&all[0], &FuncArgs::from(all[1..].to_vec()), vm)
}

#[test]
fn pure_callables() {
    with_vm(|vm, py| {
        py.run("import math, operator, builtins");
        py.run("class MyList(list): pass\nclass MyStr(str): pass");
        for source in [
            "len",
            "abs",
            "sorted",
            "max",
            "math.sin",
            "math.gcd",
            "operator.add",
            "operator.getitem",
            "int",
            "tuple",
            "range",
            "ValueError",
            "zip",
            "'x'.upper",
            "str.join",
            "b''.hex",
            "(1).bit_length",
            "(1).__add__",
            "float.__mul__",
            "float.fromhex",
            "int.from_bytes",
            "str.maketrans",
            "(1,).index",
            "range(3).count",
            "[].copy",
            "[].index",
            "list.count",
            "[].__len__",
            "{}.get",
            "dict.fromkeys",
            "{}.items",
            "{1}.union",
            "frozenset().union",
            "MyList().index",
            "MyStr().upper",
        ] {
            assert!(pure(source, vm, py), "{source}");
        }
    });
}

#[test]
fn everything_else_is_not_pure() {
    with_vm(|vm, py| {
        py.run("import math, operator, sys, builtins, time");
        py.run(
            "class MyList(list):\n    def index(self, x): return 0\nclass C:\n    def __call__(self): pass\n    def m(self): pass\n    index = [].append",
        );
        for source in [
            "print",
            "input",
            "open",
            "exec",
            "eval",
            "compile",
            "globals",
            "locals",
            "vars",
            "dir",
            "id",
            "next",
            "getattr",
            "setattr",
            "delattr",
            "hasattr",
            "type",
            "object",
            "super",
            "__import__",
            "breakpoint",
            "time.time",
            "sys.exit",
            "operator.setitem",
            "operator.iadd",
            "operator.__iadd__",
            "operator.attrgetter",
            "[].append",
            "list.sort",
            "{}.update",
            "{}.setdefault",
            "set().add",
            "iter([]).__next__",
            "(x for x in [1]).send",
            "object.__setattr__",
            "C",
            "C()",
            "C().m",
            "C().index",
            "MyList",
            "MyList().index",
            "lambda: 0",
            "1",
            "None",
        ] {
            assert!(!pure(source, vm, py), "{source}");
        }
    });
}

#[test]
fn names_do_not_count() {
    with_vm(|vm, py| {
        py.run("import builtins, math, types");
        py.run("real = len, abs\nbuiltins.len, builtins.abs = print, lambda x: x");
        assert!(!pure("len", vm, py) && !pure("abs", vm, py));
        py.run("builtins.len, builtins.abs = real");
        py.run("def fake(): pass\nfake.__name__ = 'sin'\nfake.__module__ = 'math'\nmath.sin, keep = fake, math.sin");
        assert!(!pure("math.sin", vm, py) && pure("keep", vm, py));
        py.run("math.sin = keep\nother = types.ModuleType('math')\nother.sin = print");
        assert!(!pure("other.sin", vm, py));
        py.run("import sys\nsys.__name__ = 'math'\nprobe = sys.getrecursionlimit");
        assert!(!pure("probe", vm, py));
        py.run("sys.__name__ = 'sys'");
        let mine = vm.new_function("len", |_: &VirtualMachine| 0);
        assert!(!is_pure_native(mine.as_object(), vm), "an embedder's function of that name");
    });
}

#[test]
fn calls_are_judged_with_their_arguments() {
    with_vm(|vm, py| {
        py.run("import math\nclass C: x = 1");
        for source in [
            "type, 1",
            "getattr, 1.5, 'real'",
            "getattr, 'a', 'upper'",
            "getattr, [], 'append'",
            "hasattr, (), 'x'",
            "hash, 'a'",
            "hash, (1, 2)",
            "isinstance, iter([]), int",
            "sum, [1, 2]",
            "list, range(3)",
            "math.sqrt, 2.0",
            "iter, [1]",
        ] {
            assert!(pure_call(source, vm, py), "{source}");
        }
        for source in [
            "type, 'D', (), {}",
            "getattr, C, 'x'",
            "getattr, C(), 'x'",
            "getattr, __import__('math'), 'pi'",
            "hasattr, C(), 'x'",
            "hash, C()",
            "sum, iter([1])",
            "list, (x for x in [1])",
            "zip, [1], iter([2])",
            "''.join, map(str, [1])",
            "math.prod, iter([2])",
            "print, 1",
        ] {
            assert!(!pure_call(source, vm, py), "{source}");
        }
        let kwargs: KwArgs = [("start".to_owned(), py.eval("iter([1])"))].into_iter().collect();
        let call = FuncArgs { args: vec![py.eval("[1]")], kwargs };
        assert!(!is_pure_call(&py.eval("sum"), &call, vm), "an iterator as keyword argument");
    });
}

#[test]
fn every_mutator_is_known_bound_and_unbound() {
    with_vm(|vm, py| {
        py.run("class MyList(list): pass\nclass MyDict(dict): pass\nclass MySet(set): pass");
        for kind in Mutator::ALL {
            let (class, method) = kind.method();
            let mine = match class {
                "list" => "MyList",
                "dict" => "MyDict",
                _ => "MySet",
            };
            let unbound = py.eval(&format!("{class}.{method}"));
            let mutation = mutator_kind(&unbound, vm).unwrap_or_else(|| panic!("{class}.{method}"));
            assert_eq!((mutation.kind, mutation.receiver.is_none()), (*kind, true));
            for class in [class, mine] {
                py.run(&format!("x = {class}()"));
                let mutation = mutator_kind(&py.eval(&format!("x.{method}")), vm).unwrap();
                assert_eq!(mutation.kind, *kind, "{class}.{method}");
                assert!(mutation.receiver.unwrap().is(&py.eval("x")));
                assert!(!pure(&format!("x.{method}"), vm, py), "{class}.{method}");
            }
        }
    });
}

/// A method of list, dict or set is pure, or a mutator, or one of these.
#[test]
fn no_method_is_forgotten() {
    with_vm(|vm, py| {
        for class in ["list", "dict", "set"] {
            let names = py.eval(&format!("sorted(n for n, v in vars({class}).items() if callable(v))"));
            for name in vm.extract_elements_with(&names, |name| Ok(name.str(vm)?.to_string())).unwrap() {
                let callable = py.eval(&format!("{class}.{name}"));
                let known = is_pure_native(&callable, vm) || mutator_kind(&callable, vm).is_some();
                let neither = ["__new__", "__reduce__", "__getattribute__", "__hash__", "__class_getitem__"];
                assert!(known || neither.contains(&name.as_str()), "{class}.{name}");
            }
        }
    });
}

#[test]
fn what_is_no_mutator() {
    with_vm(|vm, py| {
        py.run("class C:\n    def append(self, x): pass\nfrom collections import deque");
        for source in ["C().append", "deque().append", "bytearray().append", "[].index", "print", "list", "1"] {
            assert!(mutator_kind(&py.eval(source), vm).is_none(), "{source}");
        }
    });
}
