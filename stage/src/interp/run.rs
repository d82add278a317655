//! Executing steps.

use std::sync::atomic::Ordering;

use super::step::{Decoded, Program, Slot, Step};
use crate::backend::{self, Context, Status, TEXT_LEN, Trap};
use crate::entity::{Entity, ExitId, Loc};
use crate::list::{self, List};
use crate::map::{self, Map};
use crate::op::meaning;
use crate::op::{Num2, ObjectOp, Shift};
use crate::types::Elem;

/// A call that waits for another to return.
struct Waiting {
    func: usize,
    /// The step of the call.
    step: usize,
    /// Where its frame begins.
    base: usize,
}

/// The slots of one call.
struct Frame<'a>(&'a mut [u64]);

impl Frame<'_> {
    fn bits(&self, slot: Slot) -> u64 {
        self.0[slot as usize]
    }

    fn int(&self, slot: Slot) -> i64 {
        self.bits(slot).cast_signed()
    }

    fn float(&self, slot: Slot) -> f64 {
        f64::from_bits(self.bits(slot))
    }

    fn truth(&self, slot: Slot) -> bool {
        self.bits(slot) != 0
    }

    fn set_bits(&mut self, slot: Slot, bits: u64) {
        self.0[slot as usize] = bits;
    }

    fn set_int(&mut self, slot: Slot, x: i64) {
        self.set_bits(slot, x.cast_unsigned());
    }

    fn set_float(&mut self, slot: Slot, x: f64) {
        self.set_bits(slot, x.to_bits());
    }

    fn set_truth(&mut self, slot: Slot, x: bool) {
        self.set_bits(slot, u64::from(x));
    }

    /// The address of an element. The index is checked: memory is at stake.
    fn element(&self, elem: Elem, array: Slot, index: Slot) -> *mut u8 {
        let (index, len) = (self.int(index), self.bits(array + 1));
        assert!(index.cast_unsigned() < len, "index {index} of an array of {len}: a guard before it should have left");
        let first = self.bits(array) as usize as *mut u8;
        first.wrapping_add(index as usize * elem.size())
    }

    /// # Safety
    /// The array is there.
    unsafe fn load(&mut self, elem: Elem, to: Slot, array: Slot, index: Slot) {
        let at = self.element(elem, array, index);
        // SAFETY: the array is there, and the index was checked.
        self.set_bits(to, unsafe { list::load(elem, at) });
    }

    /// # Safety
    /// The array is there, and nobody else looks at it.
    unsafe fn store(&self, elem: Elem, array: Slot, index: Slot, x: Slot) {
        let at = self.element(elem, array, index);
        // SAFETY: the array is there and ours, and the index was checked.
        unsafe { list::store(elem, at, self.bits(x)) }
    }
}

/// Runs the main function. What it returns is put in `returned`.
///
/// # Safety
/// As for [`crate::backend::Code::run`].
pub(super) unsafe fn run(program: &Program, cx: &mut Context, args: &[u64], returned: &mut Vec<u64>) -> Status {
    let depth = cx.depth;
    let mut waiting: Vec<Waiting> = Vec::new();
    let mut stack: Vec<u64> = args.to_vec();
    // SAFETY: passed on to the caller.
    let ended = unsafe { run_to_end(program, cx, &mut stack, returned, &mut waiting) };
    cx.depth = depth;
    match ended {
        Ok(()) => Status::pack(Status::RETURNED, None),
        Err(mut status) => {
            for call in waiting.iter().rev() {
                let code = &program.funcs[call.func];
                let Step::Call { waits, .. } = code.steps[call.step] else {
                    unreachable!("what waits is a call");
                };
                let frame = Frame(&mut stack[call.base..]);
                if waits.is_none() && code.leaves_at[call.step].is_some() {
                    // The call has failed as a whole.
                    // SAFETY: the context is whole, and its callback takes it; there is room for every exit.
                    unsafe {
                        (cx.unwind)(cx, Status::FORGET);
                        status = fail(cx, program, code, &frame, call.step, status.cause());
                    }
                    continue;
                }
                let exit = waits.map_or(0, |(exit, _)| Status::exit_code(exit));
                // SAFETY: the context is whole, and its callback takes it.
                unsafe { (cx.unwind)(cx, Status::pack(exit, code.locs[call.step]).0) };
                if let Some((exit, values)) = waits {
                    // SAFETY: the caller says that the payload has room for every exit.
                    unsafe { carry(cx, &frame, code.list(values, program.exits[exit.index()])) };
                }
            }
            status
        }
    }
}

