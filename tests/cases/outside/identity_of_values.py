# Equal strings, bytes and slices can be two objects.
from snekpy import stage


def make(text):
    return "".join(list(text))


@stage
def same(a, b):
    return a is b, a is not b


@stage
def same_inside(p, b):
    return p[0] is b, p[0] is p[1]


@stage
def back(s):
    return s


@stage
def held(s, n):
    return [s, n], {"k": s}


s1, s2 = make("some text"), make("some text")
print(same(s1, s1), same(s1, s2), same(s2, s1), same(s2, s2))
print(same_inside((s1, s1), s1), same_inside((s1, s2), s1), same_inside((s2, s1), s1))
b1, b2 = bytes([1, 2, 3]), bytes([1, 2, 3])
print(same(b1, b1), same(b1, b2), same(b2, b1))
l1, l2 = slice(1, 2), slice(1, 2)
print(same(l1, l1), same(l1, l2))
print(back(l1) is l1, back(l2) is l2, back(s1) is s1, back(s2) is s2, back(b1) is b1, back(b2) is b2)
for s in (s1, s2, b1, b2, l1, l2):
    print(held(s, 1)[0][0] is s, held(s, 1)[1]["k"] is s)

G = make("global text")


@stage
def is_global(s):
    return s is G, G


h = make("global text")
print(is_global(G)[0], is_global(h)[0], is_global(h)[1] is G)
G = h
print(is_global(h)[0], is_global(h)[1] is h)
big1, big2 = 10**30, 10**30 + 0
big2 = int(str(big1))
print(same(big1, big1), same(big1, big2), back(big2) is big2)
c1, c2 = complex(1, 2), complex(1, 2)
print(same(c1, c1), same(c1, c2), back(c2) is c2)
f1, f2 = frozenset([1]), frozenset([1])
print(same(f1, f1), same(f1, f2), back(f2) is f2)
r1, r2 = range(3), range(3)
print(same(r1, r1), same(r1, r2), back(r2) is r2)
