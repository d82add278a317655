//! S-expressions, and how they are broken into lines.

/// An atom, or a list.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Sexpr {
    Atom(String),
    List(Vec<Sexpr>),
}

/// How long a line may get before it is broken.
const WIDTH: usize = 88;

/// From this column on nothing is broken any more: the text stays as long as the program, not its square.
const DEEPEST: usize = 64;

impl Sexpr {
    pub(super) fn atom(text: impl Into<String>) -> Self {
        Self::Atom(text.into())
    }

    /// `(head rest...)`.
    pub(super) fn form(head: impl Into<String>, rest: impl IntoIterator<Item = Self>) -> Self {
        let mut items = vec![Self::atom(head)];
        items.extend(rest);
        Self::List(items)
    }

    /// `()`: no value.
    pub(super) const UNIT: Self = Self::List(Vec::new());

    /// In lines, each of at most [`WIDTH`] characters where that is possible.
    pub(super) fn pretty(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0, 0);
        out
    }

    /// The length in one line, if it is at most `room`.
    fn fits(&self, room: usize) -> Option<usize> {
        match self {
            Self::Atom(text) => Some(text.chars().count()).filter(|&it| it <= room),
            Self::List(items) => {
                let mut length = 2 + items.len().saturating_sub(1);
                for item in items {
                    length += item.fits(room.checked_sub(length)?)?;
                }
                Some(length).filter(|&it| it <= room)
            }
        }
    }

    fn write_flat(&self, out: &mut String) {
        match self {
            Self::Atom(text) => out.push_str(text),
            Self::List(items) => {
                out.push('(');
                for (position, item) in items.iter().enumerate() {
                    if position > 0 {
                        out.push(' ');
                    }
                    item.write_flat(out);
                }
                out.push(')');
            }
        }
    }

    /// Writes at this column, with `closing` parentheses to follow.
    fn write(&self, out: &mut String, column: usize, closing: usize) {
        let items = match self {
            Self::List(items) if column < DEEPEST && self.fits(WIDTH.saturating_sub(column + closing)).is_none() => {
                items
            }
            Self::Atom(_) | Self::List(_) => return self.write_flat(out),
        };
        let line = |out: &mut String, column: usize| {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', column));
        };
        out.push('(');
        // What stays on the first line: the head of a form, and what it is about.
        let (first, indent) = match &items[0] {
            Self::Atom(head) => match head.as_str() {
                "def" => (3, 2),
                "lambda" | "let" | "let*" | "letrec" | "let-values" => (2, 2),
                "if" | "when" | "unless" => (2, 4),
                _ => (1, 2),
            },
            Self::List(_) => (1, 1),
        };
        let mut at = column + 1;
        for (position, item) in items.iter().enumerate() {
            let last = position + 1 == items.len();
            let closing = if last { closing + 1 } else { 0 };
            if position >= first {
                line(out, column + indent);
                item.write(out, column + indent, closing);
                continue;
            }
            if position > 0 {
                out.push(' ');
                at += 1;
            }
            item.write(out, at, closing);
            at += item.fits(WIDTH).unwrap_or_default();
        }
        out.push(')');
    }
}
