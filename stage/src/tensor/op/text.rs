//! How operations on tensors are written and read.

use std::fmt;
use std::sync::Arc;

use super::{Constant, TensorOp};
use crate::home::Home;
use crate::sizes::Size;
use crate::tensor::decompose::Decomposition;
use crate::tensor::elementwise::{Bits1, Bits2, Cmp, Num1, Num2, Real1, Real2, Test1};
use crate::tensor::fused::Group;
use crate::tensor::reduce::Fold;
use crate::tensor::scan::Scan;
use crate::tensor::{Dtype, Item, count, make};

/// A part of an operation as it is written: exact, and without spaces.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Written(String);

impl From<Item> for Written {
    fn from(item: Item) -> Self {
        Self(match item {
            Item::Bool(it) => it.to_string(),
            Item::Int(it) => it.to_string(),
            Item::Float(it) => format!("0x{:016x}", it.to_bits()),
        })
    }
}

/// A shape as it is written.
pub(in crate::tensor) fn shape(dims: &[usize]) -> String {
    list(&dims.iter().map(|it| Size(*it)).collect::<Vec<_>>())
}

fn list<T: ToString>(items: &[T]) -> String {
    format!("[{}]", items.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
}

/// A home as it is written behind the rest: this machine's memory is left out.
struct At(Home);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_there() { write!(f, " {}", self.0) } else { Ok(()) }
    }
}

/// A word, and what is known of the operation, separated by spaces.
impl fmt::Display for TensorOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Copy => f.write_str("copy"),
            Self::Constant(Constant(it)) => {
                let items: Vec<String> = it.items().into_iter().map(|it| Written::from(it).0).collect();
                write!(f, "constant {} {} {}", it.dtype(), shape(it.dims()), list(&items))
            }
            Self::Full { dtype, dims, item, home } => {
                write!(f, "full {dtype} {} {}{}", shape(dims), Written::from(*item).0, At(*home))
            }
            Self::To(home) => write!(f, "to {home}"),
            Self::Number(dtype) => write!(f, "number {dtype}"),
            Self::World => f.write_str("world"),
            Self::Extent(size) => write!(f, "extent {}", Size(*size)),
            Self::Item => f.write_str("item"),
            Self::Memory(dtype) => write!(f, "memory {dtype}"),
            Self::MemoryOf { dtype, rank } => write!(f, "memory_of {dtype} {rank}"),
            Self::Again { run, moving } if moving.is_empty() => write!(f, "again {run}"),
            Self::Again { run, moving } => {
                let all = moving.iter().map(Dtype::to_string).collect::<Vec<_>>().join(",");
                write!(f, "again {run} [{all}]")
            }
            Self::Ran(run) => write!(f, "ran {run}"),
            Self::Cast(dtype) => write!(f, "cast {dtype}"),
            Self::Num1(it) => f.write_str(it.text()),
            Self::Real1(it) => f.write_str(it.text()),
            Self::Bits1(it) => f.write_str(it.text()),
            Self::Test1(it) => f.write_str(it.text()),
            Self::Num2(it) => f.write_str(it.text()),
            Self::Real2(it) => f.write_str(it.text()),
            Self::Bits2(it) => f.write_str(it.text()),
            Self::Compare(it) => f.write_str(it.text()),
            Self::Select => f.write_str("select"),
            Self::Num2Into(it) => write!(f, "into {}", it.text()),
            Self::Real2Into(it) => write!(f, "into {}", it.text()),
            Self::Assign => f.write_str("assign"),
            Self::Broadcast(dims) => write!(f, "broadcast {}", shape(dims)),
            Self::Reshape(dims) => write!(f, "reshape {}", shape(dims)),
            Self::Permute(order) => write!(f, "permute {}", list(order)),
            Self::InsertAxis(at) => write!(f, "insert_axis {at}"),
            Self::Pick { along, at } => write!(f, "pick {along} {at}"),
            Self::PickAt { along, inside } => write!(f, "{} {along}", if *inside { "pick_in" } else { "pick_at" }),
            Self::Slice { along, first, len, step } => {
                write!(f, "slice {along} {} {} {step}", Size(*first), Size(*len))
            }
            Self::SliceAt { along, len } => write!(f, "slice_at {along} {}", Size(*len)),
            Self::Diagonal { offset, first, second } => write!(f, "diagonal {offset} {first} {second}"),
            Self::Place { view, dims } => write!(f, "place {} {view}", shape(dims)),
            Self::Put(view) => write!(f, "put {view}"),
            Self::Plus(made) => write!(f, "plus {made}"),
            Self::PutAt(at) => write!(f, "put_at {}", list(at)),
            Self::AddAt { at, dims } => write!(f, "add_at {} {}", list(at), shape(dims)),
            Self::Concat { along } => write!(f, "concat {along}"),
            Self::Triangle { k, lower } => write!(f, "triangle {k} {lower}"),
            Self::Gather(at) => write!(f, "gather {}", list(at)),
            Self::Scatter(at) => write!(f, "scatter {}", list(at)),
            Self::Fused(group) => write!(f, "{group}"),
            Self::Same => f.write_str("same"),
            Self::Lu => f.write_str("lu"),
            Self::LuOrder => f.write_str("lu_order"),
            Self::LuSolve => f.write_str("lu_solve"),
            Self::Decompose(how) => f.write_str(how.text()),
            Self::Matmul => f.write_str("matmul"),
            Self::Vecdot => f.write_str("vecdot"),
            Self::Fold { fold, axes } => write!(f, "{} {}", fold.text(), list(axes)),
            Self::Test { axes, all } => write!(f, "test {} {all}", list(axes)),
            Self::CountNonzero(axes) => write!(f, "count_nonzero {}", list(axes)),
            Self::ArgExtreme { along, greatest } => write!(f, "arg_extreme {along} {greatest}"),
            Self::Scan { scan, along } => write!(f, "{} {along}", scan.text()),
            Self::Sort { along, descending } => write!(f, "sort {along} {descending}"),
            Self::ArgPartition { along, kth, descending } => write!(f, "arg_partition {along} {kth} {descending}"),
            Self::Argsort { along, descending } => write!(f, "argsort {along} {descending}"),
            Self::Search { right } => write!(f, "search {right}"),
            Self::Bits { key, stream, dims, home } => write!(f, "bits {key} {stream} {}{}", shape(dims), At(*home)),
            Self::BitsAt { stream, dims, home } => write!(f, "bits_at {stream} {}{}", shape(dims), At(*home)),
        }
    }
}

