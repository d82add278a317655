//! Random modules that can be differentiated: branches, loops of unknown count with breaks and returns, calls, recursion,
//! lists, lists of lists, dicts and arrays, in three floats and an integer.

use snekpy_stage::build::Builder;
use snekpy_stage::entity::{Block, Entity, FuncId, Value};
use snekpy_stage::ir::{Function, Module};
use snekpy_stage::op::{Bit2, Cmp, Const, Convert, ListOp, MapOp, Num1, Num2, Op, Real1, Real2, Wrap2};
use snekpy_stage::types::{ArrayType, Elem, ListType, MapType, Scalar, Type};

/// A small generator of random numbers; the same seed gives the same module.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((it ^ (it >> 31)) % end as u64) as usize
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    /// Between -1.5 and 1.5.
    pub(crate) fn float(&mut self) -> f64 {
        self.below(3_000_001) as f64 / 1e6 - 1.5
    }
}

/// What a module is made of.
#[derive(Clone, Copy)]
pub(crate) struct Kinds {
    pub(crate) loops: bool,
    pub(crate) calls: bool,
    pub(crate) lists: bool,
}

/// Elements of the array.
pub(crate) const ARRAY: usize = 4;
const ARRAY_TYPE: Type = Type::Array(ArrayType { elem: Elem::F64, len: None });
const LIST: Type = Type::List(ListType::of(Elem::F64));
const ROWS_TYPE: ListType = ListType { elem: Elem::F64, nesting: 1 };
const ROWS: Type = Type::List(ROWS_TYPE);
const MAP_TYPE: MapType = MapType::of_numbers(Scalar::I64, Some(Scalar::F64));
const MAP: Type = Type::Map(MAP_TYPE);
const FLOATS: usize = 4;

struct Gen<'a, 'r> {
    b: Builder<'a>,
    rng: &'r mut Rng,
    kinds: Kinds,
    floats: Vec<Value>,
    fuel: Value,
    list: Value,
    array: Value,
    /// Two lists of two items at least, some of them the same list.
    rows: Value,
    map: Value,
    depth: usize,
    budget: usize,
    /// Blocks that take the variables and go on behind a loop.
    breaks: Vec<Block>,
    callee: FuncId,
    maker: FuncId,
    is_main: bool,
}

/// `main(x, y, z: f64, n: i64, l: list(f64), a: [f64]) -> f64`, a function that calls itself, and one that gives a list.
pub(crate) fn module(rng: &mut Rng, kinds: Kinds) -> Module {
    let mut module = Module::default();
    let params = [[Type::F64; 3].as_slice(), &[Type::I64, LIST, ARRAY_TYPE]].concat();
    let passed = if kinds.lists { [params.as_slice(), &[ROWS, MAP]].concat() } else { params.clone() };
    let made = [Type::F64, Type::F64, Type::I64].to_vec();
    let stubs = [("main", params, Type::F64), ("helper", passed, Type::F64), ("maker", made, LIST)];
    for (name, params, result) in stubs {
        let mut stub = Function::new(name);
        let entry = stub.entry();
        for ty in params {
            stub.append_param(entry, ty);
        }
        stub.results = vec![result];
        module.funcs.push(stub);
    }
    let maker = FuncId::new(2);
    module.funcs[maker] = make_list(&module, maker);
    for id in [0, 1] {
        let id = FuncId::new(id);
        let mut func = module.funcs[id].clone();
        let params = func.params().to_vec();
        let entry = func.entry();
        let mut b = Builder::new(&module, &mut func, entry);
        let first = b.constant(Const::F64(0.5));
        let floats = vec![params[0], params[1], params[2], first];
        let (rows, map) = match *params.as_slice() {
            [.., rows, map] if id.index() == 1 && kinds.lists => (rows, map),
            _ if kinds.lists => {
                let rows = b.value(Op::ListNew(ROWS_TYPE), &[]).expect("it takes nothing");
                for _ in 0..2 {
                    let row = b.value(Op::ListNew(ListType::of(Elem::F64)), &[]).expect("it takes nothing");
                    for &item in &params[..2] {
                        b.inst(Op::List(ListOp::Push), &[row, item]).expect("a float");
                    }
                    b.inst(Op::List(ListOp::Push), &[rows, row]).expect("a list");
                }
                (rows, b.value(Op::MapNew(MAP_TYPE), &[]).expect("it takes nothing"))
            }
            _ => (params[4], params[4]),
        };
        let mut it = Gen {
            b,
            rng,
            kinds,
            floats,
            fuel: params[3],
            list: params[4],
            array: params[5],
            rows,
            map,
            depth: 0,
            budget: 14,
            breaks: Vec::new(),
            callee: FuncId::new(1),
            maker,
            is_main: id.index() == 0,
        };
        it.body();
        module.funcs[id] = func;
    }
    module
}

