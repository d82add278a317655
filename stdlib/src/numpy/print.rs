//! Arrays as text: NumPy's rules (`array2string` with its default options).
//!
//! Eight digits at most, no more than all elements together need to be told apart; from 1,000 elements on only the
//! first and last three of each axis; lines of 75 columns.

use snekpy_stage::tensor::{Dtype, Item, Tensor, layout};

const PRECISION: usize = 8;
const THRESHOLD: usize = 1000;
const EDGE: usize = 3;
const WIDTH: usize = 75;

/// What `str` gives.
pub(super) fn text(tensor: &Tensor) -> String {
    match tensor.only_item() {
        Some(item) if tensor.rank() == 0 => scalar(item, tensor.dtype()),
        Some(_) | None => body(tensor, " ", ""),
    }
}

/// What `repr` gives.
pub(super) fn repr(tensor: &Tensor) -> String {
    let dtype = tensor.dtype();
    let body = if tensor.count() == 0 && tensor.rank() != 1 { "[]".to_owned() } else { body(tensor, ", ", "array(") };
    let implied = match dtype {
        Dtype::Bool | Dtype::I64 | Dtype::F64 => tensor.count() > 0,
        Dtype::I32 | Dtype::F16 | Dtype::Bf16 | Dtype::F32 => false,
    };
    let mut more = Vec::new();
    if tensor.count() == 0 && tensor.rank() != 1 || tensor.count() > THRESHOLD {
        more.push(format!("shape={}", snekpy_stage::tensor::show(tensor.dims())));
    }
    if !implied {
        more.push(format!("dtype={}", dtype.name()));
    }
    if more.is_empty() {
        return format!("array({body})");
    }
    let more = more.join(", ");
    let last_line = body.rsplit('\n').next().unwrap_or("").len() + if body.contains('\n') { 0 } else { "array(".len() };
    let separator = if last_line + more.len() + 3 > WIDTH { ",\n      " } else { ", " };
    format!("array({body}{separator}{more})")
}

/// A single number as Python, or a NumPy scalar, shows it.
fn scalar(item: Item, dtype: Dtype) -> String {
    match item {
        Item::Bool(true) => "True".to_owned(),
        Item::Bool(false) => "False".to_owned(),
        Item::Int(it) => it.to_string(),
        Item::Float(it) => {
            if !it.is_finite() {
                return special(it).to_owned();
            }
            let magnitude = it.abs();
            if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
                let digits = Digits::shortest(it, dtype);
                digits.exponential(digits.digits.len().saturating_sub(1), 2, true)
            } else {
                let digits = Digits::shortest(it, dtype);
                digits.positional(digits.fraction().max(1))
            }
        }
    }
}

fn special(x: f64) -> &'static str {
    if x.is_nan() {
        "nan"
    } else if x > 0.0 {
        "inf"
    } else {
        "-inf"
    }
}

/// The decimal digits of a float: `0.d1 d2 d3 .. * 10^point`.
struct Digits {
    negative: bool,
    digits: Vec<u8>,
    point: i32,
}

impl Digits {
    /// As few digits as tell it from its neighbours of the same dtype.
    fn shortest(x: f64, dtype: Dtype) -> Self {
        let text = match dtype {
            Dtype::F32 => format!("{:e}", x as f32),
            Dtype::F16 | Dtype::Bf16 => short_half(x, dtype),
            Dtype::F64 | Dtype::Bool | Dtype::I32 | Dtype::I64 => format!("{x:e}"),
        };
        Self::of(&text)
    }

    /// From `d.ddde±x`.
    fn of(text: &str) -> Self {
        let negative = text.starts_with('-');
        let (mantissa, exponent) = text.trim_start_matches('-').split_once('e').unwrap_or((text, "0"));
        let mut digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
        while digits.len() > 1 && digits.last() == Some(&b'0') {
            digits.pop();
        }
        let zero = digits.iter().all(|it| *it == b'0');
        if zero {
            digits.clear();
        }
        let point = if zero { 1 } else { exponent.parse::<i32>().unwrap_or(0) + 1 };
        Self { negative, digits, point }
    }

