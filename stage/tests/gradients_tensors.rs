//! Derivatives of operations on tensors: forwards against differences, backwards against forwards, both twice, and all of
//! singles, too. [`rows`] has every operation there is: a new one does not compile until it is there, and what has a
//! derivative is differentiated.

use std::collections::HashMap;

use snekpy_stage::ad::{self, End, Request, Tangents};
use snekpy_stage::entity::{FuncId, Value};
use snekpy_stage::home::Home;
use snekpy_stage::ir::{Custom, Function, HostData, Module, Rule, RuleArg, Terminator};
use snekpy_stage::op::{Const, Op};
use snekpy_stage::set::EntitySet;
use snekpy_stage::tensor::decompose::Decomposition;
use snekpy_stage::tensor::elementwise::{Bits1, Bits2, Cmp, Num1, Num2, Real1, Real2, Test1};
use snekpy_stage::tensor::fused::{Group, Input, Member};
use snekpy_stage::tensor::reduce::Fold;
use snekpy_stage::tensor::scan::Scan;
use snekpy_stage::tensor::{Dtype, Given, Item, Operand, Tensor, TensorOp, cast, make};
use snekpy_stage::types::{TensorType, Type};
use snekpy_stage::verify::verify;

#[derive(Clone, Debug)]
enum Held {
    Tensor(Tensor),
    Number(Item),
}

impl Held {
    fn floats(&self) -> Vec<f64> {
        let float = |item: Item| match item {
            Item::Float(it) => it,
            Item::Int(it) => it as f64,
            Item::Bool(it) => f64::from(u8::from(it)),
        };
        match self {
            Self::Tensor(it) => it.items().into_iter().map(float).collect(),
            Self::Number(it) => vec![float(*it)],
        }
    }
}

fn tensor(floats: &[f64], dims: &[usize]) -> Held {
    Held::Tensor(Tensor::from_slice(floats, dims).expect("small"))
}

/// The same in singles, if it is of floats.
fn single(held: &Held) -> Held {
    match held {
        Held::Tensor(it) if it.dtype() == Dtype::F64 => {
            Held::Tensor(cast::cast(it, Dtype::F32).expect("there is memory"))
        }
        other => other.clone(),
    }
}

fn ty_of(dtype: Dtype, dims: &[usize]) -> Type {
    Type::Tensor(TensorType::new(dtype, dims))
}

fn ty(dims: &[usize]) -> Type {
    ty_of(Dtype::F64, dims)
}

/// Runs a function without branches.
fn run(module: &Module, id: FuncId, args: &[Held]) -> Vec<Held> {
    let func = &module.funcs[id];
    let mut held: HashMap<Value, Held> = func.params().iter().copied().zip(args.iter().cloned()).collect();
    let mut block = func.entry();
    loop {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let operands: Vec<Held> = data.args.iter().map(|it| held[it].clone()).collect();
            match data.op {
                Op::Const(constant) => {
                    let item = match constant {
                        Const::Bool(it) => Item::Bool(it),
                        Const::I64(it) => Item::Int(it),
                        Const::F64(it) => Item::Float(it),
                    };
                    held.insert(data.results[0], Held::Number(item));
                }
                Op::Call(callee, _) => {
                    let given = run(module, callee, &operands);
                    held.extend(data.results.iter().copied().zip(given));
                }
                Op::Tensor(host, _) => {
                    let op = module.hosts[host].tensor.as_ref().expect("it is one");
                    let operands: Vec<Operand<'_>> = operands
                        .iter()
                        .map(|it| match it {
                            Held::Tensor(it) => Operand::Tensor(it),
                            Held::Number(it) => Operand::Number(*it),
                        })
                        .collect();
                    let given = match op.apply(&operands).unwrap_or_else(|error| panic!("{op}: {error}")) {
                        Given::Tensor(it) => Held::Tensor(it),
                        Given::Number(it) => Held::Number(it),
                        Given::Operand(_) | Given::Nothing => continue,
                    };
                    held.insert(data.results[0], given);
                }
                other => panic!("{other:?} is not for this test"),
            }
        }
        match &func.blocks[block].term {
            Terminator::Return(values) => return values.iter().map(|it| held[it].clone()).collect(),
            Terminator::Jump(jump) => {
                let given: Vec<Held> = jump.args.iter().map(|it| held[it].clone()).collect();
                held.extend(func.blocks[jump.target].params.iter().copied().zip(given));
                block = jump.target;
            }
            other => panic!("{other:?} is not for this test"),
        }
    }
}

