//! Products of small matrices: chains of fused multiply-adds along the common axis, several side by side.
//!
//! One factor is *fixed*, an element of it for all chains of a vector; the other one is *moving*, an element for each. What is
//! loaded of the moving one serves a *tile* of several rows of the fixed one. Where the elements for neighbouring chains do not
//! lie one after another, but those along a chain do, squares of them are read by rows and turned in registers.

use inkwell::values::{IntValue, PointerValue, VectorValue};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::nest::{Access, Memory};

use super::{Times, Writer};
use crate::fault::Result;

/// Vectors of chains that go side by side at most.
const ABREAST: usize = 4;
/// Rows of the fixed factor in a tile, and where squares are turned for it, if there are registers for that.
const ROWS: usize = 4;
const ROWS_OF_TURNED: usize = 8;
/// Multiply-adds of vectors that are written out.
const WRITTEN: usize = 64;

/// Chains while they are being written.
struct Chains<'w, 'b, 'a, 'ctx> {
    writer: &'w Writer<'b, 'a, 'ctx>,
    dtype: Dtype,
    depth: usize,
    /// The fixed factor: from one row to the next, and from one element of a chain to the next.
    fixed_step: isize,
    fixed_along: isize,
    /// The moving one: from one chain to the next, and along one.
    moving_step: isize,
    moving_along: isize,
}

/// Writes a product.
pub(super) fn write<'ctx>(
    writer: &Writer<'_, '_, 'ctx>,
    dtype: Dtype,
    [rows, depth, columns]: [usize; 3],
    [a, b]: &[Access; 2],
    to: Memory,
) -> Result<()> {
    let body = writer.body;
    let (a_at, b_at, to) = (writer.first(a)?, writer.first(b)?, writer.memory(to)?);
    let (down, right) = ([a.steps[0], b.steps[0]], [a.steps[1], b.steps[1]]);
    // Columns side by side, or rows.
    let across = columns > 1 && (rows == 1 || right[1] == 1 || down[0] != 1 && columns >= rows);
    let (outer, inner) = if across { (rows, columns) } else { (columns, rows) };
    let (fixed, moving) = if across { (a_at, b_at) } else { (b_at, a_at) };
    let (fixed_step, fixed_along) = if across { (down[0], right[0]) } else { (right[1], down[1]) };
    let (moving_step, moving_along) = if across { (right[1], down[1]) } else { (down[0], right[0]) };
    let (to_outer, to_inner) = if across { (columns, 1) } else { (1, columns) };
    let chains = Chains { writer, dtype, depth, fixed_step, fixed_along, moving_step, moving_along };
    let size = dtype.size();
    let lanes = writer.lanes(size) as usize;
    let far = |from: PointerValue<'ctx>, at: IntValue<'ctx>, step: isize| {
        writer.element(from, size, body.b.build_int_mul(at, writer.number(step), "")?)
    };
    // A tile of so many rows, from the one there.
    let tile = |at: IntValue<'ctx>, rows: usize| -> Result<()> {
        let (fixed, to) = (far(fixed, at, fixed_step)?, far(to, at, to_outer as isize)?);
        // So many at once, and fewer and fewer of what is left.
        let several = |at: IntValue<'ctx>, vectors: usize, lanes: usize| -> Result<()> {
            let (moving, to) = (far(moving, at, moving_step)?, far(to, at, to_inner as isize)?);
            let made = chains.write(fixed, moving, [rows, vectors], lanes)?;
            for (row, chains) in made.chunks(vectors).enumerate() {
                let to = writer.element(to, size, writer.far(row, to_outer as isize)?)?;
                for (vector, chain) in chains.iter().enumerate() {
                    let to = writer.element(to, size, writer.far(vector * lanes, to_inner as isize)?)?;
                    writer.put(dtype, *chain, to, to_inner as isize)?;
                }
            }
            Ok(())
        };
        let abreast = chains.abreast(rows);
        if let Times::Later(inner) = writer.numbers.times(inner) {
            let part = |at, vectors: u32, lanes: u32| several(at, vectors as usize, lanes as usize);
            return writer.in_vectors(inner, lanes as u32, abreast as u32, part);
        }
        let together = abreast * lanes;
        let mut done = inner / together * together;
        if done > 0 {
            writer.counted(Times::Known(inner / together), together, |at| several(at, abreast, lanes))?;
        }
        let vectors = (inner - done) / lanes;
        if vectors > 0 {
            several(body.int(done as i64), vectors, lanes)?;
            done += vectors * lanes;
        }
        let mut fewer = lanes / 2;
        while fewer > 0 {
            if inner - done >= fewer {
                several(body.int(done as i64), 1, fewer)?;
                done += fewer;
            }
            fewer /= 2;
        }
        Ok(())
    };
    let most = chains.rows();
    match writer.numbers.times(outer) {
        Times::Known(outer) => {
            let rows = (most / 2..=most).rev().find(|it| outer % it == 0).unwrap_or(most).min(outer);
            writer.counted(Times::Known(outer / rows), rows, |at| tile(at, rows))?;
            match outer % rows {
                0 => Ok(()),
                rest => tile(body.int((outer - rest) as i64), rest),
            }
        }
        Times::Later(outer) => {
            let [whole, done, rest] = writer.divided(outer, most)?;
            writer.counted(Times::Later(whole), most, |at| tile(at, most))?;
            writer.counted(Times::Later(rest), 1, |at| tile(body.b.build_int_add(done, at, "")?, 1))
        }
    }
}

