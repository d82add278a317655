//! Calls of classes that are written in Python, and of those of exceptions: they make objects.

use rustpython_vm::builtins::{PyType, PyTypeRef};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef};

use crate::capture::session::Session;
use crate::capture::state::{State, Then};
use crate::capture::step::{Flow, refuse};
use crate::capture::stop::{Step, Stop};
use crate::host;

impl Session<'_> {
    /// Makes an object of a class: an exception, or one of a class written in Python.
    pub(super) fn call_class(
        &mut self,
        state: &mut State,
        class: &PyTypeRef,
        mut args: FuncArgs,
        then: Then,
    ) -> Step<Flow> {
        let vm = self.vm;
        let init = self.looked_up(class, "__init__");
        let refuse_class =
            |why: &str| -> Stop { refuse("S302", format!("making a `{}` in staged code: {why}", class.name())).into() };
        if !class.as_object().class().is(vm.ctx.types.type_type) {
            return Err(refuse_class("its class has a metaclass"));
        }
        if let Some(new) = self.new_in_python(class)? {
            args.prepend_arg(class.clone().into());
            return self.call(state, &new, args, then);
        }
        self.check_new(class)?;
        if self.looked_up(class, "__del__").is_some() {
            return Err(refuse_class("it has a `__del__`"));
        }
        let is_exception = class.fast_issubclass(vm.ctx.exceptions.base_exception_type);
        let python_init = match init {
            Some(init) if crate::callable::is_function(&init, vm) => Some(init),
            Some(init) if init.class().is(vm.ctx.types.wrapper_descriptor_type) => None,
            Some(_) => return Err(refuse_class("its `__init__` is no function")),
            None => None,
        };
        if is_exception {
            self.refuse_parts(class, &args)?;
            let exception = match &python_init {
                Some(_) => host::carried::new(class, args.clone(), vm)?,
                None => {
                    let made = class.as_object().call(args.clone(), vm)?;
                    made.downcast().map_err(|_| refuse_class("its `__new__` makes another object"))?
                }
            };
            let object: PyObjectRef = self.fresh_exception(exception).into();
            return match python_init {
                Some(init) => {
                    args.prepend_arg(object.clone());
                    self.call(state, &init, args, Then::Push1(object))
                }
                None => Ok(self.finish_call(state, object, then)),
            };
        }
        let object_new = vm.ctx.types.object_type.get_attr(vm.ctx.intern_str("__new__"));
        let new = self.looked_up(class, "__new__").expect("every class has one");
        if !object_new.is_some_and(|it| it.is(&new)) {
            return Err(refuse_class("it is made by native code"));
        }
        let object = self.made(new.call((class.clone(),), vm)?);
        if let Some(dict) = object.dict() {
            self.made(dict.into());
        }
        match python_init {
            Some(init) => {
                args.prepend_arg(object.clone());
                self.call(state, &init, args, Then::Push1(object))
            }
            None if args.args.is_empty() && args.kwargs.is_empty() => Ok(self.finish_call(state, object, then)),
            None => Err(Stop::Raise(vm.new_type_error(format!("{}() takes no arguments", class.name())))),
        }
    }

    /// What an exception carries must not depend on what is known later, where native code looks at it: the class of an
    /// `OSError`, the parts of a `SyntaxError`.
    pub(crate) fn refuse_parts(&self, class: &PyTypeRef, args: &FuncArgs) -> Step<()> {
        let known = &self.vm.ctx.exceptions;
        let args = args.args.as_slice();
        let count = args.len();
        let whole = [known.syntax_error, known.unicode_error].iter().any(|it| class.fast_issubclass(*it));
        let parts = match args {
            _ if whole => args,
            [message, ..] if class.fast_issubclass(known.base_exception_group) => std::slice::from_ref(message),
            [errno, ..] if class.is(known.os_error) && (2..=5).contains(&count) => std::slice::from_ref(errno),
            [_, _, written, ..] if class.fast_issubclass(known.blocking_io_error) => std::slice::from_ref(written),
            _ => &[],
        };
        for part in parts {
            if self.holds_rep(part)? {
                let what = format!("making a `{}` of a value that is known later", class.name());
                return Err(refuse("S302", what).help("raise it outside staged code").into());
            }
        }
        Ok(())
    }

    /// What a class has under a name, guarded.
    pub(crate) fn looked_up(&mut self, class: &PyTypeRef, name: &'static str) -> Option<PyObjectRef> {
        let found = class.get_attr(self.vm.ctx.intern_str(name));
        if !self.is_builtin_class(class) {
            self.guards.add_lookup(class, name, found.as_ref());
        }
        found
    }

    /// No code of the program may make the objects of a class: it would run now.
    pub(crate) fn check_new(&mut self, class: &PyTypeRef) -> Step<()> {
        let new = self.looked_up(class, "__new__");
        if new.is_some_and(|it| !it.class().is(self.vm.ctx.types.builtin_function_or_method_type)) {
            let what = class.name().to_string();
            return Err(refuse("S302", format!("making a `{what}` in staged code: it has its own `__new__`")).into());
        }
        Ok(())
    }

    /// Whether a class is one of Python's own.
    pub(crate) fn is_builtin_class(&self, class: &rustpython_vm::Py<PyType>) -> bool {
        !class.slots().flags.has_feature(rustpython_vm::types::PyTypeFlags::HEAPTYPE)
    }
}
