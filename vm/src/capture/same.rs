//! Whether two values are the same, whatever they are.

use snekpy_stage::analysis::Effects;
use snekpy_stage::entity::Value;
use snekpy_stage::ir::Def;
use snekpy_stage::op::{Acts, Effect, Op};

use crate::capture::session::Session;

/// Operations behind one another that are looked at.
const FAR: u32 = 12;

impl Session<'_> {
    /// Whether both are computed in the same way of the same values; of tensors, whether they are the same view of one.
    pub(super) fn is_same(&self, x: Value, y: Value) -> bool {
        self.is_same_as_far(x, y, FAR)
    }

    fn is_same_as_far(&self, x: Value, y: Value, far: u32) -> bool {
        if x == y {
            return true;
        }
        let (Def::Result(first, at), Def::Result(second, other_at)) =
            (self.func.values[x].def, self.func.values[y].def)
        else {
            return false;
        };
        let (one, other) = (&self.func.insts[first], &self.func.insts[second]);
        let is_same_op = match (one.op, other.op) {
            (Op::Tensor(one, Acts::Makes), Op::Tensor(other, Acts::Makes)) => {
                let op = |host| self.module.hosts[host].tensor.as_ref().filter(|it| it.is_view());
                op(one).is_some() && op(one) == op(other)
            }
            (one, other) => one == other && Effects::of(&self.func, first).effect == Effect::Pure,
        };
        is_same_op
            && at == other_at
            && far > 0
            && one.args.len() == other.args.len()
            && one.args.iter().zip(&other.args).all(|(x, y)| self.is_same_as_far(*x, *y, far - 1))
    }
}
