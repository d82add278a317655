//! Staged functions called from Python, on the reference interpreter.

use crate::host::test_vm::{Python, with_vm};

const IMPORTS: &str = "from snekpy import *\nimport array, traceback";

fn check(source: &str, expected: &[(&str, &str)]) {
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run(source);
        for (expression, text) in expected {
            assert_eq!(py.text(expression), *text, "{expression}");
        }
    });
}

fn fails(py: &Python<'_>, expression: &str, start: &str) {
    let error = py.error(expression);
    assert!(error.starts_with(start), "{expression}: {error}");
}

#[test]
fn a_call_gives_what_the_function_gives() {
    check(
        "@stage\ndef f(x, y=2, *, z=1): return x * y + z",
        &[
            ("f(2.0, 3.0)", "7.0"),
            ("f(2)", "5"),
            ("f(True, z=2.5)", "4.5"),
            ("len(f.stats()['specialisations'])", "3"),
            ("f(3), f(4), f(5)", "(7, 9, 11)"),
            ("f.stats()['specialisations'][1]['calls']", "4"),
            ("f.stats()['specialisations'][1]['why']", "'argument `x` was float, is int'"),
        ],
    );
}

#[test]
fn the_reason_of_another_specialisation_names_what_differs() {
    check(
        "G = 1\nclass P:\n    def __init__(self, x): self.x = x\np = P(1)\n\
         @stage\ndef f(x): return x + G\n\
         @stage\ndef g(p): return p.x\n\
         @stage\ndef h(d): return len(d)\n\
         def why(f): return f.stats()['specialisations'][-1]['why']\n\
         def twice():\n    global G\n    f(1)\n    G = 2\n    f(1)\n    G = 2.5\n    f(1)\n    return why(f)\n\
         def named():\n    g(p)\n    p.x = None\n    g(p)\n    return why(g)",
        &[
            ("twice()", "'name `G` was int, is float'"),
            ("named()", "'attribute `x` of argument `p` has changed'"),
            ("h({'a': 1}), h({'b': 1, 'c': 2}), why(h)", "(1, 2, 'argument `d` was another a `dict`')"),
        ],
    );
}

#[test]
fn stats_are_a_dict_that_prints_as_a_table() {
    check(
        "@stage\ndef f(x): return x * 2\nf(1); f(1.5)\nlines = str(f.stats()).splitlines()",
        &[
            ("isinstance(f.stats(), dict), sorted(f.stats())[:2]", "(True, ['backend', 'calls'])"),
            ("lines[0]", "'f (interp): 2 calls of compiled code, 0 as plain Python'"),
            ("lines[1].split()", "['calls', 'instructions', 'capture', 'optimise', 'compile', 'arguments', 'why']"),
            ("lines[2].split()[-4:]", "['x:', 'int', 'first', 'call']"),
            ("lines[3].endswith('x: float   argument `x` was int, is float')", "True"),
            ("repr(f.stats()).startswith(\"{'name': 'f', \")", "True"),
        ],
    );
}

#[test]
fn calls_that_do_not_fit_raise_as_in_python() {
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run("@stage\ndef f(x, *, y=1): return x + y");
        fails(py, "f()", "TypeError: f() missing 1 required positional argument: 'x'");
        fails(py, "f(1, 2)", "TypeError: f() takes 1 positional argument but 2");
        fails(py, "f(1, z=3)", "TypeError: f() got an unexpected keyword argument 'z'");
    });
}

#[test]
fn it_looks_like_the_function_it_wraps() {
    check(
        "@stage\ndef f(x, y=2):\n    'doc'\n    return x\nf.tag = 3",
        &[
            ("f.__name__, f.__doc__, f.__defaults__, f.tag", "('f', 'doc', (2,), 3)"),
            ("f.__wrapped__(5)", "5"),
            ("repr(f).startswith('<staged <function f')", "True"),
            ("f.inspect('sexpr', 1, 2)", "'(def f (in1 in2) in1)\\n'"),
            ("repr(f.lower(1.5))", "'<lowered f(x: float, y: int)>'"),
        ],
    );
}

