//! Complex numbers: made of floats that are known later, computed with, carried round loops, kept and passed.

use super::super::idioms::Part;

pub(super) const COMPLEX: Part = Part {
    text: "unit_$M = 0.6 + 0.8j\n",
    exprs: &[
        ('f', 0, "complex($f, $f).real"),
        ('f', 0, "(complex($f, $f) * complex($f, $i)).imag"),
        ('f', 0, "(complex($f, 1) * (1 - 2j) + $f).imag"),
        ('f', 0, "abs(complex($f, $i % 9))"),
        ('f', 0, "(unit_$M * $f).real"),
        ('f', 0, "(complex($f, $f) ** 2).conjugate().imag"),
        ('f', 0, "(-complex($f, $f) / (2 + 1j)).real"),
        ('i', 3, "len({complex($i % 3, 0), complex($i % 5, 0)})"),
        ('b', 0, "(complex($f, $f) == complex($f, 0))"),
        ('b', 0, "(complex($i % 4, 0) != $i % 4)"),
        ('b', 0, "bool(complex($f, $i % 2))"),
        ('b', 0, "(isinstance(complex($f, 1), complex) and complex(0, $f) != unit_$M)"),
        ('x', 0, "str(complex($i % 9, -1))"),
        ('x', 0, "f'{complex($i, 1):.1f}'"),
    ],
    stmts: &[
        "z_$# = 0j\nfor at_$# in range($i % 12):\n    z_$# = z_$# * z_$# + complex($f, 0.25)\n    if abs(z_$#) > 4:\n        $I = at_$#\n        break\nprint(z_$#)",
        "z_$# = $i\nfor at_$# in range($i % 6):\n    z_$# = z_$# * 1j + $f\n    $:\nprint(type(z_$#), z_$#)",
        "z_$# = unit_$M if $b else complex($f, $f)\nw_$# = z_$#.conjugate() if $b else -z_$#\nprint(z_$# + w_$#, z_$# - w_$#, z_$# == w_$#)",
        "try:\n    z_$# = complex($f, $f) / complex($i % 3, $i % 2)\nexcept ArithmeticError as error:\n    print(error)\nelse:\n    print(z_$#)",
        "kept_$# = []\nz_$# = complex($f, 1)\nfor at_$# in range($i % 7):\n    kept_$#.append(z_$#)\n    z_$# *= unit_$M\nprint(kept_$#, sum(kept_$#))",
        "kept_$# = [0j] * ($i % 8)\nfor at_$# in range(len(kept_$#)):\n    kept_$#[at_$#] = complex(at_$#, $f) if $b else unit_$M * at_$#\n    $:\nprint(kept_$#[::2], 0j in kept_$#, kept_$# == kept_$#[:], kept_$#[-1:])",
        "kept_$# = []\nfor at_$# in range($i % 9):\n    if kept_$# and $b:\n        $=f = kept_$#.pop().imag\n    else:\n        kept_$#.append((complex(at_$#, $i), at_$#))\nprint(kept_$#)",
        "kept_$# = []\nfor at_$# in range($i % 9):\n    kept_$#.append(complex($f, at_$#) if at_$# != $j else $f)\nprint(kept_$#)",
        "kept_$# = [(complex(at_$#, $i), $i - at_$#) for at_$# in range($i % 6)]\ntry:\n    kept_$#.sort(reverse=$b)\nexcept TypeError as error:\n    print(error)\nprint(kept_$#, sorted(kept_$#, key=lambda q: -q[1])[:2])",
        "kept_$# = []\nfor at_$# in range($i % 5):\n    kept_$#.insert(0, complex($i, at_$#))\ntry:\n    print(max(kept_$#, default=0), sorted(kept_$#), kept_$# < kept_$#[1:])\nexcept TypeError as error:\n    print(error)",
        "def turn_$#(z, n):\n    if n <= 0:\n        return z\n    return turn_$#(z * 1j, n - 1)\nprint(turn_$#(complex($f, $f), $i % 9))",
        "try:\n    print(abs(complex($f, $f)), complex($f, $f) ** ($i % 5 - 2))\nexcept (OverflowError, ZeroDivisionError) as error:\n    print(type(error).__name__, error)",
        "try:\n    print(complex($f, 1) < $f)\nexcept TypeError as error:\n    print(error)",
        "z_$#, w_$# = complex($f, $i), complex($i, $f)\nwhile -999 < z_$#.real < 50 and w_$# != z_$#:\n    z_$#, w_$# = z_$# + 7, z_$#\n    $:\nprint((z_$#, w_$#), [z_$#.real, w_$#.imag])",
    ],
    changes: &["unit_$M = 0.28 - 0.96j", "unit_$M = 1"],
    ..Part::NONE
};
