//! Which kernels a module is, found without running it.
//!
//! The operations of each block are carried out on a device that has no memory and computes nothing, but notes what it is
//! told to run. So what is fused is what a device would be given. Operations wait from block to block, too, and from call to
//! call; what they become together then is not looked at here.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::sweep::{Run, Sweep, SweepCode};
use super::{Device, Epilogue, Product, Use, homes, is_done_there_on};
use crate::analysis::Cfg;
use crate::backend::BackendError;
use crate::entity::{Block, Inst, Value};
use crate::ir::{Function, HostData, Module};
use crate::kernel::{Ended, Kernel, KernelCode, Launch};
use crate::op::{Acts, Op};
use crate::tensor::error::Result;
use crate::tensor::op::{Given, Operand, TensorOp};
use crate::tensor::{Dtype, Item, Tensor, layout, make};
use crate::types::{TensorType, Type};

/// What is run on a device.
#[derive(Clone, Debug)]
pub enum Made {
    /// Several operations at once.
    Sweep(Sweep),
    /// One that is written as a body.
    Kernel(Kernel),
    /// A product of matrices of floats, and what is done with its elements before they are written.
    Product(Product, Option<Epilogue>),
}

/// What it does, in order.
impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Product(it, None) => it.fmt(f),
            Self::Product(it, Some(epilogue)) => write!(f, "{it}, {}", epilogue.sweep.words()),
            Self::Kernel(kernel) => write!(f, "a body over {} axes", kernel.rank),
            Self::Sweep(sweep) => f.write_str(&sweep.words()),
        }
    }
}

thread_local! {
    static NOTED: RefCell<Vec<Made>> = const { RefCell::new(Vec::new()) };
}

fn note(made: Made) {
    NOTED.with_borrow_mut(|noted| noted.push(made));
}

/// A device that has no memory and computes nothing.
#[derive(Debug)]
pub struct Dry {
    name: String,
    next: AtomicU64,
}

impl Dry {
    /// The one of this name.
    pub fn of(name: &str) -> Arc<dyn Device> {
        static ALL: Mutex<Vec<Arc<Dry>>> = Mutex::new(Vec::new());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = all.iter().find(|it| it.name == name) {
            return Arc::clone(found) as Arc<dyn Device>;
        }
        let made = Arc::new(Self { name: name.to_owned(), next: AtomicU64::new(1 << 40) });
        all.push(Arc::clone(&made));
        made
    }
}

impl Device for Dry {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_dry(&self) -> bool {
        true
    }

    fn allocate(&self, bytes: usize, _what: &str, _for_use: Use) -> Result<u64> {
        Ok(self.next.fetch_add(bytes.next_multiple_of(256) as u64, Ordering::Relaxed))
    }

    fn free(&self, _address: u64, _bytes: usize) {}

    fn upload(&self, _to: u64, _from: &[u8]) -> Result<()> {
        Ok(())
    }

    fn download(&self, _from: u64, to: &mut [u8], _meanwhile: &mut dyn FnMut()) -> Result<()> {
        to.fill(0);
        Ok(())
    }

    fn compile(&self, kernel: &Kernel) -> std::result::Result<Arc<dyn KernelCode>, BackendError> {
        Ok(Arc::new(Noting(Made::Kernel(kernel.clone()))))
    }

    fn multiply(&self, product: &Product) -> Option<Result<()>> {
        (product.dtype.is_float() && product.k > 0).then(|| {
            note(Made::Product(*product, None));
            Ok(())
        })
    }

    fn takes_parts(&self, product: &Product) -> bool {
        product.may_be_in_parts()
    }

    fn multiplies(&self, dtype: Dtype) -> bool {
        dtype.is_float()
    }

    fn multiply_into(&self, product: &Product, epilogue: &Epilogue, _run: &Run) -> Option<Result<()>> {
        note(Made::Product(*product, Some(epilogue.clone())));
        Some(Ok(()))
    }

    fn sweep(&self, sweep: &Sweep) -> std::result::Result<Arc<dyn SweepCode>, BackendError> {
        Ok(Arc::new(Noting(Made::Sweep(sweep.clone()))))
    }
}

/// Notes that it is run.
struct Noting(Made);

impl SweepCode for Noting {
    unsafe fn run(&self, _run: &Run) -> std::result::Result<(), BackendError> {
        note(self.0.clone());
        Ok(())
    }
}

impl KernelCode for Noting {
    unsafe fn run(&self, _launch: &Launch<'_>) -> std::result::Result<Ended, BackendError> {
        note(self.0.clone());
        Ok(Ended::Done)
    }
}

/// The kernels of a module, in the order in which they are run where nothing branches.
///
/// # Errors
/// What operations say of each other that do not go together.
pub fn kernels(module: &Module) -> Result<Vec<Made>> {
    told(|| {
        for func in module.funcs.values() {
            for &block in Cfg::of(func).order() {
                of_block(module, func, block)?;
            }
        }
        Ok(())
    })
}

