//! Keys of dicts whose keys are known.

use rustpython_vm::builtins::PyStr;
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::op::Const;

use super::{Token, Walk};
use crate::scalar;

impl Walk<'_> {
    /// The key of a dict: part of the shape, whatever it is.
    pub(super) fn key(&mut self, key: &PyObjectRef) {
        let vm = self.cx.vm;
        self.is_stuck |= self.swaps.is_some_and(|it| it.contains_key(&key.get_id()));
        match scalar::constant(key, vm) {
            Some(Const::F64(it)) if it.is_nan() => self.tokens.push(Token::Same(key.get_id())),
            Some(constant) => self.tokens.push(Token::Text(format!("{constant:?}"))),
            None => match key.downcast_ref::<PyStr>() {
                Some(text) => self.tokens.push(Token::Text(text.to_string_lossy().into_owned())),
                None => self.tokens.push(Token::Same(key.get_id())),
            },
        }
    }
}
