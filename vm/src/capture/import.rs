//! `import` of modules that were imported before.

use rustpython_vm::builtins::{PyDict, PyDictRef, PyStr, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef};

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::guard::Guard;
use crate::host::native::{NativeCallable, native_callable};
use crate::scalar;

impl Session<'_> {
    /// `IMPORT_NAME`: a module that was imported before.
    pub(crate) fn import_name(&mut self, state: &mut State, index: u32) -> Step<()> {
        let vm = self.vm;
        let name = self.name(state, index);
        let from = state.pop_obj();
        let level = state.pop_obj();
        let level = match scalar::constant(&level, vm) {
            Some(snekpy_stage::op::Const::I64(level)) => usize::try_from(level).ok(),
            _ => None,
        };
        let absolute = match level {
            Some(0) => Some(name.to_owned()),
            Some(level) => self.relative_to_package(state, name, level)?,
            None => None,
        };
        let is_absolute = absolute.is_some();
        let name = absolute.unwrap_or_else(|| name.to_owned());
        let name = name.as_str();
        let whole = if vm.is_none(&from) { name.split('.').next().unwrap_or(name) } else { name };
        let key = |name: &str| -> PyObjectRef { vm.ctx.intern_str(name).to_owned().into() };
        let import = self.builtin_of(state, "__import__")?;
        let is_own = import.is_some_and(|it| {
            matches!(native_callable(&it, vm), Some(NativeCallable::Function { module: "builtins", name }) if name == "__import__")
        });
        let modules = match vm.sys_module.as_object().dict() {
            Some(sys) => self.read_item(&sys, &key("modules"))?,
            None => None,
        };
        let modules = modules.and_then(|it| it.downcast_exact::<PyDict>(vm).ok());
        if let Some(modules) = modules.filter(|_| is_own && is_absolute) {
            let modules = modules.into_pyref();
            if let Some(imported) = self.read_module(&modules, name)?
                && let Some(module) = if whole == name { Some(imported) } else { self.read_module(&modules, whole)? }
            {
                self.has_all(&module, &from)?;
                state.push(module);
                return Ok(());
            }
        }
        Err(refuse("S303", format!("staged code imports `{name}`, which is not imported yet"))
            .help("import it at the top of the file")
            .into())
    }

    /// What is imported from a module has to be there: `__import__` imports modules of a package that are not.
    fn has_all(&mut self, module: &PyObjectRef, names: &PyObjectRef) -> Step<()> {
        let names = names.downcast_ref::<PyTuple>().into_iter().flat_map(|it| it.as_slice());
        for name in names.filter_map(|it| it.downcast_ref::<PyStr>()) {
            let name = self.vm.ctx.intern_str(&*name.to_string_lossy()).as_str();
            match self.attribute(module, name) {
                Err(stop) if stop.is_attribute_error(self.vm) => return Err(not_there(name)),
                Ok(_) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// The name of a module that is given relative to the package of the running code.
    fn relative_to_package(&mut self, state: &State, name: &str, level: usize) -> Step<Option<String>> {
        let globals = state.frame().globals.clone();
        let key = self.vm.ctx.intern_str("__package__").to_owned().into();
        let Some(package) = self.read_item(&globals, &key)? else { return Ok(None) };
        let Some(package) = package.downcast_ref::<PyStr>() else { return Ok(None) };
        let package = package.to_string_lossy().into_owned();
        let parts: Vec<&str> = package.split('.').collect();
        let Some(kept) = parts.len().checked_sub(level - 1).filter(|it| *it > 0 && !package.is_empty()) else {
            return Ok(None);
        };
        let base = parts[..kept].join(".");
        Ok(Some(if name.is_empty() { base } else { format!("{base}.{name}") }))
    }

    /// A module that has been imported, guarded.
    fn read_module(&mut self, modules: &PyDictRef, name: &str) -> Step<Option<PyObjectRef>> {
        let key: PyObjectRef = self.vm.ctx.intern_str(name).to_owned().into();
        // What is in there is no part of what was read.
        let module = modules.get_item_opt(&*key, self.vm)?.filter(|it| !self.vm.is_none(it));
        self.guards.add(Guard::Item { dict: modules.clone(), key, expected: module.clone() });
        Ok(module)
    }

    /// `IMPORT_FROM`.
    pub(crate) fn import_from(&mut self, state: &mut State, index: u32) -> Step<()> {
        let name = self.name(state, index);
        let module = crate::capture::step::object_at(state, 1);
        match self.attribute(&module, name) {
            Ok(object) => {
                state.push(object);
                Ok(())
            }
            // It may be a module of its own; otherwise it is another error.
            Err(stop) if stop.is_attribute_error(self.vm) => Err(not_there(name)),
            Err(stop) => Err(stop),
        }
    }
}

fn not_there(name: &str) -> Stop {
    refuse("S303", format!("staged code imports `{name}`, which is not there")).into()
}
