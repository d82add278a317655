#!/usr/bin/env python3
"""Records what NumPy gives for the expressions below: `record.py > expectations.txt`. Needs NumPy 2.

A line is an expression, a tab, and its result: `dtype shape values`, or the class of the exception.
"""

import random
import sys
import warnings

import numpy as np

from inputs import inputs
from show import show

warnings.simplefilter("ignore")
np.seterr(all="ignore")

FLOATS = ("h", "f", "d")
ALL = ("b", "i", "l", "h", "f", "d")
UNARY = """abs acos acosh asin asinh atan atanh bitwise_invert ceil cos cosh conj exp expm1 floor imag isfinite isinf isnan
log log1p log2 log10 logical_not negative positive real reciprocal round sign signbit sin sinh square sqrt tan tanh trunc
exp2 cbrt""".split()
BINARY = """add atan2 bitwise_and bitwise_or bitwise_xor copysign divide equal floor_divide greater greater_equal hypot less
less_equal logaddexp logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder
subtract""".split()
REDUCE = "sum prod max min mean std var all any argmax argmin cumulative_sum cumulative_prod count_nonzero median ptp".split()
FIXED = r"""
np.arange(5) | np.arange(2, 9, 3) | np.arange(5, 0, -2) | np.arange(0.0, 1.0, 0.25) | np.arange(3, dtype='float32')
np.arange(0) | np.arange(5, 1) | np.linspace(0, 1, 5) | np.linspace(0, 1, 4, endpoint=False) | np.linspace(2, 2, 1)
np.linspace(0, 1, 0) | np.linspace(1, 3, 3, dtype='float32') | np.linspace(0, 1, -1) | np.logspace(0, 2, 3) | np.geomspace(1, 8, 4)
np.zeros((2, 0)) | np.zeros(3, dtype='int32') | np.ones((2, 2), dtype=bool) | np.full((2,), 7) | np.full((2,), 1.5, dtype='int64')
np.full((), True) | np.eye(3) | np.eye(2, 4, k=1) | np.eye(3, k=-1, dtype='int64') | np.zeros(-1) | np.tri(3) | np.tri(2, 3, 1)
np.zeros_like(im) | np.ones_like(ft) | np.full_like(lv, 3) | np.empty_like(dm).shape | np.tril(dm) | np.triu(dm, 1) | np.tril(dt, -1)
np.diag(lv) | np.diag(dm) | np.diag(lv, 1) | np.diagonal(dt) | np.trace(lm) | np.trace(dt, 0, 1, 2) | np.vander(lv, 3)
np.meshgrid(lv, dv)[0] | np.meshgrid(lv, dv, indexing='ij')[1] | np.indices((2, 2)) | np.identity(2)
np.array([1, 2.5, True]) | np.array([]) | np.array([[1], [2]]) | np.array([[1, 2], [3]]) | np.array(5) | np.array([True, False])
np.array([1, 2], dtype='float16') | np.array([1.7, -1.7], dtype='int32') | np.array([2**40], dtype='int32') | np.array(2**70)
np.array([[lv, lv], [lv2, lv]]) | np.array('a b'.split()) | np.array(1j) | np.asarray(dm) | np.array(range(4)) | np.array([dv, lv])
dm[0] | dm[-1] | dm[:, 1] | dm[1, 2] | dm[..., 0] | dm[::-1] | dm[:, ::-2] | dm[None] | dm[:, None, 1:] | dm[5] | dm[0, 0, 0]
dm[True] | dm[False] | dt[0, :, 1] | dt[..., ::-1] | dt[1:, 1:, 1:] | dv[10:] | dv[-3:-1] | dv[::-1] | dv[3:1] | dv[4:0:-2] | ds[()] | ds[...] | ds[0]
dv[at] | dv[[True, False, True, False, True]] | dv[dv > 0] | dm[dm < 0] | dm[[0, 1], [1, 2]] | dm[[0, 1]] | dm[:, [2, 0]] | dm[[[0], [1]], [0, 2]]
dt[[0, 1], :, [0, 1]] | dt[:, [0, 2], [1, 0]] | dt[0, [0, 2]] | dt[[1], ..., 0] | dt[bm] | dt[:, bm[0]] | dm[bm] | dm[bv] | dv[[]] | dm[np.array([], dtype='int64')]
dv['a'] | dv[1.5] | dv[[1.5]] | dm[[0, 1], [0, 1, 2]] | dm[[5]] | dt[None, [0, 1], None] | dt[[0, 1], None, [0, 1]] | dm[np.array(1)] | dm[np.array(1), np.array([0, 2])]
np.reshape(dm, (3, 2)) | np.reshape(dm, (-1,)) | np.reshape(dm, (4,)) | np.reshape(dm, (-1, 4)) | np.reshape(dm, (-1, -1)) | np.reshape(dm.T, (6,)) | dm.T.reshape(2, 3)
np.reshape(dm, (3, 2), order='F') | np.permute_dims(dt, (2, 0, 1)) | np.permute_dims(dt, (0, 0, 1)) | np.permute_dims(dt, (0, 1)) | dt.T | dt.mT | dv.mT | np.matrix_transpose(dt)
np.moveaxis(dt, 0, -1) | np.moveaxis(dt, (0, 1), (2, 0)) | np.swapaxes(dt, 0, 2) | np.rollaxis(dt, 2) | np.expand_dims(dm, axis=1) | np.expand_dims(dm, axis=(0, 3)) | np.expand_dims(dm, axis=5)
np.squeeze(dc) | np.squeeze(dc, axis=1) | np.squeeze(dc, axis=0) | np.flip(dm) | np.flip(dm, axis=0) | np.fliplr(dm) | np.rot90(dm) | np.rot90(dm, 3) | np.rot90(dm, 2)
np.roll(dv, 2) | np.roll(dm, 1, axis=1) | np.roll(dm, (1, -1), axis=(0, 1)) | np.roll(dm, 4) | np.concat((dm, dm2)) | np.concat((dm, im), axis=1) | np.concat((dm, dv)) | np.concat((dm, dm), axis=None)
np.concat(()) | np.concat((dm, dt)) | np.stack((dv, dv2)) | np.stack((dv, lv), axis=1) | np.stack((dv, dm)) | np.stack(()) | np.unstack(dm)[1] | np.vstack((dv, dv)) | np.hstack((dm, dc[:2])) | np.dstack((dv, dv)) | np.column_stack((dv, dm.T[0:1].T[0:0])) | np.column_stack((dv, lv))
np.tile(dv, 2) | np.tile(dm, (2, 1, 2)) | np.repeat(dm, 2) | np.repeat(dm, 2, axis=0) | np.repeat(dv, lv * 0 + 2) | np.repeat(lm, [1, 2], axis=0) | np.append(lv, 3) | np.append(lm, lm, axis=0)
np.split(dv[:4], 2)[1] | np.split(dv, 2) | np.array_split(dv, 2)[0] | np.array_split(dv, [1, 3])[1] | np.hsplit(lm, 3)[2] | np.vsplit(lm, 2)[1] | np.atleast_2d(dv) | np.atleast_3d(dm).shape | np.atleast_1d(ds)
np.pad(lv, 2) | np.pad(lm, ((1, 0), (2, 1))) | np.pad(lv, (1, 2), mode='edge') | np.pad(lv, 3, mode='reflect') | np.pad(lv, 3, mode='symmetric') | np.pad(lv, 3, mode='wrap') | np.pad(lm, 1, constant_values=9)
np.delete(lv, 1) | np.delete(lm, 1, axis=1) | np.delete(lv, [0, 2]) | np.delete(lv, slice(1, 3)) | np.insert(lv, 2, 9) | np.insert(lm, 1, 7, axis=1) | np.insert(lv, 5, 1) | np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]))
np.broadcast_to(dv, (2, 5)) | np.broadcast_to(dm, (4, 2, 3)) | np.broadcast_to(dm, (3, 2)) | np.broadcast_arrays(dv[:3], dc)[0] | np.broadcast_shapes((2, 1), (3,)) | np.broadcast_shapes((2,), (3,)) | np.resize(lv, (2, 4)) | np.block([[dm, dm], [dm2, dm]])
np.where(bm, dm, 0) | np.where(bm, im, dm) | np.where(bv)[0] | np.where(bm, 1, 2) | np.where(bm, 1.5, im) | np.where(dc > 0, dc, lv[:3]) | np.nonzero(lm)[1] | np.flatnonzero(lm) | np.argwhere(lm) | np.nonzero(ls)
np.clip(dv, -1, 1) | np.clip(lv, None, 2) | np.clip(lv, 0, None) | np.clip(dm, dm2, 3.0) | np.clip(iv, -1.5, 2) | np.clip(dx, -1, 1) | np.clip(dm, min=0)
np.sort(lv) | np.sort(dm, axis=0) | np.sort(dx) | np.sort(dt, axis=1) | np.sort(bv) | np.argsort(lv, stable=True) | np.argsort(dm, axis=0) | np.argsort(dx, stable=True) | np.sort(ds) | np.sort(dm, axis=None) | np.lexsort((lv, lv2)) | np.sort(de)
np.searchsorted(srt, lv) | np.searchsorted(srt, lv, side='right') | np.searchsorted(srt, 0.5) | np.searchsorted(srt, dm) | np.searchsorted(dm, 1) | np.searchsorted(srt, 0, side='up')
np.unique(lv) | np.unique(dx) | np.unique_values(np.array([3, 1, 3])) | np.unique_counts(lt)[1] | np.unique_inverse(lm)[1] | np.unique_all(lt)[1] | np.unique(lv, return_counts=True)[1] | np.unique(lm, axis=0) | np.unique(le)
np.unique(np.zeros((0, 3)), axis=0) | np.unique(np.zeros((3, 0)), axis=0) | np.unique(np.zeros((2, 0)), axis=0, return_counts=True)[1]
np.isin(lv, lv2) | np.isin(lm, [1, 2]) | np.isin(lv, []) | np.isin(lv, lv2, invert=True) | np.union1d(lv, lv2) | np.intersect1d(lv, lv2) | np.setdiff1d(lv, lv2) | np.setxor1d(lv, lv2)
np.take(dv, at) | np.take(dm, [0, 2], axis=1) | np.take(dm, [7], axis=1) | np.take(dm, 1) | np.take_along_axis(dm, np.array([[0, 2], [1, 1]]), axis=1) | np.take_along_axis(lm, np.argsort(lm, axis=1), axis=1) | np.choose(np.array([0, 1, 0]), [dv[:3], lv[:3]])
np.compress([True, False, True], lm, axis=1) | np.extract(lm > 0, lm) | np.unravel_index(5, (2, 3))[1] | np.ravel_multi_index((1, 2), (2, 3)) | np.tril_indices(3)[0] | np.triu_indices(3, 1)[1]
np.matmul(dm, dm.T) | dm @ dv[:3] | dv[:2] @ dm | dv @ dv2 | lm @ lm.T | im @ lm.T | fm @ fm.T | hm @ hm.T | dt @ dt.mT | dm @ dm | dv @ ds | dm @ 2 | bm @ bm.T | de2 @ np.zeros((0, 3)) | dm.T @ de2 | batch @ sq[:2, :2] | np.matvec(dm, dv[:3]) | np.vecmat(dv[:2], dm)
np.vecdot(dm, dm2) | np.vecdot(dt, dt2, axis=1) | np.dot(lv, lv2) | np.dot(dm, dm.T) | np.dot(dm, dm) | np.dot(2, dv) | np.dot(dt, dt2.mT).shape | np.vdot(dm, dm2) | np.inner(dm, dm2) | np.inner(lv, lv) | np.outer(lv, dv) | np.kron(lm, lm2[:1]) | np.cross(dv[:3], dv2[:3]) | np.cross(dm, dm2)
np.tensordot(dt, dt2, axes=2) | np.tensordot(dm, dm2, axes=((0, 1), (0, 1))) | np.tensordot(dm, dm.T, axes=1) | np.tensordot(dm, dm, axes=1) | np.tensordot(dv, dv2, axes=0)
np.einsum('ij,jk->ik', dm, dm.T) | np.einsum('ij->ji', dm) | np.einsum('ii', sq) | np.einsum('ii->i', sq) | np.einsum('ij,ij', dm, dm2) | np.einsum('ij,ij->i', dm, dm2) | np.einsum('i,j->ij', dv, lv) | np.einsum('...ij,...jk', dt, dt.mT) | np.einsum('ijk->k', dt) | np.einsum('ij,jk,kl->il', dm, dm.T, dm) | np.einsum('ij,jk', dm, dm) | np.einsum('ij->k', dm) | np.einsum('i', dm) | np.einsum('bij,bj->bi', batch, tall[:2]) | np.einsum('i->', dv) | np.einsum('ij,j->ij', lm, lv[:3])
np.linalg.cross(dv[:3], dv2[:3]) | np.linalg.diagonal(dt) | np.linalg.matmul(dm, dm.T) | np.linalg.matrix_transpose(dt) | np.linalg.outer(lv, dv) | np.linalg.tensordot(dm, dm2) | np.linalg.vecdot(dm, dm2) | np.empty((2, 0)) | np.linalg.norm(dv) | np.linalg.norm(dm) | np.linalg.norm(dm, axis=1) | np.linalg.norm(dm, 1) | np.linalg.norm(dm, np.inf) | np.linalg.norm(dm, 2) | np.linalg.norm(dm, 'nuc') | np.linalg.norm(dv, 3) | np.linalg.norm(dv, -np.inf) | np.linalg.norm(dm, keepdims=True) | np.linalg.vector_norm(dm, axis=0) | np.linalg.matrix_norm(dt) | np.linalg.norm(dv, 0)
np.linalg.det(sq) | np.linalg.det(batch) | np.linalg.inv(sq) | np.linalg.inv(batch) | np.linalg.inv(sqf) | np.linalg.inv(np.zeros((2, 2))) | np.linalg.inv(dm) | np.linalg.solve(sq, dv[:3]) | np.linalg.solve(sq, tall) | np.linalg.solve(batch, tall[:2]) | np.linalg.solve(np.ones((2, 2)), dv[:2]) | np.linalg.cholesky(sq) | np.linalg.cholesky(batch[:1]) | np.linalg.cholesky(-sq) | np.linalg.eigh(sq)[0] | np.linalg.eigvalsh(batch) | np.linalg.svd(tall)[1] | np.linalg.svdvals(dm) | np.abs(np.linalg.qr(tall)[1]) | np.abs(np.linalg.qr(dm)[0]) | np.linalg.qr(tall, mode='complete')[0].shape | np.linalg.svd(dm)[2].shape | np.linalg.svd(dm, full_matrices=False)[0].shape | np.linalg.slogdet(sq)[1] | np.linalg.slogdet(batch)[0] | np.linalg.pinv(tall) | np.linalg.matrix_rank(tall) | np.linalg.matrix_rank(np.ones((3, 3))) | np.linalg.matrix_power(sq, 3) | np.linalg.matrix_power(sq, -1) | np.linalg.matrix_power(sq, 0) | np.linalg.cond(sq) | np.linalg.trace(sq) | np.linalg.lstsq(tall, dv[:3], rcond=None)[0] | np.linalg.multi_dot([dm, dm.T, dm]) | np.linalg.det(dv)
np.diff(lv) | np.diff(dm, axis=0) | np.diff(lv, n=2) | np.diff(bv) | np.diff(lv, prepend=0) | np.cumsum(lm) | np.cumsum(lm, axis=1) | np.cumprod(dv) | np.cumulative_sum(lv, include_initial=True) | np.cumulative_sum(lm) | np.gradient(dv) | np.gradient(dv, 0.5) | np.trapezoid(dv) | np.ediff1d(lv)
np.quantile(dv, 0.3) | np.quantile(dm, [0.25, 0.5], axis=1) | np.percentile(dv, 75) | np.quantile(dv, 2) | np.median(dm, axis=0) | np.median(dm, axis=1, keepdims=True) | np.average(dv, weights=lv2 * lv2) | np.average(dm, axis=0) | np.cov(dm) | np.corrcoef(dm) | np.bincount(np.array([1, 3, 1])) | np.bincount(np.array([0, 1]), weights=np.array([0.5, 2])) | np.histogram(dv, bins=3)[0] | np.histogram(lv, bins=[-10, 0, 10])[0] | np.digitize(dv, np.array([-1.0, 0.0, 1.0])) | np.convolve(lv, [1, 2]) | np.convolve(dv, [1, 0, 1], 'same') | np.convolve(lv, [1, 2, 1], 'valid') | np.interp(0.5, [0, 1], [2, 4]) | np.interp(dv, [-1, 0, 1], [5, 6, 8])
np.nansum(dx[8:]) | np.nanmean(du) | np.nanmax(du) | np.nanmin(du) | np.nanstd(du) | np.nan_to_num(fx) | np.isclose(dx, dx) | np.isclose(dx, dx, equal_nan=True) | np.allclose(dv, dv + 1e-9) | np.array_equal(lv, lv) | np.array_equal(du, du) | np.array_equal(du, du, equal_nan=True) | np.fmax(du, 0.1) | np.around(dv, 1) | np.around(lv, -1) | np.sinc(dv) | np.heaviside(dv, 0.5) | np.deg2rad(dv) | np.modf(dv)[0] | np.frexp(dv)[1] | np.divmod(lv, 3)[1] | np.gcd(lv, 4) | np.select([lv > 2, lv < 0], [lv, -lv], 9) | np.piecewise(dv, [dv < 0], [0, 1])
np.astype(dv, 'float32') | np.astype(dx, 'int64') | np.full_like(im, 2.5) | np.pi | np.e | np.inf | np.nan | np.newaxis is None | np.bitwise_left_shift(lv, 1) | np.result_type(iv, 1.5) | np.result_type(fv, 2) | np.result_type('int32', 'float32') | np.result_type(bv, 3) | np.result_type(hv, fv) | np.promote_types('int32', 'int64') | np.can_cast('int64', 'float64') | np.can_cast('float64', 'int32') | np.isdtype(np.dtype('int32'), 'integral') | np.finfo('float32').eps | np.iinfo('int32').max | np.dtype('f4') | np.dtype(float) | np.issubdtype(dv.dtype, np.floating)
iv + 2**40 | iv + 3000000000 | iv * 1.5 | iv / 2 | iv // 0 | iv % 0 | lv // 2 | lv % -3 | lv ** 2 | lv ** -1 | dv ** 2 | dv ** 0.5 | 2 ** dv | 2 ** lv2 ** 2 | bv + bv | bv * 2 | bv - bv | -bv | ~bv | ~iv | ~dv | bv & bv2 | iv | 1 | iv << 2 | lv >> 1 | iv ^ lv | dv & 1 | bv + 1.5 | hv + 1 | hv + 1.5 | fv * lv | fv + dv | hv + iv | dv + [1, 2, 3, 4, 5] | dv + 'a' | divmod(dv, 2)[0] | abs(lv) | +lv | dv == 'a' | lv == 2 | lv < 2.5 | iv < 2**40 | round(ds) | 5 - lv | 2 / dv | 7 // lv2 | True + lv | lv + True | dm + dv | dm + dc[:2] | dx // 1.5 | dx % 1.5 | dx % 0.0 | dx // 0.0 | fx % 2 | dx > 0 | dx == dx | lv + 1j
dv.sum() | dm.sum(axis=0) | dm.sum(axis=(0, 1)) | dm.sum(axis=-1, keepdims=True) | dm.sum(axis=5) | dm.sum(axis=(0, 0)) | lm.sum(dtype='float32') | bv.sum() | im.sum() | iv.prod() | fm.mean() | dm.max(axis=1) | de.max() | de.sum() | de.prod() | de2.max(axis=1) | de2.max(axis=0) | de2.sum(axis=1) | dm.argmax() | dm.argmin(axis=1) | dx.argmax() | dx.max() | dx.min() | dm.std(ddof=1) | dm.var(axis=0) | np.std(dm, correction=1) | hm.sum() | hm.mean() | hm.var() | dv.cumsum() | dm.flatten() | dm.ravel() | dm.squeeze() | dv.item(2) | dm.item() | ds.item() | dm.tolist() | lv.astype('float32') | dx.astype('int32') | dv.astype(bool) | fx.astype('float16') | lv.clip(0, 2) | dv.round(1) | dm.T.copy() | dm.nonzero()[0] | dv.take([1, 2]) | dm.diagonal() | dm.trace() | lv.repeat(2) | dm.swapaxes(0, 1) | dv.dot(dv2) | dv.searchsorted(1.0) | dm.any(axis=0) | dm.all() | lm.ptp() if hasattr(lm, 'ptp') else 0 | len(dm) | len(ds) | dm.size | dm.ndim | dm.shape | dm.nbytes | dm.itemsize | dm.strides | dm.T.strides | 3.0 in dv | dv[0] in dv | float(ds) | int(ls) | bool(ls) | bool(dm) | bool(de) | float(dv) | list(lv) | [x for x in lm][1] | iter(ds) | hash(ds) == hash(float(ds)) | hash(dv) | complex(ds) | f'{ds:.2f}' | '%.2f' % ds | str(ds)
np.add.reduce(dm) | np.add.reduce(dm, axis=None) | np.subtract.reduce(dm, axis=1) | np.maximum.accumulate(lv) | np.add.accumulate(lm, axis=1) | np.multiply.outer(lv, dv[:2]) | np.power.outer([1, 2], [3, 4]) | np.negative.reduce(dv) | np.logical_and.reduce(bm) | np.sum(dv, where=bv) | np.max(dv, initial=10) | np.sum(lv, initial=5) | np.prod(lv, where=lv > 0) | np.max(de, initial=1.0) | np.sum(fv, dtype='float64') | np.mean(dm, where=bm) | np.any(bm, axis=1) | np.all(be) | np.count_nonzero(dm > 0, axis=1) | np.add(dv, 1, out=dv.copy()) | np.add(dv, 1, out=lv.copy()) | np.add(lv, 1, out=dv.copy()) | np.exp(dv, out=np.zeros(5)) | np.add(lv, lv, dtype='float32') | np.add(1) | np.add(1, 2, 3, 4) | np.sqrt(lv, where=lv > 0, out=np.zeros(5)) | np.vectorize(lambda x: x * 2)(lm) | np.apply_along_axis(sum, 0, lm) | np.fromfunction(lambda i, j: i + j, (2, 2)) | np.fromiter(range(3), dtype='int64') | np.frombuffer(b'\0\0\0\0\0\0\xf0?', dtype='float64') | np.frombuffer(b'abc', dtype='int32')
np.around(np.hanning(7), 12) | np.around(np.hamming(7), 12) | np.around(np.blackman(7) + 1, 12) | np.bartlett(7) | np.hamming(1) | np.hamming(0) | np.bartlett(6) | np.around(np.kaiser(6, 8.6), 12) | np.around(np.i0(np.array([0.0, 1.0, 9.0, -3.0])), 8)
np.polyval([1, 2, 3], dv) | np.polyval(lv, 2) | np.polyadd([1, 2], [3, 4, 5]) | np.polysub([1, 2, 3], [1]) | np.polymul([1, 2], [1, -1]) | np.polymul([0, 0, 1], [2]) | np.polyder([3, 2, 1]) | np.polyder([1, 2, 3, 4], 2) | np.polyint([3.0, 2.0]) | np.polyint([1.0], 2, k=[3, 4]) | np.polydiv([1.0, 3.0, 2.0], [1.0, 1.0])[0] | np.poly([1.0, 2.0]) | np.around(np.polyfit([0.0, 1.0, 2.0, 3.0], [1.0, 3.0, 7.0, 13.0], 2), 9) | np.around(np.polyfit(np.arange(5.0), dv, 1), 9) | np.polyfit([1.0], [1.0], -1) | np.polyfit(dm, dv, 1) | np.around(np.polyfit(np.arange(5), dv, 1, w=[1, 2, 1, 2, 1]), 9)
np.argmax(dm, 0, np.zeros(3, dtype='int64')) | np.argmax(dm, 0, np.zeros(2, dtype='int64')) | np.argmin(dm, axis=1, out=np.zeros(2, dtype='int32')) | np.argmax(dm, 0, np.zeros(3)) | dm.argmax(0, np.zeros(3, dtype='int64')) | np.take(dv, at, out=np.zeros(4)) | np.take(dv, at, out=np.zeros(3)) | np.take(dv, [7], mode='wrap') | np.take(dv, [7], mode='clip') | np.take(dv, [7], mode='odd') | np.outer(lv, lv, out=np.zeros((5, 5), dtype='int64')) | np.trace(dm, out=np.zeros(())) | np.median(dv, out=np.zeros(())) | np.quantile(dm, 0.5, axis=0, out=np.zeros(3)) | np.around(dv, 1, np.zeros(5)) | np.nanmax(du, out=np.zeros(())) | np.nanmean(dm, axis=0, out=np.zeros(3)) | np.compress([True, False, True], lm, axis=1, out=np.zeros((2, 2), dtype='int64'))
np.nanargmax(du) | np.nanargmin(np.array([NAN, NAN])) | np.nanquantile(du, 0.5) | np.nanpercentile(du, [25, 75]) | np.nanmedian(du) | np.nancumsum(du) | np.nancumprod(du) | np.nanvar(du, ddof=1) | np.nanquantile(np.array([[1.0, NAN, 3.0], [NAN, 5.0, 6.0]]), 0.5, axis=1) | np.histogram2d(dv, dv2, bins=2)[0] | np.histogram2d(dv, dv2, bins=[2, 3])[0] | np.histogram2d([1.0, 1.0, 2.0], [1.0, 2.0, 2.0], bins=2)[1]
np.nanvar(np.array([1.0, np.inf])) | np.nanvar(np.array([1.0, NAN, 4.0])) | np.nanstd(dm, axis=1) | np.i0(NAN) | np.i0(fv) | np.ldexp(1e-300, 1100) | np.ldexp(2.0**-1000, 2000) | np.ldexp(np.inf, -2000) | np.ldexp(fv, np.array([1, 2, -3, 0], dtype='int32')[0]) | np.logaddexp2(1e-3, -30.0) | np.logaddexp2(np.inf, np.inf) | np.angle(-0.0) | np.angle(NAN) | np.angle(fv) | np.sinc(np.zeros(1, dtype='float16')) | np.sinc(np.array([1e-7, 0.25])) | np.diff(np.array([1.0, 2.0]), n=0, prepend=0) | np.nanquantile(np.array([np.inf, 1.0]), 1.0, method='lower') | np.linspace(-1.5, 2, 3, dtype=int) | np.linspace(fv[0], 2, 3)
np.fmax(fv, 1) | np.fmin(fv, 0.5) | np.fmax(NAN, dv) | np.fmax(2, 3) | np.heaviside(fv, 0.5) | np.heaviside(dv, 1) | np.select([fv > 0], [fv], 0.5) | np.select([dv > 0, dv < -1], [dv, 2]) | np.histogram(fv)[1] | np.cov(fm) | np.gcd(np.array([12], dtype='int32'), 8) | np.lcm(4, 6) | np.einsum('i->', iv) | np.mean(fv, dtype='int32') | np.partition(dv, 1)[1] | np.partition(lv, 0)[0] | np.argpartition(dv, 2)[2]
np.digitize(1.0, [1, 0, 2]) | np.digitize(dv, [1.0, 0.0, -1.0]) | np.histogram([1.0], bins=[2, 1]) | np.histogram([1.0], bins=0) | np.histogram([1, 2], weights=[1, 2, 3]) | np.interp(1, [0, 1, 2], [1.0]) | np.gcd(1.5, 2) | np.partition([1.0], 5) | np.pad([1.0], -1) | np.pad(dm, ((1, 0), (0, 2))) | np.pad(dv, (2, 1), mode='edge') | np.linalg.outer(np.eye(2), np.eye(2)) | np.linalg.outer(dv, lv) | np.lexsort((np.ones(2), np.ones(3))) | np.where(np.array(3)) | np.vsplit(np.ones(3), 3) | np.vander(np.eye(2)) | np.cumsum(np.array(1.0), axis=2) | np.bincount([0, 1], weights=[1.0])
x = np.array([1, 2, 3]); x[0] = 1e30; r = x | x = np.array([1, 2, 3]); x[:] = 1e30; r = x | x = np.array([1, 2, 3]); x[1] = -9.2e18; r = x | x = np.zeros(3); np.add.at(x, [0, 2, 0], [1.0, 2.0, 0.5]); r = x | x = np.ones((2, 2)); np.subtract.at(x, ([0, 0], [1, 1]), 0.25); r = x | x = np.zeros(3, dtype=int); np.add.at(x, [1, 1], 2); r = x
np.ravel_multi_index((np.array([0, 1]), np.array([2, 1])), (2, 3), order='F') | np.ravel_multi_index((1, 5), (2, 3)) | np.ravel_multi_index((1, 5), (2, 3), mode='clip') | np.ravel_multi_index((1, 5), (2, 3), mode='wrap') | np.choose(np.array([0, 3]), [lv[:2], lv2[:2]], mode='wrap') | np.choose(np.array([0, 3]), [lv[:2], lv2[:2]]) | np.choose(np.array([-1, 3]), [lv[:2], lv2[:2]], mode='clip')
np.ix_([0, 1], [2, 0])[1] | dm[np.ix_([0, 1], [2, 0])] | np.ix_([True, False], [1])[0] | np.ix_(dm) | np.tril_indices_from(sq)[0] | np.triu_indices_from(dm, 1)[1] | np.diag_indices_from(sq)[0] | np.diag_indices_from(dm) | np.iterable(lv) | np.iterable(3) | np.logspace(0, 2, 3, axis=0)
"""
STATEMENTS = [
    "x = lm.copy(); x[0] = 9; r = x", "x = lm.copy(); x[:, 1] = [7, 8]; r = x", "x = lm.copy(); x[x > 0] = 0; r = x",
    "x = lv.copy(); x[[0, 0, 1]] = [1, 2, 3]; r = x", "x = lv.copy(); x[1:] = x[:-1]; r = x", "x = lv.copy(); x[::-1] = x; r = x",
    "x = lv.copy(); x[2] = 3.9; r = x", "x = lv.copy(); x[2] = float('nan'); r = x", "x = lm.copy(); x[0] = [1, 2]; r = x",
    "x = lm.copy(); y = x.T; y[0] = 5; r = x", "x = lm.copy(); y = x[:, ::2]; y += 1; r = x", "x = lm.copy(); y = x.reshape(-1); y[0] = 77; r = x",
    "x = lm.copy(); y = x.ravel(); y[0] = 77; r = x", "x = lm.copy(); y = x.flatten(); y[0] = 77; r = x", "x = lm.copy(); y = x[[0, 1]]; y[0] = 77; r = x",
    "x = lv.copy(); x += 1.5; r = x", "x = dv.copy(); x += 1; r = x", "x = dv.copy(); x *= lv; r = x", "x = dv.copy(); x /= 2; r = x", "x = lv.copy(); x /= 2; r = x",
    "x = lv.copy(); x //= 2; r = x", "x = lv.copy(); x **= 2; r = x", "x = lv.copy(); x -= x[::-1]; r = x", "x = lv.copy(); x[1:] += x[:-1]; r = x", "x = lv.copy(); x &= 3; r = x",
    "x = bm.copy(); x |= True; r = x", "x = dm.copy(); x[...] = 1; r = x", "x = dm.copy(); x[None, 0] = 2; r = x", "x = dm.copy(); x[0, 0] = lv[0]; r = x", "x = ls.copy(); x[()] = 4; r = x",
    "x = im.copy(); x[0, 0] = 2**40; r = x", "x = dt.copy(); x[[0, 1], :, [0, 1]] = 0; r = x", "x = dt.copy(); x[:, [0, 2]] = dm[:, :2, None][:, :2]; r = x", "x = dm.copy(); x[bm] = dm2[bm]; r = x", "x = dm.copy(); x[bm] = [1, 2]; r = x",
    "x = lv.copy(); x.sort(); r = x", "x = lv.copy(); np.add.at(x, [0, 0, 1], 5); r = x", "x = dm.copy(); np.add.at(x, ([0, 0], [1, 1]), [1, 2]); r = x", "x = lv.copy(); x.fill(3); r = x", "x = lm.copy(); x.flat[2] = 9; r = x", "x = lm.copy(); np.fill_diagonal(x, 4); r = x", "x = lv.copy(); np.put(x, [0, 2], [8, 9]); r = x",
    "x = lm.copy(); np.put_along_axis(x, np.array([[0], [1]]), 5, axis=1); r = x", "x = lv.copy(); np.copyto(x, 3, where=bv); r = x", "x = lv.copy(); del x[0]; r = x", "x = np.broadcast_to(lv, (2, 5)).copy(); x[0] = 1; r = x",
    "x = lm.copy(); x[5] = 1; r = x", "x = lm.copy(); x[0, 1:] = x[0, :-1]; r = x", "x = dm.copy(); a, b = x; a[0] = 5; r = x", "x = dm.copy(); x @= sq; r = x", "x = lm.copy(); x[lv > 100] = 1; r = x", "x = frozen = np.frombuffer(b'12345678', dtype='int64'); x[0] = 1; r = x",
    "a = lv[1]; b = a; a += 5; r = b", "a = lv[1]; b = a; a += 5; r = a", "a = lv.sum(); a /= 2; r = a", "a = im[0, 0]; a *= 1.5; r = a", "a = fv[0]; a += dv[0]; r = a", "a = dv.max(); a -= 1; b = dv.max(); r = b",
    "x = np.zeros((5, 2)); np.fill_diagonal(x, 4, wrap=True); r = x", "x = np.zeros((3, 3)); np.fill_diagonal(x, [1, 2]); r = x", "x = np.zeros(3); np.fill_diagonal(x, 4); r = x", "x = np.zeros((2, 3, 2)); np.fill_diagonal(x, 4); r = x",
    "x = lv.copy(); np.put(x, [7], [8], mode='wrap'); r = x", "x = lv.copy(); np.put(x, [7], [8], mode='clip'); r = x", "x = lv.copy(); np.put(x, [7], [8]); r = x", "x = lv.copy(); np.put(x, [-1], [8]); r = x",
    "x = lv.copy(); np.copyto(x, dv); r = x", "x = lv.copy(); np.copyto(x, dv, casting='unsafe'); r = x", "x = dv.copy(); np.copyto(x, lv, casting='no'); r = x", "x = dv.copy(); np.copyto(x, iv, casting='safe'); r = x",
    "import io; f = io.BytesIO(); np.save(f, dm.T); f.seek(0); r = np.load(f)", "import io; f = io.BytesIO(); np.savez(f, lv, b=bm); f.seek(0); r = np.load(f)['b']", "import io; f = io.BytesIO(); np.savez_compressed(f, a=fv); f.seek(0); r = list(np.load(f))",
    "import io; r = np.loadtxt(io.StringIO('1 2\\n# no\\n3 4\\n'))", "import io; r = np.loadtxt(io.StringIO('1,2\\n3,x'), delimiter=',')", "import io; r = np.loadtxt(io.StringIO('h\\n1,2\\n3,4'), delimiter=',', skiprows=1, usecols=1)", "import io; r = np.loadtxt(io.StringIO('1 2\\n3'))", "import io; r = np.loadtxt(io.StringIO('5'), ndmin=2)", "import io; r = np.loadtxt(io.StringIO('1 2\\n3 4'), dtype=int, unpack=True)",
    "import io; r = np.genfromtxt(io.StringIO('1,,3\\n4,x,6'), delimiter=',')", "import io; f = io.StringIO(); np.savetxt(f, dm, fmt='%.2f', delimiter=',', header='a'); r = f.getvalue()", "import io; f = io.StringIO(); np.savetxt(f, lv); r = f.getvalue()", "import io; f = io.StringIO(); np.savetxt(f, dt); r = f.getvalue()",
]
TEXTS = [
    "lv", "dv", "dm", "dt", "bv", "fx", "dx", "hx", "de", "de2", "ls", "ds", "iv", "np.arange(30.0)", "np.arange(1200)", "np.eye(3)", "np.array([1e10, 1])", "np.array([1e-10, 1])",
    "np.array([1e100, 2])", "np.array([1.5e-300])", "np.array([123456.789, 1.0])", "np.array([0.1, 1e5])", "np.linspace(0, 1, 7)", "np.array([[1, 1000], [-5, 22]])", "np.ones((2, 2, 2))",
    "np.array([INF, 1.0, NAN])", "np.array([1e16, 1.0])", "np.array([1/3, 2/3], dtype='float32')", "np.arange(40) * 12345", "np.zeros((3, 0))", "np.array([True, False])", "np.array(1.5)", "np.float32(0.1)", "np.array([100000.0, 0.001])",
    "np.random_like" if False else "np.arange(2000.0).reshape(40, 50)", "np.array([-0.0, 0.0])", "np.array([1.0, 2.123456789012])", "np.array([1e8 - 1, 1.0])", "np.array([99999999.0])", "np.array([1e-4, 1.0])", "np.array([9.9e-5])",
]


