//! Typing rules: from an op and the types of its operands to the types of its results.
//!
//! The builder and the verifier use these same functions, so what is built is what is verified.

use std::fmt;

use crate::entity::{Entity, ExitId, FuncId};
use crate::ir::Module;
use crate::op::{Const, Convert, ListOp, MapOp, ObjectOp, Op};
use crate::types::{ArrayType, Class, Scalar, Type};

/// Why an op does not take these operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeFault {
    /// Another number of operands.
    Count {
        /// How many the op takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// An operand of another type.
    Operand {
        /// Which one, from 0.
        position: usize,
        /// What the op takes there.
        expected: String,
        /// What is there.
        found: Type,
    },
    /// A function, exit or host function that the module does not have.
    Unknown(String),
}

impl fmt::Display for TypeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { expected, found } => write!(f, "expected {expected} operands, found {found}"),
            Self::Operand { position, expected, found } => {
                write!(f, "expected {expected} as operand {position}, found {found}")
            }
            Self::Unknown(name) => write!(f, "the module has no {name}"),
        }
    }
}

impl std::error::Error for TypeFault {}

/// What a callee looks like from outside: types of parameters and results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The types of the parameters.
    pub params: Vec<Type>,
    /// The types of the results.
    pub results: Vec<Type>,
}

/// The types of the results of `op` on operands of these types.
///
/// `signature` tells what a called function looks like; it is a function and not the module because the
/// caller may be in the middle of building one of the module's functions.
///
/// # Errors
/// A [`TypeFault`] when the operands do not fit.
pub fn results(
    op: Op,
    operands: &[Type],
    module: &Module,
    signature: impl Fn(FuncId) -> Option<Signature>,
) -> Result<Vec<Type>, TypeFault> {
    let is_number = |ty| matches!(ty, Type::I64 | Type::F64);
    Ok(match op {
        Op::Const(constant) => {
            exactly(operands, &[])?;
            vec![match constant {
                Const::Bool(_) => Type::Bool,
                Const::I64(_) => Type::I64,
                Const::F64(_) => Type::F64,
            }]
        }
        Op::Num1(_) => vec![alike(operands, 1, "a number", is_number)?],
        Op::Num2(_) => vec![alike(operands, 2, "a number", is_number)?],
        Op::IntPow | Op::Wrap2(_) | Op::Shift(_) => {
            exactly(operands, &[Type::I64, Type::I64])?;
            vec![Type::I64]
        }
        Op::IntDiv => {
            exactly(operands, &[Type::I64, Type::I64])?;
            vec![Type::F64]
        }
        Op::Overflow2(_) => {
            exactly(operands, &[Type::I64, Type::I64])?;
            vec![Type::Bool]
        }
        Op::Bit2(_) => {
            vec![alike(operands, 2, "a truth value or an integer", |ty| matches!(ty, Type::Bool | Type::I64))?]
        }
        Op::Not => vec![alike(operands, 1, "a truth value or an integer", |ty| matches!(ty, Type::Bool | Type::I64))?],
        Op::Real1(_) | Op::Element1(..) => {
            exactly(operands, &[Type::F64])?;
            vec![Type::F64]
        }
        Op::Real2(_) | Op::Element2(..) => {
            exactly(operands, &[Type::F64, Type::F64])?;
            vec![Type::F64]
        }
        Op::Cmp(_) => {
            alike(operands, 2, "a scalar", Type::is_scalar_ref)?;
            vec![Type::Bool]
        }
        Op::CmpIntFloat(_) => {
            exactly(operands, &[Type::I64, Type::F64])?;
            vec![Type::Bool]
        }
        Op::Convert(convert) => {
            let (from, to) = convert_types(convert);
            exactly(operands, &[from])?;
            vec![to]
        }
        Op::Select => {
            count(operands, 3)?;
            operand(operands, 0, Type::Bool)?;
            vec![alike(&operands[1..], 2, "a scalar", Type::is_scalar_ref)?]
        }
        Op::Len => {
            count(operands, 1)?;
            array(operands)?;
            vec![Type::I64]
        }
        Op::Load => {
            count(operands, 2)?;
            let it = array(operands)?;
            operand(operands, 1, Type::I64)?;
            vec![it.elem.value_type()]
        }
        Op::Store => {
            count(operands, 3)?;
            let it = array(operands)?;
            operand(operands, 1, Type::I64)?;
            operand(operands, 2, it.elem.value_type())?;
            vec![]
        }
        Op::ListNew(list) => {
            exactly(operands, &[])?;
            vec![Type::List(list)]
        }
        Op::List(op) => {
            let first = *operands.first().ok_or(TypeFault::Count { expected: 1, found: 0 })?;
            let Type::List(list) = first else {
                return Err(TypeFault::Operand { position: 0, expected: "a list".to_owned(), found: first });
            };
            let mut expected = vec![first];
            expected.extend(op.takes_index().then_some(Type::I64));
            expected.extend(op.takes_item().then(|| list.item()));
            exactly(operands, &expected)?;
            match op {
                ListOp::Len => vec![Type::I64],
                op if op.gives_item() => vec![list.item()],
                _ => vec![],
            }
        }
        Op::MapNew(map) => {
            exactly(operands, &[])?;
            vec![Type::Map(map)]
        }
        Op::Map(op) => {
            let first = *operands.first().ok_or(TypeFault::Count { expected: 1, found: 0 })?;
            let Type::Map(map) = first else {
                return Err(TypeFault::Operand { position: 0, expected: "a map".to_owned(), found: first });
            };
            if op == MapOp::Get && map.value.is_none() {
                return Err(TypeFault::Operand { position: 0, expected: "a map with values".to_owned(), found: first });
            }
            let mut expected = vec![first];
            expected.extend(op.takes_position().then_some(Type::I64));
            expected.extend(op.takes_key().then(|| map.key.ty()));
            expected.extend(map.value.filter(|_| op.takes_value()).map(Scalar::ty));
            exactly(operands, &expected)?;
            match op {
                MapOp::Len | MapOp::Changes | MapOp::Find | MapOp::Next | MapOp::Last => vec![Type::I64],
                MapOp::Key => vec![map.key.ty()],
                MapOp::Get => map.value.map(Scalar::ty).into_iter().collect(),
                MapOp::Put | MapOp::Remove | MapOp::Clear => vec![],
            }
        }
        Op::Object(op) => {
            let first = *operands.first().ok_or(TypeFault::Count { expected: 1, found: 0 })?;
            if !first.is_handle() {
                return Err(TypeFault::Operand { position: 0, expected: "an object".to_owned(), found: first });
            }
            match op {
                ObjectOp::TextAt => exactly(operands, &[first, Type::I64])?,
                _ => exactly(operands, &[first])?,
            }
            match op {
                ObjectOp::IsNone => vec![Type::Bool],
                ObjectOp::Keep | ObjectOp::TextLen | ObjectOp::TextAt => vec![Type::I64],
                ObjectOp::Retain | ObjectOp::Release => vec![],
            }
        }
        Op::OfClass(class) => {
            exactly(operands, &[Type::Object(Class::ANY)])?;
            vec![Type::Object(class)]
        }
        Op::Kept(tensor) => {
            exactly(operands, &[Type::I64])?;
            vec![Type::Tensor(tensor)]
        }
        Op::Guard(exit) => {
            exactly(operands, &[&[Type::Bool], carried(module, Some(exit))?].concat())?;
            vec![]
        }
        Op::OverflowIf => {
            exactly(operands, &[Type::Bool])?;
            vec![]
        }
        Op::Checkpoint(exit) => {
            exactly(operands, carried(module, Some(exit))?)?;
            vec![]
        }
        Op::Call(func, exit) => {
            let it = signature(func).ok_or_else(|| TypeFault::Unknown(format!("fn{}", func.index())))?;
            exactly(operands, &[&it.params[..], carried(module, exit)?].concat())?;
            it.results
        }
        Op::Tensor(host, acts) => {
            let data = module.hosts.lookup(host).ok_or_else(|| TypeFault::Unknown(host.to_string()))?;
            exactly(operands, &data.params)?;
            match &data.tensor {
                Some(op) if op.acts() == acts => data.results.clone(),
                Some(_) | None => return Err(TypeFault::Unknown(format!("operation on tensors {host}"))),
            }
        }
        Op::Host(host, exit) => {
            let data = module.hosts.lookup(host).ok_or_else(|| TypeFault::Unknown(host.to_string()))?;
            exactly(operands, &[&data.params[..], carried(module, exit)?].concat())?;
            data.results.clone()
        }
    })
}

