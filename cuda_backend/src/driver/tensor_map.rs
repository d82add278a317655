//! What the copy engine of a GPU is told of a matrix.

use cudarc::driver::{DeviceRepr, sys};
use snekpy_stage::tensor::Dtype;

use super::device::guarded;

/// A map, as kernels take it.
#[repr(transparent)]
pub(super) struct TensorMap(sys::CUtensorMap);

// SAFETY: a kernel's parameter of 128 bytes, which is what this is.
unsafe impl DeviceRepr for TensorMap {}

impl TensorMap {
    /// The map of a dense matrix of half precision, of which boxes are copied whose rows have 128 bytes. What is past the edge is
    /// zero. None if the driver has no maps, or makes none of this matrix.
    pub(super) fn new(dtype: Dtype, first: u64, [rows, columns]: [u64; 2], of_box: [u64; 2]) -> Option<Self> {
        use sys::CUtensorMapDataType as Type;
        let ty = match dtype {
            Dtype::F16 => Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
            Dtype::Bf16 => Type::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
            _ => return None,
        };
        let [box_rows, box_columns] = of_box.map(u32::try_from);
        // What is beside each other comes first.
        let (shape, of_box, steps) = ([columns, rows], [box_columns.ok()?, box_rows.ok()?], [1, 1]);
        let row_bytes = [columns * dtype.size() as u64];
        let mut map = sys::CUtensorMap { opaque: [0; 16] };
        let first = std::ptr::with_exposed_provenance_mut(first as usize);
        let made = guarded("describing a matrix", || {
            // SAFETY: there are as many numbers as there are axes, and the map is written alone.
            let made = unsafe {
                sys::cuTensorMapEncodeTiled(
                    &raw mut map,
                    ty,
                    shape.len() as u32,
                    first,
                    shape.as_ptr(),
                    row_bytes.as_ptr(),
                    of_box.as_ptr(),
                    steps.as_ptr(),
                    sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
                    sys::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B,
                    sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                    sys::CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
                )
            };
            Ok(made.result()?)
        });
        made.is_ok().then_some(Self(map))
    }
}
