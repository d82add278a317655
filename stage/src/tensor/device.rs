//! Tensors in the memory of a device.
//!
//! A tensor may lie in the memory of a [`Device`]. Functions of this module's parent take it like any other: what the device
//! has a kernel for is done there (`perform`), and gives a tensor there; views are made here, as they touch no element.
//! Everything else needs the elements in this machine's memory. Then they are copied, once for as long as nobody changes
//! them, and whoever has registered [`on_implicit_copy`] is told: the program did not ask for it.
//!
//! What computes elements, and folds rows, waits until somebody needs the result (`later`), and becomes one kernel with
//! what it leads to ([`sweep`]).
//!
//! Kernels compute what the functions here define, with these differences: functions of doubles are the device's; where
//! what is folded is no row that a sweep can have ([`sweep::MOST_LEN`]), floats are added up in doubles, in an order that
//! depends on the shape alone; and products of vectors are rounded before they are added up.

mod ahead;
mod body;
mod chain;
mod concat;
mod dry;
mod early;
mod extreme;
mod fold;
mod gather;
mod homes;
mod later;
mod lines;
mod moving;
mod nonzero;
mod order;
mod perform;
mod plan;
mod product;
mod repeats;
mod replay;
mod run;
mod scan;
mod scatter;
mod step;
pub mod sweep;
pub mod together;
mod work;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::error::{Result, TensorError};
use super::{Dims, Steps, Tensor, TensorBuf};
use crate::backend::BackendError;
use crate::home::Home;
use crate::kernel::{Kernel, KernelCode};

pub use ahead::{Ahead, Pace};
pub use dry::{Dry, Made, first_copied, kernels, told};
use early::Early;
pub(super) use gather::gather;
pub(super) use homes::{bits, full, zeros_beside};
pub use homes::{is_any_there, moved, register};
use later::Due;
pub use moving::Number;
pub(super) use nonzero::nonzero;
pub(super) use perform::perform;
pub use perform::{is_done_there, is_done_there_on};
pub use repeats::repeats;
pub use replay::{Notes, Recording};
pub(super) use scatter::{add_at, scatter};
use sweep::{Run, Sweep, SweepCode};
use together::{OneBlock, Part, TogetherCode};

/// Memory apart from this machine's, and what computes in it.
pub trait Device: Send + Sync + fmt::Debug {
    /// What it is called where users choose one.
    fn name(&self) -> &str;

    /// Whether it only notes what it is told to do ([`Dry`]).
    fn is_dry(&self) -> bool {
        false
    }

    /// Memory that has not been written. `what` tells people what for.
    ///
    /// # Errors
    /// A [`TensorError::Memory`] if there is not so much.
    fn allocate(&self, bytes: usize, what: &str, for_use: Use) -> Result<u64>;

    /// Gives memory back. Work that was begun before may still use it.
    fn free(&self, address: u64, bytes: usize);

    /// Copies to the device; what is begun from now on finds it there.
    ///
    /// # Errors
    /// What the device says.
    fn upload(&self, to: u64, from: &[u8]) -> Result<()>;

    /// Copies from the device, when the work that was begun before is done. Before it waits it does what it is to do meanwhile:
    /// to begin more, which the copy is not about.
    ///
    /// # Errors
    /// What the device says.
    fn download(&self, from: u64, to: &mut [u8], meanwhile: &mut dyn FnMut()) -> Result<()>;

    /// Compiles a kernel that runs on arrays in this memory.
    ///
    /// # Errors
    /// What the device says.
    fn compile(&self, kernel: &Kernel) -> std::result::Result<Arc<dyn KernelCode>, BackendError>;

    /// Compiles several operations as one kernel.
    ///
    /// # Errors
    /// What the device says.
    fn sweep(&self, sweep: &Sweep) -> std::result::Result<Arc<dyn SweepCode>, BackendError>;

    /// A product of matrices by a library, if the device has one for it.
    fn multiply(&self, product: &Product) -> Option<Result<()>> {
        let _ = product;
        None
    }

    /// Products by a library, of factors that need not be dense; `None` without one.
    fn multiply_all(&self, products: &Products) -> Option<Result<()>> {
        let _ = products;
        None
    }

    /// Whether [`Device::multiply_all`] makes all products of this dtype.
    fn multiplies_all(&self, dtype: super::Dtype) -> bool {
        let _ = dtype;
        false
    }

