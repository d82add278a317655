//! Operations that are written down instead of carried out.
//!
//! While staged code is captured, the values of tensors are not known, but their dtypes and shapes are. So the functions
//! of this module can be called all the same: in *recording* each of them checks its operands as ever, and instead of
//! computing tells a [`Recorder`] what it would do. What it gives then is a *staged* tensor: it has a dtype and a shape,
//! and stands for a value that the recorder has named. Whoever looks at an element of one is given a zero, and the
//! recording ends with [`Recorded::looked`]: nothing of it counts.
//!
//! Which shape comes out, and which error, is not written twice: for that the function runs on tensors without memory,
//! and the loops over elements do nothing.

use std::cell::Cell;
use std::ptr::NonNull;

use super::error::{Result, TensorError};
use super::op::{Given, Operand, TensorOp};
use super::{Dims, Dtype, Tensor, device};
use crate::home::Home;

/// Is told of operations on tensors.
pub trait Recorder {
    /// Notes an operation, and names the value that it gives, if it gives one: a tensor of this dtype and shape, or the
    /// number that [`TensorOp::Item`] is.
    fn record(&mut self, op: TensorOp, operands: &[Noted], gives: Option<(Dtype, Dims)>) -> Staged;
}

/// A value that is known later, as the recorder calls it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Staged {
    /// Which of several recordings it belongs to.
    pub owner: u64,
    /// Which value.
    pub value: u32,
    /// The dtype, if it is no tensor but the only element of one without axes, as a number.
    pub element: Option<Dtype>,
}

/// An operand of an operation that is noted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Noted {
    /// A staged tensor or number.
    Staged(Staged),
    /// A tensor that nobody has staged: it cannot be recorded.
    Unknown,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Functions compute.
    Eager,
    /// They are written down.
    Recording,
    /// They find out shapes.
    Shapes,
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::Eager) };
    static RECORDER: Cell<Option<NonNull<dyn Recorder>>> = const { Cell::new(None) };
    static LOOKED: Cell<bool> = const { Cell::new(false) };
}

/// What a recording has given.
#[derive(Debug)]
pub struct Recorded<T> {
    /// What the function gave.
    pub value: T,
    /// Whether it needed to know an element: then it did not work with what the program will work with.
    pub looked: bool,
}

/// Puts things back as they were, in a panic too.
struct Restore(Mode, Option<NonNull<dyn Recorder>>, bool);

impl Drop for Restore {
    fn drop(&mut self) {
        MODE.set(self.0);
        RECORDER.set(self.1);
        LOOKED.set(self.2);
    }
}

/// Calls a function whose operations on tensors are written down by the recorder.
pub fn recording<T>(recorder: &mut dyn Recorder, call: impl FnOnce() -> T) -> Recorded<T> {
    // SAFETY: only the lifetime is dropped; the pointer is taken away again before the borrow ends.
    let recorder = unsafe { std::mem::transmute::<NonNull<dyn Recorder + '_>, NonNull<dyn Recorder>>(recorder.into()) };
    let _restore = Restore(MODE.replace(Mode::Recording), RECORDER.replace(Some(recorder)), LOOKED.replace(false));
    let value = call();
    Recorded { value, looked: LOOKED.get() }
}

/// Calls a function on tensors without memory, for the shape of what it gives.
pub(crate) fn shapes<T>(call: impl FnOnce() -> T) -> T {
    let _restore = Restore(MODE.replace(Mode::Shapes), RECORDER.get(), LOOKED.get());
    call()
}

/// Calls a function on what is known, while operations are written down.
pub fn eagerly<T>(call: impl FnOnce() -> T) -> T {
    let restore = Restore(MODE.replace(Mode::Eager), RECORDER.get(), LOOKED.get());
    let made = call();
    // Who has looked at what is known only later has looked for the recording, too.
    let looked = LOOKED.get();
    drop(restore);
    if looked {
        look();
    }
    made
}

/// Whether functions find out shapes.
#[inline]
pub(crate) fn is_for_shapes() -> bool {
    MODE.get() == Mode::Shapes
}

/// Whether operations are written down.
#[inline]
pub fn is_recording() -> bool {
    MODE.get() == Mode::Recording
}

/// Somebody needs to know what is known only later.
pub fn look() {
    LOOKED.set(true);
}

/// Whether somebody has looked outside of a recording, since this was last asked.
pub fn was_looked_at() -> bool {
    LOOKED.replace(false)
}

/// What the operation gives as it is written down, if operations are, or carried out by a device; `None` if it is to be
/// carried out here.
#[inline]
pub(crate) fn note(op: impl FnOnce() -> TensorOp, operands: &[&Tensor]) -> Option<Result<Tensor>> {
    match MODE.get() {
        Mode::Recording => Some(noted(op(), operands).map(|it| it.expect("an operation that gives a tensor"))),
        Mode::Eager if operands.iter().any(|it| it.staged().is_some()) => {
            look();
            Some(Err(outside()))
        }
        Mode::Eager | Mode::Shapes if are_there(operands) => there(op(), operands),
        Mode::Eager | Mode::Shapes => None,
    }
}

/// The same for any number of operands.
#[inline]
pub(crate) fn note_all<'a>(
    op: impl FnOnce() -> TensorOp,
    operands: impl FnOnce() -> Vec<&'a Tensor>,
) -> Option<Result<Tensor>> {
    note(op, &operands())
}

