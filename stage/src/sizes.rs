//! Sizes of axes that differ from call to call.
//!
//! Code that is called with arrays of ever new sizes is made once. Where a size is known only later, types and operations
//! name it by a number that no array has for a size ([`later`]): all that asks for shapes computes with it as with any other,
//! and what comes of it, twice the size or one less, can be read back. When code is called, [`hosts`] puts the sizes
//! of the call in their places and looks whether each operation gives the shape then that was said of it. Where that is not
//! so, code for these sizes alone has to be made.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use crate::entity::{HostId, Table};
use crate::ir::HostData;
use crate::tensor::fused::{Group, Input, Member};
use crate::tensor::{self, TensorOp};
use crate::types::{TensorType, Type};

/// How many sizes there can be that are known later.
pub const MOST: usize = 4;

/// What the sizes are called: primes that do not lie near a small multiple or a sum of others.
const NAMES: [usize; MOST] = [4_471_303, 5_318_023, 6_213_719, 7_402_501];

/// From here on a size says something about others. A part of one is none: that is not clear.
const FIRST: usize = 1 << 20;

/// Something may be added to so many times a size, and so much.
const TIMES: usize = 8;
const MORE: usize = 1 << 12;
/// A size may be multiplied by so much.
const FACTOR: usize = 1 << 20;

/// The name of a size.
///
/// # Panics
/// If there are not so many.
pub const fn later(number: usize) -> usize {
    NAMES[number]
}

/// Which size this names, if it names one.
pub fn number_of(size: usize) -> Option<usize> {
    NAMES.iter().position(|it| *it == size)
}

/// Whether a size is known only later.
pub const fn is_later(size: usize) -> bool {
    size >= FIRST
}

/// The same of an integer.
pub const fn is_later_int(int: i64) -> bool {
    int.unsigned_abs() >= FIRST as u64
}

/// How many sizes a product has at most.
const DEGREE: u8 = 4;

/// How often each size is in a product.
type Powers = [u8; MOST];

/// A product of sizes that are known later. Arithmetic with them is that of 64 bits and goes round: what was multiplied is
/// found by the inverse.
#[derive(Clone, Copy)]
struct Product {
    powers: Powers,
    value: u64,
    inverse: u64,
}

/// All of them, those of one size first.
static PRODUCTS: LazyLock<Vec<Product>> = LazyLock::new(|| {
    let mut all = vec![Product { powers: [0; MOST], value: 1, inverse: 1 }];
    for (at, name) in NAMES.into_iter().enumerate() {
        for before in 0..all.len() {
            let mut product = all[before];
            while product.powers.iter().sum::<u8>() < DEGREE {
                product.powers[at] += 1;
                product.value = product.value.wrapping_mul(name as u64);
                product.inverse = inverse(product.value);
                all.push(product);
            }
        }
    }
    all.remove(0);
    all.sort_by_key(|it| it.powers.iter().sum::<u8>());
    all
});

/// What makes 1 of an odd number, in 64 bits.
fn inverse(odd: u64) -> u64 {
    // Each round doubles the bits that are right, of which there are three.
    (0..5).fold(odd, |x, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))))
}

/// A size as a sum: a product of sizes that are known later and a factor, and something that is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Sum {
    powers: Powers,
    factor: usize,
    more: i64,
}

