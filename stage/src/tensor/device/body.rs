//! The kernels of eager operations: for each element, what the operation does to it.

use super::run::{Access, Job, Key};
use crate::build::Builder;
use crate::entity::{Block, Value};
use crate::ir::{Function, Module, Terminator};
use crate::kernel::{Form, Kernel};
use crate::op::{self, Const, Convert, Op, Wrap2};
use crate::tensor::elementwise::{Bits1, Bits2, Cmp, Num1, Num2, Real1, Real2, Test1};
use crate::tensor::reduce::Fold;
use crate::types::{ArrayType, Elem, Type};

/// The kernel of a key. Its inputs are, for each operand: a number; or an array, the first element, and unless it is dense a
/// step for each axis.
pub(super) fn kernel(key: &Key) -> Kernel {
    let module = Module::default();
    let mut func = Function::new("main");
    let entry = func.entry();
    let index: Vec<Value> = (0..key.rank).map(|_| func.append_param(entry, Type::I64)).collect();
    let result = match key.job {
        Job::Fold(fold) => Body::new(&module, &mut func).fold(fold, key, &index),
        Job::Product => Body::new(&module, &mut func).product(key, &index),
        _ => {
            let operands: Vec<Input> = key.operands.iter().map(|&it| Input::new(&mut func, it, key.rank)).collect();
            let mut body = Body::new(&module, &mut func);
            let values: Vec<Value> = operands.iter().map(|it| body.element(it, &index)).collect();
            body.compute(key, &values)
        }
    };
    let end = result.1;
    func.results = vec![func.ty(result.0)];
    func.blocks[end].term = Terminator::Return(vec![result.0]);
    let mut module = module;
    module.funcs.push(func);
    Kernel::new(module, key.rank, Form::Map(vec![key.out]))
}

/// The parameters of an operand.
struct Input {
    value: Value,
    /// The first element and the steps, of an array.
    first: Option<Value>,
    steps: Vec<Value>,
}

impl Input {
    fn new(func: &mut Function, (elem, access): (Elem, Access), rank: usize) -> Self {
        let entry = func.entry();
        if access == Access::Number {
            return Self { value: func.append_param(entry, elem.value_type()), first: None, steps: Vec::new() };
        }
        let value = func.append_param(entry, Type::Array(ArrayType { elem, len: None }));
        let first = Some(func.append_param(entry, Type::I64));
        let count = if access == Access::Steps { rank } else { 0 };
        let steps = (0..count).map(|_| func.append_param(entry, Type::I64)).collect();
        Self { value, first, steps }
    }
}

/// A function that is being written, whose ops fit their operands.
struct Body<'a> {
    b: Builder<'a>,
}

/// Operations on values of known types never fail to be written.
const FITS: &str = "the operands are of the types that the op takes";

