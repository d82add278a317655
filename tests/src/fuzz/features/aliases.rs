//! Several names of one object: which object a name stands for depends on the path.

use super::super::idioms::Part;

/// Lists, dicts and sets that are alike, and a name that the run gives to one of them. What is changed through the
/// name is read through the others.
pub(super) const ALIASES: Part = Part {
    exprs: &[
        ('v', 0, "($V if $b else $V)"),
        ('d', 0, "($D if $b else $D)"),
        ('s', 0, "($S if $b else $S)"),
        ('w', 0, "($W if $b else $W)"),
        ('b', 0, "($D is $D)"),
    ],
    stmts: &[
        "c_$# = $V if $b else $V\nc_$#.append($i)\n$I = $V[-1]",
        "a_$#, b_$# = [$i, $i], [$i, $i]\nc_$# = a_$# if $b else b_$#\nc_$#.append($i)\n$=v = c_$#\n$;\nprint(a_$#, b_$#, c_$#)",
        "a_$#, b_$# = [$i], [$i]\nc_$# = a_$#\nif $b:\n    c_$# = b_$#\n    $;\nc_$#.append($i)\nprint(a_$#, b_$#, c_$# is a_$#)\n$=v = c_$#",
        "a_$#, b_$#, c_$# = [$i], [$i], [$i]\nif $b:\n    u_$# = a_$#\nelif $b:\n    u_$# = b_$#\nelse:\n    u_$# = c_$#\nu_$#.extend([$i, 1])\n$=v = b_$#\nprint(a_$#, b_$#, c_$#)",
        "a_$#, b_$# = [$i], [$i]\nc_$# = a_$#\nfor i_$# in range($i % 7):\n    c_$# = b_$# if $b else a_$#\n    c_$#[0] = (c_$#[0] * 2 + i_$#) % 1009\n    $:\nprint(a_$#, b_$#, c_$#)",
        "a_$#, b_$# = [$i, 1], [$i, 2]\nc_$# = a_$#\nfor i_$# in range($i % 6):\n    if $b:\n        a_$#, b_$# = b_$#, a_$#\n    a_$#[0] = (a_$#[0] + i_$#) % 701\n$=v = c_$#\nprint(a_$#, b_$#, c_$#)",
        "a_$#, b_$# = [], []\nc_$# = a_$#\nfor i_$# in range($i % 8):\n    if $b:\n        c_$# = b_$#\n    c_$#.append(i_$#)\nprint(a_$#, b_$#)",
        "a_$#, b_$# = [$i], [$i]\nw_$# = [a_$#, b_$#]\nif $b:\n    w_$#[0] = b_$#\nelif $b:\n    w_$#.reverse()\nw_$#[0].append($i)\n$=w = w_$#\nprint(a_$#, b_$#, w_$#)",
        "t_$# = {'u': [$i], 'w': [$i]}\nc_$# = t_$#['u' if $b else 'w']\nc_$#.append($i)\n$=v = t_$#['u']\nprint(t_$#, c_$#)",
        "a_$#, b_$# = [$i], [$i]\nfor c_$# in (a_$#, b_$#):\n    if $b:\n        break\nc_$#.append($i)\nprint(a_$#, b_$#)",
        "a_$#, b_$# = [$i], [$i]\nc_$# = a_$#\ntry:\n    $I = $i // ($i % 3)\n    c_$# = b_$#\nexcept ArithmeticError:\n    $;\nc_$#[0] = $i\n$=v = c_$#\nprint(a_$#, b_$#)",
        "def g_$#(v0, v1, i0):\n    if i0 > $i:\n        return v0\n    return v1\na_$#, b_$# = [$i, 0], [$i, 0]\nc_$# = g_$#(a_$#, b_$#, $i)\nc_$#[1] = $i\n$=v = g_$#(b_$#, a_$#, $i)\nprint(a_$#, b_$#)",
        "a_$#, b_$# = [$i], [$i]\nc_$# = a_$#\ndef g_$#(i0):\n    c_$#.append(i0)\n    return len(c_$#)\nif $b:\n    c_$# = b_$#\n$I = g_$#($i)\nprint(a_$#, b_$#)",
        "a_$#, b_$# = {'a': $i}, {'a': $i}\nc_$# = a_$# if $b else b_$#\nc_$#['a'] = $i\nif $b:\n    c_$#['n'] = 1\n$=d = a_$#\nprint(a_$#, b_$#)",
        "a_$#, b_$# = {1, 2}, {1, 3}\nif $b:\n    a_$#, b_$# = b_$#, a_$#\nc_$# = b_$# if $b else a_$#\nc_$#.add($j)\n$=s = a_$#\nprint(sorted(a_$#), sorted(b_$#))",
    ],
    ..Part::NONE
};
