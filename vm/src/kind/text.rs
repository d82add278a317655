//! Text of which a part is known later. It is put together when the compiled code hands it out.
//!
//! A *character* is text of one part, a code point that is known later: what compiled code does with these is in
//! `capture/text.rs`.

use std::sync::Arc;

use rustpython_vm::builtins::PyStr;
use rustpython_vm::common::wtf8::{CodePoint, Wtf8Buf};
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::list::List;

use super::{At, Bits, Kind, Known, Leaving, Make, Representation};
use crate::capture::step::{Truth, refuse};
use crate::capture::stop::Step;
use crate::characters::character;
use crate::characters::only_point;
use crate::staging_error::bug;

/// Text of which a part is known later.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) parts: Vec<TextPart>,
}

/// A part of a [`Text`].
#[derive(Clone, Debug)]
pub(crate) enum TextPart {
    /// Known text, a `str`.
    Known(PyObjectRef),
    /// `format(value, spec)` after a conversion.
    Format {
        /// What is formatted: holds a Rep.
        value: PyObjectRef,
        /// `str`, `repr` or `ascii` before formatting.
        conversion: Conversion,
        /// The format specification, a `str`.
        spec: PyObjectRef,
    },
    /// The character of this code point, a number.
    Char(PyObjectRef),
    /// `template % value`.
    Percent {
        /// The template, a `str`.
        template: PyObjectRef,
        /// What is formatted: holds a Rep.
        value: PyObjectRef,
    },
}

/// What a replacement field of an f-string does before formatting.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Conversion {
    /// Nothing.
    None,
    /// `!s`
    Str,
    /// `!r`
    Repr,
    /// `!a`
    Ascii,
}

impl Text {
    /// The code point, if it is a character.
    pub(crate) fn character(&self) -> Option<&PyObjectRef> {
        match self.parts.as_slice() {
            [TextPart::Char(code)] => Some(code),
            _ => None,
        }
    }
}

impl TextPart {
    /// Whether it is a number or text that is not empty, whatever the number is.
    fn is_never_empty(&self) -> bool {
        match self {
            Self::Known(known) => known.downcast_ref::<PyStr>().is_some_and(|text| !text.is_empty()),
            Self::Format { .. } | Self::Char(_) => true,
            Self::Percent { .. } => false,
        }
    }
}

impl Representation for Text {
    fn noun(&self) -> &'static str {
        "text"
    }

    fn parts(&self) -> Vec<PyObjectRef> {
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            match part {
                TextPart::Known(only) | TextPart::Char(only) => parts.push(only.clone()),
                TextPart::Format { value, conversion: _, spec: known }
                | TextPart::Percent { template: known, value } => {
                    parts.extend([known.clone(), value.clone()]);
                }
            }
        }
        parts
    }

    fn with(&self, parts: Vec<PyObjectRef>) -> Kind {
        let mut parts = parts.into_iter();
        let mut next = || parts.next().expect("as many as there were");
        let with = |part: &TextPart| match part {
            TextPart::Known(_) => TextPart::Known(next()),
            TextPart::Char(_) => TextPart::Char(next()),
            TextPart::Format { conversion, .. } => {
                let spec = next();
                TextPart::Format { value: next(), conversion: *conversion, spec }
            }
            TextPart::Percent { .. } => TextPart::Percent { template: next(), value: next() },
        };
        Self { parts: self.parts.iter().map(with).collect() }.into()
    }

    fn known(&self) -> Known {
        let part = |part: &TextPart| match part {
            TextPart::Known(_) => 0,
            TextPart::Char(_) => 1,
            TextPart::Percent { .. } => 2,
            TextPart::Format { conversion, .. } => 3 + *conversion as u64,
        };
        self.parts.iter().map(part).collect()
    }

    fn leaving(&self) -> Leaving {
        let mut values = Vec::new();
        let mut pieces = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            pieces.push(match part {
                TextPart::Known(known) => Piece::Known(known.clone()),
                TextPart::Format { value, conversion, spec } => {
                    values.push(value.clone());
                    Piece::Format { conversion: *conversion, spec: spec.clone() }
                }
                TextPart::Char(code) => {
                    values.push(code.clone());
                    Piece::Char
                }
                TextPart::Percent { template, value } => {
                    values.push(value.clone());
                    Piece::Percent(template.clone())
                }
            });
        }
        Leaving::Made { make: Arc::new(Pieces(pieces)), parts: values }
    }

    fn sample(&self, vm: &VirtualMachine) -> Option<PyObjectRef> {
        Some(vm.ctx.empty_str.to_owned().into())
    }

    fn crosses(&self) -> bool {
        true
    }

    fn is_item(&self) -> bool {
        self.character().is_some()
    }

    fn is_ordered(&self) -> bool {
        self.character().is_some()
    }

    fn is_immutable(&self) -> bool {
        true
    }

    fn truth(&self, _: &mut At<'_, '_>) -> Step<Option<Truth>> {
        if self.parts.iter().any(TextPart::is_never_empty) {
            return Ok(Some(Truth::Known(true)));
        }
        Err(refuse("S240", "the truth of text that is known only later").into())
    }

    fn length(&self, at: &mut At<'_, '_>) -> Step<Option<PyObjectRef>> {
        let At { session, .. } = at;
        if self.character().is_some() {
            return Ok(Some(session.vm.ctx.new_int(1).into()));
        }
        Err(refuse("S243", "the length of text that is known only later").into())
    }

    fn size(&self) -> Option<usize> {
        Some(self.parts.len())
    }
}

