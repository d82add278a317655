//! A kernel as a function of this processor.

use inkwell::AddressSpace;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::values::BasicMetadataValueEnum;

use crate::ptx::ENTRY;

const BUILT: &str = "the builder stands in a block and the types fit";

/// A function of this name that takes the kernel's parameters from memory, and calls it.
pub(crate) fn host_entry<'ctx>(llcx: &'ctx Context, module: &Module<'ctx>, name: &str) {
    let (int, ptr, b) = (llcx.i64_type(), llcx.ptr_type(AddressSpace::default()), llcx.create_builder());
    let kernel = module.get_function(ENTRY).expect("the module has its kernel");
    kernel.set_call_conventions(0);
    kernel.set_linkage(Linkage::Internal);
    let start = module.add_function(name, int.fn_type(&[ptr.into(); 3], false), None);
    b.position_at_end(llcx.append_basic_block(start, "entry"));
    let words = start.get_nth_param(1).expect("it has three").into_pointer_value();
    let mut args: Vec<BasicMetadataValueEnum<'ctx>> = Vec::new();
    for (position, param) in kernel.get_param_iter().enumerate() {
        let index = int.const_int(position as u64, false);
        // SAFETY: this only writes an instruction; there are as many words.
        let at = unsafe { b.build_in_bounds_gep(int, words, &[index], "") }.expect(BUILT);
        args.push(b.build_load(param.get_type(), at, "").expect(BUILT).into());
    }
    b.build_direct_call(kernel, &args, "").expect(BUILT);
    b.build_return(Some(&int.const_zero())).expect(BUILT);
}
