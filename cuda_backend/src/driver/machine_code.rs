//! Machine code of kernels that was made before.
//!
//! The driver compiles PTX each time that it is loaded, unless its own cache has it. Here it compiles it once, by its linker, and
//! what comes of it is kept beside PTX and objects, by the PTX, the compute capability and the driver's version. Where there is no
//! linker, or it fails, PTX is loaded.

use cudarc::driver::{CudaFunction, sys};
use cudarc::nvrtc::Ptx;
use snekpy_llvm::ObjectCache;

use super::device::{Device, guarded, version};
use crate::ptx::ENTRY;

/// The kernel of some PTX by machine code, if that can be had.
pub(super) fn load(device: &Device, ptx: &str, cache: &ObjectCache) -> Option<CudaFunction> {
    let capability = device.capability().ok()?;
    let made_for = [capability.to_le_bytes(), version().ok()?.to_le_bytes()].concat();
    let load = |code: &[u8]| {
        let code = Ptx::from_binary(code.to_vec());
        guarded("loading machine code", || Ok(device.context().load_module(code)?.load_function(ENTRY)?)).ok()
    };
    cache.loaded(&[b"machine code", ptx.as_bytes(), &made_for], load, || linked(device, ptx))
}

/// What the driver makes of PTX.
fn linked(device: &Device, ptx: &str) -> Option<Vec<u8>> {
    let mut text = ptx.as_bytes().to_vec();
    text.push(0);
    let done = guarded("compiling PTX", || {
        device.bind()?;
        let (none, name) = (std::ptr::null_mut(), c"kernel".as_ptr());
        let mut state = std::ptr::null_mut();
        // SAFETY: there are no options, the context is the thread's, and the driver writes an address.
        unsafe { sys::cuLinkCreate_v2(0, none, none.cast(), &raw mut state).result()? };
        let (mut code, mut size) = (std::ptr::null_mut(), 0);
        // SAFETY: the text ends with a zero, and is there until it was read; the driver writes an address and a size.
        let linked = unsafe {
            let kind = sys::CUjitInputType::CU_JIT_INPUT_PTX;
            let added =
                sys::cuLinkAddData_v2(state, kind, text.as_mut_ptr().cast(), text.len(), name, 0, none, none.cast());
            added.result().and_then(|()| sys::cuLinkComplete(state, &raw mut code, &raw mut size).result())
        };
        // SAFETY: the driver says that it has so many bytes, as long as the linker is there.
        let code = linked.map(|()| unsafe { std::slice::from_raw_parts(code.cast::<u8>(), size).to_vec() });
        // SAFETY: it was made, and is not used any more.
        unsafe { sys::cuLinkDestroy(state).result()? };
        Ok(code?)
    });
    done.ok()
}
