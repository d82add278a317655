//! `separator.join(items)`.
//!
//! What an iterator gives becomes a list of characters of the compiled code, of which the text is made at the end: the loop
//! is the helper `join`. RustPython makes a list of all items first, too. Of a list or tuple that is known, the text is
//! known but for its numbers.

use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::{PyList, PyStr, PyTuple};
use snekpy_stage::types::Type;

use crate::capture::list::in_items;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::{Flow, refuse};
use crate::capture::stop::Step;
use crate::capture::text::as_character;
use crate::capture::value::{self, V};
use crate::kind::{self, Conversion, Method, Text, TextPart};
use crate::rep::StagedIterator;

impl Session<'_> {
    /// `separator.join(items)`, if these are characters in a list of the compiled code, or texts that are known but for
    /// their numbers.
    pub(crate) fn join_texts(
        &mut self,
        state: &mut State,
        separator: &PyObjectRef,
        items: &PyObjectRef,
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        if separator.downcast_ref_if_exact::<PyStr>(vm).is_none() {
            return Ok(None);
        }
        if self.is_list_of_characters(items) {
            let can = self.may_hand_on() && state.reach.is_reached();
            return if can { self.joined(state, separator, items).map(Some) } else { Ok(None) };
        }
        let known = match items.downcast_ref_if_exact::<PyTuple>(vm) {
            Some(tuple) => tuple.as_slice().to_vec(),
            None if self.is_fresh(items) => {
                items.downcast_ref_if_exact::<PyList>(vm).map(|it| it.borrow_vec().to_vec()).unwrap_or_default()
            }
            None => return Ok(None),
        };
        let is_text =
            |it: &PyObjectRef| kind::as_kind::<Text>(it).is_some() || it.downcast_ref_if_exact::<PyStr>(vm).is_some();
        if !known.iter().all(is_text) || !known.iter().any(|it| kind::as_kind::<Text>(it).is_some()) {
            return Ok(None);
        }
        let mut pieces = Vec::with_capacity(2 * known.len());
        for item in known {
            if !pieces.is_empty() {
                pieces.push(separator.clone());
            }
            pieces.push(item);
        }
        Ok(Some(self.concatenate(&pieces)))
    }

    /// `separator.join(iterator)`, where the separator is a text that compiled code hands on: the frame is pushed.
    pub(crate) fn join_by_handle(&mut self, state: &mut State) -> Step<Option<Flow>> {
        let is_text = |it: &PyObjectRef| self.as_text(it).is_some();
        let joins = state.peek(3).object().and_then(|it| kind::as_kind::<Method>(it));
        let joins = joins.is_some_and(|it| it.name.as_str() == "join" && is_text(&it.object));
        let is_iterator = match state.peek(1) {
            V::Obj(items) => items.downcast_ref::<StagedIterator>().is_some(),
            V::Iter(_) => true,
            V::Null => false,
        };
        if joins && is_iterator { self.call_op(state, 1, false).map(Some) } else { Ok(None) }
    }

    /// What an item of a join is made of: known texts, objects and characters to go through, and integers to write down.
    pub(crate) fn text_parts(&mut self, state: &mut State, item: &PyObjectRef) -> Step<PyObjectRef> {
        let vm = self.vm;
        let parts = match kind::as_kind::<Text>(item) {
            Some(text) => text.parts.clone(),
            None if item.downcast_ref_if_exact::<PyStr>(vm).is_some() => vec![TextPart::Known(item.clone())],
            None if self.as_text(item).is_some() => return Ok(vm.ctx.new_tuple(vec![item.clone()]).into()),
            None => return Err(refuse("S301", "an item to be joined may be no text").into()),
        };
        let mut sources = Vec::with_capacity(parts.len());
        for part in parts {
            sources.push(match part {
                TextPart::Known(text) => text,
                TextPart::Char(_) => vm.ctx.new_tuple(vec![self.text(vec![part])]).into(),
                TextPart::Format { ref value, conversion: Conversion::None | Conversion::Str, ref spec }
                    if spec.downcast_ref::<PyStr>().is_some_and(|it| it.is_empty())
                        && matches!(value::rep(value), Some((_, Type::I64))) =>
                {
                    value.clone()
                }
                TextPart::Format { .. } | TextPart::Percent { .. } => {
                    if !self.may_hand_on() || !state.reach.is_reached() {
                        return Err(refuse("S301", "a text that is made here is joined").into());
                    }
                    let text = self.text(vec![part]);
                    self.boxed(state, &text)?
                }
            });
        }
        Ok(vm.ctx.new_tuple(sources).into())
    }

    /// The text of these characters.
    pub(crate) fn text_of(&mut self, state: &mut State, characters: &PyObjectRef) -> Step<PyObjectRef> {
        let empty = self.vm.ctx.empty_str.to_owned().into();
        if let Some(text) = self.join_texts(state, &empty, characters)? {
            return Ok(text);
        }
        if self.staged_list(characters).is_some() {
            return Err(refuse("S301", "the text cannot be made here").into());
        }
        let known = characters.downcast_ref::<PyList>().map(|it| it.borrow_vec().to_vec()).unwrap_or_default();
        Ok(self.concatenate(&known))
    }

    /// Whether this is a list of the compiled code of characters.
    fn is_list_of_characters(&self, object: &PyObjectRef) -> bool {
        let Some(list) = object.downcast_ref_if_exact::<PyList>(self.vm) else { return false };
        let items = list.borrow_vec();
        in_items(&items).is_some() && as_character(&items[0]).is_some()
    }
}