def expressions():
    for name in UNARY:
        for d in ALL:
            yield f"np.{name}({d}m)"
        for d in FLOATS:
            yield f"np.{name}({d}x)"
            yield f"np.{name}({d}u)"
        yield f"np.{name}(de)"
        yield f"np.{name}(ds)"
        yield f"np.{name}(2)"
        yield f"np.{name}('a')"
    for name in BINARY:
        for a in ALL:
            for b in ALL:
                yield f"np.{name}({a}v, {b}v2)"
            yield f"np.{name}({a}m, 2)"
            yield f"np.{name}({a}c, {a}m2[:1])"
        for d in FLOATS:
            yield f"np.{name}({d}x, {d}x[::-1])"
            yield f"np.{name}({d}v, 0.5)"
        yield f"np.{name}(dm, dv)"
        yield f"np.{name}(de, 1)"
    for shift in ("bitwise_left_shift", "bitwise_right_shift"):
        yield f"np.{shift}(lv, np.array([0, 1, 63, 64, 3]))"
        yield f"np.{shift}(iv, 33)"
        yield f"np.{shift}(dv, 1)"
    for name in REDUCE:
        for d in ALL:
            yield f"np.{name}({d}v)"
            yield f"np.{name}({d}m, axis=0)"
            yield f"np.{name}({d}t, axis=-1)"
        yield f"np.{name}(dx)"
        yield f"np.{name}(de)"
        yield f"np.{name}(dm, axis=7)"
        if not name.startswith("cum"):
            yield f"np.{name}(dt, axis=1, keepdims=True)"
            yield f"np.{name}(ds)"
    for line in FIXED.strip().splitlines():
        yield from (it.strip() for it in line.split(" | "))
    yield from STATEMENTS
    for it in TEXTS:
        yield f"str({it})"
        yield f"repr({it})"
    yield from random_expressions(random.Random(15))


