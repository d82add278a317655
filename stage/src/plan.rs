//! What a module does with tensors, for people: one line for each operation, in the order of the code.
//!
//! ```text
//! func @f
//! block0:
//!     v5: f32 (64, 50) = maximum(add(v4, v1), 0)    ; 6.4 kflop, 25.8 kB, over v4
//! ```
//!
//! Bytes are those of operands and result, each counted once, as if nothing were in the cache; a flop is one operation on
//! one element.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::analysis::Cfg;
use crate::entity::{Inst, Value};
use crate::ir::{Function, HostData, Module};
use crate::op::{Acts, Op};
use crate::sizes;
use crate::tensor::fused::{Group, Role};
use crate::tensor::{Item, TensorOp};
use crate::text::FuncNames;
use crate::types::{TensorType, Type};

/// What a module does with tensors.
pub fn plan(module: &Module) -> String {
    let mut text = String::new();
    let names = FuncNames::of(module);
    for (id, func) in module.funcs.iter() {
        let mut head = format!("func {}\n", names.text(id));
        for &block in Cfg::of(func).order() {
            let mut lines = String::new();
            for &inst in &func.blocks[block].insts {
                let Op::Tensor(host, _) = func.insts[inst].op else { continue };
                lines.push_str(&line(func, inst, &module.hosts[host]));
            }
            if !lines.is_empty() {
                text.push_str(&std::mem::take(&mut head));
                let _ = write!(text, "{block}:\n{lines}");
            }
        }
    }
    if text.is_empty() {
        text.push_str("no operations on tensors\n");
    }
    text
}

fn line(func: &Function, inst: Inst, host: &HostData) -> String {
    let Some(op) = &host.tensor else { return String::new() };
    let data = &func.insts[inst];
    let mut text = "    ".to_owned();
    if let Some(result) = data.results.first() {
        let _ = match func.ty(*result) {
            Type::Tensor(ty) => {
                let place = ty.home.device().map_or_else(String::new, |it| format!(" on {it}"));
                write!(text, "{result}: {} {}{place} = ", ty.dtype, sizes::show(ty.shape.dims()))
            }
            ty => write!(text, "{result}: {ty} = "),
        };
    }
    text.push_str(&match op {
        TensorOp::Fused(group) => steps(group, &data.args),
        op => called(op, &data.args.iter().map(ToString::to_string).collect::<Vec<_>>()),
    });
    let mut costs = Vec::new();
    let tensors = || data.args.iter().chain(&data.results).filter_map(|it| tensor(func, *it));
    let is_known = tensors().all(|it| !it.shape.dims().iter().any(|it| sizes::is_later(*it)));
    let (work, bytes) = if is_known { (flops(func, inst, op), bytes(func, inst, op)) } else { (0, 0) };
    if work > 0 {
        costs.push(amount(work, "flop"));
    }
    if bytes > 0 {
        costs.push(amount(bytes, "B"));
    }
    let is_here = |ty: TensorType| !ty.home.is_there();
    if let TensorOp::Fused(group) = op
        && data.results.first().and_then(|it| tensor(func, *it)).is_some_and(is_here)
        && let Some(over) = (0..data.args.len().min(32)).find(|at| group.spare() & host.takes & 1 << at != 0)
    {
        costs.push(format!("over {}", data.args[over]));
    }
    if !costs.is_empty() {
        let _ = write!(text, "    ; {}", costs.join(", "));
    }
    text.push('\n');
    text
}

/// `matmul(v1, v2)`, `sum(v1, [0])`.
fn called(op: &TensorOp, args: &[String]) -> String {
    let words = op.to_string();
    let (name, more) = words.split_once(' ').unwrap_or((&words, ""));
    let more = (!more.is_empty()).then(|| more.to_owned());
    let all: Vec<String> = args.iter().cloned().chain(more).collect();
    format!("{name}({})", all.join(", "))
}

/// What a group does, as an expression. What is used twice has a name.
fn steps(group: &Group, args: &[Value]) -> String {
    let mut uses: HashMap<u16, usize> = HashMap::new();
    for arg in group.members().iter().flat_map(|it| &it.args) {
        *uses.entry(*arg).or_default() += 1;
    }
    let mut shown: Vec<String> = args.iter().map(ToString::to_string).collect();
    let mut text = String::new();
    for member in group.members() {
        let args: Vec<String> = member.args.iter().map(|it| shown[usize::from(*it)].clone()).collect();
        let expression = match &member.op {
            TensorOp::Full { item, .. } => match item {
                Item::Bool(it) => it.to_string(),
                Item::Int(it) => it.to_string(),
                Item::Float(it) => format!("{it:?}"),
            },
            op => called(op, &args),
        };
        let here = shown.len() as u16;
        let is_named = uses.get(&here).is_some_and(|it| *it > 1) && !matches!(member.op, TensorOp::Full { .. });
        let name = || format!("t{}", shown.len() - group.inputs().len());
        shown.push(if is_named { name() } else { expression.clone() });
        if is_named {
            let _ = write!(text, "{} = {expression}; ", shown[usize::from(here)]);
        }
    }
    text.push_str(shown.last().map_or("", String::as_str));
    text
}

