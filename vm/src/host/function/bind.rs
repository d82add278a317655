//! Binding arguments to parameters: a port of `PyFunction::fill_locals_from_args_inner`
//! (`rustpython-vm` 0.6.0, `builtins/function.rs`), which is private. Order of checks and texts of
//! errors are the original's.

use super::FunctionParts;
use rustpython_vm::{
    Py, PyObjectRef, PyResult, VirtualMachine, builtins::PyCode, bytecode::CodeFlags, common::wtf8::Wtf8Buf,
    function::FuncArgs,
};
use std::{fmt::Display, ops::Range};

/// The fast locals of a new frame: parameters filled in, everything else empty.
///
/// There is one slot per entry of `code.localspluskinds`. Closure cells are not copied into their
/// slots; that is what COPY_FREE_VARS does.
pub fn bind(parts: &FunctionParts, args: FuncArgs, vm: &VirtualMachine) -> PyResult<Vec<Option<PyObjectRef>>> {
    let code: &Py<PyCode> = &parts.code;
    let mut locals: Vec<Option<PyObjectRef>> = Vec::with_capacity(code.localspluskinds.len());
    let positional = code.arg_count as usize;
    let variadic = CodeFlags::VARARGS | CodeFlags::VARKEYWORDS;

    // The common call: every parameter is positional and gets one argument.
    let exact = args.kwargs.is_empty() && args.args.len() == positional;
    if exact && code.kwonlyarg_count == 0 && !code.flags.intersects(variadic) {
        locals.extend(args.args.into_iter().map(Some));
        locals.resize(code.localspluskinds.len(), None);
        return Ok(locals);
    }

    locals.resize(code.localspluskinds.len(), None);
    let given = args.args.len();
    let mut surplus = args.args.into_iter();
    for (slot, arg) in locals.iter_mut().zip(surplus.by_ref().take(positional)) {
        *slot = Some(arg);
    }

    let named = positional + code.kwonlyarg_count as usize;
    let mut variadic_slot = named;
    let too_many = if code.flags.contains(CodeFlags::VARARGS) {
        locals[variadic_slot] = Some(vm.ctx.new_tuple(surplus.collect()).into());
        variadic_slot += 1;
        false
    } else {
        given > positional
    };
    // Counted before the keywords are taken out of the call; only the message below wants it.
    let kwonly_given = if too_many {
        let names = &code.varnames[positional..named];
        names.iter().filter(|name| args.kwargs.contains_key(name.as_str())).count()
    } else {
        0
    };

    let kwargs = code.flags.contains(CodeFlags::VARKEYWORDS).then(|| vm.ctx.new_dict());
    if let Some(kwargs) = &kwargs {
        locals[variadic_slot] = Some(kwargs.clone().into());
    }
    let posonly = code.posonlyarg_count as usize;
    let mut keywords = args.kwargs.into_iter();
    while let Some((name, value)) = keywords.next() {
        if let Some(slot) = parameter(code, posonly..named, &name) {
            if locals[slot].is_some() {
                return Err(
                    vm.new_type_error(format!("{}() got multiple values for argument '{name}'", parts.qualname))
                );
            }
            locals[slot] = Some(value);
        } else if let Some(kwargs) = &kwargs {
            kwargs.set_item(&name, value, vm)?;
        } else {
            return Err(vm.new_type_error(misplaced_keyword(parts, name, keywords.map(|(name, _)| name))));
        }
    }
    if too_many {
        return Err(vm.new_type_error(too_many_positional(parts, given, kwonly_given)));
    }

    if given < positional {
        fill_defaults(parts, given, &mut locals, vm)?;
    }
    fill_keyword_defaults(parts, &mut locals, vm)?;
    Ok(locals)
}

/// The parameter of this name among the slots in `range`.
fn parameter(code: &Py<PyCode>, range: Range<usize>, name: &Wtf8Buf) -> Option<usize> {
    // Parameter names are identifiers: a keyword that is not valid UTF-8 matches none.
    let name = name.as_str().ok()?;
    let start = range.start;
    code.varnames[range].iter().position(|varname| varname.as_str() == name).map(|offset| start + offset)
}

