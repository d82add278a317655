//! The clock of these tests is what they say that calls take.

use std::time::Instant;

use super::*;
use crate::clock::{away, computed_elsewhere, measured};

/// Microseconds that a call takes, and those of them in compiled code.
type Cost = (f64, f64);

/// How calls run, one after the other: how many were staged, and plain.
fn calls(governor: &Governor, count: u32, staged: impl Fn(u32) -> Cost, plain: impl Fn(u32) -> f64) -> (u32, u32) {
    let mut ran = (0, 0);
    for number in 0..count {
        let turn = governor.turn();
        let is_plain = matches!(turn, Turn::Plain | Turn::Trial(Trial { plain: true, .. }));
        *(if is_plain { &mut ran.1 } else { &mut ran.0 }) += 1;
        if let Turn::Trial(trial) = turn {
            let (took, compiled) = if is_plain { (plain(number), 0.0) } else { staged(number) };
            governor.settle(&trial, took * 1e-6, compiled * 1e-6);
        }
    }
    ran
}

#[test]
fn a_call_that_is_spent_in_compiled_code_is_never_plain() {
    let governor = Governor::new(true);
    assert_eq!(calls(&governor, 10_000, |_| (500.0, 450.0), |_| 20_000.0), (10_000, 0));
}

#[test]
fn a_short_call_is_plain_where_that_is_faster() {
    let governor = Governor::new(true);
    let (staged, _) = calls(&governor, 100_000, |_| (0.5, 0.1), |_| 0.1);
    assert!((8..100).contains(&staged), "{staged}");
}

#[test]
fn a_short_call_is_staged_where_that_is_faster() {
    let governor = Governor::new(true);
    let (_, plain) = calls(&governor, 100_000, |_| (0.5, 0.3), |_| 2.0);
    assert!((4..1000).contains(&plain), "{plain}");
}

#[test]
fn what_leaves_at_every_call_is_plain_after_two() {
    let governor = Governor::new(true);
    assert_eq!(calls(&governor, 2, |_| (30_000.0, 10.0), |_| 20_000.0), (1, 1));
    let (staged, _) = calls(&governor, 10_000, |_| (30_000.0, 10.0), |_| 20_000.0);
    assert!(staged < 20, "{staged}");
}

#[test]
fn a_list_that_is_copied_for_one_item_is_copied_rarely() {
    let governor = Governor::new(true);
    let (staged, _) = calls(&governor, 1_000_000, |_| (5_000.0, 0.1), |_| 0.2);
    assert!(staged < 25, "{staged}");
}

#[test]
fn calls_that_alternate_are_told_apart() {
    // Each second call does much, and is faster staged.
    let cost = |number: u32| if number.is_multiple_of(2) { 0.2 } else { 100.0 };
    let governor = Governor::new(true);
    let (_, plain) = calls(&governor, 100_000, |number| (0.4 + cost(number) / 20.0, 0.0), cost);
    assert!(plain < 2_000, "{plain}");
}

#[test]
fn a_verdict_is_looked_at_again() {
    let governor = Governor::new(true);
    calls(&governor, 1_000, |_| (300.0, 1.0), |_| 200.0);
    assert!(governor.verdict().plain.unwrap_or(true));
    let (staged, _) = calls(&governor, 100_000, |_| (10.0, 9.0), |_| 200.0);
    assert!(staged > 90_000, "{staged}");
}

#[test]
fn calls_that_prepare_later_ones_do_not_count() {
    // Without that, calls of 5 us would be plain for long after four of 900.
    let cost = |number: u32| {
        if number < 4 {
            unsettled();
        }
        (if number < 4 { 900.0 } else { 5.0 }, 1.0)
    };
    let governor = Governor::new(true);
    let (_, plain) = calls(&governor, 1_000, cost, |_| 300.0);
    assert!(plain < 20, "{plain}");
}

