//! One function while it is being written.
//!
//! Blocks are written in reverse post-order, so that a value is defined before it is used; only the
//! arguments of jumps back may come later, and those go into phi nodes, which exist from the start.
//! Blocks that cannot be reached are left out.

mod blocks;

use std::cell::RefCell;
use std::collections::BTreeMap;

use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    BasicMetadataValueEnum, BasicValueEnum, FloatValue, FunctionValue, InstructionValue, IntValue, PhiValue,
    PointerValue,
};
use snekpy_stage::analysis::{Cfg, Reach};
use snekpy_stage::backend::{Context, Status, Trap};
use snekpy_stage::entity::{Entity, ExitId, Inst, Loc, Value};
use snekpy_stage::ir::Function;
use snekpy_stage::op::Const;
use snekpy_stage::types::Type;

use super::choose::Choices;
use super::flow::Flow;
use super::unit::Unit;
use super::value::{ArrayVal, ListVal, MapVal, Val};
use crate::fault::Result;

pub(crate) use blocks::{From, Stripped};

/// How a function is called and returns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// From the host: slots in memory.
    Entry,
    /// From functions of the module: values in registers.
    Inner,
    /// As `Inner`, on another processor than the host's: there is no context to poll, count or leave values in.
    Device,
}

/// The memory through which values travel to and from the other side.
#[derive(Clone, Copy)]
pub(crate) struct Slots<'ctx> {
    pub(crate) args: PointerValue<'ctx>,
    pub(crate) results: PointerValue<'ctx>,
}

/// An exit with the values that it carries.
pub(crate) type State<'v, 'ctx> = (ExitId, &'v [Val<'ctx>]);

/// One function while it is being written.
pub(crate) struct Body<'a, 'ctx> {
    pub(crate) unit: &'a Unit<'a, 'ctx>,
    pub(crate) func: &'a Function,
    pub(crate) kind: Kind,
    pub(crate) flow: Flow,
    pub(crate) b: Builder<'ctx>,
    /// The context.
    pub(crate) cx: PointerValue<'ctx>,
    /// How many more calls may be nested.
    pub(crate) depth: IntValue<'ctx>,
    /// The slots of the host's call; only in the entry.
    pub(crate) slots: Option<Slots<'ctx>>,
    /// Room for the slots of calls of the host's functions, if there are any.
    pub(crate) host_slots: Option<Slots<'ctx>>,
    /// Room for the slot of an item, if lists change in ways that take a call.
    pub(crate) item: Option<PointerValue<'ctx>>,
    /// The cold block that returns a status other than success, and the status.
    pub(crate) leave: (BasicBlock<'ctx>, PhiValue<'ctx>),
    /// The checkpoints that reach the points of the function.
    pub(crate) reach: Reach,
    /// The one that reaches the point that is being written.
    pub(crate) checkpoint: Option<Inst>,
    /// For each checkpoint that is left at, the cold block that stores its values, and the status.
    pub(crate) colds: RefCell<BTreeMap<Inst, (BasicBlock<'ctx>, PhiValue<'ctx>)>>,
    llfn: FunctionValue<'ctx>,
    values: Vec<Option<Val<'ctx>>>,
    blocks: Vec<Option<BasicBlock<'ctx>>>,
    phis: Vec<Vec<PhiValue<'ctx>>>,
    strips: Vec<Option<Stripped<'ctx>>>,
    /// The headers of loops that need no poll.
    short: Vec<bool>,
    /// Comparisons that become one `switch`.
    pub(crate) choices: Choices,
    /// The instructions that step a counter which never gets far enough to overflow.
    pub(crate) counts: Vec<bool>,
    /// How many instructions count owners of objects.
    pub(crate) owners_counted: usize,
    /// How many call the host.
    pub(crate) hosts_called: usize,
    /// Whether the block that is being written leaves compiled code.
    pub(crate) is_leaving: bool,
}