/// # Safety
/// As for [`crate::backend::Code::run`].
unsafe fn run_to_end(
    program: &Program,
    cx: &mut Context,
    stack: &mut Vec<u64>,
    returned: &mut Vec<u64>,
    waiting: &mut Vec<Waiting>,
) -> Result<(), Status> {
    let (mut func, mut base, mut next) = (0, 0, 0);
    let mut code = &program.funcs[func];
    fill(stack, base, code);
    let mut frame = Frame(&mut stack[base..]);
    let mut moved: Vec<u64> = Vec::new();
    loop {
        let at = next;
        next += 1;
        let loc = || code.locs[at];
        macro_rules! fails {
            ($trap:ident) => {
                // SAFETY: the caller says that the payload has room for every exit.
                unsafe { fail(cx, program, code, &frame, at, Trap::$trap) }
            };
        }
        match code.steps[at] {
            Step::Copy { to, from } => frame.set_bits(to, frame.bits(from)),
            Step::Num1Int { op, to, x } => {
                let it = meaning::num1_int(op, frame.int(x)).ok_or_else(|| fails!(Overflow))?;
                frame.set_int(to, it);
            }
            Step::Num1Float { op, to, x } => frame.set_float(to, meaning::num1_float(op, frame.float(x))),
            Step::Num2Int { op, to, x, y } => {
                let (x, y) = (frame.int(x), frame.int(y));
                let Some(it) = meaning::num2_int(op, x, y) else {
                    expect_guarded(y != 0 || !matches!(op, Num2::FloorDiv | Num2::Mod), "a division by zero");
                    return Err(fails!(Overflow));
                };
                frame.set_int(to, it);
            }
            Step::Num2Float { op, to, x, y } => {
                frame.set_float(to, meaning::num2_float(op, frame.float(x), frame.float(y)));
            }
            Step::IntPow { to, x, y } => {
                let (x, y) = (frame.int(x), frame.int(y));
                expect_guarded(y >= 0, "a negative exponent");
                frame.set_int(to, meaning::int_pow(x, y).ok_or_else(|| fails!(Overflow))?);
            }
            Step::IntDiv { to, x, y } => {
                let it = meaning::int_div(frame.int(x), frame.int(y));
                expect_guarded(it.is_some(), "a division by zero");
                frame.set_float(to, it.unwrap_or_default());
            }
            Step::Wrap2 { op, to, x, y } => frame.set_int(to, meaning::wrap2(op, frame.int(x), frame.int(y))),
            Step::Overflow2 { op, to, x, y } => {
                frame.set_truth(to, meaning::overflow2(op, frame.int(x), frame.int(y)));
            }
            Step::Bit2 { op, to, x, y } => frame.set_int(to, meaning::bit2_int(op, frame.int(x), frame.int(y))),
            Step::Shift { op, to, x, n } => {
                let (x, n) = (frame.int(x), frame.int(n));
                expect_guarded(n >= 0, "a negative distance");
                let it = meaning::shift(op, x, n);
                debug_assert!(it.is_some() || op == Shift::Left, "a shift to the right never overflows");
                frame.set_int(to, it.ok_or_else(|| fails!(Overflow))?);
            }
            Step::Element1 { op, dtype, to, x } => frame.set_float(to, op.of_element(dtype, frame.float(x))),
            Step::Element2 { op, dtype, to, x, y } => {
                frame.set_float(to, op.of_elements(dtype, frame.float(x), frame.float(y)));
            }
            Step::Real1 { op, to, x } => frame.set_float(to, meaning::real1(op, frame.float(x))),
            Step::Real2 { op, to, x, y } => frame.set_float(to, meaning::real2(op, frame.float(x), frame.float(y))),
            Step::CmpInt { op, to, x, y } => frame.set_truth(to, meaning::cmp_int(op, frame.int(x), frame.int(y))),
            Step::CmpFloat { op, to, x, y } => {
                frame.set_truth(to, meaning::cmp_float(op, frame.float(x), frame.float(y)));
            }
            Step::CmpIntFloat { op, to, x, y } => {
                frame.set_truth(to, meaning::cmp_int_float(op, frame.int(x), frame.float(y)));
            }
            Step::NotBool { to, x } => frame.set_truth(to, !frame.truth(x)),
            Step::NotInt { to, x } => frame.set_int(to, !frame.int(x)),
            Step::IntToFloat { to, x } => frame.set_float(to, frame.int(x) as f64),
            Step::Single { to, x } => frame.set_float(to, meaning::single(frame.float(x))),
            Step::Half { to, x } => frame.set_float(to, meaning::half(frame.float(x)).to_f64()),
            Step::Bfloat { to, x } => frame.set_float(to, meaning::bfloat(frame.float(x)).to_f64()),
            Step::Int32 { to, x } => frame.set_int(to, meaning::int32(frame.int(x)).into()),
            Step::FloatToInt { to, x } => {
                let it = meaning::float_to_int(frame.float(x)).ok_or_else(|| fails!(Overflow))?;
                frame.set_int(to, it);
            }
            Step::Select { to, cond, x, y } => {
                let chosen = if frame.truth(cond) { x } else { y };
                frame.set_bits(to, frame.bits(chosen));
            }
            // SAFETY: the caller says that the arrays among the arguments are there; there are no others.
            Step::Load { elem, to, array, index } => unsafe { frame.load(elem, to, array, index) },
            // SAFETY: as above, and that nobody else looks at them.
            Step::Store { elem, array, index, x } => unsafe { frame.store(elem, array, index, x) },
            Step::ListNew { list, to } => {
                let list: *mut List = cx.lists.make(list);
                frame.set_bits(to, list as u64);
            }
            Step::List { op, to, list, index, item } => {
                // SAFETY: a slot of a list has the address of one that this call has made and still owns.
                let list = unsafe { &mut *(frame.bits(list) as usize as *mut List) };
                let given = list::apply(list, op, frame.int(index), frame.bits(item));
                frame.set_bits(to, given.ok_or_else(|| fails!(Memory))?);
            }
            Step::MapNew { ty, to } => {
                let map: *mut Map = cx.maps.make(ty);
                frame.set_bits(to, map as u64);
            }
            Step::Map { op, to, map, position, key, value } => {
                // SAFETY: a slot of a map has the address of one that this call has made and still owns.
                let map = unsafe { &mut *(frame.bits(map) as usize as *mut Map) };
                let given = map::apply(map, op, frame.int(position), frame.bits(key), frame.bits(value));
                frame.set_bits(to, given.ok_or_else(|| fails!(Memory))?);
            }
            Step::Object { op: ObjectOp::IsNone, to, object, .. } => {
                frame.set_bits(to, (frame.bits(object) == backend::NONE).into());
            }
            Step::Object { op: ObjectOp::Keep, to, object, .. } => {
                // SAFETY: the handle is one that the host has given to this call.
                unsafe { (cx.count)(cx, frame.bits(object), 1) }
                frame.set_bits(to, frame.bits(object));
            }
            Step::Object { op: op @ (ObjectOp::Retain | ObjectOp::Release), object, .. } => {
                // SAFETY: the handle is one that the host has given to this call.
                unsafe { (cx.count)(cx, frame.bits(object), u32::from(op == ObjectOp::Retain)) }
            }
            Step::Object { op: ObjectOp::TextLen, to, object, .. } => {
                // SAFETY: the handle is one of a `str` that the host has given to this call.
                frame.set_int(to, unsafe { (cx.text)(cx, frame.bits(object), TEXT_LEN) });
            }
            Step::Object { op: ObjectOp::TextAt, to, object, index } => {
                // SAFETY: as above; no index is negative.
                frame.set_int(to, unsafe { (cx.text)(cx, frame.bits(object), frame.int(index)) });
            }
            Step::OverflowIf { cond } => {
                if frame.truth(cond) {
                    return Err(fails!(Overflow));
                }
            }
            Step::Require { cond } => {
                if !frame.truth(cond) {
                    return Err(fails!(Required));
                }
            }
            Step::Leave => return Err(fails!(Required)),
            Step::Guard { cond, exit, payload } => {
                if !frame.truth(cond) {
                    let slots = code.list(payload, program.exits[exit as usize]);
                    // SAFETY: the caller says that the payload has room for every exit.
                    return Err(unsafe { leave(cx, &frame, exit, slots, loc()) });
                }
            }
            Step::Exit { exit, payload } => {
                let slots = code.list(payload, program.exits[exit as usize]);
                // SAFETY: the caller says that the payload has room for every exit.
                return Err(unsafe { leave(cx, &frame, exit, slots, loc()) });
            }
            Step::Poll => {
                if is_stopped(cx) {
                    return Err(fails!(Interrupted));
                }
            }
            Step::Jump { target } => next = target as usize,
            Step::JumpUnless { cond, target } => {
                if !frame.truth(cond) {
                    next = target as usize;
                }
            }
            Step::JumpUnlessInt { op, x, y, target } => {
                if !meaning::cmp_int(op, frame.int(x), frame.int(y)) {
                    next = target as usize;
                }
            }
            Step::JumpUnlessFloat { op, x, y, target } => {
                if !meaning::cmp_float(op, frame.float(x), frame.float(y)) {
                    next = target as usize;
                }
            }
            Step::Host { host, args, results, raises } => {
                let (given, taken) = program.hosts[host.index()];
                let args: Vec<u64> = code.list(args, given).iter().map(|&slot| frame.bits(slot)).collect();
                let mut room = vec![0; taken];
                let number = host.index() as u32;
                // SAFETY: the context is whole; the slots are those that the declaration asks for.
                let failed = unsafe { (cx.host)(cx, number, args.as_ptr(), room.as_mut_ptr()) };
                if failed != 0 {
                    let Some((exit, values)) = raises else { return Err(fails!(HostFailed)) };
                    // SAFETY: the caller says that the payload has room for every exit.
                    unsafe { carry(cx, &frame, code.list(values, program.exits[exit.index()])) };
                    return Err(Status::pack(Status::trap_code(Trap::HostFailed, Some(exit)), loc()));
                }
                for (&slot, bits) in code.list(results, taken).iter().zip(room) {
                    frame.set_bits(slot, bits);
                }
            }
            Step::Call { func: callee, args, .. } => {
                if is_stopped(cx) {
                    return Err(fails!(Interrupted));
                }
                if cx.depth <= 0 {
                    return Err(fails!(Depth));
                }
                cx.depth -= 1;
                waiting.push(Waiting { func, step: at, base });
                moved.clear();
                let caller = code;
                (func, next) = (callee as usize, 0);
                code = &program.funcs[func];
                moved.extend(caller.list(args, code.params).iter().map(|&slot| frame.bits(slot)));
                base += caller.frame;
                stack.truncate(base);
                stack.extend(&moved);
                fill(stack, base, code);
                frame = Frame(&mut stack[base..]);
            }
            Step::Return { values } => {
                let values = code.list(values, code.results).iter().map(|&slot| frame.bits(slot));
                let Some(call) = waiting.pop() else {
                    returned.extend(values);
                    return Ok(());
                };
                moved.clear();
                moved.extend(values);
                cx.depth += 1;
                (func, base, next) = (call.func, call.base, call.step + 1);
                code = &program.funcs[func];
                stack.truncate(base + code.frame);
                frame = Frame(&mut stack[base..]);
                let Step::Call { results, .. } = code.steps[call.step] else {
                    unreachable!("a function returns to a call");
                };
                for (&slot, &bits) in code.list(results, moved.len()).iter().zip(&moved) {
                    frame.set_bits(slot, bits);
                }
            }
        }
    }
}

