//! Derivatives against finite differences, and the two modes against each other.

use std::collections::HashMap;

#[path = "gradients/generate.rs"]
mod generate;

use generate::{ARRAY, Kinds, Rng};
use snekpy_stage::ad::{End, Request, Tangents, What, forward, reverse};
use snekpy_stage::analysis::{Cfg, Dominators, Loops};
use snekpy_stage::backend::{Backend, Context, Outcome};
use snekpy_stage::build::Builder;
use snekpy_stage::interp::Interpreter;
use snekpy_stage::ir::{Function, Module};
use snekpy_stage::list::{List, Lists};
use snekpy_stage::op::{Num1, Num2, Op, Real1, Real2};
use snekpy_stage::pass::{self, Observer};
use snekpy_stage::text::parse;
use snekpy_stage::types::{Elem, ListType, Type};
use snekpy_stage::verify::verify;

/// What a module is called with: floats (and tangents behind), the integer, items of the list, the array.
#[derive(Clone, Debug)]
struct Inputs {
    floats: Vec<f64>,
    fuel: i64,
    list: Vec<f64>,
    array: Vec<f64>,
    tangents: Option<Box<Inputs>>,
}

impl Inputs {
    fn random(rng: &mut Rng, fuel: i64) -> Self {
        let mut some = |count| (0..count).map(|_| rng.float()).collect::<Vec<f64>>();
        Self { floats: some(3), fuel, list: some(3), array: some(ARRAY), tangents: None }
    }

    /// Every number that is differentiated by.
    fn numbers(&mut self) -> impl Iterator<Item = &mut f64> {
        self.floats.iter_mut().chain(&mut self.list).chain(&mut self.array)
    }
}

fn list_of(lists: &mut Lists, items: &[f64]) -> u64 {
    let list = lists.make(ListType::of(Elem::F64));
    items.iter().for_each(|it| assert!(list.push(it.to_bits())));
    std::ptr::from_mut::<List>(list) as u64
}

/// The results of the main function, lists as their items, one after the other.
fn run(module: &Module, inputs: &Inputs) -> Vec<f64> {
    let mut inputs = inputs.clone();
    let mut lists = Lists::default();
    let mut args: Vec<u64> = inputs.floats.iter().map(|it| it.to_bits()).collect();
    args.push(inputs.fuel.cast_unsigned());
    args.push(list_of(&mut lists, &inputs.list));
    args.extend([inputs.array.as_mut_ptr() as u64, inputs.array.len() as u64]);
    if let Some(tangents) = &inputs.tangents {
        args.extend(tangents.floats.iter().map(|it| it.to_bits()));
        args.extend([list_of(&mut lists, &tangents.list), list_of(&mut lists, &tangents.array)]);
    }
    results(module, &args)
}

fn results(module: &Module, args: &[u64]) -> Vec<f64> {
    let types = &module.funcs[module.main()].results;
    let mut slots = vec![0; types.len()];
    let mut payload = vec![0; 16];
    let mut cx = Context::detached(&mut payload);
    let code = Interpreter.compile(module).expect("it compiles");
    // SAFETY: the slots are those of the main function.
    let status = unsafe { code.run(&mut cx, args.as_ptr(), slots.as_mut_ptr()) };
    assert_eq!(status.outcome(), Outcome::Returned, "{module}");
    let mut found = Vec::new();
    for (&ty, &slot) in types.iter().zip(&slots) {
        match ty {
            Type::List(_) => {
                // SAFETY: it belongs to the context or to the caller.
                let list = unsafe { &*(slot as *const List) };
                found.extend(list.iter().map(f64::from_bits));
            }
            _ => found.push(f64::from_bits(slot)),
        }
    }
    found
}

fn request(wrt: &[usize], of: &[usize]) -> Request {
    let ends = vec![End { exit: None, of: of.to_vec() }];
    Request { wrt: wrt.to_vec(), ends, ..Request::default() }
}

