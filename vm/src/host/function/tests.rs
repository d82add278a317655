//! The parts of functions, binding against RustPython's own binding, and making functions.

use super::*;
use crate::host::test_vm::{Python, with_vm};
use rustpython_vm::{
    bytecode::oparg::MakeFunctionFlag,
    function::{FuncArgs, KwArgs},
};

fn parts_of(source: &str, vm: &VirtualMachine, py: &Python<'_>) -> FunctionParts {
    parts(&py.eval(source), vm).unwrap().expect("a Python function")
}

#[test]
fn parts_are_the_attributes() {
    with_vm(|vm, py| {
        py.run("def outer(k):\n    def f(a, b=2, *, c=3): return k + a + b + c\n    return f\nf = outer(10)");
        let parts = parts_of("f", vm, py);
        for (part, attribute) in [
            (parts.code.into(), "f.__code__"),
            (parts.globals.into(), "f.__globals__"),
            (parts.builtins, "f.__builtins__"),
            (parts.defaults.unwrap().into(), "f.__defaults__"),
            (parts.kwdefaults.unwrap().into(), "f.__kwdefaults__"),
            (parts.closure[0].clone(), "f.__closure__[0]"),
        ] {
            let part: PyObjectRef = part;
            assert!(part.is(&py.eval(attribute)), "{attribute}");
        }
        assert_eq!(parts.qualname.to_string(), "outer.<locals>.f");
        assert_eq!(parts.closure.len(), 1);
    });
}

#[test]
fn only_exact_functions_have_parts() {
    with_vm(|vm, py| {
        py.run("class C:\n    def m(self): pass\n    @staticmethod\n    def s(): pass");
        for source in ["len", "C", "C().m", "print", "1", "[].append"] {
            assert!(parts(&py.eval(source), vm).unwrap().is_none(), "{source}");
        }
        let plain = parts_of("lambda: 0", vm, py);
        assert!(plain.defaults.is_none() && plain.kwdefaults.is_none() && plain.closure.is_empty());
        assert!(parts(&py.eval("C.m"), vm).unwrap().is_some());
        assert!(parts(&py.eval("C.s"), vm).unwrap().is_some());
        assert!(code(&py.eval("C.m"), vm).is_some());
        assert!(code(&py.eval("len"), vm).is_none());
    });
}

#[test]
fn bound_methods_come_apart() {
    with_vm(|vm, py| {
        py.run("class C:\n    def m(self): return 'm'\nc = C()");
        let (func, receiver) = unpack_bound_method(&py.eval("c.m"), vm).unwrap();
        assert!(func.is(&py.eval("C.m")) && receiver.is(&py.eval("c")));
        assert!(unpack_bound_method(&py.eval("C.m"), vm).is_none());
        assert!(unpack_bound_method(&py.eval("[].append"), vm).is_none());
        py.set("again", bound_method(func, receiver, vm));
        assert_eq!(py.text("again(), again == c.m"), "('m', True)");
    });
}

#[test]
fn slots_have_names() {
    with_vm(|vm, py| {
        py.run("def outer(free):\n    def f(a, cell, *rest):\n        own = 1\n        def g(): return cell, own, free\n        x = g\n        return x\n    return f\nf = outer(0)");
        let code = parts_of("f", vm, py).code;
        let names: Vec<_> = (0..code.localspluskinds.len()).map(|slot| slot_name(&code, slot)).collect();
        assert_eq!(names[..3], ["a", "cell", "rest"]);
        assert_eq!(*names.last().unwrap(), "free");
        assert!(names.contains(&"own") && names.contains(&"x") && !names.contains(&"?"));
    });
}

