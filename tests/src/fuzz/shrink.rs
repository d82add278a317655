//! Makes a program that fails smaller.

use std::time::Instant;

use super::generate::Subject;
use super::reduce::smaller;
use super::tree::Stmt;

/// Candidates that are tried together.
const TOGETHER: usize = 16;

/// Takes calls, definitions, statements and operands away from `subject` as long as `fails` says that it
/// still fails, until nothing can be taken or `until` has come.
///
/// `fails` gets some programs at a time and gives the number of the first that fails.
pub fn shrink(subject: &Subject, until: Instant, fails: &mut dyn FnMut(&[Subject]) -> Option<usize>) -> Subject {
    let mut best = subject.clone();
    // What comes first is tried first again only when nothing else helps: most of it has failed before.
    let mut start = 0;
    loop {
        let mut found = false;
        let all = candidates(&best);
        start = if start < all.len() { start } else { 0 };
        let order: Vec<usize> = (start..all.len()).chain(0..start).collect();
        for chunk in order.chunks(TOGETHER) {
            if Instant::now() >= until {
                return best;
            }
            let tried: Vec<Subject> = chunk.iter().map(|&it| all[it].clone()).collect();
            if let Some(first) = fails(&tried) {
                (best, start, found) = (tried[first].clone(), chunk[first], true);
                break;
            }
        }
        if !found {
            return best;
        }
    }
}

/// All programs that are one step smaller, the biggest steps first.
fn candidates(subject: &Subject) -> Vec<Subject> {
    let mut found = Vec::new();
    for (from, to) in ranges(subject.calls.len()) {
        let mut candidate = subject.clone();
        candidate.calls.drain(from..to);
        if !candidate.calls.is_empty() {
            found.push(candidate);
        }
    }
    for (from, to) in ranges(subject.state.len()) {
        let mut candidate = subject.clone();
        candidate.state.drain(from..to);
        found.push(candidate);
    }
    for texts in [false, true] {
        for number in 0.. {
            let mut candidate = subject.clone();
            let mut left = number;
            let edited = if texts {
                rewrite(&mut candidate.functions, &mut left)
            } else {
                edit(&mut candidate.functions, &mut left)
            };
            if !edited {
                break;
            }
            if candidate != *subject {
                found.push(candidate);
            }
        }
    }
    found
}

/// Parts of a row of `length`, from its end: the whole, halves, quarters, down to one.
fn ranges(length: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut size = length;
    while size > 0 {
        let mut to = length;
        while to > 0 {
            let from = to.saturating_sub(size);
            found.push((from, to));
            to = from;
        }
        size /= 2;
    }
    found
}

/// Makes edit number `left`, counted over the tree from outside to inside; false when there are fewer.
fn edit(block: &mut Vec<Stmt>, left: &mut usize) -> bool {
    let ranges = ranges(block.len());
    if let Some(&(from, to)) = ranges.get(*left) {
        block.drain(from..to);
        return true;
    }
    *left -= ranges.len();
    for position in (0..block.len()).rev() {
        let shapes = block[position].simpler();
        if *left < shapes.len() {
            block.splice(position..=position, shapes[*left].clone());
            return true;
        }
        *left -= shapes.len();
    }
    block.iter_mut().flat_map(Stmt::blocks_mut).any(|inner| edit(inner, left))
}

/// The same for texts in statements.
fn rewrite(block: &mut [Stmt], left: &mut usize) -> bool {
    for stmt in block.iter_mut() {
        for text in stmt.texts_mut() {
            let shorter = smaller(text);
            if let Some(shorter) = shorter.get(*left) {
                *text = shorter.clone();
                return true;
            }
            *left -= shorter.len();
        }
    }
    block.iter_mut().flat_map(Stmt::blocks_mut).any(|inner| rewrite(inner, left))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_not_needed_goes_away() {
        let needed = "math.sqrt";
        let subject = (7..400)
            .map(|seed| Subject::generate(seed, "p"))
            .find(|it| it.text(false).contains(needed))
            .expect("it is common");
        let until = Instant::now() + Duration::from_secs(20);
        let mut fails = |them: &[Subject]| them.iter().position(|it| it.text(false).contains(needed));
        let small = shrink(&subject, until, &mut fails);
        assert!(small.text(false).contains(needed));
        assert!(small.text(false).lines().count() < 12, "{}", small.text(false));
        assert_eq!(small.calls.len(), 1);
        assert_eq!(shrink(&small, until, &mut fails), small);
    }
}
