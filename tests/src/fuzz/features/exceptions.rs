//! Exceptions: handlers, `finally`, classes with fields, and context managers.

use super::super::idioms::Part;

/// Handlers that catch by a base class, and show where the exception was raised.
pub(super) const TRACED: Part = Part {
    text: "def $Nfaulty(i0):\n    if i0 % 3 == 0:\n        return [1, 2][i0]\n    return 10 // (i0 % 3 - 1)\ndef $Ncaller(i0):\n    return $Nfaulty(i0 + 1) + 1\n",
    stmts: &[
        "try:\n    $I = $Ncaller($i) % 1009\nexcept (ArithmeticError, LookupError) as error:\n    print(described(error))",
        "try:\n    $I = $Ncaller($i) % 1009\n    $;\nexcept LookupError as error:\n    print(described(error))\nexcept ArithmeticError:\n    $;",
        "for c_$# in range($i % 7):\n    try:\n        $I = $Ncaller(c_$#)\n        $:\n    except ArithmeticError as error:\n        print(described(error))\n    except LookupError:\n        break",
    ],
    ..Part::NONE
};

/// `try` in its shapes, and what raises.
pub(super) const HANDLERS: Part = Part {
    text: "class $NErr(ValueError):\n    def __init__(self, code, where=0.5):\n        super().__init__(f'code {code}')\n        self.code = code\n        self.where = where\nclass $NSub($NErr):\n    pass\n",
    exprs: &[
        ('i', 20, "$NErr($i).code"),
        ('f', 0, "$NSub($i, $f).where"),
        ('x', 0, "str($NErr($i))"),
        ('x', 0, "repr($NErr($i))"),
    ],
    stmts: &[
        "try:\n    $;\nexcept ArithmeticError:\n    $;",
        "try:\n    $;\n    $I = $i // ($i % 3)\nexcept ZeroDivisionError as error:\n    print('caught', error)\n    $;",
        "try:\n    $;\nexcept LookupError as error:\n    print(type(error).__name__, error.args)\nelse:\n    $;",
        "try:\n    $;\nfinally:\n    $;",
        "try:\n    $;\nexcept ValueError as error:\n    print('value', error)\n    $;\nexcept LookupError:\n    $;\nfinally:\n    $;",
        "try:\n    if $b:\n        raise $NErr($i, $f)\n    $;\nexcept $NErr as error:\n    $I = error.code\n    $F = error.where\n    $;",
        "try:\n    if $b:\n        raise $NSub($i)\n    elif $b:\n        raise $NErr($i)\nexcept $NSub as error:\n    $I = error.code\nexcept $NErr as error:\n    $I = -error.code\nelse:\n    $;",
        "try:\n    try:\n        $;\n        $I = $i % ($i % 4)\n    finally:\n        $;\nexcept ArithmeticError as error:\n    print(error)\n    $;",
        "try:\n    try:\n        $I = $i // ($i % 2)\n    except ZeroDivisionError as error:\n        raise $NErr($i) from error\nexcept $NErr as error:\n    print(error, repr(error.__cause__), error.__context__ is error.__cause__)",
        "try:\n    try:\n        raise KeyError($i)\n    except KeyError:\n        $;\n        raise\nexcept KeyError as error:\n    print(error.args)",
        "try:\n    try:\n        $=i = [1, 2][$j]\n    except IndexError:\n        $I = {'a': 1}['b' if $b else 'a']\nexcept KeyError as error:\n    print(repr(error), repr(error.__context__))",
        "for $=i in range($j):\n    try:\n        if $b:\n            break\n        if $b:\n            continue\n        $:\n    except $NErr:\n        continue\n    finally:\n        $:\nelse:\n    $;",
        "for $=i in range($j + 1):\n    try:\n        $:\n        $I = 10 // ($i % 3)\n    except ArithmeticError:\n        print('zero at', $I)\n        break\n    else:\n        $:",
        "if $b:\n    raise $NErr($i, $f)",
        "if $b:\n    raise $NSub($i) from None",
        "$=i = $i // ($i % 5)",
        "try:\n    $I = int($x)\nexcept ValueError as error:\n    print(error)\nexcept TypeError:\n    $;",
        "try:\n    $=f = math.sqrt($f)\nexcept ValueError as error:\n    print(error)",
        "try:\n    assert $b, $i\nexcept AssertionError as error:\n    print('assertion', error.args)",
        "def g_$#(i0):\n    try:\n        if i0 > $i:\n            return i0 // (i0 % 3)\n        return 1\n    except ZeroDivisionError:\n        return -1\n    finally:\n        print('left', i0)\n!i g_$#(i)",
        "def g_$#(i0):\n    for i1 in range(3):\n        try:\n            if i1 == i0 % 4:\n                return $i\n        finally:\n            if i0 % 5 == 4:\n                break\n    return i0\n!i g_$#(i)",
        "def g_$#(i0):\n    try:\n        return $i // (i0 % 3)\n    finally:\n        if $b:\n            return i0\n!i g_$#(i)",
        "error = None\ntry:\n    $;\n    raise $NErr($i)\nexcept $NErr as caught_$#:\n    error = caught_$#\nif error is not None:\n    print(error.code, error)",
        "try:\n    $;\nexcept Exception as error:\n    print('any', type(error).__name__)\n    if $b:\n        raise",
    ],
    changes: &["$NErr.__str__ = lambda self: 'patched'"],
    ..Part::NONE
};

