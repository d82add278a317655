//! From a module to its text.
//!
//! Printing never fails, not even on a module that the verifier refuses: it is how one sees why.

use std::collections::HashSet;
use std::fmt;

use super::literal::Literal;
use super::{Locations, Options};
use crate::entity::{Block, Entity, ExitId, FuncId, Inst, Loc, Value};
use crate::ir::{Function, InstData, Jump, Module, Terminator};
use crate::op::Op;
use crate::types::Type;

/// A module or one of its functions, to be printed with options.
#[derive(Clone, Copy, Debug)]
pub struct Display<'a> {
    module: &'a Module,
    only: Option<FuncId>,
    options: Options,
}

impl Module {
    /// The module as text.
    pub fn display(&self, options: Options) -> Display<'_> {
        Display { module: self, only: None, options }
    }

    /// One function as text, with the names of what it calls.
    pub fn display_func(&self, func: FuncId, options: Options) -> Display<'_> {
        Display { module: self, only: Some(func), options }
    }
}

/// With default [`Options`].
impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(Options::default()).fmt(f)
    }
}

/// Without its module: what it calls is written as an entity, `fn1`.
impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let module = Module::default();
        let printer = Printer { module: &module, names: &FuncNames::default(), options: Options::default() };
        printer.func(f, self, &quoted(&self.name))
    }
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = FuncNames::of(self.module);
        let printer = Printer { module: self.module, names: &names, options: self.options };
        match self.only {
            Some(func) => printer.func(f, &self.module.funcs[func], &names.text(func)),
            None => printer.module(f),
        }
    }
}

/// The functions of a module by unique names.
#[derive(Clone, Debug, Default)]
pub struct FuncNames {
    names: Vec<String>,
}

impl FuncNames {
    /// Unique names: the second `f` becomes `f.1`.
    pub fn of(module: &Module) -> Self {
        let mut taken = HashSet::new();
        let mut names = Vec::new();
        for func in module.funcs.values() {
            let mut name = func.name.clone();
            let mut number = 0;
            while !taken.insert(name.clone()) {
                number += 1;
                name = format!("{}.{number}", func.name);
            }
            names.push(name);
        }
        Self { names }
    }

    /// The name, without sign and quotes. `fn7` for a function that the module does not have.
    pub fn name(&self, func: FuncId) -> String {
        self.names.get(func.index()).cloned().unwrap_or_else(|| func.to_string())
    }

    /// The name as it is written.
    pub fn text(&self, func: FuncId) -> String {
        self.names.get(func.index()).map_or_else(|| func.to_string(), |name| quoted(name))
    }
}

/// Whether a character needs no quotes in the name of a function.
pub(super) fn is_bare(it: char) -> bool {
    it.is_alphanumeric() || matches!(it, '_' | '.' | '<' | '>' | '$')
}

fn quoted(name: &str) -> String {
    if !name.is_empty() && name.chars().all(is_bare) { format!("@{name}") } else { format!("@{}", Quoted(name)) }
}

/// A string in quotes, with everything escaped that would end it or the line.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        f.write_char('"')?;
        for it in self.0.chars() {
            match it {
                '"' | '\\' => write!(f, "\\{it}")?,
                '\n' => f.write_str("\\n")?,
                it if it.is_control() => write!(f, "\\u{{{:x}}}", u32::from(it))?,
                it => f.write_char(it)?,
            }
        }
        f.write_char('"')
    }
}

/// Items between commas.
pub(crate) struct List<'a, T>(pub(crate) &'a [T]);

impl<T: fmt::Display> fmt::Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, item) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str(", ")?;
            }
            item.fmt(f)?;
        }
        Ok(())
    }
}

/// The types of results: one alone, others in parentheses.
struct Results<'a>(&'a [Type]);

impl fmt::Display for Results<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [one] => one.fmt(f),
            types => write!(f, "({})", List(types)),
        }
    }
}

impl fmt::Display for Jump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        called(f, &self.target, &self.args)
    }
}

/// A name with what it is given, if it is given anything.
fn called(f: &mut fmt::Formatter<'_>, name: &impl fmt::Display, args: &[Value]) -> fmt::Result {
    name.fmt(f)?;
    if args.is_empty() { Ok(()) } else { write!(f, "({})", List(args)) }
}

