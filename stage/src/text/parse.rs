//! From text to a module.
//!
//! Recursive descent over tokens, one function per production. Values and blocks keep their numbers;
//! a number that is skipped becomes a value that nothing defines, or an empty block, as passes leave them.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::lex::{Position, Token, error, tokens};
use super::{BlockLines, FuncLines, Lines, ParseError, literal};
use crate::entity::{Block, Entity, ExitId, FuncId, HostId, Inst, Loc, Table, Value};
use crate::home::Home;
use crate::ir::{BlockData, Def, ExitData, Function, HostData, InstData, Jump, LocData, Module, Terminator, ValueData};
use crate::op::{
    Acts, Bit2, COMPUTED, Cmp, Const, Convert, Element2, ListOp, MapOp, Num1, Num2, ObjectOp, Op, Overflow2, Real1,
    Real2, Shift, Wrap2,
};
use crate::row::{Column, Does};
use crate::sizes::Size;
use crate::tensor::{Dtype, TensorOp, elementwise as each};
use crate::types::{ArrayType, Class, Elem, KeyKind, ListType, MapType, Scalar, TensorType, Type};

type Parsed<T> = Result<T, ParseError>;

/// Numbers of entities stay below this, so that a short text does not ask for a long table.
const LARGEST: usize = 1 << 20;

pub(super) fn module(source: &str) -> Parsed<(Module, Lines)> {
    let tokens = tokens(source)?;
    let funcs = func_names(&tokens)?;
    let mut parser = Parser { tokens, next: 0, funcs };
    let (mut module, mut lines) = (Module::default(), Lines::default());
    loop {
        let position = parser.position();
        match parser.advance() {
            Token::Newline => {}
            Token::End => return Ok((module, lines)),
            Token::Word(word) => match word.as_str() {
                "exit" => parser.exit_data(&mut module)?,
                "host" => parser.host_data(&mut module)?,
                "loc" => parser.loc_data(&mut module)?,
                "func" => {
                    let (func, func_lines) = FuncParser::parse(&mut parser, position)?;
                    module.funcs.push(func);
                    lines.funcs.push(func_lines);
                }
                _ => return Err(error(position, format!("expected `exit`, `host`, `loc` or `func`, found `{word}`"))),
            },
            other => return Err(error(position, format!("expected `exit`, `host`, `loc` or `func`, found {other}"))),
        }
    }
}

/// The names of the functions, which may be called before they are written.
fn func_names(tokens: &[(Token, Position)]) -> Parsed<HashMap<String, FuncId>> {
    let mut names = HashMap::new();
    for pair in tokens.windows(2) {
        if let [(Token::Word(word), _), (Token::At(name), position)] = pair
            && word == "func"
        {
            let id = FuncId::new(names.len());
            if names.insert(name.clone(), id).is_some() {
                return Err(error(*position, format!("there are two functions `@{name}`")));
            }
        }
    }
    Ok(names)
}

struct Parser {
    tokens: Vec<(Token, Position)>,
    next: usize,
    funcs: HashMap<String, FuncId>,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn position(&self) -> Position {
        self.tokens[self.next].1
    }

