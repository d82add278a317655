"""The table of the array API standard 2025.12 as Markdown: `snekpy api.py expectations.txt > docs/array-api.md`.

Counted is what exists, and how many of the recorded expressions use it.
"""

import re
import sys

import snekpy.numpy as np

STANDARD = {
    "Constants": "e inf nan newaxis pi",
    "Creation": """arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril
        triu zeros zeros_like""",
    "Data types": "astype can_cast finfo iinfo isdtype result_type",
    "Elementwise": """abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert
        bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor
        floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10
        logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal
        positive pow real reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc""",
    "Indexing": "take take_along_axis",
    "Inspection": "__array_namespace_info__",
    "Linear algebra": "matmul matrix_transpose tensordot vecdot",
    "Manipulation": """broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip moveaxis permute_dims
        repeat reshape roll squeeze stack tile unstack""",
    "Searching": "argmax argmin count_nonzero nonzero searchsorted where",
    "Sets": "isin unique_all unique_counts unique_inverse unique_values",
    "Sorting": "argsort sort",
    "Statistics": "cumulative_prod cumulative_sum max mean min prod std sum var",
    "Utilities": "all any diff",
}
LINALG = """cholesky cross det diagonal eig eigh eigvals eigvalsh inv matmul matrix_norm matrix_power matrix_rank
    matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm"""


def is_there(namespace, name):
    return hasattr(namespace, name)


def uses(lines, pattern):
    return sum(bool(pattern.search(line)) for line in lines)


def main():
    lines = [line.partition("\t")[0] for line in open(sys.argv[1])]
    names = [name for group in STANDARD.values() for name in group.split()]
    present = [name for name in names if is_there(np, name)]
    extension = [name for name in LINALG.split() if is_there(np.linalg, name)]
    print("# The array API standard 2025.12\n")
    print("Printed by `tests/tensors/api.py` from what exists. *Expressions* says how many of those that")
    print("`tests/tensors/record.py` has NumPy compute, and that snekpy must agree with, use a name.\n")
    print(f"There are {len(present)} of {len(names)} names, and {len(extension)} of {len(LINALG.split())} of the extension")
    print("`linalg`. The extension `fft` is not there.\n")
    for group, members in STANDARD.items():
        print(f"## {group}\n\n| name | there | expressions |\n|---|---|---|")
        for name in members.split():
            pattern = re.compile(rf"(?<!linalg)\.{name}\b" if name not in ("newaxis",) else r"\bNone\b")
            print(f"| `{name}` | {'yes' if is_there(np, name) else 'no'} | {uses(lines, pattern)} |")
        print()
    print("## Extension `linalg`\n\n| name | there | expressions |\n|---|---|---|")
    for name in LINALG.split():
        found = uses(lines, re.compile(rf"linalg\.{name}\b"))
        print(f"| `{name}` | {'yes' if is_there(np.linalg, name) else 'no'} | {found} |")


main()
