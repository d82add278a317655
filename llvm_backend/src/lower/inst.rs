//! A function from its first instruction to its last: each instruction goes to the file of its family.

use inkwell::IntPredicate;
use inkwell::values::FunctionValue;
use snekpy_stage::backend::{self, TEXT_LEN};
use snekpy_stage::entity::{Entity, ExitId, Inst};
use snekpy_stage::ir::{Function, Terminator};
use snekpy_stage::op::{ObjectOp, Op};

use super::body::{Body, Kind, State};
use super::choose::Choices;
use super::unit::Unit;
use super::value::{Numbers, Val};
use super::{arith, bits, call, compare, control, divide, element, leave, list, map, memory, nest, real};
use crate::fault::Result;

/// Writes a function.
pub(crate) fn lower<'a, 'ctx>(
    unit: &'a Unit<'a, 'ctx>,
    func: &'a Function,
    llfn: FunctionValue<'ctx>,
    kind: Kind,
) -> Result<()> {
    let mut body = Body::begin(unit, func, llfn, kind)?;
    call::reserve_host_slots(&mut body)?;
    list::reserve_item(&mut body)?;
    let params = match kind {
        Kind::Entry => memory::load_params(&body)?,
        Kind::Inner | Kind::Device => body.register_params(),
    };
    body.make_blocks()?;
    if kind != Kind::Device {
        body.choices = Choices::of(func, &body.flow.order, |block| body.stripped(block).is_none());
    }
    body.enter(params)?;
    let insts = body.flow.order.iter().flat_map(|&block| &func.blocks[block].insts);
    body.owners_counted = insts.filter(|&&inst| counts_owners(func.insts[inst].op)).count();
    for block in body.flow.order.clone() {
        body.begin_block(block)?;
        body.is_leaving = matches!(func.blocks[block].term, Terminator::Exit(..));
        if body.choices.has_absorbed(block) {
            body.b.build_unreachable()?;
            continue;
        }
        for &inst in &func.blocks[block].insts {
            body.checkpoint = body.reach.before(inst);
            body.inst(inst)?;
        }
        body.checkpoint = body.reach.at_end(block);
        control::terminator(&mut body, block)?;
    }
    leave::finish(&body)
}