#[test]
fn methods_lambdas_and_callables_are_staged() {
    check(
        "class C:\n    k = 3.0\n    @stage\n    def m(self, x): return x * self.k\n    @stage\n    @staticmethod\n    \
         def s(x): return x + 1\n    @classmethod\n    @stage\n    def c(cls, x): return x + cls.k\n    \
         def __call__(self, x): return x - 1\nc = C()",
        &[
            ("c.m(2.0), C.s(1), c.s(2), C.c(1.5)", "(6.0, 2, 3, 4.5)"),
            ("stage(c.m)(5.0), stage(c)(5)", "(15.0, 4)"),
            ("stage_lambda(lambda x: x * 2)(4)", "8"),
        ],
    );
}

#[test]
fn what_cannot_be_staged_is_refused_at_once() {
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run("def g(x): yield x\nasync def a(x): pass\ndef f(x): pass");
        fails(py, "stage(len)", "StagingError: S400: stage() takes a Python function");
        fails(py, "stage(int)", "StagingError: S400: stage() takes a Python function");
        fails(py, "stage(g, strict=True)", "StagingError: S200: `g` is a generator");
        fails(py, "stage(g, strict='leave')", "StagingError: S200: `g` is a generator");
        fails(py, "stage(g, strict='no')", "ValueError: strict= is True, False or 'leave', found 'no'");
        fails(py, "stage(a, strict=True)", "StagingError: S200: `a` is a coroutine");
        fails(py, "stage(f, static='n')", "TypeError: static= names `n`, and `f` has no such parameter");
        assert_eq!(py.text("list(stage(g)(1)) == [1]"), "True");
    });
}

#[test]
fn static_parameters_are_part_of_the_key() {
    check(
        "@stage(static=('n',))\ndef p(x, n):\n    r = 1.0\n    for i in range(n): r = r * x\n    return r\n\
         @stage\ndef q(x, n: Static[int], m: 'Static'): return x * n + m\n\
         @stage(static='shape')\ndef s(x, shape): return x * shape[0] + shape[1]\n\
         @stage(static='n')\ndef b(x, n): return x if n > 1 else 0",
        &[
            ("p(2.0, 3), p(2.0, 10), p(3.0, 3)", "(8.0, 1024.0, 27.0)"),
            ("len(p.stats()['specialisations'])", "2"),
            ("q(2.0, 3, 4), q(2.0, 3, 4), q(2.0, 4, 4)", "(10.0, 10.0, 12.0)"),
            ("len(q.stats()['specialisations'])", "2"),
            ("s(2, (3, 4)), s(2, tuple([3, 4])), len(s.stats()['specialisations'])", "(10, 10, 1)"),
            ("b(2, 2**70), b(3, 2**70), len(b.stats()['specialisations'])", "(2, 3, 1)"),
        ],
    );
}

#[test]
fn numbers_in_tuples_and_lists_are_values() {
    check(
        "@stage\ndef f(p): return p[0] + p[1][0]",
        &[
            ("f((1, [2])), f((3, [4])), f((3, [4, 5]))", "(3, 7, 7)"),
            ("[it['arguments'] for it in f.stats()['specialisations']]", "['p: (int, [int])', 'p: (int, [int, int])']"),
        ],
    );
}

#[test]
fn one_list_in_two_places_is_one_list() {
    check(
        "@stage\ndef two(a, b):\n    a[0] = 5.0\n    return b[0]\n\
         @stage\ndef nest(p): return p[0][0] + p[1][0]\n\
         @stage\ndef same(a, b): return a is b\nx = [1.0]; t = (1.0, 2.0)",
        &[
            ("two([1.0], [2.0]), two(x, x), x, two([0.0], [7.0])", "(2.0, 5.0, [5.0], 7.0)"),
            ("nest((x, x)), nest(([1.0], [2.0])), nest([t, t])", "(10.0, 3.0, 2.0)"),
            ("same(x, x), same(x, [5.0]), same(t, t), same(t, tuple([1.0, 2.0]))", "(True, False, True, False)"),
        ],
    );
}

