//! Interpreters of programs that are known: a number chooses among instructions, and is computed now and then.

use super::super::idioms::Part;

pub(super) const PROGRAMS: Part = Part {
    text: "code_$M = [('put', 3), ('add', 2), ('up', None), ('put', 7), ('add', -4), ('back', 3), ('end', 0)]\n\
           states_$M = (('a', (0, 1, 2), False), ('b', (2, 1, 0), True), ('c', (1, 1, 2), True))\n\
           parts_$M = [('k', 2), ('m', 0.5), ('k', 5)]\n",
    exprs: &[
        ('i', 12, "len(code_$M[$i % 7][0])"),
        ('i', 12, "int(parts_$M[$j - 2][1])"),
        ('f', 0, "float(parts_$M[$i % 3][1])"),
        ('b', 0, "states_$M[$i % 3][2]"),
    ],
    stmts: &[
        "p_$#, s_$#, n_$# = 0, [], 0\nwhile n_$# < $j * 9:\n    n_$# += 1\n    op_$#, x_$# = code_$M[p_$#]\n    p_$# += 1\n    if op_$# == 'put':\n        s_$#.append(x_$#)\n    elif op_$# == 'add':\n        s_$#[-1] += x_$#\n    elif op_$# == 'up':\n        s_$#.append(s_$#.pop() % 1009 * 2)\n    elif op_$# == 'back':\n        if $b:\n            p_$# -= x_$#\n    else:\n        break\n    $:\nprint(p_$#, s_$#, n_$#)",
        "p_$# = $i % 9 - 4\nfor k_$# in range($j * 5):\n    op_$#, x_$# = code_$M[p_$#]\n    if op_$# == 'put':\n        $I = $i\n    elif op_$# == 'end':\n        $:\n    p_$# = (p_$# + 1) % len(code_$M)\nprint(p_$#)",
        "a_$# = c_$# = 0\nfor q_$# in $v:\n    name_$#, onward_$#, good_$# = states_$M[a_$#]\n    a_$# = onward_$#[q_$# % 3]\n    if good_$#:\n        c_$# += len(name_$#)\n        $:\nprint(a_$#, c_$#)",
        "a_$# = 0\nfor k_$# in range($j * 3):\n    kind_$#, x_$# = parts_$M[a_$#]\n    a_$# = a_$# - 1 if kind_$# == 'm' else a_$# + 1\n    if $i > 3 or kind_$# == 'k' and a_$# > 2:\n        break\n    if a_$# == 1:\n        $:\nprint(a_$#)",
        "try:\n    p_$# = n_$# = 0\n    while n_$# < 20:\n        n_$# += 1\n        op_$#, x_$# = code_$M[p_$#]\n        p_$# += $i % 3 - 4 if op_$# == 'up' else 1\n        if op_$# == 'back':\n            $;\n        if x_$# == 0 or p_$# == -3:\n            break\nexcept IndexError as error:\n    print(error, p_$#)",
    ],
    changes: &[
        "code_$M[1] = ('add', 9)",
        "code_$M[5] = ('end', 1)",
        "states_$M = (('dd', (1, 2, 0), True), ('e', (2, 0, 1), False), ('fff', (0, 0, 1), True))",
        "parts_$M.append(('m', 3))",
    ],
    ..Part::NONE
};
