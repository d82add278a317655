//! Modules, functions, blocks and instructions.
//!
//! A function is a control-flow graph of basic blocks. A block has parameters instead of phi nodes: a
//! jump is a call to a block. A value is defined once and used only where its definition dominates.
//! The first block is the entry; its parameters are those of the function.

use std::sync::Arc;

use crate::entity::{Block, Entity, ExitId, FuncId, HostId, Inst, Loc, Table, Value};
use crate::op::Op;
use crate::row::{self, Column, Does};
use crate::tensor::TensorOp;
use crate::types::Type;

/// Functions that call one another, and what they share.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The functions. The first one is what the host calls.
    pub funcs: Table<FuncId, Function>,
    /// The ways out of compiled code other than returning.
    pub exits: Table<ExitId, ExitData>,
    /// The functions of the host that compiled code calls.
    pub hosts: Table<HostId, HostData>,
    /// The places in the user's program.
    pub locs: Table<Loc, LocData>,
}

/// A way out of compiled code, through all its calls: a raised exception, or another shape of result.
#[derive(Clone, PartialEq, Debug)]
pub struct ExitData {
    /// What it is for, in a few words; for people.
    pub name: String,
    /// The types of the values it carries.
    pub types: Vec<Type>,
    /// Whether it carries nothing and leaves at the checkpoint that reaches it: the plain continuation executes what
    /// failed again, and raises.
    pub at_checkpoint: bool,
    /// The exits that it is made of, the innermost frame state first; empty if it is one by itself. Where a call was
    /// inlined, states of the callee are followed by that of the caller.
    pub parts: Vec<ExitId>,
}

impl ExitData {
    /// An exit that carries values of its own.
    pub fn new(name: impl Into<String>, types: Vec<Type>) -> Self {
        Self { name: name.into(), types, at_checkpoint: false, parts: Vec::new() }
    }

    /// An exit that leaves at the checkpoint that reaches it.
    pub fn at_checkpoint(name: impl Into<String>) -> Self {
        Self { at_checkpoint: true, ..Self::new(name, Vec::new()) }
    }
}

/// A function of the host.
#[derive(Clone, PartialEq, Debug)]
pub struct HostData {
    /// What it is, for people.
    pub name: String,
    /// The types of its parameters.
    pub params: Vec<Type>,
    /// The types of its results.
    pub results: Vec<Type>,
    /// The operation on tensors that it is, if it is one.
    pub tensor: Option<TensorOp>,
    /// The operands, bit by bit, of which it is the last owner: an operation on tensors lets go of them when it has
    /// succeeded, and may write over them.
    pub takes: u32,
    /// The derivative that the program has given what it stands for, if it has.
    pub custom: Option<Box<Custom>>,
    /// The attribute that it reads, assigns or asks for, if compiled code may do so itself: see [`crate::row`].
    pub column: Option<Column>,
    /// Whether compiled code may carry it out itself, as the loops of a [`Nest`](crate::tensor::nest::Nest), and what it
    /// gives is kept where it lies for when this comes again.
    pub nest: bool,
}

impl HostData {
    /// A function of the host that is nothing special.
    pub fn new(name: impl Into<String>, params: Vec<Type>, results: Vec<Type>) -> Self {
        Self { name: name.into(), params, results, tensor: None, takes: 0, custom: None, column: None, nest: false }
    }

    /// The column that compiled code may look at itself, and the word of a row that says whether it is there.
    pub fn column(&self) -> Option<(Column, usize)> {
        let column = self.column.filter(|it| it.index < row::MOST)?;
        let word = match (column.does, &self.params[..], &self.results[..]) {
            (Does::Reads, [Type::Object(_)], &[Type::Bool, ty])
            | (Does::Writes, &[ty, Type::Object(_)], [Type::Bool]) => row::word(ty)?,
            (Does::Asks, [Type::Object(_)], [Type::Bool]) => row::ABSENT,
            _ => return None,
        };
        Some((column, word))
    }
}