    /// Whether [`Device::multiply`] makes every product of this dtype that is not empty: then it may wait for what follows.
    fn multiplies(&self, dtype: super::Dtype) -> bool {
        let _ = dtype;
        false
    }

    /// A product that goes on being computed with before it is written, as one kernel; `None` if the device would rather have
    /// two. The product itself is written only as an output of the epilogue.
    fn multiply_into(&self, product: &Product, epilogue: &Epilogue, run: &Run) -> Option<Result<()>> {
        let _ = (product, epilogue, run);
        None
    }

    /// What is begun as one kernel of one block; `None` if nothing.
    fn one_block(&self) -> Option<OneBlock> {
        None
    }

    /// Whether it takes the first factor of a product in two parts.
    fn takes_parts(&self, product: &Product) -> bool {
        let _ = product;
        false
    }

    /// Whether the product that the device makes of these is, by bits, the one of a [`Part`].
    fn chains(&self, product: &Product) -> bool {
        let _ = product;
        false
    }

    /// Whether the code of kernels as one of one block has been compiled before, in another process.
    fn has_made(&self, parts: &[Part]) -> bool {
        let _ = parts;
        false
    }

    /// Compiles kernels, one after the other, as one of one block.
    ///
    /// # Errors
    /// What the device says.
    fn together(&self, parts: &[Part]) -> std::result::Result<Arc<dyn TogetherCode>, BackendError> {
        let _ = parts;
        Err(BackendError(format!("{} has no kernels of one block", self.name())))
    }

    /// How many iterations of a loop, each of which the program waits for, are to be begun before it comes to them: none if that
    /// would not pay. As many again may be on their way, and all but the first be for nothing.
    fn iterations_ahead(&self, pace: &Pace) -> usize {
        let _ = pace;
        0
    }

    /// What `work` begins, to be begun at once as often as wanted: nothing of it runs now. `None` if the device cannot.
    fn capture(&self, work: &mut dyn FnMut() -> Result<()>) -> Option<Result<Box<dyn Graph>>> {
        let _ = work;
        None
    }

    /// Whether it can begin work as one at all.
    fn captures(&self) -> bool {
        false
    }
}

/// What memory is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// The device computes what is written there.
    Computed,
    /// It is copied there next, from this machine's memory: best where no work that was begun is still about, so that nobody
    /// waits for it.
    Filled,
}

/// Work of a device that is begun as one. The memory that it is about is the same each time.
pub trait Graph: Send + Sync {
    /// Begins it. What was begun before is done before.
    ///
    /// # Errors
    /// What the device says.
    fn launch(&self) -> Result<()>;
}

/// What is computed with each element of a product of matrices, when it has been rounded to its dtype: so the result has the
/// bits of a product that was written and read again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Epilogue {
    /// A flat sweep over all elements of the product, or over its rows and columns.
    pub sweep: Sweep,
    /// Which of the inputs the product is.
    pub input: u16,
}

/// A product of two matrices: `m` rows by `k`, and `k` by `n` columns. All are dense, of one dtype, rows one after another.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    /// What the elements are.
    pub dtype: super::Dtype,
    /// Rows of the first and of the product.
    pub m: usize,
    /// Columns of the second and of the product.
    pub n: usize,
    /// Columns of the first, rows of the second.
    pub k: usize,
    /// Where the first is.
    pub a: u64,
    /// Where its columns are from one on, if it is in two parts.
    pub tail: Option<Tail>,
    /// Where the second is.
    pub b: u64,
    /// Where the product goes.
    pub to: u64,
}

/// The second part of a factor that lies in two: each is dense, with rows of its own length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tail {
    /// How many columns the first part has.
    pub from: usize,
    /// Where the second is.
    pub at: u64,
}

impl Product {
    /// The columns of a first part are a multiple of this: kernels go along the inner dimension in steps, each of which is in one
    /// part.
    pub const STEPS: usize = 32;

    /// Whether kernels of ours take the first factor in two parts, as it is.
    pub fn may_be_in_parts(&self) -> bool {
        let from = self.tail.map_or(0, |it| it.from);
        matches!(self.dtype, super::Dtype::F32 | super::Dtype::F64) && from > 0 && from.is_multiple_of(Self::STEPS)
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { m, n, k, dtype, .. } = self;
        match self.tail {
            Some(Tail { from, .. }) => write!(f, "product of ({m}, {from} and {}) and ({k}, {n}) {dtype}", k - from),
            None => write!(f, "product of ({m}, {k}) and ({k}, {n}) {dtype}"),
        }
    }
}