/// A function in the making: operations one after the other.
struct Making {
    module: Module,
    func: Function,
}

impl Making {
    fn new(params: &[Type]) -> (Self, Vec<Value>) {
        let mut func = Function::new("main");
        let entry = func.entry();
        let values = params.iter().map(|&ty| func.append_param(entry, ty)).collect();
        (Self { module: Module::default(), func }, values)
    }

    fn op(&mut self, op: TensorOp, args: &[Value]) -> Value {
        let (types, acts) = (self.func.types_of(args), op.acts());
        let results = op.results(&types).unwrap_or_else(|error| panic!("{op}: {error}"));
        let data = HostData { tensor: Some(op), ..HostData::new("op", types, results.clone()) };
        let host = self.module.hosts.push(data);
        let inst = self.func.make_inst(Op::Tensor(host, acts), args.to_vec(), &results, None);
        let entry = self.func.entry();
        self.func.blocks[entry].insts.push(inst);
        self.func.insts[inst].results.first().copied().unwrap_or_else(|| args[0])
    }

    fn end(mut self, result: Value) -> Module {
        self.func.results = vec![self.func.ty(result)];
        let entry = self.func.entry();
        self.func.blocks[entry].term = Terminator::Return(vec![result]);
        let mut module = self.module;
        // Functions that were made before are called by this one.
        let rest: Vec<Function> = module.funcs.values().cloned().collect();
        module.funcs = std::iter::once(self.func).chain(rest).fold(Default::default(), |mut all, func| {
            all.push(func);
            all
        });
        module
    }
}

fn request(count: usize, passed: bool) -> Request {
    request_of(count, vec![0], passed)
}

fn request_of(count: usize, of: Vec<usize>, passed: bool) -> Request {
    Request { wrt: (0..count).collect(), ends: vec![End { exit: None, of }], passed, ..Request::default() }
}

/// Numbers that are no ties and near no edge.
fn numbers(count: usize, seed: usize) -> Vec<f64> {
    (0..count).map(|at| ((at * 7 + seed * 5 + 3) % 23) as f64 * 0.11 + 0.23 + at as f64 * 0.013).collect()
}

fn sizes(module: &Module, count: usize) -> Vec<Vec<usize>> {
    let dims = |ty| match ty {
        Type::Tensor(it) => it.shape.dims().to_vec(),
        other => panic!("{other} is no tensor"),
    };
    module.funcs[module.main()].param_types().into_iter().take(count).map(dims).collect()
}

/// The derivatives of a function of tensors: its own results and theirs, once and twice.
struct Derived {
    /// The tangent of the result.
    along: Vec<f64>,
    /// The derivative by each operand, for a given cotangent.
    back: Vec<Vec<f64>>,
    /// The derivatives by each operand of the sum of those times given numbers.
    twice: Vec<Vec<f64>>,
    /// How those change along the tangents.
    along_back: Vec<Vec<f64>>,
}

fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let near = (found - expected).abs() <= tolerance * (1.0 + expected.abs());
        assert!(near, "{what}: {found}, not {expected}");
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn products(a: &[Vec<f64>], b: &[Held]) -> f64 {
    a.iter().zip(b).map(|(a, b)| product(a, &b.floats())).sum()
}

/// What derivatives are taken at, and along.
struct Place {
    x: Vec<Held>,
    more: Vec<Held>,
    tangents: Vec<Held>,
    cotangent: Held,
    /// Cotangents of the derivatives by each operand.
    seconds: Vec<Held>,
}

impl Place {
    fn with(&self, last: &[&[Held]]) -> Vec<Held> {
        [&self.x[..], &self.more, &last.concat()].concat()
    }

    fn singles(&self) -> Self {
        let all = |held: &[Held]| held.iter().map(single).collect();
        Self {
            x: all(&self.x),
            more: all(&self.more),
            tangents: all(&self.tangents),
            cotangent: single(&self.cotangent),
            seconds: all(&self.seconds),
        }
    }
}

