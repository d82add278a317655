//! What code that knows sizes of tensors only later means with those of a call.
//!
//! The machine code is the same for all: operations on tensors are calls of the host, and which operations those are is said
//! by a table for each choice of sizes. It is made when they are first met.

use std::sync::Arc;

use rustc_hash::FxHashSet as HashSet;
use rustpython_vm::common::lock::PyMutex;
use snekpy_stage::entity::{HostId, Table, Value};
use snekpy_stage::ir::{HostData, Module, Terminator};
use snekpy_stage::op::Op;
use snekpy_stage::sizes::{self, Sizes};
use snekpy_stage::tensor::TensorOp;
use snekpy_stage::tensor::reduce::Fold;
use snekpy_stage::tensor::scan::Scan;
use snekpy_stage::types::Type;

/// So many tables are kept, and as many sizes that do not fit.
const KEPT: usize = 64;

/// The functions of the host with some sizes, or that the code does not fit these.
pub(super) type Hosts = Option<Arc<Table<HostId, HostData>>>;

/// The tables of one specialisation, the one that was used last first.
#[derive(Debug, Default)]
pub(super) struct Sized {
    known: PyMutex<Vec<(Sizes, Hosts)>>,
}

impl Sized {
    /// The functions of the host with these sizes; `None` if the code is not for them. `captured` are those of the program
    /// before what it does not need was left out: that may raise all the same.
    pub(super) fn at(&self, sizes: Sizes, captured: &Module, optimised: &Module) -> Hosts {
        let mut known = self.known.lock();
        match known.iter().position(|(it, _)| *it == sizes) {
            Some(0) => {}
            Some(at) => known[..=at].rotate_right(1),
            None => {
                known.truncate(KEPT - 1);
                known.insert(0, (sizes, hosts(&sizes, captured, optimised)));
            }
        }
        known[0].1.clone()
    }

    /// Whether the code is known not to be for these sizes.
    pub(super) fn refuses(&self, sizes: &Sizes) -> bool {
        self.known.lock().iter().any(|(it, hosts)| it == sizes && hosts.is_none())
    }
}

/// The functions of the host of code with these sizes.
pub(super) fn hosts(sizes: &Sizes, captured: &Module, optimised: &Module) -> Hosts {
    sizes::hosts(&captured.hosts, sizes)?;
    sizes::hosts(&optimised.hosts, sizes).map(Arc::new)
}

/// Whether which way a module goes depends on sizes that are known only later. A derivative is added up along the way: its
/// last bits would be others than where they are known.
pub(super) fn decides(module: &Module) -> bool {
    module.funcs.values().any(|func| {
        let mut sizes: HashSet<Value> = HashSet::default();
        let is_size = |op: Op| match op {
            Op::Tensor(host, _) => matches!(module.hosts[host].tensor, Some(TensorOp::Extent(_))),
            _ => false,
        };
        loop {
            let before = sizes.len();
            for data in func.insts.values() {
                let follows = data.args.iter().any(|it| sizes.contains(it));
                if follows && matches!(data.op, Op::Call(..) | Op::Select) {
                    return true;
                }
                if is_size(data.op) || follows {
                    sizes.extend(data.results.iter().filter(|it| func.ty(**it).is_scalar()));
                }
            }
            if sizes.len() == before {
                break;
            }
        }
        func.blocks.values().any(|block| {
            let decides = matches!(&block.term, Terminator::Branch { cond, .. } if sizes.contains(cond));
            decides || block.term.jumps().flat_map(|it| &it.args).any(|it| sizes.contains(it))
        })
    })
}

/// Whether the way back of a derivative would count positions along an axis whose size is known only later.
pub(super) fn has_positions(module: &Module) -> bool {
    let counts = |op: &TensorOp| {
        matches!(
            op,
            TensorOp::Sort { .. }
                | TensorOp::Scatter(_)
                | TensorOp::PutAt(_)
                | TensorOp::Decompose(_)
                | TensorOp::LuSolve
                | TensorOp::Scan { scan: Scan::Prod, .. }
                | TensorOp::Fold { fold: Fold::Prod, .. }
        )
    };
    let is_later = |ty: &Type| matches!(ty, Type::Tensor(it) if it.shape.dims().iter().any(|it| sizes::is_later(*it)));
    module.hosts.values().any(|it| it.tensor.as_ref().is_some_and(counts) && it.params.iter().any(is_later))
}