    /// Rounded to a number of digits behind the point (or behind the first digit, if `exponential`).
    fn rounded(x: f64, dtype: Dtype, behind: usize, exponential: bool) -> Self {
        let all = Self::shortest(x, dtype);
        let keep = if exponential { behind as i32 + 1 } else { all.point + behind as i32 };
        if all.digits.len() as i32 <= keep {
            return all;
        }
        // The exact value decides, not its shortest digits.
        if exponential { Self::of(&format!("{x:.behind$e}")) } else { Self::of_positional(&format!("{x:.behind$}")) }
    }

    /// From `ddd.ddd`.
    fn of_positional(text: &str) -> Self {
        let negative = text.starts_with('-');
        let (whole, fraction) =
            text.trim_start_matches('-').split_once('.').unwrap_or((text.trim_start_matches('-'), ""));
        let all = format!("{whole}{fraction}");
        let zeros = all.bytes().take_while(|it| *it == b'0').count();
        let mut digits: Vec<u8> = all.bytes().skip(zeros).collect();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        let point = if digits.is_empty() { 1 } else { whole.len() as i32 - zeros as i32 };
        Self { negative, digits, point }
    }

    /// How many digits are behind the point.
    fn fraction(&self) -> usize {
        (self.digits.len() as i32 - self.point).max(0) as usize
    }

    /// How many characters are before the point.
    fn whole(&self) -> usize {
        self.point.max(1) as usize + usize::from(self.negative)
    }

    /// `-12.50`, with this many digits behind the point.
    fn positional(&self, behind: usize) -> String {
        let mut text = if self.negative { "-".to_owned() } else { String::new() };
        let digit = |at: i32| if at < 0 { '0' } else { self.digits.get(at as usize).map_or('0', |it| char::from(*it)) };
        if self.point <= 0 {
            text.push('0');
        }
        text.extend((0..self.point).map(digit));
        text.push('.');
        for at in 0..behind as i32 {
            text.push(digit(self.point + at));
        }
        text
    }

    /// `1.25e-07`, with this many digits behind the point and at least this many of the exponent.
    fn exponential(&self, behind: usize, exponent_digits: usize, trim: bool) -> String {
        let mut text = if self.negative { "-".to_owned() } else { String::new() };
        let digit = |at: usize| self.digits.get(at).map_or('0', |it| char::from(*it));
        text.push(digit(0));
        if !(trim && behind == 0) {
            text.push('.');
        }
        text.extend((1..=behind).map(digit));
        let exponent = if self.digits.is_empty() { 0 } else { self.point - 1 };
        let sign = if exponent < 0 { '-' } else { '+' };
        text.push_str(&format!("e{sign}{:0exponent_digits$}", exponent.abs()));
        text
    }
}

/// The fewest digits that give the same half.
fn short_half(x: f64, dtype: Dtype) -> String {
    let same = |text: &str| {
        let back: f64 = text.parse().unwrap_or(f64::NAN);
        let item = Item::Float(back);
        let rounded = snekpy_stage::tensor::make::full(dtype, &[], item).ok().and_then(|it| it.only_item());
        rounded == Some(Item::Float(x))
    };
    (0..8).map(|digits| format!("{x:.digits$e}")).find(|it| same(it)).unwrap_or_else(|| format!("{x:e}"))
}

/// How elements are written so that they line up.
enum Format {
    /// Padded on the left to a width.
    Plain {
        width: usize,
    },
    /// Digits before and behind the point.
    Positional {
        before: usize,
        behind: usize,
    },
    Exponential {
        behind: usize,
        exponent: usize,
        width: usize,
    },
}

