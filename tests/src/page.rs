//! Pages about the codes of refusals: a text, a program that fails and one that works.

/// What a page has to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Page {
    /// The two programs.
    Programs {
        /// It raises the error.
        fails: String,
        /// It does what is wanted without it.
        works: String,
    },
    /// `Fails: none, because ..`: no program can show it, for this reason.
    None(String),
}

impl Page {
    /// Reads a page; anything but these two forms is an error.
    pub fn parse(text: &str) -> Result<Page, String> {
        if let Some((_, reason)) = text.split_once("\nFails: none, because ") {
            if reason.contains("```") {
                return Err("a page without a failing program has no programs".to_owned());
            }
            return Ok(Page::None(reason.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
        let (_, rest) = text.split_once("\nFails:\n\n```python\n").ok_or("there is no program that fails")?;
        let (fails, rest) = rest.split_once("```\n").ok_or("the program that fails has no end")?;
        let works = rest.strip_prefix("\nWorks:\n\n```python\n").ok_or("there is no program that works")?;
        let works = works.strip_suffix("```\n").ok_or("a page ends with the program that works")?;
        Ok(Page::Programs { fails: fails.to_owned(), works: works.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_two_programs_or_a_reason() {
        let page = "# S1: t\n\nText.\n\nFails:\n\n```python\na\n```\n\nWorks:\n\n```python\nb\n```\n";
        let programs = Page::Programs { fails: "a\n".to_owned(), works: "b\n".to_owned() };
        assert_eq!(Page::parse(page), Ok(programs));
        let page = "# S1: t\n\nText.\n\nFails: none, because it\nis ours.\n";
        assert_eq!(Page::parse(page), Ok(Page::None("it is ours.".to_owned())));
        assert!(Page::parse("# S1: t\n\nText.\n").is_err());
        assert!(Page::parse("# S1: t\n\nFails:\n\n```python\na\n```\n").is_err());
    }
}
