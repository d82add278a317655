//! Patterns of `match` that look at classes and keys, `isinstance` and `issubclass`.

use rustpython_vm::builtins::{PyDict, PyStr, PyTuple, PyType};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use crate::capture::attribute::is_own_class;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::{object_at, refuse, unsupported};
use crate::capture::stop::{Step, Stop};
use crate::capture::value;
use crate::capture::values::{Abstract, classify};
use crate::kind;
use crate::rep::Named;

impl Session<'_> {
    /// `MATCH_SEQUENCE` and `MATCH_MAPPING`: whether the class of what is matched says that it is one.
    pub(crate) fn match_container(&self, state: &mut State, feature: u8) -> Step<()> {
        let object = object_at(state, 1);
        if !self.is_plain(&object) || kind::is_instance(&object) {
            return Err(unsupported(state));
        }
        let is = match classify(&object, self.vm) {
            Abstract::Array(_) => feature == PyTypeFlags::SEQUENCE,
            _ => {
                let class = kind::class(&object, self.vm).unwrap_or_else(|| object.class().to_owned());
                class.slots().flags.has_feature(feature)
            }
        };
        state.push(PyObjectRef::from(self.vm.ctx.new_bool(is)));
        Ok(())
    }

    /// `MATCH_CLASS`.
    pub(crate) fn match_class(&mut self, state: &mut State, positional: usize) -> Step<()> {
        let vm = self.vm;
        let names = state.pop_obj();
        let class = state.pop_obj();
        let subject = state.pop_obj();
        let names = names.downcast_ref::<PyTuple>().map(|it| it.as_slice().to_vec()).unwrap_or_default();
        let is = self.is_instance(&subject, &class)?;
        if !is {
            state.push(vm.ctx.none());
            return Ok(());
        }
        let types = &vm.ctx.types;
        let itself = [
            types.bool_type,
            types.int_type,
            types.float_type,
            types.str_type,
            types.tuple_type,
            types.list_type,
            types.dict_type,
        ];
        let (mut found, mut attributes) = (Vec::new(), Vec::new());
        if positional == 1 && itself.iter().any(|it| class.is(*it)) {
            found.push(subject.clone());
        } else if positional > 0 {
            let args = class.get_attr("__match_args__", vm).ok();
            let args =
                args.and_then(|it| it.downcast_ref::<PyTuple>().map(|it| it.as_slice().to_vec())).unwrap_or_default();
            if args.len() < positional {
                let message = format!(
                    "{}() accepts {} positional sub-patterns ({positional} given)",
                    class.get_attr("__name__", vm)?.str(vm)?,
                    args.len()
                );
                return Err(Stop::Raise(vm.new_type_error(message)));
            }
            attributes = args;
            attributes.truncate(positional);
        }
        for name in attributes.iter().chain(&names) {
            match self.attribute_by_object(state, &subject, name)? {
                Some(value) => found.push(value),
                None => {
                    state.push(vm.ctx.none());
                    return Ok(());
                }
            }
        }
        state.push(PyObjectRef::from(vm.ctx.new_tuple(found)));
        Ok(())
    }

    /// `MATCH_KEYS`: what a dict has under some keys, or None.
    pub(crate) fn match_keys(&mut self, state: &mut State) -> Step<()> {
        let vm = self.vm;
        let (subject, keys) = (object_at(state, 2), object_at(state, 1));
        let (Some(dict), Some(keys)) = (subject.downcast_ref_if_exact::<PyDict>(vm), keys.downcast_ref::<PyTuple>())
        else {
            return Err(unsupported(state));
        };
        self.guard_contents(&subject)?;
        self.refuse_grown(&subject, "`match`")?;
        let mut found = Vec::new();
        let seen = vm.ctx.new_dict();
        for key in keys.as_slice() {
            self.static_key(key)?;
            if seen.get_item_opt(&**key, vm)?.is_some() {
                // That is an error with words of its own.
                return Err(unsupported(state));
            }
            seen.set_item(&**key, vm.ctx.none(), vm)?;
            match dict.get_item_opt(&**key, vm)? {
                Some(value) => found.push(value),
                None => {
                    state.push(vm.ctx.none());
                    return Ok(());
                }
            }
        }
        state.push(PyObjectRef::from(vm.ctx.new_tuple(found)));
        Ok(())
    }

    fn attribute_by_object(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        name: &PyObjectRef,
    ) -> Step<Option<PyObjectRef>> {
        let Some(text) = name.downcast_ref::<PyStr>() else { return Ok(None) };
        let name = self.vm.ctx.intern_str(text.to_string_lossy().as_ref()).as_str();
        if kind::is_instance(object) && self.overloaded_load(object, name)?.is_some() {
            return Err(refuse("S313", format!("`.{name}` is a property in a pattern")).into());
        }
        match self.attribute_in(state, object, name) {
            Ok(value) => Ok(value),
            Err(stop) if stop.is_attribute_error(self.vm) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// `isinstance(object, class)`, where a Rep is an instance of the class of its numbers.
    pub(crate) fn is_instance(&mut self, object: &PyObjectRef, class: &PyObjectRef) -> Step<bool> {
        let vm = self.vm;
        if let Some(is) = self.is_of_any("isinstance", class, |it, class| it.is_instance(object, class))? {
            return Ok(is);
        }
        if let Some((_, ty)) = value::rep(object) {
            return match value::sample(ty, vm) {
                Some(sample) => Ok(sample.is_instance(class, vm)?),
                None => {
                    let name = class.downcast_ref::<PyType>().map(|it| it.name().to_string()).unwrap_or_default();
                    Ok(name == "array" || name == "ArrayType" || name == "object")
                }
            };
        }
        if let Some(sample) = crate::kind::sample(object, vm) {
            return Ok(sample.is_instance(class, vm)?);
        }
        if let Some(sample) = self.sample_of_record(object)? {
            return Ok(sample.is_instance(class, vm)?);
        }
        self.guard_object(object);
        let found = self.class_attribute(object, "__class__")?;
        if !self.is_plain(object) && object.downcast_ref::<PyType>().is_none() && !is_own_class(found.as_ref(), vm) {
            return Err(
                refuse("S319", format!("`isinstance` of a `{}`, which says itself", object.class_name())).into()
            );
        }
        self.guards.add_bases(&object.class().to_owned());
        Ok(object.is_instance(class, vm)?)
    }

    /// `issubclass(derived, class)`.
    pub(crate) fn is_subclass(&mut self, derived: &PyObjectRef, class: &PyObjectRef) -> Step<bool> {
        if let Some(is) = self.is_of_any("issubclass", class, |it, class| it.is_subclass(derived, class))? {
            return Ok(is);
        }
        match derived.downcast_ref::<PyType>() {
            Some(derived) => self.guards.add_bases(&derived.to_owned()),
            None if !self.is_plain(derived) || crate::rep::is_staged(derived) => {
                let what = self.class_name(derived);
                return Err(refuse("S319", format!("`issubclass` of a `{what}`, which is no class")).into());
            }
            None => {}
        }
        Ok(derived.is_subclass(class, self.vm)?)
    }

    /// What is asked of a class, asked of each of a tuple or union of them until it holds; `None` for a class.
    fn is_of_any(
        &mut self,
        function: &str,
        class: &PyObjectRef,
        ask: impl Fn(&mut Self, &PyObjectRef) -> Step<bool>,
    ) -> Step<Option<bool>> {
        if let Some(classes) = class.downcast_ref::<PyTuple>() {
            for class in classes.as_slice() {
                if ask(self, class)? {
                    return Ok(Some(true));
                }
            }
            return Ok(Some(false));
        }
        self.check_class(function, class)?;
        union_members(class, self.vm).map(|classes| ask(self, &classes)).transpose()
    }

    /// Whether an object belongs to this class must be asked of no code of the program.
    fn check_class(&self, function: &str, class: &PyObjectRef) -> Step<()> {
        let asks = match class.downcast_ref::<PyType>() {
            Some(class) => !class.as_object().class().is(self.vm.ctx.types.type_type),
            None => !self.is_plain(class) || crate::rep::is_staged(class),
        };
        if asks {
            let name = self.describe(class);
            return Err(refuse("S319", format!("`{function}` with {name}, which has a metaclass")).into());
        }
        Ok(())
    }
}

/// The classes of `A | B`, as a tuple.
fn union_members(class: &PyObjectRef, vm: &VirtualMachine) -> Option<PyObjectRef> {
    class.class().is(vm.ctx.types.union_type).then(|| class.get_attr("__args__", vm).ok()).flatten()
}
