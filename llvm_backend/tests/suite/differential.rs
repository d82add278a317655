//! Random modules: compiled code does what the reference interpreter does.
//!
//! Everything that can be observed must agree (outcome, place, values, calls of the host, what is told on
//! the way out, memory), but for the number of polls: compiled loops ask less often. A failure names the
//! seed and shows the module.

use snekpy_stage::backend::{Backend, Outcome};
use snekpy_stage::interp::Interpreter;
use snekpy_stage::ir::Module;
use snekpy_stage::pass::{Observer, optimise, standard};
use snekpy_stage::types::Type;

use crate::generate::{self, Arguments};
use crate::harness::{Host, Observed, run};
use crate::states;
use crate::support::{LEVELS, llvm};

const SEEDS: u64 = 120;

/// What was observed, the memory behind the arrays included.
#[derive(PartialEq, Debug)]
struct Seen {
    observed: Observed,
    floats: Vec<u64>,
    ints: Vec<i64>,
}

/// One NaN is as good as another: which one it is depends on the order of equal operands.
fn normal(bits: u64, ty: Type) -> u64 {
    if ty == Type::F64 && f64::from_bits(bits).is_nan() { f64::NAN.to_bits() } else { bits }
}

fn normalise(slots: &mut [u64], types: &[Type]) {
    for (slot, &ty) in slots.iter_mut().zip(types) {
        *slot = normal(*slot, ty);
    }
}

fn see(backend: &dyn Backend, module: &Module, host: &Host, seed: u64) -> Seen {
    let Arguments { floats, ints, slots: args } = Arguments::new(module, seed);
    let main = &module.funcs[module.main()];
    let mut observed = run(backend, module, host, &args);
    observed.polls = 0;
    match observed.outcome {
        Outcome::Returned => normalise(&mut observed.values, &main.results),
        Outcome::Exit(exit, _) | Outcome::Trap(_, Some(exit), _) => {
            normalise(&mut observed.values, &module.exits[exit].types);
        }
        Outcome::Trap(_, None, _) => {}
    }
    for (exit, values) in &mut observed.waiting {
        normalise(values, &module.exits[*exit].types);
    }
    for (number, args) in &mut observed.calls {
        normalise(args, &module.hosts.values().nth(*number as usize).expect("it is declared").params);
    }
    let floats = floats.iter().map(|it| normal(it.to_bits(), Type::F64)).collect();
    Seen { observed, floats, ints }
}

#[test]
fn random_modules_do_what_the_interpreter_does() {
    for seed in 0..SEEDS {
        let module = generate::module(seed, 3 + seed as usize / 4);
        let mut optimised = module.clone();
        optimise(&mut optimised, standard(), &mut Observer::new()).expect("passes keep modules valid");
        for module in [&module, &optimised] {
            let hosts =
                [Host::default(), Host { depth: 2, ..Host::default() }, Host { fails_at: Some(1), ..Host::default() }];
            for (host, turn) in hosts.iter().cycle().zip(0..4) {
                let seed = seed * 7 + turn;
                let expected = see(&Interpreter, module, host, seed);
                for level in LEVELS {
                    let seen = see(&llvm(level), module, host, seed);
                    assert_eq!(seen, expected, "seed {seed}, {level:?}, {host:?}\n{module}");
                }
            }
        }
    }
}

#[test]
fn random_modules_leave_at_their_checkpoints() {
    for seed in 0..SEEDS / 3 {
        let (module, states) = states::module(seed, 3 + seed as usize / 8);
        let mut optimised = module.clone();
        optimise(&mut optimised, standard(), &mut Observer::new()).expect("passes keep modules valid");
        for module in [&module, &optimised] {
            for level in LEVELS {
                states::stop_everywhere(&llvm(level), module, &states, seed);
            }
        }
    }
}
