//! What programs do that others wrote: objects of native classes whose attributes come and go, classes that change what
//! they are derived from, hooks of `isinstance`, numbers of their own classes, methods of native objects kept in variables,
//! what generators return, identity of texts, ends that are noticed, modules that are exchanged.

use super::super::idioms::Part;

/// One of them.
pub(super) const PARTS: [Part; 13] = [
    Part {
        text: "n_$M = types.SimpleNamespace()\ndef $Nheld():\n    pass\n",
        exprs: &[
            ('i', 20, "getattr(n_$M, 'n', 3)"),
            ('i', 20, "getattr($Nheld, 'n', 4)"),
            ('b', 0, "hasattr(n_$M, 'n')"),
            ('b', 0, "hasattr($Nheld, 'n')"),
        ],
        stmts: &[
            "try:\n    n_$M.n = (n_$M.n + $i) % 1009\nexcept AttributeError:\n    n_$M.n = $i",
            "try:\n    $I = $Nheld.n\nexcept AttributeError as error:\n    print('no', error.name)\n    $;",
            "try:\n    del n_$M.n\nexcept AttributeError:\n    $;",
            "match n_$M:\n    case types.SimpleNamespace(n=0):\n        $;\n    case types.SimpleNamespace(n=k_$#):\n        $I = k_$#\n    case _:\n        $;",
        ],
        changes: &[
            "n_$M.n = 5",
            "n_$M.n = 0.5",
            "n_$M.__dict__.clear()",
            "$Nheld.n = 7",
            "$Nheld.__dict__.clear()",
            "n_$M = types.SimpleNamespace(n=2)",
        ],
        state: &["vars(n_$M)", "vars($Nheld)"],
        ..Part::NONE
    },
    Part {
        text: "class $NLow:\n    rate = 2\n    def kind(self):\n        return 1\nclass $NHigh:\n    rate = 3\n    def kind(self):\n        return 2\nclass $NMid($NLow):\n    pass\nclass $NTop($NMid):\n    def kind(self):\n        return super().kind() + 10\nmid_$M = $NMid()\ntop_$M = $NTop()\n",
        exprs: &[
            ('b', 0, "isinstance(mid_$M, $NLow)"),
            ('b', 0, "isinstance(top_$M, (int, $NHigh))"),
            ('b', 0, "isinstance($n, (str, $NHigh))"),
            ('b', 0, "issubclass($NTop, $NLow)"),
            ('b', 0, "issubclass($NMid, (int, $NHigh))"),
            ('i', 3, "mid_$M.rate"),
            ('i', 5, "top_$M.kind()"),
        ],
        stmts: &[
            "match top_$M:\n    case $NLow():\n        $;\n    case $NHigh():\n        $;",
            "if isinstance(mid_$M, $NHigh):\n    $;\nelse:\n    $;",
        ],
        changes: &[
            "$NMid.__bases__ = ($NHigh,)",
            "$NMid.__bases__ = ($NLow,)",
            "mid_$M.__class__ = $NTop",
            "$NHigh.rate = 7",
        ],
        ..Part::NONE
    },
    Part {
        text: "class $NLowError(Exception):\n    pass\nclass $NHighError(Exception):\n    pass\nclass $NOwnError($NLowError):\n    pass\nclass $NNewError(Exception):\n    def __new__(cls, *args):\n        LOG.append(args)\n        return super().__new__(cls, *args)\n",
        exprs: &[],
        stmts: &[
            "try:\n    if $b:\n        raise $NOwnError($i)\n    $;\nexcept $NLowError:\n    $;\nexcept $NHighError as error:\n    print('high', error)",
            "try:\n    if $b:\n        raise $NNewError($i, 1)\n    $;\nexcept $NNewError as error:\n    print(error.args)",
            "e_$# = $NOwnError($i)\nfor k_$# in range($j):\n    try:\n        raise e_$#\n    except $NOwnError:\n        $:\nif $b:\n    raise e_$#",
            "e_$# = ValueError($i)\ntry:\n    raise e_$#\nexcept ValueError:\n    $;\nif $b:\n    raise e_$#",
        ],
        changes: &["$NOwnError.__bases__ = ($NHighError,)", "$NOwnError.__bases__ = ($NLowError,)"],
        ..Part::NONE
    },
    Part {
        text: "class $NMeta(type):\n    answer = True\n    def __instancecheck__(cls, it):\n        return cls.answer\n    def __subclasscheck__(cls, it):\n        return not cls.answer\nclass $NAsked(metaclass=$NMeta):\n    pass\nclass $NLiar:\n    kind = int\n    @property\n    def __class__(self):\n        return self.kind\nliar_$M = $NLiar()\n",
        exprs: &[
            ('b', 0, "isinstance($i, $NAsked)"),
            ('b', 0, "isinstance(LOG, (str, $NAsked))"),
            ('b', 0, "issubclass(int, $NAsked)"),
            ('b', 0, "isinstance(liar_$M, int)"),
            ('b', 0, "isinstance(liar_$M, $NLiar)"),
        ],
        stmts: &["match liar_$M:\n    case int():\n        $;\n    case _:\n        $;"],
        changes: &["$NMeta.answer = False", "$NMeta.answer = True", "$NLiar.kind = float", "$NLiar.kind = int"],
        ..Part::NONE
    },
    Part {
        text: "class $NI(int):\n    def __radd__(self, other):\n        return 7\n    def __rmul__(self, other):\n        return NotImplemented\n    def __gt__(self, other):\n        return True\nclass $NF(float):\n    def __radd__(self, other):\n        return 0.75\n    def __rsub__(self, other):\n        return 0.25\n    def __eq__(self, other):\n        return True\nmine_$M = $NI(3)\nfloat_$M = $NF(2.5)\n",
        exprs: &[
            ('i', 20, "($i + mine_$M)"),
            ('f', 0, "($f + mine_$M)"),
            ('f', 0, "($f + float_$M)"),
            ('f', 0, "($f - float_$M)"),
            ('i', 20, "($i * mine_$M)"),
            ('i', 20, "(mine_$M + $i)"),
            ('b', 0, "($i < mine_$M)"),
            ('b', 0, "($f < mine_$M)"),
            ('b', 0, "($f == float_$M)"),
            ('b', 0, "(mine_$M == float_$M)"),
        ],
        changes: &["mine_$M = $NI(-2)", "mine_$M = 5", "$NI.__radd__ = lambda self, other: 9", "float_$M = $NF(0.5)"],
        ..Part::NONE
    },
    Part {
        exprs: &[
            ('i', 4, "($i, 2, $I).count(2)"),
            ('i', 4, "(2, $i).index(2)"),
            ('b', 0, "($i, $f).__contains__($i)"),
            ('b', 0, "($i, 2).__eq__(($I, 2))"),
            ('b', 0, "(($i, 2).__lt__(($I, 3)))"),
            ('i', 4, "($i, $f).__len__()"),
            ('t', 0, "($i,).__add__(($f,))"),
            ('x', 0, "($i, 2).__repr__()"),
        ],
        stmts: &[
            "m_$# = ($i, $f).count\nprint('kept', $i)\n$=i = m_$#($i)",
            "m_$# = [$i, 2].append\nm_$#($i)\nprint(m_$#.__self__)",
            "m_$# = {1: $i}.get\nprint(m_$#(1), m_$#(2, $i))",
            "print(($i, 2).__len__.__self__, ($i, $f).__hash__() == hash(($I, $F)))",
        ],
        ..Part::NONE
    },
    Part {
        text: "def $Ncounted(i0):\n    for k in range(i0 % 3):\n        yield k + $i\n    return i0 * 2\ndef $Nouter(i0):\n    got = yield from $Ncounted(i0)\n    yield got\n    return got + 1\n",
        stmts: &[
            "g_$# = $Ncounted($i)\ntry:\n    while True:\n        $=i = next(g_$#)\nexcept StopIteration as error:\n    print('end', error.value, error.args)",
            "g_$# = $Nouter($i)\ntry:\n    for k_$# in range(6):\n        $=i = next(g_$#)\nexcept StopIteration as error:\n    $I = error.value",
            "g_$# = $Ncounted($i)\nprint(next(g_$#, 'none'), next(g_$#, 'none'), next(g_$#, 'none'))",
            "try:\n    next($Ncounted(3 * $i))\nexcept StopIteration as error:\n    print(error.value)",
        ],
        ..Part::NONE
    },
    Part {
        exprs: &[
            ('v', 0, "[ord(ch) for ch in str($i)]"),
            ('i', 20, "sum(int(ch) for ch in str(abs($i)))"),
            ('i', 8, "len(f'{$i}|{$f}')"),
            ('x', 0, "''.join(reversed(str($i)))"),
            ('x', 0, "str($i)[::-1]"),
            ('x', 0, "str($i).zfill(6)"),
            ('x', 0, "(str($i) * 2)[:9]"),
            ('b', 0, "(str($i) == str($I))"),
            ('b', 0, "(str($i) in ('1', '2', '12'))"),
            ('b', 0, "(type(str($i)) is str and isinstance(f'{$i}', str))"),
            ('i', 3, "{'1': 4, '2': 5}.get(str($i), 6)"),
        ],
        stmts: &[
            "for ch_$# in str($i):\n    if ch_$# == '1':\n        break\n    $:",
            "for k_$#, ch_$# in enumerate(str($i)):\n    $=i = k_$#\n    $:",
            "a_$#, *b_$# = str($i)\nprint(a_$#, b_$#)",
            "match str($i):\n    case '0':\n        $;\n    case _:\n        $;",
        ],
        ..Part::NONE
    },
    Part {
        text: "text_$M = ''.join(['some ', 'text'])\nother_$M = ''.join(['some ', 'text'])\nslice_$M = slice(0, 2)\ndef $Nsame(a, b):\n    return a is b\n",
        exprs: &[
            ('b', 0, "(text_$M is other_$M)"),
            ('b', 0, "$Nsame(text_$M, other_$M)"),
            ('b', 0, "$Nsame(slice_$M, slice_$M)"),
            ('b', 0, "$Nsame(text_$M, 'some text')"),
            ('v', 0, "[$i, $i, 3][slice_$M]"),
        ],
        stmts: &["x_$# = (text_$M, slice_$M, $i)\nprint(x_$#[0] is text_$M, x_$#[1] is slice_$M)"],
        changes: &[
            "other_$M = text_$M",
            "other_$M = ''.join(['some ', 'text'])",
            "text_$M = 'short'",
            "slice_$M = slice(1, 3)",
        ],
        ..Part::NONE
    },
    Part {
        text: "class $NEnd:\n    def __init__(self, n):\n        self.n = n\n    def __del__(self):\n        LOG.append(('end', self.n))\nheld_$M = {'k': 0}\nlast_$M = [0]\n",
        exprs: &[('i', 3, "len(LOG)")],
        stmts: &[
            "held_$M['k'] = $i\nprint(len(LOG))",
            "last_$M[0] = $i\nprint(len(LOG))",
            "if $b:\n    held_$M.clear()\n    print(len(LOG))",
            "d_$# = $NEnd($i)\nd_$# = None\nprint(len(LOG))",
        ],
        changes: &[
            "held_$M['k'] = $NEnd(1)",
            "last_$M[0] = $NEnd(2)",
            "last_$M[0] = [($NEnd(3),)]",
            "held_$M['k'] = 4",
        ],
        state: &["len(held_$M)", "len(last_$M)"],
        ..Part::NONE
    },
    Part {
        text: "class $NSized:\n    def __init__(self, n):\n        self.n = n % 4\n    def __iter__(self):\n        LOG.append('iter')\n        return iter(range(self.n))\n    def __len__(self):\n        LOG.append('len')\n        return self.n\nclass $NHinted:\n    def __init__(self, n):\n        self.n = n % 4\n    def __iter__(self):\n        return self\n    def __next__(self):\n        if self.n <= 0:\n            raise StopIteration\n        self.n -= 1\n        return self.n\n    def __length_hint__(self):\n        LOG.append('hint')\n        return self.n\nclass $NIndex:\n    def __init__(self, n):\n        self.n = n % 3\n    def __index__(self):\n        LOG.append('index')\n        return self.n\n    def __hash__(self):\n        LOG.append('hash')\n        return self.n\n    def __eq__(self, other):\n        LOG.append('eq')\n        return self.n == other.n\n",
        exprs: &[
            ('v', 0, "list($NSized($i))"),
            ('v', 0, "sorted($NHinted($i))"),
            ('v', 0, "[*$NHinted($i)]"),
            ('i', 8, "sum($NSized($i))"),
            ('i', 20, "[$i, 5, 6][$NIndex($i)]"),
            ('i', 3, "len({$NIndex($i), $NIndex(1)})"),
            ('b', 0, "($NIndex($i) in {$NIndex(2): 1})"),
            ('b', 0, "bool($NSized($i))"),
        ],
        ..Part::NONE
    },
    Part {
        text: "module_$M = types.ModuleType('fuzzed_$M')\nmodule_$M.q = 3\nsys.modules['fuzzed_$M'] = module_$M\n",
        stmts: &[
            "import fuzzed_$M\n$=i = fuzzed_$M.q",
            "try:\n    from fuzzed_$M import q as q_$#\n    $=i = q_$#\nexcept ImportError as error:\n    print('no', error.name)",
        ],
        changes: &[
            "module_$M.q = 8",
            "module_$M.__dict__.pop('q', None)",
            "module_$M.q = 0.5",
            "sys.modules['fuzzed_$M'] = types.SimpleNamespace(q=11)",
            "sys.modules['fuzzed_$M'] = module_$M",
        ],
        ..Part::NONE
    },
    Part {
        exprs: &[
            ('b', 0, "(($i, 1) == (1, $I))"),
            ('t', 0, "min(($i, 1), (1, $I))"),
            ('i', 3, "{1: 2, 3: 4}.get($i, 5)"),
            ('n', 0, "([1, 2.5, True][$i % 3])"),
            ('n', 0, "max($i, 1.5)"),
            ('b', 0, "([$i, 1] < [1, $I])"),
        ],
        stmts: &[
            "r_$# = ($i, 1) == (1, $I)\nr_$# = ($I, 2) < (2, $i)\nr_$# = [1, 'a', None, 2.0][$j % 4]\nprint(r_$#)",
            "r_$# = (1, 'a')[$b]\ns_$# = max($i, 2.5)\nr_$# = (r_$#, s_$#)\nprint(r_$#)",
        ],
        ..Part::NONE
    },
];
