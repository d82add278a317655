"""Arrays in files: NumPy's .npy and .npz, and text."""

import _snekpy_numpy as _native

from .elementwise import _given

__all__ = ["genfromtxt", "load", "loadtxt", "save", "savetxt", "savez", "savez_compressed"]

_MAGIC = b"\x93NUMPY"
_CODES = {"bool": "|b1", "int32": "<i4", "int64": "<i8", "float16": "<f2", "float32": "<f4", "float64": "<f8"}


def _path(file, ending):
    name = str(file)
    return name if name.endswith(ending) else name + ending


def _npy(array):
    array = _given(array)
    if array.dtype.name not in _CODES:
        raise TypeError(f"{array.dtype.name} has no form in .npy files")
    head = f"{{'descr': {_CODES[array.dtype.name]!r}, 'fortran_order': False, 'shape': {array.shape!r}, }}"
    room = -(len(_MAGIC) + 4 + len(head) + 1) % 64
    head = head.encode("latin1") + b" " * room + b"\n"
    return _MAGIC + b"\x01\x00" + len(head).to_bytes(2, "little") + head + array.tobytes()


def _from_npy(data):
    import ast

    if data[:6] != _MAGIC:
        raise ValueError("this is no .npy file; pickled objects are not read")
    size = 2 if data[6] == 1 else 4
    start = 8 + size
    end = start + int.from_bytes(data[8:start], "little")
    head = ast.literal_eval(data[start:end].decode("latin1"))
    names = {code: name for name, code in _CODES.items()}
    code = head["descr"]
    if code not in names:
        raise ValueError(f"elements of the type {code!r} are not supported")
    shape = tuple(head["shape"])
    turned = shape[::-1] if head["fortran_order"] else shape
    made = _native._rebuild(data[end:], names[code], turned)
    return made.T if head["fortran_order"] else made


def save(file, arr, allow_pickle=True):
    """Writes an array into a .npy file."""
    if hasattr(file, "write"):
        file.write(_npy(arr))
        return
    with open(_path(file, ".npy"), "wb") as out:
        out.write(_npy(arr))


class NpzFile:
    """The arrays of a .npz file, read when they are asked for."""

    def __init__(self, file):
        import zipfile

        self.zip = zipfile.ZipFile(file)
        self.files = [it.removesuffix(".npy") for it in self.zip.namelist()]

    def __getitem__(self, name):
        if name not in self.files:
            raise KeyError(f"{name} is not a file in the archive")
        return _from_npy(self.zip.read(name + ".npy"))

    def __contains__(self, name):
        return name in self.files

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def keys(self):
        """The names of the arrays."""
        return self.files

    def values(self):
        """The arrays."""
        return [self[it] for it in self.files]

    def items(self):
        """The names with the arrays."""
        return [(it, self[it]) for it in self.files]

    def close(self):
        """Closes the file."""
        self.zip.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def load(file, mmap_mode=None, allow_pickle=False):
    """The array of a .npy file, or the arrays of a .npz file."""
    if mmap_mode is not None:
        raise NotImplementedError("mmap_mode")
    if hasattr(file, "read"):
        data = file.read()
    else:
        with open(file, "rb") as source:
            data = source.read()
    if data[:4] == b"PK\x03\x04":
        import io

        return NpzFile(io.BytesIO(data))
    if not data:
        raise EOFError("No data left in file")
    return _from_npy(data)


def _save_zip(file, args, named, method):
    import zipfile

    arrays = {f"arr_{at}": it for at, it in enumerate(args)}
    for name in named:
        if name in arrays:
            raise ValueError(f"Cannot use un-named variables and keyword {name}")
    arrays.update(named)
    with zipfile.ZipFile(file if hasattr(file, "write") else _path(file, ".npz"), "w", method) as out:
        for name, it in arrays.items():
            out.writestr(name + ".npy", _npy(it))


def savez(file, *args, **kwds):
    """Writes arrays into a .npz file."""
    _save_zip(file, args, kwds, 0)


def savez_compressed(file, *args, **kwds):
    """Writes arrays into a .npz file, compressed."""
    _save_zip(file, args, kwds, 8)


def _lines(fname, encoding):
    if hasattr(fname, "read") or not isinstance(fname, (str, bytes)) and not hasattr(fname, "__fspath__"):
        return [it.decode(encoding or "latin1") if isinstance(it, bytes) else it for it in fname]
    with open(fname, encoding=encoding or "utf-8") as source:
        return source.readlines()


