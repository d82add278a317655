//! A loop over elements, several at once.
//!
//! How many is written out: whole vectors, and what is left of a row in ever smaller ones. So the code is what it is at every
//! level of optimisation, and needs none of LLVM's vectorisers.

use inkwell::types::VectorType;
use inkwell::values::{BasicValueEnum, IntValue, PointerValue, VectorValue};
use inkwell::{FloatPredicate, IntPredicate};
use snekpy_stage::op::Cmp;
use snekpy_stage::tensor::elementwise::{Bits1, Bits2, Num1, Num2, Real1, Real2, Test1};
use snekpy_stage::tensor::nest::{Access, Inst, Position, Store};
use snekpy_stage::tensor::{Dtype, TensorOp};

use super::vectors::vector_of;
use super::{Times, Writer};
use crate::fault::{Fault, Result};
use crate::lower::compare::{float_predicate, int_predicate, unsigned_predicate};

/// So many vectors of a row are written out, and more are a loop.
const WRITTEN: usize = 4;

/// A loop while it is being written.
struct Loop<'w, 'b, 'a, 'ctx> {
    writer: &'w Writer<'b, 'a, 'ctx>,
    insts: &'w [(Inst, Dtype)],
    stores: &'w [Store],
    /// Where the accesses of instructions and stores begin.
    loads_at: Vec<Option<PointerValue<'ctx>>>,
    stores_at: Vec<PointerValue<'ctx>>,
}

/// Writes a loop over a shape.
pub(super) fn write(
    writer: &Writer<'_, '_, '_>,
    dims: &[usize],
    insts: &[(Inst, Dtype)],
    stores: &[Store],
) -> Result<()> {
    let loads_at =
        insts.iter().map(|(inst, _)| inst.access().map(|it| writer.first(it)).transpose()).collect::<Result<_>>()?;
    let stores_at = stores.iter().map(|it| writer.first(&it.to)).collect::<Result<_>>()?;
    let it = Loop { writer, insts, stores, loads_at, stores_at };
    it.axis(dims, &mut Vec::new())
}

