//! Classes: a base class, a class below it, and a record.
//!
//! Every object of kind `p` has an int `x` and a float `y`, however its class is written; a record of kind
//! `q` has an int `x` and an int `z`.

use super::super::idioms::Part;

/// Ways to begin the base class. Members follow.
pub(super) const BASES: [Part; 4] = [
    Part {
        text: "class $NA:\n    rate = 3\n    def __init__(self, x, y):\n        self.x = x\n        self.y = y\n",
        ..USES
    },
    Part { text: "@dataclasses.dataclass\nclass $NA:\n    x: int\n    y: float = 0.5\n    rate = 3\n", ..USES },
    Part {
        text: "class $NA:\n    rate = 3\n    made = 0\n    def __init__(self, x, y=1.5):\n        self.y = y\n        if x > 100:\n            x = x % 100\n        self.x = x\n        $NA.made = $NA.made + 1\n",
        state: &["$NA.made", "$NA.rate"],
        ..USES
    },
    Part {
        text: "class $NA:\n    __slots__ = ('x', 'y')\n    rate = 3\n    def __init__(self, x, y=0.5):\n        self.x = x\n        self.y = y\n",
        ..USES
    },
];

/// What every base class allows.
const USES: Part = Part {
    exprs: &[
        ('i', 20, "$P.x"),
        ('i', 20, "$p.x"),
        ('f', 0, "$P.y"),
        ('f', 0, "$p.y"),
        ('i', 3, "$P.rate"),
        ('i', 3, "$NA.rate"),
        ('i', 20, "getattr($P, 'x')"),
        ('i', 20, "getattr($p, 'fresh', $i)"),
        ('b', 0, "hasattr($P, 'fresh')"),
        ('b', 0, "($P == $i or [$p] != $j)"),
        ('i', 20, "$NA(x=$i, y=$f).x"),
        ('i', 30, "sum(a.x for a in ($p, $p))"),
        ('i', 20, "min([$p, $p], key=lambda a: a.x).x"),
        ('i', 20, "max([$P, $p], key=lambda a: (a.x % 3, -a.x)).x"),
        ('i', 20, "sorted([$p, $p, $p], key=lambda a: -a.x)[0].x"),
        ('i', 20, "[a for a in [$P, $p] if a.x > $i or a.y > 0 or True][0].x"),
        ('b', 0, "($P is $P)"),
        ('b', 0, "isinstance($p, $NA)"),
        ('b', 0, "hasattr($P, 'z')"),
        ('b', 0, "(type($P) is $NA)"),
        ('p', 0, "$NA($i, $f)"),
        ('p', 0, "$P"),
        ('p', 0, "($p if $b else $p)"),
        ('x', 0, "type($P).__name__"),
        ('v', 0, "[a.x for a in ($P, $p)]"),
    ],
    stmts: &[
        "$P.x = $i",
        "$P.y = $f",
        "$P.x = ($P.x + $i) % 4001",
        "$P.y += $f",
        "$P.y *= 0.5",
        "setattr($P, 'x', $i)",
        "try:\n    $P.fresh = $i\n    if $b:\n        del $P.fresh\nexcept AttributeError:\n    pass\n$=i = getattr($P, 'fresh', 7)",
        "k_$# = dict(a=$i, b=$P.x)\nk_$#.update(a=$i, c=$i)\nprint(list(k_$#.items()))",
        "for i_$# in range($j):\n    $P.x = $i\n    if hasattr($P, 'fresh'):\n        $P.fresh = i_$#",
        "$=p = $P",
        "$=p = $p",
        "$=p = $NA($i, $f)",
        "$P.x, $=i = $i, $P.x",
        "$P.x = $P.x = $i",
        "if $b:\n    $P.x = $i\nelse:\n    $P.y = $f",
        "$=p = $NA($i, $f)\nif $b:\n    $P.x = $i\n$=i = $P.x",
        "$=p, $=i = $p, $P.x",
        "for a_$# in ($p, $p, $P):\n    a_$#.x = (a_$#.x * 3 + $i) % 2003",
        "a_$# = [$p, $p]\na_$#[0].x = $i\n$=i = a_$#[-1].x\n$=p = a_$#[$b]",
        "a_$# = {'u': $P, 'w': $p}\na_$#['u'].x = $i\n$=p = a_$#['w']",
        "a_$# = []\nfor b_$# in range($j):\n    a_$#.append($NA(b_$#, $f))\n$=i = sum(c.x for c in a_$#)\n$=p = a_$#[-1] if a_$# else $p",
        "$=p = a_$# = $p\nwhile a_$#.x > 3 and $b:\n    a_$#.x = a_$#.x % 97 // 2",
        "a_$#, b_$# = $NA($i, $f), $NA($i, $f)\nc_$# = a_$# if $b else b_$#\nc_$#.x = $i\n$=p = a_$#\nprint(a_$#.x, b_$#.x)",
        "a_$#, b_$# = $NA($i, $f), $p\nc_$# = a_$#\nfor i_$# in range($i % 6):\n    if $b:\n        c_$# = b_$#\n    else:\n        c_$# = a_$#\n    c_$#.x = (c_$#.x + i_$#) % 1013\n    $:\nprint(a_$#.x, b_$#.x, c_$# is a_$#)",
        "match $p:\n    case $NA(x=0):\n        $;\n    case $NA(x=i1) if i1 > 2:\n        $;\n    case _:\n        $;",
        "try:\n    $P.missing = $i\n    $=i = $P.missing\nexcept AttributeError as error:\n    print('no', error.name)",
        "try:\n    $=i = $P.nothing\nexcept AttributeError as error:\n    print(error)",
    ],
    globals: &[("p_$M", "$NA(4, 1.5)"), ("p2_$M", "$NA(-3, 0.25)")],
    changes: &[
        "p_$M.x = 7",
        "p_$M.x += 1",
        "p_$M.y = -0.5",
        "p_$M.x = 2.5",
        "p_$M.x = True",
        "p_$M.y = 3",
        "p_$M = $NA(2, 0.25)",
        "p2_$M = p_$M",
        "p_$M, p2_$M = p2_$M, p_$M",
        "$NA.rate = 5",
        "$NA.rate = 0.5",
        "$NA.extra = 1",
        "p2_$M.y, p2_$M.x = 8.0, 1",
    ],
    ..Part::NONE
};

