//! Random kernels that end: scalar bodies with branches, loops, breaks, early returns and failures.
//!
//! A seed gives one kernel on every machine. Of the functions of doubles, only those are used that every executor
//! computes exactly, unless others are asked for.

use snekpy_stage::build::Builder;
use snekpy_stage::entity::{Entity, ExitId, FuncId, Value};
use snekpy_stage::ir::{ExitData, Function, Jump, Module, Terminator};
use snekpy_stage::kernel::{Form, Kernel};
use snekpy_stage::op::{Bit2, Cmp, Const, Convert, Num1, Num2, Op, Overflow2, Real1, Real2, Shift, Wrap2};
use snekpy_stage::types::{ArrayType, Elem, Type};

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

pub(crate) const INTS: [i64; 10] = [0, 1, 2, 3, 7, -1, -5, 63, i64::MAX, i64::MIN];
pub(crate) const FLOATS: [f64; 11] =
    [0.0, -0.0, 1.0, 0.5, -1.5, 3.0, 1e300, -1e-300, 9_007_199_254_740_993.0, f64::INFINITY, f64::NAN];
/// How many elements the arrays of inputs have.
pub(crate) const LEN: usize = 16;
const OTHERS: [Elem; 4] = [Elem::Bool, Elem::I32, Elem::F16, Elem::Bf16];
const SCALARS: [Type; 3] = [Type::I64, Type::F64, Type::Bool];

/// Which functions of doubles a kernel may use.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Functions {
    /// Those that the C library and devices compute alike.
    Exact,
    /// All.
    All,
}

const EXACT: [Real1; 5] = [Real1::Sqrt, Real1::Floor, Real1::Ceil, Real1::Trunc, Real1::RoundEven];

/// A map from a seed. Its inputs are an array of doubles, one of integers, one of singles, one of other elements, a double,
/// an integer and a truth value.
pub(crate) fn kernel(seed: u64, functions: Functions) -> Kernel {
    let mut random = Random(seed);
    let mut module = Module::default();
    for name in ["ValueError", "IndexError", "ZeroDivisionError"] {
        module.exits.push(ExitData::new(name, Vec::new()));
    }
    let array = |elem| Type::Array(ArrayType { elem, len: None });
    let rank = 1 + random.below(3);
    let count = 1 + random.below(2);
    for index in 0..count {
        let mut func = Function::new(["main", "helper"][index]);
        let entry = func.entry();
        let mut params = vec![Type::I64; if index == 0 { rank } else { 1 }];
        if index == 0 {
            params.extend([array(Elem::F64), array(Elem::I64), array(Elem::F32), array(random.pick(&OTHERS))]);
        }
        params.extend([Type::F64, Type::I64, Type::Bool]);
        for ty in params {
            func.append_param(entry, ty);
        }
        func.results = (0..1 + random.below(2)).map(|_| random.pick(&SCALARS)).collect();
        module.funcs.push(func);
    }
    for index in (0..count).rev() {
        let id = FuncId::new(index);
        let mut func = module.funcs[id].clone();
        let (entry, results) = (func.entry(), func.results.clone());
        let mut scope = func.params().to_vec();
        let b = Builder::new(&module, &mut func, entry);
        let mut it = Generator { random: &mut random, b, results, functions, calls: index + 1 < count, left: 24 };
        it.statements(&mut scope, 3);
        it.give_back(&scope);
        module.funcs[id] = func;
    }
    let mut elem = |ty: &Type| {
        let fitting: Vec<Elem> = Elem::ALL.into_iter().filter(|elem| elem.value_type() == *ty).collect();
        random.pick(&fitting)
    };
    let form = Form::Map(module.funcs[module.main()].results.iter().map(&mut elem).collect());
    Kernel::new(module, rank, form)
}

struct Generator<'a, 'b> {
    random: &'a mut Random,
    b: Builder<'b>,
    results: Vec<Type>,
    functions: Functions,
    calls: bool,
    left: usize,
}