/// The parts of a text, one after the other.
struct Reader<'a>(std::str::SplitAsciiWhitespace<'a>);

impl<'a> Reader<'a> {
    fn word(&mut self) -> Option<&'a str> {
        self.0.next()
    }

    fn one<T: std::str::FromStr>(&mut self) -> Option<T> {
        self.word()?.parse().ok()
    }

    fn words(&mut self) -> Option<Vec<&'a str>> {
        let inside = self.word()?.strip_prefix('[')?.strip_suffix(']')?;
        Some(if inside.is_empty() { Vec::new() } else { inside.split(',').collect() })
    }

    fn list<T: std::str::FromStr>(&mut self) -> Option<Vec<T>> {
        self.words()?.into_iter().map(|it| it.parse().ok()).collect()
    }

    fn shape(&mut self) -> Option<Vec<usize>> {
        Some(self.list::<Size>()?.into_iter().map(|it| it.0).collect())
    }

    fn size(&mut self) -> Option<usize> {
        self.one::<Size>().map(|it| it.0)
    }

    /// This machine's memory, if nothing is written.
    fn home(&mut self) -> Option<Home> {
        match self.word() {
            None | Some("cpu") => Some(Home::HERE),
            Some(device) => Home::on(device),
        }
    }

    fn dtype(&mut self) -> Option<Dtype> {
        let word = self.word()?;
        Dtype::ALL.into_iter().find(|it| it.text() == word)
    }
}

fn item(word: &str) -> Option<Item> {
    match word {
        "true" => Some(Item::Bool(true)),
        "false" => Some(Item::Bool(false)),
        _ => match word.strip_prefix("0x") {
            Some(bits) => u64::from_str_radix(bits, 16).ok().map(|it| Item::Float(f64::from_bits(it))),
            None => word.parse().ok().map(Item::Int),
        },
    }
}

