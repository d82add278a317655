//! The verifier: each file of `tests/verify` breaks a rule on purpose, and says where.
//!
//! `;@ violates RULE "text"` stands on the line of the violation, on the first line for the module as a
//! whole. The text is a part of the message. Missing and unexpected violations both fail.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use snekpy_stage::entity::{Block, Entity};
use snekpy_stage::ir::{Jump, Terminator};
use snekpy_stage::text::{Lines, parse, parse_with_lines};
use snekpy_stage::verify::{Place, Rule, Violations, verify, verify_func};

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verify");
    let mut cases: Vec<_> = fs::read_dir(folder).expect("the folder is there").map(|it| it.unwrap().path()).collect();
    cases.sort();
    cases
}

fn line_of(place: Place, lines: &Lines) -> u32 {
    match place {
        Place::Module => 1,
        Place::Func(func) => lines.func(func),
        Place::Head(func, block) => lines.block(func, block),
        Place::Inst(func, _, inst) => lines.inst(func, inst),
        Place::End(func, block) => lines.term(func, block),
    }
}

/// Line, rule and text of each expected violation.
fn expectations(source: &str) -> Vec<(u32, String, String)> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(source.lines()) {
        for comment in line.split(";@ violates ").skip(1) {
            let (rule, rest) = comment.split_once(' ').expect("a rule and a text");
            let text = rest.trim().strip_prefix('"').and_then(|it| it.strip_suffix('"')).expect("a text in quotes");
            found.push((number, rule.to_owned(), text.to_owned()));
        }
    }
    found
}

#[test]
fn each_violation_is_found_where_it_is_and_nowhere_else() {
    let mut failures = Vec::new();
    for path in cases() {
        let source = fs::read_to_string(&path).unwrap();
        let (module, lines) = parse_with_lines(&source).unwrap_or_else(|error| panic!("{}:{error}", path.display()));
        let mut expected = expectations(&source);
        let list = verify(&module).map_or_else(|violations| violations.list, |()| Vec::new());
        for violation in &list {
            let line = line_of(violation.place, &lines);
            let matching = expected.iter().position(|(at, rule, text)| {
                *at == line && *rule == violation.rule.id() && violation.message.contains(text.as_str())
            });
            match matching {
                Some(index) => drop(expected.remove(index)),
                None => failures.push(format!("{}:{line}: unexpected {violation}", path.display())),
            }
        }
        for (line, rule, text) in expected {
            failures.push(format!("{}:{line}: missing {rule} {text:?}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_rule_has_a_test() {
    let mut tested: BTreeSet<String> = BTreeSet::from([Rule::DefConsistency.id().to_owned()]); // below
    for path in cases() {
        tested.extend(expectations(&fs::read_to_string(path).unwrap()).into_iter().map(|(_, rule, _)| rule));
    }
    let all: BTreeSet<String> = Rule::ALL.iter().map(|rule| rule.id().to_owned()).collect();
    assert_eq!(tested, all);
}

const LOOP: &str = "func @f(v0: i64, v1: bool) -> i64 {
block0:
    jump block1(v0)
block1(v2: i64):
    v3: i64 = neg v2
    v4: i64 = neg v3
    branch v1, block1(v4), block2
block2:
    return v3
}
";

fn rules(result: Result<(), Violations>) -> Vec<(Rule, String)> {
    let list = result.map_or_else(|violations| violations.list, |()| Vec::new());
    list.into_iter().map(|it| (it.rule, it.message)).collect()
}

/// The textual form cannot say these: there a value has one definition by construction.
#[test]
fn tables_that_contradict_blocks_are_found() {
    let module = parse(LOOP).unwrap();
    let main = module.main();
    assert_eq!(rules(verify(&module)), []);
    let block = Block::new(1);

    let mut twice = module.clone();
    let inst = twice.funcs[main].blocks[block].insts[0];
    twice.funcs[main].blocks[block].insts.push(inst);
    let found = rules(verify(&twice));
    assert_eq!(found[0], (Rule::DefConsistency, "the instruction is in block1 already".to_owned()));

    let mut swapped = module.clone();
    swapped.funcs[main].blocks[Block::new(0)].params.swap(0, 1);
    assert_eq!(
        rules(verify(&swapped))[0],
        (
            Rule::DefConsistency,
            "the table has v1 as parameter 1 of block0, here it is parameter 0 of block0".to_owned()
        )
    );

    let mut removed = module.clone();
    removed.funcs[main].blocks[block].insts.remove(0);
    assert_eq!(
        rules(verify(&removed)),
        [
            (Rule::Dominance, "v3 is defined by an instruction that is in no block".to_owned()),
            (Rule::Dominance, "v3 is defined by an instruction that is in no block".to_owned())
        ]
    );

    let mut shortened = module;
    shortened.funcs[main].values.truncate(3);
    assert!(rules(verify(&shortened)).iter().all(|(rule, _)| *rule == Rule::UnknownEntity));
}

#[test]
fn one_function_can_be_checked_alone() {
    let source = format!("{LOOP}\nfunc @g() -> i64 {{\nblock0:\n    return\n}}\n");
    let module = parse(&source).unwrap();
    let ids: Vec<_> = module.funcs.keys().collect();
    assert_eq!(rules(verify_func(&module, ids[0])), []);
    assert_eq!(rules(verify_func(&module, ids[1])).len(), 1);
}

#[test]
fn a_report_shows_the_place_and_whose_fault_it_is() {
    let mut module = parse(LOOP).unwrap();
    let func = &mut module.funcs[snekpy_stage::entity::FuncId::new(0)];
    let cond = func.params()[1];
    let jump = Jump { target: Block::new(1), args: vec![cond] };
    func.blocks[Block::new(0)].term = Terminator::Jump(jump);
    let report = verify(&module).unwrap_err().after_pass("licm").to_string();
    let expected = "violation[jump-args] in @f, block0, after pass `licm`
    block0:
>       jump block1(v1)
    block1(v2: i64):
        v3: i64 = neg v2
        v4: i64 = neg v3
        branch v1, block1(v4), block2
expected (i64), found (v1: bool)
this is a bug in snekpy, not in your program";
    assert_eq!(report, expected);
}
