# Backtracking with generators and sets.
def queens(n, row=0, columns=(), up=frozenset(), down=frozenset()):
    if row == n:
        yield columns
        return
    for c in range(n):
        if c not in columns and row + c not in up and row - c not in down:
            yield from queens(n, row + 1, columns + (c,), up | {row + c}, down | {row - c})


solutions = list(queens(6))
print(len(solutions), solutions[0], sum(1 for _ in queens(7)))
