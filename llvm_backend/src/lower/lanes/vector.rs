//! Vectors with an element for each lane.

use inkwell::IntPredicate;
use inkwell::types::{FloatType, IntType, VectorType};
use inkwell::values::{BasicValueEnum, IntValue, VectorValue};
use snekpy_stage::types::Type;

use super::Lanes;
use crate::fault::Result;
use crate::lower::unit::Unit;

/// The types of vectors.
#[derive(Clone, Copy)]
pub(super) struct Vectors<'ctx> {
    /// How many lanes there are.
    pub(super) width: u32,
    /// A truth value in each lane.
    pub(super) mask: VectorType<'ctx>,
    /// An integer in each lane.
    pub(super) int: VectorType<'ctx>,
    /// A double in each lane.
    pub(super) float: VectorType<'ctx>,
    i64: IntType<'ctx>,
    f64: FloatType<'ctx>,
}

impl<'ctx> Vectors<'ctx> {
    pub(super) fn new(unit: &Unit<'_, 'ctx>, width: u32) -> Self {
        let types = &unit.types;
        Self {
            width,
            mask: types.i1.vec_type(width),
            int: types.i64.vec_type(width),
            float: types.f64.vec_type(width),
            i64: types.i64,
            f64: types.f64,
        }
    }

    /// The vector of values of a type.
    pub(super) fn of(&self, ty: Type) -> VectorType<'ctx> {
        match ty {
            Type::Bool => self.mask,
            Type::I64 => self.int,
            Type::F64 => self.float,
            Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
                unreachable!("lanes share what is no scalar")
            }
        }
    }

    /// 0, 1, 2, ...
    pub(super) fn counted(&self) -> VectorValue<'ctx> {
        let numbers: Vec<_> = (0..self.width).map(|lane| self.i64.const_int(u64::from(lane), false)).collect();
        VectorType::const_vector(&numbers)
    }

    /// An integer in each lane.
    pub(super) fn int_constant(&self, value: i64) -> VectorValue<'ctx> {
        VectorType::const_vector(&vec![self.i64.const_int(value.cast_unsigned(), true); self.width as usize])
    }

    /// A double in each lane.
    pub(super) fn float_constant(&self, value: f64) -> VectorValue<'ctx> {
        VectorType::const_vector(&vec![self.f64.const_float(value); self.width as usize])
    }
}

impl<'ctx> Lanes<'_, 'ctx> {
    /// A scalar in each lane.
    pub(super) fn splat(&self, scalar: BasicValueEnum<'ctx>) -> Result<VectorValue<'ctx>> {
        let (b, types) = (&self.body.b, &self.body.unit.types);
        let ty = match scalar {
            BasicValueEnum::FloatValue(_) => self.vectors.float,
            BasicValueEnum::IntValue(it) if it.get_type() == types.i1 => self.vectors.mask,
            _ => self.vectors.int,
        };
        let first = b.build_insert_element(ty.get_poison(), scalar, types.i32.const_zero(), "")?;
        let zeros = types.i32.vec_type(self.vectors.width).const_zero();
        Ok(b.build_shuffle_vector(first, ty.get_poison(), zeros, "")?)
    }

    /// Whether it holds in some lane.
    pub(super) fn any(&self, lanes: VectorValue<'ctx>) -> Result<IntValue<'ctx>> {
        let bits = self
            .body
            .unit
            .llcx
            .custom_width_int_type(std::num::NonZeroU32::new(self.vectors.width).expect("there are lanes"));
        let bits = bits.expect("integers may have as many bits as there are lanes");
        let bits = self.body.b.build_bit_cast(lanes, bits, "")?.into_int_value();
        Ok(self.body.b.build_int_compare(IntPredicate::NE, bits, bits.get_type().const_zero(), "")?)
    }

    /// `x` in the lanes where the condition holds, else `y`.
    pub(super) fn choose(
        &self,
        cond: VectorValue<'ctx>,
        x: VectorValue<'ctx>,
        y: VectorValue<'ctx>,
    ) -> Result<VectorValue<'ctx>> {
        Ok(self.body.b.build_select(cond, x, y, "")?.into_vector_value())
    }

    /// The element of a lane.
    pub(super) fn lane(&self, vector: VectorValue<'ctx>, lane: u32) -> Result<BasicValueEnum<'ctx>> {
        let lane = self.body.unit.types.i32.const_int(u64::from(lane), false);
        Ok(self.body.b.build_extract_element(vector, lane, "")?)
    }

    /// The vector with another element in a lane.
    pub(super) fn with_lane(
        &self,
        vector: VectorValue<'ctx>,
        lane: u32,
        element: BasicValueEnum<'ctx>,
    ) -> Result<VectorValue<'ctx>> {
        let lane = self.body.unit.types.i32.const_int(u64::from(lane), false);
        Ok(self.body.b.build_insert_element(vector, element, lane, "")?)
    }
}
