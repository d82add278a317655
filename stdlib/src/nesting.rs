//! How deeply source text is nested, before the parser finds out the hard way.
//!
//! The parser is recursive and so is everything that walks a tree: enough brackets, minus signs or
//! `+ a + a + a` overflow the native stack, and that ends the process. The text is therefore looked
//! at first, token by token and without recursion. Brackets and indentation have CPython's limits.
//! For chains of operators the depth of the tree is estimated from above: an operand separated by a
//! comma or a line starts a new chain. The compiler has its own, exact and much lower limit
//! (`sys.getrecursionlimit()`), so what is refused here would not have compiled.

use rustpython_vm::compiler::TokenKind;
use rustpython_vm::compiler::ast::token::TokenKind as Kind;
use rustpython_vm::compiler::parser::{Mode, lexer};
use std::fmt;

/// Brackets (and replacement fields of f-strings) that may be open at once. CPython's `MAXLEVEL`.
pub const MAX_BRACKETS: usize = 200;
/// Levels of indentation. CPython's `MAXINDENT`.
pub const MAX_INDENTS: usize = 100;

/// List, set and dict comprehensions inside one another. CPython stops at 20 nested blocks of any
/// kind; here each level doubles the compiler's work.
pub const MAX_COMPREHENSIONS: usize = 16;

/// Why source text is refused, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooDeep {
    /// More than [`MAX_BRACKETS`] brackets are open at this byte.
    Brackets {
        /// Offset of the bracket that is one too many.
        at: usize,
    },
    /// More than [`MAX_INDENTS`] levels of indentation at this byte.
    Indents {
        /// Offset of the line that is indented once too often.
        at: usize,
    },
    /// More than [`MAX_COMPREHENSIONS`] comprehensions inside one another end at this byte.
    Comprehensions {
        /// Offset of the bracket that closes one too many.
        at: usize,
    },
    /// One expression chains more operators, calls or attributes than the given limit.
    Chain {
        /// Offset of the operator that is one too many.
        at: usize,
    },
}

impl fmt::Display for TooDeep {
    /// The words CPython has for it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Brackets { .. } => "too many nested parentheses",
            Self::Indents { .. } => "too many levels of indentation",
            Self::Comprehensions { .. } => "too many statically nested blocks",
            Self::Chain { .. } => "maximum recursion depth exceeded during compilation",
        })
    }
}

/// Looks for nesting that would overflow the stack. `chain_limit` bounds operators in one expression.
pub fn check_nesting(source: &str, chain_limit: usize) -> Result<(), TooDeep> {
    // Every token that nests is at least one byte: a short text cannot be deep.
    if source.len() <= MAX_INDENTS.min(MAX_BRACKETS).min(chain_limit) {
        return Ok(());
    }
    match scan(source, chain_limit) {
        None => Ok(()),
        Some(Limit::Brackets) => Err(TooDeep::Brackets { at: locate(source, chain_limit) }),
        Some(Limit::Indents) => Err(TooDeep::Indents { at: locate(source, chain_limit) }),
        Some(Limit::Comprehensions) => Err(TooDeep::Comprehensions { at: locate(source, chain_limit) }),
        Some(Limit::Chain) => Err(TooDeep::Chain { at: locate(source, chain_limit) }),
    }
}

/// Which limit was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    Brackets,
    Indents,
    Comprehensions,
    Chain,
}

fn scan(source: &str, chain_limit: usize) -> Option<Limit> {
    let mut depth = Depth { chain_limit, open: vec![Chain::default()], brackets: 0, elifs: vec![0], at_start: true };
    let mut tokens = lexer::lex(source, Mode::Module);
    loop {
        let kind = tokens.next_token();
        if kind == Kind::EndOfFile {
            return None;
        }
        if let Err(limit) = depth.see(kind) {
            return Some(limit);
        }
    }
}

/// The byte at which the limit is passed. The lexer does not say where it is, so the shortest text
/// that is too deep is searched by halving.
fn locate(source: &str, chain_limit: usize) -> usize {
    let (mut fine, mut deep) = (0, source.len());
    while deep - fine > 1 {
        let mut middle = fine + (deep - fine) / 2;
        while !source.is_char_boundary(middle) {
            middle += 1;
        }
        if middle >= deep {
            break;
        }
        match scan(&source[..middle], chain_limit) {
            None => fine = middle,
            Some(_) => deep = middle,
        }
    }
    fine
}

