//! The world outside: globals that are read and written, functions with state, logs and texts.

use super::super::idioms::Part;

/// Numbers in globals.
pub(super) const GLOBALS: Part = Part {
    stmts: &[
        "i_$M = $i",
        "i_$M = (i_$M + $i) % 3001",
        "f_$M = $f",
        "f_$M += 0.5",
        "if $b:\n    i_$M = $i\nelse:\n    f_$M = $f",
        "for c_$# in range($j):\n    i_$M = (i_$M * 2 + c_$#) % 1201",
    ],
    exprs: &[('i', 20, "i_$M"), ('f', 0, "f_$M")],
    globals: &[("i_$M", "3"), ("f_$M", "1.5")],
    changes: &[
        "i_$M = 11",
        "i_$M = -5",
        "i_$M = 2.5",
        "f_$M = 1",
        "f_$M = -0.25",
        "i_$M = True",
        "i_$M += 1",
        "f_$M = math.nan",
    ],
    ..Part::NONE
};

/// What code knows of the world and believes as long as its guards hold: items of a dict, default arguments.
pub(super) const BELIEVED: Part = Part {
    text: "tab_$M = {'a': 1, 7: 2}\ndef $Nwith(i0, k0=3, *, k1=1):\n    return (i0 * k0 + k1) % 4001\n",
    exprs: &[
        ('i', 12, "$Nwith($i)"),
        ('i', 12, "$Nwith($i, k1=$j)"),
        ('i', 13, "($Nwith($i) + len(tab_$M))"),
        ('i', 10, "(sum(tab_$M.values()) % 997)"),
        ('i', 20, "tab_$M.get('c', $i)"),
        ('b', 0, "('c' in tab_$M)"),
        ('v', 0, "list(tab_$M.values())"),
    ],
    stmts: &[
        "for k_$# in tab_$M:\n    print(k_$#)\n    $:",
        "for k_$#, $=i in tab_$M.items():\n    $:",
        "if len(tab_$M) > 2:\n    $;",
        "tab_$M['a'] = $i",
    ],
    changes: &[
        "tab_$M['c'] = 4",
        "tab_$M[9] = -2",
        "tab_$M.update(d=8, e=0)",
        "tab_$M.pop('c', None)",
        "$Nwith.__defaults__ = (5,)",
        "$Nwith.__defaults__ = (True,)",
        "$Nwith.__kwdefaults__ = {'k1': 7}",
    ],
    state: &["tab_$M", "$Nwith.__defaults__"],
    ..Part::NONE
};

