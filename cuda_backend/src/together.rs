//! Kernels of one block for several sweeps and products ([`Part`]).
//!
//! Each part that differs from the others is a function, which does all of it as a loop of the block over the blocks that there
//! would be (`sweep/threads.rs`). The kernel calls them in turn, with a barrier behind each: what a thread has written in global
//! memory before a barrier is there for all threads of the block behind it. The parameters are how many rounds there are, and an
//! array with the words of each round. Nothing is read past the caches as what nobody writes (`ld.global.nc`).

use inkwell::IntPredicate;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::BuilderError;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{BasicMetadataValueEnum, FunctionValue};
use snekpy_llvm::ObjectCache;
use snekpy_stage::backend::BackendError;
use snekpy_stage::tensor::device::together::{MOST_WORDS, OneBlock, Part, PartRun, threads};

use crate::product::is_padded;
use crate::ptx::{ENTRY, PTX_KERNEL, PtxOptions, assembled, barrier, is_assembled, machine};
use crate::sweep::threads::write_part;

type Result<T> = std::result::Result<T, BuilderError>;

/// For GPUs.
///
/// A launch inside a graph takes 1.5 to 2.5 us. One block runs on one multiprocessor, which begins instructions for 128 threads in
/// a cycle, at 1.7 GHz, and one that waits for memory as often as small kernels do for about a third of them: 100,000 in 1.4 us. To
/// compile a part takes LLVM and `ptxas` some 40 ms, or 20,000 launches; to look for it, about 1 ms. Nobody has measured this on a
/// GPU.
pub(crate) const USUAL: OneBlock = OneBlock { most_work: 100_000, pays_after: 20_000, looks_after: 500 };

/// What LLVM's module is called.
const WHAT: &str = "kernel of one block";

/// Words of a round.
pub(crate) fn width(parts: &[Part]) -> usize {
    parts.iter().map(Part::words).sum()
}

/// How many rounds a kernel is begun for at once.
pub(crate) fn most_rounds(parts: &[Part]) -> usize {
    MOST_WORDS / width(parts)
}

/// The words of a round.
pub(crate) fn words(parts: &[Part], round: &[PartRun]) -> Vec<u64> {
    let mut words = Vec::new();
    for (part, given) in parts.iter().zip(round) {
        words.extend(given.run.params(part.sweep.len.is_some()).1);
        if let Some(product) = given.product.filter(|_| part.product.is_some()) {
            let sizes = [product.n, product.k, usize::from(is_padded(&product))];
            words.extend([product.a, product.b]);
            words.extend(sizes.map(|it| it as u64));
        }
    }
    words
}

/// The PTX, which may have been made before.
///
/// # Errors
/// A [`BackendError`] when LLVM refuses what is written, which is our mistake.
pub fn ptx(
    parts: &[Part],
    options: PtxOptions,
    cache: Option<&ObjectCache>,
) -> std::result::Result<String, BackendError> {
    assembled(WHAT, &machine(options)?, cache, |llcx, module| write(llcx, module, parts))
}

/// Whether it was made before.
pub fn is_made(parts: &[Part], options: PtxOptions, cache: &ObjectCache) -> bool {
    let found =
        machine(options).and_then(|it| is_assembled(WHAT, &it, cache, |llcx, module| write(llcx, module, parts)));
    found.unwrap_or(false)
}

/// Writes the kernel into a module.
pub(crate) fn write<'ctx>(llcx: &'ctx Context, module: &Module<'ctx>, parts: &[Part]) -> Result<()> {
    let (threads, width) = (threads(parts), width(parts));
    let attribute = |name: &str| llcx.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0);
    let mut known: Vec<(&Part, FunctionValue<'ctx>)> = Vec::new();
    for part in parts {
        if known.iter().all(|it| it.0 != part) {
            let func = write_part(llcx, module, part, &format!("part{}", known.len()), threads)?;
            // What is called twice is there once.
            let is_alone = parts.iter().filter(|it| *it == part).count() == 1;
            let inlined = attribute(if is_alone { "alwaysinline" } else { "noinline" });
            func.add_attribute(AttributeLoc::Function, inlined);
            known.push((part, func));
        }
    }

    let (int, table) = (llcx.i64_type(), llcx.i64_type().array_type((width * most_rounds(parts)) as u32));
    let types = [int.into(), BasicMetadataTypeEnum::from(llcx.ptr_type(inkwell::AddressSpace::default()))];
    let func = module.add_function(ENTRY, llcx.void_type().fn_type(&types, false), None);
    func.set_call_conventions(PTX_KERNEL);
    let by_value = llcx.create_type_attribute(Attribute::get_named_enum_kind_id("byval"), table.into());
    func.add_attribute(AttributeLoc::Param(1), by_value);
    func.add_attribute(
        AttributeLoc::Param(1),
        llcx.create_enum_attribute(Attribute::get_named_enum_kind_id("align"), 8),
    );
    func.add_attribute(AttributeLoc::Function, llcx.create_string_attribute("nvvm.maxntid", &threads.to_string()));
    for name in ["nounwind", "convergent"] {
        func.add_attribute(AttributeLoc::Function, attribute(name));
    }

    let b = llcx.create_builder();
    let [entry, head, round, done] = ["entry", "head", "round", "done"].map(|it| llcx.append_basic_block(func, it));
    let param = |at| func.get_nth_param(at).expect("the kernel was declared with it");
    let (rounds, words) = (param(0).into_int_value(), param(1).into_pointer_value());
    b.position_at_end(entry);
    b.build_unconditional_branch(head)?;

    b.position_at_end(head);
    let phi = b.build_phi(int, "")?;
    let number = phi.as_basic_value().into_int_value();
    let goes_on = b.build_int_compare(IntPredicate::ULT, number, rounds, "")?;
    b.build_conditional_branch(goes_on, round, done)?;

    b.position_at_end(round);
    let mut next = b.build_int_mul(number, int.const_int(width as u64, false), "")?;
    for part in parts {
        let callee = known.iter().find(|it| it.0 == part).expect("it was written").1;
        let mut args: Vec<BasicMetadataValueEnum<'ctx>> = Vec::new();
        for ty in callee.get_type().get_param_types() {
            // SAFETY: this only writes an instruction; the index is in range.
            let at = unsafe { b.build_in_bounds_gep(int, words, &[next], "")? };
            let word = b.build_load(int, at, "")?.into_int_value();
            args.push(match ty {
                BasicMetadataTypeEnum::PointerType(ty) => b.build_int_to_ptr(word, ty, "")?.into(),
                _ => word.into(),
            });
            next = b.build_int_nuw_add(next, int.const_int(1, false), "")?;
        }
        b.build_direct_call(callee, &args, "")?;
        barrier(llcx, module, &b)?;
    }
    let following = b.build_int_nuw_add(number, int.const_int(1, false), "")?;
    b.build_unconditional_branch(head)?;
    phi.add_incoming(&[(&int.const_zero(), entry), (&following, round)]);

    b.position_at_end(done);
    b.build_return(None)?;
    Ok(())
}

#[cfg(test)]
mod tests;