impl<'ctx> Body<'_, 'ctx> {
    /// Writes an instruction, where its operands have been defined.
    pub(crate) fn inst(&mut self, inst: Inst) -> Result<()> {
        let data = &self.func.insts[inst];
        let args: Vec<Val<'ctx>> = data.args.iter().map(|&arg| self.value(arg)).collect();
        let loc = data.loc;
        let result = match data.op {
            Op::Const(constant) => self.constant(constant),
            Op::Num1(op) => arith::num1(self, op, args[0], loc)?,
            Op::Num2(_) if self.counts[inst.index()] => Val::Int(arith::step_unchecked(self, data, &args)?),
            Op::Num2(op) => arith::num2(self, op, Numbers::of(args[0], args[1]), loc)?,
            Op::IntPow => Val::Int(arith::int_pow(self, args[0].as_int(), args[1].as_int(), loc)?),
            Op::IntDiv => Val::Float(divide::int_div(self, args[0].as_int(), args[1].as_int())?),
            Op::Wrap2(op) => Val::Int(arith::wrap2(self, op, args[0].as_int(), args[1].as_int())?),
            Op::Overflow2(op) => Val::Bool(arith::overflow2(self, op, args[0].as_int(), args[1].as_int())?),
            Op::Bit2(op) => bits::bit2(self, op, args[0], args[1])?,
            Op::Shift(op) => Val::Int(bits::shift(self, op, args[0].as_int(), args[1].as_int(), loc)?),
            Op::Element1(op, dtype) => Val::Float(real::element1(self, op, dtype, args[0].as_float())?),
            Op::Real1(op) => Val::Float(real::real1(self, op, args[0].as_float())?),
            Op::Element2(op, dtype) => {
                Val::Float(real::element2(self, op, dtype, args[0].as_float(), args[1].as_float())?)
            }
            Op::Real2(op) => Val::Float(real::real2(self, op, args[0].as_float(), args[1].as_float())?),
            Op::Cmp(op) => Val::Bool(compare::cmp(self, op, args[0], args[1])?),
            Op::CmpIntFloat(op) => Val::Bool(compare::cmp_int_float(self, op, args[0].as_int(), args[1].as_float())?),
            Op::Not => bits::not(self, args[0])?,
            Op::Convert(op) => real::convert(self, op, args[0], loc)?,
            Op::Select => {
                let [x, y] = compare::guarded_arms(self, data, args[1], args[2])?;
                compare::select(self, args[0].as_bool(), x, y)?
            }
            Op::Len => Val::Int(args[0].as_array().len),
            Op::Load => memory::load(self, args[0].as_array(), args[1].as_int())?,
            Op::Store => return memory::store(self, args[0].as_array(), args[1].as_int(), args[2]),
            Op::ListNew(ty) => Val::List(list::new(self, ty)?),
            Op::List(op) => match list::change(self, op, &args, loc)? {
                Some(result) => result,
                None => return Ok(()),
            },
            Op::MapNew(ty) => Val::Map(map::new(self, ty)?),
            Op::Map(op) => match map::change(self, op, &args, loc)? {
                Some(result) => result,
                None => return Ok(()),
            },
            Op::Object(ObjectOp::IsNone) => {
                let none = self.int(backend::NONE.cast_signed());
                Val::Bool(self.b.build_int_compare(IntPredicate::EQ, args[0].as_int(), none, "")?)
            }
            Op::Object(ObjectOp::Keep) => {
                call::count(self, args[0].as_int(), true)?;
                Val::Int(args[0].as_int())
            }
            Op::OfClass(_) | Op::Kept(_) => Val::Int(args[0].as_int()),
            Op::Object(op @ (ObjectOp::Retain | ObjectOp::Release)) => {
                return call::count(self, args[0].as_int(), op == ObjectOp::Retain);
            }
            Op::Object(ObjectOp::TextLen) => Val::Int(call::text(self, args[0].as_int(), self.int(TEXT_LEN))?),
            Op::Object(ObjectOp::TextAt) => Val::Int(call::text(self, args[0].as_int(), args[1].as_int())?),
            Op::Guard(exit) => return leave::guard(self, exit, data.args[0], &args[1..], loc),
            Op::OverflowIf => return leave::overflow_if_any(self, data.args[0], loc),
            Op::Checkpoint(_) => return Ok(()),
            Op::Call(callee, exit) => {
                let (args, state) = self.with_state(exit, &args);
                let results = call::call(self, callee, args, state, loc)?;
                self.define_all(&data.results, results);
                return Ok(());
            }
            Op::Tensor(host, _) if self.unit.ir.hosts[host].nest && !self.unit.leaves_nests => {
                let results = nest::carry_out(self, host, &args, loc)?;
                self.define_all(&data.results, results);
                return Ok(());
            }
            Op::Tensor(host, _) => {
                let mut results = element::asked(self, host, &args, loc)?;
                for result in &mut results {
                    if let Val::Array(array) = result {
                        array.is_shared = true;
                    }
                }
                self.define_all(&data.results, results);
                return Ok(());
            }
            Op::Host(host, exit) => {
                let (args, state) = self.with_state(exit, &args);
                let results = call::host(self, host, args, state, loc)?;
                self.define_all(&data.results, results);
                return Ok(());
            }
        };
        self.define(data.results[0], result);
        Ok(())
    }

    /// The operands of a call, and the frame state that comes with it.
    fn with_state<'v>(
        &self,
        exit: Option<ExitId>,
        args: &'v [Val<'ctx>],
    ) -> (&'v [Val<'ctx>], Option<State<'v, 'ctx>>) {
        let Some(exit) = exit else { return (args, None) };
        let (args, values) = args.split_at(args.len() - self.unit.ir.exits[exit].types.len());
        (args, Some((exit, values)))
    }
}

fn counts_owners(op: Op) -> bool {
    matches!(op, Op::Object(ObjectOp::Keep | ObjectOp::Retain | ObjectOp::Release))
}
