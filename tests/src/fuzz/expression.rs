//! Random expressions.
//!
//! The name of a variable tells its type: `i` int, `f` float, `b` bool, `n` int or float, `o` the same
//! or None, `t` a pair of an int and a float, `l` a list of three ints; the kinds of [`super::idioms`] come
//! from templates. An int expression comes with the number of bits that its value needs at most; variables
//! hold [`VAR_BITS`].

use std::rc::Rc;

use super::idioms::Idioms;
use super::rng::Rng;

/// Bits of an int variable; what is assigned to one is reduced to them.
pub(super) const VAR_BITS: u32 = 20;
/// Bits of an intermediate result.
const MAX_BITS: u32 = 60;
/// Bits of what holds an int that may not fit 64 bits, or is close to it.
const PAST_BITS: u32 = 100;
/// How many of 100 leaves are ints close to 64 bits, where a program has them.
const LARGE_PERCENT: usize = 10;
/// How many of 100 expressions come from a template, where there are templates.
const TEMPLATE_PERCENT: usize = 35;

/// A function that expressions may call: its name, and the kinds of its parameters and result.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    pub(super) name: String,
    pub(super) params: Vec<char>,
    pub(super) result: char,
}

/// What an expression may use.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// Variables that are certainly assigned.
    pub(super) vars: Vec<String>,
    /// Variables that perhaps are not.
    pub(super) unsure: Vec<String>,
    /// Functions.
    pub(super) callees: Vec<Callee>,
    /// Other places that hold a value: attributes of `self`.
    pub(super) atoms: Vec<(char, String)>,
    /// Templates.
    pub(super) idioms: Rc<Idioms>,
    /// Whether ints come close to 64 bits.
    pub(super) large: bool,
}

impl Scope {
    fn of_kind(&self, kind: char) -> Vec<&str> {
        let atoms = self.atoms.iter().filter(|it| it.0 == kind).map(|it| it.1.as_str());
        self.vars.iter().filter(|name| name.starts_with(kind)).map(String::as_str).chain(atoms).collect()
    }
}

/// An int expression and its bits.
pub(super) type Int = (String, u32);

/// An expression generator: random numbers and a scope.
pub(super) struct Exprs<'a> {
    pub(super) rng: &'a mut Rng,
    pub(super) scope: &'a Scope,
    /// Whether an expression may change nothing.
    pub(super) pure: bool,
}

