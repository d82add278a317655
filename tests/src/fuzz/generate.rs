//! One program: helper functions, a main function, and how it is called.

use super::expression::{Callee, Exprs, Scope};
use super::rng::Rng;
use super::statement::{Place, Stmts};
use super::tree::{Call, Stmt, write_block};

/// A generated program.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Its name, a prefix of its global names.
    pub name: String,
    /// Helper functions, the main function last.
    pub functions: Vec<Stmt>,
    /// The calls.
    pub calls: Vec<Call>,
}

impl Subject {
    /// The program that belongs to `seed`. Its global names begin with `name`.
    pub fn generate(seed: u64, name: &str) -> Subject {
        let rng = &mut Rng::new(seed);
        let mut functions = Vec::new();
        let mut callees = Vec::new();
        for number in 0..rng.below(3) {
            let recursive = rng.chance(35);
            let callee = Callee {
                name: format!("{name}_h{number}"),
                params: if recursive { vec!['i', 'i'] } else { vec!['i', 'f'] },
                result: if rng.chance(60) { 'i' } else { 'f' },
            };
            if recursive {
                functions.push(recursion(rng, &callee));
                let (inner, result) = (callee.name.clone(), callee.result);
                let callee = Callee { name: format!("{inner}_start"), params: vec!['i'], result };
                let last = format!("return {inner}(i0 % 6, i0)");
                functions.push(Stmt::Def(format!("{}(i0)", callee.name), vec![Stmt::Lines(vec![last])]));
                callees.push(callee);
            } else {
                functions.push(helper(rng, &callee, &callees));
                callees.push(callee);
            }
        }
        let has_global = rng.chance(40);
        let params: Vec<&str> = match rng.below(4) {
            0 => vec!["i0"],
            1 => vec!["i0", "f0"],
            2 => vec!["i0", "i1", "f0"],
            _ => vec!["i0", "b0", "f0", "l0"],
        };
        let global = format!("i_{name}");
        functions.push(main(rng, name, &params, &callees, has_global.then_some(&global)));
        let mut calls = Vec::new();
        if has_global {
            calls.push(Call::Set(global.clone(), "3".to_owned()));
        }
        for number in 0..5 {
            let args: Vec<&str> = params.iter().map(|param| argument(rng, param)).collect();
            calls.push(Call::Main(args.join(", ")));
            if has_global && number == 2 {
                calls.push(Call::Set(global.clone(), rng.pick(&["7", "-1", "0"]).to_owned()));
            }
        }
        Subject { name: name.to_owned(), functions, calls }
    }

    /// The text of the program: definitions, then calls through the `call` of [`PRELUDE`].
    pub fn text(&self) -> String {
        let mut text = String::new();
        write_block(&mut text, &self.functions, 0);
        text.push_str(&format!("\nmark({:?})\n", self.name));
        text.push_str(&format!("{}_staged = stage({}_main)\n", self.name, self.name));
        for call in &self.calls {
            match call {
                Call::Main(args) => text.push_str(&format!("call(lambda: {}_staged({args}))\n", self.name)),
                Call::Set(global, value) => text.push_str(&format!("{global} = {value}\n")),
            }
        }
        text.push('\n');
        text
    }
}

/// What stands before the programs of one process.
pub(super) const PRELUDE: &str = include_str!("prelude.py");

fn argument(rng: &mut Rng, param: &str) -> &'static str {
    match param.as_bytes()[0] {
        b'i' => rng.pick(&["0", "1", "-1", "2", "3", "5", "-7", "100", "-4096", "99999", "True", "False"]),
        b'f' => rng.pick(&["0.0", "1.0", "-0.5", "2.5", "1e6", "-3.25", "0.1", "float('inf')", "float('nan')", "-0.0"]),
        b'b' => rng.pick(&["True", "False"]),
        b'l' => rng.pick(&["[0, 0, 0]", "[1, 2, 3]", "[-5, 7, 100]", "[3, -1, 0]"]),
        other => unreachable!("no parameter begins with {}", other as char),
    }
}

