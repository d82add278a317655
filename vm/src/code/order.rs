//! Loops, and a weak topological order.
//!
//! Bourdoncle's construction ("Efficient chaotic iteration strategies with widenings", 1993): the strongly
//! connected components of the graph in topological order; in each component that is a loop, the header
//! first and then, recursively, what remains of the component without it. The header is the block that a
//! depth-first search enters the component by, which is the only one unless the loop is irreducible. The
//! cost is the size of the graph times the depth of loops. Nothing recurses on the host's stack.

use super::graph::{BlockId, Blocks};
use super::{Loop, Pc};

/// The order of the blocks, and their loops.
#[derive(Debug)]
pub(super) struct Order {
    /// The order of the first instruction of each block.
    base: Vec<u32>,
    /// The blocks in order.
    sequence: Vec<BlockId>,
    loops: Vec<Loop>,
    /// The innermost loop of each block.
    innermost: Vec<Option<usize>>,
    reachable: Vec<bool>,
}

impl Order {
    pub(super) fn new(blocks: &Blocks) -> Self {
        let mut builder = Builder::new(blocks);
        builder.run();
        let Builder { mut order, .. } = builder;
        order.find_irreducible(blocks);
        order
    }

    pub(super) fn of(&self, blocks: &Blocks, pc: Pc) -> u32 {
        let id = blocks.of(pc);
        self.base[id as usize] + (pc - blocks.block(id).start)
    }

    pub(super) fn sequence(&self) -> &[BlockId] {
        &self.sequence
    }

    pub(super) fn loops(&self) -> &[Loop] {
        &self.loops
    }

    pub(super) fn loop_of(&self, block: BlockId) -> Option<usize> {
        self.innermost[block as usize]
    }

    pub(super) fn is_reachable(&self, block: BlockId) -> bool {
        self.reachable[block as usize]
    }

    /// A loop is irreducible if an edge from outside leads into it past its header.
    fn find_irreducible(&mut self, blocks: &Blocks) {
        for &from in self.sequence.iter().filter(|&&it| self.reachable[it as usize]) {
            let origin = self.base[from as usize];
            for to in blocks.block(from).successors().into_iter().flatten() {
                let header = blocks.block(to).start;
                let mut entered = self.innermost[to as usize];
                while let Some(index) = entered {
                    let it = &mut self.loops[index];
                    if (it.first..it.end).contains(&origin) {
                        break;
                    }
                    it.irreducible |= it.header != header;
                    entered = it.parent;
                }
            }
        }
    }
}

/// What remains to be put in order; the top of the stack comes first.
enum Task {
    /// A component of the graph: its header, and the other blocks.
    Component { header: BlockId, rest: Vec<BlockId>, parent: Option<usize> },
    /// The end of a loop.
    Close(usize),
}

struct Builder<'a> {
    blocks: &'a Blocks,
    order: Order,
    tasks: Vec<Task>,
    /// The order of the next instruction.
    position: u32,
    /// Which part of the graph a block was last put in; edges between parts do not count.
    region: Vec<u32>,
    regions: u32,
    search: Search,
}

/// State of the search for components (Tarjan).
struct Search {
    /// When a block was first seen, 0 if not yet; per region, as blocks are reset when they enter one.
    seen: Vec<u32>,
    low: Vec<u32>,
    is_open: Vec<bool>,
    open: Vec<BlockId>,
    clock: u32,
    /// The path of the search: a block and how many of its successors were looked at.
    path: Vec<(BlockId, usize)>,
}

impl<'a> Builder<'a> {
    fn new(blocks: &'a Blocks) -> Self {
        let count = blocks.len();
        let order = Order {
            base: vec![0; count],
            sequence: Vec::with_capacity(count),
            loops: Vec::new(),
            innermost: vec![None; count],
            reachable: vec![false; count],
        };
        let search = Search {
            seen: vec![0; count],
            low: vec![0; count],
            is_open: vec![false; count],
            open: Vec::new(),
            clock: 0,
            path: Vec::new(),
        };
        Self { blocks, order, tasks: Vec::new(), position: 0, region: vec![0; count], regions: 0, search }
    }