/// A part of a text that compiled code hands out. The values are given.
#[derive(Debug)]
enum Piece {
    Known(PyObjectRef),
    Format { conversion: Conversion, spec: PyObjectRef },
    Char,
    Percent(PyObjectRef),
}

/// Puts a text together.
#[derive(Debug)]
struct Pieces(Vec<Piece>);

impl Make for Pieces {
    fn make(&self, parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        let mut values = parts.iter();
        let mut next = || values.next().expect("a value for each");
        let mut text = Wtf8Buf::new();
        for piece in &self.0 {
            let piece = match piece {
                Piece::Known(known) => known.str(vm)?,
                Piece::Format { conversion, spec } => {
                    let value = next();
                    let converted: Option<PyObjectRef> = match conversion {
                        Conversion::None => None,
                        Conversion::Str => Some(value.str(vm)?.into()),
                        Conversion::Repr => Some(value.repr(vm)?.into()),
                        Conversion::Ascii => Some(crate::config::builtin("ascii", vm)?.call((value.clone(),), vm)?),
                    };
                    let value = converted.as_ref().unwrap_or(value);
                    match value.downcast_ref_if_exact::<PyStr>(vm) {
                        Some(text) if spec.downcast_ref::<PyStr>().is_some_and(|it| it.is_empty()) => text.to_owned(),
                        Some(_) | None => vm.format(value, spec.str(vm)?)?,
                    }
                }
                Piece::Char => {
                    let code: u32 = next().clone().try_to_value(vm)?;
                    let code = CodePoint::from_u32(code).ok_or_else(|| bug(vm, "a character has no code point"))?;
                    if self.0.len() == 1 {
                        return Ok(code.to_pyobject(vm));
                    }
                    text.push(code);
                    continue;
                }
                Piece::Percent(template) => vm._mod(template, next())?.str(vm)?,
            };
            if self.0.len() == 1 {
                return Ok(piece.into());
            }
            text.push_wtf8(piece.as_wtf8());
        }
        Ok(vm.ctx.new_str(text).into())
    }

    fn make_of_numbers(&self, bits: &[u64], vm: &VirtualMachine) -> Option<PyObjectRef> {
        let ([Piece::Char], &[code]) = (self.0.as_slice(), bits) else { return None };
        character(code, vm)
    }

    fn numbers_of(&self, object: &PyObject, vm: &VirtualMachine) -> Option<Bits> {
        let text = object.downcast_ref_if_exact::<PyStr>(vm).filter(|_| matches!(self.0.as_slice(), [Piece::Char]))?;
        let point = only_point(text)?;
        Some(Bits::from_iter([u64::from(point.to_u32())]))
    }

    fn class(&self) -> String {
        "a `str`".to_owned()
    }
}

/// The text of a list of code points, with this between them.
#[derive(Debug)]
pub(crate) struct Joined(pub(crate) PyObjectRef);

impl Make for Joined {
    fn make(&self, parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        vm.call_method(&self.0, "join", parts.to_vec())
    }

    fn make_of_list(&self, list: &List, vm: &VirtualMachine) -> Option<PyObjectRef> {
        let separator = self.0.downcast_ref::<PyStr>()?.as_wtf8();
        let mut text = Wtf8Buf::with_capacity(list.len() * (1 + separator.len()));
        for index in 0..list.len() {
            if index > 0 {
                text.push_wtf8(separator);
            }
            text.push(CodePoint::from_u32(u32::try_from(list.get(index)).ok()?)?);
        }
        Some(vm.ctx.new_str(text).into())
    }

    fn class(&self) -> String {
        "a `str`".to_owned()
    }
}