impl Sum {
    /// What a number says; `None` if it is not clear.
    fn of(size: usize) -> Option<Self> {
        let exact = PRODUCTS.iter().filter_map(|it| {
            let factor = (size as u64).wrapping_mul(it.inverse) as usize;
            (1..=FACTOR).contains(&factor).then_some(Self { powers: it.powers, factor, more: 0 })
        });
        let near = NAMES.into_iter().enumerate().filter_map(|(at, name)| {
            let factor = size.saturating_add(MORE) / name;
            let more = (size as i64).wrapping_sub((factor * name) as i64);
            let is_clear = more != 0 && (1..=TIMES).contains(&factor) && more.unsigned_abs() <= MORE as u64;
            let mut powers = [0; MOST];
            powers[at] = 1;
            is_clear.then_some(Self { powers, factor, more })
        });
        let mut found = exact.chain(near);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The sizes that are multiplied, by number.
    fn names(self) -> impl Iterator<Item = usize> {
        self.powers.into_iter().enumerate().flat_map(|(at, power)| std::iter::repeat_n(at, power.into()))
    }
}

/// The product of sizes. Where some are known only later, it is a number that says so.
pub(crate) fn product(dims: &[usize]) -> usize {
    dims.iter().fold(1, |all: usize, it| all.wrapping_mul(*it))
}

/// How often the product of sizes goes into that of others. `None` if it does not, for all that may be meant.
pub fn quotient(dims: &[usize], by: &[usize]) -> Option<usize> {
    let all = |dims: &[usize]| dims.iter().try_fold(1_usize, |all, it| all.checked_mul(*it));
    if let (Some(whole), Some(part)) = (all(dims), all(by)) {
        return (part > 0 && whole.is_multiple_of(part)).then(|| whole / part);
    }
    // The products have gone round: what they say is divided.
    let sum = |size: usize| match is_later(size) {
        true => Sum::of(size).filter(|it| it.more == 0),
        false => Some(Sum { powers: [0; MOST], factor: size, more: 0 }),
    };
    let (whole, part) = (sum(product(dims))?, sum(product(by))?);
    if part.factor == 0 || !whole.factor.is_multiple_of(part.factor) {
        return None;
    }
    let mut size = whole.factor / part.factor;
    for (at, name) in NAMES.into_iter().enumerate() {
        let power = whole.powers[at].checked_sub(part.powers[at])?;
        size = size.wrapping_mul(name.wrapping_pow(power.into()));
    }
    Some(size)
}

/// How many elements a shape has in which sizes are known only later: a number that says so. `None` if there are none in it.
pub(crate) fn count(dims: &[usize]) -> Option<usize> {
    let names = |it: &usize| is_later(*it) && is_clear(*it);
    dims.iter().any(names).then(|| product(dims))
}

/// What a number says that is computed of sizes which are known only later: their product, times a factor, and what is added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parts {
    /// Which sizes are multiplied, by number.
    pub sizes: Vec<usize>,
    /// By what else.
    pub factor: i64,
    /// What is added.
    pub more: i64,
}

/// What a size says, or a step, which may go back; `None` if it is not clear, or nothing about sizes.
pub fn parts(number: isize) -> Option<Parts> {
    let sum = |it: isize| Sum::of(it as usize).filter(|_| is_later(it as usize));
    let (sum, sign) = match sum(number) {
        Some(sum) => (sum, 1),
        None => (sum(number.wrapping_neg())?, -1),
    };
    Some(Parts { sizes: sum.names().collect(), factor: sign * sum.factor as i64, more: sign * sum.more })
}

/// What a size that is known only later is at least: each of them is greater than 1.
pub fn least(size: usize) -> Option<i64> {
    let Sum { powers, factor, more } = Sum::of(size).filter(|_| is_later(size))?;
    let degree: u32 = powers.into_iter().map(u32::from).sum();
    Some((factor as i64) * 2_i64.pow(degree) + more)
}

/// A size as it is written: `?0` is one that is known later, `?0*2-1` one that follows from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size(pub usize);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Sum::of(self.0).filter(|_| is_later(self.0)) {
            None => self.0.fmt(f),
            Some(sum @ Sum { factor, more, .. }) => {
                for (place, name) in sum.names().enumerate() {
                    write!(f, "{}?{name}", if place > 0 { "*" } else { "" })?;
                }
                if factor != 1 {
                    write!(f, "*{factor}")?;
                }
                if more == 0 { Ok(()) } else { write!(f, "{more:+}") }
            }
        }
    }
}

impl FromStr for Size {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = |it: &str| it.parse::<usize>().map_err(|_| ());
        let end = text.find(['+', '-']).unwrap_or(text.len());
        let (product, more) = text.split_at(end);
        let mut size = 1_usize;
        for part in product.split('*') {
            let part = match part.strip_prefix('?') {
                Some(of) => *NAMES.get(number(of)?).ok_or(())?,
                None => number(part)?,
            };
            size = if text.starts_with('?') { size.wrapping_mul(part) } else { size.checked_mul(part).ok_or(())? };
        }
        let more = if more.is_empty() { 0 } else { more.parse::<isize>().map_err(|_| ())? };
        size.checked_add_signed(more).map(Self).ok_or(())
    }
}

/// A shape, in which sizes may be known only later.
pub fn show(dims: &[usize]) -> String {
    if !dims.iter().any(|it| is_later(*it)) {
        return tensor::show(dims);
    }
    let dims: Vec<String> = dims.iter().map(|it| Size(*it).to_string()).collect();
    if let [one] = &dims[..] { format!("({one},)") } else { format!("({})", dims.join(", ")) }
}

/// What the sizes are that are known only later, in a call.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sizes {
    now: [usize; MOST],
    count: usize,
}

