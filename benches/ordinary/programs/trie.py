class TrieNode:
    __slots__ = ("children", "is_word")

    def __init__(self):
        self.children = {}
        self.is_word = False


class Trie:
    def __init__(self):
        self.root = TrieNode()

    def insert(self, word):
        node = self.root
        for ch in word:
            if ch not in node.children:
                node.children[ch] = TrieNode()
            node = node.children[ch]
        node.is_word = True

    def contains(self, word):
        node = self.root
        for ch in word:
            node = node.children.get(ch)
            if node is None:
                return False
        return node.is_word

    def count(self, prefix):
        node = self.root
        for ch in prefix:
            if ch not in node.children:
                return 0
            node = node.children[ch]
        stack, total = [node], 0
        while stack:
            node = stack.pop()
            total += node.is_word
            stack.extend(node.children.values())
        return total


def words(n):
    found, seed = [], 1
    for i in range(n):
        seed = (seed * 69069 + 1) & 0xFFFFFFFF
        found.append("".join(chr(97 + (seed >> (3 * k)) % 7) for k in range(3 + i % 5)))
    return found


WORDS = words(900)


def run(names):
    trie = Trie()
    for name in names[::2]:
        trie.insert(name)
    hits = sum(1 for name in names if trie.contains(name))
    return hits, trie.count("a"), trie.count("ab"), trie.count("")


def bench():
    return run(WORDS)