fn derived(what: &str, module: &Module, count: usize, at: &Place) -> Derived {
    let wanted = |it: Result<_, ad::Refused>| it.unwrap_or_else(|it| panic!("{what}: {it}"));
    let (mut along, mut back) = (module.clone(), module.clone());
    wanted(ad::forward(&mut along, &request(count, false), Tangents::Passed).map(drop));
    wanted(ad::reverse(&mut back, &request(count, true)).map(drop));
    let derivatives: Vec<usize> = (1..=count).collect();
    let (mut along_back, mut twice) = (back.clone(), back.clone());
    wanted(ad::forward(&mut along_back, &request_of(count, derivatives.clone(), false), Tangents::Passed).map(drop));
    wanted(ad::reverse(&mut twice, &request_of(count, derivatives, true)).map(drop));
    for module in [&along, &back, &along_back, &twice] {
        verify(module).unwrap_or_else(|violations| panic!("{what}: {violations}\n{module}"));
    }
    let floats = |held: &[Held]| held.iter().map(Held::floats).collect::<Vec<_>>();
    let cotangent = std::slice::from_ref(&at.cotangent);
    let value = run(module, module.main(), &at.with(&[]));
    let forwards = run(&along, along.main(), &at.with(&[&at.tangents]));
    assert_eq!(value[0].floats(), forwards[0].floats(), "{what}");
    let backwards = run(&back, back.main(), &at.with(&[cotangent]));
    let second = run(&twice, twice.main(), &at.with(&[cotangent, &at.seconds]));
    let mixed = run(&along_back, along_back.main(), &at.with(&[cotangent, &at.tangents]));
    Derived {
        along: forwards[1].floats(),
        back: floats(&backwards[1..]),
        twice: floats(&second[1 + count..]),
        along_back: floats(&mixed[1 + count..]),
    }
}

/// Checks the derivatives of a function of tensors, which is made for each dtype; the first `count` operands are
/// differentiated by.
fn check(what: &str, count: usize, more: &[Held], build: impl Fn(Dtype) -> Module) {
    let module = build(Dtype::F64);
    let dims = sizes(&module, count);
    let made = |seed: usize| -> Vec<Held> {
        dims.iter().enumerate().map(|(at, dims)| tensor(&numbers(dims.iter().product(), seed + at), dims)).collect()
    };
    let x = made(1);
    let value = run(&module, module.main(), &[&x[..], more].concat());
    let Held::Tensor(shape) = &value[0] else { panic!("{what} gives a number") };
    let cotangent = tensor(&numbers(shape.count(), 5), shape.dims());
    let at = Place { x, more: more.to_vec(), tangents: made(11), cotangent, seconds: made(7) };
    let found = derived(what, &module, count, &at);

    let moved = |h: f64| -> Vec<Held> {
        let step = |((x, t), dims): ((&Held, &Held), &Vec<usize>)| {
            let all: Vec<f64> = x.floats().iter().zip(t.floats()).map(|(x, t)| x + h * t).collect();
            tensor(&all, dims)
        };
        at.x.iter().zip(&at.tangents).zip(&dims).map(step).collect()
    };
    let difference = |of: &dyn Fn(&[Held]) -> Vec<f64>| -> Vec<f64> {
        let (above, below) = (of(&moved(1e-6)), of(&moved(-1e-6)));
        above.iter().zip(&below).map(|(above, below)| (above - below) / 2e-6).collect()
    };
    let first = difference(&|x| run(&module, module.main(), &[x, more].concat())[0].floats());
    close(&format!("{what}, forwards"), &found.along, &first, 1e-5);
    let down = product(&found.along, &at.cotangent.floats());
    close(&format!("{what}, backwards"), &[products(&found.back, &at.tangents)], &[down], 1e-10);

    let mut back = module.clone();
    ad::reverse(&mut back, &request(count, true)).expect("it was done before");
    let slope = |x: &[Held]| {
        let given = run(&back, back.main(), &[x, more, std::slice::from_ref(&at.cotangent)].concat());
        let given: Vec<Vec<f64>> = given[1..].iter().map(Held::floats).collect();
        vec![products(&given, &at.seconds)]
    };
    let second = [products(&found.twice, &at.tangents)];
    close(&format!("{what}, twice"), &second, &difference(&slope), 1e-5);
    let mixed = [products(&found.along_back, &at.seconds)];
    close(&format!("{what}, forwards over backwards"), &mixed, &second, 1e-9);

    let singles = derived(what, &build(Dtype::F32), count, &at.singles());
    close(&format!("{what}, singles forwards"), &singles.along, &first, 2e-3);
    for (name, singles, doubles) in [("backwards", &singles.back, &found.back), ("twice", &singles.twice, &found.twice)]
    {
        close(&format!("{what}, singles {name}"), &singles.concat(), &doubles.concat(), 2e-3);
    }
}

