//! Derivatives of operations on tensors: forwards against differences, and backwards against forwards.

use std::collections::HashMap;

use snekpy_stage::ad::{self, End, Request, Tangents};
use snekpy_stage::entity::{FuncId, Value};
use snekpy_stage::ir::{Custom, Function, HostData, Module, Rule, RuleArg, Terminator};
use snekpy_stage::op::{Const, Op};
use snekpy_stage::set::EntitySet;
use snekpy_stage::tensor::{Dtype, Given, Item, Operand, Tensor, TensorOp};
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

fn ty(dims: &[usize]) -> Type {
    Type::Tensor(TensorType::new(Dtype::F64, dims))
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
        self.func.insts[inst].results.first().copied().unwrap_or(args[0])
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
    let ends = vec![End { exit: None, of: vec![0] }];
    Request { wrt: (0..count).collect(), ends, passed, ..Request::default() }
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

/// Forwards against differences, and backwards against forwards; the first `count` operands are differentiated by.
fn check(what: &str, module: &Module, count: usize, more: &[Held]) {
    let dims = sizes(module, count);
    let made = |seed: usize| -> Vec<Held> {
        dims.iter().enumerate().map(|(at, dims)| tensor(&numbers(dims.iter().product(), seed + at), dims)).collect()
    };
    let (x, t) = (made(1), made(11));
    let with = |x: &[Held], last: &[Held]| [x, more, last].concat();
    let (mut along, mut back) = (module.clone(), module.clone());
    ad::forward(&mut along, &request(count, false), Tangents::Passed).unwrap_or_else(|it| panic!("{what}: {it}"));
    ad::reverse(&mut back, &request(count, true)).unwrap_or_else(|it| panic!("{what}: {it}"));
    for module in [&along, &back] {
        verify(module).unwrap_or_else(|violations| panic!("{what}: {violations}\n{module}"));
    }
    let value = run(module, module.main(), &with(&x, &[]));
    let forwards = run(&along, along.main(), &with(&x, &t));
    assert_eq!(value[0].floats(), forwards[0].floats(), "{what}");
    let moved = |h: f64| {
        let step = |((x, t), dims): ((&Held, &Held), &Vec<usize>)| {
            let all: Vec<f64> = x.floats().iter().zip(t.floats()).map(|(x, t)| x + h * t).collect();
            tensor(&all, dims)
        };
        let x: Vec<Held> = x.iter().zip(&t).zip(&dims).map(step).collect();
        run(module, module.main(), &with(&x, &[]))[0].floats()
    };
    let (above, below) = (moved(1e-6), moved(-1e-6));
    for ((above, below), tangent) in above.iter().zip(&below).zip(forwards[1].floats()) {
        let difference = (above - below) / 2e-6;
        assert!(
            (difference - tangent).abs() <= 1e-5 * (1.0 + tangent.abs()),
            "{what}: {difference}, forwards {tangent}"
        );
    }
    let out = value[0].floats();
    let seed = numbers(out.len(), 5);
    let Held::Tensor(shape) = &value[0] else { panic!("{what} gives a number") };
    let backwards = run(&back, back.main(), &with(&x, &[tensor(&seed, shape.dims())]));
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let across: f64 = backwards[1..].iter().zip(&t).map(|(g, t)| product(&g.floats(), &t.floats())).sum();
    let down = product(&forwards[1].floats(), &seed);
    assert!((across - down).abs() <= 1e-10 * (1.0 + down.abs()), "{what}: backwards {across}, forwards {down}");
}

fn check_op(op: TensorOp, params: &[&[usize]], more: &[Held]) {
    let types: Vec<Type> = params.iter().map(|dims| ty(dims)).collect();
    let known = more.iter().map(|it| match it {
        Held::Tensor(it) => Type::Tensor(TensorType::new(it.dtype(), it.dims())),
        Held::Number(_) => Type::I64,
    });
    let (mut making, values) = Making::new(&types.iter().copied().chain(known).collect::<Vec<_>>());
    let what = op.to_string();
    let result = making.op(op, &values);
    check(&what, &making.end(result), params.len(), more);
}

#[test]
fn operations_that_move_elements() {
    let view = |text: &str| TensorOp::from_text(text).unwrap_or_else(|| panic!("`{text}`"));
    for text in ["copy", "broadcast [2,3,4]", "reshape [4,3]", "permute [1,0]", "insert_axis 1", "pick 0 -1"] {
        check_op(view(text), &[&[3, 4]], &[]);
    }
    for text in ["slice 1 3 2 -2", "diagonal 1 0 1", "triangle 0 true", "place [5,4] slice 0 1 3 1"] {
        check_op(view(text), &[&[3, 4]], &[]);
    }
    let at = Held::Number(Item::Int(1));
    check_op(view("pick_at 1"), &[&[3, 4]], std::slice::from_ref(&at));
    check_op(view("slice_at 1 2"), &[&[3, 4]], std::slice::from_ref(&at));
    check_op(view("concat 1"), &[&[3, 4], &[3, 2]], &[]);
    let places = Held::Tensor(Tensor::from_slice(&[2_i64, 0, 2], &[3]).expect("small"));
    check_op(view("gather [true,false]"), &[&[3, 4]], std::slice::from_ref(&places));
    check_op(view("add_at [true,false] [4,2]"), &[&[3, 2]], &[places]);
}

#[test]
fn operations_that_write_into_copies() {
    let at = Held::Number(Item::Int(1));
    check_op(TensorOp::from_text("put slice 0 1 2 1").expect("it is one"), &[&[3, 4], &[2, 4]], &[]);
    check_op(TensorOp::from_text("put pick_at 1").expect("it is one"), &[&[3, 4], &[3]], &[at]);
    // Of what is written to one place twice the last remains.
    let (mut making, values) = Making::new(&[ty(&[4]), ty(&[3]), Type::Tensor(TensorType::new(Dtype::I64, &[3]))]);
    let put = making.op(TensorOp::PutAt(vec![true]), &[values[0], values[2], values[1]]);
    let places = Held::Tensor(Tensor::from_slice(&[2_i64, 0, 2], &[3]).expect("small"));
    check("put_at", &making.end(put), 2, &[places]);
}

#[test]
fn sums_products_and_order() {
    for fold in ["sum", "prod", "max", "min"] {
        for axes in ["[0]", "[1]", "[0,2]", "[2,0]", "[]"] {
            let op = TensorOp::from_text(&format!("{fold} {axes}"));
            check_op(op.unwrap_or_else(|| panic!("{fold} {axes}")), &[&[2, 3, 2]], &[]);
        }
    }
    for text in ["cumulative_sum 1", "cumulative_prod 0", "cumulative_prod 2", "sort 1 false", "sort 2 true"] {
        check_op(TensorOp::from_text(text).unwrap_or_else(|| panic!("{text}")), &[&[2, 3, 2]], &[]);
    }
    check_op(TensorOp::Matmul, &[&[2, 3], &[3, 4]], &[]);
    check_op(TensorOp::Matmul, &[&[5, 2, 3], &[3, 4]], &[]);
    check_op(TensorOp::Vecdot, &[&[2, 3], &[3]], &[]);
}

#[test]
fn factors_of_matrices_and_systems_of_equations() {
    // A matrix that is far from singular.
    let matrix = |making: &mut Making, x: Value| {
        let [multiply, cos] = ["multiply", "cos"].map(|text| TensorOp::from_text(text).expect("it is one"));
        let square = making.op(multiply.clone(), &[x, x]);
        let cube = making.op(multiply, &[square, x]);
        making.op(cos, &[cube])
    };
    for (dims, right) in [(&[3, 3][..], &[3, 2][..]), (&[2, 3, 3], &[2, 3, 1])] {
        let (mut making, values) = Making::new(&[ty(dims)]);
        let of = matrix(&mut making, values[0]);
        let factors = making.op(TensorOp::Lu, &[of]);
        check("factors", &making.end(factors), 1, &[]);
        let (mut making, values) = Making::new(&[ty(dims), ty(right)]);
        let of = matrix(&mut making, values[0]);
        let factors = making.op(TensorOp::Lu, &[of]);
        let order = making.op(TensorOp::LuOrder, &[of]);
        let solved = making.op(TensorOp::LuSolve, &[factors, order, values[1]]);
        check("a system", &making.end(solved), 2, &[]);
    }
}

#[test]
fn triangles_whose_products_are_matrices() {
    use snekpy_stage::tensor::decompose::Decomposition;
    for dims in [&[3, 5][..], &[2, 3, 6]] {
        let (mut making, values) = Making::new(&[ty(dims)]);
        let mut order: Vec<usize> = (0..dims.len()).collect();
        order.swap(dims.len() - 1, dims.len() - 2);
        let turned = making.op(TensorOp::Permute(order), &values);
        let square = making.op(TensorOp::Matmul, &[values[0], turned]);
        let lower = making.op(TensorOp::Decompose(Decomposition::Cholesky), &[square]);
        check("a triangle", &making.end(lower), 1, &[]);
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
fn operations_on_each_element() {
    use snekpy_stage::tensor::elementwise::{Num1, Num2, Real1, Real2};
    for &op in Num1::ALL {
        check_op(TensorOp::Num1(op), &[&[2, 3]], &[]);
    }
    for &op in Num2::ALL.iter().filter(|&&op| op != Num2::FloorDiv) {
        check_op(TensorOp::Num2(op), &[&[2, 3], &[3]], &[]);
        check_op(TensorOp::Num2(op), &[&[3], &[2, 1]], &[]);
    }
    let inside = |op: &&Real1| !matches!(op, Real1::Asin | Real1::Acos | Real1::Atanh | Real1::Acosh | Real1::Tan);
    for &op in Real1::ALL
        .iter()
        .filter(inside)
        .filter(|op| !matches!(op, Real1::Floor | Real1::Ceil | Real1::Trunc | Real1::Round))
    {
        check_op(TensorOp::Real1(op), &[&[2, 3]], &[]);
    }
    for &op in Real2::ALL.iter().filter(|&&op| op != Real2::NextAfter) {
        check_op(TensorOp::Real2(op), &[&[2, 3], &[2, 1]], &[]);
    }
}

#[test]
fn writes_into_what_was_made() {
    use snekpy_stage::tensor::elementwise::Num2;
    let (mut making, values) = Making::new(&[ty(&[3, 4]), ty(&[4])]);
    let (x, row) = (values[0], values[1]);
    let y = making.op(TensorOp::Num2(Num2::Mul), &[x, x]);
    let first = making.op(TensorOp::Pick { along: 0, at: 0 }, &[y]);
    let before = making.op(TensorOp::Num2(Num2::Add), &[first, row]);
    making.op(TensorOp::Assign, &[first, row]);
    let part = making.op(TensorOp::Slice { along: 1, first: 1, len: 2, step: 1 }, &[y]);
    let inner = making.op(TensorOp::Pick { along: 0, at: 2 }, &[part]);
    making.op(TensorOp::Num2Into(Num2::Mul), &[inner, inner, inner]);
    making.op(TensorOp::Num2Into(Num2::Add), &[y, y, before]);
    let result = making.op(TensorOp::Num2(Num2::Mul), &[y, x]);
    check("writes", &making.end(result), 2, &[]);
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
    use snekpy_stage::tensor::elementwise::Num2;
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
