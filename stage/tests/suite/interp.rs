//! The reference interpreter, on programs as text.

use snekpy_stage::backend::{Backend, Context, Outcome, Trap};
use snekpy_stage::entity::{Entity, ExitId, Loc};
use snekpy_stage::interp::Interpreter;
use snekpy_stage::op::meaning::evaluate;
use snekpy_stage::op::{Const, Num2, Op, scalars};
use snekpy_stage::text::Literal;
use snekpy_stage::types::Type;

use crate::harness::{Host, interpret, module, result};

fn int(x: i64) -> u64 {
    x.cast_unsigned()
}

fn loc(index: usize) -> Option<Loc> {
    Some(Loc::new(index))
}

const COLLATZ: &str = "
loc loc0 \"collatz.py\" \"collatz\" 3:5
func @collatz(v0: i64) -> i64 {
block0:
    v1: i64 = const 0
    v2: i64 = const 1
    v3: i64 = const 2
    v4: i64 = const 3
    jump block1(v0, v1)
block1(v5: i64, v6: i64):
    v7: bool = ne v5, v2
    branch v7, block2, block5 @loc0
block2:
    v8: i64 = mod v5, v3
    v9: i64 = add v6, v2
    v10: bool = eq v8, v1
    branch v10, block3, block4
block3:
    v11: i64 = floordiv v5, v3
    jump block1(v11, v9) @loc0
block4:
    v12: i64 = mul v5, v4
    v13: i64 = add v12, v2
    jump block1(v13, v9) @loc0
block5:
    return v6
}
";

#[test]
fn a_loop_carries_values() {
    assert_eq!(result(COLLATZ, &[int(27)]), 111);
    assert_eq!(result(COLLATZ, &[int(1)]), 0);
}

#[test]
fn a_loop_is_interrupted_where_it_jumps_back() {
    let host = Host { stops_at: Some(5), ..Host::default() };
    let observed = interpret(COLLATZ, &host, &[int(27)]);
    assert_eq!(observed.outcome, Outcome::Trap(Trap::Interrupted, None, loc(0)));
    assert_eq!(observed.polls, 5);
    let host = Host { stops_at: Some(1000), ..Host::default() };
    let observed = interpret(COLLATZ, &host, &[int(27)]);
    assert_eq!((observed.outcome, observed.polls), (Outcome::Returned, 111));
}

/// Two blocks that jump to each other, entered at either: no loop header dominates, and still it polls.
#[test]
fn a_loop_with_two_entries_is_interrupted() {
    let source = "
func @f(v0: bool) -> () {
block0:
    branch v0, block1, block2
block1:
    jump block2
block2:
    jump block1
}
";
    for entered in [0, 1] {
        let host = Host { stops_at: Some(3), ..Host::default() };
        assert_eq!(interpret(source, &host, &[entered]).outcome, Outcome::Trap(Trap::Interrupted, None, None));
    }
}

const FACTORIAL: &str = "
loc loc0 \"fact.py\" \"fact\" 1:1
loc loc1 \"fact.py\" \"fact\" 2:1
loc loc2 \"fact.py\" \"main\" 3:1
func @main(v0: i64) -> i64 {
block0:
    v1: i64 = call @fact(v0) @loc2
    return v1
}
func @fact(v0: i64) -> i64 {
block0:
    v1: i64 = const 0
    v2: i64 = const 1
    v3: bool = le v0, v1
    branch v3, block1, block2
block1:
    return v2
block2:
    v4: i64 = sub v0, v2
    v5: i64 = call @fact(v4) @loc0
    v6: i64 = mul v0, v5 @loc1
    return v6
}
";

#[test]
fn recursion_has_frames_of_its_own() {
    assert_eq!(result(FACTORIAL, &[int(20)]), int(2_432_902_008_176_640_000));
}

#[test]
fn overflow_traps_with_its_place_and_tells_the_calls_that_are_left() {
    let observed = interpret(FACTORIAL, &Host::default(), &[int(22)]);
    assert_eq!(observed.outcome, Outcome::Trap(Trap::Overflow, None, loc(1)));
    assert_eq!(observed.unwound, [1, 3]); // 21 overflows: its caller 22, whose caller is main; index plus one
    assert_eq!(observed.values, []);
}