impl Gen<'_, '_> {
    fn value(&mut self, op: Op, args: &[Value]) -> Value {
        self.b.value(op, args).expect("the generator types its ops")
    }

    fn int(&mut self, it: i64) -> Value {
        self.b.constant(Const::I64(it))
    }

    fn body(&mut self) {
        if !self.is_main {
            let zero = self.int(0);
            let done = self.value(Op::Cmp(Cmp::Le), &[self.fuel, zero]);
            let [base, more] = [(); 2].map(|()| self.b.create_block());
            self.b.branch(done, base, more);
            self.b.switch_to(base);
            let product = self.value(Op::Num2(Num2::Mul), &[self.floats[0], self.floats[1]]);
            self.b.ret(vec![product]);
            self.b.switch_to(more);
            self.budget = 6;
        }
        self.statements();
        let result = self.result();
        self.b.ret(vec![result]);
    }

    fn result(&mut self) -> Value {
        let mut sum = self.floats[0];
        for index in 1..FLOATS {
            let part = self.value(Op::Real1(Real1::Sin), &[self.floats[index]]);
            sum = self.value(Op::Num2(Num2::Add), &[sum, part]);
        }
        sum
    }

    fn statements(&mut self) {
        for _ in 0..1 + self.rng.below(5) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            match self.rng.below(10) {
                0 | 1 => self.branch(),
                2 | 3 if self.kinds.loops && self.depth < 2 => self.repeat(),
                4 if self.kinds.calls => self.call(),
                5 if self.kinds.lists => self.list(),
                6 if self.kinds.lists => self.rows(),
                7 if self.kinds.lists => self.map(),
                _ => self.assign(),
            }
        }
    }

    fn any(&mut self) -> Value {
        self.floats[self.rng.below(FLOATS)]
    }

    /// A smooth function of some variables that stays small.
    fn assign(&mut self) {
        let (x, y, z) = (self.any(), self.any(), self.any());
        let target = self.rng.below(FLOATS);
        let one = self.b.constant(Const::F64(1.25));
        let square = self.value(Op::Num2(Num2::Mul), &[y, y]);
        let above = self.value(Op::Num2(Num2::Add), &[one, square]);
        let new = match self.rng.below(14) {
            0 => self.value(Op::Real1(Real1::Sin), &[x]),
            1 => self.value(Op::Real1(Real1::Tanh), &[x]),
            2 => self.value(Op::Real2(Real2::Div), &[x, above]),
            3 => {
                let root = self.value(Op::Real1(Real1::Sqrt), &[above]);
                self.value(Op::Num2(Num2::Sub), &[root, x])
            }
            4 => {
                let bounded = self.value(Op::Real1(Real1::Atan), &[x]);
                self.value(Op::Real2(Real2::Pow), &[above, bounded])
            }
            5 => {
                let log = self.value(Op::Real1(Real1::Log), &[above]);
                self.value(Op::Num2(Num2::Mul), &[log, x])
            }
            6 => self.value(Op::Num2(Num2::Min), &[x, z]),
            7 => self.value(Op::Num2(Num2::Max), &[x, y]),
            8 => self.value(Op::Num1(Num1::Abs), &[x]),
            9 => {
                let less = self.value(Op::Cmp(Cmp::Lt), &[x, y]);
                self.value(Op::Select, &[less, y, z])
            }
            10 => self.value(Op::Real2(Real2::Atan2), &[x, above]),
            11 => {
                let count = self.value(Op::Convert(Convert::IntToFloat), &[self.fuel]);
                self.value(Op::Num2(Num2::Add), &[count, x])
            }
            12 => self.value(Op::Num2(Num2::Mod), &[x, above]),
            _ => {
                let minus = self.value(Op::Num1(Num1::Neg), &[square]);
                let exp = self.value(Op::Real1(Real1::Exp), &[minus]);
                self.value(Op::Num2(Num2::Mul), &[exp, z])
            }
        };
        self.floats[target] = self.value(Op::Real1(Real1::Tanh), &[new]);
    }

    fn variables(&self) -> Vec<Value> {
        [self.floats.clone(), vec![self.fuel]].concat()
    }

    fn join(&mut self) -> Block {
        let join = self.b.create_block();
        for _ in 0..FLOATS {
            self.b.append_param(join, Type::F64);
        }
        self.b.append_param(join, Type::I64);
        join
    }

    /// Goes on in a block that takes the variables.
    fn enter(&mut self, block: Block) {
        self.b.switch_to(block);
        let params = self.b.func().blocks[block].params.clone();
        self.floats = params[..FLOATS].to_vec();
        self.fuel = params[FLOATS];
    }

    fn condition(&mut self) -> Value {
        let (x, y) = (self.any(), self.any());
        let shift = self.b.constant(Const::F64(0.0625));
        let shifted = self.value(Op::Num2(Num2::Add), &[y, shift]);
        self.value(Op::Cmp(Cmp::Lt), &[x, shifted])
    }

    fn branch(&mut self) {
        let cond = self.condition();
        let [then, other] = [(); 2].map(|()| self.b.create_block());
        self.b.branch(cond, then, other);
        let join = self.join();
        let saved = (self.floats.clone(), self.fuel);
        for (index, arm) in [then, other].into_iter().enumerate() {
            (self.floats, self.fuel) = saved.clone();
            self.b.switch_to(arm);
            if index == 0 || self.rng.one_in(2) {
                self.statements();
            }
            match (self.breaks.last().copied(), self.rng.below(6)) {
                (Some(target), 0) if index == 0 => {
                    let variables = self.variables();
                    self.b.jump(target, variables);
                }
                (_, 1) if index == 0 => {
                    let result = self.result();
                    self.b.ret(vec![result]);
                }
                _ => {
                    let variables = self.variables();
                    self.b.jump(join, variables);
                }
            }
        }
        self.enter(join);
    }

    fn repeat(&mut self) {
        let [header, after] = [(); 2].map(|()| self.join());
        let body = self.b.create_block();
        let out = self.b.create_block();
        let variables = self.variables();
        self.b.jump(header, variables);
        self.enter(header);
        let zero = self.int(0);
        let left = self.value(Op::Cmp(Cmp::Gt), &[self.fuel, zero]);
        let small = self.condition();
        let both = if self.rng.one_in(2) { Bit2::And } else { Bit2::Or };
        let goes_on = self.value(Op::Bit2(both), &[left, small]);
        let goes_on = self.value(Op::Bit2(Bit2::And), &[goes_on, left]);
        self.b.branch(goes_on, body, out);
        self.b.switch_to(out);
        let variables = self.variables();
        self.b.jump(after, variables);
        self.b.switch_to(body);
        let one = self.int(1);
        self.fuel = self.value(Op::Wrap2(Wrap2::Sub), &[self.fuel, one]);
        self.breaks.push(after);
        self.depth += 1;
        self.statements();
        self.assign();
        self.depth -= 1;
        self.breaks.pop();
        let variables = self.variables();
        self.b.jump(header, variables);
        self.enter(after);
    }

    fn call(&mut self) {
        let (x, y, z) = (self.any(), self.any(), self.any());
        let three = self.int(3);
        let one = self.int(1);
        let less = self.value(Op::Wrap2(Wrap2::Sub), &[self.fuel, one]);
        let fuel = self.value(Op::Num2(Num2::Min), &[less, three]);
        let mut args = vec![x, y, z, fuel, self.list, self.array];
        if self.kinds.lists {
            args.extend([self.rows, self.map]);
        }
        let result = self.value(Op::Call(self.callee, None), &args);
        let target = self.rng.below(FLOATS);
        self.floats[target] = self.value(Op::Real1(Real1::Tanh), &[result]);
    }

    fn run(&mut self, op: Op, args: &[Value]) {
        self.b.inst(op, args).expect("the generator types its ops");
    }

    /// A list of two floats at least, made here.
    fn new_list(&mut self) -> Value {
        let (x, y) = (self.any(), self.any());
        if self.kinds.calls && self.rng.one_in(3) {
            let two = self.int(2);
            let n = self.value(Op::Num2(Num2::Min), &[self.fuel, two]);
            return self.value(Op::Call(self.maker, None), &[x, y, n]);
        }
        let list = self.value(Op::ListNew(ListType::of(Elem::F64)), &[]);
        for item in [x, y] {
            self.run(Op::List(ListOp::Push), &[list, item]);
        }
        list
    }

    fn index_of(&mut self, list: Value) -> Value {
        let len = self.value(Op::List(ListOp::Len), &[list]);
        self.value(Op::Num2(Num2::Mod), &[self.fuel, len])
    }

    /// A list that is in a list, or one that is made here.
    fn row(&mut self) -> Value {
        if self.rng.one_in(3) {
            return self.new_list();
        }
        let index = self.index_of(self.rows);
        self.value(Op::List(ListOp::Get), &[self.rows, index])
    }

    fn rows(&mut self) {
        let (x, target) = (self.any(), self.rng.below(FLOATS));
        let row = self.row();
        let index = self.index_of(row);
        match self.rng.below(9) {
            0 => self.run(Op::List(ListOp::Set), &[row, index, x]),
            1 => self.run(Op::List(ListOp::Push), &[row, x]),
            2 => self.run(Op::List(ListOp::Push), &[self.rows, row]),
            3 => {
                let at = self.index_of(self.rows);
                self.run(Op::List(ListOp::Set), &[self.rows, at, row]);
            }
            4 => {
                let one = self.int(1);
                self.run(Op::List(ListOp::Reserve), &[self.rows, one]);
                let at = self.index_of(self.rows);
                self.run(Op::List(ListOp::Insert), &[self.rows, at, row]);
                let at = self.index_of(self.rows);
                let gone = self.value(Op::List(ListOp::Remove), &[self.rows, at]);
                let at = self.index_of(gone);
                self.floats[target] = self.value(Op::List(ListOp::Get), &[gone, at]);
            }
            5 => {
                self.run(Op::List(ListOp::Push), &[self.rows, row]);
                let gone = self.value(Op::List(ListOp::Pop), &[self.rows]);
                let at = self.index_of(gone);
                self.run(Op::List(ListOp::Set), &[gone, at, x]);
            }
            6 => {
                let two = self.int(2);
                self.run(Op::List(ListOp::Reserve), &[self.rows, two]);
                let many = self.value(Op::Num2(Num2::Mod), &[self.fuel, two]);
                self.run(Op::List(ListOp::Fill), &[self.rows, many, row]);
                let len = self.value(Op::List(ListOp::Len), &[self.rows]);
                let one = self.int(1);
                let less = self.value(Op::Wrap2(Wrap2::Sub), &[len, one]);
                let kept = self.value(Op::Num2(Num2::Max), &[two, less]);
                self.run(Op::List(ListOp::Truncate), &[self.rows, kept]);
            }
            _ => self.floats[target] = self.value(Op::List(ListOp::Get), &[row, index]),
        }
    }

    fn map(&mut self) {
        let (x, target) = (self.any(), self.rng.below(FLOATS));
        let three = self.int(3);
        let key = self.value(Op::Num2(Num2::Mod), &[self.fuel, three]);
        let at = self.value(Op::Map(MapOp::Find), &[self.map, key]);
        match self.rng.below(6) {
            0 | 1 => self.run(Op::Map(MapOp::Put), &[self.map, at, key, x]),
            2 => {
                self.run(Op::Map(MapOp::Put), &[self.map, at, key, x]);
                let at = self.value(Op::Map(MapOp::Find), &[self.map, key]);
                self.run(Op::Map(MapOp::Remove), &[self.map, at]);
            }
            3 if self.rng.one_in(3) => self.run(Op::Map(MapOp::Clear), &[self.map]),
            4 => {
                let first = self.rng.below(2) as i64;
                let from = self.int(first);
                let at = self.value(Op::Map(MapOp::Next), &[self.map, from]);
                self.floats[target] = self.value(Op::Map(MapOp::Get), &[self.map, at, x]);
            }
            _ => self.floats[target] = self.value(Op::Map(MapOp::Get), &[self.map, at, x]),
        }
    }

    /// The list always has two items at least.
    fn index(&mut self) -> Value {
        let len = self.value(Op::List(ListOp::Len), &[self.list]);
        self.value(Op::Num2(Num2::Mod), &[self.fuel, len])
    }

    fn list(&mut self) {
        let (x, target) = (self.any(), self.rng.below(FLOATS));
        let inst = |it: &mut Self, op, args: &[Value]| it.b.inst(op, args).expect("the generator types its ops");
        match self.rng.below(8) {
            0 => drop(inst(self, Op::List(ListOp::Push), &[self.list, x])),
            1 => {
                let one = self.int(1);
                inst(self, Op::List(ListOp::Reserve), &[self.list, one]);
                inst(self, Op::List(ListOp::Append), &[self.list, x]);
            }
            2 => {
                let index = self.index();
                inst(self, Op::List(ListOp::Set), &[self.list, index, x]);
            }
            3 => {
                let one = self.int(1);
                inst(self, Op::List(ListOp::Reserve), &[self.list, one]);
                let index = self.index();
                inst(self, Op::List(ListOp::Insert), &[self.list, index, x]);
                let index = self.index();
                self.floats[target] = self.value(Op::List(ListOp::Remove), &[self.list, index]);
            }
            4 => {
                inst(self, Op::List(ListOp::Push), &[self.list, x]);
                let y = self.any();
                inst(self, Op::List(ListOp::Push), &[self.list, y]);
                self.floats[target] = self.value(Op::List(ListOp::Pop), &[self.list]);
            }
            5 => {
                let two = self.int(2);
                let many = self.value(Op::Num2(Num2::Mod), &[self.fuel, two]);
                inst(self, Op::List(ListOp::Reserve), &[self.list, two]);
                inst(self, Op::List(ListOp::Fill), &[self.list, many, x]);
                let len = self.value(Op::List(ListOp::Len), &[self.list]);
                let one = self.int(1);
                let less = self.value(Op::Wrap2(Wrap2::Sub), &[len, one]);
                let kept = self.value(Op::Num2(Num2::Max), &[two, less]);
                inst(self, Op::List(ListOp::Truncate), &[self.list, kept]);
            }
            6 => {
                let size = self.int(ARRAY as i64);
                let index = self.value(Op::Num2(Num2::Mod), &[self.fuel, size]);
                self.floats[target] = self.value(Op::Load, &[self.array, index]);
            }
            _ => {
                let index = self.index();
                self.floats[target] = self.value(Op::List(ListOp::Get), &[self.list, index]);
            }
        }
    }
}

