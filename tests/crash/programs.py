"""The programs of this repository, and what is made of them: damaged bytes, tokens and lines.

Every choice comes from the `random.Random` that is passed in.
"""

import ast
import re
import warnings

#: Larger programs take too long to run.
SIZE = 12_000

#: No program contains one of these words, whatever was done to it.
FORBIDDEN = re.compile(
    rb"\b("
    # Files, processes and the network.
    rb"_?os|_?posix|nt|posixpath|subprocess|_posixsubprocess|shutil|pathlib|tempfile|fileinput|fcntl|mmap|pty|termios"
    rb"|open|FileIO|open_code|zipfile|tarfile|sqlite3|dbm|shelve|multiprocessing|concurrent|socket|_socket|ssl"
    rb"|socketserver|xmlrpc|urllib|http|ftplib|smtplib|poplib|imaplib|webbrowser"
    # Memory without types: programs that use these may crash.
    rb"|_?ctypes|faulthandler|marshal|setrecursionlimit"
    # The limits and the end of the process.
    rb"|_?signal|raise_signal|resource|_exit"
    # Only waste time.
    rb"|sleep"
    # Look like a crash when a traceback quotes them.
    rb"|panicked|overflowed"
    rb")\b"
)
#: What outlives the program that said it: not for programs that share a process.
OUTLIVES = re.compile(rb"\b(_?thread|threading|Thread|Timer|atexit)\b")

TOKEN = re.compile(
    rb'"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
    rb"|#[^\n]*|[ \t]+|\n|\d[\w.]*|[^\W\d]\w*|\*\*=|//=|>>=|<<=|\.\.\.|\*\*|//|<<|>>|->|:=|[-+*/%@&|^<>=!]=|.",
    re.DOTALL,
)
KEYWORDS = set(
    b"False None True and as assert async await break class continue def del elif else except finally for from global if"
    b" import in is lambda nonlocal not or pass raise return try while with yield match case type".split()
)
#: Numbers, operators and names that are rare in the programs and often special.
SPICE = (
    b"0 1 -1 2 0.0 1.5 1e308 1e400 0x7fffffffffffffff 9223372036854775807 18446744073709551616 1j True False None "
    b"255 256 257 1000000 float('nan') float('inf') -0.0 '' () [] {} ... set() range(3) lambda:0 b'' f'{0}' 10**30 "
    b"__class__ __dict__ __code__ __init__ __getattr__ __eq__ __hash__ __iter__ __next__ __call__ __del__ super "
    b"__slots__ __new__ __index__ __len__ __getitem__ __setattr__ __get__ __set_name__ __mro__ __bases__ __defaults__ "
    b"yield await async nonlocal global del lambda for while with try finally raise return break continue "
    b"Static stage stage_lambda locals globals vars type object print int float len sorted iter next zip map "
    b"str bytes bytearray memoryview slice complex property classmethod reversed enumerate filter sum pow round "
    b"divmod hash id repr format getattr setattr isinstance issubclass exec eval compile dir gc.collect()"
).split()
#: Bytes that are special to a lexer.
SPECIAL_BYTES = (
    b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\r", b"\x0c", b"\t", b"\\\n", b"\x1a",
    "\u2028é\U0001f40d".encode(),
)  # fmt: skip
#: What nests.
OPENINGS = (b"(", b"[", b"{", b"-", b"not ", b"f'{", b"lambda:")


