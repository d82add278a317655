//! Text with staged values in it. It is put together when the compiled code hands the values back.

use rustpython_vm::builtins::{PyBaseException, PyStr, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use crate::capture::observe;
use crate::capture::session::Session;
use crate::capture::step::{refuse, refuse_effort, refuse_large};
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Num};
use crate::capture::values::{Abstract, classify};
use crate::host;
use crate::kind::{self, Conversion, Kind, Text, TextPart};
use crate::object;
use crate::rep::Named;

impl Session<'_> {
    /// `format(object, spec)` after a conversion.
    pub(crate) fn format(
        &mut self,
        object: &PyObjectRef,
        conversion: Conversion,
        spec: Option<PyObjectRef>,
    ) -> Step<PyObjectRef> {
        let vm = self.vm;
        self.refuse_text_of_tensor(object)?;
        let spec = spec.unwrap_or_else(|| vm.ctx.new_str("").into());
        if crate::rep::is_staged(&spec) || spec.downcast_ref_if_exact::<PyStr>(vm).is_none() {
            return Err(refuse("S244", "a format specification that is no text, or one with staged values").into());
        }
        let spec_text = spec.str(vm)?;
        if host::effort::is_wide(&spec_text.to_string_lossy()) {
            return Err(refuse_effort("a text of this width").into());
        }
        if spec_text.to_string_lossy().ends_with('c') && value::rep(object).is_some() {
            return Err(refuse("S245", "whether a staged number is a character is known only later").into());
        }
        if !self.holds_rep(object)? {
            self.observe(object, observe::SHOWS)?;
            if self.is_fresh(object) && observe::inside(object, vm).is_empty() && object.dict().is_some() {
                return Err(refuse("S291", format!("the text of a `{}` tells where it is", object.class_name())).into());
            }
            let converted = match conversion {
                Conversion::None if spec_text.is_empty() && object.downcast_ref_if_exact::<PyStr>(vm).is_some() => {
                    return Ok(object.clone());
                }
                Conversion::None => vm.format(object, spec_text)?.into(),
                Conversion::Str => object.str(vm)?.into(),
                Conversion::Repr => object.repr(vm)?.into(),
                Conversion::Ascii => self.operator_function("ascii")?.call((object.clone(),), vm)?,
            };
            refuse_large(&converted)?;
            return Ok(converted);
        }
        if spec_text.is_empty()
            && matches!(conversion, Conversion::None | Conversion::Str)
            && let Some(shown) = self.shown_by_exception(object)?
        {
            return self.format(&shown, Conversion::Str, None);
        }
        if let Some(text) = kind::as_kind::<Text>(object)
            && spec_text.is_empty()
            && matches!(conversion, Conversion::None | Conversion::Str)
        {
            return Ok(self.text(text.parts.clone()));
        }
        // Whether the specification fits the type is known now: the text is made when the call is over.
        if let Some(sample) = self.formatted_like(object, conversion)
            && let Err(exception) = vm.format(&sample, spec_text)
        {
            return Err(Stop::Raise(exception));
        }
        let value = self.as_it_is(object)?;
        Ok(self.text(vec![TextPart::Format { value, conversion, spec }]))
    }

    /// The text of a tensor is made where it is asked for: the VM does that.
    fn refuse_text_of_tensor(&self, object: &PyObjectRef) -> Step<()> {
        match crate::tensor::of(object) {
            Some(_) => Err(refuse("S348", "the text of a tensor that may change").into()),
            None => Ok(()),
        }
    }

    /// What the text of an exception of the program is made of, if no class has another idea of that.
    fn shown_by_exception(&mut self, object: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        let Some(exception) = object.downcast_ref::<PyBaseException>().filter(|_| self.is_fresh(object)) else {
            return Ok(None);
        };
        let base = vm.ctx.exceptions.base_exception_type;
        for name in ["__str__", "__format__"] {
            let own = self.class_attribute(object, name)?;
            let known = base.get_attr(vm.ctx.intern_str(name));
            if !own.zip(known).is_some_and(|(own, known)| own.is(&known)) {
                return Ok(None);
            }
        }
        let args = exception.args();
        Ok(Some(match args.as_slice() {
            [] => vm.ctx.new_str("").into(),
            [only] => only.clone(),
            _ => args.into(),
        }))
    }

    /// Something that takes the same format specifications as an object after a conversion.
    fn formatted_like(&self, object: &PyObjectRef, conversion: Conversion) -> Option<PyObjectRef> {
        let vm = self.vm;
        if !matches!(conversion, Conversion::None) {
            return Some(vm.ctx.new_str("").into());
        }
        match classify(object, vm) {
            Abstract::Made(kind) => kind.staged().sample(vm),
            Abstract::Number(Num::Staged(_, ty)) => value::sample(ty, vm),
            Abstract::Tuple(_) | Abstract::List(_) | Abstract::Items(_) | Abstract::Dict(_) | Abstract::Map(_) => {
                object.class().as_object().call((), vm).ok()
            }
            _ => None,
        }
    }

    /// A copy of what will be formatted later, so that what happens to it meanwhile does not show.
    pub(crate) fn as_it_is(&mut self, object: &PyObjectRef) -> Step<PyObjectRef> {
        let vm = self.vm;
        self.refuse_text_of_tensor(object)?;
        if kind::is_instance(object) {
            return Err(refuse("S247", format!("the text of a `{}`", crate::rep::class_of(object).name())).into());
        }
        if self.never_changes(object) {
            return Ok(object.clone());
        }
        let all = |session: &mut Self, items: &[PyObjectRef]| -> Step<Vec<PyObjectRef>> {
            items.iter().map(|item| session.as_it_is(item)).collect()
        };
        let it = classify(object, vm);
        if self.stays(&it) {
            return Ok(object.clone());
        }
        if !matches!(it, Abstract::Tuple(_)) && self.is_open(object) {
            return Err(refuse("S246", "the text of an object that contains itself").into());
        }
        if let Some(staged) = it.staged() {
            staged.refuse_whole(object, "the text")?;
        }
        match it {
            Abstract::Tuple(tuple) => Ok(vm.ctx.new_tuple(all(self, tuple.as_slice())?).into()),
            Abstract::List(list) => {
                let items = list.borrow_vec().to_vec();
                let items = all(self, &items)?;
                Ok(self.made(vm.ctx.new_list(items).into()))
            }
            Abstract::Dict(dict) => {
                let copy = vm.ctx.new_dict();
                for (key, value) in dict.items_vec() {
                    copy.set_item(&*key, self.as_it_is(&value)?, vm)?;
                }
                Ok(self.made(copy.into()))
            }
            Abstract::Made(kind @ Kind::Deque(_)) => {
                let parts = all(self, &kind.staged().parts())?;
                Ok(kind.staged().with(parts).object(vm))
            }
            _ => {
                let class = crate::rep::class_of(object);
                Err(refuse("S247", format!("the text of a `{}` with staged values in it", class.name())).into())
            }
        }
    }

    /// Whether what is known later is the same until the call is over.
    fn stays(&self, it: &Abstract<'_>) -> bool {
        match it {
            Abstract::Number(_) => true,
            Abstract::Made(kind) => kind.staged().is_immutable(),
            Abstract::Handle(handle) => object::type_of(handle.class, self.vm).is_some_and(|class| {
                let types = &self.vm.ctx.types;
                let fixed = [types.str_type, types.bytes_type, types.int_type, types.float_type, types.complex_type];
                fixed.iter().any(|it| class.is(*it))
            }),
            _ => false,
        }
    }

    /// Whether an object can be reached from itself.
    fn is_open(&self, object: &PyObjectRef) -> bool {
        let inside = |object: &PyObjectRef| match kind::staged(object) {
            Some(kind) => kind.parts(),
            None => observe::inside(object, self.vm),
        };
        let mut left = inside(object);
        let mut seen = std::collections::HashSet::new();
        while let Some(inner) = left.pop() {
            if inner.is(object) {
                return true;
            }
            if !self.never_changes(&inner) && seen.insert(inner.get_id()) {
                left.extend(inside(&inner));
            }
        }
        false
    }

    /// Text of these parts.
    pub(crate) fn text(&self, parts: Vec<TextPart>) -> PyObjectRef {
        Kind::from(Text { parts }).object(self.vm)
    }

    /// Strings and staged texts, one after the other.
    pub(crate) fn concatenate(&self, pieces: &[PyObjectRef]) -> Step<PyObjectRef> {
        let mut parts = Vec::new();
        for piece in pieces {
            match kind::as_kind::<Text>(piece) {
                Some(text) => parts.extend(text.parts.iter().cloned()),
                None => parts.push(TextPart::Known(piece.clone())),
            }
        }
        if parts.iter().all(|part| matches!(part, TextPart::Known(_))) {
            let mut text = rustpython_vm::common::wtf8::Wtf8Buf::new();
            for piece in pieces {
                if let Some(piece) = piece.downcast_ref::<PyStr>() {
                    text.push_wtf8(piece.as_wtf8());
                }
            }
            let text = self.vm.ctx.new_str(text).into();
            refuse_large(&text)?;
            return Ok(text);
        }
        Ok(self.text(parts))
    }

    /// Whether `template % value` fits, which depends on the types alone.
    pub(crate) fn check_percent(&mut self, template: &PyObjectRef, object: &PyObjectRef) -> Step<()> {
        let vm = self.vm;
        let stand_in = |object: &PyObjectRef| match value::rep(object) {
            Some((_, ty)) => value::sample(ty, vm),
            None => Some(object.clone()),
        };
        let sample = match object.downcast_ref::<rustpython_vm::builtins::PyTuple>() {
            Some(tuple) => {
                let items: Option<Vec<PyObjectRef>> = tuple.as_slice().iter().map(stand_in).collect();
                items.map(|items| vm.ctx.new_tuple(items).into())
            }
            None => stand_in(object),
        };
        let Some(sample) = sample else { return Err(refuse("S245", "an array in `%`").into()) };
        let text = template.str(vm)?;
        if may_fail(&text.to_string_lossy(), holds_float(&sample, vm)) {
            return Err(refuse("S245", "whether a staged number fits a `%` conversion is known only later").into());
        }
        vm._mod(template.as_object(), sample.as_object())?;
        Ok(())
    }
}

/// Whether a conversion of a `%` template depends on the number itself and not just on its type: `%c` needs a
/// character, `*` a width, and `%d` no infinite or NaN float.
fn may_fail(template: &str, floats: bool) -> bool {
    let mut chars = template.chars();
    while let Some(char) = chars.next() {
        if char != '%' {
            continue;
        }
        let conversion =
            chars.find(|it| it.is_ascii_alphabetic() && !"hlL".contains(*it) || matches!(it, '%' | '*' | '('));
        match conversion {
            Some('c' | '*') => return true,
            Some('(') => {
                // The key of a mapping may contain anything.
                let rest = chars.as_str();
                let Some((_, after)) = rest.split_once(')') else { return true };
                if after.starts_with(|it: char| "cdiu*".contains(it)) {
                    return true;
                }
                chars = after.chars();
            }
            Some('d' | 'i' | 'u') if floats => return true,
            _ => {}
        }
    }
    false
}

fn holds_float(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let is_float = |it: &PyObjectRef| it.class().is(vm.ctx.types.float_type);
    is_float(object) || object.downcast_ref::<PyTuple>().is_some_and(|tuple| tuple.as_slice().iter().any(is_float))
}
