//! How the threads that have a row make one element of it.
//!
//! Each thread joins what it has; a team halves what its threads have by shuffles; the teams of a row exchange theirs in
//! shared memory, once, behind which there is one barrier, and every thread joins them all, so that each has the result.

use inkwell::AddressSpace;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Linkage;
use inkwell::types::{BasicType, BasicTypeEnum};
use inkwell::values::{BasicValueEnum, IntValue};
use inkwell::{IntPredicate, builder::BuilderError};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::sweep::Teams;
use snekpy_stage::tensor::reduce::{Fold, LANES};

use super::each::Each;
use crate::ptx::{SHARED, barrier};

type Result<T> = std::result::Result<T, BuilderError>;

/// Which thread of a row this is.
#[derive(Clone, Copy)]
pub(super) struct Who<'ctx> {
    /// In its team.
    pub(super) lane: IntValue<'ctx>,
    /// Of those that have the row.
    pub(super) team: IntValue<'ctx>,
}

/// All threads of a warp shuffle.
const ALL: u64 = 0xffff_ffff;
/// Segments of a team, as the instruction has them: the upper byte is what of a lane's number is the segment.
const SEGMENT: u64 = ((32 - LANES as u64) << 8) | 0x1f;

impl<'ctx> Each<'_, 'ctx> {
    /// What all threads of a row have, of whose elements some may be none.
    pub(super) fn fold(
        &self,
        fold: Fold,
        dtype: Dtype,
        elements: &[(BasicValueEnum<'ctx>, Option<IntValue<'ctx>>)],
        who: Who<'ctx>,
        teams: Teams,
    ) -> Result<BasicValueEnum<'ctx>> {
        let neutral = self.neutral(fold, dtype);
        let mut all = neutral;
        for &(element, is_there) in elements {
            let element = is_there.map_or(element, |it| self.select(it, element, neutral));
            all = self.join(fold, dtype, all, element);
        }
        let mut half = LANES as u64 / 2;
        while half > 0 {
            let other = self.shuffled("down", all, half)?;
            all = self.join(fold, dtype, all, other);
            half /= 2;
        }
        if teams.per_row == 1 {
            return self.shuffled("idx", all, 0);
        }
        let (ty, all) = self.shareable(all)?;
        let room = ty.array_type(teams.threads as u32 / LANES as u32);
        let shared = self.module.add_global(room, Some(AddressSpace::from(SHARED)), "teams");
        shared.set_initializer(&room.get_undef());
        shared.set_linkage(Linkage::Internal);
        shared.set_alignment(16);
        let shared = shared.as_pointer_value();
        // SAFETY: this only writes an instruction; the index is in range.
        let at = |team| unsafe { self.b.build_in_bounds_gep(ty, shared, &[team], "") };
        let func = self.b.get_insert_block().and_then(|it| it.get_parent()).expect("the builder stands in a function");
        let [shares, waits] = ["shares", "waits"].map(|name| self.llcx.append_basic_block(func, name));
        let is_first = self.b.build_int_compare(IntPredicate::EQ, who.lane, self.llcx.i32_type().const_zero(), "")?;
        self.b.build_conditional_branch(is_first, shares, waits)?;
        self.b.position_at_end(shares);
        self.b.build_store(at(who.team)?, all)?;
        self.b.build_unconditional_branch(waits)?;
        self.b.position_at_end(waits);
        barrier(self.llcx, self.module, self.b)?;
        let mut parts = Vec::new();
        for team in 0..teams.per_row {
            let part = self.b.build_load(ty, at(self.llcx.i32_type().const_int(team as u64, false))?, "")?;
            parts.push(if dtype == Dtype::Bool { self.truth(part)? } else { part });
        }
        // Pairwise; what has no partner waits for the next round.
        while parts.len() > 1 {
            parts = parts.chunks(2).map(|it| if let &[x, y] = it { self.join(fold, dtype, x, y) } else { it[0] }).collect();
        }
        Ok(parts[0])
    }

    /// Truth values are whole words in shared memory.
    fn shareable(&self, value: BasicValueEnum<'ctx>) -> Result<(BasicTypeEnum<'ctx>, BasicValueEnum<'ctx>)> {
        let value = match value {
            BasicValueEnum::IntValue(it) if it.get_type().get_bit_width() == 1 => {
                self.b.build_int_z_extend(it, self.llcx.i32_type(), "")?.into()
            }
            other => other,
        };
        Ok((value.get_type(), value))
    }

    fn truth(&self, word: BasicValueEnum<'ctx>) -> Result<BasicValueEnum<'ctx>> {
        let word = word.into_int_value();
        Ok(self.b.build_int_compare(IntPredicate::NE, word, word.get_type().const_zero(), "")?.into())
    }

    /// What another thread of the team has: the one so much further, or of this number.
    fn shuffled(&self, how: &str, value: BasicValueEnum<'ctx>, by: u64) -> Result<BasicValueEnum<'ctx>> {
        let (int, long) = (self.llcx.i32_type(), self.llcx.i64_type());
        let name = format!("llvm.nvvm.shfl.sync.{how}.i32");
        let found = Intrinsic::find(&name).and_then(|it| it.get_declaration(self.module, &[]));
        let shuffle = found.expect("LLVM 22 has shuffles");
        let word = |it: IntValue<'ctx>| -> Result<IntValue<'ctx>> {
            let args = [int.const_int(ALL, false), it, int.const_int(by, false), int.const_int(SEGMENT, false)];
            let called = self.b.build_direct_call(shuffle, &args.map(Into::into), "")?;
            Ok(called.try_as_basic_value().expect_basic("it gives a word").into_int_value())
        };
        let ty = value.get_type();
        let bits = match value {
            BasicValueEnum::IntValue(it) => it,
            it => {
                let is_double = ty == self.llcx.f64_type().into();
                self.b.build_bit_cast(it, if is_double { long } else { int }, "")?.into_int_value()
            }
        };
        let bits = match bits.get_type().get_bit_width() {
            1 => {
                let wide = self.b.build_int_z_extend(bits, int, "")?;
                return self.truth(word(wide)?.into());
            }
            64 => {
                let low = word(self.b.build_int_truncate(bits, int, "")?)?;
                let high = self.b.build_right_shift(bits, long.const_int(32, false), false, "")?;
                let high = word(self.b.build_int_truncate(high, int, "")?)?;
                let high = self.b.build_int_z_extend(high, long, "")?;
                let high = self.b.build_left_shift(high, long.const_int(32, false), "")?;
                self.b.build_or(high, self.b.build_int_z_extend(low, long, "")?, "")?
            }
            _ => word(bits)?,
        };
        self.b.build_bit_cast(bits, ty, "")
    }
}


