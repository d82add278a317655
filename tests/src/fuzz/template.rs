//! Fills templates: see [`super::idioms`] for the holes.

use super::expression::{Callee, Exprs};
use super::idioms::KINDS;
use super::statement::{Place, Stmts};
use super::tree::Stmt;

/// What a template contains whose holes are evaluated more than once.
const AGAIN: [&str; 4] = ["while ", " for q in ", "lambda ", " for a, b in "];

/// What templates contain that may change something.
const IMPURE: [&str; 6] = ["$N", "$P", "$p", "next(", "$y", "random"];

/// A line of a template and what is indented below it.
#[derive(Clone, Debug, PartialEq)]
struct Node<'a> {
    line: &'a str,
    inside: Vec<Node<'a>>,
}

/// The lines of a template, by indentation.
fn nodes(text: &str) -> Vec<Node<'_>> {
    let lines: Vec<&str> = text.lines().filter(|it| !it.trim().is_empty()).collect();
    block(&mut lines.as_slice(), 0)
}

fn block<'a>(lines: &mut &[&'a str], least: usize) -> Vec<Node<'a>> {
    let mut found: Vec<Node<'a>> = Vec::new();
    let mut own = None;
    while let Some(line) = lines.first() {
        let indent = line.len() - line.trim_start().len();
        if indent < least || own.is_some_and(|own| indent < own) {
            break;
        }
        match (own, found.last_mut()) {
            (Some(own), Some(last)) if indent > own => last.inside = block(lines, indent),
            _ => {
                own = Some(indent);
                found.push(Node { line: line.trim(), inside: Vec::new() });
                *lines = &lines[1..];
            }
        }
    }
    found
}

impl Exprs<'_> {
    /// `template` with its holes filled, and the variables that it assigns; `None` where there is nothing
    /// to fill a hole with.
    ///
    /// What is evaluated again and again must change nothing: it might feed the loop that it is in.
    pub(super) fn fill(&mut self, template: &str, depth: usize, number: usize) -> Option<(String, Vec<String>)> {
        let before = self.pure;
        self.pure |= AGAIN.iter().any(|it| template.contains(it));
        let filled = self.filled(template, depth, number);
        self.pure = before;
        filled
    }

    fn filled(&mut self, template: &str, depth: usize, number: usize) -> Option<(String, Vec<String>)> {
        let (mut text, mut targets) = (String::new(), Vec::new());
        let mut pieces = template.split('$');
        text.push_str(pieces.next()?);
        for piece in pieces {
            let hole = piece.chars().next()?;
            let mut rest = &piece[hole.len_utf8()..];
            match hole {
                'N' => text.push_str(&format!("{}_", self.scope.idioms.name)),
                'M' => text.push_str(&self.scope.idioms.name),
                '#' => text.push_str(&number.to_string()),
                'j' => text.push_str(&self.little(depth)),
                '=' => {
                    let kind = rest.chars().next()?;
                    rest = &rest[1..];
                    let name = format!("{kind}{}", self.rng.below(2));
                    text.push_str(&name);
                    targets.push(name);
                }
                kind if kind.is_ascii_uppercase() => text.push_str(&self.var(kind.to_ascii_lowercase())?),
                kind => text.push_str(&self.hole(kind, depth)?),
            }
            text.push_str(rest);
        }
        Some((text, targets))
    }

    /// An int from 0 to 4.
    fn little(&mut self, depth: usize) -> String {
        if self.rng.chance(70) {
            return self.rng.below(5).to_string();
        }
        format!("({}) % 5", self.small_int(depth))
    }

    /// An expression of any kind, in a place where it may need no parentheses.
    fn hole(&mut self, kind: char, depth: usize) -> Option<String> {
        if !KINDS.contains(kind) {
            let text = self.of_kind(kind, depth);
            let simple = text.chars().all(|it| it.is_alphanumeric() || "._".contains(it));
            return Some(if simple { text } else { format!("({text})") });
        }
        if depth > 0
            && self.rng.chance(50)
            && let Some((text, _)) = self.idiom(kind, depth)
        {
            return Some(text);
        }
        self.var(kind).or_else(|| self.made(kind))
    }

    /// A new object of a kind.
    fn made(&mut self, kind: char) -> Option<String> {
        match kind {
            'v' => Some(format!("[{}, {}]", self.small_int(0), self.small_int(0))),
            'w' => Some(format!("[[{}], [1, {}]]", self.small_int(0), self.small_int(0))),
            'u' => Some(format!("[({}, 0.5), (1, {})]", self.small_int(0), self.of_kind('f', 0))),
            'd' => Some(format!("{{'a': {}, 'b': {}}}", self.small_int(0), self.small_int(0))),
            's' => Some(format!("{{1, {} % 9}}", self.small_int(0))),
            'x' => Some(self.rng.pick(&["'ab'", "''", "'3'"]).to_owned()),
            'a' => Some(format!("array.array('q', [{}, 3, {}])", self.small_int(0), self.small_int(0))),
            'r' => Some(format!("array.array('d', [{}, 0.5])", self.of_kind('f', 0))),
            'e' => Some(format!("['ab', {}, None]", self.small_int(0))),
            'h' => Some(format!("{{'k1': {}, 'k2': 'two'}}", self.small_int(0))),
            'z' => Some(self.rng.pick(&["'ab'", "None", "(1, 'q')", "2.5", "['a', 1]", "7"]).to_owned()),
            'm' => Some(format!("np.full((3, 4), {})", self.of_kind('f', 0))),
            'k' => Some(format!("np.array([{}, 1.0, 2.0, 0.5])", self.of_kind('f', 0))),
            't' => Some(format!("np.full((2 + {} % 5, 4), {})", self.small_int(0), self.of_kind('f', 0))),
            'y' => Some(format!("iter(({}, 2))", self.small_int(0))),
            // The first that can be filled: some picks give nothing.
            _ => (0..20).find_map(|_| self.idiom(kind, 0)).map(|it| it.0),
        }
    }

    /// An expression from a template, and its bits.
    pub(super) fn idiom(&mut self, kind: char, depth: usize) -> Option<(String, u32)> {
        let (bits, template) = self.scope.idioms.expr(self.rng, kind)?;
        if self.pure && IMPURE.iter().any(|it| template.contains(it)) {
            return None;
        }
        let (text, _) = self.fill(template, depth.saturating_sub(1), 0)?;
        Some((text, bits))
    }
}