#[test]
fn a_list_that_is_also_a_global_is_refused() {
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run("G = [1.0]\n@stage(strict=True)\ndef f(l):\n    l[0] = 9.0\n    return G[0]");
        assert_eq!(py.text("f([1.0])"), "1.0");
        fails(py, "f(G)", "StagingError: S412: ");
        fails(py, "stage(f.__wrapped__, strict=True)(G)", "StagingError: S412: ");
        assert_eq!(py.text("G"), "[1.0]");
        py.run("g = stage(f.__wrapped__)");
        assert_eq!(py.text("g([1.0]), g(G), G, g.stats()['plain_calls']"), "(1.0, 9.0, [9.0], 1)");
    });
}

#[test]
fn arrays_are_memory() {
    check(
        "@stage\ndef fill(xs, v):\n    for i in range(len(xs)): xs[i] = v * i\n    return xs\n\
         @stage\ndef pick(a, b, c): return a if c else b\n\
         @stage\ndef total(xs):\n    s = 0.0\n    for x in xs: s = s + x\n    return s\n\
         a = array.array('d', [0.0] * 4); e = array.array('d'); g = array.array('d')",
        &[
            ("fill(a, 1.5) is a, a.tolist() == [0.0, 1.5, 3.0, 4.5]", "(True, True)"),
            ("pick(e, g, True) is e, pick(e, g, False) is g, pick(a, a, True) is a", "(True, True, True)"),
            ("[total(array.array('d', [1.5] * n)) for n in (3, 4, 5, 0)]", "[4.5, 6.0, 7.5, 0.0]"),
            ("len(total.stats()['specialisations'])", "2"),
        ],
    );
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run("@stage(strict=True)\ndef f(a, b): return a\na = array.array('d', [1.0])");
        fails(py, "f(a, memoryview(a))", "StagingError: S405: two different objects show the same memory");
    });
}

#[test]
fn arguments_that_cannot_be_passed_are_refused() {
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run(
            "@stage(strict=True)\ndef f(x, **kw): return x\nl = []; l.append(l)\nd = 1\nfor i in range(20): d = [d]",
        );
        fails(py, "f(2**70)", "StagingError: S404: ");
        fails(py, "f(l)", "StagingError: S402: an argument is a container that contains itself");
        fails(py, "f(d)", "StagingError: S403: ");
        assert_eq!(py.text("f(1)"), "1");
        py.run("g = stage(f.__wrapped__)");
        // What is too large is handed on as the object it is.
        assert_eq!(
            py.text("g(2**70) == 2**70, g(l) is l, g(d) is d, g.stats()['plain_calls']"),
            "(True, True, True, 2)"
        );
    });
}

#[test]
fn further_keyword_arguments_are_a_dict() {
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run("@stage\ndef f(x, **kw):\n    kw['x'] = x\n    return kw\nl = [1]");
        assert_eq!(py.text("f(1, k=2, a=0.5)"), "{'k': 2, 'a': 0.5, 'x': 1}");
        assert_eq!(py.text("f(1, k=3, a=1.5)"), "{'k': 3, 'a': 1.5, 'x': 1}");
        assert_eq!(py.text("f.stats()['specialisations'].__len__()"), "1");
        assert_eq!(
            py.text("f(1, a=3, k=1.5), f(1, k=2), f(1)"),
            "({'a': 3, 'k': 1.5, 'x': 1}, {'k': 2, 'x': 1}, {'x': 1})"
        );
        assert_eq!(py.text("f(l, k=l)['k'] is l, f(l, k=[1])['x'] is l"), "(True, True)");
        py.run("@stage\ndef g(**kw):\n    kw['k'].append(1)\n    return kw\ng(k=l)");
        assert_eq!(py.text("l, g(k=l)['k'] is l, g(k=1.0 and l, z=True)['k']"), "([1, 1, 1, 1], True, [1, 1, 1, 1])");
    });
}