    /// The next token, which is passed unless it is the end.
    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        if token != Token::End {
            self.next += 1;
        }
        token
    }

    fn accept(&mut self, token: &Token) -> bool {
        let is_next = self.peek() == token;
        if is_next {
            self.advance();
        }
        is_next
    }

    fn accept_sign(&mut self, sign: &'static str) -> bool {
        self.accept(&Token::Sign(sign))
    }

    fn sign(&mut self, sign: &'static str) -> Parsed<()> {
        if self.accept_sign(sign) { Ok(()) } else { Err(self.expected(format_args!("`{sign}`"))) }
    }

    fn newline(&mut self) -> Parsed<()> {
        if self.accept(&Token::Newline) { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    fn expected(&self, what: impl fmt::Display) -> ParseError {
        error(self.position(), format!("expected {what}, found {}", self.peek()))
    }

    fn quoted(&mut self) -> Parsed<String> {
        match self.peek().clone() {
            Token::Text(it) => {
                self.advance();
                Ok(it)
            }
            _ => Err(self.expected("a name in quotes")),
        }
    }

    /// A whole number without a sign.
    fn natural<T: std::str::FromStr>(&mut self, what: &str) -> Parsed<T> {
        let number = match self.peek() {
            Token::Number(it) => it.parse().ok(),
            _ => None,
        };
        let number = number.ok_or_else(|| self.expected(what))?;
        self.advance();
        Ok(number)
    }

    /// The number of an entity: `v3` is 3 where `v` is expected.
    fn entity<T: Entity>(&mut self, prefix: &str, what: &str) -> Parsed<T> {
        let index = match self.peek() {
            Token::Word(it) => entity_index(it, prefix),
            _ => None,
        };
        let index = index.ok_or_else(|| self.expected(what))?;
        if index >= LARGEST {
            return Err(error(self.position(), format!("the number of {what} is below {LARGEST}")));
        }
        self.advance();
        Ok(T::new(index))
    }

    fn value(&mut self) -> Parsed<Value> {
        self.entity("v", "a value")
    }

    /// Items between commas up to a closing sign, which is passed.
    fn list<T>(&mut self, close: &'static str, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.accept_sign(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.accept_sign(close) {
                return Ok(items);
            }
            if !self.accept_sign(",") {
                return Err(self.expected(format_args!("`,` or `{close}`")));
            }
        }
    }

    /// What the items of a list are.
    fn list_type(&mut self) -> Parsed<ListType> {
        if !matches!(self.peek(), Token::Word(word) if word == "list") {
            return self.elem().map(ListType::of);
        }
        match self.ty()? {
            Type::List(list) => list.nested().ok_or_else(|| self.expected("a list that is nested less deeply")),
            _ => unreachable!("`list` begins the type of a list"),
        }
    }

    fn ty(&mut self) -> Parsed<Type> {
        if self.accept_sign("[") {
            let elem = self.elem()?;
            let len = if self.accept_sign(";") { Some(self.natural("a number of elements")?) } else { None };
            self.sign("]")?;
            return Ok(Type::Array(ArrayType { elem, len }));
        }
        if matches!(self.peek(), Token::Word(word) if word == "list") {
            self.advance();
            self.sign("(")?;
            let list = self.list_type()?;
            self.sign(")")?;
            return Ok(Type::List(list));
        }
        if matches!(self.peek(), Token::Word(word) if word == "map" || word == "set") {
            return Ok(Type::Map(self.map_type()?));
        }
        if self.accept(&Token::Word("tensor".to_owned())) {
            self.sign("(")?;
            let dtype = match self.peek() {
                Token::Word(word) => Dtype::ALL.into_iter().find(|it| it.text() == word),
                _ => None,
            };
            let dtype = dtype.ok_or_else(|| self.expected("a dtype"))?;
            self.advance();
            let (mut dims, mut home) = (Vec::new(), Home::HERE);
            while self.accept_sign(",") {
                if let Token::At(device) = self.peek() {
                    home = Home::on(device).ok_or_else(|| self.expected("fewer devices"))?;
                    self.advance();
                    break;
                }
                dims.push(self.natural::<Size>("a size")?.0);
            }
            self.sign(")")?;
            return Ok(Type::Tensor(TensorType::new(dtype, &dims).at(home)));
        }
        if self.accept(&Token::Word("object".to_owned())) {
            if !self.accept_sign("(") {
                return Ok(Type::Object(Class::ANY));
            }
            let class: u8 = self.natural("the number of a class")?;
            self.sign(")")?;
            return Ok(Type::Object(Class(class)));
        }
        let ty = match self.peek() {
            Token::Word(word) => match word.as_str() {
                "bool" => Type::Bool,
                "i64" => Type::I64,
                "f64" => Type::F64,
                _ => return Err(self.expected("a type")),
            },
            _ => return Err(self.expected("a type")),
        };
        self.advance();
        Ok(ty)
    }

    /// `map(i64, f64)`, `set(i64)` or `set(i64 pair)`.
    fn map_type(&mut self) -> Parsed<MapType> {
        let is_map = match self.peek() {
            Token::Word(word) if word == "map" => true,
            Token::Word(word) if word == "set" => false,
            _ => return Err(self.expected("a type of maps")),
        };
        self.advance();
        self.sign("(")?;
        let key = self.scalar()?;
        let known = |word: &str| KeyKind::ALL[1..].iter().copied().find(|it| it.text() == word);
        let named = if let Token::Word(word) = self.peek() { known(word) } else { None };
        if named.is_some() {
            self.advance();
        }
        let value = if is_map {
            self.sign(",")?;
            Some(self.scalar()?)
        } else {
            None
        };
        self.sign(")")?;
        Ok(MapType { key, keys: named.unwrap_or_default(), value })
    }

    fn scalar(&mut self) -> Parsed<Scalar> {
        let scalar = match self.peek() {
            Token::Word(word) => Scalar::ALL.into_iter().find(|scalar| scalar.ty().to_string() == *word),
            _ => None,
        };
        let scalar = scalar.ok_or_else(|| self.expected("a type of numbers"))?;
        self.advance();
        Ok(scalar)
    }

    fn elem(&mut self) -> Parsed<Elem> {
        let elem = match self.peek() {
            Token::Word(word) => Elem::ALL.into_iter().find(|elem| elem.text() == word),
            _ => None,
        };
        let elem = elem.ok_or_else(|| self.expected("a type of elements"))?;
        self.advance();
        Ok(elem)
    }

    fn types_in_parens(&mut self) -> Parsed<Vec<Type>> {
        self.sign("(")?;
        self.list(")", Self::ty)
    }

    fn results(&mut self) -> Parsed<Vec<Type>> {
        self.sign("->")?;
        if *self.peek() == Token::Sign("(") { self.types_in_parens() } else { Ok(vec![self.ty()?]) }
    }

    /// The name of a declared entity, which is the next one of its table.
    fn declared<K: Entity + fmt::Display, V>(&mut self, table: &Table<K, V>, prefix: &str) -> Parsed<()> {
        let position = self.position();
        let next = K::new(table.len());
        let found: K = self.entity(prefix, &format!("`{next}`"))?;
        if found == next { Ok(()) } else { Err(error(position, format!("expected `{next}`, found `{found}`"))) }
    }

    fn exit_data(&mut self, module: &mut Module) -> Parsed<()> {
        self.declared(&module.exits, "exit")?;
        let name = self.quoted()?;
        let word = |parser: &mut Self, word: &str| parser.accept(&Token::Word(word.to_owned()));
        if word(self, "at") {
            if !word(self, "checkpoint") {
                return Err(self.expected("`checkpoint`"));
            }
            module.exits.push(ExitData::at_checkpoint(name));
            return self.newline();
        }
        let mut data = ExitData::new(name, self.types_in_parens()?);
        if word(self, "of") {
            data.parts.push(self.entity("exit", "an exit")?);
            while self.accept_sign(",") {
                data.parts.push(self.entity("exit", "an exit")?);
            }
        }
        module.exits.push(data);
        self.newline()
    }

    fn host_data(&mut self, module: &mut Module) -> Parsed<()> {
        self.declared(&module.hosts, "host")?;
        let name = self.quoted()?;
        let params = self.types_in_parens()?;
        let results = self.results()?;
        let tensor = if self.accept(&Token::Word("is".to_owned())) { Some(self.tensor_op()?) } else { None };
        let mut column = None;
        for does in Does::ALL {
            if self.accept(&Token::Word(does.word().to_owned())) {
                self.sign("(")?;
                column = Some(Column { index: self.natural("a column")?, does });
                self.sign(")")?;
            }
        }
        let nest = self.accept(&Token::Word("nested".to_owned()));
        let mut takes = 0;
        if self.accept(&Token::Word("taking".to_owned())) {
            for at in self.naturals_in_parens()? {
                takes |= 1_u32.checked_shl(at).unwrap_or(0);
            }
        }
        module.hosts.push(HostData { tensor, takes, column, nest, ..HostData::new(name, params, results) });
        self.newline()
    }

    fn naturals_in_parens(&mut self) -> Parsed<Vec<u32>> {
        self.sign("(")?;
        self.list(")", |it| it.natural("a number"))
    }

    fn tensor_op(&mut self) -> Parsed<TensorOp> {
        let position = self.position();
        let text = self.quoted()?;
        TensorOp::from_text(&text).ok_or_else(|| error(position, format!("there is no operation on tensors `{text}`")))
    }

    fn loc_data(&mut self, module: &mut Module) -> Parsed<()> {
        self.declared(&module.locs, "loc")?;
        let (file, func) = (Arc::from(self.quoted()?), Arc::from(self.quoted()?));
        let line = self.natural("a line")?;
        self.sign(":")?;
        let column = self.natural("a column")?;
        let mut word = |word: &str| self.accept(&Token::Word(word.to_owned()));
        let has_caller = word("from");
        let caller = if has_caller { Some(self.entity("loc", "a place")?) } else { None };
        let has_tag = self.accept(&Token::Word("tag".to_owned()));
        let tag = if has_tag { self.natural("a tag")? } else { 0 };
        module.locs.push(LocData { file, func, line, column, caller, tag });
        self.newline()
    }

    fn constant(&mut self) -> Parsed<Const> {
        let constant = match self.peek() {
            Token::Word(word) => match word.as_str() {
                "true" => Some(Const::Bool(true)),
                "false" => Some(Const::Bool(false)),
                "inf" => Some(Const::F64(f64::INFINITY)),
                "nan" => Some(literal::quiet_nan()),
                _ => None,
            },
            Token::Number(text) => literal::number(text),
            Token::At(_) | Token::Text(_) | Token::Sign(_) | Token::Newline | Token::End => None,
        };
        let constant = constant.ok_or_else(|| self.expected("a constant"))?;
        let is_nan = self.advance() == Token::Word("nan".to_owned());
        if !(is_nan && self.accept_sign(":")) {
            return Ok(constant);
        }
        let bits = match self.peek() {
            Token::Number(text) => literal::nan(text),
            _ => None,
        };
        let bits = bits.ok_or_else(|| self.expected("the bits of a NaN, `0x7ff8000000000001`"))?;
        self.advance();
        Ok(bits)
    }
}

