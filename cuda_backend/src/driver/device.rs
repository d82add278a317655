//! The devices of this machine.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, DriverError, sys};
use cudarc::nvrtc::Ptx;
use snekpy_llvm::ObjectCache;
use snekpy_stage::backend::BackendError;

use super::machine_code;
use crate::ptx::ENTRY;

/// The oldest driver that takes our PTX, as the driver numbers itself: 12.0.
const OLDEST_DRIVER: i32 = 12_000;
/// The least compute capability that there is code for.
const LEAST_ARCH: u32 = 80;

/// A record of no failure.
pub(super) const NO_FAILURE: [u64; 1] = [u64::MAX];

/// What the driver said.
#[derive(Debug)]
pub(super) struct Fault(pub(super) String);

impl From<BackendError> for Fault {
    fn from(error: BackendError) -> Self {
        Self(error.0)
    }
}

impl From<DriverError> for Fault {
    fn from(error: DriverError) -> Self {
        use sys::CUresult as It;
        Self(match error.0 {
            It::CUDA_ERROR_OUT_OF_MEMORY => "there is not enough memory on the GPU".to_owned(),
            It::CUDA_ERROR_NO_DEVICE => "there is no NVIDIA GPU in this machine".to_owned(),
            It::CUDA_ERROR_INVALID_DEVICE => "there is no GPU of this number".to_owned(),
            _ => error.to_string(),
        })
    }
}

/// Calls the driver. cudarc panics where the library lacks a function.
pub(super) fn guarded<T>(doing: &str, call: impl FnOnce() -> Result<T, Fault>) -> Result<T, BackendError> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(Fault(message))) => Err(BackendError(format!("CUDA, {doing}: {message}"))),
        Err(panic) => Err(BackendError(format!("CUDA, {doing}: {}", said(&*panic)))),
    }
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("the driver's library is another one").to_owned()
}

thread_local! {
    /// The stream on which this thread captures work.
    static CAPTURED: RefCell<Option<Arc<CudaStream>>> = const { RefCell::new(None) };
}

/// A device that is in use.
#[derive(Debug)]
pub(super) struct Device {
    context: Arc<CudaContext>,
    multiprocessors: u64,
    /// Records of no failure, for whoever needs one next.
    records: Mutex<Vec<CudaSlice<u64>>>,
}

/// A device, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceInfo {
    /// Its name.
    pub name: String,
    /// Its compute capability, as `sm_80` is 80.
    pub arch: u32,
    /// The bytes of its memory.
    pub memory: usize,
}

/// Whether there is a driver that is new enough.
fn driver() -> Result<(), BackendError> {
    static DRIVER: OnceLock<Result<(), BackendError>> = OnceLock::new();
    let look = || {
        // SAFETY: libraries run code when they are loaded, and this one is the driver's.
        if !unsafe { sys::is_culib_present() } {
            return Err(BackendError(
                "CUDA: there is no NVIDIA driver on this machine (libcuda was not found)".to_owned(),
            ));
        }
        let version = version()?;
        if version < OLDEST_DRIVER {
            let (major, minor) = (version / 1000, version % 1000 / 10);
            return Err(BackendError(format!("CUDA: the driver is for CUDA {major}.{minor}; 12.0 or later is needed")));
        }
        Ok(())
    };
    DRIVER.get_or_init(look).clone()
}

/// As the driver numbers itself. Its library is there.
pub(super) fn version() -> Result<i32, BackendError> {
    let mut version = 0;
    // SAFETY: the library writes a number.
    guarded("asking for the driver's version", || unsafe { Ok(sys::cuDriverGetVersion(&raw mut version).result()?) })?;
    Ok(version)
}

/// The device of a number, opened once for the process.
pub(super) fn open(ordinal: usize) -> Result<Arc<Device>, BackendError> {
    static OPEN: Mutex<Vec<(usize, Arc<Device>)>> = Mutex::new(Vec::new());
    driver()?;
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, device)) = open.iter().find(|it| it.0 == ordinal) {
        return Ok(Arc::clone(device));
    }
    let (context, multiprocessors) = guarded("opening a GPU", || {
        let context = CudaContext::new(ordinal)?;
        // SAFETY: all work is in one order; what is captured uses no memory that cudarc knows.
        unsafe { context.disable_event_tracking() };
        let count = context.attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        Ok((context, u64::try_from(count).unwrap_or(1).max(1)))
    })?;
    let device = Arc::new(Device { context, multiprocessors, records: Mutex::default() });
    open.push((ordinal, Arc::clone(&device)));
    Ok(device)
}

