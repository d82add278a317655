//! The structure of the code: which crates depend on which, and which rooms of `vm` name which.
//!
//! A room is a file of `vm/src` with the folder of its name. Rooms are in an order, from the ground up: a room names those
//! below it. An arrow upward makes a circle sooner or later, and then nothing in it is understood alone. A new arrow upward
//! fails; those that are left are listed, each with its reason, and the list only gets shorter.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of `vm`, from the ground up.
const ROOMS: &[&str] = &[
    "refusal",
    "event",
    "codes",
    "staging_error",
    "expr",
    "clock",
    "code",
    "host",
    "site",
    "scalar",
    "characters",
    "map_key",
    "interrupt",
    "governor",
    "limits",
    "contents",
    "raising",
    "config",
    "threads",
    "helper",
    "callable",
    "parameter",
    "tensor",
    "structure",
    "object",
    "delimited",
    "rep",
    "kind",
    "record",
    "flatten",
    "exit",
    "guard",
    "captured",
    "held",
    "crossing",
    "capture",
    "differentiate",
    "specialisation",
    "run",
    "gradient",
    "staged",
    "kernel",
    "handle",
    "module",
];

/// Arrows upward that are left: from, to, and why.
const UPWARD: &[(&str, &str, &str)] = &[
    ("exit", "capture", "what the items of a list are is said by a kind of values, which capture computes with"),
    ("flatten", "capture", "the same"),
    ("kind", "capture", "a kind is what its values are made of, and what instructions on them do"),
    ("rep", "capture", "an iterator of staged code holds the frame of its generator"),
    ("rep", "kind", "a value of a kind is an object while a function is captured"),
];

#[test]
fn rooms_name_only_what_is_below_them() {
    let rank = |room: &str| ROOMS.iter().position(|it| *it == room);
    let mut unknown = BTreeSet::new();
    let mut upward: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for arrow in arrows(&repository().join("vm/src")) {
        let (Some(from), Some(to)) = (rank(&arrow.from), rank(&arrow.to)) else {
            unknown.extend([arrow.from, arrow.to].into_iter().filter(|it| rank(it).is_none()));
            continue;
        };
        if from < to {
            upward.entry((arrow.from, arrow.to)).or_default().push(format!("{}: {}", arrow.file, arrow.path));
        }
    }
    assert!(unknown.is_empty(), "where in the order are these rooms? {unknown:?}");
    let is_listed = |(from, to): &(String, String)| UPWARD.iter().any(|it| (it.0, it.1) == (from, to));
    let new: Vec<_> = upward.iter().filter(|(pair, _)| !is_listed(pair)).collect();
    assert!(new.is_empty(), "arrows upward, move what they lead to down: {new:#?}");
    let gone: Vec<_> = UPWARD.iter().filter(|it| !upward.contains_key(&(it.0.to_owned(), it.1.to_owned()))).collect();
    assert!(gone.is_empty(), "these arrows are gone, take them off the list: {gone:?}");
}

#[test]
fn crates_depend_on_what_the_table_says() {
    let root = repository();
    let table = table_of_crates(&read(&root.join("ARCHITECTURE.md")));
    let names: Vec<&str> = table.iter().map(|(name, _)| name.as_str()).collect();
    for (index, (name, listed)) in table.iter().enumerate() {
        let manifest = read(&root.join(if name == "snekpy" { "" } else { name.as_str() }).join("Cargo.toml"));
        let depends = ours_in(&manifest);
        assert_eq!(&depends, listed, "{name}/Cargo.toml and the table of ARCHITECTURE.md");
        // The table is in order, so there is no circle.
        let is_above = |it: &&String| names.iter().position(|name| name == it).is_none_or(|at| at >= index);
        let above: Vec<_> = depends.iter().filter(is_above).collect();
        assert!(above.is_empty(), "{name} depends on {above:?}, which the table has below it");
    }
}

#[test]
fn paths_are_found_in_source() {
    let source = "use crate::a::{B, c::{self, D}};\nuse super::e;\nfn f() { crate::g::h(super::super::i::J) }\n// crate::no::one";
    let found: Vec<_> = paths(source, &["m", "n"]).into_iter().map(|it| it.join("::")).collect();
    assert_eq!(found, ["a::B", "a::c::self", "a::c::D", "m::e", "g::h", "i::J"]);
}