/// What a function of the host stands for while a module is differentiated: a computation whose derivative is given by
/// functions of the module. It gives back what it is given for its results, which its operands are in this order: what is
/// differentiated by, the results, and what else the rules are given.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Custom {
    /// How many operands are differentiated by.
    pub by: usize,
    /// From cotangents of its results to those of its operands; `None` if there is no way back.
    pub back: Option<Rule>,
    /// From tangents of its operands to those of its results; `None` if it cannot be carried along.
    pub forth: Option<Rule>,
    /// Whether tangents are carried along as through what computes its results, if there is no rule for that.
    pub transparent: bool,
}

impl Custom {
    /// The functions that it leads to.
    pub fn funcs(&self) -> impl Iterator<Item = FuncId> + '_ {
        self.back.iter().chain(&self.forth).map(|rule| rule.func)
    }

    /// The same, to rename them.
    pub fn funcs_mut(&mut self) -> impl Iterator<Item = &mut FuncId> + '_ {
        self.back.iter_mut().chain(&mut self.forth).map(|rule| &mut rule.func)
    }
}

/// A function that computes derivatives.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// The function.
    pub func: FuncId,
    /// What it is given.
    pub args: Vec<RuleArg>,
    /// For each derivative, which result of the function it is, and what it belongs to: an operand that is
    /// differentiated by on the way back, a result forwards.
    pub gives: Vec<(usize, usize)>,
}

/// What a rule is given.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum RuleArg {
    /// An operand.
    Operand(usize),
    /// The derivative of a result on the way back, of an operand forwards.
    Derivative(usize),
    /// The zero of a type.
    Zero(Type),
}

/// A place in the user's program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LocData {
    /// The file, as a traceback names it.
    pub file: Arc<str>,
    /// The function, as a traceback names it.
    pub func: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
    /// The call that was inlined to get here.
    pub caller: Option<Loc>,
    /// For whoever built the module: stage only carries it.
    pub tag: u64,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, for people.
    pub name: String,
    /// The types of its results.
    pub results: Vec<Type>,
    /// The blocks. The first one is the entry.
    pub blocks: Table<Block, BlockData>,
    /// The instructions, in no particular order.
    pub insts: Table<Inst, InstData>,
    /// The values.
    pub values: Table<Value, ValueData>,
}

/// A basic block.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    /// Its parameters.
    pub params: Vec<Value>,
    /// Its instructions, in order.
    pub insts: Vec<Inst>,
    /// How it ends.
    pub term: Terminator,
    /// Where in the user's program the end comes from.
    pub term_loc: Option<Loc>,
    /// Whether jumps that close a loop here do not poll: the loop is one step for whoever interrupts.
    pub quiet: bool,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct InstData {
    /// What it computes.
    pub op: Op,
    /// Its operands.
    pub args: Vec<Value>,
    /// Its results.
    pub results: Vec<Value>,
    /// Where in the user's program it comes from.
    pub loc: Option<Loc>,
}

/// A value.
#[derive(Clone, Copy, Debug)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// What defines it.
    pub def: Def,
}

/// What defines a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Def {
    /// The result of an instruction with this position.
    Result(Inst, u32),
    /// The parameter of a block with this position.
    Param(Block, u32),
}

/// How a block ends.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Terminator {
    /// The block is still being built, or cannot be reached. Not in verified functions.
    #[default]
    None,
    /// `jump block(args)`.
    Jump(Jump),
    /// `branch cond, block(args), block(args)`.
    Branch {
        /// A truth value.
        cond: Value,
        /// Where it goes when true.
        then: Jump,
        /// Where it goes when false.
        other: Jump,
    },
    /// `return values`.
    Return(Vec<Value>),
    /// `exit e(values)`: leaves compiled code, through all its calls.
    Exit(ExitId, Vec<Value>),
}

/// A target with the values for its parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct Jump {
    /// The block that is called.
    pub target: Block,
    /// A value for each of its parameters.
    pub args: Vec<Value>,
}

