//! Hashes and random numbers: ints modulo 2**32 and 2**64.

use super::super::idioms::Part;

pub(super) const WIDE: Part = Part {
    text: "mask_$M = 2**64 - 1\nprime_$M = 0x100000001B3\n",
    exprs: &[
        ('i', 16, "(($i * 2654435761 + $i) & 0xFFFF)"),
        ('i', 20, "((($i & mask_$M) >> 7) % 1000003)"),
        ('i', 12, "((($i & mask_$M) * prime_$M & mask_$M) >> 52)"),
        ('i', 20, "(($i * prime_$M ^ $i) % 2**64 % (abs($i) + 1) % 5003)"),
        ('i', 10, "((~$i & mask_$M) // 2**54)"),
        ('i', 16, "(($i - $i << 9) % 65536)"),
        ('f', 0, "(($i * prime_$M & mask_$M) / 2**64)"),
        ('f', 0, "float(($i & mask_$M) | 1)"),
        ('b', 0, "(($i * prime_$M & mask_$M) > ($i & mask_$M))"),
        ('b', 0, "(($i & mask_$M) != $i)"),
    ],
    stmts: &[
        "h_$# = 0xCBF29CE484222325\nfor b_$# in $v:\n    h_$# ^= b_$# & 255\n    h_$# = h_$# * prime_$M & mask_$M\n    $:\nprint(h_$#, h_$# % 97)",
        "x_$# = $i & mask_$M | 1\nfor k_$# in range($j * 3):\n    x_$# ^= x_$# << 13 & mask_$M\n    x_$# ^= x_$# >> 7\n    x_$# ^= (x_$# << 17) & mask_$M\n    if x_$# & 4:\n        $:\nprint(x_$#)",
        "s_$# = $i\nfor k_$# in range($j * 2):\n    s_$# = (6364136223846793005 * s_$# + 1442695040888963407) % 2**64\n    if s_$# >> 63:\n        $=i = s_$# % 1009\n        $:\nprint(s_$#)",
        "h_$# = $i\nh_$# *= 0xCC9E2D51\nh_$# &= 0xFFFFFFFF\nh_$# = (h_$# << 15 | h_$# >> 17) & 0xFFFFFFFF\n$=i = h_$# % 10007",
        "x_$#, y_$# = $i & mask_$M, $i * prime_$M & mask_$M\nprint(x_$# < y_$#, x_$# ^ y_$#, max(x_$#, y_$#), [x_$#, y_$# >> 1])",
        "x_$# = -$i % 2**64\nx_$# = x_$# * x_$# & mask_$M if $b else x_$# + 1\nprint(x_$#, x_$# == $i, bool(x_$#))",
    ],
    changes: &["prime_$M = 3", "mask_$M = 2**64 - 1", "prime_$M = 2**40 + 15"],
    ..Part::NONE
};
