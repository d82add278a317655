//! Random modules that always end.

use snekpy_stage::build::Builder;
use snekpy_stage::entity::{Entity, ExitId, FuncId, HostId, Value};
use snekpy_stage::ir::{ExitData, Function, HostData, LocData, Module};
use snekpy_stage::op::{
    Bit2, Cmp, Const, Convert, ListOp, MapOp, Num1, Num2, Op, Overflow2, Real1, Real2, Shift, Wrap2,
};
use snekpy_stage::types::{ArrayType, Elem, ListType, MapType, Scalar, Type};

/// Elements of the array that the main function takes.
pub(crate) const ARRAY: u64 = 8;
const LINES: u32 = 4000;

/// A small generator of random numbers; the same seed gives the same module.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    pub(crate) fn int(&mut self) -> i64 {
        match self.below(8) {
            0 => self.of(&[i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1, 1 << 53, 1 << 32, -(1 << 31)]),
            1 => self.next().cast_signed(),
            2 | 3 => self.of(&[0, 1, 2, -1, 8]),
            _ => (self.next() % 41).cast_signed() - 20,
        }
    }

    pub(crate) fn float(&mut self) -> f64 {
        match self.below(4) {
            0 => self.of(&[0.0, -0.0, 1.0, f64::INFINITY, f64::NAN, 0.5, -2.0]),
            _ => self.int() as f64 / 4.0,
        }
    }
}

/// The variables of the program.
#[derive(Clone)]
struct Vars {
    ints: Vec<Value>,
    bools: Vec<Value>,
    floats: Vec<Value>,
}

impl Vars {
    fn all(&self) -> Vec<Value> {
        self.ints.iter().chain(&self.bools).chain(&self.floats).copied().collect()
    }

    fn with_all(&self, all: &[Value]) -> Self {
        let (ints, rest) = all.split_at(self.ints.len());
        let (bools, floats) = rest.split_at(self.bools.len());
        Self { ints: ints.to_vec(), bools: bools.to_vec(), floats: floats.to_vec() }
    }
}

struct Gen<'a, 'b> {
    b: Builder<'a>,
    rng: &'b mut Rng,
    vars: Vars,
    array: Option<Value>,
    list: Option<Value>,
    map: Option<Value>,
    callee: Option<FuncId>,
    results: usize,
    line: u32,
    budget: usize,
}

pub(crate) fn module(rng: &mut Rng) -> Module {
    let mut module = Module::default();
    module.exits.push(ExitData::new("first", vec![Type::I64]));
    module.exits.push(ExitData::new("second", vec![Type::F64, Type::Bool]));
    module.hosts.push(HostData::new("next", vec![Type::I64], vec![Type::I64]));
    for line in 1..=LINES {
        module.locs.push(LocData { file: "f.py".into(), func: "f".into(), line, column: 0, caller: None, tag: 0 });
    }
    // The main function calls the helper, which is built first and stands in for itself.
    let helper = function(&module, "helper", &[Type::I64, Type::I64], 1, None, rng, LINES / 2);
    let mut stand_in = Function::new("main");
    stand_in.results = vec![Type::I64];
    module.funcs.push(stand_in);
    module.funcs.push(helper);
    let array = Type::Array(ArrayType { elem: Elem::I64, len: rng.one_in(2).then_some(ARRAY) });
    let params = [Type::I64, Type::I64, Type::F64, Type::Bool, array];
    let main = function(&module, "main", &params, 3, Some(FuncId::new(1)), rng, 0);
    module.funcs[FuncId::new(0)] = main;
    module
}

fn function(
    module: &Module,
    name: &str,
    params: &[Type],
    results: usize,
    callee: Option<FuncId>,
    rng: &mut Rng,
    line: u32,
) -> Function {
    let mut func = Function::new(name);
    func.results = [Type::I64, Type::Bool, Type::F64][..results].to_vec();
    let entry = func.entry();
    let params: Vec<Value> = params.iter().map(|&ty| func.append_param(entry, ty)).collect();
    let of = |func: &Function, ty: Type| params.iter().copied().filter(|&it| func.ty(it) == ty).collect::<Vec<_>>();
    let vars = Vars { ints: of(&func, Type::I64), bools: of(&func, Type::Bool), floats: of(&func, Type::F64) };
    let array = params.iter().copied().find(|&it| !func.ty(it).is_scalar());
    let budget = if callee.is_some() { 60 } else { 12 };
    let b = Builder::new(module, &mut func, entry);
    let mut it = Gen { b, rng, vars, array, list: None, map: None, callee, results, line, budget };
    let constants = [Const::I64(0), Const::I64(3), Const::Bool(true), Const::F64(1.5)].map(|c| it.b.constant(c));
    it.list = callee.map(|_| it.op(Op::ListNew(ListType::of(Elem::I64)), &[]));
    let counts = MapType::of_numbers(Scalar::I64, Some(Scalar::I64));
    it.map = callee.map(|_| it.op(Op::MapNew(counts), &[]));
    it.vars.ints.extend([constants[0], constants[1]]);
    it.vars.bools.push(constants[2]);
    it.vars.floats.push(constants[3]);
    if !it.block(4) {
        it.ret();
    }
    func
}

