CODONS = {
    "ATG": "M", "TGG": "W", "TTT": "F", "TTC": "F", "TTA": "L", "TTG": "L", "CTT": "L", "CTC": "L", "GGA": "G", "GGC": "G",
    "TAA": "*", "TAG": "*", "TGA": "*", "AAA": "K", "AAG": "K", "GAT": "D", "GAC": "D", "CAT": "H", "CAC": "H", "ACG": "T",
}
PAIRS = {"A": "T", "C": "G", "G": "C", "T": "A"}


def gc(sequence):
    n = 0
    for base in sequence:
        if base in "GC":
            n += 1
    return n / len(sequence)


def reverse_complement(sequence):
    return "".join(PAIRS[base] for base in reversed(sequence))


def kmers(sequence, k):
    counts = {}
    for i in range(len(sequence) - k + 1):
        kmer = sequence[i : i + k]
        counts[kmer] = counts.get(kmer, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:5]


def translate(sequence):
    protein = []
    for i in range(0, len(sequence) - 2, 3):
        amino = CODONS.get(sequence[i : i + 3], "?")
        if amino == "*":
            break
        protein.append(amino)
    return "".join(protein)


def hamming(a, b):
    return sum(1 for x, y in zip(a, b) if x != y)


def align(a, b, match=1, miss=-1, gap=-2):
    rows, cols = len(a) + 1, len(b) + 1
    score = [[0] * cols for _ in range(rows)]
    for i in range(1, rows):
        score[i][0] = i * gap
    for j in range(1, cols):
        score[0][j] = j * gap
    for i in range(1, rows):
        for j in range(1, cols):
            diag = score[i - 1][j - 1] + (match if a[i - 1] == b[j - 1] else miss)
            score[i][j] = max(diag, score[i - 1][j] + gap, score[i][j - 1] + gap)
    i, j = len(a), len(b)
    top, bottom = [], []
    while i > 0 and j > 0:
        if score[i][j] == score[i - 1][j - 1] + (match if a[i - 1] == b[j - 1] else miss):
            top.append(a[i - 1])
            bottom.append(b[j - 1])
            i -= 1
            j -= 1
        elif score[i][j] == score[i - 1][j] + gap:
            top.append(a[i - 1])
            bottom.append("-")
            i -= 1
        else:
            top.append("-")
            bottom.append(b[j - 1])
            j -= 1
    return score[-1][-1], "".join(reversed(top)), "".join(reversed(bottom))


def longest_run(sequence):
    best, best_base = 0, ""
    run, previous = 0, None
    for base in sequence:
        run = run + 1 if base == previous else 1
        previous = base
        if run > best:
            best, best_base = run, base
    return best_base, best


def make(n, seed):
    out = []
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) % 2**31
        out.append("ACGT"[seed >> 16 & 3])
    return "".join(out)


DNA = make(3000, 7)
OTHER = make(3000, 11)


def bench_gc():
    return gc(DNA), hamming(DNA, OTHER), longest_run(DNA)


def bench_kmers():
    return kmers(DNA, 4)


def bench_translate():
    return translate("ATG" + "GGATTTAAACTC" * 60), reverse_complement(DNA)[:20]


def bench_align():
    return align(DNA[:70], OTHER[:64])


K = [0]


def bench_align_fresh():
    K[0] += 1
    return align(DNA[K[0] : K[0] + 70], OTHER[: 60 + K[0] % 5])
