//! Programs in the documentation.
//!
//! A page is one session: its fences marked `python` run one after the other in one process, and each
//! prints what the `text` fence that follows it says, or nothing when there is none. Of a fence marked `console`,
//! the lines behind a `$` are commands. One marked with another word (`rust`, `toml`) is not run.

/// One program of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// Where its code begins, a line of the page.
    pub line: usize,
    /// The code.
    pub code: String,
    /// What it prints.
    pub prints: String,
}

/// What stands between the outputs of two snippets; no program prints it by itself.
const MARK: &str = "\u{1e}snippet\u{1e}";

/// The programs of a page.
pub fn snippets(page: &str) -> Result<Vec<Snippet>, String> {
    let mut found: Vec<Snippet> = Vec::new();
    let mut lines = page.lines().enumerate();
    // A `text` fence belongs to the snippet before it only when nothing but prose is between them.
    let mut last_fence_was_python = false;
    while let Some((number, line)) = lines.next() {
        let Some(language) = line.strip_prefix("```") else { continue };
        let mut content = String::new();
        loop {
            match lines.next() {
                Some((_, "```")) => break,
                Some((_, line)) => content.extend([line, "\n"]),
                None => return Err(format!("the fence at line {} is not closed", number + 1)),
            }
        }
        match language {
            "python" => found.push(Snippet { line: number + 2, code: content, prints: String::new() }),
            "text" => match found.last_mut() {
                Some(snippet) if last_fence_was_python => snippet.prints = content,
                _ => return Err(format!("the text at line {} follows no program", number + 1)),
            },
            _ => {}
        }
        last_fence_was_python = language == "python";
    }
    Ok(found)
}

/// The commands of a page.
pub fn commands(page: &str) -> Vec<String> {
    let mut is_console = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            is_console = language == "console";
        } else if is_console && let Some(command) = line.strip_prefix("$ ") {
            found.push(command.to_owned());
        }
    }
    found
}

/// One program of all snippets of a page, each on the line it has on the page.
pub fn session(snippets: &[Snippet]) -> String {
    let mut text = String::new();
    let mut lines = 0;
    for snippet in snippets {
        while lines + 2 < snippet.line {
            text.push('\n');
            lines += 1;
        }
        text.push_str(&format!("print({MARK:?}, flush=True)\n").replace("\\u{1e}", "\\x1e"));
        text.push_str(&snippet.code);
        lines += 1 + snippet.code.lines().count();
    }
    text
}

/// What each snippet of a session printed.
pub fn outputs(stdout: &str) -> Vec<String> {
    stdout.split(&format!("{MARK}\n")).skip(1).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "# T\n\n```python\nx = 1\n```\n\ntext\n\n```python\nprint(x)\n```\n\n```text\n1\n```\n\n```rust\nx\n```\n";

    #[test]
    fn a_text_is_what_the_program_before_it_prints() {
        let found = snippets(PAGE).unwrap();
        let lines: Vec<(usize, &str, &str)> =
            found.iter().map(|it| (it.line, it.code.as_str(), it.prints.as_str())).collect();
        assert_eq!(lines, [(4, "x = 1\n", ""), (10, "print(x)\n", "1\n")]);
        let session = session(&found);
        assert_eq!(session.lines().nth(3), Some("x = 1"));
        assert_eq!(session.lines().nth(9), Some("print(x)"));
        assert_eq!(outputs("\u{1e}snippet\u{1e}\n\u{1e}snippet\u{1e}\n1\n"), ["", "1\n"]);
    }

    #[test]
    fn a_text_without_a_program_is_an_error() {
        assert!(snippets("```text\n1\n```\n").unwrap_err().contains("follows no program"));
        assert!(snippets("```python\n1\n").unwrap_err().contains("not closed"));
    }
}