#[test]
fn of_a_recursive_function_the_innermost_calls_are_compared() {
    fn tree(governor: &Governor, depth: u32, staged: &mut u32) -> f64 {
        let turn = governor.turn();
        let is_plain = matches!(turn, Turn::Plain | Turn::Trial(Trial { plain: true, .. }));
        *staged += u32::from(!is_plain);
        let own = if is_plain { 0.2 } else { 3.0 };
        let inside: f64 = if depth == 0 { 0.0 } else { (0..2).map(|_| tree(governor, depth - 1, staged)).sum() };
        if let Turn::Trial(trial) = turn {
            governor.settle(&trial, (own + inside) * 1e-6, 0.0);
        }
        own + inside
    }
    let governor = Governor::new(true);
    let mut staged = 0;
    tree(&governor, 14, &mut staged);
    assert!(staged < 200, "{staged} of 32767 calls of the first tree");
    let before = staged;
    (0..20).for_each(|_| _ = tree(&governor, 10, &mut staged));
    assert!(staged - before < 100, "{}", staged - before);
}

#[test]
fn code_that_each_call_needs_anew_is_made_a_few_times() {
    let governor = Governor::new(true);
    let mut made = 0;
    for _ in 0..10_000 {
        let (turn, ms) = (governor.turn(), 1e-3);
        let Turn::Trial(trial) = turn else { continue };
        if !trial.plain && governor.may_make(true) {
            made += 1;
            governor.made(Duration::from_millis(5), false);
            governor.settle(&trial, 6.0 * ms, 0.0);
        } else {
            governor.settle(&trial, ms, 0.0);
        }
    }
    assert!((4..20).contains(&made), "{made}");
}

#[test]
fn code_that_each_call_needs_anew_is_made_where_that_pays() {
    let governor = Governor::new(true);
    let mut plain = 0;
    for _ in 0..40 {
        match governor.turn() {
            Turn::Staged if governor.may_make(true) => governor.made(Duration::from_millis(5), false),
            Turn::Trial(trial) if !trial.plain && governor.may_make(true) => {
                governor.made(Duration::from_millis(5), false);
                governor.settle(&trial, 6e-3, 0.0);
            }
            Turn::Trial(trial) => {
                plain += 1;
                governor.settle(&trial, 60e-3, 0.0);
            }
            Turn::Staged | Turn::Plain => plain += 1,
        }
    }
    assert!(plain <= 3, "{plain}");
}

#[test]
fn code_that_there_is_at_last_is_used_at_once() {
    let governor = Governor::new(true);
    let (mut has_code, mut plain_after) = (false, 0);
    for _ in 0..4_000 {
        let turn = governor.turn();
        let is_staged = matches!(turn, Turn::Staged | Turn::Trial(Trial { plain: false, .. }));
        plain_after += u32::from(has_code && !is_staged);
        let mut took = if has_code && is_staged { 40e-6 } else { 3_400e-6 };
        if is_staged && !has_code && governor.patience() > Some(PATIENCE) && governor.may_make(true) {
            has_code = governor.patience() > Some(PATIENCE * 2);
            governor.made(PATIENCE, !has_code);
            took += PATIENCE.as_secs_f64();
        }
        if let Turn::Trial(trial) = turn {
            governor.settle(&trial, took, 0.0);
        }
    }
    assert!(has_code && plain_after < 20, "{plain_after}");
}

#[test]
fn it_is_said_once_that_a_function_runs_plain() {
    let governor = Governor::new(true);
    let mut said = 0;
    for _ in 0..10_000 {
        if let Turn::Trial(trial) = governor.turn() {
            let took = if trial.plain { 20e-3 } else { 30e-3 };
            said += u32::from(governor.settle(&trial, took, 0.0));
        }
    }
    assert_eq!(said, 1);
}

#[test]
fn switched_off_it_stages_every_call() {
    let governor = Governor::new(false);
    assert_eq!(calls(&governor, 10_000, |_| (500.0, 0.0), |_| 1.0), (10_000, 0));
    assert!(governor.may_make(true));
}

#[test]
fn code_that_is_made_for_another_function_is_no_part_of_a_plain_call() {
    let governor = Governor::new(true);
    let mut first = true;
    let mut staged = 0;
    for _ in 0..20_000 {
        let turn = governor.turn();
        let is_plain = matches!(turn, Turn::Plain | Turn::Trial(Trial { plain: true, .. }));
        staged += u32::from(!is_plain);
        if let Turn::Trial(trial) = turn {
            let mut took = if is_plain { 250.0 } else { 700.0 };
            if is_plain && std::mem::take(&mut first) {
                interrupt();
                took = 4_000.0;
            }
            governor.settle(&trial, took * 1e-6, 0.0);
        }
    }
    assert!(staged < 200, "{staged}");
}

