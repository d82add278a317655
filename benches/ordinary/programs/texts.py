import re
from collections import Counter, defaultdict

TEXT = (
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, "
    "it was the epoch of belief, it was the epoch of incredulity, it was the season of Light. "
) * 60


def word_count(text):
    counts = {}
    for word in text.lower().split():
        word = word.strip(".,;:!?")
        if word:
            counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:10]


def word_count_re(text):
    counter = Counter(re.findall(r"[a-z']+", text.lower()))
    return counter.most_common(5)


def run_length(text):
    if not text:
        return ""
    out, previous, count = [], text[0], 1
    for ch in text[1:]:
        if ch == previous:
            count += 1
        else:
            out.append(f"{count}{previous}")
            previous, count = ch, 1
    out.append(f"{count}{previous}")
    return "".join(out)


def run_length_decode(text):
    out, number = "", ""
    for ch in text:
        if ch.isdigit():
            number += ch
        else:
            out += ch * int(number)
            number = ""
    return out


def is_palindrome(text):
    letters = [ch.lower() for ch in text if ch.isalnum()]
    return letters == letters[::-1]


def palindromes(words):
    return [word for word in words if is_palindrome(word)]


def anagrams(words):
    groups = defaultdict(list)
    for word in words:
        groups["".join(sorted(word))].append(word)
    return sorted(group for group in groups.values() if len(group) > 1)


def title_case(text):
    return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))


def vowels(text):
    return sum(1 for ch in text if ch in "aeiouAEIOU")


def to_roman(number):
    table = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
             (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]
    out = ""
    for value, letters in table:
        while number >= value:
            out += letters
            number -= value
    return out


def from_roman(text):
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    for i, ch in enumerate(text):
        value = values[ch]
        if i + 1 < len(text) and values[text[i + 1]] > value:
            total -= value
        else:
            total += value
    return total


def romans(n):
    total = 0
    for number in range(1, n):
        total += from_roman(to_roman(number))
    return total


def caesar(text, shift):
    out = []
    for ch in text:
        if ch.isalpha():
            base = 65 if ch.isupper() else 97
            out.append(chr((ord(ch) - base + shift) % 26 + base))
        else:
            out.append(ch)
    return "".join(out)


def checksum(text):
    a, b = 1, 0
    for byte in text.encode():
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return b << 16 | a


def wrap(text, width):
    lines, line = [], ""
    for word in text.split():
        if len(line) + len(word) + 1 > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    lines.append(line)
    return lines


WORDS = ["level", "stone", "notes", "tones", "onset", "radar", "python", "typhon", "rotor", "silent", "listen", "abc"] * 80
RUNS = "".join(ch * (i % 7 + 1) for i, ch in enumerate("abcdefgh" * 200))
CODED = run_length(RUNS)


def bench_words():
    return word_count(TEXT)


def bench_words_re():
    return word_count_re(TEXT)


def bench_rle():
    return run_length(RUNS)


def bench_unrle():
    return run_length_decode(CODED)


def bench_palindromes():
    return palindromes(WORDS)


def bench_anagrams():
    return anagrams(WORDS)


def bench_title():
    return title_case(TEXT)


def bench_vowels():
    return vowels(TEXT)


def bench_romans():
    return romans(400)


def bench_caesar():
    return caesar(TEXT, 5)


def bench_checksum():
    return checksum(TEXT)


def bench_wrap():
    return wrap(TEXT, 60)


K = [0]


def bench_wrap_fresh():
    K[0] += 1
    return wrap(TEXT[K[0] :], 60)


def bench_words_fresh():
    K[0] += 1
    return word_count(TEXT[K[0] :])


def bench_rle_fresh():
    K[0] += 1
    return run_length(RUNS[K[0] % 1500 :])
