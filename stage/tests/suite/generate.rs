//! Random modules that are verified, terminate, and do a bit of everything.
//!
//! A seed gives one module on every machine. Code is structured (sequences, conditionals with early
//! exits, counted loops with breaks, calls of later functions, recursion on a counter), so that it ends;
//! operands that an op excludes are excluded by guards, as capture does it.

use snekpy_stage::build::Builder;
use snekpy_stage::entity::{Entity, ExitId, FuncId, HostId, Loc, Value};
use snekpy_stage::ir::{ExitData, Function, HostData, LocData, Module};
use snekpy_stage::op::{
    Bit2, COMPUTED, Cmp, Const, Convert, Element2, ListOp, MapOp, Num1, Num2, Op, Overflow2, Real1, Real2, Shift, Wrap2,
};
use snekpy_stage::tensor::elementwise as each;
use snekpy_stage::types::{ArrayType, Elem, ListType, MapType, Scalar, Type};

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

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

/// Integers that are likely to show a mistake.
pub(crate) const INTS: [i64; 12] = [0, 1, 2, 3, 5, -1, -2, -7, 63, i64::MAX, i64::MIN, 4_611_686_018_427_387_904];

/// Doubles that are likely to show a mistake.
pub(crate) const FLOATS: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    0.5,
    -1.5,
    3.0,
    1e300,
    -1e-300,
    9_007_199_254_740_993.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

const FLOAT_ARRAY: Type = Type::Array(ArrayType { elem: Elem::F64, len: None });
const INT_ARRAY: Type = Type::Array(ArrayType { elem: Elem::I64, len: Some(4) });
const SCALARS: [Type; 4] = [Type::I64, Type::I64, Type::F64, Type::Bool];

/// A module from a seed. The larger `size`, the more code.
pub(crate) fn module(seed: u64, size: usize) -> Module {
    let mut random = Random::new(seed);
    let mut module = Module::default();
    let exit = |name: &str, types: &[Type]| ExitData::new(name, types.to_vec());
    module.exits.push(exit("ZeroDivisionError", &[Type::I64]));
    module.exits.push(exit("IndexError", &[]));
    module.exits.push(exit("ValueError", &[Type::F64, Type::Bool]));
    let host = |name: &str, params: &[Type], results: &[Type]| HostData::new(name, params.to_vec(), results.to_vec());
    module.hosts.push(host("print", &[Type::F64], &[]));
    module.hosts.push(host("input", &[Type::I64, Type::Bool], &[Type::I64, Type::F64]));
    module.hosts.push(host("print an int", &[Type::I64], &[]));
    module.hosts.push(host("print a bool", &[Type::Bool], &[]));
    for line in 1..20 {
        let caller = if line > 10 { Some(Loc::new(random.below(line - 1))) } else { None };
        let (file, func) = ("generated.py".into(), "f".into());
        module.locs.push(LocData { file, func, line: line as u32, column: 1, caller, tag: 0 });
    }
    let count = 1 + random.below(3);
    for index in 0..count {
        let mut func = Function::new(["main", "g", "h"][index]);
        let entry = func.entry();
        let mut types = vec![Type::I64, FLOAT_ARRAY, INT_ARRAY];
        types.extend((0..1 + random.below(3)).map(|_| random.pick(&SCALARS)));
        for ty in types {
            func.append_param(entry, ty);
        }
        func.results = (0..random.below(3)).map(|_| random.pick(&SCALARS)).collect();
        module.funcs.push(func);
    }
    for index in 0..count {
        let id = FuncId::new(index);
        let mut func = module.funcs[id].clone();
        let (entry, results) = (func.entry(), func.results.clone());
        let mut scope = func.params().to_vec();
        let builder = Builder::new(&module, &mut func, entry);
        let mut it = Generator { random: &mut random, b: builder, results, index, count, left: size };
        it.recursion(&scope);
        it.statements(&mut scope, if index == 0 { 3 } else { 2 }, size);
        it.give_back(&scope);
        module.funcs[id] = func;
    }
    module
}

