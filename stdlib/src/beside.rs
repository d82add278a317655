//! Modules of the program before those of the library.
//!
//! The library is frozen into the binary, and RustPython looks there before it looks at `sys.path`: a `calendar.py`
//! beside the script would never be found. `FrozenImporter.find_spec` is replaced by a function that looks at the
//! entries of `sys.path` first which come before the place of the library, as they do in CPython. Whether one of them
//! has such a module is asked natively, a few system calls for each import.

use rustpython_vm::builtins::{PyList, PyStr};
use rustpython_vm::function::{FuncArgs, ItemDoc, PyMethodDef, PyMethodFlags};
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};
use std::path::Path;

/// What CPython has frozen, or has imported before it knows the folder of the program.
const FIRST: [&str; 22] = [
    "_collections_abc",
    "_frozen_importlib",
    "_frozen_importlib_external",
    "_sitebuiltins",
    "abc",
    "codecs",
    "copyreg",
    "encodings",
    "genericpath",
    "importlib",
    "io",
    "ntpath",
    "os",
    "posixpath",
    "runpy",
    "site",
    "stat",
    "zipimport",
    "__hello__",
    "__hello_alias__",
    "__phello__",
    "__phello_alias__",
];

/// Where RustPython's own function is kept.
const ORIGINAL: &str = "_find_frozen_spec";

static FIND_SPEC: PyMethodDef = PyMethodDef::new_const("find_spec", find_spec, PyMethodFlags::empty(), ItemDoc::NONE);

/// Lets the program's own modules come first.
pub(crate) fn install(vm: &VirtualMachine) -> PyResult<()> {
    let importer = importer(vm)?;
    let original = importer.get_attr("find_spec", vm)?;
    importer.set_attr(ORIGINAL, original, vm)?;
    // A native function is no descriptor: it is found in the class as it stands there.
    importer.set_attr("find_spec", FIND_SPEC.to_function().into_ref(&vm.ctx), vm)
}

fn importer(vm: &VirtualMachine) -> PyResult {
    let modules = vm.sys_module.get_attr("modules", vm)?;
    modules.get_item("_frozen_importlib", vm)?.get_attr("FrozenImporter", vm)
}

/// `find_spec(fullname, path=None, target=None)`.
fn find_spec(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let argument = |at: usize, name: &str| args.args.get(at).or_else(|| args.kwargs.get(name));
    let path = argument(1, "path").filter(|it| !vm.is_none(it));
    if let (Some(name), None) = (argument(0, "fullname"), path)
        && let Some(spec) = find_beside(name, vm)?
    {
        return Ok(spec);
    }
    let is_importlib = argument(0, "fullname")
        .and_then(|it| it.downcast_ref::<PyStr>())
        .is_some_and(|it| it.as_bytes() == b"importlib");
    let spec = importer(vm)?.get_attr(ORIGINAL, vm)?.call(args, vm)?;
    if is_importlib && let Some(folder) = library(vm).get(1) {
        // `asyncio` and `pdb` look at its path to learn where the library is.
        let path = spec.get_attr("submodule_search_locations", vm)?;
        if let Some(path) = path.downcast_ref::<PyList>() {
            path.borrow_vec_mut().push(vm.new_pyobj(format!("{folder}/importlib")));
        }
    }
    Ok(spec)
}

/// The places of the library, as `sys.path` has them: an archive, a folder, a folder of native modules.
fn library(vm: &VirtualMachine) -> &[String] {
    let config = &vm.state.config;
    let path = &config.paths.module_search_paths;
    &path[config.settings.path_list.len().min(path.len())..]
}

/// The module of that name in front of the library's, if there is one.
fn find_beside(name: &PyObject, vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
    let Some(text) = name.downcast_ref::<PyStr>().and_then(|it| it.to_str()) else { return Ok(None) };
    if FIRST.contains(&text) {
        return Ok(None);
    }
    let places = places(vm)?;
    if !places.iter().any(|place| might_have(place, text)) {
        return Ok(None);
    }
    let modules = vm.sys_module.get_attr("modules", vm)?;
    let finder = modules.get_item("_frozen_importlib_external", vm)?.get_attr("PathFinder", vm)?;
    let spec = vm.call_method(&finder, "find_spec", (name.to_owned(), vm.ctx.new_list(places)))?;
    if vm.is_none(&spec) {
        return Ok(None);
    }
    // A folder without `__init__` has none, and is found last of all.
    let loader = spec.get_attr("loader", vm)?;
    Ok((!vm.is_none(&loader)).then_some(spec))
}

/// The entries of `sys.path` in front of the library's.
fn places(vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
    let path = vm.sys_module.get_attr("path", vm)?;
    let Some(path) = path.downcast_ref::<PyList>() else { return Ok(Vec::new()) };
    let path = path.borrow_vec().to_vec();
    let library = library(vm);
    let is_library = |entry: &PyObjectRef| {
        let entry = entry.downcast_ref::<PyStr>().and_then(|it| it.to_str());
        entry.is_some_and(|entry| library.iter().any(|it| it == entry))
    };
    Ok(path.into_iter().take_while(|entry| !is_library(entry)).collect())
}

/// Whether an entry of `sys.path` may hold a module. What is no folder is for its path hook to judge.
fn might_have(place: &PyObject, module: &str) -> bool {
    let Some(place) = place.downcast_ref::<PyStr>().and_then(|it| it.to_str()) else { return false };
    let place = Path::new(if place.is_empty() { "." } else { place });
    if place.is_file() {
        return true;
    }
    let folder = place.join(module);
    ["py", "pyc"].iter().any(|ending| {
        place.join(format!("{module}.{ending}")).exists() || folder.join(format!("__init__.{ending}")).exists()
    })
}
