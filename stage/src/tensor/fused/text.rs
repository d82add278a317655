//! Groups as text: `fused [64,50] f32[64,50] f32[50] number | $0 $1 add | full f32 [] 0 | $3 $4 maximum`.

use std::fmt;

use super::{Group, Input, Member};
use crate::sizes::Size;
use crate::tensor::Dtype;
use crate::tensor::op::{TensorOp, shape};
use crate::types::TensorType;

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tensor(ty) => write!(f, "{}{}", ty.dtype, shape(ty.shape.dims())),
            Self::Number => f.write_str("number"),
        }
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.args.iter().try_for_each(|arg| write!(f, "${arg} "))?;
        write!(f, "{}", self.op)
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fused {}", shape(self.gives.shape.dims()))?;
        self.inputs.iter().try_for_each(|input| write!(f, " {input}"))?;
        self.members.iter().try_for_each(|member| write!(f, " | {member}"))
    }
}

fn dims(word: &str) -> Option<Vec<usize>> {
    let inside = word.strip_prefix('[')?.strip_suffix(']')?;
    inside.split(',').filter(|it| !it.is_empty()).map(|it| it.parse::<Size>().ok().map(|it| it.0)).collect()
}

fn input(word: &str) -> Option<Input> {
    if word == "number" {
        return Some(Input::Number);
    }
    let (dtype, shape) = word.split_at(word.find('[')?);
    let dtype = Dtype::ALL.into_iter().find(|it| it.text() == dtype)?;
    Some(Input::Tensor(TensorType::new(dtype, &dims(shape)?)))
}

fn member(text: &str) -> Option<Member> {
    let mut rest = text.trim();
    let mut args = Vec::new();
    while let Some(after) = rest.strip_prefix('$') {
        let (arg, then) = after.split_once(' ')?;
        args.push(arg.parse().ok()?);
        rest = then.trim_start();
    }
    Some(Member { op: TensorOp::from_text(rest)?, args })
}

impl Group {
    /// The group of a text, without its first word.
    pub(in crate::tensor) fn from_text(text: &str) -> Option<Self> {
        let mut parts = text.split('|');
        let mut words = parts.next()?.split_ascii_whitespace();
        let dims = dims(words.next()?)?;
        let inputs: Vec<Input> = words.map(input).collect::<Option<_>>()?;
        let members: Vec<Member> = parts.map(member).collect::<Option<_>>()?;
        Self::new(&dims, inputs.clone(), members.clone()).or_else(|| Self::chain(inputs, members))
    }
}
