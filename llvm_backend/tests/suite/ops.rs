//! Every op on a grid of edge values, against its meaning.

use snekpy_stage::backend::{Outcome, Trap};
use snekpy_stage::build::Builder;
use snekpy_stage::entity::{Block, Entity, Loc};
use snekpy_stage::ir::{Function, LocData, Module};
use snekpy_stage::op::{Const, Convert, Num2, Op, meaning, scalars};
use snekpy_stage::types::Type;

use crate::support::{LEVELS, Ran, compile, int, run};

const INTS: [i64; 26] = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    -3,
    5,
    7,
    -7,
    10,
    62,
    63,
    64,
    65,
    1000,
    -1000,
    1 << 31,
    (1 << 53) - 1,
    (1 << 53) + 1,
    -(1 << 53) - 1,
    i64::MAX / 3,
    3_037_000_500,
    i64::MAX,
    i64::MIN,
    i64::MIN + 1,
];

const FLOATS: [f64; 26] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.0,
    0.1,
    -7.5,
    1e-320,
    -5e-324,
    f64::MIN_POSITIVE,
    1e300,
    -1e300,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    9_007_199_254_740_993.0,
    9.223372036854775e18,
    9.223372036854776e18,
    -9.223372036854776e18,
    4503599627370497.5,
];

fn values(ty: Type) -> Vec<Const> {
    match ty {
        Type::Bool => vec![Const::Bool(false), Const::Bool(true)],
        Type::I64 => INTS.map(Const::I64).to_vec(),
        Type::F64 => FLOATS.map(Const::F64).to_vec(),
        Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
            unreachable!("these are tested elsewhere")
        }
    }
}

fn slot(value: Const) -> u64 {
    match value {
        Const::Bool(it) => u64::from(it),
        Const::I64(it) => int(it),
        Const::F64(it) => it.to_bits(),
    }
}

/// Operands that a guard before the op keeps away.
fn excluded(op: Op, operands: &[Const]) -> bool {
    match (op, operands) {
        (Op::Num2(Num2::FloorDiv | Num2::Mod) | Op::IntDiv, [_, Const::I64(0)])
        | (Op::Num2(Num2::FloorDiv | Num2::Mod), [_, Const::F64(0.0)]) => true,
        (Op::IntPow | Op::Shift(_), [_, Const::I64(y)]) => *y < 0,
        (Op::Convert(Convert::FloatToInt), [Const::F64(x)]) => !x.is_finite() || x.fract() != 0.0,
        _ => false,
    }
}

/// A module of one function that applies the op. Operands that are given are constants, others parameters.
fn apply(op: Op, operands: &[Result<Const, Type>]) -> Module {
    let mut module = Module::default();
    let place = LocData { file: "ops.py".into(), func: "f".into(), line: 1, column: 1, caller: None, tag: 0 };
    module.locs.push(place.clone());
    let loc = module.locs.push(place);
    let mut func = Function::new("f");
    let mut b = Builder::new(&module, &mut func, Block::new(0));
    b.at(Some(loc));
    let mut args = Vec::new();
    for operand in operands {
        args.push(match *operand {
            Ok(constant) => b.constant(constant),
            Err(ty) => b.append_param(Block::new(0), ty),
        });
    }
    let result = b.value(op, &args).expect("the op takes these types");
    let ty = b.func().ty(result);
    b.ret(vec![result]);
    func.results = vec![ty];
    module.funcs.push(func);
    module
}

/// Whether the run gave what the op means. NaNs are alike: which one it is, no op promises.
fn agrees(ran: &Ran, expected: Option<Const>) -> bool {
    match expected {
        None => ran.outcome == Outcome::Trap(Trap::Overflow, None, Some(Loc::new(1))),
        Some(_) if ran.outcome != Outcome::Returned => false,
        Some(Const::F64(it)) if it.is_nan() => f64::from_bits(ran.results[0]).is_nan(),
        Some(it) => ran.results == [slot(it)],
    }
}

fn grid(types: &[Type]) -> Vec<Vec<Const>> {
    types.iter().fold(vec![vec![]], |rows, &ty| {
        let extend = |row: &Vec<Const>| values(ty).into_iter().map(|it| [row.as_slice(), &[it]].concat()).collect();
        rows.iter().flat_map::<Vec<_>, _>(extend).collect()
    })
}

#[test]
fn every_op_means_the_same_on_parameters() {
    for (op, types) in scalars() {
        let module = apply(op, &types.iter().map(|&ty| Err(ty)).collect::<Vec<_>>());
        for level in LEVELS {
            let code = compile(level, &module);
            for operands in grid(&types).into_iter().filter(|it| !excluded(op, it)) {
                let ran = run(&*code, &module, &operands.iter().map(|&it| slot(it)).collect::<Vec<_>>());
                let expected = meaning::evaluate(op, &operands);
                assert!(agrees(&ran, expected), "{level:?} {op:?} {operands:?}: {ran:?}, not {expected:?}");
            }
        }
    }
}

/// Constants take other paths: multiplication, division, powers and shifts by one are special.
#[test]
fn every_binary_op_means_the_same_with_one_constant() {
    for (op, types) in scalars().into_iter().filter(|(_, types)| types.len() == 2) {
        for position in 0..2 {
            let constants = values(types[position]);
            let other = types[1 - position];
            for level in LEVELS {
                for &constant in &constants {
                    let mut operands = [Err(other); 2];
                    operands[position] = Ok(constant);
                    let module = apply(op, &operands);
                    let code = compile(level, &module);
                    for value in values(other) {
                        let mut operands = [value; 2];
                        operands[position] = constant;
                        if excluded(op, &operands) {
                            continue;
                        }
                        let ran = run(&*code, &module, &[slot(value)]);
                        let expected = meaning::evaluate(op, &operands);
                        assert!(agrees(&ran, expected), "{level:?} {op:?} {operands:?}: {ran:?}, not {expected:?}");
                    }
                }
            }
        }
    }
}
