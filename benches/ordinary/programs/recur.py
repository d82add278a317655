import sys
from functools import lru_cache
from itertools import count

FRESH = count()


def edit(a, b, memo=None):
    memo = {} if memo is None else memo

    def go(i, j):
        if (i, j) in memo:
            return memo[i, j]
        if i == len(a) or j == len(b):
            found = len(a) - i + len(b) - j
        elif a[i] == b[j]:
            found = go(i + 1, j + 1)
        else:
            found = 1 + min(go(i + 1, j), go(i, j + 1), go(i + 1, j + 1))
        memo[i, j] = found
        return found

    return go(0, 0)


def change(amount, coins, memo):
    if amount == 0:
        return 0
    if amount in memo:
        return memo[amount]
    best = 10**9
    for coin in coins:
        if coin <= amount:
            best = min(best, 1 + change(amount - coin, coins, memo))
    memo[amount] = best
    return best


def ways(n, memo):
    if n < 0:
        return 0
    if n == 0:
        return 1
    if n not in memo:
        memo[n] = ways(n - 1, memo) + ways(n - 2, memo) + ways(n - 3, memo)
    return memo[n]


def grid_paths(rows, cols):
    @lru_cache(None)
    def go(r, c):
        if r == 0 or c == 0:
            return 1
        return go(r - 1, c) + go(r, c - 1)

    return go(rows, cols)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def parity(n):
    return sum(is_even(i) for i in range(n))


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def permute(items):
    if not items:
        yield []
        return
    for i, item in enumerate(items):
        for rest in permute(items[:i] + items[i + 1 :]):
            yield [item] + rest


def permutation_count(n):
    return sum(1 for p in permute(list(range(n))) if p[0] < p[-1])


def heaps(items, n, out):
    if n == 1:
        out.append(tuple(items))
        return
    for i in range(n):
        heaps(items, n - 1, out)
        k = i if n % 2 == 0 else 0
        items[k], items[n - 1] = items[n - 1], items[k]


def all_heaps(n):
    out = []
    heaps(list(range(n)), n, out)
    return len(out), out[-1]


def combos(items, k):
    if k == 0:
        return [[]]
    if len(items) < k:
        return []
    return [[items[0]] + rest for rest in combos(items[1:], k - 1)] + combos(items[1:], k)


def subset_sum(numbers, target):
    if target == 0:
        return True
    if not numbers or target < 0:
        return False
    return subset_sum(numbers[1:], target - numbers[0]) or subset_sum(numbers[1:], target)


def count_sums(numbers, index, target):
    if index == len(numbers):
        return int(target == 0)
    return count_sums(numbers, index + 1, target - numbers[index]) + count_sums(numbers, index + 1, target)


def merge_sort(items):
    if len(items) <= 1:
        return items
    middle = len(items) // 2
    left, right = merge_sort(items[:middle]), merge_sort(items[middle:])
    out, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            out.append(left[i])
            i += 1
        else:
            out.append(right[j])
            j += 1
    return out + left[i:] + right[j:]


def quick_sort(items):
    if len(items) < 2:
        return items
    pivot = items[len(items) // 2]
    return (
        quick_sort([x for x in items if x < pivot])
        + [x for x in items if x == pivot]
        + quick_sort([x for x in items if x > pivot])
    )


def partition(items, low, high):
    pivot, i = items[high], low
    for j in range(low, high):
        if items[j] < pivot:
            items[i], items[j] = items[j], items[i]
            i += 1
    items[i], items[high] = items[high], items[i]
    return i


def quick_in_place(items, low, high):
    if low < high:
        p = partition(items, low, high)
        quick_in_place(items, low, p - 1)
        quick_in_place(items, p + 1, high)
    return items


def quick_select(items, k):
    pivot = items[len(items) // 2]
    less = [x for x in items if x < pivot]
    same = sum(1 for x in items if x == pivot)
    if k < len(less):
        return quick_select(less, k)
    if k < len(less) + same:
        return pivot
    return quick_select([x for x in items if x > pivot], k - len(less) - same)


def flood(grid, r, c, old, new):
    if not (0 <= r < len(grid) and 0 <= c < len(grid[0])) or grid[r][c] != old:
        return 0
    grid[r][c] = new
    return 1 + sum(flood(grid, r + dr, c + dc, old, new) for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)))


def islands(grid):
    grid, found = [row[:] for row in grid], []
    for r in range(len(grid)):
        for c in range(len(grid[0])):
            if grid[r][c] == 1:
                found.append(flood(grid, r, c, 1, 2))
    return found


def evaluate(tree):
    match tree:
        case ("+", a, b):
            return evaluate(a) + evaluate(b)
        case ("-", a, b):
            return evaluate(a) - evaluate(b)
        case ("*", a, b):
            return evaluate(a) * evaluate(b) % 10007
        case ("neg", a):
            return -evaluate(a)
        case _:
            return tree


def make_tree(depth, n):
    if depth == 0:
        return n % 10
    op = ("+", "-", "*")[n % 3]
    return (op, make_tree(depth - 1, n * 2 + 1), ("neg", make_tree(depth - 1, n * 3 + 1)))


