from functools import lru_cache


def knapsack(weights, values, capacity):
    table = [[0] * (capacity + 1) for _ in range(len(weights) + 1)]
    for i in range(1, len(weights) + 1):
        for w in range(capacity + 1):
            table[i][w] = table[i - 1][w]
            if weights[i - 1] <= w:
                table[i][w] = max(table[i][w], table[i - 1][w - weights[i - 1]] + values[i - 1])
    chosen, w = [], capacity
    for i in range(len(weights), 0, -1):
        if table[i][w] != table[i - 1][w]:
            chosen.append(i - 1)
            w -= weights[i - 1]
    return table[-1][capacity], chosen[::-1]


def knapsack_memo(weights, values, capacity):
    @lru_cache(maxsize=None)
    def best(i, left):
        if i == len(weights):
            return 0
        skip = best(i + 1, left)
        if weights[i] > left:
            return skip
        return max(skip, values[i] + best(i + 1, left - weights[i]))

    return best(0, capacity)


def coin_change(coins, amount):
    ways = [0] * (amount + 1)
    ways[0] = 1
    for coin in coins:
        for x in range(coin, amount + 1):
            ways[x] += ways[x - coin]
    fewest = [float("inf")] * (amount + 1)
    fewest[0] = 0
    for x in range(1, amount + 1):
        for coin in coins:
            if coin <= x and fewest[x - coin] + 1 < fewest[x]:
                fewest[x] = fewest[x - coin] + 1
    return ways[amount], fewest[amount]


def lcs(a, b):
    dp = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            if x == y:
                dp[i + 1][j + 1] = dp[i][j] + 1
            else:
                dp[i + 1][j + 1] = max(dp[i][j + 1], dp[i + 1][j])
    out, i, j = [], len(a), len(b)
    while i and j:
        if a[i - 1] == b[j - 1]:
            out.append(a[i - 1])
            i -= 1
            j -= 1
        elif dp[i - 1][j] >= dp[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return "".join(reversed(out))


def longest_increasing(numbers):
    best = [1] * len(numbers)
    for i in range(len(numbers)):
        for j in range(i):
            if numbers[j] < numbers[i] and best[j] + 1 > best[i]:
                best[i] = best[j] + 1
    return max(best)


WEIGHTS = [3 + (i * 7) % 13 for i in range(30)]
VALUES = [10 + (i * 11) % 29 for i in range(30)]
A = "ACGTTGCAACGT" * 6
B = "GTCATGCCATGA" * 6
NUMBERS = [(i * 37) % 211 for i in range(300)]


def bench():
    return knapsack(WEIGHTS, VALUES, 120)


def bench_memo():
    return knapsack_memo(WEIGHTS, VALUES, 60)


def bench_coins():
    return coin_change([1, 2, 5, 10, 20, 50], 700)


def bench_lcs():
    return lcs(A, B)


def bench_lis():
    return longest_increasing(NUMBERS)
