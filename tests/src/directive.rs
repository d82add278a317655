//! What a program says about itself in comments that begin with `#@`.
//!
//! ```text
//! #@ args 3 word              arguments of the program
//! #@ exits 1                  its exit status, where that is not 0
//! #@ refuses "text"           staged, it raises a StagingError that contains the text
//! #@ may refuse "text"        staged, it prints what it must or raises such a StagingError
//! #@ limit "text"             staged, it prints the text instead: a documented limit of staged code
//! #@ golden ir f(2.0, 3)      what `inspect("ir")` shows of `f`, called like that, is the golden NAME.ir
//! #@ coverage varies: why     how much of it is compiled is another thing each time, and not recorded
//! #@ alone: why              beside other threads, staged, it prints something else, which is documented
//! #@ change x = 1             (interrupted programs) what the handler changes that returns
//! #@ reference snekpy: why    the recorded output is not CPython's (see `bless`)
//! #@ run -c "1 +"             (bad programs) the whole command line, instead of the program's name
//! #@ input text               (bad programs) what is on standard input
//! #@ interrupt 500            (bad programs) Ctrl-C after so many milliseconds; of the traceback, which
//!                             shows where the program happened to be, only the last line is compared
//! ```

/// The directives of one program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Its exit status.
    pub exits: i32,
    /// What it does, staged, in place of printing what it must.
    pub refusal: Option<Refusal>,
    /// (Interrupted programs) what the handler changes that returns.
    pub change: Option<String>,
    /// Whether it is recorded how much of it is compiled.
    pub coverage_varies: bool,
    /// Whether it is not run beside other threads.
    pub is_alone: bool,
    /// Views of the IR to compare with goldens.
    pub goldens: Vec<Golden>,
    /// The whole command line.
    pub run: Option<Vec<String>>,
    /// What is on standard input.
    pub input: String,
    /// Ctrl-C after so many milliseconds.
    pub interrupt: Option<u64>,
}

/// How a staged run may differ from the unstaged one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It raises a StagingError with this text.
    Always(String),
    /// It raises a StagingError with this text, or prints what it must.
    Perhaps(String),
    /// It prints this text, and a StagingError is not in it.
    Limit(String),
}

/// One view of a staged function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Golden {
    /// The argument of `inspect`, and the suffix of the golden.
    pub view: String,
    /// The function.
    pub function: String,
    /// How it is called, in brackets.
    pub call: String,
}

impl Directives {
    /// Reads the directives of a program; an unknown one is an error.
    pub fn of(source: &str) -> Result<Directives, String> {
        let mut found = Directives::default();
        for line in source.lines().filter_map(|line| line.strip_prefix("#@ ")) {
            found.add(line.trim()).map_err(|reason| format!("`#@ {line}`: {reason}"))?;
        }
        Ok(found)
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "args" => self.args = words(rest)?,
            "exits" => self.exits = rest.parse().map_err(|_| "expected a number".to_owned())?,
            "refuses" => self.refusal = Some(Refusal::Always(quoted(rest)?)),
            "may" => {
                let text = rest.strip_prefix("refuse ").ok_or("expected `may refuse \"text\"`")?;
                self.refusal = Some(Refusal::Perhaps(quoted(text)?));
            }
            "limit" => self.refusal = Some(Refusal::Limit(quoted(rest)?)),
            "golden" => self.goldens.push(golden(rest)?),
            "reference" => {}
            "change" => self.change = Some(rest.to_owned()),
            "alone:" => self.is_alone = true,
            "coverage" if rest.starts_with("varies: ") => self.coverage_varies = true,
            "run" => self.run = Some(words(rest)?),
            "input" => self.input = rest.replace("\\n", "\n"),
            "interrupt" => self.interrupt = Some(rest.parse().map_err(|_| "expected milliseconds".to_owned())?),
            _ => return Err("no such directive".to_owned()),
        }
        Ok(())
    }
}

fn golden(rest: &str) -> Result<Golden, String> {
    let usage = "expected `golden VIEW FUNCTION(ARGUMENTS)`";
    let (view, call) = rest.split_once(' ').ok_or(usage)?;
    let open = call.find('(').ok_or(usage)?;
    Ok(Golden { view: view.to_owned(), function: call[..open].to_owned(), call: call[open..].to_owned() })
}

fn quoted(text: &str) -> Result<String, String> {
    match words(text)?.as_slice() {
        [only] => Ok(only.clone()),
        _ => Err("expected one text in quotes".to_owned()),
    }
}

/// Splits at blanks; double quotes keep blanks together, `\n` in quotes is a line break.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(&next) = chars.peek() {
        let mut word = String::new();
        match next {
            ' ' => {
                chars.next();
                continue;
            }
            '"' => {
                chars.next();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some('n') => word.push('\n'),
                            Some(other) => word.push(other),
                            None => return Err("a quote is not closed".to_owned()),
                        },
                        Some(other) => word.push(other),
                        None => return Err("a quote is not closed".to_owned()),
                    }
                }
            }
            _ => {
                while let Some(other) = chars.next_if(|&it| it != ' ') {
                    word.push(other);
                }
            }
        }
        words.push(word);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_directive_is_read() {
        let source = "# text\n#@ args 3 \"two words\"\n#@ exits 2\n#@ may refuse \"`x`\"\n#@ golden ir f(1, 2.0)\n";
        let found = Directives::of(source).unwrap();
        assert_eq!(found.args, ["3", "two words"]);
        assert_eq!(found.exits, 2);
        assert_eq!(found.refusal, Some(Refusal::Perhaps("`x`".to_owned())));
        let golden = Golden { view: "ir".to_owned(), function: "f".to_owned(), call: "(1, 2.0)".to_owned() };
        assert_eq!(found.goldens, [golden]);
    }

    #[test]
    fn an_unknown_directive_is_an_error() {
        assert!(Directives::of("#@ refuse \"x\"").unwrap_err().contains("no such directive"));
        assert!(Directives::of("#@ refuses x\"y").is_ok());
        assert!(Directives::of("#@ refuses \"x").unwrap_err().contains("not closed"));
    }
}
