//! Host calls: texts, containers of anything, and objects of the host, in loops; functions and methods in Python that
//! look at what they are given, change it, keep it, raise, and call back.

use super::super::idioms::Part;

/// Values of mixed kinds, which compiled code can only hand on: what most of the others work on, too.
pub(super) const ANYTHING: Part = Part {
    exprs: &[
        ('z', 0, "$x"),
        ('z', 0, "$i"),
        ('z', 0, "$f"),
        ('z', 0, "None"),
        ('z', 0, "($x, $i)"),
        ('z', 0, "[$x, $i]"),
        ('z', 0, "$E"),
        ('z', 0, "$H"),
        ('z', 0, "($E[$j % len($E)] if $E else None)"),
        ('z', 0, "($E or [$x])[-1]"),
        ('z', 0, "$H.get($x)"),
        ('z', 0, "$H.get('k' + str($j), $i)"),
        ('z', 0, "($Z if $b else $x)"),
        ('z', 0, "(str($Z)[:20], $b)"),
        ('z', 0, "b'xy'"),
        ('z', 0, "max($x.split(), default=$i)"),
        ('z', 0, "min(map(str, $E), default=None)"),
        ('e', 0, "[$x, $i, $f]"),
        ('e', 0, "$x.split()"),
        ('e', 0, "list($x[:6])"),
        ('e', 0, "[$Z, $Z]"),
        ('e', 0, "$E[$j:]"),
        ('e', 0, "$E[:$j]"),
        ('e', 0, "list($H)"),
        ('e', 0, "list($H.values())"),
        ('e', 0, "list($H.items())"),
        ('e', 0, "[q for q in $E[:6] if q]"),
        ('e', 0, "sorted(map(str, $E[:6]))"),
        ('e', 0, "sorted($x.split())"),
        ('e', 0, "[(q, str(q)[:9]) for q in $E[:5]]"),
        ('e', 0, "($E + [$Z])[-6:]"),
        ('e', 0, "[q * 2 for q in $x.split()]"),
        ('e', 0, "[[q, $i] for q in $x[:4]]"),
        ('e', 0, "$E.copy()"),
        ('e', 0, "[q.upper() for q in $x.split() if len(q) > $j]"),
        ('h', 0, "{'k1': $Z, 'k3': $i}"),
        ('h', 0, "dict.fromkeys($x[:5], $i)"),
        ('h', 0, "{q: $i for q in $x.split()}"),
        ('h', 0, "$H.copy()"),
        ('h', 0, "{k: q for k, q in $H.items() if k}"),
        ('h', 0, "dict(zip($x, $E))"),
        ('h', 0, "{('k', q): 'k' + str(q) for q in range($j)}"),
        ('x', 0, "' '.join(map(str, $E[:6]))[:60]"),
        ('x', 0, "str($Z)[:30]"),
        ('x', 0, "repr($E[:5])[:40]"),
        ('x', 0, "'-'.join($x.split())"),
        ('x', 0, "$x.replace('a', $x[:2])[:60]"),
        ('x', 0, "max($x.split() or ['q'])"),
        ('x', 0, "$x.strip().title()"),
        ('x', 0, "('%s:%s' % ($Z, $I))[:50]"),
        ('x', 0, "f'{$X}-{$X:>5}'[:50]"),
        ('x', 0, "$X[$j:$j]"),
        ('x', 0, "($X[$j % len($X)] if $X else 'q')"),
        ('x', 0, "($x + ' ' + $x)[-70:]"),
        ('x', 0, "chr(97 + $i % 26)"),
        ('x', 0, "$x.partition(' ')[2]"),
        ('x', 0, "$x[::-1]"),
        ('i', 8, "len($E)"),
        ('i', 8, "len($H)"),
        ('i', 8, "len($x.split())"),
        ('i', 8, "$x.count('a')"),
        ('i', 8, "$x.rfind($x[:1])"),
        ('i', 16, "sum(ord(q) for q in $x)"),
        ('i', 16, "sum(len(q) for q in $x.split())"),
        ('i', 8, "($E.index($Z) if $Z in $E else -1)"),
        ('i', 8, "$E.count($Z)"),
        ('i', 2, "int(isinstance($Z, str))"),
        ('i', 20, "($i if $Z == $Z else len(str($Z)))"),
        ('b', 0, "($Z == $Z)"),
        ('b', 0, "($x in $E)"),
        ('b', 0, "($x in $H)"),
        ('b', 0, "($Z is None)"),
        ('b', 0, "($Z is $Z)"),
        ('b', 0, "bool($Z)"),
        ('b', 0, "isinstance($Z, (str, list))"),
        ('b', 0, "($E == $E)"),
        ('b', 0, "($E != $E[:])"),
        ('b', 0, "($x < $x)"),
        ('b', 0, "($x[:2] in $x)"),
        ('b', 0, "$x.isalpha()"),
        ('b', 0, "any(q == 'a' for q in $x)"),
        ('b', 0, "('k1' not in $H)"),
    ],
    stmts: &[
        "$=z = $z",
        "$=e = $e",
        "$=h = $h",
        "$=x = $x",
        "$E.append($z)",
        "$E.append($Z)",
        "$H['k' + str($I % 5)] = $z",
        "$H[$x] = $Z",
        "if $Z is not None:\n    $;",
        "if isinstance($Z, str):\n    $;\nelif isinstance($Z, (list, tuple)):\n    $;\nelse:\n    $;",
        "print($Z)",
        "print(*$E[:4], sep='/')",
        "d_$# = {}\nfor w_$# in $x.split():\n    d_$#[w_$#] = d_$#.get(w_$#, 0) + 1\n    $:\nprint(sorted(d_$#.items()))\n$=h = d_$#",
        "d_$# = {}\nfor w_$# in $x.split():\n    d_$#.setdefault(w_$#[:1], []).append(w_$#)\n    $:\n$=h = d_$#",
        "d_$# = {}\nfor k_$#, w_$# in enumerate($x.split()):\n    if w_$# not in d_$#:\n        d_$#[w_$#] = []\n    d_$#[w_$#].append((k_$#, $Z))\nprint(d_$#)",
        "s_$# = set()\nfor w_$# in $x.split():\n    if w_$# in s_$#:\n        $I = len(s_$#)\n        continue\n    s_$#.add(w_$#)\n    $:\nprint(sorted(s_$#))",
        "b_$# = []\nfor c_$# in $x:\n    if c_$#.isalpha():\n        b_$#.append(c_$#.swapcase())\n    elif c_$# == ' ':\n        b_$#.append('_')\n    $:\n$=x = ''.join(b_$#)",
        "k_$# = 0\nfor c_$# in $x:\n    k_$# = (k_$# * 31 + ord(c_$#)) % 100003\n$=i = k_$#",
        "$F = 0.0\nfor w_$# in $x.split():\n    $F += len(w_$#) * 0.5\n    if w_$# > $x:\n        break\n    $:",
        "t_$# = ''\nfor i_$# in range($i % 9):\n    t_$# += chr(97 + (i_$# * $i) % 26)\n    $:\n$=x = t_$#",
        "e_$# = []\nfor i_$# in range(8 + $i % 19):\n    e_$#.append((i_$#, 'n%d' % i_$#, i_$# * 0.5))\n    $:\nfor a_$#, b_$#, c_$# in e_$#:\n    if b_$# == 'n3':\n        $F = c_$#\n    $I = a_$#\n$=e = e_$#",
        "e_$# = []\nfor i_$# in range($i % 7):\n    e_$#.append($z)\n    if len(e_$#) > 3:\n        $=z = e_$#.pop(0)\n    $:\n$=e = e_$#",
        "e_$# = [($x, $j)]\nk_$# = 0\nwhile e_$# and k_$# < 12:\n    k_$# += 1\n    w_$#, n_$# = e_$#.pop()\n    if n_$# > 0:\n        e_$#.append((w_$#[1:], n_$# - 1))\n        if n_$# % 2:\n            e_$#.append((w_$# + 'l', n_$# - 2))\nprint(k_$#, w_$#[:20])",
        "for q_$# in $E[:6]:\n    try:\n        $I = len(q_$#)\n        $X = q_$#[0] + 'x'\n    except (TypeError, LookupError) as error:\n        print(type(error).__name__, error)\n    $:",
        "for q_$# in $E[:7]:\n    if q_$# == $Z:\n        $:\n    elif q_$# is None:\n        continue\n    else:\n        print(q_$#)",
        "for k_$#, q_$# in $H.items():\n    print(k_$#, q_$#)\n    $:",
        "for k_$# in list($H):\n    if str(k_$#) > 'k1':\n        $=z = $H.pop(k_$#)\n        continue\n    $H[k_$#] = $i",
        "for k_$# in sorted(map(str, $H)):\n    $I = len(k_$#)\n    $:",
        "try:\n    for k_$# in $H:\n        if $b:\n            $H[$x] = 1\nexcept RuntimeError as error:\n    print(error)",
        "try:\n    for q_$# in $E[:6]:\n        a_$#, b_$# = q_$#\n        print(a_$#, b_$#)\nexcept (TypeError, ValueError) as error:\n    print(error)",
        "for q_$# in $E[:6]:\n    try:\n        a_$#, b_$#, c_$# = q_$#\n        $=z = c_$#\n    except (TypeError, ValueError) as error:\n        $I = $i",
        "for q_$# in [($i, $x), ($f, None), ($x, $i)] * 3:\n    a_$#, b_$# = q_$#\n    if b_$# is None:\n        $F = a_$#\n    elif isinstance(a_$#, int):\n        $I = a_$#\n    $:",
        "e_$# = $E\nfor i_$# in range(8 + $i % 16):\n    e_$#.append($x)\n    $E.append(i_$#)\n    if $b:\n        e_$# = []\n    del $E[9:]\nprint(len(e_$#), e_$# is $E)",
        "for i_$# in range($i % 6):\n    try:\n        $Z[i_$#] = $x\n    except (TypeError, LookupError) as error:\n        print(type(error).__name__)\n    $:",
        "for i_$# in range(8 + $i % 16):\n    try:\n        del $E[i_$# % 4]\n        $=z = $E.pop()\n    except LookupError as error:\n        print(error)\n        break",
        "for a_$#, b_$# in zip($E[:6], $x):\n    if a_$# == b_$#:\n        $I = $i\n    print(a_$#, b_$#)",
        "for a_$#, b_$# in zip($E, $E[1:5]):\n    try:\n        $B = a_$# < b_$#\n    except TypeError as error:\n        print(error)",
        "e_$# = [[] for q in range(3)]\nfor w_$# in $x.split():\n    e_$#[len(w_$#) % 3].append(w_$#)\n    $:\ne_$#.sort()\n$=e = e_$#",
        "t_$# = $Z, $x\nfor i_$# in range($i % 6):\n    t_$# = (t_$#[1], str(i_$#))\n    $:\nprint(t_$#)",
        "z_$# = None\nfor w_$# in $x.split():\n    if z_$# is None or w_$# < z_$#:\n        z_$# = w_$#\n$=z = z_$#",
        "z_$# = $i\nfor w_$# in $E[:6]:\n    if $b:\n        z_$# = w_$#\n    elif z_$# == $i:\n        z_$# = $f\nprint(z_$#)",
        "for w_$# in $x.split():\n    try:\n        $I = int(w_$#) % 1009\n    except ValueError as error:\n        print(error)",
        "for w_$# in $x.split():\n    match w_$#:\n        case 'a' | 'the':\n            $;\n        case '12':\n            break\n        case _:\n            $X = w_$#",
        "def g_$#(e0, z0):\n    for q_$# in e0[:5]:\n        if q_$# == z0:\n            return q_$#\n        z0 = str(q_$#)\n    return z0\n$=z = g_$#($E, $Z)\n$X = str(g_$#($e, $x))",
        "def g_$#(z0, i0):\n    if i0 <= 0:\n        return z0\n    return g_$#((z0, 'r%d' % i0) if i0 % 2 else [z0], i0 - 1)\n$=z = g_$#($x, $i % 4)",
    ],
    globals: &[
        ("e_$M", "['ab', 2, None]"),
        ("h_$M", "{'k1': 'one', 'k2': 2.5}"),
        ("z_$M", "'start'"),
        ("x_$M", "'ab'"),
    ],
    changes: &[
        "e_$M = ['cd', (1, 'x'), 2.5, None]",
        "e_$M = []",
        "e_$M.append('later')",
        "e_$M = [[1], ['a'], ('b', 2)]",
        "h_$M = {'k1': 4, 'k4': [1]}",
        "h_$M['k1'] = None",
        "h_$M.clear()",
        "z_$M = None",
        "z_$M = 'other'",
        "z_$M = ['a', 1]",
        "z_$M = 12",
        "z_$M = e_$M",
        "e_$M.append(h_$M)",
    ],
    ..Part::NONE
};

