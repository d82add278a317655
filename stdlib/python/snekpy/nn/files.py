"""Models in files, as safetensors: the arrays of a model by name, which other libraries can read, and nothing that is run.

A file is the length of its header in 8 bytes, the header as JSON, and the elements: see
https://github.com/huggingface/safetensors.
"""

import json
import math

import _snekpy_numpy as _native

from .parameters import state

__all__ = ["load", "save"]

_CODES = {
    "bool": "BOOL", "int32": "I32", "int64": "I64", "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64",
}
_NAMES = {code: name for name, code in _CODES.items()}
_SIZES = {"BOOL": 1, "I32": 4, "I64": 8, "F16": 2, "BF16": 2, "F32": 4, "F64": 8}
# What readers of the format accept.
_LONGEST = 100_000_000


def save(file, model):
    """Writes all arrays of a model, or of a dict of models and optimisers, into a file: a path, or what has `write`.

    Names are those of `nn.state`. Settings are not in the file: numbers, texts, functions. A ValueError if there is no array.
    """
    arrays = state(model)
    if not arrays:
        raise ValueError("save: there is no array in `model`")
    header, parts, end = {}, [], 0
    for name, array in arrays.items():
        parts.append(array.tobytes())
        begin, end = end, end + len(parts[-1])
        header[name] = {"dtype": _CODES[array.dtype.name], "shape": list(array.shape), "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    data = b"".join([len(text).to_bytes(8, "little"), text] + parts)
    if hasattr(file, "write"):
        file.write(data)
        return
    with open(file, "wb") as out:
        out.write(data)


def load(file, model=None):
    """Fills the arrays of a model, in place, with those of a file that have their names; without a model, a dict of all arrays.

    Floats are brought to the dtype of the model. A ValueError that names what is wrong if the file lacks an array, has one that
    the model has not, or one of another shape or kind; then the model is as it was.
    """
    if hasattr(file, "read"):
        data = file.read()
    else:
        with open(file, "rb") as source:
            data = source.read()
    found = _arrays(data)
    if model is None:
        return found
    wanted = state(model)
    wrong = [f"'{name}' is not in the file" for name in wanted if name not in found]
    wrong += [f"'{name}' is not in the model" for name in found if name not in wanted]
    for name, array in wanted.items():
        if name in found and found[name].shape != array.shape:
            wrong.append(f"'{name}' has the shape {found[name].shape} in the file and {array.shape} in the model")
        elif name in found and found[name].dtype.kind != array.dtype.kind:
            wrong.append(f"'{name}' is {found[name].dtype.name} in the file and {array.dtype.name} in the model")
    if wrong:
        more = f"; and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        raise ValueError("load: the file does not fit the model: " + "; ".join(wrong[:5]) + more)
    for name, array in wanted.items():
        array[...] = found[name].astype(array.dtype)
    return model


def _arrays(data):
    """The arrays of a file, each checked before it is made."""
    if len(data) < 8:
        raise ValueError("load: this is no safetensors file: it is shorter than 8 bytes")
    size = int.from_bytes(data[:8], "little")
    if size > _LONGEST or size > len(data) - 8:
        raise ValueError("load: this is no safetensors file, or it is cut off: its header does not end in it")
    try:
        header = json.loads(data[8 : 8 + size].decode())
    except ValueError:
        header = None
    if not isinstance(header, dict):
        raise ValueError("load: this is no safetensors file: its header is no JSON object")
    header.pop("__metadata__", None)
    return {name: _array(name, entry, data, 8 + size) for name, entry in header.items()}


def _array(name, entry, data, start):
    try:
        code, shape, (begin, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
        count = math.prod(shape)
        fits = all(isinstance(it, int) and it >= 0 for it in (*shape, begin, end)) and begin <= end <= len(data) - start
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"load: the header says of '{name}' not what it has to") from None
    if code not in _NAMES:
        raise ValueError(f"load: '{name}' has elements of the type {code}; there are {', '.join(_NAMES)}")
    if not fits or end - begin != count * _SIZES[code]:
        raise ValueError(f"load: '{name}' has not the {count * _SIZES[code]} bytes of its shape, or the file is cut off")
    return _native._rebuild(data[start + begin : start + end], _NAMES[code], shape)
