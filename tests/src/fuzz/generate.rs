//! One program: definitions, a main function, and how it is called.

use std::rc::Rc;

use super::expression::{Callee, Exprs, Scope};
use super::features::{Unit, choose, choose_tensors};
use super::idioms::{Idioms, KINDS};
use super::known::avoided;
use super::rng::Rng;
use super::statement::{Place, Stmts};
use super::tree::{Call, Stmt, write_block};

/// A generated program.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Its name, a prefix of its global names.
    pub name: String,
    /// Classes, globals and helper functions, the main function last.
    pub functions: Vec<Stmt>,
    /// The calls, and what changes between them.
    pub calls: Vec<Call>,
    /// Expressions that are shown after each call: what the program may have changed.
    pub state: Vec<String>,
}

/// A call is interrupted.
struct Interruption {
    /// When compiled code polls for this time, from the first call on.
    polls: usize,
    /// What the handler changes; otherwise it raises.
    change: Option<String>,
}

/// A program while it is made.
struct Making<'a> {
    rng: &'a mut Rng,
    name: &'a str,
    /// What functions may use.
    scope: Scope,
    functions: Vec<Stmt>,
    /// Names of globals.
    globals: Vec<String>,
    changes: Vec<String>,
    state: Vec<String>,
    /// How many of 100 objects as arguments are globals.
    aliasing: usize,
}

impl Subject {
    /// The program that belongs to `seed`. Its global names begin with `name`.
    pub fn generate(seed: u64, name: &str) -> Subject {
        Self::generate_of(seed, name, choose)
    }

    /// The same, of programs that all have arrays.
    pub fn with_tensors(seed: u64, name: &str) -> Subject {
        Self::generate_of(seed, name, choose_tensors)
    }

    fn generate_of(seed: u64, name: &str, choose: fn(&mut Rng) -> Vec<Unit>) -> Subject {
        let rng = &mut Rng::new(seed);
        let scope = Scope { idioms: Rc::new(Idioms::new(name)), large: rng.chance(30), ..Scope::default() };
        let (functions, globals, changes, state) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let aliasing = if rng.chance(35) { 70 } else { 3 };
        let mut making = Making { rng, name, scope, functions, globals, changes, state, aliasing };
        for unit in choose(making.rng) {
            making.define(&unit);
        }
        making.helpers();
        let params = making.params();
        making.main(&params);
        let calls = making.calls(&params);
        let mut state = making.globals;
        state.extend(making.state);
        Subject { name: name.to_owned(), functions: making.functions, calls, state }
    }

    /// The text of the program: definitions, then calls through the `call` of `PRELUDE`. When it is
    /// `cold`, every call is the first one of its staged function.
    pub fn text(&self, cold: bool) -> String {
        self.written(cold, None)
    }

    /// The text of the program, one call of which is interrupted by the `interrupted` of `INTERRUPT`.
    pub fn interrupted_text(&self) -> String {
        self.written(false, Some(&self.interruption()))
    }

    /// When and how a call is interrupted.
    fn interruption(&self) -> Interruption {
        let seed = self.name.bytes().fold(0, |seed: u64, byte| seed.wrapping_mul(131) + u64::from(byte));
        let rng = &mut Rng::new(seed);
        let changes: Vec<&str> = self.calls.iter().filter_map(Call::change).collect();
        let raises = rng.chance(50);
        let change = if changes.is_empty() { "" } else { rng.pick(&changes) };
        Interruption {
            polls: 1 + if rng.chance(70) { rng.below(3) } else { rng.below(40) },
            change: (!raises).then(|| change.to_owned()),
        }
    }

