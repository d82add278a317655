# The compiler computes `//` and `%` of constants by rules of its own. (Of text, snekpy mends the tree before it is compiled;
# a tree that a program makes is compiled by RustPython alone.)
#@ cpython 1.0 0.0
#@ rustpython 0.0 0.0
import ast

print(*(eval(compile(ast.parse(text, mode="eval"), "tree", "eval")) for text in ("2.0 // 2", "4.0 % 2")))
