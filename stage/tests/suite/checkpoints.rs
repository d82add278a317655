//! Random modules are stopped everywhere, and what a plain continuation would be given is compared with what the host
//! was told.

use snekpy_stage::interp::Interpreter;
use snekpy_stage::pass::{Observer, optimise, standard};
use snekpy_stage::verify::{Rule, verify};

use crate::states::{self, stop_everywhere};

const SEEDS: u64 = if cfg!(debug_assertions) { 150 } else { 1_500 };

#[test]
fn what_is_left_at_a_checkpoint_is_what_the_host_was_told() {
    for seed in 0..SEEDS {
        let (module, states) = states::module(seed, 3 + seed as usize / 8);
        verify(&module).unwrap_or_else(|violations| panic!("seed {seed}: {violations}"));
        stop_everywhere(&Interpreter, &module, &states, seed);
        let mut optimised = module;
        optimise(&mut optimised, standard(), &mut Observer::new().verifying())
            .unwrap_or_else(|violations| panic!("seed {seed}: {violations}"));
        stop_everywhere(&Interpreter, &optimised, &states, seed);
    }
}

#[test]
fn a_checkpoint_before_a_write_does_not_reach_what_follows_it() {
    let source = "exit exit0 \"state\"(i64)

func @main(v0: i64, v1: [i64], v2: bool) -> i64 {
block0:
    checkpoint exit0(v0)
    branch v2, block1, block2
block1:
    store v1, v0, v0
    jump block2
block2:
    v3: i64 = add v0, v0
    return v3
}
";
    let module = snekpy_stage::text::parse(source).expect("the text is right");
    let violations = verify(&module).expect_err("the store has happened on one of the ways");
    assert_eq!(violations.list.iter().map(|it| it.rule).collect::<Vec<_>>(), [Rule::Reach]);
    assert_eq!(module.to_string(), source);
}
