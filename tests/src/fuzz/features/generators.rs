//! Generators, iterators of the program, and `itertools`.

use super::super::idioms::Part;

/// Ways to use any iterator.
pub(super) const ITERATORS: Part = Part {
    exprs: &[
        ('i', 20, "next($Y, $i)"),
        ('i', 20, "next($y, -1)"),
        ('i', 32, "sum($y)"),
        ('i', 20, "max($y, default=$i)"),
        ('i', 20, "sum(1 for q in $y)"),
        ('v', 0, "list($y)"),
        ('v', 0, "sorted($Y)"),
        ('v', 0, "list(itertools.islice($y, $j))"),
        ('v', 0, "list(itertools.islice(itertools.count($i, 3), $j))"),
        ('v', 0, "list(itertools.chain($v, $y))"),
        ('v', 0, "list(itertools.takewhile(lambda q: q < $i, $y))"),
        ('v', 0, "list(itertools.dropwhile(lambda q: q < 2, $v))"),
        ('v', 0, "list(itertools.accumulate($y, lambda a, q: (a + q) % 4099))"),
        ('v', 0, "[a % 4001 + b for a, b in itertools.product($v[:2], range($j))]"),
        ('v', 0, "[a - b for a, b in itertools.pairwise($v)]"),
        ('v', 0, "list(itertools.chain.from_iterable([$v, $v]))"),
        ('v', 0, "[b for a, b in itertools.zip_longest(range($j), $v, fillvalue=0)]"),
        ('y', 0, "(q + $i % 7 for q in $v)"),
        ('y', 0, "itertools.islice(itertools.count($i), $j)"),
        ('y', 0, "itertools.chain($v, [1])"),
        ('y', 0, "map(abs, $v)"),
        ('y', 0, "iter(range($i % 4))"),
        ('y', 0, "iter(range($j))"),
        ('y', 0, "(q for q in $y if q % 2)"),
        ('b', 0, "any(q == $i for q in $y)"),
        ('b', 0, "($i in $y)"),
    ],
    stmts: &[
        "$=y = $y",
        "$=y = $y\n$=i = next($Y, 0)",
        "$=y = $y",
        "c_$# = 0\nfor $=i in $Y:\n    c_$# += 1\n    if c_$# > 5:\n        break\n    $:",
        "for $=i in itertools.islice($Y, 3):\n    $:",
        "$=i = next($Y)",
        "$=y = $y\n$=i, $=f = next($Y, 0), next($Y, 0.5)\n$=v = list($Y)",
        "try:\n    $I = next($Y)\nexcept StopIteration:\n    $;",
        "for $=i, i_$# in itertools.islice(zip($y, $v), 3):\n    $:",
    ],
    ..Part::NONE
};

/// Iterators that the paths of a program draw on differently: each arm finds the iterator where it was before the
/// branch, and what comes after sees what its own path has left.
pub(super) const SHARED: Part = Part {
    stmts: &[
        "y_$# = (q for q in $v if q > $i)\nif $I > $j:\n    $I = next(y_$#, 0)\n    $;\nelse:\n    $I = -next(y_$#, $i)\n$=v = list(y_$#)",
        "y_$# = (q for q in ($I, $i, $j) if q % 3)\nif $b:\n    $I = next(y_$#, $i)\nelse:\n    $I = next(y_$#, 0) * 2\n    $;\n$=y = y_$#",
        "y_$# = (q - 1 for q in [$i, $I] if q % 2)\n$I = next(y_$#, 0) if $I > $j else next(y_$#, $i) - 1\n$=v = list(y_$#)",
        "y_$# = (q for q in [$I, $i, 5] if q % 3 != $j)\nif $b:\n    for i_$# in y_$#:\n        $I = i_$#\n        break\nelif $I > $i:\n    $I = next(y_$#, 0)\nelse:\n    $I = next(y_$#, 1) + sum(y_$#) % 3001\n$=v = list(y_$#)",
        "y_$# = (q for q in ($i, $I) if q != $j)\ntry:\n    if $I > $j:\n        $I = next(y_$#)\n    else:\n        $I = 1 - next(y_$#)\n    $I = $i // ($i % 3)\nexcept ZeroDivisionError:\n    $I = next(y_$#, -1)\nexcept StopIteration:\n    $;\nprint(next(y_$#, None))",
        "y_$# = (q * 2 for q in $v if q > $i)\nfor i_$# in range($i % 5):\n    if $b:\n        $I = next(y_$#, 0)\n    else:\n        $I = i_$# - next(y_$#, 1)\n    $:\nprint(list(y_$#))",
        "for i_$# in range($i % 6):\n    y_$# = (q + i_$# for q in ($I, $i) if q > i_$#)\n    $I = next(y_$#, 0) if $I > $j else next(y_$#, 3)\n    $I = next(y_$#, 1)\n    $:",
        "for i_$# in (3, 1, 2):\n    y_$# = (q + i_$# for q in ($I, $i) if q > i_$#)\n    if $I % 4 > i_$#:\n        $I = next(y_$#, 0)\n    else:\n        $I = next(y_$#, 5) * 2 - next(y_$#, i_$#)",
        "y_$# = (q for q in ($I, $i, 3) if q > $j)\nif $I % 3:\n    v0 = list(y_$#)\nelse:\n    v0 = [next(y_$#, 0)]\n$=v = v0 + list(y_$#)",
        "y_$#, z_$# = (q for q in ($I, 1) if q), iter([$i, $I])\n$I = next(y_$# if $b else z_$#, $i)\nprint(next(y_$#, None), next(z_$#, None))",
        "def g_$#(i0):\n    i1 = i0 % 7\n    while i1 < 20:\n        if $b:\n            i1 += 1\n        i1 += 1 + i0 % 3\n        yield i1\ny_$# = g_$#($I)\nif $I > $j:\n    $I = next(y_$#, 0) + next(y_$#, 0)\nelse:\n    $I = next(y_$#, $i)\n$=y = y_$#\n$;\nprint(list(y_$#))",
        "def g_$#(y0, i0):\n    if i0 > $j:\n        return next(y0, i0)\n    return next(y0, 1) + sum(y0) % 1013\ny_$# = (q for q in $v if q % 2)\n$I = g_$#(y_$#, $I)\n$=v = list(y_$#)",
        "def g_$#(v0, i0):\n    for q in v0[:6]:\n        i0 = (i0 + q) % 2003\n        if i0 % 3:\n            yield i0\ny_$# = g_$#($v, $I)\nmatch $I % 3:\n    case 0:\n        $I = next(y_$#, 0)\n    case 1:\n        $I = sum(y_$#) % 1009\n    case _:\n        next(y_$#, 0)\n        $;\nprint(list(y_$#))",
        "y_$# = (q for q in range($i % 9) if q != $I)\nif $b and next(y_$#, 0) > $j or next(y_$#, 1) % 2:\n    $;\nprint(list(y_$#))",
    ],
    ..Part::NONE
};

