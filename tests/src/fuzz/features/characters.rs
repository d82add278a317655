//! The characters of texts: by index and in loops, compared, asked what they are, made.

use super::super::idioms::Part;

pub(super) const CHARACTERS: Part = Part {
    text: "words_$M = 'It was the best of times, it was the worst: 12 + 34. ' * 2\nodd_$M = 'wörter € 😀 \\x85\\u2003 sind ä und ß\\x1f ' * 3\n",
    exprs: &[
        ('x', 0, "words_$M[$i % 90]"),
        ('x', 0, "(words_$M if $b else odd_$M)"),
        ('x', 0, "odd_$M[-1 - $i % 50]"),
        ('x', 0, "' .:-=+*#%@'[$i % 10]"),
        ('x', 0, "chr($i % 300)"),
        ('x', 0, "($x + chr(97 + $i % 26))"),
        ('x', 0, "''.join(sorted(set($x)))"),
        ('i', 20, "sum(1 for q in $x if q in 'aeiou 0123456789')"),
        ('i', 20, "sum(ord(q) for q in $x[:9])"),
        ('i', 12, "sum(q.isdigit() + q.isalpha() for q in $x)"),
        ('i', 9, "len([q for q in $x if 'a' <= q <= 'm' or q == ' '])"),
        ('i', 8, "ord(words_$M[$i % 80])"),
        ('b', 0, "($x[:1] == words_$M[$i % 40])"),
        ('b', 0, "(words_$M[$i % 99].isspace() or odd_$M[$i % 40].isupper())"),
    ],
    stmts: &[
        "for at_$#, ch_$# in enumerate($x):\n    if ch_$#.isalpha():\n        i0 = ($i + at_$#) % 1009\n    elif ch_$# == 'e':\n        $:",
        "at_$# = 0\nwhile at_$# < len($X) and $X[at_$#] != ' ':\n    at_$# += 1\nprint(at_$#)",
        "counts_$# = {}\nfor ch_$# in $x:\n    counts_$#[ch_$#] = counts_$#.get(ch_$#, 0) + 1\nprint(sorted(counts_$#.items())[:4])",
        "out_$# = []\nfor ch_$# in $x:\n    out_$#.append(ch_$#.upper() if ch_$# < 'm' else ch_$#)\nprint(ascii(''.join(out_$#)))",
        "print([ascii(a) for a, b in zip($x, words_$M) if a == b][:5])",
        "try:\n    print(ascii($x[$i % 7]), int($x[$i % 5]))\nexcept (ValueError, LookupError) as error:\n    print(ascii(error.args))",
        "for word_$# in $x.split():\n    if word_$# in ('it', 'was', 'ä'):\n        print(word_$#[0])\n    elif word_$#[-1] == ',':\n        $:",
        "out_$# = []\nfor ch_$# in $x:\n    if ch_$# in 'aeiou':\n        out_$#.append(ch_$#)\n    elif out_$# and ch_$# == ' ':\n        $=x = out_$#.pop()\n    elif $b:\n        out_$#.append('-')\n    $:\nprint(ascii(out_$#), len(out_$#))",
        "out_$# = ['.'] * ($i % 9)\nfor at_$# in range(0, len(out_$#), 2):\n    out_$#[at_$#] = chr(97 + ($i + at_$#) % 26)\nout_$#.insert($j, $x[:1])\nprint(ascii(''.join(out_$#)), 'a' in out_$#, ascii(out_$#[::-1][:3]), out_$#.count('.'))",
        "out_$# = [(ch_$#, at_$#) for at_$#, ch_$# in enumerate($x)]\nprint(ascii(out_$#[:3]), ascii(''.join(ch for ch, at in out_$# if at % 3 == $j)))",
        "out_$# = []\nword_$# = ''\nfor ch_$# in $x:\n    if ch_$# == ' ':\n        out_$#.append(word_$#)\n        word_$# = ''\n    elif ch_$# == ',':\n        out_$#.append(ch_$#)\n    else:\n        word_$# += ch_$#\nprint(ascii(out_$#[:6]), ascii(word_$#))",
        "$=x = 'ab'[:$j].join(chr(48 + (ord(q) + $i) % 60) if q > 'e' else q for q in $x[:9])",
        "print(ascii('/'.join(f'{q}{ch_$#}' if q % 2 else str(q - $i) for q, ch_$# in enumerate($x[:12]))))",
        "try:\n    print(ascii(', '.join(q if $b else str($i) for q in $x[:9])), ''.join(q if $i % 5 else $i for q in $x[:4]))\nexcept TypeError as error:\n    print(error)",
        "grid_$# = [['#' if (a * b + $i) % 3 else '.' for a in range($i % 6)] for b in range($j + 2)]\nif grid_$#[0]:\n    grid_$#[1][-1] = '@'\n$=x = '|'.join(''.join(row) for row in grid_$#)",
        "out_$# = list($x)\nif out_$#:\n    out_$#[$i % len(out_$#)] = '+'\n    print(ascii(max(out_$#) + min(out_$#)), out_$#.index('+') >= 0, out_$# < out_$#[1:])\nout_$#.sort(reverse=$b)\n$=x = ''.join(out_$#[:30])",
        "out_$# = sorted((ch_$#, $i % (at_$# + 1)) for at_$#, ch_$# in enumerate($x[:15]))\nprint(ascii(out_$#[:4]), ascii(sorted(out_$#, key=lambda q: q[1])[:3]))",
        "text_$# = ''\nfor ch_$# in $x[:20]:\n    text_$# += ch_$# if ch_$#.islower() else '-'\nprint(ascii(text_$#))",
    ],
    changes: &["words_$M = 'other Words here, and 7 more of them! ' * 3", "odd_$M = 'short'"],
    ..Part::NONE
};
