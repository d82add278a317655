//! Where a derivative stops: what depends on what is differentiated by, and gives what has the derivative 0.

use std::collections::HashSet;

use crate::entity::{Inst, Value};
use crate::ir::Terminator;
use crate::op::{Convert, Num2, Op, Real1};

use super::Cx;
use super::undo::name_of;
use crate::ad::activity::tensor_op;
use crate::ad::tape::What;
use crate::ad::tensor::{Through, through};

/// Notes them, each place once.
pub(super) fn note(cx: &mut Cx<'_>) {
    let asked = asked(cx);
    let mut seen = HashSet::new();
    let order = cx.flow.cfg.order().to_vec();
    let insts = order.into_iter().filter(|&block| cx.flow.on_path[block]);
    let insts: Vec<Inst> = insts.flat_map(|block| cx.func.blocks[block].insts.clone()).collect();
    for inst in insts {
        let data = &cx.func.insts[inst];
        if !data.args.iter().any(|&arg| cx.activity.is_varied(cx.id, arg)) {
            continue;
        }
        let what = match data.op {
            Op::Host(host, _) if cx.request.stops.contains(host) => "stop_gradient".to_owned(),
            Op::Convert(Convert::FloatToInt) => "an int".to_owned(),
            Op::Real1(Real1::Floor | Real1::Ceil | Real1::Trunc | Real1::RoundEven) | Op::Num2(Num2::FloorDiv) => {
                "a whole number".to_owned()
            }
            Op::Cmp(_) if asked.contains(&data.results[0]) => "a comparison".to_owned(),
            Op::Tensor(..) => match tensor_op(cx.module, data.op) {
                Some(op) if matches!(through(op), Through::Nowhere) => format!("`{}`", name_of(cx.module, data.op)),
                _ => continue,
            },
            _ => continue,
        };
        let loc = data.loc;
        if seen.insert((loc, what == "a comparison")) {
            cx.note(What::Stop(what), loc);
        }
    }
}

/// The conditions that the program branches by, and what they are made of.
fn asked(cx: &Cx<'_>) -> HashSet<Value> {
    let conditions = cx.func.blocks.values().filter_map(|block| match block.term {
        Terminator::Branch { cond, .. } => Some(cond),
        _ => None,
    });
    let mut work: Vec<Value> = conditions.collect();
    let mut found = HashSet::new();
    while let Some(value) = work.pop() {
        if found.insert(value)
            && let Some((Op::Not | Op::Bit2(_), args)) = cx.func.definition(value)
        {
            work.extend(args);
        }
    }
    found
}