/// What the host has, and what calls it.
pub(super) const PARTS: [Part; 12] =
    [FILES, QUEUES, PATTERNS, BYTES, KEEPERS, OPAQUE, BACK, ITEMS, PROTOCOL, DERIVED, ITERATORS, CALLEES];

/// Files in memory.
const FILES: Part = Part {
    text: "out_$M = io.StringIO()\nraw_$M = io.BytesIO()\n",
    exprs: &[
        ('i', 20, "out_$M.write($x)"),
        ('i', 12, "out_$M.tell()"),
        ('x', 0, "out_$M.getvalue()[-20:]"),
        ('x', 0, "io.StringIO($x).read($j)"),
    ],
    stmts: &[
        "for i_$# in range(8 + $i % 19):\n    $I = ($I * 3 + i_$#) % 1009\n    out_$M.write(f'{i_$#} {$I}\\n')\n    $:",
        "for i_$# in range($i % 9):\n    if i_$# % 3 == 0:\n        out_$M.write('%d;' % i_$#)\n    $F = $F * 0.5 + i_$#",
        "for w_$# in $x.split():\n    $I = out_$M.write(w_$#)\n    raw_$M.write(w_$#.encode())\n    $:",
        "f_$# = io.StringIO()\nfor i_$# in range(8 + $i % 17):\n    f_$#.write(str(i_$#))\n    print('n', i_$#, file=f_$#)\n    $:\n$=x = f_$#.getvalue()",
        "f_$# = io.StringIO($x)\nfor w_$# in f_$#:\n    $=x = w_$#\nprint(f_$#.read())",
        "try:\n    for q_$# in $E[:5]:\n        out_$M.write(q_$#)\n        $I = $i\nexcept TypeError as error:\n    print(error)",
        "f_$# = out_$M if $b else io.StringIO()\nfor i_$# in range($i % 5):\n    f_$#.write('x')\n    out_$M.write('y')\nprint(f_$#.getvalue()[-9:])",
        "f_$# = io.StringIO()\ntry:\n    for i_$# in range(8 + $i % 16):\n        if i_$# == 4:\n            f_$#.close()\n        f_$#.write('c')\nexcept ValueError as error:\n    print(error)",
        "for i_$# in range($i % 6):\n    out_$M.seek(0)\n    $X = out_$M.read(3)\n    out_$M.truncate(i_$#)",
    ],
    changes: &[
        "out_$M = io.StringIO()",
        "out_$M = io.StringIO('before')",
        "out_$M.write('between')",
        "out_$M = raw_$M",
        "out_$M = types.SimpleNamespace(write=lambda text: LOG.append(text) or 3, getvalue=lambda: 'own', tell=lambda: 5)",
        "out_$M.seek(0)",
    ],
    state: &["out_$M.getvalue()", "raw_$M.getvalue()"],
    ..Part::NONE
};