/// An operation, and a function that it is the point of.
struct Sample {
    op: TensorOp,
    /// How many operands are differentiated by; none where there is no derivative.
    count: usize,
    more: Vec<Held>,
    build: Box<dyn Fn(Dtype) -> Module>,
}

fn op(text: &str) -> TensorOp {
    TensorOp::from_text(text).unwrap_or_else(|| panic!("`{text}`"))
}

/// A function in which operations are done on tensors of these shapes, and on what else is passed.
fn sample(
    op: TensorOp,
    params: &[&[usize]],
    more: &[Held],
    body: impl Fn(&mut Making, &TensorOp, &[Value], Dtype) -> Value + 'static,
) -> Sample {
    let (params, known): (Vec<Vec<usize>>, Vec<Type>) = (
        params.iter().map(|it| it.to_vec()).collect(),
        more.iter()
            .map(|it| match it {
                Held::Tensor(it) => ty_of(it.dtype(), it.dims()),
                Held::Number(_) => Type::I64,
            })
            .collect(),
    );
    let (count, own) = (params.len(), op.clone());
    let build = move |dtype| {
        let types: Vec<Type> = params.iter().map(|dims| ty_of(dtype, dims)).chain(known.iter().copied()).collect();
        let (mut making, values) = Making::new(&types);
        let result = body(&mut making, &own, &values, dtype);
        making.end(result)
    };
    Sample { op, count, more: more.to_vec(), build: Box::new(build) }
}

/// The operation alone.
fn alone(op: TensorOp, params: &[&[usize]], more: &[Held]) -> Sample {
    sample(op, params, more, |making, op, values, _| making.op(op.clone(), values))
}

/// The operation on a tensor that something is done to before.
fn behind(op: TensorOp, dims: &[usize], before: fn(&mut Making, Value, Dtype) -> Value) -> Sample {
    sample(op, &[dims], &[], move |making, op, values, dtype| {
        let of = before(making, values[0], dtype);
        making.op(op.clone(), &[of])
    })
}

/// One without a derivative.
fn flat(op: TensorOp) -> Sample {
    Sample { op, count: 0, more: Vec::new(), build: Box::new(|_| Module::default()) }
}

fn texts(all: &[&str], dims: &[usize]) -> Vec<Sample> {
    all.iter().map(|text| alone(op(text), &[dims], &[])).collect()
}

fn flats(all: &[&str]) -> Vec<Sample> {
    all.iter().map(|text| flat(op(text))).collect()
}

fn scaled(making: &mut Making, x: Value, dtype: Dtype, by: f64, plus: f64) -> Value {
    let [by, plus] = [by, plus]
        .map(|it| making.op(TensorOp::Full { dtype, dims: Vec::new(), item: Item::Float(it), home: Home::HERE }, &[]));
    let x = making.op(TensorOp::Num2(Num2::Mul), &[x, by]);
    making.op(TensorOp::Num2(Num2::Add), &[x, plus])
}

/// A matrix that is far from singular.
fn matrix(making: &mut Making, x: Value, _: Dtype) -> Value {
    let square = making.op(op("multiply"), &[x, x]);
    let cube = making.op(op("multiply"), &[square, x]);
    making.op(op("cos"), &[cube])
}

/// A positive matrix: the product of one with itself.
fn square(making: &mut Making, x: Value, dtype: Dtype) -> Value {
    let x = matrix(making, x, dtype);
    let rank = match making.func.ty(x) {
        Type::Tensor(it) => it.shape.dims().len(),
        other => panic!("{other} is no tensor"),
    };
    let mut order: Vec<usize> = (0..rank).collect();
    order.swap(rank - 1, rank - 2);
    let turned = making.op(TensorOp::Permute(order), &[x]);
    making.op(TensorOp::Matmul, &[x, turned])
}

fn one(at: i64) -> Vec<Held> {
    vec![Held::Number(Item::Int(at))]
}

fn places() -> Vec<Held> {
    vec![Held::Tensor(Tensor::from_slice(&[2_i64, 0, 2], &[3]).expect("small"))]
}

fn of_real1(it: Real1) -> Sample {
    let before: Option<fn(&mut Making, Value, Dtype) -> Value> = match it {
        Real1::Asin | Real1::Acos | Real1::Atanh | Real1::Tan => Some(|m, x, dtype| scaled(m, x, dtype, 0.3, 0.0)),
        Real1::Acosh => Some(|m, x, dtype| scaled(m, x, dtype, 1.0, 1.2)),
        _ => None,
    };
    match before {
        Some(before) => behind(TensorOp::Real1(it), &[2, 3], before),
        None => of_elements(TensorOp::Real1(it), &[&[&[2, 3]]]).remove(0),
    }
}