/// Functions and managers that raise or catch.
pub(super) const MANAGERS: [Part; 6] = [
    Part {
        text: "class $NCtx:\n    def __init__(self, i0, swallow=False):\n        self.i = i0\n        self.swallow = swallow\n    def __enter__(self):\n        print('enter', self.i)\n        return self.i\n    def __exit__(self, kind, error, trace):\n        print('exit', kind and kind.__name__, error)\n        return self.swallow\n",
        stmts: &[
            "with $NCtx($i) as $=i:\n    $;",
            "with $NCtx($i, True):\n    $;\n    $I = $i // ($i % 2)\n$;",
            "with $NCtx($i, swallow=$b) as $=i, $NCtx(2):\n    $;\n    raise KeyError($i)",
            "for $=i in range($j):\n    with $NCtx($I):\n        if $b:\n            break\n        $:",
        ],
        changes: &[
            "$NCtx.__enter__ = lambda self: 5",
            "$NCtx.__exit__ = lambda self, kind, error, trace: print('left', kind is None)",
        ],
        ..Part::NONE
    },
    Part {
        text: "@contextlib.contextmanager\ndef $Nwithin(i0):\n    print('in', i0)\n    try:\n        yield i0 % 10\n    finally:\n        print('out', i0)\n",
        stmts: &["with $Nwithin($i) as $=i:\n    $;", "with $Nwithin($i):\n    $I = $i // ($i % 2)"],
        ..Part::NONE
    },
    Part {
        text: "def $Nchecked(i0):\n    if i0 < -1000:\n        raise ValueError('too small', i0)\n    if $b:\n        raise LookupError(f'at {i0}')\n    return $i\n",
        exprs: &[('i', 20, "$Nchecked($i)")],
        stmts: &[
            "try:\n    $I = $Nchecked($i)\nexcept (ValueError, LookupError) as error:\n    print(error)\n    $;",
            "try:\n    $Nchecked($i)\n    $;\nexcept LookupError:\n    $;\nfinally:\n    print('done')",
        ],
        changes: &[
            "def failing(i0):\n    raise KeyError('patched', i0)\n$Nchecked = failing",
            "$Nchecked = lambda i0: i0 // 2",
        ],
        ..Part::NONE
    },
    Part {
        text: "def $Nretry(i0):\n    i1 = 0\n    while True:\n        try:\n            i1 += 1\n            if i1 < i0 % 5:\n                raise KeyError(i1)\n            return i1\n        except KeyError as error:\n            if error.args[0] > 2:\n                return -i1\n",
        exprs: &[('i', 4, "$Nretry($i)")],
        ..Part::NONE
    },
    Part {
        text: "def $Nsafe(function, i0, default=-1):\n    try:\n        return function(i0)\n    except (ZeroDivisionError, ValueError, LookupError):\n        return default\n",
        exprs: &[
            ('i', 20, "$Nsafe(lambda i0: $i // (i0 % 3), $i)"),
            ('i', 20, "$Nsafe(lambda i0: [4, 5, 6][i0], $i, $i)"),
        ],
        ..Part::NONE
    },
    Part {
        text: "def $Ndeep(i0, i1):\n    if i0 <= 0:\n        return 100 // (i1 % 4)\n    try:\n        return $Ndeep(i0 - 1, i1) + 1\n    except ZeroDivisionError:\n        if i0 % 2:\n            raise\n        return -i0\n",
        exprs: &[('i', 10, "$Ndeep($j, $i)")],
        stmts: &["try:\n    $I = $Ndeep(3, $i)\nexcept ZeroDivisionError as error:\n    print(error)"],
        ..Part::NONE
    },
];