fn check(module: &Module, what: &str) {
    if let Err(violations) = verify(module) {
        panic!("{what}: {violations}\n{module}");
    }
}

fn reversed(module: &Module, request: &Request, what: &str) -> Module {
    let mut module = module.clone();
    reverse(&mut module, request).unwrap_or_else(|refused| panic!("{what}: {refused}\n{module}"));
    check(&module, what);
    module
}

/// The derivative by one number, if the function is smooth there.
fn difference(f: impl Fn(f64) -> f64) -> Option<f64> {
    let quotient = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    let (coarse, fine) = (quotient(2e-5), quotient(1e-5));
    let one_sided = (f(1e-5) - f(0.0)) / 1e-5;
    let scale = 1.0 + coarse.abs();
    (coarse.is_finite() && (coarse - fine).abs() < 2e-6 * scale && (one_sided - fine).abs() < 1e-2 * scale)
        .then_some((4.0 * fine - coarse) / 3.0)
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

/// How many derivatives were compared, and how many were other than zero.
#[derive(Default)]
struct Compared {
    all: usize,
    other: usize,
}

fn compare(kinds: Kinds, seeds: u64) -> Compared {
    let mut compared = Compared::default();
    let wrt = [0, 1, 2, 4, 5];
    for seed in 0..seeds {
        let mut rng = Rng::new(seed);
        let module = generate::module(&mut rng, kinds);
        check(&module, "generated");
        let what = format!("seed {seed}");
        let gradient = reversed(&module, &request(&wrt, &[0]), &what);
        let mut optimised = gradient.clone();
        pass::optimise(&mut optimised, pass::standard(), &mut Observer::new().verifying())
            .unwrap_or_else(|it| panic!("{what}: {it}"));
        let mut along = module.clone();
        forward(&mut along, &request(&wrt, &[0]), Tangents::Passed).expect("it has derivatives");
        check(&along, &what);
        let second = reversed(&gradient, &request(&wrt, &[1]), &format!("{what}, second"));
        for fuel in [0, 3, 6] {
            let inputs = Inputs::random(&mut rng, fuel);
            let found = run(&gradient, &inputs);
            assert_eq!(
                found.iter().map(|it| it.to_bits()).collect::<Vec<_>>(),
                run(&optimised, &inputs).iter().map(|it| it.to_bits()).collect::<Vec<_>>(),
                "{what}: passes change bits"
            );
            let count = inputs.clone().numbers().count();
            assert_eq!(found.len(), 1 + count, "{what}");
            let again = run(&second, &inputs);
            for index in 0..count {
                let moved = |h: f64| {
                    let mut inputs = inputs.clone();
                    *inputs.numbers().nth(index).expect("counted") += h;
                    inputs
                };
                if let Some(expected) = difference(|h| run(&module, &moved(h))[0]) {
                    compared.all += 1;
                    compared.other += usize::from(found[1 + index] != 0.0);
                    assert!(
                        near(expected, found[1 + index], 1e-5),
                        "{what}, by {index} at {inputs:?}: expected {expected}, found {}\n{module}\n{gradient}",
                        found[1 + index]
                    );
                    // The second derivative, by the first number and this one.
                    if let Some(expected) = difference(|h| run(&gradient, &moved(h))[1]) {
                        let found = again[1 + count + index];
                        assert!(
                            near(expected, found, 1e-4),
                            "{what}, second by {index}: expected {expected}, found {found}"
                        );
                    }
                }
            }
            let mut with = inputs.clone();
            let mut tangents = Inputs::random(&mut rng, 0);
            let product: f64 = tangents.numbers().zip(&found[1..]).map(|(t, grad)| *t * grad).sum();
            with.tangents = Some(Box::new(tangents));
            let tangent = run(&along, &with)[1];
            assert!(near(product, tangent, 1e-9), "{what}: backwards {product}, forwards {tangent}");
        }
    }
    compared
}

#[test]
fn branches() {
    let compared = compare(Kinds { loops: false, calls: false, lists: false }, 120);
    assert!(compared.other > 300, "{}", compared.other);
}

#[test]
fn without_loops_and_recursion_nothing_is_recorded() {
    let wrt = [0, 1, 2];
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let module = generate::module(&mut rng, Kinds { loops: false, calls: false, lists: false });
        let mut gradient = module.clone();
        let records = reverse(&mut gradient, &request(&wrt, &[0])).expect("it has derivatives");
        let recorded = records.iter().any(|it| !matches!(it.what, What::Stop(_)));
        assert!(!recorded, "seed {seed}: {records:?}");
        let lists = |module: &Module| {
            let insts = module
                .funcs
                .values()
                .flat_map(|func| func.blocks.values().flat_map(|it| &it.insts).map(|&it| &func.insts[it]));
            insts.filter(|data| matches!(data.op, Op::ListNew(_) | Op::List(_))).count()
        };
        assert_eq!(lists(&gradient), lists(&module), "seed {seed}: {gradient}");
    }
}