    fn run(&mut self) {
        self.search_from(0, None);
        let reachable = self.search.seen.iter().map(|&it| it != 0).collect();
        self.order.reachable = reachable;
        self.drain();
        // What cannot be reached comes last. The blocks before are in other regions or have been seen.
        for block in 0..self.blocks.len() as BlockId {
            if !self.order.reachable[block as usize] && self.region[block as usize] == 0 {
                self.search_from(block, None);
                self.drain();
            }
        }
    }

    fn drain(&mut self) {
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Component { header, rest, parent } => self.place(header, rest, parent),
                Task::Close(index) => self.order.loops[index].end = self.position,
            }
        }
    }

    /// Puts a component's header in order, and what remains of it on the stack.
    fn place(&mut self, header: BlockId, rest: Vec<BlockId>, parent: Option<usize>) {
        let blocks = self.blocks;
        let block = blocks.block(header);
        let is_loop = !rest.is_empty() || block.successors().contains(&Some(header));
        let first = self.position;
        self.order.base[header as usize] = first;
        self.order.sequence.push(header);
        self.position += block.end - block.start;
        self.regions += 1;
        self.region[header as usize] = self.regions; // nothing leads to it any more
        if !is_loop {
            self.order.innermost[header as usize] = parent;
            return;
        }

        let index = self.order.loops.len();
        let depth = parent.map_or(1, |it| self.order.loops[it].depth + 1);
        self.order.loops.push(Loop { header: block.start, parent, depth, irreducible: false, first, end: first });
        self.order.innermost[header as usize] = Some(index);
        self.tasks.push(Task::Close(index));

        self.regions += 1;
        for &it in &rest {
            self.region[it as usize] = self.regions;
            self.search.seen[it as usize] = 0;
        }
        let inside = self.regions;
        // The first one searched ends up last, so the natural continuation is searched last.
        for entry in block.successors().into_iter().flatten() {
            if self.region[entry as usize] == inside {
                self.search_from(entry, Some(index));
            }
        }
    }

    /// Finds the components of one region that can be reached from `root` and were not found yet, and
    /// puts them on the stack of tasks so that they are taken in topological order.
    fn search_from(&mut self, root: BlockId, parent: Option<usize>) {
        if self.search.seen[root as usize] != 0 {
            return;
        }
        let region = self.region[root as usize];
        self.search.enter(root);
        while let Some(&mut (block, ref mut looked_at)) = self.search.path.last_mut() {
            let successor = self.blocks.block(block).successors().get(*looked_at).copied();
            *looked_at += 1;
            match successor {
                Some(Some(to)) if self.region[to as usize] == region => self.search.follow(block, to),
                Some(_) => {}
                None => {
                    if let Some((header, rest)) = self.search.leave() {
                        self.tasks.push(Task::Component { header, rest, parent });
                    }
                }
            }
        }
    }
}

impl Search {
    fn enter(&mut self, block: BlockId) {
        self.clock += 1;
        self.seen[block as usize] = self.clock;
        self.low[block as usize] = self.clock;
        self.is_open[block as usize] = true;
        self.open.push(block);
        self.path.push((block, 0));
    }

    fn follow(&mut self, from: BlockId, to: BlockId) {
        let (from, to_index) = (from as usize, to as usize);
        if self.seen[to_index] == 0 {
            self.enter(to);
        } else if self.is_open[to_index] {
            self.low[from] = self.low[from].min(self.seen[to_index]);
        }
    }

    /// Leaves the last block of the path; the component that it is the first of, if it is.
    fn leave(&mut self) -> Option<(BlockId, Vec<BlockId>)> {
        let (block, _) = self.path.pop().expect("called for the last block of the path");
        let low = self.low[block as usize];
        if let Some(&(before, _)) = self.path.last() {
            self.low[before as usize] = self.low[before as usize].min(low);
        }
        if low != self.seen[block as usize] {
            return None;
        }
        let start = self.open.iter().rposition(|&it| it == block).expect("a block of the path is open");
        let mut members = self.open.split_off(start);
        for &it in &members {
            self.is_open[it as usize] = false;
        }
        let header = members.remove(0);
        Some((header, members))
    }
}