/// The operators met since the last separator, inside one pair of brackets.
#[derive(Clone, Copy, Debug, Default)]
struct Chain {
    /// Operators that join two operands or stand before one.
    operators: usize,
    /// Attributes, calls and subscripts on the current operand.
    postfix: usize,
    /// Lambdas whose parameters are being read: their commas separate nothing.
    lambda_params: usize,
    /// Whether a `for` stands in these brackets.
    comprehension: bool,
    /// The most comprehensions inside one another that these brackets contain so far.
    height: usize,
}

#[derive(Debug)]
struct Depth {
    chain_limit: usize,
    /// One chain per open bracket, and one for the statement.
    open: Vec<Chain>,
    brackets: usize,
    /// For each level of indentation, the `elif`s of the statement that is being read: each nests in
    /// the one before.
    elifs: Vec<usize>,
    /// Whether the next token begins a statement.
    at_start: bool,
}

impl Depth {
    fn see(&mut self, kind: TokenKind) -> Result<(), Limit> {
        self.count_elifs(kind)?;
        match kind {
            Kind::Lpar | Kind::Lsqb | Kind::Lbrace | Kind::FStringStart | Kind::TStringStart => {
                self.link(|chain| chain.postfix += 1)?;
                self.open.push(Chain::default());
                self.brackets += 1;
                if self.brackets > MAX_BRACKETS {
                    return Err(Limit::Brackets);
                }
            }
            Kind::Rpar | Kind::Rsqb | Kind::Rbrace | Kind::FStringEnd | Kind::TStringEnd => {
                // A stray closing bracket is the parser's to report.
                if self.open.len() > 1 {
                    let inner = self.open.pop().unwrap_or_default();
                    self.brackets -= 1;
                    let own = inner.comprehension && matches!(kind, Kind::Rsqb | Kind::Rbrace);
                    let outer = self.current();
                    outer.height = outer.height.max(inner.height + usize::from(own));
                    if outer.height > MAX_COMPREHENSIONS {
                        return Err(Limit::Comprehensions);
                    }
                }
            }
            Kind::Indent => {
                self.elifs.push(0);
                if self.elifs.len() > MAX_INDENTS + 1 {
                    return Err(Limit::Indents);
                }
            }
            Kind::Dedent if self.elifs.len() > 1 => {
                self.elifs.pop();
            }
            Kind::For => self.current().comprehension = true,
            Kind::Newline | Kind::Semi => *self.current() = Chain::default(),
            Kind::Comma if self.current().lambda_params == 0 => {
                let Chain { comprehension, height, .. } = *self.current();
                *self.current() = Chain { comprehension, height, ..Chain::default() };
            }
            Kind::Colon => {
                let chain = self.current();
                chain.lambda_params = chain.lambda_params.saturating_sub(1);
            }
            Kind::Lambda => self.link(|chain| {
                chain.operators += 1;
                chain.lambda_params += 1;
            })?,
            Kind::Dot => self.link(|chain| chain.postfix += 1)?,
            // `a and b and c` and `a < b < c` are flat; everything else nests.
            _ if kind.as_unary_operator().is_some() || kind.as_binary_operator().is_some() || is_prefix(kind) => {
                self.link(|chain| {
                    chain.operators += 1;
                    chain.postfix = 0;
                })?
            }
            _ => {}
        }
        Ok(())
    }

    fn count_elifs(&mut self, kind: TokenKind) -> Result<(), Limit> {
        let layout =
            matches!(kind, Kind::Newline | Kind::NonLogicalNewline | Kind::Comment | Kind::Indent | Kind::Dedent);
        if self.at_start && !layout {
            let elifs = self.elifs.last_mut().expect("the level of the module is never left");
            *elifs = if kind == Kind::Elif { *elifs + 1 } else { 0 };
            if *elifs > self.chain_limit {
                return Err(Limit::Chain);
            }
        }
        self.at_start = layout && (self.at_start || self.brackets == 0);
        Ok(())
    }

    fn current(&mut self) -> &mut Chain {
        self.open.last_mut().expect("the chain of the statement is never closed")
    }

    fn link(&mut self, grow: impl FnOnce(&mut Chain)) -> Result<(), Limit> {
        let limit = self.chain_limit;
        let chain = self.current();
        grow(chain);
        if chain.operators + chain.postfix > limit { Err(Limit::Chain) } else { Ok(()) }
    }
}

