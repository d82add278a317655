//! A refusal with the lines of the program that it is about.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use snekpy_vm::refusal::{Place, Refusal};
use std::ops::Range;

/// What a refusal says, and the source under it with labels at its places.
///
/// `source` gives the text of a file. A place whose source is not to be had is named in a line of its own, as in
/// the text of the refusal.
pub(crate) fn render(refusal: &Refusal, source: impl Fn(&str) -> Option<String>, color: bool) -> String {
    let mut head = format!("{}: {}", refusal.code, refusal.message);
    let labels = labels(refusal);
    let mut files: Vec<File<'_>> = Vec::new();
    for label in &labels {
        let name = label.place.file.as_str();
        let index = files.iter().position(|file| file.name == name).unwrap_or_else(|| {
            files.push(File { name, text: source(name).unwrap_or_default(), labels: Vec::new() });
            files.len() - 1
        });
        let file = &mut files[index];
        match span(&file.text, label.place) {
            Some(span) => file.labels.push((span, label)),
            None => head += &format!("\n  {}", label.line),
        }
    }
    let mut group = Group::with_level(Level::ERROR);
    for file in files.iter().filter(|file| !file.labels.is_empty()) {
        let labels = file.labels.iter();
        let annotations = labels.map(|(span, label)| label.kind.span(span.clone()).label(label.text.as_str()));
        group = group.element(Snippet::source(file.text.as_str()).path(file.name).annotations(annotations));
    }
    if let Some(help) = &refusal.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let more = format!("snekpy explain {}", refusal.code);
    group = group.element(Level::NOTE.with_name("explain").message(more.as_str()));
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    format!("{head}\n{}", renderer.render(&[group]))
}

/// A file of the program, with the bytes that its labels are at.
struct File<'a> {
    name: &'a str,
    text: String,
    labels: Vec<(Range<usize>, &'a Label<'a>)>,
}

/// A place with what is to be said at it.
struct Label<'a> {
    kind: AnnotationKind,
    place: &'a Place,
    /// Beside its source.
    text: String,
    /// Without its source.
    line: String,
}

/// The labels of a refusal. What a recursion passes again and again is said once.
fn labels(refusal: &Refusal) -> Vec<Label<'_>> {
    let mut labels: Vec<Label<'_>> = Vec::new();
    for (index, place) in refusal.places.iter().enumerate() {
        let func = &place.func;
        let (kind, text, line) = match index {
            0 => (AnnotationKind::Primary, format!("in `{func}`"), format!("at {place}, in {func}")),
            _ => {
                let line = format!("called from {place}, in {func}");
                (AnnotationKind::Context, format!("called from `{func}`"), line)
            }
        };
        if !labels.iter().any(|it| it.place == place && it.text == text) {
            labels.push(Label { kind, place, text, line });
        }
    }
    labels.extend(refusal.notes.iter().map(|(place, text)| Label {
        kind: AnnotationKind::Context,
        place,
        text: text.clone(),
        line: format!("note: {place}: {text}"),
    }));
    labels
}

/// The bytes of a text that a place means; `None` if the text has no such line.
fn span(text: &str, place: &Place) -> Option<Range<usize>> {
    let (end_line, end_column) = place.end;
    let start = offset(text, place.line, place.column)?;
    let end = offset(text, end_line, end_column).unwrap_or(start);
    Some(start..end.max(start))
}

/// Where a line and a column of bytes, both from 1, are in a text.
fn offset(text: &str, line: u32, column: u32) -> Option<usize> {
    let before = text.split_inclusive('\n').take((line as usize).checked_sub(1)?).map(str::len);
    let start: usize = before.sum();
    let line_text = text.get(start..)?.lines().next()?;
    let mut column = (column as usize).saturating_sub(1).min(line_text.len());
    while !line_text.is_char_boundary(column) {
        column -= 1;
    }
    Some(start + column)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "def inner(x):\n    return f'é{x:{x}}'\n\ndef outer(x):\n    return inner(x)\n";

    fn place(line: u32, columns: Range<u32>, func: &str) -> Place {
        Place { file: "a.py".into(), line, column: columns.start, end: (line, columns.end), func: func.into() }
    }

    #[test]
    fn places_and_notes_are_labels_in_the_source() {
        let mut refusal = Refusal::new("S244", "a format specification").help("make it static");
        refusal.places = vec![place(2, 16..23, "inner"), place(5, 12..20, "outer"), place(5, 12..20, "outer")];
        let refusal = refusal.note(place(4, 11..12, "outer"), "became staged here");
        let shown = render(&refusal, |_| Some(PROGRAM.to_owned()), false);
        assert_eq!(
            shown,
            "S244: a format specification
 --> a.py:2:15
  |
2 |     return f'é{x:{x}}'
  |               ^^^^^^^ in `inner`
3 |
4 | def outer(x):
  |           - became staged here
5 |     return inner(x)
  |            -------- called from `outer`
  |
  = help: make it static
  = explain: snekpy explain S244"
        );
    }

    #[test]
    fn places_without_source_are_lines() {
        let mut refusal = Refusal::new("S244", "a format specification");
        refusal.places = vec![place(2, 16..23, "inner"), Place { file: "b.py".into(), ..place(5, 12..20, "outer") }];
        let only_b = |file: &str| (file == "b.py").then(|| PROGRAM.to_owned());
        assert_eq!(
            render(&refusal, only_b, false),
            "S244: a format specification
  at a.py:2:16, in inner
 --> b.py:5:12
  |
5 |     return inner(x)
  |            -------- called from `outer`
  |
  = explain: snekpy explain S244"
        );
        let nothing = "S244: a format specification
  at a.py:2:16, in inner
  called from b.py:5:12, in outer
 = explain: snekpy explain S244";
        assert_eq!(render(&refusal, |_| None, false), nothing);
        assert_eq!(render(&refusal, |_| Some("one line\n".to_owned()), false), nothing);
    }
}