/// `x, y, n -> list`: by recursion.
fn make_list(module: &Module, id: FuncId) -> Function {
    const TYPED: &str = "the types are those of the op";
    let mut func = module.funcs[id].clone();
    let entry = func.entry();
    let params = func.params().to_vec();
    let mut b = Builder::new(module, &mut func, entry);
    let [base, more] = [(); 2].map(|()| b.create_block());
    let zero = b.constant(Const::I64(0));
    let done = b.value(Op::Cmp(Cmp::Le), &[params[2], zero]).expect(TYPED);
    b.branch(done, base, more);
    b.switch_to(base);
    let list = b.value(Op::ListNew(ListType::of(Elem::F64)), &[]).expect(TYPED);
    for &item in &params[..2] {
        b.inst(Op::List(ListOp::Push), &[list, item]).expect(TYPED);
    }
    b.ret(vec![list]);
    b.switch_to(more);
    let one = b.constant(Const::I64(1));
    let less = b.value(Op::Wrap2(Wrap2::Sub), &[params[2], one]).expect(TYPED);
    let sine = b.value(Op::Real1(Real1::Sin), &[params[0]]).expect(TYPED);
    let list = b.value(Op::Call(id, None), &[sine, params[1], less]).expect(TYPED);
    let product = b.value(Op::Num2(Num2::Mul), &[params[0], params[1]]).expect(TYPED);
    b.inst(Op::List(ListOp::Push), &[list, product]).expect(TYPED);
    b.ret(vec![list]);
    func
}