/// Gives missing positional parameters their defaults.
fn fill_defaults(
    parts: &FunctionParts,
    given: usize,
    locals: &mut [Option<PyObjectRef>],
    vm: &VirtualMachine,
) -> PyResult<()> {
    let defaults = parts.defaults.as_ref().map_or(&[][..], |defaults| defaults.as_slice());
    // `__defaults__` can be assigned: a longer tuple than there are parameters is an arithmetic
    // overflow in the original; here its last items count.
    let positional = parts.code.arg_count as usize;
    let defaults = &defaults[defaults.len().saturating_sub(positional)..];
    let required = positional - defaults.len();
    let mut missing: Vec<_> =
        (given..required).filter(|&slot| locals[slot].is_none()).map(|slot| parts.code.varnames[slot]).collect();
    if !missing.is_empty() {
        return Err(vm.new_type_error(missing_arguments(parts, "positional", &mut missing)));
    }
    for (slot, default) in locals[required..positional].iter_mut().zip(defaults) {
        slot.get_or_insert_with(|| default.clone());
    }
    Ok(())
}

/// Gives missing keyword-only parameters their defaults.
fn fill_keyword_defaults(
    parts: &FunctionParts,
    locals: &mut [Option<PyObjectRef>],
    vm: &VirtualMachine,
) -> PyResult<()> {
    let positional = parts.code.arg_count as usize;
    let parameters = positional..positional + parts.code.kwonlyarg_count as usize;
    let names = &parts.code.varnames[parameters.clone()];
    let mut missing = Vec::new();
    for (slot, name) in locals[parameters].iter_mut().zip(names).filter(|(slot, _)| slot.is_none()) {
        let default = match &parts.kwdefaults {
            Some(defaults) => defaults.get_item_opt(*name, vm)?,
            None => None,
        };
        match default {
            Some(default) => *slot = Some(default),
            None => missing.push(name),
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(vm.new_type_error(missing_arguments(parts, "keyword-only", &mut missing)))
}

/// A keyword that fits nowhere. Positional-only parameters named in the call come first, all of them.
fn misplaced_keyword(parts: &FunctionParts, name: Wtf8Buf, rest: impl Iterator<Item = Wtf8Buf>) -> String {
    let posonly = 0..parts.code.posonlyarg_count as usize;
    let names: Vec<String> = std::iter::once(name.clone())
        .chain(rest)
        .filter(|name| parameter(&parts.code, posonly.clone(), name).is_some())
        .map(|name| name.to_string())
        .collect();
    let function = &parts.qualname;
    if names.is_empty() {
        return format!("{function}() got an unexpected keyword argument '{name}'");
    }
    let names = names.join(", ");
    format!("{function}() got some positional-only arguments passed as keyword arguments: '{names}'")
}

fn too_many_positional(parts: &FunctionParts, given: usize, kwonly_given: usize) -> String {
    let expected = parts.code.arg_count as usize;
    let defaults = parts.defaults.as_ref().map_or(0, |defaults| defaults.as_slice().len());
    let (takes, plural) = if defaults > 0 {
        (format!("from {} to {expected}", expected.saturating_sub(defaults)), true)
    } else {
        (expected.to_string(), expected != 1)
    };
    let s = |plural| if plural { "s" } else { "" };
    let given = if kwonly_given > 0 {
        format!(
            "{given} positional argument{} (and {kwonly_given} keyword-only argument{}) were",
            s(given != 1),
            s(kwonly_given != 1)
        )
    } else {
        format!("{given} {}", if given == 1 { "was" } else { "were" })
    };
    format!("{}() takes {takes} positional argument{} but {given} given", parts.qualname, s(plural))
}

/// `f() missing 2 required positional arguments: 'a' and 'b'`
fn missing_arguments(parts: &FunctionParts, kind: &str, missing: &mut Vec<impl Display>) -> String {
    let count = missing.len();
    let last = if count > 1 { missing.pop() } else { None };
    let and = match (&last, missing.len()) {
        (None, _) => "",
        (Some(_), 1) => "' and '",
        (Some(_), _) => "', and '",
    };
    let last = last.map(|name| name.to_string()).unwrap_or_default();
    let first: Vec<String> = missing.iter().map(ToString::to_string).collect();
    format!(
        "{}() missing {count} required {kind} argument{}: '{}{and}{last}'",
        parts.qualname,
        if count == 1 { "" } else { "s" },
        first.join("', '"),
    )
}
