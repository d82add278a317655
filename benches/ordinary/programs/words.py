from collections import deque

SCORES = {letter: score for letters, score in (("aeilnorstu", 1), ("dg", 2), ("bcmp", 3), ("fhvwy", 4), ("k", 5), ("jx", 8), ("qz", 10)) for letter in letters}
WORDS = [
    "listen", "silent", "enlist", "google", "elgoog", "cat", "act", "tac", "dog", "god", "level", "radar", "stone", "notes", "tones",
    "onset", "cold", "cord", "card", "ward", "warm", "word", "wold", "bold", "bald", "ball", "bell", "belt", "melt", "malt",
] * 4


def anagrams(words):
    groups = {}
    for word in words:
        key = "".join(sorted(word))
        groups.setdefault(key, []).append(word)
    return sorted((key, sorted(set(group))) for key, group in groups.items() if len(set(group)) > 1)


def is_palindrome(text):
    i, j = 0, len(text) - 1
    while i < j:
        if not text[i].isalnum():
            i += 1
        elif not text[j].isalnum():
            j -= 1
        elif text[i].lower() != text[j].lower():
            return False
        else:
            i += 1
            j -= 1
    return True


def score(word):
    return sum(SCORES[letter] for letter in word) * (2 if len(word) > 5 else 1)


def best_words(words, letters):
    best = []
    for word in words:
        left = list(letters)
        for letter in word:
            if letter in left:
                left.remove(letter)
            else:
                break
        else:
            best.append((score(word), word))
    return sorted(best, reverse=True)[:5]


def one_apart(a, b):
    return len(a) == len(b) and sum(x != y for x, y in zip(a, b)) == 1


def ladder(start, goal, words):
    queue = deque([[start]])
    seen = {start}
    while queue:
        path = queue.popleft()
        if path[-1] == goal:
            return path
        for word in words:
            if word not in seen and one_apart(path[-1], word):
                seen.add(word)
                queue.append(path + [word])
    return None


def pig_latin(text):
    out = []
    for word in text.split():
        if word[0] in "aeiou":
            out.append(word + "way")
        else:
            i = 0
            while i < len(word) and word[i] not in "aeiou":
                i += 1
            out.append(word[i:] + word[:i] + "ay")
    return " ".join(out)


def wrap(text, width):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = line + " " + word if line else word
    lines.append(line)
    return lines


def title(text):
    small = {"a", "an", "the", "of", "and", "in"}
    words = text.split()
    return " ".join(w if i and w in small else w[:1].upper() + w[1:] for i, w in enumerate(words))


TEXT = "the quick brown fox jumps over the lazy dog and a thousand other animals in the forest of numbers " * 12


def bench_anagrams():
    return anagrams(WORDS)


def bench_palindromes():
    return [is_palindrome(t) for t in ("A man, a plan, a canal: Panama", "Not a palindrome at all, is it?", "Was it a car or a cat I saw") for _ in range(20)]


def bench_scores():
    return best_words(WORDS, "tsionelcard")


def bench_ladder():
    return ladder("cold", "malt", WORDS)


def bench_latin():
    return pig_latin(TEXT)[:50], title(TEXT)[:50]


def bench_wrap():
    return wrap(TEXT, 40)


K = [0]


def bench_wrap_fresh():
    K[0] += 1
    return wrap(TEXT + " again" * K[0], 30 + K[0] % 20)[-1]
