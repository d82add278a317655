//! Whether what people see is coloured.

/// `NO_COLOR` says no, `FORCE_COLOR` yes; otherwise it is the terminal's choice.
pub(crate) fn wanted(terminal: bool) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|it| !it.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|it| it == "dumb");
    !set("NO_COLOR") && (set("FORCE_COLOR") || (terminal && !dumb))
}