#[test]
fn what_keeps_changing_is_named() {
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run("N = ''\n@stage(strict=True)\ndef f(x): return x, N\n@stage(strict=True)\ndef g(x, s): return x");
        py.run("for i in range(64):\n    N = 'n%d' % i\n    assert f(1) == (1, N)");
        py.run("N = ''");
        fails(py, "f(1)", "StagingError: S414: `f` has been compiled 64 times, because name `N` keeps changing");
        py.run("for i in range(64): g(1, 'k%d' % i)");
        fails(
            py,
            "g(1, '')",
            "StagingError: S414: `g` has been compiled 64 times, because argument `s` keeps changing",
        );
        assert_eq!(py.text("g(1, 'k3')"), "1");
    });
}

#[test]
fn numbers_that_change_are_inputs() {
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run("N = 0\n@stage(strict=True)\ndef f(x): return x + N");
        py.run("for N in range(100): assert f(1) == N + 1");
        assert_eq!(
            py.text("[made['arguments'] for made in f.stats()['specialisations']]"),
            "['x: int', 'x: int, (N: int)']"
        );
    });
}

#[test]
fn objects_of_one_class_share_their_code() {
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run("class P:\n    def __init__(self, x): self.x = x");
        py.run("@stage(strict=True)\ndef f(p):\n    p.x += 1\n    return p.x");
        py.run("for i in range(100):\n    p = P(i)\n    assert f(p) == i + 1 == p.x");
        assert_eq!(
            py.text("[made['arguments'] for made in f.stats()['specialisations']]"),
            "['p: a `P`', 'p: P(x=int)']"
        );
    });
}

#[test]
fn disabled_code_is_plain_python() {
    check(
        "@stage\ndef f(x): return x\ndef go():\n    with disabled():\n        return f(2**70)",
        &[("go() == 2**70", "True"), ("f.stats()['calls'], f(1), f.stats()['calls']", "(0, 1, 1)")],
    );
}

#[test]
fn fallback_runs_as_plain_python_and_warns_once() {
    check(
        "import warnings\n@stage(fallback=True)\ndef f(x): return [x for _ in open('/dev/null')] + [x]\n\
         def go():\n    with warnings.catch_warnings(record=True) as w:\n        warnings.simplefilter('always')\n        \
         r = f(1), f(2)\n    return r, [str(i.message)[:31] for i in w if i.category is RuntimeWarning]",
        &[("go()", "(([1], [2]), ['`f` runs as plain Python: S301:'])")],
    );
}

#[test]
fn ints_past_64_bits_and_endless_recursion_are_as_in_the_program() {
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run("@stage\ndef sq(x):\n    return x * x\n@stage\ndef rec(n):\n    return 0 if n < 0 else 1 + rec(n + 1)");
        assert_eq!(py.text("sq(2**40) == 2**80"), "True");
        py.run("@stage\ndef hot(x):\n    print(end='')\n    return x * x");
        assert_eq!(py.text("hot(2**40) == 2**80"), "True");
        py.run("@stage(strict=True)\ndef loud(x):\n    print(end='')\n    return x * x");
        assert_eq!(py.text("loud(2**40) == 2**80"), "True");
        fails(py, "rec(1)", "RecursionError: maximum recursion depth exceeded");
        assert_eq!(py.text("sq(3)"), "9");
    });
}

#[test]
fn an_exception_remembers_the_one_being_handled() {
    check(
        "@stage\ndef f(x):\n    if x > 0: raise KeyError('k', x)\n    return x\n\
         def go():\n    try:\n        try: 1 / 0\n        except ZeroDivisionError: f(3)\n    \
         except KeyError as e: return e, e.__context__",
        &[("go()", "(KeyError('k', 3), ZeroDivisionError('division by zero'))")],
    );
}