/// Heaps, sorted lists, queues.
const QUEUES: Part = Part {
    text: "heap_$M = []\nrow_$M = []\nline_$M = collections.deque()\n",
    exprs: &[
        ('i', 8, "len(heap_$M)"),
        ('i', 8, "len(line_$M)"),
        ('i', 8, "bisect.bisect_left(row_$M, $x)"),
        ('z', 0, "(heap_$M[0] if heap_$M else None)"),
        ('z', 0, "(line_$M[-1] if line_$M else None)"),
        ('e', 0, "list(line_$M)"),
        ('e', 0, "heapq.nsmallest($j, $x.split())"),
    ],
    stmts: &[
        "for w_$# in $x.split():\n    heapq.heappush(heap_$M, (len(w_$#), w_$#))\n    $:\nwhile len(heap_$M) > 4:\n    $I, $X = heapq.heappop(heap_$M)",
        "h_$# = []\nfor i_$# in range(8 + $i % 19):\n    heapq.heappush(h_$#, ((i_$# * $i) % 7, 'n%d' % i_$#))\n    if i_$# % 3 == 2:\n        k_$#, w_$# = heapq.heappop(h_$#)\n        $I = k_$#\n        $=x = w_$#\n    $:\nprint(h_$#)",
        "h_$# = [(0, 'a', None)]\nk_$# = 0\nwhile h_$# and k_$# < 9:\n    k_$# += 1\n    c_$#, w_$#, z_$# = heapq.heappop(h_$#)\n    if c_$# < $j:\n        heapq.heappush(h_$#, (c_$# + 1, w_$# + 'b', z_$#))\n        heapq.heappush(h_$#, (c_$# + 2, w_$# + 'c', None))\nprint(k_$#, c_$#, w_$#)",
        "try:\n    for q_$# in $E[:6]:\n        heapq.heappush(heap_$M, q_$#)\n        $:\nexcept TypeError as error:\n    print(error)\n    heap_$M.clear()",
        "try:\n    $=z = heapq.heappop(heap_$M)\n    heapq.heapify(heap_$M)\nexcept (IndexError, TypeError) as error:\n    print(error)",
        "try:\n    for w_$# in $x.split():\n        bisect.insort(row_$M, w_$#)\n        $I = bisect.bisect_right(row_$M, $x)\nexcept TypeError as error:\n    print(error)\n    row_$M.clear()",
        "for q_$# in $E[:5]:\n    line_$M.append(q_$#)\n    if len(line_$M) > 4:\n        $=z = line_$M.popleft()\n    $:",
        "q_$# = collections.deque([($x, 0)])\ns_$# = {$x}\nk_$# = 0\nwhile q_$# and k_$# < 15:\n    k_$# += 1\n    w_$#, n_$# = q_$#.popleft()\n    for c_$# in 'ab':\n        v_$# = c_$# + w_$#[:3]\n        if v_$# not in s_$# and n_$# < $j:\n            s_$#.add(v_$#)\n            q_$#.append((v_$#, n_$# + 1))\nprint(k_$#, n_$#, sorted(s_$#)[:5])",
        "try:\n    for q_$# in line_$M:\n        if $b:\n            line_$M.append($z)\n            line_$M.rotate($j)\nexcept RuntimeError as error:\n    print(error)",
        "for i_$# in range($i % 7):\n    line_$M.appendleft((i_$#, $x))\n    line_$M[0] = $Z\n    if i_$# > 2:\n        line_$M.pop()\n        line_$M.reverse()",
        "q_$# = collections.deque(maxlen=3)\nfor c_$# in $x:\n    q_$#.append(c_$#)\n    if len(q_$#) == 3 and q_$#[0] == q_$#[2]:\n        $I = $i\n        break\nprint(list(q_$#))",
    ],
    changes: &[
        "heap_$M = [(1, 'z'), (2, 'a')]",
        "heap_$M.clear()",
        "row_$M = ['c', 'm']",
        "line_$M = collections.deque(['q', 3], 4)",
        "line_$M.clear()",
        "line_$M = ['a', 'list']",
        "heap_$M.append((-1, 'least'))",
    ],
    state: &["heap_$M", "row_$M", "list(line_$M)"],
    ..Part::NONE
};

