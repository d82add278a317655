# List, set, dict comprehensions; walrus; scopes.
print([x * y for x in range(3) for y in range(x) if (x + y) % 2], {x % 3 for x in range(7)}, {k: v for k, v in zip("ab", [1, 2])})
print([[j for j in range(i)] for i in range(4)], [(a := 1), a + 1], [y for x in range(5) if (y := x * x) > 3], y)
x = 10
print([x for x in range(3)], x, [x for _ in range(2)])


class Scope:
    n = 3
    items = [i * 2 for i in range(n)]


print(Scope.items)
matrix = [[1, 2, 3], [4, 5, 6]]
print([list(row) for row in zip(*matrix)], [v for row in matrix for v in row], max((v, i) for i, v in enumerate([3, 9, 2])))
print(any(v > 4 for v in matrix[1]), all([]), sum(v for v in (1, 2)), sorted({"b": 1, "a": 2}, key=str.upper))
