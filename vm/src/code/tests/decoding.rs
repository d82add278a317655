//! Instructions, jumps, handlers, places, the cache.

use super::*;
use rustpython_vm::AsObject;

use crate::code::{DecodeError, clear_cache, opcode_name};

#[test]
fn exhausted_for_skips_end_for() {
    check("def f(xs):\n    for x in xs:\n        x()\n    return 1\n", |code| {
        let head = &code.instrs[find(code, 2, Opcode::ForIter) as usize];
        let exit = head.target.expect("FOR_ITER jumps");
        assert_eq!(code.instrs[exit as usize].op, Opcode::PopIter);
        assert_eq!(code.instrs[exit as usize - 1].op, Opcode::EndFor);
        assert_eq!(code.instrs[find(code, 3, Opcode::JumpBackward) as usize].target, code.pc_of_unit(head.unit));
    });
}

#[test]
fn extended_args_are_folded_and_jumps_over_them_land() {
    let adds = "        t = t + x.a - x.b\n".repeat(60);
    let source = format!("def f(xs, t):\n    for x in xs:\n{adds}    return t\n");
    check(&source, |code| {
        assert!(all(code, Opcode::ExtendedArg).is_empty());
        let head = find(code, 2, Opcode::ForIter);
        assert!(code.instrs[head as usize].arg > 255);
        let back = all(code, Opcode::JumpBackward)[0];
        assert_eq!(code.instrs[back as usize].target, Some(head));
        // The prefix of FOR_ITER belongs to it.
        let unit = code.instrs[head as usize].unit;
        assert_eq!(code.pc_of_unit(unit), Some(head));
        assert_eq!(code.pc_of_unit(unit - 1), Some(head));
        assert_eq!(code.pc_of_unit(unit + 1), None, "a cache");
        assert_eq!(code.pc_of_unit(1_000_000), None);
    });
}

#[test]
fn handlers_cover_the_body_of_a_try() {
    let source = "\
def f(x):
    a = x()
    try:
        b = x()
    except ValueError:
        b = 2
    return a, b
";
    check(source, |code| {
        assert_eq!(code.handler(find(code, 2, Opcode::Call)), None);
        let handler = code.handler(find(code, 4, Opcode::Call)).expect("the try covers it");
        assert_eq!(code.instrs[handler.target as usize].op, Opcode::PushExcInfo);
        assert_eq!((handler.depth, handler.push_lasti), (0, false));
        let cleanup = code.handler(find(code, 5, Opcode::CheckExcMatch)).expect("the handler is covered");
        assert!(cleanup.push_lasti);
        assert_eq!(cleanup.depth, 1);
        assert_eq!(code.instrs[cleanup.target as usize].op, Opcode::Copy);
        assert_eq!(code.raises_again(handler), None);
        let again = code.raises_again(cleanup).expect("it does nothing else");
        assert_eq!((code.instrs[again as usize].op, code.handler(again)), (Opcode::Reraise, None));
        assert!(code.catches(find(code, 4, Opcode::Call)));
        assert!(!code.catches(find(code, 5, Opcode::CheckExcMatch)));
        assert!(!code.catches(find(code, 2, Opcode::Call)));
    });
}

#[test]
fn what_a_handler_raises_is_caught_by_the_try_round_it() {
    let source = "\
def f(x):
    try:
        try:
            a = x()
        except ValueError:
            a = x(1)
    finally:
        x(2)
    return a
";
    check(source, |code| {
        assert!(code.catches(find(code, 6, Opcode::Call)), "by `finally`");
        let cleanups =
            all(code, Opcode::Call).into_iter().filter(|&pc| code.line(pc) == 8 && code.handler(pc).is_some());
        let [of_exception] = cleanups.collect::<Vec<_>>()[..] else { panic!("`finally` is there twice") };
        assert!(!code.catches(of_exception));
    });
}

