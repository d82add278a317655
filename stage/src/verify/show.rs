//! Violations as text: the rule, the place, and the lines of the IR around it.

use std::fmt;

use super::{Place, Rule, Violation, Violations};
use crate::entity::{Block, FuncId};
use crate::ir::Module;
use crate::text::{FuncNames, block_head, inst_text};

/// How many lines are shown before and after the one that is meant.
const AROUND: usize = 3;

/// How many violations are printed in full.
const SHOWN: usize = 20;

/// A place in words, and the lines around it.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    place: String,
    lines: Vec<(bool, String)>,
}

/// Looks up what is shown of a place, and of other blocks that explain it.
pub(super) fn context(module: &Module, place: Place, also: &[Block]) -> Context {
    let name = |func| FuncNames::of(module).text(func);
    match place {
        Place::Module => Context { place: "the module".to_owned(), lines: Vec::new() },
        Place::Func(func) => Context { place: name(func), lines: Vec::new() },
        Place::Head(func, block) => in_block(module, func, block, 0, also, &name(func)),
        Place::Inst(func, block, inst) => {
            let insts = &module.funcs[func].blocks[block].insts;
            let position = insts.iter().position(|&it| it == inst).unwrap_or_default();
            in_block(module, func, block, position + 1, also, &name(func))
        }
        Place::End(func, block) => {
            let end = module.funcs[func].blocks[block].insts.len() + 1;
            in_block(module, func, block, end, also, &name(func))
        }
    }
}

fn in_block(module: &Module, func: FuncId, block: Block, line: usize, also: &[Block], name: &str) -> Context {
    let mut lines = Vec::new();
    excerpt(&mut lines, &block_lines(module, func, block), Some(line));
    for &other in also.iter().filter(|&&other| other != block) {
        excerpt(&mut lines, &block_lines(module, func, other), None);
    }
    Context { place: format!("{name}, {block}"), lines }
}

fn block_lines(module: &Module, func: FuncId, block: Block) -> Vec<String> {
    let func = &module.funcs[func];
    let data = &func.blocks[block];
    let mut lines = vec![block_head(func, block)];
    for &inst in &data.insts {
        let text = if func.insts.lookup(inst).is_some() { inst_text(module, func, inst) } else { inst.to_string() };
        lines.push(format!("    {text}"));
    }
    lines.push(format!("    {}", data.term));
    lines
}

/// The head of a block and the lines around one that is meant; the first ones if none is.
fn excerpt(into: &mut Vec<(bool, String)>, lines: &[String], meant: Option<usize>) {
    let centre = meant.unwrap_or(0);
    let (first, last) = (centre.saturating_sub(AROUND).max(1), (centre + AROUND).min(lines.len() - 1));
    let gap = || (false, "    ...".to_owned());
    into.push((meant == Some(0), lines[0].clone()));
    if first > 1 {
        into.push(gap());
    }
    into.extend((first..=last).map(|line| (meant == Some(line), lines[line].clone())));
    if last + 1 < lines.len() {
        into.push(gap());
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl Violation {
    fn write(&self, f: &mut fmt::Formatter<'_>, after: Option<&str>) -> fmt::Result {
        write!(f, "violation[{}] in {}", self.rule, self.context.place)?;
        if let Some(pass) = after {
            write!(f, ", after pass `{pass}`")?;
        }
        writeln!(f)?;
        for (is_meant, line) in &self.context.lines {
            writeln!(f, "{}   {line}", if *is_meant { '>' } else { ' ' })?;
        }
        writeln!(f, "{}", self.message)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, None)
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for violation in self.list.iter().take(SHOWN) {
            violation.write(f, self.after.as_deref())?;
        }
        if self.list.len() > SHOWN {
            writeln!(f, "and {} more", self.list.len() - SHOWN)?;
        }
        f.write_str("this is a bug in snekpy, not in your program")
    }
}

impl std::error::Error for Violations {}