/// The types of the values that an exit carries.
fn carried(module: &Module, exit: Option<ExitId>) -> Result<&[Type], TypeFault> {
    let Some(exit) = exit else { return Ok(&[]) };
    module.exits.lookup(exit).map(|data| &data.types[..]).ok_or_else(|| TypeFault::Unknown(exit.to_string()))
}

/// What a conversion takes and gives.
pub const fn convert_types(convert: Convert) -> (Type, Type) {
    match convert {
        Convert::BoolToInt => (Type::Bool, Type::I64),
        Convert::IntToFloat => (Type::I64, Type::F64),
        Convert::FloatToInt => (Type::F64, Type::I64),
        Convert::Single | Convert::Half | Convert::Bfloat => (Type::F64, Type::F64),
        Convert::Int32 => (Type::I64, Type::I64),
    }
}

impl Type {
    fn is_scalar_ref(self) -> bool {
        self.is_scalar()
    }
}

fn count(operands: &[Type], expected: usize) -> Result<(), TypeFault> {
    if operands.len() == expected { Ok(()) } else { Err(TypeFault::Count { expected, found: operands.len() }) }
}

fn operand(operands: &[Type], position: usize, expected: Type) -> Result<(), TypeFault> {
    let found = operands[position];
    if found == expected { Ok(()) } else { Err(TypeFault::Operand { position, expected: expected.to_string(), found }) }
}

fn exactly(operands: &[Type], expected: &[Type]) -> Result<(), TypeFault> {
    count(operands, expected.len())?;
    expected.iter().enumerate().try_for_each(|(position, &ty)| operand(operands, position, ty))
}

fn alike(operands: &[Type], number: usize, what: &str, accepts: impl Fn(Type) -> bool) -> Result<Type, TypeFault> {
    count(operands, number)?;
    let first = operands[0];
    if !accepts(first) {
        return Err(TypeFault::Operand { position: 0, expected: what.to_owned(), found: first });
    }
    (1..number).try_for_each(|position| operand(operands, position, first))?;
    Ok(first)
}

fn array(operands: &[Type]) -> Result<ArrayType, TypeFault> {
    operands[0].as_array().ok_or_else(|| TypeFault::Operand {
        position: 0,
        expected: "an array".to_owned(),
        found: operands[0],
    })
}
