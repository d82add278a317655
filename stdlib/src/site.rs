//! `site`, imported only where it has something to do.
//!
//! It looks for a virtual environment, for folders of third-party packages and for `sitecustomize`, and
//! importing it (and `os`) costs more than running a small program. Whether any of these exist can be
//! asked with a few system calls; if none does, what remains are the names `exit`, `quit`, `help`,
//! `copyright`, `credits` and `license`, and absolute paths in `sys.path`.

use rustpython_vm::builtins::PyStrRef;
use rustpython_vm::version::{MAJOR, MINOR};
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
use snekpy_vm::host::prepare;
use std::path::{Path, PathBuf};

/// Does what `import site` does. `interactive` programs get the module itself.
pub fn run_site(vm: &VirtualMachine, interactive: bool) -> PyResult<()> {
    let path = vm.sys_module.get_attr("path", vm)?;
    let entries: Vec<PyStrRef> = path.try_to_value(vm)?;
    let entries: Vec<PathBuf> = entries.iter().map(|it| PathBuf::from(&*it.to_string_lossy())).collect();
    if interactive || has_work(vm, &entries) {
        return vm.import("site", 0).map(drop);
    }
    set_path(vm, &entries)?;
    let builtins = vm.import("_sitebuiltins", 0)?;
    let quitter = builtins.get_attr("Quitter", vm)?;
    for name in ["quit", "exit"] {
        let object = quitter.call((name, "Ctrl-D (i.e. EOF)"), vm)?;
        vm.builtins.set_attr(name, object, vm)?;
    }
    vm.builtins.set_attr("help", builtins.get_attr("_Helper", vm)?.call((), vm)?, vm)?;
    let printer = printer_class(vm)?;
    for name in ["copyright", "credits", "license"] {
        vm.builtins.set_attr(name, printer.call((name,), vm)?, vm)?;
    }
    Ok(())
}

/// Texts that are shown at a prompt. They come with `site`, when somebody asks.
const PRINTER: &str = r#"
class _Printer:
    """Prints a text about Python when called or shown."""

    def __init__(self, name):
        self._name = name

    def _text(self):
        import builtins, site
        return getattr(builtins, self._name)

    def __repr__(self):
        return repr(self._text())

    def __call__(self):
        return self._text()()
"#;

fn printer_class(vm: &VirtualMachine) -> PyResult {
    let scope = vm.new_scope_with_builtins();
    scope.globals.set_item("__name__", vm.new_pyobj("_sitebuiltins"), vm)?;
    let code = prepare::compile(PRINTER, rustpython_vm::compiler::Mode::Exec, "<snekpy site>", vm)?;
    prepare::run(code, scope.clone(), vm)?;
    scope.globals.get_item("_Printer", vm)
}

/// Whether `site` would find anything.
fn has_work(vm: &VirtualMachine, entries: &[PathBuf]) -> bool {
    let paths = &vm.state.config.paths;
    let settings = &vm.state.config.settings;
    let executable = Path::new(&paths.executable);
    let near = executable.ancestors().skip(1).take(2).any(|it| it.join("pyvenv.cfg").exists());
    near || site_packages(&[&paths.prefix, &paths.exec_prefix])
        || (settings.user_site_directory && user_site(settings.ignore_environment).is_some_and(|it| it.exists()))
        || entries.iter().any(|it| customizes(it))
}

fn site_packages(prefixes: &[&str]) -> bool {
    let folders = [format!("lib/python{MAJOR}.{MINOR}"), format!("lib64/python{MAJOR}.{MINOR}")];
    prefixes.iter().any(|prefix| folders.iter().any(|it| Path::new(prefix).join(it).join("site-packages").exists()))
}

fn user_site(ignore_environment: bool) -> Option<PathBuf> {
    let base = if ignore_environment { None } else { std::env::var_os("PYTHONUSERBASE").filter(|it| !it.is_empty()) };
    let base = base.map(PathBuf::from).or_else(|| std::env::home_dir().map(|it| it.join(".local")))?;
    Some(base.join(format!("lib/python{MAJOR}.{MINOR}/site-packages")))
}

/// Whether a module for the site may be imported from here. A zip file may hold one.
fn customizes(entry: &Path) -> bool {
    let names = ["sitecustomize", "usercustomize"];
    entry.is_file()
        || (entry.is_dir()
            && names.iter().any(|name| {
                let endings = ["", ".py", ".pyc"];
                endings.iter().any(|ending| entry.join(format!("{name}{ending}")).exists())
            }))
}

/// Makes the entries of `sys.path` absolute and removes repetitions.
fn set_path(vm: &VirtualMachine, entries: &[PathBuf]) -> PyResult<()> {
    let mut seen: Vec<PathBuf> = Vec::new();
    for entry in entries {
        let entry = std::path::absolute(entry).unwrap_or_else(|_| entry.clone());
        if !seen.contains(&entry) {
            seen.push(entry);
        }
    }
    let entries = seen.iter().map(|it| vm.new_pyobj(it.to_string_lossy().into_owned())).collect::<Vec<PyObjectRef>>();
    vm.sys_module.set_attr("path", vm.ctx.new_list(entries), vm)
}
