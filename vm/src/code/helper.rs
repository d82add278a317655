//! Code of the builtins that are written in Python.

use rustpython_vm::builtins::PyCode;

/// Where the helpers say they are: no traceback shows it.
pub(crate) const HELPERS_FILE: &str = "<snekpy>";

/// Whether this is the code of a helper.
pub(crate) fn is_helper(code: &PyCode) -> bool {
    code.code.source_path.as_str() == HELPERS_FILE
}
