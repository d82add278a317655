//! A generated program as a tree of statements, and its text.
//!
//! Expressions are text already; [`super::reduce`] makes them smaller.

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// Simple statements that belong together, one a line.
    Lines(Vec<String>),
    /// `break`, in a loop.
    Break,
    /// `continue`, in a loop.
    Continue,
    /// Arms with their conditions, and the `else` (none when empty).
    If(Vec<(String, Vec<Stmt>)>, Vec<Stmt>),
    /// A loop that counts: `counter = 0`, then `while counter < bound and condition`, whose body begins
    /// by counting.
    While {
        /// The variable that counts.
        counter: String,
        /// How many iterations there may be.
        bound: usize,
        /// What else must hold.
        condition: String,
        /// The body.
        body: Vec<Stmt>,
        /// The `else` (none when empty).
        orelse: Vec<Stmt>,
    },
    /// `while True`, left by a count: the same as `While` in another shape.
    Forever {
        /// The variable that counts down.
        counter: String,
        /// How many iterations there may be.
        bound: usize,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `for target in iterable`.
    For {
        /// What is assigned.
        target: String,
        /// What is run over.
        iterable: String,
        /// The body.
        body: Vec<Stmt>,
        /// The `else` (none when empty).
        orelse: Vec<Stmt>,
    },
    /// `match subject`: patterns and their bodies.
    Match(String, Vec<(String, Vec<Stmt>)>),
    /// A function: its header without `def`, and its body.
    Def(String, Vec<Stmt>),
    /// A compound statement of any other kind, by its clauses: headers without the colon, and bodies.
    Clauses(Vec<(String, Vec<Stmt>)>),
    /// Statements that were made together.
    Group(Vec<Stmt>),
}

/// What the driver does: it calls the program, or changes the world.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// Arguments of the main function.
    Main(String),
    /// Statements.
    Change(String),
}

impl Call {
    /// The statements, if it is no call.
    pub(super) fn change(&self) -> Option<&str> {
        match self {
            Call::Change(lines) => Some(lines),
            Call::Main(_) => None,
        }
    }
}

/// Appends the text of `block`, indented by `indent` steps.
pub(super) fn write_block(text: &mut String, block: &[Stmt], indent: usize) {
    if block.iter().all(|it| matches!(it, Stmt::Group(stmts) if stmts.is_empty())) {
        line(text, indent, "pass");
    }
    for stmt in block {
        write_stmt(text, stmt, indent);
    }
}

fn write_stmt(text: &mut String, stmt: &Stmt, indent: usize) {
    match stmt {
        Stmt::Lines(lines) => lines.iter().for_each(|it| line(text, indent, it)),
        Stmt::Break => line(text, indent, "break"),
        Stmt::Continue => line(text, indent, "continue"),
        Stmt::If(arms, orelse) => {
            for (position, (condition, body)) in arms.iter().enumerate() {
                let word = if position == 0 { "if" } else { "elif" };
                line(text, indent, &format!("{word} {condition}:"));
                write_block(text, body, indent + 1);
            }
            write_else(text, orelse, indent);
        }
        Stmt::While { counter, bound, condition, body, orelse } => {
            line(text, indent, &format!("{counter} = 0"));
            line(text, indent, &format!("while {counter} < {bound} and {condition}:"));
            line(text, indent + 1, &format!("{counter} += 1"));
            write_block(text, body, indent + 1);
            write_else(text, orelse, indent);
        }
        Stmt::Forever { counter, bound, body } => {
            line(text, indent, &format!("{counter} = {bound}"));
            line(text, indent, "while True:");
            line(text, indent + 1, &format!("if {counter} <= 0:"));
            line(text, indent + 2, "break");
            line(text, indent + 1, &format!("{counter} -= 1"));
            write_block(text, body, indent + 1);
        }
        Stmt::For { target, iterable, body, orelse } => {
            line(text, indent, &format!("for {target} in {iterable}:"));
            write_block(text, body, indent + 1);
            write_else(text, orelse, indent);
        }
        Stmt::Match(subject, arms) => {
            line(text, indent, &format!("match {subject}:"));
            for (pattern, body) in arms {
                line(text, indent + 1, &format!("case {pattern}:"));
                write_block(text, body, indent + 2);
            }
        }
        Stmt::Def(header, body) => {
            line(text, indent, &format!("def {header}:"));
            write_block(text, body, indent + 1);
        }
        Stmt::Clauses(clauses) => {
            for (header, body) in clauses {
                line(text, indent, &format!("{header}:"));
                write_block(text, body, indent + 1);
            }
        }
        Stmt::Group(stmts) => stmts.iter().for_each(|it| write_stmt(text, it, indent)),
    }
}