/// Patterns and what they match.
const PATTERNS: Part = Part {
    text: "pat_$M = re.compile(r'[a-m]+')\nnum_$M = re.compile(r'(\\d+)|(\\w)')\n",
    exprs: &[
        ('x', 0, "pat_$M.sub('_', $x)"),
        ('x', 0, "re.sub(r'a+', lambda it: it.group().upper(), $x)"),
        ('e', 0, "pat_$M.findall($x)"),
        ('e', 0, "re.split(r'\\W', $x)[:5]"),
        ('b', 0, "(pat_$M.match($x) is not None)"),
        ('b', 0, "bool(re.search(r'\\d', $x))"),
        ('i', 8, "len(num_$M.findall($x))"),
    ],
    stmts: &[
        "for w_$# in $x.split():\n    m_$# = pat_$M.match(w_$#)\n    if m_$#:\n        $I = m_$#.end()\n        $=x = m_$#.group()\n    $:",
        "for m_$# in num_$M.finditer($x):\n    if m_$#.group(1):\n        $I = int(m_$#.group(1)) % 1009\n    else:\n        print(m_$#.groups(), m_$#.span())\n    $:",
        "k_$# = 0\nwhile k_$# < len($X):\n    m_$# = num_$M.match($X, k_$#)\n    if m_$# is None:\n        k_$# += 1\n        continue\n    k_$# = m_$#.end()\n    print(m_$#.group(), m_$#[0])",
        "d_$# = {}\nfor w_$# in pat_$M.findall($x):\n    d_$#[w_$#] = d_$#.get(w_$#, 0) + 1\n$=h = d_$#",
        "for q_$# in $E[:5]:\n    try:\n        $=x = pat_$M.sub('', q_$#)\n    except TypeError as error:\n        print(error)\n    $:",
    ],
    changes: &["pat_$M = re.compile(r'\\w')", "pat_$M = re.compile(r'(b|c)+')", "num_$M = re.compile(r'(a)|(.)')"],
    ..Part::NONE
};

/// Bytes.
const BYTES: Part = Part {
    text: "by_$M = b'some bytes'\nba_$M = bytearray(b'more')\n",
    exprs: &[
        ('i', 8, "by_$M[$j]"),
        ('i', 8, "(ba_$M[-1] if ba_$M else 0)"),
        ('i', 8, "len($x.encode())"),
        ('x', 0, "by_$M[$j:].decode()"),
        ('x', 0, "$x.encode().hex()[:30]"),
        ('z', 0, "by_$M"),
        ('z', 0, "ba_$M[:]"),
        ('b', 0, "(b'm' in by_$M)"),
        ('b', 0, "(by_$M == $x.encode())"),
    ],
    stmts: &[
        "k_$# = 0\nfor q_$# in by_$M:\n    k_$# = (k_$# * 17 + q_$#) % 4099\n    $:\n$=i = k_$#",
        "for q_$# in $x.encode():\n    ba_$M.append(q_$#)\n    if len(ba_$M) > 12:\n        $I = ba_$M[0]\n        del ba_$M[:3]\n    $:",
        "for i_$# in range(8 + $i % 17):\n    try:\n        ba_$M[i_$#] = $i % 300\n        $X = chr(ba_$M[i_$#])\n    except (IndexError, ValueError) as error:\n        print(error)",
        "b_$# = b''\nfor w_$# in $x.split():\n    b_$# += w_$#.encode() + b','\nprint(b_$#, b_$#.count(b'a'), b_$#.split(b',')[:2])",
        "for p_$# in by_$M.split():\n    if p_$#.startswith(b's'):\n        $X = p_$#.decode()\n    $:",
        "b_$# = bytearray()\nfor i_$# in range($i % 9):\n    b_$#.append(97 + i_$#)\n    b_$# += b'-'\nprint(b_$#, bytes(b_$#))",
    ],
    changes: &[
        "by_$M = b'\\xff\\x00z'",
        "by_$M = bytes(range(8))",
        "ba_$M = bytearray()",
        "ba_$M = bytearray(b'0123456789')",
        "ba_$M.reverse()",
        "by_$M = memoryview(b'view')",
    ],
    state: &["bytes(ba_$M)"],
    ..Part::NONE
};

