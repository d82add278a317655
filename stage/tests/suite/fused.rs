//! Groups of operations on tensors against the same operations one by one: the same bits.

use std::sync::Arc;

use snekpy_stage::home::Home;
use snekpy_stage::tensor::elementwise::{Bits1, Bits2, Cmp, Num1, Num2, Real1, Real2, Test1};
use snekpy_stage::tensor::fused::{Group, Input, Member, Role};
use snekpy_stage::tensor::reduce::Fold;
use snekpy_stage::tensor::{Dtype, Given, Item, Kind, Operand, Tensor, TensorOp, layout, make};
use snekpy_stage::types::TensorType;

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 24
    }

    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn item(&mut self, dtype: Dtype) -> Item {
        let special = [f64::NAN, f64::INFINITY, -0.0, f64::MIN_POSITIVE, 65504.0];
        match (dtype.kind(), self.below(12)) {
            (Kind::Bool, at) => Item::Bool(at % 2 == 0),
            (Kind::Int, 0) => Item::Int(if dtype == Dtype::I32 { i64::from(i32::MIN) } else { i64::MIN }),
            (Kind::Int, _) => Item::Int(self.below(40) as i64 - 20),
            (Kind::Float, 0) => Item::Float(self.of(&special)),
            (Kind::Float, _) => Item::Float((self.below(4001) as f64 - 2000.0) / 300.0),
        }
    }

    fn dense(&mut self, dtype: Dtype, dims: &[usize]) -> Tensor {
        let items: Vec<Item> = (0..dims.iter().product()).map(|_| self.item(dtype)).collect();
        make::from_items(dtype, &items, dims).expect("there is memory")
    }

    /// A tensor of this shape that lies in one of several ways.
    fn tensor(&mut self, dtype: Dtype, dims: &[usize]) -> Tensor {
        let last = dims.len().wrapping_sub(1);
        match self.below(5) {
            0 if dims.len() > 1 => {
                let turned: Vec<usize> = dims.iter().rev().copied().collect();
                let order: Vec<usize> = (0..dims.len()).rev().collect();
                layout::permute(&self.dense(dtype, &turned), &order).expect("an order")
            }
            1 if !dims.is_empty() => {
                let mut wide = dims.to_vec();
                wide[last] = wide[last] * 2 + 3;
                layout::slice(&self.dense(dtype, &wide), last, 1, dims[last], 2)
            }
            2 if !dims.is_empty() => layout::flip(&self.dense(dtype, dims), last),
            _ => self.dense(dtype, dims),
        }
    }

    fn op(&mut self) -> TensorOp {
        match self.below(13) {
            0 => TensorOp::Num1(self.of(Num1::ALL)),
            1 => TensorOp::Real1(self.of(Real1::ALL)),
            2 => TensorOp::Bits1(self.of(Bits1::ALL)),
            3 => TensorOp::Test1(self.of(Test1::ALL)),
            4..=6 => TensorOp::Num2(self.of(Num2::ALL)),
            7 => TensorOp::Real2(self.of(Real2::ALL)),
            8 => TensorOp::Bits2(self.of(Bits2::ALL)),
            9 => TensorOp::Compare(self.of(Cmp::ALL)),
            10 => TensorOp::Select,
            11 => TensorOp::Cast(self.of(&Dtype::ALL)),
            _ => TensorOp::Copy,
        }
    }
}

fn arity(op: &TensorOp) -> usize {
    match op {
        TensorOp::Num2(_) | TensorOp::Real2(_) | TensorOp::Bits2(_) | TensorOp::Compare(_) => 2,
        TensorOp::Select => 3,
        _ => 1,
    }
}

fn type_of(tensor: &Tensor) -> TensorType {
    TensorType::new(tensor.dtype(), tensor.dims())
}

/// The elements, bit for bit but for NaNs.
pub(crate) fn bits(tensor: &Tensor) -> Vec<u64> {
    let bits = |item| match item {
        Item::Bool(it) => u64::from(it),
        Item::Int(it) => it.cast_unsigned(),
        // Which of two NaNs comes out of a sum is the processor's to say.
        Item::Float(it) if it.is_nan() => f64::NAN.to_bits(),
        Item::Float(it) => it.to_bits(),
    };
    tensor.items().into_iter().map(bits).collect()
}

/// A program: what it is given, what it does, and what each value is.
struct Program {
    dims: Vec<usize>,
    given: Vec<Value>,
    members: Vec<Member>,
    values: Vec<Value>,
}

#[derive(Clone)]
enum Value {
    Tensor(Tensor, Role),
    Number(Item),
}

