//! Groups whose members are carried out one by one.

use super::{Group, Input, Member};
use crate::types::Type;

impl Group {
    /// The group of these members, of any kind: they are carried out one by one, but by code that is made of them
    /// ([`crate::tensor::nest`]).
    pub fn chain(inputs: Vec<Input>, members: Vec<Member>) -> Option<Self> {
        let ty = |it: &Input| match it {
            Input::Tensor(ty) => Type::Tensor(*ty),
            Input::Number => Type::I64,
        };
        let mut types: Vec<Type> = inputs.iter().map(ty).collect();
        let mut writes = None;
        for (at, member) in members.iter().enumerate() {
            let args: Vec<Type> =
                member.args.iter().map(|it| types.get(usize::from(*it)).copied()).collect::<Option<_>>()?;
            match member.op.results(&args).ok()?[..] {
                [gives] => types.push(gives),
                [] if at + 1 == members.len() => writes = args.first().copied(),
                _ => return None,
            }
        }
        types.extend(writes);
        let &Type::Tensor(gives) = types.last().filter(|_| !members.is_empty())? else { return None };
        Some(Self {
            inputs,
            members,
            gives,
            values: Vec::new(),
            views: Vec::new(),
            numbers: Vec::new(),
            once: Vec::new(),
            once_steps: Vec::new(),
            steps: Vec::new(),
            blocks: 0,
            widest: 0,
            spare: 0,
            rows: None,
            is_chain: true,
            writes: writes.is_some(),
        })
    }
}
