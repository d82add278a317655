//! Keys of dicts and items of sets that are known only later: numbers, characters, and tuples of a few integers.

use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::PyTuple;
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Bit2, Cmp, Op, Shift, Wrap2};
use snekpy_stage::types::{KeyKind, MapType, Scalar, Type};

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::stop::Step;
use crate::capture::text::as_character;
use crate::capture::value::Num;
use crate::map_key;

impl Session<'_> {
    /// What a key would be in a map of the compiled code, and whether it is known only later.
    pub(crate) fn key_type(&self, object: &PyObjectRef) -> Step<Option<(KeyKind, Scalar, bool)>> {
        if let Some(num) = self.number(object)? {
            return Ok(Scalar::of(num.ty()).map(|it| (KeyKind::Number, it, matches!(num, Num::Staged(..)))));
        }
        if as_character(object).is_some() {
            return Ok(Some((KeyKind::Character, Scalar::I64, true)));
        }
        if let Some((kind, _)) = map_key::number(object, self.vm) {
            return Ok(Some((kind, Scalar::I64, false)));
        }
        let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(self.vm) else { return Ok(None) };
        let Some(kind) = map_key::of_length(tuple.len()) else { return Ok(None) };
        let mut is_staged = false;
        for item in tuple.as_slice() {
            match self.number(item)? {
                Some(num) if num.ty() == Type::I64 => is_staged |= matches!(num, Num::Staged(..)),
                _ => return Ok(None),
            }
        }
        Ok(is_staged.then_some((kind, Scalar::I64, true)))
    }

    /// Whether a dict or set becomes one of the compiled code where this key is stored in it, or looked for.
    pub(crate) fn is_staged_key(&self, object: &PyObjectRef, key: &PyObjectRef) -> Step<bool> {
        let found = self.key_type(key)?;
        Ok(found.is_some_and(|(kind, _, staged)| staged && (kind == KeyKind::Number || self.is_fresh(object))))
    }

    /// A key that is no number, as the number that a map holds; `None` if it is not of this kind. Plain Python goes on where
    /// its integers are large.
    pub(crate) fn number_of_key(&mut self, state: &State, object: &PyObjectRef, kind: KeyKind) -> Step<Option<Value>> {
        if let Some((found, constant)) = map_key::number(object, self.vm) {
            return Ok((found == kind).then(|| self.constant(state.block, constant)));
        }
        if kind == KeyKind::Character {
            return as_character(object).map(|code| self.code_of(state, &code)).transpose();
        }
        let (Some((count, width)), Some(tuple)) =
            (map_key::layout(kind), object.downcast_ref_if_exact::<PyTuple>(self.vm))
        else {
            return Ok(None);
        };
        if tuple.len() != count {
            return Ok(None);
        }
        let unused = self.int(state, i64::from(64 - width));
        let mask = self.int(state, (1 << width) - 1);
        let width = self.int(state, width.into());
        let mut packed: Option<Value> = None;
        for item in tuple.as_slice() {
            let Some(num) = self.number(item)?.filter(|it| it.ty() == Type::I64) else { return Ok(None) };
            let item = self.lift(state, num);
            let above = self.value(state, Op::Wrap2(Wrap2::Shl), &[item, unused]);
            let again = self.value(state, Op::Shift(Shift::Right), &[above, unused]);
            let is_large = self.cmp(state, Cmp::Ne, again, item);
            self.leave_if(state, is_large);
            let low = self.value(state, Op::Bit2(Bit2::And), &[item, mask]);
            packed = Some(match packed {
                None => low,
                Some(before) => {
                    let before = self.value(state, Op::Wrap2(Wrap2::Shl), &[before, width]);
                    self.value(state, Op::Bit2(Bit2::Or), &[before, low])
                }
            });
        }
        Ok(packed)
    }

    /// The key that a number of a map stands for.
    pub(crate) fn key_of_number(&mut self, state: &State, number: Value, ty: MapType) -> PyObjectRef {
        match (ty.keys, map_key::layout(ty.keys)) {
            (KeyKind::Character, _) => self.character(number),
            (_, Some((count, width))) => {
                let unused = self.int(state, i64::from(64 - width));
                let items = (0..count).map(|index| {
                    let behind = (count - 1 - index) as u32 * width;
                    let distance = self.int(state, i64::from(64 - width - behind));
                    let above = self.value(state, Op::Wrap2(Wrap2::Shl), &[number, distance]);
                    let item = self.value(state, Op::Shift(Shift::Right), &[above, unused]);
                    self.rep(item)
                });
                let items: Vec<PyObjectRef> = items.collect();
                self.vm.ctx.new_tuple(items).into()
            }
            _ => self.rep(number),
        }
    }
}