/// The index in the name of an entity, which is written without needless zeros.
fn entity_index(word: &str, prefix: &str) -> Option<usize> {
    let digits = word.strip_prefix(prefix)?;
    let index: usize = digits.parse().ok()?;
    if digits.starts_with('+') || digits.len() > 1 && digits.starts_with('0') { None } else { Some(index) }
}

/// A function while it is read.
struct FuncParser<'a> {
    parser: &'a mut Parser,
    blocks: Vec<Option<BlockData>>,
    insts: Table<Inst, InstData>,
    values: Vec<Option<ValueData>>,
    uses: Vec<(Value, Position)>,
    lines: FuncLines,
}

impl<'a> FuncParser<'a> {
    fn parse(parser: &'a mut Parser, head: Position) -> Parsed<(Function, FuncLines)> {
        let lines = FuncLines { head: head.0, ..FuncLines::default() };
        let mut it =
            FuncParser { parser, blocks: Vec::new(), insts: Table::new(), values: Vec::new(), uses: Vec::new(), lines };
        let Token::At(name) = it.parser.peek().clone() else {
            return Err(it.parser.expected("the name of a function, `@name`"));
        };
        it.parser.advance();
        it.parser.sign("(")?;
        let entry = Block::new(0);
        let mut params = BlockData::default();
        it.params(entry, &mut params)?;
        let results = it.parser.results()?;
        it.parser.sign("{")?;
        it.parser.newline()?;
        let mut params = Some(params);
        while !it.parser.accept_sign("}") {
            it.block(&mut params)?;
        }
        it.parser.newline()?;
        if params.is_some() {
            return Err(error(head, "a function begins with `block0:`"));
        }
        it.finish(name, results)
    }

