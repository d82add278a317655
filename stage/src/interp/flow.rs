//! The order in which blocks are decoded, and which jumps close a loop.

use crate::entity::{Block, Entity};
use crate::ir::Function;

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Unseen,
    Inside,
    Done,
}

/// The blocks that can be reached, in reverse post-order, and for each block of the function which of
/// its jumps go to a block that the depth-first search was still inside.
pub(super) fn order_and_back_jumps(func: &Function) -> (Vec<Block>, Vec<[bool; 2]>) {
    let mut marks = vec![Mark::Unseen; func.blocks.len()];
    let mut back = vec![[false; 2]; func.blocks.len()];
    let mut order = Vec::new();
    let mut stack = vec![(func.entry(), 0)];
    marks[func.entry().index()] = Mark::Inside;
    while let Some((block, position)) = stack.last_mut() {
        let (from, at) = (*block, *position);
        let Some(jump) = func.blocks[from].term.jumps().nth(at) else {
            marks[from.index()] = Mark::Done;
            order.push(from);
            stack.pop();
            continue;
        };
        *position += 1;
        let mark = &mut marks[jump.target.index()];
        match *mark {
            Mark::Unseen => {
                *mark = Mark::Inside;
                stack.push((jump.target, 0));
            }
            Mark::Inside => back[from.index()][at] = true,
            Mark::Done => {}
        }
    }
    order.reverse();
    (order, back)
}