/// Functions that keep what they are given, change it, raise, and give other classes each time.
const KEEPERS: Part = Part {
    text: "keep_$M = []\nturn_$M = 0\n\
        def $Nkeep(value):\n    keep_$M.append(value)\n    if len(keep_$M) > 6:\n        del keep_$M[0]\n    return value\n\
        def $Nspoil(value):\n    if isinstance(value, list):\n        if len(value) > 5:\n            value.clear()\n        value.append(len(value))\n    elif isinstance(value, dict):\n        value.pop('k1', None)\n        value['k' + str(len(value))] = 'spoilt'\n    return value\n\
        def $Nturn():\n    global turn_$M\n    turn_$M += 1\n    return (turn_$M % 50, 'text', 0.5, None, (turn_$M % 9, 'a'), ['b', turn_$M % 9], True)[turn_$M % 7]\n\
        def $Nfails(value):\n    global turn_$M\n    turn_$M += 1\n    if turn_$M % 4 == 3:\n        raise KeyError(value)\n    return str(value)[:30]\n",
    exprs: &[
        ('z', 0, "$Nkeep($z)"),
        ('z', 0, "$Nkeep($E)"),
        ('z', 0, "$Nturn()"),
        ('z', 0, "(keep_$M[-1] if keep_$M else None)"),
        ('e', 0, "$Nspoil($E)"),
        ('e', 0, "keep_$M[-4:]"),
        ('h', 0, "$Nspoil($H)"),
        ('x', 0, "$Nfails($Z)"),
        ('i', 4, "len(keep_$M)"),
        ('b', 0, "($Z in keep_$M)"),
    ],
    stmts: &[
        "for i_$# in range(8 + $i % 18):\n    z_$# = $Nturn()\n    if isinstance(z_$#, str):\n        $X = z_$#\n    elif isinstance(z_$#, float):\n        $F = z_$#\n    $:",
        "for i_$# in range($i % 7):\n    try:\n        $=x = $Nfails($Z)\n    except KeyError as error:\n        print(error.args)\n        $I = i_$#\n    $:",
        "for q_$# in $E[:6]:\n    $Nkeep((q_$#, $x))\n    $Nspoil(q_$#)\n    $:",
        "e_$# = []\nfor i_$# in range(8 + $i % 17):\n    e_$#.append($x)\n    $Nkeep(e_$#)\n    if len(e_$#) > $j:\n        e_$# = [$i]\nprint(e_$#, len(keep_$M))",
        "h_$# = {'k1': $x}\nfor i_$# in range($i % 6):\n    h_$#['k%d' % i_$#] = $Nspoil(h_$#).get('k1', i_$#)\n    $Nspoil($H)\nprint(h_$#)",
        "for i_$# in range(8 + $i % 16):\n    $E.append($Nturn())\n    $Nspoil($E)\n    $:",
        "for q_$# in keep_$M[:5]:\n    print(q_$#)\n    $:",
        "keep_$M.append($z)",
        "f_$# = keep_$M.append\nfor w_$# in $x.split():\n    f_$#(w_$#)\n    $:\ndel keep_$M[:-5]",
    ],
    changes: &[
        "keep_$M.clear()",
        "keep_$M = [e_$M]",
        "turn_$M = 2",
        "$Nturn = lambda: 'always'",
        "$Nkeep = str",
        "$Nspoil = keep_$M.append",
        "e_$M = keep_$M",
        "$Nfails = len",
    ],
    state: &["keep_$M", "turn_$M"],
    ..Part::NONE
};

/// Functions that capture cannot follow.
const OPAQUE: Part = Part {
    text: "seen_$M = []\n\
        def $Nopaque(value):\n    sys._getframe()\n    seen_$M.append(value)\n    if len(seen_$M) > 5:\n        seen_$M.clear()\n    return value\n\
        def $Nlooks(value):\n    global e_$M, z_$M\n    sys._getframe()\n    z_$M = (len(str(e_$M)) % 50, str(h_$M)[:20])\n    if len(e_$M) > 4:\n        e_$M = e_$M[:2]\n    h_$M['seen'] = value\n    return len(h_$M)\n\
        def $Nwrong(value):\n    sys._getframe()\n    if isinstance(value, (list, dict)):\n        value.clear()\n        raise ValueError('cleared')\n    return [value]\n",
    exprs: &[
        ('z', 0, "$Nopaque($z)"),
        ('i', 8, "$Nlooks($Z)"),
        ('e', 0, "$Nwrong($x)"),
        ('z', 0, "eval('e_$M')"),
        ('b', 0, "('seen' in h_$M)"),
    ],
    stmts: &[
        "for i_$# in range($i % 6):\n    $I = ($I * 3 + i_$#) % 701\n    $Nopaque(($I, $x))\n    $:",
        "for w_$# in $x.split():\n    e_$M.append(w_$#)\n    $I = $Nlooks(w_$#)\n    print(len(e_$M), z_$M)",
        "e_$# = [$x]\nfor i_$# in range(8 + $i % 16):\n    e_$#.append(i_$#)\n    $Nopaque(e_$#)\n    seen_$M[-1:] = [$Z]\n    $:\nprint(e_$#)",
        "for q_$# in $E[:5]:\n    try:\n        $=z = $Nwrong(q_$#)\n    except ValueError as error:\n        print(error)\n    $:",
        "try:\n    $Nwrong($E)\nexcept ValueError:\n    $;",
        "globals()['z_$M'] = $z",
        "exec('z_$M = len(e_$M)', globals())",
    ],
    changes: &["seen_$M.clear()", "seen_$M = [0] * 4", "$Nopaque = seen_$M.append", "$Nlooks = lambda value: 1"],
    state: &["seen_$M"],
    ..Part::NONE
};