    fn finish(self, name: String, results: Vec<Type>) -> Parsed<(Function, FuncLines)> {
        for (value, position) in self.uses {
            if !matches!(self.values.get(value.index()), Some(Some(_))) {
                return Err(error(position, format!("`{value}` is not defined in `@{name}`")));
            }
        }
        let mut func = Function { name, results, blocks: Table::new(), insts: self.insts, values: Table::new() };
        for block in self.blocks {
            func.blocks.push(block.unwrap_or_default());
        }
        let nothing = ValueData { ty: Type::Bool, def: Def::Param(func.entry(), u32::MAX) };
        for value in self.values {
            func.values.push(value.unwrap_or(nothing));
        }
        Ok((func, self.lines))
    }

    /// Declarations of parameters up to the closing parenthesis.
    fn params(&mut self, block: Block, data: &mut BlockData) -> Parsed<()> {
        let declared = self.parser.list(")", declaration)?;
        for (position, (value, ty, at)) in (0..).zip(declared) {
            self.define(value, ValueData { ty, def: Def::Param(block, position) }, at)?;
            data.params.push(value);
        }
        Ok(())
    }

    fn define(&mut self, value: Value, data: ValueData, at: Position) -> Parsed<()> {
        if self.values.len() <= value.index() {
            self.values.resize(value.index() + 1, None);
        }
        match self.values[value.index()].replace(data) {
            None => Ok(()),
            Some(_) => Err(error(at, format!("`{value}` is defined twice"))),
        }
    }

