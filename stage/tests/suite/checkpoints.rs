//! Random modules are stopped everywhere, and what a plain continuation would be given is compared with what the host
//! was told.

use snekpy_stage::interp::Interpreter;
use snekpy_stage::pass::{LICM, Observer, optimise, standard};
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

#[test]
fn what_may_fail_leaves_a_loop_with_the_checkpoint_of_its_head_where_none_reaches_all_ways_in() {
    let source = "exit exit0 \"state\"(i64)

func @main(v0: i64, v1: [i64], v2: bool) -> i64 {
block0:
    checkpoint exit0(v0)
    v3: i64 = const 0
    branch v2, block1, block2
block1:
    store v1, v3, v0
    checkpoint exit0(v0)
    jump block3(v0)
block2:
    store v1, v3, v3
    checkpoint exit0(v3)
    jump block3(v3)
block3(v4: i64):
    checkpoint exit0(v4)
    v5: i64 = mul v0, v0
    v6: bool = lt v4, v5
    branch v6, block4, block5
block4:
    v7: i64 = const 1
    v8: i64 = add v4, v7
    store v1, v3, v4
    jump block3(v8)
block5:
    return v4
}
";
    let mut module = snekpy_stage::text::parse(source).expect("the text is right");
    verify(&module).unwrap_or_else(|violations| panic!("{violations}"));
    optimise(&mut module, &[LICM], &mut Observer::new().verifying())
        .unwrap_or_else(|violations| panic!("{violations}"));
    let text = module.to_string();
    let preheader = "block6(v9: i64):\n    checkpoint exit0(v9)\n    v5: i64 = mul v0, v0\n";
    assert!(text.contains(preheader), "{text}");
    verify(&module).unwrap_or_else(|violations| panic!("{violations}\n{text}"));
}
