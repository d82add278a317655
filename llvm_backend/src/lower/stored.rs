//! Elements in fewer bits than they are computed in.
//!
//! Half precision is written as integer arithmetic, with the same bits on every processor: x86 has no instruction that
//! rounds a double to a half, and the C library's function need not be there. All of it works on vectors; a scalar is one of
//! one lane, of which LLVM leaves nothing.

use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::types::{BasicTypeEnum, FloatType, IntType, VectorType};
use inkwell::values::{BasicValueEnum, VectorValue};
use inkwell::{FloatPredicate, IntPredicate};
use snekpy_stage::op::Convert;
use snekpy_stage::types::Elem;

type Result<T> = std::result::Result<T, BuilderError>;

/// A format of 16 bits.
#[derive(Clone, Copy)]
struct Format {
    /// So many bits of a double's fraction it has not.
    dropped: u64,
    /// The exponent of the least number with full precision.
    least: i32,
    /// The exponent of the first power of two that is too large.
    limit: i32,
}

const HALF: Format = Format { dropped: 42, least: -14, limit: 16 };
const BFLOAT: Format = Format { dropped: 45, least: -126, limit: 128 };

const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
const QUIET: u64 = 0x0008_0000_0000_0000;
const SIGN: u64 = 1 << 63;

/// The bits of a number of 16 bits: those of infinity in half precision, and the sign.
const HALF_INFINITY: u64 = 0x7c00;
const HALF_SIGN: u64 = 0x8000;

/// How an element is stored.
pub(crate) fn stored_type(llcx: &Context, elem: Elem) -> BasicTypeEnum<'_> {
    match elem {
        Elem::Bool => llcx.i8_type().into(),
        Elem::F16 | Elem::Bf16 => llcx.i16_type().into(),
        Elem::I32 => llcx.i32_type().into(),
        Elem::I64 => llcx.i64_type().into(),
        Elem::F32 => llcx.f32_type().into(),
        Elem::F64 => llcx.f64_type().into(),
    }
}

/// Writes conversions of so many elements beside each other.
pub(crate) struct Stored<'a, 'ctx> {
    b: &'a Builder<'ctx>,
    llcx: &'ctx Context,
    width: u32,
}

impl<'a, 'ctx> Stored<'a, 'ctx> {
    pub(crate) const fn new(b: &'a Builder<'ctx>, llcx: &'ctx Context, width: u32) -> Self {
        Self { b, llcx, width }
    }

