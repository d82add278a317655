//! Objects that a call makes ever more of: linked lists, trees, lists of objects, what they hold and where they go.

use super::super::idioms::Part;

/// Classes of nodes, and small algorithms over what is made of them.
pub(super) const POOLED: Part = Part {
    text: "class $NLink:\n    def __init__(self, v, nxt=None):\n        self.v = v\n        self.nxt = nxt\nclass $NBoth:\n    def __init__(self, v, prev):\n        self.v = v\n        self.prev = prev\n        self.next = None\n        if prev is not None:\n            prev.next = self\n    def size(self):\n        n = 1\n        p = self.prev\n        while p is not None and n < 99:\n            n += 1\n            p = p.prev\n        return n\nclass $NTree:\n    def __init__(self, k):\n        self.k = k\n        self.l = self.r = None\n        self.n = 1\n    def put(self, k):\n        self.n += 1\n        if k == self.k:\n            return self\n        if k < self.k:\n            if self.l is None:\n                self.l = $NTree(k)\n                return self.l\n            return self.l.put(k)\n        if self.r is None:\n            self.r = $NTree(k)\n            return self.r\n        return self.r.put(k)\n    def total(self):\n        t = self.k\n        for c in (self.l, self.r):\n            if c is not None:\n                t += c.total()\n        return t\n@dataclasses.dataclass\nclass $NVec:\n    x: int\n    y: float = 0.5\n    def __add__(self, other):\n        return $NVec((self.x + other.x) % 4001, self.y + other.y)\nclass $NDeep($NVec):\n    def __add__(self, other):\n        return $NDeep(other.x % 97, self.y * 0.5)\nclass $NGroup:\n    def __init__(self, v):\n        self.v = v\n        self.items = []\ndef $Nwalk(p, most=12):\n    out = []\n    while p is not None and len(out) < most:\n        out.append(p.v)\n        p = p.nxt\n    return out\ndef $Nkeys(t):\n    return [] if t is None else $Nkeys(t.l) + [(t.k, t.n)] + $Nkeys(t.r)\ndef $Nbuild(n, k):\n    if n == 0:\n        return None\n    t = $NTree(k)\n    t.l = $Nbuild(n - 1, k * 2 % 1009)\n    if k % 3:\n        t.r = $Nbuild(n - 1, (k * 2 + 1) % 1009)\n    return t\ndef $Nsum(p):\n    return 0 if p is None else (p.v + $Nsum(p.nxt)) % 1009\n",
    exprs: &[
        ('i', 20, "$NVec($i, $f).x"),
        ('i', 12, "($NVec($i, 0.5) + $NDeep($j, 1.5)).x"),
        ('i', 20, "$Nsum($NLink($i, $NLink($j)))"),
        ('i', 20, "[$NVec(q, $f) for q in range($i % 20 + 1)][$j - 9].x"),
        ('i', 20, "max([$NVec(q * $i % 17, 0.5) for q in range($i % 20 + 1)], key=lambda q: q.x).x"),
    ],
    stmts: &[
        "u_$# = None\nfor i_$# in range($i % 24):\n    u_$# = $NLink(i_$# * $j, u_$#)\n    $:\nprint($Nwalk(u_$#))",
        "u_$# = None\nfor i_$# in range($i % 24):\n    u_$# = $NLink($i, u_$#)\n    if $b:\n        u_$# = u_$#.nxt\np_$# = u_$#\nk_$# = 0\nwhile p_$# is not None:\n    k_$# = (k_$# * 3 + p_$#.v) % 1009\n    p_$# = p_$#.nxt\n$=i = k_$#",
        "u_$# = v_$# = None\nfor i_$# in range($i % 24):\n    if $b:\n        u_$# = $NLink(i_$#, v_$#)\n    else:\n        v_$# = $NLink($i, u_$#)\n    if u_$# is v_$#:\n        $:\nprint($Nwalk(u_$#), $Nwalk(v_$#), u_$# is not None and u_$#.nxt is v_$#)",
        "u_$# = None\nfor i_$# in range($i % 24):\n    u_$# = $NLink(i_$#, u_$#)\np_$# = None\nwhile u_$# is not None:\n    n_$# = u_$#.nxt\n    u_$#.nxt = p_$#\n    p_$#, u_$# = u_$#, n_$#\nprint($Nwalk(p_$#))",
        "u_$# = $NLink(1)\nw_$# = u_$#\nfor i_$# in range($i % 24):\n    w_$#.nxt = $NLink(i_$#)\n    w_$# = w_$#.nxt\nw_$#.nxt = u_$#\nfor i_$# in range($i % 40):\n    u_$#.v = (u_$#.v * 5 + w_$#.v) % 1009\n    w_$#, u_$# = u_$#, u_$#.nxt\nprint($Nwalk(u_$#), u_$# is w_$#.nxt)",
        "u_$# = None\nfor i_$# in range($i % 24):\n    u_$# = $NLink($f if $b else i_$#, u_$#)\nk_$# = 0\np_$# = u_$#\nwhile p_$#:\n    k_$# += p_$#.v\n    p_$# = p_$#.nxt\nprint(k_$#, $Nwalk(u_$#))",
        "u_$# = None\nfor i_$# in range($i % 24):\n    u_$# = $NLink(None if $b else i_$#, u_$#)\np_$# = u_$#\nn_$# = 0\nwhile p_$# is not None:\n    if p_$#.v is None:\n        n_$# += 1\n        p_$#.v = n_$#\n    p_$# = p_$#.nxt\n$=i = n_$#\nprint($Nwalk(u_$#))",
        "u_$# = $NLink(3)\nfor i_$# in range($i % 60):\n    u_$# = $NLink(u_$#.v * 3, u_$#)\nprint($Nwalk(u_$#, 3))",
        "u_$# = []\nfor i_$# in range($i % 24):\n    u_$#.append($NVec(i_$# * $j, $f))\n    $:\nfor q_$# in u_$#:\n    q_$#.x = (q_$#.x * 3 + $i) % 1009\nprint(u_$#[:4], sum([q.x for q in u_$#]))",
        "u_$# = [$NVec(q, q * 0.5) for q in range($i % 24 + 2)]\nfor i_$# in range(len(u_$#) - 1):\n    a_$#, b_$# = u_$#[i_$#], u_$#[i_$# + 1]\n    if a_$#.x * $j % 7 > b_$#.x % 5:\n        u_$#[i_$#], u_$#[i_$# + 1] = b_$#, a_$#\n    a_$#.y += b_$#.y\nprint(u_$#, u_$#[0] is u_$#[1], u_$#[0] == u_$#[-1])",
        "u_$# = [$NVec(q, 1.0) for q in range($i % 24)]\nu_$# += u_$#[:3]\nw_$# = $NVec(0, 0.0)\nfor q_$# in u_$#:\n    w_$# = w_$# + q_$#\n    q_$#.x = w_$#.x\nprint(w_$#, u_$#)",
        "u_$# = []\nfor i_$# in range($i % 24):\n    if $b:\n        u_$#.append($NDeep(i_$#, $f))\n    else:\n        u_$#.append($NVec(i_$#, 0.5))\nfor q_$# in u_$#:\n    $=i = (q_$# + u_$#[0]).x\nprint([type(q).__name__ for q in u_$#[:5]], [q for q in u_$# if isinstance(q, $NDeep)][:3])",
        "u_$# = [None] * ($i % 24 + 1)\nfor i_$# in range(2 * len(u_$#)):\n    k_$# = (i_$# * $j + $i) % len(u_$#)\n    if u_$#[k_$#] is None:\n        u_$#[k_$#] = $NLink(i_$#)\n    else:\n        u_$#[k_$#] = $NLink(i_$#, u_$#[k_$#])\nprint([$Nwalk(q, 4) for q in u_$#])",
        "u_$# = $NTree(500)\nk_$# = $i\nfor i_$# in range($i % 24):\n    k_$# = (k_$# * 75 + 74) % 1013\n    w_$# = u_$#.put(k_$#)\n    $:\nprint($Nkeys(u_$#), u_$#.total())",
        "u_$# = $Nbuild($j, $i)\nprint($Nkeys(u_$#))\nif u_$# is not None:\n    $=i = u_$#.total()",
        "u_$# = None\nfor i_$# in range($i % 24):\n    u_$# = $NBoth(i_$#, u_$#)\n    if u_$#.prev is not None and $b:\n        u_$#.prev.v += $j\nif u_$# is not None:\n    $=i = u_$#.size()\n    w_$# = u_$#\n    while w_$#.prev is not None:\n        w_$# = w_$#.prev\n    print(w_$#.v, w_$#.next is None, u_$#.next)",
        "u_$# = [$NGroup(0)]\nfor i_$# in range(1, $i % 24):\n    w_$# = $NGroup(i_$#)\n    u_$#[(i_$# - 1) // 2].items.append(w_$#)\n    u_$#.append(w_$#)\nprint([[q.v for q in g.items] for g in u_$#[:6]], u_$#[-1].items)",
        "u_$# = None\ntry:\n    for i_$# in range($i % 24):\n        u_$# = $NLink(100 // ($j * 3 - i_$#), u_$#)\nexcept ZeroDivisionError as error:\n    print(error)\nprint($Nwalk(u_$#))",
        "u_$# = None\nfor i_$# in range($i % 24):\n    u_$# = $NLink(i_$#, u_$#)\n    if i_$# == $j:\n        print($Nwalk(u_$#))\n    if i_$# == $j + 3:\n        u_$#.tag = $i\nprint($Nwalk(u_$#), sorted(vars(u_$#)) if u_$# else None)",
        "u_$# = []\nw_$# = [$NVec($i % 9, 0.5)]\nwhile w_$# and len(u_$#) < 40:\n    q_$# = w_$#.pop()\n    if q_$#.x > 0:\n        w_$#.append($NVec(q_$#.x - 1, q_$#.y))\n        if $b:\n            w_$#.append($NVec(q_$#.x - 2, q_$#.y + 1))\n    u_$#.append(q_$#)\nprint(len(u_$#), u_$#[-1])",
        "u_$# = None\nfor i_$# in range($i % 12):\n    u_$# = $NLink([i_$#], u_$#)\n    u_$#.v.append($j)\n    if u_$#.nxt is not None:\n        u_$#.nxt.v.extend(u_$#.v)\nprint($Nwalk(u_$#))",
        "u_$# = None\nfor i_$# in range($i % 12):\n    u_$# = $NLink('x' if $b else i_$#, u_$#)\nprint($Nwalk(u_$#))",
        "def g_$#(n, p):\n    if n == 0:\n        return p\n    if n % 3 == 0:\n        p = $NLink(n)\n    q_$# = g_$#(n - 1, $NLink(n * $j, p))\n    q_$#.v = (q_$#.v + n) % 1009\n    return q_$#\nprint($Nwalk(g_$#($i % 24, $NLink(0))))",
    ],
    ..Part::NONE
};
