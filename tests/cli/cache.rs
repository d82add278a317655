//! Machine code that is kept on disk.

use std::path::PathBuf;

use super::{Folder, run, snekpy, told};

const CACHED: &str = "\
import snekpy.numpy as np
from snekpy import stage


@stage
def steps(w, x, n):
    for i in range(n):
        w = w - 0.125 * (x.T @ (x @ w))
    return w


@stage
def total(n):
    found = 0
    for i in range(n):
        found += i * i % 7
    return found


for rows in (3, 4, 5):
    print(steps(np.ones(2), np.arange(2.0 * rows).reshape(rows, 2) / 10, 4))
print(total(1000))
";

/// The files of a folder, in the order of their names.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().map(|it| it.expect("it can be read").path()).collect();
    found.sort();
    found
}

#[test]
fn machine_code_is_kept_and_found_again() {
    let folder = Folder::new("cache", &[("program.py", CACHED.as_bytes())]);
    let (program, kept) = (folder.path("program.py"), folder.path("kept"));
    let option = format!("snek:cache={kept}");
    let ran = |options: &[&str]| run(&[&["-X", "snek:stage=always"], options, &[&program]].concat());
    let expected = ran(&[]);
    assert_eq!(expected.0, Some(0), "{}", expected.2);
    assert!(files(&kept).is_empty());
    assert_eq!(ran(&["-X", &option]), expected);
    // The code of the first shape, whose sizes it knows; one code for the two others, each with its nests by themselves; and
    // that of the other function.
    let made = files(&kept);
    assert_eq!(made.len(), 5, "{made:?}");
    let times =
        || files(&kept).iter().map(|it| it.metadata().expect("it is there").modified().ok()).collect::<Vec<_>>();
    let before = times();
    assert_eq!(ran(&["-X", &option]), expected);
    assert_eq!((files(&kept), times()), (made.clone(), before), "nothing is written again");
    // What is damaged is made again.
    for (at, cut) in [(0, true), (1, false)] {
        let mut bytes = std::fs::read(&made[at]).expect("it is there");
        if cut {
            bytes.truncate(bytes.len() / 2)
        } else {
            bytes[200] ^= 4
        }
        std::fs::write(&made[at], &bytes).expect("it is ours");
        assert_eq!(ran(&["-X", &option]), expected);
        assert_ne!(std::fs::read(&made[at]).expect("it is there"), bytes);
    }
    // Several at once, in an empty folder.
    let (code, shown, _) = run(&["-X", &option, "cache"]);
    assert_eq!(code, Some(0));
    assert!(shown.starts_with(&format!("{kept}\n5 objects, ")), "{shown}");
    assert!(run(&["-X", &option, "cache", "clear"]).1.contains("removed 5 objects"));
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| assert_eq!(ran(&["-X", &option]), expected));
        }
    });
    assert_eq!(files(&kept), made);
    // Unoptimised code is other code.
    assert_eq!(ran(&["-X", &option, "-X", "snek:backend=llvm-O0"]), expected);
    assert_eq!(files(&kept).len(), 8);
}

#[test]
fn the_cache_is_where_it_is_said_to_be() {
    let folder = Folder::new("cache-place", &[("program.py", CACHED.as_bytes())]);
    let program = folder.path("program.py");
    let usual = folder.path("xdg");
    let run_with = |options: &[&str], value: &str| {
        let mut command = snekpy(&[&["-X", "snek:stage=always"], options, &[&program]].concat());
        command.env("SNEKPY_CACHE", value).env("XDG_CACHE_HOME", &usual);
        told(command.output().expect("it starts")).0
    };
    assert_eq!(run_with(&["-E"], "on"), Some(0));
    assert_eq!(run_with(&["-X", "snek:cache=off"], "on"), Some(0));
    assert!(files(&usual).is_empty());
    assert_eq!(run_with(&[], "on"), Some(0));
    assert_eq!(files(&folder.path("xdg/snekpy")).len(), 5);
    assert_eq!(run_with(&[], &folder.path("other")), Some(0));
    assert_eq!(files(&folder.path("other")).len(), 5);
    // A folder that cannot be used is an error if it was named, and does not matter otherwise.
    assert_eq!(run_with(&[], &folder.path("program.py")), Some(1));
    std::fs::remove_dir_all(&usual).expect("it is ours");
    std::fs::write(&usual, "").expect("it can be written");
    assert_eq!(run_with(&[], "on"), Some(0));
    assert_eq!(run(&["cache"]).1, "the cache is off\n");
    assert_eq!(run(&["cache", "empty"]).0, Some(2));
}