/// What devices without memory are told to run meanwhile, in order.
///
/// # Errors
/// That of the work.
pub fn told(work: impl FnOnce() -> Result<()>) -> Result<Vec<Made>> {
    NOTED.take();
    work()?;
    Ok(NOTED.take())
}

/// The first operation in a module that would have elements copied from a device.
pub fn first_copied(module: &Module) -> Option<TensorOp> {
    let insts = module.funcs.values().flat_map(|func| {
        let all = func.blocks.values().flat_map(|it| &it.insts);
        all.map(move |&inst| (func, inst))
    });
    insts.into_iter().find_map(|(func, inst)| {
        let (host, types) = on_devices(module, func, inst)?;
        let op = host.tensor.as_ref()?;
        (op.acts() != Acts::Asks && !is_done_there_on(op, &types)).then(|| op.clone())
    })
}

/// The operation that an instruction is, and the types of its operands, if one of those lies on a device.
fn on_devices<'a>(module: &'a Module, func: &Function, inst: Inst) -> Option<(&'a HostData, Vec<Type>)> {
    let data = &func.insts[inst];
    let Op::Tensor(host, _) = data.op else { return None };
    let types = func.types_of(&data.args);
    types.iter().any(|ty| ty.is_there()).then(|| (&module.hosts[host], types))
}

/// A tensor of this type, of which only that is known.
fn some(ty: TensorType) -> Result<Tensor> {
    match ty.home.device() {
        Some(name) => Tensor::unwritten(&Dry::of(name), ty.dtype, ty.shape.dims()).map(|it| it.0),
        None => Tensor::zeros(ty.dtype, ty.shape.dims()),
    }
}

fn of_block(module: &Module, func: &Function, block: Block) -> Result<()> {
    let mut known: BTreeMap<Value, Tensor> = BTreeMap::new();
    for &inst in &func.blocks[block].insts {
        let data = &func.insts[inst];
        let Op::Tensor(host, _) = data.op else { continue };
        let (host, types) = (&module.hosts[host], func.types_of(&data.args));
        let gives = data.results.first().map(|it| func.ty(*it));
        if !types.iter().chain(&gives).any(|ty| ty.is_there()) {
            continue;
        }
        for (arg, ty) in data.args.iter().zip(&types) {
            if let Type::Tensor(ty) = ty
                && !known.contains_key(arg)
            {
                known.insert(*arg, some(*ty)?);
            }
        }
        let made = match (&host.tensor, gives) {
            (Some(op), Some(Type::Tensor(gives))) => Some(made(op, &data.args, &types, gives, &known)?),
            (Some(op), _) if op.acts() == Acts::Writes => {
                op.apply(&operands(&data.args, &types, &known))?;
                None
            }
            _ => None,
        };
        for (at, arg) in data.args.iter().enumerate() {
            if host.takes.checked_shr(at as u32).unwrap_or(0) & 1 != 0 {
                known.remove(arg);
            }
        }
        if let (Some(made), Some(result)) = (made, data.results.first()) {
            known.insert(*result, made);
        }
    }
    known.values().try_for_each(Tensor::begin)
}

fn operands<'a>(args: &[Value], types: &[Type], known: &'a BTreeMap<Value, Tensor>) -> Vec<Operand<'a>> {
    let operand = |(arg, ty): (&Value, &Type)| match ty {
        Type::Tensor(_) => Operand::Tensor(&known[arg]),
        Type::F64 => Operand::Number(Item::Float(0.0)),
        Type::Bool => Operand::Number(Item::Bool(false)),
        _ => Operand::Number(Item::Int(0)),
    };
    args.iter().zip(types).map(operand).collect()
}

fn made(
    op: &TensorOp,
    args: &[Value],
    types: &[Type],
    gives: TensorType,
    known: &BTreeMap<Value, Tensor>,
) -> Result<Tensor> {
    match (op, gives.home.device()) {
        (TensorOp::Full { dtype, item, .. }, Some(name)) => {
            let one = layout::broadcast_to(&make::full(*dtype, &[], *item)?, gives.shape.dims())?;
            homes::repeated(&Dry::of(name), &one)
        }
        (TensorOp::Bits { stream, .. } | TensorOp::BitsAt { stream, .. }, Some(name)) => {
            homes::bits_on(&Dry::of(name), 0, *stream, gives.shape.dims())
        }
        (TensorOp::To(_), _) => some(gives),
        (op, _) if op.acts() == Acts::Asks => some(gives),
        (op, _) => match op.apply(&operands(args, types, known))? {
            Given::Tensor(made) => Ok(made),
            Given::Operand(at) => Ok(known[&args[at]].clone()),
            Given::Number(_) | Given::Nothing => some(gives),
        },
    }
}