#[test]
fn loops_of_unknown_count_with_breaks_and_returns() {
    let compared = compare(Kinds { loops: true, calls: false, lists: false }, 120);
    assert!(compared.other > 300, "{}", compared.other);
}

#[test]
fn recursion() {
    let compared = compare(Kinds { loops: true, calls: true, lists: false }, 120);
    assert!(compared.other > 300, "{}", compared.other);
}

#[test]
fn lists_and_arrays() {
    let compared = compare(Kinds { loops: true, calls: true, lists: true }, 120);
    assert!(compared.other > 300, "{}", compared.other);
}

const ORBIT: &str = "
func @orbit(v0: f64, v1: f64, v2: i64) -> f64 {
block0:
    v3: i64 = const 0
    v4: i64 = const 1
    jump block1(v0, v1, v3)
block1(v5: f64, v6: f64, v7: i64):
    v8: bool = lt v7, v2
    branch v8, block2, block3
block2:
    v9: f64 = mul v5, v5
    v10: f64 = mul v9, v1
    v11: f64 = sub v6, v10
    v12: f64 = mul v11, v0
    v13: f64 = add v5, v12
    v14: i64 = wrap_add v7, v4
    jump block1(v13, v11, v14)
block3:
    v15: f64 = add v5, v6
    return v15
}
";

/// For each loop of the main function, how many operations on floats a step makes one after the other at most.
fn chains(module: &Module) -> Vec<u32> {
    let func = &module.funcs[module.main()];
    let cfg = Cfg::of(func);
    let loops = Loops::of(func, &cfg, &Dominators::of(&cfg));
    let chain = |id| {
        let data = loops.data(id);
        let carried = func.blocks[data.header].params.iter().filter(|&&it| func.ty(it) == Type::F64);
        let mut depths: HashMap<_, u32> = carried.map(|&it| (it, 0)).collect();
        for &inst in data.blocks.iter().flat_map(|&block| &func.blocks[block].insts) {
            let data = &func.insts[inst];
            if let Some(depth) = data.args.iter().filter_map(|arg| depths.get(arg)).max().copied() {
                data.results.iter().for_each(|&it| _ = depths.insert(it, depth + 1));
            }
        }
        let passed = data.latches.iter().flat_map(|edge| &edge.jump(func).args);
        passed.filter_map(|arg| depths.get(arg)).max().copied().unwrap_or(0)
    };
    loops.inner_first().map(chain).collect()
}

