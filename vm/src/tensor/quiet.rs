//! Copies from a device where compiled code lets the VM do something: no warning can be shown there.
//!
//! One that is shown, or raised, runs Python that may look at the program. So it is first asked what Python's `warnings`
//! would do, at the line of the program that the code is made of. Where that is nothing, because the line has warned before
//! or is not to, the copy is made, and the code goes on. Else the copy does not count, and the call leaves: plain Python
//! makes another one, and warns.

use std::cell::RefCell;

use rustpython_vm::builtins::{PyDict, PyDictRef, PyInt, PyList, PyModule, PyStr, PyStrRef, PyTuple, PyType};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::vm::thread::get_current_frame;
use rustpython_vm::warn::warn_explicit;
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::copies::{LIBRARY, warning_class};
use crate::site::Site;

thread_local! {
    /// What this thread lets the VM do.
    static QUIET: RefCell<Option<Quiet>> = const { RefCell::new(None) };
}

struct Quiet {
    line: Option<Line>,
    /// The innermost frame of Python: what frames inside it do is no part of this.
    frame: usize,
    is_loud: bool,
}

/// A line of the program.
#[derive(Clone)]
struct Line {
    globals: PyDictRef,
    /// The name of its module.
    module: PyObjectRef,
    file: PyStrRef,
    number: usize,
}

fn frame() -> usize {
    get_current_frame().addr()
}

/// Does something for the place of the program with these sites, the innermost first. `None` if a warning would have been
/// shown: then what was done does not count.
pub(crate) fn quietly<'a, T>(
    sites: impl IntoIterator<Item = &'a Site>,
    vm: &VirtualMachine,
    work: impl FnOnce() -> T,
) -> Option<T> {
    struct Restore(Option<Quiet>);
    impl Drop for Restore {
        fn drop(&mut self) {
            QUIET.set(self.0.take());
        }
    }
    let line = Line::of(sites, vm);
    let restore = Restore(QUIET.replace(Some(Quiet { line, frame: frame(), is_loud: false })));
    let done = work();
    let is_loud = QUIET.with_borrow(|it| it.as_ref().is_some_and(|it| it.is_loud));
    drop(restore);
    (!is_loud).then_some(done)
}

/// Tells the program of a copy if nothing is shown, and says whether it has. `None` where things may be shown.
pub(super) fn tell(text: &str, vm: &VirtualMachine) -> Option<bool> {
    let line = QUIET.with_borrow(|it| Some(it.as_ref().filter(|it| it.frame == frame())?.line.clone()))?;
    let has_told = line.is_some_and(|line| line.tell(text, vm).unwrap_or(false));
    QUIET.with_borrow_mut(|it| it.iter_mut().for_each(|it| it.is_loud |= !has_told));
    Some(has_told)
}

impl Line {
    /// The innermost line outside the library.
    fn of<'a>(sites: impl IntoIterator<Item = &'a Site>, vm: &VirtualMachine) -> Option<Self> {
        for site in sites {
            let module = site.globals.get_item_opt("__name__", vm).ok()??;
            let name = module.downcast_ref_if_exact::<PyStr>(vm)?;
            if !name.to_string_lossy().starts_with(LIBRARY) {
                let number = usize::try_from(site.code.addr2line(2 * site.unit.cast_signed())).unwrap_or(0);
                let (globals, file) = (site.globals.clone(), site.code.code.source_path.to_owned());
                return Some(Self { globals, module, file, number });
            }
        }
        None
    }

    /// Whether nothing is shown. Only then has it been told.
    fn tell(&self, text: &str, vm: &VirtualMachine) -> PyResult<bool> {
        let Self { globals, module, file, number } = self;
        let found = globals.get_item_opt("__warningregistry__", vm)?;
        let is_new = found.is_none();
        let registry = found.unwrap_or_else(|| vm.ctx.new_dict().into());
        let Ok(registry) = registry.downcast_exact::<PyDict>(vm) else { return Ok(false) };
        let registry = registry.into_pyref();
        let category = warning_class(vm);
        let text: PyObjectRef = vm.ctx.new_str(text).into();
        let key = vm.ctx.new_tuple(vec![text.clone(), category.clone().into(), vm.ctx.new_int(*number).into()]);
        if has_warned(&registry, key.as_object(), vm)? {
            return Ok(true);
        }
        if !is_ignored(&category, &text, module, *number, vm) {
            return Ok(false);
        }
        if is_new {
            globals.set_item("__warningregistry__", registry.clone().into(), vm)?;
        }
        let module = Some(module.clone());
        warn_explicit(Some(category), text, file.clone(), *number, module, registry.into(), None, None, vm)?;
        Ok(true)
    }
}