    /// The vector of elements as they are stored.
    pub(crate) fn vector(&self, elem: Elem) -> VectorType<'ctx> {
        match stored_type(self.llcx, elem) {
            BasicTypeEnum::FloatType(it) => it.vec_type(self.width),
            other => other.into_int_type().vec_type(self.width),
        }
    }

    /// The values of loaded elements.
    pub(crate) fn widen(&self, elem: Elem, x: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = self.b;
        Ok(match elem {
            Elem::Bool => b.build_int_compare(IntPredicate::NE, x, x.get_type().const_zero(), "")?,
            Elem::I32 => b.build_int_s_extend(x, self.ints(), "")?,
            Elem::F16 => self.of_half(b.build_int_z_extend(x, self.ints(), "")?)?,
            Elem::Bf16 => {
                let word = self.llcx.i32_type();
                let upper = b.build_int_z_extend(x, word.vec_type(self.width), "")?;
                let bits = b.build_left_shift(upper, self.each(word, 16), "")?;
                let single = b.build_bit_cast(bits, self.vector(Elem::F32), "")?.into_vector_value();
                b.build_float_ext(single, self.floats(), "")?
            }
            Elem::F32 => b.build_float_ext(x, self.floats(), "")?,
            Elem::I64 | Elem::F64 => x,
        })
    }

    /// The elements that values are stored as.
    pub(crate) fn narrow(&self, elem: Elem, x: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = self.b;
        let short = self.llcx.i16_type().vec_type(self.width);
        Ok(match elem {
            Elem::Bool => b.build_int_z_extend(x, self.vector(elem), "")?,
            Elem::I32 => b.build_int_truncate(x, self.vector(elem), "")?,
            Elem::F16 => b.build_int_truncate(self.to_half(self.rounded(HALF, x)?)?, short, "")?,
            Elem::Bf16 => {
                let single = b.build_float_trunc(self.rounded(BFLOAT, x)?, self.vector(Elem::F32), "")?;
                let word = self.llcx.i32_type();
                let bits = b.build_bit_cast(single, word.vec_type(self.width), "")?.into_vector_value();
                b.build_int_truncate(b.build_right_shift(bits, self.each(word, 16), false, "")?, short, "")?
            }
            Elem::F32 => b.build_float_trunc(x, self.vector(elem), "")?,
            Elem::I64 | Elem::F64 => x,
        })
    }

    /// What values become where they were stored in fewer bits; `None` for other conversions.
    pub(crate) fn convert(&self, op: Convert, x: VectorValue<'ctx>) -> Result<Option<VectorValue<'ctx>>> {
        Ok(match op {
            Convert::Single => Some(self.widen(Elem::F32, self.narrow(Elem::F32, x)?)?),
            Convert::Int32 => Some(self.widen(Elem::I32, self.narrow(Elem::I32, x)?)?),
            Convert::Half => Some(self.rounded(HALF, x)?),
            Convert::Bfloat => Some(self.rounded(BFLOAT, x)?),
            Convert::BoolToInt | Convert::IntToFloat | Convert::FloatToInt => None,
        })
    }

    /// Doubles rounded to a format, to the nearest, ties to even.
    fn rounded(&self, format: Format, x: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = self.b;
        let all = self.bits_of(x)?;
        let sign = b.build_and(all, self.int(SIGN), "")?;
        let bits = b.build_and(all, self.int(!SIGN), "")?;
        let size = self.float_of(bits)?;

        let unit = 1_u64 << format.dropped;
        let is_odd = b.build_and(b.build_right_shift(bits, self.int(format.dropped), false, "")?, self.int(1), "")?;
        let above = b.build_int_add(b.build_int_add(bits, self.int(unit / 2 - 1), "")?, is_odd, "")?;
        let normal = self.float_of(b.build_and(above, self.int(!(unit - 1)), "")?)?;

        // Below that, neighbours are as far apart as those of the least: so are doubles beside this one.
        let shift = self.float(1.5 * 2.0_f64.powi(format.least + format.dropped as i32));
        let small = b.build_float_sub(b.build_float_add(size, shift, "")?, shift, "")?;
        let is_small = b.build_float_compare(FloatPredicate::OLT, size, self.float(2.0_f64.powi(format.least)), "")?;
        let near = b.build_select(is_small, small, normal, "")?.into_vector_value();

        let limit = self.float(2.0_f64.powi(format.limit));
        let is_large = b.build_float_compare(FloatPredicate::OGE, near, limit, "")?;
        let near = b.build_select(is_large, self.float(f64::INFINITY), near, "")?.into_vector_value();

        let is_nan = b.build_float_compare(FloatPredicate::UNO, size, size, "")?;
        let nan = b.build_or(b.build_and(bits, self.int(!(unit - 1)), "")?, self.int(QUIET), "")?;
        let bits = b.build_select(is_nan, nan, self.bits_of(near)?, "")?.into_vector_value();
        self.float_of(b.build_or(bits, sign, "")?)
    }

    /// The doubles that bits of half precision stand for: moved to the place of a double's, they are too small by a power of
    /// two, also where they have not full precision.
    fn of_half(&self, x: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = self.b;
        let size = b.build_and(x, self.int(HALF_SIGN - 1), "")?;
        let moved = b.build_left_shift(size, self.int(HALF.dropped), "")?;
        let number = b.build_float_mul(self.float_of(moved)?, self.float(2.0_f64.powi(1008)), "")?;

        let is_nan = b.build_int_compare(IntPredicate::UGT, size, self.int(HALF_INFINITY), "")?;
        let quiet = b.build_select(is_nan, self.int(EXPONENT | QUIET), self.int(EXPONENT), "")?.into_vector_value();
        let special = b.build_or(moved, quiet, "")?;
        let is_special = b.build_int_compare(IntPredicate::UGE, size, self.int(HALF_INFINITY), "")?;
        let bits = b.build_select(is_special, special, self.bits_of(number)?, "")?.into_vector_value();

        let sign = b.build_left_shift(b.build_and(x, self.int(HALF_SIGN), "")?, self.int(48), "")?;
        self.float_of(b.build_or(bits, sign, "")?)
    }

    /// The other way round, of doubles that are numbers of half precision.
    fn to_half(&self, x: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        let b = self.b;
        let all = self.bits_of(x)?;
        let bits = b.build_and(all, self.int(!SIGN), "")?;
        let number = b.build_float_mul(self.float_of(bits)?, self.float(2.0_f64.powi(-1008)), "")?;
        let number = b.build_right_shift(self.bits_of(number)?, self.int(HALF.dropped), false, "")?;

        let fraction = b.build_right_shift(bits, self.int(HALF.dropped), false, "")?;
        let special = b.build_and(fraction, self.int(HALF_INFINITY | 0x3ff), "")?;
        let is_special = b.build_int_compare(IntPredicate::UGE, bits, self.int(EXPONENT), "")?;
        let size = b.build_select(is_special, special, number, "")?.into_vector_value();
        let sign = b.build_and(b.build_right_shift(all, self.int(48), false, "")?, self.int(HALF_SIGN), "")?;
        b.build_or(size, sign, "")
    }

    fn bits_of(&self, x: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        Ok(self.b.build_bit_cast(x, self.ints(), "")?.into_vector_value())
    }

    fn float_of(&self, x: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        Ok(self.b.build_bit_cast(x, self.floats(), "")?.into_vector_value())
    }

    fn ints(&self) -> VectorType<'ctx> {
        self.llcx.i64_type().vec_type(self.width)
    }

    fn floats(&self) -> VectorType<'ctx> {
        self.llcx.f64_type().vec_type(self.width)
    }

    fn int(&self, value: u64) -> VectorValue<'ctx> {
        self.each(self.llcx.i64_type(), value)
    }

    fn float(&self, value: f64) -> VectorValue<'ctx> {
        let double: FloatType<'ctx> = self.llcx.f64_type();
        VectorType::const_vector(&vec![double.const_float(value); self.width as usize])
    }

    fn each(&self, ty: IntType<'ctx>, value: u64) -> VectorValue<'ctx> {
        VectorType::const_vector(&vec![ty.const_int(value, false); self.width as usize])
    }
}

