//! Powers whose exponent is known later, as Python computes them: squares and roots are rounded as such.
//!
//! The value is chosen among a product, a root and a power. The derivative is that of the power in all three: where the
//! exponent happens to be 2, it still is what the result depends on.

use crate::entity::Value;
use crate::ir::Function;
use crate::op::{Bit2, Cmp, Const, Num2, Op, Real1, Real2};

/// Whether a choice with these operands gives what its last one gives, but for how it is rounded.
pub(super) fn is_rounded(func: &Function, args: &[Value]) -> bool {
    power_of(func, args).is_some()
}

/// The base and the exponent.
fn power_of(func: &Function, args: &[Value]) -> Option<[Value; 2]> {
    let &[cond, exact, other] = args else { return None };
    let [base, exponent] = match func.definition(other)? {
        (Op::Real2(Real2::Pow), &[base, exponent]) => [base, exponent],
        (Op::Select, inner) => power_of(func, inner)?,
        _ => return None,
    };
    let is = |cond: Value, exact: f64| {
        matches!(func.definition(cond), Some((Op::Cmp(Cmp::Eq), &[x, y]))
            if x == exponent && func.as_const(y) == Some(Const::F64(exact)))
    };
    // Of a base that is known, the square and the root are known, too.
    let number = |value| match func.as_const(value) {
        Some(Const::F64(it)) => Some(it),
        _ => None,
    };
    let both = number(base).zip(number(exact));
    let holds = match (func.definition(exact)?, func.definition(cond)?) {
        ((Op::Num2(Num2::Mul), &[x, y]), _) => x == base && y == base && is(cond, 2.0),
        ((Op::Num2(Num2::Add), &[root, _]), (Op::Bit2(Bit2::And), &[half, _])) => {
            func.definition(root) == Some((Op::Real1(Real1::Sqrt), &[base])) && is(half, 0.5)
        }
        ((Op::Const(_), _), _) => both.is_some_and(|(base, exact)| {
            exact == base * base && is(cond, 2.0) || exact == base.sqrt() && is(cond, 0.5)
        }),
        _ => false,
    };
    holds.then_some([base, exponent])
}