/// Members of the base class, in their order.
pub(super) const MEMBERS: [Part; 26] = [
    Part {
        text: "    class Kept:\n        def __get__(self, thing, owner):\n            return self if thing is None else ($i + thing.x) % 907\n        def __set__(self, thing, i0):\n            thing.x = i0 % 1009\n        def __delete__(self, thing):\n            thing.x = 1\n    kept = Kept()\n",
        exprs: &[('i', 14, "$P.kept"), ('i', 14, "getattr($p, 'kept')"), ('b', 0, "($NA.kept is $NA.kept)")],
        stmts: &["$P.kept = $i", "$P.kept += 1", "del $P.kept", "setattr($P, 'kept', $i)"],
        changes: &["$NA.Kept.__get__ = lambda self, thing, owner: 5", "$NA.kept = 3"],
        ..Part::NONE
    },
    Part {
        text: "    def __setattr__(self, name, value):\n        object.__setattr__(self, name, value if name != 'x' else value % 4001)\n",
        stmts: &["$P.x = $i", "setattr($P, 'y', $f)"],
        changes: &["del $NA.__setattr__"],
        ..Part::NONE
    },
    Part {
        text: "    def __getattribute__(self, name):\n        found = object.__getattribute__(self, name)\n        return found % 2003 if name == 'x' else found\n",
        exprs: &[('i', 10, "$P.x"), ('i', 10, "getattr($p, 'x', 3)")],
        changes: &["del $NA.__getattribute__"],
        ..Part::NONE
    },
    Part {
        text: "    @stage\n    def grown(self, i0):\n        if $b:\n            self.x = (self.x + $i) % 4001\n        return self.x + i0\n    @property\n    @stage\n    def size(self):\n        return self.x * 2\n",
        exprs: &[('i', 14, "$P.grown($i)"), ('i', 14, "$p.grown($i)"), ('i', 14, "$P.size")],
        stmts: &["$P.grown($i)", "m_$# = $P.grown\n$=i = m_$#($i)\n!i m_$#(i)"],
        changes: &["$NA.grown = lambda self, i0: (i0 - self.x) % 50", "$NA.grown = stage(lambda self, i0: i0 + 1)"],
        ..Part::NONE
    },
    Part {
        text: "    def step(self, i0):\n        self.x = ($i) % 5003\n        return self.x\n",
        exprs: &[('i', 13, "$P.step($i)"), ('i', 13, "$p.step($i)"), ('i', 13, "$NA.step($P, $i)")],
        stmts: &["$P.step($i)", "m_$# = $P.step\n$=i = m_$#($i)\n!i m_$#(i)", "$=v = list(map($P.step, $v))"],
        changes: &[
            "$NA.step = lambda self, i0: (i0 - self.x) % 50",
            "p_$M.step = lambda i0: i0 % 11",
            "def patched(self, i0):\n    self.x = i0 % 7\n    return -self.x\n$NA.step = patched",
        ],
        ..Part::NONE
    },
    Part {
        text: "    def scaled(self, f0):\n        return self.y * f0 + $f\n",
        exprs: &[('f', 0, "$P.scaled($f)"), ('f', 0, "$p.scaled($f)")],
        changes: &["$NA.scaled = lambda self, f0: f0 - 1.0"],
        ..Part::NONE
    },
    Part {
        text: "    def choose(self, i0, f0=0.5):\n        if $b:\n            return $i\n        self.y = $f\n        return self.x\n",
        exprs: &[('i', 20, "$P.choose($i)"), ('i', 20, "$p.choose($i, f0=$f)")],
        changes: &["$NA.choose = lambda self, i0, f0=0.5: i0 % 9 - self.x % 4"],
        ..Part::NONE
    },
    Part {
        text: "    def count(self, i0):\n        i1 = 0\n        for i2 in range(i0 % 6):\n            i1 += self.x % 7 + i2\n            if i1 % 5 == 3:\n                self.x = (self.x + $i) % 3001\n            elif i1 > 40:\n                break\n        return i1\n",
        exprs: &[('i', 10, "$P.count($i)")],
        stmts: &["$P.count($i)"],
        changes: &["$NA.count = lambda self, i0: i0 % 8"],
        ..Part::NONE
    },
    Part {
        text: "    @property\n    def area(self):\n        return ($i) % 1009\n",
        exprs: &[('i', 11, "$P.area"), ('i', 11, "$p.area")],
        changes: &["$NA.area = property(lambda self: self.x % 5)"],
        ..Part::NONE
    },
    Part {
        text: "    @property\n    def half(self):\n        return self.y / 2\n    @half.setter\n    def half(self, f0):\n        self.y = f0 * 2\n",
        exprs: &[('f', 0, "$P.half")],
        stmts: &["$P.half = $f", "$P.half += 1"],
        changes: &["$NA.half = property(lambda self: self.y + 1.0, lambda self, f0: None)"],
        ..Part::NONE
    },
    Part {
        text: "    @classmethod\n    def make(cls, i0):\n        return cls(($i) % 607, 0.75)\n",
        exprs: &[('p', 0, "$NA.make($i)"), ('p', 0, "$P.make($i)"), ('p', 0, "type($P).make($i)")],
        changes: &["$NA.make = classmethod(lambda cls, i0: cls(i0 % 50, 0.25))"],
        ..Part::NONE
    },
    Part {
        text: "    @staticmethod\n    def clamp(i0, i1=50):\n        return max(-i1, min(i0, i1))\n",
        exprs: &[('i', 20, "$NA.clamp($i)"), ('i', 20, "$P.clamp($i, i1=$i)")],
        changes: &["$NA.clamp = staticmethod(lambda i0, i1=2: i0 % 3)"],
        ..Part::NONE
    },
    Part {
        text: "    def __add__(self, other):\n        if isinstance(other, $NA):\n            return $NA((self.x + other.x) % 4001, self.y)\n        return $NA((self.x + other) % 4001, self.y)\n    __radd__ = __add__\n",
        exprs: &[('p', 0, "($P + $p)"), ('p', 0, "($P + $i)"), ('p', 0, "($i + $P)"), ('i', 20, "sum([$p, $p], $i).x")],
        stmts: &["$=p = $P + $i", "p0 = $p\np0 += $i"],
        changes: &["$NA.__add__ = lambda self, other: $NA(self.x % 99, 0.5)"],
        ..Part::NONE
    },
    Part {
        text: "    def __lt__(self, other):\n        return self.x < other.x\n",
        exprs: &[
            ('b', 0, "($P < $p)"),
            ('b', 0, "($P > $p)"),
            ('i', 20, "min($p, $p).x"),
            ('i', 20, "max([$p, $p]).x"),
            ('v', 0, "[a.x for a in sorted([$p, $p, $p])]"),
        ],
        changes: &["$NA.__lt__ = lambda self, other: self.x > other.x"],
        ..Part::NONE
    },
    Part {
        text: "    def __eq__(self, other):\n        return isinstance(other, $NA) and self.x == other.x\n    def __hash__(self):\n        return hash(self.x)\n",
        exprs: &[
            ('b', 0, "($P == $p)"),
            ('b', 0, "($P != $p)"),
            ('b', 0, "($P in [$p, $p])"),
            ('i', 4, "[$p, $p, $P].index($P)"),
            ('i', 4, "len({$p, $p})"),
        ],
        changes: &["$NA.__eq__ = lambda self, other: self is other"],
        ..Part::NONE
    },
    Part {
        text: "    def __len__(self):\n        return abs(self.x) % 5\n",
        exprs: &[('i', 3, "len($P)"), ('b', 0, "bool($p)")],
        stmts: &["if $P:\n    $;\nelse:\n    $;"],
        changes: &["$NA.__len__ = lambda self: 2"],
        ..Part::NONE
    },
    Part {
        text: "    def __getitem__(self, i0):\n        if i0 >= 4:\n            raise IndexError('past 4', i0)\n        return (self.x + i0) % 211\n    def __setitem__(self, i0, i1):\n        self.x = (i0 * 10 + i1) % 1501\n",
        exprs: &[('i', 8, "$P[$i]"), ('i', 8, "$P[$j]"), ('v', 0, "list($P)"), ('b', 0, "($i in $P)")],
        stmts: &["k_$# = $i\n$P[k_$#] = $i", "for $=i in $P:\n    $:", "$P[$j] += 1"],
        changes: &["$NA.__getitem__ = lambda self, i0: [7, 8][i0 % 3]"],
        ..Part::NONE
    },
    Part {
        text: "    def __call__(self, i0, *rest, **named):\n        self.x = (self.x + i0) % 503\n        return self.x + len(rest) + len(named)\n",
        exprs: &[('i', 20, "$P($i)"), ('i', 20, "$P($i, 1, k=2)"), ('v', 0, "list(map($P, $v))")],
        stmts: &["$P($i)"],
        changes: &["$NA.__call__ = lambda self, *rest, **named: len(rest) + len(named)"],
        ..Part::NONE
    },
    Part {
        text: "    def __bool__(self):\n        return self.x % 2 == 0\n",
        exprs: &[('b', 0, "bool($p)"), ('b', 0, "(not $P)"), ('p', 0, "($p or $p)"), ('p', 0, "($p and $p)")],
        stmts: &["if $P:\n    $;", "while $P and $b:\n    $P.x = $P.x + 1\n    break"],
        changes: &["$NA.__bool__ = lambda self: self.x > 3"],
        ..Part::NONE
    },
    Part {
        text: "    def __iter__(self):\n        for i2 in range(abs(self.x) % 4):\n            yield self.x % 100 + i2\n",
        exprs: &[('v', 0, "list($P)"), ('i', 12, "sum($p)"), ('v', 0, "[*$P, $i]"), ('y', 0, "iter($P)")],
        stmts: &["for $=i in $P:\n    $:", "$=i, *v0 = [$i, *$P]"],
        changes: &["$NA.__iter__ = lambda self: iter([self.x % 9, 1])"],
        ..Part::NONE
    },
    Part {
        text: "    def moved(self, i0):\n        self.x = (self.x + i0) % 907\n        return self\n",
        exprs: &[('p', 0, "$P.moved($i)"), ('i', 10, "$P.moved($i).moved(1).x")],
        stmts: &["k_$# = $i\n$P.moved(k_$#).y = $f"],
        changes: &["$NA.moved = lambda self, i0: self"],
        ..Part::NONE
    },
    Part {
        text: "    def __iadd__(self, i0):\n        self.x = (self.x + i0) % 1201\n        return self\n",
        stmts: &["p0 = $p\np0 += $i", "$=p = $P\n$P.x = $i\np1 = $p\np1 += 1"],
        changes: &["$NA.__iadd__ = lambda self, i0: $NA(i0 % 40, 0.5)"],
        ..Part::NONE
    },
    Part {
        text: "    def __repr__(self):\n        return f'A<{self.x}, {self.y}>'\n",
        exprs: &[('x', 0, "str($P)"), ('x', 0, "repr([$P])"), ('x', 0, "f'{$P}|{$P!r:>12}'")],
        stmts: &["print($P, [$p])"],
        changes: &["$NA.__repr__ = lambda self: f'B<{self.y}>'"],
        ..Part::NONE
    },
    Part {
        text: "    def __enter__(self):\n        self.x = self.x + 1\n        return self\n    def __exit__(self, kind, error, trace):\n        self.x = (self.x * 2) % 701\n        print('exit', kind is None, error)\n        return kind is ZeroDivisionError\n",
        stmts: &["with $P as p1:\n    $;", "with $P:\n    $I = $i // ($i % 3)\n    $;"],
        changes: &["$NA.__exit__ = lambda self, kind, error, trace: None"],
        ..Part::NONE
    },
    Part {
        text: "    def __neg__(self):\n        return $NA(-self.x, -self.y)\n    def __mul__(self, i0):\n        return $NA((self.x * i0) % 5003, self.y)\n    def __mod__(self, i0):\n        return self.x % i0\n",
        exprs: &[('p', 0, "(-$P)"), ('p', 0, "($P * $i)"), ('i', 20, "($P % 7)"), ('i', 20, "($P % $i)")],
        changes: &["$NA.__neg__ = lambda self: self", "$NA.__mod__ = lambda self, i0: i0 % 5"],
        ..Part::NONE
    },
    Part {
        text: "    def pair(self):\n        return self.x, self.y\n",
        exprs: &[('t', 0, "$P.pair()"), ('i', 20, "$p.pair()[0]"), ('f', 0, "$P.pair()[1]")],
        stmts: &["$=i, $=f = $P.pair()"],
        changes: &["$NA.pair = lambda self: (self.x % 5, self.y)"],
        ..Part::NONE
    },
];