fn write_else(text: &mut String, orelse: &[Stmt], indent: usize) {
    if !orelse.is_empty() {
        line(text, indent, "else:");
        write_block(text, orelse, indent + 1);
    }
}

fn line(text: &mut String, indent: usize, content: &str) {
    for _ in 0..indent {
        text.push_str("    ");
    }
    text.push_str(content);
    text.push('\n');
}

impl Stmt {
    /// The blocks inside, in the order of the text.
    pub(super) fn blocks_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::Lines(_) | Stmt::Break | Stmt::Continue => Vec::new(),
            Stmt::If(arms, orelse) => arms.iter_mut().map(|(_, body)| body).chain([orelse]).collect(),
            Stmt::While { body, orelse, .. } | Stmt::For { body, orelse, .. } => vec![body, orelse],
            Stmt::Match(_, arms) | Stmt::Clauses(arms) => arms.iter_mut().map(|(_, body)| body).collect(),
            Stmt::Forever { body, .. } | Stmt::Def(_, body) | Stmt::Group(body) => vec![body],
        }
    }

    /// The same statement in simpler shapes that are still correct where it stands.
    pub(super) fn simpler(&self) -> Vec<Vec<Stmt>> {
        match self {
            Stmt::Lines(lines) if lines.len() > 1 => (0..lines.len())
                .map(|position| {
                    let mut fewer = lines.clone();
                    fewer.remove(position);
                    vec![Stmt::Lines(fewer)]
                })
                .collect(),
            Stmt::Lines(_) | Stmt::Break | Stmt::Continue | Stmt::Def(..) => Vec::new(),
            Stmt::If(arms, orelse) => {
                let mut shapes: Vec<Vec<Stmt>> = arms.iter().map(|(_, body)| body.clone()).collect();
                shapes.push(orelse.clone());
                if arms.len() > 1 {
                    shapes.push(vec![Stmt::If(arms[..1].to_vec(), orelse.clone())]);
                    shapes.push(vec![Stmt::If(arms[1..].to_vec(), orelse.clone())]);
                }
                shapes
            }
            // A body may hold `break`, which has no place outside of the loop: only the `else` is dropped.
            Stmt::While { counter, bound, condition, body, .. } => {
                let (counter, body) = (counter.clone(), body.clone());
                let plain = |condition: &str, bound| Stmt::While {
                    counter: counter.clone(),
                    bound,
                    condition: condition.to_owned(),
                    body: body.clone(),
                    orelse: Vec::new(),
                };
                vec![vec![plain(condition, *bound)], vec![plain("True", *bound)], vec![plain(condition, 1)]]
            }
            Stmt::For { target, iterable, body, .. } => {
                let (target, iterable, body) = (target.clone(), iterable.clone(), body.clone());
                vec![vec![Stmt::For { target, iterable, body, orelse: Vec::new() }]]
            }
            Stmt::Forever { counter, body, .. } => {
                vec![vec![Stmt::Forever { counter: counter.clone(), bound: 1, body: body.clone() }]]
            }
            Stmt::Match(_, arms) => arms.iter().map(|(_, body)| body.clone()).collect(),
            Stmt::Clauses(clauses) => {
                let mut shapes: Vec<Vec<Stmt>> = clauses.iter().map(|(_, body)| body.clone()).collect();
                for position in (1..clauses.len()).rev() {
                    let mut fewer = clauses.clone();
                    fewer.remove(position);
                    shapes.push(vec![Stmt::Clauses(fewer)]);
                }
                shapes
            }
            Stmt::Group(stmts) => vec![stmts.clone()],
        }
    }

    /// The texts inside that may be made smaller: simple statements and conditions, headers of clauses.
    pub(super) fn texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Stmt::Lines(lines) => lines.iter_mut().collect(),
            Stmt::If(arms, _) => arms.iter_mut().map(|(condition, _)| condition).collect(),
            Stmt::While { condition, .. } => vec![condition],
            Stmt::For { iterable, .. } => vec![iterable],
            Stmt::Match(subject, _) => vec![subject],
            Stmt::Clauses(clauses) => clauses.iter_mut().map(|(header, _)| header).collect(),
            Stmt::Break | Stmt::Continue | Stmt::Forever { .. } | Stmt::Def(..) | Stmt::Group(_) => Vec::new(),
        }
    }
}