impl Value {
    fn operand(&self) -> Operand<'_> {
        match self {
            Self::Tensor(it, _) => Operand::Tensor(it),
            Self::Number(it) => Operand::Number(*it),
        }
    }
}

impl Program {
    fn random(dice: &mut Dice) -> Self {
        let sizes = [0, 1, 1, 2, 3, 5, 7, 17, 50, 64];
        let mut dims: Vec<usize> = (0..dice.below(4)).map(|_| dice.of(&sizes)).collect();
        if dice.below(6) == 0 {
            dims = vec![dice.below(3) + 1, dice.below(3000) + 900];
        }
        let mut program = Self { dims, given: Vec::new(), members: Vec::new(), values: Vec::new() };
        let first = dice.of(&Dtype::ALL);
        for _ in 0..dice.below(4) + 1 {
            let mut shape = program.dims.clone();
            for size in &mut shape {
                if dice.below(4) == 0 {
                    *size = 1;
                }
            }
            let shape = &shape[if dice.below(4) == 0 { dice.below(shape.len() + 1) } else { 0 }..];
            let dtype = if dice.below(3) == 0 { dice.of(&Dtype::ALL) } else { first };
            program.given.push(Value::Tensor(dice.tensor(dtype, shape), Role::View));
        }
        program.given.push(Value::Number(Item::Float(dice.below(9) as f64 / 4.0)));
        program.values.clone_from(&program.given);
        program
    }

    /// One operation more, if it can be one of a group.
    fn step(&mut self, dice: &mut Dice) {
        let at = dice.below(self.values.len()) as u16;
        let (op, args) = match dice.below(8) {
            0 => (
                TensorOp::Full { dtype: dice.of(&Dtype::ALL), dims: vec![], item: Item::Int(3), home: Home::HERE },
                vec![],
            ),
            1 => (TensorOp::Number(dice.of(&Dtype::ALL)), vec![self.given.len() as u16 - 1]),
            2 => (TensorOp::Broadcast(self.dims.clone()), vec![at]),
            3 => (TensorOp::InsertAxis(0), vec![at]),
            _ => {
                let op = dice.op();
                let args = (0..arity(&op)).map(|_| dice.below(self.values.len()) as u16).collect();
                (op, args)
            }
        };
        let role = Role::of(&op).expect("it has one");
        let values: Vec<&Value> = args.iter().map(|it| &self.values[usize::from(*it)]).collect();
        let is_view = |it: &&Value| matches!(it, Value::Tensor(_, Role::View));
        let is_number = |it: &&Value| matches!(it, Value::Number(_));
        let fits = match (role, &op) {
            (Role::View, _) => values.iter().all(is_view),
            (Role::Item, TensorOp::Number(_)) => values.iter().all(is_number),
            (Role::Item, _) => true,
            (Role::Fold, _) => false,
            (Role::Each, _) => !values.iter().any(is_number) && Self::is_typed(&op, &values),
        };
        let operands: Vec<Operand<'_>> = values.iter().map(|it| it.operand()).collect();
        let Some(Ok(Given::Tensor(made))) = fits.then(|| op.apply(&operands)) else { return };
        let is_whole = **made.dims() == *self.dims || made.count() == 1;
        if role == Role::Each && !is_whole || made.rank() > self.dims.len() {
            return;
        }
        self.values.push(Value::Tensor(made, role));
        self.members.push(Member { op, args });
    }

    /// Whether an operation is defined for these, and has a loop.
    fn is_typed(op: &TensorOp, values: &[&Value]) -> bool {
        let dtypes: Vec<Dtype> = values
            .iter()
            .filter_map(|it| match it {
                Value::Tensor(it, _) => Some(it.dtype()),
                Value::Number(_) => None,
            })
            .collect();
        match (op, &dtypes[..]) {
            (TensorOp::Num2(Num2::Pow), [x, _]) if x.kind() == Kind::Int => false,
            (TensorOp::Select, [condition, x, y]) => *condition == Dtype::Bool && x == y,
            (_, [x, y]) => x == y,
            _ => true,
        }
    }

    fn inputs(&self) -> Vec<Input> {
        let input = |it: &Value| match it {
            Value::Tensor(it, _) => Input::Tensor(type_of(it)),
            Value::Number(_) => Input::Number,
        };
        self.given.iter().map(input).collect()
    }
}

