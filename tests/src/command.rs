//! The `snekpy` command under test.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::{Mode, suite_folder};

/// The command, built and ready to be started.
#[derive(Clone, Debug)]
pub struct Snekpy {
    path: PathBuf,
}

impl Snekpy {
    /// The command named by `SNEKPY_BIN`; otherwise it is built in the profile this test was built in.
    pub fn find() -> Result<Snekpy, String> {
        static FOUND: OnceLock<Result<Snekpy, String>> = OnceLock::new();
        FOUND
            .get_or_init(|| match env::var_os("SNEKPY_BIN") {
                Some(path) => Ok(Snekpy { path: PathBuf::from(path) }),
                None => build(),
            })
            .clone()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Starts it: `-X` options of `mode`, then whatever the caller adds.
    ///
    /// Nothing from outside reaches the program: no colours, no settings of ours, no start-up files.
    pub fn command(&self, mode: Option<Mode>) -> Command {
        let mut command = Command::new(&self.path);
        let outside = ["SNEKPY_STAGE", "SNEKPY_BACKEND", "PYTHONSTARTUP", "RUSTPYTHONPATH", "FORCE_COLOR"];
        for name in outside {
            command.env_remove(name);
        }
        command
            .env("SNEKPY_CACHE", "off")
            .env("NO_COLOR", "1")
            .env("PYTHONPATH", suite_folder("cases"))
            .env("PYTHONDONTWRITEBYTECODE", "1");
        command.args(mode.iter().flat_map(|mode| mode.arguments()));
        command
    }
}

/// This test lies in `TARGET/PROFILE/deps`; the command is built into `TARGET/PROFILE`.
fn build() -> Result<Snekpy, String> {
    let test = env::current_exe().map_err(|error| format!("where is this test? {error}"))?;
    let profile = test.ancestors().nth(2).ok_or("this test is not in a folder of cargo's")?;
    let target = profile.parent().ok_or("this test is not in a folder of cargo's")?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in the repository");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["build", "--quiet", "--package", "snekpy", "--bin", "snekpy", "--target-dir"]);
    command.arg(target);
    match profile.file_name().and_then(|name| name.to_str()) {
        Some("debug") => {}
        Some(other) => {
            command.args(["--profile", other]);
        }
        None => return Err("the profile has no plain name".to_owned()),
    }
    // The variables that cargo sets for this package would make it believe that everything has changed.
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name == "CARGO_MANIFEST_DIR") {
            command.env_remove(name);
        }
    }
    let status = command.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    let path = profile.join("snekpy");
    if status.success() { Ok(Snekpy { path }) } else { Err("the snekpy command does not build".to_owned()) }
}