#[test]
fn spans_count_from_one_and_end_after_the_last_column() {
    check("def f(x, y):\n    return x + y.z\n", |code| {
        let span = code.span(find(code, 2, Opcode::BinaryOp));
        assert_eq!(span.to_string(), "2:12-2:19");
        assert_eq!(code.span(find(code, 2, Opcode::LoadAttr)).to_string(), "2:16-2:19");
        assert!(code.is_located(find(code, 2, Opcode::BinaryOp)));
    });
}

#[test]
fn made_up_instructions_have_the_place_of_what_is_before() {
    let source = "def f(m):\n    with m:\n        m()\n    return 1\n";
    check(source, |code| {
        let made_up: Vec<Pc> = (0..code.instrs.len() as Pc).filter(|&pc| !code.is_located(pc)).collect();
        assert!(!made_up.is_empty());
        for pc in made_up {
            assert_eq!(code.span(pc), code.span(pc - 1));
        }
    });
}

#[test]
fn locals_are_variables_then_cells_then_free_variables() {
    let source = "\
def outer(free):
    def f(arg, captured):
        own = lambda: (captured, inner, free)
        inner = 1
        return own
    return f
";
    check(source, |code| {
        let names: Vec<&str> = (0..code.local_count()).map(|it| code.local_name(it)).collect();
        assert_eq!(names, ["arg", "captured", "own", "inner", "free"]);
        let cells: Vec<bool> = (0..code.local_count()).map(|it| code.is_cell(it)).collect();
        assert_eq!(cells, [false, true, false, true, true]);
    });
}

#[test]
fn only_bodies_of_classes_and_modules_use_a_namespace() {
    with_vm(|vm| {
        let module = compile(vm, "class C:\n    x = 1\ndef f():\n    return C\n");
        let codes = all_codes(&module);
        let named: Vec<_> = codes.iter().map(|it| (it.obj_name.to_str(), decode(it).uses_namespace())).collect();
        assert_eq!(named, [(Some("<module>"), true), (Some("C"), true), (Some("f"), false)]);
    });
}

/// Defines `f` by running the module, and calls it a hundred times after `prepare`.
fn run_hot(vm: &VirtualMachine, source: &str, prepare: &str) -> PyRef<PyCode> {
    let scope = vm.new_scope_with_builtins();
    let run = |source: &str| vm.run_string(scope.clone(), source, "snippet.py").map(drop);
    let result = run(source).and_then(|()| run(prepare)).and_then(|()| run("for i in range(100): f(i)\n"));
    vm.expect_pyresult(result, "the snippet runs");
    let f = scope.globals.get_item("f", vm).expect("the snippet defines f");
    f.get_attr("__code__", vm).expect("a function").downcast().expect("a code object")
}

const HOT: &str = "\
def f(n):
    total = 0
    for i in range(n):
        total = total + i
        if total > 100 and total.real:
            total = total * 2
    return total
";

#[test]
fn specialised_code_decodes_to_the_same() {
    with_vm(|vm| {
        let cold = Code::decode(&all_codes(&compile(vm, HOT))[1]).expect("decodes");
        let hot = run_hot(vm, HOT, "");
        let specialised = hot.instructions.iter().any(|it| it.op.as_opcode() != it.op.as_opcode().deoptimize());
        assert!(specialised, "the test needs code that was specialised");
        assert_eq!(Code::decode(&hot).expect("decodes").instrs, cold.instrs);
    });
}

