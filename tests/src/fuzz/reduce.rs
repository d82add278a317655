//! Makes an expression smaller, as text.

/// Texts that stand for an operand.
const OPERANDS: [&str; 4] = ["1", "0", "0.5", "[]"];

/// `text` with one part left out or replaced by a constant, the biggest parts first. Not every result is
/// Python.
pub(super) fn smaller(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut replace = |from: usize, to: usize, by: &str| {
        let candidate = format!("{}{by}{}", &text[..from], &text[to..]);
        if candidate.len() < text.len() && !found.contains(&candidate) {
            found.push(candidate);
        }
    };
    if let Some((target, value)) = text.split_once(" = ") {
        for operand in OPERANDS {
            replace(target.len() + 3, text.len(), operand);
        }
        if let Some((_, last)) = value.split_once(" = ") {
            replace(target.len() + 3, text.len(), last);
        }
    }
    for word in ["return ", "if ", "elif ", "while ", "print("] {
        if let Some(value) = text.strip_prefix(word).filter(|it| it.len() > 1) {
            let end = if word == "print(" { text.len() - 1 } else { text.len() };
            if end >= text.len() - value.len() {
                OPERANDS.iter().for_each(|it| replace(text.len() - value.len(), end, it));
            }
        }
    }
    let mut groups = groups(text);
    groups.sort_by_key(|(from, to)| from.wrapping_sub(*to));
    for (open, close) in groups {
        let inside = open + 1;
        let name = text[..open].rfind(|it: char| !(it.is_alphanumeric() || "_.".contains(it))).map_or(0, |at| at + 1);
        if name < open && text.as_bytes()[open] == b'(' {
            OPERANDS.iter().take(3).for_each(|it| replace(name, close + 1, it));
        }
        OPERANDS.iter().for_each(|it| replace(open, close + 1, it));
        // One operand, one argument, or the whole without its brackets.
        replace(open, close + 1, &text[inside..close]);
        for (from, to) in parts(&text[inside..close]) {
            replace(open, close + 1, text[inside + from..inside + to].trim());
            replace(inside, close, text[inside + from..inside + to].trim());
        }
    }
    found
}

/// Where brackets open and close.
fn groups(text: &str) -> Vec<(usize, usize)> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for (position, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => open.push(position),
            ')' | ']' | '}' => found.extend(open.pop().map(|from| (from, position))),
            _ => {}
        }
    }
    found
}

/// The parts of `text` between its outermost commas and operators.
fn parts(text: &str) -> Vec<(usize, usize)> {
    let (mut depth, mut from, mut found) = (0usize, 0, Vec::new());
    for (position, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' | ' ' if depth == 0 => {
                found.push((from, position));
                from = position + 1;
            }
            _ => {}
        }
    }
    if from == 0 {
        return Vec::new();
    }
    found.push((from, text.len()));
    found.retain(|(from, to)| {
        to > from && text[*from..*to].starts_with(|it: char| it.is_alphanumeric() || "([{'".contains(it))
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_and_arguments_go_away() {
        let found = smaller("i0 = (i1 + f(i2, 3)) % 7");
        for expected in ["i0 = 1", "i0 = 1 % 7", "i0 = (i1 + 1) % 7", "i0 = (i1 + f(i2)) % 7", "i0 = i1 % 7"] {
            assert!(found.iter().any(|it| it == expected), "{expected} is not among {found:?}");
        }
        assert!(found.iter().all(|it| it.len() < "i0 = (i1 + f(i2, 3)) % 7".len()));
    }
}