/// Where the matrices of a factor lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Factor {
    /// Whether they are transposed: what are columns lies as rows do.
    pub turned: bool,
    /// Elements from one row to the next as they lie, of which each is one range.
    pub row: usize,
    /// Elements from one matrix to the next: none if it is the same one.
    pub matrix: usize,
}

/// Products of as many matrices as there are, each with its own; what they give is dense, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Products {
    /// The first one, but for how the factors lie.
    pub first: Product,
    /// How they do.
    pub factors: [Factor; 2],
    /// How many there are.
    pub count: usize,
}

/// A block of a device's memory.
pub(super) struct Block {
    device: Arc<dyn Device>,
    address: u64,
    bytes: usize,
    home: Option<Home>,
    /// The copy in this machine's memory, once there is one, and whether it is what the device has.
    here: OnceLock<Box<TensorBuf>>,
    fresh: AtomicBool,
    /// How often something was written over what it was made with.
    changes: AtomicU32,
    /// The memory that it is a part of, if it has none of its own.
    whole: Option<Arc<TensorBuf>>,
    /// Where its only element is before anybody has asked for it.
    early: Mutex<Option<Early>>,
    /// What is still to be written there.
    due: Mutex<Option<Arc<Due>>>,
    /// What is known of views of it.
    ranges: Mutex<Vec<Range>>,
}

/// What elements of a view lie between.
struct Range {
    /// The view: its first element, shape and steps.
    start: isize,
    dims: Dims,
    steps: Steps,
    found: (i64, i64),
    /// Whether it must be so, whatever was computed with.
    is_sure: bool,
}

impl Block {
    fn new(device: &Arc<dyn Device>, bytes: usize, what: &str, for_use: Use) -> Result<Self> {
        Ok(Self::at(device, replay::allocate(device, bytes, what, for_use)?, bytes, None))
    }

    /// A part of the memory of another one, by itself.
    fn part(whole: &Arc<TensorBuf>, at: usize, bytes: usize) -> Self {
        let it = whole.block().expect("it lies on a device");
        Self::at(&it.device, it.address + at as u64, bytes, Some(Arc::clone(whole)))
    }

    fn at(device: &Arc<dyn Device>, address: u64, bytes: usize, whole: Option<Arc<TensorBuf>>) -> Self {
        let (device, home) = (Arc::clone(device), register(device));
        let (here, fresh, changes) = (OnceLock::new(), AtomicBool::new(false), AtomicU32::new(0));
        let (early, due, ranges) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { device, address, bytes, home, here, fresh, changes, whole, early, due, ranges }
    }

    /// Where it is, whatever is still to be written there.
    pub(super) fn place(&self) -> u64 {
        self.address
    }

    pub(super) fn home(&self) -> Option<Home> {
        self.home
    }

    fn due(&self) -> Option<Arc<Due>> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_due(&self, due: Option<Arc<Due>>) {
        // What it was is dropped when nobody is kept waiting.
        let _before = std::mem::replace(&mut *self.due.lock().unwrap_or_else(PoisonError::into_inner), due);
    }

    fn changes(&self) -> u32 {
        self.changes.load(Ordering::Relaxed)
    }