impl Generator<'_, '_> {
    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.b.value(op, args).expect("the operands fit")
    }

    fn int(&mut self, value: i64) -> Value {
        self.b.constant(Const::I64(value))
    }

    fn any(&mut self, scope: &[Value], ty: Type) -> Value {
        let fitting: Vec<Value> = scope.iter().copied().filter(|&it| self.b.func().ty(it) == ty).collect();
        if fitting.is_empty() || self.random.one_in(6) {
            let constant = match ty {
                Type::Bool => Const::Bool(self.random.one_in(2)),
                Type::F64 => Const::F64(self.random.pick(&FLOATS)),
                _ => Const::I64(self.random.pick(&INTS)),
            };
            return self.b.constant(constant);
        }
        let (a, b) = (self.random.below(fitting.len()), self.random.below(fitting.len()));
        fitting[a.max(b)]
    }

    fn all(&mut self, scope: &[Value], types: &[Type]) -> Vec<Value> {
        types.iter().map(|&ty| self.any(scope, ty)).collect()
    }

    fn give_back(&mut self, scope: &[Value]) {
        let values = self.all(scope, &self.results.clone());
        self.b.ret(values);
    }

    fn statements(&mut self, scope: &mut Vec<Value>, depth: usize) {
        for _ in 0..2 + self.random.below(6) {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            match self.random.below(if depth > 0 { 20 } else { 14 }) {
                0..10 => {
                    let value = self.compute(scope);
                    scope.push(value);
                }
                10 | 11 => self.load(scope),
                12 => self.fail_unless(scope),
                13 if self.calls => {
                    let types = self.b.module().funcs[FuncId::new(1)].param_types();
                    let args = self.all(scope, &types);
                    scope.extend(self.b.inst(Op::Call(FuncId::new(1), None), &args).expect("the operands fit"));
                }
                13 => {}
                14..17 => self.conditional(scope, depth - 1),
                _ => self.counted_loop(scope, depth - 1),
            }
        }
    }

    /// Mostly true.
    fn fail_unless(&mut self, scope: &[Value]) {
        let (x, y) = (self.any(scope, Type::I64), self.any(scope, Type::Bool));
        let far = self.int(i64::MAX - 1);
        let near = self.op(Op::Cmp(Cmp::Lt), &[x, far]);
        let cond = self.op(Op::Bit2(Bit2::Or), &[near, y]);
        let exit = ExitId::new(self.random.below(3));
        self.b.inst(Op::Guard(exit), &[cond]).expect("a guard takes a truth value");
    }

    fn load(&mut self, scope: &mut Vec<Value>) {
        let is_array = |it: &Value, b: &Builder<'_>| b.func().ty(*it).as_array().is_some();
        let arrays: Vec<Value> = scope.iter().copied().filter(|it| is_array(it, &self.b)).collect();
        if arrays.is_empty() {
            return;
        }
        let array = self.random.pick(&arrays);
        let index = self.any(scope, Type::I64);
        let mask = self.int(LEN as i64 - 1);
        let index = if self.random.one_in(12) { index } else { self.op(Op::Bit2(Bit2::And), &[index, mask]) };
        let (zero, len) = (self.int(0), self.op(Op::Len, &[array]));
        let (low, high) = (self.op(Op::Cmp(Cmp::Ge), &[index, zero]), self.op(Op::Cmp(Cmp::Lt), &[index, len]));
        let inside = self.op(Op::Bit2(Bit2::And), &[low, high]);
        self.b.inst(Op::Guard(ExitId::new(1)), &[inside]).expect("a guard takes a truth value");
        let value = self.op(Op::Load, &[array, index]);
        scope.push(value);
    }

    /// An integer that an op takes that does not take every one.
    fn guarded(&mut self, value: Value, op: Cmp) -> Value {
        let zero = self.int(0);
        let cond = self.op(Op::Cmp(op), &[value, zero]);
        self.b.inst(Op::Guard(ExitId::new(2)), &[cond]).expect("a guard takes a truth value");
        value
    }

    fn compute(&mut self, scope: &[Value]) -> Value {
        use Type::{Bool, F64, I64};
        let number = self.random.pick(&[I64, F64]);
        match self.random.below(17) {
            0 => {
                let x = self.any(scope, number);
                let op = self.random.pick(Num1::ALL);
                self.op(Op::Num1(op), &[x])
            }
            1..5 => {
                let op = self.random.pick(Num2::ALL);
                let (x, mut y) = (self.any(scope, number), self.any(scope, number));
                if number == I64 && matches!(op, Num2::FloorDiv | Num2::Mod) {
                    y = self.guarded(y, Cmp::Ne);
                }
                self.op(Op::Num2(op), &[x, y])
            }
            5 => {
                let (x, y, mask) = (self.any(scope, I64), self.any(scope, I64), self.int(7));
                let y = self.op(Op::Bit2(Bit2::And), &[y, mask]);
                self.op(Op::IntPow, &[x, y])
            }
            6 => {
                let (x, y) = (self.any(scope, I64), self.any(scope, I64));
                let y = self.guarded(y, Cmp::Ne);
                self.op(Op::IntDiv, &[x, y])
            }
            7 => {
                let op = self.random.pick(Wrap2::ALL);
                let args = self.all(scope, &[I64, I64]);
                self.op(Op::Wrap2(op), &args)
            }
            8 => {
                let op = self.random.pick(Overflow2::ALL);
                let args = self.all(scope, &[I64, I64]);
                self.op(Op::Overflow2(op), &args)
            }
            9 => {
                let (op, ty) = (self.random.pick(Bit2::ALL), self.random.pick(&[I64, Bool]));
                let args = self.all(scope, &[ty, ty]);
                self.op(Op::Bit2(op), &args)
            }
            10 => {
                let op = self.random.pick(Shift::ALL);
                let (x, n, mask) = (self.any(scope, I64), self.any(scope, I64), self.int(127));
                let n = self.op(Op::Bit2(Bit2::And), &[n, mask]);
                self.op(Op::Shift(op), &[x, n])
            }
            11 => {
                let all = self.functions == Functions::All;
                let op = if all { self.random.pick(Real1::ALL) } else { self.random.pick(&EXACT) };
                let x = self.any(scope, F64);
                self.op(Op::Real1(op), &[x])
            }
            12 => {
                let exact = [Real2::Div, Real2::Copysign, Real2::Fmod];
                let all = self.functions == Functions::All;
                let op = if all { self.random.pick(Real2::ALL) } else { self.random.pick(&exact) };
                let (x, mut y) = (self.any(scope, F64), self.any(scope, F64));
                if op == Real2::Copysign {
                    // The sign of a NaN is left open.
                    let (is_number, one) = (self.op(Op::Cmp(Cmp::Eq), &[y, y]), self.b.constant(Const::F64(1.0)));
                    y = self.op(Op::Select, &[is_number, y, one]);
                }
                self.op(Op::Real2(op), &[x, y])
            }
            13 => {
                let (op, ty) = (self.random.pick(Cmp::ALL), self.random.pick(&SCALARS));
                let args = self.all(scope, &[ty, ty]);
                self.op(Op::Cmp(op), &args)
            }
            14 => {
                let op = self.random.pick(Cmp::ALL);
                let args = self.all(scope, &[I64, F64]);
                self.op(Op::CmpIntFloat(op), &args)
            }
            15 => match self.random.below(6) {
                0 => {
                    let ty = self.random.pick(&[Bool, I64]);
                    let x = self.any(scope, ty);
                    self.op(Op::Not, &[x])
                }
                1 => {
                    let x = self.any(scope, Bool);
                    self.op(Op::Convert(Convert::BoolToInt), &[x])
                }
                2 => {
                    let x = self.any(scope, I64);
                    self.op(Op::Convert(Convert::IntToFloat), &[x])
                }
                3 => {
                    let op = self.random.pick(&[Convert::Single, Convert::Half, Convert::Bfloat]);
                    let x = self.any(scope, F64);
                    self.op(Op::Convert(op), &[x])
                }
                4 => {
                    let x = self.any(scope, I64);
                    self.op(Op::Convert(Convert::Int32), &[x])
                }
                _ => {
                    let x = self.any(scope, F64);
                    let whole = self.op(Op::Real1(Real1::Trunc), &[x]);
                    self.op(Op::Convert(Convert::FloatToInt), &[whole])
                }
            },
            _ => {
                let ty = self.random.pick(&SCALARS);
                let args = self.all(scope, &[Bool, ty, ty]);
                self.op(Op::Select, &args)
            }
        }
    }

    /// Two arms that meet, unless one leaves.
    fn conditional(&mut self, scope: &mut Vec<Value>, depth: usize) {
        let cond = self.any(scope, Type::Bool);
        let ty = self.random.pick(&SCALARS);
        let [then, other, join] = [(); 3].map(|()| self.b.create_block());
        let joined = self.b.append_param(join, ty);
        self.b.branch(cond, then, other);
        for (arm, may_leave) in [(then, true), (other, false)] {
            self.b.switch_to(arm);
            let mut inner = scope.clone();
            self.statements(&mut inner, depth);
            if may_leave && self.random.one_in(4) {
                if self.random.one_in(4) {
                    self.b.exit(ExitId::new(0), Vec::new());
                } else {
                    self.give_back(&inner);
                }
            } else {
                let value = self.any(&inner, ty);
                self.b.jump(join, vec![value]);
            }
        }
        self.b.switch_to(join);
        scope.push(joined);
    }

    /// Up to fifteen turns, with a break.
    fn counted_loop(&mut self, scope: &mut Vec<Value>, depth: usize) {
        let (limit, mask, zero, one) = (self.any(scope, Type::I64), self.int(15), self.int(0), self.int(1));
        let limit = self.op(Op::Bit2(Bit2::And), &[limit, mask]);
        let ty = self.random.pick(&SCALARS);
        let first = self.any(scope, ty);
        let [head, body, done] = [(); 3].map(|()| self.b.create_block());
        let (counter, carried) = (self.b.append_param(head, Type::I64), self.b.append_param(head, ty));
        let last = self.b.append_param(done, ty);
        self.b.jump(head, vec![zero, first]);
        self.b.switch_to(head);
        let cond = self.op(Op::Cmp(Cmp::Lt), &[counter, limit]);
        let to = |target, args: &[Value]| Jump { target, args: args.to_vec() };
        self.b.terminate(Terminator::Branch { cond, then: to(body, &[]), other: to(done, &[carried]) });
        self.b.switch_to(body);
        let mut inner = scope.clone();
        inner.extend([counter, carried]);
        self.statements(&mut inner, depth);
        if self.random.one_in(2) {
            let stops = self.any(&inner, Type::Bool);
            let value = self.any(&inner, ty);
            let go_on = self.b.create_block();
            self.b.terminate(Terminator::Branch { cond: stops, then: to(done, &[value]), other: to(go_on, &[]) });
            self.b.switch_to(go_on);
        }
        let value = self.any(&inner, ty);
        let next = self.op(Op::Num2(Num2::Add), &[counter, one]);
        self.b.jump(head, vec![next, value]);
        self.b.switch_to(done);
        scope.push(last);
    }
}