impl<'ctx> Loop<'_, '_, '_, 'ctx> {
    /// Goes along the next axis, where those before stand there.
    fn axis(&self, dims: &[usize], at: &mut Vec<IntValue<'ctx>>) -> Result<()> {
        let body = self.writer.body;
        match dims[at.len()..] {
            [] => self.elements(at, body.int(0), 1),
            [row] => self.row(row, at),
            [size, ..] => self.writer.counted(self.writer.numbers.times(size), 1, |it| {
                at.push(it);
                let done = self.axis(dims, at);
                at.pop();
                done
            }),
        }
    }

    /// A row: whole vectors, and the rest.
    fn row(&self, len: usize, at: &[IntValue<'ctx>]) -> Result<()> {
        let body = self.writer.body;
        if let Times::Later(len) = self.writer.numbers.times(len) {
            return self.writer.in_vectors(len, self.lanes(), 1, |first, _, lanes| self.elements(at, first, lanes));
        }
        let lanes = self.lanes() as usize;
        let whole = len / lanes;
        let mut done = whole * lanes;
        if whole <= WRITTEN {
            for vector in 0..whole {
                self.elements(at, body.int((vector * lanes) as i64), lanes as u32)?;
            }
        } else {
            self.writer.counted(Times::Known(whole), lanes, |it| self.elements(at, it, lanes as u32))?;
        }
        let mut size = lanes / 2;
        while done < len {
            if len - done >= size {
                self.elements(at, body.int(done as i64), size as u32)?;
                done += size;
            }
            size = (size / 2).max(1);
        }
        Ok(())
    }

    /// Whether what is stored there is read one element further on.
    fn waits(&self, to: &Access) -> bool {
        let is_before = |it: &Access| it.memory == to.memory && Some(&(to.first - it.first)) == to.steps.last();
        self.insts.iter().any(|(inst, _)| matches!(inst, Inst::Load(it) if is_before(it)))
    }

    /// How many elements of all that is computed fit into vectors.
    fn lanes(&self) -> u32 {
        if self.stores.iter().any(|it| !self.are_same_along_a_row(&it.at) || self.waits(&it.to)) {
            return 1;
        }
        let widest = self.insts.iter().map(|(_, dtype)| dtype.size()).max().unwrap_or(8);
        self.writer.lanes(widest)
    }

    /// Some elements of a row, from the one there.
    fn elements(&self, at: &[IntValue<'ctx>], first: IntValue<'ctx>, lanes: u32) -> Result<()> {
        let mut registers: Vec<VectorValue<'ctx>> = Vec::with_capacity(self.insts.len());
        for (number, (inst, dtype)) in self.insts.iter().enumerate() {
            let ty = self.writer.vector(*dtype, lanes);
            let begin = || self.loads_at[number].ok_or_else(|| Fault("a load begins somewhere".to_owned()));
            registers.push(match inst {
                Inst::Load(access) => self.load(access, self.place(begin()?, access, at)?, first, lanes)?,
                Inst::Gather(access, positions) => {
                    let far = self.far(positions, &registers)?;
                    let row = self.place(begin()?, access, at)?;
                    if self.are_same_along_a_row(positions) {
                        self.load(access, self.further(access, row, far)?, first, lanes)?
                    } else {
                        self.gather(access, row, far, first)?
                    }
                }
                Inst::Known(bits) => self.writer.known(*dtype, *bits, lanes),
                Inst::Number(operand) => self.number(*operand, *dtype, lanes)?,
                Inst::Op(op, args) => {
                    let takes = self.insts[*args.first().unwrap_or(&0)].1;
                    let args: Vec<VectorValue<'ctx>> = args.iter().map(|it| registers[*it]).collect();
                    self.op(op, takes, &args, ty)?
                }
            });
        }
        for (Store { register, to, at: positions }, &begin) in self.stores.iter().zip(&self.stores_at) {
            let mut row = self.place(begin, to, at)?;
            if !positions.is_empty() {
                row = self.further(to, row, self.far(positions, &registers)?)?;
            }
            self.store(registers[*register], to, row, first)?;
        }
        Ok(())
    }

    /// A row that begins so much further, of equal lanes.
    fn further(&self, access: &Access, row: PointerValue<'ctx>, far: VectorValue<'ctx>) -> Result<PointerValue<'ctx>> {
        self.writer.element(row, access.dtype.size(), self.writer.lane(far, 0)?.into_int_value())
    }

    /// Where a row begins.
    fn place(&self, begin: PointerValue<'ctx>, access: &Access, at: &[IntValue<'ctx>]) -> Result<PointerValue<'ctx>> {
        let body = self.writer.body;
        let mut place = begin;
        for (&at, &step) in at.iter().zip(&access.steps).filter(|(_, step)| **step != 0) {
            let far = body.b.build_int_mul(at, self.writer.number(step), "")?;
            place = self.writer.element(place, access.dtype.size(), far)?;
        }
        Ok(place)
    }

    /// From one element of a row to the next.
    fn step(access: &Access, axes: usize) -> isize {
        if axes == 0 { 1 } else { access.steps[axes - 1] }
    }

    fn load(
        &self,
        access: &Access,
        row: PointerValue<'ctx>,
        first: IntValue<'ctx>,
        lanes: u32,
    ) -> Result<VectorValue<'ctx>> {
        let body = self.writer.body;
        let size = access.dtype.size();
        let step = Self::step(access, access.steps.len());
        let far = body.b.build_int_mul(first, self.writer.number(step), "")?;
        let begin = self.writer.element(row, size, far)?;
        self.in_register(access.dtype, self.writer.gathered(access.dtype, begin, step, lanes)?)
    }

    /// What is in memory, as it is in a register.
    fn in_register(&self, dtype: Dtype, loaded: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        if dtype != Dtype::Bool {
            return Ok(loaded);
        }
        let b = &self.writer.body.b;
        Ok(b.build_int_compare(IntPredicate::NE, loaded, loaded.get_type().const_zero(), "")?)
    }

    /// Whether positions are the same in all lanes.
    fn are_same_along_a_row(&self, positions: &[Position]) -> bool {
        positions.iter().all(|it| match &self.insts[it.register].0 {
            Inst::Load(access) => access.steps.last().is_none_or(|step| *step == 0),
            Inst::Known(_) | Inst::Number(_) => true,
            Inst::Gather(..) | Inst::Op(..) => false,
        })
    }

    /// How many elements further positions lead, in each lane.
    fn far(&self, positions: &[Position], registers: &[VectorValue<'ctx>]) -> Result<VectorValue<'ctx>> {
        let b = &self.writer.body.b;
        let mut all: Option<VectorValue<'ctx>> = None;
        for it in positions {
            let at = registers[it.register];
            let lanes = at.get_type().get_size();
            let same = |number: isize| self.writer.splat(self.writer.number(number).into(), lanes);
            let is_negative = b.build_int_compare(IntPredicate::SLT, at, at.get_type().const_zero(), "")?;
            let from_end = b.build_int_add(at, same(it.size as isize)?, "")?;
            let at = b.build_select(is_negative, from_end, at, "")?.into_vector_value();
            let far = b.build_int_mul(at, same(it.step)?, "")?;
            all = Some(all.map_or(Ok(far), |all| b.build_int_add(all, far, ""))?);
        }
        all.ok_or_else(|| Fault("a gather has positions".to_owned()))
    }

    /// Elements so much further each.
    fn gather(
        &self,
        access: &Access,
        row: PointerValue<'ctx>,
        far: VectorValue<'ctx>,
        first: IntValue<'ctx>,
    ) -> Result<VectorValue<'ctx>> {
        let (body, size, lanes) = (self.writer.body, access.dtype.size(), far.get_type().get_size());
        let step = Self::step(access, access.steps.len());
        let own = body.b.build_int_mul(first, self.writer.number(step), "")?;
        let begin = self.writer.element(row, size, own)?;
        let one = self.writer.stored(access.dtype);
        let mut all = vector_of(one, lanes).get_poison();
        for lane in 0..lanes {
            let own = self.writer.far(lane as usize, step)?;
            let far = body.b.build_int_add(self.writer.lane(far, lane)?.into_int_value(), own, "")?;
            let loaded = self.writer.read(one, self.writer.element(begin, size, far)?, size)?;
            let index = body.unit.types.i32.const_int(u64::from(lane), false);
            all = body.b.build_insert_element(all, loaded, index, "")?;
        }
        self.in_register(access.dtype, all)
    }

    fn store(
        &self,
        value: VectorValue<'ctx>,
        access: &Access,
        row: PointerValue<'ctx>,
        first: IntValue<'ctx>,
    ) -> Result<()> {
        let body = self.writer.body;
        let value = match access.dtype {
            Dtype::Bool => {
                let bytes = vector_of(body.unit.types.i8.into(), value.get_type().get_size());
                body.b.build_int_z_extend(value, bytes, "")?
            }
            _ => value,
        };
        let step = Self::step(access, access.steps.len());
        let far = body.b.build_int_mul(first, self.writer.number(step), "")?;
        let at = self.writer.element(row, access.dtype.size(), far)?;
        self.writer.put(access.dtype, value, at, step)
    }

    /// A number of the program as an element.
    fn number(&self, operand: usize, dtype: Dtype, lanes: u32) -> Result<VectorValue<'ctx>> {
        let (b, types) = (&self.writer.body.b, &self.writer.body.unit.types);
        let double = match self.writer.args[operand] {
            BasicValueEnum::FloatValue(it) => it,
            BasicValueEnum::IntValue(it) if it.get_type().get_bit_width() == 1 => {
                b.build_unsigned_int_to_float(it, types.f64, "")?
            }
            other => b.build_signed_int_to_float(other.into_int_value(), types.f64, "")?,
        };
        let one = if dtype == Dtype::F32 { b.build_float_trunc(double, types.f32, "")? } else { double };
        self.writer.splat(one.into(), lanes)
    }

    /// An operation on elements of a dtype, to some of this type.
    fn op(
        &self,
        op: &TensorOp,
        dtype: Dtype,
        x: &[VectorValue<'ctx>],
        ty: VectorType<'ctx>,
    ) -> Result<VectorValue<'ctx>> {
        let b = &self.writer.body.b;
        let is_float = dtype.is_float();
        Ok(match *op {
            TensorOp::Num1(op) => self.num1(op, is_float, x[0])?,
            TensorOp::Num2(op) => self.num2(op, is_float, x[0], x[1])?,
            TensorOp::Real1(Real1::Reciprocal) => {
                let one = if dtype == Dtype::F32 { u64::from(1.0_f32.to_bits()) } else { 1.0_f64.to_bits() };
                b.build_float_div(self.writer.known(dtype, one, ty.get_size()), x[0], "")?
            }
            TensorOp::Real1(op) => self.writer.intrinsic(rounded(op)?, x[0])?,
            TensorOp::Real2(Real2::Div) => b.build_float_div(x[0], x[1], "")?,
            TensorOp::Bits1(Bits1::Not) => b.build_not(x[0], "")?,
            TensorOp::Bits2(Bits2::And) => b.build_and(x[0], x[1], "")?,
            TensorOp::Bits2(Bits2::Or) => b.build_or(x[0], x[1], "")?,
            TensorOp::Bits2(Bits2::Xor) => b.build_xor(x[0], x[1], "")?,
            TensorOp::Test1(op) => self.test(op, dtype, x[0])?,
            TensorOp::Compare(op) => self.compare(op.into(), dtype, x[0], x[1])?,
            TensorOp::Select => b.build_select(x[0], x[1], x[2], "")?.into_vector_value(),
            TensorOp::Copy => x[0],
            TensorOp::Cast(to) => self.cast(dtype, to, x[0], ty)?,
            ref other => return Err(Fault(format!("{other} is not computed in registers"))),
        })
    }

    fn num1(&self, op: Num1, is_float: bool, x: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = &self.writer.body.b;
        Ok(match (op, is_float) {
            (Num1::Neg, true) => b.build_float_neg(x, "")?,
            (Num1::Abs, true) => self.writer.intrinsic("llvm.fabs", x)?,
            (Num1::Square, true) => b.build_float_mul(x, x, "")?,
            (Num1::Neg, false) => b.build_int_neg(x, "")?,
            (Num1::Abs, false) => {
                let is_negative = b.build_int_compare(IntPredicate::SLT, x, x.get_type().const_zero(), "")?;
                b.build_select(is_negative, b.build_int_neg(x, "")?, x, "")?.into_vector_value()
            }
            (Num1::Square, false) => b.build_int_mul(x, x, "")?,
            (Num1::Sign, _) => return Err(Fault("signs are not computed in registers".to_owned())),
        })
    }

    fn num2(&self, op: Num2, is_float: bool, x: VectorValue<'ctx>, y: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = &self.writer.body.b;
        Ok(match op {
            Num2::Add if is_float => b.build_float_add(x, y, "")?,
            Num2::Sub if is_float => b.build_float_sub(x, y, "")?,
            Num2::Mul if is_float => b.build_float_mul(x, y, "")?,
            Num2::Add => b.build_int_add(x, y, "")?,
            Num2::Sub => b.build_int_sub(x, y, "")?,
            Num2::Mul => b.build_int_mul(x, y, "")?,
            // Of two that are equal the first one.
            Num2::Min => self.writer.chosen(Cmp::Le, is_float, x, y)?,
            Num2::Max => self.writer.chosen(Cmp::Ge, is_float, x, y)?,
            Num2::FloorDiv | Num2::Mod | Num2::Pow => {
                return Err(Fault(format!("{} is not computed in registers", op.text())));
            }
        })
    }

    fn test(&self, op: Test1, dtype: Dtype, x: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = &self.writer.body.b;
        let infinity = if dtype == Dtype::F32 { u64::from(f32::INFINITY.to_bits()) } else { f64::INFINITY.to_bits() };
        let infinity = self.writer.known(dtype, infinity, x.get_type().get_size());
        Ok(match op {
            Test1::IsNan => b.build_float_compare(FloatPredicate::UNO, x, x, "")?,
            Test1::IsInf => {
                b.build_float_compare(FloatPredicate::OEQ, self.writer.intrinsic("llvm.fabs", x)?, infinity, "")?
            }
            Test1::IsFinite => {
                b.build_float_compare(FloatPredicate::OLT, self.writer.intrinsic("llvm.fabs", x)?, infinity, "")?
            }
            Test1::SignBit => return Err(Fault("signs are not computed in registers".to_owned())),
        })
    }

    fn compare(&self, op: Cmp, dtype: Dtype, x: VectorValue<'ctx>, y: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = &self.writer.body.b;
        Ok(match dtype {
            Dtype::Bool => b.build_int_compare(unsigned_predicate(op), x, y, "")?,
            _ if dtype.is_float() => b.build_float_compare(float_predicate(op), x, y, "")?,
            _ => b.build_int_compare(int_predicate(op), x, y, "")?,
        })
    }

    fn cast(&self, from: Dtype, to: Dtype, x: VectorValue<'ctx>, ty: VectorType<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = &self.writer.body.b;
        Ok(match (from, to) {
            _ if from == to => x,
            (Dtype::F32 | Dtype::F64, Dtype::Bool) => {
                b.build_float_compare(FloatPredicate::UNE, x, x.get_type().const_zero(), "")?
            }
            (_, Dtype::Bool) => b.build_int_compare(IntPredicate::NE, x, x.get_type().const_zero(), "")?,
            (Dtype::Bool, Dtype::F32 | Dtype::F64) => b.build_unsigned_int_to_float(x, ty, "")?,
            (Dtype::Bool, _) => b.build_int_z_extend(x, ty, "")?,
            (Dtype::F32, Dtype::F64) => b.build_float_ext(x, ty, "")?,
            (Dtype::F64, Dtype::F32) => b.build_float_trunc(x, ty, "")?,
            (Dtype::I32 | Dtype::I64, Dtype::F32 | Dtype::F64) => b.build_signed_int_to_float(x, ty, "")?,
            (Dtype::I32, Dtype::I64) => b.build_int_s_extend(x, ty, "")?,
            (Dtype::I64, Dtype::I32) => b.build_int_truncate(x, ty, "")?,
            _ => return Err(Fault(format!("{from} does not become {to} in registers"))),
        })
    }
}

/// The function of LLVM that is one of those that round correctly.
fn rounded(op: Real1) -> Result<&'static str> {
    Ok(match op {
        Real1::Sqrt => "llvm.sqrt",
        Real1::Floor => "llvm.floor",
        Real1::Ceil => "llvm.ceil",
        Real1::Trunc => "llvm.trunc",
        Real1::Round => "llvm.roundeven",
        other => return Err(Fault(format!("{} is not computed in registers", other.text()))),
    })
}
