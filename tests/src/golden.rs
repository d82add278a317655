//! Goldens: files that hold what was printed when a person last looked at it.

use std::env;
use std::fs;
use std::path::Path;

use crate::difference;

/// Compares `found` with the golden at `path`.
///
/// With `SNEKPY_BLESS=1` the golden is written instead; that is refused when `CI` is set. A golden that
/// is missing is a failure, never a reason to create it.
pub fn check_golden(path: &Path, found: &str) -> Result<(), String> {
    if env::var_os("SNEKPY_BLESS").is_some_and(|it| it == "1") {
        if env::var_os("CI").is_some() {
            return Err("SNEKPY_BLESS is refused, because CI is set".to_owned());
        }
        return fs::write(path, found).map_err(|error| format!("{}: {error}", path.display()));
    }
    let expected = fs::read_to_string(path)
        .map_err(|error| format!("{}: {error} (SNEKPY_BLESS=1 writes it)\nfound:\n{found}", path.display()))?;
    match difference(&expected, found) {
        None => Ok(()),
        Some(text) => Err(format!("{} (SNEKPY_BLESS=1 writes it anew)\n{text}", path.display())),
    }
}
