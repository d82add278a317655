//! Products of matrices by cuBLAS, where it is installed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::cublas::{result, sys};
use cudarc::driver::CudaStream;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::{Factor, Product, Products};

use super::device::Fault;

/// The library's handle, once it has been wanted.
#[derive(Default)]
pub(super) struct Library {
    handle: Mutex<State>,
}

#[derive(Default)]
enum State {
    #[default]
    Unknown,
    Missing,
    Here(Handle),
}

struct Handle {
    it: sys::cublasHandle_t,
    /// The stream that it was told last, and the memory that it has for itself. Otherwise it would ask for some while work
    /// is captured, which a graph then does each time.
    stream: usize,
    workspace: u64,
}

/// The bytes of that memory, which NVIDIA advises for Hopper.
const WORKSPACE: usize = 32 << 20;

// SAFETY: the library lets any thread use a handle; the mutex sees to it that one does at a time.
unsafe impl Send for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: it was created, and nobody else has it.
        let _ = unsafe { result::destroy_handle(self.it) };
    }
}

impl Handle {
    /// # Safety
    /// The stream's context is the thread's.
    unsafe fn begin_on(&mut self, stream: &CudaStream) -> Result<(), Fault> {
        let wanted = stream.cu_stream().addr();
        if self.stream != wanted {
            let workspace = std::ptr::with_exposed_provenance_mut(self.workspace as usize);
            // SAFETY: the handle is there, and nobody else has its memory.
            unsafe {
                result::set_stream(self.it, stream.cu_stream().cast())?;
                sys::cublasSetWorkspace_v2(self.it, workspace, WORKSPACE).result()?;
            }
            self.stream = wanted;
        }
        Ok(())
    }
}

impl From<cudarc::cublas::result::CublasError> for Fault {
    fn from(error: cudarc::cublas::result::CublasError) -> Self {
        Self(format!("cuBLAS: {error:?}"))
    }
}

impl Library {
    /// Whether there is one.
    pub(super) fn is_here(&self, stream: &Arc<CudaStream>) -> Result<bool, Fault> {
        Ok(matches!(*self.found(stream)?, State::Here(_)))
    }

    /// The library's handle, looked for when it is first wanted.
    fn found(&self, stream: &Arc<CudaStream>) -> Result<MutexGuard<'_, State>, Fault> {
        let mut state = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Unknown = *state {
            // SAFETY: libraries run code when they are loaded, and this one is NVIDIA's.
            *state = if unsafe { sys::is_culib_present() } {
                stream.context().bind_to_thread()?;
                // SAFETY: the context is the thread's.
                let workspace = unsafe { cudarc::driver::result::malloc_sync(WORKSPACE)? };
                State::Here(Handle { it: result::create_handle()?, stream: usize::MAX, workspace })
            } else {
                State::Missing
            };
        }
        Ok(state)
    }

    /// Begins a product on a stream. False if there is no library, or it does not multiply these.
    pub(super) fn multiply(&self, stream: &Arc<CudaStream>, product: &Product) -> Result<bool, Fault> {
        let dense = [(product.m, product.k), (product.k, product.n)];
        let factors = dense.map(|(rows, row)| Factor { turned: false, row, matrix: rows * row });
        self.multiply_all(stream, &Products { first: *product, factors, count: 1 })
    }

    /// The same for several, whose factors need not be dense.
    pub(super) fn multiply_all(&self, stream: &Arc<CudaStream>, products: &Products) -> Result<bool, Fault> {
        use sys::cublasComputeType_t as Compute;
        use sys::cudaDataType_t as Type;
        let Products { first: product, factors: [a, b], count } = *products;
        let (ty, compute) = match product.dtype {
            Dtype::F16 => (Type::CUDA_R_16F, Compute::CUBLAS_COMPUTE_32F),
            Dtype::Bf16 => (Type::CUDA_R_16BF, Compute::CUBLAS_COMPUTE_32F),
            Dtype::F32 => (Type::CUDA_R_32F, Compute::CUBLAS_COMPUTE_32F),
            Dtype::F64 => (Type::CUDA_R_64F, Compute::CUBLAS_COMPUTE_64F),
            Dtype::Bool | Dtype::I32 | Dtype::I64 => return Ok(false),
        };
        let sizes = [product.m, product.n, product.k, a.row, b.row, count].map(i32::try_from);
        let [Ok(m), Ok(n), Ok(k), Ok(a_row), Ok(b_row), Ok(count)] = sizes else { return Ok(false) };
        if k == 0 {
            return Ok(false);
        }
        let mut state = self.found(stream)?;
        let State::Here(handle) = &mut *state else { return Ok(false) };
        stream.context().bind_to_thread()?;
        let (single, double) = ((1.0_f32, 0.0_f32), (1.0_f64, 0.0_f64));
        let (one, zero): (*const std::ffi::c_void, *const std::ffi::c_void) = match product.dtype {
            Dtype::F64 => ((&raw const double.0).cast(), (&raw const double.1).cast()),
            _ => ((&raw const single.0).cast(), (&raw const single.1).cast()),
        };
        let at = |address: u64| std::ptr::with_exposed_provenance_mut::<std::ffi::c_void>(address as usize);
        let way = |factor: Factor| match factor.turned {
            true => sys::cublasOperation_t::CUBLAS_OP_T,
            false => sys::cublasOperation_t::CUBLAS_OP_N,
        };
        let algorithm = sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT;
        let (to, far) = (at(product.to), product.m * product.n);
        // SAFETY: the matrices are as large as the product says. The library has columns one after another: what are rows to
        // us are columns to it, and the product of the transposed is the transposed of the product with the factors swapped.
        unsafe {
            handle.begin_on(stream)?;
            let (first, second) = (at(product.b), at(product.a));
            if count == 1 {
                result::gemm_ex(
                    handle.it,
                    way(b),
                    way(a),
                    n,
                    m,
                    k,
                    one,
                    first,
                    ty,
                    b_row,
                    second,
                    ty,
                    a_row,
                    zero,
                    to,
                    ty,
                    n,
                    compute,
                    algorithm,
                )?;
            } else {
                let [b_far, a_far, far] = [b.matrix, a.matrix, far].map(|it| it as i64);
                result::gemm_strided_batched_ex(
                    handle.it,
                    way(b),
                    way(a),
                    n,
                    m,
                    k,
                    one,
                    first,
                    ty,
                    b_row,
                    b_far,
                    second,
                    ty,
                    a_row,
                    a_far,
                    zero,
                    to,
                    ty,
                    n,
                    far,
                    count,
                    compute,
                    algorithm,
                )?;
            }
        }
        Ok(true)
    }
}