impl<'ctx> Chains<'_, '_, '_, 'ctx> {
    /// Whether the moving factor is read by squares.
    fn is_turned(&self) -> bool {
        self.moving_step != 1 && self.moving_along == 1
    }

    /// How many registers there are for chains beside a square, if there is one, and what is computed with.
    fn registers(&self) -> usize {
        let vector = self.writer.body.unit.vector as usize;
        let all = if vector >= 64 { 30 } else { 14 };
        if self.is_turned() { all - vector / self.dtype.size() } else { all }
    }

    /// Rows of a tile.
    fn rows(&self) -> usize {
        if self.is_turned() && self.registers() >= ROWS_OF_TURNED { ROWS_OF_TURNED } else { ROWS }
    }

    /// Vectors of a row that go side by side: enough for none to wait for itself, and what there are registers for. A square
    /// is long code.
    fn abreast(&self, rows: usize) -> usize {
        if self.is_turned() { 1 } else { (self.registers() / (rows + 1)).clamp(1, ABREAST) }
    }

    /// Vectors of chains of so many rows, from these elements of both factors on.
    fn write(
        &self,
        fixed: PointerValue<'ctx>,
        moving: PointerValue<'ctx>,
        tile: [usize; 2],
        lanes: usize,
    ) -> Result<Vec<VectorValue<'ctx>>> {
        let body = self.writer.body;
        let zero = self.writer.known(self.dtype, 0, lanes as u32);
        let begin = vec![zero; tile[0] * tile[1]];
        let turned = self.is_turned() && lanes > 1 && lanes == self.writer.lanes(self.dtype.size()) as usize;
        let by = if turned { lanes } else { 1 };
        let part = |at: IntValue<'ctx>, so_far: Vec<VectorValue<'ctx>>| match turned {
            true => self.square(fixed, moving, at, so_far, tile, lanes),
            false => self.one(fixed, moving, at, so_far, tile, lanes),
        };
        let depth = match self.writer.numbers.times(self.depth) {
            Times::Known(depth) => depth,
            Times::Later(depth) => {
                let [whole, done, rest] = self.writer.divided(depth, by)?;
                let chains = self.writer.carried(Times::Later(whole), by, begin, part)?;
                return self.writer.carried(Times::Later(rest), 1, chains, |at, so_far| {
                    self.one(fixed, moving, body.b.build_int_add(done, at, "")?, so_far, tile, lanes)
                });
            }
        };
        let (whole, mut chains) = (depth / by, begin);
        if depth * chains.len() <= WRITTEN {
            for at in 0..whole {
                chains = part(body.int((at * by) as i64), chains)?;
            }
        } else {
            chains = self.writer.carried(Times::Known(whole), by, chains, part)?;
        }
        for at in whole * by..depth {
            chains = self.one(fixed, moving, body.int(at as i64), chains, tile, lanes)?;
        }
        Ok(chains)
    }

    fn at(&self, from: PointerValue<'ctx>, at: IntValue<'ctx>, step: isize) -> Result<PointerValue<'ctx>> {
        let body = self.writer.body;
        self.writer.element(from, self.dtype.size(), body.b.build_int_mul(at, self.writer.number(step), "")?)
    }

    /// Where the elements of a vector of chains begin.
    fn vector(&self, moving: PointerValue<'ctx>, vector: usize, lanes: usize) -> Result<PointerValue<'ctx>> {
        self.writer.element(moving, self.dtype.size(), self.writer.far(vector * lanes, self.moving_step)?)
    }

    /// One step of all chains.
    fn one(
        &self,
        fixed: PointerValue<'ctx>,
        moving: PointerValue<'ctx>,
        at: IntValue<'ctx>,
        mut so_far: Vec<VectorValue<'ctx>>,
        [rows, vectors]: [usize; 2],
        lanes: usize,
    ) -> Result<Vec<VectorValue<'ctx>>> {
        let moving = self.at(moving, at, self.moving_along)?;
        let mut ys = Vec::with_capacity(vectors);
        for vector in 0..vectors {
            let from = self.vector(moving, vector, lanes)?;
            ys.push(self.writer.gathered(self.dtype, from, self.moving_step, lanes as u32)?);
        }
        for row in 0..rows {
            let x = self.fixed(fixed, row, at, lanes)?;
            for (chain, y) in so_far[row * vectors..].iter_mut().zip(&ys) {
                *chain = self.multiply_add(x, *y, *chain)?;
            }
        }
        Ok(so_far)
    }

    /// As many steps as there are lanes.
    fn square(
        &self,
        fixed: PointerValue<'ctx>,
        moving: PointerValue<'ctx>,
        at: IntValue<'ctx>,
        mut so_far: Vec<VectorValue<'ctx>>,
        [rows, vectors]: [usize; 2],
        lanes: usize,
    ) -> Result<Vec<VectorValue<'ctx>>> {
        let (body, size) = (self.writer.body, self.dtype.size());
        let moving = self.at(moving, at, 1)?;
        for vector in 0..vectors {
            let from = self.vector(moving, vector, lanes)?;
            let mut square = Vec::with_capacity(lanes);
            for lane in 0..lanes {
                let row = self.writer.element(from, size, self.writer.far(lane, self.moving_step)?)?;
                square.push(self.writer.gathered(self.dtype, row, 1, lanes as u32)?);
            }
            for (step, y) in self.turned(square)?.into_iter().enumerate() {
                let at = body.b.build_int_add(at, body.int(step as i64), "")?;
                for row in 0..rows {
                    let x = self.fixed(fixed, row, at, lanes)?;
                    let chain = &mut so_far[row * vectors + vector];
                    *chain = self.multiply_add(x, y, *chain)?;
                }
            }
        }
        Ok(so_far)
    }

    /// The columns of a square of which these are the rows.
    fn turned(&self, mut rows: Vec<VectorValue<'ctx>>) -> Result<Vec<VectorValue<'ctx>>> {
        let n = rows.len();
        let mut half = 1;
        while half < n {
            for first in (0..n).filter(|it| it & half == 0) {
                let (x, y) = (rows[first], rows[first + half]);
                // Of two rows, what differs from the diagonal in this bit of the position is exchanged.
                let pick =
                    |bit: usize| {
                        (0..n).map(move |lane| {
                            if lane & half == 0 { (lane | bit) as u32 } else { (n + (lane & !half | bit)) as u32 }
                        })
                    };
                rows[first] = self.writer.shuffled(x, y, pick(0))?;
                rows[first + half] = self.writer.shuffled(x, y, pick(half))?;
            }
            half *= 2;
        }
        Ok(rows)
    }

    fn fixed(
        &self,
        fixed: PointerValue<'ctx>,
        row: usize,
        at: IntValue<'ctx>,
        lanes: usize,
    ) -> Result<VectorValue<'ctx>> {
        let row = self.writer.element(fixed, self.dtype.size(), self.writer.far(row, self.fixed_step)?)?;
        self.writer.gathered(self.dtype, self.at(row, at, self.fixed_along)?, 0, lanes as u32)
    }

    fn multiply_add(
        &self,
        x: VectorValue<'ctx>,
        y: VectorValue<'ctx>,
        chain: VectorValue<'ctx>,
    ) -> Result<VectorValue<'ctx>> {
        let given = [x.into(), y.into(), chain.into()];
        Ok(self.writer.body.intrinsic("llvm.fma", x.get_type(), &given)?.into_vector_value())
    }
}
