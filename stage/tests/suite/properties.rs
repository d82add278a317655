//! What holds of every module, tried on random ones.
//!
//! The first modules are the smallest, so that the first failure is a small one. A failure names the seed
//! and shows the module.

use snekpy_stage::backend::{Outcome, slots};
use snekpy_stage::entity::{Entity, Loc};
use snekpy_stage::interp::Interpreter;
use snekpy_stage::ir::Module;
use snekpy_stage::pass::{self, Observer, PassDef, optimise};
use snekpy_stage::sexpr::to_sexpr;
use snekpy_stage::text::{Locations, Options, parse};
use snekpy_stage::types::Type;
use snekpy_stage::verify::verify;

use crate::generate::{self, Arguments, Random};
use crate::harness::{Host, run};

const SEEDS: u64 = 200;

/// The module of a seed, and the seed for its arguments.
fn modules() -> impl Iterator<Item = (u64, Module)> {
    (0..SEEDS).map(|seed| (seed, generate::module(seed, 3 + seed as usize / 8)))
}

/// What a Python program could tell apart: the outcome with its traceback, values, calls of the host, memory.
#[derive(PartialEq, Debug)]
struct Seen {
    outcome: String,
    traceback: Vec<u32>,
    values: Vec<String>,
    calls: Vec<(u32, Vec<String>)>,
    memory: Vec<String>,
}

/// One NaN is as good as another: which one it is depends on the order of equal operands.
fn show(bits: u64, ty: Type) -> String {
    match ty {
        Type::Bool => (bits != 0).to_string(),
        Type::I64 => bits.cast_signed().to_string(),
        Type::F64 if f64::from_bits(bits).is_nan() => "nan".to_owned(),
        Type::F64 => format!("{:?}", f64::from_bits(bits)),
        Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
            unreachable!("only numbers are returned and shown")
        }
    }
}

fn show_all(bits: &[u64], types: &[Type]) -> Vec<String> {
    assert_eq!(bits.len(), types.iter().map(|&ty| slots(ty)).sum());
    bits.iter().zip(types).map(|(&bits, &ty)| show(bits, ty)).collect()
}

/// Runs a module on the arguments of a seed, everything in memory of its own.
fn observe(module: &Module, seed: u64) -> Seen {
    let Arguments { floats, ints, slots: args } = Arguments::new(module, seed);
    let main = &module.funcs[module.main()];
    let observed = run(&Interpreter, module, &Host::default(), &args);
    let (outcome, loc, types) = match observed.outcome {
        Outcome::Returned => ("returned".to_owned(), None, &main.results[..]),
        Outcome::Exit(exit, loc) => (exit.to_string(), loc, &module.exits[exit].types[..]),
        Outcome::Trap(trap, _, loc) => (format!("{trap:?}"), loc, &[][..]),
    };
    // Calls that were inlined are in the chain of the place, others were told one by one.
    let mut traceback = Vec::new();
    let unwound = observed.unwound.iter().map(|&place| place.checked_sub(1).map(|index| Loc::new(index as usize)));
    for mut place in [loc].into_iter().chain(unwound) {
        while let Some(loc) = place {
            traceback.push(module.locs[loc].line);
            place = module.locs[loc].caller;
        }
    }
    let calls = observed.calls.iter().map(|(number, args)| {
        let data = module.hosts.values().nth(*number as usize).expect("it is declared");
        (*number, show_all(args, &data.params))
    });
    let memory = floats.iter().map(|it| show(it.to_bits(), Type::F64)).chain(ints.iter().map(i64::to_string)).collect();
    Seen { outcome, traceback, values: show_all(&observed.values, types), calls: calls.collect(), memory }
}

#[test]
fn generated_modules_are_verified_and_end_in_every_way() {
    let mut outcomes = std::collections::BTreeMap::new();
    for (seed, module) in modules() {
        if let Err(violations) = verify(&module) {
            panic!("seed {seed}: {violations}\n{module}");
        }
        *outcomes.entry(observe(&module, seed).outcome).or_insert(0) += 1;
    }
    for outcome in ["returned", "exit0", "exit1", "exit2", "Overflow"] {
        assert!(outcomes.get(outcome).is_some_and(|&times| times > 2), "{outcomes:?}");
    }
}

#[test]
fn what_is_printed_is_read_back() {
    for (seed, module) in modules() {
        let text = module.display(Options { locations: Locations::Declared }).to_string();
        let read = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error} in\n{text}"));
        assert_eq!(read.display(Options { locations: Locations::Declared }).to_string(), text, "seed {seed}");
        assert_eq!(observe(&read, seed), observe(&module, seed), "seed {seed}\n{text}");
    }
}

/// A text with a few lines, words or characters removed, repeated or exchanged.
fn mangled(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + random.below(2) {
        let pieces: Vec<&str> = match random.below(3) {
            0 => text.split_inclusive('\n').collect(),
            1 => text.split_inclusive([' ', ',', '(', ')']).collect(),
            _ => text.split_inclusive(|_| true).collect(),
        };
        let (at, other) = (random.below(pieces.len()), random.below(pieces.len()));
        let mut changed = pieces.clone();
        match random.below(3) {
            0 => drop(changed.remove(at)),
            1 => changed.insert(at, pieces[other]),
            _ => changed[at] = pieces[other],
        }
        text = changed.concat();
    }
    text
}

#[test]
fn no_text_makes_the_parser_or_the_verifier_panic() {
    let (mut read, mut verified) = (0, 0);
    for (seed, module) in modules().step_by(2) {
        let text = module.display(Options { locations: Locations::Declared }).to_string();
        let mut random = Random::new(seed);
        for _ in 0..10 {
            let Ok(module) = parse(&mangled(&text, &mut random)) else { continue };
            read += 1;
            match verify(&module) {
                Err(violations) => assert!(!violations.to_string().is_empty()),
                Ok(()) => {
                    verified += 1;
                    let text = module.display(Options { locations: Locations::Declared }).to_string();
                    assert_eq!(parse(&text).map(|it| it.to_string()), Ok(module.to_string()), "seed {seed}");
                    assert!(!to_sexpr(&module).is_empty());
                }
            }
        }
    }
    assert!(read > verified + 10 && verified > 100, "{read} were read, {verified} verified");
}

#[test]
fn every_module_is_an_expression() {
    for (seed, module) in modules() {
        let text = to_sexpr(&module);
        let count = |sign: &str| text.matches(sign).count();
        assert_eq!(count("("), count(")"), "seed {seed}\n{text}\n{module}");
        assert_eq!(count("(def "), module.funcs.len(), "seed {seed}\n{text}");
    }
}

fn check_passes(name: &str, pipeline: &[PassDef]) {
    for (seed, module) in modules() {
        let mut changed = module.clone();
        if let Err(violations) = optimise(&mut changed, pipeline, &mut Observer::new().verifying()) {
            panic!("seed {seed}, {name}: {violations}\n{module}");
        }
        for arguments in [seed, seed + 1000, seed + 2000] {
            let (before, after) = (observe(&module, arguments), observe(&changed, arguments));
            assert_eq!(before, after, "seed {seed}, {name}, arguments {arguments}\n{module}\nafter:\n{changed}");
        }
    }
}

#[test]
fn no_pass_changes_what_can_be_observed() {
    for pass in pass::ALL {
        check_passes(pass.name, &[*pass]);
    }
}

#[test]
fn no_pipeline_changes_what_can_be_observed() {
    check_passes("standard", pass::standard());
    check_passes("quick", pass::quick());
}
