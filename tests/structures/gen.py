"""Random programs over structures as arguments: python3 gen.py SEED > prog.py"""
import random, sys
seed = int(sys.argv[1]); R = random.Random(seed)
HEAD = '''
import snekpy.numpy as np
from snekpy import stage, grad, value_and_grad, tree
from collections import namedtuple
from dataclasses import dataclass, replace
P = namedtuple("P", "x y")
class O:
    def __init__(self, **kw):
        self.__dict__.update(kw)
    def total(self):
        return self.w.sum() + self.n
class S:
    __slots__ = ("w", "n", "sub")
    def __init__(self, w, n, sub):
        self.w, self.n, self.sub = w, n, sub
@dataclass
class D:
    w: object
    n: object
    sub: object = None
def show(o, seen):
    if id(o) in seen: return "<%d>" % seen[id(o)]
    if isinstance(o, (list, dict, O, S, D)): seen[id(o)] = len(seen)
    if isinstance(o, np.ndarray): return "A" + str(o.shape) + str([round(float(v), 6) for v in o.reshape(-1)])
    if isinstance(o, P): return "P(" + ", ".join(show(v, seen) for v in o) + ")"
    if isinstance(o, tuple): return "(" + ", ".join(show(v, seen) for v in o) + ")"
    if isinstance(o, list): return "[" + ", ".join(show(v, seen) for v in o) + "]"
    if isinstance(o, dict): return "{" + ", ".join(repr(k) + ": " + show(v, seen) for k, v in o.items()) + "}"
    if isinstance(o, S): return "S(" + ", ".join(show(getattr(o, k, None), seen) for k in S.__slots__) + ")"
    if isinstance(o, (O, D)): return type(o).__name__ + show(o.__dict__, seen)
    if isinstance(o, float): return repr(round(o, 6))
    return repr(o)
'''
def leafkind(): return R.choice(["arr", "arr", "arr", "num", "int", "txt", "none"])
def schema(depth):
    if depth == 0 or R.random() < .25: return leafkind()
    k = R.choice(["dict", "dict", "O", "D", "S", "list", "P", "tuple"])
    if k == "dict": return ("dict", {n: schema(depth - 1) for n in R.sample("abcde", R.randint(1, 3))})
    if k == "O": return ("O", {"w": "arr", "n": "int", **{n: schema(depth - 1) for n in R.sample("abc", R.randint(0, 2))}})
    if k in "DS": return (k, {"w": "arr", "n": R.choice(["int", "num"]), "sub": schema(depth - 1)})
    if k == "P": return ("P", {"x": schema(depth - 1), "y": schema(depth - 1)})
    n = R.randint(1, 3)
    return (k, {i: schema(depth - 1) for i in range(n)})
def make(s, shared):
    if s == "arr": return f"np.arange({R.choice([2,2,2,3])}.0) * {R.randint(1,4)}"
    if s == "num": return repr(R.choice([0.5, 1.5, -2.0]))
    if s == "int": return repr(R.choice([1, 2, 2, 3]))
    if s == "txt": return repr(R.choice(["t", "t", "u"]))
    if s == "none": return "None"
    k, items = s
    if k != "tuple" and k != "P" and id(s) in shared and R.random() < .7: return shared[id(s)]
    if k == "dict": return "{" + ", ".join(f"{n!r}: {make(v, shared)}" for n, v in items.items()) + "}"
    if k == "O": return "O(" + ", ".join(f"{n}={make(v, shared)}" for n, v in items.items()) + ")"
    if k in "DSP": return k + "(" + ", ".join(make(v, shared) for v in items.values()) + ")"
    inner = ", ".join(make(v, shared) for v in items.values())
    return "[" + inner + "]" if k == "list" else "(" + inner + ",)"
def paths(s, at, found):
    found.append((at, s))
    if isinstance(s, tuple):
        k, items = s
        for n, v in items.items():
            if k == "dict": q = f"{at}[{n!r}]"
            elif k in ("list", "tuple"): q = f"{at}[{n}]"
            else: q = f"{at}.{n}"
            paths(v, q, found)
    return found
def parent_mutable(path, all_):
    for at, s in all_:
        if isinstance(s, tuple) and s[0] in ("dict", "O", "D", "S", "list") and path.startswith(at) and path != at:
            rest = path[len(at):]
            if rest.count(".") + rest.count("[") == 1: return True
    return False