    /// A block from its head to the next one. `entry` holds the parameters of the function until they are used.
    fn block(&mut self, entry: &mut Option<BlockData>) -> Parsed<()> {
        let head = self.parser.position();
        let block: Block = self.parser.entity("block", "a block")?;
        let index = block.index();
        let mut data = match (index, entry.take()) {
            (0, Some(data)) => data,
            (_, Some(_)) => return Err(error(head, "a function begins with `block0:`")),
            (_, None) => BlockData::default(),
        };
        if self.blocks.len() <= index {
            self.blocks.resize(index + 1, None);
            self.lines.blocks.resize(index + 1, BlockLines::default());
        }
        if self.blocks[index].is_some() {
            return Err(error(head, format!("`{block}` is defined twice")));
        }
        self.lines.blocks[index].head = head.0;
        if self.parser.accept_sign("(") {
            if index == 0 {
                return Err(error(head, "the parameters of the entry block stand in the head of the function"));
            }
            self.params(block, &mut data)?;
        }
        data.quiet = self.parser.accept(&Token::Word("quiet".to_owned()));
        self.parser.sign(":")?;
        self.parser.newline()?;
        while data.term == Terminator::None && !self.at_end_of_block() {
            self.statement(&mut data, index)?;
        }
        if !self.at_end_of_block() {
            return Err(self.parser.expected("another block after the end of this one"));
        }
        self.blocks[index] = Some(data);
        Ok(())
    }

    fn at_end_of_block(&self) -> bool {
        match self.parser.peek() {
            Token::Sign("}") | Token::End => true,
            Token::Word(word) => entity_index(word, "block").is_some(),
            Token::Number(_) | Token::At(_) | Token::Text(_) | Token::Sign(_) | Token::Newline => false,
        }
    }

    fn statement(&mut self, data: &mut BlockData, block: usize) -> Parsed<()> {
        let position = self.parser.position();
        let Token::Word(word) = self.parser.peek().clone() else {
            return Err(self.parser.expected("an instruction"));
        };
        if let Some(term) = self.terminator(&word)? {
            data.term = term;
            data.term_loc = self.loc()?;
            self.lines.blocks[block].term = position.0;
            return self.parser.newline();
        }
        let mut results = Vec::new();
        if entity_index(&word, "v").is_some() {
            results.push(declaration(self.parser)?);
            while self.parser.accept_sign(",") {
                results.push(declaration(self.parser)?);
            }
            self.parser.sign("=")?;
        }
        let (op, args) = self.op()?;
        let loc = self.loc()?;
        let inst = Inst::new(self.insts.len());
        let mut values = Vec::new();
        for (position, (value, ty, at)) in (0..).zip(results) {
            self.define(value, ValueData { ty, def: Def::Result(inst, position) }, at)?;
            values.push(value);
        }
        self.insts.push(InstData { op, args, results: values, loc });
        self.lines.insts.push(position.0);
        data.insts.push(inst);
        self.parser.newline()
    }