    fn early(&self) -> Option<Early> {
        self.early.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_early(&self, early: Option<Early>) {
        let _before = std::mem::replace(&mut *self.early.lock().unwrap_or_else(PoisonError::into_inner), early);
    }

    /// The copy in this machine's memory. Nobody has asked for it.
    pub(super) fn here(&self) -> &TensorBuf {
        let here = self.here.get_or_init(|| match TensorBuf::blank(self.bytes) {
            Ok(here) => Box::new(here),
            Err(_) => std::alloc::handle_alloc_error(std::alloc::Layout::new::<u8>()),
        });
        replay::looked_at();
        if !self.fresh.load(Ordering::Acquire) {
            // SAFETY: it has so many bytes, and nobody else looks at them before they are there.
            let to = unsafe { std::slice::from_raw_parts_mut(here.data(), self.bytes) };
            if !early::written(self, to) {
                let copied = |()| self.device.download(self.address, to, &mut later::begin_rest);
                if let Err(error) = later::begin_block(self).and_then(copied) {
                    fail(error);
                }
            }
            let knows = TOLD.get().is_none_or(|told| told(self.device.name(), self.bytes));
            self.fresh.store(knows, Ordering::Release);
        }
        here
    }

    /// The device's memory has changed.
    fn changed(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
        self.set_early(None);
        self.fresh.store(false, Ordering::Release);
        self.ranges().clear();
    }

    /// The least and the greatest of a view of it, which are found once.
    fn range(&self, x: &Tensor, find: impl FnOnce() -> Result<(i64, i64)>) -> Result<(i64, i64)> {
        let is_it = |it: &&Range| (it.start, &it.dims, &it.steps) == (x.start(), x.dims(), x.steps());
        let known = self.ranges().iter().find(is_it).map(|it| (it.found, it.is_sure));
        let (found, is_sure) = match known {
            Some(known) => known,
            None => {
                let found = replay::apart(find)?;
                self.note_range(x, found, false);
                (found, false)
            }
        };
        if !is_sure {
            replay::ranged(self, x, found);
        }
        Ok(found)
    }

    fn note_range(&self, x: &Tensor, found: (i64, i64), is_sure: bool) {
        let (start, dims, steps) = (x.start(), x.dims().clone(), x.steps().clone());
        self.ranges().push(Range { start, dims, steps, found, is_sure });
    }

    fn ranges(&self) -> MutexGuard<'_, Vec<Range>> {
        self.ranges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.whole.is_some() {
            return;
        }
        replay::free(&self.device, self.address, self.bytes);
    }
}

static TOLD: OnceLock<fn(&str, usize) -> bool> = OnceLock::new();

/// Says who is told when elements are copied from a device and nobody has asked for it: its name, and how many bytes. They
/// say whether that is known now where it has to be: if not, the next one who looks copies again. The first one stays.
pub fn on_implicit_copy(told: fn(&str, usize) -> bool) {
    TOLD.get_or_init(|| told);
}

static AROUND: OnceLock<fn(&mut dyn FnMut())> = OnceLock::new();

/// Has code of kernels be made by `around`, which runs what it is given: once for each kernel of a device, so that it says
/// nothing about how long the next call takes. The first one stays.
pub fn while_compiling(around: fn(&mut dyn FnMut())) {
    AROUND.get_or_init(|| around);
}

/// Makes the code of a kernel.
fn compiled<T>(make: impl FnOnce() -> T) -> T {
    let (mut make, mut made) = (Some(make), None);
    let mut run = || made = make.take().map(|make| make());
    match AROUND.get() {
        Some(around) => around(&mut run),
        None => run(),
    }
    made.expect("what is around makes it")
}

thread_local! {
    static FAILED: std::cell::RefCell<Option<TensorError>> = const { std::cell::RefCell::new(None) };
}

/// A device has failed where nobody can be given an error.
fn fail(error: TensorError) {
    FAILED.with_borrow_mut(|failed| {
        failed.get_or_insert(error);
    });
}

/// The error of a device that could not be given to the one who met it. It is forgotten then.
pub fn take_failure() -> Option<TensorError> {
    FAILED.with_borrow_mut(Option::take)
}

impl Tensor {
    /// The device in whose memory it lies, if it is not this machine's.
    pub fn device(&self) -> Option<&Arc<dyn Device>> {
        self.buf().block().map(|it| &it.device)
    }

    /// A dense copy in a device's memory.
    ///
    /// # Errors
    /// What the device says.
    pub fn to_device(&self, device: &Arc<dyn Device>) -> Result<Self> {
        if self.is_on(device) {
            return self.to_dense();
        }
        if self.device().is_none() && self.count() > 0 && self.steps().iter().all(|it| *it == 0) {
            return homes::repeated(device, self);
        }
        let dense = self.to_host()?.as_dense()?;
        let to = blank_for(Use::Filled, device, dense.dtype(), dense.dims())?;
        replay::filled(address_of(&to));
        let (from, bytes) = (dense.ptr(), dense.count() * dense.dtype().size());
        let _span = tracing::debug_span!("copy to the device", bytes).entered();
        // SAFETY: the elements of a dense tensor are one range.
        device.upload(address_of(&to), unsafe { std::slice::from_raw_parts(from, bytes) })?;
        Ok(to)
    }