#[test]
fn recursion_is_limited_by_the_context_alone() {
    let host = |depth| Host { depth, ..Host::default() };
    let deep = FACTORIAL.replace("mul v0, v5", "add v0, v5");
    assert_eq!(interpret(&deep, &host(200_001), &[int(200_000)]).values, [int(20_000_100_001)]);
    let observed = interpret(&deep, &host(200_000), &[int(200_000)]);
    assert_eq!(observed.outcome, Outcome::Trap(Trap::Depth, None, loc(0)));
    assert_eq!(observed.unwound.len(), 200_000);
    let observed = interpret(&deep, &host(0), &[int(1)]);
    assert_eq!((observed.outcome, observed.unwound), (Outcome::Trap(Trap::Depth, None, loc(2)), vec![]));
}

#[test]
fn calls_poll_with_their_place() {
    let host = Host { stops_at: Some(3), ..Host::default() };
    let observed = interpret(FACTORIAL, &host, &[int(9)]);
    assert_eq!(observed.outcome, Outcome::Trap(Trap::Interrupted, None, loc(0)));
    assert_eq!(observed.unwound, [1, 3]);
}

#[test]
fn a_call_gives_several_results() {
    let source = "
func @main(v0: i64, v1: f64) -> (f64, i64, i64) {
block0:
    v2: i64, v3: f64 = call @swap(v1, v0)
    v4: i64, v5: f64 = call @swap(v3, v2)
    return v5, v4, v2
}
func @swap(v0: f64, v1: i64) -> (i64, f64) {
block0:
    v2: i64 = neg v1
    return v2, v0
}
";
    let observed = interpret(source, &Host::default(), &[int(7), 2.5_f64.to_bits()]);
    assert_eq!(observed.values, [2.5_f64.to_bits(), int(7), int(-7)]);
}

#[test]
fn arguments_of_a_jump_are_brought_at_once() {
    let source = "
func @rotate(v0: i64, v1: i64, v2: i64, v3: i64) -> (i64, i64, i64, i64) {
block0:
    v4: i64 = const 0
    v5: i64 = const 1
    jump block1(v0, v1, v2, v3)
block1(v6: i64, v7: i64, v8: i64, v9: i64):
    v10: bool = gt v9, v4
    v11: i64 = sub v9, v5
    branch v10, block1(v7, v8, v6, v11), block2
block2:
    return v6, v7, v8, v6
}
";
    let values = |times| interpret(source, &Host::default(), &[10, 20, 30, times]).values;
    assert_eq!(values(0), [10, 20, 30, 10]);
    assert_eq!(values(1), [20, 30, 10, 20]);
    assert_eq!(values(2), [30, 10, 20, 30]);
}

#[test]
fn both_ways_of_a_branch_may_go_to_one_block() {
    let source = "
func @f(v0: bool, v1: i64, v2: i64) -> i64 {
block0:
    branch v0, block1(v1), block1(v2)
block1(v3: i64):
    return v3
}
";
    assert_eq!(result(source, &[1, 5, 6]), 5);
    assert_eq!(result(source, &[0, 5, 6]), 6);
}

#[test]
fn guards_and_exits_leave_through_all_calls_with_their_values() {
    let source = "
exit exit0 \"ZeroDivisionError\"(i64, [f64])
exit exit1 \"StopIteration\"()
loc loc0 \"g.py\" \"g\" 1:1
loc loc1 \"g.py\" \"main\" 2:1
func @main(v0: i64, v1: [f64]) -> i64 {
block0:
    v2: i64 = call @g(v0, v1) @loc1
    return v2
}
func @g(v0: i64, v1: [f64]) -> i64 {
block0:
    v2: i64 = const 0
    v3: bool = ne v0, v2
    guard v3, exit0(v0, v1) @loc0
    v4: bool = gt v0, v2
    branch v4, block1, block2
block1:
    v5: i64 = const 100
    v6: i64 = floordiv v5, v0
    return v6
block2:
    exit exit1
}
";
    let run = |x| interpret(source, &Host::default(), &[int(x), 0x1000, 4]);
    assert_eq!(run(7).values, [14]);
    let observed = run(0);
    assert_eq!(observed.outcome, Outcome::Exit(ExitId::new(0), loc(0)));
    assert_eq!((observed.values, observed.unwound), (vec![0, 0x1000, 4], vec![2]));
    let observed = run(-1);
    assert_eq!(observed.outcome, Outcome::Exit(ExitId::new(1), None));
    assert_eq!((observed.values, observed.unwound), (vec![], vec![2]));
}