    /// ` @loc3`, if it is there.
    fn loc(&mut self) -> Parsed<Option<Loc>> {
        let index = match self.parser.peek() {
            Token::At(name) => entity_index(name, "loc").filter(|&index| index < LARGEST),
            _ => return Ok(None),
        };
        let index = index.ok_or_else(|| self.parser.expected("a place, `@loc0`"))?;
        self.parser.advance();
        Ok(Some(Loc::new(index)))
    }

    fn terminator(&mut self, word: &str) -> Parsed<Option<Terminator>> {
        if !matches!(word, "jump" | "branch" | "return" | "exit") {
            return Ok(None);
        }
        self.parser.advance();
        Ok(Some(match word {
            "jump" => Terminator::Jump(self.jump()?),
            "branch" => {
                let cond = self.operand()?;
                self.parser.sign(",")?;
                let then = self.jump()?;
                self.parser.sign(",")?;
                let other = self.jump()?;
                Terminator::Branch { cond, then, other }
            }
            "return" => Terminator::Return(self.operands()?),
            _ => {
                let exit: ExitId = self.parser.entity("exit", "an exit")?;
                Terminator::Exit(exit, self.operands_in_parens()?)
            }
        }))
    }

    fn jump(&mut self) -> Parsed<Jump> {
        let target = self.parser.entity("block", "a block")?;
        Ok(Jump { target, args: self.operands_in_parens()? })
    }

    fn operand(&mut self) -> Parsed<Value> {
        let position = self.parser.position();
        let value = self.parser.value()?;
        self.uses.push((value, position));
        Ok(value)
    }

    /// Operands to the end of the line, if there are any.
    fn operands(&mut self) -> Parsed<Vec<Value>> {
        let mut operands = Vec::new();
        if matches!(self.parser.peek(), Token::Word(_)) {
            operands.push(self.operand()?);
            while self.parser.accept_sign(",") {
                operands.push(self.operand()?);
            }
        }
        Ok(operands)
    }

    /// Operands in parentheses; no parentheses are no operands.
    fn operands_in_parens(&mut self) -> Parsed<Vec<Value>> {
        if !self.parser.accept_sign("(") {
            return Ok(Vec::new());
        }
        let with_position = |parser: &mut Parser| {
            let position = parser.position();
            Ok((parser.value()?, position))
        };
        let operands = self.parser.list(")", with_position)?;
        self.uses.extend(&operands);
        Ok(operands.into_iter().map(|(value, _)| value).collect())
    }

    /// An op with its operands.
    fn op(&mut self) -> Parsed<(Op, Vec<Value>)> {
        let word = match self.parser.peek() {
            Token::Word(word) => word.clone(),
            _ => return Err(self.parser.expected("an op")),
        };
        let position = self.parser.position();
        self.parser.advance();
        Ok(match word.as_str() {
            "const" => (Op::Const(self.parser.constant()?), Vec::new()),
            "guard" => {
                let mut args = vec![self.operand()?];
                self.parser.sign(",")?;
                let exit = self.parser.entity("exit", "an exit")?;
                args.extend(self.operands_in_parens()?);
                (Op::Guard(exit), args)
            }
            "checkpoint" => {
                let exit = self.parser.entity("exit", "an exit")?;
                (Op::Checkpoint(exit), self.operands_in_parens()?)
            }
            "call" => {
                let func = self.callee()?;
                let mut args = self.operands_in_parens()?;
                (Op::Call(func, self.within(&mut args)?), args)
            }
            "list_new" => (Op::ListNew(self.parser.list_type()?), Vec::new()),
            "map_new" => (Op::MapNew(self.parser.map_type()?), Vec::new()),
            word if let Some(acts) = Acts::from_text(word) => {
                let host: HostId = self.parser.entity("host", "an operation on tensors")?;
                (Op::Tensor(host, acts), self.operands_in_parens()?)
            }
            "of_class" => {
                let Type::Object(class) = self.parser.ty()? else {
                    return Err(error(position, "expected a type of objects".to_owned()));
                };
                (Op::OfClass(class), self.operands()?)
            }
            "kept" => {
                let Type::Tensor(tensor) = self.parser.ty()? else {
                    return Err(error(position, "expected a type of tensors".to_owned()));
                };
                (Op::Kept(tensor), self.operands()?)
            }
            "host" => {
                let host: HostId = self.parser.entity("host", "a function of the host")?;
                let mut args = self.operands_in_parens()?;
                (Op::Host(host, self.within(&mut args)?), args)
            }
            word => match plain_op(word) {
                Some(op) => (op, self.operands()?),
                None => return Err(error(position, format!("there is no op `{word}`"))),
            },
        })
    }