struct Generator<'a, 'b> {
    random: &'a mut Random,
    b: Builder<'b>,
    results: Vec<Type>,
    /// The number of the function, and how many there are: it calls only later ones.
    index: usize,
    count: usize,
    /// How many more statements there may be in the function.
    left: usize,
}

impl Generator<'_, '_> {
    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.b.value(op, args).expect("the operands fit")
    }

    fn do_op(&mut self, op: Op, args: &[Value]) -> Vec<Value> {
        self.b.inst(op, args).expect("the operands fit")
    }

    fn int(&mut self, x: i64) -> Value {
        self.b.constant(Const::I64(x))
    }

    fn constant(&mut self, ty: Type) -> Value {
        let constant = match ty {
            Type::Bool => Const::Bool(self.random.one_in(2)),
            Type::I64 => Const::I64(self.random.pick(&INTS)),
            Type::F64 => Const::F64(self.random.pick(&FLOATS)),
            Type::List(list) => return self.op(Op::ListNew(list), &[]),
            Type::Array(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
                unreachable!("arrays are parameters, maps are made")
            }
        };
        self.b.constant(constant)
    }

    fn any(&mut self, scope: &[Value], ty: Type) -> Value {
        let fitting: Vec<Value> = scope.iter().copied().filter(|&it| self.b.func().ty(it) == ty).collect();
        // Later values are more likely: code that uses what was just computed.
        if fitting.is_empty() || ty.is_scalar() && self.random.one_in(6) {
            return self.constant(ty);
        }
        let (a, b) = (self.random.below(fitting.len()), self.random.below(fitting.len()));
        fitting[a.max(b)]
    }

    fn all(&mut self, scope: &[Value], types: &[Type]) -> Vec<Value> {
        types.iter().map(|&ty| self.any(scope, ty)).collect()
    }

    fn leave_unless(&mut self, cond: Value, scope: &[Value]) {
        let exit = ExitId::new(self.random.below(3));
        let payload = self.payload(exit, scope);
        self.do_op(Op::Guard(exit), &[vec![cond], payload].concat());
    }

    fn payload(&mut self, exit: ExitId, scope: &[Value]) -> Vec<Value> {
        let types: &[Type] = [&[Type::I64][..], &[], &[Type::F64, Type::Bool]][exit.index()];
        self.all(scope, types)
    }

    /// Shows everything that was computed, so that no mistake stays unseen, and returns.
    fn give_back(&mut self, scope: &[Value]) {
        for &value in scope {
            self.show(value);
        }
        let values = self.all(scope, &self.results.clone());
        self.b.ret(values);
    }

    /// Sometimes the last function begins with a call of itself, a bounded number of times.
    fn recursion(&mut self, scope: &[Value]) {
        if self.index + 1 < self.count || !self.random.one_in(2) {
            return;
        }
        let (mask, zero, one) = (self.int(3), self.int(0), self.int(1));
        let times = self.op(Op::Bit2(Bit2::And), &[scope[0], mask]);
        let again = self.op(Op::Cmp(Cmp::Gt), &[times, zero]);
        let (call, rest) = (self.b.create_block(), self.b.create_block());
        self.b.branch(again, call, rest);
        self.b.switch_to(call);
        let less = self.op(Op::Num2(Num2::Sub), &[times, one]);
        let args = [&[less], &scope[1..]].concat();
        self.do_op(Op::Call(FuncId::new(self.index), None), &args);
        self.b.jump(rest, Vec::new());
        self.b.switch_to(rest);
    }

    fn statements(&mut self, scope: &mut Vec<Value>, depth: usize, count: usize) {
        for _ in 0..1 + self.random.below(count) {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let loc = Loc::new(self.random.below(19));
            self.b.at(Some(loc));
            match self.random.below(if depth > 0 { 20 } else { 16 }) {
                0 => self.host(scope),
                1 => self.store(scope),
                2 => self.load(scope),
                3 if depth > 1 => self.call(scope), // not in inner loops: work would multiply
                3..12 => self.compute(scope),
                12 | 13 => self.list(scope),
                14 | 15 => self.map(scope),
                16..18 => self.conditional(scope, depth - 1),
                _ => self.counted_loop(scope, depth - 1),
            }
        }
    }

    fn show(&mut self, value: Value) {
        let host = match self.b.func().ty(value) {
            Type::F64 => 0,
            Type::I64 => 2,
            Type::Bool => 3,
            Type::List(_) => return self.show_list(value),
            Type::Map(_) => return self.show_map(value),
            Type::Array(_) | Type::Object(_) | Type::Tensor(_) => return,
        };
        self.do_op(Op::Host(HostId::new(host), None), &[value]);
    }

    /// Most often a number that the next op takes, sometimes any: then a guard leaves.
    fn masked(&mut self, scope: &[Value], mask: i64) -> Value {
        let value = self.any(scope, Type::I64);
        if self.random.one_in(8) {
            return value;
        }
        let mask = self.int(mask);
        self.op(Op::Bit2(Bit2::And), &[value, mask])
    }

    fn host(&mut self, scope: &mut Vec<Value>) {
        let host = self.random.below(2);
        let types: &[Type] = [&[Type::F64][..], &[Type::I64, Type::Bool]][host];
        let args = self.all(scope, types);
        scope.extend(self.do_op(Op::Host(HostId::new(host), None), &args));
    }

    /// An array with an index that a guard keeps in range.
    fn element(&mut self, scope: &[Value]) -> (Value, Value, Type) {
        let (ty, elem) = self.random.pick(&[(FLOAT_ARRAY, Type::F64), (INT_ARRAY, Type::I64)]);
        let (array, index, zero) = (self.any(scope, ty), self.masked(scope, 3), self.int(0));
        let len = self.op(Op::Len, &[array]);
        let (low, high) = (self.op(Op::Cmp(Cmp::Ge), &[index, zero]), self.op(Op::Cmp(Cmp::Lt), &[index, len]));
        let inside = self.op(Op::Bit2(Bit2::And), &[low, high]);
        self.leave_unless(inside, scope);
        (array, index, elem)
    }

    fn load(&mut self, scope: &mut Vec<Value>) {
        let (array, index, _) = self.element(scope);
        let value = self.op(Op::Load, &[array, index]);
        scope.push(value);
    }

    fn store(&mut self, scope: &[Value]) {
        let (array, index, elem) = self.element(scope);
        let value = self.any(scope, elem);
        self.do_op(Op::Store, &[array, index, value]);
    }

    /// Makes a list, or changes one.
    fn list(&mut self, scope: &mut Vec<Value>) {
        let ty = self.random.pick(&[
            ListType::of(Elem::Bool),
            ListType::of(Elem::I64),
            ListType::of(Elem::F64),
            ListType { elem: Elem::I64, nesting: 1 },
            ListType { elem: Elem::F64, nesting: 2 },
        ]);
        let known: Vec<Value> = scope.iter().copied().filter(|&it| self.b.func().ty(it) == Type::List(ty)).collect();
        if known.is_empty() || self.random.one_in(6) {
            let list = self.op(Op::ListNew(ty), &[]);
            scope.push(list);
            return;
        }
        let list = self.random.pick(&known);
        let item = self.any(scope, ty.item());
        let op = self.random.pick(ListOp::ALL);
        let (zero, len) = (self.int(0), self.op(Op::List(ListOp::Len), &[list]));
        let mut args = vec![list];
        match op {
            ListOp::Len => {}
            ListOp::Push | ListOp::Append => args.push(item),
            ListOp::Fill => args.extend([self.masked(scope, 7), item]),
            ListOp::Shift => {
                let (up, down) = (self.masked(scope, 7), self.masked(scope, 7));
                let by = self.op(Op::Wrap2(Wrap2::Sub), &[up, down]);
                let least = self.op(Op::Wrap2(Wrap2::Sub), &[zero, len]);
                let by = self.op(Op::Num2(Num2::Max), &[by, least]);
                args.extend([by, item]);
            }
            ListOp::Reserve => args.push(self.masked(scope, 7)),
            ListOp::Pop => {
                let some = self.op(Op::Cmp(Cmp::Gt), &[len, zero]);
                self.leave_unless(some, scope);
            }
            ListOp::Truncate | ListOp::Insert | ListOp::Get | ListOp::Set | ListOp::Remove => {
                let index = self.masked(scope, 3);
                let below = if matches!(op, ListOp::Truncate | ListOp::Insert) { Cmp::Le } else { Cmp::Lt };
                let (low, high) = (self.op(Op::Cmp(Cmp::Ge), &[index, zero]), self.op(Op::Cmp(below), &[index, len]));
                let inside = self.op(Op::Bit2(Bit2::And), &[low, high]);
                self.leave_unless(inside, scope);
                args.push(index);
                args.extend(op.takes_item().then_some(item));
            }
        }
        // What fills is bounded, as it may be in a loop.
        if matches!(op, ListOp::Fill | ListOp::Shift) {
            let few = self.int(7);
            args[1] = self.op(Op::Num2(Num2::Min), &[args[1], few]);
        }
        let count = match op {
            ListOp::Append | ListOp::Insert => Some(self.int(1)),
            ListOp::Fill | ListOp::Shift => Some(args[1]),
            _ => None,
        };
        if let Some(count) = count {
            self.do_op(Op::List(ListOp::Reserve), &[list, count]);
        }
        scope.extend(self.do_op(Op::List(op), &args));
    }

    /// Makes a map or a set, or does something to one.
    fn map(&mut self, scope: &mut Vec<Value>) {
        let scalars = [Scalar::Bool, Scalar::I64, Scalar::F64];
        let is_map = |it: &Value, b: &Builder<'_>| matches!(b.func().ty(*it), Type::Map(_));
        let known: Vec<Value> = scope.iter().copied().filter(|it| is_map(it, &self.b)).collect();
        if known.is_empty() || self.random.one_in(6) {
            let value = self.random.pick(&scalars);
            let value = (!self.random.one_in(3)).then_some(value);
            let ty = MapType::of_numbers(self.random.pick(&scalars), value);
            let map = self.op(Op::MapNew(ty), &[]);
            scope.push(map);
            return;
        }
        let map = self.random.pick(&known);
        let Type::Map(ty) = self.b.func().ty(map) else { return };
        let key = self.any(scope, ty.key.ty());
        let value = ty.value.map(|value| self.any(scope, value.ty()));
        match self.random.pick(MapOp::ALL) {
            op @ (MapOp::Len | MapOp::Changes | MapOp::Clear) => scope.extend(self.do_op(Op::Map(op), &[map])),
            MapOp::Find => {
                let found = self.op(Op::Map(MapOp::Find), &[map, key]);
                let zero = self.int(0);
                let there = self.op(Op::Cmp(Cmp::Ge), &[found, zero]);
                scope.push(there);
            }
            MapOp::Get if value.is_some() => {
                let found = self.op(Op::Map(MapOp::Find), &[map, key]);
                let got = self.op(Op::Map(MapOp::Get), &[map, found, value.expect("it was asked")]);
                scope.push(got);
            }
            MapOp::Get | MapOp::Put => {
                let found = self.op(Op::Map(MapOp::Find), &[map, key]);
                let mut args = vec![map, found, key];
                args.extend(value);
                self.do_op(Op::Map(MapOp::Put), &args);
            }
            op @ (MapOp::Key | MapOp::Remove) => {
                let found = self.op(Op::Map(MapOp::Find), &[map, key]);
                let zero = self.int(0);
                let there = self.op(Op::Cmp(Cmp::Ge), &[found, zero]);
                self.leave_unless(there, scope);
                scope.extend(self.do_op(Op::Map(op), &[map, found]));
            }
            op @ (MapOp::Next | MapOp::Last) => {
                let zero = self.int(0);
                let mut args = vec![map];
                args.extend(op.takes_position().then_some(zero));
                let first = self.op(Op::Map(op), &args);
                let some = self.op(Op::Cmp(Cmp::Ge), &[first, zero]);
                self.leave_unless(some, scope);
                let key = self.op(Op::Map(MapOp::Key), &[map, first]);
                scope.push(key);
            }
        }
    }

    /// How many entries there are, and the first one.
    fn show_map(&mut self, map: Value) {
        let Type::Map(ty) = self.b.func().ty(map) else { return };
        let len = self.op(Op::Map(MapOp::Len), &[map]);
        self.show(len);
        let key = self.constant(ty.key.ty());
        let value = ty.value.map(|value| self.constant(value.ty()));
        let found = self.op(Op::Map(MapOp::Find), &[map, key]);
        self.do_op(
            Op::Map(MapOp::Put),
            &[Some(map), Some(found), Some(key), value].into_iter().flatten().collect::<Vec<_>>(),
        );
        let zero = self.int(0);
        let first = self.op(Op::Map(MapOp::Next), &[map, zero]);
        let key = self.op(Op::Map(MapOp::Key), &[map, first]);
        self.show(key);
        if let Some(value) = value {
            let got = self.op(Op::Map(MapOp::Get), &[map, first, value]);
            self.show(got);
        }
    }

    fn show_list(&mut self, list: Value) {
        let Type::List(ty) = self.b.func().ty(list) else { return };
        let len = self.op(Op::List(ListOp::Len), &[list]);
        self.show(len);
        let item = self.constant(ty.item());
        self.do_op(Op::List(ListOp::Push), &[list, item]);
        let first = self.int(0);
        for index in [first, len] {
            let item = self.op(Op::List(ListOp::Get), &[list, index]);
            self.show(item);
        }
    }

    fn call(&mut self, scope: &mut Vec<Value>) {
        if self.index + 1 == self.count {
            return;
        }
        let callee = self.index + 1 + self.random.below(self.count - self.index - 1);
        let types = self.b.module().funcs[FuncId::new(callee)].param_types();
        let args = self.all(scope, &types);
        scope.extend(self.do_op(Op::Call(FuncId::new(callee), None), &args));
    }

    fn compute(&mut self, scope: &mut Vec<Value>) {
        use Type::{Bool, F64, I64};
        let number = self.random.pick(&[I64, F64]);
        let scalar = self.random.pick(&SCALARS);
        let value = match self.random.below(16) {
            0 => {
                let (op, x) = (self.random.pick(Num1::ALL), self.any(scope, number));
                self.op(Op::Num1(op), &[x])
            }
            1..4 => {
                let op = self.random.pick(Num2::ALL);
                let (x, mut y) = (self.any(scope, number), self.any(scope, number));
                if matches!(op, Num2::FloorDiv | Num2::Mod) {
                    y = self.not_zero(y, scope);
                }
                self.op(Op::Num2(op), &[x, y])
            }
            4 => {
                let (x, y, zero) = (self.any(scope, I64), self.masked(scope, 7), self.int(0));
                let fine = self.op(Op::Cmp(Cmp::Ge), &[y, zero]);
                self.leave_unless(fine, scope);
                let op = self.random.pick(&[Op::IntPow, Op::Shift(Shift::Left), Op::Shift(Shift::Right)]);
                self.op(op, &[x, y])
            }
            5 => {
                let (x, y) = (self.any(scope, I64), self.any(scope, I64));
                let y = self.not_zero(y, scope);
                self.op(Op::IntDiv, &[x, y])
            }
            6 => {
                let (op, x, y) = (self.random.pick(Wrap2::ALL), self.any(scope, I64), self.any(scope, I64));
                self.op(Op::Wrap2(op), &[x, y])
            }
            7 => {
                let (op, x, y) = (self.random.pick(Overflow2::ALL), self.any(scope, I64), self.any(scope, I64));
                let overflows = self.op(Op::Overflow2(op), &[x, y]);
                if self.random.one_in(3) {
                    self.do_op(Op::OverflowIf, &[overflows]);
                }
                overflows
            }
            8 => {
                let ty = self.random.pick(&[Bool, I64]);
                let (op, x, y) = (self.random.pick(Bit2::ALL), self.any(scope, ty), self.any(scope, ty));
                self.op(Op::Bit2(op), &[x, y])
            }
            9 => {
                let ty = self.random.pick(&[Bool, I64]);
                let x = self.any(scope, ty);
                self.op(Op::Not, &[x])
            }
            10 => {
                let x = self.any(scope, F64);
                let op = match self.random.below(3) {
                    0 => Op::Element1(self.random.pick(each::Real1::ALL), self.random.pick(&COMPUTED)),
                    _ => Op::Real1(self.random.pick(Real1::ALL)),
                };
                self.op(op, &[x])
            }
            11 => {
                let (x, y) = (self.any(scope, F64), self.any(scope, F64));
                let op = match self.random.below(3) {
                    0 => Op::Element2(self.random.pick(Element2::ALL), self.random.pick(&COMPUTED)),
                    _ => Op::Real2(self.random.pick(Real2::ALL)),
                };
                self.op(op, &[x, y])
            }
            12 => {
                let (op, x, y) = (self.random.pick(Cmp::ALL), self.any(scope, scalar), self.any(scope, scalar));
                self.op(Op::Cmp(op), &[x, y])
            }
            13 => {
                let (op, x, y) = (self.random.pick(Cmp::ALL), self.any(scope, I64), self.any(scope, F64));
                self.op(Op::CmpIntFloat(op), &[x, y])
            }
            14 => {
                let (op, from) = self.random.pick(&[
                    (Convert::BoolToInt, Bool),
                    (Convert::IntToFloat, I64),
                    (Convert::FloatToInt, F64),
                    (Convert::Single, F64),
                    (Convert::Half, F64),
                    (Convert::Bfloat, F64),
                    (Convert::Int32, I64),
                ]);
                let mut x = self.any(scope, from);
                if op == Convert::FloatToInt {
                    x = self.op(Op::Real1(Real1::Floor), &[x]);
                }
                self.op(Op::Convert(op), &[x])
            }
            _ => {
                let (c, x, y) = (self.any(scope, Bool), self.any(scope, scalar), self.any(scope, scalar));
                self.op(Op::Select, &[c, x, y])
            }
        };
        scope.push(value);
    }

    /// Most often another number than 0 made from this one, sometimes this one with a guard before it.
    fn not_zero(&mut self, y: Value, scope: &[Value]) -> Value {
        let is_float = self.b.func().ty(y) == Type::F64;
        let zero = self.b.constant(if is_float { Const::F64(0.0) } else { Const::I64(0) });
        let mut divisor = y;
        if !self.random.one_in(8) {
            let other = self.b.constant(if is_float { Const::F64(-1.5) } else { Const::I64(3) });
            let is_zero = self.op(Op::Cmp(Cmp::Eq), &[y, zero]);
            divisor = self.op(Op::Select, &[is_zero, other, y]);
        }
        let fine = self.op(Op::Cmp(Cmp::Ne), &[divisor, zero]);
        self.leave_unless(fine, scope);
        divisor
    }

    fn conditional(&mut self, scope: &mut Vec<Value>, depth: usize) {
        let cond = self.any(scope, Type::Bool);
        let types: Vec<Type> = (0..self.random.below(3)).map(|_| self.random.pick(&SCALARS)).collect();
        let (then, other, join) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.branch(cond, then, other);
        for arm in [then, other] {
            self.b.switch_to(arm);
            let mut inner = scope.clone();
            self.statements(&mut inner, depth, 4);
            let last = *inner.last().expect("there are parameters");
            self.show(last);
            match self.random.below(12) {
                0 if arm == then => self.give_back(&inner),
                1 if arm == then => {
                    let exit = ExitId::new(self.random.below(3));
                    let payload = self.payload(exit, &inner);
                    self.b.exit(exit, payload);
                }
                _ => {
                    let args = self.all(&inner, &types);
                    self.b.jump(join, args);
                }
            }
        }
        scope.extend(types.into_iter().map(|ty| self.b.append_param(join, ty)));
        self.b.switch_to(join);
    }

    /// `for i in range(n)` with variables that are carried round, and sometimes a `break`.
    fn counted_loop(&mut self, scope: &mut Vec<Value>, depth: usize) {
        let types: Vec<Type> = (0..self.random.below(3)).map(|_| self.random.pick(&SCALARS)).collect();
        let (mask, zero) = (self.int(if depth > 0 { 3 } else { 1 }), self.int(0));
        let times = self.any(scope, Type::I64);
        let times = self.op(Op::Bit2(Bit2::And), &[times, mask]);
        let first = self.all(scope, &types);
        let (header, body, after) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.jump(header, [vec![zero], first].concat());
        self.b.switch_to(header);
        if self.random.one_in(4) {
            self.b.keep_quiet(header);
        }
        let counter = self.b.append_param(header, Type::I64);
        let carried: Vec<Value> = types.iter().map(|&ty| self.b.append_param(header, ty)).collect();
        let goes_on = self.op(Op::Cmp(Cmp::Lt), &[counter, times]);
        let leave = self.b.create_block();
        self.b.branch(goes_on, body, leave);
        self.b.switch_to(leave);
        self.b.jump(after, carried.clone());
        self.b.switch_to(body);
        let mut inner = [&scope[..], &[counter], &carried].concat();
        self.statements(&mut inner, depth, 4);
        let last = *inner.last().expect("there is the counter");
        self.show(last);
        if self.random.one_in(3) {
            let stop = self.any(&inner, Type::Bool);
            let (stopping, going_on) = (self.b.create_block(), self.b.create_block());
            self.b.branch(stop, stopping, going_on);
            self.b.switch_to(stopping);
            let args = self.all(&inner, &types);
            self.b.jump(after, args);
            self.b.switch_to(going_on);
        }
        let one = self.int(1);
        let next = self.op(Op::Num2(Num2::Add), &[counter, one]);
        let args = self.all(&inner, &types);
        self.b.jump(header, [vec![next], args].concat());
        scope.extend(types.into_iter().map(|ty| self.b.append_param(after, ty)));
        self.b.switch_to(after);
    }
}

/// Arguments of a main function, and the arrays among them.
pub(crate) struct Arguments {
    pub(crate) floats: Vec<f64>,
    pub(crate) ints: Vec<i64>,
    pub(crate) slots: Vec<u64>,
}

impl Arguments {
    /// Those of a seed.
    pub(crate) fn new(module: &Module, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut floats: Vec<f64> = (0..random.below(8)).map(|_| random.pick(&FLOATS)).collect();
        let mut ints: Vec<i64> = (0..4).map(|_| random.pick(&INTS)).collect();
        let mut slots = Vec::new();
        for ty in module.funcs[module.main()].param_types() {
            match ty {
                Type::Bool => slots.push(random.next() & 1),
                Type::I64 => slots.push(random.pick(&INTS).cast_unsigned()),
                Type::F64 => slots.push(random.pick(&FLOATS).to_bits()),
                Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
                    unreachable!("main takes no lists and maps")
                }
                Type::Array(array) => match array.len {
                    None => slots.extend([floats.as_mut_ptr() as u64, floats.len() as u64]),
                    Some(len) => slots.extend([ints.as_mut_ptr() as u64, len]),
                },
            }
        }
        Self { floats, ints, slots }
    }
}
