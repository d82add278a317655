//! Colours for what is being typed.

use rustpython_vm::compiler::TokenKind;
use rustpython_vm::compiler::ast::token::TokenKind as Kind;
use rustpython_vm::compiler::parser::{Mode, ParseOptions, parse_unchecked};

const RESET: &str = "\x1b[0m";
const KEYWORD: &str = "\x1b[1;34m";
const CONSTANT: &str = "\x1b[36m";
const STRING: &str = "\x1b[32m";
const NUMBER: &str = "\x1b[33m";
const COMMENT: &str = "\x1b[31m";

/// The parser is recursive; nobody types more brackets than this.
const MOST_BRACKETS: usize = 100;
/// Nor more operators in a row.
const LONGEST: usize = 20_000;

/// The text with colours. Unchanged in every other way: the editor counts columns.
pub(crate) fn highlight(text: &str) -> String {
    let openers = text.bytes().filter(|it| matches!(it, b'(' | b'[' | b'{')).count();
    if openers > MOST_BRACKETS || text.len() > LONGEST || looks_deep(text) {
        return text.to_owned();
    }
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
    let mut colored = String::with_capacity(text.len() * 2);
    let mut done = 0;
    for token in parsed.tokens() {
        let (kind, range) = token.as_tuple();
        let Some(color) = color(kind) else { continue };
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        if start < done || end > text.len() {
            continue;
        }
        colored.push_str(&text[done..start]);
        colored.push_str(color);
        colored.push_str(&text[start..end]);
        colored.push_str(RESET);
        done = end;
    }
    colored.push_str(&text[done..]);
    colored
}

/// A long run of one prefix operator.
fn looks_deep(text: &str) -> bool {
    ["-", "~", "not", "lambda", "await", "**", "else"].iter().any(|it| text.matches(it).count() > 500)
}

fn color(kind: TokenKind) -> Option<&'static str> {
    match kind {
        Kind::True | Kind::False | Kind::None => Some(CONSTANT),
        Kind::String
        | Kind::FStringStart
        | Kind::FStringMiddle
        | Kind::FStringEnd
        | Kind::TStringStart
        | Kind::TStringMiddle
        | Kind::TStringEnd => Some(STRING),
        Kind::Int | Kind::Float | Kind::Complex => Some(NUMBER),
        Kind::Comment => Some(COMMENT),
        _ if kind.is_keyword() => Some(KEYWORD),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_change_nothing_else() {
        for text in [
            "",
            "def f(x): return 'a' + f'{x!r:>{3}}'  # é",
            "if x:\n    pass",
            "'''open",
            "((((",
            "match = 1",
            "é = λ",
        ] {
            let plain = strip(&highlight(text));
            assert_eq!(plain, text);
        }
    }

    #[test]
    fn tokens_have_their_colours() {
        assert_eq!(highlight("if 1"), format!("{KEYWORD}if{RESET} {NUMBER}1{RESET}"));
        assert_eq!(highlight("x = 'a' # b"), format!("x = {STRING}'a'{RESET} {COMMENT}# b{RESET}"));
        assert_eq!(highlight("match = None"), format!("match = {CONSTANT}None{RESET}"));
    }

    fn strip(text: &str) -> String {
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('\x1b') {
            plain.push_str(&rest[..at]);
            let end = rest[at..].find('m').expect("an escape ends");
            rest = &rest[at + end + 1..];
        }
        plain + rest
    }
}