    fn written(&self, cold: bool, interruption: Option<&Interruption>) -> String {
        let mut text = String::new();
        let name = &self.name;
        write_block(&mut text, &self.functions, 0);
        text.push_str(&format!("\nmark({name:?})\n{name}_staged = stage({name}_main)\n"));
        let staged = if cold { format!("stage({name}_main)") } else { format!("{name}_staged") };
        let state: String = self.state.iter().map(|it| format!(", {it:?}")).collect();
        let how = match interruption {
            Some(Interruption { polls, change }) => {
                text.push_str("begin()\n");
                let change = change.as_ref().map_or("None".to_owned(), |it| format!("{it:?}"));
                format!("interrupted({polls}, {change}, ")
            }
            None => "call(".to_owned(),
        };
        for call in &self.calls {
            match call {
                Call::Main(args) => text.push_str(&format!("{how}lambda: {staged}({args}){state})\n")),
                Call::Change(lines) => {
                    text.push_str("try:\n");
                    lines.lines().for_each(|it| text.push_str(&format!("    {it}\n")));
                    text.push_str("except Exception as error:\n    print('change', described(error))\n");
                }
            }
        }
        text.push('\n');
        text
    }
}

/// What stands before the programs of one process.
pub(super) const PRELUDE: &str = include_str!("prelude.py");

/// What follows the prelude where calls are interrupted.
pub(super) const INTERRUPT: &str = include_str!("interrupt.py");

/// Values of arguments, by kind.
fn argument(rng: &mut Rng, kind: char) -> &'static str {
    // Now and then something else, but nothing that a large factor makes large. What is no number gets none: plain
    // RustPython, once specialised for numbers, takes `+` for the `+=` of a list that follows.
    if rng.chance(2) {
        let odd = ["2.5", "1e300", "None", "{}", "{4}", "range(3)"];
        return rng.pick(if "ifb".contains(kind) { &odd } else { &odd[2..] });
    }
    match kind {
        'i' => rng.pick(&["0", "1", "-1", "2", "3", "4", "5", "-7", "100", "-4096", "99999", "True", "False"]),
        'f' => rng.pick(&[
            "0.0",
            "1.0",
            "-0.5",
            "2.5",
            "1e6",
            "-3.25",
            "0.1",
            "float('inf')",
            "float('nan')",
            "math.nan",
            "-0.0",
        ]),
        'b' => rng.pick(&["True", "False"]),
        'l' => rng.pick(&["[0, 0, 0]", "[1, 2, 3]", "[-5, 7, 100]", "[3, -1, 0]"]),
        // The long ones are no constants of the code when they are of the world.
        'v' => rng.pick(&[
            "[]",
            "[1, 2, 3]",
            "[4, -4]",
            "[0, 5, 9, 2, 2]",
            "[1, 2, 3]",
            "[7]",
            "[q % 11 for q in range(300)]",
        ]),
        'w' => rng.pick(&[
            "[[1], [2, 3]]",
            "[[0, 4]]",
            "[[1], [2, 3]]",
            "[]",
            "[[q, -q, q % 3] for q in range(13)]",
            "[[5 - q] * (q % 4) for q in range(24)]",
            "[[q % 5, q, -q] for q in range(90)]",
        ]),
        'u' => {
            rng.pick(&["[(1, 0.5), (0, 2.0), (1, -1.5)]", "[]", "[(q % 7, q * 0.5) for q in range(40)]", "[(3, -0.0)]"])
        }
        'd' => rng.pick(&["{'a': 1, 'b': 2}", "{'b': 3, 'a': -1}", "{'a': 4, 2: 5}", "{}"]),
        's' => rng.pick(&["{1, 2, 3}", "set()", "{0, 8}", "set(range(50))"]),
        'x' => rng.pick(&[
            "'abc'",
            "''",
            "'12'",
            "'-1'",
            "'the cat and the dog'",
            "'a 12 b the a'",
            "'mama papa'",
            "'Ab cD 7 ef'",
            "'wörter sind ä'",
            "'the quick brown fox ' * 4",
            "'a b 12 the ' * 7",
        ]),
        'e' => rng.pick(&[
            "['ab', 2, None]",
            "[]",
            "['a', 'b', 'cat', 'a']",
            "[(1, 'x'), (2, 'y')]",
            "[('a', 1, 0.5), ('b', 2, 1.5)]",
            "[[1, 'a'], ['b']]",
            "[None, 2.5, 'q', (1,), {'k1': 2}]",
            "[str(q) for q in range(40)]",
            "[(str(q), q) for q in range(36)]",
        ]),
        'h' => rng.pick(&[
            "{'k1': 'one', 'k2': 2}",
            "{}",
            "{'k1': [1], 'k3': None}",
            "{1: 'a', 'k2': 2.5}",
            "{('k', 1): 'a', 'the': 4}",
            "{str(q): str(q + 1) for q in range(40)}",
        ]),
        'z' => rng.pick(&["'ab'", "None", "2.5", "7", "(1, 'q')", "['a', 1]", "{'k1': 2}", "b'by'", "True", "'the'"]),
        'y' => rng.pick(&["iter([1, 2, 3])", "iter(())", "(q for q in (5, 6))", "iter(range(4))"]),
        'a' => rng.pick(&["array.array('q', [1, 2, 3])", "array.array('q', [5])", "array.array('q', [0, -4, 9, 2])"]),
        'r' => rng.pick(&["array.array('d', [1.5, -2.0])", "array.array('d', [0.0, -0.0, 0.25])"]),
        'm' => rng.pick(&[
            "np.arange(12.0).reshape(3, 4)",
            "np.ones((3, 4))",
            "np.arange(12.0).reshape(4, 3).T - 5",
            "np.arange(12).reshape(3, 4)",
            "np.ones((3, 4), dtype='float32') / 3",
            "np.arange(24.0).reshape(3, 8)[:, ::2]",
        ]),
        'k' => rng.pick(&[
            "np.array([1.0, -2.0, 0.5, 3.0])",
            "np.zeros(4)",
            "np.arange(4)",
            "np.arange(8.0)[::2]",
            "np.array([0.1, 0.2, 0.3, 0.4], dtype='float32')",
            "np.arange(5.0)",
        ]),
        't' => rng.pick(&[
            "np.arange(8.0).reshape(2, 4)",
            "np.arange(12.0).reshape(3, 4) / 7",
            "np.ones((4, 4))",
            "np.arange(20.0)[::-1].reshape(5, 4)",
            "np.arange(24.0).reshape(6, 4) % 5",
            "np.full((9, 4), 0.1)",
            "np.arange(68.0).reshape(17, 4) * 0.25",
            "np.ones((1, 4))",
            "np.zeros((0, 4))",
            "np.ones((3, 4), dtype='float32') / 3",
            "np.ones((7, 4), dtype='float32') / 3",
        ]),
        'p' => rng.pick(&["$NA(3, 0.5)", "$NA(-2, 1.25)", "$NA(10, 2.0)", "$NA(0, 0.0)"]),
        'q' => rng.pick(&["$NQ(1, 2)", "$NQ(-3, 4)", "$NQ(7, 7)"]),
        other => unreachable!("no parameter is of kind {other}"),
    }
}

