//! Naive definitions, against which the analyses are checked.

use std::collections::BTreeSet;

use crate::code::{Code, Opcode, Pc, can_raise};

/// Checks everything that has a naive definition.
pub(super) fn check(code: &Code) {
    let edges = Edges::of(code);
    check_order(code, &edges);
    check_loops(code, &edges);
    check_joins(code, &edges);
    check_liveness(code, &edges);
}

/// For each instruction what it leads to, exceptions included; nothing for the unreachable.
struct Edges {
    successors: Vec<Vec<Pc>>,
    reachable: BTreeSet<Pc>,
}

impl Edges {
    fn of(code: &Code) -> Self {
        let all: Vec<Vec<Pc>> = (0..code.instrs.len() as Pc)
            .map(|pc| {
                let raises = can_raise(code.instrs[pc as usize].op);
                let handler = code.handler(pc).filter(|_| raises).map(|it| it.target);
                code.successors(pc).chain(handler).collect()
            })
            .collect();
        let reachable = reach(&all, [0], |_| true);
        let successors = all.into_iter().enumerate().map(|(pc, it)| match reachable.contains(&(pc as Pc)) {
            true => it,
            false => Vec::new(),
        });
        Self { successors: successors.collect(), reachable }
    }

    fn iter(&self) -> impl Iterator<Item = (Pc, Pc)> {
        self.successors.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |&to| (from as Pc, to)))
    }
}

/// What can be reached from `starts` through places that are allowed.
fn reach(
    successors: &[Vec<Pc>],
    starts: impl IntoIterator<Item = Pc>,
    is_allowed: impl Fn(Pc) -> bool,
) -> BTreeSet<Pc> {
    let mut work: Vec<Pc> = starts.into_iter().collect();
    let mut found = BTreeSet::new();
    while let Some(pc) = work.pop() {
        if is_allowed(pc) && found.insert(pc) {
            work.extend(&successors[pc as usize]);
        }
    }
    found
}

fn check_order(code: &Code, edges: &Edges) {
    let positions: BTreeSet<u32> = (0..code.instrs.len() as Pc).map(|pc| code.order(pc)).collect();
    assert_eq!(positions, (0..code.instrs.len() as u32).collect(), "every instruction has its own position");
    assert_eq!(code.order(0), 0);
    for (from, to) in edges.iter() {
        let back = code.loop_header(to).is_some_and(|index| code.in_loop(from, index));
        assert_eq!(code.order(from) < code.order(to), !back, "the edge from {from} to {to}");
    }
    for pc in 0..code.instrs.len() as Pc {
        let last_reachable = edges.reachable.len() as u32;
        assert_eq!(code.order(pc) < last_reachable, edges.reachable.contains(&pc), "unreachable code comes last");
    }
}

/// A loop is its header and all that lies on a way from the header to itself, not through the headers of
/// the loops round it.
fn check_loops(code: &Code, edges: &Edges) {
    assert!(code.is_reducible());
    for (index, it) in code.loops().iter().enumerate() {
        assert_eq!(code.loop_header(it.header), Some(index));
        assert_eq!(code.loop_at(it.header), Some(index));
        let mut outer = Vec::new();
        let mut parent = it.parent;
        while let Some(index) = parent {
            outer.push(code.loops()[index].header);
            parent = code.loops()[index].parent;
        }
        assert_eq!(it.depth as usize, outer.len() + 1);
        let below = reach(&edges.successors, [it.header], |pc| !outer.contains(&pc));
        for pc in 0..code.instrs.len() as Pc {
            let returns = || {
                let after = edges.successors[pc as usize].iter().copied();
                reach(&edges.successors, after, |pc| !outer.contains(&pc)).contains(&it.header)
            };
            let expected = below.contains(&pc) && returns();
            assert_eq!(code.in_loop(pc, index), expected, "{pc} in the loop of {}", it.header);
        }
        let body = (0..code.instrs.len() as Pc).filter(|&pc| code.in_loop(pc, index));
        let positions: BTreeSet<u32> = body.map(|pc| code.order(pc)).collect();
        let (first, last) = (positions.first().copied(), positions.last().copied());
        assert_eq!(first, Some(code.order(it.header)), "the header comes first");
        assert_eq!(last.map(|last| last + 1 - code.order(it.header)), Some(positions.len() as u32), "contiguous");
    }
}

fn check_joins(code: &Code, edges: &Edges) {
    for pc in 0..code.instrs.len() as Pc {
        let predecessors = edges.iter().filter(|&(_, to)| to == pc).count() + usize::from(pc == 0);
        assert_eq!(code.is_join(pc), predecessors > 1, "{pc} has {predecessors} predecessors");
    }
}

/// A local is live where there is a way to a use of it that does not change it before.
fn check_liveness(code: &Code, edges: &Edges) {
    for local in (0..code.local_count()).filter(|&it| !code.locals.is_always_live(it)) {
        let count = code.instrs.len();
        let mut predecessors = vec![Vec::new(); count];
        for (from, to) in edges.iter() {
            // A change comes after whatever could have raised.
            let is_handler = !code.successors(from).any(|it| it == to);
            if is_handler || !code.local_access(from).defs.contains(&Some(local)) {
                predecessors[to as usize].push(from);
            }
        }
        let is_save = |pc: Pc| code.instrs[pc as usize].op == Opcode::LoadFastAndClear;
        let uses = (0..count as Pc).filter(|&pc| code.local_access(pc).uses.contains(&Some(local)));
        let (saves, uses): (Vec<Pc>, Vec<Pc>) = uses.partition(|&pc| is_save(pc));
        let mut live = reach(&predecessors, uses.clone(), |_| true);
        // Whether a save is a use is decided by the analysis; here only that it lies between never and always.
        let at_most = reach(&predecessors, uses.iter().chain(&saves).copied(), |_| true);
        if !saves.is_empty() {
            let found: BTreeSet<Pc> = edges.reachable.iter().copied().filter(|&pc| code.live_in(pc, local)).collect();
            assert!(live.is_subset(&found) && found.is_subset(&at_most), "{}", code.local_name(local));
            live = found;
        }
        for &pc in &edges.reachable {
            assert_eq!(code.live_in(pc, local), live.contains(&pc), "{} at {pc}", code.local_name(local));
        }
    }
}