impl fmt::Display for Terminator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("; no end"),
            Self::Jump(jump) => write!(f, "jump {jump}"),
            Self::Branch { cond, then, other } => write!(f, "branch {cond}, {then}, {other}"),
            Self::Return(values) if values.is_empty() => f.write_str("return"),
            Self::Return(values) => write!(f, "return {}", List(values)),
            Self::Exit(exit, values) => {
                f.write_str("exit ")?;
                called(f, exit, values)
            }
        }
    }
}

/// One line of a function, for whoever shows a part of it.
pub(crate) fn inst_text(module: &Module, func: &Function, inst: Inst) -> String {
    let printer = Printer { module, names: &FuncNames::of(module), options: Options::default() };
    fmt::from_fn(|f| printer.inst(f, func, &func.insts[inst])).to_string()
}

/// The head of a block, for whoever shows a part of a function.
pub(crate) fn block_head(func: &Function, block: Block) -> String {
    fmt::from_fn(|f| head(f, func, block)).to_string()
}

fn head(f: &mut fmt::Formatter<'_>, func: &Function, block: Block) -> fmt::Result {
    let params = &func.blocks[block].params;
    let quiet = if func.blocks[block].quiet { " quiet" } else { "" };
    if block == func.entry() || params.is_empty() {
        write!(f, "{block}{quiet}:")
    } else {
        write!(f, "{block}({}){quiet}:", List(&declared(func, params)))
    }
}

/// Values with their types; a value that is in no table has the type `?`.
pub(crate) fn declared(func: &Function, values: &[Value]) -> Vec<String> {
    let ty = |value| func.values.lookup(value).map_or_else(|| "?".to_owned(), |it| it.ty.to_string());
    values.iter().map(|&value| format!("{value}: {}", ty(value))).collect()
}

struct Printer<'a> {
    module: &'a Module,
    names: &'a FuncNames,
    options: Options,
}

