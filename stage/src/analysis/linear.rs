//! How far two integers are apart, where that is known though they are not.

use std::collections::{BTreeMap, BTreeSet};

use crate::entity::Value;
use crate::ir::Function;
use crate::op::{Const, Effect, Num2, Op};

/// How deep an expression is looked into.
const DEPTH: u32 = 16;
/// So many values are looked at.
const MOST: usize = 64;

/// A sum of values, each so many times, and a constant.
#[derive(Default)]
struct Sum {
    times: BTreeMap<Value, i128>,
    constant: i128,
}

impl Sum {
    /// Adds `factor` times a value.
    fn add(&mut self, func: &Function, value: Value, factor: i128, depth: u32) -> Option<()> {
        let known = |value: Value| match func.as_const(value) {
            Some(Const::I64(it)) => Some(i128::from(it)),
            _ => None,
        };
        if let Some(it) = known(value) {
            self.constant = self.constant.checked_add(it.checked_mul(factor)?)?;
            return Some(());
        }
        // Checked arithmetic is exact, or the function is left.
        match func.definition(value).filter(|_| depth > 0) {
            Some((Op::Num2(Num2::Add), &[x, y])) => {
                self.add(func, x, factor, depth - 1)?;
                self.add(func, y, factor, depth - 1)
            }
            Some((Op::Num2(Num2::Sub), &[x, y])) => {
                self.add(func, x, factor, depth - 1)?;
                self.add(func, y, factor.checked_neg()?, depth - 1)
            }
            Some((Op::Num2(Num2::Mul), &[x, y])) if let Some(by) = known(y) => {
                self.add(func, x, factor.checked_mul(by)?, depth - 1)
            }
            Some((Op::Num2(Num2::Mul), &[x, y])) if let Some(by) = known(x) => {
                self.add(func, y, factor.checked_mul(by)?, depth - 1)
            }
            _ => {
                let times = self.times.entry(value).or_default();
                *times = times.checked_add(factor)?;
                Some(())
            }
        }
    }
}

/// `x - y` for two integers, if it is the same whatever they are; else the values that it depends on.
///
/// # Errors
/// Those values.
pub fn difference(func: &Function, x: Value, y: Value) -> Result<i64, Vec<Value>> {
    let mut sum = Sum::default();
    let is_sum = sum.add(func, x, 1, DEPTH).and_then(|()| sum.add(func, y, -1, DEPTH)).is_some();
    let terms: Vec<Value> = sum.times.iter().filter(|it| *it.1 != 0).map(|it| *it.0).collect();
    match i64::try_from(sum.constant) {
        Ok(constant) if is_sum && terms.is_empty() => Ok(constant),
        _ if is_sum => Err(terms),
        _ => Err(vec![x, y]),
    }
}

/// The parameters of a function that a number is computed from, as far as they are looked for.
pub fn params(func: &Function, value: Value) -> Vec<Value> {
    let (mut found, mut open, mut seen) = (Vec::new(), vec![value], BTreeSet::new());
    while let Some(value) = open.pop() {
        if seen.len() == MOST || !seen.insert(value) {
            continue;
        }
        match func.definition(value) {
            Some((op, args)) if matches!(op.effect(true), Effect::Pure | Effect::MayExit) => open.extend(args),
            Some(_) => {}
            None => found.push(value),
        }
    }
    found.retain(|it| func.blocks[func.entry()].params.contains(it));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_slices_are_seen() {
        let source = "
            func @f(v0: i64, v1: i64) -> i64 {
            block0:
                v2: i64 = const 64
                v3: i64 = const 1
                v4: i64 = mul v0, v2
                v5: i64 = add v0, v3
                v6: i64 = mul v2, v5
                v7: i64 = add v4, v2
                v8: i64 = wrap_add v0, v3
                return v6
            }";
        let module = crate::text::parse(source).unwrap();
        let func = &module.funcs[module.main()];
        let value = |index| <Value as crate::entity::Entity>::new(index);
        assert_eq!(difference(func, value(6), value(4)), Ok(64));
        assert_eq!(difference(func, value(7), value(6)), Ok(0));
        assert_eq!(difference(func, value(5), value(0)), Ok(1));
        assert_eq!(difference(func, value(1), value(0)), Err(vec![value(0), value(1)]));
        // What may wrap is not looked into.
        assert_eq!(difference(func, value(8), value(0)), Err(vec![value(0), value(8)]));
        assert_eq!(params(func, value(8)), [value(0)]);
    }
}
