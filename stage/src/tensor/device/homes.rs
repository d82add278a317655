//! The devices that homes of tensors are the memory of, and what is put there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Device;
use super::later::wait;
use super::sweep::Job;
use crate::home::Home;
use crate::tensor::error::{Result, TensorError};
use crate::tensor::op::TensorOp;
use crate::tensor::{Dims, Dtype, Item, Tensor, layout, make, trace};

static ANY: AtomicBool = AtomicBool::new(false);
/// A device, and the home that its memory is.
type Known = (Option<Home>, Arc<dyn Device>);
static DEVICES: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// The home of what lies in the memory of a device; `None` if there are too many. The device is known by it from then on,
/// unless it has no memory.
pub fn register(device: &Arc<dyn Device>) -> Option<Home> {
    if device.is_dry() {
        return Home::on(device.name());
    }
    let mut devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((home, _)) = devices.iter().find(|it| Arc::ptr_eq(&it.1, device)) {
        return *home;
    }
    ANY.store(true, Ordering::Relaxed);
    let home = Home::on(device.name());
    devices.push((home, Arc::clone(device)));
    home
}

/// Whether there ever was a device: then tensors may lie on one.
pub fn is_any_there() -> bool {
    ANY.load(Ordering::Relaxed)
}

fn device_of(home: Home) -> Result<Arc<dyn Device>> {
    let devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    let found = devices.iter().find(|it| it.0 == Some(home)).map(|it| Arc::clone(&it.1));
    found.ok_or_else(|| TensorError::Value(format!("nobody has looked for the device {home}")))
}

/// A dense copy in another memory.
///
/// # Errors
/// What the device says.
pub fn moved(x: &Tensor, home: Home) -> Result<Tensor> {
    if trace::is_recording()
        && let Some(noted) = trace::note(|| TensorOp::To(home), &[x])
    {
        return noted;
    }
    match () {
        () if trace::is_for_shapes() => x.to_dense(),
        () if home.is_there() => x.to_device(&device_of(home)?),
        () => x.to_host(),
    }
}

/// The same element everywhere, in the memory of a device.
pub(in crate::tensor) fn full(home: Home, dtype: Dtype, dims: &[usize], item: Item) -> Result<Tensor> {
    if trace::is_for_shapes() {
        return make::full(dtype, dims, item);
    }
    repeated(&device_of(home)?, &layout::broadcast_to(&make::full(dtype, &[], item)?, dims)?)
}

/// Random bits, made in the memory of a device.
pub(in crate::tensor) fn bits(home: Home, key: u64, stream: u32, dims: &[usize]) -> Result<Tensor> {
    bits_on(&device_of(home)?, key, stream, dims)
}

/// The same.
pub(super) fn bits_on(device: &Arc<dyn Device>, key: u64, stream: u32, dims: &[usize]) -> Result<Tensor> {
    let key = make::full(Dtype::I64, &[], Item::Int(key.cast_signed()))?;
    wait(device, Job::Bits { stream }, &[&key], (Dtype::I64, &Dims::from_slice(dims)?))
}

/// A tensor of zeros of its dtype that lies where another tensor lies.
pub(in crate::tensor) fn zeros_beside(x: &Tensor, dims: &[usize]) -> Result<Tensor> {
    match x.device() {
        Some(device) if !trace::is_for_shapes() => {
            repeated(device, &layout::broadcast_to(&Tensor::zeros(x.dtype(), &[])?, dims)?)
        }
        Some(_) | None => Tensor::zeros(x.dtype(), dims),
    }
}

/// A view of one element, laid out in the memory of a device. No more than the element is passed there.
pub(super) fn repeated(device: &Arc<dyn Device>, x: &Tensor) -> Result<Tensor> {
    let one = layout::broadcast_to(x, x.dims())?;
    let first = (0..x.rank()).try_fold(one, |it, _| if it.count() == 0 { Ok(it) } else { layout::pick(&it, 0, 0) })?;
    wait(device, Job::Copy, &[&first], (x.dtype(), x.dims()))
}
