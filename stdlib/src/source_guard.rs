//! Refuses source that is nested too deeply, however it reaches the compiler.
//!
//! `compile`, `exec` and `eval` are replaced by functions that look at the text and then call the
//! original; `import`, `ast.parse`, `runpy` and `codeop` all end in `compile`. A native function
//! pushes no frame, so `exec` still sees the caller's names.

use crate::nesting::{TooDeep, check_nesting};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyBytes, PyStr};
use rustpython_vm::compiler::Mode;
use rustpython_vm::function::{Callee, FuncArgs, ItemDoc, PyMethodDef, PyMethodFlags, PyNativeFn};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine};
use snekpy_vm::host::prepare;
use std::sync::OnceLock;

/// Operators that one expression may chain where the stack is large.
const MAX_CHAIN: usize = 10_000;
/// Stack that one level of a chain may take, in the parser or when its tree is freed.
const BYTES_PER_LEVEL: usize = 8_192;

/// Refuses `source` with a Python exception when parsing it could overflow the stack.
///
/// A thread with a small stack refuses sooner: the limit follows what is left of it.
pub fn check_source(source: &str, filename: &str, vm: &VirtualMachine) -> PyResult<()> {
    let limit = (stack_left() / BYTES_PER_LEVEL).min(MAX_CHAIN);
    check_nesting(source, limit).map_err(|fault| refusal(fault, source, filename, vm))
}

fn refusal(fault: TooDeep, source: &str, filename: &str, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let (class, at) = match fault {
        TooDeep::Chain { .. } => return vm.new_recursion_error(fault.to_string()),
        TooDeep::Indents { at } => (vm.ctx.exceptions.indentation_error, at),
        TooDeep::Brackets { at } | TooDeep::Comprehensions { at } => (vm.ctx.exceptions.syntax_error, at),
    };
    let before = &source[..at];
    let line_start = before.rfind('\n').map_or(0, |it| it + 1);
    let line = vm.ctx.new_int(before.matches('\n').count() + 1);
    let column = vm.ctx.new_int(source[line_start..at].chars().count() + 1);
    let text = source[line_start..].lines().next().unwrap_or_default();
    let exception = vm.new_exception_msg(class.to_owned(), fault.to_string().into());
    let fields: [(&str, PyObjectRef); 6] = [
        ("filename", vm.ctx.new_str(filename).into()),
        ("lineno", line.clone().into()),
        ("offset", column.clone().into()),
        ("end_lineno", line.into()),
        ("end_offset", column.into()),
        ("text", vm.ctx.new_str(format!("{text}\n")).into()),
    ];
    for (name, value) in fields {
        exception.as_object().set_attr(name, value, vm).expect("a SyntaxError has these attributes");
    }
    exception
}

/// Bytes between the stack pointer and the end of this thread's stack, where that can be known.
fn stack_left() -> usize {
    stacker::remaining_stack().unwrap_or(1 << 20)
}

/// Puts the guarded functions in the place of the builtin ones.
pub(crate) fn install(vm: &VirtualMachine) {
    for (guarded, original) in [(&COMPILE, &ORIGINAL_COMPILE), (&EXEC, &ORIGINAL_EXEC), (&EVAL, &ORIGINAL_EVAL)] {
        let builtin = vm.builtins.get_attr(guarded.name, vm).expect("every interpreter has this builtin");
        let function = guarded
            .to_function()
            .with_module(vm.ctx.intern_str("builtins"))
            .with_module_object(vm.builtins.clone().into())
            .into_ref(&vm.ctx);
        // The functions behind the builtins are the same in every interpreter of the process.
        original.get_or_init(|| same_type(&function, &builtin).expect("it is a native function").as_func());
        vm.builtins.set_attr(guarded.name, function, vm).expect("the builtins can be written");
    }
}

/// `object` as the type of `like`, which cannot be named outside RustPython.
fn same_type<'a, T: PyPayload>(_like: &PyRef<T>, object: &'a PyObject) -> Option<&'a Py<T>> {
    object.downcast_ref()
}

type Original = OnceLock<&'static dyn PyNativeFn>;

static ORIGINAL_COMPILE: Original = OnceLock::new();
static ORIGINAL_EXEC: Original = OnceLock::new();
static ORIGINAL_EVAL: Original = OnceLock::new();

static COMPILE: PyMethodDef = PyMethodDef::new_const("compile", compile, PyMethodFlags::empty(), ItemDoc::NONE);
static EXEC: PyMethodDef = PyMethodDef::new_const("exec", exec, PyMethodFlags::empty(), ItemDoc::NONE);
static EVAL: PyMethodDef = PyMethodDef::new_const("eval", eval, PyMethodFlags::empty(), ItemDoc::NONE);

fn compile(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let filename = args.args.get(1).or_else(|| args.kwargs.get("filename"));
    let filename = filename.and_then(|it| it.downcast_ref::<PyStr>()).map(|it| it.to_string_lossy().into_owned());
    guard(&args, filename.as_deref().unwrap_or("<string>"), vm)?;
    let original = |args, vm: &VirtualMachine| call(&ORIGINAL_COMPILE, "compile", args, vm);
    prepare::of_compile(&args, original(args.clone(), vm), original, vm)
}

fn exec(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    call(&ORIGINAL_EXEC, "exec", prepared(args, Mode::Exec, vm)?, vm)
}

fn eval(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    call(&ORIGINAL_EVAL, "eval", prepared(args, Mode::Eval, vm)?, vm)
}

/// The arguments of `exec` or `eval` with code in the place of text.
fn prepared(args: FuncArgs, mode: Mode, vm: &VirtualMachine) -> PyResult<FuncArgs> {
    guard(&args, "<string>", vm)?;
    prepare::of_call(args, mode, compile, vm)
}

fn call(original: &Original, name: &'static str, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let original = original.get().expect("the guard is installed after its original was stored");
    original(vm, args, Callee::named(name))
}

/// Looks at the argument `source` if it is text. Anything else is for the original to judge.
fn guard(args: &FuncArgs, filename: &str, vm: &VirtualMachine) -> PyResult<()> {
    let Some(source) = args.args.first().or_else(|| args.kwargs.get("source")) else { return Ok(()) };
    match text_of(source) {
        Some(text) => check_source(&text, filename, vm),
        None => Ok(()),
    }
}

/// The text of a `str` or of UTF-8 `bytes`. Other encodings keep ASCII, which is all that nests.
fn text_of(source: &PyObject) -> Option<std::borrow::Cow<'_, str>> {
    if let Some(text) = source.downcast_ref::<PyStr>() {
        Some(text.to_string_lossy())
    } else {
        source.downcast_ref::<PyBytes>().map(|it| String::from_utf8_lossy(it.as_bytes()))
    }
}
