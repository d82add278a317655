//! Every pass keeps what a call does, on random modules.
//!
//! A module is generated from a seed: nested branches and loops over a few variables, checked arithmetic
//! near the ends of 64 bits, guards, loads and stores, calls of the host and of a second function. The
//! interpreter runs it before and after each pass alone, each pipeline, and passes in random order. Results,
//! exits with payloads and places, traps with places, memory, and calls of the host must be the same.

#[path = "passes_random/generate.rs"]
mod generate;
#[path = "passes_random/outcome.rs"]
mod outcome;

use generate::Rng;
use snekpy_stage::ir::Module;
use snekpy_stage::pass::{self, Observer, PassDef, Pipeline};
use snekpy_stage::verify::verify;

const MODULES: u64 = 400;

fn check(seed: u64, module: &Module, name: &str, passes: &Pipeline) {
    let mut after = module.clone();
    if let Err(violations) = pass::optimise(&mut after, passes, &mut Observer::new().verifying()) {
        panic!("seed {seed}, {name}: {violations}\n{module}");
    }
    for input in 0..6 {
        let [expected, found] = [module, &after].map(|it| outcome::run(it, &mut Rng::new(seed * 100 + input)));
        assert!(
            expected == found,
            "seed {seed}, input {input}, {name}: expected {expected:?}, found {found:?}\n{module}\nafter:\n{after}"
        );
    }
}

#[test]
fn passes_keep_what_a_call_does() {
    let mut returned = 0;
    let mut left = 0;
    for seed in 0..MODULES {
        let module = generate::module(&mut Rng::new(seed));
        if let Err(violations) = verify(&module) {
            panic!("seed {seed}: {violations}");
        }
        for input in 0..6 {
            let outcome = outcome::run(&module, &mut Rng::new(seed * 100 + input));
            *(if outcome.returned() { &mut returned } else { &mut left }) += 1;
        }
        for pass in pass::ALL {
            check(seed, &module, pass.name, &[*pass]);
        }
        check(seed, &module, "quick", pass::quick());
        check(seed, &module, "standard", pass::standard());
        let mut rng = Rng::new(seed);
        // What is required comes last, once.
        let optional: Vec<PassDef> = pass::ALL.iter().copied().filter(|it| it.name != pass::OWN.name).collect();
        let random: Vec<PassDef> = (0..12).map(|_| optional[rng.below(optional.len())]).collect();
        let names: Vec<&str> = random.iter().map(|pass| pass.name).collect();
        check(seed, &module, &names.join(", "), &random);
    }
    // The generator is worth nothing if nearly every call ends in the same way.
    assert!(returned > MODULES && left > MODULES, "{returned} returned, {left} left otherwise");
}

#[test]
fn a_limit_stops_the_runner_anywhere() {
    for seed in 0..20 {
        let module = generate::module(&mut Rng::new(seed));
        let mut whole = Observer::new();
        pass::optimise(&mut module.clone(), pass::standard(), &mut whole).expect("it does not verify");
        for limit in 0..=whole.applied() {
            let mut after = module.clone();
            let mut observer = Observer::new().verifying().up_to(limit);
            pass::optimise(&mut after, pass::standard(), &mut observer).expect("passes keep the rules");
            assert_eq!(observer.applied(), limit);
            let [expected, found] = [&module, &after].map(|it| outcome::run(it, &mut Rng::new(seed)));
            assert_eq!(expected, found, "seed {seed}, limit {limit}");
        }
    }
}