/// Completes a frame that has its parameters: the constants, and room for the rest.
fn fill(stack: &mut Vec<u64>, base: usize, code: &Decoded) {
    stack.extend(&code.constants);
    stack.resize(base + code.frame, 0);
}

#[track_caller]
fn expect_guarded(holds: bool, what: &str) {
    assert!(holds, "{what}: a guard before it should have left");
}

/// Whether somebody wants the call to stop, asking if there may be one.
fn is_stopped(cx: &mut Context) -> bool {
    // SAFETY: whoever made the context keeps its flag alive, and the callback takes the context, which is whole.
    unsafe { (*cx.poll).load(Ordering::Relaxed) != 0 && (cx.on_poll)(cx) != 0 }
}

/// What failed before it has acted leaves at its checkpoint, if it has one.
///
/// # Safety
/// The payload of the context has room for every exit.
unsafe fn fail(cx: &Context, program: &Program, code: &Decoded, frame: &Frame<'_>, at: usize, trap: Trap) -> Status {
    let checkpoint = code.leaves_at[at].map(|number| code.checkpoints[number as usize]);
    if let Some((exit, values)) = checkpoint {
        // SAFETY: the caller says so.
        unsafe { carry(cx, frame, code.list(values, program.exits[exit.index()])) };
    }
    Status::pack(Status::trap_code(trap, checkpoint.map(|(exit, _)| exit)), code.locs[at])
}

/// Leaves through an exit.
///
/// # Safety
/// The payload of the context has room for these slots.
unsafe fn leave(cx: &Context, frame: &Frame<'_>, exit: u32, slots: &[Slot], loc: Option<Loc>) -> Status {
    // SAFETY: the caller says so.
    unsafe { carry(cx, frame, slots) };
    Status::pack(Status::exit_code(ExitId::new(exit as usize)), loc)
}

/// Puts slots into the payload.
///
/// # Safety
/// It has room for them.
unsafe fn carry(cx: &Context, frame: &Frame<'_>, slots: &[Slot]) {
    for (position, &slot) in slots.iter().enumerate() {
        // SAFETY: the caller says so.
        unsafe { *cx.payload.add(position) = frame.bits(slot) };
    }
}
