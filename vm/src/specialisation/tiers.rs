//! Large code is compiled twice: quickly at first, and well when it has run long enough to be worth it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use snekpy_stage::backend::{Backend, BackendError, Code, Context, Status};
use snekpy_stage::ir::{Function, Module, Terminator};

use crate::clock;

/// Code of at most so many instructions is compiled well at once: some ten milliseconds.
const AT_ONCE: usize = 40;
/// What compiling an instruction well takes, about.
const PER_INSTRUCTION: Duration = Duration::from_micros(150);
/// And a nest, which code that is compiled quickly does without: such code must have run as long as all of its nests take.
const PER_NEST: Duration = Duration::from_millis(8);
/// Code that takes longer than this to compile well must have run as long; other code, this part of it.
const LONG: Duration = Duration::from_millis(300);
const PART: u32 = 5;

/// The code of a specialisation.
pub(crate) struct Tiers {
    first: Arc<dyn Code>,
    /// For code that was compiled quickly.
    quick: Option<Quick>,
}

struct Quick {
    /// How many nanoseconds it has run, and after how many it is compiled well.
    ran: AtomicI64,
    enough: i64,
    /// The better code and what making it took. Nothing if it could not be made.
    better: OnceLock<Option<(Arc<dyn Code>, Duration)>>,
}

impl Tiers {
    /// Compiles a module, quickly if it is large and there is a way.
    pub(super) fn compile(
        well: &Arc<dyn Backend>,
        quickly: Option<&Arc<dyn Backend>>,
        module: &Module,
    ) -> Result<Self, BackendError> {
        let size: usize = module.funcs.values().map(weight).sum();
        let Some(quickly) = quickly.filter(|_| size > AT_ONCE) else {
            return Ok(Self { first: traced(well, module)?, quick: None });
        };
        let times = |each: Duration, count: usize| each * u32::try_from(count).unwrap_or(u32::MAX);
        let nests = module.hosts.values().filter(|it| it.nest).count();
        let all = times(PER_INSTRUCTION, size);
        let enough = if all > LONG { all } else { all / PART } + times(PER_NEST, nests);
        let enough = i64::try_from(enough.as_nanos()).unwrap_or(i64::MAX);
        let quick = Quick { ran: AtomicI64::new(0), enough, better: OnceLock::new() };
        Ok(Self { first: traced(quickly, module)?, quick: Some(quick) })
    }

    /// What runs now.
    #[inline]
    pub(super) fn now(&self, well: &Arc<dyn Backend>, module: &Module) -> &Arc<dyn Code> {
        match &self.quick {
            None => &self.first,
            Some(quick) if quick.ran.load(Ordering::Relaxed) < quick.enough => &self.first,
            Some(quick) => quick.better(well, module).unwrap_or(&self.first),
        }
    }

    /// Runs the code, and notes how long it runs where that decides something.
    ///
    /// # Safety
    /// As for [`Code::run`].
    pub(crate) unsafe fn run(&self, code: &dyn Code, cx: &mut Context, args: *const u64, results: *mut u64) -> Status {
        let Some(quick) = self.quick.as_ref().filter(|it| it.better.get().is_none()) else {
            // SAFETY: the caller's.
            return unsafe { code.run(cx, args, results) };
        };
        // What the VM does meanwhile takes no less of it with better code.
        // SAFETY: the caller's.
        let (status, took) = clock::measured(|| unsafe { code.run(cx, args, results) });
        quick.ran.fetch_add((took * 1e9) as i64, Ordering::Relaxed);
        status
    }

    /// What compiling it well took, where it was compiled quickly before.
    pub(crate) fn improved(&self) -> Option<Duration> {
        self.quick.as_ref()?.better.get()?.as_ref().map(|(_, took)| *took)
    }
}

fn traced(backend: &Arc<dyn Backend>, module: &Module) -> Result<Arc<dyn Code>, BackendError> {
    let _span = tracing::debug_span!("compile", of = %module.funcs[module.main()].name).entered();
    backend.compile(module)
}

/// How much there is to compile, in instructions: what ways out of the code carry is stored by some, too.
fn weight(func: &Function) -> usize {
    let blocks = || func.blocks.values();
    let insts = blocks().flat_map(|block| &block.insts).map(|&inst| &func.insts[inst]);
    let states = insts.filter(|inst| inst.op.exit().is_some()).map(|inst| inst.args.len());
    let exits = blocks().filter(|block| matches!(block.term, Terminator::Exit(..)));
    let carried = states.chain(exits.map(|block| block.term.operands().len()));
    func.size() + carried.sum::<usize>() / 3
}

impl Quick {
    #[inline]
    fn better(&self, well: &Arc<dyn Backend>, module: &Module) -> Option<&Arc<dyn Code>> {
        let make = || {
            let began = Instant::now();
            let code = traced(well, module).ok()?;
            Some((code, began.elapsed()))
        };
        self.better.get_or_init(|| clock::uncounted(make)).as_ref().map(|(code, _)| code)
    }
}
