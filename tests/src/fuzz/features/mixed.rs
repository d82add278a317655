//! Lists of numbers of several types, or None: distances that are infinite at first, parents, what is kept, tables.

use super::super::idioms::Part;

/// Small algorithms over such lists.
pub(super) const MIXED: Part = Part {
    exprs: &[
        ('b', 0, "(None in [None if q % 3 else q for q in range($i % 9)])"),
        ('i', 30, "sum([q if q % 2 else q % 5 for q in range($i % 30)])"),
        ('f', 0, "float(sum([q if q % 2 else q * 0.5 for q in range($i % 30)]))"),
        ('i', 9, "len([q for q in [None] * ($i % 20) if q is None])"),
    ],
    stmts: &[
        "u_$# = [None] * ($i % 24)\nfor i_$# in range(len(u_$#)):\n    if $b:\n        u_$#[i_$#] = i_$# * $j\n    $:\nprint(u_$#, u_$#.count(None))",
        "u_$# = [float('inf')] * ($i % 24 + 2)\nu_$#[$j % len(u_$#)] = 0\nfor i_$# in range(1, len(u_$#)):\n    if u_$#[i_$# - 1] + $j < u_$#[i_$#]:\n        u_$#[i_$#] = u_$#[i_$# - 1] + $j\nprint(u_$#, min(u_$#), sum(u_$#[:9]))",
        "u_$# = [0] * ($i % 24 + 1)\nfor i_$# in range(len(u_$#)):\n    u_$#[i_$#] = u_$#[i_$# - 1] + ($f if $b else i_$#)\nprint(u_$#)\n$=f = float(u_$#[-1])",
        "u_$# = []\nfor i_$# in range($i % 24):\n    u_$#.append(None if $b else i_$#)\n    $:\nk_$# = 0\nfor q_$# in u_$#:\n    if q_$# is not None:\n        k_$# += q_$#\n$=i = k_$#\nprint(u_$#[::-1])",
        "u_$# = []\nfor i_$# in range($i % 24):\n    u_$#.append(i_$# if i_$# % 3 else $f)\n    if len(u_$#) > 5 and $b:\n        $F = float(u_$#.pop() + u_$#.pop(0))\nprint(u_$#, max(u_$#) if u_$# else None)",
        "u_$# = [None] * ($i % 9 + 20)\nu_$#[$j] = $i\nk_$# = u_$#[$i % 6]\ntry:\n    $I = (k_$# + 1) % 1009\nexcept TypeError as error:\n    print(type(error).__name__, error)\nprint(k_$# is None, k_$#, u_$#[:6])",
        "u_$# = [None] * ($i % 9 + 20)\nfor i_$# in range(1, len(u_$#)):\n    u_$#[i_$#] = (i_$# - 1) // ($j + 1)\nk_$# = len(u_$#) - 1\nn_$# = 0\nwhile k_$# is not None and n_$# < 40:\n    k_$# = u_$#[k_$#]\n    n_$# += 1\n$=i = n_$#",
        "u_$# = [[None] * ($i % 5 + 1) for _ in range($i % 7)]\nfor i_$# in range(len(u_$#)):\n    for j_$# in range(len(u_$#[i_$#])):\n        if i_$# == 0 or j_$# == 0:\n            u_$#[i_$#][j_$#] = $j\n        elif u_$#[i_$# - 1][j_$#] is not None and $b:\n            u_$#[i_$#][j_$#] = u_$#[i_$# - 1][j_$#] + u_$#[i_$#][j_$# - 1] if u_$#[i_$#][j_$# - 1] is not None else 7\nprint(u_$#)",
        "u_$# = [[float('inf')] * 4 for _ in range($i % 5 + 4)]\nfor i_$# in range(len(u_$#)):\n    u_$#[i_$#][i_$# % 4] = 0\n    u_$#[i_$#][$j % 4] = $f\nfor r_$# in u_$#:\n    for j_$# in range(1, 4):\n        if r_$#[j_$# - 1] + 1 < r_$#[j_$#]:\n            r_$#[j_$#] = r_$#[j_$# - 1] + 1\n    $:\nprint(u_$#)",
        "u_$# = [None] * ($i % 20 + 1)\ndef g_$#(n):\n    if n < 2:\n        return n\n    if u_$#[n % len(u_$#)] is None:\n        u_$#[n % len(u_$#)] = (g_$#(n - 1) + g_$#(n // 2)) % 1009\n    return u_$#[n % len(u_$#)]\n$=i = g_$#($i % 9)\nprint(u_$#)",
        "def g_$#(q, k):\n    if k >= len(q):\n        return 0\n    if q[k] is None:\n        return g_$#(q, k + 1)\n    return q[k] + g_$#(q, k + 1)\nprint(g_$#([q if q % 3 else None for q in range($i % 25)], 0), g_$#([q if q % 3 else $f for q in range($i % 25)], 0))",
        "def g_$#(q, k):\n    for i_$# in range(len(q)):\n        if q[i_$#] is None or q[i_$#] > k:\n            q[i_$#] = k\n    return q\nprint(g_$#([None] * ($i % 25), $j), g_$#([$i] * 20, $f), g_$#([$f, $i] * 10, $i % 9), g_$#([$b, None, 3] * 8, 2.5))",
        "u_$# = [True] * ($i % 22 + 1)\nfor i_$# in range(len(u_$#)):\n    u_$#[i_$#] = $b if i_$# % 2 else $i\nprint(u_$#, [q is True for q in u_$#], sum(u_$#[:3]) % 1009)",
        "u_$# = [0] * ($i % 22 + 2)\nu_$#[0] = 2**53 + $j\nu_$#[1] = float(2**53 + 2)\nprint(u_$#[0] < u_$#[1], u_$#[0] == u_$#[1], u_$#[0] >= u_$#[1], 9007199254740993 in u_$#, u_$#[:2] == u_$#[1::-1])",
        "u_$# = [1] * ($i % 22 + 1)\nfor i_$# in range(len(u_$#)):\n    u_$#[i_$#] = i_$# * 1.5 if $b else 2**62 * (i_$# + 1)\nprint(u_$#)",
        "u_$# = [(0, 0)]\nfor i_$# in range($i % 22):\n    u_$#.append((i_$# * $f, i_$#) if $b else (i_$#, $i))\nfor a_$#, b_$# in u_$#:\n    $F = float(a_$# + b_$# % 9)\nprint(u_$#[:5], u_$#[-1] == u_$#[0])",
        "u_$# = [None] * ($i % 22 + 3)\nu_$#[1] = $i\nu_$#[2] = $f\na_$#, b_$#, c_$# = u_$#[:3]\nt_$# = (u_$#[0], u_$#[1], (u_$#[2], a_$#))\nprint(t_$#, t_$# == (None, b_$#, (c_$#, None)), u_$# == u_$#[:], u_$# + u_$#[:1])",
        "u_$# = [0] * ($i % 22 + 3)\nfor i_$# in range(len(u_$#)):\n    u_$#[i_$#] = [i_$#, i_$# * 0.5, None, $i][(i_$# + $j) % 4]\nfor i_$# in range(len(u_$#) - 1):\n    if u_$#[i_$#] is None:\n        u_$#[i_$#], u_$#[i_$# + 1] = u_$#[i_$# + 1], u_$#[i_$#]\n    $:\nprint(u_$#, [q for q in u_$# if q], u_$#.index(u_$#[-1]))",
        "u_$# = [1.5] * ($i % 22 + 1)\nu_$#[0] = $i\nu_$#.sort()\nu_$#.reverse()\nu_$#.extend([$i, None])\nprint(u_$#, [type(q).__name__ for q in u_$#[-3:]])",
        "u_$# = [None] * ($i % 22 + 1)\nfor i_$# in range(len(u_$#)):\n    u_$#[i_$#] = i_$#\n    if i_$# == $j:\n        u_$#[0] = [1, 2]\n    if i_$# > $j:\n        u_$#[-1] = 'x'\nprint(u_$#)",
    ],
    ..Part::NONE
};
