# Derivatives, as far as they are Python. They know the helpers of the capture by name: both have the same globals.

# Functions with a derivative of their own: what is called `custom_...` is known to the capture by name.


def custom_there(function, given, rule, fixed, args, borders, name):
    return custom_attach(function(*given), rule, fixed, args, borders, name)


def custom_back(rule, fixed, residuals, cotangent, args, name):
    return custom_leaves(rule(*fixed, residuals, cotangent), args, "cotangents", name)


def custom_forth(rule, fixed, primals, tangents, name):
    given = rule(*fixed, primals, tangents)
    custom_pair(given, name)
    value, tangent = given
    return custom_leaves(tangent, value, "tangents", name)


def custom_attach(given, rule, fixed, args, borders, name):
    raise RuntimeError


def custom_leaves(given, like, what, name):
    raise RuntimeError


def custom_pair(given, name):
    raise RuntimeError


def jvp_of_parts(function, rules):
    def jvp(primals, tangents):
        value = function(*primals)
        total = None
        for at in range(len(rules)):
            if rules[at] is not None:
                part = rules[at](tangents[at], value, *primals)
                total = part if total is None else total + part
        return value, total

    return jvp


# Native functions of floats that are no operations of compiled code. Rules are given the module of the function.


def derivative_of_hypot(math, primals, tangents):
    value = math.hypot(*primals)
    total = 0.0
    for x, t in zip(primals, tangents):
        total += x / value * t if value != 0.0 else math.nan * t
    return value, total


def derivative_of_erf(math, primals, tangents):
    (x,), (t,) = primals, tangents
    return math.erf(x), 1.1283791670955126 * math.exp(-x * x) * t


def derivative_of_erfc(math, primals, tangents):
    (x,), (t,) = primals, tangents
    return math.erfc(x), -1.1283791670955126 * math.exp(-x * x) * t


def derivative_of_gamma(math, primals, tangents):
    (x,), (t,) = primals, tangents
    value = math.gamma(x)
    return value, value * digamma(math, x) * t


def derivative_of_lgamma(math, primals, tangents):
    (x,), (t,) = primals, tangents
    return math.lgamma(x), digamma(math, x) * t


def digamma(math, x):
    total = 0.0
    if x < 0.5:
        total = -math.pi / math.tan(math.pi * x)
        x = 1.0 - x
    while x < 10.0:
        total -= 1.0 / x
        x += 1.0
    s = 1.0 / (x * x)
    series = s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s * (1 / 132 - s * (691 / 32760 - s / 12))))))
    return total + math.log(x) - 0.5 / x - series


def derivative_of_radians(math, primals, tangents):
    (x,), (t,) = primals, tangents
    return math.radians(x), 0.017453292519943295 * t


def derivative_of_degrees(math, primals, tangents):
    (x,), (t,) = primals, tangents
    return math.degrees(x), 57.29577951308232 * t


def derivative_of_pow(math, primals, tangents):
    # As that of `x ** y`, without what raises.
    (x, y), (s, t) = primals, tangents
    value = math.pow(x, y)
    if y == 0.0:
        by_x = 0.0
    elif y >= 1.0:
        by_x = y * math.pow(x, y - 1.0)
    else:
        by_x = y * (value / x) if x != 0.0 else math.inf
    by_y = value * math.log(x) if x > 0.0 else 0.0
    return value, by_x * s + by_y * t


def derivative_of_log(math, primals, tangents):
    (x, base), (s, t) = primals, tangents
    value = math.log(x, base)
    return value, (s / x - value / base * t) / math.log(base)


def derivative_of_fmod(math, primals, tangents):
    (x, y), (s, t) = primals, tangents
    value = math.fmod(x, y)
    return value, s - (x - value) / y * t


def derivative_of_remainder(math, primals, tangents):
    (x, y), (s, t) = primals, tangents
    value = math.remainder(x, y)
    return value, s - (x - value) / y * t


def derivative_of_fma(math, primals, tangents):
    (x, y, z), (s, t, u) = primals, tangents
    return math.fma(x, y, z), s * y + x * t + u


def derivative_of_ldexp(math, primals, tangents):
    (x, exponent), (s, _) = primals, tangents
    return math.ldexp(x, exponent), 2.0 ** exponent * s


def derivative_of_round(builtins, primals, tangents):
    return builtins.round(*primals), 0.0


# What `vjp` and `linearize` give in code that is captured: products with all derivatives, as in gradient/linear.rs.