#[test]
fn a_step_back_waits_for_a_product_and_a_sum() {
    let module = parse(ORBIT).expect("it is a module");
    let gradient = reversed(&module, &request(&[0, 1], &[0]), "orbit");
    let mut tidy = gradient.clone();
    pass::optimise(&mut tidy, pass::standard(), &mut Observer::new()).expect("it is verified");
    let (there, back) = (chains(&module)[0], chains(&tidy).into_iter().min());
    // A product for each of two cotangents, their sum, and what there was of an argument's.
    assert!(there >= 5 && back == Some(3), "{there} {back:?} {gradient}");
    let at = |of: &Module, x: f64, y: f64| results(of, &[x.to_bits(), y.to_bits(), 3]);
    let found = at(&gradient, 0.3, 0.7);
    let expected = [
        difference(|h| at(&module, 0.3 + h, 0.7)[0]).expect("it is smooth"),
        difference(|h| at(&module, 0.3, 0.7 + h)[0]).expect("it is smooth"),
    ];
    assert!(near(expected[0], found[1], 1e-7) && near(expected[1], found[2], 1e-7), "{expected:?} {found:?}");
}

/// A function of one op.
fn of_op(op: Op, count: usize) -> Module {
    let mut module = Module::default();
    let mut func = Function::new("main");
    func.results = vec![Type::F64];
    let entry = func.entry();
    let params: Vec<_> = (0..count).map(|_| func.append_param(entry, Type::F64)).collect();
    let mut b = Builder::new(&module, &mut func, entry);
    let result = b.value(op, &params).expect("it takes floats");
    b.ret(vec![result]);
    module.funcs.push(func);
    module
}

#[test]
fn every_op_on_floats() {
    let ones = Num1::ALL.iter().map(|&op| (Op::Num1(op), 1)).chain(Real1::ALL.iter().map(|&op| (Op::Real1(op), 1)));
    let twos = Num2::ALL.iter().map(|&op| (Op::Num2(op), 2)).chain(Real2::ALL.iter().map(|&op| (Op::Real2(op), 2)));
    for (op, count) in ones.chain(twos) {
        let module = of_op(op, count);
        let wrt: Vec<usize> = (0..count).collect();
        let gradient = reversed(&module, &request(&wrt, &[0]), &format!("{op:?}"));
        let of: Vec<usize> = (1..=count).collect();
        let hessian = reversed(&gradient, &request(&wrt, &of), &format!("{op:?}, second"));
        let mut along = gradient.clone();
        forward(&mut along, &request(&wrt, &of), Tangents::Units).expect("it has derivatives");
        check(&along, "forward over reverse");
        let mut compared = 0;
        let values = [0.3, 0.77, 1.9, 2.6, -0.4, -1.7];
        for x in values {
            for y in values {
                let at = if count == 1 { vec![x] } else { vec![x, y] };
                let bits = |at: &[f64]| at.iter().map(|it| it.to_bits()).collect::<Vec<u64>>();
                let value = |at: &[f64]| results(&module, &bits(at))[0];
                if !value(&at).is_finite() {
                    continue;
                }
                let moved = |index: usize, h: f64| {
                    let mut at = at.clone();
                    at[index] += h;
                    at
                };
                let (found, second) = (results(&gradient, &bits(&at)), results(&hessian, &bits(&at)));
                let forwards = results(&along, &bits(&at));
                for by in 0..count {
                    let Some(expected) = difference(|h| value(&moved(by, h))) else { continue };
                    compared += 1;
                    assert!(near(expected, found[1 + by], 1e-5), "{op:?} by {by} at {at:?}: {expected} {found:?}");
                    for of in 0..count {
                        let expected = difference(|h| results(&gradient, &bits(&moved(by, h)))[1 + of]);
                        let Some(expected) = expected else { continue };
                        let back = second[1 + count + of * count + by];
                        let along = forwards[1 + count + by * count + of];
                        assert!(near(expected, back, 1e-5), "{op:?} twice by {of}, {by} at {at:?}: {expected} {back}");
                        assert!(near(back, along, 1e-12), "{op:?} twice by {of}, {by} at {at:?}: {back} {along}");
                    }
                }
            }
        }
        assert!(compared > 2, "{op:?}");
    }
}