def stmts(all_, args, depth=0):
    out = []
    arrs = [a for a, s in all_ if s == "arr"]; nums = [a for a, s in all_ if s in ("num", "int")]
    cont = [(a, s) for a, s in all_ if isinstance(s, tuple)]
    def arr(): return R.choice(arrs) if arrs else "np.ones(2)"
    def num(): return R.choice(nums + ["k", "1.5"]) if nums else R.choice(["k", "1.5"])
    for _ in range(R.randint(2, 5)):
        c = R.random()
        wa = [a for a in arrs if parent_mutable(a, all_)]; wn = [a for a in nums if parent_mutable(a, all_)]
        if c < .2 and wa: a = R.choice(wa); out.append(f"{a} = {a} * {num()} + {num()}")
        elif c < .3 and wa: out.append(f"{R.choice(wa)} -= {num()}")
        elif c < .4 and wn: a = R.choice(wn); out.append(f"{a} = {a} + 1")
        elif c < .5 and len(wa) > 1: a, b = R.sample(wa, 2); out.append(f"{a}, {b} = {b}, {a}")
        elif c < .57:
            ds = [a for a, s in cont if s[0] == "dict"]
            if ds: d = R.choice(ds); out.append(R.choice([f"{d}['z'] = {arr()} * 2.0", f"{d}.pop('z', None)", f"acc = acc + len({d})", f"acc = acc + sum(v.sum() for v in {d}.values() if hasattr(v, 'sum'))", f"q = dict({d}); q['new'] = k; res.append(q)", f"res.append({{n: v for n, v in {d}.items()}})", f"q = {d} | {{'y': k}}; res.append(list(q))", f"{d}.setdefault('l', []).append(k)"]))
        elif c < .63:
            ls = [a for a, s in cont if s[0] == "list"]
            if ls: l = R.choice(ls); out.append(R.choice([f"{l}.append({arr()})", f"res.append(len({l}))", f"{l}.append({l}.pop())", f"res.append({l}[0])", f"{l}.reverse()", f"res.append(list({l}))"]))
        elif c < .7 and cont:
            a, s = R.choice(cont); out.append(f"res.append({a})")
        elif c < .76 and len(cont) > 1:
            (a, _), (b, _) = R.sample(cont, 2); out.append(f"res.append({a} is {b})")
        elif c < .82 and arrs: out.append(f"acc = acc + float(({arr()}).sum())")
        elif c < .88 and depth < 1:
            body = stmts(all_, args, depth + 1) or ["pass"]
            out.append(R.choice(["if k > 1:", "for i in range(k):", f"if {num()} > 1:", "try:"])); h = out[-1]
            out += ["    " + l for l in body]
            if h == "try:": out += ["except (ValueError, TypeError) as e:", "    res.append(type(e).__name__)"]
        elif c < .94:
            os_ = [a for a, s in cont if s[0] == "O"]; ds = [a for a, s in cont if s[0] == "D"]; ps = [a for a, s in cont if s[0] == "P"]
            if os_ and R.random() < .5: out.append(f"acc = acc + float({R.choice(os_)}.total())")
            elif ds: out.append(f"res.append(replace({R.choice(ds)}, n=k))")
            elif ps: out.append(f"res.append({R.choice(ps)}._replace(x=k))")
        elif arrs: out.append(f"res.append(tree.map(lambda it: it, {R.choice(args)}))")
    return out
print(HEAD)
for f in range(R.randint(1, 2)):
    args = ["p", "q"][:R.randint(1, 2)]
    schemas = [schema(R.randint(1, 3)) for _ in args]
    schemas = [s if isinstance(s, tuple) else ("dict", {"a": s}) for s in schemas]
    all_ = []
    for a, s in zip(args, schemas): paths(s, a, all_)
    body = stmts(all_, args)
    print(f"@stage\ndef f{f}({', '.join(args)}, k):\n    acc, res = 0.0, []")
    for l in body: print("    " + l)
    print("    return acc, res")
    for c in range(R.randint(4, 6)):
        names = []
        print("try:")
        shared = {}
        if R.random() < .25:
            inner = [s for a, s in all_ if isinstance(s, tuple) and s[0] in ("dict", "O", "D", "list") and not any(s is x for x in schemas)]
            if inner: s = R.choice(inner); print(f"    sh = {make(s, {})}"); shared = {id(s): "sh"}
        for a, s in zip(args, schemas): print(f"    {a} = {make(s, shared)}")
        reps = R.choice([1, 1, 2])
        for _ in range(reps):
            print("    seen = {}")
            print(f"    print(show(f{f}({', '.join(args)}, {R.choice([0,1,2,3])}), seen), {', '.join(f'show({a}, seen)' for a in args)})")
        print("except Exception as e:\n    print(type(e).__name__, str(e)[:80], " + ", ".join(f"show({a}, {{}})" for a in args) + ")")
