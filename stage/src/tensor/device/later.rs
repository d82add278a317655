//! Operations that wait until somebody needs what they give, so that several become one kernel.
//!
//! What an operation gives has its memory at once (so that there is none is said at its line), and a note of what is to be
//! written there: its [`Due`]. Who needs the elements [`begin`]s it. All that leads to it and can be one [`Sweep`] then is
//! one (`plan`); of the values on the way, those are written that somebody else still has. Before an array is written to,
//! what waits and is about its old elements is begun.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, ThreadId};

use super::concat::{Piece, pieces, two_parts};
use super::plan::{Plan, Stop, Target};
use super::product::refused;
use super::run::{Axes, sweep_code};
use super::step::Step;
use super::sweep::{Given, Job, Run};
use super::{Block, Device, Epilogue, Factor, Product, Products, Tail, address_of, blank, replay};
use crate::kernel::MAX_RANK;
use crate::tensor::elem::by_dtype;
use crate::tensor::elementwise::Num2;
use crate::tensor::error::Result;
use crate::tensor::{Dims, Dtype, Elem, Tensor, TensorBuf, layout};

/// No more operations wait for each other.
const MOST: usize = 48;

/// What an operation does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// What a sweep does.
    Job(Job),
    /// A product of two matrices.
    Product,
}

impl Work {
    /// Whether it makes one element of a row.
    pub(super) const fn folds(self) -> bool {
        matches!(self, Self::Job(job) if job.folds())
    }

    /// Whether an operand is memory that is read at other places than that of the position.
    pub(super) const fn has_table(self, operand: usize) -> bool {
        matches!(self, Self::Job(job) if job.has_table(operand))
    }
}

/// An operation that has not been begun.
pub(super) struct Due {
    pub(super) work: Work,
    /// What it gives.
    pub(super) dtype: Dtype,
    pub(super) dims: Dims,
    pub(super) operands: Vec<Operand>,
    /// How many operations are to be done, at most.
    size: usize,
}

/// An operand of one.
pub(super) enum Operand {
    /// An element that is the same everywhere, by its bits.
    Number(Dtype, u64),
    /// Stretched to the shape, unless it is folded.
    View(Tensor),
}

/// Those that have not been begun, the latest last.
static WAITING: Mutex<Vec<Waits>> = Mutex::new(Vec::new());

/// One of them, and whose it is.
struct Waits {
    buf: Weak<TensorBuf>,
    thread: ThreadId,
}

/// Above so many, those are forgotten that nobody waits for any more.
const MANY: usize = 1024;

type Waiting = MutexGuard<'static, Vec<Waits>>;