#[test]
fn the_host_is_called_in_order_and_may_fail() {
    let source = "
host host0 \"print\"(i64) -> ()
host host1 \"input\"(i64, f64) -> (i64, f64)
loc loc0 \"h.py\" \"h\" 7:1
func @h(v0: i64, v1: f64) -> i64 {
block0:
    host host0(v0)
    v2: i64, v3: f64 = host host1(v0, v1) @loc0
    host host0(v2)
    return v2
}
";
    let args = [int(3), 1.5_f64.to_bits()];
    let observed = interpret(source, &Host::default(), &args);
    let given = observed.values[0];
    assert_eq!(observed.calls, [(0, vec![3]), (1, args.to_vec()), (0, vec![given])]);
    let observed = interpret(source, &Host { fails_at: Some(1), ..Host::default() }, &args);
    assert_eq!(observed.outcome, Outcome::Trap(Trap::HostFailed, None, loc(0)));
    assert_eq!(observed.calls.len(), 2);
}

#[test]
fn arrays_of_every_element_type_are_read_and_written_in_place() {
    let source = |elem: &str, scalar: &str| {
        format!(
            "
func @swap(v0: [{elem}], v1: [{elem}; 2]) -> i64 {{
block0:
    v2: i64 = const 0
    v3: i64 = const 1
    v4: {scalar} = load v0, v2
    v5: {scalar} = load v1, v3
    store v0, v2, v5
    store v1, v3, v4
    v6: i64 = len v0
    v7: i64 = len v1
    v8: i64 = sub v6, v7
    return v8
}}
"
        )
    };
    fn swap<T>(source: &str, first: &mut [T], second: &mut [T]) {
        let (at, len) = (first.as_mut_ptr() as u64, first.len() as u64);
        assert_eq!(result(source, &[at, len, second.as_mut_ptr() as u64, 2]), len - 2);
    }
    let (mut a, mut b) = ([true, true, true], [false, false]);
    swap(&source("bool", "bool"), &mut a, &mut b);
    assert_eq!((a, b), ([false, true, true], [false, true]));
    let (mut a, mut b) = ([i64::MIN, 2, 3], [4, 5]);
    swap(&source("i64", "i64"), &mut a, &mut b);
    assert_eq!((a, b), ([5, 2, 3], [4, i64::MIN]));
    let (mut a, mut b) = ([1.5_f64, 2.0, 3.0], [4.0, -0.1]);
    swap(&source("f64", "f64"), &mut a, &mut b);
    assert_eq!((a, b), ([-0.1, 2.0, 3.0], [4.0, 1.5]));
    let (mut a, mut b) = ([1.5_f32, 2.0, 3.0], [4.0, 0.1]);
    swap(&source("f32", "f64"), &mut a, &mut b);
    assert_eq!((a, b), ([0.1, 2.0, 3.0], [4.0, 1.5]));
}

#[test]
fn a_double_is_rounded_when_it_is_stored_as_a_single() {
    let source = "
func @f(v0: [f32], v1: f64) -> f64 {
block0:
    v2: i64 = const 0
    store v0, v2, v1
    v3: f64 = load v0, v2
    return v3
}
";
    let mut room = [0.0_f32];
    let stored = result(source, &[room.as_mut_ptr() as u64, 1, 0.1_f64.to_bits()]);
    assert_eq!(f64::from_bits(stored), f64::from(0.1_f32));
}

#[test]
#[should_panic(expected = "index 3 of an array of 3")]
fn an_index_out_of_range_is_a_bug_and_never_reads_memory() {
    let source = "
func @f(v0: [f64], v1: i64) -> f64 {
block0:
    v2: f64 = load v0, v1
    return v2
}
";
    let array = [0.0_f64; 3];
    result(source, &[array.as_ptr() as u64, 3, 3]);
}

#[test]
fn overflow_if_traps_on_what_it_is_told() {
    let source = "
loc loc0 \"o.py\" \"o\" 1:1
func @f(v0: i64, v1: i64) -> i64 {
block0:
    v2: i64 = wrap_mul v0, v1
    v3: bool = ovf_mul v0, v1
    overflow_if v3 @loc0
    return v2
}
";
    assert_eq!(result(source, &[int(-3), int(4)]), int(-12));
    let observed = interpret(source, &Host::default(), &[int(i64::MIN), int(-1)]);
    assert_eq!(observed.outcome, Outcome::Trap(Trap::Overflow, None, loc(0)));
}