/// The same for one that gives nothing.
#[inline]
pub(crate) fn note_write(op: impl FnOnce() -> TensorOp, operands: &[&Tensor]) -> Option<Result<()>> {
    match MODE.get() {
        Mode::Recording => Some(noted(op(), operands).map(drop)),
        Mode::Eager if operands.iter().any(|it| it.staged().is_some()) => {
            look();
            Some(Err(outside()))
        }
        Mode::Eager | Mode::Shapes if are_there(operands) => device::perform(&op(), operands).map(|it| it.map(drop)),
        Mode::Eager | Mode::Shapes => None,
    }
}

/// Whether an operation is to be carried out where its operands lie: one of them in the memory of a device.
#[inline]
fn are_there(operands: &[&Tensor]) -> bool {
    operands.iter().any(|it| it.buf().block().is_some()) && MODE.get() == Mode::Eager
}

#[cold]
fn there(op: TensorOp, operands: &[&Tensor]) -> Option<Result<Tensor>> {
    device::perform(&op, operands).map(|it| it.map(|it| it.expect("an operation that gives a tensor")))
}

#[cold]
fn noted(op: TensorOp, operands: &[&Tensor]) -> Result<Option<Tensor>> {
    let staged: Vec<Noted> = operands.iter().map(|it| it.staged().map_or(Noted::Unknown, Noted::Staged)).collect();
    if staged.contains(&Noted::Unknown) {
        look();
    }
    let shells: Vec<Operand<'_>> = operands.iter().map(|it| Operand::Tensor(it)).collect();
    record(op, &staged, &shells)
}

/// A tensor without axes of this dtype from a number that has been staged.
///
/// # Errors
/// If operations are not written down here.
pub fn number(value: Staged, dtype: Dtype) -> Result<Tensor> {
    record(TensorOp::Number(dtype), &[Noted::Staged(value)], &[Operand::Number(super::Item::Int(0))])
        .map(|it| it.expect("a number gives a tensor"))
}

/// The only element of a tensor that has been staged, as a number.
///
/// # Errors
/// If operations are not written down here.
pub fn item(x: &Tensor) -> Result<Staged> {
    let Some(staged) = x.staged() else { return Err(outside()) };
    written(TensorOp::Item, &[Noted::Staged(staged)], None)
}

/// Random bits of a key that is a number that has been staged.
///
/// # Errors
/// If operations are not written down here.
pub fn bits(key: Staged, stream: u32, dims: &[usize], home: Home) -> Result<Tensor> {
    let op = TensorOp::BitsAt { stream, dims: dims.to_vec(), home };
    record(op, &[Noted::Staged(key)], &[Operand::Number(super::Item::Int(0))]).map(|it| it.expect("bits are a tensor"))
}

/// The position `at` of an axis, where that is a number that has been staged.
///
/// # Errors
/// A [`TensorError`] if the axis is empty.
pub fn pick(x: &Tensor, along: usize, at: Staged) -> Result<Tensor> {
    at_number(TensorOp::PickAt { along, inside: false }, x, at)
}

/// `len` positions of an axis from one that has been staged.
///
/// # Errors
/// A [`TensorError`] if there are not so many.
pub fn slice(x: &Tensor, along: usize, first: Staged, len: usize) -> Result<Tensor> {
    at_number(TensorOp::SliceAt { along, len }, x, first)
}

fn at_number(op: TensorOp, x: &Tensor, at: Staged) -> Result<Tensor> {
    let staged = x.staged().map_or(Noted::Unknown, Noted::Staged);
    if staged == Noted::Unknown {
        look();
    }
    let operands = [Operand::Tensor(x), Operand::Number(super::Item::Int(0))];
    record(op, &[staged, Noted::Staged(at)], &operands).map(|it| it.expect("a view is a tensor"))
}

fn record(op: TensorOp, operands: &[Noted], shells: &[Operand<'_>]) -> Result<Option<Tensor>> {
    let gives = match shapes(|| op.apply(shells))? {
        Given::Tensor(shell) => Some((shell.dtype(), shell.dims().clone())),
        Given::Number(_) | Given::Operand(_) => return Err(TensorError::Type("a number is no tensor".to_owned())),
        Given::Nothing => None,
    };
    let tensors = shells.iter().filter_map(|it| if let Operand::Tensor(it) = it { it.home() } else { None });
    let home = op.home(tensors);
    let value = written(op, operands, gives.clone())?;
    gives.map(|(dtype, dims)| Tensor::stand_in(value, dtype, &dims, home)).transpose()
}

fn written(op: TensorOp, operands: &[Noted], gives: Option<(Dtype, Dims)>) -> Result<Staged> {
    let Some(mut recorder) = RECORDER.get() else {
        look();
        return Err(outside());
    };
    // SAFETY: `recording` has put it there and is still running; nobody else has it meanwhile.
    Ok(unsafe { recorder.as_mut() }.record(op, operands, gives))
}

/// What looks at all elements of a tensor needs one that is known: nothing is computed on what stands for another.
pub(crate) fn known(x: &Tensor) -> Result<()> {
    if x.staged().is_none() || is_for_shapes() {
        return Ok(());
    }
    look();
    Err(outside())
}

fn outside() -> TensorError {
    TensorError::Type("a tensor that is known later is used outside the function it belongs to".to_owned())
}
