//! Random statements: blocks, loops, matches, nested functions.

use super::expression::{Callee, Exprs, Scope};
use super::rng::Rng;
use super::tree::Stmt;

/// Variables that a function may have, by kind.
const POOL: [&str; 13] = ["i0", "i1", "i2", "i3", "f0", "f1", "f2", "b0", "b1", "n0", "n1", "o0", "t0"];

/// Where statements are generated.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// How deep blocks are nested.
    pub(super) depth: usize,
    /// Whether `break` and `continue` have a place.
    pub(super) in_loop: bool,
    /// How many loops are round this place, those of callers included.
    pub(super) loops: usize,
    /// What `return` gives: the kind of a helper's result, or `None` in the main function.
    pub(super) result: Option<char>,
}

/// A statement generator for one function.
pub(super) struct Stmts<'a> {
    pub(super) rng: &'a mut Rng,
    pub(super) scope: Scope,
    /// Statements that may still be generated.
    pub(super) budget: usize,
    /// For fresh names of counters and nested functions.
    pub(super) fresh: usize,
}

impl Stmts<'_> {
    pub(super) fn exprs(&mut self) -> Exprs<'_> {
        Exprs { rng: self.rng, scope: &self.scope, pure: false }
    }

    fn fresh(&mut self, letter: &str) -> String {
        self.fresh += 1;
        format!("{letter}_{}", self.fresh)
    }

    /// A block of at most `length` statements.
    pub(super) fn block(&mut self, place: &Place, length: usize) -> Vec<Stmt> {
        let mut block = Vec::new();
        for _ in 0..1 + self.rng.below(length) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            let stmt = self.stmt(place);
            let leaves = matches!(&stmt, Stmt::Break | Stmt::Continue)
                || matches!(&stmt, Stmt::Lines(lines) if lines[0].starts_with("return") || lines[0].starts_with("raise"));
            block.push(stmt);
            // Something after the end of a block is legal and sometimes kept.
            if leaves && !self.rng.chance(10) {
                break;
            }
        }
        block
    }

    /// A block whose assignments are not certain afterwards.
    fn inner(&mut self, place: &Place, length: usize) -> (Vec<Stmt>, Vec<String>) {
        let before = self.scope.vars.clone();
        let callees = self.scope.callees.len();
        let block = self.block(place, length);
        self.scope.callees.truncate(callees);
        let after = std::mem::replace(&mut self.scope.vars, before);
        (block, after)
    }

    /// Forgets or keeps what the arms assigned: certain is what every arm assigned.
    pub(super) fn merge(&mut self, arms: &[Vec<String>]) {
        for name in arms.iter().flatten() {
            if self.scope.vars.contains(name) {
                continue;
            }
            if arms.iter().all(|arm| arm.contains(name)) {
                self.scope.vars.push(name.clone());
            } else if !self.scope.unsure.contains(name) {
                self.scope.unsure.push(name.clone());
            }
        }
    }

    /// From here on `name` is certainly assigned.
    pub(super) fn assigned(&mut self, name: &str) {
        if !self.scope.vars.iter().any(|it| it == name) {
            self.scope.vars.push(name.to_owned());
        }
    }

    fn stmt(&mut self, place: &Place) -> Stmt {
        let deeper = place.depth < 3 && self.budget > 1;
        let percent = if self.scope.idioms.gives('z') { 75 } else { 55 };
        if !self.scope.idioms.is_empty()
            && self.rng.chance(percent)
            && let Some(stmt) = self.idiom(place)
        {
            return stmt;
        }
        match self.rng.below(40) {
            0..=11 => self.assignment(),
            12 | 13 => self.augmented(),
            14..=19 if deeper => self.conditional(place),
            20..=22 if deeper && place.loops < 2 => self.counted(place),
            23..=26 if deeper && place.loops < 3 => self.over(place),
            27 if deeper => self.matching(place),
            28 if place.depth == 0 && deeper => self.nested(place),
            29 | 30 if place.in_loop => {
                let leave = if self.rng.chance(50) { Stmt::Break } else { Stmt::Continue };
                let condition = self.exprs().bool(2);
                Stmt::If(vec![(condition, vec![leave])], Vec::new())
            }
            31 if place.in_loop && place.depth > 1 => {
                if self.rng.chance(50) {
                    Stmt::Break
                } else {
                    Stmt::Continue
                }
            }
            32 if place.depth > 0 => Stmt::Lines(vec![self.leave(place)]),
            33 => {
                let condition = self.exprs().bool(2);
                let leave = self.leave(place);
                Stmt::If(vec![(condition, vec![Stmt::Lines(vec![leave])])], Vec::new())
            }
            34 => self.printed(),
            35 if !self.exprs().calm() => {
                let (condition, value) = (self.exprs().bool(2), self.exprs().int(1).0);
                let text = self.rng.pick(&["", ", 'not so'", ", VALUE"]).replace("VALUE", &value);
                Stmt::Lines(vec![format!("assert {condition} or i0 > 3{text}")])
            }
            36 => self.unpacked(),
            37 => {
                let name = self.fresh("w");
                let (value, bound) = (self.exprs().small_int(2), self.exprs().small_int(1));
                let line = format!("i0 = {name} if ({name} := {value}) > {bound} else {name} - 1");
                self.assigned("i0");
                Stmt::Lines(vec![line, "i0 = i0 % 65537".to_owned()])
            }
            38 => self.stored().unwrap_or_else(|| self.assignment()),
            _ => self.assignment(),
        }
    }

    /// An item of a list before and after that one or another is written.
    fn stored(&mut self) -> Option<Stmt> {
        let list = self.exprs().var('l')?;
        let mut index = || match self.rng.below(3) {
            0 => format!("({}) % 3", self.exprs().int(0).0),
            _ => self.rng.pick(&["0", "1", "2", "-1"]).to_owned(),
        };
        let (read, written) = (index(), index());
        let value = self.exprs().small_int(2);
        self.assigned("i1");
        self.assigned("i2");
        let lines =
            [format!("i1 = {list}[{read}]"), format!("{list}[{written}] = {value}"), format!("i2 = {list}[{read}]")];
        Some(Stmt::Lines(lines.into()))
    }

    fn assignment(&mut self) -> Stmt {
        let name = self.rng.pick(&POOL);
        let kind = name.chars().next().expect("names are not empty");
        let depth = 1 + self.rng.below(3);
        let value = self.exprs().of_kind(kind, depth);
        self.assigned(name);
        if self.rng.chance(8) {
            let value = self.exprs().of_kind('l', 1);
            self.assigned("l0");
            return Stmt::Lines(vec![format!("l0 = {value}")]);
        }
        Stmt::Lines(vec![format!("{name} = {value}")])
    }

    fn augmented(&mut self) -> Stmt {
        if self.rng.chance(40) {
            let (op, value) = (self.rng.pick(&["+", "-", "*"]), self.exprs().float(1));
            if self.scope.vars.iter().any(|it| it == "f0") {
                return Stmt::Lines(vec![format!("f0 {op}= {value}")]);
            }
        }
        let ops: &[&str] = if self.exprs().calm() { &["+", "-", "*", "^"] } else { &["+", "-", "*", "^", "//"] };
        let (op, value) = (self.rng.pick(ops), self.exprs().small_int(1));
        Stmt::Lines(vec![format!("i0 {op}= {value}"), "i0 %= 99991".to_owned()])
    }

    fn unpacked(&mut self) -> Stmt {
        match self.rng.below(3) {
            0 if self.scope.vars.iter().any(|it| it == "t0") => {
                self.assigned("i1");
                self.assigned("f1");
                Stmt::Lines(vec!["i1, f1 = t0".to_owned()])
            }
            1 => {
                self.assigned("i1");
                self.assigned("i2");
                let (a, b) = (self.exprs().small_int(1), self.exprs().small_int(1));
                Stmt::Lines(vec![format!("i1, i2 = {a}, {b}")])
            }
            _ => {
                let value = self.exprs().small_int(1);
                self.assigned("i0");
                Stmt::Lines(vec![format!("i0 = divmod({value}, 7)[1]")])
            }
        }
    }

    /// `return`, or an exception.
    fn leave(&mut self, place: &Place) -> String {
        if self.rng.chance(20) {
            let value = self.exprs().int(1).0;
            return self
                .rng
                .pick(&[
                    "raise ValueError('wrong')",
                    "raise ValueError",
                    "raise KeyError(VALUE)",
                    "raise ArithmeticError('sum', VALUE)",
                ])
                .replace("VALUE", &value);
        }
        self.returned(place)
    }

    /// `return` with what this function returns.
    pub(super) fn returned(&mut self, place: &Place) -> String {
        let value = match place.result {
            Some(kind) => self.exprs().of_kind(kind, 2),
            None => match self.rng.below(9) {
                0 => return "return".to_owned(),
                1 => "'text'".to_owned(),
                2 => self.exprs().of_kind('o', 1),
                3 => self.exprs().float(2),
                4 => self.exprs().bool(1),
                _ => {
                    let mut values = self.scope.vars.clone();
                    values.retain(|name| !name.contains('_') || self.rng.chance(30));
                    values.truncate(7);
                    values.push(self.exprs().num(1));
                    format!("({})", values.join(", "))
                }
            },
        };
        format!("return {value}")
    }

    fn printed(&mut self) -> Stmt {
        let values: Vec<String> = (0..1 + self.rng.below(2)).map(|_| self.exprs().num(1)).collect();
        Stmt::Lines(vec![format!("print('says', {})", values.join(", "))])
    }

    fn conditional(&mut self, place: &Place) -> Stmt {
        let place = Place { depth: place.depth + 1, ..place.clone() };
        let mut arms = Vec::new();
        let mut ends = Vec::new();
        let count = self.rng.pick(&[&1, &1, &1, &2, &3]);
        for _ in 0..*count {
            let condition = if self.rng.chance(15) { self.exprs().num(1) } else { self.exprs().bool(2) };
            let (body, end) = self.inner(&place, 3);
            arms.push((condition, body));
            ends.push(end);
        }
        let mut orelse = Vec::new();
        if self.rng.chance(60) {
            let (body, end) = self.inner(&place, 3);
            orelse = body;
            ends.push(end);
        } else {
            ends.push(self.scope.vars.clone());
        }
        self.merge(&ends);
        Stmt::If(arms, orelse)
    }

    /// The place in the body of a loop.
    pub(super) fn loop_place(&self, place: &Place) -> Place {
        Place { depth: place.depth + 1, in_loop: true, loops: place.loops + 1, ..place.clone() }
    }

    fn loop_else(&mut self, place: &Place) -> Vec<Stmt> {
        if !self.rng.chance(20) {
            return Vec::new();
        }
        let place = Place { depth: place.depth + 1, ..place.clone() };
        let (orelse, end) = self.inner(&place, 2);
        self.merge(&[end, self.scope.vars.clone()]);
        orelse
    }

    fn counted(&mut self, place: &Place) -> Stmt {
        let counter = self.fresh("c");
        let bound = 1 + self.rng.below(6);
        let inside = self.loop_place(place);
        if self.rng.chance(25) {
            let (body, end) = self.inner(&inside, 4);
            self.merge(&[end, self.scope.vars.clone()]);
            return Stmt::Forever { counter, bound, body };
        }
        let condition = self.exprs().bool(2);
        let (body, end) = self.inner(&inside, 4);
        self.merge(&[end, self.scope.vars.clone()]);
        let orelse = self.loop_else(place);
        Stmt::While { counter, bound, condition, body, orelse }
    }

    fn over(&mut self, place: &Place) -> Stmt {
        let (target, kinds): (String, &[&str]) = match self.rng.below(3) {
            0 => ("i3".to_owned(), &["i3"]),
            1 => {
                let name = self.fresh("i");
                (name, &[])
            }
            _ => ("i1".to_owned(), &["i1"]),
        };
        let (target, iterable) = self.iterable(target);
        let mut names: Vec<String> = kinds.iter().map(|it| (*it).to_owned()).collect();
        names.extend(target.split(", ").map(str::to_owned));
        let inside = self.loop_place(place);
        let before = self.scope.vars.clone();
        names.iter().for_each(|name| self.assigned(name));
        let (body, end) = self.inner(&inside, 4);
        self.scope.vars = before;
        self.merge(&[end, self.scope.vars.clone()]);
        let orelse = self.loop_else(place);
        Stmt::For { target, iterable, body, orelse }
    }

    /// A target and what it runs over.
    fn iterable(&mut self, name: String) -> (String, String) {
        let small = |this: &mut Self| format!("({}) % 5", this.exprs().small_int(1));
        match self.rng.below(10) {
            0..=2 => (name, format!("range({})", small(self))),
            3 => (name, format!("range({})", 1 + self.rng.below(4))),
            4 => (name, format!("range({}, {}, {})", small(self), small(self), self.rng.pick(&["1", "2", "-1", "-2"]))),
            5 => (name, format!("reversed(range({}))", small(self))),
            6 => {
                let items: Vec<String> = (0..self.rng.below(4)).map(|_| self.exprs().small_int(1)).collect();
                (name, format!("[{}]", items.join(", ")))
            }
            7 => {
                let (value, index) = (self.exprs().of_kind('l', 1), self.fresh("i"));
                (format!("{index}, {name}"), format!("enumerate({value})"))
            }
            8 => {
                let (value, other) = (self.exprs().of_kind('l', 1), self.fresh("i"));
                (format!("{name}, {other}"), format!("zip({value}, range({}))", small(self)))
            }
            _ => match self.scope.vars.iter().any(|it| it == "l0") {
                true => (name, "l0".to_owned()),
                false => (name, format!("range({})", small(self))),
            },
        }
    }

    fn matching(&mut self, place: &Place) -> Stmt {
        let place = Place { depth: place.depth + 1, ..place.clone() };
        let subject = if self.rng.chance(70) { self.exprs().small_int(2) } else { self.exprs().num(1) };
        let mut arms = Vec::new();
        let mut ends = Vec::new();
        let mut patterns = vec!["0", "1 | -1", "2"];
        if self.rng.chance(50) {
            patterns.push("int()");
        }
        let total = self.rng.chance(60);
        if total {
            patterns.push("_");
        }
        for pattern in patterns {
            let (body, end) = self.inner(&place, 2);
            arms.push((pattern.to_owned(), body));
            ends.push(end);
        }
        if !total {
            ends.push(self.scope.vars.clone());
        }
        self.merge(&ends);
        Stmt::Match(subject, arms)
    }

    /// A function inside: it reads what is outside of it.
    fn nested(&mut self, place: &Place) -> Stmt {
        let name = self.fresh("g");
        let result = if self.rng.chance(60) { 'i' } else { 'f' };
        let outside = self.scope.clone();
        self.scope.vars.retain(|it| !it.starts_with("i0") && !it.starts_with("i1"));
        self.assigned("i0");
        let inside = Place { depth: 2, in_loop: false, loops: place.loops + 1, result: Some(result) };
        let mut body = Vec::new();
        if self.rng.chance(60) {
            let (condition, value) = (self.exprs().bool(2), self.returned(&inside));
            body.push(Stmt::If(vec![(condition, vec![Stmt::Lines(vec![value])])], Vec::new()));
        }
        let last = self.returned(&inside);
        body.push(Stmt::Lines(vec![last]));
        self.scope = outside;
        self.scope.callees.push(Callee { name: name.clone(), params: vec!['i'], result });
        Stmt::Def(format!("{name}(i0)"), body)
    }
}
