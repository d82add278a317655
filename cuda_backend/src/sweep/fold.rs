//! How the threads that have a row make one element of it.
//!
//! Each thread joins what it has; a team halves what its threads have by shuffles; the teams of a row exchange theirs in
//! shared memory, once, behind which there is one barrier, and every thread joins them all, so that each has the result.

use inkwell::AddressSpace;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Linkage;
use inkwell::types::{BasicType, BasicTypeEnum};
use inkwell::values::{BasicValueEnum, IntValue, PointerValue};
use inkwell::{IntPredicate, builder::BuilderError};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::sweep::Teams;
use snekpy_stage::tensor::reduce::{Fold, LANES};

use super::each::{Each, NOWHERE, Placed};
use crate::ptx::{SHARED, barrier};

type Result<T> = std::result::Result<T, BuilderError>;

/// An element of a row, where it is, and whether there is one, if some threads have none.
type Element<'ctx> = (BasicValueEnum<'ctx>, IntValue<'ctx>, Option<IntValue<'ctx>>);

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
        match (fold, neutral) {
            (Fold::Min | Fold::Max, BasicValueEnum::FloatValue(neutral)) => {
                all = self.extreme(fold, neutral, elements).into();
            }
            _ => {
                for &(element, is_there) in elements {
                    let element = is_there.map_or(element, |it| self.select(it, element, neutral));
                    all = self.join(fold, dtype, all, element);
                }
            }
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
        let mut parts = Vec::new();
        let room = self.share(all, teams)?;
        self.shared(&[room], &[all], who)?;
        for team in 0..teams.per_row {
            parts.push(self.part(room, all, team)?);
        }
        // Pairwise; what has no partner waits for the next round.
        while parts.len() > 1 {
            parts =
                parts.chunks(2).map(|it| if let &[x, y] = it { self.join(fold, dtype, x, y) } else { it[0] }).collect();
        }
        Ok(parts[0])
    }

    /// The position of the first greatest or least.
    pub(super) fn arg(
        &self,
        greatest: bool,
        dtype: Dtype,
        elements: &[Element<'ctx>],
        who: Who<'ctx>,
        teams: Teams,
    ) -> Result<BasicValueEnum<'ctx>> {
        let int = self.llcx.i32_type();
        let nowhere = int.const_int(NOWHERE, false);
        let placed = |&(element, at, is_there): &Element<'ctx>| -> Result<Placed<'ctx>> {
            let at = self.b.build_int_truncate(at, int, "")?;
            Ok((element, is_there.map_or(at, |it| self.select(it, at.into(), nowhere.into()).into_int_value())))
        };
        let mut all: Placed<'ctx> = placed(&elements[0])?;
        for element in &elements[1..] {
            all = self.first(greatest, dtype, all, placed(element)?);
        }
        let mut half = LANES as u64 / 2;
        while half > 0 {
            let other =
                (self.shuffled("down", all.0, half)?, self.shuffled("down", all.1.into(), half)?.into_int_value());
            all = self.first(greatest, dtype, all, other);
            half /= 2;
        }
        let long = |it| self.b.build_int_z_extend(it, self.llcx.i64_type(), "");
        if teams.per_row == 1 {
            return Ok(long(self.shuffled("idx", all.1.into(), 0)?.into_int_value())?.into());
        }
        let rooms = [self.share(all.0, teams)?, self.share(all.1.into(), teams)?];
        self.shared(&rooms, &[all.0, all.1.into()], who)?;
        let part = |team| -> Result<Placed<'ctx>> {
            Ok((self.part(rooms[0], all.0, team)?, self.part(rooms[1], all.1.into(), team)?.into_int_value()))
        };
        let mut found = part(0)?;
        for team in 1..teams.per_row {
            found = self.first(greatest, dtype, found, part(team)?);
        }
        Ok(long(found.1)?.into())
    }

    /// Room in shared memory for a value like this of each team.
    fn share(&self, like: BasicValueEnum<'ctx>, teams: Teams) -> Result<PointerValue<'ctx>> {
        let room = self.shareable(like)?.get_type().array_type(teams.threads as u32 / LANES as u32);
        let shared = self.module.add_global(room, Some(AddressSpace::from(SHARED)), "teams");
        shared.set_initializer(&room.get_undef());
        shared.set_linkage(Linkage::Internal);
        shared.set_alignment(16);
        Ok(shared.as_pointer_value())
    }

    /// The first thread of each team puts these there; then all may look at them.
    fn shared(&self, rooms: &[PointerValue<'ctx>], values: &[BasicValueEnum<'ctx>], who: Who<'ctx>) -> Result<()> {
        let func = self.b.get_insert_block().and_then(|it| it.get_parent()).expect("the builder stands in a function");
        let [shares, waits] = ["shares", "waits"].map(|name| self.llcx.append_basic_block(func, name));
        let is_first = self.b.build_int_compare(IntPredicate::EQ, who.lane, self.llcx.i32_type().const_zero(), "")?;
        self.b.build_conditional_branch(is_first, shares, waits)?;
        self.b.position_at_end(shares);
        for (&room, &value) in rooms.iter().zip(values) {
            let value = self.shareable(value)?;
            self.b.build_store(self.at_team(room, value.get_type(), who.team)?, value)?;
        }
        self.b.build_unconditional_branch(waits)?;
        self.b.position_at_end(waits);
        barrier(self.llcx, self.module, self.b)
    }

    /// What a team has put there.
    fn part(&self, room: PointerValue<'ctx>, like: BasicValueEnum<'ctx>, team: usize) -> Result<BasicValueEnum<'ctx>> {
        let ty = self.shareable(like)?.get_type();
        let part =
            self.b.build_load(ty, self.at_team(room, ty, self.llcx.i32_type().const_int(team as u64, false))?, "")?;
        if like.get_type() == ty { Ok(part) } else { self.truth(part) }
    }

    fn at_team(
        &self,
        room: PointerValue<'ctx>,
        ty: BasicTypeEnum<'ctx>,
        team: IntValue<'ctx>,
    ) -> Result<PointerValue<'ctx>> {
        // SAFETY: this only writes an instruction; the index is in range.
        unsafe { self.b.build_in_bounds_gep(ty, room, &[team], "") }
    }

    /// Truth values are whole words in shared memory.
    fn shareable(&self, value: BasicValueEnum<'ctx>) -> Result<BasicValueEnum<'ctx>> {
        Ok(match value {
            BasicValueEnum::IntValue(it) if it.get_type().get_bit_width() == 1 => {
                self.b.build_int_z_extend(it, self.llcx.i32_type(), "")?.into()
            }
            other => other,
        })
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