/// One room names another.
struct Arrow {
    from: String,
    to: String,
    file: String,
    path: String,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the repository").to_owned()
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The arrows between the rooms in a folder. Tests may name anything.
fn arrows(folder: &Path) -> Vec<Arrow> {
    let mut found = Vec::new();
    for file in sources(folder) {
        let inside = file.strip_prefix(folder).expect("it was found there").with_extension("");
        let module: Vec<&str> = inside.iter().map(|it| it.to_str().expect("file names are ASCII")).collect();
        let from = module[0];
        if from == "lib" || module.iter().any(|it| it.starts_with("test")) {
            continue;
        }
        let text = read(&file);
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for path in paths(code, &module) {
            // What begins with a capital letter is an item of the crate's root.
            if path[0] != from && path[0].starts_with(|it: char| it.is_ascii_lowercase()) {
                let (from, to) = (from.to_owned(), path[0].clone());
                found.push(Arrow { from, to, file: inside.display().to_string(), path: path.join("::") });
            }
        }
    }
    found
}

/// The files of Rust under a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())).flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
    found
}

/// The paths of the crate that the source of a module names, from the crate's root.
fn paths(source: &str, module: &[&str]) -> Vec<Vec<String>> {
    let code: String =
        source.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n").collect();
    let mut found = Vec::new();
    let mut rest = code.as_str();
    while let Some(at) = ["crate::", "super::"].iter().filter_map(|it| rest.find(it)).min() {
        let is_word = rest[..at].ends_with(|it: char| it.is_alphanumeric() || it == '_' || it == ':' || it == '$');
        let (tree, end) = tree(&rest[at..]);
        if !is_word {
            found.extend(tree.into_iter().filter_map(|path| absolute(&path, module)));
        }
        rest = &rest[at + end..];
    }
    found
}

/// The paths of a tree as `use` has it, at the beginning of a text, and where the tree ends.
fn tree(text: &str) -> (Vec<Vec<String>>, usize) {
    let mut at = 0;
    let mut prefix = Vec::new();
    loop {
        let word: String = text[at..].chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect();
        at += word.len();
        if !word.is_empty() {
            prefix.push(word);
        }
        let Some(after) = text[at..].strip_prefix("::") else { return (vec![prefix], at) };
        at += 2;
        if !after.starts_with('{') {
            continue;
        }
        at += 1;
        let mut found = Vec::new();
        loop {
            at += text[at..].len() - text[at..].trim_start_matches([' ', '\n', ',']).len();
            if text[at..].starts_with('}') || at >= text.len() {
                return (found, at + 1);
            }
            let (inner, end) = tree(&text[at..]);
            found.extend(inner.into_iter().map(|it| prefix.iter().cloned().chain(it).collect()));
            // A name after `as` is no path.
            at += end.max(1);
            let named = text[at..].trim_start().starts_with("as ");
            if named {
                at += text[at..].find([',', '}']).unwrap_or(text[at..].len());
            }
        }
    }
}

/// A path from the crate's root; `None` where it goes beyond.
fn absolute(path: &[String], module: &[&str]) -> Option<Vec<String>> {
    let supers = path.iter().take_while(|it| *it == "super").count();
    let (above, below) = match supers {
        0 => (&[][..], path.strip_prefix(&["crate".to_owned()])?),
        _ => (module.get(..module.len().checked_sub(supers)?)?, &path[supers..]),
    };
    let whole: Vec<String> = above.iter().map(|it| (*it).to_owned()).chain(below.iter().cloned()).collect();
    (!whole.is_empty()).then_some(whole)
}

/// The crates of the table in ARCHITECTURE.md with what they depend on of ours, in its order.
fn table_of_crates(text: &str) -> Vec<(String, BTreeSet<String>)> {
    let rows = text.lines().skip_while(|it| !it.starts_with("| crate |")).skip(2).take_while(|it| it.starts_with('|'));
    let mut found: Vec<(String, BTreeSet<String>)> = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = cells[1].split('`').nth(1).expect("a crate's name is code").to_owned();
        let depends = match cells[3] {
            "all" => found.iter().map(|(name, _)| name.clone()).filter(|it| it != "pylib").collect(),
            cell => cell.split('`').skip(1).step_by(2).map(str::to_owned).collect(),
        };
        found.push((name, depends));
    }
    found
}

/// Which of our crates a manifest depends on, but for its tests.
fn ours_in(manifest: &str) -> BTreeSet<String> {
    let mut is_inside = false;
    let mut found = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_inside = line.ends_with("dependencies]") && !line.contains("dev-") && !line.contains("workspace");
        } else if is_inside && let Some(name) = line.strip_prefix("snekpy-") {
            let name = name.split(['.', ' ', '=']).next().unwrap_or_default();
            found.insert(match name {
                "llvm" | "cuda" => format!("{name}_backend"),
                name => name.to_owned(),
            });
        }
    }
    found
}