impl Printer<'_> {
    fn module(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Module { funcs, exits, hosts, locs } = self.module;
        for (exit, data) in exits.iter() {
            write!(f, "exit {exit} {}", Quoted(&data.name))?;
            match (data.at_checkpoint, &data.parts[..]) {
                (true, _) => writeln!(f, " at checkpoint")?,
                (false, []) => writeln!(f, "({})", List(&data.types))?,
                (false, parts) => writeln!(f, "({}) of {}", List(&data.types), List(parts))?,
            }
        }
        for (host, data) in hosts.iter() {
            let (name, params, results) = (Quoted(&data.name), List(&data.params), Results(&data.results));
            write!(f, "host {host} {name}({params}) -> {results}")?;
            if let Some(op) = &data.tensor {
                write!(f, " is \"{op}\"")?;
            }
            if let Some(column) = data.column {
                write!(f, " {column}")?;
            }
            if data.nest {
                write!(f, " nested")?;
            }
            let taken: Vec<u32> = (0..u32::BITS).filter(|at| data.takes >> at & 1 != 0).collect();
            match &taken[..] {
                [] => writeln!(f)?,
                taken => writeln!(f, " taking ({})", List(taken))?,
            }
        }
        let locs = if self.options.locations == Locations::Declared { locs } else { &crate::entity::Table::new() };
        for (loc, data) in locs.iter() {
            let (file, func) = (Quoted(&data.file), Quoted(&data.func));
            write!(f, "loc {loc} {file} {func} {}:{}", data.line, data.column)?;
            if let Some(caller) = data.caller {
                write!(f, " from {caller}")?;
            }
            if data.tag != 0 {
                write!(f, " tag {}", data.tag)?;
            }
            writeln!(f)?;
        }
        let mut apart = !(exits.is_empty() && hosts.is_empty() && locs.is_empty());
        for (id, func) in funcs.iter() {
            if apart {
                writeln!(f)?;
            }
            apart = true;
            self.func(f, func, &self.names.text(id))?;
        }
        Ok(())
    }

    fn func(&self, f: &mut fmt::Formatter<'_>, func: &Function, name: &str) -> fmt::Result {
        let params = declared(func, func.params());
        writeln!(f, "func {name}({}) -> {} {{", List(&params), Results(&func.results))?;
        let targets: HashSet<Block> =
            func.blocks.values().flat_map(|block| block.term.jumps()).map(|jump| jump.target).collect();
        for (block, data) in func.blocks.iter() {
            let is_gone = data.params.is_empty() && data.insts.is_empty() && data.term == Terminator::None;
            if is_gone && block != func.entry() && !targets.contains(&block) {
                continue;
            }
            head(f, func, block)?;
            writeln!(f)?;
            for &inst in &data.insts {
                let data = &func.insts[inst];
                f.write_str("    ")?;
                self.inst(f, func, data)?;
                self.loc(f, data.loc)?;
                writeln!(f)?;
            }
            write!(f, "    {}", data.term)?;
            self.loc(f, data.term_loc)?;
            writeln!(f)?;
        }
        writeln!(f, "}}")
    }

    fn inst(&self, f: &mut fmt::Formatter<'_>, func: &Function, data: &InstData) -> fmt::Result {
        let InstData { op, args, results, .. } = data;
        if !results.is_empty() {
            write!(f, "{} = ", List(&declared(func, results)))?;
        }
        let word = match *op {
            Op::Const(it) => return write!(f, "const {}", Literal(it)),
            Op::Guard(exit) => {
                let (cond, payload) = args.split_first().map_or((&[][..], &[][..]), |(_, it)| (&args[..1], it));
                write!(f, "guard {}, ", List(cond))?;
                return called(f, &exit, payload);
            }
            Op::Checkpoint(exit) => {
                f.write_str("checkpoint ")?;
                return called(f, &exit, args);
            }
            Op::Call(func, exit) => return self.calling(f, &format!("call {}", self.names.text(func)), exit, args),
            Op::Tensor(host, acts) => return self.calling(f, &format!("{} {host}", acts.text()), None, args),
            Op::Host(host, exit) => return self.calling(f, &format!("host {host}"), exit, args),
            Op::Element1(it, dtype) => return write!(f, "{}_{dtype} {}", it.text(), List(args)),
            Op::Element2(it, dtype) => return write!(f, "{}_{dtype} {}", it.text(), List(args)),
            Op::CmpIntFloat(cmp) => return write!(f, "{}_int_float {}", cmp.text(), List(args)),
            Op::Num1(it) => it.text(),
            Op::Num2(it) => it.text(),
            Op::IntPow => "int_pow",
            Op::IntDiv => "int_div",
            Op::Wrap2(it) => it.text(),
            Op::Overflow2(it) => it.text(),
            Op::Bit2(it) => it.text(),
            Op::Shift(it) => it.text(),
            Op::Real1(it) => it.text(),
            Op::Real2(it) => it.text(),
            Op::Cmp(it) => it.text(),
            Op::Not => "not",
            Op::Convert(it) => it.text(),
            Op::Select => "select",
            Op::Len => "len",
            Op::ListNew(list) => return write!(f, "list_new {list}"),
            Op::List(it) => it.text(),
            Op::MapNew(ty) => return write!(f, "map_new {ty}"),
            Op::Map(it) => it.text(),
            Op::OfClass(class) => return write!(f, "of_class {} {}", Type::Object(class), List(args)),
            Op::Kept(tensor) => return write!(f, "kept {tensor} {}", List(args)),
            Op::Object(it) => it.text(),
            Op::Load => "load",
            Op::Store => "store",
            Op::OverflowIf => "overflow_if",
        };
        if args.is_empty() { f.write_str(word) } else { write!(f, "{word} {}", List(args)) }
    }

    /// A call, with the frame state in which the caller waits.
    fn calling(&self, f: &mut fmt::Formatter<'_>, what: &str, exit: Option<ExitId>, args: &[Value]) -> fmt::Result {
        let carried = exit.and_then(|exit| self.module.exits.lookup(exit)).map_or(0, |data| data.types.len());
        let (args, values) = args.split_at(args.len().saturating_sub(carried));
        write!(f, "{what}({})", List(args))?;
        let Some(exit) = exit else { return Ok(()) };
        f.write_str(" within ")?;
        called(f, &exit, values)
    }

    fn loc(&self, f: &mut fmt::Formatter<'_>, loc: Option<Loc>) -> fmt::Result {
        let Some(loc) = loc else { return Ok(()) };
        match self.options.locations {
            Locations::Hidden => Ok(()),
            Locations::Declared => write!(f, " @{loc}"),
            Locations::Comments => {
                let mut lead = "      ; ";
                let mut next = Some(loc);
                // A chain longer than the table goes in a circle.
                for _ in 0..self.module.locs.len() {
                    let Some(data) = next.and_then(|loc| self.module.locs.lookup(loc)) else { break };
                    write!(f, "{lead}{}:{}", data.file.replace('\n', " "), data.line)?;
                    if data.column != 0 {
                        write!(f, ":{}", data.column)?;
                    }
                    lead = " from ";
                    next = data.caller;
                }
                Ok(())
            }
        }
    }
}
