//! The codes of refusals, and what can be said about each.
//!
//! A code is listed here once. Its page, `docs/errors/CODE.md`, has a title, why it is refused, what happens
//! without `strict=True`, what can be done, and two programs: one that fails and one that works. The tests run
//! both.

use std::fmt;

/// A kind of refusal.
#[derive(Debug)]
pub struct Code {
    /// `S` and three digits.
    pub name: &'static str,
    page: &'static str,
}

/// The table, with the page of each code.
macro_rules! codes {
    ($($name:literal),* $(,)?) => {
        &[$(Code { name: $name, page: include_str!(concat!("../../docs/errors/", $name, ".md")) }),*]
    };
}

/// All codes, in their order.
#[rustfmt::skip]
pub const ALL: &[Code] = codes![
    "S000", "S110", "S129", "S130", "S131", "S132", "S200", "S201", "S210", "S220", "S221", "S222", "S223", "S224",
    "S231", "S232", "S233", "S234", "S235", "S240", "S242", "S243", "S244", "S245", "S246", "S247",
    "S250", "S251", "S252", "S253", "S260", "S261", "S262", "S263", "S264", "S265", "S266", "S267", "S268",
    "S270", "S271", "S272", "S273", "S274", "S275", "S276", "S277", "S278", "S279", "S280", "S281", "S282",
    "S283", "S284", "S285", "S286", "S287", "S288", "S289", "S290", "S291", "S292", "S293", "S294", "S295", "S296",
    "S297", "S298", "S299", "S300", "S301", "S302", "S303", "S304", "S305", "S306", "S307", "S310", "S311", "S312",
    "S313", "S314", "S315", "S316", "S317", "S318", "S319", "S321", "S322", "S323", "S324", "S325",
    "S326", "S327", "S330", "S331", "S332", "S333", "S334", "S336", "S337", "S338", "S339", "S340",
    "S341", "S342", "S343", "S344", "S345", "S346", "S347", "S348", "S349", "S350", "S351", "S360", "S361", "S362", "S364", "S365", "S366", "S370", "S371", "S400", "S401", "S402", "S403", "S404", "S405", "S406", "S407", "S410", "S411", "S412",
    "S413", "S414", "S415", "S416", "S417", "S420", "S430", "S500", "S999",
];

/// All codes with their titles, one a line.
pub fn list() -> String {
    ALL.iter().map(|code| format!("{}: {}\n", code.name, code.title())).collect()
}

/// No refusal has this code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    asked: String,
    nearest: Vec<&'static str>,
}

/// The code of this name; `s110` and `110` are `S110`.
///
/// # Errors
/// With the codes that are nearest to it.
pub fn find(name: &str) -> Result<&'static Code, Unknown> {
    let asked = name.trim().to_ascii_uppercase();
    let number = asked.strip_prefix('S').unwrap_or(&asked);
    if let Some(code) = ALL.iter().find(|code| code.name[1..] == *number) {
        return Ok(code);
    }
    Err(Unknown { asked: name.to_owned(), nearest: nearest(number) })
}

/// The codes whose numbers are nearest to this one; none if it is no number.
fn nearest(number: &str) -> Vec<&'static str> {
    const SHOWN: usize = 3;
    let Ok(number) = number.parse::<u32>() else { return Vec::new() };
    let mut codes: Vec<(u32, &str)> = ALL.iter().map(|code| (code.number().abs_diff(number), code.name)).collect();
    codes.sort_unstable();
    codes.into_iter().take(SHOWN).map(|(_, name)| name).collect()
}

impl Code {
    fn number(&self) -> u32 {
        self.name[1..].parse().expect("a code is a letter and digits")
    }

    /// What is wrong, in a few words.
    pub fn title(&self) -> &'static str {
        let first = self.page.lines().next().unwrap_or_default();
        first.split_once(": ").map_or(first, |(_, title)| title)
    }
}

/// The page as text: programs are set in, and nothing is marked up.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut program = false;
        for line in self.page.lines() {
            match line {
                "```python" => program = true,
                "```" => program = false,
                _ if program && !line.is_empty() => writeln!(f, "    {line}")?,
                _ => writeln!(f, "{}", line.strip_prefix("# ").unwrap_or(line))?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no code `{}`", self.asked)?;
        match self.nearest.as_slice() {
            [] => write!(f, ": a code is S and three digits, as in S110"),
            nearest => write!(f, "; the nearest are {}", nearest.join(", ")),
        }
    }
}

impl std::error::Error for Unknown {}

#[cfg(test)]
mod tests;
