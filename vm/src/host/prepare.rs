//! The one place through which all code goes before it first runs.
//!
//! RustPython's evaluator rewrites instructions by what they have met, and gets some of that wrong. What can be set
//! right from outside is set right here, in a code object and in all that it has as constants: functions, lambdas,
//! comprehensions and class bodies.
//!
//! A code object runs in one of four ways, and each comes by here:
//!
//! | way | here |
//! |---|---|
//! | Rust runs it: a program, an import, a line at the prompt | [`run`] |
//! | `exec`, `eval` | [`of_call`] |
//! | `types.FunctionType(code, ...)`, `function.__code__ = code` | [`install`] |
//! | `def`, `lambda`, a comprehension: it is a constant of code that runs | with that |
//!
//! So it does not matter where it comes from: `compile`, `marshal`, `code.replace`, `types.CodeType`, a frozen module.
//! What the interpreter has run before any of this was installed is found by [`prepare_all`].

mod fold;
mod in_place;
mod source;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyBytes, PyCode, PyFunction, PyInt, PyStr, PyTypeRef};
use rustpython_vm::bytecode::{ADAPTIVE_WARMUP_VALUE, CodeFlags, Instruction, JUMP_BACKWARD_INITIAL_VALUE};
use rustpython_vm::compiler::Mode;
use rustpython_vm::frame::current_code;
use rustpython_vm::function::{ArgMapping, FuncArgs, PySetterValue};
use rustpython_vm::scope::Scope;
use rustpython_vm::{AsObject, Context, Py, PyObject, PyObjectRef, PyRef, PyResult, TryFromObject, VirtualMachine};

use source::Source;

/// Compiles source for [`run`]; what is wrong with it is an exception.
///
/// # Errors
/// What is wrong with the source.
pub fn compile(source: &str, mode: Mode, filename: &str, vm: &VirtualMachine) -> PyResult<PyRef<PyCode>> {
    let code = vm.compile(source, mode, filename).map_err(|error| error.into_pyexception(vm, Some(source)));
    mended(code, &Source { text: lines(source), mode, filename, opts: vm.compile_opts() }, vm)
}

/// What the builtin `compile` should give for these arguments, of which RustPython's has made `code`.
///
/// # Errors
/// What is wrong with the source.
pub fn of_compile(
    args: &FuncArgs,
    code: PyResult,
    compile: impl FnOnce(FuncArgs, &VirtualMachine) -> PyResult,
    vm: &VirtualMachine,
) -> PyResult {
    let argument = |at: usize, name: &str| args.args.get(at).or_else(|| args.kwargs.get(name));
    let int = |at, name| match argument(at, name) {
        Some(given) => given.downcast_ref_if_exact::<PyInt>(vm).and_then(|it| i32::try_from(it.as_bigint()).ok()),
        None => Some(0),
    };
    let text = argument(0, "source").and_then(|it| text_of(it));
    let filename = argument(1, "filename").and_then(|it| it.downcast_ref::<PyStr>()?.to_str());
    let mode = argument(2, "mode").and_then(|it| it.downcast_ref::<PyStr>()?.to_str()?.parse().ok());
    let (Some(text), Some(filename), Some(mode), Some(flags)) = (text, filename, mode, int(3, "flags")) else {
        return code;
    };
    let mut opts = vm.compile_opts();
    opts.allow_top_level_await = flags & TOP_LEVEL_AWAIT != 0;
    opts.dont_imply_dedent = flags & DONT_IMPLY_DEDENT != 0;
    opts.future_features = CodeFlags::from_bits_truncate(flags.cast_unsigned()) & CodeFlags::FUTURE_MASK;
    if let Some(code) =
        current_code().filter(|_| argument(4, "dont_inherit").is_none_or(|it| it.is(&vm.ctx.false_value)))
    {
        opts.future_features |= code.flags & CodeFlags::FUTURE_MASK;
    }
    if let Some(given) = argument(5, "optimize").and_then(|it| it.downcast_ref::<PyInt>())
        && let Ok(given) = u8::try_from(given.as_bigint())
    {
        opts.optimize = given;
    }
    let source = Source { text: lines(text), mode, filename, opts };
    if flags & ONLY_TREE == 0 {
        let code = code.and_then(|it| it.downcast().map_err(|_| vm.new_type_error("compile() made no code")));
        return mended(code, &source, vm).map(Into::into);
    }
    // A tree has no comments.
    match code {
        Err(error) if is_syntax_error(&error, vm) && flags & TYPE_COMMENTS == 0 => {
            let Some(text) = source.without_comments() else { return Err(error) };
            let mut args = args.clone();
            match args.args.first_mut() {
                Some(source) => *source = vm.ctx.new_str(text).into(),
                None => return Err(error),
            }
            compile(args, vm).map_err(|_| error)
        }
        _ => code,
    }
}