/// An operation on elements of such shapes.
fn of_elements(op: TensorOp, shapes: &[&[&[usize]]]) -> Vec<Sample> {
    if !ad::differentiates(&op) {
        return vec![flat(op)];
    }
    shapes.iter().map(|it| alone(op.clone(), it, &[])).collect()
}

fn number_and_item() -> Vec<Sample> {
    let body = |making: &mut Making, _: &TensorOp, values: &[Value], dtype| {
        let item = making.op(TensorOp::Item, values);
        making.op(TensorOp::Number(dtype), &[item])
    };
    vec![sample(TensorOp::Item, &[&[]], &[], body), sample(TensorOp::Number(Dtype::F64), &[&[]], &[], body)]
}

macro_rules! rows {
    ($($pattern:pat => $samples:expr;)*) => {
        /// Which row of [`rows`] an operation belongs to.
        fn row_of(op: &TensorOp) -> usize {
            let mut row = 0;
            $(if matches!(op, $pattern) { return row; } row += 1;)*
            // Not reached: this is what keeps the rows complete.
            match op { $($pattern => row,)* }
        }

        /// Every operation: samples with those that have a derivative, and one of each kind that has none.
        fn rows() -> Vec<Vec<Sample>> {
            vec![$($samples),*]
        }
    };
}