fn main(rng: &mut Rng, name: &str, params: &[&str], callees: &[Callee], global: Option<&String>) -> Stmt {
    let mut vars: Vec<String> = params.iter().map(|&it| it.to_owned()).collect();
    vars.extend(global.cloned());
    let scope = Scope { vars, unsure: Vec::new(), callees: callees.to_vec() };
    let budget = 8 + rng.below(18);
    let mut stmts = Stmts { rng, scope, budget, fresh: 0 };
    let place = Place { depth: 0, in_loop: false, loops: 0, result: None };
    let mut body = Vec::new();
    for variable in ["i2", "f1", "n0", "o0"] {
        if stmts.rng.chance(60) {
            let kind = variable.chars().next().expect("names are not empty");
            let value = Exprs { rng: stmts.rng, scope: &stmts.scope }.of_kind(kind, 1);
            stmts.scope.vars.push(variable.to_owned());
            body.push(Stmt::Lines(vec![format!("{variable} = {value}")]));
        }
    }
    body.extend(stmts.block(&place, 12));
    if stmts.rng.chance(85) {
        let mut values = stmts.scope.vars.clone();
        values.truncate(8);
        body.push(Stmt::Lines(vec![format!("return ({},)", values.join(", "))]));
    }
    Stmt::Def(format!("{name}_main({})", params.join(", ")), body)
}

/// A function of an int and a float that may loop once.
fn helper(rng: &mut Rng, callee: &Callee, callees: &[Callee]) -> Stmt {
    let scope = Scope { vars: vec!["i0".to_owned(), "f0".to_owned()], unsure: Vec::new(), callees: callees.to_vec() };
    let budget = 2 + rng.below(5);
    let mut stmts = Stmts { rng, scope, budget, fresh: 0 };
    let place = Place { depth: 1, in_loop: false, loops: 1, result: Some(callee.result) };
    let mut body = stmts.block(&place, 5);
    let last = stmts.returned(&place);
    body.push(Stmt::Lines(vec![last]));
    Stmt::Def(format!("{}(i0, f0)", callee.name), body)
}

/// A function that calls itself once or twice with a smaller first argument.
fn recursion(rng: &mut Rng, callee: &Callee) -> Stmt {
    let scope = Scope { vars: vec!["i0".to_owned(), "i1".to_owned()], unsure: Vec::new(), callees: Vec::new() };
    let mut exprs = Exprs { rng, scope: &scope };
    let name = &callee.name;
    let base = exprs.of_kind(callee.result, 1);
    let step = exprs.small_int(2);
    let call = format!("{name}(i0 - 1, {step})");
    let other = exprs.of_kind(callee.result, 1);
    let op = exprs.rng.pick(&["+", "-"]);
    let sum = match exprs.rng.below(3) {
        0 => format!("{call} {op} {other}"),
        1 => format!("{other} {op} {call} * 2"),
        _ => format!("{call} {op} {name}(i0 - 2, i1)"),
    };
    let sum = if callee.result == 'i' { format!("({sum}) % 10007") } else { sum };
    let mut body =
        vec![Stmt::If(vec![("i0 <= 0".to_owned(), vec![Stmt::Lines(vec![format!("return {base}")])])], Vec::new())];
    if exprs.rng.chance(40) {
        let condition = exprs.bool(2);
        body.push(Stmt::If(vec![(condition, vec![Stmt::Lines(vec![format!("return {call}")])])], Vec::new()));
    }
    body.push(Stmt::Lines(vec![format!("return {sum}")]));
    Stmt::Def(format!("{name}(i0, i1)"), body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_makes_the_same_program() {
        for seed in 0..50 {
            assert_eq!(Subject::generate(seed, "p"), Subject::generate(seed, "p"));
        }
        assert_ne!(Subject::generate(1, "p").text(), Subject::generate(2, "p").text());
    }

    #[test]
    fn every_statement_is_generated() {
        let text: String = (0..300).map(|seed| Subject::generate(seed, "p").text()).collect();
        let words = [
            "elif ",
            "else:",
            "while c_",
            "while True:",
            "for i",
            "enumerate(",
            "zip(",
            "reversed(",
            "range(",
            "break",
            "continue",
            "match ",
            "case 1 | -1:",
            "    def g_",
            "return",
            "raise ValueError",
            "assert ",
            "lambda q",
            ":= ",
            " if ",
            " and ",
            " or ",
            "not ",
            " // ",
            " % ",
            "**",
            "divmod(",
            "abs(",
            "round(",
            "math.sqrt",
            "print(",
            "None",
            "i0 - 1",
            "i_p = ",
        ];
        for word in words {
            assert!(text.contains(word), "`{word}` is never generated");
        }
    }
}