/// Whoever has this is the only one to begin anything.
fn alone() -> Waiting {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Due {
    /// On these operands, of which those that are one element of this machine's are taken as they are now.
    fn new(device: &Arc<dyn Device>, job: Job, operands: &[&Tensor], dtype: Dtype, dims: &Dims) -> Result<Self> {
        let one = |x: &&Tensor| -> Result<Operand> {
            if x.device().is_none() && x.count() == 1 {
                return Ok(Operand::Number(x.dtype(), bits(x)));
            }
            let x = x.brought_to(device)?;
            Ok(Operand::View(if job.folds() { x } else { layout::broadcast_to(&x, dims)? }))
        };
        let operands = operands.iter().map(one).collect::<Result<Vec<_>>>()?;
        Ok(Self::of(Work::Job(job), operands, dtype, dims))
    }

    pub(super) fn of(work: Work, operands: Vec<Operand>, dtype: Dtype, dims: &Dims) -> Self {
        let mut it = Self { work, dtype, dims: dims.clone(), operands, size: 1 };
        it.size += it.before().map(|it| it.size).sum::<usize>();
        if it.size > MOST {
            // What leads to several of them was counted each time.
            let mut seen = Vec::new();
            it.before().for_each(|it| it.count(&mut seen));
            it.size = 1 + seen.len();
        }
        it
    }

    /// Whether it computes each element from others at the same position alone.
    pub(super) fn is_simple(&self) -> bool {
        matches!(self.work, Work::Job(job) if !job.folds() && !job.needs_position())
    }

    /// Whether that takes no more time than reading what it gives.
    pub(super) fn is_cheap(&self) -> bool {
        use Job::{Bits1, Bits2, Cast, Compare, Copy, Num1, Test1};
        let Work::Job(job) = self.work else { return false };
        let is_sum = matches!(job, Job::Num2(Num2::Add | Num2::Sub | Num2::Mul | Num2::Min | Num2::Max));
        is_sum || matches!(job, Copy | Cast | Compare(_) | Bits1(_) | Bits2(_) | Num1(_) | Test1(_))
    }

    /// Whether nothing that waits leads to it.
    pub(super) const fn is_first(&self) -> bool {
        self.size == 1
    }

    /// What is to be done before, and may be done in the same kernel.
    fn before(&self) -> impl Iterator<Item = Arc<Self>> {
        self.operands.iter().enumerate().filter_map(|(at, it)| match it {
            Operand::View(it) if !self.work.has_table(at) => due_of(it),
            Operand::View(_) | Operand::Number(..) => None,
        })
    }

    /// Notes it and what is to be done before it, once, and no more of it than may be.
    fn count(self: &Arc<Self>, seen: &mut Vec<*const Self>) {
        if seen.len() <= MOST && !seen.contains(&Arc::as_ptr(self)) {
            seen.push(Arc::as_ptr(self));
            self.before().for_each(|it| it.count(seen));
        }
    }
}

/// The bits of the only element of a tensor of this machine's.
fn bits(x: &Tensor) -> u64 {
    let mut bits = 0_u64;
    by_dtype!(x.dtype(), E => {
        let item = E::from_item(x.item_at(&vec![0; x.rank()]));
        // SAFETY: a word has room for any element.
        unsafe { (&raw mut bits).cast::<E>().write(item) };
    });
    bits
}

fn views(operands: &[Operand]) -> impl Iterator<Item = &Tensor> {
    operands.iter().filter_map(|it| match it {
        Operand::View(it) => Some(it),
        Operand::Number(..) => None,
    })
}

/// What is to be done before there are elements.
pub(super) fn due_of(x: &Tensor) -> Option<Arc<Due>> {
    x.buf().block()?.due()
}

/// An operation that is done when somebody needs what it gives.
pub(super) fn wait(
    device: &Arc<dyn Device>,
    job: Job,
    operands: &[&Tensor],
    (dtype, dims): (Dtype, &Dims),
) -> Result<Tensor> {
    let to = blank(device, dtype, dims)?;
    if to.count() > 0 {
        put_off(Due::new(device, job, operands, dtype, dims)?, &to)?;
    }
    Ok(to)
}

/// A product of two matrices that is made when somebody needs it: together with what follows, if one kernel can. Its factors
/// are dense, but for a library.
pub(super) fn wait_product(device: &Arc<dyn Device>, factors: [&Tensor; 2], to: &Tensor) -> Result<()> {
    let stays = |it: &Tensor| device.multiplies_all(to.dtype()) && Factor::of(it).is_some();
    let factor = |it: &Tensor| if stays(it) { Ok(it.clone()) } else { it.as_dense() };
    let operands = factors.into_iter().map(|it| factor(it).map(Operand::View)).collect::<Result<_>>()?;
    put_off(Due::of(Work::Product, operands, to.dtype(), to.dims()), to)
}

/// Has a tensor wait for what is due.
pub(super) fn put_off(mut due: Due, to: &Tensor) -> Result<()> {
    if due.size > MOST {
        views(&due.operands).try_for_each(begin)?;
        due.size = 1;
    }
    if let Some(block) = to.buf().block() {
        block.set_due(Some(Arc::new(due)));
    }
    let mut waiting = alone();
    if waiting.len() > MANY {
        waiting.retain(|it| it.buf.upgrade().is_some_and(|it| it.block().is_some_and(|it| it.due().is_some())));
        if waiting.len() > MANY / 2 {
            begin_all_of(&mut waiting, |_| true)?;
        }
    }
    waiting.push(Waits { buf: Arc::downgrade(to.buf()), thread: thread::current().id() });
    Ok(())
}

/// An operation that is done now, on a tensor of the device's. What waits for its elements as they were is begun before.
pub(super) fn now(device: &Arc<dyn Device>, job: Job, operands: &[&Tensor], to: &Tensor) -> Result<()> {
    if to.count() == 0 {
        return Ok(());
    }
    let due = Due::new(device, job, operands, to.dtype(), to.dims())?;
    let waiting = alone();
    begin_about(&waiting, to)?;
    written(device, due, to, true)
}

/// Does what is due, of which nothing else waits, and writes it to a tensor: some axes at a time, if there are more than
/// kernels have.
fn written(device: &Arc<dyn Device>, due: Due, to: &Tensor, in_place: bool) -> Result<()> {
    let Due { work, dtype, .. } = due;
    let copies = work == Work::Job(Job::Copy);
    let mut steps = vec![&**to.steps()];
    if copies {
        steps.extend(views(&due.operands).map(|it| &**it.steps()));
    }
    if (copies || !to.is_dense()) && Axes::of(to.dims(), &steps).dims.len() > MAX_RANK {
        return (0..to.dims()[0] as i64).try_for_each(|at| {
            let part = |it: &Operand| {
                Ok(match it {
                    Operand::Number(dtype, bits) => Operand::Number(*dtype, *bits),
                    Operand::View(it) => Operand::View(layout::pick(it, 0, at)?),
                })
            };
            let operands = due.operands.iter().map(part).collect::<Result<Vec<_>>>()?;
            let to = layout::pick(to, 0, at)?;
            written(device, Due { work, dtype, dims: to.dims().clone(), operands, size: 1 }, &to, in_place)
        });
    }
    let steps = (!to.is_dense()).then(|| to.steps().clone());
    perform(device, &Arc::new(due), &Target { address: address_of(to), in_place, steps })
}

/// Begins what leads to the elements of a tensor.
pub(super) fn begin(x: &Tensor) -> Result<()> {
    x.buf().block().map_or(Ok(()), begin_block)
}

/// The same, for the memory.
pub(super) fn begin_block(block: &Block) -> Result<()> {
    if block.due().is_none() {
        return Ok(());
    }
    let _alone = alone();
    begun(block)
}

/// Begins all that waits.
pub(super) fn begin_all() -> Result<()> {
    begin_all_of(&mut alone(), |_| true)
}

/// Begins all that this thread has put off, before it waits for elements of something else: the device goes on with it meanwhile.
/// What cannot be begun says so to those who need it. (What other threads have put off, they may note: [`replay`].)
pub(super) fn begin_rest() {
    if !replay::is_apart() {
        let me = thread::current().id();
        let _ = begin_all_of(&mut alone(), |it| it.thread == me);
    }
}

/// Begins what waits and is about the elements of a tensor.
fn begin_about(waiting: &Waiting, x: &Tensor) -> Result<()> {
    begin_with(waiting, |it| Arc::ptr_eq(it, x.buf()))
}

/// Begins what waits and reads one of these.
pub(super) fn begin_readers(of: &HashSet<*const TensorBuf>) -> Result<()> {
    if of.is_empty() { Ok(()) } else { begin_with(&alone(), |it| of.contains(&Arc::as_ptr(it))) }
}

/// Begins what waits and is about the elements of such memory.
fn begin_with(waiting: &Waiting, is_it: impl Fn(&Arc<TensorBuf>) -> bool) -> Result<()> {
    for it in waiting.iter().rev() {
        if let Some(buf) = it.buf.upgrade()
            && let Some(block) = buf.block()
            && block.due().is_some_and(|due| is_it(&buf) || views(&due.operands).any(|it| is_it(it.buf())))
        {
            begun(block)?;
        }
    }
    Ok(())
}

/// Begins those of what waits.
fn begin_all_of(waiting: &mut Waiting, is_one: impl Fn(&Waits) -> bool) -> Result<()> {
    // The latest first: what only leads to others need not be written then.
    let mut at = waiting.len();
    while at > 0 {
        at -= 1;
        if !is_one(&waiting[at]) {
            continue;
        }
        if let Some(buf) = waiting[at].buf.upgrade()
            && let Some(block) = buf.block()
        {
            begun(block)?;
        }
        waiting.remove(at);
    }
    Ok(())
}

/// Begins it. The caller is alone.
fn begun(block: &Block) -> Result<()> {
    let Some(due) = block.due() else { return Ok(()) };
    perform(&block.device, &due, &Target { address: block.place(), ..Target::default() })?;
    block.set_due(None);
    Ok(())
}

/// Does what is due, and writes it where it goes.
fn perform(device: &Arc<dyn Device>, due: &Arc<Due>, to: &Target) -> Result<()> {
    if due.work == Work::Product {
        return multiplied(device, due, to.address);
    }
    if to.steps.is_none()
        && let Some(pieces) = pieces(due)
    {
        return pieces.into_iter().try_for_each(|Piece { due, far, steps }| {
            perform(device, &due, &Target { address: to.address + far, steps, ..Target::default() })
        });
    }
    let mut copies = Vec::new();
    loop {
        let plan = match Plan::new(due, &copies, to) {
            Ok(plan) => plan,
            Err(Stop::Begin(first)) => {
                begun(first.block())?;
                continue;
            }
            Err(Stop::Copy(place)) => {
                let copy = copied(device, place.tensor())?;
                copies.push((place, copy));
                continue;
            }
        };
        let mut outputs = vec![to.address];
        outputs.extend(plan.written.iter().map(|it| it.block().place()));
        let inputs = plan.given(&copies);
        let run = Run { dims: plan.dims.clone(), inputs, outputs, to_steps: plan.to_steps.clone() };
        match &plan.product {
            Some((input, place)) => {
                let epilogue = Epilogue { sweep: plan.sweep.clone(), input: *input };
                let waits = place.block().due().expect("the product waits");
                let plain = of_parts(&waits, 0).map(|it| it.0).or_else(|| products_of(&waits, 0).plain());
                let step = plain.map(|it| Step::ProductInto(it, epilogue, run));
                match step.and_then(|it| replay::begin(device, it)) {
                    Some(done) => done?,
                    None => {
                        begun(place.block())?;
                        continue;
                    }
                }
            }
            None => {
                let code = sweep_code(device, &plan.sweep)?;
                // The inputs are those of the plan, whose memory the operands hold; outputs are as long as the space or its rows.
                replay::begin(device, Step::Sweep(code, run)).expect("sweeps are begun as they are")?;
            }
        }
        plan.written.iter().for_each(|it| it.block().set_due(None));
        return Ok(());
    }
}

/// A product, alone.
fn multiplied(device: &Arc<dyn Device>, due: &Due, address: u64) -> Result<()> {
    if let Some((product, parts)) = of_parts(due, address) {
        let all = parts.iter().chain(views(&due.operands).nth(1));
        all.map(|it| it.buf().block().expect("factors lie on the device")).try_for_each(begun)?;
        if let Some(done) = replay::begin(device, Step::Product(product)) {
            return done;
        }
    }
    views(&due.operands).try_for_each(|it| begun(it.buf().block().expect("factors lie on the device")))?;
    let products = products_of(due, address);
    let step = products.plain().map_or(Step::Products(products), Step::Product);
    replay::begin(device, step).unwrap_or_else(|| refused(device))
}

/// The product that is due, and where it goes, with the parts of its first factor: if that waits to be joined of two, and the
/// device takes them as they are.
pub(super) fn of_parts(due: &Due, to: u64) -> Option<(Product, [Tensor; 2])> {
    let mut factors = views(&due.operands);
    let (a, b) = (factors.next()?, factors.next()?);
    let waits = due_of(a)?;
    let whole = Products::of([a, b], due.dtype, to).plain()?;
    if a.start() != 0 || *a.dims() != waits.dims {
        return None;
    }
    let parts = two_parts(&waits)?;
    let tail = Tail { from: parts[0].dims()[1], at: address_of(&parts[1]) };
    let product = Product { a: address_of(&parts[0]), tail: Some(tail), ..whole };
    a.buf().block()?.device.takes_parts(&product).then_some((product, parts))
}

/// The product that is due, and where it goes.
fn products_of(due: &Due, to: u64) -> Products {
    let mut factors = views(&due.operands);
    let (Some(a), Some(b)) = (factors.next(), factors.next()) else { unreachable!("a product has two factors") };
    Products::of([a, b], due.dtype, to)
}

/// A dense copy of a view, made now.
fn copied(device: &Arc<dyn Device>, view: &Tensor) -> Result<Tensor> {
    begun(view.buf().block().expect("it lies on a device"))?;
    let to = blank(device, view.dtype(), view.dims())?;
    let operands = vec![Operand::View(view.clone())];
    let due = Due { work: Work::Job(Job::Copy), dtype: to.dtype(), dims: to.dims().clone(), operands, size: 1 };
    written(device, due, &to, false)?;
    Ok(to)
}

/// What the inputs of a plan are.
impl Plan {
    fn given(&self, copies: &[(super::plan::Place, Tensor)]) -> Vec<Given> {
        let one = |source: &super::plan::Source| match source {
            super::plan::Source::Number(bits) => Given::Number(*bits),
            super::plan::Source::View { place, steps } => {
                let tensor = copies.iter().find(|it| it.0 == *place).map_or(place.tensor(), |it| &it.1);
                let block = tensor.buf().block().expect("operands lie on the device");
                let inside = (block.place(), block.place() + tensor.buf().bytes() as u64);
                Given::Memory { first: address_of(tensor), steps: steps.clone(), inside }
            }
        };
        self.sources.iter().map(one).collect()
    }
}
