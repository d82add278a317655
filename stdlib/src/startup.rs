//! What RustPython does at every start and few programs need, put off until it is needed.
//!
//! | put off | was | until |
//! |---|---|---|
//! | `locale`, with `collections` and `functools` | 15 modules, asked which encoding the terminal has | imported: it is UTF-8 |
//! | `zipimport`, with `time` | a path hook | something on `sys.path` is a file |
//! | `threading` | asked at the end to wait for threads | imported: without it there are none |
//! | the collector's look at all of the above | some times meanwhile, three times at the end | never: it is set apart as permanent |
//!
//! `site` has a file of its own.

use rustpython_vm::builtins::{PyList, PyStrRef};
use rustpython_vm::{PyObjectRef, PyResult, Settings, VirtualMachine};
use snekpy_vm::host::prepare::prepare_all;
use std::path::Path;

/// The settings with what is put off switched off.
pub(crate) fn lean(mut settings: Settings) -> Settings {
    // Without an encoding, each standard stream imports `locale` to ask for one.
    if settings.stdio_encoding.is_none() {
        settings.stdio_encoding = Some("utf-8".to_owned());
        settings.stdio_errors.get_or_insert_with(|| "surrogateescape".to_owned());
    }
    // Installs the path finder and imports `zipimport`; `complete` does the first without the second.
    settings.allow_external_library = false;
    settings
}

/// Does what [`lean`] switched off, or arranges for it.
pub(crate) fn complete(vm: &VirtualMachine) -> PyResult<()> {
    // RustPython has 256 in debug builds.
    vm.recursion_limit.set(RECURSION_LIMIT);
    // A thread that a script starts gets a stack on which the standard library fits.
    vm.state.stacksize.store(THREAD_STACK);
    install_path_finder(vm)?;
    prepare_all(vm);
    crate::identity::install(vm)?;
    crate::beside::install(vm)?;
    crate::patch::install(vm)?;
    crate::numpy::install_finder(vm)?;
    vm.state.gc.freeze();
    vm.state.gc.enable();
    Ok(())
}

/// Python's own default.
const RECURSION_LIMIT: usize = 1000;

/// Stack of threads that a script starts. Reserved, not used: pages come when they are touched.
const THREAD_STACK: usize = 16 << 20;

/// Makes modules importable from folders, and from zip files when there is one.
fn install_path_finder(vm: &VirtualMachine) -> PyResult<()> {
    for module in ["posix", "_io", "marshal"] {
        rustpython_vm::import::import_builtin(vm, module)?;
    }
    let modules = vm.sys_module.get_attr("modules", vm)?;
    let importlib = modules.get_item("_frozen_importlib", vm)?;
    vm.call_method(&importlib, "_install_external_importers", ())?;
    let hooks = vm.sys_module.get_attr("path_hooks", vm)?;
    let zip_hook = vm.new_function("zipimporter", zip_hook);
    let hooks = hooks.downcast_ref::<PyList>().ok_or_else(|| vm.new_type_error("sys.path_hooks is not a list"))?;
    hooks.borrow_vec_mut().insert(0, zip_hook.into());
    Ok(())
}

/// The path hook of `zipimport`, for paths that lead through a file.
fn zip_hook(path: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    let leads_through_file = match path.clone().try_into_value::<PyStrRef>(vm) {
        Ok(text) => Path::new(&*text.to_string_lossy()).ancestors().find(|it| it.exists()).is_some_and(Path::is_file),
        Err(_) => true,
    };
    let zipimport = if leads_through_file { vm.import("zipimport", 0)? } else { return Err(no_zip(path, vm)) };
    zipimport.get_attr("zipimporter", vm)?.call((path,), vm)
}

fn no_zip(path: PyObjectRef, vm: &VirtualMachine) -> rustpython_vm::builtins::PyBaseExceptionRef {
    let path = path.str(vm).map_or_else(|_| String::new(), |it| it.to_string_lossy().into_owned());
    let message = vm.ctx.new_str(format!("not a Zip file: '{path}'"));
    let class = vm.ctx.exceptions.import_error;
    vm.new_exception(class.to_owned(), vec![message.into()])
}

/// Spares the end of a program without threads the import of `threading`, and its `__import__` a call that it has
/// not made.
///
/// RustPython imports `threading` to call `_shutdown`. If nobody has imported it, a stand-in takes that call and
/// disappears, so that what runs later (`atexit`, `__del__`) can import the real one. Until that call, `__import__` is
/// RustPython's own.
pub fn prepare_end(vm: &VirtualMachine) {
    // At worst the real module is imported, by whatever `__import__` is.
    let _ = take_shutdown(vm);
}

fn take_shutdown(vm: &VirtualMachine) -> PyResult<()> {
    let modules = vm.sys_module.get_attr("modules", vm)?;
    let builtins = vm.builtins.dict();
    let program_import = builtins.get_item_opt("__import__", vm)?;
    let own_import = modules.get_item("_frozen_importlib", vm)?.get_attr("__import__", vm)?;
    let real = match modules.get_item("threading", vm) {
        Ok(threading) => Some((threading.get_attr("_shutdown", vm)?, threading)),
        Err(_) => None,
    };
    let shutdown = vm.new_function("_shutdown", {
        let (builtins, real) = (builtins.clone(), real.clone());
        move |vm: &VirtualMachine| -> PyResult<()> {
            match &program_import {
                Some(import) => builtins.set_item("__import__", import.clone(), vm)?,
                None => builtins.del_item("__import__", vm)?,
            }
            match &real {
                Some((shutdown, threading)) => {
                    threading.set_attr("_shutdown", shutdown.clone(), vm)?;
                    shutdown.call((), vm).map(drop)
                }
                None => vm.sys_module.get_attr("modules", vm)?.del_item("threading", vm),
            }
        }
    });
    match &real {
        Some((_, threading)) => threading.set_attr("_shutdown", shutdown, vm)?,
        None => {
            let dict = vm.ctx.new_dict();
            dict.set_item("_shutdown", shutdown.into(), vm)?;
            modules.set_item("threading", vm.new_module("threading", dict, None).into(), vm)?;
        }
    }
    builtins.set_item("__import__", own_import, vm)
}
