//! Metadata: what LLVM may assume about memory and branches.
//!
//! Memory is divided into classes that never overlap: the context, the flag that is polled, slots, the
//! payload, rows of numbers of objects, the headers of lists, their items that are lists, maps with their entries, and one class for each way an element is stored. The host promises
//! that arrays of different element types are different memory; nothing is promised about two arrays of one element
//! type.

use inkwell::context::Context;
use inkwell::values::{InstructionValue, MetadataValue};
use snekpy_stage::types::{ArrayType, Elem};

use crate::fault::Result;

/// A class of memory.
#[derive(Clone, Copy)]
pub(crate) enum Memory {
    /// The fields of [`snekpy_stage::backend::Context`].
    Context,
    /// The flag that is polled.
    Flag,
    /// Slots of arguments, results and payloads.
    Slots,
    /// Where the items of a list are, how many there are, and for how many there is room.
    List,
    /// Rows of numbers of objects, and where they are.
    Rows,
    /// Items of lists that are lists.
    Lists,
    /// The headers of maps and their entries.
    Map,
    /// Elements stored this way, of arrays and of lists.
    Elements(Elem),
    /// Elements of tensors: others may see the same bytes as elements of another kind.
    Bytes,
}

/// The metadata of one module.
pub(crate) struct Meta<'ctx> {
    tbaa: u32,
    prof: u32,
    invariant: u32,
    context: MetadataValue<'ctx>,
    flag: MetadataValue<'ctx>,
    slots: MetadataValue<'ctx>,
    list: MetadataValue<'ctx>,
    lists: MetadataValue<'ctx>,
    rows: MetadataValue<'ctx>,
    map: MetadataValue<'ctx>,
    elements: [MetadataValue<'ctx>; Elem::ALL.len()],
    bytes: MetadataValue<'ctx>,
    rarely: MetadataValue<'ctx>,
    empty: MetadataValue<'ctx>,
    llcx: &'ctx Context,
}

impl<'ctx> Meta<'ctx> {
    pub(crate) fn new(llcx: &'ctx Context) -> Self {
        let root = llcx.metadata_node(&[llcx.metadata_string("snekpy").into()]);
        let zero = llcx.i64_type().const_zero();
        let below = |name: &str, parent: MetadataValue<'ctx>| {
            llcx.metadata_node(&[llcx.metadata_string(name).into(), parent.into(), zero.into()])
        };
        let tag = |class: MetadataValue<'ctx>| llcx.metadata_node(&[class.into(), class.into(), zero.into()]);
        let class = |name: &str| tag(below(name, root));
        let bytes = below("bytes", root);
        let weight = |times: u64| llcx.i32_type().const_int(times, false);
        let weights = |first, second| {
            let name = llcx.metadata_string("branch_weights");
            llcx.metadata_node(&[name.into(), weight(first).into(), weight(second).into()])
        };
        Self {
            tbaa: llcx.get_kind_id("tbaa"),
            prof: llcx.get_kind_id("prof"),
            invariant: llcx.get_kind_id("invariant.load"),
            context: class("context"),
            flag: class("flag"),
            slots: class("slots"),
            list: class("list"),
            lists: class("lists"),
            rows: class("rows"),
            map: class("map"),
            elements: Elem::ALL.map(|elem| tag(below(elem.text(), bytes))),
            bytes: tag(bytes),
            rarely: weights(1, 1 << 20),
            empty: llcx.metadata_node(&[]),
            llcx,
        }
    }

    /// Says what class of memory a load or store touches.
    pub(crate) fn touches(&self, inst: InstructionValue<'ctx>, memory: Memory) -> Result<()> {
        let tag = match memory {
            Memory::Context => self.context,
            Memory::Flag => self.flag,
            Memory::Slots => self.slots,
            Memory::List => self.list,
            Memory::Lists => self.lists,
            Memory::Rows => self.rows,
            Memory::Map => self.map,
            Memory::Bytes => self.bytes,
            Memory::Elements(elem) => self.elements[elem as usize],
        };
        Ok(inst.set_metadata(tag, self.tbaa)?)
    }

    /// Says that a load gives the same whenever it is made.
    pub(crate) fn never_changes(&self, inst: InstructionValue<'ctx>) -> Result<()> {
        Ok(inst.set_metadata(self.empty, self.invariant)?)
    }

    /// Says that a loaded address is that of an array of this type.
    pub(crate) fn is_array(&self, load: InstructionValue<'ctx>, ty: ArrayType) -> Result<()> {
        let number = |value| self.llcx.metadata_node(&[self.llcx.i64_type().const_int(value, false).into()]);
        load.set_metadata(self.empty, self.llcx.get_kind_id("nonnull"))?;
        let bytes = ty.len.unwrap_or(0).saturating_mul(ty.elem.size() as u64);
        if bytes > 0 {
            load.set_metadata(number(bytes), self.llcx.get_kind_id("dereferenceable"))?;
        }
        Ok(())
    }

    /// Says that a branch is hardly ever taken.
    pub(crate) fn rarely_taken(&self, branch: InstructionValue<'ctx>) -> Result<()> {
        Ok(branch.set_metadata(self.rarely, self.prof)?)
    }
}