    /// The frame state in which the caller waits, if there is one.
    fn within(&mut self, args: &mut Vec<Value>) -> Parsed<Option<ExitId>> {
        if !self.parser.accept(&Token::Word("within".to_owned())) {
            return Ok(None);
        }
        let exit = self.parser.entity("exit", "an exit")?;
        args.extend(self.operands_in_parens()?);
        Ok(Some(exit))
    }

    fn callee(&mut self) -> Parsed<FuncId> {
        let Token::At(name) = self.parser.peek() else {
            return self.parser.entity("fn", "a function");
        };
        let Some(&func) = self.parser.funcs.get(name) else {
            return Err(error(self.parser.position(), format!("there is no function `@{name}`")));
        };
        self.parser.advance();
        Ok(func)
    }
}

/// `v3: i64`, and where it stands.
fn declaration(parser: &mut Parser) -> Parsed<(Value, Type, Position)> {
    let position = parser.position();
    let value = parser.value()?;
    parser.sign(":")?;
    Ok((value, parser.ty()?, position))
}

/// `f_f64` and `f_f32`.
fn of_elements(word: &str) -> Option<Op> {
    let (function, dtype) = word.rsplit_once('_')?;
    let dtype = COMPUTED.into_iter().find(|it| it.text() == dtype)?;
    let of_one = each::Real1::from_text(function).map(|it| Op::Element1(it, dtype));
    of_one.or_else(|| Element2::from_text(function).map(|it| Op::Element2(it, dtype)))
}

/// The op of a word, for ops that are followed by nothing but operands.
fn plain_op(word: &str) -> Option<Op> {
    Some(match word {
        "int_pow" => Op::IntPow,
        "int_div" => Op::IntDiv,
        "not" => Op::Not,
        "select" => Op::Select,
        "len" => Op::Len,
        "load" => Op::Load,
        "store" => Op::Store,
        "overflow_if" => Op::OverflowIf,
        _ => {
            return None
                .or_else(|| Num1::from_text(word).map(Op::Num1))
                .or_else(|| Num2::from_text(word).map(Op::Num2))
                .or_else(|| Wrap2::from_text(word).map(Op::Wrap2))
                .or_else(|| Overflow2::from_text(word).map(Op::Overflow2))
                .or_else(|| Bit2::from_text(word).map(Op::Bit2))
                .or_else(|| Shift::from_text(word).map(Op::Shift))
                .or_else(|| Real1::from_text(word).map(Op::Real1))
                .or_else(|| of_elements(word))
                .or_else(|| Real2::from_text(word).map(Op::Real2))
                .or_else(|| Cmp::from_text(word).map(Op::Cmp))
                .or_else(|| Cmp::from_text(word.strip_suffix("_int_float")?).map(Op::CmpIntFloat))
                .or_else(|| Convert::from_text(word).map(Op::Convert))
                .or_else(|| ListOp::from_text(word).map(Op::List))
                .or_else(|| MapOp::from_text(word).map(Op::Map))
                .or_else(|| ObjectOp::from_text(word).map(Op::Object));
        }
    })
}