impl<'a, 'ctx> Body<'a, 'ctx> {
    /// A function with nothing in it yet. The builder stands in its entry.
    pub(crate) fn begin(
        unit: &'a Unit<'a, 'ctx>,
        func: &'a Function,
        llfn: FunctionValue<'ctx>,
        kind: Kind,
    ) -> Result<Self> {
        let b = unit.llcx.create_builder();
        let entry = unit.llcx.append_basic_block(llfn, "entry");
        let leaving = unit.llcx.append_basic_block(llfn, "leave");
        b.position_at_end(leaving);
        let status = b.build_phi(unit.types.i64, "status")?;
        b.position_at_end(entry);
        let param = |position| llfn.get_nth_param(position).expect("both kinds have these parameters");
        let cx = match kind {
            Kind::Entry | Kind::Inner => param(0).into_pointer_value(),
            Kind::Device => unit.types.ptr.const_null(),
        };
        let (depth, slots) = match kind {
            Kind::Entry => {
                let slots = Slots { args: param(1).into_pointer_value(), results: param(2).into_pointer_value() };
                (initial_depth(unit, &b, cx)?, Some(slots))
            }
            Kind::Inner => (param(1).into_int_value(), None),
            Kind::Device => (unit.types.i64.const_zero(), None),
        };
        if unit.named && kind != Kind::Device {
            cx.set_name("cx");
            depth.set_name("depth");
            if let Some(slots) = slots {
                slots.args.set_name("args");
                slots.results.set_name("results");
            }
        }
        Ok(Self {
            unit,
            func,
            kind,
            flow: Flow::of(func),
            b,
            cx,
            depth,
            slots,
            host_slots: None,
            item: None,
            leave: (leaving, status),
            reach: Reach::of(func, &Cfg::of(func)),
            checkpoint: None,
            colds: RefCell::default(),
            llfn,
            values: vec![None; func.values.len()],
            blocks: vec![None; func.blocks.len()],
            phis: vec![Vec::new(); func.blocks.len()],
            strips: vec![None; func.blocks.len()],
            short: vec![false; func.blocks.len()],
            choices: Choices::default(),
            counts: vec![false; func.insts.len()],
            owners_counted: 0,
            hosts_called: 0,
            is_leaving: false,
        })
    }
}