/// Functions that know the world.
pub(super) const FUNCTIONS: [Part; 10] = [
    Part {
        text: "t_$M = 0\ndef $Nbump(i0):\n    global t_$M\n    t_$M = (t_$M + i0) % 1009\n    return t_$M\n",
        exprs: &[
            ('i', 10, "$Nbump($i)"),
            ('i', 11, "($Nbump($i) + $Nbump($i))"),
            ('i', 10, "($Nbump($i) if $b else $Nbump(1))"),
        ],
        stmts: &[
            "$Nbump($i)",
            "if $Nbump($i) > 500:\n    $;",
            "c_$# = 0\nwhile $Nbump(7) % 3 and c_$# < 5:\n    c_$# += 1\n    $I = $i\n    if $b:\n        break",
        ],
        changes: &["t_$M = 100", "$Nbump = lambda i0: i0 % 1000", "t_$M = 0.5"],
        state: &["t_$M"],
        ..Part::NONE
    },
    Part {
        text: "def $Nmaker(n):\n    f = 0.5\n    def inner(i0):\n        nonlocal n, f\n        n = (n + i0) % 509\n        f += n\n        if $b:\n            f = 0.25\n        return n\n    return inner\n$Ncount = $Nmaker(1)\n",
        exprs: &[('i', 9, "$Ncount($i)"), ('i', 9, "$Nmaker($i)($i)")],
        stmts: &["g_$# = $Nmaker($i)\n$=i = g_$#($i) + g_$#(1)\n!i g_$#(i)", "$Ncount($i)"],
        changes: &["$Ncount = $Nmaker(7)", "$Ncount(5)"],
        state: &[
            "[it.cell_contents for it in getattr($Ncount, '__closure__', None) or () if not callable(it.cell_contents)]",
        ],
        ..Part::NONE
    },
    Part {
        text: "def $Ndefault(i0, v0=[], k=3):\n    v0.append(i0 % 100)\n    if len(v0) > 4:\n        del v0[0]\n    return sum(v0) + k\n",
        exprs: &[('i', 20, "$Ndefault($i)"), ('i', 20, "$Ndefault($i, [1])"), ('i', 20, "$Ndefault($i, k=$i)")],
        stmts: &["$Ndefault($i)", "$Ndefault($i, $V)"],
        changes: &["$Ndefault.__defaults__ = ([9], 1)"],
        state: &["getattr($Ndefault, '__defaults__', None)"],
        ..Part::NONE
    },
    Part {
        text: "def $Nlog(*values, end=''):\n    LOG.append((values, end))\n    return values[0]\n",
        exprs: &[
            ('i', 20, "$Nlog($i)"),
            ('f', 0, "$Nlog($f, 'f')"),
            ('i', 21, "($Nlog($i) + $Nlog($i, end='2'))"),
            ('b', 0, "($Nlog($b) and $Nlog($b))"),
            ('b', 0, "($Nlog(1) < $Nlog($i) < $Nlog($i))"),
            ('v', 0, "[$Nlog(q) for q in $v]"),
            ('t', 0, "($Nlog($i), $Nlog($f))"),
        ],
        stmts: &[
            "$Nlog($i, $f)",
            "$Nlog('at', $i, end='!')",
            "$Nlog($v)",
            "LOG.append($i)",
            "$Nlog(1), $Nlog($i)",
            "$Nlog([1])[$Nlog(0)] = $Nlog($i)",
        ],
        changes: &["$Nlog = lambda *values, end='': values[-1]"],
        ..Part::NONE
    },
    Part {
        text: "def $Nscale(i0, f0=2.0):\n    return ($i) % 611\n$Npart = functools.partial($Nscale, f0=0.5)\n$Ntable = [$Nscale, lambda i0: i0 % 17, abs]\n",
        exprs: &[
            ('i', 11, "$Npart($i)"),
            ('i', 20, "$Ntable[$j % 3]($i)"),
            ('i', 20, "$Ntable[1]($i)"),
            ('v', 0, "[f(1) for f in $Ntable]"),
        ],
        changes: &[
            "$Ntable[1] = lambda i0: i0 % 5",
            "$Ntable[0], $Ntable[2] = $Ntable[2], $Ntable[0]",
            "$Npart = functools.partial($Nscale, 4)",
        ],
        ..Part::NONE
    },
    Part {
        text: "def $Ntwice(function, i0):\n    return function(function(i0) % 1000)\ndef $Ndecorated(function):\n    @functools.wraps(function)\n    def wrapper(*args, **named):\n        print('calls', function.__name__, args)\n        return function(*args, **named) % 5003\n    return wrapper\n@$Ndecorated\ndef $Nplain(i0):\n    return $i\n",
        exprs: &[
            ('i', 20, "$Ntwice(lambda i0: i0 + $i, $i) % 9001"),
            ('i', 13, "$Nplain($i)"),
            ('i', 20, "$Ntwice($Nplain, $i)"),
        ],
        ..Part::NONE
    },
    Part {
        text: "class $NConf:\n    limit = 5\n    scale = 0.5\n    names = ['a', 'b']\n    table = {'u': 1}\n",
        exprs: &[
            ('i', 20, "$NConf.limit"),
            ('f', 0, "$NConf.scale"),
            ('i', 4, "len($NConf.names)"),
            ('i', 20, "$NConf.table['u']"),
        ],
        stmts: &["$NConf.limit = $i", "$NConf.table['u'] = $i", "if $NConf.limit > $i:\n    $;"],
        changes: &[
            "$NConf.limit = 9",
            "$NConf.limit = -1",
            "$NConf.scale = 2",
            "$NConf.names.append('c')",
            "$NConf.table['u'] += 1",
            "$NConf.table = {'u': 7}",
        ],
        state: &["$NConf.limit", "$NConf.scale", "$NConf.table"],
        ..Part::NONE
    },
    Part {
        text: "memo_$M = {}\ndef $Nmemo(i0):\n    i0 = i0 % 8\n    if i0 not in memo_$M:\n        memo_$M[i0] = ($i) % 2003\n        print('computed', i0)\n    return memo_$M[i0]\n",
        exprs: &[('i', 11, "$Nmemo($i)"), ('i', 11, "$Nmemo($j)")],
        changes: &["memo_$M.clear()", "memo_$M[2] = 50"],
        state: &["memo_$M"],
        ..Part::NONE
    },
    Part {
        text: "stack_$M = []\ndef $Npush(value):\n    stack_$M.append(value)\n    if len(stack_$M) > 5:\n        stack_$M.pop(0)\n    return len(stack_$M)\n",
        exprs: &[
            ('i', 3, "$Npush($i)"),
            ('i', 3, "$Npush($f)"),
            ('i', 3, "$Npush([$i, $f])"),
            ('i', 3, "len(stack_$M)"),
        ],
        stmts: &["$Npush($i)", "$Npush(($i, $f))", "$Npush($V)", "if stack_$M:\n    stack_$M.pop()"],
        changes: &["stack_$M.clear()", "stack_$M = [0]"],
        state: &["stack_$M"],
        ..Part::NONE
    },
    Part {
        text: "mode_$M = 'add'\ndef $Napply(i0, i1):\n    if mode_$M == 'add':\n        return i0 + i1\n    elif mode_$M == 'none':\n        return None\n    return i0 - i1 * 0.5\n",
        exprs: &[('n', 0, "($Napply($i, $i) or 0)"), ('i', 20, "int($Napply($i, $i) or 0) % 6007")],
        stmts: &["print($Napply($i, $i))", "if $b:\n    mode_$M = 'sub'"],
        changes: &["mode_$M = 'sub'", "mode_$M = 'none'", "mode_$M = 'add'", "mode_$M = 5"],
        state: &["mode_$M"],
        ..Part::NONE
    },
];

