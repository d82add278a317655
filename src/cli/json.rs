//! Errors and events of staging for tools: one JSON object a line.

use serde_json::{Map, Value, json};
use snekpy_vm::Event;
use snekpy_vm::refusal::{Place, Refusal};

/// A line of a traceback.
pub(crate) struct Line {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) function: String,
}

/// A `StagingError` that nobody caught, and the calls that led to the staged one, the outermost first.
pub(crate) fn error(refusal: &Refusal, traceback: &[Line]) -> Value {
    let line = |it: &Line| json!({ "file": it.file, "line": it.line, "function": it.function });
    let mut items = refusal_items(refusal);
    items.push(("traceback", traceback.iter().map(line).collect()));
    object("error", items)
}

/// Something that happened to a staged function.
pub(crate) fn event(event: &Event<'_>) -> Value {
    match event {
        Event::Called { function } => object("called", vec![("function", (*function).into())]),
        Event::Compiled { function, arguments, why, took } => {
            json!({
                "event": "compiled",
                "function": function,
                "arguments": arguments,
                "why": why,
                "seconds": took.as_secs_f64(),
            })
        }
        Event::Left { reason } => object("left", refusal_items(reason)),
        Event::Stepped { reason } => object("stepped", refusal_items(reason)),
        Event::Plain { function, reason } => {
            let mut items = vec![("function", json!(function))];
            items.extend(refusal_items(reason));
            object("plain", items)
        }
    }
}

fn object(event: &str, items: Vec<(&str, Value)>) -> Value {
    let items = std::iter::once(("event", json!(event))).chain(items);
    Value::Object(items.map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

fn refusal_items(refusal: &Refusal) -> Vec<(&'static str, Value)> {
    let note = |(at, text): &(Place, String)| json!({ "place": place(at), "text": text });
    vec![
        ("code", json!(refusal.code)),
        ("message", json!(refusal.message)),
        ("help", json!(refusal.help)),
        ("places", refusal.places.iter().map(place).collect()),
        ("notes", refusal.notes.iter().map(note).collect()),
    ]
}

fn place(place: &Place) -> Value {
    json!({
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "end_line": place.end.0,
        "end_column": place.end.1,
        "function": place.func,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_with_its_keys_in_order() {
        let place = Place { file: "a \"b\".py".into(), line: 3, column: 5, end: (3, 9), func: "f".into() };
        let mut refusal = Refusal::new("S110", "two\nlines").help("do");
        refusal.places.push(place.clone());
        let refusal = refusal.note(place, "differs here");
        let at = r#"{"file":"a \"b\".py","line":3,"column":5,"end_line":3,"end_column":9,"function":"f"}"#;
        let expected = format!(
            r#"{{"event":"error","code":"S110","message":"two\nlines","help":"do","places":[{at}],"notes":[{{"place":{at},"text":"differs here"}}],"traceback":[{{"file":"b.py","line":7,"function":"<module>"}}]}}"#
        );
        let traceback = [Line { file: "b.py".into(), line: 7, function: "<module>".into() }];
        assert_eq!(error(&refusal, &traceback).to_string(), expected);
        let plain = Event::Plain { function: "f", reason: &Refusal::new("S404", "big") };
        assert_eq!(
            event(&plain).to_string(),
            r#"{"event":"plain","function":"f","code":"S404","message":"big","help":null,"places":[],"notes":[]}"#
        );
    }
}