/// Each op, run on each of these operands, gives what [`evaluate`] gives, and traps where that is nothing.
#[test]
fn every_op_means_what_the_definition_says() {
    let ints = [0, 1, -1, 2, 7, -7, 63, 64, i64::MAX, i64::MIN, (1 << 53) + 1].map(Const::I64);
    let floats = [0.0, -0.0, 1.0, -1.5, 2.5, 1e300, -1e-300, 9.3e18, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let floats = floats.map(Const::F64);
    let bools = [Const::Bool(false), Const::Bool(true)];
    let values = |ty: &Type| match ty {
        Type::Bool => &bools[..],
        Type::I64 => &ints,
        _ => &floats,
    };

    for (op, operands) in scalars() {
        let mut tuples: Vec<Vec<Const>> = vec![vec![]];
        for ty in &operands {
            tuples = tuples.iter().flat_map(|it| values(ty).iter().map(|&x| [&it[..], &[x]].concat())).collect();
        }
        let source = source_of(op, &tuples[0]);
        for operands in tuples {
            let slots: Vec<u64> = operands.iter().map(|&it| bits(it)).collect();
            match evaluate(op, &operands) {
                Some(expected) => {
                    let found = result(&source, &slots);
                    let shown: Vec<String> = operands.iter().map(|&it| Literal(it).to_string()).collect();
                    assert!(same(found, expected), "{op:?} {shown:?}: {found:#x}, not {}", Literal(expected));
                }
                None if is_excluded(op, &operands) => {}
                None => {
                    let observed = interpret(&source, &Host::default(), &slots);
                    assert_eq!(observed.outcome, Outcome::Trap(Trap::Overflow, None, None), "{op:?} {operands:?}");
                }
            }
        }
    }
}

fn bits(constant: Const) -> u64 {
    match constant {
        Const::Bool(it) => u64::from(it),
        Const::I64(it) => it.cast_unsigned(),
        Const::F64(it) => it.to_bits(),
    }
}

/// Equal bits; which NaN it is depends on how the sum was compiled.
fn same(found: u64, expected: Const) -> bool {
    let both_nan = matches!(expected, Const::F64(it) if it.is_nan() && f64::from_bits(found).is_nan());
    found == bits(expected) || both_nan
}

/// Whether a guard before the op excludes these operands.
fn is_excluded(op: Op, operands: &[Const]) -> bool {
    let by_zero = matches!(op, Op::Num2(Num2::FloorDiv | Num2::Mod) | Op::IntDiv) && operands[1] == Const::I64(0);
    let negative = matches!(op, Op::IntPow | Op::Shift(_)) && matches!(operands[1], Const::I64(i64::MIN..0));
    by_zero || negative
}

/// A function that is the op.
fn source_of(op: Op, operands: &[Const]) -> String {
    use snekpy_stage::build::Builder;
    use snekpy_stage::ir::{Function, Module};
    use snekpy_stage::types::Type;

    let mut module = Module::default();
    let mut func = Function::new("f");
    let entry = func.entry();
    let params: Vec<_> = operands
        .iter()
        .map(|operand| match operand {
            Const::Bool(_) => Type::Bool,
            Const::I64(_) => Type::I64,
            Const::F64(_) => Type::F64,
        })
        .map(|ty| func.append_param(entry, ty))
        .collect();
    let mut builder = Builder::new(&module, &mut func, entry);
    let value = builder.value(op, &params).expect("the operands fit");
    builder.ret(vec![value]);
    func.results = vec![func.ty(value)];
    module.funcs.push(func);
    module.to_string()
}

#[test]
fn code_is_shared_by_threads() {
    let module = module(FACTORIAL);
    let code = Interpreter.compile(&module).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut results = [0];
                let mut cx = Context::detached(&mut []);
                // SAFETY: one slot in, one slot out, no exits.
                let status = unsafe { code.run(&mut cx, [20].as_ptr(), results.as_mut_ptr()) };
                assert_eq!((status.outcome(), results[0]), (Outcome::Returned, 2_432_902_008_176_640_000));
            });
        }
    });
}

#[test]
fn the_only_form_is_the_module_itself() {
    let module = module(FACTORIAL);
    assert_eq!(Interpreter.inspect(&module, "ir").unwrap(), module.to_string());
    assert!(Interpreter.inspect(&module, "asm").unwrap_err().to_string().contains("no form `asm`"));
}