impl Gen<'_, '_> {
    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.effect(op, args).first().copied().expect("the op has a result")
    }

    fn effect(&mut self, op: Op, args: &[Value]) -> Vec<Value> {
        self.line += 1;
        let loc = snekpy_stage::entity::Loc::new(self.line as usize % LINES as usize);
        self.b.at(Some(loc)).inst(op, args).expect("the generator knows the types")
    }

    fn const_int(&mut self, it: i64) -> Value {
        self.b.constant(Const::I64(it))
    }

    fn int(&mut self) -> Value {
        if self.rng.one_in(4) {
            let it = self.rng.int();
            self.const_int(it)
        } else {
            self.rng.of(&self.vars.ints)
        }
    }

    fn float(&mut self) -> Value {
        if self.rng.one_in(4) {
            let it = self.rng.float();
            self.b.constant(Const::F64(it))
        } else {
            self.rng.of(&self.vars.floats)
        }
    }

    fn truth(&mut self) -> Value {
        if self.rng.one_in(10) {
            let it = self.rng.one_in(2);
            self.b.constant(Const::Bool(it))
        } else {
            self.rng.of(&self.vars.bools)
        }
    }

    /// Guards that an integer is not zero, or not negative.
    fn guarded(&mut self, cmp: Cmp) -> Value {
        let it = self.int();
        let zero = self.const_int(0);
        let ok = self.op(Op::Cmp(cmp), &[it, zero]);
        self.effect(Op::Guard(ExitId::new(0)), &[ok, it]);
        it
    }

    fn new_int(&mut self) -> Value {
        let (x, y) = (self.int(), self.int());
        match self.rng.below(15) {
            0..=3 => {
                let op = self.rng.of(&[Num2::Add, Num2::Sub, Num2::Mul, Num2::Min, Num2::Max]);
                self.op(Op::Num2(op), &[x, y])
            }
            4 => {
                let mask = self.rng.of(&[1, 7, 255]);
                let mask = self.const_int(mask);
                self.op(Op::Bit2(Bit2::And), &[x, mask])
            }
            5 => {
                let by = self.guarded(Cmp::Ne);
                let op = self.rng.of(&[Num2::FloorDiv, Num2::Mod]);
                self.op(Op::Num2(op), &[x, by])
            }
            6 => {
                let by = self.rng.of(&[1, 2, 4, 3, -1, -3, 10]);
                let by = self.const_int(by);
                let op = self.rng.of(&[Num2::FloorDiv, Num2::Mod]);
                self.op(Op::Num2(op), &[x, by])
            }
            7 => {
                let op = self.rng.of(Wrap2::ALL);
                self.op(Op::Wrap2(op), &[x, y])
            }
            8 => {
                let op = self.rng.of(Bit2::ALL);
                self.op(Op::Bit2(op), &[x, y])
            }
            9 => {
                let op = self.rng.of(Shift::ALL);
                let by = if self.rng.one_in(2) { self.guarded(Cmp::Ge) } else { self.const_int(2) };
                self.op(Op::Shift(op), &[x, by])
            }
            10 => {
                let op = self.rng.of(Num1::ALL);
                self.op(Op::Num1(op), &[x])
            }
            11 => {
                let by = self.rng.of(&[0, 1, 2, 3, 4, 5]);
                let by = self.const_int(by);
                self.op(Op::IntPow, &[x, by])
            }
            12 => {
                let truth = self.truth();
                self.op(Op::Convert(Convert::BoolToInt), &[truth])
            }
            13 => {
                let truth = self.truth();
                self.op(Op::Select, &[truth, x, y])
            }
            _ => self.op(Op::Not, &[x]),
        }
    }

    fn new_truth(&mut self) -> Value {
        let cmp = self.rng.of(Cmp::ALL);
        match self.rng.below(8) {
            0..=3 => {
                let args = [self.int(), self.int()];
                self.op(Op::Cmp(cmp), &args)
            }
            4 => {
                let args = [self.float(), self.float()];
                self.op(Op::Cmp(cmp), &args)
            }
            5 => {
                let args = [self.int(), self.float()];
                self.op(Op::CmpIntFloat(cmp), &args)
            }
            6 => {
                let args = [self.truth(), self.truth()];
                let op = self.rng.of(&[Op::Bit2(Bit2::And), Op::Bit2(Bit2::Or), Op::Bit2(Bit2::Xor), Op::Cmp(cmp)]);
                self.op(op, &args)
            }
            _ => {
                let arg = self.truth();
                self.op(Op::Not, &[arg])
            }
        }
    }

    fn new_float(&mut self) -> Value {
        let (x, y) = (self.float(), self.float());
        match self.rng.below(8) {
            0..=2 => {
                let op = self.rng.of(Num2::ALL);
                self.op(Op::Num2(op), &[x, y])
            }
            3 => {
                let int = self.int();
                self.op(Op::Convert(Convert::IntToFloat), &[int])
            }
            4 => {
                let op = self.rng.of(&[Real1::Sqrt, Real1::Floor, Real1::Trunc, Real1::Exp, Real1::Sin]);
                self.op(Op::Real1(op), &[x])
            }
            5 => {
                let by = self.guarded(Cmp::Ne);
                let int = self.int();
                self.op(Op::IntDiv, &[int, by])
            }
            6 => {
                let op = self.rng.of(Num1::ALL);
                self.op(Op::Num1(op), &[x])
            }
            _ => self.op(Op::Real2(Real2::Div), &[x, y]),
        }
    }

    /// Something besides giving a value.
    fn side_effect(&mut self) {
        match self.rng.below(6) {
            0 => {
                let args = [self.truth(), self.int()];
                self.effect(Op::Guard(ExitId::new(0)), &args);
            }
            1 => {
                let args = [self.truth(), self.float(), self.truth()];
                self.effect(Op::Guard(ExitId::new(1)), &args);
            }
            2 => {
                let args = [self.int(), self.int()];
                let op = self.rng.of(Overflow2::ALL);
                let overflows = self.op(Op::Overflow2(op), &args);
                self.effect(Op::OverflowIf, &[overflows]);
            }
            3 => {
                let arg = self.int();
                let it = self.effect(Op::Host(HostId::new(0), None), &[arg])[0];
                self.set_int(it);
            }
            4 => {
                let Some(callee) = self.callee else { return };
                let args = [self.int(), self.int()];
                let it = self.effect(Op::Call(callee, None), &args)[0];
                self.set_int(it);
            }
            _ => self.memory(),
        }
    }

    fn list(&mut self) {
        let Some(list) = self.list else { return };
        let (item, zero) = (self.int(), self.const_int(0));
        let len = self.op(Op::List(ListOp::Len), &[list]);
        match self.rng.below(6) {
            0 => self.set_int(len),
            1 | 2 => {
                self.effect(Op::List(ListOp::Push), &[list, item]);
            }
            which => {
                let some = self.op(Op::Cmp(Cmp::Gt), &[len, zero]);
                self.effect(Op::Guard(ExitId::new(0)), &[some, len]);
                match which {
                    3 => {
                        let it = self.op(Op::List(ListOp::Pop), &[list]);
                        self.set_int(it);
                    }
                    4 => {
                        let it = self.op(Op::List(ListOp::Get), &[list, zero]);
                        self.set_int(it);
                    }
                    _ => {
                        self.effect(Op::List(ListOp::Set), &[list, zero, item]);
                    }
                }
            }
        }
    }

    fn map(&mut self) {
        let Some(map) = self.map else { return };
        let (key, value, zero) = (self.int(), self.int(), self.const_int(0));
        let found = self.op(Op::Map(MapOp::Find), &[map, key]);
        match self.rng.below(6) {
            0 => {
                let len = self.op(Op::Map(MapOp::Len), &[map]);
                self.set_int(len);
            }
            1 | 2 => {
                self.effect(Op::Map(MapOp::Put), &[map, found, key, value]);
            }
            3 => {
                let got = self.op(Op::Map(MapOp::Get), &[map, found, value]);
                self.set_int(got);
            }
            which => {
                let there = self.op(Op::Cmp(Cmp::Ge), &[found, zero]);
                self.effect(Op::Guard(ExitId::new(0)), &[there, value]);
                if which == 4 {
                    self.effect(Op::Map(MapOp::Remove), &[map, found]);
                } else {
                    let next = self.op(Op::Map(MapOp::Next), &[map, found]);
                    let it = self.op(Op::Map(MapOp::Key), &[map, next]);
                    self.set_int(it);
                }
            }
        }
    }

    fn memory(&mut self) {
        if self.rng.one_in(2) {
            return if self.rng.one_in(2) { self.list() } else { self.map() };
        }
        let Some(array) = self.array else { return };
        let mut index = self.int();
        if self.rng.one_in(2) {
            let mask = self.const_int(7);
            index = self.op(Op::Bit2(Bit2::And), &[index, mask]);
        } else {
            let zero = self.const_int(0);
            let above = self.op(Op::Cmp(Cmp::Ge), &[index, zero]);
            self.effect(Op::Guard(ExitId::new(0)), &[above, index]);
            let len = self.op(Op::Len, &[array]);
            let below = self.op(Op::Cmp(Cmp::Lt), &[index, len]);
            self.effect(Op::Guard(ExitId::new(0)), &[below, index]);
        }
        if self.rng.one_in(2) {
            let it = self.op(Op::Load, &[array, index]);
            self.set_int(it);
        } else {
            let it = self.int();
            self.effect(Op::Store, &[array, index, it]);
        }
    }

    fn set_int(&mut self, it: Value) {
        let which = self.rng.below(self.vars.ints.len());
        self.vars.ints[which] = it;
    }

    fn assign(&mut self) {
        match self.rng.below(8) {
            0..=3 => {
                let it = self.new_int();
                self.set_int(it);
            }
            4 | 5 => {
                let it = self.new_truth();
                let which = self.rng.below(self.vars.bools.len());
                self.vars.bools[which] = it;
            }
            _ => {
                let it = self.new_float();
                let which = self.rng.below(self.vars.floats.len());
                self.vars.floats[which] = it;
            }
        }
    }

    /// Statements. Whether they end the block.
    fn block(&mut self, depth: usize) -> bool {
        for _ in 0..self.rng.below(6) + 2 {
            if self.budget == 0 {
                return false;
            }
            self.budget -= 1;
            match self.rng.below(12) {
                0..=5 => self.assign(),
                6 | 7 => {
                    if self.rng.one_in(2) {
                        self.side_effect();
                    }
                }
                8 | 9 if depth > 0 => {
                    if self.branch(depth - 1) {
                        return true;
                    }
                }
                10 if depth > 0 => self.repeat(depth - 1),
                _ => {
                    if depth < 3 && self.rng.one_in(6) {
                        self.end();
                        return true;
                    }
                }
            }
        }
        false
    }

    fn end(&mut self) {
        if self.rng.one_in(2) {
            self.ret();
        } else {
            let it = self.int();
            self.line += 1;
            self.b.exit(ExitId::new(0), vec![it]);
        }
    }

    fn ret(&mut self) {
        let values = [self.rng.of(&self.vars.ints), self.truth(), self.float()];
        self.b.ret(values[..self.results].to_vec());
    }

    /// Two ways. Whether both end.
    fn branch(&mut self, depth: usize) -> bool {
        let cond = if self.rng.one_in(2) { self.new_truth() } else { self.truth() };
        let arms = [self.b.create_block(), self.b.create_block()];
        let join = self.b.create_block();
        self.b.branch(cond, arms[0], arms[1]);
        let before = self.vars.clone();
        let types = self.b.func().types_of(&before.all());
        let mut joined = false;
        for arm in arms {
            self.vars = before.clone();
            self.b.switch_to(arm);
            let ended = if self.rng.one_in(3) { false } else { self.block(depth) };
            if !ended {
                let args = self.vars.all();
                self.b.jump(join, args);
                joined = true;
            }
        }
        let params: Vec<Value> = types.iter().map(|&ty| self.b.append_param(join, ty)).collect();
        self.vars = before.with_all(&params);
        self.b.switch_to(join);
        if !joined {
            self.ret();
        }
        !joined
    }

    /// A loop of a few rounds, of which the number is a constant or the lowest bits of a variable.
    fn repeat(&mut self, depth: usize) {
        let zero = self.const_int(0);
        let limit = if self.rng.one_in(2) {
            let mask = self.const_int(3);
            let it = self.int();
            self.op(Op::Bit2(Bit2::And), &[it, mask])
        } else {
            self.const_int(3)
        };
        let before = self.vars.clone();
        let types = self.b.func().types_of(&before.all());
        let [header, body, after] = [(); 3].map(|()| self.b.create_block());
        let mut args = before.all();
        args.push(zero);
        self.b.jump(header, args);
        let params: Vec<Value> = types.iter().map(|&ty| self.b.append_param(header, ty)).collect();
        let counter = self.b.append_param(header, Type::I64);
        self.vars = before.with_all(&params);
        self.b.switch_to(header);
        if self.rng.one_in(4) {
            self.b.keep_quiet(header);
        }
        if self.rng.one_in(3) {
            self.assign();
        }
        let at_head = self.vars.clone();
        let goes_on = self.op(Op::Cmp(Cmp::Lt), &[counter, limit]);
        self.b.branch(goes_on, body, after);
        self.b.switch_to(body);
        if self.rng.one_in(2) {
            // Code that looks at the counter.
            self.vars.ints[0] = counter;
        }
        if !self.block(depth) {
            let one = self.const_int(1);
            let next = self.op(Op::Num2(Num2::Add), &[counter, one]);
            let mut args = self.vars.all();
            args.push(next);
            self.b.jump(header, args);
        }
        self.b.switch_to(after);
        self.vars = at_head;
    }
}