class Corpus:
    """The programs, and what is made of them."""

    def __init__(self, root):
        self.programs = [program for program in map(harmless, found(root)) if 0 < len(program) < SIZE]
        self.lines = sorted({line.strip() for program in self.programs for line in program.splitlines()} - {b""})
        pool = {}
        for program in self.programs:
            for token in tokens(program):
                pool.setdefault(kind_of(token), set()).add(token)
        self.pool = {kind: sorted(members) for kind, members in pool.items()}

    def damaged(self, rng, shares=False):
        """One program, damaged. `shares`: it will share its process with others."""
        while True:
            program = rng.choice(self.programs)
            program = damage_bytes(rng, program) if rng.random() < 0.2 else self.damage_tokens(rng, program)
            if not FORBIDDEN.search(program) and not (shares and OUTLIVES.search(program)):
                return program

    def damage_tokens(self, rng, program):
        """Damages tokens and lines, most times so that the program still has Python's syntax."""
        wants_syntax = rng.random() < 0.85
        for _ in range(6):
            damaged = program
            for _ in range(rng.choice((1, 1, 2, 2, 3, 5, 9))):
                damaged = damage_line(rng, damaged, self.lines) if rng.random() < 0.3 else self.damage_token(rng, damaged)
            if not wants_syntax or parses(damaged):
                break
        return damaged

    def damage_token(self, rng, program):
        parts = tokens(program)
        places = [at for at, part in enumerate(parts) if kind_of(part) != "space"]
        if len(places) < 2:
            return program
        at, other = rng.choice(places), rng.choice(places)
        kind = kind_of(parts[at])
        what = rng.randrange(8)
        if what == 0:
            parts[at] = b""
        elif what == 1:
            parts[at] += b" " + parts[at]
        elif what == 2:
            parts[at], parts[other] = parts[other], parts[at]
        elif what == 3:
            parts[at] = rng.choice(SPICE)
        elif what == 4:
            parts[at] = rng.choice(self.pool[kind])
        else:
            # Another of the program's own: of the same kind, or any operand.
            kinds = ("name", "number", "string") if what == 5 else (kind,)
            own = [parts[place] for place in places if kind_of(parts[place]) in kinds]
            parts[at] = rng.choice(own) if own else b"0"
        return b"".join(parts)


def found(root):
    """The programs of the repository, in an order that does not change."""
    for folder in ("tests/cases", "tests/conformance", "tests/bad", "examples"):
        for path in sorted((root / folder).rglob("*.py")):
            if path.name != "support.py":
                yield path.read_bytes()
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        yield from re.findall(rb"```python\n(.*?)```", path.read_bytes(), re.DOTALL)


def harmless(program):
    """The program without the lines that contain a forbidden word."""
    return b"".join(line for line in program.splitlines(keepends=True) if not FORBIDDEN.search(line))


def parses(program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(program)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def tokens(program):
    return TOKEN.findall(program)


def kind_of(token):
    if token.isspace() or token.startswith(b"#"):
        return "space"
    if token in KEYWORDS:
        return "keyword"
    if token[:1].isdigit():
        return "number"
    if token[:1] in b"\"'":
        return "string"
    if token[:1].isalpha() or token[:1] == b"_":
        return "name"
    return "bracket" if token in b"()[]{}:," else "operator"


def damage_bytes(rng, program):
    data = bytearray(program)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(data) + 1)
        what = rng.randrange(6)
        if what == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif what == 1:
            del data[at : at + rng.choice((1, 1, 2, 8, 64))]
        elif what == 2:
            data.insert(at, rng.randrange(256))
        elif what == 3:
            data[at:at] = rng.choice(SPECIAL_BYTES)
        elif what == 4:
            other = rng.randrange(len(data) + 1)
            data[at:at] = data[other : other + rng.choice((1, 4, 40))]
        else:
            data[at:at] = rng.choice(OPENINGS) * rng.choice((1, 3, 200))
    return bytes(data)


def damage_line(rng, program, others):
    """Damages a line. `others`: lines that may be put in."""
    lines = program.splitlines(keepends=True)
    if not lines:
        return program
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(6)
    if what == 0:
        del lines[at]
    elif what == 1:
        lines.insert(at, lines[at])
    elif what == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif what == 3:
        lines[at] = b"    " + lines[at]
    elif what == 4:
        lines[at] = lines[at].removeprefix(b"    ")
    else:
        indent = re.match(rb"[ \t]*", lines[at]).group(0)
        lines.insert(at, indent + rng.choice(others) + b"\n")
    return b"".join(lines)