def derive(tree):
    if tree == "x":
        return 1
    if isinstance(tree, int):
        return 0
    op, a, b = tree
    if op == "+":
        return ("+", derive(a), derive(b))
    return ("+", ("*", derive(a), b), ("*", a, derive(b)))


def size(tree):
    return 1 if not isinstance(tree, tuple) else 1 + sum(size(it) for it in tree[1:])


def derived_size(n):
    tree = "x"
    for i in range(n):
        tree = ("*", tree, ("+", "x", i))
    return size(derive(derive(tree)))


def hanoi(n, a, b, c):
    return 0 if n == 0 else hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)


def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)


def coprimes(n):
    return sum(gcd(a, b) == 1 for a in range(1, n) for b in range(a + 1, n))


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half * x if n % 2 else half * half


def powers(n):
    return sum(power(1.0001, i) for i in range(n))


def binary_search(items, x, low, high):
    if low > high:
        return -1
    middle = (low + high) // 2
    if items[middle] == x:
        return middle
    if items[middle] < x:
        return binary_search(items, x, middle + 1, high)
    return binary_search(items, x, low, middle - 1)


def searches(items, n):
    return sum(binary_search(items, i, 0, len(items) - 1) >= 0 for i in range(n))


def brackets(n, opened=0, closed=0, text=""):
    if len(text) == 2 * n:
        return [text]
    found = []
    if opened < n:
        found += brackets(n, opened + 1, closed, text + "(")
    if closed < opened:
        found += brackets(n, opened, closed + 1, text + ")")
    return found


def queens(n, row=0, columns=(), left=(), right=()):
    if row == n:
        return 1
    total = 0
    for c in range(n):
        if c not in columns and row + c not in left and row - c not in right:
            total += queens(n, row + 1, columns + (c,), left + (row + c,), right + (row - c,))
    return total


def maze(rows, cols, seed):
    sys.setrecursionlimit(5000)
    seen, walls, state = set(), [], seed

    def visit(r, c):
        nonlocal state
        seen.add((r, c))
        around = [(r + 1, c), (r, c + 1), (r - 1, c), (r, c - 1)]
        state = (state * 1103515245 + 12345) % 2**31
        k = state % 4
        for nr, nc in around[k:] + around[:k]:
            if 0 <= nr < rows and 0 <= nc < cols and (nr, nc) not in seen:
                walls.append((r, c, nr, nc))
                visit(nr, nc)

    visit(0, 0)
    return len(seen), walls[-1]


def pascal(n):
    if n == 0:
        return [1]
    above = pascal(n - 1)
    return [1] + [a + b for a, b in zip(above, above[1:])] + [1]


def collatz_lengths(n):
    memo = {1: 1}

    def length(k):
        if k not in memo:
            memo[k] = 1 + length(k // 2 if k % 2 == 0 else 3 * k + 1)
        return memo[k]

    return max(range(1, n), key=length)


NUMBERS = [(i * 7919) % 1009 for i in range(400)]
GRID = [[1 if (r * 7 + c * 5) % 3 else 0 for c in range(24)] for r in range(24)]
TREE = make_tree(7, 1)
SORTED = list(range(0, 2000, 3))


def fresh(n):
    k = next(FRESH)
    return [(i * 7919 + k * 17) % 1009 for i in range(n)]


def bench_edit():
    return edit("kitten sitting on a mitten"[next(FRESH) % 5 :], "sitting kitten in a kitchen")


def bench_change():
    return change(300 + next(FRESH), (1, 5, 12, 25), {})


def bench_ways():
    return ways(60 + next(FRESH) % 9, {})


def bench_paths():
    return grid_paths(20, 20 + next(FRESH) % 5)


def bench_parity():
    return parity(60)


def bench_ackermann():
    return ackermann(2, 12)


def bench_permute():
    return permutation_count(6)


def bench_heaps():
    return all_heaps(6)


def bench_combos():
    return len(combos(list(range(10)), 4))


def bench_subset():
    return subset_sum([3, 34, 4, 12, 5, 2, 7, 9, 11, 13], 4 + next(FRESH) * 17 % 97)


def bench_sums():
    return count_sums([3, 34, 4, 12, 5, 2, 7, 9, 11, 13], 0, 30 + next(FRESH))


def bench_merge():
    return merge_sort(NUMBERS)


def bench_merge_fresh():
    return merge_sort(fresh(300))


def bench_quick_fresh():
    return quick_sort(fresh(300))


def bench_in_place():
    items = fresh(400)
    return quick_in_place(items, 0, len(items) - 1)


def bench_select():
    return quick_select(fresh(500), 250)


def bench_islands():
    return islands(GRID)


def bench_evaluate():
    return evaluate(TREE)


def bench_evaluate_fresh():
    return evaluate(make_tree(6, next(FRESH)))


def bench_derived():
    return derived_size(9)


def bench_hanoi():
    return hanoi(9, "a", "b", "c")


def bench_coprimes():
    return coprimes(45)


def bench_powers():
    return powers(400)


def bench_searches():
    return searches(SORTED, 400)


def bench_brackets():
    return len(brackets(7))


def bench_queens():
    return queens(6)


def bench_maze():
    return maze(18, 18, next(FRESH))


def bench_pascal():
    return sum(pascal(50))


def bench_collatz():
    return collatz_lengths(800)