#[test]
fn what_the_vm_does_is_no_computing() {
    let wait = || std::thread::sleep(Duration::from_millis(20));
    let ((), computed) = measured(|| (0..10).for_each(|_| away(wait)));
    assert!(computed < 0.1, "{computed}");
    assert!(!TIMED.get());
    let ((), computed) = measured(wait);
    assert!(computed >= 0.02, "{computed}");
}

#[test]
fn what_the_vm_does_in_many_short_runs_is_no_computing() {
    let wait = || {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_micros(20) {}
    };
    // What else the machine does between two looks at the clock counts as computing: some time there is little of it.
    let computed = || (0..3000).map(|_| measured(|| away(wait)).1).sum::<f64>();
    assert!((0..5).any(|_| computed() < 0.03));
}

#[test]
fn what_others_compute_for_a_thread_counts() {
    let before = clock::now();
    computed_elsewhere(2.0);
    assert!(clock::now() - before >= 2.0);
}

#[test]
fn code_for_each_call_does_not_pay_for_the_shortest_calls() {
    // The only plain call that was tried is by far the longest of all: that says nothing of the others.
    let governor = Governor::new(true);
    let mut record = Record { misses: MISSES, ..Record::default() };
    record.plain.add(700e-6, 0.0);
    [15_000e-6, 60e-6, 50e-6, 40e-6].into_iter().for_each(|took| record.fresh.add(took, 0.0));
    record.fresh.total /= 100.0;
    assert_eq!(record.judge_making(true).map(|(plain, _)| plain), Some(false));
    record.plain.add(20e-6, 0.0);
    assert_eq!(record.judge_making(true).map(|(plain, _)| plain), Some(true));
    assert!(governor.may_make(false));
}

#[test]
fn of_a_recursive_function_with_code_for_all_of_it_the_outermost_calls_count() {
    /// What all calls of a tree take, and whether each came back, with plain ones nested as they are.
    fn tree(governor: &Governor, depth: u32, has_code: bool) -> f64 {
        let turn = governor.turn();
        let is_plain = matches!(turn, Turn::Plain | Turn::Trial(Trial { plain: true, .. }));
        let inside = || (0..2).map(|_| if depth == 0 { 0.0 } else { tree(governor, depth - 1, has_code) }).sum::<f64>();
        let (took, compiled) = match is_plain {
            true => (0.3 + governor.plainly(inside), 0.0),
            false if has_code => (1.0 + 0.05 * f64::from(1 << depth), 0.05 * f64::from(1 << depth)),
            false => (3.0 + inside(), 0.0),
        };
        if let Turn::Trial(trial) = turn {
            governor.settle(&trial, took * 1e-6, compiled * 1e-6);
        }
        took
    }
    let governor = Governor::new(true);
    // The first call comes back for each call inside; later ones do not.
    tree(&governor, 9, false);
    let all: f64 = (0..40).map(|_| tree(&governor, 9, true)).sum();
    let last: f64 = (0..10).map(|_| tree(&governor, 9, true)).sum();
    assert!(last < all, "{last} of {all}");
    assert!(last / 10.0 < 60.0, "{last}");
}

#[test]
fn a_function_waits_for_what_it_calls() {
    let (outer, inner) = (Governor::new(true), Governor::new(true));
    // Alone, the inner function is slower staged; but its first plain calls take long.
    let mut seen = 0;
    let mut call_inner = || {
        let turn = inner.turn();
        let is_plain = matches!(turn, Turn::Plain | Turn::Trial(Trial { plain: true, .. }));
        seen += u32::from(is_plain);
        let took = if !is_plain {
            1.4
        } else if seen < 8 {
            4.0
        } else {
            0.4
        };
        match turn {
            Turn::Trial(trial) => _ = inner.settle(&trial, took * 1e-6, 0.0),
            Turn::Staged => staged(),
            Turn::Plain => {}
        }
        took
    };
    let mut plain = 0;
    for _ in 0..20_000 {
        let turn = outer.turn();
        let is_plain = matches!(turn, Turn::Plain | Turn::Trial(Trial { plain: true, .. }));
        plain += u32::from(is_plain);
        let took = if is_plain { 0.6 + call_inner() } else { 1.6 };
        if let Turn::Trial(trial) = turn {
            outer.settle(&trial, took * 1e-6, 0.0);
        }
    }
    assert!(plain > 15_000, "{plain}");
}