/// Whether a line has warned, and does so once.
fn has_warned(registry: &Py<PyDict>, key: &PyObject, vm: &VirtualMachine) -> PyResult<bool> {
    let version = vm.state.warnings.filters_version.load(std::sync::atomic::Ordering::SeqCst);
    let is_now = |it: &PyObjectRef| it.downcast_ref::<PyInt>().is_some_and(|it| it.as_u32_mask() as usize == version);
    Ok(registry.get_item_opt("version", vm)?.is_some_and(|it| is_now(&it))
        && registry.get_item_opt(key, vm)?.is_some_and(|it| it.is(&vm.ctx.true_value)))
}

/// Whether the first filter that fits ignores a warning. Filters that may run Python are not asked: then nobody knows.
fn is_ignored(category: &Py<PyType>, text: &PyObject, module: &PyObject, line: usize, vm: &VirtualMachine) -> bool {
    // What `catch_warnings` of a context has set, which is one of its own there.
    let in_context = vm.state.warnings.context_var.get().filter(|it| !vm.is_none(it));
    if in_context.is_some_and(|it| !vm.call_method(it, "get", (vm.ctx.none(),)).is_ok_and(|it| vm.is_none(&it))) {
        return false;
    }
    let filters = || {
        let modules = vm.sys_module.get_attr("modules", vm).ok()?;
        let warnings = modules.get_item("warnings", vm).ok()?;
        let found = warnings.downcast_ref_if_exact::<PyModule>(vm)?.get_attr("filters", vm).ok()?;
        Some(found.downcast_ref_if_exact::<PyList>(vm)?.borrow_vec().to_vec())
    };
    for filter in filters().into_iter().flatten() {
        let Some([action, texts, of, modules, number]) =
            filter.downcast_ref_if_exact::<PyTuple>(vm).and_then(|it| it.as_slice().as_array())
        else {
            return false;
        };
        let of = of.downcast_ref::<PyType>().filter(|it| it.class().is(vm.ctx.types.type_type));
        let number = number.downcast_ref_if_exact::<PyInt>(vm).map(|it| it.as_u32_mask() as usize);
        let (Some(of), Some(number)) = (of, number) else { return false };
        let (Some(texts), Some(modules)) = (matches(texts, text, vm), matches(modules, module, vm)) else {
            return false;
        };
        if texts && modules && category.fast_issubclass(of) && (number == 0 || number == line) {
            return action.downcast_ref_if_exact::<PyStr>(vm).is_some_and(|it| it.as_bytes() == b"ignore");
        }
    }
    false
}

/// Whether a part of a filter fits a text; `None` if that may run Python.
fn matches(part: &PyObject, text: &PyObject, vm: &VirtualMachine) -> Option<bool> {
    if vm.is_none(part) {
        return Some(true);
    }
    if let Some(part) = part.downcast_ref_if_exact::<PyStr>(vm) {
        return Some(text.downcast_ref::<PyStr>()?.as_bytes() == part.as_bytes());
    }
    is_pattern(part).then_some(())?;
    vm.call_method(part, "match", (text.to_owned(),)).ok().map(|it| !vm.is_none(&it))
}

/// Whether an object is a compiled regular expression.
fn is_pattern(object: &PyObject) -> bool {
    let class = object.class();
    !class.slots.flags.has_feature(PyTypeFlags::HEAPTYPE) && &*class.slot_name() == "re.Pattern"
}
