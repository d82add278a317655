//! What one input is: when it is complete, and how it is compiled.

use rustpython_vm::builtins::{PyBaseExceptionRef, PyCode};
use rustpython_vm::compiler::TokenKind;
use rustpython_vm::compiler::parser::{Mode, lexer};
use rustpython_vm::{AsObject, PyRef, PyResult, VirtualMachine};

/// `PyCF_ALLOW_INCOMPLETE_INPUT`: say that more input could help.
const ALLOW_INCOMPLETE_INPUT: i32 = 0x4000;

/// Whether more lines are needed. A block is complete after an empty line.
pub(crate) fn is_incomplete(text: &str, vm: &VirtualMachine) -> bool {
    if text.trim().is_empty() || crate::help::is_question(text) {
        return false;
    }
    let text = without_blank_tail(text);
    if ends_with_decorator(text) {
        return true;
    }
    // The builtin, not the compiler itself: it refuses text that is nested too deeply to be parsed.
    match compile(&format!("{text}\n"), "<stdin>", ALLOW_INCOMPLETE_INPUT, vm) {
        Ok(_) => is_block(text) && !text.ends_with('\n'),
        Err(exception) => &*exception.class().name() == "_IncompleteInputError",
    }
}

/// Whether what a decorator stands before is still to come. The compiler calls it an error.
fn ends_with_decorator(text: &str) -> bool {
    text.trim_end().lines().next_back().is_some_and(|line| line.trim_start().starts_with('@'))
}

/// Whether the text is a compound statement, which may go on after any line.
fn is_block(text: &str) -> bool {
    let mut tokens = lexer::lex(text, Mode::Module);
    let mut first = true;
    loop {
        match tokens.next_token() {
            TokenKind::EndOfFile => return false,
            TokenKind::Indent => return true,
            TokenKind::NonLogicalNewline | TokenKind::Comment => {}
            kind if first && STARTS_BLOCK.contains(&kind) => return true,
            _ => first = false,
        }
    }
}

/// What a compound statement starts with. A `match` shows by its indentation.
const STARTS_BLOCK: [TokenKind; 9] = [
    TokenKind::If,
    TokenKind::For,
    TokenKind::While,
    TokenKind::With,
    TokenKind::Try,
    TokenKind::Def,
    TokenKind::Class,
    TokenKind::Async,
    TokenKind::At,
];

/// The text with a last line of nothing but the indentation that the editor put there made empty.
fn without_blank_tail(text: &str) -> &str {
    match text.rfind('\n') {
        Some(at) if text[at..].trim().is_empty() => &text[..=at],
        _ => text,
    }
}

/// `sys.ps1` or `sys.ps2`, which a program may have set to anything.
pub(crate) fn prompt(vm: &VirtualMachine, name: &'static str) -> String {
    let text = vm.sys_module.get_attr(name, vm).and_then(|it| it.str(vm));
    text.map_or_else(|_| String::new(), |it| it.to_string_lossy().into_owned())
}

/// Compiles one input. Expressions in it are shown when it runs, also in a pasted series of statements.
pub(crate) fn compile_input(text: &str, filename: &str, vm: &VirtualMachine) -> PyResult<PyRef<PyCode>> {
    let text = format!("{}\n", without_blank_tail(text).trim_end_matches('\n'));
    let single = compile(&text, filename, 0, vm);
    match single {
        Err(exception) if says_multiple(&exception, vm) => {
            let ast = vm.import("ast", 0)?;
            let tree = vm.call_method(&ast, "parse", (text.as_str(), filename))?;
            let body = tree.get_attr("body", vm)?;
            let series = ast.get_attr("Interactive", vm)?.call((body,), vm)?;
            let builtin = vm.builtins.get_attr("compile", vm)?;
            as_code(builtin.call((series, filename, "single"), vm)?, vm)
        }
        other => other,
    }
}

fn says_multiple(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> bool {
    exception.fast_isinstance(vm.ctx.exceptions.syntax_error)
        && exception.as_object().str(vm).is_ok_and(|it| it.to_string_lossy().contains("multiple statements"))
}

fn compile(text: &str, filename: &str, flags: i32, vm: &VirtualMachine) -> PyResult<PyRef<PyCode>> {
    let builtin = vm.builtins.get_attr("compile", vm)?;
    as_code(builtin.call((text, filename, "single", flags, true), vm)?, vm)
}

fn as_code(object: rustpython_vm::PyObjectRef, vm: &VirtualMachine) -> PyResult<PyRef<PyCode>> {
    object.downcast().map_err(|_| vm.new_type_error("compile() did not return a code object"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_told_from_lines() {
        for block in ["if x: y", "def f():\n    pass", "@d", "match x:\n    case 1: pass", "# why\nfor x in y: z"] {
            assert!(is_block(block), "{block}");
        }
        for line in ["", "x = 1", "(1,\n 2)", "x = 1; y = 2", "match = 1", "f(\n    1)"] {
            assert!(!is_block(line), "{line}");
        }
    }
}