def floats(value, found):
    kind = type(value)
    if kind is float:
        found.append(value)
    elif kind is tuple or kind is list:
        for item in value:
            floats(item, found)
    elif kind is dict:
        for item in value.values():
            floats(item, found)
    elif value is not None and kind is not str and kind is not bytes and not callable(value):
        raise TypeError(f"expected a float here, found a `{kind.__name__}`")


def with_floats(value, items):
    kind = type(value)
    if kind is float:
        return next(items)
    if kind is tuple:
        return tuple([with_floats(item, items) for item in value])
    if kind is list:
        return [with_floats(item, items) for item in value]
    if kind is dict:
        return {name: with_floats(value[name], items) for name in value}
    return value


def products(given, wanted, of, fits):
    found = []
    for item in given:
        floats(item, found)
    if not fits or len(found) != wanted:
        raise TypeError(f"expected the shape of the {of}, with {wanted} floats, found {len(found)} floats")
    return found


def vjp_of_rows(value, rows, arguments, width):
    def pullback(*cotangents, **named):
        found = products(cotangents, len(rows), "result", not named and len(cotangents) == 1)
        sums = []
        for at in range(width):
            total = None
            for row, cotangent in zip(rows, found):
                if row is not None:
                    total = row[at] * cotangent if total is None else total + row[at] * cotangent
            sums.append(0.0 if total is None else total)
        return with_floats(arguments, iter(sums))

    return value, pullback


def linearize_of_rows(value, rows, arguments, width):
    def linear(*tangents, **named):
        found = products(tangents, width, "arguments", not named)
        sums = []
        for row in rows:
            total = None
            for slope, tangent in zip(row or (), found):
                total = slope * tangent if total is None else total + slope * tangent
            sums.append(0.0 if total is None else total)
        return with_floats(value, iter(sums))

    return value, linear


# Derivatives by arrays: these run around compiled code, and are not captured.


def parts(value):
    """What an argument or result is made of, and how another one is made of other parts; None if it is a leaf."""
    kind = type(value)
    if kind is tuple or kind is list:
        return list(value), kind
    if kind is dict:
        return list(value.values()), lambda items: {name: item for name, item in zip(value, items)}
    if hasattr(value, "_fields") and isinstance(value, tuple):
        return list(value), lambda items: tuple.__new__(kind, items)
    if hasattr(value, "__dict__") and kind.__module__ not in ("builtins", "snekpy") and not isinstance(value, type):
        def another(items):
            made = object.__new__(kind)
            for name, item in zip(vars(value), items):
                object.__setattr__(made, name, item)
            return made

        return list(vars(value).values()), another
    return None


def is_leaf(value):
    return type(value) is float or hasattr(value, "shape") and value.dtype.kind == "f"


def leaves(value):
    if is_leaf(value):
        return [value]
    inside = parts(value)
    return [] if inside is None else [leaf for item in inside[0] for leaf in leaves(item)]


def like(value, items):
    """Something of the shape of a value, with the next of some items in the place of each float and array of floats."""
    if is_leaf(value):
        return next(items)
    inside = parts(value)
    return value if inside is None else inside[1]([like(item, items) for item in inside[0]])


def slopes(value, items):
    """The same where they are derivatives: what is no float has none."""
    if is_leaf(value):
        return next(items)
    inside = parts(value)
    return None if inside is None else inside[1]([slopes(item, items) for item in inside[0]])


def own(value):
    """The same, with arrays that nobody else has."""
    return like(value, iter([leaf.copy() if hasattr(leaf, "shape") else leaf for leaf in leaves(value)]))


def units(leaf):
    """For each element, zeros with a one there."""
    import snekpy.numpy as np

    if not hasattr(leaf, "shape"):
        yield 1.0
        return
    for at in range(leaf.size):
        unit = np.zeros(leaf.size, dtype=leaf.dtype)
        unit[at] = 1.0
        yield unit.reshape(leaf.shape)


def zero(leaf):
    import snekpy.numpy as np

    return np.zeros_like(leaf) if hasattr(leaf, "shape") else 0.0


def joined(items, shape, first):
    """Arrays or floats as one array, its elements' axes in front or behind."""
    import snekpy.numpy as np

    if not hasattr(shape, "shape"):
        return items[0]
    inner = items[0].shape if items and hasattr(items[0], "shape") else ()
    if not items:
        return None
    stacked = np.stack([np.asarray(item) for item in items], axis=0 if first else -1)
    return stacked.reshape(shape.shape + inner if first else inner + shape.shape)