impl TensorOp {
    /// The operation of a text that [`fmt::Display`] has written.
    pub fn from_text(text: &str) -> Option<Self> {
        if let Some(group) = text.strip_prefix("fused ") {
            return Group::from_text(group).map(|it| Self::Fused(Arc::new(it)));
        }
        let mut from = Reader(text.split_ascii_whitespace());
        let op = match from.word()? {
            "copy" => Self::Copy,
            "constant" => {
                let (dtype, dims) = (from.dtype()?, from.shape()?);
                let items: Vec<Item> = from.words()?.into_iter().map(item).collect::<Option<_>>()?;
                count(&dims).ok().filter(|it| *it == items.len())?;
                Self::Constant(Constant::new(make::from_items(dtype, &items, &dims).ok()?))
            }
            "full" => {
                let (dtype, dims, item) = (from.dtype()?, from.shape()?, item(from.word()?)?);
                Self::Full { dtype, dims, item, home: from.home()? }
            }
            "to" => Self::To(from.home()?),
            "number" => Self::Number(from.dtype()?),
            "world" => Self::World,
            "extent" => Self::Extent(from.size()?),
            "item" => Self::Item,
            "memory" => Self::Memory(from.dtype()?),
            "memory_of" => Self::MemoryOf { dtype: from.dtype()?, rank: from.one()? },
            "again" => {
                let run = from.one()?;
                let moving = from.words().unwrap_or_default();
                Self::Again {
                    run,
                    moving: moving
                        .into_iter()
                        .map(|it| Reader(it.split_ascii_whitespace()).dtype())
                        .collect::<Option<_>>()?,
                }
            }
            "ran" => Self::Ran(from.one()?),
            "cast" => Self::Cast(from.dtype()?),
            "select" => Self::Select,
            "into" => {
                let word = from.word()?;
                let real = || Real2::from_text(word).map(Self::Real2Into);
                Num2::from_text(word).map(Self::Num2Into).or_else(real)?
            }
            "assign" => Self::Assign,
            "broadcast" => Self::Broadcast(from.shape()?),
            "reshape" => Self::Reshape(from.shape()?),
            "permute" => Self::Permute(from.list()?),
            "insert_axis" => Self::InsertAxis(from.one()?),
            "pick" => Self::Pick { along: from.one()?, at: from.one()? },
            "pick_at" => Self::PickAt { along: from.one()?, inside: false },
            "pick_in" => Self::PickAt { along: from.one()?, inside: true },
            "slice" => Self::Slice { along: from.one()?, first: from.size()?, len: from.size()?, step: from.one()? },
            "slice_at" => Self::SliceAt { along: from.one()?, len: from.size()? },
            "diagonal" => Self::Diagonal { offset: from.one()?, first: from.one()?, second: from.one()? },
            "place" => {
                let dims = from.shape()?;
                let view: Vec<&str> = std::iter::from_fn(|| from.word()).collect();
                Self::Place { view: Box::new(Self::from_text(&view.join(" "))?), dims }
            }
            "put" => {
                let view: Vec<&str> = std::iter::from_fn(|| from.word()).collect();
                Self::Put(Box::new(Self::from_text(&view.join(" "))?))
            }
            "plus" => {
                let made: Vec<&str> = std::iter::from_fn(|| from.word()).collect();
                Self::Plus(Box::new(Self::from_text(&made.join(" "))?))
            }
            "put_at" => Self::PutAt(from.list()?),
            "add_at" => Self::AddAt { at: from.list()?, dims: from.shape()? },
            "concat" => Self::Concat { along: from.one()? },
            "triangle" => Self::Triangle { k: from.one()?, lower: from.one()? },
            "gather" => Self::Gather(from.list()?),
            "scatter" => Self::Scatter(from.list()?),
            "same" => Self::Same,
            "lu" => Self::Lu,
            "lu_order" => Self::LuOrder,
            "lu_solve" => Self::LuSolve,
            "matmul" => Self::Matmul,
            "vecdot" => Self::Vecdot,
            "test" => Self::Test { axes: from.list()?, all: from.one()? },
            "count_nonzero" => Self::CountNonzero(from.list()?),
            "arg_extreme" => Self::ArgExtreme { along: from.one()?, greatest: from.one()? },
            "sort" => Self::Sort { along: from.one()?, descending: from.one()? },
            "arg_partition" => Self::ArgPartition { along: from.one()?, kth: from.size()?, descending: from.one()? },
            "argsort" => Self::Argsort { along: from.one()?, descending: from.one()? },
            "search" => Self::Search { right: from.one()? },
            "bits_at" => Self::BitsAt { stream: from.one()?, dims: from.shape()?, home: from.home()? },
            "bits" => {
                let (key, stream) = (from.one()?, from.one()?);
                Self::Bits { key, stream, dims: from.shape()?, home: from.home()? }
            }
            word => {
                if let Some(fold) = Fold::from_text(word) {
                    Self::Fold { fold, axes: from.list()? }
                } else if let Some(scan) = Scan::from_text(word) {
                    Self::Scan { scan, along: from.one()? }
                } else {
                    None.or_else(|| Num1::from_text(word).map(Self::Num1))
                        .or_else(|| Decomposition::from_text(word).map(Self::Decompose))
                        .or_else(|| Real1::from_text(word).map(Self::Real1))
                        .or_else(|| Bits1::from_text(word).map(Self::Bits1))
                        .or_else(|| Test1::from_text(word).map(Self::Test1))
                        .or_else(|| Num2::from_text(word).map(Self::Num2))
                        .or_else(|| Real2::from_text(word).map(Self::Real2))
                        .or_else(|| Bits2::from_text(word).map(Self::Bits2))
                        .or_else(|| Cmp::from_text(word).map(Self::Compare))?
                }
            }
        };
        from.word().is_none().then_some(op)
    }
}