impl<'a> Body<'a> {
    fn new(module: &'a Module, func: &'a mut Function) -> Self {
        let entry = func.entry();
        Self { b: Builder::new(module, func, entry) }
    }

    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.b.value(op, args).expect(FITS)
    }

    fn int(&mut self, it: i64) -> Value {
        self.b.constant(Const::I64(it))
    }

    fn float(&mut self, it: f64) -> Value {
        self.b.constant(Const::F64(it))
    }

    fn bool(&mut self, it: bool) -> Value {
        self.b.constant(Const::Bool(it))
    }

    fn cmp(&mut self, cmp: op::Cmp, x: Value, y: Value) -> Value {
        self.op(Op::Cmp(cmp), &[x, y])
    }

    fn select(&mut self, cond: Value, x: Value, y: Value) -> Value {
        self.op(Op::Select, &[cond, x, y])
    }

    fn wrap(&mut self, op: Wrap2, x: Value, y: Value) -> Value {
        self.op(Op::Wrap2(op), &[x, y])
    }

    fn ty(&self, value: Value) -> Type {
        self.b.func().ty(value)
    }

    /// The element of an operand at an index.
    fn element(&mut self, input: &Input, index: &[Value]) -> Value {
        let Some(mut at) = input.first else { return input.value };
        if input.steps.is_empty() {
            at = self.wrap(Wrap2::Add, at, index[0]);
        }
        for (&step, &position) in input.steps.iter().zip(index) {
            let far = self.wrap(Wrap2::Mul, position, step);
            at = self.wrap(Wrap2::Add, at, far);
        }
        self.op(Op::Load, &[input.value, at])
    }

    fn compute(&mut self, key: &Key, values: &[Value]) -> (Value, Block) {
        let x = values[0];
        let value = match key.job {
            Job::Copy => x,
            Job::Cast => self.cast(x, key.out),
            Job::Num1(op) => self.num1(op, x),
            Job::Real1(op) => self.real1(op, x),
            Job::Bits1(Bits1::Not) => self.op(Op::Not, &[x]),
            Job::Test1(test) => self.test(test, x),
            Job::Num2(op) if self.ty(x) == Type::F64 => self.num2_float(op, x, values[1]),
            Job::Num2(op) => self.num2_int(op, x, values[1]),
            Job::Real2(op) => self.real2(op, x, values[1]),
            Job::Bits2(op) => {
                let op = match op {
                    Bits2::And => op::Bit2::And,
                    Bits2::Or => op::Bit2::Or,
                    Bits2::Xor => op::Bit2::Xor,
                    Bits2::Left | Bits2::Right => unreachable!("shifts are not made into kernels"),
                };
                self.op(Op::Bit2(op), &[x, values[1]])
            }
            Job::Compare(op) => {
                let op = match op {
                    Cmp::Eq => op::Cmp::Eq,
                    Cmp::Ne => op::Cmp::Ne,
                    Cmp::Lt => op::Cmp::Lt,
                    Cmp::Le => op::Cmp::Le,
                    Cmp::Gt => op::Cmp::Gt,
                    Cmp::Ge => op::Cmp::Ge,
                };
                self.cmp(op, x, values[1])
            }
            Job::Select => self.select(x, values[1], values[2]),
            Job::Fold(_) | Job::Product => unreachable!("they have bodies of their own"),
        };
        (value, self.b.block())
    }

    fn cast(&mut self, x: Value, to: Elem) -> Value {
        match (self.ty(x), to) {
            (Type::Bool, Elem::I64) => self.op(Op::Convert(Convert::BoolToInt), &[x]),
            (Type::Bool, Elem::F32 | Elem::F64) => {
                let int = self.op(Op::Convert(Convert::BoolToInt), &[x]);
                self.op(Op::Convert(Convert::IntToFloat), &[int])
            }
            (Type::I64, Elem::F64) => self.op(Op::Convert(Convert::IntToFloat), &[x]),
            (Type::I64, Elem::Bool) => {
                let zero = self.int(0);
                self.cmp(op::Cmp::Ne, x, zero)
            }
            (Type::F64, Elem::Bool) => {
                let zero = self.float(0.0);
                self.cmp(op::Cmp::Ne, x, zero)
            }
            (Type::F64, Elem::I64) => {
                // What does not fit is the least integer.
                let (low, high) = (self.float(-9_223_372_036_854_775_808.0), self.float(9_223_372_036_854_775_808.0));
                let (above, below) = (self.cmp(op::Cmp::Ge, x, low), self.cmp(op::Cmp::Lt, x, high));
                let fits = self.op(Op::Bit2(op::Bit2::And), &[above, below]);
                let tame = self.select(fits, x, low);
                self.op(Op::Convert(Convert::FloatToInt), &[tame])
            }
            _ => x,
        }
    }

    fn num1(&mut self, op: Num1, x: Value) -> Value {
        let is_float = self.ty(x) == Type::F64;
        let zero = if is_float { self.float(0.0) } else { self.int(0) };
        match op {
            Num1::Neg if is_float => self.op(Op::Num1(op::Num1::Neg), &[x]),
            Num1::Neg => self.wrap(Wrap2::Sub, zero, x),
            Num1::Abs if is_float => self.op(Op::Num1(op::Num1::Abs), &[x]),
            Num1::Abs => {
                let (below, other) = (self.cmp(op::Cmp::Lt, x, zero), self.wrap(Wrap2::Sub, zero, x));
                self.select(below, other, x)
            }
            Num1::Square if is_float => self.op(Op::Num2(op::Num2::Mul), &[x, x]),
            Num1::Square => self.wrap(Wrap2::Mul, x, x),
            Num1::Sign => {
                let (one, minus) =
                    if is_float { (self.float(1.0), self.float(-1.0)) } else { (self.int(1), self.int(-1)) };
                let (above, below) = (self.cmp(op::Cmp::Gt, x, zero), self.cmp(op::Cmp::Lt, x, zero));
                let rest = self.select(below, minus, zero);
                let sign = self.select(above, one, rest);
                if is_float {
                    let unknown = self.cmp(op::Cmp::Ne, x, x);
                    self.select(unknown, x, sign)
                } else {
                    sign
                }
            }
        }
    }

    fn real1(&mut self, function: Real1, x: Value) -> Value {
        use op::Real1 as It;
        let function = match function {
            Real1::Sqrt => It::Sqrt,
            Real1::Exp => It::Exp,
            Real1::Exp2 => It::Exp2,
            Real1::Expm1 => It::Expm1,
            Real1::Log => It::Log,
            Real1::Log2 => It::Log2,
            Real1::Log10 => It::Log10,
            Real1::Log1p => It::Log1p,
            Real1::Sin => It::Sin,
            Real1::Cos => It::Cos,
            Real1::Tan => It::Tan,
            Real1::Asin => It::Asin,
            Real1::Acos => It::Acos,
            Real1::Atan => It::Atan,
            Real1::Sinh => It::Sinh,
            Real1::Cosh => It::Cosh,
            Real1::Tanh => It::Tanh,
            Real1::Asinh => It::Asinh,
            Real1::Acosh => It::Acosh,
            Real1::Atanh => It::Atanh,
            Real1::Cbrt => It::Cbrt,
            Real1::Floor => It::Floor,
            Real1::Ceil => It::Ceil,
            Real1::Trunc => It::Trunc,
            Real1::Round => It::RoundEven,
            Real1::Reciprocal => {
                let one = self.float(1.0);
                return self.op(Op::Real2(op::Real2::Div), &[one, x]);
            }
        };
        self.op(Op::Real1(function), &[x])
    }

    fn test(&mut self, test: Test1, x: Value) -> Value {
        let size = self.op(Op::Num1(op::Num1::Abs), &[x]);
        let infinity = self.float(f64::INFINITY);
        match test {
            Test1::IsNan => self.cmp(op::Cmp::Ne, x, x),
            Test1::IsInf => self.cmp(op::Cmp::Eq, size, infinity),
            Test1::IsFinite => self.cmp(op::Cmp::Lt, size, infinity),
            Test1::SignBit => {
                let (one, zero) = (self.float(1.0), self.float(0.0));
                let sign = self.op(Op::Real2(op::Real2::Copysign), &[one, x]);
                self.cmp(op::Cmp::Lt, sign, zero)
            }
        }
    }

    fn num2_float(&mut self, op: Num2, x: Value, y: Value) -> Value {
        let plain = |op| Op::Num2(op);
        match op {
            Num2::Add => self.op(plain(op::Num2::Add), &[x, y]),
            Num2::Sub => self.op(plain(op::Num2::Sub), &[x, y]),
            Num2::Mul => self.op(plain(op::Num2::Mul), &[x, y]),
            Num2::FloorDiv | Num2::Mod => {
                let (zero, one) = (self.float(0.0), self.float(1.0));
                let is_zero = self.cmp(op::Cmp::Eq, y, zero);
                let tame = self.select(is_zero, one, y);
                let (by_zero, op) = match op {
                    Num2::FloorDiv => (self.op(Op::Real2(op::Real2::Div), &[x, y]), op::Num2::FloorDiv),
                    _ => (self.float(f64::NAN), op::Num2::Mod),
                };
                let other = self.op(plain(op), &[x, tame]);
                self.select(is_zero, by_zero, other)
            }
            Num2::Min | Num2::Max => {
                let cmp = if op == Num2::Min { op::Cmp::Le } else { op::Cmp::Ge };
                let (first, unknown) = (self.cmp(cmp, x, y), self.cmp(op::Cmp::Ne, x, x));
                let takes_first = self.op(Op::Bit2(op::Bit2::Or), &[first, unknown]);
                self.select(takes_first, x, y)
            }
            Num2::Pow => self.op(Op::Real2(op::Real2::Pow), &[x, y]),
        }
    }

    fn num2_int(&mut self, op: Num2, x: Value, y: Value) -> Value {
        match op {
            Num2::Add => self.wrap(Wrap2::Add, x, y),
            Num2::Sub => self.wrap(Wrap2::Sub, x, y),
            Num2::Mul => self.wrap(Wrap2::Mul, x, y),
            Num2::FloorDiv | Num2::Mod => {
                let (zero, one, minus) = (self.int(0), self.int(1), self.int(-1));
                let by_zero = self.cmp(op::Cmp::Eq, y, zero);
                let by_minus = self.cmp(op::Cmp::Eq, y, minus);
                let special = self.op(Op::Bit2(op::Bit2::Or), &[by_zero, by_minus]);
                let tame = self.select(special, one, y);
                let (negated, op) = match op {
                    Num2::FloorDiv => (self.wrap(Wrap2::Sub, zero, x), op::Num2::FloorDiv),
                    _ => (zero, op::Num2::Mod),
                };
                let usual = self.op(Op::Num2(op), &[x, tame]);
                let other = self.select(by_minus, negated, usual);
                self.select(by_zero, zero, other)
            }
            Num2::Min | Num2::Max => {
                let cmp = if op == Num2::Min { op::Cmp::Le } else { op::Cmp::Ge };
                let first = self.cmp(cmp, x, y);
                self.select(first, x, y)
            }
            Num2::Pow => unreachable!("powers of integers are not made into kernels"),
        }
    }

    fn real2(&mut self, op: Real2, x: Value, y: Value) -> Value {
        let op = match op {
            Real2::Div => op::Real2::Div,
            Real2::Atan2 => op::Real2::Atan2,
            Real2::Copysign => op::Real2::Copysign,
            Real2::Fmod => op::Real2::Fmod,
            Real2::Hypot | Real2::NextAfter | Real2::LogAddExp => unreachable!("they are not made into kernels"),
        };
        self.op(Op::Real2(op), &[x, y])
    }

    /// A loop from `first` in steps of `step` while it is below `limit`: what `turn` makes of a value and the position.
    fn looped(
        &mut self,
        [first, step, limit]: [Value; 3],
        begin: Value,
        turn: impl FnOnce(&mut Self, Value, Value) -> Value,
    ) -> (Value, Block) {
        let [head, body, end] = [(); 3].map(|()| self.b.create_block());
        let ty = self.ty(begin);
        let (at, so_far) = (self.b.append_param(head, Type::I64), self.b.append_param(head, ty));
        self.b.jump(head, vec![first, begin]);
        self.b.switch_to(head);
        let goes_on = self.cmp(op::Cmp::Lt, at, limit);
        self.b.branch(goes_on, body, end);
        self.b.switch_to(body);
        let more = turn(self, so_far, at);
        let next = self.wrap(Wrap2::Add, at, step);
        self.b.jump(head, vec![next, more]);
        self.b.switch_to(end);
        (so_far, end)
    }

    /// One lane of one row: inputs are the array, its first element, the steps between rows and along them, how long rows
    /// are, how many lanes there are, and how often all of them find an element. The index is the row and the lane, or the
    /// other way round.
    fn fold(mut self, fold: Fold, key: &Key, index: &[Value]) -> (Value, Block) {
        let (elem, access) = key.operands[0];
        let array = self.param(Type::Array(ArrayType { elem, len: None }));
        let [first, row_step, step, len, lanes, turns] = [(); 6].map(|()| self.param(Type::I64));
        let (row, lane) = if access == Access::Dense { (index[0], index[1]) } else { (index[1], index[0]) };
        let before = self.wrap(Wrap2::Mul, row, row_step);
        let start = self.wrap(Wrap2::Add, first, before);
        let begin = match (fold, elem) {
            (Fold::Sum, Elem::F32 | Elem::F64) => self.float(-0.0),
            (Fold::Prod, Elem::F32 | Elem::F64) => self.float(1.0),
            (Fold::Min, Elem::F32 | Elem::F64) => self.float(f64::INFINITY),
            (Fold::Max, Elem::F32 | Elem::F64) => self.float(f64::NEG_INFINITY),
            (Fold::Sum, Elem::I64) => self.int(0),
            (Fold::Prod, Elem::I64) => self.int(1),
            (Fold::Min, Elem::I64) => self.int(i64::MAX),
            (Fold::Max, Elem::I64) => self.int(i64::MIN),
            (Fold::Sum | Fold::Max, Elem::Bool) => self.bool(false),
            (Fold::Prod | Fold::Min, Elem::Bool) => self.bool(true),
        };
        let join = |it: &mut Self, so_far, at| {
            let far = it.wrap(Wrap2::Mul, at, step);
            let at = it.wrap(Wrap2::Add, start, far);
            let x = it.op(Op::Load, &[array, at]);
            match (fold, elem) {
                (Fold::Sum | Fold::Max, Elem::Bool) => it.op(Op::Bit2(op::Bit2::Or), &[so_far, x]),
                (Fold::Prod | Fold::Min, Elem::Bool) => it.op(Op::Bit2(op::Bit2::And), &[so_far, x]),
                (_, Elem::I64) => it.num2_int(joined(fold), so_far, x),
                (_, Elem::F32 | Elem::F64) => it.num2_float(joined(fold), so_far, x),
            }
        };
        // A loop that counts by one is unrolled. What is left behind it is one element at most.
        let (zero, one) = (self.int(0), self.int(1));
        let (all, _) = self.looped([zero, one, turns], begin, |it, so_far, turn| {
            let before = it.wrap(Wrap2::Mul, turn, lanes);
            let at = it.wrap(Wrap2::Add, lane, before);
            join(it, so_far, at)
        });
        let before = self.wrap(Wrap2::Mul, turns, lanes);
        let rest = self.wrap(Wrap2::Add, lane, before);
        self.looped([rest, lanes, len], all, join)
    }

    /// An element of a product of matrices: inputs are the first, the second, and how long their rows are.
    fn product(mut self, key: &Key, index: &[Value]) -> (Value, Block) {
        let arrays = [0, 1].map(|at| self.param(Type::Array(ArrayType { elem: key.operands[at].0, len: None })));
        let [k, n] = [(); 2].map(|()| self.param(Type::I64));
        let is_float = key.out != Elem::I64;
        let begin = if is_float { self.float(0.0) } else { self.int(0) };
        let (zero, one) = (self.int(0), self.int(1));
        let row = self.wrap(Wrap2::Mul, index[0], k);
        self.looped([zero, one, k], begin, |it, so_far, at| {
            let first = it.wrap(Wrap2::Add, row, at);
            let x = it.op(Op::Load, &[arrays[0], first]);
            let below = it.wrap(Wrap2::Mul, at, n);
            let second = it.wrap(Wrap2::Add, below, index[1]);
            let y = it.op(Op::Load, &[arrays[1], second]);
            if is_float {
                let product = it.num2_float(Num2::Mul, x, y);
                it.num2_float(Num2::Add, so_far, product)
            } else {
                let product = it.num2_int(Num2::Mul, x, y);
                it.num2_int(Num2::Add, so_far, product)
            }
        })
    }

    fn param(&mut self, ty: Type) -> Value {
        let entry = self.b.func().entry();
        self.b.append_param(entry, ty)
    }
}

const fn joined(fold: Fold) -> Num2 {
    match fold {
        Fold::Sum => Num2::Add,
        Fold::Prod => Num2::Mul,
        Fold::Min => Num2::Min,
        Fold::Max => Num2::Max,
    }
}
