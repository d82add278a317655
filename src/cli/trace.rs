//! `SNEKPY_TRACE=FILE`: what took time, as a trace that [Perfetto](https://ui.perfetto.dev) and Chrome show.
//!
//! The crates below say what they do by spans of the crate `tracing`: `capture`, `optimise`, `pass`, `compile`, `run`,
//! `plain`, `interpreter` (an instruction that compiled code has the interpreter carry out), `kernel`, `launch`, `share` (a
//! thread's part of a large operation), copies to and from devices, and waiting for one; and by events: calls that leave
//! compiled code. What a span is of (a function, a pass, an instruction, operations on arrays) is its field `of`, how much is
//! copied its field `bytes`, and here both become a part of its name.

use std::fmt::{Debug, Write as _};
use std::fs::File;
use std::io::BufWriter;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_chrome::{ChromeLayerBuilder, EventOrSpan, FlushGuard};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

/// A trace that is being written.
pub(crate) struct Trace {
    guard: Option<FlushGuard>,
    process: u32,
}

/// A span's name, with what it is of.
struct Title(String);

impl Title {
    fn new(name: &'static str, record: impl FnOnce(&mut dyn Visit)) -> Self {
        let mut title = Self(name.to_owned());
        record(&mut title);
        title
    }
}

impl Visit for Title {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = match field.name() {
            "of" => write!(self.0, " {value:?}"),
            "bytes" => write!(self.0, ", {value:?} bytes"),
            _ => Ok(()),
        };
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }
}

/// Notes the titles of spans.
struct Titles;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Titles {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            let title = Title::new(attributes.metadata().name(), |visitor| attributes.record(visitor));
            span.extensions_mut().insert(title);
        }
    }
}

impl Trace {
    /// Begins one.
    pub(crate) fn begin(file: &str) -> Result<Self, String> {
        let opened = File::create(file).map_err(|error| format!("{file}: {error}"))?;
        let title = |it: &EventOrSpan<'_, '_, _>| match it {
            EventOrSpan::Event(event) => event_title(event),
            EventOrSpan::Span(span) => span.extensions().get::<Title>().map_or_else(String::new, |it| it.0.clone()),
        };
        let builder = ChromeLayerBuilder::new().writer(BufWriter::new(opened)).name_fn(Box::new(title));
        let (layer, guard) = builder.build();
        let subscriber = tracing_subscriber::registry().with(Titles).with(layer);
        tracing::subscriber::set_global_default(subscriber).map_err(|error| error.to_string())?;
        Ok(Self { guard: Some(guard), process: std::process::id() })
    }
}

fn event_title(event: &Event<'_>) -> String {
    Title::new("leave", |visitor| event.record(visitor)).0
}

impl Drop for Trace {
    /// Writes what is still to be written. In a forked process there is nobody who could.
    fn drop(&mut self) {
        if self.process != std::process::id() {
            std::mem::forget(self.guard.take());
        }
    }
}
