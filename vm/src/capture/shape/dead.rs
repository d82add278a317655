//! Dead variables, in a call that makes rows of pools: see [`crate::capture::dead`].

use rustpython_vm::{AsObject, PyObjectRef};

use super::{Sink, Token, Walk};
use crate::capture::dead::{Dead, Row};
use crate::capture::value::{self, V};

impl<'a> Walk<'a> {
    /// A variable of a code is dead; it was bound to this since the last walk, if to anything.
    pub(super) fn dead_variable(
        &mut self,
        entry: Option<V>,
        (code, local): (usize, usize),
        dead: &mut Dead,
        sink: Sink<'_, 'a>,
    ) {
        if let Some(entry) = entry {
            let swapped = |it: &PyObjectRef| self.swaps.and_then(|swaps| swaps.get(&it.get_id())).cloned();
            let now = entry.object().map(|it| swapped(it).unwrap_or_else(|| it.clone()));
            let row = now.and_then(|it| self.cx.session.row_in_pool(&it));
            if let Some((pool, _)) = &row {
                self.cx.session.dead.note_pool(code, local, *pool);
            }
            dead.hold(local, row.map(|(_, row)| row));
        }
        self.dead_row(dead.row_mut(local), sink);
    }

    /// The row that a dead variable is, or -1.
    pub(super) fn dead_row(&mut self, row: &mut Row, sink: Sink<'_, 'a>) {
        self.tokens.push(Token::Dead);
        let vm = self.cx.vm;
        let object = row.clone().unwrap_or_else(|| vm.ctx.new_int(-1).into());
        if let Some(num) = value::number(&object, vm) {
            *row = Some(self.leaf(&object, num, sink));
        }
    }
}