/// Parameters of main functions over scalars.
const PARAMS: [&[&str]; 4] = [&["i0"], &["i0", "f0"], &["i0", "i1", "f0"], &["i0", "b0", "f0", "l0"]];

impl Making<'_> {
    /// Defines what belongs together; from then on it can be used.
    fn define(&mut self, unit: &Unit) {
        let scope = self.scope.clone();
        let mut stmts = Stmts { rng: self.rng, scope, budget: 6, fresh: 0 };
        let place = Place { depth: 1, in_loop: false, loops: 1, result: Some('i') };
        self.functions
            .extend(stmts.instance(&unit.text, &place).expect("definitions have no holes that may stay empty"));
        let idioms = Rc::make_mut(&mut self.scope.idioms);
        for part in &unit.parts {
            idioms.add(part);
            for (name, value) in part.globals {
                let name = idioms.named(name);
                if !self.globals.contains(&name) {
                    self.functions.push(Stmt::Lines(vec![format!("{name} = {}", idioms.named(value))]));
                    self.scope.vars.push(name.clone());
                    self.globals.push(name);
                }
            }
            let changes = part.changes.iter().filter(|it| !avoided(it));
            self.changes.extend(changes.map(|it| idioms.named(it)));
            self.state.extend(part.state.iter().map(|it| idioms.named(it)));
        }
    }

    /// Functions of numbers, some of them recursive.
    fn helpers(&mut self) {
        let most = if self.scope.idioms.is_empty() { 3 } else { 2 };
        for number in 0..self.rng.below(most) {
            let recursive = self.rng.chance(35);
            let callee = Callee {
                name: format!("{}_h{number}", self.name),
                params: if recursive { vec!['i', 'i'] } else { vec!['i', 'f'] },
                result: if self.rng.chance(60) { 'i' } else { 'f' },
            };
            if recursive {
                self.functions.push(recursion(self.rng, &callee));
                let (inner, result) = (callee.name.clone(), callee.result);
                let callee = Callee { name: format!("{inner}_start"), params: vec!['i'], result };
                let last = format!("return {inner}(i0 % 6, i0)");
                self.functions.push(Stmt::Def(format!("{}(i0)", callee.name), vec![Stmt::Lines(vec![last])]));
                self.scope.callees.push(callee);
            } else {
                let helper = self.helper(&callee);
                self.functions.push(helper);
                self.changes.extend(["-0.25", "2"].map(|it| format!("{}.__defaults__ = ({it},)", callee.name)));
                self.scope.callees.push(Callee { params: vec!['i'], ..callee.clone() });
                self.scope.callees.push(callee);
            }
        }
    }

    /// What the main function takes.
    fn params(&mut self) -> Vec<String> {
        let mut params: Vec<String> = PARAMS[self.rng.below(PARAMS.len())].iter().map(|&it| it.to_owned()).collect();
        for kind in KINDS.chars() {
            let known = self.scope.idioms.gives(kind);
            let made = known || !"pqmkt".contains(kind);
            let percent = match kind {
                _ if !known => 5,
                // Staged code cannot draw on the iterators of its caller, and goes on as plain Python.
                'y' => 20,
                _ => 60,
            };
            if made && !self.scope.idioms.is_empty() && self.rng.chance(percent) {
                params.push(format!("{kind}0"));
                if known && self.rng.chance(25) {
                    params.push(format!("{kind}1"));
                }
            }
        }
        params
    }

    /// An argument: a new value, a global, or an object that the driver keeps and shows after each call.
    fn argument(&mut self, param: &str, calls: &mut Vec<Call>) -> String {
        let kind = param.chars().next().expect("names are not empty");
        let globals: Vec<&str> = self.globals.iter().filter(|it| it.starts_with(kind)).map(String::as_str).collect();
        // A call whose argument the function also knows by another name is plain Python.
        if !globals.is_empty() && self.rng.chance(if kind == 'i' || kind == 'f' { 10 } else { self.aliasing }) {
            return self.rng.pick(&globals).to_owned();
        }
        let value = self.scope.idioms.named(argument(self.rng, kind));
        if !"vwudsarpqehzmkt".contains(kind) || self.rng.chance(25) {
            return value;
        }
        // What is passed twice is handed on by no crossing.
        let kept = if "ehz".contains(kind) && self.rng.chance(85) { param } else { &kind.to_string() };
        let name = format!("{kept}kept_{}", self.name);
        let known = self.state.contains(&name);
        if !known {
            self.state.push(name.clone());
        }
        if !known || self.rng.chance(40) {
            calls.push(Call::Change(format!("{name} = {value}")));
        }
        name
    }

    fn calls(&mut self, params: &[String]) -> Vec<Call> {
        let mut calls = Vec::new();
        let mut before = None;
        // An object is known to code once, and handed on from the second call on.
        let more = if self.scope.idioms.gives('z') { 3 } else { 0 };
        for number in 0..5 + more + self.rng.below(3) {
            let changes = number > 0 && !self.changes.is_empty() && self.rng.chance(60);
            if changes {
                for _ in 0..1 + self.rng.below(2) {
                    let changes: Vec<&str> = self.changes.iter().map(String::as_str).collect();
                    calls.push(Call::Change(self.rng.pick(&changes).to_owned()));
                }
            }
            // After a change the same arguments may find what was compiled before it.
            let args = match before.take() {
                Some(args) if changes && self.rng.chance(50) => args,
                _ => {
                    let args: Vec<String> = params.iter().map(|it| self.argument(it, &mut calls)).collect();
                    args.join(", ")
                }
            };
            calls.push(Call::Main(args.clone()));
            before = Some(args);
        }
        calls
    }

    /// `global` for all that there are.
    fn declared(&self) -> Vec<Stmt> {
        if self.globals.is_empty() {
            return Vec::new();
        }
        vec![Stmt::Lines(vec![format!("global {}", self.globals.join(", "))])]
    }

    fn main(&mut self, params: &[String]) {
        let mut body = self.declared();
        let mut scope = self.scope.clone();
        scope.vars.extend(params.iter().cloned());
        let rich = !scope.idioms.is_empty();
        if self.rng.chance(6) {
            // For most arguments one of the products does not fit 64 bits.
            body.push(Stmt::Lines(vec![
                "i9 = (i0 * 3037000500 + 4611686018427387904) * (i0 + 3) % 8191".to_owned(),
                "print(i9)".to_owned(),
            ]));
            scope.vars.push("i9".to_owned());
        }
        let budget = 8 + self.rng.below(if rich { 12 } else { 18 });
        let mut stmts = Stmts { rng: self.rng, scope, budget, fresh: 0 };
        let place = Place { depth: 0, in_loop: false, loops: 0, result: None };
        for variable in ["i2", "f1", "n0", "o0"] {
            if stmts.rng.chance(if rich { 25 } else { 60 }) {
                let kind = variable.chars().next().expect("names are not empty");
                let value = Exprs { rng: stmts.rng, scope: &stmts.scope, pure: false }.of_kind(kind, 1);
                stmts.assigned(variable);
                body.push(Stmt::Lines(vec![format!("{variable} = {value}")]));
            }
        }
        body.extend(stmts.block(&place, 12));
        if stmts.rng.chance(85) {
            let mut values = stmts.scope.vars.clone();
            let skipped = values.len().saturating_sub(9);
            values.drain(..skipped);
            body.push(Stmt::Lines(vec![format!("return ({},)", values.join(", "))]));
        }
        self.functions.push(Stmt::Def(format!("{}_main({})", self.name, params.join(", ")), body));
    }

    /// A function of an int and a float that may loop once.
    fn helper(&mut self, callee: &Callee) -> Stmt {
        let mut body = self.declared();
        let mut scope = self.scope.clone();
        scope.vars.extend(["i0".to_owned(), "f0".to_owned()]);
        let budget = 2 + self.rng.below(5);
        let mut stmts = Stmts { rng: self.rng, scope, budget, fresh: 0 };
        let place = Place { depth: 1, in_loop: false, loops: 1, result: Some(callee.result) };
        body.extend(stmts.block(&place, 5));
        let last = stmts.returned(&place);
        body.push(Stmt::Lines(vec![last]));
        Stmt::Def(format!("{}(i0, f0=1.5)", callee.name), body)
    }
}

/// A function that calls itself once or twice with a smaller first argument.
fn recursion(rng: &mut Rng, callee: &Callee) -> Stmt {
    let scope = Scope { vars: vec!["i0".to_owned(), "i1".to_owned()], ..Scope::default() };
    let mut exprs = Exprs { rng, scope: &scope, pure: false };
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
        assert_ne!(Subject::generate(1, "p").text(false), Subject::generate(2, "p").text(false));
    }

    #[test]
    fn every_statement_is_generated() {
        let text: String = (0..2000).map(|seed| Subject::generate(seed, "p").text(false)).collect();
        let words = [
            "class p_A",
            "class p_B(p_A)",
            "super()",
            "@property",
            "dataclass",
            "namedtuple",
            "__slots__",
            ".append(",
            ".setdefault(",
            "yield from",
            ".send(",
            "itertools.",
            "try:",
            "finally:",
            "except p_Err as error:",
            "with p_Ctx(",
            "contextmanager",
            "global i_p",
            "nonlocal n, f",
            "array.array('q'",
            "4611686018427387904",
            "while len(u_",
            "LOG.append",
            "functools.partial",
            "p_A.step = ",
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