/// Words that stand before an operand and nest to the right.
fn is_prefix(kind: TokenKind) -> bool {
    matches!(kind, Kind::Else | Kind::Await | Kind::Yield | Kind::From | Kind::ColonEqual)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 5_000;

    fn check(source: &str) -> Result<(), TooDeep> {
        check_nesting(source, LIMIT)
    }

    #[test]
    fn brackets_are_counted_as_cpython_does() {
        assert_eq!(check(&format!("{}{}", "(".repeat(200), ")".repeat(200))), Ok(()));
        let at = 200;
        assert_eq!(check(&format!("{}{}", "(".repeat(201), ")".repeat(201))), Err(TooDeep::Brackets { at }));
        assert_eq!(check(&"[]\n".repeat(10_000)), Ok(()));
    }

    #[test]
    fn brackets_in_strings_and_comments_do_not_count() {
        let open = "(".repeat(1_000);
        assert_eq!(check(&format!("'{open}'  # {open}\n\"\"\"{open}\n{open}\"\"\"\nrb'{open}'\nf'{open}'\n")), Ok(()));
    }

    #[test]
    fn fields_of_f_strings_count() {
        let nested = format!("{}1{}", "f'{".repeat(150), "}'".repeat(150));
        assert!(matches!(check(&nested), Err(TooDeep::Brackets { .. })));
    }

    #[test]
    fn indentation_is_counted() {
        let nest = |depth: usize| (0..depth).map(|it| format!("{}if x:\n", " ".repeat(it))).collect::<String>();
        assert_eq!(check(&format!("{}{}pass\n", nest(100), " ".repeat(100))), Ok(()));
        assert!(matches!(check(&format!("{}{}pass\n", nest(101), " ".repeat(101))), Err(TooDeep::Indents { .. })));
    }

    #[test]
    fn chains_that_nest_are_refused() {
        let deep = [
            format!("x = a{}", " + a".repeat(LIMIT + 1)),
            format!("x = a{}", ".b".repeat(LIMIT + 1)),
            format!("x = a{}", "()".repeat(LIMIT + 1)),
            format!("x = a{}", "[0]".repeat(LIMIT + 1)),
            format!("x = {}1", "-".repeat(LIMIT + 1)),
            format!("x = {}1", "not ".repeat(LIMIT + 1)),
            format!("x = 2{}", "**2".repeat(LIMIT + 1)),
            format!("x = {}1", "lambda: ".repeat(LIMIT + 1)),
            format!("x = {}1", "lambda a, b: ".repeat(LIMIT + 1)),
            format!("x = {}2", "1 if a else ".repeat(LIMIT + 1)),
            format!("f({}1)", "~".repeat(LIMIT + 1)),
            format!("if a: pass\n{}", "elif a:\n  # why\n  pass\n\n".repeat(LIMIT + 1)),
        ];
        for source in &deep {
            assert!(matches!(check(source), Err(TooDeep::Chain { .. })), "{}", &source[..40]);
        }
    }

    #[test]
    fn long_but_flat_is_fine() {
        let flat = [
            format!("x = [{}]", "a + b, ".repeat(LIMIT)),
            format!("x = {{{}}}", "a.b: c[d] + e, ".repeat(LIMIT)),
            "x = a.b.c + d\n".repeat(LIMIT),
            format!("x = a{}", " and a".repeat(LIMIT * 2)),
            format!("x = a{}", " < a".repeat(LIMIT * 2)),
            format!("x = [{}]", "lambda a, b: a, ".repeat(LIMIT)),
            format!("if a: pass\n{}", "elif b + c: pass\n".repeat(LIMIT)),
        ];
        for source in &flat {
            assert_eq!(check(source), Ok(()), "{}", &source[..40]);
        }
    }

    #[test]
    fn comprehensions_inside_one_another_are_counted() {
        let nest = |n: usize| format!("{}x{}", "[".repeat(n), " for x in y]".repeat(n));
        assert_eq!(check(&format!("# {}\n{}", "-".repeat(100), nest(16))), Ok(()));
        assert!(matches!(check(&nest(17)), Err(TooDeep::Comprehensions { .. })));
        assert_eq!(check(&format!("[{}]", "[x for x in y], ".repeat(100))), Ok(()));
    }

    #[test]
    fn broken_source_is_left_to_the_parser() {
        for source in [")".repeat(500), "'".repeat(501), "\u{0}\u{1}".repeat(200), format!("{}$", " ".repeat(300))] {
            assert_eq!(check(&source), Ok(()));
        }
    }
}
