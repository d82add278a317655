//! Room on the tape for what a loop records, made before a loop whose count is known there.

use crate::analysis::LoopId;
use crate::entity::{Block, Value};
use crate::ir::{Def, Terminator};
use crate::op::{Cmp, Const, ListOp, Num2, Op, Wrap2};
use crate::types::Type;

use super::Cx;

/// Room is made for so many items at most: a longer tape grows on its way, which costs little beside the loop, and the
/// loop may be left long before.
const MOST: i64 = 1 << 20;

impl Cx<'_> {
    /// Makes room before each outermost loop that counts up to a number and is left there only.
    pub(super) fn make_room(&mut self) {
        for id in self.loops.inner_first().collect::<Vec<_>>() {
            let records = self.records_of(id);
            if self.loops.data(id).parent.is_some() || records.is_empty() {
                continue;
            }
            let Some((before, start, stop)) = self.range_of(id) else { continue };
            let mut insts = Vec::new();
            let mut int = |op: Op, args: Vec<Value>| {
                let (inst, value) = self.func.make_value(op, args, Type::I64, None);
                insts.push(inst);
                value
            };
            let count = int(Op::Wrap2(Wrap2::Sub), vec![stop, start]);
            let none = int(Op::Const(Const::I64(0)), Vec::new());
            let most = int(Op::Const(Const::I64(MOST)), Vec::new());
            let count = int(Op::Num2(Num2::Max), vec![none, count]);
            let count = int(Op::Num2(Num2::Min), vec![count, most]);
            let mut rooms = Vec::new();
            for (reel, each) in records {
                let each = int(Op::Const(Const::I64(each)), Vec::new());
                rooms.push((reel, int(Op::Wrap2(Wrap2::Mul), vec![count, each])));
            }
            for (reel, room) in rooms {
                insts.push(self.func.make_inst(Op::List(ListOp::Reserve), vec![reel, room], &[], None));
            }
            self.tails[before].extend(insts);
        }
    }

    /// The lists that each step of a loop pushes to, and how often.
    fn records_of(&self, id: LoopId) -> Vec<(Value, i64)> {
        let data = self.loops.data(id);
        let is_each = |block: &&Block| {
            self.loops.innermost(**block) == Some(id)
                && data.latches.iter().all(|latch| self.flow.doms.dominates(**block, latch.from))
        };
        let placed =
            data.blocks.iter().filter(is_each).flat_map(|&block| {
                [&self.heads, &self.tails, &self.edge_tails].into_iter().flat_map(move |it| &it[block])
            });
        let mut records: Vec<(Value, i64)> = Vec::new();
        for &inst in placed {
            let data = &self.func.insts[inst];
            if data.op == Op::List(ListOp::Push) {
                match records.iter_mut().find(|it| it.0 == data.args[0]) {
                    Some(known) => known.1 += 1,
                    None => records.push((data.args[0], 1)),
                }
            }
        }
        records
    }

    /// The block before a loop that counts from one number to another by one, and these numbers.
    fn range_of(&self, id: LoopId) -> Option<(Block, Value, Value)> {
        let data = self.loops.data(id);
        let ([exit], [latch]) = (&data.exits[..], &data.latches[..]) else { return None };
        let Terminator::Branch { cond, then, .. } = &self.func.blocks[data.header].term else { return None };
        if exit.from != data.header || !self.loops.contains(id, then.target) {
            return None;
        }
        let (Op::Cmp(Cmp::Lt), &[number, stop]) = self.func.definition(*cond)? else { return None };
        let Def::Param(header, position) = self.func.values[number].def else { return None };
        if header != data.header || self.func.ty(number) != Type::I64 || self.loops.contains(id, self.def_of(stop)) {
            return None;
        }
        let passed = |edge: crate::analysis::Edge| edge.jump(&self.func).args.get(position as usize).copied();
        let (Op::Wrap2(Wrap2::Add) | Op::Num2(Num2::Add), &[last, step]) = self.func.definition(passed(*latch)?)?
        else {
            return None;
        };
        let before = *self.flow.cfg.preds(data.header).iter().find(|&edge| edge != latch)?;
        let counts = last == number && self.func.as_const(step) == Some(Const::I64(1));
        counts.then(|| Some((before.from, passed(before)?, stop)))?
    }
}
