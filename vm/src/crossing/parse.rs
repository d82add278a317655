//! Numbers written in texts, as programs that read data meet them: an int or float of which no object is made.

use rustpython_vm::builtins::PyStr;
use rustpython_vm::{AsObject, PyObject, VirtualMachine};

/// So many digits are an int of 64 bits, whichever they are.
const MAX_DIGITS: usize = 18;

/// The bits of `int(text)` or `float(text)`; `None` where the call itself has to say what that is.
pub(super) fn number(callable: &PyObject, text: &PyStr, vm: &VirtualMachine) -> Option<u64> {
    let text = text.to_str().filter(|it| it.is_ascii())?;
    if callable.is(vm.ctx.types.int_type) {
        return parse_int(text).map(i64::cast_unsigned);
    }
    callable.is(vm.ctx.types.float_type).then(|| parse_float(text))?.map(f64::to_bits)
}

fn parse_int(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    (digits.len() <= MAX_DIGITS && digits.bytes().all(|it| it.is_ascii_digit())).then(|| text.parse().ok())?
}

fn parse_float(text: &str) -> Option<f64> {
    let is_plain = |it: u8| it.is_ascii_digit() || matches!(it, b'.' | b'-' | b'+' | b'e' | b'E');
    text.bytes().all(is_plain).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::{parse_float, parse_int};

    #[test]
    fn what_python_reads_otherwise_is_left_to_it() {
        assert_eq!([parse_int("12"), parse_int("-7"), parse_int("+007")], [Some(12), Some(-7), Some(7)]);
        assert!(
            ["", "-", "+-1", "1_0", " 1", "0x1", "1.0", "1234567890123456789"].iter().all(|it| parse_int(it).is_none())
        );
        let floats = [parse_float("2.50"), parse_float("-.5"), parse_float("1.e3"), parse_float("1E-400")];
        assert_eq!(floats, [Some(2.5), Some(-0.5), Some(1000.0), Some(0.0)]);
        assert!(["", ".", "e5", "1e", "nan", "inf", "1_0.0", " 1"].iter().all(|it| parse_float(it).is_none()));
    }
}
