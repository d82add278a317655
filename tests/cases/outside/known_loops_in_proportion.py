# Capturing a loop over a known range takes as long as the loop is, not as its square.
from snekpy import stage


def build(n):
    space = {}
    exec(
        f"""
def f(y):
    for i in range({n}):
        x = [1.0 for a in range(10)]
    return x, y

class P:
    def __init__(self, a):
        self.a = a

def g(y):
    for i in range({n}):
        p = P(i)
        q = {{"k": p}}
    return p.a, len(q), y
""",
        space,
    )
    return stage(space["f"]), stage(space["g"])


for n in (100, 200, 400):
    f, g = build(n)
    print(f(1), g(2))
