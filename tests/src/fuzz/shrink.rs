//! Makes a program that fails smaller.

use std::time::Instant;

use super::generate::Subject;
use super::tree::Stmt;

/// Takes calls, functions and statements away from `subject` as long as `fails` says that it still
/// fails, until nothing can be taken or `until` has come.
pub fn shrink(subject: &Subject, until: Instant, fails: &mut dyn FnMut(&Subject) -> bool) -> Subject {
    let mut best = subject.clone();
    loop {
        let mut smaller = false;
        for candidate in candidates(&best) {
            if Instant::now() >= until {
                return best;
            }
            if fails(&candidate) {
                best = candidate;
                smaller = true;
                break;
            }
        }
        if !smaller {
            return best;
        }
    }
}

/// All programs that are one step smaller, the biggest steps first.
fn candidates(subject: &Subject) -> Vec<Subject> {
    let mut found = Vec::new();
    for position in 0..subject.calls.len() {
        let mut candidate = subject.clone();
        candidate.calls.remove(position);
        if !candidate.calls.is_empty() {
            found.push(candidate);
        }
    }
    let mut edits = 0;
    loop {
        let mut candidate = subject.clone();
        let mut left = edits;
        if !edit(&mut candidate.functions, &mut left) {
            return found;
        }
        if candidate != *subject {
            found.push(candidate);
        }
        edits += 1;
    }
}

/// Makes edit number `left`, counted over the tree from outside to inside; false when there are fewer.
fn edit(block: &mut Vec<Stmt>, left: &mut usize) -> bool {
    for position in (0..block.len()).rev() {
        if *left == 0 {
            block.remove(position);
            return true;
        }
        *left -= 1;
        let shapes = block[position].simpler();
        if *left < shapes.len() {
            block.splice(position..=position, shapes[*left].clone());
            return true;
        }
        *left -= shapes.len();
    }
    for stmt in block.iter_mut() {
        for inner in stmt.blocks_mut() {
            if edit(inner, left) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_not_needed_goes_away() {
        let subject = Subject::generate(7, "p");
        let needed = "math.";
        let subject =
            (7..200).map(|seed| Subject::generate(seed, "p")).find(|it| it.text().contains(needed)).unwrap_or(subject);
        let until = Instant::now() + Duration::from_secs(20);
        let small = shrink(&subject, until, &mut |it| it.text().contains(needed));
        assert!(small.text().contains(needed));
        assert!(small.text().lines().count() < subject.text().lines().count());
        assert_eq!(small.calls.len(), 1);
        let again = shrink(&small, until, &mut |it| it.text().contains(needed));
        assert_eq!(small, again);
    }
}
