//! Deques that calls make: searches by breadth, windows, queues of numbers and tuples, and what else is done to them.

use super::super::idioms::Part;

/// Small algorithms with them.
pub(super) const DEQUES: Part = Part {
    text: "line_$M = collections.deque([3, 1])\n",
    exprs: &[
        ('v', 0, "list(collections.deque(range($i % 9), $j + 1))"),
        ('i', 20, "sum(collections.deque([q * $i % 7 for q in range($i % 6)]))"),
        ('i', 9, "len(collections.deque($V[:9], maxlen=4))"),
        ('b', 0, "($i in collections.deque($V[:9]))"),
        ('b', 0, "(collections.deque($V[:9]) == collections.deque($v[:9]))"),
        ('z', 0, "(line_$M[0] if line_$M else None)"),
    ],
    stmts: &[
        "q_$# = collections.deque([$i % 7])\ns_$# = [False] * 40\nk_$# = 0\nwhile q_$#:\n    a_$# = q_$#.popleft()\n    k_$# += 1\n    for b_$# in (a_$# * 2, a_$# + $j, a_$# - 1):\n        if 0 <= b_$# < 40 and not s_$#[b_$#]:\n            s_$#[b_$#] = True\n            q_$#.append(b_$#)\n    $:\n$=i = k_$#",
        "q_$# = collections.deque([($i % 5, 0)])\nk_$# = 0\nwhile q_$# and k_$# < 30:\n    k_$# += 1\n    a_$#, d_$# = q_$#.popleft()\n    if d_$# < 4:\n        q_$#.append((a_$# * 2 % 31, d_$# + 1))\n        if $b:\n            q_$#.appendleft((a_$#, d_$# + 2))\nprint(k_$#, q_$#)",
        "q_$# = collections.deque()\nfor i_$# in range($i % 14):\n    while q_$# and q_$#[-1] <= (i_$# * $i) % 17:\n        q_$#.pop()\n    q_$#.append((i_$# * $i) % 17)\n    if len(q_$#) > $j + 1:\n        $I = q_$#.popleft()\n    $:\nprint(q_$#)",
        "q_$# = collections.deque(maxlen=$i % 4 + 1)\nfor i_$# in range($i % 9):\n    q_$#.append($f)\n    if $b:\n        q_$#.appendleft($f)\nprint(q_$#)",
        "q_$# = collections.deque(maxlen=3)\nfor i_$# in range($i % 9):\n    q_$#.append(i_$# * $i)\n    if $b:\n        q_$#.appendleft(i_$#)\n    $:\n$=i = len(q_$#)\nprint(q_$#, q_$#.maxlen)",
        "q_$# = collections.deque(range($i % 9))\nwhile len(q_$#) > 1:\n    q_$#.rotate($j)\n    $I = q_$#.popleft()\n    $:\nprint(q_$#)",
        "q_$# = collections.deque()\nfor i_$# in range($i % 90):\n    q_$#.append(i_$#)\n    if i_$# % 4:\n        $I = q_$#.popleft()\nprint(q_$#, len(q_$#))",
        "q_$# = collections.deque()\nfor i_$# in range($i % 40):\n    q_$#.appendleft((i_$#, $f))\n    if $b:\n        a_$#, $F = q_$#.pop()\nprint(list(q_$#)[:4])",
        "q_$# = collections.deque()\ntry:\n    for i_$# in range($i % 12):\n        q_$#.append(i_$#)\n        if $b:\n            $I = q_$#.pop() // (i_$# % 3)\n        $I = q_$#.popleft()\n        $I = q_$#[i_$# // 4]\nexcept (IndexError, ZeroDivisionError) as error:\n    print(type(error).__name__, error, q_$#)",
        "q_$# = collections.deque(range($i % 9))\ntry:\n    for a_$# in q_$#:\n        if a_$# == $i % 11:\n            q_$#.append($i)\n        if $b and a_$# > 6:\n            q_$#.popleft()\n        $:\nexcept RuntimeError as error:\n    print(error, q_$#)",
        "q_$# = collections.deque()\nfor i_$# in range($i % 9):\n    q_$#.append(i_$#)\n    for a_$# in q_$#:\n        $:\n        if a_$# * 2 > i_$#:\n            q_$#.append(a_$#)\n            break\nprint(q_$#)",
        "q_$# = collections.deque()\nfor i_$# in range($i % 9):\n    q_$#.append(None if $b else i_$#)\n    if len(q_$#) > 3:\n        $=z = q_$#.popleft()\nprint(q_$#)",
        "q_$# = collections.deque()\nfor i_$# in range($i % 7):\n    q_$#.append(i_$# if $b else i_$# * 0.5)\n    $:\nprint(q_$#)",
        "q_$# = collections.deque($V[:6])\nr_$# = q_$# if $b else q_$#.copy()\nfor i_$# in range($i % 6):\n    q_$#.append(i_$#)\n    r_$#.appendleft(-i_$#)\nprint(q_$# is r_$#, q_$#, r_$#)",
        "q_$# = collections.deque()\nfor i_$# in range($i % 8):\n    q_$#.extend($V[:4])\n    q_$#.extendleft((i_$#, $i))\n    q_$# += [$j]\n    if len(q_$#) > 20:\n        q_$#.clear()\nprint(q_$#)",
        "q_$# = collections.deque([0] * 4)\nfor i_$# in range($i % 9):\n    q_$#[i_$# % 4] += $i % 100\n    q_$#[-1] -= i_$#\n    q_$#.append(q_$#.popleft())\nv0 = list(q_$#)",
        "q_$#, r_$# = collections.deque(), collections.deque([1])\nfor i_$# in range($i % 9):\n    if $b:\n        q_$#, r_$# = r_$#, q_$#\n    q_$#.append(i_$#)\nprint(q_$#, r_$#)",
        "def g_$#(q, k):\n    if k <= 0:\n        return len(q)\n    q.append(k)\n    if len(q) > 3:\n        q.popleft()\n    return g_$#(q, k - 1) + g_$#(q, k - 2)\nq_$# = collections.deque([$j])\n$=i = g_$#(q_$#, $i % 7)\nprint(q_$#)",
        "def g_$#(q):\n    if not q:\n        return 0\n    a = q.popleft()\n    return (a + 2 * g_$#(q)) % 1009\nq_$# = collections.deque($V[:30])\n$=i = g_$#(q_$#)",
        "def g_$#(q, x):\n    q.append(x)\n    return q\nq_$# = collections.deque()\nfor i_$# in range($i % 9):\n    q_$# = g_$#(q_$#, i_$#)\n    $:\n    if $b:\n        $I = g_$#(q_$#, 1).popleft()\nprint(q_$#)",
        "q_$# = collections.deque()\np_$# = q_$#.append\nfor i_$# in range($i % 9):\n    p_$#((i_$#, i_$# % 2 == 0))\n    if len(q_$#) > 4:\n        a_$#, b_$# = q_$#.popleft()\n        $I = a_$#\nprint(q_$#)",
        "q_$# = collections.deque()\nfor i_$# in range($i % 9):\n    q_$#.append([i_$#])\n    q_$#[0].append($i)\n    if len(q_$#) > 3:\n        v0 = q_$#.popleft()\nprint(q_$#)",
        "q_$# = collections.deque(q * $i for q in range($i % 9))\nfor i_$#, a_$# in enumerate(q_$#):\n    if a_$# > $i:\n        q_$#[i_$#] = -a_$#\n    $:\n$=i = max(q_$#, default=0) - min(q_$#, default=0)\nprint(sorted(q_$#)[:4])",
        "q_$# = collections.deque()\nfor i_$# in range($i % 9):\n    q_$#.append(i_$#)\n    if i_$# == $j:\n        return q_$#, i_$#",
        "def g_$#():\n    q = collections.deque([$i % 5])\n    while q:\n        a = q.popleft()\n        yield a\n        if a < $i % 30:\n            q.append(a * 2 + 1)\nfor a_$# in g_$#():\n    $:\n    $I = a_$#\n    if a_$# > 40:\n        break",
        "w_$# = [collections.deque() for _ in range($i % 4 + 1)]\nfor i_$# in range($i % 11):\n    w_$#[i_$# % len(w_$#)].append(i_$#)\n    $:\nprint(w_$#)",
        "for i_$# in range($i % 5):\n    line_$M.append(i_$#)\n    $:\nif len(line_$M) > 9:\n    line_$M = collections.deque(list(line_$M)[:3])",
    ],
    changes: &["line_$M = collections.deque([5, 6, 7], 4)", "line_$M.clear()"],
    state: &["list(line_$M)"],
    ..Part::NONE
};
