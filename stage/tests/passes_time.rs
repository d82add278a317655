//! Passes take time in proportion to the code.
//!
//! Times are compared with one another in one run: eight times the code may take less than forty times as
//! long (sixty-four would be quadratic).

use std::time::{Duration, Instant};

use snekpy_stage::build::Builder;
use snekpy_stage::entity::Value;
use snekpy_stage::ir::{Function, Module};
use snekpy_stage::op::{Cmp, Const, Num2, Op};
use snekpy_stage::pass::{self, Observer};
use snekpy_stage::types::Type;

/// Ops in a straight line; `branches` of them start a diamond.
fn chain(len: usize, branches: bool) -> Module {
    let module = Module::default();
    let mut func = Function::new("chain");
    func.results = vec![Type::I64];
    let entry = func.entry();
    let mut at: Value = func.append_param(entry, Type::I64);
    let other = func.append_param(entry, Type::I64);
    let mut b = Builder::new(&module, &mut func, entry);
    for index in 0..len {
        let constant = b.constant(Const::I64((index % 7) as i64));
        let op = [Num2::Add, Num2::Mul, Num2::Sub, Num2::Max][index % 4];
        let operand = if index % 3 == 0 { other } else { constant };
        at = b.value(Op::Num2(op), &[at, operand]).unwrap();
        if branches && index % 10 == 0 {
            let cond = b.value(Op::Cmp(Cmp::Lt), &[at, other]).unwrap();
            let [then, join] = [(); 2].map(|()| b.create_block());
            let param = b.append_param(join, Type::I64);
            let skip = b.create_block();
            b.branch(cond, then, skip);
            b.switch_to(skip);
            b.jump(join, vec![at]);
            b.switch_to(then);
            let rest = b.value(Op::Num2(Num2::Mul), &[at, other]).unwrap();
            b.jump(join, vec![rest]);
            b.switch_to(join);
            at = param;
        }
    }
    b.ret(vec![at]);
    let mut module = module;
    module.funcs.push(func);
    module
}

fn time(module: &Module) -> Duration {
    let once = || {
        let mut module = module.clone();
        let start = Instant::now();
        pass::optimise(&mut module, pass::standard(), &mut Observer::new()).expect("it does not verify");
        start.elapsed()
    };
    (0..7).map(|_| once()).min().expect("it ran")
}

#[test]
fn time_grows_with_the_code_and_no_faster() {
    for branches in [false, true] {
        let [small, large] = [1_000, 8_000].map(|len| time(&chain(len, branches)));
        assert!(large < small * 40, "1,000 ops took {small:?}, 8,000 took {large:?}");
    }
}
