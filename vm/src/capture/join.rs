//! `separator.join(items)`.
//!
//! What an iterator gives becomes a list of characters of the compiled code, of which the text is made at the end: the loop
//! is the helper `join` (`join.py`). RustPython makes a list of all items first, too. Of a list or tuple that is known, the text is
//! known but for its numbers.

use std::sync::Arc;

use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::{PyList, PyStr, PyTuple};
use rustpython_vm::function::FuncArgs;
use snekpy_stage::types::Type;

use crate::capture::helpers::Helped;
use crate::capture::list::in_items;
use crate::capture::session::Session;
use crate::capture::state::{State, Then};
use crate::capture::step::{Flow, refuse};
use crate::capture::stop::Step;
use crate::capture::template::Leaves;
use crate::capture::text::as_character;
use crate::capture::value::{self, V};
use crate::capture::values::{Abstract, classify};
use crate::exit::Template;
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
        self.concatenate(&pieces).map(Some)
    }

    /// The text of a list of the compiled code whose items are characters: an object that it hands on.
    fn joined(&mut self, state: &mut State, separator: &PyObjectRef, items: &PyObjectRef) -> Step<PyObjectRef> {
        let mut leaves = Leaves::with_identity();
        let Abstract::Items(list) = classify(items, self.vm) else { unreachable!("the caller looked") };
        let list = list.first();
        let ty = self.func.ty(list);
        let parts = vec![Template::Leaf { slot: leaves.slot(list, ty), ty }];
        let text = Template::Made { make: Arc::new(kind::Joined(separator.clone())), parts };
        let class = self.vm.ctx.types.str_type;
        self.handle_of(state, class, vec![text], leaves, "the text cannot be made here")
    }

    /// The helper for `separator.join(iterator)`.
    pub(crate) fn helper_for_join(&self, separator: &PyObjectRef, name: &str, args: &FuncArgs) -> Step<Option<Helped>> {
        let ([items], "join", true) = (args.args.as_slice(), name, args.kwargs.is_empty()) else { return Ok(None) };
        let is_text = separator.downcast_ref_if_exact::<PyStr>(self.vm).is_some() || self.as_text(separator).is_some();
        if !is_text || items.downcast_ref::<StagedIterator>().is_none() {
            return Ok(None);
        }
        Ok(Some((self.helper_function("join")?, FuncArgs::from(vec![separator.clone(), items.clone()]))))
    }

    /// `separator.join(iterator)`, where the separator is a text that compiled code hands on: the frame is pushed.
    pub(crate) fn join_by_handle(&mut self, state: &mut State) -> Step<Option<Flow>> {
        let (V::Obj(callable), V::Null) = (state.peek(3), state.peek(2)) else { return Ok(None) };
        let Some(Method { object, name }) = kind::as_kind(callable) else { return Ok(None) };
        let (separator, name) = (object.clone(), name.as_str());
        if name != "join" || self.as_text(&separator).is_none() {
            return Ok(None);
        }
        let items = match state.peek(1).clone() {
            V::Obj(items) => items,
            V::Iter(iter) => self.share(iter),
            V::Null => return Ok(None),
        };
        let Some((helper, args)) = self.helper_for_join(&separator, name, &vec![items].into())? else {
            return Ok(None);
        };
        for _ in 0..3 {
            state.pop();
        }
        self.call(state, &helper, args, Then::Push).map(Some)
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
        if let Abstract::Items(_) = classify(characters, self.vm) {
            return Err(refuse("S301", "the text cannot be made here").into());
        }
        let known = characters.downcast_ref::<PyList>().map(|it| it.borrow_vec().to_vec()).unwrap_or_default();
        self.concatenate(&known)
    }

    /// Whether this is a list of the compiled code of characters.
    fn is_list_of_characters(&self, object: &PyObjectRef) -> bool {
        let Some(list) = object.downcast_ref_if_exact::<PyList>(self.vm) else { return false };
        let items = list.borrow_vec();
        in_items(&items).is_some() && as_character(&items[0]).is_some()
    }
}