/// The value of a loaded element.
pub(crate) fn widen<'ctx>(
    b: &Builder<'ctx>,
    llcx: &'ctx Context,
    elem: Elem,
    x: BasicValueEnum<'ctx>,
) -> Result<BasicValueEnum<'ctx>> {
    alone(b, llcx, x, |it, x| it.widen(elem, x))
}

/// The element that a value is stored as.
///
/// # Errors
/// When LLVM's builder refuses an instruction, which is our mistake.
pub fn narrow<'ctx>(
    b: &Builder<'ctx>,
    llcx: &'ctx Context,
    elem: Elem,
    x: BasicValueEnum<'ctx>,
) -> Result<BasicValueEnum<'ctx>> {
    alone(b, llcx, x, |it, x| it.narrow(elem, x))
}

/// What a value becomes where it was stored in fewer bits.
pub(crate) fn convert<'ctx>(
    b: &Builder<'ctx>,
    llcx: &'ctx Context,
    op: Convert,
    x: BasicValueEnum<'ctx>,
) -> Result<BasicValueEnum<'ctx>> {
    alone(b, llcx, x, |it, x| Ok(it.convert(op, x)?.expect("the conversion is one to fewer bits")))
}

fn alone<'ctx>(
    b: &Builder<'ctx>,
    llcx: &'ctx Context,
    x: BasicValueEnum<'ctx>,
    write: impl FnOnce(&Stored<'_, 'ctx>, VectorValue<'ctx>) -> Result<VectorValue<'ctx>>,
) -> Result<BasicValueEnum<'ctx>> {
    let zero = llcx.i32_type().const_zero();
    let row = match x {
        BasicValueEnum::FloatValue(it) => it.get_type().vec_type(1),
        other => other.into_int_value().get_type().vec_type(1),
    };
    let x = b.build_insert_element(row.get_poison(), x, zero, "")?;
    let made = write(&Stored::new(b, llcx, 1), x)?;
    b.build_extract_element(made, zero, "")
}
