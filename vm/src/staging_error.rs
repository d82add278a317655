//! `StagingError`: a refusal as Python sees it, and back.

use std::sync::OnceLock;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyStr, PyTuple, PyTypeRef};
use rustpython_vm::{AsObject, PyObjectRef, PyResult, TryFromObject, VirtualMachine};

use crate::codes;
use crate::refusal::{Place, Refusal};

/// The class `snekpy.StagingError`.
///
/// One for the process, like the builtin classes: interpreters share their types.
pub(crate) fn class(vm: &VirtualMachine) -> PyTypeRef {
    static CLASS: OnceLock<PyTypeRef> = OnceLock::new();
    let make = || {
        let class = vm.ctx.new_exception_type("snekpy", "StagingError", None);
        class.set_attr(vm.ctx.intern_str("__doc__"), vm.ctx.new_str(DOC).into());
        class
    };
    CLASS.get_or_init(make).clone()
}

const DOC: &str = "A call cannot be staged, and it was not left to plain Python.

Raised before the call has done anything. Its attributes:

code: such as 'S302'; snekpy.explain(code) tells more
message: what is wrong
help: what can be done, or None
file, line: where, or None
places: where, with the calls that lead there, innermost first: dicts with file, line, column, end_line,
    end_column and function
notes: other places that matter: dicts with place and text";

/// The exception of a refusal, with what it says as attributes.
pub(crate) fn raise(refusal: &Refusal, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let exception = vm.new_exception_msg(class(vm), refusal.to_string().into());
    match describe(&exception, refusal, vm) {
        Ok(()) => exception,
        Err(error) => error,
    }
}

fn describe(exception: &PyBaseExceptionRef, refusal: &Refusal, vm: &VirtualMachine) -> PyResult<()> {
    let text = |text: &str| -> PyObjectRef { vm.ctx.new_str(text).into() };
    let place = refusal.places.first();
    let places = refusal.places.iter().map(|place| place_to_dict(place, vm)).collect::<PyResult<Vec<_>>>()?;
    let note = |(place, what): &(Place, String)| -> PyResult {
        let dict = vm.ctx.new_dict();
        dict.set_item("place", place_to_dict(place, vm)?, vm)?;
        dict.set_item("text", text(what), vm)?;
        Ok(dict.into())
    };
    let notes = refusal.notes.iter().map(note).collect::<PyResult<Vec<_>>>()?;
    let attributes = [
        ("code", text(refusal.code)),
        ("message", text(&refusal.message)),
        ("help", refusal.help.as_deref().map_or_else(|| vm.ctx.none(), text)),
        ("file", place.map_or_else(|| vm.ctx.none(), |place| text(&place.file))),
        ("line", place.map_or_else(|| vm.ctx.none(), |place| vm.ctx.new_int(place.line).into())),
        ("places", vm.ctx.new_tuple(places).into()),
        ("notes", vm.ctx.new_tuple(notes).into()),
    ];
    attributes.into_iter().try_for_each(|(name, value)| exception.as_object().set_attr(name, value, vm))
}

fn place_to_dict(place: &Place, vm: &VirtualMachine) -> PyResult {
    let dict = vm.ctx.new_dict();
    let (end_line, end_column) = place.end;
    dict.set_item("file", vm.ctx.new_str(place.file.as_str()).into(), vm)?;
    for (name, number) in
        [("line", place.line), ("column", place.column), ("end_line", end_line), ("end_column", end_column)]
    {
        dict.set_item(name, vm.ctx.new_int(number).into(), vm)?;
    }
    dict.set_item("function", vm.ctx.new_str(place.func.as_str()).into(), vm)?;
    Ok(dict.into())
}

/// The refusal that an exception tells about; `None` for other exceptions, and for a `StagingError` that a
/// program has made or changed.
pub fn refusal_of(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> Option<Refusal> {
    if !exception.class().fast_issubclass(&class(vm)) {
        return None;
    }
    let get = |name: &'static str| exception.as_object().get_attr(name, vm).ok();
    let code = codes::find(&text(get("code")?)?).ok()?.name;
    let help = get("help")?;
    let places = get("places")?;
    let notes = get("notes")?;
    let note = |note: &PyObjectRef| Some((place_of(&item(note, "place", vm)?, vm)?, text(item(note, "text", vm)?)?));
    Some(Refusal {
        code,
        message: text(get("message")?)?,
        help: if vm.is_none(&help) { None } else { Some(text(help)?) },
        places: places.downcast_ref::<PyTuple>()?.iter().map(|it| place_of(it, vm)).collect::<Option<_>>()?,
        notes: notes.downcast_ref::<PyTuple>()?.iter().map(note).collect::<Option<_>>()?,
    })
}

fn place_of(dict: &PyObjectRef, vm: &VirtualMachine) -> Option<Place> {
    let number = |name| u32::try_from_object(vm, item(dict, name, vm)?).ok();
    Some(Place {
        file: text(item(dict, "file", vm)?)?,
        line: number("line")?,
        column: number("column")?,
        end: (number("end_line")?, number("end_column")?),
        func: text(item(dict, "function", vm)?)?,
    })
}

fn item(dict: &PyObjectRef, name: &'static str, vm: &VirtualMachine) -> Option<PyObjectRef> {
    dict.get_item(name, vm).ok()
}

fn text(object: PyObjectRef) -> Option<String> {
    object.downcast_ref::<PyStr>().map(|it| it.to_string_lossy().into_owned())
}

/// Our mistake, as an exception.
pub(crate) fn bug(vm: &VirtualMachine, what: &str) -> PyBaseExceptionRef {
    vm.new_system_error(format!("this is a bug in snekpy, not in your program: {what}"))
}