rows! {
    TensorOp::Copy => texts(&["copy"], &[3, 4]);
    TensorOp::To(_) => texts(&["to cpu"], &[3, 4]);
    TensorOp::Constant(_) => flats(&["constant i64 [2] [1,2]"]);
    TensorOp::Full { .. } => vec![flat(TensorOp::Full {
        dtype: Dtype::F64, dims: vec![2], item: Item::Float(1.0), home: Home::HERE
    })];
    TensorOp::World => flats(&["world"]);
    TensorOp::Extent(_) => flats(&["extent 0"]);
    TensorOp::Number(_) | TensorOp::Item => number_and_item();
    TensorOp::Memory(_) | TensorOp::MemoryOf { .. } => vec![
        flat(TensorOp::Memory(Dtype::F64)),
        flat(TensorOp::MemoryOf { dtype: Dtype::F64, rank: 1 }),
    ];
    // These come after derivatives.
    TensorOp::Again { .. } | TensorOp::Ran(_) => vec![
        flat(TensorOp::Again { run: 0, moving: Vec::new() }),
        flat(TensorOp::Ran(0)),
    ];
    TensorOp::Cast(_) => vec![sample(TensorOp::Cast(Dtype::F64), &[&[3]], &[], |making, op, values, dtype| {
        let wide = making.op(op.clone(), values);
        making.op(TensorOp::Cast(dtype), &[wide])
    })];
    TensorOp::Num1(_) => Num1::ALL.iter().flat_map(|&it| of_elements(TensorOp::Num1(it), &[&[&[2, 3]]])).collect();
    TensorOp::Real1(_) => Real1::ALL.iter().map(|&it| of_real1(it)).collect();
    TensorOp::Bits1(_) => Bits1::ALL.iter().map(|&it| flat(TensorOp::Bits1(it))).collect();
    TensorOp::Test1(_) => Test1::ALL.iter().map(|&it| flat(TensorOp::Test1(it))).collect();
    TensorOp::Num2(_) => {
        let shapes: &[&[&[usize]]] = &[&[&[2, 3], &[3]], &[&[3], &[2, 1]]];
        Num2::ALL.iter().flat_map(|&it| of_elements(TensorOp::Num2(it), shapes)).collect()
    };
    TensorOp::Real2(_) => {
        Real2::ALL.iter().flat_map(|&it| of_elements(TensorOp::Real2(it), &[&[&[2, 3], &[2, 1]]])).collect()
    };
    TensorOp::Bits2(_) => Bits2::ALL.iter().map(|&it| flat(TensorOp::Bits2(it))).collect();
    TensorOp::Compare(_) => Cmp::ALL.iter().map(|&it| flat(TensorOp::Compare(it))).collect();
    TensorOp::Select => {
        let items = [true, false, true].map(Item::Bool);
        let which = Held::Tensor(make::from_items(Dtype::Bool, &items, &[3]).expect("small"));
        vec![sample(TensorOp::Select, &[&[2, 3], &[3]], &[which], |making, op, values, _| {
            making.op(op.clone(), &[values[2], values[0], values[1]])
        })]
    };
    // They are made anew before they are differentiated: see `writes_into_what_was_made`.
    TensorOp::Num2Into(_) => Num2::ALL.iter().map(|&it| flat(TensorOp::Num2Into(it))).collect();
    TensorOp::Real2Into(_) => Real2::ALL.iter().map(|&it| flat(TensorOp::Real2Into(it))).collect();
    TensorOp::Assign | TensorOp::Scatter(_) => flats(&["assign", "scatter [true]"]);
    TensorOp::Broadcast(_) => texts(&["broadcast [2,3,4]"], &[3, 4]);
    TensorOp::Reshape(_) => texts(&["reshape [4,3]"], &[3, 4]);
    TensorOp::Permute(_) => texts(&["permute [1,0]"], &[3, 4]);
    TensorOp::InsertAxis(_) => texts(&["insert_axis 1"], &[3, 4]);
    TensorOp::Pick { .. } => texts(&["pick 0 -1"], &[3, 4]);
    TensorOp::PickAt { .. } => vec![alone(op("pick_at 1"), &[&[3, 4]], &one(1))];
    TensorOp::Slice { .. } => texts(&["slice 1 3 2 -2"], &[3, 4]);
    TensorOp::SliceAt { .. } => vec![alone(op("slice_at 1 2"), &[&[3, 4]], &one(1))];
    TensorOp::Diagonal { .. } => texts(&["diagonal 1 0 1"], &[3, 4]);
    TensorOp::Place { .. } => texts(&["place [5,4] slice 0 1 3 1"], &[3, 4]);
    TensorOp::Put(_) => vec![
        alone(op("put slice 0 1 2 1"), &[&[3, 4], &[2, 4]], &[]),
        alone(op("put pick_at 1"), &[&[3, 4], &[3]], &one(1)),
    ];
    TensorOp::Plus(_) => vec![
        alone(op("plus matmul"), &[&[3, 2], &[3, 4], &[4, 2]], &[]),
        alone(op("plus place [3,4] pick_at 1"), &[&[3, 4], &[3]], &one(1)),
        alone(op("plus add_at [true,false] [4,2]"), &[&[4, 2], &[3, 2]], &places()),
    ];
    // Of what is written to one place twice the last remains.
    TensorOp::PutAt(_) => vec![sample(op("put_at [true]"), &[&[4], &[3]], &places(), |making, op, values, _| {
        making.op(op.clone(), &[values[0], values[2], values[1]])
    })];
    TensorOp::Concat { .. } => vec![alone(op("concat 1"), &[&[3, 4], &[3, 2]], &[])];
    TensorOp::Triangle { .. } => texts(&["triangle 0 true"], &[3, 4]);
    TensorOp::Gather(_) => vec![alone(op("gather [true,false]"), &[&[3, 4]], &places())];
    TensorOp::AddAt { .. } => vec![alone(op("add_at [true,false] [4,2]"), &[&[3, 2]], &places())];
    TensorOp::Same => flats(&["same"]);
    TensorOp::Lu => [&[3, 3][..], &[2, 3, 3]].map(|dims| behind(TensorOp::Lu, dims, matrix)).into();
    TensorOp::LuOrder => flats(&["lu_order"]);
    TensorOp::LuSolve => {
        let solve = |making: &mut Making, op: &TensorOp, values: &[Value], dtype| {
            let of = matrix(making, values[0], dtype);
            let (factors, order) = (making.op(TensorOp::Lu, &[of]), making.op(TensorOp::LuOrder, &[of]));
            making.op(op.clone(), &[factors, order, values[1]])
        };
        [(&[3, 3][..], &[3, 2][..]), (&[2, 3, 3], &[2, 3, 1])]
            .map(|(dims, right)| sample(TensorOp::LuSolve, &[dims, right], &[], solve))
            .into()
    };
    TensorOp::Decompose(_) => Decomposition::ALL
        .iter()
        .flat_map(|&it| {
            let of = TensorOp::Decompose(it);
            match it {
                Decomposition::QrComplete => vec![flat(of)],
                Decomposition::Cholesky | Decomposition::Eigh => {
                    [&[3, 3][..], &[2, 3, 3]].map(|dims| behind(of.clone(), dims, square)).into()
                }
                Decomposition::Qr | Decomposition::Svd => {
                    [&[3, 3][..], &[2, 4, 3]].map(|dims| behind(of.clone(), dims, matrix)).into()
                }
            }
        })
        .collect();
    TensorOp::Matmul => vec![
        alone(TensorOp::Matmul, &[&[2, 3], &[3, 4]], &[]),
        alone(TensorOp::Matmul, &[&[5, 2, 3], &[3, 4]], &[]),
    ];
    TensorOp::Vecdot => vec![alone(TensorOp::Vecdot, &[&[2, 3], &[3]], &[])];
    TensorOp::Fold { .. } => {
        let axes = [&[0][..], &[1], &[0, 2], &[2, 0], &[]];
        let of = |&fold: &Fold| axes.map(|it| alone(TensorOp::Fold { fold, axes: it.to_vec() }, &[&[2, 3, 2]], &[]));
        Fold::ALL.iter().flat_map(of).collect()
    };
    TensorOp::Test { .. } => flats(&["test [0] true"]);
    TensorOp::CountNonzero(_) => flats(&["count_nonzero [0]"]);
    TensorOp::ArgExtreme { .. } => flats(&["arg_extreme 0 true"]);
    TensorOp::Scan { .. } => {
        let of = |&scan: &Scan| [0, 1, 2].map(|along| alone(TensorOp::Scan { scan, along }, &[&[2, 3, 2]], &[]));
        Scan::ALL.iter().flat_map(of).collect()
    };
    TensorOp::Sort { .. } => texts(&["sort 1 false", "sort 2 true"], &[2, 3, 2]);
    TensorOp::Argsort { .. } => flats(&["argsort 0 true"]);
    TensorOp::ArgPartition { .. } => flats(&["arg_partition 0 1 true"]);
    TensorOp::Search { .. } => flats(&["search true"]);
    TensorOp::Bits { .. } | TensorOp::BitsAt { .. } => flats(&["bits 1 2 [3]", "bits_at 1 [3]"]);
    TensorOp::Fused(_) => {
        let (inputs, members) = (
            vec![Input::Tensor(TensorType::new(Dtype::F64, &[3]))],
            vec![Member { op: TensorOp::Num1(Num1::Neg), args: vec![0] }],
        );
        vec![flat(TensorOp::Fused(std::sync::Arc::new(Group::new(&[3], inputs, members).expect("they fit"))))]
    };
}