/// The class below: it overrides `step`, whether or not there is one above.
pub(super) const BELOW: [Part; 3] = [
    Part {
        text: "class $NB($NA):\n    rate = 4\n    def __init__(self, x, y=0.25):\n        super().__init__(x % 89 + 1, y)\n        self.z = x\n",
        exprs: BELOW_EXPRS,
        stmts: &[
            "b_$# = $NB($i, $f)\n$=i = b_$#.z\n$=p = b_$#",
            "b_$# = $NB($i)\nb_$#.z = $i\n$=p = b_$#\nif $b:\n    b_$#.x = b_$#.z",
        ],
        changes: &["p_$M = $NB(3, 0.5)", "$NB.rate = 9", "p2_$M = $NB(6)"],
        ..Part::NONE
    },
    Part {
        text: "class $NB($NA):\n    def step(self, i0):\n        if hasattr($NA, 'step'):\n            i0 = super().step(i0) % 100\n        self.x = self.x % 313\n        return i0 + $i % 51\n",
        exprs: &[('p', 0, "$NB($i, $f)"), ('i', 20, "$NB($i, $f).step($i)"), ('b', 0, "isinstance($p, $NB)")],
        changes: &["p_$M = $NB(3, 0.5)", "p_$M.__class__ = $NB", "$NB.step = lambda self, i0: 77"],
        ..Part::NONE
    },
    Part {
        text: "class $NMixin:\n    def mixed(self, i0):\n        return (self.x - i0) % 71\nclass $NB($NMixin, $NA):\n    rate = property(lambda self: self.x % 6)\n    @property\n    def area(self):\n        return 5\n",
        exprs: &[('p', 0, "$NB($i, $f)"), ('i', 10, "$NB($i, $f).mixed($i)"), ('i', 4, "$NB($i, $f).area")],
        changes: &["p_$M = $NB(8, 0.5)", "$NMixin.mixed = lambda self, i0: i0 % 2"],
        ..Part::NONE
    },
];

