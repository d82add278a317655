//! What is true of every module: the contract between who builds, changes and runs the IR.
//!
//! [`verify`] finds all violations, not only the first. Each has a rule and a place, and prints itself
//! with the lines of the IR around it. A violation is a bug of snekpy, never of the user's program.
//!
//! * `main-function`: the module has a function; the host calls the first one.
//! * `unknown-entity`: what is named is in its table: values, blocks, instructions, functions, exits,
//!   functions of the host, places. While this or `main-function` is violated, nothing else is checked.
//! * `loc-chain`: the calls that were inlined to get to a place do not go round in a circle.
//! * `def-consistency`: an instruction is in one block at most and once; a value that a block or an
//!   instruction in a block defines is defined there once, and the table of values says so.
//! * `entry-block`: nothing jumps to the entry block.
//! * `terminator`: a block that can be reached has an end.
//! * `operand-type`: an op is given what it takes, in number and type (the rules of [`crate::op::typing`]).
//! * `result-types`: the results of an instruction are those of its op, in number and type.
//! * `branch-condition`: a branch is taken on a truth value.
//! * `jump-args`: a jump brings what the parameters of its target ask for, in number and type.
//! * `return-types`: a return brings the results of the function, in number and type.
//! * `exit-args`: an exit, or a guard before one, brings what the exit carries, in number and type.
//! * `dominance`: in a block that can be reached, a value is defined on every way to its use.
//! * `reach`: in a module with checkpoints, what fails before it has acted has a checkpoint that reaches it
//!   ([`crate::analysis::reach`]), and so has the head of a loop, where jumps back poll. A function without checkpoints
//!   does nothing that cannot be done again. Checked when all else is right.
//!
//! Not checked: that guards before an op exclude the operands that the op does not take (a zero divisor,
//! an index out of range); that functions of the host do what their declarations say. Not required: that
//! blocks can be reached, that critical edges are split, that the two targets of a branch differ.

mod defs;
mod dominance;
mod known;
mod reach;
mod show;
mod typing;

use crate::analysis::reach::has_checkpoints;
use crate::entity::{Block, FuncId, Inst};
use crate::ir::{Function, Module};

/// What must be true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// The module has a function.
    MainFunction,
    /// What is named is in its table.
    UnknownEntity,
    /// Inlined calls do not go round in a circle.
    LocChain,
    /// Blocks, instructions and the table of values tell the same.
    DefConsistency,
    /// Nothing jumps to the entry block.
    EntryBlock,
    /// A block that can be reached has an end.
    Terminator,
    /// An op is given what it takes.
    OperandType,
    /// Results are those of the op.
    ResultTypes,
    /// A branch is taken on a truth value.
    BranchCondition,
    /// A jump brings what its target asks for.
    JumpArgs,
    /// A return brings the results of the function.
    ReturnTypes,
    /// An exit or guard brings what the exit carries.
    ExitArgs,
    /// A value is defined on every way to its use.
    Dominance,
    /// What fails before it has acted has a checkpoint that reaches it.
    Reach,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 14] = [
        Self::MainFunction,
        Self::UnknownEntity,
        Self::LocChain,
        Self::DefConsistency,
        Self::EntryBlock,
        Self::Terminator,
        Self::OperandType,
        Self::ResultTypes,
        Self::BranchCondition,
        Self::JumpArgs,
        Self::ReturnTypes,
        Self::ExitArgs,
        Self::Dominance,
        Self::Reach,
    ];

    /// Its name in reports and tests.
    pub const fn id(self) -> &'static str {
        match self {
            Self::MainFunction => "main-function",
            Self::UnknownEntity => "unknown-entity",
            Self::LocChain => "loc-chain",
            Self::DefConsistency => "def-consistency",
            Self::EntryBlock => "entry-block",
            Self::Terminator => "terminator",
            Self::OperandType => "operand-type",
            Self::ResultTypes => "result-types",
            Self::BranchCondition => "branch-condition",
            Self::JumpArgs => "jump-args",
            Self::ReturnTypes => "return-types",
            Self::ExitArgs => "exit-args",
            Self::Dominance => "dominance",
            Self::Reach => "reach",
        }
    }
}

/// The part of a module that breaks a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The module as a whole.
    Module,
    /// A function as a whole.
    Func(FuncId),
    /// The head of a block.
    Head(FuncId, Block),
    /// An instruction in a block.
    Inst(FuncId, Block, Inst),
    /// The end of a block.
    End(FuncId, Block),
}

/// A rule that is broken, where, and how.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// Where it is broken.
    pub place: Place,
    /// How, in a line.
    pub message: String,
    /// The place in words, and the lines of the IR around it.
    context: show::Context,
}

/// Everything that is wrong with a module.
#[derive(Clone, Debug)]
pub struct Violations {
    /// Each broken rule, in the order of the module.
    pub list: Vec<Violation>,
    after: Option<String>,
}

impl Violations {
    /// Adds to the report that it was made after a pass.
    #[must_use]
    pub fn after_pass(self, name: &str) -> Self {
        Self { after: Some(name.to_owned()), ..self }
    }
}

/// Checks a module.
///
/// # Errors
/// All [`Violations`], when there are any.
pub fn verify(module: &Module) -> Result<(), Violations> {
    check(module, module.funcs.keys().collect())
}

/// Checks one function of a module, and of the others only that what they name exists.
///
/// # Errors
/// All [`Violations`], when there are any.
pub fn verify_func(module: &Module, func: FuncId) -> Result<(), Violations> {
    check(module, vec![func])
}

fn check(module: &Module, funcs: Vec<FuncId>) -> Result<(), Violations> {
    let mut list = Vec::new();
    known::check_module(module, &mut list);
    for (id, func) in module.funcs.iter() {
        known::check(&mut Cx { module, id, func, list: &mut list });
    }
    if list.is_empty() {
        for &id in &funcs {
            let mut cx = Cx { module, id, func: &module.funcs[id], list: &mut list };
            defs::check(&mut cx);
            typing::check(&mut cx);
            dominance::check(&mut cx);
        }
    }
    if list.is_empty() && has_checkpoints(module) {
        for id in funcs {
            reach::check(&mut Cx { module, id, func: &module.funcs[id], list: &mut list });
        }
    }
    if list.is_empty() { Ok(()) } else { Err(Violations { list, after: None }) }
}

/// What the checks of one function share.
struct Cx<'a> {
    module: &'a Module,
    id: FuncId,
    func: &'a Function,
    list: &'a mut Vec<Violation>,
}

impl Cx<'_> {
    fn at_head(&mut self, rule: Rule, block: Block, message: String) {
        self.report(rule, Place::Head(self.id, block), &[], message);
    }

    fn at_inst(&mut self, rule: Rule, block: Block, inst: Inst, message: String) {
        self.report(rule, Place::Inst(self.id, block, inst), &[], message);
    }

    /// At the end of a block. `targets` are blocks that the reader wants to see as well.
    fn at_end(&mut self, rule: Rule, block: Block, targets: &[Block], message: String) {
        self.report(rule, Place::End(self.id, block), targets, message);
    }

    fn report(&mut self, rule: Rule, place: Place, also: &[Block], message: String) {
        let context = show::context(self.module, place, also);
        self.list.push(Violation { rule, place, message, context });
    }
}
