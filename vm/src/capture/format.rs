//! Text with staged values in it. It is put together when the compiled code hands the values back.

use rustpython_vm::builtins::PyStr;
use rustpython_vm::{AsObject, PyObjectRef, PyPayload};

use crate::capture::session::Session;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value;
use crate::rep::{Conversion, StagedText, TextPart};

impl Session<'_> {
    /// `format(object, spec)` after a conversion.
    pub(crate) fn format(
        &mut self,
        object: &PyObjectRef,
        conversion: Conversion,
        spec: Option<PyObjectRef>,
    ) -> Step<PyObjectRef> {
        let vm = self.vm;
        let spec = spec.unwrap_or_else(|| vm.ctx.new_str("").into());
        if crate::rep::is_staged(&spec) {
            return Err(refuse("S244", "a format specification with staged values").into());
        }
        let spec_text = spec.str(vm)?;
        if !self.holds_rep(object)? {
            if !self.is_plain(object) && self.has_user_method(object, &["__format__", "__str__", "__repr__"]) {
                return Err(refuse("S251", format!("formatting calls a method of `{}`", object.class().name())).into());
            }
            let converted = match conversion {
                Conversion::None if spec_text.is_empty() && object.downcast_ref_if_exact::<PyStr>(vm).is_some() => {
                    return Ok(object.clone());
                }
                Conversion::None => return Ok(vm.format(object, spec_text)?.into()),
                Conversion::Str => object.str(vm)?,
                Conversion::Repr => object.repr(vm)?,
                Conversion::Ascii => return Ok(self.operator_function("ascii")?.call((object.clone(),), vm)?),
            };
            return Ok(converted.into());
        }
        if let Some(text) = object.downcast_ref::<StagedText>()
            && spec_text.is_empty()
            && matches!(conversion, Conversion::None | Conversion::Str)
        {
            return Ok(self.text(text.parts.clone()));
        }
        // Whether the specification fits the type is known now.
        if let Some((_, ty)) = value::rep(object)
            && matches!(conversion, Conversion::None)
            && let Some(sample) = value::sample(ty, vm)
            && let Err(exception) = vm.format(&sample, spec_text)
        {
            return Err(Stop::Raise(exception));
        }
        Ok(self.text(vec![TextPart::Format { value: object.clone(), conversion, spec }]))
    }

    /// Text of these parts.
    pub(crate) fn text(&self, parts: Vec<TextPart>) -> PyObjectRef {
        StagedText { parts }.into_ref(&self.vm.ctx).into()
    }

    /// Strings and staged texts, one after the other.
    pub(crate) fn concatenate(&self, pieces: &[PyObjectRef]) -> PyObjectRef {
        let mut parts = Vec::new();
        for piece in pieces {
            match piece.downcast_ref::<StagedText>() {
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
            return self.vm.ctx.new_str(text).into();
        }
        self.text(parts)
    }

    /// Whether `template % value` fits, which depends on the types alone.
    pub(crate) fn check_percent(&self, template: &PyObjectRef, object: &PyObjectRef) -> Step<()> {
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
        vm._mod(template.as_object(), sample.as_object())?;
        Ok(())
    }
}