const BELOW_EXPRS: &[(char, u32, &str)] = &[
    ('p', 0, "$NB($i, $f)"),
    ('p', 0, "($NB($i) if $b else $p)"),
    ('i', 20, "$NB($i).z"),
    ('i', 20, "getattr($P, 'z', $i)"),
    ('b', 0, "isinstance($p, $NB)"),
    ('i', 3, "$NB.rate"),
];

/// A class whose methods become others between the calls, by every way that there is to say so.
pub(super) const PATCHED: Part = Part {
    text: "class $NRule:\n    def __init__(self, k):\n        self.k = k\n    def near(self, i0):\n        return (i0 * 3 + self.k) % 401\n    def far(self, i0):\n        self.k = (self.k + i0) % 307\n        return self.k\n    def both(self, i0):\n        return self.near(i0) - self.far(i0)\nclass $NStrict($NRule):\n    def far(self, i0):\n        return super().far(i0) // 2\nrule_$M = $NRule(2)\n",
    exprs: &[
        ('i', 10, "rule_$M.near($i)"),
        ('i', 10, "rule_$M.far($i)"),
        ('i', 11, "$NRule($j).both($i)"),
        ('i', 10, "$NStrict($j).far($i)"),
        ('i', 12, "sum(r.near($j) for r in [rule_$M, $NStrict(5)])"),
        ('b', 0, "(rule_$M.near($i) > $NRule.near(rule_$M, $i))"),
    ],
    stmts: &[
        "$I = rule_$M.near($i)",
        "$I = rule_$M.both($i)",
        "$I = (rule_$M if $b else $NStrict(4)).far($i)",
        "r_$# = $NRule($j)\nfor i_$# in range($i % 6):\n    $I = r_$#.far(i_$#) + r_$#.near($i)\n    $:",
        "if rule_$M.near($i) > 100:\n    $;\nelse:\n    $I = rule_$M.far(1)",
        "m_$# = rule_$M.near\n$=i = m_$#($i)\n!i m_$#(i)",
    ],
    changes: &[
        "$NRule.near, $NRule.far = $NRule.far, $NRule.near",
        "$NRule.near = lambda self, i0: i0 % 9 - self.k",
        "def patched(self, i0):\n    self.k = i0 % 70\n    return i0 % 31\n$NRule.far = patched",
        "setattr($NRule, 'both', $NRule.near)",
        "$NStrict.near = lambda self, i0: -1",
        "if 'near' in vars($NStrict):\n    del $NStrict.near",
        "rule_$M = $NStrict(9)",
        "rule_$M.k += 1",
    ],
    state: &["rule_$M.k"],
    ..Part::NONE
};

