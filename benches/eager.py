"""Operations on arrays outside of staged code, for `benches/run eager`: by the numpy of whoever runs it.

    benches/run eager
    snekpy benches/eager.py            microseconds of each case

For each name of a case on a line of its input, with `--serve`, measures it once and answers with microseconds per call.
"""

import sys
import time

import numpy as np

SMALL, LARGE = 10, 1_000_000


def arrays(n, dtype):
    x = np.linspace(0.1, 3.0, n).astype(dtype)
    return x, np.linspace(1.0, 2.0, n).astype(dtype)


#: An expression of x and y each; `{n}` many times, written out where the loop would count.
SMALL_CASES = ("x + y", "x * 2.0", "-x", "np.sqrt(x)", "np.exp(x)", "np.maximum(x, y)", "x < y", "np.add(x, y)", "x.sum()", "np.sum(x)", "x[2:5]", "x.reshape(2, 5)")
LARGE_CASES = (
    "x + y", "x * 2.0", "np.sqrt(x)", "np.exp(x)", "np.log(x)", "np.sin(x)", "np.cos(x)", "np.tan(x)", "np.tanh(x)", "np.exp2(x)", "np.expm1(x)",
    "np.log1p(x)", "np.log2(x)", "np.log10(x)", "np.sinh(x)", "np.cosh(x)", "np.arctan(x)", "x ** 1.5", "x < y", "x.sum()", "x.max()", "x.argmax()",
)  # fmt: skip


def cases():
    found = {}
    for n, dtype, texts in ((SMALL, "float64", SMALL_CASES), (LARGE, "float64", LARGE_CASES), (LARGE, "float32", LARGE_CASES)):
        for text in texts:
            found[f"{n} {dtype} {text}"] = (n, dtype, text)
    return found


def measured(n, dtype, text):
    x, y = arrays(n, dtype)
    body = f"def run(x, y, count):\n    for _ in range(count):\n" + f"        {text}\n" * 10
    space = {"np": np}
    exec(body, space)
    run, count = space["run"], 1000 if n == SMALL else 1
    best = float("inf")
    run(x, y, 1)
    for _ in range(5):
        start = time.perf_counter()
        run(x, y, count)
        best = min(best, time.perf_counter() - start)
    return best / count / 10 * 1e6


def main():
    all_cases = cases()
    if "--names" in sys.argv:
        print(*all_cases, sep="\n")
        return
    if "--serve" in sys.argv:
        for line in sys.stdin:
            print(measured(*all_cases[line.strip()]), flush=True)
        return
    for name, case in all_cases.items():
        print(f"{measured(*case):10.3f}  {name}")


main()
