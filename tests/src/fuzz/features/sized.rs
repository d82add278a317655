//! Lists and dicts of a known size, at both sides of the sizes from which on they are known no more item by item.

use super::super::idioms::Part;

/// Small algorithms with them.
pub(super) const SIZED: Part = Part {
    text: "SIZE_$M = 40\nWIDE_$M = 300\n",
    exprs: &[
        ('i', 20, "([0] * SIZE_$M)[$i % SIZE_$M]"),
        ('i', 20, "sum(range(WIDE_$M)) % 1009"),
        ('i', 9, "len([$j, 1] * WIDE_$M)"),
        ('i', 20, "list(range(WIDE_$M))[$i % WIDE_$M]"),
        ('i', 20, "max([q * $i % 97 for q in range(SIZE_$M)])"),
        ('b', 0, "($i in list(range(WIDE_$M)))"),
        ('b', 0, "([$j] * SIZE_$M == [q for q in range(SIZE_$M)])"),
        ('v', 0, "list(range(SIZE_$M))"),
    ],
    stmts: &[
        "x_$# = list(range(SIZE_$M))\nfor i_$# in range(SIZE_$M - 1, 0, -1):\n    j_$# = ($i + i_$# * 7) % (i_$# + 1)\n    x_$#[i_$#], x_$#[j_$#] = x_$#[j_$#], x_$#[i_$#]\n$=i = x_$#[$i % SIZE_$M]\nprint(x_$#[:5])",
        "x_$# = [0] * WIDE_$M\nfor i_$# in range(1, WIDE_$M):\n    x_$#[i_$#] = (x_$#[i_$# - 1] * 31 + $i) % 1009\nprint(x_$#[-3:], sum(x_$#))",
        "x_$# = [None] * SIZE_$M\nfor i_$# in range($i % 50):\n    if x_$#[i_$# * 3 % SIZE_$M] is None:\n        x_$#[i_$# * 3 % SIZE_$M] = i_$#\n    $:\nprint(x_$#)",
        "x_$# = [q * 0.5 for q in range(SIZE_$M)]\nfor i_$# in range(SIZE_$M):\n    x_$#[(i_$# + $i) % SIZE_$M] += $f\n$=f = x_$#[$i % SIZE_$M]\nprint(x_$#[:3])",
        "p_$# = list(range(SIZE_$M))\nk_$# = SIZE_$M\nfor i_$# in range($i % 60):\n    a_$#, b_$# = i_$# * 7 % SIZE_$M, (i_$# + $j) % SIZE_$M\n    while p_$#[a_$#] != a_$#:\n        a_$# = p_$#[a_$#]\n    while p_$#[b_$#] != b_$#:\n        b_$# = p_$#[b_$#]\n    if a_$# != b_$#:\n        p_$#[b_$#] = a_$#\n        k_$# -= 1\nprint(k_$#, p_$#[:6])",
        "d_$# = {q: q * q % 13 for q in range(SIZE_$M)}\nfor i_$# in range($i % 20):\n    d_$#[(i_$# * $i) % 61] = i_$#\n    $:\nprint(len(d_$#), d_$#.get($i), sorted(d_$#)[-2:])",
        "s_$# = {q * 3 % 50 for q in range(SIZE_$M)}\nfor i_$# in range($i % 20):\n    s_$#.discard(i_$# * $j)\n    s_$#.add($i % 70)\nprint(len(s_$#), $i in s_$#)",
        "g_$# = [[0] * SIZE_$M for _ in range(4)]\nfor i_$# in range($i % 50):\n    g_$#[i_$# % 4][(i_$# * 5 + $i) % SIZE_$M] += i_$#\n    $:\nprint([sum(q) for q in g_$#], g_$#[1][:4])",
        "g_$# = [[0] * SIZE_$M] * 3\nfor i_$# in range($i % 50):\n    g_$#[i_$# % 3][i_$# % SIZE_$M] = $i % 100\nprint(g_$#[0][:6], g_$#[0] is g_$#[2])",
        "t_$# = [(q, q * 0.5) for q in range(SIZE_$M)]\nfor i_$# in range($i % 9):\n    t_$#[(i_$# * $i) % SIZE_$M] = (i_$#, $f)\n    $:\nprint(t_$#[:3])",
        "n_$# = [f'n{q}' for q in range(SIZE_$M)]\nprint(n_$#[$i % SIZE_$M], len(n_$#))",
        "x_$# = []\ni_$# = 0\nwhile i_$# < SIZE_$M:\n    x_$#.append(i_$# % 5 == 2)\n    i_$# += 1\nx_$#[$i % SIZE_$M] = $b\nprint(sum(x_$#), x_$#[:7])",
        "x_$# = [3] * SIZE_$M\ntry:\n    for i_$# in range(SIZE_$M):\n        x_$#[i_$# + $i % 4] = i_$# // (x_$#[i_$#] - $i % 4)\nexcept (IndexError, ZeroDivisionError) as error:\n    print(type(error).__name__, x_$#[:4])",
        "x_$# = [$i] * SIZE_$M\nfor i_$# in range($i % 45):\n    x_$#[i_$# % SIZE_$M] = x_$#[(i_$# + 1) % SIZE_$M] * 3 + i_$#\n    $:\nprint(x_$#[:4])",
        "x_$# = [1, 2] * SIZE_$M\nfor i_$# in range($i % 30):\n    $I = x_$#.pop()\n    x_$#.append(i_$#)\n    x_$#.insert(i_$#, $i)\n$=i = len(x_$#)\nprint(x_$#[:5])",
        "x_$# = [0]\nx_$# += range(WIDE_$M)\nx_$#.extend(range(SIZE_$M))\nx_$#[$i % WIDE_$M] = $i\nx_$#.sort()\nprint(x_$#[:3], len(x_$#))",
    ],
    changes: &["SIZE_$M = 33", "SIZE_$M = 32", "WIDE_$M = 257"],
    ..Part::NONE
};
