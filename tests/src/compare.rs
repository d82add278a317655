//! Where two texts differ.

/// `None` when the texts are equal, otherwise the first lines that differ with what is round them.
pub fn difference(expected: &str, found: &str) -> Option<String> {
    if expected == found {
        return None;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let mut text = String::new();
    for line in &old[same.saturating_sub(2)..same] {
        text.push_str(&format!("    {line}\n"));
    }
    let end = |lines: &[&str]| if same >= lines.len() { "(the output ends here)\n" } else { "" };
    for line in old.iter().skip(same).take(4) {
        text.push_str(&format!("  - {line}\n"));
    }
    text.push_str(&format!("{}{}", if old.len() <= same { "  - " } else { "" }, end(&old)));
    for line in new.iter().skip(same).take(4) {
        text.push_str(&format!("  + {line}\n"));
    }
    text.push_str(&format!("{}{}", if new.len() <= same { "  + " } else { "" }, end(&new)));
    if old == new {
        text.push_str("only the line break at the end differs\n");
    }
    Some(format!("line {} differs (- expected, + found)\n{text}", same + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_shown_with_its_neighbours() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        let text = difference("a\nb\nc\n", "a\nx\nc\n").unwrap();
        assert_eq!(text, "line 2 differs (- expected, + found)\n    a\n  - b\n  - c\n  + x\n  + c\n");
        assert!(difference("a\nb\n", "a\n").unwrap().contains("+ (the output ends here)"));
        assert!(difference("a\n", "a").unwrap().contains("line break"));
    }
}