impl Sizes {
    /// Each of them, by number; 0 where there is none.
    pub fn now(&self) -> [u64; MOST] {
        self.now.map(|it| it as u64)
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Forgets them.
    pub const fn clear(&mut self) {
        self.count = 0;
        self.now = [0; MOST];
    }

    /// The name of a size of the call, which is the one of an equal size. `None` if there are too many, and for 0 and 1,
    /// which mean more than a size: what is empty, and what is stretched.
    pub fn name(&mut self, size: usize) -> Option<usize> {
        if is_later(size) { None } else { self.name_of_any(size) }
    }

    /// The same, also of a size that could be a name. No other size may be written as it is then.
    pub fn name_of_any(&mut self, size: usize) -> Option<usize> {
        if size < 2 {
            return None;
        }
        let at = self.now[..self.count].iter().position(|it| *it == size).unwrap_or(self.count);
        if at == self.count {
            *self.now.get_mut(at)? = size;
            self.count += 1;
        }
        Some(NAMES[at])
    }

    /// Whether a size of the call may be the one that is written like this, given what was said of the others before.
    #[inline]
    pub fn fits(&mut self, written: usize, size: usize) -> bool {
        let Some(at) = number_of(written) else { return written == size };
        if self.now[at] == 0 {
            // Different names are different sizes: code that was made for two of them has not seen them equal.
            if size < 2 || is_later(size) || self.now.contains(&size) {
                return false;
            }
            self.now[at] = size;
            self.count = self.count.max(at + 1);
        }
        self.now[at] == size
    }

    /// What a size is now.
    pub fn at(&self, size: usize) -> Option<usize> {
        if !is_later(size) {
            return Some(size);
        }
        let Sum { powers, factor, more } = Sum::of(size)?;
        let now = |at: usize| self.now[..self.count].get(at).copied().filter(|it| *it > 0);
        let mut product = factor;
        for (at, power) in powers.into_iter().enumerate().filter(|(_, power)| *power > 0) {
            product = product.checked_mul(now(at)?.checked_pow(power.into())?)?;
        }
        product.checked_add_signed(more as isize).filter(|it| !is_later(*it) || *it < isize::MAX as usize)
    }

    fn all(&self, sizes: &[usize]) -> Option<Vec<usize>> {
        sizes.iter().map(|it| self.at(*it)).collect()
    }

    fn int(&self, int: i64) -> Option<i64> {
        if !is_later_int(int) {
            return Some(int);
        }
        let size = i64::try_from(self.at(usize::try_from(int.unsigned_abs()).ok()?)?).ok()?;
        Some(if int < 0 { -size } else { size })
    }

    fn tensor(&self, ty: TensorType) -> Option<TensorType> {
        if !ty.shape.dims().iter().any(|it| is_later(*it)) {
            return Some(ty);
        }
        Some(TensorType::new(ty.dtype, &self.all(ty.shape.dims())?).at(ty.home))
    }

    fn ty(&self, ty: Type) -> Option<Type> {
        match ty {
            Type::Tensor(it) => self.tensor(it).map(Type::Tensor),
            other => Some(other),
        }
    }

    fn group(&self, group: &Group) -> Option<Group> {
        let input = |it: &Input| match it {
            Input::Tensor(ty) => self.tensor(*ty).map(Input::Tensor),
            Input::Number => Some(Input::Number),
        };
        let inputs = group.inputs().iter().map(input).collect::<Option<_>>()?;
        let member = |it: &Member| Some(Member { op: self.op(&it.op)?, args: it.args.clone() });
        let members = group.members().iter().map(member).collect::<Option<_>>()?;
        let gives = self.tensor(group.gives())?;
        let group = match group.is_chain() {
            true => Group::chain(inputs, members),
            false => Group::new(gives.shape.dims(), inputs, members),
        };
        group.filter(|it| it.gives() == gives)
    }

    /// The operation with these sizes.
    fn op(&self, op: &TensorOp) -> Option<TensorOp> {
        Some(match op {
            TensorOp::Extent(size) => TensorOp::Extent(self.at(*size)?),
            TensorOp::Full { dtype, dims, item, home } => {
                TensorOp::Full { dtype: *dtype, dims: self.all(dims)?, item: *item, home: *home }
            }
            TensorOp::Broadcast(dims) => TensorOp::Broadcast(self.all(dims)?),
            TensorOp::Reshape(dims) => TensorOp::Reshape(self.all(dims)?),
            TensorOp::Pick { along, at } => TensorOp::Pick { along: *along, at: self.int(*at)? },
            TensorOp::Slice { along, first, len, step } => {
                TensorOp::Slice { along: *along, first: self.at(*first)?, len: self.at(*len)?, step: *step }
            }
            TensorOp::SliceAt { along, len } => TensorOp::SliceAt { along: *along, len: self.at(*len)? },
            TensorOp::Diagonal { offset, first, second } => {
                TensorOp::Diagonal { offset: self.int(*offset)?, first: *first, second: *second }
            }
            TensorOp::Place { view, dims } => TensorOp::Place { view: Box::new(self.op(view)?), dims: self.all(dims)? },
            TensorOp::Put(view) => TensorOp::Put(Box::new(self.op(view)?)),
            TensorOp::ArgPartition { along, kth, descending } => {
                TensorOp::ArgPartition { along: *along, kth: self.at(*kth)?, descending: *descending }
            }
            TensorOp::Plus(made) => TensorOp::Plus(Box::new(self.op(made)?)),
            TensorOp::AddAt { at, dims } => TensorOp::AddAt { at: at.clone(), dims: self.all(dims)? },
            TensorOp::Triangle { k, lower } => TensorOp::Triangle { k: self.int(*k)?, lower: *lower },
            TensorOp::Bits { key, stream, dims, home } => {
                TensorOp::Bits { key: *key, stream: *stream, dims: self.all(dims)?, home: *home }
            }
            TensorOp::BitsAt { stream, dims, home } => {
                TensorOp::BitsAt { stream: *stream, dims: self.all(dims)?, home: *home }
            }
            TensorOp::Fused(group) => TensorOp::Fused(self.group(group)?.into()),
            TensorOp::Constant(_)
            | TensorOp::Copy
            | TensorOp::To(_)
            | TensorOp::World
            | TensorOp::Number(_)
            | TensorOp::Item
            | TensorOp::Memory(_)
            | TensorOp::MemoryOf { .. }
            | TensorOp::Again { .. }
            | TensorOp::Ran(_)
            | TensorOp::Cast(_)
            | TensorOp::Num1(_)
            | TensorOp::Real1(_)
            | TensorOp::Bits1(_)
            | TensorOp::Test1(_)
            | TensorOp::Num2(_)
            | TensorOp::Real2(_)
            | TensorOp::Bits2(_)
            | TensorOp::Compare(_)
            | TensorOp::Select
            | TensorOp::Num2Into(_)
            | TensorOp::Real2Into(_)
            | TensorOp::Assign
            | TensorOp::Permute(_)
            | TensorOp::InsertAxis(_)
            | TensorOp::PickAt { .. }
            | TensorOp::PutAt(_)
            | TensorOp::Concat { .. }
            | TensorOp::Gather(_)
            | TensorOp::Scatter(_)
            | TensorOp::Same
            | TensorOp::Lu
            | TensorOp::LuOrder
            | TensorOp::LuSolve
            | TensorOp::Decompose(_)
            | TensorOp::Matmul
            | TensorOp::Vecdot
            | TensorOp::Fold { .. }
            | TensorOp::Test { .. }
            | TensorOp::CountNonzero(_)
            | TensorOp::ArgExtreme { .. }
            | TensorOp::Scan { .. }
            | TensorOp::Sort { .. }
            | TensorOp::Argsort { .. }
            | TensorOp::Search { .. } => op.clone(),
        })
    }

    /// A function of the host with these sizes; `None` if it is not what was said of it.
    fn host(&self, host: &HostData) -> Option<HostData> {
        let Some(op) = &host.tensor else { return Some(host.clone()) };
        let types = |all: &[Type]| all.iter().map(|it| self.ty(*it)).collect::<Option<Vec<_>>>();
        let (op, params, results) = (self.op(op)?, types(&host.params)?, types(&host.results)?);
        let is_known = match op {
            TensorOp::World
            | TensorOp::Extent(_)
            | TensorOp::Memory(_)
            | TensorOp::MemoryOf { .. }
            | TensorOp::Again { .. }
            | TensorOp::Ran(_) => true,
            _ => op.results(&params).is_ok_and(|it| it == results),
        };
        let it = HostData {
            tensor: Some(op),
            takes: host.takes,
            nest: host.nest,
            ..HostData::new(host.name.clone(), params, results)
        };
        is_known.then_some(it)
    }
}

/// The functions of the host as they are with these sizes; `None` if one of them is not what was said of it.
pub fn hosts(hosts: &Table<HostId, HostData>, sizes: &Sizes) -> Option<Table<HostId, HostData>> {
    let mut all = Table::default();
    for host in hosts.values() {
        all.push(sizes.host(host)?);
    }
    Some(all)
}

/// Whether a size is known, or it can be read back what it says.
pub fn is_clear(size: usize) -> bool {
    !is_later(size) || Sum::of(size).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Dtype;

    #[test]
    fn what_follows_from_a_size_is_read_back() {
        let mut sizes = Sizes::default();
        let (n, m) = (sizes.name(64).unwrap(), sizes.name(7).unwrap());
        let l = sizes.name(9).unwrap();
        assert_eq!(sizes.name(64), Some(n));
        assert_eq!((sizes.name(0), sizes.name(1)), (None, None));
        for (size, now) in [
            (n, 64),
            (m, 7),
            (n * 10, 640),
            (n + 3, 67),
            (2 * n - 1, 127),
            (n * m * 5, 2240),
            (n * n, 4096),
            (n.wrapping_mul(m).wrapping_mul(n), 28_672),
            (n.wrapping_mul(m).wrapping_mul(l).wrapping_mul(3), 64 * 7 * 9 * 3),
            (784, 784),
        ] {
            assert_eq!(sizes.at(size), Some(now), "{}", Size(size));
            assert_eq!(Size(size).to_string().parse(), Ok(Size(size)));
        }
        assert_eq!(sizes.at(n - 65), None, "that is negative");
        assert_eq!(sizes.at(n + m), None, "that is not clear");
        assert_eq!(sizes.at(n / 2), None, "neither is this");
        assert_eq!(Size(2 * n - 1).to_string(), "?0*2-1");
    }

    #[test]
    fn products_past_64_bits_are_divided() {
        let [a, b, c, d] = NAMES;
        assert_eq!(quotient(&[a, b, c], &[c]), Some(a * b));
        assert_eq!(quotient(&[a, b, c, d], &[b, d]), Some(a * c));
        assert_eq!(quotient(&[a, b, c, 6], &[a, 2]), Some(b.wrapping_mul(c).wrapping_mul(3)));
        assert_eq!((quotient(&[a, b, c], &[4]), quotient(&[a, b, c], &[d])), (None, None));
        assert_eq!((quotient(&[6, 4], &[3]), quotient(&[6, 4], &[5]), quotient(&[0], &[0])), (Some(8), None, None));
    }

    #[test]
    fn names_are_told_apart() {
        for (at, name) in NAMES.into_iter().enumerate() {
            for factor in (1..4096).chain([10_000, 50_176, 150_528, FACTOR]) {
                let found = Sum::of(name * factor).map(|it| (it.powers[at], it.powers.iter().sum::<u8>(), it.factor));
                assert_eq!(found, Some((1, 1, factor)), "{factor} * {name}");
            }
        }
    }

    #[test]
    fn names_are_bound_once() {
        let mut sizes = Sizes::default();
        assert!(sizes.fits(NAMES[0], 5) && sizes.fits(NAMES[0], 5) && !sizes.fits(NAMES[0], 6));
        assert!(!sizes.fits(NAMES[1], 5), "they would be one");
        assert!(!sizes.fits(NAMES[1], 1) && sizes.fits(NAMES[1], 2) && sizes.fits(784, 784));
    }

    #[test]
    fn operations_that_give_other_shapes_are_found() {
        let mut sizes = Sizes::default();
        let n = sizes.name(3).unwrap();
        let of = |dims: &[usize]| Type::Tensor(TensorType::new(Dtype::F32, dims));
        let host = |op: TensorOp, params: Vec<Type>, gives: Type| {
            let data = HostData { tensor: Some(op), ..HostData::new("it", params, vec![gives]) };
            let mut all = Table::default();
            all.push(data);
            hosts(&all, &sizes).map(|it| it.values().next().unwrap().results.clone())
        };
        let slice = |len| TensorOp::Slice { along: 0, first: 0, len, step: 1 };
        assert_eq!(host(slice(2), vec![of(&[n, 4])], of(&[2, 4])), Some(vec![of(&[2, 4])]));
        assert_eq!(host(slice(5), vec![of(&[n, 4])], of(&[5, 4])), None);
        assert_eq!(host(TensorOp::Matmul, vec![of(&[n, 4]), of(&[4, 2])], of(&[n, 2])), Some(vec![of(&[3, 2])]));
        assert_eq!(
            host(TensorOp::Reshape(vec![2 * n, 2]), vec![of(&[n, 4])], of(&[2 * n, 2])),
            Some(vec![of(&[6, 2])])
        );
    }
}
