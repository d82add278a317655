//! How far two integers are apart, where that is known though they are not.

use std::collections::BTreeMap;

use crate::entity::Value;
use crate::ir::Function;
use crate::op::{Const, Num2, Op};

/// How deep an expression is looked into.
const DEPTH: u32 = 16;

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

/// `x - y` for two integers, if it is the same whatever they are.
pub fn difference(func: &Function, x: Value, y: Value) -> Option<i64> {
    let mut sum = Sum::default();
    sum.add(func, x, 1, DEPTH)?;
    sum.add(func, y, -1, DEPTH)?;
    if sum.times.values().any(|it| *it != 0) {
        return None;
    }
    i64::try_from(sum.constant).ok()
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
        assert_eq!(difference(func, value(6), value(4)), Some(64));
        assert_eq!(difference(func, value(7), value(6)), Some(0));
        assert_eq!(difference(func, value(5), value(0)), Some(1));
        assert_eq!(difference(func, value(1), value(0)), None);
        // What may wrap is not looked into.
        assert_eq!(difference(func, value(8), value(0)), None);
    }
}