/// Definitions of generators and iterators.
pub(super) const SOURCES: [Part; 10] = [
    Part {
        text: "def $Ngen(i0, i1=2):\n    for i2 in range(i0 % 5):\n        if $b:\n            yield $i\n        yield i2\n",
        exprs: &[
            ('y', 0, "$Ngen($i)"),
            ('y', 0, "$Ngen($j, $i)"),
            ('v', 0, "list($Ngen($i))"),
            ('i', 32, "sum($Ngen($j))"),
        ],
        stmts: &[
            "for $=i in $Ngen($i):\n    $:",
            "for $=i in $Ngen($j):\n    $:",
            "g_$# = $Ngen($i)\n$=i = next(g_$#, 0)\n$=v = list(g_$#)\n$=y = g_$#",
            "i0, *v0 = $Ngen($j + 1, $i)",
            "g_$# = $Ngen($I, 1)\nif $b:\n    $I = next(g_$#, $i)\nelse:\n    $I = 2 - next(g_$#, 7)\nprint(list(g_$#))",
        ],
        changes: &["$Ngen = lambda i0, i1=2: iter([i0 % 9, 4])"],
        ..Part::NONE
    },
    Part {
        text: "def $Nwalk(v0):\n    i1 = 0\n    for q in v0[:6]:\n        i1 = (i1 + q) % 3001\n        yield i1\n        if $b:\n            return\n    yield -1\n",
        exprs: &[('y', 0, "$Nwalk($v)"), ('v', 0, "[q % 10 for q in $Nwalk($v)]")],
        stmts: &["for $=i in $Nwalk($V):\n    $V.append($i)\n    $:", "for $=i in $Nwalk($v):\n    $:"],
        ..Part::NONE
    },
    Part {
        text: "def $Ntalk(i0):\n    i1 = i0 % 100\n    for i2 in range(4):\n        got = yield i1\n        if got is None:\n            i1 += 1\n        else:\n            i1 = (i1 * 2 + got) % 997\n    return i1\n",
        exprs: &[('y', 0, "$Ntalk($i)"), ('i', 11, "next($Ntalk($i))")],
        stmts: &[
            "g_$# = $Ntalk($i)\n$=i = next(g_$#)\nif $b:\n    $I = g_$#.send($i)\n$=i = g_$#.send(3)\ng_$#.close()",
            "g_$# = $Ntalk($i)\nnext(g_$#)\ntry:\n    for i_$# in range($j + 2):\n        $I = g_$#.send(i_$#)\nexcept StopIteration as stop:\n    $I = stop.value",
            "g_$# = $Ntalk($i)\n$=i = g_$#.send(None)\n$=y = g_$#",
        ],
        ..Part::NONE
    },
    Part {
        text: "def $Nboth(i0):\n    i1 = yield from $Npart(i0)\n    yield i1\n    yield from [$i, i0 % 3]\ndef $Npart(i0):\n    yield i0 % 6\n    if $b:\n        return 4\n    yield $i\n    return 5\n",
        exprs: &[('y', 0, "$Nboth($i)"), ('v', 0, "list($Nboth($i))")],
        stmts: &["for $=i in $Nboth($i):\n    $:"],
        ..Part::NONE
    },
    Part {
        text: "class $NIt:\n    def __init__(self, i0):\n        self.left = i0 % 5\n        self.sum = 0\n    def __iter__(self):\n        return self\n    def __next__(self):\n        if not self.left > 0:\n            raise StopIteration\n        self.left -= 1\n        self.sum = (self.sum + self.left * 3) % 1009\n        return self.sum\n",
        exprs: &[
            ('y', 0, "$NIt($i)"),
            ('v', 0, "[*$NIt($i)]"),
            ('i', 13, "sum($NIt($i))"),
            ('i', 10, "max($NIt($j), default=3)"),
        ],
        stmts: &["for $=i in $NIt($i):\n    $:", "it_$# = $NIt($i)\nfor $=i in it_$#:\n    $:\n$=i = it_$#.left"],
        globals: &[("y_$M", "$NIt(4)")],
        changes: &["y_$M = $NIt(4)", "y_$M.left = 3", "$NIt.__next__ = lambda self: next(iter(()))"],
        ..Part::NONE
    },
    Part {
        text: "class $NTree:\n    def __init__(self, value, kids=()):\n        self.value = value\n        self.kids = kids\n    def __iter__(self):\n        yield self.value\n        for kid in self.kids:\n            yield from kid\n    def total(self):\n        return self.value + sum(kid.total() for kid in self.kids)\ntree_$M = $NTree(1, [$NTree(2), $NTree(3, [$NTree(4)])])\n",
        exprs: &[
            ('v', 0, "list(tree_$M)"),
            ('i', 20, "tree_$M.total()"),
            ('i', 20, "$NTree($i, [$NTree($i), $NTree(2)]).total() % 5003"),
            ('v', 0, "[*$NTree($i, [$NTree($i)])]"),
        ],
        stmts: &["for $=i in tree_$M:\n    $:", "tree_$M.value = $i", "tree_$M.kids[0].value = $i"],
        changes: &[
            "$NTree.total = lambda self: self.value * 2",
            "$NTree.__iter__ = lambda self: iter([self.value, 6])",
            "tree_$M.kids.append($NTree(9))",
            "tree_$M.kids[0].value = -5",
            "tree_$M.value = 0.5",
            "tree_$M.kids[:1] = []",
        ],
        state: &["tree_$M"],
        ..Part::NONE
    },
    Part {
        text: "def $Nguarded(i0):\n    try:\n        for i2 in range(3):\n            yield ($i) % 401\n    finally:\n        print('closed', i0)\n",
        exprs: &[('y', 0, "$Nguarded($i)"), ('v', 0, "list($Nguarded($i))")],
        stmts: &[
            "g_$# = $Nguarded($i)\n$=i = next(g_$#)\ng_$#.close()",
            "for $=i in $Nguarded($i):\n    $:",
            "g_$# = $Nguarded($i)\nif $b:\n    $I = next(g_$#)\n    $;\ng_$#.close()",
        ],
        ..Part::NONE
    },
    Part {
        text: "def $Nendless(i0):\n    i1 = i0 % 50\n    while True:\n        yield i1\n        i1 += 2 if $b else 1\n",
        exprs: &[
            ('y', 0, "itertools.islice($Nendless($i), $j)"),
            ('i', 20, "next(q for q in $Nendless($i) if q % 7 == 3 or q > 99 or q != q)"),
            ('v', 0, "[a for a, b in zip($Nendless($i), $v[:5])]"),
            ('v', 0, "list(itertools.takewhile(lambda q: q < 53, $Nendless($i)))"),
        ],
        stmts: &[
            "for i_$# in $Nendless($i):\n    $I = i_$#\n    if i_$# > 55 or $b:\n        break",
            "g_$# = $Nendless($i)\n$=i = next(g_$#) + next(g_$#)\nfor i_$#, $=i in zip(range($j), g_$#):\n    $:",
        ],
        ..Part::NONE
    },
    Part {
        text: "def $Npairs(v0):\n    for k, q in enumerate(v0[:4]):\n        yield k, q * 0.5\n",
        exprs: &[
            ('f', 0, "sum(b for a, b in $Npairs($v))"),
            ('v', 0, "[a for a, b in $Npairs($v) if b > $f]"),
            ('d', 0, "{a: int(b) for a, b in $Npairs($v)}"),
        ],
        stmts: &["for $=i, $=f in $Npairs($v):\n    $:"],
        ..Part::NONE
    },
    Part {
        text: "def $Nstate(i0):\n    seen = []\n    while len(seen) < 4:\n        seen.append((i0 + len(seen) * $i) % 307)\n        yield sum(seen) % 509\ny_$M = $Nstate(3)\n",
        exprs: &[('y', 0, "$Nstate($i)"), ('i', 20, "next(y_$M, -9)"), ('v', 0, "list($Nstate($i))")],
        stmts: &["for $=i in $Nstate($i):\n    $:", "y_$M.close()"],
        changes: &["y_$M = $Nstate(5)", "next(y_$M, 0)"],
        ..Part::NONE
    },
];