/// Functions that call the staged function, and another one, again.
const BACK: Part = Part {
    text: "again_$M = [2]\n\
        @stage\ndef $Ninner(e0, i0):\n    t_0 = ''\n    for q_0 in e0[:4]:\n        t_0 += str(q_0)[:5]\n        e0.append(i0)\n        i0 = (i0 * 3 + len(t_0)) % 709\n        if len(e0) > 8:\n            e0.clear()\n    return t_0, i0\n\
        def $Nback(value=None):\n    if again_$M[0] <= 0:\n        return value\n    again_$M[0] -= 1\n    fresh = {'i': 3, 'f': 0.5, 'b': True, 'l': [1, 2, 3], 'v': [2], 'x': 'back a', 'e': ['k1', 2], 'h': {'k1': 1}}\n    code = $M_main.__code__\n    try:\n        return $M_staged(*[fresh.get(name[0]) for name in code.co_varnames[:code.co_argcount]])\n    except Exception as error:\n        LOG.append(type(error).__name__)\n        return value\n\
        class $NAgain:\n    def __init__(self, e0):\n        self.e0 = e0\n    def __eq__(self, other):\n        return $Ninner(self.e0, 2)[1] > 300\n    def __hash__(self):\n        return $Ninner(self.e0, 1)[1]\n    def __str__(self):\n        return $Ninner(self.e0, 5)[0]\n",
    exprs: &[
        ('z', 0, "$Nback($z)"),
        ('i', 10, "$Ninner($E, $i)[1]"),
        ('x', 0, "$Ninner($e, $i)[0]"),
        ('x', 0, "str($NAgain($E))"),
        ('b', 0, "($NAgain($e) in [$Z, $x])"),
        ('e', 0, "sorted($E[:4], key=lambda q: $Ninner([q], 1)[1])"),
        ('z', 0, "functools.reduce(lambda a, q: $Ninner([a, q], 2)[0], $E[:4], 'r')"),
    ],
    stmts: &[
        "for w_$# in $x.split():\n    $E.append(w_$#)\n    $=z = $Nback(w_$#)\n    $:",
        "for i_$# in range($i % 5):\n    $X, $I = $Ninner($E, i_$#)\n    $:",
        "a_$# = $NAgain($E)\nh_$# = {a_$#: 1}\nfor i_$# in range(8 + $i % 14):\n    h_$#[a_$#] = i_$#\n    $B = a_$# in h_$#\nprint(len(h_$#))",
        "for q_$# in $E[:4]:\n    $B = q_$# == $NAgain([$x])\n    print(f'{q_$#}', $B)",
        "e_$# = []\nfor i_$# in range($i % 6):\n    e_$#.append('b%d' % i_$#)\n    if i_$# == 2:\n        $Nback(e_$#)\n    $Ninner(e_$#, i_$#)\nprint(e_$#)",
    ],
    changes: &["again_$M[0] = 1", "again_$M = [2]", "$Nback = repr"],
    state: &["again_$M"],
    ..Part::NONE
};

/// Objects that compare, hash and sort by Python.
const ITEMS: Part = Part {
    text: "class $NItem:\n    def __init__(self, x):\n        self.x = x\n    def __eq__(self, other):\n        LOG.append(('eq', self.x))\n        return isinstance(other, $NItem) and self.x == other.x\n    def __hash__(self):\n        return len(str(self.x))\n    def __lt__(self, other):\n        LOG.append(('lt', self.x))\n        if isinstance(other, int):\n            raise ValueError('no order', self.x)\n        return str(self.x) < str(other)\n    def __repr__(self):\n        return f'Item({self.x!r})'\nitem_$M = $NItem('ab')\n",
    exprs: &[
        ('z', 0, "$NItem($x)"),
        ('z', 0, "item_$M"),
        ('z', 0, "($NItem($i), $x)"),
        ('e', 0, "[item_$M, $x, $NItem($i)]"),
        ('e', 0, "sorted([$NItem($x), $NItem('m'), item_$M])"),
        ('h', 0, "{item_$M: $i, 'k1': item_$M}"),
        ('b', 0, "(item_$M == $Z)"),
        ('b', 0, "(item_$M in $E)"),
        ('b', 0, "($Z in $E)"),
        ('b', 0, "(item_$M in $H)"),
        ('i', 4, "$E.count(item_$M)"),
        ('x', 0, "str($NItem($Z))[:30]"),
        ('z', 0, "item_$M.x"),
    ],
    stmts: &[
        "for q_$# in $E[:6]:\n    if q_$# == item_$M:\n        $I = $i\n    $:",
        "d_$# = {}\nfor q_$# in $E[:6]:\n    try:\n        d_$#[q_$#] = d_$#.get(q_$#, 0) + 1\n    except TypeError as error:\n        print(error)\nprint(len(d_$#))",
        "e_$# = []\nfor i_$# in range(8 + $i % 16):\n    e_$#.append($NItem(i_$# % 3))\n    $B = item_$M in e_$#\n    $:\nprint(e_$#)",
        "h_$# = []\ntry:\n    for i_$# in range($i % 6):\n        heapq.heappush(h_$#, ($i % 2, $NItem(i_$#)))\n        $:\nexcept ValueError as error:\n    print(error)\nprint(h_$#)",
        "try:\n    $E.remove(item_$M)\n    $E.sort()\nexcept (TypeError, ValueError) as error:\n    print(type(error).__name__)",
        "for i_$# in range(8 + $i % 16):\n    item_$M.x = i_$#\n    $E.append(item_$M)\n    $=z = item_$M.x\n    $:",
        "s_$# = {item_$M}\nfor q_$# in ($x, item_$M, $NItem($i), $Z):\n    try:\n        s_$#.add(q_$#)\n    except TypeError:\n        continue\nprint(len(s_$#))",
        "for q_$# in (item_$M, $x, $i, $f):\n    print(q_$#, f'{q_$#}', bool(q_$#))",
    ],
    changes: &[
        "item_$M = $NItem(4)",
        "item_$M.x = 2.5",
        "$NItem.__eq__ = lambda self, other: True",
        "$NItem.__bool__ = lambda self: LOG.append('bool') or False",
        "e_$M.append(item_$M)",
        "item_$M = 'ab'",
    ],
    state: &["item_$M"],
    ..Part::NONE
};

