use super::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every `"S123"` in the sources of this crate, of the command and of the standard library.
fn used() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in the repository");
    let mut files: Vec<PathBuf> = ["vm/src", "src", "stdlib/src"].map(|folder| root.join(folder)).to_vec();
    let mut found = BTreeSet::new();
    while let Some(path) = files.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("the sources can be read");
            files.extend(entries.map(|entry| entry.expect("the sources can be read").path()));
        } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with("codes.rs") && !is_test(&path) {
            let text = std::fs::read_to_string(&path).expect("sources are UTF-8");
            found.extend(text.split('"').filter(|it| is_code(it)).map(str::to_owned));
        }
    }
    found
}

fn is_test(path: &Path) -> bool {
    path.ends_with("tests.rs") || path.components().any(|it| it.as_os_str() == "tests")
}

fn is_code(text: &str) -> bool {
    text.len() == 4 && text.starts_with('S') && text[1..].bytes().all(|it| it.is_ascii_digit())
}

#[test]
fn the_table_has_the_codes_that_are_used() {
    let table: BTreeSet<String> = ALL.iter().map(|code| code.name.to_owned()).collect();
    let used = used();
    let missing: Vec<_> = used.difference(&table).collect();
    let unused: Vec<_> = table.difference(&used).collect();
    assert!(missing.is_empty(), "give these a page in docs/errors and a place in codes.rs: {missing:?}");
    assert!(unused.is_empty(), "nothing says these: {unused:?}");
}

#[test]
fn codes_are_in_order_and_their_pages_are_theirs() {
    assert!(ALL.is_sorted_by(|a, b| a.name < b.name));
    for code in ALL {
        assert!(is_code(code.name), "{}", code.name);
        let head = format!("# {}: {}\n\n", code.name, code.title());
        assert!(code.page.starts_with(&head), "{}: the page begins with {head:?}", code.name);
        assert!(!code.title().ends_with('.'), "{}: a title is no sentence", code.name);
    }
}

#[test]
fn pages_belong_to_codes() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors");
    for entry in std::fs::read_dir(pages).expect("there are pages") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_stem().and_then(|it| it.to_str()).expect("pages are named after codes");
        assert!(find(name).is_ok_and(|code| code.name == name), "{name} is not in the table");
    }
}

#[test]
fn a_code_is_found_however_it_is_written() {
    for name in ["S110", "s110", "110", " S110\n"] {
        assert_eq!(find(name).expect("there is one").name, "S110", "{name:?}");
    }
    assert_eq!(find("S111").unwrap_err().to_string(), "there is no code `S111`; the nearest are S110, S129, S130");
    assert_eq!(find("x").unwrap_err().to_string(), "there is no code `x`: a code is S and three digits, as in S110");
}

#[test]
fn the_text_of_a_page_has_no_markup() {
    let text = find("S110").expect("there is one").to_string();
    assert!(text.starts_with("S110: too many kinds of values meet at one place\n\nWhere paths"), "{text}");
    assert!(text.contains("\nFails:\n\n    from snekpy import stage\n"), "{text}");
    assert!(text.contains("\nWorks:\n\n    from snekpy import stage\n"), "{text}");
    assert!(!text.contains("```"), "{text}");
}