impl<'ctx> Body<'_, 'ctx> {
    pub(crate) fn register_params(&self) -> Vec<Val<'ctx>> {
        let hidden = if self.kind == Kind::Device { 0 } else { 2 };
        let mut parts = self.llfn.get_param_iter().skip(hidden);
        let types = self.func.param_types();
        types.into_iter().map(|ty| self.assemble(ty, || parts.next().expect("a part for each"))).collect()
    }

    /// A value of this type from its parts.
    pub(crate) fn assemble(&self, ty: Type, mut part: impl FnMut() -> BasicValueEnum<'ctx>) -> Val<'ctx> {
        match ty {
            Type::Bool => Val::Bool(part().into_int_value()),
            Type::I64 | Type::Object(_) | Type::Tensor(_) => Val::Int(part().into_int_value()),
            Type::F64 => Val::Float(part().into_float_value()),
            Type::List(ty) => Val::List(ListVal { ty, header: part().into_pointer_value() }),
            Type::Map(ty) => Val::Map(MapVal { ty, header: part().into_pointer_value() }),
            Type::Array(array) => {
                let (ptr, len) = (part().into_pointer_value(), part().into_int_value());
                let len = array.len.map_or(len, |len| self.int(len.cast_signed()));
                Val::Array(ArrayVal { elem: array.elem, is_shared: false, ptr, len })
            }
        }
    }

    /// Values of these types where two ways meet, here, each of which has them.
    pub(crate) fn joined(
        &self,
        types: &[Type],
        (one, from): (Vec<Val<'ctx>>, BasicBlock<'ctx>),
        (other, other_from): (Vec<Val<'ctx>>, BasicBlock<'ctx>),
    ) -> Result<Vec<Val<'ctx>>> {
        let mut all = Vec::with_capacity(one.len());
        for (&ty, (one, other)) in types.iter().zip(one.into_iter().zip(other)) {
            let mut parts = Vec::new();
            for (one, other) in one.parts().zip(other.parts()) {
                let phi = self.b.build_phi(one.get_type(), "")?;
                phi.add_incoming(&[(&one, from), (&other, other_from)]);
                parts.push(phi.as_basic_value());
            }
            let mut parts = parts.into_iter();
            all.push(self.assemble(ty, || parts.next().expect("a part for each")));
        }
        Ok(all)
    }

    pub(crate) fn define_all(&mut self, names: &[Value], values: Vec<Val<'ctx>>) {
        for (&name, value) in names.iter().zip(values) {
            self.define(name, value);
        }
    }

    /// Says what a value is from here on.
    pub(crate) fn define(&mut self, name: Value, value: Val<'ctx>) {
        if self.unit.named {
            match value {
                Val::Bool(it) | Val::Int(it) if it.get_name().is_empty() => it.set_name(&name.to_string()),
                Val::Float(it) if it.get_name().is_empty() => it.set_name(&name.to_string()),
                Val::Array(it) => {
                    it.ptr.set_name(&name.to_string());
                    it.len.set_name(&format!("{name}.len"));
                }
                Val::List(it) => it.header.set_name(&name.to_string()),
                Val::Map(it) => it.header.set_name(&name.to_string()),
                Val::Bool(_) | Val::Int(_) | Val::Float(_) => {}
            }
        }
        self.values[name.index()] = Some(value);
    }

    /// A value that has been defined.
    pub(crate) fn value(&self, value: Value) -> Val<'ctx> {
        self.values[value.index()].expect("the module was verified, so definitions come before uses")
    }

    /// Values that have been defined.
    pub(crate) fn values(&self, values: &[Value]) -> Vec<Val<'ctx>> {
        values.iter().map(|&value| self.value(value)).collect()
    }

    /// A new block at the end of the function.
    pub(crate) fn append(&self, name: &str) -> BasicBlock<'ctx> {
        self.unit.llcx.append_basic_block(self.llfn, if self.unit.named { name } else { "" })
    }

    /// The block that is being written.
    pub(crate) fn here(&self) -> BasicBlock<'ctx> {
        self.b.get_insert_block().expect("the builder always stands in a block")
    }

    /// A constant integer.
    pub(crate) fn int(&self, value: i64) -> IntValue<'ctx> {
        self.unit.types.i64.const_int(value.cast_unsigned(), true)
    }

    /// A constant double.
    pub(crate) fn float(&self, value: f64) -> FloatValue<'ctx> {
        self.unit.types.f64.const_float(value)
    }

    /// The status of a trap that leaves here.
    pub(crate) fn trap(&self, trap: Trap, loc: Option<Loc>) -> IntValue<'ctx> {
        self.status(Status::trap_code(trap, self.checkpoint.and_then(|it| self.func.insts[it].op.exit())), loc)
    }

    /// A status as a constant. On a device all that do not return are alike: the host finds out how by itself, and
    /// code that branches to the end with one constant keeps none in registers.
    pub(crate) fn status(&self, code: u32, loc: Option<Loc>) -> IntValue<'ctx> {
        let packed = match self.kind {
            Kind::Device => u64::from(code != Status::RETURNED),
            Kind::Entry | Kind::Inner => Status::pack(code, loc).0,
        };
        self.unit.types.i64.const_int(packed, false)
    }

    /// A constant of the IR.
    pub(crate) fn constant(&self, constant: Const) -> Val<'ctx> {
        match constant {
            Const::Bool(it) => Val::Bool(self.unit.types.i1.const_int(u64::from(it), false)),
            Const::I64(it) => Val::Int(self.int(it)),
            Const::F64(it) => Val::Float(self.float(it)),
        }
    }

    /// A call of an intrinsic that is overloaded on one type.
    pub(crate) fn intrinsic(
        &self,
        name: &'static str,
        ty: impl Into<BasicTypeEnum<'ctx>>,
        args: &[BasicMetadataValueEnum<'ctx>],
    ) -> Result<BasicValueEnum<'ctx>> {
        let called = self.b.build_direct_call(self.unit.intrinsic(name, ty.into()), args, "")?;
        Ok(called.try_as_basic_value().expect_basic("the intrinsics in use give values"))
    }

    /// Goes to `cold` if the condition holds, which is rare, and else on in a new block.
    pub(crate) fn rarely(&self, cond: IntValue<'ctx>, cold: BasicBlock<'ctx>) -> Result<()> {
        let next = self.append("");
        let branch = self.b.build_conditional_branch(cond, cold, next)?;
        self.unit.meta.rarely_taken(branch)?;
        self.b.position_at_end(next);
        Ok(())
    }

    /// Whether an integer is zero.
    pub(crate) fn is_zero(&self, value: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        Ok(self.b.build_int_compare(IntPredicate::EQ, value, value.get_type().const_zero(), "")?)
    }

    /// Permits on an instruction on floats what the options permit.
    pub(crate) fn relax(&self, value: FloatValue<'ctx>) -> Result<FloatValue<'ctx>> {
        if self.unit.fast
            && let Some(inst) = value.as_instruction()
        {
            relax(inst)?;
        }
        Ok(value)
    }
}

/// How many calls may be nested when the host calls.
fn initial_depth<'ctx>(unit: &Unit<'_, 'ctx>, b: &Builder<'ctx>, cx: PointerValue<'ctx>) -> Result<IntValue<'ctx>> {
    let offset = unit.types.i64.const_int(std::mem::offset_of!(Context, depth) as u64, false);
    // SAFETY: this only writes an instruction; the field is inside the context.
    let field = unsafe { b.build_in_bounds_gep(unit.types.i8, cx, &[offset], "")? };
    Ok(b.build_load(unit.types.i64, field, "depth")?.into_int_value())
}

fn relax(inst: InstructionValue<'_>) -> Result<()> {
    use inkwell::values::FastMathFlags as Flags;
    if inst.can_use_fast_math_flags() {
        // Not `NoNaNs` and `NoInfs`: those make programs wrong, not only inexact.
        let flags = Flags::AllowReassoc
            | Flags::AllowContract
            | Flags::AllowReciprocal
            | Flags::ApproxFunc
            | Flags::NoSignedZeros;
        inst.set_fast_math_flags(flags)?;
    }
    Ok(())
}