def random_expressions(rng):
    """Shapes, axes and keys that nobody has thought of."""

    def shape(most=4):
        return tuple(rng.choice((0, 1, 2, 3, 4)) if rng.random() < 0.9 else 5 for _ in range(rng.randrange(most)))

    def whole(dims, dtypes=("bool", "int32", "int64", "float32", "float64")):
        return f"A({rng.choice(dtypes)!r}, {dims}, {rng.randrange(9)})"

    def stretched(dims):
        return tuple(1 if rng.random() < 0.3 else n for n in dims)[rng.randrange(len(dims) + 1) if dims else 0 :]

    def bound(n):
        return rng.choice(("", "", str(rng.randrange(-n - 2, n + 3))))

    def key(dims):
        parts, axis, arrays = [], 0, rng.random() < 0.5
        while axis < len(dims) and rng.random() < 0.85:
            n = dims[axis]
            pick = rng.random()
            if pick < 0.25:
                parts.append(str(rng.randrange(-n, n) if n and rng.random() < 0.95 else n + 1))
            elif pick < 0.6 or not arrays:
                step = rng.choice(("", "", "1", "2", "-1", "-2"))
                parts.append(f"{bound(n)}:{bound(n)}:{step}")
            elif pick < 0.85:
                count = rng.choice((1, 2, 2, 3))
                parts.append(str([rng.randrange(-n, n) if n else 0 for _ in range(count)]))
            else:
                parts.append(str([rng.random() < 0.5 for _ in range(n)]))
            if rng.random() < 0.12:
                parts.append("None")
            axis += 1
        if rng.random() < 0.15:
            parts.insert(rng.randrange(len(parts) + 1), "...")
        return ", ".join(parts) or "..."

    for _ in range(250):
        dims = shape()
        name = rng.choice("add multiply subtract divide maximum less equal logical_and where hypot floor_divide".split())
        a, b = whole(stretched(dims)), whole(stretched(dims) if rng.random() < 0.95 else (7, 2))
        yield f"np.where({whole(stretched(dims), ('bool',))}, {a}, {b})" if name == "where" else f"np.{name}({a}, {b})"
    for _ in range(250):
        dims = shape()
        axis = rng.choice((None, *range(-len(dims), len(dims)))) if rng.random() < 0.95 else 4
        name = rng.choice("sum prod max min mean std any all argmax argmin count_nonzero".split())
        yield f"np.{name}({whole(dims)}, axis={axis}, keepdims={rng.random() < 0.4})"
    for _ in range(400):
        dims = shape(5)
        yield f"{whole(dims)}[{key(dims)}]"
    for _ in range(250):
        dims = shape()
        value = rng.choice(("7", "-2.5", "True", whole(dims[-1:]), whole(dims), whole(())))
        yield f"x = {whole(dims)}; x[{key(dims)}] = {value}; r = x"
    for _ in range(150):
        m, k, n = (rng.choice((0, 1, 2, 3, 5)) for _ in range(3))
        batch = shape(3)
        a = whole(stretched(batch) + (m, k)) if rng.random() < 0.8 else whole((k,))
        b = whole(stretched(batch) + (k, n)) if rng.random() < 0.8 else whole((k,))
        yield f"{a} @ {b}"
    for _ in range(250):
        dims = shape()
        x = whole(dims)
        axis = rng.randrange(-len(dims), len(dims)) if dims else -1
        order = rng.sample(range(len(dims)), len(dims))
        yield rng.choice((
            f"np.sort({x}, axis={axis})",
            f"np.argsort({x}, axis={axis}, stable=True)",
            f"np.cumsum({x}, axis={axis})",
            f"np.flip({x}, axis={axis})",
            f"np.roll({x}, {rng.randrange(-3, 4)}, axis={axis})",
            f"np.permute_dims({x}, {order})",
            f"np.reshape(np.permute_dims({x}, {order}), (-1,))",
            f"np.reshape(np.permute_dims({x}, {order}), {dims})",
            f"np.concat(({x}, {x}), axis={axis})",
            f"np.stack(({x}, {x}), axis={axis})",
            f"np.diff({x}, axis={axis})",
            f"np.repeat({x}, 2, axis={axis})",
            f"np.take({x}, [0, -1], axis={axis})",
            f"np.expand_dims({x}, axis={axis})",
            f"np.unique({x})",
            f"np.tile({x}, (2, 1))",
            f"np.squeeze({x})",
            f"np.nonzero({x})[0]",
            f"np.tril({x}, {rng.randrange(-2, 3)})",
            f"np.moveaxis({x}, {axis}, 0)",
            f"str({x})",
            f"repr({x})",
        ))


def main():
    names = inputs(np)
    seen = set()
    for text in expressions():
        if text not in seen:
            seen.add(text)
            print(text, show(text, names), sep="\t")


if __name__ == "__main__":
    sys.exit(main())
