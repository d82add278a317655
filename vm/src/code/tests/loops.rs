//! Joins, loops and the order.

use super::*;

/// The header of each loop as its line and opcode, with the depth; outer loops first.
fn headers(code: &Code) -> Vec<(u32, Opcode, u32)> {
    code.loops().iter().map(|it| (code.line(it.header), code.instrs[it.header as usize].op, it.depth)).collect()
}

/// The loop whose header is in this line.
fn loop_in_line(code: &Code, line: u32) -> usize {
    code.loops().iter().position(|it| code.line(it.header) == line).expect("a loop begins in that line")
}

/// Whether the call in `line` is in the loop that begins in `loop_line`.
fn call_is_in(code: &Code, line: u32, loop_line: u32) -> bool {
    code.in_loop(find(code, line, Opcode::Call), loop_in_line(code, loop_line))
}

#[test]
fn arms_of_an_if_join_behind_it() {
    check("def f(c, g):\n    if c:\n        g(1)\n    else:\n        g(2)\n    g(3)\n    return g\n", |code| {
        assert_eq!(code.loops(), []);
        let behind = (0..code.instrs.len() as Pc).find(|&pc| code.line(pc) == 6).expect("line 6");
        assert!(code.is_join(behind));
        let joins = (0..code.instrs.len() as Pc).filter(|&pc| code.is_join(pc)).count();
        assert_eq!(joins, 1);
        let calls = [3, 5, 6].map(|line| code.order(find(code, line, Opcode::Call)));
        assert!(calls.is_sorted(), "in the order of the source: {calls:?}");
    });
}

#[test]
fn header_of_a_for_is_for_iter() {
    check("def f(xs, g):\n    for x in xs:\n        g(x)\n    g(0)\n", |code| {
        assert_eq!(headers(code), [(2, Opcode::ForIter, 1)]);
        assert!(code.is_join(code.loops()[0].header));
        assert!(call_is_in(code, 3, 2));
        assert!(!call_is_in(code, 4, 2));
        assert!(!code.in_loop(find(code, 2, Opcode::GetIter), 0));
        assert!(!code.in_loop(find(code, 2, Opcode::PopIter), 0));
    });
}

#[test]
fn header_of_a_while_is_its_condition() {
    check("def f(x, g):\n    while x > g and x:\n        x = g(x)\n    return x\n", |code| {
        let back = all(code, Opcode::JumpBackward);
        let header = code.instrs[back[0] as usize].target.expect("a jump");
        assert_eq!(code.loops().len(), 1);
        assert_eq!(code.loops()[0].header, header);
        assert_eq!(code.loop_header(header), Some(0));
        assert_eq!(code.loop_header(header + 1), None);
        assert_eq!(code.loop_at(header + 1), Some(0));
        assert_eq!(code.loop_at(0), None);
        assert!(code.in_loop(find(code, 2, Opcode::CompareOp), 0));
    });
}

#[test]
fn one_block_can_be_a_loop() {
    check("def f(g):\n    while True:\n        g()\n", |code| {
        assert_eq!(code.loops().len(), 1);
        assert!(call_is_in(code, 3, 2));
    });
}

#[test]
fn what_leaves_the_loop_is_outside_and_behind() {
    let source = "\
def f(xs, g, h):
    for x in xs:
        if g(x):
            h(1)
            break
        if not x:
            return h(2)
        if x == 3:
            continue
        g(4)
    else:
        h(5)
    return h(6)
";
    check(source, |code| {
        assert_eq!(headers(code), [(2, Opcode::ForIter, 1)]);
        let calls = [(3, true), (4, false), (7, false), (10, true), (12, false), (13, false)];
        for (line, is_inside) in calls {
            assert_eq!(call_is_in(code, line, 2), is_inside, "line {line}");
        }
        let last = code.order(find(code, 10, Opcode::Call));
        for line in [4, 7, 12, 13] {
            assert!(last < code.order(find(code, line, Opcode::Call)), "line {line} is behind the loop");
        }
    });
}

#[test]
fn loops_nest() {
    let source = "\
def f(n, g):
    for i in g(n):
        for j in g(i):
            while j:
                j = g(j)
            if j > i:
                break
        else:
            continue
        g(i)
    while n:
        n = g(n)
    return n
";
    check(source, |code| {
        let found: Vec<(u32, u32)> = headers(code).iter().map(|&(line, _, depth)| (line, depth)).collect();
        assert_eq!(found, [(2, 1), (3, 2), (4, 3), (11, 1)]);
        let parents: Vec<Option<usize>> = code.loops().iter().map(|it| it.parent).collect();
        assert_eq!(parents, [None, Some(0), Some(1), None]);
        let inner = find(code, 5, Opcode::Call);
        assert_eq!(code.loop_at(inner), Some(2));
        assert!(code.in_loop(inner, 0) && code.in_loop(inner, 1) && !code.in_loop(inner, 3));
        assert_eq!(code.loop_at(find(code, 10, Opcode::Call)), Some(0), "behind the inner loop's break");
        assert!(code.order(find(code, 10, Opcode::Call)) < code.order(find(code, 12, Opcode::Call)));
    });
}