/// The devices of this machine.
///
/// # Errors
/// A [`BackendError`] when there is no driver.
pub fn devices() -> Result<Vec<DeviceInfo>, BackendError> {
    driver()?;
    let count = guarded("counting GPUs", || Ok(CudaContext::device_count()?))?;
    let info = |ordinal| {
        let device = open(ordinal)?;
        let (name, memory) = guarded("asking for a GPU", || Ok((device.context.name()?, device.context.total_mem()?)))?;
        Ok(DeviceInfo { name, arch: device.capability()?, memory })
    };
    (0..usize::try_from(count).unwrap_or(0)).map(info).collect()
}

impl Device {
    /// The newest architecture that there is code for and that the device runs.
    pub(super) fn arch(&self) -> Result<u32, BackendError> {
        let capability = self.capability()?;
        if capability < LEAST_ARCH {
            let (major, minor) = (capability / 10, capability % 10);
            return Err(BackendError(format!(
                "CUDA: the GPU has compute capability {major}.{minor}; 8.0 or later is needed"
            )));
        }
        Ok(if capability < 90 { LEAST_ARCH } else { 90 })
    }

    /// Whether it has the instructions of compute capability 9.0 that no other one has.
    pub(super) fn has_wgmma(&self) -> Result<bool, BackendError> {
        Ok(self.capability()? == 90)
    }

    pub(super) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    pub(super) fn capability(&self) -> Result<u32, BackendError> {
        let (major, minor) = guarded("asking for a GPU", || Ok(self.context.compute_capability()?))?;
        Ok(u32::try_from(10 * major + minor).unwrap_or(0))
    }

    pub(super) fn multiprocessors(&self) -> u64 {
        self.multiprocessors
    }

    /// A record of no failure.
    pub(super) fn record(&self) -> Result<CudaSlice<u64>, Fault> {
        let kept = self.records.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match kept {
            Some(record) => Ok(record),
            None => Ok(self.stream().clone_htod(&NO_FAILURE)?),
        }
    }

    /// Takes a record back, of no failure.
    pub(super) fn keep(&self, record: CudaSlice<u64>) {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).push(record);
    }

    /// Makes its context that of the thread.
    pub(super) fn bind(&self) -> Result<(), Fault> {
        Ok(self.context.bind_to_thread()?)
    }

    /// Copies from its memory, when what was begun before is done.
    pub(super) fn read(&self, from: u64, to: &mut [u8]) -> Result<(), Fault> {
        if to.is_empty() {
            return Ok(());
        }
        self.bind()?;
        let stream = self.stream();
        // SAFETY: the caller has so many bytes there, and waits until they are here.
        unsafe { cudarc::driver::result::memcpy_dtoh_async(to, from, stream.cu_stream())? };
        Ok(stream.synchronize()?)
    }

    /// Where work is begun: in one order, but for what this thread captures.
    pub(super) fn stream(&self) -> Arc<CudaStream> {
        let is_ours = |it: &&Arc<CudaStream>| Arc::ptr_eq(it.context(), &self.context);
        let captured = CAPTURED.with_borrow(|it| it.as_ref().filter(is_ours).cloned());
        captured.unwrap_or_else(|| self.context.default_stream())
    }

    /// A stream beside the order of all work.
    pub(super) fn beside(&self) -> Result<Arc<CudaStream>, Fault> {
        Ok(self.context.new_stream()?)
    }

    /// Has this thread begin work on a stream of its own.
    pub(super) fn captured<T>(&self, work: impl FnOnce(&CudaStream) -> Result<T, Fault>) -> Result<T, Fault> {
        struct Over;
        impl Drop for Over {
            fn drop(&mut self) {
                CAPTURED.take();
            }
        }
        let stream = self.beside()?;
        CAPTURED.set(Some(Arc::clone(&stream)));
        let _over = Over;
        work(&stream)
    }

    /// The kernel of some PTX. Machine code that was made of it before is looked for in a cache.
    pub(super) fn load(&self, ptx: String, cache: Option<&ObjectCache>) -> Result<CudaFunction, Fault> {
        if let Some(function) = cache.and_then(|it| machine_code::load(self, &ptx, it)) {
            return Ok(function);
        }
        Ok(self.context.load_module(Ptx::from_src(ptx))?.load_function(ENTRY)?)
    }
}
