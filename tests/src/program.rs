//! The programs of a suite, and the recorded outputs beside them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Directives;

/// One program of a suite.
#[derive(Clone, Debug)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// Its name in the list of tests: the path below the suite's folder, without suffix.
    pub name: String,
    /// What it says about itself.
    pub directives: Directives,
}

impl Program {
    /// The file beside the program that has another suffix.
    pub fn beside(&self, suffix: &str) -> PathBuf {
        self.path.with_extension(suffix)
    }

    /// The folder of the program.
    pub fn folder(&self) -> &Path {
        self.path.parent().expect("a program is in a folder")
    }

    /// The name of the program in its folder.
    pub fn file_name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).expect("programs have plain names")
    }
}

/// The folder of a suite: `suite_folder("cases")`.
pub fn suite_folder(suite: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(suite)
}

/// All programs below `folder`, sorted; an error names the first file that cannot be read.
pub fn programs(folder: &Path) -> Result<Vec<Program>, String> {
    let mut found = Vec::new();
    for path in files(folder)? {
        let is_program = path.extension().is_some_and(|suffix| suffix == "py");
        if !is_program || path.file_name().is_some_and(|name| name == "support.py") {
            continue;
        }
        let below = path.strip_prefix(folder).expect("found below the folder").with_extension("");
        let source = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let directives = Directives::of(&String::from_utf8_lossy(&source))
            .map_err(|reason| format!("{}: {reason}", path.display()))?;
        found.push(Program { name: below.display().to_string(), path, directives });
    }
    Ok(found)
}

/// Recorded outputs below `folder` whose program is gone or no longer asks for them.
pub fn orphans(folder: &Path, programs: &[Program], suffixes: &[&str]) -> Result<Vec<PathBuf>, String> {
    let is_orphan = |path: &PathBuf| {
        let suffix = path.extension().and_then(|it| it.to_str()).unwrap_or("");
        let owner = programs.iter().find(|program| program.beside(suffix) == *path);
        let views = owner.map_or(&[][..], |owner| &owner.directives.goldens[..]);
        suffix != "py" && !(owner.is_some() && suffixes.contains(&suffix)) && !views.iter().any(|it| it.view == suffix)
    };
    Ok(files(folder)?.into_iter().filter(is_orphan).collect())
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
        if !path.is_dir() {
            found.push(path);
        } else if path.file_name().is_some_and(|name| name != "__pycache__") {
            found.extend(files(&path)?);
        }
    }
    found.sort();
    Ok(found)
}