/// Every signature below against every call below: binding gives the slots that RustPython gives,
/// or the error that it raises.
#[test]
fn binding_is_rustpythons() {
    let signatures = [
        "",
        "a",
        "a, b",
        "a, b, c",
        "a, b=20",
        "a=10, b=20",
        "a, b=20, c=30",
        "a, /",
        "a, /, b",
        "a, b, /, c=30",
        "a, b=20, /, *, c",
        "*args",
        "a, *args",
        "a, b=20, *args",
        "**kwargs",
        "a, **kwargs",
        "a, /, **kwargs",
        "*, a",
        "*, a, b",
        "*, a, b, c",
        "*, a=10, b",
        "a, *, b",
        "a, *, b=20, c",
        "a, *args, b",
        "a, b=20, *args, c=30, **kwargs",
        "a, /, b, *, c, d=40, **kwargs",
        "*args, **kwargs",
    ];
    let positional = [0, 1, 2, 3, 4];
    let keywords: [&[&str]; 9] =
        [&[], &["a"], &["b"], &["c"], &["a", "b"], &["b", "c"], &["c", "b", "a"], &["z"], &["z", "a", "b"]];
    with_vm(|vm, py| {
        let mut errors = 0;
        for signature in signatures {
            py.run(&format!("def f({signature}): return list(locals().items())"));
            let function = py.eval("f");
            let parts = parts(&function, vm).unwrap().unwrap();
            for count in positional {
                for names in keywords {
                    let args: Vec<_> = (1..=count).map(|n| vm.new_pyobj(n)).collect();
                    let kwargs: KwArgs = names.iter().map(|name| ((*name).to_owned(), vm.new_pyobj(*name))).collect();
                    let args = FuncArgs { args, kwargs };
                    let expected = function.call(args.clone(), vm);
                    let found = bind(&parts, args, vm);
                    let call = format!("f({signature}) with {count} positional and {names:?}");
                    match (expected, found) {
                        (Ok(expected), Ok(slots)) => {
                            assert_eq!(slots.len(), parts.code.localspluskinds.len());
                            let found: Vec<_> = slots
                                .into_iter()
                                .enumerate()
                                .filter_map(|(slot, value)| Some((slot_name(&parts.code, slot), value?)))
                                .map(|(name, value)| vm.new_tuple((name, value)).into())
                                .collect();
                            let found = vm.ctx.new_list(found).as_object().repr(vm).unwrap();
                            assert_eq!(found.to_string(), expected.repr(vm).unwrap().to_string(), "{call}");
                        }
                        (Err(expected), Err(found)) => {
                            errors += 1;
                            assert_eq!(py.describe(&found), py.describe(&expected), "{call}");
                        }
                        (Ok(_), Err(found)) => panic!("{call}: {}", py.describe(&found)),
                        (Err(expected), Ok(_)) => panic!("{call}: expected {}", py.describe(&expected)),
                    }
                }
            }
        }
        assert!(errors > 500, "most of these calls are wrong: {errors}");
    });
}

#[test]
fn functions_are_made_in_one_go() {
    with_vm(|vm, py| {
        py.run(
            "def outer(k):\n    def f(a, b=2, *, c=3) -> 'int':\n        'doc'\n        return k, a, b, c\n    return f\nf = outer(1)",
        );
        let like = parts_of("f", vm, py);
        let attributes = [
            (MakeFunctionFlag::Closure, vm.ctx.new_tuple(like.closure.clone()).into()),
            (MakeFunctionFlag::Annotate, py.eval("f.__annotate__")),
            (MakeFunctionFlag::KwOnlyDefaults, py.eval("{'c': 30}")),
            (MakeFunctionFlag::Defaults, py.eval("(20,)")),
        ];
        py.set("g", make_function(like.code, like.globals, &attributes, vm).unwrap());
        assert_eq!(py.text("g(10)"), "(1, 10, 20, 30)");
        assert_eq!(py.text("g.__name__, g.__qualname__, g.__doc__"), "('f', 'outer.<locals>.f', 'doc')");
        assert_eq!(py.text("g.__annotations__"), "{'return': 'int'}");
        assert_eq!(py.text("g.__closure__[0] is f.__closure__[0], g.__globals__ is f.__globals__"), "(True, True)");
    });
}

#[test]
fn functions_are_made_step_by_step() {
    with_vm(|vm, py| {
        py.run("def outer(k):\n    def f(a, b=2, *, c=3): return k, a, b, c\n    return f\nf = outer(1)");
        let like = parts_of("f", vm, py);
        let closure = vm.ctx.new_tuple(like.closure.clone()).into();
        let mut function = new_function(like.code, like.globals, vm).unwrap();
        py.set("empty", function.clone());
        assert_eq!(py.error("empty.__closure__[0].cell_contents"), "ValueError: Cell is empty");
        for (flag, value) in [
            (MakeFunctionFlag::Annotate, py.eval("lambda format: {'a': int}")),
            (MakeFunctionFlag::Closure, closure),
            (MakeFunctionFlag::KwOnlyDefaults, py.eval("{'c': 30}")),
            (MakeFunctionFlag::Defaults, py.eval("(20,)")),
            (MakeFunctionFlag::TypeParams, py.eval("(int,)")),
        ] {
            function = set_function_attribute(function, flag, value, vm).unwrap();
        }
        py.set("g", function);
        assert_eq!(py.text("g(10)"), "(1, 10, 20, 30)");
        assert_eq!(py.text("g.__annotations__, g.__type_params__"), "({'a': <class 'int'>}, (<class 'int'>,))");
    });
}

#[test]
fn a_wrong_closure_is_refused() {
    with_vm(|vm, py| {
        let like = parts_of("(lambda k: lambda: k)(1)", vm, py);
        let short = [(MakeFunctionFlag::Closure, vm.ctx.new_tuple(Vec::new()).into())];
        let error = make_function(like.code, like.globals, &short, vm).unwrap_err();
        assert_eq!(py.describe(&error), "ValueError: <lambda> requires closure of length 1, not 0");
    });
}
