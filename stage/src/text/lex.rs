//! From characters to tokens.

use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

use super::ParseError;
use super::print::is_bare;

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    /// `func`, `v3`, `bool`.
    Word(String),
    /// What begins with a digit, a minus sign or a question mark: `3`, `-1.5e-7`, `0x7ff8`, `-inf`, `?0*2-1`.
    Number(String),
    /// `@name`.
    At(String),
    /// `"text"`.
    Text(String),
    /// `->` or one of `()[]{},:;=`.
    Sign(&'static str),
    /// The end of a line that has a token.
    Newline,
    /// The end of the text.
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(it) | Self::Number(it) => write!(f, "`{it}`"),
            Self::At(it) => write!(f, "`@{it}`"),
            Self::Text(it) => write!(f, "{it:?}"),
            Self::Sign(it) => write!(f, "`{it}`"),
            Self::Newline => f.write_str("the end of the line"),
            Self::End => f.write_str("the end of the text"),
        }
    }
}

/// Where a token begins: line and column, from 1.
pub(super) type Position = (u32, u32);

const SIGNS: [(char, &str); 10] = [
    ('(', "("),
    (')', ")"),
    ('[', "["),
    (']', "]"),
    ('{', "{"),
    ('}', "}"),
    (',', ","),
    (':', ":"),
    (';', ";"),
    ('=', "="),
];

/// The tokens of a text; the last one is [`Token::End`].
pub(super) fn tokens(source: &str) -> Result<Vec<(Token, Position)>, ParseError> {
    let mut lexer = Lexer { rest: source.chars().peekable(), line: 1, column: 1 };
    let mut found: Vec<(Token, Position)> = Vec::new();
    let mut depth = 0_u32; // inside brackets, `;` is a sign and not the beginning of a comment
    loop {
        let position = (lexer.line, lexer.column);
        let Some(first) = lexer.next() else { break };
        let token = match first {
            '\n' => {
                depth = 0;
                if matches!(found.last(), None | Some((Token::Newline, _))) {
                    continue;
                }
                Token::Newline
            }
            _ if first.is_whitespace() => continue,
            ';' if depth == 0 => {
                lexer.take_while(|it| it != '\n');
                continue;
            }
            '"' => Token::Text(lexer.text(position)?),
            '@' if lexer.rest.peek() == Some(&'"') => {
                lexer.next();
                Token::At(lexer.text(position)?)
            }
            '@' => Token::At(lexer.take_while(is_bare)),
            '-' if lexer.rest.peek() == Some(&'>') => {
                lexer.next();
                Token::Sign("->")
            }
            '?' => {
                let tail = lexer.take_while(|it| it.is_ascii_digit() || matches!(it, '?' | '*' | '+' | '-'));
                Token::Number(format!("?{tail}"))
            }
            '-' | '0'..='9' => Token::Number(lexer.number(first)),
            '_' | 'a'..='z' | 'A'..='Z' => {
                let tail = lexer.take_while(|it| it == '_' || it.is_ascii_alphanumeric());
                Token::Word(format!("{first}{tail}"))
            }
            _ => match SIGNS.iter().find(|(it, _)| *it == first) {
                Some((_, sign)) => {
                    match *sign {
                        "[" => depth += 1,
                        "]" => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    Token::Sign(sign)
                }
                None => return Err(error(position, format!("no token begins with {first:?}"))),
            },
        };
        found.push((token, position));
    }
    let end = (lexer.line, lexer.column);
    if !matches!(found.last(), None | Some((Token::Newline, _))) {
        found.push((Token::Newline, end));
    }
    found.push((Token::End, end));
    Ok(found)
}

pub(super) fn error((line, column): Position, message: impl Into<String>) -> ParseError {
    ParseError { line, column, message: message.into() }
}

struct Lexer<'a> {
    rest: Peekable<Chars<'a>>,
    line: u32,
    column: u32,
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<char> {
        let it = self.rest.next()?;
        if it == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(it)
    }

    fn take_while(&mut self, accepts: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(&it) = self.rest.peek()
            && accepts(it)
        {
            taken.push(it);
            self.next();
        }
        taken
    }

    /// The rest of a number. A sign belongs to it after the letter of an exponent, but not in `0x1e+1`.
    fn number(&mut self, first: char) -> String {
        let mut taken = String::from(first);
        while let Some(&it) = self.rest.peek() {
            let after_exponent = taken.ends_with(['e', 'E']) && !taken.contains('x');
            if !(it.is_ascii_alphanumeric() || it == '.' || after_exponent && matches!(it, '+' | '-')) {
                break;
            }
            taken.push(it);
            self.next();
        }
        taken
    }

    /// The rest of a text in quotes.
    fn text(&mut self, begin: Position) -> Result<String, ParseError> {
        let mut text = String::new();
        loop {
            let position = (self.line, self.column);
            match self.next() {
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape(position)?),
                None | Some('\n') => return Err(error(begin, "the quotes are not closed on this line")),
                Some(it) => text.push(it),
            }
        }
    }

    fn escape(&mut self, position: Position) -> Result<char, ParseError> {
        match self.next() {
            Some(it @ ('"' | '\\')) => Ok(it),
            Some('n') => Ok('\n'),
            Some('u') if self.next() == Some('{') => {
                let digits = self.take_while(|it| it.is_ascii_hexdigit());
                let it = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                match it {
                    Some(it) if self.next() == Some('}') => Ok(it),
                    _ => Err(error(position, "expected `\\u{hexadecimal number of a character}`")),
                }
            }
            _ => Err(error(position, "expected one of the escapes `\\\"`, `\\\\`, `\\n`, `\\u{...}`")),
        }
    }
}