impl Stmts<'_> {
    /// A statement from a template, perhaps; when it cannot be filled, nothing has changed.
    pub(super) fn idiom(&mut self, place: &Place) -> Option<Stmt> {
        let idioms = self.scope.idioms.clone();
        let template = idioms.stmt(self.rng)?;
        let full = (place.depth >= 3 || self.budget < 2) && (template.contains("$;") || template.contains("$:"));
        if full || (place.loops >= 2 && template.contains("$:")) {
            return None;
        }
        let before = self.scope.clone();
        match self.instance(template, place) {
            Some(mut stmts) if stmts.len() == 1 => stmts.pop(),
            Some(stmts) => Some(Stmt::Group(stmts)),
            None => {
                self.scope = before;
                None
            }
        }
    }

    /// The statements of a template.
    pub(super) fn instance(&mut self, template: &str, place: &Place) -> Option<Vec<Stmt>> {
        self.fresh += 1;
        let number = self.fresh;
        self.filled(&nodes(template), place, number)
    }

    fn filled(&mut self, nodes: &[Node<'_>], place: &Place, number: usize) -> Option<Vec<Stmt>> {
        let mut stmts = Vec::new();
        for node in nodes {
            match node.line {
                "$;" => {
                    let inside = Place { depth: place.depth + 1, ..place.clone() };
                    stmts.extend(self.block(&inside, 3));
                }
                "$:" => {
                    let inside = self.loop_place(place);
                    stmts.extend(self.block(&inside, 3));
                }
                line if line.starts_with('!') => {
                    self.scope.callees.push(callee(&line.replace("$#", &number.to_string()))?)
                }
                line if node.inside.is_empty() => {
                    let (text, targets) = self.exprs().fill(line, 2, number)?;
                    targets.iter().for_each(|it| self.assigned(it));
                    stmts.push(Stmt::Lines(vec![text]));
                }
                line => {
                    let clause = self.clause(line, &node.inside, place, number)?;
                    let follows =
                        ["elif ", "else:", "except", "finally:", "case "].iter().any(|it| line.starts_with(it));
                    match stmts.last_mut() {
                        Some(Stmt::Clauses(clauses)) if follows => clauses.push(clause),
                        _ => stmts.push(Stmt::Clauses(vec![clause])),
                    }
                }
            }
        }
        Some(stmts)
    }

    /// A header with its body. What it assigns is not certain afterwards.
    fn clause(
        &mut self,
        header: &str,
        inside: &[Node<'_>],
        place: &Place,
        number: usize,
    ) -> Option<(String, Vec<Stmt>)> {
        let before = self.scope.clone();
        let (text, targets) = self.exprs().fill(header.trim_end_matches(':'), 1, number)?;
        targets.iter().for_each(|it| self.assigned(it));
        let place = match text.strip_prefix("def ") {
            Some(signature) => {
                self.enter(signature);
                Place { depth: 2, in_loop: false, loops: place.loops + 1, result: Some('i') }
            }
            None => place.clone(),
        };
        let body = self.filled(inside, &place, number)?;
        let function = text.starts_with("def ") || text.starts_with("class ");
        let after = std::mem::replace(&mut self.scope, before);
        if !function {
            let now = self.scope.vars.clone();
            self.scope.unsure = after.unsure;
            self.merge(&[after.vars, now]);
        }
        Some((text, body))
    }

    /// The scope inside a function: its parameters, and the attributes of `self`.
    fn enter(&mut self, signature: &str) {
        let params = signature.split_once('(').map_or("", |it| it.1);
        for param in params.split([',', ')']).map(|it| it.split(['=', ':']).next().unwrap_or("").trim()) {
            let mut letters = param.chars();
            match (letters.next(), letters.next(), letters.next()) {
                (Some(_), Some(digit), None) if digit.is_ascii_digit() => self.assigned(param),
                _ if param == "self" => {
                    self.scope.atoms.push(('i', "self.x".to_owned()));
                    self.scope.atoms.push(('f', "self.y".to_owned()));
                }
                _ => {}
            }
        }
    }
}

/// `!i name(if)`.
fn callee(line: &str) -> Option<Callee> {
    let (result, rest) = line.strip_prefix('!')?.split_once(' ')?;
    let (name, params) = rest.split_once('(')?;
    let params = params.trim_end_matches(')').chars().collect();
    Some(Callee { name: name.to_owned(), params, result: result.chars().next()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_makes_the_tree() {
        let tree = nodes("a\nif b:\n    c\n    if d:\n        e\nelse:\n    f\n");
        let lines: Vec<&str> = tree.iter().map(|it| it.line).collect();
        assert_eq!(lines, ["a", "if b:", "else:"]);
        assert_eq!(tree[1].inside.len(), 2);
        assert_eq!(tree[1].inside[1].inside[0].line, "e");
    }

    #[test]
    fn a_function_of_a_template_can_be_called() {
        let callee = callee("!i g_3(if)").unwrap();
        assert_eq!((callee.name.as_str(), callee.params, callee.result), ("g_3", vec!['i', 'f'], 'i'));
    }
}