#[test]
fn every_operation_once_and_twice_in_doubles_and_singles() {
    for (row, samples) in rows().into_iter().enumerate() {
        assert!(!samples.is_empty(), "row {row}");
        for Sample { op, count, more, build } in samples {
            assert_eq!(row_of(&op), row, "{op}");
            assert_eq!(ad::differentiates(&op), count > 0, "{op}: it has a derivative, or has none");
            if count > 0 {
                check(&op.to_string(), count, &more, build);
            }
        }
    }
}

#[test]
fn products_with_zeros() {
    let (mut making, values) = Making::new(&[ty(&[3])]);
    let fold = TensorOp::from_text("prod [0]").expect("it is one");
    let product = making.op(fold, &values);
    let mut module = making.end(product);
    ad::reverse(&mut module, &request(1, true)).expect("it has a derivative");
    let gradient = |x: &[f64]| run(&module, module.main(), &[tensor(x, &[3]), tensor(&[1.0], &[])])[1].floats();
    assert_eq!(gradient(&[0.0, 2.0, 3.0]), [6.0, 0.0, 0.0]);
    assert_eq!(gradient(&[0.0, 0.0, 3.0]), [0.0, 0.0, 0.0]);
}

#[test]
fn writes_into_what_was_made() {
    let writes = |making: &mut Making, _: &TensorOp, values: &[Value], _| {
        let (x, row) = (values[0], values[1]);
        let y = making.op(TensorOp::Num2(Num2::Mul), &[x, x]);
        let first = making.op(TensorOp::Pick { along: 0, at: 0 }, &[y]);
        let before = making.op(TensorOp::Num2(Num2::Add), &[first, row]);
        making.op(TensorOp::Assign, &[first, row]);
        let part = making.op(TensorOp::Slice { along: 1, first: 1, len: 2, step: 1 }, &[y]);
        let inner = making.op(TensorOp::Pick { along: 0, at: 2 }, &[part]);
        making.op(TensorOp::Num2Into(Num2::Mul), &[inner, inner, inner]);
        making.op(TensorOp::Num2Into(Num2::Add), &[y, y, before]);
        making.op(TensorOp::Num2(Num2::Mul), &[y, x])
    };
    let Sample { count, more, build, .. } = sample(TensorOp::Assign, &[&[3, 4], &[4]], &[], writes);
    check("writes", count, &more, build);
}

