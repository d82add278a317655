//! Which modules can be imported: native ones, frozen ones, and files on `sys.path`. Nothing is imported to find out.

use rustpython_vm::builtins::{PyList, PyStr};
use rustpython_vm::{PyObject, PyObjectRef, VirtualMachine};
use std::path::{Path, PathBuf};

/// The modules of a package, or those that have no package, without the package's name.
pub(crate) fn modules(package: Option<&str>, vm: &VirtualMachine) -> Vec<String> {
    let state = &vm.state;
    #[allow(clippy::iter_over_hash_type, reason = "the candidates are sorted")]
    let known = state.module_defs.keys().chain(state.frozen.keys()).copied();
    let mut names: Vec<String> = known.filter_map(|name| within(name, package)).map(str::to_owned).collect();
    for folder in folders(package, vm) {
        names.extend(files(&folder));
    }
    names
}

/// The next part of a dotted name behind the package.
fn within<'name>(name: &'name str, package: Option<&str>) -> Option<&'name str> {
    let rest = match package {
        Some(package) => name.strip_prefix(package)?.strip_prefix('.')?,
        None => name,
    };
    (!rest.contains('.')).then_some(rest)
}

/// Where the files of a package are.
fn folders(package: Option<&str>, vm: &VirtualMachine) -> Vec<PathBuf> {
    let path = match package {
        None => vm.sys_module.get_attr("path", vm).ok(),
        Some(package) => loaded(package, vm).and_then(|module| module.get_attr("__path__", vm).ok()),
    };
    if let Some(path) = path {
        return texts(&path).into_iter().map(|it| PathBuf::from(if it.is_empty() { "." } else { &it })).collect();
    }
    // A package that is not imported yet is where its name leads.
    let Some(package) = package else { return Vec::new() };
    folders(None, vm).into_iter().map(|folder| package.split('.').fold(folder, |it, part| it.join(part))).collect()
}

/// The module of this name, if it has been imported.
pub(crate) fn loaded(name: &str, vm: &VirtualMachine) -> Option<PyObjectRef> {
    vm.sys_module.get_attr("modules", vm).ok()?.get_item(name, vm).ok()
}

fn texts(list: &PyObject) -> Vec<String> {
    let items = list.downcast_ref::<PyList>().map(|it| it.borrow_vec().to_vec()).unwrap_or_default();
    items.iter().filter_map(|it| it.downcast_ref::<PyStr>()).map(|it| it.to_string_lossy().into_owned()).collect()
}

/// The modules and packages in a folder.
fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let name = |entry: std::fs::DirEntry| {
        let file = entry.file_name().into_string().ok()?;
        let name = match file.strip_suffix(".py") {
            Some(name) => name,
            None if entry.path().join("__init__.py").exists() => &file,
            None => return None,
        };
        let is_name = name != "__init__" && name.chars().all(|it| it.is_alphanumeric() || it == '_');
        is_name.then(|| name.to_owned())
    };
    entries.flatten().filter_map(name).collect()
}