impl Exprs<'_> {
    /// An expression of the kind that a variable of this name begins with.
    pub(super) fn of_kind(&mut self, kind: char, depth: usize) -> String {
        match kind {
            'i' => self.small_int(depth),
            'f' => self.float(depth),
            'b' => self.bool(depth),
            'n' => self.num(depth),
            'o' => match self.rng.below(3) {
                0 => "None".to_owned(),
                _ => self.num(depth),
            },
            't' => format!("({}, {})", self.small_int(depth), self.float(depth)),
            'l' => format!("[{}, {}, {}]", self.small_int(depth), self.small_int(0), self.small_int(depth)),
            other => unreachable!("there are no variables of kind {other}"),
        }
    }

    /// A variable of a kind.
    pub(super) fn var(&mut self, kind: char) -> Option<String> {
        if self.rng.chance(if self.scope.idioms.is_empty() { 2 } else { 1 }) {
            let unsure: Vec<&str> =
                self.scope.unsure.iter().filter(|it| it.starts_with(kind)).map(String::as_str).collect();
            if !unsure.is_empty() {
                return Some(self.rng.pick(&unsure).to_owned());
            }
        }
        let names = self.scope.of_kind(kind);
        if names.is_empty() { None } else { Some(self.rng.pick(&names).to_owned()) }
    }

    /// A variable with an int and a float. In programs with arrays, what has its letter is a matrix.
    fn pair(&mut self) -> Option<String> {
        if self.scope.idioms.gives('k') { None } else { self.var('t') }
    }

    fn call(&mut self, result: char, depth: usize) -> Option<String> {
        let fitting: Vec<&Callee> = self.scope.callees.iter().filter(|it| it.result == result).collect();
        if fitting.is_empty() || self.pure {
            return None;
        }
        let callee = fitting[self.rng.below(fitting.len())];
        let args: Vec<String> = callee.params.iter().map(|&kind| self.of_kind(kind, depth.saturating_sub(1))).collect();
        Some(format!("{}({})", callee.name, args.join(", ")))
    }

    /// An int expression that fits a variable.
    pub(super) fn small_int(&mut self, depth: usize) -> String {
        let (text, bits) = self.int(depth);
        if bits <= VAR_BITS {
            return text;
        }
        match self.rng.below(4) {
            0 => format!("({text}) % 1000003"),
            1 => format!("({text}) % -4096"),
            2 => format!("({text}) & 65535"),
            _ => format!("({text}) % 257 - 100"),
        }
    }

    /// An int expression.
    pub(super) fn int(&mut self, depth: usize) -> Int {
        if depth == 0 {
            return self.int_leaf();
        }
        let d = depth - 1;
        if self.rng.chance(TEMPLATE_PERCENT)
            && let Some(found) = self.idiom('i', depth)
        {
            return found;
        }
        match self.rng.below(30) {
            0..=6 => self.int_binary(d),
            7 | 8 | 29 => self.int_division(d),
            9 => {
                let ((a, x), (b, y)) = (self.int(d), self.int(d));
                (format!("({a} {} {b})", self.rng.pick(&["&", "|", "^"])), x.max(y) + 1)
            }
            10 => {
                let ((a, x), by) = (self.int(d), self.rng.below(5));
                if x > 50 { (a, x) } else { (format!("({a} << {by})"), x + 4) }
            }
            11 => {
                let ((a, x), (b, _)) = (self.int(d), self.int(d));
                (format!("({a} >> ({b} & 7))"), x)
            }
            12 => self.int_of_many(d),
            13 => {
                let (a, x) = self.int(d);
                (self.rng.pick(&["abs(_)", "(-_)", "(~_)", "int(_)", "(+_)"]).replace('_', &a), x + 1)
            }
            14 | 15 => {
                let ((a, x), c, (b, y)) = (self.int(d), self.bool(d), self.int(d));
                (format!("({a} if {c} else {b})"), x.max(y))
            }
            16 => {
                let ((a, x), (b, y)) = (self.int(d), self.int(d));
                (format!("({a} {} {b})", self.rng.pick(&["and", "or"])), x.max(y))
            }
            17 => {
                let (a, c) = (self.int(d), self.bool(d));
                (format!("({} + ({c}))", a.0), a.1 + 1)
            }
            18 => {
                let f = self.bounded_float(d);
                (self.rng.pick(&["int(_)", "round(_)", "math.floor(_)", "math.ceil(_)"]).replace('_', &f), VAR_BITS + 1)
            }
            19 => {
                let ((a, x), exponent) = (self.int(d), self.rng.below(4) as u32);
                if x * exponent > MAX_BITS { (a, x) } else { (format!("({a}) ** {exponent}"), (x * exponent).max(1)) }
            }
            20 => {
                let ((a, x), (mut b, y)) = (self.int(d), self.int(d));
                if self.calm() {
                    b = self.rng.pick(&["2", "7", "-3"]).to_owned();
                }
                (format!("divmod({a}, {b})[{}]", self.rng.below(2)), x.max(y) + 1)
            }
            21 => match self.pair() {
                Some(t) => (format!("{t}[0]"), VAR_BITS),
                None => self.int_leaf(),
            },
            22 | 23 => match self.var('l') {
                Some(l) => {
                    let index = match self.rng.below(3) {
                        0 => self.rng.pick(&["0", "1", "2", "-1"]).to_owned(),
                        1 => format!("({}) % 3", self.int(d).0),
                        _ => format!("({}) % 4", self.small_int(d)),
                    };
                    (format!("{l}[{index}]"), VAR_BITS)
                }
                None => self.int_leaf(),
            },
            24 => (format!("(lambda q: q * 2 + {})({})", self.small_int(0), self.small_int(d)), VAR_BITS + 2),
            25..=27 => match self.call('i', d) {
                Some(call) => (call, VAR_BITS),
                None => self.int_binary(d),
            },
            28 => match self.var('l') {
                Some(l) => (format!("sum([q * {} for q in {l}])", self.rng.below(5)), VAR_BITS + 5),
                None => self.int_leaf(),
            },
            _ => self.int_leaf(),
        }
    }

    fn int_leaf(&mut self) -> Int {
        if self.scope.large && self.rng.chance(LARGE_PERCENT) {
            let large =
                self.rng.pick(&["3037000500", "4611686018427387904", "9223372036854775800", "-9223372036854775808"]);
            return (large.to_owned(), PAST_BITS);
        }
        if self.rng.chance(70)
            && let Some(name) = self.var('i')
        {
            return (name, VAR_BITS);
        }
        match self.rng.below(6) {
            0 => ("0".to_owned(), 1),
            1 => ("1".to_owned(), 1),
            2 => ("-1".to_owned(), 1),
            3 => (self.rng.pick(&["12345", "-99999", "65536"]).to_owned(), 17),
            _ => (format!("{}", self.rng.below(12) as i64 - 3), 4),
        }
    }

    fn int_binary(&mut self, d: usize) -> Int {
        let ((a, x), (b, y)) = (self.int(d), self.int(d));
        match self.rng.pick(&["+", "-", "*"]) {
            operator if x.max(y) >= PAST_BITS => (format!("({a} {operator} {b})"), PAST_BITS),
            "*" if x + y <= MAX_BITS => (format!("({a} * {b})"), x + y),
            "-" if x.max(y) < MAX_BITS => (format!("({a} - {b})"), x.max(y) + 1),
            _ if x.max(y) < MAX_BITS => (format!("({a} + {b})"), x.max(y) + 1),
            _ => (a, x),
        }
    }

    /// Whether to keep from what often raises: a program with templates has enough else to do.
    pub(super) fn calm(&mut self) -> bool {
        !self.scope.idioms.is_empty() && self.rng.chance(85)
    }

    /// Division, mostly by something that is not zero.
    fn int_division(&mut self, d: usize) -> Int {
        let (a, x) = self.int(d);
        let op = self.rng.pick(&["//", "%"]);
        if self.calm() || self.rng.chance(70) {
            let divisor = self.rng.pick(&["2", "3", "-3", "7", "10", "-1"]);
            return (format!("({a} {op} {divisor})"), x + 1);
        }
        let (b, y) = self.int(d);
        (format!("({a} {op} {b})"), x.max(y) + 1)
    }

    fn int_of_many(&mut self, d: usize) -> Int {
        let ((a, x), (b, y), (c, z)) = (self.int(d), self.int(d), self.int(0));
        let bits = x.max(y).max(z);
        match self.rng.below(4) {
            0 => (format!("min({a}, {b}, {c})"), bits),
            1 => (format!("max({a}, {b})"), bits),
            2 => (format!("max(({a}, {b}, {c}))"), bits),
            _ => (format!("sum(({a}, {b}, {c}))"), bits + 2),
        }
    }

    /// A float that is not nan and whose int fits a variable.
    fn bounded_float(&mut self, d: usize) -> String {
        format!("max(-1e6, min(1e6, {}))", self.float(d))
    }

    /// A float expression.
    pub(super) fn float(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.float_leaf();
        }
        let d = depth - 1;
        if self.rng.chance(TEMPLATE_PERCENT)
            && let Some((text, _)) = self.idiom('f', depth)
        {
            return text;
        }
        match self.rng.below(24) {
            0..=5 => {
                let op = self.rng.pick(&["+", "-", "*"]);
                format!("({} {op} {})", self.float(d), self.float(d))
            }
            6 => format!("({} {} {})", self.float(d), self.rng.pick(&["+", "-", "*"]), self.small_int(d)),
            7 => format!("({} / {})", self.small_int(d), self.rng.pick(&["2", "3", "-7", "10"])),
            8..=10 if self.calm() => format!("({} * 0.5)", self.float(d)),
            8 => format!("({} / {})", self.float(d), self.float(d)),
            9 => format!("({} / {})", self.int(d).0, self.small_int(d)),
            10 => format!("({} {} {})", self.float(d), self.rng.pick(&["//", "%"]), self.float(d)),
            11 => format!("({} % {})", self.float(d), self.rng.pick(&["2.0", "-3.5", "7"])),
            12 => {
                let function = self.rng.pick(&["min", "max"]);
                format!("{function}({}, {})", self.float(d), self.float(d))
            }
            13 => self.rng.pick(&["abs(_)", "(-_)", "float(_)", "math.fabs(_)"]).replace('_', &self.float(d)),
            14 => format!("float({})", self.small_int(d)),
            15 | 16 => format!("({} if {} else {})", self.float(d), self.bool(d), self.float(d)),
            17 => {
                let function = self.rng.pick(&["math.sin", "math.cos", "math.atan", "math.tanh"]);
                format!(
                    "{function}({})",
                    self.rng.pick(&["(_) % 10.0", "(_) * 0.125"]).replace('_', &self.small_int(d))
                )
            }
            18 => format!("math.sqrt(abs({}))", self.float(d)),
            19 => format!("math.exp(min({}, 5.0))", self.float(d)),
            20 => format!("math.log(abs({}) + 1.0)", self.float(d)),
            21 => match self.rng.below(3) {
                0 if self.scope.idioms.is_empty() => format!("math.sqrt({})", self.float(d)),
                1 => format!("abs({}) ** 0.5", self.float(d)),
                _ => format!("math.hypot({}, {})", self.float(d), self.float(d)),
            },
            22 => match self.pair() {
                Some(t) => format!("{t}[1]"),
                None => self.float_leaf(),
            },
            _ => self.call('f', d).unwrap_or_else(|| self.float_leaf()),
        }
    }

    fn float_leaf(&mut self) -> String {
        if self.rng.chance(70)
            && let Some(name) = self.var('f')
        {
            return name;
        }
        self.rng.pick(&["0.5", "0.1", "-1.25", "3.0", "0.0", "-0.0", "1e10", "2.0"]).to_owned()
    }

    /// A bool expression.
    pub(super) fn bool(&mut self, depth: usize) -> String {
        if depth == 0 {
            if self.rng.chance(30)
                && let Some(name) = self.var('b')
            {
                return name;
            }
            let op = self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
            return format!("{} {op} {}", self.int_leaf().0, self.int_leaf().0);
        }
        let d = depth - 1;
        if self.rng.chance(TEMPLATE_PERCENT)
            && let Some((text, _)) = self.idiom('b', depth)
        {
            return text;
        }
        match self.rng.below(16) {
            0..=3 => {
                let op = self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {op} {})", self.int(d).0, self.int(d).0)
            }
            4 | 5 => {
                let op = self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {op} {})", self.float(d), self.float(d))
            }
            6 => {
                let op = self.rng.pick(&["<", "<=", ">", "==", "!="]);
                format!("({} {op} {})", self.small_int(d), self.float(d))
            }
            7 => {
                let (op, next) = (self.rng.pick(&["<", "<=", "!="]), self.rng.pick(&["<", "<=", "=="]));
                format!("({} {op} {} {next} {})", self.int(d).0, self.int(0).0, self.int(d).0)
            }
            8 => format!("(not {})", self.bool(d)),
            9 | 10 => format!("({} {} {})", self.bool(d), self.rng.pick(&["and", "or"]), self.bool(d)),
            11 => format!(
                "({} {} ({}, 3, {}))",
                self.int(d).0,
                self.rng.pick(&["in", "not in"]),
                self.int(0).0,
                self.int(0).0
            ),
            12 => format!("bool({})", if self.rng.chance(50) { self.int(d).0 } else { self.float(d) }),
            13 => match self.var('o') {
                Some(o) => format!("({o} is {})", self.rng.pick(&["None", "not None"])),
                None => self.bool(d),
            },
            14 => match self.var('n') {
                Some(n) => format!("({n} {} {})", self.rng.pick(&["<", ">=", "=="]), self.num(d)),
                None => self.bool(d),
            },
            _ => match self.var('l') {
                Some(l) => {
                    let function = self.rng.pick(&["any", "all"]);
                    format!("{function}(q > {} for q in {l})", self.small_int(0))
                }
                None => format!("({} is {})", self.rng.pick(&["True", "False"]), self.bool(0)),
            },
        }
    }

    /// An int or a float; which one may depend on the run.
    pub(super) fn num(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.rng.below(8) {
            0 => self.small_int(d),
            1 => format!("{} % 4099", self.float(d)),
            2 => format!("({} if {} else {})", self.small_int(d), self.bool(d), self.float_leaf()),
            3 => match self.var('o') {
                Some(o) => format!("(0 if {o} is None else {o})"),
                None => self.small_int(d),
            },
            other => match self.var('n') {
                Some(n) if other == 4 => n,
                Some(n) if other == 5 => {
                    format!("({n} {} {}) % 4099", self.rng.pick(&["+", "-", "*"]), self.small_int(d))
                }
                Some(n) if other == 6 => format!("({n} {} {}) % 4099", self.rng.pick(&["+", "-", "*"]), self.float(d)),
                Some(n) => self.rng.pick(&["abs(_)", "(-_)", "min(_, 7)", "max(_, 0.5)"]).replace('_', &n),
                None => self.small_int(d),
            },
        }
    }
}