#[test]
fn handlers_that_go_on_are_in_the_loop_and_those_that_leave_are_not() {
    let source = "\
def f(xs, g, h):
    for x in xs:
        try:
            g(x)
        except ValueError:
            h(1)
        except KeyError:
            h(2)
            break
        finally:
            g(3)
    return h(4)
";
    check(source, |code| {
        let body = find(code, 4, Opcode::Call);
        let handler = code.handler(body).expect("covered").target;
        assert!(code.in_loop(handler, 0));
        assert!(code.is_join(handler), "more than one instruction can raise");
        assert!(code.order(body) < code.order(handler));
        assert!(call_is_in(code, 6, 2));
        assert!(!call_is_in(code, 8, 2));
        // `finally` is copied: for going on, for leaving by `break`, for an exception.
        let copies = all(code, Opcode::Call).into_iter().filter(|&pc| code.line(pc) == 11);
        let inside: Vec<bool> = copies.map(|pc| code.in_loop(pc, 0)).collect();
        assert!(inside.contains(&true) && inside.contains(&false), "{inside:?}");
    });
}

#[test]
fn a_with_in_a_loop_can_swallow_and_go_on() {
    check("def f(xs, m, g):\n    for x in xs:\n        with m(x) as y:\n            g(y)\n    return g\n", |code| {
        assert_eq!(headers(code), [(2, Opcode::ForIter, 1)]);
        assert!(code.in_loop(find(code, 3, Opcode::WithExceptStart), 0));
        let reraise = all(code, Opcode::Reraise);
        assert!(reraise.iter().all(|&pc| !code.in_loop(pc, 0)));
    });
}

#[test]
fn inlined_comprehensions_are_loops() {
    check("def f(xs, g):\n    while g(xs):\n        xs = [g(x) for x in xs if x]\n    return xs\n", |code| {
        let found: Vec<(u32, u32)> = headers(code).iter().map(|&(line, _, depth)| (line, depth)).collect();
        assert_eq!(found, [(2, 1), (3, 2)]);
        let clear = find(code, 3, Opcode::LoadFastAndClear);
        assert_eq!(code.loop_at(clear), Some(0));
        // Its handler puts the saved variable back and leaves everything.
        let handler = code.handler(find(code, 3, Opcode::ListAppend)).expect("covered").target;
        assert_eq!(code.loop_at(handler), None);
    });
}

#[test]
fn an_endless_loop_keeps_a_header_of_its_own() {
    check(
        "def f(x, g):
    while True:
        while g(x):
            x = g(x)
        x = x + 1
",
        |code| {
            assert_eq!(headers(code), [(2, Opcode::Nop, 1), (3, Opcode::LoadFastBorrow, 2)]);
            assert_eq!(code.loop_at(find(code, 4, Opcode::Call)), Some(1));
            assert_eq!(code.loop_at(find(code, 5, Opcode::BinaryOp)), Some(0));
        },
    );
}

#[test]
fn all_ways_back_to_one_header_make_one_loop() {
    check(
        "def f(x, g):
    while g(x):
        if x:
            continue
        x = g(1)
",
        |code| {
            assert!(all(code, Opcode::JumpBackward).len() > 1);
            assert_eq!(code.loops().len(), 1);
        },
    );
}

#[test]
fn generators_and_coroutines_are_reducible() {
    // The comparison with the model is the test; SEND and YIELD_VALUE make loops of their own.
    let source = "\
async def coroutine(xs, m):
    async with m as y:
        await y
    async for x in xs:
        try:
            await x
        finally:
            await y
    return [a async for a in xs if await a]
def f(xs):
    for x in xs:
        y = yield x
        yield from y
";
    check(source, |code| {
        let send = &code.instrs[find(code, 13, Opcode::Send) as usize];
        assert_eq!(code.instrs[send.target.expect("SEND has an exit") as usize].op, Opcode::EndSend);
        assert_eq!(headers(code), [(11, Opcode::ForIter, 1), (13, Opcode::Send, 2)]);
    });
}

#[test]
fn match_and_exception_groups_are_reducible() {
    let source = "\
def f(xs, g):
    while xs:
        match xs:
            case [a, *rest] if a:
                xs = rest
            case {'k': v, **others} | [v, others]:
                xs = v, others
            case _:
                return g(1)
        try:
            g(2)
        except* ValueError as e:
            g(e)
        except* (KeyError, TypeError):
            g(3)
    else:
        g(4)
";
    check(source, |code| {
        assert_eq!(code.loops().len(), 1);
        assert!(call_is_in(code, 11, 2));
        assert!(!call_is_in(code, 9, 2));
    });
}

#[test]
fn long_functions_take_neither_stack_nor_time() {
    let source = format!("def f(x, g):\n{}    return x\n", "    while x: x = g(x)\n    if x: x = x + 1\n".repeat(5000));
    with_vm(|vm| {
        let f = all_codes(&compile(vm, &source)).swap_remove(1);
        let start = std::time::Instant::now();
        let code = Code::decode(&f).expect("decodes");
        assert!(start.elapsed().as_secs() < 5, "{} instructions took {:?}", code.instrs.len(), start.elapsed());
        assert_eq!(code.loops().len(), 5000);
    });
}