/// Records.
pub(super) const RECORDS: [Part; 4] = [
    Part { text: "$NQ = collections.namedtuple('$NQ', 'x z')\n", ..TUPLES },
    Part {
        text: "class $NQ(typing.NamedTuple):\n    x: int\n    z: int = 2\n    def both(self):\n        return self.x + self.z\n",
        ..TUPLES
    },
    Part {
        text: "@dataclasses.dataclass(order=True)\nclass $NQ:\n    x: int\n    z: int = 2\n",
        stmts: &["$Q.x = $i", "$Q.z = ($Q.z + $i) % 777", "$=q = $q", "$=q = dataclasses.replace($Q, x=$i)"],
        changes: &["q_$M.x = 11", "q_$M = $NQ(5, 6)", "q_$M.z = 1.5"],
        exprs: &[
            ('q', 0, "$NQ($i, $i)"),
            ('q', 0, "$NQ(z=$i, x=$i)"),
            ('q', 0, "min($q, $q)"),
            ('i', 20, "$Q.x"),
            ('i', 20, "$q.z"),
            ('b', 0, "($q == $q)"),
            ('b', 0, "($q < $q)"),
            ('x', 0, "str($q)"),
        ],
        globals: &[("q_$M", "$NQ(1, 2)")],
        ..Part::NONE
    },
    Part {
        text: "@dataclasses.dataclass(frozen=True)\nclass $NQ:\n    x: int\n    z: int = 2\n    def __post_init__(self):\n        if self.x == 13:\n            raise ValueError('thirteen')\n",
        stmts: &[
            "$=q = $q",
            "$=q = dataclasses.replace($Q, x=$i)",
            "try:\n    $Q.x = $i\nexcept dataclasses.FrozenInstanceError as error:\n    print(error)",
        ],
        changes: &["q_$M = $NQ(5, 6)"],
        exprs: &[
            ('q', 0, "$NQ($i, $i)"),
            ('i', 20, "$Q.x"),
            ('i', 20, "$q.z"),
            ('b', 0, "($q == $q)"),
            ('i', 3, "len({$q, $q, $q})"),
        ],
        globals: &[("q_$M", "$NQ(1, 2)")],
        ..Part::NONE
    },
];

/// What named tuples allow.
const TUPLES: Part = Part {
    exprs: &[
        ('q', 0, "$NQ($i, $i)"),
        ('q', 0, "$Q._replace(x=$i)"),
        ('q', 0, "max($q, $q)"),
        ('i', 20, "$Q.x"),
        ('i', 20, "$q.z"),
        ('i', 20, "$q[0]"),
        ('i', 25, "sum($q)"),
        ('b', 0, "($q == $q)"),
        ('b', 0, "($q < ($i, $i))"),
        ('x', 0, "str($q)"),
        ('i', 20, "$Q._asdict()['z']"),
    ],
    stmts: &[
        "$=q = $q",
        "i0, i1 = $q",
        "match $q:\n    case $NQ(x=0, z=i1):\n        $;\n    case (i1, i2) if i1 > i2:\n        $;",
    ],
    globals: &[("q_$M", "$NQ(1, 2)")],
    changes: &["q_$M = $NQ(5, 6)", "q_$M = q_$M._replace(z=0.5)"],
    ..Part::NONE
};