#[test]
fn monitored_code_decodes_to_the_same() {
    let events = ["LINE", "INSTRUCTION", "LINE | E.INSTRUCTION | E.BRANCH_LEFT | E.PY_RETURN"];
    for event in events {
        with_vm(|vm| {
            let cold = Code::decode(&all_codes(&compile(vm, HOT))[1]).expect("decodes");
            let prepare = format!(
                "import sys\nM = sys.monitoring\nE = M.events\nM.use_tool_id(1, 'test')\nM.set_events(1, E.{event})\n"
            );
            let monitored = run_hot(vm, HOT, &prepare);
            let wrapped = monitored
                .instructions
                .iter()
                .any(|it| matches!(it.op.as_opcode(), Opcode::InstrumentedLine | Opcode::InstrumentedInstruction));
            assert!(wrapped, "the test needs code that is monitored by {event}");
            assert_eq!(Code::decode(&monitored).expect("decodes").instrs, cold.instrs);
        });
    }
}

#[test]
fn opcodes_are_spelled_as_in_cpython() {
    let spelled = [
        (Opcode::LoadFast, "LOAD_FAST"),
        (Opcode::LoadFastBorrowLoadFastBorrow, "LOAD_FAST_BORROW_LOAD_FAST_BORROW"),
        (Opcode::CallIntrinsic1, "CALL_INTRINSIC_1"),
        (Opcode::GetAiter, "GET_AITER"),
        (Opcode::JumpBackwardNoInterrupt, "JUMP_BACKWARD_NO_INTERRUPT"),
        (Opcode::WithExceptStart, "WITH_EXCEPT_START"),
    ];
    for (op, name) in spelled {
        assert_eq!(opcode_name(op), name);
    }
}

/// `f`'s code with other bytes, as `code.replace` makes it.
fn tampered(vm: &VirtualMachine, bytes: &[Opcode]) -> PyRef<PyCode> {
    let scope = vm.new_scope_with_builtins();
    let listed: Vec<String> = bytes.iter().map(|it| format!("{}, 0", it.as_u8())).collect();
    let source = format!("def f(): pass\ncode = f.__code__.replace(co_code=bytes([{}]))\n", listed.join(", "));
    let result = vm.run_string(scope.clone(), &source, "snippet.py");
    vm.expect_pyresult(result, "the snippet runs");
    scope.globals.get_item("code", vm).expect("defined").downcast().expect("a code object")
}

#[test]
fn bytecode_without_an_end_is_refused() {
    with_vm(|vm| {
        let resume = Opcode::Resume;
        assert_eq!(Code::of(&tampered(vm, &[resume])).err(), Some(DecodeError::Truncated));
        assert_eq!(Code::of(&tampered(vm, &[resume, Opcode::ExtendedArg])).err(), Some(DecodeError::Truncated));
        let missing_local = [resume, Opcode::LoadFast, Opcode::ReturnValue];
        let error = DecodeError::BadLocal { unit: 1, local: 0 };
        assert_eq!(Code::of(&tampered(vm, &missing_local)).err(), Some(error));
        // The target is the cache of the jump itself.
        let into_cache = [resume, Opcode::JumpBackward, Opcode::Cache];
        assert_eq!(Code::of(&tampered(vm, &into_cache)).err(), Some(DecodeError::BadTarget { unit: 1, target: 3 }));
    });
}

#[test]
fn the_cache_answers_by_identity_and_lets_go() {
    with_vm(|vm| {
        let codes: Vec<PyRef<PyCode>> = (0..3).map(|_| compile(vm, "x = 1\n")).collect();
        let first = decode(&codes[0]);
        assert!(std::sync::Arc::ptr_eq(&first, &decode(&codes[0])));
        assert!(!std::sync::Arc::ptr_eq(&first, &decode(&codes[1])), "equal code, another object");
        // Other tests share the cache, so what was looked up may at any time have been forgotten; but
        // after this, nothing but `first` and `codes` can hold the objects.
        for _ in 0..3000 {
            decode(&compile(vm, "y = 1\n"));
        }
        assert_eq!(codes[1].as_object().strong_count(), 1, "the cache has let go");
        assert_eq!(codes[0].as_object().strong_count(), 2, "`codes` and `first`");
        clear_cache();
        assert_eq!(decode(&codes[0]).instrs, first.instrs);
    });
}