    fn is_on(&self, device: &Arc<dyn Device>) -> bool {
        self.device().is_some_and(|it| Arc::ptr_eq(it, device))
    }

    /// This tensor if it lies in the memory of a device, and else a copy there, by way of this machine's if it lies on another
    /// one: that, nobody has asked for.
    fn brought_to(&self, device: &Arc<dyn Device>) -> Result<Self> {
        if self.is_on(device) { Ok(self.clone()) } else { self.implicitly_here()?.to_device(device) }
    }

    /// A dense tensor in a device's memory that nobody has written yet, and where its elements go. Whoever asks for it writes
    /// all of them.
    ///
    /// # Errors
    /// What the device says.
    pub fn unwritten(device: &Arc<dyn Device>, dtype: super::Dtype, dims: &[usize]) -> Result<(Self, u64)> {
        let it = blank(device, dtype, dims)?;
        let first = address_of(&it);
        Ok((it, first))
    }

    /// Where the elements are in its device's memory, if it lies in one. What they are has been begun.
    ///
    /// # Errors
    /// What the device says.
    pub fn address_there(&self) -> Result<Option<u64>> {
        self.begin()?;
        Ok(self.device().map(|_| address_of(self)))
    }

    /// Whether it lies on a device, and something was written to its memory since that was made.
    pub fn is_written_there(&self) -> bool {
        self.buf().block().is_some_and(|it| it.changes() > 0)
    }

    /// Says that its elements are never less than one number nor greater than another, if it lies on a device: then nobody asks.
    fn lies_between(&self, least: i64, greatest: i64) {
        if let Some(block) = self.buf().block() {
            block.note_range(self, (least, greatest), true);
        }
    }

    /// Its memory on a device has been written to.
    fn changed_there(&self) {
        if let Some(block) = self.buf().block() {
            block.changed();
        }
    }

    /// Begins what its elements are to be, if it lies on a device and that waits.
    ///
    /// # Errors
    /// What the device says.
    pub fn begin(&self) -> Result<()> {
        later::begin(self)
    }

    /// Itself if it lies in this machine's memory, else a dense copy there.
    ///
    /// # Errors
    /// What the device says.
    pub fn to_host(&self) -> Result<Self> {
        let Some(device) = self.device() else { return Ok(self.clone()) };
        let dense = self.as_dense()?;
        replay::looked_at();
        let to = Self::blank(self.dtype(), self.dims())?;
        let bytes = to.count() * to.dtype().size();
        if bytes == 0 {
            // A view of nothing may lie behind the memory.
            return Ok(to);
        }
        // SAFETY: it has so many bytes, and nobody else knows it.
        let bytes = unsafe { std::slice::from_raw_parts_mut(to.ptr(), bytes) };
        if !dense.buf().block().is_some_and(|it| early::written(it, bytes)) {
            dense.begin()?;
            device.download(address_of(&dense), bytes, &mut later::begin_rest)?;
        }
        Ok(to)
    }

    /// The same view of the copy in this machine's memory, which nobody has asked for.
    fn implicitly_here(&self) -> Result<Self> {
        match self.buf().block() {
            None => Ok(self.clone()),
            Some(block) => {
                let dense = Self::blank(self.dtype(), self.dims())?;
                // The elements are reached through the copy that the block keeps.
                block.here();
                match take_failure() {
                    Some(error) => Err(error),
                    None => {
                        self.copy_to(&dense);
                        Ok(dense)
                    }
                }
            }
        }
    }
}

/// Dense memory on a device for these elements, not written yet.
fn blank(device: &Arc<dyn Device>, dtype: super::Dtype, dims: &[usize]) -> Result<Tensor> {
    blank_for(Use::Computed, device, dtype, dims)
}

fn blank_for(for_use: Use, device: &Arc<dyn Device>, dtype: super::Dtype, dims: &[usize]) -> Result<Tensor> {
    let bytes = super::count(dims)? * dtype.size();
    let what = || format!("{} {}", dtype.name(), super::show(dims));
    let block = Block::new(device, bytes, &what(), for_use)?;
    Tensor::dense(TensorBuf::there(block, bytes), dtype, dims)
}

/// Where the first element of a tensor on a device is.
fn address_of(x: &Tensor) -> u64 {
    let first = x.buf().block().map_or(0, Block::place);
    first.wrapping_add_signed((x.start() * x.dtype().size() as isize) as i64)
}