def jacfwd(plain, along, args, kwargs, argnums, single, has_aux):
    by = tuple(args[at] for at in argnums)
    sources = leaves(by)
    along._check(args, kwargs)
    value, _, *aux = plain(*args, **kwargs)
    results = leaves(value)
    columns = [[[] for _ in sources] for _ in results]
    for index, source in enumerate(sources):
        for unit in units(source):
            tangents = [zero(leaf) for leaf in sources]
            tangents[index] = unit
            given = leaves(along._along(args, kwargs, like(by, iter(tangents)))[1])
            for column, tangent in zip(columns, given):
                column[index].append(tangent)
    rows = []
    for result, column in zip(results, columns):
        found = [joined(items, source, False) for items, source in zip(column, sources)]
        found = [empty(result, source) if it is None else it for it, source in zip(found, sources)]
        row = slopes(by, iter(found))
        rows.append(row[0] if single else row)
    rows = like(value, iter(rows))
    return (rows, aux[0]) if has_aux else rows


def empty(result, source):
    import snekpy.numpy as np

    if not hasattr(result, "shape") and not hasattr(source, "shape"):
        return 0.0
    dtype = result.dtype if hasattr(result, "shape") else source.dtype
    return np.zeros(getattr(result, "shape", ()) + getattr(source, "shape", ()), dtype=dtype)


def jacrev(plain, back, args, kwargs, argnums, single, has_aux):
    by = tuple(args[at] for at in argnums)
    sources = leaves(by)
    back._check(args, kwargs)
    value, constants, *aux = plain(*args, **kwargs)
    results, constant = leaves(value), flags(constants)
    varied = [leaf for leaf, it in zip(results, constant) if not it]
    rows, place = [], 0
    for result, known in zip(results, constant):
        lines = []
        if not known:
            for unit in units(result):
                cotangents = [zero(leaf) for leaf in varied]
                cotangents[place] = unit
                given = back._along(args, kwargs, tuple(cotangents))[1]
                lines.append(leaves((given,)))
            place += 1
        found = []
        for at, source in enumerate(sources):
            items = [line[at] for line in lines]
            found.append(joined(items, result, True) if items else empty(result, source))
        row = slopes(by, iter(found))
        rows.append(row[0] if single else row)
    rows = like(value, iter(rows))
    return (rows, aux[0]) if has_aux else rows


def flags(value):
    if type(value) is bool:
        return [value]
    inside = parts(value)
    return [] if inside is None else [leaf for item in inside[0] for leaf in flags(item)]


def matching(given, wanted, constant, found, what):
    """Collects the floats and arrays of something that must have the shape of something else."""
    if type(constant) is bool:
        fits = type(given) is type(wanted)
        if fits and hasattr(wanted, "shape"):
            fits = given.shape == wanted.shape and given.dtype == wanted.dtype
        if not fits:
            raise TypeError(f"expected the shape of the {what}: {form(wanted)}, found {form(given)}")
        if not constant:
            found.append(given)
        return
    inside = parts(wanted)
    if inside is None:
        return
    items = parts(given)
    if items is None or type(given) is not type(wanted) or len(items[0]) != len(inside[0]):
        raise TypeError(f"expected the shape of the {what}: {form(wanted)}, found {form(given)}")
    for item, want, known in zip(items[0], inside[0], parts(constant)[0]):
        matching(item, want, known, found, what)


def form(value):
    if hasattr(value, "shape"):
        return f"an array of {value.dtype.name} of shape {value.shape}"
    if type(value) in (tuple, list):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a `{type(value).__name__}`"


def unchanged(again, value):
    for a, b in zip(leaves(again), leaves(value)):
        same = (a == b) | ((a != a) & (b != b))
        if not (same.all() if hasattr(same, "all") else same):
            raise RuntimeError("what a function gives has changed since it was linearised")


def vjp(plain, back, args, has_aux):
    args = own(args)
    back._check(args, {})
    value, constants, *aux = plain(*args)
    known = own(value)

    def pullback(cotangent):
        found = []
        matching(cotangent, known, constants, found, "result")
        again, given = back._along(args, {}, tuple(found))[:2]
        unchanged(again, known)
        return given

    return (value, pullback, aux[0]) if has_aux else (value, pullback)


def linearize(plain, along, args, has_aux):
    args = own(args)
    along._check(args, {})
    value = plain(*args)[0]
    known = own(value)

    def linear(*tangents):
        again, given = along._along(args, {}, tangents)[:2]
        unchanged(again, known)
        return given

    return value, linear
