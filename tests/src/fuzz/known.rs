//! What is known to differ and waits to be mended, and what leads out of compiled code.
//!
//! A row leaves either list when what it names has been mended.

/// Pieces of templates, with the finding that they lead to. A template with one of them is not used.
const AVOIDED: &[(&str, &str)] = &[];

/// Differences by what is in their text, line for line, with the finding: they are counted, not reported.
const KNOWN: &[(&[&str], &str)] = &[
    // RustPython's compiler loses a name in generators inside one another.
    (&["must be present in the symbol table"], "rustpython-symbol-table"),
    // The plain run is late: what is on the stack of a frame that an exception leaves lives on in the traceback, if the
    // frame was called without `*`.
    (&["- closed ", "+ closed ", "- raises ", "+ raises "], "rustpython-stack-of-a-left-frame"),
];

/// The finding that a difference is another case of.
pub(super) fn known(difference: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(pieces, _)| pieces.iter().all(|piece| difference.contains(piece))).map(|it| it.1)
}

/// Pieces of templates that make a staged call go on as plain Python. With many of them, little would be
/// compiled.
const LEAVING: &[&str] = &[
    "key=",
    "k_$# = $i % 5",
    "$i % 4, 7",
    "$i % 4 in $D",
    "getattr(",
    ".format(",
    "$NErr(",
    "$NSub(",
    "{$i",
    "tr(",
    "float(repr",
    "($i in $y)",
    "itertools.product(",
];

/// Whether a template leads out of compiled code.
pub(super) fn leaving(template: &str) -> bool {
    LEAVING.iter().any(|piece| template.contains(piece))
}

/// Whether a template contains what is known to differ.
pub(super) fn avoided(template: &str) -> bool {
    AVOIDED.iter().any(|(piece, _)| template.contains(piece))
}