#[test]
fn what_has_other_names_is_not_made_anew() {
    let (mut making, values) = Making::new(&[ty(&[3])]);
    making.op(TensorOp::Assign, &[values[0], values[0]]);
    let copy = making.op(TensorOp::Copy, &values);
    let mut module = making.end(copy);
    let refused = ad::reverse(&mut module, &request(1, true)).expect_err("it is written to");
    assert_eq!(refused.to_string(), "writing into a tensor has no derivative");
}

/// `y = x * x`, with the rules of `y = x`: back and forth.
fn ruled(border: bool) -> (Module, Request) {
    let (mut rule, params) = Making::new(&[ty(&[3])]);
    let copy = rule.op(TensorOp::Copy, &params);
    let copying = rule.end(copy).funcs.values().next().expect("it was made").clone();
    let (mut making, values) = Making::new(&[ty(&[3])]);
    let func = {
        // The main function is the first one.
        making
            .module
            .hosts
            .push(HostData { tensor: Some(TensorOp::Copy), ..HostData::new("copy", vec![ty(&[3])], vec![ty(&[3])]) });
        making.module.funcs.push(copying);
        snekpy_stage::entity::Entity::new(1)
    };
    let host = |making: &mut Making, data: HostData, args: &[Value]| {
        let host = making.module.hosts.push(data);
        let inst = making.func.make_inst(Op::Host(host, None), args.to_vec(), &[ty(&[3])], None);
        let entry = making.func.entry();
        making.func.blocks[entry].insts.push(inst);
        (host, making.func.insts[inst].results[0])
    };
    let mut borders = EntitySet::new();
    let mut inside = values[0];
    if border {
        let (id, value) = host(&mut making, HostData::new("border", vec![ty(&[3])], vec![ty(&[3])]), &values);
        borders.insert(id);
        inside = value;
    }
    let y = making.op(TensorOp::Num2(Num2::Mul), &[inside, inside]);
    let rule = || Some(Rule { func, args: vec![RuleArg::Derivative(0)], gives: vec![(0, 0)] });
    let custom = Custom { by: 1, back: rule(), forth: rule(), transparent: false };
    let data = HostData { custom: Some(Box::new(custom)), ..HostData::new("`f`", vec![ty(&[3]); 2], vec![ty(&[3])]) };
    let (_, result) = host(&mut making, data, &[values[0], y]);
    (making.end(result), Request { borders, ..request(1, true) })
}

#[test]
fn a_rule_takes_the_place_of_the_derivative() {
    let (module, request) = ruled(true);
    verify(&module).expect("it is well-formed");
    let finished = |mut module: Module| {
        ad::forget_customs(&mut module);
        ad::forget_stops(&mut module, &request.borders);
        verify(&module).expect("it is well-formed");
        module
    };
    let x = tensor(&[1.0, 2.0, 3.0], &[3]);
    let t = tensor(&[0.5, 0.25, 4.0], &[3]);
    let mut back = module.clone();
    ad::reverse(&mut back, &request).expect("there is a rule");
    let back = finished(back);
    let found = run(&back, back.main(), &[x.clone(), t.clone()]);
    assert_eq!((found[0].floats(), found[1].floats()), (vec![1.0, 4.0, 9.0], vec![0.5, 0.25, 4.0]));
    let mut along = module.clone();
    ad::forward(&mut along, &request, Tangents::Passed).expect("there is a rule");
    let along = finished(along);
    assert_eq!(run(&along, along.main(), &[x, t])[1].floats(), [0.5, 0.25, 4.0]);
}

#[test]
fn what_passes_no_border_is_refused() {
    let (mut module, request) = ruled(false);
    let refused = ad::reverse(&mut module, &request).expect_err("the rule says nothing of it");
    assert_eq!(refused.to_string(), "`f` depends on what is differentiated by in another way than by its arguments");
    let (mut module, request) = ruled(true);
    module.hosts.values_mut().for_each(|host| host.custom.iter_mut().for_each(|it| it.back = None));
    let refused = ad::reverse(&mut module, &request).expect_err("there is no rule");
    assert_eq!(refused.to_string(), "`f` has no rule for going backwards");
}
