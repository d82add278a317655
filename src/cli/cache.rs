//! Where machine code is kept from one run to the next, and `snekpy cache`.
//!
//! A file of the name `cache` is run as `./cache`.

use crate::cli::args::Flags;
use crate::cli::environment::Environment;
use crate::cli::exit;
use crate::cli::options::SnekOptions;
use clap::{Parser, ValueEnum};
use snekpy::{ObjectCache, Usage};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes that are kept at most.
const LIMIT: u64 = 256 << 20;

/// Where machine code is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the user's own folder for such things, if there is one.
    #[default]
    Usual,
    /// In this folder.
    Folder(PathBuf),
    /// Nowhere: code ends with the process.
    Nowhere,
}

impl Place {
    /// What `-X snek:cache=` and `SNEKPY_CACHE` say.
    pub(crate) fn parse(value: &str) -> Self {
        match value.to_ascii_lowercase().as_str() {
            "off" | "0" | "no" | "false" => Self::Nowhere,
            "on" | "1" | "yes" | "true" | "" => Self::Usual,
            _ => Self::Folder(value.into()),
        }
    }

    /// The folder: by the rules of the XDG base directories, where none is named.
    fn folder(&self, env: &Environment) -> Option<PathBuf> {
        match self {
            Self::Nowhere => None,
            Self::Folder(folder) => Some(folder.clone()),
            Self::Usual => {
                let named = env.text("XDG_CACHE_HOME").map(PathBuf::from).filter(|it| it.is_absolute());
                let home = || env.text("HOME").map(|home| PathBuf::from(home).join(".cache"));
                Some(named.or_else(home)?.join("snekpy"))
            }
        }
    }

    /// The cache. A folder that was named and cannot be used is an error.
    pub(crate) fn open(&self, env: &Environment) -> Option<Arc<ObjectCache>> {
        let folder = self.folder(env)?;
        Some(Arc::new(match self {
            Self::Folder(_) => ObjectCache::in_folder(&folder, LIMIT).unwrap_or_else(|error| failed(&error)),
            Self::Usual | Self::Nowhere => ObjectCache::in_folder_if_possible(folder, LIMIT),
        }))
    }
}

fn failed(error: &std::io::Error) -> ! {
    exit::fail(&format!("the cache: {error}"), exit::FAILURE)
}

/// Show how much machine code is kept from one run to the next, or remove it.
#[derive(Debug, Parser)]
#[command(
    name = "snekpy cache",
    after_help = "SNEKPY_CACHE=FOLDER or -X snek:cache=FOLDER keep it elsewhere, `off` switches it off."
)]
struct Request {
    /// What to do; without a word, how much there is is shown
    #[arg(value_name = "WORD")]
    action: Option<Action>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Action {
    /// Remove it all
    Clear,
}

/// Reads what follows the word `cache`, does it and ends the process.
pub(crate) fn run(rest: &[OsString], flags: &Flags) -> ! {
    let env = Environment::of(flags);
    let mut options = SnekOptions::from_environment(&env);
    for value in flags.options.iter().filter_map(|it| it.strip_prefix("snek:cache=")) {
        options.cache = Place::parse(value);
    }
    let Request { action } = Request::parse_from(std::iter::once(&OsString::from("snekpy cache")).chain(rest));
    let Some(folder) = options.cache.folder(&env) else { exit::print("the cache is off\n") };
    let done = ObjectCache::in_folder(&folder, LIMIT).and_then(|cache| match action {
        None => cache.usage(),
        Some(Action::Clear) => cache.clear(),
    });
    let Usage { objects, bytes } = done.unwrap_or_else(|error| failed(&error));
    let kilobytes = bytes.div_ceil(1000);
    let words = match action {
        None => format!("{}\n{objects} objects, {kilobytes} of at most {} kB\n", folder.display(), LIMIT / 1000),
        Some(Action::Clear) => format!("{}\nremoved {objects} objects, {kilobytes} kB\n", folder.display()),
    };
    exit::print(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_folders_are_told_apart() {
        for (value, place) in [
            ("off", Place::Nowhere),
            ("NO", Place::Nowhere),
            ("on", Place::Usual),
            ("/tmp/x", Place::Folder("/tmp/x".into())),
            ("offices", Place::Folder("offices".into())),
        ] {
            assert_eq!(Place::parse(value), place, "{value}");
        }
    }
}