/// Flags of `compile`, as the module `ast` has them.
const DONT_IMPLY_DEDENT: i32 = 0x200;
const ONLY_TREE: i32 = 0x400;
const TYPE_COMMENTS: i32 = 0x1000;
const TOP_LEVEL_AWAIT: i32 = 0x2000;

/// What source says, which a file's loader gives as bytes; `None` if it says that these are no UTF-8.
fn text_of(source: &PyObject) -> Option<&str> {
    if let Some(text) = source.downcast_ref::<PyStr>() {
        return text.to_str();
    }
    let bytes = source.downcast_ref::<PyBytes>()?.as_bytes();
    let text = std::str::from_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).ok()?;
    let is_utf8 = |line: &str| !line.contains("coding") || line.to_ascii_lowercase().contains("utf");
    text.lines().take(2).all(is_utf8).then_some(text)
}

/// The text as the compiler reads it.
fn lines(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// What RustPython has made of source, set right.
fn mended(code: PyResult<PyRef<PyCode>>, source: &Source<'_>, vm: &VirtualMachine) -> PyResult<PyRef<PyCode>> {
    match code {
        Ok(code) => Ok(source.again(vm).unwrap_or(code)),
        Err(error) if is_syntax_error(&error, vm) => source.despite(vm).ok_or(error),
        Err(error) => Err(error),
    }
}

/// Not that the source is not complete.
fn is_syntax_error(error: &PyBaseExceptionRef, vm: &VirtualMachine) -> bool {
    error.class().is(vm.ctx.exceptions.syntax_error)
}

/// Runs code in a namespace.
///
/// # Errors
/// What the code raises.
pub fn run(code: PyRef<PyCode>, scope: Scope, vm: &VirtualMachine) -> PyResult {
    prepare(&code);
    vm.run_code_obj(code, scope)
}

/// Prepares code that has not run yet, and what it has as constants. Done again, it does nothing.
pub fn prepare(code: &Py<PyCode>) {
    if code.quickened.load(Ordering::Acquire) {
        return;
    }
    let mut seen = HashSet::from([code.get_id()]);
    let mut all: Vec<PyRef<PyCode>> = vec![code.to_owned()];
    let mut next = 0;
    while let Some(code) = all.get(next).cloned() {
        for constant in code.constants.iter() {
            if let Ok(inner) = PyObjectRef::from(constant.clone()).downcast::<PyCode>()
                && !inner.quickened.load(Ordering::Acquire)
                && seen.insert(inner.get_id())
            {
                all.push(inner);
            }
        }
        next += 1;
    }
    // Inner code first: what is marked has nothing unmarked in it.
    for code in all.iter().rev() {
        start(code);
        code.quickened.store(true, Ordering::Release);
    }
}

/// Prepares the code of all living functions, some of which has run.
pub fn prepare_all(vm: &VirtualMachine) {
    for object in vm.state.gc.get_objects(None) {
        if object.downcast_ref::<PyFunction>().is_some()
            && let Ok(code) = object.get_attr("__code__", vm)
            && let Some(code) = code.downcast_ref::<PyCode>()
        {
            prepare(code);
            in_place::settle(code);
        }
    }
}

/// Counts how often instructions run before RustPython rewrites them, as it does when code first runs.
fn start(code: &PyCode) {
    let units = &code.instructions;
    let mut at = 0;
    while at < units.len() {
        let op = units.read_op(at);
        let caches = op.cache_entries();
        if caches > 0 && at + 1 < units.len() && !op.is_instrumented() {
            let counter = match op {
                _ if in_place::is_one(units, at) => in_place::NEVER,
                Instruction::JumpBackward { .. } => JUMP_BACKWARD_INITIAL_VALUE,
                _ => ADAPTIVE_WARMUP_VALUE,
            };
            // SAFETY: the unit is there.
            unsafe { units.write_adaptive_counter(at + 1, counter) };
        }
        at += 1 + caches;
    }
}

/// The arguments of `exec` or `eval`, with code that is prepared in the place of text.
///
/// What the builtin itself will refuse is left as it is.
///
/// # Errors
/// What is wrong with the text.
pub fn of_call(
    mut args: FuncArgs,
    mode: Mode,
    compile: impl FnOnce(FuncArgs, &VirtualMachine) -> PyResult,
    vm: &VirtualMachine,
) -> PyResult<FuncArgs> {
    let Some(source) = args.args.first() else { return Ok(args) };
    if let Some(code) = source.downcast_ref::<PyCode>() {
        prepare(code);
        return Ok(args);
    }
    if !is_well_called(&args, vm) {
        return Ok(args);
    }
    let (source, mode) = match mode {
        Mode::Eval => (without_indent(source, vm), "eval"),
        _ => (source.clone(), "exec"),
    };
    let filename = vm.ctx.new_str("<string>").into();
    let code = compile(vec![source, filename, vm.ctx.new_str(mode).into()].into(), vm)?;
    if let Some(code) = code.downcast_ref::<PyCode>() {
        prepare(code);
    }
    args.args[0] = code;
    Ok(args)
}

/// Whether `exec` and `eval` will compile what they are called with.
fn is_well_called(args: &FuncArgs, vm: &VirtualMachine) -> bool {
    let named = |name: &str| args.kwargs.iter().find(|(it, _)| it.as_str() == Ok(name)).map(|(_, value)| value);
    let [globals, locals] = [(1, "globals"), (2, "locals")].map(|(at, name)| args.args.get(at).or_else(|| named(name)));
    let given = |it: &PyObjectRef| !vm.is_none(it);
    let source = &args.args[0];
    (source.downcast_ref::<PyStr>().is_some() || source.class().slots.as_buffer.load().is_some())
        && args.args.len() <= 3
        && args.args.len() + args.kwargs.len() == 1 + usize::from(globals.is_some()) + usize::from(locals.is_some())
        && globals.filter(|it| given(it)).is_none_or(|it| it.fast_isinstance(vm.ctx.types.dict_type))
        && locals.filter(|it| given(it)).is_none_or(|it| ArgMapping::try_from_object(vm, it.clone()).is_ok())
}

/// The text of an expression, which may be indented.
fn without_indent(source: &PyObject, vm: &VirtualMachine) -> PyObjectRef {
    const INDENT: [u8; 2] = *b" \t";
    let blanks = |bytes: &[u8]| bytes.iter().take_while(|it| INDENT.contains(it)).count();
    if let Some(text) = source.downcast_ref::<PyStr>().and_then(|it| it.to_str())
        && text.starts_with([' ', '\t'])
    {
        vm.ctx.new_str(&text[blanks(text.as_bytes())..]).into()
    } else if let Some(bytes) = source.downcast_ref::<PyBytes>().map(|it| it.as_bytes())
        && blanks(bytes) > 0
    {
        vm.ctx.new_bytes(bytes[blanks(bytes)..].to_vec()).into()
    } else {
        source.to_owned()
    }
}

type New = fn(PyTypeRef, FuncArgs, &VirtualMachine) -> PyResult;
type Get = fn(&PyObject, Option<&PyObject>, Option<&PyObject>, &VirtualMachine) -> PyResult;
type Set = fn(&PyObject, PyObjectRef, PySetterValue, &VirtualMachine) -> PyResult<()>;

/// RustPython's constructor of functions.
static NEW_FUNCTION: OnceLock<Option<New>> = OnceLock::new();
/// RustPython's descriptor of `__code__`, and what it does.
static CODE: OnceLock<Option<(PyObjectRef, Get, Set)>> = OnceLock::new();

/// Lets functions that are made of code objects by hand come by, once in the process.
pub fn install(ctx: &Context) {
    in_place::install(ctx);
    let functions = ctx.types.function_type;
    NEW_FUNCTION.get_or_init(|| functions.slots.new.load());
    functions.slots.new.store(Some(new_function));
    let name = ctx.intern_str("__code__");
    CODE.get_or_init(|| {
        let original = functions.get_direct_attr(name)?;
        let slots = &original.class().slots;
        let (get, set) = (slots.descr_get.load()?, slots.descr_set.load()?);
        functions.set_attr(name, ctx.new_static_getset("__code__", functions, get_code, set_code).into());
        Some((original, get, set))
    });
}

fn new_function(class: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let code = args.args.first().or_else(|| args.kwargs.get("code"));
    if let Some(code) = code.and_then(|it| it.downcast_ref::<PyCode>()) {
        prepare(code);
    }
    match NEW_FUNCTION.get() {
        Some(Some(new)) => new(class, args, vm),
        Some(None) | None => Err(vm.new_type_error("functions cannot be made")),
    }
}

fn get_code(function: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    match CODE.get() {
        Some(Some((original, get, _))) => get(original, Some(&function), Some(function.class().as_object()), vm),
        Some(None) | None => Err(vm.new_attribute_error("__code__")),
    }
}

fn set_code(function: PyObjectRef, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
    if let PySetterValue::Assign(code) = &value
        && let Some(code) = code.downcast_ref::<PyCode>()
    {
        prepare(code);
    }
    match CODE.get() {
        Some(Some((original, _, set))) => set(original, function, value, vm),
        Some(None) | None => Err(vm.new_attribute_error("__code__")),
    }
}