/// Objects that are called, counted, indexed and gone over by Python.
const PROTOCOL: Part = Part {
    text: "class $NBox:\n    def __init__(self, items):\n        self.items, self.looks = items, 0\n    def __len__(self):\n        self.looks += 1\n        return len(self.items)\n    def __iter__(self):\n        LOG.append('iter')\n        return iter(self.items)\n    def __getitem__(self, at):\n        self.looks += 1\n        return self.items[at]\n    def __setitem__(self, at, value):\n        LOG.append(('set', at))\n        self.items[at] = value\n    def __contains__(self, value):\n        LOG.append('in')\n        return value in self.items\n    def __call__(self, value):\n        self.items.append(value)\n        return self\n    def __getattr__(self, name):\n        if name == 'half':\n            return self.looks * 0.5\n        raise AttributeError(name)\n    def __add__(self, other):\n        return $NBox(self.items + [other])\n    def __radd__(self, other):\n        return (other, len(self.items))\n    def __format__(self, spec):\n        return 'Box' + spec\n    def __repr__(self):\n        return 'Box'\n    def __index__(self):\n        return 1\nbox_$M = $NBox(['a', 1])\n",
    exprs: &[
        ('z', 0, "box_$M"),
        ('z', 0, "box_$M[0]"),
        ('z', 0, "(box_$M + $Z)"),
        ('z', 0, "($i + box_$M)"),
        ('z', 0, "($x + box_$M)"),
        ('e', 0, "list(box_$M)[:6]"),
        ('e', 0, "[*box_$M][:6]"),
        ('e', 0, "sorted(map(str, box_$M))[:6]"),
        ('i', 8, "len(box_$M)"),
        ('f', 0, "box_$M.half"),
        ('x', 0, "f'{$Z:>4}'[:20]"),
        ('x', 0, "f'{box_$M:x}'"),
        ('b', 0, "($Z in box_$M)"),
        ('b', 0, "bool(box_$M)"),
        ('z', 0, "$E[box_$M]"),
    ],
    stmts: &[
        "for q_$# in box_$M:\n    print(q_$#)\n    $:",
        "for i_$# in range($i % 6):\n    $I = len(box_$M)\n    box_$M[0] = $z\n    $:",
        "for i_$# in range(8 + $i % 15):\n    box_$M($x)\n    $F = box_$M.half\nif len(box_$M) > 6:\n    box_$M.items.clear()",
        "a_$#, *b_$# = box_$M\nprint(a_$#, len(b_$#))",
        "for q_$# in ($Z, box_$M, $x):\n    try:\n        print(len(q_$#), q_$#[0], 'a' in q_$#)\n    except (TypeError, IndexError, KeyError) as error:\n        print(type(error).__name__)\n    $:",
        "e_$# = []\nfor i_$# in range($i % 6):\n    e_$#.append(box_$M if i_$# % 2 else $x)\n    $:\nfor q_$# in e_$#:\n    $I = len(q_$#)",
        "for a_$#, b_$# in zip(box_$M, $x):\n    print(a_$#, b_$#)",
        "try:\n    $=x = ''.join(box_$M)\n    $E.extend(box_$M)\nexcept TypeError as error:\n    print(error)",
    ],
    changes: &[
        "box_$M = $NBox(['q'])",
        "box_$M.items.append('more')",
        "box_$M = ['a', 'plain', 'list']",
        "$NBox.__len__ = lambda self: 3",
        "e_$M = box_$M",
        "$NBox.__iter__ = lambda self: iter(('own', 2))",
    ],
    state: &["box_$M"],
    ..Part::NONE
};

/// Classes that are derived from those of the host.
const DERIVED: Part = Part {
    text: "class $NList(list):\n    def append(self, value):\n        LOG.append('append')\n        super().append(value)\n    def __getitem__(self, at):\n        return ('item', super().__getitem__(at))\n    def __len__(self):\n        return super().__len__() + 1\n\
        class $NDict(dict):\n    def __missing__(self, key):\n        LOG.append('missing')\n        return 'none'\n    def get(self, key, default=None):\n        return ('got', super().get(key, default))\n\
        class $NText(str):\n    def __eq__(self, other):\n        LOG.append('eq')\n        return str.__eq__(self, other)\n    def __hash__(self):\n        return 7\n    def upper(self):\n        return 'own'\n    def __add__(self, other):\n        return $NText(str(self)[:20] + '+')\n\
        class $NInt(int):\n    def __add__(self, other):\n        return 'sum'\n    def __index__(self):\n        LOG.append('index')\n        return 0\nls_$M = $NList(['a', 2])\nds_$M = $NDict(k1=1)\nts_$M = $NText('ab')\n",
    exprs: &[
        ('z', 0, "ls_$M"),
        ('z', 0, "ds_$M"),
        ('z', 0, "ts_$M"),
        ('z', 0, "$NInt($i)"),
        ('z', 0, "ds_$M[$x]"),
        ('z', 0, "ds_$M.get($x)"),
        ('z', 0, "ls_$M[$j % 2]"),
        ('z', 0, "ts_$M.upper()"),
        ('z', 0, "(ts_$M + $x)"),
        ('z', 0, "collections.Counter($x)"),
        ('z', 0, "collections.OrderedDict(k1=$i)"),
        ('e', 0, "list(ls_$M)"),
        ('e', 0, "[ts_$M, $x, ls_$M]"),
        ('h', 0, "dict(ds_$M)"),
        ('h', 0, "collections.defaultdict(list, k1=[$i])"),
        ('i', 8, "len(ls_$M)"),
        ('b', 0, "(ts_$M == $x)"),
        ('b', 0, "(ts_$M in $E)"),
        ('b', 0, "($x in ds_$M)"),
        ('x', 0, "str(ts_$M)"),
        ('x', 0, "'-'.join([ts_$M, 'q'])"),
    ],
    stmts: &[
        "for i_$# in range(8 + $i % 16):\n    ls_$M.append($x)\n    $=z = ls_$M[0]\n    $:\nif len(ls_$M) > 9:\n    ls_$M.clear()",
        "for w_$# in $x.split():\n    ds_$M[w_$#] = $i\n    $=z = ds_$M['other']\n    $=z = ds_$M.get(w_$#)\n    $:",
        "c_$# = collections.Counter()\nfor w_$# in $x.split():\n    c_$#[w_$#] += 1\n    $:\nprint(sorted(c_$#.items()))",
        "c_$# = collections.defaultdict(list)\nfor w_$# in $x.split():\n    c_$#[w_$#[:1]].append(w_$#)\n    $:\nprint(sorted(c_$#.items()))",
        "for q_$# in (ts_$M, $x, ls_$M, $E):\n    $I = len(q_$#)\n    print(q_$#[:1])",
        "d_$# = {ts_$M: 1}\nfor w_$# in $x.split():\n    d_$#[w_$#] = d_$#.get(w_$#, 0) + 1\nprint(len(d_$#))",
        "for q_$# in ($NInt(2), 3, ts_$M, True):\n    try:\n        print(q_$# + 1, $E[q_$#])\n    except (TypeError, IndexError) as error:\n        print(type(error).__name__)",
        "for i_$# in range($i % 6):\n    ls_$M[0] = ds_$M\n    ls_$M.extend([$x])\n    ls_$M.pop()",
        "$E[:2] = ls_$M",
    ],
    changes: &[
        "ls_$M = $NList()",
        "ls_$M = ['plain']",
        "ds_$M = {'k1': 2}",
        "ds_$M = $NDict()",
        "ts_$M = 'ab'",
        "ts_$M = $NText('the')",
        "e_$M = $NList(['sub', 1, 2])",
        "h_$M = $NDict(k2='sub')",
        "del $NList.__len__",
    ],
    state: &["list(ls_$M)", "dict(ds_$M)", "ts_$M"],
    ..Part::NONE
};

