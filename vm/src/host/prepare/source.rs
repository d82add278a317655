//! What RustPython's compiler gets wrong, set right in the tree before it is compiled again.
//!
//! Source is compiled as it is first: warnings and errors are RustPython's. Where its tree holds what comes out wrong,
//! or what is called an error is none, the mended tree is compiled, and that code is used.
//!
//! | wrong | mended |
//! |---|---|
//! | numbers computed of constants | [`fold`](super::fold) |
//! | words in comments and texts are taken for syntax | the error is asked for again without them |
//! | an annotation in a branch, in a class in a method, is an error | its class binds the name that is not found |

use std::borrow::Cow;

use rustpython_vm::builtins::PyCode;
use rustpython_vm::bytecode::{CodeFlags, CodeObject};
use rustpython_vm::compiler::ast::token::{TokenKind, Tokens};
use rustpython_vm::compiler::ast::visitor::transformer::{Transformer, walk_stmt};
use rustpython_vm::compiler::ast::visitor::{Visitor, walk_stmt as look_into};
use rustpython_vm::compiler::ast::{Mod, Stmt};
use rustpython_vm::compiler::codegen::compile::compile_top;
use rustpython_vm::compiler::core::SourceFileBuilder;
use rustpython_vm::compiler::parser::{Mode as ParserMode, ParseOptions, parse, parse_module};
use rustpython_vm::compiler::{CompileOpts, Mode, compile};
use rustpython_vm::{PyRef, VirtualMachine};

use super::fold;

/// What is compiled, and how.
pub(super) struct Source<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) mode: Mode,
    pub(super) filename: &'a str,
    pub(super) opts: CompileOpts,
}

impl Source<'_> {
    /// The code of source that RustPython has compiled, if it got some of it wrong.
    pub(super) fn again(&self, vm: &VirtualMachine) -> Option<PyRef<PyCode>> {
        let (mut tree, _) = self.parse()?;
        fold::fold(&mut tree, vm).then(|| self.compile(tree, vm))?
    }

    /// The code of source that RustPython has called wrong, if nothing is wrong with it.
    pub(super) fn despite(&self, vm: &VirtualMachine) -> Option<PyRef<PyCode>> {
        let (mut tree, tokens) = self.parse()?;
        // If nothing is wrong now, a warning was an error.
        self.compile_as_it_is(&self.text).err()?;
        if let Err(error) = self.compile_as_it_is(&blanked(&self.text, &tokens, true)) {
            if !error.to_string().contains(CONDITIONAL) {
                return None;
            }
            match &mut tree {
                Mod::Module(module) => Binder.visit_body(&mut module.body),
                Mod::Expression(_) => return None,
            }
        }
        fold::fold(&mut tree, vm);
        self.compile(tree, vm)
    }

    /// The text without its comments.
    pub(super) fn without_comments(&self) -> Option<String> {
        let (_, tokens) = self.parse()?;
        Some(blanked(&self.text, &tokens, false))
    }

    fn parse(&self) -> Option<(Mod, Tokens)> {
        if self.opts.future_features.contains(CodeFlags::FUTURE_BARRY_AS_BDFL) || self.text.contains("barry_as_FLUFL") {
            return None;
        }
        let mode = if matches!(self.mode, Mode::Eval) { ParserMode::Expression } else { ParserMode::Module };
        let parsed = parse(&self.text, ParseOptions::from(mode)).ok()?;
        let tokens = parsed.tokens().clone();
        Some((parsed.into_syntax(), tokens))
    }

    fn compile(&self, tree: Mod, vm: &VirtualMachine) -> Option<PyRef<PyCode>> {
        let file = SourceFileBuilder::new(self.filename, &*self.text).finish();
        let code = compile_top(tree, file, self.mode, self.opts.clone()).ok()?;
        Some(PyCode::new_ref_from_bytecode(vm, code))
    }

    fn compile_as_it_is(&self, text: &str) -> Result<CodeObject, impl std::error::Error + use<>> {
        compile(text, self.mode, self.filename, self.opts.clone())
    }
}

/// The text with blanks for comments, and for what stands in strings.
fn blanked(text: &str, tokens: &Tokens, with_strings: bool) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for token in tokens {
        let (kind, range) = token.as_tuple();
        let range = range.to_std_range();
        let inside = match kind {
            TokenKind::Comment => range.start + 1..range.end,
            TokenKind::String if with_strings => inside_quotes(text, range),
            TokenKind::FStringMiddle | TokenKind::TStringMiddle if with_strings => range,
            _ => continue,
        };
        for at in inside {
            let continues = bytes[at] == b'\\' && matches!(bytes.get(at + 1), Some(b'\n' | b'\r'));
            if !continues && !matches!(bytes[at], b'\n' | b'\r') {
                bytes[at] = b' ';
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

fn inside_quotes(text: &str, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let token = &text[range.clone()];
    let prefix = token.find(['\'', '"']).unwrap_or(token.len());
    let is_triple = token[prefix..].starts_with("'''") || token[prefix..].starts_with("\"\"\"");
    let quotes = if is_triple { 3 } else { 1 };
    range.start + prefix + quotes..(range.end - quotes).max(range.start + prefix + quotes)
}

/// The name that the compiler does not find.
const CONDITIONAL: &str = "__conditional_annotations__";

/// Binds it, and never runs.
const BINDING: &str = "if False: __conditional_annotations__ = None";

/// Binds the name in each class that has annotations in branches, where it never runs.
struct Binder;

impl Transformer for Binder {
    fn visit_stmt(&self, statement: &mut Stmt) {
        walk_stmt(self, statement);
        if let Stmt::ClassDef(class) = statement
            && class.body.iter().any(|it| !matches!(it, Stmt::AnnAssign(_)) && has_annotation(it))
        {
            let binding = parse_module(BINDING).ok().map(|it| it.into_syntax().body);
            if let Some(Stmt::If(mut binding)) = binding.and_then(|it| it.into_iter().next()) {
                binding.range = class.range;
                class.body.push(Stmt::If(binding));
            }
        }
    }
}

/// Whether a statement has an annotation that belongs to the class in which it stands.
fn has_annotation(statement: &Stmt) -> bool {
    struct Finder {
        found: bool,
    }
    impl<'a> Visitor<'a> for Finder {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            match statement {
                Stmt::AnnAssign(_) => self.found = true,
                Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
                other => look_into(self, other),
            }
        }
    }
    let mut finder = Finder { found: false };
    finder.visit_stmt(statement);
    finder.found
}