#[test]
fn groups_give_the_bits_of_their_members_one_by_one() {
    let (mut groups, mut members, mut over) = (0, 0, 0);
    for seed in 0..6000 {
        let mut dice = Dice(seed * 7919 + 3);
        let mut program = Program::random(&mut dice);
        for _ in 0..dice.below(14) + 2 {
            program.step(&mut dice);
        }
        // The last one computes elements of the whole shape.
        let ends = |it: &Value| matches!(it, Value::Tensor(it, Role::Each) if **it.dims() == *program.dims);
        let Some(last) = program.values.iter().rposition(ends).filter(|it| *it >= program.given.len()) else {
            continue;
        };
        program.members.truncate(last + 1 - program.given.len());
        let Value::Tensor(wanted, _) = &program.values[last] else { unreachable!("a tensor ends it") };
        let group = Group::new(&program.dims, program.inputs(), program.members.clone())
            .unwrap_or_else(|| panic!("seed {seed}: no group of {:?} {:?}", program.inputs(), program.members));
        assert_eq!(group.gives(), type_of(wanted), "seed {seed}: {group}");
        let text = TensorOp::Fused(Arc::new(group)).to_string();
        let op = TensorOp::from_text(&text).unwrap_or_else(|| panic!("`{text}` is not read"));
        assert_eq!(op.to_string(), text);
        (groups, members) = (groups + 1, members + program.members.len());
        let operands: Vec<Operand<'_>> = program.given.iter().map(Value::operand).collect();
        let Ok(Given::Tensor(made)) = op.apply(&operands) else { panic!("seed {seed}: {text}") };
        assert!(made.is_dense());
        assert_eq!(bits(&made), bits(wanted), "seed {seed}: {text}");
        // The same over an operand that nobody needs.
        let own: Vec<Value> = program
            .given
            .iter()
            .map(|it| match it {
                Value::Tensor(it, role) => Value::Tensor(it.to_dense().expect("there is memory"), *role),
                Value::Number(it) => Value::Number(*it),
            })
            .collect();
        let operands: Vec<Operand<'_>> = own.iter().map(Value::operand).collect();
        let made = match op.apply_over(&operands, u32::MAX) {
            Ok(Given::Tensor(made)) => made,
            Ok(Given::Operand(at)) => {
                over += 1;
                let Value::Tensor(it, _) = &own[at] else { panic!("seed {seed}: {text}") };
                it.clone()
            }
            other => panic!("seed {seed}: {other:?} of {text}"),
        };
        assert_eq!(bits(&made), bits(wanted), "seed {seed}: over an operand: {text}");
    }
    assert!(groups > 3000 && members > 10_000 && over > 800, "{groups} groups of {members}, {over} in place");
}

#[test]
fn what_cannot_be_in_a_group_makes_none() {
    let ty = Input::Tensor(TensorType::new(Dtype::F32, &[4]));
    let member = |op, args: &[u16]| Member { op, args: args.to_vec() };
    let exp = || TensorOp::Real1(Real1::Exp);
    assert!(Group::new(&[4], vec![ty], vec![member(exp(), &[0])]).is_some());
    // A dtype that it is not defined for, operands that are not there, shapes that do not go together.
    let of_ints = Input::Tensor(TensorType::new(Dtype::I64, &[4]));
    assert!(Group::new(&[4], vec![of_ints], vec![member(exp(), &[0])]).is_none());
    assert!(Group::new(&[4], vec![ty], vec![member(exp(), &[1])]).is_none());
    assert!(Group::new(&[3], vec![ty], vec![member(exp(), &[0])]).is_none());
    assert!(Group::new(&[4], vec![ty], vec![]).is_none());
    // A view of what is only computed, and one at the end.
    let turned = || TensorOp::Permute(vec![0]);
    assert!(
        Group::new(&[4], vec![ty], vec![member(exp(), &[0]), member(turned(), &[1]), member(exp(), &[2])]).is_none()
    );
    assert!(Group::new(&[4], vec![ty], vec![member(turned(), &[0])]).is_none());
    // What writes, and what looks at more than one element.
    assert!(Group::new(&[4], vec![ty], vec![member(TensorOp::Assign, &[0, 0])]).is_none());
    assert!(Group::new(&[4], vec![ty], vec![member(TensorOp::Matmul, &[0, 0])]).is_none());
    let squares = TensorOp::Num2(Num2::Pow);
    assert!(Group::new(&[4], vec![of_ints], vec![member(squares, &[0, 0])]).is_none());
}