/// Texts of staged values.
pub(super) const TEXTS: Part = Part {
    exprs: &[
        ('x', 0, "str($i)"),
        ('x', 0, "repr($f)"),
        ('x', 0, "f'{$I}'"),
        ('x', 0, "f'{$I:>6}|{$F:.3f}'"),
        ('x', 0, "f'{$F!r}={$I:+d}'"),
        ('x', 0, "('%d-%s' % ($i, $f))"),
        ('x', 0, "('%05d' % $i)"),
        ('x', 0, "('%.2f' % $f)"),
        ('x', 0, "'{} {:>4}'.format($i, $i)"),
        ('x', 0, "format($f, '.4g')"),
        ('x', 0, "str(($i, $f))"),
        ('x', 0, "str($v)"),
        ('x', 0, "','.join(map(str, $v))"),
        ('x', 0, "($X + 'z')[-30:]"),
        ('x', 0, "$X.upper()"),
        ('x', 0, "('yes' if $b else 'no')"),
        ('x', 0, "$X[1:3]"),
        ('x', 0, "hex($i)"),
        ('x', 0, "str($b)"),
        ('i', 8, "len($x)"),
        ('i', 20, "int(str($i))"),
        ('f', 0, "float(repr($f))"),
        ('b', 0, "($x == $x)"),
        ('b', 0, "('1' in $x)"),
        ('b', 0, "$x.startswith('-')"),
        ('i', 8, "$x.find('2')"),
        ('i', 8, "ord(($x or 'a')[0])"),
    ],
    stmts: &[
        "print($i, $f)",
        "print($x)",
        "print(f'{$I} {$F:.3f}', $b, sep='/')",
        "print($v, end=';\\n')",
        "print($t, $n)",
        "$=x = $x",
        "x0 = $x\nx0 += str($i)",
        "$=x = $x",
        "if $x == $x:\n    $;",
        "for k_$# in $x[:3]:\n    if k_$# == '1':\n        $:",
    ],
    globals: &[("x_$M", "'ab'")],
    changes: &["x_$M = 'cd1'", "x_$M = ''", "x_$M = 'ab'"],
    ..Part::NONE
};

/// Random numbers from a known state, and the clock.
pub(super) const RANDOM: Part = Part {
    text: "random.seed(7)\nrandom_$M = random.Random(3)\n",
    exprs: &[
        ('i', 10, "random.randrange(1000)"),
        ('i', 10, "random.randint(1, 9)"),
        ('f', 0, "random.random()"),
        ('f', 0, "random.uniform(-1.0, $f % 10 + 1)"),
        ('i', 20, "random.choice([$i, $i, 3])"),
        ('i', 10, "random_$M.randrange(1 + $i % 50)"),
        ('f', 0, "random_$M.random()"),
        ('v', 0, "random.sample(range(9), $j)"),
        ('b', 0, "(time.time() > 1e9)"),
        ('b', 0, "(time.perf_counter() <= time.perf_counter())"),
    ],
    stmts: &[
        "random.seed($i)",
        "random.shuffle($V)",
        "for i_$# in range($i % 6):\n    $I = random.randrange(100)\n    $:",
        "$=i = random.randrange(50) - random.randrange(50)",
    ],
    changes: &["random.seed(11)", "random_$M.seed(2)", "random_$M = random.Random(8)"],
    state: &["random.random()", "random_$M.random()"],
    ..Part::NONE
};
