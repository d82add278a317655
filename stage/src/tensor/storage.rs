//! Memory that tensors share.

use std::alloc::{self, Layout};
use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::device::Block;
use super::error::{Result, TensorError};
use super::trace::{self, Staged};
use crate::home::Home;

/// Bytes of the largest tensor.
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Says how much memory there is. A tensor that wants more is refused, also where the system would promise it.
pub fn limit_memory(bytes: usize) {
    MOST.fetch_min(bytes, Ordering::Relaxed);
}

/// Bytes on a boundary that suits every vector unit.
const ALIGN: usize = 64;

/// A block of memory, ours or somebody else's, that any number of tensors are views of.
///
/// It is written through shared references, as the arrays of NumPy are: what threads read while others write is
/// any of the values, and never more than that, because nothing but numbers lies in it.
pub struct TensorBuf {
    data: NonNull<u8>,
    bytes: usize,
    writable: bool,
    owner: Owner,
}

enum Owner {
    /// Allocated here, with this layout.
    Here(Layout),
    /// Of a tensor that is known later, or only its shape: the value and where it will lie, and zeros for those who look.
    Nowhere(Option<(Staged, Home)>, OnceLock<Box<TensorBuf>>),
    /// In the memory of a device.
    There(Box<Block>),
    /// Kept alive by this.
    Elsewhere(#[expect(dead_code, reason = "held, not read")] Box<dyn Any + Send + Sync>),
}

// SAFETY: the memory is owned by this value or by what it holds, and reached through raw pointers only.
unsafe impl Send for TensorBuf {}
// SAFETY: as above; all reads and writes are of plain numbers for which every bit pattern is allowed.
unsafe impl Sync for TensorBuf {}

impl TensorBuf {
    /// Memory that has not been written. Whoever asks for it writes all of it.
    pub(crate) fn blank(bytes: usize) -> Result<Self> {
        if trace::is_for_shapes() {
            return Ok(Self::nowhere(bytes, None));
        }
        Self::allocate(bytes, |layout| {
            // SAFETY: the layout has a size other than zero.
            unsafe { alloc::alloc(layout) }
        })
    }

    /// Memory full of zeros.
    pub(crate) fn zeros(bytes: usize) -> Result<Self> {
        if trace::is_for_shapes() {
            return Ok(Self::nowhere(bytes, None));
        }
        Self::allocate(bytes, |layout| {
            // SAFETY: the layout has a size other than zero.
            unsafe { alloc::alloc_zeroed(layout) }
        })
    }

    fn allocate(bytes: usize, alloc: impl FnOnce(Layout) -> *mut u8) -> Result<Self> {
        let exhausted = || TensorError::Memory(format!("unable to allocate {} for a tensor", amount(bytes)));
        if bytes > MOST.load(Ordering::Relaxed) {
            return Err(exhausted());
        }
        // Small tensors do not pay for the boundary that only long loops profit from.
        let align = if bytes < 1024 { 16 } else { ALIGN };
        let layout = Layout::from_size_align(bytes.max(1), align).map_err(|_| exhausted())?;
        let data = NonNull::new(alloc(layout)).ok_or_else(exhausted)?;
        Ok(Self { data, bytes, writable: true, owner: Owner::Here(layout) })
    }

    /// Memory that `owner` keeps alive.
    ///
    /// # Safety
    /// `bytes` bytes from `data` can be read, and written if `writable`, for as long as `owner` is not dropped.
    pub unsafe fn foreign(data: NonNull<u8>, bytes: usize, writable: bool, owner: Box<dyn Any + Send + Sync>) -> Self {
        Self { data, bytes, writable, owner: Owner::Elsewhere(owner) }
    }

    /// Memory of so many bytes that does not exist.
    pub(super) fn nowhere(bytes: usize, value: Option<(Staged, Home)>) -> Self {
        let data = NonNull::without_provenance(
            std::num::NonZero::<usize>::MIN
                .saturating_mul(std::num::NonZero::new(ALIGN).expect("a boundary is not zero")),
        );
        Self { data, bytes, writable: true, owner: Owner::Nowhere(value, OnceLock::new()) }
    }

    /// The value that is known later, if it is of one.
    pub(super) fn staged(&self) -> Option<Staged> {
        match &self.owner {
            Owner::Nowhere(value, _) => value.map(|it| it.0),
            Owner::Here(_) | Owner::There(_) | Owner::Elsewhere(_) => None,
        }
    }

    /// Where it is, or will be. `None` if there are too many devices.
    pub(super) fn home(&self) -> Option<Home> {
        match &self.owner {
            Owner::Nowhere(value, _) => Some(value.map_or(Home::HERE, |it| it.1)),
            Owner::There(block) => block.home(),
            Owner::Here(_) | Owner::Elsewhere(_) => Some(Home::HERE),
        }
    }

    /// Memory of a device.
    pub(super) fn there(block: Block, bytes: usize) -> Self {
        Self { data: NonNull::dangling(), bytes, writable: true, owner: Owner::There(Box::new(block)) }
    }

    /// The memory of a device, if it is that.
    #[inline]
    pub(super) fn block(&self) -> Option<&Block> {
        match &self.owner {
            Owner::There(block) => Some(block),
            Owner::Here(_) | Owner::Nowhere(..) | Owner::Elsewhere(_) => None,
        }
    }

    /// The number of the first byte, to compare with others; nothing is copied for it.
    pub(super) fn address(&self) -> usize {
        match &self.owner {
            Owner::There(block) => block.place() as usize,
            Owner::Here(_) | Owner::Nowhere(..) | Owner::Elsewhere(_) => self.data().addr(),
        }
    }

    /// The first byte, in this machine's memory: what lies in a device's is copied.
    #[inline]
    pub fn data(&self) -> *mut u8 {
        match &self.owner {
            Owner::Here(_) | Owner::Elsewhere(_) => self.data.as_ptr(),
            Owner::Nowhere(..) | Owner::There(_) if trace::is_for_shapes() => self.data.as_ptr(),
            Owner::Nowhere(_, zeros) => {
                trace::look();
                let zeros = zeros.get_or_init(|| match Self::zeros(self.bytes) {
                    Ok(zeros) => Box::new(zeros),
                    Err(_) => alloc::handle_alloc_error(Layout::new::<u8>()),
                });
                zeros.data.as_ptr()
            }
            Owner::There(block) => block.here().data.as_ptr(),
        }
    }

    /// How many bytes there are.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether it was allocated here.
    pub(super) fn is_ours(&self) -> bool {
        matches!(self.owner, Owner::Here(_))
    }

    /// Whether it may be written to.
    pub fn is_writable(&self) -> bool {
        self.writable
    }
}

impl Drop for TensorBuf {
    fn drop(&mut self) {
        match &self.owner {
            // SAFETY: allocated in `allocate` with this layout.
            Owner::Here(layout) => unsafe { alloc::dealloc(self.data.as_ptr(), *layout) },
            Owner::There(_) | Owner::Elsewhere(_) | Owner::Nowhere(..) => {}
        }
    }
}

impl fmt::Debug for TensorBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TensorBuf({} bytes)", self.bytes)
    }
}

/// `17 B`, `3.5 GiB`.
fn amount(bytes: usize) -> String {
    let mut amount = bytes as f64;
    for unit in ["B", "KiB", "MiB", "GiB", "TiB"] {
        if amount < 1024.0 {
            return if unit == "B" { format!("{bytes} B") } else { format!("{amount:.3} {unit}") };
        }
        amount /= 1024.0;
    }
    format!("{amount:.3} PiB")
}