#[test]
fn a_rep_fun_is_a_function_for_the_host() {
    check(
        "@rep_fun\ndef g(x):\n    'doc'\n    return x + 1\n@stage\ndef f(x): return g(x) * 2",
        &[
            ("g('a' and 1), g.__doc__, g.__name__", "(2, 'doc', 'g')"),
            ("f(3)", "8"),
            ("'@g' in f.inspect('captured')", "True"),
            ("lms(f) is f", "True"),
        ],
    );
}

#[test]
fn explicit_code_is_built_by_operators() {
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run("def power(x, n): return 1 if n == 0 else x * power(x, n - 1)");
        assert_eq!(py.text("power(Rep('in'), 3)"), "(* in (* in (* in 1)))");
        assert_eq!(py.text("-Rep('x') <= 2.5 ** Rep('y')"), "(<= (- x) (** 2.5 y))");
        fails(py, "bool(Rep('x') < 3)", "TypeError: `(< x 3)` is code that is built explicitly");
        fails(py, "{Rep('x')}", "TypeError: cannot use 'Rep' as a set element (unhashable type: 'Rep'");
    });
}

#[test]
fn a_partial_brings_arguments_along() {
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run("import functools\ndef f(a, b=2, *r, k=3, **m): return a, b, r, k, m");
        py.run("p = functools.partial(f, 1, k=7)\ns = stage(p)\nq = stage(functools.partial(p, 10, w=4))");
        assert_eq!(py.text("s(5, 6, k=9, z=1)"), "(1, 5, (6,), 9, {'z': 1})");
        assert_eq!(py.text("q(8)"), "(1, 10, (8,), 7, {'w': 4})");
        py.run(
            "class C:\n    n = 3\n    def __call__(self, x): return self.n * x\n    def m(self, a, b): return a - b",
        );
        assert_eq!(py.text("stage(C())(2), stage(functools.partial(C().m, 5))(7.5)"), "(6, -2.5)");
        fails(py, "stage(functools.partial(len, []))", "StagingError: S400: ");
    });
}

#[test]
fn a_view_needs_a_name_and_arguments() {
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run("@stage\ndef f(x, y, z=1): return x");
        fails(
            py,
            "f.inspect()",
            "TypeError: f has not been called yet: pass example arguments, f.inspect(\"ir\", 1.0, 1.0)",
        );
        fails(
            py,
            "f.inspect('x')",
            "ValueError: there is no view `x`, the views are: captured, ir, sexpr, plan, tape, ptx, llvm, asm",
        );
        assert_eq!(py.text("'func' in f.inspect('captured', 1, 2.0)"), "True");
    });
}

#[test]
fn a_loop_comes_back_behind_what_plain_python_does() {
    with_vm(|_, py| {
        py.run(IMPORTS);
        py.run(
            "class Box: pass\nbox = Box()\n@stage\ndef f(n):\n    total = 0\n    for i in range(n):\n        total += i\n        \
             if i % 50 == 49:\n            box.seen = i\n    return total",
        );
        // An interpreter that another test begins installs handlers of signals, which interrupts the making of code for
        // the rest of a call: then the next call makes it.
        let mut calls = 0;
        while calls == 0 || calls < 20 && py.text("f.stats()['reentries'][0]['specialisations']") == "[]" {
            assert_eq!(py.text("f(200), box.seen"), "(19900, 199)");
            calls += 1;
        }
        assert_eq!(py.text("[it['name'] for it in f.stats()['reentries']]"), "['f from line 9']");
        // The attribute is there then: the rest of the loop assigns it in compiled code.
        let left = "[[(it['count'], it['came_back']) for it in row['resumes']] for row in rows]";
        let all_back = format!("[[({calls}, {calls})]]");
        assert_eq!(py.text(&left.replace("rows", "f.stats()['specialisations']")), all_back);
        assert_eq!(py.text(&left.replace("rows", "f.stats()['reentries'][0]['specialisations']")), "[[]]");
    });
}