/// Iterators that are passed on and kept.
const ITERATORS: Part = Part {
    text: "it_$M = iter('a kept text')\nvw_$M = {}.items()\n",
    exprs: &[
        ('z', 0, "next(it_$M, None)"),
        ('e', 0, "list(zip($x, it_$M))[:4]"),
        ('e', 0, "list(itertools.islice(it_$M, $j))"),
        ('e', 0, "list(map(str.upper, $x.split()))"),
        ('e', 0, "list(enumerate($E[:4], $j))"),
        ('e', 0, "list(reversed($E[:4]))"),
        ('e', 0, "[*vw_$M][:4]"),
        ('i', 8, "len(vw_$M)"),
    ],
    stmts: &[
        "for q_$# in it_$M:\n    if $b:\n        break\n    print(q_$#)\n    $:",
        "y_$# = iter($E[:6])\nfor q_$# in y_$#:\n    $=z = next(y_$#, 'end')\n    $:",
        "y_$# = iter($x)\nfor q_$# in y_$#:\n    if q_$# == ' ':\n        break\n    $:\n$=x = ''.join(y_$#)",
        "y_$# = zip($E[:6], $x)\nfor a_$#, b_$# in y_$#:\n    if $b:\n        break\nprint(list(y_$#))",
        "y_$# = iter($E)\nk_$# = 0\nfor q_$# in y_$#:\n    k_$# += 1\n    if k_$# > 5:\n        break\n    if $b:\n        $E.append($x)\nprint(k_$#)",
        "h_$# = {q: 1 for q in $x.split()}\nu_$# = h_$#.items()\ntry:\n    for a_$#, b_$# in u_$#:\n        $I = len(u_$#)\n        if $b:\n            h_$#['new'] = $i\nexcept RuntimeError as error:\n    print(error)",
        "y_$# = map(lambda q: str(q)[:9] + $x, $E[:5])\nfor q_$# in y_$#:\n    print(q_$#)\n    $:",
        "for k_$#, q_$# in enumerate(it_$M):\n    if k_$# > 2:\n        break\n    $X = q_$#",
        "y_$# = (str(q)[:5] for q in $E[:5])\nfor q_$# in y_$#:\n    $=x = q_$#\n    $:",
        "y_$# = itertools.chain($E[:3], $x[:3], [None])\nfor q_$# in y_$#:\n    if q_$# is None:\n        $I = $i\n    $:",
    ],
    changes: &[
        "it_$M = iter(['q', 2, None])",
        "it_$M = (q for q in 'gen')",
        "next(it_$M, None)",
        "it_$M = iter(e_$M)",
        "vw_$M = h_$M.items()",
        "vw_$M = h_$M.values()",
    ],
    state: &["len(vw_$M)"],
    ..Part::NONE
};

/// Native functions that call functions in Python.
const CALLEES: Part = Part {
    text: "def $Nkey(value):\n    LOG.append('key')\n    return str(value)[::-1]\ndef $Nfold(a, b):\n    if a == b:\n        raise ValueError('equal')\n    return str(a)[-6:] + str(b)[:3]\n@functools.lru_cache(maxsize=4)\ndef $Ncached(value):\n    LOG.append(('cached', value))\n    return str(value) * 2\nconf_$M = types.SimpleNamespace(name='n', size=2)\n",
    exprs: &[
        ('e', 0, "sorted($E[:5], key=$Nkey)"),
        ('e', 0, "list(map($Nkey, $E[:5]))"),
        ('e', 0, "list(filter($Nkey, $x.split()))"),
        ('z', 0, "min($E, key=$Nkey, default=None)"),
        ('z', 0, "functools.reduce($Nfold, $E[:4], 'f')"),
        ('x', 0, "$Ncached($x)[:30]"),
        ('x', 0, "$Ncached($i)[:30]"),
        ('x', 0, "re.sub('[ab]', lambda it: $Nkey(it.group()), $x)"),
        ('z', 0, "conf_$M.name"),
        ('z', 0, "getattr(conf_$M, $x, $i)"),
        ('x', 0, "'{} {!r}'.format($Z, $x)[:40]"),
        ('x', 0, "operator.methodcaller('upper')($x)"),
        ('z', 0, "operator.itemgetter(0)($E)"),
    ],
    stmts: &[
        "for i_$# in range(8 + $i % 16):\n    $X = $Ncached(i_$# % 3)\n    $:",
        "for w_$# in $x.split():\n    try:\n        $=x = functools.reduce($Nfold, [w_$#, $x, 'a'])\n    except ValueError as error:\n        print(error)\n    $:",
        "for i_$# in range($i % 6):\n    conf_$M.size = i_$#\n    conf_$M.name = 'n%d' % i_$#\n    setattr(conf_$M, 'at', $Z)\n    $:",
        "$E.sort(key=$Nkey)",
        "with contextlib.suppress(TypeError, ValueError):\n    for q_$# in $E[:5]:\n        $X = $Nfold(q_$#, 'b')\n        $:",
        "for k_$#, g_$# in itertools.groupby($x, str.isalpha):\n    print(k_$#, ''.join(g_$#))",
        "f_$# = $E.append if $b else $Nkey\nfor w_$# in $x.split()[:5]:\n    f_$#(w_$#)\n    $:",
        "for f_$# in (len, str, $Nkey, $x.count, repr):\n    try:\n        print(f_$#($Z))\n    except TypeError as error:\n        print(type(error).__name__)",
    ],
    changes: &[
        "$Nkey = len",
        "$Nkey = str",
        "$Ncached.cache_clear()",
        "conf_$M = types.SimpleNamespace(name=5, size='s')",
        "conf_$M.name = ['x']",
    ],
    state: &["vars(conf_$M)"],
    ..Part::NONE
};