fn format_for(items: &[Item], dtype: Dtype) -> Format {
    let floats: Vec<f64> = items.iter().map(|it| it.float()).collect();
    if !dtype.is_float() {
        let width = items.iter().map(|it| plain(*it).len()).max().unwrap_or(0);
        return Format::Plain { width };
    }
    let finite: Vec<f64> = floats.iter().copied().filter(|it| it.is_finite()).collect();
    let others = floats.iter().filter(|it| !it.is_finite()).map(|it| special(*it).len()).max().unwrap_or(0);
    let magnitudes = || finite.iter().map(|it| it.abs()).filter(|it| *it != 0.0);
    let (largest, least) = (magnitudes().fold(0.0, f64::max), magnitudes().fold(f64::INFINITY, f64::min));
    let exponential = largest >= 1e8 || largest > 0.0 && (least < 1e-4 || largest / least > 1000.0);
    if exponential {
        let all: Vec<Digits> = finite.iter().map(|it| Digits::rounded(*it, dtype, PRECISION, true)).collect();
        let behind = all.iter().map(|it| it.digits.len().saturating_sub(1)).max().unwrap_or(0);
        let exponent = all.iter().map(|it| (it.point - 1).abs().to_string().len()).max().unwrap_or(2).max(2);
        let width = all.iter().map(|it| it.exponential(behind, exponent, false).len()).max().unwrap_or(0).max(others);
        return Format::Exponential { behind, exponent, width };
    }
    let all: Vec<Digits> = finite.iter().map(|it| Digits::rounded(*it, dtype, PRECISION, false)).collect();
    let behind = all.iter().map(Digits::fraction).max().unwrap_or(0);
    let before = all.iter().map(Digits::whole).max().unwrap_or(0);
    // nan and inf stand where the digits are; if they are wider, numbers move to the right.
    let before = if others > 0 { before.max((others).saturating_sub(behind + 1)) } else { before };
    Format::Positional { before, behind }
}

fn plain(item: Item) -> String {
    match item {
        Item::Bool(true) => "True".to_owned(),
        Item::Bool(false) => "False".to_owned(),
        Item::Int(it) => it.to_string(),
        Item::Float(it) => it.to_string(),
    }
}

impl Format {
    fn show(&self, item: Item, dtype: Dtype) -> String {
        match self {
            Self::Plain { width } => format!("{:>width$}", plain(item)),
            Self::Positional { before, behind } => {
                let (x, width) = (item.float(), before + behind + 1);
                if !x.is_finite() {
                    return format!("{:>width$}", special(x));
                }
                let digits = Digits::rounded(x, dtype, PRECISION.max(*behind), false);
                let shown = digits.positional(digits.fraction().min(*behind));
                // Trailing zeros are spaces.
                let pad = behind - digits.fraction().min(*behind);
                format!("{}{shown}{}", " ".repeat(before - digits.whole().min(*before)), " ".repeat(pad))
            }
            Self::Exponential { behind, exponent, width } => {
                let x = item.float();
                if !x.is_finite() {
                    return format!("{:>width$}", special(x));
                }
                let shown = Digits::rounded(x, dtype, *behind, true).exponential(*behind, *exponent, false);
                format!("{shown:>width$}")
            }
        }
    }
}

fn body(tensor: &Tensor, separator: &str, prefix: &str) -> String {
    if tensor.rank() > 0 && tensor.count() == 0 {
        return "[]".to_owned();
    }
    let short = tensor.count() > THRESHOLD;
    let shown = if short { edges(tensor) } else { tensor.items() };
    let format = format_for(&shown, tensor.dtype());
    let mut printer = Printer { separator, short, format, dtype: tensor.dtype() };
    let hanging = " ".repeat(prefix.len());
    printer.level(tensor, &format!("{hanging} "), WIDTH)
}

