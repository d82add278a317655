//! Which locals are live where.

use super::*;

/// The names of the locals that are live before `pc`.
fn live(code: &Code, pc: Pc) -> Vec<&str> {
    (0..code.local_count()).filter(|&it| code.live_in(pc, it)).map(|it| code.local_name(it)).collect()
}

#[test]
fn temporaries_are_dead_at_the_header_of_a_loop() {
    let source = "\
def f(x, limit):
    n = 0
    while x > limit:
        temporary = x / 2
        x = temporary - n
        n = n + 1
        unused = n
    return n
";
    check(source, |code| {
        assert_eq!(live(code, code.loops()[0].header), ["x", "limit", "n"]);
        assert_eq!(live(code, 0), ["x", "limit"]);
        let after = code.instrs.iter().rposition(|it| it.op == Opcode::ReturnValue).expect("returns") as Pc;
        assert_eq!(live(code, after), [""; 0]);
        assert_eq!(live(code, after - 1), ["n"]);
    });
}

#[test]
fn what_is_read_after_the_loop_is_live_in_it() {
    check("def f(xs):\n    last = None\n    for x in xs:\n        last = x\n    return last\n", |code| {
        assert_eq!(live(code, code.loops()[0].header), ["last"]);
        assert_eq!(live(code, find(code, 4, Opcode::LoadFast)), ["x"]);
    });
}

#[test]
fn what_a_handler_reads_is_live_where_it_can_be_raised() {
    let source = "\
def f(g):
    stage = g(0)
    try:
        stage = g(1)
        result = g(2)
    except ValueError as e:
        result = stage
        g(e)
    return result
";
    check(source, |code| {
        let stage = local(code, "stage");
        assert!(code.live_in(find(code, 4, Opcode::Call), stage), "the call may raise, then the old value is read");
        assert!(code.live_in(find(code, 5, Opcode::Call), stage));
        assert!(!code.live_in(find(code, 8, Opcode::Call), stage));
        assert!(!code.live_in(find(code, 2, Opcode::Call), stage));
        assert!(!code.live_in(find(code, 4, Opcode::Call), local(code, "result")));
        // `e` is deleted at the end of the handler by storing None first, so nothing needs it before.
        assert!(!code.live_in(find(code, 5, Opcode::Call), local(code, "e")));
    });
}

#[test]
fn what_finally_reads_is_live_in_the_body() {
    check("def f(g):\n    n = 1\n    try:\n        n = g()\n        g()\n    finally:\n        g(n)\n", |code| {
        let n = local(code, "n");
        assert!(all(code, Opcode::Call).iter().all(|&pc| code.line(pc) == 7 || code.live_in(pc, n)));
    });
}

#[test]
fn deleting_is_a_use() {
    check("def f(g):\n    a = g()\n    g()\n    del a\n    g()\n    a = 1\n    return a\n", |code| {
        let a = local(code, "a");
        assert!(code.live_in(find(code, 3, Opcode::Call), a), "`del` raises when there is nothing to delete");
        assert!(!code.live_in(find(code, 5, Opcode::Call), a));
    });
}

#[test]
fn a_variable_that_may_be_unbound_is_live_until_checked() {
    check("def f(c, g):\n    if c:\n        a = g()\n    g()\n    return a\n", |code| {
        let a = local(code, "a");
        let check = all(code, Opcode::LoadFastCheck);
        assert_eq!(check.len(), 1);
        assert!(code.live_in(check[0], a) && code.live_in(0, a));
        assert!(code.live_in(find(code, 4, Opcode::Call), a));
        assert!(!code.live_in(check[0] + 1, a));
    });
}

#[test]
fn comprehensions_save_the_variable_they_hide() {
    check("def f(xs, g):\n    x = g(1)\n    ys = [x for x in xs]\n    return x, ys\n", |code| {
        let x = local(code, "x");
        let save = find(code, 3, Opcode::LoadFastAndClear);
        assert!(code.live_in(save, x));
        assert!(!code.live_in(save + 1, x), "cleared, and stored before it is read");
        let head = find(code, 3, Opcode::ForIter);
        assert!(!code.live_in(head, x));
    });
}

#[test]
fn saving_is_a_use_only_if_what_is_put_back_is_used() {
    let source = "\
def f(xs, g):
    while g(1):
        for i in xs:
            g(i)
        for k in xs:
            g(k)
        a = [[g(i, j) for j in xs] for i in xs if i] + [j for j in xs]
        b = {k: v for k, v in g(a)}
        g(b, k, [i for i in xs])
";
    check(source, |code| {
        assert_eq!(live(code, code.loops()[0].header), ["xs", "g", "k"]);
        let saves = all(code, Opcode::LoadFastAndClear);
        let used: Vec<&str> = saves
            .iter()
            .map(|&pc| code.instrs[pc as usize].arg as usize)
            .zip(&saves)
            .filter(|&(local, &pc)| code.live_in(pc, local))
            .map(|(local, _)| code.local_name(local))
            .collect();
        assert_eq!(used, ["k"]);
    });
}

#[test]
fn a_saved_variable_that_a_handler_reads_is_used() {
    check("def f(g):\n    x = g()\n    try:\n        [g(x) for x in g]\n    except E:\n        return x\n", |code| {
        let x = local(code, "x");
        assert!(code.live_in(find(code, 4, Opcode::LoadFastAndClear), x));
    });
}

#[test]
fn superinstructions_store_and_load_at_once() {
    check("def f(p, g):\n    a, b = p\n    c = [a for a in b]\n    return [b for d in c], a\n", |code| {
        let (a, b, d) = (local(code, "a"), local(code, "b"), local(code, "d"));
        let unpack = find(code, 2, Opcode::StoreFastStoreFast);
        assert_eq!(live(code, unpack), [""; 0]);
        assert!(code.live_in(unpack + 1, a) && code.live_in(unpack + 1, b));
        // Stores and loads the same, and stores one and loads another.
        assert!(!code.live_in(find(code, 3, Opcode::StoreFastLoadFast), a));
        let other = find(code, 4, Opcode::StoreFastLoadFast);
        assert!(code.live_in(other, b) && !code.live_in(other, d) && !code.live_in(other + 1, d));
    });
}

#[test]
fn loading_two_at_once_uses_both() {
    check("def f(a, b, g):\n    g()\n    return a + b\n", |code| {
        assert_eq!(live(code, find(code, 3, Opcode::LoadFastBorrowLoadFastBorrow)), ["a", "b"]);
        assert_eq!(live(code, find(code, 2, Opcode::Call)), ["a", "b"]);
    });
}

#[test]
fn cells_are_always_live() {
    check("def f(x):\n    n = x\n    g = lambda: n\n    return 1\n", |code| {
        let ret = code.instrs.len() as Pc - 1;
        assert_eq!(live(code, ret), ["n"]);
    });
}

#[test]
fn functions_that_look_at_locals_by_name_keep_them() {
    check("def f(x):\n    n = x\n    return locals()\n", |code| {
        assert_eq!(live(code, code.instrs.len() as Pc - 1), ["x", "n"]);
    });
}

#[test]
fn more_than_64_locals() {
    let lines: String = (0..100).map(|it| format!("    v{it} = g()\n")).collect();
    let sum: Vec<String> = (0..100).map(|it| format!("v{it}")).collect();
    let source = format!("def f(g):\n{lines}    g()\n    return {}\n", sum.join(" + "));
    check(&source, |code| {
        let all_live = find(code, 102, Opcode::Call);
        assert_eq!(live(code, all_live).len(), 100);
        assert_eq!(live(code, find(code, 52, Opcode::Call)).len(), 51);
    });
}