impl Terminator {
    /// The jumps, in the order they are written.
    pub fn jumps(&self) -> impl Iterator<Item = &Jump> {
        let (first, second) = match self {
            Self::Jump(jump) => (Some(jump), None),
            Self::Branch { then, other, .. } => (Some(then), Some(other)),
            Self::None | Self::Return(_) | Self::Exit(..) => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The jumps, to be changed.
    pub fn jumps_mut(&mut self) -> impl Iterator<Item = &mut Jump> {
        let (first, second) = match self {
            Self::Jump(jump) => (Some(jump), None),
            Self::Branch { then, other, .. } => (Some(then), Some(other)),
            Self::None | Self::Return(_) | Self::Exit(..) => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The values it uses other than as arguments of its jumps.
    pub fn operands(&self) -> &[Value] {
        match self {
            Self::None | Self::Jump(_) => &[],
            Self::Branch { cond, .. } => std::slice::from_ref(cond),
            Self::Return(values) | Self::Exit(_, values) => values,
        }
    }

    /// Every value it uses, to be changed.
    pub fn for_each_use_mut(&mut self, mut change: impl FnMut(&mut Value)) {
        match self {
            Self::None => {}
            Self::Jump(jump) => jump.args.iter_mut().for_each(change),
            Self::Branch { cond, then, other } => {
                change(cond);
                then.args.iter_mut().chain(&mut other.args).for_each(change);
            }
            Self::Return(values) | Self::Exit(_, values) => values.iter_mut().for_each(change),
        }
    }

    /// Every value it uses.
    pub fn uses(&self) -> impl Iterator<Item = Value> {
        self.operands().iter().chain(self.jumps().flat_map(|jump| &jump.args)).copied()
    }
}

impl Function {
    /// A function with an empty entry block.
    pub fn new(name: impl Into<String>) -> Self {
        let mut func = Self {
            name: name.into(),
            results: Vec::new(),
            blocks: Table::new(),
            insts: Table::new(),
            values: Table::new(),
        };
        func.blocks.push(BlockData::default());
        func
    }

    /// The block that a call enters.
    pub fn entry(&self) -> Block {
        Block::new(0)
    }

    /// The parameters of the function.
    pub fn params(&self) -> &[Value] {
        &self.blocks[self.entry()].params
    }

    /// The types of the parameters of the function.
    pub fn param_types(&self) -> Vec<Type> {
        self.params().iter().map(|&param| self.ty(param)).collect()
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// The types of some values.
    pub fn types_of(&self, values: &[Value]) -> Vec<Type> {
        values.iter().map(|&value| self.ty(value)).collect()
    }

    /// The constant that defines a value, if one does.
    pub fn as_const(&self, value: Value) -> Option<crate::op::Const> {
        match self.values[value].def {
            Def::Result(inst, _) => match self.insts[inst].op {
                Op::Const(it) => Some(it),
                _ => None,
            },
            Def::Param(..) => None,
        }
    }

    /// The op that a value is a result of, with its operands.
    pub fn definition(&self, value: Value) -> Option<(Op, &[Value])> {
        match self.values[value].def {
            Def::Result(inst, _) => Some((self.insts[inst].op, &self.insts[inst].args)),
            Def::Param(..) => None,
        }
    }

    /// Appends a parameter to a block.
    pub fn append_param(&mut self, block: Block, ty: Type) -> Value {
        let position = u32::try_from(self.blocks[block].params.len()).expect("a block has few parameters");
        let value = self.values.push(ValueData { ty, def: Def::Param(block, position) });
        self.blocks[block].params.push(value);
        value
    }

    /// Makes an instruction with results of these types, in no block yet.
    pub fn make_inst(&mut self, op: Op, args: Vec<Value>, types: &[Type], loc: Option<Loc>) -> Inst {
        let inst = self.insts.push(InstData { op, args, results: Vec::new(), loc });
        for (position, &ty) in types.iter().enumerate() {
            let def = Def::Result(inst, u32::try_from(position).expect("an instruction has few results"));
            let value = self.values.push(ValueData { ty, def });
            self.insts[inst].results.push(value);
        }
        inst
    }

    /// How many instructions are in blocks, terminators not counted.
    pub fn size(&self) -> usize {
        self.blocks.values().map(|block| block.insts.len()).sum()
    }
}

impl Module {
    /// The function that the host calls.
    pub fn main(&self) -> FuncId {
        FuncId::new(0)
    }

    /// What the instructions of all functions compute.
    pub fn ops(&self) -> impl Iterator<Item = Op> {
        self.funcs.values().flat_map(|func| func.insts.values().map(|inst| inst.op))
    }
}
