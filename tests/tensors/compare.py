"""Whether two results, as text, are the same but for what functions and orders of addition may differ by."""

# Units in the last place that a result may be off, relative to the largest element where things are added up.
EPS = {"float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52, "python": 2.0**-52}
FUNCTIONS = ("exp", "log", "sin", "cos", "tan", "cbrt", "hypot", "pow", "**", "space", "interp", "sinc", "average", "rad", "norm")
LOOSE = ("reduce", "trapezoid", "linalg", "einsum", "@", "sum", "mean", "std", "var", "prod", "dot", "cov", "corr", "median", "quantile", "percentile")


def same(text, expected, found):
    if expected == found:
        return True
    e, f = expected.split(" "), found.split(" ")
    if e[0] == "[array" or len(e) != len(f) or e[0] not in EPS or e[0] != f[0]:
        return False
    skip = 1 if e[0] == "python" else 2
    if e[:skip] != f[:skip]:
        return False
    try:
        pairs = [(float(a), float(b)) for a, b in zip(e[skip:], f[skip:])]
    except ValueError:
        return False
    loose = any(word in text for word in LOOSE)
    function = any(word in text for word in FUNCTIONS)
    finite = [abs(a) for a, b in pairs if a == a and abs(a) != float("inf")]
    scale = max(finite, default=0.0)
    for a, b in pairs:
        if a != a or b != b or abs(a) == float("inf") or abs(b) == float("inf"):
            if not (a == b or a != a and b != b):
                return False
        elif abs(a - b) > EPS[e[0]] * (64 * max(scale, 1.0) if loose else 4 * abs(a) if function else 0.0):
            return False
    return True
