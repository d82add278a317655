//! What stands before the cursor: code, a module's name, or the inside of a string.

/// What could be completed there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place<'text> {
    /// A name or an attribute.
    Code,
    /// The name of a module: after `import`, or between `from` and `import`.
    Module,
    /// A name from this module: after `from module import`.
    Member(&'text str),
    /// Nothing: a string or a comment.
    Text,
}

/// What stands before the cursor at the end of `before`.
pub(crate) fn place(before: &str) -> Place<'_> {
    let Some(start) = statement(before) else { return Place::Text };
    let statement = before[start..].trim_start();
    if let Some(modules) = after_word(statement, "import") {
        // Behind `as` is a name of one's own.
        let last = modules.rsplit(',').next().unwrap_or_default();
        return if last.split_whitespace().any(|word| word == "as") { Place::Code } else { Place::Module };
    }
    let Some(rest) = after_word(statement, "from") else { return Place::Code };
    let Some((module, rest)) = rest.trim_start().split_once(char::is_whitespace) else { return Place::Module };
    match after_word(rest.trim_start(), "import") {
        Some(_) => Place::Member(module),
        // `import` itself.
        None => Place::Code,
    }
}

/// What follows a word and white space.
fn after_word<'text>(text: &'text str, word: &str) -> Option<&'text str> {
    text.strip_prefix(word).filter(|rest| rest.starts_with(char::is_whitespace))
}

/// Where the last statement begins, or `None` if the text ends in a string or a comment.
fn statement(text: &str) -> Option<usize> {
    let mut start = 0;
    let mut depth = 0_usize;
    let mut rest = text.char_indices().peekable();
    while let Some((at, letter)) = rest.next() {
        match letter {
            '#' => {
                let end = text[at..].find('\n')? + at;
                start = if depth == 0 { end + 1 } else { start };
                while rest.next_if(|(at, _)| *at <= end).is_some() {}
            }
            '\'' | '"' => {
                let end = string_end(text, at)?;
                while rest.next_if(|(at, _)| *at < end).is_some() {}
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '\n' | ';' if depth == 0 => start = at + 1,
            ':' if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    Some(start)
}

/// Where the string ends whose first quote stands at `at`. A line ends a string with one quote: it is broken.
fn string_end(text: &str, at: usize) -> Option<usize> {
    let quote = &text[at..=at];
    let triple = quote.repeat(3);
    let is_triple = text[at..].starts_with(&triple);
    let mark = if is_triple { triple.as_str() } else { quote };
    let mut place = at + mark.len();
    loop {
        let rest = &text[place..];
        if rest.starts_with(mark) {
            return Some(place + mark.len());
        }
        let mut letters = rest.chars();
        let letter = letters.next()?;
        if letter == '\n' && !is_triple {
            return Some(place);
        }
        place += letter.len_utf8();
        // What is escaped ends nothing; in a raw string neither.
        if letter == '\\' {
            place += letters.next()?.len_utf8();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_modules_and_strings_are_told_apart() {
        for text in
            ["x = ma", "", "'a'.up", "f'{x}' + y", "important", "import os as o", "x = '''a\n''' ; y", "from os imp"]
        {
            assert_eq!(place(text), Place::Code, "{text}");
        }
        for text in
            ["import ", "import os, sy", "from js", "from ", "if x: import ma", "x = 1; import ", "'a'\nimport x"]
        {
            assert_eq!(place(text), Place::Module, "{text}");
        }
        for text in ["'", "print('ma", "\"it's ", "x = 1  # ma", "'''a\n", r"'\' ma", "f'{ma"] {
            assert_eq!(place(text), Place::Text, "{text}");
        }
        assert_eq!(place("from os.path import joi"), Place::Member("os.path"));
        assert_eq!(place("from os import (path, sep"), Place::Member("os"));
        assert_eq!(place("# import\nimport x"), Place::Module);
    }
}