def _rows(lines, comments, delimiter, skip, usecols, max_rows):
    marks = [] if comments is None else [comments] if isinstance(comments, str) else list(comments)
    columns = None if usecols is None else [usecols] if isinstance(usecols, int) else list(usecols)
    rows = []
    for line in lines[skip:]:
        for mark in marks:
            line = line.split(mark, 1)[0]
        line = line.strip("\r\n") if delimiter else line.strip()
        if not line.strip():
            continue
        if max_rows is not None and len(rows) == max_rows:
            break
        cells = line.split(delimiter)
        rows.append(cells if columns is None else [cells[it] for it in columns])
    return rows


def _shaped(made, ndmin, unpack):
    if ndmin not in (0, 1, 2):
        raise ValueError(f"Illegal value of ndmin keyword: {ndmin}")
    if made.ndim > ndmin:
        keep = [it for it in made.shape if it != 1]
        made = made.reshape(keep) if len(keep) >= ndmin else made
    if made.ndim < ndmin:
        made = made.reshape((1,) if ndmin == 1 else (-1, 1))
    return made.T if unpack else made


def loadtxt(
    fname, dtype=float, comments="#", delimiter=None, converters=None, skiprows=0, usecols=None, unpack=False, ndmin=0,
    encoding=None, max_rows=None,
):
    """The numbers of a text, a row in each line."""
    rows = _rows(_lines(fname, encoding), comments, delimiter, skiprows, usecols, max_rows)
    if any(len(it) != len(rows[0]) for it in rows):
        raise ValueError("the number of columns changed; use `usecols` to select a subset and avoid this error")
    kind = _native._array([], dtype, None).dtype.kind
    read = {"f": float, "i": int, "b": lambda it: bool(int(it))}[kind]

    def number(cell, column):
        if callable(converters):
            return converters(cell)
        if converters and column in converters:
            return converters[column](cell)
        try:
            return read(cell.strip())
        except ValueError:
            raise ValueError(f"could not convert string {cell.strip()!r} to a number, column {column + 1}.") from None

    made = [[number(cell, column) for column, cell in enumerate(row)] for row in rows]
    made = _native._array(made, dtype, None) if made else _native._full((0, 1), 0, dtype)
    return _shaped(made, ndmin, unpack)


def genfromtxt(
    fname, dtype=float, comments="#", delimiter=None, skip_header=0, skip_footer=0, filling_values=None, usecols=None,
    unpack=False, encoding=None, max_rows=None,
):
    """The numbers of a text, a row in each line; NaN for what is none."""
    lines = _lines(fname, encoding)
    rows = _rows(lines[: len(lines) - skip_footer], comments, delimiter, skip_header, usecols, max_rows)
    if any(len(it) != len(rows[0]) for it in rows):
        raise ValueError("Some errors were detected: the number of columns changed")
    missing = float("nan") if filling_values is None else filling_values

    def number(cell):
        try:
            return float(cell)
        except ValueError:
            return missing

    made = _native._array([[number(cell) for cell in row] for row in rows], dtype, None)
    return _shaped(made, 0, unpack)


def savetxt(
    fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None
):
    """Writes numbers as text, a row in each line."""
    x = _given(X)
    if x.ndim == 0 or x.ndim > 2:
        raise ValueError(f"Expected 1D or 2D array, got {x.ndim}D array instead")
    rows = x.reshape(-1, 1).tolist() if x.ndim == 1 else x.tolist()
    columns = 1 if x.ndim == 1 else x.shape[1]
    if isinstance(fmt, (list, tuple)):
        if len(fmt) != columns:
            raise AttributeError(f"fmt has wrong shape.  {fmt!s}")
        line = delimiter.join(fmt)
    elif fmt.count("%") == 1:
        line = delimiter.join([fmt] * columns)
    elif fmt.count("%") == columns:
        line = fmt
    else:
        raise ValueError(f"fmt has wrong number of % formats:  {fmt}")
    text = [comments + header.replace("\n", "\n" + comments) + newline] if header else []
    text += [line % tuple(row) + newline for row in rows]
    text += [comments + footer.replace("\n", "\n" + comments) + newline] if footer else []
    if hasattr(fname, "write"):
        try:
            fname.write("".join(text))
        except TypeError:
            fname.write("".join(text).encode(encoding or "latin1"))
        return
    with open(fname, "w", encoding=encoding or "latin1") as out:
        out.write("".join(text))
