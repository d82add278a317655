//! What a program may do beside scalars, as tables of templates.
//!
//! A feature (classes, containers, generators, …) is a list of [`Part`]s. A part defines something and
//! says how it is used: templates of expressions and statements with holes. A hole begins with `$`:
//!
//! | hole | what stands there |
//! |---|---|
//! | `$i $f $b $n $v $w $u $d $s $x $y $a $r $p $q $e $h $z $m $k $t` | an expression of that kind |
//! | `$I $F $B …` | a variable of that kind |
//! | `$=i` | a variable of that kind to assign to |
//! | `$j` | an int from 0 to 4, mostly a literal |
//! | `$;`, `$:` | a block of statements; the same as the body of a loop |
//! | `$N`, `$M` | the prefix of the program's functions and classes; its name |
//! | `$#` | a number, the same in one template, for names |
//! | `!i g(if)` on a line | from here on there is a function `g` of an int and a float that gives an int |
//!
//! An assignment has no hole for expressions on its left side if it has one on its right: RustPython 0.6 cannot
//! compile comprehensions and lambdas on both.
//!
//! Kinds beside those of scalars: `v` list of ints, `w` list of lists of ints, `u` list of
//! pairs of an int and a float, `d` dict of ints with any keys, `s` set of
//! ints, `x` str, `y` iterator of ints, `a` and `r` arrays of ints and of floats, `p` and `q` objects, `e` list of
//! anything, `h` dict of anything, `z` anything, `m` matrix of three rows and four columns, `k` vector of four, `t` matrix of
//! four columns and any number of rows.

use super::known::{avoided, leaving};
use super::rng::Rng;

/// The kinds of variables beside scalars.
pub(super) const KINDS: &str = "vwudsxyarpqehzmkt";

/// Something that is defined, and how it is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The definition, a template at the module's level (a member's is indented); perhaps empty.
    pub(super) text: &'static str,
    /// Expressions: kind, bits of an int, template.
    pub(super) exprs: &'static [(char, u32, &'static str)],
    /// Statements.
    pub(super) stmts: &'static [&'static str],
    /// Globals and their first values. The first letter is the kind.
    pub(super) globals: &'static [(&'static str, &'static str)],
    /// What the driver does between calls.
    pub(super) changes: &'static [&'static str],
    /// What is printed after each call, beside the globals.
    pub(super) state: &'static [&'static str],
}

impl Part {
    /// Nothing; for `..Part::NONE`.
    pub(super) const NONE: Part = Part { text: "", exprs: &[], stmts: &[], globals: &[], changes: &[], state: &[] };
}

/// How many of 100 picks that lead out of compiled code are kept.
const LEAVING_PERCENT: usize = 30;

/// What one program may use, collected from its parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Idioms {
    /// The program's name.
    pub(super) name: String,
    /// Expressions.
    exprs: Vec<(char, u32, &'static str)>,
    /// Statements.
    stmts: Vec<&'static str>,
}

impl Idioms {
    /// None so far.
    pub(super) fn new(name: &str) -> Idioms {
        Idioms { name: name.to_owned(), ..Idioms::default() }
    }

    /// Adds how `part` is used.
    pub(super) fn add(&mut self, part: &Part) {
        self.exprs.extend(part.exprs.iter().filter(|it| !avoided(it.2)));
        self.stmts.extend(part.stmts.iter().filter(|it| !avoided(it)));
    }

    /// Whether there are any.
    pub(super) fn is_empty(&self) -> bool {
        self.exprs.is_empty() && self.stmts.is_empty()
    }

    /// Whether there are expressions of a kind.
    pub(super) fn gives(&self, kind: char) -> bool {
        self.exprs.iter().any(|it| it.0 == kind)
    }

    /// An expression template of a kind, and the bits of its value; not always, even if there are some.
    pub(super) fn expr(&self, rng: &mut Rng, kind: char) -> Option<(u32, &'static str)> {
        let fitting: Vec<_> = self.exprs.iter().filter(|it| it.0 == kind).collect();
        if fitting.is_empty() {
            return None;
        }
        let (_, bits, template) = fitting[rng.below(fitting.len())];
        if leaving(template) && !rng.chance(LEAVING_PERCENT) {
            return None;
        }
        Some((*bits, template))
    }

    /// A statement template, in the same way.
    pub(super) fn stmt(&self, rng: &mut Rng) -> Option<&'static str> {
        if self.stmts.is_empty() {
            return None;
        }
        Some(rng.pick(&self.stmts)).filter(|it| !leaving(it) || rng.chance(LEAVING_PERCENT))
    }

    /// `text` with the names of this program.
    pub(super) fn named(&self, text: &str) -> String {
        text.replace("$N", &format!("{}_", self.name)).replace("$M", &self.name)
    }
}