fn tensor(func: &Function, value: Value) -> Option<TensorType> {
    match func.ty(value) {
        Type::Tensor(ty) => Some(ty),
        _ => None,
    }
}

fn flops(func: &Function, inst: Inst, op: &TensorOp) -> usize {
    let data = &func.insts[inst];
    let first = || data.args.first().and_then(|it| tensor(func, *it));
    let result = data.results.first().and_then(|it| tensor(func, *it)).map_or(0, TensorType::count);
    match op {
        TensorOp::Fused(group) => group.work(),
        TensorOp::Matmul | TensorOp::Vecdot => {
            2 * result * first().and_then(|it| it.shape.dims().last().copied()).unwrap_or(1)
        }
        TensorOp::Plus(made) if matches!(**made, TensorOp::Matmul) => {
            let factor = data.args.get(1).and_then(|it| tensor(func, *it));
            2 * result * factor.and_then(|it| it.shape.dims().last().copied()).unwrap_or(1)
        }
        TensorOp::Fold { .. }
        | TensorOp::Test { .. }
        | TensorOp::CountNonzero(_)
        | TensorOp::ArgExtreme { .. }
        | TensorOp::Scan { .. } => first().map_or(0, TensorType::count),
        op if Role::of(op) == Some(Role::Each) => result,
        _ => 0,
    }
}

fn bytes(func: &Function, inst: Inst, op: &TensorOp) -> usize {
    if op.acts() == Acts::Asks || op.is_view() {
        return 0;
    }
    let data = &func.insts[inst];
    let all = data.args.iter().chain(&data.results).filter_map(|it| tensor(func, *it));
    all.fold(0, |sum: usize, it| sum.saturating_add(it.count().saturating_mul(it.dtype.size())))
}

/// `640 flop`, `6.4 kflop`.
fn amount(n: usize, unit: &str) -> String {
    let mut amount = n as f64;
    for prefix in ["", "k", "M", "G"] {
        if amount < 1000.0 {
            return if prefix.is_empty() { format!("{n} {unit}") } else { format!("{amount:.1} {prefix}{unit}") };
        }
        amount /= 1000.0;
    }
    format!("{amount:.1} T{unit}")
}

#[cfg(test)]
mod tests {
    use crate::pass::{FUSE, OWN, Observer, optimise};

    #[test]
    fn a_plan_tells_what_is_computed_in_one_pass() {
        let text = "host host0 \"m\"(tensor(f32, 64, 784), tensor(f32, 784, 50)) -> tensor(f32, 64, 50) is \"matmul\"
host host1 \"a\"(tensor(f32, 64, 50), tensor(f32, 50)) -> tensor(f32, 64, 50) is \"add\"
host host2 \"f\"() -> tensor(f32) is \"full f32 [] 0x3fe0000000000000\"
host host3 \"x\"(tensor(f32, 64, 50), tensor(f32)) -> tensor(f32, 64, 50) is \"maximum\"
host host4 \"p\"(tensor(f32, 64, 50), tensor(f32, 64, 50)) -> tensor(f32, 64, 50) is \"multiply\"
host host5 \"s\"(tensor(f32, 64, 50)) -> tensor(f32, 50) is \"sum [0]\"

func @f(v0: tensor(f32, 64, 784), v1: tensor(f32, 784, 50), v2: tensor(f32, 50)) -> tensor(f32, 50) {
block0:
    v3: tensor(f32, 64, 50) = tensor host0(v0, v1)
    v4: tensor(f32, 64, 50) = tensor host1(v3, v2)
    v5: tensor(f32) = tensor host2()
    v6: tensor(f32, 64, 50) = tensor host3(v4, v5)
    v7: tensor(f32, 64, 50) = tensor host4(v6, v6)
    v8: tensor(f32, 50) = tensor host5(v7)
    return v8
}
";
        let mut module = crate::text::parse(text).expect("it is well-formed");
        optimise(&mut module, &[FUSE, OWN], &mut Observer::new().verifying()).expect("it stays so");
        assert_eq!(
            super::plan(&module),
            "func @f
block0:
    v3: f32 (64, 50) = matmul(v0, v1)    ; 5.0 Mflop, 370.3 kB
    v7: f32 (64, 50) = t2 = maximum(add(v3, v2), 0.5); multiply(t2, t2)    ; 9.6 kflop, 25.8 kB, over v3
    v8: f32 (50,) = sum(v7, [0])    ; 3.2 kflop, 13.0 kB
"
        );
    }
}