/// A reduction of the last axes, or something that says which axes go along with what it has given.
fn of_rows(dice: &mut Dice, dims: &[usize], axes: usize, x: &Tensor) -> TensorOp {
    let lead = dims.len() - axes;
    if **x.dims() != *dims {
        return match dice.below(3) {
            0 => TensorOp::InsertAxis(x.rank()),
            1 => TensorOp::Reshape([&dims[..lead], &vec![1; axes]].concat()),
            _ => TensorOp::Reshape(dims[..lead].to_vec()),
        };
    }
    match (dice.below(8), x.dtype()) {
        (0 | 1, Dtype::Bool) => TensorOp::Test { axes: (lead..dims.len()).collect(), all: dice.below(2) == 0 },
        (2, _) if axes == 1 => TensorOp::ArgExtreme { along: lead, greatest: dice.below(2) == 0 },
        _ => TensorOp::Fold { fold: dice.of(Fold::ALL), axes: (lead..dims.len()).collect() },
    }
}

#[test]
fn groups_that_reduce_rows_give_the_bits_of_their_members_one_by_one() {
    let (mut groups, mut made_of, mut long) = (0, 0, 0);
    for seed in 0..5000 {
        let mut dice = Dice(seed * 6007 + 11);
        let mut program = Program::random(&mut dice);
        let axes = dice.below(2) + 1;
        program.dims = (0..dice.below(3)).map(|_| dice.of(&[1, 2, 3, 7, 20])).collect();
        let len = dice.of(&[4, 5, 7, 10, 16, 17, 33, 100, 300, 1000, 1023, 1025, 4096, 5003]);
        program.dims.extend(if axes == 1 { vec![len] } else { vec![2, len] });
        if seed % 50 == 0 {
            program.dims = vec![dice.of(&[20_000, 70_001, 140_000])];
        }
        let axes = axes.min(program.dims.len());
        program.given = (0..dice.below(3) + 1)
            .map(|_| {
                let mut shape = program.dims.clone();
                match dice.below(6) {
                    0 => shape[dice.below(program.dims.len())] = 1,
                    1 => shape.truncate(program.dims.len() - axes),
                    _ => {}
                }
                let dtype = dice.of(&[Dtype::F32, Dtype::F64, Dtype::F32, Dtype::I64, Dtype::F16, Dtype::Bool]);
                Value::Tensor(dice.tensor(dtype, &shape), Role::View)
            })
            .collect();
        program.given.push(Value::Number(Item::Float(1.5)));
        program.values.clone_from(&program.given);
        for _ in 0..dice.below(14) + 3 {
            let at = dice.below(program.values.len()) as u16;
            let (op, args) = match (dice.below(5), &program.values[usize::from(at)]) {
                (0 | 1, Value::Tensor(x, _)) => (of_rows(&mut dice, &program.dims, axes, x), vec![at]),
                _ => {
                    let op = dice.op();
                    let args: Vec<u16> = (0..arity(&op)).map(|_| dice.below(program.values.len()) as u16).collect();
                    (op, args)
                }
            };
            let values: Vec<&Value> = args.iter().map(|it| &program.values[usize::from(*it)]).collect();
            if values.iter().any(|it| matches!(it, Value::Number(_))) || !Program::is_typed(&op, &values) {
                continue;
            }
            let operands: Vec<Operand<'_>> = values.iter().map(|it| it.operand()).collect();
            let Ok(Given::Tensor(made)) = op.apply(&operands) else { continue };
            if made.count() > program.dims.iter().product() {
                continue;
            }
            let role = Role::of(&op).expect("it has one");
            program.values.push(Value::Tensor(made, role));
            program.members.push(Member { op, args });
            // Each beginning is a program, too.
            let Some(Value::Tensor(wanted, _)) = program.values.last() else { unreachable!("it gives a tensor") };
            if !program.members.iter().any(|it| Role::of(&it.op) == Some(Role::Fold)) {
                continue;
            }
            let Some(group) = Group::new(wanted.dims(), program.inputs(), program.members.clone()) else { continue };
            assert_eq!(group.gives(), type_of(wanted), "seed {seed}: {group}");
            let text = TensorOp::Fused(Arc::new(group)).to_string();
            let op = TensorOp::from_text(&text).unwrap_or_else(|| panic!("`{text}` is not read"));
            let operands: Vec<Operand<'_>> = program.given.iter().map(Value::operand).collect();
            let Ok(Given::Tensor(made)) = op.apply(&operands) else { panic!("seed {seed}: {text}") };
            assert_eq!(bits(&made), bits(wanted), "seed {seed}: {text}");
            (groups, made_of) = (groups + 1, made_of + program.members.len());
            long += usize::from(program.dims.iter().product::<usize>() > 60_000);
        }
    }
    assert!(groups > 2000 && made_of > 5000 && long > 20, "{groups} groups of {made_of}, {long} of long rows");
}
