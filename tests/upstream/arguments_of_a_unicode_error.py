# `UnicodeDecodeError.__init__` sets what the error says, and not `args`, as `BaseException.__init__` does.
#@ cpython ('x', b'ab', 1, 2, 'why') 1
#@ rustpython (1,) 1
class Undecodable(UnicodeDecodeError):
    def __init__(self, at):
        super().__init__("x", b"ab", at, at + 1, "why")


e = Undecodable(1)
print(e.args, e.start)