/// The elements that are shown of a long array.
fn edges(tensor: &Tensor) -> Vec<Item> {
    fn walk(view: &Tensor, axis: usize, all: &mut Vec<Item>) {
        if axis == view.rank() {
            all.extend(view.items());
            return;
        }
        let size = view.dims()[axis];
        if size > 2 * EDGE {
            walk(&layout::slice(view, axis, 0, EDGE, 1), axis + 1, all);
            walk(&layout::slice(view, axis, size - EDGE, EDGE, 1), axis + 1, all);
        } else {
            walk(view, axis + 1, all);
        }
    }
    let mut all = Vec::new();
    walk(tensor, 0, &mut all);
    all
}

struct Printer<'a> {
    separator: &'a str,
    short: bool,
    format: Format,
    dtype: Dtype,
}

impl Printer<'_> {
    /// One axis and what is inside.
    fn level(&mut self, tensor: &Tensor, hanging: &str, width: usize) -> String {
        let Some(size) = tensor.dims().first().copied() else {
            return tensor.only_item().map_or_else(String::new, |it| {
                // A single number is not padded.
                self.format.show(it, self.dtype).trim().to_owned()
            });
        };
        let cut = self.short && size > 2 * EDGE;
        let mut positions: Vec<Option<usize>> = Vec::new();
        if cut {
            positions.extend((0..EDGE).map(Some));
            positions.push(None);
            positions.extend((size - EDGE..size).map(Some));
        } else {
            positions.extend((0..size).map(Some));
        }
        let pick = |at: usize| layout::pick(tensor, 0, at as i64).expect("the position is inside");
        let mut text = String::new();
        if tensor.rank() == 1 {
            let mut line = hanging.to_owned();
            let limit = width - 1_usize.max(self.separator.trim_end().len());
            let last = positions.len() - 1;
            for (number, position) in positions.into_iter().enumerate() {
                let word = match position {
                    Some(at) => {
                        let item = pick(at).only_item().expect("it is a single element");
                        self.format.show(item, self.dtype)
                    }
                    None => "...".to_owned(),
                };
                let limit = if number == last { width - 1 } else { limit };
                if line.len() + word.len() > limit && line.len() > hanging.len() {
                    text.push_str(line.trim_end());
                    text.push('\n');
                    line = hanging.to_owned();
                }
                line.push_str(&word);
                if number != last {
                    line.push_str(self.separator);
                }
            }
            text.push_str(&line);
            return format!("[{}]", &text[hanging.len()..]);
        }
        let breaks = "\n".repeat(tensor.rank() - 1);
        let inner = format!("{hanging} ");
        let last = positions.len() - 1;
        for (number, position) in positions.into_iter().enumerate() {
            if number > 0 {
                text.push_str(hanging);
            }
            match position {
                Some(at) => text.push_str(&self.level(&pick(at), &inner, width - 1)),
                None => text.push_str("..."),
            }
            if number != last {
                text.push_str(self.separator.trim_end());
                text.push_str(&breaks);
            }
        }
        format!("[{text}]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(items: &[f64]) -> Tensor {
        Tensor::from_slice(items, &[items.len()]).expect("small")
    }

    /// From NumPy 2.
    #[test]
    fn floats_line_up_as_in_numpy() {
        for (items, expected) in [
            (&[1.0, 2.5, -3.0][..], "[ 1.   2.5 -3. ]"),
            (&[1e-5, 1.0], "[1.e-05 1.e+00]"),
            (&[0.1, 0.25, 1.0 / 3.0], "[0.1        0.25       0.33333333]"),
            (&[1e8, 1.0], "[1.e+08 1.e+00]"),
            (&[f64::NAN, 1.5, f64::INFINITY], "[nan 1.5 inf]"),
            (&[1234.5678, 0.0], "[1234.5678    0.    ]"),
            (&[0.0, -0.0], "[ 0. -0.]"),
        ] {
            assert_eq!(text(&floats(items)), expected);
        }
        assert_eq!(repr(&floats(&[1.0, 2.0])), "array([1., 2.])");
    }
}
